"""Curves of standardised parents, and noise of unit variance."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from greedag.errors import OptionError, quoted

Floats = NDArray[np.float64]
Curve = Callable[[Floats], Floats]

MIXTURE: Final = "mixture"
LEVELS: Final = "levels"
"""What a discrete parent has in place of a curve."""


def steps(z: Floats) -> Floats:
    """Return -1, 0 or 1, with steps at ±1/2."""
    return np.asarray(np.searchsorted((-0.5, 0.5), z) - 1.0)


CURVES: Mapping[str, Curve] = {
    "linear": lambda z: z,
    "tanh": lambda z: np.tanh(2.0 * z),
    "sin": lambda z: np.sin(3.0 * z),
    "square": lambda z: z**2,
    "cube": lambda z: z**3,
    "exp": np.exp,
    "abs": np.abs,
    "steps": steps,
}

NOISES: Mapping[str, Callable[[np.random.Generator, int], Floats]] = {
    "gaussian": lambda rng, n: rng.standard_normal(n),
    "uniform": lambda rng, n: rng.uniform(-math.sqrt(3.0), math.sqrt(3.0), n),
    "laplace": lambda rng, n: rng.laplace(0.0, math.sqrt(0.5), n),
}


def checked_curves(curve: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the curves to draw from.

    Raises
    ------
    OptionError
        If one of them is unknown, or there is none.
    """
    if isinstance(curve, str):
        return tuple(CURVES) if curve == MIXTURE else (_checked("curve", curve, _CHOICES),)
    names = tuple(curve) if isinstance(curve, Sequence) else ()
    if not names:
        raise OptionError(
            f"curve must be one of {', '.join(_CHOICES)}, or several of them; got {quoted(curve)}"
        )
    return tuple(_checked("curve", name, tuple(CURVES)) for name in names)


def checked_noise(noise: str) -> str:
    """Return the name of the noise, if it is one."""
    return _checked("noise", noise, tuple(NOISES))


_CHOICES = (*CURVES, MIXTURE)


def _checked(name: str, value: Any, choices: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in choices:
        return value
    near = difflib.get_close_matches(str(value).lower(), choices, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise OptionError(f"{name} must be one of {', '.join(choices)}; got {quoted(value)}{hint}")
