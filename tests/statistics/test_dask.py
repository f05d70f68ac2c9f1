"""Tables on a Dask cluster: a real one, with workers that are processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import XGES, DataError, DataTypeError, Moments, learn, score_graph, simulate
from greedag.data.table import read_table
from greedag.statistics.levels import Levels
from helpers.paths import ROOT

dask = pytest.importorskip("dask", reason="Dask is not installed: pip install 'greedag[cluster]'")
distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")
da = pytest.importorskip("dask.array")

# Dask leaves sockets and event loops to be closed by the garbage collector.
pytestmark = pytest.mark.filterwarnings("default::ResourceWarning", "default::DeprecationWarning")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Run a scheduler and two worker processes on this machine."""
    from helpers.local_cluster import two_workers

    with two_workers() as cluster, distributed.Client(cluster) as client:
        yield client


def table(n: int = 1000, d: int = 6) -> pd.DataFrame:
    """Return a table that is badly scaled: far from zero, and of unequal spread."""
    rows = simulate.linear_gaussian(d, 2.0, n, seed=0).data
    return pd.DataFrame(rows * 10.0 ** np.arange(d) + 1e6, columns=[f"c{j}" for j in range(d)])


def split(frame: pd.DataFrame, *places: int) -> Any:
    """Return a Dask frame with the given boundaries between partitions."""
    bounds = [0, *places, len(frame)]
    parts = [frame.iloc[low:high] for low, high in pairwise(bounds)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=frame.iloc[:0])


def same(moments: Moments, other: Moments) -> None:
    assert (moments.n, moments.names) == (other.n, other.names)
    assert moments.mean == pytest.approx(other.mean, rel=1e-13)
    assert moments.deviations == pytest.approx(other.deviations, rel=1e-9)
    assert np.abs(moments.correlation - other.correlation).max() < 1e-9


@pytest.mark.parametrize(
    "places",
    [(500,), (1, 2, 3), (0, 0, 400, 400, 1000), (7, 11, 999), tuple(range(50, 1000, 50))],
    ids=["halves", "one row each", "empty ones", "unequal", "twenty"],
)
def test_moments_of_partitions_are_those_of_the_table(client: Any, places: tuple[int, ...]) -> None:
    same(Moments.from_data(split(table(), *places)), Moments.from_data(table()))


def test_arrays_in_any_chunks_give_the_moments_of_the_array(client: Any) -> None:
    rows = table().to_numpy()
    for chunks in ((100, 6), (1000, 2), (333, 4)):
        same(Moments.from_data(da.from_array(rows, chunks=chunks)), Moments.from_data(rows))
    unknown = da.from_array(rows, chunks=(100, 6))
    unknown = unknown[unknown[:, 0] > -np.inf]
    same(
        Moments.from_data(unknown, names=list("abcdef")),
        Moments.from_data(rows, names=list("abcdef")),
    )


def test_without_a_cluster_the_table_is_counted_in_this_process() -> None:
    with dask.config.set(scheduler="synchronous"):
        same(Moments.from_data(split(table(), 300)), Moments.from_data(table()))


def test_names_are_those_of_the_frame_unless_others_are_given(client: Any) -> None:
    frame = split(table(), 300)
    assert Moments.from_data(frame).names == tuple(table().columns)
    assert Moments.from_data(frame, names=list("abcdef")).names == tuple("abcdef")
    with pytest.raises(DataError, match="2 names for 6 columns"):
        Moments.from_data(frame, names=["a", "b"])


def test_moments_that_came_from_a_worker_are_read_only(client: Any) -> None:
    moments = Moments.from_data(split(table(), 300))
    assert moments.mean is not None and not moments.mean.flags.writeable
    assert not moments._scaled.flags.writeable


def test_the_column_and_the_partition_of_a_missing_value_are_named(client: Any) -> None:
    frame = table()
    frame.loc[777, "c3"] = np.nan
    with pytest.raises(DataError, match=r"partition 2 .*column 'c3' holds 1 value.* row 77 "):
        Moments.from_data(split(frame, 300, 700))


def test_columns_that_hold_no_numbers_are_named(client: Any) -> None:
    frame = table().assign(c2="text")
    with pytest.raises(DataTypeError, match=r"partition 0 .*column 'c2'"):
        Moments.from_data(split(frame, 300))


def test_partitions_of_other_columns_are_refused(client: Any) -> None:
    parts = [dask.delayed(table()), dask.delayed(table()[[f"c{j}" for j in range(5, -1, -1)]])]
    odd = dd.from_delayed(parts, meta=table().iloc[:0], verify_meta=False)
    with pytest.raises(DataError, match=r"partition 1 .*column 0 is 'c0' in one and 'c5'"):
        Moments.from_data(odd)


def test_what_a_partition_raises_says_that_the_table_could_not_be_computed(client: Any) -> None:
    def read(place: int) -> pd.DataFrame:
        raise OSError("the disk is gone")

    with pytest.raises(DataError, match="could not be computed: the disk is gone"):
        Moments.from_data(dd.from_map(read, [0, 1], meta=table().iloc[:0]))


