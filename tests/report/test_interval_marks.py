"""Numbers that no score speaks for, or that lie outside their own interval, say so where shown."""

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.rendering.tree import quantity, rate_cell
from helpers.files import write


def test_a_number_outside_its_interval_is_marked_and_explained(tmp_path, capsys):
    rng = np.random.default_rng(1)
    path = write(tmp_path / "t.csv", 2 + rng.standard_t(1.5, 600), rng.standard_t(1.5, 900) - 1)
    assert main(["fit", path, "--family", "normal"]) == 0
    shown = capsys.readouterr().out
    assert ", outside)" in shown
    assert '"Outside": the number lies outside its own interval' in shown


def test_the_mark_stands_where_the_number_is_outside_by_more_than_rounding():
    for cell in (quantity, lambda *v: rate_cell(v[0], *v[2:])):
        assert cell(0.2, str, 0.3, 0.4).span.endswith(", outside")
        assert cell(0.5, str, 0.3, 0.4).span.endswith(", outside")
        assert "outside" not in cell(0.3 - 1e-15, str, 0.3, 0.4).span
        assert "outside" not in cell(0.3, str).span


def test_an_interval_beyond_all_groups_says_so():
    rng = np.random.default_rng(1)
    person, of, of_impostor = rng.normal(0, 1, 40), *rng.integers(0, 40, (2, 600))
    groups = {"client_groups": of, "impostor_groups": of_impostor}
    scores = br.Scores(2 + person[of] + rng.normal(0, 0.7, 600), person[of_impostor] - 1, **groups)
    with pytest.warns(br.ExtrapolationWarning, match="so no group speaks for the number"):
        br.interval(scores, "tpr", far=0.01)
