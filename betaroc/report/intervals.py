"""Intervals of what a score set's fit and its scores say; where none, why; what bins can be off."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from betaroc.core.errors import BetarocError
from betaroc.core.notices import passed_on, quietly
from betaroc.core.options import IntervalOptions
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.data.groups import groups_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.data.summary import ScoreSummary
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.inference.interval import Interval
from betaroc.inference.intervals import interval_of_fit
from betaroc.inference.of_scores import interval_of_scores
from betaroc.model.asking import Asking, asking, asking_of_text
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import number, path_words, percent, read_as
from betaroc.rendering.tree import Cell, quantity

#: The FAR at which the TPR stands in tables.
FAR = 0.01
#: Name of the TPR there.
TPR = f"tpr@far={FAR:g}"
#: Name of the threshold of the EER.
EER_THRESHOLD = "threshold@eer"
_OF_MODEL = ("auc", "eer", EER_THRESHOLD, TPR, "ks")
#: Why a coefficient has no interval: there is none.
NO_POWER_LAW = "there is no such power law"
_EXPONENTS = ("exponent-at-zero", "exponent-at-one", "coefficient-at-zero", "coefficient-at-one")
#: What stands in every table.
_SHOWN = (*_OF_MODEL, *_EXPONENTS)


def named_end(name: str) -> str:
    """The key of a number of an end, in words."""
    return name.replace("-at-zero", " at the low end").replace("-at-one", " at the high end")


@dataclass(frozen=True, eq=False, repr=False)
class Measured(Value):
    """A number with its interval, or the reason why it has none.

    Parameters
    ----------
    key : str
        Name of the number, such as "auc" or "tpr@far=0.01".
    estimate : float
        The number.
    low, high : float
        Ends of the interval; nan where there is none.
    method : str
        How the ends were found; empty where there are none.
    why : str
        Why there is no interval; else empty.
    n_beyond : float, optional
        Scores (groups) that speak for the number; None where it speaks of no rate, or of scores
        that were not asked.
    extrapolated : bool, optional
        Whether less than one of them does: a family has made the number, or few scores its point.
    """

    key: str
    estimate: float
    low: float = math.nan
    high: float = math.nan
    method: str = ""
    why: str = ""
    n_beyond: float | None = None
    extrapolated: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class SetIntervals(Value):
    """Intervals of one score set.

    Parameters
    ----------
    level : float
        Their confidence.
    model : tuple of Measured
        Of the fitted model: "auc", "eer", "threshold@eer", "tpr@far=0.01", "ks", exponents and
        coefficients of both ends; empty without fitted distributions.
    scores : tuple of Measured
        Of the scores themselves: "auc", "eer", "threshold@eer", "tpr@far=0.01", "ks".
    client, impostor : tuple of Measured
        Of the parameters of both distributions.
    groups : int or None
        Groups on which the trials hang; None where they are taken as independent.
    asked : tuple of Asking
        Statistics that were asked for beside those named above; they stand among `model` and
        `scores`.
    """

    level: float
    model: tuple[Measured, ...]
    scores: tuple[Measured, ...]
    client: tuple[Measured, ...]
    impostor: tuple[Measured, ...]
    groups: int | None = None
    asked: tuple[Asking, ...] = ()

    @property
    def missing(self) -> list[tuple[str, str]]:
        """What has no interval, and why."""
        named = {
            "fitted": self.model, "scores": self.scores, "client": self.client,
            "impostor": self.impostor,
        }  # fmt: skip
        return [(f"{who} {m.key}", m.why) for who, all_ in named.items() for m in all_ if m.why]


def with_interval(
    key: str, estimate: float, find: Callable[[], Interval], why: str = "", *, aloud: bool = False
) -> Measured:
    """The number and the interval that ``find`` gives; `why` says that there is none."""
    if why or not math.isfinite(estimate):
        return Measured(key, estimate, why=why or "it is no finite number")
    try:
        with passed_on() if aloud else quietly():
            found = find()
    except BetarocError as error:
        return Measured(key, estimate, why=str(error))
    ends = found.low, found.high, found.method
    return Measured(key, found.estimate, *ends, "", found.n_beyond, found.extrapolated)


def measured_cell(m: Measured | None, say: Callable[[float], str], text: str) -> Cell:
    """A number with its interval, or that there is none."""
    if m is None or m.why:
        return Cell(text, "" if m is None else "no interval")
    cell = quantity(m.estimate, say, m.low, m.high, text=text, n_beyond=m.n_beyond)
    return replace(cell, span=f"{cell.span}, extrapolated") if m.extrapolated else cell


def intervals_of(
    scores: Scores,
    fit: Fit | None,
    empirical: ScoreModel,
    level: float,
    *,
    summary: ScoreSummary | None = None,
    asked: Sequence[Asking] = (),
    rng: Any = 0,
) -> SetIntervals:
    """Every interval of a score set; ``fit`` is None where no distributions were fitted.

    ``summary`` is the set's, if the scores are its bins. Of the statistics that were `asked` for
    what is to be said of their rates is said; `rng` draws for those that need it.
    """
    groups = groups_of(scores)
    own = tuple(one for one in asked if str(one) not in _SHOWN)
    data, options = scores if summary is None else summary, IntervalOptions(level, rng=rng)
    of_model, of_both = ((*map(asking_of_text, keys), *own) for keys in (_SHOWN, _OF_MODEL))
    of_fit = () if fit is None else tuple(_of_fit(fit, one, options) for one in of_model)
    of_scores = tuple(
        _of_scores(data, empirical, one, options, aloud=fit is None and one in own)
        for one in of_both
    )
    client: tuple[Measured, ...] = ()
    impostor: tuple[Measured, ...] = ()
    if fit is not None:
        client, impostor = _parameters(fit, level)
    labels = None if groups is None or not groups.dependent else groups.labels
    return SetIntervals(level, of_fit, of_scores, client, impostor, labels, own)


# ------------------------------------------------------------------- of a fit and of scores
def _of_fit(fit: Fit, asked: Asking, options: IntervalOptions) -> Measured:
    key = str(asked)
    of = fit._scored if key in _EXPONENTS else fit
    value = _number(asked, of.model)
    why = _decided(key, value) or (asked.absence(of.model) if math.isnan(value) else "")
    find = partial(interval_of_fit, of, asked, options)
    return with_interval(key, value, find, why, aloud=key not in _SHOWN)


def _of_scores(
    data: ScoreData, empirical: ScoreModel, asked: Asking, options: IntervalOptions, *, aloud: bool
) -> Measured:
    if not asked.row.of_scores:
        why = "it is a number of fitted distributions, which scores by themselves do not have"
        return Measured(str(asked), math.nan, why=why)
    value = _number(asked, empirical)
    why = asked.absence(empirical) if math.isnan(value) else ""
    find = partial(interval_of_scores, data, asked, options)
    return with_interval(str(asked), value, find, why, aloud=aloud)


def _number(asked: Asking, model: ScoreModel) -> float:
    """nan of what a model has no such number of."""
    try:
        return asked.number(model)
    except BetarocError:
        return math.nan


def _decided(key: str, value: float) -> str:
    """Why a number of a model cannot vary; empty if it can."""
    if key in _EXPONENTS:
        if math.isnan(value):
            return NO_POWER_LAW
        if key.startswith("exponent") and value in (0.0, 1.0, math.inf):
            return "the kind of the tails or a point mass decides it, not the parameters"
        return "" if 0.0 < value < math.inf else "it is beyond the doubles"
    return ""


def law_intervals(fit: Fit, t: Thresholds, level: float) -> tuple[Measured, ...]:
    """Of the fitted FAR, FRR, HTER and F1 at one threshold."""
    point, options, found = fit.model._point(t), IntervalOptions(level), []
    for key in ("far", "frr", "hter", "f1"):
        value = float(getattr(point, key))
        why = "" if 0.0 < value < 1.0 else f"it is {number(value)} by the distributions"
        # That of accepting all is below every score.
        asked = asking(key, (), threshold=float(np.nan_to_num(t.theta)))
        if not why and not math.isclose(asked.number(fit.model), value, rel_tol=1e-6):
            why = "its threshold is nearer to the end of the scale than a double can say"
        find = partial(interval_of_fit, fit, asked, options)
        found.append(with_interval(key, value, find, why))
    return tuple(found)


def _parameters(fit: Fit, level: float) -> tuple[tuple[Measured, ...], tuple[Measured, ...]]:
    """Profile intervals where the estimates determine the likelihood, else Wald's."""
    why = ""
    for method in ("profile", "wald"):
        try:
            found = fit.conf_int(level, method)
        except BetarocError as error:
            why = str(error)
            continue
        return _named(fit.client, found["client"]), _named(fit.impostor, found["impostor"])
    both = (fit.client, fit.impostor)
    client, impostor = (
        tuple(Measured(n, v, why=why) for n, v in law.params.items() if not _absent(n, v))
        for law in both
    )
    return client, impostor


