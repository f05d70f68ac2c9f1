"""Coefficients against least squares on the raw rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from greedag import CPDAG, Coefficient, DataError, Moments, learn, simulate

DRAWN = simulate.linear_gaussian(8, 2.0, 300, seed=5)
SCALES = np.array([1.0, 1e-2, 1e3, 5.0, 1e-3, 1.0, 100.0, 0.1])
TABLE = 17.0 + DRAWN.data * SCALES
RESULT = learn(TABLE)


def least_squares(y: int, parents: list[int]) -> tuple[np.ndarray, np.ndarray, float]:
    """Slopes, standard errors and noise variance of the textbook regression with intercept."""
    n = len(TABLE)
    design = np.column_stack([np.ones(n), TABLE[:, parents]])
    solution, *_ = np.linalg.lstsq(design, TABLE[:, y], rcond=None)
    residuals = TABLE[:, y] - design @ solution
    variance = residuals @ residuals / (n - design.shape[1])
    errors = np.sqrt(variance * np.diagonal(np.linalg.inv(design.T @ design)))
    return solution[1:], errors[1:], float(variance)


def members() -> list[np.ndarray]:
    """Every DAG of the class: each way to direct the undirected edges that stays in the class."""
    cpdag = RESULT.cpdag
    open_edges = np.argwhere(np.triu(cpdag.to_matrix() & cpdag.to_matrix().T)).tolist()
    found = []
    for choice in range(2 ** len(open_edges)):
        dag = cpdag.to_matrix()
        for k, (i, j) in enumerate(open_edges):
            tail, head = (i, j) if choice >> k & 1 else (j, i)
            dag[head, tail] = 0
        try:
            if CPDAG.from_dag(dag, cpdag.names) == cpdag:
                found.append(dag)
        except DataError:
            continue
    return found


def test_coefficients_errors_and_noise_are_those_of_least_squares_in_every_member() -> None:
    dags = members()
    assert len(dags) > 1
    for dag in [None, *dags]:
        found = RESULT.coefficients(dag)
        chosen = RESULT.cpdag.to_dag() if dag is None else dag
        by_edge = {(edge.parent, edge.child): edge for edge in found}
        assert len(found) == len(by_edge) == chosen.sum()
        for y, child in enumerate(RESULT.cpdag.names):
            parents = np.flatnonzero(chosen[:, y]).tolist()
            slopes, errors, noise = least_squares(y, parents)
            for p, slope, error in zip(parents, slopes, errors, strict=True):
                edge = by_edge[RESULT.cpdag.names[p], child]
                assert edge.value == pytest.approx(slope, rel=1e-6)
                assert edge.standard_error == pytest.approx(error, rel=1e-6)
            assert found.noise_variances[child] == pytest.approx(noise, rel=1e-6)


def nearly_collinear(seed: int) -> Any:
    """50 rows of 27 columns that are combinations of few, but for a little noise."""
    random = np.random.default_rng(seed)
    factors = random.normal(size=(50, 5)) @ random.normal(size=(5, 27))
    noise = 10.0 ** -random.uniform(2.0, 4.0) * random.normal(size=(50, 27))
    return (factors + noise) * 10.0 ** random.uniform(-3.0, 3.0, size=27)


def orthogonal_errors(rows: Any, y: int, parents: list[int]) -> Any:
    """Standard errors by an orthogonal decomposition of the rows, which squares nothing."""
    centred = rows - rows.mean(axis=0)
    scale = np.linalg.norm(centred[:, parents], axis=0)
    basis, triangle = np.linalg.qr(centred[:, parents] / scale)
    left = centred[:, y]
    for _ in range(2):
        left = left - basis @ (basis.T @ left)
    variance = left @ left / (len(rows) - len(parents) - 1)
    return np.sqrt(np.square(np.linalg.inv(triangle)).sum(axis=1) * variance) / scale


@pytest.mark.parametrize("seed", range(5))
def test_standard_errors_of_nearly_collinear_columns_have_five_digits(seed: int) -> None:
    rows = nearly_collinear(seed)
    result = learn(rows, search="xges0")
    dag, names = result.cpdag.to_dag(), result.cpdag.names
    found = {(edge.parent, edge.child): edge.standard_error for edge in result.coefficients()}
    for y, child in enumerate(names):
        parents = np.flatnonzero(dag[:, y]).tolist()
        for p, error in zip(parents, orthogonal_errors(rows, y, parents), strict=True):
            assert found[names[p], child] == pytest.approx(error, rel=1e-5)


def test_a_known_slope_is_found_within_its_error() -> None:
    rng = np.random.default_rng(0)
    rain = rng.normal(size=5000)
    mud = 2.5 * rain + 0.5 * rng.normal(size=5000)
    moments = Moments.from_data(np.column_stack([rain, mud]), names=["rain", "mud"])
    (edge,) = learn(moments).coefficients([[0, 1], [0, 0]])
    assert (edge.parent, edge.child) == ("rain", "mud")
    assert abs(edge.value - 2.5) < 4 * edge.standard_error
    assert edge.standard_error == pytest.approx(0.5 / np.sqrt(5000), rel=0.05)


def test_coefficients_print_one_edge_a_line() -> None:
    result = learn(DRAWN.data)
    found = result.coefficients()
    first = next(edge for edge in found if edge.edge == "→")
    assert isinstance(first, Coefficient)
    assert str(found).splitlines()[found.edges.index(first)] == (
        f"{first.parent} → {first.child}: {first.value:.6g} "
        f"(standard error {first.standard_error:.2g})"
    )
    empty = replace(result, cpdag=CPDAG.from_dag(np.zeros((8, 8))))
    assert str(empty.coefficients()) == "(no edges)"


def test_undirected_edges_are_marked_whichever_member_directs_them() -> None:
    undirected = {frozenset(pair) for pair in RESULT.cpdag.undirected}
    assert undirected
    for dag in members():
        found = RESULT.coefficients(dag)
        marked = [edge for edge in found if edge.edge == "-"]
        assert {frozenset((edge.parent, edge.child)) for edge in marked} == undirected
        assert all(RESULT.cpdag.edge(edge.parent, edge.child) == edge.edge for edge in found)
        (a, b), lines = (marked[0].parent, marked[0].child), str(found).splitlines()
        assert lines[found.edges.index(marked[0])].startswith(f"{a} - {b}: ")
        assert lines[found.edges.index(marked[0])].endswith(f"; undirected, here {a} → {b})")
        assert lines[-1].startswith("Undirected edges are shown as in the DAG")
    rows = np.random.default_rng(0).normal(size=(500, 3))
    rows[:, 2] += rows[:, 0] + rows[:, 1]
    directed = learn(rows)
    assert not directed.cpdag.undirected
    assert "direct" not in str(directed.coefficients())


def test_a_dag_outside_the_class_is_refused() -> None:
    with pytest.raises(DataError, match="not a member of the class"):
        RESULT.coefficients(np.zeros((8, 8)))
    with pytest.raises(DataError, match="shape"):
        RESULT.coefficients(np.zeros((3, 3)))
    with pytest.raises(DataError, match="cycle"):
        RESULT.coefficients(RESULT.cpdag.to_matrix())


def test_a_labelled_member_is_matched_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    names = list(RESULT.cpdag.names)
    for dag in members():
        frame = pandas.DataFrame(dag, index=names, columns=names)
        assert RESULT.coefficients(frame.loc[names[::-1], names[::-1]]) == RESULT.coefficients(dag)
    with pytest.raises(DataError, match="different columns"):
        RESULT.coefficients(frame.rename(index={"x0": "y"}, columns={"x0": "y"}))


def test_too_few_rows_and_no_moments_are_said() -> None:
    few = learn(DRAWN.data[:5], search="xges0")
    full = CPDAG.from_dag(np.triu(np.ones((8, 8), dtype=np.uint8), 1))
    with pytest.raises(DataError, match=r"need more rows"):
        replace(few, cpdag=full).coefficients()
    with pytest.raises(DataError, match="estimating coefficients needs the data"):
        replace(RESULT, statistics=None).coefficients()


def test_a_matrix_that_is_not_rectangular_is_refused() -> None:
    result = learn(simulate.linear_gaussian(2, 0.5, 100, seed=1).data)
    with pytest.raises(DataError, match="not rectangular"):
        result.coefficients([[1, 2], [3]])


@pytest.mark.parametrize("scale", [1e200, 1e-200, (1e-200, 1e200, 1.0)])
def test_units_beyond_the_range_of_a_double_are_named(scale: Any, tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(200, 3))
    rows[:, 1] += rows[:, 0]
    result = learn(rows * np.array(scale))
    assert result.cpdag == learn(rows).cpdag
    with pytest.raises(DataError, match=r"column 'x\d' has a standard deviation of .*other units"):
        result.coefficients()
    result.report(tmp_path / "report.html")
