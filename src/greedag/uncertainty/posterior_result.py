"""The probabilities of edges and paths: as arrays, as a table, in a terminal, in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from greedag import _core
from greedag._options import as_real, checked_seed, checked_whole
from greedag.data.table import Floats
from greedag.drawing.labels import printable
from greedag.errors import DataError, FileError, Note, OptionError, counted_rows, quoted
from greedag.graph.mpdag import MPDAG
from greedag.io.arrays import load_npz, save_npz
from greedag.io.atomic import FilePath, damaged
from greedag.result.result import ReadOnlyDict
from greedag.result.serialization import note_of, note_record
from greedag.uncertainty.pair_table import PairProbabilities, ProbabilityTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

What = Literal["directed", "adjacent", "ancestor"]
_LEGENDS = {
    "directed": "probability of an arrow",
    "adjacent": "probability of an edge",
    "ancestor": "probability of a directed path",
}
_STORED = ("posterior", 1)
_PLAIN = ("score", "options", "prior", "max_parents", "n", "log_evidence")


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """How probable edges and directed paths are, over all DAGs.

    Make one with :func:`greedag.posterior`. Matrices have a row and a column for each of `names`.
    It keeps the sums that :meth:`sample` needs, up to 0.3 GB for 20 columns.

    Attributes
    ----------
    names : tuple of str
        The columns.
    directed : ndarray of shape (d, d)
        Probability of an arrow from the column of the row to that of the column.
    ancestor : ndarray of shape (d, d)
        Probability that the row's column is an ancestor of the other: that a directed path leads
        to it. On the diagonal it is 1.
    ancestor_error : ndarray of shape (d, d) or None
        Standard errors of `ancestor` where it is estimated; None where it is exact.
    log_evidence : float
        Logarithm of the mean of e to the score, over all DAGs as the prior weighs them. Between two
        sets of knowledge about the same data, with the same score, the difference is the logarithm
        of a Bayes factor.
    score : str
        The score that weighs DAGs.
    options : mapping
        Its options.
    prior : str
        ``"orders"`` or ``"uniform"``.
    max_parents : int or None
        The most parents of a column.
    n : int or float
        Number of rows.
    notes : tuple of Note
        What the probabilities rest on, and what was noticed in the data.
    """

    names: tuple[str, ...]
    directed: Floats
    ancestor: Floats
    ancestor_error: Floats | None
    log_evidence: float
    score: str
    options: Mapping[str, Any]
    prior: str
    max_parents: int | None
    n: float
    notes: tuple[Note, ...] = ()
    _engine: _core.Posterior | None = None

    def __post_init__(self) -> None:
        for matrix in (self.directed, self.ancestor, self.ancestor_error):
            if matrix is not None:
                matrix.setflags(write=False)

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def adjacent(self) -> Floats:
        """Probability that two columns are adjacent; symmetric."""
        return np.minimum(1.0, self.directed + self.directed.T)

    def pair(self, a: str, b: str) -> PairProbabilities:
        """Return the probabilities of two columns."""
        index = MPDAG(self.names, b"").index
        return self._pair(index(a), index(b))

    def table(self, threshold: float = 0.0) -> ProbabilityTable:
        """Return the pairs that are adjacent with this probability or more, most probable first.

        Parameters
        ----------
        threshold : float, default 0
            Least probability; with 0, all pairs.
        """
        least = as_real(threshold)
        if not 0.0 <= least <= 1.0:
            raise OptionError(f"threshold must be from 0 to 1; got {quoted(threshold)}")
        adjacent = self.adjacent
        found = [ij for ij in combinations(range(self.d), 2) if adjacent[ij] >= least]
        pairs = [self._pair(i, j) for i, j in found]
        pairs.sort(key=lambda pair: (-pair.adjacent, -pair.forward))
        return ProbabilityTable(pairs)

    def sample(self, k: int, *, seed: int = 0) -> NDArray[np.uint8]:
        """Draw DAGs from the posterior, independently of each other.

        Parameters
        ----------
        k : int
            How many.
        seed : int, default 0
            Random seed. The same seed gives the same DAGs; more of them start with those of fewer.

        Returns
        -------
        ndarray of shape (k, d, d)
            ``[s, i, j]`` is 1 if DAG s has i → j.

        Raises
        ------
        DataError
            If it was loaded from a file or unpickled, which keeps no sums.
        """
        count, number = checked_whole("k", k, least=0), checked_seed(seed)
        if self._engine is None:
            raise DataError(
                "DAGs can be drawn only where the sums over DAGs are there, which a file of a "
                "posterior does not hold",
                remedy="call posterior() again",
                code="no-data",
            )
        return np.asarray(self._engine.sample(count, seed=number), dtype=np.uint8)

    def plot(self, ax: Axes | None = None, *, what: What = "directed") -> Axes:
        """Draw the probabilities as a heat map, with causes in rows and effects in columns.

        Parameters
        ----------
        ax : Axes, optional
            Axes of matplotlib; new ones if left out.
        what : str
            Which probabilities: ``"directed"``, ``"adjacent"`` or ``"ancestor"``.
        """
        from greedag.drawing.heat_map import heat_map

        if what not in _LEGENDS:
            raise OptionError(
                f"what must be 'directed', 'adjacent' or 'ancestor'; got {quoted(what)}"
            )
        return heat_map(self.names, getattr(self, what), _LEGENDS[what], ax=ax)

    def save(self, path: FilePath) -> None:
        """Write the probabilities to a file, in one step: whole or not at all.

        Parameters
        ----------
        path : path-like
            The file, an .npz archive whatever its name; one that exists is replaced.
        """
        arrays = {"directed": self.directed, "ancestor": self.ancestor}
        if self.ancestor_error is not None:
            arrays["ancestor_error"] = self.ancestor_error
        meta = {name: getattr(self, name) for name in _PLAIN}
        meta |= {"names": list(self.names), "options": dict(self.options)}
        meta["notes"] = [note_record(note) for note in self.notes]
        save_npz(path, *_STORED, arrays, meta)

    @classmethod
    def load(cls, path: FilePath) -> Posterior:
        """Read what :meth:`save` wrote; DAGs cannot be drawn from it.

        Parameters
        ----------
        path : path-like
            The file.

        Raises
        ------
        FileError
            If there is no such file, or it is damaged or holds something else.
        """
        stored = load_npz(path, *_STORED)
        try:
            return _restored(path, stored.meta, stored.arrays)
        except FileError:
            raise
        except (DataError, LookupError, TypeError, ValueError) as error:
            raise damaged(path) from error

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engine": None}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Posterior):
            return NotImplemented
        compared = [field.name for field in fields(self) if field.name not in ("notes", "_engine")]
        return all(np.array_equal(getattr(self, f), getattr(other, f)) for f in compared)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Posterior: {self._heading()}>"

    def __str__(self) -> str:
        notes = [f"note: {printable(note)}" for note in self.notes]
        return "\n".join([self._heading(), repr(self.table()), *notes])

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment, paragraph

        notes = [paragraph(f"Note: {note}") for note in self.notes]
        return fragment([paragraph(self._heading()), *self.table().html(), *notes])

    def _heading(self) -> str:
        return (
            f"all DAGs of {self.d} columns, {counted_rows(self.n)} rows, {self.score}, prior "
            f"{self.prior}: {self.directed.sum():.1f} edges on average"
        )

    def _pair(self, i: int, j: int) -> PairProbabilities:
        if self.directed[j, i] > self.directed[i, j]:
            i, j = j, i
        return PairProbabilities(
            self.names[i],
            self.names[j],
            float(self.adjacent[i, j]),
            float(self.directed[i, j]),
            float(self.directed[j, i]),
            float(self.ancestor[i, j]),
            float(self.ancestor[j, i]),
        )


def _restored(
    path: FilePath, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> Posterior:
    names = tuple(map(str, meta["names"]))
    for matrix in arrays.values():
        if matrix.shape != (len(names), len(names)) or not ((matrix >= 0) & (matrix <= 1)).all():
            raise ValueError("no probabilities of these columns")
    plain = {name: meta[name] for name in _PLAIN}
    return Posterior(
        names=names,
        directed=arrays["directed"],
        ancestor=arrays["ancestor"],
        ancestor_error=arrays.get("ancestor_error"),
        notes=tuple(note_of(path, note) for note in meta["notes"]),
        **{**plain, "options": ReadOnlyDict(plain["options"])},
    )
