"""Draw the picture of docs/howto/penalty.md: python docs/images/path_image.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

from greedag import path, simulate


def main() -> None:
    """Draw the path of the page, with what was chosen along it."""
    found = path(simulate.linear_gaussian(d=10, rho=1.5, n=500, seed=4).data)
    for by in ("ebic", "cv", "stars"):
        found.choice(by)  # type: ignore[arg-type]
    # The same file each time: no date, and identifiers that do not change.
    mpl.rcParams["svg.hashsalt"] = "greedag"
    figure = found.plot().figure
    figure.savefig(Path(__file__).with_name("path.svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
