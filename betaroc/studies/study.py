"""Studies: a design, its statistics, and the run that computes what is missing."""

from __future__ import annotations

import contextlib
import itertools
import operator
import os
import sys
import traceback
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from betaroc.core import checks
from betaroc.core.errors import (
    BetarocError,
    InputTypeError,
    MissingDependencyError,
    StudyError,
    refusal,
)
from betaroc.core.local_files import read_toml
from betaroc.core.notices import collect_warnings, suppress_warnings
from betaroc.core.process import check_time_limit, end_with, shows_progress
from betaroc.core.resampling import seed_sequence
from betaroc.core.text import did_you_mean, format_list, format_value, typed
from betaroc.distributions.beta import ILL_CONDITIONED, beta_mle, peak
from betaroc.rendering.numbers import version
from betaroc.studies.design import Design, as_design
from betaroc.studies.result import StudyResult, place_words, read_study
from betaroc.studies.storage import Folder, Memory, ResultColumns, as_parquet, manifest_text
from betaroc.studies.trials import (
    RESERVED,
    SUMMARY,
    CellGenerator,
    CellModel,
    GeneratedTrial,
    StudyStatistic,
    Trial,
    as_statistics,
    cell_sizes,
    cell_spec,
    check_design,
    check_taken,
    fingerprint,
    generated_spec,
    generated_trials,
    tell_beyond,
)

#: Parts of a study, unless they would be longer than this.
_PARTS, _LONGEST = 32, 128
#: Scores that are held at once.
_SCORES_HELD = 1 << 19
#: Parts that an executor is given at a time.
_WAVE = 128


