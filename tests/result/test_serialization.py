"""Results and classes on disk: read back equal, damage noticed at any byte, data known again."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import (
    CPDAG,
    DataError,
    FileError,
    Levels,
    Moments,
    OptionError,
    Result,
    interop,
    learn,
    score_graph,
    scores,
    simulate,
)
from greedag._options import SEARCHES
from greedag.errors import Note
from greedag.graph.orientation import Evidence
from greedag.io import checked_json as documents
from greedag.io.checked_json import load_document, save_document
from greedag.result.serialization import result_document, save_graph

TABLE = simulate.linear_gaussian(6, 2.0, 300, seed=4).data
RESULT = learn(TABLE)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    RESULT.save(tmp_path / "r.json")
    return tmp_path / "r.json"


def rewritten(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The same file with changed fields and a checksum that fits."""
    record = json.loads(path.read_bytes())
    del record["checksum"]
    change(record)
    save_document(path, record)
    return path


@pytest.mark.parametrize("search", SEARCHES)
def test_a_result_is_read_back_equal_in_every_field(search: str, tmp_path: Path) -> None:
    result = replace(
        learn(TABLE, search=search, alpha=1.25, clique_cap=3, time_limit=60),
        notes=(Note("a note"), Note("größer → \n")),
        stopped="time limit",
    )
    result.save(tmp_path / "r.json")
    again = Result.load(tmp_path / "r.json")
    assert again == result
    assert again.timings == result.timings
    assert again.moments is None
    assert str(again) == str(replace(result, statistics=None))
    again.save(str(tmp_path / "again.json"))
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "r.json").read_bytes()


def test_a_file_is_json_that_others_can_read(saved: Path) -> None:
    record = json.loads(saved.read_text(encoding="utf-8"))
    assert (record["format"], record["version"]) == ("greedag result", 3)
    assert record["names"] == list(RESULT.cpdag.names)
    assert [tuple(edge) for edge in record["directed"]] == list(RESULT.cpdag.directed)
    assert [tuple(edge) for edge in record["undirected"]] == list(RESULT.cpdag.undirected)
    assert record["score"] == RESULT.score
    assert len(record["trace"]) == len(RESULT.trace)
    assert list(record)[-1] == "checksum"
    assert saved.read_text(encoding="utf-8") == result_document(RESULT)


@pytest.mark.parametrize("data", [TABLE, TABLE.copy(order="F"), Moments.from_data(TABLE)])
def test_data_are_attached_again_and_explain_as_before(saved: Path, data: Any) -> None:
    again = Result.load(saved, data=data)
    assert again == RESULT
    for found, expected in zip(again.strengths(), RESULT.strengths(), strict=True):
        assert (found.a, found.b, found.edge) == (expected.a, expected.b, expected.edge)
        assert found.loss == pytest.approx(expected.loss, rel=1e-9)
    with pytest.raises(DataError, match=r"Result\.load\(path, data=table\)"):
        Result.load(saved).strengths()


def holed(rows: np.ndarray, seed: int = 0) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(rows.shape) < 0.05, np.nan, rows)


