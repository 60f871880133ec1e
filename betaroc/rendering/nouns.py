"""The base of all results: to documents, tables and flat numbers."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, overload

import numpy as np

from betaroc.core import checks, errors, notices, tables, vocabulary
from betaroc.core.value import Value
from betaroc.rendering import files, numbers, tree, tree_html, tree_text
from betaroc.rendering.document import FORMAT, document_of, flat, json_text, plain, table_columns
from betaroc.rendering.tree import Cell, Grid, Group, Node, Paragraph, Row, Section, as_named
from betaroc.rendering.tree_text import cell_of, latex_comments, latex_grid, latex_table, upright

#: Rows and columns of a table in a notebook.
_ROWS, _COLUMNS = 12, 12
#: Everything is of a block alone: no script, no style attribute, no picture from elsewhere. Texts
#: have the colour of the page around, each class a tone that stands on white and on black.
_STYLE = (
    ".betaroc{--cl:#2f80c8;--im:#d9701a;--fit:#808080;--hair:#80808040;--bg:none;"
    "--ink:currentColor;--mut:currentColor;font:14px/1.45 system-ui,sans-serif;"
    "font-variant-numeric:tabular-nums lining-nums;"
    "max-width:760px;color:inherit;display:flex;flex-wrap:wrap;gap:4px 28px;align-items:center}"
    ".betaroc>p,.betaroc>details{flex:1 0 100%;margin:0}"
    ".betaroc b{font-weight:650}"
    ".betaroc .answer b{font-size:22px}"
    ".betaroc .tag{display:flex;gap:8px;align-items:center}"
    ".betaroc .scroll{overflow-x:auto;max-width:100%}"
    ".betaroc figure{margin:0;max-width:100%}"
    ".betaroc table{border-collapse:collapse;margin:6px 0;border:0}"
    ".betaroc tr,.betaroc th,.betaroc td{background:none;border:0;font-weight:400;text-align:left;"
    "padding:3px 18px 3px 0;white-space:nowrap}"
    ".betaroc .wide{white-space:normal}"
    ".betaroc td:has(.ci){font-weight:650}"
    ".betaroc .ci{font-weight:400;padding-left:.5em}"
    # Numbers alone stand below each other.
    ".betaroc table:not(:has(.ci)) :is(th,td):not(.text,:first-child){text-align:right}"
    ".betaroc svg{flex:none;max-width:100%;height:auto}"
    ".betaroc figure svg{fill:currentColor}"
    ".betaroc summary{cursor:pointer}"
)


def html_block(nodes: Sequence[Node]) -> str:
    """A result in a notebook, all texts escaped."""
    body = tree_html.html_of([Section("", tuple(nodes))])
    return vocabulary.DEFAULT.fill(f'<div class="betaroc">\n<style>{_STYLE}</style>\n{body}</div>')


def table_nodes(columns: Mapping[str, Sequence[Any]], caption: str) -> list[Node]:
    """A small table of numbers and texts."""
    named = upright(columns)
    size = max((len(column) for column in named.values()), default=0)
    cells = [[*map(cell_of, column[:_ROWS])] for column in list(named.values())[:_COLUMNS]]
    words = [k for k, column in enumerate(cells) if not all(isinstance(c, Cell) for c in column)]
    more: list[str] = ["…"] * (len(named) > _COLUMNS)
    rows = [Row((*row, *more)) for row in zip(*cells, strict=True)]
    left = [Group(f"{size - _ROWS} more rows")] * (size > _ROWS)
    head: tuple[Any, ...] = (*map(as_named, list(named)[:_COLUMNS]), *more)
    return [Paragraph(caption), Grid(head, (*rows, *left), tuple(words))]


def told_document(noun: Exportable, told: Mapping[str, Any]) -> dict[str, Any]:
    """A document in other words, the fields under "content"."""
    words: dict[str, Any] = plain(told)
    return _envelope(noun) | words | {"content": document_of(noun)}


def _envelope(noun: Exportable) -> dict[str, Any]:
    return {"betaroc": numbers.version(), "format": FORMAT, "kind": type(noun).__name__}


class Exportable(Value):
    """A value that becomes JSON and back, a table, flat numbers."""

    def to_dict(self) -> dict[str, Any]:
        """The value as nested dictionaries and lists, ready for JSON.

        Returns
        -------
        dict
            ``"betaroc"`` (version), ``"format"`` (integer), ``"kind"`` (class), the fields, and
            under ``"derived"`` numbers that follow. Infinities are "inf" and "-inf", nan is None.

        Raises
        ------
        InputTypeError
            If a part is of a class of yours.

        Examples
        --------
        >>> import betaroc as br
        >>> br.Beta(2.0, 3.0).to_dict()["kind"]
        'Beta'
        """
        derived = self._derived()
        further = {"derived": plain(derived)} if derived else {}
        return _envelope(self) | further | document_of(self)

    def _derived(self) -> dict[str, Any]:
        """Numbers that follow from the fields."""
        return {}

    @overload
    def to_json(self, path: None = None) -> str: ...

    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The JSON of :meth:`to_dict`, which `from_json` reads back as an equal value.

        Parameters
        ----------
        path : str or path-like, optional
            A file, written whole or not at all.

        Returns
        -------
        str or None
            The text; None where it was written to a file.

        Raises
        ------
        OutputError
            If the file cannot be written; what was there before is untouched.
        InputTypeError
            As of :meth:`to_dict`.

        Examples
        --------
        >>> import betaroc as br
        >>> point = br.OperatingPoint(0.5, far=0.1, frr=0.2)
        >>> br.from_json(point.to_json()) == point
        True
        """
        if path is not None:
            files.checked_target(path)
        text = json_text(self.to_dict())
        if path is None:
            return text
        files.write_whole(path, text)
        return None

    def to_frame(self) -> tables.Table:
        """The numbers and texts of the value as a table.

        Returns
        -------
        DataFrame
            Of the library of the data, else of pandas. One row with the fields, or a row for each
            entry of arrays.

        Examples
        --------
        >>> import betaroc as br
        >>> br.OperatingPoint(0.5, far=0.1, frr=0.3).to_frame()["frr"].tolist()
        [0.3]
        """
        return tables.table_of(table_columns(self), getattr(self, "library", None))

    def to_latex(self) -> str:
        r"""The table of :meth:`to_frame` in LaTeX, with the rules of the package booktabs.

        Returns
        -------
        str
            A ``tabular``. Numbers have six digits, a single row stands upright, characters that
            pdfLaTeX cannot set are code points, such as U+4E2D. Decisions, curves and comparisons
            have the table that people read, with its text as comments.

        Examples
        --------
        >>> import betaroc as br
        >>> print(br.Beta(2.0, 0.5).to_latex())
        \begin{tabular}{lr}
        \toprule
        parameter & value \\
        \midrule
        a & 2 \\
        b & 0.5 \\
        \bottomrule
        \end{tabular}
        <BLANKLINE>
        """
        grid = self._grid()
        if grid is None:
            return latex_table(tables.listed_columns(self.to_frame()))
        return latex_comments(self._spoken()) + latex_grid(tree.map_text(grid, self._say))

    def _grid(self) -> Grid | None:
        return None

    def _repr_html_(self) -> str:
        """What a notebook shows, or why it cannot."""
        with notices.suppress_warnings():
            try:
                return html_block(self._spoken())
            except errors.BetarocError as error:
                return html_block([Paragraph(self._caption()), Paragraph(str(error))])

    def _say(self, text: str) -> str:
        """A text in the words of the value's field and classes."""
        if (terms := getattr(self, "terms", None)) is None:
            return vocabulary.template_of(text)
        words = getattr(self, "words", None) or vocabulary.ClassWords()
        return vocabulary.Vocabulary(checks.terms_of(terms), words).fill(text)

    def _spoken(self) -> list[Node]:
        return [tree.map_text(node, self._say) for node in self._view()]

    def _view(self) -> Sequence[Node]:
        return table_nodes(tables.listed_columns(self.to_frame()), self._caption())

    def _caption(self) -> str:
        name = getattr(self, "name", None)
        kind = type(self).__name__
        return f"{kind} {name}" if isinstance(name, str) and name else kind

    def metrics(self) -> dict[str, float]:
        """The finite numbers by name, for trackers such as MLflow or W&B.

        Returns
        -------
        dict of str to float
            Names of letters, digits, "_", "-", "." and "/"; no arrays, nan or infinities.

        Examples
        --------
        >>> import betaroc as br
        >>> br.OperatingPoint(0.5, far=0.1, frr=0.3).metrics()["frr"]
        0.3
        """
        result: dict[str, float] = {}
        for name, value in self._metrics().items():
            if isinstance(value, str | np.ndarray | None) or not math.isfinite(value):
                continue
            short = re.sub(r"[^0-9A-Za-z_./-]+", "_", name).strip("_") or "_"
            names = (short, *(f"{short}_{k}" for k in range(2, len(result) + 3)))
            result[next(name for name in names if name not in result)] = float(value)
        return result

    def _metrics(self) -> dict[str, Any]:
        return dict(flat(self)) | self._derived()


class Readable(Exportable):
    """A value whose text is its view."""

    def __str__(self) -> str:
        return tree_text.text_of(self._spoken())
