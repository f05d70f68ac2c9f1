"""The command line as a process of its own: signals, pipes, terminals, locales."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from greedag import learn, simulate

ONE_THREAD = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
GREEDAG = [sys.executable, "-m", "greedag"]
DRAWN = simulate.linear_gaussian(6, 1.5, 400, seed=3)


def write_csv(path: Path, data: np.ndarray) -> str:
    header = ",".join(f"x{i}" for i in range(data.shape[1]))
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in data)]) + "\n")
    return str(path)


@pytest.fixture
def table(tmp_path: Path) -> str:
    return write_csv(tmp_path / "table.csv", DRAWN.data)


@pytest.fixture
def long_command(tmp_path: Path) -> list[str]:
    """A search that goes on for minutes."""
    rng = np.random.default_rng(0)
    data = 3.0 * rng.standard_normal((500, 1)) + rng.standard_normal((500, 60))
    path = write_csv(tmp_path / "long.csv", data)
    return [*GREEDAG, "learn", path, "--alpha", "0.01", "--clique-cap", "0"]


def interrupted(command: list[str], after: float) -> tuple[int, str, str]:
    """Run a command, press Ctrl-C, and return code, output and messages."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ONE_THREAD
    ) as process:
        try:
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            printed, complaints = process.communicate(timeout=20)
        finally:
            process.kill()
    return process.returncode, printed, complaints


@pytest.mark.clock
def test_ctrl_c_prints_and_writes_the_class_so_far_and_ends_with_code_130(
    long_command: list[str], tmp_path: Path
) -> None:
    out, dot = tmp_path / "graph.json", tmp_path / "graph.dot"
    command = [*long_command, "--out", str(out), "--out", str(dot)]
    code, printed, complaints = interrupted(command, after=4.0)
    assert code == 130
    assert complaints == ""
    assert printed.startswith("xges, alpha 0.01: 60 columns, 500 rows, ")
    assert "note: interrupted; this is the best class found so far" in printed
    assert json.loads(out.read_text(encoding="utf-8"))["stopped"] == "interrupt"
    assert "x1" in dot.read_text(encoding="utf-8")


def test_a_table_comes_through_a_pipe(table: str) -> None:
    command = [*GREEDAG, "learn", "/dev/stdin", "--format", "csv"]
    run = subprocess.run(
        command, input=Path(table).read_bytes(), capture_output=True, env=ONE_THREAD, timeout=60
    )
    assert run.stderr == b""
    assert run.stdout.decode() == f"{learn(DRAWN.data)}\n"


def test_a_closed_pipe_ends_without_a_word(table: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for options in ([], ["--json"]):
        run = subprocess.run(
            [*GREEDAG, "learn", table, *options],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            env=ONE_THREAD,
        )
        assert run.stderr == ""
        assert run.returncode == 0
    os.close(writing)


@pytest.mark.parametrize(
    "locale",
    [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_arrows_and_names_survive_a_terminal_that_knows_only_ascii(
    tmp_path: Path, locale: dict[str, str]
) -> None:
    path = tmp_path / "töpfe.csv"
    write_csv(path, DRAWN.data)
    path.write_text(path.read_text().replace("x0", "höhe", 1), encoding="utf-8")
    run = subprocess.run(
        [*GREEDAG, "learn", str(path), "--alpha", "0.1"],
        capture_output=True,
        env=ONE_THREAD | locale,
    )
    assert run.returncode == 0, run.stderr
    text = run.stdout.decode("ascii")
    directed = learn(DRAWN.data, alpha=0.1).cpdag.directed
    assert len(directed) == text.count(" -> ")
    assert "h\\xf6he" in text
    run = subprocess.run(
        [*GREEDAG, "learn", str(tmp_path / "ä.csv")], capture_output=True, env=ONE_THREAD | locale
    )
    assert run.returncode == 2
    assert run.stderr.count(b"\n") == 1
    run.stderr.decode("ascii")


def on_a_terminal(command: list[str], **variables: str) -> tuple[int, str, str]:
    """Run a command whose stderr is a terminal; return code, output and what the terminal got."""
    outer, inner = pty.openpty()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=inner,
        text=True,
        env=ONE_THREAD | {"TERM": "xterm"} | variables,
    ) as process:
        os.close(inner)
        seen = b""
        try:
            while chunk := os.read(outer, 4096):
                seen += chunk
        except OSError as error:  # how Linux says that the other end is closed
            assert error.errno == errno.EIO
        assert process.stdout is not None
        printed = process.stdout.read()
    os.close(outer)
    return process.returncode, printed, seen.decode()


@pytest.mark.clock
def test_a_terminal_sees_score_and_edges_while_the_search_runs(long_command: list[str]) -> None:
    code, printed, seen = on_a_terminal([*long_command, "--time-limit", "1"])
    assert code == 0
    assert "\x1b" not in printed
    assert "score " in seen
    assert " edges" in seen
    assert seen.count("searching") >= 3


@pytest.mark.parametrize(("option", "variable"), [("--quiet", {}), (None, {"TERM": "dumb"})])
def test_nothing_moves_where_it_is_not_wanted(
    long_command: list[str], option: str | None, variable: dict[str, str]
) -> None:
    command = [*long_command, "--time-limit", "2", *([option] if option else [])]
    code, printed, seen = on_a_terminal(command, **variable)
    assert (code, seen) == (0, "")
    assert (printed == "") == (option == "--quiet")


@pytest.mark.clock
def test_no_color_leaves_no_colour(long_command: list[str]) -> None:
    _, _, seen = on_a_terminal([*long_command, "--time-limit", "2"], NO_COLOR="1")
    assert "searching" in seen
    assert not re.search(r"\x1b\[[0-9;]*m", seen)


def test_forced_colours_do_not_reach_a_pipe(table: str) -> None:
    run = subprocess.run(
        [*GREEDAG, "learn", table],
        capture_output=True,
        env=ONE_THREAD | {"FORCE_COLOR": "1", "TTY_COMPATIBLE": "1"},
        check=True,
    )
    assert b"\x1b" not in run.stdout + run.stderr


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_click_or_rich_it_says_what_to_install(missing: str) -> None:
    script = f"""
        import sys
        sys.modules["{missing}"] = None
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
    assert run.stderr.count("\n") == 1


def test_a_table_of_numbers_is_learned_without_pandas(table: str) -> None:
    """Its import takes longer than the rest, and Arrow starts it where Ctrl-C gets lost."""
    script = f"""
        import sys
        from greedag.cli import main
        code = main(["learn", {table!r}, "--quiet"])
        sys.exit(code or "pandas" in sys.modules)
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], env=ONE_THREAD, check=True)
