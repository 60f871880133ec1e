"""What is committed of the changed core: every survivor has its reason, and few survive."""

from __future__ import annotations

from helpers.places import ROOT, script

table = script(ROOT / "tools" / "mutation" / "table.py")


def test_every_survivor_has_a_reason() -> None:
    reasons = table.settings()["reasons"]
    given = {(row["draw"], row["number"]): row["reason"] for row in table.read("survivors.csv")}
    alive = {
        (draw, row["number"])
        for draw in table.settings()["draws"]
        for row in table.read(f"results_{draw}.csv")
        if row["outcome"] not in table.KILLED
    }
    assert given.keys() == alive
    assert set(given.values()) <= set(reasons)


def test_most_changes_are_noticed() -> None:
    rows = table.read("results_all.csv")
    killed = sum(row["outcome"] in table.KILLED for row in rows)
    assert killed >= 0.85 * len(rows)
