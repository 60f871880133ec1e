"""One column of any library, whatever it is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import betaroc as br

LABELS, SCORES = np.array([1, 0, 1, 0, 1]), np.array([0.7, 0.2, 0.9, 0.4, 0.3])
EXPECTED = br.Scores([0.7, 0.9, 0.3], [0.2, 0.4])


def polars(x: np.ndarray) -> Any:
    return pytest.importorskip("polars").DataFrame({"x": x})


def arrow(x: np.ndarray) -> Any:
    return pytest.importorskip("pyarrow").table({"x": x})


def chunks(x: np.ndarray) -> Any:
    return pytest.importorskip("pyarrow").chunked_array([x[:2], x[2:]])


def xarray(x: np.ndarray) -> Any:
    return pytest.importorskip("xarray").DataArray(x, dims="trial")


def torch(x: np.ndarray) -> Any:
    return pytest.importorskip("torch").tensor(x, requires_grad=x.dtype.kind == "f")


class Tensor:
    """What is asked of a tensor of torch, also where torch is not installed."""

    def __init__(self, x: np.ndarray, device: str = "cpu", *, requires_grad: bool = True) -> None:
        self.x, self.device, self.requires_grad = x, device, requires_grad

    def __len__(self) -> int:
        return len(self.x)

    def detach(self) -> Tensor:
        return Tensor(self.x, self.device, requires_grad=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.x


def test_a_tensor_elsewhere_says_what_to_pass() -> None:
    with pytest.raises(br.errors.InputTypeError, match=r"on 'cuda:0' \(Tensor\). Pass x.cpu\(\)"):
        br.Scores.from_labels(LABELS, Tensor(SCORES, "cuda:0"))
    with pytest.raises(br.errors.InputError, match=r"shape \(5, 1\). Pass x.ravel\(\)"):
        br.Scores.from_labels(LABELS, Tensor(SCORES[:, None]))
    expected = br.interval(EXPECTED, "auc")
    assert br.interval((Tensor(LABELS), Tensor(SCORES)), "auc") == expected


@pytest.mark.parametrize(
    "made",
    [
        lambda x: pd.DataFrame({0: x}), lambda x: pd.DataFrame({("a", 1): x}),
        lambda x: pd.DataFrame({"x": x}), lambda x: pd.Series(x, name=0),
        polars, arrow, chunks, xarray, torch, Tensor,
    ],
)  # fmt: skip
def test_it_is_read_as_its_array(made: Callable[[np.ndarray], Any]) -> None:
    assert br.Scores.from_labels(made(LABELS), made(SCORES)) == EXPECTED
    assert br.Empirical(made(SCORES)) == br.Empirical(SCORES)


def test_what_is_more_than_one_says_what_to_pass() -> None:
    xr = pytest.importorskip("xarray")
    with pytest.raises(br.errors.InputTypeError, match="Pass one of its variables"):
        br.Scores(xr.Dataset({"score": ("trial", SCORES)}), SCORES)
    frame = pd.DataFrame({0: SCORES, 1: LABELS})
    with pytest.raises(br.errors.InputTypeError, match=r"frame.rename\(columns=str\)"):
        br.Scores.from_frame(frame, score=0, label=1)
    named = br.Scores.from_frame(frame.rename(columns=str), score="0", label="1")
    assert named.client.tolist() == EXPECTED.client.tolist()
