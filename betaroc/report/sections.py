"""The sections of an analysis: of these the page, its JSON and the terminal are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from betaroc.core.arrays import CLASSES
from betaroc.core.special import rate_of_none
from betaroc.core.text import sentence
from betaroc.core.vocabulary import capital
from betaroc.data.scores import CLASS_HEAD, read_rows
from betaroc.decision.curve_view import cautions, curve_view, loss_words
from betaroc.estimation.families import family_text
from betaroc.fits.family_choice import FamilyComparison, families_grid, tail_sentences
from betaroc.fits.fit import fit_families, law_rows
from betaroc.fits.target_checks import targets_grid
from betaroc.model.asking import Asking
from betaroc.rendering.numbers import (
    level_words,
    number,
    path_words,
    percent,
    spaced,
    threshold,
    visible,
)
from betaroc.rendering.tree import (
    Bullets,
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
    as_named,
    few,
    foreign,
    grouped,
)
from betaroc.report.curve_words import ends_section, said_of, without_interval
from betaroc.report.intervals import (
    FAR,
    TPR,
    Measured,
    SetIntervals,
    measured_cell,
    summary_words,
)
from betaroc.report.quality import statuses
from betaroc.report.score_set import (
    BY,
    RATES,
    Named,
    ObservedCurve,
    ObservedPoint,
    ScoreSet,
    is_modelled,
    marked,
    names_of_files,
    of_comparisons,
    rate_at,
    rates_shown,
    target,
    unscored_words,
)

#: Fewer expected scores than this beyond a threshold are said.
_FEW = 5.0
#: So many sets stand beside each other in a table of operating points.
_BESIDE = 4
#: What is said of the marks beside an interval.
_MARKS = {
    "outside": "“Outside”: the number lies outside its own interval, which the scores draw: they"
    " contradict the fit, so count, or compare families",
    "extrapolated": "“Extrapolated”: less than one score (group) is expected beyond the rate, so no"
    " score speaks for the number",
}


def _with_level(title: str, found: SetIntervals | None) -> str:
    return title if found is None else f"{title}, {level_words(found.level)} interval"


def _by_set(sets: Named, blocks: Sequence[Sequence[Node]]) -> list[Node]:
    """What is said of each set, under its name where there are several."""
    if len(sets) == 1:
        return [*blocks[0]]
    named = zip(sets, blocks, strict=True)
    return [Section(role, tuple(own)) for (_, role), own in named if own]


# ------------------------------------------------------------------------------ what was read
def read_section(sets: Named, reason: str) -> Section:
    """Files, numbers of scores and their range, the family that serves them."""
    (dev, _), *tests = sets
    coarse = [
        Words(f"{role}: {words}.", "note") for part, role in sets
        if (words := summary_words(part.given))
    ]  # fmt: skip
    said = []
    if dev.fit is not None:
        made = fit_families(dev.fit)
        said.append(sentence(f"Family: {f'{made}; {reason}' if reason else made}"))
    for part, role in tests if dev.fit else sets:
        if part.fit is None:
            said.append(f"{role}: not fitted; a warning says why.")
        elif dev.fit is not None and fit_families(part.fit) != fit_families(dev.fit):
            said.append(f"{role}: fitted by {fit_families(part.fit)}.")
    if tests:
        said.append("One family serves all sets; the fit and the thresholds come from dev alone.")
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
        f"{spaced(n)} {who}{'s' * (n != 1)}" for n, who in zip(part.sizes, CLASSES, strict=True)
    )


def _read_rows(files: Mapping[str, str], part: ScoreSet) -> list[RowCells]:
    source = part.scores.source
    name = foreign(part.name) if source is None else foreign(files[source.path], path=True)
    return read_rows(part.given, name)


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

    notes = [Words(words, "note") for words in said_of(sets, _notes_of)]
    several = len(sets) > 1
    finding = few(number(part.empirical.auc(), 3) + f" on {role}" * several for part, role in sets)
    drawn = (Figures(tuple(figures)),) * bool(figures)
    grid = grouped(sets, head, rows, (0,) if several else ())
    return Section("ROC and DET", (*drawn, grid, *notes), f"AUC {finding}", "curves")


def _measure_rows(part: ScoreSet) -> list[RowCells]:
    models = [part.empirical]
    if part.fit is not None and is_modelled(part):
        models.append(part.fit.model)
    eer = [m.eer() for m in models]

    def digits(n: int) -> Callable[[float], str]:
        return lambda value: number(value, n)

    def row(title: str, key: str, say: Callable[[float], str], texts: Iterable[str]) -> RowCells:
        ends = _ends_of(part.intervals, key, len(models))
        return title, *(measured_cell(m, say, text) for m, text in zip(ends, texts, strict=True))

    rows = [
        row("AUC", "auc", digits(5), (number(m.auc(), 5) for m in models)),
        row("EER", "eer", percent, (percent(float(p.hter)) for p in eer)),
        row("EER threshold", "threshold@eer", lambda v: threshold(v, math.nan),
            (threshold(p.threshold, p.logit_threshold) for p in eer)),
        row(f"TPR at FAR {percent(FAR)}", TPR, percent,
            (percent(float(m.at_far(FAR).tpr)) for m in models)),
        row("KS", "ks", digits(4), (number(m.ks(), 4) for m in models)),
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
    """What the intervals rest on, and which are missing and why."""
    found = part.intervals
    if found is None:
        return []
    notes = []
    if part.summary is not None:
        notes.append("intervals of scores hold what bins can be off")
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
    head = ("class", "parameter", _with_level("estimate", sets[0][0].intervals), "standard error",
            "interval by")  # fmt: skip

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

    words = (0, 1, 4) if len(sets) > 1 else (1, 4)
    return Section("Parameters", (grouped(sets, head, rows, words),), "", "parameters")


# ------------------------------------------------------------------------------ operating points
def points_section(points: Sequence[ObservedPoint], sets: Named, level: float) -> Section:
    """A row per criterion: dev's threshold and the rates that it leads to on every set."""
    told: list[Node] = [Words(
        "No test set was given: rates of the scores that chose the thresholds, or were fitted, look"
        " better than new ones will."
    )] * (len(sets) == 1)  # fmt: skip
    told += points_grids(points, sets, level)
    told.append(Words(
        f"{level_words(level)} intervals: of the fit at that very threshold; of a test set Clopper"
        " and Pearson’s, with groups by the delta method. What dev counts there has none: these"
        " scores chose the threshold or were fitted. HTER and F1 of every point stand in the"
        " JSON and in Analysis.points.", "legend",
    ))  # fmt: skip
    met = marked(points)
    finding = f"at dev's EER threshold FAR {percent(met.expected.far)} expected"
    if len(sets) > 1:
        k = max(range(1, len(sets)), key=lambda k: met.observed[k].far)
        finding += f", {percent(met.observed[k].far)} observed on {sets[k][1]}"
        finding += ", the highest" * (len(sets) > 2)
    return Section("Operating points", tuple(told), finding, "points")


