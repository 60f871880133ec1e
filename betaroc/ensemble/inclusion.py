"""Which classifiers join an ensemble: verdicts by measured gain and theoretical ROC."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from operator import attrgetter
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from betaroc.core import checks, vocabulary
from betaroc.core.arrays import CLASSES, IntArray
from betaroc.core.errors import BetarocError, refusal
from betaroc.core.notices import collect_warnings, forward_warnings, suppress_warnings
from betaroc.core.tables import Table, columns_from_rows, listed_columns, table_of
from betaroc.core.text import format_value
from betaroc.core.value import Result, fields_of
from betaroc.core.vocabulary import BIOMETRIC, FAR, TPR, ClassWords, RateArguments, Terms
from betaroc.decision.curve import checked_alphas
from betaroc.decision.decide import Decision, decided
from betaroc.decision.epc import dealt_folds
from betaroc.decision.threshold_methods import Fitting, Target, checked_request
from betaroc.ensemble import fusion as fusions, learned, rule, set_hull, trials
from betaroc.ensemble.choice import BEST_SET, SMALLEST, SetChoice, choose_set, worth_of
from betaroc.ensemble.fusion import CurvePart, Fusion, Splits
from betaroc.ensemble.learned import MATTERS, LearnedGain
from betaroc.ensemble.rule import RocEvidence, RocMisfit, Verdict
from betaroc.ensemble.trials import Classifiers, Systems
from betaroc.estimation.families import AUTO, BEST, Names, checked_pair, family_text
from betaroc.fits.check import TOLERANCE
from betaroc.fits.fit import Fit, fit
from betaroc.fits.shape_tests import untested_ends
from betaroc.inference.auc import auc_interval
from betaroc.inference.interval import Interval
from betaroc.model.improper_regions import SEEN
from betaroc.model.roc import Roc
from betaroc.model.roc_functions import RocCrossings
from betaroc.rendering import curves, document, nouns, tree, tree_html
from betaroc.rendering.files import draw_svg, page_target, write_whole
from betaroc.rendering.numbers import counted, level_words, name_shown, number, version, visible
from betaroc.rendering.tree_text import records

_CRITERIA = ("weighted-error", "far", "frr")
#: Targets of the low-FAR and of the high-FAR end.
_TARGETS = 20
#: The rule whose gains stand beside the verdicts.
_BESIDE = "mean-logit"
#: Pieces of the hull that are named, and trials up to which the ROCs of scores are drawn.
_PIECES, _MANY = 6, 100_000
#: Trials of a class from which the interval of the loss covers what it should.
_TELLS = 100
#: Styles of the lines of ROCs, beside their colours.
_LINES = ("-", "--", "-.", ":")
#: A legend under the axes, and the classifiers beyond which it is there.
_UNDER: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.45, -0.15), "fontsize": 7}
_MOST_INSIDE = 8
_ends = attrgetter("estimate", "low", "high")


@dataclass(frozen=True, eq=False, repr=False)
class Inclusion(Result, nouns.Readable):
    """Several classifiers on the same trials: which set to join, and what each adds.

    Made by :func:`inclusion`. `chosen` are the classifiers to join.

    Parameters
    ----------
    systems, dev : Systems
        The scores; `dev` is None where folds are used.
    fits : dict
        The `Fit` of each classifier, by name.
    evidence : dict
        What its own ROC says of each classifier, by name.
    choice : SetChoice
        The set to join, with its areas, its fusion and the path on which it lies.
    verdict : dict
        The `Verdict` of each classifier beside all others, by name, with its `gain` in a learned
        fusion.
    region : (float, float)
        FARs that matter.
    level : float
        Confidence of every verdict and interval.
    parts : dict
        What thresholds are chosen for in "all", "strict" and "lax".
    client_folds, impostor_folds : ndarray of int
        Fold of each trial.
    duplicates : tuple of (str, str)
        Pairs of classifiers that order the trials alike.
    messages : tuple of str
        Warnings of the fits, with the classifier's name.
    decision : Decision, optional
        The threshold of the fused scores for the target, where one was given.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
    >>> br.inclusion(systems).chosen
    ('one', 'two')
    """

    systems: Systems
    dev: Systems | None
    fits: Mapping[str, Fit]
    _extra_fields = ("evidence",)
    evidence: Mapping[str, RocEvidence] = field(compare=False, repr=False)
    choice: SetChoice
    verdict: Mapping[str, Verdict]
    region: tuple[float, float]
    level: float
    parts: Mapping[str, CurvePart] = field(repr=False)
    client_folds: IntArray = field(repr=False)
    impostor_folds: IntArray = field(repr=False)
    duplicates: tuple[tuple[str, str], ...] = ()
    messages: tuple[str, ...] = ()
    decision: Decision | None = None

    def _follows(self) -> dict[str, Mapping[str, Verdict]]:
        """The verdicts; their sentences may be those of an older version."""
        pairs = [(name, self.evidence[name], v) for name, v in self.verdict.items()]
        return {"verdict": {name: rule.verdict_of(e, v.gain, v.reason) for name, e, v in pairs}}

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return self.systems.names

    @property
    def chosen(self) -> tuple[str, ...]:
        """The classifiers to join."""
        return self.choice.names

    @property
    def chosen_auc(self) -> Interval:
        """The area under the ROC of their fusion; as `all_auc` and `best_single_auc` of folds."""
        return self.choice.auc

    @property
    def all_auc(self) -> Interval:
        """That of the fusion of all classifiers."""
        return self.choice.all_auc

    @property
    def best_single_auc(self) -> Interval:
        """That of the best classifier alone."""
        return self.choice.best_single_auc

    @cached_property
    def misfit(self) -> dict[str, RocMisfit]:
        """How far the fitted ROC of each classifier is from that of its scores, by name.

        Each has auc_scores; distance, as in :func:`check_fit`; noise, its largest chance value; and
        a word: "close" (within 0.05), "far" (beyond the noise) or "open".
        """
        scores = zip(self.names, map(self.systems.scores, range(len(self.names))), strict=True)
        return {name: rule.misfit_of(self.fits[name], item, self.level) for name, item in scores}

    @cached_property
    def _crossings(self) -> dict[tuple[str, str], RocCrossings]:
        rocs = self._rocs
        return {(a, b): rocs[a].crossings(rocs[b]) for a, b in combinations(self.names, 2)}

    @property
    def _rocs(self) -> dict[str, Roc]:
        return {name: item.model.roc() for name, item in self.fits.items()}

    @cached_property
    def hull(self) -> set_hull.EnsembleHull:
        """The ROC hull of the fitted curves."""
        equal = {b for (_, b), result in self._crossings.items() if result.leaders == (0,)}
        return set_hull.hull_of(self._rocs, tuple(equal))

    @cached_property
    def diversity(self) -> Table:
        """A frame, one row per pair of classifiers and class: how alike they are.

        Columns first, second, class; spearman and pearson (of logits for classifiers in [0, 1]) of
        their scores in a class; phi, disagreement and double_fault: the correlation of their errors
        and the shares of trials on which one or both err, at the thresholds of least HTER.
        """
        columns = fusions.diversity_columns(self.systems, self._splits)
        return table_of(columns, self.systems.library)

    @property
    def _splits(self) -> Splits:
        fold = np.concatenate([self.client_folds, self.impostor_folds])
        return self.systems.splits(fold, self.dev)

    @cached_property
    def fusion(self) -> Fusion:
        """Fusing rules with all classifiers and without each one, with paired intervals."""
        return fusions.fusion_of(self.systems, self.dev, self._splits, self.parts, self.level)

    @property
    def table(self) -> Table:
        """A frame, one row per classifier: family, verdict, gain, p-values, sizes, ends.

        The gain is of the learned fusion, `marginal` of the own ROC, `roc_distance` as in `misfit`.
        """
        nested = {"above": 2, "crossings": 1}
        return table_of(self._columns, self.systems.library, nested)

    @property
    def _columns(self) -> dict[str, list[Any]]:
        twice = {second: first for first, second in self.duplicates}
        rows = []
        for name, verdict in self.verdict.items():
            fit, evidence, misfit = self.fits[name], self.evidence[name], self.misfit[name]
            ends, size = fit.model.ends(), verdict.size
            tests = evidence.ends or ()
            p_at_one, p_at_zero = [test.p_value for test in tests] or [math.nan] * 2
            gain, strict, lax = verdict.gain, evidence.strict, evidence.lax
            rows.append({
                "classifier": name, "chosen": name in self.chosen,
                "family": family_text(fit.family),
                "auc_fitted": fit.model.auc(), "auc_scores": misfit.auc_scores,
                "roc_distance": misfit.distance, "verdict": verdict.word,
                "gain": gain.estimate, "gain_low": gain.low, "gain_high": gain.high,
                "marginal": verdict.marginal, "p_value": verdict.confidence.p_value,
                "strict": strict.side, "strict_p": strict.p_value, "strict_by": strict.by,
                "lax": lax.side, "lax_p": lax.p_value, "lax_by": lax.by,
                "mean_excess": size.mean_excess, "mean_low": size.low, "mean_high": size.high,
                "largest_excess": size.largest,
                **fields_of(size, "largest_at", "depth", "depth_at", "hook_scores"),
                **fields_of(evidence, "above", "crossings"),
                "exponent_at_one": ends.at_one.exponent, "p_at_one": p_at_one,
                "exponent_at_zero": ends.at_zero.exponent, "p_at_zero": p_at_zero,
                "duplicate_of": twice.get(name, ""),
            })  # fmt: skip
        return {title: [row[title] for row in rows] for title in rows[0]}

    @property
    def learned(self) -> Table:
        """A frame, one row per classifier: what it adds to the others in a learned fusion.

        Columns system, with_it, without (areas of the fusion of all and of all others), estimate
        (their difference), low, high, level, method, word, folds, moved (trials of each class that
        change their rank), needed (how many times the trials would just decide), nearest (the
        classifier most like it), correlation, copy.
        """
        gains = [self.verdict[name].gain for name in self.names]
        columns = {title: [getattr(gain, title) for gain in gains] for title in gains[0]._fields}
        return table_of(columns, self.systems.library)

    @cached_property
    def crossings(self) -> Table:
        """A frame, one row per crossing of two fitted ROCs, or pair without one.

        Columns first, second, far and tpr of the crossing (nan without), logit_far, and who is
        higher before and after it, in FAR (nobody where the curves are equal).
        """
        rows = []
        for (first, second), pair in self._crossings.items():
            who = [("", first, second)[k] for k in pair.leaders]
            places = list(zip(pair.far, pair.tpr, pair.logit_far, strict=True)) or [(math.nan,) * 3]
            for k, place in enumerate(places):
                rows.append((first, second, *place, who[k], who[min(k + 1, len(who) - 1)]))
        names = ("first", "second", "far", "tpr", "logit_far", "before", "after")
        columns = columns_from_rows(rows, names, ("first", "second", "before", "after"))
        return table_of(columns, self.systems.library)

    def to_frame(self) -> Table:
        """As `table`.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
        >>> br.inclusion(systems).to_frame()["classifier"].tolist()
        ['one', 'two']
        """
        return self.table

    def plot(self, *, terms: str = BIOMETRIC) -> curves.Sheet:
        """Draw the ROCs and the gains in a learned fusion.

        Parameters
        ----------
        terms : str
            As in :meth:`betaroc.Roc.plot`.

        Notes
        -----
        Left, the fitted ROCs, in thin steps those of the scores, and the hull, shaded outside the
        region; right, the learned gains, filled where they tell.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
        >>> len(br.inclusion(systems).plot().axes)
        2
        """
        words = checks.terms_of(terms)
        figure = curves.new_figure(8.4, max(4.4, 2.0 + 0.34 * len(self.names)))
        axes = figure.subplot_mosaic([["roc", "learned"]], width_ratios=(1.15, 1.0))
        axes["roc"].set_box_aspect(1.0)
        draw_rocs(curves.bare(axes["roc"]), self, words)
        draw_learned(curves.bare(axes["learned"]), self).locator_params(axis="x", nbins=4)
        return figure

    def to_html(self, path: str | os.PathLike[str], *, terms: str = BIOMETRIC) -> None:
        """Write the verdicts, their reasons and gains as one self-contained page.

        Parameters
        ----------
        path : str or path-like
            Written whole or not at all.
        terms : str
            As in :meth:`betaroc.Roc.plot`.

        Raises
        ------
        OutputError
            If it cannot be written; what was there is untouched.

        Examples
        --------
        >>> import tempfile
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     br.inclusion(systems).to_html(f"{folder}/ensemble.html")
        """
        page_target(path)  # before the work of fusing
        write_whole(path, inclusion_page(self, terms=terms))

    def _view(self) -> list[tree.Section]:
        own_rocs, gains = _grids(self)
        return tree.apart(
            tree.Paragraph(_answer(self), "answer"), tree.Bullets(tuple(_basis(self))), own_rocs,
            _reasons(self), gains, _gain_sentences(self),
        )  # fmt: skip


@collect_warnings
def inclusion(
    frame: Classifiers,
    *,
    label: str = "label",
    client_label: object = None,
    systems: Sequence[str] | None = None,
    region: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    family: Names | Mapping[str, Names] = AUTO,
    boundary: str | Mapping[str, str] | None = None,
    resolution: float | Mapping[str, float] | None = None,
    dev: Classifiers | None = None,
    folds: int = 5,
    criterion: str = "weighted-error",
    measure: str | None = None,
    alpha: npt.ArrayLike | None = None,
    ends: float = 0.1,
    nan_policy: str = "raise",
    group: str | tuple[str, str] | None = None,
    rng: Any = None,
    selection: str = SMALLEST,
    margin: float = MATTERS,
    far: float | None = None,
    frr: float | None = None,
    cost_fa: float | None = None,
    cost_fr: float | None = None,
    prior: float | None = None,
    **rates: Unpack[RateArguments],
) -> Inclusion:
    """Choose which classifiers join an ensemble, and measure what each adds.

    The set is the smallest one on the path of backward elimination that is shown to lose little:

        AUC of all - AUC of the set + z_level * error <= margin

    out of folds; all, where no smaller set is. Beside it stands what each adds to all others, its
    gain: the area under the ROC of a ridge-logistic fusion of all less that of all others:

        high end < -0.005                 leave out
        P(gain >= 0.005) >= 0.9           include
        P(gain >= 0.005) <= 0.1           adds nothing
        anything else                     cannot tell

    Where that cannot tell, the classifier's own fitted ROC may speak against it: "exclude", "only
    at strict thresholds", "only at lax thresholds" (docs/ensembles.md has the rule).

    Parameters
    ----------
    frame : frame, mapping or sequence of Scores
        Any frame that Narwhals reads with a column of labels and one of scores per classifier; or a
        mapping from names to `Scores`, or a list of them, of the same trials in the same order.
        Weights are copies of a trial, in one fold.
    label : str
        Column of the labels.
    client_label : optional
        As in `Scores.from_labels`.
    systems : sequence of str, optional
        The classifiers, two or more; left out, all other numeric columns.
    region : (float, float)
        FARs that matter, low < high.
    level : float
        Confidence of verdicts and intervals.
    family : str, pair of str or mapping
        Family of every fit, or of classifiers by name, as in :func:`fit`.
    boundary, resolution : optional
        As in :func:`fit`, of every classifier with a distribution on [0, 1], or by name.
    dev : optional
        Other trials, given like `frame`, on which the fusion is learned and its thresholds are
        chosen. Left out: `folds`.
    folds : int
        Weights and thresholds for a fold are learned on all others; weights in 3 to 10 folds, fewer
        where a class has not two trials, or groups, per fold.
    criterion : str
        What thresholds are chosen for: "weighted-error", "far" or "frr", as in :func:`epc`.
    measure : str, optional
        What they cost: "weighted-error", "hter", "dcf" (both costs 1), "far" or "frr". Left
        out: "weighted-error" where that is the criterion, else "hter".
    alpha : array_like, optional
        Weights or targets; 101 equally spaced fractions where left out.
    ends : float
        Largest target of the low-FAR and of the high-FAR end, in (0, 0.5].
    nan_policy : str
        "raise" where a score is missing, or "omit": keep the rows in which none is.
    group : str or (str, str), optional
        Column, or two, of groups of dependent trials; `Scores` bring theirs. Fits, tests and
        intervals allow for it, and a group stays in one fold.
    rng : None, int, SeedSequence or Generator
        Deals trials, or groups, to folds at random; None deals them in turn.
    selection : str
        "smallest", or "best": the set of the path with the largest area out of folds.
    margin : float
        What the smallest set may lose, of the area or of the cost: FAR and FRR weighted by costs
        and prior, weights that sum to 1, or as below.
    far, frr, cost_fa, cost_fr, prior : float, optional
        A target as in :func:`decide`. The set is then chosen for the cost at its threshold, which
        `Inclusion.decision` holds: of a FAR that is FRR + FAR dTPR/dFAR.
    **rates
        Other names of the target, as in :func:`decide`.

    Returns
    -------
    Inclusion

    Raises
    ------
    InputError, InputTypeError
        For fewer than two classifiers, an unknown column, missing scores, a column of ids or text,
        unequal trials, one class, an empty region, or an option out of range.
    DegenerateDataError, FitError
        For a classifier that is constant or cannot be fitted.

    Warns
    -----
    DuplicateWarning
        For two classifiers that put all trials in one order.
    SameDataWarning
        If dev and the frame hold the same scores.
    BetarocWarning
        Of each fit, with the classifier's name; kept in `Inclusion.messages`.

    Notes
    -----
    The fusion is scikit-learn's ``LogisticRegression()`` of standardised logits (classifiers in
    [0, 1]) or scores. Linear maps of others are left out; then the classifier of the least Wald
    statistic leaves first, in every training fold anew. The loss of a size is the mean over 4 deals
    of 5 folds, its error DeLong's paired one. Areas are means of 5 other folds, without which the
    set was chosen again; their error is the larger of DeLong's and Student's of the folds. Below 50
    trials of a class nearly all classifiers stay.

    The gain's interval holds the fusions fixed, over all FARs; it is wider by -log(1 - level)/n
    where fewer than 5 trials of a class change their rank. P is that of its error; below 400 trials
    of a class, without `dev` or groups, that of the Bayesian bootstrap of two normal classes with
    one covariance. The limits 0.9 and 0.1 are 2 level - 1 and 2 - 2 level.

    The low-FAR end has 20 FARs up to `ends` as targets, the high-FAR end FRRs, with the measure
    HTER (or the given one, if it is no weighted error).

    References
    ----------
    Omar and Ivrissimtzis, section 3.2. DeLong, DeLong and Clarke-Pearson (1988). Hanley and
    Lippman-Hand (1983): 3/n.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    >>> systems = {"one": model.sample(30, 30, rng=1), "two": model.sample(30, 30, rng=2)}
    >>> result = br.inclusion(systems)
    >>> result.chosen, str(result.verdict["one"])
    (('one', 'two'), 'include')
    """
    low, high = (checks.fraction(x, "region") for x in checks.span(region, "region"))
    region, level = (low, high), checks.level(level)
    folds, margin = checks.count(folds, "folds", 2), checks.fraction(margin, "margin")
    checks.choice(selection, (SMALLEST, BEST_SET), "selection")
    request: dict[str, Any] = {"far": far, "frr": frr, "cost_fa": cost_fa, "cost_fr": cost_fr,
                             "prior": prior, **rates}  # fmt: skip
    target = None
    if any(value is not None for value in request.values()):
        target = checked_request(**request)
    result = trials.systems_of(frame, label, client_label, systems, nan_policy, group)
    second, learned_on = None, result
    if dev is not None:
        second = trials.systems_of(dev, label, client_label, result.names, nan_policy, name="dev")
    parts = _parts(result, criterion, measure, alpha, ends)
    trials.check_constant(result)
    if second is None:
        fold_pair = dealt_folds(result.scores(0), folds, rng)
    else:  # all trials are one fold
        trials.check_constant(second, "dev")
        trials.warn_of_same_trials(result, second)
        client, impostor = (np.zeros(len(side), dtype=np.intp) for side in result.classes)
        fold_pair, learned_on = (client, impostor), second
    duplicates, fits, messages = trials.duplicates_of(result), dict[str, Fit](), list[str]()
    rules = {"boundary": boundary, "resolution": resolution}
    for k, (name, options) in enumerate(_fit_options(result, family, rules).items()):
        called = f"classifier {format_value(name)}: "
        with forward_warnings(called) as notices:
            try:
                fits[name] = fit(result.scores(k), **options)
            except BetarocError as error:
                raise error.reworded(called + error.template) from error
        messages += [
            vocabulary.Sentence(called + vocabulary.template_of(notice.message))
            for notice in notices
        ]
    evidence = {name: rule.roc_evidence(f, region, level) for name, f in fits.items()}
    inner, verdicts = learned.dealt(learned_on, folds, rng), dict[str, Verdict]()
    columns = learned.columns_of([side for side in (result, second) if side])
    copies = _copies(result)
    distinct = [name for name in result.names if name not in copies]
    choice = choose_set(
        result.only(distinct), None if second is None else second.only(distinct),
        [column for column in columns if column.system in distinct], inner, worth_of(target),
        (selection, margin, level),
    )  # fmt: skip
    for gain in learned.learned_gains(result, columns, inner, second, level):
        name, place = gain.system, _place(gain, choice, result, copies, target)
        reason = rule.reason_of(fits[name], evidence[name], gain, region, result.sizes, place)
        verdicts[name] = rule.verdict_of(evidence[name], gain, reason)
    decision = None
    if target is not None and choice.fused is not None:
        decision = decided(choice.fused, target, Fitting())
    return Inclusion(
        result, second, fits, evidence, choice, verdicts, region, level, parts,
        checks.frozen(fold_pair[0]), checks.frozen(fold_pair[1]), duplicates, tuple(messages),
        decision,
    )  # fmt: skip


def _copies(systems: Systems) -> dict[str, str]:
    """Classifiers whose scores are a linear map of those of an earlier one."""
    scaled = systems.x / np.max(np.abs(systems.x), axis=0)  # squares of 1e300 overflow
    alike = np.abs(np.corrcoef(scaled.T)) > 1.0 - 1e-12
    firsts = np.argmax(alike, axis=0).tolist()
    return {systems.names[k]: systems.names[i] for k, i in enumerate(firsts) if i < k}


def _place(
    gain: LearnedGain, choice: SetChoice, systems: Systems, copies: Mapping[str, str],
    target: Target | None,
) -> str:  # fmt: skip
    name = gain.system
    if name in choice.names:
        columns = zip(choice.fusion.columns, choice.fusion.weights, strict=True)
        weight = next(w for c, w in columns if c.system == name)
        return "In the set." if weight > 0.0 else "In the set, with a negative weight."
    with suppress_warnings():
        area = auc_interval(systems.scores(systems.names.index(name)), choice.auc.level)
    unit = "AUC" if target is None else "cost"
    why = f"without it the set is shown to lose at most {choice.margin:g} of the {unit}"
    if choice.selection == BEST_SET:
        why = "out of folds the set is no better with it"
    elif gain.word == learned.ADDS_NOTHING and target is None and choice.margin <= MATTERS:
        why = "it adds nothing to these"
    if name in copies:
        why = f"a copy of {visible(copies[name])}"
    elif gain.word == learned.LEAVE_OUT:
        why = "harmful"
    elif area.low <= 0.5 <= area.high and gain.word != learned.INCLUDE:
        why = f"useless, its own AUC is {area.estimate:.3f} ({area.low:.3f} to {area.high:.3f})"
    elif area.high < 0.5:
        why += f"; its scores are reversed, AUC {area.estimate:.3f}"
    return f"Not in the set: {why}."


# ------------------------------------------------------------------------- the arguments
def _fit_options(systems: Systems, family: Any, rules: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What each classifier is fitted with."""
    families = _by_name(family, systems, "family", AUTO)
    # Of scores in [0, 1] "auto" is beta, else normal.
    inside = np.all((systems.x >= 0.0) & (systems.x <= 1.0), axis=0)
    spared = {name for name, unit in zip(systems.names, inside, strict=True)
              if not unit and AUTO in checked_pair(families[name], (AUTO, BEST))}  # fmt: skip
    if len(spared) == len(families):
        spared = set()  # no classifier has a family on [0, 1]: the fits refuse the rule
    options: dict[str, dict[str, Any]] = {name: {"family": item} for name, item in families.items()}
    for role, argument in rules.items():
        for name, value in _by_name(argument, systems, role, None).items():
            if value is not None and (isinstance(argument, Mapping) or name not in spared):
                options[name][role] = value
    return options


