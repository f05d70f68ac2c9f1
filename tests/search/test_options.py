"""Every option out of range ends in an OptionError that names it and what is allowed."""

from __future__ import annotations

import inspect
import re
from typing import Any, get_args

import numpy as np
import pytest

from greedag import (
    FGES,
    GES,
    OPS,
    XGES,
    Levels,
    MixedTable,
    Moments,
    OptionError,
    Result,
    check_score,
    exact,
    learn,
    score_graph,
    simulate,
)
from greedag._options import ALL_SEARCHES, SearchName
from greedag.data.rows import MISSING, MissingName
from greedag.scores.select import SCORES, ScoreName

DATA = simulate.linear_gaussian(4, 1.0, 100, seed=0).data
NAN, INF = float("nan"), float("inf")

BAD_OPTIONS = [
    *[("alpha", value) for value in (0, -1.0, NAN, INF, -INF, "2", True, [2.0], 2 + 0j)],
    *[("time_limit", value) for value in (-1, -1e-9, NAN, "1", True, [1.0])],
    *[("clique_cap", value) for value in (-1, 1.5, 2.0, "8", True, 2**31, NAN)],
]


@pytest.mark.parametrize(("name", "value"), BAD_OPTIONS)
def test_learn_refuses_a_bad_option_by_name(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=f"^{name} must be .*got "):
        learn(DATA, **{name: value})


@pytest.mark.parametrize("kind", [XGES, GES, OPS, FGES])
@pytest.mark.parametrize(("name", "value"), BAD_OPTIONS)
def test_estimators_refuse_a_bad_option_when_fitting(kind: Any, name: str, value: Any) -> None:
    model = kind(**{name: value})
    with pytest.raises(OptionError, match=f"^{name} must be"):
        model.fit(DATA)
    assert not hasattr(model, "cpdag_")


@pytest.mark.parametrize("value", [1, 0, "yes", None, 1.0])
def test_flags_must_be_true_or_false(value: Any) -> None:
    with pytest.raises(OptionError, match="extended must be True or False"):
        XGES(extended=value).fit(DATA)
    with pytest.raises(OptionError, match="reversals must be True or False"):
        GES(reversals=value).fit(DATA)


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("xgs", "did you mean 'xges'?"),
        ("XGES", "did you mean 'xges'?"),
        ("gesr", "did you mean 'ges-r'?"),
        ("fGES", "did you mean 'fges'?"),
    ],
)
def test_a_misspelt_search_is_answered_with_the_nearest_name(value: str, hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        learn(DATA, search=value)
    assert hint in str(caught.value)
    assert "xges, xges0, ges, ges-r, ops, fges" in str(caught.value)


@pytest.mark.parametrize("value", ["pc", "", None, 3, ["xges"], b"xges", "x" * 10_000])
def test_an_unknown_search_is_answered_with_the_list(value: Any) -> None:
    with pytest.raises(OptionError, match="xges, xges0, ges, ges-r, ops, fges"):
        learn(DATA, search=value)


def test_an_unknown_parameter_is_refused_with_the_list() -> None:
    with pytest.raises(OptionError, match=r"GES has no option 'gamma'.*alpha.*reversals"):
        GES().set_params(gamma=1)


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 1},
        {"alpha": np.float32(2.0)},
        {"alpha": np.int64(2)},
        {"alpha": 1e-300},
        {"alpha": 1e300},
        {"time_limit": np.float64(60.0)},
        {"time_limit": INF},
        {"clique_cap": np.int32(16)},
        {"clique_cap": 0},
        {"clique_cap": 2**31 - 1},
    ],
)
def test_numbers_of_every_kind_are_accepted_within_range(options: dict[str, Any]) -> None:
    assert np.isfinite(learn(DATA, **options).score)


def test_options_are_checked_before_the_data_are_read() -> None:
    with pytest.raises(OptionError):
        learn("not a table", alpha=-1)


@pytest.mark.parametrize("option", ["alpha", "time_limit"])
def test_numbers_beyond_doubles_are_options_too(option: str) -> None:
    if option == "alpha":
        with pytest.raises(OptionError, match="alpha must be a number above 0"):
            learn(DATA, alpha=10**400)
    else:
        assert learn(DATA, time_limit=10**400).stopped == ""


def test_the_names_that_editors_complete_are_those_that_are_accepted() -> None:
    assert get_args(SearchName) == ALL_SEARCHES
    assert get_args(MissingName) == MISSING
    assert get_args(ScoreName) == ("auto", *SCORES)


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (learn, {"search", "score", "missing"}),
        (exact, {"score", "missing"}),
        (score_graph, {"score", "missing"}),
        (check_score, {"score"}),
        *[(kind, {"scoring_method", "missing"}) for kind in (XGES, GES, OPS, FGES)],
        (Result.load, {"missing"}),
        *[(kind.from_data, {"missing"}) for kind in (Moments, Levels, MixedTable)],
        *[(kind.from_file, {"missing"}) for kind in (Moments, Levels)],
        *[(kind.from_sql, {"missing"}) for kind in (Moments, Levels)],
    ],
)
def test_options_with_names_are_typed_by_them(function: Any, names: set[str]) -> None:
    typed = {
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if re.match("(Search|Missing|Score)Name", str(parameter.annotation))
    }
    assert typed == names
