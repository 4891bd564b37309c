"""How much a judge reads: the tokens of its prompt, or of what it is handed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Protocol, TypeAlias, runtime_checkable

from llm.judge import Judge
from routers import Entry, Notice
from routers.tokens import tokens

Count: TypeAlias = Callable[[Entry, Sequence[Notice]], int]


@runtime_checkable
class Prompted(Protocol):
    """A judge that reads a prompt."""

    def input_tokens(self, entry: Entry, notices: Sequence[Notice]) -> int:
        """Tokens of the whole prompt about a decision and notices."""
        ...


def count_of(judge: Judge) -> Count:
    """How a judge's input is counted: over its rendered prompt if it has one."""
    return judge.input_tokens if isinstance(judge, Prompted) else input_tokens


def input_tokens(entry: Entry, notices: Sequence[Notice]) -> int:
    """Tokens of a decision's dossier, its text and background, and of the notices."""
    dossier = "\n".join((entry.text, *entry.background))
    return len(tokens(dossier)) + sum(_count(notice.text) for notice in notices)


@lru_cache(maxsize=4_096)  # a broadcast notice is read by every open decision's judge
def _count(text: str) -> int:
    return len(tokens(text))
