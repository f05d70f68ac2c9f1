"""The penalty that is chosen where alpha is left out."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.oracle.penalty import default_alpha

import greedag
from greedag import MixedTable, Moments, Result, learn, score_graph, simulate
from greedag.cli.main import program
from greedag.errors import Note, OptionError
from greedag.report.summary import settings_part
from greedag.scores import AdditiveBIC, DegenerateGaussian, GaussianBIC
from greedag.scores.gaussian import alpha_by_size


def wide(n: int = 40, d: int = 30, *, seed: int = 0) -> Any:
    return simulate.linear_gaussian(d, 1.0, n, seed=seed).data


def mixed(n: int = 40, d: int = 30) -> pd.DataFrame:
    table = pd.DataFrame(wide(n, d), columns=[f"c{j}" for j in range(d)])
    return table.assign(c0=pd.cut(table["c0"], 3, labels=["a", "b", "c"]))


def notes_on_alpha(result: Result) -> list[Note]:
    return [note for note in map(Note, result.notes) if note.code == "alpha"]


@pytest.mark.parametrize("n", [3, 10.5, 50, 100, 500, 1_000, 20_000, 1e8])
@pytest.mark.parametrize("d", [2, 3, 10, 99, 100, 101, 200, 201, 2_000, 20_000])
def test_alpha_matches_the_bisection_of_its_definition(n: float, d: int) -> None:
    assert alpha_by_size(n, d) == pytest.approx(default_alpha(n, d), abs=0.005 + 1e-6)


@pytest.mark.parametrize(("n", "d"), [(500, 50), (10_000, 450), (10**6, 4_000)])
def test_alpha_is_two_for_many_rows_of_few_columns(n: int, d: int) -> None:
    assert alpha_by_size(n, d) == 2.0


def test_alpha_is_two_from_a_thousand_rows_on_for_up_to_two_hundred_columns() -> None:
    assert {alpha_by_size(n, d) for n in (1_000, 1_500, 10**5) for d in range(2, 201)} == {2.0}


@pytest.mark.parametrize("n", [0.5, 1.0, 2.0])
def test_alpha_is_finite_however_few_rows_count(n: float) -> None:
    assert 2.0 <= alpha_by_size(n, 10) < 100.0


def test_independent_columns_get_about_one_edge_per_fifty() -> None:
    # The default allows one of them a table on average. A Poisson variable of mean 12, more than
    # the sum that is allowed of ten tables, exceeds 33 with a probability below 1e-6.
    tables = [np.random.default_rng(seed).standard_normal((100, 50)) for seed in range(10)]
    found = [learn(table, search="xges0").cpdag for table in tables]
    assert sum(len(cpdag.directed) + len(cpdag.undirected) for cpdag in found) <= 33
    weak = [learn(table, search="xges0", alpha=2).cpdag for table in tables]
    assert sum(len(cpdag.directed) + len(cpdag.undirected) for cpdag in weak) > 33


@pytest.mark.parametrize("alpha", [None, "auto"])
@pytest.mark.parametrize(
    ("score", "table", "least"),
    [
        ("auto", wide(), GaussianBIC),
        ("gaussian-bic", wide(), GaussianBIC),
        ("auto", mixed(), DegenerateGaussian),
        ("degenerate-gaussian", mixed(), DegenerateGaussian),
        ("additive", wide(60, 12), AdditiveBIC),
    ],
)
def test_left_out_is_the_same_as_the_number_chosen(
    alpha: Any, score: Any, table: Any, least: Any
) -> None:
    chosen = alpha_by_size(*table.shape)
    assert chosen > 2.0
    result = learn(table, score=score, alpha=alpha, effort=0)
    said = learn(table, score=score, alpha=chosen, effort=0)
    assert result.settings["alpha"] == chosen == result.objective.alpha  # type: ignore[union-attr]
    assert isinstance(result.objective, least)
    assert (result.cpdag, result.score) == (said.cpdag, said.score)
    assert [note.counts for note in notes_on_alpha(result)] == [{"alpha": chosen}]
    assert not notes_on_alpha(said)


@pytest.mark.parametrize(
    ("score", "alpha"),
    [("extended-bic", 1.0), (GaussianBIC(), 2.0), (GaussianBIC(1.5), 1.5), ("gaussian-bic", 0.7)],
)
def test_other_scores_and_numbers_stay_what_they_are(score: Any, alpha: float) -> None:
    given = alpha if alpha == 0.7 else None
    result = learn(wide(), score=score, alpha=given, effort=0, time_limit=5)
    assert result.settings["alpha"] == alpha
    assert not notes_on_alpha(result)


def test_many_rows_keep_two_without_a_note() -> None:
    result = learn(wide(2_000, 8))
    assert result.settings["alpha"] == 2.0
    assert not notes_on_alpha(result)


@pytest.mark.parametrize("score", ["bge", "bdeu"])
def test_auto_is_left_out_where_there_is_no_alpha(score: Any) -> None:
    table = np.random.default_rng(0).integers(0, 3, (50, 4))
    result = learn(table, score=score, alpha="auto", effort=0)
    assert result.score == learn(table, score=score, effort=0).score


def test_auto_is_left_out_where_all_columns_are_discrete() -> None:
    table = np.random.default_rng(0).integers(0, 3, (50, 4))
    assert learn(table, kinds="discrete", alpha="auto").settings["score"] == "bdeu"


@pytest.mark.parametrize("alpha", ["Auto", "two", "", -1, 0, True])
def test_other_words_are_refused(alpha: Any) -> None:
    with pytest.raises(OptionError, match=r"alpha must be a number above 0.*'auto'"):
        learn(wide(), alpha=alpha)


def test_a_score_with_options_excludes_a_word_beside_it() -> None:
    with pytest.raises(OptionError, match="pass the score by name"):
        learn(wide(), score=GaussianBIC(), alpha="auto")


def test_weights_count_as_rows() -> None:
    result = learn(wide(), sample_weight=np.full(40, 0.5), effort=0)
    assert result.settings["alpha"] == alpha_by_size(20.0, 30)


def test_missing_values_count_by_the_effective_rows() -> None:
    table = wide(90, 20)
    table[np.random.default_rng(0).random(table.shape) < 0.1] = np.nan
    result = learn(table, missing="em", effort=0)
    assert result.n < 90
    assert result.settings["alpha"] == alpha_by_size(result.n, 20) > alpha_by_size(90, 20)


def test_experiments_count_all_their_rows() -> None:
    first, second = wide(30, 12), wide(30, 12, seed=1)
    result = learn([(first, None), (second, "x3")], effort=0)
    assert result.settings["alpha"] == alpha_by_size(60, 12) > 2.0
    said = learn([(first, None), (second, "x3")], effort=0, alpha=alpha_by_size(60, 12))
    assert result.score == said.score


def test_batches_count_together() -> None:
    model = greedag.XGES(effort=0).fit(wide(40))
    assert model.result_.settings["alpha"] == alpha_by_size(40, 30)
    model.partial_fit(wide(100, seed=1))
    result = model.result_
    assert result.settings["alpha"] == alpha_by_size(140, 30)
    assert [note.counts["alpha"] for note in notes_on_alpha(result)] == [alpha_by_size(140, 30)]


@pytest.mark.parametrize("data", [wide(), Moments.from_data(wide()), MixedTable.from_data(mixed())])
def test_a_graph_is_scored_as_the_search_scored_it(data: Any) -> None:
    result = learn(data, effort=0)
    assert score_graph(data, result) == pytest.approx(result.score, rel=1e-12)
    assert score_graph(data, result, alpha="auto") == score_graph(data, result)
    alpha: Any = result.settings["alpha"]
    assert score_graph(data, result, alpha=alpha) == score_graph(data, result)
    assert score_graph(data, result, alpha=2.0) != score_graph(data, result)


def test_a_saved_result_keeps_the_number(tmp_path: Path) -> None:
    table = wide()
    result = learn(table, effort=0)
    result.save(tmp_path / "result.json")
    loaded = Result.load(tmp_path / "result.json", data=table)
    assert loaded.settings["alpha"] == result.settings["alpha"] == alpha_by_size(40, 30)
    assert notes_on_alpha(loaded)[0].counts == notes_on_alpha(result)[0].counts
    assert loaded.strengths() == result.strengths()


def test_a_checkpoint_is_of_the_number_chosen(tmp_path: Path) -> None:
    table, path = wide(), tmp_path / "checkpoint"
    learn(table, checkpoint=path)
    learn(table, alpha=alpha_by_size(40, 30), checkpoint=path)
    with pytest.raises(OptionError, match=r"alpha .*not 2\.0"):
        learn(table, alpha=2.0, checkpoint=path)


@pytest.mark.parametrize("kind", ["halves", "bootstrap"])
def test_draws_are_penalised_by_the_number_of_all_rows(kind: Any) -> None:
    table = wide(80, 20)
    chosen = alpha_by_size(80, 20)
    assert chosen < alpha_by_size(40, 20)
    found = greedag.stability(table, draws=6, kind=kind, effort=0)
    said = greedag.stability(table, draws=6, kind=kind, effort=0, alpha=chosen)
    assert found.settings["alpha"] == chosen
    np.testing.assert_array_equal(found.packed, said.packed)
    other = greedag.stability(table, draws=6, kind=kind, effort=0, alpha=2.0)
    assert not np.array_equal(found.packed, other.packed)


def test_the_stability_of_a_result_has_its_penalty() -> None:
    table = wide(80, 20)
    result = learn(table, effort=0)
    found = result.stability(table, draws=4)
    said = greedag.stability(table, draws=4, effort=0, alpha=alpha_by_size(80, 20))
    assert found.settings["alpha"] == result.settings["alpha"]
    np.testing.assert_array_equal(found.packed, said.packed)


def test_the_command_line_takes_the_word_and_states_the_number(tmp_path: Path) -> None:
    table = wide()
    path = tmp_path / "wide.csv"
    pd.DataFrame(table, columns=[f"c{j}" for j in range(30)]).to_csv(path, index=False)
    chosen = f"{alpha_by_size(40, 30):g}"
    outputs = [
        CliRunner().invoke(program(), ["learn", str(path), *said])
        for said in ([], ["--alpha", "auto"], ["--alpha", chosen])
    ]
    assert [done.exit_code for done in outputs] == [0, 0, 0]
    assert all(f"alpha {chosen} was chosen" in done.output for done in outputs[:2])
    assert "was chosen" not in outputs[2].output
    refused = CliRunner().invoke(program(), ["learn", str(path), "--alpha", "best"])
    assert refused.exit_code == 2


def test_a_report_states_the_number_and_its_code_repeats_the_search(tmp_path: Path) -> None:
    table = wide()
    result = learn(table, effort=0)
    chosen: Any = result.settings["alpha"]
    told = settings_part(result, datetime.now(UTC), "0")
    assert ("Penalty α", f"{chosen:g}") in told["settings"]
    call = told["python"].split("result = ")[1].split("\nresult.report")[0]
    repeated = eval(call, {"greedag": greedag, "table": table})
    assert (repeated.cpdag, repeated.score) == (result.cpdag, result.score)
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"Alpha {chosen:g} was chosen for 40 rows of 30 columns" in page
