"""`betaroc plan`: the answer first, guarantees by the binomial, refusals before any work."""

import json
import math

import pytest
from scipy import stats

import betaroc as br
from helpers.commands import said

TYPED = ["--client", "beta:4,2", "--impostor", "beta:2,4"]


@pytest.mark.simulation
def test_a_plan_from_typed_distributions(capsys):
    model = br.ScoreModel(br.Beta(4, 2), br.Beta(2, 4))
    out = said(capsys, "plan auc", "--width", "0.05", *TYPED)
    assert out.splitlines()[0] == "Collect 279 client and 279 impostor scores"
    gap = br.plan_sample_size("epc-gap", alpha=0.2, model=model, width=0.05, thresholds="empirical")
    asked = ["epc-gap@alpha=0.2", "--width", ".05", "--thresholds", "empirical"]
    out = said(capsys, "plan", *asked, *TYPED)
    assert out.splitlines()[0].endswith("impostor scores of dev and as many of test")
    assert str(gap) in out


def test_a_guarantee(capsys):
    out = said(capsys, "plan guarantee@far=0.01")
    assert out.splitlines()[0] == "Collect 299 impostor scores or more"
    told = json.loads(said(capsys, "plan guarantee@far=0.01", "--json"))
    assert [told[key] for key in ("class", "needed", "level")] == ["impostor", 299, 0.95]
    for row in told["table"]:
        n, k = row["n"], row["beyond"] + 1
        # The k-th of n keeps 1 % iff P(Binomial(n, .01) >= k) >= .95, and n - 1 do not.
        assert stats.binom.sf(k - 1, n, 0.01) >= 0.95 > stats.binom.sf(k - 1, n - 1, 0.01)
        assert row["expected"] == pytest.approx(k / (n + 1))  # mean of Beta(k, n - k + 1)
    strata = ["guarantee@far=0.05", "--strata", "13"]
    first = "Collect 59 impostor scores of each of 13 strata, 767 in all, or more"
    assert said(capsys, "plan", *strata).splitlines()[0] == first
    told = json.loads(said(capsys, "plan", *strata, "--json"))
    assert (told["needed"], told["strata"]) == (59, 13)
    # The least of 13 rates that are Beta(1, 59) is Beta(1, 767).
    assert told["table"][0]["expected"] == pytest.approx(1 / 768, rel=1e-3)
    told = json.loads(said(capsys, "plan guarantee@frr=0.1", "--level", "0.9", "--json"))
    assert (told["class"], told["needed"]) == ("client", math.ceil(math.log(0.1) / math.log(0.9)))
