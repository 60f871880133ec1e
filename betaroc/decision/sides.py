"""The sides of a curve as what a replicate draws: scores or groups of them, and dev's choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.errors import InputError
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import Scores
from betaroc.decision.epc import Epc
from betaroc.decision.threshold_error import ThresholdError, threshold_error
from betaroc.distributions.binned import Binned
from betaroc.distributions.empirical import Drawn, Empirical, EmpiricalPair, draw_law
from betaroc.inference.groups import GroupedSide, Trials, groups_of
from betaroc.model.criteria import CRITERIA
from betaroc.model.model import ScoreModel

__all__ = [
    "Rechoice",
    "empirical_laws",
    "group_counts",
    "grouped_side",
    "observed_prior",
    "rechoice",
    "side_trials",
]

#: Criteria whose empirical minimiser moves like n**(-1/3), not n**(-1/2).
_CUBE_ROOT = frozenset({"weighted-error", "weighted-precision-recall", "f-measure"})


def empirical_laws(model: ScoreModel, name: str, instead: str = "") -> tuple[Empirical, Empirical]:
    """Both laws of a side that can be resampled: scores with whole weights."""
    client, impostor = model.client, model.impostor
    if not isinstance(client, Empirical) or not isinstance(impostor, Empirical):
        kinds = f"{type(client).__name__} and {type(impostor).__name__} laws"
        other = ' or take resample="test"' if name == "dev" else instead
        raise InputError(
            f"{name} must be scores to be resampled; got a model of {kinds}, which has no rows to"
            f" draw. Give Scores as {name} of epc{other}."
        )
    refuse_fractional_weights(client.weights, f"{name} client")
    refuse_fractional_weights(impostor.weights, f"{name} impostor")
    return client, impostor


def observed_prior(e: Epc, name: str) -> bool:
    """Whether the prior of a side is the share of clients among its scores."""
    model: ScoreModel = getattr(e, name)
    client, impostor = model.client, model.impostor
    if not isinstance(client, Empirical) or not isinstance(impostor, Empirical):
        return False
    # A model, other than that of a summary, states its prior.
    stated = getattr(e, f"{name}_scores") is None and getattr(e, f"{name}_fit") is None
    if e.prior_given or (stated and not isinstance(client, Binned)):
        return False
    return model.prior == client.total / (client.total + impostor.total)


def side_trials(e: Epc, name: str) -> Any:
    """The scores of an empirical side, with its groups if it has any."""
    model, fit = getattr(e, name), getattr(e, f"{name}_fit")
    scores = getattr(e, f"{name}_scores")
    if scores is None and fit is not None and isinstance(fit.scores, Scores):
        scores = fit.scores
    if scores is None and isinstance(model._pair, EmpiricalPair):
        laws = model._pair.client, model._pair.impostor
        return Trials(*(law.values for law in laws), *(law.weights for law in laws))
    return scores


def grouped_side(e: Epc, name: str, stratified: bool, *, groups: bool) -> GroupedSide | None:
    """A side whose trials are resampled by their groups."""
    scores = side_trials(e, name)
    found = groups_of(scores) if groups else None
    if found is None:
        return None
    return GroupedSide.of(found, empirical_laws(getattr(e, name), name), scores,
                          stratified=stratified)  # fmt: skip


def group_counts(e: Epc, resample: str, *, groups: bool) -> tuple[int | None, int | None] | None:
    """Groups of dev and of test that vary as a whole."""
    found = [groups_of(side_trials(e, name)) if groups else None for name in ("dev", "test")]
    dev, test = (None if g is None else g.labels for g in found)
    dev = dev if resample == "both" else None
    return None if dev is None and test is None else (dev, test)


# ---------------------------------------------------------------------- dev's choice again
@dataclass(frozen=True)
class Rechoice:
    """Dev's thresholds chosen again from m of its scores, or of their groups.

    The thresholds of m scores depart further than those of all n, by (n/m) to the
    power of the rate, for which `shrink` makes up.
    """

    e: Epc
    client: Empirical
    impostor: Empirical
    m: int
    stratified: bool
    side: GroupedSide | None = None

    @property
    def total(self) -> int:
        if self.side is not None:
            return self.side.groups.units
        return round(self.client.total + self.impostor.total)

    @property
    def shrink(self) -> float:
        rate = 1.0 / 3.0 if self.e.criterion in _CUBE_ROOT else 0.5
        return float((self.m / self.total) ** rate)

    def draw(self, rng: np.random.Generator) -> Thresholds | None:
        """One choice; None if a class was not drawn at all."""
        prior, share = self.e.dev.prior, self.m / self.total
        if self.side is not None:
            return self._chosen_of(self.side.draw(rng, share))
        if self.stratified:
            clients = max(1, round(share * self.client.total))
            impostors = max(1, round(share * self.impostor.total))
        else:
            clients = int(rng.binomial(self.m, self.client.total / self.total))
            impostors = self.m - clients
            if clients == 0 or impostors == 0:
                return None
            prior = clients / self.m if observed_prior(self.e, "dev") else prior
        client = draw_law(rng, self.client, clients)
        # The pair's own kind: counts in bins choose edges, not the middle of gaps.
        pair = type(self.e.dev._pair)(client, draw_law(rng, self.impostor, impostors))
        return CRITERIA[self.e.criterion].choose(pair, prior, self.e.alpha)

    def _chosen_of(self, drawn: tuple[Drawn, Drawn] | None) -> Thresholds | None:
        """The choice of drawn groups, whose class sizes vary."""
        if drawn is None:
            return None
        prior = self.e.dev.prior
        if observed_prior(self.e, "dev"):
            prior = drawn[0].total / (drawn[0].total + drawn[1].total)
        return CRITERIA[self.e.criterion].choose(
            type(self.e.dev._pair)(*drawn), prior, self.e.alpha
        )


def rechoice(e: Epc, m: int | None, *, stratified: bool, groups: bool) -> Rechoice | ThresholdError:
    """What makes dev's thresholds vary: its scores, or the errors of its fit."""
    fitted = e.dev_fit is not None and not isinstance(e.dev._pair, EmpiricalPair)
    if not fitted:
        client, impostor = empirical_laws(e.dev, "dev")
        side = grouped_side(e, "dev", stratified, groups=groups)
        units = (client.total, impostor.total, client.total + impostor.total)
        if side is not None:
            of = side.groups
            units = of.units_of(0), of.units_of(1), float(of.units)
        m = _dev_size(e, m, *units, "scores" if side is None else "groups")
        return Rechoice(e, client, impostor, m, stratified, side)
    if m is not None:
        raise InputError(
            f"m is a number of dev scores to draw, but dev is a fit, which varies by the errors of"
            f" its parameters; got m={m!r}. Leave m out."
        )
    return threshold_error(e.dev_fit, e.criterion, e.dev.prior, e.alpha, e.chosen, groups=groups)


def _dev_size(
    e: Epc, m: int | None, clients: float, impostors: float, both: float, what: str
) -> int:
    """Dev scores or groups to draw: all of them where the plain bootstrap is consistent."""
    total = round(both)
    if m is None:
        smaller = min(clients, impostors)
        return round(total / smaller**0.25) if e.criterion in _CUBE_ROOT else total
    m = checks.count(m, "m", 2)
    if m > total:
        raise InputError(
            f"m must be at most the number of dev {what}, {total}; got m={m}. Take m={total} for"
            " the plain bootstrap, or leave m out."
        )
    return m
