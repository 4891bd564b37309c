"""`bestbefore ledger`: documents in, a table or JSON out, and one line for each thing refused."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.cli.main import run
from reports.json_lines import json_lines
from routers import Ledger

ROOT = Path(__file__).parents[2]
ENTRY = {
    "id": "d1",
    "decided": 0.0,
    "deadline": 10.0,
    "options": ["Old Mill", "Quay"],
    "text": "Meet at the Old Mill",
}
NOTICE = {"id": "n1", "published": 5.0, "text": "The Old Mill is closed"}


@pytest.fixture
def command(tmp_path, monkeypatch, capfd):
    """Run `bestbefore ledger ACT` on a ledger in an empty folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def told(act, *arguments, given=None):
        if given is not None:
            lines = given if isinstance(given, list) else [given]
            text = "".join(it if isinstance(it, str) else json.dumps(it) + "\n" for it in lines)
            encoded = text.encode("utf-8", "surrogateescape")
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(encoded)))
        code = run(["ledger", act, "--db", "a.db", *arguments])
        out, err = capfd.readouterr()
        return code, out, err

    return told


def stored(path="a.db"):
    with Ledger(path) as ledger:
        return {it.entry.id: (it.state, it.received) for it in ledger.records()}


def test_a_decision_its_news_and_its_verdict(command):
    assert command("open", "--router", "name", given=ENTRY) == (
        0,
        "notice            entry             score\n-                 d1                recorded\n",
        "",
    )
    code, out, _ = command("publish", given=[NOTICE, NOTICE | {"id": "n2", "text": "other"}])
    assert (code, out.splitlines()[1:]) == (
        0,
        [
            "n1                d1                1",
            "n2                -                 reaches no open entry",
        ],
    )
    code, out, _ = command("due", "--within", "5h")
    assert (code, out.splitlines()) == (
        0,
        [
            "entry  deadline  notices  text",
            "d1     10        1        Meet at the Old Mill",
            "       5         n1       The Old Mill is closed",
        ],
    )
    code, out, _ = command("decide", given={"entry": "d1", "choice": "switch", "reason": "closed"})
    assert (code, out.splitlines()[1].split()) == (0, ["d1", "decided", "switch"])
    code, out, _ = command("list")
    assert out.splitlines()[1].split()[:5] == ["d1", "decided", "switch", "10", "1"]
    code, out, _ = command("show", "d1")
    assert code == 0
    for line in ("options        Quay", "verdict: reason  closed", "answered       5", "n1  "):
        assert line.split() in [it.split()[: len(line.split())] for it in out.splitlines()], line


def test_json_is_one_document(command):
    def told(*arguments, given=None):
        code, out, err = command(*arguments, "--json", given=given)
        assert (code, err) == (0, "")
        return json.loads(out)

    late = NOTICE | {"id": "n0", "published": 4.0}
    assert told("publish", "--router", "name", given=late) == {"deliveries": [], "ignored": []}
    assert told("open", given=[ENTRY | {"tag": 1}, ENTRY | {"tag": 1}]) == {
        "opened": ["d1"],
        "deliveries": [{"notice": "n0", "entry": "d1", "score": 1.0}],
        "ignored": [{"entry": "d1", "why": "recorded before, with the same content"}],
    }
    assert told("publish", given=[NOTICE, NOTICE]) == {
        "deliveries": [{"notice": "n1", "entry": "d1", "score": 1.0}],
        "ignored": [{"notice": "n1", "why": "recorded before, with the same content"}],
    }
    due = told("due", "--within", "5h")
    assert due[0]["entry"].items() >= (ENTRY | {"tag": 1}).items()
    assert [it["notice"] for it in due[0]["notices"]] == [late, NOTICE]
    assert told("show", "d1") == due[0]
    assert told("list") == [{k: v for k, v in due[0].items() if k != "notices"}]
    assert told("list", "--state", "closed", "--state", "expired") == []
    assert told("close", "d1") == [{"entry": "d1", "state": "closed", "outcome": None}]


