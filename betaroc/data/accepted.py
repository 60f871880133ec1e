"""Who is accepted, in counts: at a threshold, and among the highest scores."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core.arrays import AnyArray, FloatArray, as_output
from betaroc.core.checks import real_array, shown
from betaroc.core.errors import InputError
from betaroc.core.sentences import worded
from betaroc.core.tables import Framed
from betaroc.core.terms import ALIASES, BIOMETRIC, terms_of
from betaroc.core.value import travelling
from betaroc.rendering.nouns import Noun

_COUNTS = ("true_accepts", "false_accepts", "true_rejects", "false_rejects")
_RATES = {"far", "frr", "tpr", "tnr"}
_OF_COMPARISONS = {"fmr", "fnmr", "tmr", "tnmr"}
_OF_TRIALS = _RATES | {word for word, rate in ALIASES.items() if rate in _RATES} - _OF_COMPARISONS
#: The scores of a class, and how often each counts; none counts once.
Weighted = tuple[FloatArray, "FloatArray | None"]


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(Framed, Noun):
    """The four counts of a confusion matrix, at one threshold or at each of an array.

    Made by `Scores.confusion`; accepted is what is greater than the threshold.

    Parameters
    ----------
    true_accepts, false_accepts, true_rejects, false_rejects : int, float or ndarray
        Clients and impostors accepted, impostors and clients rejected; sums of weights, whole
        numbers where these are.
    of_trials : bool
        Whether some trials have no score and count as rejected: rates are of trials, not of
        comparisons made. No part of equality.
    library : str, optional
        That of the scores: what tables are frames of.

    Examples
    --------
    >>> import betaroc as br
    >>> counts = br.Scores([3, 4, 5], [1, 2, 3, 4]).confusion(3)
    >>> counts.true_accepts, counts.false_accepts, counts.true_rejects, counts.false_rejects
    (2, 1, 3, 1)
    >>> print(counts.summary("ml"))
    true positives 2, false positives 1, true negatives 3, false negatives 1; FPR 0.25, FNR 0.333333
    """

    true_accepts: Any
    false_accepts: Any
    true_rejects: Any
    false_rejects: Any
    _travels = travelling("of_trials")
    of_trials: bool = field(default=False, compare=False, repr=False)
    _same_length = ("true_accepts", "false_accepts", "true_rejects", "false_rejects")

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        return super()._document_types() | dict.fromkeys(_COUNTS, int | float | AnyArray)

    def _derived(self) -> dict[str, Any]:
        return {"far": self.far, "frr": self.frr}

    @property
    def far(self) -> Any:
        """Share of the impostors accepted."""
        return as_output(self.false_accepts / np.asarray(self.false_accepts + self.true_rejects))

    @property
    def frr(self) -> Any:
        """Share of the clients rejected."""
        return as_output(self.false_rejects / np.asarray(self.false_rejects + self.true_accepts))

    def summary(self, terms: str = BIOMETRIC) -> str:
        """The counts and both rates in the words of a field, a line for each threshold.

        Parameters
        ----------
        terms : str
            "biometric", "matching", "pad" or "ml".

        Returns
        -------
        str

        Raises
        ------
        InputError
            If `terms` is unknown, or "matching" where some trials have no score.

        Examples
        --------
        >>> import betaroc as br
        >>> br.Scores([3, 4], [1, 2]).confusion(2.5).summary("matching")
        'true matches 2, false matches 0, true non-matches 2, false non-matches 0; FMR 0, FNMR 0'
        """
        words = terms_of(terms)
        if self.of_trials and words.name == "matching":
            raise InputError.about("terms")(
                'terms="matching" must be left out where trials without a score count as rejected:'
                " FMR and FNMR are rates of comparisons made. Take another field's words."
            )
        columns = (
            self.true_accepts, self.false_accepts, self.true_rejects, self.false_rejects,
            self.far, self.frr,
        )  # fmt: skip
        lines = []
        for *counts, far, frr in zip(*(np.ravel(c).tolist() for c in columns), strict=True):
            named = zip(words.counts, counts, strict=True)
            said = ", ".join(f"{what} {count:.15g}" for what, count in named)
            lines.append(f"{said}; {words.far.short} {far:.6g}, {words.frr.short} {frr:.6g}")
        return "\n".join(lines)


def confusion_at(client: Weighted, impostor: Weighted, threshold: npt.ArrayLike) -> Confusion:
    """Both classes counted above each threshold and at most it."""
    t = real_array(threshold, "threshold")
    unknown = np.flatnonzero(np.isnan(t))
    if unknown.size:
        raise InputError.about("threshold")(
            f"threshold must be numbers; got nan{f' at index {unknown[0]}' if t.ndim else ''}."
            " Nobody can be counted above it: leave it out."
        )
    rejected, accepted = zip(*(_counted(*sample, t) for sample in (client, impostor)), strict=True)
    return Confusion(accepted[0], accepted[1], rejected[1], rejected[0])


def _counted(values: FloatArray, weights: FloatArray | None, t: FloatArray) -> tuple[Any, Any]:
    """How many lie at most at each threshold, and above it."""
    order = np.argsort(values, kind="stable")
    upto = _running(np.ones(values.size) if weights is None else weights[order])
    at_most = upto[np.searchsorted(values[order], t, side="right")]
    return _whole(at_most), _whole(upto[-1] - at_most)


def _running(weights: AnyArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(weights)])


def _whole(counts: FloatArray) -> Any:
    """Whole numbers as such."""
    found: AnyArray = np.asarray(counts)
    if np.all(found == np.rint(found)):
        found = found.astype(np.int64)
    return found if found.ndim else found.item()


def clients_on_top(client: Weighted, impostor: Weighted, k: npt.ArrayLike) -> Any:
    """The share of clients among the k highest scores, of tied ones on the average of orders."""
    weights = [np.ones(values.size) if own is None else own for values, own in (client, impostor)]
    values = np.concatenate([client[0], impostor[0]])
    distinct, where = np.unique(-values, return_inverse=True)
    of_clients = np.bincount(where[: client[0].size], weights[0], distinct.size)
    of_all = np.bincount(where, np.concatenate(weights), distinct.size)
    total = _running(of_all)
    wanted = real_array(k, "k")
    bad = np.flatnonzero(~((wanted >= 1) & (wanted <= total[-1]) & (wanted == np.rint(wanted))))
    if bad.size:
        place = f" at index {bad[0]}" if wanted.ndim else ""
        raise InputError.about("k")(
            f"k must be a whole number from 1 to {total[-1]:.15g}, the number of scores; got"
            f" {shown(float(np.ravel(wanted)[bad[0]]))}{place}."
            " Give how many of the highest scores are looked at."
        )
    return as_output(np.interp(wanted, total, _running(of_clients)) / wanted)


def refuse_words_of_comparisons(stat: object, *scores: object) -> None:
    """FMR and FNMR of scores of which some trials have none: FAR and FRR have other numbers."""
    named = _words_of(stat) & _OF_COMPARISONS
    if named and _some_rejected(scores):
        raise InputError.about(min(named) if stat in named else "stat")(
            f"{min(named)!r} is of comparisons made, and here trials without a score count as"
            " rejected. Ask for far or frr, of all trials, or for the scores alone"
            + worded(" (`missing='drop'`).")
        )


def of_comparisons(stat: object, points: Iterable[str], *given: Any) -> tuple[Any, ...]:
    """Of what a statistic is: of the trials that have a score where it is named as of comparisons.

    `given` are scores or fits; of what is named otherwise they are what was given.
    """
    words = _words_of(stat) | {*points}
    named, mixed = words & _OF_COMPARISONS, words & _OF_TRIALS
    if not named or not _some_rejected(given):
        return given
    if mixed:
        raise InputError.about("stat")(
            f"{min(named)!r} is of comparisons made and {min(mixed)!r} of all trials, of which"
            " some here have no score. Name both alike, such as fnmr@fmr=0.01 or frr@far=0.01."
        )
    return tuple([getattr(one, "_scored", one) for one in given])


def _words_of(stat: object) -> set[str]:
    return set(re.split("[@=]", stat)) if isinstance(stat, str) else set()


def _some_rejected(given: Iterable[object]) -> bool:
    scores = [getattr(one, "scores", one) for one in given]
    return any(getattr(one, "has_rejected", False) for one in scores)


def rejected_words(client: int, impostor: int) -> str:
    """What they do to the rates; nothing where every trial has one."""
    if not client + impostor:
        return ""
    return (
        f"{client} client and {impostor} impostor trials without a score count as rejected: FAR and"
        " FRR are of trials, FMR and FNMR of comparisons made"
    )
