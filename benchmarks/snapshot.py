"""Results to the last bit, to compare two versions of greedag.

``python benchmarks/snapshot.py FILE`` writes class, score, trace and counters of many searches:
the stored cases, small random tables by every search, and ten tables of each kind (discrete, mixed,
with missing values, weighted, streamed, on Dask, read by the command line). Run it with one
version, then with another and ``--against FILE``: it names every difference, and exits with 1 if
there is one. It calls public names only, so that any two versions can be compared.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from greedag import Levels, MixedTable, Moments, learn, simulate
from greedag.cli import main as command

SEARCHES = ("xges", "xges0", "ges", "ges-r", "ops", "fges")
DATA = Path(__file__).parent / "data"
TABLES = 10
SMALL = 60
"""Random tables on which every search runs."""

Case = tuple[str, dict[str, Any]]


def facts(result: Any) -> dict[str, Any]:
    """Return all that must not change about a result."""
    steps = [
        (step.kind, step.x, step.y, *map(sorted, (step.T, step.E, step.F)), step.gain.hex())
        for step in result.trace
    ]
    return {
        "names": list(result.cpdag.names),
        "class": hashlib.sha256(result.cpdag.to_matrix().tobytes()).hexdigest(),
        "score": float(result.score).hex(),
        "n": float(result.n).hex(),
        "trace": hashlib.sha256(json.dumps(steps).encode()).hexdigest(),
        "counts": dict(result.counts),
    }


def stored_cases(folder: Path, most: int) -> Iterator[Case]:
    """Every search on the stored covariances."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as held:
            if len(held["covariance"]) > most:
                continue
            moments = Moments(n=int(held["n"]), covariance=held["covariance"])
        for search in SEARCHES if moments.d <= 100 else ("xges0", "xges"):
            yield f"{path.stem} {search}", facts(learn(moments, search=search, effort=0))
        if moments.d <= 100:
            yield f"{path.stem} refined", facts(learn(moments, n_jobs=2))


def small_tables() -> Iterator[Case]:
    """Every search on random tables, of few rows too."""
    for seed in range(SMALL):
        drawn = simulate.linear_gaussian(4 + seed % 9, 1.0 + seed % 3, 40 + 60 * seed, seed=seed)
        for search in SEARCHES:
            yield f"small {seed} {search}", facts(learn(drawn.data, search=search))


def continuous(seed: int, n: int = 400, d: int = 7) -> pd.DataFrame:
    """A table of numbers."""
    drawn = simulate.linear_gaussian(d, 1.5, n, seed=seed)
    return pd.DataFrame(drawn.data, columns=[f"c{j}" for j in range(d)])


def discrete(seed: int) -> pd.DataFrame:
    """A table of levels: text, categories and truth values."""
    table = continuous(seed)
    for j, name in enumerate(table):
        codes = pd.qcut(table[name], 2 + j % 3, labels=False)
        table[name] = codes.map(lambda code: f"level {code}") if j % 2 else codes.astype("category")
    table["c0"] = table["c0"].cat.codes > 0
    return table


def mixed(seed: int) -> pd.DataFrame:
    """Three columns of numbers, four of levels."""
    whole, levels = continuous(seed), discrete(seed)
    return whole.assign(**{name: levels[name] for name in ("c0", "c1", "c3", "c5")})


