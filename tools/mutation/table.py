"""What was found, as tables of a page: `python tools/mutation/table.py`."""

from __future__ import annotations

import collections
import csv
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
KILLED = {"killed", "timeout", "died"}


def read(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _table(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def by_room(results: list[dict[str, str]]) -> str:
    """Drawn, noticed and alive, by room and in all."""
    rooms = collections.defaultdict(collections.Counter)
    for row in results:
        for room in (row["file"].split("/")[1], "all"):
            rooms[room]["killed" if row["outcome"] in KILLED else row["outcome"]] += 1
    body = []
    for room in [*sorted(rooms.keys() - {"all"}), "all"]:
        n = rooms[room]
        drawn = n.total()
        alive = n["survived"] + n["no test"]
        body.append([room, str(drawn), str(n["killed"]), str(alive), f"{n['killed'] / drawn:.1%}"])
    return _table(["room", "drawn", "killed", "survived", "killed of drawn"], body)


def by_reason(survivors: list[dict[str, str]]) -> str:
    """Why survivors live."""
    meanings = tomllib.loads((HERE / "settings.toml").read_text(encoding="utf-8"))["reasons"]
    found = collections.Counter(row["reason"] for row in survivors)
    return _table(
        ["reason", "survivors", "what it means"],
        [[reason, str(n), meanings[reason]] for reason, n in found.most_common()],
    )


def digest() -> str:
    """Both tables, with what was drawn."""
    settings = tomllib.loads((HERE / "settings.toml").read_text(encoding="utf-8"))
    results, survivors = read("results.csv"), read("survivors.csv")
    return "\n\n".join([
        f"{len(results)} mutants, drawn with seed {settings['seed']}:",
        by_room(results), "Why survivors live:", by_reason(survivors),
    ])  # fmt: skip


def alive(results: list[dict[str, str]]) -> str:
    """What no test notices, place by place."""
    body = [
        [f"{row['file']}:{row['line']}", f"`{row['before']}`", f"`{row['after']}`"]
        for row in results
        if row["outcome"] not in KILLED
    ]
    return _table(["place", "before", "after"], body)


if __name__ == "__main__":
    found = read("results.csv")
    print(by_room(found), alive(found), sep="\n\n")
