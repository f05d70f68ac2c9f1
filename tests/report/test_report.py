"""What the report says, and what it leaves out."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from greedag import (
    CPDAG,
    MissingExtraError,
    Moments,
    Operator,
    OptionError,
    Result,
    learn,
    simulate,
)
from greedag.drawing import labels
from greedag.errors import Note
from greedag.report import page, summary, tables
from greedag.result import explain
from helpers.hostile_names import HOSTILE_NAMES
from helpers.plant_names import PLANT_NAMES
from helpers.reports import WHEN, data_of, learned, text_of


@pytest.fixture(scope="module")
def small() -> Result:
    return learned(37, PLANT_NAMES)


def test_the_same_result_gives_the_same_report(small: Result) -> None:
    assert text_of(small) == text_of(small)


def test_a_report_speaks_of_no_other_address(small: Result) -> None:
    text = text_of(small).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//[a-z]", re.sub(r"^\s*//.*|/\*.*?\*/", "", text, flags=re.M))


def test_without_moments_the_report_says_what_is_missing(small: Result, tmp_path: Path) -> None:
    text = text_of(dataclasses.replace(small, statistics=None))
    assert "loaded without data" in text and "Result.load(path, data=table)" in text
    assert "Strength</th>" not in text
    assert data_of(text)["names"] == list(PLANT_NAMES)


def test_a_stopped_search_is_said_to_be_stopped(small: Result) -> None:
    text = text_of(dataclasses.replace(small, stopped="time limit"))
    summary = text[text.index("What was learned") :]
    assert re.search(
        r"^What was learned</h3>\s*<ul><li>The search was stopped early \(time limit\)", summary
    )
    assert "The search was stopped early" in text
    assert "some edges may not have been tried" in text
    assert "search was stopped (" not in text_of(small)


def test_a_search_stopped_before_its_first_step_claims_nothing() -> None:
    rows = simulate.linear_gaussian(8, 2.0, 500, seed=1).data
    text = text_of(learn(rows, time_limit=0.0))
    assert "stopped (time limit) before its first step" in text
    assert "no edge before it was stopped. This says nothing about the columns." in text
    assert "raised the score" not in text and "predict" not in text


def test_no_edge_means_that_none_would_raise_the_score() -> None:
    text = text_of(learn(np.random.default_rng(1).normal(size=(500, 3)), alpha=50.0))
    assert "no edge that would raise the score" in text
    assert "No valid step raised the score" in text
    assert "predict" not in text


def test_edges_beyond_the_limit_are_left_out_and_counted(
    small: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_EDGES", 10)
    text = text_of(small)
    assert len(data_of(text)["edges"]) == 10
    assert f"{len(small.strengths()) - 10} are left out" in text


def test_coefficients_are_given_where_every_member_has_the_same(small: Result) -> None:
    rows = list(tables.edge_rows(small, small.cpdag.names, small.strengths()))
    given = {(row.a, row.b): row.coefficient for row in rows if row.coefficient}
    assert 0 < len(given) < len(rows)
    members = small.cpdag.sample_dags(8, seed=1)
    seen = [{(e.parent, e.child): e for e in small.coefficients(dag)} for dag in members]
    for pair, (value, error) in given.items():
        for found in seen:
            assert (found[pair].value, found[pair].standard_error) == pytest.approx((value, error))


def test_of_many_columns_the_first_are_listed_and_the_file_stays_small() -> None:
    result = learned(700, rho=1.0)
    text = text_of(result)
    assert "Only the first 500 of 700 columns are listed." in text
    assert len(data_of(text)["names"]) == 700
    assert len(text) < 3_000_000


def test_nearly_collinear_narrow_and_few_are_warned_of() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=40)
    rows = np.column_stack(
        [a, a + 0.01 * rng.normal(size=40), 1e7 + rng.normal(size=40), *rng.normal(size=(4, 40))]
    )
    moments = Moments.from_data(rows, names=["a", "a copy", "tiny", "d", "e", "f", "g"])
    found = tables.summarise(moments)
    few, collinear, narrow = tables.warnings(moments, found, moments.names)
    assert "40 rows, 7 columns" in few
    assert "2 columns" in collinear and "with a copy" in collinear
    assert "tiny" in narrow
    expected = 1 / (1 - np.corrcoef(rows[:, :2].T)[0, 1] ** 2)
    assert found.inflation is not None and found.inflation[0] >= expected * 0.99


def test_variance_inflation_is_that_of_a_regression() -> None:
    rows = simulate.linear_gaussian(6, 2.0, 400, seed=2).data
    found = tables.summarise(Moments.from_data(rows))
    assert found.inflation is not None
    centred = rows - rows.mean(axis=0)
    for k in range(6):
        others = np.delete(centred, k, axis=1)
        _, rest, *_ = np.linalg.lstsq(others, centred[:, k], rcond=None)
        assert found.inflation[k] == pytest.approx((centred[:, k] ** 2).sum() / rest[0])


def test_no_more_rows_than_columns_is_warned_of_first() -> None:
    moments = Moments.from_data(np.random.default_rng(0).normal(size=(5, 8)))
    first, *_ = tables.warnings(moments, tables.summarise(moments), moments.names)
    assert first.startswith("There are at most as many rows (5) as columns (8)")


def test_without_jinja2_the_extra_is_named(
    small: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"greedag\[report\]"):
        small.report(tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []


def test_every_asset_is_used_and_is_there() -> None:
    named = {*page.STYLES, *page.SCRIPTS}
    there = {path.name for path in resources.files("greedag.report").joinpath("assets").iterdir()}
    assert named == {name for name in there if not name.endswith(".html")}
    includes = re.findall(r'include "(\S+)"', page.asset("page.html"))
    assert {"page.html", *includes} == there - named


def test_json_in_the_page_cannot_end_its_block() -> None:
    for name in HOSTILE_NAMES:
        block = page.json_block([name, "</script>", "<!--", "\u2028"])
        assert not set(block) & set("<>&\u2028") and block.isascii()
        assert json.loads(block)[0] == name


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (-170434.2, -92756.1), (1e-9, 3e-9), (0.0, 73.0), (5e8, 5e8 + 3)]
)
def test_ticks_are_round_few_and_inside(low: float, high: float) -> None:
    found = labels.ticks(low, high, 6)
    steps = np.diff(found)
    assert 2 <= len(found) <= 8
    assert steps == pytest.approx(steps[0], rel=1e-6)
    assert low - 1e-9 * abs(low) <= found[0] and found[-1] <= high + 1e-9 * abs(high)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.00"),
        (1234.56, "1,235"),
        (-1.23456, "−1.23"),
        (0.000001, "1.00e-06"),
        (-2e12, "−2.00e+12"),
    ],
)
def test_amounts_have_three_digits(number: float, text: str) -> None:
    assert labels.amount(number) == text


def test_whole_numbers_of_any_size_are_shown() -> None:
    assert labels.whole(10**11) == "100,000,000,000"
    assert labels.whole(3 * 10**5000) == "about 3.0 × 10^5000"


def test_spreads_beyond_doubles_are_shown() -> None:
    assert labels.amount_of_log(1000 * np.log(10)) == "1.00e+1000"
    assert labels.amount_of_log(np.log(2.5)) == "2.50"


def test_titles_are_text(small: Result) -> None:
    text = page.render(small, title="<b>a</b>\x07", when=WHEN)
    assert "<h1>&lt;b&gt;a&lt;/b&gt;\\x07</h1>" in text


def test_the_line_to_repeat_a_result_is_quoted_and_has_known_options_only(small: Result) -> None:
    odd = dataclasses.replace(
        small, search="xges; reboot", settings=dict(small.settings) | {"out $(x)": 1}
    )
    line = summary.settings_part(odd, WHEN, "1")["shell"]
    words = shlex.split(line)
    assert words[:5] == ["greedag", "learn", "table.csv", "--search", "xges; reboot"]
    assert {word for word in words if word.startswith("--")} == {
        "--search",
        "--score",
        "--alpha",
        "--effort",
        "--seed",
        "--clique-cap",
        "--report",
    }
    plain = summary.settings_part(small, WHEN, "1")["shell"]
    assert plain.startswith(
        "greedag learn table.csv --search xges --score gaussian-bic --alpha 2.0 "
    )


def test_control_characters_in_notes_are_shown_as_escapes(small: Result) -> None:
    text = text_of(dataclasses.replace(small, notes=("a\x1b[31m <b>",)))
    assert "A\\x1b[31m &lt;b&gt;." in text


def test_timings_that_are_not_known_are_said_to_be_so(small: Result) -> None:
    text = text_of(dataclasses.replace(small, timings={}))
    assert "not known" in text and "The search took" not in text


def test_columns_with_nearly_as_many_parents_as_rows_are_no_findings() -> None:
    rows = np.random.default_rng(4).normal(size=(12, 30))
    result = learn(rows, alpha=0.5)
    dag = result.cpdag.to_dag()
    fitted = [f"x{i}" for i in range(30) if dag[:, i].sum() > 0 and 12 - dag[:, i].sum() - 1 < 10]
    assert fitted
    text = text_of(result)
    assert "nearly as many parents as there are rows (12)" in text
    found = list(tables.edge_rows(result, result.cpdag.names, result.strengths()))
    marked = [row for row in found if row.overfitted]
    assert {row.b for row in marked if row.directed} <= set(fitted)
    assert marked and all("too few rows" in row.amount and not row.effect for row in marked)
    assert "provided that there are many rows" in text


def test_strengths_are_computed_once(small: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = explain.strengths
    monkeypatch.setattr(explain, "strengths", lambda *given: calls.append(1) or real(*given))
    text_of(small)
    assert len(calls) == 1


def test_a_reversal_in_the_trace_is_said_as_the_edge_was_and_is(small: Result) -> None:
    reversal = Operator("reverse", 0, 1, (), (), (), 2.0)
    plot = summary.trace_plot(dataclasses.replace(small, trace=(reversal,)))
    assert plot is not None
    a, b = PLANT_NAMES[:2]
    assert [mark.text for mark in plot.marks] == [
        f"step 1: reverse {b} → {a} to {a} → {b} (gain 2)"
    ]


def test_the_fingerprint_of_data_is_known_without_the_data(small: Result, tmp_path: Path) -> None:
    small.save(tmp_path / "r.json")
    loaded = Result.load(tmp_path / "r.json")
    assert loaded.moments is None
    assert summary.fingerprint(loaded) == summary.fingerprint(small)
    assert summary.fingerprint(small) in text_of(loaded)
    assert summary.fingerprint(dataclasses.replace(loaded, fingerprint=None)) == "not known"


def test_a_title_that_is_no_text_is_refused(small: Result, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="title must be text, not NoneType"):
        small.report(tmp_path / "r.html", title=None)  # type: ignore[arg-type]


def test_the_sample_of_a_directed_edge_has_an_arrowhead(small: Result) -> None:
    text = text_of(small)
    assert 'class="sample directed"' in text and ".sample.directed::after" in text


def data_section(text: str) -> str:
    section = text[text.index('<section id="columns"') :]
    return section[: section.index("</section>")]


def test_a_report_of_a_mixed_table_says_what_the_columns_are() -> None:
    rng = np.random.default_rng(2)
    rows = np.column_stack([rng.normal(size=(200, 2)), rng.integers(0, 3, (200, 1))])
    result = learn(rows, kinds={"x0": "continuous", "x1": "continuous", "x2": "discrete"})
    section = data_section(text_of(result))
    assert "200 rows of 2 continuous and 1 discrete column." in section
    assert "not part of this result" not in section


def test_levels_are_listed_with_their_frequencies() -> None:
    rng = np.random.default_rng(2)
    rows = np.column_stack([rng.normal(size=200), np.repeat([0, 1, 2], [120, 60, 20])])
    section = data_section(text_of(learn(rows, kinds={"x1": "discrete"})))
    shown = re.findall(r"<span>(\S+) <b>([^<]+)</b></span>", section)
    assert shown == [("0.0", "60 %"), ("1.0", "30 %"), ("2.0", "10 %")]
    assert "Mean" in section and "Variance inflation" not in section
    letters = [[letter, "xy"[k % 2]] for k, letter in enumerate("abcdefghij" * 20)]
    section = data_section(text_of(learn(np.array(letters))))
    assert "and 4 more" in section and "Mean" not in section


def test_missing_values_of_discrete_columns_are_listed() -> None:
    rows = np.array([["a", "x"], ["b", None], ["a", "y"], ["b", "x"]] * 10, dtype=object)
    section = data_section(text_of(learn(rows, missing="test-wise")))
    assert "Missing" in section and ">25 %</td>" in section and ">0 %</td>" in section


def test_notes_on_the_run_stand_there_and_all_others_among_the_warnings(small: Result) -> None:
    notes = (Note("the cap was met", code="clique-cap"), Note("rows lack values", code="new"))
    text = text_of(dataclasses.replace(small, notes=notes))
    warnings = text[text.index("Warnings</h3>") : text.index('<section id="graph"')]
    about = text[text.index("About this run</h2>") :]
    assert "Rows lack values." in warnings and "cap was met" not in warnings
    assert "The cap was met." in about and "Rows lack" not in about


def figures(text: str) -> dict[str, str]:
    return dict(re.findall(r"<div><dt>([^<]+)</dt><dd>([^<]+)</dd></div>", text.split("</dl>")[0]))


def test_the_gap_stands_where_it_is_known_and_the_gain_where_it_is_not(small: Result) -> None:
    few = learn(simulate.linear_gaussian(6, 1.5, 300, seed=1).data)
    assert few.gap == 0.0 and figures(text_of(few))["Optimality"] == "proven"
    assert figures(text_of(small))["Optimality gap"] == f"at most {labels.amount(small.gap)}"
    without = figures(text_of(dataclasses.replace(small, statistics=None)))
    gain = sum(operator.gain for operator in small.trace)
    assert without["Gain over no edges"] == labels.amount(gain)
    assert "Score" not in without and labels.amount(small.score, 6) in text_of(small)


def test_coefficients_show_their_signs() -> None:
    rng = np.random.default_rng(1)
    a, b, noise = rng.normal(size=(3, 300))
    found = learn(np.column_stack([a, b, a - b + noise]))
    rows = list(tables.edge_rows(found, found.cpdag.names, found.strengths()))
    signs = {row.effect[0] for row in rows if row.coefficient}
    assert signs == {"+", "−"}
    assert all(
        (row.effect[0] == "+") == (row.coefficient[0] > 0) for row in rows if row.coefficient
    )


class OwnScore:
    def local_score(self, y: int, parents: tuple[int, ...]) -> float:
        return -float(len(parents))


def test_a_report_on_a_score_of_ones_own_says_why_it_says_nothing_of_the_data(
    tmp_path: Path,
) -> None:
    result = learn(np.random.default_rng(3).normal(size=(50, 2)), score=OwnScore())
    text = text_of(result)
    assert "Only your custom score saw the data" in data_section(text)
    assert "Your custom score (here local score = OwnScore)" in text
    assert "score=your_score" in text and "--score custom" not in text
    result = dataclasses.replace(result, cpdag=CPDAG.from_dag([[0, 1], [0, 0]], ["x0", "x1"]))
    result.save(tmp_path / "r.json")
    text = text_of(Result.load(tmp_path / "r.json"))
    assert "not part of this result" in data_section(text)
    assert "cannot hold your own score" in text and "data=table" not in text


def test_an_exact_search_is_not_called_greedy(small: Result) -> None:
    rows = np.random.default_rng(1).normal(size=(50, 3))
    assert "Proven optimal: no graph scores higher." in text_of(learn(rows, search="exact"))
    wide = dataclasses.replace(learned(14), statistics=None)
    assert "The search is greedy" in text_of(wide) and "Proven" not in text_of(wide)


def certainty_of(text: str) -> str:
    (said,) = re.findall(r"<b>Certainty\.</b> (.*?) Other graphs may", text, re.S)
    return str(said)


@pytest.mark.parametrize("search", ["xges", "xges0", "ges", "fges", "exact"])
@pytest.mark.parametrize("score", ["gaussian-bic", "bge", "bdeu", "degenerate-gaussian"])
def test_what_is_said_of_optimality_is_so(search: str, score: str, tmp_path: Path) -> None:
    rows = np.random.default_rng(8).integers(0, 3, (80, 6)).astype(float)
    rows[:, 1:4] += rows[:, :1]
    kinds = "continuous" if score == "degenerate-gaussian" else None
    result = learn(rows, search=search, score=score, kinds=kinds)
    said = certainty_of(text_of(result))
    assert ("Proven optimal" in said) <= (result.gap == 0.0)
    assert (result.gap == 0.0) <= ("Proven optimal" in certainty_of(text_of(result)))
    if search == "exact":
        assert "Proven optimal" in said
        result.save(tmp_path / "r.json")
        assert certainty_of(text_of(Result.load(tmp_path / "r.json"))) == said
    stopped = dataclasses.replace(result, stopped="time limit", statistics=None)
    assert "The search was stopped early" in certainty_of(text_of(stopped))


def test_a_gap_that_is_known_is_a_bound_and_no_proof() -> None:
    wide = learned(14)
    assert "No graph scores more" not in text_of(wide)
    gap = wide.gap
    said = certainty_of(text_of(wide))
    assert said == "Proven optimal: no graph scores higher." if gap == 0.0 else "No graph" in said


def test_an_exact_search_with_a_score_that_tells_members_apart_is_not_called_proven() -> None:
    class Uneven:
        def local_score(self, y: int, parents: tuple[int, ...]) -> float:
            return 100.0 * (y == 0 and parents == (1,)) - 10.0 * len(parents)

    result = learn(np.zeros((30, 2)), score=Uneven(), search="exact")
    assert (result.gap > 0.0) == ("Proven" not in certainty_of(text_of(result)))


@pytest.mark.parametrize(
    ("score", "overlooked", "said"),
    [
        ("gaussian-bic", "cycles and non-linear effects.", "Only linear effects of continuous"),
        ("extended-bic", "cycles and non-linear effects.", "Only linear effects of continuous"),
        ("bge", "cycles and non-linear effects.", "Only linear effects of continuous"),
        ("discrete-bic", "table and cycles.", "Effects may have any form"),
        ("bdeu", "table and cycles.", "Effects may have any form"),
        ("degenerate-gaussian", "between levels of another column.", "effects add up"),
        ("conditional-gaussian", "within a combination of levels.", "Within each combination"),
        (OwnScore(), "table and cycles.", "is up to your custom score"),
    ],
)
def test_each_score_says_which_forms_of_effects_it_knows(
    score: Any, overlooked: str, said: str
) -> None:
    rows = np.random.default_rng(5).integers(0, 3, (60, 3)).astype(float)
    is_mixed = score in ("degenerate-gaussian", "conditional-gaussian")
    text = text_of(learn(rows, score=score, kinds="continuous" if is_mixed else None))
    (limits,) = re.findall(r"Not considered: (.*?)</li>", text)
    assert limits.endswith(overlooked) or overlooked in limits
    assert ("linear" in limits) == ("table and cycles" not in overlooked)
    assert said in text
    assert ("It measures evidence" in text) == (not isinstance(score, OwnScore))
