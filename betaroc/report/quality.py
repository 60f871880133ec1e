"""Can a set's fit be believed? The check of it, the other families, the audit of the ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from betaroc.core.arrays import CLASSES
from betaroc.core.errors import BetarocError
from betaroc.core.notices import quietly
from betaroc.core.text import sentence
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import Value, fields_of
from betaroc.data.scores import ScoreData, Scores
from betaroc.data.summary import ScoreSummary
from betaroc.distributions.base import Distribution
from betaroc.distributions.empirical import is_binned
from betaroc.distributions.shifted import bounds_of
from betaroc.estimation.families import Names, family_text, has_shapes, named
from betaroc.fits.audit import Sensitivity, sensitivity, tail_words
from betaroc.fits.check import (
    CURVE_ONLY,
    TOLERANCE,
    FitCheck,
    FitStatus,
    check_fit,
    statuses_beside,
)
from betaroc.fits.family_choice import FamilyComparison, FamilyRow, TailRow, compare_families
from betaroc.fits.fit import DistributionFit, Fit
from betaroc.fits.target_checks import (
    GoodDownTo,
    TargetCheck,
    check_targets,
    good_down_to,
    rates_verdict,
    rates_words,
)
from betaroc.inference.counted_scores import whole_weights
from betaroc.model.distances import largest_distance, roc_distance
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import counted

if TYPE_CHECKING:
    from betaroc.report.score_set import ScoreSet

#: Score sets simulated for a check: p-values in steps of 1/200.
CHECK_REPLICATES = 199
#: A share of the sums that fit the distributions, carried by the extreme 1 % of a class: of a pure
#: power tail it is 0.01 (1 + log 100) = 5.6 %.
_CARRIED = 0.1
#: Relative change of a shape by another rule that is worth a table.
_MOVED = 0.1
#: How near to 0 or 1 a score is within reach of the usual rules.
_REACH = 1e-3
_NOT_ON_TEST = "a family is chosen on dev, and serves all sets"
_NONE_GOOD = GoodDownTo(None, None)
_POLICIES = {
    "squeeze": "scores were moved off 0 and 1",
    "censor": "scores beyond the edges were counted, not measured",
    "matlab": "scores beyond the edges were counted, not measured",
    "interval": "scores were counted in cells",
}


@dataclass(frozen=True, eq=False, repr=False)
class Quality(Value):
    """What speaks for and against the fit of one score set.

    Parameters
    ----------
    check : FitCheck or None
        Of the fit; None where there can be none, for the reason in `unchecked`.
    unchecked : str
        Why there is no check; else empty.
    families : FamilyComparison or None
        Of the scores; None for the reason in `uncompared`.
    uncompared : str
        Why families were not compared; else empty.
    recommended : str or pair of str
        The recommended family, or those of clients and of impostors: "empirical", the scores
        themselves, where none can be compared; empty for a test set, on which none is chosen.
    audit : Sensitivity or None
        Of a beta fit; None for the reason in `unaudited`.
    unaudited : str
        Why there is no audit; else empty.
    called_for : tuple of str
        Why the audit should be looked at; empty where no score is within reach of 0 or 1.
    level : float or None
        Confidence of the verdicts on the fit of a summary.
    bin_error : tuple of float or None
        Of a summary, what FAR and FRR can be off between borders of bins.
    targets : tuple of TargetCheck
        Default rates counted at the fit's own thresholds; empty where none can be.
    good_down_to : GoodDownTo
        The smallest of them down to which all are good.
    """

    check: FitCheck | None = None
    unchecked: str = ""
    families: FamilyComparison | None = None
    uncompared: str = ""
    recommended: Names = ""
    audit: Sensitivity | None = None
    unaudited: str = ""
    called_for: tuple[str, ...] = ()
    level: float | None = None
    bin_error: tuple[float, float] | None = None
    targets: tuple[TargetCheck, ...] = ()
    good_down_to: GoodDownTo = _NONE_GOOD

    @property
    def tails(self) -> list[str]:
        """What the extreme scores say of the ends where Hill's estimate is far from the fit."""
        return tail_words(self.audit)


