"""What a fitted curve does, as sure as the errors of the fit let one say it.

A side, or a shape, is stated if its probability reaches the level, or its p-value 1 - level, and
with that number. Else it cannot be told, and about so many scores would tell it:

    n wanted = n ((z of the level + z of POWER) / z)^2,   z that of the least certain sign
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from betaroc.core.arrays import CLASSES
from betaroc.core.errors import BetarocError
from betaroc.core.notices import quietly
from betaroc.core.text import sentence
from betaroc.core.value import Value
from betaroc.core.vocabulary import TERMS, capital, for_readers
from betaroc.estimation.families import has_shapes, is_of_counts, rows_of_names
from betaroc.fits.check import FitCheck, check_fit
from betaroc.fits.family_choice import MARGIN
from betaroc.fits.fit import Fit, fit, law_rows
from betaroc.fits.shape_tests import CANNOT_TELL, CONTRADICTED, counted_hooks, untested_ends
from betaroc.model.improper_regions import gaps
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import level_words, number, percent, threshold
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Grid,
    Group,
    Node,
    Row,
    RowCells,
    Section,
    Words,
    few,
    grouped,
)
from betaroc.report.score_set import (
    ENDS,
    CurveTests,
    Named,
    ScoreSet,
    measured_cell,
    notes_by_set,
    p_words,
    without_interval,
)

_NOT_COMPUTED = "its uncertainty was not computed"
_REVERSED = " If lower scores mean client, pass 1 - score or -score."
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
    "U": "most scores near both ends",
    "bell": "one interior peak",
    "J": "scores pile up at 1",
    "reverse-J": "scores pile up at 0",
}
#: Shapes of a distribution with a > 1, and with b > 1.
_RISING = ({"J", "bell"}, {"reverse-J", "bell"})


# ------------------------------------------------------------------------------ in words
def chance_words(p: float) -> str:
    """A probability, three digits after the point."""
    if p >= 1.0 - _UNLIKELY:
        return "above 0.999"
    return f"{p:.3f}" if p >= _UNLIKELY else "below 0.001"


def _likely(probabilities: Mapping[str, float], say: Callable[[str], str] = str) -> str:
    """What is worth a word, the most probable first."""
    ranked = sorted(probabilities.items(), key=lambda item: -item[1])
    return ", ".join(f"{chance_words(p)} {say(key)}" for key, p in ranked if p >= _UNLIKELY)


def least_sign(probabilities: Mapping[str, float], positive: Sequence[set[str]]) -> float:
    """Deviate of the least certain of several signs; each names where it is positive."""
    from scipy.special import ndtri

    shares = [sum(p for key, p in probabilities.items() if key in names) for names in positive]
    total = sum(probabilities.values())
    return min(-float(ndtri(min(share, total - share, 0.5))) for share in shares)


# ------------------------------------------------------------------------ the whole curve
def depth(model: ScoreModel) -> float:
    """The largest FAR - TPR."""
    return float(np.max(gaps(model)[1]))


def unseen_ends(model: ScoreModel, sizes: tuple[float, float]) -> set[str]:
    """Ends of the thresholds of which the scores show nothing.

    Less than one score is expected past the crossing of the diagonal nearest to them.
    """
    points, most = model.diagonal_crossings(), max(sizes)
    if len(points) == 0:
        return set()
    rates = {"at_zero": points[0].frr, "at_one": points[-1].far}
    return {end for end, rate in rates.items() if rate * most < 1.0}


def seen_shape(model: ScoreModel, sizes: tuple[float, float]) -> tuple[str, str]:
    """The shape of a fitted curve as far as the scores show it, and of which thresholds that is."""
    shape, unseen = model.global_shape(), unseen_ends(model, sizes)
    if unseen and len(model.diagonal_crossings()) == 1:
        (seen,) = set(ENDS) - unseen
        side = getattr(model.ends(), seen).side
        return "proper" if side == "above" else "below", " wherever there are scores"
    return shape, " everywhere" if shape == "proper" else ""


def whole_curve(tests: CurveTests) -> tuple[str, str]:
    """What is said of the whole curve, and on what grounds; or that it cannot be told."""
    shares, model = tests.whole, tests.fit.model
    if not shares:
        return _fitted_curve(tests)
    seen = tests.curve is not None and bool(tests.curve.where_seen)
    where = "wherever there are scores" if seen else "everywhere"
    best = max(shares, key=lambda name: shares[name])
    known = f"(probability {chance_words(shares[best])})"
    if shares[best] >= tests.level:
        claim = f"the ROC {_WHOLE[best]}"
        if best == "proper":
            proper = ' and is concave ("proper"): no threshold is worse than chance'
            return f"{claim} {where}", f"{'' if seen else proper} {known}."
        if best == "below":
            reason = f": impostors score higher than clients {known}.{_REVERSED}"
            return f"{claim} {where}", reason
        return claim, (
            f", worse than chance, above it at all others {known}; FAR - TPR of the fitted one is"
            f" at most {_rate(depth(model))}."
        )
    listed = _likely(shares, lambda name: f"that it {_WHOLE[name]}")
    more = tests.wanted(least_sign(shares, _ABOVE))
    cannot, worse = f"cannot tell at {level_words(tests.level)} confidence", 1.0 - shares["proper"]
    # Equal distributions are no finding, though drawn ones nearly always cross.
    significant = tests.curve is not None and tests.curve.p_proper <= 1.0 - tests.level
    if worse >= tests.level and significant:
        return "some thresholds are worse than chance", (
            f" (probability {chance_words(worse)}); {cannot} which: probability {listed}; {more}."
        )
    claim = f"{cannot} whether the ROC lies above the diagonal {where}"
    return claim, f": probability {listed}; {more}."


def _fitted_curve(tests: CurveTests) -> tuple[str, str]:
    """The same of a curve whose errors are not known."""
    model = tests.fit.model
    shape, where = seen_shape(model, tests.sizes)
    claim = f"the fitted ROC {_WHOLE[shape]}{where}"
    if where == " everywhere":
        claim += " and is concave" if model.roc().is_concave else ", but is not concave"
    if tests.contradiction:
        contradicted = CONTRADICTED in tests.contradiction
        why = f"{CONTRADICTED} by the scores" if contradicted else "not described by the family"
        cannot = f"cannot tell on which side of the diagonal the ROC lies: {why}"
        return cannot, f"; {claim}, but {tests.contradiction}."
    if _is_concave(tests.fit):
        return claim, ": by construction of the family, whatever the scores."
    return claim, f"; {_NOT_COMPUTED}.{_REVERSED * (shape == 'below')}"


def _is_concave(fit: Fit) -> bool:
    """Whether both classes share what makes the curve concave, whatever the scores."""
    return all(row.concave for row in rows_of_names(fit.family))


def crossing_words(tests: CurveTests) -> str:
    """Where the fitted curve crosses the diagonal, and which crossings the scores do not show."""
    points, most = tests.fit.model.diagonal_crossings(), max(tests.sizes)
    nothing = ", where not one score is expected: by construction of the family, nothing the data"
    places = few(
        f"{threshold(point.threshold, point.logit_threshold)} (FAR {_rate(point.far)},"
        f" FRR {_rate(point.frr)})" + f"{nothing} show" * (min(point.far, point.frr) * most < 1.0)
        for point in (points[k] for k in range(len(points)))
    )
    return f" The fitted one crosses it at threshold {places}." if places else ""


def _rate(rate: float) -> str:
    """A rate that is positive, whatever became of it as a double."""
    return percent(rate) if rate > 0.0 else "less than 1e-300"


# --------------------------------------------------------------------- both ends, shapes
def end_words(tests: CurveTests, end: str) -> str:
    """What is known of the side of the curve near an end; empty where nothing is."""
    side = getattr(tests.fit.model.ends(), end).side
    fitted = f"{ENDS[end]}: the fitted ROC lies {side} the diagonal"
    if tests.ends is None:
        counts = tests.counts[end]
        return f"{fitted}, {counts}" if counts else ""
    test = getattr(tests.ends, end)
    if test.side == CONTRADICTED:
        return f"{fitted}, {test.note}"
    if test.side == CANNOT_TELL and not math.isnan(test.p_value):
        return f"{ENDS[end]}: {test}: {tests.wanted(test.z, two_sided=True)}"
    return f"{ENDS[end]}: {test}" if test.note else ""


def category_words(tests: CurveTests) -> list[str]:
    """The shape of each class's beta distribution with its probability; nothing for others."""
    shapes = tests.fit.model.shape_category()
    if not isinstance(shapes, tuple):
        return []
    words = []
    for who, fitted in zip(("client", "impostor"), shapes, strict=True):
        best, known = fitted.value, f"as fitted, {_NOT_COMPUTED}"
        if tests.shapes is not None:
            chances = tests.shapes[who]
            best = max(chances, key=lambda name: chances[name])
            known = f"probability {chance_words(chances[best])}"
            if chances[best] < tests.level:
                more = tests.wanted(least_sign(chances, _RISING))
                words.append(
                    f"{who}: cannot tell at {level_words(tests.level)} confidence (probability"
                    f" {_likely(chances)}); {more}"
                )
                continue
        words.append(f"{who}: {best} ({'; '.join(filter(None, (_SHAPES.get(best), known)))})")
    return words


