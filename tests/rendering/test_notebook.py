"""Blocks in a notebook: what they say is what the nouns hold, and nothing of them is foreign."""

from __future__ import annotations

import re
import sys
import time
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from scipy import stats
from scipy.integrate import trapezoid

import betaroc as br
from betaroc.rendering.notebook import html_block, name_shown
from betaroc.rendering.tree import Cell, Grid, Node, Row, Section, Status, Words
from betaroc.rendering.tree_html import status_icon

NASTY = '</style><script>alert(1)</script>" onload="x אבג ' + "y" * 40


def scores(seed: int = 1, n: int = 400, name: str | None = None, better: float = 2.0) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(better, 1, n), rng.normal(0, 1, n), name=name)


ICONS = {name: str(status_icon(name)) for name in ("good", "warn", "bad")}
DEV, TEST = scores(name="dev set"), scores(2, 500, "test set")
FIT = br.fit(DEV, "normal")
CURVE = br.epc(DEV, TEST)
DECISION = br.decide(DEV, far=0.01)
CHECK = DECISION.check(TEST)
OTHER = br.epc(scores(3, better=1.0), scores(4, better=1.0, name="other"))
COMPARISON = br.compare(CURVE, OTHER, paired=False, replicates=200, rng=1)
RANKING = br.compare_systems({"one": CURVE, "two": OTHER}, paired=False, replicates=200, rng=1)
BLOCKS = {
    "fit": FIT, "decision": DECISION, "check": CHECK, "epc": CURVE, "comparison": COMPARISON,
    "ranking": RANKING,
}  # fmt: skip


