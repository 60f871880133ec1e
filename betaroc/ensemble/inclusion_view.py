"""An ensemble's result as a tree: in a terminal, on a page with its pictures, and as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core import checks
from betaroc.core.arrays import AnyArray
from betaroc.core.tables import columns_from_rows
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import (
    BIOMETRIC,
    CLIENT,
    CLIENTS,
    FAR,
    FRR,
    IMPOSTOR,
    IMPOSTORS,
    TPR,
    ClassWords,
    Terms,
    Vocabulary,
    for_readers,
    members,
    short_name,
    template_of,
)
from betaroc.ensemble.fusion import (
    ADDS_NOTHING,
    CANNOT_TELL,
    INCLUDE,
    MATTERS,
    PARTS,
    signed,
    trials_needed,
)
from betaroc.ensemble.rule import END_WORDS, LAX, STRICT, Verdict
from betaroc.estimation.families import family_text
from betaroc.fits.check import TOLERANCE
from betaroc.fits.shape_tests import untested_ends
from betaroc.model.crossings import RocCrossings
from betaroc.model.improper_regions import SEEN
from betaroc.model.roc import Roc
from betaroc.rendering.curves import (
    UNIT_FRAME,
    draw_chance_line,
    draw_interval,
    draw_intervals,
    name_rows,
)
from betaroc.rendering.numbers import (
    counted,
    level_words,
    name_shown,
    number,
    rate,
    spaced,
    version,
    visible,
)
from betaroc.rendering.page_frame import ResultPage, page_of, verdict_nodes
from betaroc.rendering.picture_files import draw_svg
from betaroc.rendering.style import COLOURS, Axes, Sheet, bare, begun, finished, new_figure
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Figure,
    Figures,
    Glossary,
    Grid,
    IntervalMark,
    Name,
    Node,
    Row,
    Section,
    Status,
    Words,
    apart,
    as_named,
    foreign,
    retold,
    signed_cell,
)

if TYPE_CHECKING:
    from betaroc.ensemble.inclusion import Inclusion

#: The rule whose gains stand beside the verdicts.
_BESIDE = "mean-logit"
#: Pieces of the hull that are named, and rows of a table of pairs on a page.
_PIECES, _ROWS = 6, 60
#: The end that the own ROC speaks for.
_SPOKEN = {STRICT: "strict", LAX: "lax"}
#: The icon of each verdict; what is no good beside the others is neither bad nor unknown.
_ICONS = {INCLUDE: "good", CANNOT_TELL: "warn", STRICT: "warn", LAX: "warn", ADDS_NOTHING: "none"}
_SORTED = ("good", "warn", "none", "bad")
_CROSSING_HEADS = (
    "first", "second", f"cross at {FAR}", f"{TPR} there", "higher before", "higher after",
)  # fmt: skip
_GLOSSARY = (
    (f"{FAR}, {FRR}, {TPR}",
     f"shares of {IMPOSTORS} accepted, of {CLIENTS} rejected, of {CLIENTS} accepted"),
    ("ROC",
     f"the {TPR} at each {FAR}; AUC is the area under it: 0.5 for guesses, 1 without errors"),
    ("learned fusion", "a score of all classifiers, weighted by logistic regression elsewhere"),
    ("gain", "the AUC of the learned fusion with a classifier, less that without it"),
    ("own ROC", f"that of the classifier alone, judged against guesses at both ends of its {FAR}s"),
    ("hull", f"the best of the classifiers at each {FAR}, or of a random choice between two"),
    ("interval", "what the chance of the trials leaves open, at the confidence named above"),
)  # fmt: skip
#: Trials up to which the ROCs of scores are drawn on a page.
_MANY = 100_000
_DARK, _LINES = "#333333", ("-", "--", "-.", ":")
#: Of the parts of a curve: what they are called, and their markers.
_MARKERS = {"all": ("all alphas", "o"), "strict": (f"low-{FAR} end", "<"),
            "lax": (f"high-{FAR} end", ">")}  # fmt: skip
#: A legend on top of the axes; one under them, and the classifiers beyond which it is there.
_ABOVE: dict[str, Any] = {"loc": "lower center", "bbox_to_anchor": (0.45, 1.0), "ncols": 2}
_UNDER: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.45, -0.15), "fontsize": 7}
_MOST_INSIDE = 8


_ends = attrgetter("estimate", "low", "high")


def inclusion_columns(result: Inclusion) -> dict[str, list[Any]]:
    """One row per classifier."""
    twice = {second: first for first, second in result.duplicates}
    rows = []
    for name, verdict in result.verdict.items():
        fit, evidence, misfit = result.fits[name], result.evidence[name], result.misfit[name]
        ends, tests, size = fit.model.ends(), evidence.ends, verdict.size
        p_at_one, p_at_zero = (math.nan,) * 2 if tests is None else [t.p_value for t in tests]
        sides = {
            f"{which}{title}": getattr(side, field)
            for which, side in (("strict", evidence.strict), ("lax", evidence.lax))
            for title, field in (("", "side"), ("_p", "p_value"), ("_by", "by"))
        }
        rows.append({
            "classifier": name, "family": family_text(fit.family), "auc_fitted": fit.model.auc(),
            "auc_scores": misfit.auc_scores, "roc_distance": misfit.distance,
            "verdict": verdict.word,
            **dict(zip(("gain", "gain_low", "gain_high"), _ends(verdict.gain), strict=True)),
            "marginal": verdict.marginal, "p_value": verdict.confidence.p_value, **sides,
            "mean_excess": size.mean_excess, "mean_low": size.low, "mean_high": size.high,
            "largest_excess": size.largest,
            **fields_of(size, "largest_at", "depth", "depth_at", "hook_scores"),
            **fields_of(evidence, "above", "crossings"),
            "exponent_at_one": ends.at_one.exponent, "p_at_one": p_at_one,
            "exponent_at_zero": ends.at_zero.exponent, "p_at_zero": p_at_zero,
            "duplicate_of": twice.get(name, ""),
        })  # fmt: skip
    return {title: [row[title] for row in rows] for title in rows[0]}


def crossings_columns(result: Mapping[tuple[str, str], RocCrossings]) -> dict[str, AnyArray]:
    """One row a crossing, or a pair without one."""
    rows = []
    for (first, second), crossings in result.items():
        who = [("", first, second)[k] for k in crossings.leaders]
        places = zip(crossings.far, crossings.tpr, crossings.logit_far, strict=True)
        points = [tuple(map(float, point)) for point in places] or [(math.nan,) * 3]
        for k, point in enumerate(points):
            rows.append((first, second, *point, who[k], who[min(k + 1, len(who) - 1)]))
    columns = ("first", "second", "far", "tpr", "logit_far", "before", "after")
    return columns_from_rows(rows, columns, ("first", "second", "before", "after"))


# ------------------------------------------------------------------------------- as text
def inclusion_view(result: Inclusion) -> list[Section]:
    """Who joins, verdicts with their reasons, the gain of one rule, and hull."""
    answer, *judged = lead(result)
    if result.systems.omitted:
        judged.append(f"Left out: {counted(result.systems.omitted, 'row')} with a missing score.")
    rules = dict.fromkeys(gain.rule for gain in result.fusion.gains)
    all_rules = (
        f"Gains by all {len(rules)} rules ({', '.join(rules)}): print(result.fusion), or fusion in"
        " the JSON."
    )
    return apart(
        Words(answer, "answer"), _listed(judged), own_grid(result, as_named),
        _listed([*_reasons(result), *_doubts(result), _hull_words(result)]),
        gain_grid(result, as_named), _listed([*_gain_sentences(result), all_rules]),
    )  # fmt: skip


def lead(result: Inclusion) -> list[str]:
    """Who joins, and on what that is judged."""
    n_client, n_impostor = result.systems.sizes
    low, high = result.region
    joined = [visible(name) for name, verdict in result.verdict.items() if verdict == INCLUDE]
    answer = f"{len(joined)} of {len(result.names)} join: {', '.join(joined)}." if joined else (
        "No classifier is shown to add to the others."
    )  # fmt: skip
    region = f"all {FAR}s" if (low, high) == (0.0, 1.0) else f"{FAR} from {low:g} to {high:g}"
    clients, impostors = members("client", n_client), members("impostor", n_impostor)
    trials = f"{n_client} {clients} and {n_impostor} {impostors}"
    return [answer, f"Judged on {trials}, {region}, at {level_words(result.level)} confidence."]


def _listed(sentences: Iterable[str]) -> Bullets:
    return Bullets(tuple(sentences))


def _reasons(result: Inclusion) -> list[str]:
    return [
        f"{visible(name)}: {v.word}. {template_of(v.reason)}" for name, v in result.verdict.items()
    ]


def _doubts(result: Inclusion) -> list[str]:
    """What speaks against the verdicts."""
    lines = []
    spare = [visible(n) for n, verdict in result.verdict.items() if verdict.word == ADDS_NOTHING]
    if len(spare) > 1:  # each is judged beside all others: two of them may carry the same
        lines.append(
            f"{', '.join(spare)}: each adds nothing while all others stay. Leave out one, then"
            " judge the rest again; not all of them at once."
        )
    distances = {visible(name): misfit for name, misfit in result.misfit.items()}
    lines += [
        f"{name}: the fitted ROC is {m.distance:.3f} from the scores' (tolerance {TOLERANCE:g}):"
        " what is said of its own ROC rests on a distribution that does not fit; see br.check_fit."
        for name, m in distances.items() if m.word == "far"
    ]  # fmt: skip
    untested = {visible(name): untested_ends(fit) for name, fit in result.fits.items()}
    lines += [f"{name}: {why}." for name, why in untested.items() if why]
    unsure = [f"{name} ({m.distance:.3f})" for name, m in distances.items() if m.word == "open"]
    if unsure:
        lines.append(
            f"Fitted ROC further than {TOLERANCE:g} from the scores', which may be chance:"
            f" {', '.join(unsure)}; br.check_fit tells."
        )
    return lines + [
        f"{visible(b)} puts the trials in the order of {visible(a)}: to an ensemble they are one."
        for a, b in result.duplicates
    ]


def own_grid(result: Inclusion, named: Callable[[str], Name]) -> Grid:
    """The verdicts beside each classifier's own ROC, as fitted and of its scores."""
    heads = ("classifier", "family", "fitted AUC", "scores' AUC", "distance", "verdict",
             "own ROC", "p", f"mean of {TPR} − {FAR}, points", "depth")  # fmt: skip
    rows = []
    for name, verdict in result.verdict.items():
        misfit, size, fit = result.misfit[name], verdict.size, result.fits[name]
        rows.append(Row((
            named(name), family_text(fit.family), f"{fit.model.auc():.4f}",
            f"{misfit.auc_scores:.4f}", Cell(f"{misfit.distance:.3f}", misfit.word), verdict.word,
            verdict.marginal, number(verdict.confidence.p_value, 2),
            _points(size.mean_excess, size.low, size.high),
            # Of less than one score below the diagonal none is shown.
            number(size.depth, 2) if size.hook_scores >= SEEN else "0",
        )))  # fmt: skip
    return Grid(heads, tuple(rows), (1, 5, 6))


