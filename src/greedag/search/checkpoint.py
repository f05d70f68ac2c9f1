"""The state of a refinement in a file, to resume from.

A round of a refinement depends on the class so far, the seed, its own number and the columns that
are left to climb with. So what a file holds is small, and a search that resumes from it ends as one
that was never interrupted. The trace and what was counted so far are there for the result alone.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from greedag import _core
from greedag._options import LearnOptions
from greedag.errors import DataError, FileError, GreedagError, OptionError, quoted, quoted_path
from greedag.io.arrays import Stored, load_npz, save_npz
from greedag.io.atomic import FilePath, checked_path, damaged
from greedag.scores.base import Score, Statistics
from greedag.statistics.fingerprint import Fingerprint, difference

if TYPE_CHECKING:
    from greedag.graph.knowledge import Knowledge

_COUNTS = ("round", "kept", "rounds_without_gain", "climbed")
_NUMBERS = ("score", "evaluations", "work")
_FOR_THE_RESULT = ("counts", "capped_targets", "trace", "has_jumped", "is_dag", "is_dense")
_FIELDS = (*_COUNTS, *_NUMBERS, "needs_xges", *_FOR_THE_RESULT)
_REMEDY = "delete the file to start over, or choose another"


@dataclass(frozen=True, slots=True)
class StateFile:
    """A file with the state of some work, and what the work must have in common to resume it.

    Attributes
    ----------
    path : path-like
        The file.
    settings : mapping
        Search, score, its options, the seed and what is known, in words.
    fingerprint : Fingerprint
        Of the data.
    """

    path: FilePath
    settings: Mapping[str, Any]
    fingerprint: Fingerprint

    kind: ClassVar[str]
    version: ClassVar[int]

    def write(self, arrays: Mapping[str, NDArray[Any]], state: Mapping[str, Any]) -> None:
        """Write the state of the work, whole or not at all."""
        data = self.fingerprint
        known = {
            "log_variances": np.array(data.log_variances),
            "mixtures": np.array(data.mixtures),
        }
        meta = {"at": state, "settings": dict(self.settings), "n": data.n, "names": data.names}
        save_npz(self.path, self.kind, self.version, {**arrays, **known}, meta)

    def read(self) -> Stored | None:
        """Return what was written by work of the same data and settings; None if no file.

        Raises
        ------
        FileError
            If the file is damaged or of another kind, or its folder does not exist.
        OptionError
            If it is of other settings.
        DataError
            If it is of other data.
        """
        path = checked_path(self.path)
        if not os.path.exists(path):
            self._check_folder(path)
            return None
        stored = load_npz(self.path, self.kind, self.version)
        if stored.version < self.version:
            raise FileError(
                f"{quoted_path(self.path)} was written by an earlier version of greedag; {_REMEDY}"
            )
        with self.refusing_damage():
            self._check(stored)
        return stored

    @contextmanager
    def refusing_damage(self) -> Iterator[None]:
        """Take whatever shows that the file holds something else for damage."""
        try:
            yield
        except GreedagError:
            raise
        except (LookupError, TypeError, ValueError, OverflowError) as error:
            raise damaged(self.path) from error

    def _check_folder(self, path: str) -> None:
        """Raise before any work is lost, if there is no folder to write to."""
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise FileError(
                f"cannot write {quoted_path(self.path)} (its folder does not exist); choose a "
                "folder that exists"
            )

    def _check(self, stored: Stored) -> None:
        for name, value in self.settings.items():
            before = stored.meta["settings"][name]
            if before != value:
                raise OptionError(
                    f"{quoted_path(self.path)} belongs to a search with {name} {_shown(before)}, "
                    "not "
                    f"{_shown(value)}; {_REMEDY}"
                )
        arrays = stored.arrays
        before = Fingerprint(
            stored.meta["n"],
            tuple(stored.meta["names"]),
            tuple(arrays["log_variances"].tolist()),
            tuple(arrays["mixtures"].tolist()),
        )
        apart = difference(before, self.fingerprint)
        if apart:
            raise DataError(
                f"{quoted_path(self.path)} was written for other data: {apart}; {_REMEDY}"
            )


@dataclass(frozen=True, slots=True)
class Checkpoint(StateFile):
    """The state of a refinement in a file."""

    kind: ClassVar[str] = "checkpoint"
    version: ClassVar[int] = 5

    def save(self, at: _core.Refinement) -> None:
        """Write where a refinement stands, whole or not at all."""
        adjacency = np.asarray(at.adjacency, dtype=np.uint8)
        self.write({"adjacency": adjacency}, {name: getattr(at, name) for name in _FIELDS})

    def load(self, effort: float) -> _core.Refinement | None:
        """Return the state of an earlier refinement, to resume with an effort; None if no file.

        Raises as :meth:`read`.
        """
        stored = self.read()
        if stored is None:
            return None
        with self.refusing_damage():
            return _refinement(stored, effort)


def _shown(value: object) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


def _refinement(stored: Stored, effort: float) -> _core.Refinement:
    at = stored.meta["at"]
    score, evaluations, work = (float(at[name]) for name in _NUMBERS)
    number, kept, fruitless, climbed = (int(at[name]) for name in _COUNTS)
    gains = (gain for *_, gain in at["trace"] or ())
    if min(number, kept, fruitless, climbed) < 0 or not all(
        map(math.isfinite, (score, evaluations, work, *gains))
    ):
        raise ValueError("out of range")
    return _core.Refinement(
        adjacency=np.array(stored.arrays["adjacency"], dtype=np.uint8),
        effort=effort,
        score=score,
        evaluations=evaluations,
        work=work,
        round=number,
        kept=kept,
        rounds_without_gain=fruitless,
        climbed=climbed,
        needs_xges=bool(at["needs_xges"]),
        **{name: at[name] for name in _FOR_THE_RESULT},
    )


def open_checkpoint(
    options: LearnOptions, score: Score, statistics: Statistics, knowledge: Knowledge | None
) -> Checkpoint:
    """Return the checkpoint that a caller asks for, if there can be one.

    Raises
    ------
    OptionError
        If nothing is refined, or the data could not be recognised.
    """
    if options.effort == 0.0:
        raise OptionError(
            "a checkpoint stores the state of a refinement, and effort 0 has none; give an effort "
            "above 0, or leave the checkpoint out"
        )
    settings, fingerprint = recognised_by(options, score, statistics, knowledge)
    return Checkpoint(options.checkpoint, settings, fingerprint)


def recognised_by(
    options: LearnOptions, score: Score, statistics: Statistics, knowledge: Knowledge | None
) -> tuple[dict[str, Any], Fingerprint]:
    """Return the settings and the fingerprint by which searches are the same.

    Raises
    ------
    OptionError
        If the data could not be recognised.
    """
    fingerprint = statistics.fingerprint()
    if fingerprint is None:
        raise OptionError(
            "a custom score cannot be checkpointed, because its data cannot be recognised; "
            "leave the checkpoint out, or choose a score of greedag.scores"
        )
    statements = () if knowledge is None else knowledge.statements
    said = "; ".join(sorted(map(str, statements))) or "none"
    same = {"seed": options.seed, "clique_cap": options.clique_cap, "knowledge": said}
    return {"search": options.search, "score": score.name, **score.options(), **same}, fingerprint