WEIGHTS = np.random.default_rng(1).integers(0, 4, len(TABLE))
COUNTS = np.digitize(TABLE, [-1.0, 0.0, 1.0])
MIXED = pd.DataFrame(TABLE, columns=[*"abcdef"]).assign(a=COUNTS[:, 0])
LEVELS = pd.DataFrame(COUNTS, columns=[*"abcdef"]).astype(str)
TOLD: dict[str, tuple[Any, dict[str, Any]]] = {
    "kinds": (MIXED, {"kinds": {"a": "discrete"}}),
    "drop": (holed(TABLE), {"missing": "drop"}),
    "em": (holed(TABLE), {"missing": "em"}),
    "test-wise": (LEVELS.mask(np.isnan(holed(TABLE))), {"missing": "test-wise"}),
    "weights": (TABLE, {"sample_weight": WEIGHTS}),
    "all": (
        MIXED.mask(np.isnan(holed(TABLE))),
        {"kinds": {"a": "discrete"}, "missing": "drop", "sample_weight": WEIGHTS},
    ),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_was_said_about_the_data_is_said_again_when_loading_and_scoring(
    case: str, tmp_path: Path
) -> None:
    data, told = TOLD[case]
    result = learn(data, **told)
    result.save(tmp_path / "r.json")
    again = Result.load(tmp_path / "r.json", data, **told)
    assert again == result
    assert again.strengths() == result.strengths()
    assert score_graph(data, result.cpdag, **told) == pytest.approx(result.score, rel=1e-12)


def test_what_is_said_about_no_data_or_makes_no_sense_is_refused(saved: Path) -> None:
    for told in ({"kinds": "continuous"}, {"missing": "drop"}, {"sample_weight": WEIGHTS}):
        with pytest.raises(OptionError, match="pass data= too"):
            Result.load(saved, **told)
    with pytest.raises(DataError, match=r"other data.*same kinds, missing, sample_weight, drop"):
        Result.load(saved, TABLE, sample_weight=WEIGHTS)
    scored = partial(score_graph, TABLE, RESULT.cpdag, score="gaussian-bic")
    for asked in (partial(Result.load, saved, TABLE), scored):
        with pytest.raises(OptionError, match="missing must be 'error', 'drop', 'em'"):
            asked(missing="no")
        with pytest.raises(DataError, match="one number for each of the 300 rows"):
            asked(sample_weight=WEIGHTS[1:])
        with pytest.raises(OptionError, match="kinds contradicts the score"):
            asked(kinds="discrete")


def swapped(rows: np.ndarray) -> np.ndarray:
    other = rows.copy()
    other[0, 0], other[1, 0] = rows[1, 0], rows[0, 0]
    return other


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (TABLE[:-1], "300 rows in one and 299"),
        (TABLE[:, :5], "6 columns in one and 5"),
        (TABLE * [1, 1, 2, 1, 1, 1], "spread of column 'x2'"),
        (swapped(TABLE), "correlations of column 'x0'"),
        (Moments.from_data(TABLE, names=[*"abcdef"]), "column 0 is 'x0' in one and 'a'"),
    ],
)
def test_other_data_are_refused_with_the_difference(saved: Path, data: Any, message: str) -> None:
    with pytest.raises(DataError, match=rf"learned from other data \(.*{message}"):
        Result.load(saved, data=data)


def test_statistics_that_the_score_does_not_take_are_refused(saved: Path) -> None:
    with pytest.raises(DataError, match="gaussian-bic needs a table or Moments, got Levels"):
        Result.load(saved, data=Levels.from_data(TABLE))


def test_a_result_loaded_without_data_still_knows_them_after_another_save(saved: Path) -> None:
    Result.load(saved).save(saved)
    assert Result.load(saved, data=TABLE).moments is not None
    with pytest.raises(DataError, match="other data"):
        Result.load(saved, data=TABLE[1:])


def test_a_result_that_never_had_data_says_so(tmp_path: Path) -> None:
    replace(RESULT, statistics=None).save(tmp_path / "r.json")
    with pytest.raises(DataError, match="without a fingerprint"):
        Result.load(tmp_path / "r.json", data=TABLE)


def test_a_file_cut_short_at_any_byte_is_refused(tmp_path: Path) -> None:
    saved = tmp_path / "r.json"
    learn(TABLE[:, :2]).save(saved)
    content = saved.read_bytes()
    for length in range(len(content)):
        saved.write_bytes(content[:length])
        with pytest.raises(FileError, match=r"r\.json"):
            Result.load(saved)
        with pytest.raises(FileError, match=r"r\.json"):
            interop.read(saved)


