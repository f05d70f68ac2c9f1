"""Effects handed over to DoWhy, and what it makes of them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from greedag import CPDAG, DataError, MissingExtraError, interop, learn, simulate

NAMES = list("abcdefgh")
COLLIDER = CPDAG.from_dag([[0, 0, 1], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
CHAIN = CPDAG.from_dag([[0, 1, 0], [0, 0, 1], [0, 0, 0]], names=["a", "b", "c"])
ROWS = np.random.default_rng(0).standard_normal((50, 3))


def table(seed: int) -> pd.DataFrame:
    drawn = simulate.linear_gaussian(8, 2.0, 1000, seed=seed)
    return pd.DataFrame(drawn.data, columns=NAMES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", [1, 3])
def test_dowhy_estimates_what_greedag_does(seed: int) -> None:
    pytest.importorskip("dowhy", reason="DoWhy is not installed: it needs 1 GB")
    data = table(seed)
    result = learn(data)
    effects = [found for name in NAMES for found in result.effects(on=name)]
    known = [each for each in effects if each.is_identified and each.adjustment is not None]
    assert known
    for effect in known[:8]:
        model, estimand = interop.dowhy_model(result, effect.x, effect.y, data)
        assert sorted(estimand.get_backdoor_variables()) == sorted(effect.adjustment or ())
        how: dict[str, Any] = {"method_name": "backdoor.linear_regression", "effect_modifiers": []}
        found = model.estimate_effect(estimand, **how)
        assert found.value == pytest.approx(effect.estimate, rel=1e-8)
        assert found.get_standard_error() == pytest.approx(effect.standard_error, rel=1e-6)
        assert set(interop.to_dowhy(result, result.graph.to_dag()).edges) <= set(
            model._graph._graph.edges
        )


@pytest.mark.filterwarnings("ignore")
def test_dowhy_takes_rows_in_an_array() -> None:
    pytest.importorskip("dowhy", reason="DoWhy is not installed: it needs 1 GB")
    model, estimand = interop.dowhy_model(COLLIDER, "a", "c", ROWS)
    assert list(model._data.columns) == ["a", "b", "c"]
    assert "backdoor" in str(estimand)
    assert estimand.get_backdoor_variables() == ["b"]


def test_an_effect_that_is_not_identified_is_refused() -> None:
    why = r"'a' on 'c' is not identified.*between 'a' and 'b'"
    with pytest.raises(DataError, match=why) as raised:
        interop.dowhy_model(CHAIN, "a", "c", ROWS)
    assert raised.value.code == "not-identified"


@pytest.mark.parametrize(("x", "y"), [("c", "a"), ("a", "b"), ("a", "a")])
def test_where_there_is_no_effect_there_is_nothing_to_estimate(x: str, y: str) -> None:
    with pytest.raises(DataError, match="there is no effect to estimate"):
        interop.dowhy_model(COLLIDER, x, y, ROWS)


def test_without_dowhy_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dowhy", None)
    with pytest.raises(MissingExtraError, match="pip install dowhy"):
        interop.dowhy_model(COLLIDER, "a", "c", ROWS)
