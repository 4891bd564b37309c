"""What a model is asked, and what of it is sent."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

from llm.calls.model_name import ModelName

Role: TypeAlias = Literal["system", "user", "assistant"]


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True)
class Request:
    """What a model is asked. Two that are equal are asked once."""

    model: ModelName
    messages: tuple[Message, ...]
    prompt: str
    """Name and version of the prompt that the messages were made from: `decide@1`."""
    form: str
    """The JSON Schema of the answer, as text."""
    max_output: int
    """Most tokens of the answer, thoughts included."""
    temperature: float = 0.0
    """As wanted; `Sent` says what was sent."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the answer."""
        schema: dict[str, Any] = json.loads(self.form)
        return schema

    @cached_property
    def size(self) -> int:
        """UTF-8 bytes of all messages: no tokenizer makes more tokens of them."""
        return sum(len(message.text.encode()) for message in self.messages)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of what is asked, whatever parameters go along."""
        return _hash(self.document())

    def document(self) -> dict[str, Any]:
        """What a cassette's line holds of it, less what was sent."""
        return {
            "model": str(self.model),
            "prompt": self.prompt,
            "messages": [message._asdict() for message in self.messages],
            "schema": self.schema,
        }


@dataclass(frozen=True)
class Sent:
    """The parameters that went along."""

    temperature: float | None
    """None: left out, since the model takes none."""
    schema: bool
    """Whether the server was given the schema; else the prompt alone asks for its form."""
    max_output: int


def key_of(document: dict[str, Any], sent: Sent) -> str:
    """The SHA-256 of model, messages, schema, prompt version and sent parameters."""
    whole = {name: document[name] for name in ("model", "prompt", "messages", "schema")}
    return _hash(whole | {"sent": asdict(sent)})


def _hash(document: dict[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
