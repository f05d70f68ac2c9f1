"""What knowledge costs: the score that could be reached without it, and without each statement.

A class that agrees with all statements agrees with fewer of them, too. So the best class without a
statement scores no less than the result, and what it scores more is what the data say against the
statement. Every class found on the way counts for all statements whose absence it agrees with.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from greedag import _core
from greedag._options import EXACT, checked_n_jobs, checked_time_limit
from greedag._progress import LOGGER
from greedag.drawing.labels import WEAK_MARGIN, cell_width, count, in_words, padded, printable
from greedag.errors import DataError, argument
from greedag.graph.bound_knowledge import BoundKnowledge
from greedag.graph.knowledge import Statement
from greedag.graph.mpdag import Matrix, edge_mark
from greedag.result.result import Result, distance, engine_of

_MOST_CHANGES = 4
_NEXT_TO_NOTHING = 0.05

Change = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class StatementCost:
    """What one statement costs.

    Attributes
    ----------
    statement : Statement
        What is known.
    cost : float
        The best score found without it, all others kept, less the score of the result; 0 if none
        is higher.
    changes : tuple of (str, str, str, str)
        Every pair of columns whose edge differs without it: a, b, the edge with it and without it,
        each ``"→"``, ``"←"``, ``"-"`` or empty.
    """

    statement: Statement
    cost: float
    changes: tuple[Change, ...]

    def __str__(self) -> str:
        is_tiers = self.statement.kind == "tiers"
        said = "Without the tiers" if is_tiers else f'Without "{self.statement}"'
        if self.cost == 0.0:
            return f"{said} no higher score was found."
        weak = ", weak evidence against it" if self.cost < WEAK_MARGIN else ""
        changes = _in_words(self.changes)
        return f"{said} the score rises by {_number(self.cost)}{weak}{changes and ': '}{changes}."


@dataclass(frozen=True, slots=True, repr=False)
class KnowledgeCost:
    """What the knowledge of a result costs. ``str()`` of it is a table and a few sentences.

    Attributes
    ----------
    score : float
        The score of the result, which agrees with all that is known.
    total : float
        The best score found without any knowledge less that of the result; 0 if none is higher.
    statements : tuple of StatementCost
        What each statement alone costs, the costliest first. Together they may cost more than their
        sum, or less.
    changes : tuple of (str, str, str, str)
        As in `StatementCost`, without any knowledge.
    unknown : tuple of Statement
        The statements that there was no time for.
    stopped : bool
        Whether time ran out, so that costs may be larger than those found.
    """

    score: float
    total: float
    statements: tuple[StatementCost, ...]
    changes: tuple[Change, ...]
    unknown: tuple[Statement, ...] = ()
    stopped: bool = False

    def sentences(self) -> list[str]:
        """Return in words what the data say against the statements."""
        against = [said for said in self.statements if said.cost > 0.0]
        return [
            sentence for sentence in (self._head(), *map(str, against), *self._rest()) if sentence
        ]

    def __str__(self) -> str:
        return "\n".join([*self._table(), *self.sentences()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from greedag.drawing.fragments import Column, fragment, sentences, table

        columns = (Column("statement"), Column("cost", "number"))
        rows = [(str(said.statement), _number(said.cost)) for said in self.statements]
        return fragment([*(table(columns, rows) if rows else ()), sentences(self.sentences())])

    def _table(self) -> Iterator[str]:
        texts = ["statement", *(str(said.statement) for said in self.statements)]
        costs = ["cost", *(_number(said.cost) for said in self.statements)]
        wide, right = max(map(cell_width, texts)), max(map(len, costs))
        for text, cost in zip(texts, costs, strict=True):
            yield f"{padded(text, wide)}  {cost.rjust(right)}"

    def _head(self) -> str:
        if self.total == 0.0:
            return "Without any knowledge no higher score was found."
        return (
            f"What is known costs {_number(self.total)} of the score in all: "
            f"{self.score:.1f} with it, {self.score + self.total:.1f} without."
        )

    def _rest(self) -> Iterator[str]:
        against = sum(said.cost > 0.0 for said in self.statements)
        if self.statements and not against:
            yield "The data say nothing against " + (
                "it."
                if self.total == 0.0
                else "any statement alone, only against several together."
            )
        elif against < len(self.statements):
            yield "The data say nothing against the rest."
        if self.stopped:
            yield "Time ran out during the search: costs may be larger."
        if self.unknown:
            yield (
                f"There was no time for {count(len(self.unknown), 'statement')}: "
                f"{in_words([str(statement) for statement in self.unknown], _MOST_CHANGES)}."
            )


def knowledge_cost(
    result: Result, *, time_limit: float | None = None, n_jobs: int | None = None
) -> KnowledgeCost:
    """Return what knowledge costs; see :meth:`Result.knowledge_cost`."""
    limit, jobs = checked_time_limit(time_limit), checked_n_jobs(n_jobs)
    if result.knowledge is None:
        raise DataError(
            "this result was learned without knowledge, which therefore costs nothing",
            remedy=("learn with ", argument("knowledge")),
            code="no-knowledge",
        )
    started = time.perf_counter()
    search = _Search(result, engine_of(result, "the cost of knowledge"), limit, jobs)
    found = _found(search, result.knowledge.bind(result.cpdag.names))
    LOGGER.info("found the cost of knowledge in %.3f s", time.perf_counter() - started)
    return found


def _found(search: _Search, bound: BoundKnowledge) -> KnowledgeCost:
    result = search.result
    times = Counter(said._key() for said in bound.knowledge.statements)
    statements = list({said._key(): said for said in bound.knowledge.statements}.values())
    free = search.without(None)
    is_free_best = distance(free.score, result.score) == 0.0
    fewer = {
        # What is said twice is left out twice.
        said: bound.without(said)
        if times[said._key()] == 1
        else bound.knowledge.without(said).bind(bound.names)
        for said in statements
    }
    best: dict[Statement, _Found] = {}
    for said in statements:
        # If no knowledge at all allows for no higher score, less of it does not either.
        if is_free_best or not fewer[said].knowledge:
            best[said] = search.own if is_free_best else free
        elif not search.is_over():
            best[said] = search.without(fewer[said].engine)
    pool = sorted([free, *best.values()], key=lambda found: -found.score)
    costs = [
        StatementCost(
            said,
            *_compared(result, _best_agreeing(pool, own, fewer[said]), fewer[said]),
        )
        for said, own in best.items()
    ]
    total, changes = _compared(result, pool[0], None)
    return KnowledgeCost(
        result.score,
        total,
        tuple(sorted(costs, key=lambda said: -said.cost)),
        changes,
        tuple(said for said in statements if said not in best),
        search.was_stopped,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """A class and its score."""

    score: float
    cells: Matrix


class _Search:
    """Searches as the result was found, with less knowledge."""

    def __init__(self, result: Result, score: _core.Score, limit: float | None, jobs: int) -> None:
        self.result = result
        is_dag = result._dag is not None
        self.own = _Found(result.score, result.best_dag if is_dag else result.cpdag.to_matrix())
        self._name = "exact-dag" if is_dag and result.search == EXACT else result.search
        self.was_stopped = False
        self._score, self._jobs = score, jobs
        self._end = math.inf if limit is None else time.monotonic() + limit

    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() >= self._end

    def without(self, knowledge: _core.Knowledge | None) -> _Found:
        """Return the best class that agrees with less, from no edges and from the result's own."""
        starts = (None,) if self.result.search == EXACT else (None, self.own.cells)
        found = [self._run(knowledge, start) for start in starts]
        return max([self.own, *found], key=lambda one: one.score)

    def _run(self, knowledge: _core.Knowledge | None, start: Matrix | None) -> _Found:
        settings = self.result.settings
        cap = settings.get("clique_cap", _core.DEFAULT_CLIQUE_CAP)
        limits = [settings.get("time_limit"), max(self._end - time.monotonic(), 0.0)]
        seconds = min(limit for limit in limits if limit is not None)
        outcome = _core.search(
            self._score,
            self._name,
            time_limit=None if math.isinf(seconds) else seconds,
            clique_cap=cap,
            trial_cap=_core.DEFAULT_TRIAL_CAP if cap else 0,
            jobs=self._jobs,
            start=start,
            effort=settings.get("effort", 0.0),
            seed=settings.get("seed", 0),
            knowledge=knowledge,
        )
        if outcome.stopped == "interrupt":
            raise KeyboardInterrupt
        self.was_stopped |= bool(outcome.stopped)
        score = outcome.score if math.isfinite(outcome.score) else -math.inf
        return _Found(score, np.asarray(outcome.adjacency, dtype=np.uint8))


