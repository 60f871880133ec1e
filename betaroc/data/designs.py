"""From covariates to the columns of a regression, and new rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from betaroc.core.arrays import AnyArray, FloatArray
from betaroc.core.checks import check_entries, finite
from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.formulas import factor_columns, of_numpy, right_side, term_name
from betaroc.core.text import did_you_mean, format_list, format_value
from betaroc.core.value import Value
from betaroc.data.frames import check_nulls
from betaroc.data.scores import Scores

#: Singular values below this share of the largest, of columns of length 1, are none.
_COLLINEAR = 1e-8
#: Leverage, in units of the largest of any trial, beyond which values together are far from all.
_FAR_OUT = 2.0
_REMEDY = "A covariate of the impostors alone is left to them by client_formula='1'; omit others."


@dataclass(frozen=True, eq=False, repr=False)
class Covariate(Value):
    """A column that a formula uses: its values in each class, and its categories if it has some."""

    name: str
    client: AnyArray
    impostor: AnyArray
    levels: tuple[Any, ...] | None = None


# ----------------------------------------------------------------------------- columns
def read_column(series: Any, name: str, rows: AnyArray) -> tuple[AnyArray, tuple[Any, ...] | None]:
    """A column and its categories, None for numbers; the rows in use must have values."""
    import narwhals as nw

    check_nulls(series, name, rows)
    called = f"column {format_value(name)}"
    dtype = series.dtype
    values = series.to_numpy()
    if dtype.is_numeric():
        numbers = np.full(rows.size, np.nan)
        numbers[rows] = np.asarray(values[rows], dtype=np.float64)
        check_entries(numbers, ~np.isfinite(numbers) & rows, called, "be finite")
        return numbers, None
    if dtype == nw.Boolean:
        return np.where(rows, values, False).astype(bool), (False, True)
    if not isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
        rule, remedy = "hold numbers, text or booleans to be a covariate", "Convert it to them."
        raise refusal(called, rule, f"dtype {dtype}", remedy, InputTypeError)
    text = np.array([str(v) if used else "" for v, used in zip(values, rows, strict=True)])
    present = set(text[rows].tolist())
    order = dtype.categories if isinstance(dtype, nw.Enum) else sorted(present)
    return text, tuple(str(level) for level in order if str(level) in present)


# ----------------------------------------------------------------------------- designs
class DesignMatrix:
    """The columns that a right-hand side makes of covariates, and makes again of new values."""

    def __init__(
        self, parsed: Any, name: str, covariates: tuple[Covariate, ...], sizes: dict[str, int]
    ) -> None:
        """Columns of the trials of these classes together, which share centres and knots."""
        from formulaic import SimpleFormula

        used = {c for term in parsed for f in term.factors for c in factor_columns(f, name)}
        self.name = name
        self.covariates = [c for c in covariates if c.name in used]
        columns = {
            c.name: _column(np.concatenate([getattr(c, who) for who in sizes]), c)
            for c in self.covariates
        }
        # Columns of categories alone stand first, then those of each number.
        matrix = self._made(
            SimpleFormula(parsed, _ordering="none"), columns, sum(sizes.values()),
            cluster_by="numerical_factors", na_action="ignore", output="numpy",
        )  # fmt: skip
        self.info = matrix.model_spec
        self.names = tuple(self.info.column_names)
        stops = np.cumsum(list(sizes.values())).tolist()
        parts = np.split(np.asarray(matrix, dtype=np.float64), stops[:-1])
        self.rows = dict(zip(sizes, parts, strict=True))
        # Columns that are categories here, with what they may be.
        result = {c.name: c.levels for c in self.covariates if c.levels is not None}
        coded = [f for term in self.info.formula for f in term.factors if f.expr.startswith("C(")]
        named = {factor_columns(factor, self.name)[0] for factor in coded}
        for c in self.covariates:
            if c.name in named and c.levels is None:
                values = np.concatenate([c.client, c.impostor])
                result[c.name] = tuple(np.unique(values).tolist())
        self.categories = result

    def _made(self, made_by: Any, columns: dict[str, Any], n: int, **options: Any) -> Any:
        import pandas as pd
        from formulaic.errors import FormulaicError

        table = pd.DataFrame(columns, index=range(n))
        try:
            with np.errstate(all="ignore"):
                matrix = made_by.get_model_matrix(table, context=of_numpy(), **options)
                finite = np.isfinite(np.asarray(matrix, dtype=np.float64))
        except (FormulaicError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            cause = error.__cause__ or error
            text = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
            raise InputError(
                f"{self.name} must be computable from its columns; it gives:"
                f" {format_value(text, 160)}. Check its functions and what they are applied to."
            ) from error
        bad = np.argwhere(~finite)
        if bad.size:
            column = matrix.model_spec.column_names[bad[0, 1]]
            value = float(matrix[tuple(bad[0])])
            actual = f"{column!r} is {value!r} for {len(bad)} of {n} trials"
            raise InputError(f"{self.name} must give finite numbers; {actual}. Check its columns.")
        return matrix

    def terms(self, gone: list[str]) -> list[int]:
        """Which columns belong to these terms."""
        stops = np.cumsum([0, *(len(part.columns) for part in self.info.structure)]).tolist()
        result = zip(self.info.structure, stops, stops[1:], strict=False)
        return [k for part, a, b in result if term_name(part.term) in gone for k in range(a, b)]

    def row(self, values: Mapping[str, Any]) -> FloatArray:
        """The columns at new values, one of each covariate."""
        columns = {c.name: _column(np.array([values[c.name]]), c) for c in self.covariates}
        result: FloatArray = np.asarray(self._made(self.info, columns, 1), dtype=np.float64)[0]
        return result

    def leverage(self, who: str, row: FloatArray) -> float:
        """Leverage of new values among the trials of a class, by the largest of any trial."""
        x = self.rows[who]
        units = np.max(np.abs(x), axis=0)
        q, r = np.linalg.qr(x / units)
        away = np.linalg.solve(r.T, row / units)
        with np.errstate(over="ignore"):
            return float(away @ away / np.max(np.sum(q * q, axis=1)))

    # ------------------------------------------------------------------- what can be fitted
    def refuse_undetermined(self, who: str) -> None:
        """The trials of a class must tell every column's coefficient."""
        for c in self.covariates:
            values = getattr(c, who)
            if len({*values.tolist()}) < 2:
                actual = f"it is {format_value(values[0].item())} for all {values.size} of them"
                raise InputError(
                    f"{c.name!r} must vary among the {who} trials; {actual}. {_REMEDY}"
                )
        x = self.rows[who]
        units = np.max(np.abs(x), axis=0)
        scaled = x / np.where(units > 0.0, units, 1.0)
        lengths = np.linalg.norm(scaled, axis=0)
        scaled /= np.where(lengths > 0.0, lengths, 1.0)
        _, sizes, axes = np.linalg.svd(scaled, full_matrices=False)
        if x.shape[0] >= x.shape[1] and sizes[-1] > _COLLINEAR * sizes[0]:
            return
        part = [n for n, share in zip(self.names, axes[-1], strict=False) if abs(share) > 1e-4]
        raise InputError(
            f"{self.name} must have columns that the {who} trials tell apart;"
            f" {format_list(part, 8)} are collinear, or do not vary. {_REMEDY}"
        )


