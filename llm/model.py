"""The judge that asks a language model, in one of the modes.

An answer that cannot be used is sent back once with what is wrong with it. If that does not help,
or the model refuses, or the call fails, the verdict is *invalid*: counted as such, and kept as
keep, never guessed at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from llm.calls import Answer, Caller, Message, ModelName, Request
from llm.json_object import Malformed, the_object
from llm.judge import NO_NEWS
from llm.modes import Mode
from llm.modes.mode import Found
from llm.prompt import load_prompt
from llm.wording import values_of
from routers import Entry, Notice, Verdict

MAX_OUTPUT = 4_096
"""Tokens that an answer may take by default, thoughts included."""

Invalid: TypeAlias = Literal["failed", "refused", "empty", "cut off", "malformed"]
"""Why there is no answer that can be used: the call failed, the model refused, it wrote nothing,
its answer ended at the limit, or it had the wrong form."""

_LONGEST_REASON = 500
_LONGEST_ECHO = 2_000
"""Characters of an answer that are sent back to be repaired."""


@dataclass(frozen=True)
class Asked:
    """A question as it was put to a model, and what came of it."""

    request: Request
    answers: tuple[Answer, ...]
    """The answer, and the one after the repair if there was one."""
    found: Found
    """What follows from it: keep, where it is invalid."""
    invalid: Invalid | None
    """Why it is invalid; None if it is not."""

    @property
    def repaired(self) -> bool:
        """Whether it took the repair to get an answer that can be used."""
        return len(self.answers) > 1 and self.invalid is None

    def verdict(self) -> Verdict:
        """The verdict, with the model that answered and whether it is invalid as further fields."""
        last = self.answers[-1]
        told = [answer.tokens for answer in self.answers if answer.tokens is not None]
        return Verdict(
            choice=self.found.choice,
            reason=_printable(self.found.reason),
            tokens=sum(told) if told else None,
            latency=sum(answer.latency for answer in self.answers),
            extra={
                "model": last.model,
                "prompt": self.request.prompt,
                "asked": self.request.digest,
                "invalid": self.invalid,
            },
        )


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
        self._asked: dict[Request, Asked] = {}

    def judge(self, entry: Entry, notices: Sequence[Notice]) -> Verdict:
        """Ask the model, unless it was asked the same before; no call where there is no news."""
        if not notices:
            return NO_NEWS
        return self._ask(self.request(entry, notices), entry, notices).verdict()

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
    def asked(self) -> list[Asked]:
        """Every distinct question so far, in the order of their digests."""
        with self._lock:
            return sorted(self._asked.values(), key=lambda asked: asked.request.digest)

    def _ask(self, request: Request, entry: Entry, notices: Sequence[Notice]) -> Asked:
        """Ask, and ask for a repair where the answer has the wrong form."""
        first = self.caller.ask(request)
        answers = [first]
        found, invalid, says = self._read(first, entry, notices)
        if invalid not in (None, "failed", "refused"):
            second = self.caller.ask(_repair(request, first, says))
            answers.append(second)
            found, invalid, says = self._read(second, entry, notices)
        asked = Asked(request, tuple(answers), found, invalid)
        with self._lock:
            self._asked[request] = asked
        return asked

    def _read(
        self, answer: Answer, entry: Entry, notices: Sequence[Notice]
    ) -> tuple[Found, Invalid | None, str]:
        """What follows from an answer; if nothing does, why, and in which words."""
        kind, says = _trouble(answer)
        if kind is None:
            try:
                return self.mode.read(the_object(answer.text or ""), entry, notices), None, ""
            except Malformed as error:
                kind, says = "malformed", str(error)
        return Found("keep", f"invalid answer, {kind}: {says}"), kind, says


def _trouble(answer: Answer) -> tuple[Invalid | None, str]:
    """What keeps an answer from being read at all."""
    if answer.fault is not None:
        return "failed", answer.fault
    if answer.refusal is not None:
        return "refused", answer.refusal
    if answer.cut_off:
        return "cut off", "it ended before it was whole: be shorter"
    if not (answer.text or "").strip():
        return "empty", "it is empty"
    return None, ""


def _repair(request: Request, answer: Answer, says: str) -> Request:
    """The same question, the answer, and what is wrong with it."""
    prompt = load_prompt("repair")
    echo = Message("assistant", (answer.text or "").strip()[:_LONGEST_ECHO] or "(nothing)")
    return Request(
        model=request.model,
        messages=(*request.messages, echo, *prompt.filled({"says": says})),
        prompt=f"{request.prompt}+{prompt}",
        form=request.form,
        max_output=request.max_output,
    )


def _printable(text: str) -> str:
    """A reason on one line, of a length that tables can hold."""
    line = "".join(it if it.isprintable() else " " for it in text[: 2 * _LONGEST_REASON])
    return " ".join(line.split())[:_LONGEST_REASON]
