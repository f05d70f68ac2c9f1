"""Normal tables in which an inspection finds nothing, to be spoiled by one column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

N = 300


def clean(seed: int = 0, n: int = N, d: int = 4) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    mixing = np.eye(d) + 0.5 * np.triu(rng.normal(size=(d, d)), 1)
    names = [f"v{j}" for j in range(d)]
    return pd.DataFrame(rng.normal(size=(n, d)) @ mixing, columns=names)


def noise(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def with_column(name: str, values: Any) -> pd.DataFrame:
    return clean().assign(**{name: values})
