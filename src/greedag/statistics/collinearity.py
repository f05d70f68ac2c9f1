"""Columns that say nothing of their own: exact linear combinations of others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import _core
from greedag._progress import LONG, check_time, interruptible
from greedag.data.table import Floats
from greedag.errors import CollinearError, DataError, counted_rows, listed, quoted, too_small
from greedag.statistics.moments import Moments
from greedag.statistics.scatter import strips

# Two rows make every pair of columns collinear.
_LEAST_ROWS, _LEAST_COLUMNS = 3, 2
# Residual variance, as a part of the variance, from which a column counts as determined by
# others; the engine refuses parent sets by the same limit.
_DEPENDENT = _core.ZERO_VARIANCE
_PIVOT_BLOCK = 256
_PANEL = 512
# Cholesky of so many columns takes some hundredths of a second.
_FEW_COLUMNS = 1024
_SHOWN_TERMS = 6
_DOING = "looking for collinear columns"


def check_collinear(moments: Moments, columns: Sequence[str] | None = None) -> Floats:
    """Return the correlations, if every column says something that the others do not.

    With d distinct rows or fewer the columns cannot be independent, and that alone is not an error:
    if the rank is all that these rows allow, only pairs of columns that copy each other are
    reported.

    Parameters
    ----------
    moments : Moments
        At least three rows and two columns.
    columns : sequence of str, optional
        Which column of the table each one stands for, if not for itself, as that of a level does.

    Returns
    -------
    ndarray of shape (d, d)
        ``moments.correlation``, which the check has to compute and a search needs next.

    Raises
    ------
    CollinearError
        If a column is an exact linear combination of others; names one minimal set of them.
    DataError
        If there are too few rows or columns, or a column is constant.

    Notes
    -----
    Cholesky, about d³/3 operations, and with pivots only where the plain one does not settle it.
    Without pivots the verdict would depend on the order of the columns: the last of nearly
    collinear columns may keep much, an earlier one nothing.
    """
    n, d = moments.n, len(moments.names)
    if n < _LEAST_ROWS or d < _LEAST_COLUMNS:
        raise too_small(n, d, least_n=_LEAST_ROWS, least_d=_LEAST_COLUMNS)
    correlation = moments.correlation
    if d <= _FEW_COLUMNS:
        _check(moments, correlation, columns or moments.names)
    else:
        interruptible(_DOING, LONG, _check, moments, correlation, columns or moments.names)
    return correlation


def _too_few_distinct(n: float, distinct: int) -> DataError:
    return DataError(
        f"only {distinct} of {counted_rows(n)} rows are distinct, while a minimum of "
        f"{_LEAST_ROWS} is required",
        remedy="pass more rows",
        code="few-distinct-rows",
        counts={"distinct": distinct},
    )


def _check(moments: Moments, correlation: Floats, columns: Sequence[str]) -> None:
    rank = moments.rank
    if rank is not None and rank + 1 < _LEAST_ROWS:
        raise _too_few_distinct(moments.n, rank + 1)
    if rank is not None or not _surely_independent(correlation):
        dependent = _dependent_columns(moments, correlation)
        if dependent is not None:
            raise _collinear(moments, correlation, dependent, columns)


def _surely_independent(correlation: Floats) -> bool:
    """Whether no eigenvalue is as small as the limit, by Cholesky of ``R - t I``.

    The smallest eigenvalue bounds from below what any column keeps, given any others. If the
    factorization ends, it is exact for a matrix that differs by at most about d (d + 1) u in
    norm, for a diagonal of at most 1 and the roundoff u = eps / 2 (Demmel's bound; Higham,
    Accuracy and Stability of Numerical Algorithms, section 10.1). So t above the limit by twice
    as much is a proof.
    """
    d = len(correlation)
    limit = _DEPENDENT + d * (d + 1) * np.finfo(np.float64).eps
    # In place, since a copy would be as large as the factor.
    np.fill_diagonal(correlation, 1.0 - limit)
    try:
        _factor(correlation)
    except np.linalg.LinAlgError:
        return False
    finally:
        np.fill_diagonal(correlation, 1.0)
    return True


def _factor(matrix: Floats) -> None:
    """Factor a matrix by Cholesky, a run of columns after the other; LinAlgError if that fails."""
    d = len(matrix)
    if d <= _PANEL:
        np.linalg.cholesky(matrix)
        return
    factor = np.empty((d, d))
    for start in range(0, d, _PANEL):
        stop = min(d, start + _PANEL)
        known = factor[start:stop, :start]
        for row in range(start, d, _PANEL):
            check_time(_DOING, start, d, "columns")
            below = slice(row, min(d, row + _PANEL))
            rest = matrix[below, start:stop] - factor[below, :start] @ known.T
            if row == start:
                own = np.linalg.cholesky(rest)
                factor[below, start:stop] = own
            else:
                factor[below, start:stop] = np.linalg.solve(own, rest.T).T


def _dependent_columns(moments: Moments, correlation: Floats) -> NDArray[np.intp] | None:
    """Return a minimal dependent set, None if the rows allow no more and none copies another."""
    most = moments.d if moments.rank is None else moments.rank
    pivots = _independent_columns(correlation, most)
    if len(pivots) == moments.d:
        return None
    if len(pivots) < most:
        return _shortest_relation(correlation, pivots)
    return _copied_pair(correlation)


def _independent_columns(correlation: Floats, most: int) -> NDArray[np.intp]:
    """Return columns on which all others depend, at most `most`, by pivoted Cholesky.

    Pivots are taken in blocks, so that nearly all work is one matrix product a block. A block
    takes the columns of largest residual variance that stay above a hundredth of the largest:
    dividing by a small pivot early would blur the residuals of the rest. What is kept are the
    rows of the factor; residuals are computed from them where they are needed.
    """
    d = len(correlation)
    order, own = np.arange(d), np.ones(d)  # pivots first; residual variances in that order
    factor = np.empty((min(most, d), d))
    done = 0
    while done < len(factor):
        if done:
            check_time(_DOING, done, d, "columns")
        taken = _next_pivots(correlation, factor[:done], order, own)[: len(factor) - done]
        if not taken.size:
            break
        stop = done + taken.size
        _bring_forward(taken, done, factor[:done], order, own)
        rows = correlation[np.ix_(order[done:stop], order[done:])]
        rows -= factor[:done, done:stop].T @ factor[:done, done:]
        block = np.linalg.cholesky(rows[:, : taken.size])
        factor[done:stop, done:] = np.linalg.solve(block, rows)
        rest = factor[done:stop, stop:]
        own[stop:] -= np.einsum("ij,ij->j", rest, rest)
        done = stop
    return order[:done]


def _next_pivots(
    correlation: Floats, factor: Floats, order: NDArray[np.intp], own: Floats
) -> NDArray[np.intp]:
    """Return the places of the next block of pivots, none if all that is left is dependent."""
    done = len(factor)
    # Of columns that keep the same, the first in the table goes first.
    places = done + np.lexsort((order[done:], -own[done:]))[:_PIVOT_BLOCK]
    if not places.size:
        return places
    seen = factor[:, places]
    block = correlation[np.ix_(order[places], order[places])] - seen.T @ seen
    return places[_pivots_of_block(block, max(_DEPENDENT, own[places[0]] / 100.0))]


def _bring_forward(taken: NDArray[np.intp], done: int, *arrays: NDArray[Any]) -> None:
    """Swap the places `taken` with those that follow `done`, along the last axis of each array."""
    front = np.arange(done, done + taken.size)
    to = np.concatenate([front, np.setdiff1d(taken, front)])
    come_from = np.concatenate([taken, np.setdiff1d(front, taken)])
    for array in arrays:
        array[..., to] = array[..., come_from]


def _pivots_of_block(block: Floats, least: float) -> list[int]:
    """Return pivots in order of residual variance, as long as it is above `least`."""
    residual, taken = block.copy(), []
    while (own := residual.diagonal()).max() > least:
        pivot = int(own.argmax())
        column = residual[:, pivot] / math.sqrt(own[pivot])
        residual -= np.outer(column, column)
        residual[pivot] = residual[:, pivot] = 0.0
        taken.append(pivot)
    return taken


def _shortest_relation(correlation: Floats, pivots: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return a minimal dependent set: a column that is not a pivot, and the pivots it needs."""
    rest = np.setdiff1d(np.arange(len(correlation)), pivots)
    among = correlation[np.ix_(pivots, pivots)]
    needed = np.linalg.solve(among, correlation[np.ix_(pivots, rest)]) ** 2 > _DEPENDENT
    shortest = int(np.argmin(needed.sum(axis=0)))
    column = int(rest[shortest])
    members = _needed(correlation, column, pivots[needed[:, shortest]])
    return np.sort(np.append(members, column))


