"""The sections of an analysis, for the page and for a terminal.

A side, or a shape, is stated if its probability reaches the level, or its p-value 1 - level. Else
about so many scores would tell it:

    n wanted = n ((z of the level + z of POWER) / z)^2,   z that of the least certain sign
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from betaroc.core import arrays, errors, local_files, notices, special, value, vocabulary
from betaroc.core.text import sentence
from betaroc.core.thresholds import mirror
from betaroc.core.vocabulary import CLIENT, EER, FAR, FRR, IMPOSTOR, TNR, TPR
from betaroc.data import scores, summary
from betaroc.decision.curve import cautions, curve_view, loss_words
from betaroc.decision.epc import epc
from betaroc.estimation.families import has_shapes, in_classes, is_of_counts
from betaroc.fits import curve_words, family_choice, shape_tests, tail_fits
from betaroc.fits.check import check_fit, targets_grid
from betaroc.fits.fit import Fit, fit, fit_families, law_rows
from betaroc.fits.ratings import rating_nodes
from betaroc.rendering import numbers, tree
from betaroc.rendering.numbers import level_words, number, percent, spaced, threshold
from betaroc.rendering.tree import Cell, Figure, Grid, Group, Node, Paragraph, Row, Section
from betaroc.report import score_set
from betaroc.report.score_set import NamedSets, ObservedPoint, ScoreSet


# ------------------------------------------------------------------------------ the section
def _curve_sentences(part: ScoreSet) -> list[str]:
    lines = [] if part.curve_tests is None else curve_words.curve_sentences(part.curve_tests)
    return list(map(vocabulary.in_matching_rates, lines)) if part.has_rejected else lines


def ends_section(sets: NamedSets, more: Sequence[Node] = ()) -> Section:
    """The first set's curve in words, the ends of all."""
    several, (first, role) = len(sets) > 1, sets[0]
    modelled = [pair for pair in sets if pair[0].fit and not is_of_counts(pair[0].fit.family)]
    blocks: list[Node] = [Paragraph(
        f"Ends and shape are those of the curve of the {vocabulary.TRIALS} that have a score, and"
        " rates named with them are of comparisons made.", "note",
    )] * any(part.has_rejected for part, _ in sets)  # fmt: skip
    lines = _curve_sentences(first)
    if lines and several:
        lines[0] = f"{role}: {lines[0][:1].lower()}{lines[0][1:]}"
    blocks += [tree.Bullets(tuple(lines))] * bool(lines)
    if modelled:
        head = ("end", "diagonal", "semi-derivative dF_i/dF_c", "ROC slope", "exponent",
                "coefficient")  # fmt: skip
        words = (0, 1) if len(modelled) > 1 else (1,)
        blocks += [tree.grouped(modelled, head, _end_rows, words), Paragraph(
            f"Towards the low end {TNR} ~ K {FRR}^ρ, towards the high end {FAR} ~ K"
            f" {TPR}^ρ, with exponent ρ and coefficient K (none: no such power law; exponent"
            " 0 or inf: one class is alone at that end). “Not seen”: past a crossing of which"
            " the scores show nothing. p: of the curve on the diagonal at that end. All is of"
            " the fitted distributions; few scores, or none, lie where it holds.", "legend",
        )]  # fmt: skip
        blocks += score_set.notes_by_set(modelled, partial(score_set.without_interval, ends=True))
    claims = dict[str, list[str]]()
    for part, name in modelled:
        if part.curve_tests is not None:
            claim = curve_words.whole_curve(part.curve_tests)[0]
            claim = "by the fit " * claim.startswith("the ROC ") + claim
            claims.setdefault(claim, []).append(name)
    each = (f"{tree.first_n(roles)}: " * several + claim for claim, roles in claims.items())
    finding = "; ".join(each) or "not modelled"
    return Section("Ends and shapes of the fitted ROC", (*blocks, *more), finding, "ends")


