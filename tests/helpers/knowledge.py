"""The engine with background knowledge beside brute force; every check returns its mismatches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from greedag import Knowledge, _core
from greedag.scores import BDeu
from greedag.scores.custom import engine_of
from greedag.statistics.levels import Levels
from helpers.engine import engine_score, everything
from helpers.properties import small_sample
from oracle import brute_force as bf
from oracle import discrete, naive_search
from oracle.knowledge import (
    INADMISSIBLE,
    NO_TIER,
    Arc,
    ClassSearch,
    Flags,
    Moves,
    Statements,
    admissible_classes,
    admissible_members,
    best_admissible,
    dag_totals,
    directed,
    graph_of,
    mpdags,
    space,
)
from oracle.knowledge_exact import best_admissible_score, local_tables
from oracle.local_scores import GaussianBicTwin
from oracle.random_knowledge import consistent_statements, random_statements

Matrix = NDArray[np.uint8]
Local = Callable[[int, tuple[int, ...]], float]
SEARCHES = ("xges0", "xges", "ges", "ges-r", "ops", "fges")
GREEDY = ("xges0", "ges", "ges-r", "ops")
"""The searches that go to the best class of all that an operator of their kind leads to."""
OPTIMAL = ("xges0", "ges-r", "ops")
"""The searches that end where no operator gains."""
SCORES = ("gaussian-bic", "bdeu", "custom")
ROUNDING = 1e-9
MOST_BRANCHED = 9
"""Up to so many columns the twin finds the best admissible DAG soon."""
NO_PAIR = (-1, -1)


def engine_knowledge(known: Statements) -> _core.Knowledge:
    """Return the engine's side of some statements."""
    return _core.Knowledge(
        known.d,
        required=list(known.required),
        forbidden=list(known.forbidden),
        tiers=list(known.tiers),
        before=list(known.before),
    )


def said_by(known: Statements) -> Knowledge:
    """Return the same statements as users say them."""
    return Knowledge(
        required=[(f"x{a}", f"x{b}") for a, b in known.required],
        forbidden=[(f"x{a}", f"x{b}") for a, b in known.forbidden],
        tiers={f"x{v}": tier for v, tier in enumerate(known.tiers) if tier != NO_TIER},
        before=[(f"x{a}", f"x{b}") for a, b in known.before],
    )


# ---- orienting


@cache
def class_matrices(d: int) -> list[Matrix]:
    """Return the CPDAG of every class, as the engine takes it."""
    return [bf.to_matrix(d, cpdag) for cpdag in bf.atlas(d).cpdags]


@cache
def numbers(d: int) -> dict[bytes, int]:
    """Return the number of every class by the bytes of its CPDAG."""
    return {matrix.tobytes(): place for place, matrix in enumerate(class_matrices(d))}


@cache
def cells_of(d: int, graph: int) -> bytes:
    """Return the bytes of the adjacency matrix of a graph."""
    return bf.to_matrix(d, graph).tobytes()


@cache
def arcs_of(d: int, graph: int) -> frozenset[Arc]:
    """Return the directed edges of a graph."""
    return frozenset(directed(d, graph))


def wrong_orientations(known: Statements) -> list[str]:
    """Orient every class by some statements, or find that no DAG agrees with them."""
    d, wrong = known.d, []
    expected = mpdags(space(d), known).tolist()
    try:
        knowledge = engine_knowledge(known)
    except ValueError as error:
        return [f"{error}\n{known}"] if max(expected) != INADMISSIBLE else []
    if max(expected) == INADMISSIBLE:
        return [f"no DAG agrees, and the engine says nothing\n{known}"]
    for matrix, graph in zip(class_matrices(d), expected, strict=True):
        fault = _fault_of_orienting(matrix, graph, known, knowledge)
        if fault:
            wrong.append(f"{fault}\n{known}\nclass\n{matrix}")
    return wrong


