"""Bands around an expected performance curve: resampled test decisions, resampled choices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray, IntArray
from betaroc.core.errors import InputError, SmallSampleWarning
from betaroc.core.notices import warn
from betaroc.core.resampling import Cells, class_sizes
from betaroc.core.special import share_ends
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.groups import Groups
from betaroc.decision.curve import (
    Curve,
    empirical_laws,
    group_counts,
    grouped_side,
    observed_prior,
    side_groups,
)
from betaroc.decision.delta_bands import (
    BandOptions,
    FittedTest,
    delta_interval,
    delta_scores_interval,
    fitted_test,
    shrunk,
)
from betaroc.decision.resample_threshold import ResampledDev, ThresholdError, resample_threshold
from betaroc.distributions.empirical import cells_of, is_counted
from betaroc.inference.drawn_scores import GroupedCounts, GroupedSide, band_of_replicates
from betaroc.inference.interval import Band
from betaroc.rendering.alphas import DrawnBand

#: Entries, replicates times alphas, that are kept at once.
_LARGEST_TABLE = 2**28

#: Measures that are one rate of one class: whether errors or successes are counted, and of whom.
_ONE_RATE: dict[str, Callable[[IntArray, IntArray, int, int], tuple[IntArray, int]]] = {
    "far": lambda rejected, accepted, clients, impostors: (accepted, impostors),
    "tnr": lambda rejected, accepted, clients, impostors: (impostors - accepted, impostors),
    "frr": lambda rejected, accepted, clients, impostors: (rejected, clients),
    "tpr": lambda rejected, accepted, clients, impostors: (clients - rejected, clients),
}
_ONE_RATE["specificity"] = _ONE_RATE["tnr"]
_ONE_RATE["recall"] = _ONE_RATE["sensitivity"] = _ONE_RATE["tpr"]


def shown_band(band: Band, alpha: FloatArray, value: FloatArray) -> DrawnBand:
    """The band of a curve as it is drawn; that of another curve is refused."""
    checks.instance(band, Band, "band", "epc.band()")
    if not (
        np.array_equal(band.alpha, alpha) and np.array_equal(band.estimate, value, equal_nan=True)
    ):
        raise InputError.about("band")(
            f"band must be that of the curve drawn; got one of {band.alpha.size} alphas with other"
            f" alphas or values than the curve's {alpha.size}. Take epc.band() of this curve."
        )
    return band._drawn


def band(e: Curve, o: BandOptions) -> Band:
    """The band of a curve; `Epc.band` documents it."""
    draws = _Draws.of(e, o)
    fitted, again = draws.fitted, draws.again
    undefined, replicates = np.zeros(e.alpha.size, dtype=np.int64), 0
    if o.method == "exact":
        low, high = _exact_ends(e, o)
    elif o.method == "delta":
        errors = again if isinstance(again, ThresholdError) else None
        low, high = (
            delta_scores_interval(e, o) if fitted is None else delta_interval(e, fitted, errors, o)
        )
        replicates = o.replicates if o.simultaneous else 0
    else:
        values, replicates = draws.values(o), o.replicates
        low, high = band_of_replicates(values, e.value, o, e._range, simultaneous=o.simultaneous)
        undefined = np.sum(np.isnan(values), axis=0)
    if fitted is None and o.method != "exact":
        _warn_of_no_width(e, low, high, groups=o.groups)
    return Band(
        e.alpha, e.value, low, high, o.level, o.simultaneous, o.resample, replicates, undefined,
        again.m if isinstance(again, ResampledDev) else None,
        group_counts(e, o.resample, groups=o.groups and o.method != "exact"), e.n_beyond,
    )  # fmt: skip


def curve_replicates(e: Curve, o: BandOptions) -> FloatArray:
    """The curve in each replicate, a row each, nan where it is undefined."""
    return _Draws.of(e, o).values(o)


@dataclass(frozen=True)
class _Draws:
    """What varies: test, as scores or as a fit, and the choice on dev."""

    e: Curve
    fitted: FittedTest | None
    again: ResampledDev | ThresholdError | None

    @classmethod
    def of(cls, e: Curve, o: BandOptions) -> _Draws:
        """The sides of a curve, checked for what is asked."""
        refuse_large_table(o.replicates, e.alpha.size)
        fitted = fitted_test(e, groups=o.groups)
        _refuse_sides(e, fitted, o)
        if o.m is not None and (o.resample == "test" or o.method != "bootstrap"):
            raise InputError.about("m")(
                'm is the number of dev scores drawn in each replicate and needs method="bootstrap"'
                f' and resample="both"; got m={o.m!r} with method={o.method!r},'
                f" resample={o.resample!r}. Leave m out."
            )
        if fitted is None:
            empirical_laws(e.test, "test")
        if o.method == "exact":
            _refuse_dependent(e, groups=o.groups)
        again = None
        if o.resample == "both" and o.method != "exact":
            again = resample_threshold(e, o.m, stratified=o.stratified, groups=o.groups)
        return cls(e, fitted, again)

    def values(self, o: BandOptions) -> FloatArray:
        """The curve in each replicate."""
        return o.replicated(self._block(o), self.e.alpha.size)

    def _block(self, o: BandOptions) -> Callable[[np.random.Generator, int], FloatArray]:
        """What makes a block of replicates, a row each."""
        e, fitted, again = self.e, self.fitted, self.again
        if fitted is not None:
            return lambda rng, size: fitted.values(e, rng, size, again, stratified=o.stratified)
        side = grouped_side(e, "test", o.stratified, groups=o.groups)
        if again is not None:
            moved = again
            return lambda rng, n: _moved_values(e, rng, n, moved, side, stratified=o.stratified)
        if side is None:
            return lambda rng, size: _fixed_values(e, rng, size, stratified=o.stratified)
        cells = side.cells((side, e.chosen))
        return lambda rng, size: grouped_values(e, cells.draw(rng, size)[0])


def refuse_large_table(replicates: int, alphas: int) -> None:
    """A table of replicates and alphas fits into memory."""
    if replicates * alphas > _LARGEST_TABLE:
        raise InputError.about("replicates")(
            f"replicates must be at most {_LARGEST_TABLE // alphas} for {alphas} alphas, a table of"
            f" {_LARGEST_TABLE / 2**27:g} GB; got {checks.shown(replicates)}. Take fewer."
        )


def _warn_of_no_width(e: Curve, low: FloatArray, high: FloatArray, *, groups: bool) -> None:
    """Errors that never happened leave nothing to vary, which is no certainty."""
    point = e.points
    decided = ((point.far == 0.0) | (point.far == 1.0)) & ((point.frr == 0.0) | (point.frr == 1.0))
    trivial = decided & (point.far + point.frr == 1.0)
    bare = np.flatnonzero((low == high) & ~trivial)
    if bare.size:
        known = e.measure in _ONE_RATE and _dependent(e, groups=groups) is None
        exact = worded('; `method="exact"` with `resample="test"` has one.' if known else ".")
        warn(
            f"the interval has no width at {bare.size} of {e.alpha.size} alphas, first at"
            f" {float(e.alpha[bare[0]])!r}: the test scores hold no error there, which says"
            " nothing of those to come" + exact,
            SmallSampleWarning,
        )


# ------------------------------------------------------------------------------- replicates
def _fixed_values(e: Curve, rng: np.random.Generator, size: int, *, stratified: bool) -> FloatArray:
    """The measure of the resampled test decisions at the curve's own thresholds."""
    laws = empirical_laws(e.test, "test")
    client, impostor = (cells_of(law, e.chosen) for law in laws)
    sizes = class_sizes(rng, size, client.total, impostor.total, stratified=stratified)
    return _counted(e, *_errors(rng, client, impostor, *sizes), *sizes)


