"""One trial of a study, and its statistics."""

from __future__ import annotations

import contextlib
import dis
import functools
import hashlib
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.containers import as_narwhals
from betaroc.core.errors import (
    BetarocError,
    ExtrapolationWarning,
    InputError,
    InputTypeError,
    refusal,
)
from betaroc.core.notices import warn
from betaroc.core.process import time_limit
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.core.vocabulary import FAR, FRR, name_among
from betaroc.data.scores import Scores
from betaroc.decision.curve import ONE_CLASS_RATES, checked_alphas
from betaroc.decision.epc import Epc
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta, has_shape
from betaroc.distributions.inflated import base_of
from betaroc.estimation.contract import POLICIES
from betaroc.estimation.families import AUTO, Names, has_shapes, names_of_text
from betaroc.fits.fit import Fit, fit
from betaroc.inference.scores_beyond import needed
from betaroc.model.criteria import CRITERIA
from betaroc.model.improper_regions import hooks_of
from betaroc.model.measures import MEASURES
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import STATISTICS, StatisticSpec, parse_statistic
from betaroc.studies.design import Design, checked_text
from betaroc.studies.solve import LAWS, solve_pair

#: Makes the true pair of a cell.
CellModel: TypeAlias = Callable[[dict[str, Any]], ScoreModel]
#: Makes the scores of a trial of a cell.
CellGenerator: TypeAlias = Callable[[dict[str, Any], np.random.Generator], Any]

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
    """0 stands for exact scores."""
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
#: Those that are left where a generator makes the scores: of the fit and the decision.
_OF_GENERATOR = {"family", "boundary", "resolution", "prior", "criterion", "measure", "alpha"}


class CellSpec(NamedTuple):
    """What the parameters of a cell stand for."""

    #: The true pair, which development scores are drawn from; None where a generator makes them.
    model: Any
    #: The true pair of the test side, where thresholds are met.
    test: Any
    family: Names


# ------------------------------------------------------------------------- before any work
def check_design(design: Design, *, own_model: bool, generated: bool = False) -> None:
    """Check names and values of parameters, and that the pair is given once."""
    # Of a user's own ``model`` the names that say which pair it is are free; of a generator all
    # that say how scores are drawn.
    argument = dict(zip(design.names, design.columns, strict=True))
    known = _OF_GENERATOR if generated else PARAMETERS.keys() - (_OF_PAIR if own_model else ())
    for name, column in argument.items():
        if (own_model or generated) and name not in known:
            continue
        if name not in PARAMETERS:
            remedy = f"{did_you_mean(name, tuple(PARAMETERS))}Others need model= or generator=."
            rule = f"be one of a study: {format_list(PARAMETERS, 12)}"
            raise refusal("a parameter", rule, repr(name), remedy)
        for value in set(column):
            PARAMETERS[name](value, name)
    if generated:
        return
    if not own_model:
        _check_pair(set(argument), set(argument.get("law", ("beta",))))
    for first in ("n", "n_test"):
        parts = f"{first}_client", f"{first}_impostor"
        present = [name for name in parts if name in argument]
        if first in argument and present:
            rule = f"be left out beside {format_list(present)}"
            raise refusal(first, rule, "both", "Leave one kind out.")
        if len(present) == 1:
            actual = f"{format_list(present)} alone"
            raise refusal(format_list(parts), "be given together", actual, "Give both.")
    if "resolution" in argument and "rounding" in argument:
        raise refusal("rounding", "be left out beside resolution", "both", "Leave it out.")


def _parameters(law: str) -> list[str]:
    return [parameter.name for parameter in fields(LAWS[law])]


def _check_pair(value: set[str], laws: set[str]) -> None:
    shapes = {f"{name}_{who}" for law in laws for name in _parameters(law) for who in "ci"}
    prescribed, shaped = sorted(value & set(_PRESCRIBED)), sorted(value & set(_SHAPES))
    if prescribed and shaped:
        actual = f"{format_list(shaped)} and {format_list(prescribed)}"
        rule = "be given by its parameters or by what it is to have"
        raise refusal("the true pair", rule, actual, "Leave one kind out.")
    missing = sorted(shapes - value) if not prescribed else []
    if names := missing or sorted(set(shaped) - shapes):
        rule = f"be given whole, by {format_list(sorted(shapes), 8)} of {format_list(sorted(laws))}"
        actual = f"{'no' if missing else 'also'} {format_list(names, 8)}"
        raise refusal("the true pair", rule, actual, "Change the design, or pass model=.")


