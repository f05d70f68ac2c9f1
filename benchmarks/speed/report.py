"""Sections of RESULTS.md: results.json keeps them, so that each can be measured by itself."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
STORED, RENDERED = HERE / "results.json", HERE / "RESULTS.md"
ONE_THREAD = {f"{pool}_NUM_THREADS": "1" for pool in ("OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON")}
ORDER = (
    "instructions",
    "peers",
    "threads",
    "moments",
    "streaming",
    "scaling",
    "large",
    "cases",
    "effects",
    "effort",
    "rivals",
    "dense",
    "mixed",
    "discrete",
    "prior",
    "bge",
    "missing",
    "gaussian",
    "posterior",
)
HEAD = """# Results

Each section is what one run of the command above it measured. `make bench` renews them all, the
command with `--save` one of them. Seconds depend on the machine and on what else it does,
instructions on the compiler; greedag's scores and distances are the same everywhere.
"""


@dataclass(frozen=True, slots=True)
class Section:
    """What one tool has to say: Markdown for people, data for programs."""

    key: str
    title: str
    lines: list[str]
    data: Any


def parser(description: str | None) -> ArgumentParser:
    """Return a parser with the option that all tools share; measure with one thread."""
    if not os.environ.items() >= ONE_THREAD.items():
        # Thread pools were made when NumPy was imported: too late for this process.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    options = ArgumentParser(description=description)
    options.add_argument("--save", action="store_true", help=f"renew the section in {RENDERED}")
    return options


def row(cells: Iterable[object]) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table, first column to the left, others to the right."""
    rule = row([":--", *["--:"] * (len(header) - 1)])
    return [row(header), rule, *(row(cells) for cells in rows)]


def publish(section: Section, *, save: bool) -> None:
    """Print a section; if asked to, store it and render all that are stored."""
    print("\n".join(section.lines))
    if not save:
        return
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}
    stored[section.key] = {**asdict(section), **_circumstances()}
    ordered = {key: stored[key] for key in ORDER if key in stored}
    STORED.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    RENDERED.write_text(HEAD + "".join(map(_rendered, ordered.values())), encoding="utf-8")


def _rendered(stored: dict[str, Any]) -> str:
    where = f"`{stored['command']}`, {stored['date']}, {stored['processor']}"
    return "\n".join(["", f"## {stored['title']}", "", where, "", *stored["lines"], ""])


def _circumstances() -> dict[str, str]:
    # A folder outside the repository means nothing to a reader.
    shown = ["FOLDER" if os.path.isabs(part) else part for part in sys.argv[1:]]
    script = Path(sys.argv[0]).resolve().relative_to(HERE.parent)
    return {
        "command": shlex.join(["python", str(script), *shown]),
        "date": datetime.date.today().isoformat(),
        "processor": f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.exists():
        return platform.processor() or platform.machine()
    fields = (line.partition(":") for line in cpuinfo.read_text(encoding="utf-8").splitlines())
    return next((value.strip() for name, _, value in fields if name.strip() == "model name"), "")
