"""Guaranteed precisions: by the ends of both rates, as scipy has them; what cannot be had."""

import csv
import json
import re

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.errors import InputError
from helpers.commands import said
from helpers.places import BENCHMARKS
from helpers.sets import summary_of

approx = pytest.approx


def normals(n, seed=1, apart=2.0, **more):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(apart, 1.0, n), rng.normal(0.0, 1.0, n), **more)


def exact(k, n):
    """Clopper and Pearson's interval of 95 %."""
    low, high = stats.beta.ppf(0.025, k, n - k + 1), stats.beta.ppf(0.975, k + 1, n - k)
    return (low if k else 0.0), (high if k < n else 1.0)


def at(prior, tpr, far):
    return prior * tpr / (prior * tpr + (1.0 - prior) * far)


def bound(data, threshold, prior):
    """Of the precision above a threshold, with 2.5 % beyond each end that it is of."""
    hits, errors = (np.sum(x > threshold) for x in (data.client, data.impostor))
    if prior is None:
        return exact(hits, hits + errors)[0]
    return at(prior, exact(hits, data.n_client)[0], exact(errors, data.n_impostor)[1])


@pytest.mark.simulation
@pytest.mark.parametrize(("prior", "target"), [(0.3, 0.7), (0.5, 0.85), (None, 0.85)])
def test_the_largest_tpr_whose_bound_holds(prior, target):
    data = normals(150)
    d = br.decide(data, precision=target, prior=prior, family="normal")
    kept = [t for t in data.impostor if bound(data, t, prior) >= target]
    assert bound(data, d.threshold, prior) == approx(d.interval.low)
    assert d.interval.low >= target
    assert np.sum(data.client > d.threshold) == max(np.sum(data.client > t) for t in kept)
    least = min(np.sum(data.impostor > t) for t in kept if np.sum(data.client > t) >= (
        np.sum(data.client > d.threshold)))  # fmt: skip
    assert np.sum(data.impostor > d.threshold) == least
    assert (d.how, d.status, d.prior) == ("guaranteed", "can be relied on", prior)
    where = "dev's sampled prevalence (50 %)" if prior is None else f"prevalence {prior:.0%}"
    assert f"{target:.0%} at {where}".replace("%", " %").replace("  ", " ") in d.reason
    assert br.from_json(d.to_json()) == d == br.decide(data, ppv=target, prior=prior)
    counted = br.decide(data, precision=target, prior=prior, how="counted")
    assert [m.how for m in d.methods] == ["guaranteed", "counted"]
    assert counted.threshold == d.methods[1].threshold < d.threshold
    with pytest.raises(InputError, match="'guaranteed', 'counted'"):
        br.decide(data, precision=target, how="average")


@pytest.mark.simulation
def test_what_cannot_be_had_names_the_best_and_the_trials():
    """80 % at prevalence .1 from 100 per class of two normals 2 apart; the fit is near them."""
    data = normals(100)
    with pytest.raises(InputError) as failure:
        br.decide(data, precision=0.8, prior=0.1, family="normal")
    best = max(bound(data, t, 0.1) for t in data.impostor)
    assert f"the best lower bound is {np.floor(1e4 * best) / 100:g} %" in str(failure.value)
    n, f = failure.value.needed, br.fit(data, "normal").model
    places = np.linspace(2.0, 4.0, 401)

    def reached(n):
        low = stats.beta.ppf(0.025, n * (1 - f.frr(places)), n * f.frr(places) + 1.0)
        high = stats.beta.ppf(0.975, n * f.far(places) + 1.0, n * (1 - f.far(places)))
        return np.max(at(0.1, low, high)) >= 0.8

    assert (reached(n + 2), reached(n - 2), n > 1000) == (True, False, True)
    assert f"By the fit about {float(f'{n:.2g}'):.0f} clients" in str(failure.value)
    assert br.decide(normals(3 * n), precision=0.8, prior=0.1).interval.low >= 0.8
    with pytest.raises(InputError, match="no number of trials would do") as failure:
        br.decide(data, precision=1.0, prior=0.1, family="normal")
    assert failure.value.needed is None


@pytest.mark.simulation
def test_separated_classes_promise_a_finite_bound():
    data = br.Scores(np.arange(100.0, 200.0), np.arange(100.0))
    end = 0.025**0.01
    best = at(0.1, end, 1.0 - end)
    d = br.decide(data, precision=best - 1e-9, prior=0.1)
    assert (d.threshold, d.interval.low) == (99.5, approx(best))
    with pytest.raises(InputError, match=f"bound is {np.floor(1e4 * best) / 100:g} %"):
        br.decide(data, precision=0.9, prior=0.1, family="normal")