def test_a_switch_that_needs_a_word_is_confirmed_by_id(command):
    command(
        "open", "--router", "name", given=[ENTRY | {"id": f"d{i}", "confirm": True} for i in (1, 2)]
    )
    for i in (1, 2):
        code, out, _ = command("decide", given={"entry": f"d{i}", "choice": "switch"})
        assert out.splitlines()[1].split() == [f"d{i}", "waiting", "-"]
    code, out, err = command("confirm", "d1", "d3", "d2", "--json")
    assert code == 2
    assert [it["outcome"] for it in json.loads(out)] == ["switch", "switch"]
    assert err == "bestbefore: entry(=d3) must be the id of an entry in this ledger\n"


def test_iso_times_and_what_time_it_is(command):
    iso = ENTRY | {"decided": "2026-05-04T09:00+02:00", "deadline": "2026-05-04T18:00+02:00"}
    assert command("open", "--now", "2026-05-04T08:00Z", given=iso)[0] == 0
    code, _, err = command("open", given=iso | {"id": "d2"})
    assert code == 2
    assert "deadline(=2026-05-04T18:00+02:00) must not be past: it is" in err
    code, out, _ = command("due", "--now", "2026-05-04T15:30Z")
    assert out.splitlines()[1].split()[:2] == ["d1", "2026-05-04T18:00+02:00"]
    assert command("due", "--now", "2026-05-04T14:30Z")[1] == ""
    assert command("due", "--now", "2026-05-04T14:30Z", "--json")[1] == "[]\n"
    code, out, _ = command("list", "--now", "2026-05-04T16:00:01Z")
    assert out.splitlines()[1].split()[:3] == ["d1", "expired", "keep"]
    for now, says in (("5", "must be ISO 8601, as this"), ("noon", "must be ISO 8601 with an")):
        code, _, err = command("list", "--now", now)
        assert (code, len(err.splitlines())) == (2, 1)
        assert f"--now(={now}) {says}" in err


def test_router_k_and_epoch_are_chosen_where_a_ledger_begins(command):
    options = ["--router", "broadcast", "-k", "2", "--epoch", "2026-01-01T00:00Z"]
    assert command("open", *options, given=ENTRY)[0] == 0
    assert command("publish", given=NOTICE | {"text": "anything"})[1].count("d1") == 1
    code, _, err = command("publish", "--router", "name", given=NOTICE)
    assert (code, len(err.splitlines())) == (2, 1)
    assert "router(=name) must be broadcast, with which this ledger was made" in err
    code, _, err = command("open", "--router", "psychic", given=ENTRY)
    assert "router(=psychic) must be one of none, broadcast, name" in err


BAD_LINES = {
    "truncated": ('{"id": "n2", "publ\n', r"document(={\"id\": \"n2\", \"publ) must be JSON"),
    "not an object": ("[1, 2]\n", "document(=[1, 2]) must be a JSON object"),
    "not JSON": ("closed!\n", "document(=closed!) must be JSON"),
    "not UTF-8": ('{"id": "n\udcff"}\n', "must be UTF-8"),
    "a number that JSON lacks": ('{"id": NaN}\n', "must be JSON (NaN is no JSON number)"),
    "nested too deeply": ("[" * 100_000 + "\n", "must be JSON (nested too deeply)"),
    "missing field": ({"id": "n2", "published": 5}, "text(=None) must be given"),
    "empty text": (NOTICE | {"id": "n2", "text": " "}, "text(=) must not be empty"),
    "1 MB of text": (NOTICE | {"id": "n2", "text": "x" * 2**20}, "at most 250,000 characters"),
    "control character": (NOTICE | {"id": "n2", "text": "\x1b[2J"}, r"text(=\x1b[2J) must hold no"),
    "wrong time": (NOTICE | {"id": "n2", "published": "noon"}, "published(=noon) must be ISO 8601"),
    "other kind of time": (
        NOTICE | {"id": "n2", "published": "2026-05-04T09:00Z"},
        "must be hours, as this ledger's times are",
    ),
    "known id, other content": (NOTICE | {"text": "other"}, "id(=n1) must be new"),
    "steering id": (NOTICE | {"id": "n\u202e2"}, r"id(='n\u202e2') must be printable"),
}


