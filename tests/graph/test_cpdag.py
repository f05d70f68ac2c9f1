"""CPDAG: what it accepts, what it refuses, and what its edges and matrices say."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from greedag import CPDAG, DataError, DataTypeError, learn, simulate
from greedag.drawing.labels import printable
from oracle import brute_force as bf

COLLIDER = [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
CHAIN = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
ABC = ("a", "b", "c")

random_graphs = st.builds(
    lambda d, rho, seed: simulate.linear_gaussian(d, rho, 1, seed=seed),
    st.integers(1, 9),
    st.floats(0.0, 4.0),
    st.integers(0, 2**32),
)


def test_collider_is_directed_and_matrix_reads_row_to_column() -> None:
    graph = CPDAG.from_dag(COLLIDER, ABC)
    assert graph.directed == (("a", "b"), ("c", "b"))
    assert graph.undirected == ()
    matrix = graph.to_matrix()
    assert matrix[0, 1] == 1
    assert matrix[1, 0] == 0


def test_chain_is_undirected_and_both_entries_are_one() -> None:
    graph = CPDAG.from_dag(CHAIN, ABC)
    assert graph.directed == ()
    assert graph.undirected == (("a", "b"), ("b", "c"))
    assert np.array_equal(graph.to_matrix(), graph.to_matrix().T)


def test_equivalent_dags_give_equal_graphs_with_equal_hashes() -> None:
    fork = np.array([[0, 0, 0], [1, 0, 1], [0, 0, 0]])
    first, second = CPDAG.from_dag(CHAIN), CPDAG.from_dag(fork)
    assert first == second
    assert hash(first) == hash(second)
    assert first != CPDAG.from_dag(COLLIDER)
    assert first != CPDAG.from_dag(CHAIN, ABC)
    assert len({first, second, CPDAG.from_dag(COLLIDER)}) == 2


@given(random_graphs)
def test_to_dag_is_a_member_of_the_class(drawn: simulate.Simulation) -> None:
    member = drawn.cpdag.to_dag()
    assert CPDAG.from_dag(member) == drawn.cpdag
    assert np.array_equal(drawn.cpdag.to_dag(), member)


@given(random_graphs)
def test_matrix_round_trip_keeps_the_graph(drawn: simulate.Simulation) -> None:
    assert CPDAG.from_matrix(drawn.cpdag.to_matrix(), drawn.names) == drawn.cpdag


@given(random_graphs)
def test_edges_are_those_of_the_matrix_each_once(drawn: simulate.Simulation) -> None:
    rebuilt = np.zeros_like(drawn.dag)
    index = {name: i for i, name in enumerate(drawn.names)}
    for a, b in drawn.cpdag.directed:
        rebuilt[index[a], index[b]] += 1
    for a, b in drawn.cpdag.undirected:
        rebuilt[index[a], index[b]] += 1
        rebuilt[index[b], index[a]] += 1
    assert np.array_equal(rebuilt, drawn.cpdag.to_matrix())


@given(random_graphs)
def test_what_a_column_is_joined_to_is_what_the_edges_say(drawn: simulate.Simulation) -> None:
    graph = drawn.cpdag
    directed, undirected = set(graph.directed), set(graph.undirected)
    for a, b in itertools.product(graph.names, repeat=2):
        forth, back = (a, b) in directed, (b, a) in directed
        open_edge = bool({(a, b), (b, a)} & undirected)
        mark = "→" if forth else "←" if back else "-" if open_edge else ""
        assert graph.edge(a, b) == mark
        assert (b in graph.children(a)) == forth
        assert (b in graph.parents(a)) == back
        assert (b in graph.neighbors(a)) == open_edge
        assert (b in graph.adjacent(a)) == bool(mark)


@given(random_graphs)
def test_columns_come_in_the_order_of_the_table(drawn: simulate.Simulation) -> None:
    graph = drawn.cpdag
    for ask in (graph.parents, graph.children, graph.neighbors, graph.adjacent):
        for i, name in enumerate(graph.names):
            places = [graph.index(other) for other in ask(name)]
            assert places == sorted(set(places) - {i})


@pytest.mark.parametrize("d", [3, 4, 5])
def test_v_structures_match_brute_force_on_every_class(d: int) -> None:
    space = bf.atlas(d)
    for cpdag, members in zip(space.cpdags, space.members, strict=True):
        graph = CPDAG.from_matrix(bf.to_matrix(d, cpdag))
        found = [tuple(map(graph.index, triple)) for triple in graph.v_structures]
        assert found == sorted(bf.v_structures(d, members[0]), key=lambda t: (t[1], t[0], t[2]))


def test_v_structures_name_the_middle_second() -> None:
    assert CPDAG.from_dag(COLLIDER, ABC).v_structures == (("a", "b", "c"),)
    assert CPDAG.from_dag(CHAIN, ABC).v_structures == ()


def test_unknown_columns_are_refused_with_a_close_name() -> None:
    graph = CPDAG.from_dag(COLLIDER, ["smoking", "cancer", "genes"])
    with pytest.raises(DataError, match=r"no column 'smokin' \(did you mean 'smoking'\?\)"):
        graph.edge("cancer", "smokin")
    with pytest.raises(DataError, match="'zzz'; the columns are 'smoking', 'cancer' and 'genes'"):
        graph.parents("zzz")
    hostile = "\x1b[2J" + "a" * 100_000
    for ask in (graph.index, graph.ancestors, graph.descendants, graph.neighbors):
        with pytest.raises(DataError, match="there is no column") as caught:
            ask(hostile)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint8, np.float32, np.float64])
def test_every_zero_one_type_and_memory_order_is_accepted(dtype: type) -> None:
    matrix = np.asfortranarray(COLLIDER, dtype=dtype)
    assert CPDAG.from_matrix(matrix, ABC) == CPDAG.from_dag(COLLIDER, ABC)


def test_graph_cannot_be_changed() -> None:
    given_matrix = np.array(COLLIDER, dtype=np.uint8)
    graph = CPDAG.from_dag(given_matrix, ABC)
    before = graph.to_matrix()
    given_matrix[:] = 0
    graph.to_matrix()[:] = 0
    assert np.array_equal(graph.to_matrix(), before)
    with pytest.raises(dataclasses.FrozenInstanceError):
        graph.names = ("x", "y", "z")  # type: ignore[misc]


def test_copies_and_pickles_are_equal() -> None:
    graph = CPDAG.from_dag(COLLIDER, ABC)
    for twin in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert twin == graph
        assert hash(twin) == hash(graph)


def test_text_lists_the_edges() -> None:
    assert str(CPDAG.from_dag(COLLIDER, ABC)) == "a → b\nc → b"
    assert str(CPDAG.from_dag(CHAIN, ABC)) == "a - b\nb - c"
    assert str(CPDAG.from_dag([[0]])) == "(no edges)"
    assert repr(CPDAG.from_dag(CHAIN)) == "<CPDAG: 3 columns, 0 directed and 2 undirected edges>"


def test_text_escapes_names_that_could_drive_a_terminal() -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], ["a\n\x1b[2J", "β\u202e"])
    assert str(graph) == r"a\n\x1b[2J - β\u202e"
    assert printable("tab\t nul\0 é → 😀") == r"tab\t nul\x00 é → 😀"


def test_dag_with_a_cycle_is_refused_and_the_cycle_named() -> None:
    cyclic = np.zeros((4, 4))
    for i, j in ((0, 1), (1, 2), (2, 3), (3, 1)):
        cyclic[i, j] = 1
    with pytest.raises(DataError, match="cycle") as caught:
        CPDAG.from_dag(cyclic, ["p", "q", "r", "s"])
    named = str(caught.value).split("cycle ")[1].split(";")[0].split(" → ")
    assert named[0] == named[-1]
    assert sorted(named[1:]) == ["'q'", "'r'", "'s'"]
    index = {"'p'": 0, "'q'": 1, "'r'": 2, "'s'": 3}
    assert all(cyclic[index[a], index[b]] for a, b in itertools.pairwise(named))


def test_dag_matrix_given_as_cpdag_is_refused_with_the_edge_and_the_remedy() -> None:
    with pytest.raises(DataError, match=r"'a' → 'b' would be 'a' - 'b'.*from_dag"):
        CPDAG.from_matrix(CHAIN, ABC)


def test_undirected_square_is_refused_because_no_dag_is_a_member() -> None:
    square = np.zeros((4, 4), dtype=int)
    for i in range(4):
        square[i, (i + 1) % 4] = square[(i + 1) % 4, i] = 1
    with pytest.raises(DataError, match="not a CPDAG: it has no consistent DAG extension"):
        CPDAG.from_matrix(square)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1, 0], [0, 0, 1]], r"square.*\(2, 3\)"),
        ([0, 1], r"square.*\(2,\)"),
        (np.zeros((2, 2, 2)), "square"),
        (np.zeros((0, 0)), "empty"),
        ([[0, 1], [0]], "rectangular"),
        ([[0, 2], [0, 0]], r"\[0, 1\] is 2"),
        ([[0, -1], [0, 0]], r"\[0, 1\] is -1"),
        ([[0.0, 0.5], [0.0, 0.0]], r"\[0, 1\] is 0.5"),
        ([[0.0, np.nan], [0.0, 0.0]], r"\[0, 1\] is nan"),
        ([[1, 0], [0, 0]], r"diagonal.*\[0, 0\]"),
        ([["0", "1"], ["0", "0"]], "0 or 1"),
        ([[0, 1j], [0, 0]], "0 or 1"),
        ([[0, None], [0, 0]], "0 or 1"),
    ],
)
def test_matrix_that_is_no_adjacency_matrix_is_refused(matrix: Any, message: str) -> None:
    for build in (CPDAG.from_matrix, CPDAG.from_dag):
        with pytest.raises(DataError, match=message):
            build(matrix)


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a", "b"], DataError, "2 names for 3 columns"),
        (["a", "b", "a"], DataError, "several columns are called 'a'"),
        ("abc", DataTypeError, "list of 3 names"),
        (5, DataTypeError, "list of 3 names"),
        ({"a", "b", "c"}, DataTypeError, "list of 3 names"),
        ({"a": 1, "b": 2, "c": 3}, DataTypeError, "list of 3 names"),
        (["a", "b", 3], DataTypeError, "must be strings; got '3'"),
    ],
)
def test_names_that_do_not_fit_are_refused(
    names: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        CPDAG.from_dag(CHAIN, names)


SWAPPED = ["b", "a", "c"]


def labelled(dag: Any, names: Any = ABC) -> Any:
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(dag, index=list(names), columns=list(names))


def test_the_labels_of_a_data_frame_are_its_names() -> None:
    frame = labelled(COLLIDER)
    graph = CPDAG.from_dag(COLLIDER, ABC)
    assert CPDAG.from_dag(frame) == CPDAG.from_dag(frame, ABC) == graph
    assert CPDAG.from_matrix(frame) == graph
    assert CPDAG.from_dag(frame.loc[SWAPPED, SWAPPED]).directed == (("a", "b"), ("c", "b"))
    assert CPDAG.from_dag(frame.reset_index(drop=True)) == graph


def test_a_frame_without_labels_takes_the_names_given() -> None:
    pandas = pytest.importorskip("pandas")
    assert CPDAG.from_dag(pandas.DataFrame(COLLIDER), ABC) == CPDAG.from_dag(COLLIDER, ABC)
    assert CPDAG.from_dag(pandas.DataFrame(COLLIDER)).names == ("0", "1", "2")


def test_columns_of_polars_and_arrow_are_names() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(np.array(COLLIDER), schema=list(ABC))
    for table in (frame, frame.to_arrow()):
        assert CPDAG.from_matrix(table) == CPDAG.from_dag(COLLIDER, ABC)


def test_labels_that_contradict_each_other_are_refused() -> None:
    frame = labelled(COLLIDER)
    for build in (CPDAG.from_dag, CPDAG.from_matrix):
        with pytest.raises(DataError, match=r"row 0 .*'b', but column 0 is 'a'"):
            build(frame.loc[SWAPPED])
        with pytest.raises(DataError, match=r"row 1 .*'b', but column 1 is 'c'"):
            build(frame[["a", "c", "b"]])
        with pytest.raises(DataError, match=r"column 0 .*labelled 'a', but names= says 'b'"):
            build(frame, SWAPPED)
        with pytest.raises(DataError, match="2 names for 3 columns"):
            build(frame, ["a", "b"])
        with pytest.raises(DataError, match="several columns are called 'a'"):
            build(labelled(COLLIDER, ["a", "a", "b"]))
        with pytest.raises(DataError, match=r"row 0 .*'0', but column 0 is '1'"):
            build(labelled(COLLIDER, range(3))[[1, 0, 2]])
        with pytest.raises(DataError, match="square"):
            build(frame.iloc[:2])


def test_whole_numbers_stand_for_the_columns_that_they_label() -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], names=["1", "0"])
    assert graph.edge(0, 1) == graph.edge("0", "1") == "-"  # type: ignore[arg-type]
    assert graph.index(np.int64(0)) == 1  # type: ignore[arg-type]
    assert graph.view(focus=0).html == graph.view(focus="0").html  # type: ignore[arg-type]


def test_an_unknown_label_is_never_answered_with_itself() -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], names=["0.5", "x"])
    for label in (0.5, 7, True, None):
        with pytest.raises(DataError, match="there is no column") as caught:
            graph.index(label)  # type: ignore[arg-type]
        assert f"did you mean '{label}'" not in str(caught.value)
    with pytest.raises(DataError, match=r"'0\.5' of type float \(columns are given by their names"):
        graph.index(0.5)  # type: ignore[arg-type]


def test_a_table_without_names_is_asked_by_its_labels() -> None:
    pandas = pytest.importorskip("pandas")
    result = learn(pandas.DataFrame(simulate.linear_gaussian(4, 1.5, 500, seed=1).data))
    assert result.explain(0, 1) == result.explain("0", "1")  # type: ignore[arg-type]
