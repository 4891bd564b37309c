"""The watch writers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from llm.watch import WatchWriter
from llm.watch_everything import WatchEverything
from llm.watch_rules import WatchRules
from theory.errors import BadInput

if TYPE_CHECKING:
    from llm.calls import Caller
    from llm.watch_model import WatchModel

DEFAULT_WATCH_WRITER = "rules"
WATCH_WRITERS: dict[str, Callable[[], WatchWriter]] = {
    "rules": WatchRules,
    "everything": WatchEverything,
}
"""How each watch writer is made; whoever writes one adds a line."""


def make_watch_writer(name: str, *, caller: Caller | None = None) -> WatchWriter:
    """The watch writer of this name; `provider/model` is a model, reached by the caller."""
    if name in WATCH_WRITERS:
        return WATCH_WRITERS[name]()
    from llm.calls.model_name import is_model_name

    if not is_model_name(name):
        known = ", ".join(WATCH_WRITERS)
        raise BadInput("watch", name, f"must be one of {known}, or a model: provider/model")
    return make_watch_model(name, caller=caller)


def watch_writer_name(name: str) -> str:
    """What a watch writer of this name is called: a model as `provider/model`."""
    from llm.calls.model_name import ModelName, is_model_name

    return str(ModelName.read(name)) if is_model_name(name) else name


def make_watch_model(name: str, *, caller: Caller | None = None, max_output: int = 0) -> WatchModel:
    """The watch writer that asks a model; `max_output` bounds the tokens of its answers."""
    from llm.asking import MAX_OUTPUT
    from llm.calls import Caller, ModelName
    from llm.watch_model import WatchModel

    return WatchModel(
        ModelName.read(name),
        Caller() if caller is None else caller,
        max_output=max_output or MAX_OUTPUT,
    )