class Text(HTMLParser):
    """Texts of a page, tags with their attributes, and whether all of them are closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("path", "circle", "use"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "circle", "use"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"] and data.strip():
            self.texts.append(" ".join(data.split()))


def read(noun: Any) -> Text:
    return Text(noun._repr_html_())


def row(found: Text, head: str) -> list[str]:
    """Texts that follow a head, as long as a row of a table can be."""
    at = found.texts.index(head)
    return found.texts[at + 1 : at + 8]


def shares(text: str) -> Any:
    """Rates in per cent as they are shown, to two digits."""
    found = re.findall(r"[\d.]+", text.replace("\u2212", ""))
    return pytest.approx([float(part) / 100.0 for part in found], rel=0.05)


# ------------------------------------------------------------------------------ one by one
def test_a_fit_shows_areas_rates_and_parameters() -> None:
    found = read(FIT)
    interval = FIT.interval("auc")
    spread = np.hypot(np.std(DEV.client), np.std(DEV.impostor))
    area = stats.norm.cdf((np.mean(DEV.client) - np.mean(DEV.impostor)) / spread)
    counted = stats.mannwhitneyu(DEV.client, DEV.impostor).statistic / 400**2
    cells = row(found, "AUC")
    assert cells[0] == f"{area:.4g}"
    assert cells[1] == f"{interval.low:.4g} to {interval.high:.4g}"
    assert cells[2] == f"{counted:.4g}"
    assert row(found, "client (n = 400)")[:2] == ["mu", f"{np.mean(DEV.client):.6g}"]
    assert found.texts[0] == "normal fit of dev set: 400 clients and 400 impostors"


def test_a_decision_shows_its_status_and_what_is_expected() -> None:
    found = read(DECISION)
    told = float(found.texts[0].removeprefix("Threshold "))
    assert told >= DECISION.threshold
    assert told == pytest.approx(DECISION.threshold, rel=1e-3)
    assert "Can be relied on, not tested" in found.texts
    k = int(np.sum(DEV.impostor > DECISION.threshold))
    assert [(k + 1) / 401] == shares(row(found, "FAR")[1])
    frr = int(np.sum(DEV.client <= DECISION.threshold))
    ends = stats.binomtest(frr, 400).proportion_ci(0.95, "exact")
    assert [frr / 400, *ends] == shares(" ".join(row(found, "FRR")[1:3]))
    assert row(found, "Every way to choose")[:3] == ["way", "threshold", "FAR expected"]


def test_a_check_shows_test_beside_dev_and_travels() -> None:
    found = read(CHECK)
    accepted = int(np.sum(TEST.impostor > DECISION.threshold))
    ends = stats.binomtest(accepted, 500).proportion_ci(0.95, "exact")
    assert CHECK.counted[0].low == pytest.approx(ends[0], rel=1e-6)
    assert CHECK.counted[0].high == pytest.approx(ends[1], rel=1e-6)
    assert [accepted / 500, *ends] == shares(" ".join(row(found, "FAR")[4:6]))
    assert "observed, test" in found.texts
    again = br.from_json(CHECK.to_json())
    assert again == CHECK
    assert f"{accepted} of 500" in found.texts  # a document has no scores, and no counts
    assert read(again).texts[:5] == found.texts[:5]
    assert "<table" in replace(CHECK, decision=None)._repr_html_()


@pytest.mark.parametrize(
    ("words", "icon"),
    [("can be relied on", "good"), ("not enough evidence", "warn"), ("do not rely on it", "bad")],
)
def test_every_status_has_its_icon(words: str, icon: str) -> None:
    page = replace(CHECK, status=words)._repr_html_()
    assert ICONS[icon] in page
    assert f"<b>{words.capitalize()}</b>" in page
    assert all(other not in page for name, other in ICONS.items() if name != icon)


def test_a_curve_shows_expected_beside_observed() -> None:
    found = read(CURVE)
    at = row(found, "0.5")
    place = 50
    accepted = np.mean(TEST.impostor > CURVE.threshold[place])
    rejected = np.mean(TEST.client <= CURVE.threshold[place])
    band = CURVE.band(resample="test", method="delta")
    expected = [(accepted + rejected) / 2, band.low[place], band.high[place]]
    assert expected == shares(" ".join(at[2:4]))
    single = read(br.epc(DEV, TEST, criterion="eer"))
    assert not any(tag == "svg" for tag, _ in single.tags)


def test_a_ranking_begins_with_its_verdict_and_draws_the_best() -> None:
    found = read(RANKING)
    assert found.texts[0] == f"{RANKING.verdict}."
    alpha = CURVE.alpha
    kept = (alpha >= 0.1 - 1e-12) & (alpha <= 0.9 + 1e-12)
    means = [trapezoid(e.value[kept], alpha[kept]) / 0.8 for e in (CURVE, OTHER)]
    cells = [row(found, name) for name in ("one", "two")]
    assert [[mean] == shares(told[0]) for mean, told in zip(means, cells, strict=True)] == [
        True
    ] * 2
    assert [told[1:4] for told in cells] == [["1", "0", "a"], ["0", "1", "b"]]
    assert [attributes for tag, attributes in found.tags if tag == "svg"]


def test_names_that_are_cut_alike_are_told_apart() -> None:
    long = ["x" * 40 + k + "y" * 40 for k in "ab"]
    curves = dict(zip(long, (CURVE, OTHER), strict=True))
    found = read(br.compare_systems(curves, paired=False, replicates=50, rng=1))
    assert found.texts[0].startswith("\u20681 xxx") or found.texts[0].startswith("1 xxx")
    assert " 2 xxx" in found.texts[0].replace("\u2068", "")


@pytest.mark.simulation
def test_an_analysis_says_what_test_contradicts() -> None:
    worse = scores(5, 500, "worse", better=0.5)
    analysis = br.analyze(DEV, {"same": TEST, "worse": worse}, family="normal")
    found = read(analysis)
    assert any(text.startswith("test 2 worse contradicts dev") for text in found.texts)
    at = found.texts.index("equal error rate, FAR = FRR")
    threshold = FIT.eer().threshold
    assert float(found.texts[at + 1]) == pytest.approx(threshold, rel=1e-3)
    # Three texts per rate of dev (expected, interval, counted), two per rate of a test.
    far, frr = found.texts[at + 12], found.texts[at + 14]
    assert [np.mean(worse.impostor > threshold)] == shares(far)
    assert [np.mean(worse.client <= threshold)] == shares(frr)


# --------------------------------------------------------------------------- all of them
@pytest.mark.simulation
@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_hold_nothing_foreign(name: str) -> None:
    page = BLOCKS[name]._repr_html_()
    found = Text(page)
    assert len(page) < 40_000
    assert not {tag for tag, _ in found.tags} & {"script", "img", "link", "iframe", "foreignobject"}
    for _, attributes in found.tags:
        assert "style" not in attributes
        assert not [key for key in attributes if key.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
    assert page.count("url(") == page.count("url(#")
    assert "@import" not in page
    pictures = [attributes for tag, attributes in found.tags if tag == "svg"]
    assert all(one.get("aria-label") or one.get("aria-hidden") for one in pictures)


@pytest.mark.parametrize("name", BLOCKS)
def test_what_is_drawn_is_seen_on_white_and_on_black(name: str) -> None:
    """Contrast of WCAG 2: 3 for marks; texts and curves have the colour of the page."""
    page = re.sub(r"<style>.*?</style>", "", BLOCKS[name]._repr_html_(), flags=re.DOTALL)
    for icon in ICONS.values():  # white on a tone
        page = page.replace(icon, icon.replace("#fff", "none"))
    for colour in set(re.findall(r"#[0-9a-f]{6}\b", page)) - {"#808080"}:  # the band, a ground
        assert all(contrast(colour, ground) >= 3.0 for ground in ("#ffffff", "#111111")), colour


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        c = np.array(to_rgb(colour))
        linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted(map(light, (one, other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.simulation
def test_names_are_escaped_and_cut() -> None:
    dev, test = (scores(k, 60, NASTY) for k in (1, 2))
    curve = br.epc(dev, test)
    other = br.epc(scores(3, 60), scores(4, 60, "other"))
    nouns = [
        br.fit(dev, "normal"), curve, br.analyze(dev, {NASTY: test}, family="normal"),
        br.compare(curve, other, paired=False, replicates=50, rng=1),
        br.compare_systems({NASTY: curve, "b": other}, paired=False, replicates=50, rng=1),
    ]  # fmt: skip
    for noun in nouns:
        found = read(noun)
        assert [tag for tag, _ in found.tags].count("style") == 1
        assert "script" not in {tag for tag, _ in found.tags}
        assert NASTY not in " ".join(found.texts)
    assert name_shown("x" * 80) == "\u2068" + "x" * 20 + "…" + "x" * 19 + "\u2069"
    assert name_shown("אבג") == "\u2068אבג\u2069"
    assert name_shown("a\u202eb") == r"a\u202eb"


def test_no_notice_is_given_and_what_is_missing_is_said() -> None:
    with pytest.warns(br.SmallSampleWarning):
        few = br.fit(br.Scores([1.0, 2.0, 3.0], [0.0, 1.5]), "normal")
    assert "fewer than 10" in few._repr_html_()
    one = br.Scores([2.0], [1.0])
    with pytest.warns(br.BetarocWarning):
        nouns = br.fit(one, "empirical"), br.epc(DEV, one), br.epc(one, DEV)
    for noun in nouns:
        assert 'class="betaroc"' in noun._repr_html_()
    broken = br.fit(DEV, "normal")
    object.__setattr__(broken, "model", br.ScoreModel(br.Empirical([1.0]), br.Empirical([0.0])))
    assert "AUC" in broken._repr_html_()


class Wrong(br.fit(DEV, "normal").__class__):  # type: ignore[misc]
    def _view(self) -> list[Node]:
        raise br.InputError("scores must be there; got none. Give some.")


def test_what_cannot_be_computed_stands_in_its_place() -> None:
    wrong = object.__new__(Wrong)
    wrong.__dict__.update(FIT.__dict__)
    assert Text(wrong._repr_html_()).texts[-1] == "scores must be there; got none. Give some."


@pytest.mark.simulation
def test_a_block_is_there_at_once() -> None:
    big = scores(1, 20_000)
    for noun in (br.fit(big, "normal"), br.epc(big, scores(2, 20_000)), *BLOCKS.values()):
        noun._repr_html_()
        taken = []
        for _ in range(5):
            start = time.process_time()
            noun._repr_html_()
            taken.append(time.process_time() - start)
        assert min(taken) < 0.3  # 0.1 on a machine that does nothing else


def test_no_picture_library_is_loaded_for_a_text() -> None:
    import subprocess

    code = (
        "import sys, betaroc as br; f = br.fit(br.Scores([.3, .7, .9], [.1, .2, .4]), 'normal');"
        "print(f); print(br.decide(br.Scores(range(9), range(-9, 0)), far=.2));"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == "False"


def test_texts_are_texts() -> None:
    grid = Grid(("<h>",), (Row((Cell("<", ">", note="<n>"),)),))
    folded = Section("<s>", (Words("&"),), folded=True)
    page = html_block(
        [
            Words("<b>", "answer", "<i>"),
            Status("", "a<", "good"),
            Words("&", lead="<x>"),
            grid,
            folded,
        ]
    )
    assert not {"i", "x", "h", "n", "s"} & {tag for tag, _ in Text(page).tags}
    assert "a&lt;" in page
    assert not re.search(r"<h[1-6]", page)  # no heading of the notebook


def test_thresholds_below_zero_have_a_minus_sign() -> None:
    d = br.decide(DEV, frr=0.01)
    assert d.threshold < 0.0
    assert read(d).texts[0].startswith("Threshold \u2212")
