"""What `epc` and `compare` share: their options, the curves of the systems of a call, pictures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from betaroc.cli.inputs import family_of, read_file
from betaroc.cli.messages import messages, say
from betaroc.cli.options import (
    add,
    fit_options_of,
    form_options,
    further,
    is_same_file,
    picture_options,
)
from betaroc.cli.systems import (
    LONGEST,
    SystemFiles,
    default_names,
    reading_words,
    refuse_other_numbers,
)
from betaroc.core.class_words import shared_words
from betaroc.core.errors import DuplicateWarning, InputError, ReversedScoresWarning
from betaroc.core.notices import Notice, passed_on, warn
from betaroc.core.terms import name_among
from betaroc.core.text import shown
from betaroc.core.value import fields_of
from betaroc.data.scores import ScoreData
from betaroc.data.summary import ScoreSummary
from betaroc.decision.comparison import Comparison
from betaroc.decision.curve import axes_of, larger_is_better
from betaroc.decision.curve_view import named_curves
from betaroc.decision.epc import Epc, epc
from betaroc.estimation.families import BEST, Names, family_text, is_of_counts
from betaroc.fits.fit import fit
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.rendering.alphas import PANELS, draw_systems
from betaroc.rendering.numbers import path_words, visible
from betaroc.rendering.style import Axes, legend_below, stacked_axes
from betaroc.rendering.tree import Node, Words
from betaroc.report.intervals import coarse_words, summary_numbers
from betaroc.report.score_set import warn_of_test


class SystemCurve(NamedTuple):
    """A system, what was read of it, its curve, and the family fitted to dev and why that one."""

    name: str
    dev: ScoreData
    test: ScoreData
    curve: Epc
    family: Names
    reason: str
    warnings: list[str]

    @property
    def chosen_by(self) -> str:
        """What thresholds are chosen on."""
        return "dev's scores themselves" if is_of_counts(self.family) else self.reason

    @property
    def numbers(self) -> dict[str, Any]:
        """What was read, with the share of clients that counts."""
        return {
            role: {
                "name": side.name,
                "source": None if side.source is None
                else fields_of(side.source, "path", "format"),
                **fields_of(side, "n_client", "n_impostor"), **summary_numbers(side),
                "prior": getattr(self.curve, role).prior,
            }
            for role, side in (("dev", self.dev), ("test", self.test))
        }  # fmt: skip


def curve_options(parser: argparse.ArgumentParser) -> None:
    """Those of both commands."""
    criteria, measures = tuple(CRITERIA), (*MEASURES, "weighted-error")
    add(parser, "--criterion C",
        f"what a threshold is chosen for: {', '.join(criteria)} (default: weighted-error). Of a"
        " target, such as far, the rate nearest to it on dev is taken", choices=criteria,
        default="weighted-error", type=partial(name_among, options=criteria))  # fmt: skip
    add(parser, "--measure M", f"what is counted: {', '.join(measures)} (default: hter)",
        default="hter", choices=measures,
        type=partial(name_among, options=measures))  # fmt: skip
    add(parser, "--alpha A ...", "the criterion's weights or targets in [0, 1] (default: 0, 0.01,"
        " ..., 1)", action="extend")  # fmt: skip
    form_options(parser, "per alpha")
    picture_options(parser)
    add(further(parser), "--log", "logarithmic axis of the measure in OUT")


# ------------------------------------------------------------------------------ systems
def two_systems(arguments: argparse.Namespace) -> list[SystemFiles]:
    """Those of --dev and --test, two files each; named by --name, else by their paths."""
    for role in ("dev", "test"):
        paths = getattr(arguments, role)
        if len(paths) != 2:
            raise InputError(
                f"--{role} must name two score files, one per system; got {len(paths)}:"
                f" {shown(paths)}. Scores are those of one system: give each its own file."
            )
        if is_same_file(*paths) and not (role == "dev" and arguments.unpaired):
            raise InputError(
                f"--{role} must name two different files, one per system; got {shown(paths[0])} for"
                " both. Name the other's scores, or pass --unpaired for one system on two test"
                " sets."
            )
    names = arguments.name
    if names is None:  # what tells their dev files apart, else their tests; of long ones a letter
        made = (default_names(paths) for paths in (arguments.dev, arguments.test))
        names = next(filter(_are_names, made), ["A", "B"])
    if len(names) != 2 or not _are_names(names):
        raise InputError(
            f"--name must give two different names of at most {LONGEST} characters, one per system;"
            f" got {shown(names)}. Give two, such as --name mlp svm."
        )
    files = zip(names, arguments.dev, arguments.test, strict=True)
    return [SystemFiles(name, dev, (test,)) for name, dev, test in files]


def _are_names(names: Sequence[str]) -> bool:
    shapes = {visible(name).strip() for name in names}
    return len(shapes) == len(names) and all(0 < len(shape) <= LONGEST for shape in shapes)


def system_curves(
    systems: Sequence[SystemFiles], arguments: argparse.Namespace, step: Callable[[], None],
    notices: list[Notice], *, dev_named: bool, paired: bool = False,
) -> list[SystemCurve]:  # fmt: skip
    """The curve of each system, of several its warnings begin with its name."""
    read, starts = [], [f"{visible(one.name)}: " * (len(systems) > 1) for one in systems]
    for start, (name, dev_path, (test_path,), key) in zip(starts, systems, strict=True):
        options = argparse.Namespace(**{**vars(arguments), **dict(key)})
        with passed_on(f"{start}dev: "):
            dev = read_file(dev_path, options, step, named=dev_named)
        with passed_on(f"{start}test: "):
            test = read_file(test_path, options, step, is_test=True)
        read.append((name, dev, test, messages(notices, arguments)))
    for one, other in combinations(read, 2):
        if one[1:3] == other[1:3]:
            warn(
                f"{visible(one[0])} and {visible(other[0])} have the same scores on dev and on"
                " test: this is one system given twice. Name the files of the other.",
                DuplicateWarning,
            )
    if paired:
        names = [path_words(one.tests[0]) for one in systems]
        refuse_other_numbers(names, [test for _, _, test, _ in read])
    found = []
    for start, (name, dev, test, warned) in zip(starts, read, strict=True):
        made = _curve_of(arguments, dev, test, start)
        warned += messages(notices, arguments)
        found.append(SystemCurve(name, dev, test, *made, warned))
    curves = named_curves({one.name: one.curve for one in found})
    if len(found) == 1:
        return found
    return [one._replace(curve=curves[one.name]) for one in found]


def _curve_of(
    arguments: argparse.Namespace, dev: ScoreData, test: ScoreData, start: str
) -> tuple[Epc, Names, str]:
    """The curve by the scores or by their fit, the family, and why that one."""
    with passed_on(f"{start}dev and test: "):
        family, reason = family_of(arguments.family, [dev, test])
    with passed_on(f"{start}dev: "):
        fitted = fit(dev, **fit_options_of(arguments, family))
    chooser = dev if is_of_counts(family) and arguments.tails is None else fitted
    # The fit has said it of dev; of test it is said below.
    with passed_on(start, but=(ReversedScoresWarning,)):
        curve = epc(chooser, test, **fields_of(arguments, "criterion", "measure", "alpha"))
    with passed_on(f"{start}test: "):
        warn_of_test(test)
    return curve, fitted.family, fitted.reason if family == BEST else reason


def say_curves(
    arguments: argparse.Namespace, document: Callable[[], Any],
    tree: Callable[[], Sequence[Node]], found: Sequence[SystemCurve], warned: Sequence[str],
    seed: int | None,
) -> None:  # fmt: skip
    """The result, what was read for it, and the warnings."""
    sides = [(f"{one.name}{', ' * bool(one.name)}{role}", getattr(one, role))
             for one in found for role in ("dev", "test")]  # fmt: skip
    say(
        arguments, document, lambda: [*tree(), _read(found, seed)],
        [*warned, *coarse_words(sides)] if arguments.csv else warned,
        [one.name for one in found], shared_words(side.words for _, side in sides),
    )  # fmt: skip


def _read(curves: Sequence[SystemCurve], seed: int | None) -> Words:
    """The files of each system, what chose its thresholds, and how files were read."""
    lines, sides = [], []
    for one in curves:
        own = {"dev": one.dev, "test": one.test}
        sides += [(one.name or role, side) for role, side in own.items()]
        files = " and ".join(
            f"{path_words(side.source.path) if side.source else role} ({side.n_client} client and"
            f" {side.n_impostor} impostor scores)"
            for role, side in own.items()
        )
        by = one.chosen_by
        if not is_of_counts(one.family):
            single = isinstance(one.family, str)
            what = f"a {one.family} fit" if single else family_text(one.family)
            by = f"{what} of dev, {by}"
        start = f"{visible(one.name)}: " * (len(curves) > 1)
        lines.append(f"{start}{files}; thresholds from {by}")
    lines.append(reading_words(sides))
    lines += coarse_words((who, side) for who, side in sides if isinstance(side, ScoreSummary))
    lines += [f"seed {seed}"] * (seed is not None)
    return Words("\n".join(lines), "given")


# ----------------------------------------------------------------------------- pictures
def draw_curves(found: Sequence[SystemCurve], arguments: argparse.Namespace) -> Axes:
    """One panel per system; of many the best mean alone in ink."""
    e = found[0].curve
    axes, log = axes_of(e, "log" if arguments.log else "linear", arguments.terms)
    lines = [(visible(one.name), one.curve.value) for one in found]
    if len(lines) > PANELS:
        sign = -1.0 if larger_is_better(e.measure) else 1.0
        lines.sort(key=lambda line: sign * float(np.mean(line[1])))
    return draw_systems(None, e.alpha, lines, axes, log=log)


def draw_both(comparison: Comparison, scale: str, terms: str) -> Axes:
    """Both curves above, their difference below, on one figure; the upper axes."""
    upper, lower = stacked_axes()
    names = [visible(name) for name in comparison.names]
    comparison.plot(upper, names=names, scale=scale, terms=terms).set_xlabel("")
    comparison.plot_difference(lower, names=names, terms=terms)
    legend_below(upper, None, also=lower)
    return upper
