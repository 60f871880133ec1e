"""The frame of every page, what its policy allows, and the page of a study."""

import base64
import hashlib
import re

import nbformat
import numpy as np
import pytest
from matplotlib import figure
from matplotlib.backends.backend_agg import FigureCanvasAgg
from nbclient import NotebookClient

import betaroc as br
from betaroc.rendering.files import draw_moving_svg
from betaroc.rendering.tree import Figure, Section
from betaroc.rendering.tree_html import html_of, page_frame
from helpers.pages import asks_for_nothing, assert_inert

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


@pytest.mark.simulation
def test_styles_of_drawings_become_attributes():
    drawn = (
        '<svg viewBox="0 0 1 1"><style type="text/css">*{stroke-linejoin: round}</style>'
        '<path d="M0 0" style="fill: none; stroke: #e4e4e4; clip-path: url(#p1)"/>'
        "<text style=\"font: bold 9px 'DejaVu Sans', sans-serif; text-anchor: end\">x</text>"
        "</svg>"
    )
    found = html_of([Section("", (Figure(drawn, "style="),))])
    assert "<style" not in found
    assert '<svg stroke-linejoin="round" stroke-linecap="butt" viewBox="0 0 1 1">' in found
    assert '<path d="M0 0" fill="none" stroke="var(--hair)" clip-path="url(#p1)"/>' in found
    assert '<text font-weight="bold" font-size="9px" text-anchor="end">x</text>' in found


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


def self_contained(text):
    page = assert_inert(text)
    asks_for_nothing(text)
    assert "script" not in {tag for tag, _ in page.tags}
    (policy,) = [a["content"] for _, a in page.tags if "http-equiv" in a]
    assert "script-src 'none'" in str(policy)
    keys = {a["id"] for _, a in page.tags if "id" in a}
    assert {str(a["href"])[1:] for tag, a in page.tags if tag == "a"} <= keys
    return page


DESIGN = {"a_c": [2.0, 3.0], "b_c": 1.0, "a_i": 1.0, "b_i": 2.0, "n": 40}


@pytest.mark.simulation
def test_the_page_of_a_study_says_what_the_summary_holds(tmp_path):
    names = ["true.auc", "fit.auc", "true.global-shape"]
    study = br.Study(DESIGN, names, folder=tmp_path / "study", replicates=6, rng=1)
    result = study.run()
    result.to_html(tmp_path / "study.html")
    text = (tmp_path / "study.html").read_text(encoding="utf-8")
    page = self_contained(text)
    rows = {row[0].strip(): [cell.strip() for cell in row] for row in page.rows if len(row) == 6}
    assert rows["true.auc"][1:] == ["all 2 complete", "0.8333", "0.8667", "0.9", "0"]  # 5/6, 9/10
    mean = result.summary().query("statistic == 'fit.auc'")["mean"]
    assert rows["fit.auc"][2:5] == [f"{x:.4g}" for x in (mean.min(), mean.median(), mean.max())]
    assert re.search(r"Means of true.global-shape=proper.*?</svg>", text, re.S)
    for words in ("2 cells with 6 replicates each; a_c varies", "12 trials have", "folder: study"):
        assert words in "".join(page.text)
    assert str(tmp_path) not in text  # the same study has the same bytes elsewhere


@pytest.mark.simulation
def test_a_study_that_failed_says_so(tmp_path):
    def fails(trial):
        raise ValueError("<b>no</b>")

    page = tmp_path / "x.html"
    asked = {"</script><script>x=1</script>": fails}
    br.Study(DESIGN, asked, replicates=2, rng=1).run().to_html(page)
    text = page.read_text(encoding="utf-8")
    self_contained(text)
    for words in ("study in memory", "4 trials failed", "&lt;b&gt;no&lt;/b&gt;"):
        assert words in text


NASTY = '</style><script>alert(1)</script>" onload="x אבג ' + "y" * 40


def scores(seed=1, n=400, name=None, better=2.0):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.normal(better, 1, n), rng.normal(0, 1, n), name=name)


@pytest.mark.simulation
@pytest.mark.usefixtures("few")
def test_blocks_hold_nothing_foreign():
    dev, test = scores(name=NASTY, n=60), scores(2, 60, NASTY)
    curve, decision = br.epc(dev, test), br.decide(dev, far=0.1)
    other = br.epc(scores(3, 60, better=1.0), scores(4, 60, "other", better=1.0))
    for noun in (
        br.fit(dev, "normal"), curve, decision.check(test),
        br.analyze(dev, {NASTY: test}, family="normal"),
        br.compare_systems({NASTY: curve, "b": other}, paired=False, replicates=50, rng=1),
    ):  # fmt: skip
        text = noun._repr_html_()
        assert len(text) < 40_000
        page = assert_inert(text)
        asks_for_nothing(text)
        assert "script" not in {tag for tag, _ in page.tags}
        assert NASTY not in " ".join(page.text)
        pictures = [attributes for tag, attributes in page.tags if tag == "svg"]
        assert all(one.get("aria-label") or one.get("aria-hidden") for one in pictures)


@pytest.mark.simulation
def test_no_notice_is_given_and_what_is_missing_is_said():
    with pytest.warns(br.SmallSampleWarning):
        few = br.fit(br.Scores([1.0, 2.0, 3.0], [0.0, 1.5]), "normal")
    assert "fewer than 10" in few._repr_html_()
    dev, one = scores(n=60), br.Scores([2.0], [1.0])
    with pytest.warns(br.BetarocWarning):
        made = br.fit(one, "empirical"), br.epc(one, dev)
    for noun in made:
        noun._repr_html_()


BEGIN = """
import numpy as np
import betaroc as br

rng = np.random.default_rng(1)
dev, test = (br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n), name="demo") for n in (200, 300))
fit, curve = br.fit(dev), br.epc(dev, test)
decision = br.decide(dev, far=0.05)
"""
FIGURES = "from matplotlib import pyplot\npyplot.get_fignums()"
PICTURES = ("fit.plot()", "decision.plot()")


@pytest.mark.nightly
def test_pictures_show_once_each(monkeypatch):
    monkeypatch.delenv("MPLBACKEND")
    cells = [BEGIN, *PICTURES, "ax = fit.plot();", FIGURES, "fit.summary()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(notebook, timeout=60).execute()
    outputs = [[one.get("data", {}) for one in cell.outputs] for cell in notebook.cells]
    shown = {
        code: sum("image/png" in one for one in found)
        for code, found in zip(cells[1:-2], outputs[1:-2], strict=True)
    }
    assert shown == dict.fromkeys(cells[1:-2], 1)
    assert outputs[-2][0]["text/plain"] == "[]"  # what was shown is closed
    assert "std err" in outputs[-1][0]["text/html"]
    assert not any("stderr" == one.get("name") for cell in notebook.cells for one in cell.outputs)
