"""Operating points, and every measure of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import BoolArray, FloatArray, as_output
from betaroc.core.checks import finite, flag, fraction, frozen, probability_array, real_array
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.tables import Table, table_of
from betaroc.core.thresholds import BELOW_ONE, Thresholds, choose, mirror
from betaroc.core.value import Result
from betaroc.core.vocabulary import PRECISION, TITLE_SLOT, Terms, worded
from betaroc.distributions.pairs import Pair
from betaroc.rendering.nouns import Exportable

#: What tables and metrics say of a point.
_TOLD = ("threshold", "logit_threshold", "far", "frr", "tpr", "tnr", "prior", "extrapolated")


@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoint(Result, Exportable):
    """Error rates at a fixed threshold and what follows from them.

    Parameters
    ----------
    threshold : float or ndarray
        Accept iff score > threshold; of distances iff score < threshold.
    far, frr : float or ndarray
        P(I > threshold) and P(C <= threshold), fractions.
    prior : float
        P(client) in [0, 1].
    logit_threshold : float or ndarray
        log(threshold / (1 - threshold)) with all digits; nan off the scale [0, 1].
    tpr, tnr : float or ndarray, optional
        The complements in their own precision; 1 - frr and 1 - far if left out.
    n_beyond : tuple of (float or ndarray), optional
        Client and impostor scores (groups) that speak for FRR and FAR, n min(rate, 1 - rate);
        None where no data are known.
    extrapolated : bool or ndarray
        Whether less than one score is expected beyond a rate that was solved for or fitted.
    lower_is_client : bool
        Whether accepted is what is below the threshold, as of distances.

    Notes
    -----
    Indexing and iterating over an array of points yields points. A measure that is 0/0 is nan.

    References
    ----------
    Murphy, K. P. (2007), Performance evaluation of binary classifiers, (6) to (16).
    IDIAP-RR 03-85, (2) to (16).

    Examples
    --------
    >>> from betaroc import OperatingPoint
    >>> round(OperatingPoint(threshold=0.5, far=0.1, frr=0.2, prior=0.25).precision, 6)
    0.727273
    """

    threshold: Any
    far: Any
    frr: Any
    prior: float = 0.5
    logit_threshold: Any = math.nan
    tpr: Any = None
    tnr: Any = None
    n_beyond: Any = None
    extrapolated: Any = False
    _extra_fields = ("lower_is_client",)
    lower_is_client: bool = False

    @classmethod
    def _document_types(cls) -> dict[str, Any]:
        number = float | FloatArray
        rates = dict.fromkeys(("threshold", "logit_threshold", "far", "frr", "tpr", "tnr"), number)
        more = {"n_beyond": tuple[number, number] | None, "extrapolated": bool | BoolArray}
        return super()._document_types() | rates | more

    #: Where the point lies, with all digits; `threshold` and `logit_threshold` are read off it.
    thresholds: Thresholds = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", fraction(self.prior, "prior"))
        flag(self.lower_is_client, "lower_is_client")
        value, logit = self.threshold, self.logit_threshold
        t = value if isinstance(value, Thresholds) else None
        place = real_array(value, "threshold") if t is None else t.theta
        arrays = {
            "threshold": place if t is None else np.asarray(mirror(place, self.lower_is_client)),
            "logit_threshold": real_array(logit, "logit_threshold") if t is None else t.logit,
            "far": probability_array(self.far, "far"),
            "frr": probability_array(self.frr, "frr"),
        }
        for name, other in (("tpr", "frr"), ("tnr", "far")):
            value = getattr(self, name)
            value = 1.0 - arrays[other] if value is None else value
            arrays[name] = probability_array(value, name)
        try:
            shape = np.broadcast_shapes(*{a.shape for a in arrays.values()})
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise refusal("threshold and rates", "have one shape", shapes) from None
        arrays = {name: frozen(np.array(np.broadcast_to(a, shape))) for name, a in arrays.items()}
        theta, logit = arrays["threshold"], arrays["logit_threshold"]
        theta = frozen(np.asarray(mirror(theta, self.lower_is_client)))
        t = Thresholds.from_both(theta, logit) if t is None else t
        complement = frozen(np.array(np.broadcast_to(t.complement, shape)))
        object.__setattr__(self, "thresholds", Thresholds(theta, complement, logit))
        for name, array in arrays.items():
            object.__setattr__(self, name, as_output(array))

    @classmethod
    def _of_rates(cls, t: Thresholds, rates: Any, prior: float, lower: bool = False) -> Self:
        table = np.array(rates)
        if ((table < 0.0) | (table > 1.0)).any():
            far, frr, tpr, tnr = rates
            # The constructor says what is wrong.
            return cls(t, far, frr, prior, tpr=tpr, tnr=tnr, lower_is_client=lower)
        point = object.__new__(cls)
        t = Thresholds(*(frozen(np.array(values)) for values in (t.theta, t.complement, t.logit)))
        values = map(as_output, frozen(table)) if t.shape else table.tolist()
        result = dict(zip(("far", "frr", "tpr", "tnr"), values, strict=True))
        result |= {"threshold": as_output(mirror(t.theta, lower)), "lower_is_client": lower}
        result |= {"logit_threshold": as_output(t.logit)}
        result |= {"prior": prior, "n_beyond": None, "extrapolated": False, "thresholds": t}
        for name, value in result.items():
            object.__setattr__(point, name, value)
        return point

    def __len__(self) -> int:
        if not self.thresholds.shape:
            raise InputTypeError("a single point has no length, as model.at([0.1, 0.2]) has.")
        return self.thresholds.size

    def __iter__(self) -> Iterator[OperatingPoint]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: Any) -> OperatingPoint:
        def take(values: Any) -> Any:
            return as_output(np.asarray(values)[index])

        t = self.thresholds
        beyond = None if self.n_beyond is None else tuple(map(take, self.n_beyond))
        flags = np.broadcast_to(self.extrapolated, t.shape)[index]
        return OperatingPoint(
            t[index], take(self.far), take(self.frr), self.prior, tpr=take(self.tpr),
            tnr=take(self.tnr), n_beyond=beyond, extrapolated=flags if flags.ndim else bool(flags),
            lower_is_client=self.lower_is_client,
        )  # fmt: skip

    def to_frame(self) -> Table:
        """Return a table, one row per point.

        Returns
        -------
        pandas.DataFrame
            Columns threshold, logit_threshold, far, frr, tpr, tnr, prior, extrapolated, and
            n_beyond_client and n_beyond_impostor, nan where no data are known.

        Examples
        --------
        >>> OperatingPoint([0.4, 0.5], far=[0.2, 0.1], frr=[0.1, 0.2]).to_frame()["far"].tolist()
        [0.2, 0.1]
        """
        columns = {name: getattr(self, name) for name in _TOLD} | self._beyond()
        shape = self.thresholds.shape
        return table_of({k: np.broadcast_to(v, shape).ravel() for k, v in columns.items()})

    def _beyond(self) -> dict[str, Any]:
        held = (math.nan, math.nan) if self.n_beyond is None else self.n_beyond
        return dict(zip(("n_beyond_client", "n_beyond_impostor"), held, strict=True))

    def _metrics(self) -> dict[str, Any]:
        if self.thresholds.shape:
            return {"prior": self.prior}
        return {n: getattr(self, n) for n in _TOLD} | self._beyond() | self._derived()

    def _derived(self) -> dict[str, Any]:
        if self.thresholds.shape:
            return {}
        return {"hter": self.hter, "precision": self.precision, "f1": self.f1}

    sensitivity = property(lambda self: self.tpr, doc="TPR, the share of clients accepted.")
    recall = property(lambda self: self.tpr, doc="TPR, the share of clients accepted.")
    specificity = property(lambda self: self.tnr, doc="TNR, the share of impostors rejected.")
    fpr = property(lambda self: self.far, doc="FAR.")
    fnr = property(lambda self: self.frr, doc="FRR.")

    @property
    def hter(self) -> Any:
        """Half total error rate (FAR + FRR) / 2."""
        return 0.5 * (self.far + self.frr)

    @property
    def youden(self) -> Any:
        """TPR - FAR, in [-1, 1]."""
        upper = np.asarray(self.tpr) + np.asarray(self.far) <= 1.0
        return as_output(np.where(upper, self.tpr - self.far, self.tnr - self.frr))

    @property
    def precision(self) -> Any:
        """P(client | accepted) = prior TPR / (prior TPR + (1 - prior) FAR); nan at 0/0."""
        return as_output(precision_of(self.prior, self.tpr, self.far))

    @property
    def npv(self) -> Any:
        """P(impostor | rejected) = (1 - prior) TNR / ((1 - prior) TNR + prior FRR); nan at 0/0."""
        return as_output(precision_of(1.0 - self.prior, self.tnr, self.frr))

    @property
    def lr_plus(self) -> Any:
        """Likelihood ratio of an acceptance, TPR / FAR; inf of a FAR of 0, nan at 0/0."""
        return _ratio(self.tpr, self.far)

    @property
    def lr_minus(self) -> Any:
        """Likelihood ratio of a rejection, FRR / TNR; inf of a TNR of 0, nan at 0/0."""
        return _ratio(self.frr, self.tnr)

    @property
    def accuracy(self) -> Any:
        """prior TPR + (1 - prior) TNR."""
        return self.prior * self.tpr + (1.0 - self.prior) * self.tnr

    @property
    def f1(self) -> Any:
        """Harmonic mean of precision and recall; 0 where nothing is accepted rightly."""
        return self.f(0.5)

    @property
    def mean_precision_recall(self) -> Any:
        """(precision + recall) / 2."""
        return 0.5 * (self.precision + self.recall)

    @property
    def mcc(self) -> Any:
        """Matthews correlation of decision and class; nan at 0/0."""
        accepted = self.prior * self.tpr + (1.0 - self.prior) * self.far
        rejected = self.prior * self.frr + (1.0 - self.prior) * self.tnr
        # sqrt of each factor by itself: the product underflows first.
        scale = np.sqrt(accepted) * np.sqrt(rejected)
        return _ratio(math.sqrt(self.prior * (1.0 - self.prior)) * self.youden, scale)

    @property
    def mutual_information(self) -> Any:
        """Mutual information of decision and class in nats, Murphy's (16)."""
        p, q = self.prior, 1.0 - self.prior
        accepted = p * self.tpr + q * self.far
        rejected = p * self.frr + q * self.tnr
        rates, marginals = (self.tpr, self.far, self.frr, self.tnr), (accepted, rejected)
        total = sum(map(_information, (p, q, p, q), rates, np.repeat(marginals, 2, axis=0)))
        return as_output(np.maximum(total, 0.0))

    def f(self, weight: float = 0.5) -> Any:
        """F measure 1 / (weight / precision + (1 - weight) / recall).

        Parameters
        ----------
        weight : float
            Weight of precision in [0, 1]; 0.5 gives F1, 1 / (1 + beta^2) gives F_beta.

        Returns
        -------
        float or ndarray
            In [0, 1]; 0 where no client is accepted (the limit).

        Examples
        --------
        >>> round(OperatingPoint(0.5, far=0.1, frr=0.2, prior=0.25).f(), 6)  # 16/21
        0.761905
        """
        weight = fraction(weight, "weight")
        true = self.prior * self.tpr
        called = true + (1.0 - self.prior) * self.far
        return _ratio(true, weight * called + (1.0 - weight) * self.prior)

    def dcf(self, cost_fa: float = 1.0, cost_fr: float = 1.0, *, normalized: bool = False) -> Any:
        """Detection cost cost_fr prior FRR + cost_fa (1 - prior) FAR.

        Parameters
        ----------
        cost_fa, cost_fr : float
            Costs >= 0 of a false acceptance and of a false rejection.
        normalized : bool
            Divided by min(cost_fa (1 - prior), cost_fr prior): 1 is what needs no scores.

        Returns
        -------
        float or ndarray
            In the unit of the costs; normalized it may exceed 1, and is nan or inf where one of the
            two decisions costs nothing.

        Examples
        --------
        >>> point = OperatingPoint(0.5, far=0.1, frr=0.2, prior=0.25)
        >>> round(point.dcf(cost_fa=10, normalized=True), 12)  # accepting nobody costs 0.25
        3.2
        """
        cost_fa, cost_fr = checked_cost(cost_fa, "cost_fa"), checked_cost(cost_fr, "cost_fr")
        all_in, none_in = cost_fa * (1.0 - self.prior), cost_fr * self.prior
        cost = none_in * self.frr + all_in * self.far
        return _ratio(cost, min(all_in, none_in)) if flag(normalized, "normalized") else cost

    def net_benefit(self, probability: float) -> Any:
        """prior TPR - (1 - prior) FAR probability / (1 - probability).

        Parameters
        ----------
        probability : float
            Of a client from which on to accept, in [0, 1): its odds are what a false acceptance
            costs, in units of what is gained by a right one.

        Returns
        -------
        float or ndarray
            At most the prior, in right acceptances per trial: prior - dcf(odds).

        Examples
        --------
        >>> round(OperatingPoint(0.5, far=0.1, frr=0.2, prior=0.25).net_benefit(0.5), 12)
        0.125
        """
        odds = checked_odds(probability)
        return self.prior * self.tpr - (1.0 - self.prior) * self.far * odds

    def weighted_error(self, alpha: float) -> Any:
        """alpha FAR + (1 - alpha) FRR, the criterion of expected performance curves.

        Parameters
        ----------
        alpha : float
            Weight of FAR in [0, 1].

        Examples
        --------
        >>> round(OperatingPoint(0.5, far=0.1, frr=0.2).weighted_error(0.3), 12)
        0.17
        """
        alpha = fraction(alpha, "alpha")
        return alpha * self.far + (1.0 - alpha) * self.frr