# -------------------------------------------------------------------------------- a cell
def cell_spec(cell: Mapping[str, Any], model: CellModel | None) -> CellSpec:
    """What a cell says; a user's ``model`` makes the true pair."""
    prior = cell.get("prior")
    if model is not None:
        result = model(dict(cell))
        if not isinstance(result, ScoreModel):
            rule = "return a ScoreModel of each cell"
            raise refusal("model", rule, typed(result), kind=InputTypeError)
        true = result if prior is None else replace(result, prior=prior)
    else:
        clients, impostors = cell_sizes(cell, "n") or (1, 1)
        true = _true_pair(cell, clients / (clients + impostors) if prior is None else prior)
    _check_criterion(cell)
    test, step = _shifted(true, cell), _step(cell)
    if step > 0.0:
        for law in (true.client, true.impostor, test.client, test.impostor):
            _check_beyond(step, law)
    return CellSpec(true, test, names_of_text(cell.get("family") or _own_family(true)))


def generated_spec(cell: Mapping[str, Any]) -> CellSpec:
    """What a cell says where a generator makes the scores."""
    _check_criterion(cell)
    return CellSpec(None, None, names_of_text(cell.get("family", AUTO)))


def _check_criterion(cell: Mapping[str, Any]) -> None:
    criterion = cell.get("criterion", _WEIGHTED)
    if CRITERIA[criterion].single:
        checked_alphas(cell.get("alpha"), single=True, criterion=criterion)


def _step(cell: Mapping[str, Any]) -> float:
    """Multiples of which scores are."""
    return float(cell.get("resolution", cell.get("rounding", 0.0)))


def _check_beyond(step: float, law: Distribution) -> None:
    for end, outward in zip(law.support, (-1.0, 1.0), strict=True):
        if math.isfinite(end):
            place = step * round(end / step)
            if outward * (place - end) > _ULPS * step:
                actual = f"{end:g} at {place:g} by multiples of {step!r}"
                raise refusal("rounded scores", "stay on their scale", actual, "Take another step.")


def cell_sizes(cell: Mapping[str, Any], name: str) -> tuple[int, int] | None:
    """Client and impostor scores of "n" or "n_test", if any."""
    sizes = [cell.get(f"{name}_{who}", cell.get(name)) for who in CLASSES]
    return None if sizes[0] is None else (int(sizes[0]), int(sizes[1]))


def _true_pair(cell: Mapping[str, Any], prior: float) -> ScoreModel:
    if not cell.keys().isdisjoint(_PRESCRIBED):
        result = _solution(cell.get("law", "beta"), *(cell.get(name) for name in _PRESCRIBED))
        if isinstance(result, BetarocError):
            raise result.with_traceback(None)
        return replace(result, prior=prior)
    law = cell.get("law", "beta")
    client, impostor = (
        LAWS[law](*(float(cell[f"{name}_{who}"]) for name in _parameters(law))) for who in "ci"
    )
    return ScoreModel(client, impostor, prior=prior)


@lru_cache(maxsize=4096)
def _solution(
    law: str, auc: Any, eer: Any, at_zero: Any, at_one: Any, crossing: Any, *shapes: Any
) -> ScoreModel | BetarocError:
    """A prescription solved once for all, or why it cannot be."""
    asked: Any = {"exponents": (at_zero, at_one), "shapes": shapes, "family": law}
    try:
        return solve_pair(auc=auc, eer=eer, crossing=crossing, **asked)
    except BetarocError as error:
        return error


def _own_family(model: ScoreModel) -> str:
    laws = model.client, model.impostor
    kinds = {type(law) for law in laws}
    inside = all(law.support[0] >= 0.0 and law.support[1] <= 1.0 for law in laws)
    names = (name for name, law in LAWS.items() if kinds == {law})
    return next(names, "beta" if inside else "normal")


def _shifted(model: ScoreModel, cell: Mapping[str, Any]) -> ScoreModel:
    if cell.keys().isdisjoint(_CHANGES):
        return model
    client, impostor = (cell.get("shift", 0.0) + cell.get(f"shift_{w}", 0.0) for w in CLASSES)
    return model.shifted(client=client, impostor=impostor, scale=cell.get("scale", 1.0))


#: Streams of a trial beside its sample's.
_OF_CALLER, _OF_TEST = 1, 2


