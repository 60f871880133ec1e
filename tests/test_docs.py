"""Whatever is shown is executed: README, pages of docs/, scripts of examples/."""

import doctest
import re
import runpy
import sys

import pytest
from matplotlib import pyplot as plt

import betaroc.sklearn as doors
from helpers.places import ROOT, script

SCRIPTS = [
    path
    for place in ("examples", "docs/gallery_scripts")
    for path in sorted(ROOT.glob(f"{place}/*.py"))
]

build = script(ROOT / "docs" / "build.py")
pytestmark = pytest.mark.docs
PAGES = build.pages()


def named(path):
    return path.relative_to(ROOT).as_posix()


#: What takes long: pages, and examples.
AT_NIGHT = {
    "central.md", "case_study.md", "ensembles.md", "folds.md", "planning.md", "report.md",
    "07_liveness_case_study.py", "08_ensemble.py", "10_scikit_learn.py", "11_central_experiment.py",
    "12_method_of_fitting.py", "13_figures_of_the_papers.py",
}  # fmt: skip


def by_night(paths):
    """Parameters, of which some are for the night."""
    late = {path for path in paths if path.name in AT_NIGHT or "gallery" in path.parent.name}
    return [
        pytest.param(path, id=named(path), marks=[pytest.mark.nightly] * (path in late))
        for path in paths
    ]


@pytest.mark.parametrize("page", by_night(PAGES))
def test_page_prints_what_it_shows(page):
    shown = page.read_text(encoding="utf-8")
    assert build.regenerated(page) == shown, "run: python docs/build.py"


def anchors(page):
    """What a link into a page may name: its headings, as sites spell them."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.*)$", prose, re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=map(named, PAGES))
def test_links_of_a_page_lead_somewhere(page):
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", prose)
    local = [link for link in links if "://" not in link[0] and "mailto:" not in link[0]]
    places = [(page.parent / target if target else page, anchor) for target, anchor in local]
    assert [place for place, _ in places if not place.exists()] == []
    into = [(place, anchor) for place, anchor in places if anchor and place.suffix == ".md"]
    assert [(place, anchor) for place, anchor in into if anchor not in anchors(place)] == []


@pytest.mark.parametrize("page", PAGES, ids=map(named, PAGES))
def test_what_a_page_names_is_there(page):
    """Tests, and the scripts that make it."""
    places = re.findall(r"\btests/\w[\w/]*\.py\b", page.read_text(encoding="utf-8"))
    places += [place for place, *_ in build.makers(page)]
    assert [place for place in places if not (ROOT / place).is_file()] == []


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.parametrize("script", by_night(SCRIPTS))
def test_example_runs(script, tmp_path, monkeypatch):
    """In this process, where packages are loaded already; a warning is an error here too."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(script.parent))
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")
    plt.close("all")


def test_outputs_are_replaced_the_namespace_is_shared_and_a_warning_is_an_error(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 2\n```\n\n```python\nprint(x + 1)\n```\n\n```text\nstale\n```\n"
        "<!-- python\nprint('| a |\\n|---|')\n-->\n<!-- begin output -->\n<!-- end output -->\n"
    )
    assert build.regenerated(page) == (
        "```python\nx = 2\n```\n\n```python\nprint(x + 1)\n```\n\n```text\n3\n```\n"
        "<!-- python\nprint('| a |\\n|---|')\n-->\n"
        "<!-- begin output -->\n\n| a |\n|---|\n\n<!-- end output -->\n"
    )
    page = tmp_path / "page.md"
    page.write_text("```python\nimport warnings\nwarnings.warn('loud')\n```\n")
    with pytest.raises(UserWarning, match="loud"):
        build.regenerated(page)


#: Words that no user needs to know (beside those of the API, such as "hook-at-zero").
NEVER = re.compile(
    r"\bpromis|\bmet on\b|\blamps?\b|strict end|lax end|\bhangs? on\b|\bnowhere\b"
    r"|as was asked for|\bundecided\b|gone on with|what tells apart"
    r"|(are|is|scores|something) to meet\b"
    r"|\ban? (row|line|file|page|class|family|call|column|point|score|trial|user|group|cell|system"
    r"|test) an? \w+|\ba (row|line) each\b|\bor go on\b"
    r"|\b(scores|trials|distributions?) a (class|stratum|set|system)\b", re.IGNORECASE,
)  # fmt: skip


def test_words_that_no_user_sees():
    rooms = [ROOT / name for name in ("docs", "examples", "betaroc")]
    paths = [ROOT / "README.md", *(p for room in rooms for p in sorted(room.rglob("*")))]
    found = [
        f"{path.relative_to(ROOT)}:{k}: {line.strip()}"
        for path in paths if path.suffix in {".md", ".py", ".j2"}
        for k, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if NEVER.search(line)
    ]  # fmt: skip
    assert found == []


def test_the_example_of_the_scorer_runs():
    """It is a value, whose docstring doctest does not find."""
    text = doors.hter_scorer.__doc__
    example = doctest.DocTestParser().get_doctest(text, {}, "hter_scorer", None, None)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert (runner.failures, runner.tries) == (0, 4)
