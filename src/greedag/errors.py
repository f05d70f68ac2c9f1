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
from dataclasses import dataclass
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Said = TypeVar("Said", bound="Message")

_SHOWN_CHARACTERS = 48
_SHOWN_NAMES = 6
_MOST_NAMES = 100
# Comparing names takes time that grows with the square of their length.
_COMPARED_CHARACTERS = 100
# Options of the command line that are not called as the argument of Python is.
_FLAGS = {"sample_weight": "weights", "n_jobs": "jobs", "as_dag": "dag"}
_PACKAGE = os.path.join(os.path.dirname(__file__), "")


@dataclass(frozen=True, slots=True)
class Spelled:
    """What is spelled one way in Python and another way on the command line."""

    python: str
    command: str


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table, by its place."""

    place: int


Part = str | Spelled | Row
Text = Part | tuple[Part, ...]


def argument(name: str) -> Spelled:
    """Name an argument of Python, or the option that stands for it on the command line."""
    return Spelled(name, "--" + _FLAGS.get(name, name.replace("_", "-")))


def option(name: str, value: str) -> Spelled:
    """Name an argument with its value, as it would be typed."""
    flag = argument(name).command
    return Spelled(f"{name}={value!r}", f"{flag} {value}")


def only_python(text: str) -> Spelled:
    """Return words that only a caller from Python can follow."""
    return Spelled(text, "")


def shown(text: Text, *, command: bool = False) -> str:
    """Put a text together, for a caller from Python or for the command line."""
    return "".join(_shown(part, command) for part in (text if isinstance(text, tuple) else (text,)))


def _shown(part: Part, command: bool) -> str:
    if isinstance(part, Row):
        return f"row {part.place} (counting from 0)"
    if isinstance(part, Spelled):
        return part.command if command else part.python
    return part


class Message:
    """What errors and warnings say, kept as data until it is shown.

    Attributes
    ----------
    code : str
        What is wrong, in a word or two that stay the same whatever the wording.
    columns : tuple of str
        The columns concerned.
    counts : mapping of str to int
        How many values are concerned, by column.
    problem, remedy : tuple
        What is wrong, and what to do: words, rows, and arguments with their two spellings.
    """

    def __init__(
        self,
        *problem: Part,
        remedy: Text = (),
        code: str = "",
        columns: Iterable[str] = (),
        counts: Mapping[str, int] | None = None,
    ) -> None:
        self.problem = problem
        self.remedy: tuple[Part, ...] = remedy if isinstance(remedy, tuple) else (remedy,)
        self.code = code
        self.columns = tuple(columns)
        self.counts = dict(counts or {})
        # One argument, because an OSError takes two for a number and a reason.
        super().__init__(self.shown())  # type: ignore[call-arg]

    def __str__(self) -> str:
        return self.shown()

    def shown(self, *, command: bool = False) -> str:
        """Return the message for a caller from Python, or for the command line."""
        rest = shown(self.remedy, command=command)
        return shown(self.problem, command=command) + (f"; {rest}" if rest else "")

    def _again(self: Said, problem: tuple[Part, ...]) -> Said:
        return type(self)(
            *problem,
            remedy=self.remedy,
            code=self.code,
            columns=self.columns,
            counts=self.counts,
        )

    def within(self: Said, *where: Part) -> Said:
        """Return the same message with a place before it."""
        return self._again((*where, *self.problem))

    def renumbered(self: Said, rows: NDArray[Any] | Sequence[int]) -> Said:
        """Return a message about some rows of a table as one about the table.

        Parameters
        ----------
        rows : sequence of int
            Where these rows stand in the table.
        """
        moved = (Row(int(rows[p.place])) if isinstance(p, Row) else p for p in self.problem)
        return self._again(tuple(moved))


class Note(str):
    """A note on a result: its text, with what it says as data.

    Attributes
    ----------
    code : str
        What is noted, in a word or two that stay the same whatever the wording.
    columns : tuple of str
        The columns concerned.
    counts : mapping of str to number
        What was counted.
    """

    code: str
    columns: tuple[str, ...]
    counts: dict[str, float]

    def __new__(
        cls,
        text: str,
        *,
        code: str = "",
        columns: Iterable[str] = (),
        counts: Mapping[str, float] | None = None,
    ) -> Note:
        if isinstance(text, Note):  # as it is, so that any text can be taken as a note
            return text
        self = super().__new__(cls, text)
        self.code, self.columns, self.counts = code, tuple(columns), dict(counts or {})
        return self


class GreedagError(Message, Exception):
    """Base of the errors that greedag raises on purpose; see :class:`greedag.errors.Message`."""


class DataError(GreedagError, ValueError):
    """The data cannot be used as they are."""


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


class GreedagWarning(Message, UserWarning):
    """Something about the data that only you can decide."""


class OptionError(GreedagError, ValueError):
    """An option has a value that makes no sense."""


class KnowledgeError(GreedagError, ValueError):
    """What is said about the graph contradicts itself, or does not fit the columns.

    Attributes
    ----------
    statements : tuple of greedag.graph.knowledge.Statement
        The statements concerned.
    """

    def __init__(self, *problem: Part, statements: Iterable[object] = (), **said: Any) -> None:
        self.statements = tuple(statements)
        super().__init__(*problem, **said)

    def _again(self, problem: tuple[Part, ...]) -> KnowledgeError:
        again = super()._again(problem)
        again.statements = self.statements
        return again


class ScoreError(GreedagError, ValueError):
    """A custom score returned something that is not a score."""


class FileError(GreedagError, OSError):
    """A file cannot be read or written, or does not hold what was expected."""


class FileDataError(FileError, DataError):
    """A file can be read, and holds data that cannot be used."""


class MissingExtraError(GreedagError, ImportError):
    """An optional package is needed and not installed."""


class TimeLimitError(GreedagError):
    """A time limit ran out before the search began: there is no class to return."""


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


def warn(warning: GreedagWarning) -> None:
    """Warn about data, at the line outside the package that led here."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level += 1
        frame = frame.f_back
    warnings.warn(warning, stacklevel=level)


