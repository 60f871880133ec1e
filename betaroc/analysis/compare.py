"""A comparison of two systems as words, numbers, a table and comma-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from betaroc.analysis.epc import (
    alpha_text,
    alphas_given,
    alphas_words,
    axis_words,
    cell,
    measure_title,
    measure_words,
    plain_text,
    read_words,
    source_numbers,
    spread,
    value_text,
)  # fmt: skip
from betaroc.analysis.format import counted, level_words, number, visible
from betaroc.analysis.text import columns
from betaroc.comparison import Comparison, ProportionTest
from betaroc.criteria import CRITERIA
from betaroc.expected_performance import Epc
from betaroc.measures import MEASURES
from betaroc.summary import Given

__all__ = [
    "System", "comparison_csv", "comparison_numbers", "comparison_text", "larger_is_better",
    "leader", "leads", "short_measure", "system_names",
]  # fmt: skip

#: Measures that weigh the errors of both classes: the count of all errors says something of them.
_OF_ALL_ERRORS = frozenset({"hter", "weighted-error", "dcf", "accuracy", "youden"})
_SHORT = {"far": "FAR", "frr": "FRR", "tpr": "TPR", "tnr": "TNR", "hter": "HTER", "mcc": "MCC"}
#: Where the proportion test is printed, if these are rows of the table.
_TESTED = (0.1, 0.3, 0.5, 0.7, 0.9)
_SAME = 1e-9


class System(NamedTuple):
    """One of the two: what it is called and what was read of it."""

    name: str
    dev: Given
    test: Given


class Lead(NamedTuple):
    """Neighbours among the alphas, ascending, at which one system, 0 or 1, is better."""

    system: int
    alphas: tuple[float, ...]


# ----------------------------------------------------------------------- which is better
def larger_is_better(measure: str) -> bool:
    """The direction of a measure; a weighted error is better small."""
    known = MEASURES.get(measure)
    return known is not None and known.larger_is_better


def leader(comparison: Comparison) -> npt.NDArray[np.int8]:
    """At each alpha 1 where the first system is better, 2 where the second is, else 0."""
    above, below = comparison.low > 0.0, comparison.high < 0.0
    first, second = (above, below) if larger_is_better(comparison.first.measure) else (below, above)
    return np.where(first, 1, np.where(second, 2, 0)).astype(np.int8)


def leads(comparison: Comparison) -> list[Lead]:
    """The longest runs of alphas in which one system is better, ascending."""
    order = np.argsort(comparison.alpha, kind="stable")
    alpha, who = comparison.alpha[order], leader(comparison)[order]
    starts = np.flatnonzero(np.diff(who, prepend=np.int8(-1)) != 0)
    stops = [*starts[1:], who.size]
    return [
        Lead(int(who[a]) - 1, tuple(alpha[a:b].tolist()))
        for a, b in zip(starts, stops, strict=True)
        if who[a]
    ]


def system_names(comparison: Comparison) -> tuple[str, str]:
    """The names of the test sets, or A and B where they do not tell the systems apart."""
    first, second = (e.test.name or e.dev.name for e in (comparison.first, comparison.second))
    return (first, second) if first and second and first != second else ("A", "B")


def short_measure(epc: Epc) -> str:
    """The measure as it stands in a sentence."""
    return _SHORT.get(epc.measure, measure_title(epc))


# ------------------------------------------------------------------------------- numbers
def comparison_numbers(comparison: Comparison, systems: Sequence[System]) -> dict[str, Any]:
    """Arrays of one length, where the systems differ, and what it was computed from."""
    curves = (comparison.first, comparison.second)
    names = [system.name for system in systems]
    tests = _proportion_tests(comparison)
    single = CRITERIA[comparison.first.criterion].single
    return {
        **_arrays(comparison, names),
        "ranges": [
            {
                "low": None if single else lead.alphas[0],
                "high": None if single else lead.alphas[-1],
                "alphas": [None] if single else list(lead.alphas),
                "better": names[lead.system],
            }
            for lead in leads(comparison)
        ],
        "proportion_test": [{"alpha": None if single else a, **test._asdict()} for a, test in tests]
        or None,
        "criterion": comparison.first.criterion,
        "measure": comparison.first.measure,
        "larger_is_better": larger_is_better(comparison.first.measure),
        "level": comparison.level,
        "paired": comparison.paired,
        "resample": "test",
        "groups": None if comparison.groups is None else list(comparison.groups),
        "replicates": comparison.differences.shape[0],
        "names": names,
        "sources": [
            {
                "dev": source_numbers(system.dev, epc.dev.prior),
                "test": source_numbers(system.test, epc.test.prior),
            }
            for system, epc in zip(systems, curves, strict=True)
        ],
    }


def _arrays(comparison: Comparison, names: Sequence[str]) -> dict[str, list[Any]]:
    """One entry an alpha."""
    first, second = comparison.first, comparison.second
    called = (None, *names)
    return {
        "alpha": alphas_given(first),
        "threshold_a": first.threshold.tolist(),
        "threshold_b": second.threshold.tolist(),
        "value_a": first.value.tolist(),
        "value_b": second.value.tolist(),
        "difference": comparison.difference.tolist(),
        "low": comparison.low.tolist(),
        "high": comparison.high.tolist(),
        "significant": comparison.significant.tolist(),
        "better": [called[k] for k in leader(comparison)],
    }


def _proportion_tests(comparison: Comparison) -> list[tuple[float, ProportionTest]]:
    """At a few rows of the table, where the measure is made of the errors of both classes."""
    if comparison.first.measure not in _OF_ALL_ERRORS:
        return []
    alphas = np.sort(comparison.alpha)
    alphas = alphas[spread(alphas.size)]
    near = (np.abs(alphas[:, None] - np.array(_TESTED)) <= _SAME).any(axis=1)
    few = alphas.size <= len(_TESTED) or not near.any()
    chosen = alphas[spread(alphas.size, len(_TESTED)) if few else near]
    return [(float(a), comparison.proportion_test(float(a))) for a in chosen]


# --------------------------------------------------------------------------------- table
def comparison_text(
    comparison: Comparison, systems: Sequence[System], chosen_by: Sequence[str], seed: int
) -> str:
    """What was read, about eleven alphas, the ranges in words, the proportion test."""
    blocks = ["\n".join(_head(comparison, systems, chosen_by, seed))]
    blocks += [_table(comparison, systems), "\n".join(_ranges(comparison, systems))]
    tests = _proportion_tests(comparison)
    if tests:
        blocks.append(_tests_table(comparison, systems, tests))
    return "\n\n".join(blocks)


def _head(
    comparison: Comparison, systems: Sequence[System], chosen_by: Sequence[str], seed: int
) -> list[str]:
    first = comparison.first
    lines = ["thresholds chosen on dev, errors met on test; accepted if score > threshold"]
    for system, by in zip(systems, chosen_by, strict=True):
        name = visible(system.name)
        for role, scores in (("dev", system.dev), ("test", system.test)):
            lines.append(read_words(f"{name}, {role}", scores))
        lines.append(f"{name}: thresholds from {by}")
    way = "higher" if larger_is_better(first.measure) else "lower"
    trials = (
        "paired: both systems judge the same trials, in the order of the files"
        if comparison.paired
        else "unpaired: two sets of trials, drawn independently"
    )
    drawn = counted(comparison.differences.shape[0], "bootstrap replicate")
    return [
        *lines,
        f"criterion: {first.criterion}{axis_words(first)}",
        f"measure: {measure_words(first)}, {way} is better",
        trials,
        f"interval: {level_words(comparison.level)} of the difference at fixed thresholds, each"
        f" alpha by itself; {drawn}, seed {seed}" + _groups_words(comparison, systems),
    ]


def _groups_words(comparison: Comparison, systems: Sequence[System]) -> str:
    if comparison.groups is None:
        return ""
    first, second = comparison.groups
    if comparison.paired:
        return f"; trials drawn by {first} groups"
    of = zip(systems, (first, second), strict=True)
    drawn = [f"{n} groups of {visible(system.name)}" for system, n in of if n is not None]
    return f"; trials drawn by {' and '.join(drawn)}"


def _table(comparison: Comparison, systems: Sequence[System]) -> str:
    first, second = (visible(system.name) for system in systems)
    rows = [["alpha", first, second, f"{first} - {second}", "low", "high", "better"]]
    order = np.argsort(comparison.alpha, kind="stable")
    who = leader(comparison)
    arrays = (
        comparison.first.value, comparison.second.value, comparison.difference,
        comparison.low, comparison.high,
    )  # fmt: skip
    for k in order[spread(order.size)]:
        values = [value_text(comparison.first, float(array[k])) for array in arrays]
        mark = ("", first, second)[who[k]]
        rows.append([alpha_text(comparison.first, k), *values, mark])
    return columns(rows)


def _ranges(comparison: Comparison, systems: Sequence[System]) -> list[str]:
    measure, level = short_measure(comparison.first), level_words(comparison.level)
    way = "higher" if larger_is_better(comparison.first.measure) else "lower"
    found = leads(comparison)
    single = CRITERIA[comparison.first.criterion].single
    alone = f" (level {level})" if comparison.alpha.size == 1 else ""
    lines = [
        f"{visible(systems[lead.system].name)} has the {way} {measure}"
        + ("" if single else f" {alphas_words(lead.alphas)}")
        + alone
        for lead in found
    ]
    if not found:
        lines = [f"no difference at level {level}" + ("" if single else " at any alpha")]
    elif comparison.alpha.size > 1 and not comparison.significant.all():
        lines.append("at all other alphas no difference")
    undefined = int(np.sum(np.isnan(comparison.difference)))
    if undefined:
        lines.append(f"undefined (0/0) at {undefined} of {comparison.alpha.size} alphas")
    return [*lines, *_reservations(comparison)]


def _reservations(comparison: Comparison) -> list[str]:
    """What the intervals do not say."""
    lines = []
    if comparison.alpha.size > 1:
        lines.append(
            f"level {level_words(comparison.level)}, each alpha tested by itself: of"
            f" {comparison.alpha.size} alphas about"
            f" {level_words(1.0 - comparison.level)} differ by chance where the systems are equal,"
            " neighbours together"
        )
    lines.append(
        "dev's choice is held fixed: what other dev scores would have chosen is not in the interval"
    )
    return lines


def _tests_table(
    comparison: Comparison,
    systems: Sequence[System],
    tests: Sequence[tuple[float, ProportionTest]],
) -> str:
    single = CRITERIA[comparison.first.criterion].single
    rows = [["alpha", *(f"errors of {visible(system.name)}" for system in systems), "z", "p"]]
    for alpha, test in tests:
        errors = [f"{e} of {n}" for e, n in zip(test.errors, test.trials, strict=True)]
        found = [number(test.statistic, 3), number(test.p_value, 3)]
        rows.append(["none" if single else number(alpha), *errors, *found])
    return f"proportion test on all errors; {_test_words(comparison)}\n{columns(rows)}"


def _test_words(comparison: Comparison) -> str:
    if comparison.groups is not None:
        return (
            "it takes all decisions as independent of each other and ignores the groups: the"
            " interval above is the one to quote"
        )
    if comparison.paired:
        return (
            "it takes the two sets of decisions as independent and is too cautious for paired"
            " trials: the interval above is the one to quote"
        )
    return "it takes all decisions as independent of each other"


# ----------------------------------------------------------------------------------- csv
def comparison_csv(comparison: Comparison, systems: Sequence[System], seed: int) -> str:
    """One row an alpha; what is undefined is empty, and no text cell is a formula."""
    names = [plain_text(system.name) for system in systems]
    arrays = _arrays(comparison, names)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    fixed = {
        "level": repr(comparison.level),
        "paired": cell(comparison.paired),
        "replicates": str(comparison.differences.shape[0]),
        "seed": str(seed),
        "criterion": comparison.first.criterion,
        "measure": comparison.first.measure,
        "name_a": names[0],
        "name_b": names[1],
        **_paths(systems),
    }
    writer.writerow([*arrays, *fixed])
    for row in zip(*arrays.values(), strict=True):
        writer.writerow([*map(cell, row), *fixed.values()])
    return out.getvalue()


def _paths(systems: Sequence[System]) -> dict[str, str]:
    """The files of both systems."""
    found = {}
    for side, system in zip("ab", systems, strict=True):
        for role, scores in (("dev", system.dev), ("test", system.test)):
            path = "" if scores.source is None else scores.source.path
            found[f"{role}_{side}"] = plain_text(path)
    return found
