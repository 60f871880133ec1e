"""How far fitted distributions and curves are from the scores, and test scores from dev's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value
from betaroc.distributions.base import Distribution
from betaroc.distributions.binned import is_binned
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel

__all__ = ["Distances", "distances", "shift"]


@dataclass(frozen=True, eq=False, repr=False)
class Distances(Value):
    """How far fitted distributions and curve are from the scores; 0 is agreement.

    Parameters
    ----------
    client, impostor : float
        Kolmogorov-Smirnov distance sup abs(F_fitted - F_scores) of each class.
    roc : float
        Largest distance between fitted and empirical ROC in FAR and TPR alike,
        along the lines FAR + TPR = constant; never more than the larger of the two.
    """

    client: float
    impostor: float
    roc: float


def distances(fit: Fit, empirical: ScoreModel) -> Distances:
    """How far the fit is from its scores."""
    return Distances(
        _ks_of(fit.client, empirical.client),
        _ks_of(fit.impostor, empirical.impostor),
        _roc_distance(fit.model, empirical),
    )


def _ks_of(result: DistributionFit, sample: Distribution) -> float:
    """The distance of a class; of scores in cells at the edges, as what lies within is unknown."""
    rule = result.boundary
    if is_binned(sample):  # of which only counts up to borders are known
        gaps = np.abs(result.distribution.cdf(sample.edges) - sample.cdf(sample.edges))
        return float(np.max(gaps))
    if rule is None or rule.policy != "interval" or rule.resolution is None:
        return _ks(result.distribution, sample)
    edges = (np.rint(sample.atoms.places / rule.resolution) + 0.5) * rule.resolution
    edges = edges[edges < 1.0]
    gaps = np.abs(result.distribution.cdf(edges) - sample.cdf(edges))
    return float(np.max(gaps, initial=0.0))


def shift(dev: ScoreModel, test: ScoreModel) -> tuple[float, float]:
    """Two-sample distances, class by class."""
    return (ScoreModel(dev.client, test.client).ks(), ScoreModel(dev.impostor, test.impostor).ks())


def _ks(law: Distribution, sample: Distribution) -> float:
    """sup abs(F - F_n): between jumps both are monotone, so at a jump or just below one."""
    places = np.union1d(sample.atoms.places, law.atoms.places)
    t = Thresholds.from_theta(places)
    gap = law.cdf(places) - sample.cdf(places)
    below = gap - (law.atoms.masses_at(t) - sample.atoms.masses_at(t))
    return float(max(np.max(np.abs(gap)), np.max(np.abs(below))))


def _roc_distance(model: ScoreModel, empirical: ScoreModel) -> float:
    """Largest distance along FAR + TPR = constant, between dense points of both curves."""
    along, above = _turned(model.roc().points(1000))
    stairs_along, stairs_above = _turned(empirical.roc().points())
    places = np.union1d(along, stairs_along)
    gap = np.interp(places, along, above) - np.interp(places, stairs_along, stairs_above)
    return 0.5 * float(np.max(np.abs(gap)))


def _turned(points: OperatingPoint) -> tuple[FloatArray, FloatArray]:
    return points.far + points.tpr, points.tpr - points.far
