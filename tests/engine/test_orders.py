"""The second engine beside brute force over all DAGs, with scores that are not equivalent."""

from __future__ import annotations

import math
import os
import signal
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from greedag import _core
from greedag.scores.custom import engine_of
from helpers.blocks import bent_table, blocks_of, mixed_blocks
from helpers.engine import everything
from helpers.knowledge import engine_knowledge
from oracle.dag_search import AllDags, TableScore, random_score
from oracle.exact import optimum_by
from oracle.knowledge import Statements
from oracle.random_knowledge import KINDS, MIXTURE, consistent_statements

Matrix = NDArray[np.uint8]
TOLERANCE = 1e-7
KNOWN = (*KINDS, MIXTURE, MIXTURE)
SEEDS = range(45)


def engine(score: TableScore, n: float = 100.0) -> _core.CustomScore:
    return engine_of(score, tuple(f"x{y}" for y in range(len(score.table))), n)


def statements(seed: int, d: int) -> Statements | None:
    """Return nothing for every third seed, else knowledge of some kind."""
    if seed % 3 == 0:
        return None
    return consistent_statements(seed, d, KNOWN[seed % len(KNOWN)])[1]


def asked_of(known: Statements | None) -> dict[str, Any]:
    return {} if known is None else {"knowledge": engine_knowledge(known)}


def case(
    seed: int, *, refused: float = 0.0
) -> tuple[int, TableScore, AllDags, Statements | None, dict[str, Any]]:
    d = 4
    known = statements(seed, d)
    price = (0.0, 1.0, 3.0)[seed % 3 - 1]
    score = random_score(seed, d, refused=refused, price=price)
    return d, score, AllDags.scored(score, known), known, asked_of(known)


def dag_of(found: _core.SearchOutcome) -> Matrix:
    return np.asarray(found.adjacency, dtype=np.uint8)


def random_dag(seed: int, d: int, known: Statements | None) -> Matrix:
    """Return a random DAG that agrees with what is known."""
    rng = np.random.default_rng([seed, 1])
    while True:
        order = rng.permutation(d)
        dag = np.zeros((d, d), dtype=np.uint8)
        dag[np.ix_(order, order)] = np.triu(rng.random((d, d)) < rng.uniform(0.2, 0.9), 1)
        for tail, head in () if known is None else known.required:
            dag[tail, head] = 1
        for tail, head in () if known is None else known.forbidden:
            dag[tail, head] = 0
        is_acyclic = not np.linalg.matrix_power(dag.astype(int), d).any()
        if is_acyclic and (known is None or known.admits(dag)):
            return dag


def arcs_of(dag: Matrix) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in np.argwhere(dag)]


# ---- searches


@pytest.mark.parametrize("refused", [0.0, 0.4])
def test_the_exact_search_finds_the_best_of_all_dags(refused: float) -> None:
    for seed in SEEDS:
        _, score, every, known, options = case(seed, refused=refused)
        if not math.isfinite(every.best):
            continue
        found = _core.search(engine(score), "exact-dag", **options)
        assert found.score == pytest.approx(every.best, abs=TOLERANCE), seed
        assert score.of_dag(dag_of(found)) == pytest.approx(found.score, abs=TOLERANCE), seed
        assert known is None or known.admits(dag_of(found)), seed


def test_the_exact_search_finds_the_optimum_of_more_columns() -> None:
    for d in (6, 8):
        score = random_score(d, d)
        found = _core.search(engine(score), "exact-dag")
        assert found.score == pytest.approx(optimum_by(score.local_score, d), abs=TOLERANCE)
        assert found.bound == pytest.approx(found.score, abs=TOLERANCE)


