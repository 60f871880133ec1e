"""Formulas in the columns of a frame: read and checked before anything in them is computed."""

from __future__ import annotations

import ast
import re
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from betaroc.core.errors import InputError, InputTypeError, refusal
from betaroc.core.text import did_you_mean, format_list, format_value, typed

#: Functions of numpy, called so or as np.log.
_OF_NUMPY = (
    "abs", "clip", "cos", "exp", "expm1", "floor", "log", "log10", "log1p", "log2", "maximum",
    "minimum", "round", "sin", "sqrt", "tanh", "where",
)  # fmt: skip
#: Functions of formulaic, and its codings of categories.
_TRANSFORMS = ("C", "I", "Q", "bs", "cc", "center", "cr", "poly", "scale", "standardize")
_CODINGS = ("Diff", "Helmert", "Poly", "Sum", "Treatment")
_FUNCTIONS = frozenset((*_OF_NUMPY, *(f"np.{f}" for f in _OF_NUMPY), *_TRANSFORMS, *_CODINGS))
#: What else code in a formula may consist of.
_ARITHMETIC = (
    ast.keyword, ast.List, ast.Tuple, ast.Load,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
    ast.BitAnd, ast.BitOr, ast.BitXor, ast.UnaryOp, ast.UAdd, ast.USub, ast.Invert,
    ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
)  # fmt: skip
#: Names that need no quotes in a formula.
_PLAIN = re.compile(r"[^\W\d][\w.]*")


# ----------------------------------------------------------------------------- reading
def right_side(formula: Any, name: str, score: str) -> Any:
    """The terms right of ~; only the score may stand left."""
    if not isinstance(formula, str):
        remedy = "Without covariates it is '1'."
        rule = "be text, such as 'sharpening' or 'C(camera) + sharpening'"
        raise refusal(name, rule, typed(formula), remedy, InputTypeError)
    left, terms = _sides(formula, name) if formula.strip() else ("", ())
    if left not in ("", score):
        rule = f"have nothing or the score column, {score!r}, left of ~"
        raise refusal(name, rule, repr(left), "Write the right-hand side alone.")
    if not len(terms):
        raise refusal(name, "have a term", repr(formula), "Without covariates it is '1'.")
    return terms


def _sides(formula: str, name: str) -> tuple[str, Any]:
    from formulaic import Formula
    from formulaic.errors import FormulaicError
    from formulaic.parser import DefaultFormulaParser
    from formulaic.parser.algos.tokenize import tokenize
    from formulaic.parser.types import Token

    try:
        for token in tokenize(formula):  # its parser runs parts of the code it meets
            if token.kind is Token.Kind.PYTHON:
                _Code(token.token, name)
        parser = DefaultFormulaParser(feature_flags={"twosided"})
        parsed = Formula(formula, _parser=parser, _ordering="none")
        left, terms = (parsed.lhs, parsed.rhs) if hasattr(parsed, "lhs") else ([], parsed)
        for factor in _factors([*left, *terms]):  # the code as it will be run
            factor_columns(factor, name)
    except (FormulaicError, SyntaxError, RecursionError, MemoryError) as error:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        remedy = "Terms are joined by +, categories are C(camera), names with blanks Q('a name')."
        actual = f"{format_value(formula)}: {format_value(text, 120)}"
        raise refusal(name, "be a formula", actual, remedy) from error
    return "".join(map(term_name, left)), terms


