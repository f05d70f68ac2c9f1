"""Frames whose first column, without a name, holds what R or pandas call the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from greedag.data.names import are_row_names
from greedag.data.source import FrameSource
from greedag.errors import note_index

if TYPE_CHECKING:
    import narwhals as nw


def without_row_names(frame: nw.DataFrame[Any]) -> FrameSource:
    """Open a frame without its first column if that numbers or names the rows, and note it."""
    label, *others = frame.columns
    if not others or not are_row_names(frame[:, 0].to_numpy()):
        return FrameSource(frame)
    source = FrameSource(frame[:, 1:])
    source.notes = (note_index(label, "the table"),)
    return source
