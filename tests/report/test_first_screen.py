"""The page: its first screen and slider, its sections, and how browsers show them."""

import json
import re
from itertools import product

import numpy as np
import pytest
from scipy import stats

import betaroc as br
from betaroc.core.vocabulary import DEFAULT
from betaroc.decision.threshold_methods import counted_rates, rate_interval
from betaroc.rendering.decision_picture import POSITIONS, ScoreAxis, strip_place
from betaroc.rendering.numbers import rate, rate_span
from betaroc.report.page import first_screen, render_report

pytestmark = pytest.mark.usefixtures("few")


def top(page):
    """The text of the first screen."""
    found = re.sub(r"<script.*?</script>|<[^>]*>", " ", page[page.index("<body>") :], flags=re.S)
    return " ".join(found[: found.index("Contents")].split()).replace("\u00a0", " ")


def block_of(page):
    (text,) = re.findall(r'<script type="application/json" class="positions">(.*?)</script>', page)
    return json.loads(text)


@pytest.mark.simulation
def test_what_dev_cannot_assure_and_test_contradicts(analysis, text):
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


def separated(n, seed=0):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(4, 1, n), rng.normal(0, 1, n))


@pytest.mark.simulation
@pytest.mark.parametrize(("target", "question", "kind"), [
    ({"far": 0.05}, "Which threshold keeps FAR at or below 5 %?", "far"),
    ("frr=0.02", "Which threshold keeps FRR at or below 2 %?", "frr"),
    ("eer", "At which threshold are FAR and FRR equal?", "eer"),
    ("cost-fa=10,cost-fr=1", "costs least, 10 per false acceptance and 1 per false", "cost"),
])  # fmt: skip
def test_targets(target, question, kind, panel_alone):
    found = br.analyze(separated(100), separated(100, 1), target=target, family="normal")
    assert (found.decision.target, found.no_decision) == (kind, "")
    page = render_report(found)
    assert question in top(page)
    assert "No target was named" not in page
    assert question in found.summary()


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


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.simulation
def test_a_high_rate_that_is_no_target_stands_under_the_status(panel_alone):
    """Of two tests, 180 and 360 of 400 impostors lie above 1.6, where few clients lie below."""
    rng = np.random.default_rng(4)
    client = rng.normal(3, 1, 400)
    tests = {}
    for share in (180, 360):
        impostor = np.r_[rng.uniform(1.6, 2.4, share), rng.uniform(-9, -7, 400 - share)]
        tests[str(share)] = br.Scores(client, impostor)
    dev = br.Scores(rng.normal(3, 1, 400), rng.normal(-3, 1, 400))
    found = br.analyze(dev, tests, target={"frr": 0.05}, family="normal")
    words = "FAR is 90 % on test 2 (360): most impostors are accepted."
    assert DEFAULT.fill(first_screen(found)["status"]["reason"]).endswith(words)
    assert words.replace(" %", "\u00a0%") in render_report(found)


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


def test_dependent_trials_have_the_intervals_of_their_groups():
    scores = separated(60)
    groups = np.repeat(np.arange(20), 3)
    dev = br.Scores(scores.client, scores.impostor, client_groups=groups, impostor_groups=groups)
    places = np.linspace(-1.0, 5.0, 97)
    for kind in ("far", "frr"):
        many = np.array(counted_rates(dev, kind, places, 0.9)).T
        for k in (0, 40, 63, 64, 70, 96):
            assert tuple(many[k]) == pytest.approx(rate_interval(dev, kind, places[k], 0.9))


def test_axes():
    """Linear, by logits where most scores are next to 0 and 1, without outliers."""
    assert ScoreAxis.of(np.linspace(0.05, 0.95, 50), 0.5) == ScoreAxis(0.0, 1.0, logit=False)
    crowded = ScoreAxis.of(stats.beta(0.1, 0.1).ppf(np.linspace(0.01, 0.99, 99)), 0.999)
    assert crowded.logit
    assert [text for at, text in crowded.ticks() if 45 < at < 55] == ["0.5"]
    assert float(crowded.score(crowded.place(0.999))) == pytest.approx(0.999, rel=1e-12)
    assert crowded.place(np.array([0.0, 1.0])).tolist() == [0.0, 100.0]
    values = np.append(np.linspace(0.0, 10.0, 9999), 1e6)
    assert ScoreAxis.of(values, None).high < 20.0
    assert (strip_place(0.0, 0.01), strip_place(1.0, 0.01)) == (0.0, 100.0)
    assert strip_place(0.01, 0.01) == pytest.approx(100 * 2.3 / 4.3)


SECTIONS = ["curves", "points", "epc", "ends", "checks", "families", "sensitivity", "read",
            "glossary"]  # fmt: skip


@pytest.mark.simulation
def test_sections_are_linked_in_their_order(text):
    assert re.findall(r'<details class="sec" id="(\w+)">', text) == SECTIONS
    assert re.findall(r'<li><a href="#(\w+)-in">', text) == SECTIONS
