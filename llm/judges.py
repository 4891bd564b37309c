"""The judges by name: ours, and models as `provider/model`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llm.judge import Judge
from llm.rules import Rules
from theory.errors import BadInput

if TYPE_CHECKING:
    from llm.calls import Caller
    from llm.model import ModelJudge

JUDGES: dict[str, Callable[[], Judge]] = {
    "rules": Rules,
}
"""How each judge of ours is made; whoever writes a judge adds a line."""


def make_judge(name: str, *, mode: str | None = None, caller: Caller | None = None) -> Judge:
    """The judge of this name. Simulated ones need gold: `sim.simulated` makes those.

    `openai/gpt-5.1` is a model, asked in a `mode`: `decide`, as by default, or `extract`; the name
    `openai/gpt-5.1+extract` says both. A `caller` knows keys, limits and cassette.
    """
    if name in JUDGES:
        return JUDGES[name]()
    from llm.calls.model_name import is_model_name

    if not is_model_name(name):
        known = ", ".join(JUDGES)
        raise BadInput("judge", name, f"must be one of {known}, or a model: provider/model")
    return make_model_judge(name, mode=mode, caller=caller)


def judge_name(name: str, *, mode: str | None = None) -> str:
    """What a judge that is asked for by this name is called: a model with its mode."""
    from llm.calls.model_name import ModelName, is_model_name

    if name in JUDGES or not is_model_name(name):
        return name
    bare, chosen = _split(name, mode)
    return f"{ModelName.read(bare)}+{chosen}"


def _split(name: str, mode: str | None) -> tuple[str, str]:
    """A model's name and its mode, which may stand behind it."""
    from llm.modes import MODES

    bare, _, suffix = name.rpartition("+")
    if not bare or suffix not in MODES:
        return name, mode or "decide"
    if mode not in (None, suffix):
        raise BadInput("mode", mode, f"must be {suffix}, as the name {name} says")
    return bare, suffix


def make_model_judge(
    name: str, *, mode: str | None = None, caller: Caller | None = None, max_output: int = 0
) -> ModelJudge:
    """The judge that asks a model; `max_output` bounds the tokens of its answers."""
    from llm.calls import Caller, ModelName
    from llm.model import MAX_OUTPUT, ModelJudge
    from llm.modes import MODES

    bare, chosen = _split(name, mode)
    if chosen not in MODES:
        raise BadInput("mode", chosen, f"must be one of {', '.join(MODES)}")
    return ModelJudge(
        ModelName.read(bare),
        MODES[chosen],
        Caller() if caller is None else caller,
        max_output=max_output or MAX_OUTPUT,
    )
