"""The claims' further experiments, on grids thin enough for every day; in full under `-m full`."""

from dataclasses import replace

import numpy as np
import pytest

from sim.experiments import EXPERIMENTS, IN_EPISODES, run
from sim.experiments.experiment import Count, Experiment, Measurement, MixedCount
from sim.verification import Verification, count_cells, verify
from theory.claims import CLAIMS


@pytest.fixture(scope="module", params=IN_EPISODES)
def outcome(request, thin_episodes):
    return run(thin_episodes[request.param], seed=3)


def test_it_holds_and_its_control_is_rejected(outcome):
    """With a fresh seed a right claim fails with chance <= 1 % (Holm); the seed is fixed."""
    assert outcome.held
    assert outcome.control_rejected
    assert outcome.engine == "simpy"
    inside = (outcome.cells["low"] <= outcome.cells["predicted"]) & (
        outcome.cells["predicted"] <= outcome.cells["high"]
    )
    assert inside.sum() >= outcome.cells.height - 1


@pytest.mark.parametrize("claim", IN_EPISODES)
def test_a_wrong_prediction_is_rejected(claim, thin_episodes):
    """The control's chances in place of the claim's: refuted on the thin grid."""

    def measure(*arguments):
        measured = IN_EPISODES[claim].measure(*arguments)
        return measured._replace(
            counts=[count._replace(chances=count.control) for count in measured.counts]
        )

    wrong = run(replace(thin_episodes[claim], measure=measure), seed=3)
    assert wrong.identities_hold
    assert not wrong.held


def test_controlled_streams_have_their_shares_by_design():
    axes = {"stream": ("direct", "stress", "stress2", "indirect"), "replicate": (0,)}
    cells = run(replace(IN_EPISODES["freshness-alone"], axes=axes), seed=0).cells
    assert cells["measured"].to_list() == [50 / 110, 27 / 75, 45 / 73, 64 / 128]
    assert cells["predicted"].to_list() == cells["measured"].to_list()
    assert set(cells["quantity"]) == {"standing share (identity)"}


def test_the_headline_of_freshness_alone_is_the_test_and_not_the_identity(thin_episodes):
    assert run(thin_episodes["freshness-alone"], seed=0).headline["stream"] == "natural"


@pytest.mark.full
@pytest.mark.parametrize("claim", IN_EPISODES)
def test_whole_grids_hold_at_several_seeds(claim, full, thin_episodes):
    """Family error 1 % a seed and claim: of 10 seeds (1 by default) at most 2 may fail."""
    seeds = range(10 if full else 1)
    experiment = IN_EPISODES[claim] if full else thin_episodes[claim]
    outcomes = [run(experiment, seed=seed) for seed in seeds]
    assert sum(not outcome.held for outcome in outcomes) <= (2 if full else 0)
    assert all(outcome.control_rejected for outcome in outcomes)
    assert all(outcome.identities_hold for outcome in outcomes)


def test_mixed_counts_of_losses_are_shares_below_zero():
    def measure(play, rng, cell, decisions):
        chances = np.array([0.9, 0.9, 0.1])
        return Measurement([MixedCount("gain", 1, chances, chances, offset=2)])

    made = Experiment(
        claim="router-gain",
        measures="a test",
        axes={"cell": (1,)},
        measure=measure,
        predict=lambda cell, stretch: {},
    )
    row = run(made, seed=0).cells.row(0, named=True)
    assert row["measured"] == pytest.approx(-1 / 3)
    assert row["predicted"] == pytest.approx(-0.1 / 3)
    assert row["low"] < row["measured"] < row["high"]


def test_verification_shows_both_experiments_and_needs_both(monkeypatch, thin_episodes):
    monkeypatch.setitem(IN_EPISODES, "freshness-alone", thin_episodes["freshness-alone"])
    few = replace(
        EXPERIMENTS["freshness-alone"],
        axes={"hazard": (0.01,), "gap": (48.0,), "freshness": (0.0,)},
    )
    monkeypatch.setitem(EXPERIMENTS, "freshness-alone", few)
    steps = []
    [found] = verify(["freshness-alone"], seed=3, advance=steps.append)
    assert sum(steps) == count_cells(["freshness-alone"]) == 4
    assert [outcome.engine for _, outcome in found.played] == ["numpy", "simpy"]
    experiment, outcome = found.in_episodes
    failing = replace(outcome, identities_hold=False)
    assert not replace(found, in_episodes=(experiment, failing)).passed
    blind = replace(outcome, control_rejected=False)
    assert not replace(found, in_episodes=(experiment, blind)).passed
    alone = Verification(CLAIMS["exposure"], few, found.proof, found.outcome)
    assert alone.held == found.outcome.held


def test_counts_of_other_kinds_may_stand_beside_mixed_ones():
    def measure(play, rng, cell, decisions):
        chances = np.full(decisions, 0.5)
        return Measurement([Count("plain", 5, decisions), MixedCount("mixed", 5, chances, chances)])

    made = Experiment(
        claim="factorisation",
        measures="a test",
        axes={"cell": (1,)},
        measure=measure,
        predict=lambda cell, stretch: {"plain": 0.5},
        decisions=10,
    )
    cells = run(made, seed=0).cells
    assert cells["side"].to_list() == ["two", "mixed"]
    plain, mixed = cells.iter_rows(named=True)
    for name in ("predicted", "measured", "low", "high", "p_value"):
        assert plain[name] == pytest.approx(mixed[name], abs=1e-4)
