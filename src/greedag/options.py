"""What the checks of options share."""

from __future__ import annotations

import math
import numbers

import numpy as np


def as_real(value: object) -> float:
    """Return a real number as a float; NaN for anything else, truth values among it."""
    if not isinstance(value, numbers.Real) or isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value == abs(value) else -math.inf
