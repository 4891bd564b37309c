from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from by_hand import Recorder, entry, labelled, notice
from hypothesis import given
from hypothesis import strategies as st

from routers import make_router
from sim import episode
from sim.measures import RATIOS, SHARES, factorisation, measure
from sim.runs import run
from sim.scoring import score
from sim.streams import RELATIONS, natural
from theory import Factorisation
from theory.inference import binomial_limits


def scored(made, router="broadcast", choice="switch"):
    return score(episode(made.stream, make_router(router), Recorder(choice)), made.gold)


BY_HAND = labelled(
    [entry(f"d{number}", 0, 9) for number in range(1, 6)],
    [notice("n1", 1, "one two three"), notice("n2", 2), notice("late", 10)],
    {
        "d1": (1, {"n1": "decisive", "n2": "decisive"}),
        "d2": (1, {"n2": "starts-after"}),
        "d3": (0, {"n1": "irrelevant-role"}),
        "d4": (0, {"n1": "namesake"}),
        "d5": (0, {"n1": "does-not-block", "n2": "irrelevant-role"}),
    },
)


def test_scoring_by_hand():
    found = scored(BY_HAND)
    columns = ("decision", "label", "news", "lures", "decisive", "traps", "exposed", "right")
    assert list(found.decisions.select(columns).iter_rows()) == [
        ("d1", 1, 2, 0, 2, 0, False, True),
        ("d2", 1, 0, 0, 0, 0, True, True),
        ("d3", 0, 0, 1, 0, 1, True, False),
        ("d4", 0, 0, 0, 0, 0, False, False),
        ("d5", 0, 0, 1, 0, 1, True, False),
    ]
    relations = found.deliveries.filter(pl.col("decision") == "d4")["relation"].to_list()
    assert relations == ["namesake", None]


def test_measures_by_hand():
    row = measure(scored(BY_HAND).decisions).row(0, named=True)
    assert row["decisions"] == 5
    assert row["accuracy"] == pytest.approx(2 / 5)
    assert row["recall"] == 1 / 2
    assert row["switch"] == 1
    assert row["lapse"] == 1
    assert row["keep"] == 0
    assert row["keep_exposed"] == row["keep_calm"] == 0
    assert row["pair_recall"] == 1
    assert row["precision"] == pytest.approx(2 / 10)
    assert row["delivered"] == 2
    assert (row["traps"], row["lures"], row["called"]) == (2, 2, 5)
    assert row["missed"] == 0
    dossiers = 6 * 5  # "The concert is at Hall d1."
    assert row["input_tokens"] == pytest.approx((dossiers + 5 * (3 + 3)) / 5)


def test_what_a_time_filter_drops_is_held_against_gold():
    late = "Shut from 12:00 on 1 January 1970."
    made = labelled(
        [replace(entry(name, 0, 9), activity_end=12.0) for name in ("d1", "d2", "d3")],
        [notice("n1", 1, late), notice("n2", 2, "Shut."), notice("n3", 3, late)],
        {
            "d1": (1, {"n1": "decisive", "n2": "decisive"}),
            "d2": (0, {"n3": "starts-after"}),
            "d3": (0, {}),
        },
    )
    found = scored(made, "broadcast+time-filter").decisions
    assert found["received"].to_list() == [1, 1, 1]
    assert found["dropped"].to_list() == [2, 2, 2]
    assert found["wrongly_dropped"].to_list() == [1, 0, 0]
    row = measure(found).row(0, named=True)
    assert (row["dropped"], row["wrongly_dropped"]) == (6, 1)


def test_nothing_delivered_has_no_switch_rate_and_no_precision():
    row = measure(scored(BY_HAND, "none").decisions).row(0, named=True)
    assert row["switch"] is row["switch_low"] is row["precision"] is row["keep_exposed"] is None
    assert (row["recall"], row["lapse"], row["keep"], row["accuracy"]) == (0, 0, 1, 3 / 5)


