"""The runner of the paper's experiments: kills, torn lines, peers that fail, a cluster."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from paper import methods
from paper.cells import TIMES, Cell, Row, measure
from paper.experiments import Grid
from paper.methods import causal_learn, flop
from paper.methods.peer import environment
from paper.runner import judge_again, keep, run
from paper.store import appending, load, rewrite

CELLS = list(Grid(("GES", "XGES-0", "XGES"), (6, 9), (2,), seeds=10, n=(1000,)).cells())
SCRIPT = """
import sys
from pathlib import Path
from paper.experiments import Grid
from paper.runner import run
if __name__ == "__main__":
    grid = Grid(("GES", "XGES-0", "XGES"), (6, 9), (2,), seeds=10, n=(1000,))
    run(list(grid.cells()), Path(sys.argv[1]), limit=60.0, jobs=2)
"""


def facts(path: Path) -> set[tuple[tuple[str, Any], ...]]:
    """Return the rows of a file as a set, without what differs from run to run."""
    rows = load(path).values()
    return {tuple((k, v) for k, v in row.items() if k not in TIMES) for row in rows}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("undisturbed") / "rows.jsonl"
    run(CELLS, path, limit=60.0, jobs=1)
    return path


def started(path: Path, script: Path) -> subprocess.Popen[bytes]:
    """Start a runner in a process of its own."""
    script.write_text(SCRIPT, encoding="utf-8")
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(script), str(path)]
    return subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    return [int(c) for c in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def is_killed_in_the_middle(path: Path, script: Path) -> bool:
    """Start a runner, and kill it when it has added some rows, unless it has ended by then."""
    runner = started(path, script)
    had = len(path.read_bytes().splitlines()) if path.exists() else 0
    stop = had + random.randint(1, (len(CELLS) - had) // 2)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and runner.poll() is None:
        if path.exists() and path.read_bytes().count(b"\n") >= stop:
            break
        time.sleep(0.002)
    workers = [] if runner.poll() is not None else children(runner.pid)
    runner.send_signal(signal.SIGKILL)
    if runner.wait() == 0:
        return False
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(is_running, workers))
    assert had < len(load(path))
    return len(load(path)) < len(CELLS)


@pytest.mark.clock
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads /proc")
def test_killed_at_random_moments_and_started_again_ends_with_the_same_rows(
    undisturbed: Path, tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    killed = 0
    while killed < 2:
        killed += 1
        if not is_killed_in_the_middle(path, tmp_path / "script.py"):
            path.unlink()  # the machine was faster: once more from the start
            killed = 0
    assert started(path, tmp_path / "script.py").wait(timeout=120) == 0
    assert facts(path) == facts(undisturbed)
    assert len(path.read_bytes().splitlines()) == len(CELLS)


def test_a_line_torn_at_any_byte_is_run_again(undisturbed: Path, tmp_path: Path) -> None:
    whole = undisturbed.read_bytes()
    last = whole[:-1].rfind(b"\n") + 1
    path = tmp_path / "rows.jsonl"
    for cut in range(last, len(whole)):
        path.write_bytes(whole[:cut])
        assert len(load(path)) == len(CELLS) - 1
        with appending(path):
            pass
        assert path.read_bytes() == whole[:last]
    path.write_bytes(whole[: last + 40])
    run(CELLS, path, limit=60.0, jobs=1)
    assert facts(path) == facts(undisturbed)


def test_finished_cells_are_not_run_again(undisturbed: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(undisturbed.read_bytes())
    run(CELLS, path, limit=60.0, jobs=1)
    assert path.read_bytes() == undisturbed.read_bytes()


def test_judging_again_adds_what_is_missing_and_keeps_the_seconds(
    undisturbed: Path, tmp_path: Path
) -> None:
    path, before = tmp_path / "rows.jsonl", list(load(undisturbed).values())
    poor = [{name: row[name] for name in row if name != "aid"} | {"seconds": 7.0} for row in before]
    poor[0]["shd"] += 1
    rewrite(path, poor)
    odd = judge_again(CELLS, path, limit=60.0, jobs=1)
    assert odd == [Cell.of(before[0])]
    after = load(path)
    for row in before:
        if Cell.of(row) not in odd:
            assert after[Cell.of(row)] == row | {"seconds": 7.0}
    assert "aid" not in after[odd[0]]


def test_a_file_that_holds_something_else_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"method": "GES"}\n')
    with pytest.raises(ValueError, match="line 1 is no row"):
        load(path)


def test_two_runners_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with appending(path), pytest.raises(BlockingIOError):
        run(CELLS[:1], path, limit=60.0, jobs=1)


def status(cell: Cell, environments: Path, limit: float = 60.0) -> Row:
    return measure(cell, limit, environments)


def pretended(folder: Path, adapter: Any) -> Path:
    """Make an environment whose Python is this one, with what the tests have installed."""
    peer = environment(adapter)
    python = folder / peer.name / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    (folder / peer.name / "installed").write_text("\n".join(peer.requirements), encoding="utf-8")
    return folder


@pytest.mark.parametrize("method", methods.ADAPTERS)
def test_a_peer_that_is_absent_gets_a_row_that_says_so(method: str, tmp_path: Path) -> None:
    row = status(Cell(method, 5, 1, 100), tmp_path)
    assert row["status"] == "absent"
    assert "is not installed" in row["note"]
    assert Cell.of(row) == Cell(method, 5, 1, 100)


def test_a_peer_that_fails_gets_a_row_with_its_last_words(tmp_path: Path) -> None:
    row = status(Cell("FLOP", 5, 1, 100), pretended(tmp_path, flop))
    assert row["status"] == "failed"
    assert row["note"] == "ModuleNotFoundError: No module named 'flopsearch'"


def test_a_peer_beyond_its_time_limit_is_ended_and_recorded(tmp_path: Path) -> None:
    pytest.importorskip("causallearn")
    cell = Cell("GES (causal-learn)", 8, 2, 1000)
    row = status(cell, pretended(tmp_path, causal_learn), limit=0.01)
    assert (row["status"], row["note"]) == ("time limit", "took more than 0.01 s")


def test_a_peer_that_ends_is_judged_like_ours(tmp_path: Path) -> None:
    pytest.importorskip("causallearn")
    cell = Cell("BOSS (causal-learn)", 5, 1, 5000, seed=1)
    row = status(cell, pretended(tmp_path, causal_learn))
    ours = status(Cell("XGES", 5, 1, 5000, seed=1), tmp_path)
    assert row["status"] == ours["status"] == "ok"
    assert row["true_score"] == ours["true_score"]
    assert row["score"] == pytest.approx(ours["score"], abs=1e-2)
    assert row["shd"] == ours["shd"]


def test_our_own_search_beyond_its_limit_is_recorded_too(tmp_path: Path) -> None:
    assert status(Cell("XGES", 150, 4, 10_000), tmp_path, limit=0.0)["status"] == "time limit"


def test_rows_that_are_not_kept_are_run_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    wanted = [Cell("FLOP", 5, 1, 100), Cell("GES", 5, 1, 100)]
    run(wanted, path, limit=60.0, jobs=1, environments=tmp_path / "nowhere")
    assert sorted(row["status"] for row in load(path).values()) == ["absent", "ok"]
    keep(path, lambda _, row: row["status"] == "ok")
    assert list(load(path)) == [Cell("GES", 5, 1, 100)]
    run(wanted, path, limit=60.0, jobs=1, environments=tmp_path / "nowhere")
    assert set(load(path)) == set(wanted)


@pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")
def test_a_dask_cluster_gives_the_same_rows(undisturbed: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    from helpers.local_cluster import two_workers

    path = tmp_path / "rows.jsonl"
    peers = [Cell("FLOP", 5, 1, 100), Cell("GES (causal-learn)", 5, 1, 100)]
    pretended(tmp_path, causal_learn)
    with two_workers() as cluster:
        options = {"cluster": cluster.scheduler_address, "environments": tmp_path}
        run([*CELLS, *peers], path, limit=60.0, **options)
        with distributed.Client(cluster) as client:
            places = client.run(eval, "__import__('paper').__file__")
    # The code went to the workers with the work: they need not have it.
    assert all("paper.zip" in place for place in places.values())
    rows = load(path)
    assert [rows.pop(cell)["status"] for cell in peers] == ["absent", "ok"]
    assert len(rows) == len(CELLS)
    assert facts(undisturbed) < facts(path)
