"""Small tables from experiments, in which some columns are set in some rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Targets = Sequence[Sequence[int]]


def random_dag(d: int, edges: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a DAG with so many edges per column on average, its columns in random order."""
    upper = np.triu(rng.random((d, d)) < 2 * edges / max(d - 1, 1), 1)
    order = rng.permutation(d)
    return upper[np.ix_(order, order)].astype(np.uint8)


def linear_rows(
    dag: NDArray[np.uint8], targets: Targets, n: int, rng: np.random.Generator
) -> list[Floats]:
    """Return n rows of a linear Gaussian model for each set of columns that are set in them."""
    d = len(dag)
    weights = dag * rng.uniform(0.5, 1.0, (d, d)) * rng.choice([-1.0, 1.0], (d, d))
    tables = []
    for columns in targets:
        kept, noise = weights.copy(), rng.normal(size=(n, d))
        for y in columns:
            kept[:, y] = 0.0
            noise[:, y] = 2.0 + 0.5 * noise[:, y]
        tables.append(noise @ np.linalg.inv(np.eye(d) - kept))
    return tables


def frame(tables: Sequence[Floats], targets: Targets, separator: str = ",") -> pd.DataFrame:
    """Return the rows of all tables with a column, "set", that names what was set in them."""
    names = [f"x{j}" for j in range(tables[0].shape[1])]
    parts = [
        pd.DataFrame(table, columns=names).assign(set=separator.join(names[j] for j in columns))
        for table, columns in zip(tables, targets, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)
