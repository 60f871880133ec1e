"""The rooms of the package and the imports between them, read from its source; and their drawing.

``python docs/house.py`` draws ``docs/img/house.svg``. Every import of an own module counts,
wherever it stands: at the top of a file, for types alone, inside a function, or by its name.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "betaroc"

#: Bottom to top, as the table of the page shows them.
ROOMS: list[str] = re.findall(
    r"^\| `(\w+)` \|", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), re.M
)
#: Modules that load by name what is asked of them.
TABLES = ("betaroc", "betaroc.cli", "betaroc.sklearn")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def module_name(path: Path) -> str:
    """The name by which a file of the package is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room(module: str) -> str:
    """The room that a module stands in."""
    return module.split(".")[1]


class Import(NamedTuple):
    """One module of the package that another imports."""

    module: str
    target: str
    lazy: bool


def _imports(module: str, node: ast.AST, lazy: bool = False) -> Iterator[Import]:
    if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "betaroc":
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            yield Import(module, whole if whole in MODULES else str(node.module), lazy)
    elif isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] == "betaroc":
                yield Import(module, alias.name, lazy)
    elif isinstance(node, ast.Constant) and node.value in MODULES and node.value != "betaroc":
        yield Import(module, str(node.value), True)
    lazy = lazy or isinstance(node, Function | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from _imports(module, child, lazy)


@cache
def imports() -> tuple[Import, ...]:
    """All imports of own modules but those of the top and of the tables of names."""
    return tuple(
        found
        for module, path in MODULES.items()
        if module not in ("betaroc", "betaroc.__main__")
        for found in _imports(module, ast.parse(path.read_text(encoding="utf-8")))
        if not (found.lazy and module in TABLES)
    )


def draw(path: Path) -> None:
    """Rooms on a line, upper rooms above; an arc from each room to those it imports from."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import FancyArrowPatch

    files = Counter(room(module) for module in MODULES if module.count(".") > 1)
    rooms = [name for name in ROOMS if files[name]]
    pairs = Counter(
        (room(found.module), room(found.target))
        for found in set(imports())
        if room(found.module) != room(found.target)
    )
    with mpl.rc_context({"svg.hashsalt": "house", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7.0, 7.5))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(-0.4, 3.4), ylim=(-0.7, len(rooms) - 0.3))
        axes.axis("off")
        for k, name in enumerate(rooms):
            axes.text(0.0, k, name, va="center", ha="left", fontsize=12, fontweight="bold")
            axes.text(
                1.0, k, f"{files[name]} files", va="center", ha="right", fontsize=10, color="0.35"
            )
        for (upper, lower), count in sorted(pairs.items()):
            start, end = rooms.index(upper), rooms.index(lower)
            axes.add_patch(
                FancyArrowPatch(
                    (1.1, start),
                    (1.1, end),
                    connectionstyle=f"arc3,rad={-0.35 if start > end else 0.35}",
                    arrowstyle="-|>",
                    mutation_scale=7,
                    lw=0.4 + 0.12 * count,
                    color="tab:blue" if start > end else "tab:red",
                    alpha=0.55,
                )
            )
        figure.savefig(path, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    draw(ROOT / "docs" / "img" / "house.svg")