@dataclass(eq=False)
class Trial:
    """One replicate of one cell, computed when it is first used.

    Parameters
    ----------
    cell : mapping
        The parameters.
    number : int
        The number of the cell.
    replicate : int
        Which repetition, from 0.
    seed : SeedSequence
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
    seed: np.random.SeedSequence
    spec: CellSpec
    #: a_c, b_c, a_i, b_i as a batch of fits found them; None of what is fitted by itself.
    batch_shapes: list[float] | None = field(default=None, init=False)
    _curves: dict[tuple[str, float | None], Epc] = field(default_factory=dict, init=False)

    @property
    def model(self) -> ScoreModel:
        """The true pair."""
        result: ScoreModel = self.spec.model
        return result

    @property
    def options(self) -> dict[str, Any]:
        """What `fit` is called with."""
        known = {"boundary": self.cell.get("boundary"),
                 "resolution": self.cell.get("resolution") or None}  # fmt: skip
        return {"family": self.spec.family, **known}

    @property
    def is_plain(self) -> bool:
        """Whether sums of each class settle the fit, if no score is 0 or 1."""
        silent = self.cell.get("boundary") in (None, "inflate", "drop", "error")
        # "auto" is beta where all scores lie in [0, 1], and others have no sums.
        beta = self.spec.family == AUTO or has_shapes(self.spec.family)
        return silent and beta and not self.cell.get("resolution")

    @cached_property
    def rng(self) -> np.random.Generator:
        """Random numbers for functions, which draw in the order of the columns."""
        return self._generator(_OF_CALLER)

    def _generator(self, *stream: int) -> np.random.Generator:
        key = *self.seed.spawn_key, self.number, self.replicate, *stream
        return np.random.default_rng(np.random.SeedSequence(self.seed.entropy, spawn_key=key))

    @cached_property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """The scores of both classes, as arrays."""
        return self._drawn(self.spec.model, "n", self._generator())

    @cached_property
    def scores(self) -> Scores:
        """The sample."""
        client, impostor = self.drawn
        return Scores._checked(client=client, impostor=impostor)

    @cached_property
    def fit(self) -> Fit:
        """The fit of the sample."""
        result: Fit = fit(self.scores, **self.options)
        return result

    @cached_property
    def fitted(self) -> ScoreModel:
        """The fitted pair, from the shapes of a batch if any."""
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
    def test(self) -> ScoreModel:
        """Where thresholds are observed: the test sample, else the true pair."""
        if cell_sizes(self.cell, "n_test") is None:
            result: ScoreModel = self.spec.test
            return result
        client, impostor = self._drawn(self.spec.test, "n_test", self._generator(_OF_TEST))
        sample = Scores._checked(client=client, impostor=impostor)
        return self._with_prior(empirical_model(sample))

    def pair(self, source: str) -> ScoreModel:
        """The pair of a source: "true", "fit", "empirical" or "test"."""
        result: ScoreModel = getattr(self, {"true": "model", "fit": "fitted"}.get(source, source))
        return result

    def curve(self, source: str, alpha: float | None) -> Epc:
        """The threshold that a source chooses, of "true" on the pair of test, observed on test."""
        key, cell = (source, alpha), self.cell
        if key not in self._curves:
            name = cell.get("criterion", _WEIGHTED)
            true, criterion, test = source == "true", CRITERIA[name], self.spec.test
            dev, test = (test, test) if true else (self.pair(source), self.test)
            alpha = cell.get("alpha", 0.5) if alpha is None else alpha
            alphas = np.array([0.5 if criterion.single else alpha])
            chosen = criterion.choose(dev._pair, dev.prior, alphas)
            measure = cell.get("measure", "hter")
            self._curves[key] = Epc(dev, test, name, measure, alphas, chosen)
        return self._curves[key]

    def _with_prior(self, model: ScoreModel) -> ScoreModel:
        prior = self.cell.get("prior")
        return model if prior is None else replace(model, prior=prior)

    def _drawn(
        self, model: ScoreModel, name: str, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        sizes = cell_sizes(self.cell, name)
        if sizes is None:
            raise refusal("a cell", "have sizes (n, n_test) for a sample", "none")
        step, scores = _step(self.cell), []
        for distribution, n in zip((model.client, model.impostor), sizes, strict=True):
            values = distribution._sample((n,), rng)
            if step > 0.0:
                low, high = distribution.support  # which doubles may miss by their last bit
                values = np.clip(step * np.round(values / step), low, high)
            scores.append(checks.frozen(values))
        return scores[0], scores[1]


@dataclass(eq=False)
class GeneratedTrial(Trial):
    """One replicate of one cell whose scores a generator made."""

    #: The sample, and that of the test side if there is one.
    samples: tuple[Scores, ...] = field(kw_only=True)

    @property
    def model(self) -> ScoreModel:
        """There is none."""
        raise refusal("the true pair", "be known", "a trial of a generator", "Take its scores.")

    @property
    def is_plain(self) -> bool:
        """Also whether every score counts once, and higher ones are clients'."""
        scores = self.scores
        odd = scores.has_rejected or scores.lower_is_client
        odd |= any(getattr(scores, f"{who}_weights") is not None for who in CLASSES)
        return not odd and super().is_plain

    @cached_property
    def scores(self) -> Scores:
        return self.samples[0]

    @cached_property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        return self.scores.client, self.scores.impostor

    @cached_property
    def test(self) -> ScoreModel:
        if len(self.samples) == 1:
            rule, remedy = "return (dev, test) for what is observed on test", "Return both."
            raise refusal("generator", rule, "one sample", remedy)
        return self._with_prior(empirical_model(self.samples[1]))