def _end_rows(part: ScoreSet) -> list[tree.RowCells]:
    part = part.scored
    model, tests = part.fit.model if part.fit is not None else part.empirical, part.curve_tests
    unit = model.client.on_unit and model.impostor.on_unit
    ends = model.ends()
    of = () if part.intervals is None else part.intervals.model
    intervals = {m.key: m for m in of if not m.why}
    unseen = curve_words.unseen_ends(model, (part.scores.client_total, part.scores.impostor_total))

    def cell(name: str, key: str, text: str) -> Cell:
        measured = intervals.get(f"{name}-{key.replace('_', '-')}")
        return score_set.measured_cell(measured, partial(number, digits=3), text)

    rows: list[tree.RowCells] = []
    for where, key in (
        ("threshold 0" if unit else "low end", "at_zero"),
        ("threshold 1" if unit else "high end", "at_one"),
    ):
        end = getattr(ends, key)
        rows.append((
            where, _side(end.side, tests, key) + ", not seen" * (key in unseen),
            number(end.semi_derivative, 4), number(end.roc_slope, 4),
            cell("exponent", key, number(end.exponent, 4)),
            cell("coefficient", key, "none" if math.isnan(end.coefficient)
                 else number(end.coefficient, 4)),
        ))  # fmt: skip
    return rows


def _side(fitted: str, tests: curve_words.CurveTests | None, key: str) -> str:
    if tests is not None and tests.ends is not None:
        test = getattr(tests.ends, key)
        if math.isnan(test.p_value):
            return str(test.side)
        few_counts = ", the counts cannot tell" * ("the counts cannot tell" in test.note)
        return f"{test.side} ({shape_tests.p_words(test.p_value)}{few_counts})"
    contradicted = tests is not None and shape_tests.CONTRADICTED in tests.counts.get(key, "")
    return shape_tests.CONTRADICTED if contradicted else f"{fitted}, as fitted"


# ------------------------------------------------------ one beta distribution of each class
#: Score sets simulated for the check of such a pair, of which only the word is said.
_REPLICATES = 99
_WORD = {
    "yes": "One beta distribution per class suffices",
    "no": "One beta distribution per class does not suffice",
    "cannot tell": "Whether one beta distribution per class suffices, these scores cannot tell",
}


@dataclass(frozen=True, eq=False, repr=False)
class BetaPairFit(value.Value):
    """Whether one beta distribution per class suffices on dev, and why."""

    fit: Fit | None
    same: bool
    suffices: str
    reason: str
    level: float


def beta_pair_of(
    dev: ScoreSet, options: Mapping[str, Any], level: float, rng: Any
) -> BetaPairFit | None:
    """The plain beta pair of dev, if it has one."""
    ends = [end for who in arrays.CLASSES for end in dev.given._extremes(who)]
    ends = [mirror(end, dev.given.lower_is_client) for end in ends]
    if min(ends) < 0.0 or max(ends) > 1.0:
        return None
    same, quality = dev.fit is not None and has_shapes(dev.fit.family), dev.quality
    check, pair = None if quality is None else quality.check, dev.fit
    if not same:
        with notices.suppress_warnings():
            try:
                pair, check = fit(dev.given, **{**options, "family": "beta"}), None
            except errors.BetarocError as error:
                why = f"not fitted: {vocabulary.for_readers(error.template)}"
                return BetaPairFit(None, False, "cannot tell", why, level)
            if dev.summary is None:
                with suppress(errors.BetarocError):
                    check = check_fit(pair, replicates=_REPLICATES, level=level, rng=rng)
    families, why = (None, "") if quality is None else (quality.families, quality.uncompared)
    return BetaPairFit(pair, same, *family_choice.one_beta_suffices(families, check, why), level)


def beta_pair_section(pair: BetaPairFit, dev: ScoreSet) -> Section:
    """Whether the pair suffices; its parameters and curve."""
    words = sentence(f"{_WORD[pair.suffices]}: {vocabulary.template_of(pair.reason)}")
    words += " The numbers above are of this pair." * pair.same
    blocks: list[Node] = [Paragraph(words)]
    if pair.fit is not None and not pair.same:
        laws = ("client", pair.fit.client), ("impostor", pair.fit.impostor)
        # Standard errors alone: intervals are those of the fit that the numbers are of.
        rows = [row if isinstance(row, Group) else Row(row[:4])
                for who, law in laws for row in law_rows(who, law)]  # fmt: skip
        head = "class of dev", "parameter", "estimate", "standard error"
        blocks.append(Grid(head, tuple(rows), (1,)))
        blocks.append(tree.Bullets(tuple(_curve_sentences(replace(dev, fit=pair.fit)))))
    return Section("One beta distribution per class", tuple(blocks))