def points_grids(points: Sequence[ObservedPoint], sets: Named, level: float) -> list[Grid]:
    """The rates of some sets at thresholds of dev, a table for each few sets."""
    keys = [key for key in rates_shown([part for part, _ in sets]) if key not in ("hter", "f1")]
    grids = []
    for start in range(0, len(sets), _BESIDE):
        some = range(start, min(start + _BESIDE, len(sets)))
        head: list[Cell | str] = ["threshold of", "threshold"]
        for k in some:
            of = sets[k][1] if k else "dev, expected"
            head += [Cell(key.upper(), of) for key in keys]
        rows: list[Row | Group] = []
        for chosen_by, title in (("model", "By dev’s fitted distributions"),
                                 ("scores", "On dev’s scores")):  # fmt: skip
            own = [met for met in points if met.chosen_by == chosen_by]
            rows += [Group(title)] * bool(own)
            for met in own:
                rows += _point_rows(met, sets, some, keys, level)
        grids.append(Grid(tuple(head), tuple(rows)))
    return grids


def _point_rows(
    met: ObservedPoint, sets: Named, some: Sequence[int], keys: Sequence[str], level: float
) -> Iterator[Row | Group]:
    """The rates of some sets at a threshold, and what is to be said of it."""
    point, (dev, _) = met.expected, sets[0]
    first = 0 in some
    place = threshold(point.threshold, point.logit_threshold)
    cells: list[Cell] = []
    for k in some:
        part, at = sets[k][0], met.observed[k]
        model, found = part.empirical, met.observed_intervals[k - 1] if k else ()
        if k == 0 and met.chosen_by == "model" and dev.fit is not None:
            model, at, found = dev.fit.model, point, met.expected_intervals
        ends = {m.key: m for m in found if not m.why}
        for key in keys:
            text = percent(rate_at(key, model, at))
            cell = measured_cell(ends.get(key), percent, text)
            if k == 0:
                cell = Cell(cell.text, cell.span, cell.value, cell.low, cell.high,
                            note=_of_dev(met, dev, key, level))  # fmt: skip
            cells.append(cell)
    title = met.title.removesuffix(" by dev's fit")
    yield Row((Cell(title, note=_support(met, dev) if first else ""), place, *cells))
    if first and met.contradicted_by:
        yield Group("", f"Dev’s scores contradict the fit: {'; '.join(met.contradicted_by)}.")


