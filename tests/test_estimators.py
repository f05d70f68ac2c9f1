"""`learn` and the estimators: one road, scikit-learn's protocol, names, limits and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import greedag
from greedag import FGES, GES, OPS, XGES, DataError, Moments, Result, learn, simulate
from greedag._options import SEARCHES
from greedag.metrics import shd
from helpers.timing import least

# Tests that measure time or send signals must not wait for the BLAS threads of a busy machine.
ONE_THREAD = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

ESTIMATORS = {
    "xges": XGES(),
    "xges0": XGES(extended=False),
    "ges": GES(),
    "ges-r": GES(reversals=True),
    "ops": OPS(),
    "fges": FGES(),
}
DRAWN = simulate.linear_gaussian(8, 1.5, 1000, seed=11)
NAMES = ["α", "b b", "c\n", "d", "e", "f", "g", "h"]

COLLINEAR_DATA = (
    "scikit-learn fits make_classification's data here, two columns of which are exact linear "
    "combinations of others; greedag refuses collinear columns by name"
)
# Its rows repeat a few, fewer than there are columns: weighted or repeated, they are collinear.
FEW_DISTINCT_ROWS = "the check's table has fewer distinct rows than columns"
EXPECTED_FAILED_CHECKS = {
    "check_array_api_input": COLLINEAR_DATA,
    "check_sample_weight_equivalence_on_dense_data": FEW_DISTINCT_ROWS,
}


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit from:UserWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore:column.* numbers with at most:greedag.GreedagWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=repr)
def test_scikit_learn_accepts_every_estimator(estimator: Any) -> None:
    report = check_estimator(estimator, expected_failed_checks=EXPECTED_FAILED_CHECKS)
    not_passed = {check["check_name"] for check in report if check["status"] != "passed"}
    assert not_passed <= set(EXPECTED_FAILED_CHECKS)


def test_few_distinct_rows_do_whether_weighted_or_repeated() -> None:
    rows, weights = np.random.default_rng(0).normal(size=(8, 10)), [2, 3, 1, 4, 2, 3, 1, 2]
    weighted = XGES().fit(rows, sample_weight=weights).result_
    repeated = XGES().fit(np.repeat(rows, weights, axis=0)).result_
    assert weighted.cpdag == repeated.cpdag
    assert weighted.score == pytest.approx(repeated.score, rel=1e-9)
    for result in (weighted, repeated):
        assert "8 distinct rows for 10 columns" in str(result)


def test_the_check_of_other_arrays_fails_for_the_stated_reason() -> None:
    from sklearn.datasets import make_classification

    with pytest.raises(greedag.CollinearError):
        XGES().fit(make_classification(n_samples=30, n_features=10, random_state=42)[0])


@pytest.mark.parametrize("search", SEARCHES)
def test_estimators_and_learn_take_the_same_road(search: str) -> None:
    model, result = clone(ESTIMATORS[search]).fit(DRAWN.data), learn(DRAWN.data, search=search)
    assert model.result_ == result
    assert model.cpdag_ == result.cpdag
    assert model.score_ == result.score
    assert np.array_equal(model.adjacency_matrix_, result.cpdag.to_matrix())
    assert model.n_features_in_ == 8
    assert not hasattr(model, "feature_names_in_")


def test_options_reach_the_search() -> None:
    sparse, dense = XGES(alpha=50.0).fit(DRAWN.data), XGES(alpha=0.5).fit(DRAWN.data)
    assert sparse.adjacency_matrix_.sum() < dense.adjacency_matrix_.sum()
    settings = GES(alpha=3, time_limit=60, clique_cap=0).fit(DRAWN.data).result_.settings
    assert settings == {
        "score": "gaussian-bic",
        "alpha": 3.0,
        "effort": 0.0,
        "seed": 0,
        "time_limit": 60.0,
        "clique_cap": 0,
        "hold_out": None,
        "kinds": None,
        "missing": "error",
        "sample_weight": None,
        "drop": None,
        "transform": None,
        "na": None,
        "interventions": None,
    }


def test_options_are_keyword_only() -> None:
    for kind in (XGES, GES, OPS, FGES):
        with pytest.raises(TypeError):
            kind(2.0)
    with pytest.raises(TypeError):
        learn(DRAWN.data, "xges")  # type: ignore[misc]


def test_parameters_can_be_read_set_and_cloned() -> None:
    model = XGES(alpha=3.0)
    assert model.get_params() == {
        "alpha": 3.0,
        "clique_cap": None,
        "hold_out": None,
        "drop": None,
        "effort": None,
        "extended": True,
        "kinds": None,
        "knowledge": None,
        "missing": "error",
        "n_jobs": None,
        "na": None,
        "interventions": None,
        "progress": None,
        "scoring_method": "auto",
        "seed": 0,
        "time_limit": None,
        "transformation": None,
    }
    assert model.set_params(alpha=4.0, extended=False) is model
    assert repr(model) == "XGES(alpha=4.0, extended=False)"
    assert repr(clone(model)) == repr(model)
    assert repr(GES()) == "GES()"


def test_estimators_work_at_the_end_of_a_pipeline() -> None:
    from sklearn.preprocessing import StandardScaler

    fitted = make_pipeline(StandardScaler(), XGES()).fit(DRAWN.data)
    assert fitted[-1].cpdag_ == XGES().fit(DRAWN.data).cpdag_


@pytest.mark.parametrize(
    "make_table",
    [
        lambda data: pd.DataFrame(data, columns=NAMES),
        lambda data: pl.DataFrame(data, schema=NAMES),
        lambda data: pa.table(dict(zip(NAMES, data.T, strict=True))),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_names_of_tables_are_kept(make_table: Any) -> None:
    model = XGES().fit(make_table(DRAWN.data))
    assert list(model.feature_names_in_) == NAMES
    assert model.cpdag_.names == tuple(NAMES)
    assert np.array_equal(model.adjacency_matrix_, XGES().fit(DRAWN.data).adjacency_matrix_)


def test_refitting_on_an_array_forgets_the_names() -> None:
    model = XGES().fit(pd.DataFrame(DRAWN.data, columns=NAMES))
    assert not hasattr(model.fit(DRAWN.data), "feature_names_in_")
    assert model.cpdag_.names == tuple(f"x{i}" for i in range(8))


def test_moments_give_what_the_table_gives() -> None:
    table = pd.DataFrame(DRAWN.data, columns=NAMES)
    assert learn(Moments.from_data(table)) == learn(table)
    covariance = np.cov(DRAWN.data.T, bias=True)
    model = XGES().fit(Moments(n=1000, covariance=covariance, names=NAMES))
    assert model.cpdag_ == learn(table).cpdag
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("search", SEARCHES)
def test_the_order_of_columns_and_rows_and_the_units_do_not_matter(search: str) -> None:
    rng = np.random.default_rng(5)
    order = rng.permutation(8)
    table = pd.DataFrame(DRAWN.data, columns=NAMES)
    straight = learn(table, search=search)
    columns = learn(table.iloc[:, order], search=search)
    assert shd(straight.cpdag, columns.cpdag) == 0
    assert columns.score == pytest.approx(straight.score, rel=1e-9)
    assert learn(table.sample(frac=1, random_state=0), search=search).cpdag == straight.cpdag
    assert learn(table * 1e6 - 3.0, search=search).cpdag == straight.cpdag


def test_fits_in_parallel_threads_give_the_serial_result() -> None:
    moments = Moments.from_data(simulate.linear_gaussian(30, 2.0, 2000, seed=1).data)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: learn(moments), range(8)))
    assert all(result == learn(moments) for result in results)


def test_unusable_data_raise_our_own_errors() -> None:
    with pytest.raises(DataError, match="missing or not finite"):
        learn(np.where(DRAWN.data > 0, DRAWN.data, np.nan))
    table = pd.DataFrame(DRAWN.data, columns=NAMES).assign(d=1.0)
    with pytest.raises(DataError, match=r"constant.*'d'"):
        learn(table)
    with pytest.raises(greedag.CollinearError) as caught:
        learn(table.assign(d=3 * table["e"] + 1))
    assert set(caught.value.columns) == {"d", "e"}


def slow_moments(d: int = 100) -> Moments:
    """One hidden factor behind all columns: without a cap, no search ends on this."""
    loadings = np.random.default_rng(0).uniform(0.5, 1.5, d)
    return Moments(n=10**6, covariance=np.outer(loadings, loadings) + np.eye(d))


def overshoot(search: str, time_limit: float, clique_cap: int | None, *, d: int = 100) -> float:
    moments = slow_moments(d)
    started = time.perf_counter()
    result = learn(moments, search=search, time_limit=time_limit, clique_cap=clique_cap)
    elapsed = time.perf_counter() - started - result.timings["moments"]
    assert result.stopped == "time limit"
    assert result.trace
    return elapsed - time_limit


@pytest.mark.clock
@pytest.mark.parametrize("clique_cap", [None, 0])
@pytest.mark.parametrize("search", SEARCHES)
def test_a_time_limit_is_overshot_by_at_most_a_quarter_of_a_second(
    search: str, clique_cap: int | None
) -> None:
    assert least(lambda: overshoot(search, 0.3, clique_cap), 0.25) <= 0.25


@pytest.mark.clock
def test_longer_time_limits_of_fges_without_a_cap_are_kept_too() -> None:
    # By how much depends on where the deadline falls, so one limit would prove nothing.
    for limit in (1.5, 2.0, 2.25):
        assert least(lambda: overshoot("fges", limit, 0, d=40), 0.25) <= 0.25  # noqa: B023


@pytest.mark.clock
def test_what_another_signal_raises_reaches_the_caller() -> None:
    def expire(number: int, frame: object) -> None:
        raise TimeoutError("from the handler")

    moments = slow_moments()
    before = signal.signal(signal.SIGALRM, expire)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError, match="from the handler"):
            learn(moments, clique_cap=0, time_limit=10.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.clock
def test_ctrl_c_is_answered_within_a_quarter_of_a_second_with_the_class_so_far() -> None:
    script = """
        import signal
        import greedag
        from test_estimators import slow_moments
        signal.signal(signal.SIGINT, signal.default_int_handler)
        moments = slow_moments()
        print("ready", flush=True)
        try:
            greedag.learn(moments, clique_cap=0)
        except greedag.SearchInterrupted as interrupt:
            result = interrupt.result
            print(result.stopped, len(result.trace), flush=True)
    """

    def delay() -> float:
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)],
            stdout=subprocess.PIPE,
            text=True,
            env=ONE_THREAD,
            cwd=os.path.dirname(__file__),
        ) as process:
            try:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n"
                time.sleep(1.0)
                started = time.perf_counter()
                process.send_signal(signal.SIGINT)
                answer = process.stdout.readline().split()
                elapsed = time.perf_counter() - started
                assert process.wait(timeout=10) == 0
            finally:
                process.kill()
        assert answer[0] == "interrupt"
        assert int(answer[1]) > 0
        return elapsed

    assert least(delay, 0.25) <= 0.25


@pytest.mark.clock
def test_an_interrupted_search_is_a_keyboard_interrupt_that_carries_a_result(
    heeds_ctrl_c: None,
) -> None:
    def interrupt_soon() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    moments = slow_moments()
    with ThreadPoolExecutor(1) as pool, pytest.raises(KeyboardInterrupt) as caught:
        pool.submit(interrupt_soon)
        learn(moments, clique_cap=0, time_limit=20)
    assert isinstance(caught.value, greedag.SearchInterrupted)
    result = caught.value.result
    assert isinstance(result, Result)
    assert result.stopped == "interrupt"
    assert "interrupted; this is the best class found so far" in result.notes


@pytest.mark.clock
def test_importing_is_light_and_loads_no_optional_package(tmp_path: Path) -> None:
    script = """
        import sys, time
        started = time.process_time()
        import greedag
        print(time.process_time() - started)
        print(*{"sklearn", "pandas", "polars", "click", "narwhals"} & set(sys.modules))
    """
    # The first import compiles; an installed package has its bytecode.
    compiled = {"PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    seconds = []
    for _ in range(4):
        run = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)],
            capture_output=True,
            text=True,
            check=True,
            env=ONE_THREAD | compiled,
        )
        spent, loaded = run.stdout.split("\n")[:2]
        assert loaded == ""
        seconds.append(float(spent))
    assert min(seconds) < 0.3


def test_version_is_that_of_the_installed_package() -> None:
    from importlib.metadata import version

    assert greedag.__version__ == version("greedag")
    assert all(hasattr(greedag, name) for name in greedag.__all__)


def test_public_names_are_listed_before_they_are_loaded() -> None:
    assert set(greedag.__all__) <= set(dir(greedag))
