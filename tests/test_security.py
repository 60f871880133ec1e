"""What no file, no name and no page may do."""

import ast
import csv
import io
import re

import numpy as np
import pytest

import betaroc as br
from betaroc.rendering.tree_text import csv_table, latex_table
from helpers import house
from helpers.pages import assert_inert
from helpers.places import ROOT

SECURITY = ROOT / "docs" / "security.md"


#: How a call of those below ends.
LAST = re.compile(
    r"eval|exec\w*|compile|__import__|system|popen|spawn\w*|from_string|load_module|.*open|read_.*"
    r"|memory_map|ParquetFile|scan_parquet|write_.*|savefig|to_csv|to_parquet|rmtree"
)


@pytest.fixture(scope="module")
def calls():
    """Files of the package, and what they call; modules that they import."""
    found = []
    for module, path in house.MODULES.items():
        where = path.relative_to(house.PACKAGE).as_posix()
        for node in ast.walk(house.tree(module)):
            if isinstance(node, ast.Call):
                last = getattr(node.func, "attr", getattr(node.func, "id", ""))
                if LAST.fullmatch(last):
                    found.append((where, ast.unparse(node.func)))
            elif isinstance(node, ast.Import):
                found += [(where, f"import {one.name}") for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                found.append((where, f"import {node.module}"))
    return found


FORBIDDEN = re.compile(
    r"(eval|exec|compile|__import__|os\.(system|popen|exec\w*|spawn\w*))"
    r"|(\w+\.)*(from_string|load_module)"
    r"|import (pickle|marshal|shelve|dill|cloudpickle|yaml|subprocess|ctypes)\b.*"
    r"|import (socket|ssl|urllib|http|requests|ftplib|smtplib)\b.*"
)


@pytest.mark.simulation
def test_data_never_become_code(calls):
    assert [one for one in calls if FORBIDDEN.fullmatch(one[1])] == []


OPENS = re.compile(
    r"(.*\.)?(open|fdopen|read_bytes|read_text|memory_map|ParquetFile|scan_parquet|read_parquet)"
)
WRITES = re.compile(r"(.*\.)?(write_text|write_bytes|savefig|to_csv|to_parquet|write_table|rmtree)")


@pytest.mark.simulation
def test_every_door_stands_in_the_table_of_doors(calls):
    found = {where for where, called in calls if OPENS.fullmatch(called)}
    table = set(re.findall(r"^\| `(\w+/\w+\.py)`", SECURITY.read_text(encoding="utf-8"), re.M))
    assert found == table


@pytest.mark.simulation
def test_files_are_written_by_one_door(calls):
    assert {one for one in calls if WRITES.fullmatch(one[1])} == {
        ("data/text_files.py", "frame.to_csv"),  # into memory
        ("rendering/files.py", "draw().figure.savefig"),  # into memory
        ("studies/storage.py", "pa.parquet.write_table"),  # into memory
    }


FORMULAS = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", " =1", "\t=1", "＝1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(text):
    rows = list(csv.reader(io.StringIO(csv_table({text: [text], "b": [-1.5]}))))
    assert [len(row) for row in rows] == [2, 2]
    assert rows[1][1] == "-1.5"
    for cell in (rows[0][0], rows[1][0]):
        assert cell.isprintable()
        assert cell[:1] in ("'", "?")


COMMANDS = ["\\input{/etc/passwd}", "$x$ & \\\\ % #", "^^5cinput{a}", "}{\\def\\a{", "~_^"]


def commands(text):
    return set(re.findall(r"\\([a-zA-Z]+)", text.replace(r"\\", "\n")))


KNOWN = {
    "begin", "end", "toprule", "midrule", "bottomrule", "textbackslash", "textasciicircum",
    "textasciitilde",
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_no_name_is_a_command_of_latex(name):
    text = latex_table({name: [name], "b": [0.5]})
    body = text.replace(r"\\", "\n")
    assert commands(text) <= KNOWN
    assert not re.search(r"(?<!\\)[#$%&_]", re.sub(r" & ", " ", body))
    assert "^" not in body


@pytest.mark.parametrize("name", ["a\n\\input{b}", "<script>alert(1)</script>"])
def test_no_name_is_a_command_or_a_tag_in_a_summary(name):
    client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
    scores = br.Scores(client, impostor, name=name, words=("<b>", name))
    summary = br.fit(scores).summary()
    assert commands(summary.as_latex()) <= KNOWN | {"textless", "textgreater"}
    tags = set(re.findall(r"<(\w+)", summary._repr_html_()))
    assert not tags & {"b", "script"}


HIT = "window.hit=1"
SCRIPT = f"<script>{HIT}</script>"
#: Names of at most 80 characters.
PAYLOADS = [
    f"</script>{SCRIPT}", f"</title>{SCRIPT}--><svg onload={HIT}><!--",
    f'"><img src=x onerror={HIT}>" onmouseover="{HIT}" x="',
    f"'><svg onload={HIT}><a href=javascript:{HIT}>x</a>",
    f"<iframe srcdoc='<script>parent.{HIT}</script>'>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
]  # fmt: skip


def scores(name, seed=1):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 2, 40), rng.beta(2, 4, 40), name=name)


def report(folder, one, two):
    page = folder / "page.html"
    br.analyze(scores(one), scores(two, 2), family="beta").to_html(page)
    return page.read_text(encoding="utf-8")


def study(folder, one, two):
    pytest.importorskip("pyarrow")

    def told(trial):
        if trial.number:
            raise ValueError(two)
        return one

    own = folder / re.sub(r"[/\0]", "_", one)
    design = {"a_c": [2.0, 3.0], "b_c": 1.0, "a_i": 1.0, "b_i": 2.0}
    result = br.Study(design, {two: told, "auc": "true.auc"}, folder=own, replicates=2).run()
    result.to_html(folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


def notebook(folder, one, two):
    dev, test = scores(one), scores(two, 2)
    decision = br.decide(dev, far=0.1)
    shown = [br.fit(dev, family="beta"), decision, decision.check(test), br.epc(dev, test), dev]
    blocks = "".join(noun._repr_html_() for noun in shown)
    page = f"<!doctype html><meta charset=utf-8><title>x</title><body>{blocks}</body>"
    (folder / "page.html").write_text(page, encoding="utf-8")
    return page


@pytest.mark.simulation
@pytest.mark.usefixtures("few", "panel_alone")
@pytest.mark.filterwarnings("ignore::betaroc.BetarocWarning")
@pytest.mark.parametrize("page", [report, study, pytest.param(notebook, marks=pytest.mark.nightly)])
def test_names_are_inert(page, tmp_path):
    for one, two in zip(PAYLOADS[::2], PAYLOADS[1::2], strict=True):
        assert_inert(page(tmp_path, one, two))
