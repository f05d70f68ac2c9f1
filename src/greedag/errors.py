"""What can go wrong, and how it is said.

Every message names what is wrong, where (column, value, row, count) and what to do.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from types import ModuleType

_SHOWN_CHARACTERS = 48
_SHOWN_NAMES = 6


class GreedagError(Exception):
    """Base of the errors that greedag raises on purpose."""


class DataError(GreedagError, ValueError):
    """The data cannot be used as they are."""


class DataTypeError(DataError, TypeError):
    """The data are of a kind that cannot be read as real numbers."""


class CollinearError(DataError):
    """Some columns determine each other exactly.

    Attributes
    ----------
    columns : tuple of str
        One minimal dependent set: every column in it is an exact linear combination of the
        others, and no smaller part of the set is dependent.
    """

    # The default lets pickle rebuild the error from its message alone, then restore `columns`.
    def __init__(self, message: str, columns: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


class OptionError(GreedagError, ValueError):
    """An option has a value that makes no sense."""


class FileError(GreedagError, OSError):
    """A file cannot be read or written, or does not hold what was expected."""


class MissingExtraError(GreedagError, ImportError):
    """An optional package is needed and not installed."""


class SearchInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a search early.

    It is a `KeyboardInterrupt`, so that ``except Exception`` does not swallow it.

    Attributes
    ----------
    result : object
        The best result found until then.
    """

    def __init__(self, result: object = None) -> None:
        super().__init__("the search was interrupted; `result` holds the best class so far")
        self.result = result


def require(module: str, extra: str) -> ModuleType:
    """Import an optional module, or say which extra brings it.

    Parameters
    ----------
    module : str
        Name of the module, such as ``"click"``.
    extra : str
        The extra of greedag that installs it, such as ``"cli"``.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    MissingExtraError
        If the module cannot be imported.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"this needs the package {module!r}, which cannot be imported ({error}); "
            f'install it with: pip install "greedag[{extra}]"'
        ) from error


def quoted(name: object) -> str:
    """Return a name as shown in a message: quoted, control characters escaped, shortened."""
    text = str(name)
    if len(text) > _SHOWN_CHARACTERS:
        text = text[: _SHOWN_CHARACTERS - 1] + "…"
    return repr(text)


def listed(names: Sequence[object]) -> str:
    """Return several names as shown in a message: ``'a', 'b' and 'c'``, long lists shortened."""
    shown = [quoted(name) for name in names[:_SHOWN_NAMES]]
    if len(names) > _SHOWN_NAMES:
        shown.append(f"{len(names) - _SHOWN_NAMES} more")
    if len(shown) < 2:
        return "".join(shown)
    return ", ".join(shown[:-1]) + " and " + shown[-1]
