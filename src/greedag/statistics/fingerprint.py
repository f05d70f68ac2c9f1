"""Telling whether two sets of moments are of the same data, without keeping both.

Sums of products differ in their last digits between machines, libraries and memory layouts. So a
fingerprint holds numbers to be compared within a tolerance, not a hash: for each column the
logarithm of its variance, and a sum of its correlations with fixed signs. Of discrete columns it
holds the entropy of each, and that of each with the column that follows; of mixed tables the sums
over the one-hot columns of each.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag.data.table import Floats
from greedag.errors import counted_rows, quoted
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What remains of moments to know them again by.

    Attributes
    ----------
    n : float
        Number of rows.
    names : tuple of str
        The columns.
    log_variances : tuple of float
        Logarithm of each column's variance; its entropy, if it is discrete.
    mixtures : tuple of float
        For each column the sum of all correlations with it, under fixed signs; the entropy of it
        and the next column together, if they are discrete.
    """

    n: float
    names: tuple[str, ...]
    log_variances: tuple[float, ...]
    mixtures: tuple[float, ...]


def fingerprint_of(statistics: object) -> Fingerprint | None:
    """Return the fingerprint of moments, levels or mixed rows; None of anything else."""
    if isinstance(statistics, Moments):
        return _of_moments(statistics)
    if isinstance(statistics, MixedTable):
        return _of_mixed(statistics)
    return _of_levels(statistics) if isinstance(statistics, Levels) else None


def _of_levels(levels: Levels) -> Fingerprint:
    sizes = levels.sizes
    alone, joint = [], []
    for j in range(levels.d):
        k = (j + 1) % levels.d
        alone.append(_entropy(levels.codes[j].astype(np.int64), levels.counts))
        pair = levels.codes[j].astype(np.int64) * (sizes[k] + 1) + levels.codes[k]
        joint.append(_entropy(np.unique(pair, return_inverse=True)[1].reshape(-1), levels.counts))
    return Fingerprint(levels.n, levels.names, tuple(alone), tuple(joint))


def _entropy(cells: NDArray[np.int64], counts: Floats) -> float:
    shares = np.bincount(cells, counts) / counts.sum()
    shares = shares[shares > 0.0]
    return float(-(shares * np.log(shares)).sum())


def _of_mixed(table: MixedTable) -> Fingerprint:
    moments, starts = table.embedded()
    whole = _of_moments(moments)
    logs, mixtures = (
        tuple(np.add.reduceat(part, starts[:-1]).tolist())
        for part in (whole.log_variances, whole.mixtures)
    )
    return Fingerprint(table.n, table.names, logs, mixtures)


def _of_moments(moments: Moments) -> Fingerprint:
    mixtures = moments.correlation @ _signs(moments.d)
    logs = moments.log_variances
    return Fingerprint(moments.n, moments.names, tuple(logs.tolist()), tuple(mixtures.tolist()))


def difference(one: Fingerprint, other: Fingerprint) -> str:
    """Say how two data sets differ; empty if they are the same."""
    if one.names != other.names:
        return _difference_of_names(one.names, other.names)
    # Sums of weights are rounded as other sums are; counts of rows are exact.
    whole = isinstance(one.n, int) and isinstance(other.n, int)
    if one.n != other.n if whole else not math.isclose(one.n, other.n, rel_tol=_TOLERANCE):
        return f"{counted_rows(one.n)} rows in one and {counted_rows(other.n)} in the other"
    for mine, theirs, what in (
        (one.log_variances, other.log_variances, "the spread of column"),
        (one.mixtures, other.mixtures, "the correlations of column"),
    ):
        apart = np.flatnonzero(~np.isclose(mine, theirs, rtol=_TOLERANCE, atol=_TOLERANCE))
        if apart.size:
            return f"{what} {quoted(one.names[apart[0]])}"
    return ""


def _difference_of_names(one: tuple[str, ...], other: tuple[str, ...]) -> str:
    if len(one) != len(other):
        return f"{len(one)} columns in one and {len(other)} in the other"
    j = next(j for j, name in enumerate(one) if name != other[j])
    return f"column {j} is {quoted(one[j])} in one and {quoted(other[j])} in the other"


def _signs(d: int) -> Floats:
    bits = np.frombuffer(hashlib.shake_128(b"greedag").digest(d // 8 + 1), dtype=np.uint8)
    signs: Floats = np.where(np.unpackbits(bits)[:d], -1.0, 1.0)
    return signs
