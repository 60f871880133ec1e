"""The report: complete, reproducible, inert whatever names it is given."""

import dataclasses
import html
import re
import warnings

import numpy as np
import pytest

import betaroc as br
from betaroc.core.notices import Notice, keep
from betaroc.report.page import render_report
from helpers.cases import case
from helpers.pages import asks_for_nothing, assert_inert, plain

# Checks of the fit have tests of their own; these are of whole pages.
pytestmark = [pytest.mark.usefixtures("few"), pytest.mark.simulation]


def some_scores(seed=1):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 70))


def test_page_is_inert_and_asks_for_nothing(text):
    page = assert_inert(text)
    asks_for_nothing(text)
    assert "javascript:" not in text.lower()
    (policy,) = [a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a]
    assert re.fullmatch(
        r"default-src 'none'; img-src data:; style-src 'sha256-[\w+/=]{44}';"
        r" script-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'", policy or "",
    )  # fmt: skip


HOSTILE = [
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}{% for x in y %}",
    "\u202egnp.exe\u2066 zero\u200bwidth\u200d and \x1b[31m red \x00",
    "-->]]><!-- &lt;b&gt; $\\frac{1}{$",
    "</script><script>x=1</script>",
    "</title><script>x=1</script>--><svg onload=x=1><!--",
    '"><img src=x onerror=x=1>" onmouseover="x=1" x="',
    "'><svg onload=x=1><a href=javascript:x=1>x</a>",
    "<iframe srcdoc='<script>parent.x=1</script>'>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
]


def renamed(analysis, *names):
    parts = zip(analysis.parts, names, strict=True)
    dev, *tests = (dataclasses.replace(part, name=name) for part, name in parts)
    return dataclasses.replace(analysis, dev=dev, tests=tuple(tests))


def test_hostile_names_and_warnings_are_only_text(analysis, panel_alone):
    for names in zip(HOSTILE[::2], HOSTILE[1::2], strict=True):
        with case(names):
            warned = renamed(analysis, *names)
            keep(warned, [Notice(br.BetarocWarning, "dev: <b>bold</b> & \u202e")])
            page = render_report(warned)
            page.encode("utf-8")
            assert_inert(page)
            assert "49" not in re.findall(r"<h1>.*?</h1>", page, re.S)[0]
            assert not {"\u202e", "\u2066", "\u200b", "\x1b", "\x00"} & set(page)
            assert html.escape("dev: <b>bold</b> & ") + "\\u202e" in page
            assert "<b>bold" not in page


def test_bands_of_curves():
    """Dev chooses 2.5 at alpha 1/2; HTER of a replicate: (X + Y) / 6, X + Y binomial (6, 1/3)."""
    dev = br.Scores([3.0, 4.0, 5.0] * 4, [1.0, 2.0, 3.0] * 4)
    test = br.Scores([2.0, 4.0, 6.0], [0.0, 1.0, 3.0])
    with pytest.warns(br.SmallSampleWarning):
        (met,) = br.analyze(dev, test, family="empirical").curves
    assert (met.band.low[50], met.band.high[50]) == (0.0, pytest.approx(4 / 6))
    dev, test = some_scores(), some_scores(2)
    with pytest.raises(br.InputError, match="level"):
        br.analyze(dev, test, level=95)
    one, two = (br.analyze(dev, test, family="empirical", level=0.8, rng=k) for k in (3, 4))
    assert one.level == one.curves[0].band.level == 0.8
    assert (one.seed, one.to_dict()["seed"]) == (3, 3)
    assert one.curves[0].band != two.curves[0].band
    rng = np.random.default_rng(5)
    test = br.Scores(rng.beta(4, 2, 20), rng.beta(2, 4, 20), client_weights=np.full(20, 0.5))
    with pytest.warns(br.BetarocWarning, match="no interval around its expected performance"):
        analysis = br.analyze(some_scores(), test, family="beta")
    assert [met.band for met in analysis.curves] == [None, None]
    assert sum("no interval" in notice.message for notice in analysis.notices) == 1


def test_what_rests_on_the_family_alone_is_said_loudly(panel_alone):
    """Outliers widen the laws, and their EER is still that of no score."""
    rng = np.random.default_rng(4)
    client = np.append(rng.normal(10, 0.2, 100), [2.0, 3.0, 40.0])
    dev = br.Scores(client, rng.normal(0, 0.5, 120))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        analysis = br.analyze(dev, br.Scores(dev.client + 0.1, dev.impostor), family="normal")
        page = render_report(analysis)
    text = plain(page)
    assert '<p class="warn lead"><strong>dev: the fitted distributions' in page
    assert "beyond, extrapolated" in text
