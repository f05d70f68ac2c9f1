"""Tables in files of every format: which files, which columns, and what these are read as.

Python and the command line read files through `open_files` alone. A format is a class with the
names of a file's columns, what each holds, the number of rows if the file says so, and its rows
as Arrow tables.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from greedag.data.cleaning import weights_dropped
from greedag.data.kinds import Kinds
from greedag.data.names import UNNAMED, checked_names
from greedag.errors import (
    DataError,
    FileError,
    GreedagError,
    Note,
    Spelled,
    columns_listed,
    note_index,
    one_line,
    quoted,
    quoted_path,
    require,
    unknown_column,
    warn_of_index,
)
from greedag.io.arrays import ArrayTable, is_greedag_archive
from greedag.io.cells import ColumnPlan, Role
from greedag.io.chunks import Chunk
from greedag.io.json_lines import JsonLinesTable
from greedag.io.parquet import ParquetTable
from greedag.io.text import PACKED, CsvTable, not_utf8

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

FORMATS = ("csv", "tsv", "parquet", "jsonl", "npy", "npz", "moments", "covariance")
SAVED_MOMENTS = ("moments", "covariance")
DELIMITERS = {"csv": ",", "tsv": "\t"}
SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".npy": "npy",
    ".npz": "npz",
}
# How Tetrad's covariance matrices start: no table starts with one number, or with this word.
_NOTHING_OR_COMMENTS = rb"(?:[ \t\r]*(?://[^\n]*)?\n)*[ \t]*"
_COVARIANCES = re.compile(
    rb"(?:\xef\xbb\xbf)?%b(?:/cov|/corr|\d+[ \t\r]*\n%b[^\n]*[A-Za-z_])"
    % (_NOTHING_OR_COMMENTS, _NOTHING_OR_COMMENTS),
    re.IGNORECASE,
)
_CHUNK_VALUES = 2**21
_LEAST_CHUNK_ROWS = 1024
_HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class ColumnSelection:
    """Columns to keep, all if there are none, and columns to leave out."""

    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def chosen(self, names: Sequence[str]) -> list[str]:
        """Return the chosen ones among `names`, in the order that was asked for.

        Raises
        ------
        DataError
            If there is no such column, or none is left.
        """
        for name in (*self.keep, *self.drop):
            if name not in names:
                raise unknown_column(name, names)
        chosen = [name for name in (self.keep or names) if name not in self.drop]
        if names and not chosen:
            raise DataError("no column is left; drop fewer of them")
        return chosen

    def with_weights(self, name: str | None) -> ColumnSelection:
        """Return the selection with a column of weights among those to keep.

        Raises
        ------
        OptionError
            If it is among those to leave out.
        """
        if name is not None and name in self.drop:
            raise weights_dropped(name)
        if name is None or not self.keep or name in self.keep:
            return self
        return replace(self, keep=(*self.keep, name))


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What a caller says about a table before it is read.

    Attributes
    ----------
    format : str, optional
        One of `FORMATS`; left out, the suffix of each file tells.
    columns : ColumnSelection
        Which columns to read.
    usual : str
        What columns are read as of which nothing is said: ``"numbers"``, ``"levels"``, or
        ``"open"`` for what their type or their first value says.
    kinds : mapping of str to str, or str, optional
        What the caller says of columns.
    weights : str, optional
        A column of weights, which are always numbers.
    interventions : str, optional
        A column that names the targets of each row: levels, which may be missing.
    allow_missing : bool
        Whether missing values in text are left to whoever reads the chunks.
    may_estimate : bool
        Whether EM may be recommended where values are missing.
    na : frozenset of str
        Words that stand for missing values among the numbers of text; they are read as NaN.
    """

    format: str | None = None
    columns: ColumnSelection = ColumnSelection()
    usual: Role = "numbers"
    kinds: Kinds | None = None
    weights: str | None = None
    interventions: str | None = None
    allow_missing: bool = False
    may_estimate: bool = True
    na: frozenset[str] = frozenset()

    def role(self, name: str) -> Role:
        """Return what a column is read as."""
        if name in (self.weights, self.interventions):
            return "numbers" if name == self.weights else "levels"
        kind = self.kinds if isinstance(self.kinds, str) else (self.kinds or {}).get(name)
        if kind is None:
            return self.usual
        return "levels" if kind == "discrete" else "numbers"

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise if something is said about a column that is not there."""
        told = () if isinstance(self.kinds, str) else self.kinds or ()
        for name in (self.weights, self.interventions, *told):
            if name is not None and name not in names:
                raise unknown_column(name, names)


class FileTable(Protocol):
    """A table in one file.

    Attributes
    ----------
    path : str
    names : tuple of str
        All columns, in order.
    index : tuple of str
        Those that hold the index of a pandas frame.
    total : int or None
        The number of rows, if the file says it.
    has_types : bool
        Whether the file says of which type its columns are; text does not.
    """

    path: str
    names: tuple[str, ...]
    index: tuple[str, ...]
    total: int | None
    has_types: bool

    def roles(self, names: Sequence[str], *, look_on: bool) -> dict[str, Role]:
        """Return what columns hold, without those of text that have no value.

        Unless it may `look_on`, only the first row of text says so.
        """

    def chunks(self, plans: Mapping[str, ColumnPlan], rows: int) -> Iterator[Any]:
        """Give Arrow tables of these columns, each of about so many rows."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenedFiles:
    """A table whose rows are spread over files; `names` are the columns that are read."""

    files: tuple[FileTable, ...]
    plans: Mapping[str, ColumnPlan]
    has_levels: bool
    """Whether a column that is open holds levels in some file."""
    notes: tuple[Note, ...] = ()

    @property
    def names(self) -> list[str]:
        """The columns that are read."""
        return list(self.plans)

    @property
    def open_names(self) -> list[str]:
        """Those of which nobody said what they hold."""
        return [name for name, plan in self.plans.items() if plan.is_open]

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns of the files that are not read, beside the index of a pandas frame."""
        first = self.files[0]
        return tuple(n for n in first.names if n not in self.plans and n not in first.index)

    @property
    def has_types(self) -> bool:
        """Whether all files say of which type their columns are."""
        return all(file.has_types for file in self.files)

    @property
    def where(self) -> str:
        """The files, as messages name them."""
        first, *others = (quoted_path(file.path) for file in self.files)
        return f"{first} and {len(others)} more" if others else first

    @property
    def is_columnar(self) -> bool:
        """Whether all files hold one column after the other."""
        return all(isinstance(file, ParquetTable) for file in self.files)

    @property
    def total(self) -> int | None:
        """The number of rows, if all files say it."""
        totals = [file.total for file in self.files]
        return None if None in totals else sum(total or 0 for total in totals)

    def chunks(self) -> Iterator[Chunk]:
        """Give the rows, some two million values at a time."""
        rows = max(_LEAST_CHUNK_ROWS, _CHUNK_VALUES // max(len(self.plans), 1))
        for file in self.files:
            first = 0
            with reading(file.path):
                for table in file.chunks(self.plans, rows):
                    yield Chunk(table, quoted_path(file.path), first, file.has_types)
                    first += table.num_rows


def open_files(paths: Paths, options: ReadOptions) -> OpenedFiles:
    """Open files that are parts of one table.

    Raises
    ------
    FileError
        If one is missing, a folder, of an unknown kind or damaged.
    DataError
        If columns are not there, or differ between the files.
    """
    require("pyarrow", "io")
    selection = options.columns.with_weights(options.weights)
    if options.interventions is not None and selection.keep:
        keep = dict.fromkeys((*selection.keep, options.interventions))
        selection = replace(selection, keep=tuple(keep))
    options = replace(options, columns=selection)
    files = tuple(_opened(path, options) for path in files_of(paths))
    first = files[0]
    with reading(first.path):
        names, notes = _names(first, options.columns)
        options.check_columns(names)
    for file in files:
        _check_columns(file, names, first=first, selection=options.columns)
    open_names = [name for name in names if options.role(name) == "open"]
    of_types, of_values = _roles(
        files, open_names, look_on=options.allow_missing or bool(options.na)
    )
    has_levels = "levels" in (*of_types.values(), *of_values.values())
    return OpenedFiles(files, _plans(names, options, of_values, has_levels), has_levels, notes)


def files_of(paths: Paths) -> list[str]:
    """Return the files that are meant, in order of their names where they were matched.

    Raises
    ------
    FileError
        If one is missing or a folder.
    """
    try:
        given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    except TypeError as error:
        raise _not_a_name(paths) from error
    found = [file for path in given for file in _matched(path)]
    if not found:
        raise FileError("no files were given; pass the name of a file, a pattern or a list")
    return found


def format_of(path: str, given: str | None = None) -> str:
    """Return the format of a file: as given, by its suffix, or by its content if that is ours.

    Raises
    ------
    FileError
        If none of these tells.
    """
    stem, suffix = os.path.splitext(path.lower())
    if suffix in PACKED:
        inner = os.path.splitext(stem)[1]
        suffix = inner if SUFFIXES.get(inner) in (*DELIMITERS, "jsonl") else inner + suffix
    found = given or SUFFIXES.get(suffix)
    if found in (None, "npz") and is_greedag_archive(path):
        return "moments"
    if given is None and found in DELIMITERS and _holds_covariances(path):
        return "covariance"
    if found is None:
        raise FileError(
            f"{quoted_path(path)} has an unknown format, judging by its suffix {quoted(suffix)}",
            remedy=Spelled(
                "name Parquet files .parquet, tables of text .csv or .tsv",
                f"specify it with --format, one of {', '.join(FORMATS)}",
            ),
        )
    return found


def _holds_covariances(path: str) -> bool:
    if not os.path.isfile(path):  # a pipe can be read only once
        return False
    with reading(path), open(path, "rb") as file:
        return _COVARIANCES.match(file.read(_HEAD_BYTES)) is not None


def _opened(path: str, options: ReadOptions) -> FileTable:
    found = format_of(path, options.format)
    with reading(path):
        if found in DELIMITERS:
            return CsvTable(path, DELIMITERS[found], options.na)
        if found == "jsonl":
            return JsonLinesTable(path, same_keys=not options.columns.keep, na=options.na)
        if found == "parquet":
            return ParquetTable(path)
        if found in ("npy", "npz"):
            return ArrayTable(path, found)
    reader = "from_tetrad" if found == "covariance" else "load"
    raise FileError(
        f"{quoted_path(path)} holds moments, not rows, which weights, missing values and scores "
        "of levels need",
        remedy=Spelled(f"give the table itself, or use Moments.{reader}", "give the table itself"),
    )


def _names(first: FileTable, selection: ColumnSelection) -> tuple[list[str], tuple[Note, ...]]:
    """Return the columns to read, not the index of a frame unless it is named, and what to note."""
    if first.index and first.index[0] in UNNAMED:
        # As pandas calls a column without a name.
        drop = (first.index[0] if name in UNNAMED else name for name in selection.drop)
        selection = replace(selection, drop=tuple(drop))
    index = [] if selection.keep else [n for n in first.index if n not in selection.drop]
    notes: tuple[Note, ...] = ()
    if index:
        how = ("name all columns ", Spelled("with columns=[…]", "with --columns"))
        shown = quoted_path(first.path)
        if index[0] not in UNNAMED:
            warn_of_index(index, shown, *how)
        elif index[0]:
            notes = (note_index(index[0], shown, ", or ", *how),)
        else:
            notes = (note_index(index[0], shown),)
    names = selection.chosen([name for name in first.names if name not in index])
    # Those of text have been checked, with the line where they stand.
    if first.has_types and not selection.keep:
        checked_names(names)
    return names, notes


def _check_columns(
    file: FileTable, names: Sequence[str], *, first: FileTable, selection: ColumnSelection
) -> None:
    """Raise unless a file has the columns of the first, in any order, and no others."""
    shown, counts = quoted_path(file.path), Counter(file.names)
    remedy = ("read only the shared columns ", Spelled("with columns=[…]", "with --columns"))
    twice = next((name for name in names if counts[name] > 1), None)
    if twice is not None:
        raise DataError(f"several columns of {shown} are called {quoted(twice)}; rename them")
    lacking = [name for name in names if name not in counts]
    if lacking:
        raise DataError(
            f"{shown} lacks {columns_listed(lacking)} that {quoted_path(first.path)} has",
            remedy=remedy,
        )
    known = {*names, *selection.drop, *file.index}
    more = [] if selection.keep else [name for name in file.names if name not in known]
    if more:
        raise DataError(
            f"{shown} has {columns_listed(more)} that {quoted_path(first.path)} lacks",
            remedy=remedy,
        )


def _roles(
    files: Sequence[FileTable], names: Sequence[str], *, look_on: bool
) -> tuple[dict[str, Role], dict[str, Role]]:
    """Return what open columns hold by their types, and by the first values of text."""
    of_types: dict[str, Role] = {}
    of_values: dict[str, Role] = {}
    for file in files:
        found = of_types if file.has_types else of_values
        left = [name for name in names if name not in found]
        if left:
            with reading(file.path):
                found.update(file.roles(left, look_on=look_on))
    return of_types, of_values


def _plans(
    names: Sequence[str], options: ReadOptions, of_values: Mapping[str, Role], has_levels: bool
) -> dict[str, ColumnPlan]:
    said = {name: options.role(name) for name in names}
    among_numbers = options.may_estimate and not has_levels and "levels" not in said.values()
    return {
        name: ColumnPlan(
            name,
            role=of_values.get(name, "numbers") if role == "open" else role,
            is_open=role == "open",
            is_weights=name == options.weights,
            allow_missing=name == options.interventions
            or (options.allow_missing and name != options.weights),
            na=frozenset() if name in (options.weights, options.interventions) else options.na,
            among_numbers=among_numbers,
        )
        for name, role in said.items()
    }


def _matched(path: str | os.PathLike[str]) -> list[str]:
    """Return the file of this name, or those that a pattern matches."""
    try:
        text = os.fspath(path)
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise _not_a_name(path)
    if os.path.isdir(text):
        raise FileError(
            f"{quoted_path(text)} is a folder; name its files, for example "
            f"{os.path.join(text, '*.parquet')!r}"
        )
    # A file whose own name holds * or [ is meant by that name.
    if os.path.exists(text):
        return [text]
    matched = sorted(glob.glob(text, recursive=True))
    if not matched:
        what = "no file matches" if glob.has_magic(text) else "there is no file"
        raise FileError(f"{what} {quoted_path(text)}; check the path")
    return matched


def _not_a_name(path: object) -> FileError:
    return FileError(
        f"{quoted_path(path)} is not the name of a file",
        remedy=Spelled("pass a str or a Path", "check the name"),
    )


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Let whatever goes wrong while a file is read name the file."""
    arrow = require("pyarrow", "io")
    try:
        yield
    except FileError:
        raise
    except DataError as error:
        raise error.within(f"{quoted_path(path)}: ") from error
    except GreedagError:
        raise
    except UnicodeDecodeError as error:
        raise not_utf8(path, error.reason) from error
    except (OSError, EOFError, arrow.ArrowException) as error:
        reason = getattr(error, "strerror", None) or one_line(error)
        raise FileError(
            f"{quoted_path(path)} cannot be read ({reason}); check it, or write it again"
        ) from error
