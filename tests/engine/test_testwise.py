"""Test-wise deletion: gains beside the twin, whole searches, and what is refused."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from greedag import XGES, Levels, _core, learn
from greedag.errors import DataError, OptionError
from greedag.scores import BDeu, DiscreteBIC
from helpers.differential import first_difference
from oracle import discrete, naive_search
from oracle.discrete import TestWise
from oracle.exact import optimum_by

Local = Callable[..., float]
CASES: list[tuple[BDeu | DiscreteBIC, Local]] = [
    (DiscreteBIC(), discrete.bic),
    (DiscreteBIC(alpha=2.5), functools.partial(discrete.bic, alpha=2.5)),
    (BDeu(), discrete.bdeu),
    (BDeu(equivalent_sample_size=10), functools.partial(discrete.bdeu, ess=10)),
]
IDS = [repr(score) for score, _ in CASES]


def engine_of(rows: Any, score: BDeu | DiscreteBIC, **options: Any) -> _core.Score:
    table = pd.DataFrame(rows, dtype=object)
    return score.bind(Levels.from_data(table, missing="test-wise", **options))


def gain_of(engine: _core.Score, x: int, y: int, E: list[int], d: int) -> float:
    """Return a gain as the engine reports it of a pair, in the graph in which E are y's parents."""
    before = engine.local_score(y, E)
    # Parents are joined in ascending order, so that the largest comes last.
    assert all(x > e for e in E)
    return engine.local_score(y, [*E, x]) - before


@pytest.mark.parametrize(("score", "local"), CASES, ids=IDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_local_scores_are_those_of_the_twin(
    score: BDeu | DiscreteBIC, local: Local, weighted: bool
) -> None:
    rng = np.random.default_rng(5)
    for seed in range(8):
        rows = discrete.with_holes(discrete.random_rows(seed, 7, 200, most_levels=5), 0.2, seed)
        weights = rng.uniform(0.2, 3.0, 200).tolist() if weighted else None
        engine, twin = engine_of(rows, score, weights=weights), TestWise(rows, local, weights)
        for _ in range(12):
            y, *parents = rng.permutation(7)[: rng.integers(1, 6)].tolist()
            expected = twin.local(y, parents)
            assert engine.local_score(y, parents) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("score", "local"), CASES[::2], ids=IDS[::2])
@pytest.mark.parametrize("seed", range(12))
def test_every_search_takes_the_same_operators_as_its_naive_twin(
    score: BDeu | DiscreteBIC, local: Local, seed: int
) -> None:
    d, n = 3 + seed % 5, 50 * 2 ** (seed % 5)
    rows = discrete.with_holes(discrete.random_rows(seed, d, n), 0.15, seed)
    engine, twin = engine_of(rows, score), TestWise(rows, local)
    gain = functools.cache(lambda x, y, E: twin.gain(min(x, y), max(x, y), E))
    total = functools.cache(twin.local)
    for name in ("xges0", "ges", "ges-r", "ops", "fges"):
        found = _core.search(engine, name, clique_cap=0, trial_cap=0)
        expected = naive_search.search_by(total, d, n, name, gain)
        # The two score another member of the class, and without all rows members differ.
        dag = found_dag(found)
        same = naive_search.Outcome(expected.adjacency, found.score, expected.trace)
        assert found.score == pytest.approx(
            sum(twin.local(y, np.flatnonzero(dag[:, y]).tolist()) for y in range(d)), rel=1e-9
        )
        assert first_difference(found, same) == ""


def found_dag(found: Any) -> Any:
    from greedag import CPDAG

    return CPDAG.from_matrix(found.adjacency).to_dag()


def test_a_gain_is_that_of_dropping_the_rows_that_lack_its_columns_times_n_over_them() -> None:
    full = np.array(discrete.random_rows(1, 5, 400)).astype(object)
    rows = np.array(discrete.with_holes(full.tolist(), 0.3, 1), dtype=object)
    complete = full[[all(value is not None for value in row[[0, 1, 4]]) for row in rows]]
    dropped = BDeu().bind(Levels.from_data(complete[:, [0, 1, 4]]))
    expected = dropped.local_score(2, [0, 1]) - dropped.local_score(2, [0])
    engine = engine_of(rows, BDeu())
    before = engine.local_score(4, [0])
    found = engine.local_score(4, [0, 1]) - before
    assert found == pytest.approx(expected * 400 / len(complete), rel=1e-9)


