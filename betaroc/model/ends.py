"""The two ends of a ROC (docs/theory.md, (4) and (5)), and what follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import NamedTuple

from betaroc.core.special import exponential
from betaroc.core.tables import Table, table_of
from betaroc.core.value import Value
from betaroc.distributions.base import Tail
from betaroc.distributions.pairs import Pair
from betaroc.rendering.nouns import Exportable


class SemiDerivatives(NamedTuple):
    """lim dF_i / dF_c at the two ends of the threshold range: 0, inf or a constant.

    Parameters
    ----------
    at_zero, at_one : float
        In [0, inf]; named by the threshold.

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> ScoreModel(Beta(2, 1), Beta(1, 1)).semi_derivatives()  # F_i = t, F_c = t^2
    SemiDerivatives(at_zero=inf, at_one=0.5)
    """

    at_zero: float
    at_one: float


@dataclass(frozen=True, eq=False, repr=False)
class End(Value):
    """Behaviour of a ROC near one end of the threshold range.

    Parameters
    ----------
    semi_derivative : float
        lim dF_i / dF_c, the paper's; 0, inf or a finite constant.
    roc_slope : float
        lim dTPR / dFAR, its reciprocal.
    exponent : float
        rho in F_i ~ K F_c^rho (threshold near 0) or FAR ~ K TPR^rho (near 1).
    coefficient : float
        K; nan where the tails are not power laws.
    side : str
        "above", "on" or "below" the diagonal near that end.

    Notes
    -----
    With atoms at the end: exponent 1 and K = p_i / p_c; exponent 0 and K = p_i if the impostors
    have it alone; exponent inf if the clients have.

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> ScoreModel(Beta(2, 1), Beta(1, 2)).ends().at_one  # FAR = u^2, TPR ~ 2 u, u = 1 - t
    End(semi_derivative=0.0, roc_slope=inf, exponent=2.0, coefficient=0.25, side='above')
    """

    semi_derivative: float
    roc_slope: float
    exponent: float
    coefficient: float
    side: str


@dataclass(frozen=True, eq=False, repr=False)
class Ends(Exportable):
    """Both ends, named by the threshold.

    Parameters
    ----------
    at_zero : End
        Threshold towards the lower end of the scale: ROC corner (1, 1).
    at_one : End
        Threshold towards the upper end of the scale: ROC corner (0, 0).

    Examples
    --------
    >>> from betaroc import Beta, ScoreModel
    >>> ends = ScoreModel(Beta(2, 2), Beta(1, 1)).ends()
    >>> ends.at_zero.side, ends.at_one.side
    ('above', 'below')
    """

    at_zero: End
    at_one: End

    def __str__(self) -> str:
        return str(self.to_frame().to_string(index=False))

    def to_frame(self) -> Table:
        """Both ends as a table.

        Returns
        -------
        pandas.DataFrame
            One row per end: end, semi_derivative, roc_slope, exponent, coefficient, side.

        Examples
        --------
        >>> from betaroc import Beta, ScoreModel
        >>> ScoreModel(Beta(2, 1), Beta(1, 2)).ends().to_frame()["end"].tolist()
        ['at_zero', 'at_one']
        """
        both = {"at_zero": self.at_zero, "at_one": self.at_one}
        names = [field.name for field in fields(End)]
        columns = {name: [getattr(end, name) for end in both.values()] for name in names}
        return table_of({"end": list(both)} | columns)


# ---------------------------------------------------------------------------------- limits
class Limit(NamedTuple):
    """Impostor mass against client mass towards one end."""

    semi: float
    #: Its reciprocal, which may be a double where the other underflows.
    reciprocal: float
    exponent: float
    coefficient: float
    #: The sign of log semi, also where semi rounds to 1.
    heavier: int


def limits(client: Tail, impostor: Tail, *, lower: bool) -> Limit:
    """Semi-derivative, exponent and coefficient of impostor against client mass."""
    # The class whose tail is the heavier has all the mass: that of the further support, of the
    # point mass at the end, of the lower order of the tail (a power, then Gaussian), then
    #   powers     F ~ exp(log_coefficient) d^rate, d the distance to the end, so that
    #              F_i ~ K F_c^rho with rho = rate_i / rate_c
    #   Gaussian   the wider; of one width the one whose centre lies nearer to the end
    # Of equal exponents the constant is left.
    impostor_alone = Limit(math.inf, 0.0, 0.0, math.nan, 1)
    client_alone = Limit(0.0, math.inf, math.inf, math.nan, -1)
    if client.place != impostor.place:
        return impostor_alone if (impostor.place < client.place) == lower else client_alone
    if client.mass > 0.0 or impostor.mass > 0.0:
        if client.mass == 0.0:
            return impostor_alone._replace(coefficient=impostor.mass)
        return client_alone if impostor.mass == 0.0 else _of_masses(client.mass, impostor.mass)
    if client.order != impostor.order:
        return impostor_alone if impostor.order < client.order else client_alone
    if math.isnan(client.width) or math.isnan(impostor.width):
        rho = impostor.rate / client.rate
        log_k = impostor.log_coefficient - rho * client.log_coefficient
        if impostor.rate == client.rate and impostor.power != client.power:
            return _apart(1.0, math.nan, impostor_heavier=impostor.power > client.power)
        if impostor.rate == client.rate:
            return _tied(0.0 if client == impostor else log_k)
        return _apart(rho, exponential(log_k), impostor_heavier=impostor.rate < client.rate)
    order = client.order if client.order > 0 else 2.0
    if client.width != impostor.width:
        wider = impostor.width > client.width
        try:
            exponent = (client.width / impostor.width) ** order
        except OverflowError:
            exponent = math.inf
        return _apart(exponent, math.nan, impostor_heavier=wider)
    if client.centre != impostor.centre:
        nearer = (impostor.centre < client.centre) == lower
        return _apart(1.0, math.nan, impostor_heavier=nearer)
    return _of_masses(client.share, impostor.share)._replace(coefficient=math.nan)


def _apart(exponent: float, coefficient: float, *, impostor_heavier: bool) -> Limit:
    if impostor_heavier:
        return Limit(math.inf, 0.0, exponent, coefficient, 1)
    return Limit(0.0, math.inf, exponent, coefficient, -1)


# ------------------------------------------------------------------------------------ ties
def _of_masses(client: float, impostor: float) -> Limit:
    ratio, heavier = impostor / client, (impostor > client) - (impostor < client)
    return Limit(ratio, client / impostor, 1.0, ratio, heavier)


def _tied(log_semi: float) -> Limit:
    semi = exponential(log_semi)
    heavier = (log_semi > 0.0) - (log_semi < 0.0)
    return Limit(semi, exponential(-log_semi), 1.0, semi, heavier)


# ----------------------------------------------------------------------------------- sides
def ends(pair: Pair) -> Ends:
    """Both ends from the tails that the distributions declare."""
    return Ends(_end(pair, lower=True), _end(pair, lower=False))


def _end(pair: Pair, *, lower: bool) -> End:
    client, impostor = (law._tails()[0 if lower else 1] for law in (pair.client, pair.impostor))
    limit = limits(client, impostor, lower=lower)
    if limit.exponent == 1.0 and client.mass == impostor.mass == 0.0:
        # The ratio of two coefficients, to more digits where the pair has it in closed form.
        log_ratio = pair.end_log_ratio(lower=lower)
        if log_ratio is not None:
            limit = _tied(-log_ratio)
    side = ("on", "above", "below")[limit.heavier if lower else -limit.heavier]
    return End(limit.semi, limit.reciprocal, limit.exponent, limit.coefficient, side)


# --------------------------------------------------------------------------------- theorem
def shape_of_ends(at_zero: float, at_one: float) -> str:
    """The whole curve by the signs of its ends: above (> 0), on (0) or below."""
    # Where the likelihood ratio turns at most once the ends decide: D = F_i - F_c vanishes at both,
    # and D' = f_i - f_c has one zero where the sides are alike, two where they are not.
    if at_zero * at_one < 0.0:
        return "hook-at-zero" if at_zero < 0.0 else "hook-at-one"
    if at_zero == at_one == 0.0:
        return "chance"
    return "proper" if at_zero + at_one > 0.0 else "below"
