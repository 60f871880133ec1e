"""The score files of a call: their names, and what is read."""

from __future__ import annotations

import math
import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from betaroc.cli.messages import FILE_ARGUMENTS, named_files
from betaroc.cli.options import STREAMED, given_options, option_of, refuse
from betaroc.core import local_files, notices, vocabulary
from betaroc.core.errors import FileFormatError, InputError, refusal
from betaroc.core.text import format_list, format_value
from betaroc.data.labels import DROP, REJECT
from betaroc.data.parquet import parquet_rows
from betaroc.data.read import KeyFile, column_spec, read_columns, read_scores
from betaroc.data.scores import ScoreData, ScoreSource
from betaroc.data.summary import ScoreSummary, file_words, summarize_finest
from betaroc.data.text_files import TextFile
from betaroc.data.text_layouts import TextOptions
from betaroc.estimation.contract import SUMMED_POLICIES
from betaroc.estimation.families import AUTO, BEST, FAMILIES, Names
from betaroc.rendering import numbers, tree

#: Characters of a name.
_LONGEST = 80
#: Families that sums of a class are enough for.
_SUMMED = {AUTO, BEST, *(name for name, row in FAMILIES.items() if row.summed)}
#: Options that speak of single trials, which sums and counts do not know.
_OF_TRIALS = ("group", "id", "key", "missing", "lower_is_client")

#: A file of both classes, or one of each: the client's and the impostor's.
ScoreFiles = str | tuple[str, str]


class SystemFiles(NamedTuple):
    """A name, "" where the call has one system, and files."""

    name: str
    dev: ScoreFiles
    tests: tuple[ScoreFiles, ...] = ()
    #: Whether clients have the lower scores.
    lower: bool = False

    @property
    def paths(self) -> list[str]:
        """All files that are named, dev's first."""
        pairs = ((item,) if isinstance(item, str) else item for item in (self.dev, *self.tests))
        return [path for pair in pairs for path in pair]


# ----------------------------------------------------------------------- which are named
def called_systems(
    arguments: Namespace, *, tests: tuple[int, float] = (0, math.inf), one_per_file: bool = False
) -> list[SystemFiles]:
    """The systems that --system or --systems names, else the one of the call's files.

    Each may have so many ``tests``; with ``one_per_file`` each of several files is a system.
    """
    named = named_systems(arguments, tests=tests)
    if named:
        return named
    scores = getattr(arguments, "file", None) or []
    if len(scores) > 1 and one_per_file:
        files_of(arguments, "dev")
        return _checked_systems(list(map(SystemFiles, local_files.default_names(scores), scores)))
    if len(scores) > 1:
        first, second = (numbers.visible(quote(path)) for path in scores[:2])
        remedy = (
            f"Name a test by --test {second}, the files of both classes by --client-file {first}"
            f" --impostor-file {second}, several by --system NAME {first} --system NAME {second}."
        )
        value = f"{len(scores)}: {format_list(scores)}"
        raise refusal("SCORES", "be one file, dev's", value, remedy)
    dev, test = (files_of(arguments, role) for role in ("dev", "test"))
    if tests[0] and not test:
        raise InputError(
            "--test must name a score file. Give --dev DEV --test TEST, or any number of --system"
            " NAME DEV TEST."
        )
    system = SystemFiles("", dev[0], tuple(test))
    if not tests[0]:
        _check_repeated([system])
    return [system]


def named_systems(
    arguments: Namespace, *, tests: tuple[int, float] = (0, math.inf)
) -> list[SystemFiles]:
    """The systems that --system or --systems names."""
    named, place = arguments.system, arguments.systems
    if named is None and place is None:
        return []
    option = "--systems" if named is None else "--system"
    names = (*FILE_ARGUMENTS, "name", *["systems"] * (named is not None))
    rule = f"stand without {option}, which names every file of the call"
    refuse(arguments, names, rule, "Leave one of them out.")
    if named is not None:
        if any(len(words) < 2 for words in named):
            raise refusal(option, "give a name and a dev file", format_value(named))
        systems = [SystemFiles(name, dev, tuple(files)) for name, dev, *files in named]
    elif not place:
        raise refusal(option, "name a folder or a TOML file", "''", "Give its path.")
    else:
        systems = (_of_folder if os.path.isdir(place) else _of_manifest)(Path(place))
    arguments.system_files = [path for system in systems for path in system.paths]
    return _checked_systems(systems, tests)


