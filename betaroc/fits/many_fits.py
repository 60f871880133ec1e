"""Fits of many systems at once: a table with one row per system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from betaroc.core import errors, notices, tables
from betaroc.core.arrays import CLASSES, AnyArray
from betaroc.core.text import format_list, format_value, typed
from betaroc.core.vocabulary import CLIENTS, IMPOSTORS
from betaroc.data.scores import ScoreData, Scores
from betaroc.distributions.inflated import MASSES, REJECTED, Inflated
from betaroc.estimation import batch, families
from betaroc.estimation.contract import SUMMED_POLICIES, check_request
from betaroc.estimation.estimate import SMALL_SAMPLE, Options, estimate_pair, give
from betaroc.inference.scores_beyond import SampleSupport, less_absent, needed
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import StatisticSpec, parse_statistics

#: Columns of the estimates, pairs of the systems that have one, scores that speak for a rate.
_Fitted = tuple[dict[str, AnyArray], dict[int, ScoreModel], Sequence[AnyArray]]


@notices.collect_warnings
def fit_many(
    frame: Any,
    *,
    system: str = "system",
    score: str = "score",
    label: str = "label",
    client_label: object = None,
    family: families.Names = families.AUTO,
    boundary: str | None = None,
    statistics: str | Sequence[str] = (),
) -> tables.Table:
    """Fit many systems at once: a table with one row per system.

    Parameters
    ----------
    frame : frame, mapping or sequence
        A frame with one row per score, eager or lazy, of which only sums are collected. Or a
        mapping of names to Scores or ScoreSummary, or a sequence of these, named by their `name` or
        their place.
    system, score, label : str
        Columns of a frame.
    client_label : optional
        As in `Scores.from_labels`, of a frame.
    family : str or pair of str
        As in :func:`fit`, one for all systems. Of a frame "auto", "beta", "normal" or
        "logit-normal", one for both classes.
    boundary : str, optional
        As in :func:`fit`; of a frame None, "inflate", "drop" or "error".
    statistics : sequence of str
        Numbers of the fitted pairs: names of :func:`statistics`, with the point after "@", such as
        ``("eer", "tpr@far=0.01", "threshold@eer")``. A column each.

    Returns
    -------
    DataFrame
        Of the library of the frame or the scores, sorted by system of a frame. ``system``,
        ``n_client``, ``n_impostor``; ``client_family``, ``impostor_family`` and in
        ``family_reason`` why; the parameters and their standard errors, such as ``client_a``,
        ``client_a_std_error``; ``log_likelihood``; ``auc``; the statistics, and beside each that
        rests on rates how many scores (groups) are expected beyond them, such as
        ``tpr@far=0.01_n_beyond``; ``fitted``, and in ``reason`` why not.

    Raises
    ------
    InputError, InputTypeError
        For an empty collection, a name that occurs twice, an unknown family, rule or statistic, a
        point that is missing or superfluous, and what `summarize` refuses in a frame.
    EngineError
        If the engine of a frame lost its workers.

    Warns
    -----
    BetarocWarning
        If systems are not fitted, or have no such statistic.
    ExtrapolationWarning
        If less than one score is expected beyond a rate that a statistic rests on. Whether counts
        contradict the fits there is not looked at.
    BoundaryWarning, ReversedScoresWarning, SmallSampleWarning
        As in :func:`fit`, each with the number of systems.

    Notes
    -----
    Newton's method runs on the sums of all systems side by side, to the accuracy of :func:`fit`. Of
    a frame the relative error is about 1e-14 (a + b), and classes beyond 1e6 are not fitted, nor
    normal and logit-normal distributions beyond mean / sigma = 1e4. Other families, scores with
    weights, and systems of which some trials have no score are fitted one by one.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = {"logreg": br.datasets.load_liveness().dev}
    >>> br.fit_many(scores, statistics=["eer", "tpr@far=0.1"]).columns[-7:].tolist()
    ['auc', 'eer', 'eer_n_beyond', 'tpr@far=0.1', 'tpr@far=0.1_n_beyond', 'fitted', 'reason']
    """
    specs = parse_statistics(statistics)
    pair = families.checked_pair(family, (families.AUTO,))
    if family != families.AUTO:
        for name in [n for n in pair if families.FAMILIES[n].on_unit] or pair[:1]:
            check_request(boundary, None, name, families.FAMILIES[name])
    if isinstance(frame, Mapping | Sequence) and not isinstance(frame, str | bytes):
        names, items = _collected(frame)
        sizes = [np.array([getattr(item, f"n_{who}") for item in items]) for who in CLASSES]
        spans = [span for item in items for span in families.spans_of(item)]
        library, fitted = tables.first_library(items), partial(_by_one, items)
    else:
        _check_summed((system, score, label), pair, boundary)
        names, *sides, library = batch.system_columns(frame, system, score, label, client_label)
        sizes = [side.n for side in sides]
        spans = [
            families.Span(who, int(np.sum(side.n)), int(np.sum(side.outside)))
            for who, side in zip(CLASSES, sides, strict=True)
        ]
        fitted = partial(_by_sums, sides)
    why = ""
    if pair[0] == families.AUTO:
        check_request(boundary, None, "beta", families.FAMILIES["beta"])
        choice = families.chosen_of(spans)
        families.check_rule(choice, boundary)
        give(choice.notices)
        pair, why = (choice.family, choice.family), choice.reason
    columns, models, speaking = fitted(pair, boundary)
    more: dict[str, AnyArray] = {}
    for spec in specs:
        more |= _statistic_columns(spec, models, speaking, names)
    reason, nothing = columns["reason"], np.full(len(names), np.nan)
    result: dict[str, Any] = {"system": names}
    result |= {f"n_{who}": np.asarray(n, np.int64) for who, n in zip(CLASSES, sizes, strict=True)}
    result |= {f"{who}_family": [n] * len(names) for who, n in zip(CLASSES, pair, strict=True)}
    result["family_reason"] = [why] * len(names)
    result |= {n: v for n, v in columns.items() if n.startswith(("client_", "impostor_"))}
    result |= {name: columns.get(name, nothing) for name in ("log_likelihood", "auc")} | more
    result |= {"fitted": reason == "", "reason": reason}
    _warn_of(result, boundary)
    return tables.table_of(result, library)


def _collected(frame: Mapping[Any, Any] | Sequence[Any]) -> tuple[list[Any], list[ScoreData]]:
    if isinstance(frame, Mapping):
        names, items = list(frame), list(frame.values())
    else:
        items, called = list(frame), [getattr(item, "name", None) for item in frame]
        names = [k if name is None else str(name) for k, name in enumerate(called)]
    if not items:
        raise errors.refusal("frame", "hold at least one system", "an empty collection")
    for name, item in zip(names, items, strict=True):
        if not isinstance(item, ScoreData):
            actual, kind = f"{typed(item)} for {format_value(name)}", errors.InputTypeError
            raise errors.refusal("frame", "hold Scores or summaries of them", actual, kind=kind)
    twice = [name for name, many in Counter(names).items() if many > 1]
    if twice:
        actual = f"{names.count(twice[0])} called {format_value(twice[0])}"
        raise errors.refusal("systems", "have names of their own", actual, "Pass a mapping.")
    return names, items


def _check_summed(columns: tuple[str, ...], pair: tuple[str, str], boundary: str | None) -> None:
    summed = [name for name, row in families.FAMILIES.items() if row.systems is not None]
    of_sums = pair[0] == pair[1] and pair[0] in (families.AUTO, *summed)
    if not of_sums or boundary not in (None, *SUMMED_POLICIES):
        raise errors.InputError(
            f"of a frame only sums are collected, which determine {format_list(summed)} fits with"
            f" boundary None, {format_list(SUMMED_POLICIES)}; got family={families.named(pair)!r},"
            f" boundary={format_value(boundary)}. Pass a mapping of names to Scores."
        )
    if not all(isinstance(c, str) for c in columns) or len(set(columns)) < len(columns):
        raise errors.InputError(
            f"system, score and label must name three columns; got {format_value(columns)}."
        )


# --------------------------------------------------------------------------- systems in memory
def _by_one(items: list[ScoreData], pair: tuple[str, str], boundary: str | None) -> _Fitted:
    absent = any(item.has_rejected for item in items)  # whose share is a parameter of every row
    rows: list[dict[str, Any]] = []
    models: dict[int, ScoreModel] = {}
    for k, item in enumerate(items):
        try:
            with notices.suppress_warnings():
                result, _ = estimate_pair(item._scored, pair, Options(boundary))
                if isinstance(item, Scores) and item.has_rejected:
                    result = result._rejecting(item)
        except errors.BetarocError as error:
            rows.append({"reason": str(error)})
            continue
        row: dict[str, Any] = {}
        for who, name in zip(CLASSES, pair, strict=True):
            part = getattr(result, who)
            masses = families.FAMILIES[name].on_unit and boundary in (None, "inflate")
            params = (dict.fromkeys(MASSES, 0.0) if masses else {}) | part.params
            if absent:
                params.setdefault(REJECTED, 0.0)
            deviations = dict.fromkeys(params, 0.0) | part.std_errors
            row |= {f"{who}_{label}": value for label, value in params.items()}
            row |= {f"{who}_{label}_std_error": deviations[label] for label in params}
        row |= {"log_likelihood": result.log_likelihood, "auc": result.model.auc(), "reason": ""}
        rows.append(row)
        models[k] = result.model
    labels = dict.fromkeys(label for row in rows for label in row)
    columns = {label: np.array([row.get(label, np.nan) for row in rows]) for label in labels}
    client, impostor = (boundary == "drop" and families.FAMILIES[name].on_unit for name in pair)
    sizes = [SampleSupport(item, dropped=(client, impostor)).sizes for item in items]
    return columns, models, list(np.array(sizes).T)


# ------------------------------------------------------------------------- systems of a frame
def _by_sums(sides: Sequence[Any], pair: tuple[str, str], boundary: str | None) -> _Fitted:
    family = families.FAMILIES[pair[0]]
    assert family.systems is not None  # noqa: S101 - "auto" and `_check_summed` see to it
    client, impostor = parts = [
        family.systems(side, who, boundary) for side, who in zip(sides, CLASSES, strict=True)
    ]
    columns: dict[str, AnyArray] = {}
    for part in parts:
        columns |= {f"{part.who}_{name}": values for name, values in part.params.items()}
        columns |= {f"{part.who}_{name}_std_error": values for name, values in part.errors.items()}
    reason = np.where(client.reason == "", impostor.reason, client.reason)
    columns["log_likelihood"] = client.log_likelihood + impostor.log_likelihood
    columns["auc"] = np.empty(reason.size)
    for values in columns.values():
        values[reason != ""] = np.nan
    law: Any = family.law
    models = {}
    for k in np.flatnonzero(reason == "").tolist():
        laws = []
        for part in parts:
            params = {name: float(column[k]) for name, column in part.params.items()}
            masses = {name: params.pop(name) for name in MASSES if name in params}
            base = law(*params.values())
            laws.append(Inflated(base, **masses) if any(masses.values()) else base)
        sizes = [float(side.n[k]) for side in sides]
        models[k] = ScoreModel(*laws, prior=sizes[0] / sum(sizes))
        columns["auc"][k] = models[k]._pair.auc()
    inner = boundary == "drop" and family.on_unit
    return columns | {"reason": reason}, models, [s.inner if inner else s.n for s in sides]


# ------------------------------------------------------------------- what is said of the table
def _statistic_columns(
    spec: StatisticSpec, models: Mapping[int, ScoreModel], sizes: Sequence[AnyArray],
    names: Sequence[Any],
) -> dict[str, AnyArray]:  # fmt: skip
    values, beyond = np.full((2, len(names)), np.nan)
    extrapolated, failed = "is extrapolated", "has no value"
    reasons: dict[str, dict[int, str]] = {failed: {}, extrapolated: {}}
    for k, model in models.items():
        absent = [float(law.cdf(-np.inf)) for law in (model.client, model.impostor)]
        try:
            with notices.suppress_warnings():
                values[k] = spec.number(model)
                rates = [less_absent(rate, absent[rate.who]) for rate in spec.rates(model)]
        except errors.BetarocError as error:
            reasons[failed][k] = str(error)
            continue
        if np.isnan(values[k]):
            reasons[failed][k] = f"{spec.absence(model) or 'it is nan'}."
        expected = [
            (float(sizes[rate.who][k] * rate.tail), rate.who, float(rate.tail))
            for rate in rates if not np.isnan(rate.tail)
        ]  # fmt: skip
        beyond[k], who, tail = min(expected, default=(np.nan, 0, np.nan))
        if beyond[k] < 1.0:
            reasons[extrapolated][k] = (
                f"of {sizes[who][k]:.6g} {CLASSES[who]} scores {beyond[k]:.2g} are expected beyond"
                f" a rate of {tail:.4g}, so no score speaks for the number; about {needed(tail)}"
                f" would (3/rate). See the column {spec}_n_beyond."
            )
    for fault, category in (
        (failed, errors.BetarocWarning), (extrapolated, errors.ExtrapolationWarning),
    ):  # fmt: skip
        for k, why in list(reasons[fault].items())[:1]:
            many = f"{len(reasons[fault])} of {len(names)} systems, first {format_value(names[k])}"
            notices.warn(f"{spec} {fault} for {many}: {why}", category)
    rest = {} if np.all(np.isnan(beyond)) else {f"{spec}_n_beyond": beyond}
    return {str(spec): values} | rest


def _warn_of(columns: Mapping[str, Any], boundary: str | None) -> None:
    lost = ~columns["fitted"]
    few = ~lost & (np.minimum(columns["n_client"], columns["n_impostor"]) < SMALL_SAMPLE)
    masses = [v > 0.0 for k, v in columns.items() if k.endswith(("_at_zero", "_at_one"))]
    ends = np.any([lost & False, *masses], axis=0) & (boundary is None)
    for rows, text, category, advice in (
        (lost, "are not fitted", errors.BetarocWarning, "The column reason says why each."),
        (few, f"have a class of fewer than {SMALL_SAMPLE} scores", errors.SmallSampleWarning,
         "Estimates from so few are biased; see n_client and n_impostor."),
        (ends, "have scores of exactly 0 or 1, fitted as point masses", errors.BoundaryWarning,
         'Other choices: boundary="error" or "drop".'),
        (columns["auc"] < 0.5, f"have {IMPOSTORS} that score higher than {CLIENTS}",
         errors.ReversedScoresWarning,
         "Nothing is flipped: see auc, and check which label is the client's."),
    ):  # fmt: skip
        if rows.any():
            first = int(np.argmax(rows))
            why = f": {columns['reason'][first]}" if rows is lost else ""
            notices.warn(
                f"{int(rows.sum())} of {rows.size} systems {text}, first"
                f" {format_value(columns['system'][first])}{why.rstrip('.')}. {advice}",
                category,
            )
