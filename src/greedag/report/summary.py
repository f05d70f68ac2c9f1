"""A result in words: what was learned and what was not, by which score, and how to repeat it.

And as a curve: the score along the search. Names come in as they are shown; escaping them for HTML
is the template's part.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import platform
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from math import isfinite
from typing import Any

import numpy as np

from greedag._options import EXACT, RUN_OPTIONS, SEARCH_OPTIONS
from greedag.drawing.labels import amount, count, in_words, printable, ticks, whole
from greedag.errors import Note
from greedag.graph.mpdag import Matrix
from greedag.report.tables import EdgeRow, unbroken
from greedag.result.result import Operator, Result, data_of
from greedag.scores.base import Score
from greedag.scores.custom import CustomScore

_FEW, _LONGEST_LINE = 3, 88
# The best score of all is found within milliseconds from the moments of so many columns, or by
# looking at so many rows, once for each set of columns.
_QUICK_COLUMNS, _QUICK_ROWS = 12, 2e6


def learned(result: Result, edges: Sequence[EdgeRow], members: int | None) -> Iterator[str]:
    """Yield what was learned, first of all whether the search came to its end."""
    if result.stopped:
        yield (
            f"The search was stopped early ({result.stopped}). This is the best class "
            "found by then; a longer search may find a better one."
        )
    if result.settings.get("hold_out") is not None:
        from greedag.report.held_out import sentences

        yield from sentences(result)
    directed, undirected = len(result.graph.directed), len(result.graph.undirected)
    found = directed + undirected
    start = f"From {count(result.n, 'row')} of {count(result.cpdag.d, 'column')}, the search found "
    if not found:
        yield start + _no_edge(result)
        return
    yield f"{start}{count(found, 'edge')}: {directed:,} directed and {undirected:,} undirected."
    if result._dag is not None:
        from greedag.report.effects import members_left

        yield members_left(result, members)
    else:
        yield _members(members) if result.knowledge is None else _agreeing(result, members)
    if result.settings.get("interventions") is not None:
        from greedag.report.experiments import learned_by_experiments

        yield from learned_by_experiments(result)
    ranked = [edge for edge in edges if edge.strength is not None and not edge.overfitted]
    # Of few edges, strongest and weakest would overlap.
    if len(ranked) >= 2 * _FEW:
        yield f"The strongest edges are {_with_strengths(ranked[:_FEW])}."
    elif ranked:
        yield f"From strongest to weakest: {_with_strengths(ranked)}."


def not_learned(
    result: Result, edges: Sequence[EdgeRow], shown: Sequence[str], left_out: int
) -> Iterator[str]:
    """Yield what was not learned, and what limits the result."""
    yield from _undirected(result, shown)
    yield from _isolated(result.cpdag.to_matrix(), shown)
    ranked = [edge for edge in edges if edge.strength is not None]
    if len(ranked) >= 2 * _FEW and not left_out:
        weakest = ranked[-_FEW:][::-1]
        yield f"The weakest edges, which deserve the most doubt, are {_with_strengths(weakest)}."
    limits = ["causes outside the table", "cycles", *_facts(result).overlooks]
    yield f"Not considered: {in_words(limits)}."


def certainty(result: Result) -> str:
    """Say how sure it is that no graph scores higher."""
    gap = known_gap(result)
    if gap == 0.0:
        return f"Proven optimal: no graph{agreeing(result)} scores higher."
    no_graph = f" No graph{agreeing(result)}"
    bound = "" if gap is None else f"{no_graph} scores more than {amount(gap)} higher."
    if result.stopped:
        return (
            "The search was stopped early: a longer one may find a graph that scores "
            f"higher.{bound}"
        )
    if result.search == EXACT:
        return (
            "The search was exact, but the DAGs of one class need not all have the same score "
            f"here.{bound}"
        )
    return (
        "The search is greedy: it compares only some of all graphs, and its result is often, but "
        f"not always, the best.{bound}"
    )


def agreeing(result: Result) -> str:
    """Say of graphs that they agree with what is known, if anything is."""
    return "" if result.knowledge is None else " that agrees with what is known"


def known_gap(result: Result) -> float | None:
    """Return the gap of a result if it is known or quick to compute, else None."""
    if hasattr(result, "_gap") or _is_gap_quick(result):
        return result.gap if isfinite(result.gap) else None
    codes = {Note(note).code for note in result.notes}
    is_optimal = result.search == EXACT and not result.stopped and "unequal-members" not in codes
    return 0.0 if is_optimal and not is_own(result) else None


def _is_gap_quick(result: Result) -> bool:
    d = result.cpdag.d
    if not result.has_data or is_own(result) or d > _QUICK_COLUMNS:
        return False
    return result.moments is not None or result.n * 2**d <= _QUICK_ROWS


def _no_edge(result: Result) -> str:
    if result.stopped:
        return "no edge before it was stopped. This says nothing about the columns."
    return "no edge that would raise the score. Weaker relations may still exist."


def _agreeing(result: Result, members: int | None) -> str:
    """Say how many members agree with what is known, and what that directs."""
    known = len(result.graph.known)
    owed = f" {count(known, 'edge owes its', 'edges owe their')} direction to what is known."
    owed = owed if known else ""
    if members == 1:
        return f"Every direction is compelled or known: one member of the class agrees.{owed}"
    number = "Many" if members is None else whole(members)
    return (
        f"{number} members of the class agree with what is known: directed graphs that fit the "
        f"data equally well and differ only in the direction of the undirected edges.{owed}"
    )


def _members(members: int | None) -> str:
    if members == 1:
        return "Every direction is compelled: the class has a single member."
    return (
        f"The class has {whole(members or 0)} members: directed graphs that fit the data equally "
        "well and differ only in the direction of the undirected edges."
    )


def _with_strengths(edges: Sequence[EdgeRow]) -> str:
    return in_words([f"{edge.text} ({amount(edge.strength or 0.0)})" for edge in edges])


def _undirected(result: Result, shown: Sequence[str]) -> Iterator[str]:
    place = {name: i for i, name in enumerate(result.cpdag.names)}
    pairs = [unbroken(shown[place[a]], "-", shown[place[b]]) for a, b in result.graph.undirected]
    if pairs:
        one = "The direction of one edge is"
        what = one if len(pairs) == 1 else f"The directions of {len(pairs):,} edges are"
        yield f"{what} undetermined: {in_words(pairs)}."


def _isolated(cells: Matrix, shown: Sequence[str]) -> Iterator[str]:
    alone = np.flatnonzero(~(cells.any(axis=0) | cells.any(axis=1))).tolist()
    if 0 < len(alone) < len(cells):
        have = "column has" if len(alone) == 1 else "columns have"
        yield f"{len(alone):,} {have} no edge: {in_words([shown[i] for i in alone])}."


def settings_part(result: Result, when: datetime, version: str) -> dict[str, Any]:
    """Return the values of the section on settings."""
    given = result.settings
    limit = given.get("time_limit")
    rows = [
        ("Search", result.search),
        *_score_rows(result),
        ("Effort, seed", f"{given.get('effort', 0.0):g}, {given.get('seed', 0)}"),
        ("Time limit", "none" if limit is None else f"{limit} s"),
        ("Clique cap", str(given.get("clique_cap"))),
        ("Status", f"Stopped: {result.stopped}" if result.stopped else "Completed"),
        ("Score evaluations", f"{result.counts.get('score_evaluations', 0):,}"),
        ("Reading the data", _seconds(result, "moments")),
        ("Searching", _seconds(result, "search")),
        ("Fingerprint of the data", fingerprint(result)),
        *_held_out(result),
        ("greedag", version),
        ("Python, NumPy", f"{platform.python_version()}, {np.__version__}"),
        ("Report written", f"{when:%Y-%m-%d %H:%M} UTC"),
    ]
    return {"settings": rows, "python": _python(result), "shell": _shell(result)}


def _held_out(result: Result) -> list[tuple[str, str]]:
    if result.settings.get("hold_out") is None:
        return []
    from greedag.report.held_out import settings

    return settings(result)


def _seconds(result: Result, what: str) -> str:
    spent = result.timings.get(what)
    return "not known" if spent is None else f"{amount(spent, 2)} s"


def _score_of(result: Result) -> str:
    # Files from before there were other scores do not name it.
    return str(result.settings.get("score", "gaussian-bic"))


def _facts(result: Result) -> Score | type[Score]:
    """Return the score; only a custom one is not kept in a file."""
    return CustomScore if result.objective is None else result.objective


def effects(result: Result) -> str:
    """Say which forms of effects the score knows."""
    return _facts(result).effects


def score_in_words(result: Result) -> str:
    """Say what the score is."""
    options = ", ".join(f"{name} = {value}" for name, value in _options(result))
    here = (
        f" (here {options.replace('alpha', 'α').replace('gamma', 'γ').replace('_', ' ')})"
        if options
        else ""
    )
    return f"{_facts(result).in_words}{here}"


def _options(result: Result) -> list[tuple[str, str]]:
    return [
        (name, f"{value:g}" if isinstance(value, (int, float)) else str(value))
        for name, value in result.settings.items()
        if name not in ("score", *RUN_OPTIONS) and value is not None
    ]


def _score_rows(result: Result) -> list[tuple[str, str]]:
    if _score_of(result) == "gaussian-bic":
        return [("Penalty α", value) for _, value in _options(result)]
    named = [(name.replace("_", " ").capitalize(), value) for name, value in _options(result)]
    return [("Score", _score_of(result)), *named]


def fingerprint(result: Result) -> str:
    """Return a hash that shows whether two reports are about the same data.

    Numbers are rounded first: counted in another order of rows, or by another BLAS, they differ
    in their last digits, which changes the hash only by rare chance.
    """
    known = data_of(result)
    if known is None:
        return "not known"
    hashed = hashlib.sha256(json.dumps([known.n, *known.names]).encode("ascii"))
    for part in (known.log_variances, known.mixtures):
        # Adding 0 makes 0 of -0.
        hashed.update((np.round(part, 6) + 0.0).astype("<f8").tobytes())
    return hashed.hexdigest()


def _python(result: Result) -> str:
    """Return the call that repeats a result, on the table where it came from no file."""
    given, files = result.settings.get("sample_weight"), list(result.files)
    arguments = [repr(files[0]) if len(files) == 1 else repr(files) if files else "table"]
    if _are_tables(result):
        from greedag.report.experiments import tables_in_python

        arguments = [tables_in_python(result)]
    arguments += [f"search={result.search!r}", *_score_in_python(result)]
    arguments += [f"{name}={value!r}" for name, value in _given(result)]
    if given is not None:
        arguments.append("sample_weight=" + (repr(given) if isinstance(given, str) else "weights"))
    if result.knowledge is not None:
        from greedag.report.known import in_python

        arguments.append(in_python(result.knowledge))
    call = f"result = greedag.learn({', '.join(arguments)})"
    if len(call) > _LONGEST_LINE:
        call = "result = greedag.learn(\n    " + ",\n    ".join(arguments) + ",\n)"
    lines = ["import greedag", "", *_caveats(result), call, 'result.report("report.html")']
    return "\n".join(lines)


def _score_in_python(result: Result) -> list[str]:
    if is_own(result):
        return ["score=your_score"]
    if result.objective is not None and not _has_usual_prior(result):
        return [f"score=greedag.scores.{_of_each_column(result)!r}"]
    alpha = result.settings.get("alpha")
    return [f"score={_score_of(result)!r}", *([] if alpha is None else [f"alpha={alpha!r}"])]


def is_own(result: Result) -> bool:
    """Whether the score is a custom one."""
    return _score_of(result) == "custom"


def _of_each_column(result: Result) -> Any:
    return getattr(result.objective, "by_column", result.objective)


def _has_usual_prior(result: Result) -> bool:
    """Whether a score has the options that its name alone gives it, but for alpha."""
    if result.objective is None:
        return True
    given, usual = result.objective.options(), type(_of_each_column(result))().options()
    return all(given[name] == usual[name] for name in given if name != "alpha")


def _shell(result: Result) -> str:
    """Return the command that repeats a result; none takes a custom score."""
    if is_own(result):
        return ""
    if not _has_usual_prior(result) or _are_tables(result):
        score = "lists of tables" if _are_tables(result) else _of_each_column(result)
        return f"# The command has no option for {score}; repeat it in Python."
    files = [f"./{file}" if file.startswith("-") else file for file in result.files]
    words = ["greedag", "learn", *(files or ["table.csv"]), "--search", result.search]
    words += ["--score", _score_of(result)]
    if result.settings.get("alpha") is not None:
        words += ["--alpha", repr(result.settings["alpha"])]
    for name, value in _given(result):
        words += [f"--{name.replace('_', '-')}", _in_shell(value)]
    lines, weights = _caveats(result), _weights_column(result)
    if result.knowledge is not None:
        from greedag.report.known import in_shell

        options, hints = in_shell(result.knowledge)
        words, lines = words + options, lines + hints
    if weights is not None:
        words += ["--weights", weights]
        if weights != result.settings.get("sample_weight"):
            lines.append(f"# The column {weights} of the table holds the weights of its rows.")
    # Quoted, because a result may come from a file that someone else wrote.
    return "\n".join([*lines, shlex.join([*words, "--report", "report.html"])])


def _in_shell(value: Any) -> str:
    """Return the value of an option as the command line reads it: lists as lines of CSV."""
    if isinstance(value, dict):
        value = [f"{name}={word}" for name, word in value.items()]
    if not isinstance(value, (list, tuple)):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(value)
    return line.getvalue()


def _weights_column(result: Result) -> str | None:
    """Return the column that holds the weights, under a name of ours if they came beside it."""
    given = result.settings.get("sample_weight")
    if given is None or isinstance(given, str):
        return given
    names = ("weight", *(f"weight{number}" for number in range(2, result.cpdag.d + 3)))
    return next(name for name in names if name not in result.cpdag.names)


def _are_tables(result: Result) -> bool:
    return isinstance(result.settings.get("interventions"), tuple)


def _caveats(result: Result) -> list[str]:
    if any(note.code == "continued" for note in map(Note, result.notes)):
        return ["# Learned in batches by partial_fit; all rows at once may give another class."]
    return []


def _given(result: Result) -> list[tuple[str, Any]]:
    """Return the options to be passed again, beside the score and the weights."""
    settings = result.settings
    given = [(name, settings.get(name)) for name in SEARCH_OPTIONS]
    kinds, missing = settings.get("kinds"), settings.get("missing", "error")
    one = set(kinds.values()) if kinds else set()
    given.append(("kinds", one.pop() if len(one) == 1 else kinds and dict(kinds)))
    given.append(("missing", None if missing == "error" else missing))
    for name in ("drop", "na"):
        given.append((name, settings.get(name) and list(settings[name])))
    transform = settings.get("transform")
    given.append(("interventions", None if _are_tables(result) else settings.get("interventions")))
    given.append(("transform", transform if isinstance(transform, str) else dict(transform or {})))
    return [(name, value) for name, value in given if value is not None and value != {}]


WIDTH, HEIGHT = 640, 280
LEFT, RIGHT, TOP, BOTTOM = 100, 20, 44, 50
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
            for step in ticks(0, len(scores) - 1, 6)
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
