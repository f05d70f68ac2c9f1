"""The additive score straight from its definition, one regression at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ZERO_VARIANCE, ZERO_CURVE, ROUNDING = 1e-10, 1e-6, 1e-10


@dataclass
class AdditiveTwin:
    """s(y, P) from covariances of all columns, of which each node has a block."""

    gram: Floats
    starts: Sequence[int]
    responses: Sequence[int]
    log_variances: Sequence[float]
    n: float
    alpha: float

    def local_score(self, y: int, parents: Sequence[int]) -> float:
        """Return s(y, parents); -inf where the parents are refused."""
        degrees = self.degrees(y, parents)
        return -math.inf if degrees is None else self._score(y, degrees)

    def degrees(self, y: int, parents: Sequence[int]) -> dict[int, int] | None:
        """Return the columns that each parent enters with, raising the best one at a time."""
        degrees = {x: 1 if self._has_curves(x) else self._size(x) for x in sorted(parents)}
        if self._is_refused(y, degrees):
            return None
        while (better := self._best_raise(y, degrees)) is not None:
            degrees = better
        return degrees

    def _best_raise(self, y: int, degrees: dict[int, int]) -> dict[int, int] | None:
        best, most = None, self._score(y, degrees) + self.n / 2 * ROUNDING
        if not self._has_curves(y):
            return None
        for x, degree in degrees.items():
            for larger in range(degree + 1, self._size(x) + 1):
                raised = degrees | {x: larger}
                column = self.starts[x] + larger - 1
                others = [other for other in self._columns(raised) if other != column]
                if self._share_left(column, others) <= ZERO_CURVE:
                    break
                if self._share_left(self.starts[y], self._columns(raised)) <= ZERO_VARIANCE:
                    break
                score = self._score(y, raised)
                if score > most:
                    best, most = raised, score + self.n / 2 * ROUNDING
        return best

    def _is_refused(self, y: int, degrees: dict[int, int]) -> bool:
        columns = [*self._columns(degrees), *self._response(y)]
        return any(
            self._share_left(column, columns[:i]) <= ZERO_VARIANCE
            for i, column in enumerate(columns)
        )

    def _score(self, y: int, degrees: dict[int, int]) -> float:
        columns, response = self._columns(degrees), self._response(y)
        c, k = len(response), len(columns)
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

    def _columns(self, degrees: dict[int, int]) -> list[int]:
        return [self.starts[x] + c for x, degree in degrees.items() for c in range(degree)]

    def _response(self, y: int) -> list[int]:
        return [self.starts[y] + c for c in range(self.responses[y])]

    def _size(self, x: int) -> int:
        return self.starts[x + 1] - self.starts[x]

    def _has_curves(self, x: int) -> bool:
        return self.responses[x] < self._size(x)
