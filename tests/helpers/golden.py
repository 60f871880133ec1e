"""What every command and noun shows on shipped sets, made in one process. ``python
tests/helpers/golden.py`` writes the files of ``tests/golden`` anew; look at each change."""

import contextlib
import functools
import html
import io
import json
import math
import os
import re
import shlex
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path
from unittest import mock

import numpy as np

import betaroc as br
from betaroc.cli import COMMANDS, main
from betaroc.cli.messages import say

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "golden"

_CROSS, _WITHIN = "examples/data/liveness_cross_", "examples/data/liveness_within_"
_PAIR = f"--dev {_CROSS}mlp/dev.csv --test {_CROSS}mlp/test_sharpen0.40.csv"
_SYSTEMS = " ".join(f"--system {name} {_CROSS}{name}/dev.csv {_CROSS}{name}/test_sharpen0.40.csv"
    for name in ("mlp", "forest", "logreg"))  # fmt: skip
_BOB = "--dev examples/data/bob_verif/dev.csv --test examples/data/bob_verif/eval.csv"

_CANVAS = "matplotlib.backends.backend_svg.FigureCanvasSVG.print_svg"

#: By situation the calls of the command line that it is seen by.
SITUATIONS = {
    "one_system": [
        f"threshold {_CROSS}mlp/dev.csv --far .1 --test {_CROSS}mlp/test_sharpen0.40.csv",
        f"fit {_CROSS}mlp/dev.csv", f"epc {_PAIR}",
        f"plan tpr@far=.01 --width .1 --from {_CROSS}mlp/dev.csv",
        f"report {_PAIR} --target far=.1 --family beta"],
    "several_systems": [f"threshold --far .1 {_SYSTEMS}",
        f"fit {_SYSTEMS}", f"epc {_SYSTEMS}", f"compare {_SYSTEMS} --replicates 500",
        f"report {_SYSTEMS} --target far=.1 --family beta"],
    "ensemble": ["ensemble systems.csv --client-label 1",
        f"compare {_SYSTEMS} --resample test --measure far --criterion far"],
    "groups": ["threshold grouped.csv --far .1 --group person --family normal",
        "fit grouped.csv --group person --family normal",
        "report --dev grouped.csv --group person --family normal --target far=.1"],
    "costs": [f"threshold {_WITHIN}logreg/dev.csv --cost-fa 10 --cost-fr 1 --prior .9",
        f"report --dev {_WITHIN}logreg/dev.csv --target cost_fa=10,cost_fr=1,prior=.9"
        " --family beta"],
    "equal_error_rate": [f"threshold {_BOB[6:]} --eer --family normal",
        f"report {_BOB} --target eer --family normal"],
    "no_test": [f"threshold {_WITHIN}svmdecision/dev.csv --frr .05",
        f"fit {_WITHIN}svmdecision/dev.csv --statistic eer --statistic tpr@far=.1",
        f"report --dev {_WITHIN}svmdecision/dev.csv --target frr=.05 --family normal"],
    "broken_target": [
        f"threshold {_CROSS}forest/dev.csv --far .01 --test {_CROSS}forest/test_sharpen1.00.csv",
        f"report --dev {_CROSS}forest/dev.csv --test {_CROSS}forest/test_sharpen1.00.csv"
        " --target far=.01 --family beta"],
    "pad_words": [f"threshold {_CROSS}logreg/dev.csv --far .05"
        f" --test {_CROSS}logreg/test_sharpen0.80.csv --terms pad",
        f"fit {_CROSS}logreg/dev.csv --terms pad",
        f"report --dev {_CROSS}logreg/dev.csv --test {_CROSS}logreg/test_sharpen0.80.csv"
        " --target far=.05 --family beta --terms pad"],
}  # fmt: skip