@dataclass(frozen=True)
class Measure:
    """A measure of an operating point, and which way is better."""

    value: Callable[[OperatingPoint], Any]
    title: str
    larger_is_better: bool = True
    low: float = 0.0
    high: float = 1.0


#: Every measure without a free parameter, by the name used everywhere.
MEASURES: dict[str, Measure] = {
    "far": Measure(lambda p: p.far, TITLE_SLOT["far"], False),
    "frr": Measure(lambda p: p.frr, TITLE_SLOT["frr"], False),
    "tpr": Measure(lambda p: p.tpr, TITLE_SLOT["tpr"]),
    "tnr": Measure(lambda p: p.tnr, TITLE_SLOT["tnr"]),
    "hter": Measure(lambda p: p.hter, TITLE_SLOT["hter"], False),
    "dcf": Measure(lambda p: p.dcf(), "detection cost", False),
    "dcf-normalized": Measure(
        lambda p: p.dcf(normalized=True), "normalized detection cost", False, high=math.inf
    ),
    "precision": Measure(lambda p: p.precision, PRECISION),
    "npv": Measure(lambda p: p.npv, "negative predictive value"),
    "lr+": Measure(lambda p: p.lr_plus, "positive likelihood ratio", high=math.inf),
    "lr-": Measure(lambda p: p.lr_minus, "negative likelihood ratio", False, high=math.inf),
    "recall": Measure(lambda p: p.recall, "recall"),
    "mean-precision-recall": Measure(
        lambda p: p.mean_precision_recall, "mean of precision and recall"
    ),
    "f1": Measure(lambda p: p.f1, "F1"),
    "sensitivity": Measure(lambda p: p.sensitivity, "sensitivity"),
    "specificity": Measure(lambda p: p.specificity, "specificity"),
    "accuracy": Measure(lambda p: p.accuracy, "accuracy"),
    "youden": Measure(lambda p: p.youden, "Youden's J", low=-1.0),
    "mcc": Measure(lambda p: p.mcc, "Matthews correlation", low=-1.0),
    "mutual-information": Measure(
        lambda p: p.mutual_information, "mutual information (nats)", high=math.log(2.0)
    ),
}


