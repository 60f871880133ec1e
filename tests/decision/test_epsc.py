"""Expected performance and spoofability curves, beside bob and beside curves at one omega."""

import json

import numpy as np
import pytest

import betaroc as br
from helpers.commands import said
from helpers.files import write
from helpers.places import REFERENCES

PEER = json.loads((REFERENCES / "epsc_bob.json").read_text())
OMEGAS = PEER["results"]["wer"]["omega"]
KINDS = ["zero-effort"] * 60 + ["spoof"] * 55


def peer(side, **options):
    part = PEER[side]
    impostor = part["licit_neg"] + part["spoof_neg"]
    return br.Scores(part["licit_pos"], impostor, impostor_strata=KINDS, **options)


DEV, TEST = peer("dev"), peer("test")


def over(omega):
    return {"zero-effort": 1.0 - omega, "spoof": omega}


def rates(side, t):
    """FMR, IAPMR and FNMR by counting; accepted is a score above the threshold."""
    zero, spoof, client = (np.array(PEER[side][k]) for k in ("licit_neg", "spoof_neg", "licit_pos"))
    return np.mean(zero > t), np.mean(spoof > t), np.mean(client <= t)


@pytest.mark.parametrize("criterion", ["wer", "eer"])
def test_bobs_rates_and_the_exact_minimum(criterion):
    """betas x omegas of bob.bio.base, which accepts at its threshold and above."""
    theirs = {k: np.array(v) for k, v in PEER["results"][criterion].items() if k != "criterion"}
    at = np.nextafter(theirs["thresholds"], -np.inf)
    fmr, iapmr, fnmr = np.moveaxis([[rates("test", t) for t in row] for row in at], -1, 0)
    omega, beta = np.meshgrid(theirs["omega"], theirs["beta"])
    empty = np.full(15, np.nan)
    flat = [np.ravel(x) for x in (omega, beta, at, fmr, iapmr, fnmr)]
    result = br.results.Epsc(criterion, ("spoof",), *flat, empty, empty)
    for ours, name in ((fmr, "far"), (iapmr, "iapmr"), (fnmr, "frr"), (result.hter, "hter_w"),
                       (result.far_omega, "far_w")):  # fmt: skip
        np.testing.assert_allclose(np.ravel(ours), np.ravel(theirs[name]), rtol=0, atol=1e-12)

    betas = theirs["beta"] if criterion == "wer" else [0.5]  # abs(FAR_omega - FNMR) has no weights
    curve = br.epsc(DEV, TEST, omega=OMEGAS, beta=betas if criterion == "wer" else None,
                    criterion=criterion)  # fmt: skip
    own = np.array([rates("dev", t) for t in curve.threshold]).T
    far = curve.omega * own[1] + (1 - curve.omega) * own[0]
    beta = curve.beta
    value = beta * far + (1 - beta) * own[2] if criterion == "wer" else np.abs(far - own[2])
    rows = [PEER["results"]["wer"]["beta"].index(b) for b in betas]
    value = value.reshape(5, -1).T
    assert np.all(value <= theirs["dev_criterion_at_bob_threshold"][rows] + 1e-12)
    least = theirs["dev_criterion_exact_minimum"][rows]
    np.testing.assert_allclose(value, least, rtol=0, atol=1e-12)
    observed = np.array([rates("test", t) for t in curve.threshold]).T
    np.testing.assert_allclose([curve.fmr, curve.iapmr, curve.fnmr], observed, atol=1e-15)


@pytest.mark.filterwarnings("ignore::betaroc.errors.ExtrapolationWarning")
@pytest.mark.parametrize("kinds", [
    ("scores", "scores"), pytest.param(("fits", "fits"), marks=pytest.mark.simulation),
    pytest.param(("fits", "scores"), marks=pytest.mark.nightly),
])  # fmt: skip
@pytest.mark.parametrize("criterion", ["weighted-error", "eer"])
def test_at_one_omega_it_is_the_curve_over_strata(kinds, criterion):
    dev, test = (
        br.fit(side, "normal", by="stratum") if kind == "fits" else side
        for kind, side in zip(kinds, (DEV, TEST), strict=True)
    )
    short, alpha = ("eer", None) if criterion == "eer" else ("wer", [0.2, 0.5])
    curve = br.epsc(dev, test, omega=[0.0, 0.3, 1.0], beta=alpha, criterion=short)
    for omega in (0.0, 0.3, 1.0):
        e = br.epc(dev, test, criterion=criterion, alpha=alpha, over=over(omega))
        band, here = e.band(resample="test"), curve.omega == omega
        np.testing.assert_array_equal(curve.threshold[here], e.threshold)
        own = [x[here] for x in (curve.hter, curve.low, curve.high)]
        np.testing.assert_allclose(own, [e.value, band.low, band.high], rtol=1e-9, atol=1e-14)


