"""Library, command line, page and scikit-learn's door say the same of the same scores."""

from __future__ import annotations

import argparse
import contextlib
import html
import io
import json
import math
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.cli.messages import in_options
from betaroc.core.notices import suppress_warnings
from betaroc.core.vocabulary import DEFAULT
from betaroc.rendering.tree import Grid, map_text
from betaroc.report.page import render_report, sections_of
from helpers.files import write
from helpers.places import DATA

pytestmark = pytest.mark.simulation
TARGET = 0.05
#: Real sets in [0, 1] and outside, how many scores of each class of theirs, and the family.
SETS = {
    "liveness": ("liveness_within_mlp/dev.csv", (120, 120), "best"),
    "speakers": ("asvspoof19_asv/dev.csv.gz", (300, 600), "normal"),
}


def shell(*arguments):
    """What a call prints on its standard output and beside it."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert main(arguments) == 0
    return out.getvalue() + err.getvalue()


def bare(text):
    """Without blanks and what a page sets otherwise: quotes and minus signs."""
    return re.sub(r"[\s\u2212\u2019'^_\u201c\u201d\"-]", "", text)


def messages(notices):
    """Of notices, with the arguments of functions as options of a call."""
    options = argparse.Namespace(family=None, boundary=None, resolution=None)
    return [bare(DEFAULT.fill(in_options(notice.message, options))) for notice in notices]


@pytest.fixture(scope="module", params=[
    "speakers", pytest.param("liveness", marks=pytest.mark.nightly)
])  # fmt: skip
def doors(request, tmp_path_factory):
    """What each door says of one file, whose scores are evenly from that of a set."""
    name, sizes, family = SETS[request.param]
    folder, every = tmp_path_factory.mktemp("doors"), br.read_scores(DATA / name)
    parts = zip((every.client, every.impostor), sizes, strict=True)
    drawn = (x[np.linspace(0, x.size - 1, k).astype(int)] for x, k in parts)
    file, asked = write(folder / "dev.csv", *drawn), ("--family", family)
    scores = br.read_scores(file)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = br.fit(scores, family)
    with suppress_warnings():
        decision = br.decide(scores, far=TARGET, family=family)
        analysis = br.analyze(scores, family=family, target={"far": TARGET})
    fitted = [shell("fit", file, *asked, *form) for form in (("--json",), ())]
    chosen = [shell("threshold", file, *asked, "--far", f"{TARGET}", *form)
              for form in (("--json",), ())]  # fmt: skip
    # The page is that of the analysis that the document holds, which is not computed again.
    shell("report", "--dev", file, *asked, "--target", f"far={TARGET}", "-o",
          str(folder / "page.json"))  # fmt: skip
    report = (folder / "page.json").read_text(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:  # without pictures of curves, which say nothing
        patch.setattr("betaroc.report.page.curve_figures", lambda analysis: [])
        patch.setattr("betaroc.report.page.fit_figures", lambda analysis: [])
        page = render_report(br.from_json(report))
        sections = {s.key: map_text(s, DEFAULT.fill) for s in sections_of(analysis)}
    return SimpleNamespace(
        fit=fit, warned=[str(found.message) for found in caught], decision=decision,
        analysis=analysis, fit_json=json.loads(fitted[0]), fit_text=fitted[1],
        threshold_json=json.loads(chosen[0]), threshold_text=chosen[1],
        report_json=json.loads(report), page=html.unescape(re.sub(r"<[^>]+>", " ", page)),
        curves=next(b for b in sections["curves"].blocks if isinstance(b, Grid)),
    )  # fmt: skip


@pytest.mark.parametrize(("stat", "row"), [("auc", "AUC"), ("eer", "EER")])
def test_fitted_numbers_and_their_intervals(doors, stat, row):
    with suppress_warnings():
        intervals = doors.fit.interval(stat), br.interval(doors.fit.scores, stat)
    cells = next(r.cells for r in doors.curves.rows if str(r.cells[0]) == row)
    page, text = bare(doors.page), bare(doors.fit_text)
    for cell, found, kind in zip(cells[-1:0:-1], intervals, ("fitted", "scores"), strict=True):
        ends = (found.estimate, found.low, found.high)
        told = doors.fit_json["intervals"][kind][stat]
        assert (told["estimate"], told["low"], told["high"]) == ends
        assert told["method"] == found.method
        assert (cell.value, cell.low, cell.high) == ends
        assert bare(cell.text) in page
        assert bare(f"{cell.text}({cell.span})") in text


def test_notices_of_the_fit(doors):
    kept = messages(doors.fit.notices)
    assert [str(notice.message) for notice in doors.fit.notices] == doors.warned
    told = [bare(m) for m in doors.fit_json["warnings"]]
    assert told == kept
    warned = "".join(doors.report_json["derived"]["warnings"])
    for said in (doors.fit_text, doors.page, warned):
        assert all(notice in bare(said) for notice in kept)
    assert set(kept) <= {m.removeprefix("dev:") for m in messages(doors.analysis.notices)}


def test_the_decision(doors):
    decision = doors.decision
    assert doors.analysis.decision == decision
    for told in (doors.threshold_json, doors.report_json["decision"]):
        for name in ("threshold", "how", "status", "reason", "remedy", "needed"):
            assert told[name] == getattr(decision, name)
        for name in ("low", "high"):
            assert told["interval"][name] == getattr(decision.interval, name)
        for row, way in zip(told["methods"], decision.methods, strict=True):
            assert (row["how"], row["family"], row["why"]) == (way.how, way.family, way.why)
            assert row["threshold"] == (None if math.isnan(way.threshold) else way.threshold)
    for said in (doors.threshold_text, doors.page):
        assert bare(decision.status).lower() in bare(said).lower()
        assert bare(decision.reason) in bare(said)
    noticed = messages(decision.notices)
    assert [bare(m) for m in doors.threshold_json["warnings"]] == noticed
    assert all(m in bare(doors.threshold_text) for m in noticed)
