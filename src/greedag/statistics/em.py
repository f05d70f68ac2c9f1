"""Moments of a table with missing values, by EM for the multivariate normal.

Rows with the same values missing form a *pattern*. What EM needs of the rows of a pattern is their
number, their mean and a root of their scatter, so that an iteration costs by patterns, not by rows.
With K the inverse of the covariances, what is missing of a row has, given what is observed, the
covariance C = K[m, m]⁻¹ and the expected deviation -C K[m, o] (x - mean)[o]: only matrices of the
size of what is missing are inverted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag._progress import LOGGER, LONG, check_time, interruptible
from greedag.data.missing import Mask
from greedag.data.rows import SelectedRows, check_values
from greedag.data.table import Floats, read_column
from greedag.errors import (
    DataError,
    GreedagWarning,
    Note,
    check_size,
    constant_columns,
    listed,
    option,
    warn,
)
from greedag.statistics.moments import Moments

# In standard deviations and correlations. EM converges linearly: what is left is of this size.
TOLERANCE = 1e-9
MOST_ITERATIONS = 1000
_LEAST_ROWS = 2
_DOING = "estimating missing values by EM"
_STACK_VALUES = 2**20
# Of the correlations. Nearer to collinear, what is missing is lost in rounding.
_LEAST_EIGENVALUE = 1e-10


class Singular(Exception):
    """Some columns, given by their places, determine each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What EM ends with.

    Attributes
    ----------
    mean : ndarray of shape (d,)
    covariance : ndarray of shape (d, d)
        With divisor n.
    n : float
        The effective number of rows: the mean, over pairs of columns, of the number of rows that
        have both.
    iterations : int
    change : float
        The largest of the last iteration, in standard deviations and correlations.
    """

    mean: Floats
    covariance: Floats
    n: float
    iterations: int
    change: float

    @property
    def has_converged(self) -> bool:
        """Whether the last iteration changed next to nothing."""
        return self.change <= TOLERANCE


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Patterns with equally many columns missing: which, their weights, and their lines."""

    columns: NDArray[np.intp]
    weights: Floats
    lines: NDArray[np.intp]
    pattern: NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """Rows by pattern. Lines are rows of a table that stands for them, in the order of patterns.

    Of each pattern the first line, its head, is the mean times the root of the weight; the others
    are a root of the scatter about that mean.
    """

    present: Mask
    weights: Floats
    lines: Floats
    heads: NDArray[np.intp]
    groups: tuple[_Group, ...]


def estimated_moments(rows: SelectedRows, cells: Mask) -> tuple[Moments, tuple[Note, ...]]:
    """Estimate the moments of a table with missing cells; see :func:`greedag.learn`."""
    source, names = rows.source.in_memory(), rows.source.names
    check_values(cells, names)
    _check_pairs(cells, names)
    columns = []
    for j in range(len(names)):
        if len(cells) > LONG:
            check_time(_DOING, j, len(names), "columns")
        columns.append(read_column(source, j, cells[:, j]))
    units = np.zeros(cells.shape, order="F")
    for j, column in enumerate(columns):
        if len(cells) > LONG:
            check_time(_DOING, j, len(columns), "columns")
        present = np.empty((column.n, 1))
        column.write_units(0, column.n, present)
        units[~cells[:, j], j] = present[:, 0]
    started = time.perf_counter()
    found = interruptible(_DOING, units.size, _estimate, units, cells, rows.weights, names)
    LOGGER.info("EM took %d iterations, %.3f s", found.iterations, time.perf_counter() - started)
    low = np.concatenate([column.low for column in columns])
    exponent = np.concatenate([column.exponent for column in columns])
    estimates = (low, found.mean, found.covariance, exponent)
    moments = Moments._of_units(found.n, names, *estimates, math.ceil(found.n))
    return moments, (*_notes(found, cells), *moments.notes())


def _estimate(
    units: Floats, cells: Mask, weights: Floats | None, names: tuple[str, ...]
) -> Estimate:
    constant = [name for j, name in enumerate(names) if not units[:, j].any()]
    if constant:
        raise constant_columns(constant, "every value is the same")
    try:
        return estimate(units, cells, weights)
    except Singular as found:
        dependent = [names[j] for j in found.args[0]]
        raise DataError(
            f"columns {listed(dependent)} determine each other, or there are too few rows, so that "
            "EM cannot estimate what is missing",
            remedy=("drop one of these columns, or pass ", option("missing", "drop")),
            code="collinear",
            columns=dependent,
        ) from None


