"""Pages in the Chromium of this machine, driven by Playwright; no browser is downloaded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
MILLISECONDS = 60_000


def find_browser() -> str | None:
    """Return the path of an installed browser, None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def running(program: str) -> Iterator[Browser]:
    """Run the browser without a window."""
    from playwright.sync_api import sync_playwright

    # The sandbox refuses to run as root, as containers do; the pages are all our own.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"], timeout=MILLISECONDS
        )
        try:
            yield browser
        finally:
            browser.close()


class Seen:
    """What a page did since it was opened."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._problems: list[str] = []
        self._requests: list[str] = []
        page.on("console", lambda message: self._problems.append(message.text))
        page.on("pageerror", lambda error: self._problems.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self._requests.append(request.url))

    def _dismiss(self, dialog: Dialog) -> None:
        self._problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def problems(self) -> list[str]:
        """Return whatever the page complained of: exceptions, console, broken policy, dialogs."""
        self._page.wait_for_timeout(20)
        return self._problems

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for."""
        self._page.wait_for_timeout(20)
        return self._requests


@contextmanager
def opened(
    browser: Browser, file: Path, *, width: int = 1400, height: int = 1000, dark: bool = False
) -> Iterator[tuple[Page, Seen]]:
    """Open a file, wait until it has loaded, and close it in the end."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    context.set_default_timeout(MILLISECONDS)
    try:
        page = context.new_page()
        seen = Seen(page)
        page.goto(file.absolute().as_uri())
        yield page, seen
    finally:
        context.close()


def visible(page: Page, selector: str) -> int:
    """Return how many of these elements are displayed."""
    return int(
        page.evaluate(
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            ".filter(e => getComputedStyle(e).display !== 'none').length"
        )
    )
