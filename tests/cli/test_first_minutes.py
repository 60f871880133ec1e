"""The first minutes: help with examples that work, `betaroc demo`, completion in real shells."""

import re
import shlex
import shutil
import subprocess
from functools import cache
from importlib import import_module

import pytest

import betaroc as br
from betaroc.cli import COMMANDS, main
from betaroc.cli.call import _parser_of

#: Commands whose examples need minutes, other files or a shell, or have tests of their own.
UNTRIED = {"completion", "demo", "ensemble", "plan", "report", "selftest", "study"}


@cache
def parsers():
    parser = _parser_of(COMMANDS, lambda name: import_module(f"betaroc.cli.{name}"))
    for command in parser.commands.values():
        command.learn()
    return {"": parser, **parser.commands}


def examples(epilog):
    """The lines between "examples:" and the blank one."""
    assert epilog.startswith("examples:\n  ")
    return [line.strip() for line in epilog.split("\n\n")[0].splitlines()[1:]]


EXAMPLES = {name: examples(parser.epilog) for name, parser in parsers().items()}


def test_a_help_is_short_and_all_options_are_asked_for(capsys):
    for asked, words in (("--help", range(401)), ("--help-all", range(401, 9999))):
        with pytest.raises(SystemExit):
            main(["fit", asked])
        out = capsys.readouterr().out
        assert len(out.split()) in words
        assert ("--separator" in out) == (asked == "--help-all")


def test_every_example_is_a_call_that_its_parser_knows():
    for line in (line for lines in EXAMPLES.values() for line in lines if line[:4] != "eval"):
        words = shlex.split(line.partition(" > ")[0])
        assert words.pop(0) == "betaroc"
        assert callable(parsers()[""].parse_args(words).run), line


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that examples name, of the demo's scores."""
    folder = tmp_path_factory.mktemp("first")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["demo"]) == 0
    for name, copies in (("dev", ("dev", "a")), ("sharpened", ("eval", "eval_b"))):
        for copy in copies:
            shutil.copy(folder / f"demo-{name}.csv", folder / f"{copy}.csv")
    text = (folder / "dev.csv").read_text(encoding="utf-8")
    br.decide(folder / "demo-sharpened.csv", far=0.5, family="normal").to_json(
        folder / "decision.json"
    )
    (folder / "dev_b.csv").write_text(text.replace("0.9", "0.6"), encoding="utf-8")
    named = text.replace("label", "class").replace("bona fide", "genuine").replace(",", "\t")
    (folder / "scores.tsv").write_text(named, encoding="utf-8")
    head, *rows = text.splitlines()
    species = [
        "" if "bona fide" in row else ("print", "replay")[k % 2] for k, row in enumerate(rows)
    ]
    lines = [f"{head},species", *(f"{row},{name}" for row, name in zip(rows, species, strict=True))]
    for name in ("attacks", "attacks_b"):
        (folder / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.mark.simulation
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.nightly] * (name not in ("compare", "fit", "threshold")))
    for name in sorted(COMMANDS.keys() - UNTRIED)
])  # fmt: skip
def test_cheap_examples_run(name, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for line in EXAMPLES[name]:
        if not {"--check", "both", "--name"} & set(line.split()):
            assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err


@pytest.mark.simulation
def test_a_demo_in_an_empty_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    files = ["demo-dev.csv", "demo-sharpened.csv", "demo-test.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    # 4 of 181 attacks on dev; P(Bin(181, .05) >= 4 + 1) is .95 or more: guaranteed.
    assert "4 of 181" in out
    # What it ran, typed again, prints the same.
    (line,) = re.findall(r"^\$ (betaroc threshold .*)$", out, re.M)
    assert main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out in out
    # What comes next are calls that work.
    following = [shlex.split(line)[1:] for line in out.splitlines() if line[:4] == "  be"]
    assert [words[0] for words in following] == ["threshold", "report", "plan"]
    for words in following:
        parsers()[""].parse_args(words)
    assert main(following[0]) == 0
    assert "✗ Do not rely on it" in capsys.readouterr().out


@pytest.mark.nightly
def test_a_demo_replaces_nothing_of_yours(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "demo-test.csv"
    own.write_text("mine", encoding="utf-8")
    assert main(["demo"]) == 2
    assert "'demo-test.csv' must be a new file" in capsys.readouterr().err
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("demo-test.csv", "mine")]
    assert main(["demo", "--force"]) == 0
    assert own.read_text(encoding="utf-8").startswith("score,label\n")
    assert main(["demo"]) == 0  # what it wrote itself may stay


@pytest.mark.simulation
def test_a_demo_writes_the_report_that_it_shows(tmp_path, monkeypatch, capsys):
    """The report itself has tests of its own; here is what it is asked for."""
    asked = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("betaroc.cli.report.run", asked.append)
    assert main(["demo", "-o", "r.html"]) == 0
    (line,) = re.findall(r"^\$ (betaroc report .*)$", capsys.readouterr().out, re.M)
    assert main(shlex.split(line)[1:]) == 0
    for call in asked:
        assert (call.dev, call.test) == ("demo-dev.csv", ["demo-test.csv", "demo-sharpened.csv"])
        assert (call.output, call.force, call.family) == ("r.html", False, "best")


COMPLETED = [
    (["thr"], {"threshold"}),
    (["threshold", "dev.csv", "--how", "gua"], {"guaranteed"}),
    (["compare", "--dev", "dev.csv", "deva"], {"deva.csv"}),
    (["fit", "dev.csv", "--family", "logit"], {"logit-normal", "logit-sinh-arcsinh"}),
    (["study", "a.toml", "--folder", "dev"], {"devils"}),
]


@pytest.mark.simulation
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    (tmp_path / "_bash").write_text(capsys.readouterr().out)
    (tmp_path / "deva.csv").touch()
    (tmp_path / "devils").mkdir()
    lines = ["source ./_bash"]
    for words, _ in COMPLETED:
        lines += [
            f"COMP_WORDS=(betaroc {shlex.join(words)}); COMP_CWORD={len(words)}; COMPREPLY=()",
            "_shtab_betaroc 2>/dev/null; echo ${COMPREPLY[*]}",
        ]
    command = ["bash", "--norc", "-c", "\n".join(lines)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    completed = [set(line.split()) for line in run.stdout.splitlines()]
    assert completed == [words for _, words in COMPLETED]
