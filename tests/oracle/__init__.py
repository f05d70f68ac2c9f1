"""Slow, obvious twins of the engine; they import nothing from greedag."""
