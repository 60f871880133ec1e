"""What the labels call the classes, in every text and picture; names and keys as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.cli import main
from betaroc.core.vocabulary import ClassWords, shared_words

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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("60 client scores", "60 ham scores"), ("an impostor", "a spam mail trial"),
        ("No client of 9", "No ham trial of 9"),
        ("Clients: impostors", "Ham trials: spam mail trials"),
        ("the client's label", "the client's label"), ("--client-label", "--client-label"),
        ("fit.client, client_label=", "fit.client, client_label="), ("client-like", "client-like"),
        ("client      2", "ham         2"), ("1 impostor score", "1 spam mail score"),
        ("client.csv of clients", "client.csv of ham trials"), ('"client"', '"client"'),
    ],
)  # fmt: skip
def test_finished_texts(text: str, said: str) -> None:
    assert ClassWords("ham", "spam mail").said(text, ["client.csv"]) == said
    assert ClassWords().said(text) == text


def test_words_that_change_places_do_so_once() -> None:
    words = ClassWords("impostor", "client")
    assert words.said("clients, impostors") == "impostors, clients"


def test_sets_that_disagree_are_of_clients() -> None:
    assert shared_words([ClassWords(*WORDS), ClassWords(*WORDS)]) == WORDS
    assert shared_words([ClassWords(*WORDS), None]) == ("client", "impostor")


def test_pages_are_said_between_their_tags() -> None:
    page = '<p class="client" title="impostor">client <svg>client</svg><code>client</code></p>'
    said = '<p class="client" title="impostor">a&lt;b <svg>client</svg><code>client</code></p>'
    assert ClassWords("a<b", "c").in_markup(page) == said


@pytest.mark.simulation
def test_texts_of_the_commands(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
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


def test_pictures_and_tables_of_a_fit(files: list[str]) -> None:
    fit = br.fit(br.read_scores(files[0]))
    ax = fit.plot("densities")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(WORDS)
    assert [text.get_text() for text in fit.plot("qq").get_legend().get_texts()][:2] == list(WORDS)
    assert "bona fide: 60 scores" in str(fit.summary())
    assert "Bona fide prior:" in str(fit.summary())
    assert set(fit.to_frame()["class"]) == {"client", "impostor"}
