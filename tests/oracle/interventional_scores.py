"""Local scores of rows from experiments: those of the rows in which a column was not set.

The penalty is that of all rows. Nothing is shared between columns.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oracle import discrete

Targets = Sequence[Sequence[int]]


def not_set(y: int, tables: Sequence[NDArray], targets: Targets) -> NDArray:
    """Return the rows in which a column was not set."""
    pairs = zip(tables, targets, strict=True)
    return np.concatenate([table for table, columns in pairs if y not in columns])


def gaussian_bic(
    y: int,
    parents: Sequence[int],
    tables: Sequence[NDArray],
    targets: Targets,
    *,
    alpha: float,
    extra: float = 0.0,
) -> float:
    """Return s(y, P) of the BIC, by regressing y on P with one intercept for all environments."""
    rows, total = not_set(y, tables, targets), sum(map(len, tables))
    design = np.column_stack([np.ones(len(rows)), rows[:, list(parents)]])
    left = rows[:, y] - design @ np.linalg.lstsq(design, rows[:, y], rcond=None)[0]
    fit = -len(rows) / 2 * (1 + math.log(np.mean(left**2)))
    return fit - alpha / 2 * math.log(total) * (len(parents) + 1) - extra * len(parents)


def discrete_bic(
    y: int, parents: Sequence[int], tables: Sequence[NDArray], targets: Targets, *, alpha: float
) -> float:
    """Return s(y, P) of the discrete BIC, with the levels of all rows."""
    rows, every = not_set(y, tables, targets).tolist(), np.concatenate(tables).tolist()
    sizes = discrete.sizes_of(every)
    return discrete.bic(rows, y, parents, alpha=alpha, sizes=sizes, n=len(every))


def bdeu(
    y: int, parents: Sequence[int], tables: Sequence[NDArray], targets: Targets, *, prior: float
) -> float:
    """Return s(y, P) of BDeu, with the levels of all rows."""
    rows, every = not_set(y, tables, targets).tolist(), np.concatenate(tables).tolist()
    return discrete.bdeu(rows, y, parents, ess=prior, sizes=discrete.sizes_of(every))
