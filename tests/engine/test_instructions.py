"""No change makes the searches take many more instructions without somebody deciding so."""

from __future__ import annotations

import json

import pytest

import instructions
from callgrind import CannotCountError, installed_library

FIGURES = json.loads(instructions.FIGURES.read_text(encoding="utf-8"))
MOST = 1.10
"""A count may grow to this many times its figure."""


@pytest.fixture(scope="module")
def counts() -> dict[str, dict[str, int]]:
    """Instructions of each search on each guarded case, if they can be compared here."""
    try:
        library = installed_library()
        here = instructions.circumstances(library)
        for fact, value in here.items():
            if comparable(value) != comparable(FIGURES[fact]):
                pytest.skip(f"figures are for {fact} {FIGURES[fact]}, this is {value}")
        return instructions.count_all(library, instructions.guarded_cases())
    except CannotCountError as missing:
        pytest.skip(str(missing))


def comparable(fact: str | bool) -> str:
    """Of a compiler's version, only the major number matters."""
    return str(fact).partition(".")[0]


@pytest.mark.parametrize("search", instructions.SEARCHES)
@pytest.mark.parametrize("case", instructions.GUARDED)
def test_a_search_takes_no_more_instructions_than_recorded(
    counts: dict[str, dict[str, int]], case: str, search: str
) -> None:
    figure, counted = FIGURES["counts"][case][search], counts[case][search]
    assert counted <= MOST * figure, (
        f"{search} on {case} takes {counted / figure - 1:+.1%} instructions. If that is meant, "
        "run `python benchmarks/speed/instructions.py --record` and commit its figures"
    )
