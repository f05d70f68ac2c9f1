"""Classes along a path of penalties, and the choice of one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from greedag._options import as_real, checked_n_jobs, checked_time_limit, checked_whole
from greedag._progress import SearchesDone, progress_callback, time_limited
from greedag.data.table import Floats
from greedag.drawing.labels import printable
from greedag.errors import Note, OptionError, counted_rows, quoted
from greedag.metrics import shd
from greedag.result.result import Result
from greedag.uncertainty.choose import (
    DRAWS,
    FOLDS,
    GAMMA,
    THRESHOLD,
    By,
    Choice,
    compared,
    ebic,
    extended_bic,
)
from greedag.uncertainty.path_table import Lifetimes, PathStep, PathTable, lifetimes_of
from greedag.uncertainty.searches import Count, Searches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What each way to choose may be told.
_OPTIONS: dict[str, dict[str, Any]] = {
    "stars": {"threshold": THRESHOLD, "draws": DRAWS},
    "cv": {"folds": FOLDS},
    "ebic": {"gamma": GAMMA},
}
_LARGEST_GAMMA = 1e300


@dataclass(frozen=True, eq=False, repr=False)
class Path:
    """The classes that searches with different weights of the penalty find.

    Make one with :func:`greedag.path`. It keeps the data, so that `select` can learn from parts of
    the rows.

    Attributes
    ----------
    results : tuple of Result
        One for each alpha, ascending.
    notes : tuple of Note
        What a reader should know.
    stopped : str
        Empty if all alphas were searched, else ``"time limit"`` or ``"interrupt"``.
    """

    results: tuple[Result, ...]
    notes: tuple[Note, ...]
    stopped: str
    searches: Searches = field(repr=False)
    choices: dict[tuple[Any, ...], Choice] = field(default_factory=dict, repr=False)

    @property
    def alphas(self) -> Floats:
        """The weights of the penalty, ascending."""
        return np.array([result.settings["alpha"] for result in self.results])

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.results[0].cpdag.names

    def table(self) -> PathTable:
        """Return the classes in a table: their edges, scores and extended BIC.

        Returns
        -------
        tuple of PathStep
        """
        graphs = [result.graph for result in self.results]
        changes = [0, *map(shd, graphs[1:], graphs)]
        chosen = {by: choice.alpha for (by, *_), choice in self.choices.items()}
        return PathTable(
            PathStep(
                alpha,
                len(graph.directed) + len(graph.undirected),
                len(graph.directed),
                changed,
                result.score,
                extended_bic(result, GAMMA),
                tuple(by for by, own in chosen.items() if own == alpha),
            )
            for alpha, graph, changed, result in zip(
                self.alphas.tolist(), graphs, changes, self.results, strict=True
            )
        )

    def lifetimes(self) -> Lifetimes:
        """Return for each edge at which alphas it is there, those that live longest first.

        Returns
        -------
        tuple of Lifetime
        """
        return lifetimes_of(self.alphas.tolist(), [result.graph for result in self.results])

    def select(self, by: By, **options: Any) -> Result:
        """Choose a class of the path.

        Parameters
        ----------
        by : str
            ``"stars"``: the least alpha whose graphs are stable (Liu, Roeder & Wasserman 2010). Of
            20 subsamples of 10√n rows, two columns are adjacent in a share θ, and the mean of
            2θ(1 - θ) over all pairs is at most 0.05 for this alpha and all larger ones.
            ``"cv"``: the largest alpha whose graphs predict held-out rows about as well as the
            best alpha does, within one standard error over 10 folds.
            ``"ebic"``: the alpha whose class has the best extended BIC, with gamma 0.5, by which an
            edge costs gamma · 2 log d beside the usual BIC. It needs no further search.
        **options
            Of :meth:`choice`.

        Returns
        -------
        Result
            Its settings have the alpha, and a note says why it was chosen.
        """
        choice = self.choice(by, **options)
        result = self.results[int(np.flatnonzero(self.alphas == choice.alpha)[0])]
        notes = (*(note for note in result.notes if note.code != "alpha"), choice.note())
        return replace(result, notes=notes)

    def choice(
        self,
        by: By,
        *,
        threshold: float | None = None,
        draws: int | None = None,
        folds: int | None = None,
        gamma: float | None = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        progress: bool | Callable[[SearchesDone], object] | None = None,
    ) -> Choice:
        """Choose an alpha of the path, and return what all of them were compared by.

        Parameters
        ----------
        by : str
            As in :meth:`select`.
        threshold : float, default 0.05
            For ``"stars"``, the largest mean of 2θ(1 - θ), at most 0.5.
        draws : int, default 20
            For ``"stars"``, the number of subsamples.
        folds : int, default 10
            For ``"cv"``, the number of parts of the rows, each of which is held out once.
        gamma : float, default 0.5
            For ``"ebic"``, the weight of the further penalty.
        n_jobs : int, optional
            Threads; left out, as many as the path was searched with.
        time_limit : float, optional
            Seconds.
        progress : bool or callable, optional
            True shows a line on stderr. A function is called with a :class:`SearchesDone` after
            each search.

        Raises
        ------
        OptionError
            If an option is out of range, or held-out rows have no probability by the score.
        DataError
            If there are no rows, or too few.
        TimeLimitError
            If the `time_limit` passes.
        """
        given = {"threshold": threshold, "draws": draws, "folds": folds, "gamma": gamma}
        how = _checked(by, {name: v for name, v in given.items() if v is not None})
        key = (by, *how.values())
        if key in self.choices:
            return self.choices[key]
        alphas: list[float] = self.alphas.tolist()
        if by == "ebic":
            found = ebic(alphas, self.results, **how)
        else:
            limit = checked_time_limit(time_limit)
            jobs = self.searches.options.n_jobs if n_jobs is None else checked_n_jobs(n_jobs)
            options = replace(self.searches.options, n_jobs=jobs, time_limit=limit)
            total = len(alphas) * how["draws" if by == "stars" else "folds"]
            with time_limited(limit), counted(progress, total) as done:
                found = compared(
                    replace(self.searches, options=options), alphas, by, done=done, **how
                )
        self.choices[key] = found
        return found

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw at which alphas each edge is there, with a line for each alpha that was chosen.

        Parameters
        ----------
        ax : Axes, optional
            Axes of matplotlib; new ones if left out.
        """
        from greedag.drawing.lifetimes import plot_lifetimes

        chosen = {by: choice.alpha for (by, *_), choice in self.choices.items()}
        return plot_lifetimes(self.lifetimes(), self.alphas.tolist(), chosen, ax=ax)

    def __repr__(self) -> str:
        return f"<Path: {self._heading()}>"

    def __str__(self) -> str:
        notes = [f"note: {printable(note)}" for note in self.notes]
        return "\n".join([self._heading(), repr(self.table()), *notes])

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import fragment, paragraph

        notes = [paragraph(f"Note: {note}") for note in self.notes]
        return fragment([paragraph(self._heading()), *self.table().html(), *notes])

    def _heading(self) -> str:
        first, last = self.results[0], self.results[-1]
        edges = [len(r.cpdag.directed) + len(r.cpdag.undirected) for r in (first, last)]
        return (
            f"{len(self.results)} classes of {counted_rows(first.n)} rows, {len(self.names)} "
            f"columns: {edges[0]} edges at alpha {self.alphas[0]:g}, {edges[1]} at "
            f"{self.alphas[-1]:g}"
        )