def _by_name(value: Any, systems: Systems, role: str, default: Any) -> dict[str, Any]:
    """What was asked for of each classifier."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(systems.names, value)
    for name in value:
        if name not in systems.names:
            rule = f"map names of classifiers, {checks.format_list(systems.names)}"
            raise refusal(role, rule, format_value(name))
    return {name: value.get(name, default) for name in systems.names}


def _parts(
    systems: Systems, criterion: str, measure: str | None, alpha: Any, ends: float
) -> dict[str, CurvePart]:
    """All alphas of the criterion, and the targets of either end."""
    criterion = checks.choice(criterion, _CRITERIA, "criterion")
    if measure is None:
        measure = "weighted-error" if criterion == "weighted-error" else "hter"
    measure = checks.choice(measure, fusions.TRIAL_MEASURES, "measure")
    if measure == "weighted-error" and criterion != measure:
        condition = 'be "weighted-error" only with that criterion, whose alpha it shares'
        raise refusal("measure", condition, f"criterion {criterion!r}", 'Take "hter" or "dcf".')
    alphas = checked_alphas(alpha, single=False, criterion=criterion)
    reach = checks.positive(ends, "ends")
    if reach > 0.5:
        raise refusal("ends", "be the largest target of either end, in (0, 0.5]", repr(reach))
    n_client, n_impostor = systems.sizes
    prior = n_client / (n_client + n_impostor)
    targets = reach * np.arange(1, _TARGETS + 1) / _TARGETS
    at_ends = measure if measure != "weighted-error" else "hter"
    return {
        "all": CurvePart(criterion, measure, alphas, prior),
        "strict": CurvePart("far", at_ends, targets, prior),
        "lax": CurvePart("frr", at_ends, targets, prior),
    }


# -------------------------------------------------------------------------------- in words
def _answer(result: Inclusion) -> str:
    choice, many, auc = result.choice, len(result.choice.sizes), result.choice.auc
    *others, last = map(visible, choice.names)
    area = f"AUC {auc.estimate:.3f} ({auc.low:.3f} to {auc.high:.3f})"
    turned = ", reversed" if not others and choice.fusion.weights[0] < 0.0 else ""
    joined = f"Join {', '.join(others)} and {last}" if others else f"Take one alone, {last}{turned}"
    answer = f"{joined}: {area}" + f"; all {many} {choice.all_auc.estimate:.3f}" * (many > 1)
    if len(choice.names) == many and others:
        answer = f"Join all {many}: {area}"
    if choice.names != (choice.best_single,):
        best = f"{visible(choice.best_single)}, {choice.best_single_auc.estimate:.3f}"
        answer += f"; the best one, {best}"
    if math.isnan(auc.estimate):
        answer = f"All {many} stay: too few trials to leave one out"
    harmful = [visible(name) for name in choice.names
               if result.verdict[name].word == learned.LEAVE_OUT]  # fmt: skip
    if harmful:
        answer += f". But on these trials {', '.join(harmful)} does harm"
        answer += ": see what changed since dev" if result.dev is not None else ""
    if auc.low <= 0.5:
        answer += ". It is not shown to be better than chance"
    if result.decision is not None:
        answer += f". The fused score, log odds: {str(result.decision).splitlines()[0]}"
    return answer if answer.endswith(".") else f"{answer}."


def _basis(result: Inclusion) -> list[str]:
    choice, sizes, (low, high) = result.choice, result.systems.sizes, result.region
    limit = f"to lose at most {choice.margin:g} of the {'cost' if result.decision else 'AUC'}"
    why, row = f"The smallest set shown {limit} of all.", choice.sizes[len(choice.names) - 1]
    if choice.selection == BEST_SET:
        why = f"The set of the {'least cost' if result.decision else 'largest AUC'} out of folds."
    elif len(choice.names) == len(choice.sizes):
        why = f"No smaller set is shown {limit}."
    elif min(sizes) < _TELLS:
        why += " There are too few trials to tell how much it loses."
    elif result.decision is not None:
        why += f" Its cost less that of all: {row.loss:.4f} (standard error {row.error:.4f})."
    else:
        loss = "{:.4f} ({:.4f} to {:.4f})".format(*_ends(choice.loss))
        why += f" AUC of all less its own: {loss}."
    region = f"all {FAR}s" if high - low == 1.0 else f"{FAR} from {low:g} to {high:g}"
    trials = " and ".join(
        f"{n} {vocabulary.members(who)}" for n, who in zip(sizes, CLASSES, strict=True)
    )
    why = f"Chosen on dev. {why}" if result.dev is not None else why
    judged = f"{why} Judged on {trials}, {region}, at {level_words(result.level)} confidence."
    rows = result.systems.omitted
    return [judged, *[f"Left out: {counted(rows, 'row')} with a missing score."] * (rows > 0)]


def _reasons(result: Inclusion) -> tree.Bullets:
    lines = [
        f"{visible(name)}: {vocabulary.template_of(v.reason)}" for name, v in result.verdict.items()
    ]
    for name, misfit in result.misfit.items():
        if misfit.word != "close":
            rests = "what is said of its own ROC rests on a distribution that does not fit"
            doubt = rests if misfit.word == "far" else "which may be chance"
            lines.append(
                f"{visible(name)}: the fitted ROC is {misfit.distance:.3f} from the scores'"
                f" (tolerance {TOLERANCE:g}): {doubt}; see br.check_fit."
            )
        if untested := untested_ends(result.fits[name]):
            lines.append(f"{visible(name)}: {untested}.")
    hull = result.hull
    pieces, left = [visible(str(s)) for s in hull.segments[:_PIECES]], len(hull.segments) - _PIECES
    pieces += [f"and {left} more"] * (left > 0)
    off = f"; not on it: {', '.join(map(visible, hull.unused))}" if hull.unused else ""
    return tree.Bullets((*lines, f"ROC hull, area {hull.auc:.4f}: {'; '.join(pieces)}{off}"))


def _grids(result: Inclusion) -> tuple[tree.Grid, tree.Grid]:
    own_heads = ("classifier", "in the set", "family", "fitted AUC", "scores' AUC", "distance",
                 "beside all others", "own ROC", "p", f"mean of {TPR} − {FAR}, points",
                 "depth")  # fmt: skip
    heads = ("classifier", "AUC with it", "AUC without", "learned gain (AUC)", "P", "says",
             *(f"{_BESIDE}, {words}, points" for words in
               ("all alphas", f"low-{FAR} end", f"high-{FAR} end")))  # fmt: skip
    own_rocs, gains = list[tree.Row](), list[tree.Row]()
    for name, verdict in result.verdict.items():
        misfit, size, fit = result.misfit[name], verdict.size, result.fits[name]
        gain, label = verdict.gain, tree.foreign(name)
        own_rocs.append(tree.Row((
            label, "yes" if name in result.chosen else "no", family_text(fit.family),
            f"{fit.model.auc():.4f}", f"{misfit.auc_scores:.4f}",
            tree.Cell(f"{misfit.distance:.3f}", misfit.word), verdict.word, verdict.marginal,
            number(verdict.confidence.p_value, 2), _points(size.mean_excess, size.low, size.high),
            # Of less than one score below the diagonal none is shown.
            number(size.depth, 2) if size.hook_scores >= SEEN else "0",
        )))  # fmt: skip
        by_rule = (_ends(result.fusion.gain(name, _BESIDE, part)) for part in result.parts)
        gains.append(tree.Row((
            label, number(gain.with_it, 4), number(gain.without, 4),
            tree.signed_cell(*_ends(gain)), number(gain.probability, 2), gain.word,
            *(_points(*ends) for ends in by_rule),
        )))  # fmt: skip
    return tree.Grid(own_heads, tuple(own_rocs), (1, 2, 6, 7)), tree.Grid(heads, tuple(gains), (5,))


def _points(value: float, low: float, high: float) -> tree.Cell:
    return tree.signed_cell(100.0 * value, 100.0 * low, 100.0 * high, digits=2)


def _gain_sentences(result: Inclusion) -> tree.Bullets:
    fusion, part, gain = result.fusion, result.parts["all"], result.verdict[result.names[0]].gain
    learned = "learned on dev" if gain.folds == 1 else f"out of {gain.folds} folds"
    where = f"the other of {fusion.folds} folds" if fusion.folds else "dev"
    return tree.Bullets((
        "learned gain: AUC of a ridge-logistic fusion of all classifiers less that of all others,"
        f" {learned if gain.folds else 'not measured'}, over all {FAR}s; P: probability that it is"
        f" {MATTERS:g} or more; its interval knows the chance of the trials, not that of the"
        " learning",
        f"{_BESIDE}: mean {part.measure} at thresholds chosen for {part.criterion} on {where},"
        " whatever the region, without the classifier less that with it; positive where it helps;"
        f" fused on {fusion.scale} ({visible(fusion.scale_reason)})",
        "Gains by all rules: print(result.fusion), or fusion in the JSON.",
    ))  # fmt: skip


def inclusion_page(
    result: Inclusion, *, read: Sequence[str] = (), words: ClassWords | None = None,
    terms: str = BIOMETRIC,
) -> str:  # fmt: skip
    """The view of the terminal, with pictures."""
    spelling = checks.terms_of(terms)
    say = vocabulary.Vocabulary(spelling, words or ClassWords()).fill
    classifiers = f"{len(result.names)} classifiers"
    notes = (*read, *(vocabulary.for_readers(message) for message in result.messages))
    drawn = (
        (partial(draw_rocs, None, result, spelling), "Fitted ROCs and the hull above them"),
        (partial(draw_learned, None, result),
         f"What each adds to all others; grey: less than {MATTERS:g}; filled: the interval tells"),
    )  # fmt: skip
    figures = (
        tree.Figure(
            draw_svg(draw, f"ensemble{k}"), f"{vocabulary.capital(text)}.", f"{classifiers}: {text}"
        )
        for k, (draw, text) in enumerate(drawn)
    )
    top: tuple[tree.Node, ...] = (
        *(tree.Paragraph(line, "lead") for line in (_answer(result), *_basis(result))),
        *_grids(result), tree.Figures(tuple(figures)),
    )  # fmt: skip
    sections = (
        tree.Section("Why", (_reasons(result), _gain_sentences(result)),
                     "the numbers behind each verdict", "why", folded=True),
        tree.Section("What was read", (tree.Bullets(tuple(map(visible, notes))),), classifiers,
                     "read", folded=True),
    )  # fmt: skip
    return tree_html.page_of(
        f"betaroc: {classifiers}", "Ensemble", [classifiers],
        "Which of these classifiers join the ensemble?", tree.map_text(top, say),
        tree.map_text(sections, say),
        say(f"betaroc {version()}. {FAR}(θ) = P({vocabulary.IMPOSTOR} score > θ)."),
    )  # fmt: skip


# ------------------------------------------------------------------------------ pictures
def draw_rocs(ax: curves.Axes | None, result: Inclusion, terms: Terms) -> curves.Axes:
    """The fitted ROCs, those of the scores, the hull and the region."""
    below, (ax, empty) = ax is None, curves.begun(ax, square=True)
    for k, (name, roc) in enumerate(result._rocs.items()):
        colour, points = curves.COLOURS[k % len(curves.COLOURS)], roc.points()
        label = tree.foreign(name).short + ", in the set" * (name in result.chosen)
        style = _LINES[(k // len(curves.COLOURS) + k) % len(_LINES)]
        ax.plot(points.far, points.tpr, color=colour, linewidth=1.6, linestyle=style, label=label)
        if sum(result.systems.sizes) <= _MANY:
            points = Roc(*result.systems.scores(k)._distributions).points()
            ax.plot(points.far, points.tpr, color=colour, linewidth=0.6, alpha=0.7, zorder=1.8,
                    label="_nolegend_", gid="scores")  # fmt: skip
    far = np.unique(np.concatenate([
        np.geomspace(1e-6, 1.0, 300), np.linspace(0.0, 1.0, 300),
        *([s.far_low, s.far_high] for s in result.hull.segments),
    ]))  # fmt: skip
    ax.plot(far, result.hull.tpr(far), color="#333333", linewidth=3.2, alpha=0.28, zorder=1.6,
            solid_capstyle="round", label="ROC hull", gid="hull")  # fmt: skip
    curves.draw_chance_line(ax, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    for start, stop in ((0.0, result.region[0]), (result.region[1], 1.0)):
        if stop > start:
            ax.axvspan(start, stop, facecolor="#f0f0f0", edgecolor="none", zorder=0.4,
                       label="_nolegend_", gid="outside")  # fmt: skip
    place = _UNDER if len(result.names) > _MOST_INSIDE else {"loc": "lower right"}
    return curves.finished(ax, terms.far.short, terms.tpr.short, rates="xy",
                    frame=curves.UNIT_FRAME if empty else None, below=below, **place)  # fmt: skip


def draw_learned(ax: curves.Axes | None, result: Inclusion) -> curves.Axes:
    """The gain of each classifier in a learned fusion."""
    gains = {name_shown(name, 26): verdict.gain for name, verdict in result.verdict.items()}
    marks = [tree.IntervalMark(name, g.low, g.estimate, g.high, g.word != learned.CANNOT_TELL)
             for name, g in gains.items()]  # fmt: skip
    words = "gain in AUC of a learned fusion"
    if ax is not None:  # else a caption says it
        words += f"\n(shaded: less than {MATTERS:g}; filled: it tells)"
    return curves.draw_intervals(ax, marks, words, colours=curves.COLOURS, near=(-MATTERS, MATTERS),
                          at=(0.0, "_nolegend_"), marker="D")  # fmt: skip


# ------------------------------------------------------------------------ as plain numbers
def inclusion_numbers(result: Inclusion) -> dict[str, Any]:
    """Everything that ``betaroc ensemble --json`` says."""
    hull, fusion, classifiers = result.hull, result.fusion, {}
    for row in records(result._columns):
        name = row.pop("classifier")
        fit, verdict = result.fits[name], result.verdict[name]
        classifiers[name] = row | {
            "client": dict(fit.client.params), "impostor": dict(fit.impostor.params),
            "reason": verdict.reason, "gain": verdict.gain._asdict(),
            "roc_distance": result.misfit[name]._asdict() | {"tolerance": TOLERANCE},
            "hooks": [hook._asdict() for hook in result.evidence[name].hooks],
        }  # fmt: skip
    return {
        "n_client": result.systems.sizes[0], "n_impostor": result.systems.sizes[1],
        **fields_of(result, "chosen", "region", "level", "duplicates"),
        "choice": document.document_of(replace(result.choice, fused=None)),
        "omitted": result.systems.omitted, "classifiers": classifiers,
        "crossings": records(listed_columns(result.crossings)),
        "hull": fields_of(hull, "auc", "unused")
        | {"segments": [s._asdict() for s in hull.segments]},
        "diversity": records(listed_columns(result.diversity)),
        "fusion": {
            **fields_of(fusion, "scale", "folds", "parts"), "reason": fusion.scale_reason,
            "gains": [g._asdict() for g in fusion.gains],
        },
    }  # fmt: skip
