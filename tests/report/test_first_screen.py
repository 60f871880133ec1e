"""The page: its first screen and slider, its sections, and how browsers show them."""

import json
import re
from itertools import product

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.decision.threshold_methods import counted_rates, rate_interval
from betaroc.rendering.decision_picture import POSITIONS, ScoreAxis
from betaroc.rendering.numbers import rate, rate_span
from betaroc.report.page import render_report

pytestmark = pytest.mark.usefixtures("few")


def top(page):
    """The text of the first screen."""
    found = re.sub(r"<script.*?</script>|<[^>]*>", " ", page[page.index("<body>") :], flags=re.S)
    return " ".join(found[: found.index("Contents")].split()).replace("\u00a0", " ")


def block_of(page):
    (text,) = re.findall(r'<script type="application/json" class="positions">(.*?)</script>', page)
    return json.loads(text)


@pytest.mark.simulation
def test_what_dev_cannot_assure_and_test_contradicts_and_sections_in_their_order(analysis, text):
    """Of 181 impostors none lies above the highest: (0 + 1)/182; on test 88 of 448 do."""
    said = top(text)
    for piece in (
        "0.9344 accept if score is above expected at most 1 %, not guaranteed", "Do not rely on it",
        "0.55 % 0.014 to 2.0 % 0 of 181", "20 % 16 to 24 % 88 of 448",
        "not possible: 299 impostors needed, dev has 181", "0.9343774613723554",
    ):  # fmt: skip
        assert piece in said, piece
    assert rate_span(*stats.beta.ppf([0.025, 0.975], 1, 181)) == "0.014 to 2.0 %"
    assert analysis.decision == br.decide(analysis.dev.scores, far=0.01, family="beta")
    assert analysis.checks == (analysis.decision.check(analysis.tests[0].scores),)
    assert re.findall(r'<details class="sec" id="(\w+)">', text) == SECTIONS
    assert re.findall(r'<li><a href="#(\w+)-in">', text) == SECTIONS


def separated(n, seed=0):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(4, 1, n), rng.normal(0, 1, n))


def test_a_target_that_is_none():
    for target in ("far=2", "foo=1", "far", {}, 3, "far=0.1,far=0.2", "cost_fa=1"):
        with pytest.raises(br.InputError, match="target must be") as error:
            br.analyze(separated(10), target=target)
        assert error.value.argument == "target"


@pytest.mark.simulation
def test_no_decision_says_why(panel_alone):
    """12 impostors as they are: no order statistic, no tail and no fit has FAR 1 %."""
    scores = br.Scores(np.arange(5.0, 17.0), np.arange(12.0))
    found = br.analyze(scores, family="empirical")
    assert found.decision is None
    assert "299 impostors needed, dev has 12" in found.no_decision
    page = render_report(found)
    assert "input" not in re.findall(r"<(\w+)", page)
    assert found.no_decision in found.summary()


@pytest.mark.simulation
def test_every_position_is_counted_as_the_library_counts(analysis, text):
    block, level = block_of(text), analysis.level
    texts, at = block["texts"], block["at"]
    shown = [texts["t"][k] for k in at["t"]]
    assert len(shown) == POSITIONS
    assert shown[block["home"]] == "0.9344"
    for (k, part), kind in product(enumerate(analysis.parts), ("far", "frr")):
        for place in (0, 100, 233, 400):
            found = rate_interval(part.scores, kind, float(shown[place]), level)
            told = [texts[key][at[key][place]] for key in (f"v{kind}{k}", f"i{kind}{k}")]
            counted = [rate(found[0]), rate_span(*found[1:])]
            assert [text.replace("\u00a0", " ") for text in told] == counted


def test_an_axis_is_by_logits_where_most_scores_are_next_to_0_and_1():
    assert ScoreAxis.of(np.linspace(0.05, 0.95, 50), 0.5) == ScoreAxis(0.0, 1.0, logit=False)
    crowded = ScoreAxis.of(stats.beta(0.1, 0.1).ppf(np.linspace(0.01, 0.99, 99)), 0.999)
    assert crowded.logit
    assert float(crowded.score(crowded.place(0.999))) == pytest.approx(0.999, rel=1e-12)


def test_dependent_trials_have_the_intervals_of_their_groups():
    scores = separated(60)
    groups = np.repeat(np.arange(20), 3)
    dev = br.Scores(scores.client, scores.impostor, client_groups=groups, impostor_groups=groups)
    places = np.linspace(-1.0, 5.0, 97)
    for kind in ("far", "frr"):
        many = np.array(counted_rates(dev, kind, places, 0.9)).T
        for k in (0, 40, 63, 64, 70, 96):
            assert tuple(many[k]) == pytest.approx(rate_interval(dev, kind, places[k], 0.9))


SECTIONS = ["curves", "points", "epc", "ends", "checks", "families", "sensitivity", "read",
            "glossary"]  # fmt: skip
