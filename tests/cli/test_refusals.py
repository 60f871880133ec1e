"""Calls that the command line refuses: exit code 2 and one line that names what was typed."""

import shlex
from pathlib import Path

from betaroc.cli import main
from helpers.cases import case

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
    "plan auc --from no.csv": "auc must have a width",
    "plan far=0.001": "Ask for guarantee@far=0.001 or threshold@far=0.001",
    "plan guarantee@far=.1 --width .1": "--width must not stand beside a guarantee",
    "PLAN --from no.csv": "there is no 'no.csv'",
    "DISTRIBUTION weibull:1,2": "one of beta:a,b, normal:mu,sigma, logit-normal:mu,sigma",
    # thresholds
    "THRESHOLD": "exactly one target must be given: --far, --frr, --cost-fa with --cost-fr",
    "THRESHOLD --cost-fa 1": "--cost-fr must stand beside the other cost",
    "THRESHOLD --far .1 --how counted": "'guaranteed', 'average', 'tail', 'model'; got 'counted'",
    "threshold 'a b.csv' d.csv --far .01": "--system NAME 'a b.csv' --system NAME d.csv",
}


def test_calls_refused(folder, capsys):
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


MANIFESTS = {
    "": "must have tables [systems.NAME]",
    "[systems.a]\ndev = 'x'\nteste = 'x'": "teste",
    "[systems.a]\ndev = 'x'\ntest = [3]": "must have text in",
    "[systems.a]\ndev = 'none.csv'": "there is no '...",
    "[systems.a": "must be TOML",
}


def test_manifests_that_are_none(tmp_path, capsys):
    place = tmp_path / "m.toml"
    for text, words in MANIFESTS.items():
        place.write_text(text, encoding="utf-8")
        assert main(["fit", "--systems", str(place)]) == 2, text
        assert words in capsys.readouterr().err, text
