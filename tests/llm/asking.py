"""Requests, and callers that never sleep, for the tests of calls."""

import json

import numpy as np

from llm.calls import Caller, Message, ModelName, Request

FORM = json.dumps(
    {
        "type": "object",
        "properties": {"choice": {"type": "string"}},
        "required": ["choice"],
        "additionalProperties": False,
    }
)


def request(text="hello", *, model="stub/tiny", prompt="decide@1", max_output=100):
    messages = (Message("system", "Be brief."), Message("user", text))
    return Request(ModelName.read(model), messages, prompt, FORM, max_output)


def caller(stub, *, slept=None, **options):
    """A caller to a stub; waits are noted in `slept` and not waited."""
    sleep = (lambda _: None) if slept is None else slept.append
    options.setdefault("rng", np.random.default_rng(0))
    options.setdefault("environ", stub.environ)
    return Caller(sleep=sleep, **options)
