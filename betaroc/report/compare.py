"""A comparison of two systems as words, numbers, a table and comma-separated values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from betaroc.core.value import fields_of
from betaroc.data.scores import ScoreData
from betaroc.decision.comparison import OF_ALL_ERRORS, Comparison, ProportionTest
from betaroc.decision.curve_difference import larger_is_better, verdict_words, way_words
from betaroc.decision.epc import Epc
from betaroc.decision.systems import SystemsComparison
from betaroc.model.criteria import CRITERIA
from betaroc.rendering.numbers import counted, level_words, number, visible
from betaroc.rendering.table_text import in_each_row
from betaroc.rendering.tree import Grid, Name, Row, Section, Words, apart, as_named
from betaroc.report.epc import (
    alpha_text,
    alphas_given,
    axis_words,
    measure_words,
    path_of,
    read_words,
    source_numbers,
    spread,
    value_text,
)

#: Where the proportion test is printed, if these are rows of the table.
_TESTED = (0.1, 0.3, 0.5, 0.7, 0.9)
_SAME = 1e-9


class System(NamedTuple):
    """One of the two: what it is called and what was read of it."""

    name: str
    dev: ScoreData
    test: ScoreData


# ------------------------------------------------------------------------------- numbers
def comparison_numbers(comparison: Comparison, systems: Sequence[System]) -> dict[str, Any]:
    """Arrays of one length, where the systems differ, and what it was computed from."""
    names = (systems[0].name, systems[1].name)
    tests = _proportion_tests(comparison)
    single = CRITERIA[comparison.first.criterion].single
    mean = comparison.mean_difference
    better, alpha = comparison.better_on_average, np.sort(comparison.alpha)
    return {
        "verdict": verdict_words(comparison, names),
        "mean_difference": {
            **fields_of(mean, "estimate", "low", "high", "level", "method"),
            "alpha": [None, None] if single else list(comparison.alpha_range),
            "better": None if better is None else names["ab".index(better)],
        },
        **comparison_arrays(comparison, names),
        "ranges": [
            {
                "low": None if single else one.low,
                "high": None if single else one.high,
                "alphas": [None]
                if single
                else alpha[(alpha >= one.low) & (alpha <= one.high)].tolist(),
                "better": names["ab".index(system)],
            }
            for one, system in zip(comparison.ranges, comparison.ranges_better, strict=True)
        ],
        "proportion_test": [{"alpha": None if single else a, **test._asdict()} for a, test in tests]
        or None,
        **design_numbers(comparison, systems, (comparison.first, comparison.second)),
        "replicates": comparison.differences.shape[0],
    }


def design_numbers(
    found: Comparison | SystemsComparison, systems: Sequence[System], curves: Sequence[Epc]
) -> dict[str, Any]:
    """What was compared and how, and what was read of each system."""
    return {
        **fields_of(curves[0], "criterion", "measure"),
        "larger_is_better": larger_is_better(curves[0].measure),
        **fields_of(found, "level", "resample", "paired", "dev_paired"),
        "groups": None if found.groups is None else list(found.groups),
        "smallest": found.smallest._asdict(),
        "names": [system.name for system in systems],
        "sources": [
            {role: source_numbers(getattr(system, role), getattr(curve, role).prior)
             for role in ("dev", "test")}
            for system, curve in zip(systems, curves, strict=True)
        ],
    }  # fmt: skip


def comparison_arrays(comparison: Comparison, names: Sequence[str]) -> dict[str, list[Any]]:
    """One entry an alpha."""
    first, second = comparison.first, comparison.second
    called = (None, *names)
    ends = ("difference", "low", "high", "significant", "band_low", "band_high")
    return {
        "alpha": alphas_given(first),
        "threshold_a": first.threshold.tolist(),
        "threshold_b": second.threshold.tolist(),
        "value_a": first.value.tolist(),
        "value_b": second.value.tolist(),
        **{name: getattr(comparison, name).tolist() for name in ends},
        "better": [called[k] for k in comparison.better],
    }


def _proportion_tests(comparison: Comparison) -> list[tuple[float, ProportionTest]]:
    """At a few rows of the table, where the measure is made of the errors of both classes."""
    if comparison.first.measure not in OF_ALL_ERRORS:
        return []
    alphas = np.sort(comparison.alpha)
    alphas = alphas[spread(alphas.size)]
    near = (np.abs(alphas[:, None] - np.array(_TESTED)) <= _SAME).any(axis=1)
    few = alphas.size <= len(_TESTED) or not near.any()
    chosen = alphas[spread(alphas.size, len(_TESTED)) if few else near]
    return [(float(a), comparison.proportion_test(float(a))) for a in chosen]


# --------------------------------------------------------------------------------- table
def comparison_told(
    comparison: Comparison, systems: Sequence[System], chosen_by: Sequence[str], seed: int,
    kept: Mapping[str, Sequence[Any]],
) -> list[Section]:  # fmt: skip
    """What was read, about eleven alphas, the ranges in words, the proportion test."""
    said = (_head(comparison, systems, chosen_by, seed), _findings(comparison, systems))
    read, findings = (Words("\n".join(lines), "given") for lines in said)
    told = apart(read, replace(_table(comparison, systems), kept=kept), findings)
    tests = _proportion_tests(comparison)
    return [*told, _tests(comparison, systems, tests)] if tests else told


def _head(
    comparison: Comparison, systems: Sequence[System], chosen_by: Sequence[str], seed: int
) -> list[str]:
    first = comparison.first
    lines = ["thresholds chosen on dev, errors observed on test; accepted if score > threshold"]
    for system, by in zip(systems, chosen_by, strict=True):
        name = visible(system.name)
        for role, scores in (("dev", system.dev), ("test", system.test)):
            lines.append(read_words(f"{name}, {role}", scores))
        lines.append(f"{name}: thresholds from {by}")
    at = " at these two thresholds" * (comparison.resample == "test")
    drawn = drawn_words(comparison, comparison.differences.shape[0], seed)
    trials = (
        "paired: both systems judge the same trials, in the order of the files"
        if comparison.paired
        else "unpaired: two sets of trials, drawn independently"
    )
    return [
        *lines,
        f"criterion: {first.criterion}{axis_words(first)}",
        f"measure: {measure_words(first)}, {way_words(first.measure)} is better",
        trials,
        f"interval: {level_words(comparison.level)} of the difference{at}, {drawn}"
        + _groups_words(comparison, systems),
    ]


def drawn_words(comparison: Comparison | SystemsComparison, replicates: int, seed: int) -> str:
    """What varied in the replicates, and how many there are."""
    drawn = f"test drawn again; {counted(replicates, 'bootstrap replicate')}, seed {seed}"
    if comparison.resample == "test":
        return drawn
    dev = "the same dev trials" if comparison.dev_paired else "dev trials of each system"
    return f"{dev} drawn and thresholds chosen again, {drawn}"


def _groups_words(comparison: Comparison, systems: Sequence[System]) -> str:
    if comparison.groups is None:
        return ""
    first, second = comparison.groups
    if comparison.paired:
        return f"; trials drawn by {first} groups"
    of = zip(systems, (first, second), strict=True)
    drawn = [f"{n} groups of {visible(system.name)}" for system, n in of if n is not None]
    return f"; trials drawn by {' and '.join(drawn)}"


def _table(comparison: Comparison, systems: Sequence[System]) -> Grid:
    first, second = (visible(system.name) for system in systems)
    whole = comparison.alpha.size > 1
    band = ["band low", "band high"] if whole else []
    called = [as_named(text) for text in (first, second, f"{first} - {second}")]
    head: list[Name | str] = ["alpha", *called, "low", "high", *band, "better"]
    rows = []
    order = np.argsort(comparison.alpha, kind="stable")
    arrays = [
        comparison.first.value, comparison.second.value, comparison.difference,
        comparison.low, comparison.high,
    ]  # fmt: skip
    ends = [comparison.band_low, comparison.band_high] if whole else []
    for k in order[spread(order.size)]:
        values = [value_text(comparison.first, float(array[k])) for array in arrays]
        values += ["" if np.isnan(end[k]) else value_text(comparison.first, end[k]) for end in ends]
        mark = as_named(("", first, second)[comparison.better[k]])
        rows.append(Row((alpha_text(comparison.first, k), *values, mark)))
    return Grid(tuple(head), tuple(rows))


def _findings(comparison: Comparison, systems: Sequence[System]) -> list[str]:
    """The verdict, then what the columns do not say."""
    first, second = (visible(system.name) for system in systems)
    lines = [verdict_words(comparison, (first, second))]
    undefined = int(np.sum(np.isnan(comparison.difference)))
    if undefined:
        lines.append(f"undefined (0/0) at {undefined} of {comparison.alpha.size} alphas")
    at = "at these two thresholds, " if comparison.resample == "test" else ""
    if comparison.alpha.size > 1:
        low, high = comparison.alpha_range
        lines.append(
            f"low and high: {at}each alpha by itself, so that of many some exclude 0 by chance;"
            f" band low and band high: {at}all alphas from {number(low)} to {number(high)}"
            " together, from which the column better is"
        )
    if at:
        lines.append(
            "at these two thresholds: what other dev scores would have chosen is not in the"
            " intervals; --resample both lets dev choose again"
        )
    return lines


def _tests(
    comparison: Comparison, systems: Sequence[System], tests: Sequence[tuple[float, ProportionTest]]
) -> Section:
    single = CRITERIA[comparison.first.criterion].single
    called = [as_named(f"errors of {system.name}") for system in systems]
    rows = []
    for alpha, test in tests:
        errors = [f"{e} of {n}" for e, n in zip(test.errors, test.trials, strict=True)]
        found = [number(test.statistic, 3), number(test.p_value, 3)]
        rows.append(Row(("none" if single else number(alpha), *errors, *found)))
    title = f"proportion test on all errors at these two thresholds; {_test_words(comparison)}"
    return Section(title, (Grid(("alpha", *called, "z", "p"), tuple(rows)),))


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
def comparison_columns(
    comparison: Comparison, systems: Sequence[System], seed: int
) -> dict[str, list[Any]]:
    """One row an alpha, and in each what holds of all."""
    names = [system.name for system in systems]
    mean, better = comparison.mean_difference, comparison.better_on_average
    fixed = {
        "verdict": verdict_words(comparison, (names[0], names[1])),
        "mean_difference": mean.estimate,
        "mean_low": mean.low,
        "mean_high": mean.high,
        "mean_from": comparison.alpha_range[0],
        "mean_to": comparison.alpha_range[1],
        "mean_better": None if better is None else names["ab".index(better)],
        "ranges": "; ".join(
            f"{one.low:.6g} to {one.high:.6g}: {names['ab'.index(system)]}"
            for one, system in zip(comparison.ranges, comparison.ranges_better, strict=True)
        ),
        **fields_of(comparison, "resample", "dev_paired", "level", "paired"),
        "replicates": comparison.differences.shape[0],
        "seed": seed,
        **fields_of(comparison.first, "criterion", "measure"),
        "name_a": names[0],
        "name_b": names[1],
        **{
            f"{role}_{side}": path_of(getattr(system, role))
            for side, system in zip("ab", systems, strict=True)
            for role in ("dev", "test")
        },
    }
    return in_each_row(comparison_arrays(comparison, names), fixed)
