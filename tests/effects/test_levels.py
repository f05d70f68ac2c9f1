"""Effects among discrete columns, in mixed tables and from experiments, and predictions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from greedag import DataError, Knowledge, Moments, OptionError, learn
from oracle import effects as twin

KNOWN = Knowledge(tiers=[["z"], ["x"], ["y"]])


def discrete(n: int = 4000, seed: int = 0) -> pd.DataFrame:
    """z is a cause of x and y, and x of y."""
    random = np.random.default_rng(seed)
    z = random.integers(0, 3, n)
    x = (random.random(n) < 0.2 + 0.25 * z).astype(int)
    y = (random.random(n) < 0.15 + 0.2 * x + 0.2 * z).astype(int)
    words = {"z": np.array(["a", "b", "c"])[z], "x": np.array(["no", "yes"])[x]}
    return pd.DataFrame({**words, "y": np.array(["no", "yes"])[y]})


def test_an_effect_is_counted_stratum_by_stratum() -> None:
    table = discrete()
    result = learn(table, knowledge=KNOWN)
    found = result.effect("x", "y", data=table)
    rows = table.to_numpy()
    after, before = (twin.distribution(rows, 1, 2, [0], level, "yes") for level in ("yes", "no"))
    assert found.adjustment == ("z",)
    assert found.estimate == pytest.approx(after - before, abs=1e-12)
    assert "If x is changed from no to yes, the probability of y = yes changes by" in str(found)
    turned = result.effect("x", "y", data=table, change=("yes", "no"), of="no")
    assert turned.estimate == pytest.approx(after - before, abs=1e-12)
    many = result.effect("z", "y", change=("a", "b"))
    first, second = (twin.distribution(rows, 0, 2, [], level, "yes") for level in "ab")
    assert many.estimate == pytest.approx(second - first, abs=1e-12)


def test_intervals_of_counts_cover_the_effect() -> None:
    """The effect is 0.2; of 1,000 intervals 91.5 to 98 % cover it but once in a million."""
    result = learn(discrete(), knowledge=KNOWN)
    covered = 0
    for seed in range(1000):
        low, high = result.effect("x", "y", data=discrete(600, seed + 1)).interval or (0.0, 0.0)
        covered += low <= 0.2 <= high
    assert 915 < covered < 980


def test_rows_that_cannot_be_compared_are_said() -> None:
    table = discrete()
    result = learn(table, knowledge=KNOWN)
    lacking = table[(table["z"] != "c") | (table["x"] == "yes")]
    found = result.effect("x", "y", data=lacking)
    share = float((lacking["z"] == "c").mean())
    assert found.possible[0].left_out == pytest.approx(share)
    assert "of the rows are left out" in str(found)
    few = table[(table["z"] == "a") == (table["x"] == "no")]
    with pytest.raises(DataError, match="cannot be compared") as caught:
        result.effect("x", "y", data=few)
    assert caught.value.code == "empty-strata"
    with pytest.raises(OptionError, match="has no level 'maybe'; its levels are"):
        result.effect("x", "y", change=("no", "maybe"))


def test_setting_levels_predicts_probabilities() -> None:
    table = discrete()
    found = learn(table, knowledge=KNOWN).do({"x": "yes"})
    rows = table.to_numpy()
    [y] = [one for one in found if (one.name, one.level) == ("y", "yes")]
    assert y.after == pytest.approx(twin.distribution(rows, 1, 2, [0], "yes", "yes"))
    [z] = [one for one in found if (one.name, one.level) == ("z", "b")]
    assert z.after == pytest.approx(z.before)
    [x] = [one for one in found if (one.name, one.level) == ("x", "yes")]
    assert x.after == 1.0
    assert "y = yes" in repr(found)


def continuous(n: int = 2000, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    a = 1.0 + random.normal(size=n)
    b = 2.0 * a + random.normal(size=n)
    c = b - a + random.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "c": c})


def test_setting_columns_predicts_means() -> None:
    table = continuous()
    result = learn(table, knowledge=Knowledge(tiers=[["a"], ["b"], ["c"]]))
    found = result.do({"a": 3.0})
    means = table.mean()
    for name in ("b", "c"):
        effect = result.effect("a", name).estimate
        assert effect is not None
        expected = means[name] + effect * (3.0 - means["a"])
        assert found.means[name] == pytest.approx(expected)
    both = result.do({"a": 3.0, "b": 0.0})
    assert both.means["b"] == 0.0
    parts = result.effect(["a", "b"], "c", change={"a": (means["a"], 3.0), "b": (means["b"], 0.0)})
    assert parts.estimate is not None
    assert both.means["c"] == pytest.approx(means["c"] + parts.estimate)
    with pytest.raises(DataError, match="have no means"):
        result.do({"a": 3.0}, data=Moments(n=100, covariance=np.cov(table.T), names=list("abc")))
    open_ = learn(continuous()[["a", "b"]]).do({"a": 3.0})
    assert open_.means["b"] is None
    assert open_[1].shares == (0.5, 0.5)


def test_levels_of_mixed_tables_have_linear_effects() -> None:
    table = continuous()
    group = np.where(table["a"] + np.random.default_rng(1).normal(size=len(table)) > 1.0, "u", "v")
    table["c"] += 1.5 * (group == "v")
    table["g"] = group
    known = Knowledge(tiers=[["a"], ["g"], ["b"], ["c"]])
    result = learn(table, knowledge=known)
    found = result.effect("g", "c")
    assert found.adjustment is not None
    design = [np.ones(len(table)), (group == "v").astype(float)]
    design += [table[name].to_numpy() for name in found.adjustment]
    slopes = np.linalg.lstsq(np.column_stack(design), table["c"].to_numpy(), rcond=None)[0]
    assert found.estimate == pytest.approx(slopes[1])
    assert "If g is changed from u to v, c changes by" in str(found)
    with pytest.raises(DataError, match="has no effects on its levels"):
        result.effect("a", "g")


def test_experiments_are_left_out_of_estimates() -> None:
    observed, random = continuous(), np.random.default_rng(5)
    set_rows = continuous(seed=7)
    set_rows["c"] -= set_rows["b"]
    set_rows["b"] = random.normal(size=len(set_rows))
    set_rows["c"] += set_rows["b"]
    result = learn([(observed, []), (set_rows, ["b"])])
    found = result.effect("b", "c")
    alone = learn(observed, knowledge=Knowledge(tiers=[["a"], ["b"], ["c"]]))
    assert found.n == len(observed)
    assert found.estimate == pytest.approx(alone.effect("b", "c").estimate)
    with pytest.raises(DataError, match="rows in which nothing was set"):
        learn([(observed, ["a"]), (set_rows, ["b"])]).effect("b", "c")


def test_effects_are_in_the_units_of_transformed_columns() -> None:
    table = np.exp(continuous())
    result = learn(table, transform="log", knowledge=Knowledge(tiers=[["a"], ["b"], ["c"]]))
    assert "If log(a) is raised by 1, log(b) changes by" in str(result.effect("a", "b"))
    plain = learn(continuous(), knowledge=Knowledge(tiers=[["a"], ["b"], ["c"]]))
    assert result.effect("a", "b").estimate == pytest.approx(plain.effect("a", "b").estimate)


def test_a_table_of_effects_reads_well() -> None:
    result = learn(Moments.from_data(continuous()))
    shown = repr(result.effects(on="c"))
    assert shown.splitlines()[0].split() == ["changing", "effect", "interval"]
    assert "values are possible" in shown
    assert "<table" in result.effects(on="c")._repr_html_()
    assert "identified" in repr(result.effects_matrix())