def untested_words(tests: CurveTests) -> str:
    """Why nothing is known of the uncertainty of the shape."""
    fit = tests.fit
    if "ends" in tests.why:
        return f"The shape of the curve is not tested: {tests.why['ends']}"
    if fit.client.tails or fit.impostor.tails:
        return "Ends and shape are not tested of distributions with tails of their own."
    shared = f" Both classes share {' and '.join(fit.tied)}." if fit.tied else ""
    why = untested_ends(fit).removesuffix(f", {fit.reason}" * bool(fit.reason))
    return f"{capital(why)}.{shared * _is_concave(fit)}"


def shape_sentences(part: ScoreSet) -> list[str]:
    """What is said of the curve of a fit: the whole, its crossings, both ends, the shapes."""
    tests = part.curve_tests
    if tests is None:
        return []
    if is_of_counts(tests.fit.family):
        return ["The ROC is that of the scores; its ends and shape are not modelled."]
    whole = "".join(whole_curve(tests)) + crossing_words(tests)
    lines = [f"If the fitted family is right: {whole}"]
    lines += [capital(sentence(words)) for end in ENDS if (words := end_words(tests, end))]
    shapes = category_words(tests)
    lines += [f"Shape category: {'; '.join(shapes)}."] * bool(shapes)
    lines += [untested_words(tests)] * (tests.ends is None)
    lines += [
        f"The fitted ROC is below the diagonal {sentence(str(hook))}"
        for hook in counted_hooks(tests.fit) if hook.seen
    ]  # fmt: skip
    return [TERMS["matching"].said(words) for words in lines] if part.has_rejected else lines


