"""Random statements of background knowledge, of every kind and mixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
from numpy.random import Generator

from oracle import brute_force as bf
from oracle.knowledge import NO_TIER, Arc, Statements, graph_of


def _some_arcs(rng: Generator, d: int, most: int) -> tuple[Arc, ...]:
    arcs = list(permutations(range(d), 2))
    count = min(int(rng.integers(1, most + 1)), len(arcs))
    return tuple(arcs[k] for k in sorted(rng.choice(len(arcs), count, replace=False)))


def _required(rng: Generator, d: int) -> Statements:
    return Statements(d, required=_some_arcs(rng, d, 3))


def _forbidden(rng: Generator, d: int) -> Statements:
    return Statements(d, forbidden=_some_arcs(rng, d, d * (d - 1) // 2))


def _full_tiers(rng: Generator, d: int) -> Statements:
    return Statements(d, tiers=tuple(rng.integers(0, int(rng.integers(2, d + 1)), d).tolist()))


def _partial_tiers(rng: Generator, d: int) -> Statements:
    tiers = rng.integers(0, int(rng.integers(2, d + 1)), d)
    return Statements(d, tiers=tuple(np.where(rng.random(d) < 0.35, NO_TIER, tiers).tolist()))


def _before(rng: Generator, d: int) -> Statements:
    return Statements(d, before=_some_arcs(rng, d, d))


def _exogenous(rng: Generator, d: int) -> Statements:
    y = int(rng.integers(d))
    return Statements(d, forbidden=tuple((x, y) for x in range(d) if x != y))


def _terminal(rng: Generator, d: int) -> Statements:
    x = int(rng.integers(d))
    return Statements(d, forbidden=tuple((x, y) for y in range(d) if y != x))


def _not_adjacent(rng: Generator, d: int) -> Statements:
    pairs = _some_arcs(rng, d, 2)
    return Statements(d, forbidden=tuple(sorted({*pairs, *((y, x) for x, y in pairs)})))


def _forbidden_within(rng: Generator, d: int) -> Statements:
    tiers = tuple(rng.integers(0, 2, d).tolist())
    closed = int(rng.integers(2))
    arcs = permutations([v for v in range(d) if tiers[v] == closed], 2)
    return Statements(d, forbidden=tuple(arcs), tiers=tiers if rng.random() < 0.5 else ())


KINDS: dict[str, Callable[[Generator, int], Statements]] = {
    "required": _required,
    "forbidden": _forbidden,
    "full tiers": _full_tiers,
    "partial tiers": _partial_tiers,
    "before": _before,
    "exogenous": _exogenous,
    "terminal": _terminal,
    "not adjacent": _not_adjacent,
    "forbidden within": _forbidden_within,
}
MIXTURE = "mixture"


def mixed(parts: Sequence[Statements]) -> Statements:
    """Return all that several statements say; of their tiers only the last."""
    tiers = [part.tiers for part in parts if part.tiers]
    return Statements(
        parts[0].d,
        tuple(sorted({arc for part in parts for arc in part.required})),
        tuple(sorted({arc for part in parts for arc in part.forbidden})),
        tiers[-1] if tiers else (),
        tuple(sorted({arc for part in parts for arc in part.before})),
    )


def random_statements(seed: int, d: int, kind: str | None = None) -> tuple[str, Statements]:
    """Draw statements of a kind, or of any, whether or not a DAG agrees with all of them."""
    rng = np.random.default_rng([seed, d])
    names = [*KINDS, MIXTURE, MIXTURE, MIXTURE]
    name = names[int(rng.integers(len(names)))] if kind is None else kind
    if name != MIXTURE:
        return name, KINDS[name](rng, d)
    parts = rng.choice(len(KINDS), int(rng.integers(2, 4)), replace=False)
    return name, mixed([list(KINDS.values())[part](rng, d) for part in parts])


def consistent_statements(seed: int, d: int, kind: str | None = None) -> tuple[str, Statements]:
    """Draw statements that some DAG agrees with: the first of the seeds that lead to such."""
    for attempt in range(seed * 1_000, (seed + 1) * 1_000):
        name, known = random_statements(attempt, d, kind)
        dag = bf.to_matrix(d, graph_of(d, known.required))
        # Fewer arcs never make a DAG inadmissible, so the required ones alone decide.
        if bf.is_acyclic(d, bf.from_matrix(dag)) and known.admits(dag):
            return name, known
    raise ValueError(f"no consistent {kind} found from seed {seed}")
