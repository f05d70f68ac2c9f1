"""Probabilities of edges and paths of tables, against a sum over each DAG."""

from __future__ import annotations

import _thread
import pickle
import threading
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import greedag
from greedag import (
    DataError,
    FileError,
    OptionError,
    Posterior,
    PosteriorProgress,
    TimeLimitError,
    posterior,
    simulate,
)
from greedag._options import DataOptions
from greedag.scores import BDeu, BGe, GaussianBIC
from greedag.scores.select import prepare
from oracle import posterior as twin

PRIORS = ("orders", "uniform")
CLOSE = 1e-9
NAMES = tuple("abcde")
TIERS = {"tiers": [["b", "e"], ["a", "c"], ["d"]], "forbidden": [["a", "d"]]}


def numbers(seed: int, n: int = 80) -> dict[str, NDArray[Any]]:
    data = simulate.linear_gaussian(5, 1.5, n, seed=seed).data
    return dict(zip(NAMES, np.asarray(data).T, strict=True))


def levels(seed: int) -> dict[str, NDArray[Any]]:
    return {name: (v > np.median(v)).astype(str) for name, v in numbers(seed).items()}


def local_scores(data: Any, score: Any) -> list[NDArray[np.float64]]:
    """Return the score of each column by its parents' mask."""
    chosen, prepared = prepare(data, score, None, DataOptions())
    bound = chosen.bind(prepared.statistics)
    d = len(prepared.statistics.names)
    tables = []
    for y in range(d):
        table = np.full(1 << d, np.nan)
        others = [x for x in range(d) if x != y]
        for size in range(d):
            for parents in combinations(others, size):
                table[sum(1 << p for p in parents)] = bound.local_score(y, list(parents))
        tables.append(table)
    return tables


def compare(found: Posterior, expected: twin.Probabilities) -> None:
    assert np.abs(found.directed - expected.edges).max() <= CLOSE
    assert np.abs(found.ancestor - expected.paths).max() <= CLOSE
    assert found.log_evidence == pytest.approx(expected.log_evidence, rel=1e-11, abs=CLOSE)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("score", [BGe(edge_penalty=0.0), BGe(), GaussianBIC(1.0), BDeu()])
def test_probabilities_of_a_table_are_those_of_all_dags(score: Any, seed: int, prior: Any) -> None:
    data = levels(seed) if isinstance(score, BDeu) else numbers(seed)
    tables = local_scores(data, score)
    compare(posterior(data, score=score, prior=prior), twin.probabilities(tables, prior))
    forbidden = [(x, y) for x, y in np.ndindex(5, 5) if x != y and not allowed(x, y)]
    limited = posterior(data, score=score, prior=prior, knowledge=TIERS, max_parents=2)
    compare(limited, twin.probabilities(tables, prior, forbidden=forbidden, max_parents=2))


def allowed(x: int, y: int) -> bool:
    tier = {NAMES.index(name): i for i, names in enumerate(TIERS["tiers"]) for name in names}
    return tier[x] <= tier[y] and (NAMES[x], NAMES[y]) != ("a", "d")


def test_the_default_scores_are_marginal_likelihoods() -> None:
    assert posterior(numbers(0)) == posterior(numbers(0), score=BGe(edge_penalty=0.0))
    assert posterior(levels(0)) == posterior(levels(0), score="bdeu")
    mixed = {**numbers(0), "a": levels(0)["a"]}
    assert posterior(mixed).options["alpha"] == 1.0
    assert posterior(numbers(0), alpha=1.5) == posterior(numbers(0), score=GaussianBIC(1.5))


def test_moments_and_threads_change_nothing() -> None:
    data = np.asarray(simulate.linear_gaussian(10, 2.0, 100, seed=2).data)
    found = posterior(data)
    assert found == posterior(greedag.Moments.from_data(data)) == posterior(data, n_jobs=3)
    assert found != posterior(data, prior="uniform")


def test_more_columns_estimate_paths_and_say_so() -> None:
    data = simulate.linear_gaussian(17, 1.0, 100, seed=3).data
    found = posterior(data, max_parents=3)
    (note,) = (note for note in found.notes if note.code == "paths-drawn")
    assert note.counts == {"dags": 10_000}
    assert found.ancestor_error is not None
    dags = found.sample(10_000, seed=0)
    error = np.sqrt(found.directed * (1.0 - found.directed) / len(dags))
    assert (np.abs(dags.mean(axis=0) - found.directed) <= 6.0 * error + 1e-3).all()
    assert (found.ancestor >= dags.mean(axis=0)).all()
    assert (np.diag(found.ancestor) == 1.0).all()
    assert (found.ancestor_error <= 0.005).all()


