"""Notebooks: blocks say what the nouns hold and nothing foreign, pictures show once each."""

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import betaroc as br
from helpers.pages import asks_for_nothing, assert_inert

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
