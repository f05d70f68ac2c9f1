"""The score along the search, as a drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from greedag.drawing.labels import amount, count, in_words, printable, ticks
from greedag.result.result import Operator, Result

WIDTH, HEIGHT = 860, 300
LEFT, RIGHT, TOP, BOTTOM = 96, 16, 24, 44
_MOST_POINTS = 1500
# With more steps than this, marks of inserts would cover the line.
_MOST_MARKED = 150


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on an axis, in pixels."""

    place: float
    label: str


@dataclass(frozen=True, slots=True)
class Mark:
    """One operator on the line."""

    kind: str
    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class TracePlot:
    """All that the template draws; lengths in pixels."""

    line: str
    marks: tuple[Mark, ...]
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def trace_plot(result: Result) -> TracePlot | None:
    """Return the plot of a result's trace; None if there is no step to show."""
    if not result.trace:
        return None
    scores = scores_along(result)
    low, high = _range(scores)

    def place(step: int) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * step / (len(scores) - 1)
        y = TOP + (HEIGHT - TOP - BOTTOM) * (high - scores[step]) / (high - low)
        return round(x, 1), round(y, 1)

    return TracePlot(
        line="M" + "L".join(f"{x} {y}" for x, y in map(place, _shown_steps(len(scores)))),
        marks=tuple(_marks(result, place)),
        across=tuple(
            Tick(place(int(step))[0], f"{int(step):,}")
            for step in ticks(0, len(scores) - 1, 8)
            if step == int(step)
        ),
        upward=tuple(
            Tick(round(TOP + (HEIGHT - TOP - BOTTOM) * (high - y) / (high - low), 1), label)
            for y, label in _labelled(ticks(low, high, 5))
        ),
    )


def scores_along(result: Result) -> list[float]:
    """Return the score before the first step and after each."""
    start = result.score - sum(operator.gain for operator in result.trace)
    return list(accumulate((operator.gain for operator in result.trace), initial=start))


def steps_in_words(trace: Sequence[Operator]) -> str:
    """Say how many operators of each kind a trace holds."""
    kinds = ((k, sum(o.kind == k for o in trace)) for k in ("insert", "delete", "reverse"))
    parts = [count(number, _NOUNS[kind]) for kind, number in kinds if number]
    return in_words(parts)


_NOUNS = {"insert": "insert", "delete": "delete", "reverse": "reversal"}


def _range(scores: list[float]) -> tuple[float, float]:
    low, high = min(scores), max(scores)
    margin = 0.04 * (high - low) or 1.0
    return low - margin, high + margin


def _shown_steps(number: int) -> Iterator[int]:
    """Yield steps, the first and the last among them, at most about `_MOST_POINTS`."""
    stride = -(-number // _MOST_POINTS)
    yield from range(0, number - 1, stride)
    yield number - 1


def _marks(result: Result, place: Callable[[int], tuple[float, float]]) -> Iterator[Mark]:
    few = len(result.trace) <= _MOST_MARKED
    marked = [(s, o) for s, o in enumerate(result.trace, start=1) if few or o.kind != "insert"]
    if len(marked) <= 4 * _MOST_MARKED:
        for step, operator in marked:
            x, y = place(step)
            text = f"step {step}: {_said(operator, result.cpdag.names)}"
            yield Mark(operator.kind, x, y, text)


def _said(operator: Operator, names: Sequence[str]) -> str:
    if operator.kind != "reverse":
        return operator.describe(names)
    x, y = printable(names[operator.x]), printable(names[operator.y])
    return f"reverse {y} → {x} to {x} → {y} (gain {operator.gain:.6g})"


def _labelled(values: list[float]) -> list[tuple[float, str]]:
    """Return values with labels that have the digits needed to tell neighbours apart."""
    step = values[1] - values[0] if len(values) > 1 else 1.0
    if step >= 1.0:
        return [(value, f"{value:,.0f}".replace("-", "−")) for value in values]
    return [(value, amount(value, 6)) for value in values]