@pytest.mark.parametrize("refused", [0.0, 0.4])
def test_orders_never_beat_the_best_dag_and_keep_to_what_is_known(refused: float) -> None:
    optima, runs = 0, 0
    for seed in SEEDS:
        d, score, every, known, options = case(seed, refused=refused)
        if not math.isfinite(every.best):
            continue
        if seed % 2:
            options["start"] = random_dag(seed, d, known)
        found = _core.search(engine(score), "orders", effort=seed % 4 / 3, **options)
        dag = dag_of(found)
        assert found.score <= every.best + TOLERANCE, seed
        assert score.of_dag(dag) == pytest.approx(found.score, abs=TOLERANCE), seed
        assert known is None or known.admits(dag), seed
        if seed % 2:
            assert found.score >= score.of_dag(options["start"]) - TOLERANCE, seed
        optima += found.score > every.best - TOLERANCE
        runs += 1
    assert optima >= (0.8 if refused == 0.0 else 0.5) * runs


def test_no_single_arc_improves_what_orders_find() -> None:
    for seed in SEEDS:
        d, score, _, known, options = case(seed)
        found = _core.search(engine(score), "orders", effort=0.0, **options)
        dag = dag_of(found)
        for x, y in np.ndindex(d, d):
            changed = dag.copy()
            changed[x, y] ^= 1
            changed[y, x] &= 1 - changed[x, y]
            is_dag = x != y and not np.linalg.matrix_power(changed.astype(int), d).any()
            if is_dag and (known is None or known.admits(changed)):
                assert score.of_dag(changed) <= found.score + TOLERANCE, (seed, x, y)


@pytest.mark.parametrize("name", ["orders", "exact-dag"])
def test_one_and_two_columns(name: str) -> None:
    one = TableScore(np.array([[3.0, 0.0]]))
    found = _core.search(engine(one), name, effort=1.0)
    assert (found.score, dag_of(found).tolist()) == (3.0, [[0]])
    two = TableScore(np.array([[1.0, 0.0, 4.0, 0.0], [1.0, 3.0, 0.0, 0.0]]))
    found = _core.search(engine(two), name, effort=1.0)
    assert (found.score, dag_of(found).tolist()) == (5.0, [[0, 0], [1, 0]])


@pytest.mark.parametrize("name", ["orders", "exact-dag"])
def test_where_no_arc_gains_there_are_no_edges(name: str) -> None:
    score = random_score(1, 5, price=100.0)
    found = _core.search(engine(score), name, effort=1.0)
    assert not dag_of(found).any()
    assert found.score == pytest.approx(score.table[:, 0].sum())


def test_required_arcs_that_cannot_be_scored_leave_no_score() -> None:
    score = random_score(0, 3)
    score.table[1] = np.where(np.arange(8) & 1, -np.inf, score.table[1])
    knowledge = _core.Knowledge(3, required=[(0, 1)])
    for name in ("orders", "exact-dag"):
        found = _core.search(engine(score), name, effort=1.0, knowledge=knowledge)
        assert found.score == -math.inf


def test_a_start_that_cannot_be_scored_is_left() -> None:
    score = random_score(3, 4)
    score.table[1, 0b0001] = -np.inf
    start = np.zeros((4, 4), dtype=np.uint8)
    start[0, 1] = 1
    found = _core.search(engine(score), "orders", effort=1.0, start=start)
    assert found.score == pytest.approx(AllDags.scored(score).best)


def test_scores_of_every_magnitude_end() -> None:
    for seed in range(8):
        score = random_score(seed, 5)
        score.table *= 10.0 ** np.random.default_rng(seed).integers(0, 17, score.table.shape)
        found = _core.search(engine(score), "orders", effort=0.05, time_limit=20.0)
        assert found.stopped == "", seed


# ---- threads, and going on