def _fault_of_orienting(
    matrix: Matrix, graph: int, known: Statements, knowledge: _core.Knowledge
) -> str:
    found = _core.orient(matrix, knowledge)
    if found is None or graph == INADMISSIBLE:
        agrees = (found is None) == (graph == INADMISSIBLE)
        return "" if agrees else f"orient returns {found}, brute force {graph}"
    oriented, reasons = found
    if oriented.tobytes() != cells_of(known.d, graph):
        return f"orient returns\n{oriented}\nbrute force\n{bf.to_matrix(known.d, graph)}"
    arcs = [(tail, head) for tail, head, _, _ in reasons]
    if not arcs_of(known.d, graph).issuperset(arcs):
        return f"{arcs} are not arcs of every admissible member"
    unfounded = [reason for reason in reasons if not _is_founded(known, *reason)]
    if unfounded:
        return f"no statement directs {unfounded}"
    closed = _core.close_under_meek(matrix, arcs)
    if closed is None or closed.tobytes() != oriented.tobytes():
        return f"{arcs} and Meek's rules lead to\n{closed}\nnot to\n{oriented}"
    return ""


def _is_founded(known: Statements, tail: int, head: int, a: int, b: int) -> bool:
    """Whether some statement directs ``tail -> head`` for the reason given."""
    if (a, b) != NO_PAIR:
        return head == b and (b, a) in known.not_ancestors
    return (tail, head) in known.required or (head, tail) in {
        *known.forbidden,
        *known.not_ancestors,
    }


def wrong_closures(seed: int, d: int) -> list[str]:
    """Direct random edges of every class, in two steps, and close under Meek's rules."""
    rng, wrong = np.random.default_rng([seed, d]), []
    for place, matrix in enumerate(class_matrices(d)):
        edges = [(int(x), int(y)) for x, y in np.argwhere(matrix)]
        if not edges:
            continue
        count = int(rng.integers(1, min(4, len(edges)) + 1))
        arcs = [edges[k] for k in rng.choice(len(edges), count, replace=False)]
        cut = int(rng.integers(count + 1))
        first = _core.close_under_meek(matrix, arcs[:cut])
        found = None if first is None else _core.close_under_meek(first, arcs[cut:])
        expected = _union_of_members(d, place, graph_of(d, arcs))
        if (None if found is None else bf.from_matrix(found)) != expected:
            wrong.append(f"{arcs} closed to\n{found}\nclass\n{matrix}")
    return wrong


def _union_of_members(d: int, place: int, arcs: int) -> int | None:
    agreeing = [dag for dag in bf.atlas(d).members[place] if dag & arcs == arcs]
    return bf.union(agreeing) if agreeing else None


def orientation_case(task: tuple[int, int]) -> list[str]:
    """Orient every class of d nodes by the statements of one seed."""
    seed, d = task
    return wrong_orientations(random_statements(seed, d)[1])


def wrong_large_orientation(seed: int, d: int) -> list[str]:
    """Orient a random class of more nodes, most of its edges undirected."""
    rng = np.random.default_rng([seed, d])
    known = consistent_statements(seed, d)[1]
    cpdag = _core.cpdag_of_dag(_dag_of_few_v_structures(rng, d))
    members = list(admissible_members(cpdag, known))
    graph = bf.union(list(map(bf.from_matrix, members))) if members else INADMISSIBLE
    fault = _fault_of_orienting(cpdag, graph, known, engine_knowledge(known))
    return [f"{fault}\n{known}\nclass\n{cpdag}"] if fault else []


def _dag_of_few_v_structures(rng: Generator, d: int) -> Matrix:
    """Draw parents for one node after the other, most often from those adjacent to one of them."""
    dag, order = np.zeros((d, d), dtype=np.uint8), rng.permutation(d)
    for place in range(1, d):
        y, x = order[place], order[int(rng.integers(place))]
        nearby = np.flatnonzero(dag[:, x]) if rng.random() < 0.9 else order[:place]
        dag[x, y] = 1
        dag[[v for v in nearby if rng.random() < 0.4], y] = 1
    return dag


