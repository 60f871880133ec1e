"""The page of several systems: which, at which threshold, beside numbers of the library."""

import re

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.rendering.numbers import rate
from helpers.files import write
from helpers.pages import assert_inert, plain


def written(folder, name, shift, rng):
    """A system of 200 clients and 300 impostors, in dev and in test."""
    paths = [folder / f"{role}-{len(list(folder.iterdir()))}.csv" for role in ("dev", "test")]
    return [name, *(write(path, rng.normal(shift, 1.0, 200), rng.normal(-shift, 1.0, 300))
                    for path in paths)]  # fmt: skip


def page_of(folder, systems, *options):
    out = folder / "page.html"
    call = [word for one in systems for word in ("--system", *one)]
    assert main(["report", *call, "-o", str(out), "--force", "--target", "far=0.05", *options]) == 0
    return out.read_text(encoding="utf-8")


def prose(page):
    bare = re.sub(r"<(style|script|svg)\b.*?</\1>|<(?!bdi)[^>]*>", " ", page, flags=re.DOTALL)
    return plain(bare)


def rows_of(page):
    """The rows of the table of all systems, by cell."""
    tables = re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    main_table = tables[0] + (tables[1] if "more</summary>" in page else "")
    rows = re.findall(r"<tr>(.*?)</tr>", main_table, re.DOTALL)
    return [[prose(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Four systems on a page where three are too many for a first screen each."""
    folder, rng = tmp_path_factory.mktemp("systems"), np.random.default_rng(4)
    names, shifts = ["s0", "s1", "s2", "<b>weak"], [2.0, 1.9, 1.3, 0.1]
    systems = [written(folder, n, s, rng) for n, s in zip(names, shifts, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("betaroc.cli.report._WHOLE", 2)
        patch.setattr("betaroc.report.score_set.CHECK_REPLICATES", 19)
        patch.setattr("betaroc.rendering.tree_html._SEEN", 3)
        return folder, systems, page_of(folder, systems, "--family", "normal")


@pytest.mark.simulation
def test_rows_are_sorted_by_status_and_then_by_what_is_no_target(many):
    _, systems, page = many
    found = []
    for name, dev, test in systems:
        decision = br.decide(br.read_scores(dev), far=0.05, family="normal")
        check = decision.check(br.read_scores(test))
        order = ("can be relied on", "not enough evidence", "do not rely on it")
        found.append((order.index(check.status), check.point.frr, name, rate(check.point.frr)))
    rows = rows_of(page)
    assert [row[0] for row in rows] == [name for _, _, name, _ in sorted(found)]
    assert_inert(page)
    *_, name, best = min(found)
    assert rows[0][6].startswith(best)
    assert f"{name}, threshold" in prose(page)
    assert f"FRR {best} on test" in prose(page)


@pytest.mark.simulation
def test_differences_are_those_that_compare_shows(many, capsys):
    """One judgement: a page calls worse what `compare_systems` and the command call worse."""
    _, systems, page = many
    curves = {name: br.epc(br.read_scores(d), br.read_scores(t)) for name, d, t in systems}
    judged = br.compare_systems(curves, rng=0)
    rows = rows_of(page)
    first = rows[0][0]
    assert rows[0][7] == "first"
    for row in rows[1:]:
        wanted = "no difference shown"
        if (first, row[0]) in judged.shown:
            wanted = "shown worse"
        elif (row[0], first) in judged.shown:
            wanted = "shown better"
        assert row[7].startswith(wanted)
    assert judged.verdict[1:] in prose(page)
    call = [word for one in systems for word in ("--system", *one)]
    assert main(["compare", *call]) == 0
    verdict = re.search(r"^(.*?at once\))\.", " ".join(capsys.readouterr().out.split()))
    assert verdict[1][1:] in prose(page)


@pytest.mark.nightly
@pytest.mark.usefixtures("few", "panel_alone")
def test_of_few_systems_a_page_holds_the_whole_reports(many):
    folder, systems, _ = many
    page = page_of(folder, systems[-2:], "--family", "normal")
    ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    assert page.count("</html>") == page.count("<h1>") == 1
