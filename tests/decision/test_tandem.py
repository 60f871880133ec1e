"""A countermeasure and a verifier in tandem: t-DCF, t-EER, their intervals and differences."""

import json
from dataclasses import replace

import numpy as np
import pytest

import betaroc as br
from helpers.places import REFERENCES

approx = pytest.approx
PEER = json.loads((REFERENCES / "asvspoof5.json").read_text())
RESULT = PEER["result"]
SIZES = [len(part) for part in PEER["asv"].values()]
IDS = np.array([f"trial {k}" for k in range(sum(SIZES))])
STRATA = np.repeat(["nontarget", "spoof"], SIZES[1:])
#: They accept what equals the threshold of their verifier.
BELOW = np.nextafter(RESULT["asv_eer_threshold"], -np.inf)


def side(parts, **more):
    target, *others = parts.values()
    return br.Scores(target, np.concatenate(others), **{"impostor_strata": STRATA, **more})


CM, ASV = side(PEER["cm"]), side(PEER["asv"])
WITH_IDS = {"client_ids": IDS[: SIZES[0]], "impostor_ids": IDS[SIZES[0] :]}


def made(rng, sizes, digits=9):
    """A countermeasure and a verifier on so many trials of each population, with ties."""
    parts = [[rng.normal(mean, 1.0, n).round(digits) for mean, n in zip(m, sizes, strict=True)]
             for m in ((1.5, 1.5, 0.0), (2.0, 0.0, 1.5))]  # fmt: skip
    strata = np.repeat(["nontarget", "A07"], sizes[1:])
    return [br.Scores(x[0], np.concatenate(x[1:]), impostor_strata=strata) for x in parts]


def test_numbers_are_those_of_the_asvspoof_evaluation():
    # calculate_modules.py: obtain_asv_error_rates, compute_tDCF, compute_tDCF_legacy
    for legacy, name in ((False, "min_tdcf"), (True, "min_tdcf_legacy")):
        system = br.tandem(CM, ASV, asv_threshold=BELOW, legacy=legacy)
        assert system.min_t_dcf == approx(RESULT[name], abs=1e-12)
        at = system.min_point.cm_threshold
        gap = np.sort(CM.client)[np.searchsorted(np.sort(CM.client), at)]
        assert RESULT[f"{name}_threshold"] <= at < gap  # between the same two scores
        assert replace(system, cm_threshold=at).t_dcf == system.min_t_dcf
    rates = [RESULT[f"asv_{name}"] for name in ("pmiss", "pfa", "pfa_spoof")]
    alone = system.to_frame().loc[0]  # the countermeasure accepts all
    assert [alone.frr, alone.far, alone.far_spoof] == approx(rates, abs=1e-12)
    model = br.fit(br.Scores(ASV.client, ASV.impostor[: SIZES[1]]), "empirical").model
    assert br.tandem(CM, ASV).min_point.asv_threshold == model.eer().threshold
    assert model.eer().hter == approx(RESULT["asv_eer"], abs=1e-12)
    assert br.tandem(CM, ASV).min_t_dcf != system.min_t_dcf


def test_the_equal_errors_of_the_asvspoof_evaluation():
    point = br.tandem(CM, ASV).t_eer_point
    # theirs lies inside a tie; of attainable pairs (ASV .531, CM -.227) is the nearest
    assert point[2:5] == approx([0.080714, 0.0825, 0.082653], abs=5e-7)
    assert br.tandem(CM, ASV).t_eer == approx(0.081956, abs=5e-7)
    assert -0.227 < point.cm_threshold < -0.185
    assert 0.531 < point.asv_threshold < 0.552
    theirs = RESULT["t_eer_point"]
    system = br.tandem(CM, ASV, asv_threshold=theirs["tau_asv"])
    point = system._point(theirs["tau_cm"])
    assert point[2:4] == approx([theirs["Pmiss_tandem"], theirs["Pfa_non_tandem"]], abs=1e-12)
    counted = replace(system, joint=True)._point(theirs["tau_cm"])
    values = zip(np.r_[CM.client, CM.impostor], np.r_[ASV.client, ASV.impostor], strict=True)
    accepted = [one > theirs["tau_cm"] and two > theirs["tau_asv"] for one, two in values]
    passed = [np.mean(part) for part in np.split(accepted, np.cumsum(SIZES)[:-1])]
    assert counted[2:5] == approx([1.0 - passed[0], *passed[1:]], abs=1e-15)


