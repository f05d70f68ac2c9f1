"""Graphs closed under Meek's rules: whether one has members, and which knowledge fits a class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from greedag import _core
from greedag.errors import DataError, DataTypeError, KnowledgeError, listed, quoted
from greedag.graph.clique_picking import nodes, rows
from greedag.graph.consistency import edge_text, require_acyclic
from greedag.graph.mpdag import MPDAG, Edge, Matrix, Pair
from greedag.graph.orientation import EVIDENCE, Evidence

if TYPE_CHECKING:
    from greedag.graph.bound_knowledge import BoundKnowledge

# What no member agrees with.
CONFLICT = "knowledge-conflict"


def require_closed(cells: Matrix, labels: tuple[str, ...]) -> None:
    """Raise unless a matrix has members and Meek's rules direct none of its undirected edges."""
    require_acyclic(cells & (1 - cells.T), labels, "an MPDAG")
    _, left = extension(cells)
    if left:
        among = listed([labels[i] for i in nodes(left)])
        raise DataError(
            "not an MPDAG: no DAG has its arrows and its skeleton without a further v-structure, "
            f"because none of {among} can come last among them; change an edge between them",
            code="no-member",
            columns=[labels[i] for i in nodes(left)],
        )
    for i, j, rule, *others in _core.derive(cells, []):
        if cells[j, i]:
            tail, head = labels[i], labels[j]
            raise DataError(
                f"not an MPDAG: {edge_text(cells, i, j, labels)} must be {quoted(tail)} → "
                f"{quoted(head)} by Meek's rule {rule} with "
                f"{listed([labels[node] for node in others if node >= 0])}; direct it",
                code="not-closed",
                columns=[tail, head],
            )


def extension(cells: Matrix) -> tuple[Matrix, int]:
    """Return a member, and the set of nodes on which none was found; empty if all went well.

    A node can come last if it has no child and each of its neighbours is adjacent to all nodes
    adjacent to it: then all its edges may point to it without a further v-structure. Such a node
    is taken away until none is left (Dor and Tarsi 1992), the last column first.
    """
    forth, back = rows(cells), rows(cells.T)
    member, left = cells.copy(), (1 << len(cells)) - 1
    is_searching = True
    while is_searching:
        is_searching = False
        for x in reversed(list(nodes(left))):
            if _can_come_last(forth, back, x, left):
                member[x, list(nodes(back[x] & left))] = 0
                left ^= 1 << x
                is_searching = True
    return member, left


def _can_come_last(forth: Sequence[int], back: Sequence[int], x: int, left: int) -> bool:
    if forth[x] & ~back[x] & left:
        return False
    around = back[x] & left
    return all(around & ~(forth[y] | back[y] | 1 << y) == 0 for y in nodes(forth[x] & around))


def oriented(graph: MPDAG, orientations: Iterable[Pair], knowledge: Any) -> MPDAG:
    """Return the members of a graph that agree with what is known; see `MPDAG.from_cpdag`."""
    cells, given = graph.to_matrix(), dict(graph._given)
    arcs, known = _arcs(graph, orientations), []
    if knowledge is not None:
        known = [(i, j) for i, j in np.argwhere(cells > cells.T).tolist()]
        cells, statements = _agreeing(graph.cpdag, knowledge)
        given = statements | given
    closed = _core.close_under_meek(cells, known + arcs)
    if closed is None:
        raise _conflict(graph, cells, known + arcs)
    given |= {(i, j): () for i, j in arcs if cells[j, i] and (i, j) not in given}
    made = np.asarray(closed, dtype=np.uint8).tobytes()
    shown = tuple(item for item in graph._evidence if item[0] not in given)
    return MPDAG(graph.names, made, tuple(given.items()), shown)


def with_evidence(graph: MPDAG, evidence: Sequence[Evidence]) -> MPDAG:
    """Return the members of a graph that agree with evidence; see `MPDAG.from_cpdag`."""
    if not evidence:
        return graph
    cells, shown = graph.to_matrix(), dict(graph._evidence)
    for kind in EVIDENCE:
        found = [item for item in evidence if item.kind == kind]
        arcs = _arcs(graph, [(item.tail, item.head) for item in found])
        closed = _core.close_under_meek(cells, arcs)
        if closed is None:
            raise _conflict(graph, cells, arcs)
        shown |= {(i, j): item for (i, j), item in zip(arcs, found, strict=True) if cells[j, i]}
        cells = np.asarray(closed, dtype=np.uint8)
    return MPDAG(graph.names, cells.tobytes(), graph._given, tuple(shown.items()))