def grouped_values(e: Curve, drawn: GroupedCounts) -> FloatArray:
    """The measure of drawn groups; nan where a class is empty."""
    values = _counted(e, *drawn[:4])
    values[drawn.lost] = np.nan
    return values


def _moved_values(
    e: Curve, rng: np.random.Generator, size: int, again: ResampledDev | ThresholdError,
    side: GroupedSide | None, *, stratified: bool,
) -> FloatArray:  # fmt: skip
    """The measure at thresholds that each replicate chooses again."""
    laws = empirical_laws(e.test, "test")
    clients, impostors = (round(law.total) for law in laws)
    sizes = class_sizes(rng, size, clients, impostors, stratified=stratified)
    k = e.alpha.size
    rejected, accepted = (np.zeros((size, 2 * k), dtype=np.int64) for _ in range(2))
    lost = np.zeros(size, dtype=np.bool_)
    for row in range(size):
        chosen = again.draw(rng)
        lost[row] = chosen is None
        t = Thresholds.concatenate([e.chosen, e.chosen if chosen is None else chosen])
        if side is not None:
            drawn = side.draw(rng)
            lost[row] |= drawn is None
            if drawn is not None:
                rejected[row], accepted[row] = (
                    drawn[0]._counts_at_most(t),
                    drawn[1]._counts_above(t),
                )
                sizes[0][row], sizes[1][row] = (law.total for law in drawn)
            continue
        client, impostor = (cells_of(law, t) for law in laws)
        one = sizes[0][[row]], sizes[1][[row]]
        rejected[row], accepted[row] = (x[0] for x in _errors(rng, client, impostor, *one))
    fixed = _counted(e, rejected[:, :k], accepted[:, :k], *sizes)
    moved = _counted(e, rejected[:, k:], accepted[:, k:], *sizes)
    values = shrunk(e, again, moved, lambda: fixed)
    values[lost] = np.nan
    return values


