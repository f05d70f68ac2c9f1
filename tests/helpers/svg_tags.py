"""What a drawing may hold, and what a browser would see in it."""

from __future__ import annotations

from html.parser import HTMLParser

SVG = "{http://www.w3.org/2000/svg}"
OURS = {
    "svg": {"class", "role", "aria-label", "width", "height", "viewBox"},
    "style": set(),
    "title": set(),
    "g": {"class", "data-node", "data-edge", "data-strength", "tabindex"},
    "path": {"class", "d", "stroke-width"},
    "polygon": {"class", "points"},
    "rect": {"x", "y", "width", "height", "rx"},
    "text": {"x", "y"},
}


class Tags(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: set[tuple[str, frozenset[str]]] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add((tag, frozenset(name for name, _ in attrs)))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = unknown_decl = handle_pi = handle_comment