def _named(law: DistributionFit, found: Mapping[str, Interval]) -> tuple[Measured, ...]:
    kept = []
    for name, value in law.params.items():
        if _absent(name, value) or name not in found:
            continue
        i = found[name]
        whole = not math.isfinite(i.high) and not (math.isfinite(i.low) and i.low != 0.0)
        why = "its interval is the whole range: the scores say nothing of it" if whole else ""
        if math.isnan(i.low) or math.isnan(i.high):
            why = "it has no finite standard error"
        ends = (math.nan, math.nan, "") if whole else (i.low, i.high, i.method)
        kept.append(Measured(name, value, *ends, why=why))
    return tuple(kept)


def _absent(name: str, value: float) -> bool:
    """A point mass that nobody had is no parameter to speak of."""
    return name.startswith("at_") and value == 0.0


# ------------------------------------------------------------------- bins of a summary
def summary_words(given: ScoreData) -> str:
    """What bins, or trials without a score, do to rates and area; else nothing."""
    if not isinstance(given, ScoreSummary):
        return given._rejected_words() if isinstance(given, Scores) else ""
    far, frr = given.rate_error
    return (
        f"counted in {given.n_bins} bins: rates are exact at their borders; in between FAR is off"
        f" by at most {percent(far)}, FRR by {percent(frr)} of all trials, the AUC of the scores by"
        f" {number(given.auc_error, 2)}"
    )


