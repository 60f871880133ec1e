"""One trial of a study: a cell, a replicate, and what follows from both when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import frozen
from betaroc.core.errors import InputError
from betaroc.data.scores import Scores
from betaroc.decision.epc import Epc
from betaroc.distributions.beta import Beta
from betaroc.fits.fit import Fit, fit
from betaroc.model.criteria import CRITERIA
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.studies.parameters import CellSpec, with_prior

#: Streams of a trial beside its sample's.
_OF_CALLER, _OF_TEST = 1, 2


@dataclass(frozen=True)
class Seed:
    """Where a study's random numbers come from: each trial has streams of its own."""

    entropy: int | tuple[int, ...]
    spawn_key: tuple[int, ...] = ()

    def generator(self, *key: int) -> np.random.Generator:
        """The stream of a key, the same wherever and whenever it is asked for."""
        child = np.random.SeedSequence(self.entropy, spawn_key=(*self.spawn_key, *key))
        return np.random.Generator(np.random.PCG64(child))


@dataclass(eq=False)
class Trial:
    """One replicate of one cell; what it has is computed when it is first used.

    Parameters
    ----------
    cell : mapping
        The parameters.
    number : int
        The number of the cell.
    replicate : int
        Which repetition, from 0.
    seed : Seed
        The study's.
    spec : CellSpec
        The cell understood.

    Examples
    --------
    >>> import betaroc as br
    >>> design = {"a_c": 3.0, "b_c": 2.0, "a_i": 2.0, "b_i": 3.0, "n": [50, 100]}
    >>> def gap(trial):
    ...     return trial.fit.model.auc() - trial.model.auc()
    >>> result = br.Study(design, {"gap": gap}, rng=1).run()
    >>> print(result.to_frame()["gap"].abs().max() < 0.2)
    True
    """

    cell: Mapping[str, Any]
    number: int
    replicate: int
    seed: Seed
    spec: CellSpec
    #: a_c, b_c, a_i, b_i as a batch of fits found them; None of what is fitted by itself.
    batch_shapes: list[float] | None = field(default=None, init=False)

    @property
    def model(self) -> ScoreModel:
        """The true pair."""
        return self.spec.model

    @cached_property
    def rng(self) -> np.random.Generator:
        """Random numbers for statistics of one's own, which draw in the order of the columns."""
        return self._generator(_OF_CALLER)

    def _generator(self, *stream: int) -> np.random.Generator:
        return self.seed.generator(self.number, self.replicate, *stream)

    @cached_property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """The scores of both classes, as arrays."""
        return self._drawn(self.spec.model, self.spec.sizes, self._generator())

    @cached_property
    def scores(self) -> Scores:
        """The sample."""
        client, impostor = self.drawn
        return Scores._checked(client=client, impostor=impostor)

    @cached_property
    def fit(self) -> Fit:
        """The fit of the sample."""
        return fit(self.scores, **self.spec.options)

    @cached_property
    def fitted(self) -> ScoreModel:
        """The fitted pair; made from the shapes that a batch found, if it did."""
        shapes = self.batch_shapes
        if shapes is None:
            return self._with_prior(self.fit.model)
        clients, impostors = (values.size for values in self.drawn)
        share = clients / (clients + impostors)
        return self._with_prior(ScoreModel(Beta(*shapes[:2]), Beta(*shapes[2:]), prior=share))

    @cached_property
    def empirical(self) -> ScoreModel:
        """The sample itself as a pair."""
        return self._with_prior(empirical_model(self.scores))

    @cached_property
    def test_scores(self) -> Scores:
        """The sample of the test side."""
        spec = self.spec
        client, impostor = self._drawn(spec.test, spec.test_sizes, self._generator(_OF_TEST))
        return Scores._checked(client=client, impostor=impostor)

    @cached_property
    def test(self) -> ScoreModel:
        """Where thresholds are observed: the test sample if there is one, else the true pair."""
        if self.spec.test_sizes is None:
            return self.spec.test
        return self._with_prior(empirical_model(self.test_scores))

    def pair(self, source: str) -> ScoreModel:
        """The pair of a source: "true", "fit", "empirical" or "test"."""
        result: ScoreModel = getattr(self, {"true": "model", "fit": "fitted"}.get(source, source))
        return result

    def curve(self, source: str, alpha: float | None) -> Epc:
        """The threshold that a source chooses, observed on test.

        The best threshold, of the source "true", is chosen on the true pair of the test side.
        """
        spec = self.spec
        alpha = spec.alpha if alpha is None else alpha
        if (source, alpha) not in self._curves:
            if source == "true":
                dev = test = spec.test
            else:
                dev, test = self.pair(source), self.test
            criterion = CRITERIA[spec.criterion]
            alphas = np.array([0.5 if criterion.single else alpha])
            chosen = criterion.choose(dev._pair, dev.prior, alphas)
            self._curves[source, alpha] = Epc(
                dev, test, spec.criterion, spec.measure, alphas, chosen
            )
        return self._curves[source, alpha]

    @cached_property
    def _curves(self) -> dict[tuple[str, float | None], Epc]:
        return {}

    def _with_prior(self, model: ScoreModel) -> ScoreModel:
        prior = self.spec.prior
        return model if prior is None else with_prior(model, prior)

    def _drawn(
        self, model: ScoreModel, sizes: tuple[int, int] | None, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Scores of both classes, the clients' first, rounded if the cell says so."""
        if sizes is None:
            raise InputError(
                "a cell without sizes has no sample; add n, or n_client and n_impostor, to the"
                " design (n_test for a test sample)."
            )
        step, scores = self.spec.step, []
        for distribution, n in zip((model.client, model.impostor), sizes, strict=True):
            values = distribution._sample((n,), rng)
            if step > 0.0:
                low, high = distribution.support  # which doubles may miss by their last bit
                values = np.clip(step * np.round(values / step), low, high)
            scores.append(frozen(values))
        return scores[0], scores[1]
