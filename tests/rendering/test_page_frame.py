"""The frame of every page: what its policy allows, and colours that can be read."""

import base64
import hashlib
import re

import numpy as np
import pytest
from matplotlib import figure
from matplotlib.backends.backend_agg import FigureCanvasAgg

from betaroc.rendering.files import draw_moving_svg
from betaroc.rendering.tree import Figure, Section
from betaroc.rendering.tree_html import html_of, page_frame

PAGE = page_frame("a <b> title", "<p>body</p>\n", "foot")


def hashed(tag):
    (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", PAGE, re.S)
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def test_the_policy_allows_this_style_and_this_script_alone():
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', PAGE)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    none = dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")
    hashes = {"style-src": hashed("style"), "script-src": hashed("script")}
    assert rules == {"img-src": "data:", **none, **hashes}
    assert "a &lt;b&gt; title" in PAGE
    assert not re.search(r"https?:|@import|url\(", PAGE)


def test_styles_of_drawings_become_attributes():
    drawn = (
        '<svg viewBox="0 0 1 1"><style type="text/css">*{stroke-linejoin: round}</style>'
        '<path d="M0 0" style="fill: none; stroke: #e4e4e4; clip-path: url(#p1)"/>'
        "<text style=\"font: bold 9px 'DejaVu Sans', sans-serif; text-anchor: end\">x</text>"
        "<tspan style=\"font-family: 'STIX'\">y</tspan></svg>"
    )
    found = html_of([Section("", (Figure(drawn, "style="),))])
    assert "<style" not in found
    assert '<svg stroke-linejoin="round" stroke-linecap="butt" viewBox="0 0 1 1">' in found
    assert '<path d="M0 0" fill="none" stroke="var(--hair)" clip-path="url(#p1)"/>' in found
    assert '<text font-weight="bold" font-size="9px" text-anchor="end">x</text>' in found
    assert "<tspan font-family=\"'STIX'\">y</tspan>" in found


@pytest.mark.simulation
def test_marks_of_a_slider_stand_where_the_data_are():
    """On axes from 0 to 10 and from 1 to 1000 by decades, 2.5 is a quarter and 10 a third."""

    def draw():
        ax = figure.Figure().subplots()
        FigureCanvasAgg(ax.figure)
        ax.set(xlim=(0.0, 10.0), ylim=(1.0, 1000.0), yscale="log")
        return ax

    x, y = np.array([2.5, 10.0, np.inf]), np.array([10.0, 1000.0, 0.0])
    svg, places = draw_moving_svg(draw, "marks", [("a", x, y, 0, False)])
    found = dict(places)
    assert found["ax"] == (25.0, 100.0, 100.0)
    assert found["ay"] == pytest.approx((66.67, 0.0, 100.0), abs=0.01)
    assert 'cx="25.0%" cy="66.67%" data-place="cx:ax cy:ay"' in svg
    view = [float(size) for size in re.search(r'viewBox="([^"]+)"', svg)[1].split()]
    frame = [float(size) for size in re.findall(r'="([\d.]+)"', svg[svg.index('class="mv"') :])[:4]]
    assert frame[0] + frame[2] <= view[2]
    assert frame[1] + frame[3] <= view[3]
