"""Text read by Arrow and text read line by line are the same table, or the same refusal."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from greedag.errors import GreedagError
from greedag.io import tables, text
from greedag.io.tables import OpenedFiles, ReadOptions, open_files
from greedag.io.text import CsvTable

NUMBERS = ["1", "2.5", "-3e-4", ".5", "7.", "1e300", "0", " 4 ", "12345678901234567890", '"6"']
ODD_NUMBERS = ["+1", "1_000", "inf", "-Infinity", "1e999", "1e-999", "0x10", "1,5", '"1,5"', "٣"]
WORDS = ["a", "b c", "é", '"x,y"', '"say ""hi"""', '"two\nlines"', "' '", "01", "1.0", "\u00a0z"]
ODD_WORDS = ['"', '5"', 'a"b', '"a"b', '"a" ', ' "a"', '""a', "\x1cq", "\u2003"]
NOTHING = ["", " ", "NA", "na", " n/a ", "NaN", "nan", "-NaN", "null", "#N/A", "1.#QNAN", '""']
ENDS = ["\n", "\n", "\n", "\r\n", "\r"]


def drawn_table(rng: random.Random) -> str:
    """Draw a file: mostly a table, and now and then something is wrong with it."""
    d, n = rng.randint(1, 4), rng.randint(0, 12)
    mark, end = rng.choice(",,,;\t|"), rng.choice(ENDS)
    odd, gaps = rng.random() < 0.4, rng.random() < 0.5
    roles = [rng.random() < 0.5 for _ in range(d)]

    def cell(of_numbers: bool) -> str:
        if gaps and rng.random() < 0.15:
            return rng.choice(NOTHING)
        if odd and rng.random() < 0.06:
            return rng.choice(ODD_NUMBERS + ODD_WORDS + WORDS)
        return rng.choice(NUMBERS if of_numbers else WORDS)

    lines = [mark.join(f"{rng.choice(['', ' ', 'n'])}c{j}" for j in range(d))]
    for _ in range(n):
        width = d + (odd and rng.random() < 0.03) - (odd and rng.random() < 0.03)
        lines.append(mark.join(cell(roles[j % d]) for j in range(width)))
        if odd and rng.random() < 0.03:
            lines.append("")
    start = rng.choice(["", "", "\ufeff"])
    return start + end.join(lines) + end * rng.choice([0, 1, 1, 3])


def drawn_options(rng: random.Random) -> ReadOptions:
    usual = rng.choice(["numbers", "levels", "open", "open"])
    kinds = rng.choice([None, None, {"c0": "discrete"}])
    return ReadOptions(usual=usual, kinds=kinds, allow_missing=rng.random() < 0.6)  # type: ignore[arg-type]


def outcome(opened: OpenedFiles) -> Any:
    """Return the values of a table, or the words in which it is refused."""
    try:
        return [column for chunk in opened.chunks() for column in chunk.table.to_pydict().items()]
    except GreedagError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:the first column")
@pytest.mark.parametrize("seed", range(20))
def test_arrow_and_the_careful_reader_agree_in_values_and_refusals(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(tables, "_CHUNK_VALUES", 1)
    monkeypatch.setattr(tables, "_LEAST_CHUNK_ROWS", rng.choice([1, 3, 100]))
    monkeypatch.setattr(text, "_BLOCK_BYTES", rng.choice([40, 100, 2**20]))
    path = tmp_path / "t.csv"
    for _ in range(50):
        content = drawn_table(rng)
        path.write_bytes(content.encode())
        try:
            opened = open_files(path, drawn_options(rng))
        except GreedagError:
            continue
        fast = outcome(opened)
        with monkeypatch.context() as patch:
            patch.setattr(CsvTable, "fast_chunks", refuse)
            assert fast == outcome(opened), content


def refuse(*_: object, **__: object) -> Any:
    raise text._Doubt


def test_most_tables_are_read_by_arrow_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the comparison would compare a reader with itself."""
    monkeypatch.setattr(CsvTable, "careful_chunks", refuse)
    rng, read, path = random.Random(0), 0, tmp_path / "t.csv"
    for _ in range(500):
        path.write_bytes(drawn_table(rng).encode())
        try:
            read += bool(outcome(open_files(path, drawn_options(rng))))
        except (GreedagError, text._Doubt):
            continue
    assert read > 125


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("content", "is_sure"),
    [
        (b'a,b\n"x","y"\n', True),
        (b'a,b\n"x ""y""",""\n', True),
        (b'a,b\n"x,\ny",1', True),
        (b"a,b\n1,2\n\n\n", True),
        (b"a,b\r\n1,2\r\n", True),
        (b"a,b\r\n\r\n1,2\r\n", False),
        (b"a,b\n\n1,2\n", False),
        (b"a,b\r\r1,2\r", False),
        (b'a,b\n"x"y,1\n', False),
        (b'a,b\n""x,1\n', False),
        (b'a,b\n"x" ,1\n', False),
        (b'a,b\n5",1\n', False),
        (b'a,b\n1,"2\n', False),
    ],
)
def test_quotes_and_empty_lines_are_judged_wherever_blocks_end(
    content: bytes, is_sure: bool, size: int
) -> None:
    import io

    watched, found = text._Watched(io.BytesIO(content), ","), b""
    try:
        while block := watched.read(size):
            found += block
    except text._Doubt:
        assert not is_sure
    else:
        assert is_sure
        assert found == content.rstrip(b"\r\n")
