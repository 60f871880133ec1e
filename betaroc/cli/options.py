"""The arguments of the command line."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

from betaroc.cli.inputs import STREAMED, family_option
from betaroc.core import checks
from betaroc.core.errors import InputError
from betaroc.core.text import shown
from betaroc.data.read import FORMATS
from betaroc.estimation.boundary import POLICIES
from betaroc.estimation.families import FAMILIES
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.rendering.numbers import version, visible

__all__ = [
    "BAD_INPUT",
    "LEVEL",
    "SEED",
    "as_options",
    "band_arguments",
    "interval_arguments",
    "parser_of",
    "system_names",
]

#: What a command does, and its exit code where that is not 0.
Run = Callable[[argparse.Namespace], int | None]

#: Exit code of usage, input and output.
BAD_INPUT = 2
#: What intervals take unasked. A choice of dev made again costs more than counts of test.
LEVEL, SEED, REPLICATES = 0.95, 0, {"test": 10_000, "both": 1000}

#: Names of systems stand in columns and legends.
_LONGEST = 40
#: Arguments of functions that are options here.
_NAMES = (
    "score|label|client_label|group|id|format|boundary|resolution|family|alpha|level|replicates"
    "|method|systems|region|folds|ends"
)
_BARE = r"(?<![\w'\"/.-])"
_ARGUMENT = re.compile(rf"{_BARE}({_NAMES})=(?:\.\.\.)?(?=(.?))")
_SUBJECT = re.compile(rf"(?:^|{_BARE}(?=client_label))({_NAMES})(?= must )")

#: What needs every score, in the words of the command line.
_ROWS = (
    ("Give epc the ScoreSummary itself, a fit of Scores,", "Pass --family empirical,"),
    (
        "Take Scores: all rows, or a random part of them.",
        "Pass --stream never, or a part of the rows.",
    ),
    (
        "Fit Scores (all rows, or a random part of them)",
        "Pass --stream never or a part of the rows",
    ),
    ("Give Scores, or take", "Pass --stream never or"),
)

_EXAMPLES = """examples:
  betaroc fit dev.csv
  betaroc fit scores.tsv --label class --client-label genuine --family normal
  betaroc fit dev.csv --json
  betaroc fit dev.csv --family best --check
  betaroc fit dev.csv --family beta,beta-mixture
  betaroc report --dev dev.csv --test eval1.csv eval2.csv -o report.html
  betaroc epc --dev dev.csv --test eval.csv -o epc.svg
  betaroc epc --dev dev.csv --test eval.csv --criterion far --measure frr --alpha 0.01 0.05
  betaroc epc --dev dev.csv --test eval.csv --band both --level 0.9 --json
  betaroc report --dev big.parquet --test eval.parquet --stream always -o report.html
  betaroc compare --dev dev_a.csv dev_b.csv --test eval_a.csv eval_b.csv --name mlp svm -o c.svg
  betaroc study atlas.toml --workers 4
  betaroc ensemble table.csv --systems cnn svm lr --region 0 0.1 -o ensemble.svg

A score file has a header line score,label with label 1 for clients and 0 (or -1) for impostors;
other columns and labels are named by the options. The 2-, 4- and 5-column text of bob.measure
needs none. Higher scores are more client-like; accepted is what is greater than the threshold.

exit codes: 0 done, 1 the fit is impossible, 2 usage, input or output,
3 study with failed trials, 130 interrupted"""


class _Parser(argparse.ArgumentParser):
    """Argument errors on lines that hold nothing a terminal would obey."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(BAD_INPUT, f"{self.prog}: {visible(message)}\n")


