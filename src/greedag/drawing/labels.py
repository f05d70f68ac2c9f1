"""Names, numbers and edges as people read them, in a terminal, a drawing or a report."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.uint8]
Edge = tuple[int, int]

# A direction with a margin below this is called weakly supported.
WEAK_MARGIN = 5.0

# Letters and symbols that Unicode counts as printable and fonts show as nothing.
_BLANK = dict.fromkeys(map(ord, "\u115f\u1160\u2800\u3164\uffa0"), " ")
# Widths in em, rounded up from fonts that run wide, so that a label fits its box in any of them.
_WIDTHS = {
    0.36: " ',-./:;I\\fijl|",
    0.42: "!()[]rt",
    0.54: '"*?_`szJ',
    0.66: "$0123456789EFKLPSTYabcdeghknopquvxy{}",
    0.78: "&ABCDGHNRUVXZ",
    0.88: "#+<=>MOQ^w~→",
    1.02: "%@Wm…",
}
# The most characters shown for each unit of width.
_CHARACTERS = 4
_EM = {character: width for width, characters in _WIDTHS.items() for character in characters}


def printable(text: str) -> str:
    """Escape whatever could move the cursor, break the line or hide in a terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def label(name: str) -> str:
    """Return a name as one visible line: control characters escaped, blank names quoted."""
    shown = printable(name)
    return shown if shown.translate(_BLANK).strip() else f"'{shown}'"


def labels(names: Sequence[str], most: float, width: Callable[[str], float]) -> tuple[str, ...]:
    """Return all names shortened to a width, and distinct even where their ends are equal.

    Parameters
    ----------
    names : sequence of str
        Distinct names.
    most : float
        The widest that a label may be.
    width : callable
        How wide a text is, in the same unit.
    """
    shown = [shortened(label(name), most, width) for name in names]
    times = Counter(shown)
    return tuple(
        text if times[text] == 1 else _numbered(text, i, most, width)
        for i, text in enumerate(shown)
    )


def shortened(text: str, most: float, width: Callable[[str], float]) -> str:
    """Cut the middle out of a text that is wider than `most`: names often differ at the end."""
    # Marks that take no width are bounded by their number.
    if len(text) <= _CHARACTERS * most and width(text) <= most:
        return text
    room = most - width("…")
    tail = _fitting(text[::-1], room * 0.4, width)[::-1]
    return _fitting(text, room - width(tail), width) + "…" + tail


def em_width(text: str) -> float:
    """Return about how wide a text is in a proportional sans-serif font, in em."""
    return sum(_em(character) for character in text)


def cell_width(text: str) -> int:
    """Return how many cells a text takes in a terminal."""
    return sum(_cells(character) for character in text)


def padded(text: str, cells: int) -> str:
    """Return a text with blanks behind it, up to a width in cells of a terminal."""
    return text + " " * (cells - cell_width(text))


def _numbered(text: str, index: int, most: float, width: Callable[[str], float]) -> str:
    number = f" [{index}]"
    return shortened(text, most - width(number), width) + number


def _fitting(text: str, most: float, width: Callable[[str], float]) -> str:
    """Return the longest beginning that is no wider than `most`."""
    taken = 0.0
    text = text[: int(_CHARACTERS * most)]
    for end, character in enumerate(text):
        taken += width(character)
        if taken > most:
            return text[:end]
    return text


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _em(character: str) -> float:
    return _EM.get(character) or (0.0, 0.8, 1.3)[_cells(character)]


def in_words(items: Sequence[str], most: int = 8) -> str:
    """Return a list in words: ``a, b and c``; long lists are shortened."""
    parts = list(items[:most])
    if len(items) > most:
        parts.append(f"{len(items) - most:,} more")
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


