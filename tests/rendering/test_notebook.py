"""Blocks in a notebook: what they say is what the nouns hold, and nothing of them is foreign."""

from __future__ import annotations

import re
import sys
import time
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import betaroc as br
from betaroc.rendering.numbers import name_shown
from betaroc.rendering.tree import Node
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


# ------------------------------------------------------------------------------ one by one
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
