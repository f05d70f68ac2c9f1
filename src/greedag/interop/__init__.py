"""Graphs to and from other programs: files by suffix, and the objects of other libraries.

Each function says which way edges and matrices read; ``docs/formats.md`` has the table.
"""

from greedag.interop.causal_learn import from_causal_learn, to_causal_learn
from greedag.interop.dagitty import from_dagitty, to_dagitty
from greedag.interop.dot import from_dot, to_dot
from greedag.interop.dowhy import dowhy_model, to_dowhy, to_dowhy_gml
from greedag.interop.edge_list import from_edge_list, to_edge_list
from greedag.interop.formats import SUFFIXES, read, write
from greedag.interop.graphml import from_graphml, to_graphml
from greedag.interop.json_document import from_json, to_json
from greedag.interop.matrices import (
    from_bnlearn,
    from_npz,
    from_pcalg,
    to_bnlearn,
    to_npz,
    to_pcalg,
)
from greedag.interop.networkx import from_networkx, to_networkx
from greedag.interop.pgmpy import from_pgmpy, to_pgmpy
from greedag.interop.tetrad import from_tetrad, to_tetrad

__all__ = [
    "SUFFIXES",
    "dowhy_model",
    "from_bnlearn",
    "from_causal_learn",
    "from_dagitty",
    "from_dot",
    "from_edge_list",
    "from_graphml",
    "from_json",
    "from_networkx",
    "from_npz",
    "from_pcalg",
    "from_pgmpy",
    "from_tetrad",
    "read",
    "to_bnlearn",
    "to_causal_learn",
    "to_dagitty",
    "to_dot",
    "to_dowhy",
    "to_dowhy_gml",
    "to_edge_list",
    "to_graphml",
    "to_json",
    "to_networkx",
    "to_npz",
    "to_pcalg",
    "to_pgmpy",
    "to_tetrad",
    "write",
]
