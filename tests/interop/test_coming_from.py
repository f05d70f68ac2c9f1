"""What docs/coming-from.md says of other packages holds where they are installed."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from greedag import CPDAG, interop, learn, score_graph, scores, simulate

NAMES = list("abcdef")
TABLE = pd.DataFrame(simulate.linear_gaussian(6, 1.5, 1000, seed=3).data, columns=NAMES)
OURS = learn(TABLE, search="ges", alpha=1)


def parents_in(dag: np.ndarray, y: int) -> list[int]:
    return [int(x) for x in np.flatnonzero(dag[:, y])]


@pytest.mark.parametrize("penalty", [0.5, 1.0])
def test_ges_of_causal_learn_finds_the_same_class_and_score(penalty: float) -> None:
    module = pytest.importorskip("causallearn.search.ScoreBased.GES")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = module.ges(TABLE.to_numpy(), node_names=NAMES, lambda_value=penalty)
    result = learn(TABLE, search="ges", alpha=2.0 * penalty)
    assert interop.from_causal_learn(record["G"]) == result.cpdag
    assert record["score"] == pytest.approx(result.score, rel=1e-9)


def test_bic_of_pgmpy_differs_by_the_constant_of_the_page() -> None:
    module = pytest.importorskip("pgmpy.structure_score")
    dag, score = OURS.cpdag.to_dag(), module.BICGauss(TABLE)
    total = sum(
        score.local_score(NAMES[y], tuple(NAMES[x] for x in parents_in(dag, y))) for y in range(6)
    )
    n, d = TABLE.shape
    constant = d / 2 * (n * math.log(2 * math.pi) + math.log(n))
    assert total + constant == pytest.approx(score_graph(TABLE, OURS.cpdag, alpha=1), rel=1e-9)


def test_bdeu_of_pgmpy_is_the_same() -> None:
    module = pytest.importorskip("pgmpy.structure_score")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 2, 300), "b": rng.integers(0, 3, 300)})
    table["c"] = (table.a + table.b + rng.integers(0, 2, 300)) % 3
    score = module.BDeu(table, equivalent_sample_size=10)
    total = score.local_score("a", ()) + score.local_score("b", ())
    total += score.local_score("c", ("a", "b"))
    graph = CPDAG.from_dag([[0, 0, 1], [0, 0, 1], [0, 0, 0]], names=list("abc"))
    ours = score_graph(table, graph, score=scores.BDeu(equivalent_sample_size=10))
    assert total == pytest.approx(ours, rel=1e-9)