def parser_of(runs: Mapping[str, Run]) -> argparse.ArgumentParser:
    """The parser of all commands; ``runs`` holds what each of them does."""
    parser = _Parser(
        prog="betaroc",
        description="From score files to theoretical ROCs and what they say.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"betaroc {version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    fit = _command(commands, "fit", "fit both classes of a score file and describe the ROC", runs)
    fit.add_argument("scores", metavar="SCORES", help="score file")
    fit.add_argument("--json", action="store_true", help="one JSON document on standard output")
    fit.add_argument(
        "--check", action="store_true",
        help="also check the fit by simulation, set the families beside each other and audit the"
        " ends",
    )  # fmt: skip
    _interval_options(fit, "of every interval", "trials")
    report = _command(commands, "report", "write a self-contained HTML report", runs)
    report.add_argument("--dev", required=True, metavar="DEV", help="score file to fit")
    report.add_argument(
        "--test", nargs="+", action="extend", default=[], metavar="TEST",
        help="score files on which dev's thresholds are met; may be repeated",
    )  # fmt: skip
    report.add_argument("-o", "--output", required=True, metavar="OUT", help="HTML file to write")
    report.add_argument("--force", action="store_true", help="replace OUT if it exists")
    _interval_options(report, "of every interval in the report", "trials")
    curve = _command(commands, "epc", "choose thresholds on dev, meet their errors on test", runs)
    curve.add_argument("--dev", required=True, metavar="DEV", help="scores to choose on")
    curve.add_argument("--test", required=True, metavar="TEST", help="scores to meet")
    _curve_options(curve)
    _band_options(curve)
    two = _command(commands, "compare", "compare two systems on test, thresholds from dev", runs)
    _systems_options(two)
    _curve_options(two, "weighted-error, with another criterion hter")
    _study_options(
        _command(commands, "study", "run the synthetic-data study of a TOML file, or go on", runs)
    )
    _ensemble_options(
        _command(commands, "ensemble", "judge which classifiers join an ensemble, and why", runs)
    )
    families = {fit: "auto", report: "best", curve: "empirical", two: "empirical"}
    for command, family in families.items():
        _shared_options(command, family)
    return parser


def _curve_options(parser: argparse.ArgumentParser, measure: str = "hter") -> None:
    """Unasked, a measure in words is left to the command."""
    parser.add_argument(
        "--criterion", default="weighted-error", choices=tuple(CRITERIA), metavar="C",
        help=f"what a threshold is chosen for: {', '.join(CRITERIA)} (default: weighted-error)."
        " Of a target, such as far, the rate nearest to it on dev is taken, not the nearest at"
        " most it; for a guarantee see br.guaranteed_threshold",
    )  # fmt: skip
    measures = (*MEASURES, "weighted-error")
    parser.add_argument(
        "--measure", default=measure if measure in measures else None, choices=measures,
        metavar="M", help=f"what is counted: {', '.join(measures)} (default: {measure})",
    )  # fmt: skip
    parser.add_argument(
        "--alpha", nargs="+", action="extend", type=float, metavar="A",
        help="the criterion's weights or targets in [0, 1] (default: 0, 0.01, ..., 1)",
    )  # fmt: skip
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document on standard output")
    form.add_argument("--csv", action="store_true", help="one row an alpha on standard output")
    parser.add_argument("-o", "--output", metavar="OUT", help="picture to write, .svg or .png")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")


def _interval_options(parser: argparse.ArgumentParser, of: str, drawn: str) -> None:
    """Unasked ones stay None: the command says what they need, or takes the default."""
    parser.add_argument(
        "--level", type=float, metavar="L", help=f"confidence level {of} (default: {LEVEL})"
    )
    parser.add_argument(
        "--seed", type=int, metavar="N",
        help=f"seed by which {drawn} are resampled (default: {SEED}, so a call can be repeated)",
    )  # fmt: skip
    parser.add_argument(
        "--group", nargs="+", metavar="COLUMN",
        help="one or two columns that name what trials hang on, such as claimed real of 4col"
        " files: the trials of a group are resampled together",
    )  # fmt: skip


def _band_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--band", choices=("test", "both"),
        help="interval of the curve: test resamples the test trials at dev's thresholds as they"
        " are; both also lets dev choose again",
    )  # fmt: skip
    _interval_options(parser, "of the band", "trials")
    parser.add_argument(
        "--replicates", type=int, metavar="N",
        help="bootstrap replicates (default:"
        f" {REPLICATES['test']} for --band test, {REPLICATES['both']} for --band both)",
    )  # fmt: skip
    parser.add_argument(
        "--method", choices=("bootstrap", "delta", "exact"),
        help="how the band is found (default: bootstrap); exact is Clopper and Pearson's for a"
        " measure that is one rate, with --band test: the one to take where no error was seen",
    )  # fmt: skip
    parser.add_argument(
        "--simultaneous", action="store_true",
        help="one band for the whole curve instead of an interval at each alpha",
    )  # fmt: skip


def _systems_options(parser: argparse.ArgumentParser) -> None:
    for role, verb in (("dev", "choose on"), ("test", "meet, the same trials in one order")):
        parser.add_argument(
            f"--{role}", required=True, nargs="+", action="extend", metavar=role.upper(),
            help=f"two files: scores of the first and of the second system to {verb}"
            + ("; with --unpaired the same file may serve both" if role == "dev" else ""),
        )  # fmt: skip
    parser.add_argument(
        "--name", nargs="+", action="extend", metavar="NAME",
        help="two names of the systems (default: A B)",
    )  # fmt: skip
    parser.add_argument(
        "--id", metavar="COLUMN",
        help="column that names the trial: whether both files hold the same trials is checked",
    )  # fmt: skip
    parser.add_argument(
        "--resample", choices=("both", "test"), default="both",
        help="both: dev too is drawn, and its thresholds chosen, again; test: at these two"
        " thresholds as they are (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--unpaired", action="store_true",
        help="the systems judge different test trials, which are drawn independently",
    )  # fmt: skip
    _interval_options(parser, "of the intervals and the band of the difference", "trials")
    parser.add_argument(
        "--replicates", type=int, metavar="N",
        help="bootstrap replicates (default: 2000; 400 where a fit is made in each)",
    )  # fmt: skip


def _ensemble_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "scores", nargs="+", metavar="FILE",
        help="one table (CSV, TSV, Parquet) with a column a classifier, or one score file a"
        " classifier, the same trials in one order",
    )  # fmt: skip
    parser.add_argument(
        "--systems", nargs="+", action="extend", metavar="COLUMN",
        help="columns of the classifiers (default: all numeric ones beside the labels)",
    )  # fmt: skip
    parser.add_argument(
        "--name", nargs="+", action="extend", metavar="NAME",
        help="names of the classifiers of several files (default: the files')",
    )  # fmt: skip
    parser.add_argument(
        "--dev", nargs="+", action="extend", default=[], metavar="DEV",
        help="other trials, given alike, on which weights and thresholds of the fused scores are"
        " learned (default: other folds)",
    )  # fmt: skip
    parser.add_argument(
        "--region", nargs=2, type=float, default=[0.0, 1.0], metavar=("LOW", "HIGH"),
        help="FARs that matter (default: 0 1)",
    )  # fmt: skip
    parser.add_argument(
        "--folds", type=int, default=5, metavar="K", help="folds (default: %(default)s)"
    )
    parser.add_argument(
        "--ends", type=float, default=0.1, metavar="R",
        help="largest target of the low-FAR and of the high-FAR end (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--omit-missing", action="store_true", help="leave out rows of a table that lack a score"
    )
    parser.add_argument(
        "--level", type=float, metavar="L",
        help=f"confidence level of verdicts and intervals (default: {LEVEL})",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, metavar="N",
        help="seed by which trials are dealt to folds (default: in turn)",
    )  # fmt: skip
    parser.add_argument(
        "--group", nargs="+", metavar="COLUMN",
        help="one or two columns that name what trials hang on: intervals and folds allow for it",
    )  # fmt: skip
    parser.add_argument(
        "--id", metavar="COLUMN",
        help="column of several files that names the trial: whether all hold the same trials in"
        " one order is then checked",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument("-o", "--output", metavar="OUT", help="picture to write, .svg or .png")
    parser.add_argument("--force", action="store_true", help="replace OUT if it exists")
    _shared_options(parser, "auto", stream=False)


def _study_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", metavar="CONFIG", help="TOML file with design and statistics")
    parser.add_argument(
        "--folder", metavar="F",
        help="folder of the results (default: the file's, else one called like the file); a study"
        " that was begun there is gone on with",
    )  # fmt: skip
    parser.add_argument(
        "--workers", type=int, metavar="K",
        help="worker processes, -1 for as many as processors (default: the file's, else 1)",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, metavar="N",
        help=f"seed of designs and samples (default: the file's, else {SEED})",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")


def _command(
    commands: Any, name: str, what: str, runs: Mapping[str, Run]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=what[0].upper() + what[1:] + ".",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(run=runs[name])
    return parser


def _shared_options(parser: argparse.ArgumentParser, family: str, *, stream: bool = True) -> None:
    parser.add_argument(
        "--family", default=family, type=family_option, metavar="FAMILY",
        help="family of both classes, or of clients and of impostors with a comma between, such as"
        " beta,beta-mixture (default: %(default)s). One of"
        f" {', '.join(FAMILIES)}; empirical is the scores themselves. auto is beta where every"
        " score of the call, of several systems each by itself, lies in [0, 1], else normal; best"
        " is the pair that br.compare_families recommends for the scores fitted. The output says"
        " which was chosen, and why",
    )  # fmt: skip
    parser.add_argument("--score", default="score", metavar="COLUMN", help="column of the scores")
    parser.add_argument("--label", default="label", metavar="COLUMN", help="column of the labels")
    parser.add_argument("--client-label", metavar="LABEL", help="label of the clients")
    parser.add_argument(
        "--format", choices=FORMATS,
        help="format of the files (default: what their content shows)",
    )  # fmt: skip
    parser.add_argument(
        "--boundary", choices=POLICIES,
        help="what to do with scores of exactly 0 and 1 (default: inflate, with a warning)",
    )  # fmt: skip
    parser.add_argument(
        "--resolution", type=float, metavar="R", help="scores were rounded to multiples of R"
    )
    if not stream:
        return
    parser.add_argument(
        "--stream", choices=("auto", "always", "never"), default="auto",
        help="read Parquet files in pieces and keep sums and counts in bins instead of rows, in"
        f" bounded memory: always, never, or where a file has more than {STREAMED / 1e6:g} million"
        " rows and nothing asked for needs them (default: auto)",
    )  # fmt: skip


def as_options(message: str, resample: str = "--band") -> str:
    """A message about arguments of functions in the words of the command line."""
    text = re.sub(r"\b\w+=(?:\.\.\.)? \((--[\w-]+)\)", r"\1", message)
    text = re.sub(r"\b(\w+)=\.\.\.$", lambda found: f"{_option(found[1])} COLUMN.", text)
    text = re.sub(r'resample="(\w+)"', rf"{resample} \1", text)
    text = re.sub("^score and label must ", "--score and --label must ", text)
    text = _SUBJECT.sub(lambda found: _option(found[1]), text)
    for rows in _ROWS:
        text = text.replace(*rows)
    text = text.replace("paired=True", "a paired comparison").replace("paired=False", "--unpaired")
    text = text.replace('nan_policy="omit"', "--omit-missing")
    return _ARGUMENT.sub(_given, text)


def _given(found: re.Match[str]) -> str:
    """The option, and a blank before its value."""
    value = found[2].isalnum() or found[2] in {"'", '"'}
    return _option(found[1]) + " " * value


def _option(argument: str) -> str:
    return f"--{argument.replace('_', '-')}"


def system_names(arguments: argparse.Namespace) -> tuple[str, str]:
    """Two names, after the files of both systems were found to be two and two."""
    for role in ("dev", "test"):
        paths = getattr(arguments, role)
        if len(paths) != 2:
            raise InputError(
                f"--{role} must name two score files, one a system; got {len(paths)}:"
                f" {shown(paths)}. Scores are those of one system: give each its own file."
            )
        with suppress(OSError):  # a file that cannot be looked at is refused when it is read
            if os.path.samefile(*paths) and not (role == "dev" and arguments.unpaired):
                raise InputError(
                    f"--{role} must name two different files, one a system; got {shown(paths[0])}"
                    " for both. A system does not differ from itself: name the other's scores"
                    + (", or pass --unpaired for one system on two test sets." if role == "dev"
                       else ".")
                )  # fmt: skip
    names = ["A", "B"] if arguments.name is None else arguments.name
    shapes = {visible(name).strip() for name in names}
    lengths = {len(shape) for shape in shapes}
    if len(names) != 2 or len(shapes) != 2 or min(lengths) == 0 or max(lengths) > _LONGEST:
        raise InputError(
            f"--name must give two different names of at most {_LONGEST} characters, one a system;"
            f" got {shown(names)}. Give two, such as --name mlp svm."
        )
    return names[0], names[1]


# -------------------------------------------------------------------------- intervals
def interval_arguments(arguments: argparse.Namespace) -> tuple[float, int]:
    """Level and seed, checked before anything is read."""
    level = LEVEL if arguments.level is None else checks.level(arguments.level, "--level")
    seed = SEED if arguments.seed is None else checks.count(arguments.seed, "--seed", 0)
    return level, seed


def band_arguments(arguments: argparse.Namespace) -> dict[str, Any] | None:
    """What the band is made with; options of a band that was not asked for are refused."""
    if arguments.band is None:
        asked = {
            "--level": arguments.level is not None,
            "--seed": arguments.seed is not None,
            "--group": arguments.group is not None,
            "--replicates": arguments.replicates is not None,
            "--method": arguments.method is not None,
            "--simultaneous": arguments.simultaneous,
        }
        if any(asked.values()):
            given = " ".join(option for option, there in asked.items() if there)
            raise InputError(
                f"{given} must stand beside --band, whose interval it is about; there is none."
                " Add --band test or --band both, or leave it out."
            )
        return None
    if arguments.method == "exact" and (arguments.seed, arguments.replicates) != (None, None):
        raise InputError(
            "--method exact draws nothing, so that --seed and --replicates have no meaning beside"
            " it. Leave them out."
        )
    level, seed = interval_arguments(arguments)
    replicates = arguments.replicates
    if replicates is None:
        replicates = REPLICATES[arguments.band]
    return {
        "level": level,
        "resample": arguments.band,
        "replicates": checks.count(replicates, "--replicates"),
        "simultaneous": arguments.simultaneous,
        "method": arguments.method or "bootstrap",
        "rng": seed,
    }
