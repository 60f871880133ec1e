"""A curve as Algorithms 1 and 2 of the papers make it: thresholds chosen on dev, observed on test.

Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance curve, IDIAP-RR 03-85:

    Algorithm 1, the DCF expected performance curve        Algorithm 2, the FAR one
    for values alpha in [0, 1] do                          for values v of expected FAR do
      theta* = arg min_theta (alpha FAR(theta, valid)        theta* = arg min_theta
               + (1 - alpha) FRR(theta, valid))                       abs(v - FAR(theta, valid))
      compute FAR(theta*, test), FRR(theta*, test)           compute FAR(theta*, test), ...
              and HTER(theta*, test)
      plot HTER(theta*, test) with respect to alpha          plot HTER(theta*, test) against v
    end for                                                end for

Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance curve, Algorithm 1, is
both of them: theta* = arg min_theta C(V1(theta, devel), V2(theta, devel); alpha), then V(theta*,
test). `chosen_on` is its first step, for all alphas at once, `observed_on` the second; C is a name
in :mod:`betaroc.model.criteria`, V one in :mod:`betaroc.model.measures`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import BoolArray, FloatArray
from betaroc.core.errors import InputError, InputTypeError, TargetWarning, refusal
from betaroc.core.notices import warn
from betaroc.core.resampling import refuse_fractional_weights
from betaroc.core.tables import Tabular
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import travelling
from betaroc.core.vocabulary import CLIENT, FAR, FRR, HTER, IMPOSTOR, TNR, TPR, worded
from betaroc.data.groups import Groups, ScoredTrials, Trials, groups_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.distributions.empirical import Empirical, decides_by_counts, is_binned, is_counted
from betaroc.inference.scores_beyond import Evidence, SideInput, SupportedPair, fewest, tell
from betaroc.model.criteria import CRITERIA
from betaroc.model.dataset_checks import Distributions
from betaroc.model.measures import (
    MEASURES,
    OperatingPoint,
    measure_title,
    rate_terms,
    some_rejected,
)
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.model.statistics import Asked, of_point
from betaroc.rendering.curves import AlphaAxes

#: The criterion alpha FAR + (1 - alpha) FRR, and the measure of that name.
WEIGHTED_ERROR = "weighted-error"
_AUTOMATIC_ALPHAS = 101
#: Alphas that agree to this are one alpha.
SAME_ALPHA = 1e-9
#: A target this near to a rate is met.
_MET = 1e-12
#: Criteria and measures that are an error rate of one class, or its complement.
ONE_CLASS_RATES = {
    "far": (FAR, False), "tnr": (FAR, True), "specificity": (FAR, True), "frr": (FRR, False),
    "tpr": (FRR, True), "recall": (FRR, True), "sensitivity": (FRR, True),
}  # fmt: skip


# ------------------------------------------------------------------------ the two steps
def chosen_on(dev: ScoreModel, criterion: str, alpha: FloatArray) -> Thresholds:
    """The threshold theta* that dev chooses for each alpha: the first step of both algorithms.

    Parameters
    ----------
    dev : ScoreModel
        The papers' validation, or development, set.
    criterion : str
        "weighted-error" is Algorithm 1, theta* = arg min (alpha FAR + (1 - alpha) FRR); "far" is
        Algorithm 2, theta* = arg min abs(alpha - FAR), and so are the other rates.
    alpha : ndarray
        Their alpha, or v.

    Returns
    -------
    Thresholds
        Of equal criteria that of the least HTER, then the lowest.
    """
    return CRITERIA[criterion].choose(dev._pair, dev.prior, alpha)


def observed_on(test: ScoreModel, chosen: Thresholds) -> OperatingPoint:
    """FAR, FRR and HTER of test at dev's thresholds: the second step of both algorithms."""
    return test._point(chosen)


# --------------------------------------------------------------------------- the record
class _Side(NamedTuple):
    """Dev or test: its distributions, and the data or the fit that it was given as."""

    model: ScoreModel
    scores: Scores | None
    fit: SupportedPair | None


