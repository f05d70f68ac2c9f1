"""Learning from draws: on threads or a cluster, stopped and resumed, with the same outcome."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from greedag._options import LearnOptions
from greedag._progress import DrawsDone, seconds_left
from greedag.errors import DataError, SearchInterrupted, TimeLimitError, require
from greedag.io.arrays import Stored
from greedag.scores.base import Prepared, Score
from greedag.search.checkpoint import StateFile
from greedag.search.learn import bound_knowledge, search_prepared
from greedag.uncertainty.draws import Draws
from greedag.uncertainty.searches import run_all

if TYPE_CHECKING:
    from greedag.graph.knowledge import Knowledge

Packed = NDArray[np.uint8]
Outcomes = Generator[tuple[int, Packed | str], None, None]

_SAVE_EVERY = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What it takes to learn from any of the draws.

    Attributes
    ----------
    draws : Draws
    score : Score
        Of all rows.
    options : LearnOptions
        Of each search: one thread, no checkpoint of its own.
    knowledge : Knowledge or None
    n : float
        Number of all rows.
    """

    draws: Draws
    score: Score
    options: LearnOptions
    knowledge: Knowledge | None
    n: float

    def graph(self, draw: int, report: Callable[[Any], object] | None = None) -> Packed | str:
        """Return the graph of a draw, its matrix as bits, or why there is none.

        Raises
        ------
        TimeLimitError, KeyboardInterrupt
            If the search is stopped.
        """
        try:
            statistics = self.draws.statistics(draw)
            score = self.draws.score(self.score, statistics, self.n)
            known = bound_knowledge(self.knowledge, statistics.names)
            ready = Prepared(statistics, True)
            result, _ = search_prepared(
                score, ready, self.options, known, report=report, check=False
            )
        except TimeLimitError:
            raise
        except DataError as error:
            return str(error)
        if result.stopped == "interrupt":
            raise KeyboardInterrupt
        if result.stopped:
            raise TimeLimitError("the time limit ran out")
        return np.packbits(result.graph.to_matrix())


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What was learned from draws.

    Attributes
    ----------
    graphs : dict of int to ndarray
        By draw, the matrix of the graph as bits.
    failed : dict of int to str
        Draws that could not be learned from, and why.
    stopped : str
        Empty, or what ended it early: ``"time limit"`` or ``"interrupt"``.
    """

    graphs: dict[int, Packed]
    failed: dict[int, str]
    stopped: str = ""

    @property
    def done(self) -> int:
        """Number of draws that were learned from, or cannot be."""
        return len(self.graphs) + len(self.failed)

    def add(self, draw: int, found: Packed | str) -> None:
        """Keep what was learned from a draw."""
        if isinstance(found, str):
            self.failed[draw] = found
        else:
            self.graphs[draw] = found


@dataclass(frozen=True, slots=True)
class DrawsFile(StateFile):
    """What was learned from draws, in a file."""

    kind: ClassVar[str] = "draws"
    version: ClassVar[int] = 1

    def save(self, learned: Learned) -> None:
        """Write what was learned, whole or not at all."""
        graphs = learned.graphs
        arrays: dict[str, NDArray[Any]] = {
            "draws": np.array([*graphs], dtype=np.int64),
            "graphs": np.array([*graphs.values()], dtype=np.uint8),
        }
        self.write(arrays, {"failed": {str(draw): why for draw, why in learned.failed.items()}})

    def load(self, d: int) -> Learned:
        """Return what was learned before, nothing if there is no file."""
        stored = self.read()
        if stored is None:
            return Learned({}, {})
        with self.refusing_damage():
            return _learned(stored, d)


def _learned(stored: Stored, d: int) -> Learned:
    draws, graphs = stored.arrays["draws"].tolist(), stored.arrays["graphs"]
    if graphs.shape[1:] != (packed_size(d),) and len(draws):
        raise ValueError("other columns")
    failed = {int(draw): str(why) for draw, why in stored.meta["at"]["failed"].items()}
    return Learned(dict(zip(draws, graphs, strict=True)), failed)


def packed_size(d: int) -> int:
    """Return the bytes that the matrix of a graph takes as bits."""
    return -(-d * d // 8)


def learn_draws(
    work: Work,
    draws: int,
    *,
    n_jobs: int,
    client: Any,
    report: Callable[[DrawsDone], object] | None,
    file: DrawsFile | None,
    d: int,
) -> Learned:
    """Learn from draws 0 to `draws` - 1, or as many as the time allows."""
    learned = Learned({}, {}) if file is None else file.load(d)
    left = [i for i in range(draws) if i not in learned.graphs and i not in learned.failed]
    started = saved = time.perf_counter()
    stopped = ""
    with closing(_outcomes(work, left, n_jobs, client)) as outcomes:
        try:
            for draw, found in outcomes:
                learned.add(draw, found)
                if report is not None:
                    report(DrawsDone(time.perf_counter() - started, learned.done, draws))
                if file is not None and time.perf_counter() - saved > _SAVE_EVERY:
                    file.save(learned)
                    saved = time.perf_counter()
        except TimeLimitError:
            stopped = "time limit"
        except KeyboardInterrupt as error:
            if isinstance(error, SearchInterrupted):
                raise
            stopped = "interrupt"
    if file is not None:
        file.save(learned)
    kept = {draw: learned.graphs[draw] for draw in sorted(learned.graphs) if draw < draws}
    failed = {draw: why for draw, why in sorted(learned.failed.items()) if draw < draws}
    return Learned(kept, failed, stopped)


def _outcomes(work: Work, draws: list[int], n_jobs: int, client: Any) -> Outcomes:
    """Give the draws with their graphs, as they come."""
    if client is not None:
        return _on_cluster(work, draws, client)
    return _here(work, draws, n_jobs)


def _here(work: Work, draws: list[int], n_jobs: int) -> Outcomes:
    tasks = (partial(work.graph, draw) for draw in draws)
    with closing(run_all(tasks, n_jobs)) as outcomes:
        for place, found in outcomes:
            yield draws[place], found


def _on_cluster(work: Work, draws: list[int], client: Any) -> Outcomes:
    """Learn on the workers of a Dask client; those that are not done in time are cancelled."""
    distributed = require("distributed", "cluster")
    [there] = client.scatter([work], broadcast=True)
    futures = {client.submit(_graph_there, there, draw, pure=False): draw for draw in draws}
    try:
        done = distributed.as_completed(list(futures), timeout=seconds_left())
        for future in done:
            yield futures[future], future.result()
    except TimeoutError:
        raise TimeLimitError("the time limit ran out") from None
    finally:
        client.cancel([future for future in futures if not future.done()])


def _graph_there(work: Work, draw: int) -> Packed | str:
    return work.graph(draw)
