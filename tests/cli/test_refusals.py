"""Calls that the command line refuses: exit code 2 and one line that names what was typed."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from betaroc.cli import main
from helpers.cases import case
from helpers.commands import said

N = 60


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The same trials in files of several shapes."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    client, impostor = rng.beta(5, 2, N).round(4), rng.beta(2, 5, N).round(4)
    rows = [(f"t{k}", s, "genuine") for k, s in enumerate(client.tolist())]
    rows += [(f"u{k}", s, "impostor") for k, s in enumerate(impostor.tolist())]
    key = {"genuine": "target", "impostor": "nontarget"}
    files = {
        "plain.csv": ["score,label", *(f"{s!r},{y}" for _, s, y in rows)],
        "euro.csv": ["score;label;site",
                     *(f"{s!r};{y};Köln".replace(".", ",") for _, s, y in rows)],
        "bare.txt": [f"{y} {s!r}" for _, s, y in rows],
        "numbers.csv": [f"{t},{s!r},{y}" for t, s, y in rows],
        "trials.txt": [f"{t} {s!r}" for t, s, _ in rows],
        "key.txt": [f"{t} {key[y]}" for t, _, y in rows],
        "people.csv": ["claimed,real,score", *(f"genuine,{y},{s!r}" for _, s, y in rows)],
    }  # fmt: skip
    for name, lines in files.items():
        Path(name).write_text("\n".join([*lines, ""]), encoding="utf-8")
    Path("g.txt").write_text("".join(f"{s!r}\n" for s in client.tolist()))
    Path("i.txt").write_text("".join(f"{s!r}\n" for s in impostor.tolist()))
    return tmp_path


#: By call what is said; names in capitals stand for the start of a call.
STARTS = {
    "EPC": "epc --dev plain.csv --test euro.csv",
    "PAIR": "compare --dev a.csv b.csv --test c.csv d.csv",
    "PLAN": "plan auc --width .1",
    "DISTRIBUTION": "plan auc --width .1 --impostor beta:1,2 --client",
    "THRESHOLD": "threshold none.csv",
}
REFUSED = {
    # what is read
    "fit": "SCORES must name a score file, or --client-file and --impostor-file one",
    "fit plain.csv --client-file g.txt": "got 1 and 1 files",
    "threshold --client-file g.txt --impostor-file i.txt --test i.txt --far 0.1": "be named once",
    "fit bare.txt": "Pass --columns label,score",
    "fit - --stream always": "got the standard input",
    "fit --client-file g.txt --impostor-file i.txt --stream always": "got a file of each",
    "fit plain.csv --stream always --missing drop": "--missing must not stand beside --stream",
    "fit trials.txt --key key.txt --stream always": "--key must not stand beside --stream",
    "threshold - --test - --far 0.1": "must be named once",
    "ensemble plain.csv --name a": "--name must stand beside several score files",
    "ensemble plain.csv --test-key key.txt": "--test-key must stand beside --test",
    "epc": "--dev must name a score file",
    "epc --dev plain.csv": "--test must name a score file",
    # curves and their bands
    "EPC --family beta-mixture --boundary drop --force": "--force must stand beside -o",
    "EPC --score q": "Pass --score COLUMN.",
    # two systems
    "compare --dev a.csv --test c.csv d.csv": "--dev must name two different",
    "compare --dev a.csv b.csv plain.csv --test c.csv d.csv": "one per system; got 3",
    "PAIR --seed=-1": "--seed must be an int >= 0",
    "PAIR -o x.eps": ".svg, .png or .pdf",
    # plans
    "PLAN": "or both --client and --impostor; got none",
    "PLAN --client beta:4,2 --impostor beta:2,4 --label x": "--label must stand beside --from",
    "plan far=0.001": "Ask for guarantee@far=0.001 or threshold@far=0.001",
    "plan guarantee@far=.1 --width .1": "--width must not stand beside a guarantee",
    "PLAN --from no.csv": "there is no 'no.csv'",
    "DISTRIBUTION weibull:1,2": "one of beta:a,b, normal:mu,sigma, logit-normal:mu,sigma",
    # thresholds
    "THRESHOLD": "exactly one target must be given: --far, --frr, --cost-fa with --cost-fr",
    "THRESHOLD --far .1 --how counted": "'guaranteed', 'average', 'tail', 'model'; got 'counted'",
    "threshold 'a b.csv' d.csv --far .01": "--system NAME 'a b.csv' --system NAME d.csv",
    "threshold a.csv --far .1 --test a.csv": "must be named once",
}


def test_calls_and_manifests_refused(folder, capsys, tmp_path):
    text = Path("plain.csv").read_text(encoding="utf-8")
    for k, name in enumerate("abcd"):
        Path(f"{name}.csv").write_text(text.replace("0.5", f"0.{k}"), encoding="utf-8")
    for call, words in REFUSED.items():
        start, _, rest = call.partition(" ")
        with case(call):
            assert main(shlex.split(f"{STARTS.get(start, start)} {rest}")) == 2
            out, err = capsys.readouterr()
            assert out == ""
            assert err.startswith("betaroc: ")
            assert words in err
            assert err.count("\n") == 1
            assert len(err) <= 440
    place = tmp_path / "m.toml"
    for text, words in MANIFESTS.items():
        place.write_text(text, encoding="utf-8")
        assert main(["fit", "--systems", str(place)]) == 2, text
        assert words in capsys.readouterr().err, text


MANIFESTS = {
    "": "must have tables [systems.NAME]",
    "[systems.a]\ndev = 'x'\nteste = 'x'": "teste",
    "[systems.a]\ndev = 'x'\ntest = [3]": "must have text in",
    "[systems.a]\ndev = 'none.csv'": "there is no '...",
    "[systems.a": "must be TOML",
}


SHAPES = {
    "euro.csv": "guessed: separator=semicolon, decimal=comma",
    "bare.txt --columns label,score": "guessed: separator=space",
    "numbers.csv --score 2 --label 3": "guessed: header=False",
    "numbers.csv --score 2 --label 3 --no-header": "(csv",
    "trials.txt --key key.txt": "kaldi",
    "people.csv --identities claimed real": "60 client and 60 impostor scores",
    "--client-file g.txt --impostor-file i.txt": "'g.txt', 'i.txt' ",
}


@pytest.mark.simulation
def test_any_shape_and_a_file_a_class_for_every_command(folder, capsys, few, panel_alone):
    options = "--far 0.1 --how average --family normal"
    at_all_digits = re.search(r">= threshold: \S+", said(capsys, f"threshold plain.csv {options}"))
    for shape, words in SHAPES.items():
        text = said(capsys, f"threshold {shape} {options}")
        assert words in text, shape
        assert at_all_digits[0] in text, shape
    for name in "gi":
        Path(f"t{name}.txt").write_text(Path(f"{name}.txt").read_text())
    expected = said(capsys, "epc --dev plain.csv --test plain.csv --alpha 0.3 0.5 --csv")
    assert said(capsys, f"epc {TWO} {OF_TEST} --alpha 0.3 0.5 --csv") == expected
    assert said(capsys, f"report {TWO} {OF_TEST} --family normal -o r.html --prior 0.125") == ""
    page = Path("r.html").read_text(encoding="utf-8")
    assert "tg.txt" in page
    assert "at prevalence 12.5" in page


TWO = "--client-file g.txt --impostor-file i.txt"
OF_TEST = "--test-client-file tg.txt --test-impostor-file ti.txt"


def test_keys_of_dev_and_test_and_questions_name_the_options(folder, capsys):
    text = Path("key.txt").read_text()
    Path("other.txt").write_text(text.replace("t0 target\n", ""))
    call = "threshold trials.txt --key key.txt --far 0.1 --family normal --test"
    Path("eval.txt").write_text(Path("trials.txt").read_text().partition("\n")[2])
    said(capsys, f"{call} eval.txt --test-key other.txt")
    message = said(capsys, f"{call} eval.txt", code=2)
    assert "'eval.txt': each trial of the key 'key.txt' must have a score" in message
    assert "pass --missing drop or --missing reject" in message
    Path("q.csv").write_text("0,1\n0.5,1\n0.2,0\n")
    message = said(capsys, "fit q.csv --score 0 --label 1", code=2)
    assert "Pass --header if it names the columns, or --no-header if it is a trial" in message
    Path("q.txt").write_text("0,5\n0,25\n")
    message = said(capsys, "fit --client-file q.txt --impostor-file i.txt", code=2)
    assert "Pass --separator comma, --decimal comma, or --separator space." in message
