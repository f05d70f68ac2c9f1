"""From what a caller says about the score to a score with the statistics that it needs."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from greedag._options import AS_IT_IS, DataOptions
from greedag.data.kinds import Kind, Kinds, kinds_of, stated_kinds
from greedag.data.names import UNNAMED
from greedag.data.rows import LoadedTable, SelectedRows, check_missing, select_rows
from greedag.data.source import MemorySource, Source, check_some, open_table
from greedag.data.weights import check_scaled
from greedag.errors import (
    DataError,
    DataTypeError,
    Note,
    OptionError,
    counted_rows,
    listed,
    option,
    quoted,
)
from greedag.scores.additive import AdditiveBIC
from greedag.scores.base import Option, Prepared, Score
from greedag.scores.bge import BGe
from greedag.scores.custom import Columns, CustomScore, is_custom
from greedag.scores.discrete import BDeu, DiscreteBIC
from greedag.scores.gaussian import LEAST_ALPHA, ExtendedBIC, GaussianBIC, alpha_by_size
from greedag.scores.mixed import ConditionalGaussian, DegenerateGaussian
from greedag.scores.penalty import ALONG_PATH, AUTO, checked_choice
from greedag.statistics.basis import BasisMoments
from greedag.statistics.levels import Levels
from greedag.statistics.mixed import MixedTable
from greedag.statistics.moments import Moments

if TYPE_CHECKING:
    from greedag.io.cells import Role

ScoreName = Literal[
    "auto",
    "gaussian-bic",
    "extended-bic",
    "bge",
    "discrete-bic",
    "bdeu",
    "degenerate-gaussian",
    "conditional-gaussian",
    "additive",
]
SCORES: dict[str, Any] = {
    kind.name: kind
    for kind in (
        *(GaussianBIC, ExtendedBIC, BGe),
        *(DiscreteBIC, BDeu),
        *(DegenerateGaussian, ConditionalGaussian, AdditiveBIC),
    )
}
# Scores cannot change, so that one of each with its usual options will do.
_usual: Callable[[Any], Score] = cache(lambda kind: kind())
STATISTICS = (Moments, Levels, MixedTable, BasisMoments, Columns)


def checked_score(score: object, alpha: float | str | None) -> Score | None:
    """Return the score that a caller asks for, None if it depends on the data.

    Parameters
    ----------
    score : str or score
        ``"auto"``, a name, a score with its options, or an object with ``local_score``.
    alpha : float or str, optional
        Weight of the penalty, or how to choose it, for names of scores that have one.

    Raises
    ------
    OptionError
        If there is no such score, or it has no alpha, or has its own.
    """
    weight = None if alpha is None else checked_choice(alpha)
    if isinstance(score, str):
        return None if score == "auto" else _named(score, weight)
    if is_custom(score):
        if weight not in (None, AUTO):
            raise OptionError(f"alpha must be left out for a custom score; got {alpha}")
        return CustomScore(score)
    if isinstance(score, type) and issubclass(score, Score):
        raise OptionError(f"score must be an object, such as {score.__name__}(), not its class")
    if not isinstance(score, Score):
        raise OptionError(
            f"score must be 'auto', one of {', '.join(SCORES)}, an object of greedag.scores, or "
            f"one with a method local_score(y, parents); got {quoted(score)}"
        )
    if isinstance(weight, str):
        raise OptionError(
            f"alpha must be left out or be a number of the score itself, as in "
            f"{type(score).__name__}(), or pass the score by name; got {quoted(alpha)}"
        )
    if weight is not None:
        raise OptionError(
            f"alpha must be given to the score itself, as in {type(score).__name__}(alpha={alpha}),"
            f" not beside it; got {quoted(alpha)}"
        )
    return score


def with_alpha(
    score: Score, prepared: Prepared, given: object, *, is_named: bool
) -> tuple[Score, Prepared]:
    """Return a score whose alpha is a number, and its statistics with a note if that is not 2.

    Scores with options, rather than names (`is_named`), keep their alpha; `given` is `learn`'s.
    """
    if given in ALONG_PATH:
        raise OptionError(
            f"alpha must be a number or 'auto' here, where nothing is searched; got {quoted(given)}"
        )
    if not is_named or given not in (None, AUTO) or not score.chooses_alpha:
        return score, prepared
    n, d = prepared.statistics.n, len(prepared.statistics.names)
    alpha = alpha_by_size(n, d)
    if alpha == LEAST_ALPHA:
        return score, prepared
    why = f"for {counted_rows(n)} rows of {d} columns: with 2, chance would add too many edges"
    note = Note(f"alpha {alpha:g} was chosen {why}", code="alpha", counts={"alpha": alpha})
    return score.with_alpha(alpha), replace(prepared, notes=(*prepared.notes, note))


def prepare(
    data: Any,
    score: Score | None,
    alpha: float | str | None = None,
    options: DataOptions = AS_IT_IS,
    *,
    is_batch: bool = False,
) -> tuple[Score, Prepared]:
    """Return the score to use, chosen by the kinds of the columns if it is None, and what it needs.

    Parameters
    ----------
    data : table, array_like of shape (n, d), path-like, or statistics of a table
    score : score or None
        What :func:`checked_score` returns.
    alpha : float or str, optional
        As `learn` is given it.
    options : DataOptions
        What the caller says about the table.
    is_batch : bool
        Whether the rows are added to earlier ones, so that one is enough.

    Raises
    ------
    OptionError
        If the kinds say something of a column that the score does not take it for.
    DataTypeError
        If the data are statistics, and not those that the score needs.
    """
    if isinstance(data, (str, os.PathLike, list, tuple)):
        from greedag.statistics.opening import is_file

        if is_file(data):
            data = loaded_for(score, data, options)
        elif not isinstance(data, str) and _have_targets(data):
            return _of_tables(data, score, alpha, options, is_batch)
    if isinstance(data, LoadedTable):
        return _of_file(data, score, alpha, options, is_batch)
    if isinstance(data, STATISTICS):
        check_missing(options.missing)
        return _of_statistics(data, score, alpha, options)
    if score is not None and score.needs is Columns:
        _check_own(options)
    opened = source = open_table(data, as_is=_drops_index(options.drop))
    read, targets = options, None
    notes: tuple[Note, ...] = ()
    if options.interventions is not None:
        from greedag.data.interventions import split_off

        source, read, targets = split_off(source, options)
    if options.drop is not None or options.na is not None or _is_name(options.sample_weight):
        from greedag.data.cleaning import cleaned

        source, read, notes = cleaned(source, read)
    rows = SelectedRows(source)
    weights, missing = read.sample_weight, options.missing
    if weights is not None or missing != "error":
        rows = select_rows(source, weights=weights, missing=missing)
    judging = rows.source
    try:
        judged = _judged(judging, score, read.kinds)
        if score is None:
            score, reasons = _for_kinds(set(judged), alpha, "some columns are discrete")
            notes = (*reasons, *notes)
        if missing != "error":
            score.check_missing(missing)
        if not is_batch:
            _check_size(rows, score)
        if options.transform is not None:
            rows, scales = _transformed(rows, score, judged, options.transform, is_batch)
            notes = (*notes, *scales)
        if targets is None:
            prepared = score.prepare(rows, judged)
        else:
            from greedag.scores.interventional import prepare_environments

            score, prepared = prepare_environments(score, rows, judged, targets, read.drop)
    except DataError as error:
        raise rows.located(error) from None
    return score, Prepared(
        prepared.statistics,
        prepared.has_own_names,
        (*notes, *_notes_of(opened, judging, rows.source), *rows.notes, *prepared.notes),
        {**_settings(options, read.drop, prepared.statistics), **prepared.settings},
        rows=prepared.rows or (rows,),
        kinds=judged,
    )


def _drops_index(drop: Any) -> bool:
    """Whether a caller drops the first column without a name that would be left out anyway."""
    names = () if drop is None or not isinstance(drop, (str, list, tuple)) else drop
    return any(name in UNNAMED for name in ([names] if isinstance(names, str) else names))


def _notes_of(*sources: Source) -> tuple[Note, ...]:
    """Return what tables have to note of themselves, though one may be made of another."""
    return tuple(dict.fromkeys(note for source in sources for note in source.notes))


def loaded_for(score: Score | None, data: Any, options: DataOptions, **how: Any) -> LoadedTable:
    """Open a table in files as a score takes it; see :func:`load_table` for how to read it."""
    takes = None if score is None else score.takes
    usual: Role = "open" if takes is None else "numbers" if takes == "continuous" else "levels"
    in_chunks = score is None or takes == "continuous" or score.needs is BasisMoments
    how.setdefault("in_chunks", in_chunks)
    from greedag.statistics.opening import load_table

    return load_table(data, usual=usual, options=options, **how)


def _of_file(
    loaded: LoadedTable,
    score: Score | None,
    alpha: float | str | None,
    options: DataOptions,
    is_batch: bool,
) -> tuple[Score, Prepared]:
    """Prepare a table that was read from files, which has seen to some of the options."""
    left = replace(
        options,
        kinds=loaded.kinds,
        missing=loaded.missing,
        sample_weight=loaded.weights,
        drop=None,
    )
    found, prepared = prepare(loaded.table, score, alpha, left, is_batch=is_batch)
    given, notes = options.sample_weight, prepared.notes
    if options.na is not None and loaded.markers:
        from greedag.data.cleaning import with_markers

        counts = {name: loaded.markers.get(name, 0) for name in loaded.names}
        notes = with_markers(notes, options.na, counts)
    settings = {
        **prepared.settings,
        "missing": options.missing,
        "sample_weight": given if given is None or _is_name(given) else True,
        "drop": (*loaded.dropped, *(prepared.settings["drop"] or ())) or None,
    }
    return found, replace(prepared, notes=notes, settings=settings, files=loaded.files)


def _have_targets(data: Any) -> bool:
    from greedag.data.interventions import are_tables_with_targets

    return are_tables_with_targets(data)


def _of_tables(
    pairs: Any, score: Score | None, alpha: float | str | None, options: DataOptions, is_batch: bool
) -> tuple[Score, Prepared]:
    """Prepare a list of (table, targets)."""
    from greedag.scores.experiments import prepare_tables

    def load(data: Any) -> LoadedTable:
        return loaded_for(score, data, options, in_chunks=False)

    def prepare_whole(data: Any, left: DataOptions) -> tuple[Score, Prepared]:
        return prepare(data, score, alpha, left, is_batch=is_batch)

    return prepare_tables(pairs, options, load, prepare_whole)


def _is_name(weights: object) -> bool:
    return isinstance(weights, str)


def _transformed(
    rows: SelectedRows, score: Score, judged: tuple[Kind, ...], transform: Any, is_batch: bool
) -> tuple[SelectedRows, tuple[Note, ...]]:
    from greedag.data import transforms

    given, names = transforms.checked_transform(transform), rows.source.names
    kinds = judged or (score.takes or "continuous",) * len(names)
    words = transforms.words_by_column(given, names, kinds)
    if is_batch and transforms.NORMAL_SCORES in words.values():
        raise OptionError(
            "normal scores are ranks among all rows, and partial_fit sees only some of them; fit "
            "on all rows, or transform them first"
        )
    rows = transforms.transformed(rows, words)
    return rows, ((transforms.note_on_transform(words),) if words else ())


def _check_own(options: DataOptions) -> None:
    for name in ("transform", "na"):
        if getattr(options, name) is not None:
            raise OptionError(
                f"{name} must be left out: a custom score reads its own rows; change them "
                f"there; got {quoted(getattr(options, name))}"
            )


def _settings(
    options: DataOptions, dropped: tuple[str, ...] | None, statistics: Any
) -> dict[str, Any]:
    """Return what was said about a table, as a result lists it: None where nothing was."""
    kinds, weights = getattr(statistics, "kinds", None), options.sample_weight
    transform, na = options.transform, options.na
    return {
        "kinds": None if kinds is None else dict(zip(statistics.names, kinds, strict=True)),
        "missing": options.missing,
        "sample_weight": weights if weights is None or _is_name(weights) else True,
        "drop": dropped,
        "transform": transform if transform is None or _is_name(transform) else dict(transform),
        "na": na if na is None else (na,) if isinstance(na, (str, int, float)) else tuple(na),
        "interventions": options.interventions if _is_name(options.interventions) else None,
    }


def _judged(source: Source, score: Score | None, kinds: Kinds | None) -> tuple[Kind, ...]:
    """Return the kinds of the columns, if they matter to the score."""
    if score is not None and (score.takes is not None or score.needs is Columns):
        if kinds is not None:
            _check_kinds(source, score, kinds)
        return ()
    found, are_unsure = zip(*source.judged, strict=True) if source.judged else ((), ())
    return found if kinds is None and not any(are_unsure) else kinds_of(source, kinds)


def _of_statistics(
    data: Any, score: Score | None, alpha: float | str | None, options: DataOptions
) -> tuple[Score, Prepared]:
    """Take statistics as they are, if the score needs such."""
    kind, kinds = type(data).__name__, options.kinds
    dropped: tuple[str, ...] = ()
    if options.drop is not None:
        data, dropped = _without(data, options.drop)
    for name in ("transform", "na", "interventions"):
        if getattr(options, name) is not None:
            raise DataError(
                f"{kind} has no rows, which {name} needs",
                remedy="pass the table itself",
                code="no-rows",
            )
    if options.sample_weight is not None:
        raise DataError(f"{kind} has no rows to weight; pass weights when creating it")
    notes: tuple[Note, ...] = ()
    if score is None:
        taken: set[Kind] = {"discrete" if isinstance(data, Levels) else "continuous"}
        if isinstance(data, MixedTable):
            taken = {"continuous", "discrete"}
        score, notes = _for_kinds(taken, alpha, "the data are a MixedTable")
        if isinstance(data, BasisMoments):
            score, notes = _named(AdditiveBIC.name, alpha), ()
    if kinds is not None:
        raise OptionError(
            f"kinds must be left out: {kind} knows the kinds of its columns; got {quoted(kinds)}"
        )
    _check_statistics(data, score, options.missing)
    prepared = score.prepared(data)
    settings = _settings(options, dropped or None, prepared.statistics)
    if isinstance(data, Levels) and data.missing:
        settings["missing"] = "test-wise"  # as they were counted
    return score, Prepared(prepared.statistics, False, (*notes, *prepared.notes), settings)


def _without(data: Any, drop: Any) -> tuple[Any, tuple[str, ...]]:
    """Return moments without some columns, and these; other statistics cannot do without."""
    from greedag.data.cleaning import checked_drop
    from greedag.io.tables import ColumnSelection

    if not isinstance(data, Moments):
        raise DataError(
            f"a column cannot be removed from {type(data).__name__}",
            remedy="drop columns of the table before it is counted",
            code="no-rows",
        )
    names = ColumnSelection(drop=checked_drop(drop)).chosen(data.names)
    from greedag.statistics.opening import selected

    return selected(data, names), tuple(name for name in data.names if name not in names)


def _check_statistics(data: Any, score: Score, missing: str) -> None:
    """Raise if statistics are not those that a score needs."""
    needed, kind = score.needs.__name__, type(data).__name__
    if not isinstance(data, score.needs) and score.needs is not Columns:
        raise DataTypeError(
            f"{score.name} needs a table or {needed}, got {kind}",
            remedy=f"pass the table itself or {needed}.from_data(table), or leave the score out",
            code="other-statistics",
        )
    if isinstance(data, Levels) and data.missing and missing in ("drop", "em"):
        raise OptionError(
            "missing must be left out or 'test-wise': these Levels keep rows with missing values; "
            "to drop such rows, create them with Levels.from_data(table, missing='drop'); "
            f"got {quoted(missing)}"
        )
    score.check_missing(missing)


def _check_size(rows: SelectedRows, score: Score) -> None:
    """Raise if there are no rows or no columns, or weights add up to too few rows."""
    least_n, least_d = score.least
    if isinstance(rows.source, MemorySource) and 0 in rows.source.shape:
        check_some(rows.source, least_n=least_n, least_d=least_d)
    if rows.weights is not None:
        check_scaled(rows.weights, least=least_n)


def _for_kinds(
    kinds: set[Kind], alpha: float | str | None, why_mixed: str
) -> tuple[Score, tuple[Note, ...]]:
    """Choose a score by the kinds of the columns, and say why."""
    if kinds == {"discrete"}:
        if alpha not in (None, AUTO):
            raise OptionError(
                "alpha must be left out: these columns are discrete, and BDeu has no alpha; pass ",
                option("score", "discrete-bic"),
                f" for a BIC with one; got {quoted(alpha)}",
            )
        why = "scored by BDeu, because all columns are discrete"
        return BDeu(), (Note(why, code="score-chosen"),)
    if "discrete" in kinds:
        why = f"scored by the degenerate Gaussian, because {why_mixed}"
        return _named(DegenerateGaussian.name, alpha), (Note(why, code="score-chosen"),)
    return _named(GaussianBIC.name, alpha), ()


def _check_kinds(source: Source, score: Score, kinds: Kinds) -> None:
    """Raise if a score takes columns for something else than the caller does."""
    if score.takes is None:
        raise OptionError(
            "kinds must be left out: a custom score knows what its columns hold; "
            f"got {quoted(kinds)}"
        )
    stated_kinds(kinds, source.names)
    said = {"all columns": kinds} if isinstance(kinds, str) else kinds
    odd = [name for name, kind in said.items() if kind != score.takes]
    if odd:
        raise OptionError(
            f"kinds contradicts the score for {listed(odd)}: {score.name} treats every column "
            f"as {score.takes}; leave kinds out, or choose another score"
        )


def restored(settings: Mapping[str, Option]) -> Score | None:
    """Return the score that the settings of a result describe, None if they name no known one."""
    kind = SCORES.get(str(settings.get("score", GaussianBIC.name)))
    if kind is None:
        return None
    stored = {**kind.before, **settings}
    fields = kind.__dataclass_fields__
    found: Score = kind(**{name: stored[name] for name in fields if name in stored})
    targets: Any = settings.get("interventions")
    if targets is None or not any(targets):
        return found
    from greedag.scores.interventional import Interventional

    return Interventional(found)


def _named(name: str, alpha: float | str | None) -> Score:
    kind = SCORES.get(name)
    if kind is None:
        near = difflib.get_close_matches(name.lower(), [*SCORES, "auto"], n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise OptionError(
            f"unknown score {quoted(name)}{hint}; choose one of auto, {', '.join(SCORES)}"
        )
    if alpha not in (None, AUTO) and "alpha" not in kind.__dataclass_fields__:
        raise OptionError(f"alpha must be left out: {name} has none; got {quoted(alpha)}")
    # What a word chooses depends on the data: see `with_alpha`.
    is_open = alpha is None or isinstance(alpha, str)
    found: Score = _usual(kind) if is_open else kind(alpha=alpha)
    return found
