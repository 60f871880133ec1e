"""Expected performance and spoofability curves: attacks weighed against zero-effort impostors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from betaroc.core import checks
from betaroc.core.arrays import FloatArray
from betaroc.core.errors import InputTypeError, refusal
from betaroc.core.notices import collect_warnings
from betaroc.core.tables import Table, Tabular, listed_columns
from betaroc.core.text import typed
from betaroc.core.thresholds import Thresholds
from betaroc.core.value import fields_of
from betaroc.data.read import ScoresLike
from betaroc.data.scores import ScoreData, Scores
from betaroc.decision.bands import RESAMPLE, BandOptions
from betaroc.decision.curve import WEIGHTED_ERROR, checked_alphas, side
from betaroc.decision.epc import dev_and_test, epc
from betaroc.decision.strata_bands import band_over
from betaroc.fits.fit import StrataFits
from betaroc.inference.scores_beyond import SideInput, tell
from betaroc.inference.strata import checked_weights
from betaroc.model.criteria import CRITERIA, over_weights
from betaroc.rendering import curves as pictures, numbers, tree
from betaroc.rendering.curves import AlphaAxes, Axes, DrawnBand
from betaroc.rendering.nouns import Readable

#: By their names in the paper the criteria of thresholds.
_CRITERIA = {"wer": WEIGHTED_ERROR, "eer": "eer"}
#: What impostors without an attack are called; of them and of all attacks together the shares.
_ZERO_EFFORT = "zero-effort"
_POOLED = {_ZERO_EFFORT: (1.0, 0.0), "attack": (0.0, 1.0)}
_WORDS = {"omega": "omega: share of attacks among impostors",
          "beta": "beta: weight of FAR_omega against FNMR"}  # fmt: skip
_HEAD = ("omega", "beta", "threshold", "FAR_omega", "FMR", "IAPMR", "FNMR", "HTER_omega")
#: Rows of a table, equally spaced.
_ROWS = 11


@dataclass(frozen=True, eq=False, repr=False)
class Epsc(Tabular, Readable):
    """Errors and spoofability on test, at thresholds that dev chose.

    Made by :func:`epsc`. Arrays have an entry for each omega and beta, omega by omega.

    Parameters
    ----------
    criterion, attack, level, resample
        As in :func:`epsc`; `attack` is a tuple of strata.
    omega, beta : ndarray
        Share of attacks among impostors, weight of FAR_omega; beta is nan for "eer".
    threshold : ndarray
        Chosen on dev alone.
    fmr, iapmr, fnmr : ndarray
        Shares of zero-effort impostors and of attacks that test accepts, of clients that it
        rejects.
    low, high : ndarray
        Ends of the interval of HTER_omega, nan where none was asked for.
    library
        As of an :class:`Interval`.

    Examples
    --------
    >>> import betaroc as br
    >>> kinds = ["zero-effort", "print"]
    >>> dev = br.Scores([3, 5], [1, 4], impostor_strata=kinds)
    >>> test = br.Scores([2, 6], [0, 4.5], impostor_strata=kinds)
    >>> curve = br.epsc(dev, test, omega=[0, 1])
    >>> curve.threshold.tolist(), curve.iapmr.tolist()
    ([2.0, 4.5], [1.0, 0.0])
    """

    criterion: str
    attack: tuple[str, ...]
    omega: FloatArray
    beta: FloatArray
    threshold: FloatArray
    fmr: FloatArray
    iapmr: FloatArray
    fnmr: FloatArray
    low: FloatArray
    high: FloatArray
    level: float = 0.95
    resample: str | None = None
    _same_length = ("omega", "beta", "threshold", "fmr", "iapmr", "fnmr", "low", "high")

    @property
    def far_omega(self) -> FloatArray:
        """FAR_omega = omega IAPMR + (1 - omega) FMR."""
        return np.asarray(self.omega * self.iapmr + (1.0 - self.omega) * self.fmr)

    @property
    def hter(self) -> FloatArray:
        """HTER_omega = (FAR_omega + FNMR)/2."""
        return 0.5 * (self.far_omega + self.fnmr)

    def to_frame(self) -> Table:
        """A row per omega and beta.

        Columns omega, beta, threshold, far_omega, fmr, iapmr, fnmr, hter, low and high.

        Examples
        --------
        >>> import betaroc as br
        >>> kinds = ["zero-effort", "print"]
        >>> dev = br.Scores([3, 5], [1, 4], impostor_strata=kinds)
        >>> curve = br.epsc(dev, br.Scores([2, 6], [0, 4.5], impostor_strata=kinds))
        >>> curve.to_frame()["iapmr"].tolist()[-1]
        0.0
        """
        names = ("omega", "beta", "threshold", "far_omega", "fmr", "iapmr", "fnmr", "hter", "low",
                 "high")  # fmt: skip
        return self._table(fields_of(self, *names))

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw HTER_omega with its interval, and IAPMR below it.

        Against omega with a line for each beta, or of one omega against beta.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw HTER_omega alone; a new figure of both if left out.
        **style
            Properties of the lines.

        Returns
        -------
        Axes
            That of HTER_omega.

        Examples
        --------
        >>> import betaroc as br
        >>> kinds = ["zero-effort", "print"]
        >>> dev = br.Scores([3, 5], [1, 4], impostor_strata=kinds)
        >>> br.epsc(dev, br.Scores([2, 6], [0, 4.5], impostor_strata=kinds)).plot().get_ylabel()
        'HTER_omega on test'
        """
        panels = [*pictures.stacked_axes()] if ax is None else [ax]
        places = np.arange(self.omega.size).reshape(np.unique(self.omega).size, -1)
        over, of = ("omega", "beta") if len(places) > 1 else ("beta", "omega")
        axes = [AlphaAxes(_WORDS[over], y, False, True, False) for y in ("HTER_omega", "IAPMR")]
        words = f"{numbers.level_words(self.level)} interval"
        for row in places.T if over == "omega" else places:
            x, fixed = getattr(self, over)[row], getattr(self, of)[row[0]]
            label = None if np.isnan(fixed) else f"{of} {numbers.number(fixed, 4)}"
            ends = DrawnBand(self.low[row], self.high[row], words)
            parts = zip(panels, (self.hter, self.iapmr), axes, (ends, None), strict=False)
            for panel, y, title, band in parts:
                look, never = {"label": label, **style}, np.zeros(x.size, np.bool_)
                pictures.draw_epc(panel, x, y[row], never, title, look, band=band)
        if ax is None:
            panels[0].set_xlabel("")
            pictures.legend_below(panels[0], None, also=panels[1])
        return panels[0]

    def _view(self) -> Sequence[tree.Node]:
        columns = listed_columns(self.to_frame())
        rows = [
            tree.Row((numbers.number(omega, 4), numbers.number(beta, 4),
                      numbers.rounded(t, up=True), *map(tree.rate_cell, rates),
                      tree.rate_cell(hter, low, high)))
            for omega, beta, t, *rates, hter, low, high in zip(*columns.values(), strict=True)
        ]  # fmt: skip
        # Of some omegas every beta, of a single omega some betas.
        along = self.omega if np.ptp(self.omega) or self.omega.size == 1 else self.beta
        every = np.unique(along)
        some = every[np.unique(np.linspace(0, every.size - 1, _ROWS).astype(int))]
        shown = np.flatnonzero(np.isin(along, some))
        text = f"HTER_omega on test at thresholds chosen for {self.criterion} on dev"
        text += f"; attacks: {tree.first_n(tree.foreign(name).short for name in self.attack)}"
        if self.resample is not None:
            of = "test at these thresholds alone" if self.resample == "test" else "dev and of test"
            text += f"; {numbers.level_words(self.level)} intervals of {of}"
        low, high = np.min(self.hter), np.max(self.hter)
        lead = numbers.rate(low) if low == high else numbers.rate_span(low, high)
        return [
            tree.Paragraph(text, "answer", lead),
            tree.Grid(_HEAD, tuple(rows[k] for k in shown), kept=columns, typeset=True),
            tree.Figure(self.plot, "", "HTER_omega and IAPMR"),
        ]


