"""The commands under ``greedag``."""

from __future__ import annotations

import click

from greedag import __version__
from greedag.cli.compare import compare_command
from greedag.cli.convert import convert_command
from greedag.cli.explain import explain_command
from greedag.cli.learn import learn_command
from greedag.cli.output import say
from greedag.cli.score import score_command
from greedag.cli.show import show_command
from greedag.cli.simulate import simulate_command


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="greedag")
@click.pass_context
def program(context: click.Context) -> None:
    """Causal structure from a table.

    \b
    Examples:
      greedag learn table.csv --out graph.json --report report.html
      greedag show graph.json --focus income
      greedag learn --help
    """
    if context.invoked_subcommand is None:
        say(context.get_help())


for command in (
    learn_command,
    show_command,
    explain_command,
    compare_command,
    score_command,
    convert_command,
    simulate_command,
):
    program.add_command(command)