def _support(met: ObservedPoint, dev: ScoreSet) -> str:
    """How many of dev's scores are expected beyond a fitted threshold, where they are few."""
    if met.chosen_by != "model" or met.expected.n_beyond is None or dev.fit is None:
        return ""
    unit = "s" if dev.fit._evidence.groups is None else " groups"
    beyond = zip(CLASSES, met.expected.n_beyond, strict=True)
    found = [f"{number(n, 2) if n >= 0.01 else 'below 0.01'} {who}{unit}" for who, n in beyond
             if n < _FEW]  # fmt: skip
    if not found:
        return ""
    extrapolated = ", extrapolated" if met.expected.extrapolated else ""
    return f"{' and '.join(found)} beyond{extrapolated}"


def _of_dev(met: ObservedPoint, dev: ScoreSet, key: str, level: float) -> str:
    """What dev counts at a fitted threshold; of an own one how much a count of none leaves room."""
    if met.chosen_by == "model":
        return f"{percent(rate_at(key, dev.empirical, met.observed[0]))} counted"
    aim = target(met.key)
    total = dev.scores.impostor_total if key == "far" else dev.scores.client_total
    if aim is None or aim[0] != key or total * aim[1] >= 1.0:
        return ""
    return f"none of {number(total)}: up to {percent(rate_of_none(total, level))}"


# ------------------------------------------------------- expected performance curves
def curves_section(curves: Sequence[ObservedCurve], sets: Named, *, drawn: bool) -> Section:
    """What dev's thresholds were expected to do and did, for every alpha."""
    nodes: list[Node] = []
    for part, name in sets[1:]:
        first, *others = (one for one in curves if one.role == part.role)
        view = curve_view(first.epc, first.band, picture=drawn)
        said: list[Node] = [Words(f"Thresholds chosen {BY[first.chosen_by]}.", "note")]
        said += [Figures((node,)) if isinstance(node, Figure) else node for node in view]
        for other in others:
            told = [loss_words(other.epc), *cautions(other.epc)]
            said.append(Words(f"Thresholds chosen {BY[other.chosen_by]}: {' '.join(told)}", "note"))
        nodes += said if len(sets) == 2 else [Section(name, tuple(said))]
    finding = loss_words(curves[0].epc).partition(", a change")[0] if curves else ""
    return Section("Expected performance curves", tuple(nodes), finding, "epc")


# ------------------------------------------------------------------------------ checks
def checks_section(
    sets: Named, level: float, seed: int | None = None, figures: Sequence[Figure] = ()
) -> Section:
    """Verdicts, tests, tails and distances of every fit, pictures of dev's, the rules folded."""
    title, modelled = "Can the fit be believed?", [one for one in sets if is_modelled(one[0])]
    if not modelled:
        told: list[Node] = [one.node(role) for part, role in sets for one in statuses(part)]
        told.append(Words("No distributions were fitted: there is nothing to check."))
        return Section(title, tuple(told), "no distributions were fitted", "checks")
    told = [Words(
        "Checks, tails and families are of the trials that have a score; rates asked are of all"
        " trials."
    )] * any(part.has_rejected for part, _ in sets)  # fmt: skip
    blocks = [_check(part, figures if k == 0 else ()) for k, (part, _) in enumerate(modelled)]
    told += [*_by_set(modelled, blocks), *_distances(sets)]
    rules = Section("Rules of these verdicts", (Words(_rules(sets, level, seed), "legend"),),
                    folded=True)  # fmt: skip
    said = [
        f"{role}: {', '.join(f'{one.of} {one.verdict}' for one in own)}"
        for part, role in sets
        if (own := statuses(part))
    ]
    return Section(title, (*told, rules), few(said, "; ") or "not checked", "checks")


