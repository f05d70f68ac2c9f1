"""From a result to the file: gather, render, write."""

from __future__ import annotations

import os
from datetime import datetime, timezone

from greedag import __version__
from greedag.drawing.svg import STYLE as DRAWING_STYLE
from greedag.errors import OptionError, require
from greedag.io.atomic import write_text_atomic
from greedag.report import embed
from greedag.report.contents import contents
from greedag.result.result import Result


def write_report(result: Result, path: str | os.PathLike[str], *, title: str = "") -> None:
    """Write a report as one HTML file that needs nothing else, no network either.

    Parameters
    ----------
    result : Result
        What the report is about. Without moments (a result that was loaded without data) the
        strengths of edges and the summary of the data are missing, and the report says so.
    path : path-like
        The file; one that exists is replaced, whole or not at all.
    title : str, default ""
        Its heading; empty for one that tells the number of columns.

    Raises
    ------
    MissingExtraError
        If jinja2 is not installed.
    FileError
        If the file cannot be written.
    """
    write_text_atomic(path, render(result, title=title, when=datetime.now(timezone.utc)))


def render(result: Result, *, title: str, when: datetime) -> str:
    """Return the page; for the same arguments always the same text."""
    if not isinstance(title, str):
        raise OptionError(f"title must be text, not {type(title).__name__}; leave it out for none")
    jinja2 = require("jinja2", "report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(embed.asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    values = contents(result, title=title, when=when, version=__version__)
    style, script = embed.style(), embed.script()
    # What is no text, or escaped already, passes the template as it is.
    trusted = {
        "svg": values["svg"],
        "data": embed.json_block(values["data"]),
        "style": style,
        "script": script,
    }
    markup = require("markupsafe", "report").Markup
    values |= {name: markup(block) for name, block in trusted.items()}
    values["policy"] = embed.policy(styles=[style, DRAWING_STYLE], scripts=[script])
    return str(environment.get_template("page.html").render(values))
