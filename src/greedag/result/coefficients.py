"""The coefficients of one DAG of a class: regressions of each column on its parents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from greedag import _core
from greedag.data.table import Floats
from greedag.drawing.labels import in_words, printable
from greedag.errors import DataError, counted_rows, quoted
from greedag.graph.cpdag import checked_member
from greedag.result.result import ReadOnlyDict, Result, no_data
from greedag.statistics.moments import Moments

# The engine refuses parent sets by the same limit.
FITTED_EXACTLY = _core.ZERO_VARIANCE


@dataclass(frozen=True, slots=True)
class Coefficient:
    """How much a child rises when one parent rises by 1 and the other parents stay.

    Attributes
    ----------
    parent, child : str
        The edge.
    value : float
        In units of the child for one unit of the parent; those of columns that were transformed
        stand in ``Coefficients.units``.
    standard_error : float
        Of the value, provided that the DAG is right and was not learned from the same data.
    """

    parent: str
    child: str
    value: float
    standard_error: float


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
        What columns are measured in that were transformed, such as ``"log(x)"``; others are in the
        data's own units.
    """

    edges: tuple[Coefficient, ...]
    noise_variances: Mapping[str, float] = field(hash=False)
    units: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __iter__(self) -> Iterator[Coefficient]:
        return iter(self.edges)

    def __len__(self) -> int:
        return len(self.edges)

    def __str__(self) -> str:
        lines = [
            f"{printable(edge.parent)} → {printable(edge.child)}: {edge.value:.6g} "
            f"(standard error {edge.standard_error:.2g})"
            for edge in self.edges
        ]
        if lines and self.units:
            lines.append(f"units: {units_in_words(self.units)}")
        return "\n".join(lines) if lines else "(no edges)"


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
    moments = _moments_of(result)
    matrix = result.cpdag.to_dag() if dag is None else checked_member(result.cpdag, dag)
    correlation, deviations = moments.correlation, moments.deviations
    edges: list[Coefficient] = []
    noise = {}
    for y, child in enumerate(moments.names):
        parents = np.flatnonzero(matrix[:, y])
        values, errors, noise[child] = _regression(moments, correlation, deviations, y, parents)
        edges += [
            Coefficient(moments.names[p], child, float(value), float(error))
            for p, value, error in zip(parents, values, errors, strict=True)
        ]
    return Coefficients(tuple(edges), ReadOnlyDict(noise), ReadOnlyDict(units_of(result)))


def _moments_of(result: Result) -> Moments:
    purpose = "estimating coefficients"
    if result.statistics is None:
        raise no_data(result, purpose)
    if result.moments is None:
        score = result.settings.get("score")
        raise DataError(f"{purpose} needs continuous columns; this result was scored by {score}")
    return result.moments


def _regression(
    moments: Moments, correlation: Floats, deviations: Floats, y: int, parents: NDArray[np.intp]
) -> tuple[Floats, Floats, float]:
    """Return coefficients, standard errors and noise variance of y on its parents."""
    freedom = moments.n - len(parents) - 1
    left = least_residual(correlation, [*parents, y])
    if freedom < 1 or left <= FITTED_EXACTLY:
        raise DataError(
            f"column {quoted(moments.names[y])} has {len(parents)} parents in this DAG, which fit "
            f"it exactly in {counted_rows(moments.n)} rows; coefficients need more rows"
        )
    inverse = np.linalg.inv(correlation[np.ix_(parents, parents)])
    slopes = inverse @ correlation[parents, y]
    noise = (1.0 - float(correlation[parents, y] @ slopes)) * moments.n / freedom
    errors = np.sqrt(inverse.diagonal() * noise / moments.n)
    with np.errstate(over="ignore", under="ignore"):
        scale = deviations[y] / deviations[parents]
        values, errors, variance = slopes * scale, errors * scale, noise * deviations[y] ** 2
    if not (np.isfinite(values).all() and np.all(errors > 0.0) and 0.0 < variance < np.inf):
        raise DataError(
            f"column {quoted(moments.names[y])} has a standard deviation of {deviations[y]:.3g}, "
            "so that its coefficients or the variance of its noise are beyond the range of a "
            "double; measure it, or its parents, in other units"
        )
    return values, errors, float(variance)


def least_residual(correlation: Floats, nodes: list[int]) -> float:
    """Return the least share of its variance that a node keeps, given the nodes before it."""
    try:
        factor = np.linalg.cholesky(correlation[np.ix_(nodes, nodes)])
    except np.linalg.LinAlgError:
        return 0.0
    return float(factor.diagonal().min()) ** 2
