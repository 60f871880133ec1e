"""Numbers beside the references of this folder: what is computed of a row, and how far it is off.

A row is arguments, then reference values as decimal strings, which may have more digits than a
double holds and lie outside its range. A check computes the values of a row anew and compares
them; what a double cannot hold is not compared, its logarithm is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from betaroc.core.notices import collected
from betaroc.core.polygamma import phi_tau
from betaroc.core.special import log_beta, log_beta_ratio, share_ends
from betaroc.data.scores import Scores
from betaroc.decision.epc import epc
from betaroc.distributions.base import Distribution
from betaroc.distributions.beta import Beta
from betaroc.distributions.inflated import Inflated
from betaroc.distributions.mixture import BetaMixture, NormalMixture
from betaroc.distributions.normal import LogitNormal, Normal
from betaroc.distributions.spliced import ParetoTail, Spliced
from betaroc.estimation.families import FAMILIES
from betaroc.estimation.tails import fit_tail, penalised
from betaroc.fits.fit import fit_distribution
from betaroc.inference.auc import auc_interval
from betaroc.model.model import ScoreModel

#: More no comparison of two doubles shows.
DIGITS_OF_A_DOUBLE = 16.0
#: Smaller and larger numbers are compared by their logarithms.
_LEAST, _MOST = 1e-300, 1e300
#: The standard normal quantile of .75, by which an interval of level .5 is as long.
_HALF = 0.6744897501960817


class Error(NamedTuple):
    """How far a number is off: relatively, of logarithms and places at most absolutely."""

    number: str
    value: float


Off = Callable[[float, float], float]


class Check(NamedTuple):
    """What is computed of a row: its first entries are given, the others are compared."""

    title: str
    arguments: int
    numbers: Mapping[str, Off]
    compute: Callable[..., Sequence[float]]


def digits_of(error):
    """Correct decimal digits; 0 and less where none is."""
    if math.isnan(error) or math.isinf(error):
        return -math.inf
    return min(-math.log10(error), DIGITS_OF_A_DOUBLE) if error > 0.0 else DIGITS_OF_A_DOUBLE


def errors_of_row(check, row):
    """Every number of a row that has a reference."""
    with collected():
        found = check.compute(*row[: check.arguments])
    given = row[check.arguments :]
    for (name, measure), value, reference in zip(check.numbers.items(), found, given, strict=True):
        if reference is not None:
            error = measure(float(value), float(reference))
            if error >= 0.0 or math.isnan(value):
                yield Error(name, error if error >= 0.0 else math.inf)


def _relative(found, true):
    """Of a number that a double holds with all its digits; -1 of others."""
    if math.isinf(true) or not _LEAST < abs(true) < _MOST:
        return -1.0
    return abs(found - true) / abs(true)


def _place(found, true):
    """Of a number that may be any and passes through 0: relative to 1 at least."""
    if math.isinf(true):
        return 0.0 if found == true else math.inf
    return abs(found - true) / max(1.0, abs(true))


def _six(law, x):
    return [float(f(x)) for f in (law.pdf, law.cdf, law.sf, law.logpdf, law.logcdf, law.logsf)]


_SIX = {
    "pdf": _relative, "cdf": _relative, "sf": _relative,
    "log pdf": _place, "log cdf": _relative, "log sf": _relative,
}  # fmt: skip


def _quantile(law, which, p):
    invert = law._lower_quantile if which == "ppf" else law._upper_quantile
    return invert(np.array(p), np.array(math.log(p)))


def _inverted(law, which, p):
    """The logit, and by how much its tail is not p again."""
    place = _quantile(law, which, p)
    tail = (law._lower if which == "ppf" else law._upper)(place)[0]
    return float(place.logit), abs(float(tail) / p - 1.0)


def _mixture(weights, shapes, kinds=(BetaMixture, Beta)):
    return kinds[0](tuple(weights), tuple(kinds[1](*one) for one in shapes))


def _pareto(shape, scale, x, log_rate):
    tail = ParetoTail(1.0, shape, scale)
    found = tail._log_rate(x), tail._log_density(x), tail._distance(log_rate)
    return [float(one) for one in found]


def _spliced(a, b, mass, shape, scale, x):
    law = Spliced(Beta(a, b), upper=ParetoTail(mass, shape, scale))
    return [float(law.logsf(x))]


def _polygamma(x):
    phi, tau = phi_tau(x)
    return [float(phi), float(tau), float(phi + math.log(x)), float(tau + 1.0 / x)]


def _beta_fit(scores, weights):
    fit = fit_distribution(scores, "beta", weights=weights)
    a, b = fit.params.values()
    spread = fit.cov[0, 0], fit.cov[0, 1], fit.cov[1, 1]
    return [a, b, *map(float, spread), fit.log_likelihood]


def _mixture_fit(kind, scores, components):
    """Parameters, their variances and the log-likelihood; nan where there is no third component."""
    fit = fit_distribution(scores, kind, components=components)
    values, spread = list(fit.params.values()), np.diag(fit.cov).tolist()
    none = [math.nan] * (8 - len(values))
    return [*values, *none, *spread, *none, fit.log_likelihood]


def _tail_fit(excesses):
    """Of excesses over a joint at 0, in one class of ten times as many scores."""
    x = np.array(excesses)
    fit = fit_tail(0.0, x, np.ones(x.size), 10.0 * x.size)
    at = np.array(fit.shape), np.array(math.log(fit.scale))
    return [fit.shape, fit.scale, float(penalised(x, fit.weights, *at))]


def _area(client, impostor):
    found = auc_interval(Scores(client, impostor), 0.5, method="delong")
    return [found.estimate, (found.high - found.low) / (2.0 * _HALF)]


def _law(given):
    """Of shapes, of a kind and its parameters, or of shapes with masses at the ends."""
    if isinstance(given, Mapping):
        return Inflated(Beta(given["a"], given["b"]), given["at_zero"], given["at_one"])
    if isinstance(given[0], str):
        kind = FAMILIES[given[0]].law
        return cast(Distribution, kind(*given[1:]))
    return Beta(*given)


@lru_cache(maxsize=16)
def _known(client, impostor, prior):
    return ScoreModel(_law(json.loads(client)), _law(json.loads(impostor)), prior=prior)


def _model(client, impostor, prior=0.5):
    return _known(json.dumps(client), json.dumps(impostor), prior)


def _threshold(point, model):
    unit = model.client.on_unit or model.impostor.on_unit
    return float(np.squeeze(point.logit_threshold if unit else point.threshold))


def _point(choose, value, client, impostor, prior=0.5):
    """A number of a point of a model, and its threshold."""
    model = _model(client, impostor, prior)
    point = choose(model)
    return [float(value(point)), _threshold(point, model)]


def _at_far(client, impostor, far):
    model = _model(client, impostor)
    point, roc = model.at_far(far), model.roc()
    rates = float(roc.tpr(far)), float(roc.slope(far))
    logs = (math.log(v) if v > 0.0 else -math.inf for v in rates)
    return [_threshold(point, model), float(point.far), *logs]


def _ends(client, impostor):
    found = _model(client, impostor).ends()
    both = found.at_zero, found.at_one
    return [v for e in both for v in (e.exponent, e.coefficient, e.semi_derivative)]


def _curve(client, impostor, prior, criterion, alpha):
    model = _model(client, impostor, prior)
    points = epc(model, model.generic(), criterion=criterion, alpha=[alpha]).points
    return [_threshold(points, model)]


_THRESHOLD = {"threshold": _place}
_INVERSE = {"logit": _place, "round trip": lambda found, true: abs(found - true)}

#: Every check by the name that blocks of references call it.
CHECKS = {
    "log-beta": Check("log of the beta function", 2, {"log": _place},
        lambda a, b: [log_beta(a, b)]),
    "log-beta-ratio": Check("log ratio of two beta functions", 4, {"log": _relative},
        lambda *v: [log_beta_ratio(*v)]),
    "polygamma": Check("digamma and trigamma", 1,
        {"digamma - log": _relative, "trigamma - 1/x": _relative, "digamma": _place,
         "trigamma": _relative}, _polygamma),
    "beta-tails": Check("beta distribution", 3, _SIX, lambda a, b, x: _six(Beta(a, b), x)),
    "normal-tails": Check("normal distribution", 3, _SIX,
        lambda mu, sigma, x: _six(Normal(mu, sigma), x)),
    "logit-normal-tails": Check("logit-normal distribution", 3, _SIX,
        lambda mu, sigma, x: _six(LogitNormal(mu, sigma), x)),
    "beta-mixture-tails": Check("mixture of beta distributions", 3, _SIX,
        lambda w, s, x: _six(_mixture(w, s), x)),
    "normal-mixture-tails": Check("mixture of normal distributions", 3, _SIX,
        lambda w, parts, x: _six(_mixture(w, parts, (NormalMixture, Normal)), x)),
    "pareto-tail": Check("generalised Pareto tail", 4,
        {"log sf": _relative, "log pdf": _place, "inverse": _relative}, _pareto),
    "spliced": Check("distribution with a Pareto tail", 6, {"log sf": _relative}, _spliced),
    "beta-inverse": Check("beta distribution, inverses", 4, _INVERSE,
        lambda a, b, *at: _inverted(Beta(a, b), *at)),
    "mixture-inverse": Check("mixture, inverses", 4, _INVERSE,
        lambda w, s, *at: _inverted(_mixture(w, s), *at)),
    "normal-inverse": Check("normal distribution, inverses", 2, {"z": _place},
        lambda *at: [float(_quantile(Normal(0.0, 1.0), *at).theta)]),
    "beta-mle": Check("fit of a beta distribution", 2,
        {"a": _relative, "b": _relative, "cov aa": _relative, "cov ab": _relative,
         "cov bb": _relative, "log likelihood": _place}, _beta_fit),
    "normal-mle": Check("fit of a normal distribution", 1, {"mu": _relative, "sigma": _relative},
        lambda x: list(fit_distribution(x, "normal").params.values())),
    "mixture-mle": Check("fit of a mixture", 3,
        {**{f"parameter {k}": _relative for k in range(1, 9)},
         **{f"variance {k}": _relative for k in range(1, 9)}, "log likelihood": _place},
        _mixture_fit),
    "tail-mle": Check("fit of a generalised Pareto tail", 1,
        {"shape": _place, "scale": _relative, "log likelihood": _place}, _tail_fit),
    "empirical-area": Check("AUC of scores", 2, {"AUC": _relative, "standard error": _relative},
        _area),
    "binomial-ends": Check("exact binomial interval", 3, {"low": _relative, "high": _relative},
        lambda *given: list(map(float, share_ends(*given)))),
    "auc": Check("AUC", 2, {"AUC": _relative, "1 - AUC": _relative},
        lambda c, i: [_model(c, i).auc(), _model(i, c).auc()]),
    "roc": Check("ROC at a FAR", 3,
        {"threshold": _place, "FAR": _relative, "log TPR": _place, "log slope": _place}, _at_far),
    "partial-auc": Check("partial AUC", 4, {"area": _relative},
        lambda c, i, *ends: [_model(c, i).partial_auc(*ends)]),
    "eer": Check("EER", 2, {"EER": _relative} | _THRESHOLD,
        lambda *pair: _point(ScoreModel.eer, lambda p: p.hter, *pair)),
    "ks": Check("KS", 2, {"KS": _relative}, lambda *pair: [_model(*pair).ks()]),
    "weighted-error": Check("least weighted error", 3, {"error": _relative} | _THRESHOLD,
        lambda c, i, alpha: _point(lambda m: m.min_weighted_error(alpha),
            lambda p: p.weighted_error(alpha), c, i)),
    "max-f": Check("largest F", 4, {"F": _relative} | _THRESHOLD,
        lambda c, i, prior, weight: _point(lambda m: m.max_f(weight),
            lambda p: p.f(weight), c, i, prior)),
    "break-even": Check("precision = recall", 3, {"precision": _relative} | _THRESHOLD,
        lambda *given: _point(ScoreModel.break_even, lambda p: p.precision, *given)),
    "average-precision": Check("average precision", 3, {"area": _relative},
        lambda *pair: [_model(*pair).average_precision()]),
    "ends": Check("ends of the ROC", 2,
        {f"{name} at {end}": _relative for end in ("zero", "one")
         for name in ("exponent", "coefficient", "semi-derivative")}, _ends),
    "epc": Check("thresholds of an EPC", 5, _THRESHOLD, _curve),
}  # fmt: skip
