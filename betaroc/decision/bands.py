"""Bands of expected performance curves, and the draws of their replicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, BoolArray, FloatArray, IntArray
from betaroc.core.errors import FitError, InputError, SmallSampleWarning, refusal
from betaroc.core.notices import suppress_warnings, warn
from betaroc.core.options import IntervalOptions
from betaroc.core.resampling import check_fractional_weights
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Thresholds, choose
from betaroc.core.vocabulary import FAR, worded
from betaroc.data.groups import BareTrials, Groups, ScoredTrials, groups_of, units_of
from betaroc.data.scores import Scores
from betaroc.decision import curve
from betaroc.decision.strata_draws import PerturbedStrata, StrataRows, scores_of_strata
from betaroc.distributions import empirical
from betaroc.distributions.base import Distribution, value_columns
from betaroc.distributions.beta import has_shape
from betaroc.distributions.inflated import Rejecting
from betaroc.distributions.normal import has_spread
from betaroc.distributions.pairs import Pair, pair_of
from betaroc.distributions.shifted import bounds_of
from betaroc.distributions.strata import over_strata
from betaroc.estimation.estimate import Estimate, PairEstimate
from betaroc.estimation.families import FAMILIES
from betaroc.fits.fit import StrataFits, fit
from betaroc.fits.tail_fits import tails_again
from betaroc.inference import drawn_scores, paired_trials
from betaroc.inference.delta import PerturbedModels, covariance_roots, gaussian_reach, slopes_along
from betaroc.inference.drawn_scores import BootstrapRows, Counts, SortedRows
from betaroc.inference.interval import Band
from betaroc.inference.scores_beyond import rate_covariance
from betaroc.inference.strata import POOLED
from betaroc.model import operating_points
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import OperatingPoint

if TYPE_CHECKING:
    from betaroc.decision.epc import Epc

#: What is drawn again.
RESAMPLE = ("both", "test")
_METHODS, _SIDES = ("bootstrap", "exact", "delta"), ("dev", "test")
#: Entries, replicates times alphas, that are kept at once.
_LARGEST_TABLE = 2**28
#: Numbers of drawn rows at once, replicates times rows.
_AT_ONCE = 2**23
#: Step of the differences in a rate, as a share of its distance from 0 and 1.
_RATE_STEP = 1e-4
#: A variance below this share of its first part is rounding.
_ROUNDING = 1e-12
#: Weight of the HTER where criteria over strata are equal but for rounding.
_TIE = 1e-13


@dataclass(frozen=True)
class BandOptions(IntervalOptions):
    """What a band is asked for besides; `Epc.band` documents each."""

    resample: str = "both"
    simultaneous: bool = False
    #: What callers call `resample`.
    resample_argument: str = "resample"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.choice(self.resample, RESAMPLE, "resample")
        checks.choice(self.method, _METHODS, "method")
        object.__setattr__(self, "simultaneous", checks.flag(self.simultaneous, "simultaneous"))


def band(e: Epc, o: BandOptions) -> Band:
    """The band of a curve; `Epc.band` documents it."""
    fitted, dev = _varying(e, o)
    undefined, replicates = np.zeros(e.alpha.size, dtype=np.int64), 0
    if o.method == "exact":
        low, high = _exact_ends(e, o)
    elif o.method == "delta":
        error = None if dev is None else dev.error
        low, high = _scores_delta(e, o) if fitted is None else _fit_delta(e, fitted, error, o)
        replicates = o.replicates if o.simultaneous else 0
    else:
        values, replicates = _replicates(e, o, fitted, dev), o.replicates
        low, high = drawn_scores.band_of_replicates(
            values, e.value, o, e._range, simultaneous=o.simultaneous
        )
        undefined = np.sum(np.isnan(values), axis=0)
    if fitted is None and o.method != "exact":
        _warn_of_no_width(e, low, high, groups=o.groups)
    sides = [curve.side_groups(e, name, groups=o.groups and o.method != "exact") for name in _SIDES]
    of_dev, of_test = (None if groups is None else groups.labels for groups in sides)
    by = (of_dev if o.resample == "both" else None, of_test)
    return Band(
        e.alpha, e.value, low, high, o.level, o.simultaneous, o.resample, replicates, undefined,
        None if dev is None else dev.m, None if by == (None, None) else by, e.n_beyond,
    )  # fmt: skip


def curve_replicates(e: Epc, o: BandOptions) -> FloatArray:
    """The curve in each replicate, in rows; nan where it is undefined."""
    return _replicates(e, o, *_varying(e, o))


def check_large_table(replicates: int, alphas: int) -> None:
    """A table of replicates and alphas fits into memory."""
    if replicates * alphas > _LARGEST_TABLE:
        most, size = _LARGEST_TABLE // alphas, f"{_LARGEST_TABLE / 2**27:g} GB"
        rule = f"be at most {most} for {alphas} alphas, a table of {size}"
        raise refusal("replicates", rule, checks.format_value(replicates), "Take fewer.")


def _warn_of_no_width(e: Epc, low: FloatArray, high: FloatArray, *, groups: bool) -> None:
    point = e.points
    trivial = (point.far + point.frr == 1.0) & (point.far * point.frr == 0.0)
    bare = np.flatnonzero((low == high) & ~trivial)
    if bare.size:
        known = e.measure in curve.ONE_CLASS_RATES and _dependent(e, groups=groups) is None
        exact = worded('; `method="exact"` with `resample="test"` has one.' if known else ".")
        warn(
            f"the interval has no width at {bare.size} of {e.alpha.size} alphas, first at"
            f" {float(e.alpha[bare[0]])!r}: the test scores hold no error there, which says"
            " nothing of those to come" + exact,
            SmallSampleWarning,
        )


# ------------------------------------------------------------------------- what varies
#: Of each system the rows that are drawn, their scores in order, and the thresholds among them.
Cells = list[tuple[BootstrapRows, SortedRows | StrataRows, FloatArray]]
#: Draws the values of each curve in some replicates, in rows.
Drawer = Callable[[np.random.Generator, int], list[FloatArray]]


class _Dev(NamedTuple):
    """Dev's choice made again, and how far its thresholds depart beside all scores."""

    draw: Callable[[np.random.Generator, int], Thresholds]
    #: Of scores how many, or how many groups, are drawn; of a fit the error of its thresholds.
    m: int | None = None
    shrink: float = 1.0
    error: ThresholdError | None = None


