"""Entries, notices, verdicts and deliveries: their JSON, what they refuse, their schema."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime
from itertools import pairwise

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routers import Delivery, Entry, Notice, Verdict
from routers.fields import LONGEST_ID, LONGEST_TEXT, dumps, loads, restore
from routers.schema import PUBLISHED, schema
from routers.times import read_epoch, write_time
from theory.errors import BadInput

NUMBERS = {
    "id": "d1",
    "written": -2.5,
    "verified": -1.0,
    "decided": 0.0,
    "deadline": 10.0,
    "action": 12.0,
    "activity_end": 14.0,
    "outcome": 13.0,
    "activity": "a concert",
    "options": ["Harbour Hall", "Old Mill"],
    "chosen": 1,
    "text": "The concert is at the Old Mill.",
    "evidence": ["The mill is open."],
    "background": ["The mill is reached by Line 4."],
    "watch": [],
    "dependencies": ["Line 4"],
    "confirm": True,
}
ISO = NUMBERS | {
    "written": "2026-05-01T08:00+02:00",
    "verified": "2026-05-01T07:00Z",
    "decided": "2026-05-01T08:00:00Z",
    "deadline": "2026-05-01T18:00:00.25Z",
    "action": "2026-05-01T22:00+02:00",
    "activity_end": "2026-05-01T23:30+02:00",
    "outcome": "2026-05-02T00:00+02:00",
}
NOTICE = {"id": "n1", "published": 3.0, "text": "The Old Mill is closed."}


@pytest.mark.parametrize("document", [NUMBERS, ISO], ids=["numbers", "iso"])
def test_an_entry_comes_back_out_as_it_was_given_unknown_fields_too(document):
    unknown = {"tenant": "a", "nested": {"list": [1, None, "ü"]}, "epoch": "mine", "extra": 1}
    given_document = document | unknown
    entry = Entry.from_json(given_document)
    assert entry.to_json() == given_document
    assert entry.extra == unknown
    assert Entry.from_json(json.loads(json.dumps(entry.to_json()))) == entry


def test_values_are_frozen_hashable_and_survive_copies():
    values = [Entry.from_json(ISO), Notice.from_json(NOTICE), Verdict(choice="keep")]
    for value in values:
        with pytest.raises(FrozenInstanceError):
            value.id = "other"
        assert len({value, copy.deepcopy(value), pickle.loads(pickle.dumps(value))}) == 1
    assert pickle.loads(pickle.dumps(values[0])).to_json() == ISO


def test_iso_times_are_hours_from_the_epoch_and_keep_their_spelling():
    epoch = datetime(2026, 5, 1, tzinfo=UTC)
    entry = Entry.from_json(ISO, epoch=epoch)
    assert (entry.written, entry.decided, entry.outcome) == (6.0, 8.0, 22.0)
    assert entry.deadline == 18 + 0.25 / 3600
    assert entry.to_json()["written"] == "2026-05-01T08:00+02:00"
    assert replace(entry, id="d2").to_json() == ISO | {"id": "d2"}


@given(
    st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2200, 1, 1)),
    st.sampled_from(["1970-01-01T00:00Z", "2026-05-04T09:00+02:00"]),
)
def test_computed_times_are_written_to_the_microsecond(moment, epoch):
    start = read_epoch(epoch)
    moment = moment.replace(tzinfo=UTC)
    written = write_time((moment - start).total_seconds() / 3600, "iso", start)
    assert abs((datetime.fromisoformat(written) - moment).total_seconds()) <= 2e-6


def test_what_is_left_out_takes_its_default_and_none_stays_away():
    needed = {name: NUMBERS[name] for name in ("id", "decided", "deadline", "options", "text")}
    entry = Entry.from_json(needed | {"outcome": None})
    assert entry.to_json() == needed | {
        "chosen": 0,
        "evidence": [],
        "background": [],
        "watch": [],
        "dependencies": [],
        "confirm": False,
    }


def test_a_stored_document_is_restored_without_its_checks_to_the_same_value():
    for of, document in ((Entry, NUMBERS), (Entry, ISO | {"tag": 1}), (Notice, NOTICE)):
        value = of.from_json(document)
        assert restore(of, loads(dumps(value.to_json())), epoch=value.epoch) == value


WRONG_ENTRIES = {
    "deadline before decided": ({"deadline": -1.0}, r"deadline\(=-1\) must be after decided\(=0\)"),
    "deadline at decided": ({"deadline": 0.0}, r"deadline\(=0\) must be after decided\(=0\)"),
    "verified after decided": ({"verified": 1.0}, r"decided\(=0\) must be at or after verified"),
    "written after verified": ({"written": 0.5}, r"verified\(=-1\) must be at or after written"),
    "action before deadline": ({"action": 9.0}, r"action\(=9\) must be at or after deadline"),
    "outcome before action": ({"outcome": 11.0}, r"outcome\(=11\) must be at or after action"),
    "activity ends before action": ({"activity_end": 1.0}, "activity_end.* at or after action"),
    "not a time": ({"decided": "soon"}, r"decided\(=soon\) must be ISO 8601 with an offset"),
    "no offset": ({"decided": "2026-05-01T08:00"}, "decided.* must be ISO 8601 with an offset"),
    "mixed kinds": ({"deadline": "2026-05-01T08:00Z"}, "deadline.* must be number, as decided is"),
    "infinite time": ({"deadline": float("inf")}, r"deadline\(=inf\) must be finite"),
    "huge time": ({"deadline": 10**400}, "deadline.* must be finite"),
    "time as a truth value": ({"decided": True}, r"decided\(=True\) must be a number of hours"),
    "missing": ({"deadline": None}, r"deadline\(=None\) must be a number of hours"),
    "empty text": ({"text": ""}, "text.* must not be empty"),
    "blank text": ({"text": " \n\u2003"}, "text.* must not be empty"),
    "text of another type": ({"text": 3}, r"text\(=3\) must be a text"),
    "text of 1 MB": ({"text": "x" * 2**20}, "text.* must be at most 250,000 characters long"),
    "a control in a text": ({"text": "a\x1b[2Jb"}, r"text.* no control character \(U\+001B at 1\)"),
    "NUL in a list": ({"evidence": ["a", "\0"]}, r"evidence\[1\].* no control character"),
    "half a surrogate pair": ({"text": "a\ud800"}, r"text.* \(U\+D800 at 1\)"),
    "list that is a text": ({"watch": "the mill"}, "watch.* must be a list of texts"),
    "no options": ({"options": []}, "options.* must name at least one option"),
    "no such option": ({"chosen": 2}, r"chosen\(=2\) must be < 2, the options"),
    "negative option": ({"chosen": -1}, r"chosen\(=-1\) must be a whole number >= 0"),
    "option as text": ({"chosen": "0"}, "chosen.* must be a whole number"),
    "confirm as text": ({"confirm": "yes"}, "confirm.* must be true or false"),
    "empty id": ({"id": ""}, "id.* must be a text that is not empty"),
    "id as number": ({"id": 7}, r"id\(=7\) must be a text"),
    "long id": ({"id": "x" * (LONGEST_ID + 1)}, "id.* must be at most 200 characters"),
    "id with a line feed": ({"id": "a\nb"}, r"id\(='a\\nb'\) must be printable"),
    "id that turns the line round": ({"id": "a\u202eb"}, r"id\(='a\\u202eb'\) must be printable"),
    "id with a space at its end": ({"id": "a "}, "id.* no space at either end"),
}


BEYOND_SCHEMA = {
    *(name for name in WRONG_ENTRIES if " at " in name or " before " in name or " after " in name),
    *("mixed kinds", "infinite time", "huge time", "half a surrogate pair", "no such option"),
    *("id that turns the line round", "id with a space at its end"),
}
"""What takes more than one field to tell, or more than a pattern."""


@pytest.mark.parametrize(("change", "says"), WRONG_ENTRIES.values(), ids=WRONG_ENTRIES)
def test_a_wrong_entry_is_refused_in_one_line_that_names_the_field(change, says):
    with pytest.raises(BadInput, match=says) as refused:
        Entry.from_json(NUMBERS | change)
    assert "\n" not in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("name", ["id", "decided", "deadline", "options", "text"])
def test_a_missing_field_is_named(name):
    document = {field: value for field, value in NUMBERS.items() if field != name}
    with pytest.raises(BadInput, match=rf"{name}\(=None\) must be given"):
        Entry.from_json(document)


@pytest.mark.parametrize(
    "text",
    [
        "שלום עולם",
        "قلعة مفتوحة",
        "東京タワー\nは閉鎖",
        "हिन्दी\tभाषा",
        "👩‍👩‍👧 café",
        "x" * LONGEST_TEXT,
    ],
)
def test_any_script_and_layout_is_kept_as_it_was(text):
    assert Notice.from_json(NOTICE | {"text": text}).to_json()["text"] == text


@pytest.mark.parametrize("document", [[], "text", 3, None])
def test_a_document_is_an_object(document):
    for of in (Entry, Notice, Verdict, Delivery):
        with pytest.raises(BadInput, match=r"document.* must be a JSON object"):
            of.from_json(document)


def test_what_json_cannot_hold_is_refused():
    for wrong in (float("nan"), float("inf"), {1, 2}, "\ud800"):
        with pytest.raises(BadInput, match=r"document.* must be what JSON can hold"):
            dumps({"x": wrong})
    for wrong in ('{"x": NaN}', '{"x": 1', "[1]", "1" * 5_000, "[" * 100_000):
        with pytest.raises(BadInput, match=r"document.* must be (JSON|a JSON object)"):
            loads(wrong)


def test_extra_cannot_stand_in_for_a_field():
    with pytest.raises(BadInput, match=r"extra\[text\].* must be given as the field"):
        Notice(id="n1", published=1, text="a", extra={"text": "b"})


def test_verdicts_and_deliveries_have_a_json_form_and_refuse_what_they_are_not():
    given_verdict = {"choice": "switch", "reason": "", "tokens": 12, "latency": 0.5, "model": "m"}
    assert Verdict.from_json(given_verdict).to_json() == given_verdict
    assert Verdict(choice="keep").to_json() == {"choice": "keep", "reason": ""}
    given_delivery = {"notice": "n1", "entry": "d1", "score": 2.0}
    assert Delivery.from_json(given_delivery).to_json() == given_delivery
    for wrong in ({"choice": "maybe"}, {"choice": ["keep"]}, {"tokens": -1}, {"latency": "1"}):
        with pytest.raises(BadInput):
            Verdict.from_json({"choice": "keep"} | wrong)
    for wrong in ({"score": 0}, {"score": float("nan")}, {"score": None}, {"entry": None}):
        with pytest.raises(BadInput):
            Delivery.from_json(given_delivery | wrong)


def test_the_published_schema_is_that_of_the_code():
    assert json.loads(PUBLISHED.read_text()) == json.loads(json.dumps(schema())), (
        "run python -m routers.schema > routers/ledger.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(schema())


def _validator(name):
    return jsonschema.Draft202012Validator(schema() | {"$ref": f"#/$defs/{name}"})


OF_SCHEMA = {"entry": Entry, "notice": Notice, "verdict": Verdict, "delivery": Delivery}
SAMPLES = {
    "entry": NUMBERS,
    "notice": NOTICE,
    "verdict": {"choice": "keep", "reason": "so", "tokens": 3, "latency": 0.5},
    "delivery": {"notice": "n1", "entry": "d1", "score": 1.0},
}
JSON_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.floats(-3, 20),
    st.sampled_from(
        ["", " ", "a", "2026-05-01T08:00Z", "2026-05-01T08:00", "a\x00", "keep", "x y"]
    ),
    st.lists(st.sampled_from(["", "a", "b\x1b", 3]), max_size=2),
)


@given(st.data())
def test_what_the_code_accepts_the_schema_accepts_and_the_other_way_round(data):
    name = data.draw(st.sampled_from(sorted(OF_SCHEMA)))
    fields = sorted(SAMPLES[name])
    changed = data.draw(st.dictionaries(st.sampled_from([*fields, "new"]), JSON_VALUES, max_size=2))
    left_out = data.draw(st.sets(st.sampled_from(fields), max_size=1))
    document = {k: v for k, v in (SAMPLES[name] | changed).items() if k not in left_out}
    valid = _validator(name).is_valid(document)
    assert _accepts(OF_SCHEMA[name], document) == (valid and not _is_beyond_schema(document))


def _accepts(of, document):
    try:
        of.from_json(document)
    except BadInput:
        return False
    return True


def _is_beyond_schema(document):
    """What no schema can say: one time against another, and the option against the options."""
    times = [
        time
        for field in ("written", "verified", "decided", "deadline", "action", "outcome")
        if (time := document.get(field)) is not None
    ]
    end, chosen = document.get("activity_end"), document.get("chosen", 0)
    if len({isinstance(time, str) for time in [*times, end] if time is not None}) > 1:
        return True
    return (
        any(earlier > later for earlier, later in pairwise(times))
        or (bool(times) and document["decided"] == document["deadline"])
        or (None not in (end, document.get("action")) and end < document["action"])
        or chosen >= len(document.get("options", "123456789012345678901"))
    )


@pytest.mark.parametrize("name", sorted(set(WRONG_ENTRIES) - BEYOND_SCHEMA))
def test_the_schema_refuses_wrong_entries_too(name):
    assert not _validator("entry").is_valid(NUMBERS | WRONG_ENTRIES[name][0])
