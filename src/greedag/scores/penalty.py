"""What callers may pass as the weight of the penalty: a number, or a word for how to choose it."""

from __future__ import annotations

from typing import Final, Literal

from greedag._options import LARGEST_ALPHA, as_real
from greedag.errors import OptionError, quoted

AlphaName = Literal["auto", "stars", "cv", "ebic"]
# By rows and columns: see `alpha_by_size` of `greedag.scores.gaussian`.
AUTO: Final = "auto"
# These compare searches with many weights: see `greedag.uncertainty.choose`.
ALONG_PATH: Final = ("stars", "cv", "ebic")
WORDS = (AUTO, *ALONG_PATH)
"""Words that `learn` takes as alpha."""


def checked_choice(alpha: object) -> float | str:
    """Return a number or one of the words of `WORDS`, if it is one."""
    if isinstance(alpha, str) and alpha in WORDS:
        return alpha
    number = as_real(alpha)
    if not 0.0 < number <= LARGEST_ALPHA:
        words = ", ".join(repr(word) for word in WORDS)
        raise OptionError(
            f"alpha must be a number above 0, at most 1e300, or {words}; got {quoted(alpha)}"
        )
    return number
