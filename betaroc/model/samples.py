"""The pair of distributions of scores, distances from it, and drawn scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from betaroc.core.arrays import CLASSES, FloatArray
from betaroc.core.checks import count, generator, instance, real_array
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.text import format_value
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import ScoreData
from betaroc.distributions.base import Distribution
from betaroc.model.dataset_checks import check_sense
from betaroc.model.model import ScoreModel

if TYPE_CHECKING:
    import pandas as pd

#: Rounding of a correlation, an eigenvalue or a pivot, for each row of a matrix.
_ROUNDING = 1e-15
#: Scores that are all asked for the largest distance; of more so many first.
_FIRST = 512


def empirical_model(data: ScoreData, name: str | None = None) -> ScoreModel:
    """Scores as a pair, with their observed prior."""
    called = data.name if name is None else name
    lower = data.lower_is_client
    return ScoreModel(*data._distributions, prior=data.prior, name=called, lower_is_client=lower)


# ------------------------------------------------------------------ distances
def largest_distance(
    law: Distribution, places: FloatArray, upto: FloatArray, below: FloatArray
) -> float:
    """sup abs(F - F_n), at a jump or just below one."""
    # `places` ascend and hold every jump of both; `upto` and `below` are F_n there and just below.
    # Between two places that were asked both functions stay between their values there: where
    # these allow no larger distance than one that was found, nothing is asked.
    if not places.size:
        return 0.0
    asked = np.unique(np.linspace(0, places.size - 1, _FIRST).astype(np.intp))
    ends = asked[:-1], asked[1:]
    at, before = (np.empty(places.size) for _ in range(2))
    largest = 0.0
    while asked.size:
        t = Thresholds.from_theta(places[asked])
        at[asked] = law._lower(t)[0]
        before[asked] = at[asked] - law.atoms.masses_at(t)
        apart = np.abs(at[asked] - upto[asked]), np.abs(before[asked] - below[asked])
        largest = max(largest, float(np.max(apart)))
        low, high = ends
        allowed = np.maximum(before[high] - upto[low], below[high] - at[low])
        keep = (high - low > 1) & (allowed > largest)
        low, high = low[keep], high[keep]
        asked = (low + high) // 2
        ends = np.concatenate([low, asked]), np.concatenate([asked, high])
    return largest


def roc_distance(first: ScoreModel, second: ScoreModel) -> float:
    """Largest difference of FAR and TPR between two ROCs, along FAR + TPR = constant."""
    # Between points of both curves, dense ones where a curve is no stairs.
    curves = [model.roc().points(1000) for model in (first, second)]
    turned = [(np.asarray(p.far + p.tpr), np.asarray(p.tpr - p.far)) for p in curves]
    along = np.union1d(*(places for places, _ in turned))
    gap = np.subtract(*(np.interp(along, *curve) for curve in turned))
    return 0.5 * float(np.max(np.abs(gap)))


# ------------------------------------------------------------------ scores drawn
@collect_warnings
def sample_systems(
    models: Mapping[str, ScoreModel],
    n_client: int,
    n_impostor: int,
    *,
    correlation: Any = 0.0,
    rng: Any = None,
) -> pd.DataFrame:
    """Scores of several classifiers on the same trials, dependent by a Gaussian copula.

        z ~ N(0, R),   score of system j = F_j^{-1}(Phi(z_j)),   F_j that of the trial's class

    Parameters
    ----------
    models : mapping of str to ScoreModel
        Name and model of each of k >= 1 systems.
    n_client, n_impostor, rng
        As in :meth:`ScoreModel.sample`.
    correlation : float, array_like of shape (k, k), or a pair of either
        R: one number, in [-1/(k - 1), 1], or the matrix; a pair gives one for the clients and one
        for the impostors. A frame must have the systems' names.

    Returns
    -------
    pandas.DataFrame
        Columns ``label`` (1 client, 0 impostor; clients first) and one per system.

    Raises
    ------
    InputError, InputTypeError
        If there is no model, a size is below 1, a name is "label" or empty, or R is no correlation
        matrix.

    Notes
    -----
    R correlates the normal deviates: for continuous distributions Kendall's tau is (2/pi) asin(r)
    and Spearman's rank correlation (6/pi) asin(r/2), in each class; point masses weaken both.

    References
    ----------
    Joe, H. (2014), Dependence modeling with copulas, section 4.3.

    Examples
    --------
    >>> import betaroc as br
    >>> good = br.ScoreModel(br.Beta(5, 2), br.Beta(2, 5))
    >>> weak = br.ScoreModel(br.Normal(1, 1), br.Normal(0, 1))
    >>> systems = {"A": good, "B": weak}
    >>> br.sample_systems(systems, 300, 500, correlation=0.6, rng=1).shape
    (800, 3)
    """
    import pandas as pd

    systems = dict(instance(models, Mapping, "models", 'such as {"A": model}'))  # type: ignore[type-abstract]
    if not systems:
        raise refusal("models", "hold at least one ScoreModel", "none")
    for name, model in systems.items():
        if not isinstance(name, str) or name in ("", "label"):
            kind = InputError if isinstance(name, str) else InputTypeError
            rule = 'have names of text, none empty or "label"'
            raise refusal("models", rule, format_value(name), kind=kind)
        instance(model, ScoreModel, f"models[{name!r}]", "fit.model")
        check_sense(model, f"models[{name!r}]")
    sizes = count(n_client, "n_client"), count(n_impostor, "n_impostor")
    roots = [_root(matrix) for matrix in _matrices(correlation, list(systems))]
    source = generator(rng)
    parts = []
    for root, size, side in zip(roots, sizes, CLASSES, strict=True):
        z = source.standard_normal((size, len(systems))) @ root.T
        laws = [getattr(model, side) for model in systems.values()]
        parts.append([_scores_at(law, z[:, j]) for j, law in enumerate(laws)])
    label = np.repeat(np.array([1, 0]), sizes)
    columns = {name: np.concatenate(pair) for name, *pair in zip(systems, *parts, strict=True)}
    return pd.DataFrame({"label": label, **columns})


def _scores_at(law: Distribution, z: FloatArray) -> FloatArray:
    from scipy.special import log_ndtr, ndtr

    low, deviation = z < 0.0, -np.abs(z)
    p, log_p = ndtr(deviation), log_ndtr(deviation)
    scores = np.empty(z.shape)
    scores[low] = law._lower_quantile(p[low], log_p[low]).theta
    scores[~low] = law._upper_quantile(p[~low], log_p[~low]).theta
    return scores


# ------------------------------------------------------------------ correlation matrices
def _matrices(value: Any, names: Sequence[str]) -> list[FloatArray]:
    entries = list(value) if isinstance(value, tuple | list) else []
    if len(entries) == 2 and all(np.ndim(entry) in (0, 2) for entry in entries):
        sides = zip(entries, CLASSES, strict=True)
        return [_matrix(entry, names, f"correlation of the {who} trials") for entry, who in sides]
    return [_matrix(value, names, "correlation")] * 2


def _matrix(value: Any, names: Sequence[str], called: str) -> FloatArray:
    columns, k = getattr(value, "columns", None), len(names)
    for labels in () if columns is None else (columns, getattr(value, "index", columns)):
        if list(labels) != list(names):
            rule = f"have rows and columns {format_value(list(names))}, the systems in their order"
            raise refusal(called, rule, format_value(list(labels)))
    array, diagonal = np.asarray(real_array(value, called)), np.eye(k) == 1.0
    if not np.all(np.abs(array) <= 1.0):
        worst = float(array.flat[np.argmax(~(np.abs(array) <= 1.0))])
        raise refusal(called, "lie in [-1, 1]", repr(worst))
    array = np.where(diagonal, 1.0, array) if array.ndim == 0 else array
    if array.shape != (k, k):
        rule = f"be one number or a {k} x {k} matrix for {k} systems"
        raise refusal(called, rule, f"shape {array.shape}")
    for wrong, must in (
        (np.abs(array - array.T) > k * _ROUNDING, "be symmetric"),
        (diagonal & (np.abs(array - 1.0) > k * _ROUNDING), "have a diagonal of 1"),
    ):
        if np.any(wrong):
            i, j = np.argwhere(wrong)[0].tolist()
            raise refusal(called, must, f"{float(array[i, j])!r} at entry ({i}, {j})")
    # Computed correlations are symmetric to rounding.
    array = np.where(diagonal, 1.0, 0.5 * (array + array.T))
    least = float(np.linalg.eigvalsh(array)[0])
    if least < -k * _ROUNDING:
        rule = f"be positive semidefinite, one number at least -1/{max(k - 1, 1)}"
        raise refusal(called, rule, f"a smallest eigenvalue of {least:.6g}")
    return array


def _root(matrix: FloatArray) -> FloatArray:
    k = matrix.shape[0]
    root = np.zeros((k, k))
    for j in range(k):
        column = matrix[j:, j] - root[j:, :j] @ root[j, :j]
        if column[0] > k * _ROUNDING:
            root[j:, j] = column / math.sqrt(column[0])
    return root
