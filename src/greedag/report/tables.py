"""The tables of the report: columns, and edges with their reasons, strongest first.

The *variance inflation* of a column is 1 / (1 - R²), with R² that of its regression on all other
columns: 1 if it has nothing in common with them, infinite if they determine it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log1p
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from greedag.data.table import Floats
from greedag.drawing.labels import WEAK_MARGIN, amount, amount_of_log, count, in_words
from greedag.errors import DataError
from greedag.graph.mpdag import MPDAG, Matrix
from greedag.result.edges import Strength
from greedag.result.explain import explanations, in_brief
from greedag.result.result import Result
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from greedag.drawing.effects import Spark

# Columns beyond these are not listed, so that the file stays small.
MOST_LISTED = 500
INFLATED = 10.0
NARROW = 1e-5
ROWS_PER_COLUMN = 10
# Inverting the correlations takes about d³ operations.
_MOST_INVERTED = 2000
# A column with fewer degrees of freedom left is fitted mostly by chance.
LEAST_FREEDOM = 10
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """What is known of every column; None where it is not known."""

    mean: Floats | None
    log_spread: Floats
    inflation: Floats | None
    closest: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A number as shown, and as it is sorted by."""

    text: str
    value: str
    alarming: bool = False


class Degrees(NamedTuple):
    """How many edges of each kind a column has."""

    parents: int
    children: int
    neighbors: int


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a discrete column: its frequency, and where it lies on a bar of 100."""

    name: str
    frequency: str
    start: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRow:
    """One column as listed; None or empty where nothing is known."""

    name: str
    degrees: Degrees
    kind: str = ""
    mean: Cell | None = None
    spread: Cell | None = None
    inflation: Cell | None = None
    closest: str = ""
    levels: tuple[Level, ...] = ()
    more_levels: int = 0
    missing: Cell | None = None


def summarise(moments: Moments) -> ColumnSummary:
    """Return spread, mean, variance inflation and the most correlated other column of each."""
    correlation = moments.correlation
    return ColumnSummary(
        mean=moments.mean,
        log_spread=moments.log_variances / 2.0,
        inflation=_inflation(moments, correlation),
        closest=_closest(correlation),
    )


def overfitted(n: float, dag: Matrix) -> list[int]:
    """Return the columns that have nearly as many parents in a member as there are rows."""
    parents = dag.sum(axis=0, dtype=np.int64)
    return np.flatnonzero((parents > 0) & (n - parents - 1 < LEAST_FREEDOM)).tolist()


def warnings(
    moments: Moments, columns: ColumnSummary, shown: Sequence[str], fitted: Sequence[int] = ()
) -> Iterator[str]:
    """Yield what should make a reader careful, most serious first.

    Parameters
    ----------
    moments, columns : Moments, ColumnSummary
        The data, and what :func:`summarise` says of them.
    shown : sequence of str
        The names as shown.
    fitted : sequence of int
        The columns that :func:`overfitted` returns.
    """
    yield from _few_rows(moments)
    yield from _overfitted(moments.n, shown, fitted)
    yield from _collinear(columns, shown)
    yield from _narrow(columns, shown)


def _inflation(moments: Moments, correlation: Floats) -> Floats | None:
    if moments.rank_limited or moments.d > _MOST_INVERTED:
        return None
    try:
        inverse = np.linalg.inv(correlation)
    except np.linalg.LinAlgError:
        return None
    # Rounding may leave less than 1, which no regression can give.
    inflation: Floats = np.maximum(inverse.diagonal(), 1.0)
    return inflation


def _closest(correlation: Floats) -> tuple[tuple[int, float], ...]:
    size = np.abs(correlation)
    np.fill_diagonal(size, -1.0)
    other = size.argmax(axis=1)
    return tuple((int(j), float(correlation[i, j])) for i, j in enumerate(other))


def _few_rows(moments: Moments) -> Iterator[str]:
    n, d = moments.n, moments.d
    if moments.rank_limited:
        yield (
            f"There are at most as many rows ({n:,}) as columns ({d:,}). The edges are hints, not "
            "findings: with so few rows many other graphs fit about as well."
        )
    elif n < ROWS_PER_COLUMN * d:
        yield (
            f"There are only {amount(n / d, 2)} rows per column ({n:,} rows, {d:,} columns). Weak "
            "edges and directions may change with another sample."
        )


def _overfitted(n: float, shown: Sequence[str], fitted: Sequence[int]) -> Iterator[str]:
    if not fitted:
        return
    has, its = ("has", "its") if len(fitted) == 1 else ("have", "their")
    yield (
        f"{count(len(fitted), 'column')} {has} nearly as many parents as there are rows ({n:,}): "
        f"{in_words([shown[i] for i in fitted], _MOST_NAMED)}. So many parents fit anything: the "
        f"strengths of {its} edges mean nothing, and coefficients are left out."
    )


def _collinear(columns: ColumnSummary, shown: Sequence[str]) -> Iterator[str]:
    if columns.inflation is None:
        return
    inflated = np.flatnonzero(columns.inflation >= INFLATED)
    if not inflated.size:
        return
    worst = inflated[np.argsort(-columns.inflation[inflated], kind="stable")]
    named = in_words([_collinear_column(columns, shown, int(i)) for i in worst], _MOST_NAMED)
    have = "has" if len(worst) == 1 else "have"
    yield (
        f"{count(len(worst), 'column')} {have} a variance inflation factor of {INFLATED:g} or "
        "more, so "
        f"that the others nearly determine {'it' if len(worst) == 1 else 'them'}: "
        f"{named}. Which of them an edge goes to is less certain than its strength "
        "suggests."
    )


def _collinear_column(columns: ColumnSummary, shown: Sequence[str], i: int) -> str:
    assert columns.inflation is not None
    other, correlation = columns.closest[i]
    return (
        f"{shown[i]} ({amount(float(columns.inflation[i]))}; correlation "
        f"{correlation:.3f} with {shown[other]})"
    )


def _narrow(columns: ColumnSummary, shown: Sequence[str]) -> Iterator[str]:
    if columns.mean is None:
        return
    with np.errstate(divide="ignore"):
        relative = columns.log_spread - np.log(np.abs(columns.mean))
    narrow = np.flatnonzero(relative < np.log(NARROW))
    if narrow.size:
        named = in_words([shown[i] for i in narrow.tolist()], _MOST_NAMED)
        yield (
            f"{count(int(narrow.size), 'column')} nearly constant: the standard deviation is less "
            f"than {NARROW:g} of the mean ({named}). Check that no digits were lost to rounding; "
            "subtract a constant before storing such values."
        )


def column_table(
    graph: MPDAG, summary: ColumnSummary, shown: tuple[str, ...], most: int
) -> list[ColumnRow]:
    """Return what is known of each of the first `most` columns, in the order of the table."""
    return [
        ColumnRow(
            name=shown[i],
            mean=None if summary.mean is None else _number(float(summary.mean[i])),
            spread=_exponential(float(summary.log_spread[i])),
            inflation=None if summary.inflation is None else _inflation_cell(summary.inflation[i]),
            closest=_closest_text(summary, i, shown),
            degrees=degrees,
        )
        for i, degrees in enumerate(degrees_of(graph)[:most])
    ]


def degrees_of(graph: MPDAG) -> list[Degrees]:
    """Return how many edges of each kind the columns have."""
    cells = graph.to_matrix()
    both = cells & cells.T
    directed = cells - both
    counts = np.column_stack([directed.sum(axis=0), directed.sum(axis=1), both.sum(axis=0)])
    return [Degrees(*row) for row in counts.tolist()]


def _number(number: float) -> Cell:
    return Cell(amount(number), repr(number))


def _exponential(log: float) -> Cell:
    # Sorted by the logarithm, which is finite where the spread itself is not.
    return Cell(amount_of_log(log), repr(log))


def _inflation_cell(inflation: np.float64) -> Cell:
    number = float(inflation)
    text = amount(number) if math.isfinite(number) else "infinite"
    return Cell(text, repr(number), number >= INFLATED)


def _closest_text(summary: ColumnSummary, i: int, shown: tuple[str, ...]) -> str:
    if not summary.closest:
        return ""
    other, correlation = summary.closest[i]
    return f"{shown[other]} ({correlation:.2f})".replace("(-", "(−")


def data_part(result: Result, shown: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of the section on the data."""
    moments = result.moments
    if moments is None:
        return {"warnings": [], "data_notes": [_without_moments(result)], "columns": []}
    summary = summarise(moments)
    fitted = overfitted(result.n, result.graph.to_dag())
    found = list(warnings(moments, summary, shown, fitted))
    return {
        "warnings": found,
        "data_notes": list(_data_notes(summary, found, result.cpdag.d)),
        "columns": column_table(result.graph, summary, shown, MOST_LISTED),
    }


