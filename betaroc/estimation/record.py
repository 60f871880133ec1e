"""What was estimated, as data: one distribution with its precision, and a pair of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, cast

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import MisfitWarning, refusal
from betaroc.core.notices import keep, warn
from betaroc.core.tables import Library, Tabular
from betaroc.core.value import Named, Result
from betaroc.data.scores import ScoreData, Scores, tell_of_scored
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import Empirical, is_counted
from betaroc.distributions.inflated import MASSES, REJECTED, Rejecting
from betaroc.estimation.boundary import BoundaryRule
from betaroc.estimation.contract import Matrix, as_rows
from betaroc.estimation.tails import Tails
from betaroc.model.model import ScoreModel


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Tabular):
    """A distribution estimated from one sample: the fields of :class:`betaroc.DistributionFit`."""

    family: str
    distribution: Distribution
    names: tuple[str, ...]
    values: tuple[float, ...]
    cov: FloatArray
    log_likelihood: float
    n: int
    total_weight: float
    converged: bool = True
    iterations: int = 0
    gradient_norm: float = 0.0
    boundary: BoundaryRule | None = None
    fixed: tuple[str, ...] = ()
    tied: tuple[str, ...] = ()
    tails: tuple[Tails, ...] = ()

    def __post_init__(self) -> None:
        matrix = np.array(self.cov, dtype=np.float64).reshape([len(self.names)] * 2)
        matrix.flags.writeable = False
        object.__setattr__(self, "cov", matrix)

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        """The parameters by their names."""
        types = super()._document_types()
        del types["names"], types["values"]
        return {"family": types.pop("family"), "params": Mapping[str, float], **types}

    @classmethod
    def _restored(cls, content: dict[str, Any]) -> Self:
        names, values = tuple(content["params"]), tuple(content["params"].values())
        rest = {name: value for name, value in content.items() if name != "params"}
        shape = np.shape(rest["cov"])
        if shape != (len(names), len(names)) and (names or 0 not in shape):
            rule = f"have a row and a column for each of {len(names)} params"
            raise refusal("cov", rule, f"an array of shape {shape}", "Give all.")
        return super()._restored(rest | {"names": names, "values": values})

    @property
    def params(self) -> Mapping[str, float]:
        """The parameters, in order, read-only."""
        return Named(zip(self.names, self.values, strict=True))

    @property
    def std_errors(self) -> Mapping[str, float]:
        """Square roots of the diagonal of `cov`, by name, read-only."""
        return Named(zip(self.names, map(math.sqrt, self.cov.diagonal().tolist()), strict=True))

    def _with_absent(self, change: int) -> Self:
        """The same with so many trials more that have no score; below 0 without those it has."""
        if not change:
            return self
        law, names, values, cov = self.distribution, self.names, self.values, self.cov
        n, total, absent = self.n + change, self.total_weight + change, abs(change)
        if is_counted(law):
            weights = None if law.weights is None else np.append(law.weights, np.ones(absent))
            more = np.append(law.values, np.full(absent, -np.inf))
            law = law._scored if change < 0 else Empirical(more, weights)
            return replace(self, distribution=law, n=n, total_weight=total)
        trials = max(total, self.total_weight)
        share = absent / trials
        likelihood = absent * math.log(share) + (trials - absent) * math.log1p(-share)
        if change > 0:
            law, names, values = Rejecting(law, share), (*names, REJECTED), (*values, share)
            cov = np.pad(cov, (0, 1))
            cov[-1, -1] = share * (1.0 - share) / total
        else:
            law, names, values = cast(Rejecting, law).base, names[:-1], values[:-1]
            cov, likelihood = cov[:-1, :-1], -likelihood
        return replace(
            self, distribution=law, names=names, values=values, cov=cov, n=n, total_weight=total,
            log_likelihood=self.log_likelihood + likelihood,
        )  # fmt: skip

    @property
    def n_free(self) -> int:
        """Parameters that were estimated: a mass nobody had is none."""
        absent = [n for n in MASSES if self.params.get(n) == 0.0]
        return len(self.names) - len(absent) - len(self.fixed)

    @property
    def aic(self) -> float:
        """2 k - 2 log-likelihood, k parameters."""
        return 2.0 * self.n_free - 2.0 * self.log_likelihood

    @property
    def bic(self) -> float:
        """k log(total weight) - 2 log-likelihood."""
        return self.n_free * math.log(self.total_weight) - 2.0 * self.log_likelihood


@dataclass(frozen=True, eq=False, repr=False)
class PairEstimate(Result):
    """Both classes estimated, with their scores: the fields of :class:`betaroc.Fit`."""

    model: ScoreModel
    scores: ScoreData
    client: Estimate
    impostor: Estimate
    family: str | tuple[str, str]
    _extra_fields = ("reason",)
    reason: str = field(default="", compare=False)
    shared_cov: Matrix | None = None
    tied: tuple[str, ...] = ()

    def _follows(self) -> dict[str, Any]:
        laws = {who: getattr(self, who).distribution for who in CLASSES}
        return {"model": replace(self.model, **laws)}

    def _rejecting(self, scores: Scores) -> Self:
        """The same of all trials, those without a score too."""
        return self._with_absent(scores, scores.n_client_rejected, scores.n_impostor_rejected)

    @property
    def _scored(self) -> Self:
        """The same of the trials that have a score: for what is said of scores alone."""
        scores = self.scores
        if not (isinstance(scores, Scores) and scores.has_rejected):
            return self
        absent = scores.n_client_rejected, scores.n_impostor_rejected
        result = self._with_absent(scores._scored, *(-n for n in absent))
        keep(result, self.notices)
        return result

    def _with_absent(self, scores: Scores, of_client: int, of_impostor: int) -> Self:
        client = self.client._with_absent(of_client)
        impostor, cov = self.impostor._with_absent(of_impostor), self.shared_cov
        if cov is not None:  # shares without a score covary with nothing
            wide = np.zeros((len(client.names), len(impostor.names)))
            rows, columns = np.minimum(wide.shape, np.shape(cov))
            wide[:rows, :columns] = np.array(cov)[:rows, :columns]
            cov = as_rows(wide)
        laws = client.distribution, impostor.distribution
        model = ScoreModel(*laws, prior=scores.prior, name=scores.name)
        return replace(self, model=model, scores=scores, client=client, impostor=impostor,
                       shared_cov=cov)  # fmt: skip

    def _tell_misfit(self) -> None:
        """Say again that the distributions do not describe the scores, where all rests on them."""
        for notice in self.notices:
            if notice.category is MisfitWarning:
                warn(notice.message, notice.category)

    def _told_scored(self, noun: str) -> Self:
        """The same, which is said where some trials have no score."""
        tell_of_scored(self.scores, noun)
        return self._scored

    @cached_property
    def _kept(self) -> dict[tuple[str, bool], Any]:
        """What was computed of this estimate and is needed again, by its name and its option."""
        return {}

    @property
    def library(self) -> Library | None:
        """That of the frame or the columns of the scores, for tables; None where there was none."""
        return self.scores.library

    @property
    def log_likelihood(self) -> float:
        """Sum over the classes, which are independent samples."""
        return self.client.log_likelihood + self.impostor.log_likelihood

    @property
    def n_free(self) -> int:
        """Parameters that were estimated: a shared one counts once."""
        return self.client.n_free + self.impostor.n_free - len(self.tied)

    @property
    def aic(self) -> float:
        """Sum over the classes: 2 k - 2 log-likelihood; a shared parameter counts once."""
        return self.client.aic + self.impostor.aic - 2.0 * len(self.tied)

    @property
    def bic(self) -> float:
        """Sum over the classes: each parameter is charged the log of the weight behind it."""
        weights = self.client.total_weight, self.impostor.total_weight
        charged = math.log(sum(weights)) - sum(map(math.log, weights))
        return self.client.bic + self.impostor.bic + len(self.tied) * charged

    @property
    def converged(self) -> bool:
        """Whether both are at their maximum; always true in a result that was returned."""
        return self.client.converged and self.impostor.converged
