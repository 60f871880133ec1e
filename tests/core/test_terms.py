"""The words of the user's field: what is read changes, names and keys do not."""

import re
from dataclasses import replace

import numpy as np
import pytest

import betaroc as br
from betaroc.core import vocabulary as voc
from betaroc.model.criteria import CRITERIA
from betaroc.model.measures import MEASURES
from betaroc.model.statistics import STATISTICS
from helpers.commands import said
from helpers.files import write
from helpers.travellers import travellers

RNG = np.random.default_rng(1)
SCORES = br.Scores(RNG.beta(5, 2, 60), RNG.beta(2, 5, 80), name="FAR gate")
#: Of each field what stands for FAR, FRR, HTER and EER (ISO/IEC 2382-37 and 30107-3).
SHORT = {
    "biometric": ("FAR", "FRR", "HTER", "EER"),
    "matching": ("FMR", "FNMR", "HTER", "EER"),
    "pad": ("APCER", "BPCER", "ACER", "D-EER"),
    "ml": ("FPR", "FNR", "BER", "EER"),
    "medical": ("FPF", "FNF", "BER", "EER"),
}
#: Words of fields other than machine learning.
FOREIGN = (r"(?i)accept|reject|impostor|client|attack|sensor|trial|\bFARs?\b|\bFRR|HTER|half total"
    r"|genuine|marker|\bcases?\b|\bcontrols?\b|assay")  # fmt: skip


@pytest.mark.parametrize("name", voc.TERMS)
def test_slots_have_the_words_of_the_field(name):
    far, frr, hter, eer = SHORT[name]
    fill = voc.Vocabulary(voc.TERMS[name]).fill
    assert fill(f"{voc.FAR}, {voc.FRR}, {voc.HTER}, {voc.EER}") == f"{far}, {frr}, {hter}, {eer}"
    assert fill(f"{voc.FAR}s of the low-{voc.FAR} end") == f"{far}s of the low-{far} end"
    assert fill(voc.capital(f"{voc.EQUAL_ERROR_RATE}s"))[0].isupper()
    assert (fill(f"{voc.EQUAL_ERROR_RATE}s")[-5:], fill("")) == ("rates", "")


def test_classes_have_the_words_of_their_labels_and_expressions_brackets():
    pad = voc.Vocabulary(voc.TERMS["pad"], voc.ClassWords("bona fide", "attack")).fill
    assert pad(f"{voc.capital(voc.AN_IMPOSTOR)} of 9 {voc.IMPOSTORS}, 200 {voc.CLIENT} scores") == (
        "An attack of 9 attacks, 200 bona fide scores"
    )
    ham = voc.Vocabulary(voc.TERMS["ml"], voc.ClassWords("ham", "spam")).fill
    assert ham(f"{voc.A_CLIENT}, no {voc.ONE_IMPOSTOR}, {voc.IMPOSTOR} scores, {voc.CLIENTS}") == (
        "a ham item, no spam item, spam scores, ham items"
    )
    assert (
        voc.DEFAULT.fill(f"{voc.AN_IMPOSTOR}, {voc.members('client', 1)}") == "an impostor, client"
    )
    fill = voc.Vocabulary(voc.TERMS["pad"]).fill
    assert fill(voc.TPR) == "1 - BPCER"
    assert fill(f"{voc.FAR} - {voc.TPR} of at most") == "APCER - (1 - BPCER) of at most"


def test_an_alias_asks_for_the_same_number_and_an_unknown_name_is_refused():
    for alias, own in voc.ALIASES.items():
        if own != "eer":
            of_alias = br.interval(SCORES, alias, threshold=0.4)
            assert of_alias == br.interval(SCORES, own, threshold=0.4)
    assert br.interval(SCORES, "acer", at="d-eer") == br.interval(SCORES, "hter", at="eer")
    curve = br.epc(SCORES, br.Scores([0.9, 0.6], [0.1, 0.4]), criterion="bpcer", measure="apcer")
    assert curve.measure == "far"
    assert set(voc.ALIASES.values()) <= {*STATISTICS, "level"}
    of_their_own = {"recall", "sensitivity", "specificity"}  # the same number under their names
    assert set(voc.ALIASES) & {*STATISTICS, *CRITERIA, *MEASURES} == of_their_own
    assert not set(voc.ALIASES) & set(br.__all__)
    with pytest.raises(br.InputError, match="got 'acer'"):
        br.epc(SCORES, SCORES, criterion="acer")  # the HTER is no criterion
    with pytest.raises(br.InputError, match="terms must be one of 'biometric'"):
        SCORES.confusion(0.5).summary("PAD")