def _varying(e: Epc, o: BandOptions) -> tuple[PerturbedModels | None, _Dev | None]:
    """Test's fit, None of scores, and dev where it is drawn again; both checked."""
    check_large_table(o.replicates, e.alpha.size)
    # A fit of continuous distributions varies by its errors, counts by their trials.
    smooth = e.test.client.continuous is not None and e.test.impostor.continuous is not None
    fit: Any = e.test_fit if smooth else None
    fitted = None if fit is None else PerturbedModels(fit, o.groups)
    _check_sides(e, fitted, o)
    if fitted is None:
        curve.empirical_laws(e.test, "test")
    if o.resample == "test" or o.method == "exact":
        return fitted, None
    return fitted, varying_dev(e, o)


def varying_dev(e: Epc, o: BandOptions) -> _Dev:
    """Dev drawn again, or its fit's thresholds with their error."""
    if e.dev_fit is not None and not empirical.decides_by_counts(e.dev._pair):
        error = threshold_error(e, groups=o.groups)
        return _Dev(error.draw, error=error)
    again = resampler(e, varies=curve.side_groups(e, "dev", groups=o.groups) is not None)
    rows = BootstrapRows.of(
        curve.side_trials(e, "dev"), curve.side_groups(e, "dev", groups=o.groups)
    )
    m, total = dev_size(e, rows)

    def draw(rng: np.random.Generator, size: int) -> Thresholds:
        parts = (rows.draw(rng, n, m / total) for n in parts_of(size, rows.size))
        return Thresholds.from_theta(np.concatenate([again.thresholds(drawn) for drawn in parts]))

    # Where m is less, thresholds move like n**(-1/3).
    return _Dev(draw, m, float((m / total) ** (1.0 / 3.0)))


def _replicates(
    e: Epc, o: BandOptions, fitted: PerturbedModels | None, dev: _Dev | None
) -> FloatArray:
    if fitted is not None:
        test, shared = fitted, e.dev_fit == e.test_fit

        def of_fit(rng: np.random.Generator, size: int) -> FloatArray:
            z = rng.standard_normal((size, test.roots.shape[0]))
            still = _of_fit(e, test, z, e.chosen)
            if dev is None:
                return still
            t = dev.error.at(z) if shared and dev.error else dev.draw(rng, size)
            return shrunk(e, dev.shrink, _of_fit(e, test, z, t), still)

        return o.replicated(of_fit, e.alpha.size)
    trials, theta = curve.side_trials(e, "test"), empirical.decisive(e.chosen)
    rows = BootstrapRows.of(trials, curve.side_groups(e, "test", groups=o.groups))
    if dev is None:
        fixed = cells_of([trials], [theta], rows)
        draw = _drawer([e], lambda *_: fixed, fixed[0][0].size)
        return o.replicated(lambda rng, size: draw(rng, size)[0], theta.size)

    def cells(rng: np.random.Generator, size: int) -> Cells:
        return cells_of([trials] * 2, [theta, empirical.decisive(dev.draw(rng, size))], rows)

    both = _drawer([e, e], cells, rows.size)

    def block(rng: np.random.Generator, size: int) -> FloatArray:
        still, moved = both(rng, size)
        return shrunk(e, dev.shrink, moved, still)

    return o.replicated(block, theta.size)


def _drawer(
    curves: Sequence[Epc], judged: Callable[[np.random.Generator, int], Cells], largest: int
) -> Drawer:
    """What chooses thresholds, draws test (at most so many rows) and measures its errors."""

    def draw(rng: np.random.Generator, size: int) -> list[FloatArray]:
        parts = []
        for n in parts_of(size, largest):
            cells = judged(rng, n)
            first = cells[0][0]
            drawn = first.draw(rng, n)  # once where several systems share it
            values = []
            for e, (rows, of, theta) in zip(curves, cells, strict=True):
                counts = drawn if rows is first else rows.draw(rng, n)
                if isinstance(of, StrataRows):
                    values.append(of.measured(e, counts, theta))
                else:
                    values.append(measured(e, of.errors(counts, theta)))
            parts.append(values)
        return [np.concatenate(values) for values in zip(*parts, strict=True)]

    return draw


