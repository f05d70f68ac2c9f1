"""Discrete scores: their formulas, equivalence, whole searches beside the naive twin, and peers."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from greedag import Levels, _core, learn, score_graph
from greedag._options import SEARCHES
from greedag.scores import BDeu, DiscreteBIC
from helpers.differential import first_difference
from oracle import discrete, naive_search

Local = Callable[..., float]
CASES: list[tuple[BDeu | DiscreteBIC, Local]] = [
    (DiscreteBIC(), discrete.bic),
    (DiscreteBIC(alpha=3.5), functools.partial(discrete.bic, alpha=3.5)),
    (BDeu(), discrete.bdeu),
    (BDeu(equivalent_sample_size=0.1), functools.partial(discrete.bdeu, ess=0.1)),
    (BDeu(equivalent_sample_size=1000), functools.partial(discrete.bdeu, ess=1000)),
]
IDS = [repr(score) for score, _ in CASES]


def engine_of(
    rows: Sequence[Sequence[int]], score: BDeu | DiscreteBIC, **options: object
) -> _core.Score:
    levels = Levels.from_data(np.array(rows), **options)  # type: ignore[arg-type]
    return score.bind(levels, check=False)


@pytest.mark.parametrize(("score", "local"), CASES, ids=IDS)
def test_local_scores_are_those_of_the_formulas(score: BDeu | DiscreteBIC, local: Local) -> None:
    rng = np.random.default_rng(7)
    for seed in range(20):
        rows = discrete.random_rows(seed, 7, 300, most_levels=5)
        engine = engine_of(rows, score)
        for _ in range(10):
            y, *parents = rng.permutation(7)[: rng.integers(1, 8)].tolist()
            expected = local(rows, y, parents)
            assert engine.local_score(y, parents) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("score", "local"), CASES, ids=IDS)
@pytest.mark.parametrize("whole", [True, False])
def test_weights_count_as_so_many_rows(
    score: BDeu | DiscreteBIC, local: Local, whole: bool
) -> None:
    rng = np.random.default_rng(3)
    rows = discrete.random_rows(5, 6, 200)
    weights = rng.integers(1, 5, 200) if whole else rng.uniform(0.1, 5.0, 200)
    engine = engine_of(rows, score, weights=weights)
    for _ in range(40):
        y, *parents = rng.permutation(6)[: rng.integers(1, 6)].tolist()
        expected = local(rows, y, parents, weights=weights.tolist())
        assert engine.local_score(y, parents) == pytest.approx(expected, rel=1e-9)
    if whole:
        repeated = engine_of(np.repeat(rows, weights, axis=0).tolist(), score)
        assert engine.local_score(0, [1, 2]) == repeated.local_score(0, [1, 2])


@pytest.mark.parametrize(("score", "local"), CASES[:3:2], ids=IDS[:3:2])
def test_scores_are_right_for_many_levels_and_many_parents(
    score: BDeu | DiscreteBIC, local: Local
) -> None:
    # So many cells that they are counted by sorting, and codes of one, two and four bytes.
    rng = np.random.default_rng(1)
    n = 66_000
    wide = np.column_stack([np.arange(n), *(rng.integers(0, r, n) for r in (300, 300, 5, 2))])
    rows = wide[rng.permutation(n)].tolist()
    engine = engine_of(rows, score)
    for y, parents in ((3, [1, 2]), (2, [0, 3]), (4, [0, 1, 2, 3])):
        expected = local(rows, y, parents)
        assert engine.local_score(y, parents) == pytest.approx(expected, rel=1e-9)


def test_numbers_of_cells_beyond_any_double_give_no_infinity() -> None:
    rows = np.random.default_rng(0).integers(0, 10, (500, 400))
    parents = list(range(1, 400))
    bdeu = engine_of(rows.tolist(), BDeu()).local_score(0, parents)
    # Every row is alone in its cell, which leaves -log r for each.
    assert bdeu == pytest.approx(-500 * math.log(10), rel=1e-9)
    few = engine_of(rows.tolist(), DiscreteBIC()).local_score(0, parents[:200])
    assert math.isfinite(few)
    assert few < -1e200
    assert engine_of(rows.tolist(), DiscreteBIC()).local_score(0, parents) == -math.inf


@pytest.mark.parametrize(("score", "local"), CASES, ids=IDS)
def test_members_of_a_class_have_the_same_score(score: BDeu | DiscreteBIC, local: Local) -> None:
    for d in (2, 3, 4):
        engine = engine_of(discrete.random_rows(d, d, 100), score)
        for dag in discrete.dags(d):
            for other in discrete.covered_reversals(dag):
                assert engine.of_dag(other) == pytest.approx(engine.of_dag(dag), rel=1e-12)


@pytest.mark.parametrize(("score", "local"), CASES, ids=IDS)
def test_turning_covered_edges_of_larger_dags_leaves_the_score(
    score: BDeu | DiscreteBIC, local: Local
) -> None:
    rng = np.random.default_rng(2)
    engine = engine_of(discrete.random_rows(9, 9, 400), score)
    for _ in range(50):
        order = rng.permutation(9)
        dag = np.triu(rng.random((9, 9)) < 0.4, 1).astype(np.uint8)[np.ix_(order, order)]
        for other in discrete.covered_reversals(dag):
            assert engine.of_dag(other) == pytest.approx(engine.of_dag(dag), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("score", "local"), CASES[::2], ids=IDS[::2])
def test_every_search_takes_the_same_operators_as_its_naive_twin(
    score: BDeu | DiscreteBIC, local: Local, seed: int
) -> None:
    d, n = 3 + seed % 6, 50 * 2 ** (seed % 5)
    rows = discrete.random_rows(seed, d, n)
    engine = engine_of(rows, score)
    known = functools.cache(lambda y, parents: local(rows, y, parents))
    for name in SEARCHES:
        found = _core.search(engine, name, clique_cap=0, trial_cap=0)
        twin = naive_search.search_by(known, d, n, name)
        assert first_difference(found, twin) == ""


@pytest.mark.parametrize("score", [BDeu(), DiscreteBIC()], ids=repr)
def test_outcomes_do_not_depend_on_threads_or_on_the_order_of_rows_and_levels(
    score: BDeu | DiscreteBIC,
) -> None:
    rows = np.array(discrete.random_rows(11, 25, 1500))
    base = learn(rows, score=score)
    assert len(base.trace) > 10
    for jobs in (2, 4):
        assert learn(rows, score=score, n_jobs=jobs) == base
    shuffled = np.random.default_rng(0).permutation(rows)
    again = learn(7 - shuffled, score=score)
    assert (again.trace, again.score) == (base.trace, base.score)


def test_results_have_the_score_of_their_class() -> None:
    rows = np.array(discrete.random_rows(4, 8, 500))
    for search, score in itertools.product(SEARCHES, ("bdeu", "discrete-bic")):
        result = learn(rows, search=search, score=score)
        assert score_graph(rows, result.cpdag, score=score) == result.score


def test_scores_equal_those_of_pgmpy() -> None:
    from pgmpy.structure_score import BIC
    from pgmpy.structure_score import BDeu as PgmpyBDeu

    rows = discrete.random_rows(21, 6, 400)
    frame = pd.DataFrame(rows, columns=[*"abcdef"]).astype(str)
    pairs = [
        (PgmpyBDeu(frame, equivalent_sample_size=10), BDeu(equivalent_sample_size=10)),
        (PgmpyBDeu(frame, equivalent_sample_size=1), BDeu()),
        (BIC(frame), DiscreteBIC()),
    ]
    for theirs, ours in pairs:
        engine = ours.bind(Levels.from_data(frame))
        for y, parents in ((0, []), (1, [0]), (2, [0, 1]), (5, [1, 3, 4])):
            expected = theirs.local_score("abcdef"[y], tuple("abcdef"[p] for p in parents))
            assert engine.local_score(y, parents) == pytest.approx(expected, rel=1e-9)