def two_systems(arguments: Namespace) -> list[SystemFiles]:
    """Those of --dev and --test."""
    dev, test = arguments.dev, arguments.test
    for role, files in (("dev", dev), ("test", test)):
        if len(files) != 2:
            rule = "name two different score files, one per system"
            remedy = "One system on two test sets takes --unpaired."
            raise refusal(f"--{role}", rule, f"{len(files)}: {format_list(files)}", remedy)
    names = arguments.name or local_files.default_names(dev if len(set(dev)) == 2 else test)
    if len(names) != 2:
        raise refusal("--name", "give two different names", format_list(names))
    systems = list(map(SystemFiles, names, dev, zip(test, strict=True)))
    return _checked_systems(systems, one_dev=arguments.unpaired)


def files_of(arguments: Namespace, role: str) -> list[ScoreFiles]:
    """The files of dev or of test."""
    places = ("test",) if role == "test" else ("file", "pilot", "dev")
    place = next((name for name in places if hasattr(arguments, name)), "test")
    value = getattr(arguments, place, None)
    named: list[ScoreFiles] = [value] if isinstance(value, str) else list(value or [])
    start = "test_" if role == "test" else ""
    names = [f"{start}{who}_file" for who in ("client", "impostor")]
    two = [path for name in names if (path := getattr(arguments, name, None)) is not None]
    if (named and two) or len(two) == 1 or (role == "dev" and not (named or two)):
        rule = f"name a score file, or {' and '.join(map(option_of, names))} one per class"
        raise refusal(option_of(place), rule, f"{len(named)} and {len(two)} files")
    return [(two[0], two[1])] if two else named


def _checked_systems(
    systems: list[SystemFiles], tests: tuple[int, float] = (0, math.inf), *, one_dev: bool = False
) -> list[SystemFiles]:
    for path in dict.fromkeys(path for system in systems for path in system.paths):
        if path != local_files.STDIN:  # before the first is read, which may take long
            local_files.regular_file(path, "every file of the systems")
    _check_repeated(systems, one_dev=one_dev)
    names = [numbers.visible(system.name).strip() for system in systems]
    least, most = tests
    number = "one test file" if least == most else "at most one test file"
    for system, name in zip(systems, names, strict=True):
        rule, value = "", format_value(system.name)
        if not name or len(system.name) > _LONGEST or not system.name.isprintable():
            rule = f"have a name of 1 to {_LONGEST} characters that print"
        elif names.count(name) > 1:
            rule, value = "have a name of its own", f"{value} {names.count(name)} times"
        elif not least <= len(system.tests) <= most:
            rule, value = f"have {number} here", f"{len(system.tests)} of {value}"
        if rule:
            raise refusal("every system", rule, value, "Such as --system NAME DEV TEST.")
    return systems


def _check_repeated(systems: Sequence[SystemFiles], *, one_dev: bool = False) -> None:
    roles: dict[object, str] = {}
    for system in systems:
        of = f" of {format_value(system.name, 30)}" * bool(system.name)
        for k, path in enumerate(system.paths):
            role = ("dev" if k < 1 + (not isinstance(system.dev, str)) else "test") + of
            exists = path != local_files.STDIN and os.path.exists(path)
            earlier = roles.setdefault(os.stat(path)[1:3] if exists else path, role)
            if earlier is not role and not (one_dev and role[:3] == earlier[:3] == "dev"):
                raise InputError(
                    f"every file must be named once; {format_value(path)} is {role} and {earlier}."
                    " Name trials that took no part in choosing a threshold."
                )


def _of_folder(folder: Path) -> list[SystemFiles]:
    systems: list[SystemFiles] = []
    others: list[Path] = []
    with local_files.of_the_system("--systems"):
        for inner in sorted(folder.iterdir()):
            files = sorted(inner.iterdir()) if inner.is_dir() else []
            dev, tests = ([path for path in files if path.match(shape) and path.is_file()]
                          for shape in ("dev.*", "test*.*"))  # fmt: skip
            others += [path for path in files if path not in dev[:1] + tests] if dev else [inner]
            systems += [SystemFiles(inner.name, str(p), tuple(map(str, tests))) for p in dev[:1]]
    more = [str(p.relative_to(folder)) for p in others if not p.name.startswith(".")]
    if more or not systems:
        holds = f"also holds {format_list(more)}" if more else "holds none"
        raise InputError(
            f"--systems must hold folders NAME of one dev.* and any test*.* alone;"
            f" {format_value(str(folder))} {holds}. Move them, or name the systems with --system or"
            " in a manifest."
        )
    return systems


