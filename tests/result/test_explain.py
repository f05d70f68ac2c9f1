"""Explanations: gains against a twin that scores both classes from scratch, trace, words."""

from __future__ import annotations

import copy
import html
import pickle
import time
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from greedag import CPDAG, DataError, Knowledge, Moments, Operator, Result, _core, learn, simulate
from greedag._options import SEARCHES
from greedag.errors import DataTypeError
from greedag.graph.orientation import Direction
from greedag.result.explain import Explanation, explanations
from oracle import brute_force, naive_search

Rows = NDArray[np.float64]
Matrix = NDArray[np.uint8]


def member_of(cpdag: Matrix) -> Matrix:
    """One member DAG: sinks whose neighbours are joined with all that they touch go one by one."""
    left, dag = cpdag.astype(bool), np.zeros_like(cpdag)
    alive = set(range(len(cpdag)))
    while alive:
        for v in sorted(alive):
            near = left[v] & left[:, v]
            touched = left[v] | left[:, v]
            joined = all(
                (touched & ~(left[u] | left[:, u])).sum() == 1 for u in np.flatnonzero(near)
            )
            if joined and not (left[v] & ~left[:, v]).any():
                break
        else:
            raise ValueError("no member")
        dag[:, v] = left[:, v]
        left[v] = left[:, v] = False
        alive.remove(v)
    return dag


class Scratch:
    """Scores of whole classes from raw rows, by least squares; shares no code with the package."""

    def __init__(self, rows: Rows, alpha: float) -> None:
        covariance = np.cov(rows.T, bias=True)
        self.local = cache(
            lambda y, parents: brute_force.local_score(
                covariance, len(rows), alpha, y, list(parents)
            )
        )

    def score(self, cpdag: Matrix) -> float:
        dag = member_of(cpdag)
        return sum(
            self.local(y, tuple(np.flatnonzero(dag[:, y]).tolist())) for y in range(len(dag))
        )


def factor_rows(d: int, n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 1)) @ rng.uniform(0.5, 1.5, (1, d)) + rng.normal(size=(n, d))


def tables() -> list[tuple[Rows, str, float]]:
    drawn = [
        (simulate.linear_gaussian(15, rho, n, seed=seed).data, search, alpha)
        for seed, (rho, n, search, alpha) in enumerate(
            [
                (1.5, 300, "xges", 2.0),
                (2.5, 1000, "xges0", 2.0),
                (2.5, 100, "xges", 1.0),
                (4.0, 2000, "ges", 2.0),
                (4.0, 200, "ops", 1.0),
                (3.0, 5000, "fges", 3.0),
                (3.0, 400, "ges-r", 1.0),
                (2.0, 10_000, "xges", 2.0),
                (1.0, 50, "xges0", 0.5),
                (5.0, 1000, "xges", 2.0),
            ]
        )
    ]
    return [*drawn, (factor_rows(8, 300, 1), "xges", 2.0), (factor_rows(8, 200, 2), "xges0", 2.0)]


@pytest.mark.parametrize("case", range(12))
def test_gains_are_the_best_differences_of_scores_from_scratch(case: int) -> None:
    rows, search, alpha = tables()[case]
    result = learn(rows, search=search, alpha=alpha)
    matrix, scratch = result.cpdag.to_matrix(), Scratch(rows, alpha)
    before = scratch.score(matrix)
    assert result.score == pytest.approx(before, rel=1e-9)
    differences: dict[tuple[str, frozenset[int]], list[float]] = {}
    for kind in naive_search.KINDS:
        for _, x, y, T, *_ in naive_search.valid_operators(matrix, kind):
            after = scratch.score(naive_search.apply(matrix, kind, x, y, T))
            differences.setdefault((kind, frozenset((x, y))), []).append(after - before)
    names = result.cpdag.names
    pairs = list(combinations(range(len(names)), 2))
    explained = explanations(result, [(names[a], names[b]) for a, b in pairs])
    assert len(explained) == len(names) * (len(names) - 1) // 2
    for pair, explanation in zip(pairs, explained, strict=True):
        found = {
            "delete": explanation.delete,
            "insert": explanation.insert,
            "reverse": explanation.alternative,
        }
        for kind, operator in found.items():
            expected = differences.get((kind, frozenset(pair)))
            if expected is None:
                assert operator is None
                continue
            assert operator is not None
            assert operator.gain == pytest.approx(max(expected), rel=1e-7, abs=1e-6)
            reached = naive_search.apply(matrix, kind, operator.x, operator.y, operator.T)
            assert operator.gain == pytest.approx(scratch.score(reached) - before, abs=1e-6)
        if explanation.delete:
            assert explanation.strength == -explanation.delete.gain


