"""Exports and imports: every class and every name comes back, or the format says why not."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from greedag import CPDAG, DataError, DataTypeError, interop, learn, simulate
from greedag.graph.mpdag import MAX_COLUMNS_READ
from greedag.interop.builder import GraphBuilder
from greedag.io.checked_json import document
from helpers.hostile_names import HOSTILE_NAMES
from helpers.paths import ROOT
from oracle import brute_force as bf

# Not in the order of the alphabet, so that a reader which sorts is found out.
NAMES = ("z", "a", "m", "b")
TEXTS = ("dot", "dagitty", "tetrad", "graphml", "edge_list", "json", "npz")
LIBRARIES = ("networkx", "pgmpy", "causal_learn")
MATRICES = ("pcalg", "bnlearn")
FORMATS = TEXTS + LIBRARIES + MATRICES
COLLIDER = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], names=["a", "b", "c"])
CHAIN = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]

cpdags = st.builds(
    lambda d, rho, seed: simulate.linear_gaussian(d, rho, 1, seed=seed).cpdag,
    st.integers(1, 12),
    st.floats(0.0, 4.0),
    st.integers(0, 2**32),
)


def written(form: str, graph: CPDAG) -> Any:
    return getattr(interop, f"to_{form}")(graph)


def read_back(form: str, graph: CPDAG, text: Any) -> CPDAG:
    names = {"names": graph.names} if form in MATRICES else {}
    return getattr(interop, f"from_{form}")(text, **names)


def classes(most: int) -> list[CPDAG]:
    """Return the classes of all DAGs of up to so many nodes, from brute force."""
    found = []
    for d in range(1, most + 1):
        for members in bf.atlas(d).members:
            union = bf.union(members)
            cells = [[int(bf.has(d, union, x, y)) for y in range(d)] for x in range(d)]
            found.append(CPDAG.from_matrix(cells, names=NAMES[:d]))
    return found


def holder(name: str) -> CPDAG:
    """Return a graph with a name at a tail, at a head, at an undirected edge and alone."""
    dag = np.zeros((7, 7), dtype=int)
    dag[0, 1] = dag[2, 1] = dag[1, 3] = dag[4, 5] = 1
    odd = [name, f"{name}1", "p", f"2{name}", f"{name}{name}3", f"'{name}4", f"5{name}6"]
    return CPDAG.from_dag(dag, names=odd)


def check_with_another_parser(form: str, text: Any, names: tuple[str, ...]) -> None:
    """Read names with a parser that is not ours, where the standard library has one."""
    if form == "graphml":
        nodes = ElementTree.fromstring(text.encode()).findall("*/{*}node")
        assert [node.get("id") for node in nodes] == list(names)
    if form == "edge_list":
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert {len(row) for row in rows} == {3}
        assert [row[0].lstrip("'") for row in rows[1:8]] == [name.lstrip("'") for name in names]
    if form == "json":
        assert json.loads(text)["names"] == list(names)


@pytest.mark.parametrize("form", FORMATS)
def test_every_class_of_up_to_four_nodes_comes_back(form: str) -> None:
    found = classes(4)
    assert len(found) == 1 + 2 + 11 + 185
    for graph in found:
        assert read_back(form, graph, written(form, graph)) == graph


@pytest.mark.parametrize("form", FORMATS)
@settings(deadline=None, max_examples=40)
@given(graph=cpdags)
def test_random_classes_come_back(form: str, graph: CPDAG) -> None:
    assert read_back(form, graph, written(form, graph)) == graph


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(40))
def test_hostile_names_come_back_or_are_refused_by_name(form: str, name: str) -> None:
    graph = holder(name)
    try:
        text = written(form, graph)
    except DataError as error:
        assert "cannot be written as" in str(error)
        assert "rename the column" in str(error)
        assert form in ("dot", "dagitty", "tetrad", "graphml", "edge_list")
        return
    check_with_another_parser(form, text, graph.names)
    assert read_back(form, graph, text) == graph


REFUSED = {"dot": 2, "edge_list": 2, "graphml": 6, "dagitty": 7, "tetrad": 25, "json": 0, "npz": 0}


@pytest.mark.parametrize("form", REFUSED)
def test_no_more_hostile_names_are_refused_than_the_format_must(form: str) -> None:
    refused = 0
    for name in HOSTILE_NAMES:
        try:
            written(form, CPDAG.from_dag([[0]], names=[name]))
        except DataError:
            refused += 1
    assert refused == REFUSED[form]


@pytest.mark.parametrize("form", [form for form in TEXTS if form not in ("tetrad", "graphml")])
@settings(deadline=None, max_examples=200)
@given(names=st.lists(st.text(max_size=6), min_size=3, max_size=3, unique=True))
def test_any_names_come_back_or_are_refused(form: str, names: list[str]) -> None:
    graph = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], names=names)
    try:
        text = written(form, graph)
    except DataError:
        return
    assert read_back(form, graph, text) == graph


# One graph written by hand in each format: a → b ← c, b → d, e - f, and g alone.
BY_HAND: dict[str, Any] = {
    "dot": 'digraph G { g; a -> b; c -> b -> d; "e" -> f [dir=none, color="red"] }',
    "dagitty": 'pdag { g\n a -> b <- c\n b -> d [pos="1,2"]; e -- f; a [exposure] }',
    "tetrad": (
        "Graph Nodes:\ng;a;b;c;d;e;f\n\nGraph Edges:\n"
        "1. a --> b\n2. b <-- c\n3. b --> d dd nl\n4. e --- f\n\nGraph Attributes:\nBIC: 3\n"
    ),
    "graphml": (
        '<graphml><graph edgedefault="directed"><node id="g"/><node id="a"/><node id="b"/>'
        '<node id="c"/><node id="d"/><node id="e"/><node id="f"/><edge source="a" target="b"/>'
        '<edge source="c" target="b"/><edge source="b" target="d"/>'
        '<edge source="e" target="f" directed="false"/></graph></graphml>'
    ),
    "edge_list": "from,edge,to\ng,,\na,directed,b\nc,-->,b\nb,→,d\ne,---,f\n",
}


@pytest.mark.parametrize("form", BY_HAND)
def test_what_other_programs_write_is_read_the_same_way(form: str) -> None:
    graph = getattr(interop, f"from_{form}")(BY_HAND[form])
    assert set(graph.directed) == {("a", "b"), ("c", "b"), ("b", "d")}
    assert graph.undirected == (("e", "f"),)
    assert set(graph.names) == set("abcdefg")
    assert graph.names[0] == "g"


def test_matrices_of_pcalg_read_from_column_to_row_and_those_of_bnlearn_from_row_to_column() -> (
    None
):
    pcalg, bnlearn = interop.to_pcalg(COLLIDER), interop.to_bnlearn(COLLIDER)
    assert pcalg.tolist() == [[0, 0, 0], [1, 0, 1], [0, 0, 0]]
    assert bnlearn.tolist() == [[0, 1, 0], [0, 0, 0], [0, 1, 0]]
    assert interop.from_pcalg(pcalg.tolist()).names == ("x0", "x1", "x2")
    with pytest.raises(DataError, match="rectangular"):
        interop.from_pcalg([[0, 1], [0]])


def test_arrays_in_npz_files_open_without_pickle() -> None:
    with np.load(io.BytesIO(interop.to_npz(COLLIDER)), allow_pickle=False) as arrays:
        assert arrays["names"].tolist() == ["a", "b", "c"]
        assert np.array_equal(arrays["adjacency"], COLLIDER.to_matrix())
    with pytest.raises(DataError, match="ends in NUL"):
        interop.to_npz(CPDAG.from_dag([[0]], names=["a\0"]))


@pytest.mark.parametrize(
    "start", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\n=x", "＝1", "'=1", "''+"]
)
def test_no_cell_of_an_edge_list_is_a_formula(start: str) -> None:
    graph = CPDAG.from_dag([[0, 1], [0, 0]], names=[start, f"'{start}"])
    text = interop.to_edge_list(graph)
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert not any(cell.startswith(tuple("=+-@\t\r\n＝＋－＠")) for cell in cells)
    assert interop.from_edge_list(text) == graph


def test_apostrophes_that_guard_nothing_are_left_alone() -> None:
    text = interop.to_edge_list(CPDAG.from_dag([[0]], names=["'tis"]))
    assert text.splitlines()[1] == '"\'tis","",""'
    assert interop.from_edge_list(text).names == ("'tis",)


def test_halves_of_a_character_that_json_would_join_are_refused() -> None:
    with pytest.raises(DataError, match="surrogates"):
        interop.to_json(CPDAG.from_dag([[0]], names=["\ud83d\ude00"]))


AS_DAG: dict[str, Callable[[], Any]] = {
    "dot": lambda: "digraph { a -> b -> c }",
    "dagitty": lambda: "dag { a -> b -> c }",
    "tetrad": lambda: "Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> b\n2. b --> c\n",
    "edge_list": lambda: "from,edge,to\na,directed,b\nb,directed,c\n",
    "json": lambda: document(
        {
            "format": "greedag graph",
            "version": 1,
            "names": ["a", "b", "c"],
            "directed": [["a", "b"], ["b", "c"]],
            "undirected": [],
        }
    ),
    "pcalg": lambda: np.transpose(CHAIN),
    "bnlearn": lambda: CHAIN,
}


@pytest.mark.parametrize("form", AS_DAG)
def test_a_dag_is_read_as_its_class_only_when_asked(form: str) -> None:
    reader = getattr(interop, f"from_{form}")
    with pytest.raises(DataError, match=r"form a DAG, but not a CPDAG.*as_dag=True"):
        reader(AS_DAG[form]())
    graph = reader(AS_DAG[form](), as_dag=True)
    assert np.array_equal(graph.to_matrix(), CPDAG.from_dag(CHAIN).to_matrix())


def test_as_dag_refuses_undirected_edges_and_cycles() -> None:
    with pytest.raises(DataError, match=r"'x0' - 'x1' is undirected; leave out as_dag"):
        interop.from_bnlearn([[0, 1], [1, 0]], as_dag=True)
    with pytest.raises(DataError, match="has the cycle"):
        interop.from_bnlearn([[0, 1, 0], [0, 0, 1], [1, 0, 0]], as_dag=True)
    with pytest.raises(DataError, match="not a CPDAG"):
        interop.from_bnlearn([[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def test_no_more_columns_are_read_than_a_matrix_of_them_can_be_held() -> None:
    names = [str(i) for i in range(MAX_COLUMNS_READ + 1)]
    draft = GraphBuilder(names[:-1])
    with pytest.raises(DataError, match="more than 20000 columns"):
        draft.column(names[-1])
    record = {"format": "greedag graph", "version": 1, "names": names}
    with pytest.raises(DataError, match="more than 20000 columns"):
        interop.from_json(document(record))
    content = io.BytesIO()
    np.savez(content, adjacency=np.zeros((1, 1)), names=np.array(names))
    with pytest.raises(DataError, match="more than 20000 columns"):
        interop.from_npz(content.getvalue())


BROKEN = [
    ("dot", "digraph { a -> }", "line 1: found '}' where a name should be"),
    ("dot", "digraph { a\n b", r"line 2: the text ends where a name|line 2: the text ends"),
    ("dot", 'digraph { "a\n', "line 1: cannot read"),
    ("dot", "digraph { a -- b }", "'--' in a digraph"),
    ("dot", "graph { a -> b }", "'->' in a graph"),
    ("dot", "digraph { a -> b [dir=both] }", "dir=both"),
    ("dot", "digraph { a -> b [arrowhead=none] }", "arrowhead"),
    ("dot", "digraph { edge [dir=none] a -> b }", "arrows set for all edges"),
    ("dot", "digraph { subgraph { a } }", "found '{' where|should stand"),
    ("dot", "digraph { a:port -> b }", "line 1: cannot read ':port"),
    ("dot", "digraph { a\n -> b b -> a }", "line 2: 'b' and 'a' have two edges"),
    ("dot", "digraph { a -> a }", "'a' has an edge to itself"),
    ("dot", "digraph { a } }", "the end of the graph"),
    ("dot", "digraph { }", "no columns"),
    ("dot", "flowchart { a }", "one of digraph, graph"),
    ("dot", "", "line 1: the text ends where a name"),
    ("dagitty", "dag { a <-> b }", "an edge '<->' is not read"),
    ("dagitty", "pag { a @-> b }", "one of dag, digraph, graph, pdag"),
    ("dagitty", "pdag { a @-> b }", "an edge '@->' is not read"),
    ("dagitty", "dag { u [latent]\n u -> a }", "line 1: 'u' is latent"),
    ("dagitty", "dag { {a b} -> c }", "found '{'"),
    ("tetrad", "Graph Nodes:\na;b\n", "no line 'Graph Edges:'"),
    ("tetrad", "Graph Nodes:\na;b\n\nGraph Edges:\n1. a o-> b\n", "line 5: an edge 'o->'"),
    ("tetrad", "Graph Nodes:\na;b\n\nGraph Edges:\n1. a --> c\n", "line 5: 'c' is not among"),
    ("tetrad", "Graph Nodes:\na;b\n\nGraph Edges:\na to b\n", "line 5: 'a to b' is not an edge"),
    ("tetrad", "Graph Nodes:\na;(b)\n\nGraph Edges:\n", r"line 2: '\(b\)' cannot be a column"),
    ("tetrad", "Graph Nodes:\na;a\n\nGraph Edges:\n", "line 2: the name 'a' occurs twice"),
    ("graphml", "<graphml><graph", "line 1: not valid XML"),
    ("graphml", "<html/>", "the document is 'html'"),
    ("graphml", "<graphml/>", "no graph in it"),
    (
        "graphml",
        '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><graphml>&c;</graphml>',
        "line 1: a document type is not read",
    ),
    (
        "graphml",
        '<graphml><graph edgedefault="directed">\n<node/></graph></graphml>',
        "line 2: the attribute 'id' is missing",
    ),
    (
        "graphml",
        '<graphml><graph edgedefault="directed"><node id="a"><graph/></node></graph></graphml>',
        "a second graph",
    ),
    (
        "graphml",
        '<graphml><graph edgedefault="directed"><node id="a"/>\n'
        '<edge source="a" target="b"/></graph></graphml>',
        "line 2: there is no node 'b'",
    ),
    (
        "graphml",
        '<graphml><graph edgedefault="directed"><hyperedge/></graph></graphml>',
        "hyperedges",
    ),
    ("edge_list", "a,b\n", "line 1: the header must be from,edge,to"),
    ("edge_list", "", "line 1: the header"),
    ("edge_list", "from,edge,to\na,directed\n", "line 2: 2 fields"),
    ("edge_list", "from,edge,to\na,maybe,b\n", "line 2: an edge 'maybe'"),
    ("edge_list", "from,edge,to\na,,b\n", "line 2: an edge ''"),
    ("edge_list", 'from,edge,to\n"a,,\n', "line 2: not valid CSV"),
    ("json", "", "not a greedag JSON file"),
    ("json", "{", "damaged, truncated"),
    ("json", document({"format": "greedag graph", "version": 99}), "upgrade greedag"),
    ("json", document({"format": "graph", "version": 1}), "does not hold the format"),
    ("json", document({"format": "greedag graph", "version": 1}), "its field 'names'"),
    ("npz", b"PK\3\4 no archive", "not a .npz file without pickle"),
    ("npz", b"", "not a .npz file without pickle"),
]


@pytest.mark.parametrize(("form", "text", "message"), BROKEN)
def test_broken_texts_are_refused_with_the_place_and_the_reason(
    form: str, text: str, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        getattr(interop, f"from_{form}")(text)


@pytest.mark.parametrize("form", TEXTS)
def test_no_cut_of_a_text_and_no_changed_character_ends_in_another_error(form: str) -> None:
    whole = written(form, COLLIDER)
    reader = getattr(interop, f"from_{form}")
    odd = '"\\<&\0;' if isinstance(whole, str) else [b"\0", b"\xff", b"P"]
    cuts = [whole[:end] for end in range(len(whole))]
    changes = [
        whole[:at] + other + whole[at + 1 :]
        for at in range(0, len(whole), 1 if isinstance(whole, str) else 7)
        for other in odd
    ]
    for text in cuts + changes:
        with contextlib.suppress(DataError):
            assert isinstance(reader(text), CPDAG)


def test_archives_that_unpack_to_too_much_are_not_unpacked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("greedag.interop.matrices._MAX_NPZ_BYTES", 100)
    with pytest.raises(DataError, match="larger than the limit of 100 bytes"):
        interop.from_npz(interop.to_npz(COLLIDER))


def test_arrays_that_need_pickle_are_refused() -> None:
    content = io.BytesIO()
    np.savez(content, adjacency=COLLIDER.to_matrix(), names=np.array(["a", "b", 3], dtype=object))
    with pytest.raises(DataError, match="without pickle"):
        interop.from_npz(content.getvalue())


def test_every_format_stands_in_the_documentation() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    functions = [name for name in interop.__all__ if name.startswith(("to_", "from_"))]
    assert len(functions) == 26
    for name in [*functions, *interop.SUFFIXES]:
        assert f"`{name}`" in page


def declaring(shape: str) -> bytes:
    """The bytes of an array that declares a shape and holds nothing."""
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


@pytest.mark.parametrize(
    "adjacency",
    [
        b"no array",
        b"",
        b"\x93NUMPY\x09\x00",
        declaring("(1000000, 1000000)"),
        declaring("(-1, -1)"),
        declaring("(2,"),
        declaring("'text'"),
    ],
)
def test_arrays_that_are_none_or_lie_about_their_shape_are_refused(adjacency: bytes) -> None:
    content = io.BytesIO()
    np.savez(content, names=np.array(["a", "b"]))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr("adjacency.npy", adjacency)
    with pytest.raises(DataError, match=r"not a \.npz file without pickle, or damaged"):
        interop.from_npz(content.getvalue())


def test_arrays_in_the_order_of_fortran_are_read() -> None:
    content = io.BytesIO()
    np.savez(content, adjacency=np.asfortranarray(COLLIDER.to_matrix()), names=COLLIDER.names)
    assert interop.from_npz(content.getvalue()) == COLLIDER


@pytest.mark.parametrize("as_dag", [True, False])
@pytest.mark.parametrize("matrix", [[[0, 1], [0, 0]], [[0, 1], [1, 0]]])
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "a"], "several columns are called 'a'"),
        (["a"], "1 names for 2 columns"),
        (["a", "b", "c"], "3 names for 2 columns"),
        ([0, 1], "names must be strings; got '0'"),
        ("ab", "names must be a list of 2 names"),
        (5, "names must be a list of 2 names"),
        ({"a", "b"}, "names must be a list of 2 names"),
    ],
)
def test_names_that_do_not_fit_a_matrix_are_said_to_be_the_fault(
    names: Any, message: str, matrix: list[list[int]], as_dag: bool
) -> None:
    for read in (interop.from_pcalg, interop.from_bnlearn):
        with pytest.raises(DataError, match=message):
            read(matrix, names, as_dag=as_dag)


@pytest.mark.parametrize("as_dag", [True, False])
def test_the_labels_of_a_matrix_are_its_names(as_dag: bool) -> None:
    pandas = pytest.importorskip("pandas")
    names, order = list(COLLIDER.names), [2, 0, 1]
    for write, read in (
        (interop.to_pcalg, interop.from_pcalg),
        (interop.to_bnlearn, interop.from_bnlearn),
    ):
        frame = pandas.DataFrame(write(COLLIDER), index=names, columns=names)
        assert read(frame, as_dag=as_dag) == COLLIDER
        turned = read(frame.iloc[order, order], as_dag=as_dag)
        assert turned.names == tuple(names[i] for i in order)
        assert set(turned.directed) == set(COLLIDER.directed)
        with pytest.raises(DataError, match=r"row 0 .* but column 0"):
            read(frame.iloc[order], as_dag=as_dag)
        with pytest.raises(DataError, match=r"column 0 .* but names= says"):
            read(frame, [names[i] for i in order], as_dag=as_dag)


def test_entries_that_are_no_adjacencies_are_said_to_be_the_fault() -> None:
    with pytest.raises(DataError, match="entries are 0 or 1"):
        interop.from_bnlearn([[0, 2], [0, 0]])


TO = sorted(name for name in interop.__all__ if name.startswith("to_"))
FROM = sorted(name for name in interop.__all__ if name.startswith("from_"))


@pytest.mark.parametrize("name", TO)
def test_writers_take_a_result_as_its_class_and_refuse_other_things(name: str) -> None:
    if name.startswith(("to_networkx", "to_dowhy", "to_pgmpy")):
        pytest.importorskip("networkx")
    if name == "to_pgmpy":
        pytest.importorskip("pgmpy")
    if name == "to_causal_learn":
        pytest.importorskip("causallearn")
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 500))
    result = learn(np.column_stack([a, b, a + b + rng.normal(size=500)]))
    assert not result.cpdag.undirected
    writer = getattr(interop, name)
    assert type(writer(result)) is type(writer(result.cpdag))
    if isinstance(writer(result), (str, np.ndarray)):
        assert np.all(writer(result) == writer(result.cpdag))
    for wrong in (None, "text", [[0, 1], [0, 0]], 3):
        with pytest.raises(DataTypeError, match="expected a CPDAG, an MPDAG or a Result, got"):
            writer(wrong)


@pytest.mark.parametrize("name", FROM)
@pytest.mark.parametrize("wrong", [None, 3, object(), ["a"]])
def test_readers_refuse_other_things(name: str, wrong: Any) -> None:
    with pytest.raises(DataError):
        getattr(interop, name)(wrong)


@pytest.mark.parametrize("name", ["dot", "dagitty", "tetrad", "edge_list"])
def test_readers_of_text_refuse_bytes(name: str) -> None:
    with pytest.raises(DataTypeError, match="expected str, got bytes"):
        getattr(interop, f"from_{name}")(b"graph {}")