def _of_manifest(path: Path) -> list[SystemFiles]:
    advice = "Name a folder, or a TOML file of [systems.NAME]."
    document = local_files.read_toml(path, "--systems", advice)
    tables, remedy = document.get("systems"), (
        'Such as [systems.mlp] with dev = "dev.csv" and test = "test.csv".'
    )  # fmt: skip
    if set(document) != {"systems"} or not isinstance(tables, dict) or not tables:
        raise refusal("a manifest", "have tables [systems.NAME] alone",
                      format_list(document) or "nothing", remedy)  # fmt: skip
    systems = []
    for name, table in tables.items():
        value = table if isinstance(table, dict) else {}
        tests = value.get("test", [])
        files = [value.get("dev"), *(tests if isinstance(tests, list) else [tests])]
        known, lower = {"dev", "test", "lower_is_client"}, value.get("lower_is_client", False)
        right = value.keys() <= known and isinstance(lower, bool)
        if not (right and all(isinstance(x, str) and x for x in files)):
            rule = "have text in dev, in test text or a list, in lower_is_client true or false"
            raise refusal(f"[systems.{numbers.visible(name)}]", rule, format_value(table), remedy)
        dev, *others = (str(path.parent / file) for file in files)
        systems.append(SystemFiles(name, dev, tuple(others), lower))
    return systems


# ------------------------------------------------------------------------- what is read
def read_systems(
    systems: Iterable[SystemFiles], arguments: Namespace, step: Callable[[], object], *,
    dev_named: bool = True, tests: bool = True,
) -> Iterator[tuple[str, ScoreData, tuple[ScoreData, ...]]]:  # fmt: skip
    """Name, dev and tests of each system."""
    for name, dev, paths, lower in systems:
        start = f"{numbers.visible(name)}: " * bool(name)
        with notices.forward_warnings(f"{start}dev: " if name or (tests and paths) else ""):
            first = read_file(dev, arguments, step, named=dev_named, lower=lower)
        with notices.forward_warnings(f"{start}test: "):
            read = [read_file(p, arguments, step, is_test=True, lower=lower) for p in paths * tests]
        yield name, first, tuple(read)


def read_file(
    source: ScoreFiles, arguments: Namespace, step: Callable[[], object], *,
    named: bool = True, is_test: bool = False, lower: bool = False,
) -> ScoreData:  # fmt: skip
    """Scores of a file, or their sums."""
    path = source if isinstance(source, str) else None
    if getattr(arguments, "stream", "") == "always" and path in {None, local_files.STDIN}:
        rule = "stand beside files of both classes, which are read in pieces"
        actual = "a file of each" if path is None else "the standard input"
        raise refusal("--stream always", rule, actual, "Leave it out.")
    if not given_options(arguments, ("test", "test_client_file", "system", "systems")):
        refuse(arguments, ("test_key",), "stand beside --test, whose key it is")
    has_key = is_test and arguments.test_key is not None
    key = arguments.test_key if has_key else arguments.key
    try:
        read: ScoreData | None = None if path is None or lower else _streamed(path, arguments)
        if read is None:
            read = _rows(source, arguments, key, named=named, lower=lower)
    except (FileFormatError, InputError) as error:
        # Two files of a call may have one name: the path is given, unless the key has it too.
        if path is None or (key is not None and Path(key).name == Path(path).name):
            raise
        name, whole = format_value(Path(path).name), local_files.shown_path(path)
        raise error.reworded(error.template.replace(name, whole, 1)) from error
    step()
    if read.source is None:
        return read
    return read._read_from(read.source.named(named_files(arguments, read.source.files)))


def _rows(source: ScoreFiles, arguments: Namespace, key: Any, *, named: bool, lower: bool) -> Any:
    path, client, impostor = (source, None, None) if isinstance(source, str) else (None, *source)
    scores = read_scores(
        path, client_file=client, impostor_file=impostor, **_reading(arguments), key=key,
        key_label=arguments.key_label, key_id=columns(arguments.key_id),
        group=columns(getattr(arguments, "group", None)) if named else None,
        id=columns(arguments.id) if named or key else None, missing=arguments.missing,
        stratum=columns(arguments.stratum), lower_is_client=lower or arguments.lower_is_client,
    )  # fmt: skip
    if getattr(arguments, "terms", None) == "matching" and scores.has_rejected:
        raise InputError(
            "--terms matching must not stand beside trials without a score that count as rejected:"
            " FMR and FNMR are rates of comparisons made. Leave it out, or take --missing drop."
        )
    return scores


def columns(names: Iterable[str] | None) -> Any:
    """One column or two as `read_scores` takes them, None for none."""
    return None if names is None else tuple(names)


def _reading(arguments: Namespace) -> dict[str, Any]:
    names = ("score", "label", "client_label", "columns", "separator", "decimal", "header",
             "format", "max_size", "max_rows")  # fmt: skip
    value = {name: getattr(arguments, name) for name in names}
    if arguments.identities is not None:
        refuse(arguments, ("label",), "not stand beside --identities: both say who is a client")
        value["label"] = tuple(arguments.identities)
    return value


