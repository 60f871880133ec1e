"""The sandwich covariance of a fit from the scores of its class alone."""

from betaroc.data.groups import BareTrials, ensure_psd, units_of
from betaroc.inference.delta import observation_scores


def robust_cov(fit, values, weights=None, groups=None):
    """cov (sum_g s_g s_g') cov, times G/(G - 1)."""
    units = units_of(BareTrials(values, values[:0], weights, None, groups))
    parts = units.factors()[0] * observation_scores(fit, values, weights)[units.rows[0]]
    return fit.cov @ ensure_psd(*units.meat(parts)) @ fit.cov
