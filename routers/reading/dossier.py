"""What a decision needs, read from its entry alone: names, other names, and what lies upstream.

A dossier statement that names something needed may give it another name, or say what it depends
on: both are then needed too. A place that the activity is said not to need, or that is mentioned
without a bond to anything needed, is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from routers.entry import Entry
from routers.reading.names import likely_names, name_key


@dataclass(frozen=True)
class Needs:
    """The names in an entry by what they are to its activity; no name stands twice."""

    option: str
    """The chosen option."""
    alternatives: tuple[str, ...]
    """The other options."""
    dependencies: tuple[str, ...]
    """What the decision is stated to depend on."""
    other_names: tuple[str, ...]
    """Further names of anything needed."""
    upstream: tuple[str, ...]
    """What the needed depends on in turn."""
    unneeded: tuple[str, ...]
    """What the activity is said not to need."""
    mentioned: tuple[str, ...]
    """What is named without a bond to anything needed."""

    @property
    def needed(self) -> tuple[str, ...]:
        """Every name whose news could stop the activity."""
        return (self.option, *self.dependencies, *self.other_names, *self.upstream)


def read_needs(entry: Entry) -> Needs:
    """What the entry's options, dependencies, text and background say that its activity needs.

    Where no dependencies are listed, the other names in its text are taken for them.
    """
    option = entry.options[entry.chosen]
    alternatives = tuple(name for i, name in enumerate(entry.options) if i != entry.chosen)
    roles = _Roles(option, *alternatives)
    dependencies = tuple(entry.dependencies) or tuple(
        name for name in likely_names(entry.text) if roles.is_new(name)
    )
    roles.add("dependency", dependencies)
    roles.read(entry.background)
    return Needs(option, alternatives, dependencies, *roles.found)


class _Roles:
    """The names met so far, and what each statement makes of the new ones in it."""

    def __init__(self, option: str, *alternatives: str) -> None:
        self._needed = {name_key(option)}
        self._known = self._needed | {name_key(name) for name in alternatives}
        self._names: dict[str, list[str]] = {}

    @property
    def found(self) -> list[tuple[str, ...]]:
        """Other names, upstream, unneeded, mentioned."""
        roles = ("other name", "upstream", "unneeded", "mentioned")
        return [tuple(self._names.get(role, ())) for role in roles]

    def is_new(self, name: str) -> bool:
        return name_key(name) not in self._known

    def add(self, role: str, names: Iterable[str]) -> None:
        for name in filter(self.is_new, names):
            self._known.add(name_key(name))
            self._names.setdefault(role, []).append(name)
            if role in ("dependency", "other name", "upstream"):
                self._needed.add(name_key(name))

    def read(self, statements: Sequence[str]) -> None:
        """Read the statements, again as long as one makes more things needed."""
        left = [(statement, likely_names(statement)) for statement in statements]
        before = len(left) + 1
        while len(left) < before:
            before = len(left)
            left = [named for named in left if not self._bind(*named)]
        for _, names in left:
            self.add("mentioned", names)

    def _bind(self, statement: str, names: Sequence[str]) -> bool:
        """Give the new names in a statement a role, if it bonds them to something needed."""
        if not any(name_key(name) in self._needed for name in names):
            return False
        role = next((role for role, says in _BONDS.items() if says.search(statement)), None)
        if role is not None:
            self.add(role, names)
        return role is not None


# How a statement bonds the places that it names, the first that fits.
_BONDS = {
    role: re.compile(rf"\b(?:{says})\b", re.IGNORECASE)
    for role, says in {
        "unneeded": (
            r"(?:not|no|without|never) (?:\w+ ){0,3}?(?:need\w*|use[ds]?|requir\w*|part|matter\w*)"
            r"|unneeded|unused|do(?:es)? without|nothing to do with|irrelevant"
        ),
        "other name": (
            r"known?|calls?|called|names?|named|nicknamed|renamed|alias|a\.?k\.?a|formerly|goes by"
            r"|(?:appears|shown|listed|sign(?:s|ed)|trades?) as|signposted|speaks? of|spoken of"
            r"|refer(?:s|red)? to|one and the same|the same (?:place|thing) as"
        ),
        "upstream": (
            r"depend\w*|rel(?:y|ies)|draws?|power\w*|current|suppl\w+|feeds?|fed|fuel\w*|water"
            r"|heat\w*|controll\w+|raised|served? by|rests? on|runs? on|comes? from"
            r"|sent (?:out )?(?:by|from)|gets?|takes?|keeps?|unless|cannot|can only|can land"
            r"|without|needs?|hires?"
        ),
    }.items()
}
