"""Fits as tables: statsmodels-style summaries, frames, and what a notebook shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from betaroc.core.class_words import shared_words
from betaroc.core.errors import BetarocError
from betaroc.core.options import IntervalOptions
from betaroc.core.tables import Table, columns_from_rows, table_of
from betaroc.data.scores import Scores
from betaroc.distributions.empirical import is_counted
from betaroc.distributions.inflated import REJECTED
from betaroc.estimation.families import family_text
from betaroc.estimation.record import Estimate
from betaroc.inference.interval import Interval
from betaroc.inference.intervals import interval_of_fit
from betaroc.inference.scores_beyond import SupportedPair
from betaroc.model.asking import asking
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering.notebook import Trace, draw_square, html_block, name_shown, table_nodes
from betaroc.rendering.numbers import level_words, number, spaced, visible
from betaroc.rendering.table_text import latex_table, latex_text
from betaroc.rendering.tree import (
    Cell,
    Figure,
    Grid,
    Group,
    Node,
    Row,
    RowCells,
    Words,
    quantity,
    rate_cell,
)

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary


def _number(value: float) -> str:
    return f"{value:.6g}"


def _rows(fit: Estimate) -> list[tuple[str, float, float]]:
    errors = fit.std_errors
    return [(name, value, errors[name]) for name, value in fit.params.items()]


_COLUMNS = ("family", "parameter", "estimate", "std_error")
_TEXTS = ("class", "family", "parameter")
_SHOWN = ("", "estimate", "std err")
_Tables = list[tuple[str, dict[str, Any]]]


def distribution_frame(fit: Estimate) -> Table:
    """One row a parameter."""
    rows = [(fit.family, *row) for row in _rows(fit)]
    return table_of(columns_from_rows(rows, _COLUMNS, _TEXTS), fit.library)


def fit_frame(fit: SupportedPair) -> Table:
    """One row a class and parameter."""
    parts = (("client", fit.client), ("impostor", fit.impostor))
    rows = [(who, part.family, *row) for who, part in parts for row in _rows(part)]
    return table_of(columns_from_rows(rows, ("class", *_COLUMNS), _TEXTS), fit.library)


def distribution_summary(fit: Estimate) -> Summary:
    """One law: its facts, then its parameters."""
    facts = [
        ("Family:", fit.family, "Log-likelihood:", _number(fit.log_likelihood)),
        ("Scores:", str(fit.n), "AIC:", _number(fit.aic)),
        ("Total weight:", _number(fit.total_weight), "BIC:", _number(fit.bic)),
        ("Converged:", str(fit.converged), "Boundary:", boundary_words(fit) or "none"),
    ]
    return _summary("Maximum-likelihood fit", facts, [("", fit)])


def fit_summary(fit: SupportedPair) -> Summary:
    """The pair's facts, then the parameters of each class."""
    words = shared_words([fit.scores.words])
    facts = [
        ("Family:", family_text(fit.family), "Log-likelihood:", _number(fit.log_likelihood)),
        ("Converged:", str(fit.converged), "AIC:", _number(fit.aic)),
        (words.said("Client prior:"), _number(fit.model.prior), "BIC:", _number(fit.bic)),
    ]
    name = f" of {visible(fit.scores.name)}" if fit.scores.name else ""
    title = f"Maximum-likelihood fit{name}"
    return _summary(title, facts, [(words.client, fit.client), (words.impostor, fit.impostor)])


def _summary(
    title: str, facts: Sequence[Sequence[str]], parts: Sequence[tuple[str, Estimate]]
) -> Summary:
    from statsmodels.iolib.summary import Summary
    from statsmodels.iolib.table import SimpleTable
    from statsmodels.iolib.tableformatting import fmt_2cols, fmt_params

    summary = Summary()
    left, right = (
        SimpleTable([[row[i + 1]] for row in facts], stubs=[row[i] for row in facts],
                    title=title, txt_fmt=fmt_2cols)
        for i in (0, 2)
    )  # fmt: skip
    left.extend_right(right)
    summary.tables.append(left)
    pairs = [row[i : i + 2] for i in (0, 2) for row in facts]
    shown = [(title, columns_from_rows(pairs, ("", "value"), ("", "value")))]
    for who, part in parts:
        rows, heading = _rows(part), _heading(who, part)
        numbers = [(_number(value), _number(error)) for _, value, error in rows] or [("", "")]
        names = [name for name, _, _ in rows] or ["no parameters"]
        table = SimpleTable(numbers, _SHOWN[1:], names, title=heading, txt_fmt=fmt_params)
        summary.tables.append(table)
        shown.append((heading or "Parameters", columns_from_rows(rows, _SHOWN, ("",))))
    # Those of statsmodels escape no name, and set no tables of different widths.
    summary.as_html, summary.as_latex = partial(_html, shown), partial(_latex, shown)
    return summary


def _html(tables: _Tables) -> str:
    return html_block([node for title, table in tables for node in table_nodes(table, title)])


def _latex(tables: _Tables) -> str:
    return "\n".join(f"{latex_text(title)}\n\n{latex_table(table)}" for title, table in tables)


def _heading(who: str, part: Estimate) -> str | None:
    """The class, its size and, if it met any, its scores of 0 and 1."""
    if not who:
        return None
    rule = part.boundary
    met = rule is not None and (rule.n_zero or rule.n_one or rule.resolution is not None)
    absent = round(part.params.get(REJECTED, 0.0) * part.total_weight)
    size = f"{part.n - absent} scores" + (f", {absent} trials without one" if absent else "")
    return f"{who}: {size}" + (f", boundary {boundary_words(part)}" if met else "")


