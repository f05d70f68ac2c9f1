"""
Several sites whose rows may not leave
======================================

Learn from the tables of several sites, whose rows never leave them.

Each site counts its moments and sends the file: number of rows, means and covariances. Whoever
collects the files merges them and searches, as if all rows were in one table.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from greedag import Moments, learn, simulate

SITES = ("north", "south", "coast")


def at_a_site(rows: np.ndarray, file: Path) -> None:
    """Count the moments of a site's own rows."""
    Moments.from_data(rows).save(file)


def at_the_centre(files: list[Path]) -> Moments:
    """Merge what the sites sent."""
    first, *others = (Moments.load(file) for file in files)
    return sum(others, start=first)


def main() -> None:
    """Draw a table, spread its rows over the sites, and learn from what they send."""
    drawn = simulate.linear_gaussian(d=8, rho=1.5, n=6_000, seed=3)
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{site}.moments") for site in SITES]
        for rows, file in zip(np.array_split(drawn.data, len(SITES)), files, strict=True):
            at_a_site(rows, file)
            print(f"{file.stem} sends {file.stat().st_size} bytes for {len(rows)} rows")
        merged = at_the_centre(files)
    print(learn(merged))
    print("the same class as from all rows:", learn(merged).cpdag == learn(drawn.data).cpdag)


if __name__ == "__main__":
    main()
