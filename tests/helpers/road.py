"""Which files of the package a call passes through, and how often it goes from one to another."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

import greedag

PACKAGE = os.path.dirname(greedag.__file__) + os.sep


@dataclass(slots=True)
class Road:
    """Calls of functions, by file of the package, and the hops between files."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    hops: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def files(self) -> set[str]:
        """Files of the package that were passed."""
        return {file for file, _ in self.calls}

    def watch(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of a call; sys.setprofile calls this."""
        file = _file_of(frame)
        if event != "call" or file is None or frame.f_code.co_name == "<module>":
            return
        self.calls[file, frame.f_code.co_name] += 1
        caller = frame.f_back
        while caller is not None and _file_of(caller) is None:
            caller = caller.f_back
        origin = "" if caller is None else _file_of(caller) or ""
        if origin != file:
            self.hops.append((origin, file, frame.f_code.co_name))


def _file_of(frame: FrameType) -> str | None:
    path = frame.f_code.co_filename
    return path.removeprefix(PACKAGE) if path.startswith(PACKAGE) else None


def road_of(call: Callable[[], object]) -> Road:
    """Record a call that was made once before, so that nothing is left to import."""
    call()
    road = Road()
    before = sys.getprofile()
    sys.setprofile(road.watch)
    try:
        call()
    finally:
        sys.setprofile(before)
    return road