#: Fewer expected scores than this beyond a threshold are said.
_FEW = 5.0
#: So many sets stand beside each other in a table of operating points.
_BESIDE = 4


def _with_level(title: str, part: ScoreSet) -> str:
    of = part.intervals
    return title if of is None else f"{title}, {level_words(of.level)} interval"


def _by_set(sets: NamedSets, blocks: Sequence[Sequence[Node]]) -> list[Node]:
    if len(sets) == 1:
        return [*blocks[0]]
    named = zip(sets, blocks, strict=True)
    return [Section(role, tuple(nodes)) for (_, role), nodes in named if nodes]


# ------------------------------------------------------------------------------ what was read
def read_section(sets: NamedSets, reason: str) -> Section:
    """Files, numbers of scores, family."""
    (dev, _), *tests = sets
    coarse = [(role, summary.summary_words(part.given)) for part, role in sets]
    family = "" if dev.fit is None else fit_families(dev.fit)
    if dev.quality is not None and dev.quality.families is not None:
        reason = reason.partition(": ")[0]  # the rest stands beside the families compared
    because = f"; {vocabulary.template_of(reason)}" if reason else ""
    lines = [sentence(f"Family: {family}{because}")] * bool(family)
    for part, role in tests if dev.fit else sets:
        if part.fit is None:
            lines.append(f"{role}: not fitted; a warning says why.")
        elif fit_families(part.fit) != family:
            lines.append(f"{role}: fitted by {fit_families(part.fit)}.")
    once = "One family serves all sets; the fit and the thresholds come from dev alone."
    lines += [once] * bool(tests)
    rule = f"What is above the threshold is {vocabulary.ACCEPTED}"
    if dev.given.lower_is_client:
        rule = f"What is below the threshold is {vocabulary.ACCEPTED}; distributions are of -s"
    lines.append(f"{rule}; nothing was rescaled, flipped or dropped unless a line here says so.")
    sizes, absent, dropped = [], 0, 0
    for part, role in sets:
        counts = (f"{spaced(n)} {vocabulary.members(who, n)}"
                  for n, who in zip(part.sizes, arrays.CLASSES, strict=True))  # fmt: skip
        sizes.append(" and ".join(counts) + f" of {role}" * bool(tests))
        absent += part.scores.n_client_rejected + part.scores.n_impostor_rejected
        dropped += 0 if part.scores.source is None else part.scores.source.n_dropped
    missing = [f"{absent} without a {vocabulary.SCORE}"] * bool(absent)
    missing += [f"{dropped} without a {vocabulary.SCORE} left out"] * bool(dropped)
    finding = f"{tree.first_n(sizes)}; {'; '.join(missing) or f'none lacks a {vocabulary.SCORE}'}"
    sources = [part.scores.source for part, _ in sets]
    files = local_files.file_names(source.path for source in sources if source is not None)

    def rows(part: ScoreSet) -> list[tree.RowCells]:
        source = part.scores.source
        name = part.name if source is None else files[source.path]
        return scores.source_rows(part.given, tree.foreign(name, path=source is not None))

    blocks: list[Node] = [Paragraph(f"{role}: {words}.", "note") for role, words in coarse if words]
    blocks += [tree.grouped(sets, scores.CLASS_HEAD, rows), Paragraph(" ".join(lines))]
    return Section("What was read", tuple(blocks), finding, "read")


# ------------------------------------------------------------------------------ measures
_MEASURES: dict[str, tuple[str, Callable[[float], str]]] = {
    "auc": ("AUC", partial(number, digits=5)),
    "eer": (EER, percent),
    "threshold@eer": (f"{EER} threshold", partial(threshold, logit=math.nan)),
    score_set.TPR_AT_LOW_FAR: (f"{TPR} at {FAR} {percent(score_set.LOW_FAR)}", percent),
    "ks": ("KS", partial(number, digits=4)),
}
#: What is said of the marks beside an interval.
_MARKS = {
    "outside": "“Outside”: the number lies outside its own interval, which the scores draw: they"
    " contradict the fit, so count, or compare families",
    "extrapolated": "“Extrapolated”: less than one score (group) is expected beyond the rate, so no"
    " score speaks for the number",
}


