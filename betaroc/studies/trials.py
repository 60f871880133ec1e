"""One trial of a study: a cell, a replicate, and what follows from both when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.errors import BetarocError, InputError, InputTypeError, refusal
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.data.scores import Scores
from betaroc.decision.curve import checked_alphas
from betaroc.decision.epc import Epc
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta
from betaroc.estimation.boundary import POLICIES
from betaroc.estimation.families import Names, has_shapes, names_of_text
from betaroc.fits.fit import Fit, fit
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.studies.design import Design
from betaroc.studies.solve import LAWS, solve_pair

#: Makes the true pair of a cell.
CellModel: TypeAlias = Callable[[dict[str, Any]], ScoreModel]

_SHAPES = ("a_c", "b_c", "a_i", "b_i", "mu_c", "sigma_c", "mu_i", "sigma_i")
_PRESCRIBED = (
    "auc", "eer", "exponent_at_zero", "exponent_at_one", "crossing", "shape_client",
    "shape_impostor",
)  # fmt: skip
_SIZES = ("n", "n_client", "n_impostor", "n_test", "n_test_client", "n_test_impostor")
_CHANGES = ("shift", "shift_client", "shift_impostor", "scale")
_WEIGHTED = "weighted-error"
#: How far beyond the end of a scale doubles round a multiple, in steps.
_ULPS = 1e-9


def _text_of(options: tuple[str, ...]) -> Callable[[Any, str], Any]:
    return lambda value, name: checks.choice(value, options, name)


def _family(value: Any, name: str) -> Names:
    """A family of both classes, or two with a comma between."""
    if not isinstance(value, str):
        rule = 'be a name, or two with a comma between such as "beta,beta-mixture"'
        raise refusal(name, rule, format_value(value), "Give text.", InputTypeError)
    return names_of_text(value)


def _not_negative(value: Any, name: str) -> float:
    """0 stands for exact scores, which levels have no other way to say."""
    return 0.0 if value == 0 else checks.positive(value, name)


#: Every parameter that a study understands, and what its values must be.
PARAMETERS: dict[str, Callable[[Any, str], Any]] = {
    "law": _text_of(tuple(LAWS)),
    **dict.fromkeys(("a_c", "b_c", "a_i", "b_i", "sigma_c", "sigma_i"), checks.positive),
    **dict.fromkeys(("mu_c", "mu_i"), checks.finite),
    **dict.fromkeys(("auc", "eer", "crossing"), checks.fraction),
    **dict.fromkeys(("exponent_at_zero", "exponent_at_one"), checks.positive),
    **dict.fromkeys(("shape_client", "shape_impostor"), _text_of(("U", "J", "reverse-J", "bell"))),
    **dict.fromkeys(_SIZES, checks.count),
    "family": _family,
    "boundary": _text_of(tuple(POLICIES)),
    "resolution": _not_negative,
    "rounding": _not_negative,
    **dict.fromkeys(("shift", "shift_client", "shift_impostor"), checks.finite),
    "scale": checks.positive,
    "prior": checks.prior,
    "criterion": lambda value, name: checks.choice(value, tuple(CRITERIA), name),
    "measure": lambda value, name: checks.choice(value, (*MEASURES, _WEIGHTED), name),
    "alpha": checks.fraction,
}
#: Those that say which pair is the true one.
_OF_PAIR = frozenset(("law", *_SHAPES, *_PRESCRIBED))


@dataclass(frozen=True)
class CellSpec:
    """A cell understood."""

    #: The true pair, which development scores are drawn from.
    model: ScoreModel
    #: The true pair of the test side, where thresholds are met.
    test: ScoreModel
    #: Client and impostor scores of the sample, and of a test sample; None for none.
    sizes: tuple[int, int] | None
    test_sizes: tuple[int, int] | None
    family: Names
    boundary: str | None
    #: Multiples of which scores are, and whether the fit knows it.
    step: float
    step_known: bool
    #: What replaces the observed share of clients.
    prior: float | None
    criterion: str
    measure: str
    alpha: float | None

    @property
    def options(self) -> dict[str, Any]:
        """What `fit` is called with."""
        resolution = self.step if self.step_known else None
        return {"family": self.family, "boundary": self.boundary, "resolution": resolution}

    @property
    def is_plain(self) -> bool:
        """Whether the two sums of each class are all that a fit takes, if no score is 0 or 1."""
        silent = self.boundary in (None, "inflate", "drop", "error")
        return silent and has_shapes(self.family) and not self.step_known


# ------------------------------------------------------------------------- before any work
def check_design(design: Design, *, own_model: bool) -> None:
    """Names that a study understands, values that they may have, a pair that is given once.

    Of a user's own ``model`` the names that say which pair it is are free.
    """
    argument = dict(zip(design.names, design.columns, strict=True))
    for name, column in argument.items():
        if own_model and (name not in PARAMETERS or name in _OF_PAIR):
            continue
        if name not in PARAMETERS:
            raise InputError(
                f"{name!r} is no parameter of a study. {did_you_mean(name, tuple(PARAMETERS))}It"
                f" understands {format_list(PARAMETERS, 12)}; other names need model=, a function"
                " of the cell."
            )
        for value in set(column):
            PARAMETERS[name](value, name)
    if not own_model:
        _check_pair(set(argument), set(argument.get("law", ("beta",))))
    for first in ("n", "n_test"):
        parts = f"{first}_client", f"{first}_impostor"
        present = [name for name in parts if name in argument]
        if first in argument and present:
            raise InputError(
                f"{first} is the size of both classes; {format_list(present)} is given beside it."
                " Leave one of them out."
            )
        if len(present) == 1:
            raise InputError(
                f"{format_list(parts)} must be given together; got {format_list(present)} alone."
                f" Give the other too, or {first!r} for both."
            )
    if "resolution" in argument and "rounding" in argument:
        raise InputError(
            "resolution rounds scores and tells the fit, rounding does not tell it; got both."
            " Leave one of them out."
        )


def _parameters(law: str) -> list[str]:
    return [parameter.name for parameter in fields(LAWS[law])]


def _check_pair(value: set[str], laws: set[str]) -> None:
    shapes = {f"{name}_{who}" for law in laws for name in _parameters(law) for who in "ci"}
    prescribed, shaped = sorted(value & set(_PRESCRIBED)), sorted(value & set(_SHAPES))
    if prescribed and shaped:
        raise InputError(
            f"the true pair must be given by its parameters or by what it is to have; got"
            f" {format_list(shaped)} and {format_list(prescribed)}. Leave one kind out."
        )
    missing = sorted(shapes - value) if not prescribed else []
    names = missing or sorted(set(shaped) - shapes)
    if names:
        raise InputError(
            f"the true pair must be given whole, by {format_list(sorted(shapes), 8)} of"
            f" {format_list(sorted(laws))} distributions; {format_list(names, 8)}"
            f" {'is missing' if missing else 'is no parameter'}. Change the design, or pass model=,"
            " a function of the cell."
        )


# -------------------------------------------------------------------------------- a cell
def cell_spec(cell: Mapping[str, Any], model: CellModel | None) -> CellSpec:
    """What a cell says; a user's ``model`` makes the true pair."""
    sizes = cell_sizes(cell, "n")
    prior = cell.get("prior")
    if model is not None:
        result = model(dict(cell))
        if not isinstance(result, ScoreModel):
            rule, do = "return a ScoreModel of each cell", "Return br.ScoreModel(client, impostor)."
            raise refusal("model", rule, typed(result), do, InputTypeError)
        true = result if prior is None else with_prior(result, prior)
    else:
        share = 0.5 if sizes is None else sizes[0] / (sizes[0] + sizes[1])
        true = _true_pair(cell, share if prior is None else prior)
    criterion = cell.get("criterion", _WEIGHTED)
    alpha = cell.get("alpha")
    if CRITERIA[criterion].single:
        checked_alphas(alpha, single=True, criterion=criterion)
    elif alpha is None:
        alpha = 0.5
    step = float(cell.get("resolution", cell.get("rounding", 0.0)))
    test = _shifted(true, cell)
    if step > 0.0:
        for law in (true.client, true.impostor, test.client, test.impostor):
            _check_beyond(step, law)
    return CellSpec(
        true, test, sizes, cell_sizes(cell, "n_test"),
        _families(cell.get("family") or _own_family(true)), cell.get("boundary"), step,
        "resolution" in cell and step > 0.0, prior, criterion, cell.get("measure", "hter"), alpha,
    )  # fmt: skip


