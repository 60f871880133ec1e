"""What `epc` and `compare` share: their options, the curves of the systems of a call, pictures."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from betaroc.cli import options
from betaroc.cli.inputs import family_of
from betaroc.cli.messages import messages, say
from betaroc.cli.systems import (
    LONGEST,
    SystemFiles,
    default_names,
    read_systems,
    refuse_other_numbers,
)
from betaroc.core.class_words import shared_words
from betaroc.core.errors import DuplicateWarning, InputError, ReversedScoresWarning
from betaroc.core.notices import Notice, passed_on, warn
from betaroc.core.terms import name_among
from betaroc.core.text import shown
from betaroc.core.value import fields_of
from betaroc.data.scores import ScoreData
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
from betaroc.rendering.picture_files import save_picture
from betaroc.rendering.style import Axes, legend_below, stacked_axes
from betaroc.rendering.tree import Node, Words
from betaroc.report.intervals import coarse_words, read_words, summary_numbers
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
    option, rare = partial(options.add, parser), partial(options.add, options.further(parser))
    option("--criterion C",
        f"what a threshold is chosen for: {', '.join(criteria)} (default: weighted-error). Of a"
        " target, such as far, the rate nearest to it on dev is taken", choices=criteria,
        default="weighted-error", type=partial(name_among, options=criteria))  # fmt: skip
    option("--measure M", f"what is counted: {', '.join(measures)} (default: hter)",
        default="hter", choices=measures,
        type=partial(name_among, options=measures))  # fmt: skip
    option("--alpha A ...", "the criterion's weights or targets in [0, 1] (default: 0, 0.01,"
        " ..., 1)", action="extend")  # fmt: skip
    options.form_options(parser, "per alpha")
    options.picture_options(parser)
    rare("--log", "logarithmic axis of the measure in OUT")


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
        if options.is_same_file(*paths) and not (role == "dev" and arguments.unpaired):
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
    """The curve of each system, whose warnings begin with its name."""
    read = [(one, messages(notices, arguments))
            for one in read_systems(systems, arguments, step, dev_named=dev_named)]  # fmt: skip
    for (one, _), (other, _) in combinations(read, 2):
        if one[1:] == other[1:]:
            warn(
                f"{visible(one.name)} and {visible(other.name)} have the same scores on dev and on"
                " test: this is one system given twice. Name the files of the other.",
                DuplicateWarning,
            )
    if paired:
        names = [path_words(one.tests[0]) for one in systems]
        refuse_other_numbers(names, [one.tests[0] for one, _ in read])
    curves = []
    for (name, dev, (test,)), warned in read:
        curve, family, reason = _curve_of(arguments, dev, test, f"{visible(name)}: " * bool(name))
        curve = named_curves({name: curve})[name] if len(read) > 1 else curve
        warned += messages(notices, arguments)
        curves.append(SystemCurve(name, dev, test, curve, family, reason, warned))
    return curves


def _curve_of(
    arguments: argparse.Namespace, dev: ScoreData, test: ScoreData, start: str
) -> tuple[Epc, Names, str]:
    """The curve by the scores or by their fit, the family, and why that one."""
    with passed_on(f"{start}dev and test: "):
        family, reason = family_of(arguments.family, [dev, test])
    with passed_on(f"{start}dev: "):
        fitted = fit(dev, **options.fit_options_of(arguments, family))
    chooser = dev if is_of_counts(family) and arguments.tails is None else fitted
    # The fit has said it of dev; of test it is said below.
    with passed_on(start, but=(ReversedScoresWarning,)):
        curve = epc(chooser, test, **fields_of(arguments, "criterion", "measure", "alpha"))
    with passed_on(f"{start}test: "):
        warn_of_test(test)
    return curve, fitted.family, fitted.reason if family == BEST else reason


def say_curves(
    arguments: argparse.Namespace, document: Callable[[], Any],
    tree: Callable[[], Sequence[Node]], curves: Sequence[SystemCurve], warned: Sequence[str],
    seed: int | None,
) -> None:  # fmt: skip
    """The result, what was read for it, and the warnings."""
    sides = [(f"{visible(one.name)} {role}".strip(), getattr(one, role))
             for one in curves for role in ("dev", "test")]  # fmt: skip
    lines = [read_words(name, side) for name, side in sides]
    choosers = {one.name: f"thresholds from {_chooser_words(one)}" for one in curves}
    if len(set(choosers.values())) == 1:
        lines.append(choosers[curves[0].name])
    else:
        lines += [f"{visible(name)}: {words}" for name, words in choosers.items()]
    lines += [f"seed {seed}"] * (seed is not None)
    say(
        arguments, document, lambda: [*tree(), Words("\n".join(lines), "given")],
        [*warned, *coarse_words(sides)] if arguments.csv else warned,
        [one.name for one in curves], shared_words(side.words for _, side in sides),
    )  # fmt: skip


def _chooser_words(one: SystemCurve) -> str:
    if is_of_counts(one.family):
        return one.chosen_by
    what = f"a {one.family} fit" if isinstance(one.family, str) else family_text(one.family)
    return f"{what} of dev, {one.chosen_by}"


# ----------------------------------------------------------------------------- pictures
def draw_picture(arguments: argparse.Namespace, draw: Callable[..., Any]) -> None:
    """Write the picture that a call asks for."""
    if arguments.output is not None:
        scale = "log" if arguments.log else "linear"
        save_picture(partial(draw, scale=scale, terms=arguments.terms), arguments.output)


def draw_curves(found: Sequence[SystemCurve], scale: str, terms: str) -> Axes:
    """One panel per system; of many the best mean alone in ink."""
    e = found[0].curve
    axes, log = axes_of(e, scale, terms)
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
