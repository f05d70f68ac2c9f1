"""Scores of tables from experiments: each column is scored on the rows in which it was not set.

With the rows M_y of all environments that do not set y, and N rows in all::

    s(y, P) = log-likelihood of y given P on M_y - alpha/2 log N · parameters

Members of a class then score differently, if an experiment sets one end of an edge and not the
other: that is how experiments tell its direction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from greedag import _core
from greedag._options import LARGEST_ALPHA
from greedag.data.interventions import Experiments, RowTargets
from greedag.data.kinds import Kind
from greedag.data.rows import SelectedRows
from greedag.errors import DataError, Note, OptionError, argument, columns_listed, quoted
from greedag.scores.base import Option, Prepared, Score, notes_of
from greedag.scores.custom import Columns
from greedag.statistics.basis import BasisMoments
from greedag.statistics.environments import Environments


@dataclass(frozen=True, slots=True)
class Interventional(Score):
    """A score of greedag, for rows of experiments.

    Parameters
    ----------
    score : score
        By which each column is scored, on the rows in which it was not set.
    """

    score: Score
    needs: ClassVar[type] = Environments

    @property
    def is_equivalent(self) -> bool:  # type: ignore[override]
        """Members of a class score differently."""
        return False

    @property
    def name(self) -> str:  # type: ignore[override]
        """That of the score."""
        return self.score.name

    @property
    def by_column(self) -> Score:
        """The score of each column."""
        return self.score

    @property
    def directs_by(self) -> str:  # type: ignore[override]
        """The kind of evidence by which the score directs edges, beside experiments."""
        return self.score.directs_by

    @property
    def least_share(self) -> float:  # type: ignore[override]
        """The part of an edge's strength that its margin must be."""
        return self.score.least_share

    @property
    def takes(self) -> Kind | None:  # type: ignore[override]
        """The kind that the score takes every column for."""
        return self.score.takes

    @property
    def least(self) -> tuple[int, int]:  # type: ignore[override]
        """The fewest rows and columns."""
        return self.score.least

    @property
    def refuses_exact_fits(self) -> bool:  # type: ignore[override]
        """Whether parents that determine a column are refused."""
        return self.score.refuses_exact_fits

    @property
    def chooses_alpha(self) -> bool:  # type: ignore[override]
        """Whether alpha depends on the numbers of rows and columns where it is left out."""
        return self.score.chooses_alpha

    @property
    def in_words(self) -> str:  # type: ignore[override]
        """What it is, for a report."""
        return f"{self.score.in_words}; each column on the rows in which no experiment set it"

    @property
    def effects(self) -> str:  # type: ignore[override]
        """Which forms of effects it knows."""
        return self.score.effects

    @property
    def overlooks(self) -> tuple[str, ...]:  # type: ignore[override]
        """Which it does not know."""
        return self.score.overlooks

    def options(self) -> Mapping[str, Option]:
        """Return the options of the score, by name."""
        return self.score.options()

    def with_alpha(self, alpha: float) -> Score:
        """Return the score with another weight of the penalty."""
        return Interventional(self.score.with_alpha(alpha))

    def most_exact(self, statistics: Environments) -> tuple[int, str]:
        """Return how many columns an exact search takes: there is a table of scores per part."""
        most, why = self.score.most_exact(statistics.counted[0])
        if most <= _core.MOST_EXACT_OWN_SCORE:
            return most, why
        return _core.MOST_EXACT_OWN_SCORE, " of experiments"

    def prepare(self, rows: SelectedRows, kinds: tuple[Kind, ...]) -> Prepared:
        """Return the statistics of rows that were all observed."""
        return self.score.prepare(rows, kinds)

    def bind(self, statistics: Environments, *, check: bool = True) -> _core.Score:
        """Return the engine's score of these environments.

        DataError if a column was set in too many rows, or cannot be scored on the others.
        """
        if check:
            _check_targets(statistics.names, statistics.targets)
        parts = statistics.parts()
        bound = []
        for place, part in enumerate(parts):
            columns = statistics.columns_of(place)
            if check:
                self._check_rows(part, columns)
            try:
                bound.append(self.of_part(part.n, statistics.n).bind(part, check=check))
            except DataError as error:
                where = f"in the rows in which {columns_listed(columns)} was not set: "
                raise (error if len(parts) == 1 else error.within(where)) from None
        return _core.ByColumn(tuple(bound), statistics.part_of)

    def linear(self, statistics: Environments) -> _core.Score | None:
        """Return a score of all rows together, whose class a search starts from."""
        whole = statistics.whole()
        if not getattr(self.score, "is_equivalent", True):
            found: _core.Score | None = self.score.linear(whole)
            return found
        return self.score.bind(whole, check=False)

    def least_margin(self, statistics: Environments) -> float:
        """Return the margin above which the score itself tells the direction of an edge."""
        return self.score.least_margin(statistics.whole())

    def _check_rows(self, part: Any, columns: Sequence[str]) -> None:
        least = max(self.score.least[0], 2)
        if part.n < least:
            raise DataError(
                f"{columns_listed(columns)} was not set in only {part.n:.10g} rows, while a "
                f"minimum of {least} is required",
                remedy="add rows in which it was not set, or drop it",
                code="too-few-rows-not-set",
                columns=columns,
                counts=dict.fromkeys(columns, int(part.n)),
            )

    def of_part(self, n: float, total: float) -> Score:
        """Return the score with the penalty of all rows, for a part of them."""
        score: Any = self.score
        if not hasattr(score, "alpha"):
            return self.score
        scaled = score.alpha * math.log(total) / math.log(n)
        return self.score.with_alpha(min(scaled, LARGEST_ALPHA))


