"""The command line: output, files, exit codes, and what it says about broken tables."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from greedag import CPDAG, DataError, FileError, learn, simulate
from greedag.cli import main, read_csv

ONE_THREAD = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    sizes = ["--d", "6", "--rho", "1.5", "--n", "400", "--seed", "3"]
    truth = str(tmp_path / "truth.json")
    assert main(["simulate", *sizes, "--out", str(path), "--truth", truth]) == 0
    return path


def written(tmp_path: Path, content: str | bytes) -> str:
    path = tmp_path / "table.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_simulate_writes_the_table_and_the_truth(table: Path) -> None:
    drawn = simulate.linear_gaussian(6, 1.5, 400, seed=3)
    names, values = read_csv(str(table))
    assert names == drawn.names
    assert np.array_equal(values, drawn.data)
    truth = json.loads((table.parent / "truth.json").read_text())
    assert truth["names"] == list(drawn.names)
    assert [tuple(edge) for edge in truth["directed"]] == list(drawn.cpdag.directed)
    assert [tuple(edge) for edge in truth["undirected"]] == list(drawn.cpdag.undirected)
    assert (truth["seed"], truth["n"], truth["rho"]) == (3, 400, 1.5)
    dag = np.zeros((6, 6))
    for a, b in truth["dag"]:
        dag[names.index(a), names.index(b)] = 1
    assert CPDAG.from_dag(dag) == drawn.cpdag


def test_learn_prints_the_result_and_nothing_else(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(table)]) == 0
    output = capsys.readouterr()
    assert output.out == f"{learn(read_csv(str(table))[1])}\n"
    assert output.err == ""


def test_learn_writes_the_class_as_json(table: Path) -> None:
    out = table.parent / "graph.json"
    options = ["--search", "ges", "--alpha", "3", "--out", str(out)]
    assert main(["learn", str(table), *options]) == 0
    graph = json.loads(out.read_text())
    result = learn(read_csv(str(table))[1], search="ges", alpha=3.0)
    assert graph["version"] == 1
    assert graph["names"] == list(result.cpdag.names)
    assert [tuple(edge) for edge in graph["directed"]] == list(result.cpdag.directed)
    assert [tuple(edge) for edge in graph["undirected"]] == list(result.cpdag.undirected)
    assert graph["score"] == result.score
    assert (graph["search"], graph["alpha"], graph["n"]) == ("ges", 3.0, 400)
    assert (graph["notes"], graph["stopped"]) == ([], "")


def test_a_time_limit_is_obeyed_and_noted(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", str(table), "--time-limit", "0"]) == 0
    assert "note: stopped by the time limit of 0 s" in capsys.readouterr().out


def test_hostile_names_are_escaped_on_the_terminal_and_kept_in_the_file(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["a\nb", "\x1b[2J", 'quo"te', "sp ace", "\u202eabc", "😀"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = table.read_text().split("\n", 1)[1]
    path, out = written(table.parent, f"{header}\n{rows}"), table.parent / "graph.json"
    assert main(["learn", path, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    graph = learn(read_csv(str(table))[1]).cpdag
    assert len(printed.splitlines()) == 2 + len(graph.directed) + len(graph.undirected)
    assert json.loads(out.read_text())["names"] == names


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n", "no rows"),
        ("1,2\n3,4\n", "no header: line 1 holds only numbers"),
        ("a,b,a\n1,2,3\n", "line 1: columns 1 and 3 are both 'a'"),
        ("a,,c\n1,2,3\n", "line 1: column 2 has no name"),
        ("a,b\n1,2\n3\n", "line 3 has 1 fields; the header has 2"),
        ("a,b\n1,2,3\n", "line 2 has 3 fields; the header has 2"),
        ("a,b\n1,2\n3,\n", "line 3, column 'b': the value is missing"),
        ("a,b\n1,2\n3,x y\n", "line 3, column 'b': 'x y' is not a finite number"),
        ("a,b\n1,nan\n", "line 2, column 'b': 'nan' is not a finite number"),
        ("a,b\n1,-inf\n", "line 2, column 'b': '-inf' is not a finite number"),
        ("a,b\n1,1e999\n", "line 2, column 'b': '1e999' is not a finite number"),
        ("a,b\n1,1_000\n", "line 2, column 'b': '1_000' is not a finite number"),
        ("a;b\n1;2\n", "line 2, column 'a;b': '1;2' is not a finite number"),
        ("a,b\n1,2\n\n3,4\n", "line 3 is empty"),
        ('a,b\n1,"2\n', "is not valid CSV"),
        ('a,b\n"1\n2",3\n', r"line 3, column 'a': '1\n2' is not a finite number"),
        (b"a,b\n1,\xff\n", "is not UTF-8 text"),
        (b"\x01\x02", "no rows"),
    ],
)
def test_a_broken_table_is_refused_with_the_place(
    tmp_path: Path, content: str | bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(FileError) as caught:
        read_csv(path)
    assert message in str(caught.value)
    assert repr(path) in str(caught.value)
    assert main(["learn", path]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("greedag: ")
    assert "Traceback" not in output.err


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffa,b\n1,2\n3,4.5\n",
        "a,b\r\n1,2\r\n3,4.5\r\n",
        "a,b\n1,2\n3,4.5",
        "a,b\n1,2\n3,4.5\n\n\n",
        ' a ,"b"\n 1 , 2 \n"3",4.5\n',
        "a,b\n+1,2e0\n3.,45e-1\n",
    ],
    ids=["BOM", "CRLF", "no last newline", "blank end", "spaces and quotes", "number forms"],
)
def test_common_dialects_are_read(tmp_path: Path, content: str) -> None:
    names, values = read_csv(written(tmp_path, content))
    assert names == ("a", "b")
    assert values.tolist() == [[1.0, 2.0], [3.0, 4.5]]


def test_missing_files_and_folders_are_refused(
    tmp_path: Path, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        assert main(["learn", str(path)]) == 2
        assert "cannot read" in capsys.readouterr().err
    assert main(["learn", str(table), "--out", str(tmp_path / "no" / "graph.json")]) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alpha", "-1"], "alpha must be"),
        (["--alpha", "nan"], "alpha must be"),
        (["--alpha", "two"], "--alpha"),
        (["--search", "xgs"], "did you mean 'xges'?"),
        (["--time-limit", "-1"], "time_limit must be"),
        (["--clique-cap", "-1"], "clique_cap must be"),
        (["--jobs", "0"], "n_jobs must be"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_bad_options_end_with_code_two_and_a_message(
    table: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", str(table), *options]) == 2
    output = capsys.readouterr()
    assert message in output.err
    assert output.out == ""


def test_unusable_columns_are_named_as_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "height,width\n1,5\n2,5\n4,5\n")
    assert main(["learn", path]) == 2
    assert "'width'" in capsys.readouterr().err
    with pytest.raises(DataError):
        learn(read_csv(path)[1])


def test_help_ends_with_code_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "simulate" in capsys.readouterr().out
    assert main(["learn", "--help"]) == 0
    assert "--time-limit" in capsys.readouterr().out


def test_bad_simulations_end_with_code_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data.csv"
    sizes = ["--d", "0", "--rho", "1", "--n", "5", "--seed", "0"]
    assert main(["simulate", *sizes, "--out", str(out)]) == 2
    assert "d must be" in capsys.readouterr().err
    assert not out.exists()


def test_arrows_survive_a_terminal_that_knows_only_ascii(table: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "greedag", "learn", str(table), "--alpha", "0.1"],
        capture_output=True,
        env=ONE_THREAD | {"PYTHONIOENCODING": "ascii"},
        check=True,
    )
    text = run.stdout.decode("ascii")
    directed = learn(read_csv(str(table))[1], alpha=0.1).cpdag.directed
    assert directed
    assert all(f"{a} -> {b}" in text for a, b in directed)


def test_without_click_it_says_what_to_install() -> None:
    script = """
        import sys
        sys.modules["click"] = None
        from greedag.cli import main
        sys.exit(main(["learn", "data.csv"]))
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        env=ONE_THREAD,
    )
    assert run.returncode == 2
    assert 'pip install "greedag[cli]"' in run.stderr
    assert "Traceback" not in run.stderr


def test_ctrl_c_prints_the_class_so_far_and_ends_with_code_130(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    data = 3.0 * rng.standard_normal((500, 1)) + rng.standard_normal((500, 60))
    header = ",".join(f"x{i}" for i in range(60))
    rows = "\n".join(",".join(map(str, row)) for row in data)
    path, out = written(tmp_path, f"{header}\n{rows}\n"), tmp_path / "graph.json"
    command = ["learn", path, "--alpha", "0.01", "--clique-cap", "0", "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, "-m", "greedag", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ONE_THREAD,
    ) as process:
        try:
            time.sleep(4.0)
            process.send_signal(signal.SIGINT)
            printed, complaints = process.communicate(timeout=10)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "note: interrupted: best class so far" in printed
    assert printed.startswith("xges, alpha 0.01: 60 columns, 500 rows, ")
    assert "Traceback" not in complaints
    assert json.loads(out.read_text(encoding="utf-8"))["stopped"] == "interrupt"
