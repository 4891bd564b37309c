"""A fit as lines of text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from reports.fit_file import SavedFit
from reports.times import show_time
from theory.estimate import AgeBin, Constancy, Estimate, Fit, Rate, Significance
from theory.estimate.resolution import COARSE

MOST_FACTS = 20
LEVEL = 0.05
"""Of the words that tests are given."""

_WORDS = {
    "laplace": ("slowing down", "speeding up", "no trend"),
    "dispersion": ("as if by schedule", "in bursts", "no bursts"),
    "lilliefors": ("gaps not exponential", "gaps not exponential", "gaps as if exponential"),
    "weibull": ("hazard falls with age", "hazard rises with age", "no effect of age"),
}
"""For each test: rejected below the null's figure, rejected above it, not rejected."""
_NULLS = {"laplace": 0.0, "dispersion": 1.0, "lilliefors": 0.0, "weibull": 1.0}
_FIGURES = {"laplace": "z", "dispersion": "index", "lilliefors": "D", "weibull": "shape"}


def fit_lines(saved: SavedFit) -> Iterator[str]:
    """The lines, without line ends."""
    yield from _head(saved)
    yield from _rate(saved.fit.pooled)
    yield from _tests(saved.fit.pooled.tests)
    yield from _resolution(saved.fit)
    if saved.ceilings:
        yield ""
        yield "Ceiling by execution gap: at most this share of decisions is still right"
        for at in saved.ceilings:
            ceiling, low, high = (100 * share for share in (at.ceiling, at.low, at.high))
            yield f"  {at.gap:>8g} h   {ceiling:6.2f} %   ({low:.2f} to {high:.2f} %)"
    if len(saved.fit.ages) > 1:
        yield ""
        yield "Hazard by age: changes per hour, so long after the last change"
        yield from map(_age, saved.fit.ages)
    if len(saved.fit.facts) > 1:
        yield ""
        yield from _facts(saved)


def _head(saved: SavedFit) -> Iterator[str]:
    fit, source = saved.fit, saved.source
    first, last = (show_time(time, source.times) for time in fit.span)
    facts = "" if len(fit.facts) == 1 else f" of {len(fit.facts)} facts"
    yield f"{source.file}: {source.kind}{facts}, {first} to {last}"
    dropped = {
        "left out by --where": source.left_out,
        "of no length": fit.dropped.zero_length,
        "repeated": fit.dropped.repeated,
        "outside the span": fit.dropped.outside,
    }
    told = [f"{count:,} {what}" for what, count in dropped.items() if count]
    yield f"{source.rows:,} rows{': ' if told else ''}{', '.join(told)}"


def _rate(pooled: Estimate) -> Iterator[str]:
    yield ""
    yield f"  changes    {pooled.changes:,}"
    yield f"  unchanged  {pooled.exposure:,.1f} h"
    if pooled.rate is None:
        yield "  rate       unknown: nothing was watched; a longer span is set by --from and --to"
        return
    yield f"  rate       {_limits(pooled)} per hour (95 % limits)"
    yield f"             {_limits(pooled, 24.0)} per day"


def _tests(tests: Constancy) -> Iterator[str]:
    yield ""
    done = [test.p_value for test in tests if test.p_value is not None]
    if done:
        rejected = sum(p_value < LEVEL for p_value in done)
        yield f"A constant hazard: rejected by {rejected} of {len(done)} tests at 5 %"
    else:
        yield "A constant hazard: too few changes to tell"
    for name, test in tests._asdict().items():
        yield f"  {name:10}  {_told(name, test)}"


def _told(name: str, test: Significance) -> str:
    if test.p_value is None or test.statistic is None:
        return test.reason or ""
    figure = f"{_FIGURES[name]:>5} {test.statistic:6.3f}"
    return f"{figure}   p {test.p_value:<8.2g} {_verdict(name, test.statistic, test.p_value)}"


def _resolution(fit: Fit) -> Iterator[str]:
    if fit.resolution is None or fit.pooled.rate is None:
        return
    share = fit.resolution * fit.pooled.rate
    if share > COARSE:
        step = {24.0: "days", 1.0: "hours"}.get(fit.resolution, "minutes")
        yield f"  Times are whole {step}, {100 * share:.0f} % of the mean gap: that coarse, they"
        yield "  make the rate somewhat low, and tests may reject for it."


def _verdict(name: str, statistic: float, p_value: float) -> str:
    below, above, neither = _WORDS[name]
    if p_value >= LEVEL:
        return neither
    return below if statistic < _NULLS[name] else above


def _age(age: AgeBin) -> str:
    until = f"{'on':>8}  " if age.end is None else f"to {age.end:>6.4g} h"
    return f"  {age.start:>7.4g} h {until}   {_limits(age)}   {age.changes:,} changes"


def _facts(saved: SavedFit) -> Iterator[str]:
    fit = saved.fit
    alike = fit.alike
    if alike.p_value is None:
        yield f"Facts: whether they are alike is not known ({alike.reason})"
    else:
        word = "not alike" if alike.p_value < LEVEL else "as if alike"
        yield f"Facts: {word} (p {alike.p_value:.2g} of one rate for all)"
    shown = sorted(fit.facts, key=lambda fact: (-fact.changes, fact.fact or ""))[:MOST_FACTS]
    width = max(len(fact.fact or "") for fact in shown)
    for fact in shown:
        seen = f"{fact.changes:,} in {fact.exposure:,.1f} h"
        yield f"  {fact.fact:{width}}   {_limits(fact)}   {seen}"
    if len(fit.facts) > len(shown):
        yield f"  and {len(fit.facts) - len(shown):,} more, with fewer changes: see --json"


def _limits(rate: Rate, hours: float = 1.0) -> str:
    if rate.rate is None or rate.low is None or rate.high is None:
        return "unknown"
    low, middle, high = (f"{value * hours:.4g}" for value in (rate.low, rate.rate, rate.high))
    return f"{middle} ({low} to {high})"
