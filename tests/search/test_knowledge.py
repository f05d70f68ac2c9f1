"""Learning with knowledge, by every road that data can take."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import (
    XGES,
    DataError,
    FileError,
    Knowledge,
    KnowledgeError,
    Moments,
    OptionError,
    Result,
    exact,
    learn,
    simulate,
)

D = 8
KNOWN = Knowledge(
    tiers=[["x0", "x1", "x2"], ["x3", "x4"], ["x7"]],
    required=[("x0", "x5")],
    forbidden=[("x1", "x3"), ("x6", "x4")],
    before=[("x6", "x5")],
    not_adjacent=[("x2", "x7")],
)


def drawn(seed: int = 0, rows: int = 400) -> pd.DataFrame:
    drawn = simulate.linear_gaussian(D, 2.0, rows, seed=seed).data
    return pd.DataFrame(np.asarray(drawn), columns=[f"x{i}" for i in range(D)])


def in_levels(table: pd.DataFrame) -> pd.DataFrame:
    return (table > table.median()).astype(str)


def half_in_levels(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(**{name: in_levels(table)[name] for name in ("x1", "x4", "x5")})


def with_gaps(table: pd.DataFrame) -> pd.DataFrame:
    return table.mask(np.random.default_rng(0).random(table.shape) < 0.05)


def descendants(dag: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    reached = dag.astype(bool)
    for k in range(len(dag)):
        reached |= reached[:, [k]] & reached[[k]]
    return reached


def agrees(dag: np.ndarray[Any, Any]) -> bool:
    """Whether a DAG has all that is known, word by word."""
    tier = {0: 0, 1: 0, 2: 0, 3: 1, 4: 1, 7: 2}
    reached = descendants(dag)
    apart = dag[2, 7] or dag[7, 2] or dag[1, 3] or dag[6, 4] or reached[5, 6]
    back = any(reached[b, a] for a in tier for b in tier if tier[a] < tier[b])
    return bool(dag[0, 5]) and not apart and not back


def check(result: Result) -> None:
    """All members that the graph shows agree, and the class has no others that do."""
    shown = {dag.tobytes() for dag in result.graph.dags()}
    agreeing = {dag.tobytes() for dag in result.cpdag.dags() if agrees(dag)}
    assert shown == agreeing
    assert shown
    assert result.knowledge == KNOWN


ROADS: dict[str, Callable[[], Result]] = {
    "frame": lambda: learn(drawn(), knowledge=KNOWN),
    "array": lambda: learn(drawn().to_numpy(), knowledge=KNOWN),
    "moments": lambda: learn(Moments.from_data(drawn()), knowledge=KNOWN),
    "weights": lambda: learn(drawn(), sample_weight=np.arange(400) % 3, knowledge=KNOWN),
    "em": lambda: learn(with_gaps(drawn()), missing="em", knowledge=KNOWN),
    "drop": lambda: learn(with_gaps(drawn()), missing="drop", knowledge=KNOWN),
    "transformed": lambda: learn(drawn(), transform="normal-scores", knowledge=KNOWN),
    "bge": lambda: learn(drawn(), score="bge", knowledge=KNOWN),
    "extended": lambda: learn(drawn(), score="extended-bic", knowledge=KNOWN),
    "levels": lambda: learn(in_levels(drawn()), knowledge=KNOWN),
    "discrete bic": lambda: learn(in_levels(drawn()), score="discrete-bic", knowledge=KNOWN),
    "test-wise": lambda: learn(
        in_levels(drawn()).mask(with_gaps(drawn()).isna()), missing="test-wise", knowledge=KNOWN
    ),
    "mixed": lambda: learn(half_in_levels(drawn()), knowledge=KNOWN),
    "conditional": lambda: learn(
        half_in_levels(drawn()), score="conditional-gaussian", knowledge=KNOWN
    ),
    "exact": lambda: exact(drawn(), knowledge=KNOWN),
    "threads": lambda: learn(drawn(), n_jobs=2, knowledge=KNOWN),
    "estimator": lambda: XGES(knowledge=KNOWN).fit(drawn()).result_,
    "mapping": lambda: learn(drawn(), knowledge=KNOWN.to_dict()),
    **{
        search: lambda search=search: learn(drawn(), search=search, knowledge=KNOWN)  # type: ignore[misc]
        for search in ("xges0", "ges", "ges-r", "ops", "fges")
    },
}


@pytest.mark.parametrize("road", ROADS)
def test_knowledge_holds_on_every_road(road: str) -> None:
    check(ROADS[road]())


def test_a_custom_score_keeps_to_knowledge() -> None:
    moments = Moments.from_data(drawn())

    class Same:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            some = [*parents]
            block = moments.correlation[np.ix_(some, some)]
            cross = moments.correlation[some, y]
            left = 1.0 - cross @ np.linalg.solve(block, cross) if some else 1.0
            return float(-0.5 * moments.n * np.log(left) - len(some) * np.log(moments.n))

    own = learn(moments, score=Same(), knowledge=KNOWN)
    check(own)
    assert own.cpdag == learn(moments, knowledge=KNOWN, effort=0).cpdag


def test_a_file_and_chunks_of_it(tmp_path: Path) -> None:
    drawn(rows=3000).to_csv(tmp_path / "table.csv", index=False)
    KNOWN.save(tmp_path / "known.json")
    check(learn(tmp_path / "table.csv", knowledge=tmp_path / "known.json"))


def test_batches_keep_to_knowledge() -> None:
    table = drawn(rows=900)
    model = XGES(knowledge=KNOWN)
    for part in np.array_split(np.arange(900), 3):
        model.partial_fit(table.iloc[part])
        check(model.result_)
    assert model.graph_ == model.result_.graph
    assert (model.adjacency_matrix_ == model.graph_.to_matrix()).all()


def test_a_class_that_new_knowledge_rules_out_is_left() -> None:
    table = drawn(rows=800)
    model = XGES().partial_fit(table[:400])
    model.set_params(knowledge=KNOWN).partial_fit(table[400:])
    check(model.result_)
    assert not [note for note in model.result_.notes if note.code == "continued"]


def test_results_with_knowledge_come_back_from_files(tmp_path: Path) -> None:
    table = drawn()
    result = learn(table, knowledge=KNOWN)
    result.save(tmp_path / "result.json")
    loaded = Result.load(tmp_path / "result.json", table)
    assert loaded == result
    assert loaded.graph == result.graph
    check(loaded)


def test_a_file_whose_edges_are_not_those_of_its_knowledge_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    learn(drawn(), knowledge=KNOWN).save(file)
    record = json.loads(file.read_text(encoding="utf-8"))
    record.pop("checksum", None)
    record["knowledge"] = {"required": [["x0", "x5"]]}
    file.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(FileError, match="its edges are not those that its knowledge leads to"):
        Result.load(file)


def test_a_checkpoint_of_other_knowledge_is_refused(tmp_path: Path) -> None:
    table = simulate.linear_gaussian(20, 2.0, 400, seed=1).data
    file = tmp_path / "checkpoint"
    known = Knowledge(required=[("x3", "x4")], tiers="x0,x1 < x2,x5")
    whole = learn(table, knowledge=known, effort=2)
    learn(table, knowledge=known, effort=0.5, checkpoint=file)
    resumed = learn(table, knowledge=known, effort=2, checkpoint=file)
    assert (resumed.cpdag, resumed.score, resumed.knowledge) == (whole.cpdag, whole.score, known)
    for other in (None, Knowledge(required=[("x3", "x4")])):
        with pytest.raises(OptionError, match="knowledge"):
            learn(table, knowledge=other, effort=2, checkpoint=file)


def test_nothing_known_is_no_knowledge() -> None:
    table = drawn()
    without = learn(table)
    assert learn(table, knowledge=Knowledge()) == without
    assert learn(table, knowledge={}) == without
    assert without.graph is without.cpdag
    assert without.knowledge is None


def test_an_unknown_column_is_named_before_anything_is_searched() -> None:
    with pytest.raises(KnowledgeError, match="x77"):
        learn(drawn(), knowledge=Knowledge(required=[("x0", "x77")]))


def test_required_arcs_that_fit_exactly_are_refused() -> None:
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(5, 8)))
    table.columns = [f"x{i}" for i in range(8)]
    arcs = [(f"x{i}", "x7") for i in range(6)]
    with pytest.raises(DataError, match="required arcs cannot be scored"):
        learn(table, knowledge=Knowledge(required=arcs))


def test_the_trace_begins_with_what_is_required() -> None:
    result = learn(drawn(), knowledge=KNOWN, effort=0)
    first = result.trace[0]
    assert (first.kind, result.cpdag.names[first.x], result.cpdag.names[first.y]) == (
        "insert",
        "x0",
        "x5",
    )
    empty = learn(drawn(), knowledge=Knowledge(not_adjacent=[("*", "*")])).score
    assert result.score == pytest.approx(empty + sum(step.gain for step in result.trace))