def test_a_change_of_any_byte_is_refused(tmp_path: Path) -> None:
    saved = tmp_path / "r.json"
    learn(TABLE[:, :2]).save(saved)
    content = saved.read_bytes()
    for place in range(len(content)):
        for bit in (place % 8, 5):  # 5 turns a space into a NUL and an upper letter into a lower
            altered = bytearray(content)
            altered[place] ^= 1 << bit
            saved.write_bytes(altered)
            with pytest.raises(FileError, match=r"r\.json"):
                Result.load(saved)


def test_bytes_after_the_end_are_refused(saved: Path) -> None:
    for more in (b"\n", b" ", b"{}"):
        saved.write_bytes(saved.read_bytes() + more)
        with pytest.raises(FileError, match="damaged"):
            Result.load(saved)


def test_a_newer_version_asks_for_an_upgrade(saved: Path) -> None:
    rewritten(saved, lambda record: record.update(version=5))
    for load in (Result.load, interop.read):
        with pytest.raises(FileError, match=r"version 5 of the format 'greedag result'.*upgrade"):
            load(saved)


def test_a_graph_file_is_no_result_and_a_result_is_a_graph_too(saved: Path, tmp_path: Path) -> None:
    save_graph(tmp_path / "g.json", RESULT.cpdag, {"seed": 4, "dag": [["x0", "x1"]]})
    assert interop.read(tmp_path / "g.json") == RESULT.cpdag
    assert interop.read(saved) == RESULT.cpdag
    assert json.loads((tmp_path / "g.json").read_bytes())["seed"] == 4
    with pytest.raises(FileError, match="does not hold the format 'greedag result'"):
        Result.load(tmp_path / "g.json")


def test_hostile_names_survive(tmp_path: Path) -> None:
    names = ["", "\ud800", "😀", "\0", '"]}\n', "\u2028", "x" * 10_000, "\x1b[31m"]
    graph = CPDAG.from_dag(np.triu(np.ones((8, 8)), 1), names=names)
    save_graph(tmp_path / "g.json", graph)
    assert interop.read(tmp_path / "g.json") == graph


@pytest.mark.parametrize("field", ["names", "directed", "score", "settings", "n", "trace", "notes"])
@pytest.mark.parametrize("value", [None, "text", -1, True, [None], [[1, 2]], {"alpha": "x"}])
def test_fields_that_hold_something_else_are_refused(
    saved: Path, field: str, value: object
) -> None:
    if field == "score" and value == -1 and value is not True:
        return
    rewritten(saved, lambda record: record.update({field: value}))
    with pytest.raises(FileError, match=r"r\.json"):
        Result.load(saved)


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r["trace"][0].__setitem__(1, 6),
        lambda r: r["trace"][0].__setitem__(1, -1),
        lambda r: r["trace"][0].__setitem__(1, True),
        lambda r: r["trace"][0].__setitem__(3, [9]),
        lambda r: r["trace"][0].__setitem__(0, "turn"),
        lambda r: r["trace"][0].__setitem__(2, r["trace"][0][1]),
        lambda r: r["directed"].append(["x0", "nobody"]),
        lambda r: r["undirected"].append(["x0", "x0"]),
        lambda r: r.update(undirected=[], directed=[["x0", "x1"]]),
        lambda r: r["names"].append("x0"),
        lambda r: r.update(stopped="power cut"),
        lambda r: r.update(log_variances=[0.0]),
        lambda r: r.update(mixtures=["a"] * 6),
        lambda r: r.update(settings={}),
        lambda r: r.update(names=[str(i) for i in range(200_000)], directed=[], undirected=[]),
        lambda r: r.update(score=10**400),
        lambda r: r.update(n=10**400),
        lambda r: r["counts"].update(trials=10**400),
        lambda r: r["log_variances"].__setitem__(0, 10**400),
        lambda r: r.update(timings={}),
        lambda r: r.update(search="$(reboot)"),
        lambda r: r.update(search=["xges"]),
        lambda r: r["settings"].update({"alpha 1; reboot #": 2}),
        lambda r: r["settings"].update(alpha=0),
        lambda r: r["settings"].update(time_limit=-1),
        lambda r: r["settings"].update(clique_cap=1.5),
        lambda r: r.pop("trace"),
        lambda r: r.pop("mixtures"),
        lambda r: r.update(n=0.5),
        lambda r: r.update(counts={"trials": []}),
    ],
)
def test_contents_that_do_not_fit_together_are_refused_even_with_a_valid_checksum(
    saved: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    with pytest.raises(FileError, match=r"r\.json"):
        Result.load(rewritten(saved, change))


@pytest.mark.parametrize(
    "text", [b'{"a": [[[[', b"{" + b'"a":[' * 100_000, b"{nonsense", b'{"format": 1, "version": 1']
)
def test_broken_json_with_a_valid_checksum_is_refused(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    checksum = hashlib.sha256(text).hexdigest().encode()
    path.write_bytes(text + b',\n  "checksum": "' + checksum + b'"\n}\n')
    with pytest.raises(FileError, match=r"r\.json"):
        Result.load(path)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"[1]", b"{}", b"null", b"\x80\x04"])
