"""Chromium without a window, driven over the pipe of its DevTools protocol.

The browser reads commands from its file descriptor 3 and writes answers and events to 4, each a
JSON text that a NUL ends. Every wait has a limit, and the browser is always ended: it is the leader
of a process group of its own.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import queue
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60.0
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
)
_KEYS = {
    "Enter": (13, "\r"),
    "Escape": (27, ""),
    "Tab": (9, ""),
    "ArrowRight": (39, ""),
    "ArrowLeft": (37, ""),
    "ArrowDown": (40, ""),
    "ArrowUp": (38, ""),
    "Home": (36, ""),
    "End": (35, ""),
}


def find_browser() -> str | None:
    """Return the path of a browser that speaks the protocol, None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A running browser. Use it as a context manager."""

    def __init__(self, program: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="browser-")
        self._process, self._write, self._read = _start(program, self._folder)
        self._last = 0
        self._messages: queue.Queue[dict[str, Any]] = queue.Queue()
        self.events: list[dict[str, Any]] = []
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError, TimeoutError):
            self.call("Browser.close", seconds=5.0)
        os.close(self._write)
        _end(self._process)
        shutil.rmtree(self._folder, ignore_errors=True)

    def call(
        self, method: str, *, session: str = "", seconds: float = SECONDS, **params: Any
    ) -> dict[str, Any]:
        """Send a command and return its answer; events that come before are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        _write_all(self._write, json.dumps(message).encode() + b"\0")
        limit = time.monotonic() + seconds
        while True:
            answer = self._next(method, limit)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def wait_for(self, method: str, session: str) -> None:
        """Wait until an event has come, if it has not yet."""
        limit = time.monotonic() + SECONDS
        while not any(e["method"] == method and e.get("sessionId") == session for e in self.events):
            self._next(method, limit)

    def _next(self, what: str, limit: float) -> dict[str, Any]:
        try:
            message = self._messages.get(timeout=max(0.0, limit - time.monotonic()))
        except queue.Empty:
            raise TimeoutError(f"the browser did not answer: {what}") from None
        if "method" in message:
            self.events.append(message)
        return message

    def _listen(self) -> None:
        rest = b""
        with suppress(OSError):
            while chunk := os.read(self._read, 1 << 16):
                *messages, rest = (rest + chunk).split(b"\0")
                for message in messages:
                    self._messages.put(json.loads(message))
        os.close(self._read)

    @contextmanager
    def page(
        self, file: Path, *, width: int = 1400, height: int = 1000, dark: bool = False
    ) -> Iterator[Page]:
        """Open a file, wait until it has loaded, and close it in the end."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        try:
            session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            page = Page(self, session)
            for domain in ("Page", "Runtime", "Log", "Network"):
                page.call(f"{domain}.enable")
            page.call(
                "Emulation.setDeviceMetricsOverride",
                width=width,
                height=height,
                deviceScaleFactor=1,
                mobile=False,
            )
            scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            page.call("Emulation.setEmulatedMedia", features=[scheme])
            page.call("Page.navigate", url=file.absolute().as_uri())
            self.wait_for("Page.loadEventFired", session)
            yield page
        finally:
            self.call("Target.closeTarget", targetId=target)


class Page:
    """One open page."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command to this page."""
        return self._browser.call(method, session=self._session, **params)

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def click(self, x: float, y: float) -> None:
        """Press and release the mouse at a point of the window."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = "none" if kind == "mouseMoved" else "left"
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def click_on(self, selector: str) -> None:
        """Scroll an element into sight and click in its middle."""
        box = self.evaluate(
            f"(e => {{ e.scrollIntoView({{block: 'center', behavior: 'instant'}});"
            "const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        self.click(*box)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press and release a key."""
        code, text = _KEYS.get(key, (ord(key.upper()[0]), key))
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Enter text where the focus is."""
        self.call("Input.insertText", text=text)

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """Save what is to be seen, or the whole length of the page."""
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(answer["data"]))

    def problems(self) -> list[str]:
        """Return whatever the page complained of: exceptions, errors, broken policy."""
        found = []
        for event in self._events():
            match event["method"]:
                case "Runtime.exceptionThrown":
                    found.append(json.dumps(event["params"]["exceptionDetails"]))
                case "Runtime.consoleAPICalled":
                    found.append(json.dumps(event["params"]["args"]))
                case "Log.entryAdded":
                    found.append(event["params"]["entry"]["text"])
                case "Page.javascriptDialogOpening":
                    found.append(f"dialog: {event['params']['message']}")
        return found

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self._events()
            if event["method"] == "Network.requestWillBeSent"
        ]

    def _events(self) -> list[dict[str, Any]]:
        self.evaluate("new Promise(done => setTimeout(done, 20))")
        return [e for e in self._browser.events if e.get("sessionId") == self._session]


def _start(program: str, folder: str) -> tuple[int, int, int]:
    """Start the browser; return its process and our ends of the two pipes."""
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    # Above 3 and 4, so that putting one in place does not close the other.
    theirs = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_read, from_write)]
    silent = os.open(os.devnull, os.O_RDWR)
    moves = [(theirs[0], 3), (theirs[1], 4), (silent, 0), (silent, 1), (silent, 2)]
    # The sandbox of the browser refuses to run as root, as containers do.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    process = os.posix_spawn(
        program,
        [program, *_FLAGS, *sandbox, f"--user-data-dir={folder}", "about:blank"],
        {**os.environ, "HOME": folder},
        file_actions=[(os.POSIX_SPAWN_DUP2, end, place) for end, place in moves],
        setpgroup=0,
    )
    for end in (to_read, from_write, silent, *theirs):
        os.close(end)
    return process, to_write, from_read


def _end(process: int) -> None:
    """Wait a little for the browser to end by itself, then end what is left of its group."""
    limit = time.monotonic() + 5.0
    while time.monotonic() < limit:
        if os.waitpid(process, os.WNOHANG)[0]:
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            return
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)


def _write_all(end: int, data: bytes) -> None:
    while data:
        data = data[os.write(end, data) :]
