"""What thresholds of a target rate, counted on a dev set of a given size, will do on test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.errors import ExtrapolationWarning, InputError
from betaroc.core.notices import warn
from betaroc.core.tables import Library, Table, Tabular
from betaroc.core.text import listed
from betaroc.decision.curve import ONE_CLASS_TARGETS, chosen_on
from betaroc.decision.order_thresholds import drawn_thresholds
from betaroc.inference.scores_beyond import needed
from betaroc.model.model import ScoreModel
from betaroc.rendering.nouns import Noun
from betaroc.rendering.tree import Grid, Node, Row, Section, Words, apart
from betaroc.rendering.tree_text import text_of

if TYPE_CHECKING:
    from betaroc.decision.forecast import EpcForecast

#: An alpha is read as the decimal that was meant.
_DECIMALS = 10**9
_SHOWN_ROWS = 11
_CAVEAT = """\
counted: the rate that dev itself will show. Means and standard deviations are over dev sets of \
this size, of the true rates at their thresholds, which test shows but for its own counting \
error. They hold for independent scores of these distributions without ties."""


@dataclass(frozen=True, eq=False, repr=False)
class TargetForecast(Tabular, Noun):
    """What the threshold that a dev set counts for a target rate will do on test.

    Made by :func:`epc_forecast` with a `criterion` that is a rate of one class; printed as a table.
    Arrays of shape (k,), one entry an alpha.

    Parameters
    ----------
    model : ScoreModel
        The distributions, taken as true.
    n_client, n_impostor : int
        Size of the development set.
    fitted : bool
        Whether the distributions are estimates.
    criterion : str
        "far", "frr", "recall", "sensitivity" or "specificity".
    alpha : ndarray
        The rate asked for.
    threshold, logit_threshold : ndarray
        Where the distributions have it: the threshold of endless dev scores.
    counted : ndarray
        The criterion's rate that dev will count at its threshold, on average: the multiple of 1/n
        that is nearest to alpha.
    far, frr, hter : ndarray
        Expected true rates at dev's threshold.
    far_sd, frr_sd, hter_sd : ndarray
        Their standard deviations over dev sets.
    n_beyond : ndarray
        Dev scores of the class that speak for the rate, n min(alpha, 1 - alpha).
    library : str, optional
        That of the scores of a fit: what tables are frames of.

    Examples
    --------
    >>> import betaroc as br
    >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
    >>> found = br.epc_forecast(model, criterion="far", n_client=500, n_impostor=100, alpha=[0.05])
    >>> round(float(found.counted[0]), 4), round(float(found.far[0]), 4), found.n_beyond.tolist()
    (0.05, 0.0591, [5.0])
    """

    model: ScoreModel
    n_client: int
    n_impostor: int
    fitted: bool
    criterion: str
    alpha: FloatArray
    threshold: FloatArray
    logit_threshold: FloatArray
    counted: FloatArray
    far: FloatArray
    far_sd: FloatArray
    frr: FloatArray
    frr_sd: FloatArray
    hter: FloatArray
    hter_sd: FloatArray
    n_beyond: FloatArray

    def to_frame(self) -> Table:
        """One row an alpha.

        Returns
        -------
        DataFrame
            Of the library of the scores of a fit, else of pandas. Columns alpha, threshold,
            logit_threshold, counted, then expectations and standard deviations of FAR, FRR and
            HTER, and n_beyond.

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Normal(1.0, 1.0), br.Normal(-1.0, 1.0))
        >>> found = br.epc_forecast(model, criterion="frr", n_client=9, n_impostor=9, alpha=[1 / 3])
        >>> found.to_frame().loc[0, ["counted", "n_beyond"]].round(4).tolist()
        [0.3333, 3.0]
        """
        about = ("model", "n_client", "n_impostor", "fitted", "criterion", "library", "notices")
        columns = [name for name in self.__dataclass_fields__ if name not in about]
        return self._table({name: getattr(self, name) for name in columns})

    def summary(self) -> str:
        r"""A table at about eleven alphas, with what it rests on.

        Returns
        -------
        str

        Examples
        --------
        >>> import betaroc as br
        >>> model = br.ScoreModel(br.Beta(4.0, 2.0), br.Beta(2.0, 4.0))
        >>> found = br.epc_forecast(model, criterion="far", n_client=99, n_impostor=99, alpha=[0.1])
        >>> print("\n".join(found.summary().splitlines()[3:5]))
          alpha  threshold  counted    FAR     sd    FRR     sd   HTER     sd  beyond
          0.1       0.5839    0.101  0.108  0.031  0.302  0.057  0.205  0.014     9.9
        """
        return text_of(self._view())

    def _view(self) -> Sequence[Node]:
        rows = np.linspace(0, self.alpha.size - 1, min(_SHOWN_ROWS, self.alpha.size))
        table = Grid(_HEAD, tuple(self._row(int(k)) for k in np.unique(rows.round())))
        return forecast_view(self, self.criterion, table, _CAVEAT)

    def __str__(self) -> str:
        """The summary."""
        return self.summary()

    def _row(self, k: int) -> Row:
        rates = (self.far, self.far_sd, self.frr, self.frr_sd, self.hter, self.hter_sd)
        return Row((
            f"{self.alpha[k]:.4g}", f"{self.threshold[k]:.4g}", f"{self.counted[k]:.3g}",
            *(f"{part[k]:.{3 - n % 2}g}" for n, part in enumerate(rates)),
            f"{self.n_beyond[k]:.3g}",
        ))  # fmt: skip


_HEAD = ("alpha", "threshold", "counted", "FAR", "sd", "FRR", "sd", "HTER", "sd", "beyond")


def forecast_view(
    forecast: EpcForecast | TargetForecast, criterion: str, table: Grid, caveat: str
) -> list[Node]:
    """What is taken as true, the table, and what its columns are."""
    model = forecast.model
    taken = "fitted and taken as true" if forecast.fitted else "taken as true"
    lines = (
        f"Forecast for {forecast.n_client} client and {forecast.n_impostor} impostor scores,"
        f" criterion {criterion}",
        f"client {model.client!r}, impostor {model.impostor!r}, {taken}",
        *(notice.message for notice in forecast.notices),
    )
    return [Section("", tuple(map(Words, lines))), *apart(table, Words(caveat))]


def target_forecast(
    model: ScoreModel,
    criterion: str,
    alpha: FloatArray,
    sizes: tuple[int, int],
    *,
    fitted: bool,
    aloud: bool,
    library: Library | None,
) -> TargetForecast:
    """The forecast; `aloud` warns of rates that no planned score speaks for."""
    _refuse(model, criterion)
    name, complement = ONE_CLASS_TARGETS[criterion]
    pair, rows, counted = model._pair, [], []
    for one in alpha.tolist():
        asked = Fraction(one).limit_denominator(_DECIMALS)
        found, share = drawn_thresholds(pair, 1 - asked if complement else asked, sizes, name)
        far, frr = pair.far(found.thresholds), pair.frr(found.thresholds)
        rates = (far, frr, 0.5 * (far + frr))
        rows.append([number for r in rates for number in (found.mean(r), found.sd(r))])
        counted.append(1.0 - share if complement else share)
    point = model._point(chosen_on(model, criterion, alpha))
    n = sizes[1] if name == "FAR" else sizes[0]
    beyond = n * np.minimum(alpha, 1.0 - alpha)
    if aloud:
        _tell(name if not complement else criterion, alpha, beyond, n, name)
    far, far_sd, frr, frr_sd, hter, hter_sd = np.array(rows).T
    return TargetForecast(
        model, *sizes, fitted, criterion, alpha, np.asarray(point.threshold),
        np.asarray(point.logit_threshold), np.array(counted), far, far_sd, frr, frr_sd, hter,
        hter_sd, beyond, library=library,
    )  # fmt: skip


def _refuse(model: ScoreModel, criterion: str) -> None:
    if criterion not in ONE_CLASS_TARGETS:
        raise InputError.about("criterion")(
            "criterion must be weighted-error, or a rate of one class,"
            f" {listed(ONE_CLASS_TARGETS)}, for a forecast; got {criterion!r}. Simulate it with"
            " br.Study."
        )
    for which, law in (("client", model.client), ("impostor", model.impostor)):
        if law.atoms.places.size:
            raise InputError(
                f"the {which} distribution must have no point masses for a forecast of a target"
                f" rate, whose thresholds lie between scores; got {law!r:.80}. Simulate it with"
                " br.Study."
            )


def _tell(what: str, alpha: FloatArray, beyond: FloatArray, n: int, name: str) -> None:
    """Rates of exactly 0 and 1 were not asked for."""
    few = np.flatnonzero((beyond < 1.0 - 1e-12) & (alpha > 0.0) & (alpha < 1.0))
    if not few.size:
        return
    k = few[np.argmin(beyond[few])]
    tail, who = min(alpha[k], 1.0 - alpha[k]), "impostor" if name == "FAR" else "client"
    several = "" if few.size == 1 else f"{few.size} of {alpha.size} targets are such, among them: "
    warn(
        f"{several}{what} {alpha[k]:.4g} lies beyond the planned scores: of {n} {who} scores"
        f" {beyond[k]:.2g} are expected beyond it, so that dev's threshold is that of an extreme"
        f" score; about {needed(float(tail))} would do (3/rate). Plan with as many, or for a larger"
        " rate.",
        ExtrapolationWarning,
    )
