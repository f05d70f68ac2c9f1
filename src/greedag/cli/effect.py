"""``greedag effect``: what changing one column does to another."""

from __future__ import annotations

import click

from greedag.cli.graphs import with_table
from greedag.cli.main import said_warnings, say
from greedag.cli.options import (
    kinds_option,
    na_option,
    recorded_missing_option,
    table_format_option,
    transform_option,
    weights_option,
)
from greedag.cli.tables import options_from


@click.command("effect")
@click.argument("result")
@click.argument("x")
@click.argument("y", required=False)
@click.option(
    "--data",
    required=True,
    metavar="FILE",
    help="The table to estimate from, best with other rows than RESULT was learned from.",
)
@click.option("--change", nargs=2, metavar="FROM TO", help="Change X from one value to another.")
@click.option("--of", metavar="LEVEL", help="The level of Y whose probability is looked at.")
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="Level of confidence intervals."
)
@table_format_option
@kinds_option
@recorded_missing_option
@weights_option
@transform_option
@na_option
def effect_command(
    result: str,
    x: str,
    y: str | None,
    data: str,
    change: tuple[str, str] | None,
    of: str | None,
    level: float,
    table_format: str | None,
    kinds: tuple[str, ...],
    missing: str | None,
    weights: str | None,
    transform: tuple[str, ...],
    na: tuple[str, ...],
) -> None:
    """Say what changing column X does to column Y, by the graph in RESULT.

    RESULT is a .json file that learn wrote. With X alone, all effects on X are listed. X may be
    several columns, parted by commas, that are changed at once. Options given to learn need not be
    repeated.

    \b
    Examples:
      greedag effect graph.json rain harvest --data other.csv
      greedag effect graph.json rain,sun harvest --data other.csv
      greedag effect graph.json harvest --data other.csv
    """
    said = options_from(kinds=kinds, missing=missing, weights=weights, transform=transform, na=na)
    plain, table, _ = with_table(result, data, said, table_format)
    with said_warnings():
        if y is None:
            return say(repr(plain.effects(on=x, data=table, level=level)))
        changed = x if x in plain.cpdag.names else _several(x)
        found = plain.effect(changed, y, data=table, level=level, change=_pair(change), of=of)
    say(str(found))


def _several(x: str) -> str | list[str]:
    return x.split(",") if "," in x else x


def _pair(change: tuple[str, str] | None) -> tuple[object, object] | None:
    """Return numbers where both ends are such."""
    if change is None:
        return None
    try:
        return float(change[0]), float(change[1])
    except ValueError:
        return change
