"""What is published beside the code: metadata, sources, paper, pictures, releases."""

import re
import tomllib

from helpers.places import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_what_a_release_installs_is_pinned_by_its_hash():
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


def test_the_archive_of_the_sources_names_what_a_fork_needs():
    packed = set(PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"])
    assert {"SECURITY.md", "CODE_OF_CONDUCT.md", "noxfile.py", "paper", "conda"} <= packed
    assert {".ci", ".github", ".pre-commit-config.yaml", "CITATION.cff", "tests"} <= packed
    assert {name for name in packed if not (ROOT / name).exists()} == set()


#: Of the Journal of Open Source Software, in its order (docs/paper.md of its repository).
SECTIONS = [
    "Summary", "Statement of need", "State of the field", "Software design",
    "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
]  # fmt: skip


def test_the_paper_has_the_sections_and_the_length_that_its_journal_asks_for():
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8").split("---\n", 2)[2]
    assert re.findall(r"^# (.*)$", text, re.M) == SECTIONS
    assert 750 <= len(text.split()) <= 1750
    works = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+\d{4})", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", works, re.M))


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
