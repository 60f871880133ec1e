"""The references that come with the package: ``python tests/reference/make_selftest.py``.

Rows of every block of ``_blocks.py``, as evenly as a budget of bytes allows, as doubles in 17
digits: what ``betaroc selftest`` computes anew on the user's machine. Nothing is computed here;
how each value was made, README.md and ``accuracy.json`` say.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mpmath
from _blocks import blocks, read
from mpmath import mpf

TARGET = Path(__file__).parents[2] / "betaroc" / "cli" / "selftest.json"
#: Bytes of a block, and of a row; a row of what takes long counts for more.
BUDGET, LONGEST = 4200, 1500
SLOW = {"average-precision": 300, "max-f": 100, "epc": 80}


def shortened(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in "-0123456789":
        return value
    with mpmath.workdps(15):
        return str(mpmath.nstr(mpf(value), 17, strip_zeros=True))


def thinned(block: dict[str, Any]) -> list[Any]:
    rows = [row for row in block["rows"] if len(json.dumps(row)) <= LONGEST]
    rows = [[shortened(v) for v in row] for row in rows]
    slow = SLOW.get(block["check"], 0)
    count = max(3, int(BUDGET / (slow + sum(len(written(r)) for r in rows) / len(rows))))
    if count >= len(rows):
        return rows
    return [rows[int((k + 0.5) * len(rows) / count)] for k in range(count)]


def written(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def main() -> None:
    """Every block in turn."""
    made = read("accuracy")["made_with"]
    source = {
        "what": "mpmath at 60 digits, in 17",
        "mpmath": [made["mpmath"], read("pairs")["made_with"]["mpmath"]],
        "generators": ["tests/reference/" + name for name in (
            "make_accuracy.py", "make_pairs.py", "make_beta_auc.py", "make_beta_mle.py",
            "make_epc_thresholds.py", "make_fits.py", "make_selftest.py",
        )],
    }  # fmt: skip
    lines = []
    for block in blocks():
        rows = ",\n".join(map(written, thinned(block)))
        head = written({k: v for k, v in block.items() if k != "rows"})
        lines.append(f'{head[:-1]},"rows":[\n{rows}\n]}}')
    content = f'{{"source":{written(source)},\n"blocks":[\n' + ",\n".join(lines) + "\n]}\n"
    TARGET.write_text(content, encoding="utf-8")
    print(f"{TARGET}: {len(content)} bytes, {content.count(chr(10)) - 2 * len(lines) - 3} rows")


if __name__ == "__main__":
    main()
