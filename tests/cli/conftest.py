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
    files = {
        "plain.csv": ("score,label", "{s!r},{y}"),
        "euro.csv": ("score;label;site", "{e};{y};Köln"),
        "bare.txt": (None, "{y} {s!r}"),
        "numbers.csv": (None, "{t},{s!r},{y}"),
        "trials.txt": (None, "{t} {s!r}"),
        "key.txt": (None, "{t} {k}"),
        "people.csv": ("claimed,real,score", "a,{a},{s!r}"),
    }
    for name, (header, row) in files.items():
        lines = [] if header is None else [header]
        for trial, score, label in rows:
            first = label == "genuine"
            lines.append(row.format(
                s=score, e=repr(score).replace(".", ","), y=label, t=trial,
                k="target" if first else "nontarget", a="a" if first else "b",
            ))  # fmt: skip
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("g.txt").write_text("".join(f"{s!r}\n" for s in client.tolist()))
    Path("i.txt").write_text("".join(f"{s!r}\n" for s in impostor.tolist()))
    return tmp_path
