"""Rows of simulated experiments, in which some columns are set from outside."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real, checked_whole
from greedag.errors import OptionError, quoted
from greedag.graph.cpdag import CPDAG
from greedag.graph.interventional import interventional_class
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.simulate.additive import AdditiveSimulation
from greedag.simulate.linear import Simulation

Floats = NDArray[np.float64]
Table = Floats | dict[str, NDArray[np.generic]]

TARGET = "target"
"""Name of the column of a pooled table that names the targets."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Experiments:
    """Rows drawn under interventions, one table for each set of targets.

    Attributes
    ----------
    environments : tuple of (table, tuple of str)
        The rows of each environment and the names of its targets; a table is an array, or columns
        by name if some are discrete.
    dag : ndarray of shape (d, d)
        The true graph; ``dag[i, j] = 1`` is i → j.
    cpdag : CPDAG
        The true class, of observational rows.
    names : tuple of str
        Column names.
    """

    environments: tuple[tuple[Table, tuple[str, ...]], ...]
    dag: Matrix
    cpdag: CPDAG
    names: tuple[str, ...]

    def __repr__(self) -> str:
        rows = sum(len(self._columns(table)[0]) for table, _ in self.environments)
        return f"<Experiments: {len(self.environments)} environments, {rows} rows>"

    @property
    def pooled(self) -> dict[str, NDArray[Any]]:
        """All rows as one table: columns by name, and ``"target"``.

        That column names what was set from outside, several names with commas between them; it is
        empty for observational rows.
        """
        tables = [self._columns(table) for table, _ in self.environments]
        joined = [np.concatenate(parts) for parts in zip(*tables, strict=True)]
        targets = [
            np.full(len(columns[0]), ",".join(targets))
            for columns, (_, targets) in zip(tables, self.environments, strict=True)
        ]
        columns = dict(zip(self.names, joined, strict=True))
        return {**columns, TARGET: np.concatenate(targets)}

    @property
    def interventional_class(self) -> MPDAG:
        """The true interventional class: what rows of these experiments can tell of the graph."""
        places = {name: place for place, name in enumerate(self.names)}
        targets = [[places[name] for name in names] for _, names in self.environments]
        return interventional_class(self.dag, targets, self.names)

    def _columns(self, table: Table) -> list[NDArray[Any]]:
        if isinstance(table, dict):
            return [table[name] for name in self.names]
        return [*table.T]


def interventions(
    simulation: Simulation | AdditiveSimulation,
    targets: Iterable[Iterable[str | int]],
    n: int,
    *,
    seed: int,
    shift: float = 0.0,
    spread: float = 1.0,
) -> Experiments:
    """Draw rows of experiments from a simulated model.

    In each environment the targets are cut off from their parents and set to independent Gaussian
    noise; discrete targets to levels drawn with equal probability. All other columns follow from
    their parents as they do in the model.

    Parameters
    ----------
    simulation : Simulation or AdditiveSimulation
        The model.
    targets : iterable of iterables of str or int
        For each environment the columns that are set, by name or place; an empty one for
        observational rows.
    n : int
        Number of rows of each environment, at least 1.
    seed : int
        Same seed, same rows; independent of the seed that the model was drawn with.
    shift : float
        Mean that targets are set to: by how many standard deviations of the column it lies above
        the column's own mean.
    spread : float
        Standard deviation that targets are set to, in standard deviations of the column.

    Returns
    -------
    Experiments

    Examples
    --------
    >>> from greedag.simulate import linear_gaussian
    >>> drawn = linear_gaussian(5, 1.5, 1, seed=0)
    >>> experiments = interventions(drawn, [[], ["x0"], ["x1", "x2"]], 100, seed=0)
    >>> experiments
    <Experiments: 3 environments, 300 rows>
    >>> sorted(set(experiments.pooled["target"].tolist()))
    ['', 'x0', 'x1,x2']
    """
    checked_whole("n", n, least=1)
    checked_whole("seed", seed, least=0)
    _check_noise(shift, spread)
    environments = []
    for place, names in enumerate(_checked_targets(targets, simulation.names)):
        # A stream for each environment: more of them leave the rows of the first as they are.
        rng = np.random.default_rng([seed, 2, place])
        columns = [simulation.names.index(name) for name in names]
        environments.append((_rows(simulation, rng, n, columns, shift, spread), names))
    return Experiments(tuple(environments), simulation.dag, simulation.cpdag, simulation.names)


def _rows(
    simulation: Simulation | AdditiveSimulation,
    rng: np.random.Generator,
    n: int,
    targets: Sequence[int],
    shift: float,
    spread: float,
) -> Table:
    if isinstance(simulation, AdditiveSimulation):
        model = simulation.model
        return model.table(model.rows(rng, n, targets, shift, spread))
    noise = rng.standard_normal((n, len(simulation.names)))
    scales = np.sqrt(np.diag(simulation.population_covariance))[targets]
    forced = scales * (shift + spread * noise[:, targets])
    noise *= simulation.noise_sd
    noise[:, targets] = forced
    weights = simulation.weights.copy()
    weights[:, targets] = 0.0
    # Rows obey x = xW + e, so x = e (I - W)⁻¹.
    return np.asarray(np.linalg.solve((np.eye(len(weights)) - weights).T, noise.T).T)


def _checked_targets(
    targets: Iterable[Iterable[str | int]], names: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """Return the names of the targets of each environment."""
    if isinstance(targets, str) or not isinstance(targets, Iterable):
        raise OptionError(f"targets must be a list of lists of columns; got {quoted(targets)}")
    checked = [_checked_set(one, names) for one in targets]
    if not checked:
        raise OptionError("targets must name one environment or more; got none")
    return checked


def _checked_set(columns: Iterable[str | int], names: tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise OptionError(
            f"the targets of an environment must be a list of columns; got {quoted(columns)}"
        )
    found = {_checked_column(column, names) for column in columns}
    return tuple(name for name in names if name in found)


def _checked_column(column: str | int, names: tuple[str, ...]) -> str:
    if isinstance(column, str) and column in names:
        return column
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
        place = int(column)
        if 0 <= place < len(names):
            return names[place]
    raise OptionError(
        f"target {quoted(column)} is no column; columns are {names[0]!r} to {names[-1]!r}, "
        f"or places from 0 to {len(names) - 1}"
    )


def _check_noise(shift: float, spread: float) -> None:
    if not math.isfinite(as_real(shift)):
        raise OptionError(f"shift must be a finite number; got {quoted(shift)}")
    if not 0.0 < as_real(spread) < math.inf:
        raise OptionError(f"spread must be a finite number above 0; got {quoted(spread)}")
