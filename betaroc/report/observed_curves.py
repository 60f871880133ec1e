"""Expected performance curves of an analysis: each choice of dev observed on each test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from betaroc.core.errors import BetarocWarning, InputError, ReversedScoresWarning, SameDataWarning
from betaroc.core.notices import passed_on, warn
from betaroc.core.value import Value
from betaroc.decision.curve_view import curve_numbers
from betaroc.decision.epc import Epc, epc
from betaroc.inference.interval import Band
from betaroc.report.score_set import ScoreSet, is_modelled

_REPLICATES = 2000
BY = {"model": "by dev's fitted distributions", "scores": "on dev's scores"}


@dataclass(frozen=True, eq=False, repr=False)
class ObservedCurve(Value):
    """HTER on a test set at the thresholds that dev chose for each weighted error.

    Parameters
    ----------
    role : str
        The test set, such as "test" or "test 2".
    chosen_by : {"model", "scores"}
        Whether dev's fitted model or dev's scores chose the thresholds.
    epc : Epc
        The curve.
    band : Band or None
        Its pointwise interval at these thresholds; None where the test scores cannot be
        resampled, as with fractional weights: a warning says why.
    """

    role: str
    chosen_by: str
    epc: Epc
    band: Band | None


def observed_curves(
    dev: ScoreSet, tests: Sequence[ScoreSet], level: float, rng: Any
) -> tuple[ObservedCurve, ...]:
    """Of every test set, by dev's model where there is one and by dev's scores."""
    choosers: list[tuple[str, Any]] = [("scores", dev.given)]
    if dev.fit is not None and is_modelled(dev):
        choosers.insert(0, ("model", dev.fit))
    found = []
    for part in tests:
        # These were said where the set was read and fitted.
        with passed_on(but=(SameDataWarning, ReversedScoresWarning)):
            with passed_on(f"{part.role}: "):
                curves = [(chosen_by, epc(given, part.given)) for chosen_by, given in choosers]
            bands = _bands(part.role, curves, level, rng)
        for (chosen_by, curve), band in zip(curves, bands, strict=True):
            found.append(ObservedCurve(part.role, chosen_by, curve, band))
    return tuple(found)


def _bands(
    role: str, curves: Sequence[tuple[str, Epc]], level: float, rng: Any
) -> Sequence[Band | None]:
    """The interval of each curve; none of any, and a warning, where one has none."""
    bands = []
    try:
        for chosen_by, curve in curves:
            with passed_on(f"{role}, thresholds {BY[chosen_by]}: "):
                band = curve.band(level, resample="test", replicates=_REPLICATES, rng=rng)
            bands.append(band)
    except InputError as error:
        message = f"{role}: no interval around its expected performance curves. "
        warn(message + error.sentence, BetarocWarning)
        return [None for _ in curves]
    return bands


# -------------------------------------------------------------------------------- shown
def observed_numbers(observed: ObservedCurve) -> dict[str, Any]:
    """The curve, its band and what the loss is made of."""
    split = observed.epc.loss_split()
    return {
        "set": observed.role, "chosen_by": observed.chosen_by,
        **curve_numbers(observed.epc, observed.band),
        "loss_split": {name: part.tolist() for name, part in split._asdict().items()},
    }  # fmt: skip
