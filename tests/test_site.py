"""The site: every page has its place, every public name its page, and nothing is fetched."""

import re
import tomllib

import pytest

import betaroc as br
import betaroc.sklearn as doors
from helpers.places import ROOT

DOCS = ROOT / "docs"
MODULES = (br, br.results, br.errors, br.datasets, doors)
CONF = (DOCS / "conf.py").read_text(encoding="utf-8")
#: Made by the build.
MADE = {DOCS / "gallery" / "index.md"}
PAGES = sorted(
    path
    for path in DOCS.rglob("*.md")
    if not {"gallery", "generated"} & set(path.relative_to(DOCS).parts)
)
TOCTREE = re.compile(r"^(`{3,}|:{3,})\{toctree\}\n(.*?)^\1$", re.M | re.S)
AUTOSUMMARY = re.compile(r"^   (betaroc\.[\w.]+)$", re.M)


def entries(page):
    """The pages that the toctrees of a page name."""
    lines = "\n".join(found[2] for found in TOCTREE.finditer(page.read_text(encoding="utf-8")))
    names = [line.strip() for line in lines.splitlines() if line.strip()[:1] not in ("", ":")]
    names = [re.sub(r".*<(.*)>", r"\1", name) for name in names]
    return [(page.parent / f"{name}.md").resolve() for name in names]


def test_every_page_has_its_place_and_every_public_name_its_pages():
    named = [entry for page in PAGES for entry in entries(page)]
    assert len(named) == len(set(named))
    assert {*named, DOCS / "index.md"} - MADE == set(PAGES)
    pages = sorted((DOCS / "reference").glob("*.md"))
    named = [name for p in pages for name in AUTOSUMMARY.findall(p.read_text(encoding="utf-8"))]
    public = [f"{module.__name__}.{name}" for module in MODULES for name in module.__all__]
    assert sorted(named) == sorted(public)
    words = {page.stem: len(shown(page).split()) for page in PAGES if narrative(page)}
    assert {stem: n for stem, n in words.items() if n > MOST_WORDS} == {}
    text = "\n".join(shown(page) for page in PAGES if narrative(page))
    words = set(re.findall(r"\w+", text))
    assert {name for module in MODULES for name in module.__all__} - words == set()


def test_every_error_and_warning_is_public():
    found = {*(roots := [br.errors.BetarocError, br.errors.BetarocWarning])}
    for root in roots:
        found |= set(root.__subclasses__())
        roots += root.__subclasses__()
    ours = {kind.__name__ for kind in found if kind.__module__ == "betaroc.core.errors"}
    assert ours == set(br.errors.__all__)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_fetches_nothing(page):
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"!\[[^\]]*\]\(\s*<?(?:https?:)?//", text)
    assert not re.search(r"<(?:script|link|img|iframe)\b[^>]*//", text)
    assert not re.search(r"\{(?:image|figure|iframe)\}\s*(?:https?:)?//", text)


def test_the_configuration_fetches_nothing():
    assert "://" not in CONF
    assert "intersphinx" not in CONF
    assert "mathjax" not in CONF
    assert 'html_math_renderer = "mathml"' in CONF
    assert "nitpicky = True" in CONF
    styles = "".join(p.read_text(encoding="utf-8") for p in (DOCS / "_static").glob("*.css"))
    assert not re.search(r"//|@import", re.sub(r"/\*.*?\*/", "", styles, flags=re.S))


#: What is looked up, or was measured; every other page is read through.
LONG = {"conventions", "validation", "performance", "papers", "case_study", "atlas"}
MOST_WORDS = 1500


def shown(page):
    """A page as its reader sees it: without hidden blocks."""
    return re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.S)


def narrative(page):
    return page.parent.name != "reference" and page.stem not in LONG


def test_docstrings_cite_formulas_and_pages_that_there_are():
    theory = (DOCS / "theory.md").read_text(encoding="utf-8")
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "betaroc").rglob("*.py"))
    cited = re.findall(r"docs/theory\.md, ((?:\(\d+\)(?: and )?)+)", sources)
    numbers = {int(n) for text in cited for n in re.findall(r"\d+", text)}
    assert numbers == set(range(1, theory.count(":label:") + 1)) - {3}  # of which (4) to (6) follow
    named = set(re.findall(r"\bdocs/(\w+\.md)\b", sources))
    assert {name for name in named if not (DOCS / name).is_file()} == set()


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_releases_are_pinned_the_archive_is_whole_and_the_paper_has_its_sections():
    job = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    installs = [line for line in job.splitlines() if " pip install " in line]
    assert installs
    for line in installs:
        assert "--only-binary :all:" in line
        assert "--require-hashes" in line or "dist/*.whl" in line  # the wheel just built
    assert "-m build --no-isolation" in job
    listed = (ROOT / ".github" / "release.txt").read_text(encoding="utf-8")
    pins = re.findall(r"^([\w-]+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}$", listed, re.M)
    assert len(pins) == len(re.findall(r"^[\w-]+==", listed, re.M))
    assert {"build", "hatchling", "cyclonedx-bom"} <= set(pins)
    packed = set(PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"])
    assert {"SECURITY.md", "CODE_OF_CONDUCT.md", "noxfile.py", "paper", "conda"} <= packed
    assert {".ci", ".github", ".pre-commit-config.yaml", "CITATION.cff", "tests"} <= packed
    assert {name for name in packed if not (ROOT / name).exists()} == set()
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    assert re.findall(r"^# (.*)$", text, re.M) == SECTIONS
    assert 750 <= len(text.split()) <= 1750
    works = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+\d{4})", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", works, re.M))


#: Of the Journal of Open Source Software, in its order (docs/paper.md of its repository).
SECTIONS = [
    "Summary", "Statement of need", "State of the field", "Software design",
    "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
]  # fmt: skip


def test_every_picture_has_a_text_in_its_place():
    pages = [*ROOT.glob("*.md"), *(ROOT / "examples").glob("*.md"), *(ROOT / "paper").glob("*.md")]
    pages += [p for p in (ROOT / "docs").rglob("*.md") if "gallery" not in p.parts]
    pictures = [
        (page.name, found[2], found[1].strip())
        for page in pages
        for found in re.finditer(r"!\[([^\]]*)\]\(([^)]*)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(pictures) >= 16
    assert [picture for picture in pictures if len(picture[2].split()) < 5] == []
    for page in pages:
        text = page.read_text(encoding="utf-8")
        raw = re.findall(r"<img\b[^>]*>", text) + re.findall(r"\{(?:image|figure)\}", text)
        assert raw == [], page.name
