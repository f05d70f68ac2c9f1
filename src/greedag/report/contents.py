"""All that the template shows, gathered from a result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from greedag.drawing.labels import em_width, labels
from greedag.drawing.svg import STYLE, draw
from greedag.graph.cpdag import CPDAG, printable
from greedag.report import settings
from greedag.report import summary as words
from greedag.report.column_table import column_table
from greedag.report.columns import ColumnSummary, overfitted, summarise, warnings
from greedag.report.edges import EdgeRow, edge_rows
from greedag.report.numbers import amount, count, whole
from greedag.report.score_plot import scores_along, steps_in_words, trace_plot
from greedag.result.explain import Strength
from greedag.result.result import Result, score_phrase
from greedag.statistics.levels import Levels

# Beyond these a drawing of the whole graph cannot be read.
MOST_COLUMNS_DRAWN, MOST_EDGES_DRAWN = 100, 400
# Beyond this, names and columns are left out of lists, so that the file stays small.
MOST_COLUMNS_LISTED = 500
_TEXT_EM, _BOX_EM = 40.0, 13.0
# The script draws into it.
_EMPTY_DRAWING = f'<svg class="greedag" viewBox="0 0 1 1"><style>{STYLE}</style></svg>'
_SECTIONS = (
    ("summary", "Summary"),
    ("graph", "Graph"),
    ("edges", "Edges"),
    ("search", "Score"),
    ("columns", "Data"),
    ("reading", "How to read it"),
    ("reproduce", "Settings"),
)


def contents(result: Result, *, title: str, when: datetime, version: str) -> dict[str, Any]:
    """Return the values that the template names, without style and script."""
    graph = result.cpdag
    shown = labels(graph.names, _TEXT_EM, em_width)
    strengths = result.strengths() if result.has_data else None
    edges = list(edge_rows(result, shown, strengths))
    left_out = len(graph.directed) + len(graph.undirected) - len(edges)
    members = graph.size()
    return {
        "title": printable(title) or f"Causal graph of {count(graph.d, 'column')}",
        "facts": [
            count(graph.d, "column"),
            count(result.n, "row"),
            f"search {result.search}, {score_phrase(result.settings)}".replace("alpha ", "α = "),
            f"{when:%Y-%m-%d}",
        ],
        "sections": _SECTIONS,
        "score": settings.score_in_words(result),
        "is_gaussian": settings.is_gaussian(result),
        "stopped": result.stopped,
        "figures": list(_figures(result, members)),
        "learned": list(words.learned(result, edges, members)),
        "not_learned": list(words.not_learned(result, edges, shown, left_out)),
        "labels": shown,
        "suggested": shown[:MOST_COLUMNS_LISTED],
        "edges": edges,
        "with_strength": bool(edges) and result.has_data,
        "with_effect": any(edge.coefficient for edge in edges),
        "edge_notes": list(_edge_notes(result, edges, left_out)),
        "search_notes": list(_search_notes(result)),
        "trace": trace_plot(result),
        **_graph_part(result, edges, shown, left_out, strengths),
        **_data_part(result, shown),
        **settings.settings_part(result, when, version),
        "version": version,
    }


def _figures(result: Result, members: int) -> Iterator[dict[str, str]]:
    for name, value in (
        ("Columns", f"{result.cpdag.d:,}"),
        ("Rows", f"{result.n:,}"),
        ("Directed edges", f"{len(result.cpdag.directed):,}"),
        ("Undirected edges", f"{len(result.cpdag.undirected):,}"),
        ("Members of the class", whole(members)),
        ("Score", amount(result.score, 6)),
    ):
        yield {"name": name, "value": value}


def _graph_part(
    result: Result,
    edges: Sequence[EdgeRow],
    shown: tuple[str, ...],
    left_out: int,
    strengths: Sequence[Strength] | None,
) -> dict[str, Any]:
    graph = result.cpdag
    drawn_whole = graph.d <= MOST_COLUMNS_DRAWN and len(edges) <= MOST_EDGES_DRAWN
    start = _most_joined(graph)
    return {
        "svg": draw(graph, strengths=strengths) if drawn_whole else _EMPTY_DRAWING,
        "whole": drawn_whole,
        "graph_notes": list(_graph_notes(drawn_whole, shown[start], left_out)),
        "data": {
            "names": graph.names,
            "labels": shown,
            "boxes": labels(graph.names, _BOX_EM, em_width),
            "edges": [
                {"from": edge.tail, "to": edge.head, "directed": edge.directed} for edge in edges
            ],
            "amounts": [edge.amount for edge in edges],
            "reasons": [edge.reasons for edge in edges],
            "whole": drawn_whole,
            "start": start,
        },
    }


def _graph_notes(drawn_whole: bool, start: str, left_out: int) -> Iterator[str]:
    if not drawn_whole:
        yield (
            "The whole graph would be too dense to read, so that this shows one column and all "
            f"that it is joined to, first {start}, which has the most edges. Find another column, "
            "or click on one, to go there."
        )
    if left_out:
        yield f"{left_out:,} edges are left out here, as in the table below."


def _edge_notes(result: Result, edges: Sequence[EdgeRow], left_out: int) -> Iterator[str]:
    if not edges:
        yield "There are none."
        return
    if not result.has_data:
        yield (
            "This result was loaded without data, so that strengths and the summary of the data "
            "are missing. Load it with Result.load(path, data=table) and write the report again."
        )
    else:
        yield "Strength is the score that is lost without the edge. Its bars are logarithmic."
    if any(edge.coefficient for edge in edges):
        yield (
            "The coefficient, with its standard error, says by how much the second column rises "
            "when the first rises by 1 and all other columns with an edge into it stay. It is "
            "given where all members of the class agree on it."
        )
    if left_out:
        what = "strongest" if result.has_data else "first"
        yield f"The {len(edges):,} {what} edges are listed; {left_out:,} are left out of this file."


def _search_notes(result: Result) -> Iterator[str]:
    if not result.trace:
        yield _no_step(result)
        return
    scores = scores_along(result)
    yield (
        f"From {amount(scores[0], 6)} without edges to {amount(scores[-1], 6)} in "
        f"{count(len(result.trace), 'step')}: {steps_in_words(result.trace)}."
    )
    if "search" in result.timings:
        yield f"The search took {amount(result.timings['search'], 2)} s."
    losses = {operator.kind for operator in result.trace if operator.gain < 0}
    if losses & {"delete", "reverse"}:
        yield (
            "Where the line falls, an edge was taken out on trial; what followed made up for it."
        )
    elif losses:
        yield (
            "The graph was found by refining, and the steps build it edge by edge. Where the line "
            "falls, an edge pays only with those that follow."
        )


def _no_step(result: Result) -> str:
    if result.stopped:
        return f"The search was stopped ({result.stopped}) before its first step."
    if result.cpdag.d == 1:
        return "With one column there is no step to try."
    if result.search == "exact":
        return "All graphs were compared, without steps: none scores higher."
    return "No step that could be tried raised the score of the graph without edges."


def _most_joined(graph: CPDAG) -> int:
    cells = graph.to_matrix()
    return int(np.argmax((cells | cells.T).sum(axis=0)))


def _data_part(result: Result, shown: tuple[str, ...]) -> dict[str, Any]:
    moments = result.moments
    if moments is None:
        note = "The data are not part of this result, so that nothing can be said about them here."
        if isinstance(result.statistics, Levels):
            note = f"{count(len(result.statistics.counts), 'distinct row')} of discrete columns."
        part: dict[str, Any] = {"warnings": [], "data_notes": [note]}
        return part | {"columns": [], "with_mean": False, "with_inflation": False}
    summary = summarise(moments)
    fitted = overfitted(result.n, result.cpdag.to_dag())
    found = list(warnings(moments, summary, shown, fitted))
    return {
        "warnings": found,
        "data_notes": list(_data_notes(summary, found, result.cpdag.d)),
        "with_mean": summary.mean is not None,
        "with_inflation": summary.inflation is not None,
        "columns": column_table(result.cpdag, summary, shown, MOST_COLUMNS_LISTED),
    }


def _data_notes(summary: ColumnSummary, found: list[str], d: int) -> Iterator[str]:
    if found:
        yield "What calls for care is said in the summary."
    else:
        yield "Nothing in the number of rows, the spreads or the correlations calls for care."
    if summary.inflation is None:
        yield (
            "Variance inflation is left out: it takes more rows than columns, and is computed for "
            "at most 2,000 columns."
        )
    else:
        yield (
            "Variance inflation is 1 / (1 − R²) of a column regressed on all others: 1 if it has "
            "nothing in common with them. From 10 on it deserves attention."
        )
    if d > MOST_COLUMNS_LISTED:
        yield f"Only the first {MOST_COLUMNS_LISTED:,} of {d:,} columns are listed."
