"""The verdict on each claim: three marks, prediction beside measurement, and all that is behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from reports.page.figure import Formats, Table, table
from reports.page.grid import size
from reports.page.lede import shortcomings
from reports.page.mathematics import breakable_mathml, mathml
from reports.page.numbers import count, limits, p_value, percent, plural, share
from reports.page.parameters import heading, phrase, written
from sim.experiments import FAMILY_ERROR

if TYPE_CHECKING:
    from sim.experiments import Experiment, Outcome
    from sim.verification import Verification

_NEAREST = 5
"""Rows shown of those that fit their prediction worst."""
_MARGIN = 1.6
"""Half the width of a small plot, in parts of the limits' reach from the prediction."""


class Mark(NamedTuple):
    """One of three marks."""

    word: str
    """What is so, or not."""
    ok: bool


class Step(NamedTuple):
    """A step of a proof, its formula set."""

    says: str
    formula: Markup
    by: str
    holds: bool


class Axis(NamedTuple):
    """A parameter of the grid."""

    name: str
    values: str


class Gauge(NamedTuple):
    """Where prediction, measurement and limits lie on a small plot, from 0 to 100."""

    predicted: float
    measured: float
    low: float
    high: float


@dataclass(frozen=True)
class ExperimentView:
    """One experiment of a claim as the page shows it."""

    title: str
    measures: str
    """What is measured against what."""
    axes: Sequence[Axis]
    facts: Sequence[tuple[str, str]]
    """Size of the grid, smallest p-value, control: names and words."""
    nearest: Table
    """The rows that fit their prediction worst."""


@dataclass(frozen=True)
class ClaimView:
    """A claim as the page shows it."""

    id: str
    title: str
    meaning: str
    statement: Markup
    marks: Sequence[Mark]
    shortcomings: str
    """Why it does not stand; empty if it does."""
    predicted: str
    measured: str
    limits: str
    gauge: Gauge
    quantity: str
    """What the figures are of, and in which cell."""
    assumptions: Sequence[str]
    steps: Sequence[Step]
    experiments: Sequence[ExperimentView]


def claim_view(found: Verification) -> ClaimView:
    """All that the page says of one claim."""
    claim, outcome, proof = found.claim, found.outcome, found.proof
    headline = outcome.headline
    predicted, measured, low, high = (
        float(headline[name]) for name in ("predicted", "measured", "low", "high")
    )
    cell = {name: headline[name] for name in found.experiment.axes}
    return ClaimView(
        id=claim.id,
        title=claim.title,
        meaning=claim.meaning,
        statement=breakable_mathml(claim.statement),
        marks=(
            Mark("proved", proof.proved),
            Mark("held", found.held),
            Mark("control rejected", found.control_rejected),
        ),
        shortcomings="; ".join(shortcomings(found)),
        predicted=share(predicted),
        measured=share(measured),
        limits=limits(low, high),
        gauge=_gauge(predicted, measured, low, high),
        quantity=f"{headline['quantity']}, at {phrase(cell, claim.id)}",
        assumptions=claim.assumptions,
        steps=[Step(step.says, mathml(step.formula), step.by, step.holds) for step in proof.steps],
        experiments=[_experiment_view(*played) for played in found.played],
    )


def _experiment_view(experiment: Experiment, outcome: Outcome) -> ExperimentView:
    return ExperimentView(
        title="In episodes" if experiment.episodes else "Experiment",
        measures=experiment.measures,
        axes=[
            Axis(heading(name, outcome.claim), ", ".join(written(value) for value in values))
            for name, values in experiment.axes.items()
        ],
        facts=_facts(experiment, outcome),
        nearest=_nearest(experiment, outcome),
    )


def _gauge(predicted: float, measured: float, low: float, high: float) -> Gauge:
    reach = max(abs(value - predicted) for value in (measured, low, high)) * _MARGIN or 1.0
    places = (50 + 50 * (value - predicted) / reach for value in (predicted, measured, low, high))
    return Gauge(*(round(place, 1) for place in places))


def _facts(experiment: Experiment, outcome: Outcome) -> list[tuple[str, str]]:
    cells, _, rows, rejected = size(experiment, outcome)
    smallest = float(outcome.cells["p_value"].min())  # type: ignore[arg-type]
    return [
        (
            "grid",
            f"{plural(cells, 'cell')} of {plural(outcome.decisions, 'decision')} each, "
            f"{outcome.engine} engine, seed {outcome.seed}",
        ),
        ("rows", f"{plural(rows, 'measured value')}, {count(rejected)} rejected"),
        (
            "smallest p-value",
            f"{p_value(smallest)}; Holm rejects at or below {p_value(FAMILY_ERROR / rows)}, "
            f"for a family error of {percent(FAMILY_ERROR)}",
        ),
        (
            "identities",
            "equal to the last digit in every cell" if outcome.identities_hold else "broken",
        ),
        (
            "control",
            f"{experiment.control}: {count(outcome.control_rejections)} of "
            f"{plural(rows, 'value')} rejected, "
            f"{'as must be' if outcome.control_rejected else 'and some must be'}",
        ),
    ]


def _nearest(experiment: Experiment, outcome: Outcome) -> Table:
    formats: Formats = {
        "quantity": ("quantity", str),
        **{axis: (heading(axis, outcome.claim), written) for axis in experiment.axes},
        "predicted": ("predicted", share),
        "measured": ("measured", share),
        "low": ("low", share),
        "high": ("high", share),
        "p_value": ("p-value", p_value),
        "rejected": ("verdict", lambda rejected: "rejected" if rejected else "held"),
    }
    worst = outcome.cells.sort("p_value", maintain_order=True).head(_NEAREST)
    where = " in episodes" if experiment.episodes else ""
    return table(worst, f"The values that fit their prediction worst{where}", formats)
