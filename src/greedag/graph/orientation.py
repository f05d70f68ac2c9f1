"""Why each edge of a graph has its direction; the engine derives it.

A *v-structure* is a → b ← c with a and c not adjacent. All members share all of them. Knowledge may
direct further edges. Where one direction of another edge would make one more v-structure, or a
cycle, the other direction is *compelled*, by the rules of Meek (1995):

1. c → a - b with c and b not adjacent gives a → b.
2. a → c → b with a - b gives a → b.
3. c → b ← d with c and d not adjacent, and a - b, a - c, a - d, gives a → b.
4. d → c → b with d and b not adjacent, a - b, a - d and a adjacent to c, gives a → b. It is needed
   with knowledge only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# By their number in the engine.
RULES = ("v-structure", "meek-1", "meek-2", "meek-3", "meek-4", "knowledge")


@dataclass(frozen=True, slots=True)
class Direction:
    """Why an edge has the direction that it has, or none.

    Attributes
    ----------
    rule : str
        ``"v-structure"``; ``"meek-1"`` to ``"meek-4"``; ``"knowledge"``; or ``"both"`` for an
        undirected edge, of which both directions occur in members.
    nodes : tuple of str
        The further columns that the rule needs; of rule 4 those of the path d → c → b, d first.
    statements : tuple of Statement
        The statements that direct it. None where the direction itself was given.
    """

    rule: str
    nodes: tuple[str, ...]
    statements: tuple[Any, ...] = ()