def measures_section(sets: NamedSets, figures: Sequence[Figure] = ()) -> Section:
    """AUC, EER, TPR at FAR 1 %, KS and further numbers."""
    modelled, first = any(part.modelled for part, _ in sets), sets[0][0]
    head = [_with_level(of, first) for of in ("scores", *["fitted"] * modelled)]

    def rows(part: ScoreSet) -> list[tree.RowCells]:
        absent = ("not fitted",) * (modelled and part.modelled is None)
        return [(*row, *absent) for row in _measure_rows(part)]

    several = len(sets) > 1
    areas = (f"{number(part.empirical.auc(), 3)}{f' on {role}' * several}" for part, role in sets)
    pictures = (tree.Figures(tuple(figures)),) * bool(figures)
    grid = tree.grouped(sets, ["measure", *head], rows, (0,) if several else ())
    notes = score_set.notes_by_set(sets, _notes_of)
    finding = f"AUC {tree.first_n(areas)}"
    return Section("ROC and DET", (*pictures, grid, *notes), finding, "curves")


def _measure_rows(part: ScoreSet) -> list[tree.RowCells]:
    of, rows = part.intervals, list[tree.RowCells]()
    if of is None:
        return rows
    sides = [{m.key: m for m in side} for side in (of.scores, of.model) if side]
    measures = _MEASURES | {
        str(stat): (f"{stat.row.title}{stat.where.words}", partial(number, digits=5))
        for stat in of.asked
    }
    for key, (title, say) in measures.items():
        cells = (score_set.measured_cell(side[key], say, say(side[key].estimate)) for side in sides)
        rows.append((title, *cells))
    models = [part.empirical, *[fit.model for fit in (part.modelled,) if fit is not None]]
    for key in score_set.rates_shown([part])[len(score_set.SHOWN_RATES) :]:  # of comparisons made
        values = (Cell(percent(score_set.rate_at(key, model, model.eer()))) for model in models)
        rows.append((f"{vocabulary.short_name(key)} at {EER} threshold", *values))
    return rows


def _notes_of(part: ScoreSet) -> list[str]:
    notes = []
    if part.summary is not None:
        notes.append("Intervals of scores hold what bins can be off")
    if part.intervals is not None and part.intervals.groups is not None:
        notes.append(
            f"Intervals take {part.intervals.groups} groups as what varies; standard errors and the"
            f" check of the fit take {vocabulary.TRIALS} as independent"
        )
    spans = [cell.span for row in _measure_rows(part) for cell in row if isinstance(cell, Cell)]
    notes += [words for mark, words in _MARKS.items() if any(mark in span for span in spans)]
    return notes + score_set.without_interval(part)


# ------------------------------------------------------------------------------ parameters
def parameters_section(sets: NamedSets) -> Section:
    """Parameters of both distributions, with their intervals."""
    head = ("class", "parameter", _with_level("estimate", sets[0][0]), "standard error",
            "interval by")  # fmt: skip

    def rows(part: ScoreSet) -> list[tree.RowCells | Group]:
        fit, table = part.fit, list[tree.RowCells | Group]()
        if fit is None:
            return []
        for who in arrays.CLASSES:
            cells = {}
            for m in () if part.intervals is None else getattr(part.intervals, who):
                cells[m.key] = score_set.measured_cell(m, number, number(m.estimate)), m.method
            table += law_rows(who, getattr(fit, who), cells)
        criteria = (
            f"log-likelihood {number(fit.log_likelihood)}, AIC {number(fit.aic)}, BIC"
            f" {number(fit.bic)}"
        )
        return [*table, Group("", criteria if table else "the scores themselves, no parameters")]

    words = (0, 1, 4) if len(sets) > 1 else (1, 4)
    tables = [node for part, _ in sets if part.fit for node in rating_nodes(part.fit)]
    table = tree.grouped(sets, head, rows, words)
    return Section("Parameters", (table, *tables), "", "parameters")


