"""What a report says about the fit of a model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from greedag import DataError, OptionError, Result, learn
from greedag.report import page
from helpers.reports import WHEN

HOSTILE = "<script>alert(1)</script>"


def table(seed: int) -> pd.DataFrame:
    """Return rows with a curve between the first column and the last."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, 600))
    return pd.DataFrame({"a": a, "b": b, HOSTILE: a + 0.5 * a**2 + b + c})


@pytest.fixture(scope="module")
def result() -> Result:
    return learn(table(0))


def test_the_section_has_picture_findings_and_remedies(result: Result) -> None:
    found = result.check(table(1))
    text = page.render(result, title="", when=WHEN, check=found)
    assert HOSTILE not in text.partition('id="data"')[0]
    assert 'id="check"' in text and 'class="p-plot"' in text and 'href="#check"' in text
    assert "does not fit" in text and "which fits curves" in text
    assert "<style" not in text.partition('id="check"')[2].partition("</section>")[0]


def test_without_a_check_there_is_no_section(result: Result) -> None:
    text = page.render(result, title="", when=WHEN)
    assert 'id="check"' not in text and 'href="#check"' not in text


def test_checks_of_other_columns_are_refused(result: Result) -> None:
    with pytest.raises(OptionError, match="check must be"):
        page.render(result, title="", when=WHEN, check="fits")  # type: ignore[arg-type]
    other = learn(table(0).rename(columns={"a": "z"})).check()
    with pytest.raises(DataError, match="other columns"):
        page.render(result, title="", when=WHEN, check=other)
