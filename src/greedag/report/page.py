"""From a result to the file: gather what the template shows, render it, write it.

The page holds its style, script and data. Its policy names the style and the script by their
hashes and forbids everything else, so that nothing that came in with the data could be loaded or
run even if it escaped its escaping.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timezone
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from greedag import __version__
from greedag._options import EXACT
from greedag._progress import LOGGER
from greedag.drawing.labels import WEAK_MARGIN, amount, count, em_width, labels, printable, whole
from greedag.drawing.layout import SOURCES, layout
from greedag.drawing.svg import STYLE as DRAWING_STYLE
from greedag.drawing.svg import draw, opacity
from greedag.errors import DataError, Note, OptionError, require
from greedag.graph.mpdag import MPDAG
from greedag.io.atomic import write_text_atomic
from greedag.report import summary, tables
from greedag.report.levels import levels_part
from greedag.report.summary import scores_along, steps_in_words, trace_plot
from greedag.report.tables import EdgeRow, edge_rows
from greedag.result.coefficients import units_in_words, units_of
from greedag.result.edges import Strength
from greedag.result.result import Result, score_phrase
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable

if TYPE_CHECKING:
    from greedag.effects.check_records import ModelCheck
    from greedag.report.sure import FoundEdge
    from greedag.uncertainty.shares import Stability

STYLES = ("page.css", "graph.css", "print.css")
# In this order: each uses what stands before it.
SCRIPTS = (
    *("base.js", "panel.js", "canvas.js", "near.js", "graph.js", "tables.js"),
    *("changes.js", "start.js"),
)
# Beyond these a drawing of the whole graph cannot be read.
MOST_COLUMNS_DRAWN, MOST_EDGES_DRAWN = 100, 400
_TEXT_EM, _BOX_EM = 40.0, 13.0
# Width over height of the place that the graph has on a wide screen.
_SHAPE = 1.6
# Notes on how the search went, which no reader of the edges needs; all others are warnings.
_OF_THE_RUN = frozenset(
    [
        *("time-limit", "interrupt", "refined", "clique-cap", "trial-cap", "refused"),
        *("continued", "score-chosen", "not-proven", "distributed", "transform", "na", "fix"),
        *("knowledge", "orders", "interventions"),
    ]
)
# The script draws into it.
_EMPTY_DRAWING = f'<svg class="greedag" viewBox="0 0 1 1"><style>{DRAWING_STYLE}</style></svg>'
_SECTIONS = (
    ("summary", "Summary"),
    ("graph", "Graph"),
    ("known", "What was known"),
    ("edges", "Edges"),
    ("sure", "How sure?"),
    ("changes", "Effects"),
    ("check", "Does it fit?"),
    ("search", "Score"),
    ("columns", "Data"),
    ("reading", "How to read it"),
    ("reproduce", "About this run"),
)


def write_report(
    result: Result,
    path: str | os.PathLike[str],
    *,
    title: str = "",
    stability: Stability | None = None,
    effects: bool = True,
    check: ModelCheck | None = None,
) -> None:
    """Write a report; see :meth:`Result.report`."""
    started, when = time.perf_counter(), datetime.now(timezone.utc)
    page = render(result, title=title, when=when, stability=stability, effects=effects, check=check)
    write_text_atomic(path, page)
    LOGGER.info("wrote the report %s in %.3f s", path, time.perf_counter() - started)


def render(
    result: Result,
    *,
    title: str,
    when: datetime,
    stability: Stability | None = None,
    effects: bool = True,
    check: ModelCheck | None = None,
) -> str:
    """Return the page; for the same arguments always the same text."""
    if not isinstance(title, str):
        raise OptionError(
            f"title must be text, not {type(title).__name__}; leave it out for the default"
        )
    jinja2 = require("jinja2", "report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    values = contents(
        result,
        title=title,
        when=when,
        version=__version__,
        stability=stability,
        effects=effects,
        check=check,
    )
    sheet, code = style(), script()
    # What is no text, or escaped already, passes the template as it is.
    trusted = {
        "svg": values["svg"],
        "fit_svg": values["fit_svg"],
        "data": json_block(values["data"]),
        "style": sheet,
        "script": code,
    }
    markup = require("markupsafe", "report").Markup
    values |= {name: markup(block) for name, block in trusted.items()}
    values["policy"] = policy(styles=[sheet, DRAWING_STYLE], scripts=[code])
    return str(environment.get_template("page.html").render(values))


def contents(
    result: Result,
    *,
    title: str,
    when: datetime,
    version: str,
    stability: Stability | None = None,
    effects: bool = True,
    check: ModelCheck | None = None,
) -> dict[str, Any]:
    """Return the values that the template names, without style and script."""
    graph = result.graph
    shown = labels(graph.names, _TEXT_EM, em_width)
    strengths = result.strengths() if result.has_data else None
    edges = list(edge_rows(result, shown, strengths))
    left_out = len(graph.directed) + len(graph.undirected) - len(edges)
    members, gap = _members(graph), _gap(result)
    data_part = _data_part(result, shown)
    about = summary.settings_part(result, when, version)
    known, sure = _known_part(result), _sure_part(result, stability, edges, shown)
    changes = _changes_part(result, shown, effects)
    fit = _fit_part(result, check)
    there = {
        "known": bool(known["known"]),
        "sure": sure["sure"],
        "changes": bool(changes["change_notes"]),
        "check": fit["fit"],
    }
    graph_part = _graph_part(result, edges, shown, left_out, strengths, sure["shares"])
    if changes["changes"]:
        graph_part["data"]["changes"] = changes["changes"]
    return {
        "title": printable(title) or f"Causal graph of {count(graph.d, 'column')}",
        "facts": [
            count(graph.d, "column"),
            count(result.n, "row"),
            f"search {result.search}, {score_phrase(result.settings)}".replace("alpha ", "α = "),
            f"{when:%Y-%m-%d}",
        ],
        "sections": [part for part in _SECTIONS if there.get(part[0], True)],
        **known,
        **sure,
        **changes,
        **fit,
        "of_dag": result._dag is not None,
        "score": summary.score_in_words(result),
        "effects": summary.effects(result),
        "certainty": summary.certainty(result),
        "own_score": summary.is_own(result),
        "stopped": result.stopped,
        "figures": list(_figures(result, members, gap)),
        "learned": list(summary.learned(result, edges, members)),
        "not_learned": list(summary.not_learned(result, edges, shown, left_out)),
        "labels": shown,
        "suggested": shown[: tables.MOST_LISTED],
        "edges": edges,
        "kinds": {edge.kind for edge in edges},
        "with_strength": bool(edges) and result.has_data,
        "with_margin": any(
            edge.margin is not None or edge.knowledge or edge.evidence for edge in edges
        ),
        "marks": {edge.source: SOURCES[edge.source] for edge in edges if edge.source},
        "with_spark": any(edge.spark for edge in edges),
        "with_effect": any(edge.coefficient for edge in edges),
        "weak_margin": f"{WEAK_MARGIN:g}",
        "with_faint": any(edge.faint for edge in edges),
        "number": _script_number,
        "edge_notes": list(_edge_notes(result, edges, left_out)),
        "search_notes": list(_search_notes(result)),
        "trace": trace_plot(result),
        **graph_part,
        **data_part,
        "warnings": [*_notes(result, of_the_run=False), *data_part["warnings"]],
        "run_notes": list(_notes(result, of_the_run=True)),
        **about,
        "settings": [*about["settings"], (_scored(result), amount(result.score, 6))],
        "version": version,
    }


def _data_part(result: Result, shown: tuple[str, ...]) -> dict[str, Any]:
    if result._dag is not None and result.statistics is not None:
        from greedag.report.effects import data_part

        part = data_part(result, shown)
    else:
        has_levels = isinstance(result.statistics, (Levels, MixedTable))
        part = levels_part(result, shown) if has_levels else tables.data_part(result, shown)
    # A property of no column takes no room.
    known = {
        f"with_{field.name}": any(getattr(row, field.name) for row in part["columns"])
        for field in fields(tables.ColumnRow)
    }
    return part | known


def _known_part(result: Result) -> dict[str, Any]:
    if result.knowledge is None:
        return {"known": []}
    from greedag.report.known import known_part

    return known_part(result)


def _sure_part(
    result: Result, stability: Stability | None, edges: Sequence[EdgeRow], shown: tuple[str, ...]
) -> dict[str, Any]:
    if stability is None:
        return {"sure": False, "shares": {}}
    from greedag.report.sure import sure_part

    return sure_part(result, stability, edges, shown)


def _changes_part(result: Result, shown: tuple[str, ...], wanted: bool) -> dict[str, Any]:
    if not wanted:
        return {"changes": {}, "change_rows": [], "change_notes": []}
    from greedag.report.changes import changes_part

    return changes_part(result, shown)


def _fit_part(result: Result, check: ModelCheck | None) -> dict[str, Any]:
    if check is None:
        return {"fit": False, "fit_svg": ""}
    from greedag.report.fit import fit_part

    return fit_part(result, check)


def _members(graph: MPDAG) -> int | None:
    """Return the number of members, None where they are too hard to count."""
    try:
        return graph.size()
    except DataError:
        return None


def _notes(result: Result, *, of_the_run: bool) -> Iterator[str]:
    """Yield the notes of a result as sentences."""
    for note in map(Note, result.notes):
        if (note.code in _OF_THE_RUN) == of_the_run:
            yield printable(note[:1].upper() + note[1:]).rstrip(".") + "."


def _figures(result: Result, members: int | None, gap: float) -> Iterator[dict[str, str]]:
    for name, value in (
        ("Columns", f"{result.cpdag.d:,}"),
        ("Rows", f"{result.n:,}"),
        ("Directed edges", f"{len(result.graph.directed):,}"),
        ("Undirected edges", f"{len(result.graph.undirected):,}"),
        (
            "Members of the class" if result.graph is result.cpdag else "Members that agree",
            "not counted" if members is None else whole(members),
        ),
        *_optimality(result, gap),
    ):
        yield {"name": name, "value": value}


def _optimality(result: Result, gap: float) -> Iterator[tuple[str, str]]:
    """Yield how good the class is: against all graphs if that is known, else against no edges."""
    if gap == 0.0:
        yield "Optimality", "proven"
    elif np.isfinite(gap):
        yield "Optimality gap", f"at most {amount(gap)}"
    elif result.trace:
        yield "Gain over no edges", amount(sum(operator.gain for operator in result.trace))


def _gap(result: Result) -> float:
    """Return the optimality gap, infinity where it is not known."""
    # A custom score may take long, and of many columns the bound is too rough to help.
    is_slow = result.settings.get("score") == "custom" or result.cpdag.d > MOST_COLUMNS_DRAWN
    if is_slow and not hasattr(result, "_gap"):
        return np.inf
    try:
        return result.gap
    except DataError:
        return np.inf


def _graph_part(
    result: Result,
    edges: Sequence[EdgeRow],
    shown: tuple[str, ...],
    left_out: int,
    strengths: Sequence[Strength] | None,
    shares: Mapping[str, FoundEdge],
) -> dict[str, Any]:
    graph = result.graph
    drawn_whole = graph.d <= MOST_COLUMNS_DRAWN and len(edges) <= MOST_EDGES_DRAWN
    start = _best_connected(graph)
    return {
        "svg": _drawing(graph, strengths, shares) if drawn_whole else _EMPTY_DRAWING,
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
            "margins": ["" if edge.knowledge else edge.against for edge in edges],
            "faint": [place for place, edge in enumerate(edges) if edge.faint],
            "marks": {place: edge.source for place, edge in enumerate(edges) if edge.source},
            "reasons": [edge.reasons for edge in edges],
            "whole": drawn_whole,
            "start": start,
            **_found(edges, shares),
        },
    }


def _found(edges: Sequence[EdgeRow], shares: Mapping[str, FoundEdge]) -> dict[str, Any]:
    """Return what the script shows of draws, nothing where there are none."""
    if not shares:
        return {}
    found = [shares[edge.key] for edge in edges]
    return {
        "opacities": [opacity(edge.adjacent) for edge in found],
        "found": [edge.text for edge in found],
    }


def _drawing(
    graph: MPDAG, strengths: Sequence[Strength] | None, shares: Mapping[str, FoundEdge]
) -> str:
    found = {edge.ends: edge.adjacent for edge in shares.values()} or None
    return draw(graph, layout(graph, _SHAPE), strengths=strengths, shares=found)


def _graph_notes(drawn_whole: bool, start: str, left_out: int) -> Iterator[str]:
    if not drawn_whole:
        yield (
            "The whole graph would be too dense to read, so this shows one column and those "
            f"adjacent to it, starting with {start}, which has the most edges. Find another "
            "column, or "
            "click on one, to go there."
        )
    if left_out:
        yield f"{left_out:,} edges are left out here, as in the table below."


def _edge_notes(result: Result, edges: Sequence[EdgeRow], left_out: int) -> Iterator[str]:
    if not edges:
        yield "There are no edges."
        return
    if not result.has_data:
        yield _without_data(result)
    else:
        yield "Strength is the score lost by removing the edge. The bars are logarithmic."
    if any(edge.margin is not None for edge in edges):
        what = "class" if result._dag is None else "DAG"
        yield (
            f"The direction margin is the score lost by the best {what} found with the edge "
            "turned. Where it is small, the direction is doubtful, however strong the edge."
        )
    if any(edge.knowledge for edge in edges):
        yield (
            "Where the margin reads known, what was known directs the edge, and the data alone "
            "leave its direction open; where it is a dash, both say the same."
        )
    if any(edge.evidence for edge in edges):
        from greedag.report.effects import EVIDENCE_NOTES

        yield from (EVIDENCE_NOTES[kind] for kind in sorted({e.evidence for e in edges} - {""}))
    if any(edge.spark for edge in edges):
        yield (
            "The small line is the effect of the first column on the second over the range of the "
            "first, from its smallest to its largest value; the shade is a 95 % band. Where the "
            "edge is undirected, it is that of the best DAG. result.curve draws one with axes."
        )
    if any(edge.coefficient for edge in edges):
        yield (
            "The coefficient, with its standard error, says by how much the second column rises "
            "when the first rises by 1 and its other parents stay the same. It is given where all "
            "members of the class agree on it."
        )
        units = units_of(result)
        if units:
            yield f"Units of transformed columns: {units_in_words(units)}."
    if left_out:
        what = "strongest" if result.has_data else "first"
        yield f"The {len(edges):,} {what} edges are listed; {left_out:,} are left out of this file."


def _without_data(result: Result) -> str:
    missing = "so strengths and the summary of the data are missing"
    if result.objective is None:
        return (
            "This result was loaded from a file, which cannot hold your own score, "
            f"{missing}. Write the report from the result that learn returned."
        )
    return (
        f"This result was loaded without data, {missing}. Load it with "
        "Result.load(path, data=table) and write the report again."
    )


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
            "Where the line falls, an edge was deleted on trial; later steps more than made up "
            "for it."
        )
    elif losses and result.knowledge is not None and result.knowledge.required:
        yield "Required edges come first, whatever they cost."
    elif losses:
        yield (
            "A refinement step improved the result; the plot shows an equivalent edge-by-edge "
            "construction. Where the line "
            "falls, an edge pays off only together with later ones."
        )


def _no_step(result: Result) -> str:
    if result.stopped:
        return f"The search was stopped ({result.stopped}) before its first step."
    if result.cpdag.d == 1:
        return "With one column there is no step to try."
    if result.search == EXACT:
        return "The search was exact and took no steps."
    if result._dag is not None:
        return "The search went from DAG to DAG, of which no steps are kept."
    return "No valid step raised the score of the graph without edges."


def _scored(result: Result) -> str:
    return "Score of the class" if result._dag is None else "Score of the best DAG"


def _script_number(number: float | None) -> str:
    """Return a number as a script reads it."""
    if number is None:
        return ""
    return repr(number) if np.isfinite(number) else "Infinity"


def _best_connected(graph: MPDAG) -> int:
    cells = graph.to_matrix()
    return int(np.argmax((cells | cells.T).sum(axis=0)))


def asset(name: str) -> str:
    """Return the text of a file of this package."""
    return resources.files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def style() -> str:
    """Return the style sheet of the page."""
    return "\n".join(map(asset, STYLES))


def script() -> str:
    """Return the script of the page; its files share one scope that nothing else can reach."""
    return '"use strict";\n(() => {\n' + "\n".join(map(asset, SCRIPTS)) + "})();\n"


def policy(*, styles: list[str], scripts: list[str]) -> str:
    """Return a Content-Security-Policy under which only these inline blocks take effect."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {' '.join(map(_hash, styles))}",
            f"script-src {' '.join(map(_hash, scripts))}",
            # The empty icon, without which browsers ask a server for one.
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def json_block(record: Any) -> str:
    """Return JSON that can stand in a script element, whatever text it holds.

    Beside what is not ASCII (line separators, lone surrogates), the signs that begin or end
    markup are written as escapes, which JSON reads back as the same text.
    """
    text = json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _hash(block: str) -> str:
    digest = hashlib.sha256(block.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
