"""Mean logarithms of many samples, and sums of many systems, for fits side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray, IntArray, as_output
from betaroc.core.checks import check_entries, count, real_array
from betaroc.core.errors import refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.special import HALF_LOG_TWO_PI
from betaroc.core.tables import Library
from betaroc.core.text import format_value
from betaroc.data.frames import check_counts, engine_errors, opened, system_groups
from betaroc.data.labels import client_mask
from betaroc.data.sums import KIND_STRIDE, KINDS, is_missing
from betaroc.distributions import beta
from betaroc.estimation.contract import CANCELLED, LARGEST_SUMMED, LEAST_SQUARE, row_sums

_INNER, _ZERO, _ONE, _OUTSIDE = (float(KINDS.index(k)) for k in ("inner", "zero", "one", "outside"))


@collect_warnings
def mean_logs(x: npt.ArrayLike, axis: int | None = -1) -> tuple[Any, Any]:
    """Mean of log(x) and of log(1 - x): the statistics that `beta_mle` takes.

        mean_log = (1/n) sum_i log(x_i),   mean_log1m = (1/n) sum_i log(1 - x_i)

    Parameters
    ----------
    x : array_like
        Scores strictly between 0 and 1, of any shape, one sample along `axis`.
    axis : int, optional
        The axis of a sample's scores; None for all scores as one sample.

    Returns
    -------
    mean_log, mean_log1m : float or ndarray
        Both negative, of the shape of `x` without `axis`.

    Raises
    ------
    InputError, InputTypeError
        If scores do not lie strictly between 0 and 1, a sample has none, or there is no such axis.

    Notes
    -----
    One pass in less than 1 MB beside the scores, or a copy, with a relative error of about 1e-15.
    Nothing is clipped: `fit_distribution` has rules for scores of 0 and 1.

    Examples
    --------
    >>> import betaroc as br
    >>> round(br.mean_logs([0.25, 0.5, 0.75])[0], 6)
    -0.789041
    """
    x = real_array(x, "x")
    place = None if axis is None else count(axis, "axis", -x.ndim, x.ndim - 1)
    moved = x.reshape(-1) if place is None else np.moveaxis(x, place, -1)
    n, shape = moved.shape[-1], moved.shape[:-1]
    if n == 0:
        actual = f"the shape {x.shape} and axis={axis}"
        raise refusal("x", "have at least one score in a sample", actual, "Leave them out.")
    sums = row_sums(np.ascontiguousarray(moved).reshape(math.prod(shape), n), known=False)
    if np.isfinite(sums).all():
        mean_log, mean_log1m = (as_output((item / n).reshape(shape)) for item in sums)
        return mean_log, mean_log1m
    remedy = "Nothing is clipped: leave these out; fit_distribution has rules for 0 and 1."
    check_entries(x, ~((x > 0.0) & (x < 1.0)), "x", "lie strictly between 0 and 1", remedy)
    return np.nan, np.nan


# --------------------------------------------------------------------- the sums of systems
@dataclass(frozen=True)
class ClassColumns:
    """One class of every system: an entry per system.

    `log`, `log1m`, `logit_square`, `inner_low` and `inner_high` are of scores inside (0, 1), `kept`
    and `logit_kept` the shares of sums of squares left about a mean.
    """

    n: FloatArray
    zero: FloatArray
    one: FloatArray
    outside: FloatArray
    low: FloatArray
    high: FloatArray
    inner_low: FloatArray
    inner_high: FloatArray
    mean: FloatArray
    square: FloatArray
    log: FloatArray
    log1m: FloatArray
    logit_square: FloatArray
    kept: FloatArray
    logit_kept: FloatArray

    @property
    def inner(self) -> FloatArray:
        return self.n - self.zero - self.one - self.outside


def system_columns(
    frame: Any, system: str, score: str, label: str, client_label: object
) -> tuple[list[Any], ClassColumns, ClassColumns, Library | None]:
    """Names of the systems, both classes, and the library."""
    with engine_errors(score, label):
        source = opened(frame, "a mapping or sequence of Scores or ScoreSummary")
    groups = system_groups(source, system, score, label)
    kind = groups["bin"] // KIND_STRIDE
    columns = {"score": score, "label": label, "system": system}
    n = groups["n"]
    rows = int(np.sum(n))
    check_counts(score, rows, int(np.sum(n[kind == KINDS.index("bad")])))
    for name in ("label", "system"):
        gone = np.array([is_missing(v) for v in groups[name].tolist()])
        if gone.any():
            actual = f"{int(np.sum(n[gone]))} of {rows} null or NaN"
            what = f"column {format_value(columns[name])}"
            raise refusal(what, f"have no missing {name}", actual, "Drop these rows first.")
    try:
        names, of_system = np.unique(groups["system"], return_inverse=True)
    except TypeError as error:
        kinds = ", ".join(sorted({type(v).__name__ for v in groups["system"].tolist()}))
        what, rule = f"column {format_value(system)}", "hold names of one type"
        raise refusal(what, rule, kinds, "Convert it to text first.") from error
    mask = client_mask(
        groups["label"], client_label, name=f"column {format_value(label)}", counts=groups["n"]
    )
    both = [_of_groups(groups, kind, of_system, names.size, rows) for rows in (mask, ~mask)]
    return names.tolist(), both[0], both[1], source.library


def _of_groups(
    groups: dict[str, AnyArray], kind: FloatArray, of_system: IntArray, systems: int,
    rows: BoolArray,
) -> ClassColumns:  # fmt: skip
    place, kind = of_system[rows], kind[rows]
    part = {k: v[rows] for k, v in groups.items() if k not in ("system", "label", "bin")}
    inner = kind == _INNER

    def total(values: FloatArray, keep: BoolArray | None = None) -> FloatArray:
        at, of = (place, values) if keep is None else (place[keep], values[keep])
        return np.asarray(np.bincount(at, of, minlength=systems), dtype=np.float64)

    def extreme(name: str, keep: BoolArray, empty: float) -> FloatArray:
        result = np.full(systems, empty)
        (np.minimum if empty > 0.0 else np.maximum).at(result, place[keep], part[name][keep])
        return result

    n, whole = total(part["n"]), np.ones(kind.size, dtype=bool)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = total(part["total"]) / n
        centre = part["total"] / part["n"]
        square = total(np.maximum(part["square"] - part["total"] * centre, 0.0))
        square = square + total(part["n"] * (centre - mean[place]) ** 2)
        raw = total(part["square"])
        log, log1m, raw_logit = (total(part[k], inner) for k in ("log", "log1m", "logit_square"))
        logit_square = raw_logit - (log - log1m) ** 2 / total(part["n"], inner)
        kept = np.where(raw > 0.0, square / raw, 1.0)
        logit_kept = np.where(raw_logit > 0.0, logit_square / raw_logit, 1.0)
    zero, item, outside = (total(part["n"], kind == k) for k in (_ZERO, _ONE, _OUTSIDE))
    return ClassColumns(
        n, zero, item, outside,
        extreme("minimum", whole, np.inf), extreme("maximum", whole, -np.inf),
        extreme("minimum", inner, 2.0), extreme("maximum", inner, -1.0),
        mean, square, log, log1m, logit_square, kept, logit_kept,
    )  # fmt: skip


# ---------------------------------------------------------------------- their estimates
class ClassEstimates(NamedTuple):
    """One class of every system, fitted, or why it is not."""

    who: str
    params: dict[str, FloatArray]
    errors: dict[str, FloatArray]
    log_likelihood: FloatArray
    reason: AnyArray


def beta_of_systems(side: ClassColumns, who: str, boundary: str | None) -> ClassEstimates:
    """Beta distributions from the sums of logarithms."""
    reason = _reasons(side, who, boundary, unit=True)
    n = np.where(reason == "", side.inner, np.nan)
    g1, g2 = side.log / n, side.log1m / n
    a, b, converged = beta.beta_mle(g1, g2)
    top = beta.peak(a, b, g1, g2)
    lost = (top.amplification > beta.ILL_CONDITIONED) & (a + b > LARGEST_SUMMED)
    _refuse(reason, ~converged | lost, who)
    errors = {"a": np.sqrt(top.aa / n), "b": np.sqrt(top.bb / n)}
    result = ClassEstimates(who, {"a": a, "b": b}, errors, n * top.log_likelihood, reason)
    return _with_masses(result, side, boundary)


def normal_of_systems(side: ClassColumns, who: str, boundary: str | None) -> ClassEstimates:
    """Normal distributions from means and squares about them."""
    reason = _reasons(side, who, boundary, unit=False)
    return _from_moments(who, reason, side.n, side.mean, side.square, side.kept)


def logit_normal_of_systems(side: ClassColumns, who: str, boundary: str | None) -> ClassEstimates:
    """The same of the logits."""
    reason, n = _reasons(side, who, boundary, unit=True), side.inner
    mu = (side.log - side.log1m) / np.where(n > 0.0, n, np.nan)
    result = _from_moments(who, reason, n, mu, side.logit_square, side.logit_kept)
    likelihood = result.log_likelihood - (side.log + side.log1m)
    return _with_masses(result._replace(log_likelihood=likelihood), side, boundary)


def _from_moments(
    who: str, reason: AnyArray, n: FloatArray, mu: FloatArray, square: FloatArray, keep: FloatArray
) -> ClassEstimates:
    good = (keep > CANCELLED) & np.isfinite(square) & (square > LEAST_SQUARE * n)
    _refuse(reason, ~good, who)
    n, mu, square = (np.where(reason == "", column, np.nan) for column in (n, mu, square))
    sigma = np.sqrt(square / n)
    errors = {"mu": sigma / np.sqrt(n), "sigma": sigma / np.sqrt(2.0 * n)}
    likelihood = -n * (HALF_LOG_TWO_PI + 0.5 + np.log(sigma))
    return ClassEstimates(who, {"mu": mu, "sigma": sigma}, errors, likelihood, reason)


def _refuse(reason: AnyArray, doubtful: BoolArray, who: str) -> None:
    reason[doubtful & (reason == "")] = (
        f"{who}: too concentrated, or too large or small, for sums of doubles; pass Scores"
    )


def _reasons(side: ClassColumns, who: str, boundary: str | None, *, unit: bool) -> AnyArray:
    """Why a class cannot be fitted; else empty."""
    result = np.full(side.n.size, "", dtype=object)
    inside, low, high = side.n, side.low, side.high
    if unit:
        inside, low, high = side.inner, side.inner_low, side.inner_high
    distinct = (inside >= 2) & (low < high)
    for k in np.flatnonzero(~distinct):
        where = " strictly between 0 and 1" if unit else ""
        got = f"{inside[k]:g}, all equal to {low[k]:g}" if inside[k] > 1 else f"{inside[k]:g}"
        result[k] = f"{who}: at least 2 distinct scores are needed{where}; got {got}"
    if unit and boundary == "error":
        for k in np.flatnonzero(side.zero + side.one > 0.0):
            result[k] = (
                f"{who}: {side.zero[k]:g} scores of exactly 0 and {side.one[k]:g} of exactly 1"
            )
    for k in np.flatnonzero(side.outside > 0.0) if unit else ():
        percent = side.low[k] >= 0.0 and 2.0 < side.high[k] <= 100.0
        result[k] = f"{who}: {side.outside[k]:g} of {side.n[k]:g} scores outside [0, 1]"
        result[k] += ", as of percentages: divide by 100" if percent else ""
    for k in np.flatnonzero(~(side.n > 0.0)):
        result[k] = f"{who}: no scores"
    return result


def _with_masses(fit: ClassEstimates, side: ClassColumns, boundary: str | None) -> ClassEstimates:
    """Point masses with their observed shares."""
    if boundary not in (None, "inflate"):
        return fit
    from scipy.special import xlogy

    n = np.where(fit.reason == "", side.n, np.nan)
    shares = {"at_zero": side.zero / n, "at_one": side.one / n}
    logs = sum(xlogy(count, count / n) for count in (side.zero, side.one, side.inner))
    errors = {name: np.sqrt(p * (1.0 - p) / n) for name, p in shares.items()}
    return fit._replace(
        params=fit.params | shares, errors=fit.errors | errors,
        log_likelihood=fit.log_likelihood + logs,
    )  # fmt: skip
