"""Experiments on the vectorised engine; `test_world.py` holds the SimPy world against it."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from sim.experiments import CONTROL_STRETCH, EXPERIMENTS, FAMILY_ERROR, run
from sim.experiments.experiment import Count, Measurement
from sim.experiments.judged import judge
from theory import Factorisation, Timeline
from theory.claims import CLAIMS

CEILING = EXPERIMENTS["freshness-ceiling"]


def test_every_claim_has_an_experiment():
    assert list(EXPERIMENTS) == list(CLAIMS)
    assert CONTROL_STRETCH >= 1.05
    for experiment in EXPERIMENTS.values():
        assert len(experiment.grid("numpy")) == 400
        assert 10 <= len(experiment.grid("simpy")) <= 20
        assert experiment.decisions >= 20_000


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=list(EXPERIMENTS))
def test_every_claim_holds_and_its_control_is_rejected(experiment):
    """With a fresh seed a right claim fails with chance <= 1 % (Holm); the seed is fixed."""
    outcome = run(experiment, seed=0)
    assert outcome.held
    assert outcome.control_rejected
    assert outcome.cells["rejected"].sum() == 0
    # Predictions and limits speak of the same thing: about 99 % of rows lie within theirs.
    inside = (
        (outcome.cells["low"] <= outcome.cells["predicted"])
        & (outcome.cells["predicted"] <= outcome.cells["high"])
    ).sum()
    assert inside >= stats.binom.ppf(1e-6, outcome.cells.height, 0.98)


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=list(EXPERIMENTS))
def test_every_prediction_is_rejected_when_it_is_wrong(experiment):
    """Gaps a fifth longer, a wrong formula's worth of error, are refuted on the thin grid too."""
    wrong = replace(experiment, predict=lambda cell, stretch: experiment.predict(cell, 1.2))
    outcome = run(wrong, seed=1)
    assert not outcome.held


def test_a_bound_is_not_rejected_from_below_and_an_equality_is():
    """The ceiling of a shorter gap lies above every measurement; the survival must be met."""
    shorter = replace(CEILING, predict=lambda cell, stretch: CEILING.predict(cell, 0.8))
    rejected = run(shorter, seed=2).cells.filter("rejected")["quantity"].unique().to_list()
    assert rejected == ["no change"]


def test_a_broken_identity_is_not_held():
    def measure(play, rng, cell, decisions):
        return CEILING.measure(play, rng, cell, decisions)._replace(
            identities_hold=cell["gap"] != 24.0
        )

    outcome = run(replace(CEILING, measure=measure), seed=0)
    assert not outcome.identities_hold
    assert not outcome.held
    assert not outcome.cells["rejected"].any()


def test_the_same_seed_gives_the_same_rows_and_another_seed_others():
    thin = replace(CEILING, axes={"hazard": (0.01,), "gap": (24.0, 48.0), "freshness": (0.0,)})
    first, again, other = (run(thin, seed=seed) for seed in (5, 5, 6))
    assert first.cells.equals(again.cells)
    assert not first.cells.equals(other.cells)


def test_a_cell_gives_the_same_row_alone_and_in_a_larger_grid():
    alone = replace(CEILING, axes={"hazard": (0.01,), "gap": (48.0,), "freshness": (12.0,)})
    row = run(alone, seed=5).cells.row(0, named=True)
    whole = run(CEILING, seed=5).cells
    found = whole.filter(hazard=0.01, gap=48.0, freshness=12.0, quantity="no change")
    assert found.row(0, named=True)["measured"] == row["measured"]


@pytest.mark.full
def test_the_family_error_of_a_grid_at_equality_is_held(full):
    """Null: 400 true cells raise an alarm with chance at most 1 %. 1,000 seeds, or a tenth, may
    raise as many alarms as Binomial(seeds, 1 %) does with chance 1 - 1e-6: 28, or 9 of a tenth. The
    control, each cell at 1 % of its own, raises one nearly always.
    """
    at_equality = replace(
        CEILING,
        axes={
            "hazard": tuple(np.geomspace(0.001, 0.1, 20)),
            "gap": tuple(np.linspace(1.0, 240.0, 20)),
            "freshness": (0.0,),
        },
    )
    seeds = 1_000 if full else 100
    most = 28 if full else int(stats.binom.ppf(1 - 1e-6, seeds, FAMILY_ERROR))
    outcomes = [run(at_equality, seed=seed, decisions=2_000) for seed in range(seeds)]
    assert sum(not outcome.held for outcome in outcomes) <= most
    careless = sum((outcome.cells["p_value"] < FAMILY_ERROR).any() for outcome in outcomes)
    assert careless > 0.9 * seeds


@pytest.mark.full
def test_every_control_is_rejected_at_nearly_every_seed(full):
    """The control's power: none of 2 seeds (50 in full) of any experiment lets it slip through."""
    for experiment in EXPERIMENTS.values():
        for seed in range(100, 150 if full else 102):
            assert run(experiment, seed=seed).control_rejected, (experiment.claim, seed)


def test_decisions_and_progress_are_the_callers():
    thin = replace(CEILING, axes={"hazard": (0.01,), "gap": (24.0, 48.0), "freshness": (0.0,)})
    steps = []
    outcome = run(thin, seed=0, decisions=50, advance=steps.append)
    assert steps == [1, 1]
    assert outcome.decisions == 50
    assert set(outcome.cells["trials"]) == {50}


def test_the_headline_is_the_row_predicted_nearest_to_one_half():
    outcome = run(CEILING, seed=0, decisions=100)
    assert outcome.headline["quantity"] == "no change"
    assert abs(outcome.headline["predicted"] - 0.5) < 0.05


def test_a_certain_prediction_is_refuted_by_one_exception():
    """At p = 1 a standard error is 0; the exact test still knows what to say."""

    def measure(play, rng, cell, decisions):
        return Measurement([Count("no change", decisions - 1, decisions)])

    certain = replace(CEILING, measure=measure, predict=lambda cell, stretch: {"no change": 1.0})
    assert not run(certain, seed=0, decisions=1_000).held


def test_judging_by_hand():
    timeline = Timeline(-2.0, -1.0, 0.0, 5.0, 10.0, 10.0)
    first = np.array([-0.5, 0.0, 1.0, 5.0, 7.0, np.inf])
    half = np.full(6, 0.5)
    perfect = judge(first, timeline, routed=half, judged=half, recall=1.0, K=1.0, S=1.0, L=0.0)
    assert perfect.changing.tolist() == [True, True, True, True, True, False]
    assert perfect.delivered.tolist() == [False, False, True, True, False, False]
    assert perfect.right.tolist() == [False, False, True, True, False, True]
    rates = perfect.factorisation
    assert rates == Factorisation.from_counts(
        standing=1, kept=1, delivered=2, switched_delivered=2, missed=3, switched_missed=0
    )
    contrary = judge(first, timeline, routed=half, judged=half, recall=0.0, K=0.0, S=0.0, L=1.0)
    assert not contrary.delivered.any()
    assert contrary.switched.tolist() == [True] * 6
