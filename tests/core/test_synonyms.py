"""One rate by all of its names: arguments, statistics, options, and what is suggested."""

import numpy as np
import pytest

import betaroc as br
from betaroc.core.checks import complement
from betaroc.core.errors import BetarocError
from betaroc.core.text import did_you_mean, parse_number
from betaroc.core.vocabulary import RATE_NAMES, RATES, TERMS
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.model.statistics import STATISTICS
from helpers.commands import said
from helpers.files import write

RNG = np.random.default_rng(3)
SCORES = br.Scores(RNG.beta(5, 2, 60), RNG.beta(2, 5, 80))
FIT = br.fit(SCORES, "beta")
#: By theorem: TPR = 1 - FRR and TNR = 1 - FAR; 0.9 and 0.1 are one decimal and what it lacks of 1.
FAR = [(n, 0.1) for n in ("far", "fpr", "fmr", "apcer", "fpf")]
FAR += [(n, 0.9) for n in ("tnr", "specificity", "tnmr", "tnf")]
FRR = [(n, 0.1) for n in ("frr", "fnr", "fnmr", "bpcer", "fnf")]
FRR += [(n, 0.9) for n in ("tpr", "recall", "sensitivity", "tar", "gar", "tmr", "tpf")]
#: ISO/IEC 2382-37, ISO/IEC 30107-3 and Fawcett (2006): the two errors of a field.
OPPOSITE = {
    "far": "frr", "fpr": "fnr", "fmr": "fnmr", "apcer": "bpcer", "fpf": "fnf", "tpr": "tnr",
    "sensitivity": "specificity", "recall": "specificity", "tmr": "tnmr", "tpf": "tnf",
}  # fmt: skip


def test_a_point_and_a_decision_by_any_name_of_a_rate():
    for own, names in (("far", FAR), ("frr", FRR)):
        wanted = br.interval(SCORES, "threshold", **{own: 0.1})
        for name, value in names:
            assert br.interval(SCORES, f"threshold@{name}={value}") == wanted
    decided = br.decide(SCORES, family="beta", far=0.1)
    assert br.decide(SCORES, family="beta", fpr=0.1) == decided
    assert br.decide(SCORES, family="beta", specificity=0.9) == decided


def test_youden_is_costs_of_one_at_a_prior_of_one_half():
    """TPR - FAR = 1 - 2 (FRR / 2 + FAR / 2)."""
    by_costs = br.decide(SCORES, cost_fa=1, cost_fr=1, prior=0.5, family="beta")
    found = br.decide(SCORES, youden=True, family="beta")
    assert found == by_costs
    at = SCORES.confusion(found.threshold)
    everywhere = SCORES.confusion(np.concatenate([SCORES.client, SCORES.impostor]))
    assert at.far + at.frr == np.min(everywhere.far + everywhere.frr)


def test_level_and_confidence_are_one_argument_and_rates_of_comparisons_not_of_trials():
    assert br.interval(FIT, "auc", confidence=0.9) == br.interval(FIT, "auc", level=0.9)
    with pytest.raises(br.InputTypeError, match="confidence must not stand beside level"):
        br.interval(FIT, "auc", confidence=0.9, level=0.9)
    some = br.Scores(SCORES.client, SCORES.impostor, n_client_rejected=3)
    with pytest.raises(br.InputError, match="'fmr' is of comparisons made"):
        br.decide(some, fmr=0.1)
    with pytest.raises(br.InputError, match="Name both alike"):
        br.interval(some, "tpr", fmr=0.1)
    made = br.interval(some, "tmr", fmr=0.1)
    assert made == br.interval(SCORES, "tpr", far=0.1)


@pytest.mark.parametrize(("call", "words", "argument"), [
    (lambda: br.decide(SCORES, fpr=1.5), "fpr must be a fraction strictly", "fpr"),
    (lambda: br.decide(SCORES, tpr=0.9, frr=0.1), "got frr and tpr", None),
    (lambda: br.decide(SCORES, fprr=0.1), "'fprr' must be an argument", "fprr"),
    (lambda: br.decide(SCORES, youden=True, prior=0.1), "youden must stand alone", "youden"),
    (lambda: br.interval(FIT, "tpr", tnr=2), r"tnr must be a fraction in \[0, 1\]", "tnr"),
    (lambda: br.interval(FIT, "tpr", far=0.1, fpr=0.1), "needs a point, one of", None),
])  # fmt: skip
def test_what_is_refused_is_called_as_it_was_typed(call, words, argument):
    with pytest.raises(BetarocError, match=words) as refused:
        call()
    assert refused.value.argument == argument


@pytest.mark.parametrize("options", [
    RATE_NAMES, (*STATISTICS, *CRITERIA, *MEASURES), ("--far", "--frr", "--force"),
], ids=["rates", "names", "options"])  # fmt: skip
def test_no_suggestion_names_the_opposite_error(options):
    pairs = {*OPPOSITE.items(), *((b, a) for a, b in OPPOSITE.items())}
    rows = {name: {*row} for row in RATES for name in row}
    start = "--" if options[0].startswith("--") else ""
    for word, other in pairs:
        for typed in {word, word[:-1], word[1:], f"{word}e"} - rows[other]:
            told = did_you_mean(start + typed, options)
            assert not any(f"'{start}{name}'" in told for name in rows[other]), (typed, told)


def test_suggestions_are_of_the_same_rate_and_the_table_has_every_word_once():
    assert did_you_mean("--fpr", ["--far", "--frr"]) == "Did you mean '--far'? "
    assert did_you_mean("FNMR", ["far", "frr"]) == "Did you mean 'frr'? "
    assert did_you_mean("tpr", ["far", "frr"]) == ""
    assert did_you_mean("specifity", RATE_NAMES) == "Did you mean 'specificity'? "
    assert did_you_mean("hter", ["weighted-error", "far"]) == "Did you mean 'weighted-error'? "
    assert did_you_mean("confidence", ["level", "rng"]) == "Did you mean 'level'? "
    assert len(set(RATE_NAMES)) == len(RATE_NAMES)
    for own, row in zip(("far", "frr", "tpr", "tnr"), RATES, strict=True):
        words = {getattr(terms, own).short.lower() for terms in TERMS.values()}
        assert {word for word in words if " " not in word} <= set(row)


def test_a_number_may_be_a_percentage_or_a_complement():
    assert [parse_number(t) for t in ("0.01", "1%", "95 %", " 0.7% ", "1e-3")] == [
        0.01, 0.01, 0.95, 0.007, 0.001
    ]  # fmt: skip
    for text in ("%", "1%%", "1/0%", "1e-1%", "inf%", "one"):
        with pytest.raises(ValueError, match="could not convert"):
            parse_number(text)
    # 0.999999 lacks 1e-6; in doubles 1 - 0.999999 is 1.00000000002876e-06.
    given, meant = (0.9, 0.95, 0.999999, 1.0, 0.0), [0.1, 0.05, 1e-6, 0.0, 1.0]
    assert [complement(x, "x") for x in given] == meant


@pytest.mark.simulation
def test_options_by_any_name_decide_alike(tmp_path, capsys):
    file = write(tmp_path / "dev.csv", SCORES.client, SCORES.impostor)
    call = f"threshold {file} --family beta --json"
    one = said(capsys, f"{call} --far 10% --level 95%")
    assert one == said(capsys, f"{call} --specificity '90 %' --confidence 95%")
    error = said(capsys, f"threshold {file} --fpr 1.5", code=2)
    assert error.startswith("betaroc: --fpr must be a fraction")
