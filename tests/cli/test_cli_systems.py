"""Any number of systems in one call: by name, in a folder, in a manifest; tables and errors."""

import csv
import io
import shutil
from shlex import quote, split

import numpy as np
import pytest

from betaroc.cli import main
from betaroc.core.local_files import default_names
from helpers.files import write

Capture = pytest.CaptureFixture[str]

NAMES = ("mlp", "svm", "lr")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three systems of one list of trials, the noise of which grows."""
    rng, place = np.random.default_rng(20), tmp_path_factory.mktemp("systems")
    truth = {role: [rng.normal(mu, 1.0, 120) for mu in (1.0, -1.0)] for role in ("dev", "test")}
    for name, sd in zip(NAMES, (0.1, 0.2, 3.0), strict=True):
        for role, classes in truth.items():
            logits = [x + rng.normal(0.0, sd, x.size) for x in classes]
            write(place / name / f"{role}.csv", *(1.0 / (1.0 + np.exp(-x)) for x in logits))
    return place


def options(folder, *names):
    found = []
    for name in names or NAMES:
        found += ["--system", name, *(str(folder / name / f"{r}.csv") for r in ("dev", "test"))]
    return found


def said(capsys, *call):
    assert main(list(call)) == 0
    return capsys.readouterr().out


def refused(capsys, *call):
    """The error of a call that prints nothing else."""
    assert main(list(call)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err) <= 400 + len("betaroc: \n")
    return err


def test_files_alone_are_called_by_what_tells_them_apart(folder, capsys):
    files = [str(folder / name / "dev.csv") for name in NAMES]
    rows = list(csv.DictReader(io.StringIO(said(capsys, "fit", *files, "--csv"))))
    assert [row["system"] for row in rows[::2]] == list(NAMES)


@pytest.mark.parametrize(("paths", "names"), [
    (("a/dev.csv", "b/dev.csv"), ["a", "b"]),
    (("mlp-dev.csv", "svm-dev.csv"), ["mlp", "svm"]),
    (("x/mlp_dev.csv", "y/svm_dev.csv"), ["mlp", "svm"]),
    (("a/x/1.csv", "a/y/1.csv", "b/x/1.csv"), ["a/x", "a/y", "b/x"]),
    (("dev.csv", "dev-2.csv"), ["dev", "dev-2"]),
    (("dev.csv", "dev.tsv"), ["dev.csv", "dev.tsv"]),
    (("", "dev.csv"), ["", "dev.csv"]),
])  # fmt: skip
def test_default_names(paths, names):
    assert default_names(paths) == names


def test_a_folder_and_a_manifest_name_the_same_systems(folder, tmp_path, capsys):
    rest = ["--alpha", "0.5", "--csv"]
    named = said(capsys, "epc", *options(folder, "lr", "mlp", "svm"), *rest)
    assert said(capsys, "epc", "--systems", str(folder), *rest) == named
    place = tmp_path / "of three.toml"
    shutil.copytree(folder, tmp_path / "scores")
    place.write_text(
        "".join(
            f'[systems.{n}]\ndev = "scores/{n}/dev.csv"\ntest = ["scores/{n}/test.csv"]\n'
            for n in ("lr", "mlp", "svm")
        ),
        encoding="utf-8",
    )
    assert said(capsys, "epc", "--systems", str(place), *rest) == named


def test_folders_with_other_files(folder, tmp_path, capsys):
    assert "holds none" in refused(capsys, "fit", "--systems", str(tmp_path))
    shutil.copytree(folder, tmp_path / "s")
    for hidden in (".DS_Store", "mlp/.DS_Store", "mlp/.dev.csv.swp"):
        (tmp_path / "s" / hidden).write_text("x")
    assert "mlp" in said(capsys, "fit", "--systems", str(tmp_path / "s"))
    (tmp_path / "s" / "readme.txt").write_text("x")
    (tmp_path / "s" / "mlp" / "eval.csv").write_text("x")
    err = refused(capsys, "fit", "--systems", str(tmp_path / "s"))
    assert "'mlp/eval.csv'" in err
    assert "'readme.txt'" in err
    (tmp_path / "s" / "mlp" / "dev.tsv").write_text("x")
    assert "'mlp/dev.tsv'" in refused(capsys, "fit", "--systems", str(tmp_path / "s"))


@pytest.mark.parametrize(("call", "words"), [
    *[(f"fit --system {quote(bad)} DEV", "1 to 80 characters")
      for bad in ("", "   ", "x" * 81, "a\nb", "\x1b[31m")],
    ("fit --system a DEV --system 'a ' OTHER", "a name of its own"),
    ("fit --system DEV", "a name and a dev file"),
    ("fit --system a FOLDER", "is a directory"),
    ("fit --systems ''", "--systems must name"),
    ("fit '' DEV", "there is no ''"),
    ("fit --system a DEV --system b DEV", "dev of 'b' and dev of 'a'"),
    ("report --system a DEV DEV -o r.html", "named once"),
    ("report --system a DEV TEST TEST -o r.html", "named once"),
    ("fit DEV DEV", "named once"),
    ("threshold DEV ALL --eer", "SCORES"),
    ("epc --dev DEV ALL", "--dev"),
    ("fit ALL --systems FOLDER", "--systems"),
    ("epc ALL --band test", "--band"),
    ("threshold ALL --eer --print threshold", "--print"),
    ("compare --system mlp DEV TEST", "at least two"),
    ("epc --system a DEV", "one test file"),
])  # fmt: skip
def test_calls_that_name_no_systems(call, words, folder, capsys):
    dev, test = (str(folder / "mlp" / f"{role}.csv") for role in ("dev", "test"))
    files = {"DEV": [dev], "TEST": [test], "OTHER": [str(folder / "svm" / "dev.csv")],
             "FOLDER": [str(folder)], "ALL": options(folder)}  # fmt: skip
    err = refused(capsys, *(word for part in split(call) for word in files.get(part, [part])))
    assert words in err
    assert "of 0" not in err


@pytest.mark.simulation
@pytest.mark.usefixtures("few", "panel_alone")
def test_a_report_of_two_systems_is_one_page(folder, tmp_path, capsys):
    page = tmp_path / "r.html"
    dev, test = (str(folder / "mlp" / f"{r}.csv") for r in ("dev", "test"))
    other = str(folder / "svm" / "dev.csv")
    call = ["--system", "<b>mlp", dev, test, "--system", "svm", other]
    assert main(["report", *call, "--family", "beta", "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<body>") == text.count("</html>") == 1
    assert text.count("<h1>") == 1
    assert "<b>mlp" not in text
    assert "&lt;b&gt;mlp" in text
    ids = [part.split('"')[0] for part in text.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    assert [text.count(f'<a href="#system{k}-in"') for k in range(4)] == [0, 1, 1, 0]
    assert text.count('<details class="sec" id="system2"') == 1