def test_a_table_of_empty_partitions_has_too_few_rows(client: Any) -> None:
    with pytest.raises(DataError, match=r"0 sample\(s\) \(shape=\(0, 6\)\)"):
        Moments.from_data(split(table().iloc[:0], 0))


@pytest.mark.parametrize(
    "odd",
    [da.zeros(5), da.zeros((5, 2, 2)), split(table(), 5)["c1"], dask.delayed(1)],
    ids=["1-D", "3-D", "series", "delayed"],
)
def test_what_is_no_table_is_refused(odd: Any) -> None:
    with pytest.raises(DataError, match=r"2-D|Dask"):
        Moments.from_data(odd)


def test_no_table_reader_gathers_a_dask_table() -> None:
    with pytest.raises(DataTypeError, match="partition by partition"):
        read_table(split(table(), 5))


def test_learn_and_estimators_take_dask_tables(client: Any) -> None:
    expected = learn(table())
    result = learn(split(table(), 300, 700))
    assert result.cpdag == expected.cpdag
    assert result.score == pytest.approx(expected.score)
    model = XGES().fit(split(table(), 300))
    assert model.cpdag_ == expected.cpdag
    assert list(model.feature_names_in_) == list(table().columns)
    array = da.from_array(table().to_numpy(), chunks=(300, 4))
    assert not hasattr(XGES().fit(array), "feature_names_in_")
    assert score_graph(array, learn(array).cpdag) == pytest.approx(expected.score)


def levels(n: int = 600) -> pd.DataFrame:
    """Return discrete columns, some of whose levels stand in few rows."""
    rng = np.random.default_rng(0)
    first = rng.choice(list("abcdef"), n, p=[0.5, 0.3, 0.1, 0.06, 0.03, 0.01])
    second = np.where(rng.random(n) < 0.7, first, rng.choice(list("abc"), n))
    return pd.DataFrame({"one": first, "two": second, "three": rng.random(n) < 0.5})


def test_discrete_columns_are_counted_partition_by_partition(client: Any) -> None:
    parts = split(levels(), 10, 10, 400)
    assert Levels.from_data(parts) == Levels.from_data(levels())
    result, expected = learn(parts), learn(levels())
    assert result.settings["score"] == "bdeu"
    assert (result.cpdag, result.trace) == (expected.cpdag, expected.trace)


def test_a_score_of_the_users_own_takes_the_names_of_a_dask_table(client: Any) -> None:
    class FewParents:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return -len(parents)

    result = learn(split(levels(), 10, 10, 400), score=FewParents())
    assert (result.n, result.cpdag.names) == (600, ("one", "two", "three"))


def large_part(place: int) -> pd.DataFrame:
    """Return 8 MB of rows."""
    rows = np.random.default_rng(place).normal(size=(100_000, 10))
    return pd.DataFrame(rows, columns=list("abcdefghij"))


def test_no_rows_come_to_the_client(client: Any) -> None:
    frame = dd.from_map(large_part, range(4), meta=large_part(0).iloc[:0])
    Moments.from_data(frame.partitions[:1])
    tracemalloc.start()
    try:
        moments = Moments.from_data(frame)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert moments.n == 400_000
    assert peak < 2e6


def part_on_a_marked_worker(place: int, folder: str) -> pd.DataFrame:
    """Leave a note of who reads, and take a while."""
    Path(folder, f"{place}-{os.getpid()}").touch()
    time.sleep(0.2)
    return table().iloc[100 * place : 100 * (place + 1)]


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(client: Any, tmp_path: Path) -> None:
    frame = dd.from_map(
        part_on_a_marked_worker, range(10), folder=str(tmp_path), meta=table().iloc[:0]
    )
    workers = set(client.run(os.getpid).values())
    killed: list[int] = []

    def kill_one_that_works() -> None:
        while len(notes := sorted(tmp_path.iterdir(), key=os.path.getmtime)) < 4:
            time.sleep(0.01)
        pid = int(notes[-1].name.partition("-")[2])
        assert pid in workers
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    killer = threading.Thread(target=kill_one_that_works)
    killer.start()
    moments = Moments.from_data(frame)
    killer.join()
    assert killed
    same(moments, Moments.from_data(table()))
    readings = [note.name.partition("-")[0] for note in tmp_path.iterdir()]
    assert set(readings) == {str(place) for place in range(10)}
    assert len(readings) > 10  # what the killed one had or was reading was read again


def test_moments_of_several_sites_are_merged_without_their_rows(tmp_path: Path) -> None:
    whole = table()
    for site, rows in enumerate(np.array_split(np.arange(len(whole)), 3)):
        Moments.from_data(whole.iloc[rows]).save(tmp_path / f"site{site}.moments")
    first, second, third = (Moments.load(path) for path in sorted(tmp_path.iterdir()))
    same(first + second + third, Moments.from_data(whole))


def test_the_example_of_several_sites_finds_the_class_of_all_rows() -> None:
    example = ROOT / "examples" / "sites.py"
    told = subprocess.run([sys.executable, example], capture_output=True, text=True, check=True)
    assert "the same class as from all rows: True" in told.stdout
