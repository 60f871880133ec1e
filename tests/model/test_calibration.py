"""Scores as likelihood ratios, against pyllr's own code and by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

import betaroc as br
from betaroc.model.calibration import pav

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "likelihood_ratios.json").read_text()
)
TOYS = REFERENCE["pyllr"]


@pytest.mark.parametrize("name", TOYS)
def test_the_map_is_that_of_pyllr(name):
    case = TOYS[name]
    blocks = pav(br.Empirical(case["target"]), br.Empirical(case["nontarget"]))
    assert blocks.log_ratio == pytest.approx(case["pav_llr"], abs=1e-12)
    assert blocks.client.tolist() == case["pav_targets"]
    assert blocks.impostor.tolist() == case["pav_nontargets"]


def test_counts_equal_ratios_and_trials_without_a_score_make_blocks():
    # Ratios 0.5, 1/2, 1/2 of classes of 4 and 8: with floats 1/3 three ways.
    client, impostor = br.Empirical([1, 2, 2, 3]), br.Empirical([1, 1, 2, 2, 2, 2, 3, 3])
    counted = br.Empirical([1, 2, 3], [1, 2, 1]), br.Empirical([3, 2, 1], [2, 4, 2])
    for pair in ((client, impostor), counted):
        blocks = pav(*pair)
        assert (blocks.low, blocks.high) == ([1], [3])
        assert (blocks.client, blocks.impostor) == ([4], [8])
    blocks = pav(br.Empirical([-np.inf, 2.0]), br.Empirical([-np.inf, -np.inf, 1.0]))
    assert blocks.high.tolist() == [1.0, 2.0]
    assert blocks.block_of(np.array([-np.inf, 1.0, 1.5, 2.0])).tolist() == [0, 0, 1, 1]