def generated_trials(
    trial: Trial, generator: CellGenerator, timeout: float | None
) -> dict[str, Trial]:
    """The trials of the systems of a cell, by the beginnings of their columns' names."""
    with time_limit(timeout):
        result = generator(dict(trial.cell), trial._generator())
    frame = as_narwhals(result)
    if "system" in getattr(frame, "columns", ()):
        systems = {str(name): rows.to_native() for (name,), rows in frame.group_by("system")}
    else:
        systems = dict(result) if isinstance(result, Mapping) else {"": result}
    if not systems:
        raise refusal("generator", "return the scores of a system", "none")
    trials: dict[str, Trial] = {}
    for name in sorted(systems, key=str):
        sides = systems[name] if isinstance(systems[name], tuple | list) else (systems[name],)
        if not isinstance(name, str) or len(sides) not in (1, 2):
            rule = "return Scores, (dev, test), or a mapping of names to them"
            actual = f"{format_value(name)} with {len(sides)} parts"
            raise refusal("generator", rule, actual, kind=InputTypeError)
        samples = tuple(s if isinstance(s, Scores) else Scores.from_frame(s) for s in sides)
        plain = trial.cell, trial.number, trial.replicate, trial.seed, trial.spec
        prefix = f"{checked_text(name, 'the name of a system')}." if name else ""
        clash = [n for n in trial.cell if prefix and n.startswith(prefix)]
        if clash:
            rule = "have names with which no parameter begins"
            raise refusal("systems", rule, f"{name!r} and {clash[0]!r}", "Rename one.")
        trials[prefix] = GeneratedTrial(*plain, samples=samples)
    return trials


# ---------------------------------------------------------------------------- statistics
#: Columns that every table of results has, and those of their summary.
RESERVED = ("cell", "replicate", "status", "error")
SUMMARY = ("statistic", "replicates", "mean", "mc_error", "sd")
#: Which pair a statistic is of, and whose threshold is observed on test.
SOURCES = ("true", "test", "fit", "empirical")
CHOOSERS = {"epc-true": "true", "epc-fit": "fit", "epc-empirical": "empirical"}
#: Of functions, which ask for what they need, of the true pair and of the test pair.
_OF_LAWS = ("", "true", "test", "epc-true")


def _shape(who: str, model: ScoreModel) -> str:
    law = base_of(getattr(model, who))
    return str(law.shape.value) if has_shape(law) else ""


#: What a pair has beside the statistics of the table: text, and numbers.
_TEXTS: dict[str, Callable[[ScoreModel], str]] = {
    "side-at-zero": lambda m: m.ends().at_zero.side,
    "side-at-one": lambda m: m.ends().at_one.side,
    "global-shape": lambda m: m.global_shape(),
    "client-shape": functools.partial(_shape, "client"),
    "impostor-shape": functools.partial(_shape, "impostor"),
}
OF_PAIR: dict[str, Callable[[ScoreModel], Any]] = {
    **_TEXTS,
    "semi-derivative-at-zero": lambda m: m.semi_derivatives().at_zero,
    "semi-derivative-at-one": lambda m: m.semi_derivatives().at_one,
    "hook-depth": lambda m: max((h.depth for h in hooks_of(m, 0.0, 0.0)), default=0.0),
    "crossings": lambda m: len(m.diagonal_crossings()),
    "prior": lambda m: m.prior,
}
#: The number of a fit that is none of its pair, and numbers of one decision on test.
LIKELIHOOD, OF_CURVE = "log-likelihood", ("value", "expected", "threshold", "far", "frr")


