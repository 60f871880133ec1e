"""The systems of a call: named one by one, in a folder, in a manifest, or by their files alone."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from betaroc.cli.inputs import read_file
from betaroc.core.errors import FileFormatError, InputError, ScoreFileNotFoundError
from betaroc.core.local_files import STDIN, file_names, read_toml, shown_path
from betaroc.core.notices import passed_on
from betaroc.core.text import shown
from betaroc.data.scores import ScoreData, Scores, rejected_words
from betaroc.rendering.numbers import read_as, visible

#: Characters of a name.
LONGEST = 80
#: So many paths are named in an error.
_NAMED = 4
#: What a system of a manifest may have of its key, as the options of the same names.
_OF_KEY = ("key", "test_key", "key_label", "key_id")
#: What names one system, beside which others must not be named.
_OF_ONE = (
    "file", "dev", "test", "name", "client_file", "impostor_file", "test_client_file",
    "test_impostor_file",
)  # fmt: skip


class SystemFiles(NamedTuple):
    """What a system is called, and its files."""

    name: str
    dev: str
    tests: tuple[str, ...] = ()
    #: Its key and the key's columns, where a manifest gives them.
    key: tuple[tuple[str, Any], ...] = ()


class ReadSystem(NamedTuple):
    """A system and what was read of it."""

    name: str
    dev: ScoreData
    tests: tuple[ScoreData, ...]


def system_options(parser: argparse.ArgumentParser) -> None:
    """Those that name any number of systems."""
    group = parser.add_argument_group("several systems")
    group.add_argument("--system", nargs="+", action="append", metavar=("NAME", "FILE"),
        help="a system: its name, its dev scores, then those of its tests; may be"
        " repeated")  # fmt: skip
    group.add_argument("--systems", metavar="FILE",
        help="all systems: a folder of folders NAME that hold dev.* and test*.*, or a TOML file"
        ' of tables [systems.NAME] with dev = "..." and test = "..." or a list, paths from where'
        " it is")  # fmt: skip


def named_systems(
    arguments: argparse.Namespace, *, tests: tuple[int, int | None] = (0, None)
) -> list[SystemFiles]:
    """The systems that --system or --systems names; none where the call has neither.

    ``tests`` are the fewest and the most test files that a system may have.
    """
    given, place = arguments.system, arguments.systems
    if given is None and place is None:
        return []
    beside = [f"--{n}".replace("_", "-") for n in _OF_ONE if getattr(arguments, n, None)]
    beside = ["SCORES" if name == "--file" else name for name in beside]
    if given is not None and place is not None:
        beside.append("--systems")
    if beside:
        option = "--systems" if given is None else "--system"
        raise InputError(
            f"{option} must stand without {', '.join(beside)}: it names every file of the call."
            " Leave one of them out."
        )
    if place == "":
        raise InputError("--systems must name a folder or a TOML file; got ''. Give its path.")
    if place is None:
        found = _of_options(given)
    else:
        found = (_of_folder if os.path.isdir(place) else _of_manifest)(Path(place))
    arguments.system_files = [path for one in found for path in (one.dev, *one.tests)]
    return checked_systems(found, tests=tests)


def checked_systems(
    systems: Sequence[SystemFiles], *, tests: tuple[int, int | None] = (0, None)
) -> list[SystemFiles]:
    """Names and files that can be what they stand for."""
    _refuse_files(systems)
    names = [system.name.strip() for system in systems]
    for system, name in zip(systems, names, strict=True):
        if not name or len(system.name) > LONGEST or not system.name.isprintable():
            raise InputError(
                f"the name of a system must have 1 to {LONGEST} characters that print; got"
                f" {shown(system.name)}, which has {len(system.name)}. Call it by a word:"
                " --system NAME DEV [TEST ...]."
            )
        if names.count(name) > 1:
            raise InputError(
                f"every system must have a name of its own; {shown(name)} is given"
                f" {names.count(name)} times. Rename one, or leave it out."
            )
    least, most = tests
    for system in systems:
        if len(system.tests) < least or (most is not None and len(system.tests) > most):
            number = "one test file" if least == most else "at most one test file"
            raise InputError(
                f"every system must have {number} here; {shown(system.name)} has"
                f" {len(system.tests)}. Name it so: --system NAME DEV TEST."
            )
    return list(systems)


def _refuse_files(systems: Sequence[SystemFiles]) -> None:
    """Every file is there, is no folder, and serves one system in one role."""
    seen: dict[object, tuple[str, str]] = {}
    paths = []
    for system in systems:
        for role, path in [("dev", system.dev), *(("test", test) for test in system.tests)]:
            paths.append(path)
            known = _identity(path)
            if known in seen:
                name, other = seen[known]
                raise InputError(
                    f"every file must be named once; {shown(path)} is {role} of"
                    f" {shown(system.name, 30)} and {other} of {shown(name, 30)}. Name the file of"
                    " the other system, or trials that took no part in choosing a threshold."
                )
            seen[known] = system.name, role
    named = [path for path in dict.fromkeys(paths) if path != STDIN]
    missing = [path for path in named if not os.path.exists(path)]
    for wrong, rule, error in (
        (missing, "exist; {} of {} do not", ScoreFileNotFoundError),
        (list(filter(os.path.isdir, named)), "be a file; {} of {} are folders", FileFormatError),
    ):
        if wrong:
            first = first_names(shown_path(path, 50) for path in wrong)
            raise error(
                f"every file of the systems must {rule.format(len(wrong), len(set(paths)))}:"
                f" {first}. Nothing was read: check the paths."
            )


def _identity(path: str) -> object:
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # said where it is read; of a NUL in it
        return path if path == STDIN else os.path.abspath(path)
    return path if path == STDIN else (found.st_dev, found.st_ino)


def read_systems(
    systems: Iterable[SystemFiles], arguments: argparse.Namespace, step: Callable[[], None], *,
    dev_named: bool = True, tests: bool = True,
) -> Iterator[ReadSystem]:  # fmt: skip
    """The scores of one system after the other; warnings begin with its name."""
    for name, dev, paths, key in systems:
        options = argparse.Namespace(**{**vars(arguments), **dict(key)})
        start = f"{visible(name)}: " * bool(name)
        with passed_on(f"{start}dev: "):
            own = read_file(dev, options, step, named=dev_named)
        read = []
        for path in paths if tests else ():
            with passed_on(f"{start}test: "):
                read.append(read_file(path, options, step, is_test=True))
        yield ReadSystem(name, own, tuple(read))


# --------------------------------------------------------------------------- where from
def _of_options(given: Sequence[Sequence[str]]) -> list[SystemFiles]:
    for words in given:
        if len(words) < 2:
            raise InputError(
                f"--system must give a name and a dev file; got {shown(words[0])} alone. Such as"
                " --system mlp mlp-dev.csv mlp-test.csv."
            )
    return [SystemFiles(name, dev, tuple(tests)) for name, dev, *tests in given]


def _of_folder(folder: Path) -> list[SystemFiles]:
    """One folder per system: dev.* and test*.* and nothing else."""
    found, others = [], []
    for own in _inside(folder):
        if not own.is_dir():
            others.append(own)
            continue
        files = _inside(own)
        dev, tests = (
            [str(p) for p in files if re.fullmatch(shape, p.name) and p.is_file()]
            for shape in (r"dev\..+", r"test.*\..+")
        )
        others += [p for p in files if str(p) not in (*dev, *tests)]
        if len(dev) != 1:
            raise InputError(
                f"the folder of a system must hold one file dev.*; {shown(str(own))} holds"
                f" {len(dev)}. Such as {own.name}/dev.csv and {own.name}/test.csv."
            )
        found.append(SystemFiles(own.name, dev[0], tuple(tests)))
    if others or not found:
        named = [str(path.relative_to(folder)) for path in others]
        what = f"also holds {_some(named)}" if others else "holds none"
        raise InputError(
            f"--systems must hold folders NAME with dev.* and test*.* alone; {shown(str(folder))}"
            f" {what}. Move them, or name the systems with --system or in a manifest."
        )
    return found


def _inside(folder: Path) -> list[Path]:
    """What is in it but hidden files, which systems and editors leave."""
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise FileFormatError(
            f"--systems must be a folder that can be read; {shown(str(folder))}: {error.strerror}."
            " Check the path."
        ) from error


def _of_manifest(path: Path) -> list[SystemFiles]:
    """Tables [systems.NAME] of a TOML file."""
    document = read_toml(path, "--systems", "Name a folder, or a TOML file of [systems.NAME].")
    tables = document.get("systems")
    if set(document) != {"systems"} or not isinstance(tables, Mapping) or not tables:
        raise InputError(
            f"a manifest must have tables [systems.NAME] alone; {shown(str(path))} has"
            f" {_some(list(document)) or 'nothing'}. Such as [systems.mlp] with"
            ' dev = "dev.csv" and test = "test.csv".'
        )
    return [_of_table(name, table, path.parent) for name, table in tables.items()]


def _of_table(name: str, table: Any, folder: Path) -> SystemFiles:
    start, keys = f"[systems.{visible(name)}]", set(table) if isinstance(table, Mapping) else set()
    if "dev" not in keys or keys - {"dev", "test", *_OF_KEY}:
        raise InputError(
            f"{start} must have dev, and test and {', '.join(_OF_KEY)} if any; it has"
            f" {_some(sorted(keys)) or 'neither'}. Give it paths from where the manifest is."
        )
    values: dict[str, Any] = {}
    for word in keys:
        several = word in ("test", "key_id") and isinstance(table[word], list)
        texts = table[word] if several else [table[word]]
        # A system may have no test.
        if (word != "test" and not texts) or not all(isinstance(x, str) and x for x in texts):
            raise InputError(
                f"{start} must have text in {word}; got {shown(table[word])}. Write"
                f' {word} = "..."' + ", or a list." * (word in ("test", "key_id"))
            )
        if word in ("dev", "test", "key", "test_key"):
            texts = [str(folder / text) for text in texts]
        values[word] = texts if several or word == "test" else texts[0]
    key = tuple((word, values[word]) for word in _OF_KEY if word in values)
    if "key_id" in values and isinstance(values["key_id"], str):
        key = tuple((word, [x] if word == "key_id" else x) for word, x in key)
    return SystemFiles(name, values["dev"], tuple(values.get("test", ())), key)


def refuse_other_numbers(names: Sequence[str], tests: Sequence[ScoreData]) -> None:
    """Paired decisions need one list of trials, with a score or rejected without one."""
    what = "trials" if any(scores.has_rejected for scores in tests) else "scores"
    for who in ("client", "impostor"):
        numbers = [
            int(getattr(scores, f"n_{who}")) + getattr(scores, f"n_{who}_rejected", 0)
            for scores in tests
        ]
        for name, n in zip(names, numbers, strict=True):
            if n != numbers[0]:
                raise InputError(
                    f"all tests must hold the same trials in one order; {names[0]} has"
                    f" {numbers[0]} {who} {what}, {name} {n}. Keep the common trials, or"
                    " pass --unpaired if the systems judged different ones."
                )


def reading_words(read: Iterable[tuple[str, ScoreData | None]]) -> str:
    """How the files of the systems were read, in a line each way; the names where they differ."""
    given = [(name, scores) for name, scores in read if scores is not None]
    ways: dict[str, list[str]] = {}
    for name, scores in given:
        source = scores.source
        if source is not None:
            form = read_as(source.format, source.guessed, source.guesses)
            ways.setdefault(form, []).append(name)
    lines = [
        f"files{f' of {first_names(own)}' * (len(ways) > 1)} read as {form}"
        for form, own in ways.items()
    ]
    lacking = [(name, one) for name, one in given if isinstance(one, Scores) and one.has_rejected]
    if lacking:
        client, impostor = (
            sum(getattr(one, f"n_{who}_rejected") for _, one in lacking)
            for who in ("client", "impostor")
        )
        names = first_names(name for name, _ in lacking)
        lines.append(f"files of {names}: {rejected_words(client, impostor)}")
    return "\n".join(lines)


def _some(texts: Sequence[str]) -> str:
    return first_names([shown(text, 50) for text in texts])


def first_names(names: Iterable[str], most: int = _NAMED) -> str:
    """The first of some names, each once, and how many more there are."""
    texts = [visible(name) for name in dict.fromkeys(names)]
    return ", ".join(texts[:most]) + f" and {len(texts) - most} more" * (len(texts) > most)


# --------------------------------------------------------------------------- their names
def default_names(paths: Sequence[str]) -> list[str]:
    """The shortest parts of paths in which all of them differ.

    a/dev.csv and b/dev.csv are a and b; mlp-dev.csv and svm-dev.csv are mlp and svm.
    """
    if not all(paths):  # refused where they are read
        return list(paths)
    apart = [list(Path(os.path.abspath(path)).parts) for path in paths]
    for parts in apart:
        parts[-1] = Path(parts[-1]).stem or parts[-1]
    depth = max(map(len, apart))
    columns = list(zip(*([""] * (depth - len(p)) + p for p in apart), strict=True))[::-1]
    differing = [column for column in columns if len(set(column)) > 1]
    for column in differing:
        if len(set(column)) == len(column) and all(column):
            return _without_common(column)
    joined = ["/".join(filter(None, row)) for row in zip(*differing[::-1], strict=True)]
    if len(set(joined)) == len(paths) and all(joined):
        return joined
    names = file_names(paths)
    return [names[path] for path in paths]


def _without_common(texts: Sequence[str]) -> list[str]:
    """Without the words that all begin or end with."""
    words = [re.split(r"([-_. ])", text) for text in texts]
    shortest = min(map(len, words))
    start = next((k for k in range(shortest) if len({w[k] for w in words}) > 1), shortest)
    end = next((k for k in range(shortest) if len({w[-1 - k] for w in words}) > 1), shortest)
    kept = ["".join(w[start : len(w) - end]).strip("-_. ") for w in words]
    return kept if all(kept) and len(set(kept)) == len(kept) else list(texts)