@contextmanager
def counted(progress: Any, total: int) -> Iterator[Count]:
    """Give a counter of searches that reports to what a caller passes as `progress`."""
    with progress_callback(progress) as callback:
        report: Any = callback
        began = time.perf_counter()

        def show(done: int) -> None:
            report(SearchesDone(time.perf_counter() - began, done, total))

        yield Count(None if report is None else show)


def _checked(by: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a way to choose, those that were left out among them."""
    if not isinstance(by, str) or by not in _OPTIONS:
        raise OptionError(f"by must be 'stars', 'cv' or 'ebic'; got {quoted(by)}")
    for name in given:
        if name not in _OPTIONS[by]:
            raise OptionError(f"{name} must be left out for by={by!r}; got {quoted(given[name])}")
    how = {**_OPTIONS[by], **given}
    for name in ("draws", "folds"):
        if name in how:
            how[name] = checked_whole(name, how[name], least=2)
    for name, most in (("threshold", 0.5), ("gamma", _LARGEST_GAMMA)):
        if name in how:
            how[name] = _checked_number(name, how[name], most)
    return how


def _checked_number(name: str, value: Any, most: float) -> float:
    number = as_real(value)
    if not 0.0 <= number <= most:
        raise OptionError(f"{name} must be a number from 0 to {most:g}; got {quoted(value)}")
    return number