def test_too_many_columns_are_refused_with_a_remedy() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(DataError, match=r"at most 20 columns.*has 21.*choose 20") as caught:
        posterior(rng.normal(size=(50, 21)))
    assert caught.value.code == "too-many-columns"
    with pytest.raises(OptionError, match=r"at most 16 columns.*has 17.*prior='orders'"):
        posterior(rng.normal(size=(50, 17)), prior="uniform")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"prior": "flat"}, "prior must be 'orders' or 'uniform'"),
        ({"max_parents": -1}, "max_parents"),
        ({"alpha": "stars"}, "alpha must be a number above 0"),
        ({"time_limit": -1.0}, "time_limit"),
        ({"knowledge": {"before": [["a", "b"]]}}, "cannot take 'before' statements"),
        ({"knowledge": {"tiers": [["a"], ["b"]]}}, "a tier for every column"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(OptionError, match=match):
        posterior(numbers(0), **options)


def test_required_arcs_that_no_dag_can_have_are_refused() -> None:
    with pytest.raises(DataError, match="no DAG that agrees"):
        posterior(numbers(0), knowledge={"required": [["a", "b"], ["c", "b"]]}, max_parents=1)


def test_a_time_limit_raises() -> None:
    data = simulate.linear_gaussian(20, 2.0, 100, seed=0).data
    started = time.perf_counter()
    with pytest.raises(TimeLimitError):
        posterior(data, time_limit=0.3)
    assert time.perf_counter() - started < 5.0


def test_ctrl_c_stops_the_sums() -> None:
    data = simulate.linear_gaussian(20, 2.0, 100, seed=0).data
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    started = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        posterior(data, n_jobs=2)
    assert time.perf_counter() - started < 8.0


@pytest.mark.parametrize("prior", PRIORS)
def test_progress_rises_to_the_end(prior: Any) -> None:
    seen: list[PosteriorProgress] = []
    posterior(
        simulate.linear_gaussian(15, 2.0, 100, seed=0).data, prior=prior, progress=seen.append
    )
    shares = [each.share for each in seen]
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] < shares[-1] <= 1.0
    assert "% of the sums over DAGs" in str(seen[-1])


def test_an_error_of_the_callback_is_passed_on() -> None:
    def fail(_: PosteriorProgress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        posterior(simulate.linear_gaussian(16, 2.0, 100, seed=0).data, progress=fail)


@pytest.fixture(scope="module")
def found() -> Posterior:
    return posterior(numbers(1))


def test_the_table_lists_pairs_by_their_probability(found: Posterior) -> None:
    table = found.table()
    assert len(table) == 10
    assert [pair.adjacent for pair in table] == sorted((p.adjacent for p in table), reverse=True)
    for pair in table:
        i, j = NAMES.index(pair.a), NAMES.index(pair.b)
        assert pair.forward == found.directed[i, j] >= found.directed[j, i] == pair.backward
        assert pair.path_forward == found.ancestor[i, j]
        assert pair == found.pair(pair.b, pair.a)
    assert all(pair.adjacent >= 0.5 for pair in found.table(0.5))
    assert len(found.table(0.5)) == (np.triu(found.adjacent) >= 0.5).sum()
    with pytest.raises(OptionError, match="threshold must be from 0 to 1"):
        found.table(2.0)


def test_what_is_not_certain_is_not_shown_as_such(found: Posterior) -> None:
    lines = repr(posterior(numbers(1, 2000)).table()).splitlines()
    assert len(lines) == 11
    assert any(">0.999" in line for line in lines)
    text = str(found)
    assert text.startswith("all DAGs of 5 columns, 80 rows, bge, prior orders: ")
    assert "a → … → b" in text
    assert text.count("\nnote: ") == 2
    assert repr(found) == f"<Posterior: {text.splitlines()[0]}>"
    html = found._repr_html_()
    assert "a ← … ← b" in html
    assert "favours DAGs with many orders" in html


def test_a_file_holds_all_but_the_sums(found: Posterior, tmp_path: Path) -> None:
    found.save(tmp_path / "one")
    for again in (Posterior.load(tmp_path / "one"), pickle.loads(pickle.dumps(found))):
        assert again == found
        assert again.notes == found.notes
        with pytest.raises(DataError, match="call posterior\\(\\) again"):
            again.sample(1)
    with pytest.raises(FileError):
        Posterior.load(tmp_path / "none")
    content = (tmp_path / "one").read_bytes()
    (tmp_path / "one").write_bytes(content[:-100] + b"x" + content[-99:])
    with pytest.raises(FileError, match="damaged"):
        Posterior.load(tmp_path / "one")


@pytest.mark.parametrize("prior", PRIORS)
def test_what_is_certain_has_probability_1_and_is_loaded_again(prior: Any, tmp_path: Path) -> None:
    for d in range(3, 10):
        data = simulate.linear_gaussian(d, 1.5, 1000, seed=d).data
        found = posterior(data, prior=prior)
        for matrix in (found.directed, found.adjacent, found.ancestor):
            assert 0.0 <= matrix.min() <= matrix.max() <= 1.0
        assert (found.ancestor.diagonal() == 1.0).all()
        found.save(tmp_path / "one")
        assert Posterior.load(tmp_path / "one") == found


def test_arrays_cannot_be_written(found: Posterior) -> None:
    with pytest.raises(ValueError, match="read-only"):
        found.directed[0, 1] = 1.0


def test_a_heat_map_shows_each_matrix(found: Posterior) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    for what in ("directed", "adjacent", "ancestor"):
        ax = found.plot(what=what)
        shown = np.ma.filled(ax.images[0].get_array(), np.nan)
        away = ~np.eye(5, dtype=bool)
        assert np.array_equal(shown[away], getattr(found, what)[away])
        plt.close(ax.figure)
    with pytest.raises(OptionError, match="what must be"):
        found.plot(what="path")  # type: ignore[arg-type]