# ------------------------------------------------------------------------------ operating points
def points_section(points: Sequence[ObservedPoint], sets: NamedSets, level: float) -> Section:
    """Dev's thresholds and their rates on every set."""
    blocks: list[Node] = [Paragraph(
        "No test set was given: rates of the scores that chose the thresholds, or were fitted, look"
        " better than new ones will."
    )] * (len(sets) == 1)  # fmt: skip
    blocks += points_grids(points, sets, level)
    blocks.append(Paragraph(
        f"{level_words(level)} intervals: of the fit at that threshold; of a test set Clopper and"
        " Pearson’s, with groups by the delta method. What dev counts has none: its scores chose"
        " the threshold or were fitted.", "legend",
    ))  # fmt: skip
    # The threshold that stands for the others: of the fit where there is one.
    met = next(met for met in points if met.key == "eer")
    finding = f"at dev's {EER} threshold {FAR} {percent(met.expected.far)} expected"
    if len(sets) > 1:
        k = max(range(1, len(sets)), key=lambda k: met.observed[k].far)
        finding += f", {percent(met.observed[k].far)} observed on {sets[k][1]}"
        finding += ", the highest" * (len(sets) > 2)
    return Section("Operating points", tuple(blocks), finding, "points")


def points_grids(points: Sequence[ObservedPoint], sets: NamedSets, level: float) -> list[Grid]:
    """The rates at thresholds, a table for each few sets."""
    keys = score_set.rates_shown([part for part, _ in sets])
    grids = []
    for start in range(0, len(sets), _BESIDE):
        some = range(start, min(start + _BESIDE, len(sets)))
        head: list[Cell | str] = ["threshold of", "threshold"]
        for k in some:
            of = sets[k][1] if k else "dev, expected"
            head += [Cell(vocabulary.short_name(key), of) for key in keys]
        rows: list[Row | Group] = []
        for chosen_by, title in (("model", "By dev’s fitted distributions"),
                                 ("scores", "On dev’s scores")):  # fmt: skip
            chosen = [met for met in points if met.chosen_by == chosen_by]
            rows += [Group(title)] * bool(chosen)
            for met in chosen:
                rows += _point_rows(met, sets, some, keys, level)
        grids.append(Grid(tuple(head), tuple(rows)))
    return grids


def _point_rows(
    met: ObservedPoint, sets: NamedSets, some: Sequence[int], keys: Sequence[str], level: float
) -> Iterator[Row | Group]:
    point, (dev, _), cells = met.expected, sets[0], list[Cell]()
    for k in some:
        part, at = sets[k][0], met.observed[k]
        model, rates = part.empirical, met.observed_intervals[k - 1] if k else ()
        if k == 0 and met.chosen_by == "model" and dev.fit is not None:
            model, at, rates = dev.fit.model, point, met.expected_intervals
        ends = {m.key: m for m in rates if not m.why}
        for key in keys:
            rate = score_set.rate_at(key, model, at)
            cell = score_set.measured_cell(ends.get(key), percent, percent(rate))
            note = _counted_on_dev(met, dev, key, level) if k == 0 else ""
            cells.append(replace(cell, note=note))
    title = vocabulary.template_of(met.title).removesuffix(" by dev's fit")
    place = threshold(point.threshold, point.logit_threshold, lower=point.lower_is_client)
    yield Row((Cell(title, note=_support(met, dev) if 0 in some else ""), place, *cells))
    if 0 in some and met.contradicted_by:
        yield Group("", f"Dev’s scores contradict the fit: {'; '.join(met.contradicted_by)}.")


def _counted_on_dev(met: ObservedPoint, dev: ScoreSet, key: str, level: float) -> str:
    if met.chosen_by == "model":
        return f"{percent(score_set.rate_at(key, dev.empirical, met.observed[0]))} counted"
    total = dev.scores.impostor_total if key == "far" else dev.scores.client_total
    aim = score_set.target(met.key)
    if aim is None or aim[0] != key or total * aim[1] >= 1.0:
        return ""
    return f"none of {number(total)}: up to {percent(special.rate_of_none(total, level))}"


