"""``betaroc check``: a gate, its state between looks, and the action of a pull request."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from helpers.places import ROOT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A decision on FAR 1 % and files of new scores."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)

    def write(name, clients, impostors, *, shift=0.0):
        parts = (rng.normal(3, 1, clients), 1), (rng.normal(shift, 0.95, impostors), 0)
        lines = [f"{s:.6f},{y},p{k // 5}\n" for x, y in parts for k, s in enumerate(x.tolist())]
        Path(f"{name}.csv").write_text("score,label,person\n" + "".join(lines))

    write("dev", 500, 2000)
    write("good", 100, 2000)
    write("bad", 100, 1000, shift=1.2)
    write("impostors", 0, 1000)
    write("clients", 100, 0)
    br.decide("dev.csv", far=0.01, family="normal").to_json("decision.json")
    return tmp_path


def check(capsys, *arguments):
    code = main(["check", *arguments])
    out, err = capsys.readouterr()
    return code, " ".join(out.split()), err


@pytest.mark.simulation
def test_a_state_counts_every_file_once(folder, capsys):
    call = ("decision.json", "good.csv", "--state", "m.json", "--strict")
    code, out, err = check(capsys, *call, "--markdown", "s.md")
    assert (code, err) == (0, "")
    assert "✓ No alarm" in out
    assert "The state counts every trial once" in out
    first = br.from_json("m.json")
    assert (first.trials, first.alarm) == (2000, False)
    code, out, err = check(capsys, *call)
    assert (code, br.from_json("m.json")) == (0, first)
    assert "counted already: the state stays" in out
    assert "2000 of 2000 trials are counted already" in err
    code, out, err = check(capsys, "decision.json", "impostors.csv", *call[2:])
    assert (code, br.from_json("m.json").trials) == (0, 3000)
    code, out, err = check(capsys, "decision.json", "bad.csv", *call[2:], "--markdown", "s.md")
    assert code == 1
    assert "✗ Alarm: FAR is above 1 %" in out
    assert check(capsys, *call)[0] == 1  # what is known
    assert check(capsys, *call[:-1])[0] == 0  # not strict
    text = Path("s.md").read_text(encoding="utf-8")
    assert text.count("✓ **No alarm**") == text.count("✗ **Alarm: FAR is above 1 %**") == 1
    assert text.count("| --- | --- |") == 2


@pytest.mark.simulation
def test_without_a_state_it_is_one_look(folder, capsys):
    code, out, _ = check(capsys, "decision.json", "good.csv", "--strict")
    assert code == 0
    assert "One look, at this file alone" in out
    code, out, _ = check(capsys, "decision.json", "bad.csv", "--strict")
    assert code == 1
    assert "The target on this file: broken." in out
    # the document of the command is read as a decision too
    main(["threshold", "dev.csv", "--far", "0.01", "--family", "normal", "--json"])
    Path("other.json").write_text(capsys.readouterr().out)
    one, other = (check(capsys, d, "bad.csv", "--json")[1] for d in ("decision.json", "other.json"))
    assert one == other
    document = json.loads(one)
    assert document["verdict"] == "broken"
    expected = br.from_json("decision.json").monitor().update("bad.csv")
    assert br.from_json(one) == expected
    assert document["evidence"] == expected.evidence
    assert check(capsys, "decision.json", "good.csv", "--csv")[1].startswith("threshold,target,")


def test_persons_other_limits_and_trials_without_a_score(folder, capsys):
    call = ("decision.json", "impostors.csv", "--group", "person", "--far", "0.02")
    code, out, _ = check(capsys, *call, "--state", "m.json")
    assert (code, br.from_json("m.json").bets) == (0, 200)
    assert "1000 impostors of 200 groups, a bet each" in out
    assert "limit FAR 2 %" in out
    code, out, _ = check(capsys, "decision.json", "clients.csv", "--tpr", "0.5")
    assert (code, "limit FRR 50 %" in out) == (0, True)
    Path("absent.csv").write_text("score,label\n,0\n,0\n3,1\n")
    code, out, _ = check(capsys, "decision.json", "absent.csv", "--missing", "reject")
    assert code == 0
    assert "0 % (0 to" in out


@pytest.mark.simulation
def test_what_is_refused_leaves_the_state_as_it_is(folder, capsys):
    check(capsys, "decision.json", "good.csv", "--state", "m.json")
    br.decide("good.csv", far=0.01, family="normal").to_json("another.json")
    br.decide("dev.csv", eer=True, family="normal").to_json("eer.json")
    Path("cut.json").write_text(Path("m.json").read_text()[:-40])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for call, words in (
        (("m.json", "bad.csv"), "must be a Decision"),
        (("dev.csv", "bad.csv"), "DECISION: "),
        (("nowhere.json", "bad.csv"), "DECISION must be an existing file"),
        (("eer.json", "bad.csv"), "limit of FAR or FRR; got eer. State one: --far or --frr."),
        (("decision.json", "bad.csv", "--state", "cut.json"), "--state: the text must be JSON"),
        (("another.json", "bad.csv", "--state", "m.json"), "got one of another dev"),
        (("decision.json", "bad.csv", "--state", "no/m.json"), "a folder that exists"),
        (("decision.json",), "SCORES must name a score file"),
    ):  # fmt: skip
        code, out, err = check(capsys, *call)
        assert (code, out) == (2, ""), call
        assert words in err
        assert "Traceback" not in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def steps():
    """The shell commands of the action, with what each takes from its inputs."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    for part in text.split("    - name: ")[1:]:
        inputs = dict(re.findall(r"^        (\w+): \$\{\{ ([\w.]+) \}\}$", part, re.M))
        script = re.search(r"      run:(?: \|\n)?(.*)", part, re.S)[1]
        yield inputs, re.sub(r"^ {8}", "", script, flags=re.M).strip()


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="the shell is bash")
def test_the_action_fails_on_a_broken_target_alone(folder):
    tools = folder / "tools"
    tools.mkdir()
    for name, line in (
        # Of the step that installs the call is kept: nothing comes from a network here.
        ("python", f'echo "$@" >> {tools}/installs'),
        ("betaroc", f'exec "{sys.executable}" -m betaroc "$@"'),
    ):
        (tools / name).write_text(f"#!/bin/bash\n{line}\n")
        (tools / name).chmod(0o755)
    shutil.copytree(ROOT / "betaroc", folder / "copy" / "betaroc")
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "COLUMNS")}
    around = {
        "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(folder / "copy"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }  # fmt: skip
    codes = []
    for scores, state, strict in (
        ("good.csv", "", "true"), ("good.csv", "m.json", "true"), ("bad.csv", "m.json", "true"),
        ("bad.csv", "m.json", "false"), ("bad.csv", "", "true"),
    ):  # fmt: skip
        given = {
            "inputs.decision": "decision.json", "inputs.scores": scores, "inputs.state": state,
            "inputs.strict": strict, "inputs.options": "--score=score\n\n--label\nlabel",
            "github.action_path": str(folder / "copy"),
        }  # fmt: skip
        for inputs, script in steps():
            assert "${{" not in script  # an input is never part of a command
            own = {name: given[source] for name, source in inputs.items()}
            run = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
            done = subprocess.run(run, env=kept | around | own, capture_output=True, text=True)
        codes.append(done.returncode)
    assert codes == [0, 0, 1, 0, 1], done.stderr
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert summary.count("Alarm: FAR is above 1 %") >= 3
    install = (tools / "installs").read_text().splitlines()[0]
    assert install == f"-m pip install --quiet {folder / 'copy'}"
