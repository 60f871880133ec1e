"""The report: complete, reproducible, inert whatever names it is given."""

from __future__ import annotations

import dataclasses
import html
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.report import render_report
from betaroc.report.figures import curve_figures

DATA = Path(__file__).resolve().parents[1] / "examples" / "data"
LIVENESS = DATA / "liveness_cross_logreg"

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
#: What a page could do anything with; all else is text, tables and drawings.
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "ul", "li", "section",
    "div", "table", "thead", "tbody", "tr", "th", "td", "bdi", "strong", "sub", "sup", "figure",
    "figcaption", "details", "summary", "footer", "br", "span",
    "svg", "defs", "g", "path", "use", "text", "clippath", "rect", "tspan",
}  # fmt: skip


class Page(HTMLParser):
    """Elements, attributes and visible text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def some_scores(seed: int = 1, name: str | None = None) -> br.Scores:
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 2, 60), rng.beta(2, 4, 70), name=name)


@pytest.fixture(scope="module")
def analysis() -> br.Analysis:
    dev = br.read_scores(LIVENESS / "dev.csv")
    return br.analyze(dev, br.read_scores(LIVENESS / "test_sharpen0.40.csv"))


@pytest.fixture(scope="module")
def text(analysis: br.Analysis) -> str:
    return render_report(analysis)


def assert_inert(text: str) -> None:
    page = Page(text)
    assert {tag for tag, _ in page.tags} <= ALLOWED
    for tag, attributes in page.tags:
        for key, value in attributes.items():
            assert not key.startswith("on"), (tag, key)
            if key in {"href", "xlink:href", "src", "action", "data"}:
                assert value is not None
                assert value.startswith("#"), (tag, value)
            if key == "style":
                assert "url(" not in (value or "").replace("url(#", "")
    assert "javascript:" not in text.lower()
    policies = [a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a]
    assert policies == [POLICY]


def test_page_is_inert_and_asks_for_nothing(text: str) -> None:
    assert_inert(text)
    addresses = set(re.findall(r"https?://[^\s\"'<>]+", text))
    assert addresses <= {"http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"}
    assert "@import" not in text


def test_everything_promised_is_there(analysis: br.Analysis, text: str) -> None:
    page = " ".join("".join(Page(text).text).split())
    fit = analysis.dev.fit
    for piece in (
        "dev.csv", "test_sharpen0.40.csv", "180", "448", "Family: beta",
        f"{fit.client.params['a']:.6g}", f"{fit.impostor.std_errors['b']:.3g}",
        f"{fit.log_likelihood:.6g}", f"{fit.aic:.6g}", f"{fit.model.auc():.5g}",
        f"{analysis.dev.empirical.auc():.5g}", f"{analysis.dev.distances.client:.3g}",
        "above the diagonal", "concave", "J (scores pile up at 1)", "Towards threshold 0",
        "exponent", "They are no test of fit", "FAR 0.1 % by dev’s laws", "test, observed",
    ):  # fmt: skip
        assert piece in page, piece
    # Both classes of both sets, ROC and DET.
    assert text.count("<svg ") == 6
    assert text.count("viewBox=") == 6
    assert 'width="' not in "".join(re.findall(r"<svg [^>]*>", text))


def test_rates_on_test_are_the_counted_ones(analysis: br.Analysis, text: str) -> None:
    from betaroc.analysis.format import percent

    met = analysis.points[0]
    row = "".join(f"<td>{percent(v)}</td>" for v in (met.observed[1].far, met.observed[1].frr))
    assert row in text


def test_two_runs_give_the_same_bytes(analysis: br.Analysis, text: str, tmp_path: Path) -> None:
    dev = br.read_scores(LIVENESS / "dev.csv")
    again = br.analyze(dev, br.read_scores(LIVENESS / "test_sharpen0.40.csv"))
    again.to_html(tmp_path / "two.html")
    assert (tmp_path / "two.html").read_bytes() == text.encode("utf-8")


def test_no_ids_stand_twice_for_different_things(text: str) -> None:
    seen: dict[str, str] = {}
    for found in re.finditer(r'<(?:path|clipPath) id="([^"]+)"[^>]*>(?:\s*<rect[^>]*>)?', text):
        assert seen.setdefault(found.group(1), found.group(0)) == found.group(0)


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</title></style><svg onload=alert(1)>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% for x in y %}",
    "$\\frac{1}{$ cost $5 and $6",
    '=HYPERLINK("http://evil.example","x")',
    "\u202egnp.exe\u2066",
    "zero\u200bwidth\u200d and \x1b[31m red \x00",
    "\udcff not utf-8",
    "👩‍🚀 emoji",
    "-->]]><!--",
    "&lt;b&gt;",
    "x" * 5000,
    "new\nline",
]


def renamed(analysis: br.Analysis, name: str) -> br.Analysis:
    dev, (test,) = analysis.dev, analysis.tests
    dev, test = (dataclasses.replace(part, name=name) for part in (dev, test))
    return dataclasses.replace(analysis, dev=dev, tests=(test,))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_text(
    name: str, analysis: br.Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("betaroc.report.page.histogram_figures", lambda analysis: [[], []])
    monkeypatch.setattr("betaroc.report.page.curve_figures", lambda analysis: [])
    page = render_report(renamed(analysis, name))
    page.encode("utf-8")
    if "javascript:" in name:
        page = page.replace("javascript:", "")
    assert_inert(page)
    assert "49" not in re.findall(r"<h1>.*?</h1>", page, re.S)[0]
    for sign in ("\u202e", "\u2066", "\u200b", "\x1b", "\x00"):
        assert sign not in page


def test_no_foreign_text_enters_a_drawing(analysis: br.Analysis, text: str) -> None:
    page = render_report(renamed(analysis, "<script>alert(1)</script>"))
    drawings = re.compile(r"<svg .*?</svg>", re.S)
    assert drawings.findall(page) == drawings.findall(text)


def test_long_names_are_cut_with_the_whole_in_the_title() -> None:
    name = "a" * 30 + "MIDDLE" + "b" * 30
    page = Page(render_report(br.analyze(some_scores(1, name))))
    titles = [attributes["title"] for tag, attributes in page.tags if tag == "bdi"]
    assert name in titles
    assert not any(name in piece for piece in page.text)
    assert any(piece.startswith("a" * 30) and piece.endswith("…") for piece in page.text)


def test_warnings_are_escaped_and_shown(analysis: br.Analysis) -> None:
    message = "dev: <b>bold</b> & \u202e"
    page = render_report(dataclasses.replace(analysis, warnings=(message,)))
    assert html.escape("dev: <b>bold</b> & ") + "\\u202e" in page
    assert "<b>" not in page


def test_report_without_a_test_set_says_what_the_rates_are() -> None:
    page = "".join(Page(render_report(br.analyze(some_scores()))).text)
    assert "No test set was given" in page


def test_report_of_point_masses_hooks_and_weights() -> None:
    rng = np.random.default_rng(4)
    client = np.concatenate([rng.beta(0.5, 0.4, 80), [1.0] * 20])
    impostor = np.concatenate([rng.beta(0.8, 2.0, 80), [0.0] * 5])
    scores = br.Scores(client, impostor, client_weights=np.full(100, 2.0))
    with pytest.warns(br.BoundaryWarning):
        analysis = br.analyze(scores)
    page = "".join(Page(render_report(analysis)).text)
    for piece in ("with point masses", "P(S = 1) =", "20 of exactly 1", "(weight 200)", "at_zero"):
        assert piece in page


@pytest.mark.parametrize("family", ["empirical", "logit-normal"])
def test_report_of_other_families(family: str) -> None:
    page = render_report(br.analyze(some_scores(), some_scores(2), family=family))
    assert_inert(page)
    assert ("Behaviour of the fitted ROC" in page) == (family != "empirical")


def test_report_of_a_test_set_that_has_no_fit() -> None:
    with pytest.warns(br.BetarocWarning, match="not fitted"):
        analysis = br.analyze(some_scores(), br.Scores([0.8, 0.8], [0.2, 0.2]))
    page = "".join(Page(render_report(analysis)).text)
    assert "not fitted" in page


def test_the_page_answers_for_test_and_names_its_threshold(
    analysis: br.Analysis, text: str
) -> None:
    page = " ".join("".join(Page(text).text).split()).replace("\u00a0", " ")
    mark = f"{analysis.dev.fit.model.eer().threshold:.4g}"
    assert f"test: at dev’s EER threshold {mark}, FAR" in page
    assert page.count(f"dotted line: dev’s EER threshold {mark}") == 4
    assert page.count(f"Dots, all at dev’s EER threshold {mark}") == 2
    assert "examples/data/liveness_cross_logreg/dev.csv"[-20:] in page
    assert "361 rows" in page
    assert "One family serves all sets of the call" in page
    assert "test: its scores against dev’s scores" in page
    assert re.search(r"FRR<sup>0\.\d+</sup>", text)
    assert "fewer than the 1000 of which one is 0.1 %" in page


def test_separated_classes_have_a_sentence_instead_of_an_empty_det() -> None:
    rng = np.random.default_rng(9)
    scores = br.Scores(0.7 + 0.3 * rng.beta(8, 2, 40), 0.3 * rng.beta(2, 8, 40))
    text = render_report(br.analyze(scores))
    page = "".join(Page(text).text)
    assert "No DET is drawn" in page
    assert "Dev’s scores separate the classes" in page
    assert "No impostor of dev lies above it" in page
    assert text.count("<svg ") == 3
    assert " inf FRR" not in page


def test_equal_scores_of_both_classes_have_a_det() -> None:
    """Its two points are ends, yet the straight line between them is chance."""
    page = render_report(br.analyze(br.Scores([0.5] * 12, [0.5] * 12), family="empirical"))
    assert page.count("<svg ") == 4
    assert ">fitted<" not in page


def test_dashed_density_of_dev_is_drawn_for_inflated_fits() -> None:
    rng = np.random.default_rng(4)
    sets = [
        br.Scores(np.append(rng.beta(4, 2, 60), [1.0] * 6), rng.beta(2, 4, 70)) for _ in range(2)
    ]
    with pytest.warns(br.BoundaryWarning):
        text = render_report(br.analyze(*sets))
    drawings = re.findall(r"<svg .*?</svg>", text, re.S)
    assert ["stroke-dasharray: 3.7" in svg for svg in drawings[:2]] == [False, True]


def test_scores_next_to_one_are_told_from_one() -> None:
    scores = br.Scores([0.4, 0.7, 1.0 - 3e-9] * 4, [0.1, 0.2, 0.5] * 4)
    assert "<td>1 - 3e-09</td>" in render_report(br.analyze(scores))


def test_long_paths_are_cut_at_their_start(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 70) / "<b>"
    folder.mkdir(parents=True)
    path = folder / "dev.csv"
    path.write_bytes((LIVENESS / "dev.csv").read_bytes())
    text = render_report(br.analyze(br.read_scores(path)))
    assert html.escape(str(path)) in text
    assert re.search(r">…x{10,}/&lt;b&gt;/dev\.csv<", text)


def test_many_sets_are_named_once_and_differ_in_colour() -> None:
    analysis = br.analyze(some_scores(), {f"t{k}": some_scores(k + 2) for k in range(8)})
    roc, det = (figure.svg for figure in curve_figures(analysis))
    for svg in (roc, det):
        named = re.findall(r">((?:dev|test)[^<]*)</text>", svg)
        assert sorted(named) == ["dev", *(f"test {k}" for k in range(1, 9))]
        assert len(set(re.findall(r"stroke: (#[0-9a-f]{6}); stroke-width: 1.8", svg))) == 9


def test_many_tests_are_all_drawn() -> None:
    analysis = br.analyze(some_scores(), {f"t{k}": some_scores(k + 2) for k in range(3)})
    page = render_report(analysis)
    assert page.count("<svg ") == 2 * 4 + 2
    assert "test 3, observed" in page


def test_unwritable_report_keeps_the_old_one(analysis: br.Analysis, tmp_path: Path) -> None:
    with pytest.raises(br.OutputError):
        analysis.to_html("/dev/full")
    folder = tmp_path / "a folder"
    folder.mkdir()
    with pytest.raises(br.OutputError):
        analysis.to_html(folder)
    with pytest.raises(br.OutputError):
        analysis.to_html(tmp_path / "nowhere" / "out.html")
    assert [p.name for p in tmp_path.iterdir()] == ["a folder"]
