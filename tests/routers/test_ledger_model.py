"""The ledger against a model of plain dictionaries, over random operations from two connections.

The router's scores follow from all that is open, so that any entry too many or too few in its index
shows in what is delivered.
"""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from test_conformance import Rarity

from routers import Ledger
from theory.errors import BadInput

WORDS = ["mill", "quay"]


@dataclass
class Plain:
    """The rules once more: each notice against every entry, nothing kept but what was said."""

    k: int
    now: float = 0.0
    count: int = 0
    forgotten: float = float("-inf")
    entries: dict = field(default_factory=dict)
    notices: dict = field(default_factory=dict)
    received: dict = field(default_factory=dict)

    def state(self, name):
        entry = self.entries[name]
        if entry["closed"]:
            return "closed"
        waits = entry["verdict"] == "switch" and entry["confirm"] and not entry["confirmed"]
        if entry["verdict"] and not waits:
            return "decided"
        if self.now > entry["deadline"]:
            return "expired"
        return "waiting" if waits else "open"

    def outcome(self, name):
        state = self.state(name)
        return {"expired": "keep", "decided": self.entries[name]["verdict"]}.get(state)

    def ranked(self, notice):
        """Who a notice reaches among those that were open when it came in."""
        among = {
            name: entry["words"]
            for name, entry in self.entries.items()
            if entry["decided"] < notice["published"]
            and max(notice["published"], notice["arrived"]) <= entry["deadline"]
            and entry["ended"] > notice["count"]
        }
        scores = {
            name: sum(
                1 / sum(word in other for other in among.values())
                for word in sorted(notice["words"])
                if word in words
            )
            for name, words in among.items()
        }
        best = sorted((-score, name) for name, score in scores.items() if score > 0)
        return [(name, -score) for score, name in best[: self.k]]

    def publish(self, name, published, words):
        self.count += 1
        notice = {
            "published": published,
            "words": words,
            "arrived": self.now,
            "count": self.count,
        }
        reached = self.ranked(notice)
        self.notices[name] = notice
        for entry, score in reached:
            self.received[entry][name] = score
        return [(name, entry, score) for entry, score in reached]

    def open(self, name, decided, deadline, words, confirm):
        self.count += 1
        self.entries[name] = {
            "decided": decided,
            "deadline": deadline,
            "words": words,
            "confirm": confirm,
            "ended": float("inf"),
            "verdict": None,
            "confirmed": False,
            "closed": False,
        }
        self.received[name] = {}
        made = []
        for other, notice in sorted(
            self.notices.items(), key=lambda item: (item[1]["published"], item[0])
        ):
            for entry, score in self.ranked(notice):
                if entry == name:
                    self.received[name][other] = score
                    made.append((other, name, score))
        return made

    def end(self, name):
        self.count += 1
        self.entries[name]["ended"] = min(self.entries[name]["ended"], self.count)

    def forget(self, before):
        waiting = {
            notice
            for name, entry in self.entries.items()
            if entry["deadline"] >= self.now and not entry["closed"]
            for notice in self.received[name]
        }
        gone = {
            name
            for name, notice in self.notices.items()
            if notice["published"] <= before and name not in waiting
        }
        self.notices = {name: it for name, it in self.notices.items() if name not in gone}
        for received in self.received.values():
            for name in gone & received.keys():
                del received[name]
        self.forgotten = max(self.forgotten, before)
        return len(gone)


halves = st.integers(-8, 3).map(lambda number: number / 2)
said = st.sets(st.sampled_from(WORDS), min_size=1)
which = st.sampled_from([0, 1])