@pytest.mark.simulation
def test_no_pair_of_thresholds_has_rates_that_differ_less():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(2, 10, 3)
        cm, asv = made(rng, sizes, seed % 2)  # with ties
        point = br.tandem(cm, asv, priors=(0.99, 0.005, 0.005)).t_eer_point
        s, t = (np.r_[-np.inf, x.client, x.impostor] for x in (cm, asv))
        non, attack = slice(sizes[1]), slice(sizes[1], None)

        def above(values, t):
            return np.mean(values[:, None] > t, axis=0)

        bona_fide = above(np.r_[cm.client, cm.impostor[non]], s)[:, None]
        rates = (1.0 - bona_fide * above(asv.client, t), bona_fide * above(asv.impostor[non], t),
                 above(cm.impostor[attack], s)[:, None]
                 * above(asv.impostor[attack], t))  # fmt: skip
        assert np.ptp(point[2:5]) == approx(np.min(np.ptp(rates, axis=0)), abs=1e-12)


def test_the_cost_is_that_of_its_constants():
    pi, cost = np.array([0.6, 0.3, 0.1]), np.array([2.0, 1.0, 5.0])
    costs = dict(zip(("cost_fr", "cost_fa", "cost_spoof"), cost, strict=True))
    system = br.tandem(CM, ASV, cm_threshold=0.1, asv_threshold=0.5, priors=tuple(pi), **costs)
    asv = np.mean(ASV.client <= 0.5), *(np.mean(ASV.impostor[STRATA == k] > 0.5)
                                        for k in ("nontarget", "spoof"))  # fmt: skip
    miss = np.mean(np.r_[CM.client, CM.impostor[STRATA == "nontarget"]] <= 0.1)
    always = pi[0] * cost[0] * asv[0] + pi[1] * cost[1] * asv[1]
    c1, c2 = pi[0] * cost[0] - always, pi[2] * cost[2] * asv[2]
    both = c1 * miss + c2 * np.mean(CM.impostor[STRATA == "spoof"] > 0.1)
    assert system.t_dcf == approx((always + both) / (always + min(c1, c2)), abs=1e-14)
    assert replace(system, legacy=True).t_dcf == approx(both / min(c1, c2), abs=1e-14)


def test_trials_are_joined_by_their_ids():
    rng = np.random.default_rng(1)
    values, cut = np.r_[CM.client, CM.impostor], sum(SIZES[:2])
    bona_fide, spoof = rng.permutation(cut), rng.permutation(np.arange(cut, values.size))
    cm = br.Scores(values[bona_fide], values[spoof], client_ids=IDS[bona_fide],
                   impostor_ids=IDS[spoof])  # fmt: skip
    asv = side(PEER["asv"], **WITH_IDS)
    joined, plain = br.tandem(cm, asv, joint=True), br.tandem(CM, ASV, joint=True)
    assert joined.min_point == plain.min_point
    assert joined.t_eer_point == plain.t_eer_point
    fewer = br.Scores(values[bona_fide[9:]], values[spoof[5:]], client_ids=IDS[bona_fide[9:]],
                      impostor_ids=IDS[spoof[5:]])  # fmt: skip
    with pytest.raises(br.InputError, match="406 distinct ids and kinds of 406 in cm and 420"):
        br.tandem(fewer, asv)
    common = br.tandem(fewer, asv, common=True)
    assert common.asv.n_client + common.asv.n_impostor == 406
    loose = br.tandem(cm, ASV, paired=False)
    assert loose.min_t_dcf == br.tandem(CM, ASV).min_t_dcf
    wrong = replace(cm, client_ids=cm.impostor_ids[:1].repeat(cut))
    labels = replace(side(PEER["asv"], **WITH_IDS), client=ASV.impostor[160:280],
                     client_ids=IDS[280:400], impostor_ids=np.r_[IDS[:280], IDS[400:]])  # fmt: skip
    for first, second in ((wrong, asv), (cm, labels)):
        with pytest.raises(br.InputError, match="distinct ids and kinds"):
            br.tandem(first, second)
    with pytest.raises(br.InputError, match="nontargets and spoofs"):
        br.tandem(replace(cm, client_ids=np.char.add(cm.client_ids, "b")), asv, common=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"priors": (0.5, 0.4, 0.2)}, "sum to 1"),
        ({"priors": (1.0, 0.0)}, "three fractions"),
        ({"cost_fa": -1.0}, "cost >= 0"),
        ({"priors": (0.1, 0.8, 0.1), "asv_threshold": -5.0}, "C1 >= 0"),
        ({"cost_fr": 0.0}, "C1 >= 0"),
        ({"priors": (1.0, 0.0, 0.0), "legacy": True}, "normaliser"),
        ({"cost_spoof": 0.0, "legacy": True}, "normaliser"),
        ({"paired": False, "joint": True}, "joint"),
    ],
)
def test_what_cannot_be_right_is_refused(options, words):
    with pytest.raises(br.InputError, match=words):
        br.tandem(CM, ASV, **options)


