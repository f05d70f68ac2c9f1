"""What other libraries make of our exports: the same edges, the same names, the same directions."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pydot
import pytest
from causallearn.graph.Edge import Edge
from causallearn.graph.Endpoint import Endpoint
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.utils.TXT2GeneralGraph import txt2generalgraph
from pgmpy.base import DAG, PDAG

from greedag import CPDAG, DataError, DataTypeError, MissingExtraError, interop, simulate
from helpers.hostile_names import HOSTILE_NAMES

# a → b ← c, b → d, e - f, and g alone.
DIRECTED = {("a", "b"), ("c", "b"), ("b", "d")}
MIXED = interop.from_dagitty("pdag { a b c d e f g a -> b <- c b -> d e -- f }")
RANDOM = [simulate.linear_gaussian(20, 1.5, 1, seed=seed).cpdag for seed in range(10)]


def hostile(name: str) -> CPDAG:
    """Return the graph with one name changed, which has both kinds of edges."""
    dag = [[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    dag[3][0] = 1
    return CPDAG.from_dag(dag, names=[name, "b", "c", "d"])


def arcs(graph: CPDAG) -> set[tuple[str, str]]:
    back = {(b, a) for a, b in graph.undirected}
    return set(graph.directed) | set(graph.undirected) | back


def test_networkx_has_an_arc_from_tail_to_head_and_both_for_undirected_edges() -> None:
    graph = interop.to_networkx(MIXED)
    assert type(graph) is nx.DiGraph
    assert list(graph.nodes) == list("abcdefg")
    assert set(graph.edges) == DIRECTED | {("e", "f"), ("f", "e")}
    kinds = nx.get_edge_attributes(graph, "edge")
    assert {pair for pair, kind in kinds.items() if kind == "directed"} == DIRECTED
    assert kinds["e", "f"] == kinds["f", "e"] == "undirected"


def test_networkx_graphs_are_read_in_the_order_asked_for() -> None:
    graph = interop.to_networkx(MIXED)
    again = interop.from_networkx(graph, names=list("gfedcba"))
    assert again.names == tuple("gfedcba")
    assert set(again.directed) == DIRECTED
    with pytest.raises(DataError, match="only one of the two has 'g' and 'h'"):
        interop.from_networkx(graph, names=list("abcdefh"))
    with pytest.raises(DataError, match="list of 7 names"):
        interop.from_networkx(graph, names=set("abcdefg"))


def test_networkx_graphs_without_arrows_are_undirected() -> None:
    assert interop.from_networkx(nx.Graph([("a", "b")])).undirected == (("a", "b"),)


def test_networkx_graphs_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(DataTypeError, match=r"the node '0' is of type int.*relabel_nodes"):
        interop.from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(DataTypeError, match="multigraph"):
        interop.from_networkx(nx.MultiDiGraph())
    with pytest.raises(DataTypeError, match="got list"):
        interop.from_networkx([("a", "b")])
    with pytest.raises(DataError, match="as_dag=True"):
        interop.from_networkx(nx.DiGraph([("a", "b")]))
    with pytest.raises(DataError, match="an edge to itself"):
        interop.from_networkx(nx.DiGraph([("a", "a")]))


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(40))
def test_networkx_reads_our_graphml_with_the_same_names_and_arcs(name: str) -> None:
    graph = hostile(name)
    try:
        text = interop.to_graphml(graph)
    except DataError:
        return
    found = nx.read_graphml(io.BytesIO(text.encode()))
    assert list(found.nodes) == list(graph.names)
    assert set(found.edges) == arcs(graph)


def test_graphml_that_networkx_writes_is_read() -> None:
    for graph in RANDOM:
        text = "\n".join(nx.generate_graphml(interop.to_networkx(graph)))
        assert interop.from_graphml(text) == graph
    undirected = "\n".join(nx.generate_graphml(nx.Graph([("a", "b")])))
    assert interop.from_graphml(undirected).undirected == (("a", "b"),)


def test_pgmpy_has_our_edges_in_its_own_fields() -> None:
    graph = interop.to_pgmpy(MIXED)
    assert type(graph) is PDAG
    assert list(graph.nodes) == list("abcdefg")
    assert graph.directed_edges == DIRECTED
    assert graph.undirected_edges == {("e", "f")}
    assert graph.directed_parents("b") == {"a", "c"}
    assert graph.undirected_neighbors("e") == {"f"}


def test_pgmpy_finds_a_member_of_each_class() -> None:
    for graph in RANDOM:
        member = interop.to_pgmpy(graph).to_dag()
        assert interop.from_pgmpy(member, names=graph.names, as_dag=True) == graph


def test_classes_that_pgmpy_makes_are_read() -> None:
    pdag = PDAG(directed_ebunch=[("a", "b"), ("c", "b")], undirected_ebunch=[("f", "e")])
    graph = interop.from_pgmpy(pdag, names=list("abcef"))
    assert graph.directed == (("a", "b"), ("c", "b"))
    assert graph.undirected == (("e", "f"),)
    assert interop.from_pgmpy(DAG([("a", "b")]), as_dag=True).undirected == (("a", "b"),)
    with pytest.raises(DataError, match="latent"):
        interop.from_pgmpy(PDAG(directed_ebunch=[("a", "b")], latents=["a"]))


def test_causal_learn_has_an_arrowhead_in_the_row_of_the_head() -> None:
    graph = interop.to_causal_learn(MIXED)
    assert graph.get_node_names() == list("abcdefg")
    node = {name: graph.get_node(name) for name in "abcdefg"}
    assert graph.is_directed_from_to(node["a"], node["b"])
    assert not graph.is_directed_from_to(node["b"], node["a"])
    assert graph.is_undirected_from_to(node["e"], node["f"])
    assert (graph.graph[1, 0], graph.graph[0, 1]) == (1, -1)
    assert (graph.graph[4, 5], graph.graph[5, 4]) == (-1, -1)
    assert graph.get_num_edges() == 4
    assert graph.is_ancestor_of(node["a"], node["d"])


def test_causal_learn_says_the_same_edges_in_words() -> None:
    for graph in RANDOM:
        said = {str(edge) for edge in interop.to_causal_learn(graph).get_graph_edges()}
        ours = {f"{a} --> {b}" for a, b in graph.directed}
        assert said == ours | {f"{a} --- {b}" for a, b in graph.undirected}


def test_edges_of_causal_learn_that_no_cpdag_has_are_refused() -> None:
    nodes = [GraphNode("a"), GraphNode("b")]
    for end in (Endpoint.ARROW, Endpoint.CIRCLE):
        graph = GeneralGraph(nodes)
        graph.add_edge(Edge(nodes[0], nodes[1], end, Endpoint.ARROW))
        with pytest.raises(DataError, match="'a' and 'b' have the marks"):
            interop.from_causal_learn(graph)
    with pytest.raises(DataTypeError, match="got dict"):
        interop.from_causal_learn({"G": graph})


def test_what_wraps_a_graph_of_causal_learn_is_read() -> None:
    class Found:
        G = interop.to_causal_learn(MIXED)

    assert interop.from_causal_learn(Found()) == MIXED


def test_causal_learn_reads_our_tetrad_text(tmp_path: Path) -> None:
    for graph in [MIXED, *RANDOM]:
        path = tmp_path / "graph.txt"
        interop.write(path, graph)
        assert interop.from_causal_learn(txt2generalgraph(str(path))) == graph


def test_tetrad_text_that_causal_learn_writes_is_read() -> None:
    for graph in [MIXED, *RANDOM]:
        text = str(interop.to_causal_learn(graph))
        assert interop.from_tetrad(text) == graph


def unquoted(identifier: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", identifier[1:-1])


# pydot calls its parser by names that the parser no longer likes.
@pytest.mark.filterwarnings("ignore:'[a-zA-Z]+' deprecated - use:DeprecationWarning")
@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(40))
def test_pydot_reads_our_dot(name: str) -> None:
    graph = hostile(name)
    try:
        text = interop.to_dot(graph)
    except DataError:
        return
    (found,) = pydot.graph_from_dot_data(text)
    assert [unquoted(node.get_name()) for node in found.get_nodes()] == list(graph.names)
    pairs = {
        (unquoted(edge.get_source()), unquoted(edge.get_destination())): edge.get("dir")
        for edge in found.get_edges()
    }
    assert pairs == dict.fromkeys(graph.directed) | dict.fromkeys(graph.undirected, "none")


def test_a_member_for_dowhy_must_be_chosen_where_there_is_a_choice() -> None:
    collider = CPDAG.from_dag([[0, 1, 0], [0, 0, 0], [0, 1, 0]], names=["a", "b", "c"])
    assert set(interop.to_dowhy(collider).edges) == {("a", "b"), ("c", "b")}
    chain = CPDAG.from_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
    with pytest.raises(DataError, match=r"2 undirected edges.*dag=cpdag.to_dag\(\)"):
        interop.to_dowhy(chain)
    backwards = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert list(interop.to_dowhy(chain, backwards).edges) == [("b", "a"), ("c", "b")]
    pandas = pytest.importorskip("pandas")
    forth = pandas.DataFrame(backwards, index=list("cba"), columns=list("cba"))
    assert set(interop.to_dowhy(chain, forth).edges) == {("a", "b"), ("b", "c")}
    with pytest.raises(DataError, match="not a member"):
        interop.to_dowhy(chain, [[0, 1, 0], [0, 0, 0], [0, 1, 0]])
    with pytest.raises(DataError, match="cycle"):
        interop.to_dowhy(chain, [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


@pytest.mark.parametrize("name", [*HOSTILE_NAMES, "graph {a}", "a.dot", "a.gml", "a.txt"])
def test_gml_for_dowhy_is_taken_for_nothing_else_and_keeps_the_names(name: str) -> None:
    graph = hostile(name)
    text = interop.to_dowhy_gml(graph, graph.to_dag())
    # How DoWhy tells what it was given: files, dagitty, DOT and GML, in this order.
    for other in (r".*\.txt", r"^dag", r".*\.dot", r".*\.gml", r".*graph\s*\{.*\}\s*"):
        assert not re.match(other, text)
    assert re.match(r".*graph\s*\[.*\]\s*", text)
    found = nx.parse_gml(text)
    assert list(found.nodes) == list(graph.names)
    assert nx.is_directed_acyclic_graph(found)
    assert set(found.edges) == set(interop.to_dowhy(graph, graph.to_dag()).edges)


@pytest.mark.filterwarnings("ignore")
def test_dowhy_takes_both_forms() -> None:
    reason = "DoWhy is not installed: it needs 1 GB"
    causal_graph = pytest.importorskip("dowhy.causal_graph", reason=reason)
    graph = hostile("a.dot")
    for form in (interop.to_dowhy, interop.to_dowhy_gml):
        given = form(graph, graph.to_dag())
        found = causal_graph.CausalGraph(["c"], ["b"], given, observed_node_names=graph.names)
        # DoWhy adds what may be unobserved.
        assert set(graph.names) <= set(found._graph.nodes)
        assert set(interop.to_dowhy(graph, graph.to_dag()).edges) <= set(found._graph.edges)


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("networkx", interop.to_networkx),
        ("networkx", interop.to_dowhy),
        ("pgmpy.base", interop.to_pgmpy),
        ("causallearn.graph.Edge", interop.to_causal_learn),
    ],
)
def test_without_a_library_its_export_says_how_to_get_it(
    module: str, call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r'pip install "greedag\[interop\]"'):
        call(CPDAG.from_dag([[0]]))


def test_files_need_none_of_the_libraries(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "for name in ('networkx', 'pgmpy', 'causallearn', 'pydot', 'dowhy'):\n"
        "    sys.modules[name] = None\n"
        "from greedag import CPDAG, interop\n"
        "graph = CPDAG.from_dag([[0, 1], [0, 0]], names=['a', 'b'])\n"
        "for suffix in interop.SUFFIXES:\n"
        "    interop.write('graph' + suffix, graph)\n"
        "    assert interop.read('graph' + suffix) == graph\n"
        "assert interop.to_dowhy_gml(graph, graph.to_dag())\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
