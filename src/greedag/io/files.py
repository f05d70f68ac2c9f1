"""Tables in Parquet, CSV and TSV files, a chunk of rows at a time."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

from greedag.data.names import pandas_index
from greedag.errors import (
    DataError,
    FileError,
    Spelled,
    listed,
    one_line,
    quoted,
    quoted_path,
    require,
    unknown_column,
)

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

PARQUET, TEXT = (".parquet", ".pq"), {".csv": ",", ".tsv": "\t"}
COMPRESSED = (".gz", ".bz2", ".zst")
# What stands for a value that is missing in tables of text, in any case.
NOTHING = (
    *("", "na", "n/a", "nan", "null", "-nan", "#na", "#n/a", "#n/a n/a"),
    *("1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"),
)
_DELIMITERS = ",;\t|"
# Read ahead of what is decoded; whole columns of a row group would be read at once without it.
_BUFFER_BYTES = 2**20
# Enough for the names and the first values of very wide tables.
_FIRST_LINES_BYTES = 2**22


def files_of(paths: Paths) -> list[str]:
    """Return the files that are meant, in order of their names where they were matched.

    Raises
    ------
    FileError
        If one is missing, a folder, or of an unknown kind.
    """
    try:
        given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    except TypeError as error:
        raise _not_a_name(paths) from error
    found = [file for path in given for file in files_matched(path)]
    if not found:
        raise FileError("no files were given; pass the name of a file, a pattern or a list")
    for file in found:
        kind_of(file)
    return found


def kind_of(path: str) -> str:
    """Return the ending that says how to read a file."""
    stem, ending = os.path.splitext(path.lower())
    if ending in COMPRESSED:
        ending = os.path.splitext(stem)[1]
        if ending in PARQUET:
            ending = ""
    if ending not in PARQUET and ending not in TEXT:
        raise FileError(
            f"{quoted_path(path)} is of an unknown kind; name Parquet files .parquet, tables of "
            "text .csv or .tsv"
        )
    return ending


def columns_of(path: str) -> list[str]:
    """Return the names of the columns of a file, in order."""
    with _reading(path):
        if kind_of(path) in PARQUET:
            with _parquet(path) as file:
                return list(file.schema_arrow.names)
        names = [name.strip() for name in _header(path)]
    check_header(path, names)
    return names


def index_of(path: str) -> tuple[str, ...]:
    """Return the columns of a file that hold the index of a pandas frame."""
    if kind_of(path) not in PARQUET:
        return ()
    with _reading(path), _parquet(path) as file:
        return pandas_index(file.schema_arrow)


def rows_of(path: str) -> int | None:
    """Return how many rows a file has, if that is written in it."""
    if kind_of(path) not in PARQUET:
        return None
    with _reading(path), _parquet(path) as file:
        return int(file.metadata.num_rows)


def check_columns(path: str, wanted: Sequence[str], *, first: str) -> None:
    """Raise unless a file has the columns; `first` is the file that they are taken from."""
    own = columns_of(path)
    counts = Counter(own)
    twice = next((name for name in wanted if counts[name] > 1), None)
    if twice is not None:
        raise DataError(
            f"several columns of {quoted_path(path)} are called {quoted(twice)}; rename them"
        )
    lacking = [name for name in wanted if name not in counts]
    if lacking and path == first:
        raise unknown_column(lacking[0], own)
    if lacking:
        raise DataError(
            f"{quoted_path(path)} lacks the column(s) {listed(lacking)} that "
            f"{quoted_path(first)} has; read only columns that all files have, by columns=[…]"
        )


def check_same(path: str, wanted: Sequence[str], *, first: str) -> None:
    """Raise unless a file has exactly the columns of the first, in any order."""
    check_columns(path, wanted, first=first)
    known = {*wanted, *index_of(path)}
    more = [name for name in columns_of(path) if name not in known]
    if more:
        raise DataError(
            f"{quoted_path(path)} has the column(s) {listed(more)} that {quoted_path(first)} "
            "lacks; read only columns that all files have, by columns=[…]"
        )


def chunks_of(path: str, columns: Mapping[str, str], rows: int) -> Iterator[Any]:
    """Give the rows of a file as Arrow tables of about so many rows, in the order of `columns`.

    Text is read as the Arrow types that `columns` names; other files know their own.
    """
    arrow = require("pyarrow", "io")
    with _reading(path):
        batches = _parquet_batches if kind_of(path) in PARQUET else _text_batches
        for batch in batches(path, columns, rows):
            for start in range(0, batch.num_rows, rows):
                part = batch.slice(start, rows)
                # Without what pandas has noted: these columns are wanted, be they an index.
                table = arrow.Table.from_batches([part]).replace_schema_metadata()
                yield table.select(list(columns))


def files_matched(path: str | os.PathLike[str]) -> list[str]:
    """Return the file of this name, or those that a pattern matches.

    Raises
    ------
    FileError
        If there is none, or it is a folder.
    """
    try:
        text = os.fspath(path)
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise _not_a_name(path)
    if os.path.isdir(text):
        raise FileError(
            f"{quoted_path(text)} is a folder; name its files, such as by "
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


def _parquet(path: str) -> Any:
    parquet = require("pyarrow.parquet", "io")
    return parquet.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER_BYTES)


def _parquet_batches(path: str, columns: Mapping[str, str], rows: int) -> Iterator[Any]:
    with _parquet(path) as file:
        yield from file.iter_batches(batch_size=rows, columns=list(columns))


def _text_batches(path: str, columns: Mapping[str, str], rows: int) -> Iterator[Any]:
    arrow = require("pyarrow", "io")
    held = {name.strip(): name for name in _header(path)}
    with _open_text(path, {held[name]: alias for name, alias in columns.items()}) as reader:
        for batch in reader:
            yield arrow.RecordBatch.from_arrays(list(map(_cleared, batch)), names=list(columns))


def _header(path: str) -> list[str]:
    """Return the names in a table of text as they are written, with blanks around them."""
    with _open_text(path, None) as reader:
        return list(reader.schema.names)


def _cleared(column: Any) -> Any:
    """Return text without blanks around it, and null where that stands for nothing."""
    arrow, compute = require("pyarrow", "io"), require("pyarrow.compute", "io")
    if not arrow.types.is_string(column.type):
        return column  # in which Arrow has done so
    text = compute.utf8_trim_whitespace(column)
    is_nothing = compute.is_in(compute.utf8_lower(text), value_set=arrow.array(NOTHING))
    return compute.if_else(is_nothing, arrow.scalar(None, text.type), text)


def _open_text(path: str, columns: Mapping[str, str] | None) -> Any:
    """Open a table of text; with columns and their types, whatever its first rows hold."""
    csv, arrow = require("pyarrow.csv", "io"), require("pyarrow", "io")
    convert = csv.ConvertOptions()
    if columns is not None:
        types = {name: arrow.type_for_alias(alias) for name, alias in columns.items()}
        convert = csv.ConvertOptions(
            include_columns=list(columns), column_types=types, null_values=_nothing()
        )
    # One thread, so that errors can say in which row they are.
    return csv.open_csv(
        path,
        read_options=csv.ReadOptions(use_threads=False),
        parse_options=csv.ParseOptions(delimiter=_delimiter(path)),
        convert_options=convert,
    )


def _nothing() -> list[str]:
    """Return what stands for nothing in every case, also after a blank."""
    words = {f"{blank}{word}" for blank in ("", " ") for word in NOTHING}
    cases = (product(*zip(word, word.upper(), strict=True)) for word in words)
    return sorted({"".join(letters) for case in cases for letters in case})


def delimiter_in(lines: Sequence[str], usual: str) -> str:
    """Return what stands between the columns of a text that starts with these lines.

    Of marks of which names and values have as many, that is the first between numbers, or else the
    first, the usual one before others. Failing that, it is the usual one, unless the names have
    none and the values another.
    """
    names, values = ([re.sub('"[^"]*"', "", line) for line in lines] + ["", ""])[:2]
    marks = usual + _DELIMITERS
    alike = [mark for mark in marks if 0 < names.count(mark) == values.count(mark)]
    if alike:
        return next((mark for mark in alike if _is_numeric(values.split(mark))), alike[0])
    others = [mark for mark in marks if mark in names and mark in (values or mark)]
    return usual if usual in names or not others else max(others, key=names.count)


def _is_numeric(fields: Sequence[str]) -> bool:
    """Whether all fields hold numbers, in whatever spelling, or nothing."""
    return all(
        number_in(field) is not None or has_decimal_comma(field) or field.strip().lower() in NOTHING
        for field in fields
    )


def _delimiter(path: str) -> str:
    arrow = require("pyarrow", "io")
    with arrow.input_stream(path, compression="detect") as stream:
        start: str = stream.read(_FIRST_LINES_BYTES).decode("utf-8", "replace")
    return delimiter_in(start.split("\n")[:2], TEXT[kind_of(path)])


def check_header(path: str, names: Sequence[str]) -> None:
    """Raise if the first line of a table of text holds only numbers.

    Raises
    ------
    FileError
        They may be meant as names, such as years; but most such tables have no names.
    """
    if all(number_in(name) is not None for name in names):
        raise FileError(
            f"{quoted_path(path)} has no header: line 1 holds only numbers, {listed(names)}; add a "
            "line of names, or rename columns that are called by numbers, such as 2020 to y2020"
        )


def number_in(text: str) -> float | None:
    """Return the number that a text holds, if there is one."""
    try:
        # float() reads 1_000, which no other program writes as a number.
        return None if "_" in text else float(text)
    except ValueError:
        return None


def has_decimal_comma(text: str) -> bool:
    """Whether a text is a number but for a comma in place of the point."""
    return "," in text and number_in(text.replace(",", ".")) is not None


def not_utf8(path: str, reason: str) -> FileError:
    """Return the error for a table of text in another encoding."""
    return FileError(f"{quoted_path(path)} is not UTF-8 text ({reason}); save it as UTF-8")


@contextmanager
def _reading(path: str) -> Iterator[None]:
    """Turn what Arrow raises about a file into an error that names it."""
    arrow = require("pyarrow", "io")
    try:
        yield
    except arrow.ArrowInvalid as error:
        message = one_line(error)
        if "invalid UTF8" in message:
            raise not_utf8(path, message) from error
        if "conversion error" in message:
            raise DataError(
                f"{quoted_path(path)} holds something else than numbers ({message}); "
                f"{_remedy(message)}"
            ) from error
        raise FileError(
            f"{quoted_path(path)} is damaged or of another kind ({message}); write it again"
        ) from error
    except UnicodeDecodeError as error:
        raise not_utf8(path, error.reason) from error
    except (OSError, arrow.ArrowException) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            f"{quoted_path(path)} cannot be read ({one_line(error)}); check it, or write it again"
        ) from error


def _remedy(message: str) -> str:
    found = re.search("invalid value '(.*?)'", message)
    if found is not None and has_decimal_comma(found[1]):
        return "write decimals with a point"
    return "read only columns of numbers, by columns=[…]"
