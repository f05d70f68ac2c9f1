"""Covariance matrices of Tetrad as moments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from greedag import FileError, GreedagError, Moments, learn, simulate
from greedag.cli import main
from greedag.io.tables import format_of

DRAWN = simulate.linear_gaussian(4, 2.0, 200, seed=1)
NAMES = ("rain", "wet grass", "mud", "slip")
MATRIX = np.cov(DRAWN.data.T)


def rows_of(*, mark: str = "\t", square: bool = False) -> list[str]:
    ends = [4 if square else i + 1 for i in range(4)]
    return [mark.join(repr(float(x)) for x in MATRIX[i, :end]) for i, end in enumerate(ends)]


def written(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("square", [True, False])
@pytest.mark.parametrize("mark", ["\t", ",", " ", "   "])
@pytest.mark.parametrize("head", [[], ["/Covariance"], ["// by Tetrad", "", "/covariance"]])
def test_a_matrix_is_read_however_it_is_written(
    tmp_path: Path, head: list[str], mark: str, square: bool
) -> None:
    names = mark.join(f'"{name}"' for name in NAMES)
    rows = rows_of(mark=mark, square=square)
    path = written(tmp_path / "cov.txt", *head, "200", "// names", names, rows[0], "", *rows[1:])
    assert format_of(str(path)) == "covariance"
    found, counted = Moments.from_tetrad(path), Moments.from_data(DRAWN.data)
    assert (found.n, found.names, found.mean) == (200, NAMES, None)
    np.testing.assert_allclose(found.covariance, counted.covariance, rtol=1e-12)
    ours, theirs = learn(found), learn(DRAWN.data)
    assert ours.cpdag.to_matrix().tolist() == theirs.cpdag.to_matrix().tolist()
    assert ours.score == pytest.approx(theirs.score)


def test_correlations_stay_as_they_are(tmp_path: Path) -> None:
    path = written(tmp_path / "corr.txt", "/Correlation", "50", "a b", "1.0", "0.5 1.0")
    assert Moments.from_tetrad(path).covariance.tolist() == [[1.0, 0.5], [0.5, 1.0]]


def test_the_command_line_learns_from_such_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = "\t".join(NAMES)
    path = written(tmp_path / "cov.txt", "200", names, *rows_of())
    assert main(["learn", str(path), "--quiet", "--out", str(tmp_path / "g.json")]) == 0
    assert main(["learn", str(path), "--format", "covariance", "--drop", "mud"]) == 0
    assert "3 columns, 200 rows" in capsys.readouterr().out
    assert main(["learn", str(path), "--score", "bdeu"]) == 2
    assert "holds moments, not rows" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "empty"),
        (["// nothing"], "its first line must be the number of rows"),
        (["/Covariance"], "its first line must be the number of rows"),
        (["200"], "ends before the names"),
        (["1.5", "a b", "1", "0 1"], "line 1 must be the number of rows, 2 or more; it is '1.5'"),
        (["1", "a b", "1", "0 1"], "line 1 must be the number of rows"),
        (["a b", "1", "0 1"], "line 1 must be the number of rows, 2 or more; it is 'a b'"),
        (["200", "a a", "1", "0 1"], "line 2: columns 1 and 2 are both 'a'"),
        (["200", "a b", "1"], "the matrix has 1 rows for 2 names"),
        (["200", "a b", "1", "0 1", "0 0 1"], "line 5: the matrix has 3 rows for 2"),
        (
            ["200", "a b c", "1", "0 1 0", "0 0 1"],
            "line 4 has 3 values; the row of 'b' must",
        ),
        (["200", "a b", "1", "x 1"], "line 4, column 'a': 'x' is not a finite number"),
        (["200", "a,b", "1", ",1"], "line 4, column 'a': '' is not a finite number"),
        (["200", "a b", "1", "nan 1"], "line 4, column 'a': 'nan' is not a finite number"),
        (["200", "a b", "1", "2 1"], "is not a covariance matrix|correlation"),
        (["200", "a b", "0", "0 1"], "constant|variance"),
        (["200", "a b", '"1', "0 1"], "line 3 cannot be read"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    with pytest.raises(FileError, match=message) as caught:
        Moments.from_tetrad(written(tmp_path / "cov.txt", *lines) if lines else tmp_path / "empty")
    assert "cov.txt" in str(caught.value) or not lines


def test_mutated_files_end_in_moments_or_in_our_errors(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    content = "\n".join(["/Covariance", "200", "\t".join(NAMES), *rows_of()]).encode()
    path = tmp_path / "cov.txt"
    for _ in range(300):
        damaged = bytearray(content)
        for place in rng.integers(0, len(damaged), rng.integers(1, 4)):
            damaged[place] = rng.integers(0, 256)
        path.write_bytes(bytes(damaged[: rng.integers(1, len(damaged) + 1)]))
        try:
            assert np.isfinite(Moments.from_tetrad(path).covariance).all()
        except GreedagError:
            continue


def test_a_table_is_not_taken_for_a_matrix(tmp_path: Path) -> None:
    for text in ("a,b\n1,2\n", "2020\n3\n4\n", "1,2\n3,4\n", "5\n", "x\n1\n"):
        path = tmp_path / "table.csv"
        path.write_text(text)
        assert format_of(str(path)) == "csv", text
    path.write_bytes(b"\n \t" * 3000)
    assert format_of(str(path)) == "csv"