def _errors(
    rng: np.random.Generator, client: Cells, impostor: Cells, clients: IntArray, impostors: IntArray
) -> tuple[IntArray, IntArray]:
    """Clients rejected and impostors accepted at each threshold, a row a replicate."""
    rejected = client.draw(rng, clients)
    return rejected, impostors[:, None] - impostor.draw(rng, impostors)


def _counted(
    e: Curve, rejected: IntArray, accepted: IntArray, clients: IntArray, impostors: IntArray
) -> FloatArray:
    """The curve's measure of error counts, a row a replicate; nan for an empty class."""
    c, i = clients[:, None], impostors[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        far, frr = accepted / i, rejected / c
        tpr, tnr = (c - rejected) / c, (i - accepted) / i
    # A prior that was observed varies with the class sizes.
    shares = clients / (clients + impostors)
    priors = shares if observed_prior(e, "test") else np.full(shares.shape, e.test.prior)
    return e._at_rates((far, frr, tpr, tnr), priors)


# ------------------------------------------------------------------------------- intervals
def _exact_ends(e: Curve, o: BandOptions) -> tuple[FloatArray, FloatArray]:
    """Clopper and Pearson's interval of one binomial rate at fixed thresholds."""
    if e.measure not in _ONE_RATE or o.resample != "test" or o.simultaneous or not o.stratified:
        raise InputError(
            worded('`method="exact"` needs `resample="test"`, simultaneous=False, stratified=True')
            + f" and a measure that is one rate ({checks.listed(tuple(_ONE_RATE), 12)}); got"
            f" resample={o.resample!r}, simultaneous={o.simultaneous!r},"
            f" stratified={o.stratified!r},"
            f" measure {e.measure!r}." + worded(' Take `method="bootstrap"`.')
        )
    client, impostor = empirical_laws(e.test, "test")
    rejected = np.rint(client._counts_at_most(e.chosen)).astype(np.int64)
    accepted = np.rint(impostor._counts_above(e.chosen)).astype(np.int64)
    hits, n = _ONE_RATE[e.measure](rejected, accepted, round(client.total), round(impostor.total))
    return share_ends(hits, n, o.tail)


# ------------------------------------------------------------------------------- conditions
def _kind(e: Curve, name: str, fitted: FittedTest | None) -> str:
    """What a side was given as: scores, a fit whose parameters vary, or a model."""
    model = e._side(name).model
    if is_counted(model.client) and is_counted(model.impostor):
        return "scores"
    varies = e.dev_fit is not None if name == "dev" else fitted is not None
    return "a fit" if varies else "a model"


def _refuse_sides(e: Curve, fitted: FittedTest | None, o: BandOptions) -> None:
    """A side that is to vary has a sampling error; the delta method needs it to be smooth."""
    names = ("dev", "test") if o.resample == "both" else ("test",)
    kinds = {name: _kind(e, name, fitted) for name in names}
    models = [name for name, kind in kinds.items() if kind == "a model"]
    fixed = worded(f' or take `{o.resample_argument}="test"`.' if models == ["dev"] else ".")
    if o.method == "delta" and o.resample == "both" and set(kinds.values()) != {"a fit"}:
        ways = [] if models else ['`method="bootstrap"`']
        ways += [] if "test" in models else ['`resample="test"`']
        take = worded(f"Take {' or '.join(ways)}, or give" if ways else "Give")
        take += " br.fit of the scores as both sides of epc."
        got = " and ".join(f"{kind} as {name}" for name, kind in kinds.items())
        raise InputError.about("method")(
            worded('`method="delta"` with `resample="both"` needs fits on both sides: a choice')
            + f" among scores has no derivative, a model no sampling error; got {got}. "
            + take
        )
    if models:
        law = e._side(models[0]).model
        raise InputError(
            f"{' and '.join(models)} must be scores or a fit to have a band; got a model of"
            f" {type(law.client).__name__} and {type(law.impostor).__name__} distributions,"
            " which has no"
            f" sampling error. Give Scores, or br.fit of them, as {' and '.join(models)} of epc"
            + fixed
        )
    if fitted is not None and o.method == "exact":
        raise InputError.about("method")(
            "method must be one of 'bootstrap' and 'delta' where test is a fit; got 'exact', which"
            " counts decisions. Give the scores as test of epc."
        )


def _dependent(e: Curve, *, groups: bool) -> Groups | None:
    """The groups of test, if trials depend on each other by them."""
    found = side_groups(e, "test", groups=groups)
    return found if found is not None and found.dependent else None


def _refuse_dependent(e: Curve, *, groups: bool) -> None:
    found = _dependent(e, groups=groups)
    if found is not None:
        raise InputError.about("method")(
            worded('`method="exact"` needs independent trials; the test scores carry groups:')
            + f" {found.first.size} trials depend on {found.units} groups. Take "
            + worded('`method="delta"` with `resample="test"`, `method="bootstrap"`, or')
            + " groups=False if the trials do not depend on each other."
        )