def _check(part: ScoreSet, drawn: Sequence[Figure]) -> list[Node]:
    """The verdicts on a fit, its pictures, the tests or why there are none, its tails."""
    found, fit = part.quality, part.scored.fit
    told: list[Node] = [one.node() for one in statuses(part)]
    told += [Figures(tuple(drawn))] * bool(drawn)
    if found is None:
        return told
    own = fit is not None and bool(fit.client.tails or fit.impostor.tails)
    if found.check is not None:
        told += found.check._tables(", without tails" * own)
    elif found.targets:
        told.append(targets_grid(found.targets))
    tails = [capital(sentence(words)) for words in found.tails]
    return told + [Bullets(tuple(tails))] * bool(tails)


def _distances(sets: Named) -> list[Node]:
    """How far fits are from their scores, and test from dev."""
    of_fit = {
        role: (part.distances.client, part.distances.impostor, part.distances.roc)
        for part, role in sets
        if part.distances is not None and is_modelled(part)
    }
    rows = [
        Row((f"{role}: {what}", *(number(v, 3) for v in values), *blank))
        for part, role in sets
        for what, values, blank in (
            ("fitted distributions against its scores", of_fit.get(role), ()),
            ("its scores against dev’s scores", part.shift, ("",)),
        )
        if values is not None
    ]
    return [Grid(("largest distance", "client", "impostor", "ROC"), tuple(rows))] * bool(rows)


def _rules(sets: Named, level: float, seed: int | None) -> str:
    """How the verdicts and the distances are made."""
    found = [part.quality.check for part, _ in sets if part.quality is not None]
    drawn = max((check.replicates for check in found if check is not None), default=0)
    made = f"{drawn} simulated score sets{'' if seed is None else f', seed {seed}'}, so that no"
    made += f" p-value is below {number(1.0 / (1 + drawn), 3)}. "
    return (
        "Curve: good, the whole interval of the distance is within the tolerance; poor, it is"
        " beyond; cannot tell, it reaches across. Two distributions that are wrong in the same way"
        " have a good ROC and wrong rates, hence the second verdict. Rates: good, the exact"
        " interval of the rate counted at the fit’s own threshold lies within a factor of 3 of the"
        " rate expected; poor, it has no point within a factor of 1.25; cannot tell, all else;"
        f" down to 5 expected scores. {made * bool(drawn)}Intervals of level {level_words(level)}."
        " Distances: of the distribution functions (Kolmogorov–Smirnov), and of the curves in FAR"
        " and TPR at once; they take trials as independent."
    )


# ------------------------------------------------------------------------------ families
def families_section(part: ScoreSet, role: str, more: Sequence[Node] = ()) -> Section:
    """The families side by side, the recommended one first; what it would gain by a tail."""
    words = family_words(part)
    if not words and part.quality is not None and part.quality.uncompared:
        words = f"{role}: not compared: {sentence(part.quality.uncompared)}"
    found = None if part.quality is None else part.quality.families
    told: list[Node] = [Words(words)] * bool(words)
    finding = "not compared"
    if found is not None:
        fit = part.fit
        told += families_grid(
            found, ("", "") if fit is None else (fit.client.family, fit.impostor.family)
        )
        told += [
            Words(of_comparisons(said) if part.has_rejected else said, "note")
            for said in tail_sentences(found.tails)
        ]
        best = " and ".join(dict.fromkeys(found.recommended))
        finding = f"{'only' if _alone(found) else 'recommended'} {best}"
    told.append(Words(
        "Held-out score: mean log density of a score under fits of the other four folds; its z: the"
        " difference to the best one in standard errors. Recommended is, of those within half a"
        " standard error of the best, the one with the fewest parameters. Vuong z: difference of"
        " log-likelihoods to the recommended family. Distance: largest one of the distribution"
        " functions.", "legend",
    ))  # fmt: skip
    return Section("Families of distributions", (*told, *more), finding, "families")


def _alone(found: FamilyComparison) -> bool:
    """Whether one family of each class stands in the table, so that none was compared."""
    who = [row.who for row in found.rows]
    return len(who) == len(set(who))


def family_words(part: ScoreSet) -> str:
    """Whether another family than the fitted one is recommended, and why."""
    if part.quality is None or not part.quality.recommended:
        return ""
    found, best = part.quality.families, family_text(part.quality.recommended)
    fitted = family_text(part.fit.family) if part.fit is not None and is_modelled(part) else ""
    if found is None:
        why = capital(sentence(part.quality.uncompared))
        return (
            f"{part.role}: families were not compared: no distribution can be recommended on these"
            f" scores. {why}"
        )
    reason = sentence(found.reason)
    if not fitted:
        return f"{part.role}: recommended family {best}: {reason}"
    if best == fitted and _alone(found):
        return f"{part.role}: {fitted}; no other family was compared."
    if best == fitted:
        # A fit that was chosen so has said why already.
        known = part.fit is not None and found.reason in part.fit.reason
        why = "." if known else f": {reason}"
        return f"{part.role}: the family fitted, {fitted}, is the recommended one{why}"
    return (
        f"{part.role}: another family is recommended, {best}; what stands here is of the one"
        f" fitted, {fitted}: {reason}"
    )


