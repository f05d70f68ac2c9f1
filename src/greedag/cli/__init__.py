"""The command line: ``greedag learn``, ``show``, ``explain``, ``compare``, ``score``, …

Exit codes: 0 done, 2 wrong input, 3 a file cannot be written, 130 interrupted. Messages go to
stderr. click and rich are needed once a command runs, not when this package is imported.
"""

from greedag.cli.main import main

__all__ = ["main"]
