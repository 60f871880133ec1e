"""Trials that two systems score, in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from betaroc.core import checks, vocabulary
from betaroc.core.arrays import CLASSES, AnyArray
from betaroc.core.errors import InputError
from betaroc.data.groups import BareTrials, ScoredTrials, weights_of
from betaroc.data.scores import TABLE, Scores, lengthened


def _unpaired(need: str, remedy: str) -> InputError:
    text = f"{vocabulary.worded('`paired=True`')} needs {need}. {remedy}"
    return InputError.about("paired")(text + vocabulary.worded("`, or take paired=False`."))


def joint_trials(a: ScoredTrials, b: ScoredTrials) -> BareTrials:
    """The trials of two systems, with the groups of either."""
    names = [f"{who}_groups" for who in CLASSES]
    groups = [getattr(b if getattr(a, name) is None else a, name) for name in names]
    return BareTrials(a.client, a.impostor, a.client_weights, a.impostor_weights, *groups)


def on_same_trials(systems: Sequence[Scores], names: Sequence[str]) -> list[Scores]:
    """Systems trial by trial, matched by ids: a trial without a score is a rejection."""
    content = [{f.name: getattr(system, f.name) for f in fields(system)} for system in systems]
    for who in CLASSES:
        absent = [item[f"n_{who}_rejected"] for item in content]
        if any(absent):
            ids = [item[f"{who}_ids"] for item in content]
            if any(labels is None for labels in ids):
                k = int(np.argmax(absent))
                raise _unknown(names[k], absent[k], who)
            _put_on_union(content, who, ids, names)
    return [Scores._checked(**item) for item in content]


def _put_on_union(
    content: Sequence[dict[str, Any]], who: str, ids: Sequence[AnyArray], names: Sequence[str]
) -> None:
    """One row per trial of any system."""
    keys = [[tuple(x) if isinstance(x, list) else x for x in labels.tolist()] for labels in ids]
    union = list(dict.fromkeys(chain(*keys)))
    in_all = []
    for name, key, item in zip(names, keys, content, strict=True):
        twice = len(key) - len(set(key))
        if twice:
            raise _unpaired(
                f"ids that name each trial once; {twice} of {len(key)} {who}_ids of {name} are"
                " there twice", "Give each trial its id",
            )  # fmt: skip
        in_all.append(item[f"n_{who}_rejected"] - (len(union) - len(key)))
    least = min(in_all)
    if least < 0 or max(in_all) > least:
        k = in_all.index(least)
        absent = content[k][f"n_{who}_rejected"]
        raise _unpaired(
            f"the same trials in both; of {len(union)} {who} trials that have a score somewhere"
            f" {names[k]} has no score for {len(union) - len(keys[k])}, and {absent} trials without"
            " one", "Give both the same trials",
        )  # fmt: skip
    for item, key, labels in zip(content, keys, ids, strict=True):
        place = {trial: k for k, trial in enumerate(key)}
        rows = np.array([place.get(trial, -1) for trial in union], dtype=np.intp)
        for name, fill in ((who, -np.inf), (f"{who}_weights", 1.0)):
            if item[name] is not None:
                taken = np.where(rows >= 0, item[name][rows], fill)
                item[name] = np.append(taken, np.full(least, fill))
        groups = f"{who}_groups"  # of systems whose trials all have a score
        item[groups] = None if item[groups] is None else item[groups][rows]
        named = np.array(union, dtype=labels.dtype if labels.dtype.kind != "U" else None)
        item[f"{who}_strata"] = None  # of a trial without a score nobody knows which it is
        item |= {f"{who}_ids": lengthened(named, least, ""), f"n_{who}_rejected": 0, "source": None}


def _unknown(name: str, absent: int, who: str) -> InputError:
    return _unpaired(
        f"to know each trial in both; {name} has {absent} {who} trials without a score, and nobody"
        " knows which these are in the other",
        vocabulary.worded("Give all ids (`id=...`), leave them out of both (`missing='drop'`)"),
    )


def same_trials(a: ScoredTrials, b: ScoredTrials, *, groups: bool) -> bool:
    """Whether both systems judge the same trials."""
    try:
        check_other_trials(a, b, ("a", "b"), groups=groups)
    except InputError:
        return False
    return True


def check_other_trials(
    a: ScoredTrials, b: ScoredTrials, names: tuple[str, str], *, groups: bool
) -> None:
    """Refuse pairs that differ in number, weights, ids, groups or order."""
    # Ids and groups are compared where both systems have them, the order of the labels where both
    # were read from files that name no trials.
    for who in CLASSES:
        for name, system in zip(names, (a, b), strict=True):
            # Of trials without a score and without ids only the number is known.
            absent = np.count_nonzero(getattr(system, who) == -np.inf)
            absent += getattr(system, f"n_{who}_rejected", 0)
            if absent and any(getattr(s, f"{who}_ids", None) is None for s in (a, b)):
                raise _unknown(name, int(absent), who)
        first, two = getattr(a, who).size, getattr(b, who).size
        if first != two:
            need = f"the same test trials in both; {names[0]} has {first} {who} scores, {names[1]}"
            raise _unpaired(f"{need} {two}", "Keep the common trials in one order")
        weights = weights_of(a, who), weights_of(b, who)
        _check_equal(*weights, f"{who} weights", names, "Give one weight per trial")
        same = [(kind, f"Give both the same {kind}") for kind in ("groups", "strata")]
        for kind, do in (("ids", "Sort both by id"), *same):
            name = f"{who}_{kind}"
            if kind != "groups" or groups:
                _check_equal(getattr(a, name, None), getattr(b, name, None), name, names, do)
    _check_other_order(a, b)


def _check_equal(
    first: AnyArray | None, second: AnyArray | None, what: str, names: tuple[str, str], do: str
) -> None:
    if first is None or second is None:
        return
    if first.ndim != second.ndim:
        raise _unpaired(f"as many columns of {what} in {names[0]} as in {names[1]}", do)
    differ = first.astype(object) != second.astype(object)
    bad = np.flatnonzero(differ if differ.ndim == 1 else np.any(differ, axis=1))
    if bad.size:
        one, two = (checks.format_value(values[bad[0]].tolist()) for values in (first, second))
        trials = "the same test trials in the same order"
        need = "equal weights in both" if what.endswith("weights") else trials
        raise _unpaired(
            f"{need}; {bad.size} of {len(first)} {what} differ, first {one} and {two} at index"
            f" {bad[0]}", do,
        )  # fmt: skip


def _check_other_order(a: ScoredTrials, b: ScoredTrials) -> None:
    both = [s for s in (a, b) if isinstance(s, Scores)]
    alike = all(np.array_equal(getattr(a, who), getattr(b, who)) for who in CLASSES)
    if not alike and any(s.source is not None and s.source.path == TABLE for s in both):
        raise _unpaired(f"trials, and a {TABLE} has none", "Give both ratings of each trial")
    sources = [s.source for s in both if s.source is not None and s.source.order is not None]
    if len(sources) < 2 or all(s.client_ids is not None for s in both):
        return
    if sources[0].order != sources[1].order:
        what = "the labels of the two files come in different orders"
        # A file by its name and folder: what tells two systems apart.
        places = ["/".join(Path(source.path).parts[-2:]) for source in sources]
        if any(source.n_dropped for source in sources):
            what += ", or different trials were dropped"
        raise _unpaired(
            f"the same test trials in the same order; {what} ({places[0]} and {places[1]})",
            "Keep the common trials, sort both by trial, name a column of ids when"
            + vocabulary.worded(" reading (`id=...`)"),
        )