@dataclass(frozen=True)
class StudyStatistic:
    """One column of the results, or those of a function that returns a mapping."""

    column: str
    #: Of a name: its source, its name, and the statistic of the table. Of a function: empty.
    source: str = ""
    stat: str = ""
    table: StatisticSpec | None = None
    #: Of a number of a curve its alpha.
    alpha: float | None = None
    function: Callable[[Trial], Any] | None = None

    @property
    def kind(self) -> type[Any]:
        """Of the values of a name."""
        return str if self.source in SOURCES and self.stat in _TEXTS else float

    @property
    def needs_sample(self) -> bool:
        """Whether there is nothing to compute without scores."""
        return self.source not in _OF_LAWS

    @property
    def needs_fit(self) -> bool:
        """Whether it is of the fitted pair, which a batch provides."""
        return self.source in ("fit", "epc-fit")

    def of(self, trial: Trial) -> dict[str, float | str]:
        """The columns of a trial."""
        if self.function is not None:
            return _columns_of(self.column, self.function(trial))
        if self.source in CHOOSERS:
            value = getattr(trial.curve(CHOOSERS[self.source], self.alpha), self.stat)[0]
        elif self.stat == LIKELIHOOD:
            value = trial.fit.log_likelihood
        elif self.table is not None:
            value = self.table.number(trial.pair(self.source))
        else:
            value = OF_PAIR[self.stat](trial.pair(self.source))
        return {self.column: _plain(value, self.column)}

    def n_beyond(self, cell: Mapping[str, Any]) -> tuple[float, int, str, float] | None:
        """Scores expected beyond a statistic's rate, all, whose, and its tail."""
        # None of what asks for no rate, or of no sample.
        criterion, name, rate = cell.get("criterion"), "", np.nan
        if self.table is not None and self.table.where.point in ("far", "frr", "tpr"):
            point, rate, *_ = self.table.where
            name = FAR if point == "far" else FRR
        elif self.source in CHOOSERS and criterion in ONE_CLASS_RATES:
            name = ONE_CLASS_RATES[criterion][0]
            rate = float(cell.get("alpha", 0.5) if self.alpha is None else self.alpha)
        sizes = cell_sizes(cell, "n_test" if self.source == "test" else "n")
        tail = min(rate, 1.0 - rate)
        if sizes is None or self.source in ("true", "epc-true") or not tail > 0.0:
            return None
        who = int(name == FAR)
        return sizes[who] * tail, sizes[who], CLASSES[who], tail

    @property
    def description(self) -> str:
        """What is computed, for telling studies apart."""
        if self.function is not None:
            return fingerprint(self.function)
        where = "" if self.alpha is None else f"@alpha={self.alpha!r}"
        return f"{self.source}.{self.table or self.stat}{where}"


def tell_beyond(statistics: Sequence[StudyStatistic], cells: Iterable[Mapping[str, Any]]) -> None:
    """Warn of rates for which no score of a sample speaks."""
    few = [
        (support, statistic.column, place)
        for place, cell in enumerate(cells)
        for statistic in statistics
        if (support := statistic.n_beyond(cell)) is not None and support[0] < 1.0 - 1e-12
    ]
    if few:
        (beyond, n, who, tail), column, place = min(few)
        warn(
            f"{len({place for *_, place in few})} cells ask for rates that no score speaks for;"
            f" least {column} of cell {place}: of {n} {who} scores {beyond:.2g} are expected beyond"
            f" a rate of {tail:.4g}, about {needed(tail)} would do (3/rate). Draw as many, or ask"
            " for larger rates.",
            ExtrapolationWarning,
        )


