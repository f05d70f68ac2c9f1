"""Telling whether two sets of moments are of the same data, without keeping both.

Sums of products differ in their last digits between machines, libraries and memory layouts. So a
fingerprint holds numbers to be compared within a tolerance, not a hash: for each column the
logarithm of its variance, and a sum of its correlations with fixed signs. Of discrete columns it
holds the entropy of each, and that of each with the column that follows; of mixed tables the sums
over the one-hot columns of each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from greedag.errors import counted_rows, quoted

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

    def grouped(self, n: float, names: tuple[str, ...], starts: list[int]) -> Fingerprint:
        """Return that of columns that several of these stand for, from each start to the next."""
        logs, mixtures = (
            tuple(np.add.reduceat(part, starts[:-1]).tolist())
            for part in (self.log_variances, self.mixtures)
        )
        return Fingerprint(n, names, logs, mixtures)


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