@dataclass(frozen=True, eq=False, repr=False)
class EpcBase(Tabular):
    """Dev's thresholds and what they do on test: the fields of :class:`betaroc.Epc`."""

    dev: ScoreModel
    test: ScoreModel
    criterion: str
    measure: str
    alpha: FloatArray
    chosen: Thresholds
    _same_length = ("alpha", "chosen.theta", "chosen.complement", "chosen.logit")
    _travels = travelling(
        "dev_scores", "test_scores", "dev_fit", "test_fit", "prior_given", "dev_evidence",
        "test_evidence",
    )  # fmt: skip
    dev_scores: Scores | None = field(default=None, compare=False, repr=False)
    test_scores: Scores | None = field(default=None, compare=False, repr=False)
    dev_fit: SupportedPair | None = field(default=None, compare=False, repr=False)
    test_fit: SupportedPair | None = field(default=None, compare=False, repr=False)
    prior_given: bool = field(default=False, compare=False, repr=False)
    dev_evidence: Evidence | None = field(default=None, compare=False, repr=False)
    test_evidence: Evidence | None = field(default=None, compare=False, repr=False)

    @property
    def points(self) -> OperatingPoint:
        """Dev's thresholds observed on test."""
        return observed_on(self.test, self.chosen)

    @property
    def threshold(self) -> FloatArray:
        """Thresholds chosen on dev."""
        return np.asarray(self.points.threshold)

    @property
    def logit_threshold(self) -> FloatArray:
        """Their logits, exact where a threshold rounds to 0 or 1.

        As of an `OperatingPoint` of dev: nan unless its distributions are continuous on [0, 1].
        """
        return np.asarray(observed_on(self.dev, self.chosen).logit_threshold)

    @property
    def far(self) -> FloatArray:
        """FAR observed on test."""
        return np.asarray(self.points.far)

    @property
    def frr(self) -> FloatArray:
        """FRR observed on test."""
        return np.asarray(self.points.frr)

    @property
    def _rates_made(self) -> dict[str, FloatArray]:
        """FMR and FNMR observed on test; none where all trials have a score."""
        if not some_rejected(self.test._pair):
            return {}
        rates = {"fmr": self.test.fmr, "fnmr": self.test.fnmr}
        return {name: np.asarray(rate(self.threshold)) for name, rate in rates.items()}

    @property
    def value(self) -> FloatArray:
        """The measure observed on test; nan where it is 0/0."""
        return self._measured(self.points)

    @property
    def expected(self) -> FloatArray:
        """The measure expected on dev at the same thresholds."""
        return self._measured(observed_on(self.dev, self.chosen))

    @property
    def a_posteriori(self) -> FloatArray:
        """The measure at the thresholds that the criterion would choose on test itself."""
        own = chosen_on(self.test, self.criterion, self.alpha)
        return self._measured(observed_on(self.test, own))

    @property
    def trivial(self) -> BoolArray:
        """Where dev's threshold accepts or rejects everybody on dev."""
        pair = self.dev._pair
        t = self.chosen
        return np.asarray((pair.far(t) + pair.frr(t) == 1.0) & (pair.far(t) * pair.frr(t) == 0.0))

    @property
    def n_beyond(self) -> FloatArray | None:
        """Scores that speak for each threshold: n min(rate, 1 - rate) of the rates behind it.

        Of dev, and of a fitted test side; the class with fewer where both are spoken of, groups
        where trials depend on each other by them. None for typed models.
        """
        result = [
            least
            for evidence, asked in self._asked()
            if (least := fewest(evidence, asked)) is not None
        ]
        return np.minimum.reduce(np.broadcast_arrays(*result)) if result else None

    def _asked(self, *, counted: bool = True) -> list[tuple[Evidence, list[Asked]]]:
        """What dev's thresholds were solved for, and what was read off test's distributions."""
        result = []
        if self.dev_evidence is not None:
            result.append((self.dev_evidence, self._solved(self.dev_evidence, counted=counted)))
        if self.test_evidence is not None and any(self.test_evidence.fitted):
            rate, _ = ONE_CLASS_RATES.get(self.measure, (None, False))
            read = [asked for asked in of_point(self.points) if rate in (None, asked.name)]
            result.append((self.test_evidence, read))
        return [item for item in result if item[1]]

    def _solved(self, dev: Evidence, *, counted: bool) -> list[Asked]:
        if self.criterion in ONE_CLASS_RATES:
            name, complement = ONE_CLASS_RATES[self.criterion]
            rate, rest = self.alpha, 1.0 - self.alpha
            return [Asked(name, *((rest, rate) if complement else (rate, rest)), True)]
        # What is counted is not extrapolated, and counting takes time.
        return of_point(observed_on(self.dev, self.chosen)) if counted or any(dev.fitted) else []

    def _side(self, name: str) -> _Side:
        """Dev or test, by its name."""
        if name == "dev":
            return _Side(self.dev, self.dev_scores, self.dev_fit)
        return _Side(self.test, self.test_scores, self.test_fit)

    @property
    def _stationary(self) -> BoolArray:
        """Where the measure is the criterion itself: its best threshold leaves no slope."""
        if (self.criterion, self.measure) == (WEIGHTED_ERROR, WEIGHTED_ERROR):
            return np.ones(self.alpha.size, dtype=np.bool_)
        # Both costs are 1 in a detection cost, whose weights are the classes' shares on test.
        of_test = 1.0 - self.test.prior
        own = {
            (WEIGHTED_ERROR, "hter"): 0.5, (WEIGHTED_ERROR, "dcf"): of_test,
            (WEIGHTED_ERROR, "accuracy"): of_test, (WEIGHTED_ERROR, "youden"): 0.5,
            ("f-measure", "f1"): 0.5, ("weighted-precision-recall", "mean-precision-recall"): 0.5,
        }.get((self.criterion, self.measure), np.nan)  # fmt: skip
        return np.asarray(np.abs(self.alpha - own) < _MET)

    def _measured(self, points: OperatingPoint) -> FloatArray:
        if self.measure == WEIGHTED_ERROR:
            return np.asarray(self.alpha * points.far + (1.0 - self.alpha) * points.frr)
        return np.asarray(MEASURES[self.measure].value(points))

    def _at_rates(self, rates: tuple[FloatArray, ...], priors: FloatArray) -> FloatArray:
        """The measure of FAR, FRR, TPR and TNR of replicates, a row each, at the prior of each."""
        values = np.empty(rates[0].shape)
        for prior in np.unique(priors):
            rows = priors == prior
            far, frr, tpr, tnr = (rate[rows] for rate in rates)
            point = OperatingPoint(np.nan, far, frr, float(prior), tpr=tpr, tnr=tnr)
            values[rows] = self._measured(point)
        return values

    @property
    def _range(self) -> tuple[float, float]:
        """The measure's values; a weighted error is a fraction."""
        known = MEASURES.get(self.measure)
        return (0.0, 1.0) if known is None else (known.low, known.high)


