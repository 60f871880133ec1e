"""Families fitted to the scores of a class, and to those of all folds but one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.errors import FitError, InputError
from betaroc.data.groups import weights_of
from betaroc.data.scores import Scores
from betaroc.distributions.base import Distribution
from betaroc.estimation.estimate import Options, estimate_class, estimate_pair
from betaroc.estimation.families import FAMILIES
from betaroc.estimation.likelihood import ScoreCells, log_masses
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.model.distances import largest_distance

_FOLDS = 5
#: With a smaller share of distinct scores a mixture would chase the ties.
_DISTINCT = 0.5


class Folded(NamedTuple):
    """The scores of a class that are compared, and its folds."""

    who: str
    x: FloatArray
    #: As given: None where every score counts once.
    weights: FloatArray | None
    copies: FloatArray
    #: The group of each score, where there are groups.
    groups: IntArray | None
    #: Scores of exactly 0 or 1, which are not compared.
    at_ends: int
    fold: IntArray
    #: Of scores that are fitted and compared as counts in cells.
    resolution: float | None
    #: The range of all scores, where it is known.
    bounds: tuple[float, float] | None

    @classmethod
    def of(
        cls,
        scores: Scores,
        who: str,
        resolution: float | None,
        bounds: tuple[float, float] | None,
    ) -> Folded:
        values, weights = getattr(scores, who), getattr(scores, f"{who}_weights")
        groups, copies = getattr(scores, f"{who}_groups"), weights_of(scores, who)
        keep = copies > 0.0
        if bounds is not None:
            keep &= (values > bounds[0]) & (values < bounds[1])
        if not np.any(keep):
            low, high = bounds or (-math.inf, math.inf)
            raise InputError(
                f"a comparison of families needs {who} scores between {low:g} and {high:g}; all"
                f" {values.size} are exactly {low:g} or {high:g}. Name a family."
            )
        distinct = np.unique(values[keep]).size
        if distinct < 2 * _FOLDS:
            raise InputError(
                f"a comparison of families needs at least {2 * _FOLDS} distinct {who} scores for"
                f" its {_FOLDS} folds; got {distinct}. Give more, or name a family."
            )
        label = None
        if groups is not None:
            first = groups if groups.ndim == 1 else groups[:, 0]
            label = np.unique(first[keep], return_inverse=True)[1]
        return cls(
            who, values[keep], None if weights is None else weights[keep], copies[keep], label,
            int(np.sum((copies > 0.0) & ~keep)),
            _folds(who, int(np.sum(keep)), label), resolution, bounds,
        )  # fmt: skip

    def logs(self, law: Distribution, keep: BoolArray | slice = slice(None)) -> FloatArray:
        """Log densities of the scores, of cells the mean density within."""
        x, step = self.x[keep], self.resolution
        if step is None:
            return np.asarray(law.logpdf(x))
        _, low, high, place = ScoreCells.of(x, step, law.support)
        return (log_masses(low, high, law.support)(law) - np.log(high - low))[place]

    def fit(
        self, x: FloatArray, weights: FloatArray | None, name: str, near: Distribution | None = None
    ) -> Estimate:
        """A family on some of the scores; `near` is the distribution of nearly the same."""
        own: dict[str, Any] = {"resolution": self.resolution, "bounds": self.bounds}
        return estimate_class(self.who, x, weights, name, near=near, **own)

    @property
    def total(self) -> float:
        return float(np.sum(self.copies))

    @property
    def tied(self) -> bool:
        return bool(np.unique(self.x).size < _DISTINCT * self.x.size)

    def part(self, keep: BoolArray) -> tuple[FloatArray, FloatArray | None]:
        return self.x[keep], None if self.weights is None else self.weights[keep]

    def splits(self) -> Iterator[BoolArray]:
        """What is held out, fold by fold."""
        return (self.fold == k for k in range(_FOLDS) if np.any(self.fold == k))

    def sum(self, logs: FloatArray) -> float:
        return float(np.sum(self.copies * logs))

    def variance(self, difference: FloatArray) -> float:
        """Of the sum of the differences; of groups that of their sums."""
        away = difference - self.sum(difference) / self.total
        if self.groups is None:
            return float(np.sum(self.copies * away * away))
        sums = np.bincount(self.groups, self.copies * away)
        return math.fsum((sums * sums).tolist()) * sums.size / (sums.size - 1.0)

    def distance(self, law: Distribution) -> float:
        """Largest distance of the distribution functions."""
        order = np.argsort(self.x)
        upto = np.cumsum(self.copies[order])
        upto = upto / upto[-1]
        before = np.concatenate([[0.0], upto[:-1]])
        return largest_distance(law, self.x[order], upto, before)


def _folds(who: str, n: int, groups: IntArray | None) -> IntArray:
    rng = np.random.default_rng(0)
    if groups is None:
        return rng.permutation(n) % _FOLDS
    many = int(groups.max()) + 1
    if many < 2:
        raise InputError(
            f"a comparison of families holds out whole groups and needs at least 2 of {who} scores;"
            " got 1. Name a family, or give scores without groups."
        )
    return (rng.permutation(many) % _FOLDS)[groups]


class Tried(NamedTuple):
    """A family fitted to a class: log densities of the scores, and held out."""

    family: str
    fit: Estimate
    logs: FloatArray
    held: FloatArray
    #: Of the other folds, fold by fold.
    laws: list[Distribution]


class TriedFamilies(NamedTuple):
    """The families of a class that can be fitted, and the others with the reason."""

    tried: list[Tried]
    left_out: list[tuple[str, str, str]]


def tried_families(side: Folded, names: Sequence[str], *, asked: bool) -> TriedFamilies:
    """Each family on a class; where none can be fitted the first error."""
    tried: list[Tried] = []
    left_out: list[tuple[str, str, str]] = []
    first: FitError | None = None
    for name in names:
        why = "" if asked else _spared(side, name)
        if why:
            left_out.append((side.who, name, why))
            continue
        try:
            tried.append(_tried(side, name))
        except FitError as error:
            first = first or error
            left_out.append((side.who, name, str(error)))
    if first is not None and not tried:
        raise first
    return TriedFamilies(tried, left_out)


def _spared(side: Folded, name: str) -> str:
    """Why a family is not tried unless it is named."""
    if FAMILIES[name].sized is not None and side.tied:
        return "fewer than half of the scores are distinct"
    if side.at_ends and not FAMILIES[name].on_unit:
        ends = " or ".join(f"{end:g}" for end in side.bounds or ())
        return f"{side.at_ends} scores are exactly {ends}, and it has no point masses there"
    return ""


def _tried(side: Folded, name: str) -> Tried:
    whole = side.fit(side.x, side.weights, name)
    held, laws = np.empty(side.x.size), []
    for out in side.splits():
        laws.append(_fold_fit(side, ~out, name, whole).distribution)
        held[out] = side.logs(laws[-1], out)
    return Tried(name, whole, side.logs(whole.distribution), held, laws)


def _fold_fit(side: Folded, keep: BoolArray, name: str, whole: Estimate) -> Estimate:
    """The fit of the other folds; where they have no mixture, one of its components."""
    part, alone = side.part(keep), FAMILIES[name].alone
    try:
        return side.fit(*part, name, whole.distribution)
    except FitError:
        if not alone:
            raise
    return side.fit(*part, alone)


# ---------------------------------------------------------------------------- both classes
class Joint(NamedTuple):
    """Families of both classes on all scores: one of both, or a pair of the best."""

    fit: PairEstimate
    logs: list[FloatArray]
    held: list[FloatArray]


def joint_of(name: str, sides: Sequence[Folded]) -> Joint:
    """A family of both classes fitted; fold k of both classes is held out at once."""
    whole = _pair(name, [(s.x, s.weights) for s in sides], sides[0].bounds)
    held = [np.empty(s.x.size) for s in sides]
    for k in range(_FOLDS):
        rest = _pair(name, [s.part(s.fold != k) for s in sides], sides[0].bounds).model
        for s, values, law in zip(sides, held, (rest.client, rest.impostor), strict=True):
            values[s.fold == k] = law.logpdf(s.x[s.fold == k])
    laws = whole.model.client, whole.model.impostor
    logs = [np.asarray(law.logpdf(s.x)) for s, law in zip(sides, laws, strict=True)]
    return Joint(whole, logs, held)


def _pair(
    name: str,
    parts: Sequence[tuple[FloatArray, FloatArray | None]],
    bounds: tuple[float, float] | None,
) -> PairEstimate:
    (client, first), (impostor, second) = parts
    content = {"client_weights": first, "impostor_weights": second}
    scores = Scores._checked(client=client, impostor=impostor, **content)
    return estimate_pair(scores, (name, name), Options(bounds=bounds))[0]


def z_of(one: Sequence[FloatArray], best: Sequence[FloatArray], sides: Sequence[Folded]) -> float:
    """Sum of the differences over its standard error, variances class by class."""
    gaps = [a - b for a, b in zip(one, best, strict=True)]
    total = math.fsum(s.sum(gap) for s, gap in zip(sides, gaps, strict=True))
    variance = math.fsum(s.variance(gap) for s, gap in zip(sides, gaps, strict=True))
    return total / math.sqrt(variance) if variance > 0.0 else 0.0


def mean_log(logs: Sequence[FloatArray], sides: Sequence[Folded]) -> float:
    """By all trials of the classes."""
    total = math.fsum(s.sum(x) for s, x in zip(sides, logs, strict=True))
    return total / math.fsum(s.total for s in sides)
