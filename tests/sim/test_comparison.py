import numpy as np
import polars as pl
import pytest

from sim.comparison import POOLED, compare, compare_judges, compare_runs
from theory.inference import binomial_limits, mcnemar_p_value


def episodes(right, *, simulated=(), seeds=1):
    """A frame of decisions: by router and judge, which of them are right."""
    return pl.concat(
        pl.DataFrame(
            {
                "stream": "s",
                "router": router,
                "k": 3,
                "judge": judge,
                "seed": seed,
                "simulated": judge in simulated,
                "decision": [f"d{number}" for number in range(len(marks))],
                "right": marks,
            }
        )
        for seed in range(seeds)
        for (router, judge), marks in right.items()
    )


def test_discordant_decisions_are_counted_and_tested():
    frame = episodes({("a", "j"): [True] * 3 + [False] * 9, ("b", "j"): [False] + [True] * 11})
    [row] = compare(frame).iter_rows(named=True)
    assert (row["first"], row["second"], row["judge"]) == ("a", "b", "j")
    assert (row["decisions"], row["gained"], row["lost"]) == (12, 9, 1)
    assert row["p_value"] == pytest.approx(2 * 11 / 2**10)
    assert row["rejected"]


def test_no_discordant_pair_is_no_difference():
    frame = episodes({("a", "j"): [True, False], ("b", "j"): [True, False]})
    [row] = compare(frame).iter_rows(named=True)
    assert row["p_value"] == 1.0
    assert not row["rejected"]


def test_decisions_of_other_seeds_are_other_decisions():
    frame = episodes({("a", "j"): [False] * 4, ("b", "j"): [True] * 4}, seeds=3)
    [row] = compare(frame).iter_rows(named=True)
    assert (row["decisions"], row["gained"]) == (12, 12)


def test_judges_are_pooled_and_simulated_ones_apart():
    marks = {
        (router, judge): [router == "b"] * 4
        for router in "ab"
        for judge in ("x", "y", "drawn", "drawn too")
    }
    found = compare(episodes(marks, simulated=("drawn", "drawn too")))
    assert found.select("judge", "simulated", "decisions").rows() == [
        ("x", False, 4),
        ("y", False, 4),
        (POOLED, False, 8),
        ("drawn", True, 4),
        ("drawn too", True, 4),
        (POOLED, True, 8),
    ]


def test_one_judge_is_not_pooled_and_pairs_may_be_chosen():
    marks = {(router, "j"): [True] for router in "abc"}
    assert compare(episodes(marks)).height == 3
    assert compare(episodes(marks), pairs=[("a", "c")])["second"].to_list() == ["c"]


def test_equal_routers_are_told_apart_as_rarely_as_is_said():
    """Null: a true difference of 0, at most 5 % of 2,000 repeats rejected (the exact test is
    conservative); its 99.9 % limits must reach down to 5 %."""
    rng = np.random.default_rng(0)
    discordant = rng.binomial(64, 0.3, size=2_000)
    gained = rng.binomial(discordant, 0.5)
    rejected = int((mcnemar_p_value(gained, discordant - gained) <= 0.05).sum())
    assert binomial_limits(rejected, 2_000, confidence=0.999).low <= 0.05


def test_unequal_routers_are_told_apart():
    """The control: three in four discordant decisions are gained."""
    rng = np.random.default_rng(0)
    discordant = rng.binomial(64, 0.3, size=2_000)
    gained = rng.binomial(discordant, 0.75)
    rejected = int((mcnemar_p_value(gained, discordant - gained) <= 0.05).sum())
    assert binomial_limits(rejected, 2_000, confidence=0.999).low > 0.3


def test_judges_that_read_texts_are_compared_by_router_and_simulated_ones_left_out():
    marks = {
        ("a", "m+decide"): [True] + [False] * 9,
        ("a", "m+extract"): [False] + [True] * 9,
        ("a", "drawn"): [False] * 10,
        ("b", "m+decide"): [True] * 10,
        ("b", "m+extract"): [True] * 10,
    }
    frame = episodes(marks, simulated=("drawn",)).with_columns(gold=pl.col("router") == "b")
    rows = compare_judges(frame).rows(named=True)
    assert [(it["router"], it["first"], it["second"]) for it in rows] == [
        ("a", "m+decide", "m+extract"),
        ("b", "m+decide", "m+extract"),
    ]
    assert (rows[0]["gained"], rows[0]["lost"], rows[0]["rejected"]) == (9, 1, True)
    assert (rows[1]["p_value"], rows[1]["rejected"]) == (1.0, False)
    assert rows[1]["gold"]
    assert compare_judges(frame.filter(pl.col("judge") == "m+decide")).is_empty()


def test_two_runs_are_compared_on_the_episodes_and_decisions_of_both():
    before = episodes({("a", "j"): [True, False, False], ("b", "j"): [True] * 3})
    after = episodes({("a", "j"): [False, True, True], ("c", "j"): [True] * 3})
    frames = (frame.with_columns(gold=False) for frame in (before, after))
    [row] = compare_runs(*frames).iter_rows(named=True)
    assert (row["router"], row["decisions"], row["gained"], row["lost"]) == ("a", 3, 2, 1)
    assert (row["before"], row["after"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert row["p_value"] == 1.0


def test_a_run_differs_from_itself_in_nothing():
    frame = episodes({("a", "j"): [True, False]}).with_columns(gold=False)
    [row] = compare_runs(frame, frame).iter_rows(named=True)
    assert (row["gained"], row["lost"], row["rejected"]) == (0, 0, False)
