"""Effects as curves: those of least squares on the rows, drawn, in words, and refused clearly."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from greedag import DataError, Result, learn
from greedag.statistics.basis import BasisMoments
from greedag.statistics.curves import Curves

mpl.use("Agg")

N = 600
TIERS = [["a", "level"], ["b"], ["c"], ["d"]]
LEVELS = np.array(["low", "middle", "top"])


@cache
def table() -> pd.DataFrame:
    rng = np.random.default_rng(17)
    a, noise = rng.normal(2.0, 3.0, N), rng.normal(size=(3, N))
    level = rng.integers(0, 3, N)
    b = np.tanh(a - 2.0) + 0.4 * noise[0]
    c = 0.5 * b + np.array([0.0, 2.0, -1.0])[level] + 0.4 * noise[1]
    d = 100.0 * (c**2 + 0.7 * noise[2])
    return pd.DataFrame({"a": a, "b": b, "c": c, "level": LEVELS[level], "d": d})


@cache
def bent() -> Result:
    return learn(table(), score="additive", knowledge={"tiers": TIERS})


def design(result: Result, child: str) -> tuple[np.ndarray, dict[str, slice], list[Any]]:
    """The columns that a child is regressed on, those of each parent, and the parents' bases."""
    counted = result.statistics
    assert isinstance(counted, BasisMoments)
    names, columns, places, bases = result.cpdag.names, [], {}, []
    for x in np.flatnonzero(result.best_dag[:, names.index(child)]):
        degree = result.curve(names[x], child).degree
        block = counted.bases[x].columns(table()[names[x]].to_numpy())[:, :degree]
        start = sum(each.shape[1] for each in columns)
        places[names[x]] = slice(start, start + degree)
        columns.append(block)
        bases.append(counted.bases[x])
    return np.hstack(columns), places, bases


@pytest.mark.parametrize("child", ["b", "c", "d"])
def test_effects_and_bands_are_those_of_least_squares_on_the_rows(child: str) -> None:
    result, y = bent(), table()[child].to_numpy()
    rows, places, bases = design(result, child)
    centred = rows - rows.mean(axis=0)
    slopes, *_ = np.linalg.lstsq(centred, y - y.mean(), rcond=None)
    noise = ((y - y.mean() - centred @ slopes) ** 2).sum() / (N - rows.shape[1] - 1)
    covariance = noise * np.linalg.inv(centred.T @ centred)
    assert places
    for (parent, place), basis in zip(places.items(), bases, strict=True):
        curve = result.curve(parent, child)
        shown = basis.columns(curve.x)[:, : curve.degree] - rows[:, place].mean(axis=0)
        np.testing.assert_allclose(curve.effect, shown @ slopes[place], rtol=1e-6, atol=1e-9)
        error = np.sqrt(np.einsum("ij,jk,ik->i", shown, covariance[place, place], shown))
        np.testing.assert_allclose(curve.high - curve.effect, 1.959964 * error, rtol=1e-5)
        np.testing.assert_allclose(curve.effect - curve.low, 1.959964 * error, rtol=1e-5)


def test_a_curve_knows_its_form_and_its_range() -> None:
    result = bent()
    curve, level, line = (result.curve(*pair) for pair in (("c", "d"), ("level", "c"), ("b", "c")))
    assert curve.degree > 1
    assert not curve.is_linear
    assert (line.degree, line.is_linear) == (1, True)
    assert (level.is_discrete, level.is_linear, list(level.x)) == (True, False, list(LEVELS))
    np.testing.assert_allclose(curve.x[[0, -1]], [table()["c"].min(), table()["c"].max()])
    # The mean over the rows is 0, of levels and of lines alike.
    mean = np.interp(table()["b"], line.x, line.effect).mean()
    assert mean == pytest.approx(0.0, abs=1e-6)
    codes = np.searchsorted(LEVELS, table()["level"].to_numpy())
    assert level.effect[codes].mean() == pytest.approx(0.0, abs=1e-9)


def test_units_do_not_change_the_effect() -> None:
    scaled = table().assign(a=table()["a"] * 2.0**400, d=table()["d"] * 2.0**-30)
    other = learn(scaled, score="additive", knowledge={"tiers": TIERS})
    for child, unit in (("b", 1.0), ("d", 2.0**-30)):
        parent = {"b": "a", "d": "c"}[child]
        one, two = bent().curve(parent, child), other.curve(parent, child)
        np.testing.assert_allclose(two.effect, one.effect * unit, rtol=1e-9)


def test_from_moments_the_effect_is_a_line_of_the_coefficient() -> None:
    numbers = table()[["a", "b", "c", "d"]]
    result = learn(numbers)
    [edge, *_] = result.coefficients()
    line = result.curve(edge.parent, edge.child)
    slope, reach = line._slope()
    assert line.is_linear
    assert slope == pytest.approx(edge.value, rel=1e-9)
    assert reach == pytest.approx(1.959964 * edge.standard_error, rel=1e-5)
    middle = numbers[edge.parent].mean()
    np.testing.assert_allclose((line.x[0] + line.x[-1]) / 2, middle)


