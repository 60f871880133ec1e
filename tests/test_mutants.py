"""What is committed of the changed core: every survivor has its reason, and few survive."""

import pytest

from helpers.places import ROOT, script

table = script(ROOT / "tools" / "mutation" / "table.py")


def test_every_survivor_has_a_reason():
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


@pytest.mark.parametrize(("draw", "share"), [("all", 0.85), ("unseen", 0.8)])
def test_most_changes_are_noticed(draw, share):
    rows = table.read(f"results_{draw}.csv")
    killed = sum(row["outcome"] in table.KILLED for row in rows)
    assert killed >= share * len(rows)
