"""The additive score straight from its definition, one regression at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Chosen = dict[int, list[int]]
"""The columns of its block that each parent enters with, in the order in which they entered."""

ZERO_VARIANCE, ZERO_CURVE, ROUNDING = 1e-10, 1e-6, 1e-10
MOST_RAISE, MOST_IN_PATH = 8, 4


@dataclass
class AdditiveTwin:
    """s(y, P) from covariances of all columns, of which each node has a block, steps last."""

    gram: Floats
    starts: Sequence[int]
    steps: Sequence[int]
    responses: Sequence[int]
    log_variances: Sequence[float]
    n: float
    alpha: float

    def local_score(self, y: int, parents: Sequence[int]) -> float:
        """Return s(y, parents); -inf where the parents are refused."""
        chosen = self.chosen(y, parents)
        return -math.inf if chosen is None else self._score(y, chosen)

    def chosen(self, y: int, parents: Sequence[int]) -> Chosen | None:
        """Return the columns that each parent enters with, making the best raise at a time."""
        chosen: Chosen = {
            x: [0] if self._has_curves(x) else [*range(self._size(x))] for x in sorted(parents)
        }
        if self._is_refused(y, chosen):
            return None
        while (better := self._best_raise(y, chosen)) is not None:
            chosen = better
        return chosen

    def _best_raise(self, y: int, chosen: Chosen) -> Chosen | None:
        best, most = None, self._score(y, chosen) + self.n / 2 * ROUNDING
        if not self._has_curves(y):
            return None
        for x in chosen:
            for raised in [*self._higher_degrees(y, chosen, x), self._with_steps(y, chosen, x)]:
                score = self._score(y, raised)
                if score > most:
                    best, most = raised, score + self.n / 2 * ROUNDING
        return best

    def _higher_degrees(self, y: int, chosen: Chosen, x: int) -> Iterator[Chosen]:
        degree = sum(column < self._size(x) for column in chosen[x])
        raised = chosen
        for column in range(degree, min(degree + MOST_RAISE, self._size(x))):
            if not self._may_join(y, raised, x, column):
                break
            raised = raised | {x: [*raised[x], column]}
            yield raised

    def _with_steps(self, y: int, chosen: Chosen, x: int) -> Chosen:
        """Add up to four steps, each of which explains most, as long as it is worth its price."""
        for _ in range(MOST_IN_PATH):
            best, most = None, self._score(y, chosen) + self.n / 2 * ROUNDING
            for column in range(self._size(x), self._size(x) + self.steps[x]):
                if self._may_join(y, chosen, x, column):
                    longer = chosen | {x: [*chosen[x], column]}
                    score = self._score(y, longer)
                    if score > most:
                        best, most = longer, score + self.n / 2 * ROUNDING
            if best is None:
                break
            chosen = best
        return chosen

    def _may_join(self, y: int, chosen: Chosen, x: int, column: int) -> bool:
        """Whether a column is no combination of those before, and leaves something of y."""
        before, added = self._columns(chosen), self.starts[x] + column
        return (
            added not in before
            and self._share_left(added, before) > ZERO_CURVE
            and self._share_left(self.starts[y], [*before, added]) > ZERO_VARIANCE
        )

    def _is_refused(self, y: int, chosen: Chosen) -> bool:
        columns = [*self._columns(chosen), *self._response(y)]
        return any(
            self._share_left(column, columns[:i]) <= ZERO_VARIANCE
            for i, column in enumerate(columns)
        )

    def _score(self, y: int, chosen: Chosen) -> float:
        columns, response = self._columns(chosen), self._response(y)
        c = len(response)
        k = len(columns) + sum(
            column >= self._size(x) for x, own in chosen.items() for column in own
        )
        log_det = self.log_variances[y] + np.linalg.slogdet(self._left(response, columns))[1]
        penalty = self.alpha / 2 * math.log(self.n) * (c * k + c * (c + 1) / 2)
        return float(-self.n / 2 * (c + log_det) - penalty)

    def _left(self, columns: list[int], given: list[int]) -> Floats:
        """Return the residual covariances of columns given others."""
        cross = self.gram[np.ix_(given, columns)]
        weights = np.linalg.lstsq(self.gram[np.ix_(given, given)], cross, rcond=None)[0]
        return self.gram[np.ix_(columns, columns)] - cross.T @ weights

    def _share_left(self, column: int, given: list[int]) -> float:
        return float(self._left([column], given)[0, 0] / self.gram[column, column])

    def _columns(self, chosen: Chosen) -> list[int]:
        return [self.starts[x] + column for x, own in chosen.items() for column in own]

    def _response(self, y: int) -> list[int]:
        return [self.starts[y] + c for c in range(self.responses[y])]

    def _size(self, x: int) -> int:
        """Return the number of columns without steps."""
        return self.starts[x + 1] - self.starts[x] - self.steps[x]

    def _has_curves(self, x: int) -> bool:
        return self.responses[x] < self._size(x)
