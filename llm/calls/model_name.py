"""Names of models: `provider/model`, or `provider:model`."""

from __future__ import annotations

import re
from typing import NamedTuple, Self

from theory.errors import BadInput

_NAME = re.compile(r"([A-Za-z][\w.-]*)[/:](\S+)")


class ModelName(NamedTuple):
    """A model and who serves it."""

    provider: str
    """In lower case: `openai`, `anthropic`, or any other name that keys and URLs are set for."""
    model: str
    """As the provider calls it; may hold further slashes and colons."""

    @classmethod
    def read(cls, text: str) -> Self:
        """A name as a user writes it."""
        found = _NAME.fullmatch(text)
        if found is None or not text.isprintable():
            raise BadInput("model", text, "must be provider/model, such as openai/gpt-5.1")
        return cls(found[1].lower(), found[2])

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}"

    @property
    def variable(self) -> str:
        """What the provider's environment variables begin with: `OPENAI`, `MY_HOST`."""
        return re.sub(r"\W", "_", self.provider).upper()


def is_model_name(text: str) -> bool:
    """Whether the text could be a model's name rather than that of a judge of ours."""
    return _NAME.fullmatch(text) is not None
