"""Learning with scores that tell the members of a class apart: curves, and custom scores."""

from __future__ import annotations

import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import (
    XGES,
    DataError,
    Knowledge,
    OptionError,
    Result,
    SearchInterrupted,
    check_score,
    exact,
    learn,
    metrics,
    simulate,
)
from greedag.result.serialization import load_result
from greedag.scores import AdditiveBIC
from greedag.statistics.basis import BasisMoments
from oracle.dag_search import TableScore, random_score
from oracle.local_scores import K2

SEARCHES = ("xges0", "ges", "ges-r", "ops", "fges")


def curved(d: int = 6, *, n: int = 600, seed: int = 0) -> simulate.AdditiveSimulation:
    return simulate.additive(d, 1.2, n, seed=seed, curve=["tanh", "square"], noise_sd=0.4)


def table_of(drawn: Any) -> pd.DataFrame:
    return pd.DataFrame(drawn.data, columns=drawn.names)


def arcs_of(result: Result) -> set[tuple[str, str]]:
    names = result.cpdag.names
    return {(names[x], names[y]) for x, y in np.argwhere(result.best_dag)}


def is_member(result: Result) -> bool:
    """Whether the best DAG has the edges of the graph, and every one that is directed."""
    shown, dag = result.graph.to_matrix(), result.best_dag
    is_same_class = (metrics.shd(result.cpdag, type(result.cpdag).from_dag(dag))) == 0
    return bool((dag <= shown).all()) and is_same_class


# ---- curves


@pytest.mark.parametrize("seed", [2, 3, 5, 6])
def test_curves_show_the_whole_dag(seed: int) -> None:
    drawn = curved(seed=seed)
    result = learn(table_of(drawn), score="additive")
    assert result.search == "orders"
    assert (result.best_dag == drawn.dag).all()
    assert is_member(result)
    wrong = set(result.graph.directed) - {
        (drawn.names[x], drawn.names[y]) for x, y in np.argwhere(drawn.dag)
    }
    assert not wrong
    assert {found.kind for found in result.evidence} <= {"curve"}
    assert all(found.margin is None or found.margin > 0 for found in result.evidence)
    for found in result.evidence:
        assert result.graph.reason(found.tail, found.head).rule != "both"


def test_exact_finds_no_less_than_orders() -> None:
    for seed in range(3):
        table = table_of(curved(seed=seed))
        best, found = exact(table, score="additive"), learn(table, score="additive")
        assert best.search == "exact"
        assert found.score <= best.score + 1e-6
        assert is_member(best)


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_over_classes_are_refused_with_a_way_out(search: Any) -> None:
    with pytest.raises(OptionError, match=r"'orders' or 'exact'.*" + search):
        learn(table_of(curved()), score="additive", search=search)


KNOWN = {
    "required": {"required": [("x5", "x0")]},
    "forbidden": {"forbidden": [("x0", "x1"), ("x1", "x2"), ("x2", "x3"), ("x3", "x4")]},
    "tiers": {"tiers": [["x5", "x4"], ["x3", "x2"], ["x1", "x0"]]},
    "partial tiers": {"tiers": [["x5"], ["x0"]], "before": [("x3", "x1")]},
}


@pytest.mark.parametrize("said", KNOWN)
@pytest.mark.parametrize("how", [learn, exact])
def test_what_is_known_is_respected(said: str, how: Any) -> None:
    drawn = curved(seed=1)
    table = table_of(drawn)
    table.columns = [f"x{j}" for j in range(6)]
    known = Knowledge(**KNOWN[said])
    result = how(table, score="additive", knowledge=known)
    assert is_member(result)
    assert_respected(result, said)