def _column(values: AnyArray, covariate: Covariate) -> Any:
    import pandas as pd

    if covariate.levels is None:
        return values
    return pd.Categorical(values, categories=list(covariate.levels))


def designs_of(
    formulas: tuple[str, ...], covariates: tuple[Covariate, ...], scores: Scores, *, shared: bool
) -> dict[str, list[DesignMatrix]]:
    """Of mean and precision, by class; `shared` ones are made of both classes together."""
    sizes = {"client": scores.n_client, "impostor": scores.n_impostor}
    names = ("client_formula", "client_formula", "formula", "precision")

    def made(k: int, *classes: str) -> DesignMatrix:
        parsed = right_side(formulas[k], names[k], "")
        return DesignMatrix(parsed, names[k], covariates, {who: sizes[who] for who in classes})

    if shared:
        both = [made(k, *sizes) for k in (2, 3)]
        return {"client": both, "impostor": both}
    return {
        "client": [made(k, "client") for k in (0, 1)],
        "impostor": [made(k, "impostor") for k in (2, 3)],
    }


# -------------------------------------------------------------------------- new values
def checked_values(
    value: Mapping[str, Any], covariates: tuple[Covariate, ...],
    categories: Mapping[str, tuple[Any, ...]],
) -> dict[str, Any]:  # fmt: skip
    """One value for each covariate, no others."""
    names = [c.name for c in covariates]
    for name in (*value, *names):
        if name not in names or name not in value:
            must = "have a value" if name in names else "be a covariate of the fit"
            raise InputError(
                f"{format_value(name)} must {must}; the covariates are"
                f" {format_list(names) or 'none'}. {did_you_mean(name, names)}".rstrip()
            )
    return {c.name: _value(value[c.name], c, categories.get(c.name)) for c in covariates}


def _value(value: Any, covariate: Covariate, levels: tuple[Any, ...] | None) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if covariate.levels is None:
        value = finite(value, covariate.name)
    if levels is None or any(type(v) is type(value) and v == value for v in levels):
        return value
    raise InputError(
        f"{covariate.name!r} must be one of its categories, {format_list(levels, 12)}; got"
        f" {format_value(value)}. {did_you_mean(value, [str(v) for v in levels])}".rstrip()
    )


def outside(
    values: Mapping[str, Any], rows: Mapping[str, list[FloatArray]],
    designs: dict[str, list[DesignMatrix]],
) -> list[str]:  # fmt: skip
    """Where values leave the trials they are predicted from, in words."""
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
    result = [f"{name}={values[name]:g} ({', '.join(ends)})" for name, ends in ranges.items()]
    return result + apart
