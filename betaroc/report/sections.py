"""What is said of score sets, section by section: of these the terminal and the page are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from betaroc.core.special import rate_of_none
from betaroc.core.text import capital, sentence
from betaroc.data.scores_view import CLASS_HEAD, read_rows
from betaroc.fits.fit import fit_families, law_rows
from betaroc.model.asking import Asking
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import (
    level_words,
    number,
    percent,
    spaced,
    threshold,
)
from betaroc.rendering.tree import (
    Cell,
    Figure,
    Figures,
    Grid,
    Group,
    Node,
    Row,
    RowCells,
    Section,
    Words,
    few,
    foreign,
    grouped,
)
from betaroc.report.intervals import (
    FAR,
    TPR,
    Measured,
    SetIntervals,
    measured_cell,
    summary_words,
)
from betaroc.report.score_set import (
    RATES,
    Named,
    ObservedPoint,
    ScoreSet,
    is_modelled,
    names_of_files,
    rate_at,
    rates_shown,
    target,
    unscored_words,
)
from betaroc.report.sentences import said_of, without_interval
from betaroc.report.summary import expected, marked

#: Fewer expected scores than this beyond a threshold are told.
_FEW, _NONE = 10.0, 0.01
_AREA_METHODS = {
    "logit-delong+newcombe": "the mean of DeLong's and Newcombe's intervals on the logit scale",
    "logit-delong": "DeLong's variance between groups on the logit scale",
    "newcombe": "Newcombe's interval, as DeLong's variance is 0",
    "newcombe-groups": "Newcombe's interval of as many trials as groups, as DeLong's variance is 0",
}


#: What is said of the marks beside an interval.
_MARKS = {
    "outside": "“Outside”: the number lies outside its own interval, which the scores draw: they"
    " contradict the fit, so count, or compare families",
    "extrapolated": "“Extrapolated”: less than one score (group) is expected beyond the rate, so no"
    " score speaks for the number",
}


def _with_level(title: str, found: SetIntervals | None) -> str:
    return title if found is None else f"{title}, {level_words(found.level)} interval"


# ------------------------------------------------------------------------------ what was read
def read_section(sets: Named, reason: str) -> Section:
    """Files, numbers of scores and their range, the family that serves them."""
    (dev, _), *tests = sets
    coarse = [
        Words(f"{role}: {words}.", "note") for part, role in sets
        if (words := summary_words(part.given))
    ]  # fmt: skip
    said = [] if dev.fit is None else [sentence(f"Family: {_family(dev, reason)}")]
    for part, role in tests if dev.fit else sets:
        if part.fit is None:
            said.append(f"{role}: not fitted; a warning says why.")
        elif dev.fit is not None and fit_families(part.fit) != fit_families(dev.fit):
            said.append(f"{role}: fitted by {fit_families(part.fit)}.")
    if tests:
        said.append(
            "One family serves all sets of the call, and an automatic choice looks at the range of"
            " all their scores; the distributions that set the thresholds, and the thresholds, come"
            " from dev alone."
        )
    said.append(
        "A score is accepted if it is greater than the threshold; nothing was rescaled, flipped or"
        " dropped unless a line here says so."
    )
    finding = few(_sizes(part, " and ") + f" of {role}" * bool(tests) for part, role in sets)
    finding += f"; {unscored_words(part for part, _ in sets)}"
    files = names_of_files([part for part, _ in sets])
    grid = grouped(sets, CLASS_HEAD, partial(_read_rows, files))
    return Section("What was read", (*coarse, grid, Words(" ".join(said))), finding, "read")


def _sizes(part: ScoreSet, between: str) -> str:
    """How many scores of each class."""
    return between.join(
        f"{spaced(n)} {who}{'s' * (n != 1)}"
        for n, who in zip(part.sizes, ("client", "impostor"), strict=True)
    )


def _family(part: ScoreSet, reason: str) -> str:
    made = "" if part.fit is None else fit_families(part.fit)
    return f"{made}; {reason}" if reason else made


def _read_rows(files: Mapping[str, str], part: ScoreSet) -> list[RowCells]:
    source = part.scores.source
    name = foreign(part.name) if source is None else foreign(files[source.path], path=True)
    return read_rows(part.given, name)


# ------------------------------------------------------------------------------ scores
def scores_section(sets: Named, figures: Sequence[Sequence[Figure]]) -> Section:
    """Histograms of both classes."""
    finding = few((f"{role}: {_sizes(p, ', ')}" for p, role in sets), "; ")
    titles = ("Client", "Impostor")
    shown: list[Node] = [
        Section(title, (Figures(tuple(row)),)) for title, row in zip(titles, figures, strict=True)
    ]
    if len(sets) == 1:
        shown = [Figures(tuple(figure for row in figures for figure in row))]
    note = Words(
        "Twenty bins; bars have the area of the share of scores they hold. A fitted density that"
        " rises without bound leaves the frame; a point mass is a stem as high as a bar holding it,"
        " and its scores are not in the bars. One scale for all sets of a class.",
        "legend",
    )
    return Section("Scores", (note, *shown), finding, "scores")


# ------------------------------------------------------------------------------ measures
def measures_section(sets: Named, figures: Sequence[Figure] = ()) -> Section:
    """AUC, EER, its threshold, TPR at FAR 1 %, KS and what was asked for, with intervals."""
    modelled = any(is_modelled(part) for part, _ in sets)
    found = sets[0][0].intervals
    head = ["measure", _with_level("scores", found)]
    head += [_with_level("fitted", found)] * modelled

    def rows(part: ScoreSet) -> list[RowCells]:
        absent = ("not fitted",) * (modelled and not is_modelled(part))
        return [(*row, *absent) for row in _measure_rows(part)]

    explained = Words(
        "DET: the errors of the ROC on scales that make normal scores straight lines. KS: the"
        " largest difference of TPR and FAR.",
        "legend",
    )
    notes = [Words(words, "note") for words in said_of(sets, _notes_of)]
    several = len(sets) > 1
    finding = few(number(part.empirical.auc(), 3) + f" on {role}" * several for part, role in sets)
    drawn = (Figures(tuple(figures)),) * bool(figures)
    grid = grouped(sets, head, rows, (0,) if several else ())
    return Section("ROC and DET", (explained, *drawn, grid, *notes), f"AUC {finding}", "curves")


def _measure_rows(part: ScoreSet) -> list[RowCells]:
    models = [part.empirical]
    if part.fit is not None and is_modelled(part):
        models.append(part.fit.model)
    eer = [m.eer() for m in models]
    auc, ks = ([getattr(m, name)() for m in models] for name in ("auc", "ks"))
    hter = [percent(eer[0].hter), *(expected(part, p, why=False)[2] for p in eer[1:])]
    places = [threshold(p.threshold, p.logit_threshold) for p in eer]

    def digits(n: int) -> Callable[[float], str]:
        return lambda value: number(value, n)

    def row(title: str, key: str, say: Callable[[float], str], texts: Iterable[str]) -> RowCells:
        ends = _ends_of(part.intervals, key, len(models))
        return title, *(measured_cell(m, say, text) for m, text in zip(ends, texts, strict=True))

    rows = [
        row("AUC", "auc", digits(5), map(digits(5), auc)),
        row("EER", "eer", percent, hter),
        row("EER threshold", "threshold@eer", lambda v: threshold(v, math.nan), places),
        row(f"TPR at FAR {percent(FAR)}", TPR, percent,
            (percent(float(m.at_far(FAR).tpr)) for m in models)),
        row("KS", "ks", digits(4), map(digits(4), ks)),
    ]  # fmt: skip
    for key in rates_shown([part]):  # rates of comparisons made
        if key not in RATES:
            values = (percent(rate_at(key, *own)) for own in zip(models, eer, strict=True))
            rows.append((f"{key.upper()} at EER threshold", *map(Cell, values)))
    asked: Sequence[Asking] = () if part.intervals is None else part.intervals.asked
    for one in asked:
        ends = _ends_of(part.intervals, str(one), len(models))
        values = (number(math.nan if m is None else m.estimate, 5) for m in ends)
        rows.append(row(f"{one.row.title}{one.where.words}", str(one), digits(5), values))
    return rows


def _ends_of(found: SetIntervals | None, key: str, n: int) -> list[Measured | None]:
    """Of the scores and, where there is one, of the fit."""
    lists = ((), ()) if found is None else (found.scores, found.model)
    return [next((m for m in own if m.key == key), None) for own in lists[:n]]


def _notes_of(part: ScoreSet) -> list[str]:
    """Which intervals are missing and why, and on what groups the others rest."""
    found = part.intervals
    if found is None:
        return []
    method = next(m.method for m in found.scores if m.key == "auc")
    area = f"the AUC by {_AREA_METHODS[method]}, " if method else ""
    first = (
        f"intervals of scores: {area}the EER, its threshold and the TPR by the likelihood of the"
        " counts"
    )
    first += ", each with what bins can be off" * (part.summary is not None)
    if found.model:
        first += "; of fitted numbers by the errors of the parameters and by the scores"
    notes = [first]
    if found.groups is not None:
        notes.append(
            f"intervals take {found.groups} groups as what varies, not the single trials; standard"
            " errors and the check of the fit take trials as independent"
        )
    spans = [cell.span for row in _measure_rows(part) for cell in row if isinstance(cell, Cell)]
    notes += [words for mark, words in _MARKS.items() if any(mark in span for span in spans)]
    return notes + without_interval(part)


# ------------------------------------------------------------------------------ parameters
def parameters_section(sets: Named) -> Section:
    """Parameters of both distributions, with their intervals."""
    found = sets[0][0].intervals
    head = ("class", "parameter", _with_level("estimate", found), "standard error", "interval by")

    def rows(part: ScoreSet) -> list[RowCells | Group]:
        if part.fit is None:
            return []
        made: list[RowCells | Group] = []
        for who, law in (("client", part.fit.client), ("impostor", part.fit.impostor)):
            own = () if part.intervals is None else getattr(part.intervals, who)
            cells = {m.key: (measured_cell(m, number, number(m.estimate)), m.method) for m in own}
            made += law_rows(who, law, cells)
        if not made:
            return [Group("", "the scores themselves, no parameters")]
        fit = part.fit
        numbers = f"log-likelihood {number(fit.log_likelihood)}, AIC {number(fit.aic)}"
        return [*made, Group("", f"{numbers}, BIC {number(fit.bic)}")]

    legend = Words(
        "Maximum likelihood. Standard errors are those of large samples and independent trials."
        " Intervals: of the profile likelihood; Wald’s where scores were censored or counted in"
        " cells, and where trials carry groups, whose dependence they then count. AIC and BIC: the"
        " smaller the better.",
        "legend",
    )
    words = (0, 1, 4) if len(sets) > 1 else (1, 4)
    return Section("Parameters", (grouped(sets, head, rows, words), legend), "", "parameters")


# ------------------------------------------------------------------------------ operating points
def points_section(points: Sequence[ObservedPoint], sets: Named, level: float) -> Section:
    """Dev's thresholds and the rates they lead to on every set, with their intervals."""
    keys = rates_shown([part for part, _ in sets])
    told: list[Node] = [Words(
        "Thresholds are chosen on dev alone and observed on the test scores as they are."
        if len(sets) > 1 else
        "No test set was given: the observed rates are those of the scores that chose the"
        " thresholds, or were fitted, and look better than new ones will."
    )]  # fmt: skip
    for chosen_by, title in (
        ("model", "Thresholds chosen by dev’s fitted distributions"),
        ("scores", "Thresholds chosen on dev’s scores"),
    ):
        rows: list[Row | Group] = []
        for met in points:
            if met.chosen_by == chosen_by:
                rows += _point_rows(met, sets, keys, level)
        if rows:
            grid = Grid(("rates of", *(key.upper() for key in keys)), tuple(rows))
            told.append(Section(title, (grid,)))
    told.append(Words(_points_legend(level, tests=len(sets) > 1, made=len(keys) > 4),
                      "legend"))  # fmt: skip
    met = marked(points)
    finding = f"at dev's EER threshold FAR {percent(met.expected.far)} expected"
    if len(sets) > 1:
        k = max(range(1, len(sets)), key=lambda k: met.observed[k].far)
        finding += f", {percent(met.observed[k].far)} observed on {sets[k][1]}"
        finding += ", the highest" * (len(sets) > 2)
    return Section("Operating points", tuple(told), finding, "points")


