"""Instructions that a search of the installed engine takes, counted by valgrind's callgrind.

Unlike seconds, they hardly depend on what else a machine does.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stored import Case

ROOT = Path(__file__).resolve().parents[2]
# Engine and program share inline functions and the linker takes either's: hence CMake's flags.
FLAGS = [
    "-O3",
    "-DNDEBUG",
    "-std=c++20",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-fPIC",
    "-pthread",
]
# The closing bracket leaves out what the compiler splits off, which would switch counting off.
COUNTED = "greedag::search(*)"


class CannotCountError(Exception):
    """Something is missing; the message says what to install or run."""


@dataclass(frozen=True, slots=True)
class Library:
    """The engine's library that the editable install left behind, and its compiler."""

    path: Path
    command: str
    compiler: str
    """Name and version, such as ``GNU 12.2.0``."""


def installed_library() -> Library:
    """Find the library of the last install, or say how to build it."""
    found = list(ROOT.glob("build/cp*/libgreedag_core.a"))
    sources = [path.stat().st_mtime for path in (ROOT / "src" / "core").rglob("*.?pp")]
    if not found:
        raise CannotCountError("no build/cp*/libgreedag_core.a: run `make demo` (editable install)")
    path = max(found, key=lambda path: path.stat().st_mtime)
    if path.stat().st_mtime < max(sources):
        raise CannotCountError(f"{path.relative_to(ROOT)} is older than src/core: run `make demo`")
    about = max(path.parent.glob("CMakeFiles/*/CMakeCXXCompiler.cmake"))
    facts = dict(re.findall(r'set\((\w+) "([^"]*)"\)', about.read_text(encoding="utf-8")))
    version = f"{facts['CMAKE_CXX_COMPILER_ID']} {facts['CMAKE_CXX_COMPILER_VERSION']}"
    return Library(path, facts["CMAKE_CXX_COMPILER"], version)


def has_avx2() -> bool:
    """Whether the engine's vector code runs in its wide version here."""
    cpuinfo = Path("/proc/cpuinfo")
    return cpuinfo.exists() and "avx2" in cpuinfo.read_text(encoding="utf-8").split()


@contextmanager
def built_engine(library: Library) -> Iterator[Path]:
    """Link engine.cpp with the library, in a folder that is removed afterwards."""
    if shutil.which("valgrind") is None:
        raise CannotCountError("valgrind is not installed; on Debian: apt install valgrind")
    if shutil.which(library.command) is None:
        raise CannotCountError(f"{library.command} is gone; on Debian: apt install g++")
    with tempfile.TemporaryDirectory() as folder:
        engine = Path(folder) / "engine"
        source = Path(__file__).with_name("engine.cpp")
        files = [f"-I{ROOT / 'src'}", str(source), str(library.path), "-o", str(engine)]
        subprocess.run([library.command, *FLAGS, *files], check=True)
        yield engine


def write_case(case: Case, path: Path) -> None:
    """Write a case as engine.cpp reads it."""
    with path.open("wb") as file:
        file.write(np.int64(case.d).tobytes())
        file.write(np.float64(case.moments.n).tobytes())
        file.write(np.ascontiguousarray(case.moments.correlation).tobytes())
        file.write(np.ascontiguousarray(case.moments.log_variances).tobytes())


def count(engine: Path, case: Case, search: str, effort: float = 0.0) -> int:
    """Instructions of one search."""
    stored = engine.with_name("case.bin")
    write_case(case, stored)
    options = [f"--toggle-collect={COUNTED}", "--callgrind-out-file=/dev/null"]
    once_on_one_thread = ["1", "1"]
    command = ["valgrind", "--tool=callgrind", *options, str(engine), str(stored), search]
    command += [*once_on_one_thread, str(effort)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if collected is None or int(collected[1]) == 0:
        raise RuntimeError(f"callgrind did not meet {COUNTED}:\n{done.stderr}")
    return int(collected[1])