def prepare_environments(
    score: Score,
    rows: SelectedRows,
    kinds: tuple[Kind, ...],
    targets: RowTargets,
    dropped: tuple[str, ...] | None,
) -> tuple[Score, Prepared]:
    """Return the score of rows of experiments, and the statistics of each environment.

    Where nothing was set in any row, it is the score itself, with the statistics of all rows, and
    the column that names no targets counts as one that was `dropped`.

    Raises
    ------
    DataError
        If a target is not a column, or is set in every row.
    OptionError
        If the score, or what is done about missing values, does not go with experiments.
    """
    _check_score(score, rows.missing)
    if rows.places is not None:
        targets = replace(targets, values=targets.values[rows.places])
    experiments = targets.experiments(rows.source)
    if experiments.targets == ((),):
        prepared = score.prepare(rows, kinds)
        note = Note("no row has a target: all rows were only observed", code="no-interventions")
        settings: dict[str, Any] = {}
        if targets.column is not None:
            settings = {"interventions": None, "drop": (*(dropped or ()), targets.column)}
        return score, replace(prepared, notes=(*prepared.notes, note), settings=settings)
    names = rows.source.names
    _check_targets(names, experiments.targets)
    parts = _parts(rows, experiments)
    count = _counter(score, rows, kinds)
    environments = Environments(experiments.targets, tuple(map(count, parts)))
    notes = notes_of(environments)
    has_own_names = rows.source.has_own_names
    return Interventional(score), Prepared(environments, has_own_names, notes, rows=parts)


def _check_score(score: Score, missing: str) -> None:
    if score.needs is Columns:
        raise OptionError(
            argument("interventions"),
            " must be left out: a custom score reads its own rows; let local_score(y, parents) "
            "count the rows in which y was not set",
        )
    if missing in ("em", "test-wise"):
        raise OptionError(
            f"missing must be 'error' or 'drop' where rows come from experiments; got "
            f"{quoted(missing)}",
            code="missing-option",
        )


def _check_targets(names: Sequence[str], targets: Sequence[tuple[int, ...]]) -> None:
    """Raise if a column was set in every environment."""
    always = [name for j, name in enumerate(names) if all(j in each for each in targets)]
    if always:
        raise DataError(
            f"{columns_listed(always)} was set in every row, so nothing tells what it depends on",
            remedy="add rows in which it was not set, such as observed ones, or drop it and leave "
            "it out of the targets",
            code="always-set",
            columns=always,
        )


def _parts(rows: SelectedRows, experiments: Experiments) -> tuple[SelectedRows, ...]:
    """Return the rows of each environment."""
    whole, parts = rows.source.in_memory(), []
    for code in range(len(experiments.targets)):
        places = np.flatnonzero(experiments.codes == code)
        weights = None if rows.weights is None else rows.weights[places]
        parts.append(SelectedRows(whole.take(places), weights, rows.missing))
    return tuple(parts)


def _counter(
    score: Score, rows: SelectedRows, kinds: tuple[Kind, ...]
) -> Callable[[SelectedRows], Any]:
    """Return how to count some of the rows, so that what is counted adds up."""
    if score.needs is not BasisMoments:
        return lambda part: score.prepare(part, kinds).statistics
    # The curves are those of all rows.
    bases = score.prepare(rows, kinds).statistics.bases
    return lambda part: BasisMoments.from_data(part.source, weights=part.weights, bases=bases)
