"""A question put to a model: an answer of the form asked for, after one repair at most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from llm.calls import Answer, Caller, Message, Request
from llm.json_object import Malformed, the_object
from llm.prompt import load_prompt

Result = TypeVar("Result")

MAX_OUTPUT = 4_096
"""Tokens that an answer may take by default, thoughts included."""

Invalid: TypeAlias = Literal["failed", "refused", "empty", "cut off", "malformed"]
"""Why there is no answer that can be used: the call failed, the model refused, it wrote nothing,
its answer ended at the limit, or it had the wrong form."""

_LONGEST_ECHO = 2_000
"""Characters of an answer that are sent back to be repaired."""


@dataclass(frozen=True)
class Asked(Generic[Result]):
    """A question as it was put to a model, and what came of it."""

    request: Request
    answers: tuple[Answer, ...]
    """The answer, and the one after the repair if there was one."""
    found: Result | None
    """What the answer says; None where it is invalid."""
    invalid: Invalid | None
    """Why it is invalid; None if it is not."""
    says: str
    """The same in words."""

    @property
    def repaired(self) -> bool:
        """Whether it took the repair to get an answer that can be used."""
        return len(self.answers) > 1 and self.invalid is None

    @property
    def tokens(self) -> int | None:
        """Tokens read and written over all attempts; None where none were told."""
        told = [answer.tokens for answer in self.answers if answer.tokens is not None]
        return sum(told) if told else None

    @property
    def latency(self) -> float:
        """Seconds that it took, waits included."""
        return sum(answer.latency for answer in self.answers)


def ask(
    caller: Caller, request: Request, read: Callable[[dict[str, Any]], Result]
) -> Asked[Result]:
    """Ask, and ask for a repair where the answer has the wrong form.

    `read` makes of the answer's JSON object what it says, and raises `Malformed` where it cannot.
    """
    first = caller.ask(request)
    asked = _read(request, (first,), read)
    if asked.invalid in (None, "failed", "refused"):
        return asked
    second = caller.ask(_repair(request, first, asked.says))
    return _read(request, (first, second), read)


def _read(
    request: Request, answers: tuple[Answer, ...], read: Callable[[dict[str, Any]], Result]
) -> Asked[Result]:
    """What the last answer says; if nothing, why, and in which words."""
    last = answers[-1]
    kind, says = _trouble(last)
    if kind is None:
        try:
            return Asked(request, answers, read(the_object(last.text or "")), None, "")
        except Malformed as error:
            kind, says = "malformed", str(error)
    return Asked(request, answers, None, kind, says)


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
