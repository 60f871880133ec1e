"""The rooms of the package, the imports between them and their sizes, read from its source;
``python tests/helpers/house.py`` lowers the budgets of ``tests/house.json`` to what is there.
Every import of an own module counts, wherever it stands: at the top of a file, inside a function,
or by its name; for types alone where it leads to another room."""

from __future__ import annotations

import ast
import gc
import io
import json
import re
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "betaroc"

#: Bottom to top, as the table of the page shows them.
ROOMS = re.findall(r"^\| `(\w+)` \|",
    (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.M)  # fmt: skip
#: Modules that load by name what is asked of them.
TABLES = ("betaroc", "betaroc.cli", "betaroc.sklearn")

Function = ast.FunctionDef, ast.AsyncFunctionDef


def module_name(path):
    """The name by which a file of the package is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room(module):
    """The room that a module stands in."""
    return module.split(".")[1]


class Import(NamedTuple):
    """One module of the package that another imports."""

    module: str
    target: str
    lazy: bool
    for_types: bool


@cache
def tree(module):
    """What is written in a module."""
    gc.disable()  # which would search the trees again and again
    try:
        return ast.parse(MODULES[module].read_text(encoding="utf-8"))
    finally:
        gc.freeze()
        gc.enable()


def _statements(node, lazy=False, for_types=False):
    """Statements below a node, with whether a function holds them and whether types alone do."""
    lazy = lazy or isinstance(node, Function)
    for_types = for_types or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child, lazy, for_types
            yield from _statements(child, lazy, for_types)


@cache
def statements(module):
    """Every statement of a module, with whether it is lazy and whether it is for types alone."""
    return tuple(_statements(tree(module)))


def _imports(module):
    """All imports of a module of the package, by name too."""
    for node, lazy, for_types in statements(module):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "betaroc":
            for alias in node.names:
                target = f"{node.module}.{alias.name}"
                target = target if target in MODULES else str(node.module)
                yield Import(module, target, lazy, for_types)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "betaroc":
                    yield Import(module, alias.name, lazy, for_types)
    for name in re.findall(r"""["'](betaroc\.[\w.]+)["']""", MODULES[module].read_text("utf-8")):
        if name in MODULES:
            yield Import(module, name, True, False)


@cache
def imports():
    """All imports of own modules but those of the top and of the tables of names."""
    return tuple(found for module in MODULES if module.count(".") > 1 or module[8:] in ROOMS
        for found in _imports(module) if not (found.lazy and module in TABLES)
        if not (found.for_types and room(found.module) == room(found.target)))  # fmt: skip


#: Names that say nothing of what they name.
PRONOUNS = {"one", "found", "own", "given", "there", "kept", "said", "told", "held", "made",
    "meant", "asked", "seen", "whole", "here", "other", "both", "those", "these", "it", "what",
    "known", "ruled", "stated", "taken", "settled"}  # fmt: skip
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER}  # fmt: skip
BUDGETS = ROOT / "tests" / "house.json"


def _docstring(module):
    """The lines of the docstrings of a module."""
    bodies = [node.body[0] for node in (tree(module), *(one[0] for one in statements(module)))
        if isinstance(node, (ast.Module, ast.ClassDef, *Function)) and ast.get_docstring(node,
        clean=False) is not None]  # fmt: skip
    return {line for one in bodies for line in range(one.lineno, (one.end_lineno or 0) + 1)}


@cache
def code_lines(module):
    """How many lines are neither blank, nor comments, nor of docstrings."""
    doc, lines = _docstring(module), MODULES[module].read_text("utf-8").splitlines()
    code = (line.strip() for k, line in enumerate(lines, 1) if k not in doc)
    return sum(bool(line) and line[:1] != "#" for line in code)


@cache
def size_of(module):
    """What is counted of a module: the lines of code are of its room too."""
    text, doc, size = MODULES[module].read_text("utf-8"), _docstring(module), Counter[str]()
    place = room(module) if room(f"{module}.") in ROOMS else "the top"
    size["code lines"] = size[f"code lines of {place}"] = code_lines(module)
    size["docstring lines"] = len(doc)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    size["tokens of code"] = sum(k.type not in _NO_CODE and k.start[0] not in doc for k in tokens)
    nodes = list(ast.walk(tree(module)))
    names = Counter(getattr(n, "id", None) or getattr(n, "attr", "") for n in nodes)
    for node in nodes:
        size["functions"] += isinstance(node, Function)
        size["classes"] += isinstance(node, ast.ClassDef)
        if isinstance(node, ast.Import | ast.ImportFrom):
            size["import lines"] += (node.end_lineno or 0) - node.lineno + 1
        stored = node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ""
        stored = node.arg if isinstance(node, ast.arg) else stored
        size["names that are pronouns"] += stored in PRONOUNS
    size["private functions named once"] = sum(isinstance(n,
        Function) and n.name[:1] == "_" != n.name[1:2] and names[n.name] <= 1
        for n in tree(module).body)  # fmt: skip
    return size


def sizes():
    """Figures of the whole package, none of which may grow."""
    total = sum(map(size_of, MODULES), Counter[str]())
    others = [p for p in PACKAGE.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")]
    total["files"] = len(MODULES)
    total["kilobytes that are not Python"] = sum(p.stat().st_size for p in others) // 1024
    return dict(sorted(total.items()))


if __name__ == "__main__":
    before = json.loads(BUDGETS.read_text("utf-8")) if BUDGETS.exists() else {}
    lower = {name: min(size, before.get(name, size)) for name, size in sizes().items()}
    BUDGETS.write_text(json.dumps(lower, indent=1) + "\n", "utf-8")
