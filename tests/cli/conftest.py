"""The same trials in files of several shapes."""

from pathlib import Path

import numpy as np
import pytest

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
