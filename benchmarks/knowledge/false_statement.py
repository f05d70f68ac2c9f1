"""Whether the costs of statements expose the one that is false.

``python benchmarks/knowledge/false_statement.py [--sets 100] [--true 5]``

A set: a table of 5,000 rows and 15 to 20 columns, some arcs of its true graph as required, and one
arc that is not in the true graph, required too, at a random place among them. It is drawn uniformly
from one of these kinds, always so that all required arcs together have no cycle:

- reversed, compelled: y → x, where all members of the true class have x → y;
- reversed, any: y → x, where the true graph has x → y, be it compelled or not;
- absent: x → y, where x and y are not adjacent in the true graph;
- any: an arc that the true graph does not have, reversed or absent.

Data expose a statement in principle only if the true class has a member with the others, and has
none with all but any other one. Else no amount of rows tells it from a true one: a reversed arc of
x - y is as good as x → y, and of x → y and z → y, where the true class has x - y - z, each by
itself is right. Tables are drawn until a set is of the kind; sets that data cannot expose are
counted apart.

First means: its cost is above that of every other statement.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "speed"))
from tiered import ALPHA, RHO, Matrix, topological_order

from greedag import Knowledge, Moments, _core, learn
from greedag.simulate import Simulation, linear_gaussian
from report import parser, table

ROWS, FIRST_SEED = 5_000, 162_000
KINDS = ("any", "absent", "reversed, compelled", "reversed, any")
Arc = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Statements:
    """A table, and required arcs of which one is false."""

    drawn: Simulation
    arcs: tuple[Arc, ...]
    false: Arc

    @property
    def can_be_exposed(self) -> bool:
        """Whether, of all statements, only the false one contradicts the true class."""
        return not any(
            self._is_in_true_class(left_out) for left_out in self.arcs if left_out != self.false
        )

    def _is_in_true_class(self, left_out: Arc) -> bool:
        cpdag = self.drawn.cpdag.to_matrix()
        required = [arc for arc in self.arcs if arc != left_out]
        knowledge = _core.Knowledge(len(cpdag), required=required)
        return _core.orient(cpdag, knowledge) is not None


def draw(kind: str, true_count: int, seed: int) -> Statements | None:
    """Draw a set of statements; none if the table has no false arc of the kind."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    drawn = linear_gaussian(int(rng.integers(15, 21)), RHO, ROWS, seed=seed)
    true_arcs = [(int(x), int(y)) for x, y in np.argwhere(drawn.dag)]
    if len(true_arcs) <= true_count:
        return None
    chosen = [true_arcs[place] for place in rng.permutation(len(true_arcs))[:true_count]]
    false_arcs = [
        (x, y)
        for x, y in candidates(kind, drawn)
        if (y, x) not in chosen and is_acyclic([*chosen, (x, y)], len(drawn.dag))
    ]
    if not false_arcs:
        return None
    false = false_arcs[int(rng.integers(len(false_arcs)))]
    arcs = [*chosen, false]
    return Statements(drawn, tuple(arcs[place] for place in rng.permutation(len(arcs))), false)


def candidates(kind: str, drawn: Simulation) -> Iterator[Arc]:
    """Yield the false arcs of a kind."""
    cpdag = drawn.cpdag.to_matrix()
    d = len(cpdag)
    for x, y in ((x, y) for x in range(d) for y in range(d) if x != y and not drawn.dag[x, y]):
        is_reversed = bool(drawn.dag[y, x])
        is_compelled = bool(cpdag[y, x]) and not cpdag[x, y]
        if {
            "any": True,
            "absent": not is_reversed,
            "reversed, compelled": is_compelled,
            "reversed, any": is_reversed,
        }[kind]:
            yield x, y


def is_acyclic(arcs: list[Arc], d: int) -> bool:
    """Whether arcs have no cycle."""
    matrix: Matrix = np.zeros((d, d), dtype=np.uint8)
    for x, y in arcs:
        matrix[x, y] = 1
    return len(topological_order(matrix, np.random.default_rng(0))) == d


def costs(statements: Statements) -> dict[Arc, float]:
    """Return what each statement costs: the score without it minus the score with all."""
    moments = Moments.from_data(statements.drawn.data)
    names = moments.names
    knowledge = Knowledge(required=[(names[x], names[y]) for x, y in statements.arcs])
    result = learn(moments, alpha=ALPHA, knowledge=knowledge)
    by_columns = {said.statement.columns: said.cost for said in result.knowledge_cost().statements}
    return {(x, y): by_columns[names[x], names[y]] for x, y in statements.arcs}


def is_first(statements: Statements) -> bool:
    """Whether the false statement costs more than each of the others."""
    found = costs(statements)
    own = found.pop(statements.false)
    return own > max(found.values())


def row(kind: str, sets: int, true_count: int) -> list[str]:
    """Draw as many sets of a kind, and count on how many the false statement comes first."""
    drawn, exposable, first, first_exposable = 0, 0, 0, 0
    for seed in count(FIRST_SEED):
        statements = draw(kind, true_count, seed)
        if statements is None:
            continue
        drawn += 1
        is_top, can_be = is_first(statements), statements.can_be_exposed
        exposable += can_be
        first += is_top
        first_exposable += is_top and can_be
        if exposable == sets or drawn == 3 * sets:
            break
    return [
        kind,
        f"{drawn}",
        f"{first} ({first / drawn:.0%})",
        f"{exposable}",
        f"{first_exposable} ({first_exposable / max(exposable, 1):.0%})",
    ]


def main() -> None:
    """Print how often the false statement comes first, by its kind."""
    options = parser(__doc__)
    options.add_argument("--sets", type=int, default=100, help="sets that data can expose, a kind")
    options.add_argument("--true", type=int, default=5, help="true statements beside the false one")
    chosen = options.parse_args()
    header = ["false arc", "sets", "first", "can be exposed", "of these first"]
    rows = (row(kind, chosen.sets, chosen.true) for kind in KINDS)
    print("\n".join(table(header, rows)))


if __name__ == "__main__":
    main()
