"""Which mutants there are: places that cosmic-ray's operators change, drawn with a seed."""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

ROOT = Path(__file__).resolve().parents[2]
#: Separators of parameters and unpacking in a dictionary look like operators.
NOT_OPERATORS = {"parameters", "lambdef", "dictorsetmaker"}


@dataclasses.dataclass(frozen=True)
class Reach:
    """Where a change shows: the first of these spans that a test runs, or lines with a name."""

    spans: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()
    everywhere: bool = False  # names of a module may stand in other files, those of a class may not


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change at one place; `occurrence` counts the places of its operator in the file."""

    file: str
    line: int
    column: int
    definition: str
    operator: str
    occurrence: int
    reach: Reach = dataclasses.field(default=Reach(), compare=False, repr=False)

    @property
    def source(self) -> str:
        return (ROOT / self.file).read_text(encoding="utf-8")

    def code(self) -> str:
        """The text of the file with this change."""
        changed = mutate_code(self.source, _operator(self.operator), self.occurrence)
        if changed is None:
            raise ValueError(f"{self} is no place of its file: draw again")
        return str(changed)


def difference(before: str, after: str) -> tuple[str, str]:
    """The first line that differs, before and after."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next(((b.strip(), a.strip()) for b, a in pairs if b != a), ("", ""))


@functools.cache
def _operator(name: str) -> Any:
    return cosmic_ray.plugins.get_operator(f"core/{name}")()


def _parents(node: Any) -> Iterator[tuple[Any, Any]]:
    """Each node above, with its child on the way."""
    while node.parent is not None:
        yield node.parent, node
        node = node.parent


def _is_annotation(parent: Any, child: Any) -> bool:
    if parent.type == "annassign":
        return child is parent.children[1]
    if parent.type == "tfpdef":
        return child is parent.children[-1]
    if parent.type == "funcdef":
        return child is getattr(parent, "annotation", None)
    return False


def _counts(node: Any, untouched: Iterable[str]) -> bool:
    """Whether the place is one of numbers or decisions."""
    if node.parent is not None and node.parent.type in NOT_OPERATORS and node.type == "operator":
        return False
    if node.type == "if_stmt" and "TYPE_CHECKING" in node.children[1].get_code():
        return False
    for parent, child in _parents(node):
        if parent.type == "fstring" or _is_annotation(parent, child):
            return False
        if parent.type == "funcdef" and parent.name.value in untouched:
            return False
    return True


def _definition(node: Any) -> str:
    names = [p.name.value for p, _ in _parents(node) if p.type in {"funcdef", "classdef"}]
    return ".".join(reversed(names))


def _span(node: Any) -> tuple[int, int]:
    last, column = node.end_pos
    return node.start_pos[0], last if column else last - 1  # a statement ends behind its newline


def _reach(node: Any, place: tuple[int, int]) -> Reach:
    """Lines of a body are run by tests; what is said once is met where its name is used."""
    statement, names, in_class = None, (), False
    for parent, child in _parents(node):
        if parent.type in {"suite", "file_input"} and statement is None:
            statement = _span(child)
        if parent.type == "lambdef" and child is parent.children[-1]:
            return Reach((place, statement or place))
        if parent.type == "expr_stmt" and not names:
            names = tuple(n.value for n in parent.get_defined_names())
        if parent.type == "funcdef":
            body = (_span(parent.children[-1]),)
            return Reach((place, statement or place) if child is parent.children[-1] else body)
        if parent.type == "decorated" and child is parent.children[0]:
            return Reach((_span(parent.children[-1]),))
        in_class = in_class or parent.type == "classdef"
    return Reach(names=names, everywhere=not in_class)


def of_file(path: Path, operators: Iterable[str], untouched: Iterable[str]) -> Iterator[Mutant]:
    """All mutants of a file, in the order of operators and places."""
    nodes = list(ast_nodes(get_ast(path.read_text(encoding="utf-8"))))
    for name in operators:
        name = name.removeprefix("core/")
        places = ((n, *where) for n in nodes for where in _operator(name).mutation_positions(n))
        for occurrence, (node, start, stop) in enumerate(places):
            if _counts(node, untouched):
                file = path.relative_to(ROOT).as_posix()
                reach = _reach(node, (start[0], stop[0]))
                yield Mutant(file, *start, _definition(node), name, occurrence, reach)


def draw(settings: dict[str, Any]) -> list[Mutant]:
    """All mutants, in the order in which they are drawn."""
    paths = [
        p for room in settings["rooms"] for p in sorted((ROOT / "betaroc" / room).glob("*.py"))
    ]
    everything = [
        m for p in paths for m in of_file(p, settings["operators"], settings["untouched"])
    ]
    seeded = random.Random(settings["seed"])  # noqa: S311 - it draws a sample, no secret
    return seeded.sample(everything, len(everything))