def _points(value: float, low: float, high: float) -> Cell:
    """A difference of rates, in points of per cent."""
    return signed_cell(100.0 * value, 100.0 * low, 100.0 * high, digits=2)


def gain_grid(result: Inclusion, named: Callable[[str], Name]) -> Grid:
    """Areas of the learned fusion; gains by one rule, at the ends that the region reaches too."""
    parts = {"all": "all alphas"} | {e: f"{END_WORDS[e]} end" for e in reached_ends(result)}
    heads = ("classifier", "AUC with it", "AUC without", "learned gain (AUC)", "says",
             *(f"{_BESIDE}, {words}, points" for words in parts.values()))  # fmt: skip
    rows = []
    for name, verdict in result.verdict.items():
        gain, by_rule = verdict.gain, (result.fusion.gain(name, _BESIDE, part) for part in parts)
        rows.append(Row((
            named(name), number(gain.with_it, 4), number(gain.without, 4),
            signed_cell(gain.estimate, gain.low, gain.high), gain.word,
            *(_points(*_ends(interval)) for interval in by_rule),
        )))  # fmt: skip
    return Grid(heads, tuple(rows), (4,))


def reached_ends(result: Inclusion) -> list[str]:
    """The ends of the ROC that the region holds."""
    low, high = result.region
    return [end for end, reached in (("strict", low == 0.0), ("lax", high == 1.0)) if reached]


