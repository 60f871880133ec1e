"""The fits of several systems as one table: a row a system and class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from betaroc.cli.systems import reading_words
from betaroc.data.scores import ScoreData
from betaroc.fits.fit import Fit
from betaroc.model.model import ScoreModel
from betaroc.model.samples import empirical_model
from betaroc.rendering.numbers import number, path_words, percent, visible
from betaroc.rendering.tree import Cell, Column, Name, Section, Words, apart, as_named, recorded
from betaroc.report.numbers import law_numbers
from betaroc.report.quality import class_distance
from betaroc.report.verdicts import class_verdicts

__all__ = ["FittedSystem", "fits_told"]

#: Of the distances that a verdict is by.
_LEVEL = 0.95
_CLASSES = ("client", "impostor")


class FittedSystem(NamedTuple):
    """A system's fit beside its scores."""

    name: str
    source: str | None
    fit: Fit
    #: By the fitted distributions and counted on the scores.
    auc: tuple[float, float]
    eer: tuple[float, float]
    #: Of clients and of impostors.
    distances: tuple[float, float]
    verdicts: tuple[str, str]

    @classmethod
    def of(cls, name: str, dev: ScoreData, fit: Fit) -> FittedSystem:
        """What the table says of a system."""
        counted = empirical_model(dev)
        off = tuple(class_distance(getattr(fit, c), getattr(counted, c)) for c in _CLASSES)
        source = None if dev.source is None else dev.source.path
        models = fit.model, counted
        auc, eer = ((f(models[0]), f(models[1])) for f in (_auc, _eer))
        verdicts = class_verdicts(dev._as_scores(), (off[0], off[1]), _LEVEL)
        return cls(name, source, fit, auc, eer, (off[0], off[1]), verdicts)

    def numbers(self, reason: str) -> dict[str, Any]:
        """One entry of the JSON list."""
        rows: dict[str, Any] = {}
        for k, who in enumerate(_CLASSES):
            own = law_numbers(getattr(self.fit, who))
            rows[who] = own | {"distance": self.distances[k], "verdict": self.verdicts[k]}
        found: dict[str, Any] = {
            "system": self.name,
            "source": self.source,
            "family": self.fit.family,
        }
        found |= {"reason": self.fit.reason or reason, **rows}
        for name, pair in (("auc", self.auc), ("eer", self.eer)):
            found |= {name: pair[0], f"{name}_counted": pair[1]}
        return found


def _auc(model: ScoreModel) -> float:
    return float(model.auc())


def _eer(model: ScoreModel) -> float:
    return float(model.eer().hter)


def fits_told(rows: Sequence[FittedSystem]) -> list[Section]:
    """What was read, and the table: a row a system and class."""
    lines = []
    for row in rows:
        file = "" if row.source is None else f" {path_words(row.source)}"
        lines.append(f"{visible(row.name)}:{file}; {row.fit.reason}".rstrip("; "))
    lines.append(reading_words((row.name, row.fit.scores) for row in rows))
    notes = (
        "AUC and EER by the fitted distributions; off by: the largest distance of a fitted"
        " distribution from\nthe scores; verdict: whether that is within 0.05 whatever chance did"
    )
    table = recorded(_COLUMNS, [cells for row in rows for cells in _cells(row)])
    return apart(Words("\n".join(lines), "given"), table, Words(notes))


_COLUMNS = (
    Column("system", "system"), Column("class", "class"), Column("family", "family"),
    Column("n", "n"), Column("parameters", "parameters"),
    Column("auc", "AUC"), Column("auc_counted"), Column("eer", "EER"), Column("eer_counted"),
    Column("distance", "off by", partial(number, digits=2)), Column("verdict", "verdict"),
)  # fmt: skip


def _cells(row: FittedSystem) -> Iterator[tuple[Any, ...]]:
    """A row a class; what is of both is said once."""
    once = as_named(row.name), number(row.auc[0], 4), percent(row.eer[0])
    for k, who in enumerate(_CLASSES):
        law = getattr(row.fit, who)
        name, auc, eer = once if k == 0 else (Name("", row.name), "", "")
        yield (
            name, who, law.family, law.n, Name(_parameters(law.params, 4), _parameters(law.params)),
            Cell(auc, value=row.auc[0]), row.auc[1], Cell(eer, value=row.eer[0]), row.eer[1],
            row.distances[k], row.verdicts[k],
        )  # fmt: skip


def _parameters(params: Any, digits: int = 6) -> str:
    return " ".join(f"{name}={number(value, digits)}" for name, value in params.items())