def with_gaps(table: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The table with one value in twenty missing."""
    return table.mask(np.random.default_rng(seed).random(table.shape) < 0.05)


def kinds_of_tables(folder: Path) -> Iterator[Case]:
    """Ten tables of each kind."""
    for seed in range(TABLES):
        numbers, levels, both = continuous(seed), discrete(seed), mixed(seed)
        weights = np.random.default_rng(seed).integers(0, 4, len(numbers)) * 0.75
        runs: dict[str, tuple[Any, dict[str, Any]]] = {
            "bdeu": (levels, {}),
            "discrete-bic": (levels, {"score": "discrete-bic"}),
            "degenerate-gaussian": (both, {}),
            "conditional-gaussian": (both, {"score": "conditional-gaussian"}),
            "bge": (numbers, {"score": "bge"}),
            "extended-bic": (numbers, {"score": "extended-bic"}),
            "drop": (with_gaps(numbers, seed), {"missing": "drop"}),
            "em": (with_gaps(numbers, seed), {"missing": "em"}),
            "drop levels": (with_gaps(levels.astype(object), seed), {"missing": "drop"}),
            "test-wise": (with_gaps(levels.astype(str), seed), {"missing": "test-wise"}),
            "drop mixed": (with_gaps(both.astype({"c0": object}), seed), {"missing": "drop"}),
            "weighted": (numbers, {"sample_weight": weights}),
            "weighted levels": (levels, {"sample_weight": weights}),
            "weighted mixed": (both, {"sample_weight": weights}),
            "weighted drop": (
                with_gaps(numbers, seed),
                {"missing": "drop", "sample_weight": weights},
            ),
            "weighted em": (with_gaps(numbers, seed), {"missing": "em", "sample_weight": weights}),
            "moments": (Moments.from_data(numbers), {}),
            "levels": (Levels.from_data(levels), {}),
            "mixed table": (MixedTable.from_data(both), {}),
            **streamed(folder, numbers, levels, weights),
            **distributed(numbers, levels),
        }
        for name, (table, options) in runs.items():
            yield f"{name} {seed}", facts(learn(table, **options))
        yield from commands(folder, seed, {"numbers": numbers, "levels": levels, "mixed": both})


def streamed(
    folder: Path, numbers: pd.DataFrame, levels: pd.DataFrame, weights: Any
) -> dict[str, tuple[Any, dict[str, Any]]]:
    """What is counted of files."""
    made: dict[str, tuple[Any, dict[str, Any]]] = {}
    for suffix in ("csv", "parquet"):
        for name, table in (("numbers", numbers), ("levels", levels.astype(str))):
            path = folder / f"{name}.{suffix}"
            whole = table.assign(w=weights)
            whole.to_csv(path, index=False) if suffix == "csv" else whole.to_parquet(path)
            count = (Moments if name == "numbers" else Levels).from_file
            made[f"{suffix} {name}"] = (count(path, columns=list(table)), {})
            made[f"{suffix} {name} weighted"] = (count(path, weights="w"), {})
    return made


def distributed(
    numbers: pd.DataFrame, levels: pd.DataFrame
) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The same tables in three partitions."""
    from dask.dataframe import from_pandas

    tables = {"numbers": numbers, "levels": levels.astype(str)}
    return {
        f"dask {name}": (from_pandas(table, npartitions=3), {}) for name, table in tables.items()
    }


def commands(folder: Path, seed: int, tables: dict[str, pd.DataFrame]) -> Iterator[Case]:
    """The same tables, read and learned by the command line."""
    for name, table in tables.items():
        gaps = with_gaps(table.astype(object), seed)
        for suffix, missing in (("csv", ()), ("parquet", ()), ("csv", ("--missing", "drop"))):
            path = folder / f"cli.{suffix}"
            held = gaps if missing else table
            held.to_csv(path, index=False) if suffix == "csv" else held.to_parquet(path)
            yield f"cli {name} {suffix} {seed} {missing}", printed("learn", str(path), *missing)


def printed(*arguments: str) -> dict[str, Any]:
    """Return what a command prints as JSON, without what depends on the clock or on words."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        code = command([*arguments, "--json"])
    if code:
        return {"code": code}
    kept = json.loads(out.getvalue())
    return {key: kept[key] for key in ("score", "n", "directed", "undirected", "trace", "counts")}


def collected(folder: Path | None, most: int) -> dict[str, dict[str, Any]]:
    """Run everything."""
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for cases in (
            stored_cases(folder or DATA, most),
            small_tables(),
            kinds_of_tables(Path(scratch)),
        ):
            found.update(cases)
            print(f"{len(found)} results", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Write the results to a file, or compare them with one."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", nargs="?", help="where to write the results")
    options.add_argument("--against", help="a file written by another version")
    options.add_argument("--folder", type=Path, help="stored cases; those of the project without")
    options.add_argument("--most", type=int, default=1000, help="columns of a stored case")
    chosen = options.parse_args()
    found = collected(chosen.folder, chosen.most)
    if chosen.file:
        Path(chosen.file).write_text(json.dumps(found, indent=1))
    if not chosen.against:
        return 0
    before = json.loads(Path(chosen.against).read_text())
    after = json.loads(json.dumps(found))
    differing = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    for name in differing:
        print(f"{name}: differs")
    print(f"{len(after)} results compared, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
