"""Numbers as people read them."""

from __future__ import annotations

import math


def count(number: float, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 edge``, ``1,200 edges``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def whole(number: int) -> str:
    """Return a whole number of any size: all its digits, or its order of magnitude.

    Examples
    --------
    >>> whole(1234567), whole(3 * 10**20)
    ('1,234,567', 'about 3.0 × 10^20')
    """
    if number < 10**12:
        return f"{number:,}"
    # Of very large whole numbers Python refuses the digits, never the logarithm.
    first, power = _scientific(math.log10(number), 1)
    return f"about {first} × 10^{power}"


def amount(number: float, digits: int = 3) -> str:
    """Return a number to so many significant digits; before the point, all are kept.

    Examples
    --------
    >>> amount(12345.6), amount(1.23456), amount(0.00001234)
    ('12,346', '1.23', '1.23e-05')
    """
    if not math.isfinite(number):
        return str(number)
    size, sign = abs(number), "−" if number < 0.0 else ""
    if size != 0.0 and not 1e-4 <= size < 1e9:
        return f"{sign}{size:.{digits - 1}e}"
    before = math.floor(math.log10(size)) + 1 if size else 1
    return f"{sign}{size:,.{max(0, digits - before)}f}"


def amount_of_log(log: float) -> str:
    """Return the exponential of a number, however far it is beyond the range of a double."""
    if abs(log) < 600.0:
        return amount(math.exp(log))
    first, power = _scientific(log / math.log(10.0), 2)
    return f"{first}e{power:+d}"


def _scientific(log10: float, digits: int) -> tuple[str, int]:
    """Return 10**log10 as a number from 1 to 10, with so many decimals, and a power of ten."""
    power = math.floor(log10)
    first = f"{10.0 ** (log10 - power):.{digits}f}"
    # Rounding may make 10.0 of 9.99.
    return (first, power) if len(first) == digits + 2 else (f"{1:.{digits}f}", power + 1)


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers that divide [low, high] into at most `most` parts.

    Examples
    --------
    >>> ticks(3.0, 47.0, 5)
    [10.0, 20.0, 30.0, 40.0]
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]
