"""The empirical part of the paper, run again.

``python -m paper --help``, with benchmarks/ on the path.
"""