def parts_of(size: int, rows: int) -> Iterator[int]:
    """Replicates whose drawn rows fit into memory at once."""
    step = max(1, _AT_ONCE // rows)
    for start in range(0, size, step):
        yield min(step, size - start)


def cells_of(
    trials: Sequence[ScoredTrials], chosen: Sequence[FloatArray], rows: BootstrapRows
) -> Cells:
    """Trials of one or more systems; of independent ones the counts between thresholds."""
    # A row is all trials that every system scores between the same of its thresholds; its score is
    # how many of these lie below, and thresholds are places among them.
    if rows.groups is not None:
        return [(rows, SortedRows.of(t), at) for t, at in zip(trials, chosen, strict=True)]
    cuts = [np.unique(theta) for theta in chosen]
    kinds, copies = [], []
    for who, weights in zip(CLASSES, rows.copies, strict=True):
        cells = [np.searchsorted(x, getattr(t, who)) for t, x in zip(trials, cuts, strict=True)]
        result, number = np.unique(np.stack(cells, axis=1), axis=0, return_inverse=True)
        kinds.append(result.astype(np.float64))
        copies.append(np.rint(np.bincount(np.ravel(number), weights)).astype(np.int64))
    drawn = BootstrapRows((copies[0], copies[1]))
    return [
        (drawn, SortedRows.of(BareTrials(kinds[0][:, k], kinds[1][:, k])),
         np.where(np.isnan(theta), np.nan, np.searchsorted(cut, theta)))
        for k, (cut, theta) in enumerate(zip(cuts, chosen, strict=True))
    ]  # fmt: skip


def measured(e: Epc, drawn: drawn_scores.GroupedCounts) -> FloatArray:
    """The curve's measure of error counts, a row per replicate; nan for an empty class."""
    clients, impostors = drawn.clients, drawn.impostors
    c, i = clients[:, None], impostors[:, None]
    rates = (drawn.accepted / i, drawn.rejected / c, (c - drawn.rejected) / c,
             (i - drawn.accepted) / i)  # fmt: skip
    # A prior that was observed varies with the class sizes.
    shares = clients / (clients + impostors)
    priors = shares if curve.observed_prior(e, "test") else np.full(shares.shape, e.test.prior)
    values = e._at_rates(rates, priors)
    values[drawn.lost] = np.nan
    return values


def shrunk(e: Epc, shrink: float, moved: FloatArray, fixed: FloatArray) -> FloatArray:
    """Of replicates the part that is due to their thresholds as large as with all dev scores."""
    # At its own optimum every departure is a loss, which endless dev scores would not have.
    share = np.where(e._stationary, -shrink, shrink)
    return np.where(share == 1.0, moved, (1.0 - share) * fixed + share * moved)


def _of_fit(e: Epc, test: PerturbedModels, z: FloatArray, t: Thresholds) -> FloatArray:
    """The measure of distributions z standard errors away from test's fit, a row for each of z."""
    at, cut = test.place + z @ test.roots, len(test.names[0])
    laws = (e.test.client, e.test.impostor)
    sides = zip(laws, test.names, (at[:, :cut], at[:, cut:]), strict=True)
    (frr, tpr), (tnr, far) = (
        law._tail_rows(value_columns(law, names, place), t) for law, names, place in sides
    )
    return e._at_rates((far, frr, tpr, tnr), np.full(len(z), e.test.prior))


# ---------------------------------------------------------------------------- delta method
def _fit_delta(
    e: Epc, test: PerturbedModels, error: ThresholdError | None, o: BandOptions
) -> tuple[FloatArray, FloatArray]:
    size = test.roots.shape[0]
    shared = error is None or e.dev_fit == e.test_fit
    own = size if error is None or shared else size + error.slope.shape[1]

    def moved(z: FloatArray) -> FloatArray:
        t = e.chosen if error is None else error.at(z[None, 0 if shared else size :])
        return np.asarray(_of_fit(e, test, z[None, :size], t)[0])

    # The change with one standard error of each independent source, a column each.
    changes = slopes_along(np.eye(own), moved)
    reach = gaussian_reach(changes, o) if o.simultaneous else o.deviate
    return _interval(e, reach * np.sqrt(np.sum(changes**2, axis=1)))


def _interval(e: Epc, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Value -+ reach, on the logit scale for fractions, within the range for others."""
    v = e.value
    bottom, top = e._range
    if (bottom, top) != (0.0, 1.0):
        return np.maximum(v - reach, bottom), np.minimum(v + reach, top)
    spread = v * (1.0 - v)
    inside = spread > 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        factor = np.exp(np.where(inside, reach / np.where(inside, spread, 1.0), 0.0))
        low, high = v / (v + (1.0 - v) * factor), v / (v + (1.0 - v) / factor)
    return np.where(inside, low, v), np.where(inside, high, v)


def _scores_delta(e: Epc, o: BandOptions) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtr, stdtrit

    scores = curve.side_trials(e, "test")
    result = units_of(scores, groups=o.groups)
    laws = curve.empirical_laws(e.test, "test")
    gradient = _gradient(e, observed=curve.observed_prior(e, "test"))
    parts = rate_covariance(result, laws, scores, e.chosen)
    whole, twice = (gradient @ part @ gradient.T for part in parts)
    variance, most = np.diag(whole - twice), np.diag(whole)
    # V1 + V2 - V12 may come out negative: then V12 is left out.
    error = np.sqrt(np.where(variance > _ROUNDING * most, variance, np.maximum(most, 0.0)))
    reach = gaussian_reach(covariance_roots(whole - twice).T, o) if o.simultaneous else o.deviate
    sizes = [size for size in result.sizes if size is not None]
    if sizes:
        # Student's t in place of the normal distribution, for variances between few groups.
        reach = -float(stdtrit(min(sizes) - 1, ndtr(-reach)))
    return _interval(e, reach * error)


def _gradient(e: Epc, *, observed: bool) -> FloatArray:
    """Change of the measure at each threshold with FAR and FRR there, and with the prior."""
    k, point = e.alpha.size, e.points
    rates = [np.array(point.far), np.array(point.frr), np.full(k, point.prior)]
    result = np.zeros((k, 2 * k + 1))
    for which, rate in enumerate(rates if observed else rates[:2]):
        step = _RATE_STEP * np.minimum(rate, 1.0 - rate)
        ends = []
        for sign in (1.0, -1.0):
            far, frr, prior = (r + sign * step if n == which else r for n, r in enumerate(rates))
            moved = OperatingPoint(point.threshold, far, frr, float(prior[0]))
            ends.append(e._measured(moved))
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = (ends[0] - ends[1]) / (2.0 * step)
        slope = np.where((step > 0.0) & np.isfinite(slope), slope, 0.0)
        result[np.arange(k), 2 * k if which == 2 else which * k + np.arange(k)] = slope
    return result


# ------------------------------------------------------------------------------- intervals
def _exact_ends(e: Epc, o: BandOptions) -> tuple[FloatArray, FloatArray]:
    if e.measure not in curve.ONE_CLASS_RATES or o.resample != "test" or o.simultaneous:
        rule = "be 'exact' only at fixed thresholds, pointwise, of a measure that is one rate"
        actual = f"resample={o.resample!r}, simultaneous={o.simultaneous!r}, measure {e.measure!r}"
        raise refusal("method", rule, actual, worded('Take `method="bootstrap"`.'))
    groups = _dependent(e, groups=o.groups)
    if groups is not None:
        rule = "be 'exact' only of independent trials; the test scores carry groups"
        actual = f"{groups.first.size} trials of {groups.units} groups"
        hint = worded('Take `method="delta"`, or `groups=False` if trials are independent.')
        raise refusal("method", rule, actual, hint)
    rate, complement = curve.ONE_CLASS_RATES[e.measure]
    client, impostor = curve.empirical_laws(e.test, "test")
    law, errors = client, client._counts_at_most(e.chosen)
    if rate == FAR:
        law, errors = impostor, impostor._counts_above(e.chosen)
    n, errors = round(law.total), np.rint(errors).astype(np.int64)
    return share_ends(n - errors if complement else errors, n, o.tail)


# ------------------------------------------------------------------------------- conditions
def _check_sides(e: Epc, fitted: PerturbedModels | None, o: BandOptions) -> None:
    kinds, fits = {}, {"dev": e.dev_fit, "test": fitted}
    for name in _SIDES if o.resample == "both" else _SIDES[1:]:
        model = e._side(name)[0]
        counted = empirical.is_counted(model.client) and empirical.is_counted(model.impostor)
        kinds[name] = "scores" if counted else "a model" if fits[name] is None else "a fit"
    if o.method == "delta" and o.resample == "both" and set(kinds.values()) != {"a fit"}:
        raise InputError.about("method")(
            worded('`method="delta"` with `resample="both"` needs fits on both sides: a choice')
            + " among scores has no derivative, a model no sampling error; got"
            f" {kinds['dev']} as dev and {kinds['test']} as test."
            + worded(' Take `method="bootstrap"` or `resample="test"`, or give br.fit of scores.')
        )
    models = [name for name, kind in kinds.items() if kind == "a model"]
    if models:
        sides = " and ".join(models)
        fixed = worded(f' or take `{o.resample_argument}="test"`.' if models == ["dev"] else ".")
        rule, hint = "be scores or a fit to have a band", "Give Scores, or br.fit of them, as"
        raise refusal(sides, rule, "a typed model", f"{hint} {sides} of epc{fixed}")
    if fitted is not None and o.method == "exact":
        rule = "be one of 'bootstrap' and 'delta' where test is a fit"
        actual = "'exact', which counts decisions"
        raise refusal("method", rule, actual, "Give the scores as test of epc.")


def _dependent(e: Epc, *, groups: bool) -> Groups | None:
    result = curve.side_groups(e, "test", groups=groups)
    return result if result is not None and result.dependent else None


_SYSTEMS = ("epc_a", "epc_b")
#: Trials, or groups of trials, of each class from which on the average keeps its level: with 10
#: of test it told equal systems apart in .11 of 200 runs, with 15 in .09 and with 20 in .05 of 300.
_NEEDED = {"dev": 10, "test": 20}


class Smallest(NamedTuple):
    """The fewest independent trials, or groups of trials, of a class, by what is needed."""

    n: int
    #: Such as "impostor groups of dev".
    what: str
    #: From how many on a better system is named.
    needed: int

    @property
    def too_few(self) -> str:
        """Why these trials are too few to name a better system, or empty."""
        words = f"are too few for a bootstrap, which needs at least {self.needed}"
        return f"{self.n} {self.what} {words}" if self.n < self.needed else ""


class Plan(NamedTuple):
    """How the replicates of a comparison are made; `values` gives those of each curve."""

    values: Drawer
    groups: tuple[int | None, ...] | None
    dev_paired: bool | None
    smallest: Smallest
    #: Of how many there are values: those given, and of each its strata.
    curves: int
    fitted: bool = False


def plan_of(
    curves: Sequence[Epc], options: IntervalOptions, *, paired: bool,
    names: Sequence[str] = _SYSTEMS,
) -> Plan:  # fmt: skip
    """The checked sides of curves, then those of strata, as what a replicate draws."""
    groups, curves = options.groups, tuple(curves)
    for e, name in zip(curves, names, strict=True):
        if e.over == POOLED:
            curve.empirical_laws(e.test, f"the test side of {name}")
        if paired and empirical.is_binned(e.test.client):
            actual = f"True, and the test side of {name} is a summary"
            hint = worded("`Give Scores, or take` `paired=False`.")
            raise refusal("paired", "be False without the trials themselves", actual, hint)
    curves = _on_same_trials(curves, "dev", names, paired=False)
    if paired:
        curves = _on_same_trials(curves, "test", names, paired=True)
        _check_pairs(curves, names, groups=groups)
    trials = [curve.side_trials(e, "test") for e in curves]
    test, fewest = _rows(curves, "test", shared=paired, groups=groups)
    labels = tuple(None if rows.groups is None else rows.groups.labels for rows in test)
    known = labels if any(labels) else None
    strata = [e.strata.values() for e in curves]
    shown = *curves, *chain(*strata)
    judged = [
        SortedRows.of(curve.side_trials(e, "test")) if e.over == POOLED
        else StrataRows.of(scores_of_strata(e, "test"), e.over) for e in shown
    ]  # fmt: skip
    parent = [*range(len(curves)), *(k for k, own in enumerate(strata) for _ in own)]

    def cells(at: Sequence[FloatArray]) -> Cells:
        return [(test[k], of, at[k]) for of, k in zip(judged, parent, strict=True)]

    if options.method == "test":
        fixed = [empirical.decisive(e.chosen) for e in curves]
        if curves[0].over != POOLED:
            at = cells(fixed)
        elif paired:
            at = cells_of(trials, fixed, test[0])
        else:
            sides = zip(trials, fixed, test, strict=True)
            at = [cell for t, theta, rows in sides for cell in cells_of([t], [theta], rows)]
        largest = max(rows.size for rows, *_ in at)
        draw = _drawer(shown, lambda *_: at, largest)
        return Plan(draw, known, None, fewest, len(shown))
    dev = dev_choice(curves, names, groups=groups)
    fewest = min(dev.smallest, fewest, key=lambda item: item.n / item.needed)
    largest = max(dev.rows, *(rows.size for rows in test)) * max(len(curves) // 2, 1)
    draw = _drawer(shown, lambda rng, n: cells(dev.choose(rng, n)), largest)
    return Plan(draw, known, dev.paired, fewest, len(shown), dev.fitted)


class DevChoice(NamedTuple):
    """How the thresholds of curves are chosen again on drawn dev trials."""

    choose: Callable[[np.random.Generator, int], list[FloatArray]]
    #: Whether all curves have the same dev trials.
    paired: bool
    smallest: Smallest
    rows: int
    fitted: bool


def dev_choice(curves: Sequence[Epc], names: Sequence[str], *, groups: bool) -> DevChoice:
    """The checked dev sides of curves as what chooses their thresholds again."""
    again = [resampler(e, f"the dev side of {n}") for e, n in zip(curves, names, strict=True)]
    # Ids, or numbers and order, say whether all systems judge the same dev trials.
    pairs = combinations([curve.side_trials(e, "dev") for e in curves], 2)
    paired = not any(empirical.is_binned(x) for e in curves for x in (e.dev.client, e.dev.impostor))
    paired = paired and all(paired_trials.same_trials(*pair, groups=groups) for pair in pairs)
    dev, smallest = _rows(curves, "dev", shared=paired, groups=groups)

    def choose(rng: np.random.Generator, n: int) -> list[FloatArray]:
        drawn = dev[0].draw(rng, n)
        return [
            item.thresholds(drawn if rows is dev[0] else rows.draw(rng, n))
            for item, rows in zip(again, dev, strict=True)
        ]

    fitted = any(isinstance(item, RefitResampler) for item in again)
    return DevChoice(choose, paired, smallest, max(rows.size for rows in dev), fitted)


def _check_pairs(curves: Sequence[Epc], names: Sequence[str], *, groups: bool) -> None:
    sides = [curve.side_trials(e, "test") for e in curves]
    for (one, name), (other, second) in combinations(zip(sides, names, strict=True), 2):
        paired_trials.check_other_trials(one, other, (name, second), groups=groups)
    for e, name in zip(curves, names, strict=True):
        if e.test.prior != curves[0].test.prior:
            priors = f"{names[0]} has {curves[0].test.prior!r}, {name} {e.test.prior!r}"
            raise InputError(f"paired curves must have one test prior; {priors}.")


def _on_same_trials(
    curves: tuple[Epc, ...], role: str, names: Sequence[str], *, paired: bool
) -> tuple[Epc, ...]:
    """Curves with one side on the same trials, by ids where scores are missing."""
    sides = [e._side(role)[1] for e in curves]
    known = [side for side in sides if side is not None]
    if len(known) < len(sides) or not any(own.has_rejected for own in known):
        return curves
    try:
        result = paired_trials.on_same_trials(known, names)
    except InputError:
        if paired:
            raise
        return curves
    built = []
    for e, part in zip(curves, result, strict=True):
        client, impostor = part._distributions
        model: Any = replace(e._side(role)[0], client=client, impostor=impostor)
        built.append(replace(e, **{role: model, f"{role}_scores": part}))
    return tuple(built)


def _rows(
    curves: Sequence[Epc], role: str, *, shared: bool, groups: bool
) -> tuple[list[BootstrapRows], Smallest]:
    """The rows of one role, the same for systems that share trials; its smallest class."""
    trials = [curve.side_trials(e, role) for e in curves]
    if shared:
        trials = [reduce(paired_trials.joint_trials, trials, trials[0])]
    result = [BootstrapRows.of(trial, groups_of(trial) if groups else None) for trial in trials]
    n, i, k = min((n, i, k) for i, rows in enumerate(result) for k, n in enumerate(rows.units))
    of = result[i].groups
    what = f"{CLASSES[k]} {'trials' if of is None or of.sizes[k] is None else 'groups'} of {role}"
    for e in curves if curves[0].over != POOLED else ():
        strata = scores_of_strata(e, role).strata
        least = min(min(trials.values()) for trials in strata if trials)
        if least < n:
            n, what = least, f"trials of a stratum of {role}"
    return result * (len(curves) // len(result)), Smallest(n, what, _NEEDED[role])


# ------------------------------------------------------------------ thresholds chosen again
#: Shares at which both tails of a fit are looked at: 5e-8 to nearly one half.
_SHARES = 1.0 / (1.0 + np.exp(-np.linspace(-16.8, 16.8, 200)[:100]))
LawPair = tuple[Distribution, Distribution]

#: Trials of strata that are drawn at most, as a choice over many takes long.
_MOST_DRAWN = 20_000
#: Criteria whose empirical minimiser moves like n**(-1/3), not n**(-1/2).
_CUBE_ROOT = frozenset({curve.WEIGHTED_ERROR, "weighted-precision-recall", "f-measure"})


@dataclass(frozen=True, eq=False)
class WeightedErrorResampler:
    """The least alpha FAR + (1 - alpha) FRR among scores."""

    # A threshold is best only in a gap right above an impostor and right below a client: elsewhere
    # a neighbour has fewer errors.

    rows: SortedRows
    alpha: FloatArray
    at_edges: bool

    @cached_property
    def gaps(self) -> tuple[IntArray, IntArray]:
        """Clients and impostors below each gap, accept all and reject all included; ascending."""
        client, impostor = self.rows.scores
        below = np.searchsorted(impostor, client, side="left")
        first = np.flatnonzero(np.diff(below, prepend=0) > 0)
        absent = [[np.searchsorted(rows, -np.inf, side="right")] for rows in (client, impostor)]
        return (
            np.concatenate([absent[0], first, [client.size]]),
            np.concatenate([absent[1], below[first], [impostor.size]]),
        )

    def thresholds(self, drawn: Counts) -> FloatArray:
        """A row per replicate, from draws of each row of dev; nan for an empty class."""
        counts = self.rows.sorted_counts(drawn)
        criterion, lost = self._criterion(counts)
        order = np.argsort(self.alpha, kind="stable")
        chosen = [np.argmin(criterion(a), axis=1) for a in self.alpha[order].tolist()]
        theta = np.empty((lost.size, order.size))
        theta[:, order] = self._places(counts, np.stack(chosen, axis=1))
        theta[lost] = np.nan
        return theta

    def _criterion(self, counts: Counts) -> tuple[Callable[[float], FloatArray], BoolArray]:
        """The criterion of an alpha at each gap, a row per replicate; which of these have none."""
        below = [drawn_scores.counts_below(part) for part in counts]
        clients, impostors = (part[:, -1:].astype(np.float64) for part in below)
        rejected = below[0][:, self.gaps[0]].astype(np.float64)
        accepted = impostors - below[1][:, self.gaps[1]]
        # Of equal criteria the one of the least HTER, whose part is below one in the whole sums.
        tie = np.exp2(-np.ceil(np.log2(2.0 * clients * impostors + 1.0)))

        def of(alpha: float) -> FloatArray:
            weight = operating_points.exact_weight(alpha)
            far = (weight.numerator + tie) * clients
            frr = (weight.denominator - weight.numerator + tie) * impostors
            return np.asarray(accepted * far + rejected * frr)

        return of, np.ravel(clients * impostors) == 0.0

    def _places(self, counts: Counts, chosen: IntArray) -> FloatArray:
        """The middle between the drawn scores on both sides of each chosen gap."""
        first = np.ones(chosen.shape, dtype=np.bool_)
        first[:, 1:] = chosen[:, 1:] != chosen[:, :-1]
        row, gap = np.nonzero(first)[0], chosen[first]
        low, high = np.full(gap.size, -np.inf), np.full(gap.size, np.inf)
        for part, scores, places in zip(counts, self.rows.scores, self.gaps, strict=True):
            end, at = np.full((len(part), 1), np.inf), places[gap]
            below = np.hstack([-end, np.where(part > 0, scores, -np.inf)])
            above = np.hstack([np.where(part > 0, scores, np.inf), end])[:, ::-1]
            low = np.maximum(low, np.maximum.accumulate(below, axis=1)[row, at])
            high = np.minimum(high, np.minimum.accumulate(above, axis=1)[row, scores.size - at])
        result = empirical.gap_places(low, high, at_edges=self.at_edges)
        return np.asarray(result[np.cumsum(first) - 1].reshape(chosen.shape))


@dataclass(frozen=True, eq=False)
class StrataResampler(WeightedErrorResampler):
    """The least of alpha FAR + (1 - alpha) FRR, each the worst of its strata or their mean."""

    strata: StrataRows

    def _criterion(self, counts: Counts) -> tuple[Callable[[float], FloatArray], BoolArray]:
        frr, far = self.strata.rates(counts, self.gaps)
        lost = np.any(np.isnan(far) | np.isnan(frr), axis=1)
        far, frr = np.nan_to_num(far), np.nan_to_num(frr)
        # Of equal criteria the one of the least HTER.
        return lambda a: (a + _TIE) * far + (1.0 - a + _TIE) * frr, lost


@dataclass(frozen=True, eq=False)
class OtherCriterion:
    """Any criterion among scores, one replicate at a time; an observed prior may vary."""

    rows: SortedRows
    e: Epc
    varies: bool = True
    strata: StrataRows | None = None

    def thresholds(self, drawn: Counts) -> FloatArray:
        """See `WeightedErrorResampler.thresholds`."""
        # The pair's own kind: counts in bins choose edges, not the middle of gaps.
        pair, choose = type(self.e.dev._pair), CRITERIA[self.e.criterion].choose
        theta = np.full((drawn[0].shape[0], self.e.alpha.size), np.nan)
        for row, counts in enumerate(zip(*self.rows.sorted_counts(drawn), strict=True)):
            n, m = (int(np.sum(part)) for part in counts)
            client, impostor = (self._law(k, part) for k, part in enumerate(counts))
            if client is not None and impostor is not None:
                prior = n / (n + m) if self.varies else self.e.dev.prior
                theta[row] = choose(pair(client, impostor), prior, self.e.alpha).theta
        return theta

    def _law(self, which: int, counts: IntArray) -> Distribution | None:
        scores = self.rows.scores[which]
        side = None if self.strata is None else self.strata.sides[which]
        codes = np.zeros(counts.size) if side is None else side.codes[:: (1, -1)[which]]
        parts = [(codes == k) & (counts > 0) for k in range(int(np.max(codes)) + 1)]
        if not all(map(np.any, parts)):
            return None
        laws = [drawn_scores.drawn_law(scores[part], counts[part]) for part in parts]
        return over_strata(laws, side.weights, upper=which == 1) if side and laws[1:] else laws[0]


# ------------------------------------------------------------------------------ of fits
@dataclass(frozen=True)
class ThresholdError:
    """Thresholds to first order: chosen + slope @ z with standard normal z, on logits if `unit`."""

    chosen: Thresholds
    slope: FloatArray
    unit: bool

    def draw(self, rng: np.random.Generator, size: int) -> Thresholds:
        """Thresholds of other dev sets of that size, in rows."""
        return self.at(rng.standard_normal((size, self.slope.shape[1])))

    def at(self, z: FloatArray) -> Thresholds:
        """Thresholds z standard errors away from the estimates, a row for each of z."""
        move = z @ self.slope.T
        place = (self.chosen.logit if self.unit else self.chosen.theta) + move
        moved = Thresholds.from_logit(place) if self.unit else Thresholds.from_theta(place)
        return choose(move != 0.0, moved, self.chosen)


def threshold_error(e: Epc, *, groups: bool = True) -> ThresholdError:
    """The error of the thresholds of a curve whose dev side is a fit, from its covariance."""
    unit, fit = e.dev._pair.unit, e.dev_fit
    near: Any = PerturbedModels(fit, groups)  # type: ignore[arg-type]
    if isinstance(fit, StrataFits):
        near = PerturbedStrata(fit, e.over, groups)

    def at(away: FloatArray) -> FloatArray:
        pair = pair_of(*near.laws(away))
        t = CRITERIA[e.criterion].choose(pair, e.dev.prior, e.alpha)
        return t.logit if unit else t.theta

    slope = slopes_along(near.roots, at)
    inside = np.isfinite(e.chosen.logit if unit else e.chosen.theta)
    inside &= np.all(np.isfinite(slope), axis=1)
    return ThresholdError(e.chosen, np.where(inside[:, None], slope, 0.0), unit)


@dataclass(frozen=True, eq=False)
class RefitResampler:
    """Each class fitted again, as it was fitted, and thresholds chosen from the fits."""

    e: Epc
    fit: PairEstimate
    scores: Scores

    def thresholds(self, drawn: Counts) -> FloatArray:
        """See `WeightedErrorResampler.thresholds`; nan too where drawn scores have no fit."""
        theta = np.full((drawn[0].shape[0], self.e.alpha.size), np.nan)
        clients, impostors = (np.sum(part, axis=1) for part in drawn)
        with suppress_warnings():
            pairs = self._pairs(drawn)
        for row in np.flatnonzero((clients > 0) & (impostors > 0)):
            if (laws := pairs[row]) is not None:
                prior = self.e.dev.prior
                if not self.e.prior_given:
                    prior = float(clients[row] / (clients[row] + impostors[row]))
                theta[row] = empirical.decisive(self._chosen(pair_of(*laws), prior))
        return theta

    # ------------------------------------------------------------------------------- fits
    def _pairs(self, drawn: Counts) -> list[LawPair | None]:
        numbers = self.scores.client.size, self.scores.impostor.size
        pairs = self._scored_pairs((drawn[0][:, : numbers[0]], drawn[1][:, : numbers[1]]))
        if not self.scores.has_rejected:
            return pairs
        absent = (
            (np.sum(part[:, n:], axis=1) / np.sum(part, axis=1)).tolist()
            for part, n in zip(drawn, numbers, strict=True)
        )
        return [
            None if laws is None else (Rejecting(laws[0], first), Rejecting(laws[1], second))
            for laws, first, second in zip(pairs, *absent, strict=True)
        ]

    def _scored_pairs(self, drawn: Counts) -> list[LawPair | None]:
        """From sums where sums are all that the families need, else one fit per replicate."""
        clients, impostors = (
            self._of_sums(getattr(self.fit, who), getattr(self.scores, who), part)
            for who, part in zip(CLASSES, drawn, strict=True)
        )
        if clients is not None and impostors is not None:
            pairs = zip(clients, impostors, strict=True)
            return [(c, i) if c is not None and i is not None else None for c, i in pairs]
        rule = self.fit.client.boundary or self.fit.impostor.boundary
        options: dict[str, Any] = {"bounds": bounds_of(self.fit.client.distribution)}
        if rule is not None:
            options["boundary"] = None if rule.policy in ("inflate", "interval") else rule.policy
            options["resolution"] = rule.resolution
        return [self._fitted(counts, options) for counts in zip(*drawn, strict=True)]

    def _fitted(self, drawn: Sequence[IntArray], options: dict[str, Any]) -> LawPair | None:
        """One replicate fitted; None of too few distinct scores, or none."""
        (client, weights), (impostor, others) = (
            (getattr(self.scores, who)[counts > 0], counts[counts > 0].astype(np.float64))
            for who, counts in zip(CLASSES, drawn, strict=True)
        )
        try:
            again = Scores(client, impostor, client_weights=weights, impostor_weights=others)
            model = fit(again, self.fit.family, **options).model
            return (tails_again(self.fit.client, model.client, client, weights),
                    tails_again(self.fit.impostor, model.impostor, impostor, others))  # fmt: skip
        except (FitError, InputError):
            return None

    def _of_sums(
        self, result: Estimate, values: FloatArray, drawn: IntArray
    ) -> list[Distribution | None] | None:
        """One class by itself; None where its family, rule or tails need the scores."""
        rule, row = result.boundary, FAMILIES.get(str(result.family))
        plain = rule is None or (rule.resolution is None and not (rule.n_zero or rule.n_one))
        if row is None or row.fit_rows is None or row.law is None or row.of_pairs:
            return None
        if not plain or result.tails or bounds_of(result.distribution) is not None:
            return None
        answer = np.hstack(row.fit_rows(result.distribution, values, drawn))
        return [
            row.law(*shapes) if np.all(np.isfinite(shapes)) else None for shapes in answer.tolist()
        ]

    # ------------------------------------------------------------------------- thresholds
    @cached_property
    def _grid(self) -> tuple[FloatArray, Thresholds]:
        pair = self.e.dev._pair
        t = Thresholds.concatenate([
            quantile(_SHARES, np.log(_SHARES)) for law in (pair.client, pair.impostor)
            for quantile in (law._lower_quantile, law._upper_quantile)
        ])  # fmt: skip
        u = np.unique(pair.coordinates(t))
        u = u[np.isfinite(u)]
        return u, pair.place(u)

    def _chosen(self, pair: Pair, prior: float) -> Thresholds:
        laws = (x.base if isinstance(x, Rejecting) else x for x in (pair.client, pair.impostor))
        smooth = all(has_shape(law) or has_spread(law) for law in laws)
        if self.e.criterion != curve.WEIGHTED_ERROR or not smooth or self._grid[0].size < 2:
            return CRITERIA[self.e.criterion].choose(pair, prior, self.e.alpha)
        # The least weighted error of two densities: the best of a grid, moved to where it is flat.
        (u, t), alpha = self._grid, self.e.alpha
        every = Thresholds.concatenate([pair.accept_all, t, pair.reject_all])
        errors = alpha[:, None] * pair.far(every) + (1.0 - alpha)[:, None] * pair.frr(every)
        best, ratio = np.argmin(errors, axis=1), pair.log_ratio(t)
        inner = np.clip(best - 1, 0, u.size - 1)
        place = u[inner].copy()
        for first in (inner - 1, inner):  # the likelihood ratio passes the level upwards
            k = np.clip(first, 0, u.size - 2)
            rise = ratio[k + 1] - ratio[k]
            with np.errstate(invalid="ignore", divide="ignore"):
                share = (np.log(alpha) - np.log1p(-alpha) - ratio[k]) / rise
            passes = (rise > 0.0) & (share >= 0.0) & (share <= 1.0)
            place = np.where(passes, u[k] + np.where(passes, share, 0.0) * (u[k + 1] - u[k]), place)
        outer = (best == 0) | (best == u.size + 1)
        return choose(outer, every[best], pair.place(place))


# ------------------------------------------------------------------------ dev drawn again
Resampler = RefitResampler | WeightedErrorResampler | OtherCriterion


def resampler(e: Epc, name: str = "dev", *, varies: bool = True) -> Resampler:
    """What chooses dev's thresholds from drawn trials."""
    if e.over != POOLED:
        strata = StrataRows.of(scores_of_strata(e, "dev"), e.over)
        if e.criterion == curve.WEIGHTED_ERROR:
            return StrataResampler(strata.rows, e.alpha, at_edges=False, strata=strata)
        return OtherCriterion(strata.rows, e, not e.prior_given, strata)
    pair, fitted = e.dev._pair, e.dev_fit
    scores = None if fitted is None else fitted.scores
    if not empirical.decides_by_counts(pair):
        if fitted is None or isinstance(fitted, StrataFits) or not isinstance(scores, Scores):
            what = "a model" if fitted is None else "a fit of a summary"
            raise InputError.about("resample")(
                worded(f'`resample="both"` draws dev again; {name} is {what},')
                + " which has no trials. Give epc the dev Scores, br.fit of them or the"
                + worded(' ScoreSummary itself, or take `resample="test"`: these two thresholds.')
            )
        for who in CLASSES:
            weights = getattr(scores, f"{who}_weights")
            check_fractional_weights(weights, f"{name} {who}")
        return RefitResampler(e, fitted, scores)
    curve.empirical_laws(e.dev, name)
    rows = SortedRows.of(curve.side_trials(e, "dev"))
    if e.criterion == curve.WEIGHTED_ERROR:
        return WeightedErrorResampler(rows, e.alpha, pair.at_edges)
    return OtherCriterion(rows, e, varies and curve.observed_prior(e, "dev"))


def dev_size(e: Epc, rows: BootstrapRows) -> tuple[int, int]:
    """Dev scores or groups to draw, all where the plain bootstrap is consistent; of how many."""
    sizes, total = rows.units, sum(rows.units)
    if (of := rows.groups) is not None:
        sizes, total = (round(of.units_of(0)), round(of.units_of(1))), of.units
    if e.criterion not in _CUBE_ROOT:
        return total, total
    m = round(total / min(sizes) ** 0.25)
    return m if e.over == POOLED else min(m, max(_MOST_DRAWN, total // 50)), total
