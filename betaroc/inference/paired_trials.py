"""Trials that two systems judge: the same ones, in the same order, with what they depend on."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputError
from betaroc.core.sentences import worded
from betaroc.data.groups import ScoredTrials, Trials, weights_of
from betaroc.data.scores import Scores, ScoreSource

__all__ = ["joint_trials", "refuse_other_trials", "same_trials"]

_CLASSES = ("client", "impostor")
#: What is asked for, and the way out of it.
_PAIRED, _OR_NOT = worded("`paired=True`"), worded("`, or take paired=False`.")


def joint_trials(a: ScoredTrials, b: ScoredTrials) -> Trials:
    """The trials of two systems: values and weights of the first, of each class known groups.

    Groups that one system has hold for both.
    """
    groups = [
        getattr(b if getattr(a, name) is None else a, name)
        for name in ("client_groups", "impostor_groups")
    ]
    return Trials(a.client, a.impostor, a.client_weights, a.impostor_weights, *groups)


def same_trials(a: ScoredTrials, b: ScoredTrials, *, groups: bool) -> bool:
    """Whether numbers, weights, ids, groups and order speak for the same trials in both."""
    try:
        refuse_other_trials(a, b, ("a", "b"), groups=groups)
    except InputError:
        return False
    return True


def refuse_other_trials(
    a: ScoredTrials, b: ScoredTrials, names: tuple[str, str], *, groups: bool
) -> None:
    """Paired systems judge the same trials: equal numbers, weights, ids, groups and order.

    Ids and groups are compared where both systems have them, the order of the labels where
    both were read from files that name no trials.
    """
    for who in _CLASSES:
        one, two = getattr(a, who).size, getattr(b, who).size
        if one != two:
            raise InputError.about("paired")(
                _PAIRED + f" needs the same test trials in both; {names[0]} has {one} {who}"
                f" scores, {names[1]} {two}. Keep the common trials in one order" + _OR_NOT
            )
        _refuse_other_weights(weights_of(a, who), weights_of(b, who), who)
        _refuse_other_names(a, b, f"{who}_ids", names, "Sort both by id" + _OR_NOT)
        if groups:
            do = worded("Give both the same groups`, or take groups=False`.")
            _refuse_other_names(a, b, f"{who}_groups", names, do)
    _refuse_other_order(a, b)


def _refuse_other_weights(one: FloatArray, other: FloatArray, who: str) -> None:
    bad = np.flatnonzero(one != other)
    if bad.size:
        raise InputError.about("paired")(
            _PAIRED + f" needs equal weights in both; {bad.size} of {one.size} {who} weights"
            f" differ, first {float(one[bad[0]])!r} and {float(other[bad[0]])!r} at index"
            f" {bad[0]}. Give one weight a trial" + _OR_NOT
        )


def _refuse_other_names(
    a: ScoredTrials, b: ScoredTrials, name: str, names: tuple[str, str], do: str
) -> None:
    one, other = (getattr(s, name, None) for s in (a, b))
    if one is None or other is None:
        return
    if one.ndim != other.ndim:
        raise InputError.about("paired")(
            _PAIRED + f" needs the same {name} in both; {names[0]} has"
            f" {1 if one.ndim == 1 else 2} columns of them, {names[1]}"
            f" {1 if other.ndim == 1 else 2}. " + do
        )
    differ = one.astype(object) != other.astype(object)
    bad = np.flatnonzero(differ if differ.ndim == 1 else np.any(differ, axis=1))
    if bad.size:
        raise InputError.about("paired")(
            _PAIRED + f" needs the same test trials in the same order; {bad.size} of {len(one)}"
            f" {name} differ, first {checks.shown(one[bad[0]].tolist())} and"
            f" {checks.shown(other[bad[0]].tolist())} at index {bad[0]}. " + do
        )


def _place(source: ScoreSource) -> str:
    """A file by its name and folder: what tells two systems apart."""
    return "/".join(Path(source.path).parts[-2:])


def _refuse_other_order(a: ScoredTrials, b: ScoredTrials) -> None:
    """Files whose labels come in different orders hardly list the same trials row by row."""
    both = [s for s in (a, b) if isinstance(s, Scores)]
    sources = [s.source for s in both if s.source is not None and s.source.order is not None]
    if len(sources) < 2 or all(s.client_ids is not None for s in both):
        return
    if sources[0].order != sources[1].order:
        raise InputError.about("paired")(
            _PAIRED + " needs the same test trials in the same order; the labels of the two files"
            f" come in different orders ({_place(sources[0])} and"
            f" {_place(sources[1])}). Sort both by trial, name a column of ids when"
            + worded(" reading (`id=...`)")
            + _OR_NOT
        )