def tell_support(e: EpcBase) -> None:
    """Warn of rates that were asked for and that no score speaks for, or that counts contradict."""
    for evidence, asked in e._asked(counted=False):
        tell(evidence, asked)


# --------------------------------------------------------------------------- the axis
def axes_of(e: EpcBase, scale: str, terms: str) -> tuple[AlphaAxes, bool]:
    """What stands at the axes of a curve, and whether the measure's is logarithmic."""
    log = checks.choice(scale, ("linear", "log"), "scale") == "log"
    row = MEASURES.get(e.measure)
    if log and row is not None and row.low < 0.0:
        raise InputError.about("scale")(
            f'scale="log" must be of a measure that is never negative; {e.measure!r} begins at'
            f' {row.low:g}. Take scale="linear".'
        )
    words = rate_terms(terms, e.dev._pair, e.test._pair)
    return CRITERIA[e.criterion].axes(e.measure, words.name), log


def slotted_axes(e: EpcBase) -> AlphaAxes:
    """What stands at the axes of a curve, with slots for a sentence."""
    return CRITERIA[e.criterion].axes(e.measure)


def index_of_alpha(e: EpcBase, alpha: float | None) -> int:
    """Which of the curve's alphas it is; it may be left out where there is but one."""
    if alpha is None:
        if e.alpha.size == 1:
            return 0
        raise InputError.about("alpha")(
            f"alpha must be given: the curve has {e.alpha.size}, from {float(e.alpha.min())!r} to"
            f" {float(e.alpha.max())!r}. Name one of them."
        )
    wanted = checks.fraction(alpha, "alpha")
    place = int(np.argmin(np.abs(e.alpha - wanted)))
    nearest = float(e.alpha[place])
    if abs(nearest - wanted) <= SAME_ALPHA:
        return place
    if CRITERIA[e.criterion].single:
        raise InputError.about("alpha")(
            f"alpha must be left out: criterion {e.criterion!r} has none; got {wanted!r}."
        )
    value, hint = f"{wanted!r}, the nearest is {nearest!r}", "Take that, or give epc this alpha."
    raise refusal("alpha", f"be one of the {e.alpha.size} of the curve", value, hint)


