"""The colours of a drawing, for light and for dark paper."""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "box": "#f2f5f9",
    "border": "#8a97a8",
    "directed": "#33567f",
    "undirected": "#b35309",
}
DARK = {
    "paper": "#14171b",
    "ink": "#e8ebef",
    "box": "#252b33",
    "border": "#66758a",
    "directed": "#8fb8ea",
    "undirected": "#f0a354",
}
