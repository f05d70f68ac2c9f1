"""Linear Gaussian tables: the procedure of the paper's appendix."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from greedag._options import as_real, checked_whole
from greedag.errors import OptionError
from greedag.graph.cpdag import CPDAG
from greedag.graph.mpdag import Matrix
from greedag.simulate.graphs import check_sizes, random_dag
from greedag.statistics.moments import Moments

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Simulation:
    """A linear Gaussian model and rows drawn from it.

    Attributes
    ----------
    data : ndarray of shape (n, d)
        The rows.
    dag : ndarray of shape (d, d)
        The true graph; ``dag[i, j] = 1`` is i → j.
    cpdag : CPDAG
        The true class.
    weights : ndarray of shape (d, d)
        ``weights[i, j]`` is the weight of column i in column j; 0 where there is no edge.
    noise_sd : ndarray of shape (d,)
        Standard deviation of each column's own noise.
    names : tuple of str
        Column names.
    """

    data: Floats
    dag: Matrix
    cpdag: CPDAG
    weights: Floats
    noise_sd: Floats
    names: tuple[str, ...]

    def __repr__(self) -> str:
        n, d = self.data.shape
        return f"<Simulation: {n} rows, {d} columns, {int(self.dag.sum())} edges>"

    @property
    def population_covariance(self) -> Floats:
        """Covariance of the model itself, to which that of the rows converges."""
        factor = self._factor()
        return np.asarray(factor @ factor.T)

    def moments(self, n: int, *, seed: int) -> Moments:
        """Draw the moments that `n` further rows would have, without drawing the rows.

        The covariance with divisor n is drawn from its exact law: n times it is Wishart
        distributed with n - 1 degrees of freedom. So 10⁸ rows cost as little as 10³.

        Parameters
        ----------
        n : int
            Number of rows, at least 2.
        seed : int
            Same seed, same moments; independent of the seed that the model was drawn with.

        Returns
        -------
        Moments
            Without means.

        Examples
        --------
        >>> linear_gaussian(10, 2.0, 1, seed=0).moments(10**8, seed=0).n
        100000000
        """
        checked_whole("n", n, least=2)
        checked_whole("seed", seed, least=0)
        # Not the stream of `linear_gaussian`: rows and moments of one seed are independent.
        rng = np.random.default_rng([seed, 1])
        root = self._factor() @ _wishart_root(rng, len(self.weights), n - 1) / math.sqrt(n)
        return Moments(n=n, covariance=root @ root.T, names=self.names)

    def _factor(self) -> Floats:
        """Return F with F Fᵀ = the covariance of the model."""
        # x = Wᵀx + e, so x = Me with M = (I - Wᵀ)⁻¹, and Cov(x) = M diag(sd²) Mᵀ.
        effects = np.linalg.inv(np.eye(len(self.weights)) - self.weights.T)
        return np.asarray(effects * self.noise_sd)


def linear_gaussian(
    d: int,
    rho: float,
    n: int,
    *,
    seed: int,
    weight_range: tuple[float, float] = (1.0, 3.0),
    negative: bool = False,
    noise_max: float = 0.5,
    graph: str = "uniform",
) -> Simulation:
    """Draw a random linear Gaussian model and rows from it.

    Each pair of columns is adjacent with probability 2·rho/(d - 1), edges point from the smaller to
    the larger node, and nodes are relabelled at random. Each column is a weighted sum of its
    parents (weights drawn from `weight_range`, then scaled so that their absolute values sum
    to 1) plus noise whose standard deviation is drawn from U(0, `noise_max`).

    Parameters
    ----------
    d : int
        Number of columns.
    rho : float
        Mean number of parents; beyond (d - 1)/2 every pair is adjacent.
    n : int
        Number of rows, at least 1.
    seed : int
        Same seed, same table.
    weight_range : (float, float)
        Bounds of the weights before scaling, both positive.
    negative : bool
        Flip the signs of all weights of a column with probability 1/2, column by column.
    noise_max : float
        Upper bound of the noise's standard deviation.
    graph : str
        ``"uniform"`` as above, or ``"scale-free"``: each column draws rho parents from those
        before it, preferring columns with many children (Barabási and Albert), so that some
        columns have very many.

    Returns
    -------
    Simulation

    Examples
    --------
    >>> linear_gaussian(10, 2.0, 1000, seed=0).data.shape
    (1000, 10)
    """
    check_sizes(d, rho, n, seed)
    low, high = _check_model(weight_range, negative, noise_max)
    rng = np.random.default_rng(seed)
    dag, parents_first = random_dag(rng, d, rho, graph)
    weights = _random_weights(rng, dag, low, high, negative=negative)
    # 1 - U[0, 1) lies in (0, 1]: a column without noise would be collinear with its parents.
    noise_sd = noise_max * (1.0 - rng.random(d))
    data = rng.standard_normal((n, d)) * noise_sd
    for column in parents_first:
        parents = np.flatnonzero(dag[:, column])
        data[:, column] += data[:, parents] @ weights[parents, column]
    cpdag = CPDAG.from_dag(dag)
    return Simulation(data, dag, cpdag, weights, noise_sd, cpdag.names)


def _wishart_root(rng: np.random.Generator, d: int, freedom: int) -> Floats:
    """Return A such that A Aᵀ is Wishart distributed with scale I."""
    if freedom < d:
        return rng.standard_normal((d, freedom))
    # Bartlett: normal below the diagonal, roots of χ² with falling degrees of freedom on it.
    root = np.tril(rng.standard_normal((d, d)), k=-1)
    root[np.diag_indices(d)] = np.sqrt(rng.chisquare(freedom - np.arange(d)))
    return root


def _random_weights(
    rng: np.random.Generator, dag: Matrix, low: float, high: float, *, negative: bool
) -> Floats:
    weights = dag * rng.uniform(low, high, size=dag.shape)
    if negative:
        # One sign per column, as in the paper: b_i flips the whole vector W_i.
        weights *= rng.choice([-1.0, 1.0], size=len(dag))
    totals = np.abs(weights).sum(axis=0)
    return np.asarray(weights / np.where(totals > 0.0, totals, 1.0))


def _check_model(
    weight_range: tuple[float, float], negative: bool, noise_max: float
) -> tuple[float, float]:
    if not isinstance(negative, (bool, np.bool_)):
        raise OptionError(f"negative must be True or False; got {negative!r}")
    if not 0.0 < as_real(noise_max) < math.inf:
        raise OptionError(f"noise_max must be a finite number above 0; got {noise_max!r}")
    pair = tuple(weight_range) if isinstance(weight_range, (tuple, list)) else ()
    if len(pair) != 2 or not 0.0 < as_real(pair[0]) <= as_real(pair[1]) < math.inf:
        raise OptionError(
            f"weight_range must be two numbers with 0 < low <= high; got {weight_range!r}"
        )
    return float(pair[0]), float(pair[1])
