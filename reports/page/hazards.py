"""The section on fitted hazards, from a simulated log or from one that was saved."""

from __future__ import annotations

from collections.abc import Sequence

from reports.charts import Drawing
from reports.charts.hazards import age_hazards, fact_hazards, named
from reports.fit_table import LEVEL
from reports.page.figure import Figure, Section, Table
from reports.page.numbers import count, p_value, percent, plural, quantity, share
from reports.page.shown_fit import ShownFit
from theory.estimate import Estimate, Rate, Significance
from theory.inference import holm

ID, TITLE, SHORT = "hazards", "How often facts change", "Hazards"
_MOST_FACTS = 12
"""Facts shown: those with the most changes."""
_TESTS = {
    "laplace": "changes come faster or slower with time (Laplace)",
    "dispersion": "changes come in bursts or as if by schedule (dispersion)",
    "lilliefors": "gaps between changes are not exponential (Lilliefors)",
    "weibull": "the hazard rises or falls with a fact's age (Weibull)",
}
"""What each test of a constant hazard looks for."""


def hazards_section(shown: ShownFit | None) -> Section:
    """Rates by fact and by age, and what they mean for a decision."""
    if shown is None:
        return Section(ID, TITLE, SHORT, "Not shown: no hazards were fitted.")
    if shown.saved.fit.pooled.rate is None:
        lead = f"{_source(shown)} Nothing was watched, so that no rate is known."
        return Section(ID, TITLE, SHORT, lead)
    return Section(ID, TITLE, SHORT, f"{_source(shown)} {_lead(shown)}", _figures(shown))


def _source(shown: ShownFit) -> str:
    source, fit = shown.saved.source, shown.saved.fit
    seen = f"{plural(fit.pooled.changes, 'change')} of {plural(len(fit.facts), 'fact')}"
    if shown.simulated is not None:
        return (
            f"From a simulated log, not from real facts: {seen}, each simulated at "
            f"{quantity(shown.simulated)} changes an hour."
        )
    filters = f", {' and '.join(source.where)}" if source.where else ""
    return f"From {source.file} ({source.kind}{filters}): {seen}."


def _lead(shown: ShownFit) -> str:
    """The pooled rate, and what it means for a decision at the middle gap."""
    pooled, ceilings = shown.saved.fit.pooled, shown.saved.ceilings
    lead = f"The rate is {_limits(pooled)} changes an hour, with exact 95 % limits"
    if not ceilings:
        return f"{lead}."
    middle = ceilings[len(ceilings) // 2]
    return (
        f"{lead}: a decision on one such fact, carried out {quantity(middle.gap)} h later, is "
        f"still right with a chance of at most {percent(middle.ceiling)}."
    )


def _figures(shown: ShownFit) -> list[Figure]:
    saved = shown.saved
    fit = saved.fit
    facts = sorted(fit.facts, key=lambda fact: (-fact.changes, fact.fact or ""))[:_MOST_FACTS]
    watched = [fact for fact in facts if fact.rate is not None]
    # A rate of 0 has no place on a logarithmic axis: nothing is then held against it.
    line = shown.simulated if shown.simulated is not None else fit.pooled.rate or None
    drawings: list[Drawing] = [fact_hazards(fit.pooled, watched, line=line)]
    if fit.ages:
        drawings.append(age_hazards(fit.ages, line=line))
    figures = [
        Figure(
            id="hazards-fitted",
            drawings=drawings,
            says=_says(shown, shown_facts=len(facts)),
            tables=[_rates(fit.pooled, facts), *_ages(shown), _tests(shown)],
        )
    ]
    if saved.ceilings:
        figures.append(
            Figure(
                id="hazards-ceilings",
                drawings=[],
                says="What the pooled rate allows, without routing and however fresh the evidence.",
                tables=[
                    Table(
                        "Ceiling by execution gap",
                        ["execution gap, h", "ceiling", "low", "high"],
                        [
                            [quantity(at.gap), *map(share, (at.ceiling, at.low, at.high))]
                            for at in saved.ceilings
                        ],
                    )
                ],
            )
        )
    return figures


def _says(shown: ShownFit, *, shown_facts: int) -> str:
    fit = shown.saved.fit
    line = "the pooled rate" if shown.simulated is None else "the hazard that was simulated"
    all_shown = len(fit.facts) == shown_facts
    facts = "" if all_shown else f" of the {shown_facts} facts with the most changes"
    return (
        f"Dots: changes over the hours watched and unchanged{facts}, with exact 95 % limits. "
        f"Line: {line}. {_constancy(shown)}"
    )


def _constancy(shown: ShownFit) -> str:
    """Whether to believe in one constant hazard, in a sentence."""
    fit = shown.saved.fit
    p_values = [test.p_value for test in (*fit.pooled.tests, fit.alike)]
    done = [p_value for p_value in p_values if p_value is not None]
    if not done:
        return "There are too few changes to test whether one constant hazard fits."
    level = percent(LEVEL)
    together = f"Over {plural(len(done), 'test')} together (Holm, {level}) one constant hazard is"
    if not holm(done, LEVEL).any():
        return f"{together} not rejected."
    if shown.simulated is None:
        return f"{together} rejected: a ceiling from it is a rough guide."
    return f"{together} rejected, though it is true of this log: {level} of such logs are."


def _rates(pooled: Estimate, facts: Sequence[Estimate]) -> Table:
    return Table(
        "Rates by fact",
        ["fact", "changes per hour", "low", "high", "changes", "hours unchanged"],
        [[name, *_figures_of(rate)] for name, rate in named(pooled, facts)],
    )


def _ages(shown: ShownFit) -> list[Table]:
    ages = shown.saved.fit.ages
    if not ages:
        return []
    rows = [
        [
            f"{quantity(age.start)} on"
            if age.end is None
            else f"{quantity(age.start)} to {quantity(age.end)}",
            *_figures_of(age),
        ]
        for age in ages
    ]
    headings = ["hours since the last change", "changes per hour", "low", "high"]
    return [Table("Rates by age", [*headings, "changes", "hours unchanged"], rows)]


def _tests(shown: ShownFit) -> Table:
    tests = shown.saved.fit.pooled.tests._asdict()
    alike = ("facts do not change alike (Pearson)", shown.saved.fit.alike)
    rows = [(_TESTS.get(name, name), test) for name, test in tests.items()]
    return Table(
        "Tests of a constant hazard",
        ["what it looks for", "statistic", "p-value"],
        [[what, *_result(test)] for what, test in [*rows, alike]],
    )


def _result(test: Significance) -> tuple[str, str]:
    if test.statistic is None or test.p_value is None:
        return "", test.reason or ""
    return quantity(test.statistic), p_value(test.p_value)


def _figures_of(rate: Rate) -> list[str]:
    figures = (rate.rate, rate.low, rate.high)
    shown = ["unknown" if figure is None else quantity(figure) for figure in figures]
    return [*shown, count(rate.changes), f"{rate.exposure:,.1f}"]


def _limits(rate: Rate) -> str:
    shown = [quantity(figure) for figure in (rate.rate, rate.low, rate.high) if figure is not None]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"