def _support(met: ObservedPoint, dev: ScoreSet) -> str:
    """The few of dev's scores beyond a fitted threshold."""
    if met.chosen_by != "model" or met.expected.n_beyond is None or dev.fit is None:
        return ""
    groups, beyond = dev.fit._evidence.groups is not None, []
    for who, n in zip(arrays.CLASSES, met.expected.n_beyond, strict=True):
        if n < _FEW:
            few = number(n, 2) if n >= 0.01 else "below 0.01"
            slot = f"{vocabulary.CLASS_SLOTS[who][0]} groups" if groups else vocabulary.members(who)
            beyond.append(f"{few} {slot}")
    extrapolated = ", extrapolated" if met.expected.extrapolated else ""
    return f"{' and '.join(beyond)} beyond{extrapolated}" if beyond else ""


# ------------------------------------------------------- expected performance curves
def curves_sections(
    curves: Sequence[score_set.ObservedCurve], sets: NamedSets, terms: str, *, drawn: bool
) -> list[Section]:
    """The curves of dev's thresholds, if there are some."""
    blocks = []
    for part, _ in sets[1:]:
        nodes = list[Node]()
        for curve in (curve for curve in curves if curve.role == part.role):
            chosen = f"Thresholds chosen {score_set.BY[curve.chosen_by]}"
            if nodes:
                words = " ".join([loss_words(curve.epc), *cautions(curve.epc)])
                nodes.append(Paragraph(f"{chosen}: {words}", "note"))
                continue
            nodes.append(Paragraph(f"{chosen}.", "note"))
            for node in curve_view(curve.epc, curve.band, picture=drawn, terms=terms):
                nodes.append(tree.Figures((node,)) if isinstance(node, Figure) else node)
        blocks.append(nodes)
    findings = [loss_words(curve.epc).partition(", a change")[0] for curve in curves[:1]]
    shown = tuple(_by_set(sets[1:], blocks))
    return [Section("Expected performance curves", shown, words, "epc") for words in findings]


def strata_sections(sets: NamedSets, terms: str, *, drawn: bool) -> list[Section]:
    """The fit of each stratum of dev, and its curves at the thresholds of the worst."""
    dev, scored = sets[0][0].given, sets[0][0].scored
    if not isinstance(dev, scores.Scores) or max(map(len, dev.strata)) < 2 or scored.fit is None:
        return []
    try:
        with notices.suppress_warnings():
            fits = fit(dev, scored.fit.family, by="stratum")
            blocks = [*fits._view(terms)]
            tests = [part.given for part, _ in sets[1:] if max(map(len, part.given.strata)) > 1]
            for test in tests[:1]:
                blocks += curve_view(epc(dev, test, over="worst"), picture=drawn, terms=terms)
    except errors.BetarocError as error:
        return [Section("Each stratum by itself", (Paragraph(str(error)),), "not fitted", "each")]
    shown = [tree.Figures((b,)) if isinstance(b, Figure) else b for b in blocks]
    shown = [b for b in shown if drawn or not isinstance(b, tree.Figures)]
    first = tree.foreign(fits.stratum[fits._order[0]]).short
    return [Section("Each stratum by itself", tuple(shown), f"the costliest is {first}", "each")]


