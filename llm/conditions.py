"""Watch conditions in words: sentences that name what a decision rests on, a few names in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from llm.watch import MOST
from routers import Entry
from routers.reading.dossier import Needs, read_needs


class Role(NamedTuple):
    """Names that are the same thing to an activity, and how a condition says so."""

    names: Sequence[str]
    sentence: str
    """`{names}` stands for one or several of the names, `{activity}` for what was decided on."""


def read_all(entry: Entry) -> Needs:
    """What an entry needs, read from its evidence as well as from its dossier."""
    return read_needs(replace(entry, background=(*entry.evidence, *entry.background)))


def conditions(entry: Entry, roles: Sequence[Role]) -> list[str]:
    """A sentence for each name; where those would be too many, names of one role share some."""
    activity = entry.activity or "activity"
    return [
        role.sentence.format(names=_listed(names), activity=activity)
        for role, sentences in zip(roles, _allot(roles), strict=True)
        for names in _divided(role.names, sentences)
    ]


def _allot(roles: Sequence[Role]) -> list[int]:
    """How many sentences each role gets: one a name, but `MOST` in all."""
    sentences = [len(role.names) for role in roles]
    while sum(sentences) > MOST:
        sentences[sentences.index(max(sentences))] -= 1
    return sentences


def _divided(names: Sequence[str], parts: int) -> list[Sequence[str]]:
    """The names in so many runs, as even as can be."""
    cuts = [len(names) * part // parts for part in range(parts + 1)] if parts else [0]
    return [names[first:end] for first, end in pairwise(cuts)]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