def test_scores_without_the_three_populations_are_refused():
    alone = br.Scores(ASV.client, ASV.impostor, impostor_strata=["nontarget"] * STRATA.size)
    other = side(PEER["cm"], impostor_strata=np.where(STRATA == "spoof", "spoof", "non-target"))
    short = br.Scores(CM.client[1:], CM.impostor)
    for cm, asv, options, words in (
        (CM, alone, {"paired": False}, "spoofs"), (alone, ASV, {}, "the same test"),
        (alone, ASV, {"paired": False}, "spoofs"), (other, ASV, {"paired": False}, "spoofs"),
        (short, ASV, {}, "same test trials"),
    ):  # fmt: skip
        with pytest.raises(br.InputError, match=words):
            br.tandem(cm, asv, **options)
    with pytest.raises(br.InputTypeError, match="asv must be Scores"):
        br.tandem(CM, "asv.csv")
    for stat in ("t-dcf", "auc"):  # no threshold; no statistic of a tandem
        with pytest.raises(br.InputError, match="stat must"):
            br.interval(br.tandem(CM, ASV), stat)
    single = [br.Scores(s.client[:1], s.impostor, impostor_strata=STRATA) for s in (CM, ASV)]
    with pytest.raises(br.InputError, match="cm must hold two or more trials"):
        br.interval(br.tandem(*single), "t-eer")
    others = br.tandem(CM, replace(ASV, client=ASV.client[::-1]))
    with pytest.raises(br.InputError, match="one verifier"):
        br.difference(br.tandem(CM, ASV), others, "t-eer")


def test_ends_of_priors_and_of_scores():
    # without spoofs no countermeasure is best, of scores that are all equal too
    assert br.tandem(CM, ASV, priors=(0.99, 0.01, 0.0)).min_t_dcf == 1.0
    assert br.tandem(CM, ASV, priors=(0.99, 0.01, 0.0)).min_point.cm_threshold == -np.inf
    equal = side({name: np.zeros(len(part)) for name, part in PEER["cm"].items()})
    system = br.tandem(equal, ASV, cm_threshold=0.0)
    assert (system.min_t_dcf, system.min_point.far_spoof) == (1.0, system.to_frame().far_spoof[0])
    assert system.t_dcf > 1.0
    assert system.t_eer_point.cm_threshold == -np.inf
    absent = br.Scores(CM.client, CM.impostor[STRATA == "spoof"], n_impostor_rejected=140)
    half = br.tandem(absent, ASV, paired=False, cm_threshold=-5.0)  # what has no score is rejected
    assert half.t_dcf < br.tandem(CM, ASV, cm_threshold=-5.0).t_dcf
    with pytest.raises(br.InputError, match="have none"):
        br.tandem(absent, ASV)