def quality_of(
    given: ScoreData,
    fit: Fit | None,
    level: float,
    rng: Any,
    *,
    choose: bool = True,
    compared: FamilyComparison | str | None = None,
) -> Quality:
    """Everything that can be said; ``fit`` is None where no distributions were fitted.

    Unless `choose`, families are not compared; `compared` is their comparison, or why there is
    none, where the fit was chosen by it.
    """
    if isinstance(given, ScoreSummary):
        return _of_summary(given, fit, level, choose=choose)
    scores = given._as_scores()
    check, unchecked = None, _uncheckable(scores, fit)
    if fit is not None and not unchecked:
        check, unchecked = _tried(
            lambda: check_fit(fit, replicates=CHECK_REPLICATES, level=level, rng=rng)
        )
    targets = _counted(fit, level) if check is None else check.targets
    families: FamilyComparison | None = None
    uncompared, best = _NOT_ON_TEST, cast(Names, "")
    if choose:
        if isinstance(compared, FamilyComparison):
            families, uncompared = compared, ""
        elif compared is None:
            bounds = None if fit is None else bounds_of(fit.client.distribution)
            families, uncompared = _tried(lambda: compare_families(scores, bounds=bounds))
        else:
            uncompared = compared
        best = "empirical" if families is None else named(families.recommended)
    audit, unaudited = None, _unauditable(scores, fit)
    if fit is not None and not unaudited:
        audit, unaudited = _tried(lambda: sensitivity(fit))
    called = () if audit is None else _called_for(scores, audit)
    return Quality(
        check, unchecked, families, uncompared, best, audit, unaudited, called,
        targets=targets, good_down_to=good_down_to(targets),
    )  # fmt: skip


def _counted(fit: Fit | None, level: float) -> tuple[TargetCheck, ...]:
    """The rates of a fit that cannot be simulated; none where weights are no counts."""
    return () if fit is None else _tried(lambda: check_targets(fit, level=level))[0] or ()


def _of_summary(given: ScoreSummary, fit: Fit | None, level: float, *, choose: bool) -> Quality:
    """Of sums and counts only the distances of the distributions can be judged."""
    why = "it needs every score, which a summary does not keep"
    targets = _counted(fit, level)
    return Quality(
        unchecked="no distributions were fitted" if fit is None else why,
        uncompared=why if choose else _NOT_ON_TEST,
        unaudited=why,
        level=None if fit is None else level,
        bin_error=None if fit is None else given.rate_error,
        targets=targets,
        good_down_to=good_down_to(targets),
    )


def _tried(make: Callable[[], Any]) -> tuple[Any, str]:
    """What was made, or why not; its warnings were given with the fit."""
    try:
        with quietly():
            return make(), ""
    except BetarocError as error:
        return None, str(error)


def _uncheckable(scores: Scores, fit: Fit | None) -> str:
    if fit is None:
        return "no distributions were fitted"
    for who in CLASSES:
        rule = getattr(fit, who).boundary
        if rule is not None and rule.policy in _POLICIES:
            return f"{_POLICIES[rule.policy]}, while the check draws scores as they come"
    return "" if whole_weights(scores) else "weights are no whole numbers of copies"


def _unauditable(scores: Scores, fit: Fit | None) -> str:
    if fit is None:
        return "no distributions were fitted"
    if not has_shapes(fit.family):
        return f"only beta fits can be; these are of {family_text(fit.family)}"
    return "" if whole_weights(scores) else "weights are no whole numbers of copies"


def _called_for(scores: Scores, audit: Sensitivity) -> tuple[str, ...]:
    """Whether what is done near 0 and 1 matters here, and how it shows."""
    values = np.concatenate([scores.client, scores.impostor])
    reasons = []
    ends = int(np.sum((values == 0.0) | (values == 1.0)))
    if ends:
        reasons.append(f"{counted(ends, 'score')} of exactly 0 or 1")
    near = (values < _REACH) | (values > 1.0 - _REACH)
    moved = _largest_move(audit)
    if moved is not None and (bool(near.any()) or ends):
        policy, change = moved
        reasons.append(f"the rule {policy} changes a shape by {100.0 * change:.0f} %")
    heavy = [tail for tail in audit.tails if tail.carried > _CARRIED]
    if heavy:
        worst = max(heavy, key=lambda tail: tail.carried)
        reasons.append(
            f"the extreme 1 % of the {worst.who} scores {worst.end.replace('_', ' ')} carry"
            f" {100.0 * worst.carried:.0f} % of the sum that fits the distribution there (of a"
            " pure power"
            " tail 5.6 %)"
        )
    return tuple(reasons)


