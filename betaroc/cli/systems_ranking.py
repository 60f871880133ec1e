"""The comparison of three and more systems as text, numbers and a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from betaroc.cli.systems import reading_words
from betaroc.core.tables import listed_columns
from betaroc.decision.curve_difference import larger_is_better, way_words
from betaroc.decision.systems import SystemsComparison
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.numbers import counted, level_words, number, path_words, visible
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import Column, Grid, Section, Words, apart, as_named, recorded
from betaroc.report.compare import System, drawn_words, sources_of
from betaroc.report.epc import (
    alphas_given,
    axis_words,
    measure_words,
    path_of,
    value_text,
)

__all__ = ["ranking_numbers", "ranking_told"]

#: More groups than this are told in JSON alone.
_GROUPS = 8


def ranking_numbers(found: SystemsComparison, systems: Sequence[System]) -> dict[str, Any]:
    """The ranking, every pair, the curves, and what they were computed from."""
    e = found.curves[0]
    single = CRITERIA[e.criterion].single
    return {
        "verdict": found.verdict,
        "ranking": records(listed_columns(found.to_frame())),
        "groups_alike": [list(group) for group in found.groups_alike],
        "pairs": records(listed_columns(found.pairs)),
        "alpha": alphas_given(e),
        "curves": {
            name: {
                "threshold": curve.threshold.tolist(), "value": curve.value.tolist(),
                "band_low": found.band_low[k].tolist(), "band_high": found.band_high[k].tolist(),
            }
            for k, (name, curve) in enumerate(zip(found.names, found.curves, strict=True))
        },
        "criterion": e.criterion,
        "measure": e.measure,
        "larger_is_better": larger_is_better(e.measure),
        "mean_alpha": [None, None] if single else list(found.alpha_range),
        "level": found.level,
        "resample": found.resample,
        "paired": found.paired,
        "dev_paired": found.dev_paired,
        "groups": None if found.groups is None else list(found.groups),
        "smallest": found.smallest._asdict(),
        "replicates": found.replicates,
        "names": list(found.names),
        "sources": sources_of(systems, found.curves),
    }  # fmt: skip


def ranking_told(
    found: SystemsComparison, systems: Sequence[System], chosen_by: Sequence[str], seed: int
) -> list[Section]:
    """What was read, the ranking, the verdict, and what the columns mean."""
    head = ["thresholds chosen on dev, errors counted on test; accepted if score > threshold"]
    for system, by in zip(systems, chosen_by, strict=True):
        files = " and ".join(path_words(path_of(one)) for one in (system.dev, system.test))
        sizes = f"{system.test.n_client} client and {system.test.n_impostor} impostor scores"
        head.append(f"{visible(system.name)}: {files} ({sizes}); thresholds from {by}")
    e = found.curves[0]
    head += [
        reading_words((one.name, side) for one in systems for side in (one.dev, one.test)),
        f"criterion: {e.criterion}{axis_words(e)}",
        f"measure: {measure_words(e)}, {way_words(e.measure)} is better",
        "paired: all systems judge the same trials, in the order of the files"
        if found.paired
        else "unpaired: sets of trials of each system, drawn independently",
        _interval_words(found, seed),
    ]
    read, findings = (Words("\n".join(lines), "given") for lines in (head, _findings(found)))
    return apart(read, _table(found, systems), findings)


def _interval_words(found: SystemsComparison, seed: int) -> str:
    pairs = counted(found.first.size, "pair")
    start = f"intervals: {level_words(found.level)} for all {pairs} at once"
    drawn = drawn_words(found, found.replicates, seed)
    return f"{start}{', at these very thresholds' * (found.resample == 'test')}, {drawn}"


def _table(found: SystemsComparison, systems: Sequence[System]) -> Grid:
    """A row a system, with its files."""
    table, by_name = dict(listed_columns(found.to_frame())), {one.name: one for one in systems}
    for role in ("dev", "test"):
        table[role] = [path_of(getattr(by_name[name], role)) for name in table["system"]]
    heads = {
        "rank": "", "system": "system", "mean": "mean", "better_than": "better than",
        "worse_than": "worse than", "groups": "groups" if _few(found) else None,
    }  # fmt: skip
    forms = {"mean": partial(value_text, found.curves[0])}
    table["system"] = list(map(as_named, table["system"]))
    columns = [Column(key, heads.get(key), forms.get(key, str)) for key in table]
    return recorded(columns, zip(*table.values(), strict=True))


def _few(found: SystemsComparison) -> bool:
    return len(found.groups_alike) <= _GROUPS


def _findings(found: SystemsComparison) -> list[str]:
    lines = [found.verdict]
    if not CRITERIA[found.curves[0].criterion].single:
        low, high = found.alpha_range
        lines.append(f"mean: over alpha from {number(low)} to {number(high)}")
    lines.append("better than, worse than: so many systems from which it is shown to differ")
    if _few(found):
        lines.append("groups: systems with a letter in common cannot be told apart")
    return lines
