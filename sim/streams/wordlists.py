"""Lists of words, as one text each."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """The words between spaces."""
    return tuple(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """The phrases between commas."""
    return tuple(phrase.strip() for phrase in text.split(","))