@pytest.mark.parametrize("score", [BDeu(), DiscreteBIC()], ids=repr)
def test_without_missing_values_the_result_is_that_of_the_score_itself(
    score: BDeu | DiscreteBIC,
) -> None:
    rows = np.array(discrete.random_rows(3, 10, 500))
    complete, plain = learn(rows, score=score, missing="test-wise"), learn(rows, score=score)
    assert complete.settings == plain.settings | {"missing": "test-wise"}
    assert dataclasses.replace(complete, settings=plain.settings) == plain
    # And so are gains by the test-wise engine, asked for by one column more that has a hole.
    levels = Levels.from_data(rows)
    arguments = (levels.codes.astype("uint32"), levels.sizes, levels.counts)
    option = getattr(score, "alpha", None) or score.equivalent_sample_size  # type: ignore[union-attr]
    make = _core.testwise_bdeu if isinstance(score, BDeu) else _core.testwise_bic
    ours, plain = make(*arguments, option), score.bind(levels)
    for search in ("xges", "ges"):
        one, other = _core.search(ours, search), _core.search(plain, search)
        assert [entry[:3] for entry in one.trace] == [entry[:3] for entry in other.trace]
        assert one.score == pytest.approx(other.score, rel=1e-12)


@pytest.mark.parametrize("score", [BDeu(), DiscreteBIC()], ids=repr)
def test_outcomes_do_not_depend_on_threads_or_on_the_order_of_rows_levels_and_columns(
    score: BDeu | DiscreteBIC,
) -> None:
    full = discrete.random_rows(11, 20, 1000)
    rows = pd.DataFrame(discrete.with_holes(full, 0.1, 2), dtype="Int64").astype("float")
    base = learn(rows, score=score, missing="test-wise")
    assert len(base.trace) > 10
    for jobs in (2, 4):
        assert learn(rows, score=score, missing="test-wise", n_jobs=jobs) == base
    shuffled = (7 - rows).sample(frac=1.0, random_state=0)
    again = learn(shuffled, score=score, missing="test-wise")
    assert (again.trace, again.score) == (base.trace, base.score)


@pytest.mark.parametrize("search", ["xges", "xges0", "ges", "ges-r", "ops", "fges"])
@pytest.mark.parametrize("share", [0.3, 0.7, 0.9])
def test_searches_end_however_much_is_missing(search: str, share: float) -> None:
    for seed in range(4):
        rows = discrete.with_holes(discrete.random_rows(seed, 12, 300), share, seed)
        for score in ("bdeu", "discrete-bic"):
            frame = pd.DataFrame(rows, dtype=object)
            result = learn(frame, search=search, score=score, missing="test-wise", time_limit=60)
            assert result.stopped == ""
            assert math.isfinite(result.score)


def test_the_true_class_is_found_where_few_rows_are_complete() -> None:
    rng = np.random.default_rng(0)
    n = 20_000
    a, b = rng.integers(0, 2, (2, n))
    c = np.where(rng.random(n) < 0.8, a ^ b | (a & b), rng.integers(0, 2, n))
    e = np.where(rng.random(n) < 0.8, c, rng.integers(0, 2, n))
    noise = rng.integers(0, 2, (n, 4))
    table = np.column_stack([a, b, c, e, noise]).astype(float)
    table[rng.random(table.shape) < 0.4] = np.nan
    frame = pd.DataFrame(table, columns=[*"abce", *"wxyz"])
    found = learn(frame, score="bdeu", missing="test-wise").cpdag
    assert found.directed == (("a", "c"), ("b", "c"), ("c", "e"))
    assert not found.undirected


def test_every_container_marks_missing_values_in_its_way() -> None:
    rows = discrete.with_holes(discrete.random_rows(2, 4, 60), 0.2, 3)
    words = [[None if v is None else f"level {v}" for v in row] for row in rows]
    base = Levels.from_data(pd.DataFrame(words, columns=[*"abcd"]), missing="test-wise")
    assert base.missing > 10
    frame = pl.DataFrame(words, schema=[*"abcd"], orient="row")
    others = [
        Levels.from_data(frame, missing="test-wise"),
        Levels.from_data(frame.to_arrow(), missing="test-wise"),
        Levels.from_data(np.array(words, dtype=object), names=[*"abcd"], missing="test-wise"),
        Levels.from_data(
            pd.DataFrame(words, columns=[*"abcd"], dtype="category"), missing="test-wise"
        ),
    ]
    assert all(other == base for other in others)
    halves = [Levels.from_data(part, missing="test-wise") for part in (frame[:25], frame[25:])]
    assert halves[0] + halves[1] == base
    numbers = np.ma.masked_array(np.zeros((3, 1)), mask=[[0], [1], [0]])
    assert Levels.from_data(numbers, missing="test-wise").codes.tolist() == [[0, 1]]


