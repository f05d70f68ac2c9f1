"""Instructions of XGES-0, of XGES, beside the XGES paper's authors' program, and of the default.

``python benchmarks/speed/instructions.py [FOLDER] [--save]`` counts on all cases of a folder.
``--record`` counts on three of the committed cases instead and writes the figures that
tests/engine/test_instructions.py holds later changes to.
"""

from __future__ import annotations

import json
import platform
import statistics
import sys
from pathlib import Path
from typing import Any

from callgrind import CannotCountError, Library, built_engine, count, has_avx2, installed_library
from report import Section, parser, publish, table
from stored import DATA, Case, stored_cases

SEARCHES = {"xges0": "XGES-0", "xges": "XGES (effort 0)"}
DEFAULT_EFFORT = 1.0
FIGURES = DATA / "instructions.json"
GUARDED = ("er_d25_rho3_s11", "er_d50_rho2_s12", "er_d50_rho3_s104")


def count_all(library: Library, cases: list[Case]) -> dict[str, dict[str, int]]:
    """Instructions of each search on each case."""
    with built_engine(library) as engine:
        return {
            case.name: {search: count(engine, case, search) for search in SEARCHES}
            for case in cases
        }


def count_default(library: Library, cases: list[Case]) -> dict[str, int]:
    """Instructions of the default, XGES and its refinement, on each case."""
    with built_engine(library) as engine:
        return {case.name: count(engine, case, "xges", DEFAULT_EFFORT) for case in cases}


def guarded_cases() -> list[Case]:
    """Return the cases that the test counts on."""
    return [case for case in stored_cases() if case.name in GUARDED]


def circumstances(library: Library) -> dict[str, Any]:
    """Return what counts depend on besides the engine's source."""
    return {"compiler": library.compiler, "machine": platform.machine(), "avx2": has_avx2()}


def record(library: Library) -> None:
    """Write the figures that later counts are compared with."""
    about = "Written by benchmarks/speed/instructions.py --record; see test_instructions.py."
    counts = count_all(library, guarded_cases())
    figures = {"about": about, **circumstances(library), "counts": counts}
    FIGURES.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def section(library: Library, cases: list[Case]) -> Section:
    """Count on all cases, and compare where the authors' counts are known."""
    counts, defaults = count_all(library, cases), count_default(library, cases)
    theirs = {
        case.name: {key: case.recorded.get(key, {}).get("instructions") for key in SEARCHES}
        for case in cases
    }
    ratios = {
        search: {
            name: theirs[name][search] / ours[search]
            for name, ours in counts.items()
            if theirs[name][search]
        }
        for search in SEARCHES
    }
    data = {**circumstances(library), "counts": counts, "defaults": defaults}
    data |= {"authors": theirs, "ratios": ratios}
    return Section("instructions", "Instructions of the search", _lines(data), data)


def _lines(data: dict[str, Any]) -> list[str]:
    header = ["case"]
    for name in SEARCHES.values():
        header += [f"{name}, millions", "authors' C++", "ratio"]
    header.append("default, millions")
    rows = [[name, *_cells(data, name)] for name in data["counts"]]
    about = (
        "Millions of instructions in the search alone (callgrind), one thread, and those of the "
        "C++ program of the XGES paper's authors on the same covariances, recorded earlier. The "
        "default (effort 1) searches further, which that program does not. "
        f"Compiler {data['compiler']}, {'AVX2' if data['avx2'] else 'no AVX2'}."
    )
    return [about, "", *table(header, rows), "", *_summary(data["ratios"])]


def _cells(data: dict[str, Any], name: str) -> list[str]:
    cells = []
    for search in SEARCHES:
        theirs, ratio = data["authors"][name][search], data["ratios"][search].get(name)
        cells.append(f"{data['counts'][name][search] / 1e6:,.1f}")
        cells += [f"{theirs / 1e6:,.1f}", f"{ratio:.1f}"] if ratio else ["", ""]
    cells.append(f"{data['defaults'][name] / 1e6:,.1f}")
    return cells


def _summary(ratios: dict[str, dict[str, float]]) -> list[str]:
    return [
        f"- {SEARCHES[search]}: {statistics.geometric_mean(found.values()):.1f} times fewer in the "
        f"geometric mean, {min(found.values()):.1f} times on {min(found, key=found.__getitem__)}, "
        "the smallest ratio."
        for search, found in ratios.items()
        if found
    ]


def main() -> None:
    """Count, and print or record."""
    options = parser(__doc__)
    options.add_argument("folder", type=Path, nargs="?", default=DATA, help="where the cases are")
    options.add_argument("--record", action="store_true", help=f"rewrite {FIGURES}")
    chosen = options.parse_args()
    try:
        library = installed_library()
        if chosen.record:
            record(library)
        else:
            publish(section(library, list(stored_cases(chosen.folder))), save=chosen.save)
    except CannotCountError as missing:
        sys.exit(str(missing))


if __name__ == "__main__":
    main()
