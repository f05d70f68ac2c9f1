"""The coefficients of one DAG of a class: regressions of each column on its parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag import _core
from greedag.data.table import Floats
from greedag.drawing.labels import in_words, printable
from greedag.errors import DataError, counted_rows, quoted
from greedag.graph.cpdag import checked_member
from greedag.result.result import ReadOnlyDict, Result, no_data
from greedag.statistics.moments import Moments

Extended = NDArray[np.longdouble]

# The engine refuses parent sets by the same limit.
FITTED_EXACTLY = _core.ZERO_VARIANCE


@dataclass(frozen=True, slots=True)
class Coefficient:
    """How much a child rises when one parent rises by 1 and the other parents stay.

    Attributes
    ----------
    parent, child : str
        The edge, as the DAG directs it.
    value : float
        In units of the child for one unit of the parent; those of columns that were transformed
        stand in ``Coefficients.units``.
    standard_error : float
        Of the value, provided that the DAG is right and was not learned from the same data.
    edge : str
        ``"→"`` if every member of the graph directs it so; ``"-"`` if the graph leaves it
        undirected, so the direction is that of the DAG alone.
    """

    parent: str
    child: str
    value: float
    standard_error: float
    edge: str = "→"

    def __str__(self) -> str:
        parent, child = printable(self.parent), printable(self.child)
        chosen = "" if self.edge == "→" else f"; undirected, here {parent} → {child}"
        return (
            f"{parent} {self.edge} {child}: {self.value:.6g} "
            f"(standard error {self.standard_error:.2g}{chosen})"
        )


@dataclass(frozen=True, slots=True)
class Coefficients:
    """The coefficients of one DAG, in the order of its children; iterate to get each.

    Attributes
    ----------
    edges : tuple of Coefficient
        One for each edge.
    noise_variances : mapping of str to float
        For each column the variance not explained by its parents, divisor n - parents - 1.
    units : mapping of str to str
        Units of the transformed columns, such as ``"log(x)"``; other columns are in the data's own
        units.
    """

    edges: tuple[Coefficient, ...]
    noise_variances: Mapping[str, float] = field(hash=False)
    units: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __iter__(self) -> Iterator[Coefficient]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)

    def __str__(self) -> str:
        lines = [str(edge) for edge in self.edges] or ["(no edges)"]
        if any(edge.edge == "-" for edge in self.edges):
            lines.append(_OF_ONE_MEMBER)
        if self.edges and self.units:
            lines.append(f"Units: {units_in_words(self.units)}.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import EDGE, Column, fragment, paragraph, table

        columns = (*EDGE, Column("coefficient", "number"), Column("standard error", "number"))
        rows = [
            (edge.parent, edge.edge, edge.child, f"{edge.value:+.4g}", f"{edge.standard_error:.2g}")
            for edge in self.edges
        ]
        parts = [*table(columns, rows)] if rows else [paragraph("(no edges)")]
        if any(edge.edge == "-" for edge in self.edges):
            parts.append(paragraph(_OF_ONE_MEMBER))
        if rows and self.units:
            parts.append(paragraph(f"Units: {units_in_words(self.units)}."))
        return fragment(parts)


_OF_ONE_MEMBER = (
    "Undirected edges are shown as in the DAG that these coefficients belong to. In other DAGs of "
    "the class, these edges and others into the same columns have other coefficients."
)


def units_of(result: Result) -> dict[str, str]:
    """Return what the transformed columns of a result are measured in."""
    transform: Any = result.settings.get("transform")
    if transform is None:
        return {}
    from greedag.data.transforms import UNITS

    if isinstance(transform, str):
        transform = dict.fromkeys(result.cpdag.names, transform)
    return {name: UNITS[word].format(printable(name)) for name, word in transform.items()}


def units_in_words(units: Mapping[str, str]) -> str:
    """Say what columns are measured in; of many, the first."""
    same = {unit: [name for name in units if units[name] == unit] for unit in units.values()}
    return in_words([f"{in_words([*map(printable, n)])} in {unit}" for unit, n in same.items()])


def coefficients(result: Result, dag: ArrayLike | None = None) -> Coefficients:
    """Estimate the coefficients of one member; see :meth:`Result.coefficients`."""
    by_column = _moments_of(result)
    graph, names = result.graph, result.cpdag.names
    matrix = result.best_dag if dag is None else checked_member(graph, dag)
    compelled = set(graph.directed)
    edges: list[Coefficient] = []
    noise = {}
    for y, (child, moments) in enumerate(zip(names, by_column, strict=True)):
        parents = np.flatnonzero(matrix[:, y])
        fit = regression(moments, y, parents)
        noise[child] = fit.noise
        edges += [
            Coefficient(
                names[p],
                child,
                float(value),
                float(error),
                "→" if (names[p], child) in compelled else "-",
            )
            for p, value, error in zip(parents, fit.values, fit.errors, strict=True)
        ]
    return Coefficients(tuple(edges), ReadOnlyDict(noise), ReadOnlyDict(units_of(result)))


def _moments_of(result: Result) -> list[Moments]:
    """Return for each column the moments of the rows in which it was not set."""
    purpose = "estimating coefficients"
    if result.statistics is None:
        raise no_data(result, purpose)
    statistics: Any = result.statistics
    d = result.cpdag.d
    found = statistics.by_column() if hasattr(statistics, "by_column") else [statistics] * d
    if not isinstance(found[0], Moments):
        score = result.settings.get("score")
        if score == "additive":
            raise DataError(
                f"{purpose} needs straight effects; this result was scored by {score}, whose "
                "effects may bend",
                remedy="result.curve(parent, child) gives the effect of one column on another",
                code="no-coefficients",
            )
        raise DataError(f"{purpose} needs continuous columns; this result was scored by {score}")
    return list(found)


class Regression(NamedTuple):
    """A regression: coefficients, their standard errors, and the variance of the noise.

    `root` has the covariances of the coefficients: they are ``root.T @ root``.
    """

    values: Floats
    errors: Floats
    noise: float
    root: Floats

    def error_of(self, weights: Floats) -> float:
        """Return the standard error of a weighted sum of the coefficients."""
        return float(np.linalg.norm(self.root @ weights))


def regression(moments: Moments, y: int, parents: NDArray[np.intp]) -> Regression:
    """Regress a column on others."""
    freedom, deviations = moments.n - len(parents) - 1, moments.deviations
    factor = _factor(moments.correlations_of([*parents, y]))
    if freedom < 1 or len(parents) >= (moments.rank or moments.d) or factor is None:
        raise DataError(
            f"column {quoted(moments.names[y])} has {len(parents)} parents in this DAG, which fit "
            f"it exactly in {counted_rows(moments.n)} rows; coefficients need more rows"
        )
    inverse = _inverse(factor)
    slopes = (-inverse[-1, :-1] / inverse[-1, -1]).astype(np.float64)
    noise = float(factor[-1, -1]) ** 2 * moments.n / freedom
    root = inverse[:-1, :-1].astype(np.float64) * np.sqrt(noise / moments.n)
    with np.errstate(over="ignore", under="ignore"):
        scale = deviations[y] / deviations[parents]
        values, root, variance = slopes * scale, root * scale, noise * deviations[y] ** 2
        errors = np.linalg.norm(root, axis=0)
    if not (np.isfinite(values).all() and np.all(errors > 0.0) and 0.0 < variance < np.inf):
        raise DataError(
            f"column {quoted(moments.names[y])} has a standard deviation of {deviations[y]:.3g}, "
            "so that its coefficients or the variance of its noise are beyond the range of a "
            "double; measure it, or its parents, in other units"
        )
    return Regression(values, errors, float(variance), root)


def _factor(correlation: Extended) -> Extended | None:
    """Return the Cholesky factor, none if a column is determined by those before it.

    In extended precision: what is left of a column that others nearly determine is a small
    difference, and so are the slopes of parents that nearly determine each other.
    """
    left = correlation.copy()
    factor = np.zeros_like(left)
    for j in range(len(left)):
        if not left[j, j] > FITTED_EXACTLY:
            return None
        factor[j:, j] = left[j:, j] / np.sqrt(left[j, j])
        left[j:, j:] -= np.multiply.outer(factor[j:, j], factor[j:, j])
    return factor


def _inverse(factor: Extended) -> Extended:
    """Return the inverse of a lower triangle."""
    inverse = np.zeros_like(factor)
    for i, row in enumerate(factor):
        inverse[i, i] = 1.0
        inverse[i] -= row[:i] @ inverse[:i]
        inverse[i] /= row[i]
    return inverse
