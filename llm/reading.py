"""How much a judge reads: the tokens of what it is handed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from routers import Entry, Notice
from routers.tokens import tokens


def input_tokens(entry: Entry, notices: Sequence[Notice]) -> int:
    """Tokens of a decision's dossier, its text and background, and of the notices."""
    dossier = "\n".join((entry.text, *entry.background))
    return len(tokens(dossier)) + sum(_count(notice.text) for notice in notices)


@lru_cache(maxsize=4_096)  # a broadcast notice is read by every open decision's judge
def _count(text: str) -> int:
    return len(tokens(text))
