"""Logs for the tests of estimates: small ones drawn by Hypothesis, large ones of known hazards."""

import numpy as np
import polars as pl
from hypothesis import strategies as st

FACTS = st.sampled_from(["a", "b", "c"])
HOURS = st.integers(0, 24)


def times_log(rows):
    return pl.DataFrame(rows, schema={"fact": pl.String, "time": pl.Float64}, orient="row")


def intervals_log(rows):
    schema = {"fact": pl.String, "start": pl.Float64, "end": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@st.composite
def intervals(draw):
    """Rows (fact, start, end), some open, on whole hours so that they often touch or coincide."""
    start = draw(HOURS)
    end = draw(st.none() | st.integers(start, 24))
    return draw(FACTS), start, end


interval_rows = st.lists(intervals(), min_size=1, max_size=12)
time_rows = st.lists(st.tuples(FACTS, HOURS), min_size=1, max_size=12)
spans = st.tuples(st.integers(-3, 26), st.integers(1, 30)).map(lambda s: (s[0], s[0] + s[1]))


def names(facts, each):
    """`each` rows for each of so many facts."""
    return np.char.zfill(np.repeat(np.arange(facts), each).astype(str), 6)


def poisson_log(rng, facts, mean, *, trend=0.0):
    """Change times over [0, 1] at a rate that rises as t^trend; `mean` changes a fact."""
    each = rng.poisson(mean, facts)
    times = rng.uniform(size=each.sum()) ** (1 / (1 + trend))
    return pl.DataFrame({"fact": names(facts, each), "time": times})


def renewal_log(rng, facts, mean, shape):
    """Outages after up-times that are Weibull with mean 1; the span that holds them is (0, 2 mean).

    Down-times are exponential with mean 1, so that a fact is up for about `mean` hours.
    """
    from math import gamma

    each = 4 * mean + 40
    up = rng.weibull(shape, (facts, each)) / gamma(1 + 1 / shape)
    down = rng.standard_exponential((facts, each))
    ends = np.cumsum(up + down, axis=1)
    log = pl.DataFrame(
        {"fact": names(facts, each), "start": (ends - down).ravel(), "end": ends.ravel()}
    )
    return log.filter(pl.col("start") < 2.0 * mean)
