"""Guaranteed thresholds against exact binomial sums, exact enumeration and simulation."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.decision import threshold_methods as ways

KINDS = ["far", "frr"]


def sample(kind, values, **more):
    """The class under test holds `values`, the other three scores of no matter."""
    named = {"far": ("impostor", "client"), "frr": ("client", "impostor")}[kind]
    sign = 1.0 if kind == "far" else -1.0  # clients score higher
    given = {named[0]: values, named[1]: [0.5, 5000.0 * sign, 6000.0 * sign]}
    return br.Scores(**given, **{f"{named[0]}_{key}": v for key, v in more.items()})


def guaranteed(scores, **ask):
    return br.decide(scores, how="guaranteed", **ask)


def at_least(n, k, x):
    """P(Binomial(n, x) >= k), term by term."""
    return sum((math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(k, n + 1)), Fraction())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "x", "confidence"), [
    (59, "0.05", "0.95"), (60, "0.5", "0.9"), (20, "0.9", "0.05"),
    (2, "0.5", "0.75"), (1, "0.25", "0.25"),  # equal as fractions
])  # fmt: skip
def test_index_is_the_largest_that_keeps_the_promise(kind, n, x, confidence):
    values = np.random.default_rng(n).permutation(n).astype(float)
    found = guaranteed(sample(kind, values), **{kind: float(x)}, confidence=float(confidence))
    rate, wanted = Fraction(x), Fraction(confidence)
    k = max(j for j in range(1, n + 1) if at_least(n, j, rate) >= wanted)
    asked = found.target, found.rate, found.confidence
    assert (found.k, found.n, *asked) == (k, n, kind, float(x), float(confidence))
    assert found.achieved == pytest.approx(float(at_least(n, k, rate)), rel=1e-13)
    ordered = sorted(values.tolist(), reverse=kind == "far")
    if kind == "far":
        assert (found.threshold, found.method.far) == (ordered[k - 1], (k - 1) / n)
    else:
        assert found.threshold < ordered[k - 1] == np.nextafter(found.threshold, np.inf)
        assert found.method.frr == (k - 1) / n


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("x", "confidence", "needed"), [
    # Wilks: 1 - 0.95^59 = 0.9515 and 1 - 0.95^58 = 0.9490.
    ("0.05", "0.95", 59), ("0.1", "0.9", 22), ("0.5", "0.75", 2), ("0.6", "0.5", 1),
])  # fmt: skip
def test_scores_needed(kind, x, confidence, needed):
    fails = 1 - Fraction(confidence)
    assert (1 - Fraction(x)) ** needed <= fails
    assert needed == 1 or (1 - Fraction(x)) ** (needed - 1) > fails
    ask = {kind: float(x), "confidence": float(confidence)}
    found = guaranteed(sample(kind, np.arange(needed)), **ask)
    assert (found.needed, found.k) == (None, 1)
    if needed > 1:
        with pytest.raises(br.InputError, match=f" {needed} .* needed, dev has {needed - 1}, "):
            guaranteed(sample(kind, np.arange(needed - 1)), **ask)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_that_is_said_to_be_reachable_is(kind):
    scores = sample(kind, np.arange(40.0))
    with pytest.raises(br.InputError) as error:
        guaranteed(scores, **{kind: 0.01})
    shown = float(str(error.value).partition(f"guarantee {kind.upper()} ")[2].split()[0]) / 100.0
    assert guaranteed(scores, **{kind: shown}).k == 1
    assert 0.0 <= shown - (1.0 - 0.05 ** (1 / 40)) <= 0.001  # rounded up
    with pytest.raises(br.InputError):
        guaranteed(scores, **{kind: 0.0721})


@pytest.mark.simulation
@pytest.mark.parametrize("kind", KINDS)
def test_discrete_laws_keep_the_promise_exactly(kind):
    """Every sample of 12 from three values, with its probability: no simulation."""
    n, places, thresholds = 12, (-1.0, 0.0, 2.5), {}
    for a, b in itertools.product(range(n + 1), repeat=2):
        if a + b <= n:
            counts = (a, b, n - a - b)
            scores = sample(kind, np.repeat(places, counts))
            thresholds[counts] = guaranteed(scores, **{kind: 0.3}, confidence=0.9).threshold
    coverage = []
    for p, q in itertools.product(range(11), repeat=2):
        if p + q > 10:
            continue
        law, kept = [Fraction(p, 10), Fraction(q, 10), Fraction(10 - p - q, 10)], Fraction()
        for counts, threshold in thresholds.items():
            wrong = [(s > threshold) == (kind == "far") for s in places]
            if sum(m for m, w in zip(law, wrong, strict=True) if w) <= Fraction(3, 10):
                ways = math.factorial(n) // math.prod(map(math.factorial, counts))
                kept += ways * math.prod(m**c for m, c in zip(law, counts, strict=True))
        assert kept >= Fraction(9, 10)
        coverage.append(kept)
    # The worst of these laws has 4/10, the first above the bound, on the outermost value, which the
    # threshold must be and k scores have to reach.
    k = max(j for j in range(1, n + 1) if at_least(n, j, Fraction(3, 10)) >= Fraction(9, 10))
    assert min(coverage) == at_least(n, k, Fraction(4, 10))


@pytest.mark.simulation
def test_fits_weights_and_groups_of_one_trial():
    rng = np.random.default_rng(4)
    scores = br.Scores(rng.normal(2.0, 1.0, 200), rng.normal(0.0, 1.0, 300))
    fit = br.fit(scores, "normal")
    alone, beside = (guaranteed(s, far=0.05, family="normal") for s in (scores, fit))
    assert (alone.threshold, alone.k) == (beside.threshold, beside.k)
    model = next(way for way in beside.methods if way.how == "model")
    assert model.threshold == max(fit.model.threshold_at_far(0.05), beside.methods[-1].threshold)
    assert (model.k, math.isnan(model.achieved)) == (None, True)
    heavy = br.Scores([1.0, 2.0], [0.25, 0.75], impostor_weights=[10**9, 1])
    assert guaranteed(heavy, far=1e-6).threshold == 0.25
    values, weights = rng.normal(size=25).round(1), rng.integers(0, 9, 25)
    counted = guaranteed(sample("frr", values, weights=weights), frr=0.15)
    copies = guaranteed(sample("frr", np.repeat(values, weights)), frr=0.15)
    assert (counted.k, counted.n, counted.method) == (copies.k, copies.n, copies.method)
    assert guaranteed(sample("far", np.arange(40.0), groups=np.arange(40)), far=0.1).n == 40
    with pytest.raises(br.InputError, match="29 groups of impostors needed, dev has 20"):
        guaranteed(sample("far", np.arange(40.0), groups=np.arange(40) // 2), far=0.1)
    # The groups of the other class do not matter.
    other = br.Scores([50.0, 60.0, 70.0], np.arange(40.0), client_groups=["a", "a", "b"])
    assert guaranteed(other, far=0.1).n == 40


def test_fits_are_made_when_the_ways_are_read(monkeypatch):
    """A threshold of order needs none; pickles hold all of them."""
    made, fit = [], ways.fit
    monkeypatch.setattr(ways, "fit", lambda *a, **k: made.append(a) or fit(*a, **k))
    scores = br.Scores([50.0, 98.0, 99.5], np.arange(100.0))
    decisions = br.decide(scores, far=0.1), br.decide(scores, eer=True)
    assert [d.method.how for d in decisions] == ["guaranteed", "counted"]
    assert not made
    for d in decisions:
        assert pickle.loads(pickle.dumps(d)).methods == d.methods
        assert d.method in d.methods


@pytest.mark.simulation
@pytest.mark.parametrize("kind", KINDS)
def test_the_guarantee_of_groups_by_hand(kind):
    """Variances G/(G - 1) sum (e - p n)^2/N^2 (Korn and Graubard) at the place or the target."""
    rng = np.random.default_rng(11)
    groups = rng.integers(0, 120, 900)
    values = rng.normal(size=120)[groups] + rng.normal(size=900)
    found = guaranteed(sample(kind, values, groups=groups), **{kind: 0.1})
    turned = np.sort(values)[::-1] if kind == "far" else np.sort(-values)[::-1]
    mine = values if kind == "far" else -values
    sizes = np.bincount(groups, minlength=120)

    def size(k):
        errors, p = np.bincount(groups[mine > turned[k]], minlength=120), k / 900
        variance = 120 / 119 * np.sum((errors - p * sizes) ** 2) / 900**2
        few = (stats.t(899).ppf(0.05) / stats.t(119).ppf(0.05)) ** 2
        return float(900 * min(p * (1 - p) / 899 / variance, 1.0) * few)

    k = n = 0
    while not n or stats.beta.ppf(0.95, k / 900 * n + 1.0, n - k / 900 * n) <= 0.1:
        k += 1
        n = min(size(k), size(90))
    k -= 1
    assert (found.k, found.n) == (k + 1, 120)
    place = turned[k]
    assert found.threshold == (place if kind == "far" else np.nextafter(-place, -np.inf))
    n = min(size(k), size(90))
    assert found.achieved == pytest.approx(stats.beta(k / 900 * n + 1, n - k / 900 * n).cdf(0.1))
    assert found.achieved >= 0.95


@pytest.mark.nightly
@pytest.mark.parametrize("law", ["normal", "few people"])
def test_the_guarantee_of_groups_is_kept(law):
    """Of 200 sets of 150 groups at least .93 less two errors (.018) keep it, at .7 of the target.
    True rates are counted on 400 000 scores of other groups."""
    rng = np.random.default_rng([13, len(law)])

    def draw(groups, size):
        labels = np.repeat(np.arange(groups), size)
        effect, own = rng.normal(0.0, 0.6, groups), rng.normal(size=labels.size)
        if law == "few people":
            effect = np.where(rng.random(groups) < 0.1, 1.5, 0.0)
        return effect[labels] + own, labels

    whole, rates = np.sort(draw(40_000, 10)[0]), []
    for _ in range(200):
        values, labels = draw(150, 10)
        found = guaranteed(sample("far", values, groups=labels), far=0.05)
        rates.append(1.0 - np.searchsorted(whole, found.threshold, side="right") / whole.size)
    assert np.mean(np.array(rates) <= 0.05) >= 0.93 - 2 * 0.018
    assert np.mean(rates) >= 0.05 * 0.65
