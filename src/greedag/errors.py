"""What can go wrong, and how it is said.

Every message names what is wrong, where (column, value, row, count) and what to do.
"""

from __future__ import annotations

import difflib
import importlib
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Refused = TypeVar("Refused", bound="DataError")

_SHOWN_CHARACTERS = 48
_SHOWN_NAMES = 6
# Comparing names takes time that grows with the square of their length.
_COMPARED_CHARACTERS = 100
_PACKAGE = os.path.join(os.path.dirname(__file__), "")


class GreedagError(Exception):
    """Base of the errors that greedag raises on purpose."""


class DataError(GreedagError, ValueError):
    """The data cannot be used as they are."""

    # What the message says before and after the row, for those who know it by another number.
    _at: tuple[str, int, str] | None = None


class DataTypeError(DataError, TypeError):
    """The data are of a kind that cannot be read as real numbers."""


class CollinearError(DataError):
    """Some columns determine each other exactly.

    Attributes
    ----------
    columns : tuple of str
        One minimal dependent set: every column in it is an exact linear combination of the
        others, and no smaller part of the set is dependent. Where levels are part of such a set,
        the columns that they belong to.
    """

    # The default lets pickle rebuild the error from its message alone, then restore `columns`.
    def __init__(self, message: str, columns: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


class GreedagWarning(UserWarning):
    """Something about the data that only their owner can decide."""


class OptionError(GreedagError, ValueError):
    """An option has a value that makes no sense."""


class ScoreError(GreedagError, ValueError):
    """A score of the user's own is no score."""


class FileError(GreedagError, OSError):
    """A file cannot be read or written, or does not hold what was expected."""


class MissingExtraError(GreedagError, ImportError):
    """An optional package is needed and not installed."""


class SearchInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a search early.

    It is a `KeyboardInterrupt`, so that ``except Exception`` does not swallow it.

    Attributes
    ----------
    result : object
        The best result found until then.
    """

    def __init__(self, message: str, result: object = None) -> None:
        super().__init__(message)
        self.result = result


def warn(message: str) -> None:
    """Warn about data, at the line outside the package that led here."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level += 1
        frame = frame.f_back
    warnings.warn(message, GreedagWarning, stacklevel=level)


def warn_of_index(columns: Sequence[str], table: str, remedy: str) -> None:
    """Warn that columns of a table are left out because pandas calls them an index."""
    warn(
        f"column(s) {listed(columns)} of {table} are the index of a pandas frame, and are left "
        f"out; to learn from them too, {remedy}"
    )


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module, or say which extra brings it.

    Parameters
    ----------
    module : str
        Name of the module, such as ``"click"``.
    extra : str
        The extra of greedag that installs it, such as ``"cli"``.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    MissingExtraError
        If the module cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"this needs the package {module!r}, which cannot be imported ({error}); "
            f'install it with: pip install "greedag[{extra}]"'
        ) from error


def quoted(name: object, *, most: int = _SHOWN_CHARACTERS) -> str:
    """Return a name as shown in a message: quoted, control characters escaped, shortened."""
    text = str(name)
    if len(text) > most:
        text = text[: most - 1] + "…"
    return repr(text)


def quoted_path(path: object) -> str:
    """Return the name of a file as shown in a message: long enough to find it."""
    return quoted(path, most=1000)