def warn_of_index(columns: Sequence[str], table: str, *remedy: Part) -> None:
    """Warn that columns of a table are left out because pandas calls them an index."""
    warn(
        GreedagWarning(
            f"left out {columns_listed(columns)} of {table}, the index of a pandas frame",
            remedy=("to include it, ", *remedy),
            code="pandas-index",
            columns=columns,
        )
    )


def note_index(name: str, table: str, *remedy: Part) -> Note:
    """Warn that the first column of a table is left out because it names the rows, and note it."""
    which = quoted(name) if name.strip() else "which has no name"
    said = f"left out the first column of {table}, {which}, because it numbers or names the rows"
    warn(
        GreedagWarning(
            said,
            remedy=("to include it, rename it", *remedy),
            code="index-column",
            columns=[name],
        )
    )
    return Note(f"{said}; to include it, rename it", code="index-column", columns=[name])


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


def listed(names: Sequence[object], most: int = _SHOWN_NAMES) -> str:
    """Return several names as shown in a message: ``'a', 'b' and 'c'``, long lists shortened."""
    shown = [quoted(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]


def all_listed(names: Sequence[object]) -> str:
    """Return names as shown in a message, every one of them but for hundreds."""
    return listed(names, most=_MOST_NAMES)


def columns_listed(names: Sequence[object]) -> str:
    """Return names of columns as words in a message: ``columns 'a' and 'b'``."""
    return f"column{'s' if len(names) > 1 else ''} {listed(names)}"


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
    return DataError(
        f"there is no column {quoted(name)}{hint}; the columns are {listed(names)}",
        code="unknown-column",
    )


def wrong_dimensions(shape: tuple[int, ...]) -> DataError:
    """Return the error for data that are not rows by columns."""
    return DataError(
        f"expected a 2-D table of rows and columns, got {len(shape)}-D data (shape={shape}). "
        "Reshape your data, such as .reshape(-1, 1) for one column"
    )


def check_size(n: float, d: int, *, least_n: int, least_d: int) -> None:
    """Raise unless there are enough rows and columns."""
    if n < least_n or d < least_d:
        raise too_small(n, d, least_n=least_n, least_d=least_d)


def too_small(n: float, d: int, *, least_n: int, least_d: int) -> DataError:
    """Return the error for a table of too few columns or rows."""
    count, least, what, more = (
        (d, least_d, "feature(s)", "columns") if d < least_d else (n, least_n, "sample(s)", "rows")
    )
    return DataError(
        f"found a table with {counted_rows(count)} {what} (shape=({counted_rows(n)}, {d})) "
        f"while a minimum of {least} is required. Pass more {more}",
        code="too-small",
    )


def constant_columns(names: Sequence[str], why: str) -> DataError:
    """Return the error for columns that do not vary."""
    return DataError(
        f"constant {columns_listed(names)}: {why}, so nothing can depend on it",
        remedy="drop such columns",
        code="constant-columns",
        columns=names,
    )


def beyond_double(name: str) -> DataError:
    """Return the error for a column of numbers too large for doubles."""
    return DataError(
        f"column {quoted(name)} holds values beyond 1.8e308, the range of a double; divide the "
        "column by a constant before passing it"
    )


def counted(counts: Mapping[str, int]) -> str:
    """Return names with counts as words in a message: ``'a' (3) and 'b' (1)``."""
    words = [f"{quoted(name)} ({count})" for name, count in [*counts.items()][:_SHOWN_NAMES]]
    if len(counts) > _SHOWN_NAMES:
        words.append(f"{len(counts) - _SHOWN_NAMES} more")
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def not_a_number(name: str, value: object, *, row: int) -> DataTypeError:
    """Return the error for a column of objects, one of which is not a real number."""
    kind = type(value).__name__
    return DataTypeError(
        f"column {quoted(name)}, ",
        Row(row),
        f" holds {quoted(value)} of type {kind}: the data argument must be free of string and "
        "other objects, every value a real number",
        remedy="convert the column to float" if kind == "Decimal" else _ENCODE,
        code="not-a-number",
        columns=(name,),
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


_ENCODE = "encode the values as numbers or drop the column"
_REMEDIES = (
    (("complex",), "Complex data not supported: pass real and imaginary parts as two columns"),
    (("sparse",), "sparse columns are not supported: make them dense with .sparse.to_dense()"),
    (("decimal", "int128"), "convert the column to float first"),
    (
        ("date", "time", "duration", "period"),
        "convert it to numbers, such as days since a start date",
    ),
    (("categor", "enum"), "encode the levels as 0/1 indicator columns, or drop the column"),
)
