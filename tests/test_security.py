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
def test_data_never_become_code_and_files_have_few_doors(calls):
    assert [one for one in calls if FORBIDDEN.fullmatch(one[1])] == []
    found = {where for where, called in calls if OPENS.fullmatch(called)}
    table = set(re.findall(r"^\| `(\w+/\w+\.py)`", SECURITY.read_text(encoding="utf-8"), re.M))
    assert found == table
    assert {one for one in calls if WRITES.fullmatch(one[1])} == {
        ("data/text_files.py", "frame.to_csv"),  # into memory
        ("rendering/files.py", "draw().figure.savefig"),  # into memory
        ("studies/storage.py", "pa.parquet.write_table"),  # into memory
    }


OPENS = re.compile(
    r"(.*\.)?(open|fdopen|read_bytes|read_text|memory_map|ParquetFile|scan_parquet|read_parquet)"
)
WRITES = re.compile(r"(.*\.)?(write_text|write_bytes|savefig|to_csv|to_parquet|write_table|rmtree)")


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


def scores(name, seed=1):
    rng = np.random.default_rng(seed)
    return br.Scores(rng.beta(4, 2, 40), rng.beta(2, 4, 40), name=name)