def read_words(role: str, scores: ScoreData) -> str:
    """What was read for a role."""
    source, coarse, name = scores.source, summary_words(scores), ""
    if source is not None:
        form = read_as(source.format, source.guessed, source.guesses)
        name = f" {', '.join(map(path_words, source.files))} ({form}),"
    sizes = f"{scores.n_client} client and {scores.n_impostor} impostor scores"
    return f"{role}:{name} {sizes}{coarse and f'; {coarse}'}"


def coarse_words(sides: Iterable[tuple[str, ScoreData]]) -> list[str]:
    """A sentence for each side that is a summary."""
    told = [(name, summary_words(given)) for name, given in sides]
    return [f"{name}: {words}" for name, words in told if words]


def summary_numbers(given: ScoreData) -> dict[str, Any]:
    """The same as the entry ``summary``, or the numbers of trials without a score."""
    if not isinstance(given, ScoreSummary):
        names = ("n_client_rejected", "n_impostor_rejected") if given.has_rejected else ()
        return {name: getattr(given, name) for name in names}
    far, frr = given.rate_error
    layout = None if given.layout is None else list(given.layout)
    errors = {"far": far, "frr": frr, "auc": given.auc_error}
    return {"summary": {"bins": given.n_bins, "layout": layout, "error": errors}}
