"""Names in the cells of CSV files, safe to open with a spreadsheet.

Spreadsheets run a cell that begins with =, +, -, @ or a tab as a formula. So a name that begins
with one of them, or with apostrophes and then one of them, gets one more apostrophe in front, which
reading takes away: names come back as they were.
"""

from __future__ import annotations

import re

# The last four are the full-width forms, which some spreadsheets take for the plain ones.
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")


def cell_of(name: str) -> str:
    """Return the cell that holds a name."""
    return f"'{name}" if _FORMULA.match(name) else name


def name_in(cell: str) -> str:
    """Return the name that a cell holds."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
