"""A fit as a point with a normal error, in free coordinates of both distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import InputError
from betaroc.core.sentences import worded
from betaroc.data.groups import groups_of
from betaroc.distributions.base import Distribution, Free, free, moved
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.inference.sandwich import joint_cov

ParameterNames = tuple[tuple[str, ...], tuple[str, ...]]


class FreeFit(NamedTuple):
    """Parameters of both distributions that vary, their coordinates, and the roots of their errors.

    ``place`` holds the clients' coordinates, then the impostors'; ``roots`` their change
    with one standard error along each root of the covariance, a row each.
    """

    names: ParameterNames
    place: FloatArray
    roots: FloatArray


def free_coordinates(fit: PairEstimate, *, groups: bool) -> FreeFit:
    """The free coordinates of a fit; groups move both classes together."""
    results = fit.client, fit.impostor
    for who, result in zip(CLASSES, results, strict=True):
        known = {p.name for p in result.distribution._parameters()}
        if not result.names or not set(result.names) <= known:
            raise InputError(
                "a fit whose errors are asked for must have parameters to vary (beta, normal,"
                f" logit-normal, mixtures) in both classes; the {who} class is of family"
                f" {result.family!r} with parameters {', '.join(result.names) or 'none'}. Fit it"
                " with one of these, or ask the scores themselves: br.interval(scores,"
                ' "eer"), br.epc(dev, scores).band().'
            )
    parts = [_free(result) for result in results]
    client, impostor = (part.rates for part in parts)
    rate = np.zeros(np.add(client.shape, impostor.shape))
    rate[: client.shape[0], : client.shape[1]] = client
    rate[client.shape[0] :, client.shape[1] :] = impostor
    place = np.concatenate([part.place for part in parts])
    errors = joint_roots(fit, groups=groups) @ rate.T
    return FreeFit((parts[0].names, parts[1].names), place, np.asarray(errors))


def _free(result: Estimate) -> Free:
    return free(result.distribution, result.names, result.fixed)


def laws_at(
    laws: Sequence[Distribution], names: ParameterNames, place: FloatArray
) -> tuple[Distribution, Distribution]:
    """Both distributions at other coordinates."""
    cut = len(names[0])
    values = place[:cut].tolist(), place[cut:].tolist()
    client, impostor = (moved(*one) for one in zip(laws, names, values, strict=True))
    return client, impostor


def joint_roots(fit: PairEstimate, *, groups: bool) -> FloatArray:
    """Roots of the covariance of the clients' and the impostors' parameters, a row each."""
    for who, result in (("client", fit.client), ("impostor", fit.impostor)):
        if not np.all(np.isfinite(result.cov)):
            raise InputError(
                "the fit must have a finite covariance to vary; got"
                f" {who} {result.distribution!r:.60}. Where it is dev's take"
                + worded(' `resample="test"`, or give the scores themselves.')
            )
    together = groups and groups_of(fit.scores) is not None
    if together or fit.shared_cov is not None:
        return covariance_roots(joint_cov(fit, groups=groups))
    sizes = [len(fit.client.names), len(fit.impostor.names)]
    parts = [covariance_roots(np.array(result.cov)) for result in (fit.client, fit.impostor)]
    return np.concatenate(
        [np.pad(parts[0], ((0, 0), (0, sizes[1]))), np.pad(parts[1], ((0, 0), (sizes[0], 0)))]
    )


def covariance_roots(covariance: FloatArray) -> FloatArray:
    """Vectors whose outer products sum to the covariance, or to the nearest without negative parts.

    Of the correlations, so that coordinates in large units do not drown the others.
    """
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    safe = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(safe, safe))
    kept = values > 1e-14 * np.max(values, initial=0.0)
    return np.asarray((vectors[:, kept] * np.sqrt(values[kept])).T * scale)
