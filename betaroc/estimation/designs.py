"""From covariates to the columns of a regression: formulas, their checks, and new rows."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core.arrays import AnyArray, FloatArray
from betaroc.core.checks import finite
from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import listed, nearest, shown
from betaroc.core.value import Value
from betaroc.data.scores import Scores

__all__ = [
    "Covariate", "DesignMatrix", "as_text", "checked_values", "formula_columns", "designs_of",
    "outside", "read_column", "right_side", "spelled", "term_names", "without",
]  # fmt: skip

#: Singular values below this share of the largest, of columns of length 1, are none.
_COLLINEAR = 1e-8
#: Leverage, in units of the largest of any trial, beyond which values together are far from all.
_FAR_OUT = 2.0


@dataclass(frozen=True, eq=False, repr=False)
class Covariate(Value):
    """A column that a formula uses.

    Parameters
    ----------
    name : str
        Its name.
    client, impostor : ndarray
        Its values among the trials of each class: numbers, or text or booleans; empty where no
        formula of that class uses it.
    levels : tuple or None
        The categories in order, the first being the one the others are compared with; None for
        numbers.
    """

    name: str
    client: AnyArray
    impostor: AnyArray
    levels: tuple[Any, ...] | None = None


# ---------------------------------------------------------------------------- formulas
def right_side(formula: Any, name: str, score: str) -> Any:
    """The right-hand side, parsed; a left-hand side must be the score column."""
    import patsy

    if not isinstance(formula, str):
        raise InputTypeError.about(name)(
            f"{name} must be text, such as 'sharpening' or 'C(camera) + sharpening'; got"
            f" {shown(formula)} of type {type(formula).__name__}."
        )
    if not formula.strip():
        raise InputError.about(name)(
            f"{name} must not be empty; got {formula!r}. Without covariates it is '1'."
        )
    try:
        parsed = patsy.ModelDesc.from_formula(formula)
    except (patsy.PatsyError, SyntaxError, ValueError) as error:
        raise InputError.about(name)(
            f"{name} must be a formula; {shown(formula)} is none: {shown(str(error), 120)}."
            " Terms are joined by +, categories are C(camera)."
        ) from error
    left = "".join(term.name() for term in parsed.lhs_termlist)
    if left not in ("", score):
        raise InputError.about(name)(
            f"{name} must have nothing or the score column, {score!r}, left of ~; got {left!r}."
            " Write the right-hand side alone."
        )
    parsed.lhs_termlist = []
    if not parsed.rhs_termlist:
        raise InputError.about(name)(
            f"{name} must have a term; got {formula!r}. Without covariates it is '1'."
        )
    return parsed


def formula_columns(parsed: Any, name: str, present: list[str], own: tuple[str, ...]) -> list[str]:
    """The columns that a parsed formula uses, in its order; every name must be one or a function.

    `own` are the columns of score and label, which are no covariates.
    """
    found = list(dict.fromkeys(n for f in _factors(parsed) for n in _names(f.code, name)))
    for column in found:
        if column in own:
            raise InputError.about(name)(
                f"{name} must not use {column!r}: the score is what is explained, and each class"
                " has its own regression. Leave it out."
            )
        if column == "prior":
            raise InputError.about(name)(
                f"{name} must not use a column called 'prior', which means the share of clients"
                " here. Rename the column."
            )
    used = [c for c in found if c in present]
    known = {*dir(builtins), *_functions(), "np"}
    unknown = [c for c in found if c not in present and c not in known]
    if unknown:
        columns = [c for c in present if c not in own]
        raise InputError.about(name)(
            f"{name} must name columns of the frame; {unknown[0]!r} is none of"
            f" {listed(columns)}. {nearest(unknown[0], columns)}".rstrip()
        )
    return used


def _factors(parsed: Any) -> list[Any]:
    return [f for term in parsed.rhs_termlist for f in term.factors]


def _names(code: str, name: str) -> list[str]:
    """Variables of a piece of code, Q('a name') among them."""
    try:
        tree = ast.parse(code.strip(), mode="eval")
    except SyntaxError as error:
        raise InputError.about(name)(
            f"{name} must be a formula; {shown(code)} in it is not readable. Names with blanks are"
            " Q('a name')."
        ) from error
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Q":
            found += [a.value for a in node.args if isinstance(a, ast.Constant)]
        elif isinstance(node, ast.Name):
            found.append(node.id)
    return [str(n) for n in found]


def _functions() -> set[str]:
    from patsy import builtins as offered

    return set(offered.__all__)


def as_text(parsed: Any) -> str:
    """The right-hand side, as patsy writes it."""
    return str(parsed.describe()).removeprefix("~").strip()


def without(parsed: Any, terms: tuple[str, ...]) -> tuple[Any, list[str]]:
    """The formula without these terms and their interactions, and the terms that went."""
    import patsy

    wanted = [set(term.factors) for name in terms for term in _terms(name)]
    gone = [t for t in parsed.rhs_termlist if any(w <= set(t.factors) for w in wanted)]
    kept = [t for t in parsed.rhs_termlist if t not in gone]
    return patsy.ModelDesc([], kept), [t.name() for t in gone]


def _terms(name: str) -> list[Any]:
    """What is meant by the name of a term, however it is spaced."""
    parsed = right_side(name, "term", "")
    return [term for term in parsed.rhs_termlist if term.factors]


def term_names(parsed: Any) -> list[str]:
    """The terms but the intercept."""
    return [term.name() for term in parsed.rhs_termlist if term.factors]


def spelled(name: Any) -> str:
    """The name of one term as it is spelled here."""
    found = _terms(name)
    if len(found) != 1:
        raise InputError(
            f"each term must be one term of a formula other than the intercept; got {shown(name)}."
            " Give several terms as several arguments."
        )
    return str(found[0].name())


# ----------------------------------------------------------------------------- columns
def read_column(series: Any, name: str, rows: AnyArray) -> tuple[AnyArray, tuple[Any, ...] | None]:
    """A column and its categories, None for numbers; the rows in use must have values."""
    import narwhals as nw

    gone = np.flatnonzero(np.asarray(series.is_null().to_numpy(), dtype=bool) & rows)
    called = f"column {shown(name)}"
    if gone.size:
        raise InputError(
            f"{called} must have no missing value; got {gone.size} of {int(rows.sum())} missing,"
            f" first in rows {listed(gone.tolist())} (counted from 0). Drop these rows first."
        )
    dtype = series.dtype
    values = series.to_numpy()
    if dtype.is_numeric():
        return _numbers(values, called, rows), None
    if dtype == nw.Boolean:
        return np.where(rows, values, False).astype(bool), (False, True)
    if not isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
        raise InputTypeError(
            f"{called} must hold numbers, text or booleans to be a covariate; got dtype {dtype}."
            " Convert it to one of them."
        )
    text = np.array([str(v) if used else "" for v, used in zip(values, rows, strict=True)])
    there = set(text[rows].tolist())
    order = dtype.categories if isinstance(dtype, nw.Enum) else sorted(there)
    return text, tuple(str(level) for level in order if str(level) in there)


def _numbers(values: Any, called: str, rows: AnyArray) -> FloatArray:
    result = np.full(rows.size, np.nan)
    result[rows] = np.asarray(values[rows], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(result) & rows)
    if bad.size:
        raise InputError(
            f"{called} must be finite; got {bad.size} of {int(rows.sum())} NaN or infinite, first"
            f" {float(result[bad[0]])!r} in row {int(bad[0])} (counted from 0). Drop these rows"
            " first."
        )
    return result


# ----------------------------------------------------------------------------- designs
class DesignMatrix:
    """The columns that a right-hand side makes of covariates, and makes again of new values."""

    def __init__(
        self, parsed: Any, name: str, covariates: tuple[Covariate, ...], sizes: dict[str, int]
    ) -> None:
        """Columns of the trials of these classes together, which share centres and knots."""
        import patsy

        used = {c for f in _factors(parsed) for c in _names(f.code, name)}
        self.name = name
        self.covariates = [c for c in covariates if c.name in used]
        columns = {
            c.name: _column(np.concatenate([getattr(c, who) for who in sizes]), c)
            for c in self.covariates
        }
        matrix = self._made(
            lambda table: patsy.dmatrix(parsed, table, _environment(), "raise", "matrix"),
            columns,
            sum(sizes.values()),
        )
        self.info = matrix.design_info
        self.names = tuple(self.info.column_names)
        stops = np.cumsum(list(sizes.values())).tolist()
        parts = np.split(np.asarray(matrix, dtype=np.float64), stops[:-1])
        self.rows = dict(zip(sizes, parts, strict=True))
        self.categories = self._categories()

    def _made(self, make: Any, columns: dict[str, Any], n: int) -> Any:
        """A matrix of finite numbers, made by patsy."""
        import pandas as pd
        import patsy

        try:
            with np.errstate(all="ignore"):
                matrix = make(pd.DataFrame(columns, index=range(n)))
        except (patsy.PatsyError, TypeError, ValueError, ArithmeticError) as error:
            text = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"{self.name} must be computable from its columns; it gives: {shown(text, 160)}."
                " Check its functions and what they are applied to."
            ) from error
        bad = np.argwhere(~np.isfinite(np.asarray(matrix)))
        if bad.size:
            column = matrix.design_info.column_names[bad[0, 1]]
            raise InputError(
                f"{self.name} must give finite numbers; {column!r} is"
                f" {float(matrix[tuple(bad[0])])!r} for {len(bad)} of {n} trials. Check what it"
                " is computed from."
            )
        return matrix

    def _categories(self) -> dict[str, tuple[Any, ...]]:
        """Columns that are categories here, with what they may be."""
        found = {c.name: c.levels for c in self.covariates if c.levels is not None}
        for factor, info in self.info.factor_infos.items():
            names = _names(factor.code, self.name)
            columns = [c for c in self.covariates if c.name in names]
            if info.type == "categorical" and len(columns) == 1 and columns[0].levels is None:
                values = np.concatenate([columns[0].client, columns[0].impostor])
                found[columns[0].name] = tuple(np.unique(values).tolist())
        return found

    def terms(self, gone: list[str]) -> list[int]:
        """Which columns belong to these terms."""
        slices = {term.name(): where for term, where in self.info.term_slices.items()}
        return [k for name in gone if name in slices for k in range(*slices[name].indices(10**6))]

    def row(self, values: Mapping[str, Any]) -> FloatArray:
        """The columns at new values, one of each covariate."""
        import patsy

        columns = {c.name: _column(np.array([values[c.name]]), c) for c in self.covariates}
        matrix = self._made(
            lambda table: patsy.build_design_matrices([self.info], table, "raise", "matrix")[0],
            columns,
            1,
        )
        made: FloatArray = np.asarray(matrix, dtype=np.float64)[0]
        return made

    def leverage(self, who: str, row: FloatArray) -> float:
        """Leverage of new values among the trials of a class, by the largest of any trial."""
        x = self.rows[who]
        units = np.max(np.abs(x), axis=0)
        q, r = np.linalg.qr(x / units)
        away = np.linalg.solve(r.T, row / units)
        return float(away @ away / np.max(np.sum(q * q, axis=1)))

    # ------------------------------------------------------------------- what can be fitted
    def refuse_undetermined(self, who: str) -> None:
        """The trials of a class must tell every column's coefficient."""
        for c in self.covariates:
            self._refuse_absent(c, who)
        x = self.rows[who]
        units = np.max(np.abs(x), axis=0)
        scaled = x / np.where(units > 0.0, units, 1.0)
        lengths = np.linalg.norm(scaled, axis=0)
        scaled /= np.where(lengths > 0.0, lengths, 1.0)
        _, sizes, axes = np.linalg.svd(scaled, full_matrices=False)
        if x.shape[0] >= x.shape[1] and sizes[-1] > _COLLINEAR * sizes[0]:
            return
        flat = [k for k in range(len(self.names)) if np.ptp(x[:, k]) == 0.0]
        named = [k for k in flat if self.names[k] != "Intercept"]
        if named:
            raise InputError(
                f"{self.name} must have covariates that vary among the {who} trials; its column"
                f" {self.names[named[0]]!r} is {float(x[0, named[0]])!r} for all {x.shape[0]} of"
                f" them. {self._hint(who)}"
            )
        part = [n for n, share in zip(self.names, axes[-1], strict=False) if abs(share) > 1e-4]
        raise InputError(
            f"{self.name} must have columns that the {who} trials tell apart; {listed(part, 8)} are"
            " collinear: one of them follows from the others. Leave one out."
        )

    def _refuse_absent(self, c: Covariate, who: str) -> None:
        levels = self.categories.get(c.name)
        values = getattr(c, who)
        if levels is None:
            if np.ptp(values) == 0.0:
                raise InputError(
                    f"{c.name!r} must vary among the {who} trials; it is {float(values[0])!r} for"
                    f" all {values.size} of them. {self._hint(who)}"
                )
            return
        there = set(values.tolist())
        absent = [level for level in levels if level not in there]
        if len(levels) - len(absent) < 2:
            raise InputError(
                f"{c.name!r} must vary among the {who} trials; all {values.size} of them have"
                f" {shown(values[0])}. {self._hint(who)}"
            )
        if absent:
            raise InputError(
                f"every category of {c.name!r} must have {who} trials; {shown(absent[0])} has none"
                f" (the {who} trials have {listed(sorted(there))}). Leave out its trials, or"
                f" join it with another. {self._hint(who)}"
            )

    def _hint(self, who: str) -> str:
        if who == "client" and len(self.rows) > 1:
            return "A covariate of the impostors alone is left to them by client_formula='1'."
        return "Leave it out of the formula."