def large_scores() -> dict[str, tuple[_core.Score, dict[str, Any]]]:
    """Return scores of too many columns for a proof, with and without knowledge."""
    d = 16
    table = bent_table(d, 400, seed=3, density=0.2)
    tiers = [-1 if v % 3 else v // 6 for v in range(d)]
    knowledge = _core.Knowledge(
        d, required=[(15, 2)], forbidden=[(0, 1), (1, 0)], tiers=tiers, before=[(4, 7)]
    )
    additive = blocks_of(list(table.T), [False] * d, curves=3).engine()
    mixed = mixed_blocks(d, 400, seed=5, curves=3).engine()
    return {
        "additive": (additive, {}),
        "mixed": (mixed, {}),
        "knowledge": (additive, {"knowledge": knowledge}),
    }


@pytest.mark.parametrize("name", ["additive", "mixed", "knowledge"])
def test_the_outcome_is_the_same_on_any_number_of_threads(name: str) -> None:
    score, options = large_scores()[name]
    one, two, four = (
        everything(_core.search(score, "orders", effort=0.2, seed=4, jobs=jobs, **options))
        for jobs in (1, 2, 4)
    )
    assert one == two == four
    assert one[4]["round"] > 4


@pytest.mark.parametrize("name", ["additive", "knowledge"])
def test_a_search_that_goes_on_from_any_round_ends_where_the_undisturbed_one_does(
    name: str,
) -> None:
    score, options = large_scores()[name]
    options |= {"effort": 0.2, "seed": 4}
    whole = _core.search(score, "orders", **options)
    last = whole.refinement
    assert last is not None
    assert last.is_dag
    rng = np.random.default_rng(0)
    for most in sorted(rng.choice(np.arange(1, last.round), 4, replace=False).tolist()):
        part = _core.search(score, "orders", **{**options, "effort": 0.2 * most / last.round})
        at = part.refinement
        assert at is not None
        on = _core.search(
            score, "orders", jobs=1 + most % 2, resume=with_effort(at, 0.2), **options
        )
        assert everything(on) == everything(whole)
    assert everything(_core.search(score, "orders", resume=last, **options)) == everything(whole)


def with_effort(at: _core.Refinement, effort: float) -> _core.Refinement:
    """Return the same state, as a checkpoint restores it."""
    names = ("adjacency", "score", "evaluations", "work", "round", "kept", "rounds_without_gain")
    more = (
        "climbed",
        "needs_xges",
        "counts",
        "capped_targets",
        "has_jumped",
        "is_dag",
    )
    return _core.Refinement(effort=effort, **{name: getattr(at, name) for name in (*names, *more)})


def test_what_belongs_to_another_search_is_not_resumed() -> None:
    score, options = large_scores()["additive"]
    at = _core.search(score, "orders", effort=0.1, **options).refinement
    assert at is not None
    with pytest.raises(ValueError, match="another search"):
        _core.search(score, "xges", effort=0.1, resume=at)


def test_a_start_that_contradicts_what_is_known_is_refused() -> None:
    start = np.array([[0, 1], [0, 0]], dtype=np.uint8)
    knowledge = _core.Knowledge(2, forbidden=[(0, 1)])
    score = engine(random_score(0, 2))
    with pytest.raises(ValueError, match="known"):
        _core.search(score, "orders", start=start, knowledge=knowledge)
    with pytest.raises(ValueError, match="known"):
        _core.open_margins(score, start, knowledge=knowledge)


# ---- the best member, and what turning each edge loses


def measured(
    score: TableScore, dag: Matrix, least: float = -math.inf, **options: Any
) -> tuple[Matrix, list[tuple[int, int, float, bool]]]:
    best, margins = _core.open_margins(engine(score), dag, least=least, **options)
    return np.asarray(best, dtype=np.uint8), sorted(margins)


@pytest.mark.parametrize("refused", [0.0, 0.3])
def test_open_margins_are_those_of_all_members(refused: float) -> None:
    edges = 0
    for seed in SEEDS:
        d, score, every, known, options = case(seed, refused=refused)
        dag = random_dag(seed, d, known)
        if not math.isfinite(score.of_dag(dag)):
            continue
        arcs = arcs_of(dag)[:: 1 + d] if seed % 2 else []
        expected = every.margins(dag, known, arcs)
        best, found = measured(score, dag, arcs=arcs, **options)
        assert [(m.tail, m.head) for m in expected] == [(t, h) for t, h, *_ in found], seed
        for twin, (_, _, margin, is_proven) in zip(expected, found, strict=True):
            assert margin == pytest.approx(twin.margin, abs=TOLERANCE), seed
            assert is_proven, seed
        assert known is None or known.admits(best), seed
        assert (_core.cpdag_of_dag(best) == _core.cpdag_of_dag(dag)).all(), seed
        assert all(best[arc] for arc in arcs), seed
        edges += len(found)
    assert edges > (15 if refused else 30)


def test_margins_above_the_least_are_lower_bounds() -> None:
    above = below = 0
    for seed in SEEDS:
        d, score, every, known, options = case(seed)
        dag = random_dag(seed, d, known)
        least = 1.5
        expected = {(m.tail, m.head): m.margin for m in every.margins(dag, known, [])}
        for tail, head, margin, is_proven in measured(score, dag, least, **options)[1]:
            true = expected[tail, head]
            assert (margin > least) == (true > least), seed
            if is_proven:
                assert margin == pytest.approx(true, abs=TOLERANCE), seed
            elif margin > least:
                assert margin <= true + TOLERANCE, seed
            else:
                assert true <= margin + TOLERANCE, seed
            above += margin > least
            below += margin <= least
    assert above > 5
    assert below > 5


def test_without_undirected_edges_nothing_is_open() -> None:
    v_structure = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)
    best, margins = measured(random_score(0, 3), v_structure)
    assert margins == []
    assert (best == v_structure).all()


