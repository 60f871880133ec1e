"""The systems of a call: named one by one, in a folder, in a manifest, or by their files alone."""

from __future__ import annotations

import math
import os
import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from betaroc.cli.inputs import ScoreFiles, columns, files_of, paths_of, read_file, reading
from betaroc.cli.messages import FILE_ARGUMENTS, named_files
from betaroc.cli.options import given_options, refuse
from betaroc.core.errors import InputError, ScoreFileNotFoundError, refusal
from betaroc.core.local_files import STDIN, file_names, of_the_system, read_toml, shown_path
from betaroc.core.notices import forward_warnings
from betaroc.core.text import format_list, format_value
from betaroc.core.vocabulary import ClassWords
from betaroc.data.labels import DROP, REJECT
from betaroc.data.read import KeyFile, column_spec, read_columns
from betaroc.data.scores import ScoreData, ScoreSource
from betaroc.data.text_files import text_options
from betaroc.rendering.numbers import visible

#: Characters of a name.
_LONGEST = 80
#: What a system of a manifest may have of its key, as the options of the same names.
_OF_KEY, _LISTS = ("key", "test_key", "key_label", "key_id"), ("test", "key_id")


class SystemFiles(NamedTuple):
    """What a system is called, "" where the call has one, and its files."""

    name: str
    dev: ScoreFiles
    tests: tuple[ScoreFiles, ...] = ()
    #: Its key and the key's columns, where a manifest gives them.
    key: Mapping[str, Any] = {}

    @property
    def paths(self) -> list[str]:
        """All files that are named."""
        return paths_of(self.dev, *self.tests)


def called_systems(
    arguments: Namespace, *, tests: tuple[int, float] = (0, math.inf), one_per_file: bool = False,
    apart: bool = False,
) -> list[SystemFiles]:  # fmt: skip
    """The systems that --system or --systems names, else the one of the call's files.

    Each may have so many ``tests``; with ``one_per_file`` each of several files is a system; those
    that are to be ``apart`` name every file once.
    """
    named = named_systems(arguments, tests=tests)
    if named:
        return named
    scores = getattr(arguments, "file", None) or []
    if len(scores) > 1 and one_per_file:
        files_of(arguments, "dev")
        return checked_systems(list(map(SystemFiles, default_names(scores), scores)))
    if len(scores) > 1:
        first, second = (visible(quote(path)) for path in scores[:2])
        raise InputError(
            f"SCORES must be one file, dev's; got {len(scores)}: {format_list(scores)}. Name a test"
            f" by --test {second}, the files of both classes by --client-file {first}"
            f" --impostor-file {second}, several systems by --system NAME {first} --system NAME"
            f" {second}."
        )
    dev, test = (files_of(arguments, role) for role in ("dev", "test"))
    if tests[0] and not test:
        raise InputError(
            "--test must name a score file. Give --dev DEV --test TEST, or any number of --system"
            " NAME DEV TEST."
        )
    system = SystemFiles("", dev[0], tuple(test))
    if apart:
        _check_repeated([system])
    return [system]


def named_systems(
    arguments: Namespace, *, tests: tuple[int, float] = (0, math.inf)
) -> list[SystemFiles]:
    """The systems that --system or --systems names; none where the call has neither."""
    value, place = arguments.system, arguments.systems
    if value is None and place is None:
        return []
    beside = given_options(arguments, (*FILE_ARGUMENTS, "name"))
    if value is not None and place is not None:
        beside.append("--systems")
    if beside:
        raise InputError(
            f"{'--systems' if value is None else '--system'} must stand without"
            f" {', '.join(beside)}: it names every file of the call. Leave one of them out."
        )
    if place is None:
        if any(len(words) < 2 for words in value):
            raise InputError(
                f"--system must give a name and a dev file; got {format_value(value)}."
            )
        systems = [SystemFiles(name, dev, tuple(files)) for name, dev, *files in value]
    elif not place:
        raise InputError("--systems must name a folder or a TOML file; got ''. Give its path.")
    else:
        systems = (_of_folder if os.path.isdir(place) else _of_manifest)(Path(place))
    arguments.system_files = [path for system in systems for path in system.paths]
    return checked_systems(systems, tests)


def two_systems(arguments: Namespace) -> list[SystemFiles]:
    """Those of --dev and --test, two files each; named by --name, else by their paths."""
    dev, test = arguments.dev, arguments.test
    for role, files in (("dev", dev), ("test", test)):
        if len(files) != 2:
            raise InputError(
                f"--{role} must name two different score files, one per system; got {len(files)}:"
                f" {format_list(files)}. One system on two test sets takes --unpaired."
            )
    names = arguments.name or default_names(dev if len(set(dev)) == 2 else test)
    if len(names) != 2:
        raise refusal("--name", "give two different names", format_list(names))
    systems = list(map(SystemFiles, names, dev, zip(test, strict=True)))
    return checked_systems(systems, one_dev=arguments.unpaired)


