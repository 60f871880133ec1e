"""Every reference as rows of one form: arguments, then values; what checks call a block."""

import json
import math
import platform
from pathlib import Path

HERE = Path(__file__).parent
MODERATE, WIDE = "shapes 0.05 to 1000", "shapes 0.001 to 1e6"

#: Digits promised: of most numbers twelve, of a range or a check other ones.
PROMISED = {WIDE: 9, "next to its end": 10}
OF_CHECKS = {"beta-mle": 10, "mixture-mle": 10, "tail-mle": 10, "ends": 10, "epc": 10}


def blocks():
    """All of them: check, region, digits promised, rows."""
    own = [block for name in ("accuracy", "fits") for block in read(name)["blocks"]]
    found = [*own, *of_pairs(), *of_areas(), *of_fits(), *of_curves()]
    rows = {}
    for block in found:
        for row in block["rows"]:
            region, as_taken = as_checked(block["check"], block["region"], row)
            rows.setdefault((block["check"], region), []).append(as_taken)
    return [
        {"check": check, "region": region, "rows": own,
         "digits": OF_CHECKS.get(check, PROMISED.get(region, 12))}
        for (check, region), own in rows.items()
    ]  # fmt: skip


def read(name):
    """A file of references."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def write(generator, mpmath, made):
    """The file of references that a generator makes, a row per line."""
    versions = {"mpmath": mpmath.__version__, "digits": mpmath.mp.dps}
    versions |= {"python": platform.python_version(), "generator": Path(generator).name}
    parts = []
    for check, region, block in made:
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in block)
        named = json.dumps({"check": check, "region": region})
        parts.append(f'{named[:-1]}, "rows": [\n{rows}\n]}}')
    head = json.dumps({"made_with": versions})[:-1]
    name = Path(generator).stem.removeprefix("make_")
    content = f'{head}, "blocks": [\n' + ",\n".join(parts) + "\n]}\n"
    (HERE / f"{name}.json").write_text(content, encoding="utf-8")


def as_checked(check, region, row):
    """A row of accuracy.json with what its check takes beside it."""
    if check in ("beta-inverse", "mixture-inverse"):
        return region, [*row[:-1], "0"]  # a round trip should be off by nothing
    if check == "beta-mle" and len(row) == 7:
        return region, [row[0], None, *row[1:]]
    if check == "pareto-tail" and 1.0 + row[0] * row[2] / row[1] < 0.01:
        return "next to its end", row
    return region, row


def of_pairs():
    sections = {
        "pairs": MODERATE, "table1": MODERATE, "wide": WIDE, "hard": WIDE,
        "binormal": "binormal", "mixed": "beta, normal and logit-normal beside each other",
        "inflated": "beta with point masses",
    }  # fmt: skip
    for section, region in sections.items():
        for row in read("pairs")[section]:
            sides = [row["client"], row["impostor"]]
            for check, own in rows_of_pair(row):
                yield {"check": check, "region": region, "rows": [[*sides, *own]]}


def rows_of_pair(row):
    yield "auc", [row["auc"], row["one_minus_auc"]]
    yield "eer", [row["eer"]["value"], place(row["eer"])]
    yield "ks", [row["ks"]["value"]]
    for entry in row["weighted"]:
        yield "weighted-error", [entry["alpha"], entry["value"], settled(entry)]
    for entry in row.get("far_targets", ()):
        far = entry["far"]
        logs = (v if abs(float(v)) < 690.0 else None
            for v in (entry["log_tpr"], entry["log_slope"]))  # fmt: skip
        yield "roc", [far, place(entry), repr(far), *logs]
    for low, high, area in row.get("partial_auc", ()):
        yield "partial-auc", [low, high, area]
    for entry in row.get("max_f", ()):
        yield "max-f", [entry["prior"], entry["weight"], entry["value"], settled(entry)]
    if "break_even" in row:
        entry = row["break_even"]
        yield "break-even", [entry["prior"], entry["value"], place(entry)]
    for prior, area in row.get("average_precision", ()):
        yield "average-precision", [prior, area]
    if "ends" in row:
        yield "ends", [v for end in ("at_zero", "at_one") for v in of_end(row["ends"][end])]


def of_end(end):
    log = float(end["log_coefficient"])
    semi = float(end["semi_derivative"])
    own = repr(math.exp(log)) if abs(log) < 1.0 else None  # one more rounding of a large log shows
    return [end["exponent"], own, end["semi_derivative"] if 0.0 < semi < math.inf else None]


def place(entry):
    return entry["logit"] if "logit" in entry else entry["threshold"]


def settled(entry):
    """The threshold of an optimum inside that no other is as good as."""
    alone = entry["kind"] == "interior" and float(entry["lead"]) >= 1e-9
    return place(entry) if alone else None


def of_areas():
    regions = {
        "hard": WIDE, "0.05 to 50": MODERATE, "0.05 to 1000": MODERATE, "0.001 to 1000000": WIDE,
    }  # fmt: skip
    for section, region in regions.items():
        rows = [
            [row["shapes"][:2], row["shapes"][2:], row["auc"], row["one_minus_auc"]]
            for row in read("beta_auc")[section]
        ]
        yield {"check": "auc", "region": region, "rows": rows}


def of_fits():
    def doubles(texts):
        return None if texts is None else [float.fromhex(v) for v in texts]

    rows = [
        [doubles(row["scores"]), doubles(row["weights"]), row["a"], row["b"], *row["cov"],
         row["log_likelihood"]]
        for row in read("beta_mle")["sets"]
    ]  # fmt: skip
    yield {"check": "beta-mle", "region": "2 to 500 scores, down to 5e-324, a + b up to 1e12",
           "rows": rows}  # fmt: skip


def of_curves():
    for row in read("epc_thresholds")["pairs"]:
        kind = [] if row["family"] == "beta" else [row["family"]]
        sides = [[*kind, *row["client"]], [*kind, *row["impostor"]]]
        rows = [
            [*sides, row["prior"], entry["criterion"], entry["alpha"], entry["y"]]
            for entry in row["entries"]
            if entry["kind"] == "interior"
        ]
        yield {"check": "epc", "region": "six criteria", "rows": rows}
