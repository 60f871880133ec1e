"""The page of a study: self-contained, without a script, whole or not at all."""

import re

import pytest

import betaroc as br
from betaroc.studies.result import StudyResult, read_study
from helpers.pages import asks_for_nothing, assert_inert


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
    br.Study(DESIGN, {"x": fails}, replicates=2, rng=1).run().to_html(page)
    text = page.read_text(encoding="utf-8")
    self_contained(text)
    for words in ("study in memory", "4 trials failed", "&lt;b&gt;no&lt;/b&gt;"):
        assert words in text
    br.Study(DESIGN, ["true.auc"], folder=tmp_path / "s", rng=1).run()
    found = read_study(tmp_path / "s")
    StudyResult(found.folder, found.names, found.rows + 3).to_html(page)
    assert "3 trials are not computed yet" in page.read_text(encoding="utf-8")