def test_a_margin_that_time_does_not_allow_to_measure_directs_nothing() -> None:
    chain = np.triu(np.ones((6, 6), dtype=np.uint8), 1)
    score = random_score(2, 6)
    for calls in (1, 5, 8, 20, 60, 150):
        slow = Slow(score, calls)
        best, margins = _core.open_margins(
            engine_of(slow, tuple("abcdef"), 100.0), chain, least=0.5, time_limit=0.05
        )
        assert (_core.cpdag_of_dag(best) == _core.cpdag_of_dag(chain)).all()
        for _, _, margin, is_proven in margins:
            assert not math.isnan(margin), calls
            assert is_proven or margin <= 0.5, calls
        assert slow.left >= -6  # the scores of the DAG itself, at most


class Slow:
    """A score that takes all the time there is from one of the calls on."""

    is_equivalent = False

    def __init__(self, score: TableScore, calls: int) -> None:
        self.score, self.left = score, calls

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        """Return the score, late."""
        self.left -= 1
        if self.left == 0:
            time.sleep(0.06)
        return self.score.local_score(y, parents)


# ---- single arcs


def test_removed_arcs_lose_the_difference_of_the_local_scores() -> None:
    for seed in SEEDS:
        d, score, *_ = case(seed, refused=0.2)
        dag = random_dag(seed, d, None)
        arcs = arcs_of(dag)
        gains = _core.removed_arcs(engine(score), dag, arcs)
        for (x, y), gain in zip(arcs, gains, strict=True):
            mask = sum(1 << int(p) for p in np.flatnonzero(dag[:, y]))
            before, after = score.table[y, mask], score.table[y, mask ^ 1 << x]
            if math.isfinite(before) and math.isfinite(after):
                assert gain == pytest.approx(after - before, abs=TOLERANCE), seed
            else:
                assert gain == -math.inf, seed