# ------------------------------------------------------------------------------ sensitivity
def sensitivity_section(sets: Named) -> Section:
    """The audit of the ends where it is called for; else one sentence a set."""
    title = "Sensitivity to scores near 0 and 1"
    audited = [both for both in sets if is_modelled(both[0])]
    if not audited:
        return Section(title, ())
    qualities = [part.quality for part, _ in audited if part.quality is not None]
    if all(one.audit is None for one in qualities):
        whys = "; ".join(dict.fromkeys(one.unaudited for one in qualities))
        return Section(title, (Words(f"Not examined: {sentence(whys)}"),),
                       f"not examined: {whys}", "sensitivity")  # fmt: skip
    told = _by_set(audited, [_audit(part) for part, _ in audited])
    told.append(Words(
        "Within reach of 0 or 1: scores of exactly 0 or 1; scores within 0.001 of an end that let"
        " another rule change a shape by more than 10 %; the extreme 1 % of a class carrying more"
        " than 10 % of the sum that fits its distribution. z: the distance of Hill’s exponent, by"
        " the most extreme scores, from that of the fit over the same share of scores.", "legend",
    ))  # fmt: skip
    called = [
        f"{role}: {'; '.join(part.quality.called_for)}" for part, role in audited
        if part.quality is not None and part.quality.called_for
    ]  # fmt: skip
    finding = few(called, "; ") or "no score is within reach of 0 or 1"
    return Section(title, tuple(told), finding, "sensitivity")


def _audit(part: ScoreSet) -> tuple[Node, ...]:
    found = part.quality
    if found is None or found.audit is None:
        why = "" if found is None else sentence(found.unaudited)
        return (Words(f"Not examined: {why}"),)
    if not found.called_for:
        return (Words("Nothing here is within reach of 0 or 1."),)
    return (Words(capital(f"{'; '.join(found.called_for)}.")), *found.audit._tables())


# ------------------------------------------------------------------------------ fits alone
def fit_view(part: ScoreSet, reason: str, level: float, seed: int) -> list[Section]:
    """What was read, the parameters, numbers, ends; the check where it was asked for."""
    sets = [(part, part.role)]
    shown = [read_section(sets, reason), parameters_section(sets), measures_section(sets)]
    shown.append(ends_section(sets))
    if part.quality is not None:
        shown.append(checks_section(sets, level, seed))
        shown += [families_section(*sets[0]), sensitivity_section(sets)]
    return shown


def systems_view(documents: Sequence[Mapping[str, Any]], reading: str) -> list[Node]:
    """The files and families of several systems, and a row per system and class."""
    lines, rows, kept = [], [], []
    for one in documents:
        file = "" if one["source"] is None else f" {path_words(one['source'])}"
        lines.append(f"{visible(one['system'])}:{file}; {one['reason']}".rstrip("; "))
        numbers = {key: one[key] for key in ("auc", "auc_counted", "eer", "eer_counted")}
        for who in CLASSES:
            law, is_first = one[who], who == CLASSES[0]
            params, short = (
                " ".join(f"{name}={number(v, digits)}" for name, v in law["params"].items())
                for digits in (6, 4)
            )
            kept.append({
                "system": one["system"], "class": who, "family": law["family"], "n": law["n"],
                "parameters": params, **numbers, "distance": law["distance"],
                "verdict": law["verdict"],
            })  # fmt: skip
            rows.append(Row((
                as_named(one["system"] * is_first), who, Cell(law["family"], short), str(law["n"]),
                number(one["auc"], 4) * is_first, percent(one["eer"]) * is_first,
                number(law["distance"], 2), law["verdict"],
            )))  # fmt: skip
    head = ("system", "class", "family", "n", "AUC", "EER", "off by", "verdict")
    columns = {key: [row[key] for row in kept] for key in kept[0]}
    return [
        Words("\n".join([*lines, reading]), "given"),
        Grid(head, tuple(rows), (1, 2, 7), columns),
        Words(
            "AUC and EER by the fitted distributions; off by: the largest distance of a fitted"
            " distribution from the scores; verdict: whether that is within 0.05 whatever chance"
            " did"
        ),
    ]
