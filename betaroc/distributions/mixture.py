"""Mixtures of distributions of one family, and the ROC of two of them."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from betaroc.core.arrays import CLASSES, BoolArray, FloatArray
from betaroc.core.checks import instance, positive
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.text import typed
from betaroc.core.thresholds import Thresholds
from betaroc.distributions.base import Distribution, Parameter, Tail, TwoArrays
from betaroc.distributions.beta import Beta
from betaroc.distributions.normal import Normal
from betaroc.distributions.pairs import Pair, closed_forms, pair_of

#: Weights that were rounded on their way add up to 1 within this.
_WHOLE = 1e-9
_STEPS = 200
_LAST = 4.0 * float(np.finfo(np.float64).eps)
#: Logs of a tail that differ by no more are one.
_SAME = 2.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(Distribution):
    """A mixture; see :class:`BetaMixture`."""

    weights: tuple[float, ...]
    components: tuple[Distribution, ...]

    #: Of what the components are.
    _kind: ClassVar[type[Distribution]]

    def __post_init__(self) -> None:
        weights = _listed(self.weights, "weights")
        components = _listed(self.components, "components")
        if len(weights) != len(components) or not weights:
            actual, remedy = f"{len(weights)} and {len(components)}", "Give a weight for each."
            raise refusal("weights and components", "be as many, at least one", actual, remedy)
        for k, law in enumerate(components):
            instance(law, self._kind, f"components[{k}]", f"{self._kind.__name__}(...)")
        checked = tuple(positive(w, f"weights[{k}]") for k, w in enumerate(weights))
        if abs(sum(checked) - 1.0) > _WHOLE:
            actual = repr(sum(checked))
            raise refusal("weights", "add up to 1", actual, "Divide them by their sum.")
        object.__setattr__(self, "weights", checked)
        object.__setattr__(self, "components", components)

    @cached_property
    def _shares(self) -> FloatArray:
        return np.array(self.weights) / math.fsum(self.weights)

    @cached_property
    def _log_shares(self) -> FloatArray:
        return np.log(self._shares)

    @property
    def support(self) -> tuple[float, float]:
        return self.components[0].support

    @property
    def mean(self) -> float:
        return math.fsum(w * law.mean for w, law in self._parts())

    @property
    def _sd(self) -> float:
        parts = [(math.sqrt(w), law._sd, law.mean - self.mean) for w, law in self._parts()]
        return math.hypot(*(root * math.hypot(sd, away) for root, sd, away in parts))

    def _parts(self) -> list[tuple[float, Distribution]]:
        return list(zip(self._shares.tolist(), self.components, strict=True))

    def _side(self, t: Thresholds, *, lower: bool) -> TwoArrays:
        values, logs = np.array([d._side(t, lower=lower) for d in self.components]).swapaxes(0, 1)
        # The shares need not add up to 1 to the last digit. No product of matrices: its last digit
        # depends on how many thresholds there are.
        shares = self._shares.reshape((-1,) + (1,) * t.theta.ndim)
        total = np.minimum(np.add.reduce(shares * values), 1.0)
        total = np.where(np.all(values == 1.0, axis=0), 1.0, total)
        # Next to 1 the log is minus the other tail, which the log of each part knows.
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.log1p(np.add.reduce(shares * np.expm1(logs)))
        return total, np.where(total > 0.5, near, np.minimum(self._log_sum(list(logs)), 0.0))

    def _log_sum(self, logs: list[FloatArray]) -> FloatArray:
        parts = np.array(logs)
        parts += self._log_shares.reshape((-1,) + (1,) * (parts.ndim - 1))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.logaddexp.reduce(parts, axis=0))

    def _log_density(self, t: Thresholds) -> FloatArray:
        return self._log_sum([law._log_density(t) for law in self.components])

    def _log_pdf(self, t: Thresholds) -> FloatArray:
        return self._log_sum([law._log_pdf(t) for law in self.components])

    def _log_density_slope(self, t: Thresholds) -> FloatArray:
        logs = np.stack([law._log_density(t) for law in self.components])
        logs = logs + self._log_shares.reshape((-1,) + (1,) * (logs.ndim - 1))
        top = np.max(logs, axis=0)
        with np.errstate(under="ignore"):
            share = np.exp(logs - np.where(np.isfinite(top), top, 0.0))
        # At an end all logs are -inf: there the heaviest components alone count.
        at = self._native(t)
        for end, present in enumerate((at == -np.inf, at == np.inf)):
            if present.any():
                share[:, present] = self._shares_at(end)[:, None]
        slopes = np.stack([law._log_density_slope(t) for law in self.components])
        return np.asarray(np.sum(share * slopes, axis=0) / np.sum(share, axis=0))

    def _shares_at(self, end: int) -> FloatArray:
        tails = [law._tails()[end] for law in self.components]
        heaviest = _heaviest(tails, end)
        if tails[0].order != 1:
            return np.where(heaviest, self._shares, 0.0)
        logs = self._log_shares + [tail.log_coefficient for tail in tails]
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(np.where(heaviest, logs - np.max(logs[heaviest]), -np.inf)))

    def _tail_quantile(self, p: FloatArray, log_p: FloatArray, *, lower: bool) -> Thresholds:
        """Newton's method, kept between the components' quantiles."""
        inverses = [self._native(d._inverse(p, log_p, lower=lower)) for d in self.components]
        low, high = np.min(inverses, axis=0), np.max(inverses, axis=0)
        middle, sign = 0.5 * low + 0.5 * high, 1.0 if lower else -1.0
        done = ~(np.isfinite(middle) & (low < high))
        y, last = np.where(done, low, middle), np.full(low.shape, np.inf)
        for _ in range(_STEPS):
            if np.all(done):
                break
            t = self._at_native(y)
            log_tail = self._side(t, lower=lower)[1]
            with np.errstate(all="ignore"):
                miss = sign * (log_tail - log_p)
                newton = y - miss * np.exp(log_tail - self._log_density(t))
            low, high = np.where(miss < 0.0, y, low), np.where(miss > 0.0, y, high)
            inside = (newton > low) & (newton < high)
            done |= np.abs(miss) <= _SAME * np.maximum(np.abs(log_p), 1.0)
            following = np.where(done, y, np.where(inside, newton, 0.5 * low + 0.5 * high))
            moved = np.abs(np.subtract(following, y, out=np.zeros(y.shape), where=~done))
            size = np.maximum(np.abs(following), 1e-300)
            # Newton squares a small step; one that does not shrink is rounding.
            done |= (moved <= _LAST * size) | ((moved <= 1e-12 * size) & (moved > 0.1 * last))
            y, last = following, moved
        return self._at_native(y)

    def _landmarks(self, depths: FloatArray) -> Thresholds:
        # Quantiles of the mixture lie between those of the components, and cost ten times as much.
        return Thresholds.concatenate([law._landmarks(depths) for law in self.components])

    def _tails(self) -> tuple[Tail, Tail]:
        return self._tail(0), self._tail(1)

    def _tail(self, end: int) -> Tail:
        """The heaviest component's; equal tails add up."""
        tails = [law._tails()[end] for law in self.components]
        keep = np.flatnonzero(_heaviest(tails, end))
        first: Tail = tails[int(keep[0])]
        shares = self._shares[keep]
        if first.order != 1:
            return replace(first, share=float(np.sum(shares)))
        logs = [tails[k].log_coefficient + math.log(w) for k, w in zip(keep, shares, strict=True)]
        return replace(first, log_coefficient=float(np.logaddexp.reduce(logs)))

    def _tail_rows(self, values: Mapping[str, FloatArray], t: Thresholds) -> TwoArrays:
        now: dict[str, Any] = {p.name: p.value for p in self._parameters()} | dict(values)
        shares = [now[f"weight_{k}"] for k in range(1, len(self.components))]
        lower = upper = np.zeros(())
        parts = zip([*shares, 1.0 - sum(shares)], self.components, strict=True)
        for k, (share, law) in enumerate(parts, 1):
            tails = law._tail_rows({p.name: now[f"{p.name}_{k}"] for p in law._parameters()}, t)
            lower, upper = lower + share * tails[0], upper + share * tails[1]
        return np.minimum(lower, 1.0), np.minimum(upper, 1.0)

    def _sample(self, size: Any, rng: np.random.Generator) -> FloatArray:
        which = rng.choice(len(self.components), size, p=self._shares)
        scores = np.empty(which.shape)
        for k, law in enumerate(self.components):
            mine = which == k
            scores[mine] = law._sample(int(np.count_nonzero(mine)), rng)
        return scores

    def _parameters(self) -> tuple[Parameter, ...]:
        weights = [Parameter(f"weight_{k + 1}", w, "weights") for k, w in enumerate(self.weights)]
        shapes = [
            p._replace(name=f"{p.name}_{k + 1}")
            for k, law in enumerate(self.components)
            for p in law._parameters()
        ]
        return (*weights[:-1], *shapes)

    def _replaced(self, values: Mapping[str, float]) -> Mixture:
        now = {p.name: p.value for p in self._parameters()} | dict(values)
        weights = [now[f"weight_{k}"] for k in range(1, len(self.components))]
        laws = tuple(
            law._replaced({p.name: now[f"{p.name}_{k}"] for p in law._parameters()})
            for k, law in enumerate(self.components, 1)
        )
        rest = max(1.0 - math.fsum(weights), sys.float_info.min)
        return type(self)((*weights, rest), laws)


