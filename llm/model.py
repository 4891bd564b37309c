"""The judge that asks a language model, in one of the modes.

Where there is no answer that can be used, the verdict is *invalid*: counted as such, and kept as
keep, never guessed at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from llm.asking import MAX_OUTPUT, Asked, ask
from llm.calls import Caller, ModelName, Request
from llm.judge import NO_NEWS
from llm.modes import Mode
from llm.modes.mode import Found
from llm.prompt import load_prompt
from llm.wording import values_of
from routers import Entry, Notice, Verdict
from routers.tokens import tokens

_LONGEST_REASON = 500


class ModelJudge:
    """Asks a model to keep or switch, or what the notices say."""

    simulated = False
    gold = False

    def __init__(
        self, model: ModelName, mode: Mode, caller: Caller, *, max_output: int = MAX_OUTPUT
    ) -> None:
        """`max_output` bounds the tokens of an answer; modes that list notices add to it."""
        self.name = f"{model}+{mode.name}"
        self.model, self.mode, self.caller = model, mode, caller
        self._max_output = max_output
        self._lock = threading.Lock()
        self._asked: dict[Request, Asked[Found]] = {}

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        """Ask the model, unless it was asked the same before; no call where there is no news."""
        if not notices:
            return NO_NEWS
        return _verdict(self._ask(self.request(entry, notices), entry, notices))

    def request(self, entry: Entry, notices: Sequence[Notice]) -> Request:
        """What the model is asked about a decision."""
        prompt = load_prompt(self.mode.name)
        return Request(
            model=self.model,
            messages=prompt.filled(values_of(entry, notices)),
            prompt=str(prompt),
            form=self.mode.form,
            max_output=self._max_output + self.mode.output_per_notice * len(notices),
        )

    def input_tokens(self, entry: Entry, notices: Sequence[Notice]) -> int:
        """Tokens of the prompt, as `routers.tokens` counts them; a model's own count differs."""
        return sum(len(tokens(message.text)) for message in self.request(entry, notices).messages)

    def prepare(
        self,
        cases: Iterable[tuple[Entry, Sequence[Notice]]],
        *,
        advance: Callable[[int], object] = lambda _: None,
    ) -> None:
        """Ask about all of these together, as many at once as the caller allows.

        `judge` then answers without waiting. `advance` is told of each distinct question answered.
        """
        distinct = {self.request(*case): case for case in cases if case[1]}
        self.caller.together(
            lambda asked: self._ask(asked[0], *asked[1]), list(distinct.items()), advance=advance
        )

    @property
    def asked(self) -> list[Asked[Found]]:
        """Every distinct question so far, in the order of their digests."""
        with self._lock:
            return sorted(self._asked.values(), key=lambda asked: asked.request.digest)

    def _ask(self, request: Request, entry: Entry, notices: Sequence[Notice]) -> Asked[Found]:
        asked = ask(self.caller, request, lambda said: self.mode.read(said, entry, notices))
        with self._lock:
            self._asked[request] = asked
        return asked


def _verdict(asked: Asked[Found]) -> Verdict:
    """The verdict, with the model that answered and whether it is invalid as further fields."""
    found = asked.found or Found("keep", f"invalid answer, {asked.invalid}: {asked.says}")
    return Verdict(
        choice=found.choice,
        reason=_printable(found.reason),
        tokens=asked.tokens,
        latency=asked.latency,
        extra={
            "model": asked.answers[-1].model,
            "prompt": asked.request.prompt,
            "asked": asked.request.digest,
            "invalid": asked.invalid,
        },
    )


def _printable(text: str) -> str:
    """A reason on one line, of a length that tables can hold."""
    line = "".join(it if it.isprintable() else " " for it in text[: 2 * _LONGEST_REASON])
    return " ".join(line.split())[:_LONGEST_REASON]