@pytest.mark.parametrize(
    ("data", "asked", "words"),
    [
        (normals(50), {"precision": 0.0}, "above 0, at most 1"),
        (normals(50), {"precision": 0.9, "prior": 0.0}, "prior must be strictly between 0 and 1"),
        (normals(50), {"precision": 0.9, "prior": 1.0}, "prior must be strictly between 0 and 1"),
        (br.Scores([1.0] * 9, [1.0] * 9), {"precision": 0.9, "prior": 0.5}, "best lower bound is"),
        (br.Scores([1.0], [0.0]), {"precision": 0.9, "prior": 0.5}, r"bound is 2\.500 %"),
        (br.Scores([2.5, 3.0], [0.5, 1.5], client_weights=[0.5, 1]), {"ppv": 0.9}, "whole numbers"),
        (
            normals(50, impostor_strata=["a"] * 25 + ["b"] * 25),
            {"precision": 0.6, "prior": 0.5, "over": "worst"}, "Decide far= over them; with prior=",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(data, asked, words):
    with pytest.raises(InputError, match=words):
        br.decide(data, **asked)


@pytest.mark.simulation
def test_reversed_scores():
    data = normals(100, apart=-2.0)
    with pytest.warns(br.errors.ReversedScoresWarning), pytest.raises(InputError, match="49"):
        br.decide(data, precision=0.8, prior=0.5, family="normal")
    with pytest.warns(br.errors.ReversedScoresWarning):
        d = br.decide(data, precision=0.3, prior=0.5)  # all are accepted
    assert (d.threshold, d.status) == (-np.inf, "do not rely on it")


def test_groups_summaries_and_copies():
    """Four copies of each trial in a group of its own say what the trials do."""
    data = normals(300)
    who = np.repeat(np.arange(300), 4)
    copies = [np.repeat(x, 4) for x in (data.client, data.impostor)]
    grouped = br.Scores(*copies, client_groups=who, impostor_groups=who + 300)
    alone, four = (br.decide(x, precision=0.9) for x in (data, grouped))
    assert (four.threshold, four.interval.low, four.interval.high) == (
        alone.threshold, approx(alone.interval.low), approx(alone.interval.high))  # fmt: skip
    assert four.reason.startswith("With about 95 % confidence")
    alone, four = (br.decide(x, precision=0.8, prior=0.3) for x in (data, grouped))
    assert four.threshold >= alone.threshold
    assert four.interval.low >= 0.8
    assert bound(data, four.threshold, 0.3) == approx(four.interval.low, abs=0.02)
    binned = summary_of(data, bins=512)
    d = br.decide(binned, precision=0.8, prior=0.3)
    assert d.interval.low == approx(bound(data, d.threshold, 0.3))
    assert d.interval.low >= 0.8
    heavy = br.Scores(data.client, data.impostor, client_weights=[10**12] * 300,
        impostor_weights=[10**12] * 300)  # fmt: skip
    d = br.decide(heavy, precision=0.8, prior=0.3)
    assert d.interval.low == approx(d.interval.estimate, abs=1e-4)


def test_a_test_judges_it():
    d = br.decide(normals(3000), precision=0.6, prior=0.1)
    good, bad = d.check(normals(30000, 2)), d.check(normals(9000, 3, 1.0))
    far, tpr = bad.point.far, bad.point.tpr
    assert bad.observed == approx(at(0.1, tpr, far))
    assert bad.high < 0.6
    assert (good.verdict, good.status) == ("kept", "can be relied on")
    assert (bad.verdict, bad.status) == ("broken", "do not rely on it")
    for check in (good, bad):
        assert br.from_json(check.to_json()) == check


@pytest.mark.simulation
@pytest.mark.parametrize("asked", [{"far": 0.05}, {"frr": 0.2}, {"eer": True}])
def test_precision_beside_a_decision_with_a_prior(asked):
    """By both rates as they are shown, the squares of what their ends change of it added."""
    data = normals(400)
    d = br.decide(data, **asked, prior=0.01, family="normal")
    far, frr = (br.interval(data, kind, threshold=d.threshold) for kind in ("far", "frr"))
    far, frr = (d.interval if kind in asked else x for kind, x in (("far", far), ("frr", frr)))
    p = at(0.01, 1.0 - frr.estimate, far.estimate)
    ends = [
        np.hypot(at(0.01, 1.0 - y, far.estimate) - p, at(0.01, 1.0 - frr.estimate, x) - p)
        for y, x in ((frr.high, far.high), (frr.low, far.low))
    ]
    shown = d.precision
    assert (shown.estimate, shown.low, shown.high) == approx((p, p - ends[0], p + ends[1]))
    assert p == approx(d.expected.precision)
    if "eer" in asked:
        ppv = br.interval(data, "ppv", threshold=d.threshold, prior=0.01)
        assert (ppv.low, ppv.high) == approx((shown.low, shown.high))
    assert re.search(r" Precision at prevalence 1 %: [\d.]+ % \([\d.]+ to [\d.]+ %\)\.$", str(d))
    assert re.search(r"at prevalence 1\s%", d.check(normals(500, 2))._repr_html_())
    assert d.metrics()["precision"] == p == json.loads(d.to_json())["derived"]["precision"]
    assert br.from_json(d.to_json()).precision == shown
    assert br.decide(data, **asked, family="normal").precision is None


@pytest.mark.simulation
def test_the_command_says_the_same(tmp_path, capsys):
    data, path = normals(2000), tmp_path / "dev.csv"
    rows = [
        f"{x!r},{k}" for k, part in ((1, data.client), (0, data.impostor)) for x in part.tolist()
    ]
    path.write_text("\n".join(["score,label", *rows]))
    d = br.decide(str(path), precision=0.6, prior=0.1)
    call = f"threshold {path} --precision .6 --prior .1"
    text = " ".join(said(capsys, call).split())
    assert d.reason in text
    assert "Target precision 60 %: guaranteed, 95 % confidence" in text
    numbers = json.loads(said(capsys, f"{call} --json"))
    assert (numbers["threshold"], numbers["precision_low"]) == (d.threshold, d.interval.low)
    with pytest.raises(InputError) as failure:
        br.decide(str(path), precision=0.99, prior=0.1, family="normal")
    words = str(failure.value).replace("how='counted'", "--how counted")
    assert words in said(capsys, f"{call.replace('.6', '.99')} --family normal", code=2)


def test_simulated_guarantees_hold():
    """benchmarks/precision_targets.py: every cell, 400 sets of it."""
    with (BENCHMARKS / "results" / "precision_targets.csv").open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    assert len(rows) == 60
    assert max(float(row["broken"]) for row in rows) <= 0.05