# ------------------------------------------------------------------------------ checks
def checks_section(
    sets: NamedSets, seed: int | None = None, figures: Sequence[Figure] = ()
) -> Section:
    """Verdicts, tests and distances of every fit."""
    title, modelled = "Can the fit be believed?", [pair for pair in sets if pair[0].modelled]
    if not modelled:
        verdicts = [status.node(role) for part, role in sets for status in part.statuses]
        none = Paragraph("No distributions were fitted: there is nothing to check.")
        return Section(title, (*verdicts, none), "no distributions were fitted", "checks")
    nodes: list[Node] = [Paragraph(
        f"Checks, tails and families are of the {vocabulary.TRIALS} that have a score; rates asked"
        f" are of all {vocabulary.TRIALS}."
    )] * any(part.has_rejected for part, _ in sets)  # fmt: skip
    blocks = [_check(part, figures if k == 0 else ()) for k, (part, _) in enumerate(modelled)]
    nodes += _by_set(modelled, blocks)
    findings, distances, drawn = [], list[Row](), 0
    for part, role in sets:
        if part.statuses:
            words = (f"{status.of} {status.verdict}" for status in part.statuses)
            findings.append(f"{role}: {', '.join(words)}")
        if part.distances is not None and part.modelled:
            off = (number(getattr(part.distances, of), 3) for of in (*arrays.CLASSES, "roc"))
            distances.append(Row((f"{role}: fitted distributions against its scores", *off)))
        if part.shift is not None:
            off = (number(shift, 3) for shift in part.shift)
            distances.append(Row((f"{role}: its scores against dev’s scores", *off, "")))
        if part.quality is not None and part.quality.check is not None:
            drawn = max(drawn, part.quality.check.replicates)
    head = "largest distance", CLIENT, IMPOSTOR, "ROC"
    nodes += [Grid(head, tuple(distances))] * bool(distances)
    by_seed = "" if seed is None else f", seed {seed}"
    least = number(1.0 / (1 + drawn), 3)
    draws = f" {drawn} simulated score sets{by_seed}, so that no p-value is below {least}."
    rules = Paragraph(
        "Curve: good, the whole interval of the distance is within the tolerance; poor, it is"
        " beyond; cannot tell, it reaches across. Two distributions that are wrong in the same way"
        " have a good ROC and wrong rates. Rates: good, the exact interval of the rate counted at"
        " the fit’s own threshold lies within a factor of 3 of the rate expected; poor, it has no"
        f" point within a factor of 1.25; down to 5 expected scores.{draws * bool(drawn)} Distances"
        f" of distribution functions and ROCs take {vocabulary.TRIALS} as independent.", "legend",
    )  # fmt: skip
    nodes.append(Section("Rules of these verdicts", (rules,), folded=True))
    return Section(title, tuple(nodes), tree.first_n(findings, "; ") or "not checked", "checks")


def _check(part: ScoreSet, figures: Sequence[Figure]) -> list[Node]:
    quality, fit = part.quality, part.scored.fit
    nodes: list[Node] = [status.node() for status in part.statuses]
    nodes += [tree.Figures(tuple(figures))] * bool(figures)
    if quality is None:
        return nodes
    with_tails = fit is not None and bool(fit.client.tails or fit.impostor.tails)
    if quality.check is not None:
        nodes += quality.check._tables(", without tails" * with_tails)
    elif quality.targets:
        nodes.append(targets_grid(quality.targets))
    tails = tuple(
        vocabulary.capital(sentence(words)) for words in tail_fits.tail_words(quality.audit)
    )
    return nodes + [tree.Bullets(tails)] * bool(tails)


# ------------------------------------------------------------------------------ families
def families_section(part: ScoreSet, role: str, more: Sequence[Node] = ()) -> Section:
    """The families side by side."""
    quality, finding, nodes = part.quality, "not compared", list[Node]()
    families = None if quality is None else quality.families
    if quality is not None and families is not None:
        alone = len({row.who for row in families.rows}) == len(families.rows)
        finding = f"{'only' if alone else 'recommended'} "
        finding += " and ".join(dict.fromkeys(families.recommended))
        if part.modelled is not None:
            fitted, best = map(in_classes, (part.modelled.family, quality.recommended))
            remark = "no other family was compared" if alone else "it is the recommended one"
            words = f"fitted {fitted}; {remark}." if fitted == best else (
                f"another family is recommended, {best}; what stands here is of the one fitted,"
                f" {fitted}.")  # fmt: skip
            nodes.append(Paragraph(f"{part.role}: {words}"))
        nodes += families._view()
    elif quality is not None and quality.uncompared:
        nodes.append(Paragraph(f"{role}: not compared: {sentence(quality.uncompared)}"))
        none = f"{role}: no distribution can be recommended on these scores."
        nodes += [Paragraph(none)] * bool(quality.recommended)
    if part.has_rejected:
        nodes = [tree.map_text(node, vocabulary.in_matching_rates) for node in nodes]
    nodes.append(Paragraph(
        "z: difference of held-out scores to the best in standard errors. Recommended: the fewest"
        " parameters within half a standard error of the best. Vuong z: of log-likelihoods to it.",
        "legend",
    ))  # fmt: skip
    return Section("Families of distributions", (*nodes, *more), finding, "families")


