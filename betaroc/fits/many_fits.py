"""Fits of many systems at once: a table with a row a system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import AnyArray, BoolArray, FloatArray
from betaroc.core.errors import (
    BetarocError,
    BetarocWarning,
    BoundaryWarning,
    InputError,
    InputTypeError,
    ReversedScoresWarning,
    SmallSampleWarning,
)
from betaroc.core.notices import public, quietly, warn
from betaroc.core.polygamma import information_terms, phi_tau
from betaroc.core.special import HALF_LOG_TWO_PI, stirling_remainders
from betaroc.core.tables import Library, Table, first_library, library_of, table_of
from betaroc.core.text import listed, shown
from betaroc.data.scores import ScoreData, Scores
from betaroc.distributions.beta import beta_auc
from betaroc.distributions.inflated import MASSES
from betaroc.estimation.batch import ClassColumns, class_columns, system_columns
from betaroc.estimation.boundary import SUMMED_POLICIES, check_request
from betaroc.estimation.estimate import Options, estimate_pair
from betaroc.estimation.families import (
    AUTO,
    FAMILIES,
    Names,
    Span,
    checked_pair,
    chosen_of,
    named,
    refuse_rule,
    spans_of,
)
from betaroc.estimation.newton import ILL_CONDITIONED, beta_mle
from betaroc.estimation.notices import SMALL_SAMPLE, give
from betaroc.estimation.summed import CANCELLED, LARGEST_SUMMED, LEAST_SQUARE

__all__ = ["fit_many"]


@public
def fit_many(
    frame: Any,
    *,
    system: str = "system",
    score: str = "score",
    label: str = "label",
    client_label: object = None,
    family: Names = AUTO,
    boundary: str | None = None,
) -> Table:
    """Maximum-likelihood fits of many systems: a table with a row a system.

    Parameters
    ----------
    frame : frame, mapping or sequence
        A frame with a row a score, eager or lazy, of any engine that Narwhals reads (pandas,
        Polars, pyarrow, DuckDB, Dask, PySpark): it is grouped on its own engine, and only sums are
        collected. Or a mapping of names to Scores or ScoreSummary, or a sequence of these, named
        by their `name` or their place.
    system, score, label : str
        Columns of a frame.
    client_label : optional
        The label of the clients in a frame, one for all systems; None only for {0, 1},
        {False, True} and {-1, 1}.
    family : str or pair of str
        As in :func:`fit`, one for all systems: "auto" is "beta" where every score of all of them
        lies in [0, 1], else "normal". Of a frame "auto", "beta", "normal" or "logit-normal", one
        for both classes. The table says what was fitted, and why.
    boundary : str, optional
        As in :func:`fit`; of a frame None, "inflate", "drop" or "error".

    Returns
    -------
    DataFrame
        Of the library of the frame (pandas, Polars, pyarrow; pandas for any other engine), or of
        the first scores that were read from one. Sorted by system of a frame, else in the order
        given. ``system``, ``n_client``, ``n_impostor``; ``client_family``, ``impostor_family`` and
        in ``family_reason`` why, where "auto" chose them, the same in all rows; the parameters of
        both laws and their standard errors, such as ``client_a``, ``client_a_std_error``;
        ``log_likelihood``; ``auc`` of the fitted pair; ``fitted``, and in ``reason`` why not, with
        nan for the numbers. A frame of pandas has family and reason in its ``attrs`` too, which
        other libraries have not.

    Raises
    ------
    InputError
        For an empty collection, a name that occurs twice, an unknown family or rule, and what
        `summarize` refuses in a frame: missing columns, null, NaN or infinite scores and missing
        labels (counted), labels beyond two; names of systems of several types.
    InputTypeError
        For something else than a frame or a collection of scores.
    EngineError
        If the engine of a frame lost its workers.

    Warns
    -----
    BetarocWarning
        If systems are not fitted: how many, and the first with its reason.
    BoundaryWarning, ReversedScoresWarning, SmallSampleWarning
        As in :func:`fit`, each with the number of systems.

    Notes
    -----
    A beta fit needs two sums a class. Those of all systems are made in one pass, and Newton's
    method runs on all of them side by side, to the accuracy of :func:`fit`; a class with a + b
    beyond about 1e3 is fitted again by itself from its scores. Of a frame, whose sums are all
    there is, the relative error is about 1e-14 (a + b), and classes beyond 1e6 are not fitted. Sums
    of squares about 0 cost normal and logit-normal laws a relative error of about
    1e-16 (mean / sigma)^2, and none is fitted beyond a ratio of 1e4; :func:`summarize` reads such
    scores a second time. Other families, and scores
    with weights, are fitted one by one.

    Examples
    --------
    >>> import betaroc as br
    >>> import pandas as pd
    >>> one, other = [0.3, 0.6, 0.7, 0.9], [0.1, 0.2, 0.4, 0.6]
    >>> frame = pd.DataFrame(
    ...     {
    ...         "system": ["mlp"] * 8 + ["svm"] * 8,
    ...         "label": [1, 1, 1, 1, 0, 0, 0, 0] * 2,
    ...         "score": [*one, *other, *other, *one],
    ...     }
    ... )
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # few scores, and svm has the classes exchanged
    ...     table = br.fit_many(frame)
    >>> table["system"].tolist(), bool(abs(table["auc"].sum() - 1) < 1e-12)
    (['mlp', 'svm'], True)
    """
    pair = checked_pair(family, (AUTO,))
    if family != AUTO:
        _check_rule(pair, boundary)
    if isinstance(frame, Mapping):
        names, items = list(frame), list(frame.values())
    elif isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
        items = list(frame)
        names = [_name(item, k) for k, item in enumerate(items)]
    else:
        return _of_frame(frame, (system, score, label), client_label, pair, boundary)
    return _of_scores(names, items, pair, boundary)


def _name(item: Any, place: int) -> str | int:
    named = isinstance(item, ScoreData) and item.name is not None
    return str(item.name) if named else place


# ------------------------------------------------------------------------------ the two ways
def _of_frame(
    frame: Any,
    columns: tuple[str, str, str],
    client_label: object,
    pair: tuple[str, str],
    boundary: str | None,
) -> Table:
    summed = pair[0] == pair[1] and pair[0] in (AUTO, *_BATCHES)
    if not summed or boundary not in (None, *SUMMED_POLICIES):
        raise InputError(
            f"of a frame only sums are collected, which determine {listed(_BATCHES)} fits with"
            f" boundary None, {listed(SUMMED_POLICIES)}; got family={named(pair)!r},"
            f" boundary={boundary!r}. Pass a mapping of names to Scores."
        )
    if not all(isinstance(c, str) for c in columns) or len(set(columns)) < len(columns):
        raise InputError(
            f"system, score and label must name three columns; got {shown(columns)}. Name the"
            " column of each."
        )
    names, client, impostor, library = system_columns(frame, *columns, client_label)
    sides = (("client", client), ("impostor", impostor))
    chosen = _taken(pair, [span for who, side in sides for span in _spans(side, who)], boundary)
    laws = [_BATCHES[chosen.pair[0]](side, who, boundary) for who, side in sides]
    for found in laws:
        found.refuse_doubtful()
    numbers = _columns(laws[0], laws[1])
    return _table(names, (client.n, impostor.n), numbers, boundary, chosen, library)


def _of_scores(
    names: list[Any], items: list[Any], pair: tuple[str, str], boundary: str | None
) -> Table:
    if not items:
        raise InputError.about("frame")(
            "frame must hold at least one system; the collection is empty."
        )
    for name, item in zip(names, items, strict=True):
        if not isinstance(item, ScoreData):
            raise InputTypeError(
                f"every system must be Scores or a ScoreSummary; {shown(name)} is {shown(item)} of"
                f" type {type(item).__name__}. Pass Scores(client, impostor), or a frame."
            )
    twice = [name for name, many in Counter(names).items() if many > 1]
    if twice:
        raise InputError.about("systems")(
            f"systems must have names of their own; {names.count(twice[0])} are called"
            f" {shown(twice[0])}. Pass a mapping of distinct names."
        )
    chosen = _taken(pair, [span for item in items for span in spans_of(item)], boundary)
    pair = chosen.pair
    one = pair[0] == pair[1] and pair[0] in _BATCHES
    batched = one and boundary in (None, *SUMMED_POLICIES)
    together = [k for k, item in enumerate(items) if batched and _plain(item)]
    columns: dict[str, AnyArray] = {}
    alone = set(range(len(items))) - set(together)
    if together:
        laws = []
        for who in ("client", "impostor"):
            side = class_columns(
                [getattr(items[k], who) for k in together],
                unit=FAMILIES[pair[0]].on_unit, squares=pair[0] == "logit-normal",
            )  # fmt: skip
            laws.append(_BATCHES[pair[0]](side, who, boundary))
        alone |= {together[k] for k in np.flatnonzero(laws[0].doubtful | laws[1].doubtful)}
        columns = _spread(_columns(laws[0], laws[1]), together, len(items))
    for k in sorted(alone):
        _put(columns, k, _single(items[k], pair, boundary), len(items))
    sizes = tuple(
        np.array([getattr(item, n) for item in items]) for n in ("n_client", "n_impostor")
    )
    return _table(names, sizes, columns, boundary, chosen, first_library(items))


def _check_rule(pair: tuple[str, str], boundary: str | None) -> None:
    """A rule for scores of 0 and 1 is for the families on [0, 1]; one of them must be such."""
    ruled = [name for name in pair if FAMILIES[name].on_unit] or [pair[0]]
    for name in ruled:
        check_request(boundary, None, name, FAMILIES[name])


def _taken(pair: tuple[str, str], spans: list[Span], boundary: str | None) -> _Chosen:
    if pair[0] != AUTO:
        return _Chosen(pair, "")
    check_request(boundary, None, "beta", FAMILIES["beta"])
    chosen = chosen_of(spans, AUTO)
    refuse_rule(chosen, boundary, None)
    give(chosen.notices)
    return _Chosen((chosen.family, chosen.family), chosen.reason)


def _spans(side: ClassColumns, who: str) -> list[Span]:
    """Where the scores of all systems lie; of systems without a class there are none."""
    there = side.n > 0.0
    if not np.any(there):
        return []
    return [
        Span(
            who, int(np.sum(side.n)), int(np.sum(side.outside)), float(np.min(side.low[there])),
            float(np.max(side.high[there])), None,
        )
    ]  # fmt: skip


def _plain(item: ScoreData) -> bool:
    """Scores without weights."""
    return (
        isinstance(item, Scores) and item.client_weights is None and item.impostor_weights is None
    )


def _spread(columns: dict[str, AnyArray], places: list[int], n: int) -> dict[str, AnyArray]:
    """Columns of some systems as columns of all."""
    found = {}
    for name, values in columns.items():
        found[name] = np.full(n, "" if values.dtype == object else np.nan, dtype=values.dtype)
        found[name][places] = values
    return found


def _put(columns: dict[str, AnyArray], k: int, row: dict[str, Any], n: int) -> None:
    """The numbers of one system in place of those of the batch."""
    for values in columns.values():
        values[k] = "" if values.dtype == object else np.nan
    for name, value in row.items():
        if name not in columns:
            text = isinstance(value, str)
            columns[name] = np.full(n, "" if text else np.nan, dtype=object if text else float)
        columns[name][k] = value


def _single(item: ScoreData, pair: tuple[str, str], boundary: str | None) -> dict[str, Any]:
    """A system fitted by itself."""
    try:
        with quietly():
            found, _ = estimate_pair(item, pair, Options(boundary))
    except BetarocError as error:
        return {"reason": str(error)}
    row: dict[str, Any] = {}
    for who, name, law in zip(
        ("client", "impostor"), pair, (found.client, found.impostor), strict=True
    ):
        masses = FAMILIES[name].on_unit and boundary in (None, "inflate")
        params = dict.fromkeys(MASSES, 0.0) if masses else {}
        params |= law.params
        errors = dict.fromkeys(params, 0.0) | dict(law.std_errors)
        row |= {f"{who}_{name}": value for name, value in params.items()}
        row |= {f"{who}_{name}_std_error": errors[name] for name in params}
    return row | {
        "log_likelihood": found.log_likelihood, "auc": found.model.auc(), "reason": "",
    }  # fmt: skip


# --------------------------------------------------------------------------- laws of a batch
@dataclass(frozen=True)
class _Laws:
    """One class of every system, fitted; `doubtful` are those that sums alone do not settle."""

    who: str
    params: dict[str, FloatArray]
    errors: dict[str, FloatArray]
    log_likelihood: FloatArray
    reason: AnyArray
    doubtful: BoolArray

    def refuse_doubtful(self) -> None:
        """What sums do not settle is not fitted where there is nothing else."""
        for k in np.flatnonzero(self.doubtful):
            self.reason[k] = self.reason[k] or (
                f"{self.who}: too concentrated, or too large or small, for sums of doubles;"
                " pass Scores"
            )


def _reasons(side: ClassColumns, who: str, boundary: str | None, *, unit: bool) -> AnyArray:
    """Why a class cannot be fitted; empty text where it can."""
    found = np.full(side.n.size, "", dtype=object)
    inside, low, high = side.n, side.low, side.high
    if unit:
        inside, low, high = side.inner, side.inner_low, side.inner_high
    distinct = (inside >= 2) & (low < high)
    for k in np.flatnonzero(~distinct):
        where = " strictly between 0 and 1" if unit else ""
        got = f"{inside[k]:g}, all equal to {low[k]:g}" if inside[k] > 1 else f"{inside[k]:g}"
        found[k] = f"{who}: at least 2 distinct scores are needed{where}; got {got}"
    if unit and boundary == "error":
        for k in np.flatnonzero(side.zero + side.one > 0.0):
            found[k] = (
                f"{who}: {side.zero[k]:g} scores of exactly 0 and {side.one[k]:g} of exactly 1"
            )
    for k in np.flatnonzero(side.outside > 0.0) if unit else ():
        percent = side.low[k] >= 0.0 and 2.0 < side.high[k] <= 100.0
        found[k] = f"{who}: {side.outside[k]:g} of {side.n[k]:g} scores outside [0, 1]"
        found[k] += ", as of percentages: divide by 100" if percent else ""
    for k in np.flatnonzero(~(side.n > 0.0)):
        found[k] = f"{who}: no scores"
    return found


def _beta(side: ClassColumns, who: str, boundary: str | None) -> _Laws:
    reason = _reasons(side, who, boundary, unit=True)
    n = np.where(reason == "", side.inner, np.nan)
    g1, g2 = side.log / n, side.log1m / n
    a, b, converged = beta_mle(g1, g2)
    taus = [phi_tau(v)[1] for v in (a, b, a + b)]
    of_a, of_b, coupling, det = information_terms(a, b, *taus)
    aa, ab, bb = of_b / det, coupling / det, of_a / det
    amplified = np.maximum(-(aa * g1 + ab * g2) / a, -(ab * g1 + bb * g2) / b)
    limit = amplified > ILL_CONDITIONED
    if not side.from_rows:
        limit &= a + b > LARGEST_SUMMED
    doubtful = (reason != "") | ~converged | limit
    params, errors = {"a": a, "b": b}, {"a": np.sqrt(aa / n), "b": np.sqrt(bb / n)}
    likelihood = n * _mean_log_likelihood(a, b, g1, g2)
    return _with_masses(_Laws(who, params, errors, likelihood, reason, doubtful), side, boundary)


def _mean_log_likelihood(
    a: FloatArray, b: FloatArray, g1: FloatArray, g2: FloatArray
) -> FloatArray:
    """At the maximum, where the score equations turn the large terms into small ones."""
    s = a + b
    squares = a * phi_tau(a)[0] + b * phi_tau(b)[0] - s * phi_tau(s)[0]
    rest = stirling_remainders(a) + stirling_remainders(b) - stirling_remainders(s)
    return np.asarray(squares - g1 - g2 - HALF_LOG_TWO_PI - 0.5 * np.log(s / a / b) - rest)


def _normal(side: ClassColumns, who: str, boundary: str | None) -> _Laws:
    reason = _reasons(side, who, boundary, unit=False)
    return _moments(who, reason, side.n, side.mean, side.square, side.kept)


def _logit_normal(side: ClassColumns, who: str, boundary: str | None) -> _Laws:
    reason, n = _reasons(side, who, boundary, unit=True), side.inner
    mu = (side.log - side.log1m) / np.where(n > 0.0, n, np.nan)
    found = _moments(who, reason, n, mu, side.logit_square, side.logit_kept)
    jacobian = -(side.log + side.log1m)
    found = replace(found, log_likelihood=found.log_likelihood + jacobian)
    return _with_masses(found, side, boundary)


def _moments(
    who: str, reason: AnyArray, n: FloatArray, mu: FloatArray, square: FloatArray, kept: FloatArray
) -> _Laws:
    good = (reason == "") & (kept > CANCELLED) & np.isfinite(square)
    good &= square > LEAST_SQUARE * n
    n, mu = np.where(good, n, np.nan), np.where(good, mu, np.nan)
    sigma = np.sqrt(np.where(good, square, np.nan) / n)
    errors = {"mu": sigma / np.sqrt(n), "sigma": sigma / np.sqrt(2.0 * n)}
    likelihood = -n * (HALF_LOG_TWO_PI + 0.5 + np.log(sigma))
    return _Laws(who, {"mu": mu, "sigma": sigma}, errors, likelihood, reason, ~good)


def _with_masses(found: _Laws, side: ClassColumns, boundary: str | None) -> _Laws:
    """Point masses with their observed shares, unless these scores are left out."""
    if boundary not in (None, "inflate"):
        return found
    from scipy.special import xlogy

    n = np.where(found.reason == "", side.n, np.nan)
    shares = {"at_zero": side.zero / n, "at_one": side.one / n}
    logs = sum(xlogy(count, count / n) for count in (side.zero, side.one, side.inner))
    errors = {name: np.sqrt(p * (1.0 - p) / n) for name, p in shares.items()}
    return replace(
        found, params=found.params | shares, errors=found.errors | errors,
        log_likelihood=found.log_likelihood + logs,
    )  # fmt: skip


_BATCHES: dict[str, Callable[[ClassColumns, str, str | None], _Laws]] = {
    "beta": _beta,
    "normal": _normal,
    "logit-normal": _logit_normal,
}


# -------------------------------------------------------------------------------- the table
def _columns(client: _Laws, impostor: _Laws) -> dict[str, AnyArray]:
    found: dict[str, AnyArray] = {}
    for law in (client, impostor):
        found |= {f"{law.who}_{name}": values for name, values in law.params.items()}
        found |= {f"{law.who}_{name}_std_error": values for name, values in law.errors.items()}
    reason = np.where(client.reason == "", impostor.reason, client.reason)
    found["log_likelihood"] = client.log_likelihood + impostor.log_likelihood
    found["auc"] = _auc(client.params, impostor.params)
    lost = reason != ""
    for values in found.values():
        values[lost] = np.nan
    return found | {"reason": reason}


def _auc(c: Mapping[str, FloatArray], i: Mapping[str, FloatArray]) -> FloatArray:
    """Of the laws' continuous parts, and of their point masses."""
    from scipy.special import ndtr

    if "a" in c:
        inner = np.full(c["a"].size, np.nan)
        known = np.isfinite(c["a"] + i["a"])
        inner[known] = beta_auc(*(side[p][known] for side in (c, i) for p in ("a", "b")))
    else:
        inner = ndtr((c["mu"] - i["mu"]) / np.hypot(c["sigma"], i["sigma"]))
    if "at_zero" not in c:
        return np.asarray(inner)
    (c0, c1), (i0, i1) = ([side[mass] for mass in MASSES] for side in (c, i))
    c_in, i_in = 1.0 - c0 - c1, 1.0 - i0 - i1
    ties = 0.5 * (c0 * i0 + c1 * i1)
    return np.asarray(c_in * i_in * inner + c_in * i0 + c1 * (i0 + i_in) + ties)


