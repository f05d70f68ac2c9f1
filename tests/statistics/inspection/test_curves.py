"""Effects that bend are found, and lines are not taken for them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from greedag import inspect, simulate
from greedag.statistics.basis import BasisMoments
from greedag.statistics.inspection.curves import curve_gains

N = 600


def bent(seed: int = 0) -> dict[str, np.ndarray]:
    """Return x → y, bent, beside a straight effect of x and a column of noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(N)
    return {
        "x": x,
        "y": np.tanh(2.0 * x) + 0.5 * rng.standard_normal(N),
        "line": x + rng.standard_normal(N),
        "noise": rng.standard_normal(N),
    }


def test_pairs_that_bend_are_named_with_their_points() -> None:
    [found] = inspect(bent())
    assert (found.code, found.severity, found.fix) == ("curves", "info", None)
    assert set(found.columns) == {"x", "y"}
    assert found.where.startswith("'x' and 'y' (")
    assert "score 'additive'" in found.remedy


def test_gains_are_those_of_the_regressions() -> None:
    columns = list(bent().values())
    gains = curve_gains(columns)
    basis = BasisMoments.from_data(np.column_stack(columns)).bases
    for x, y in ((0, 1), (1, 0), (0, 2), (3, 1)):
        design = np.column_stack([np.ones(N), basis[x].columns(columns[x])])
        scores = []
        for size in range(2, 8):
            rest = np.linalg.lstsq(design[:, :size], columns[y], rcond=None)[1][0]
            scores.append(-N / 2.0 * math.log(rest) - math.log(N) * size)
        assert gains[x, y] == pytest.approx(max(scores) - scores[0], abs=1e-6)


def test_what_a_transformation_straightens_is_not_said_to_bend() -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal(N)
    table = {"x": x, "income": np.exp(1.5 * x + rng.standard_normal(N))}
    inspection = inspect(table)
    assert inspection.fixes == {"transform": {"income": "log"}}
    assert [finding.code for finding in inspection] == ["skewed"]


@pytest.mark.parametrize("seed", range(5))
def test_lines_are_not_said_to_bend(seed: int) -> None:
    table = simulate.linear_gaussian(30, 2.0, 1000, seed=seed).data
    assert not [finding for finding in inspect(table) if finding.code == "curves"]
