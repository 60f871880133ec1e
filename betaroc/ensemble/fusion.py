"""The measured gain: fusing with and without each classifier."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import choice
from betaroc.core.tables import Library, Table, Tabular, columns_from_rows
from betaroc.data.groups import Groups, settled, weights_of
from betaroc.ensemble.fusing import RULES, Scale, TrialSet, fused, mid_ranks, rank_sums
from betaroc.ensemble.losses import CurvePart, Splits, score_losses, thresholds_of, vote_losses
from betaroc.inference.auc import of_means
from betaroc.inference.interval import Interval
from betaroc.inference.small_samples import student
from betaroc.rendering.nouns import Noun
from betaroc.rendering.numbers import visible
from betaroc.rendering.tree import (
    Cell,
    Grid,
    Name,
    Row,
    Section,
    Words,
    apart,
    as_named,
    signed_cell,
)
from betaroc.rendering.tree_text import text_of

#: Every rule, and every part of the curve on which a gain is met.
FUSING = (*RULES, "vote")
PARTS = ("all", "strict", "lax")
_Losses = tuple[FloatArray, FloatArray]


class Gain(NamedTuple):
    """What one classifier adds to the others by one rule on one part of the curve."""

    rule: str
    system: str
    part: str
    #: Mean of the measure over the alphas of the part, with all classifiers and without it.
    with_it: float
    without: float
    #: without - with_it: positive where the classifier helps.
    gain: float
    low: float
    high: float

    def _follows(self) -> dict[str, float]:
        return {"gain": self.without - self.with_it}


@dataclass(frozen=True, eq=False, repr=False)
class Fusion(Tabular, Noun):
    """Fusing rules with all classifiers and without each one.

    Made by :attr:`Inclusion.fusion`.

    Parameters
    ----------
    gains : tuple of Gain
        A rule, a left-out classifier, a part each.
    scale, scale_reason : str
        What rules other than "rank-mean" and "vote" act on: "scores" themselves or their
        "ranks" among dev's, and why.
    parts : dict
        Criterion, measure and alphas of "all", "strict" and "lax".
    folds : int
        Folds between which thresholds were chosen and met; 0 where a dev set was given.
    level : float
        Confidence of the intervals.
    library : str, optional
        "pandas", "polars" or "pyarrow": of which the table is a frame, as of `Scores`.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> good = br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300))
    >>> fair = br.Scores(rng.beta(3, 2, 300), rng.beta(2, 2, 300))
    >>> fusion = br.inclusion({"good": good, "fair": fair}).fusion
    >>> fusion.scale, len(fusion.table)  # six rules, two classifiers, three parts
    ('scores', 36)
    >>> gain = fusion.gain("good", "mean-logit")
    >>> gain.low > 0.0
    True
    """

    gains: tuple[Gain, ...]
    scale: str
    scale_reason: str
    parts: dict[str, dict[str, Any]]
    folds: int
    level: float

    @property
    def table(self) -> Table:
        """A frame, one row a gain: rule, system, part, with, without, gain, low, high."""
        texts = ("rule", "system", "part")
        names = (*texts, "with", "without", "gain", "low", "high")
        return self._table(columns_from_rows(self.gains, names, texts))

    def to_frame(self) -> Table:
        """The same as `table`.

        Returns
        -------
        DataFrame
            Of the library of the frame.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> one, two = (br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60)) for _ in range(2))
        >>> fusion = br.inclusion({"one": one, "two": two}).fusion
        >>> fusion.to_frame().equals(fusion.table)
        True
        """
        return self.table

    def gain(self, system: str, rule: str = "mean-logit", part: str = "all") -> Interval:
        """What a classifier adds, with its interval.

            gain = V(all without it) - V(all), the mean over the alphas of the part

        Parameters
        ----------
        system : str
            The classifier left out.
        rule : str
            "mean-logit", "rank-mean", "product", "max", "min" or "vote".
        part : str
            "all", "strict" or "lax".

        Returns
        -------
        Interval
            Positive where the classifier helps.

        Raises
        ------
        InputError
            If a name is unknown.

        Examples
        --------
        >>> import betaroc as br
        >>> one = br.Scores([0.6, 0.7, 0.8, 0.9], [0.1, 0.2, 0.3, 0.65])
        >>> two = br.Scores([0.5, 0.9, 0.7, 0.6], [0.3, 0.1, 0.4, 0.2])
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore", br.BetarocWarning)  # so few scores
        ...     fusion = br.inclusion({"one": one, "two": two}, folds=2).fusion
        >>> round(fusion.gain("two", "mean-logit").estimate, 4) >= 0.0
        True
        """
        choice(system, list(dict.fromkeys(g.system for g in self.gains)), "system")
        choice(rule, FUSING, "rule")
        choice(part, PARTS, "part")
        found = next(g for g in self.gains if (g.rule, g.system, g.part) == (rule, system, part))
        return Interval(found.gain, found.low, found.high, self.level, "paired")

    def __str__(self) -> str:
        return text_of(fusion_told(self))


def fusion_of(
    names: tuple[str, ...],
    splits: Splits,
    scale: Scale,
    parts: Mapping[str, CurvePart],
    level: float,
    groups: Groups | None = None,
    library: Library | None = None,
) -> Fusion:
    """All rules with all classifiers and without each one, every part."""
    everyone = list(range(len(names)))
    subsets = [everyone, *([k for k in everyone if k != left] for left in everyone)]
    sizes = len(splits.systems.client), len(splits.systems.impostor)
    found = {
        (rule, part, s): (np.empty(sizes[0]), np.empty(sizes[1]))
        for rule in FUSING
        for part in parts
        for s in range(len(subsets))
    }
    for dev, test, *rows in splits.each():
        ranks = rank_sums(dev, dev), rank_sums(dev, test)
        base = dev, test
        if scale.name == "ranks":
            base = mid_ranks(dev, dev), mid_ranks(dev, test)
        for s, members in enumerate(subsets):
            for rule in RULES:
                sides = ranks if rule == "rank-mean" else base
                own, met = fused(rule, *(side.of(members) for side in sides))
                for name, part in parts.items():
                    losses = score_losses(thresholds_of(own, part), met, part)
                    _keep(found[rule, name, s], losses, rows)
        for name, part in parts.items():
            accepts = _ballots(dev, test, part)
            for s, members in enumerate(subsets):
                own, met = (
                    side[0]._replace(**{
                        who: np.sum([getattr(side[k], who) for k in members], axis=0)
                        for who in CLASSES
                    })
                    for side in accepts
                )  # fmt: skip
                losses = vote_losses(own, met, len(members), part)
                _keep(found["vote", name, s], losses, rows)
    weights = [weights_of(splits.systems, who) for who in CLASSES]
    gains = tuple(
        _gain(rule, system, part, found[rule, part, 0], found[rule, part, k + 1], level, groups,
              weights)
        for rule in FUSING
        for k, system in enumerate(names)
        for part in parts
    )  # fmt: skip
    shown = {
        name: {"criterion": p.criterion, "measure": p.measure, "alpha": p.alpha.tolist()}
        for name, p in parts.items()
    }
    folds = 0 if splits.dev is not None else len(splits.each())
    return Fusion(gains, scale.name, scale.reason, shown, folds, level, library=library)


def _keep(kept: _Losses, losses: _Losses, rows: list[Any]) -> None:
    for whole, some, at in zip(kept, losses, rows, strict=True):
        whole[at] = some


def _ballots(dev: TrialSet, test: TrialSet, part: CurvePart) -> list[list[TrialSet]]:
    """Of dev and of test, whom each classifier accepts at its own threshold of each alpha."""
    found: list[list[TrialSet]] = [[], []]
    for k in range(dev.client.shape[1]):
        t = thresholds_of(dev.of(k), part)
        for ballots, side in zip(found, (dev, test), strict=True):
            client, impostor = (1.0 * (getattr(side, w)[:, k, None] > t) for w in CLASSES)
            ballots.append(side._replace(client=client, impostor=impostor))
    return found


def _gain(
    rule: str,
    system: str,
    part: str,
    with_it: _Losses,
    without: _Losses,
    level: float,
    groups: Groups | None,
    weights: list[FloatArray],
) -> Gain:
    """Means of each class add up; so do the variances of the paired differences."""
    apart = [b - a for a, b in zip(with_it, without, strict=True)]
    value, rest, gain = (
        sum(float(np.average(x, weights=w)) for x, w in zip(losses, weights, strict=True))
        for losses in (with_it, without, apart)
    )
    variance, freedom = (
        of_means(apart, weights) if groups is None else _grouped(apart, groups, weights)
    )
    reach = 0.0
    if variance != 0.0:
        reach = student(freedom, level) * math.sqrt(variance) if freedom > 0.0 else math.nan
    return Gain(rule, system, part, value, rest, gain, gain - reach, gain + reach)


def _grouped(
    apart: list[FloatArray], groups: Groups, weights: list[FloatArray]
) -> tuple[float, float]:
    """The same where trials depend on groups: sum over them of their squared contributions."""
    away = np.concatenate([
        (x - np.average(x, weights=w)) / np.sum(w) for x, w in zip(apart, weights, strict=True)
    ])  # fmt: skip
    sizes = [size for size in groups.sizes if size is not None]
    return float(settled(*groups.meat(away[:, None]))[0, 0]), min(sizes) - 1.0


# ------------------------------------------------------------------------------- in words
def fusion_told(fusion: Fusion) -> list[Section]:
    """Gains of every rule and classifier on every part."""
    rows: dict[tuple[str, str], list[Cell | Name | str]] = {}
    for g in fusion.gains:
        cells = rows.setdefault((g.rule, g.system), [g.rule, as_named(g.system)])
        cells.append(signed_cell(g.gain, g.low, g.high))
    what = [f"gain, {name} ({p['criterion']}, {p['measure']})" for name, p in fusion.parts.items()]
    where = f"other folds of {fusion.folds}" if fusion.folds else "dev"
    head = f"fused on {fusion.scale} ({fusion.scale_reason}); thresholds from {where}"
    table = Grid(("rule", "without", *what), tuple(Row(tuple(one)) for one in rows.values()), (1,))
    return apart(Words(visible(head), "given"), table)