def test_the_cases_above_are_more_than_a_thousand_pairs() -> None:
    sizes = [rows.shape[1] for rows, _, _ in tables()]
    edges = 0
    for rows, search, alpha in tables():
        cpdag = learn(rows, search=search, alpha=alpha).cpdag
        edges += len(cpdag.directed) + len(cpdag.undirected)
    assert sum(d * (d - 1) // 2 for d in sizes) >= 1000
    assert edges >= 300


@pytest.fixture(scope="module", params=SEARCHES)
def result(request: pytest.FixtureRequest) -> Result:
    drawn = simulate.linear_gaussian(12, 3.0, 1000, seed=3)
    return learn(drawn.data, search=request.param, alpha=1.0)


def test_strengths_are_all_edges_strongest_first_with_their_losses(result: Result) -> None:
    strengths = result.strengths()
    losses = [strength.loss for strength in strengths]
    assert losses == sorted(losses, reverse=True)
    marks = {(s.a, s.b): s.edge for s in strengths}
    directed = {pair: "→" for pair in result.cpdag.directed}
    assert marks == directed | {pair: "-" for pair in result.cpdag.undirected}
    for strength in strengths:
        assert result.explain(strength.a, strength.b).strength == strength.loss
        assert result.explain(strength.b, strength.a).strength == strength.loss


def test_the_origin_is_the_step_from_which_on_the_pair_is_adjacent(result: Result) -> None:
    graphs = [np.zeros((12, 12), dtype=np.uint8)]
    for step in result.trace:
        graphs.append(_core.apply(graphs[-1], step.kind, step.x, step.y, step.T))
    joined = np.array([graph | graph.T for graph in graphs])
    for explanation in explanations(result):
        i, j = (result.cpdag.names.index(name) for name in (explanation.a, explanation.b))
        step = explanation.step
        assert step is not None
        assert joined[step:, i, j].all()
        assert not joined[step - 1, i, j]
        assert explanation.origin == result.trace[step - 1]
        assert explanation.steps == len(result.trace)


def test_an_edge_reads_the_other_way_round_from_its_other_end(result: Result) -> None:
    for a, b in result.cpdag.directed:
        there, back = result.explain(a, b), result.explain(b, a)
        assert (there.edge, back.edge) == ("→", "←")
        assert (there.direction, there.delete) == (back.direction, back.delete)
        assert there.sentences() == back.sentences()


def test_pairs_that_are_not_adjacent_have_an_insert_and_nothing_else(result: Result) -> None:
    matrix = result.cpdag.to_matrix()
    apart = [(i, j) for i, j in combinations(range(12), 2) if not (matrix | matrix.T)[i, j]]
    names = result.cpdag.names
    for found in explanations(result, [(names[i], names[j]) for i, j in apart]):
        assert found.insert is not None and found.edge == ""
        rest = (found.strength, found.delete, found.step, found.origin, found.direction)
        assert (*rest, found.alternative) == (None,) * 6


def weather() -> Result:
    """rain → mud ← hose, mud → shoes, and an undirected pair beside them."""
    rng = np.random.default_rng(0)
    rain, hose = rng.normal(size=(2, 2000))
    mud = rain + hose + rng.normal(size=2000)
    shoes = mud + rng.normal(size=2000)
    sun = rng.normal(size=2000)
    tan = sun + rng.normal(size=2000)
    moments = Moments.from_data(
        np.column_stack([rain, hose, mud, shoes, sun, tan]),
        names=["rain", "hose", "mud", "shoes", "sun", "tan"],
    )
    return learn(moments)


def test_sentences_say_worth_origin_and_v_structure() -> None:
    result = weather()
    explanation = result.explain("mud", "rain")
    assert explanation.direction == Direction("v-structure", ("hose",))
    lines = str(explanation).splitlines()
    assert (
        lines[0] == f"rain → mud: removing it would lower the score by {explanation.strength:.6g}."
    )
    assert lines[1].startswith(f"Added in step {explanation.step} of {len(result.trace)}: insert ")
    assert lines[2] == (
        "The direction is compelled: rain → mud ← hose is a v-structure (rain and hose are not "
        "adjacent)."
    )
    assert lines[3].startswith("Turning it to mud → rain would cost ")


def test_sentences_say_meek_rules_reversible_and_missing_edges() -> None:
    result = weather()
    assert result.explain("mud", "shoes").direction == Direction("meek-1", ("rain",))
    assert str(result.explain("mud", "shoes")).splitlines()[2] == (
        "The direction is compelled: with rain → mud, reversing it to shoes → mud would make "
        "rain → mud ← shoes another v-structure (rain and shoes are not adjacent)."
    )
    assert result.explain("sun", "tan").direction == Direction("both", ())
    assert str(result.explain("tan", "sun")).splitlines()[2] == (
        "The edge is reversible: some members of the class have tan → sun, others sun → tan, and "
        "all fit the data equally well."
    )
    (line,) = result.explain("rain", "tan").sentences()
    assert line.startswith("rain and tan are not adjacent: the best way to add an edge, insert ")
    assert "would lower the score by" in line


def test_sentences_for_the_other_meek_rules_and_odd_worths() -> None:
    def said(rule: str, nodes: tuple[str, ...], strength: float | None) -> list[str]:
        direction = Direction(rule, nodes)
        return Explanation(
            "a", "b", "→", strength, None, None, None, None, direction, None, 0, ("a", "b")
        ).sentences()

    assert said("meek-2", ("c",), None) == [
        "a → b: its strength cannot be measured: a column would be fitted exactly.",
        "The direction is compelled: with a → c → b, reversing it to b → a would create a cycle "
        "via c.",
        "What turning it to b → a would cost is unknown.",
    ]
    assert said("meek-3", ("c", "d"), -2.0) == [
        "a → b: removing it would raise the score by 2.",
        "The direction is compelled: with c → b ← d, reversing it to b → a would force c → a ← d, "
        "another v-structure (c and d are not adjacent).",
        "What turning it to b → a would cost is unknown.",
    ]
    assert said("meek-4", ("d", "c"), 1.0)[1] == (
        "The direction is compelled: with d → c → b, reversing it to b → a would force d → a ← b, "
        "another v-structure (d and b are not adjacent)."
    )
    assert said("knowledge", (), 1.0)[1] == "The direction is known: a → b was given."


def test_an_edge_that_knowledge_directs_says_so_and_that_the_data_fit_both() -> None:
    plain = weather()
    known = Knowledge(required=[("tan", "sun")])
    result = replace(plain, knowledge=known)
    found = result.explain("sun", "tan")
    assert (found.edge, found.margin) == ("←", None)
    assert found.direction == Direction("knowledge", (), known.statements)
    lines = found.sentences()
    assert lines[1].endswith("; the class leaves it undirected.")
    assert lines[2:] == [
        f"The direction is known: {known.statements[0]}.",
        "Without what is known, sun → tan would fit the data equally well.",
    ]
    assert str(result.explain("rain", "mud")) == str(plain.explain("rain", "mud"))
    edges = {(edge.a, edge.edge, edge.b): edge.margin for edge in result.strengths()}
    assert edges["tan", "→", "sun"] is None
    assert edges["rain", "→", "mud"] is not None
    assert not result.compare(plain).undirected
    assert len(result.compare(plain).directed) == 1


def test_names_are_escaped_by_the_function_given() -> None:
    names = ["<b>\x1b[31m", "a\nb", "&", "d"]
    table = simulate.linear_gaussian(4, 1.5, 500, seed=1).data
    result = learn(Moments.from_data(table, names=names))
    texts = [str(found) for found in explanations(result, combinations(names, 2))]
    assert not any("\x1b" in text for text in texts)
    for found in explanations(result, combinations(names, 2)):
        assert all("<" not in line for line in found.sentences(html.escape))
        assert all("\n" not in line for line in found.sentences())


@pytest.mark.parametrize(
    ("pair", "error", "message"),
    [
        (("x0", "x1e"), DataError, "'x1e' .did you mean 'x1'"),
        (("x0", "x0"), DataError, "two columns must differ"),
        ((0, "x1"), DataError, "'0' .did you mean 'x0'"),
        ((None, "x1"), DataTypeError, "name"),
    ],
)
def test_wrong_columns_are_named(pair: tuple[str, str], error: type, message: str) -> None:
    result = learn(simulate.linear_gaussian(4, 1.5, 500, seed=1).data)
    with pytest.raises(error, match=message):
        result.explain(*pair)


def test_without_data_strengths_say_what_to_pass() -> None:
    result = replace(learn(simulate.linear_gaussian(4, 1.5, 500, seed=1).data), statistics=None)
    with pytest.raises(DataError, match=r"Result\.load\(path, data=table\)"):
        result.strengths()


def test_of_a_loaded_result_by_your_own_score_no_data_are_asked_for(tmp_path: Path) -> None:
    class Own:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return float({y, *parents} == {0, 1})

    learn(np.random.default_rng(0).normal(size=(9, 3)), score=Own()).save(tmp_path / "own.json")
    result = Result.load(tmp_path / "own.json")
    for pair in (("x0", "x1"), ("x0", "x2")):
        said = str(result.explain(*pair))
        assert "data=" not in said
        assert "which cannot hold a custom score" in said


def test_without_data_all_is_explained_that_needs_none() -> None:
    known = weather()
    result = replace(known, statistics=None)
    for a, b in [*known.cpdag.directed, *known.cpdag.undirected]:
        found, full = result.explain(a, b), known.explain(a, b)
        assert (found.edge, found.step, found.origin) == (full.edge, full.step, full.origin)
        assert found.direction == full.direction
        assert found.strength is found.delete is found.alternative is None
        first, *rest = found.sentences()
        assert "loaded without its data" in first and "Result.load(path, data=table)" in first
        assert rest == full.sentences()[1 : 1 + len(rest)] and len(rest) == 2
    (line,) = result.explain("rain", "tan").sentences()
    assert line.startswith("rain and tan are not adjacent. What an edge would cost is unknown")


def test_copies_and_pickles_keep_the_moments_and_explain_alike() -> None:
    result = weather()
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again == result
        assert again.moments == result.moments
        assert again.strengths() == result.strengths()
    assert replace(result, statistics=None) == result
    assert hash(replace(result, statistics=None)) == hash(result)
    assert "moments" not in repr(result).lower()


@pytest.mark.clock
def test_all_edges_of_500_columns_are_explained_in_well_under_a_second() -> None:
    result = learn(simulate.linear_gaussian(500, 2.0, 5000, seed=7).data, search="xges0")
    result.strengths()  # which finds the direction margins, once
    start = time.perf_counter()
    explained = explanations(result)
    assert time.perf_counter() - start < 1.0
    assert len(explained) > 500


@pytest.mark.clock
def test_a_complete_class_is_explained_in_bounded_time() -> None:
    rows = factor_rows(30, 2000, 0)
    full = CPDAG.from_dag(np.triu(np.ones((30, 30), dtype=np.uint8), 1))
    result = replace(learn(rows, search="xges0", time_limit=0), cpdag=full)
    start = time.perf_counter()
    assert len(result.strengths()) == 435
    assert time.perf_counter() - start < 5.0


FOUR = _core.GaussianBic(np.eye(4), np.zeros(4), 100, 2.0)


@pytest.mark.parametrize("pair", [(0, 4), (-1, 0), (2, 2), (0, -(2**31)), (2**31 - 1, 0)])
def test_the_engine_refuses_nodes_that_do_not_exist(pair: tuple[int, int]) -> None:
    graph = np.zeros((4, 4), dtype=np.uint8)
    with pytest.raises(IndexError, match=r"two nodes of the graph|is not one of 0 to 3"):
        _core.best_operators(FOUR, graph, "insert", [pair])


def test_the_engine_refuses_graphs_that_do_not_fit_or_have_no_member() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        _core.best_operators(FOUR, np.zeros((5, 5), np.uint8), "insert", [])
    with pytest.raises(ValueError, match="does not fit"):
        FOUR.of_dag(np.zeros((5, 5), np.uint8))
    square = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=np.uint8)
    with pytest.raises(ValueError, match="no DAG"):
        _core.best_operators(FOUR, square, "insert", [])
    with pytest.raises(ValueError, match="unknown kind"):
        _core.best_operators(FOUR, square, "turn", [])


def test_turning_an_edge_is_described_as_the_edge_is_drawn(result: Result) -> None:
    for tail, head in result.cpdag.directed:
        for ends in ((tail, head), (head, tail)):
            found = result.explain(*ends)
            start = (f"Turning it to {head} → {tail} would ", f"A class with {head} → {tail} ")
            assert found.sentences()[-1].startswith(start[(found.margin or 0.0) < 0.0])
    for ends in result.cpdag.undirected:
        assert result.explain(*ends).margin is None
        assert not any("urning it" in line for line in result.explain(*ends).sentences())


@pytest.mark.parametrize(
    ("edge", "end"),
    [
        ("→", "(gain 3)."),
        ("←", "(gain 3); later steps reversed it."),
        ("-", "(gain 3); the class leaves it undirected."),
    ],
)
def test_what_became_of_the_direction_of_an_origin_is_said(edge: str, end: str) -> None:
    origin = Operator("insert", 0, 1, (), (), (), 3.0)
    names = ("a", "b")
    found = Explanation("a", "b", edge, 2.0, None, None, 1, origin, None, None, 1, names)
    assert found.sentences()[1] == f"Added in step 1 of 1: insert a → b {end}"
