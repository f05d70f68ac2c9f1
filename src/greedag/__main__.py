"""``python -m greedag``: the command line."""

import sys

from greedag.cli import main

sys.exit(main())
