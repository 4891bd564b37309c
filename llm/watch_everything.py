"""The watch writer that leaves nothing out: what careless conditions would cost, for contrast."""

from __future__ import annotations

from llm.conditions import Role, conditions, read_all
from routers import Entry

CONDITION = "Any news of {names} may matter to the {activity}."


class WatchEverything:
    """Watches every name in evidence and dossier, needed or not."""

    name = "everything"
    version = "1"

    def write(self, entry: Entry) -> list[str]:
        """A condition for each name, what is needed first."""
        needs = read_all(entry)
        roles = (needs.needed, needs.alternatives, needs.unneeded, needs.mentioned)
        return conditions(entry, [Role(names, CONDITION) for names in roles])
