"""How far a fitted ROC is from the diagonal at given FARs, and how sure that is."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import softplus
from betaroc.fits.fit import Fit
from betaroc.inference.delta import Nearby, delta, nearby, slopes_of
from betaroc.model.asking import asking
from betaroc.model.crossings import places_of_far
from betaroc.model.model import ScoreModel

_LOG_HALF = -math.log(2.0)


class Departures(NamedTuple):
    """Of a curve from the diagonal at some places: t, positive above, and two-sided p-value."""

    t: FloatArray
    p_value: FloatArray


def logit(rate: float) -> float:
    """log(rate / (1 - rate)), infinite at the ends."""
    if rate <= 0.0 or rate >= 1.0:
        return -math.inf if rate <= 0.0 else math.inf
    return math.log(rate) - math.log1p(-rate)


def tpr_probits(model: ScoreModel, u: FloatArray) -> FloatArray:
    """Probit of TPR where FAR = expit(u), to all digits in both tails."""
    from scipy.special import ndtri, ndtri_exp

    if any(law.atoms.places.size for law in (model.client, model.impostor)):
        return np.asarray(ndtri(model.roc().tpr(np.exp(-softplus(-u)))))
    with np.errstate(divide="ignore", under="ignore"):
        t = places_of_far(model._pair, u)
        log_tpr, log_frr = model.client._upper(t)[1], model.client._lower(t)[1]
        low = ndtri_exp(np.minimum(log_tpr, _LOG_HALF))
        return np.asarray(
            np.where(log_tpr < _LOG_HALF, low, -ndtri_exp(np.minimum(log_frr, _LOG_HALF)))
        )


def _far_probits(u: FloatArray) -> FloatArray:
    from scipy.special import ndtri_exp

    return np.asarray(-np.sign(u) * ndtri_exp(-softplus(np.abs(u))))


def excess_of(model: ScoreModel, u: FloatArray) -> FloatArray:
    """TPR - FAR at FAR = expit(u), of the smaller tails."""
    from scipy.special import ndtr

    place, diagonal = tpr_probits(model, u), _far_probits(u)
    low = place + diagonal <= 0.0
    return np.asarray(np.where(low, ndtr(place) - ndtr(diagonal), ndtr(-diagonal) - ndtr(-place)))


class FitErrors:
    """A fit with the errors of its parameters, found once."""

    def __init__(self, fit: Fit) -> None:
        self.fit = fit

    @cached_property
    def _near(self) -> Nearby:
        return nearby(self.fit, groups=True)

    def from_diagonal(self, u: FloatArray) -> Departures:
        """Of probit TPR from probit FAR at FAR = expit(u), by the delta method."""
        slopes = slopes_of(self._near.steps, lambda model: tpr_probits(model, u))
        away = tpr_probits(self.fit.model, u) - _far_probits(u)
        return Departures(*self._tested(away, slopes))

    def exponent(self, end: str) -> tuple[float, float]:
        """t and p-value of the log of an end exponent, positive where the curve is above."""
        small = self._near.small
        name = f"exponent-{end.replace('_', '-')}"
        found = delta(asking(name), self.fit.model, self._near.steps)
        shift = small.shift(found.slopes)
        t, p = self._tested(np.array([found.place - shift]), found.slopes[None, :])
        return float(t[0]) * (1.0 if end == "at_one" else -1.0), float(p[0])

    def _tested(self, distance: FloatArray, slopes: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Student's t with Welch's degrees of freedom; nan where there is no error."""
        from scipy.special import ndtr, stdtr

        small = self._near.small
        parts = small.variances(slopes)
        variance = np.sum(parts, axis=-1)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            t = distance / np.sqrt(variance)
            freedom = variance**2 / np.sum(parts**2 / np.array(small.freedom), axis=-1)
            finite = np.isfinite(freedom)
            p = 2.0 * np.where(
                finite, stdtr(np.where(finite, freedom, 1.0), -np.abs(t)), ndtr(-np.abs(t))
            )
        known = np.isfinite(t)
        return np.where(known, t, np.nan), np.where(known, p, np.nan)
