"""What shares of draws mean, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from greedag.drawing.labels import amount
from greedag.errors import DataError

if TYPE_CHECKING:
    from greedag.uncertainty.shares import Stability

# At a threshold of a half or less there is no bound; this one is told instead.
USUAL_THRESHOLD = 0.9

NO_PROBABILITY = (
    "The share of draws that find an edge is no probability that the edge is true. It tells how "
    "much the edge depends on which rows happen to be in the table. An unmeasured common cause, or "
    "a score that does not suit the data, makes false edges that every draw finds."
)
ASSUMPTIONS = (
    "This bound, of Shah and Samworth, assumes that rows are independent, and that the shares of "
    "pairs that a half finds no more often than a pair drawn at random have a single peak. It does "
    "not count edges that an unmeasured common cause makes."
)


def false_in_words(found: Stability, threshold: float) -> Iterator[str]:
    """Give how many of the pairs at a threshold may be false, nothing where that is not known."""
    least = threshold if threshold > 0.5 else USUAL_THRESHOLD
    if found.kind != "halves":
        return
    try:
        false = found.expected_false(least)
    except DataError:  # no pair of halves is complete
        return
    stable = len(found.table(least))
    share = f"{100.0 * least:g} %"
    if not stable:
        yield f"No pair is adjacent in {share} of the draws."
        return
    are = "pair is" if stable == 1 else "pairs are"
    yield (
        f"{stable:,} {are} adjacent in {share} of the draws or more; chance alone is expected to "
        f"put at most {amount(false, 2)} pairs there."
    )