@pytest.mark.parametrize(("line", "says"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_named_and_changes_nothing_and_the_good_ones_stay(command, line, says):
    command("open", given=ENTRY)
    command("publish", given=NOTICE)
    good = [NOTICE | {"id": f"n{number}"} for number in (8, 9)]
    code, out, err = command("publish", "--json", given=[good[0], line, "\n", good[1]])
    assert code == 2
    assert [it["notice"] for it in json.loads(out)["deliveries"]] == ["n8", "n9"]
    assert err.startswith("bestbefore: standard input: line 2: ")
    assert says.replace('\\"', '"') in err
    assert (len(err.splitlines()), err.strip().isprintable()) == (1, True)
    assert stored() == {"d1": ("open", 3)}


BAD_ENTRIES = {
    "times out of order": ({"deadline": -1.0}, "deadline(=-1) must be after decided(=0)"),
    "deadline past": ({"deadline": 4.0}, "deadline(=4) must not be past: it is 5 now"),
    "same id, other content": ({"id": "d1", "text": "other"}, "id(=d1) must be new"),
    "no such option": ({"chosen": 2}, "chosen(=2) must be < 2, the options"),
}


@pytest.mark.parametrize(("change", "says"), BAD_ENTRIES.values(), ids=BAD_ENTRIES)
def test_a_bad_entry_is_named(command, change, says):
    command("open", given=ENTRY)
    command("publish", given=NOTICE)
    code, _, err = command("open", given=ENTRY | {"id": "d2"} | change)
    assert (code, err.count(says), len(err.splitlines())) == (2, 1, 1)
    assert stored() == {"d1": ("open", 1)}


BAD_VERDICTS = {
    "unknown id": ({"entry": "d9", "choice": "keep"}, "entry(=d9) must be the id of an entry"),
    "no id": ({"choice": "keep"}, "entry(=None) must be given"),
    "no choice": ({"entry": "d1"}, "choice(=None) must be given"),
    "no such choice": ({"entry": "d1", "choice": "wait"}, "choice(=wait) must be keep or switch"),
    "twice": ({"entry": "d2", "choice": "keep"}, "it was decided (keep) at 11"),
    "too late": ({"entry": "d3", "choice": "keep"}, "it expired to keep at its deadline 10, it is"),
}


@pytest.mark.parametrize(("verdict", "says"), BAD_VERDICTS.values(), ids=BAD_VERDICTS)
def test_a_bad_verdict_is_named(command, verdict, says):
    command("open", given=[ENTRY | {"id": "d1", "deadline": 12.0}, ENTRY | {"id": "d3"}])
    command("open", given=ENTRY | {"id": "d2", "deadline": 12.0})
    command("publish", given=NOTICE | {"published": 11.0})
    command("decide", given={"entry": "d2", "choice": "keep"})
    before = stored()
    code, _, err = command("decide", given=verdict)
    assert (code, err.count(says), len(err.splitlines())) == (2, 1, 1)
    assert stored() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["due"],
        ["show", "d1"],
        ["close", "d1"],
        ["confirm", "d1"],
        ["decide"],
        ["due", "--within", "soon"],
        ["list", "--state", "lost"],
        ["publish", "nowhere.jsonl"],
        ["publish", "."],
        ["open", "-k", "0"],
        ["open", "-k", str(2**63)],
        ["open", "--epoch", "soon"],
        ["open", "--now", "noon"],
        ["confirm"],
        ["show"],
    ],
)
def test_what_cannot_be_done_is_one_line_and_makes_no_file(command, arguments, tmp_path):
    code, out, err = command(*arguments, given=ENTRY)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_ledger_ends_the_command_at_once(command, tmp_path):
    (tmp_path / "a.db").write_text("not a database\n" * 100)
    code, out, err = command("publish", given=[NOTICE] * 3)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert "db(=a.db) must be a ledger: this file is not a database" in err