class _Code(ast.NodeVisitor):
    """Arithmetic of columns, numbers and known functions."""

    def __init__(self, code: str, name: str) -> None:
        from formulaic.utils.code import sanitize_variable_names

        self.code, self.name = code, name
        self.quoted: dict[str, str] = {}
        self.columns: list[str] = []
        try:
            tree = ast.parse(sanitize_variable_names(code, {}, self.quoted), mode="eval")
        except ValueError as error:
            raise SyntaxError(str(error)) from error
        self.visit(tree.body)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id not in _CODINGS:
            self.columns.append(self.quoted.get(node.id, node.id))

    def visit_Constant(self, node: ast.Constant) -> None:
        if not isinstance(node.value, int | float | str | None):
            self._refuse(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """No arithmetic of text; no endless power of numbers."""
        before = len(self.columns)
        self.generic_visit(node)
        endless = isinstance(node.op, ast.Pow) and len(self.columns) == before
        if endless or any(map(_is_text, (node.left, node.right))):
            self._refuse(node)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func)
        first = node.args[0] if node.args else None
        if called not in _FUNCTIONS and called != "Q":
            functions = ", ".join((*_OF_NUMPY, *_TRANSFORMS, *_CODINGS))
            self._refuse(node.func, f"may call {functions}")
        if called == "Q":
            if not _is_text(first) or len(node.args) + len(node.keywords) > 1:
                self._refuse(node, "may name a column as text, Q('a name')")
            self.columns.append(ast.literal_eval(first))  # type: ignore[arg-type]
            return
        quoted = isinstance(first, ast.Call) and ast.unparse(first.func) == "Q"
        if called == "C" and not (isinstance(first, ast.Name) or quoted):
            self._refuse(node, "may have the categories of one column, C(camera)")
        words = {str(keyword.arg) for keyword in node.keywords}
        if any(word.startswith("_") or word in ("None", "levels") for word in words):
            self._refuse(node, "may order categories by their column (pandas.Categorical,"
                         " polars.Enum), not by levels=")  # fmt: skip
        for part in (*node.args, *node.keywords):
            self.visit(part)

    def generic_visit(self, node: ast.AST) -> None:
        """What is not arithmetic is refused."""
        if not isinstance(node, _ARITHMETIC):
            self._refuse(node)
        super().generic_visit(node)

    def _refuse(
        self, node: ast.AST,
        rule: str = "may compute with columns, numbers and functions alone, as in I(x ** 2)",
    ) -> NoReturn:  # fmt: skip
        raise InputError.about(self.name)(
            f"{self.name} {rule}; got {format_value(ast.unparse(node), 60)} in"
            f" {format_value(self.code, 60)}. Compute it as a column of the frame first."
        )


def _is_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def of_numpy() -> dict[str, Any]:
    """The functions that a formula may call besides those of formulaic."""
    functions = {name: getattr(np, name) for name in _OF_NUMPY}
    return {**functions, "np": SimpleNamespace(**functions)}


# ----------------------------------------------------------------------------- columns
def formula_columns(terms: Any, name: str, present: list[str], own: tuple[str, ...]) -> list[str]:
    """The columns that the terms use."""
    result = list(dict.fromkeys(c for f in _factors(terms) for c in factor_columns(f, name)))
    for column in {*own, "prior"} & {*result}:
        why = "the score is what is explained, and each class has its own regression"
        if column == "prior":
            why = "'prior' means the share of clients here"
        raise InputError.about(name)(f"{name} must not use {column!r}: {why}. Leave it out.")
    columns = [c for c in present if c not in own]
    for column in result:
        if column not in columns:
            raise InputError.about(name)(
                f"{name} must name columns of the frame; {format_value(column)} is none of"
                f" {format_list(columns)}. {did_you_mean(column, columns)}Give one of them."
            )
    return result


def _factors(terms: Any) -> list[Any]:
    return [factor for term in terms for factor in term.factors]


def factor_columns(factor: Any, name: str) -> list[str]:
    """The columns of a factor."""
    kind = factor.eval_method.value
    if kind == "python":
        return _Code(factor.expr, name).columns
    return [factor.expr] if kind == "lookup" else []


# ------------------------------------------------------------------------------- terms
def term_name(term: Any) -> str:
    """A term as it is spelled here."""
    return ":".join(map(_factor_name, term.factors))


def _factor_name(factor: Any) -> str:
    text = str(factor.expr)
    plain = factor.eval_method.value != "lookup" or _PLAIN.fullmatch(text)
    return text if plain else f"`{text}`"


def as_text(terms: Any) -> str:
    """The right-hand side as it is spelled here."""
    names = term_names(terms)
    return " + ".join(names if has_intercept(terms) else ["0", *names]) or "1"


def has_intercept(terms: Any) -> bool:
    """Whether a constant is among the terms."""
    return any(term.degree == 0 for term in terms)


def term_names(terms: Any) -> list[str]:
    """The terms but the intercept."""
    return [term_name(term) for term in terms if term.degree > 0]


def without(terms: Any, names: tuple[str, ...]) -> tuple[Any, list[str]]:
    """The formula without these terms and their interactions, and those left out."""
    wanted = [set(term.factors) for name in names for term in _terms(name)]
    gone = [t for t in terms if any(w <= set(t.factors) for w in wanted)]
    return [t for t in terms if t not in gone], [term_name(t) for t in gone]


def _terms(name: str) -> list[Any]:
    return [term for term in right_side(name, "term", "") if term.degree > 0]


def spelled(name: Any) -> str:
    """The name of one term as it is spelled here."""
    result = _terms(name)
    if len(result) != 1:
        rule = "be one term of a formula other than the intercept"
        raise refusal("each term", rule, format_value(name))
    return term_name(result[0])
