"""What is committed of the changed core: every survivor has its reason, and few survive."""

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


def test_most_changes_are_noticed():
    rows = table.read("results_all.csv")
    assert sum(row["outcome"] in table.KILLED for row in rows) >= 0.8 * len(rows)


def test_what_tries_every_constant_is_there():
    """A name of no test would notice every change."""
    for file, name in (test.split("::") for test in table.settings()["always"]):
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
