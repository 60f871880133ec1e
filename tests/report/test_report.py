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
from helpers.pages import Page, asks_for_nothing, assert_inert, plain

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
]


def renamed(analysis, name):
    dev, *tests = (dataclasses.replace(part, name=name) for part in analysis.parts)
    return dataclasses.replace(analysis, dev=dev, tests=tuple(tests))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_text(name, analysis, panel_alone):
    page = render_report(renamed(analysis, name))
    page.encode("utf-8")
    assert_inert(page)
    assert "49" not in re.findall(r"<h1>.*?</h1>", page, re.S)[0]
    for sign in ("\u202e", "\u2066", "\u200b", "\x1b", "\x00"):
        assert sign not in page


def test_warnings_are_escaped_and_shown(analysis, panel_alone):
    warned = dataclasses.replace(analysis)
    keep(warned, [Notice(br.BetarocWarning, "dev: <b>bold</b> & \u202e")])
    page = render_report(warned)
    assert html.escape("dev: <b>bold</b> & ") + "\\u202e" in page
    assert "<b>bold" not in page


def test_a_band_by_hand():
    """Dev chooses 2.5 at alpha 1/2; HTER of a replicate: (X + Y) / 6, X + Y binomial (6, 1/3)."""
    dev = br.Scores([3.0, 4.0, 5.0] * 4, [1.0, 2.0, 3.0] * 4)
    test = br.Scores([2.0, 4.0, 6.0], [0.0, 1.0, 3.0])
    with pytest.warns(br.SmallSampleWarning):
        (met,) = br.analyze(dev, test, family="empirical").curves
    assert (met.band.low[50], met.band.high[50]) == (0.0, pytest.approx(4 / 6))


def test_level_and_rng_of_analyze_are_checked():
    dev, test = some_scores(), some_scores(2)
    with pytest.raises(br.InputError, match="level"):
        br.analyze(dev, test, level=95)
    one, two = (br.analyze(dev, test, family="empirical", level=0.8, rng=k) for k in (3, 4))
    assert one.level == one.curves[0].band.level == 0.8
    assert (one.seed, one.to_dict()["seed"]) == (3, 3)
    assert one.curves[0].band != two.curves[0].band


def test_scores_that_cannot_be_resampled_have_no_interval_and_a_warning():
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


def test_long_names_are_cut_with_the_whole_in_the_title(analysis, panel_alone):
    name = "a" * 30 + "MIDDLE" + "b" * 30
    page = Page(render_report(renamed(analysis, name)))
    titles = [attributes["title"] for tag, attributes in page.tags if tag == "bdi"]
    assert name in titles
    assert not any(name in piece for piece in page.text)
    assert any(re.fullmatch("a{21}…b{10}", piece) for piece in page.text)