def _hull_words(result: Inclusion) -> str:
    hull = result.hull
    pieces = [visible(str(s)) for s in hull.segments[:_PIECES]]
    if len(hull.segments) > _PIECES:
        pieces.append(f"and {len(hull.segments) - _PIECES} more")
    unused = ", ".join(map(visible, hull.unused))
    return f"ROC hull, area {hull.auc:.4f}: {'; '.join(pieces)}" + (
        f"; not on it: {unused}" if unused else ""
    )


def _gain_sentences(result: Inclusion) -> list[str]:
    """What the gains are, and which rule serves whom."""
    fusion, part, gain = result.fusion, result.parts["all"], result.verdict[result.names[0]].gain
    learned = f"out of {gain.folds} folds" if gain.folds else "not measured"
    if gain.method.startswith("delong") and gain.folds == 1:
        learned = "learned on dev"
    where = f"the other of {fusion.folds} folds" if fusion.folds else "dev"
    region = "" if result.region == (0.0, 1.0) else "; over all alphas, not the region alone"
    lines = [
        "learned gain: AUC of a ridge-logistic fusion of all classifiers less that of all others,"
        f" {learned}, over all {FAR}s; include where it is clear of 0, adds nothing where it is"
        f" surely below {MATTERS:g}; its interval knows the chance of the trials, not that of the"
        " learning",
        f"gain: mean {part.measure} at thresholds chosen for {part.criterion} on {where}, without"
        f" the classifier less that with it; positive where it helps{region};"
        f" fused on {fusion.scale} ({visible(fusion.scale_reason)})",
    ]
    rules = list(dict.fromkeys(gain.rule for gain in fusion.gains))
    for name, verdict in result.verdict.items():
        if verdict.word == INCLUDE and all(fusion.gain(name, r).high < 0.0 for r in rules):
            lines.append(
                f"{visible(name)}: all {len(rules)} rules lose by it; include it in a fusion that"
                " learns its weights, as it corrects the others."
            )
        end = _SPOKEN.get(verdict.marginal)
        if end is None or end not in reached_ends(result):
            continue
        gains = {rule: fusion.gain(name, rule, end) for rule in rules}
        best = max(gains, key=lambda rule: gains[rule].estimate)
        positive = gains[best].estimate > 0.0
        does = f"{best} gains most" if positive else f"none gains, {best} loses least"
        lines.append(
            f"{visible(name)} at the {END_WORDS[end]} end: of the {len(rules)} rules {does},"
            f" {signed(*_ends(gains[best]))}."
        )
    return lines


