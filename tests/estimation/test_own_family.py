"""A family of one law and one row of the table: everything else goes without a row for it.

The law is the logit-normal one under another name, so that no table knows its type; the
numbers are those of the family that the tables know.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import betaroc as br
from betaroc.estimation.contract import Family
from betaroc.estimation.families import FAMILIES
from helpers.robust import robust_cov

#: Differences of fourth order, and of steps of 0.01 standard errors.
RTOL = 1e-6
MODEL = br.ScoreModel(br.Beta(3, 2), br.Beta(2, 3))
SCORES = br.Scores([0.3, 0.6, 0.7, 0.9], [0.1, 0.2, 0.4, 0.8])


class Own(br.LogitNormal):
    """The same law."""


def _estimate(sample):
    known = FAMILIES["logit-normal"].estimate(sample)
    return known._replace(distribution=Own(*known.values))


@pytest.fixture
def fits(monkeypatch) -> dict[str, br.Fit]:
    monkeypatch.setitem(FAMILIES, "own", Family(_estimate, on_unit=True))
    client = br.LogitNormal(1.0, 1.2).sample(60, rng=1)
    impostor = br.LogitNormal(-1.0, 0.8).sample(80, rng=2)
    return fitted(br.Scores([*client, 1.0], [*impostor, 0.0]))


def fitted(scores: br.Scores) -> dict[str, br.Fit]:
    return {name: br.fit(scores, name, boundary="inflate") for name in ("own", "logit-normal")}


def both(fits, number):
    """What the new family gives, and what the known one does."""
    return number(fits["own"]), pytest.approx(number(fits["logit-normal"]), rel=RTOL, abs=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize(
    "number",
    [
        lambda f: [i.low for i in f.conf_int(method="wald")["client"].values()],
        lambda f: f.interval("auc").high,
        lambda f: f.interval("eer", method="bootstrap", replicates=50, rng=1).low,
        lambda f: f.roc_band(far=[0.1, 0.3]).low,
        lambda f: robust_cov(f.client, f.scores.client)[:2, :2].ravel(),
        lambda f: br.epc(MODEL, f, alpha=[0.3]).band(resample="test", method="delta").high,
        lambda f: br.epc(f, SCORES, alpha=[0.3]).band(replicates=50, rng=1).high,
    ],
    ids=["wald", "interval", "bootstrap", "roc", "robust", "delta band", "drawn band"],
)
def test_what_a_fit_gives_is_that_of_the_known_family(fits, number) -> None:
    new, known = both(fits, number)
    assert new == known


def test_so_are_errors_between_groups(fits) -> None:
    client, impostor = fits["own"].scores.client, fits["own"].scores.impostor
    labels = {f"{who}_groups": np.arange(n) // 4 for who, n in (("client", 61), ("impostor", 81))}
    new, known = both(
        fitted(br.Scores(client, impostor, **labels)), lambda f: f.joint_cov().ravel()
    )
    assert new == known


@pytest.mark.simulation
def test_a_check_and_a_comparison_take_it(fits) -> None:
    found = {name: br.check_fit(f, replicates=19, rng=1) for name, f in fits.items()}
    assert found["own"].ad.client.statistic == pytest.approx(
        found["logit-normal"].ad.client.statistic, rel=RTOL
    )
    assert found["own"].roc_distance.sup == pytest.approx(found["logit-normal"].roc_distance.sup)
    rows = br.compare_families(fits["own"].scores).rows
    own, known = (next(r for r in rows if r.family == name) for name in fits)
    assert (own.held_out, own.aic) == pytest.approx((known.held_out, known.aic))


@pytest.mark.parametrize(
    "ask",
    [
        lambda f: f.end_tests(),
        lambda f: f.shape_probabilities(),
        lambda f: f.sensitivity(),
        lambda f: br.likelihood_ratio_test(f, f, replicates=19),
        lambda f: br.fit(f.scores, "own", resolution=0.01),
    ],
)
def test_what_only_some_families_have_is_refused_by_name(fits, ask) -> None:
    if ask is not None:
        with pytest.raises(br.InputError, match="own"):
            ask(fits["own"])


def test_profile_intervals_are_of_laws_not_of_names_of_parameters(monkeypatch) -> None:
    class Mirrored(br.Distribution):
        """A law of other parameters that are called a and b too."""

    fit = br.fit_distribution([0.1, 0.2, 0.25, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.85])
    Mirrored.__abstractmethods__ = frozenset()
    other = replace(fit, family="own", distribution=Mirrored())
    with pytest.raises(br.InputError, match=r'family .own.\. Take method="wald"'):
        other.conf_int()


@pytest.mark.simulation
def test_a_report_is_written(fits, tmp_path) -> None:
    scores = fits["own"].scores
    made = br.analyze(scores, family="own", boundary="inflate")
    made.to_html(tmp_path / "report.html")
    assert "own" in made.summary() + (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_summary_is_fitted_where_the_family_says_that_sums_are_enough(fits, monkeypatch) -> None:
    rng = np.random.default_rng(1)
    client, impostor = rng.beta(3, 2, 60), rng.beta(2, 3, 80)
    frame = pd.DataFrame(
        {"score": np.concatenate([client, impostor]), "label": [1] * 60 + [0] * 80}
    )
    summary = br.summarize(frame)
    with pytest.raises(br.InputError, match='family="own" must have every score; got a summary'):
        br.fit(summary, "own")
    monkeypatch.setitem(FAMILIES, "own", Family(_estimate, on_unit=True, summed=True))
    found = br.fit(summary, "own").client.values
    assert found == pytest.approx(br.fit(br.Scores(client, impostor), "own").client.values)
