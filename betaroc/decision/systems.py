"""Any number of systems beside each other: their order, and which differences are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.notices import public
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import Table, Tabular, first_library
from betaroc.core.terms import BIOMETRIC
from betaroc.core.text import shown
from betaroc.decision.bands import refuse_large_table
from betaroc.decision.comparison import REPLICATES, REPLICATES_OF_FITS, range_of
from betaroc.decision.comparison_draws import Plan, Smallest, plan_of
from betaroc.decision.comparison_view import drawn_words
from betaroc.decision.curve import area_weights, axes_of
from betaroc.decision.curve_difference import (
    MOST,
    inside,
    larger_is_better,
    short_measure,
    way_words,
    where_words,
)
from betaroc.decision.curve_intervals import refuse_different
from betaroc.decision.delta_bands import RESAMPLE
from betaroc.decision.epc import Epc
from betaroc.inference.simultaneous import band_of_replicates, percentile_band, pointwise
from betaroc.rendering.alphas import draw_systems
from betaroc.rendering.notebook import Trace, draw_alphas, name_shown
from betaroc.rendering.nouns import Noun
from betaroc.rendering.style import Axes
from betaroc.rendering.tree import Cell, Grid, Group, Node, Row, Words, foreign

#: So many systems are named in a sentence.
_NAMED = 4
#: How the curves of the best are drawn, and how many rows the table has.
_LOOKS, _ROWS = ("solid", "dashed", "dotted", "thin"), 30


@dataclass(frozen=True, eq=False, repr=False)
class SystemsComparison(Tabular, Noun):
    """Systems in their order, and which of their differences are shown.

    Made by :func:`compare_systems`. Of k systems there are p = k (k - 1) / 2 pairs.

    Parameters
    ----------
    names : tuple of str
        What the systems are called, as they were given.
    curves : tuple of Epc
        Their curves.
    resample : str
        "both": dev and test were drawn again, and thresholds chosen again. "test": test alone.
    paired : bool
        Whether all judge the same test trials.
    dev_paired : bool or None
        Whether all chose their thresholds on the same dev trials; None where dev was held fixed.
    level : float
        Confidence level of all intervals of pairs together, and of the whole band.
    alpha_range : tuple of float
        Alphas of the means and of the band.
    mean : ndarray, shape (k,)
        The measure of each system averaged over these alphas.
    first, second : ndarray of int, shape (p,)
        Places of the systems of each pair.
    low, high : ndarray, shape (p,)
        Ends of the intervals of ``mean[first] - mean[second]``, of all pairs at once.
    band_low, band_high : ndarray, shape (k, a)
        Ends of the band of each curve minus the mean of all k curves, of all systems and alphas at
        once; nan outside `alpha_range`.
    replicates : int
        Bootstrap replicates.
    lost : int
        Replicates in which a system has no value at some alpha.
    smallest : Smallest
        The fewest independent trials, or groups of them, of a class that was drawn.
    groups : tuple, optional
        Number of groups of each test side that were drawn as a whole.
    library : str, optional
        That of the scores: what tables are frames of.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> truth = [rng.normal(mu, 1, 200) for mu in (1, -1, 1, -1)]
    >>> def noisy(sd):
    ...     x = [own + rng.normal(0, sd, own.size) for own in truth]
    ...     return br.epc(br.Scores(*x[:2]), br.Scores(*x[2:]), measure="weighted-error")
    >>> found = br.compare_systems({"poor": noisy(2), "good": noisy(0.1)}, replicates=200, rng=1)
    >>> found.ranking, found.shown
    (('good', 'poor'), (('good', 'poor'),))
    """

    names: tuple[str, ...]
    curves: tuple[Epc, ...]
    resample: str
    paired: bool
    dev_paired: bool | None
    level: float
    alpha_range: tuple[float, float]
    mean: FloatArray
    first: IntArray
    second: IntArray
    low: FloatArray
    high: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    replicates: int
    lost: int
    smallest: Smallest
    groups: tuple[int | None, ...] | None = None
    _same_length = ("first", "low", "high")

    def _follows(self) -> dict[str, Any]:
        pairs = np.array([*combinations(range(len(self.curves)), 2)], dtype=np.int64)
        pairs = pairs.reshape(-1, 2)
        return {"first": pairs[:, 0], "second": pairs[:, 1]}

    def __repr__(self) -> str:
        best = shown(self.ranking[0], 40)
        return (
            f"<SystemsComparison of {len(self.names)} systems: {best} first,"
            f" {len(self.shown)} of {self.first.size} differences shown>"
        )

    def __str__(self) -> str:
        return self.verdict

    def _metrics(self) -> dict[str, Any]:
        means = {f"mean/{name}": value for name, value in zip(self.names, self.mean, strict=True)}
        return {"level": self.level, "shown": len(self.shown), **means}

    # ------------------------------------------------------------------------- the order
    @property
    def difference(self) -> FloatArray:
        """Of each pair the mean of the first system minus that of the second."""
        return np.asarray(self.mean[self.first] - self.mean[self.second])

    @property
    def ranking(self) -> tuple[str, ...]:
        """The names, that of the best mean first; what is not `shown` may be chance."""
        return tuple(self.names[k] for k in self._order)

    @property
    def shown(self) -> tuple[tuple[str, str], ...]:
        """Pairs (better, worse) of systems whose difference is shown, in the order of the ranking.

        The interval of the difference, of all pairs at once, excludes 0.
        """
        beats = self._beats
        return tuple(
            (self.names[i], self.names[j]) for i in self._order for j in self._order if beats[i, j]
        )

    @property
    def groups_alike(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems that cannot be told apart from each other, none of which can grow.

        Every pair that is not shown is in a group, no pair that is shown. A system may be in
        several: that a and b, and b and c, cannot be told apart says nothing of a and c.
        """
        order, beats = self._order, self._beats
        alike = ~(beats | beats.T)[np.ix_(order, order)]
        covered, found = np.eye(order.size, dtype=np.bool_), []
        for i, j in zip(*np.nonzero(np.triu(alike)), strict=True):
            alone = i == j and alike[i].sum() == 1
            if covered[i, j] and not alone:
                continue
            group = [i] if alone else [i, j]
            for k in range(order.size):
                if k not in group and np.all(alike[k, group]):
                    group.append(k)
            covered[np.ix_(group, group)] = True
            found.append(sorted(int(k) for k in group))
        return tuple(tuple(self.ranking[k] for k in group) for group in sorted(found))

    @property
    def cannot_tell(self) -> str:
        """Why no difference can be shown; empty where some can."""
        measure = short_measure(self.curves[0].measure)
        if self.smallest.too_few:
            return self.smallest.too_few
        if np.any(np.isnan(self.mean)):
            return f"the {measure} is undefined (0/0) at some of these alphas"
        if self.lost > (1.0 - MOST) * self.replicates:
            return f"{self.lost} of {self.replicates} replicates have no {measure}, or no fit"
        return ""

    @property
    def _order(self) -> IntArray:
        larger = larger_is_better(self.curves[0].measure)
        return np.argsort(-self.mean if larger else self.mean, kind="stable")

    @property
    def _beats(self) -> BoolArray:
        """Whether a system (row) is shown to be better than another (column)."""
        k = len(self.names)
        found = np.zeros((k, k), dtype=np.bool_)
        if self.cannot_tell:
            return found
        above, below = self.low > 0.0, self.high < 0.0
        if not larger_is_better(self.curves[0].measure):
            above, below = below, above
        found[self.first[above], self.second[above]] = True
        found[self.second[below], self.first[below]] = True
        return found

    # -------------------------------------------------------------------------- in words
    @property
    def verdict(self) -> str:
        """One sentence: whether a best system is shown, and how many differences are.

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> curve = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
        >>> br.compare_systems({"a": curve, "b": curve}, replicates=50, rng=1).verdict[:38]
        'cannot tell which of a and b has the l'
        """
        e = self.curves[0]
        what = f"{short_measure(e.measure)}{where_words(e, self.alpha_range)}"
        start = "at these very thresholds, " if self.resample == "test" else ""
        text = start + self._said(what, way_words(e.measure))
        return text[0].upper() + text[1:] if start else text

    def _said(self, what: str, way: str) -> str:
        why, best, pairs = self.cannot_tell, self.ranking[0], self.first.size
        if why:
            return f"cannot tell which of {_named(self.ranking)} has the {way} {what}: {why}"
        at_once = f"{100.0 * self.level:.10g} % {_pairs(pairs)}"
        shown_pairs = set(self.shown)
        rivals = [name for name in self.ranking[1:] if (best, name) not in shown_pairs]
        mean = self.mean[self._order[0]]
        if not rivals:
            return (
                f"{best} is better than {_others(self.ranking[1:])}: its {what} is {mean:.3g}"
                f" ({at_once})"
            )
        number = len(shown_pairs)
        told = f"{number} of {pairs} differences are shown" if number else "no difference is shown"
        return (
            f"no best system can be named: {_named((best, *rivals))} cannot be told apart by the"
            f" {what}, of which {best} has the {way.replace('er', 'est')}, {mean:.3g}; {told}"
            f" ({at_once})"
        )

    # ------------------------------------------------------------------------- as tables
    def to_frame(self) -> Table:
        """The ranking: a row a system, the best first.

        Returns
        -------
        DataFrame
            Of the library of the scores. Columns rank, system, mean, better_than and worse_than
            (numbers of systems from which it is shown to differ) and groups (letters: systems with
            a letter in common cannot be told apart).

        Examples
        --------
        >>> import betaroc as br
        >>> dev = br.Scores([2, 3, 4], [0, 1, 2])
        >>> curve = br.epc(dev, br.Scores([3, 4, 5], [0, 1, 2]), alpha=[0.5])
        >>> same = br.compare_systems({"a": curve, "b": curve}, replicates=50, rng=1)
        >>> same.to_frame()["groups"].tolist()
        ['a', 'a']
        """
        return self._table(self._ranks())

    def _ranks(self) -> dict[str, list[Any]]:
        beats, order, alike = self._beats, self._order, self.groups_alike
        letters = [
            " ".join(_letter(n) for n, group in enumerate(alike) if name in group)
            for name in self.ranking
        ]
        return {
            "rank": list(range(1, len(self.names) + 1)), "system": list(self.ranking),
            "mean": self.mean[order].tolist(), "better_than": beats.sum(axis=1)[order].tolist(),
            "worse_than": beats.sum(axis=0)[order].tolist(), "groups": letters,
        }  # fmt: skip

    @property
    def pairs(self) -> Table:
        """All differences: a row a pair.

        Columns first, second, difference (of the means), low, high (of all pairs at once) and
        better (a name where the difference is shown).
        """
        return self._table(self._pairs())

    def _pairs(self) -> dict[str, list[Any]]:
        beats = self._beats
        pairs = list(zip(self.first.tolist(), self.second.tolist(), strict=True))
        better = [
            self.names[i] if beats[i, j] else self.names[j] if beats[j, i] else "" for i, j in pairs
        ]
        return {
            "first": [self.names[i] for i, _ in pairs],
            "second": [self.names[j] for _, j in pairs],
            "difference": self.difference.tolist(), "low": self.low.tolist(),
            "high": self.high.tolist(), "better": better,
        }  # fmt: skip

    def plot(
        self, ax: Axes | None = None, *, scale: str = "linear", terms: str = BIOMETRIC
    ) -> Axes:
        """Draw all curves: the first of the ranking in ink, the others in grey.

        On a new figure up to 8 systems have a panel each, in which it is in ink.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if left out.
        scale : str
            Of the measure's axis, "linear" or "log".
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.

        Returns
        -------
        matplotlib Axes
            Of several the first.
        """
        axes, log = axes_of(self.curves[0], scale, terms)
        lines = [(self.names[k], self.curves[k].value) for k in self._order]
        return draw_systems(ax, self.curves[0].alpha, lines, axes, log=log)

    def _view(self) -> Sequence[Node]:
        """The verdict, the ranking, what was drawn, and the curves of the best."""
        first = self.curves[0]
        axes, _ = axes_of(first, "linear", BIOMETRIC)
        called = tuple(name_shown(name, 24) for name in self.names)
        if len({*called}) < len(called):  # without their middles they are the same
            called = tuple(name_shown(f"{k} {name}", 24) for k, name in enumerate(self.names, 1))
        nodes: list[Node] = [
            Words(f"{replace(self, names=called).verdict}."),
            self._grid(),
            Words(drawn_words(self, self.replicates)),
        ]
        if axes.single or first.alpha.size == 1:
            return nodes
        order = np.argsort(first.alpha, kind="stable")
        lines = [
            Trace(called[k], first.alpha[order], self.curves[k].value[order], look)
            for k, look in zip(self._order, _LOOKS, strict=False)
        ]
        about = f"{axes.measure} against {axes.alpha} of {len(lines)} of {len(called)} systems"
        return [*nodes, draw_alphas(
            lines, (axes.alpha, axes.measure), about, per_cent=axes.measure_is_rate
        )]  # fmt: skip

    def _grid(self) -> Grid:
        """The ranking, of many systems the best."""
        axes, _ = axes_of(self.curves[0], "linear", BIOMETRIC)
        ranks = self._ranks()
        rows: list[Row | Group] = [
            Row((foreign(name), Cell(axes.shown(mean), value=float(mean)), str(better),
                 str(worse), letters))
            for _, name, mean, better, worse, letters in zip(*ranks.values(), strict=True)
        ]  # fmt: skip
        left = [Group(f"{len(rows) - _ROWS} more systems")] * (len(rows) > _ROWS)
        head = ("system", f"mean {axes.measure}", "shown better than", "shown worse than",
                "same letter: not told apart")  # fmt: skip
        return Grid(head, (*rows[:_ROWS], *left), (4,), ranks, typeset=True)