def one_line(error: object, *, most: int = 300) -> str:
    """Return the message of another library as shown in ours: on one line, not too long."""
    text = " ".join(str(error).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def listed(names: Sequence[object]) -> str:
    """Return several names as shown in a message: ``'a', 'b' and 'c'``, long lists shortened."""
    shown = [quoted(name) for name in names[:_SHOWN_NAMES]]
    if len(names) > _SHOWN_NAMES:
        shown.append(f"{len(names) - _SHOWN_NAMES} more")
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def counted_rows(n: float) -> str:
    """Return a number of rows as shown: whole, or weighted rows to ten digits."""
    return str(n) if isinstance(n, int) else f"{n:.10g}"


def unknown_column(name: object, names: Sequence[str]) -> DataError:
    """Return the error for a column that is asked for and not there."""
    short = [other for other in names if len(other) <= _COMPARED_CHARACTERS]
    near = difflib.get_close_matches(str(name)[:_COMPARED_CHARACTERS], short, n=1)
    hint = f" (did you mean {quoted(near[0])}?)" if near else ""
    if not isinstance(name, str) and str(name) in names:
        hint = f" of type {type(name).__name__} (columns are given by their names, as text)"
    return DataError(f"there is no column {quoted(name)}{hint}; the columns are {listed(names)}")


def wrong_dimensions(shape: tuple[int, ...]) -> DataError:
    """Return the error for data that are not rows by columns."""
    return DataError(
        f"expected a 2-D table of rows and columns, got {len(shape)}-D data (shape={shape}). "
        "Reshape your data, such as .reshape(-1, 1) for one column"
    )


def check_size(n: float, d: int, *, least_n: int, least_d: int) -> None:
    """Raise unless there are enough rows and columns."""
    for count, least, what, whats in (
        (d, least_d, "feature(s)", "columns"),
        (n, least_n, "sample(s)", "rows"),
    ):
        if count < least:
            raise DataError(
                f"found a table with {counted_rows(count)} {what} (shape=({counted_rows(n)}, {d})) "
                f"while a minimum of {least} is required. Pass more {whats}"
            )


def beyond_double(name: str) -> DataError:
    """Return the error for a column of numbers too large for doubles."""
    return DataError(
        f"column {quoted(name)} holds values beyond 1.8e308, the range of a double; divide the "
        "column by a constant before passing it"
    )


def at_row(kind: type[Refused], before: str, row: int, after: str) -> Refused:
    """Return an error that names a row, which :func:`renumbered` can put right."""
    error = kind(f"{before}row {row} (counting from 0){after}")
    error._at = (before, row, after)
    return error


def renumbered(error: Refused, rows: NDArray[Any] | Sequence[int]) -> Refused:
    """Return an error about some rows of a table as one about the table.

    Parameters
    ----------
    error : DataError
        Returned as it is, unless it names a row.
    rows : sequence of int
        Where the rows stand in the table.
    """
    if error._at is None:
        return error
    before, row, after = error._at
    return at_row(type(error), before, int(rows[row]), after)


def not_finite(
    name: str,
    value: object,
    *,
    row: int,
    missing: Mapping[str, int],
    infinite: Mapping[str, int],
    ways: Sequence[str],
) -> DataError:
    """Return the error for columns with missing or infinite values, counted by column.

    The `ways` are those of ``missing=`` that the caller may take.
    """
    counts = {key: missing.get(key, 0) + infinite.get(key, 0) for key in {**missing, **infinite}}
    remedy = _ways(ways) if missing else "missing= does not help: infinite values are not missing"
    if missing and infinite:
        remedy += f"; values that are infinite, in {counted(infinite)}, are not missing"
    return at_row(
        DataError,
        f"column {quoted(name)} holds {counts[name]} value(s) that are missing or not finite "
        "(None, masked, NaN or inf), the first in ",
        row,
        f": {quoted(value)}; {_others(counts)}drop these rows or impute the values first"
        f"{remedy and '; '}{remedy}",
    )


def missing_level(row: int, counts: Mapping[str, int], ways: Sequence[str]) -> DataError:
    """Return the error for discrete columns with missing values, counted by column.

    The row is the first in the first of these columns.
    """
    name = next(iter(counts))
    return at_row(
        DataError,
        f"column {quoted(name)} holds {counts[name]} missing value(s), the first in ",
        row,
        f"; {_others(counts)}drop these rows, or give the missing a level of their own; "
        f"{_ways(ways)}",
    )


def _ways(ways: Sequence[str]) -> str:
    return ", ".join(f"missing='{way}' {_WAYS[way]}" for way in ways)


def counted(counts: Mapping[str, int]) -> str:
    """Return names with counts as shown in a message: ``'a' (3) and 'b' (1)``."""
    shown = [f"{quoted(name)} ({count})" for name, count in [*counts.items()][:_SHOWN_NAMES]]
    if len(counts) > _SHOWN_NAMES:
        shown.append(f"{len(counts) - _SHOWN_NAMES} more")
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]


def _others(counts: Mapping[str, int]) -> str:
    if len(counts) < 2:
        return ""
    return f"{len(counts)} columns hold such values: {counted(counts)}; "


def not_a_number(name: str, value: object, *, row: int) -> DataTypeError:
    """Return the error for a column of objects, one of which is no real number."""
    kind = type(value).__name__
    remedy = "convert the column to float" if kind == "Decimal" else _ENCODE
    return at_row(
        DataTypeError,
        f"column {quoted(name)}, ",
        row,
        f" holds {quoted(value)} of type {kind}: the data argument must be free of string and "
        f"other objects, every value a real number; {remedy}",
    )


def unreadable(names: Sequence[str], dtype: object) -> DataTypeError:
    """Return the error for columns of a type that holds no real numbers."""
    text = str(dtype).lower()
    remedies = (remedy for kinds, remedy in _REMEDIES if any(kind in text for kind in kinds))
    where = f"column {quoted(names[0])} is" if len(names) == 1 else f"columns {listed(names)} are"
    return DataTypeError(
        f"{where} of type {quoted(dtype)}, not real numbers; {next(remedies, _ENCODE)}"
    )


def different_columns(
    one: Sequence[str], other: Sequence[str], *, what: str = "tables"
) -> DataError:
    """Return the error for tables, or what was counted of them, of unequal columns or order."""
    unshared = sorted(set(one) ^ set(other), key=[*one, *other].index)
    difference = f"only one of the two has {listed(unshared)}"
    if not unshared:
        j = next(j for j, name in enumerate(one) if name != other[j])
        difference = f"column {j} is {quoted(one[j])} in one and {quoted(other[j])} in the other"
    return DataError(
        f"{what} of different columns cannot be merged: {difference}; count the same columns "
        "in the same order"
    )


_WAYS = {
    "drop": "leaves out rows with missing values",
    "em": "estimates moments from what is there",
    "test-wise": "counts each gain on the rows that have all of its columns",
}
_ENCODE = "encode the values as numbers or drop the column"
_REMEDIES = (
    (("complex",), "Complex data not supported: pass real and imaginary parts as two columns"),
    (("sparse",), "sparse columns are not supported: make them dense with .sparse.to_dense()"),
    (("decimal", "int128"), "convert the column to float first"),
    (("date", "time", "duration", "period"), "turn it into numbers, such as days since a start"),
    (("categor", "enum"), "encode the levels as numbers, such as 0/1 columns, or drop the column"),
)