def assert_respected(result: Result, said: str) -> None:
    arcs, names = arcs_of(result), list(result.cpdag.names)
    paths = result.best_dag.astype(bool)
    for via in range(len(names)):
        paths |= np.outer(paths[:, via], paths[via])
    above = {(names[x], names[y]) for x, y in np.argwhere(paths)}
    statements = KNOWN[said]
    assert arcs >= set(statements.get("required", ()))
    assert set(result.graph.directed) >= set(statements.get("required", ()))
    assert not arcs & set(statements.get("forbidden", ()))
    tiers = statements.get("tiers", ())
    later = [
        (b, a) for i, tier in enumerate(tiers) for a in tier for t in tiers[i + 1 :] for b in t
    ]
    assert not above & {*later, *((b, a) for a, b in statements.get("before", ()))}


def test_linear_gaussian_effects_leave_open_what_the_class_does() -> None:
    directed = open_edges = 0
    for seed in range(4):
        drawn = simulate.linear_gaussian(8, 1.5, 2000, seed=seed)
        result = learn(drawn.data, score="additive")
        directed += len(result.graph.directed) - len(result.cpdag.directed)
        open_edges += len(result.cpdag.undirected)
    assert open_edges > 8
    assert directed == 0


def test_columns_without_edges() -> None:
    rng = np.random.default_rng(0)
    for d in (2, 4):
        result = learn(rng.normal(size=(200, d)), score="additive")
        assert result.search == "orders"
        assert not result.best_dag.any()
        assert result.evidence == ()


# ---- the same outcome


def outcome(result: Result) -> tuple[Any, ...]:
    return result.graph, result.score, result.best_dag.tobytes(), result.evidence, result.counts


def wide() -> pd.DataFrame:
    """Return more columns than a proof takes."""
    return table_of(simulate.additive(14, 1.5, 400, seed=3))


def test_threads_do_not_change_the_result() -> None:
    table = wide()
    one, two = (learn(table, score="additive", n_jobs=jobs, effort=0.2) for jobs in (1, 2))
    assert outcome(one) == outcome(two)
    assert one.counts["rounds"] > 0


def test_a_search_resumed_from_a_checkpoint_ends_as_the_undisturbed_one(tmp_path: Path) -> None:
    table, file = wide(), tmp_path / "checkpoint"
    whole = learn(table, score="additive", effort=0.3)
    for effort in (0.05, 0.1):
        learn(table, score="additive", effort=effort, checkpoint=file)
    assert outcome(learn(table, score="additive", effort=0.3, checkpoint=file)) == outcome(whole)
    with pytest.raises(OptionError):
        learn(table, search="xges", effort=0.3, checkpoint=file)


def test_a_saved_result_is_loaded_as_it_was(tmp_path: Path) -> None:
    result = learn(table_of(curved(seed=2)), score="additive")
    result.save(tmp_path / "result.json")
    loaded = load_result(tmp_path / "result.json")
    assert loaded.graph == result.graph
    assert loaded.evidence == result.evidence
    assert (loaded.best_dag == result.best_dag).all()
    assert loaded.score == result.score


def test_estimators_take_the_score() -> None:
    table = table_of(curved(seed=0))
    fitted = XGES(scoring_method="additive").fit(table)
    assert fitted.result_.search == "orders"
    assert fitted.result_.graph == learn(table, score="additive").graph


def test_further_rows_need_the_bases_of_the_first() -> None:
    table = table_of(curved(seed=5))
    fitted = XGES(scoring_method="additive").fit(table.iloc[:300])
    with pytest.raises(DataError, match=r"bases=first\.bases"):
        fitted.partial_fit(table.iloc[300:])
    bases = fitted.result_.statistics.bases
    fitted.partial_fit(BasisMoments.from_data(table.iloc[300:], bases=bases))
    assert fitted.result_.search == "orders"
    counted = fitted.result_.statistics
    assert counted.n + counted.dropped == len(table)
    assert (fitted.result_.best_dag == curved(seed=5).dag).all()


# ---- limits


def test_a_time_limit_ends_with_a_result() -> None:
    table = wide()
    result = learn(table, score="additive", effort=math.inf, time_limit=0.5)
    assert result.stopped == "time limit"
    assert is_member(result)
    assert math.isfinite(result.score)