def checked_systems(
    systems: list[SystemFiles], tests: tuple[int, float] = (0, math.inf), *, one_dev: bool = False
) -> list[SystemFiles]:
    """Names and files that can be what they stand for; ``one_dev`` may serve several systems."""
    paths = dict.fromkeys(path for system in systems for path in system.paths)
    wrong = [p for p in paths if p != STDIN and (os.path.isdir(p) or not os.path.exists(p))]
    if wrong:
        raise ScoreFileNotFoundError(
            f"every file of the systems must be an existing file; {len(wrong)} of {len(paths)} are"
            f" none: {', '.join(map(shown_path, wrong[:4]))}. Check the paths."
        )
    _check_repeated(systems, one_dev=one_dev)
    names = [visible(system.name).strip() for system in systems]
    least, most = tests
    for system, name in zip(systems, names, strict=True):
        rule, what = "", format_value(system.name)
        if not name or len(system.name) > _LONGEST or not system.name.isprintable():
            rule = f"have a name of 1 to {_LONGEST} characters that print; got {what}"
        elif names.count(name) > 1:
            rule = f"have a name of its own; {what} is given {names.count(name)} times"
        elif not least <= len(system.tests) <= most:
            number = "one test file" if least == most else "at most one test file"
            rule = f"have {number} here; {what} has {len(system.tests)}"
        if rule:
            raise InputError(f"every system must {rule}. Such as --system NAME DEV TEST.")
    return systems


def _check_repeated(systems: Sequence[SystemFiles], *, one_dev: bool = False) -> None:
    """Every file serves one system in one role."""
    seen: dict[object, str] = {}
    for system in systems:
        for k, path in enumerate(system.paths):
            role = "dev" if k < len(paths_of(system.dev)) else "test"
            if system.name:
                role += f" of {format_value(system.name, 30)}"
            there = path != STDIN and os.path.exists(path)
            known = seen.setdefault(os.stat(path)[1:3] if there else path, role)
            if known is not role and not (one_dev and role[:3] == known[:3] == "dev"):
                raise InputError(
                    f"every file must be named once; {format_value(path)} is {role} and {known}."
                    " Name trials that took no part in choosing a threshold."
                )


def read_systems(
    systems: Iterable[SystemFiles], arguments: Namespace, step: Callable[[], None], *,
    dev_named: bool = True, tests: bool = True,
) -> Iterator[tuple[str, ScoreData, tuple[ScoreData, ...]]]:  # fmt: skip
    """Name, dev and tests of one system after the other; warnings begin with name and role."""
    for name, dev, paths, key in systems:
        options = Namespace(**{**vars(arguments), **key})
        start = f"{visible(name)}: " * bool(name)
        with forward_warnings(f"{start}dev: " if name or (tests and paths) else ""):
            first = read_file(dev, options, step, named=dev_named)
        with forward_warnings(f"{start}test: "):
            read = [read_file(path, options, step, is_test=True) for path in paths if tests]
        yield name, first, tuple(read)


# --------------------------------------------------------------------------- where from
def _of_folder(folder: Path) -> list[SystemFiles]:
    """One folder per system: dev.* and test*.* and nothing else but hidden files."""
    with of_the_system("--systems"):
        inside = {inner: sorted(inner.iterdir()) if inner.is_dir() else []
                  for inner in sorted(folder.iterdir())}  # fmt: skip
    systems, others = [], []
    for inner, files in inside.items():
        dev, tests = ([path for path in files if path.match(shape) and path.is_file()]
                      for shape in ("dev.*", "test*.*"))  # fmt: skip
        others += [path for path in files if path not in dev[:1] + tests] if dev else [inner]
        systems += [SystemFiles(inner.name, str(p), tuple(map(str, tests))) for p in dev[:1]]
    others = [path for path in others if not path.name.startswith(".")]
    if others or not systems:
        what = f"also holds {format_list([str(p.relative_to(folder)) for p in others])}"
        raise InputError(
            f"--systems must hold folders NAME of one dev.* and any test*.* alone;"
            f" {format_value(str(folder))} {what if others else 'holds none'}. Move them, or name"
            " the systems with --system or in a manifest."
        )
    return systems


