"""What can be counted of tables larger than memory, in one pass over chunks of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from greedag.data.names import checked_names
from greedag.data.rows import MissingName, SelectedRows
from greedag.errors import DataTypeError, OptionError, quoted

if TYPE_CHECKING:
    from greedag._progress import RowsCallback
    from greedag.io.chunks import Opened
    from greedag.io.tables import Paths

Own = TypeVar("Own", bound="CountedInChunks")


class CountedInChunks:
    """Statistics that merge by ``+``, so that chunks of rows can be counted one by one.

    Attributes
    ----------
    holds : str
        What every column of text is read as.
    missing_in_chunks : tuple of str
        What can be done about missing values in one pass, and why nothing else.
    """

    __slots__ = ()
    holds: ClassVar[Literal["numbers", "levels"]]
    missing_in_chunks: ClassVar[tuple[str, ...]]
    missing_why: ClassVar[str]

    @classmethod
    @abstractmethod
    def _of_rows(cls: type[Own], rows: SelectedRows) -> Own:
        """Count selected rows."""

    @classmethod
    def from_file(
        cls: type[Own],
        path: Paths,
        *,
        columns: Sequence[str] | None = None,
        weights: str | None = None,
        missing: MissingName = "error",
        progress: bool | RowsCallback | None = None,
    ) -> Own:
        """Count files in one pass, in memory that does not grow with them.

        That for levels grows with the distinct rows.

        Parameters
        ----------
        path : path-like or sequence of them
            Parquet, CSV, TSV or JSON lines, .npy or .npz, recognised by their endings; ``*``, ``?``
            and ``[…]`` match any, as in ``"data/*.parquet"``. All have the same columns, in any
            order. In text every level is text.
        columns : sequence of str, optional
            Which to read; all if left out.
        weights : str, optional
            A column that says how many rows each row stands for.
        missing : str
            ``"error"``; ``"drop"`` leaves out rows with a missing value; for levels also
            ``"test-wise"``. In text an empty field, ``NA``, ``N/A``, ``NaN``, ``null`` and
            ``#N/A``, in any case, stand for a missing value.
        progress : bool or callable, optional
            True shows a line on stderr. A function is called after each chunk with a
            :class:`greedag.RowsRead`; what it raises ends the counting.

        Raises
        ------
        FileError
            If a file is missing, damaged or of an unknown kind.
        DataError
            If columns are not there, differ between files, or hold something else.
        MissingExtraError
            Without the packages of the extra ``io``.
        """
        from greedag.io.tables import ColumnSelection, ReadOptions, open_files

        cls._check_streamed(weights, missing)
        if isinstance(columns, str) or (columns is not None and not len(columns)):
            raise OptionError(f"columns must be a list of names; got {quoted(columns)}")
        selection = ColumnSelection(keep=checked_names(columns or ()))
        options = ReadOptions(
            columns=selection, usual=cls.holds, weights=weights, allow_missing=True
        )
        return cls._in_chunks(open_files(path, options), weights, missing, progress)

    @classmethod
    def from_sql(
        cls: type[Own],
        query: Any,
        connection: Any = None,
        *,
        weights: str | None = None,
        missing: MissingName = "error",
        progress: bool | RowsCallback | None = None,
    ) -> Own:
        """Count what DuckDB answers, in one pass.

        Parameters
        ----------
        query : str or duckdb.DuckDBPyRelation
            A query, run as it is: never build it from text that you do not trust. Or a relation.
        connection : duckdb.DuckDBPyConnection, optional
            Where to run it; a database of its own, in memory, if left out. Such a query reads
            files by their names, as in ``"SELECT a, b FROM 'data/*.parquet' WHERE a > 0"``.
        weights, missing, progress
            As in :meth:`from_file`.

        Raises
        ------
        DataError
            If the query fails, or answers with something else.
        MissingExtraError
            Without the packages of the extra ``io``.
        """
        from greedag.io.sql import open_query
        from greedag.io.tables import ReadOptions

        cls._check_streamed(weights, missing)
        options = ReadOptions(usual=cls.holds, weights=weights, allow_missing=True)
        opened = open_query(query, connection, options)
        return cls._in_chunks(opened, weights, missing, progress)

    @classmethod
    def _check_streamed(cls, weights: object, missing: str) -> None:
        if missing not in cls.missing_in_chunks:
            *words, last = (f"'{word}'" for word in cls.missing_in_chunks)
            raise OptionError(
                f"missing must be {', '.join(words)} or {last} ({cls.missing_why}); got "
                f"{quoted(missing)}"
            )
        if weights is not None and not isinstance(weights, str):
            raise DataTypeError(f"weights must be the name of a column; got {quoted(weights)}")

    @classmethod
    def _in_chunks(
        cls: type[Own],
        opened: Opened,
        weights: str | None,
        missing: str,
        progress: bool | RowsCallback | None,
    ) -> Own:
        from greedag.io.chunks import ChunkedSource

        source = ChunkedSource(
            opened,
            weights=weights,
            drop_missing=missing == "drop",
            progress=progress,
            remedies=("drop",),
        )
        return cls._of_rows(SelectedRows(source, missing=missing))
