"""How much of a number with the threshold chosen on test is optimism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from betaroc.core import checks
from betaroc.core.errors import BetarocWarning, refusal
from betaroc.core.notices import collect_warnings, warn
from betaroc.core.tables import Framed
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import Scores
from betaroc.decision import curve
from betaroc.decision.epc import epc
from betaroc.inference.interval import Interval
from betaroc.inference.intervals import interval
from betaroc.model.measures import MEASURES
from betaroc.rendering import tree
from betaroc.rendering.nouns import Readable
from betaroc.rendering.numbers import level_words, number

#: The criterion, and its alpha, whose threshold is best in a measure; nan of the impostors' share.
_BEST = {
    "hter": (curve.WEIGHTED_ERROR, 0.5), "youden": (curve.WEIGHTED_ERROR, 0.5),
    "accuracy": (curve.WEIGHTED_ERROR, None), "f1": ("f-measure", 0.5),
    "mean-precision-recall": ("weighted-precision-recall", 0.5), "precision": ("break-even", None),
    "recall": ("break-even", None),
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Framed, Readable):
    """A number with the threshold chosen on test, beside that with the threshold of dev.

    Made by :func:`audit`.

    Parameters
    ----------
    measure, criterion : str
        What is reported, and what thresholds are chosen for.
    alpha : float
        The criterion's parameter; nan where it has none.
    threshold : float
        Chosen on dev.
    a_posteriori : float
        The measure on test at the threshold chosen there.
    a_priori : Interval
        The measure on test at dev's threshold.
    optimism : Interval
        By how much the first is better than the second; above 0 where it is too good.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> dev, test = br.Scores([3, 4, 5], [1, 2, 3]), br.Scores([2, 4, 6], [0, 1, 3])
    >>> round(br.audit(dev, test).optimism.estimate, 3)
    0.167
    """

    measure: str
    criterion: str
    alpha: float
    threshold: float
    a_posteriori: float
    a_priori: Interval
    optimism: Interval

    def _view(self) -> Sequence[tree.Node]:
        more, there = self.optimism, self.a_priori
        way = "worse" if more.estimate < 0.0 else "better"
        known = more.low > 0.0 or more.high < 0.0
        shown = ("is" if more.low > 0.0 else "is not") if known else "is not shown to be"
        name = curve.short_measure(self.measure)
        numbers = (self.a_posteriori, there.estimate, more.low, more.high, there.low, there.high)
        first, second, *ends = (number(x + 0.0, 3) for x in numbers)
        text = (
            f"The {name} of {first} with the threshold chosen on test is"
            f" {number(abs(more.estimate), 3)} {way} than the {second} of the same trials at dev's"
            f" threshold, {number(self.threshold, 4)}: it {shown} too good (by {ends[0]} to"
            f" {ends[1]}, {level_words(more.level)}). More trials like them give {ends[2]} to"
            f" {ends[3]} there."
        )
        return [tree.Paragraph(text, "answer")]


@collect_warnings
def audit(
    dev: ScoresLike | Scores,
    test: ScoresLike | Scores,
    measure: str = "hter",
    *,
    criterion: str | None = None,
    alpha: float | None = None,
    level: float = 0.95,
    groups: bool = True,
) -> Audit:
    """How much of a number is optimism because its threshold was chosen on test.

        optimism = V(threshold of test; test) - V(threshold of dev; test)

    with the sign of a better measure: the first is the a posteriori number that is often
    published, the second the a priori one, which new trials meet.

    Parameters
    ----------
    dev, test : Scores, frame, (y_true, y_score) or path
        The scores that should choose the threshold, and those that the number is of.
    measure : str
        A measure of :func:`epc`, such as "hter", "f1", "accuracy" or "precision".
    criterion, alpha : optional
        As in :func:`epc`; left out, what is best for the measure: of HTER the equal weights, of
        accuracy the classes' shares on test, of F1 F1, of precision and recall the break-even.
    level, groups : optional
        As in :func:`interval`.

    Returns
    -------
    Audit

    Raises
    ------
    InputError, InputTypeError
        If a name is unknown, or a measure has no criterion of its own and none is given.

    Warns
    -----
    BetarocWarning, SameDataWarning
        If there are strata, which have one threshold here, or dev and test are the same scores.

    Notes
    -----
    The interval is that of the published number, which is fixed, less what trials like test's give
    at dev's threshold, which is fixed too: :func:`interval` of the measure at a threshold.

    References
    ----------
    Bengio, S., Mariethoz, J. and Keller, M. (2005), The expected performance curve, section 2.

    Examples
    --------
    >>> import betaroc as br
    >>> dev, test = br.Scores([3, 4, 5], [1, 2, 3]), br.Scores([2, 4, 6], [0, 1, 3])
    >>> br.audit(dev, test, "f1").a_posteriori
    0.8
    """
    one, two = (as_scores(x, name, "Scores", Scores) for x, name in ((dev, "dev"), (test, "test")))
    if any(any(side.strata) for side in (one, two)):
        text = "an audit has one threshold for all strata; br.categories has one for each."
        warn(text, BetarocWarning)
    measure = checks.choice(measure, tuple(MEASURES), "measure")
    chosen, best = _BEST.get(measure, (None, None))
    if criterion is None and chosen is None:
        remedy = 'Such as criterion="far" with alpha=0.01.'
        raise refusal("criterion", f"be given for {measure!r}", "none", remedy)
    if criterion is None:
        criterion, alpha = chosen, best if alpha is None else alpha
        if measure == "accuracy" and alpha is None:
            alpha = two.impostor_total / (two.client_total + two.impostor_total)
    curves = epc(one, two, criterion=str(criterion), measure=measure, alpha=alpha)
    if curves.alpha.size > 1:
        raise refusal("alpha", f"be given for {criterion!r}", "none", "Such as alpha=0.01.")
    at, best_on_test = float(curves.threshold[0]), float(curves.a_posteriori[0])
    a_priori = interval(two, measure, threshold=at, level=level, groups=groups)
    sign = 1.0 if curve.larger_is_better(measure) else -1.0
    low, high = sorted(sign * (best_on_test - x) for x in (a_priori.low, a_priori.high))
    gap = sign * (best_on_test - a_priori.estimate)
    optimism = Interval(gap, low, high, a_priori.level, a_priori.method)
    return Audit(
        measure, str(criterion), float(curves.alpha[0]), at, best_on_test, a_priori, optimism
    )
