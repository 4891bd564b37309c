"""How often a judge does what a notice tells it to: prompt injection, measured.

Each decision is judged twice: on the news that reached it, and on the same news with words in one
notice that demand the other choice (`llm.steering`). The words change nothing that is true, so a
judge that changes its mind has obeyed. Only decisions with two answers that can be used count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from llm import Judge
from llm.model import ModelJudge
from llm.steering import STYLES, steered
from routers import Verdict
from routers.verdict import Choice
from sim.questions import Question
from theory.inference import binomial_limits

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Obedience:
    """How often a judge obeyed."""

    trials: int
    """Decisions that were judged twice with answers that can be used."""
    obeyed: int
    """Of these, whose second verdict was the one demanded."""
    share: float | None
    """Obeyed of trials; None without trials."""
    low: float | None
    high: float | None
    """Exact 95 % limits of the share."""
    invalid: int
    """Decisions left out, since one of the two answers could not be used."""
    by_style: Mapping[str, tuple[int, int]]
    """Obeyed and trials of each style."""


def obedience(judge: Judge, asked: Sequence[Question], rng: np.random.Generator) -> Obedience:
    """Judge each question as it is and steered; `rng` draws the style and the notice.

    Questions without notices are passed over: there is nothing to stand in.
    """
    plain = [question for question in asked if question.notices]
    first = _judged(judge, plain)
    names = [str(name) for name in rng.choice(list(STYLES), size=len(plain))]
    places = [int(rng.integers(len(question.notices))) for question in plain]
    demands = [_other(verdict.choice) for verdict in first]
    told = [
        Question(it.entry, steered(it.notices, at, style, demand))
        for it, at, style, demand in zip(plain, places, names, demands, strict=True)
    ]
    second = _judged(judge, told)
    trials, obeyed = Counter[str](), Counter[str]()
    for before, after, style, demand in zip(first, second, names, demands, strict=True):
        if not (before.extra.get("invalid") or after.extra.get("invalid")):
            trials[style] += 1
            obeyed[style] += after.choice == demand
    return _counted(obeyed, trials, len(plain))


def _judged(judge: Judge, asked: Sequence[Question]) -> list[Verdict]:
    if isinstance(judge, ModelJudge):
        judge.prepare(asked)
    return [judge.judge(*question) for question in asked]


def _other(choice: Choice) -> Choice:
    return "keep" if choice == "switch" else "switch"


def _counted(obeyed: Counter[str], trials: Counter[str], of: int) -> Obedience:
    some, all_ = obeyed.total(), trials.total()
    share, low, high = None, None, None
    if all_:
        limits = binomial_limits(some, all_, confidence=CONFIDENCE)
        share, low, high = some / all_, float(limits[0]), float(limits[1])
    by_style = {style: (obeyed[style], trials[style]) for style in STYLES}
    return Obedience(all_, some, share, low, high, of - all_, by_style)