def large_orientation_case(task: tuple[int, int]) -> list[str]:
    """Orient one class by the statements of one seed."""
    return wrong_large_orientation(*task)


def closure_case(task: tuple[int, int]) -> list[str]:
    """Close every class of d nodes with the random arcs of one seed."""
    return wrong_closures(*task)


# ---- searching


@dataclass(frozen=True, slots=True)
class Case:
    """A data set and statements on its columns, with what brute force knows of both."""

    label: str
    known: Statements
    score: _core.Score
    totals: NDArray[np.float64]
    n: float

    @property
    def class_scores(self) -> NDArray[np.float64]:
        """Score of every class, that of its first member."""
        return self.totals[space(self.known.d).starts]


def engine_and_twin(name: str, seed: int, d: int) -> tuple[_core.Score, Local, float]:
    """Return one of ``SCORES`` on random data, its twin and the number of rows."""
    if name == "bdeu":
        rows = discrete.random_rows(seed, d, 80)
        bound = BDeu(equivalent_sample_size=5.0).bind(Levels.from_data(np.array(rows)))
        return bound, lambda y, parents: discrete.bdeu(rows, y, parents, ess=5.0), 80
    sample = small_sample(np.random.default_rng([seed, d]), d)
    twin = GaussianBicTwin(sample)
    if name == "gaussian-bic":
        return engine_score(sample), twin.local_score, sample.n
    names = tuple(f"x{v}" for v in range(d))
    return engine_of(twin, names, sample.n), twin.local_score, sample.n


def make_case(seed: int, d: int, score: str, kind: str | None = None) -> Case:
    """Draw data and statements that some DAG agrees with."""
    kind, known = consistent_statements(seed, d, kind)
    bound, local, n = engine_and_twin(score, seed, d)
    label = f"seed {seed}, d = {d}, {score}, {kind}"
    return Case(label, known, bound, dag_totals(space(d), local), n)


def path_of(d: int, start: int, found: _core.SearchOutcome) -> list[int]:
    """Return the classes that a search passed through, from the one that it started from on."""
    matrix, path = class_matrices(d)[start], [start]
    for kind, x, y, T, *_ in found.trace:
        matrix = naive_search.apply(matrix, kind, x, y, T)
        path.append(numbers(d)[matrix.tobytes()])
    return path


def wrong_paths(case: Case) -> list[str]:
    """Run every search; look at each class that it passes through."""
    wrong = []
    for name in SEARCHES:
        found = _core.search(case.score, name, knowledge=engine_knowledge(case.known))
        wrong += [f"{case.label}, {name}: {fault}" for fault in _faults_of_path(case, name, found)]
    return [f"{fault}\n{case.known}" for fault in wrong]


def _faults_of_path(case: Case, name: str, found: _core.SearchOutcome) -> list[str]:
    admissible = admissible_classes(space(case.known.d), case.known)
    d, scores, faults = case.known.d, case.class_scores, []
    # The trace inserts the required arcs first.
    path = path_of(d, 0, found)[len(case.known.required) :]
    if path[0] != bf.atlas(d).class_of[graph_of(d, case.known.required)]:
        faults.append(f"starts from class {path[0]}, not from that of the required arcs")
    if numbers(d)[found.adjacency.tobytes()] != path[-1]:
        faults.append(f"the trace leads to class {path[-1]}, the search to\n{found.adjacency}")
    if not admissible[path].all():
        faults.append(f"passes through inadmissible classes: {path}, {admissible[path]}")
    if not np.isclose(found.score, scores[path[-1]], rtol=ROUNDING):
        faults.append(f"scores {found.score}, its class {scores[path[-1]]}")
    margin = ROUNDING * abs(scores[0])
    search = ClassSearch(
        case.known.d, scores, admissible, _core.min_gain(case.n) + margin, [path[0]]
    )
    if name in GREEDY and not _is_same_path(scores, path, search.run(name), margin):
        faults.append(f"takes the path {path}, brute force {search.path}")
    search.path[:] = [path[-1]]
    better = search.best(*Moves.__dataclass_fields__) if name in OPTIMAL else None
    if better is not None:
        faults.append(f"ends at class {path[-1]}, but class {better} is higher")
    return faults


