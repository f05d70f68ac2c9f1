"""Renew the pictures of reports in this folder: python docs/images/report_images.py."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "tests"))

from PIL import Image  # noqa: E402
from playwright.sync_api import Page  # noqa: E402

from greedag import Moments, learn, simulate  # noqa: E402
from helpers.browser import find_browser, opened, running  # noqa: E402
from helpers.plant_names import PLANT_NAMES  # noqa: E402

SHOW_GRAPH = "document.getElementById('graph').scrollIntoView({behavior: 'instant'})"


def written(folder: Path, d: int, names: tuple[str, ...] | None, title: str) -> Path:
    """Write a report on simulated data."""
    drawn = simulate.linear_gaussian(d, 1.5, 5000, seed=3)
    file = folder / f"{d}.html"
    learn(Moments.from_data(drawn.data, names=names)).report(file, title=title)
    return file


def choose(page: Page, column: str) -> None:
    """Search a column, by keys: a mouse would leave its mark."""
    page.evaluate("document.getElementById('find').focus()")
    page.keyboard.insert_text(column)
    page.keyboard.press("Enter")


def take(page: Page, name: str) -> None:
    """Save the graph once nothing moves any more."""
    page.wait_for_timeout(1500)
    page.evaluate(SHOW_GRAPH)
    page.screenshot(path=HERE / name)


def main() -> None:
    """Open each report and save what is to be seen."""
    program = find_browser()
    if program is None:
        sys.exit("chromium is needed for this")
    with tempfile.TemporaryDirectory() as name, running(program) as browser:
        small = written(Path(name), 37, PLANT_NAMES, "A simulated power plant")
        large = written(Path(name), 100, None, "")
        with opened(browser, small) as (page, _):
            choose(page, "cooling_in")
            for key in ("Tab", "Tab", "Enter"):
                page.keyboard.press(key)
            take(page, "report-37-wide.png")
        with opened(browser, small, width=420, height=900) as (page, _):
            choose(page, "cooling_in")
            take(page, "report-37-narrow.png")
        with opened(browser, large) as (page, _):
            take(page, "report-100-wide.png")
        with opened(browser, large, dark=True) as (page, _):
            choose(page, "x12")
            take(page, "report-100-dark.png")
    for picture in HERE.glob("report-*.png"):
        # A page has few colours; a palette that covers them all takes half the bytes.
        image = Image.open(picture).convert("RGB")
        palette = image.quantize(200, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        palette.save(picture, optimize=True)


if __name__ == "__main__":
    main()
