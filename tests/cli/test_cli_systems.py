"""Any number of systems in one call: by name, in a folder, in a manifest; tables and errors."""

import shutil
from shlex import quote, split

import numpy as np
import pytest

from betaroc.core.local_files import default_names
from helpers.commands import said
from helpers.files import write

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


@pytest.mark.parametrize(("paths", "names"), [
    (("a/dev.csv", "b/dev.csv"), ["a", "b"]),
    (("mlp-dev.csv", "svm-dev.csv"), ["mlp", "svm"]),
    (("a/x/1.csv", "a/y/1.csv", "b/x/1.csv"), ["a/x", "a/y", "b/x"]),
    (("dev.csv", "dev-2.csv"), ["dev", "dev-2"]),
])  # fmt: skip
def test_default_names(paths, names):
    assert default_names(paths) == names


@pytest.mark.simulation
def test_a_folder_and_a_manifest_name_the_same_systems(folder, tmp_path, capsys):
    rest = ["--alpha", "0.5", "--csv", "--family", "normal"]
    named = said(capsys, "epc", *options(folder, "lr", "mlp", "svm"), *rest)
    assert said(capsys, "epc", "--systems", str(folder), *rest) == named
    place = tmp_path / "of three.toml"
    shutil.copytree(folder, tmp_path / "scores")
    for n in sorted(NAMES):
        with place.open("a", encoding="utf-8") as file:
            file.write(f'[systems.{n}]\ndev = "scores/{n}/dev.csv"\n')
            file.write(f'test = ["scores/{n}/test.csv"]\n')
    assert said(capsys, "epc", "--systems", str(place), *rest) == named


def test_folders_with_other_files(folder, tmp_path, capsys):
    assert "holds none" in said(capsys, "fit --family empirical --systems", str(tmp_path), code=2)
    shutil.copytree(folder, tmp_path / "s")
    (tmp_path / "s" / "mlp" / ".dev.csv.swp").write_text("x")
    assert "mlp" in said(capsys, "fit --family empirical --systems", str(tmp_path / "s"))
    for name in ("readme.txt", "mlp/eval.csv", "mlp/dev.tsv"):
        (tmp_path / "s" / name).write_text("x")
    err = said(capsys, "fit --family empirical --systems", str(tmp_path / "s"), code=2)
    for name in ("'mlp/eval.csv'", "'readme.txt'", "'mlp/dev.tsv'"):
        assert name in err


@pytest.mark.parametrize(("call", "words"), [
    *[(f"fit --system {quote(bad)} DEV", "1 to 80 characters")
      for bad in ("   ", "x" * 81, "\x1b[31m")],
    ("fit --system a DEV --system 'a ' OTHER", "a name of its own"),
    ("fit --systems ''", "--systems must name"),
    ("fit --system a DEV --system b DEV", "dev of 'b' and dev of 'a'"),
    ("report --system a DEV TEST TEST -o r.html", "named once"),
    ("epc --dev DEV ALL", "--dev"),
    ("epc ALL --band test", "--band"),
    ("threshold ALL --eer --print threshold", "--print"),
    ("compare --system mlp DEV TEST", "at least two"),
    ("threshold --system a DEV TEST OTHER --eer", "at most one test file"),
])  # fmt: skip
def test_calls_that_name_no_systems(call, words, folder, capsys):
    dev, test = (str(folder / "mlp" / f"{role}.csv") for role in ("dev", "test"))
    files = {"DEV": [dev], "TEST": [test], "OTHER": [str(folder / "svm" / "dev.csv")],
             "FOLDER": [str(folder)], "ALL": options(folder)}  # fmt: skip
    given = (word for part in split(call) for word in files.get(part, [part]))
    assert words in said(capsys, "", *given, code=2)
