"""What leaves the machine is the same wherever the files lie and from wherever they were named."""

import os

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from helpers.files import STUDY, write

#: The person in whose folder the files lie, of whom no document may tell.
WHO = "ann-of-the-lab"
DEV, TEST = "--dev {0}mlp/dev.csv", "--test {0}mlp/test.csv"
SYSTEMS = "--system A {0}mlp/dev.csv {0}mlp/test.csv --system B {0}svm/dev.csv {0}svm/test.csv"
#: Every call, {0} before the files, with its forms beside the text; a page goes to OUT.
CALLS = {
    "fit {0}mlp/dev.csv {0}svm/dev.csv": "--json --csv",
    f"epc {DEV} {TEST}": "--json --csv --latex",
    f"compare {SYSTEMS} --system C {{0}}c.csv {{0}}c-test.csv --replicates 20": "--json --csv",
    "threshold --systems {0}all --far 0.1 --family beta": "--json --csv",
    "plan auc --width 0.1 --from {0}mlp/dev.csv --method delong": "--json",
    "ensemble {0}mlp/test.csv {0}svm/test.csv --html OUT": "",
    f"report {DEV} {TEST} --family beta -o OUT": "",
    "report --systems {0}all --family beta -o OUT": "",
    "study {0}study.toml --json --html OUT --folder {0}made": "",
}


def scores(path, shift):
    rng = np.random.default_rng(3)
    write(path, rng.beta(3.0 + shift, 1.0, 20), rng.beta(1.0, 3.0, 20))


def filled(root):
    for k, name in enumerate(("mlp/dev", "mlp/test", "svm/dev", "svm/test", "c", "c-test")):
        scores(root / f"{name}.csv", 0.1 * k)
    for k in range(2):
        for role in ("dev", "test"):
            scores(root / "all" / f"s{k}" / f"{role}.csv", 0.05 * k)
    (root / "study.toml").write_text(f"replicates = 2\n{STUDY}", encoding="utf-8")
    return root


def said(call, root, start, capsys):
    out = root.parent / f"{root.name}-page.html"
    os.chdir(root if not start else root.parent.parent)
    assert main(call.format(start).replace("OUT", str(out)).split()) == 0
    return capsys.readouterr().out, out.read_text(encoding="utf-8") if "OUT" in call else ""


@pytest.mark.simulation
@pytest.mark.usefixtures("few", "panel_alone")
@pytest.mark.parametrize("call", [
    pytest.param(call, marks=[pytest.mark.nightly] * call.startswith(("report", "ens")))
    for call in CALLS
])  # fmt: skip
def test_results_are_byte_identical_from_any_folder(call, tmp_path, capsys, monkeypatch):
    """Files in one folder are named from within, in the other from elsewhere in full."""
    first, second = filled(tmp_path / WHO / "results"), filled(tmp_path / "other" / "deep" / WHO)
    places = {first: "", second: f"{second}{os.sep}"}
    monkeypatch.chdir(first)
    monkeypatch.setattr("betaroc.cli.report._WHOLE", 1)
    for form in ("", *CALLS[call].split()):
        one, other = (said(f"{call} {form}", *place, capsys) for place in places.items())
        assert one == other
        assert not any(WHO in text for text in one)


@pytest.mark.simulation
@pytest.mark.usefixtures("few")
def test_documents_of_values_name_files(tmp_path):
    root = filled(tmp_path / WHO)
    dev = br.read_scores(root / "mlp" / "dev.csv")
    for one in (dev, br.summarize(root / "c.csv"), br.analyze(dev, family="beta")):
        assert WHO not in one.to_json()
        assert br.from_json(one.to_json()) == one
    assert dev.source.path == str(root / "mlp" / "dev.csv")
