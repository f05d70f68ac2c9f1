"""Classes and results as JSON documents.

Both formats name the columns and list the edges in the same fields, ``names``, ``directed`` and
``undirected``, so that whoever wants the graph can read either. A result has, beside them, all that
`Result` holds but the data; of these only a fingerprint is kept, to recognise them by. Evidence
and the best DAG, if there are any, are lists of records and of arcs, ``evidence`` and ``dag``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from greedag._options import (
    ALL_SEARCHES,
    DATA_OPTIONS,
    RUN_OPTIONS,
    DataOptions,
    as_real,
    checked_clique_cap,
    checked_effort,
    checked_hold_out,
    checked_seed,
    checked_time_limit,
)
from greedag.data.kinds import KINDS
from greedag.data.rows import MISSING, LoadedTable
from greedag.data.source import open_table
from greedag.data.transforms import WORDS
from greedag.errors import (
    DataError,
    GreedagError,
    Note,
    OptionError,
    Spelled,
    only_python,
    quoted,
    quoted_path,
)
from greedag.graph.cpdag import CPDAG, checked_member
from greedag.graph.mpdag import MAX_COLUMNS_READ, MPDAG, Matrix
from greedag.graph.orientation import EVIDENCE, Evidence
from greedag.io.atomic import FilePath
from greedag.io.checked_json import document, load_document, malformed, save_document
from greedag.result.result import Operator, ReadOnlyDict, Result, data_of
from greedag.scores.base import Prepared, Score, Statistics
from greedag.scores.select import STATISTICS, loaded_for, prepare, restored
from greedag.statistics.fingerprint import Fingerprint, difference
from greedag.statistics.opening import is_file

if TYPE_CHECKING:
    from greedag.graph.knowledge import Knowledge

GRAPH, RESULT = {"greedag graph": 1}, {"greedag result": 4}
# What holds neither evidence nor a best DAG can be read by whoever knows this version.
_WITHOUT_EVIDENCE = 3
_ABOUT_DATA = Spelled(
    "kinds, missing, sample_weight, drop, transform, na and interventions",
    "--kinds, --missing, --weights, --transform and --na",
)
_SAME_ROWS = ", and its rows in the same order and form, file or table, to be split as they were"
# None of what can be said about data, so that all is taken from a result.
_AS_RECORDED = DataOptions(missing=None)
_STOPS = ("", "time limit", "interrupt")
_KINDS = ("insert", "delete", "reverse")
_LIMITS = {"score", *RUN_OPTIONS}


def save_graph(path: FilePath, cpdag: MPDAG, more: Mapping[str, object] | None = None) -> None:
    """Write a class to a JSON file, whole or not at all.

    Parameters
    ----------
    path : path-like
        The file; one that exists is replaced.
    cpdag : CPDAG
        The class.
    more : mapping, optional
        Further fields, for others to read: greedag itself ignores them.
    """
    save_document(path, graph_record(cpdag) | dict(more or {}))


def result_document(result: Result) -> str:
    """Return the text that :func:`save_result` writes."""
    return document(_result_record(result))


def save_result(path: FilePath, result: Result) -> None:
    """Write a result; see :meth:`Result.save`."""
    save_document(path, _result_record(result))


def load_result(path: FilePath, data: Any = None, said: DataOptions = _AS_RECORDED) -> Result:
    """Read a result; see :meth:`Result.load`."""
    result = _result(path, load_document(path, RESULT))
    if data is None:
        if any(getattr(said, name) is not None for name in DATA_OPTIONS):
            raise OptionError(_ABOUT_DATA, " describe data; pass data= too")
        return result
    if result.objective is None:
        score = quoted(result.settings.get("score"))
        raise DataError(
            f"the result in {quoted_path(path)} was scored by {score}, which greedag cannot "
            "recreate",
            remedy="leave out data=",
        )
    data, options = as_recorded(result, data, said)
    # Where rows come from experiments, the score of each column.
    score_of_column: Any = getattr(result.objective, "by_column", None) or result.objective
    found, prepared = prepare(data, score_of_column, None, options)
    if result.settings.get("hold_out") is not None:
        from greedag.scores.hold_out import split_again

        prepared = split_again(found, prepared, result.settings, result.fingerprint)
    return _attached(path, result, prepared)


def as_recorded(result: Result, data: Any, said: DataOptions) -> tuple[Any, DataOptions]:
    """Return the data, and what was said about them: now, or when the result was learned."""
    if isinstance(data, STATISTICS):
        return data, replace(said, missing=said.missing or "error")
    options = recorded(result, said)
    if is_file(data):
        # Whatever was left out is left out again.
        from greedag.io.tables import ColumnSelection

        keep = ColumnSelection(keep=result.cpdag.names) if said.drop is None else None
        return loaded_for(result.objective, data, options, columns=keep), options
    if not isinstance(data, LoadedTable) and said.drop is None and options.drop is not None:
        data = open_table(data)
        options = replace(options, drop=[n for n in options.drop if n in data.names])
    return data, options


def recorded(result: Result, said: DataOptions) -> DataOptions:
    """Return what is said about the data of a result; what is not, as its settings have it."""
    known = {name: result.settings.get(name) for name in DATA_OPTIONS}
    if known["sample_weight"] is True:
        known["sample_weight"] = None
    if not isinstance(known["interventions"], str):
        known["interventions"] = None
    given = {name: getattr(said, name) for name in DATA_OPTIONS}
    both = {name: known[name] if given[name] is None else given[name] for name in DATA_OPTIONS}
    return DataOptions(**{**both, "missing": both["missing"] or "error"})


def _attached(path: FilePath, result: Result, prepared: Prepared) -> Result:
    statistics: Statistics = prepared.statistics
    fingerprint = statistics.fingerprint()
    if result.fingerprint is None or fingerprint is None:
        raise DataError(f"{quoted_path(path)} was saved without a fingerprint of its data")
    apart = difference(result.fingerprint, fingerprint) or _apart_in_score(result, statistics)
    if apart:
        raise DataError(
            f"the result in {quoted_path(path)} was learned from other data ({apart})",
            remedy=(
                "pass the table that it was learned from, with the same ",
                _ABOUT_DATA,
                "" if prepared.held_out is None else _SAME_ROWS,
                only_python(", or leave out data="),
            ),
            code="other-data",
        )
    return replace(result, statistics=statistics, held_out=prepared.held_out)


def _apart_in_score(result: Result, statistics: Statistics) -> str:
    """Say so if the class has another score on the data: a score may use their means too."""
    assert result.objective is not None
    total = result.objective.bind(statistics, check=False).of_dag(result.best_dag)
    # Logarithms of variances agree to within the tolerance of a fingerprint, column by column.
    rounding = 1e-6 * result.n * result.cpdag.d
    if math.isclose(total, result.score, rel_tol=1e-6, abs_tol=rounding):
        return ""
    return f"the class scores {total:.10g} on them, not {result.score:.10g}"


def graph_record(cpdag: MPDAG) -> dict[str, object]:
    """Return the fields of a class."""
    (name, version), *_ = GRAPH.items()
    record = {
        "format": name,
        "version": version,
        "names": cpdag.names,
        "directed": cpdag.directed,
        "undirected": cpdag.undirected,
    }
    # All arrows of an MPDAG may be taken for a DAG, of which the class is meant.
    is_class = isinstance(cpdag, CPDAG) or cpdag == cpdag.cpdag
    return record if is_class else record | {"kind": MPDAG.__name__}


def _result_record(result: Result) -> dict[str, object]:
    (name, version), *_ = RESULT.items()
    known, evidence = data_of(result), _evidence_record(result)
    return graph_record(result.graph) | {
        "format": name,
        "version": version if evidence else _WITHOUT_EVIDENCE,
        "score": result.score,
        "search": result.search,
        "settings": dict(result.settings),
        "n": result.n,
        "stopped": result.stopped,
        "notes": [note_record(note) for note in map(Note, result.notes)],
        "counts": dict(result.counts),
        "timings": dict(result.timings),
        "trace": [[op.kind, op.x, op.y, op.T, op.E, op.F, op.gain] for op in result.trace],
        "files": result.files,
        "knowledge": None if result.knowledge is None else result.knowledge.to_dict(),
        **evidence,
        "log_variances": None if known is None else known.log_variances,
        "mixtures": None if known is None else known.mixtures,
    }


def _evidence_record(result: Result) -> dict[str, object]:
    """Return evidence and the best DAG; nothing if there is neither."""
    if not result.evidence and result._dag is None:
        return {}
    names = result.cpdag.names
    arcs = [(names[i], names[j]) for i, j in np.argwhere(result.best_dag)]
    return {
        "evidence": [asdict(found) for found in result.evidence],
        "dag": None if result._dag is None else arcs,
    }


def matrix_of(path: FilePath, record: dict[str, Any]) -> tuple[tuple[str, ...], Matrix]:
    """Return the names and the matrix in the fields of a class or a result."""
    names = _strings(path, record, "names")
    if len(names) > MAX_COLUMNS_READ:
        raise malformed(path, f"more than {MAX_COLUMNS_READ} columns are not read")
    places = {name: i for i, name in enumerate(names)}
    matrix = np.zeros((len(names), len(names)), dtype=np.uint8)
    for field, both in (("directed", False), ("undirected", True)):
        for edge in _list(path, record, field):
            match edge:
                case [str(a), str(b)] if a in places and b in places:
                    i, j = places[a], places[b]
                    if matrix[i, j] or matrix[j, i]:
                        raise malformed(path, f"{quoted(a)} and {quoted(b)} have two edges")
                    matrix[i, j], matrix[j, i] = 1, both or i == j
                case _:
                    raise _wrong(path, field)
    return names, matrix


def _graph(path: FilePath, record: dict[str, Any]) -> MPDAG:
    names, matrix = matrix_of(path, record)
    is_class = record.get("knowledge") is None and not record.get("evidence")
    kind = CPDAG if is_class else MPDAG
    try:
        return kind.from_matrix(matrix, names)
    except DataError as error:
        raise malformed(path, str(error)) from error


def _directing(
    path: FilePath, record: dict[str, Any], graph: MPDAG
) -> tuple[Knowledge | None, tuple[Evidence, ...]]:
    """Return knowledge and evidence; the graph must show no more and no less of them."""
    knowledge = _knowledge(path, record)
    evidence = tuple(_evidence(path, found) for found in record.get("evidence") or ())
    try:
        shown = MPDAG.from_cpdag(graph.cpdag, knowledge=knowledge, evidence=evidence)
    except GreedagError as error:
        raise malformed(path, str(error)) from error
    if shown != graph:
        lead = "evidence leads" if knowledge is None else "knowledge leads"
        lead = "knowledge and evidence lead" if knowledge is not None and evidence else lead
        raise malformed(path, f"its edges are not those that its {lead} to")
    return knowledge, evidence


def _knowledge(path: FilePath, record: dict[str, Any]) -> Knowledge | None:
    said = record.get("knowledge")
    if said is None:
        return None
    if not isinstance(said, dict):
        raise _wrong(path, "knowledge")
    from greedag.graph.knowledge import knowledge_of

    try:
        return knowledge_of(said)
    except GreedagError as error:
        raise malformed(path, str(error)) from error


def _evidence(path: FilePath, found: object) -> Evidence:
    match found:
        case {
            "tail": str(tail),
            "head": str(head),
            "kind": str(kind),
            "margin": margin,
            "targets": [*targets],
            "is_proven": bool(is_proven),
        } if kind in EVIDENCE and (margin is None or _is_finite(margin)):
            if all(isinstance(among, list) and _are_words(among) for among in targets):
                sets = tuple(map(tuple, targets))
                return Evidence(tail, head, kind, margin, sets, is_proven)
    raise _wrong(path, "evidence")


def _dag(path: FilePath, record: dict[str, Any], graph: MPDAG) -> bytes | None:
    """Return the cells of the best DAG, which must be a member of the graph."""
    if record.get("dag") is None:
        return None
    arcs = {"names": list(graph.names), "directed": record["dag"], "undirected": []}
    try:
        return checked_member(graph, matrix_of(path, arcs)[1]).tobytes()
    except DataError as error:
        raise malformed(path, str(error)) from error


def _result(path: FilePath, record: dict[str, Any]) -> Result:
    graph = _graph(path, record)
    cpdag = graph.cpdag
    n = _number(path, record, "n")
    settings = _settings(path, record)
    if n < 1 or ("score" not in settings and "alpha" not in settings):
        raise malformed(path, "its number of rows or its alpha is out of range")
    try:
        objective = restored(settings)
        checked_time_limit(settings.get("time_limit"))
        checked_effort(settings.get("effort"), "xges", 0.0)
        checked_seed(settings.get("seed", 0))
        checked_clique_cap(settings.get("clique_cap"))
        checked_hold_out(settings.get("hold_out"))
    except OptionError as error:
        raise malformed(path, str(error)) from error
    _check_keys(path, settings, objective)
    stopped = record.get("stopped")
    search = record.get("search")
    if stopped not in _STOPS or search not in ALL_SEARCHES:
        raise malformed(path, "its search or how it stopped is unknown")
    knowledge, evidence = _directing(path, record, graph)
    return Result(
        cpdag=cpdag,
        score=float(_number(path, record, "score")),
        search=search,
        settings=ReadOnlyDict(settings),
        n=n,
        trace=tuple(_operator(path, entry, cpdag.d) for entry in _list(path, record, "trace")),
        timings=ReadOnlyDict(_timings(path, record)),
        counts=ReadOnlyDict(_table(path, record, "counts")),
        notes=tuple(note_of(path, note) for note in _list(path, record, "notes")),
        stopped=stopped,
        objective=objective,
        fingerprint=_fingerprint(path, record, n, cpdag.names),
        files=_strings(path, record, "files") if "files" in record else (),
        knowledge=knowledge,
        evidence=evidence,
        _dag=_dag(path, record, graph),
    )


def note_record(note: Note) -> dict[str, object]:
    """Return the fields of a note."""
    return {"text": note, "code": note.code, "columns": note.columns, "counts": note.counts}


def note_of(path: FilePath, note: object) -> Note:
    """Return the note that a record in a file holds."""
    match note:
        case str(text):  # As files from before notes had fields hold them.
            return Note(text)
        case {"text": str(text), "code": str(code), "columns": [*columns], "counts": dict(counts)}:
            words, numbers = [*columns, *counts], counts.values()
            if all(isinstance(word, str) for word in words) and all(map(_is_finite, numbers)):
                return Note(text, code=code, columns=columns, counts=counts)
    raise _wrong(path, "notes")


def _timings(path: FilePath, record: dict[str, Any]) -> dict[str, Any]:
    timings = _table(path, record, "timings")
    if not timings.keys() >= {"moments", "search"}:
        raise _wrong(path, "timings")
    return timings


def _operator(path: FilePath, entry: object, d: int) -> Operator:
    def is_node(value: object) -> bool:
        return type(value) is int and 0 <= value < d

    match entry:
        case [str(kind), int(x), int(y), list(T), list(E), list(F), float(gain)] if (
            kind in _KINDS
            and x != y
            and math.isfinite(gain)
            and all(map(is_node, (x, y, *T, *E, *F)))
        ):
            return Operator(kind, x, y, tuple(T), tuple(E), tuple(F), gain)
    raise _wrong(path, "trace")


def _fingerprint(
    path: FilePath, record: dict[str, Any], n: float, names: tuple[str, ...]
) -> Fingerprint | None:
    if record.get("log_variances") is None:
        return None
    logs, mixtures = (tuple(_list(path, record, field)) for field in ("log_variances", "mixtures"))
    for field, values in (("log_variances", logs), ("mixtures", mixtures)):
        if len(values) != len(names) or not all(_is_finite(value) for value in values):
            raise _wrong(path, field)
    return Fingerprint(n, names, tuple(map(float, logs)), tuple(map(float, mixtures)))


def _strings(path: FilePath, record: dict[str, Any], field: str) -> tuple[str, ...]:
    values = _list(path, record, field)
    if not _are_words(values):
        raise _wrong(path, field)
    return tuple(values)


def _are_words(values: Sequence[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _list(path: FilePath, record: dict[str, Any], field: str) -> list[Any]:
    values = record.get(field)
    if not isinstance(values, list):
        raise _wrong(path, field)
    return values


def _number(path: FilePath, record: dict[str, Any], field: str) -> float | int:
    value = record.get(field)
    if not _is_finite(value):
        raise _wrong(path, field)
    return value  # type: ignore[return-value]


def _table(path: FilePath, record: dict[str, Any], field: str) -> dict[str, Any]:
    values = record.get(field)
    if not isinstance(values, dict) or not all(map(_is_finite, values.values())):
        raise _wrong(path, field)
    return values


def _settings(path: FilePath, record: dict[str, Any]) -> dict[str, Any]:
    values = record.get("settings")
    if not isinstance(values, dict):
        raise _wrong(path, "settings")
    about_data = {name: values.pop(name) for name in DATA_OPTIONS if name in values}
    for value in values.values():
        if not (value is None or isinstance(value, str) or _is_finite(value)):
            raise _wrong(path, "settings")
    return values | {name: _about_data(path, name, about_data[name]) for name in about_data}


def _about_data(path: FilePath, name: str, value: object) -> object:
    """Return what a file says about its data, in the shape that `learn` gives it."""
    if value is None and name != "missing":
        return None
    match name, value:
        case "kinds", dict() if set(value.values()) <= set(KINDS):
            return ReadOnlyDict(value)
        case "missing", str() if value in MISSING:
            return value
        case "sample_weight", True | str():
            return value
        case "drop", [*names] if all(isinstance(name, str) for name in names):
            return tuple(names)
        case "transform", str() if value in WORDS:
            return value
        case "transform", dict() if set(value.values()) <= set(WORDS):
            return ReadOnlyDict(value)
        case "interventions", str():
            return value
        case "interventions", [*tables]:
            sets = [targets for targets in tables if isinstance(targets, list)]
            if len(sets) == len(tables) and all(map(_are_words, sets)):
                return tuple(map(tuple, sets))
        case "na", [*markers] if all(isinstance(m, str) or _is_finite(m) for m in markers):
            return tuple(markers)
    raise _wrong(path, "settings")


def _check_keys(path: FilePath, settings: dict[str, Any], objective: Score | None) -> None:
    """Raise for settings that no search has; of a score that is not known, they must be words."""
    options = settings.keys() - _LIMITS
    known = set(filter(str.isidentifier, options)) if objective is None else objective.options()
    if not options <= set(known):
        raise malformed(path, "its settings are not those of its score")


def _is_finite(value: object) -> bool:
    # JSON has whole numbers of any length, which a double need not hold.
    return type(value) in (int, float) and math.isfinite(as_real(value))


def _wrong(path: FilePath, field: str) -> Exception:
    return malformed(path, f"its field {field!r} holds something unexpected")
