"""A cell: one data set and one method. Figures share cells, so each is run once."""

from __future__ import annotations

import traceback
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from greedag import CPDAG, Moments, metrics, score_graph
from greedag.simulate import Simulation, linear_gaussian
from paper.methods import ENVIRONMENTS, Found, NothingFound, find

Row = dict[str, Any]
TIMES = ("seconds",)
"""Fields of a row that differ from run to run."""


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """What is run, and nothing about which figure wants it.

    Attributes
    ----------
    method : str
    d, rho, n : int, float, int
        Columns, mean number of parents, rows.
    alpha : float
        Weight of the penalty.
    noise_max : float
        Bound of the noise's standard deviation, the paper's ε_max.
    negative : bool
        Whether weights may be negative.
    seed : int
        Of the model and of its data. The model does not depend on `n`.
    """

    method: str
    d: int
    rho: float
    n: int
    alpha: float = 2.0
    noise_max: float = 0.5
    negative: bool = False
    seed: int = 0

    @classmethod
    def of(cls, row: Row) -> Cell:
        """Return the cell that a row is about."""
        return cls(**{field.name: row[field.name] for field in fields(cls)})

    @property
    def expected_seconds(self) -> float:
        """A rough guess: long cells are started first, and progress is told by it."""
        slow = {"XGES": 6.0, "GES-r": 2.0, "FLOP": 40.0, "OPS, no reversals": 80.0}
        growth = (self.d / 50) ** 2.5 * 2.0 ** (self.rho - 3)
        start = 0.02 if self.method in slow or "(" not in self.method else 4.0
        return start + 0.05 * slow.get(self.method, 100.0 if "(" in self.method else 1.0) * growth


def draw(cell: Cell) -> tuple[Simulation, Moments]:
    """Draw the cell's model, and the moments of `n` rows of it from their exact law."""
    options = {"noise_max": cell.noise_max, "negative": cell.negative}
    model = linear_gaussian(cell.d, cell.rho, 1, seed=cell.seed, **options)  # type: ignore[arg-type]
    return model, model.moments(cell.n, seed=cell.seed)


def measure(cell: Cell, limit: float, environments: Path = ENVIRONMENTS) -> Row:
    """Run a cell. All but the fields of `TIMES` is the same at every run.

    A method that is absent, fails or takes too long gets a row whose `status` and `note` say so.
    """
    model, moments = draw(cell)
    row = asdict(cell)
    try:
        found = find(cell.method, moments, cell.alpha, limit, environments)
    except NothingFound as nothing:
        return row | {"status": nothing.status, "note": str(nothing)}
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        note = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        return row | {"status": "failed", "note": note}
    return row | {"status": "ok"} | _judged(found, model.cpdag, moments, cell.alpha)


def _judged(found: Found, truth: CPDAG, moments: Moments, alpha: float) -> Row:
    shares = metrics.precision_recall_f1(found.cpdag, truth)
    return {
        "shd": metrics.shd(found.cpdag, truth),
        "aid": metrics.aid(truth, found.cpdag),
        "edges": _edges(found.cpdag),
        "true_edges": _edges(truth),
        "precision": round(shares.precision, 6),
        "recall": round(shares.recall, 6),
        "f1": round(shares.f1, 6),
        "score": round(score_graph(moments, found.cpdag, alpha=alpha), 3),
        "true_score": round(score_graph(moments, truth, alpha=alpha), 3),
        "evaluations": found.evaluations,
        "seconds": float(f"{found.seconds:.4g}"),
    }


def _edges(graph: CPDAG) -> int:
    return len(graph.directed) + len(graph.undirected)
