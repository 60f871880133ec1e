"""What every law of one class's scores must do, whatever its family (docs/conventions.md)."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad

import betaroc as br
from betaroc.core.thresholds import Thresholds
from helpers.cases import grouped, over
from helpers.families import CONTINUOUS, DISCRETE, INFLATED, LAWS, REJECTING, TIED, WEIGHTED

#: A round trip inverts to the last digits of a logit, which the tail's steepness multiplies.
RTOL_ROUND_TRIP = 1e-10
#: Two tails that are computed apart; shapes of 1e5 lose two digits in either.
ATOL_COMPLEMENT = 5e-14
#: Central differences: the third derivative times the squared step.
RTOL_DERIVATIVE = 1e-6
#: Adaptive quadrature of a bounded tail function with an infinite slope at its ends.
RTOL_QUADRATURE = 1e-7

DEEP = np.array([1e-1, 1e-3, 1e-10, 1e-30, 1e-100, 1e-300])
each_law = over("law", LAWS)
smooth = CONTINUOUS | INFLATED
each_smooth = over("law", smooth)
#: Whatever has parameters, trials without a score too.
estimated = smooth | {name: law for name, law in REJECTING.items() if law.continuous is not None}


@cache
def probes(law):
    """Thresholds outside, at the ends, on and around the atoms, in the bulk and in both tails."""
    p = np.concatenate([np.linspace(0.0, 1.0, 11), DEEP])
    places = law.atoms.places
    around = [places, np.nextafter(places, -np.inf), np.nextafter(places, np.inf)]
    fixed = [-np.inf, -5.0, -1e-300, -0.0, 0.0, 5e-324, 1e-200, 0.5, 1.0 - 2**-53, 1.0, 7.0, np.inf]
    return np.unique(np.concatenate([law.ppf(p), law.isf(p), *around, fixed]))


def inner(law):
    """From the 0.1 % to the 99.9 % point, and the atoms."""
    p = np.array([1e-3, 0.02, 0.2, 0.5, 0.8, 0.98, 1 - 1e-3])
    t = law._lower_quantile(p, np.log(p))
    return Thresholds.concatenate([t, Thresholds.from_theta(law.atoms.places)])


@pytest.mark.simulation
@over("law", estimated)
def test_scores_are_derivatives_and_their_mean_products_the_information(law):
    """Differences of fourth order with steps of 1e-3, of up to 6 digits where shapes are 1e5."""
    t = inner(law)
    closed, generic = law._score(t), br.Distribution._score(law, t)
    scale = np.max(np.abs(closed), axis=1, keepdims=True)
    assert_allclose(closed, generic, atol=float(1e-6 * np.max(scale)), rtol=1e-6)
    if type(law)._unit_covariance is not br.Distribution._unit_covariance:
        closed, generic = law._unit_covariance(), br.Distribution._unit_covariance(law)
        size = np.sqrt(np.outer(np.diag(closed), np.diag(closed)))
        assert_allclose(generic, closed, atol=float(1e-5 * np.max(size)), rtol=1e-5)


@over("law", estimated)
def test_rows_of_tails_are_those_of_each_distribution(law):
    other = {"plain": lambda x: x + 0.1, "log": lambda x: 1.1 * x}
    values = {
        p.name: np.array([[p.value], [other.get(p.scale, lambda x: 0.9 * x)(p.value)]])
        for p in law._parameters() if p.scale in other or p.value > 0.0
    }  # fmt: skip
    t = inner(law)
    known = br.Distribution._tail_rows(law, values, t)
    for rows, expected in zip(law._tail_rows(values, t), known, strict=True):
        assert rows.shape == (2, t.shape[0])
        assert_allclose(rows, expected, rtol=1e-11, atol=1e-15)


@over("law", CONTINUOUS)
def test_slopes_of_log_densities_are_differences(law):
    """In the logit on [0, 1], else in the score; to the fifth digit where shapes are 1e5."""
    p = np.array([0.02, 0.2, 0.5, 0.8, 0.98])
    t = law._lower_quantile(p, np.log(p))
    closed, generic = law._log_density_slope(t), br.Distribution._log_density_slope(law, t)
    assert_allclose(closed, generic, rtol=1e-5, atol=1e-5 * float(np.max(np.abs(generic))) + 1e-9)


@each_law
def test_limits_and_masses(law):
    low, high = law.support
    below = np.nextafter(low, -np.inf)
    absent = law.cdf(-np.inf)  # of trials without a score
    assert absent == math.fsum(law.atoms.masses[law.atoms.places == -np.inf])
    assert (law.sf(-np.inf), law.cdf(np.inf), law.sf(np.inf)) == (1 - absent, 1, 0)
    ends = law.cdf(below), law.sf(below), law.cdf(high), law.sf(high)
    assert ends == (absent, 1 - absent, 1, 0)
    assert (law.logsf(high), law.logcdf(high), law.logcdf(np.inf)) == (-math.inf, 0, 0)
    log = math.log(absent) if absent else -math.inf
    assert law.logcdf(below) == pytest.approx(log, rel=1e-15)
    assert law.logsf(below) == pytest.approx(math.log1p(-absent), rel=1e-15)
    assert (law.ppf(0.0), law.ppf(1.0)) == (law.isf(1.0), law.isf(0.0)) == (low, high)
    outside = np.array([v for v in (-3.0, 4.0) if not low <= v <= high])
    assert np.all(law.pdf(outside) == 0.0)
    assert np.all(law.logpdf(outside) == -np.inf)
    share = law.continuous[0] if law.continuous else 0.0
    assert math.fsum([*law.atoms.masses, share]) == pytest.approx(1.0, abs=1e-15)
    for place, mass in zip(law.atoms.places, law.atoms.masses, strict=True):
        before = law.cdf(np.nextafter(place, -np.inf)) if place > -np.inf else 0.0
        # Between 1 - 2^-53 and 1 a law of b = 0.7 has mass of its own.
        assert law.cdf(place) - before == pytest.approx(mass, abs=1e-10 if share else 2e-15)


@pytest.mark.simulation
@each_law
def test_tails_add_up_to_one_and_logs_keep_the_digits_of_either_tail(law):
    # Of scipy's incomplete beta function before 1.17, in units of 1, at shapes of 1e5.
    old = isinstance(law, br.Beta) and law.a > 1e4 and scipy.__version__ < "1.17"
    x, rounding = probes(law), 1e-11 if old else 0.0
    assert_allclose(law.cdf(x) + law.sf(x), 1.0, rtol=0.0, atol=max(ATOL_COMPLEMENT, rounding))
    tails = law.cdf(x), law.sf(x)
    for value, log, rest in zip(tails, (law.logcdf(x), law.logsf(x)), tails[::-1], strict=True):
        large, next_to_one = value > 1e-290, (rest > 0.0) & (rest < 0.5)
        assert_allclose(np.exp(log[large]), value[large], rtol=max(1e-12, rounding))
        assert np.all(log[(value > 0.0) & ~large] < -667.0)
        assert_allclose(log[next_to_one], np.log1p(-rest[next_to_one]), rtol=1e-11)


@pytest.mark.simulation
@over("law", CONTINUOUS)
def test_round_trips_in_both_tails_through_1e_300_and_back_to_the_score(law):
    """By way of a pair's points, whose thresholds keep their logit where they round."""
    pair = br.ScoreModel(law, law)
    p = np.concatenate([DEEP, np.linspace(0.02, 0.98, 25), [1.0 - 1e-12]])
    assert_allclose(pair.at_far(p).far, p, rtol=RTOL_ROUND_TRIP)
    assert_allclose(pair.at_frr(p).frr, p, rtol=RTOL_ROUND_TRIP)
    x = law.ppf(np.linspace(0.05, 0.95, 19))
    x = x[(x > 1e-3) & (x < 0.999)]
    assert_allclose([law.ppf(law.cdf(x)), law.isf(law.sf(x))], [x, x], rtol=1e-11)


