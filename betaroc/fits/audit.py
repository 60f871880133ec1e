"""What a fit depends on at its ends: rules for 0 and 1, the smallest scores, the tails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import BetarocError, InputError
from betaroc.core.notices import quietly
from betaroc.core.tables import Table, Tabular, columns_from_rows
from betaroc.core.text import sentence
from betaroc.core.thresholds import softplus
from betaroc.core.vocabulary import capital
from betaroc.data.groups import Groups, groups_of, settled, weights_of
from betaroc.data.scores import require_scores
from betaroc.distributions.beta import Beta
from betaroc.distributions.inflated import MASSES, base_of
from betaroc.distributions.shifted import bounds_of
from betaroc.estimation.estimate import Options, estimate_pair
from betaroc.estimation.families import family_text, has_shapes
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.fits.tail_fits import refuse_tails
from betaroc.rendering.nouns import Noun
from betaroc.rendering.numbers import number
from betaroc.rendering.tree import Bullets, Grid, Node, Row, Words
from betaroc.rendering.tree_text import text_of

_EPSILONS = (1e-3, 1e-6, 1e-9, 1e-12)
#: Share of the scores whose part of a statistic is stated.
_SMALLEST = 0.01
#: Errors beyond which extreme scores do not follow the distribution.
_FAR = 3.0
#: Steps of a mean over quantiles.
_STEPS = 1000


class PolicyRow(NamedTuple):
    """The fit under one rule for scores near 0 and 1."""

    #: Name of the rule, with its edge where it has one.
    policy: str
    #: Shapes of both distributions.
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
    #: Hill's estimate from the most extreme scores (nan where they are equal), the number of
    #: these, and its distance in its errors.
    hill: float
    scores: int
    z: float
    #: Share of the sum of log s (or log(1 - s)) that the extreme 1 % of the scores carry.
    carried: float
    #: Hill's exponent that the fitted distribution itself has over the same share of scores.
    expected: float

    @property
    def far(self) -> bool:
        """Whether Hill's exponent is more than 3 errors from the fitted one."""
        return abs(self.z) > _FAR

    @property
    def departs(self) -> bool:
        """Whether it is that far from what the fitted distribution has over this share, too."""
        own = abs(self.hill - self.expected) / self.expected
        return self.far and abs(self.z) * own > _FAR * abs(self.hill - self.fitted) / self.fitted


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Tabular, Noun):
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
    library : str, optional
        "pandas", "polars" or "pyarrow": of which the table is a frame, as of `Scores`.

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

    def __str__(self) -> str:
        return text_of(self._view())

    def _view(self) -> list[Node]:
        departing = tuple(capital(sentence(words)) for words in tail_words(self))
        return [Words(self._ranges()), *self._tables(), *[Bullets(departing)] * bool(departing)]

    def _tables(self) -> list[Node]:
        """A row per rule, a row per tail, and the rules that have no fit."""
        rules = Grid(
            ("rule", "client a", "b", "impostor a", "b", "exponent at 0", "at 1", "AUC"),
            tuple(Row((row[0], *(_shown(v, 4) for v in row[1:]))) for row in self.policies),
        )  # fmt: skip
        tails = Grid(
            ("class", "end", "fitted exponent", "Hill’s", "that of the fit", "from scores", "z",
             "carried by the extreme 1 %"),
            tuple(
                Row((
                    tail.who, tail.end.replace("_", " "), number(tail.fitted, 4),
                    _shown(tail.hill, 4), _shown(tail.expected, 4), number(tail.scores),
                    _shown(tail.z, 3), f"{100.0 * tail.carried:.3g} %",
                ))
                for tail in self.tails
            ),
            (1,),
        )  # fmt: skip
        refused = (Words(f"No fit under {sentence(words)}", "note") for words in self.refused)
        return [rules, tails, *refused]

    def _ranges(self) -> str:
        """How far the rules are apart."""
        said = [
            f"{title} {_span([getattr(row, name) for row in self.policies])}"
            for title, name in (
                ("AUC", "auc"), ("exponent at zero", "exponent_at_zero"),
                ("at one", "exponent_at_one"),
            )
        ]  # fmt: skip
        return f"over {len(self.policies)} rules: {', '.join(said)}"

    def to_frame(self) -> Table:
        """The policies as a frame, one a row.

        Returns
        -------
        DataFrame
            Of the library of the scores.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> fit = br.fit(br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300)))
        >>> fit.sensitivity().to_frame().shape[1]
        8
        """
        return self._table(columns_from_rows(self.policies, PolicyRow._fields, ("policy",)))


