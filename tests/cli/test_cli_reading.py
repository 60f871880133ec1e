"""Options of reading files: any everyday shape to a threshold in one command, guesses said."""

import re
from pathlib import Path

import pytest

from betaroc.cli import main
from helpers.commands import said

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
def test_any_shape_to_a_threshold_in_one_command(folder, capsys):
    options = "--far 0.1 --how average --family normal"
    at_all_digits = re.search(r">= threshold: \S+", said(capsys, f"threshold plain.csv {options}"))
    for shape, words in SHAPES.items():
        text = said(capsys, f"threshold {shape} {options}")
        assert words in text, shape
        assert at_all_digits[0] in text, shape


TWO = "--client-file g.txt --impostor-file i.txt"
OF_TEST = "--test-client-file tg.txt --test-impostor-file ti.txt"


@pytest.mark.simulation
def test_a_file_a_class_for_every_command(folder, capsys, few, panel_alone):
    for name in "gi":
        Path(f"t{name}.txt").write_text(Path(f"{name}.txt").read_text())
    expected = said(capsys, "epc --dev plain.csv --test plain.csv --alpha 0.3 0.5 --csv")
    assert said(capsys, f"epc {TWO} {OF_TEST} --alpha 0.3 0.5 --csv") == expected
    assert said(capsys, f"report {TWO} {OF_TEST} --family normal -o r.html") == ""
    assert "tg.txt" in Path("r.html").read_text(encoding="utf-8")


def test_keys_of_dev_and_test(folder, capsys):
    text = Path("key.txt").read_text()
    Path("other.txt").write_text(text.replace("t0 target\n", ""))
    call = "threshold trials.txt --key key.txt --far 0.1 --family normal --test"
    Path("eval.txt").write_text(Path("trials.txt").read_text().partition("\n")[2])
    said(capsys, f"{call} eval.txt --test-key other.txt")
    message = said(capsys, f"{call} eval.txt", code=2)
    assert "'eval.txt': each trial of the key 'key.txt' must have a score" in message
    assert "pass --missing drop or --missing reject" in message


def test_questions_name_the_options(folder, capsys):
    Path("q.csv").write_text("0,1\n0.5,1\n0.2,0\n")
    message = said(capsys, "fit q.csv --score 0 --label 1", code=2)
    assert "Pass --header if it names the columns, or --no-header if it is a trial" in message
    Path("q.txt").write_text("0,5\n0,25\n")
    message = said(capsys, "fit --client-file q.txt --impostor-file i.txt", code=2)
    assert "Pass --separator comma, --decimal comma, or --separator space." in message


@pytest.mark.simulation
def test_missing_scores_on_the_command_line(folder, capsys):
    with Path("plain.csv").open("a", encoding="utf-8") as file:
        file.write("NA,genuine\n,impostor\nnan,impostor\n")
    assert "--missing drop" in said(capsys, "fit plain.csv", code=2)
    assert main(["fit", "plain.csv", "--missing", "drop", "--family", "normal"]) == 0
    out, err = capsys.readouterr()
    assert "60 genuine and 60 impostors; 3 without a score left out" in out
    assert "120 rows, 3 more left out" in out
    assert err.startswith("warning: dropped trials without a score: 3 (1 of genuine, 2 of imp")
    assert "with --missing reject" in err