@dataclass(frozen=True, eq=False, repr=False)
class BetaMixture(Mixture):
    """A mixture of beta distributions: several kinds of scores in one class.

        F(x) = sum_k w_k F_k(x),   F_k the distribution Beta(a_k, b_k)

    Parameters
    ----------
    weights : sequence of float, length k
        Positive shares that add up to 1 (within 1e-9; they are used as shares of their sum).
    components : sequence of Beta, length k
        The distributions.

    Raises
    ------
    InputError, InputTypeError
        If a weight is not positive, the weights do not add up to 1, or are not as many as the
        components.

    Notes
    -----
    Each end belongs to the component with the smallest exponent there. The ROC of two mixtures may
    cross the diagonal several times.

    Examples
    --------
    >>> from betaroc import Beta, BetaMixture
    >>> BetaMixture([0.25, 0.75], [Beta(1, 1), Beta(2, 1)]).cdf(0.5)  # 1/4 1/2 + 3/4 1/4
    0.3125
    """

    weights: tuple[float, ...]
    components: tuple[Beta, ...]

    on_unit = True
    _kind = Beta


@dataclass(frozen=True, eq=False, repr=False)
class NormalMixture(Mixture):
    """A mixture of normal distributions: several kinds of unbounded scores in one class.

        F(x) = sum_k w_k Phi((x - mu_k) / sigma_k)

    Parameters
    ----------
    weights : sequence of float, length k
        As of :class:`BetaMixture`.
    components : sequence of Normal, length k
        The distributions.

    Raises
    ------
    InputError, InputTypeError
        As :class:`BetaMixture`.

    Notes
    -----
    Each end belongs to the widest component, of equal ones to the outermost. The ROC of two
    mixtures may cross the diagonal several times.

    Examples
    --------
    >>> from betaroc import Normal, NormalMixture
    >>> NormalMixture([0.25, 0.75], [Normal(-1, 1), Normal(1, 1)]).mean
    0.5
    """

    weights: tuple[float, ...]
    components: tuple[Normal, ...]

    _kind = Normal


