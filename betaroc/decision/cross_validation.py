"""Expected performance curves without a dev set: thresholds from the other folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import CLASSES, AnyArray, BoolArray, FloatArray, IntArray
from betaroc.core.errors import InputError, InputTypeError, TargetWarning
from betaroc.core.names import names_array
from betaroc.core.notices import passed_on, public
from betaroc.core.tables import Table, Tabular
from betaroc.core.thresholds import Thresholds
from betaroc.data.scores import Scores, require_scores
from betaroc.decision.curve import warn_of_reach
from betaroc.decision.epc import epc
from betaroc.distributions.empirical import Empirical
from betaroc.model.measures import OperatingPoint
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import Noun


@dataclass(frozen=True, eq=False, repr=False)
class EpcCv(Tabular, Noun):
    """A measure observed on every score once, at thresholds that other scores chose.

    Made by :func:`epc_cv`.

    Parameters
    ----------
    criterion, measure : str
        Names in the tables of criteria and measures.
    alpha : ndarray, shape (k,)
        The criterion's parameter.
    threshold : ndarray, shape (folds, k)
        Row f was chosen on all folds but f and judged on fold f.
    far, frr : ndarray, shape (k,)
        Wrong decisions of all folds over all trials of the class.
    value : ndarray, shape (k,)
        The measure at the pooled rates; nan where it is 0/0.
    expected : ndarray, shape (k,)
        Mean over the folds of what the other folds expected; nan where one of them is.
    client_folds, impostor_folds : ndarray of int
        The fold of each score, counted from 0 in the order of the labels given.
    library : str, optional
        "pandas", "polars" or "pyarrow": of which the table is a frame, as of `Scores`.

    Examples
    --------
    >>> import betaroc as br
    >>> curve = br.epc_cv(br.Scores([3, 4, 5], [1, 2, 3.5]), folds=3, alpha=[0.5])
    >>> curve.threshold[:, 0].tolist(), curve.client_folds.tolist()
    ([3.75, 2.0, 2.5], [0, 1, 2])
    """

    criterion: str
    measure: str
    alpha: FloatArray
    threshold: FloatArray
    far: FloatArray
    frr: FloatArray
    value: FloatArray
    expected: FloatArray
    client_folds: IntArray
    impostor_folds: IntArray

    def to_frame(self) -> Table:
        """One row an alpha.

        Returns
        -------
        DataFrame
            Of the library of the scores. Columns alpha, value, expected, far, frr, then
            threshold_0, threshold_1 and so on, one a fold.

        Examples
        --------
        >>> import betaroc as br
        >>> scores = br.Scores([3, 4, 5], [1, 2, 3.5])
        >>> br.epc_cv(scores, folds=3, alpha=[0.5]).to_frame().loc[0, "threshold_1"].item()
        2.0
        """
        columns = {name: getattr(self, name) for name in ("alpha", "value", "expected")}
        columns |= {"far": self.far, "frr": self.frr}
        columns |= {f"threshold_{k}": row for k, row in enumerate(self.threshold)}
        return self._table(columns)


@public
def epc_cv(
    scores: Scores,
    *,
    folds: int | tuple[npt.ArrayLike, npt.ArrayLike] = 5,
    criterion: str = "weighted-error",
    measure: str = "hter",
    alpha: npt.ArrayLike | None = None,
    prior: float | None = None,
    rng: Any = None,
) -> EpcCv:
    """Cross-validated expected performance curve of scores without a dev set.

        theta_f(alpha) = argmin C(FAR(theta), FRR(theta); alpha) on all folds but f
        FAR(alpha) = sum over f of #{impostors of fold f > theta_f(alpha)} / #{impostors}

    and FRR alike; the value is the measure at these pooled rates.

    Parameters
    ----------
    scores : Scores
        All trials. Those of one group share a fold; a name that stands in
        `client_groups` and in `impostor_groups` is one group. With two columns of groups
        all trials that are connected through common labels share a fold.
    folds : int or (client_folds, impostor_folds)
        How many, or the fold of each score of both classes as integers or text.
    criterion, measure, alpha : optional
        As in :func:`epc`.
    prior : float, optional
        P(client); where left out, the share among the other folds in the
        criterion and the share among all scores in the measure.
    rng : None, int, SeedSequence or Generator
        Deals scores, or groups, at random; ``None`` deals scores in turn in the
        order given and groups in turn in the order of their names, always the same.

    Returns
    -------
    EpcCv

    Raises
    ------
    InputError
        If there are fewer than 2 folds, more than a class has scores or groups, a
        fold without scores of a class, a group in two folds, `rng` beside given
        folds, two columns of groups that connect all trials, and whatever :func:`epc`
        refuses.
    InputTypeError
        If `scores` are not Scores.

    Warns
    -----
    TargetWarning
        If a target that was given is beyond every rate of the scores.

    Notes
    -----
    Each class is dealt by itself, so its folds differ by one score, or group, at
    most. Weights count as copies that stay together. Thresholds are chosen on
    (folds - 1) / folds of the scores: the curve speaks of a dev set of that size,
    and is slightly pessimistic for one of all scores.

    References
    ----------
    Bengio, S., Keller, M. and Mariethoz, J. (2004), The expected performance
    curve, IDIAP-RR 03-85: the curve whose dev set the other folds replace.

    Examples
    --------
    >>> import betaroc as br
    >>> scores = br.Scores([0.4, 0.6, 0.7, 0.8, 0.9, 0.95], [0.1, 0.2, 0.3, 0.35, 0.5, 0.65])
    >>> curve = br.epc_cv(scores, folds=3, alpha=[0.5])
    >>> curve.value.tolist(), curve.expected.tolist()  # 3 of 12 wrong where 1 of 8 was expected
    ([0.25], [0.125])
    """
    hint = "Cross-validation needs the single scores: for a fit pass fit.scores."
    scores = require_scores(scores, "cross-validation", hint=hint, rejected=True)._trials
    find = _given_folds if isinstance(folds, tuple) else _dealt_folds
    client_folds, impostor_folds = find(scores, folds, rng)
    total = 1 + int(max(client_folds.max(), impostor_folds.max()))
    for who, numbers in zip(CLASSES, (client_folds, impostor_folds), strict=True):
        filled = np.bincount(numbers, getattr(scores, f"{who}_weights"), total) > 0.0
        if not filled.all():
            raise InputError(
                f"every fold must have scores of both classes; {int((~filled).sum())} of {total}"
                f" folds have no {who} score of positive weight, the first is fold"
                f" {int(np.argmin(filled))}, counted from 0. Use fewer folds or merge them."
            )
    curves, counts = [], []
    for fold in range(total):
        client, impostor = client_folds == fold, impostor_folds == fold
        laws = _laws(scores, ~client, ~impostor)
        dev = ScoreModel(*laws, prior=laws[0].total / (laws[0].total + laws[1].total))
        with passed_on(but=(TargetWarning,)):  # said once below, of all scores
            curve = epc(dev, dev, criterion=criterion, measure=measure, alpha=alpha, prior=prior)
        curves.append(curve)
        t = Thresholds.from_theta(curve.threshold)
        laws = _laws(scores, client, impostor)
        counts.append([(law._counts_at_most(t), law._counts_above(t)) for law in laws])
    if alpha is not None:
        pair = _laws(scores, *(np.ones(f.size, dtype=bool) for f in (client_folds, impostor_folds)))
        share = scores.prior if prior is None else prior
        warn_of_reach(ScoreModel(*pair, prior=share), criterion, curves[0].alpha)
    (rejected, right), (true, accepted) = np.sum(counts, axis=0)
    n, m = scores.client_total, scores.impostor_total
    points = OperatingPoint(
        np.full(curves[0].alpha.shape, np.nan), accepted / m, rejected / n,
        scores.prior if prior is None else prior, tpr=right / n, tnr=true / m,
    )  # fmt: skip
    expected = np.mean([curve.expected for curve in curves], axis=0)
    thresholds = np.array([curve.threshold for curve in curves])
    return EpcCv(
        criterion, measure, curves[0].alpha, thresholds, points.far, points.frr,
        curves[0]._measured(points), expected, client_folds, impostor_folds, library=scores.library,
    )  # fmt: skip


def _laws(scores: Scores, client: BoolArray, impostor: BoolArray) -> tuple[Empirical, Empirical]:
    """The empirical distributions of some of the scores."""
    laws = []
    for who, chosen in zip(CLASSES, (client, impostor), strict=True):
        weights = getattr(scores, f"{who}_weights")
        own = getattr(scores, who)[chosen]
        laws.append(Empirical(own, None if weights is None else weights[chosen]))
    return laws[0], laws[1]


# ------------------------------------------------------------------- folds that are given
def _given_folds(scores: Scores, folds: Any, rng: Any) -> tuple[IntArray, IntArray]:
    if len(folds) != 2:
        raise InputError.about("folds")(
            f"folds must be an int or the pair (client_folds, impostor_folds); got a tuple of"
            f" {len(folds)}. Give one array of fold labels a class."
        )
    if rng is not None:
        raise InputError(
            "rng deals the folds, but they are given as arrays; got both. Leave rng out, or give"
            " folds as a number."
        )
    client = names_array(folds[0], scores.n_client, "client_folds")
    impostor = names_array(folds[1], scores.n_impostor, "impostor_folds")
    if (client.dtype.kind == "U") != (impostor.dtype.kind == "U"):
        raise InputError(
            f"client_folds and impostor_folds must be of one kind; got {client.dtype} and"
            f" {impostor.dtype}. Convert both with .astype(str)."
        )
    labels = sorted({*client.tolist(), *impostor.tolist()})
    if len(labels) < 2:
        raise InputError.about("folds")(
            f"folds must name at least 2 folds; got only {checks.shown(labels[0])}. Thresholds"
            " come from the other folds."
        )
    home: dict[Any, Any] = {}
    for who, given in zip(CLASSES, (client, impostor), strict=True):
        groups = getattr(scores, f"{who}_groups")
        for fold, own in zip(given.tolist(), [] if groups is None else groups, strict=False):
            for group in np.ravel(own).tolist():
                if home.setdefault(group, fold) != fold:
                    both = checks.listed([home[group], fold])
                    raise InputError(
                        f"all trials of a group must be in one fold; group {checks.shown(group)} is"
                        f" in the folds {both}. Give it one fold, or give scores without groups if"
                        " its trials do not depend on each other."
                    )
    return np.searchsorted(labels, client), np.searchsorted(labels, impostor)


# ------------------------------------------------------------------- folds that are dealt
def _dealt_folds(scores: Scores, folds: Any, rng: Any) -> tuple[IntArray, IntArray]:
    """Units (groups, or scores without) in turn; what both classes share goes first."""
    if isinstance(folds, list) or (isinstance(folds, np.ndarray) and folds.ndim):
        raise InputTypeError.about("folds")(
            f"folds must be an int or the pair (client_folds, impostor_folds); got a"
            f" {type(folds).__name__}. Give a tuple of two arrays of fold labels."
        )
    folds = checks.count(folds, "folds", 2)
    generator = None if rng is None else checks.generator(rng)
    groups = _connected(scores.client_groups, scores.impostor_groups)
    sides = [
        _units(found, n)
        for found, n in zip(groups, (scores.n_client, scores.n_impostor), strict=True)
    ]
    shared = sorted(set(sides[0][0]) & set(sides[1][0]))
    if generator is not None:
        generator.shuffle(shared)
    dealt = []
    for (names, unit), who in zip(sides, CLASSES, strict=True):
        count = int(unit.max()) + 1
        if folds > count:
            what, hint = f"{who} {'groups' if names else 'scores'}", "Give fewer folds."
            both = (scores.client_groups, scores.impostor_groups)
            if names and any(g is not None and g.ndim == 2 for g in both):
                what = f"blocks of {who} trials without a common label in the two columns of groups"
                hint = "Give fewer folds, or one column alone as groups."
            raise InputError.about("folds")(
                f"folds must be at most the number of {what}, {count}; got {checks.shown(folds)}."
                f" {hint}"
            )
        index = {name: k for k, name in enumerate(names)}
        first = np.array([index[name] for name in shared], dtype=np.intp)
        rest = np.setdiff1d(np.arange(count), first)
        if generator is not None:
            rest = generator.permutation(rest)
        fold_of = np.empty(count, dtype=np.intp)
        fold_of[np.concatenate([first, rest])] = np.arange(count) % folds
        dealt.append(fold_of[unit])
    return dealt[0], dealt[1]


def _connected(
    client: AnyArray | None, impostor: AnyArray | None
) -> tuple[AnyArray | None, AnyArray | None]:
    """Of two columns, the sets of labels that trials connect, by their first label."""
    given = [g for g in (client, impostor) if g is not None]
    if all(g.ndim == 1 for g in given):
        return client, impostor
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = [g if g.ndim == 2 else np.stack([g, g], axis=1) for g in given]
    kinds = {"U" if p.dtype.kind == "U" else "i" for p in pairs}
    if len(kinds) > 1:  # integers and text are different labels: each class by itself
        parts = [_connected(g, None)[0] if g is not None else None for g in (client, impostor)]
        return parts[0], parts[1]
    names, number = np.unique(np.concatenate(pairs), return_inverse=True)
    number = np.reshape(number, (-1, 2))
    graph = coo_array((np.ones(len(number)), (number[:, 0], number[:, 1])), shape=(names.size,) * 2)
    total, component = connected_components(graph, directed=False)
    if total == 1:
        raise InputError.about("folds")(
            "folds must keep trials with a common label together, but the two columns of groups"
            f" connect all {len(number)} trials through {names.size} labels. Give the folds as"
            " arrays and scores without the trials between folds, or give one column as groups:"
            " the folds then share labels of the other."
        )
    # Each set goes by its first label, so that numbers of sets do not meet other names.
    first = np.unique(component, return_index=True)[1]
    each = names[first[component[number[:, 0]]]]
    cut = 0 if client is None else len(client)
    return (None if client is None else each[:cut]), (None if impostor is None else each[cut:])


def _units(groups: AnyArray | None, n: int) -> tuple[list[Any], IntArray]:
    """Names of what stays together, in order, and the number of each score's."""
    if groups is None:
        return [], np.arange(n)
    names, unit = np.unique(groups, return_inverse=True)
    return names.tolist(), unit
