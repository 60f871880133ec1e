"""``betaroc epc``: the expected performance curve of systems, and a band of one.

What `compare` shares with it stands here: options of curves, the curves of a call, its texts.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betaroc.cli import options
from betaroc.cli.messages import examples, messages, progress_bar, say
from betaroc.cli.systems import SystemFiles, called_systems, chosen_words, read_systems
from betaroc.core.errors import ReversedScoresWarning
from betaroc.core.notices import Notice, collected, forward_warnings
from betaroc.core.value import fields_of
from betaroc.core.vocabulary import name_among, shared_words
from betaroc.data.scores import ScoreData
from betaroc.data.summary import file_words, summary_numbers, summary_words
from betaroc.decision import curve as views
from betaroc.decision.epc import Epc, epc
from betaroc.estimation.estimate import give, warn_of_test
from betaroc.estimation.families import AUTO, BEST, Names, automatic, family_text, is_of_counts
from betaroc.fits.fit import fit
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.rendering.curves import PANELS, Axes, draw_systems
from betaroc.rendering.numbers import visible
from betaroc.rendering.picture_files import save_picture
from betaroc.rendering.tree import Node, Paragraph

#: Bootstrap replicates of a band unasked. A choice of dev made again costs more than test's counts.
_REPLICATES = {"test": 10_000, "both": 1000}


def add_options(parser: ArgumentParser) -> None:
    """Declare the options of the command."""
    examples(
        parser,
        "betaroc epc --dev dev.csv --test eval.csv -o epc.svg",
        "betaroc epc --dev dev.csv --test eval.csv --criterion far --measure frr --alpha 0.01 0.05",
        "betaroc epc --dev dev.csv --test eval.csv --band both --level 0.9 --json",
    )
    option, rare = options.adders(parser)
    option("--dev DEV", "scores to choose on")
    option("--test TEST", "scores to observe the errors on")
    curve_options(parser)
    option("--band SETS", "interval of the curve: by test alone, or by both: dev chooses again too",
           choices=tuple(_REPLICATES))  # fmt: skip
    options.shared(parser, "--system", "--systems", "--level", "--seed", "--group")
    rare("--replicates N", "of the bootstrap (default: 10000 with --band test, else 1000)")
    rare("--method M", "of the band: bootstrap (the default), delta, or of one rate exact",
         choices=("bootstrap", "delta", "exact"))  # fmt: skip
    rare("--simultaneous", "one band for the whole curve instead of an interval at each alpha")
    options.score_options(parser, "empirical")


def _band(arguments: Namespace, systems: int) -> dict[str, Any] | None:
    """What the band is made with, or None."""
    drawn = ("seed", "replicates")
    if arguments.band is None:
        options.refuse(arguments, ("level", *drawn, "group", "method", "simultaneous"),
                       "stand beside --band, whose interval it is about")  # fmt: skip
        return None
    if systems > 1:
        options.refuse(arguments, ("band",), f"stand with one system; the call has {systems}",
                       "Draw it of each, or see what differs with betaroc compare.")  # fmt: skip
    if arguments.method == "exact":
        options.refuse(arguments, drawn, "not stand beside --method exact, which draws nothing")
    level, seed = options.interval_arguments(arguments)
    replicates = arguments.replicates
    return {
        "level": level, "resample": arguments.band, "simultaneous": arguments.simultaneous,
        "replicates": _REPLICATES[arguments.band] if replicates is None else replicates,
        "method": arguments.method or "bootstrap", "rng": seed,
    }  # fmt: skip


def run(arguments: Namespace) -> None:
    """Compute the curve, and say or draw it."""
    systems = called_systems(arguments, tests=(1, 1))
    several = len(systems) > 1
    banded = _band(arguments, len(systems))
    options.check_picture(arguments, [path for system in systems for path in system.paths])
    with collected() as notices, progress_bar(2 * len(systems) + 1) as step:
        named = arguments.band == "both"
        curves = system_curves(systems, arguments, step, notices, dev_named=named)
        curve = curves[0].curve
        band = curve.band(**banded) if banded else None
        alone = partial(curve.plot, band=band, expected=True, a_posteriori=True)
        draw_picture(arguments, partial(draw_panels, curves) if several else alone)
        step()
    curves[0].warnings.extend(messages(notices, arguments))
    seed = banded["rng"] if banded and band is not None and band.replicates else None

    def document() -> Any:
        entries = []
        for system in curves:
            entry: dict[str, Any] = {"system": system.name} if several else {}
            entry |= views.curve_numbers(system.curve, band) | system.numbers
            if band is not None:
                entry["band"]["seed"] = seed
            by = {"family": system.family, "reason": system.reason, "warnings": system.warnings}
            entries.append(entry | by)
        return entries if several else entries[0]

    by_name = {system.name: system.curve for system in curves}
    say_curves(arguments, document, lambda: [*views.curves_view(by_name)] if several
               else views.curve_view(curve, band), curves, seed)  # fmt: skip


# ------------------------------------------------------------------ shared with `compare`
class SystemCurve(NamedTuple):
    """A system, what was read of it, its curve, the family fitted to dev and why that one."""

    name: str
    dev: ScoreData
    test: ScoreData
    curve: Epc
    family: Names
    reason: str
    warnings: list[str]

    @property
    def numbers(self) -> dict[str, Any]:
        """What was read, with the share of clients that counts."""
        return {
            role: {
                "name": side.name,
                "source": side.source and fields_of(side.source, "path", "format"),
                **fields_of(side, "n_client", "n_impostor"), **summary_numbers(side),
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
    options.form_options(parser)
    options.shared(parser, "-o", "--force")
    rare("--log", "logarithmic axis of the measure in OUT")


def system_curves(
    systems: Sequence[SystemFiles], arguments: Namespace, step: Callable[[], None],
    notices: list[Notice], *, dev_named: bool,
) -> list[SystemCurve]:  # fmt: skip
    """The curve of each system by its scores or their fit, whose warnings begin with its name."""
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
            curve = epc(chooser, test, **fields_of(arguments, "criterion", "measure", "alpha"))
        with forward_warnings(f"{start}test: "):
            warn_of_test(test)
        curve = views.named_curves({name: curve})[name] if len(systems) > 1 else curve
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
    lines = [file_words(name, side) for name, side in sides]
    choosers = {visible(curve.name): _chooser_words(curve) for curve in curves}
    if len(set(choosers.values())) == 1:
        choosers = {"": choosers[visible(curves[0].name)]}
    lines += [f"{name and f'{name}: '}thresholds from {words}" for name, words in choosers.items()]
    lines += [f"seed {seed}"] * (seed is not None)
    warned = [text for curve in curves for text in curve.warnings]
    coarse = [f"{name}: {words}" for name, side in sides if (words := summary_words(side))]
    say(
        arguments, document, lambda: [*tree(), Paragraph("\n".join(lines), "given")],
        [*warned, *coarse] if arguments.csv else warned,
        shared_words(side.words for _, side in sides),
    )  # fmt: skip


def _chooser_words(curve: SystemCurve) -> str:
    if is_of_counts(curve.family):
        return curve.reason
    name = curve.family
    what = f"a {name} fit" if isinstance(name, str) else family_text(name)
    return f"{what} of dev, {curve.reason}"


# ----------------------------------------------------------------------------- pictures
def draw_picture(arguments: Namespace, draw: Callable[..., Any]) -> None:
    """Write the picture that a call asks for."""
    if arguments.output is not None:
        scale = "log" if arguments.log else "linear"
        save_picture(partial(draw, scale=scale, terms=arguments.terms), arguments.output)


def draw_panels(curves: Sequence[SystemCurve], scale: str, terms: str) -> Axes:
    """One panel per system; of many the best mean alone in ink."""
    e = curves[0].curve
    axes, log = views.axes_of(e, scale, terms)
    lines = [(visible(system.name), system.curve.value) for system in curves]
    if len(lines) > PANELS:
        sign = -1.0 if views.larger_is_better(e.measure) else 1.0
        lines.sort(key=lambda line: sign * float(np.mean(line[1])))
    return draw_systems(None, e.alpha, lines, axes, log=log)
