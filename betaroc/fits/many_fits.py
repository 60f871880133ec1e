"""Fits of many systems at once: a table with a row per system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, AnyArray, FloatArray
from betaroc.core.errors import (
    BetarocError,
    BetarocWarning,
    BoundaryWarning,
    ExtrapolationWarning,
    InputError,
    InputTypeError,
    ReversedScoresWarning,
    SmallSampleWarning,
    refusal,
)
from betaroc.core.notices import collect_warnings, suppress_warnings, warn
from betaroc.core.tables import Library, Table, first_library, library_of, table_of
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import CLIENTS, IMPOSTORS
from betaroc.data.scores import ScoreData, Scores
from betaroc.distributions.base import Distribution
from betaroc.distributions.inflated import MASSES, REJECTED, Inflated
from betaroc.estimation import families
from betaroc.estimation.batch import ClassEstimates, class_columns, system_columns
from betaroc.estimation.boundary import check_request
from betaroc.estimation.contract import SUMMED_POLICIES, Family
from betaroc.estimation.estimate import SMALL_SAMPLE, Options, estimate_pair, give
from betaroc.inference.scores_beyond import SampleSupport, less_absent, needed
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import StatisticSpec, parse_statistics


def system_sums(family: str) -> Family | None:
    """The row of a family that is fitted to sums of many systems."""
    row = families.FAMILIES.get(family)
    return row if row is not None and row.systems is not None else None


def pair_of_system(
    sides: Sequence[ClassEstimates], k: int, family: Family, prior: float
) -> ScoreModel:
    """The pair of one system."""
    law: Any = family.law
    pair: list[Distribution] = []
    for side in sides:
        parameters = {name: float(values[k]) for name, values in side.params.items()}
        masses = {name: parameters.pop(name) for name in MASSES if name in parameters}
        base = law(*parameters.values())
        pair.append(Inflated(base, **masses) if any(masses.values()) else base)
    return ScoreModel(pair[0], pair[1], prior=prior)


def areas_of_systems(
    family: Family, client: Mapping[str, FloatArray], impostor: Mapping[str, FloatArray]
) -> FloatArray:
    """Of what lies between the point masses, and of the masses."""
    inside = [tuple(values[:, None] for name, values in side.items() if name not in MASSES)
              for side in (client, impostor)]  # fmt: skip
    inner: FloatArray = family.areas(inside[0], inside[1])
    if "at_zero" not in client:
        return inner
    (c0, c1), (i0, i1) = ([side[mass] for mass in MASSES] for side in (client, impostor))
    c_in, i_in = 1.0 - c0 - c1, 1.0 - i0 - i1
    ties = 0.5 * (c0 * i0 + c1 * i1)
    return np.asarray(c_in * i_in * inner + c_in * i0 + c1 * (i0 + i_in) + ties)


def statistic_columns(
    specs: Sequence[StatisticSpec], models: Mapping[int, ScoreModel], sizes: Sequence[AnyArray],
    names: Sequence[Any],
) -> dict[str, AnyArray]:  # fmt: skip
    """A column per statistic, and of one that rests on rates the scores that speak for it.

    `models` are those of fitted systems by their place, `sizes` what varies by itself in both
    classes.
    """
    columns: dict[str, AnyArray] = {}
    for item in specs:
        values, beyond = np.full((2, len(names)), np.nan)
        rates: dict[int, tuple[float, int, float]] = {}
        failed: dict[int, str] = {}
        for k, model in models.items():
            absent = [float(law.cdf(-np.inf)) for law in (model.client, model.impostor)]
            try:
                with suppress_warnings():
                    values[k] = item.number(model)
                    asked_rates = [less_absent(r, absent[r.who]) for r in item.rates(model)]
            except BetarocError as error:
                failed[k] = str(error)
                continue
            if np.isnan(values[k]):
                failed[k] = f"{item.absence(model) or 'it is nan'}."
            expected = [(float(sizes[r.who][k] * r.tail), r.who, float(r.tail))
                     for r in asked_rates if not np.isnan(r.tail)]  # fmt: skip
            if expected:
                rates[k] = min(expected)
                beyond[k] = rates[k][0]
        columns[str(item)] = values
        if rates:
            columns[f"{item}_n_beyond"] = beyond
        if failed:
            place, why = next(iter(failed.items()))
            warn(
                f"{item} has no value for {len(failed)} of {len(names)} systems, first"
                f" {format_value(names[place])}: {why}",
                BetarocWarning,
            )
        few = {k: rate for k, rate in rates.items() if rate[0] < 1.0}
        if few:
            place, (least, who, tail) = next(iter(few.items()))
            warn(
                f"{item} is extrapolated for {len(few)} of {len(names)} systems, first"
                f" {format_value(names[place])}: of {sizes[who][place]:.6g} {CLASSES[who]} scores"
                f" {least:.2g} are expected beyond a rate of {tail:.4g}, so no score speaks for the"
                f" number; about {needed(tail)} would (3/rate). See the column {item}_n_beyond.",
                ExtrapolationWarning,
            )
    return columns


# ----------------------------------------------------------------------
# Fits of many systems at once: a table with a row per system.
@collect_warnings
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
) -> Table:
    """Maximum-likelihood fits of many systems: a table with a row per system.

    Parameters
    ----------
    frame : frame, mapping or sequence
        A frame with a row per score, eager or lazy, of any engine that Narwhals reads: it is
        grouped on its own engine, and only sums are collected. Or a mapping of names to Scores or
        ScoreSummary, or a sequence of these, named by their `name` or their place.
    system, score, label : str
        Columns of a frame.
    client_label : optional
        The label of the clients in a frame; None only for {0, 1}, {False, True} and {-1, 1}.
    family : str or pair of str
        As in :func:`fit`, one for all systems: "auto" is "beta" where every score of all of them
        lies in [0, 1], else "normal". Of a frame "auto", "beta", "normal" or "logit-normal", one
        for both classes.
    boundary : str, optional
        As in :func:`fit`; of a frame None, "inflate", "drop" or "error".
    statistics : sequence of str
        Numbers of the fitted pairs: names of :func:`statistics`, with the point after "@", such as
        ``("eer", "tpr@far=0.01", "threshold@eer")``. A column each.

    Returns
    -------
    DataFrame
        Of the library of the frame, or of the first scores that were read from one, else pandas.
        Sorted by system of a frame, else in the order given. ``system``, ``n_client``,
        ``n_impostor``; ``client_family``, ``impostor_family`` and in ``family_reason`` why, where
        "auto" chose them; the parameters of both distributions and their standard errors, such as
        ``client_a``, ``client_a_std_error``; ``log_likelihood``; ``auc``; the statistics, and
        beside each that rests on rates how many scores (groups) are expected beyond them, such as
        ``tpr@far=0.01_n_beyond``; ``fitted``, and in ``reason`` why not, with nan for the numbers.
        A frame of pandas has family and reason in its ``attrs`` too.

    Raises
    ------
    InputError
        For an empty collection, a name that occurs twice, an unknown family, rule or statistic, a
        point that is missing or superfluous, names of several types, and what `summarize` refuses
        in a frame.
    InputTypeError
        For something else than a frame or a collection of scores.
    EngineError
        If the engine of a frame lost its workers.

    Warns
    -----
    BetarocWarning
        If systems are not fitted, or have no such statistic: how many, and the first with its
        reason.
    ExtrapolationWarning
        If less than one score is expected beyond a rate that a statistic rests on. Whether counts
        contradict the fits there is not looked at: ask `Fit.interval`.
    BoundaryWarning, ReversedScoresWarning, SmallSampleWarning
        As in :func:`fit`, each with the number of systems.

    Notes
    -----
    Newton's method runs on the sums of all systems side by side, to the accuracy of :func:`fit`; a
    class with a + b beyond about 1e3 is fitted again from its scores. Of a frame, whose sums are
    all there is, the relative error is about 1e-14 (a + b), and classes beyond 1e6 are not fitted,
    nor normal and logit-normal distributions beyond mean / sigma = 1e4. Other families, scores with
    weights, and systems of which some trials have no score are fitted one by one; the share without
    one is a parameter, such as ``client_rejected``.

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
    >>> scores = {"mlp": br.Scores([0.5, 0.7, 0.9] * 9, [0.1, 0.2, 0.6] * 9)}
    >>> br.fit_many(scores, statistics=["eer", "tpr@far=0.1"]).columns[-7:].tolist()
    ['auc', 'eer', 'eer_n_beyond', 'tpr@far=0.1', 'tpr@far=0.1_n_beyond', 'fitted', 'reason']
    """
    specs = parse_statistics(statistics)
    pair = families.checked_pair(family, (families.AUTO,))
    if family != families.AUTO:
        on_unit = [name for name in pair if families.FAMILIES[name].on_unit] or [pair[0]]
        for name in on_unit:
            check_request(boundary, None, name, families.FAMILIES[name])
    if isinstance(frame, Mapping):
        names, items = list(frame), list(frame.values())
    elif isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
        items = list(frame)
        own_names = (getattr(item, "name", None) for item in items)
        names = [k if name is None else str(name) for k, name in enumerate(own_names)]
    else:
        return _of_frame(frame, (system, score, label), client_label, pair, boundary, specs)
    return _of_scores(names, items, pair, boundary, specs)


# ------------------------------------------------------------------------------ the two ways
def _of_frame(
    frame: Any, columns: tuple[str, str, str], client_label: object, pair: tuple[str, str],
    boundary: str | None, specs: tuple[StatisticSpec, ...],
) -> Table:  # fmt: skip
    together = [name for name in families.FAMILIES if system_sums(name)]
    summed = pair[0] == pair[1] and pair[0] in (families.AUTO, *together)
    if not summed or boundary not in (None, *SUMMED_POLICIES):
        raise InputError(
            f"of a frame only sums are collected, which determine {format_list(together)} fits with"
            f" boundary None, {format_list(SUMMED_POLICIES)}; got family={families.named(pair)!r},"
            f" boundary={boundary!r}. Pass a mapping of names to Scores."
        )
    if not all(isinstance(c, str) for c in columns) or len(set(columns)) < len(columns):
        raise InputError(
            f"system, score and label must name three columns; got {format_value(columns)}."
        )
    names, client, impostor, library = system_columns(frame, *columns, client_label)
    sides = (("client", client), ("impostor", impostor))
    spans = [families.Span(who, int(np.sum(s.n)), int(np.sum(s.outside))) for who, s in sides]
    pair, why = _taken(pair, spans, boundary)
    family = pair[0]
    row = system_sums(family)
    assert row is not None  # noqa: S101 - "auto" chooses among them, other names are refused
    estimates = [row.systems(side, who, boundary) for who, side in sides]
    for result in estimates:
        result.refuse_doubtful()
    numbers = _columns(row, estimates[0], estimates[1])
    if specs:
        fitted = np.flatnonzero(numbers["reason"] == "").tolist()
        priors = client.n / (client.n + impostor.n)
        models = {k: pair_of_system(estimates, k, row, float(priors[k])) for k in fitted}
        inner = boundary == "drop" and families.FAMILIES[family].on_unit
        speaking = [side.inner if inner else side.n for side in (client, impostor)]
        numbers |= statistic_columns(specs, models, speaking, names)
    return _table(names, (client.n, impostor.n), numbers, boundary, pair, why, library)


def _of_scores(
    names: list[Any], items: list[Any], pair: tuple[str, str], boundary: str | None,
    specs: tuple[StatisticSpec, ...],
) -> Table:  # fmt: skip
    if not items:
        raise refusal("frame", "hold at least one system", "an empty collection", "Give one.")
    for name, item in zip(names, items, strict=True):
        if not isinstance(item, ScoreData):
            raise InputTypeError(
                f"every system must be Scores or a ScoreSummary; {format_value(name)} is"
                f" {format_value(item)} of type {type(item).__name__}. Pass Scores(client,"
                " impostor), or a frame."
            )
    twice = [name for name, many in Counter(names).items() if many > 1]
    if twice:
        raise InputError.about("systems")(
            f"systems must have names of their own; {names.count(twice[0])} are called"
            f" {format_value(twice[0])}. Pass a mapping of distinct names."
        )
    pair, why = _taken(pair, [span for item in items for span in families.spans_of(item)], boundary)
    summed = system_sums(pair[0]) if pair[0] == pair[1] else None
    absent = any(item.has_rejected for item in items)  # whose share is a parameter of every row
    batched = summed is not None and boundary in (None, *SUMMED_POLICIES) and not absent
    together = [
        k for k, item in enumerate(items)
        if batched and isinstance(item, Scores)
        and item.client_weights is None and item.impostor_weights is None
    ]  # fmt: skip
    rows: list[dict[str, Any]] = [{} for _ in items]
    models: dict[int, ScoreModel] = {}
    alone = set(range(len(items)))
    if summed is not None and together:
        unit, estimates = families.FAMILIES[pair[0]].on_unit, []
        for who in CLASSES:
            values = [getattr(items[k], who) for k in together]
            side = class_columns(values, unit=unit, squares=summed.squares)
            estimates.append(summed.systems(side, who, boundary))
        batch = _columns(summed, estimates[0], estimates[1])
        for place in np.flatnonzero(~(estimates[0].doubtful | estimates[1].doubtful)).tolist():
            k = together[place]
            alone.remove(k)
            rows[k] = {name: column[place] for name, column in batch.items()}
            if specs:
                models[k] = pair_of_system(estimates, place, summed, items[k].prior)
    for k in sorted(alone):
        rows[k], model = _single(items[k], pair, boundary, absent=absent)
        models |= {} if model is None else {k: model}
    columns = {
        name: np.array([row.get(name, np.nan) for row in rows])
        for name in dict.fromkeys(name for row in rows for name in row)
    }
    if specs:
        client, impostor = (boundary == "drop" and families.FAMILIES[name].on_unit for name in pair)
        speaking = [SampleSupport(item, dropped=(client, impostor)).sizes for item in items]
        ordered = {k: models[k] for k in sorted(models)}
        columns |= statistic_columns(specs, ordered, list(np.array(speaking).T), names)
    sizes = [np.array([getattr(item, f"n_{who}") for item in items]) for who in CLASSES]
    return _table(names, sizes, columns, boundary, pair, why, first_library(items))


def _taken(
    pair: tuple[str, str], spans: list[families.Span], boundary: str | None
) -> tuple[tuple[str, str], str]:
    """The families of all systems, and why where they were not named."""
    if pair[0] != families.AUTO:
        return pair, ""
    check_request(boundary, None, "beta", families.FAMILIES["beta"])
    chosen = families.chosen_of(spans)
    families.check_rule(chosen, boundary)
    give(chosen.notices)
    return (chosen.family, chosen.family), chosen.reason


def _single(
    item: ScoreData, pair: tuple[str, str], boundary: str | None, *, absent: bool
) -> tuple[dict[str, Any], ScoreModel | None]:
    """A system fitted by itself: its row, and its pair if there is one."""
    try:
        with suppress_warnings():
            result, _ = estimate_pair(item._scored, pair, Options(boundary))
            if isinstance(item, Scores) and item.has_rejected:
                result = result._rejecting(item)
    except BetarocError as error:
        return {"reason": str(error)}, None
    row: dict[str, Any] = {}
    for who, name, law in zip(CLASSES, pair, (result.client, result.impostor), strict=True):
        masses = families.FAMILIES[name].on_unit and boundary in (None, "inflate")
        params = dict.fromkeys(MASSES, 0.0) if masses else {}
        params |= law.params
        if absent:
            params.setdefault(REJECTED, 0.0)
        errors = dict.fromkeys(params, 0.0) | dict(law.std_errors)
        row |= {f"{who}_{name}": value for name, value in params.items()}
        row |= {f"{who}_{name}_std_error": errors[name] for name in params}
    row |= {"log_likelihood": result.log_likelihood, "auc": result.model.auc(), "reason": ""}
    return row, result.model


# -------------------------------------------------------------------------------- the table
def _columns(
    family: Family, client: ClassEstimates, impostor: ClassEstimates
) -> dict[str, AnyArray]:
    result: dict[str, AnyArray] = {}
    for side in (client, impostor):
        result |= {f"{side.who}_{name}": values for name, values in side.params.items()}
        result |= {f"{side.who}_{name}_std_error": values for name, values in side.errors.items()}
    reason = np.where(client.reason == "", impostor.reason, client.reason)
    result["log_likelihood"] = client.log_likelihood + impostor.log_likelihood
    result["auc"] = areas_of_systems(family, client.params, impostor.params)
    lost = reason != ""
    for values in result.values():
        values[lost] = np.nan
    return result | {"reason": reason}


def _table(
    names: list[Any], sizes: Sequence[AnyArray], columns: dict[str, AnyArray],
    boundary: str | None, pair: tuple[str, str], why: str, library: Library | None,
) -> Table:  # fmt: skip
    reason = columns.pop("reason")
    first = {name: v for name, v in columns.items() if name.startswith(("client_", "impostor_"))}
    nothing = np.full(len(names), np.nan)
    numbers = {name: columns.get(name, nothing) for name in ("log_likelihood", "auc")}
    counts = [np.asarray(size, dtype=np.int64) for size in sizes]
    head = {
        "system": names, "n_client": counts[0], "n_impostor": counts[1],
        "client_family": [pair[0]] * len(names), "impostor_family": [pair[1]] * len(names),
        "family_reason": [why] * len(names),
    }  # fmt: skip
    result = head | first | numbers | columns | {"fitted": reason == "", "reason": reason}
    _say(result, boundary)
    table = table_of(result, library)
    if library_of(table) == "pandas":
        table.attrs.update(family=families.named(pair), reason=why)
    return table


def _say(columns: Mapping[str, Any], boundary: str | None) -> None:
    """One warning per kind, with the number of systems and the first."""
    lost = ~columns["fitted"]
    few = ~lost & (np.minimum(columns["n_client"], columns["n_impostor"]) < SMALL_SAMPLE)
    masses = [v for k, v in columns.items() if k.endswith(("_at_zero", "_at_one"))]
    ends = np.zeros(lost.size, dtype=bool)
    if boundary is None and masses:
        ends = np.any(np.stack(masses) > 0.0, axis=0)
    for rows, text, category, advice in (
        (lost, "are not fitted", BetarocWarning, "The column reason says why each."),
        (few, f"have a class of fewer than {SMALL_SAMPLE} scores", SmallSampleWarning,
         "Estimates from so few are biased; see n_client and n_impostor."),
        (ends, "have scores of exactly 0 or 1, fitted as point masses", BoundaryWarning,
         'Other choices: boundary="error" or "drop".'),
        (columns["auc"] < 0.5, f"have {IMPOSTORS} that score higher than {CLIENTS}",
         ReversedScoresWarning,
         "Nothing is flipped: see auc, and check which label is the client's."),
    ):  # fmt: skip
        if rows.any():
            first = int(np.argmax(rows))
            why = f": {columns['reason'][first]}" if rows is lost else ""
            warn(
                f"{int(rows.sum())} of {rows.size} systems {text}, first"
                f" {format_value(columns['system'][first])}{why.rstrip('.')}. {advice}",
                category,
            )
