"""One trial of a study: a cell, a replicate, and what follows from both when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import frozen
from betaroc.core.errors import InputError
from betaroc.data.scores import Scores
from betaroc.decision.epc import Epc
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta
from betaroc.fits.fit import Fit, fit
from betaroc.model.criteria import CRITERIA
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.studies.parameters import Setting

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


@dataclass(frozen=True, eq=False)
class Trial:
    """One replicate of one cell; what it holds is computed when it is first used.

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
    setting : Setting
        The cell understood.

    Examples
    --------
    >>> import tempfile
    >>> import betaroc as br
    >>> design = {"a_c": 3.0, "b_c": 2.0, "a_i": 2.0, "b_i": 3.0, "n": [50, 100]}
    >>> def gap(trial):
    ...     return trial.fit.model.auc() - trial.model.auc()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = br.Study(design, {"gap": gap}, folder=folder, rng=1).run()
    ...     print(result.to_frame()["gap"].abs().max() < 0.2)
    True
    """

    cell: Mapping[str, Any]
    number: int
    replicate: int
    seed: Seed
    setting: Setting

    @property
    def model(self) -> ScoreModel:
        """The true pair."""
        return self.setting.model

    @cached_property
    def rng(self) -> np.random.Generator:
        """Random numbers for statistics of one's own, which draw in the order of the columns."""
        return self.seed.generator(self.number, self.replicate, _OF_CALLER)

    @cached_property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """The scores of both classes, as arrays."""
        here = self.setting
        source = self.seed.generator(self.number, self.replicate)
        return _drawn(here.model, here.sizes, here.step, source)

    @cached_property
    def scores(self) -> Scores:
        """The sample."""
        client, impostor = self.drawn
        return Scores._checked(client=client, impostor=impostor)

    @cached_property
    def fit(self) -> Fit:
        """The fit of the sample."""
        return fit(self.scores, **self.setting.options)

    @cached_property
    def fitted(self) -> ScoreModel:
        """The fitted pair; made from the shapes that a batch found, if it did."""
        shapes = self.batch_shapes
        if shapes is None:
            return self._with_own_prior(self.fit.model)
        prior = self.setting.prior
        if prior is None:
            clients, impostors = (values.size for values in self.drawn)
            prior = clients / (clients + impostors)
        return ScoreModel(Beta(*shapes[:2]), Beta(*shapes[2:]), prior=prior)

    @property
    def batch_shapes(self) -> list[float] | None:
        """a_c, b_c, a_i, b_i as a batch of fits found them; None of what is fitted by itself."""
        return self.__dict__.get("_batch_shapes")

    def take_shapes(self, shapes: list[float]) -> None:
        """What a batch of fits found, for :attr:`fitted` and arrays of statistics."""
        self.__dict__["_batch_shapes"] = shapes

    @cached_property
    def empirical(self) -> ScoreModel:
        """The sample itself as a pair."""
        return self._with_own_prior(empirical_model(self.scores))

    @cached_property
    def test_scores(self) -> Scores:
        """The sample of the test side."""
        here = self.setting
        source = self.seed.generator(self.number, self.replicate, _OF_TEST)
        client, impostor = _drawn(here.test, here.test_sizes, here.step, source)
        return Scores._checked(client=client, impostor=impostor)

    @cached_property
    def test(self) -> ScoreModel:
        """Where thresholds are met: the test sample if there is one, else the true pair there."""
        if self.setting.test_sizes is None:
            return self.setting.test
        return self._with_own_prior(empirical_model(self.test_scores))

    def curve(self, source: str, alpha: float | None) -> Epc:
        """The threshold that a source chooses, observed on test; of the true pair the best one."""
        known: dict[tuple[str, float | None], Epc] = self._curves
        alpha = self.setting.alpha if alpha is None else alpha
        if (source, alpha) not in known:
            # The best threshold is the one that the true pair of the test side chooses itself.
            dev = self.setting.test if source == "true" else self.pair(source)
            test = self.setting.test if source == "true" else self.test
            criterion = self.setting.criterion
            alphas = np.array([0.5 if CRITERIA[criterion].single else alpha])
            chosen = CRITERIA[criterion].choose(dev._pair, dev.prior, alphas)
            known[source, alpha] = Epc(dev, test, criterion, self.setting.measure, alphas, chosen)
        return known[source, alpha]

    @cached_property
    def _curves(self) -> dict[tuple[str, float | None], Epc]:
        return {}

    def pair(self, source: str) -> ScoreModel:
        """The pair of a source: "true", "fit", "empirical" or "test"."""
        of: dict[str, str] = {"true": "model", "fit": "fitted"}
        result: ScoreModel = getattr(self, of.get(source, source))
        return result

    def _with_own_prior(self, model: ScoreModel) -> ScoreModel:
        prior = self.setting.prior
        if prior is None:
            return model
        return ScoreModel(model.client, model.impostor, prior=prior)


def _drawn(
    model: ScoreModel, sizes: tuple[int, int] | None, step: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Scores of both classes, the clients' first."""
    if sizes is None:
        raise InputError(
            "a cell without sizes has no sample; add n, or n_client and n_impostor, to the design"
            " (n_test for a test sample)."
        )
    client = _of_law(model.client, sizes[0], step, rng)
    return client, _of_law(model.impostor, sizes[1], step, rng)


def _of_law(law: Distribution, n: int, step: float, rng: np.random.Generator) -> FloatArray:
    """Scores of a distribution, rounded to multiples of the step if there is one."""
    values = law._sample((n,), rng)
    if step > 0.0:
        low, high = law.support  # which doubles may miss by their last bit
        values = np.clip(step * np.round(values / step), low, high)
    return frozen(values)
