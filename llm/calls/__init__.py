"""Calls to language models: names, keys, retries, what was sent and spent, and cassettes."""

from llm.calls.answer import Answer, Attempt, Usage
from llm.calls.caller import Caller
from llm.calls.cassette import Cassette
from llm.calls.limits import Limits
from llm.calls.model_name import ModelName
from llm.calls.request import Message, Request, Sent
from llm.calls.retry import Retry

__all__ = [
    "Answer",
    "Attempt",
    "Caller",
    "Cassette",
    "Limits",
    "Message",
    "ModelName",
    "Request",
    "Retry",
    "Sent",
    "Usage",
]
