"""What a fit hangs on at its ends: rules for 0 and 1, the smallest scores, the tails themselves."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betaroc._thresholds import FloatArray
from betaroc._value import Value
from betaroc.adequacy import repeated
from betaroc.distributions.beta import Beta
from betaroc.distributions.inflated import Inflated
from betaroc.errors import BetarocError, BetarocWarning, InputError
from betaroc.fitting import Fit, fit

__all__ = ["PolicyRow", "Sensitivity", "TailCheck", "sensitivity"]

_CLASSES = ("client", "impostor")
_EPSILONS = (1e-3, 1e-6, 1e-9)
#: Share of the scores whose part of a statistic is stated.
_SMALLEST = 0.01


class PolicyRow(NamedTuple):
    """The fit under one rule for scores near 0 and 1."""

    #: Name of the rule, with its edge where it has one.
    policy: str
    #: Shapes of both laws.
    client_a: float
    client_b: float
    impostor_a: float
    impostor_b: float
    #: Exponents of the ROC at both ends, nan where point masses decide.
    exponent_at_zero: float
    exponent_at_one: float
    auc: float


class TailCheck(NamedTuple):
    """One end of one class: what its most extreme scores say without the rest."""

    #: "client" or "impostor"; "at_zero" or "at_one".
    who: str
    end: str
    #: The fitted exponent of the tail: a at zero, b at one.
    fitted: float
    #: Hill's estimate from the most extreme scores, their number, and its distance in its errors.
    hill: float
    scores: int
    z: float
    #: Share of the sum of log s (or log(1 - s)) that the extreme 1 % of the scores carry.
    carried: float


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Value):
    """What moves when the rule for the ends does.

    Made by `Fit.sensitivity`.

    Parameters
    ----------
    policies : tuple of PolicyRow
        The fit as it is, then under other rules.
    refused : tuple of str
        Rules under which these scores have no fit, with the reason.
    tails : tuple of TailCheck
        Both ends of both classes.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300)))
    >>> [row.policy for row in fit.sensitivity().policies][:3]
    ['as fitted', 'squeeze', 'censor 0.001']
    """

    policies: tuple[PolicyRow, ...]
    refused: tuple[str, ...]
    tails: tuple[TailCheck, ...]

    def to_frame(self) -> Any:
        """The policies as a pandas frame, one a row.

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300)))
        >>> fit.sensitivity().to_frame().shape[1]
        8
        """
        import pandas as pd

        return pd.DataFrame(self.policies, columns=list(PolicyRow._fields))


def sensitivity(f: Fit) -> Sensitivity:
    """The audit of a beta fit; `Fit.sensitivity` documents it."""
    if f.family != "beta":
        raise InputError(
            "the audit is of beta fits, whose ends are exponents; this one is of family"
            f' {f.family!r}. Fit family="beta".'
        )
    rows, refused = [_row("as fitted", f)], []
    asked: list[tuple[str, dict[str, Any]]] = [
        ("squeeze", {"boundary": "squeeze"}),
        *((f"censor {e:g}", {"boundary": "censor", "resolution": e}) for e in _EPSILONS),
        ("drop", {"boundary": "drop"}),
        ("matlab", {"boundary": "matlab"}),
    ]
    for name, options in asked:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BetarocWarning)
            try:
                rows.append(_row(name, fit(f.scores, "beta", **options)))
            except BetarocError as error:
                refused.append(f"{name}: {error}")
    tails = [_tail(f, who, end) for who in _CLASSES for end in ("at_zero", "at_one")]
    return Sensitivity(tuple(rows), tuple(refused), tuple(tails))


def _row(policy: str, f: Fit) -> PolicyRow:
    laws = [_base(getattr(f, who)) for who in _CLASSES]
    ends = f.model.ends()
    return PolicyRow(
        policy, laws[0].a, laws[0].b, laws[1].a, laws[1].b, float(ends.at_zero.exponent),
        float(ends.at_one.exponent), float(f.model.auc()),
    )  # fmt: skip


def _base(result: Any) -> Beta:
    law = result.distribution
    base: Any = law.base if isinstance(law, Inflated) else law
    return base  # type: ignore[no-any-return]


def _tail(f: Fit, who: str, end: str) -> TailCheck:
    """Hill's estimate of the exponent, from the square root of the number of scores."""
    x = repeated(f.scores, who)
    x = x[(x > 0.0) & (x < 1.0)]
    logs: FloatArray = np.sort(np.log(x) if end == "at_zero" else np.log1p(-x))
    fitted = _base(getattr(f, who))
    exponent = fitted.a if end == "at_zero" else fitted.b
    k = min(max(2, math.ceil(math.sqrt(x.size))), x.size - 1)
    spread = float(np.mean(logs[k] - logs[:k])) if x.size > 2 else 0.0
    hill = 1.0 / spread if spread > 0.0 else math.nan
    z = (hill - exponent) / (exponent / math.sqrt(k))
    extreme = max(1, math.ceil(_SMALLEST * x.size))
    carried = float(np.sum(logs[:extreme]) / np.sum(logs))
    return TailCheck(who, end, float(exponent), hill, k, z, carried)