# --------------------------------------------------------------------- in words and rows
def fit_families(fit: SupportedPair) -> str:
    """Name of the family, point masses said."""
    both = (fit._scored.client, fit._scored.impostor)
    inflated = any(f.distribution.atoms.places.size and f.names for f in both)
    name = family_text(fit.family)
    name = f"{name}, with point masses" if inflated else name
    ends = [
        f"{who}s at the {' and the '.join(one.side for one in f.tails)} end"
        for who, f in zip(("client", "impostor"), both, strict=True)
        if f.tails
    ]
    return f"{name}, with a tail of {' and '.join(ends)}" if ends else name


def boundary_words(fit: Estimate) -> str:
    """What was done with scores of exactly 0 and 1; empty if there were none."""
    rule = fit.boundary
    if rule is None:
        return ""
    parts = []
    if rule.n_zero or rule.n_one:
        parts.append(f"{rule.n_zero} scores of exactly 0, {rule.n_one} of exactly 1")
    if rule.n_dropped:
        parts.append(f"{rule.n_dropped} left out")
    if rule.n_moved:
        parts.append(f"{rule.n_moved} moved")
    if rule.n_censored_low or rule.n_censored_high:
        parts.append(f"{rule.n_censored_low} censored low, {rule.n_censored_high} high")
    if rule.resolution is not None:
        parts.append(f"resolution {rule.resolution:g}")
    return f"{'; '.join(parts)} (rule: {rule.policy})" if parts else ""


def law_rows(
    who: str, law: Estimate, cells: Mapping[str, tuple[Cell, str]] | None = None
) -> list[RowCells | Group]:
    """The parameters of a class, of `cells` with intervals, and what was done at 0 and 1."""
    name, rows = f"{who} (n = {spaced(law.n)})", list[RowCells | Group]()
    for label, value, error in _rows(law):
        if value != 0.0 or not label.startswith("at_"):
            cell, method = (cells or {}).get(label, (Cell(number(value)), ""))
            rows.append((name, label, cell, number(error, 3), method))
            name = ""
    words = boundary_words(law)
    return [*rows, Group("", f"{who}: {words}")] if words else rows


# ------------------------------------------------------------------------ in a notebook
#: Confidence of intervals; parameters up to which that of the EER takes no time.
_LEVEL, _FEW = 0.95, 4
#: Scores up to which their own curve takes no time; points of the fitted one; notices shown.
_MANY, _POINTS, _NOTICES = 100_000, 64, 2


def fit_block(fit: SupportedPair) -> list[Node]:
    """Area and EER, fitted and counted, the parameters, and both curves."""
    scores, words = fit.scores, shared_words([fit.scores.words])
    sizes = {"client": scores.n_client, "impostor": scores.n_impostor}
    models: dict[str, ScoreModel] = {} if is_counted(fit.model.client) else {"fitted": fit.model}
    if not models or not isinstance(scores, Scores) or sum(sizes.values()) <= _MANY:
        models["scores"] = empirical_model(scores)
    called = f" of {name_shown(scores.name)}" if scores.name else ""
    told = " and ".join(words.counted(who, n, spaced(n)) for who, n in sizes.items())
    laws = [
        row if isinstance(row, Group) else Row(row[:4])
        for who in sizes for row in law_rows(getattr(words, who), getattr(fit, who))
    ]  # fmt: skip
    params = Grid(("class", "parameter", "estimate", "standard error"), tuple(laws), (1,))
    of = {name: fit if name == "fitted" else None for name in models}
    areas = {name: _area(of[name], m) for name, m in models.items()}
    errors = {name: _eer(of[name], m) for name, m in models.items()}
    with_ends = [name for name in models if areas[name].span or errors[name].span]
    head = ("", *(f"{name}, {level_words(_LEVEL)} interval" if name in with_ends else name
                  for name in models))  # fmt: skip
    rows = (Row(("AUC", *areas.values())), Row(("EER", *errors.values())))
    return [
        Words(f"{fit_families(fit)} fit{called}: {told}", "answer"),
        *(Words(one.message) for one in fit.notices[:_NOTICES]),
        Grid(head, rows),
        *[params] * bool(laws),
        _rocs(models),
    ]


def _area(fit: SupportedPair | None, model: ScoreModel) -> Cell:
    found = None if fit is None else _interval(fit, "auc")
    ends = () if found is None else (found.low, found.high)
    return quantity(model.auc(), lambda value: number(value, 4), *ends)


def _eer(fit: SupportedPair | None, model: ScoreModel) -> Cell:
    found = None if fit is None or fit.n_free > _FEW else _interval(fit, "eer")
    if found is None:
        return rate_cell(float(model.eer().hter))
    cell = rate_cell(found.estimate, found.low, found.high)
    return replace(cell, span=f"{cell.span}, extrapolated") if found.extrapolated else cell


def _interval(fit: SupportedPair, stat: str) -> Interval | None:
    """The interval where there is one at once: tails take their time."""
    if fit.client.tails or fit.impostor.tails:
        return None
    try:
        return interval_of_fit(fit, asking(stat, ()), IntervalOptions(_LEVEL))
    except BetarocError:
        return None


def _rocs(models: Mapping[str, ScoreModel]) -> Figure:
    lines = []
    for name, model in models.items():
        points = model.roc().points(_POINTS)
        look = "thin" if name == "scores" and len(models) > 1 else "solid"
        lines.append(Trace(name, points.far, points.tpr, look))
    areas = ", ".join(f"{name} {number(model.auc(), 3)}" for name, model in models.items())
    return draw_square(lines, ("FAR", "TPR"), f"ROC: TPR against FAR, area {areas}")