@functools.cache
def nouns():
    """What a notebook shows, each made once; without warnings, which the calls show."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", br.BetarocWarning)
        dev, test = (br.read_scores(ROOT / f"{_CROSS}mlp/{name}.csv")
            for name in ("dev", "test_sharpen0.40"))  # fmt: skip
        other = [br.read_scores(ROOT / f"{_CROSS}logreg/{name}.csv")
            for name in ("dev", "test_sharpen0.40")]  # fmt: skip
        fit = br.fit(dev, "beta")
        epcs = br.epc(dev, test), br.epc(*other)
        decision = br.decide(dev, far=0.1, family="beta")
        return {
            "Scores": dev,
            "ScoreModel": fit.model,
            "Fit": fit,
            "Decision": decision,
            "DecisionCheck": decision.check(test),
            "Epc": epcs[0],
            "Comparison": br.compare(*epcs, replicates=500, rng=1),
            "Inclusion": br.inclusion(systems()),
            "FitCheck": br.check_fit(fit, replicates=99, rng=1),
            "FamilyComparison": br.compare_families(dev, ["beta", "normal"]),
            "Interval": br.interval(dev, "auc"),
            "Difference": br.difference(test, other[1], "auc"),
            "Band": fit.roc_band(),
            "SampleSize": br.plan_sample_size("auc", width=0.05, model=fit.model),
            "Analysis": br.analyze(dev, test, family="beta", target={"far": 0.1}),
        }


def systems():
    """Three systems of one set of trials, generated."""
    import pandas as pd

    rng, label = np.random.default_rng(5), np.repeat([1, 0], 150)
    common = rng.normal(size=300) + 1.5 * label
    columns = {f"s{k}": common + rng.normal(0.0, k, 300) for k in (1, 2)}
    return pd.DataFrame({"label": label, **columns, "noise": rng.normal(size=300)})


def _write_sets():
    """The files of the calls, in the working folder."""
    Path("examples").symlink_to(ROOT / "examples")
    systems().to_csv("systems.csv", index=False)
    rng = np.random.default_rng(6)
    people = rng.normal(size=60)
    rows = [f"{people[k] * 0.6 + rng.normal(1.8 * label, 1.0):.4f},{label},p{k:02}"
        for k in range(60) for label in (1, 0, 0, 1)]  # fmt: skip
    Path("grouped.csv").write_text("\n".join(["score,label,person", *rows]) + "\n", "utf-8")


def _print_empty(canvas, file, **_options):
    file.write('<svg viewBox="0 0 1 1"><defs></defs></svg>')


class _Forms:
    """In the place of `say`: what one computation shows, in every form that the command has."""

    def __init__(self):
        self.texts = {}

    def __call__(self, arguments, document, tree, *rest, **options):
        made, forms = document(), ["text", "text in 120 columns", "json"]
        forms += [form for form in ("csv", "latex") if hasattr(arguments, form)]
        for form in forms:
            for flag in ("json", "csv", "latex"):
                setattr(arguments, flag, flag == form)
            wide = {"COLUMNS": "120"} if form.endswith("columns") else {}
            with mock.patch.dict(os.environ, wide), printed() as (out, err):
                say(arguments, lambda: made, tree, *rest, **options)
            text = out.getvalue() + err.getvalue()
            if text not in self.texts.values():  # nor a form that this call does not have
                self.texts[form] = _few_rows(text) if form in ("csv", "latex") else text


def _few_rows(text):
    """The first rows of a table and its last."""
    rows = text.splitlines(keepends=True)
    return text if len(rows) < 12 else "".join([*rows[:6], f"... {len(rows)} lines\n", rows[-1]])


@contextlib.contextmanager
def printed():
    """What is printed, on the standard output and beside it."""
    with (contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err):  # fmt: skip
        yield out, err


def shown(line):
    """By form what a call shows."""
    forms, argv = _Forms(), shlex.split(line)
    if argv[0] == "report":
        argv += ["-o", "page.html", "--force"]
    if argv[0] == "ensemble":
        argv += ["--html", "page.html", "--force"]
    with contextlib.ExitStack() as stack:
        for name in (*COMMANDS, "curves"):
            module = import_module(f"betaroc.cli.{name}")
            if hasattr(module, "say"):
                stack.enter_context(mock.patch.object(module, "say", forms))
        stack.enter_context(mock.patch("betaroc.report.score_set.CHECK_REPLICATES", 19))
        # A picture is made, but not written: pages are kept without.
        stack.enter_context(mock.patch(_CANVAS, _print_empty))
        out, err = stack.enter_context(printed())
        code = main(argv)
    texts, rest = forms.texts, out.getvalue() + err.getvalue()
    if rest:
        texts["beside it"] = rest
    if code:
        texts["exit code"] = str(code)
    page = Path("page.html")
    if page.exists():
        texts["page"] = page_text(page.read_text("utf-8"))
        page.unlink()
    return texts


def page_text(page):
    """A page without pictures, styles, scripts and tags; a block on a line."""
    bare = re.sub(r"(?s)<(svg|style|script)\b.*?</\1>|<!--.*?-->", "", page)
    bare = re.sub(r"</?(?:t[dh]|span|a|b|i|em|strong|code|sub|sup|small|abbr)\b[^>]*>", " ", bare)
    lines = (" ".join(html.unescape(line).split()) for line in re.split(r"<[^>]+>|\n", bare))
    return "\n".join(filter(None, lines)) + "\n"


def short(value):
    """A document with long lists of numbers as their length, ends, and two sums."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) > 8 and all(isinstance(item, int | float) for item in value):
        total = math.fsum(value)
        by_place = math.fsum(k * item for k, item in enumerate(value, 1))
        return {"length": len(value), "ends": [value[0], value[-1]], "sums": [total, by_place]}
    return [short(item) for item in value]


