"""Decisions told one by one."""

import base64
import json
import re
import zlib
from dataclasses import replace

import polars as pl
import pytest
from read_page import Reader

from reports import build_page
from reports.cli.main import run
from reports.stories import MOST, tell
from reports.study_run import run_study
from sim.streams import make_stream
from sim.study import Study
from theory import BadInput


@pytest.fixture(scope="module")
def saved():
    study = Study(
        ["direct", "indirect"],
        ["none", "bm25-text", "bm25-watch", "broadcast", "related"],
        ["rules", "weak"],
        ks=[1, 3],
        seeds=[3],
    )
    return run_study(study, command="x", name="test").saved


@pytest.fixture(scope="module")
def stories(saved):
    return tell(saved)


@pytest.fixture(scope="module")
def page(saved, stories, provenance):
    return build_page([], fit=None, stories=stories, provenance=provenance)


def test_every_decision_of_indirect_is_told(stories):
    assert stories.stream == "indirect"
    assert stories.k == 3
    assert len(stories.told) == stories.decisions == 128
    assert stories.routers == ["bm25-text", "bm25-watch", "related"]


def test_a_story_holds_the_run_s_deliveries_and_judgments(saved, stories):
    stream, gold = make_stream("indirect", seed=3)
    run_ = saved.run
    only = (pl.col("stream") == "indirect", pl.col("k") == 3)
    for story in stories.told[:20]:
        mine = (*only, pl.col("decision") == story.entry.id)
        rows = run_.deliveries.filter(*mine, pl.col("router") == "bm25-text")
        scores = {
            news.id: news.scores["bm25-text"] for news in story.news if "bm25-text" in news.scores
        }
        assert scores == dict(rows.select("notice", "score").rows())
        truth = gold.truths[story.entry.id]
        assert story.label == truth.label
        relations = {news.id: news.relation for news in story.news if news.relation}
        assert relations == {concern.notice: concern.relation for concern in truth.notices}
        assert len(story.judgments) == 10
        right = run_.decisions.filter(mine).select("right").sum().item()
        assert sum(judgment.right for judgment in story.judgments) == right
        inside = sum(
            story.entry.decided < notice.published <= story.entry.deadline
            for notice in stream.notices
        )
        told = sum(
            story.entry.decided < news.published <= story.entry.deadline for news in story.news
        )
        assert story.others == inside - told
        assert story.entry.watch  # written again by the run's writer


def test_simulated_judges_and_oracles_are_marked(stories):
    judges = {judgment.judge for story in stories.told for judgment in story.judgments}
    assert judges == {"rules", "weak (simulated)"}
    routers = {judgment.router for story in stories.told for judgment in story.judgments}
    assert "related (gold)" in routers
    assert "related" not in routers


def test_the_first_story_is_on_the_page_and_all_are_packed(page, stories):
    text = Reader(page).texts["story"]
    packed = re.search(r'<script type="text/plain" id="stories">(.*?)</script>', page)[1]
    pages = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert list(pages) == [story.entry.id for story in stories.told]
    for story in stories.told[:10]:
        assert f"<h3>{story.entry.id}</h3>" in pages[story.entry.id]
    first = re.search(r'value="(.*?)"', page[page.index('id="story-id"') :])[1]
    told = next(story for story in stories.told if story.entry.id == first)
    assert told.label == 1
    assert told.entry.background[0] in text
    assert any(not judgment.right for judgment in told.judgments)


def test_of_many_decisions_a_sample_is_told_and_those_asked_for():
    study = Study(["direct"], ["none"], ["rules"])
    made = make_stream("direct", seed=0, decisions=300, open_decisions=20)
    from sim.runs import run as play
    from sim.streams import manifest_of

    told = {"stream": "direct", "seed": 0, "sha256": manifest_of(made)["sha256"]}
    few = run_study(study, command="x", name="x").saved
    many = replace(
        few,
        run=play(made, routers=["none"], judges=["rules"]),
        manifest={**few.manifest, "streams": [{**told, "made": manifest_of(made)}]},
    )
    sample = tell(many)
    assert len(sample.told) == MOST
    ids = [story.entry.id for story in sample.told]
    assert ids == [story.entry.id for story in tell(many).told]
    assert ids != [story.entry.id for story in tell(many, seed=1).told]
    absent = next(e.id for e in made.stream.decisions if e.id not in ids)
    assert absent in [story.entry.id for story in tell(many, also=[absent]).told]
    with pytest.raises(BadInput, match="must be the id of a decision"):
        tell(many, also=["d9999"])


def test_a_stream_whose_texts_are_not_at_hand_is_not_told(saved, provenance):
    streams = [
        {**told, "sha256": {**told["sha256"], "notices.jsonl": "0"}}
        for told in saved.manifest["streams"]
    ]
    other = replace(saved, manifest={**saved.manifest, "streams": streams})
    assert tell(other) == "the texts of the stream indirect are not at hand"
    page = build_page([], fit=None, stories=tell(other), provenance=provenance)
    assert (
        "Not told: the texts of the stream indirect are not at hand." in Reader(page).texts["story"]
    )


def test_texts_cannot_become_markup(saved, stories, provenance):
    evil = "</script><img src=x onerror=alert(1)>"
    story = replace(stories.told[0], entry=replace(stories.told[0].entry, text=evil))
    page = build_page(
        [], fit=None, stories=stories._replace(told=[story], decisions=1), provenance=provenance
    )
    assert not [tag for tag, _ in Reader(page).tags if tag == "img"]


def test_an_unknown_story_is_one_line_before_any_page(run_folder, monkeypatch, tmp_path, capsys):
    from sim import verification

    monkeypatch.setattr(verification, "CLAIMS", {})
    output = tmp_path / "report.html"
    assert run(["report", str(run_folder), "--story", "nobody", "-o", str(output)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "story(=nobody) must be the id of a decision" in error
    assert not output.exists()