def _streamed(path: str, arguments: Namespace) -> ScoreSummary | None:
    mode = getattr(arguments, "stream", "never")
    # What is no regular file is refused where it is read; a FIFO would wait.
    if mode == "never" or not os.path.isfile(path) or not os.access(path, os.R_OK):
        return None
    if mode == "auto" and (
        given_options(arguments, (*_OF_TRIALS, "resolution", "identities"))
        or arguments.family not in _SUMMED
        or arguments.boundary not in (None, *SUMMED_POLICIES)
        or getattr(arguments, "unpaired", None) is False
        or not _is_large(Path(path))
    ):
        return None
    refuse(arguments, _OF_TRIALS,
           "not stand beside --stream always: sums and counts know no single trial")  # fmt: skip
    return summarize_finest(path, stratum=columns(arguments.stratum), **_reading(arguments))


def _is_large(path: Path) -> bool:
    with path.open("rb") as raw:
        head = raw.read(4)
    if head == b"PAR1":
        return find_spec("pyarrow") is None or parquet_rows(path) > STREAMED
    return TextFile(path, path.name, head.startswith(b"\x1f\x8b")).about_rows() > STREAMED


def chosen_words(asked: Names) -> str:
    """That the family was named in the call."""
    return f"chosen with --family {asked if isinstance(asked, str) else ','.join(asked)}"


def reading_lines(*read: tuple[str, ScoreData]) -> tree.Paragraph:
    """What was read, a line per set of scores."""
    return tree.Paragraph("\n".join(file_words(name, scores) for name, scores in read), "given")


# --------------------------------------------------------------- classifiers of an ensemble
#: The column of a table's frame that says which trials are clients.
LABEL = "label"


class ClassifierFiles(NamedTuple):
    """The scores of classifiers, and what was read."""

    scores: Any
    names: list[str]
    words: list[vocabulary.ClassWords | None]
    sources: list[ScoreSource]


def read_classifiers(arguments: Namespace) -> list[ClassifierFiles]:
    """Those of the scores, and of dev where there is one."""
    files, dev = arguments.files, arguments.dev
    table = len(files) == 1
    refuse(arguments, ("lower_is_client",), "not stand beside an ensemble, whose scores are higher"
           " for clients", "Give -score.")  # fmt: skip
    if table and arguments.missing == REJECT:
        raise refusal("--missing", "be fail or drop for an ensemble", REJECT)
    refuse(arguments, ("name", "score") if table else ("systems",),
           f"stand beside {'several score files, one per classifier' if table else 'one table'};"
           f" got {len(files)}")  # fmt: skip
    read = _columns if table else _score_sets
    refuse(arguments, ("test_key",), "stand beside --test, of which an ensemble has none")
    if dev and len(dev) != len(files):
        rule = f"name as many files as there are of scores, {len(files)}"
        remedy = "Give one table for a table, one file per classifier for files."
        raise refusal("--dev", rule, str(len(dev)), remedy)
    first = read(files, arguments, arguments.systems)
    return [first, read(dev, arguments, first.names)] if dev else [first]


def _score_sets(paths: Sequence[str], arguments: Namespace, _: Any) -> ClassifierFiles:
    names = arguments.name or local_files.default_names(paths)
    if len(names) != len(paths):
        actual = f"{len(names)} for {len(paths)} files: {format_list(names)}"
        raise refusal("--name", "give one name per file", actual, "Name each classifier.")
    systems = _checked_systems(list(map(SystemFiles, names, paths)))
    by_name = {name: scores for name, scores, _ in read_systems(systems, arguments, lambda: None)}
    sources = [scores.source for scores in by_name.values() if scores.source is not None]
    return ClassifierFiles(by_name, names, [s.words for s in by_name.values()], sources)


def _columns(
    paths: Sequence[str], arguments: Namespace, systems: Sequence[str] | None
) -> ClassifierFiles:
    import pandas as pd

    value = _reading(arguments)
    label, client_label = value.pop("label"), value.pop("client_label")
    roles = {role: columns(getattr(arguments, role)) for role in ("group", "id")}
    del value["score"]
    read = read_columns(
        paths[0], systems, column_spec("", label, roles, DROP), TextOptions(**value).checked(),
        KeyFile(arguments.key, columns(arguments.key_id), arguments.key_label), client_label,
    )  # fmt: skip
    groups = {column: read.names[column] for column in arguments.group or ()}
    frame = pd.DataFrame({**read.scores, **groups, LABEL: read.is_client})
    source = read.source.named(named_files(arguments, read.source.files))
    return ClassifierFiles(frame, list(read.scores), [read.words], [source])
