"""What the library says to callers from Python, in the options of the command line."""

from __future__ import annotations

import ast
import csv
import io
import re
import shlex

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_KINDS = re.compile(rf"\bkinds=\{{({_QUOTED}): '(\w+)'\}}")
_WORD = re.compile(r"\b(missing|score|search)='([\w-]+)'")
_PLAIN = {
    "kinds, missing and sample_weight": "--kinds, --missing and --weights",
    ", or leave out data=": "",
    "pass as_dag=True": "pass --dag, which convert and score take,",
    "as_dag=True": "--dag",
    "kinds=": "--kinds",
    "missing= ": "--missing ",
    "pass a str or a Path": "check the name",
    "n_jobs": "--jobs",
    "time_limit": "--time-limit",
    "clique_cap": "--clique-cap",
    ", or None;": ";",
}
# What is quoted is kept, for names of columns and files are the caller's.
_NAME = rf"(?<!\w)(?:{_QUOTED})"
_ANY = re.compile("|".join([_KINDS.pattern, _WORD.pattern, *map(re.escape, _PLAIN), _NAME]))


def in_options(message: str) -> str:
    """Return a message with the arguments of Python named as options."""
    return _ANY.sub(lambda found: _option(found[0]), message)


def _option(text: str) -> str:
    if (kinds := _KINDS.fullmatch(text)) is not None:
        return f"--kinds {_item(ast.literal_eval(kinds[1]), kinds[2])}"
    if (word := _WORD.fullmatch(text)) is not None:
        return f"--{word[1]} {word[2]}"
    return _PLAIN.get(text, text)


def _item(name: str, kind: str) -> str:
    """Return what `--kinds` says of a column, quoted for its list and for the shell."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([f"{name}={kind}"])
    return shlex.quote(line.getvalue())
