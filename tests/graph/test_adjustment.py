"""What to adjust for, against every member of every small graph."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from greedag.graph.adjustment import CausalPaths
from greedag.graph.clique_picking import nodes
from oracle import brute_force as bf
from oracle import effects as twin
from oracle import mpdag as mp


def check_graph(cells: Any, dags: list[Any], random: np.random.Generator) -> None:
    """Compare the effects of all pairs with those over all members."""
    d = len(cells)
    covariance = twin.covariance(dags[0], random)
    paths = CausalPaths(cells)
    for x in range(d):
        parts = paths.parts(x)
        assert sum(part.share for part in parts) == 1
        for y in range(d):
            if x != y:
                true = twin.effects(covariance, dags, x, y)
                assert paths.is_amenable(x, y) == (len(true) == 1)
                check_pair(paths, parts, dags, covariance, (x, y), true)


def check_pair(
    paths: CausalPaths,
    parts: Any,
    dags: list[Any],
    covariance: Any,
    pair: tuple[int, int],
    true: dict[float, float],
) -> None:
    x, y = pair
    if paths.is_amenable(x, y):
        judged = [(paths.optimal_set(x, y), 1.0, dags)]
    else:
        judged = [
            (part.paths.optimal_set(x, y), float(part.share), having(dags, part.paths.cells))
            for part in parts
        ]
    found: dict[float, float] = {}
    for chosen, share, members in judged:
        value = 0.0
        if chosen is not None:
            value = twin.coefficient(covariance, x, y, nodes(chosen))
            assert all(twin.is_valid(dag, x, y, set(nodes(chosen))) for dag in members)
        known = next((other for other in found if abs(other - value) < 1e-7), value)
        found[known] = found.get(known, 0.0) + share
    assert sorted(found) == pytest.approx(sorted(true), abs=1e-7)
    assert [found[v] for v in sorted(found)] == pytest.approx([true[v] for v in sorted(true)])


def having(dags: list[Any], cells: Any) -> list[Any]:
    arrows = cells & (1 - cells.T)
    return [dag for dag in dags if (dag[arrows == 1] == 1).all()]


# All classes of five columns take some minutes: GREEDAG_EVERY_CLASS=1.
EVERY = 1 if os.environ.get("GREEDAG_EVERY_CLASS") else 60


@pytest.mark.parametrize(("d", "step"), [(2, 1), (3, 1), (4, 1), (5, EVERY)])
def test_effects_in_every_class(d: int, step: int) -> None:
    random = np.random.default_rng(d)
    for cpdag, dags in list(zip(bf.atlas(d).cpdags, bf.atlas(d).members, strict=True))[::step]:
        check_graph(bf.to_matrix(d, cpdag), [bf.to_matrix(d, dag) for dag in dags], random)


@pytest.mark.parametrize(("d", "step"), [(3, 1), (4, 1), (5, 5 * EVERY)])
def test_effects_where_some_edges_are_known(d: int, step: int) -> None:
    random = np.random.default_rng(10 + d)
    for cpdag, dags in list(zip(bf.atlas(d).cpdags, bf.atlas(d).members, strict=True))[::step]:
        if len(dags) < 3:
            continue
        member = dags[random.integers(len(dags))]
        open_ = [arc for arc in mp.arrows(d, member) if bf.has(d, cpdag, arc[1], arc[0])]
        known = [arc for arc in open_ if random.random() < 0.5]
        left = mp.having(d, dags, known)
        check_graph(bf.to_matrix(d, bf.union(left)), [bf.to_matrix(d, m) for m in left], random)