def _without_moments(result: Result) -> str:
    if result.statistics is None:
        return "The data are not part of this result, so nothing can be said about them here."
    return "Only your custom score saw the data, so nothing can be said about them here."


def _data_notes(summary: ColumnSummary, found: list[str], d: int) -> Iterator[str]:
    if found:
        yield "Warnings are listed in the summary."
    else:
        yield "The number of rows, the spreads and the correlations give no cause for concern."
    if summary.inflation is None:
        yield (
            "Variance inflation is left out: it takes more rows than columns, and is computed for "
            "at most 2,000 columns."
        )
    else:
        yield (
            "Variance inflation is 1 / (1 − R²) of a column regressed on all others: 1 if it is "
            "uncorrelated with them. From 10 on it deserves attention."
        )
    if d > MOST_LISTED:
        yield f"Only the first {MOST_LISTED:,} of {d:,} columns are listed."


# Each edge brings about a kilobyte of explanation and a row of the table.
MOST_EDGES = 2000


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge as listed.

    Attributes
    ----------
    tail, head : int
        Its columns, the smaller first if undirected.
    directed : bool
        Whether it has a direction.
    a, b : str
        Names as shown.
    strength : float or None
        The score that is lost without it, if known.
    margin : float or None
        The direction margin, if known: the score that is lost with the edge turned.
    share : float
        Length of its bar, of 100.
    coefficient : tuple of float or None
        How much b rises with a, and its standard error, where all members agree on it.
    because : str
        In short, why it is directed or not.
    reasons : tuple of str
        The explanation, sentence by sentence.
    overfitted : bool
        Whether one of its columns has nearly as many parents as there are rows, so that its
        strength means nothing.
    knowledge, evidence : str
        As in `Strength`: what is known about its direction, and which evidence directs it.
    spark : Spark or None
        The effect of a on b as a small line, where the score has curves.
    """

    tail: int
    head: int
    directed: bool
    a: str
    b: str
    strength: float | None
    margin: float | None
    share: float
    coefficient: tuple[float, float] | None
    because: str
    reasons: tuple[str, ...]
    overfitted: bool
    knowledge: str = ""
    evidence: str = ""
    spark: Spark | None = None

    @property
    def key(self) -> str:
        """The edge as the drawing and the script name it."""
        return f"{self.tail}-{self.head}"

    @property
    def kind(self) -> str:
        """The word for its kind."""
        return "directed" if self.directed else "undirected"

    @property
    def mark(self) -> str:
        """The sign between the names."""
        return "→" if self.directed else "-"

    @property
    def text(self) -> str:
        """The edge in one piece, which a line does not break."""
        return unbroken(self.a, self.mark, self.b)

    @property
    def amount(self) -> str:
        """The strength as shown."""
        if self.strength is None:
            return ""
        text = amount(self.strength) if isfinite(self.strength) else "not measurable"
        return f"{text} (too few rows)" if self.overfitted else text

    @property
    def effect(self) -> str:
        """The coefficient as shown."""
        if self.coefficient is None:
            return ""
        value, error = self.coefficient
        return f"{'+' if value > 0.0 else ''}{amount(value)} ± {amount(error, 2)}"

    @property
    def against(self) -> str:
        """The direction margin as shown; a question mark where none was found in time."""
        if self.knowledge:
            return "known" if self.knowledge == "directs" else "–"
        if self.margin is None:
            return self.evidence or ("?" if self.directed and self.strength is not None else "")
        return amount(self.margin) if isfinite(self.margin) else "not measurable"

    @property
    def source(self) -> str:
        """What directs an edge that the class leaves undirected, as drawings mark it."""
        return "knowledge" if self.knowledge == "directs" else self.evidence

    @property
    def faint(self) -> bool:
        """Whether its arrow head is drawn faint."""
        return self.margin is not None and self.margin < WEAK_MARGIN


def unbroken(a: str, mark: str, b: str) -> str:
    """Return an edge as text that no line break parts at the mark."""
    # After a hyphen, a line may be broken even at a no-break space.
    bound = mark.replace("-", "-\N{WORD JOINER}")
    return f"{a}\N{NO-BREAK SPACE}{bound}\N{NO-BREAK SPACE}{b}"


def edge_rows(
    result: Result, shown: tuple[str, ...], strengths: Sequence[Strength] | None
) -> Iterator[EdgeRow]:
    """Yield the strongest edges of a result, at most `MOST_EDGES`.

    Without data they have no strength and no reasons, and come in the order of the columns.

    Parameters
    ----------
    result : Result
        The result.
    shown : tuple of str
        The names as shown, in the order of the columns.
    strengths : sequence of Strength or None
        Those of the result, None without data.
    """
    place = {name: i for i, name in enumerate(result.cpdag.names)}
    compelled = result.graph.reasons()
    listed = _listed(result, strengths)
    said = _said(result, listed)
    fitted = set(overfitted(result.n, result.graph.to_dag()))
    effects = _effects(result, fitted)
    sparks = _sparks(result)
    known = [loss for _, _, loss, *_ in listed if loss is not None and isfinite(loss)]
    sizes = [log1p(max(loss, 0.0)) for loss in known]
    most = max(sizes, default=0.0) or 1.0
    for (a, b, loss, margin, knowledge, evidence), sentences in zip(listed, said, strict=True):
        tail, head = place[a], place[b]
        reason = compelled.get((a, b))
        others = [] if reason is None else [shown[place[node]] for node in reason.nodes]
        yield EdgeRow(
            tail=tail,
            head=head,
            directed=reason is not None,
            a=shown[tail],
            b=shown[head],
            strength=loss,
            margin=margin,
            share=round(100.0 * min(log1p(max(loss or 0.0, 0.0)) / most, 1.0), 1),
            coefficient=effects.get((tail, head)),
            because=_OPEN
            if reason is None and result._dag is not None
            else in_brief(reason, shown[tail], shown[head], *others),
            reasons=sentences,
            overfitted=head in fitted or (reason is None and tail in fitted),
            knowledge=knowledge,
            evidence=evidence,
            spark=sparks.get((tail, head)),
        )


_Listed = tuple[str, str, float | None, float | None, str, str]
_OPEN = "open: both directions score about the same"


def _listed(result: Result, strengths: Sequence[Strength] | None) -> list[_Listed]:
    if strengths is None:
        pairs = result.graph.directed + result.graph.undirected
        known, shown = set(result.graph.known), result.graph.by_evidence
        return [
            (*edge, None, None, "directs" * (edge in known), shown.get(edge, ""))
            for edge in pairs[:MOST_EDGES]
        ]
    return [
        (edge.a, edge.b, edge.loss, edge.margin, edge.knowledge, edge.evidence)
        for edge in strengths[:MOST_EDGES]
    ]


def _sparks(result: Result) -> Mapping[tuple[int, int], Spark]:
    """Return the effects of edges as small lines, where members score differently."""
    if result._dag is None or not result.has_data:
        return {}
    from greedag.report.effects import sparks

    return sparks(result)


def _said(result: Result, listed: list[_Listed]) -> list[tuple[str, ...]]:
    """Return the sentences on each edge."""
    if not result.has_data:
        return [()] * len(listed)
    explained = explanations(result, [(a, b) for a, b, *_ in listed])
    return [tuple(explanation.sentences()) for explanation in explained]


def _effects(result: Result, fitted: set[int]) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the coefficients that are the same in every member, with their standard errors.

    These are the edges into columns without undirected edges, which have the same parents in every
    member; of them, not those of columns with nearly as many parents as rows.
    """
    place = {name: i for i, name in enumerate(result.cpdag.names)}
    cells = result.graph.to_matrix()
    varying = set(np.flatnonzero((cells & cells.T).sum(axis=0)).tolist()) | fitted
    try:
        found = result.coefficients()
    except DataError:  # No straight effects, too few rows, or units too extreme.
        return {}
    return {
        (place[edge.parent], place[edge.child]): (edge.value, edge.standard_error)
        for edge in found
        if place[edge.child] not in varying
    }
