"""Rows that are held out: they do not choose the graph, and effects are estimated on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from greedag.errors import DataError, Note, argument, counted_rows, only_python
from greedag.scores.base import Prepared, Score
from greedag.scores.blocks import blocks_of
from greedag.scores.custom import Columns
from greedag.statistics.fingerprint import Fingerprint, difference

CODE = "hold-out"


def with_held_out(score: Score, prepared: Prepared, share: float, seed: int) -> Prepared:
    """Return the statistics of some rows, to learn from, with those of all others held out.

    Rows are drawn after whatever was said about the table: those with missing values may have been
    dropped, and columns transformed. The rows of each environment are split on their own. The same
    rows, in the same order and from the same kind of source, are split in the same way.

    Parameters
    ----------
    score : score
    prepared : Prepared
        Of all rows.
    share : float
        That of the rows held out.
    seed : int

    Raises
    ------
    DataError
        If there are no rows, or too few of them.
    """
    try:
        blocks = blocks_of(prepared, seed, share=share)
    except DataError as error:
        raise _no_rows(prepared) if error.code == "no-rows" else error from None
    learned = np.concatenate([np.arange(size) == 0 for size in blocks.groups]).astype(np.intp)
    if learned.all():
        raise _too_few(score, prepared.statistics.n, share, 0.0)
    first, second = blocks.statistics(learned), blocks.statistics(1 - learned)
    if min(first.n, second.n) < score.least[0]:
        raise _too_few(score, prepared.statistics.n, share, second.n)
    return replace(
        prepared,
        statistics=first,
        held_out=second,
        rows=blocks.rows(learned),
        held_out_rows=blocks.rows(1 - learned),
        notes=(*prepared.notes, _note(first.n, second.n)),
    )


def split_again(
    score: Score, prepared: Prepared, settings: Mapping[str, Any], learned: Fingerprint | None
) -> Prepared:
    """Return the statistics of the table of an earlier search, split as then.

    Statistics of the rows that it learned from are taken as they are, with none held out.

    Parameters
    ----------
    score : score
    prepared : Prepared
        Of all rows, or of those.
    settings : mapping
        Of the earlier result.
    learned : Fingerprint or None
        Of the rows that it was learned from.

    Raises
    ------
    DataError
        As :func:`with_held_out`.
    """
    share, found = settings.get("hold_out"), prepared.statistics.fingerprint()
    is_part = learned is not None and found is not None and not difference(learned, found)
    if share is None or is_part:
        return prepared
    return with_held_out(score, prepared, share, settings["seed"])


def not_learned_from(
    score: Score, prepared: Prepared, settings: Mapping[str, Any], learned: Fingerprint | None
) -> Prepared:
    """Return what is known of those rows of a table that an earlier search did not learn from.

    All rows, unless the table is that of the search; then those that were held out. Parameters as
    in :func:`split_again`.
    """
    try:
        split = split_again(score, prepared, settings, learned)
    except DataError as error:
        if error.code not in ("no-rows", "few-rows"):
            raise
        return prepared
    found = split.statistics.fingerprint()
    if learned is None or found is None or split.held_out is None or difference(learned, found):
        return prepared
    return replace(prepared, statistics=split.held_out, rows=split.held_out_rows)


def _note(learned: float, held_out: float) -> Note:
    return Note(
        f"the graph was learned from {counted_rows(learned)} rows drawn at random; the other "
        f"{counted_rows(held_out)} were held out, and effects are estimated on them",
        code=CODE,
        counts={"learned": learned, "held_out": held_out},
    )


def _no_rows(prepared: Prepared) -> DataError:
    if isinstance(prepared.statistics, Columns):
        return DataError(
            "no rows can be held out of those of a custom score: it reads them itself",
            remedy=("leave out ", argument("hold_out"), ", and let the score read some rows only"),
            code="no-rows",
        )
    return DataError(
        f"{type(prepared.statistics).__name__} has no rows to hold out",
        remedy=(
            "pass the table itself, or leave out ",
            argument("hold_out"),
            only_python(" and pass other rows to result.effect(…, data=)"),
        ),
        code="no-rows",
    )


def _too_few(score: Score, n: float, share: float, held_out: float) -> DataError:
    return DataError(
        argument("hold_out"),
        f" {share:g} leaves {counted_rows(n - held_out)} of {counted_rows(n)} rows to "
        f"learn from and {counted_rows(held_out)} held out, while a minimum of {score.least[0]} "
        "is required of each",
        remedy="hold out another share, or none",
        code="few-rows",
    )
