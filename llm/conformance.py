"""The tests that every judge must pass, ours or a user's.

    from llm.conformance import check_judge
    check_judge(MyJudge, rng=np.random.default_rng(0))

Each check asks about decisions and notices of a small town and raises `NotConforming` with what it
found. A judge that knows its own decisions only, as simulated ones do, is asked about `cases`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from llm.judge import Judge
from llm.town import GOLD, TEXTS, Case, made_up, marked, require
from routers import Notice, Verdict
from routers.router import NotConforming

Make: TypeAlias = Callable[[], Judge]
"""Makes a judge that has been asked nothing."""

Check: TypeAlias = Callable[[Make, Sequence[Case], np.random.Generator], None]

CASES = 40
"""Cases that a kit makes up where it is given none."""


def check_judge(make: Make, *, rng: np.random.Generator, cases: Sequence[Case] = ()) -> None:
    """Run every check; raises `NotConforming` at the first that fails, naming it."""
    asked = list(cases) or [made_up(number, rng) for number in range(CASES)]
    for check in CHECKS:
        try:
            check(make, asked, rng)
        except Exception as error:
            says = error if isinstance(error, NotConforming) else f"it raises {error!r}"
            raise NotConforming(f"{check.__name__}: {says}") from error


def declares_itself(make: Make, cases: Sequence[Case], rng: np.random.Generator) -> None:
    """It says its name, whether it is simulated and whether it was built on gold."""
    del cases, rng
    judge = make()
    require(isinstance(judge.name, str) and judge.name, "its name must be a text")
    for flag in ("simulated", "gold"):
        require(isinstance(getattr(judge, flag), bool), f"its {flag} must be true or false")


def keeps_or_switches(make: Make, cases: Sequence[Case], rng: np.random.Generator) -> None:
    """It answers with a verdict, which is to keep or to switch."""
    del rng
    judge = make()
    for entry, notices in cases:
        verdict = judge.judge(entry, notices)
        known = isinstance(verdict, Verdict) and verdict.choice in ("keep", "switch")
        require(known, f"{verdict!r} is no verdict to keep or switch")


def keeps_without_news(make: Make, cases: Sequence[Case], rng: np.random.Generator) -> None:
    """Where no notice arrived it keeps, and reads nothing."""
    del rng
    judge = make()
    for entry, _ in cases:
        verdict = judge.judge(entry, [])
        require(verdict.choice == "keep", f"without news it says {verdict.choice}")
        require(not verdict.tokens, f"without news it reads {verdict.tokens} tokens")


def answers_alike(make: Make, cases: Sequence[Case], rng: np.random.Generator) -> None:
    """The same question has the same answer: asked again, in any order, or of a new judge."""
    judge = make()
    first = [_answer(judge, case) for case in cases]
    for again in (judge, make()):
        for index in rng.permutation(len(cases)).tolist():
            found = _answer(again, cases[index])
            require(found == first[index], f"it says {first[index]}, then {found}")


def sees_no_gold(make: Make, cases: Sequence[Case], rng: np.random.Generator) -> None:
    """Unless it declares `gold`, what is true of entries and notices changes nothing."""
    del rng
    if make().gold:
        return
    for case in cases:
        found = {_answer(make(), marked(case, gold)) for gold in GOLD}
        require(len(found) == 1, f"its answers {found} change with gold that it never declared")


def survives_any_text(make: Make, cases: Sequence[Case], rng: np.random.Generator) -> None:
    """No text stops it: no words at all, any script, any length, words meant to steer it."""
    del rng
    judge = make()
    published = cases[0].entry.decided
    for number, text in enumerate(TEXTS):
        notice = Notice(id=f"n{number}", published=published, text=text, epoch=cases[0].entry.epoch)
        _answer(judge, Case(cases[0].entry, [notice]))
        _answer(judge, Case(replace(cases[0].entry, text=text, background=(text,)), [notice]))


CHECKS: tuple[Check, ...] = (
    declares_itself,
    keeps_or_switches,
    keeps_without_news,
    answers_alike,
    sees_no_gold,
    survives_any_text,
)


def _answer(judge: Judge, case: Case) -> tuple[str, str]:
    verdict = judge.judge(*case)
    return verdict.choice, verdict.reason