def _shown(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else number(value, digits)


def tail_words(audit: Sensitivity | None) -> list[str]:
    """What Hill's estimate says of each end where it is more than 3 errors from the fit."""
    return [] if audit is None else [_tail_words(tail) for tail in audit.tails if tail.far]


def _tail_words(tail: TailCheck) -> str:
    end = {"at_zero": "0", "at_one": "1"}[tail.end]
    said = (
        f"{tail.who} scores near {end}: Hill's exponent {number(tail.hill, 3)} from the"
        f" {tail.scores} most extreme, fitted exponent {number(tail.fitted, 3)}, z ="
        f" {number(tail.z, 3)}: "
    )
    if not tail.departs:
        return said + (
            "over this share of scores the fitted distribution has"
            f" {number(tail.expected, 3)} itself, so they say nothing against it; they are too far"
            f" from {end} to show the exponent there"
        )
    more = tail.hill < tail.expected
    return said + (
        f"the extreme scores reach {'nearer to' if more else 'less far towards'} {end} than the"
        f" fitted distribution has them (its own Hill exponent over this share is"
        f" {number(tail.expected, 3)}), and rates that it gives beyond them are too"
        f" {'small' if more else 'large'}"
    )


def _span(values: list[float]) -> str:
    known = [v for v in values if not math.isnan(v)]
    return f"{min(known):.4g} to {max(known):.4g}" if known else "decided by masses"


def sensitivity(
    f: PairEstimate, resolution: float | None = None, *, groups: bool = True
) -> Sensitivity:
    """The audit of a beta fit; `Fit.sensitivity` documents it."""
    checks.flag(groups, "groups")
    if not has_shapes(f.family) or bounds_of(f.client.distribution):
        raise InputError(
            "the audit is of beta fits on [0, 1], whose ends are exponents; this one is of family"
            f' {family_text(f.family)}. Fit family="beta".'
        )
    refuse_tails(f, "the audit of the ends")
    require_scores(f.scores, "Hill's exponent", rejected=True)
    f = f._told_scored("the audit of the ends")
    rows, refused = [_row("as fitted", f)], []
    for name, options in _rules(f, resolution):
        with quietly():
            try:
                rows.append(_row(name, estimate_pair(f.scores, ("beta", "beta"), options)[0]))
            except BetarocError as error:
                refused.append(f"{name}: {error}")
    hangs = groups_of(f.scores) if groups else None
    tails = [_tail(f, who, end, hangs) for who in CLASSES for end in MASSES]
    return Sensitivity(tuple(rows), tuple(refused), tuple(tails), library=f.library)


def _rules(f: PairEstimate, resolution: float | None) -> list[tuple[str, Options]]:
    """Rules other than the fit's own; cells of its resolution where it was not by cells."""
    own = f.client.boundary
    policy = "inflate" if own is None else own.policy
    if resolution is None and own is not None and policy == "censor":
        resolution = own.resolution
    if resolution is not None:
        resolution = checks.positive(resolution, "resolution")
    rules = [
        ("inflate", Options("inflate")),
        ("squeeze", Options("squeeze")),
        *((f"censor {e:g}", Options("censor", e)) for e in _EPSILONS),
        ("drop", Options("drop")),
        ("matlab", Options("matlab")),
    ]
    if resolution is not None:
        rules.append((f"cells of {resolution:g}", Options(resolution=resolution)))
    return [(name, options) for name, options in rules if name != policy]


def _row(policy: str, f: PairEstimate) -> PolicyRow:
    laws = [_base(getattr(f, who)) for who in CLASSES]
    ends = f.model.ends()
    exponents = (
        math.nan
        if any(getattr(f, who).params.get(end, 0.0) > 0.0 for who in CLASSES)
        else float(getattr(ends, end).exponent)
        for end in MASSES
    )
    at_zero, at_one = exponents
    return PolicyRow(
        policy, laws[0].a, laws[0].b, laws[1].a, laws[1].b, at_zero, at_one, float(f.model.auc())
    )


def _base(result: Estimate) -> Beta:
    return cast(Beta, base_of(result.distribution))


# ------------------------------------------------------------------------------ tails
def _tail(f: PairEstimate, who: str, end: str, groups: Groups | None) -> TailCheck:
    """Hill's estimate of the exponent, from the square root of the number of scores."""
    x, weights = (
        getattr(f.scores, who),
        weights_of(require_scores(f.scores, "Hill's exponent"), who),
    )
    place = np.flatnonzero((x > 0.0) & (x < 1.0) & (weights > 0.0))
    logs: FloatArray = np.log(x[place]) if end == "at_zero" else np.log1p(-x[place])
    order = np.argsort(logs, kind="stable")
    place, logs = place[order], logs[order]
    w = weights[place]
    upto = np.cumsum(w)
    total = float(upto[-1])
    fitted = _base(getattr(f, who))
    exponent = float(fitted.a if end == "at_zero" else fitted.b)
    k = max(1, min(max(2, math.ceil(math.sqrt(total))), math.ceil(total) - 1))
    taken = _first(w, upto, k)
    # The score after them, from which their distances are taken.
    away = logs[min(int(np.searchsorted(upto, k, side="right")), logs.size - 1)] - logs
    spread = float(taken @ away) / k if total > 2.0 else 0.0
    hill = 1.0 / spread if spread > 0.0 else math.nan
    error = exponent / math.sqrt(k)
    if groups is not None:
        parts = np.zeros(x.size)
        parts[place] = taken / w * (exponent * away - 1.0)
        error = max(error, exponent / k * _between(groups, who, parts))
    extreme = _first(w, upto, max(1, math.ceil(_SMALLEST * total)))
    carried = float(extreme @ logs) / float(w @ logs)
    own = _expected_hill(fitted, end, k / total)
    return TailCheck(who, end, exponent, hill, k, (hill - exponent) / error, carried, own)


def _expected_hill(law: Beta, end: str, share: float) -> float:
    """1 / mean of log q(share) - log q(p) over p < share, q the distance of a quantile.

    By the middles of equal steps, which are short of the mean by log(2) / 2 of a step.
    """
    p = np.append((np.arange(_STEPS) + 0.5) / _STEPS, 1.0) * min(share, 1.0 - 1e-9)
    quantile = law._lower_quantile if end == "at_zero" else law._upper_quantile
    logit = quantile(p, np.log(p)).logit
    logs = -softplus(-logit if end == "at_zero" else logit)
    return 1.0 / float(logs[-1] - np.mean(logs[:-1]))


def _first(weights: FloatArray, upto: FloatArray, count: float) -> FloatArray:
    """Of each score the copies among the first `count` of all."""
    return np.asarray(np.clip(count - (upto - weights), 0.0, weights))


def _between(groups: Groups, who: str, parts: FloatArray) -> float:
    """Standard deviation of a sum over trials that depend on groups."""
    which = CLASSES.index(who)
    cut = groups.rows[0].size
    column = np.zeros((groups.first.size, 1))
    column[(slice(cut), slice(cut, None))[which], 0] = parts[groups.rows[which]]
    return math.sqrt(max(float(settled(*groups.meat(column))[0, 0]), 0.0))
