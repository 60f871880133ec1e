"""Thresholds chosen again from fits to drawn trials."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray, IntArray
from betaroc.core.errors import FitError, InputError
from betaroc.core.notices import quietly
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.thresholds import Thresholds
from betaroc.core.vocabulary import worded
from betaroc.data.scores import Scores
from betaroc.decision.curve import WEIGHTED_ERROR, Curve
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import has_shape
from betaroc.distributions.empirical import _decisive
from betaroc.distributions.inflated import Rejecting
from betaroc.distributions.normal import has_spread
from betaroc.distributions.pairs import Pair, pair_of
from betaroc.distributions.shifted import bounds_of
from betaroc.estimation.boundary import BoundaryRule
from betaroc.estimation.families import FAMILIES
from betaroc.estimation.record import Estimate, PairEstimate
from betaroc.fits.fit import fit, fit_distribution
from betaroc.fits.tail_fits import tails_again
from betaroc.inference.drawn_scores import Counts
from betaroc.model.criteria import CRITERIA

#: Logits of the shares at which both distributions of a fit are looked at: 5e-8 to 1 - 5e-8.
_SHARES = np.linspace(-16.8, 16.8, 200)
Refits = list[Distribution | None]


@dataclass(frozen=True, eq=False)
class FitAgain:
    """Each class fitted again, as it was fitted, and thresholds chosen from the fits.

    The least weighted error of continuous distributions is sought on a grid of their quantiles
    and refined where the likelihood ratio, between two of them, passes what balances the costs;
    every other choice is `CRITERIA`'s own.
    """

    e: Curve
    fit: PairEstimate
    scores: Scores

    @classmethod
    def of(cls, e: Curve, name: str = "the curve") -> FitAgain:
        """Of a curve whose dev side is a fit of scores."""
        if e.dev_fit is None:
            kinds = f"{type(e.dev.client).__name__} and {type(e.dev.impostor).__name__}"
            raise InputError.about("resample")(
                worded(f'`resample="both"` draws dev again; the dev side of {name} is a model')
                + f" ({kinds}"
                " distributions), which has no trials. Give epc the dev Scores, br.fit of them or a"
                + worded(' ScoreSummary, or take `resample="test"`: these two thresholds.')
            )
        scores = e.dev_fit.scores
        if not isinstance(scores, Scores):
            raise InputError.about("resample")(
                worded(f'`resample="both"` fits drawn trials again; the dev side of {name} is a')
                + " fit of a summary, which keeps none. "
                + worded("`Give epc the ScoreSummary itself, a fit of Scores,` or take")
                + worded(' `resample="test"`: these two thresholds.')
            )
        for who in CLASSES:
            weights = getattr(scores, f"{who}_weights")
            refuse_fractional_weights(weights, f"the dev side of {name} {who}")
        return cls(e, e.dev_fit, scores)

    def thresholds(self, drawn: Counts) -> FloatArray:
        """See `ChosenAgain`; nan too where drawn scores have no fit."""
        theta = np.full((drawn[0].shape[0], self.e.alpha.size), np.nan)
        known = [np.sum(part, axis=1) > 0 for part in drawn]
        with quietly():
            laws = self._laws(drawn)
        for row, (client, impostor) in enumerate(zip(*laws, strict=True)):
            if client is None or impostor is None or not (known[0][row] and known[1][row]):
                continue
            prior = self.e.dev.prior
            if not self.e.prior_given:
                counts = [float(part[row].sum()) for part in drawn]
                prior = counts[0] / sum(counts)
            theta[row] = _decisive(self._chosen(pair_of(client, impostor), prior))
        return theta

    # ------------------------------------------------------------------------------- fits
    def _laws(self, drawn: Counts) -> tuple[Refits, Refits]:
        """Of the trials that have a score, which come first, beside the share of the others."""
        if not self.scores.has_rejected:
            return self._scored_laws(drawn)
        sizes = self.scores.n_client, self.scores.n_impostor
        shares = [
            (np.sum(part[:, n:], axis=1) / np.sum(part, axis=1)).tolist()
            for part, n in zip(drawn, sizes, strict=True)
        ]
        laws = self._scored_laws((drawn[0][:, : sizes[0]], drawn[1][:, : sizes[1]]))
        found: tuple[Refits, Refits] = [], []
        for both, own, absent in zip(found, laws, shares, strict=True):
            for law, share in zip(own, absent, strict=True):
                both.append(None if law is None else Rejecting(law, share))
        return found

    def _scored_laws(self, drawn: Counts) -> tuple[Refits, Refits]:
        family = self.fit.family
        row = FAMILIES.get(family) if isinstance(family, str) else None
        if row is not None and row.of_pairs:
            return self._pairs(drawn)
        client, impostor = (
            self._class(getattr(self.fit, who), getattr(self.scores, who), part)
            for who, part in zip(CLASSES, drawn, strict=True)
        )
        return client, impostor

    def _class(self, result: Estimate, values: FloatArray, drawn: IntArray) -> Refits:
        """One class by itself: from sums where sums are all that its family needs."""
        rule = result.boundary
        plain = rule is None or (rule.resolution is None and not (rule.n_zero or rule.n_one))
        name = result.family
        rows = FAMILIES[name].rows if isinstance(name, str) and name in FAMILIES else None
        bounds = bounds_of(result.distribution)
        if (
            plain
            and bounds is None
            and not result.tails
            and rows is not None
            and rows.drawn is not None
        ):
            found = np.hstack(rows.drawn(values, drawn))
            known = np.all(np.isfinite(found), axis=1)
            return [
                rows.law(*own) if there else None
                for own, there in zip(found.tolist(), known.tolist(), strict=True)
            ]
        options = {**_options(rule), "bounds": bounds}
        laws: Refits = []
        for counts in drawn:
            kept = np.flatnonzero(counts)
            drawn_values, copies = values[kept], counts[kept].astype(np.float64)
            try:
                again = fit_distribution(drawn_values, result.family, weights=copies, **options)
                laws.append(tails_again(result, again.distribution, drawn_values, copies))
            except (FitError, InputError):  # too few distinct scores, or none
                laws.append(None)
        return laws

    def _pairs(self, drawn: Counts) -> tuple[Refits, Refits]:
        """A family of both classes."""
        rule = self.fit.client.boundary or self.fit.impostor.boundary
        options = {**_options(rule), "bounds": bounds_of(self.fit.client.distribution)}
        found: tuple[Refits, Refits] = [], []
        for both in zip(*drawn, strict=True):
            kept = [np.flatnonzero(counts) for counts in both]
            try:
                values, weights = (
                    [x[k] for x, k in zip(of, kept, strict=True)]
                    for of in ((self.scores.client, self.scores.impostor), both)
                )
                again = fit(
                    Scores(*values, client_weights=weights[0], impostor_weights=weights[1]),
                    self.fit.family, **options,
                )  # fmt: skip
                laws: tuple[Any, ...] = tuple(
                    tails_again(getattr(self.fit, who), getattr(again.model, who), x, w)
                    for who, x, w in zip(CLASSES, values, weights, strict=True)
                )
            except (FitError, InputError):
                laws = None, None
            for one, law in zip(found, laws, strict=True):
                one.append(law)
        return found

    # ------------------------------------------------------------------------- thresholds
    @cached_property
    def _grid(self) -> tuple[FloatArray, Thresholds]:
        """Quantiles of both distributions of the fit, in the pair's own coordinate."""
        pair = self.e.dev._pair
        parts = []
        for law in (pair.client, pair.impostor):
            low = _SHARES[_SHARES < 0.0]
            share = 1.0 / (1.0 + np.exp(-low))
            parts += [law._lower_quantile(share, np.log(share)),
                      law._upper_quantile(share, np.log(share))]  # fmt: skip
        t = Thresholds.concatenate(parts)
        u = np.unique(pair.coordinates(t))
        u = u[np.isfinite(u)]
        return u, pair.place(u)

    def _chosen(self, pair: Pair, prior: float) -> Thresholds:
        laws = (x.base if isinstance(x, Rejecting) else x for x in (pair.client, pair.impostor))
        smooth = all(has_shape(law) or has_spread(law) for law in laws)
        if self.e.criterion != WEIGHTED_ERROR or not smooth or self._grid[0].size < 2:
            return CRITERIA[self.e.criterion].choose(pair, prior, self.e.alpha)
        # The least weighted error of two densities: the best of a grid, moved to where it is flat.
        u, t = self._grid
        ends = pair.accept_all, pair.reject_all
        far, frr = pair.far(t), pair.frr(t)
        most, least = (float(np.ravel(rate(ends[0]))[0]) for rate in (pair.far, pair.frr))
        x, y = np.concatenate([[most], far, [0.0]]), np.concatenate([[least], frr, [1.0]])
        best = np.argmin(self.e.alpha[:, None] * x + (1.0 - self.e.alpha)[:, None] * y, axis=1)
        ratio = pair.log_ratio(t)
        with np.errstate(divide="ignore"):
            wanted = np.log(self.e.alpha) - np.log1p(-self.e.alpha)
        inner = np.clip(best - 1, 0, u.size - 1)
        place = u[inner].copy()
        for first in (inner - 1, inner):  # the likelihood ratio passes the level upwards
            k = np.clip(first, 0, u.size - 2)
            rise = ratio[k + 1] - ratio[k]
            with np.errstate(invalid="ignore", divide="ignore"):
                share = (wanted - ratio[k]) / rise
            passes = (rise > 0.0) & (share >= 0.0) & (share <= 1.0)
            place = np.where(passes, u[k] + np.where(passes, share, 0.0) * (u[k + 1] - u[k]), place)
        found = pair.place(place)
        for at, end in ((0, ends[0]), (x.size - 1, ends[1])):
            chosen = best == at
            found = Thresholds(*(
                np.where(chosen, np.ravel(getattr(end, name))[0], getattr(found, name))
                for name in ("theta", "complement", "logit")
            ))  # fmt: skip
        return found


def _options(rule: BoundaryRule | None) -> dict[str, Any]:
    """The arguments of a fit that obey a rule for scores of exactly 0 and 1."""
    if rule is None:
        return {}
    policy = None if rule.policy in ("inflate", "interval") else rule.policy
    return {"boundary": policy, "resolution": rule.resolution}