@pytest.mark.simulation
def test_an_analysis_says_them_and_keeps_names_and_keys(few):
    pad = br.analyze(SCORES, rng=1, terms="pad")
    plain = replace(pad, terms="biometric")
    first, second = pad.to_dict(), plain.to_dict()
    assert (first.pop("terms"), second.pop("terms")) == ("pad", "biometric")
    assert repr(first) == repr(second)
    text = pad.summary()
    assert "\n  FAR gate  " in text
    assert {"APCER", "BPCER"} <= {*re.findall(r"\w+", text)}
    assert not re.search(r"\bFAR\b(?! gate)|\bFRR\b|\bHTER\b|(?<!D-)\bEER\b", text)


@pytest.mark.simulation
@pytest.mark.parametrize(("terms", "words", "strange"), [
    pytest.param("ml", None, FOREIGN, marks=pytest.mark.nightly),
    ("medical", voc.ClassWords("sick", "well"), r"\bcases?\b|positives"),
], ids=["ml", "medical"])  # fmt: skip
def test_a_page_has_no_word_of_another_field(terms, words, strange, tmp_path, few):
    """Nor its pictures, whose texts are texts; "by chance alone would be as far" is no rate."""
    model = br.ScoreModel(br.Beta(4, 2), br.LogitNormal(-1, 1))
    sides = [replace(model.sample(60, 90, rng=k), words=words) for k in (2, 3)]
    analysis = br.analyze(*sides, family=("beta", "logit-normal"), rng=1, terms=terms)
    analysis.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    hidden = r"<(script|style).*?</\1>|<code.*?</code>|<[^>]*>"
    body = re.sub(hidden, " ", page, flags=re.DOTALL)
    shown = [*body.split("\n"), *re.findall(r'aria-label="([^"]*)"', page)]
    shown = [line.replace("as far off", "") for line in shown]
    assert [line for line in shown if re.search(strange, line)] == []
    assert not any(map(voc.is_slot, page))


@pytest.mark.simulation
def test_decisions_plans_and_summaries_have_the_words_of_the_field():
    fit = br.fit(SCORES, "beta", boundary="inflate")
    decisions = [
        br.decide(SCORES, terms="ml", **asked)
        for asked in ({"far": 0.1, "prior": 0.2}, {"precision": 0.6}, {"cost_fa": 1, "cost_fr": 2})
    ]
    check = decisions[0].check(br.Scores([0.9, 0.4, 0.7], [0.1, 0.6, 0.3]))
    with pytest.warns(br.ExtrapolationWarning, match="of the .* impostor scores planned"):
        plan = br.plan_sample_size("tpr@far=1e-4", model=fit, width=0.2, terms="ml")
    values = [*decisions, check, plan]
    texts = [*map(str, values), *(value._repr_html_() for value in values), str(fit.summary("ml"))]
    texts += [decisions[0].to_latex(), *(t.get_text() for t in check.plot().get_yticklabels())]
    names = r"(?s)<svg.*?</svg>|<style.*?</style>|@far=|FAR gate"
    shown = [re.sub(names, "", text) for text in texts]
    assert [text for text in shown if re.search(FOREIGN, text)] == []
    plain = br.decide(SCORES, far=0.1, prior=0.2)  # documents hold the default words
    assert str(br.from_json(decisions[0].to_json())) == str(plain)
    with pytest.raises(br.InputError, match="terms must be one of 'biometric'"):
        br.plan_sample_size("auc", model=fit, width=0.1, terms="PAD")


def test_rates_of_comparisons_have_their_names_and_nothing_else():
    assert voc.in_matching_rates(f"{voc.FAR} of {voc.CLIENTS}") == f"FMR of {voc.CLIENTS}"
    some = br.Scores.from_labels([1, 1, 0, 0], [0.4, None, 0.1, 0.2], missing="reject")
    with pytest.raises(br.InputError, match='terms="matching" must be left out'):
        br.decide(some, eer=True, terms="matching")


@pytest.mark.simulation
def test_the_command_line_says_them_and_json_does_not(tmp_path, capsys):
    file = write(tmp_path / "FAR.csv", SCORES.client, SCORES.impostor)
    call = f"fit {file} --family beta --terms"
    text = said(capsys, f"{call} matching")
    assert "FAR.csv" in text
    assert "TMR at FMR 1 %" in text
    assert said(capsys, f"{call} ml --json") == said(capsys, f"{call} biometric --json")


@pytest.mark.nightly
def test_no_text_of_a_result_has_a_slot():
    """Whatever is shown without a field has the default words."""
    for name, value in travellers().items():
        texts = [str(value), repr(value)]
        texts += [getattr(value, way)() for way in ("to_json", "to_latex") if hasattr(value, way)]
        texts += [str(value.summary())] if isinstance(value, br.Fit) else []
        assert not any(map(voc.is_slot, "".join(texts))), name
