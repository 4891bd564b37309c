"""The watch writer that asks a language model, once a decision, when it is made.

What it writes is checked: three to eight sentences, none too long, none twice. Where that fails
even after one repair, the decision has no conditions and is found by its text alone; how often that
was so is counted.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import Any

from llm.asking import MAX_OUTPUT, Asked, ask
from llm.calls import Caller, ModelName, Request
from llm.json_object import Malformed, require_fields
from llm.prompt import load_prompt
from llm.watch import MOST
from llm.wording import values_of
from routers import Entry

LEAST = 3
"""The fewest conditions that a model may write."""
LONGEST = 300
"""Characters of the longest condition."""

_SCHEMA = {
    "type": "object",
    "properties": {"conditions": {"type": "array", "items": {"type": "string"}}},
    "required": ["conditions"],
    "additionalProperties": False,
}
_FORM = json.dumps(_SCHEMA)


class WatchModel:
    """Asks a model what news would stop the activity."""

    def __init__(self, model: ModelName, caller: Caller, *, max_output: int = MAX_OUTPUT) -> None:
        """`max_output` bounds the tokens of an answer."""
        self.name = str(model)
        self.version = str(load_prompt("watch"))
        self.model, self.caller = model, caller
        self._max_output = max_output
        self._lock = threading.Lock()
        self._asked: dict[Request, Asked[list[str]]] = {}

    def write(self, entry: Entry) -> list[str]:
        """The model's conditions; none where its answer cannot be used."""
        return self._ask(self.request(entry)).found or []

    def request(self, entry: Entry) -> Request:
        """What the model is asked about a decision."""
        return Request(
            model=self.model,
            messages=load_prompt("watch").filled(values_of(entry, ())),
            prompt=self.version,
            form=_FORM,
            max_output=self._max_output,
        )

    def prepare(
        self, entries: Iterable[Entry], *, advance: Callable[[int], object] = lambda _: None
    ) -> None:
        """Ask about all of these together; `write` then answers without waiting."""
        requests = list(dict.fromkeys(map(self.request, entries)))
        self.caller.together(self._ask, requests, advance=advance)

    @property
    def asked(self) -> list[Asked[list[str]]]:
        """Every distinct question so far, in the order of their digests."""
        with self._lock:
            return sorted(self._asked.values(), key=lambda asked: asked.request.digest)

    def _ask(self, request: Request) -> Asked[list[str]]:
        asked = ask(self.caller, request, read_conditions)
        with self._lock:
            self._asked[request] = asked
        return asked


def read_conditions(document: dict[str, Any]) -> list[str]:
    """The conditions in an answer, each on one line."""
    require_fields(document, ("conditions",))
    given = document["conditions"]
    if not isinstance(given, list) or not all(isinstance(it, str) for it in given):
        raise Malformed("conditions is no list of texts")
    found = [" ".join(it.split()) for it in given]
    if not LEAST <= len(found) <= MOST:
        raise Malformed(f"there must be {LEAST} to {MOST} conditions, not {len(found)}")
    if not all(it and it.isprintable() and len(it) <= LONGEST for it in found):
        raise Malformed(f"each condition must be a sentence of at most {LONGEST} characters")
    if len({it.casefold() for it in found}) < len(found):
        raise Malformed("it gives a condition twice")
    return found