def _of_manifest(path: Path) -> list[SystemFiles]:
    """Tables [systems.NAME] of a TOML file: dev, any test, and what its key is."""
    document = read_toml(path, "--systems", "Name a folder, or a TOML file of [systems.NAME].")
    tables = document.get("systems")
    if set(document) != {"systems"} or not isinstance(tables, dict) or not tables:
        raise InputError(
            f"a manifest must have tables [systems.NAME] alone; {format_value(str(path))} has"
            f" {format_list(document) or 'nothing'}. Such as [systems.mlp] with"
            ' dev = "dev.csv" and test = "test.csv".'
        )
    systems = []
    for name, table in tables.items():
        values = table if isinstance(table, dict) else {}
        texts = {k: v if isinstance(v, list) else [v] for k, v in values.items()}
        known = all(isinstance(x, str) and x for value in texts.values() for x in value)
        single = all(len(value) == 1 for key, value in texts.items() if key not in _LISTS)
        if not (known and single and {"dev"} <= set(texts) <= {"dev", *_LISTS, *_OF_KEY}):
            raise InputError(
                f"[systems.{visible(name)}] must have text in dev, and in test and"
                f" {', '.join(_OF_KEY)} if any (in test and key_id a list too); got"
                f" {format_value(table)}."
            )
        for role in {"dev", "test", "key", "test_key"} & set(texts):
            texts[role] = [str(path.parent / text) for text in texts[role]]
        of_key = {key: texts[key] if key in _LISTS else texts[key][0]
                  for key in _OF_KEY if key in texts}  # fmt: skip
        systems.append(SystemFiles(name, texts["dev"][0], tuple(texts.get("test", ())), of_key))
    return systems


# --------------------------------------------------------------------------- their names
def default_names(paths: Sequence[str]) -> list[str]:
    """The words in which paths differ, of the names of the files where these do.

    a/dev.csv and b/dev.csv are a and b; mlp-dev.csv and svm-dev.csv are mlp and svm.
    """
    texts = [Path(path).stem for path in paths]
    if len(set(texts)) < len(paths):
        texts = [str(Path(os.path.abspath(path)).with_suffix("")) for path in paths]
    backwards = [text[::-1] for text in texts]
    common = map(os.path.commonprefix, (texts, backwards))
    start, end = (len(re.sub(r"[^-_. /]*$", "", text)) for text in common)
    names = [text[start : len(text) - end] for text in texts]
    if all(names) and len(set(names)) == len(names):
        return names
    whole = file_names(paths)
    return [whole[path] for path in paths]


# --------------------------------------------------------------- classifiers of an ensemble
#: The column of a table's frame that says which trials are clients.
LABEL = "label"


class ClassifierFiles(NamedTuple):
    """What an ensemble is made of, the names of its classifiers, and what was read of it."""

    scores: Any
    names: list[str]
    words: list[ClassWords | None]
    sources: list[ScoreSource]


def read_classifiers(arguments: Namespace) -> list[ClassifierFiles]:
    """Those of the scores, and of dev where there is one."""
    files, dev = arguments.files, arguments.dev
    table = len(files) == 1
    if table:
        refuse(arguments, ("name", "score"), "stand beside several score files, one per"
               " classifier; got one table")  # fmt: skip
    else:
        refuse(arguments, ("systems", "omit_missing"), f"stand beside one table; got {len(files)}"
               " files")  # fmt: skip
    if table and arguments.missing == REJECT:
        raise InputError("--missing must be fail or drop for an ensemble; got reject.")
    refuse(arguments, ("test_key",), "stand beside --test, of which an ensemble has none")
    if dev and len(dev) != len(files):
        raise InputError(
            f"--dev must name as many files as there are of scores, {len(files)}; got {len(dev)}."
            " Give one table for a table, one file per classifier for files."
        )
    read = _columns if table else _score_sets
    sides = [read(files, arguments, arguments.systems)]
    if dev:
        sides.append(read(dev, arguments, sides[0].names))
    return sides


def _score_sets(paths: Sequence[str], arguments: Namespace, _: Any) -> ClassifierFiles:
    """Scores of one file per classifier, by name."""
    names = arguments.name or default_names(paths)
    if len(names) != len(paths):
        actual = f"{len(names)} for {len(paths)} files: {format_list(names)}"
        raise refusal("--name", "give one name per file", actual, "Name each classifier.")
    systems = checked_systems(list(map(SystemFiles, names, paths)))
    by_name = {name: scores for name, scores, _ in read_systems(systems, arguments, lambda: None)}
    sources = [scores.source for scores in by_name.values() if scores.source is not None]
    return ClassifierFiles(by_name, names, [s.words for s in by_name.values()], sources)


def _columns(
    paths: Sequence[str], arguments: Namespace, systems: Sequence[str] | None
) -> ClassifierFiles:
    """One column per classifier of one table, as a frame."""
    import pandas as pd

    value = reading(arguments)
    label, client_label = value.pop("label"), value.pop("client_label")
    roles = {role: columns(getattr(arguments, role)) for role in ("group", "id")}
    value["format_"] = value.pop("format")
    del value["score"]
    read = read_columns(
        paths[0], systems, column_spec("", label, roles, DROP), text_options(**value),
        KeyFile(arguments.key, columns(arguments.key_id), arguments.key_label), client_label,
    )  # fmt: skip
    groups = {column: read.names[column] for column in arguments.group or ()}
    frame = pd.DataFrame({**read.scores, **groups, LABEL: read.is_client})
    source = read.source.named(named_files(arguments, read.source.files))
    return ClassifierFiles(frame, list(read.scores), [read.words], [source])