_families = lru_cache(maxsize=64)(names_of_text)


def _check_beyond(step: float, law: Distribution) -> None:
    """A step by which the end of a scale would be rounded to a place beyond it."""
    for end, outward in zip(law.support, (-1.0, 1.0), strict=True):
        if math.isfinite(end):
            place = step * round(end / step)
            if outward * (place - end) > _ULPS * step:
                raise InputError(
                    f"rounded scores must stay on their scale; multiples of {step!r} would put"
                    f" {end:g} at {place:g}. Take a step that divides the scale, such as 0.1."
                )


def cell_sizes(cell: Mapping[str, Any], name: str) -> tuple[int, int] | None:
    """Client and impostor scores of "n" or "n_test"; None where there is no such sample."""
    if name in cell:
        return int(cell[name]), int(cell[name])
    if f"{name}_client" in cell:
        return int(cell[f"{name}_client"]), int(cell[f"{name}_impostor"])
    return None


def _true_pair(cell: Mapping[str, Any], prior: float) -> ScoreModel:
    if not cell.keys().isdisjoint(_PRESCRIBED):
        result = _solution(cell.get("law", "beta"), *(cell.get(name) for name in _PRESCRIBED))
        if isinstance(result, BetarocError):
            raise result.with_traceback(None)
        return with_prior(result, prior)
    law = cell.get("law", "beta")
    client, impostor = (
        LAWS[law](*(float(cell[f"{name}_{who}"]) for name in _parameters(law))) for who in "ci"
    )
    return ScoreModel(client, impostor, prior=prior)


