"""Additive tables: each column a sum of curves of its parents plus noise."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real, checked_whole
from greedag.errors import OptionError, quoted
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import Matrix
from greedag.simulate.curves import LEVELS, MIXTURE, checked_curves, checked_noise
from greedag.simulate.graphs import check_sizes, random_dag
from greedag.simulate.model import AdditiveModel, Effect, Mechanism, curves_of, parents_of

Floats = NDArray[np.float64]

_MOST_LEVELS = 4


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AdditiveSimulation:
    """An additive model and rows drawn from it.

    Attributes
    ----------
    data : ndarray of shape (n, d), or dict of str to ndarray
        The rows; if some columns are discrete, the columns by name, levels as letters.
    dag : ndarray of shape (d, d)
        The true graph; ``dag[i, j] = 1`` is i → j.
    cpdag : CPDAG
        The true class.
    curves : mapping of (str, str) to str
        The curve of each edge, by the names of parent and child; ``"levels"`` where the parent is
        discrete.
    names : tuple of str
        Column names.
    model : AdditiveModel
        What rows are drawn from.
    """

    data: Floats | dict[str, NDArray[np.generic]]
    dag: Matrix
    cpdag: CPDAG
    curves: Mapping[tuple[str, str], str]
    names: tuple[str, ...]
    model: AdditiveModel

    def __repr__(self) -> str:
        first = self.data[self.names[0]] if isinstance(self.data, dict) else self.data
        return (
            f"<AdditiveSimulation: {len(first)} rows, {len(self.dag)} columns, "
            f"{int(self.dag.sum())} edges>"
        )

    @property
    def discrete(self) -> tuple[str, ...]:
        """Names of the discrete columns."""
        pairs = zip(self.names, self.model.mechanisms, strict=True)
        return tuple(name for name, mechanism in pairs if mechanism.levels)


def additive(
    d: int,
    rho: float,
    n: int,
    *,
    seed: int,
    curve: str | Sequence[str] = MIXTURE,
    noise: str = "gaussian",
    noise_sd: float = 0.5,
    limit: float = math.inf,
    discrete: float = 0,
    levels_by: str = "cut",
    graph: str = "uniform",
) -> AdditiveSimulation:
    """Draw a random additive model and rows from it.

    The graph is that which :func:`linear_gaussian` draws with the same seed. Each column is a sum
    of curves of its parents plus noise, where a parent enters a curve as z, standardised by the
    mean and the standard deviation of its rows.

    Parameters
    ----------
    d : int
        Number of columns.
    rho : float
        Mean number of parents; beyond (d - 1)/2 every pair is adjacent.
    n : int
        Number of rows, at least 2.
    seed : int
        Same seed, same table.
    curve : str or sequence of str
        ``"linear"`` (z), ``"tanh"`` (tanh 2z), ``"sin"`` (sin 3z), ``"square"`` (z²), ``"cube"``
        (z³), ``"exp"``, ``"abs"`` (\\|z\\|), ``"steps"`` (-1, 0 and 1, with steps at z = ±1/2), or
        ``"mixture"``: each edge draws one of these. A sequence names those to draw from.
    noise : str
        Distribution of the noise: ``"gaussian"``, ``"uniform"`` or ``"laplace"``.
    noise_sd : float
        Standard deviation of each column's own noise.
    limit : float
        Bound of what enters a curve: limit · tanh(z / limit) in place of z. Without one, sums of
        exponentials of such sums, or of cubes, have tails so heavy that a single row decides.
    discrete : int or float
        Number of discrete columns (int), or their share (float from 0 to 1), drawn at random; each
        has 2 to 4 levels. A discrete parent adds a value of each level, of mean 0 and variance 1.
    levels_by : str
        How discrete columns follow from their parents: ``"cut"`` cuts the sum with its noise into
        levels of equal frequency; ``"draw"`` draws levels whose log-odds are linear in the sum.
    graph : str
        ``"uniform"`` or ``"scale-free"``, see :func:`linear_gaussian`.

    Returns
    -------
    AdditiveSimulation

    Examples
    --------
    >>> drawn = additive(5, 1.0, 1000, seed=1, curve=["tanh", "square"])
    >>> drawn
    <AdditiveSimulation: 1000 rows, 5 columns, 6 edges>
    >>> sorted(set(drawn.curves.values()))
    ['square', 'tanh']
    >>> mixed = additive(5, 1.0, 1000, seed=1, discrete=2)
    >>> [sorted(set(mixed.data[name].tolist())) for name in mixed.discrete]
    [['a', 'b', 'c'], ['a', 'b', 'c']]
    """
    check_sizes(d, rho, n, seed)
    checked_whole("n", n, least=2)
    _check_scales(noise_sd, limit)
    names_of_curves, noise = checked_curves(curve), checked_noise(noise)
    rng = np.random.default_rng(seed)
    dag, parents_first = random_dag(rng, d, rho, graph)
    levels = _random_levels(rng, d, discrete)
    mechanisms = _random_mechanisms(rng, dag, levels, names_of_curves, _is_drawn(levels_by))
    cpdag = CPDAG.from_dag(dag)
    model = AdditiveModel(
        parents_first=tuple(parents_first.tolist()),
        mechanisms=mechanisms,
        noise=noise,
        noise_sd=float(noise_sd),
        limit=float(limit),
        names=cpdag.names,
    )
    model, values = model.first_rows(rng, n)
    curves = curves_of(mechanisms, cpdag.names)
    return AdditiveSimulation(model.table(values), dag, cpdag, curves, cpdag.names, model)


def _random_levels(rng: np.random.Generator, d: int, discrete: float) -> list[int]:
    """Return the number of levels of each column; 0 for continuous ones."""
    levels = [0] * d
    for column in rng.permutation(d)[: _discrete_count(d, discrete)].tolist():
        levels[column] = int(rng.integers(2, _MOST_LEVELS + 1))
    return levels


def _random_mechanisms(
    rng: np.random.Generator,
    dag: Matrix,
    levels: list[int],
    curves: tuple[str, ...],
    is_drawn: bool,
) -> tuple[Mechanism, ...]:
    mechanisms = []
    for column, count in enumerate(levels):
        effects = tuple(
            _random_effect(rng, parent, levels[parent], curves)
            for parent in parents_of(dag, column)
        )
        slopes = 3.0 * _random_scores(rng, count) if is_drawn and count else ()
        mechanisms.append(Mechanism(effects, count, tuple(slopes)))
    return tuple(mechanisms)


def _random_effect(
    rng: np.random.Generator, parent: int, levels: int, curves: tuple[str, ...]
) -> Effect:
    if levels:
        return Effect(parent, LEVELS, tuple(_random_scores(rng, levels).tolist()))
    return Effect(parent, curves[int(rng.integers(len(curves)))])


def _random_scores(rng: np.random.Generator, levels: int) -> Floats:
    """Return a number for each level, of mean 0 and variance 1."""
    scores = rng.standard_normal(levels)
    return np.asarray((scores - scores.mean()) / scores.std())


def _discrete_count(d: int, discrete: float) -> int:
    """Return a number of columns, given as one or as a share."""
    number = as_real(discrete)
    whole = isinstance(discrete, numbers.Integral)
    if not 0.0 <= number <= (d if whole else 1.0):
        raise OptionError(
            f"discrete must be a number of columns from 0 to {d}, or a share from 0.0 to 1.0; "
            f"got {quoted(discrete)}"
        )
    return int(number) if whole else round(number * d)


def _is_drawn(levels_by: str) -> bool:
    if levels_by not in ("cut", "draw"):
        raise OptionError(f"levels_by must be 'cut' or 'draw'; got {quoted(levels_by)}")
    return levels_by == "draw"


def _check_scales(noise_sd: float, limit: float) -> None:
    if not 0.0 < as_real(noise_sd) < math.inf:
        raise OptionError(f"noise_sd must be a finite number above 0; got {quoted(noise_sd)}")
    if not as_real(limit) > 0.0:
        raise OptionError(f"limit must be a number above 0; got {quoted(limit)}")