@pytest.mark.simulation
def test_bands_of_groups_and_with_dev_drawn_again_are_those_of_the_curve():
    persons = {"client_groups": np.arange(50) // 5, "impostor_groups": np.arange(115) % 20}
    test = peer("test", **persons)
    for options in ({"resample": "test"}, {"resample": "both", "replicates": 50, "rng": 1}):
        curve = br.epsc(DEV, test, omega=[0.3, 0.6], beta=[0.2, 0.5], **options)
        band = br.epc(DEV, test, alpha=[0.2, 0.5], over=over(0.3)).band(**options)
        own = [x[curve.omega == 0.3] for x in (curve.low, curve.high)]
        np.testing.assert_allclose(own, [band.low, band.high], rtol=1e-9)
    alone = br.epsc(DEV, test, omega=0.3, beta=[0.2, 0.5], groups=False)
    assert np.all(alone.high < own[1])
    assert np.isnan(br.epsc(DEV, test, omega=0.3, resample=None).low[0])


def test_species_are_pooled_or_weighted_and_others_left_out():
    """Of 4, 2 and 4 trials of species 3, 1 and 4 lie above 2.5, of 4 zero-effort ones 1."""
    kinds = ["zero-effort"] * 4 + ["a"] * 4 + ["b"] * 2 + ["c"] * 4
    impostor = [0, 1, 2, 3, 1, 3, 3, 4, 2, 3, 3, 3, 3, 3]
    dev = br.Scores([2.6, 4, 5], impostor, impostor_strata=kinds, client_strata=list("xyy"))
    test = br.Scores([2.6, 4, 5, 6], impostor, impostor_strata=kinds)
    for attack, expected in (
        (None, 8 / 10), ("a", 3 / 4), (["a", "b"], 4 / 6), ({"a": 0.5, "b": 0.5}, 0.625),
        ({"a": 0, "c": 1}, 1.0),
    ):  # fmt: skip
        curve = br.epsc(dev, test, omega=0.01, beta=0.01, attack=attack)
        assert curve.threshold[0] == pytest.approx(2.3)  # between the scores 2 and 2.6
        assert (curve.iapmr[0], curve.fmr[0]) == pytest.approx((expected, 0.25))
    sites = ["s1"] * 2 + ["s2"] * 2 + ["a"] * 4
    bare = [br.Scores(x.client, impostor[:8], impostor_strata=sites) for x in (dev, test)]
    curve = br.epsc(*bare, attack="a", omega=0.01, beta=0.01)
    assert curve.fmr[0] == 0.25  # all others are zero-effort
    with pytest.raises(br.errors.InputError, match=r"leave its zero-effort ones; got .*'s2'"):
        br.epsc(*bare)


def test_all_ties_and_separated_classes():
    kinds = ["zero-effort"] * 4 + ["p"] * 4
    for impostor, hter in (([3.0] * 8, 0.5), ([1.0, 2.0] * 4, 0.0)):
        dev, test = (br.Scores([3.0] * n, impostor, impostor_strata=kinds) for n in (4, 5))
        curve = br.epsc(dev, test, omega=[0, 0.5, 1])
        assert curve.hter.tolist() == [hter] * 3
        assert np.all((curve.low <= hter) & (hter <= curve.high) & (curve.low < curve.high))


def test_what_is_refused():
    model, bare = br.ScoreModel(br.Beta(2, 1), br.Beta(1, 2)), br.Scores([2, 3], [0, 1.5])
    masks = br.Scores([2, 3], [0, 1.5], impostor_strata=["zero-effort", "mask"])
    fits = br.fit(DEV, "normal", by="stratum")
    for sides, options, words in (
        ((bare, TEST), {}, "strata of dev and leave .* where it has none"),
        ((DEV, bare), {}, "strata of test"), ((model, TEST), {}, "strata of dev"),
        ((br.fit(DEV, "normal"), TEST), {}, "strata of dev"),
        ((DEV, masks), {"attack": "spoof"}, "strata of test.*'spoof', where it has 'mask'"),
        ((fits, masks), {}, "got 'mask', 'spoof', where it has 'spoof'"),
        ((DEV, TEST), {"attack": ["spoof", "zero-effort"]}, "leave its zero-effort"),
        ((DEV, TEST), {"attack": []}, "got none"), ((DEV, TEST), {"attack": 3}, "'3'"),
        ((DEV, TEST), {"attack": {"spoof": 0.0}}, "attack must have weights that sum to 1; got 0"),
        ((DEV, TEST), {"omega": [0.5, 1.5]}, "omega must be fractions"),
        ((DEV, TEST), {"omega": []}, r"such as omega=\[0.1"),
        ((DEV, TEST), {"beta": 0.5, "criterion": "eer"}, "no beta"),
    ):  # fmt: skip
        with pytest.raises(br.BetarocError, match=words) as error:
            br.epsc(*sides, **options)
        assert len(str(error.value)) <= 400


@pytest.mark.simulation
def test_the_command_says_writes_and_draws_what_python_computes(tmp_path, capsys):
    for name, scores in (("dev", DEV), ("test", TEST)):
        kinds = ["client"] * scores.n_client + KINDS
        write(tmp_path / f"{name}.csv", scores.client, scores.impostor, label=kinds)
    call = f"epsc --dev {tmp_path}/dev.csv --test {tmp_path}/test.csv --client-label client"
    document = json.loads(said(capsys, f"{call} --json --beta 0.2 0.5"))
    curve = br.epsc(DEV, TEST, beta=[0.2, 0.5])
    for name, column in curve.to_frame().items():
        assert document[name] == column.tolist()
    page, picture = tmp_path / "page.html", tmp_path / "epsc.svg"
    text = said(capsys, f"{call} --html {page} -o {picture} --attack spoof=1 --family normal")
    assert "attacks: spoof" in text
    assert "<svg" in page.read_text()
    assert picture.read_text().startswith("<?xml")
    assert "must be a new file" in said(capsys, f"{call} --html {page}", code=2)
    assert "--attack must name" in said(capsys, f"{call} --attack mask", code=2)
