"""Numbers as the page writes them, alike everywhere."""

from __future__ import annotations

import math


def share(value: float) -> str:
    """A share or a difference of two, with four decimals."""
    return f"{value:.4f}".replace("-", "−")


def limits(low: float, high: float) -> str:
    """Two limits of a share."""
    return f"{share(low)} to {share(high)}"


def percent(value: float) -> str:
    """A share in per cent, with up to three digits."""
    return f"{100 * value:.3g} %"


def p_value(value: float) -> str:
    """A p-value with two digits; what is below 1e-12 only says so."""
    if value < 1e-12:
        return "< 1e-12"
    return f"{value:.2g}"


def count(value: int) -> str:
    """A whole number, its thousands set apart."""
    return f"{value:,}"


def quantity(value: float) -> str:
    """A rate, a duration or another parameter, with up to four digits."""
    if math.isinf(value):
        return "∞"
    return f"{value:.4g}".replace("-", "−", 1) if abs(value) < 1e5 else f"{value:,.0f}"


def seconds(value: float) -> str:
    """A time that was taken."""
    return f"{value:.1f} s"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """`1 cell`, `400 cells`."""
    return f"{count(number)} {noun if number == 1 else many or noun + 's'}"


def verb(number: int, one: str, many: str) -> str:
    """`none is`, `1 is`, `3 are`: a number of things and what they do."""
    return f"{count(number) if number else 'none'} {one if number < 2 else many}"
