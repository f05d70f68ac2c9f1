"""Networks that pgmpy ships as files, and tables drawn from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag import CPDAG

DISCRETE = ("asia", "child", "insurance", "alarm", "hailfinder")
GAUSSIAN = ("ecoli70", "magic-niab", "magic-irri", "arth150")


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows drawn from a network: codes of levels or real numbers, and the true class."""

    names: tuple[str, ...]
    rows: NDArray[Any]
    cpdag: CPDAG


def draw(network: str, rows: int, seed: int) -> Drawn:
    """Draw rows from a bundled network, parents before children."""
    rng = np.random.default_rng(seed)
    return (_draw_numbers if network in GAUSSIAN else _draw_levels)(network, rows, rng)


def _draw_levels(network: str, rows: int, rng: np.random.Generator) -> Drawn:
    from pgmpy.utils import get_example_model

    model = get_example_model(network)
    names = tuple(sorted(model.nodes()))
    tables = {table.variable: table for table in model.get_cpds()}
    columns: dict[str, NDArray[np.intp]] = {}
    for name in _parents_first({node: list(model.get_parents(node)) for node in names}):
        table = tables[name]
        # By parents' levels, in the table's own order of parents.
        chances = np.moveaxis(table.values, 0, -1)[
            tuple(columns[parent] for parent in table.variables[1:])
        ]
        bounds = np.cumsum(np.broadcast_to(chances, (rows, chances.shape[-1])), axis=1)
        drawn = rng.random((rows, 1)) * bounds[:, -1:]
        columns[name] = (drawn >= bounds[:, :-1]).sum(axis=1)
    return _collected(names, columns, model.edges())


def _draw_numbers(network: str, rows: int, rng: np.random.Generator) -> Drawn:
    import pgmpy

    folder = Path(pgmpy.__file__).parent / "utils" / "example_models"
    model = json.loads((folder / f"{network}.json").read_text(encoding="utf-8"))
    names = tuple(sorted(model["nodes"]))
    columns: dict[str, NDArray[np.float64]] = {}
    for name in _parents_first({node: model["cpds"][node]["parents"] for node in names}):
        table = model["cpds"][name]
        column = rng.standard_normal(rows) * np.sqrt(table["variance"][0])
        for term, (weight,) in table["coefficients"].items():
            column += weight * (1.0 if term == "(Intercept)" else columns[term])
        columns[name] = column
    return _collected(names, columns, model["arcs"])


def _parents_first(parents: dict[str, list[str]]) -> list[str]:
    order: list[str] = []
    while len(order) < len(parents):
        ready = [name for name in parents if name not in order and set(parents[name]) <= set(order)]
        order.extend(ready)
    return order


def _collected(names: tuple[str, ...], columns: dict[str, NDArray[Any]], arcs: Any) -> Drawn:
    dag = np.zeros((len(names), len(names)), dtype=np.uint8)
    for tail, head in arcs:
        dag[names.index(tail), names.index(head)] = 1
    rows = np.column_stack([columns[name] for name in names])
    return Drawn(names, rows, CPDAG.from_dag(dag, names))