# ------------------------------------------------------------------------------- reading
def as_statistics(value: Any) -> tuple[StudyStatistic, ...]:
    """Statistics from names and functions, as a list or by column."""
    if isinstance(value, str) or callable(value):
        value = [value]
    if not isinstance(value, Mapping | Sequence):
        rule = "be names or functions, in a list or in a mapping of columns"
        raise refusal("statistics", rule, typed(value), 'Give ["fit.auc"].', InputTypeError)
    if not value:
        raise refusal("statistics", "name at least one", "none", 'Give such as "fit.auc".')
    pairs = list(value.items()) if isinstance(value, Mapping) else []
    for place, item in enumerate([] if isinstance(value, Mapping) else value):
        name = item if isinstance(item, str) else getattr(item, "__name__", "")
        if not name or name == "<lambda>":
            raise InputTypeError.about("statistics")(
                f"statistics must be names, or functions with a name; got {format_value(item)} at"
                f" index {place}. Pass a mapping such as {{'column': {format_value(item, 30)}}}."
            )
        pairs.append((str(name), item))
    columns = [column for column, _ in pairs]
    for column in columns:
        if not isinstance(column, str) or not column.strip():
            actual = format_value(column)
            raise refusal("columns of statistics", "be text", actual, kind=InputTypeError)
        checked_text(column, "the name of a column")
        if column in RESERVED or columns.count(column) > 1:
            why = "names a column of every study" if column in RESERVED else "occurs twice"
            actual = f"{column!r}, which {why}"
            raise refusal("the columns", "be distinct and new", actual, "Name it otherwise.")
    statistics = tuple(_statistic(column, item) for column, item in pairs)
    check_taken(statistics, columns)
    return statistics


def check_taken(statistics: Sequence[StudyStatistic], names: Sequence[str]) -> None:
    """Refuse names that may be columns of a function."""
    for column in [s.column for s in statistics if s.function is not None]:
        clash = [name for name in names if name.startswith(f"{column}.")]
        if clash:
            actual = f"{clash[0]!r}, which may be a column of the function {column!r}"
            noun = "parameters and columns of results"
            raise refusal(noun, "have names of their own", actual)


def _statistic(column: str, item: Any) -> StudyStatistic:
    if callable(item):
        return StudyStatistic(column, function=item)
    if not isinstance(item, str):
        rule = "be a name or a function of a Trial"
        raise refusal(f"statistic {column!r}", rule, typed(item), "Name it.", InputTypeError)
    source, _, text = item.partition(".")
    stat, at, point = text.partition("@")
    sources, of_curve = (*SOURCES, *CHOOSERS), source in CHOOSERS
    if source not in sources:
        is_stat = source.partition("@")[0] in (*STATISTICS, *OF_PAIR)
        hint = f"Did you mean 'fit.{item}'?" if is_stat else did_you_mean(source, sources)
        rule = f"be <source>.<name> with a source of {format_list(sources, 8)}"
        raise refusal("a statistic", rule, repr(item), hint.rstrip())
    others = (LIKELIHOOD,) if source == "fit" else ()
    names = OF_CURVE if of_curve else (*STATISTICS, *OF_PAIR, *others)
    stat = name_among(stat, names)
    if stat not in names:
        rule = f"name a number of {source!r}"
        raise refusal("a statistic", rule, repr(item), did_you_mean(stat, names).rstrip())
    if at and not of_curve and stat not in STATISTICS:
        raise InputError(f"statistic {item!r} is taken at no point. Leave out what follows '@'.")
    try:
        if of_curve and at:
            alpha = parse_statistic(f"weighted-error@{point}").where.value
            return StudyStatistic(column, source, stat, alpha=alpha)
        table = None if of_curve or stat not in STATISTICS else parse_statistic(text)
    except (InputError, InputTypeError) as error:
        raise InputError(f"statistic {item!r}: {error}") from error
    return StudyStatistic(column, source, stat, table)


# ------------------------------------------------------------------------------- values
def _columns_of(column: str, result: Any) -> dict[str, float | str]:
    if not isinstance(result, Mapping):
        return {column: _plain(result, column)}
    for key in result:
        if not isinstance(key, str):
            raise refusal(f"keys of {column!r}", "be text", typed(key), kind=InputTypeError)
        checked_text(key, "the name of a column")
    return {f"{column}.{key}": _plain(value, f"{column}.{key}") for key, value in result.items()}


def _plain(value: Any, column: str) -> float | str:
    if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0:
        value = np.asarray(value)[()].item()
    if isinstance(value, str):
        return checked_text(str.__str__(value), f"statistic {column!r}")
    if isinstance(value, numbers.Real):
        return float(value)
    rule = "be a number, text or a mapping of them"
    raise refusal(f"statistic {column!r}", rule, typed(value), "Return one.", InputTypeError)