class _Chosen(NamedTuple):
    """The families of all systems, and why where they were not named."""

    pair: tuple[str, str]
    reason: str


def _table(
    names: list[Any],
    sizes: tuple[AnyArray, ...],
    columns: dict[str, AnyArray],
    boundary: str | None,
    chosen: _Chosen,
    library: Library | None,
) -> Table:
    reason = columns.pop("reason")
    last = {
        name: columns.pop(name, np.full(len(names), np.nan)) for name in ("log_likelihood", "auc")
    }
    counts = [np.asarray(size, dtype=np.int64) for size in sizes]
    head = {
        "system": names, "n_client": counts[0], "n_impostor": counts[1],
        "client_family": [chosen.pair[0]] * len(names),
        "impostor_family": [chosen.pair[1]] * len(names),
        "family_reason": [chosen.reason] * len(names),
    }  # fmt: skip
    found = head | columns | last | {"fitted": reason == "", "reason": reason}
    _say(found, boundary)
    table = table_of(found, library)
    if library_of(table) == "pandas":
        table.attrs.update(family=named(chosen.pair), reason=chosen.reason)
    return table


_ADVICE: dict[type[BetarocWarning], str] = {
    BetarocWarning: "The column reason says why each.",
    SmallSampleWarning: "Estimates from so few are biased; see n_client and n_impostor.",
    BoundaryWarning: 'Other choices: boundary="error" or "drop".',
    ReversedScoresWarning: "Nothing is flipped: see auc, and check which label is the client's.",
}