@pytest.mark.simulation
@over("law", INFLATED | DISCRETE)
def test_inverses_at_the_exact_heights_of_the_jumps(law):
    for place in law.atoms.places[law.atoms.places > -np.inf]:
        below = np.nextafter(place, -np.inf)
        assert law.cdf(law.ppf(law.cdf(place))) >= law.cdf(place)
        assert max(law.ppf(law.cdf(place)), law.isf(law.sf(place))) <= place
        assert law.ppf(0.5 * (law.cdf(below) + law.cdf(place))) == place
        assert law.isf(0.5 * (law.sf(below) + law.sf(place))) == place


@pytest.mark.parametrize("sample", [(TIED, None), WEIGHTED, ([0.5] * 3, None)])
def test_empirical_inverses_by_enumeration(sample):
    values, weights = sample
    mass = {v: Fraction(0) for v in values}
    for v, w in zip(values, [1.0] * len(values) if weights is None else weights, strict=True):
        mass[v] += Fraction(w)
    places = sorted(v for v in mass if mass[v] > 0)
    at_most = {v: sum(mass[u] for u in places if u <= v) / sum(mass.values()) for v in places}
    law = br.Empirical(*sample)
    for k in range(1, 40):
        p = Fraction(k, 40)
        assert law.ppf(float(p)) == next(v for v in places if at_most[v] >= p)
        assert law.isf(float(p)) == next(v for v in places if 1 - at_most[v] <= p)
        assert law.cdf(places[k % len(places)]) == float(at_most[places[k % len(places)]])


