"""From a table with holes to moments, by EM: what can be estimated, and what to note."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from greedag.data.missing import Mask, missing_cells
from greedag.data.names import names_of
from greedag.data.rows import Counted, check_some, has_cells, names_in
from greedag.data.table import Floats, read_column, read_table
from greedag.errors import DataError, GreedagWarning, check_size, listed, option, warn
from greedag.statistics.em import TOLERANCE, Estimate, Singular, estimate, together
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    import narwhals as nw

_LEAST_ROWS = 2


def estimated(
    source: NDArray[Any] | nw.DataFrame[Any], weights: Floats | None, names: Sequence[str] | None
) -> Counted:
    """Estimate the moments of an opened table; see :func:`greedag.learn`."""
    cells = missing_cells(source) if has_cells(source) else None
    if cells is None or not cells.any():
        table = read_table(source)
        return Counted(Moments._of_table(table, names, weights), table.named)
    own = names_in(source)
    labels = own if names is None else names_of(names, len(own))
    check_some(cells, labels)
    _check_pairs(cells, labels)
    columns = [read_column(source, j, cells[:, j], name) for j, name in enumerate(labels)]
    units = np.zeros(cells.shape, order="F")
    for j, column in enumerate(columns):
        present = np.empty((column.n, 1))
        column.write_units(0, column.n, present)
        units[~cells[:, j], j] = present[:, 0]
    found = _estimate(units, cells, weights, labels)
    low = np.concatenate([column.low for column in columns])
    exponent = np.concatenate([column.exponent for column in columns])
    moments = Moments._of_units(found.n, labels, low, found.mean, found.covariance, exponent)
    named = not isinstance(source, np.ndarray) and all(isinstance(c, str) for c in source.columns)
    return Counted(moments, named, tuple(_notes(found, cells)))


def _estimate(
    units: Floats, cells: Mask, weights: Floats | None, names: tuple[str, ...]
) -> Estimate:
    constant = [name for j, name in enumerate(names) if not units[:, j].any()]
    if constant:
        raise DataError(
            f"constant column(s) {listed(constant)}: every value is the same, so that nothing can "
            "depend on it; drop these columns"
        )
    try:
        return estimate(units, cells, weights)
    except Singular as found:
        raise DataError(
            f"columns {listed([names[j] for j in found.args[0]])} determine each other, or there "
            "are too few rows, so that EM cannot tell what is missing",
            remedy=("drop one of these columns, or pass ", option("missing", "drop")),
            code="collinear",
            columns=[names[j] for j in found.args[0]],
        ) from None


def _check_pairs(cells: Mask, names: tuple[str, ...]) -> None:
    """Raise if two columns have no row in common: nothing tells how they vary together."""
    check_size(*cells.shape, least_n=_LEAST_ROWS, least_d=1)
    counts = together(~cells, None)
    if counts.min() == 0.0:
        i, j = np.argwhere(counts == 0.0)[0]
        raise DataError(
            f"columns {listed([names[i], names[j]])} have no row with both values, so that their "
            "covariance cannot be estimated; drop one of them"
        )


def _notes(found: Estimate, cells: Mask) -> list[str]:
    share = 100.0 * np.count_nonzero(cells) / cells.size
    notes = [
        f"{np.count_nonzero(cells)} of {cells.size} values ({share:.3g} %) are missing: moments "
        f"by EM in {found.iterations} iterations, scored as {found.n:.10g} of {len(cells)} rows, "
        "the mean number of rows that have both of two columns"
    ]
    if not found.has_converged:
        note = (
            f"EM did not settle in {found.iterations} iterations (last change {found.change:.3g}, "
            f"the limit is {TOLERANCE:g}): too much is missing; drop the emptiest columns"
        )
        warn(GreedagWarning(note))
        notes.append(note)
    return notes
