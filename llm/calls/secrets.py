"""Keys, and keeping them out of whatever is shown or kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SHORTEST = 8
"""Characters of the shortest text that counts as a key: local servers are given `x` or `none`."""
_NAMES = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)\Z")


class Secret:
    """A key. It shows itself nowhere; whoever sends it asks for it by name."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def reveal(self) -> str:
        """The key itself, to be sent and nothing else."""
        return self._key

    def __repr__(self) -> str:
        return "Secret(***)"

    __str__ = __repr__


class Redactor:
    """Takes keys out of texts that others wrote: a server may repeat what it was sent."""

    def __init__(self, secrets: Iterable[str]) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST}
        longest_first = sorted(known, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    @classmethod
    def of(cls, environ: Mapping[str, str], *more: Secret) -> Redactor:
        """One that knows these keys and every variable that is named like one."""
        named = [value for name, value in environ.items() if _NAMES.search(name.upper())]
        return cls([*named, *(secret.reveal() for secret in more)])

    def clean(self, text: str) -> str:
        """The text with `***` for each key."""
        return self._pattern.sub("***", text)

    def __repr__(self) -> str:
        return "Redactor(***)"