def _points_legend(level: float, *, tests: bool, made: bool) -> str:
    words = (
        "FAR: share of impostors accepted. FRR: share of clients rejected. HTER: their mean. F1:"
        " the harmonic mean of precision and recall, at each set’s own share of clients."
    )
    if made:
        words += (
            " FAR and FRR are of trials, of which those without a score are rejected; FMR and FNMR"
            " are the same shares of the trials that have a score, the comparisons made."
        )
    words += (
        f" Below the expected rates the {level_words(level)} interval of what the distributions say"
        " at that very threshold"
    )
    if tests:
        words += (
            "; below those of a test set that of its rates: Clopper and Pearson’s of FAR and FRR,"
            " the HTER from both, F1 by the delta method, with groups all by the delta method"
        )
    return words + (
        ". Those observed on dev have none: the threshold was chosen or the distributions were"
        " fitted on these scores. “Below 1/n”: less than one of the n scores of dev that could show"
        f" it is expected there; the number is extrapolated. {_MARKS['outside']}. “Dev’s"
        " scores contradict the fit”: an exact binomial test at level 0.01 of the scores counted"
        " there, by more than a factor of 1.25."
    )


def _point_rows(
    met: ObservedPoint, sets: Named, keys: Sequence[str], level: float
) -> list[Row | Group]:
    """One threshold: what it is, what is to be said of it, the rates of every set."""
    point, (dev, _) = met.expected, sets[0]
    by_model = met.chosen_by == "model"
    caution = _few_words(met, dev) if by_model else _rests_on_few(met, dev, level)
    place = threshold(point.threshold, point.logit_threshold)
    rows: list[Row | Group] = [Group(f"{met.title}: threshold {place}", caution)]
    if by_model:
        said = dict(zip(("far", "frr", "hter"), expected(dev, point, why=False), strict=True))
        model: ScoreModel = dev.empirical if dev.fit is None else dev.fit.model
        texts = [said.get(key) or percent(rate_at(key, model, point)) for key in keys]
        cells = _rate_cells(keys, texts, met.expected_intervals)
        rows.append(Row(("expected by the distributions", *cells)))
    intervals = ((), *met.observed_intervals)
    for (part, name), at, found in zip(sets, met.observed, intervals, strict=True):
        texts = [percent(rate_at(key, part.empirical, at)) for key in keys]
        rows.append(Row((f"{name}, observed", *_rate_cells(keys, texts, found))))
    return rows


