import json
import os

import pytest

from sim.streams import (
    STREAMS,
    Labelled,
    make_stream,
    manifest_of,
    read_gold,
    read_labelled,
    read_stream,
    write_stream,
)
from sim.streams.folder import crowding
from theory import BadInput

FILES = ["decisions.jsonl", "gold.jsonl", "manifest.json", "notices.jsonl"]


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path):
    """A user's own stream: two decisions, two notices, ISO times."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"epoch": "2026-01-01T00:00+01:00"}')
    decision = {
        "written": "2026-01-01T08:00Z",
        "verified": "2026-01-01T09:00Z",
        "decided": "2026-01-01T10:00Z",
        "deadline": "2026-01-02T10:00Z",
        "action": "2026-01-03T10:00Z",
        "activity_end": "2026-01-03T12:00Z",
        "outcome": "2026-01-03T12:00Z",
        "options": ["A Hall", "B Hall"],
        "text": "We meet in A Hall.",
        "colour": "green",
    }
    write(folder, "decisions.jsonl", [decision | {"id": "one"}, decision | {"id": "two"}])
    write(
        folder,
        "notices.jsonl",
        [
            {"id": "m", "published": "2026-01-01T12:00Z", "text": "A Hall is closed on 3 January."},
            {"id": "n", "published": "2026-01-01T12:00+00:00", "text": "B Hall is open."},
        ],
    )
    write(
        folder,
        "gold.jsonl",
        [
            {"decision": "two", "label": 0},
            {"decision": "one", "label": 1, "notices": [{"id": "m", "relation": "decisive"}]},
        ],
    )
    return folder


def write(folder, name, documents):
    (folder / name).write_text("".join(f"{json.dumps(document)}\n" for document in documents))


def changed(folder, name, line, **fields):
    """Rewrite one line of a file, counted from 1; a field that is None is left out."""
    lines = [json.loads(each) for each in (folder / name).read_text().splitlines()]
    merged = lines[line - 1] | fields
    lines[line - 1] = {key: value for key, value in merged.items() if value is not None}
    write(folder, name, lines)


@pytest.mark.parametrize("name", STREAMS)
def test_what_is_written_is_read_back_and_written_again_byte_for_byte(name, tmp_path):
    made = make_stream(name, seed=4, decisions=60)
    manifest = write_stream(made, tmp_path / "first")
    read = read_labelled(tmp_path / "first")
    assert read == made
    assert write_stream(read, tmp_path / "second") == manifest == manifest_of(made)
    assert content(tmp_path / "first") == content(tmp_path / "second")
    assert json.loads((tmp_path / "first" / "manifest.json").read_text()) == manifest


def test_one_seed_gives_the_same_bytes_and_another_seed_others(tmp_path):
    for folder, seed in (("a", 7), ("b", 7), ("c", 8)):
        write_stream(make_stream("stress", seed=seed), tmp_path / folder)
    assert content(tmp_path / "a") == content(tmp_path / "b") != content(tmp_path / "c")


def test_the_manifest_says_how_the_stream_was_made_and_how_crowded_it_is(tmp_path):
    made = make_stream("indirect", seed=5)
    manifest = write_stream(made, tmp_path / "s")
    assert manifest["seed"] == 5
    assert manifest["parameters"]["decisions"] == manifest["decisions"] == 128
    assert manifest["epoch"] == "2035-01-01T00:00:00Z"
    decisions, notices = made.stream.decisions, made.stream.notices
    opened = sorted(
        sum(entry.decided < notice.published <= entry.deadline for entry in decisions)
        for notice in notices
    )
    middle = len(opened) // 2
    assert manifest["open_median"] == (opened[middle - 1] + opened[middle]) / 2
    assert manifest["open_median"] >= 30


def test_a_stream_without_notices_has_no_medians(tmp_path):
    made = make_stream("natural", decisions=5, hazard=0.0)
    assert crowding(made.stream) == {"open_median": None, "window_notices_median": None}
    write_stream(made, tmp_path / "s")
    assert read_labelled(tmp_path / "s") == made


def test_public_files_hold_no_gold(tmp_path):
    write_stream(make_stream("indirect"), tmp_path / "s")
    for name in ("decisions.jsonl", "notices.jsonl", "manifest.json"):
        text = (tmp_path / "s" / name).read_text()
        assert not any(word in text for word in ('"label"', '"relation"', "decisive", '"kind": 1'))


def test_a_user_s_own_stream_is_read_in_its_own_times(folder):
    stream, gold = read_labelled(folder)
    assert stream.name == "own"
    assert [entry.decided for entry in stream.decisions] == [11.0, 11.0]
    assert [notice.id for notice in stream.notices] == ["m", "n"]
    assert list(gold.truths) == ["one", "two"]
    assert gold.truths["one"].decisive == ("m",)
    assert stream.timeline.action.tolist() == [59.0, 59.0]


def test_unknown_fields_do_not_reach_the_public_part(folder):
    assert all(entry.extra == {} for entry in read_stream(folder).decisions)


def test_a_user_s_own_stream_is_written_as_it_was_given(folder, tmp_path):
    write_stream(read_labelled(folder), tmp_path / "copy")
    assert (tmp_path / "copy" / "notices.jsonl").read_text() == (
        '{"id":"m","published":"2026-01-01T12:00Z","text":"A Hall is closed on 3 January."}\n'
        '{"id":"n","published":"2026-01-01T12:00+00:00","text":"B Hall is open."}\n'
    )


def test_notices_can_stay_in_their_file(folder):
    lazy, eager = read_stream(folder, lazy=True), read_stream(folder)
    for _ in range(2):
        assert tuple(lazy.notices) == eager.notices
    assert len(lazy.notices) == 2
    assert eager.notices[1] in lazy.notices
    assert "m" not in lazy.notices
    assert read_gold(folder, lazy) == read_gold(folder, eager)


def test_empty_lines_and_a_missing_last_line_feed_are_passed_over(folder):
    path = folder / "notices.jsonl"
    path.write_text("\n" + path.read_text().replace("\n", "\n\n").rstrip())
    assert len(read_stream(folder).notices) == 2


def test_byte_order_marks_and_carriage_returns_are_passed_over(folder):
    expected = read_labelled(folder)
    for name in FILES:
        text = (folder / name).read_bytes()
        (folder / name).write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    assert read_labelled(folder) == expected


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    with pytest.raises(BadInput, match=f"{name} is missing"):
        read_labelled(folder)


def test_a_folder_that_is_none_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"must be a folder with decisions\.jsonl"):
        read_stream(tmp_path / "nowhere")


REFUSED = {
    ("decisions.jsonl", 2, "id"): ({"id": "one"}, "must not be given twice"),
    ("decisions.jsonl", 2, "text"): ({"text": ""}, "must not be empty"),
    ("decisions.jsonl", 1, "action"): ({"action": None}, "must be given"),
    ("decisions.jsonl", 1, "deadline"): (
        {"deadline": "2026-01-01T09:30Z"},
        "must be after decided",
    ),
    ("decisions.jsonl", 1, "verified"): ({"verified": 3.0}, "must be iso"),
    ("decisions.jsonl", 1, "outcome"): ({"outcome": "noon"}, "must be ISO 8601"),
    ("notices.jsonl", 2, "id"): ({"id": "m"}, "must not be given twice"),
    ("notices.jsonl", 2, "published"): ({"published": "2026-01-01T11:59Z"}, "must be at or after"),
    ("notices.jsonl", 1, "text"): ({"text": None}, "must be given"),
    ("gold.jsonl", 1, "decision"): ({"decision": "three"}, "must be the id of a decision"),
    ("gold.jsonl", 2, "decision"): ({"decision": "two"}, "must not be given twice"),
    ("gold.jsonl", 1, "label"): ({"label": 2}, "must be 0 (stand) or 1 (change)"),
    ("gold.jsonl", 1, "kind"): ({"kind": 3}, "must be a text"),
    ("gold.jsonl", 1, "cause"): ({"cause": "luck"}, "must be one of stale, recoverable, late"),
    ("gold.jsonl", 1, "notices"): ({"notices": "m"}, "must be a list"),
    ("gold.jsonl", 2, "facts"): ({"facts": [0]}, "facts(=0) must number one of the 0 lines"),
    ("gold.jsonl", 2, "relation"): (
        {"notices": [{"id": "m", "relation": "friend"}]},
        "must be one of decisive, ended-before",
    ),
    ("gold.jsonl", 2, "notices-id"): (
        {"notices": [{"id": "x", "relation": "decisive"}]},
        "notices(=x) must be ids of notices",
    ),
    ("gold.jsonl", 2, "notices-twice"): (
        {"notices": [{"id": "m", "relation": "decisive"}] * 2},
        "must not name a notice twice",
    ),
}


@pytest.mark.parametrize(("name", "line", "field"), REFUSED)
def test_what_breaks_a_rule_is_refused_with_file_line_and_field(folder, name, line, field):
    fields, rule = REFUSED[name, line, field]
    changed(folder, name, line, **fields)
    with pytest.raises(BadInput) as error:
        read_labelled(folder)
    said = str(error.value)
    assert said.startswith(f"{folder / name}: line {line}: ")
    assert rule in said
    assert f"{field.split('-')[0].removesuffix('s')}" in said


def test_times_of_two_kinds_in_one_file_are_refused(folder):
    changed(folder, "notices.jsonl", 2, published=13.0)
    with pytest.raises(BadInput, match=r"line 2: published.*must be iso, as in"):
        read_stream(folder)


def test_each_file_may_have_its_own_kind_of_times(folder):
    for line in (1, 2):
        changed(folder, "notices.jsonl", line, published=13.0)
    assert [notice.published for notice in read_stream(folder).notices] == [13.0, 13.0]


@pytest.mark.parametrize("name", ["decisions.jsonl", "notices.jsonl", "gold.jsonl"])
def test_a_torn_last_line_is_refused(folder, name):
    path = folder / name
    path.write_text(path.read_text()[:-9])
    with pytest.raises(BadInput, match=f"{name}: line 2: document.*must be JSON"):
        read_labelled(folder)


@pytest.mark.parametrize(
    ("name", "bytes_", "says"),
    [
        ("notices.jsonl", b"\xff\xfe\n", "line 1: line.*must be UTF-8 text"),
        ("notices.jsonl", b"[1]\n", "line 1: document.*must be a JSON object"),
        ("gold.jsonl", b"3\n", "line 1: document.*must be a JSON object"),
        ("gold.jsonl", b'{"label": 1}\n', "line 1: decision.*must be given"),
        ("gold.jsonl", b"", "gold.jsonl: decision.=one. must have a line of gold"),
        ("manifest.json", b"{", "manifest.json: document.*must be JSON"),
        ("manifest.json", b"[]", "manifest.json: document.*must be a JSON object"),
        ("manifest.json", b"{}", "manifest.json: epoch.*must be ISO 8601 with an offset"),
        ("manifest.json", b"\xff", "manifest.json: manifest.*must be UTF-8"),
    ],
)
def test_files_that_are_something_else_are_refused(folder, name, bytes_, says):
    (folder / name).write_bytes(bytes_)
    with pytest.raises(BadInput, match=says):
        read_labelled(folder)


@pytest.mark.parametrize(
    ("name", "line", "fields", "says"),
    [
        ("facts.jsonl", 2, {"rate": -1}, "line 2: rate.=-1. must be a number >= 0"),
        ("facts.jsonl", 1, {"rate": None}, "line 1: rate.*must be given"),
        ("changes.jsonl", 3, {"fact": 10_000}, "line 3: fact.=10000. must number one of the"),
        ("changes.jsonl", 1, {"changed": "soon"}, "line 1: changed.*must be a number"),
        ("changes.jsonl", 1, {"notice": None}, "line 1: notice.*must be given"),
    ],
)
def test_a_log_that_breaks_a_rule_is_refused(tmp_path, name, line, fields, says):
    write_stream(make_stream("natural", decisions=60), tmp_path / "s")
    changed(tmp_path / "s", name, line, **fields)
    with pytest.raises(BadInput, match=f"{name}: {says}"):
        read_labelled(tmp_path / "s")


def test_half_a_log_is_refused(tmp_path):
    write_stream(make_stream("natural", decisions=20), tmp_path / "s")
    (tmp_path / "s" / "facts.jsonl").unlink()
    with pytest.raises(BadInput, match=r"must hold both facts\.jsonl and changes\.jsonl"):
        read_labelled(tmp_path / "s")


@pytest.fixture
def small():
    return make_stream("direct", decisions=3)


def test_an_empty_folder_and_a_stream_are_written_over(tmp_path, small):
    for name in ("natural", "direct"):
        write_stream(make_stream(name, decisions=5), tmp_path / "s")
    assert sorted(content(tmp_path / "s")) == FILES
    (tmp_path / "empty").mkdir()
    write_stream(small, tmp_path / "empty")
    assert sorted(content(tmp_path / "empty")) == FILES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "s"]


@pytest.mark.parametrize("also", [[], FILES])
def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path, small, also):
    folder = tmp_path / "s"
    folder.mkdir()
    for name in ["thesis.tex", *also]:
        (folder / name).write_text("mine")
    before = content(folder)
    with pytest.raises(BadInput, match="must be new, empty or a stream alone"):
        write_stream(small, folder)
    assert content(folder) == before
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_a_file_or_a_folder_nowhere_is_refused(tmp_path, small):
    (tmp_path / "f").write_text("mine")
    with pytest.raises(BadInput, match="must be a folder, not a file"):
        write_stream(small, tmp_path / "f")
    with pytest.raises(BadInput, match="must lie in a folder that exists"):
        write_stream(small, tmp_path / "no" / "where")


def test_a_link_to_a_folder_stays_a_link(tmp_path, small):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_stream(small, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert sorted(content(tmp_path / "real")) == FILES


def test_what_fails_midway_leaves_the_old_stream(tmp_path, small):
    write_stream(small, tmp_path / "s")
    before = content(tmp_path / "s")

    class Torn(tuple):
        def __iter__(self):
            yield self[0]
            raise KeyboardInterrupt

    stream = small.stream
    torn = type(stream)(stream.name, stream.epoch, stream.decisions, Torn(stream.notices))
    with pytest.raises(KeyboardInterrupt):
        write_stream(Labelled(torn, small.gold), tmp_path / "s")
    assert content(tmp_path / "s") == before
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path, small, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(BadInput, match="can be written to"):
        write_stream(small, tmp_path / "s")


def test_a_disk_that_is_full_ends_in_one_error_and_nothing_written(tmp_path, small, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    with pytest.raises(BadInput, match="could not be written: No space left on device"):
        write_stream(small, tmp_path / "s")
    assert list(tmp_path.iterdir()) == []
