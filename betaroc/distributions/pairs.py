"""Two distributions on one score scale.

The generic algorithms use the two distributions' functions and their declared atoms. A closed
form is a subclass that overrides a method and stands in the table of :func:`closed_forms`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import cached_property

import numpy as np

from betaroc.core.arrays import FloatArray
from betaroc.core.checks import instance
from betaroc.core.quadrature import integrate_panels
from betaroc.core.special import bracketed_root
from betaroc.core.thresholds import BELOW_ONE, Thresholds, choose
from betaroc.distributions.base import BENDS, Distribution, PlaceFunction, just_below

ArrayFunction = Callable[[FloatArray], FloatArray]
Kind = type[Distribution]
#: The closed forms of a pair of families.
_FORMS: dict[tuple[Kind, Kind], Callable[[Distribution, Distribution], Pair]] = {}
# Tail probabilities exp(-d) at which distributions are looked at when roots are bracketed.
_DEPTHS = np.concatenate([np.linspace(0.7, 6.0, 12), np.geomspace(6.5, 1e5, 60)])

# Beyond this depth a density times a tail is below the smallest double.
_DEEPEST_AREA = 800.0

#: Relative rounding of the log of a tail.
_ROUNDING = 1e-15


def closed_forms(
    client: Kind, impostor: Kind, forms: Callable[[Distribution, Distribution], Pair]
) -> None:
    """Enter a pair of families in the table."""
    _FORMS[client, impostor] = forms


def pair_of(client: Distribution, impostor: Distribution, *, generic: bool = False) -> Pair:
    """The pair on its closed forms, if any."""
    forms = Pair if generic else _FORMS.get((_kind(client), _kind(impostor)), Pair)
    return forms(client, impostor)


def check_laws(client: object, impostor: object) -> None:
    """Raise InputTypeError unless both are distributions."""
    for which, law in (("client", client), ("impostor", impostor)):
        made = "Beta(a, b), betaroc.fit(Scores(...)) or, of scores, Empirical"
        instance(law, Distribution, which, made, "distribution")  # type: ignore[type-abstract]


def _kind(law: Distribution) -> Kind:
    return type(law if law.continuous is None else law.continuous[1])


class Pair:
    """Client and impostor distribution; generic algorithms."""

    #: True where every decision point is one of finitely many (two discrete distributions).
    discrete = False

    def __init__(self, client: Distribution, impostor: Distribution) -> None:
        self.client = client
        self.impostor = impostor
        self._like: Pair | None = None
        self._found_along: dict[bytes, Thresholds] = {}
        #: Roots are solved in logit coordinates when a distribution lives on [0, 1].
        self.unit = client.on_unit or impostor.on_unit

    # ------------------------------------------------------------------- rates
    def far(self, t: Thresholds) -> FloatArray:
        return self.impostor._upper(t)[0]

    def frr(self, t: Thresholds) -> FloatArray:
        return self.client._lower(t)[0]

    def tpr(self, t: Thresholds) -> FloatArray:
        return self.client._upper(t)[0]

    def tnr(self, t: Thresholds) -> FloatArray:
        return self.impostor._lower(t)[0]

    def log_ratio(self, t: Thresholds) -> FloatArray:
        """log f_c / f_i of the continuous parts."""
        with np.errstate(invalid="ignore"):
            impostor = self.impostor._log_density_in(t, unit=self.unit)
            return self.client._log_density_in(t, unit=self.unit) - impostor

    def log_excess(self, t: Thresholds, *, lower: bool) -> FloatArray:
        """log F_i - log F_c, or log S_c - log S_i; 0 where digits are lost."""
        pair = (self.impostor, self.client) if lower else (self.client, self.impostor)
        more, less = (d._side(t, lower=lower)[1] for d in pair)
        with np.errstate(invalid="ignore"):
            value = more - less
            # Far out the logs are huge, and below their last digit a difference has no sign.
            return np.where(np.abs(value) > _ROUNDING * np.abs(np.maximum(more, less)), value, 0.0)

    # ------------------------------------------------------------------ places
    @cached_property
    def joints(self) -> Thresholds:
        """Atoms and ends of the supports, ascending and distinct."""
        laws = (self.client, self.impostor)
        parts = [law.continuous[1] for law in laws if law.continuous is not None]
        places = [law.atoms.places for law in laws]
        places += [np.array(law.support) for law in (*laws, *parts)]
        return Thresholds.from_theta(np.unique(np.concatenate(places)))

    @property
    def atom_places(self) -> FloatArray:
        """Places of all atoms, the clients' first."""
        return np.concatenate([self.client.atoms.places, self.impostor.atoms.places])

    @cached_property
    def accept_all(self) -> Thresholds:
        """The lower end of the scale, -inf where it has an atom."""
        low = self.joints.theta[0]
        return Thresholds.from_theta(-np.inf if low in self.atom_places else low)

    @property
    def reject_all(self) -> Thresholds:
        return self.joints[-1]

    def just_below(self, joints: Thresholds) -> Thresholds:
        """Thresholds that accept the joints and nothing lower."""
        bottom = joints.theta == self.joints.theta[0]
        return choose(bottom, self.accept_all, just_below(joints, unit=self.unit))

    @cached_property
    def candidates(self) -> Thresholds:
        """Both sides of every place where a rate jumps, ascending."""
        # A joint without an atom is no jump: just below it is no decision of its own.
        jumps = self.joints[np.isin(self.joints.theta, self.atom_places)]
        both = Thresholds.concatenate([self.just_below(jumps), self.joints])
        return both[both.order()]

    @property
    def candidate_rates(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """TPR, FAR and FRR at the candidates."""
        t = self.candidates
        return self.tpr(t), self.far(t), self.frr(t)

    def along(self, p: FloatArray) -> Thresholds:
        """Jumps and places where a rate is p, ascending."""
        key = p.tobytes()
        result = self._found_along.get(key)
        if result is None:
            parts = [self.candidates]
            for law in (self.client, self.impostor):
                if law.continuous is not None:
                    parts += [law._inverse(p, np.log(p), lower=lower) for lower in (True, False)]
            t = Thresholds.concatenate(parts)
            result = t[t.order()]
            self._found_along = {key: result}  # another thread may look meanwhile
        return result

    # --------------------------------------------------- the likelihood ratio's level sets
    @cached_property
    def overlap(self) -> tuple[float, float] | None:
        """Where both densities live, in the working coordinate."""
        if self.client.continuous is None or self.impostor.continuous is None:
            return None
        c, i = self._base("client").support, self._base("impostor").support
        low, high = max(c[0], i[0]), min(c[1], i[1])
        if not low < high:
            return None
        first, last = self.coordinates(Thresholds.from_theta([low, high])).tolist()
        return first, last

    def bracketed_as(self, other: Pair) -> None:
        """Look for roots where those of `other` are."""
        self._like = other

    @cached_property
    def _quantiles(self) -> Thresholds:
        return self._quantiles_at(_DEPTHS) if self._like is None else self._like._quantiles

    @cached_property
    def _area_quantiles(self) -> Thresholds:
        """Quantiles as deep as an area can feel."""
        return self._quantiles_at(_DEPTHS[_DEPTHS < _DEEPEST_AREA])

    def _quantiles_at(self, depths: FloatArray) -> Thresholds:
        parts = [law.continuous for law in (self.client, self.impostor)]
        marks = [part[1]._landmarks(depths) for part in parts if part is not None]
        return Thresholds.concatenate([Thresholds.from_theta(np.empty(0)), *marks])

    def grid(self, low: float, high: float, *, unit: bool, area: bool = False) -> FloatArray:
        """Working coordinates between two, for roots or areas."""
        t = self._area_quantiles if area else self._quantiles
        points = np.unique(t.logit if unit else t.theta)
        if unit:
            # Distributions of small shapes bend around logit 0 within a step of their quantiles.
            points = np.union1d(points, BENDS)
        return points[(points > low) & (points < high) & np.isfinite(points)]

    @cached_property
    def mesh(self) -> FloatArray:
        """The grid over the overlap of the densities."""
        if self.overlap is None:
            return np.empty(0)
        return self.grid(*self.overlap, unit=self.unit)

    def place(self, u: float | FloatArray) -> Thresholds:
        """Thresholds at working coordinates."""
        return Thresholds.from_logit(u) if self.unit else Thresholds.from_theta(u)

    def coordinates(self, t: Thresholds) -> FloatArray:
        return t.logit if self.unit else t.theta

    def turning_points(self) -> Thresholds:
        """Where the likelihood ratio turns, ascending."""
        if self.mesh.size == 0:
            return self.place(np.empty(0))

        def slope(u: FloatArray) -> FloatArray:
            t = self.place(u)
            with np.errstate(invalid="ignore"):  # both are infinite where two tails end together
                return self._slope("client", t) - self._slope("impostor", t)

        return self.place(sign_changes(slope, self.mesh, "turn of the likelihood ratio"))

    def ratio_roots(self, level: float) -> Thresholds:
        """All places where log f_c / f_i is `level`, ascending."""
        turns = self._turn_coordinates
        mesh = np.unique(np.concatenate([self.mesh, turns]))

        def excess(u: FloatArray) -> FloatArray:
            return self.log_ratio(self.place(u)) - level

        return self.place(sign_changes(excess, mesh, "level of the likelihood ratio"))

    @cached_property
    def _turn_coordinates(self) -> FloatArray:
        if self._like is not None:
            return self._like._turn_coordinates
        return self.coordinates(self.turning_points())

    def _slope(self, which: str, t: Thresholds) -> FloatArray:
        law = self._base(which)
        slope = law._log_density_slope(t)
        return slope if law.on_unit == self.unit else slope * t.theta * t.complement

    def end_log_ratio(self, *, lower: bool) -> float | None:
        """Limit of log f_c / f_i at an end, where it is known."""
        return None

    def decisive_sides(self) -> tuple[float, float] | None:
        """Sign of F_i - F_c at both ends where it says all."""
        return None

    def diagonal_roots(self) -> Thresholds | None:
        """All crossings of the diagonal, where known."""
        return None

    # ----------------------------------------------------------------- balanced errors
    @cached_property
    def balanced(self) -> Thresholds | None:
        """Where FAR equals FRR; None where candidates must be compared."""
        return self.balance_root()

    def balance_root(self, weight_far: float = 1.0, weight_frr: float = 1.0) -> Thresholds | None:
        """Where weight_far FAR = weight_frr FRR; None on a jump."""
        if self.discrete:
            return None
        t = self.candidates
        gap = weight_far * self.far(t) - weight_frr * self.frr(t)
        first = int(np.argmax(gap <= 0.0))
        if first == 0 or gap[first] == 0.0:
            return None
        low, high = t[first - 1], t[first]
        below = self.just_below(high)
        if low.theta == below.theta and low.logit == below.logit:
            return None
        constant = math.log(weight_far) - math.log(weight_frr)

        def excess(at: Thresholds) -> FloatArray:
            with np.errstate(invalid="ignore"):
                return self.impostor._upper(at)[1] - self.client._lower(at)[1] + constant

        return self._root_between(excess, low, high, "balance of the two errors")

    def _root_between(
        self, function: PlaceFunction, low: Thresholds, high: Thresholds, noun: str
    ) -> Thresholds | None:
        """The sign change (+ to -) of a decreasing function."""
        if not float(high.theta) > float(low.theta):
            return None
        unit = self.unit and float(low.theta) >= 0.0 and float(high.theta) <= 1.0
        ends = (low.logit, high.logit) if unit else (low.theta, high.theta)
        place = Thresholds.from_logit if unit else Thresholds.from_theta
        a, b = float(ends[0]), float(ends[1])
        grid = self.grid(a, b, unit=unit)
        first, last = [a] if math.isfinite(a) else [], [b] if b < BELOW_ONE else []
        inner = np.concatenate([first, grid, last])
        values = function(place(inner))
        keep = ~np.isnan(values)
        inner, values = inner[keep], values[keep]
        k = int(np.argmax(values <= 0.0))
        if inner.size == 0 or k == 0 or not np.any(values <= 0.0):
            return None

        def at(u: float) -> float:
            # Both tails may be gone even as logs: there they balance.
            value = float(function(place(np.array(u))))
            return 0.0 if math.isnan(value) else value

        return place(np.array(bracketed_root(at, float(inner[k - 1]), float(inner[k]), what=noun)))

    # --------------------------------------------------------------------- area
    def auc(self) -> float:
        """P(C > I) + P(C = I)/2."""
        c_atoms, i_atoms = self.client.atoms, self.impostor.atoms
        terms = []
        if c_atoms.places.size:
            at = Thresholds.from_theta(c_atoms.places)
            upto = self.impostor._lower(at)[0]
            strictly = self.impostor._lower(self.just_below_any(at))[0]
            # Of a continuous distribution much may lie between two neighbouring doubles.
            strictly = np.where(self.impostor.atoms.masses_at(at) > 0.0, strictly, upto)
            strictly = np.where(c_atoms.places == -np.inf, 0.0, strictly)  # nobody is below that
            terms.append(math.fsum(0.5 * c_atoms.masses * (strictly + upto)))
        if self.client.continuous is not None:
            share, base = self.client.continuous
            if i_atoms.places.size:
                above = base._upper(Thresholds.from_theta(i_atoms.places))[0]
                terms.append(share * math.fsum(i_atoms.masses * above))
            if self.impostor.continuous is not None:
                terms.append(share * self.impostor.continuous[0] * self.auc_continuous())
        return min(1.0, math.fsum(terms))

    def just_below_any(self, t: Thresholds) -> Thresholds:
        return just_below(t, unit=self.unit)

    def auc_continuous(self) -> float:
        """P(C > I) of the two continuous parts."""
        client, impostor = self._base("client"), self._base("impostor")
        lower = client.on_unit or not self.unit
        law, other = (client, impostor) if lower else (impostor, client)

        def integrand(u: FloatArray) -> FloatArray:
            t = self.place(u)
            with np.errstate(over="ignore", under="ignore"):
                log_density = law._log_density_in(t, unit=self.unit)
                return np.exp(log_density + other._side(t, lower=lower)[1])

        return integrate_panels(integrand, self.panels(law, -math.inf, math.inf))

    def excess_by_ratio(self, u: float, *, lower: bool = True) -> float:
        """F_i - F_c, or from above S_c - S_i, of continuous parts that nearly agree.

        The integral of the larger density times 1 less the ratio.
        """
        c, i = self._base("client"), self._base("impostor")

        def integrand(v: FloatArray) -> FloatArray:
            t = self.place(v)
            ratio = self.log_ratio(t)
            with np.errstate(under="ignore"):
                densities = [np.exp(law._log_density_in(t, unit=self.unit)) for law in (c, i)]
                larger = np.where(ratio > 0.0, *densities)
                value = np.sign(-ratio) * larger * -np.expm1(-np.abs(ratio))
            # Beyond a tail that ends, by rounding, neither has a density, and they no ratio.
            return np.where((densities[0] == 0.0) & (densities[1] == 0.0), 0.0, value)

        panels = self.panels(i, *((-math.inf, u) if lower else (u, math.inf)))
        value = integrate_panels(integrand, panels)
        return value if lower else -value

    def panels(self, law: Distribution, low: float, high: float) -> FloatArray:
        """Break points of a quadrature over a support."""
        ends = Thresholds.from_theta(np.array(law.support))
        first, last = self.coordinates(ends).tolist()
        low, high = max(low, first), min(high, last)
        inner = self.grid(low, high, unit=self.unit, area=True)
        return np.unique(np.concatenate([[low], inner, [high]])) if low < high else np.empty(0)

    # ------------------------------------------------------------------ helpers
    def _base(self, which: str) -> Distribution:
        law: Distribution = getattr(self, which).continuous[1]
        return law

    def _log_share(self) -> float:
        shares = [law.continuous[0] for law in (self.client, self.impostor) if law.continuous]
        return math.log(shares[0]) - math.log(shares[1])


def sign_changes(function: ArrayFunction, mesh: FloatArray, noun: str) -> FloatArray:
    """Places on a mesh where a function changes its sign."""

    def signs(u: FloatArray) -> FloatArray:
        # Where neither side is a double the difference is nan, and says nothing.
        value = function(u)
        return np.where(np.isnan(value), 0.0, value)

    def at(u: float) -> float:
        return float(signs(np.array([u]))[0])

    values = np.sign(signs(mesh))
    known = np.nonzero(values)[0]
    roots = []
    for k, m in itertools.pairwise(known):
        if values[k] != values[m]:
            touch = mesh[k + 1] if m > k + 1 else None
            low, high = float(mesh[k]), float(mesh[m])
            roots.append(bracketed_root(at, low, high, what=noun) if touch is None else touch)
    return np.array(roots)