# ------------------------------------------------------------------------------ the section
def ends_section(sets: Named, more: Sequence[Node] = ()) -> Section:
    """What the fitted curve of the first set does in words, both ends of every set as a table."""
    several, (first, role) = len(sets) > 1, sets[0]
    modelled = [pair for pair in sets if pair[0].fit and not is_of_counts(pair[0].fit.family)]
    blocks: list[Node] = [Words(
        "Ends and shape are those of the curve of the trials that have a score, and rates named"
        " with them are of comparisons made.", "note",
    )] * any(part.has_rejected for part, _ in sets)  # fmt: skip
    lines = shape_sentences(first)
    if lines and several:
        lines[0] = f"{role}: {lines[0][:1].lower()}{lines[0][1:]}"
    blocks += [Bullets(tuple(lines))] * bool(lines)
    if modelled:
        head = ("end", "diagonal", "semi-derivative dF_i/dF_c", "ROC slope", "exponent",
                "coefficient")  # fmt: skip
        words = (0, 1) if len(modelled) > 1 else (1,)
        blocks += [grouped(modelled, head, _end_rows, words), Words(
            "Towards the low end TNR ~ K FRR^ρ, towards the high end FAR ~ K TPR^ρ, with exponent ρ"
            " and coefficient K (none: no such power law; of exponent 0 or inf: one class is alone"
            " at that end). “Not seen”: past a crossing of which the scores show nothing. The"
            " p-value is of the curve lying on the diagonal at that end. These are statements about"
            " the fitted distributions; few scores, or none, lie where they hold.", "legend",
        )]  # fmt: skip
        blocks += notes_by_set(modelled, partial(without_interval, ends=True))
    claims = []
    for part, role in modelled:
        if part.curve_tests is not None:
            claim = whole_curve(part.curve_tests)[0]
            claim = "by the fit " * claim.startswith("the ROC ") + claim
            claims.append(f"{role}: " * several + claim)
    finding = few(claims, "; ") or "not modelled"
    return Section("Ends and shapes of the fitted ROC", (*blocks, *more), finding, "ends")