def _best_agreeing(pool: Sequence[_Found], own: _Found, fewer: BoundKnowledge) -> _Found:
    """Return the best of all classes found that agrees with some statements."""
    for other in pool:
        if other.score <= own.score:
            break
        if _agrees(other.cells, fewer):
            return other
    return own


def _agrees(cells: Matrix, fewer: BoundKnowledge) -> bool:
    """Whether a class has a member that agrees with some statements; of a DAG, whether it does."""
    if (cells & cells.T).any() or np.array_equal(of_class := _core.cpdag_of_dag(cells), cells):
        return _core.orient(cells, fewer.engine) is not None
    oriented = _core.orient(np.asarray(of_class, dtype=np.uint8), fewer.engine)
    if oriented is None:
        return False
    shared = np.asarray(oriented[0], dtype=np.uint8)
    return not (cells & shared.T & (1 - shared)).any()


def _compared(
    result: Result, found: _Found, fewer: BoundKnowledge | None
) -> tuple[float, tuple[Change, ...]]:
    """Return how much higher a class scores than a result, and which edges differ."""
    rise = distance(found.score, result.score)
    if result._dag is not None:
        before = result.best_dag
        after = found.cells if rise else before
    else:
        before, after = result.graph.to_matrix(), found.cells if rise else result.cpdag.to_matrix()
        oriented = _core.orient(after, fewer.engine) if fewer is not None else None
        after = after if oriented is None else np.asarray(oriented[0], dtype=np.uint8)
    names = result.cpdag.names
    differing = np.argwhere(np.triu((before != after) | (before != after).T)).tolist()
    marks = ((i, j, edge_mark(before, i, j), edge_mark(after, i, j)) for i, j in differing)
    return rise, tuple((names[i], names[j], here, there) for i, j, here, there in marks)


def _in_words(changes: Sequence[Change]) -> str:
    """Say which edges go, come and turn."""
    gone = [_edge(a, here, b) for a, b, here, there in changes if not there]
    come = [_edge(a, there, b) for a, b, here, there in changes if not here]
    turned = [_edge(a, here, b) for a, b, here, there in changes if {here, there} == {"→", "←"}]
    parts = [
        f"{in_words(edges, _MOST_CHANGES)} {one if len(edges) == 1 else many}"
        for edges, one, many in (
            (gone, "goes", "go"),
            (come, "comes", "come"),
            (turned, "turns", "turn"),
        )
        if edges
    ]
    return "; ".join(parts)


def _edge(a: str, mark: str, b: str) -> str:
    a, b = printable(a), printable(b)
    return f"{b} → {a}" if mark == "←" else f"{a} {mark} {b}"


def _number(cost: float) -> str:
    return f"{cost:.1f}" if cost == 0.0 or cost >= _NEXT_TO_NOTHING else f"{cost:.2g}"
