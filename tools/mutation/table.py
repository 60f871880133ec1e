"""What was found, as tables of a page: `python tools/mutation/table.py [DRAW]`."""

from __future__ import annotations

import collections
import csv
import math
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
KILLED = {"killed", "timeout", "died"}
#: Beginnings of names of operators, and what they change.
KINDS = {
    "NumberReplacer": "a number, one more or less",
    "ReplaceBinary": "an operation of two numbers or arrays",
    "ReplaceComparison": "a comparison",
    "ReplaceUnary": "a sign or a negation",
    "": "a condition, a loop, a truth value, a decorator",
}
Row = dict[str, str]


def settings() -> dict[str, dict[str, dict[str, int]]]:
    return tomllib.loads((HERE / "settings.toml").read_text(encoding="utf-8"))


def read(name: str) -> list[Row]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _shares(title: str, groups: dict[str, list[Row]]) -> str:
    """Drawn, killed and alive, a line a group and one of all."""
    whole = [row for rows in groups.values() for row in rows]
    body = []
    for name, part in (groups | {"all": whole}).items():
        killed = sum(row["outcome"] in KILLED for row in part)
        missed = sum(row["outcome"] == "no test" for row in part)
        counts = [len(part), killed, len(part) - killed, missed]
        body.append([name, *map(str, counts), f"{killed / len(part):.1%}"])
    return _table([title, "drawn", "killed", "survived", "of these run by no test", "killed"], body)


def by_room(results: list[Row]) -> str:
    groups = collections.defaultdict(list)
    for row in results:
        groups[row["file"].split("/")[1]].append(row)
    return _shares("room", dict(sorted(groups.items())))


def by_kind(results: list[Row]) -> str:
    groups = {kind: [] for kind in KINDS.values()}
    for row in results:
        groups[next(k for name, k in KINDS.items() if row["operator"].startswith(name))].append(row)
    return _shares("what is changed", {kind: rows for kind, rows in groups.items() if rows})


def by_reason(survivors: list[Row]) -> str:
    """Why survivors live."""
    meanings = settings()["reasons"]
    found = collections.Counter((row["draw"], row["reason"]) for row in survivors)
    draws = list(dict.fromkeys(row["draw"] for row in survivors))
    body = [
        [reason, *(str(found[draw, reason]) for draw in draws), str(meaning)]
        for reason, meaning in meanings.items()
        if any(found[draw, reason] for draw in draws)
    ]
    return _table(["reason", *draws, "what it means"], body)


def share(results: list[Row]) -> str:
    """What was killed of changes that no test was written for, and its standard error."""
    p = sum(row["outcome"] in KILLED for row in results) / len(results)
    return f"{p:.1%} killed, standard error {math.sqrt(p * (1.0 - p) / len(results)):.1%}"


def digest() -> str:
    """All tables, with what was drawn."""
    parts = []
    for name, draw in settings()["draws"].items():
        results = read(f"results_{name}.csv")
        parts += [
            f"Draw `{name}`: {len(results)} mutants, seed {draw['seed']}"
            + (f"; {share(results)}." if draw.get("fair") else "."),
            by_kind(results), by_room(results),
        ]  # fmt: skip
    return "\n\n".join([*parts, "Why survivors live:", by_reason(read("survivors.csv"))])


def alive(results: list[Row]) -> str:
    """What no test notices, place by place."""
    body = [
        [f"{row['file']}:{row['line']}", f"`{row['before']}`", f"`{row['after']}`"]
        for row in results
        if row["outcome"] not in KILLED
    ]
    return _table(["place", "before", "after"], body)


if __name__ == "__main__":
    found = read(f"results_{sys.argv[1] if len(sys.argv) > 1 else 'all'}.csv")
    print(by_kind(found), by_room(found), alive(found), sep="\n\n")