@pytest.mark.parametrize("refused", [0.0, 0.3])
def test_turned_arcs_never_beat_the_best_dag_with_the_arc_turned(refused: float) -> None:
    optima = arcs_looked_at = 0
    for seed in SEEDS:
        d, score, every, known, options = case(seed, refused=refused)
        dag = random_dag(seed, d, known)
        here = score.of_dag(dag)
        if not math.isfinite(here):
            continue
        arcs = arcs_of(dag)
        for (x, y), gain in zip(
            arcs, _core.turned_arcs(engine(score), dag, arcs, **options), strict=True
        ):
            best = every.best_with(y, x) - here
            assert gain is None or gain <= best + TOLERANCE, (seed, x, y)
            assert gain is not None or not math.isfinite(best) or refused or known, (seed, x, y)
            optima += gain is not None and gain > best - TOLERANCE
            arcs_looked_at += math.isfinite(best)
    assert optima > (0.2 if refused else 0.5) * arcs_looked_at


# ---- ends


def test_a_search_without_time_ends_with_what_it_starts_from() -> None:
    score, _ = large_scores()["additive"]
    for name in ("orders", "exact-dag"):
        if name == "exact-dag":
            score = blocks_of(list(bent_table(8, 200, seed=1).T), [False] * 8, curves=3).engine()
        found = _core.search(score, name, effort=1.0, time_limit=0.0)
        assert found.stopped == "time limit"
        assert found.score == pytest.approx(score.of_dag(dag_of(found)))


@pytest.mark.clock
@pytest.mark.parametrize("seconds", [0.001, 0.05, 0.3])
def test_time_limits_are_kept(seconds: float) -> None:
    score = blocks_of(list(bent_table(40, 300, seed=1).T), [False] * 40, curves=5).engine()
    started = time.perf_counter()
    found = _core.search(score, "orders", effort=50.0, time_limit=seconds, jobs=2)
    assert time.perf_counter() - started < seconds + 0.25
    assert found.stopped == "time limit"
    assert found.score == pytest.approx(score.of_dag(dag_of(found)))


class Interrupting:
    """A score that is interrupted at one of its calls."""

    is_equivalent = False

    def __init__(self, score: TableScore, call: int, how: str) -> None:
        self.score, self.left, self.how, self.after = score, call, how, 0

    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        """Return the score."""
        self.left -= 1
        self.after += self.left < 0
        if self.left == 0:
            if self.how == "raise":
                raise KeyboardInterrupt
            os.kill(os.getpid(), signal.SIGINT)
        return self.score.local_score(y, parents)


@pytest.mark.parametrize("how", ["raise", "signal"])
@pytest.mark.parametrize("name", ["orders", "exact-dag"])
@pytest.mark.parametrize("call", [1, 3, 10, 100])
def test_an_interrupt_at_any_call_ends_the_search(name: str, call: int, how: str) -> None:
    d = 7
    score = random_score(call, d)
    interrupting = Interrupting(score, call, how)
    asked = engine_of(interrupting, tuple(f"x{y}" for y in range(d)), 100.0)
    try:
        found = _core.search(asked, name, effort=1.0)
    except KeyboardInterrupt:
        assert how == "signal"
        return
    assert found.stopped == "interrupt"
    assert interrupting.after <= 2 * d
    if not math.isnan(found.score):
        assert found.score == pytest.approx(score.of_dag(dag_of(found)))


@pytest.mark.parametrize("call", [1, 3, 10, 40])
def test_margins_are_interrupted_by_a_score_that_is(call: int) -> None:
    dag = np.triu(np.ones((5, 5), dtype=np.uint8), 1)
    asked = engine_of(Interrupting(random_score(0, 5), call, "raise"), tuple("abcde"), 100.0)
    with pytest.raises(KeyboardInterrupt):
        _core.open_margins(asked, dag)


def test_what_a_score_raises_leaves_the_search() -> None:
    class Failing(TableScore):
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            if len(parents) == 2:
                raise ZeroDivisionError("two parents")
            return TableScore.local_score(self, y, parents)

    table = random_score(0, 5, price=-3.0).table
    for name in ("orders", "exact-dag"):
        with pytest.raises(ZeroDivisionError, match="two parents"):
            _core.search(engine(Failing(table)), name, effort=1.0)