def test_a_ledger_that_fails_half_way_ends_at_that_line(command, monkeypatch):
    monkeypatch.setattr("routers.database.PATIENCE", 0.05)
    command("open", given=ENTRY)
    with Ledger("a.db") as other, other.batch():
        code, out, err = command("publish", "--json", given=[NOTICE] * 3)
    assert (code, json.loads(out)["deliveries"]) == (2, [])
    assert err.splitlines() == [
        "bestbefore: standard input: line 1: db(=a.db) must be free: "
        "another process has held it locked for too long"
    ]


def test_an_interrupt_keeps_what_was_shown(command, monkeypatch):
    def interrupted(stream):
        yield 1, stream.readline()
        raise KeyboardInterrupt

    monkeypatch.setattr("reports.cli.ledger.json_lines", interrupted)
    code, out, err = command("publish", given=[NOTICE, NOTICE | {"id": "n2"}])
    assert (code, len(out.splitlines())) == (130, 2)
    assert err == "bestbefore: interrupted; what was shown is kept\n"


def test_a_feed_is_followed_line_by_line(tmp_path):
    """Each line is acknowledged before the next one is there."""
    arguments = ["ledger", "publish", "--db", str(tmp_path / "a.db")]
    process = subprocess.Popen(
        [sys.executable, "-c", "from reports.cli.main import main; main()", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    with process:
        for number in range(3):
            process.stdin.write(json.dumps(NOTICE | {"id": f"n{number}"}) + "\n")
            process.stdin.flush()
            if number == 0:
                process.stdout.readline()
            assert process.stdout.readline().split()[0] == f"n{number}"
        process.stdin.close()
    assert process.returncode == 0


def test_tables_show_texts_on_one_line_that_nothing_steers(command):
    text = "line one\nline\ttwo \u202eevil " + "long " * 50
    command("open", given=ENTRY | {"text": text})
    _, out, _ = command("list")
    assert len(out.splitlines()) == 2
    row = out.splitlines()[1]
    assert "line one line two evil long" in row
    assert row.isprintable()
    assert row.endswith("...")
    shown = json.loads(command("show", "d1", "--json")[1])
    assert shown["entry"]["text"] == text, "and JSON gives them as they were"


@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers()), min_size=1), st.data())
def test_json_lines_are_numbered_as_they_stand(documents, data):
    lines = []
    for document in documents:
        lines += [b"\n"] * data.draw(st.integers(0, 2))
        lines.append(json.dumps(document).encode() + b"\n")
    text = data.draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + b"".join(lines)
    expected = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    found = list(json_lines(io.BytesIO(text)))
    assert [(number, json.loads(line)) for number, line in found] == [
        (number, json.loads(line)) for number, line in expected
    ]


def test_one_object_may_span_lines_and_a_torn_first_line_hides_no_other():
    document = {"a": [1, {"b": 2}], "c": 3}
    for text in (json.dumps(document, indent=1), '{"a": [1, {"b": 2}],\n "c": 3}\n\n'):
        assert [
            (number, json.loads(line)) for number, line in json_lines(io.BytesIO(text.encode()))
        ] == [(1, document)]
    torn = b'{"a": 1,\n{"a": 2}\n\n{"a": 3}\n'
    assert list(json_lines(io.BytesIO(torn))) == [
        (1, b'{"a": 1,\n'),
        (2, b'{"a": 2}\n'),
        (4, b'{"a": 3}\n'),
    ]
    assert list(json_lines(io.BytesIO(b"\n \n"))) == []