class LedgerAgainstModel(RuleBasedStateMachine):
    @initialize(k=st.sampled_from([1, 1, 2]))
    def start(self, k):
        self.folder = tempfile.TemporaryDirectory()
        self.file = Path(self.folder.name, "ledger.db")
        self.model = Plain(k)
        self.documents = {}
        self.ledgers = [self._connect(), self._connect()]

    def _connect(self):
        return Ledger(self.file, router=Rarity(k=self.model.k), clock=lambda: self.model.now)

    def teardown(self):
        if hasattr(self, "folder"):
            for ledger in self.ledgers:
                ledger.disconnect()
            self.folder.cleanup()

    def _entry(self, decided, length, words, confirm):
        name = f"d{len(self.documents):02}"
        return {
            "id": name,
            "decided": self.model.now + decided,
            "deadline": self.model.now + decided + length,
            "options": ["x"],
            "text": " ".join(sorted(words)),
            "confirm": confirm,
        }

    def _notice(self, published, words):
        return {
            "id": f"n{len(self.documents):02}",
            "published": self.model.now + published,
            "text": " ".join(sorted(words)),
        }

    def _is_welcome(self, document):
        if "published" in document:
            return document["published"] > self.model.forgotten
        return (
            document["deadline"] >= self.model.now and document["decided"] >= self.model.forgotten
        )

    def _expect(self, document):
        self.documents[document["id"]] = document
        words = set(document["text"].split())
        if "published" in document:
            return self.model.publish(document["id"], document["published"], words)
        return self.model.open(
            *(document[name] for name in ("id", "decided", "deadline")), words, document["confirm"]
        )

    def _record(self, at, document):
        record = self.ledgers[at].publish if "published" in document else self.ledgers[at].open
        if not self._is_welcome(document):
            with pytest.raises(BadInput):
                record(document)
            return
        found = [tuple(delivery) for delivery in record(document)]
        assert found == self._expect(document)

    @rule(hours=st.sampled_from([1, 1, 2, 4]))
    def time_passes(self, hours):
        self.model.now += hours / 2

    @rule(at=which, decided=halves, length=st.integers(2, 12), words=said, confirm=st.booleans())
    def open(self, at, decided, length, words, confirm):
        self._record(at, self._entry(decided, length, words, confirm))

    @rule(at=which, published=halves, words=said)
    def publish(self, at, published, words):
        self._record(at, self._notice(published, words))

    @rule(at=which, published=st.lists(halves, min_size=1, max_size=4), words=said)
    def publish_many(self, at, published, words):
        notices = []
        for time in published:
            notices.append(
                self._notice(time, words) | {"id": f"m{len(self.documents)}-{len(notices)}"}
            )
        if all(self._is_welcome(notice) for notice in notices):
            found = [tuple(it) for it in self.ledgers[at].publish_many(notices).deliveries]
            assert found == [made for notice in notices for made in self._expect(notice)]
        else:
            with pytest.raises(BadInput):
                self.ledgers[at].publish_many(notices)

    @rule(at=which, opens=st.booleans(), decided=halves, published=halves, words=said)
    def a_batch_fails(self, at, opens, decided, published, words):
        ledger = self.ledgers[at]

        def fail():
            with ledger.batch():
                entry = self._entry(decided, 9, words, confirm=False)
                if opens and self._is_welcome(entry):
                    ledger.open(entry)
                notice = self._notice(published, words)
                if self._is_welcome(notice):
                    ledger.publish(notice)
                for name in self.model.entries:
                    if self.model.state(name) == "open":
                        ledger.close(name)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()

    @precondition(lambda self: self.documents)
    @rule(at=which, data=st.data(), changed=st.booleans())
    def again(self, at, data, changed):
        known = sorted(name for name in self.model.entries | self.model.notices)
        if not known:
            return
        document = self.documents[data.draw(st.sampled_from(known))] | (
            {"tag": 1} if changed else {}
        )
        many = (
            self.ledgers[at].publish_many if "published" in document else self.ledgers[at].open_many
        )
        if changed:
            with pytest.raises(BadInput, match="with other content"):
                many([document])
        else:
            taken = many([document])
            assert ([it.id for it in taken.ignored], taken.deliveries) == ([document["id"]], [])

    @precondition(lambda self: self.model.entries)
    @rule(
        at=which,
        data=st.data(),
        act=st.sampled_from(["keep", "switch", "switch", "confirm", "close", "end_routing"]),
    )
    def settle(self, at, data, act):
        name = data.draw(st.sampled_from(sorted(self.model.entries)))
        ledger, state, entry = self.ledgers[at], self.model.state(name), self.model.entries[name]
        allowed = {"confirm": ["waiting"], "close": ["open", "waiting"]}.get(act, ["open"])
        methods = {
            "confirm": ledger.confirm,
            "close": ledger.close,
            "end_routing": ledger.end_routing,
        }
        settle = methods.get(act, lambda name: ledger.decide(name, {"choice": act}))
        if state not in allowed:
            with pytest.raises(BadInput, match="entry"):
                settle(name)
            return
        settle(name)
        if act == "confirm":
            self.model.count += 1
            entry["confirmed"] = True
        else:
            self.model.end(name)
            entry["closed"] = act == "close"
            entry["verdict"] = act if act in ("keep", "switch") else entry["verdict"]

    @rule(at=which, before=halves)
    def forget(self, at, before):
        until = self.model.now + before
        if until > self.model.now:
            with pytest.raises(BadInput):
                self.ledgers[at].forget(until)
        else:
            assert self.ledgers[at].forget(until) == self.model.forget(until)

    @rule(at=which)
    def restart(self, at):
        self.ledgers[at].disconnect()
        self.ledgers[at] = self._connect()

    @rule(at=which, within=st.integers(0, 4))
    def due(self, at, within):
        now = self.model.now
        expected = sorted(
            (entry["deadline"], name)
            for name, entry in self.model.entries.items()
            if entry["ended"] == float("inf") and now <= entry["deadline"] <= now + within
        )
        found = [(it.entry.deadline, it.entry.id) for it in self.ledgers[at].due(within=within)]
        assert found == expected

    @invariant()
    def tells_what_the_model_tells(self):
        if not hasattr(self, "model"):
            return
        for ledger in self.ledgers:
            told = {it.entry.id: (it.state, it.outcome, it.received) for it in ledger.records()}
            assert told == {
                name: (self.model.state(name), self.model.outcome(name), len(received))
                for name, received in self.model.received.items()
            }
        if self.model.entries:
            name = max(self.model.entries)
            history = self.ledgers[0].history(name)
            expected = sorted(
                (self.model.notices[notice]["published"], notice, score)
                for notice, score in self.model.received[name].items()
            )
            found = [(it.notice.published, it.notice.id, it.score) for it in history.received]
            assert found == expected


LedgerAgainstModel.TestCase.settings = settings(stateful_step_count=50)
test_ledger_against_model = LedgerAgainstModel.TestCase