@lru_cache(maxsize=4096)
def _solution(
    law: str, auc: Any, eer: Any, at_zero: Any, at_one: Any, crossing: Any, *shapes: Any
) -> ScoreModel | BetarocError:
    """A prescription solved, or why it cannot be: once for all replicates, sizes and blocks."""
    ends = at_zero, at_one
    client, impostor = shapes
    try:
        return solve_pair(auc=auc, eer=eer, exponents=ends, shapes=(client, impostor),
                          crossing=crossing, family=law)  # fmt: skip
    except BetarocError as error:
        return error


def _own_family(model: ScoreModel) -> str:
    """The family of the true pair: "beta" where its distributions are no member of another."""
    kinds = {type(model.client), type(model.impostor)}
    for name, law in LAWS.items():
        if kinds == {law}:
            return name
    inside = all(law.support[0] >= 0.0 and law.support[1] <= 1.0
                 for law in (model.client, model.impostor))  # fmt: skip
    return "beta" if inside else "normal"


def with_prior(model: ScoreModel, prior: float) -> ScoreModel:
    """The pair with another share of clients."""
    return ScoreModel(model.client, model.impostor, prior=prior, name=model.name)


def _shifted(model: ScoreModel, cell: Mapping[str, Any]) -> ScoreModel:
    """The true pair of the test side."""
    if cell.keys().isdisjoint(_CHANGES):
        return model
    client, impostor = (cell.get("shift", 0.0) + cell.get(f"shift_{w}", 0.0) for w in CLASSES)
    moved = model.shifted(client=client, impostor=impostor, scale=cell.get("scale", 1.0))
    return with_prior(moved, model.prior)


#: Streams of a trial beside its sample's.
_OF_CALLER, _OF_TEST = 1, 2


@dataclass(frozen=True)
class Seed:
    """Where a study's random numbers come from: each trial has streams of its own."""

    entropy: tuple[int, ...]
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
            scores.append(checks.frozen(values))
        return scores[0], scores[1]
