"""Who writes a stream's watch conditions, and for which routers."""

from dataclasses import replace

import pytest

from llm import make_watch_writer
from routers.reading.names import likely_names, name_key
from sim.runs import run
from sim.streams import RELATED, make_stream
from sim.watching import OWN, reads_conditions, watched
from theory import BadInput

MADE = make_stream("indirect", seed=2, decisions=32)
FIRST = MADE.stream.decisions[0]
BROUGHT = replace(
    MADE.stream,
    decisions=(replace(FIRST, watch=("Mind the gap.",)), *MADE.stream.decisions[1:]),
)


def written(stream):
    return [list(entry.watch) for entry in stream.decisions]


def test_conditions_are_written_where_a_stream_brings_none():
    found = watched(MADE.stream)
    rules = make_watch_writer("rules")
    assert (found.writer, found.version) == ("rules", rules.version)
    assert written(found.stream) == [rules.write(entry) for entry in MADE.stream.decisions]
    assert found.stream.notices is MADE.stream.notices


def test_what_a_stream_brings_is_kept_unless_a_writer_is_named():
    assert watched(BROUGHT) == (BROUGHT, OWN, None)
    named = watched(BROUGHT, "everything")
    assert (named.writer, written(named.stream)) == (
        "everything",
        written(watched(MADE.stream, "everything").stream),
    )


@pytest.mark.parametrize(
    ("router", "reads"),
    [
        ("bm25-watch", True),
        ("dense-watch-best", True),
        ("bm25-watch+time-filter", True),
        ("bm25-text", False),
        ("name", False),
    ],
)
def test_a_router_over_conditions_says_so_in_its_name(router, reads):
    assert reads_conditions(router) is reads


def test_runs_say_who_wrote_the_conditions_that_a_router_read():
    played = run(MADE, routers=["bm25-text", "bm25-watch"], judges=["rules"], watch="everything")
    assert played.watch == {"writer": "everything", "version": "1"}
    for frame in (played.measures(), played.deliveries):
        pairs = frame.select("router", "watch").unique().rows()
        assert sorted(pairs) == [("bm25-text", None), ("bm25-watch", "everything")]


def test_conditions_reach_news_that_a_text_alone_does_not():
    played = run(MADE, routers=["bm25-text", "bm25-watch"], judges=["rules"]).measures()
    text, watch = played["recall"]
    assert text < 0.8
    assert watch == 1.0


def test_other_routers_are_handed_no_conditions_and_need_none():
    alone = run(MADE, routers=["bm25-dossier"], judges=["rules"])
    beside = run(MADE, routers=["bm25-dossier", "bm25-watch"], judges=["rules"])
    assert alone.watch is None
    assert beside.measures()[:1].equals(alone.measures())


def test_a_writer_that_no_router_would_read_is_refused():
    with pytest.raises(BadInput, match=r"watch\(=rules\) needs a router that reads conditions"):
        run(MADE, routers=["bm25-text"], judges=["rules"], watch="rules")


@pytest.mark.parametrize("name", ["indirect", "stress", "direct"])
def test_conditions_name_what_related_news_is_about_and_nothing_else(name):
    stream, gold = make_stream(name, seed=1)
    texts = {notice.id: name_key(notice.text) for notice in stream.notices}
    for entry in stream.decisions:
        needed = {name_key(word) for word in _names(make_watch_writer("rules").write(entry))}
        for notice, relation in gold.truths[entry.id].notices:
            named = any(_holds(texts[notice], key) for key in needed)
            assert named == (relation in RELATED)


def _names(sentences):
    return [name for sentence in sentences for name in likely_names(sentence)]


def _holds(words, key):
    return any(words[at : at + len(key)] == key for at in range(len(words)))