def _column(values: AnyArray, covariate: Covariate) -> Any:
    import pandas as pd

    if covariate.levels is None or values.dtype.kind == "b":
        return values
    return pd.Categorical(values, categories=list(covariate.levels))


def _environment() -> Any:
    """What a formula may call besides patsy's own functions."""
    import patsy

    return patsy.EvalEnvironment([{"np": np}])


def designs_of(
    formulas: tuple[str, ...], covariates: tuple[Covariate, ...], scores: Scores, *, shared: bool
) -> dict[str, list[DesignMatrix]]:
    """Of mean and precision, by class; `shared` ones are made of both classes together."""
    sizes = {"client": scores.n_client, "impostor": scores.n_impostor}
    names = ("client_formula", "client_formula", "formula", "precision")
    if shared:
        both = [
            DesignMatrix(right_side(text, name, ""), name, covariates, sizes)
            for text, name in zip(formulas[2:], names[2:], strict=True)
        ]
        return {"client": both, "impostor": both}
    made = [
        DesignMatrix(right_side(text, name, ""), name, covariates, {who: sizes[who]})
        for text, name, who in zip(
            formulas, names, ("client", "client", "impostor", "impostor"), strict=True
        )
    ]
    return {"client": made[:2], "impostor": made[2:]}


# -------------------------------------------------------------------------- new values
def checked_values(
    given: Mapping[str, Any],
    covariates: tuple[Covariate, ...],
    categories: Mapping[str, tuple[Any, ...]],
) -> dict[str, Any]:
    """One value for each covariate, no others."""
    names = [c.name for c in covariates]
    for name in given:
        if name not in names:
            there = f"the covariates are {listed(names)}" if names else "the fit has no covariates"
            raise InputError(
                f"{shown(name)} must be a covariate of the fit; {there}."
                f" {nearest(name, names)}".rstrip()
            )
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(
            f"every covariate must have a value; {listed(missing)} got none. The covariates are"
            f" {listed(names)}."
        )
    return {c.name: _value(given[c.name], c, categories.get(c.name)) for c in covariates}