@st.composite
def scored_frames(draw):
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 1),
                st.sampled_from(["keep", "switch"]),
                st.integers(0, 2),
                st.booleans(),
                st.booleans(),
                st.sampled_from([None, "malformed"]),
            ),
            min_size=1,
            max_size=40,
        )
    )
    return pl.DataFrame(
        [
            {
                "decision": f"d{number}",
                "label": label,
                "choice": choice,
                "decisive": decisive * label,
                "news": 2 * label,
                "received": decisive + 1,
                "exposed": exposed,
                "traps": 0,
                "lures": 1,
                "dropped": 0,
                "wrongly_dropped": 0,
                "called": True,
                "invalid": invalid if choice == "keep" else None,
                "missed": missed,
                "input_tokens": 10,
                "right": (choice == "switch") == bool(label),
            }
            for number, (label, choice, decisive, exposed, missed, invalid) in enumerate(rows)
        ],
        schema_overrides={"invalid": pl.String},
    )


@given(scored_frames())
def test_the_factorisation_of_the_measured_rates_is_the_measured_accuracy_exactly(frame):
    rates = factorisation(frame)
    assert rates.accuracy == Fraction(int(frame["right"].sum()), frame.height)
    row = measure(frame).row(0, named=True)
    for name, share in (("recall", "rho"), ("keep", "K"), ("switch", "S"), ("lapse", "L")):
        if row[name] is not None:
            assert row[name] == pytest.approx(float(getattr(rates, share)))


@given(scored_frames())
def test_every_share_lies_within_its_exact_limits(frame):
    row = measure(frame).row(0, named=True)
    for name, (trials, counted) in SHARES.items():
        of = int(frame.select(trials.sum()).item())
        some = int(frame.select((trials & counted).sum()).item())
        if not of:
            assert row[name] is row[f"{name}_low"] is row[f"{name}_high"] is None
            continue
        low, high = binomial_limits(some, of)
        found = (row[name], row[f"{name}_low"], row[f"{name}_high"])
        assert found == pytest.approx((some / of, float(low), float(high)))


def test_pairs_are_no_decisions():
    """The control: with pair recall in its place the factorisation misses the accuracy."""
    two = labelled(
        [entry("d1", 0, 9), entry("d2", 0, 3)],
        [notice("n1", 1), notice("n5", 5)],
        {"d1": (1, {"n1": "decisive", "n5": "decisive"}), "d2": (1, {"n1": "decisive"})},
    )
    frame = scored(two, "none").decisions.with_columns(
        decisive=pl.Series([1, 1]), received=pl.Series([1, 1])
    )
    row = measure(frame).row(0, named=True)
    assert (row["recall"], row["pair_recall"]) == (1, pytest.approx(2 / 3))
    rates = factorisation(frame)
    assert rates.rho == 1
    wrong = Factorisation(1, 0, Fraction(2, 3), 1, 0)
    assert wrong.accuracy != Fraction(1, 1)


def test_groups_are_measured_apart_as_they_are_alone():
    made = natural(np.random.default_rng(0), decisions=60)
    frame = scored(made, "name").decisions
    whole = measure(frame, by=["kind"])
    assert whole["decisions"].sum() == 60
    for row in whole.iter_rows(named=True):
        alone = frame.filter(pl.col("kind").eq_missing(row.pop("kind")))
        assert measure(alone).row(0, named=True) == row


def test_every_relation_is_told():
    made = labelled(
        [entry("d1", 0, 99)],
        [notice(f"n{number}", number + 1) for number in range(len(RELATIONS))],
        {"d1": (1, {f"n{number}": relation for number, relation in enumerate(RELATIONS)})},
    )
    assert scored(made).deliveries["relation"].to_list() == list(RELATIONS)


def test_no_judge_has_a_part_in_what_is_delivered():
    made = natural(np.random.default_rng(0), decisions=60)
    alone = [run(made, routers=["name"], judges=[judge]).deliveries for judge in ("rules", "weak")]
    both = run(made, routers=["name"], judges=["rules", "weak"]).deliveries
    assert both.height > 0
    assert alone[0].equals(alone[1])
    assert alone[0].equals(both)


def test_every_ratio_lies_within_its_limits_which_a_seed_repeats():
    frame = scored(natural(np.random.default_rng(4), decisions=80)).decisions
    row, again, other = (measure(frame, seed=seed).row(0, named=True) for seed in (1, 1, 2))
    assert row == again
    assert row != other
    for name in RATIOS:
        assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert row["precision_low"] < row["precision"] < row["precision_high"]


def test_ratios_of_nothing_have_no_limits():
    row = measure(scored(BY_HAND, "none").decisions).row(0, named=True)
    assert row["precision"] is row["precision_low"] is row["precision_high"] is None