def _is_same_path(
    scores: NDArray[np.float64], found: list[int], expected: list[int], margin: float
) -> bool:
    """Whether two paths are the same up to the first step between classes that score alike."""
    for one, other in zip(found, expected, strict=False):
        if one != other:
            return bool(abs(scores[one] - scores[other]) <= margin)
    return len(found) == len(expected)


@cache
def operators_of(d: int) -> list[list[naive_search.Entry]]:
    """Return every valid operator of every class."""
    return [
        [e for kind in naive_search.KINDS for e in naive_search.valid_operators(matrix, kind)]
        for matrix in class_matrices(d)
    ]


def set_function(rng: Generator, d: int, operator: naive_search.Entry) -> NDArray[np.float64]:
    """Return random values of all sets of nodes by which an operator gains much, others little."""
    kind, x, y, _, E, *_ = operator
    values, given = 0.1 * rng.normal(size=1 << d), sum(1 << v for v in E)
    sign = -1.0 if kind == "delete" else 1.0
    values[[given, given | 1 << x | 1 << y]] += sign
    values[[given | 1 << x, given | 1 << y]] -= sign
    return values


def wrong_choices(known: Statements, *, share: float, seed: int = 0) -> list[str]:
    """Offer a share of the operators of all admissible classes to a search, one at a time."""
    d, knowledge, rng, wrong = known.d, engine_knowledge(known), np.random.default_rng(seed), []
    admissible = admissible_classes(space(d), known)
    for place in np.flatnonzero(admissible).tolist():
        for operator in operators_of(d)[place]:
            if rng.random() < share:
                values = set_function(rng, d, operator)
                fault = _fault_of_choice(values, place, admissible, knowledge)
                wrong += [f"{operator[:4]} offered: {fault}\n{known}"] if fault else []
    return wrong


def _fault_of_choice(
    values: NDArray[np.float64], place: int, admissible: Flags, knowledge: _core.Knowledge
) -> str:
    """Compare a search by a set function with brute force, both from one class."""
    d = len(values).bit_length() - 1
    parents, nodes = space(d).parents, 1 << np.arange(d)
    totals = (values[parents | nodes] - values[parents]).sum(axis=1)

    def local_score(y: int, given: tuple[int, ...]) -> float:
        mask = sum(1 << x for x in given)
        return float(values[mask | 1 << y] - values[mask])

    score = engine_of(_Scored(local_score), [f"x{v}" for v in range(d)], 100)
    found = _core.search(score, "ops", start=class_matrices(d)[place], knowledge=knowledge)
    scores, path = totals[space(d).starts], path_of(d, place, found)
    search = ClassSearch(d, scores, admissible, _core.min_gain(100), [place])
    if _is_same_path(scores, path, search.run("ops"), ROUNDING):
        return ""
    return f"the search takes the path {path}, brute force {search.path}"


@dataclass(frozen=True, slots=True)
class _Scored:
    local_score: Local


def choice_case(task: tuple[int, int, float]) -> list[str]:
    """Offer operators with the statements of one seed."""
    seed, d, share = task
    return wrong_choices(consistent_statements(seed, d)[1], share=share, seed=seed)


def path_case(task: tuple[int, int, str]) -> list[str]:
    """Run every search on the data and statements of one seed."""
    return wrong_paths(make_case(*task))


