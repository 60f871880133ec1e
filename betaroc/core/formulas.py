"""Formulas in the columns of a frame: read and checked before anything in them is computed."""

from __future__ import annotations

import ast
import re
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from betaroc.core.errors import InputError, InputTypeError
from betaroc.core.text import listed, nearest, shown

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
    """The terms of the right-hand side; a left-hand side must be the score column.

    Refuses code that is more than arithmetic of columns, numbers and known functions.
    """
    if not isinstance(formula, str):
        raise InputTypeError.about(name)(
            f"{name} must be text, such as 'sharpening' or 'C(camera) + sharpening'; got"
            f" {shown(formula)} of type {type(formula).__name__}. Without covariates it is '1'."
        )
    left, terms = _sides(formula, name) if formula.strip() else ("", ())
    if left not in ("", score):
        raise InputError.about(name)(
            f"{name} must have nothing or the score column, {score!r}, left of ~; got {left!r}."
            " Write the right-hand side alone."
        )
    if not len(terms):
        raise InputError.about(name)(
            f"{name} must have a term; got {formula!r}. Without covariates it is '1'."
        )
    return terms


def _sides(formula: str, name: str) -> tuple[str, Any]:
    """The left-hand side, and the terms of the right-hand side."""
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
        raise InputError.about(name)(
            f"{name} must be a formula; {shown(formula)} is none: {shown(text, 120)}."
            " Terms are joined by +, categories are C(camera)."
        ) from error
    return "".join(map(term_name, left)), terms


class _Code(ast.NodeVisitor):
    """A piece of code that is arithmetic of columns, numbers and known functions.

    Parameters
    ----------
    code : str
        The code; anything else in it is refused.
    name : str
        The argument that it is part of.
    """

    def __init__(self, code: str, name: str) -> None:
        """Read without running."""
        from formulaic.utils.code import sanitize_variable_names

        self.code, self.name = code, name
        self.quoted: dict[str, str] = {}
        self.columns: list[str] = []
        try:
            tree = ast.parse(sanitize_variable_names(code, {}, self.quoted), mode="eval")
        except (SyntaxError, ValueError) as error:
            raise InputError.about(name)(
                f"{name} must be a formula; {shown(code)} in it is not readable. Names with blanks"
                " are Q('a name')."
            ) from error
        self.visit(tree.body)

    def visit_Name(self, node: ast.Name) -> None:
        """A column, or a coding."""
        if node.id not in _CODINGS:
            self.columns.append(self.quoted.get(node.id, node.id))

    def visit_Constant(self, node: ast.Constant) -> None:
        """A number or text."""
        if not isinstance(node.value, int | float | str | None):
            self._refuse(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """No arithmetic of text, and no power of numbers alone, which may be without end."""
        texts = (isinstance(part, ast.Constant) and part.value for part in (node.left, node.right))
        if any(isinstance(text, str) for text in texts):
            self._refuse(node)
        before = len(self.columns)
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow) and len(self.columns) == before:
            self._refuse(node)

    def visit_Call(self, node: ast.Call) -> None:
        """A function of the list, with arguments that it documents."""
        called = ast.unparse(node.func)
        if called not in _FUNCTIONS:
            raise InputError.about(self.name)(
                f"{self.name} may call {', '.join((*_OF_NUMPY, *_TRANSFORMS, *_CODINGS))}; got"
                f" {shown(called, 60)}. Compute it as a column of the frame first."
            )
        first = node.args[0] if node.args else None
        if called == "Q":
            quoted = first.value if isinstance(first, ast.Constant) else None
            if not isinstance(quoted, str) or len(node.args) + len(node.keywords) > 1:
                raise InputError.about(self.name)(
                    f"Q in {self.name} must have the name of one column as text, Q('a name'); got"
                    f" {shown(ast.unparse(node), 60)}. Quote the name."
                )
            self.columns.append(quoted)
            return
        if called == "C" and not (isinstance(first, ast.Name) or _is_quote(first)):
            raise InputError.about(self.name)(
                f"C in {self.name} must be of one column, C(camera); got"
                f" {shown(ast.unparse(node), 60)}. Compute the categories as a column first."
            )
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg.startswith("_") or keyword.arg == "levels":
                raise InputError.about(self.name)(
                    f"{called} in {self.name} cannot be called with {keyword.arg or '**'}=; got"
                    f" {shown(ast.unparse(node), 60)}. Categories have the order of their column"
                    " (pandas.Categorical, polars.Enum), else of the alphabet."
                )
        for part in (*node.args, *node.keywords):
            self.visit(part)

    def generic_visit(self, node: ast.AST) -> None:
        """What is not arithmetic is refused."""
        if not isinstance(node, _ARITHMETIC):
            self._refuse(node)
        super().generic_visit(node)

    def _refuse(self, node: ast.AST) -> NoReturn:
        raise InputError.about(self.name)(
            f"{self.name} may compute with columns, numbers and functions alone, as in I(x ** 2);"
            f" {shown(ast.unparse(node), 60)} in {shown(self.code, 60)} is something else. Compute"
            " it as a column of the frame first."
        )


def _is_quote(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "Q"


def of_numpy() -> dict[str, Any]:
    """The functions that a formula may call besides those of formulaic."""
    functions = {name: getattr(np, name) for name in _OF_NUMPY}
    return {**functions, "np": SimpleNamespace(**functions)}


# ----------------------------------------------------------------------------- columns
def formula_columns(terms: Any, name: str, present: list[str], own: tuple[str, ...]) -> list[str]:
    """The columns that the terms use, in their order; every name must be one.

    `own` are the columns of score and label, which are no covariates.
    """
    result = list(dict.fromkeys(c for f in _factors(terms) for c in factor_columns(f, name)))
    for column in result:
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
    unknown = [c for c in result if c not in present]
    if unknown:
        columns = [c for c in present if c not in own]
        raise InputError.about(name)(
            f"{name} must name columns of the frame; {shown(unknown[0])} is none of"
            f" {listed(columns)}. {nearest(unknown[0], columns).strip() or 'Give one of them.'}"
        )
    return result


def _factors(terms: Any) -> list[Any]:
    return [factor for term in terms for factor in term.factors]


def factor_columns(factor: Any, name: str) -> list[str]:
    """The columns that a factor of a term uses, Q('a name') among them."""
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
    if has_intercept(terms):
        return " + ".join(names) or "1"
    return " + ".join(["0", *names])


def has_intercept(terms: Any) -> bool:
    """Whether a constant is among the terms."""
    return any(term.degree == 0 for term in terms)


def term_names(terms: Any) -> list[str]:
    """The terms but the intercept."""
    return [term_name(term) for term in terms if term.degree > 0]


def without(terms: Any, names: tuple[str, ...]) -> tuple[Any, list[str]]:
    """The formula without these terms and their interactions, and the terms that went."""
    wanted = [set(term.factors) for name in names for term in _terms(name)]
    gone = [t for t in terms if any(w <= set(t.factors) for w in wanted)]
    return [t for t in terms if t not in gone], [term_name(t) for t in gone]


def _terms(name: str) -> list[Any]:
    """What is meant by the name of a term, however it is spaced."""
    return [term for term in right_side(name, "term", "") if term.degree > 0]


def spelled(name: Any) -> str:
    """The name of one term as it is spelled here."""
    result = _terms(name)
    if len(result) != 1:
        raise InputError(
            f"each term must be one term of a formula other than the intercept; got {shown(name)}."
            " Give several terms as several arguments."
        )
    return term_name(result[0])