def _rate_cells(keys: Sequence[str], texts: Sequence[str], found: Sequence[Measured]) -> list[Cell]:
    own = {m.key: m for m in found if not m.why}
    return [measured_cell(own.get(k), percent, t) for k, t in zip(keys, texts, strict=True)]


def _few_words(met: ObservedPoint, dev: ScoreSet) -> str:
    """Where few of dev's scores speak for the threshold, and where they contradict the fit."""
    client, impostor = met.expected.n_beyond
    rates, counted = met.expected, met.observed[0]
    group = " group" * (dev.fit is not None and dev.fit._evidence.groups is not None)
    found, none = [], []
    for who, n, rate, share, near, other in (
        ("impostor", impostor, rates.far, counted.far, "above", "at or below"),
        ("client", client, rates.frr, counted.frr, "at or below", "above"),
    ):
        where, alone = (near, share == 0.0) if rate <= 0.5 else (other, share == 1.0)
        few = f"{number(n, 2) if n >= _NONE else f'less than {_NONE}'} of dev’s {who}{group}s"
        found += [f"{few} {where} it"] * (n < _FEW)
        none += [f"no {who}{group} of dev lies {where} it"] * alone
    words = f"{' and '.join(found)} are expected" if found else ""
    words = capital(words) if words.startswith("less") else "Only " * bool(found) + words
    words += (": extrapolated." if met.expected.extrapolated else ".") * bool(found)
    if none:
        words = f"{words} {capital(' and '.join(none))}.".strip()
    if met.contradicted_by:
        words += f" Dev’s scores contradict the fit: {'; '.join(met.contradicted_by)}."
    return words.strip()


def _rests_on_few(met: ObservedPoint, dev: ScoreSet, level: float) -> str:
    """Where a target rate is less than one score of the class."""
    aim = target(met.key)
    if aim is None:
        return ""
    name, rate = aim
    total = dev.scores.impostor_total if name == "far" else dev.scores.client_total
    if total * rate >= 1.0:
        return ""
    who = "impostor" if name == "far" else "client"
    return (
        f"Dev has {number(total)} {who}{'s' * (total != 1)}, fewer than the"
        f" {number(1.0 / rate)} of which one is {percent(rate)}: the threshold is where dev shows"
        " no error. None among so many leaves room for rates up to"
        f" {percent(rate_of_none(total, level))}"
        f" ({level_words(level)} confidence)."
    )