def _letter(n: int) -> str:
    """a to z, then aa, ab, ..."""
    return (_letter(n // 26 - 1) if n >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[n % 26]


def _named(names: Sequence[str]) -> str:
    """Some names, and how many more."""
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _others(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"each of the {len(names)} others"


def _pairs(number: int) -> str:
    if number == 1:
        return "interval of the difference"
    return f"intervals of all {number} differences at once"


@public
def compare_systems(
    curves: Mapping[str, Epc],
    *,
    resample: str = "both",
    paired: bool = True,
    level: float = 0.95,
    low: float | None = None,
    high: float | None = None,
    replicates: int | None = None,
    groups: bool = True,
    rng: Any = None,
) -> SystemsComparison:
    """Which of any number of systems differ, averaged over alpha, all pairs judged at once.

    Replicates are drawn as by :func:`compare`, the same trials for all systems. With D_q the
    difference of pair q averaged over alpha, D*_q that of a replicate and s_q^2 the mean of
    (D*_q - D_q)^2, the intervals of all pairs together are

        D_q -+ c s_q,   c the quantile `level` of max over all pairs q of |D*_q - D_q| / s_q

    over the replicates, each no narrower than its own percentile interval. The band is the same
    for all systems s and alphas of V_s(alpha) minus the mean over systems of V(alpha). Of two
    systems there is one difference, and its interval is the percentile interval of
    :func:`compare`, its band the simultaneous percentile band.

    Parameters
    ----------
    curves : mapping of str to Epc
        At least two curves of one criterion, one measure and equal alphas, by name.
    resample, paired, level, low, high, replicates, groups, rng
        As of :func:`compare`; `level` is that of all intervals together.

    Returns
    -------
    SystemsComparison

    Raises
    ------
    InputError
        As of :func:`compare`, with the names of the systems; for fewer than two curves.
    InputTypeError
        If `curves` is no mapping, a curve no Epc or `rng` no source of randomness.

    Notes
    -----
    If all systems are equal, the probability that any difference is shown is about 1 - level,
    however many there are (docs/validation.md tells how that was simulated). Percentiles are ranks
    of the replicates, of which so many as to tell all pairs at once would be too many: three
    systems and more are judged by deviations. A ranking is an order of estimates: neighbours whose
    difference is not shown may stand in either order.

    Dev trials are shared where they are the same for all systems, as far as numbers, ids, groups
    and order say; else each system's are drawn by themselves. The band is wider than that of
    :func:`compare` at single alphas, since it holds for all systems.

    References
    ----------
    Westfall, P. H. and Young, S. S. (1993), Resampling-based multiple testing. Piepho, H.-P.
    (2004), An algorithm for a letter-based representation of all-pairwise comparisons.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> truth = [rng.normal(mu, 1, 200) for mu in (1, -1, 1, -1)]
    >>> def noisy(sd):
    ...     x = [own + rng.normal(0, sd, own.size) for own in truth]
    ...     return br.epc(br.Scores(*x[:2]), br.Scores(*x[2:]), measure="weighted-error")
    >>> curves = {"mlp": noisy(0.1), "svm": noisy(0.1), "lr": noisy(3)}
    >>> found = br.compare_systems(curves, replicates=200, rng=1)
    >>> found.groups_alike
    (('svm', 'mlp'), ('lr',))
    """
    names, epcs = _checked(curves)
    checks.choice(resample, RESAMPLE, "resample")
    used, paired = range_of(epcs[0], low, high), checks.flag(paired, "paired")
    number = REPLICATES if replicates is None else replicates
    options = IntervalOptions(level, resample, number, groups, rng)
    plan = plan_of(epcs, options, paired=paired, names=[shown(name, 40) for name in names])
    if replicates is None and plan.fitted:
        options = replace(options, replicates=REPLICATES_OF_FITS)
    size = epcs[0].alpha.size
    refuse_large_table(options.replicates, len(names) * size)
    values = options.replicated(
        lambda rng, n: np.stack(plan.values(rng, n), axis=1), len(names), size
    )
    return _judged(names, epcs, values, plan, options, used)


def _judged(
    names: tuple[str, ...], curves: tuple[Epc, ...], values: FloatArray, plan: Plan,
    options: IntervalOptions, used: tuple[float, float],
) -> SystemsComparison:  # fmt: skip
    """The intervals of replicates, of shape (replicates, systems, alphas)."""
    alpha, own = curves[0].alpha, np.stack([e.value for e in curves])
    weights = area_weights(alpha, *used)
    counts = weights > 0.0
    weights = weights[counts] / np.sum(weights)
    mean, means = own[:, counts] @ weights, values[:, :, counts] @ weights
    first, second = (np.array(k) for k in zip(*combinations(range(len(names)), 2), strict=True))
    at_once = _of_two if len(names) == 2 else _at_once
    ends = at_once(means[:, first] - means[:, second], mean[first] - mean[second], options)
    band = np.full((2, *own.shape), np.nan)
    at = inside(alpha, used) & ~np.any(np.isnan(own), axis=0)
    if np.any(at):
        part, centre = values[:, :, at], own[:, at] - np.mean(own[:, at], axis=0)
        part = part - np.mean(part, axis=1, keepdims=True)
        found = at_once(part.reshape(len(part), -1), centre.ravel(), options)
        band[:, :, at] = np.reshape(found, (2, *centre.shape))
    looked = inside(alpha, used)
    lost = int(np.sum(np.any(np.isnan(values[:, :, looked]), axis=(1, 2))))
    return SystemsComparison(
        names, curves, plan.resample, plan.paired, plan.dev_paired, options.level, used, mean,
        first, second, *ends, band[0], band[1], options.replicates, lost, plan.smallest,
        plan.groups, library=first_library(curves),
    )  # fmt: skip


def _at_once(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    """Ends for all columns together, at none narrower than for it alone."""
    own = pointwise(values, estimate, options)
    everywhere = -np.inf, np.inf
    low, high = band_of_replicates(values, estimate, options, everywhere, simultaneous=True)
    return np.fmin(low, own[0]), np.fmax(high, own[1])


def _of_two(
    values: FloatArray, estimate: FloatArray, options: IntervalOptions
) -> tuple[FloatArray, FloatArray]:
    """As of `compare`, by ranks, which so many replicates resolve."""
    own = pointwise(values, estimate, options)
    if estimate.size == 1:
        return own
    low, high = percentile_band(values, options.level)
    return np.fmin(low, own[0]), np.fmax(high, own[1])


def _checked(curves: Mapping[str, Epc]) -> tuple[tuple[str, ...], tuple[Epc, ...]]:
    if not isinstance(curves, Mapping):
        raise InputTypeError.about("curves")(
            f"curves must be a mapping of names to curves; got a {type(curves).__name__}. Such as"
            ' {"mlp": br.epc(dev, test), ...}.'
        )
    if len(curves) < 2:
        raise InputError.about("curves")(
            f"curves must be those of at least two systems; got {len(curves)}. A difference needs"
            " two: name another system."
        )
    for name, e in curves.items():
        if not isinstance(name, str) or not name.strip():
            raise InputTypeError.about("curves")(
                f"curves must have names of text; got {shown(name)}. Call every system something."
            )
        checks.instance(e, Epc, f"the curve of {shown(name, 40)}", "br.epc(dev, test)")
    names, epcs = tuple(curves), tuple(curves.values())
    for name, e in zip(names[1:], epcs[1:], strict=True):
        refuse_different(epcs[0], e, (shown(names[0], 40), shown(name, 40)))
    return names, epcs
