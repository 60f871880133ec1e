"""Mixtures of normal distributions."""

from __future__ import annotations

from dataclasses import dataclass

from betaroc.distributions.mixture import Mixture, of_mixtures
from betaroc.distributions.normal import Normal


@dataclass(frozen=True, eq=False, repr=False)
class NormalMixture(Mixture):
    """A mixture of normal distributions: one class made of several kinds of unbounded scores.

        F(x) = sum_k w_k Phi((x - mu_k) / sigma_k)

    Parameters
    ----------
    weights : sequence of float, length k
        Positive shares that add up to 1 (within 1e-9; they are used as shares of their sum).
    components : sequence of Normal, length k
        The distributions.

    Raises
    ------
    InputError
        If a weight is not positive, the weights do not add up to 1, there are none, or their
        number is not that of the components.
    InputTypeError
        If a component is not a `Normal` or a weight not a number.

    Notes
    -----
    Each tail is that of the widest component, of several of one width that of the outermost. The
    ROC of two mixtures may cross the diagonal several times. Tails are sums of the components',
    each from its own side, with their relative error; quantiles are roots of the tail's logarithm.
    The order of the components matters for equality, not for any rate.

    Examples
    --------
    >>> from betaroc import Normal, NormalMixture
    >>> distribution = NormalMixture([0.25, 0.75], [Normal(-1, 1), Normal(1, 1)])
    >>> distribution.mean, round(distribution.cdf(0.0), 6)  # 1/4 Phi(1) + 3/4 Phi(-1)
    (0.5, 0.329328)
    """

    weights: tuple[float, ...]
    components: tuple[Normal, ...]

    _kind = Normal


of_mixtures(NormalMixture, Normal)