@pytest.mark.simulation
@each_smooth
def test_density_is_the_derivative_of_the_cdf(law):
    x = np.array([v for v in law.ppf(np.linspace(0.35, 0.75, 9)) if 1e-3 < v < 0.999])
    x = x if x.size else np.array([0.2, 0.5, 0.8])
    h = 1e-4 * np.minimum(np.minimum(x, 1.0 - x), math.sqrt(law.var))
    up, down = x + h, x - h
    assert_allclose(law.pdf(x), (law.cdf(up) - law.cdf(down)) / (up - down), rtol=RTOL_DERIVATIVE)
    assert_allclose(law.logpdf(x), np.log(law.pdf(x)), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("law", "at_ends"), [
    (br.Beta(0.5, 0.5), [math.inf, math.inf]),
    (br.Beta(1.0, 2.5), [2.5, 0.0]),
    (br.Beta(3.5, 1.0), [0.0, 3.5]),
    (br.LogitNormal(0.0, 1.0), [0.0, 0.0]),
    (br.Inflated(br.Beta(1.0, 2.5), 0.5), [1.25, 0.0]),
    # Moved, near 0 f ~ e^(-shift a) x^(a-1) / B: finite at a = 1, where 1/B = b.
    (br.Shifted(br.Beta(1.0, 2.5), 0.7), [2.5 * math.exp(-0.7), 0.0]),
    (br.Shifted(br.Beta(2.5, 1.0), 0.7), [0.0, 2.5 * math.exp(0.7)]),
    (br.Shifted(br.Beta(1.0, 1.0), 0.0, 2.0), [math.inf, math.inf]),
    (br.Shifted(br.Beta(1.0, 1.0), 0.0, 0.5), [0.0, 0.0]),
])  # fmt: skip
def test_density_at_the_ends(law, at_ends):
    assert law.pdf([0.0, 1.0]) == pytest.approx(at_ends)


