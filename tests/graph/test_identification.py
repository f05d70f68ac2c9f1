"""Adjustment identification distances, against every path and against gadjid."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import gadjid
import numpy as np
import pytest

from greedag import CPDAG, DataError, OptionError, simulate
from greedag.graph.identification import STRATEGIES, Judge
from greedag.metrics import aid, sid
from oracle import effects as twin


def random_dag(random: np.random.Generator, d: int, density: float) -> Any:
    dag = np.triu(random.random((d, d)) < density, 1).astype(np.uint8)
    order = random.permutation(d)
    return np.ascontiguousarray(dag[np.ix_(order, order)])


def encoded(cells: Any) -> Any:
    """Return a matrix as gadjid reads it: 2 for an undirected edge, written once."""
    both = cells & cells.T
    return (cells - both + 2 * np.triu(both)).astype(np.int8)


def test_sets_are_valid_as_by_their_definition() -> None:
    random = np.random.default_rng(0)
    for _ in range(300):
        d = int(random.integers(2, 6))
        dag = random_dag(random, d, 0.5)
        judge = Judge(dag)
        x, y = (int(v) for v in random.choice(d, 2, replace=False))
        others = [v for v in range(d) if v not in (x, y)]
        for size in range(d - 1):
            for given in combinations(others, size):
                mask = sum(1 << v for v in given)
                assert judge.is_valid(x, y, mask) == twin.is_valid(dag, x, y, set(given))


@pytest.mark.parametrize("kind", STRATEGIES)
def test_distances_are_those_of_gadjid(kind: Any) -> None:
    random = np.random.default_rng(1)
    theirs = getattr(gadjid, f"{kind}_aid")
    for place in range(700):
        d = int(random.integers(2, 16))
        graphs = [random_dag(random, d, 0.6 * random.random()) for _ in range(2)]
        for at in range(2):
            if place >> at & 1:
                graphs[at] = CPDAG.from_dag(graphs[at]).to_matrix()
        _, mistakes = theirs(*map(encoded, graphs), edge_direction="from row to column")
        assert aid(*graphs, kind=kind) == mistakes


def test_the_structural_intervention_distance_is_that_of_gadjid() -> None:
    random = np.random.default_rng(2)
    for _ in range(200):
        graphs = [random_dag(random, 8, 0.3) for _ in range(2)]
        _, mistakes = gadjid.sid(*map(encoded, graphs), edge_direction="from row to column")
        assert sid(*graphs) == mistakes


def test_columns_are_matched_by_name() -> None:
    drawn = simulate.linear_gaussian(6, 1.5, 1, seed=0)
    order = [3, 1, 0, 5, 4, 2]
    names = tuple(drawn.cpdag.names[i] for i in order)
    same = CPDAG.from_matrix(drawn.cpdag.to_matrix()[np.ix_(order, order)], names)
    assert aid(drawn.cpdag, same) == 0
    assert aid(drawn.dag, drawn.cpdag) <= 30


def test_wrong_calls_are_refused() -> None:
    dag = random_dag(np.random.default_rng(3), 4, 0.5)
    with pytest.raises(OptionError, match="kind must be one of"):
        aid(dag, dag, kind="parents")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="undirected edges; use aid"):
        sid(dag, CPDAG.from_dag([[0, 1, 0, 0], [0] * 4, [0] * 4, [0] * 4]))
    with pytest.raises(DataError, match="different columns"):
        aid(dag, dag[:3, :3])
