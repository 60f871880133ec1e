"""Score files that tests write."""

#: The configuration of a small study, to which keys may be put before and parameters after.
STUDY = """statistics = ["true.auc"]
[design.grid]
a_c = [2.0, 3.0]
b_c = 1.0
a_i = 1.0
b_i = 2.0
"""


def write(path, client, impostor):
    """A file of score and label, and its name."""
    rows = [(float(s), label) for label, side in ((1, client), (0, impostor)) for s in side]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{s!r},{label}\n" for s, label in rows)
    path.write_text(f"score,label\n{text}", encoding="utf-8")
    return str(path)