def measure_title(name: str) -> str:
    """A measure in words; of no other name the weighted error."""
    return MEASURES[name].title if name in MEASURES else "weighted error"


def is_rate(name: str) -> bool:
    """Whether the range of a measure is [0, 1]."""
    return name not in MEASURES or (MEASURES[name].low, MEASURES[name].high) == (0.0, 1.0)


def precision_of(prior: float, tpr: Any, far: Any) -> FloatArray:
    """Precision; nan where nothing is accepted."""
    true = np.asarray(prior * tpr, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(true / (true + (1.0 - prior) * far))


def checked_cost(value: float, name: str) -> float:
    """A finite cost >= 0."""
    cost = finite(value, name)
    if cost < 0.0:
        raise refusal(name, "be a cost >= 0", repr(value))
    return cost


def checked_odds(probability: float) -> float:
    """The odds of a probability below 1."""
    share = fraction(probability, "probability")
    if share == 1.0:
        raise refusal("probability", "lie in [0, 1)", repr(probability))
    return share / (1.0 - share)


def curve_table(points: OperatingPoint) -> Table:
    """A row per point of a curve."""
    names = ("threshold", "far", "frr", "tpr", "precision")
    return table_of({name: np.atleast_1d(getattr(points, name)) for name in names})


def rate_terms(terms: str, *pairs: Pair) -> Terms:
    """The words of a field for rates of trials."""
    words = checks.terms_of(terms)
    if words.name == "matching" and any(map(some_rejected, pairs)):
        raise InputError.about("terms")(
            'terms="matching" must be left out where trials without a score count as rejected: FMR'
            " and FNMR are rates of comparisons made. See model.fmr and model.fnmr, or leave these"
            + worded(" trials out (`missing='drop'`).")
        )
    return words


def some_rejected(pair: Pair) -> bool:
    """Whether some trials have no score."""
    everyone = Thresholds.from_theta(-np.inf)
    return bool(pair.frr(everyone) + pair.tnr(everyone) > 0.0)


def point_of(pair: Pair, t: Thresholds, prior: float, lower: bool = False) -> OperatingPoint:
    """The point at thresholds, each rate from its tail."""
    # "Just below 1" is a limit; the double to set is the last one before 1. So it is of what is
    # 1 by rounding alone where scores of exactly 1 have a probability: they shall be accepted.
    place, limit = t, t.logit == BELOW_ONE
    if limit.any():
        place = choose(limit, Thresholds.from_theta(np.nextafter(1.0, 0.0)), t)
    rounded = (place.theta == 1.0) & (place.logit < np.inf)
    laws = pair.client, pair.impostor
    if rounded.any() and pair.unit and any(1.0 in law.atoms.places for law in laws):
        theta = np.where(rounded, np.nextafter(1.0, 0.0), place.theta)
        place = Thresholds(theta, place.complement, place.logit)
    if not pair.unit:
        place = Thresholds(place.theta, place.complement, np.full(t.shape, np.nan))
    rates = pair.far(t), pair.frr(t), pair.tpr(t), pair.tnr(t)
    return OperatingPoint._of_rates(place, rates, prior, lower)


def _ratio(numerator: Any, denominator: Any) -> Any:
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        return as_output(np.asarray(numerator, dtype=np.float64) / np.asarray(denominator))


def _information(weight: float, rate: Any, marginal: Any) -> FloatArray:
    r, m = np.asarray(rate, dtype=np.float64), np.asarray(marginal, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((r > 0.0) & (weight > 0.0), weight * r * np.log(r / m), 0.0 * r)
