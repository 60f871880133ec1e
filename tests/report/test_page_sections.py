"""The sections of the report in a browser: folded, opened by a link, readable when open."""

import re

import pytest

from helpers.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

SECTIONS = ["curves", "points", "epc", "ends", "checks", "families", "sensitivity", "read",
            "glossary"]  # fmt: skip
OPEN = "[...document.querySelectorAll('details[open]')].map(one => one.id)"
WIDTH = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
#: Texts whose contrast with what is behind them is below that of WCAG 2.2 AA.
FAINT = """(() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = parts(colour).slice(0, 3).map(v => v / 255).map(
      v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (parts(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  return [...document.querySelectorAll(".wrap *")].filter(own).filter(e => {
    const style = getComputedStyle(e), text = e.closest("svg") ? style.fill : style.color;
    const both = [light(text), light(ground(e))].sort((a, b) => a - b);
    return (both[1] + 0.05) / (both[0] + 0.05) < 4.5;
  }).map(e => e.outerHTML.slice(0, 80));
})()"""


@pytest.mark.simulation
def test_sections_are_folded_opened_by_their_link_and_readable(text, tmp_path):
    keys = re.findall(r'<details class="sec" id="(\w+)">', text)
    assert keys == SECTIONS
    assert re.findall(r'<li><a href="#(\w+)-in">', text) == SECTIONS
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    with Browser() as browser:
        browser.open(path)
        assert browser.value(OPEN) == []
        browser.value("location.hash = '#points-in'")
        assert browser.value(OPEN) == ["points"]
        browser.value("document.querySelectorAll('details').forEach(one => one.open = true)")
        for width in (360, 768, 1280):
            browser.look(width)
            needed, there = browser.value(WIDTH)
            assert needed <= there, width
        for scheme in ("light", "dark"):
            browser.look(1280, scheme)
            assert browser.value(FAINT) == [], scheme
        assert (len(browser.requests), browser.said) == (1, [])  # the page itself alone
