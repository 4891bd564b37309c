import polars as pl
import pytest
from by_hand import entry, labelled, notice

from sim.measures import measure
from sim.runs import run
from sim.strata import TIMES, by_news, by_reference, by_time
from sim.streams import make_stream

BY_HAND = labelled(
    [entry(f"d{number}", 0, 9) for number in range(1, 5)],
    [notice("n1", 1), notice("n2", 2)],
    {
        "d1": (1, {"n1": "decisive", "n2": "ended-before"}),
        "d2": (0, {"n1": "starts-after", "n2": "ended-before"}),
        "d3": (0, {"n1": "irrelevant-role"}),
        "d4": (1, {}),
    },
)


def played(made, routers=("broadcast",), judges=("perfect",)):
    return run(made, routers=list(routers), judges=list(judges))


def test_where_in_time_news_lies_by_hand():
    found = played(BY_HAND)
    rows = by_time(found.decisions, found.deliveries)
    assert dict(rows.select("time", "decisions").rows()) == {
        "during": 1,
        "starts after": 1,
        "ended before": 1,
    }
    assert rows["correct"].to_list() == [1.0, 1.0, 1.0]


def test_what_news_came_by_hand():
    found = played(BY_HAND)
    rows = by_news(found.decisions, found.deliveries).select("label", "news", "decisions")
    assert sorted(rows.rows()) == [
        (0, "none", 1),
        (0, "other related", 1),
        (1, "decisive", 1),
        (1, "none", 1),
    ]


@pytest.mark.parametrize("stream", ["indirect", "stress", "natural"])
def test_strata_add_up_to_the_whole(stream):
    found = played(make_stream(stream, seed=1), routers=("bm25-text", "related"), judges=("weak",))
    news = by_news(found.decisions, found.deliveries)
    for router in ("bm25-text", "related"):
        rows = news.filter(pl.col("router") == router)
        whole = found.decisions.filter(pl.col("router") == router)
        assert rows["decisions"].sum() == whole.height
        assert rows["right"].sum() == whole["right"].sum()
    kinds = by_reference(found.decisions)
    assert kinds["decisions"].sum() == found.decisions.height
    times = by_time(found.decisions, found.deliveries)
    assert set(times["time"]) <= set(TIMES.values())
    assert (times["low"] <= times["correct"]).all()
    assert (times["correct"] <= times["high"]).all()


def test_changing_decisions_reached_by_decisive_news_are_those_of_the_switch_rate():
    found = played(make_stream("indirect", seed=2), routers=("bm25-text",), judges=("weak",))
    during = by_time(found.decisions, found.deliveries).filter(pl.col("time") == "during")
    assert during["correct"].item() == measure(found.decisions)["switch"].item()


def test_the_rows_of_indirect_hold_sixteen_decisions():
    found = played(make_stream("indirect", seed=0), routers=("none",))
    assert by_reference(found.decisions)["decisions"].to_list() == [16] * 8
