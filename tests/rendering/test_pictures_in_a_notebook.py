"""Pictures show in a real notebook, as its user would write the cells."""

import nbformat
import pytest
from nbclient import NotebookClient

BEGIN = """
import numpy as np
import betaroc as br

rng = np.random.default_rng(1)
dev, test = (br.Scores(rng.beta(4, 2, n), rng.beta(2, 4, n), name="demo") for n in (200, 300))
fit, curve = br.fit(dev), br.epc(dev, test)
decision = br.decide(dev, far=0.05)
"""
PICTURES = ("fit.plot()", "dev.plot(bins=10)", "decision.plot()", "fit.interval('auc').plot()")
#: The same with nothing on the last line, and one that a user draws on axes of theirs.
SILENT = (
    "ax = fit.plot();",
    "from matplotlib import pyplot as plt\nfigure, ax = plt.subplots()\nax = dev.plot(ax)",
)


@pytest.mark.simulation
def test_pictures_show_once_each(monkeypatch):
    monkeypatch.delenv("MPLBACKEND")
    drawn = [*PICTURES, *SILENT]
    cells = [BEGIN, *drawn, "plt.get_fignums()", "fit.summary()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    NotebookClient(notebook, timeout=60).execute()
    outputs = [[one.get("data", {}) for one in cell.outputs] for cell in notebook.cells]
    shown = {
        code: sum("image/png" in one for one in found)
        for code, found in zip(drawn, outputs[1:-2], strict=True)
    }
    assert shown == dict.fromkeys(drawn, 1)
    assert outputs[-2][0]["text/plain"] == "[]"  # what was shown is closed
    summary = outputs[-1][0]
    assert "std err" in summary["text/html"]
    assert "\\toprule" in summary["text/latex"]
    assert not any("stderr" == one.get("name") for cell in notebook.cells for one in cell.outputs)