@pytest.mark.simulation
def test_intervals_draw_both_systems_at_once():
    system = br.tandem(CM, ASV, cm_threshold=0.1)
    fixed = br.tandem(CM, ASV, cm_threshold=0.1, asv_threshold=0.687)
    drawn = br.interval(fixed, "t-dcf", rng=1, replicates=1500)
    # the delta method, the five rates being independent
    step, asv = 1e-6, fixed.to_frame().loc[0]
    miss = np.mean(np.r_[CM.client, CM.impostor[: SIZES[1]]] <= 0.1)
    far = np.mean(CM.impostor[SIZES[1] :] > 0.1)
    rates = np.array([asv.frr, asv.far, asv.far_spoof, miss, far])

    def value(r):
        always, spoof = 0.9405 * r[0] + 0.095 * r[1], 0.5 * r[2]
        c1 = 0.9405 - always
        return (always + c1 * r[3] + spoof * r[4]) / (always + min(c1, spoof))

    slopes = [(value(rates + d) - value(rates - d)) / (2 * step) for d in step * np.eye(5)]
    n = np.array([*SIZES, sum(SIZES[:2]), SIZES[2]])
    sd = np.sqrt(np.sum(np.square(slopes) * rates * (1.0 - rates) / n))
    assert (drawn.high - drawn.low) / 3.92 == approx(sd, rel=0.1)
    assert drawn.low < drawn.estimate == fixed.t_dcf < drawn.high
    least, equal = (br.interval(system, s, rng=1, replicates=200) for s in ("min-t-dcf", "t-eer"))
    assert least.estimate > system.min_t_dcf  # which is too low
    assert least.method == "half-sample"
    assert equal.low < equal.estimate == system.t_eer < equal.high
    assert br.interval(system, "t-eer", rng=1, replicates=200) == equal
    # persons of ten equal trials are a tenth as many
    tens = np.repeat(np.arange(42), 10)
    copies = [
        br.Scores(s.client[::10].repeat(10), s.impostor[::10].repeat(10), impostor_strata=STRATA,
                  client_groups=tens[:120], impostor_groups=tens[120:])
        for s in (CM, ASV)
    ]  # fmt: skip
    of_persons = br.tandem(*copies)
    wide, narrow = (br.interval(of_persons, "t-eer", rng=1, replicates=200, groups=g)
                    for g in (True, False))  # fmt: skip
    assert wide.high - wide.low > 2.0 * (narrow.high - narrow.low)


@pytest.mark.simulation
def test_two_countermeasures_with_one_verifier():
    rng = np.random.default_rng(3)
    noisy = [part + rng.normal(0.0, 0.2, part.size) for part in (CM.client, CM.impostor)]
    other = br.tandem(br.Scores(*noisy, impostor_strata=STRATA), ASV, cm_threshold=0.1)
    system = br.tandem(CM, ASV, cm_threshold=0.1)
    for stat in ("t-dcf", "min-t-dcf", "t-eer"):
        gap = br.difference(system, other, stat, rng=1, replicates=150)
        apart = br.difference(system, other, stat, rng=1, replicates=150, paired=False)
        assert gap.low <= gap.estimate <= gap.high
        assert gap.high - gap.low < 0.7 * (apart.high - apart.low)  # of the same trials
    reverse = br.difference(other, system, stat, rng=1, replicates=150)
    assert (reverse.low, reverse.high) == approx((-gap.high, -gap.low), abs=0.002)


def test_the_table_the_picture_and_the_view():
    system = br.tandem(CM, ASV, cm_threshold=0.1)
    table = system.to_frame()
    assert table.t_dcf.min() == system.min_t_dcf
    assert table.far_spoof.is_monotonic_decreasing
    assert "least: 0.4084 at -0.462" in str(system.plot().get_legend().get_texts()[0])
    assert "counted on the same" in str(system)
    assert json.loads(system.to_json())["derived"]["min_t_dcf"] == system.min_t_dcf