def stages(graph: MPDAG) -> dict[str, tuple[Matrix, Matrix]]:
    """Return, for knowledge and each kind of evidence, the graph without it and with it.

    Each comes on top of those before it: knowledge, interventions, curves.
    """
    cells, of_class = graph.to_matrix(), graph.cpdag.to_matrix()
    if not graph._evidence:
        return {"knowledge": (of_class, cells)} | dict.fromkeys(EVIDENCE, (cells, cells))
    arcs: dict[str, list[Edge]] = {"knowledge": [], **{kind: [] for kind in EVIDENCE}}
    for (a, b), why in graph.reasons().items():
        arcs.get(why.rule, []).append((graph.index(a), graph.index(b)))
    found, before = {}, of_class
    for source, among in arcs.items():
        after = np.asarray(_core.close_under_meek(before, among), dtype=np.uint8)
        found[source] = before, after
        before = after
    return found


def _agreeing(cpdag: MPDAG, knowledge: Any) -> tuple[Matrix, dict[Edge, tuple[Any, ...]]]:
    """Return the members that agree with knowledge, and which statements direct which edges."""
    cells, bound = cpdag.to_matrix(), knowledge.bind(cpdag.names)
    found = _core.orient(cells, bound.engine)
    if found is None:
        raise _against_class(cpdag, bound)
    given: dict[Edge, tuple[Any, ...]] = {}
    for tail, head, *pair in found[1]:
        said = given.get((tail, head), ()) + bound.statements_for(tail, head, *pair)
        given[tail, head] = tuple(dict.fromkeys(said))
    return np.asarray(found[0], dtype=np.uint8), given


def _arcs(graph: MPDAG, orientations: Iterable[Pair]) -> list[Edge]:
    pairs = list(orientations)
    wrong = next((pair for pair in pairs if isinstance(pair, str) or len(pair) != 2), None)
    if wrong is not None:
        raise DataTypeError(f"orientations are pairs of names (from, to); got {quoted(wrong)}")
    arcs = [(graph.index(a), graph.index(b)) for a, b in pairs]
    loop = next((a for (i, j), (a, _) in zip(arcs, pairs, strict=True) if i == j), None)
    if loop is not None:
        raise DataError(f"an edge has two ends; both are {quoted(loop)}")
    return arcs


def _conflict(graph: MPDAG, cells: Matrix, arcs: Sequence[Edge]) -> KnowledgeError:
    """Say which arcs no member has, as few as can be."""
    few = list(dict.fromkeys(arcs))
    for arc in tuple(few):
        others = [other for other in few if other != arc]
        if _core.close_under_meek(cells, others) is None:
            few = others
    names = graph.names
    said = [f"{quoted(names[i])} → {quoted(names[j])}" for i, j in few]
    columns = [names[i] for i in dict.fromkeys(node for arc in few for node in arc)]
    i, j = few[0]
    if len(few) > 1:
        problem = f"no member has {' and '.join((', '.join(said[:-1]), said[-1]))} together"
    elif cells[j, i]:
        problem = f"no member has {said[0]}: all have {quoted(names[j])} → {quoted(names[i])}"
    else:
        problem = f"no member has {said[0]}: the two are not adjacent"
    return KnowledgeError(
        problem, remedy="leave out one of the orientations", code=CONFLICT, columns=columns
    )


def _against_class(cpdag: MPDAG, bound: BoundKnowledge) -> KnowledgeError:
    """Say which statements no member of a class agrees with, as few as can be."""
    cells, place = cpdag.to_matrix(), 0
    while place < len(bound.statements):
        fewer = bound.without(bound.statements[place])
        if _core.orient(cells, fewer.engine) is None:
            bound = fewer
        else:
            place += 1
    said = "; ".join(str(statement) for statement in bound.statements)
    return KnowledgeError(
        f"no member of the class agrees with what is known: {said}",
        remedy="leave out a statement, or learn with the knowledge, which finds another class",
        code=CONFLICT,
        statements=bound.statements,
    )