# ------------------------------------------------------------------------------ sensitivity
def sensitivity_section(sets: NamedSets) -> Section:
    """The audit of the ends where it is called for."""
    title, key = "What scores near 0 and 1 change", "sensitivity"
    audited = [(part, part.quality, role) for part, role in sets if part.modelled and part.quality]
    if not any(quality.audit for _, quality, _ in audited):
        whys = "; ".join(dict.fromkeys(quality.unaudited for _, quality, _ in audited))
        words = (Paragraph(f"Not examined: {sentence(whys)}"),) * bool(audited)
        return Section(title, words, f"not examined: {whys}", key)
    blocks, called = list[list[Node]](), []
    for _, quality, role in audited:
        reasons = "; ".join(quality.called_for)
        text = f"{reasons}." if reasons else "nothing here is within reach of 0 or 1."
        if quality.audit is None:
            text = f"not examined: {sentence(quality.unaudited)}"
        blocks.append([Paragraph(vocabulary.capital(text))])
        if quality.audit is not None and reasons:
            blocks[-1] += quality.audit._tables()
            called.append(f"{role}: {reasons}")
    legend = Paragraph(
        "Within reach of 0 or 1: scores of exactly 0 or 1; scores within 0.001 of an end that let"
        " another rule change a shape by more than 10 %; the extreme 1 % of a class with more than"
        " 10 % of the sum that fits its distribution. z: of Hill’s exponent and the fit’s over the"
        " same scores.", "legend",
    )  # fmt: skip
    nodes = _by_set([(part, role) for part, _, role in audited], blocks)
    finding = tree.first_n(called, "; ") or "no score is within reach of 0 or 1"
    return Section(title, (*nodes, legend), finding, key)


# ------------------------------------------------------------------------------ fits alone
def fit_view(part: ScoreSet, reason: str, seed: int) -> list[Section]:
    """A fitted set by itself."""
    sets = [(part, part.role)]
    sections = [read_section(sets, reason), parameters_section(sets), measures_section(sets)]
    sections.append(ends_section(sets))
    if part.quality is not None:
        sections.append(checks_section(sets, seed))
        sections += [families_section(*sets[0]), sensitivity_section(sets)]
    return sections


_SYSTEM_COLUMNS = (
    tree.Column("system", "system"), tree.Column("class", "class"),
    tree.Column("family", "family"), tree.Column("n", "n"), tree.Column("parameters"),
    tree.Column("auc", "AUC", partial(number, digits=4)), tree.Column("auc_counted"),
    tree.Column("eer", EER, percent), tree.Column("eer_counted"),
    tree.Column("distance", "off by", partial(number, digits=2)),
    tree.Column("verdict", "verdict"),
)  # fmt: skip


def systems_section(documents: Sequence[Mapping[str, Any]], reading: Paragraph) -> list[Node]:
    """A row per system and class."""
    reasons = list(dict.fromkeys(system["reason"] for system in documents))
    if len(reasons) > 1:
        reasons = [
            f"{numbers.visible(system['system'])}: {system['reason']}" for system in documents
        ]
    rows = []
    for system, who in product(documents, arrays.CLASSES):
        law = {**system, **system[who], "class": who, "system": tree.as_named(system["system"])}
        shown, law["parameters"] = (
            " ".join(f"{name}={number(value, digits)}" for name, value in law["params"].items())
            for digits in (4, 6)
        )
        law["family"] = Cell(law["family"], shown, law["family"])
        rows.append([law[column.key] for column in _SYSTEM_COLUMNS])
    return [
        reading,
        *[Paragraph("\n".join(reasons), "given")] * any(reasons),
        tree.recorded(_SYSTEM_COLUMNS, rows, (1, 2, 7)),
        Paragraph(
            f"AUC and {EER} by the fitted distributions; off by: the largest distance of a"
            " fitted distribution from the scores; verdict: whether that is within 0.05 whatever"
            " chance did"
        ),
    ]
