"""A tree of a result: what a terminal and a page make of the same sections."""

from __future__ import annotations

import math
import re

import pytest

from betaroc.rendering.numbers import percent
from betaroc.rendering.table_text import csv_table, kept_of, latex_table
from betaroc.rendering.tree import (
    Bullets,
    Cell,
    Column,
    Figure,
    Figures,
    Glossary,
    Grid,
    Group,
    Name,
    Row,
    Section,
    Status,
    Words,
    apart,
    as_named,
    foreign,
    quantity,
    recorded,
)
from betaroc.rendering.tree_html import html_of, prose_of
from betaroc.rendering.tree_text import text_of

SVG = (
    '<svg viewBox="0 0 1 1" role="img"><path style="stroke: #0072b2; fill: #ffffff"/>'
    '<path style="stroke: #123456"/></svg>'
)
GRID = Grid(
    ("rate", "value", "verdict"),
    (
        Group("at 0.5", "few"),
        Row(("FAR", quantity(0.31, percent, 0.27, 0.35), "good")),
        Row((foreign("<b>x"), Cell("-1.1 %"), "cannot tell")),
    ),
    words=(2,),
)
TREE = [
    Section(
        "ROC’s end",
        (
            Words("TNR ~ K FRR^0.5, dF_i/dF_c <inf>"), Words("long", "legend"), GRID,
            Bullets(("one", "two")), Figures((Figure(SVG, "a curve", 'it "rises"'),)),
            Section("Inner", (Status("fit", "poor", "poor", "too far.", "More."),)),
            Glossary((("FAR", "a share"),)),
        ),
        "AUC 0.9", "roc", folded=True,
    ),
    Section("Nothing but pictures", (Figure("", "none"),)),
]  # fmt: skip


def test_a_quantity_has_its_unit_once_and_knows_its_numbers() -> None:
    cell = quantity(0.31, percent, 0.27, 0.35, n_beyond=4.0)
    assert (cell.text, cell.span) == ("31 %", "27 to 35 %")
    assert (cell.value, cell.low, cell.high, cell.n_beyond) == (0.31, 0.27, 0.35, 4.0)
    assert quantity(2.0, str, 1.0, 3.0, text="two").text == "two"
    assert quantity(2.0, str).span == ""
    assert math.isnan(Cell("x").value)


@pytest.mark.parametrize(
    ("text", "path", "short"),
    [
        ("a" * 32, False, "a" * 32),
        ("a" * 20 + "b" * 20, False, "a" * 20 + "b" + "…" + "b" * 10),
        ("x" * 70 + "/dev.csv", True, "…" + "x" * 51 + "/dev.csv"),
        ("\u202egnp.exe\n", False, "\\u202egnp.exe\\x0a"),
    ],
)
def test_foreign_names_are_cut_and_kept_whole(text: str, path: bool, short: str) -> None:
    name = foreign(text, path=path)
    assert name.short == short
    assert len(name.short) <= (60 if path else 32)
    assert len(foreign("y" * 5000).whole) == 2000


def test_the_terminal_has_lines_that_stand_below_each_other() -> None:
    assert text_of(TREE) == (
        "ROC's end: AUC 0.9\n"
        "TNR ~ K FRR^0.5, dF_i/dF_c <inf>\n"
        "  rate                value  verdict\n"
        "  at 0.5\n"
        "  few\n"
        "  FAR     31 % (27 to 35 %)  good\n"
        "  <b>x  -1.1 %               cannot tell\n"
        "one\n"
        "two\n"
        "\n"
        "Inner\n"
        "fit: poor: too far. More."
    )


def test_what_the_user_named_stays_as_it_is_and_a_section_without_a_title_has_no_line_of_it() -> (
    None
):
    head = (as_named("é"), as_named("é - ü"))
    told = apart(Words("é", "given"), Words("é"), Grid(head, (Row((as_named("é"), "1")),)))
    assert text_of(told) == "é\n\ne\n\n  é  é - ü\n  é      1"
    assert "<th>é</th>" not in str(html_of(told))  # a name, which turns no text around it
    assert str(html_of(told)).count('<bdi class="name" title="é">é</bdi>') == 2


def test_one_table_is_read_and_kept() -> None:
    columns = [Column("name", "system"), Column("n"), Column("rate", "FAR", percent), Column("x")]
    rows = [
        (as_named("=a\n"), 5, 1.0 / 3.0, Cell("", value=0.1)),
        (Name("", "b"), 7, math.nan, Cell("none")),
    ]
    told = apart(Words("said"), recorded(columns, rows))
    assert text_of(told) == "said\n\n  system        FAR\n  =a\\x0a     33.3 %\n          undefined"
    assert csv_table(kept_of(told)) == ("name,n,rate,x\n'=a?,5,0.3333333333333333,0.1\nb,7,,\n")
    assert r"=a & 5 & 0.333333 & 0.1 \\" in latex_table(kept_of(told))
    assert kept_of(told[:1]) == {}


def test_the_page_escapes_what_is_foreign_and_sets_what_is_ours() -> None:
    page = str(html_of(TREE))
    assert '<bdi class="name" title="&lt;b&gt;x">&lt;b&gt;x</bdi>' in page
    assert "FRR<sup>0.5</sup>, dF<sub>i</sub>/dF<sub>c</sub> &lt;inf&gt;" in page
    assert '<td>31\u00a0%<span class="ci">27 to 35\u00a0%</span></td><td class="text">good' in page
    assert '<p class="legend">long</p>' in page
    assert "<dt>FAR</dt><dd>a share</dd>" in page
    assert 'aria-label="it &#34;rises&#34;"' in page
    assert "<td>\u22121.1\u00a0%</td>" in page
    assert '<th colspan="3">' in page
    assert "ROC’s end" in prose_of(page)
    assert "<" not in prose_of(page)


def test_a_folded_section_says_its_finding_and_its_heading_keeps_its_depth() -> None:
    page = str(html_of(TREE))
    assert re.search(
        r'<details class="sec" id="roc"><summary><h2>ROC’s end</h2><span>AUC 0.9</span></summary>',
        page,
    )
    assert '<div class="in" id="roc-in">' in page  # where a link opens it
    assert "<h3>Inner</h3>" in page
    assert "<h4>Inner</h4>" in str(html_of(TREE, depth=3))


def test_colours_of_drawings_are_those_of_the_scheme() -> None:
    page = str(html_of(TREE))
    assert "stroke: var(--cl); fill: var(--bg)" in page
    assert "stroke: #123456" in page