def _check_pairs(cells: Mask, names: tuple[str, ...]) -> None:
    """Raise if two columns have no row in common: how they vary together is unknown."""
    check_size(*cells.shape, least_n=_LEAST_ROWS, least_d=1)
    counts = together(~cells, None)
    if counts.min() == 0.0:
        pair = [names[j] for j in np.argwhere(counts == 0.0)[0]]
        raise DataError(
            f"columns {listed(pair)} have no row with both values, so that their covariance cannot "
            "be estimated",
            remedy="drop one of them",
            code="never-together",
            columns=pair,
        )


def _notes(found: Estimate, cells: Mask) -> Iterator[Note]:
    count = int(np.count_nonzero(cells))
    yield Note(
        f"{count} of {cells.size} values ({100.0 * count / cells.size:.3g} %) are missing: moments "
        f"estimated by EM in {found.iterations} iterations, scored as {found.n:.10g} of "
        f"{len(cells)} rows, the mean number of rows in which two columns are both observed",
        code="em",
        counts={"missing": count, "values": cells.size},
    )
    if not found.has_converged:
        text = (
            f"EM did not converge in {found.iterations} iterations (last change "
            f"{found.change:.3g}, "
            f"the limit is {TOLERANCE:g}): too much is missing; drop the emptiest columns"
        )
        warn(GreedagWarning(text, code="em-unsettled"))
        yield Note(text, code="em-unsettled")


def together(present: Mask, weights: Floats | None) -> Floats:
    """Return for each pair of columns how many rows have both."""
    shown = present.astype(np.float64)
    weighted = shown if weights is None else shown * weights[:, np.newaxis]
    counts: Floats = weighted.T @ shown
    return counts


