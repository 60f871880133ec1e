"""What the labels call the classes, in every text and picture; names and keys as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from betaroc.cli import main

Capture = pytest.CaptureFixture[str]

WORDS = ("bona fide", "attack")
HOSTILE = ("<script>x</script>", "&amp;")


def write(path: Path, seed: int, words: tuple[str, str]) -> str:
    rng = np.random.default_rng(seed)
    samples = zip(words, (rng.beta(5, 2, 60), rng.beta(2, 5, 80)), strict=True)
    rows = [f"{word},{x!r}" for word, sample in samples for x in sample.tolist()]
    path.write_text("\n".join(["label,score", *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [write(tmp_path / f"{k}.csv", k, WORDS) for k in range(4)]


@pytest.mark.simulation
def test_texts_of_the_commands(files: list[str], capsys: Capture) -> None:
    dev, test, dev_b, test_b = files
    for call in (
        ["fit", dev], ["epc", "--dev", dev, "--test", test],
        ["compare", "--dev", dev, dev_b, "--test", test, test_b, "--replicates", "20"],
        ["threshold", dev, "--far", "0.1"],
    ):  # fmt: skip
        assert main(call) == 0
        text = capsys.readouterr().out
        own = re.sub(r"client's|= client|--client-label", "", text)
        assert "bona fide" in text, call
        assert not re.search("client|impostor", own, re.IGNORECASE), call
    assert main(["fit", dev, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"client", "impostor"} <= set(found)


@pytest.mark.simulation
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("words", [pytest.param(WORDS, marks=pytest.mark.nightly), HOSTILE])
def test_the_report(tmp_path: Path, words: tuple[str, str]) -> None:
    dev, test = (write(tmp_path / f"{k}.csv", k, words) for k in range(2))
    out = tmp_path / "r.html"
    call = ["report", "--dev", dev, "--test", test, "-o", str(out), "--family", "beta"]
    assert main([*call, "--client-label", words[0]]) == 0
    page = out.read_text(encoding="utf-8")
    told = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    escaped = re.sub("[<>&]", lambda found: told[found[0]], words[0])
    assert f"60 {escaped}" in page
    assert page.count("<script") == 3  # numbers and places of the slider, and the script
    assert escaped == words[0] or words[0] not in page
