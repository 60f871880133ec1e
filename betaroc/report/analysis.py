"""Fit dev, try its thresholds on test, describe the curves."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from betaroc.core import arrays, checks, errors, notices, tables, vocabulary
from betaroc.core.text import format_value
from betaroc.core.value import Result, fields_of
from betaroc.data.read import ScoresLike, as_scores
from betaroc.data.scores import ScoreData, check_words_of_comparisons
from betaroc.data.summary import ScoreSummary, summary_numbers
from betaroc.decision import decide, threshold_methods
from betaroc.estimation import estimate, families
from betaroc.fits import family_choice, shape_tests, tail_fits
from betaroc.fits.check import chance_distances, distance_verdict, distances
from betaroc.fits.fit import Fit, best_fit, fit
from betaroc.model import measures, samples
from betaroc.model.model import ScoreModel
from betaroc.model.statistics import StatisticSpec, parse_statistic, parse_statistics
from betaroc.rendering import files, nouns, tree, tree_text
from betaroc.rendering.document import readable
from betaroc.report import page, score_set, sections
from betaroc.report.score_set import ObservedCurve, ObservedPoint, ScoreSet

_OF_TAILS = ("tails", "tail_sizes", "bounds")


@dataclass(frozen=True, eq=False, repr=False)
class Analysis(Result, nouns.Exportable):
    """The fit of dev, its curves, and its thresholds observed on the test sets.

    Made by :func:`analyze`.

    Parameters
    ----------
    dev : ScoreSet
        The development set: scores, fit, empirical model, distances.
    tests : tuple of ScoreSet
        The test sets, fitted by themselves where they can be.
    points : tuple of ObservedPoint
        Thresholds chosen on dev, with their rates on every set.
    curves : tuple of ObservedCurve
        For every test set the expected performance curves of dev's thresholds, by dev's fit and
        by its scores: ``.role``, ``.chosen_by``, ``.epc``, ``.band``.
    level, terms
        As in :func:`analyze`.
    family : str or pair of str
        The fitted family, or those of clients and of impostors.
    reason : str
        Why this family.
    seed : int or None
        Seed of the resampling and the checks; None for another source of randomness.
    beta : BetaPairFit or None
        One beta distribution per class: ``.suffices``, ``.reason``, ``.fit``; None where scores
        lie outside [0, 1].
    decision : Decision or None
        The threshold for the target; None where none is possible.
    checks : tuple of DecisionCheck or None
        What each test set says of it; None of a summary.
    no_decision : str
        Why there is no decision.
    target : str
        That asked for, such as "far=0.01"; empty by default, which is FAR 1 %.

    Attributes
    ----------
    notices : tuple of Notice
        Every warning, with its set: ``.category``, ``.message``.

    Examples
    --------
    >>> import betaroc as br
    >>> analysis = br.analyze(br.datasets.load_liveness().dev, family="empirical")
    >>> [point.key for point in analysis.points[:2]]
    ['eer', 'min-hter']
    """

    dev: ScoreSet
    tests: tuple[ScoreSet, ...]
    points: tuple[ObservedPoint, ...]
    curves: tuple[ObservedCurve, ...]
    level: float
    family: families.Names
    reason: str
    seed: int | None = None
    beta: sections.BetaPairFit | None = None
    terms: str = vocabulary.BIOMETRIC
    decision: decide.Decision | None = None
    checks: tuple[decide.DecisionCheck | None, ...] = ()
    no_decision: str = ""
    target: str = ""

    @property
    def parts(self) -> tuple[ScoreSet, ...]:
        """Dev, then the tests."""
        return (self.dev, *self.tests)

    @property
    def words(self) -> vocabulary.ClassWords:
        """What the classes are called in every set."""
        return vocabulary.shared_words(part.given.words for part in self.parts)

    def __repr__(self) -> str:
        sets = ", ".join(f"{part.role} {format_value(part.name, 24)}" for part in self.parts[:3])
        sets += f" and {len(self.tests) - 2} more" * (len(self.tests) > 2)
        return (
            f"<Analysis {families.family_text(self.family)}: {sets}; {len(self.notices)} warnings>"
        )

    def _view(self) -> Sequence[tree.Node]:
        return page.analysis_block(self)

    def summary(self) -> str:
        """The analysis as text.

        Returns
        -------
        str
            The threshold and its status, contradictions, the sections of the report, warnings.
        """
        alarms, warnings = page.doubts(self)
        first = [*page.contradicted_points(self)[1], *alarms, *filter(None, [self.dev.separation])]
        blocks = ["\n".join(page.decision_lines(self)), *["\n".join(first)] * bool(first)]
        sections = [tree.map_text(section, self._say) for section in page.sections_of(self)]
        blocks.append(tree_text.text_of(sections))
        blocks += ["\n".join(f"warning: {text}" for text in warnings)] * bool(warnings)
        return self._say("\n\n".join(blocks) + "\n")

    def _derived(self) -> dict[str, Any]:
        rows, lines = page.contradicted_points(self)
        warnings = [notice.message for notice in self.notices]
        return {
            "contradictions": [row._asdict() for row in rows],
            "contradicted": list(map(self._say, lines)),
            "warnings": list(map(self._say, warnings)),
        }

    def to_frame(self) -> tables.Table:
        """Return the operating points as a table, one row per threshold and score set.

        Returns
        -------
        DataFrame
            Of the library of dev's scores. Columns criterion, chosen_by ("model" or "scores"),
            set, of ("expected" by dev's distributions or "observed"), threshold, far, frr, hter;
            behind frr, where some trials have no score, fmr and fnmr of the others.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
        >>> dev, test = model.sample(60, 60, rng=1), model.sample(60, 60, rng=2)
        >>> br.analyze(dev, test, family="empirical").to_frame()["of"].tolist()[:3]
        ['expected', 'observed', 'observed']
        """
        rows: list[tuple[Any, ...]] = []
        far, frr, *made = score_set.rates_shown(self.parts)
        keys = far, frr, *made, "hter"
        for met in self.points:
            fit = self.dev.fit if met.chosen_by == "model" else None
            chooser = self.dev.empirical if fit is None else fit.model
            points = [(self.dev.role, "expected", chooser, met.expected)]
            observed = zip(self.parts, met.observed, strict=True)
            points += [(part.role, "observed", part.empirical, at) for part, at in observed]
            for role, of, model, at in points:
                rates = at.threshold, *(score_set.rate_at(key, model, at) for key in keys)
                rows.append((met.key, met.chosen_by, role, of, *rates))
        texts = ("criterion", "chosen_by", "set", "of")
        names = (*texts, "threshold", *keys)
        return tables.table_of(
            tables.columns_from_rows(rows, names, texts), self.dev.scores.library
        )

    def _metrics(self) -> dict[str, Any]:
        metrics: dict[str, Any] = {}
        for k, part in enumerate(self.parts):
            place = part.role.replace(" ", "_")
            models = {"": part.empirical} | ({} if part.fit is None else {"_fit": part.fit.model})
            for which, model in models.items():
                metrics[f"{place}/auc{which}"] = model.auc()
                metrics[f"{place}/eer{which}"] = model.eer().hter
            for met in self.points:
                for name in score_set.rates_shown([part]):
                    key = f"{place}/{name}/{met.key}_by_{met.chosen_by}"
                    metrics[key] = score_set.rate_at(name, part.empirical, met.observed[k])
        return metrics

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report, one self-contained page.

        Parameters
        ----------
        path : str or path-like
            Written whole or not at all.

        Raises
        ------
        OutputError
            If it cannot be written; what was there before is untouched.
        """
        files.page_target(path)  # before the work of drawing
        files.write_whole(path, page.render_report(self))


@notices.collect_warnings
def analyze(
    dev: ScoresLike,
    test: ScoresLike | Mapping[str, ScoresLike] | None = None,
    *,
    family: families.Names = families.BEST,
    boundary: str | None = None,
    resolution: float | None = None,
    tails: str | Mapping[str, str] | None = None,
    tail_sizes: int | Sequence[int] | None = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    rng: Any = 0,
    statistics: str | Sequence[str] = (),
    terms: str = vocabulary.BIOMETRIC,
    target: page.AnalysisTarget = None,
) -> Analysis:
    """Fit the scores of both classes, choose a threshold, and try it on test sets.

    Parameters
    ----------
    dev : Scores, ScoreSummary, frame, (y_true, y_score) or path
        The development set: it is fitted and chooses the thresholds.
    test : as dev, or mapping of name to these, optional
        Test sets on which dev's thresholds are tried.
    family : str or pair of str
        As in :func:`betaroc.fit`. "best" is chosen on dev alone, "auto" by the scores of all sets.
    boundary, resolution : optional
        The rules for scores of exactly 0 and 1 and for rounded ones, as in :func:`betaroc.fit`.
    tails, tail_sizes, bounds : optional
        As in :func:`betaroc.fit`; a test set that cannot have tails is fitted without, with a
        warning.
    level : float
        Confidence level of the intervals.
    rng : None, int, SeedSequence or Generator
        Source of the resampling and the checks; by a seed the same scores give the same report.
    statistics : sequence of str
        Further numbers of every set: names of :func:`statistics`, some with a point after "@",
        such as ``("tpr@far=0.001", "h-measure")``.
    terms : str
        Words of the rates: "biometric" (FAR, FRR), "matching" (FMR, FNMR, only
        where every trial has a score), "pad" (APCER, BPCER) or "ml" (FPR, FNR).
    target : mapping or str, optional
        What the threshold is for: ``{"far": 0.01}``, ``{"frr": 0.01}``, ``{"cost_fa": 10,
        "cost_fr": 1}``, or "eer"; "far=0.01" is the same as the first, and the default.

    Returns
    -------
    Analysis
        With ``.summary()``, ``.to_html(path)``, ``.to_json(path)``.

    Raises
    ------
    InputError, InputTypeError
        For whatever `betaroc.fit` refuses, a `level` outside (0, 1), an unknown statistic or one
        without its point, an `rng` or `target` that is none.
    FitError
        If dev cannot be fitted.

    Warns
    -----
    ExtrapolationWarning, MisfitWarning
        Of rates that `statistics` rest on.

    Notes
    -----
    If a test set cannot be fitted, a warning says why; dev's thresholds are still tried on it.
    Intervals of the curves hold dev's thresholds fixed: 2000 replicates of the test decisions, each
    alpha by itself. Fits are checked by 199 simulated score sets; checks, comparisons of families
    and the audit need every score. Counts of a summary are off by at most
    `ScoreSummary.rate_error`. The threshold is that of :func:`decide`.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    >>> analysis = br.analyze(model.sample(200, 300, rng=1), model.sample(200, 300, rng=2))
    >>> analysis.decision.how, analysis.checks[0].verdict
    ('guaranteed', 'cannot tell')
    """
    options = {
        "family": family, "boundary": boundary, "resolution": resolution,
        "tails": tails, "tail_sizes": tail_sizes,
        "bounds": None if bounds is None else checks.span(bounds, "bounds"),
    }  # fmt: skip
    return analyze_stepwise(
        dev, test, options, lambda: None, level=level, rng=rng, statistics=statistics, terms=terms,
        target=target,
    )  # fmt: skip


@notices.collect_warnings
def analyze_stepwise(
    dev: ScoresLike, test: ScoresLike | Mapping[str, ScoresLike] | None,
    options: Mapping[str, Any], step: Callable[[], object], *, level: float, rng: Any,
    statistics: str | Sequence[str] = (), terms: str = vocabulary.BIOMETRIC,
    target: page.AnalysisTarget = None,
) -> Analysis:  # fmt: skip
    """The analysis; ``step`` is called after each set."""
    level, terms = checks.level(level), checks.terms_of(terms).name
    aim = page.request_of(target, level)
    checks.generator(rng)  # a wrong one is no fault of a test set
    data: ScoreData = as_scores(dev, "dev")
    tests = _named_tests(test)
    absent = [value for value in (data, *tests.values()) if value.has_rejected]
    measures.rate_terms(terms, *(samples.empirical_model(value)._pair for value in absent))
    judge = Judge(level, rng, asked=parse_statistics(statistics))
    for stat in [statistics] if isinstance(statistics, str) else statistics:
        check_words_of_comparisons(stat, *absent)
    families.checked_pair(options["family"], (families.AUTO, families.BEST))
    family, reason = options["family"], f"chosen with family={options['family']!r}"
    if family == families.AUTO:
        ends = data._bounds_inside(options["bounds"])
        automatic_choice = families.automatic([data, *tests.values()], bounds=ends)
        families.check_rule(automatic_choice, options["boundary"])
        estimate.give(automatic_choice.notices)
        options = {**options, "family": automatic_choice.family}
        reason = automatic_choice.reason
    first = fitted_set("dev", data, options, judge, prefix="dev: ")
    # A decision on dev is fitted as dev was, which is not fitted again.
    compared = (
        first.quality.families if first.quality and options["family"] == families.BEST else None
    )
    fitting = threshold_methods.Fitting(
        options["family"], options["boundary"], options["resolution"],
        None if first.fit is None else (first.fit, compared), options["bounds"],
    )  # fmt: skip
    decision, no_decision = page.decision_of(data, aim._replace(terms=terms), fitting)
    step()
    if first.fit is not None:
        reason = first.fit.reason if family == families.BEST else reason
        tails = {} if options["tails"] is not None else {"tails": tail_fits.sides_of(first.fit)}
        options = {**options, "family": first.fit.family, **tails}  # test has no say in the choice
    parts = []
    for k, (name, scores) in enumerate(tests.items(), start=1):
        role = "test" if len(tests) == 1 else f"test {k}"
        parts.append(_test_part(role, name, scores, first, options, judge))
        step()
    curves = score_set.observed_curves(first, parts, level, rng)
    return Analysis(
        first, tuple(parts), score_set.observed_points(first, tuple(parts), level), curves, level,
        options["family"], reason, int(rng) if isinstance(rng, int | np.integer) else None,
        sections.beta_pair_of(first, options, level, rng), terms, decision,
        page.checks_of(decision, list(tests.values())), no_decision,
        "" if target is None else threshold_methods.target_text(aim),
    )  # fmt: skip


def _named_tests(test: ScoresLike | Mapping[str, ScoresLike] | None) -> dict[str, ScoreData]:
    if test is None:
        return {}
    if isinstance(test, Mapping) and all(isinstance(name, str) for name in test):
        return {name: as_scores(data, f"test[{format_value(name)}]") for name, data in test.items()}
    scores = as_scores(test, "test", "Scores, a ScoreSummary, a mapping of names to these")
    return {_name_of(scores, "test"): scores}


def _name_of(scores: ScoreData, otherwise: str) -> str:
    if scores.name or scores.source is None:
        return scores.name or otherwise
    return Path(scores.source.path).name


class Judge(NamedTuple):
    """What intervals and checks of all sets share."""

    level: float
    rng: Any
    #: Whether fits are checked and families compared.
    checks: bool = True
    #: Statistics that are wanted beside those of every set.
    asked: tuple[StatisticSpec, ...] = ()


def fitted_set(
    role: str, value: ScoreData, options: Mapping[str, Any], judge: Judge | None, *,
    prefix: str = "",
) -> ScoreSet:  # fmt: skip
    """A fitted score set, judged if there is a judge."""
    compared = None
    with notices.forward_warnings(prefix):
        if options["family"] == families.BEST:
            rules = options["boundary"], options["resolution"]
            bounds = value._bounds_inside(options["bounds"])
            compared = family_choice.best_comparison(value, *rules, bounds)
            tails = tail_fits.TailRequest.of(*(options[name] for name in _OF_TAILS))
            fitted = best_fit(value, *rules, compared, tails=tails, bounds=bounds)
        else:
            fitted = fit(value, **options)
        name = _name_of(value, role)
        return _set_of(role, name, value, fitted, judge, choose=True, compared=compared)


def _set_of(
    role: str, name: str, value: ScoreData, fitted: Fit | None, judge: Judge | None, *,
    choose: bool = False, compared: family_choice.FamilyComparison | str | None = None,
    shift: tuple[float, float] | None = None,
) -> ScoreSet:  # fmt: skip
    empirical = samples.empirical_model(value, name)
    scored = samples.empirical_model(value._scored, name) if value.has_rejected else empirical
    apart = None if fitted is None else distances(fitted._scored, scored)
    summary = value if isinstance(value, ScoreSummary) else None
    part = ScoreSet(role, name, value._as_scores(), fitted, empirical, apart, shift,
                    summary=summary)  # fmt: skip
    if judge is None:
        return part
    laws, (level, rng, checked, asked) = part.modelled, judge
    quality = None
    intervals = score_set.intervals_of(value, laws, empirical, level, asked=asked, rng=rng)
    if checked:
        quality = score_set.quality_of(value, laws, level, rng, choose=choose, compared=compared)
    return replace(part, intervals=intervals, quality=quality)


def _test_part(
    role: str, name: str, value: ScoreData, dev: ScoreSet, options: Mapping[str, Any], judge: Judge
) -> ScoreSet:
    fitted: Fit | None = None
    with notices.forward_warnings(f"{role}: "):
        if threshold_methods.digest_of(value) == threshold_methods.digest_of(dev.given):
            notices.warn(
                "the scores are dev's own, so its thresholds look better here than on new data."
                " Pass scores that took no part in choosing them.",
                errors.SameDataWarning,
            )
        try:
            try:
                fitted = fit(value, **options)
            except (errors.FitError, errors.InputError) as error:
                if options["tails"] is None:
                    raise
                notices.warn("fitted without tails. " + error.template, errors.BetarocWarning)
                fitted = fit(value, **{**options, **dict.fromkeys(_OF_TAILS[:2])})
        except (errors.FitError, errors.InputError) as error:
            notices.warn("not fitted. " + error.template, errors.BetarocWarning)
            estimate.reversed_scores(*value._distributions)  # which the fit would have said
        first, second = dev.scored.empirical, samples.empirical_model(value._scored)
        client = ScoreModel(first.client, second.client).ks()
        impostor = ScoreModel(first.impostor, second.impostor).ks()
        return _set_of(role, name, value, fitted, judge, shift=(client, impostor))


# ------------------------------------------------------------------------ the shell's JSON
_OF_CLASS = ("family", "params", "std_errors", "n", "total_weight", "log_likelihood", "aic", "bic",
             "converged", "iterations", "gradient_norm", "boundary")  # fmt: skip


def _curve_numbers(model: ScoreModel) -> dict[str, Any]:
    at = parse_statistic(score_set.EER_THRESHOLD).value(model)
    made = score_set.MADE if measures.some_rejected(model._pair) else ()
    return {
        **{name: parse_statistic(name).number(model) for name in ("auc", "eer", "ks")},
        "eer_threshold": at.threshold,
        "eer_logit_threshold": at.logit_threshold,
        **{f"{key}_at_eer": score_set.rate_at(key, model, at) for key in made},
    }


def fit_document(part: ScoreSet, reason: str) -> dict[str, Any]:
    """A fitted score set as ``betaroc fit --json`` writes it."""
    fit, of, tests = part.fit, part.intervals, part.curve_tests
    if fit is None or of is None or tests is None:
        return {}
    shapes = fit.model.shape_category()
    sides = {"fitted": of.model, **fields_of(of, "scores", *arrays.CLASSES)}
    quality = {} if part.quality is None else {
        "quality": {"statuses": readable(part.statuses), **readable(part.quality)}
    }  # fmt: skip
    return {
        **fields_of(fit, "family", "log_likelihood", "aic", "bic"),
        **{who: readable(fields_of(getattr(fit, who), *_OF_CLASS)) for who in arrays.CLASSES},
        "prior": fit.model.prior,
        **_curve_numbers(fit.model),
        "semi_derivatives": readable(fit.model.semi_derivatives()),
        "ends": asdict(fit.model.ends()),
        "global_shape": fit.model.global_shape(),
        "shape_category": [s.value for s in shapes] if isinstance(shapes, tuple) else None,
        "diagonal_crossings": readable(fit.model.diagonal_crossings()),
        "reason": reason,
        "name": part.name,
        "source": readable(part.scores.source),
        **dict(zip(("n_client", "n_impostor"), part.sizes, strict=True)),
        **summary_numbers(part.given),
        "empirical": _curve_numbers(part.empirical),
        "distances": readable(part.distances),
        "intervals": {
            **fields_of(of, "level", "groups"),
            **{side: {m.key: readable(m) for m in rows} for side, rows in sides.items()},
        },
        "confidence": {
            "ends": readable(tests.ends),
            "curve": tests.curve and readable(tests.curve) | {"finding": tests.curve.finding},
            "shapes": tests.shapes,
            "why_none": tests.why,
            "hooks": readable(shape_tests.counted_hooks(tests.fit)) if "all" in tests.why else [],
        },
        **quality,
    }


def system_document(name: str, part: ScoreSet, reason: str, level: float) -> dict[str, Any]:
    """The numbers of a system among several."""
    fit, source, off = part.fit, part.scores.source, part.distances
    if fit is None or off is None:
        return {}
    distances, noise = (off.client, off.impostor), chance_distances(part.scores, level)
    models = {"": fit.model, "_counted": part.empirical}
    return {
        "system": name, "source": source and source.path, "family": fit.family, "reason": reason,
        **{
            who: readable(fields_of(getattr(fit, who), *_OF_CLASS))
            | {"distance": distance, "verdict": verdict}
            for who, distance, verdict in zip(
                arrays.CLASSES, distances, map(distance_verdict, distances, noise), strict=True
            )
        },
        **{f"auc{by}": model.auc() for by, model in models.items()},
        **{f"eer{by}": float(model.eer().hter) for by, model in models.items()},
    }  # fmt: skip
