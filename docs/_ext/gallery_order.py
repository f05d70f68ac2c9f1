"""The order of the examples: first steps, then what to trust, then data of every kind."""

from __future__ import annotations

_ORDER = (
    "quick_start",
    "demo",
    "members",
    "tiers",
    "question",
    "bootstrap",
    "penalty",
    "searches",
    "hidden_cause",
    "non_linear",
    "missing_values",
    "mixed_columns",
    "larger_than_memory",
    "sites",
    "custom_score",
)


class Order:
    """Sorts the files of the gallery; those that are not listed come last, by name."""

    def __init__(self, folder: str) -> None:
        """Take the folder, which makes no difference."""

    def __call__(self, file: str) -> tuple[int, str]:
        """Return what to sort a file by."""
        name = file.removesuffix(".py")
        return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)
