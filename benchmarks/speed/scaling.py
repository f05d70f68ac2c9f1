"""How the seconds of the default, of XGES-0 and of XGES grow with columns, parents and rows.

``python benchmarks/speed/scaling.py [--save]`` measures, fits exponents and draws
benchmarks/scaling.svg. Beyond 5,000 columns: large.py.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import Moments, learn
from greedag.simulate import Simulation, linear_gaussian
from report import HERE, Section, parser, publish, table
from scaling_figure import draw

METHODS: dict[str, dict[str, Any]] = {
    "xges0": {"search": "xges0"},
    "xges": {"effort": 0},
    "default": {},
}
FIGURE = HERE / "scaling.svg"
BLOCK = 1_000_000
"""Rows that are drawn at a time."""
REPEATS, BRIEF = 3, 1.0
"""How often a search of fewer than so many seconds is run; the least seconds count."""
SMALLEST_FITTED = 100
"""Columns below which fixed costs hide how the seconds grow."""


@dataclass(frozen=True, slots=True)
class Size:
    """A simulation, and how many tables are drawn from it."""

    d: int
    rho: float
    n: int
    seeds: int


@dataclass(frozen=True, slots=True)
class Series:
    """Sizes that differ in one quantity, ``d``, ``rho`` or ``n``."""

    title: str
    along: str
    sizes: tuple[Size, ...]


def seeds_for(d: int) -> int:
    """Return how many tables to draw: the larger, the less a single one decides."""
    return 5 if d <= 200 else 3 if d <= 1000 else 1


def columns(rho: float, n: int, *sizes: int) -> Series:
    """Return a series of growing numbers of columns."""
    title = f"Columns (ρ = {rho:g}, n = {n:,})"
    return Series(title, "d", tuple(Size(d, rho, n, seeds_for(d)) for d in sizes))


SERIES = (
    columns(2, 10_000, 25, 50, 100, 200, 500, 1000, 2000, 5000),
    columns(1, 2_000, 1000, 2000, 5000),
    Series(
        "Parents (d = 100, n = 10,000)",
        "rho",
        tuple(Size(100, rho, 10_000, 5) for rho in range(1, 7)),
    ),
    Series(
        "Rows (d = 50, ρ = 2)",
        "n",
        tuple(Size(50, 2, 10**power, 5 if power < 6 else 2) for power in range(3, 8)),
    ),
)


@dataclass(frozen=True, slots=True)
class Point:
    """Median seconds at one size."""

    size: Size
    moments: float
    xges0: float
    xges: float
    default: float


def blocks(size: Size, seed: int) -> Iterator[NDArray[np.float64]]:
    """Draw the rows of one table, block by block."""
    model = linear_gaussian(size.d, size.rho, min(size.n, BLOCK), seed=seed)
    yield model.data
    for block in range(1, size.n // BLOCK):
        yield more_rows(model, np.random.default_rng((seed, block)))


def more_rows(model: Simulation, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw a block of rows from a model: a row x solves x = xW + noise."""
    noise = rng.standard_normal((BLOCK, len(model.weights))) * model.noise_sd
    return np.asarray(noise @ np.linalg.inv(np.eye(len(model.weights)) - model.weights))


def counted(size: Size, seed: int) -> tuple[Moments, float]:
    """Return the moments of a table and the seconds that took, drawing left out."""
    total, seconds = None, 0.0
    for rows in blocks(size, seed):
        start = time.perf_counter()
        part = Moments.from_data(rows)
        total = part if total is None else total + part
        seconds += time.perf_counter() - start
    assert total is not None
    return total, seconds


def searched(moments: Moments, method: str) -> float:
    """Return the seconds of a search; brief ones suffer from cold caches, so are repeated."""
    least = learn(moments, **METHODS[method]).timings["search"]
    for _ in range(1, REPEATS if least < BRIEF else 1):
        least = min(least, learn(moments, **METHODS[method]).timings["search"])
    return least


def measure(size: Size) -> Point:
    """Take the medians over the tables of one size."""
    seconds: dict[str, list[float]] = {"moments": [], **{method: [] for method in METHODS}}
    for seed in range(size.seeds):
        moments, took = counted(size, seed)
        seconds["moments"].append(took)
        for method in METHODS:
            seconds[method].append(searched(moments, method))
    point = Point(size, **{name: statistics.median(found) for name, found in seconds.items()})
    print(point, file=sys.stderr, flush=True)
    return point


def exponent(series: Series, points: list[Point], name: str) -> float:
    """Fit log seconds = exponent · log quantity + constant by least squares."""
    fitted = [point for point in points if series.along != "d" or point.size.d >= SMALLEST_FITTED]
    quantity = [getattr(point.size, series.along) for point in fitted]
    seconds = [getattr(point, name) for point in fitted]
    return float(np.polyfit(np.log(quantity), np.log(seconds), 1)[0])


def measured(series: Series) -> dict[str, Any]:
    """Measure a series; what results.json keeps and the figure shows of it."""
    points = [measure(size) for size in series.sizes]
    return {
        "title": series.title,
        "along": series.along,
        "points": [asdict(point) for point in points],
        "exponents": {name: exponent(series, points, name) for name in ("moments", *METHODS)},
    }


def lines(found: dict[str, Any]) -> list[str]:
    """Return the table of a series."""
    along = found["along"]
    header = [along.replace("rho", "ρ"), "tables", "moments, s"]
    header += ["XGES-0, s", "XGES, effort 0, s", "default, s"]
    rows = [
        [
            f"{point['size'][along]:,}",
            point["size"]["seeds"],
            *(f"{point[name]:.4f}" for name in found["exponents"]),
        ]
        for point in found["points"]
    ]
    fitted = ["exponent", "", *(f"{value:.2f}" for value in found["exponents"].values())]
    return [f"### {found['title']}", "", *table(header, [*rows, fitted]), ""]


def main() -> None:
    """Measure, draw and publish."""
    chosen = parser(__doc__).parse_args()
    found = [measured(series) for series in SERIES]
    about = (
        "Seconds of the moments and of each search alone, medians over simulated tables; brief "
        f"searches are run {REPEATS} times, and the least seconds count. The default is XGES "
        "with effort 1. Exponents are least squares on logarithms; along d, from "
        f"{SMALLEST_FITTED} columns on."
    )
    text = [about, "", *(line for series in found for line in lines(series))]
    draw(found, FIGURE)
    text += [f"![Seconds against columns, parents and rows]({FIGURE.name})"]
    publish(Section("scaling", "Scaling", text, found), save=chosen.save)


if __name__ == "__main__":
    main()
