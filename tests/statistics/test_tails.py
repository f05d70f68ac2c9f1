"""Tail probabilities against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest

from greedag.statistics.tails import (
    chi2_tail,
    f_tail,
    kolmogorov_tail,
    normal_two_sided,
    t_two_sided,
    uniformity,
)

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("below", [1, 3, 10, 97.5, 5000, 10**6, 10**8])
def test_f_and_t_tails_are_those_of_scipy(below: float) -> None:
    rng = np.random.default_rng(0)
    above, ratio = rng.integers(1, 60, 300), rng.gamma(1.0, 1.5, 300)
    assert f_tail(ratio, above, below) == pytest.approx(stats.f.sf(ratio, above, below), rel=1e-4)
    t = rng.normal(size=300) * 3.0
    assert t_two_sided(t, below) == pytest.approx(2.0 * stats.t.sf(np.abs(t), below), rel=1e-4)


def test_chi2_tails_are_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    freedom = rng.integers(1, 3000, 500)
    x = freedom * rng.gamma(10.0, 0.1, 500)
    assert chi2_tail(x, freedom) == pytest.approx(stats.chi2.sf(x, freedom), rel=1e-9, abs=1e-300)
    assert normal_two_sided([-2.0, 0.0]) == pytest.approx(2.0 * stats.norm.sf([2.0, 0.0]))


def test_nothing_is_beyond_the_ends() -> None:
    assert f_tail([0.0], 3, 10)[0] == 1.0
    assert chi2_tail([0.0, 1e9], 3).tolist() == [1.0, 0.0]
    assert t_two_sided([0.0], 4)[0] == 1.0


@pytest.mark.parametrize("n", [5, 40, 1000])
def test_distances_from_uniform_are_those_of_scipy(n: int) -> None:
    drawn = np.random.default_rng(n).random(n) ** 1.1
    distance, p_value = uniformity(drawn)
    known = stats.kstest(drawn, "uniform")
    assert distance == pytest.approx(known.statistic)
    assert p_value == pytest.approx(known.pvalue, abs=0.02)
    assert kolmogorov_tail(0.8) == pytest.approx(stats.kstwobign.sf(0.8))