def _needed(correlation: Floats, column: int, members: NDArray[np.intp]) -> NDArray[np.intp]:
    """Drop the members without which the others still determine the column."""
    while True:
        check_time(_DOING)
        inverse = np.linalg.inv(correlation[np.ix_(members, members)])
        weights = inverse @ correlation[members, column]
        # What leaving one member out would add to the residual variance.
        loss = weights**2 / inverse.diagonal()
        keep = loss > _DEPENDENT
        if keep.all():
            return members
        # Members that stand in for each other must not all go at once.
        if not keep.any() or _unexplained(correlation, column, members[keep]) > 10 * _DEPENDENT:
            keep = np.arange(len(members)) != loss.argmin()
        members = members[keep]


def _unexplained(correlation: Floats, column: int, members: NDArray[np.intp]) -> float:
    shared = correlation[members, column]
    return float(1.0 - shared @ np.linalg.solve(correlation[np.ix_(members, members)], shared))


def _copied_pair(correlation: Floats) -> NDArray[np.intp] | None:
    largest, pair = 0.0, None
    for rows in strips(len(correlation)):
        size = np.abs(correlation[rows, rows.start :])
        np.fill_diagonal(size, 0.0)
        i, j = divmod(int(size.argmax()), size.shape[1])
        if size[i, j] > largest:
            largest, pair = float(size[i, j]), rows.start + np.array([i, j])
    return pair if largest >= 1.0 - _DEPENDENT else None


