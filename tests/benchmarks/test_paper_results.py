"""The table of experiments, its statistics, and the page that is written from the rows."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from greedag import CPDAG, Moments, _core, learn, metrics
from greedag.result.result import Operator
from helpers.paths import ROOT
from paper import missed_insert
from paper.cells import Cell, draw
from paper.claims import CLAIMS
from paper.experiments import BY_KEY, EXPERIMENTS, cells
from paper.figures import DRAW
from paper.findings import FIND
from paper.methods import METHODS, ours, plain_ops
from paper.numbers import paired
from paper.page import publish
from paper.progress import Progress, span
from paper.sample import Sample, bootstrapped
from paper.store import load

DOCS = ROOT / "docs"
LABELS = {
    "simulation_main",
    "ges_fail",
    "simulation_correlation_speed (left)",
    "simulation_correlation_speed (right)",
    "simulation_n_and_alpha (left)",
    "simulation_n_and_alpha (right)",
    "simulation_n_and_alpha_edges",
    "simulation_main_precision_recall",
    "simulation_main_score_diff",
    "simulation_d_and_rho",
    "simulation_number_of_calls",
    "simulation_ops",
    "simulation_double_descent",
    "simulation_epsilon",
    "simulation_main_negative",
}
"""Every figure of the paper that shows measurements."""


def test_every_figure_of_the_paper_has_an_experiment() -> None:
    there = {e.label.removeprefix("fig:") for e in EXPERIMENTS if e.label.startswith("fig:")}
    assert there == LABELS
    assert {"missed-insert", "peers"} < set(BY_KEY)
    for words in (CLAIMS, DRAW, FIND):
        assert set(words) == set(BY_KEY)


def test_reduced_grids_are_part_of_the_full_ones() -> None:
    for experiment in EXPERIMENTS:
        assert experiment.cells(quick=True) <= experiment.cells(quick=False)


def test_the_main_figure_is_the_one_of_the_paper() -> None:
    main = BY_KEY["main"].cells(quick=False)
    assert {(c.d, c.rho) for c in main} == {(d, rho) for d in (25, 50) for rho in (2, 3, 4)}
    assert {c.seed for c in main} == set(range(30))
    assert {(c.n, c.alpha) for c in main} == {(10_000, 2.0)}
    assert {c.method for c in main} >= {*ours.METHODS, "FLOP"}


def test_cells_name_known_methods_and_each_is_run_once() -> None:
    wanted = cells(quick=False)
    assert {cell.method for cell in wanted} == set(METHODS)
    assert len(wanted) == len(set(wanted))
    assert len(wanted) < sum(len(e.cells(quick=False)) for e in EXPERIMENTS)


def test_the_model_of_a_cell_does_not_depend_on_its_rows_or_method() -> None:
    few, _ = draw(Cell("GES", 8, 2, 100, seed=3))
    many, moments = draw(Cell("XGES", 8, 2, 10**8, alpha=5.0, seed=3))
    assert np.array_equal(few.weights, many.weights)
    assert moments.n == 10**8
    assert np.abs(moments.covariance - many.population_covariance).max() < 1e-3


def test_bootstrapped_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        low, high = bootstrapped(rng.standard_normal(30))
        hits += low <= 0.0 <= high
    # 95 % less what percentile intervals lose at n = 30; 400 trials have a deviation of 1.2 %.
    assert 0.90 <= hits / 400 <= 0.98


def test_bootstrapped_interval_is_the_same_for_the_same_values_and_a_point_for_one() -> None:
    values = np.array([1.0, 4.0, 2.0, 9.0])
    assert bootstrapped(values) == bootstrapped(values)
    assert bootstrapped(values)[0] < 4.0 < bootstrapped(values)[1]
    assert bootstrapped(values[:1]) == (1.0, 1.0)


def test_differences_are_taken_on_the_same_data_and_skip_what_did_not_end() -> None:
    common = {"d": 5, "rho": 1, "n": 10, "alpha": 2.0, "noise_max": 0.5, "negative": False}
    rows = [
        {**common, "method": "A", "seed": 1, "status": "ok", "shd": 5},
        {**common, "method": "A", "seed": 0, "status": "ok", "shd": 3},
        {**common, "method": "B", "seed": 0, "status": "ok", "shd": 1},
        {**common, "method": "B", "seed": 1, "status": "failed"},
    ]
    assert paired(Sample.of(rows), "A", "B", "shd").tolist() == [2.0]


def test_estimate_of_what_remains_follows_the_work_not_the_number_of_cells() -> None:
    long, short = Cell("XGES", 500, 3, 10_000), Cell("GES", 10, 1, 10_000)
    work = long.expected_seconds + 9 * short.expected_seconds
    progress = Progress(10, work, started=0.0)
    progress.tick(long)
    assert "1/10 cells" in progress.line(100.0)
    assert "1 min 40 s, about 0 s left" in progress.line(100.0)
    assert [span(3), span(63), span(7260)] == ["3 s", "1 min 03 s", "2 h 01 min"]


def test_fges_misses_the_insert_of_the_constructed_example_and_ges_does_not() -> None:
    ends = missed_insert.outcomes()
    assert ends["GES"] == missed_insert.truth()
    assert metrics.shd(ends["fGES"], missed_insert.truth()) == 2
    invalid, valid = missed_insert.inserts(ends["fGES"], "c", "d")
    assert invalid.gain > valid.gain > 0
    assert (invalid.violated[:2], valid.violated) == ("I4", "")
    # The gain by the definition is the gain that GES applied.
    applied = learn(missed_insert.moments(), search="ges").trace[-1]
    assert applied.gain == pytest.approx(valid.gain, rel=1e-9)


def test_ops_without_reversals_is_ops_wherever_that_applies_none() -> None:
    compared = 0
    for seed in range(40):
        _, moments = draw(Cell("OPS", 9, 1.5, 2000, seed=seed))
        result = learn(moments, search="ops", alpha=2.0)
        found = plain_ops.find(moments, 2.0, 60.0).cpdag
        kinds = {operator.kind for operator in result.trace}
        if "reverse" not in kinds:
            assert found == result.cpdag
            compared += "delete" in kinds
        assert not gaining(moments, found)
    assert compared >= 3


def gaining(moments: Moments, found: CPDAG) -> list[Operator]:
    """Return the inserts and deletes that GES would still make from a class."""
    score = _core.GaussianBic(moments.correlation, moments.log_variances, moments.n, 2.0)
    again = _core.search(score, "ges", start=found.to_matrix())
    return [Operator(*step) for step in again.trace]


def test_the_page_in_the_docs_is_what_its_rows_say_and_every_figure_is_drawn(
    tmp_path: Path,
) -> None:
    written = publish(load(DOCS / "paper" / "rows.jsonl"), tmp_path, quick=False)
    assert {path.stem for path in written} == {"paper", *BY_KEY}
    page = (tmp_path / "paper.md").read_text(encoding="utf-8")
    assert page == (DOCS / "paper.md").read_text(encoding="utf-8")
    for key in BY_KEY:
        assert f"(paper/{key}.svg)" in page
        image = tmp_path / "paper" / f"{key}.svg"
        assert ET.parse(image).getroot().tag.endswith("svg")
        assert (DOCS / "paper" / image.name).exists()


def test_a_figure_without_rows_is_named_as_not_run(tmp_path: Path) -> None:
    written = publish({}, tmp_path, quick=True)
    assert [path.name for path in written] == ["paper.md", "missed-insert.svg"]
    page = (tmp_path / "paper.md").read_text(encoding="utf-8")
    assert page.count("Not run yet.") == len(BY_KEY) - 1


def test_the_command_draws_what_is_there_and_refuses_unknown_figures(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "paper", "--out", str(tmp_path), "--only"]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([*command, "missed-insert"], env=environ, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    page, image = (Path(line) for line in done.stdout.splitlines())
    assert (page.name, image.name) == ("paper.md", "missed-insert.svg")
    refused = subprocess.run([*command, "mian"], env=environ, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "invalid choice: 'mian'" in refused.stderr