def area_weights(alpha: FloatArray, low: float, high: float) -> FloatArray:
    """What each alpha's value weighs in the integral from low to high; 1 where low is high.

    By trapezoids: between two alphas, where low and high may lie, a curve is a straight line.
    """
    order = np.argsort(alpha, kind="stable")
    x = alpha[order]
    result = np.zeros(x.size)
    if low == high:
        result[order[np.searchsorted(x, low)]] = 1.0
        return result
    nodes = np.concatenate([[low], x[(x > low) & (x < high)], [high]])
    steps = np.diff(nodes)
    share = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps))
    right = np.clip(np.searchsorted(x, nodes, side="left"), 1, x.size - 1)
    width = x[right] - x[right - 1]
    of_right = (nodes - x[right - 1]) / np.where(width > 0.0, width, 1.0)
    np.add.at(result, order[right - 1], share * (1.0 - of_right))
    np.add.at(result, order[right], share * of_right)
    return result


def warn_of_reach(dev: ScoreModel, criterion: str, alpha: FloatArray) -> None:
    """Targets beyond every rate of dev are met by the nearest threshold, not in silence."""
    reach = CRITERIA[criterion].reach(dev._pair, dev.prior)
    if reach is None:
        return
    beyond = np.flatnonzero((alpha < reach[0] - _MET) | (alpha > reach[1] + _MET))
    if beyond.size:
        warn(
            f"{beyond.size} of {alpha.size} targets are out of reach on dev, first"
            f" {criterion} {float(alpha[beyond[0]])!r} at index {beyond[0]}; thresholds reach"
            f" {reach[0]:.6g} to {reach[1]:.6g} there. The nearest one is taken.",
            TargetWarning,
        )


def checked_alphas(alpha: npt.ArrayLike | None, *, single: bool, criterion: str) -> FloatArray:
    """The criterion's parameter as fractions; equally spaced where left out."""
    if single:
        if alpha is not None:
            raise InputError.about("alpha")(
                f"criterion {criterion!r} has no alpha: leave alpha out."
            )
        return np.array([0.5])
    if alpha is None:
        return np.linspace(0.0, 1.0, _AUTOMATIC_ALPHAS)
    values = np.atleast_1d(checks.rate_array(alpha, "alpha"))
    if values.ndim != 1 or values.size == 0:
        hint = "Give such as alpha=[0.1, 0.5], or leave it out."
        raise refusal("alpha", "be a list of at least one fraction", f"shape {values.shape}", hint)
    return np.array(values)