@collect_warnings
def epsc(
    dev: SideInput | StrataFits | ScoresLike,
    test: SideInput | StrataFits | ScoresLike,
    *,
    omega: npt.ArrayLike | None = None,
    beta: npt.ArrayLike | None = None,
    attack: str | Iterable[str] | Mapping[str, float] | None = None,
    criterion: str = "wer",
    level: float = 0.95,
    resample: str | None = "test",
    replicates: int = 1000,
    groups: bool = True,
    rng: Any = None,
) -> Epsc:
    """Expected performance and spoofability curve: is a system robust to attacks.

        FAR_omega = omega IAPMR + (1 - omega) FMR
        theta = argmin beta FAR_omega + (1 - beta) FNMR on dev,  or argmin abs(FAR_omega - FNMR)
        HTER_omega = (FAR_omega + FNMR)/2 on test

    Parameters
    ----------
    dev, test : Scores, ScoreSummary, StrataFits, frame, (y_true, y_score) or path
        With strata of impostors; fits of strata give smooth curves.
    omega : array_like, optional
        Shares of attacks among impostors, in [0, 1]; 101 equally spaced ones where left out.
    beta : array_like, optional
        Weights of FAR_omega against FNMR, in [0, 1]; 1/2 where left out. All pairs of omega and
        beta are taken.
    attack : str, sequence or mapping, optional
        The strata that are attacks, where left out all but "zero-effort". Zero-effort impostors
        are the stratum of that name, without it all other strata. Species are pooled, each with
        its share of the trials of its side; beside fits and summaries with its share of dev's. A
        mapping has their weights, which sum to 1.
    criterion : {"wer", "eer"}
        Least WER, or nearest FAR_omega and FNMR, which has no beta.
    level : float
        Of the interval of HTER_omega.
    resample : {"test", "both", None}
        "test": at fixed thresholds; "both": dev is drawn again too, `replicates` times for each
        omega; None: no interval, which summaries do not have.
    replicates, groups, rng
        As in :meth:`Epc.band`.

    Returns
    -------
    Epsc
        With ascending omega and beta, each once.

    Raises
    ------
    InputError
        If a side lacks attacks, zero-effort impostors or a stratum that is named, weights do not
        sum to 1, or omega or beta leaves [0, 1]; as :func:`epc`.

    Warns
    -----
    SameDataWarning, ReversedScoresWarning, ScaleWarning, ExtrapolationWarning, MisfitWarning
        As :func:`epc`, the last two where omega was given.

    Notes
    -----
    The minimum is exact over all thresholds that the scores tell apart. At each omega thresholds
    and intervals are those of ``epc(dev, test, alpha=beta, over={"zero-effort": 1 - omega, "spoof":
    omega})``.

    References
    ----------
    Chingovska, I., Anjos, A. and Marcel, S. (2014), Biometrics evaluation under spoofing attacks,
    IEEE Transactions on Information Forensics and Security 9(12).

    Examples
    --------
    >>> import betaroc as br
    >>> kinds = ["zero-effort", "print"]
    >>> dev = br.Scores([3, 5], [1, 4], impostor_strata=kinds)
    >>> test = br.Scores([2, 6], [0, 4.5], impostor_strata=kinds)
    >>> curve = br.epsc(dev, test, omega=[0, 1])
    >>> curve.threshold.tolist(), curve.iapmr.tolist()
    ([2.0, 4.5], [1.0, 0.0])
    """
    name = _CRITERIA[checks.choice(criterion, tuple(_CRITERIA), "criterion")]
    varied = RESAMPLE[1] if resample is None else resample
    options = BandOptions(level, "bootstrap", replicates, groups, rng, varied)
    single = CRITERIA[name].single
    omegas = np.unique(checked_alphas(omega, single=False, criterion=criterion, name="omega"))
    beta = 0.5 if beta is None and not single else beta
    betas = np.unique(checked_alphas(beta, single=single, criterion=criterion, name="beta"))
    sides, named, shares = _populations(dev_and_test(dev, test), attack)
    over = [{x: (1.0 - w) * zero + w * attacks for x, (zero, attacks) in shares.items()}
            for w in (0.0, 1.0, *omegas.tolist())]  # fmt: skip
    of_dev, of_test = ([side(x, None, row).impostor for row in over[:2]] for x in sides)
    base = replace(epc(*sides), criterion=name, alpha=betas)
    weights = np.stack([1.0 - omegas, omegas], axis=1)
    chosen = over_weights(name, base.dev.client, of_dev, weights, betas)
    base = replace(base, chosen=Thresholds.concatenate(chosen))
    for support, asked in base._asked(counted=False) if omega is not None else ():
        tell(support, asked)
    fmr, iapmr = (law._side(base.chosen, lower=False)[0] for law in of_test)
    bands = []
    for t, row in zip(chosen, over[2:], strict=True) if resample is not None else ():
        e = replace(base, chosen=t, over=row)
        if resample == "both":
            e = replace(e, dev=side(sides[0], None, row), test=side(sides[1], None, row))
        bands.append(band_over(e, options))
    low, high = (np.concatenate([getattr(x, end) for x in bands] or [fmr * np.nan])
                 for end in ("low", "high"))  # fmt: skip
    return Epsc(
        criterion, tuple(sorted(named)), np.repeat(omegas, betas.size),
        np.tile([np.nan] if single else betas, omegas.size), base.threshold, fmr, iapmr, base.frr,
        low, high, options.level, resample, library=base.library,
    )  # fmt: skip


