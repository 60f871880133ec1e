"""``betaroc selftest``: numbers of this machine beside references of many more digits."""

from __future__ import annotations

import argparse
import math
import platform
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from betaroc.cli.messages import examples, say
from betaroc.cli.options import form_options
from betaroc.core.special import log_beta, share_ends
from betaroc.data.scores import Scores
from betaroc.distributions.beta import Beta
from betaroc.fits.fit import fit_distribution
from betaroc.inference.auc import auc_interval
from betaroc.model.model import ScoreModel
from betaroc.rendering.numbers import version
from betaroc.rendering.table_text import records
from betaroc.rendering.tree import Column, Words, apart, recorded

#: Correct decimal digits that every number must have.
_REQUIRED = 10


def _pair(a: float, b: float, c: float, d: float) -> ScoreModel:
    return ScoreModel(Beta(a, b), Beta(c, d))


def _standard_error(client: list[float], impostor: list[float]) -> float:
    interval = auc_interval(Scores(client, impostor), 0.5, method="delong")
    return (interval.high - interval.low) / (2.0 * 0.6744897501960817)


#: What is computed, how, and calls of it: arguments, then the value by mpmath at 60 digits.
REFERENCES: dict[str, tuple[Callable[..., Any], *tuple[tuple[Any, ...], ...]]] = {
    "log of the beta function": (log_beta,
        (6.8452, 2.23767, -4.3733467620779898), (225.496, 13.6941, -52.817496552366364),
        (0.0387527, 3462.4, 2.9135804453166423), (11742.1, 1.72158, -16.223992349056417)),
    "lower tail of a beta distribution": (Beta.cdf,
        (Beta(15.0161, 131.499), 0.038229761182808034, 0.00048520279519742376),
        (Beta(2.76726, 35.9929), 0.15827243467803953, 0.96319943799656693),
        (Beta(0.748383, 2.85431), 2.17615e-14, 1.377881647017487e-10)),
    "upper tail of a beta distribution": (Beta.sf,
        (Beta(0.229788, 216.883), 0.329151, 2.3378482051403985e-40),
        (Beta(0.530238, 91.0635), 0.009122683483195247, 0.21105361237045828),
        (Beta(0.443082, 2.45709), 0.99853644, 3.1283866915892254e-8)),
    "log of an upper tail": (Beta.logsf,
        (Beta(55.1246, 271.51), 0.480117, -73.425877171300598),
        (Beta(0.042965, 685840.0), 0.588581, -609139.55458992254),
        (Beta(233811.0, 499.27), 0.9999999889506, -5581.2254367567548)),
    "AUC": (ScoreModel.auc,
        (_pair(15.119, 4.62632, 22.3405, 1.22073), 0.028547213198035794),
        (_pair(0.375919, 393.581, 68.9759, 415.098), 6.5608366299770463e-21),
        (_pair(19.1424, 12.4247, 12.3101, 14.0696), 0.86009351980779492)),
    "partial AUC": (ScoreModel.partial_auc,
        (_pair(435.383, 18.4655, 271.957, 1.01546), 0.0, 0.1, 2.8863373049853834e-33),
        (_pair(4.07822, 218.11, 8.08905, 431.322), 0.2, 0.7, 0.21513862775954254),
        (_pair(4.88901, 58.1302, 0.104858, 1.52268), 0.2, 0.7, 0.48707434341593586)),
    "EER": (lambda pair: pair.eer().hter,
        (_pair(6.48913, 0.924538, 0.192391, 6.37488), 0.002763299168784328),
        (_pair(4.07822, 218.11, 8.08905, 431.322), 0.52016700395102389),
        (_pair(275.384, 957.671, 0.513638, 79.4357), 9.0884575642434392e-8)),
    "KS": (ScoreModel.ks,
        (_pair(14.3685, 0.507847, 76.7668, 0.178811), 0.58149702796151581),
        (_pair(435.383, 18.4655, 271.957, 1.01546), 0.99235060407007269),
        (_pair(0.0203818, 474.084, 32.0316, 45716.1), 0.97235349675464133),
        (_pair(0.00179954, 411702.0, 0.0358194, 20902.5), 0.8154151244449821)),
    "log of a TPR at a FAR": (lambda pair, far: math.log(pair.roc().tpr(far)),
        (_pair(4.07822, 218.11, 8.08905, 431.322), 1e-10, -13.030636370242199),
        (_pair(10.9451, 1.29898, 16.7985, 1.74398), 0.001, -5.5129495232109562),
        (_pair(104.811, 44.3744, 3.84202, 0.821422), 0.1, -99.307530094044452)),
    "logit threshold of least weighted error": (
        lambda pair, alpha: pair.min_weighted_error(alpha).logit_threshold,
        (_pair(6.48913, 0.924538, 0.192391, 6.37488), 0.01, -1.1528638438550396),
        (_pair(133.654, 5.06487, 4.50533, 1.44687), 0.75, 2.7611074591703808)),
    "exact binomial interval, lower end": (lambda *counts: share_ends(*counts)[0],
        (4, 996, 0.005, 0.0006756962251857297), (18, 27791, 0.025, 0.00038390689073161872),
        (175774, 238308, 0.025, 0.7358203622077264)),
    "exact binomial interval, upper end": (lambda *counts: share_ends(*counts)[1],
        (0, 33548, 0.05, 8.9292909345960062e-5), (18, 27791, 0.025, 0.0010234397033351023),
        (261908, 510877, 0.005, 0.51446568642622637)),
    "fit of a beta distribution, a": (lambda scores: fit_distribution(scores, "beta").params["a"],
        ([0.98271381437067, 0.8804848305697129, 0.5468882183106908, 0.027552685732674245,
          0.6920549588623784, 0.9532225349602301, 0.3311090904612558, 0.04581436103157885,
          0.9433652865082469, 0.8766490353243497], 0.71882732203893096)),
    "standard error of the AUC of scores": (_standard_error,
        ([0.71, 0.85, 0.68, 0.88, 0.55, 0.05, 0.84],
         [0.2, 0.74, 0.16, 0.39, 0.33, 0.26, 0.04, 0.31, 0.15, 0.42, 0.4, 0.16, 0.63, 0.36, 0.1],
         0.13224368484835006)),
}  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    codes = "Exit code 0: every number has the digits required; 1: some have fewer."
    examples(parser, "betaroc selftest", "betaroc selftest --json", rest=codes)
    form_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compute what there are references of, and say the digits reached; the exit code."""
    rows = [(what, len(calls), min(_digits(compute, call) for call in calls))
            for what, (compute, *calls) in REFERENCES.items()]  # fmt: skip
    table = recorded((Column("number", "number"), Column("numbers", "n"),
                      Column("digits", "correct digits", "{:.1f}".format)), rows)  # fmt: skip
    missed = [what for what, _, digits in rows if digits < _REQUIRED]
    versions = {"python": platform.python_version(), "betaroc": version(),
                "numpy": np.__version__, "scipy": scipy.__version__,
                "platform": platform.platform(), "machine": platform.machine()}  # fmt: skip
    verdict = f"Every number has at least {_REQUIRED} correct decimal digits."
    if missed:
        verdict = (f"Fewer than {_REQUIRED} correct decimal digits of {', '.join(missed)}: please"
                   " report it, with this text.")  # fmt: skip
    document = {"passed": not missed, "required": _REQUIRED, "versions": versions}
    words = Words(verdict, "given"), Words(", ".join(map(" ".join, versions.items())), "given")
    say(arguments, lambda: document | {"groups": records(table.kept)}, lambda: apart(table, *words))
    return int(bool(missed))


def _digits(compute: Callable[..., Any], call: tuple[Any, ...]) -> float:
    """Correct decimal digits, at most 16; -inf of a number that cannot be computed."""
    *arguments, reference = call
    try:
        error = abs(float(compute(*arguments)) / reference - 1.0)
    except Exception:  # noqa: BLE001  what is broken may raise anything
        return -math.inf
    return -math.log10(max(error, 1e-16)) if math.isfinite(error) else -math.inf
