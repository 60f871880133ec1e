"""A threshold by the counts of a summary: a border of its bins, counted by hand on the rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import betaroc as br

RNG = np.random.default_rng(5)


def both(n: int, bins: int = 65_536) -> tuple[br.Scores, br.ScoreSummary]:
    client, impostor = RNG.beta(6.0, 2.0, n), RNG.beta(2.0, 8.0, n)
    frame = pd.DataFrame({"score": [*client, *impostor], "label": [1] * n + [0] * n})
    return br.Scores(client, impostor), br.summarize(frame, bins=bins)


ROWS, SUMMARY = both(2000)


@pytest.mark.parametrize("asked", [{"far": 0.02}, {"frr": 0.05}])
@pytest.mark.parametrize("how", ["guaranteed", "average", "model"])
def test_it_is_the_threshold_of_the_rows_but_for_a_bin(asked: dict[str, float], how: str) -> None:
    options = {"how": how, "family": "beta"}
    one, two = br.decide(SUMMARY, **asked, **options), br.decide(ROWS, **asked, **options)
    assert one.threshold == pytest.approx(two.threshold, abs=1e-3)
    assert (one.how, one.status, one.n) == (two.how, two.status, 2000)
    (kind, rate), t = next(iter(asked.items())), one.threshold
    counted = np.mean(ROWS.impostor > t) if kind == "far" else np.mean(ROWS.client <= t)
    assert counted <= rate + (0.01 if how == "model" else 0.0)
    assert getattr(one.method, kind) == pytest.approx(
        counted, abs=1e-12 if how != "model" else 1e-3
    )


def test_the_other_targets_are_counted_at_borders_too() -> None:
    for asked in ({"eer": True}, {"cost_fa": 10, "cost_fr": 1}):
        found = br.decide(SUMMARY, **asked, family="beta")
        assert found.how == "counted"
        far = float(np.mean(ROWS.impostor > found.threshold))
        assert found.method.far == pytest.approx(far, abs=1e-12)
        other = br.decide(ROWS, **asked, family="beta")
        assert found.threshold == pytest.approx(other.threshold, abs=1e-3)


def test_a_check_by_a_summary_is_that_of_its_rows_at_a_border() -> None:
    rows, summary = both(3000)
    decision = br.decide(SUMMARY, far=0.02, family="beta")
    one, two = decision.check(summary), decision.check(rows)
    assert (one.observed, one.verdict, one.status) == (two.observed, two.verdict, two.status)
    assert (one.low, one.high) == pytest.approx((two.low, two.high), rel=1e-12)


def test_dev_is_known_again_by_its_counts() -> None:
    decision = br.decide(SUMMARY, far=0.02, family="beta")
    with pytest.warns(br.errors.SameDataWarning):
        decision.check(SUMMARY)
    few, other = both(2000, 300)[1], both(2000, 300)[1]
    br.decide(few, eer=True, family="normal").check(other)  # the same bins, other counts
