"""Options and steps that `epc` and `compare` share."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from betaroc.cli import options
from betaroc.cli.messages import messages, say
from betaroc.cli.systems import SystemFiles, chosen_words, read_systems
from betaroc.core.errors import ReversedScoresWarning
from betaroc.core.notices import Notice, forward_warnings
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import name_among, shared_words
from betaroc.data import scores, summary
from betaroc.decision.curve import named_curves
from betaroc.decision.epc import Epc, epc
from betaroc.estimation.estimate import give, warn_of_test
from betaroc.estimation.families import AUTO, BEST, Names, automatic, family_text, is_of_counts
from betaroc.fits.fit import fit
from betaroc.inference.strata import POOLED
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.rendering.files import save_picture
from betaroc.rendering.numbers import visible
from betaroc.rendering.tree import Node, Paragraph

#: Options that are arguments of a curve.
_ASKED = ("criterion", "measure", "alpha", "over")


class SystemCurve(NamedTuple):
    """A system, its scores, its curve, and the family of dev."""

    name: str
    dev: scores.ScoreData
    test: scores.ScoreData
    curve: Epc
    family: Names
    reason: str
    warnings: list[str]

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            role: {
                "name": side.name,
                "source": side.source and fields_of(side.source, "path", "format"),
                **fields_of(side, "n_client", "n_impostor"), **summary.summary_numbers(side),
                "prior": getattr(self.curve, role).prior,
            }
            for role, side in (("dev", self.dev), ("test", self.test))
        }  # fmt: skip


def curve_options(parser: ArgumentParser) -> None:
    """Those of both commands."""
    criteria, measures = tuple(CRITERIA), (*MEASURES, "weighted-error")
    option, rare = options.adders(parser)
    option("--criterion C", f"what a threshold is chosen for: {', '.join(criteria)}; of a target,"
           " such as far, the rate nearest to it is taken", choices=criteria,
           default="weighted-error", type=partial(name_among, options=criteria))  # fmt: skip
    option("--measure M", f"what is counted: {', '.join(measures)} (default: %(default)s)",
           choices=measures, default="hter",
           type=partial(name_among, options=measures))  # fmt: skip
    option("--alpha A ...", "weights or targets in [0, 1] (default: 0 to 1 by .01)",
           action="extend")  # fmt: skip
    options.over_option(parser, "curves of the strata pooled or of the worst (default: pooled)",
                        default=POOLED)  # fmt: skip
    options.form_options(parser)
    options.shared(parser, "-o", "--force")
    rare("--log", "logarithmic axis of the measure in OUT")


def system_curves(
    systems: Sequence[SystemFiles], arguments: Namespace, step: Callable[[], object],
    notices: list[Notice], *, dev_named: bool,
) -> list[SystemCurve]:  # fmt: skip
    """The curve of each system, by its scores or their fit."""
    curves = []
    for name, dev, (test,) in read_systems(systems, arguments, step, dev_named=dev_named):
        start = f"{visible(name)}: " * bool(name)
        family, reason = arguments.family, chosen_words(arguments.family)
        if family == AUTO:
            chosen = automatic([dev, test])
            family, reason = chosen.family, chosen.reason
            with forward_warnings(f"{start}dev and test: "):
                give(chosen.notices)
        with forward_warnings(f"{start}dev: "):
            fitted = fit(dev, **options.fit_options_of(arguments, family))
        reason = fitted.reason if family == BEST else reason
        reason = "dev's scores themselves" if is_of_counts(family) else reason
        chooser = dev if is_of_counts(family) and arguments.tails is None else fitted
        # The fit has said it of dev; of test it is said below.
        with forward_warnings(start, but=(ReversedScoresWarning,)):
            curve = epc(chooser, test, **fields_of(arguments, *_ASKED))
        with forward_warnings(f"{start}test: "):
            warn_of_test(test)
        curve = named_curves({name: curve})[name] if len(systems) > 1 else curve
        warned = messages(notices, arguments)
        curves.append(SystemCurve(name, dev, test, curve, fitted.family, reason, warned))
    return curves


def say_curves(
    arguments: Namespace, document: Callable[[], Any], tree: Callable[[], Sequence[Node]],
    curves: Sequence[SystemCurve], seed: int | None,
) -> None:  # fmt: skip
    """The result, what was read for it, and the warnings."""
    sides = [(f"{visible(curve.name)} {role}".strip(), getattr(curve, role))
             for curve in curves for role in ("dev", "test")]  # fmt: skip
    lines = [summary.file_words(name, side) for name, side in sides]
    choosers = {}
    for curve in curves:
        family, words = curve.family, curve.reason
        if not is_of_counts(family):
            what = f"a {family} fit" if isinstance(family, str) else family_text(family)
            words = f"{what} of dev, {words}"
        choosers[visible(curve.name)] = words
    if len(set(choosers.values())) == 1:
        choosers = {"": choosers[visible(curves[0].name)]}
    lines += [f"{name and f'{name}: '}thresholds from {words}" for name, words in choosers.items()]
    lines += [f"seed {seed}"] * (seed is not None)
    warned = [text for curve in curves for text in curve.warnings]
    coarse = [f"{name}: {words}" for name, side in sides if (words := summary.summary_words(side))]
    say(
        arguments, document, lambda: [*tree(), Paragraph("\n".join(lines), "given")],
        [*warned, *coarse] if arguments.csv else warned,
        shared_words(side.words for _, side in sides),
    )  # fmt: skip


# ----------------------------------------------------------------------------- pictures
def draw_picture(arguments: Namespace, draw: Callable[..., Any]) -> None:
    """Write the picture that a call asks for."""
    if arguments.output is not None:
        scale = "log" if arguments.log else "linear"
        save_picture(partial(draw, scale=scale, terms=arguments.terms), arguments.output)
