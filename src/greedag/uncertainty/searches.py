"""Many searches on one table and its parts, with different weights of the penalty."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from typing import Any, NoReturn, TypeVar

from greedag import _core
from greedag._options import EXACT, LearnOptions
from greedag.errors import OptionError, TimeLimitError, option, quoted
from greedag.graph.bound_knowledge import BoundKnowledge
from greedag.graph.mpdag import Matrix
from greedag.result.result import Operator, Result
from greedag.scores.base import Prepared, Score
from greedag.search.learn import bound_knowledge, is_among_dags, search_prepared

# Tasks that are begun or wait for a thread, for each of the threads.
_AHEAD = 4

Found = TypeVar("Found")
Report = Callable[[Any], object]
Task = Callable[[Report | None], Found]


@dataclass(frozen=True, slots=True, eq=False)
class Searches:
    """What it takes to search a table, or a part of it, with any weight of the penalty.

    Attributes
    ----------
    score : Score
        With any alpha.
    prepared : Prepared
        The statistics of all rows, and the rows to draw from.
    options : LearnOptions
        Of each search, but for the number of threads, which is that of searches at a time.
    known : BoundKnowledge or None
    """

    score: Score
    prepared: Prepared
    options: LearnOptions
    known: BoundKnowledge | None

    @property
    def n(self) -> float:
        """Number of all rows."""
        n: float = self.prepared.statistics.n
        return n

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.prepared.statistics.names)

    def result(
        self,
        alpha: float,
        report: Report | None = None,
        start: Matrix | None = None,
        n_jobs: int = 1,
    ) -> tuple[Result, bool]:
        """Search all rows; also return whether a refinement went on from another class."""
        options = replace(self.options, n_jobs=n_jobs)
        score = self.score.with_alpha(alpha)
        return search_prepared(
            score, self.prepared, options, self.known, start, report, check=False
        )

    def of_part(self, statistics: Any, alpha: float, report: Report | None = None) -> Result:
        """Search the statistics of some rows.

        Raises
        ------
        TimeLimitError, KeyboardInterrupt
            If the search is stopped.
        DataError
            If these rows cannot be scored, because a column is constant in them.
        """
        for each in getattr(statistics, "counted", (statistics,)):  # of each environment
            if hasattr(each, "check_variation"):
                each.check_variation()
        options = replace(self.options, n_jobs=1)
        score, part = self.score.with_alpha(alpha), Prepared(statistics, True)
        result, _ = search_prepared(score, part, options, self.known, report=report, check=False)
        return completed(result)

    @property
    def starts_from_classes(self) -> bool:
        """Whether a search can start from the class of another.

        One among DAGs finds its own start and an exact one has none. Where values are missing
        test-wise, the gains that lead from class to class add up to no score.
        """
        if is_among_dags(self.score, self.options) or self.options.search == EXACT:
            return False
        return not getattr(self.prepared.statistics, "missing", ())

    def better_from(self, result: Result, start: Result, report: Report | None = None) -> Result:
        """Search from the class of another alpha; return the result that scores better."""
        alpha = alpha_of(result)
        matrix = start.cpdag.to_matrix()
        found, has_jumped = self.result(alpha, report, matrix, self.options.n_jobs)
        completed(found)
        if found.score - result.score <= _core.min_gain(self.n):
            return result
        if has_jumped:
            return found
        assert found.objective is not None
        bound = found.objective.bind(self.prepared.statistics, check=False)
        before = tuple(_with_gain(operator, bound) for operator in start.trace)
        return replace(found, trace=before + found.trace)

    def swept(self, alphas: Sequence[float], done: Count) -> tuple[dict[float, Result], str]:
        """Search all rows with each alpha: from the empty graph, and from the classes beside.

        Returns
        -------
        results : dict
            By alpha; of those that were searched, if it was stopped.
        stopped : str
            Empty, "time limit" or "interrupt".
        """
        found: dict[float, Result] = {}
        # From large alphas, whose searches take less time, to small ones.
        falling = sorted(alphas, reverse=True)

        def cold(alpha: float, report: Report | None) -> Result:
            return completed(self.result(alpha, report)[0])

        try:
            tasks = [partial(cold, alpha) for alpha in falling]
            with closing(run_all(tasks, self.options.n_jobs)) as outcomes:
                for place, result in outcomes:
                    found[falling[place]] = result
                    done()
            if self.starts_from_classes:
                for order in (falling, falling[::-1]):
                    for beside, alpha in pairwise(order):
                        found[alpha] = self.better_from(found[alpha], found[beside])
                        done()
        except TimeLimitError:
            return found, "time limit"
        except KeyboardInterrupt:
            return found, "interrupt"
        return found, ""


class Count:
    """Counts searches, and calls a function with their number after each."""

    def __init__(self, report: Callable[[int], object] | None = None) -> None:
        self._report, self._done = report, 0

    def __call__(self) -> None:
        self._done += 1
        if self._report is not None:
            self._report(self._done)


def alpha_of(result: Result) -> float:
    """Return the weight of the penalty that a result was found with."""
    alpha: float = result.settings["alpha"]
    return alpha


def _with_gain(operator: Operator, bound: _core.Score) -> Operator:
    """Return an operator with its gain by another score."""
    x, y, without = operator.x, operator.y, operator.E
    gain = bound.local_score(y, [*without, x]) - bound.local_score(y, without)
    if operator.kind == "delete":
        gain = -gain
    if operator.kind == "reverse":
        parents = operator.F
        gain += bound.local_score(x, [p for p in parents if p != y])
        gain -= bound.local_score(x, parents)
    return replace(operator, gain=gain)


def searches_of(score: Score, prepared: Prepared, options: LearnOptions) -> Searches:
    """Return the searches of a table.

    Raises
    ------
    OptionError
        If the score has no alpha.
    DataError
        If the data cannot be scored.
    """
    check_alpha(score)
    # Refuses what cannot be used before anything is searched.
    score.bind(prepared.statistics)
    known = bound_knowledge(options.knowledge, prepared.statistics.names)
    own = replace(options, alpha=None, progress=None, checkpoint=None, knowledge=None)
    return Searches(score, prepared, own, known)


def check_alpha(score: Score) -> None:
    """Raise if a score has no penalty whose weight could be chosen."""
    by_column = getattr(score, "by_column", score)
    if hasattr(by_column, "alpha"):
        return
    remedy = "choose a BIC"
    if score.name == "bdeu":
        raise OptionError(
            "score must have an alpha, and BDeu has none; ", remedy, ", such as ",
            option("score", "discrete-bic"), f"; got {quoted(score.name)}", code="no-alpha",
        )  # fmt: skip
    raise OptionError(
        f"score must have an alpha, the weight of its penalty; {remedy}; got {quoted(score.name)}",
        code="no-alpha",
    )


def completed(result: Result) -> Result:
    """Return a result of a search that ran to its end; raise for any other."""
    if result.stopped:
        stop(result.stopped)
    return result


def stop(why: str) -> NoReturn:
    """Raise because of what stopped a search."""
    if why == "interrupt":
        raise KeyboardInterrupt
    raise TimeLimitError(
        "the time limit ran out while comparing weights of the penalty",
        remedy="allow more time, or give alpha as a number",
        code="time-limit",
    )


def run_all(tasks: Iterable[Task[Found]], n_jobs: int) -> Generator[tuple[int, Found], None, None]:
    """Do tasks, on threads; give the place of each and what it found, as they come.

    Tasks are asked for when threads are about to be free: there may be any number.

    Each is called with a function to report progress to, by which it is stopped; None on the
    calling thread, which Ctrl-C reaches by itself.
    """
    if n_jobs == 1:
        for place, task in enumerate(tasks):
            yield place, task(None)
        return
    is_over = threading.Event()

    def stop_when_over(_: object) -> None:
        if is_over.is_set():
            raise KeyboardInterrupt

    pool, waiting = ThreadPoolExecutor(n_jobs), enumerate(tasks)
    running: dict[Future[Found], int] = {}
    try:
        while True:
            for place, task in islice(waiting, _AHEAD * n_jobs - len(running)):
                running[pool.submit(copy_context().run, task, stop_when_over)] = place
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), future.result()
    finally:
        is_over.set()
        pool.shutdown(cancel_futures=True)
