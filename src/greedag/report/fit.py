"""Whether the model fits: the section of the report that shows a check of it."""

from __future__ import annotations

from typing import Any

from greedag.drawing.labels import printable
from greedag.drawing.p_values import p_values_svg
from greedag.effects.check_records import ModelCheck, cells
from greedag.effects.check_words import figures, reservations, shown_misfits, verdict
from greedag.errors import DataError, OptionError
from greedag.result.result import Result

_MOST_COLUMNS = 100
_PICTURE = (
    "Each point is a test of two columns that are not adjacent. If the graph is right, points lie "
    "along the dashed line, most of them in the shade; points far below it show dependence that "
    "the graph does not have."
)


def fit_part(result: Result, check: ModelCheck) -> dict[str, Any]:
    """Return the values of the section.

    Raises
    ------
    OptionError, DataError
        If `check` is something else, or has other columns than the result.
    """
    if not isinstance(check, ModelCheck):
        raise OptionError(
            f"check must be what result.check(data) returns, not {type(check).__name__}"
        )
    if set(check.names) != set(result.graph.names):
        raise DataError(
            "the check has other columns than the result",
            remedy="call check of the same result",
            code="other-columns",
        )
    p_values = [test.p_value for test in check.tests]
    return {
        "fit": True,
        "fit_svg": p_values_svg(p_values, styled=False) if p_values else "",
        "fit_notes": [verdict(check), *figures(check), *reservations(check)],
        "fit_picture": _PICTURE,
        "fit_misfits": shown_misfits(check),
        "fit_columns": [
            (printable(fit.column), *cells(fit)) for fit in check.table()[:_MOST_COLUMNS]
        ],
    }