# ------------------------------------------------------------------------------ as a page
def inclusion_page(
    result: Inclusion, *, read: Sequence[str] = (), words: ClassWords | None = None,
    terms: str = BIOMETRIC,
) -> str:  # fmt: skip
    """The verdicts, the pictures, the tables of the terminal, and what was read."""
    say = Vocabulary(checks.terms_of(terms), words or ClassWords()).fill
    top = [*(Words(line, "lead") for line in lead(result)), *_verdicts(result),
           _figures(result, checks.terms_of(terms))]  # fmt: skip
    many = f"{len(result.names)} classifiers"
    question = "Which of these classifiers join the ensemble?"
    page = ResultPage(
        f"betaroc: {many}", "Ensemble", [many], question, [retold(node, say) for node in top],
        [retold(section, say) for section in _sections(result, read)],
    )  # fmt: skip
    return page_of(page, say(f"betaroc {version()}. {FAR}(θ) = P({IMPOSTOR} score > θ)."))


def _verdicts(result: Inclusion) -> Sequence[Node]:
    head = ("classifier", "verdict", f"gain, {level_words(result.level)} interval",
            "its own ROC", "AUC of its scores", "what would change it")  # fmt: skip
    rows = []

    def place(item: tuple[str, Verdict]) -> tuple[int, float]:
        """By the icon, then the largest gain first, what was not measured last."""
        gain, icon = item[1].gain.estimate, _ICONS.get(item[1].word, "bad")
        return _SORTED.index(icon), 1.0 if math.isnan(gain) else -gain

    for name, verdict in sorted(result.verdict.items(), key=place):
        gain, change = verdict.gain, ""
        if verdict.word == CANNOT_TELL:
            needed = trials_needed(gain, result.systems.sizes)
            if needed is not None:
                change = f"about {needed[0]} {CLIENT} and {needed[1]} {IMPOSTOR} trials"
        rows.append(Row((
            foreign(name), Status("", verdict.word, _ICONS.get(verdict.word, "bad")),
            signed_cell(gain.estimate, gain.low, gain.high), verdict.marginal,
            f"{result.misfit[name].auc_scores:.3f}", change,
        )))  # fmt: skip
    return verdict_nodes(head, rows)


