"""Words of a text in any script: one tokenizer for entries and notices alike.

A token is a run of letters, marks and digits, compared without case, width or compatibility forms
(NFKC, then case folded). Scripts written without spaces give one token a character, with its marks,
so that a name inside a sentence is still a run of tokens. Everything else separates; invisible
format characters (soft hyphens, joiners, direction marks) vanish.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

_ASCII = bytes(ord(chr(code).lower()) if chr(code).isalnum() else ord(" ") for code in range(128))
_ASCII_TABLE = _ASCII.ljust(256)  # four times as fast as a pattern

# Thai, Lao, Tibetan, Myanmar, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Beyond the first plane the letters of old and rare scripts lie close; short tables match fast.
_RARE = "\U00010000-\U0001cfff\U0001d800-\U0001efff"


def tokens(text: str) -> list[str]:
    """The tokens of `text`, in order."""
    if text.isascii():
        return text.encode().translate(_ASCII_TABLE).decode().split()
    patterns = _patterns()
    visible = patterns.invisible.sub("", text)
    folded = unicodedata.normalize("NFKC", visible).casefold()
    return patterns.word.findall(unicodedata.normalize("NFKC", folded))


class _Patterns(NamedTuple):
    word: re.Pattern[str]
    invisible: re.Pattern[str]


# Python's \w leaves out combining marks, without which Hindi or Thai words fall apart. The tables
# are made at the first text that is not ASCII.
@cache
def _patterns() -> _Patterns:
    unspaced = re.compile(f"[{_UNSPACED}]")
    letters, marks, invisible = [], [], []
    for code in range(0x80, 0x10000):
        character = chr(code)
        category = unicodedata.category(character)
        if category[0] == "M":
            marks.append(code)
        elif category == "Cf":
            invisible.append(code)
        elif character.isalnum() and not unspaced.match(character):
            letters.append(code)
    letter, mark = "a-z0-9" + _ranges(letters) + _RARE, _ranges(marks)
    word = f"[{letter}][{letter}{mark}]*|[{_UNSPACED}][{mark}]*"
    return _Patterns(re.compile(word), re.compile(f"[{_ranges(invisible)}]"))


def _ranges(codes: Iterable[int]) -> str:
    """Ascending codes as the inside of a character class."""
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
