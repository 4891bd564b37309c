"""How decisions and notices are put into a prompt: civil dates, and data that stays data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from llm.activity import activity_of
from routers import Entry, Notice

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def values_of(entry: Entry, notices: Sequence[Notice]) -> dict[str, str]:
    """What the prompts leave open, for one decision. No id is among it: none says anything."""
    others = [option for i, option in enumerate(entry.options) if i != entry.chosen]
    return {
        "decided": moment(entry.decided, entry.epoch),
        "text": data(entry.text),
        "chosen": data(entry.options[entry.chosen]),
        "alternatives": data("; ".join(others) or "none"),
        "dependencies": data("; ".join(entry.dependencies) or "as the decision says"),
        "evidence": _listed(entry.evidence),
        "facts": _listed(entry.background),
        "activity": activity(entry),
        "notices": "\n".join(_notice(number, it) for number, it in enumerate(notices, start=1)),
    }


def activity(entry: Entry) -> str:
    """When the activity takes place, in words."""
    start, end = activity_of(entry)
    if start == end:
        return f"at {moment(start, entry.epoch)}"
    return f"from {moment(start, entry.epoch)} to {moment(end, entry.epoch)}"


def moment(hours: float, epoch: datetime) -> str:
    """A time as a civil date, to the minute: `Tuesday 2035-01-23 13:00`."""
    try:
        at = epoch + timedelta(minutes=round(hours * 60))
    except OverflowError:  # a clock that counts in something else than hours
        return f"{hours:.15g}"
    return f"{_WEEKDAYS[at.weekday()]} {at:%Y-%m-%d %H:%M}"


def data(text: str) -> str:
    """A text that can neither end the element that it stands in nor begin another."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _listed(texts: Sequence[str]) -> str:
    return "\n".join(f"- {data(text)}" for text in texts) or "- none"


def _notice(number: int, notice: Notice) -> str:
    published = moment(notice.published, notice.epoch)
    return f'<notice number="{number}" published="{published}">\n{data(notice.text)}\n</notice>'
