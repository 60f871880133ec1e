"""Calls of the command line in this process."""

import shlex

from betaroc.cli import main


def said(capsys, call, *words, code=0):
    """What a call prints; of one that fails its error, beside which there is nothing."""
    assert main([*shlex.split(call), *words]) == code
    out, err = capsys.readouterr()
    assert not (code and out)
    return err if code else out
