"""A square of shares as a heat map, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from greedag.drawing.labels import em_width, labels
from greedag.errors import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NAME_EM = 14.0
# Beyond these, names and numbers would run into each other.
_MOST_NAMES, _MOST_NUMBERS = 60, 16
_DARK = 0.55


def heat_map(
    names: Sequence[str], shares: NDArray[np.float64], what: str, ax: Axes | None = None
) -> Axes:
    """Draw a matrix of shares, a row for each cause and a column for each effect.

    Parameters
    ----------
    names : sequence of str
        Of rows and columns.
    shares : ndarray of shape (d, d)
        From 0 to 1.
    what : str
        What they are shares of, for the scale.
    ax : Axes, optional
        New ones if left out.
    """
    require("matplotlib", "plot")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import PercentFormatter

    d = len(names)
    if ax is None:
        inches = min(max(3.2 + 0.26 * d, 4.4), 14.0)
        _, ax = plt.subplots(figsize=(inches + 1.0, inches), layout="compressed")
    shown = np.where(np.eye(d, dtype=bool), np.nan, shares)
    image = ax.imshow(shown, cmap="Blues", vmin=0.0, vmax=1.0)
    # Numbers in the cells are percents too.
    ax.figure.colorbar(image, ax=ax, label=what, shrink=0.8, format=PercentFormatter(1.0))
    ax.set_xlabel("to")
    ax.set_ylabel("from")
    if d <= _MOST_NAMES:
        short = [name.replace("$", r"\$") for name in labels(list(names), _NAME_EM, em_width)]
        ax.set_xticks(range(d), short, rotation=90)
        ax.set_yticks(range(d), short)
    if d <= _MOST_NUMBERS:
        for i, j in np.argwhere(np.nan_to_num(shown) >= 0.005).tolist():
            colour = "white" if shown[i, j] > _DARK else "black"
            ax.text(j, i, f"{100 * shown[i, j]:.0f}", ha="center", va="center", color=colour)
    return ax
