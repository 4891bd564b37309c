"""The watch writer that follows rules: what the activity needs, by every name it may appear under.

It reads evidence and dossier as the judge `rules` and the label checker do, and leaves out what the
activity is said not to need and what is only mentioned.
"""

from __future__ import annotations

from llm.conditions import Role, conditions, read_all
from routers import Entry

OPTION = "The {activity} cannot go ahead when {names} is closed or cannot be used."
DEPENDENCY = "It relies on {names}, and an outage there would stop it."
OTHER_NAME = "News may speak of {names}, which is another name for something it needs."
UPSTREAM = "What it relies on would fail together with {names}."


class WatchRules:
    """Watches what is needed: the option, its dependencies, other names, what lies upstream."""

    name = "rules"
    version = "1"

    def write(self, entry: Entry) -> list[str]:
        """A condition for each needed name, the option's first."""
        needs = read_all(entry)
        return conditions(
            entry,
            (
                Role((needs.option,), OPTION),
                Role(needs.dependencies, DEPENDENCY),
                Role(needs.other_names, OTHER_NAME),
                Role(needs.upstream, UPSTREAM),
            ),
        )
