"""Which classifiers join an ensemble: verdicts by measured gain and theoretical ROC."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, AnyArray, IntArray
from betaroc.core.errors import BetarocError, InputError, refusal
from betaroc.core.notices import passed_on, public, quietly
from betaroc.core.tables import Table, table_of
from betaroc.core.text import shown
from betaroc.core.value import Result, travelling
from betaroc.core.vocabulary import BIOMETRIC, Sentence, template_of
from betaroc.data.groups import groups_of
from betaroc.data.scores import Scores
from betaroc.decision.curve import checked_alphas
from betaroc.decision.epc import epc_cv
from betaroc.ensemble.fusion import (
    TRIAL_MEASURES,
    CurvePart,
    Fusion,
    Split,
    Trials,
    diversity_columns,
    fusion_of,
    learned_gains,
    nested_folds,
    splits_of,
)
from betaroc.ensemble.inclusion_view import (
    crossings_columns,
    inclusion_columns,
    inclusion_page,
    inclusion_view,
    plot_ensemble,
)
from betaroc.ensemble.rule import (
    RocEvidence,
    RocMisfit,
    Verdict,
    misfit_of,
    roc_evidence,
    verdict_of,
)
from betaroc.ensemble.set_hull import EnsembleHull, hull_of
from betaroc.ensemble.trials import (
    Classifiers,
    Systems,
    duplicates_of,
    refuse_constant,
    systems_of,
    warn_of_same_trials,
)
from betaroc.estimation.families import AUTO, BEST, Names, checked_pair
from betaroc.fits.fit import Fit, fit
from betaroc.model.crossings import RocCrossings
from betaroc.model.roc import Roc
from betaroc.rendering.files import page_target, write_whole
from betaroc.rendering.nouns import Noun
from betaroc.rendering.style import Sheet
from betaroc.rendering.tree import Section
from betaroc.rendering.tree_text import text_of

_CRITERIA = ("weighted-error", "far", "frr")
#: Families on the real line.
_REAL = {"normal", "empirical"}
#: Targets of the low-FAR and of the high-FAR end.
_TARGETS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Inclusion(Result, Noun):
    """Several classifiers on the same trials: who joins, and what each adds.

    Made by :func:`inclusion`. What takes time is computed when it is first looked at:
    `fusion`, `crossings`, `diversity`, `hull`, `misfit`.

    Parameters
    ----------
    systems, dev : Systems
        The scores; `dev` is None where thresholds are chosen on other folds.
    fits : dict
        The `Fit` of each classifier, by name.
    evidence : dict
        What its own ROC says of each classifier, by name.
    verdict : dict
        The `Verdict` of each classifier, by name, with its `gain` in a learned fusion.
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
        What the fits had to say, with the classifier's name.

    Examples
    --------
    >>> import numpy as np
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> good = br.Scores(rng.beta(4, 2, 300), rng.beta(2, 4, 300))
    >>> fair = br.Scores(rng.beta(3, 2, 300), rng.beta(2, 2, 300))
    >>> result = br.inclusion({"good": good, "fair": fair})
    >>> result.table["verdict"].tolist()
    ['include', 'cannot tell']
    >>> gain = result.verdict["fair"].gain  # in a learned fusion, clear of 0 with more trials
    >>> gain.low < 0.0 < gain.estimate
    True
    >>> result.table["marginal"].tolist()  # Beta(3, 2) v Beta(2, 2) share b: no test tells that end
    ['include', 'cannot tell']
    """

    systems: Systems
    dev: Systems | None
    fits: Mapping[str, Fit]
    _travels = travelling("evidence")
    evidence: Mapping[str, RocEvidence] = field(compare=False, repr=False)
    verdict: Mapping[str, Verdict]
    region: tuple[float, float]
    level: float
    parts: Mapping[str, CurvePart] = field(repr=False)
    client_folds: IntArray = field(repr=False)
    impostor_folds: IntArray = field(repr=False)
    duplicates: tuple[tuple[str, str], ...] = ()
    messages: tuple[str, ...] = ()

    def _follows(self) -> dict[str, Mapping[str, Verdict]]:
        """The verdicts; their sentences may be those of an older version."""
        verdicts = {}
        for name, evidence in self.evidence.items():
            gain, reason = self.verdict[name].gain, self.verdict[name].reason
            rule = self.region, self.level, self.systems.sizes
            v = verdict_of(self.fits[name], evidence, gain, *rule)
            verdicts[name] = Verdict(v.word, v.confidence, v.size, reason, v.marginal, gain)
        return {"verdict": verdicts}

    @property
    def names(self) -> tuple[str, ...]:
        """The classifiers."""
        return self.systems.names

    @cached_property
    def misfit(self) -> dict[str, RocMisfit]:
        """How far the fitted ROC of each classifier is from that of its scores, by name.

        Each has auc_scores; distance, the largest of both rates at once along FAR + TPR =
        constant, as in :func:`check_fit`; noise, what the scores' ROC is off by chance at most;
        and a word: "close" (within `check_fit`'s tolerance 0.05), "far" (beyond it by more than
        the noise) or "open".
        """
        return {
            name: misfit_of(self.fits[name], self.systems.scores(k), self.level)
            for k, name in enumerate(self.names)
        }

    @cached_property
    def _crossings(self) -> dict[tuple[str, str], RocCrossings]:
        rocs = self._rocs
        return {(a, b): rocs[a].crossings(rocs[b]) for a, b in combinations(self.names, 2)}

    @property
    def _rocs(self) -> dict[str, Roc]:
        return {name: item.model.roc() for name, item in self.fits.items()}

    @cached_property
    def hull(self) -> EnsembleHull:
        """The ROC hull of the fitted curves: who is on it where, and who never is."""
        equal = {b for (_, b), result in self._crossings.items() if result.leaders == (0,)}
        return hull_of(self._rocs, tuple(equal))

    @cached_property
    def diversity(self) -> Table:
        """A frame, one row a pair of classifiers and class: how alike they are.

        Columns first, second, class (client, impostor, both); spearman and pearson, the
        correlations of their scores within a class (pearson of the logits of classifiers in
        [0, 1]; nan where one is constant or infinite there, and for both classes together);
        phi, disagreement and double_fault: correlation of their errors, share of trials on which
        one of the two errs, and on which both do, each at the threshold of least HTER on dev.
        """
        return table_of(self._diversity, self.systems.library)

    @cached_property
    def _diversity(self) -> dict[str, AnyArray]:
        return diversity_columns(self.names, *self._trials[::2])

    @property
    def _trials(self) -> tuple[Trials, Trials | None, list[Split]]:
        own = Trials.of(self.systems)
        dev = None if self.dev is None else Trials.of(self.dev)
        fold = np.concatenate([self.client_folds, self.impostor_folds])
        return own, dev, splits_of(own, dev, fold)

    @cached_property
    def fusion(self) -> Fusion:
        """Fusing rules with all classifiers and without each one, with paired intervals."""
        groups = groups_of(self.systems.scores(0))
        return fusion_of(
            self.names, *self._trials, self.parts, self.level, groups, self.systems.library
        )

    @property
    def table(self) -> Table:
        """A frame, one row per classifier: family, verdict, gain, p-values, sizes, ends.

        `gain`, `gain_low` and `gain_high` are those of the learned fusion (more in `learned`),
        `marginal` is what the own ROC says. `auc_fitted` is the area under the fitted ROC,
        `auc_scores` that under the scores' own, `roc_distance` the largest distance between the
        two curves (`misfit`).
        """
        nested = {"above": 2, "crossings": 1}
        return table_of(inclusion_columns(self), self.systems.library, nested)

    @property
    def learned(self) -> Table:
        """A frame, one row per classifier: what it adds to the others in a learned fusion.

        Columns system, with_it, without (areas under the ROC of a ridge-logistic fusion of all and
        of all others), estimate (their difference), low, high, level, method, word ("include",
        "adds nothing", "leave out", "cannot tell"), folds, moved (clients and impostors, or
        groups of them, that change their rank with it), needed (how many times the trials would
        have an even chance to decide), nearest (the classifier most like it), correlation (within
        the classes), copy. :func:`inclusion` says how it is measured; `verdict[name].gain` is
        the same of one.
        """
        gains = [self.verdict[name].gain for name in self.names]
        columns = {title: [getattr(gain, title) for gain in gains] for title in gains[0]._fields}
        return table_of(columns, self.systems.library)

    @cached_property
    def crossings(self) -> Table:
        """A frame, one row a crossing of two fitted ROCs, or a pair without one.

        Columns first, second, far and tpr of the crossing (nan without), logit_far, and who
        is the higher before it and after it, in FAR (nobody where the curves are equal).
        """
        return table_of(crossings_columns(self._crossings), self.systems.library)

    def to_frame(self) -> Table:
        """The same as `table`.

        Returns
        -------
        DataFrame
            Of the library of the frame, or of the first `Scores` that were read from one.

        Examples
        --------
        >>> import betaroc as br
        >>> one = br.Scores(
        ...     [0.6, 0.7, 0.8, 0.9, 0.4, 0.55, 0.75, 0.65, 0.85, 0.5],
        ...     [0.1, 0.2, 0.3, 0.65, 0.15, 0.25, 0.35, 0.05, 0.45, 0.52],
        ... )
        >>> result = br.inclusion({"one": one, "two": br.Scores(one.client**2, one.impostor)})
        >>> result.to_frame()["classifier"].tolist()
        ['one', 'two']
        """
        return self.table

    def plot(self, *, rule: str = "mean-logit", terms: str = BIOMETRIC) -> Sheet:
        """Draw the ROCs, and beside them the gains in a learned fusion and by a fixed rule.

        Parameters
        ----------
        rule : str
            The fusing rule whose gains are drawn.
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.

        Returns
        -------
        matplotlib Figure

        Raises
        ------
        InputError
            If `rule` or `terms` is unknown.

        Notes
        -----
        Left, the fitted ROCs with each classifier's verdict, in thin steps those of the scores, the
        hull above them and the ends of its chords; what lies outside the region is shaded. Right,
        what each classifier adds to the others, right of zero where it helps. In the learned
        fusion the first that holds: an interval right of zero says include, one left of the shaded
        band (-0.005 to 0.005) leave out, one that ends within the band adds nothing; filled where
        the gain tells. By the rule markers tell the parts of the curve apart; one that is filled
        has an interval without zero. Nothing is drawn where nothing was measured.

        Examples
        --------
        >>> import numpy as np
        >>> import betaroc as br
        >>> rng = np.random.default_rng(1)
        >>> one = br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 60))
        >>> two = br.Scores(rng.beta(3, 2, 60), rng.beta(2, 3, 60))
        >>> figure = br.inclusion({"one": one, "two": two}).plot()
        >>> [ax.get_xlabel().splitlines()[0] for ax in figure.axes]
        ['FAR', 'gain in AUC of a learned fusion', 'gain in weighted-error by mean-logit']
        """
        return plot_ensemble(self, rule, terms)

    def to_html(self, path: str | os.PathLike[str], *, terms: str = BIOMETRIC) -> None:
        """Write the verdicts, their reasons and what each adds as one self-contained page.

        Parameters
        ----------
        path : str or path-like
            Written whole or not at all.
        terms : str
            Words of the rates, as in :meth:`betaroc.Roc.plot`.

        Raises
        ------
        OutputError
            If it cannot be written; what was there before is untouched.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import betaroc as br
        >>> one = br.Scores(
        ...     [0.6, 0.7, 0.8, 0.9, 0.4, 0.55, 0.75, 0.65, 0.85, 0.5],
        ...     [0.1, 0.2, 0.3, 0.65, 0.15, 0.25, 0.35, 0.05, 0.45, 0.52],
        ... )
        >>> result = br.inclusion({"one": one, "two": br.Scores(one.client**2, one.impostor)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.to_html(Path(folder) / "ensemble.html")
        ...     page = (Path(folder) / "ensemble.html").read_text(encoding="utf-8")
        >>> "Which of these classifiers join" in page, "<script" in page
        (True, False)
        """
        page_target(path)  # before the work of fusing
        write_whole(path, inclusion_page(self, terms=terms))

    def __str__(self) -> str:
        return text_of(self._view())

    def _view(self) -> list[Section]:
        return inclusion_view(self)


@public
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
) -> Inclusion:
    """Judge which classifiers join an ensemble, and measure what each adds to it.

    Two things are found of each classifier. Its gain in a learned fusion: the area under the
    ROC of a ridge-logistic fusion of all less that of a fusion of all others, with an interval:

        low end > 0          include
        high end < -0.005    leave out
        high end < 0.005     adds nothing
        anything else        cannot tell

    And its own ROC, judged against the diagonal near both borders of a region of FAR:

        above near both                               include
        below near both                               exclude
        above near the low FAR, below near the high   only at strict thresholds
        below near the low FAR, above near the high   only at lax thresholds
        anything else                                 cannot tell

    The verdict is what the gain says wherever that tells; else what the own ROC says against
    the classifier (all but "include"). Each gain is beside all others: of two classifiers that
    say the same each adds nothing; drop one of them, not both.

    Parameters
    ----------
    frame : frame, mapping or sequence of Scores
        Any frame that Narwhals reads with a column of labels and a column of scores a
        classifier; or a mapping from names to `Scores` of the same trials in the same order
        (ids and weights are compared), or a list of `Scores`. Weights are copies of a trial
        that stay in one fold; a row of weight 0 is no trial.
    label : str
        Column of the labels.
    client_label : optional
        The label of clients; needed unless labels are {0, 1}, {False, True} or {-1, 1}.
    systems : sequence of str, optional
        The classifiers; all other numeric columns where left out, unless one holds whole
        numbers that are all different, as ids do. At least two.
    region : (float, float)
        FARs that matter, low < high.
    level : float
        Confidence of verdicts and intervals.
    family : str, pair of str or mapping
        Family of every fit, or of classifiers by name, as in :func:`fit`. "auto": "beta" for a
        classifier whose scores all lie in [0, 1], else "normal"; the table says which.
    boundary, resolution : optional
        As in :func:`fit`, of every classifier with a distribution on [0, 1], or of classifiers
        by name.
    dev : optional
        Other trials of the same classifiers, given like `frame`, on which the learned fusion is
        learned and the thresholds of the fused scores are chosen; both are then observed on all
        trials of `frame`. Left out: `folds`.
    folds : int
        Weights and thresholds for the trials of a fold are learned on all other folds; weights
        in 3 to 10 folds, fewer where a class has not two trials, or groups, a fold.
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
        "raise" where a score is missing, or "omit": keep the rows in which no classifier's is.
    group : str or (str, str), optional
        Column, or two, of a frame of groups of dependent trials; `Scores` bring theirs. Fits,
        tests and intervals allow for it, and a group stays in one fold.
    rng : None, int, SeedSequence or Generator
        Deals trials, or groups, to folds at random; None deals them in turn, always the same.

    Returns
    -------
    Inclusion
        ``table``, ``verdict[name]``, ``learned``, ``fits``, ``misfit``, ``crossings``, ``hull``,
        ``diversity``, ``fusion``, ``plot()``.

    Raises
    ------
    InputError
        For fewer than two classifiers, an unknown column, missing scores (the classifier and
        its rows are named), a column of ids (see `systems`), unequal trials, one class, an
        empty region, and options out of range.
    InputTypeError
        For an object that is neither a frame nor Scores, and columns of text.
    DegenerateDataError, FitError
        For a classifier that is constant or cannot be fitted; it is named.

    Warns
    -----
    DuplicateWarning
        For two classifiers that put all trials in one order.
    SameDataWarning
        If dev and the frame hold the same scores.
    BetarocWarning
        What each fit has to say, with the classifier's name; kept in `Inclusion.messages`.

    Notes
    -----
    The learned fusion is a logistic regression with the penalty ``strength/2 |weights|^2`` on the
    mean loss, strength of 1 to 1e-4 by the log-loss of inner folds, which are the other folds.
    It sees logits of classifiers in [0, 1], of which an exact 0 or 1 gets a column of its own and
    stands at the mean of the logits, and the scores of others, all standardised. The gain is the
    mean over folds of the difference of both areas; its variance is the sum of DeLong's paired
    variances inside the folds over the number of folds squared (between groups, where there are
    groups), its interval Student's with Welch's degrees of freedom; the fusions are held fixed.
    Where fewer than 5 trials (or groups) of a class change their rank the interval is wider by
    -log(1 - level)/n, what may go unseen in n trials: two perfect classifiers add nothing to each
    other from 600 trials a class on. Over all FARs, whatever the region. Fewer than 3 folds or 6
    trials of a class leave the gain unmeasured. Processor time on 1500 trials a class: 0.3 s for
    4 classifiers, 10 s for 50.

    Of its own ROC near a border:

    * Where the region reaches FAR 0 or 1 the test of that end (`Fit.end_tests`) decides, if its
      p-value is at most 1 - level and the fitted curve is on the same side where one of all n
      scores is expected beyond, at FAR = 1/n or 1 - 1/n. For families whose ends are not tested
      the interval of the end exponent takes its place; masses at an end leave it to what follows.
    * Else the curve is judged there, at FAR = 1/n or 1 - 1/n: an end whose side cannot be told, or
      whose improper region holds less than one score, shows nothing, and the first score that
      could is asked.
    * At any other border the curve is judged at the border.

    There probit TPR - probit FAR is above or below 0 if its p-value (delta method, Student's t
    with Welch's degrees of freedom, as `Fit.interval`) is at most 1 - level. Two beta, two normal
    or two logit-normal distributions cross the diagonal once at most, so that both borders decide
    what lies between. For other pairs (point masses, mixtures) "include" and "exclude" also
    need that side, with the same confidence, at 31 FARs between. Where both classes have one
    distribution the curve is the diagonal, which is "exclude".

    The p-value is the largest of those it needs: each statement holds at the level,
    and so do all together. That of one of five words by chance is no more than that of its least
    certain statement. The distributions are taken as the right ones: see :func:`check_fit`.

    The weighted error is both criterion and measure unless told otherwise: a classifier that
    gives the others a better choice can only lower what the thresholds minimise, but may raise
    HTER at any alpha but 1/2, where a threshold is not meant to minimise it. At the low-FAR
    end targets are 20 FARs up to `ends`, at the high-FAR end FRRs, and the measure HTER (or the one
    given, if it is no weighted error).

    Fusing rules: mean of logits, mean of ranks, product, maximum, minimum, and vote: how many
    classifiers accept at their own dev threshold of the same alpha; how many votes are needed is
    chosen on dev. Where all scores lie in [0, 1] all but ranks and votes act on the scores
    themselves (infinite means stand beyond all finite ones), else, and where a trial has both an
    exact 0 and an exact 1, on mid-ranks among dev's scores, (below + equal/2 + 1/2)/(n + 1).
    A measure is linear in the rates, so that its mean over alpha is a mean over trials: the gain
    is a difference of class means of paired losses, its interval Student's with Welch's degrees
    of freedom, thresholds held fixed as in :func:`compare`.

    References
    ----------
    Omar and Ivrissimtzis, section 3.2: whether a weak classifier joins an ensemble may depend on
    its ROC being above the diagonal near thresholds 0 and 1. Bengio, S., Mariethoz, J. and
    Keller, M. (2005), The expected performance curve, section 5. DeLong, DeLong and
    Clarke-Pearson (1988): the paired variance of two areas. Hanley and Lippman-Hand (1983), If
    nothing goes wrong, is everything all right?: 3/n.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import betaroc as br
    >>> rng = np.random.default_rng(1)
    >>> frame = pd.DataFrame(
    ...     {
    ...         "label": [1] * 300 + [0] * 300,
    ...         "good": np.concatenate([rng.beta(4, 2, 300), rng.beta(2, 4, 300)]),
    ...         "hooked": np.concatenate([rng.beta(0.5, 0.4, 300), rng.beta(0.8, 1.9, 300)]),
    ...     }
    ... )
    >>> result = br.inclusion(frame)
    >>> [(str(verdict), verdict.marginal) for verdict in result.verdict.values()]
    [('include', 'include'), ('include', 'only at strict thresholds')]
    >>> result.fusion.gain("hooked", part="lax").high < 0.0  # there it does harm
    True
    """
    low, high = (checks.fraction(x, "region") for x in checks.span(region, "region"))
    region, level = (low, high), checks.level(level)
    folds = checks.count(folds, "folds", 2)
    result = systems_of(frame, label, client_label, systems, nan_policy, group)
    second = None
    if dev is not None:
        second = systems_of(dev, label, client_label, result.names, nan_policy, name="dev")
    parts = _parts(result, criterion, measure, alpha, ends)
    for first, role in ((result, "frame"), (second, "dev")):
        if first is not None:
            refuse_constant(first, role)
    if second is not None:
        warn_of_same_trials(result, second)
    dealt = _dealt(result, folds, rng, given=dev is not None)
    duplicates = duplicates_of(result)
    rules = {"boundary": boundary, "resolution": resolution}
    fits, messages = {}, []
    for k, (name, options) in enumerate(_options(result, family, rules).items()):
        fits[name], said = _fitted(result.scores(k), name, options)
        messages += said
    evidence = {name: roc_evidence(f, region, level) for name, f in fits.items()}
    learned_on = result if second is None else second
    inner = nested_folds(learned_on, folds, lambda k: _dealt(learned_on, k, rng, given=False))
    gains = learned_gains(result, inner, second, level)
    verdicts = {
        gain.system: verdict_of(
            fits[gain.system], evidence[gain.system], gain, region, level, result.sizes
        )
        for gain in gains
    }
    return Inclusion(
        result, second, fits, evidence, verdicts, region, level, parts, *dealt, duplicates,
        tuple(messages),
    )  # fmt: skip


# ------------------------------------------------------------------------- the arguments


def _options(systems: Systems, family: Any, rules: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What each classifier is fitted with; a rule for all is for distributions on [0, 1]."""
    families = _by_name(family, systems, "family", AUTO)
    pairs = {name: checked_pair(item, (AUTO, BEST)) for name, item in families.items()}
    both = np.concatenate([systems.client, systems.impostor])
    inside = np.all((both >= 0.0) & (both <= 1.0), axis=0)  # then "auto" is beta, else normal
    real = {name for name, unit in zip(systems.names, inside, strict=True) if not unit}
    spared = {name for name in real if AUTO in pairs[name]}
    if all(_REAL.issuperset(pair) for name, pair in pairs.items() if name not in spared):
        spared = set()  # no classifier has a family on [0, 1]: the fits refuse the rule
    options: dict[str, dict[str, Any]] = {name: {"family": item} for name, item in families.items()}
    for rule, argument in rules.items():
        for name, value in _by_name(argument, systems, rule, None).items():
            if value is not None and (isinstance(argument, Mapping) or name not in spared):
                options[name][rule] = value
    return options


def _by_name(value: Any, systems: Systems, role: str, other: Any) -> dict[str, Any]:
    """What was asked for of each classifier."""
    if not isinstance(value, Mapping):
        return dict.fromkeys(systems.names, value)
    unknown = [name for name in value if name not in systems.names]
    if unknown:
        raise InputError.about(role)(
            f"{role} must map names of classifiers to what they are fitted with;"
            f" {shown(unknown[0])} is none of {checks.listed(systems.names)}."
            f" {checks.nearest(unknown[0], list(systems.names))}Leave it out."
        )
    return {name: value.get(name, other) for name in systems.names}


def _fitted(scores: Scores, name: str, options: dict[str, Any]) -> tuple[Fit, list[str]]:
    """The fit of one classifier; its warnings and errors name it."""
    called = f"classifier {shown(name)}"
    with passed_on(f"{called}: ") as notices:
        try:
            result = fit(scores, **options)
        except BetarocError as error:
            raise error.reworded(f"{called}: " + error.template) from error
    return result, [Sentence(f"{called}: {template_of(notice.message)}") for notice in notices]


def _parts(
    systems: Systems, criterion: str, measure: str | None, alpha: Any, ends: float
) -> dict[str, CurvePart]:
    """All alphas of the criterion, and the targets of either end."""
    criterion = checks.choice(criterion, _CRITERIA, "criterion")
    if measure is None:
        measure = "weighted-error" if criterion == "weighted-error" else "hter"
    measure = checks.choice(measure, TRIAL_MEASURES, "measure")
    if measure == "weighted-error" and criterion != measure:
        raise InputError.about("measure")(
            'measure "weighted-error" needs criterion "weighted-error", whose alpha it shares; got'
            f' criterion {criterion!r}. Take measure="hter" or "dcf".'
        )
    alphas = checked_alphas(alpha, single=False, criterion=criterion)
    reach = checks.positive(ends, "ends")
    if reach > 0.5:
        rule, remedy = "be the largest target of either end, in (0, 0.5]", "Give a small rate."
        raise refusal("ends", rule, repr(reach), remedy)
    n_client, n_impostor = systems.sizes
    prior = n_client / (n_client + n_impostor)
    targets = reach * np.arange(1, _TARGETS + 1) / _TARGETS
    both = measure if measure != "weighted-error" else "hter"
    return {
        "all": CurvePart(criterion, measure, alphas, prior),
        "strict": CurvePart("far", both, targets, prior),
        "lax": CurvePart("frr", both, targets, prior),
    }


def _dealt(systems: Systems, folds: int, rng: Any, *, given: bool) -> tuple[IntArray, IntArray]:
    """The fold of each trial, every class dealt by itself; one fold beside a dev set."""
    if given:
        folds_of_class = (np.zeros(len(getattr(systems, w)), dtype=np.intp) for w in CLASSES)
    else:
        with quietly():
            curve = epc_cv(systems.scores(0), folds=folds, alpha=[0.5], rng=rng)
        folds_of_class = (x for x in (curve.client_folds, curve.impostor_folds))
    client, impostor = map(checks.frozen, folds_of_class)
    return client, impostor