def _figures(result: Inclusion, terms: Terms) -> Figures:
    """The pictures of `Inclusion.plot` one by one."""
    many = len(result.names)
    counted_too = sum(result.systems.sizes) <= _MANY
    gains = [f"{foreign(name).short} {v.gain.estimate:+.4f}" for name, v in result.verdict.items()
             if not math.isnan(v.gain.estimate)]  # fmt: skip
    drawn = (
        (partial(draw_rocs, None, result, terms, counted_too=counted_too),
         f"ROCs of {many} classifiers, fitted; the hull of all above them.",
         f"{terms.tpr.short} against {terms.far.short} of {many} classifiers, and their hull"),
        (partial(draw_learned, None, result),
         f"What each adds to all others. Grey: less than {MATTERS:g}; filled: the interval tells.",
         f"Gain in AUC of each classifier: {', '.join(gains) or 'not measured'}"),
    )  # fmt: skip
    return Figures(tuple(
        Figure(draw_svg(draw, f"ensemble{k}"), caption, about)
        for k, (draw, caption, about) in enumerate(drawn)
    ))  # fmt: skip


def _sections(result: Inclusion, read: Sequence[str]) -> list[Section]:
    """The tables of the terminal, and those of pairs."""
    joined = sum(verdict == INCLUDE for verdict in result.verdict.values())
    crossings = crossings_columns(result._crossings)
    crossings.pop("logit_far")
    parts: tuple[tuple[str, str, str, Sequence[Node]], ...] = (
        ("why", "Why", f"{joined} of {len(result.names)} join",
         (_listed([*_reasons(result), *_doubts(result)]),)),
        ("gains", "What each adds", "with it and without it",
         (gain_grid(result, foreign), _listed(_gain_sentences(result)))),
        ("rocs", "Their own ROCs", "fitted distributions, and how far they are from the scores",
         (own_grid(result, foreign),)),
        ("hull", "Hull", f"area {result.hull.auc:.4f}", (_listed([_hull_words(result)]),)),
        ("crossings", "Crossings", "where one fitted ROC passes another",
         _pairs_table(_CROSSING_HEADS, crossings, rate, "never")),
        ("alike", "How alike they are", "correlations within the classes, and errors in common",
         _pairs_table([title.replace("_", " ") for title in result._diversity],
                      result._diversity, "{:.3f}".format, "")),
        ("read", "What was read",
         f"{len(result.names)} classifiers, {spaced(sum(result.systems.sizes))} trials",
         _read(result, read)),
        ("glossary", "Glossary", "the words of this page", (Glossary(_GLOSSARY),)),
    )  # fmt: skip
    return [Section(title, tuple(blocks), finding, key, folded=True)
            for key, title, finding, blocks in parts]  # fmt: skip


