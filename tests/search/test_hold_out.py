"""Rows held out of learning, against tables that are split by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import (
    XGES,
    DataError,
    FileError,
    Levels,
    MixedTable,
    Moments,
    OptionError,
    Result,
    learn,
    simulate,
)
from greedag.cli.main import main
from greedag.io.checked_json import save_document
from greedag.report.summary import learned as said
from greedag.report.summary import settings_part
from greedag.statistics.basis import BasisMoments
from helpers.experiments import frame as experiments
from helpers.experiments import linear_rows, random_dag
from oracle import effects as twin

NAMES = list("abcdef")
N, SEED = 601, 4


def halves(n: int, share: float = 0.5, seed: int = SEED) -> tuple[Any, Any]:
    """Return which rows are learned from, and which are held out."""
    order = np.random.default_rng([seed, 5, n]).permutation(n)
    held_out = min(round(share * n), n - 1)
    return np.sort(order[held_out:]), np.sort(order[:held_out])


def table(n: int = N) -> pd.DataFrame:
    return pd.DataFrame(simulate.linear_gaussian(6, 1.5, n, seed=2).data, columns=NAMES)


def mixed_table() -> pd.DataFrame:
    frame = table()
    return frame.assign(b=np.where(frame.b > 0, "up", "down"))


def check(found: Result, alone: Result, held_out: Any) -> None:
    """Compare with a result of some rows alone, and with statistics of the others."""
    assert found.cpdag == alone.cpdag
    assert found.score == pytest.approx(alone.score, rel=1e-12)
    assert found.n == alone.n
    assert found.settings["alpha"] == alone.settings["alpha"]
    assert type(found.held_out) is type(held_out)
    check_moments(found.held_out, held_out)


def check_moments(found: Any, true: Any) -> None:
    assert found.n == pytest.approx(true.n, rel=1e-12)
    np.testing.assert_allclose(found.mean, true.mean, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.covariance, true.covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.9])
@pytest.mark.parametrize("as_array", [False, True])
def test_the_graph_is_that_of_the_other_rows_alone(share: float, as_array: bool) -> None:
    data: Any = table().to_numpy() if as_array else table()
    first, second = halves(N, share)
    found = learn(data, hold_out=share, seed=SEED)
    rows = np.asarray(data)
    names = [f"x{j}" for j in range(6)] if as_array else NAMES
    alone = learn(pd.DataFrame(rows[first], columns=names), seed=SEED)
    check(found, alone, Moments.from_data(rows[second]))
    assert found.settings["hold_out"] == share
    assert found.moments == found.statistics


def test_weights_go_with_their_rows() -> None:
    data, weights = table(), np.random.default_rng(0).uniform(0.0, 3.0, N)
    weights[::50] = 0.0
    counts = np.flatnonzero(weights)
    first, second = (counts[part] for part in halves(len(counts)))
    found = learn(data, sample_weight=weights, hold_out=0.5, seed=SEED)
    alone = learn(data.iloc[first], sample_weight=weights[first], seed=SEED)
    check(found, alone, Moments.from_data(data.iloc[second], weights=weights[second]))


@pytest.mark.parametrize("missing", ["drop", "em"])
def test_missing_values_are_treated_in_each_part(missing: Any) -> None:
    data = table()
    data.iloc[::9, 0] = np.nan
    kept = data.dropna() if missing == "drop" else data
    first, second = halves(len(kept))
    found = learn(data, missing=missing, hold_out=0.5, seed=SEED)
    alone = learn(kept.iloc[first], missing=missing, seed=SEED)
    check(found, alone, Moments.from_data(kept.iloc[second], missing=missing))


def test_transformed_columns_are_split_afterwards() -> None:
    data = np.exp(table())
    first, second = halves(N)
    found = learn(data, transform="log", hold_out=0.5, seed=SEED)
    check(found, learn(data.iloc[first], transform="log"), Moments.from_data(table().iloc[second]))


@pytest.mark.parametrize("weighted", [False, True])
def test_discrete_rows_are_dealt_out_by_their_counts(weighted: bool) -> None:
    data = (table() > 0).astype("category")
    weights = np.tile([1.0, 2.0, 0.5], N)[:N] if weighted else None
    found = learn(data, sample_weight=weights, hold_out=0.3, seed=SEED)
    whole: Any = Levels.from_data(data, weights=weights)
    parts: Any = [found.statistics, found.held_out]
    assert all(part.labels == whole.labels for part in parts)
    together = {}
    for part in parts:
        for row, number in zip(part.codes.T.tolist(), part.counts, strict=True):
            together[tuple(row)] = together.get(tuple(row), 0.0) + number
    rows = zip(map(tuple, whole.codes.T.tolist()), whole.counts, strict=True)
    assert together == pytest.approx(dict(rows))
    assert parts[1].n == pytest.approx(0.3 * whole.n, rel=0.05)
    assert found.cpdag == learn(found.statistics, seed=SEED).cpdag
    assert learn(whole, hold_out=0.3, seed=SEED) == learn(whole, hold_out=0.3, seed=SEED)


def test_rows_with_missing_levels_are_dealt_out_too() -> None:
    data = (table() > 0).astype(object)
    data.iloc[::9, 0] = None
    found = learn(data, missing="test-wise", score="bdeu", hold_out=0.5, seed=SEED)
    assert found.held_out is not None and found.n + found.held_out.n == N


@pytest.mark.parametrize("score", ["degenerate-gaussian", "conditional-gaussian"])
def test_rows_of_both_kinds_are_split_as_they_stand(score: Any) -> None:
    data = mixed_table()
    first, second = halves(N)
    found: Any = learn(data, score=score, hold_out=0.5, seed=SEED)
    alone = learn(data.iloc[first], score=score, seed=SEED)
    assert (found.cpdag, found.score) == (alone.cpdag, pytest.approx(alone.score))
    true = MixedTable.from_data(data.iloc[second])
    np.testing.assert_array_equal(found.held_out.values, true.values)
    np.testing.assert_array_equal(found.held_out.codes, true.codes)


def test_both_parts_have_the_curves_of_all_rows() -> None:
    data = simulate.additive(4, 1.0, N, seed=1, curve="tanh").data
    first, second = halves(N)
    found: Any = learn(data, score="additive", hold_out=0.5, seed=SEED)
    bases = BasisMoments.from_data(data).bases
    for part, rows in ((found.statistics, first), (found.held_out, second)):
        check_moments(part.moments, BasisMoments.from_data(data[rows], bases=bases).moments)
    assert found.cpdag == learn(found.statistics, score="additive", seed=SEED).cpdag


def test_the_rows_of_each_experiment_are_split_on_their_own() -> None:
    random, targets = np.random.default_rng(2), [[], [0], [2, 3]]
    tables = linear_rows(random_dag(5, 1.2, random), targets, 200, random)
    tables.append(tables[1][:1])
    targets.append([4])
    found: Any = learn(experiments(tables, targets), interventions="set", hold_out=0.4, seed=SEED)
    parts = [halves(len(part), 0.4) for part in tables]
    for one, place in ((found.statistics, 0), (found.held_out, 1)):
        rows = [part[each[place]] for part, each in zip(tables, parts, strict=True)]
        true = {tuple(t): each for t, each in zip(targets, rows, strict=True) if len(each)}
        assert dict.fromkeys(one.targets) == dict.fromkeys(true)
        for each, counted in zip(one.targets, one.counted, strict=True):
            check_moments(counted, Moments.from_data(true[each], names=found.cpdag.names))
    assert len(found.statistics.targets) == 4 and len(found.held_out.targets) == 3


def test_a_file_is_split_as_the_table_that_it_holds(tmp_path: Path) -> None:
    path, data = tmp_path / "table.csv", table()
    data.to_csv(path, index=False)
    first, second = halves(N)
    found = learn(path, hold_out=0.5, seed=SEED)
    check(found, learn(data.iloc[first]), Moments.from_data(data.iloc[second]))
    assert found.held_out == learn(path, hold_out=0.5, seed=SEED).held_out


@pytest.mark.parametrize("score", ["gaussian-bic", "additive"])
def test_files_that_are_read_in_chunks_are_split_chunk_by_chunk(tmp_path: Path, score: Any) -> None:
    data = table(1000)
    parts = [data.iloc[:100], data.iloc[100:550], data.iloc[550:551], data.iloc[551:]]
    for place, part in enumerate(parts):
        part.to_csv(tmp_path / f"{place}.csv", index=False)
    found: Any = learn(str(tmp_path / "*.csv"), score=score, hold_out=0.2, seed=SEED)
    assert found.n + found.held_out.n == 1000
    assert found.held_out.n == sum(len(halves(len(part), 0.2)[1]) for part in parts)
    rows = [part.iloc[halves(len(part), 0.2)[1]] for part in parts]
    if score == "gaussian-bic":
        check_moments(found.held_out, Moments.from_data(pd.concat(rows)))
    else:
        true = BasisMoments.from_data(pd.concat(rows), bases=found.held_out.bases)
        check_moments(found.held_out.moments, true.moments)


def test_dask_partitions_are_split_one_by_one() -> None:
    frames, dask = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask")
    data = table()
    with dask.config.set(scheduler="synchronous"):
        partitioned = frames.from_pandas(data, npartitions=3)
        found = learn(partitioned, hold_out=0.5, seed=SEED)
        parts = [part.compute() for part in partitioned.partitions]
    first, second = ([p.iloc[halves(len(p))[k]] for p in parts] for k in (0, 1))
    check(found, learn(pd.concat(first)), Moments.from_data(pd.concat(second)))


@pytest.mark.parametrize("alpha", ["stars", "cv", "ebic"])
def test_alpha_is_chosen_by_the_rows_that_are_learned_from(alpha: Any) -> None:
    data = table(200)
    first, _ = halves(200)
    found = learn(data, alpha=alpha, hold_out=0.5, seed=SEED)
    alone = learn(data.iloc[first], alpha=alpha, seed=SEED)
    assert found.settings["alpha"] == alone.settings["alpha"]
    assert found.cpdag == alone.cpdag


def test_effects_are_estimated_on_rows_held_out() -> None:
    data = table()
    found = learn(data, hold_out=0.5, seed=SEED)
    covariance = np.cov(data.iloc[halves(N)[1]].T)
    for effect in found.effects(on="f"):
        assert effect.is_held_out and "too narrow" not in str(effect)
        if effect.is_identified and effect.adjustment is not None:
            x, *others = map(NAMES.index, (effect.x, *effect.adjustment))
            assert effect.estimate == pytest.approx(twin.coefficient(covariance, x, 5, others))
    assert found.effect("a", "b").is_held_out
    assert not learn(data).effect("a", "b").is_held_out


def test_of_the_table_of_the_search_only_rows_held_out_count(tmp_path: Path) -> None:
    data, path = table(), tmp_path / "result.json"
    found = learn(data, hold_out=0.5, seed=SEED)
    found.save(path)
    true = found.effects_matrix()
    for result in (found, Result.load(path)):
        again = result.effects_matrix(data=data)
        np.testing.assert_array_equal(again.least, true.least)
        assert result.effect("a", "b", data=data).is_held_out
        assert not result.effect("a", "b", data=found.statistics).is_held_out
    # Of other tables all rows count.
    plain = replace(found, held_out=None, settings=learn(data).settings)
    for rows in (table(700), Moments.from_data(table(700))):
        other = found.effect("a", "b", data=rows)
        assert other.is_held_out
        assert other.values == plain.effect("a", "b", data=rows).values


@pytest.mark.parametrize("kind", ["discrete", "mixed"])
def test_effects_of_levels_are_estimated_on_rows_held_out(kind: str) -> None:
    data = (table() > 0).astype("category") if kind == "discrete" else mixed_table()
    found = learn(data, hold_out=0.5, seed=SEED)
    assert all(effect.is_held_out for effect in found.effects(on="f"))


def test_the_seed_decides_which_rows_are_held_out() -> None:
    one, same, other = (learn(table(), hold_out=0.5, seed=seed).held_out for seed in (0, 0, 1))
    assert one == same != other


def test_a_result_says_how_many_rows_were_held_out() -> None:
    found = learn(table(), hold_out=0.5, seed=SEED)
    note = next(note for note in found.notes if note.code == "hold-out")
    assert str(note) == (
        "the graph was learned from 301 rows drawn at random; the other 300 were held out, and "
        "effects are estimated on them"
    )
    assert note.counts == {"learned": 301, "held_out": 300}
    assert any("300 of 601 rows, drawn at random, were held out" in s for s in said(found, [], 1))


def test_a_report_repeats_the_split() -> None:
    found = learn(table(), hold_out=0.25, seed=SEED)
    part = settings_part(found, datetime(2026, 1, 1), "1")
    assert ("Held out", "150 rows, 25 % of all") in part["settings"]
    assert "hold_out=0.25" in part["python"] and f"seed={SEED}" in part["python"]
    assert "--hold-out 0.25" in part["shell"]
    scope: dict[str, Any] = {"table": table()}
    exec(part["python"].replace('result.report("report.html")', ""), scope)
    assert scope["result"] == found and scope["result"].held_out == found.held_out


def test_a_loaded_result_has_the_same_halves(tmp_path: Path) -> None:
    path, data = tmp_path / "result.json", table()
    found = learn(data, hold_out=0.5, seed=SEED)
    found.save(path)
    loaded = Result.load(path, data)
    assert loaded == found
    assert (loaded.statistics, loaded.held_out) == (found.statistics, found.held_out)
    assert Result.load(path).held_out is None
    part = Result.load(path, found.statistics)
    assert part.statistics == found.statistics and part.held_out is None
    assert not part.effect("a", "b").is_held_out
    with pytest.raises(DataError, match=r"other data.*rows in the same order"):
        Result.load(path, data.iloc[::-1])
    with pytest.raises(DataError, match="Moments has no rows to hold out"):
        Result.load(path, Moments.from_data(data))


def test_a_loaded_result_of_experiments_has_the_same_halves(tmp_path: Path) -> None:
    random, targets = np.random.default_rng(2), [[], [0]]
    data = experiments(linear_rows(random_dag(5, 1.2, random), targets, 200, random), targets)
    found = learn(data, interventions="set", hold_out=0.5)
    found.save(tmp_path / "result.json")
    loaded: Any = Result.load(tmp_path / "result.json", data)
    assert loaded.held_out.fingerprint() == found.held_out.fingerprint()  # type: ignore[union-attr]


def test_a_damaged_share_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    learn(table(), hold_out=0.5).save(path)
    record = json.loads(path.read_text(encoding="utf-8"))
    record["settings"]["hold_out"] = 1.5
    save_document(path, {name: value for name, value in record.items() if name != "checksum"})
    with pytest.raises(FileError, match="hold_out must be a share"):
        Result.load(path)


def test_a_search_resumes_with_the_same_halves_only(tmp_path: Path) -> None:
    data = simulate.linear_gaussian(16, 2.0, 600, seed=2).data
    options: dict[str, Any] = {"checkpoint": tmp_path / "state", "seed": SEED}
    found = learn(data, hold_out=0.5, effort=1.0, **options)
    assert learn(data, hold_out=0.5, effort=1.0, **options).cpdag == found.cpdag
    with pytest.raises(DataError, match="other data"):
        learn(data, hold_out=0.4, **options)


def test_the_command_holds_rows_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "table.csv", tmp_path / "result.json"
    table().to_csv(path, index=False)
    assert main(["learn", str(path), "--hold-out", "0.5", "--seed", "4", "--out", str(out)]) == 0
    assert "the other 300 were held out" in capsys.readouterr().out
    loaded = Result.load(out, path)
    assert loaded.held_out == learn(path, hold_out=0.5, seed=SEED).held_out
    assert main(["effect", str(out), "a", "b", "--data", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.strip() == str(loaded.effect("a", "b")) and "same rows" not in shown
    assert main(["learn", str(path), "--hold-out", "2"]) == 2
    assert "--hold-out must be a share of the rows" in capsys.readouterr().err


def test_stability_in_the_report_draws_from_all_rows(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    path, report = tmp_path / "table.csv", tmp_path / "report.html"
    table().to_csv(path, index=False)
    command = ["learn", str(path), "--hold-out", "0.5", "--report", str(report), "--quiet"]
    assert main([*command, "--stability", "4"]) == 0
    assert "were held out" in report.read_text(encoding="utf-8")


def test_estimators_hold_rows_out() -> None:
    fitted = XGES(hold_out=0.5, seed=SEED).fit(table())
    assert fitted.result_ == learn(table(), hold_out=0.5, seed=SEED)
    assert fitted.result_.held_out is not None
    with pytest.raises(OptionError, match="hold_out must be left out of partial_fit"):
        fitted.partial_fit(table())


@pytest.mark.parametrize("share", [0, 1, -0.5, 1.5, True, "half", float("nan")])
def test_what_is_no_share_is_refused(share: Any) -> None:
    with pytest.raises(OptionError, match="hold_out must be a share of the rows between 0 and 1"):
        learn(table(), hold_out=share)


def test_what_has_no_rows_is_refused() -> None:
    class Own:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return -float(len(parents))

    with pytest.raises(DataError, match="Moments has no rows to hold out; pass the table itself"):
        learn(Moments.from_data(table()), hold_out=0.5)
    with pytest.raises(DataError, match="BasisMoments has no rows"):
        learn(BasisMoments.from_data(table()), hold_out=0.5)
    with pytest.raises(DataError, match="a custom score: it reads them itself"):
        learn(table(), score=Own(), hold_out=0.5)


def test_drawing_from_rows_that_are_not_in_memory_is_refused(tmp_path: Path) -> None:
    table().to_csv(tmp_path / "table.csv", index=False)
    with pytest.raises(DataError, match="others are drawn only if all are in memory"):
        learn(tmp_path / "table.csv", alpha="stars", hold_out=0.5)


@pytest.mark.parametrize(("n", "share"), [(5, 0.5), (20, 0.9), (20, 0.01)])
def test_too_few_rows_are_refused(n: int, share: float) -> None:
    with pytest.raises(DataError, match=f"hold_out {share:g} leaves .* of {n} rows"):
        learn(table().iloc[:n, :2], hold_out=share)


def test_errors_say_that_they_are_about_a_part_of_the_rows() -> None:
    data = table()
    data["a"] = 0.0
    data.loc[halves(N)[1], "a"] = 1.0 + np.arange(300)
    with pytest.raises(DataError, match=r"^in the rows that are not held out: .*'a'"):
        learn(data, hold_out=0.5, seed=SEED)