def _largest_move(audit: Sensitivity) -> tuple[str, float] | None:
    """The rule that changes a shape most, and by what share, where it is worth a table."""
    own = audit.policies[0]
    moves = [
        (abs(new / old - 1.0), row.policy)
        for row in audit.policies[1:]
        for new, old in zip(row[1:5], own[1:5], strict=True)
        if old > 0.0 and math.isfinite(new)
    ]
    change, policy = max(moves, default=(0.0, ""))
    return (policy, change) if change > _MOVED else None


# ----------------------------------------------------------------------------- verdicts
def statuses(part: ScoreSet) -> list[FitStatus]:
    """The verdicts on the ROC and on the rates; none where a fit was not to be checked."""
    found = part.quality
    if found is None:
        return []
    if found.check is not None:
        return found.check._statuses()
    words = sentence(rates_words(found.targets, found.good_down_to))
    rates = FitStatus("rates at a threshold", rates_verdict(found.targets), words)
    if found.bin_error is None or part.distances is None:
        roc = FitStatus("ROC", "not checked", sentence(found.unchecked))
        return [roc, *[rates] * bool(found.targets)]
    # Of counts by what chance and bins allow in general; a ROC is off by no more than rates.
    off, noise = part.distances.roc, max(_chance(part.scored.scores, found.level or 0.95))
    words = (
        f"the fitted ROC is {off:.4f} from the one counted (by chance {noise:.4f}, within bins"
        f" {max(found.bin_error):.4f} more); tolerance {TOLERANCE:g}. No p-values and no pictures"
        " of single scores: they need every score, which a summary does not keep."
    )
    roc = FitStatus("ROC", _verdict(off, noise, max(found.bin_error)), words)
    return statuses_beside(roc, rates)


def class_verdicts(scores: Scores, off: tuple[float, float], level: float) -> tuple[str, str]:
    """Of each class, client first, by the distance of its distribution from the scores alone."""
    client, impostor = map(_verdict, off, _chance(scores, level))
    return client, impostor


def _chance(scores: Scores, level: float) -> list[float]:
    """How far each class alone is off by chance (Dvoretzky, Kiefer and Wolfowitz)."""
    totals = (scores.client_total, scores.impostor_total)
    return [math.sqrt(math.log(2.0 / (1.0 - level)) / (2.0 * total)) for total in totals]


def _verdict(off: float, noise: float, coarse: float = 0.0) -> str:
    """Whether a distance is within the tolerance, whatever chance and bins did."""
    if off + noise + coarse <= TOLERANCE:
        return "good"
    return "poor" if off - noise > TOLERANCE else "cannot tell"


# ----------------------------------------------------------------------------- for JSON
def quality_numbers(part: ScoreSet, found: Quality) -> dict[str, Any]:
    """The check, the families and the audit."""
    families, audit = found.families, found.audit
    compared: dict[str, Any] = {"recommended": found.recommended or None, "table": [], "tails": [],
                                "reason": found.uncompared, "left_out": []}  # fmt: skip
    if families is not None:
        compared |= {
            "recommended": found.recommended,
            "reason": families.reason,
            "table": [_with_class(row) for row in families.rows],
            "tails": [_with_class(row) for row in families.tails],
            "roc_distance": families.roc_distance,
            "left_out": [dict(zip(("class", "family", "reason"), row, strict=True))
                         for row in families.left_out],
        }  # fmt: skip
    audited: dict[str, Any] = {"reason": found.unaudited, "called_for": [], "policies": [],
                               "tails": [], "extreme_scores": []}  # fmt: skip
    if audit is not None:
        audited = {
            "reason": "",
            "called_for": list(found.called_for),
            "policies": [row._asdict() for row in audit.policies],
            "refused": list(audit.refused),
            "tails": [tail._asdict() for tail in audit.tails],
            "extreme_scores": found.tails,
        }
    return {"fit_quality": _check_numbers(part, found), "families": compared,
            "sensitivity": audited}  # fmt: skip