def wrong_optima(case: Case) -> list[str]:
    """Hold the exact search, and every search with effort, against all admissible DAGs."""
    known, d = case.known, case.known.d
    best, _ = best_admissible(space(d), known, case.totals)
    admissible, knowledge, wrong = admissible_classes(space(d), known), engine_knowledge(known), []
    runs = {
        "exact": _core.search(case.score, "exact", knowledge=knowledge),
        "effort 1": _core.search(case.score, "xges", effort=1.0, knowledge=knowledge),
    }
    for name, found in runs.items():
        place = numbers(d)[found.adjacency.tobytes()]
        if not admissible[place]:
            wrong.append(f"{name} ends at an inadmissible class\n{found.adjacency}")
        if name == "exact" and not np.isclose(found.score, best, rtol=ROUNDING):
            wrong.append(f"{name} scores {found.score}, the best admissible DAG {best}")
        if found.score > best + ROUNDING * abs(best):
            wrong.append(f"{name} scores {found.score}, more than any admissible DAG: {best}")
        if not np.isclose(found.score, case.class_scores[place], rtol=ROUNDING):
            wrong.append(f"{name} scores {found.score}, its class {case.class_scores[place]}")
    return [f"{case.label}: {fault}\n{known}" for fault in wrong]


def optimum_case(task: tuple[int, int, str]) -> list[str]:
    """Look for the best class of the data and statements of one seed."""
    return wrong_optima(make_case(*task))


def runs_that_differ(seed: int, d: int, score: str) -> list[str]:
    """Run every search on one and two threads, and again."""
    _, known = consistent_statements(seed, d)
    bound, _, _ = engine_and_twin(score, seed, d)
    knowledge, wrong = engine_knowledge(known), []
    for name in SEARCHES:
        for effort in (0.0, 1.0) if name == "xges" else (0.0,):
            runs = [
                _core.search(bound, name, knowledge=knowledge, effort=effort, seed=seed, jobs=jobs)
                for jobs in (1, 2, 1)
            ]
            if len({repr(everything(run)) for run in runs}) > 1:
                wrong.append(f"{name}, effort {effort}, seed {seed}: runs differ\n{known}")
    return wrong


def difference_case(task: tuple[int, int, str]) -> list[str]:
    """Compare runs on the data and statements of one seed."""
    return runs_that_differ(*task)


def wrong_beyond_enumeration(seed: int, d: int) -> list[str]:
    """Run every search on a table of more columns; look for an admissible member of its class."""
    kind, known = consistent_statements(seed, d)
    knowledge, wrong = engine_knowledge(known), []
    bound, _, _ = engine_and_twin("gaussian-bic", seed, d)
    runs = {name: _core.search(bound, name, knowledge=knowledge) for name in (*SEARCHES, "exact")}
    runs["effort 1"] = _core.search(bound, "xges", effort=1.0, knowledge=knowledge)
    best = _twin_optimum(bound, known) if d <= MOST_BRANCHED else runs["exact"].score
    margin = ROUNDING * abs(best)
    for name, found in runs.items():
        if next(admissible_members(found.adjacency, known), None) is None:
            wrong.append(f"{name} violates what is known\n{found.adjacency}")
        if _core.orient(found.adjacency, knowledge) is None:
            wrong.append(f"{name} ends at a class that cannot be oriented\n{found.adjacency}")
        if found.score > best + margin:
            wrong.append(f"{name} scores {found.score}, more than the optimum {best}")
    if runs["exact"].score < best - margin:
        wrong.append(f"the exact search scores {runs['exact'].score}, the optimum is {best}")
    return [f"seed {seed}, d = {d}, {kind}: {fault}\n{known}" for fault in wrong]


def _twin_optimum(score: _core.Score, known: Statements) -> float:
    """Return the best score of any admissible DAG, from the engine's local scores."""
    tables = local_tables(lambda y, parents: score.local_score(y, list(parents)), known.d)
    return best_admissible_score(tables, known)


def larger_case(task: tuple[int, int]) -> list[str]:
    """Run every search on the data and statements of one seed."""
    return wrong_beyond_enumeration(*task)
