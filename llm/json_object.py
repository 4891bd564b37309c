"""The one JSON object of an answer, whatever stands around it; never a guess between several."""

from __future__ import annotations

import json
import re
from typing import Any

_MOST_BRACES = 50
"""Braces at which an object may begin: an answer of nothing but braces must not take for ever."""
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


class Malformed(Exception):
    """An answer that cannot be used; says why, in words that the model can be told."""


def the_object(text: str) -> dict[str, Any]:
    """The only JSON object in a text; prose, fences and thoughts around it are passed over."""
    text = _THOUGHTS.sub("", text)
    if not text.strip():
        raise Malformed("it is empty")
    found: list[dict[str, Any]] = []
    at = text.find("{")
    for _ in range(_MOST_BRACES):
        if at < 0:
            break
        try:
            document, end = _DECODER.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            found.append(document)
        at = text.find("{", end)
    if not found:
        raise Malformed("it holds no whole JSON object")
    if len(found) > 1 or at >= 0:
        raise Malformed("it holds several JSON objects")
    return found[0]


def require_fields(document: dict[str, Any], names: tuple[str, ...], where: str = "it") -> None:
    """Refuse an object that lacks one of these fields, or has others."""
    for name in names:
        if name not in document:
            raise Malformed(f"{where} lacks the field {name}")
    for name in document:
        if name not in names:
            raise Malformed(f"{where} has a field that was not asked for: {name[:40]!r}")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        raise Malformed("it gives a field twice")
    return document


def _no_constants(constant: str) -> object:
    raise Malformed(f"{constant} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_no_twins, parse_constant=_no_constants)