# ------------------------------------------------------------------- what tells functions apart
_PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)


def fingerprint(function: Any) -> str:
    """The name of a function and a digest of what it carries."""
    # Of its code, defaults, the variables that it closes over, what a partial binds, attributes and
    # methods of an object; of the globals that it reads and does not assign constants (numbers,
    # text, arrays, containers of them), and functions, partials and classes of the same module.
    named = function.func if isinstance(function, functools.partial) else function
    name = getattr(named, "__qualname__", type(named).__qualname__)
    owner = getattr(named, "__self__", named)
    content = repr([_content(part, (), set()) for part in (function, *_methods(type(owner)))])
    return f"function {name} {_digest(content.encode('utf-8', 'backslashreplace'))[:16]}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _content(value: Any, above: tuple[int, ...], functions: set[int]) -> tuple[Any, ...]:
    """A value as nested tuples of text, without addresses and orders that change."""
    kind = type(value).__qualname__
    if isinstance(value, _PLAIN):
        return kind, repr(value)
    if isinstance(value, type | ModuleType | BuiltinFunctionType | np.ufunc):
        return kind, str(getattr(value, "__module__", "")), str(value.__name__)
    if id(value) in above or id(value) in functions:
        return kind, "again", str(getattr(value, "__qualname__", ""))
    if isinstance(value, FunctionType):
        functions.add(id(value))
    # Held while they are read: the identity of what is gone may be another's.
    parts = _parts(value)
    result = [_content(part, (*above, id(value)), functions) for part in parts]
    unordered = isinstance(value, set | frozenset)
    return kind, *(sorted(result, key=repr) if unordered else result)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, FunctionType):
        return _parts_of_function(value)
    if isinstance(value, CodeType):
        return [value.co_code, value.co_names, value.co_varnames, *value.co_consts]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        numbers = array.tolist() if array.dtype.hasobject else _digest(array.tobytes())
        return [array.dtype.str, array.shape, numbers]
    if isinstance(value, Mapping):
        return [part for item in value.items() for part in item]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    slots = getattr(value, "__dataclass_fields__", {})  # which no __dict__ may have
    names = [
        name for name in {**getattr(value, "__dict__", {}), **slots}
        if not isinstance(getattr(type(value), name, None), functools.cached_property)
    ]  # fmt: skip
    called = [vars(kind).get("__call__") for kind in type(value).__mro__]
    attributes = [part for name in names for part in (name, getattr(value, name, None))]
    return [*(c for c in called if isinstance(c, FunctionType)), *attributes]


def _parts_of_function(function: FunctionType) -> list[Any]:
    parts: list[Any] = [function.__code__, function.__defaults__, function.__kwdefaults__]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a name that is not bound yet
            parts.append(cell.cell_contents)
    for name in _globals_of(function.__code__):
        item = function.__globals__.get(name, ...)
        item = getattr(item, "__wrapped__", item)  # such as by functools.lru_cache
        inner = item.func if isinstance(item, functools.partial) else item
        home = getattr(inner, "__module__", None) == function.__module__
        if isinstance(item, type) and home:
            parts += [name, *_methods(item)]
        elif (home and isinstance(inner, FunctionType)) or (item is not ... and _is_constant(item)):
            parts += [name, item]
    return parts


def _methods(kind: type[Any]) -> list[Any]:
    bases = [base for base in kind.__mro__ if base.__module__ == kind.__module__ != "builtins"]
    items = [getattr(item, "__func__", item) for base in bases for item in vars(base).values()]
    return [item for item in items if isinstance(item, FunctionType) or _is_constant(item)]


def _globals_of(code: CodeType) -> list[str]:
    read, assigned, left = set[str](), set[str](), [code]
    while left:
        inner = left.pop()
        left += [item for item in inner.co_consts if isinstance(item, CodeType)]
        for step in dis.get_instructions(inner):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                read.add(str(step.argval))
            elif step.opname == "STORE_GLOBAL":
                assigned.add(str(step.argval))
    return sorted(read - assigned)


def _is_constant(value: Any) -> bool:
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_is_constant, value))
    if isinstance(value, dict):
        return all(map(_is_constant, value.items()))
    return isinstance(value, (*_PLAIN, np.generic, np.ndarray))
