"""The judges by name: ours, and models as `provider/model`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llm.judge import Judge
from theory.errors import BadInput

if TYPE_CHECKING:
    from llm.calls import Caller
    from llm.model import ModelJudge


def _rules() -> Judge:
    """Switches on news that stops something needed while the activity takes place."""
    from llm.rules import Rules  # what reads texts is loaded by who needs it

    return Rules()


JUDGES: dict[str, Callable[[], Judge]] = {
    "rules": _rules,
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


def judge_name(name: str, *, mode: str = "decide") -> str:
    """What a judge of this name is called: a model with its mode, `mode` if its name says none."""
    from llm.calls.model_name import ModelName, is_model_name

    if name in JUDGES or not is_model_name(name):
        return name
    bare, said = _split(name)
    return f"{ModelName.read(bare)}+{said or _known(mode)}"


def _split(name: str) -> tuple[str, str | None]:
    """A model's name and the mode that stands behind it, if one does."""
    from llm.modes import MODES

    bare, _, suffix = name.rpartition("+")
    return (bare, suffix) if bare and suffix in MODES else (name, None)


def _known(mode: str) -> str:
    from llm.modes import MODES

    if mode not in MODES:
        raise BadInput("mode", mode, f"must be one of {', '.join(MODES)}")
    return mode


def make_model_judge(
    name: str, *, mode: str | None = None, caller: Caller | None = None, max_output: int = 0
) -> ModelJudge:
    """The judge that asks a model; `max_output` bounds the tokens of its answers."""
    from llm.asking import MAX_OUTPUT
    from llm.calls import Caller, ModelName
    from llm.model import ModelJudge
    from llm.modes import MODES

    bare, said = _split(name)
    if said is not None and mode not in (None, said):
        raise BadInput("mode", mode, f"must be {said}, as the name {name} says")
    return ModelJudge(
        ModelName.read(bare),
        MODES[said or _known(mode or "decide")],
        Caller() if caller is None else caller,
        max_output=max_output or MAX_OUTPUT,
    )
