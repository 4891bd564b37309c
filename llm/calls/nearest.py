"""How a request differs from one that was recorded, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_AROUND = 40
"""Characters shown of each text on either side of its first difference."""


def likeness(asked: Mapping[str, Any], recorded: Mapping[str, Any]) -> float:
    """How alike two requests are: 0 to 4; of their messages, the share of words in common."""
    names = ("model", "prompt", "schema")
    alike = len([name for name in names if asked[name] == recorded.get(name)])
    ours, theirs = _words(asked), _words(recorded)
    return alike + len(ours & theirs) / max(len(ours | theirs), 1)


def difference(
    asked: Mapping[str, Any], sents: Sequence[Mapping[str, Any]], recorded: Mapping[str, Any]
) -> str:
    """Where they differ: model, prompt, schema, sent parameters or messages, both sides quoted."""
    found = [
        f"{name}: asked {asked[name]}, recorded {recorded.get(name)}"
        for name in ("model", "prompt")
        if asked[name] != recorded.get(name)
    ]
    if asked["schema"] != recorded.get("schema"):
        found.append("the schema of the answer")
    if recorded.get("sent") not in sents:
        found.append(f"what is sent: asked {dict(sents[0])}, recorded {recorded.get('sent')}")
    ours, theirs = asked["messages"], recorded.get("messages") or []
    if len(ours) != len(theirs):
        found.append(f"{len(ours)} messages, recorded {len(theirs)}")
    for our, their in zip(ours, theirs, strict=False):
        if our != their:
            found.append(
                f"the {our['role']} message: {_first(our['text'], str(their.get('text')))}"
            )
    return "; ".join(found) or "nothing: it is there"


def _first(ours: str, theirs: str) -> str:
    """Both texts around their first difference."""
    pairs = zip(ours, theirs, strict=False)
    same = min(len(ours), len(theirs))
    at = next((i for i, (one, other) in enumerate(pairs) if one != other), same)
    return f"asked {_around(ours, at)}, recorded {_around(theirs, at)}"


def _around(text: str, at: int) -> str:
    start = max(at - _AROUND // 2, 0)
    shown = " ".join(text[start : at + _AROUND].split())
    return f'"{"..." if start else ""}{shown}{"..." if at + _AROUND < len(text) else ""}"'


def _words(document: Mapping[str, Any]) -> set[str]:
    messages = document.get("messages") or []
    return {word for message in messages for word in str(message.get("text")).split()}