def situation(name):
    """By call and form what a situation shows; JSON as values."""
    kept = {}
    for line in SITUATIONS[name]:
        texts = dict(shown(line))
        if "json" in texts:
            texts["json"] = short(json.loads(texts["json"]))
        kept[line] = texts
    return kept


def blocks():
    """What a notebook shows of each noun, without pictures, styles and empty lines."""
    hidden = re.compile(r"(?s)<(svg|style|script)\b.*?</\1>| (?:id|class|style)=\"[^\"]*\"")
    with mock.patch(_CANVAS, _print_empty):
        bare = {name: hidden.sub("", noun._repr_html_()) for name, noun in nouns().items()}
    return "".join(f"--- {name}\n" + re.sub(r"\n\s*\n+", "\n", block)
        for name, block in bare.items())  # fmt: skip


def latex():
    """The table of each noun, and its text."""
    return "".join(f"--- {name}\n{noun!s}\n{_few_rows(noun.to_latex())}"
        for name, noun in nouns().items())  # fmt: skip


def text_of_forms(made):
    """What every call of a situation shows, in every form but JSON."""
    return "".join(f"$ betaroc {line}\n" + "".join(f"--- {form}\n{text}"
        for form, text in forms.items()) for line, forms in made.items())  # fmt: skip


@contextlib.contextmanager
def working_folder():
    """An empty folder with the generated files, where calls are made."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        _write_sets()
        with mock.patch.dict(os.environ, {"COLUMNS": "80", "NO_COLOR": "1"}):
            yield


def write():
    """All files anew."""
    FOLDER.mkdir(exist_ok=True)
    with working_folder():
        for name in SITUATIONS:
            made = situation(name)
            documents = {line: forms.pop("json") for line, forms in made.items() if "json" in forms}
            (FOLDER / f"{name}.txt").write_text(text_of_forms(made), "utf-8")
            (FOLDER / f"{name}.json").write_text(json.dumps(documents, indent=0), "utf-8")
        (FOLDER / "blocks.html").write_text(blocks(), "utf-8")
        (FOLDER / "tables.tex").write_text(latex(), "utf-8")


if __name__ == "__main__":
    sys.exit(write())
