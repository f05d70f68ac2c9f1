"""Effects of several columns at once, against regressions member by member."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from greedag import Knowledge, Moments, learn, simulate
from greedag.effects.estimate import Estimates
from greedag.effects.linear import LinearFits
from greedag.graph.mpdag import MPDAG
from oracle import brute_force as bf
from oracle import effects as twin


def merged(values: list[tuple[Any, float]]) -> list[tuple[Any, float]]:
    """Return distinct vectors with the sums of their shares."""
    found: list[tuple[Any, float]] = []
    for value, share in values:
        for place, (known, before) in enumerate(found):
            if np.allclose(known, value, rtol=0.0, atol=1e-6):
                found[place] = (known, before + share)
                break
        else:
            found.append((value, share))
    return sorted(found, key=lambda one: float(np.sum(one[0])))


@pytest.mark.parametrize(("d", "size", "step"), [(3, 2, 1), (4, 2, 1), (4, 3, 3), (5, 2, 400)])
def test_joint_effects_in_every_class(d: int, size: int, step: int) -> None:
    random = np.random.default_rng(d)
    for cpdag, dags in list(zip(bf.atlas(d).cpdags, bf.atlas(d).members, strict=True))[::step]:
        members = [bf.to_matrix(d, dag) for dag in dags]
        covariance = twin.covariance(members[0], random)
        graph = MPDAG.from_matrix(bf.to_matrix(d, cpdag))
        fits = LinearFits(Moments(n=10**9, covariance=covariance, names=graph.names), graph.names)
        estimates = Estimates(graph, fits)
        *xs, y = (int(v) for v in random.choice(d, size + 1, replace=False))
        true = merged(
            [(twin.joint_effects(covariance, dag, xs, y), 1.0 / len(members)) for dag in members]
        )
        found = estimates.of(xs, y)
        assert len(found) == len(true)
        for one, (value, share) in zip(found, true, strict=True):
            assert one.by_column == pytest.approx(value, abs=1e-6)
            assert one.value == pytest.approx(float(np.sum(value)), abs=1e-6)
            assert one.share == pytest.approx(share)


def test_an_effect_that_no_set_can_be_adjusted_for_has_an_honest_interval() -> None:
    """The direct effects of a and c on y, where b follows a, and a hidden path leads by c.

    Adjusting for b would take away what goes from a through b; not doing so leaves b and c
    confounded. Of 1,000 intervals of 95 %, 915 to 980 cover the sum of both effects but once in a
    million.
    """
    random, covered = np.random.default_rng(0), 0
    known = Knowledge(tiers=[["a"], ["b"], ["c"], ["y"]])
    weights = np.zeros((4, 4))
    weights[0, 1], weights[1, 2], weights[1, 3], weights[2, 3] = 0.8, 0.7, 0.6, 0.9
    spread = np.linalg.inv(np.eye(4) - weights)
    covariance = spread.T @ spread
    names = ["a", "b", "c", "y"]
    result = learn(Moments(n=10**7, covariance=covariance, names=names), knowledge=known)
    true = 0.8 * 0.6 + 0.9
    for _ in range(1000):
        rows = random.multivariate_normal(np.zeros(4), covariance, 300)
        found = result.effect(["a", "c"], "y", data=Moments.from_data(rows, names=names))
        assert found.adjustment is None
        assert found.interval is not None
        covered += found.interval[0] <= true <= found.interval[1]
    assert 915 < covered < 980
    assert found.by_column is not None
    assert set(found.by_column) == {"a", "c"}
    assert "by the effects of single columns" in str(found)


def test_a_joint_effect_with_a_set_is_one_regression() -> None:
    drawn = simulate.linear_gaussian(6, 1.5, 800, seed=3)
    result = learn(drawn.data, knowledge=Knowledge(tiers=[[f"x{i}"] for i in _order(drawn.dag)]))
    covariance = np.cov(drawn.data.T)
    seen = 0
    for i in range(6):
        for j in range(i):
            for y in range(6):
                if y in (i, j):
                    continue
                found = result.effect([f"x{i}", f"x{j}"], f"x{y}")
                if found.adjustment is not None and len(found.possible[0].by_column) == 2:
                    others = [result.cpdag.index(name) for name in found.adjustment]
                    active = [
                        (k, v)
                        for k, v in zip((i, j), found.possible[0].by_column, strict=True)
                        if v
                    ]
                    fitted = [k for k, _ in active] + others
                    slopes = np.linalg.solve(
                        covariance[np.ix_(fitted, fitted)], covariance[fitted, y]
                    )
                    values = [value for _, value in active]
                    assert values == pytest.approx(slopes[: len(active)].tolist(), rel=1e-8)
                    seen += 1
    assert seen > 10


def _order(dag: Any) -> list[int]:
    left, order = list(range(len(dag))), []
    while left:
        first = next(v for v in left if not dag[left, v].any())
        left.remove(first)
        order.append(first)
    return order
