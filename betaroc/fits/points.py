"""Operating points of a fit: those of its model, with the scores that speak for them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from betaroc.core.checks import rate_array
from betaroc.core.errors import MisfitWarning
from betaroc.core.notices import passed_on
from betaroc.inference import scores_beyond
from betaroc.inference.intervals import tell_contradicted
from betaroc.model.asking import Asking, asking
from betaroc.model.measures import OperatingPoint
from betaroc.model.statistics import of_point


class FitPoints(scores_beyond.SupportedPair):
    """What a fit and its model have in common: every method that gives an operating point.

    The points are those of the model; here they say what they rest on. ``n_beyond`` is the number
    of client and of impostor scores that speak for FRR and FAR,

        n min(rate, 1 - rate),

    groups where trials depend on each other by them. Less than one is an extrapolation: the
    point says so (``extrapolated``), and an `ExtrapolationWarning` tells how many scores would
    show the rate. Rates of exactly 0 and 1 are none. Where the scores counted beyond a rate
    contradict the fitted distribution by more than a factor of 1.25 (exact binomial test,
    two-sided, level 0.01, at the rate or the larger one that expects five scores, and up to ten
    times that as far as 0.1), a `MisfitWarning` gives the counts. Each is given once a call. A
    class that is taken as its scores (``"empirical"``) is counted, and is extrapolated only where a
    rate was asked for that less than one of its scores expects.
    """

    def _stated(
        self, point: OperatingPoint, *read: tuple[Asking, Any], **solved: Any
    ) -> OperatingPoint:
        """The point; rates that were asked for are judged as they were asked.

        Of the numbers that were read off, the first that the scores contradict is said.
        """
        for which, name in enumerate(("FRR", "FAR")):
            if name in solved and self._evidence.fitted[which] is not None:
                # A point mass may span the rate that was asked for: no threshold has it.
                own = np.asarray(point.frr if name == "FRR" else point.far)
                solved[name] = np.where((own > 0.0) & (own < 1.0), own, solved[name])
        asked = of_point(point, solved)
        told = any(tell_contradicted(self, what, float(value)) for what, value in read)
        with passed_on(but=(MisfitWarning,) if told else ()):
            return scores_beyond.stated(self._evidence, point, asked)

    def at(self, t: npt.ArrayLike) -> OperatingPoint:
        """The operating point, or an array of them, at thresholds; see `ScoreModel.at`.

        Parameters
        ----------
        t : array_like
            Thresholds on the score scale; NaN propagates.

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Raises
        ------
        InputTypeError
            If `t` is not numeric.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> [round(n, 2) for n in fit.at(0.5).n_beyond]  # 14 FRR, 14 FAR
        [3.75, 3.75]
        """
        return self._stated(self.model.at(t))

    def at_far(self, x: npt.ArrayLike) -> OperatingPoint:
        """The operating point at the lowest threshold with FAR <= x; see `ScoreModel.at_far`.

        Parameters
        ----------
        x : array_like
            Fractions in [0, 1].

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``; the impostors' by `x`.

        Raises
        ------
        InputError
            If a fraction lies outside [0, 1] or is NaN.
        InputTypeError
            If `x` is not numeric.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> point = fit.at_far(0.1)
        >>> round(point.n_beyond[1], 6), point.extrapolated  # 14 impostors: 1.4 beyond
        (1.4, False)
        """
        x = rate_array(x, "x")
        return self._stated(self.model.at_far(x), FAR=x)

    def at_frr(self, x: npt.ArrayLike) -> OperatingPoint:
        """The operating point at the highest threshold with FRR <= x; see `ScoreModel.at_frr`.

        Parameters
        ----------
        x : array_like
            Fractions in [0, 1].

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``; the clients' by `x`.

        Raises
        ------
        InputError
            If a fraction lies outside [0, 1] or is NaN.
        InputTypeError
            If `x` is not numeric.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> round(fit.at_frr(0.1).n_beyond[0], 6)  # 14 clients: 1.4 beyond
        1.4
        """
        x = rate_array(x, "x")
        return self._stated(self.model.at_frr(x), FRR=x)

    def eer(self, method: Literal["nearest", "hull"] = "nearest") -> OperatingPoint:
        """Where FAR equals FRR; see `ScoreModel.eer`.

        Parameters
        ----------
        method : str
            "nearest" or "hull".

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Raises
        ------
        InputError
            If `method` is unknown.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> round(fit.eer().hter, 4), [round(n, 2) for n in fit.eer().n_beyond]
        (0.2676, [3.75, 3.75])
        """
        point = self.model.eer(method)
        return self._stated(point, (asking("eer"), point.hter))

    def min_weighted_error(self, alpha: float) -> OperatingPoint:
        """The least alpha FAR + (1 - alpha) FRR; see `ScoreModel.min_weighted_error`.

        Parameters
        ----------
        alpha : float
            Weight of FAR, a fraction.

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Raises
        ------
        InputError
            If `alpha` is not in [0, 1].

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> round(fit.min_weighted_error(0.5).n_beyond[0], 2)
        3.75
        """
        point = self.model.min_weighted_error(alpha)
        error = alpha * point.far + (1.0 - alpha) * point.frr
        return self._stated(point, (asking("weighted-error", (), alpha=alpha), error))

    def min_dcf(
        self, cost_fa: float = 1.0, cost_fr: float = 1.0, *, prior: float | None = None
    ) -> OperatingPoint:
        """The least detection cost at the fit's prior; see `ScoreModel.min_dcf`.

        Parameters
        ----------
        cost_fa, cost_fr : float
            Costs of a false acceptance and of a false rejection, not negative.
        prior : float, optional
            P(client) where it is used; the fit's if left out.

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Raises
        ------
        InputError
            If a cost is negative or both are 0.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> fit.min_dcf(2, 1).extrapolated
        False
        """
        return self._stated(self.model.min_dcf(cost_fa, cost_fr, prior=prior))

    def actual_dcf(
        self, cost_fa: float = 1.0, cost_fr: float = 1.0, *, prior: float | None = None
    ) -> OperatingPoint:
        """The point at which log-likelihood ratios are to be cut; see `ScoreModel.actual_dcf`.

        Parameters
        ----------
        cost_fa, cost_fr : float
            Costs > 0 of a false acceptance and of a false rejection.
        prior : float, optional
            P(client) where it is used; the fit's if left out.

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Raises
        ------
        InputError
            If a cost is not positive, or the prior is 0 or 1.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> round(fit.actual_dcf(3, 2, prior=0.5).threshold, 6)  # log(1.5)
        0.405465
        """
        return self._stated(self.model.actual_dcf(cost_fa, cost_fr, prior=prior))

    def max_f(self, weight: float = 0.5) -> OperatingPoint:
        """The largest F measure at the fit's prior; see `ScoreModel.max_f`.

        Parameters
        ----------
        weight : float
            Weight of precision, a fraction.

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Raises
        ------
        InputError
            If `weight` is not in [0, 1].

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> fit.max_f().extrapolated
        False
        """
        return self._stated(self.model.max_f(weight))

    def youden(self) -> OperatingPoint:
        """The least FAR + FRR; see `ScoreModel.youden`.

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> round(fit.youden().threshold, 6)
        0.5
        """
        point = self.model.youden()
        return self._stated(point, (asking("max-youden"), point.youden))

    def break_even(self) -> OperatingPoint:
        """Where precision equals recall at the fit's prior; see `ScoreModel.break_even`.

        Returns
        -------
        OperatingPoint
            With ``n_beyond`` and ``extrapolated``.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> round(fit.break_even().threshold, 6)
        0.5
        """
        point = self.model.break_even()
        return self._stated(point, (asking("break-even"), point.mean_precision_recall))

    def diagonal_crossings(self) -> OperatingPoint:
        """Where the ROC crosses the diagonal; see `ScoreModel.diagonal_crossings`.

        Returns
        -------
        OperatingPoint
            An array of points with ``n_beyond`` and ``extrapolated``, possibly empty.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> len(fit.diagonal_crossings())  # equal spreads
        0
        """
        return self._stated(self.model.diagonal_crossings())

    def inflections(self) -> OperatingPoint:
        """Where the curvature of the ROC changes sign; see `ScoreModel.inflections`.

        Returns
        -------
        OperatingPoint
            An array of points with ``n_beyond`` and ``extrapolated``, possibly empty.

        Warns
        -----
        ExtrapolationWarning, MisfitWarning
            As in the class's text.

        Examples
        --------
        >>> import betaroc as br
        >>> client, impostor = [k / 20 for k in range(6, 20)], [k / 20 for k in range(1, 15)]
        >>> fit = br.fit(br.Scores(client, impostor), "normal")
        >>> len(fit.inflections())
        0
        """
        return self._stated(self.model.inflections())
