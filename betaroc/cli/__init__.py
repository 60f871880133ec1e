"""The command line: a module and a row per command."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module

#: The commands, each of a module of the same name, and what they do.
COMMANDS = {
    "demo": "try it on real scores that come with betaroc",
    "threshold": "choose one threshold for a target rate, and say what it may be relied on for",
    "check": "check new scores against a decision, as a gate that counts every look",
    "fit": "fit both classes of a score file and describe the ROC",
    "report": "write a self-contained HTML report",
    "epc": "choose thresholds on dev, observe their errors on test",
    "epsc": "show how robust a system is to attacks, by their share among impostors",
    "compare": "compare two systems on test, thresholds from dev",
    "audit": "say how much of a number is optimism of a threshold chosen on test",
    "study": "run the synthetic-data study of a TOML file, or continue it",
    "ensemble": "judge which classifiers join an ensemble, and why",
    "plan": "compute how many scores a number or a guarantee needs",
    "selftest": "compare numbers of this machine with references of many digits",
    "completion": "print what completes commands, options and files in bash or zsh",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command by its arguments; the exit code."""
    try:
        from betaroc.core.process import hold_streams, leave_if_stopped, listen
    except KeyboardInterrupt:
        raise SystemExit(130) from None

    if argv is None:  # the process is this call's own
        # A second thread of BLAS waits more than it works: a report takes a fourth longer.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        hold_streams()
        listen()
    from betaroc.cli.call import call

    code: object = None
    try:
        code = call(argv, COMMANDS, lambda name: import_module(f"betaroc.cli.{name}"))
    except SystemExit as stop:
        code = stop.code
        raise
    finally:
        if argv is None:
            leave_if_stopped(code)
    return code