def test_beta_shapes():
    shapes = itertools.product((0.5, 1.0, 2.0), repeat=2)
    assert [br.Beta(*ab).shape.value for ab in shapes] == [
        *("U", "reverse-J-border", "reverse-J"),
        *("J-border", "uniform", "decreasing"),
        *("J", "increasing", "bell"),
    ]
    pair = br.ScoreModel(br.Beta(2.0, 0.5), br.Beta(0.5, 2.0))
    assert (pair.shape_category(16), pair.shape_category(9)) == (("J", "reverse-J"), ("J", "J"))
    border = br.ScoreModel(br.Beta(1.0, 1.0), br.Inflated(br.Beta(0.5, 0.5), 0.1))
    assert border.shape_category() == ("uniform", "U")


@grouped("law", {
    "day": dict(list(smooth.items())[::3]),
    "nightly": {name: law for k, (name, law) in enumerate(smooth.items()) if k % 3},
})  # fmt: skip
def test_moments_against_quadrature(law):
    """E S = int sf - int cdf, E S^2 = int 2 x sf - int 2 x cdf, over either side of 0."""
    p = [1e-3, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999]
    base = law.base if isinstance(law, br.Inflated) else law
    parts = base.components if isinstance(base, br.BetaMixture) else (law,)
    ends = [0.0, 1.0, *law.ppf([1e-14, 1 - 1e-14])]
    cuts = sorted({*ends}.union(*(part.ppf(p) for part in parts)))

    def integral(power):
        def of(x):
            return (2.0 * x) ** (power - 1) * (law.sf(x) if x >= 0.0 else -law.cdf(x))

        pieces = itertools.pairwise(cuts)
        return sum(quad(of, *ab, epsabs=1e-13, epsrel=1e-10, limit=400)[0] for ab in pieces)

    mean = integral(1)
    assert law.mean == pytest.approx(mean, rel=RTOL_QUADRATURE)
    # A narrow law's variance is what is left of its second moment.
    slack = 1e-10 * mean**2
    assert law.var == pytest.approx(integral(2) - mean**2, rel=RTOL_QUADRATURE, abs=slack)


@pytest.mark.parametrize(
    ("mu", "sigma", "log_var"),
    [(0.0, 20.0, 800.0), (-800.0, 30.0, 200.0), (-700.0, 26.0, -48.0), (400.0, 1.0, 801.0)],
)
def test_a_log_normal_variance_is_what_a_double_holds(mu, sigma, log_var):
    # log((exp(sigma^2) - 1) exp(2 mu + sigma^2)), of which factors may be no doubles.
    expected = math.exp(log_var) if log_var < 709.0 else math.inf
    assert br.LogNormal(mu, sigma).var == pytest.approx(expected, rel=1e-12)


@pytest.mark.simulation
@each_law
def test_samples_follow_the_law(law):
    n = 5000
    sample = law.sample(n, rng=20240)
    assert (sample.shape, sample.dtype) == ((n,), np.float64)
    assert_array_equal(sample, law.sample(n, rng=np.random.default_rng(20240)))
    if law.mean > -np.inf:
        assert abs(sample.mean() - law.mean) <= 5.0 * math.sqrt(law.var / n)
    # Dvoretzky-Kiefer-Wolfowitz at 1e-6; doubles below 1e-300 and above 1 - 1e-16 round to 0 and 1.
    x = np.sort(law.ppf(np.linspace(0.001, 0.999, 999)))
    x = x[(np.abs(x) > 1e-300) & (np.abs(1.0 - x) > 1e-12)]
    share = np.searchsorted(np.sort(sample), x, side="right") / n
    bound = math.sqrt(math.log(2.0 / 1e-6) / (2.0 * n))
    assert np.max(np.abs(share - law.cdf(x)), initial=0.0) < bound
    for place, mass in zip(law.atoms.places, law.atoms.masses, strict=True):
        assert abs(np.mean(sample == place) - mass) < 5.0 * math.sqrt(0.25 / n)


B, NAN = br.Beta(2.0, 3.0), math.nan
GOOD = br.ParetoTail(0.1, 0.0, 1.0)
INPUT, TYPE = br.InputError, br.InputTypeError


