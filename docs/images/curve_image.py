"""Draw the picture of docs/howto/curves.md: python docs/images/curve_image.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from greedag import learn


def main() -> None:
    """Learn the table of the page and draw two of its curves."""
    light, water, a, b, c = np.random.default_rng(3).standard_normal((5, 1_000))
    growth = np.tanh(1.5 * light) + 0.4 * a
    harvest = 0.8 * growth - 0.5 * water**2 + 0.4 * b
    price = -0.7 * harvest + 0.4 * c
    columns = {"light": light, "water": water, "growth": growth, "harvest": harvest, "price": price}
    result = learn(pd.DataFrame(columns), score="additive")
    # The same file each time: no date, and identifiers that do not change.
    mpl.rcParams["svg.hashsalt"] = "greedag"
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 2.9), layout="constrained")
    for pair, place in zip((("light", "growth"), ("water", "harvest")), axes, strict=True):
        result.curve(*pair).plot(place)
    target = Path(__file__).with_name("curves.svg")
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main()
