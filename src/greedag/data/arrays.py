"""From what is no data frame in memory to an array, or to such a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from greedag._progress import within_limit
from greedag.data.names import pandas_index
from greedag.errors import (
    DataError,
    DataTypeError,
    GreedagError,
    listed,
    warn_of_index,
    wrong_dimensions,
)

if TYPE_CHECKING:
    import narwhals as nw


def plain_array(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array, if it has no fields with names of their own."""
    if array.dtype.names is not None:
        raise DataTypeError(
            f"structured arrays are not supported (got the fields {listed(array.dtype.names)})",
            remedy="pass the fields as columns of a data frame or of a plain 2-D array",
            code="structured-array",
        )
    return array


def as_array(data: object) -> NDArray[Any]:
    """Return what an object converts itself to, or say that it is not a table."""
    reason = ""
    # Reading these as arrays would lose their names without a word.
    labelled = any(hasattr(data, label) for label in ("columns", "column_names", "schema"))
    if hasattr(data, "__array__") and not labelled:
        try:
            return np.asarray(data)
        except Exception as error:  # whatever the object's own conversion raises
            reason = f" ({error})"
    raise DataTypeError(
        f"cannot read a table from {type(data).__name__}{reason}",
        remedy="pass a NumPy array, a list of rows, a pandas or polars data frame, an Arrow table "
        "or a DuckDB relation",
        code="no-table",
    )


def stacked_rows(rows: Sequence[Any]) -> NDArray[Any]:
    """Return rows, one below the other, as an array."""
    if not all(hasattr(row, "__len__") and not isinstance(row, (str, bytes, dict)) for row in rows):
        raise wrong_dimensions((len(rows),))
    odd = next((place for place, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if odd is not None:
        raise DataError(
            f"the rows differ in length: row {odd} (counting from 0) has {len(rows[odd])} "
            f"values, row 0 has {len(rows[0])}",
            remedy="pad or drop the short rows",
            code="ragged",
        )
    with suppress(ValueError):
        array = np.array(rows) if rows else np.empty((0, 0))
        if array.dtype.kind in "biufc":
            return array
    # Text beside numbers turns all into text; as objects the culprit can be named.
    return np.array(rows, dtype=object)


def labels_of(data: Any) -> Iterable[object]:
    """Return the names of the columns, none if a lazy table cannot even say them."""
    try:
        labels = getattr(data, "column_names", None)
        return getattr(data, "columns", ()) if labels is None else labels
    except Exception:  # of whatever engine would compute it
        return ()


def without_index(frame: nw.DataFrame[Any], table: Any) -> nw.DataFrame[Any]:
    """Leave out the index of the pandas frame that an Arrow table was made of."""
    index = pandas_index(table.schema)
    if not index:
        return frame
    warn_of_index(index, "the Arrow table", "pass table.replace_schema_metadata()")
    return frame.drop(index)


def collected(frame: nw.LazyFrame[Any]) -> nw.DataFrame[Any]:
    """Compute a lazy table."""
    try:
        return within_limit("computing the lazy table", frame.collect)
    except GreedagError:
        raise
    except Exception as error:  # of whatever engine runs the query
        raise DataError(f"the lazy table could not be computed: {error}") from error
