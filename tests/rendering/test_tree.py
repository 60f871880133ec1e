"""A tree of a result: what a terminal and a page make of the same sections."""

import math

import pytest

from betaroc.rendering import tree
from betaroc.rendering.numbers import percent
from betaroc.rendering.tree_html import html_of, prose_of
from betaroc.rendering.tree_text import (
    Terminal,
    csv_table,
    kept_grid,
    latex_table,
    markdown_of,
    text_of,
)

SVG = (
    '<svg viewBox="0 0 1 1" role="img"><path style="stroke: #0072b2; fill: #ffffff"/>'
    '<path style="stroke: #123456"/></svg>'
)
GRID = tree.Grid(
    ("rate", "value", "verdict"),
    (
        tree.Group("at 0.5", "few"),
        tree.Row(("FAR", tree.quantity(0.31, percent, 0.27, 0.35), "good")),
        tree.Row((tree.foreign("<b>x"), tree.Cell("-1.1 %"), "cannot tell")),
    ),
    words=(2,),
)
TREE = [
    tree.Section(
        "ROC’s end",
        (
            tree.Paragraph("TNR ~ K FRR^0.5, dF_i/dF_c <inf>"), tree.Paragraph("long", "legend"),
            GRID, tree.Bullets(("one", "two")),
            tree.Figures((tree.Figure(SVG, "a curve", 'it "rises"'),)),
            tree.Section("Inner", (tree.Status("fit", "poor", "poor", "too far.", "More."),)),
            tree.Glossary((("FAR", "a share"),)),
        ),
        "AUC 0.9", "roc", folded=True,
    ),
    tree.Section("Nothing but pictures", (tree.Figure("", "none"),)),
]  # fmt: skip


def test_one_table_is_read_and_kept():
    columns = [tree.Column("name", "system"), tree.Column("n"), tree.Column("x")]
    columns.insert(2, tree.Column("rate", "FAR", percent))
    rows = [
        (tree.as_named("=a\n"), 5, 1.0 / 3.0, tree.Cell("", value=0.1)),
        (tree.Name("", "b"), 7, math.nan, tree.Cell("none")),
    ]
    told = tree.apart(tree.Paragraph("said"), tree.recorded(columns, rows))
    assert text_of(told) == "said\n\n  system        FAR\n  =a\\x0a     33.3 %\n          undefined"
    table = "name,n,rate,x\n'=a?,5,0.3333333333333333,0.1\nb,7,,\n"
    assert csv_table(kept_grid(told).kept) == table
    assert r"=a & 5 & 0.333333 & 0.1 \\" in latex_table(kept_grid(told).kept)


def test_the_page_escapes_what_is_foreign_and_sets_what_is_ours():
    page = str(html_of(TREE))
    assert '<bdi class="name" title="&lt;b&gt;x">&lt;b&gt;x</bdi>' in page
    assert "FRR<sup>0.5</sup>, dF<sub>i</sub>/dF<sub>c</sub> &lt;inf&gt;" in page
    assert '<td>31\u00a0%<span class="ci">27 to 35\u00a0%</span></td><td class="text">good' in page
    assert '<p class="legend">long</p>' in page
    assert 'aria-label="it &#34;rises&#34;"' in page
    assert "<td>\u22121.1\u00a0%</td>" in page
    assert '<th colspan="3">' in page
    assert "<" not in prose_of(page)


FIXED = tree.Grid(
    ("way", "expected", "beyond"),
    (
        tree.Row(("one", tree.rate_cell(0.1, 0.05, 0.15, note="1 of 10"), "1"), chosen=True),
        tree.Group("", "said of it"),
        tree.Row(("two", "not possible: " + "too few " * 4)),
        tree.Row(("a long title", tree.rate_cell(0.2), tree.Status("", "good", "good"))),
    ),
    words=(1,),
)


@pytest.mark.parametrize(("width", "lines"), [
    (60, [
        "  way           expected                     beyond",
        "> one           10 % (5.0 to 15 %, 1 of 10)       1",
        "  said of it",
        "  two           not possible: too few too few too few too",
        "                few",
        "  a long title  20 %                           good",
    ]),
    (22, ["  way: one", "    expected: 10 %", "    (5.0 to 15 %, 1 of", "    10)"]),
])  # fmt: skip
def test_a_table_fits_the_terminal(width, lines):
    """By hand: intervals and counts beside numbers, below them, or a list."""
    told = text_of([FIXED], Terminal(width)).splitlines()
    assert [line.rstrip() for line in told[: len(lines)]] == lines
    assert max(map(len, told)) <= width


def test_a_tree_is_markdown_in_which_no_name_is_markup():
    alarm = tree.Status("", "No alarm", "good")
    assert markdown_of([tree.Paragraph("x", "answer", "Threshold 2"), alarm]) == (
        "**Threshold 2** x\n\n✓ **No alarm**"
    )
    text = markdown_of([*TREE, tree.Paragraph("a|b *c*\n<i>", "given")])
    assert "### ROC's end\n\nTNR \\~ K FRR^0.5" in text or "### ROC’s end" in text
    rows = [line for line in text.split("\n") if line[:1] == "|"]
    assert rows[:2] == ["| rate | value | verdict |", "| --- | --- | --- |"]
    assert rows[2:] == [
        "| at 0.5 | | |", "| FAR | 31 % (27 to 35 %) | good |",
        "| \\<b\\>x | -1.1 % | cannot tell |",
    ]  # fmt: skip
    assert "- one\n- two" in text
    assert "long" not in text
    assert text.endswith("a\\|b \\*c\\* \\<i\\>")
