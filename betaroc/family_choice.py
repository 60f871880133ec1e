"""Which family suits the scores: likelihoods on one measure, held-out scores, the ROC."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from betaroc import _checks
from betaroc._thresholds import FloatArray
from betaroc._value import Value
from betaroc.adequacy import roc_distance_of
from betaroc.errors import BetarocWarning, InputError, InputTypeError
from betaroc.fitting import Fit, fit
from betaroc.grouping import weights_of
from betaroc.scores import Scores

__all__ = ["FamilyComparison", "FamilyRow", "best_fit", "compare_families"]

FAMILIES = ("beta", "logit-normal", "normal")
_FOLDS = 5
#: Two-sided 5 % point of the standard normal law.
_Z = 1.959963984540054


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
    vuong : float
        Difference of log-likelihoods to the recommended family in standard errors; below
        -1.96 the family is worse at the 5 % level; nan for the recommended one.
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
    >>> [row.family for row in found.rows]
    ['beta', 'logit-normal', 'normal']
    """

    family: str
    parameters: int
    log_likelihood: float
    aic: float
    bic: float
    held_out: float
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
        The one with the best held-out score.
    reason : str
        Why, and whether another is as good.

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
        Names of parametric families; where left out all that can have these scores: "beta" and
        "logit-normal" if all lie in [0, 1], and "normal".

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
    Vuong's z sums the differences over both classes and their variances class by class; beta,
    normal and logit-normal laws are not nested. Held out: five folds in a fixed order, each
    class dealt like cards.

    References
    ----------
    Vuong, Q. H. (1989), Likelihood ratio tests for model selection and non-nested hypotheses.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> found = br.compare_families(br.Scores(rng.beta(4, 1, 300), rng.beta(1, 4, 300)))
    >>> found.table["family"].tolist()
    ['beta', 'logit-normal', 'normal']
    """
    if not isinstance(scores, Scores):
        raise InputTypeError(
            f"scores must be Scores; got {type(scores).__name__}. For labels and scores use"
            " Scores.from_labels."
        )
    values = np.concatenate([scores.client, scores.impostor])
    unit = bool(np.all((values >= 0.0) & (values <= 1.0)))
    names = _named(families, unit=unit)
    inner = _inner(scores) if unit else scores
    _refuse_few(inner)
    fits = {name: _quiet_fit(inner, name) for name in names}
    logs = {name: _log_densities(f, inner) for name, f in fits.items()}
    held = {name: _held_out(inner, name) for name in names}
    order = sorted(names, key=lambda name: -held[name])
    best = order[0]
    weights = [weights_of(inner, who) for who in ("client", "impostor")]
    rows = []
    for name in order:
        f = fits[name]
        z = math.nan if name == best else _vuong(logs[name], logs[best], weights)
        rows.append(
            FamilyRow(
                name,
                f.client._free + f.impostor._free,
                f.log_likelihood,
                f.aic,
                f.bic,
                held[name],
                z,
                _roc_distance(f),
                _outside(f) if unit else math.nan,
            )
        )
    kept = inner.n_client + inner.n_impostor
    between = "" if kept == values.size else f" (of the {kept} scores between 0 and 1)"
    return FamilyComparison(tuple(rows), best, _reason(rows) + between)


def best_fit(scores: Scores, boundary: str | None, resolution: float | None) -> Fit:
    """The recommended family fitted, with the reason; `fit` documents it as "best"."""
    found = compare_families(scores)
    unit = found.recommended != "normal"
    if not unit and (boundary is not None or resolution is not None):
        raise InputError(
            "boundary and resolution are rules for laws on [0, 1]; the best family here is normal"
            f" ({found.reason}). Name a family."
        )
    made = fit(scores, found.recommended, boundary=boundary, resolution=resolution)
    return replace(made, reason=found.reason)


def _named(families: Sequence[str] | None, *, unit: bool) -> list[str]:
    if families is None:
        return list(FAMILIES) if unit else ["normal"]
    if isinstance(families, str) or not isinstance(families, Sequence):
        raise InputTypeError(f"families must be a list of names; got {families!r}.")
    names = [_checks.choice(name, FAMILIES, "families") for name in families]
    if len(set(names)) < len(names) or not names:
        raise InputError(f"families must name each family once; got {names!r}.")
    bounded = [name for name in names if name != "normal"]
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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BetarocWarning)
        return fit(scores, family)


def _log_densities(f: Fit, scores: Scores) -> list[FloatArray]:
    laws = f.client.distribution, f.impostor.distribution
    return [
        np.asarray(law.logpdf(x))
        for law, x in zip(laws, (scores.client, scores.impostor), strict=True)
    ]


def _held_out(scores: Scores, family: str) -> float:
    """Mean log density of each score under the fit of the other folds."""
    total, weight = 0.0, 0.0
    sizes = scores.client.size, scores.impostor.size
    folds = [np.random.default_rng(0).permutation(n) % _FOLDS for n in sizes]
    for k in range(_FOLDS):
        parts = [
            _part(scores, [fold != k for fold in folds]),
            _part(scores, [fold == k for fold in folds]),
        ]
        logs = _log_densities(_quiet_fit(parts[0], family), parts[1])
        for values, who in zip(logs, ("client", "impostor"), strict=True):
            w = weights_of(parts[1], who)
            total, weight = total + float(np.sum(w * values)), weight + float(np.sum(w))
    return total / weight


def _part(scores: Scores, keep: list[Any]) -> Scores:
    given: dict[str, Any] = {}
    for who, mask in zip(("client", "impostor"), keep, strict=True):
        weights = getattr(scores, f"{who}_weights")
        given[f"{who}_weights"] = None if weights is None else weights[mask]
    return Scores(scores.client[keep[0]], scores.impostor[keep[1]], **given)


def _vuong(one: list[FloatArray], best: list[FloatArray], weights: list[FloatArray]) -> float:
    """Sum of the differences over its standard error, variances class by class."""
    total, variance = 0.0, 0.0
    for a, b, w in zip(one, best, weights, strict=True):
        n = math.fsum(w)
        difference = a - b
        mean = math.fsum(w * difference) / n
        total += n * mean
        variance += math.fsum(w * (difference - mean) ** 2)
    return total / math.sqrt(variance) if variance > 0.0 else math.nan


def _roc_distance(f: Fit) -> float:
    """nan where weights are no copies, which the empirical curve here is made of."""
    weights = [weights_of(f.scores, who) for who in ("client", "impostor")]
    whole = all(np.all(w == np.floor(w)) for w in weights)
    return roc_distance_of(f) if whole else math.nan


def _outside(f: Fit) -> float:
    laws = f.client.distribution, f.impostor.distribution
    return max(float(law.cdf(np.nextafter(0.0, -1.0)) + law.sf(1.0)) for law in laws)


def _reason(rows: list[FamilyRow]) -> str:
    best = rows[0]
    text = f"{best.family} has the best held-out score, {best.held_out:.4f} a trial"
    if len(rows) == 1:
        return text + "; no other family can have these scores"
    rivals = [row for row in rows[1:] if not row.vuong < -_Z]
    second = rows[1]
    text += f", {second.family} {second.held_out:.4f} (Vuong z {second.vuong:.1f})"
    if rivals:
        text += "; not distinguishable from it at the 5 % level: " + ", ".join(
            r.family for r in rivals
        )
    return text + f"; its ROC is {best.roc_distance:.3f} from the empirical one"