# ---------------------------------------------------------------------- what is given
def side(value: SideInput, name: str, prior: float | None) -> ScoreModel:
    """One side as a model: empirical distributions for scores, the fitted model of a fit."""
    if isinstance(value, ScoreData):
        model = empirical_model(value)
    else:
        model = value.model if isinstance(value, SupportedPair) else value
    if not isinstance(model, ScoreModel):
        raise InputTypeError.about(name)(
            f"{name} must be Scores, a ScoreSummary, a ScoreModel or a fit; got"
            f" {type(value).__name__}. Use read_scores for a file, Scores.from_frame for a frame,"
            " Scores.from_labels for labels and scores."
        )
    if prior is None:
        return model
    return ScoreModel(model.client, model.impostor, prior=prior, name=model.name)


def data_of(value: SideInput) -> ScoreData | None:
    """The data of a side, also those behind a fit; None of a model."""
    data = value.scores if isinstance(value, SupportedPair) else value
    return None if isinstance(data, ScoreModel) else data


def known_laws(value: SideInput, model: ScoreModel) -> Distributions:
    """What is known of the scores of a side: those of a fit, not its distributions."""
    if isinstance(value, SupportedPair) and isinstance(value.scores, ScoreData):
        return value.scores._distributions
    return model.client, model.impostor


# ---------------------------------------------------------------------- what is drawn
def empirical_laws(model: ScoreModel, name: str) -> tuple[Empirical, Empirical]:
    """Both distributions of a side that can be resampled: scores with whole weights."""
    client, impostor = model.client, model.impostor
    if not is_counted(client) or not is_counted(impostor):
        _refuse_model(model, name)
    refuse_fractional_weights(client.weights, f"{name} {CLIENT}")
    refuse_fractional_weights(impostor.weights, f"{name} {IMPOSTOR}")
    return client, impostor


def _refuse_model(model: ScoreModel, name: str) -> NoReturn:
    kinds = f"{type(model.client).__name__} and {type(model.impostor).__name__} distributions"
    other = worded(' or take `resample="test"`') if name == "dev" else ""
    raise InputError.about(name)(
        f"{name} must be scores to be resampled; got a model of {kinds}, which has no rows to"
        f" draw. Give Scores as {name} of epc" + other + "."
    )


def observed_prior(e: EpcBase, name: str) -> bool:
    """Whether the prior of a side is the share of clients among its scores."""
    model, scores, fit = e._side(name)
    client, impostor = model.client, model.impostor
    if not is_counted(client) or not is_counted(impostor):
        return False
    # A model, other than that of a summary, states its prior.
    stated = scores is None and fit is None
    if e.prior_given or (stated and not is_binned(client)):
        return False
    return model.prior == client.total / (client.total + impostor.total)


def side_trials(e: EpcBase, name: str) -> ScoredTrials:
    """The scores of an empirical side, with its groups if it has any."""
    model, scores, fit = e._side(name)
    if scores is not None:
        return scores._trials
    if fit is not None and isinstance(fit.scores, Scores):
        return fit.scores._trials
    if not decides_by_counts(model._pair):
        _refuse_model(model, name)
    laws = model._pair.client, model._pair.impostor
    return Trials(*(law.values for law in laws), *(law.weights for law in laws))


def side_groups(e: EpcBase, name: str, *, groups: bool) -> Groups | None:
    """What the trials of a side depend on; None where they are independent, or taken as such."""
    _, scores, fit = e._side(name)
    data = fit.scores if scores is None and fit is not None else scores
    return groups_of(data) if groups else None


#: Measures as they stand in a sentence.
_SHORT = {"far": FAR, "frr": FRR, "tpr": TPR, "tnr": TNR, "hter": HTER, "mcc": "MCC"}


def inside(alpha: FloatArray, used: tuple[float, float]) -> BoolArray:
    """Which alphas lie in a range."""
    return np.asarray((alpha >= used[0] - SAME_ALPHA) & (alpha <= used[1] + SAME_ALPHA))


def larger_is_better(measure: str) -> bool:
    """The direction of a measure; a weighted error is better small."""
    known = MEASURES.get(measure)
    return known is not None and known.larger_is_better


def short_measure(measure: str) -> str:
    """A measure as it stands in a sentence."""
    return _SHORT.get(measure, measure_title(measure))
