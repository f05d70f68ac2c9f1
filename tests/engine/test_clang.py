"""The engine is portable C++20: clang compiles it without a warning."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from helpers.paths import ROOT

SOURCES = [
    *sorted((ROOT / "src" / "core").rglob("*.cpp")),
    ROOT / "benchmarks" / "speed" / "engine.cpp",
    ROOT / "tests" / "engine" / "sanitized.cpp",
]
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
PROCESSES = 2


def complaints(library: str, sources: list[Path]) -> str:
    command = ["clang++", *FLAGS, f"-stdlib={library}", "-I", str(ROOT / "src"), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def library(tmp_path: Path) -> str:
    """Return libc++ where it is installed: it includes less behind one's back than libstdc++."""
    probe = tmp_path / "probe.cpp"
    probe.write_text("#include <vector>\n", encoding="utf-8")
    return "libstdc++" if complaints("libc++", [probe]) else "libc++"


@pytest.mark.clang
def test_clang_compiles_the_engine_without_a_warning(tmp_path: Path) -> None:
    if shutil.which("clang++") is None:
        pytest.skip(
            "clang++ is not installed; on Debian: apt install clang libc++-dev libc++abi-dev"
        )
    chosen = library(tmp_path)
    shares = [SOURCES[i::PROCESSES] for i in range(PROCESSES)]
    with ThreadPoolExecutor(PROCESSES) as pool:
        found = pool.map(lambda share: complaints(chosen, share), shares)
    assert "".join(found) == ""