def _heaviest(tails: Sequence[Tail], end: int) -> BoolArray:
    """Which tails have the least exponent, or are widest and then outermost."""
    if tails[0].order == 1:
        rates = np.array([tail.rate for tail in tails])
        return np.asarray(rates == np.min(rates))
    widths = np.array([tail.width for tail in tails])
    out = np.array([tail.centre for tail in tails]) * (1.0 if end else -1.0)
    widest = widths == np.max(widths)
    return np.asarray(widest & (out == np.max(out[widest])))


def _listed(value: Any, name: str) -> tuple[Any, ...]:
    try:
        return tuple(value)
    except TypeError:
        rule, remedy = "be a sequence, one entry per component", "Give a tuple of them."
        raise refusal(name, rule, typed(value), remedy, InputTypeError) from None


class MixturePair(Pair):
    """Areas from the components."""

    def auc_continuous(self) -> float:
        bases = [self._base(which) for which in CLASSES]
        client, impostor = (d._parts() if isinstance(d, Mixture) else [(1.0, d)] for d in bases)
        areas = (w * v * pair_of(c, i).auc_continuous() for w, c in client for v, i in impostor)
        return min(1.0, math.fsum(areas))


for _mixture, _component in ((BetaMixture, Beta), (NormalMixture, Normal)):
    closed_forms(_mixture, _mixture, MixturePair)
    closed_forms(_mixture, _component, MixturePair)
    closed_forms(_component, _mixture, MixturePair)
