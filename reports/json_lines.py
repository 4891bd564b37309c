"""JSON objects from a file or a pipe: one a line, or one object alone that may span lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO


def json_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Each line that is not blank, with its number from 1; a lone object counts as its first line.

    Lines are passed on as they come, so that a feed can be followed. Only a first line that ends
    as no whole object does is taken for the beginning of one that spans all lines.
    """
    numbered = ((number, line) for number, line in _numbered(stream) if line.strip())
    for number, line in numbered:
        if line.rstrip().endswith((b"{", b"[", b",")):
            following = list(numbered)
            whole = b"".join([line, *(text for _, text in following)])
            lines = [(number, whole)] if _is_object(whole) else [(number, line), *following]
            yield from lines
            return
        yield number, line
        yield from numbered


def _numbered(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(stream, 1):
        yield number, line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