def _pairs_table(
    heads: Sequence[str], columns: Mapping[str, AnyArray], words: Callable[[float], str], none: str
) -> tuple[Node, ...]:
    """A table of pairs, which of many classifiers is longer than anybody reads."""

    def cell(value: Any) -> str | Name:
        if isinstance(value, str):
            return foreign(value) if value else "nobody"
        return none if math.isnan(value) else words(float(value))

    rows = list(zip(*columns.values(), strict=True))
    texts = [k for k, column in enumerate(columns.values()) if column.dtype.kind in "OU"]
    grid = Grid(tuple(heads), tuple(Row(tuple(map(cell, r))) for r in rows[:_ROWS]), (*texts[1:],))
    left = len(rows) - _ROWS
    if left <= 0:
        return (grid,)
    note = f"{left} more rows: `--json`, or the tables of the result in Python, have all of them."
    return grid, Words(note, "note")


def _read(result: Inclusion, read: Sequence[str]) -> list[Node]:
    n_client, n_impostor = result.systems.sizes
    lines = [*read, f"{spaced(n_client)} {CLIENT} and {spaced(n_impostor)} {IMPOSTOR} trials"]
    if result.systems.omitted:
        lines.append(f"{spaced(result.systems.omitted)} rows with a missing score left out")
    blocks: list[Node] = [_listed(map(visible, lines))]
    if result.messages:
        messages = _listed(visible(for_readers(message)) for message in result.messages)
        blocks += [Words("What the fits had to say:"), messages]
    return blocks


# ------------------------------------------------------------------------------ pictures
def plot_ensemble(result: Inclusion, rule: str, terms: str) -> Sheet:
    """Draw the ROCs, and beside them the gains; `Inclusion.plot` documents it."""
    words = checks.terms_of(terms)
    figure = new_figure(8.4, max(5.0, 3.4 + 0.816 * len(result.names)))
    axes = figure.subplot_mosaic(
        [["roc", "learned"], ["roc", "gains"]], height_ratios=(1.0, 1.7), width_ratios=(1.15, 1.0)
    )
    axes["roc"].set_box_aspect(1.0)
    draw_rocs(bare(axes["roc"]), result, words)
    draw_learned(bare(axes["learned"]), result).locator_params(axis="x", nbins=4)
    _draw_gains(bare(axes["gains"]), result, rule, words)
    return figure


