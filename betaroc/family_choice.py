"""Which family suits the scores: likelihoods on one measure, held-out scores, the ROC."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from betaroc import _checks
from betaroc._thresholds import FloatArray
from betaroc._value import Value
from betaroc.adequacy import roc_distance_of
from betaroc.distributions.base import Distribution
from betaroc.errors import FitError, InputError, InputTypeError, quietly
from betaroc.fitting import Fit, fit
from betaroc.fitting.estimate import FAMILIES as FAMILY_TABLE
from betaroc.grouping import weights_of
from betaroc.nested import nested
from betaroc.scores import Scores
from betaroc.summary import rows_of

__all__ = ["FamilyComparison", "FamilyRow", "best_fit", "compare_families"]

_FOLDS = 5
#: Two-sided 5 % point of the standard normal law.
_Z = 1.959963984540054
#: With a smaller share of distinct scores a mixture would chase the ties.
_DISTINCT = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class FamilyRow(Value):
    """One family on the scores.

    Parameters
    ----------
    family : str
        Its name.
    parameters : int
        Estimated parameters of both classes together.
    log_likelihood, aic, bic : float
        Of both classes together, densities by the score itself.
    held_out : float
        Mean log density of a score under fits of the other folds.
    held_out_z : float
        Difference of the held-out score to the best one, in its standard errors; 0 for the best.
    vuong : float
        Difference of log-likelihoods to the recommended family in standard errors; below
        -1.96 the family is worse at the 5 % level; nan for the recommended one and where one
        family contains the other (see `likelihood_ratio_test`).
    roc_distance : float
        Largest distance of the fitted ROC from the empirical one along FAR + TPR = constant.
    outside : float
        Largest mass that either law has outside [0, 1]; nan unless all scores lie inside.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> found = br.compare_families(br.Scores(rng.beta(4, 1, 300), rng.beta(1, 4, 300)))
    >>> [row.family for row in found.rows if row.held_out_z > -1.96]
    ['beta', 'beta-mixture']
    """

    family: str
    parameters: int
    log_likelihood: float
    aic: float
    bic: float
    held_out: float
    held_out_z: float
    vuong: float
    roc_distance: float
    outside: float


@dataclass(frozen=True, eq=False, repr=False)
class FamilyComparison(Value):
    """Families side by side, best held-out score first.

    Made by :func:`compare_families`.

    Parameters
    ----------
    rows : tuple of FamilyRow
        The families.
    recommended : str
        Of those within one standard error of the best held-out score the one with the
        fewest parameters.
    reason : str
        Why, and whether another is as good.
    left_out : tuple of (str, str)
        Families that could not be fitted, and why.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> found = br.compare_families(br.Scores(rng.beta(4, 1, 300), rng.beta(1, 4, 300)))
    >>> found.recommended
    'beta'
    """

    rows: tuple[FamilyRow, ...]
    recommended: str
    reason: str
    left_out: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        head = f"{'family':14}{'parameters':>11}{'held out':>10}{'z':>7}{'AIC':>11}{'ROC':>7}"
        rows = [
            f"{r.family:14}{r.parameters:11}{r.held_out:10.4f}{r.held_out_z:7.2f}{r.aic:11.1f}"
            f"{r.roc_distance:7.3f}"
            for r in self.rows
        ]
        missing = [f"without {family}: {why}" for family, why in self.left_out]
        return "\n".join([f"{self.recommended}: {self.reason}", "", head, *rows, *missing])

    @property
    def table(self) -> Any:
        """The rows as a pandas frame, one a family."""
        import pandas as pd

        names = list(FamilyRow.__dataclass_fields__)
        return pd.DataFrame({n: [getattr(row, n) for row in self.rows] for n in names})


def compare_families(scores: Scores, families: Sequence[str] | None = None) -> FamilyComparison:
    """Fit several families to both classes and compare them on one measure.

    Parameters
    ----------
    scores : Scores
        Both classes.
    families : sequence of str, optional
        Names of parametric families; where left out all that can have these scores: "beta",
        "logit-normal" and "beta-mixture" if all lie in [0, 1], and "normal".

    Returns
    -------
    FamilyComparison
        A recommendation; nothing is chosen behind your back.

    Raises
    ------
    InputError
        If a family is unknown, named twice or cannot have these scores.
    InputTypeError
        If `scores` is no Scores.
    FitError
        If a fit is impossible.

    Notes
    -----
    All log-likelihoods are of densities by the score: that of a logit-normal law includes
    -log s - log(1 - s). A point mass and a density have no common measure; with scores of exactly
    0 or 1 all families are therefore compared on the scores between, each class by itself.
    Vuong's z sums the differences over both classes and their variances class by class. Held
    out: five folds in a fixed order, each class dealt like cards. The recommendation obeys the
    rule of one standard error: a family with more parameters must be better by more than that.
    Trials are taken as independent, also where the scores carry groups.
    A mixture that cannot be fitted, or whose scores have many ties, which it would chase, is
    left out, if it was not asked for by name.

    References
    ----------
    Vuong, Q. H. (1989), Likelihood ratio tests for model selection and non-nested hypotheses.
    Breiman, L., Friedman, J., Olshen, R. and Stone, C. (1984), Classification and regression
    trees, section 3.4.3 (the rule).

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> found = br.compare_families(br.Scores(rng.beta(4, 1, 300), rng.beta(1, 4, 300)))
    >>> found.table["family"].tolist()[-2:]
    ['logit-normal', 'normal']
    """
    if not isinstance(rows_of(scores, "a comparison of families"), Scores):
        raise InputTypeError(
            f"scores must be Scores; got {type(scores).__name__}. For labels and scores use"
            " Scores.from_labels."
        )
    values = np.concatenate([scores.client, scores.impostor])
    unit = bool(np.all((values >= 0.0) & (values <= 1.0)))
    names = _named(families, unit=unit)
    inner = _inner(scores) if unit else scores
    _refuse_few(inner)
    tried, left_out = _tried(inner, names, asked=families is not None)
    held = {one.family: one.held for one in tried}
    weights = [weights_of(inner, who) for who in ("client", "impostor")]
    order = sorted(tried, key=lambda one: -_mean(one.held, weights))
    z = {one.family: _z(one.held, order[0].held, weights) for one in order}
    close = [one for one in order if z[one.family] >= -1.0]
    best = min(close, key=lambda one: one.parameters)
    rows = [
        FamilyRow(
            one.family,
            one.parameters,
            one.fit.log_likelihood,
            one.fit.aic,
            one.fit.bic,
            _mean(held[one.family], weights),
            z[one.family],
            math.nan
            if one is best or nested(one.family, best.family)
            else _z(one.logs, best.logs, weights),
            _roc_distance(one.fit),
            _outside(one.fit) if unit else math.nan,
        )
        for one in order
    ]
    kept = inner.n_client + inner.n_impostor
    between = "" if kept == values.size else f" (of the {kept} scores between 0 and 1)"
    reason = _reason(rows, best.family) + between
    return FamilyComparison(tuple(rows), best.family, reason, tuple(left_out))


class _Tried(NamedTuple):
    """A family fitted: log densities of the scores, and held out."""

    family: str
    fit: Fit
    logs: list[FloatArray]
    held: list[FloatArray]

    @property
    def parameters(self) -> int:
        f = self.fit
        return f.client._free + f.impostor._free - len(f.tied)


def _tried(
    scores: Scores, names: list[str], *, asked: bool
) -> tuple[list[_Tried], list[tuple[str, str]]]:
    """The families that can be fitted, and the others with the reason."""
    found, left_out = [], []
    for name in names:
        # Only a law of several components can be short of a maximum, or chase ties.
        spared = FAMILY_TABLE[name].sized is not None and not asked
        if spared and _tied(scores):
            left_out.append((name, "fewer than half of a class's scores are distinct"))
            continue
        try:
            f = _quiet_fit(scores, name)
            found.append(_Tried(name, f, _log_densities(_laws(f), scores), _held_out(scores, f)))
        except FitError as error:
            if not spared:
                raise
            left_out.append((name, str(error)))
    return found, left_out


def _tied(scores: Scores) -> bool:
    return any(np.unique(x).size < _DISTINCT * x.size for x in (scores.client, scores.impostor))


def best_fit(scores: Scores, boundary: str | None, resolution: float | None) -> Fit:
    """The recommended family fitted, with the reason; `fit` documents it as "best"."""
    # A rule for rounded or censored scores needs a family that has a likelihood of cells.
    cells = resolution is not None or boundary in ("censor", "matlab")
    found = compare_families(
        scores, [n for n in _usual(unit=True) if FAMILY_TABLE[n].coordinates] if cells else None
    )
    if boundary is not None and not FAMILY_TABLE[found.recommended].on_unit:
        raise InputError(
            f"boundary is a rule for laws on [0, 1]; the best family here is {found.recommended}"
            f" ({found.reason}). Name a family."
        )
    made = fit(scores, found.recommended, boundary=boundary, resolution=resolution)
    return replace(made, reason=found.reason)


def _parametric() -> list[str]:
    return [name for name in FAMILY_TABLE if name != "empirical"]


def _usual(*, unit: bool) -> list[str]:
    """What is tried where nothing is named: those of pairs constrain the ROC."""
    table = {name: FAMILY_TABLE[name] for name in _parametric()}
    return [n for n, row in table.items() if not row.of_pairs and (unit or not row.on_unit)]


def _named(families: Sequence[str] | None, *, unit: bool) -> list[str]:
    if families is None:
        return _usual(unit=unit)
    if isinstance(families, str) or not isinstance(families, Sequence):
        raise InputTypeError(f"families must be a list of names; got {families!r}.")
    names = [_checks.choice(name, tuple(_parametric()), "families") for name in families]
    if len(set(names)) < len(names) or not names:
        raise InputError(f"families must name each family once; got {names!r}.")
    bounded = [name for name in names if FAMILY_TABLE[name].on_unit]
    if bounded and not unit:
        raise InputError(
            f"scores must lie in [0, 1] for {bounded[0]!r}; some lie outside. Leave it out of"
            " families, or map both classes into [0, 1] by one fixed function first."
        )
    return names


def _refuse_few(scores: Scores) -> None:
    """Each of five folds must leave something to fit and something to score."""
    for who in ("client", "impostor"):
        distinct = np.unique(getattr(scores, who)).size
        if distinct < 2 * _FOLDS:
            raise InputError(
                f"a comparison of families needs at least {2 * _FOLDS} distinct {who} scores for"
                f" its {_FOLDS} folds; got {distinct}. Give more, or name a family."
            )


def _inner(scores: Scores) -> Scores:
    """The scores strictly inside (0, 1)."""
    parts: dict[str, Any] = {}
    for who in ("client", "impostor"):
        values = getattr(scores, who)
        keep = (values > 0.0) & (values < 1.0)
        if not np.any(keep):
            raise InputError(
                f"a comparison of families needs {who} scores between 0 and 1; all"
                f" {values.size} are exactly 0 or 1."
            )
        weights = getattr(scores, f"{who}_weights")
        parts[who] = values[keep]
        parts[f"{who}_weights"] = None if weights is None else weights[keep]
    return Scores(name=scores.name, **parts)


def _quiet_fit(scores: Scores, family: str) -> Fit:
    """A fit whose warnings were or will be given where it is made for use."""
    with quietly():
        return fit(scores, family)


def _laws(f: Fit) -> tuple[Distribution, Distribution]:
    return f.client.distribution, f.impostor.distribution


def _log_densities(laws: tuple[Distribution, Distribution], scores: Scores) -> list[FloatArray]:
    return [
        np.asarray(law.logpdf(x))
        for law, x in zip(laws, (scores.client, scores.impostor), strict=True)
    ]


def _held_out(scores: Scores, f: Fit) -> list[FloatArray]:
    """Log density of each score under the fit of the other folds."""
    sizes = scores.client.size, scores.impostor.size
    folds = [np.random.default_rng(0).permutation(n) % _FOLDS for n in sizes]
    held = [np.empty(n) for n in sizes]
    for k in range(_FOLDS):
        out = [fold == k for fold in folds]
        rest = _quiet_fit(_part(scores, [~mask for mask in out]), f.family)
        logs = _log_densities(_laws(rest), _part(scores, out))
        for values, mask, found in zip(held, out, logs, strict=True):
            values[mask] = found
    return held


def _part(scores: Scores, keep: list[Any]) -> Scores:
    given: dict[str, Any] = {}
    for who, mask in zip(("client", "impostor"), keep, strict=True):
        weights = getattr(scores, f"{who}_weights")
        given[f"{who}_weights"] = None if weights is None else weights[mask]
    return Scores(scores.client[keep[0]], scores.impostor[keep[1]], **given)


def _mean(logs: list[FloatArray], weights: list[FloatArray]) -> float:
    """Weighted mean of both classes."""
    total = math.fsum(math.fsum(w * x) for x, w in zip(logs, weights, strict=True))
    return total / math.fsum(math.fsum(w) for w in weights)


def _z(one: list[FloatArray], best: list[FloatArray], weights: list[FloatArray]) -> float:
    """Sum of the differences over its standard error, variances class by class."""
    total, variance = 0.0, 0.0
    for a, b, w in zip(one, best, weights, strict=True):
        n = math.fsum(w)
        difference = a - b
        mean = math.fsum(w * difference) / n
        total += n * mean
        variance += math.fsum(w * (difference - mean) ** 2)
    return total / math.sqrt(variance) if variance > 0.0 else 0.0


def _roc_distance(f: Fit) -> float:
    """nan where weights are no copies, which the empirical curve here is made of."""
    weights = [weights_of(f.scores, who) for who in ("client", "impostor")]
    whole = all(np.all(w == np.floor(w)) for w in weights)
    return roc_distance_of(f) if whole else math.nan


def _outside(f: Fit) -> float:
    laws = f.client.distribution, f.impostor.distribution
    return max(float(law.cdf(np.nextafter(0.0, -1.0)) + law.sf(1.0)) for law in laws)


def _reason(rows: list[FamilyRow], recommended: str) -> str:
    best = next(row for row in rows if row.family == recommended)
    top = rows[0]
    if best is top:
        text = f"{best.family} has the best held-out score, {best.held_out:.4f} a trial"
    else:
        text = (
            f"{best.family} has the fewest parameters within one standard error of the best"
            f" held-out score: {best.held_out:.4f} a trial, {top.family} {top.held_out:.4f}"
        )
    others = [row for row in rows if row is not best]
    if not others:
        return text + "; no other family can have these scores"
    if best is top:
        text += f", {others[0].family} {others[0].held_out:.4f}"
    rivals = [row.family for row in others if row.held_out_z > -_Z and row is not top]
    if rivals:
        text += "; not distinguishable from the best at the 5 % level: " + ", ".join(rivals)
    return text + f"; its ROC is {best.roc_distance:.3f} from the empirical one"