def _say(columns: Mapping[str, Any], boundary: str | None) -> None:
    """One warning a kind, with the number of systems and the first."""
    lost = ~columns["fitted"]
    few = ~lost & (np.minimum(columns["n_client"], columns["n_impostor"]) < SMALL_SAMPLE)
    masses = [v for k, v in columns.items() if k.endswith(("_at_zero", "_at_one"))]
    ends = np.zeros(lost.size, dtype=bool)
    if boundary is None and masses:
        ends = np.any(np.stack(masses) > 0.0, axis=0)
    for rows, what, category in (
        (lost, "are not fitted", BetarocWarning),
        (few, f"have a class of fewer than {SMALL_SAMPLE} scores", SmallSampleWarning),
        (ends, "have scores of exactly 0 or 1, fitted as point masses", BoundaryWarning),
        (
            columns["auc"] < 0.5,
            "have impostors that score higher than clients",
            ReversedScoresWarning,
        ),
    ):
        if rows.any():
            first = int(np.argmax(rows))
            why = f": {columns['reason'][first]}" if category is BetarocWarning else ""
            warn(
                f"{int(rows.sum())} of {rows.size} systems {what}, first"
                f" {shown(columns['system'][first])}{why.rstrip('.')}. {_ADVICE[category]}",
                category,
            )
