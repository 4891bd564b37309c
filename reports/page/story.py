"""The section that tells decisions one by one; the first is on the page, the others are packed."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reports.page.numbers import count, quantity
from reports.stories import Stories, Story

ID, TITLE, SHORT = "story", "One decision’s story", "Stories"


@dataclass(frozen=True)
class StorySection:
    """What the template shows."""

    lead: str
    first: str
    """The HTML of the story on the page."""
    first_id: str
    ids: list[str]
    packed: str
    """Every story's HTML by its id: JSON, deflated, in base 64."""


@dataclass(frozen=True)
class StoryView:
    """One story as text."""

    id: str
    should: str
    facts: list[tuple[str, str]]
    dossier: list[tuple[str, list[str]]]
    routers: list[str]
    news: list[tuple[str, str, str, str, list[str]]]
    """Hours after the decision, id, text, relation, and a score or nothing for each router."""
    others: str
    judgments: list[tuple[str, str, str, str, str]]
    """Router, judge, choice, whether that was right, reason."""


def story_section(stories: Stories, render: Callable[[StoryView], str]) -> StorySection:
    """The section, each story rendered to HTML."""
    pages = {story.entry.id: render(_view(story, stories)) for story in stories.told}
    first = max(stories.told, key=_telling).entry.id
    text = json.dumps(pages, separators=(",", ":"), ensure_ascii=False)
    some = "" if len(pages) == stories.decisions else f" {count(len(pages))} of them can be seen."
    return StorySection(
        lead=(
            f"A decision of {stories.stream.upper()} from its dossier to its outcome, at K = "
            f"{stories.k}: the news that reached it, by which router and with which score, what it "
            f"truly was, and what each judge said. The stream has {count(stories.decisions)} "
            f"decisions.{some}"
        ),
        first=pages[first],
        first_id=first,
        ids=list(pages),
        packed=base64.b64encode(zlib.compress(text.encode(), level=9)).decode(),
    )


def _telling(story: Story) -> tuple[bool, int]:
    """How much a story tells: decisive news that some routers reached and others did not."""
    decisive = [news for news in story.news if news.relation == "decisive"]
    reached = max((len(news.scores) for news in decisive), default=0)
    missed = any(not judgment.right for judgment in story.judgments)
    return missed and story.label == 1 and reached > 0, -reached


def _view(story: Story, stories: Stories) -> StoryView:
    entry = story.entry
    start = entry.deadline if entry.action is None else entry.action
    end = start if entry.activity_end is None else entry.activity_end
    facts = [
        ("can be revised", f"for {_hours(entry.deadline - entry.decided)}"),
        ("takes place", f"{_hours(start - entry.decided)} to {_hours(end - entry.decided)} later"),
    ]
    if entry.verified is not None:
        facts.insert(0, ("evidence verified", f"{_hours(entry.decided - entry.verified)} before"))
    kind = f", named by {story.kind}" if story.kind else ""
    dossier = {
        "Decision": [entry.text],
        "Evidence": list(entry.evidence),
        "Background": list(entry.background),
        "Watch conditions": list(entry.watch),
    }
    return StoryView(
        id=entry.id,
        should=f"It should be {'switched' if story.label else 'kept'}{kind}.",
        facts=facts,
        dossier=[(name, texts) for name, texts in dossier.items() if texts],
        routers=list(stories.routers),
        news=[
            (
                _hours(news.published - entry.decided),
                news.id,
                news.text,
                (news.relation or "").replace("-", " "),
                [_score(news.scores, router) for router in stories.routers],
            )
            for news in story.news
        ],
        others=count(story.others),
        judgments=[
            (j.router, j.judge, j.choice, "right" if j.right else "wrong", j.reason)
            for j in story.judgments
        ],
    )


def _hours(value: float) -> str:
    return f"{quantity(round(value, 1))} h"


def _score(scores: Mapping[str, float], router: str) -> str:
    return f"{scores[router]:.2f}" if router in scores else ""
