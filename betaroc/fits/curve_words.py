"""The ROC of a fit in sentences: where it lies, its ends, its shapes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from betaroc.core import errors, options, vocabulary
from betaroc.core.arrays import CLASSES
from betaroc.core.text import sentence
from betaroc.core.vocabulary import CLIENTS, FAR, FRR, IMPOSTORS, TPR, capital, template_of
from betaroc.data.groups import groups_of
from betaroc.estimation.families import is_of_counts, rows_of_names
from betaroc.fits import shape_tests
from betaroc.fits.fit import Fit
from betaroc.fits.shape_tests import CANNOT_TELL, CONTRADICTED, CurveTest, EndTests
from betaroc.model.areas import gaps
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import level_words, number, percent, threshold
from betaroc.rendering.tree import first_n

END_TITLES = {"at_zero": "at the low thresholds", "at_one": "at the high thresholds"}
_NOT_COMPUTED = "its uncertainty was not computed"
_REVERSED = f" If lower scores mean {vocabulary.CLIENT}, pass 1 - score or -score."
#: Probabilities nearer to 0 and 1 are shown as such.
_UNLIKELY = 0.0005
#: Shapes of the whole curve: where it lies.
_WHOLE = {
    "chance": "is the diagonal, chance at every threshold: the two distributions are the same",
    "proper": "lies above the diagonal",
    "below": "lies below the diagonal",
    "hook-at-zero": "lies below the diagonal at the low thresholds",
    "hook-at-one": "lies below the diagonal at the high thresholds",
    "several-crossings": "crosses the diagonal several times",
}
#: Shapes of the curve with the low, and with the high end above the diagonal.
_ABOVE = ({"proper", "hook-at-one"}, {"proper", "hook-at-zero"})
_SHAPES = {
    "U": "most scores near both ends", "bell": "one interior peak", "J": "scores pile up at 1",
    "reverse-J": "scores pile up at 0",
}  # fmt: skip
#: Shapes of a distribution with a > 1, and with b > 1.
_RISING = ({"J", "bell"}, {"reverse-J", "bell"})


# ------------------------------------------------------------------ the tests of a curve
@dataclass(frozen=True)
class CurveTests:
    """The tests of a fitted curve, and why some are refused."""

    fit: Fit
    level: float
    ends: EndTests | None
    curve: CurveTest | None
    shapes: Mapping[str, Mapping[str, float]] | None
    why: Mapping[str, str]
    counts: Mapping[str, str]

    @property
    def sizes(self) -> tuple[float, float]:
        return self.fit.client.total_weight, self.fit.impostor.total_weight

    @property
    def contradiction(self) -> str:
        """Why the fitted curve is not to be believed near an end."""
        if self.curve is not None:
            return self.curve.contradiction
        texts = self.counts.items()
        return "; ".join(f"{END_TITLES[end]} {text}" for end, text in texts if CONTRADICTED in text)

    @property
    def whole(self) -> Mapping[str, float]:
        """Probabilities of the whole curve, of normal distributions where scores are."""
        return {} if self.curve is None else self.curve.where_seen or self.curve.probabilities

    @property
    def cannot(self) -> str:
        """The words "cannot tell", with the level."""
        return f"cannot tell at {level_words(self.level)} confidence"

    def wanted(self, z: float, *, two_sided: bool = False) -> str:
        """How many scores would tell."""
        from scipy.special import ndtri

        tail = (1.0 - self.level) / (2.0 if two_sided else 1.0)
        goal = float(ndtri(1.0 - tail) + ndtri(options.POWER))
        times = (goal / z) ** 2 if z else math.inf
        if times > options.MOST_TIMES:
            return f"more than {number(options.MOST_TIMES)} times as many scores would be needed"
        groups = groups_of(self.fit.scores)
        client, impostor = (float(f"{times * n:.2g}") for n in self.sizes)
        dependent = groups is not None and groups.dependent
        more = f" in {number(times, 2)} times as many groups" if dependent else ""
        return (
            f"about {client:.0f} {CLIENTS} and {impostor:.0f} {IMPOSTORS}{more} would tell in"
            f" {number(10.0 * options.POWER)} of 10 cases"
        )


def curve_tests(fit: Fit, level: float) -> CurveTests:
    """Tests of the curve of a fit at a level."""
    fit = fit._scored
    tests, why = dict.fromkeys(("ends", "curve", "shapes")), dict[str, str]()
    counts = dict[str, str]()
    if untested := shape_tests.untested_ends(fit):
        why["all"] = untested
        for end in END_TITLES:
            side = getattr(fit.model.ends(), end).side
            silent = is_of_counts(fit.family) or side == "on"
            counts[end] = "" if silent else shape_tests.counts_at_end(fit, end, side)
        return CurveTests(fit, level, **tests, why=why, counts=counts)
    calls: dict[str, Callable[[], Any]] = {
        "ends": partial(fit.end_tests, level), "curve": partial(fit.curve_test, level),
        "shapes": fit.shape_probabilities,
    }  # fmt: skip
    for key, call in calls.items():
        try:
            tests[key] = call()
        except errors.BetarocError as error:
            why[key] = str(error)
    return CurveTests(fit, level, **tests, why=why, counts=counts)


# ------------------------------------------------------------------------ probabilities
def chance_words(p: float) -> str:
    """A probability, three digits after the point."""
    if p >= 1.0 - _UNLIKELY:
        return "above 0.999"
    return f"{p:.3f}" if p >= _UNLIKELY else "below 0.001"


def _likely(probabilities: Mapping[str, float], say: Callable[[str], str] = str) -> str:
    ranked = sorted(probabilities.items(), key=lambda item: -item[1])
    return ", ".join(f"{chance_words(p)} {say(key)}" for key, p in ranked if p >= _UNLIKELY)


def least_sign(probabilities: Mapping[str, float], positive: Sequence[set[str]]) -> float:
    """Deviate of the least certain of several signs."""
    from scipy.special import ndtri

    shares = [sum(p for key, p in probabilities.items() if key in names) for names in positive]
    total = sum(probabilities.values())
    return min(-float(ndtri(min(share, total - share, 0.5))) for share in shares)


# ------------------------------------------------------------------------ the whole curve
def depth(model: ScoreModel) -> float:
    """The largest FAR - TPR."""
    return float(np.max(gaps(model._pair)[1]))


def unseen_ends(model: ScoreModel, sizes: tuple[float, float]) -> set[str]:
    """Ends past a crossing of the diagonal beyond which less than one score is expected."""
    points, most = model.diagonal_crossings(), max(sizes)
    if len(points) == 0:
        return set()
    rates = {"at_zero": points[0].frr, "at_one": points[-1].far}
    return {end for end, rate in rates.items() if rate * most < 1.0}


def seen_shape(model: ScoreModel, sizes: tuple[float, float]) -> tuple[str, str]:
    """The shape of a fitted curve as far as the scores show it, and where that is."""
    shape, unseen = model.global_shape(), unseen_ends(model, sizes)
    if unseen and len(model.diagonal_crossings()) == 1:
        (end,) = set(END_TITLES) - unseen
        side = getattr(model.ends(), end).side
        return "proper" if side == "above" else "below", " wherever there are scores"
    return shape, " everywhere" if shape == "proper" else ""


def whole_curve(tests: CurveTests) -> tuple[str, str]:
    """A claim on the whole curve, and its grounds."""
    shares, curve = tests.whole, tests.curve
    if curve is None or not shares:
        return _fitted_curve(tests)
    where = "wherever there are scores" if curve.where_seen else "everywhere"
    best = max(shares, key=lambda name: shares[name])
    if shares[best] >= tests.level:
        chance, claim = f" (probability {chance_words(shares[best])}).", f"the ROC {_WHOLE[best]}"
        if best == "proper":
            concave = ' and is concave ("proper"): no threshold is worse than chance'
            return f"{claim} {where}", concave * (not curve.where_seen) + chance
        if best == "below":
            reason = f": {IMPOSTORS} score higher than {CLIENTS}"
            return f"{claim} {where}", f"{reason}{chance}{_REVERSED}"
        worse = f"by {FAR} - {TPR} of at most {_rate(depth(tests.fit.model))} as fitted"
        return claim, f", worse than chance, {worse}, and above it at all others{chance}"
    likely = _likely(shares, lambda name: f"that it {_WHOLE[name]}")
    grounds = f": probability {likely}; {tests.wanted(least_sign(shares, _ABOVE))}."
    worse_than_chance = 1.0 - shares["proper"]
    # Equal distributions are no finding, though drawn ones nearly always cross.
    if worse_than_chance >= tests.level and curve.p_proper <= 1.0 - tests.level:
        probability = f" (probability {chance_words(worse_than_chance)}); {tests.cannot} which"
        return "some thresholds are worse than chance", probability + grounds
    return f"{tests.cannot} whether the ROC lies above the diagonal {where}", grounds


def _fitted_curve(tests: CurveTests) -> tuple[str, str]:
    model = tests.fit.model
    shape, where = seen_shape(model, tests.sizes)
    claim = f"the fitted ROC {_WHOLE[shape]}{where}"
    if where == " everywhere":
        claim += " and is concave" if model.roc().is_concave else ", but is not concave"
    if tests.contradiction:
        contradicted = CONTRADICTED in tests.contradiction
        why = f"{CONTRADICTED} by the scores" if contradicted else "not described by the family"
        cannot = f"cannot tell on which side of the diagonal the ROC lies: {why}"
        return cannot, f"; {claim}, but {template_of(tests.contradiction)}."
    if _is_concave(tests.fit):
        return claim, ": by construction of the family, whatever the scores."
    return claim, f"; {_NOT_COMPUTED}.{_REVERSED * (shape == 'below')}"


def _is_concave(fit: Fit) -> bool:
    return all(row.concave for row in rows_of_names(fit.family))


def crossing_words(tests: CurveTests) -> str:
    """Where the fitted curve crosses the diagonal."""
    points, most = tests.fit.model.diagonal_crossings(), max(tests.sizes)
    nothing = ", where not one score is expected: by construction of the family, nothing the data"
    places = first_n(
        f"{threshold(point.threshold, point.logit_threshold)} ({FAR} {_rate(point.far)},"
        f" {FRR} {_rate(point.frr)})" + f"{nothing} show" * (min(point.far, point.frr) * most < 1.0)
        for point in (points[k] for k in range(len(points)))
    )
    return f" The fitted one crosses it at threshold {places}." if places else ""


def _rate(rate: float) -> str:
    return percent(rate) if rate > 0.0 else "less than 1e-300"


# --------------------------------------------------------------------- both ends, shapes
def end_words(tests: CurveTests, end: str) -> str:
    """What is known of the side of the curve near an end."""
    test, more = tests.ends and getattr(tests.ends, end), ""
    if test is None or test.side == CONTRADICTED:
        note = tests.counts.get(end, "") if test is None else template_of(test.note)
        side = getattr(tests.fit.model.ends(), end).side
        return f"{END_TITLES[end]}: the fitted ROC lies {side} the diagonal, {note}" if note else ""
    if test.side == CANNOT_TELL and not math.isnan(test.p_value):
        more = f": {tests.wanted(test.z, two_sided=True)}"
    return f"{END_TITLES[end]}: {template_of(str(test))}{more}" if test.note or more else ""


def category_words(tests: CurveTests) -> list[str]:
    """The shape of each beta distribution with its probability."""
    shapes, words = tests.fit.model.shape_category(), []
    for who, fitted in zip(CLASSES, shapes if isinstance(shapes, tuple) else (), strict=False):
        chances = {} if tests.shapes is None else tests.shapes[who]
        best, grounds = fitted.value, f"as fitted, {_NOT_COMPUTED}"
        if chances:
            best = max(chances, key=lambda name: chances[name])
            grounds = f"probability {chance_words(chances[best])}"
        text = f"{best} ({'; '.join(filter(None, (_SHAPES.get(best), grounds)))})"
        if chances and chances[best] < tests.level:
            more = tests.wanted(least_sign(chances, _RISING))
            text = f"{tests.cannot} (probability {_likely(chances)}); {more}"
        words.append(f"{vocabulary.CLASS_SLOTS[who][0]}: {text}")
    return words


def untested_words(tests: CurveTests) -> str:
    """Why nothing is known of the uncertainty of the shape."""
    fit = tests.fit
    if "ends" in tests.why:
        return f"The shape of the curve is not tested: {tests.why['ends']}"
    if fit.client.tails or fit.impostor.tails:
        return "Ends and shape are not tested of distributions with tails of their own."
    shared = f" Both classes share {' and '.join(fit.tied)}." if fit.tied else ""
    why = shape_tests.untested_ends(fit).removesuffix(f", {fit.reason}" * bool(fit.reason))
    return f"{capital(why)}.{shared * _is_concave(fit)}"


def curve_sentences(tests: CurveTests) -> list[str]:
    """Sentences on the curve of a fit."""
    if is_of_counts(tests.fit.family):
        return ["The ROC is that of the scores; its ends and shape are not modelled."]
    whole = "".join(whole_curve(tests)) + crossing_words(tests)
    lines = [f"If the fitted family is right: {whole}"]
    lines += [capital(sentence(words)) for end in END_TITLES if (words := end_words(tests, end))]
    shapes = category_words(tests)
    lines += [f"Shape category: {'; '.join(shapes)}."] * bool(shapes)
    lines += [untested_words(tests)] * (tests.ends is None)
    return lines + [
        f"The fitted ROC is below the diagonal {sentence(template_of(str(hook)))}"
        for hook in shape_tests.counted_hooks(tests.fit) if hook.seen
    ]  # fmt: skip