def test_files_of_others_are_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "r.json").write_bytes(content)
    with pytest.raises(FileError, match=r"r\.json"):
        interop.read(tmp_path / "r.json")


def test_a_file_over_the_limit_is_refused_unread(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MAX_BYTES", 100)
    with pytest.raises(FileError, match="more than the limit of 100"):
        load_document(saved, {"greedag result": 1})


def test_a_failed_write_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = saved.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError, match="No space left"):
        learn(TABLE[:100]).save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_numbers_that_are_not_finite_are_never_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Out of range"):
        replace(RESULT, score=float("nan")).save(tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


def test_a_bge_result_from_before_its_edge_prior_keeps_the_score_that_it_had(
    tmp_path: Path,
) -> None:
    table = simulate.linear_gaussian(6, 2.0, 200, seed=3).data
    path = tmp_path / "result.json"
    result = learn(table, score=scores.BGe(units="given", edge_penalty=0.0))
    result.save(path)
    record = json.loads(path.read_text())
    for name in ("units", "edge_penalty"):
        del record["settings"][name]
    del record["checksum"]
    path.write_text(json.dumps(record))
    loaded = Result.load(path, table)
    assert loaded.objective == result.objective
    assert loaded.strengths() == result.strengths()


def test_data_on_which_the_class_scores_otherwise_are_refused(tmp_path: Path) -> None:
    table = np.random.default_rng(0).normal(size=(100, 3))
    path = tmp_path / "result.json"
    result = learn(table, score=scores.BGe(nu=0.0))
    result.save(path)
    assert Result.load(path, table).strengths() == result.strengths()
    with pytest.raises(DataError, match=r"was learned from other data \(the class scores"):
        Result.load(path, table + 5.0)
    learn(table).save(path)
    assert Result.load(path, table + 5.0).has_data  # the BIC knows no means


def test_notes_keep_their_fields_on_disk(tmp_path: Path) -> None:
    note = Note("two of three", code="some", columns=["x0"], counts={"x0": 2, "share": 0.5})
    replace(RESULT, notes=(note, Note("plain"))).save(tmp_path / "r.json")
    kept, plain = Result.load(tmp_path / "r.json").notes
    assert (kept, kept.code, kept.columns, kept.counts) == (note, "some", ("x0",), note.counts)
    assert isinstance(plain, Note) and (plain, plain.code) == ("plain", "")


def test_notes_that_are_plain_strings_are_still_read(saved: Path) -> None:
    rewritten(saved, lambda record: record.update(notes=["as it was"]))
    (note,) = Result.load(saved).notes
    assert isinstance(note, Note) and note == "as it was"


@pytest.mark.parametrize(
    "note",
    [
        {"text": "a"},
        {"text": 1, "code": "", "columns": [], "counts": {}},
        {"text": "a", "code": "", "columns": [1], "counts": {}},
        {"text": "a", "code": "", "columns": [], "counts": {"x": "many"}},
    ],
)
def test_notes_of_another_form_are_refused(saved: Path, note: object) -> None:
    rewritten(saved, lambda record: record.update(notes=[note]))
    with pytest.raises(FileError, match="its field 'notes'"):
        Result.load(saved)


HANDMADE = {
    "format": "greedag graph",
    "version": 1,
    "names": ["rain", "hose", "mud"],
    "directed": [["rain", "mud"], ["hose", "mud"]],
    "undirected": [],
}


def test_a_file_written_by_hand_needs_no_checksum(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    for text in (json.dumps(HANDMADE), json.dumps(HANDMADE, indent=1) + "\n\n"):
        path.write_text(text, encoding="utf-8")
        assert interop.read(path).directed == (("rain", "mud"), ("hose", "mud"))


def test_a_result_reads_without_its_checksum_and_not_with_a_wrong_one(saved: Path) -> None:
    record = json.loads(saved.read_bytes())
    saved.write_text(json.dumps(record), encoding="utf-8")  # Other bytes, the same checksum.
    with pytest.raises(FileError, match="its checksum does not match"):
        Result.load(saved)
    del record["checksum"]
    saved.write_text(json.dumps(record), encoding="utf-8")
    assert Result.load(saved) == RESULT


def test_two_edges_between_two_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    twice = {**HANDMADE, "undirected": [["mud", "rain"]]}
    path.write_text(json.dumps(twice), encoding="utf-8")
    with pytest.raises(FileError, match="'mud' and 'rain' have two edges"):
        interop.read(path)


def test_broken_json_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    path.write_text('{"format": "greedag graph",\n oops}', encoding="utf-8")
    with pytest.raises(FileError, match=r"not valid JSON .*line 2 column 2"):
        interop.read(path)


def directed_by_evidence() -> Result:
    """A chain of which evidence directs one edge, and its last two edges so."""
    chain = np.eye(4, k=1, dtype=np.uint8)
    table = simulate.linear_gaussian(4, 1.0, 100, seed=0).data
    evidence = (
        Evidence("x1", "x2", "curve", 12.5, is_proven=False),
        Evidence("x0", "x1", "intervention", None, (("x0",), ("x0", "x3"))),
    )
    return replace(
        learn(table), cpdag=CPDAG.from_dag(chain), evidence=evidence, _dag=chain.tobytes(), trace=()
    )


def test_evidence_and_the_best_dag_are_read_back(tmp_path: Path) -> None:
    result, path = directed_by_evidence(), tmp_path / "r.json"
    result.save(path)
    again = Result.load(path)
    assert again == result
    assert again.graph.reasons() == result.graph.reasons()
    assert (again.best_dag == np.eye(4, k=1)).all()
    assert json.loads(path.read_bytes())["version"] == 4
    assert interop.read(path) == result.graph
    for twin in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert twin == result
        assert hash(twin) == hash(result)
    assert replace(result, evidence=()) != result
    assert replace(result, _dag=None) != result


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evidence": []}, "not a CPDAG"),
        ({"evidence": [{"tail": "x1"}]}, "field 'evidence'"),
        ({"dag": [["x0", "x1"]]}, "not a member of the class"),
        ({"dag": [["x1", "x0"], ["x1", "x2"], ["x2", "x3"]]}, "not of the graph"),
        ({"dag": [["x0", "x9"]]}, "field 'directed'"),
    ],
)
def test_evidence_that_does_not_fit_is_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    directed_by_evidence().save(tmp_path / "r.json")
    path = rewritten(tmp_path / "r.json", lambda record: record.update(change))
    with pytest.raises(FileError, match=message):
        Result.load(path)


def test_evidence_for_other_edges_is_refused(tmp_path: Path) -> None:
    directed_by_evidence().save(tmp_path / "r.json")
    path = rewritten(tmp_path / "r.json", lambda record: record["evidence"].pop(1))
    with pytest.raises(FileError, match="its edges are not those that its evidence leads to"):
        Result.load(path)