def _populations(
    sides: Sequence[Any], attack: Any
) -> tuple[Sequence[Any], set[str], dict[str, tuple[float, float]]]:
    """Both sides, the attacks, and each stratum's share of zero-effort impostors and of attacks."""
    data = (x.scores if isinstance(x, StrataFits) else x for x in sides)
    counts = [x.strata.impostor if isinstance(x, ScoreData) else {} for x in data]
    listed = [attack] if isinstance(attack, str) or not isinstance(attack, Iterable) else attack
    if attack is not None and not all(isinstance(x, str | int | np.integer) for x in listed):
        rule, remedy = "be names of strata", 'Such as "replay".'
        raise refusal("attack", rule, typed(attack), remedy, InputTypeError)
    named = {*counts[0], *counts[1]} - {_ZERO_EFFORT} if attack is None else {*map(str, listed)}
    zero = [({_ZERO_EFFORT} & own.keys() or own.keys()) - named for own in counts]
    pooled = not isinstance(attack, Mapping) and all(isinstance(item, Scores) for item in sides)
    for role, own, rest in zip(("dev", "test"), counts, zero, strict=True):
        unknown = not (pooled and attack is None) and named - own.keys()
        if unknown or not rest or not named & own.keys():
            rule = f"name impostor strata of {role} and leave its zero-effort ones"
            lists = (checks.format_list(sorted(names)) or "none" for names in (named, own))
            remedy = f'Give impostors a stratum, "{_ZERO_EFFORT}" or a species; or name attacks.'
            raise refusal("attack", rule, ", where it has ".join(lists), remedy)
    if pooled:
        return [*map(_pooled, sides, zero, [named] * 2)], named, _POOLED
    trials: list[Mapping[str, float]] = [counts[0], counts[0]]
    if isinstance(attack, Mapping):
        weights = checked_weights(attack, [*counts[0]], name="attack").tolist()
        trials[1] = dict(zip(counts[0], weights, strict=True))
    shares = [{x: n[x] / sum(n[y] for y in kind) for x in kind}
              for n, kind in zip(trials, (zero[0], named), strict=True)]  # fmt: skip
    return sides, named, {x: (shares[0].get(x, 0.0), shares[1].get(x, 0.0)) for x in counts[0]}


def _pooled(scores: Scores, *kinds: Iterable[str]) -> Scores:
    """Scores whose impostors have as stratum their kind, others "other"."""
    labels = np.asarray(scores.impostor_strata).astype(str)
    inside = [np.isin(labels, [*names]) for names in kinds]
    return scores._with(client_strata=None, impostor_strata=np.select(inside, [*_POOLED], "other"))
