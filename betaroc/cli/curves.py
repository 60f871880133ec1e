"""What ``betaroc epc`` and ``betaroc compare`` share: the curve of a system."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from betaroc.cli.options import fit_options_of, form_options, picture_options, terms_option
from betaroc.core.errors import ReversedScoresWarning
from betaroc.core.notices import passed_on
from betaroc.core.terms import canonical
from betaroc.data.scores import ScoreData
from betaroc.decision.epc import Epc, epc
from betaroc.estimation.families import BEST, Names, family_text, is_of_counts
from betaroc.fits.estimate import fit
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.report.score_set import warn_of_test

__all__ = ["SystemCurve", "curve_of", "curve_options"]


class SystemCurve(NamedTuple):
    """The curve of a system, the family fitted to its dev scores, and why that one."""

    curve: Epc
    family: Names
    reason: str

    @property
    def chosen_by(self) -> str:
        """What thresholds are chosen on."""
        return "dev's scores themselves" if is_of_counts(self.family) else self.reason

    @property
    def chosen_words(self) -> str:
        """The same with the family."""
        if is_of_counts(self.family):
            return self.chosen_by
        single = isinstance(self.family, str)
        what = f"a {self.family} fit" if single else family_text(self.family)
        return f"{what} of dev, {self.reason}"


def curve_of(
    arguments: argparse.Namespace,
    chosen: tuple[Names, str],
    dev: ScoreData,
    test: ScoreData,
    prefix: str,
) -> SystemCurve:
    """The curve by the scores or by their fit, of the family and for the reason ``chosen``."""
    family, reason = chosen
    with passed_on(f"{prefix}dev: "):
        fitted = fit(dev, **fit_options_of(arguments, family))
    # The fit has said it of dev; of test it is said below.
    with passed_on(prefix, but=(ReversedScoresWarning,)):
        curve = epc(
            dev if is_of_counts(family) and arguments.tails is None else fitted,
            test,
            criterion=arguments.criterion,
            measure=arguments.measure,
            alpha=arguments.alpha,
        )
    with passed_on(f"{prefix}test: "):
        warn_of_test(test)
    return SystemCurve(curve, fitted.family, fitted.reason if family == BEST else reason)


def curve_options(parser: argparse.ArgumentParser, measure: str = "hter") -> None:
    """Those of both commands. Unasked, a measure in words is left to the command."""
    option = parser.add_argument
    option("--criterion", default="weighted-error", choices=tuple(CRITERIA), metavar="C",
        type=canonical,
        help=f"what a threshold is chosen for: {', '.join(CRITERIA)} (default: weighted-error)."
        " Of a target, such as far, the rate nearest to it on dev is taken, not the nearest at"
        " most it; for a guarantee see br.guaranteed_threshold")  # fmt: skip
    measures = (*MEASURES, "weighted-error")
    unasked = measure if measure in measures else None
    option("--measure", default=unasked, choices=measures, metavar="M", type=canonical,
        help=f"what is counted: {', '.join(measures)} (default: {measure})")  # fmt: skip
    option("--alpha", nargs="+", action="extend", type=float, metavar="A",
        help="the criterion's weights or targets in [0, 1] (default: 0, 0.01, ..., 1)")  # fmt: skip
    form_options(parser, "an alpha")
    picture_options(parser)
    option("--log", action="store_true", help="logarithmic axis of the measure in OUT")
    terms_option(parser)
