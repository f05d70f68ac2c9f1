"""Columns on another scale: logarithms, and ranks as normal quantiles.

Normal scores replace each value by the quantile of the standard normal distribution that belongs to
its rank: ``Φ⁻¹(r / (n + 1))``, equal values at the mean of their ranks. Ranks are those among the
rows that count; a row of weight w counts as w rows. Scores for normal columns then hold for any
columns that are normal after some increasing transformation of each (the nonparanormal of Liu,
Lafferty & Wasserman, 2009).
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from greedag._progress import check_time, interruptible
from greedag.data.columns import Column, MappedSource, replaced
from greedag.data.kinds import Kind, kinds_option
from greedag.data.rows import SelectedRows
from greedag.data.source import Floats, MemorySource
from greedag.errors import (
    DataError,
    Note,
    OptionError,
    Row,
    Spelled,
    argument,
    columns_listed,
    counted,
    listed,
    quoted,
    unknown_column,
)

Word = Literal["log", "log1p", "normal-scores"]
Transform: TypeAlias = "Mapping[str, Word] | Word"

NORMAL_SCORES = "normal-scores"
WORDS = ("log", "log1p", NORMAL_SCORES)
_LEAST = {"log": 0.0, "log1p": -1.0}
_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {"log": np.log, "log1p": np.log1p}
UNITS = {
    "log": "log({})",
    "log1p": "log(1 + {})",
    NORMAL_SCORES: "standard deviations of normal scores",
}


def checked_transform(transform: object) -> dict[str, str] | str:
    """Return a word for all columns, or words by column, if there are such words."""
    if isinstance(transform, str):
        return _word(transform, "all columns")
    if not isinstance(transform, Mapping):
        raise OptionError(
            f"transform must be one of {', '.join(WORDS)}, or a mapping such as "
            f"{{'column': 'log'}}; got {quoted(transform)}"
        )
    return {name: _word(word, f"column {quoted(name)}") for name, word in transform.items()}


def _word(word: object, where: str) -> str:
    if isinstance(word, str) and word in WORDS:
        return word
    near = difflib.get_close_matches(str(word).lower(), WORDS, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise OptionError(
        f"transform must be one of {', '.join(WORDS)}, got {quoted(word)}{hint} for {where}"
    )


def words_by_column(
    transform: Mapping[str, str] | str, names: Sequence[str], kinds: Sequence[Kind]
) -> dict[str, str]:
    """Return the columns to transform, each with its word; one word means the continuous ones.

    Raises
    ------
    DataError
        If there is no such column, or it is discrete.
    """
    continuous = [name for name, kind in zip(names, kinds, strict=True) if kind == "continuous"]
    if isinstance(transform, str):
        if not continuous:
            raise DataError(
                "there is no continuous column to transform",
                remedy=("leave out ", argument("transform")),
                code="transform-discrete",
            )
        return dict.fromkeys(continuous, transform)
    for name in transform:
        if name not in names:
            raise unknown_column(name, names)
    odd = [name for name in transform if name not in continuous]
    if odd:
        raise DataError(
            f"transform is for continuous columns only, not for the discrete {columns_listed(odd)}",
            remedy=(
                f"leave {quoted(odd[0])} out of transform, or pass ",
                kinds_option(odd[0], "continuous"),
                " if it holds quantities",
            ),
            code="transform-discrete",
            columns=odd,
        )
    return dict(transform)


def transformed(rows: SelectedRows, words: Mapping[str, str]) -> SelectedRows:
    """Return rows with some columns on another scale; missing values stay missing.

    Raises
    ------
    DataError
        If a logarithm is asked for of values that have none.
    DataTypeError
        If a column holds no numbers, or ranks are asked for of rows that are not in one place.
    """
    if not words:
        return rows
    source = rows.source
    if NORMAL_SCORES in words.values():
        source = source.in_memory()
    if isinstance(source, MemorySource):
        return replace(rows, source=_of_memory(source, words, rows.weights))
    return replace(rows, source=MappedSource(source, partial(_of_memory, words=dict(words))))


def note_on_transform(words: Mapping[str, str]) -> Note:
    """Say which columns are on another scale."""
    parts = []
    for word in WORDS:
        names = [name for name, given in words.items() if given == word]
        if names:
            parts.append(f"{word} of {listed(names)}")
    return Note(
        f"learned from transformed columns: {'; '.join(parts)}", code="transform", columns=words
    )


def _of_memory(
    source: MemorySource, words: Mapping[str, str], weights: Floats | None = None
) -> MemorySource:
    changed: dict[int, MemorySource] = {}
    bad: dict[str, int] = {}
    first = (0, 0.0, 0.0)
    for j, name in enumerate(source.names):
        if name not in words or 0 in source.shape:
            continue
        places = np.flatnonzero(~source.missing(j))
        values = source.numbers(j, places).astype(np.float64)
        outside = _outside(values, words[name])
        if outside.any():
            row = int(np.argmax(outside))
            first = first if bad else (int(places[row]), values[row], values.min())
            bad[name] = int(outside.sum())
            continue
        column = np.full(source.shape[0], np.nan)
        weight = None if weights is None else weights[places]
        column[places] = _scaled(values, words[name], weight)
        changed[j] = Column(column, name)
    if bad:
        raise _no_logarithm(bad, words, *first)
    return replaced(source, changed)


def _outside(values: Floats, word: str) -> Any:
    if word == NORMAL_SCORES:
        return np.zeros(len(values), dtype=bool)
    return values <= _LEAST[word]


def _scaled(values: Floats, word: str, weights: Floats | None) -> Floats:
    if word == NORMAL_SCORES:
        return normal_scores(values, weights)
    return _FUNCTIONS[word](values)


def _no_logarithm(
    bad: Mapping[str, int], words: Mapping[str, str], row: int, value: float, lowest: float
) -> DataError:
    name = next(iter(bad))
    word = words[name]
    other = "'log1p', the logarithm of 1 + x, or " if word == "log" and lowest > -1.0 else ""
    more = f"; {len(bad)} columns hold such values: {counted(bad)}" if len(bad) > 1 else ""
    least = "0" if word == "log" else "-1"
    return DataError(
        f"column {quoted(name)} holds {bad[name]} "
        f"{'value' if bad[name] == 1 else 'values'} of {least} or less, where {word} is undefined, "
        "the first in ",
        Row(row),
        f": {quoted(value)}{more}",
        remedy=(
            f"transform {quoted(name)} with {other}'normal-scores', which takes any number, or "
            "name only other columns in ",
            Spelled("transform=", "--transform"),
        ),
        code="transform-range",
        columns=tuple(bad),
        counts=bad,
    )


def normal_scores(values: Floats, weights: Floats | None = None) -> Floats:
    """Return ranks as normal quantiles, equal values at the mean of their ranks.

    A weight counts rows, so that 2 is the same as the value twice. Infinite values stay what they
    are, for whoever reads them to refuse.
    """
    check_time("transforming columns")
    places = np.flatnonzero(np.isfinite(values))
    order = places[interruptible("transforming columns", len(places), np.argsort, values[places])]
    ascending = values[order]
    # Equal values share a group; groups are numbered from the smallest.
    group = np.zeros(len(order), dtype=np.intp)
    np.cumsum(ascending[1:] != ascending[:-1], out=group[1:])
    size = np.bincount(group, None if weights is None else weights[order]).astype(np.float64)
    # The ranks of w equal rows after W others are W + 1, …, W + w.
    rank = np.cumsum(size) - size + (size + 1.0) / 2.0
    scores = values.copy()
    scores[order] = normal_quantiles(rank / (size.sum() + 1.0))[group]
    return scores


# Wichura (1988), algorithm AS 241, PPND16: coefficients in ascending order.
_CENTRE = (
    (
        3.3871328727963665,
        133.14166789178438,
        1971.5909503065513,
        13731.69376550946,
        45921.95393154987,
        67265.7709270087,
        33430.57558358813,
        2509.0809287301227,
    ),
    (
        1.0,
        42.31333070160091,
        687.1870074920579,
        5394.196021424751,
        21213.794301586597,
        39307.89580009271,
        28729.085735721943,
        5226.495278852854,
    ),
)
_SHOULDER = (
    (
        1.4234371107496835,
        4.630337846156546,
        5.769497221460691,
        3.6478483247632045,
        1.2704582524523684,
        0.2417807251774506,
        0.022723844989269184,
        0.0007745450142783414,
    ),
    (
        1.0,
        2.053191626637759,
        1.6763848301838038,
        0.6897673349851,
        0.14810397642748008,
        0.015198666563616457,
        0.0005475938084995345,
        1.0507500716444169e-09,
    ),
)
_TAIL = (
    (
        6.657904643501103,
        5.463784911164114,
        1.7848265399172913,
        0.29656057182850487,
        0.026532189526576124,
        0.0012426609473880784,
        2.7115555687434876e-05,
        2.0103343992922881e-07,
    ),
    (
        1.0,
        0.599832206555888,
        0.1369298809227358,
        0.014875361290850615,
        0.0007868691311456133,
        1.8463183175100548e-05,
        1.421511758316446e-07,
        2.0442631033899397e-15,
    ),
)


def normal_quantiles(shares: Floats) -> Floats:
    """Return the standard normal quantiles of shares between 0 and 1, to about 16 digits."""
    distance = shares - 0.5
    is_outer = np.abs(distance) > 0.425
    quantiles = distance * _ratio(_CENTRE, 0.180625 - np.where(is_outer, 0.0, distance) ** 2)
    # Few of them: each part has a formula of its own.
    outer = shares[is_outer]
    radius = np.sqrt(-np.log(np.minimum(outer, 1.0 - outer)))
    tail = np.where(radius <= 5.0, _ratio(_SHOULDER, radius - 1.6), _ratio(_TAIL, radius - 5.0))
    quantiles[is_outer] = np.copysign(tail, distance[is_outer])
    return quantiles


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Floats) -> Floats:
    above, below = (_polynomial(terms, x) for terms in coefficients)
    return above / below


def _polynomial(terms: tuple[float, ...], x: Floats) -> Floats:
    """Return a polynomial by Horner's rule, in place: faster than NumPy's own."""
    value = np.full_like(x, terms[-1])
    for term in terms[-2::-1]:
        value *= x
        value += term
    return value
