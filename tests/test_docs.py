"""Whatever is shown is executed: README, pages of docs/, scripts of examples/."""

import doctest
import re
import runpy
import sys

import pytest

import betaroc
import betaroc.sklearn as doors
from helpers.places import ROOT, script

SCRIPTS = sorted((ROOT / "examples").glob("*.py"))

build = script(ROOT / "docs" / "build.py")
pytestmark = pytest.mark.docs
PAGES = build.pages()


def named(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=map(named, PAGES))
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


#: Of these pages run the parts.
AT_NIGHT = {"07_liveness_case_study.py", "11_central_experiment.py"}


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(s, id=named(s), marks=pytest.mark.nightly if s.name in AT_NIGHT else ())
        for s in SCRIPTS
    ],
)
def test_example_runs(script, tmp_path, monkeypatch):
    """In this process, where packages are loaded already; a warning is an error here too."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(script.parent))
    monkeypatch.setattr(sys, "argv", [str(script)])
    runpy.run_path(str(script), run_name="__main__")


SVM = ROOT / "examples" / "data" / "liveness_cross_svmdecision" / "dev.csv"


def test_first_example_fails_on_one_line_and_takes_other_scores(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["example", str(SVM), str(tmp_path)])
    runpy.run_path(str(SCRIPTS[0]), run_name="__main__")
    assert (tmp_path / "roc.png").is_file()
    monkeypatch.setattr(sys, "argv", ["example", str(SVM), str(tmp_path), "--family", "beta"])
    with pytest.raises(SystemExit, match=r"^[^\n]*must lie in \[0, 1\][^\n]*$"):
        runpy.run_path(str(SCRIPTS[0]), run_name="__main__")


def test_outputs_are_replaced_and_the_namespace_is_shared(tmp_path):
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


def test_a_warning_in_a_page_is_an_error(tmp_path):
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


#: Every public method that draws, and what it may be asked to draw.
PICTURES = {
    *(("Fit", kind) for kind in ("roc", "histogram", "densities", "qq", "pp", "tails")),
    *(("Fit", kind) for kind in ("calibration", "decision-curve")), ("CostCurve", ""),
    ("Epsc", ""), ("Tandem", ""), ("Categories", ""),
    *((name, "") for name in ("Scores", "ScoreModel", "Roc", "Det", "PrecisionRecall", "Band")),
    *((name, "") for name in ("Epc", "Comparison", "Inclusion", "Interval", "FitCheck")),
    *((name, "") for name in ("Decision", "DecisionCheck", "ScoreSummary", "StrataTable")),
    *(("StrataFits", kind) for kind in ("roc", "det", "panels")),
    *((name, "") for name in ("SystemsComparison", "RocDisplay", "DetDisplay", "EpcDisplay")),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*do not describe these scores:betaroc.MisfitWarning")
def test_the_gallery_shows_every_picture(monkeypatch):
    from matplotlib import pyplot as plt

    monkeypatch.setenv("MPLBACKEND", "Agg")
    drawn = set()
    model = betaroc.ScoreModel(betaroc.Normal(1, 1), betaroc.Normal(0, 1))
    held = [getattr(module, name) for module in (betaroc, betaroc.results, doors)
            for name in module.__all__]  # fmt: skip
    held += [type(model.det()), type(model.precision_recall())]
    kinds = [thing for thing in held if isinstance(thing, type) and hasattr(thing, "plot")]
    drawing = [kind for kind in kinds if kind is not betaroc.results.EpcAverage]  # an Interval
    for kind in drawing:

        def plot(self, *given, _plot=kind.plot, **named):
            asked = given[0] if given and isinstance(given[0], str) else ""
            drawn.add((type(self).__name__, asked))
            return _plot(self, *given, **named)

        monkeypatch.setattr(kind, "plot", plot)  # fmt: skip
    for path in sorted((ROOT / "docs" / "gallery_scripts").glob("*.py")):
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
        plt.close("all")
    assert drawn == PICTURES
    assert {kind.__name__ for kind in drawing} == {name for name, _ in PICTURES}


def test_the_example_of_the_scorer_runs():
    """It is a value, whose docstring doctest does not find."""
    text = doors.hter_scorer.__doc__
    example = doctest.DocTestParser().get_doctest(text, {}, "hter_scorer", None, None)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert (runner.failures, runner.tries) == (0, 4)