def test_effects_of_experiments_are_those_of_the_rows_in_which_the_child_was_not_set() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=900)
    target = np.array([""] * 300 + ["x"] * 300 + ["y"] * 300)
    y = np.where(target == "y", rng.normal(size=900), x**2 + 0.3 * rng.normal(size=900))
    rows = pd.DataFrame({"x": x, "y": y, "target": target})
    kept = rows[rows["target"] != "y"]
    result = learn(rows, score="additive", interventions="target")
    curve = result.curve("x", "y")
    counted: Any = result.statistics
    basis = counted.whole().bases[0]
    assert isinstance(basis, Curves)
    columns = basis.columns(kept["x"].to_numpy())[:, : curve.degree]
    centred, response = columns - columns.mean(axis=0), kept["y"] - kept["y"].mean()
    slopes, *_ = np.linalg.lstsq(centred, response, rcond=None)
    shown = basis.columns(curve.x)[:, : curve.degree] - columns.mean(axis=0)
    np.testing.assert_allclose(curve.effect, shown @ slopes, rtol=1e-6, atol=1e-9)
    assert result.graph.reason("x", "y").rule == "intervention"
    assert "It is directed by interventions on x and on y." in str(result.explain("x", "y"))


def test_what_is_no_effect_is_refused_with_what_there_is() -> None:
    result = bent()
    with pytest.raises(DataError, match=r"it is 'c' → 'd'; ask for result\.curve\('c', 'd'\)"):
        result.curve("d", "c")
    with pytest.raises(DataError, match=r"no edge 'a' → 'd'; result\.explain says why"):
        result.curve("a", "d")
    with pytest.raises(DataError, match="no effect on itself"):
        result.curve("a", "a")
    with pytest.raises(DataError, match="no column 'e'"):
        result.curve("a", "e")
    with pytest.raises(DataError, match="needs the data"):
        replace(result, statistics=None).curve("a", "b")
    mixed = learn(table())
    with pytest.raises(DataError, match=r"additive score or from moments.*score='additive'"):
        mixed.curve(*mixed.graph.directed[0])
    open_edge = replace(learn(table()[["a", "b"]], score="additive"), evidence=())
    with pytest.raises(DataError, match="it is undirected, and the best DAG has 'a' → 'b'"):
        open_edge.curve("b", "a")
    assert open_edge.curve("a", "b").edge == "-"


def test_an_effect_on_levels_is_refused() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    data = pd.DataFrame({"x": x, "y": np.where(x + 0.5 * rng.normal(size=400) > 0, "yes", "no")})
    result = learn(data, score="additive", knowledge={"required": [("x", "y")]})
    with pytest.raises(DataError, match="'y' is discrete"):
        result.curve("x", "y")


def test_words_say_the_form() -> None:
    result = bent()
    assert str(result.curve("c", "d")).startswith("The effect of c on d bends (")
    assert "columns of curve, against 1 for a line): lowest, " in str(result.curve("c", "d"))
    assert "is a line: c changes by +0.4" in str(result.curve("b", "c"))
    assert "by level: low " in str(result.curve("level", "c"))
    assert repr(result.curve("b", "c")) == f"<Curve: {result.curve('b', 'c')}>"
    logged = learn(table().assign(a=np.exp(table()["a"])), score="additive", transform={"a": "log"})
    assert logged.curve("a", "b").units == ("log(a)", "b")


@pytest.mark.parametrize("pair", [("c", "d"), ("level", "c"), ("b", "c")])
def test_drawings_hold_the_effect(pair: tuple[str, str]) -> None:
    curve = bent().curve(*pair)
    root = ET.fromstring(curve.svg)
    assert root.tag.endswith("svg")
    marks = [node for node in root.iter() if node.get("class") in ("effect", "dot")]
    assert len(marks) == (2 * len(LEVELS) if curve.is_discrete else 1)
    bundle = curve._repr_mimebundle_()
    assert bundle["text/plain"] == str(curve)
    assert curve.svg in bundle["text/html"]
    axes = curve.plot()
    assert curve.plot(axes) is axes
    drawn = np.asarray(axes.lines[0].get_ydata(), dtype=float)
    np.testing.assert_allclose(drawn, curve.effect)
    mpl.pyplot.close("all")
    with pytest.raises(ValueError, match="ax must be Axes"):
        curve.plot("here")  # type: ignore[arg-type]


def test_a_sparkline_stays_within_its_box() -> None:
    for pair in (("c", "d"), ("level", "c")):
        spark = bent().curve(*pair).spark()
        numbers = [
            float(number)
            for number in spark.line.replace("M", " ").replace("L", " ").replace("H", " ").split()
        ]
        assert all(math.isfinite(number) and 0 <= number <= spark.width for number in numbers)
