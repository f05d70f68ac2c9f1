"""Column names as they are shown: on one line, of bounded width, distinct, never blank."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from greedag.graph.cpdag import printable

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
