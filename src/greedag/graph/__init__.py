"""Equivalence classes: the graph, its members, its ancestors."""