class Pausing:
    """A score that takes a while, and is interrupted at one of its calls."""

    is_equivalent = False

    def __init__(self, score: TableScore, call: int = -1, seconds: float = 0.0) -> None:
        self.score, self.left, self.seconds, self.after = score, call, seconds, 0

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        """Return the score."""
        self.left -= 1
        self.after += self.left < 0
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)
        time.sleep(self.seconds)
        return self.score.local_score(y, parents)


@pytest.mark.parametrize("call", [30, 100, 170])
def test_after_an_interrupt_only_the_scores_of_the_dag_so_far_are_asked_for(call: int) -> None:
    score = Pausing(random_score(1, 7), call)
    with pytest.raises((SearchInterrupted, KeyboardInterrupt)) as caught:
        learn(np.zeros((50, 7)), score=score)
    assert score.after <= 7
    if isinstance(caught.value, SearchInterrupted):
        assert is_member(caught.value.result)


@pytest.mark.clock
def test_a_slow_score_keeps_to_the_time_limit() -> None:
    score = Pausing(random_score(1, 9, price=-1.0), seconds=0.005)
    started = time.perf_counter()
    result = learn(np.zeros((50, 9)), score=score, time_limit=0.5)
    assert time.perf_counter() - started < 1.0
    assert result.stopped == "time limit"


# ---- custom scores


def rows(d: int = 4) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=(100, d))


def test_a_custom_score_that_says_it_is_not_equivalent_is_searched_among_dags() -> None:
    directed = 0
    for seed in range(6):
        score = random_score(seed, 4)
        result = learn(rows(), score=score)
        assert result.search == "orders"
        assert result.score == pytest.approx(score.of_dag(result.best_dag))
        assert is_member(result)
        assert {found.kind for found in result.evidence} <= {"score"}
        assert result.score <= exact(rows(), score=score).score + 1e-9
        directed += len(result.evidence)
    assert directed > 3


def test_the_same_score_without_saying_so_is_searched_over_classes() -> None:
    score = random_score(0, 4)
    score.is_equivalent = True
    assert learn(rows(), score=score).search == "xges"
    assert learn(rows(), score=score, search="orders").search == "orders"


def test_an_edge_that_can_be_scored_in_one_direction_only_is_directed(tmp_path: Path) -> None:
    table = np.zeros((2, 4))
    table[1] = [0.0, 5.0, 0.0, 0.0]
    table[0] = [0.0, 0.0, -np.inf, 0.0]
    result = learn(rows(2), score=TableScore(table))
    (found,) = result.evidence
    assert (found.tail, found.head, found.margin) == (*result.cpdag.names, None)
    assert len(result.graph.directed) == 1
    result.save(tmp_path / "result.json")
    assert load_result(tmp_path / "result.json").evidence == result.evidence


def test_check_score_says_what_to_do_about_a_score_that_is_not_equivalent() -> None:
    said = str(check_score(random_score(0, 4), d=4))
    assert said.startswith("not score equivalent")
    assert "is_equivalent = False" in said
    assert "search='orders'" in said
    levels = np.random.default_rng(1).integers(0, 3, (200, 4))
    assert "is_equivalent = False" in str(check_score(K2(levels), d=4))
    assert not check_score(AdditiveBIC(), table_of(curved())).ok


def test_orders_with_an_equivalent_score_lie_between_a_greedy_search_and_the_best() -> None:
    for seed in range(4):
        data = simulate.linear_gaussian(7, 2.0, 300, seed=seed).data
        orders = learn(data, search="orders")
        assert orders.search == "orders"
        assert orders.evidence == ()
        assert orders.graph == learn(data, search="orders", seed=5).graph
        assert learn(data, search="xges0").score - 1e-6 <= orders.score
        assert orders.score <= exact(data).score + 1e-6