def _value(value: Any, covariate: Covariate, levels: tuple[Any, ...] | None) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if covariate.levels is None:
        value = finite(value, covariate.name)
    if levels is None or any(type(v) is type(value) and v == value for v in levels):
        return value
    raise InputError(
        f"{covariate.name!r} must be one of its categories, {listed(levels, 12)}; got"
        f" {shown(value)}. {nearest(value, [str(v) for v in levels])}".rstrip()
    )


def outside(
    values: Mapping[str, Any],
    rows: Mapping[str, list[FloatArray]],
    designs: dict[str, list[DesignMatrix]],
) -> list[str]:
    """Where values leave the trials they are predicted from, in words; empty where they do not.

    A number leaves them beyond the smallest and the largest of a class, values together where
    their row of a design has more than twice the largest leverage of any trial of a class.
    """
    ranges: dict[str, list[str]] = {}
    apart = []
    for who, parts in designs.items():
        covariates = {c.name: c for d in parts for c in d.covariates if c.name not in d.categories}
        out = False
        for name, c in covariates.items():
            low, high = float(getattr(c, who).min()), float(getattr(c, who).max())
            if not low <= values[name] <= high:
                out = True
                ranges.setdefault(name, []).append(f"{who} trials {low:g} to {high:g}")
        far = max(d.leverage(who, row) for d, row in zip(parts, rows[who], strict=True))
        if not out and far > _FAR_OUT:
            apart.append(
                f"no {who} trial has such values together (leverage {far:.2g} times the"
                " largest of theirs)"
            )
    found = [f"{name}={values[name]:g} ({', '.join(ends)})" for name, ends in ranges.items()]
    return found + apart