def _with_class(row: FamilyRow | TailRow) -> dict[str, Any]:
    return {("class" if name == "who" else name): value for name, value in asdict(row).items()}


def _check_numbers(part: ScoreSet, found: Quality) -> dict[str, Any]:
    """The verdict on the curve, that on the rates, the counts at thresholds."""
    check = found.check
    counted_ = {"targets": [t._asdict() for t in found.targets],
                "good_down_to": found.good_down_to._asdict()}  # fmt: skip
    if check is None and found.bin_error is None:
        verdict = rates_verdict(found.targets) if found.targets else None
        return {"verdict": None, "reason": found.unchecked, "status": verdict, **counted_}
    roc, rates = statuses(part)
    order = ("good", "cannot tell", CURVE_ONLY, "poor")
    said = {
        "verdict": "good" if roc.verdict == CURVE_ONLY else roc.verdict,
        "reason": roc.words if check is None else check.reason,
        "status": max(rates.verdict, roc.verdict, key=order.index),
        "rates_at_a_threshold": {"verdict": rates.verdict, "reason": rates.words},
        **counted_,
    }
    if check is None or check.roc_distance is None:
        return {**said, "tolerance": TOLERANCE, "level": found.level}
    tests = {
        name: {who: getattr(getattr(check, name), who)._asdict() for who in CLASSES}
        for name in ("ks", "cvm", "ad", "information")
    }
    distance = {"roc_distance": check.roc_distance._asdict(), "tests": tests}
    return {**said, **distance, **fields_of(check, "tolerance", "level", "replicates")}


# ---------------------------------------------------------- how far a fit is from its scores
@dataclass(frozen=True, eq=False, repr=False)
class Distances(Value):
    """How far fitted distributions and curve are from the scores; 0 is agreement.

    Parameters
    ----------
    client, impostor : float
        Kolmogorov-Smirnov distance sup abs(F_fitted - F_scores) of each class.
    roc : float
        Largest distance between fitted and empirical ROC in FAR and TPR alike,
        along the lines FAR + TPR = constant; never more than the larger of the two.
    """

    client: float
    impostor: float
    roc: float


def distances(fit: Fit, empirical: ScoreModel) -> Distances:
    """How far the fit is from its scores."""
    return Distances(
        class_distance(fit.client, empirical.client),
        class_distance(fit.impostor, empirical.impostor),
        roc_distance(fit.model, empirical),
    )


def class_distance(result: DistributionFit, sample: Distribution) -> float:
    """The distance of a class; of scores in cells at the edges, as what lies within is unknown."""
    rule = result.boundary
    if is_binned(sample):  # of which only counts up to borders are known
        gaps = np.abs(result.distribution.cdf(sample.edges) - sample.cdf(sample.edges))
        return float(np.max(gaps))
    if rule is None or rule.policy != "interval" or rule.resolution is None:
        return _ks(result.distribution, sample)
    edges = (np.rint(sample.atoms.places / rule.resolution) + 0.5) * rule.resolution
    edges = edges[edges < result.distribution.support[1]]
    gaps = np.abs(result.distribution.cdf(edges) - sample.cdf(edges))
    return float(np.max(gaps, initial=0.0))


def shift(dev: ScoreModel, test: ScoreModel) -> tuple[float, float]:
    """Two-sample distances, class by class."""
    return (ScoreModel(dev.client, test.client).ks(), ScoreModel(dev.impostor, test.impostor).ks())


def _ks(law: Distribution, sample: Distribution) -> float:
    """sup abs(F - F_n)."""
    places = np.union1d(sample.atoms.places, law.atoms.places)
    upto = np.asarray(sample.cdf(places))
    below = upto - sample.atoms.masses_at(Thresholds.from_theta(places))
    return largest_distance(law, places, upto, below)
