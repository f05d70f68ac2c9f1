"""How sure an edge is: shares of draws beside each edge, and the section that explains them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from greedag.drawing.labels import count, in_words, printable
from greedag.errors import DataError, OptionError, counted_rows
from greedag.report.tables import EdgeRow
from greedag.result.result import Result
from greedag.uncertainty.pair_table import PairShares, in_percent
from greedag.uncertainty.shares import Stability
from greedag.uncertainty.words import (
    ASSUMPTIONS,
    NO_PROBABILITY,
    USUAL_THRESHOLD,
    false_in_words,
)

_MOST_NAMED = 5
_MOST_OTHERS = 100
# Pairs that fewer draws find are no finding.
_LEAST_OTHER = 0.1
_SHARE_NOTE = (
    "In draws: the share of repeated searches, each on a draw of the rows, that find the edge. The "
    "strong part of the bar is the share with the direction shown. See How sure is an edge?"
)
_DRAWN = {
    "halves": "halves of the rows, in pairs that have no row in common",
    "bootstrap": "tables of as many rows, drawn from these with replacement",
    "parametric": "normal tables with the means and covariances of this one",
}


@dataclass(frozen=True, slots=True)
class FoundEdge:
    """How often draws find an edge of the graph.

    Attributes
    ----------
    ends : tuple of int
        Its columns, the smaller first.
    adjacent, same : float
        Shares of the draws with any edge between the two, and with one of this direction, or an
        undirected one where this is undirected.
    directed : bool
        Whether it has a direction.
    """

    ends: tuple[int, int]
    adjacent: float
    same: float
    directed: bool

    @property
    def percent(self) -> str:
        """The share as shown."""
        return in_percent(self.adjacent) or "0 %"

    @property
    def width(self) -> float:
        """Length of its bar, of 100."""
        return round(100.0 * self.adjacent, 1)

    @property
    def same_width(self) -> float:
        """Length of the strong part of the bar."""
        return round(100.0 * self.same, 1)

    @property
    def text(self) -> str:
        """Both shares as a sentence."""
        how = "in this direction" if self.directed else "undirected"
        return f"Found in {self.percent} of the draws, {in_percent(self.same) or '0 %'} {how}"


@dataclass(frozen=True, slots=True)
class OtherPair:
    """A pair that draws find adjacent, and the graph does not have."""

    a: str
    b: str
    adjacent: float
    forward: float
    backward: float
    undirected: float

    @property
    def shown(self) -> tuple[str, ...]:
        """The shares as shown."""
        shares = (self.adjacent, self.forward, self.backward, self.undirected)
        return tuple(in_percent(share) for share in shares)

    @property
    def width(self) -> float:
        """Length of its bar, of 100."""
        return round(100.0 * self.adjacent, 1)


def sure_part(
    result: Result, stability: Stability, edges: Sequence[EdgeRow], shown: tuple[str, ...]
) -> dict[str, Any]:
    """Return the values of the section, and the shares of each edge by its key.

    Raises
    ------
    OptionError, DataError
        If `stability` is something else, or has other columns than the result.
    """
    _check(result, stability)
    named = dict(zip(result.graph.names, shown, strict=True))
    shares = {edge.key: _found(result, stability, edge) for edge in edges}
    others = _others(result, stability, named)
    return {
        "sure": True,
        "shares": shares,
        "share_note": _SHARE_NOTE,
        "sure_notes": list(_notes(stability, edges, shares)),
        "sure_others": others,
    }


def _check(result: Result, stability: Any) -> None:
    if not isinstance(stability, Stability):
        raise OptionError(
            f"stability must be what result.stability(data) returns, not {type(stability).__name__}"
        )
    if set(stability.names) != set(result.graph.names):
        raise DataError(
            "stability has other columns than the result",
            remedy="call result.stability with the data that it was learned from",
            code="other-columns",
        )


def _found(result: Result, stability: Stability, edge: EdgeRow) -> FoundEdge:
    tail, head = result.graph.names[edge.tail], result.graph.names[edge.head]
    pair = stability.pair(tail, head)
    along = pair.forward if pair.a == tail else pair.backward
    ends = min(edge.tail, edge.head), max(edge.tail, edge.head)
    same = along if edge.directed else pair.undirected
    return FoundEdge(ends, pair.adjacent, same, edge.directed)


def _others(result: Result, stability: Stability, named: Mapping[str, str]) -> list[OtherPair]:
    there = {frozenset(edge) for edge in result.graph.directed + result.graph.undirected}
    found = (pair for pair in stability.table(_LEAST_OTHER) if _ends(pair) not in there)
    rows = (
        OtherPair(
            named[pair.a],
            named[pair.b],
            pair.adjacent,
            pair.forward,
            pair.backward,
            pair.undirected,
        )
        for pair in found
    )
    return [row for row, _ in zip(rows, range(_MOST_OTHERS), strict=False)]


def _ends(pair: PairShares) -> frozenset[str]:
    return frozenset((pair.a, pair.b))


def _notes(
    stability: Stability, edges: Sequence[EdgeRow], shares: Mapping[str, FoundEdge]
) -> Iterator[str]:
    yield (
        f"The search was repeated on {stability.draws:,} {_DRAWN[stability.kind]} "
        f"({counted_rows(stability.n)} rows)."
    )
    yield from _of_edges(edges, shares)
    yield from _of_directions(edges, shares)
    yield NO_PROBABILITY
    false = list(false_in_words(stability, USUAL_THRESHOLD))
    if false:
        yield f"{' '.join(false)} {ASSUMPTIONS}"
    for note in stability.notes:
        if note.code in ("corrected-penalty", "time-limit", "interrupt", "failed-draws"):
            yield printable(note[:1].upper() + note[1:]).rstrip(".") + "."


def _of_edges(edges: Sequence[EdgeRow], shares: Mapping[str, FoundEdge]) -> Iterator[str]:
    if not edges:
        return
    often = sum(shares[edge.key].adjacent >= USUAL_THRESHOLD for edge in edges)
    rare = [edge for edge in edges if shares[edge.key].adjacent < 0.5]
    said = f"Of the {count(len(edges), 'edge')} of the graph, {often:,} turned up in at least 90 %"
    if rare:
        rare.sort(key=lambda edge: shares[edge.key].adjacent)
        named = in_words([edge.text for edge in rare], _MOST_NAMED)
        yield f"{said} of them, and {len(rare):,} in fewer than half: {named}."
    else:
        yield f"{said} of them, and all in at least half."


def _of_directions(edges: Sequence[EdgeRow], shares: Mapping[str, FoundEdge]) -> Iterator[str]:
    directed = [edge for edge in edges if edge.directed]
    if not directed:
        return
    often = sum(shares[edge.key].same >= USUAL_THRESHOLD for edge in directed)
    rare = [edge for edge in directed if shares[edge.key].same < 0.5]
    arrows = count(len(directed), "arrow")
    said = f"Of its {arrows}, {often:,} had the same direction in at least 90 % of the draws"
    if rare:
        rare.sort(key=lambda edge: shares[edge.key].same)
        shown = [f"{edge.text} ({in_percent(shares[edge.key].same) or '0 %'})" for edge in rare]
        said += (
            f"; {len(rare):,} had it in fewer than half, and should be regarded as undecided, "
            f"however strong the edge: {in_words(shown, _MOST_NAMED)}"
        )
    yield said + "."
