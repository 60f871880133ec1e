"""Maximum likelihood of the dual beta pair: clients Beta(p, 1), impostors Beta(1, q)."""

from __future__ import annotations

import math

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import DegenerateDataError
from betaroc.core.sentences import worded
from betaroc.distributions.beta import Beta
from betaroc.estimation.beta import beta_tails
from betaroc.estimation.contract import Data, Family, Maximum, Parameters, SampleRows


def estimate_client(sample: Data) -> Maximum:
    """p = -1 / mean log s: the power law s^p, whose -log s is exponential."""
    p, log_likelihood = _power(sample, 0)
    return Maximum(
        Beta(p, 1.0), ("a", "b"), (p, 1.0), ((p * p, 0.0), (0.0, 0.0)), log_likelihood, fixed=("b",)
    )


def estimate_impostor(sample: Data) -> Maximum:
    """q = -1 / mean log(1 - s)."""
    q, log_likelihood = _power(sample, 1)
    return Maximum(
        Beta(1.0, q), ("a", "b"), (1.0, q), ((0.0, 0.0), (0.0, q * q)), log_likelihood, fixed=("a",)
    )


def _power(sample: Data, which: int) -> tuple[float, float]:
    """The exponent and W (log p - 1 + 1/p), the largest log-likelihood."""
    if sample.low == sample.high:
        raise DegenerateDataError(
            f"{sample.name}: a dual-beta fit needs at least 2 distinct scores, since equal ones are"
            f" of no continuous distribution; got {sample.n}, all equal to {sample.low!r}. Give"
            + worded(' more scores, or use `family="empirical"`.')
        )
    p = -1.0 / sample.mean_logs()[which]
    return p, sample.total * (math.log(p) - 1.0 + 1.0 / p)


def _fit_rows(law: Beta, x: FloatArray) -> Parameters:
    """The shape that is not 1: of a client distribution a, of an impostor distribution b."""
    one = np.ones((x.shape[0], 1))
    if law.b == 1.0:
        return -1.0 / np.mean(np.log(x), axis=1, keepdims=True), one
    return one, -1.0 / np.mean(np.log1p(-x), axis=1, keepdims=True)


def _moments_of_rows(p: Parameters, x: FloatArray) -> FloatArray:
    """Mean square of an exponential variable, by its 2 times squared mean."""
    free, logs = (p[0], np.log(x)) if np.all(p[1] == 1.0) else (p[1], np.log1p(-x))
    return np.asarray(np.mean((free * logs) ** 2, axis=1, keepdims=True) / 2.0 - 1.0)


DUAL_BETA = Family(
    estimate_client, on_unit=True, impostor=estimate_impostor, summed=True,
    rows=SampleRows(Beta, _fit_rows, beta_tails, _moments_of_rows),
)  # fmt: skip