class Study:
    """Statistics of every cell of a design, each repeated, kept in a folder that resumes.

    Parameters
    ----------
    design : Design or mapping
        The cells; a mapping of names to levels is a grid. Known parameters:

        * the true pair: ``law`` ("beta", "normal", "logit-normal") with ``a_c, b_c, a_i, b_i``
          or ``mu_c, sigma_c, mu_i, sigma_i``; or the goals of :func:`solve_pair`: ``auc``,
          ``eer``, ``exponent_at_zero``, ``exponent_at_one``, ``crossing``, ``shape_client``,
          ``shape_impostor``;
        * sizes: ``n`` of both classes, or ``n_client`` and ``n_impostor``; of a test sample
          ``n_test``, or ``n_test_client`` and ``n_test_impostor``. Without sizes only the true
          pair has statistics;
        * the fit: ``family`` (that of the true pair), ``boundary``, ``resolution`` (scores are
          rounded to its multiples, which the fit knows) or ``rounding`` (it does not); or 0;
        * the test side: ``shift`` of both classes, ``shift_client``, ``shift_impostor``,
          ``scale``, as in `ScoreModel.shifted`;
        * the decision: ``criterion`` ("weighted-error"), ``measure`` ("hter"), ``alpha`` (0.5);
          ``prior``, P(client) on all sides (else the share of clients in the sample).
    statistics : str, callable, sequence or mapping of them
        Columns of the result. A name is ``"<source>.<stat>"``, with the point after ``"@"``,
        such as ``"fit.tpr@far=0.01"`` or ``"fit.threshold@eer"``.

        * Sources "true", "test" (the pair that thresholds are observed on), "fit", "empirical" (the
          sample itself), with every name of :func:`statistics`, ``hook-depth`` (largest
          FAR - TPR), ``crossings``, ``semi-derivative-at-zero``, ``side-at-zero``, ...,
          ``global-shape``, ``client-shape``, ``impostor-shape``; "fit" has ``log-likelihood``
          too.
        * Sources "epc-fit", "epc-empirical", with ``value``, ``threshold``, ``expected``, ``far``,
          ``frr``: the threshold that the source chooses, observed on test; "epc-true" is the best
          one. ``"@alpha=0.2"`` gives another alpha.

        A function takes a trial (`cell`, `scores`, `model`, `fit`) and returns a number, a
        boolean (0 or 1), text, or a mapping of them to columns ``name.key``.
    folder : str or PathLike, optional
        A folder for this study alone, made if need be; otherwise results stay in memory.
    workers : int or executor, optional
        Worker processes of joblib, -1 for all processors; 1 computes here. None, or any number
        within ``joblib.parallel_config``, takes the engine configured there. Or what has a ``map``
        that returns results, such as an executor of concurrent.futures, MPI or Dask.
    rng : None, int, SeedSequence or Generator
        Seed of the study. None draws one, which the folder keeps.
    replicates : int
        Trials of each cell.
    model : callable, optional
        Makes the true pair: takes the cell, a dict, and returns a ScoreModel. Other names of
        parameters are then free.
    generator : callable, optional
        Makes the scores in place of a true pair: takes the cell, a dict, and a random Generator,
        and returns :class:`Scores`; or the pair (dev, test) of them; or several systems, whose
        columns are ``system.column``, as a mapping of names to these or as a frame with columns
        ``system``, ``label`` and ``score``. All parameters but those of the fit and of the decision
        are the generator's, and there is no source "true". A cell that lacks a system has nan.
    timeout : float, optional
        Seconds after which the generator of a trial is stopped, and the trial has failed.
    block : int, optional
        Trials per part of the results; by default a 32nd of all, at most 128.

    Notes
    -----
    Trial (cell, replicate) draws from ``SeedSequence(entropy, spawn_key=(cell, replicate))``: the
    numbers are the same for any workers, engine and `block`. Plain beta fits agree with :func:`fit`
    to about 1e-13. Warnings of fits are not given. The folder holds a manifest and Parquet parts,
    each put in place whole; damaged parts are computed again, with a warning.

    A function is part of the study: its code (with the version of Python), defaults, closures,
    methods and attributes of an object, and what it reads of its module: functions, classes,
    numbers, text and containers of them. Files and other modules are not seen: change the folder
    with them.

    Examples
    --------
    >>> import betaroc as br
    >>> design = br.Design.grid({"a_c": 4.0, "b_c": 2.0, "a_i": 2.0, "b_i": 4.0, "n": [50, 500]})
    >>> study = br.Study(design, ["fit.auc", "epc-fit.value"], replicates=20, rng=1)
    >>> len(study.run().to_frame())
    40
    """

    def __init__(
        self,
        design: Any,
        statistics: Any,
        *,
        folder: Any = None,
        workers: Any = 1,
        rng: Any = None,
        replicates: int = 1,
        model: CellModel | None = None,
        generator: CellGenerator | None = None,
        timeout: float | None = None,
        block: int | None = None,
    ) -> None:
        self.design = as_design(design)
        self.statistics = as_statistics(statistics)
        self.replicates = checks.count(replicates, "replicates")
        functions = {"model": model, "generator": generator}
        for name, function in functions.items():
            if function is not None and not callable(function):
                rule = "be a function of the cell"
                raise refusal(name, rule, typed(function), kind=InputTypeError)
        if None not in functions.values():
            raise refusal("model", "be left out beside generator", "both", "Leave one out.")
        self.model, self.generator = model, generator
        self.timeout = None if timeout is None else checks.positive(timeout, "timeout")
        if timeout is not None and generator is None:
            raise refusal("timeout", "be left out without a generator", format_value(timeout))
        self._words = [f"{s.column}: {s.description}" for s in self.statistics]
        self._function_words = {name: f and fingerprint(f) for name, f in functions.items()}
        check_design(self.design, own_model=model is not None, generated=generator is not None)
        names = set(self.design.names)
        true = [s.column for s in self.statistics if s.source in ("true", "epc-true")]
        if generator is not None and true:
            remedy = 'Take "empirical", "test" or "fit".'
            rule = "have no source 'true' where a generator makes scores"
            raise refusal("statistics", rule, repr(true[0]), remedy)
        needing = [s.column for s in self.statistics if s.needs_sample]
        if generator is None and needing and not {"n", "n_client"} & names:
            remedy = 'Add n, or n_client and n_impostor, or take the source "true".'
            raise refusal("a design", f"give sizes for {format_value(needing[0])}", "none", remedy)
        clash = names & ({s.column for s in self.statistics} | {*RESERVED, *SUMMARY})
        if clash:
            actual = f"{format_value(min(clash))} for both"
            noun = "parameters and columns of results"
            raise refusal(noun, "have names of their own", actual)
        check_taken(self.statistics, self.design.names)
        plain = workers is None or (type(workers) is int and workers == -1)
        plain |= callable(getattr(workers, "map", None))
        self.workers: Any = workers if plain else checks.count(workers, "workers")
        self.block = None if block is None else checks.count(block, "block")
        self._seed = None if rng is None else _seed(rng)
        self._folder = Memory() if folder is None else Folder(folder)

    def __len__(self) -> int:
        return len(self.design) * self.replicates

    def __repr__(self) -> str:
        return (
            f"<Study of {len(self.design)} cells, {self.replicates} replicates,"
            f" {len(self.statistics)} statistics in {place_words(self._folder.place)}>"
        )

    @staticmethod
    @collect_warnings
    def open(folder: Any) -> StudyResult:
        """Open the results in a folder, of a study finished or not, without its code.

        Parameters
        ----------
        folder : str or PathLike
            The folder that the study was given.

        Returns
        -------
        StudyResult

        Raises
        ------
        StudyError
            If it is no folder of a study.

        Examples
        --------
        >>> import tempfile
        >>> import betaroc as br
        >>> design = {"a_c": 2.0, "b_c": 1.0, "a_i": 1.0, "b_i": 2.0}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = br.Study(design, ["true.auc"], folder=folder).run()
        ...     br.Study.open(folder).skipped
        1
        """
        return read_study(folder)

    @collect_warnings
    def run(self, *, progress: bool | None = None) -> StudyResult:
        """Compute the trials that are missing.

        Parameters
        ----------
        progress : bool, optional
            A bar on standard error; None where that is a terminal.

        Returns
        -------
        StudyResult

        Raises
        ------
        StudyError
            If the folder holds another study, a damaged manifest, foreign files or another run, a
            worker died, or the memory was too small.
        OutputError
            If a part cannot be written, as on a full disk. Finished parts are kept.
        MissingDependencyError
            Without pyarrow, or joblib for workers.

        Warns
        -----
        BetarocWarning
            If a part is damaged; it is computed again.
        ExtrapolationWarning
            If less than one score of a sample is expected beyond a rate of its statistics.

        Notes
        -----
        A trial that raises is kept with its error, and not tried again. After Ctrl-C run() goes on
        from the finished parts.

        Examples
        --------
        >>> import betaroc as br
        >>> design = {"a_c": [2.0, 3.0], "b_c": 1.0, "a_i": 1.0, "b_i": 2.0}
        >>> br.Study(design, ["true.auc"]).run().to_frame()["true.auc"].round(6).tolist()
        [0.833333, 0.9]
        """
        from tqdm import tqdm

        folder = self._folder
        with folder.alone() as locked:
            manifest = folder.claim(self._manifest())
            study = manifest_text(manifest)
            if locked:
                folder.sweep()
            size, (entropy, key) = manifest["block"], manifest["entropy"]
            starts = range(0, len(self), size)
            spans = [range(start, min(start + size, len(self))) for start in starts]
            present = {k for k in folder.parts() if folder.intact(k, study)}
            todo = [k for k in range(len(spans)) if k not in present]
            skipped = sum(len(spans[k]) for k in present)
            if self.generator is None:
                tell_beyond(self.statistics, self.design)
            wanted = checks.flag(shows_progress() if progress is None else progress, "progress")
            bar = tqdm(
                total=len(self), initial=skipped, unit="trial", file=sys.stderr, disable=not wanted,
                delay=0.0 if progress else 1.0, leave=bool(progress),
            )  # fmt: skip
            seed = np.random.SeedSequence([*map(int, entropy)], spawn_key=key)
            make = partial(self._block, spans, seed)
            with bar, contextlib.closing(self._parts(map(make, todo), study)) as parts:
                for number, content in parts:
                    folder.write_part(number, content)
                    bar.update(len(spans[number]))
        where = folder.place and folder.place.resolve()
        memory = None if folder.place else folder
        computed = len(self) - skipped
        return StudyResult(where, self.design.names, len(self), computed, skipped, memory)

    def _manifest(self) -> dict[str, Any]:
        import scipy

        # Every version of Python compiles functions its own way.
        functions = any((self.model, self.generator, *(s.function for s in self.statistics)))
        entropy, block = self._seed, self.block
        if not self._folder.there:
            entropy = entropy or _seed(np.random.SeedSequence())
            block = block or max(1, min(-(-len(self) // _PARTS), _LONGEST))
        return {
            "design": self.design._digest(),
            "names": list(self.design.names), "cells": len(self.design),
            "replicates": self.replicates, "statistics": self._words, **self._function_words,
            "python": ".".join(map(str, sys.version_info[:2])) if functions else None,
            "entropy": entropy, "block": block, "betaroc": version(), "numpy": np.__version__,
            "scipy": scipy.__version__,
        }  # fmt: skip

    def _block(self, spans: Sequence[range], seed: np.random.SeedSequence, number: int) -> Block:
        trials = tuple(divmod(t, self.replicates) for t in spans[number])
        cells = {k: self.design.cell(k) for k in sorted({cell for cell, _ in trials})}
        sources = self.model, self.generator, self.timeout
        return Block(number, cells, trials, self.statistics, seed, *sources)

    def _parts(self, blocks: Iterable[Block], study: str) -> Generator[Any, None, None]:
        if self.workers == 1:
            yield from (part_of(block, study) for block in blocks)
            return
        run = self._mapped if hasattr(self.workers, "map") else self._joblib
        parts = run(blocks, study)
        try:
            for part in parts:  # noqa: UP028 - `yield from` would close it first, and loudly
                yield part
        except BetarocError:
            raise
        except Exception as error:
            raise StudyError(
                "every worker of a study must live until its part is finished, and its functions"
                " must lie at the top of a module (but for threads, by joblib.parallel_config"
                f'(backend="threading")): {format_value(str(error), 140)}. Finished parts are'
                " kept. Run it again, with fewer workers or with workers=1, which shows the error."
            ) from error
        finally:
            with contextlib.suppress(_GivenUpError):
                parts.throw(_GivenUpError())

    def _mapped(self, blocks: Iterable[Block], study: str) -> Generator[Any, None, None]:
        left = iter(blocks)
        while wave := list(itertools.islice(left, _WAVE)):
            for part in self.workers.map(part_of, wave, [study] * len(wave)):
                if not isinstance(part, tuple):
                    remedy = "Of a client of Dask take client.get_executor()."
                    raise refusal("workers", "have a map of results", typed(part), remedy)
                yield part

    def _joblib(self, blocks: Iterable[Block], study: str) -> Any:
        try:
            import joblib
        except ImportError as error:
            raise MissingDependencyError(
                'workers need joblib, which is not installed. pip install "betaroc[study]", or'
                " leave workers=1"
            ) from error
        run = joblib.Parallel(n_jobs=self.workers, return_as="generator_unordered")
        return run(joblib.delayed(part_of)(block, study, os.getpid()) for block in blocks)


class _GivenUpError(Exception):
    """Ends joblib's generator without its warning."""


def _seed(rng: Any) -> list[Any]:
    """Entropy and spawn key as JSON keeps them."""
    sequence = seed_sequence(rng)
    entropy: Any = sequence.entropy
    many: Sequence[Any] = entropy if isinstance(entropy, Sequence) else [entropy]
    return [[str(int(e)) for e in many], [int(k) for k in sequence.spawn_key]]


# ------------------------------------------------------------------------ a part
@dataclass(frozen=True)
class Block:
    """Consecutive trials, with all that their computation needs."""

    number: int
    #: The cells that it touches, by number.
    cells: Mapping[int, dict[str, Any]]
    #: Cell and replicate of each trial.
    trials: tuple[tuple[int, int], ...]
    statistics: tuple[StudyStatistic, ...]
    seed: np.random.SeedSequence
    model: CellModel | None
    generator: CellGenerator | None
    timeout: float | None


def part_of(block: Block, study: str, parent: int | None = None) -> tuple[int, bytes]:
    """The part of a block, as the bytes of a file."""
    # A worker lives as long as its parent.
    if parent is not None:
        end_with(parent)
    if block.timeout is not None:
        check_time_limit()
    try:
        return block.number, as_parquet(_computed(block), study, block.number)
    except MemoryError as error:
        raise StudyError(
            f"the memory must hold every part of a study; it was too small in the cells"
            f" {min(block.cells)} to {max(block.cells)}. Finished parts are kept. Run the study"
            " again with fewer workers, or begin it with a smaller block."
        ) from error


@dataclass
class _Row:
    """A trial on its way into the table."""

    #: By what the names of columns begin with; several where a generator has several systems.
    trials: dict[str, Trial]
    error: str
    #: By statistic its columns.
    values: dict[str, dict[str, float | str]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Scores that are held for it."""
        sizes = (
            sum(values.size for values in t.drawn) if isinstance(t, GeneratedTrial)
            else sum(cell_sizes(t.cell, "n") or ()) for t in self.trials.values()
        )  # fmt: skip
        return sum(sizes)


def _computed(block: Block) -> ResultColumns:
    # Of the thousands of notices none is given.
    with suppress_warnings():
        make = generated_spec if block.generator else partial(cell_spec, model=block.model)
        specs: dict[int, tuple[Any, str]] = {
            k: _tried(partial(make, cell)) for k, cell in block.cells.items()
        }
        rows, chunk, n = [], list[_Row](), 0
        shared: dict[tuple[int, str], Any] = {}
        for cell, replicate in block.trials:
            spec, error = specs[cell]
            trial = Trial(MappingProxyType(block.cells[cell]), cell, replicate, block.seed, spec)
            trials = {} if error else {"": trial}
            if block.generator and not error:
                make_trials = partial(generated_trials, trial, block.generator, block.timeout)
                trials, error = _tried(make_trials)
            rows.append(_Row(trials or {}, error))
            chunk.append(rows[-1])
            n += rows[-1].n
            if n > _SCORES_HELD:
                _fill(chunk, block, shared)
                chunk, n = [], 0
        _fill(chunk, block, shared)
        return _columns(rows, block)


def _fill(chunk: Sequence[_Row], block: Block, shared: dict[tuple[int, str], Any]) -> None:
    """The statistics of trials whose scores are held together."""
    if any(s.needs_fit for s in block.statistics):
        for row in chunk:
            for trial in row.trials.values():
                _, row.error = _tried(partial(getattr, trial, "drawn"))
        fit_together([
            trial for row in chunk if not row.error
            for trial in row.trials.values() if trial.is_plain
        ])  # fmt: skip
    for statistic in block.statistics:
        for row in chunk:
            for prefix, trial in row.trials.items():
                if not row.error:
                    _compute(statistic, row, prefix, trial, shared)
    for row in chunk:
        row.trials = {}


def _tried(function: Callable[[], Any]) -> tuple[Any, str]:
    try:
        return function(), ""
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - recorded
        return None, _words(error)


def _words(error: BaseException) -> str:
    # The line is counted from the head of its function, whose digest tells studies apart.
    text = f"{type(error).__name__}: {error}"
    if not isinstance(error, BetarocError):
        frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
        code = frame.f_code
        text += f"\n  in {code.co_name}, line {line - code.co_firstlineno + 1} of it,"
        text += f" {os.path.basename(code.co_filename)}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def fit_together(trials: Sequence[Trial]) -> None:
    """Give trials the shapes of their fits, where sums settle them."""
    # Plain beta fits are made side by side; all others are left to `Trial.fit`.
    with np.errstate(all="ignore"):
        means = [
            (np.add.reduce(np.log(x)) / x.size, np.add.reduce(np.log1p(-x)) / x.size)
            for trial in trials for x in trial.drawn
        ]  # fmt: skip
        logs = np.array(means).reshape(-1, 2).T
        a, b, converged = beta_mle(*logs)
        solved = converged & ~(peak(a, b, *logs).amplification > ILL_CONDITIONED)
    shapes = np.stack([a, b], axis=1).reshape(-1, 4).tolist()
    both_solved = solved.reshape(-1, 2).all(axis=1).tolist()
    for trial, pair, is_solved in zip(trials, shapes, both_solved, strict=True):
        trial.batch_shapes = pair if is_solved else None


def _compute(
    statistic: StudyStatistic, row: _Row, prefix: str, trial: Trial,
    shared: dict[tuple[int, str], Any],
) -> None:  # fmt: skip
    """One statistic of a trial, for the true pair once per cell."""
    key = trial.number, statistic.column
    values = shared.get(key)
    if values is None:
        values, row.error = _tried(partial(statistic.of, trial))
    columns = {prefix + name: value for name, value in (values or {}).items()}
    row.values.setdefault(statistic.column, {}).update(columns)
    if statistic.source in ("true", "epc-true"):
        shared[key] = values


def _columns(rows: Sequence[_Row], block: Block) -> ResultColumns:
    cells, replicates = map(list, zip(*block.trials, strict=True))
    result: dict[str, tuple[type[Any] | None, list[Any]]] = {
        "cell": (int, cells), "replicate": (int, replicates),
    }  # fmt: skip
    for name, value in block.cells[cells[0]].items():
        result[name] = type(value), [block.cells[cell][name] for cell in cells]
    for statistic in block.statistics:
        parts = [row.values.get(statistic.column, {}) for row in rows]
        names = [statistic.column]
        if statistic.function is not None or block.generator:  # its columns are what was returned
            names = [name for part in parts for name in part]
        for name in dict.fromkeys(names):
            values = [
                None if row.error else part.get(name) for row, part in zip(rows, parts, strict=True)
            ]
            kind = _kind(values, name) if statistic.function is not None else statistic.kind
            result[name] = kind, values
    result["status"] = str, ["failed" if row.error else "ok" for row in rows]
    result["error"] = str, [row.error for row in rows]
    return result


def _kind(values: list[Any], name: str) -> type[Any] | None:
    kinds = {type(v) for v in values if v is not None}
    if len(kinds) > 1:
        raise StudyError(
            f"statistic {name!r} must be a number in every trial or text in every trial; it is"
            f" {next(v for v in values if isinstance(v, str))!r} in one and a number in another."
            " Return nan where there is no number."
        )
    return kinds.pop() if kinds else None


# ----------------------------------------------------------------------- configurations
_KEYS = ("folder", "replicates", "seed", "workers", "block", "statistics", "design")
_DRAWS: dict[str, Any] = {
    "grid": Design.grid, "sobol": Design.sobol, "latin-hypercube": Design.latin_hypercube,
}  # fmt: skip
#: Of a file that names none.
SEED = 0


def read_configuration(
    path: str | os.PathLike[str], folder: str | None, workers: int | None, seed: int | None
) -> tuple[Study, str, int]:
    """The study of a TOML file, its folder and its seed."""
    # What is given goes before what the file says; its folder is from where it is, and below.
    # Designs are drawn by the same seed.
    content = read_toml(Path(path), "the configuration", "Name the TOML file of a study.")
    _check_known(content, _KEYS, "")
    for key in ("statistics", "design"):
        if key not in content:
            do = 'Such as statistics = ["fit.auc"] and a table [design.grid].'
            raise refusal(str(path), f"have {key}", format_list(content) or "nothing", do)
    place = content.get("folder", Path(path).stem)
    if not isinstance(place, str) or not place:
        raise refusal("folder", "be text", format_value(place), "Name a folder.", InputTypeError)
    place = _below(Path(path), place) if folder is None else folder
    statistics, tables = content["statistics"], content["design"]
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        rule = "have tables, such as [design.grid]"
        raise refusal("design", rule, format_value(tables), kind=InputTypeError)
    _check_known(tables, _DRAWS, "design")
    seed = checks.count(content.get("seed", SEED) if seed is None else seed, "seed", 0)
    designs = []
    for kind, table in tables.items():
        options = {}
        if kind != "grid":
            points = table.pop("points", None)
            options = {"n": checks.count(points, f"design.{kind}.points"), "rng": seed}
        designs.append(_DRAWS[kind](table, **options))
    study = Study(
        reduce(operator.mul, designs), statistics, folder=place,
        workers=content.get("workers", 1) if workers is None else workers, rng=seed,
        replicates=checks.count(content.get("replicates", 1), "the number of replicates"),
        block=content.get("block"),
    )  # fmt: skip
    return study, place, seed


def _below(path: Path, folder: str) -> str:
    try:
        home, place = path.parent.resolve(), (path.parent / folder).resolve()
    except (OSError, RuntimeError, ValueError):  # no path of this system: said where it is made
        return folder
    if home not in place.parents:
        rule = f"lie beside {format_value(path.name)} or below"
        do = "Name one there, or pass --folder to write elsewhere."
        raise refusal("folder", rule, format_value(folder), do)
    return folder if home == Path.cwd() else str(path.parent / folder)


def _check_known(content: Mapping[str, Any], keys: Collection[str], where: str) -> None:
    for key in content:
        if key not in keys:
            do = f"Did you mean [design.{key}]?" if key in _DRAWS else did_you_mean(key, [*keys])
            rule, actual = f"have keys of {format_list(keys, 8)}", f"{where}.{key}".strip(".")
            raise refusal(where or "the configuration", rule, actual, do.rstrip())
