"""The reference figures: kept whole, made from our streams as they are, and shown as they stand."""

import hashlib
import json
from pathlib import Path

import polars as pl
import pytest

from benchmarks.reference import ENCODED, KS, SEEDS, count_router, files_hash, reference, shape
from reports.page.reference import reference_section
from reports.reference import COUNTS, GROUP, PATH, read_reference, write_reference
from reports.reference_table import markdown, ours, reported
from routers import ROUTERS
from routers.router import uses_encoder
from sim.runs import router_names, run
from sim.streams import STREAMS, make_stream
from theory import BadInput

AGAIN = "make them anew: python -m benchmarks reference"


@pytest.fixture(scope="module")
def kept():
    return read_reference()


@pytest.fixture(scope="module")
def small():
    return reference(["direct"], range(2))


def test_every_router_has_its_figures_on_every_stream_where_it_is_counted(kept):
    for stream in STREAMS:
        known = {it for it in router_names() if stream in ENCODED or not uses_encoder(it)}
        assert known <= set(kept.counts.filter(stream=stream)["router"]), AGAIN


@pytest.mark.parametrize("stream", STREAMS)
def test_the_figures_are_of_the_streams_as_they_are_made_now(stream, kept):
    hashes = [files_hash(make_stream(stream, seed=seed)) for seed in SEEDS]
    found = hashlib.sha256("".join(hashes).encode()).hexdigest()
    assert kept.provenance["streams"][stream] == found, AGAIN


def test_one_router_delivers_what_the_figures_say(kept):
    frames = [
        frame
        for seed in SEEDS
        for frame in count_router(make_stream("direct", seed=seed), "bm25-text")
    ]
    found = pl.concat(frames).group_by(GROUP, maintain_order=True).agg(pl.col(COUNTS).sum())
    told = kept.counts.filter(pl.col("router").is_in(["bm25-text", "bm25-text+time-filter"]))
    assert found.equals(told.filter(stream="direct")), AGAIN


@pytest.mark.parametrize("router", [name for name in ROUTERS if name != "none"])
def test_the_first_of_ten_deliveries_are_those_of_a_router_asked_for_fewer(router):
    labelled = make_stream("indirect", seed=3, decisions=24)
    found = pl.concat(count_router(labelled, router))
    played = run(labelled, routers=[router], judges=["rules"], ks=KS).measures()
    for row in played.iter_rows(named=True):
        same = pl.col("k").is_null() | (pl.col("k") == row["k"])
        counted = found.filter(
            same, pl.col("watch").eq_missing(row["watch"]), pl.col("router") == router
        ).select(pl.col(COUNTS).sum())
        assert counted["received"].item() == row["delivered"] * row["decisions"]
        assert counted["reached"].item() == row["recall"] * counted["changing"].item()
        assert counted["traps"].item() == row["traps"]


def test_the_shape_of_the_papers_figures_comes_out(kept):
    for figure in shape(kept):
        assert figure.met, figure


def test_time_filters_dropped_nothing_decisive_and_only_take_away(kept):
    counts = kept.counts
    assert counts["dropped"].sum() > 0
    assert counts["wrongly_dropped"].sum() == 0
    filtered = counts.filter(pl.col("router").str.ends_with("+time-filter"))
    plain = filtered.with_columns(pl.col("router").str.strip_suffix("+time-filter")).join(
        counts, on=GROUP, how="left", nulls_equal=True, maintain_order="left"
    )
    assert (plain["received"] + plain["dropped"]).equals(plain["received_right"])
    assert plain["reached"].equals(plain["reached_right"])


def test_the_same_figures_are_the_same_bytes(small, tmp_path):
    again = reference(["direct"], range(2), processes=2)
    for path, figures in ((tmp_path / "a", small), (tmp_path / "b", again)):
        write_reference(figures, path)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    read = read_reference(tmp_path / "a")
    assert read.counts.equals(small.counts)
    assert read.conditions.equals(small.conditions)
    assert read.provenance == small.provenance


def test_the_kept_file_is_what_would_be_written(kept, tmp_path):
    write_reference(kept, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == PATH.read_bytes()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda it: it["counts"]["rows"][7].__setitem__(-1, 99), "sha256"),
        (lambda it: it["conditions"]["rows"].pop(), "sha256"),
        (lambda it: it["counts"]["columns"].reverse(), "counts"),
    ],
)
def test_a_file_that_was_changed_is_refused(small, tmp_path, change, says):
    path = tmp_path / "r.json"
    write_reference(small, path)
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises(BadInput, match=rf"r\.json: {says}"):
        read_reference(path)


def test_the_readme_shows_the_table_as_it_stands(kept):
    readme = Path(__file__).parents[2].joinpath("README.md").read_text(encoding="utf-8")
    table = markdown(kept)
    assert table in readme, f"put this into README.md:\n{table}"


def test_the_section_tells_what_lies_outside_and_why(kept):
    section = reference_section(kept)
    tables = {table.name: table for figure in section.figures for table in figure.tables}
    against = tables["Held against the paper"]
    figures = reported()
    assert len(against.rows) == len(figures)
    for row, figure in zip(against.rows, figures, strict=True):
        low, high = figure.limits
        inside = low <= ours(kept, figure)["share"] <= high
        assert row[-1] == ("inside" if inside else "OUTSIDE")
    outside = [it for row, it in zip(against.rows, figures, strict=True) if row[-1] == "OUTSIDE"]
    assert outside
    says = section.figures[1].says
    assert all(it.why and it.why.split("{")[0] in says for it in outside)
    assert "1,280 of 1,280 decisive notices and 0 of 1,920 traps" in says
    assert {f"Stream {name.upper()}, K = 3" for name in STREAMS} <= set(tables)


def test_the_page_shows_the_papers_figures_in_grey(page, kept):
    assert '<h2 id="reference-title">' in page
    assert '<td class="soft">K = 3: 92.2, K = 1: 71.9, traps 20</td>' in page
    assert f"seeds {min(SEEDS)} to {max(SEEDS)}" in page