def _end_rows(part: ScoreSet) -> list[RowCells]:
    part = part.scored
    model, tests = part.fit.model if part.fit is not None else part.empirical, part.curve_tests
    unit = model.client.on_unit and model.impostor.on_unit
    both = model.ends()
    intervals = {} if part.intervals is None else {m.key: m for m in part.intervals.model}
    unseen = unseen_ends(model, (part.scores.client_total, part.scores.impostor_total))

    def cell(name: str, key: str, text: str) -> Cell:
        m = intervals.get(f"{name}-{key.replace('_', '-')}")
        return measured_cell(None if m is None or m.why else m, lambda v: number(v, 3), text)

    rows: list[RowCells] = []
    for where, key in (
        ("threshold 0" if unit else "low end", "at_zero"),
        ("threshold 1" if unit else "high end", "at_one"),
    ):
        end = getattr(both, key)
        rows.append((
            where, _side(end.side, tests, key) + ", not seen" * (key in unseen),
            number(end.semi_derivative, 4), number(end.roc_slope, 4),
            cell("exponent", key, number(end.exponent, 4)),
            cell("coefficient", key, _coefficient(end.coefficient)),
        ))  # fmt: skip
    return rows


def _coefficient(value: float) -> str:
    """A coefficient, or how far beyond the doubles it lies."""
    if math.isnan(value):
        return "none"
    if value == math.inf:
        return "beyond 1e308"
    return number(value, 4) if value > 0.0 else "below 1e-308"


def _side(fitted: str, tests: CurveTests | None, key: str) -> str:
    """The side of the diagonal with its p-value; that of the fitted curve where it has none."""
    if tests is None or tests.ends is None:
        contradicted = tests is not None and CONTRADICTED in tests.counts[key]
        return CONTRADICTED if contradicted else f"{fitted}, as fitted"
    test = getattr(tests.ends, key)
    if math.isnan(test.p_value):
        return str(test.side)
    few_counts = ", the counts cannot tell" * ("the counts cannot tell" in test.note)
    return f"{test.side} ({p_words(test.p_value)}{few_counts})"


# ------------------------------------------------------ one beta distribution of each class
#: Two-sided 5 % point of the standard normal distribution.
_Z = 1.959963984540054
#: Score sets simulated for the check of such a pair, of which only the word is said.
_REPLICATES = 99
_WORD = {
    "yes": "One beta distribution a class suffices",
    "no": "One beta distribution a class does not suffice",
    "cannot tell": "Whether one beta distribution a class suffices, these scores cannot tell",
}