def test_results_say_what_is_missing_and_later_rows_may_miss_more() -> None:
    rows = discrete.with_holes(discrete.random_rows(4, 6, 400), 0.1, 4)
    frame = pd.DataFrame(rows, dtype=object)
    model = XGES(scoring_method="bdeu", missing="test-wise").fit(frame[:200])
    assert any("missing" in note for note in model.result_.notes)
    model.partial_fit(frame[200:])
    whole = Levels.from_data(frame, missing="test-wise")
    assert model.result_.statistics == whole
    assert model.result_.strengths() is not None


@pytest.mark.parametrize("missing", ["drop", "em"])
def test_levels_that_miss_values_are_scored_in_no_other_way(missing: str) -> None:
    frame = pd.DataFrame({"a": ["x", None, "y"] * 4, "b": ["u", "v", "w", "v"] * 3})
    levels = Levels.from_data(frame, missing="test-wise")
    with pytest.raises(OptionError, match=r"Levels\.from_data\(table, missing='drop'\)"):
        learn(levels, missing=missing)
    assert learn(levels).score == learn(levels, missing="test-wise").score
    dropped = Levels.from_data(frame, missing="drop")
    assert learn(dropped, missing="drop").n == 8


def test_what_cannot_be_done_is_refused() -> None:
    frame = pd.DataFrame({"a": ["x", None, "y"] * 4, "b": [0.5, 1.5, 2.5] * 4})
    with pytest.raises(OptionError, match="test-wise deletion for discrete ones alone"):
        learn(frame, missing="test-wise")
    with pytest.raises(OptionError, match="test-wise deletion is for discrete columns"):
        learn(frame[["b"]].assign(c=1.0), missing="test-wise")
    empty = frame.assign(c=None)
    with pytest.raises(DataError, match="no value in any row of column 'c'"):
        learn(empty, score="bdeu", missing="test-wise")
    constant = frame.assign(c=["x", None, None] * 4)
    with pytest.raises(DataError, match="constant column 'c'"):
        learn(constant, score="bdeu", missing="test-wise")


@pytest.mark.parametrize(("score", "local"), CASES, ids=IDS)
def test_the_optimum_is_that_of_the_twin(score: BDeu | DiscreteBIC, local: Local) -> None:
    for seed in range(3):
        rows = discrete.with_holes(discrete.random_rows(seed, 5, 80), 0.1, seed)
        outcome = _core.search(engine_of(rows, score), "exact")
        best = optimum_by(TestWise(rows, local).local, 5)
        assert outcome.bound == pytest.approx(best, rel=1e-9)


def test_results_have_a_gap_and_exact_searches_a_limit_of_columns() -> None:
    rows = discrete.with_holes(discrete.random_rows(3, 6, 200), 0.1, 3)
    frame = pd.DataFrame(rows, columns=[*"abcdef"], dtype=object)
    options: dict[str, Any] = {"score": "bdeu", "missing": "test-wise"}
    found, best = (learn(frame, search=search, **options) for search in ("xges", "exact"))
    assert 0.0 <= best.gap <= found.gap < math.inf
    assert not any("check_score" in note for note in best.notes)
    wide = pd.concat([frame.add_suffix(str(i)) for i in range(4)], axis=1)
    with pytest.raises(DataError, match=r"with missing values takes at most 20 columns.*has 24"):
        learn(wide, search="exact", **options)


def test_a_dag_that_scores_more_than_the_best_class_is_noted_and_is_the_gap() -> None:
    above = 0
    for seed in range(8):
        rows = discrete.with_holes(discrete.random_rows(seed, 5, 200), 0.3, seed)
        frame = pd.DataFrame(rows, columns=[*"abcde"], dtype=object)
        best = learn(frame, score="bdeu", missing="test-wise", search="exact")
        notes = [note for note in best.notes if "some DAG scores" in note]
        assert len(notes) == (best.gap > 0.0)
        assert all(note.endswith("where values are missing") for note in notes)
        above += len(notes)
    assert above > 0


def test_the_note_on_holes_names_two_columns() -> None:
    frame = pd.DataFrame({"a": ["u", "v", "v"] * 20, "b": ["s", "t"] * 30, "c": ["p", "q"] * 30})
    frame.loc[:9, "a"] = None
    result = learn(frame, score="bdeu", missing="test-wise")
    assert any("'a' and 'b' together on 50 of 60 rows" in note for note in result.notes)