def count(number: float, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 edge``, ``1,200 edges``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def whole(number: int) -> str:
    """Return a whole number of any size: all its digits, or its order of magnitude.

    Examples
    --------
    >>> whole(1234567), whole(3 * 10**20)
    ('1,234,567', 'about 3.0 × 10^20')
    """
    if number < 10**12:
        return f"{number:,}"
    # Of very large whole numbers Python refuses the digits, never the logarithm.
    first, power = _scientific(math.log10(number), 1)
    return f"about {first} × 10^{power}"


def amount(number: float, digits: int = 3) -> str:
    """Return a number to so many significant digits; before the point, all are kept.

    Examples
    --------
    >>> amount(12345.6), amount(1.23456), amount(0.00001234)
    ('12,346', '1.23', '1.23e-05')
    """
    if not math.isfinite(number):
        return str(number)
    size, sign = abs(number), "−" if number < 0.0 else ""
    if size != 0.0 and not 1e-4 <= size < 1e9:
        return f"{sign}{size:.{digits - 1}e}"
    before = math.floor(math.log10(size)) + 1 if size else 1
    return f"{sign}{size:,.{max(0, digits - before)}f}"


def amount_of_log(log: float) -> str:
    """Return the exponential of a number, however far it is beyond the range of a double."""
    if abs(log) < 600.0:
        return amount(math.exp(log))
    first, power = _scientific(log / math.log(10.0), 2)
    return f"{first}e{power:+d}"


def _scientific(log10: float, digits: int) -> tuple[str, int]:
    """Return 10**log10 as a number from 1 to 10, with so many decimals, and a power of ten."""
    power = math.floor(log10)
    first = f"{10.0 ** (log10 - power):.{digits}f}"
    # Rounding may make 10.0 of 9.99.
    return (first, power) if len(first) == digits + 2 else (f"{1:.{digits}f}", power + 1)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers that divide [low, high] into at most `most` parts.

    Examples
    --------
    >>> ticks(3.0, 47.0, 5)
    [10.0, 20.0, 30.0, 40.0]
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


class Graph(Protocol):
    """What is drawn, such as a `CPDAG`: columns, and edges as a matrix of zeros and ones.

    `known` are the directed edges, as tail and head, that rest on knowledge, `by_evidence` those
    that rest on evidence, each with its kind; the class alone leaves them undirected.
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def known(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def by_evidence(self) -> Mapping[tuple[str, str], str]: ...
    def to_matrix(self) -> Matrix: ...
    def to_dag(self) -> Matrix: ...


class Valued(Protocol):
    """An edge with its strength, as ``result.strengths()`` lists them."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def loss(self) -> float: ...
    @property
    def margin(self) -> float | None: ...
    @property
    def knowledge(self) -> str: ...
    @property
    def evidence(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Row:
    """One edge: tail → head, or tail - head with the smaller column first.

    Attributes
    ----------
    tail, head : int
        Columns by index.
    directed : bool
        Whether the edge points the same way in every member.
    loss : float or None
        The strength, if known.
    margin : float or None
        The direction margin, if known.
    knowledge : str
        As in `Strength`: what is known beforehand about its direction.
    evidence : str
        As in `Strength`: the kind of evidence that directs it.
    """

    tail: int
    head: int
    directed: bool
    loss: float | None
    margin: float | None = None
    knowledge: str = ""
    evidence: str = ""

    @property
    def mark(self) -> str:
        """The sign between the two names."""
        return "→" if self.directed else "-"


def rows(graph: Graph, strengths: Iterable[Valued] | None = None) -> list[Row]:
    """Return all edges: strongest first; without strengths, directed ones first."""
    valued = list(strengths or ())
    known, margin = losses(graph, valued), margins(graph, valued)
    said = {(a, b): (e.knowledge, e.evidence) for a, b, e in _placed(graph, valued)}
    cells = graph.to_matrix().astype(bool)
    found = [
        Row(
            int(i),
            int(j),
            directed,
            known.get((min(i, j), max(i, j))),
            margin.get((i, j)),
            *said.get((i, j), ("", "")),
        )
        for directed, mask in ((True, cells & ~cells.T), (False, np.triu(cells & cells.T)))
        for i, j in np.argwhere(mask)
    ]
    return sorted(found, key=lambda row: math.inf if row.loss is None else -row.loss)


def losses(graph: Graph, strengths: Iterable[Valued] | None) -> dict[Edge, float]:
    """Return the known strengths by columns, the smaller column first."""
    placed = _placed(graph, strengths)
    return {(min(a, b), max(a, b)): float(edge.loss) for a, b, edge in placed}


def margins(graph: Graph, strengths: Iterable[Valued] | None) -> dict[Edge, float]:
    """Return the known direction margins by tail and head."""
    placed = _placed(graph, strengths)
    return {(a, b): float(edge.margin) for a, b, edge in placed if edge.margin is not None}


def sources(graph: Graph) -> dict[tuple[str, str], str]:
    """Return what directs each directed edge that the class alone leaves undirected."""
    return {**dict.fromkeys(graph.known, "knowledge"), **graph.by_evidence}


def _placed(graph: Graph, strengths: Iterable[Valued] | None) -> Iterator[tuple[int, int, Valued]]:
    """Yield edges between columns of the graph, with the places of these."""
    index = {name: i for i, name in enumerate(graph.names)}
    for edge in strengths or ():
        a, b = index.get(edge.a), index.get(edge.b)
        if a is not None and b is not None:
            yield a, b, edge