@dataclass(frozen=True, eq=False, repr=False)
class BetaPairFit(Value):
    """One beta distribution a class fitted to dev, and whether that suffices.

    Parameters
    ----------
    fit : Fit or None
        None where there is none, for the reason in `reason`.
    same : bool
        Whether the numbers of the analysis are of this pair.
    suffices : str
        "yes", "no" or "cannot tell".
    reason : str
        By what: the held-out scores of each class and the check of this fit.
    level : float
        Confidence level of the tests of the ends.
    """

    fit: Fit | None
    same: bool
    suffices: str
    reason: str
    level: float


def beta_pair_of(
    dev: ScoreSet, options: Mapping[str, Any], level: float, rng: Any
) -> BetaPairFit | None:
    """The plain beta pair of dev; None where scores lie outside [0, 1]."""
    spans = [dev.given._extremes(who) for who in CLASSES]
    if min(low for low, _ in spans) < 0.0 or max(high for _, high in spans) > 1.0:
        return None
    if dev.fit is not None and has_shapes(dev.fit.family):
        check = None if dev.quality is None else dev.quality.check
        return BetaPairFit(dev.fit, True, *_sufficiency(dev, check), level)
    check = None
    with quietly():
        try:
            pair = fit(dev.given, **{**options, "family": "beta"})
        except BetarocError as error:
            why = f"not fitted: {for_readers(error.template)}"
            return BetaPairFit(None, False, "cannot tell", why, level)
        with suppress(BetarocError):
            if dev.summary is None:
                check = check_fit(pair, replicates=_REPLICATES, level=level, rng=rng)
    return BetaPairFit(pair, False, *_sufficiency(dev, check), level)


def _sufficiency(dev: ScoreSet, check: FitCheck | None) -> tuple[str, str]:
    """By each class's held-out scores, and by the check of the ROC."""
    families = None if dev.quality is None else dev.quality.families
    reasons, doubts = [], []
    for who in CLASSES:
        rows = () if families is None else families.of(who)
        row = next((row for row in rows if has_shapes(row.family)), None)
        if row is None:
            continue
        away, best = -row.held_out_z, rows[0].family
        if row is rows[0]:
            reasons.append(f"for {who}s it has the best held-out score")
        elif away <= MARGIN:
            near = f"within half a standard error of the best held-out score, {best}'s"
            reasons.append(f"for {who}s it is {near}")
        else:
            reasons.append(f"for {who}s {best} is better by {number(away, 2)} standard errors")
        doubts.append(0 if away <= MARGIN else 2 if away > _Z else 1)
    if not reasons:
        why = "" if dev.quality is None else dev.quality.uncompared
        reasons.append(f"families were not compared: {why.rstrip('.')}")
        doubts.append(1)
    if check is not None:
        reasons.append(f"check of its ROC: {check.verdict}")
        reasons += [
            f"{rate.name} is poor: {rate.expected:.4g} scores expected, {rate.observed:.6g}"
            " observed"
            for rate in check.targets if rate.verdict == "poor"
        ][:1]  # fmt: skip
        doubts.append({"good": 0, "poor": 2}.get(check.status, 1))
    return ("yes", "cannot tell", "no")[max(doubts)], "; ".join(reasons)


def beta_pair_section(pair: BetaPairFit, dev: ScoreSet) -> Section:
    """The word on it, parameters and what its curve does where the numbers are of another pair."""
    words = sentence(f"{_WORD[pair.suffices]}: {pair.reason}")
    words += " The numbers above are of this pair." * pair.same
    blocks: list[Node] = [Words(words)]
    if pair.fit is not None and not pair.same:
        laws = (("client", pair.fit.client), ("impostor", pair.fit.impostor))
        # Standard errors alone: intervals are those of the fit that the numbers are of.
        rows = [row if isinstance(row, Group) else Row(row[:4])
                for who, law in laws for row in law_rows(who, law)]  # fmt: skip
        head = ("class of dev", "parameter", "estimate", "standard error")
        blocks.append(Grid(head, tuple(rows), (1,)))
        blocks.append(Bullets(tuple(shape_sentences(replace(dev, fit=pair.fit)))))
    return Section("One beta distribution a class", tuple(blocks))