def _collinear(
    moments: Moments, correlation: Floats, dependent: NDArray[np.intp], columns: Sequence[str]
) -> CollinearError:
    names = [moments.names[j] for j in dependent]
    own = [*dict.fromkeys(columns[j] for j in dependent)]
    remedy = f"drop one of these {len(names)} columns"
    if own != names:
        remedy = f"drop one of the columns {listed(own)}, or merge levels"
    return CollinearError(
        f"the columns {listed(names)} are collinear (up to rounding)"
        f"{_relation(moments, correlation, dependent)}",
        remedy=remedy,
        code="collinear",
        columns=own,
    )


def _relation(moments: Moments, correlation: Floats, columns: NDArray[np.intp]) -> str:
    """Return the last column as a combination of the others, '' if it is too long to read."""
    *others, last = columns.tolist()
    if len(others) > _SHOWN_TERMS:
        return ""
    weights = np.linalg.solve(correlation[np.ix_(others, others)], correlation[others, last])
    units = moments.log_variances[last] - moments.log_variances[others]
    with np.errstate(over="ignore", under="ignore"):
        weights *= np.exp(0.5 * units)
    terms = [f"{w:.6g} * {quoted(moments.names[j])}" for w, j in zip(weights, others, strict=True)]
    return f": {quoted(moments.names[last])} = {' + '.join(terms)} + constant".replace("+ -", "- ")