def effective_rows(counts: Floats) -> float:
    """Return the mean, over pairs of columns, of the number of rows that have both."""
    d = len(counts)
    if d == 1:
        return float(counts[0, 0])
    return float(counts[np.triu_indices(d, 1)].sum()) / (d * (d - 1) // 2)


def estimate(values: Floats, missing: Mask, weights: Floats | None = None) -> Estimate:
    """Estimate the moments of a normal table, values missing at random.

    Parameters
    ----------
    values : ndarray of shape (n, d)
        Whatever stands in missing cells is not read. Every column varies, and every pair of
        columns has some row with both.
    missing : ndarray of shape (n, d)
        Which cells are missing.
    weights : ndarray of shape (n,), optional
        How many rows each row stands for.

    Returns
    -------
    Estimate

    Raises
    ------
    Singular
        If some columns determine each other, or nearly.
    """
    present = ~missing
    counts = together(present, weights)
    low, scale = _standards(values, present)
    units = np.where(present, values, low)
    units -= low
    units /= scale
    some = present.any(axis=1)
    rows = np.ones(len(values)) if weights is None else weights
    patterns = _patterns(units[some], present[some], rows[some])
    mean, covariance, iterations, change = _iterated(patterns)
    return Estimate(
        low + scale * mean,
        covariance * np.outer(scale, scale),
        effective_rows(counts),
        iterations,
        change,
    )


def _standards(values: Floats, present: Mask) -> tuple[Floats, Floats]:
    """Return a mean and a spread of each column to measure it by."""
    columns = range(values.shape[1])
    seen = [values[present[:, j], j] for j in columns]
    # The mean of deviations from one value: means of large numbers lose digits.
    mean = np.array([column[0] + np.mean(column - column[0]) for column in seen])
    spread = np.array([np.std(column - mean[j]) for j, column in enumerate(seen)])
    return mean, spread


def _patterns(units: Floats, present: Mask, weights: Floats) -> _Patterns:
    first, member = _distinct_rows(present)
    order = np.argsort(member, kind="stable")
    ends = np.cumsum(np.bincount(member))
    lines = []
    for place, rows in enumerate(np.split(order, ends[:-1])):
        if place % 1024 == 1023:
            check_time(_DOING)
        lines.append(_lines(units[rows], weights[rows]))
    totals = np.bincount(member, weights=weights).astype(np.float64)
    counts = np.array([len(part) for part in lines])
    shown = present[first]
    groups = tuple(_groups(shown, totals, counts))
    return _Patterns(shown, totals, np.concatenate(lines), np.cumsum(counts) - counts, groups)


def _distinct_rows(present: Mask) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return where each distinct row stands first, in ascending order, and which each row is.

    As `np.unique` with ``axis=0`` does, on words of 64 columns, which are sorted faster than bytes.
    """
    n, d = present.shape
    words = np.zeros((n, -(-d // 64) * 8), dtype=np.uint8)
    words[:, : -(-d // 8)] = np.packbits(present, axis=1)
    keys = words.view(">u8").astype(np.uint64)
    order = np.lexsort(keys.T[::-1])
    is_new = np.ones(n, dtype=bool)
    is_new[1:] = (keys[order[1:]] != keys[order[:-1]]).any(axis=1)
    member = np.empty(n, dtype=np.intp)
    member[order] = np.cumsum(is_new) - 1
    return order[is_new], member


def _lines(rows: Floats, weights: Floats) -> Floats:
    """Return the mean of rows of one pattern, weighted, and a root of their scatter."""
    total = weights.sum()
    mean = weights @ rows / total
    head: Floats = (np.sqrt(total) * mean)[np.newaxis]
    if len(rows) == 1:
        return head
    root = (rows - mean) * np.sqrt(weights)[:, np.newaxis]
    if len(rows) > rows.shape[1]:
        root = np.linalg.qr(root, mode="r")
    return np.concatenate([head, root])


def _groups(present: Mask, weights: Floats, counts: NDArray[np.intp]) -> Iterator[_Group]:
    """Give patterns that miss something by how much they miss, not too many at a time."""
    absent = np.count_nonzero(~present, axis=1)
    starts = np.cumsum(counts) - counts
    for m in np.unique(absent[absent > 0]):
        members = np.flatnonzero(absent == m)
        sizes = np.cumsum(counts[members]) * int(m) ** 2 // _STACK_VALUES
        for part in np.split(members, np.flatnonzero(np.diff(sizes)) + 1):
            check_time(_DOING)
            lines = [np.arange(starts[p], starts[p] + counts[p]) for p in part]
            yield _Group(
                np.nonzero(~present[part])[1].reshape(len(part), int(m)),
                weights[part],
                np.concatenate(lines),
                np.repeat(np.arange(len(part)), counts[part]),
            )


def _iterated(patterns: _Patterns) -> tuple[Floats, Floats, int, float]:
    d = patterns.present.shape[1]
    mean, covariance = np.zeros(d), np.eye(d)
    change, iterations = np.inf, 0
    while change > TOLERANCE and iterations < MOST_ITERATIONS:
        if iterations:
            check_time(_DOING, iterations, None, "iterations")
        step, updated = _step(patterns, mean, covariance)
        deviations = np.sqrt(updated.diagonal())
        gap = np.abs(updated - covariance) / np.outer(deviations, deviations)
        change = float(max(gap.max(), (np.abs(step) / deviations).max()))
        mean, covariance = mean + step, updated
        iterations += 1
    return mean, covariance, iterations, change


def _step(patterns: _Patterns, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return by how much one iteration moves the means, and the covariances that it gives."""
    d = len(mean)
    roots = np.sqrt(patterns.weights)
    deviations = patterns.lines.copy()
    deviations[patterns.heads] -= roots[:, np.newaxis] * mean
    deviations[patterns.heads] *= patterns.present
    precision = _precision(covariance)
    pulls = deviations @ precision
    scatter = np.zeros(d * d)
    for group in patterns.groups:
        check_time(_DOING)
        columns = group.columns
        pairs = columns[:, :, np.newaxis], columns[:, np.newaxis, :]
        C = np.linalg.inv(precision[pairs])
        weighted = group.weights[:, np.newaxis, np.newaxis] * C
        scatter += np.bincount((d * pairs[0] + pairs[1]).ravel(), weighted.ravel(), d * d)
        places = group.lines[:, np.newaxis], columns[group.pattern]
        deviations[places] = -np.einsum("pij,pj->pi", C[group.pattern], pulls[places])
    total = patterns.weights.sum()
    step: Floats = roots @ deviations[patterns.heads] / total
    updated = (scatter.reshape(d, d) + deviations.T @ deviations) / total - np.outer(step, step)
    return step, (updated + updated.T) / 2.0


def _precision(covariance: Floats) -> Floats:
    """Return the inverse; raise `Singular` where columns determine each other."""
    deviation = np.sqrt(covariance.diagonal())
    values, vectors = np.linalg.eigh(covariance / np.outer(deviation, deviation))
    if values[0] <= _LEAST_EIGENVALUE:
        size = np.abs(vectors[:, 0])
        raise Singular(np.flatnonzero(size > 0.1 * size.max()))
    scaled = vectors / deviation[:, np.newaxis]
    inverse: Floats = (scaled / values) @ scaled.T
    return inverse