@pytest.mark.parametrize(("make", "args", "error", "words"), [
    *((br.Empirical, (v,), INPUT, "must") for v in ([], [0.1, NAN], [math.inf])),
    *((br.Empirical, ([0.1, 0.2], w), INPUT, "must") for w in ([1], [1, -1], [0, 0])),
    *((br.Inflated, (B, *m), INPUT, "must") for m in ((-0.1,), (0.5, 0.5))),
    *((br.Inflated, (v, 0.1), TYPE, "must") for v in (br.Empirical([1]), br.Inflated(B, 0.1), 0.5)),
    (br.BetaMixture, ([0.5], [B, B]), INPUT, "at least one; got 1 and 2"),
    (br.BetaMixture, ([0.5, 0.5], [B, br.Normal(0, 1)]), TYPE, r"components\[1\] must be a Beta"),
    (br.BetaMixture, ([0.5, 0.4], [B, B]), INPUT, "add up to 1; got 0.9"),
    (br.Rejecting, (br.Empirical([0.1, 0.2]), 0.1), TYPE, "with a density"),
    (br.Rejecting, (B, 1.0), INPUT, "below 1, so that something is left"),
    *((law, (1.0, 0.0), INPUT, "must be a finite") for law in (br.Beta, br.Normal, br.LogitNormal)),
    (br.Spliced, (B,), INPUT, "lower or an upper tail"),
    (br.Spliced, (1.0, None, GOOD), TYPE, "body must be a distribution"),
    (br.Spliced, (B, None, 0.1), TYPE, "must be a ParetoTail"),
    (br.Spliced, (br.Spliced(B, GOOD), GOOD), TYPE, "tails of its own"),
    (br.Spliced, (B, br.ParetoTail(0.6, 0, 1), br.ParetoTail(0.6, 0, 1)), INPUT, "to less than 1"),
    (br.Spliced, (B, br.ParetoTail(0.1, 0, 1, 2.0), br.ParetoTail(0.1, 0, 1, -4.0)), INPUT,
     "lie below the upper one"),
    (br.Spliced, (B, GOOD, None, (0, 1)), INPUT, "left out of a body on"),
    (br.Spliced, (br.Normal(0, 1), GOOD, None, (1, -1)), INPUT, "low < high"),
    (br.Spliced, (br.Inflated(B, 0.1), GOOD), INPUT, "no point mass at the end of a tail"),
    (br.Shifted, (0.5,), TYPE, "base must be a distribution"),
    (br.Shifted, (br.Normal(0, 1), 1, 1.0, True), INPUT, "logit must be False"),
    (br.Shifted, (br.Inflated(br.Normal(0, 1), 0.1, 0.1), 1.0, 1e-30), INPUT, "of base apart"),
    (br.Shifted, (br.Shifted(B, 1.0, 1e200), 3.0, 1e200), INPUT, "scale"),
])  # fmt: skip
def test_what_is_refused(make, args, error, words):
    options = {"logit": args[3]} if make is br.Shifted and len(args) == 4 else {}
    options |= {"bounds": args[3]} if make is br.Spliced and len(args) == 4 else {}
    with pytest.raises(error, match=words) as caught:
        make(*args[: 3 if options else None], **options)
    assert len(str(caught.value)) <= 400


def test_different_laws_differ_and_equal_ones_have_equal_hashes_whatever_the_sign_of_zero():
    assert len(set(LAWS.values())) == len(LAWS)
    assert br.Beta(1, 2) == br.Beta(1.0, 2.0)
    assert len({br.Beta(1.0, 2.0), br.LogitNormal(1.0, 2.0), br.Normal(1.0, 2.0)}) == 3
    for law in (lambda z: br.Empirical([z, 1.0]), lambda z: br.Normal(z, 1.0)):
        assert law(0.0) == law(-0.0)
        assert hash(law(0.0)) == hash(law(-0.0))
