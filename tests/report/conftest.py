"""Reports of three sizes, and a browser to open them in; the tests of the report share them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from greedag import Result
from helpers.browser import find_browser, running
from helpers.plant_names import PLANT_NAMES
from helpers.reports import learned

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    pytest.importorskip("playwright", reason="no playwright here: it drives the browser")
    program = find_browser()
    if program is None:
        pytest.skip("no chromium here: install it to try the report in a browser")
    with running(program) as started:
        yield started


@pytest.fixture(scope="package")
def small() -> Result:
    return learned(37, PLANT_NAMES)


@pytest.fixture(scope="package")
def large() -> Result:
    return learned(100)


@pytest.fixture(scope="package")
def wide() -> Result:
    return learned(150)


@pytest.fixture(scope="package")
def files(
    tmp_path_factory: pytest.TempPathFactory, small: Result, large: Result, wide: Result
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    written = {}
    for name, result in {"small": small, "large": large, "wide": wide}.items():
        written[name] = folder / f"{name}.html"
        result.report(written[name])
    return written