def draw_rocs(
    ax: Axes | None, result: Inclusion, terms: Terms, *, counted_too: bool = True
) -> Axes:
    """The fitted ROCs, those of the scores, the hull, the diagonal and the region."""
    below, (ax, empty) = ax is None, begun(ax, square=True)
    for k, (name, roc) in enumerate(result._rocs.items()):
        colour = COLOURS[k % len(COLOURS)]
        if counted_too:
            points = Roc(*result.systems.scores(k)._distributions).points()
            ax.plot(points.far, points.tpr, color=colour, linewidth=0.6, alpha=0.7, zorder=1.8,
                    label="_nolegend_", gid="scores")  # fmt: skip
        points = roc.points()
        ax.plot(
            points.far, points.tpr, color=colour, linewidth=1.6,
            linestyle=_LINES[(k // len(COLOURS) + k) % len(_LINES)],
            label=f"{foreign(name).short}: {result.verdict[name].word}",
        )  # fmt: skip
    if counted_too:
        ax.plot([], [], color=_DARK, linewidth=0.6, alpha=0.7, label="scores' ROCs")
    segments = result.hull.segments
    far = np.unique(np.concatenate([
        np.geomspace(1e-6, 1.0, 300), np.linspace(0.0, 1.0, 300),
        [s.far_low for s in segments], [s.far_high for s in segments],
    ]))  # fmt: skip
    ax.plot(far, result.hull.tpr(far), color=_DARK, linewidth=3.2, alpha=0.28, zorder=1.6,
            solid_capstyle="round", label="ROC hull", gid="hull")  # fmt: skip
    ends = [end for s in segments if s.kind == "chord"
            for end in ((s.far_low, s.tpr_low), (s.far_high, s.tpr_high))]  # fmt: skip
    if ends:
        ax.plot(*zip(*ends, strict=True), color=_DARK, linestyle="none", marker="o",
                markersize=3.2, label="ends of chords", gid="chord-ends")  # fmt: skip
    draw_chance_line(ax, np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    for start, stop in ((0.0, result.region[0]), (result.region[1], 1.0)):
        if stop > start:
            ax.axvspan(start, stop, facecolor="#f0f0f0", edgecolor="none", zorder=0.4,
                       label="_nolegend_", gid="outside")  # fmt: skip
    # Inside the axes where there is room.
    crosses = any(fit.model.auc() < 0.5 for fit in result.fits.values())
    place = _ABOVE if crosses else {"loc": "lower right"}
    place = _UNDER if len(result.names) > _MOST_INSIDE else place
    return finished(ax, terms.far.short, terms.tpr.short, rates="xy",
                    frame=UNIT_FRAME if empty else None, below=below, **place)  # fmt: skip


def draw_learned(ax: Axes | None, result: Inclusion) -> Axes:
    """The gain of each classifier in a learned fusion."""
    gains = {name_shown(name, 26): verdict.gain for name, verdict in result.verdict.items()}
    marks = [IntervalMark(name, g.low, g.estimate, g.high, g.word != CANNOT_TELL)
             for name, g in gains.items()]  # fmt: skip
    words = "gain in AUC of a learned fusion"
    if ax is not None:  # else a caption says it
        words += f"\n(shaded: less than {MATTERS:g}; filled: it tells)"
    return draw_intervals(ax, marks, words, colours=COLOURS, near=(-MATTERS, MATTERS),
                          at=(0.0, "_nolegend_"), marker="D")  # fmt: skip


def _draw_gains(ax: Axes, result: Inclusion, rule: str, terms: Terms) -> None:
    """Gains by a rule, a row per classifier, a marker per part of the curve."""
    for k, part in enumerate(PARTS):
        label, marker = _MARKERS[part]
        for place, name in enumerate(result.names):
            g = result.fusion.gain(name, rule, part)
            mark = IntervalMark(name, g.low, g.estimate, g.high, g.low > 0.0 or g.high < 0.0)
            look = {"color": COLOURS[place % len(COLOURS)], "marker": marker, "gid": part}
            draw_interval(ax, mark, place + 0.22 * (k - 1), **look)
        ax.plot([], [], color=_DARK, marker=marker, markersize=5.5, linestyle="none",
                label=Vocabulary(terms).fill(label))  # fmt: skip
    for face, label in ((_DARK, "interval without 0"), ("white", "interval with 0")):
        ax.plot([], [], color=_DARK, marker="s", markersize=4.5, markerfacecolor=face,
                linestyle="none", label=label)  # fmt: skip
    ax.axvline(0.0, color="black", linewidth=0.9, linestyle=":", gid="zero")
    name_rows(ax, [name_shown(name, 26) for name in result.names])
    ax.locator_params(axis="x", nbins=5)
    measures = (result.fusion.parts[part]["measure"] for part in ("all", "strict"))
    measure, at_ends = (
        m if m == "weighted-error" else Vocabulary(terms).fill(short_name(m)) for m in measures
    )
    also = "" if at_ends == measure else f"\n(at the ends: in {at_ends})"
    title = f"{level_words(result.level)} intervals"
    words = f"gain in {measure} by {rule}{also}"
    finished(ax, words, "", "x", title=title, title_fontsize=8, **_ABOVE)


# ------------------------------------------------------------------------ as plain numbers
def inclusion_numbers(result: Inclusion) -> dict[str, Any]:
    """Everything that ``betaroc ensemble --json`` says."""
    hull, fusion, classifiers = result.hull, result.fusion, {}
    for row in records(inclusion_columns(result)):
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
        "omitted": result.systems.omitted, "region": list(result.region), "level": result.level,
        "classifiers": classifiers, "duplicates": [list(pair) for pair in result.duplicates],
        "crossings": records(crossings_columns(result._crossings)),
        "hull": {
            "auc": hull.auc, "segments": [s._asdict() for s in hull.segments],
            "unused": list(hull.unused),
        },
        "diversity": records(result._diversity),
        "fusion": {
            **fields_of(fusion, "scale", "folds", "parts"), "reason": fusion.scale_reason,
            "gains": [g._asdict() for g in fusion.gains],
        },
    }  # fmt: skip
