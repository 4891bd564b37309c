"""The compiled index and the plain one: the same figures, bit for bit, and memory that stays."""

import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from routers import bm25_index
from routers.bm25_formula import Saturation, checked, idf
from routers.bm25_index import CompiledIndex
from routers.bm25_reference import ReferenceIndex
from routers.ranking import best
from theory.errors import BadInput

ROOT = Path(__file__).parents[2]
LUCENE = Saturation()

words = st.lists(st.sampled_from("abcdefgh") | st.text(min_size=1, max_size=2), max_size=12)
names = st.text(st.sampled_from("xyz"), min_size=1, max_size=3)
saturations = st.builds(
    checked,
    st.just(1.2) | st.floats(0, 10),
    st.just(0.75) | st.sampled_from([0, 1]) | st.floats(0, 1),
)


def top(scores, k):
    return best("n", scores, k)


def with_ties(scores, k):
    """The `k` highest scores, and all that equal the last of them."""
    lowest = sorted(scores.values())[-k] if len(scores) >= k else 0
    return {entry: score for entry, score in scores.items() if score >= lowest}


class Histories(RuleBasedStateMachine):
    """Whatever opens and closes, both answer every notice alike, and as the formula says."""

    @initialize(
        saturation=saturations,
        spare=st.sampled_from([1, 512]),
        block=st.sampled_from([1, 2, 3, 2_048]),
    )
    def start(self, saturation, spare, block):
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(bm25_index, "_SPARE", spare)
        self.patch.setattr(bm25_index, "_BLOCK", block)
        self.saturation = saturation
        self.indexes = CompiledIndex(saturation), ReferenceIndex(saturation)
        self.open = {}

    def teardown(self):
        if hasattr(self, "patch"):
            self.patch.undo()

    @rule(entry=names, words=words)
    def add(self, entry, words):
        if entry not in self.open:
            self.open[entry] = words
            for index in self.indexes:
                index.add(entry, words)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def remove(self, data):
        entry = data.draw(st.sampled_from(sorted(self.open)))
        del self.open[entry]
        for index in self.indexes:
            index.remove(entry)

    @rule(notice=words, k=st.integers(1, 4))
    def ask(self, notice, k):
        compiled, plain = (index.scores(notice, k) for index in self.indexes)
        assert top(compiled, k) == top(plain, k)
        expected = by_the_formula(self.open, notice, self.saturation)
        assert plain == pytest.approx(expected, rel=1e-12)
        assert compiled == with_ties(plain, k)

    @invariant()
    def counts(self):
        if hasattr(self, "open"):
            compiled = self.indexes[0]
            assert list(compiled._slots) == list(self.open)
            assert compiled._tokens == sum(map(len, self.open.values()))


TestHistories = Histories.TestCase


def by_the_formula(entries, notice, saturation):
    """The scores from the texts themselves, summed exactly."""
    k1, b = saturation
    average = sum(map(len, entries.values())) / max(len(entries), 1)
    scores = {}
    for entry, words in entries.items():
        parts = [0.0]
        for word in notice:
            if word in words:
                holders = sum(word in others for others in entries.values())
                tf = words.count(word)
                norm = k1 * (1 - b + b * len(words) / average)
                weight = math.log(1 + (len(entries) - holders + 0.5) / (holders + 0.5))
                parts.append(weight * tf / (tf + norm))
        if len(parts) > 1:
            scores[entry] = math.fsum(parts)
    return scores


def zipf_words(rng, shape, vocabulary=3_000):
    chance = 1 / np.arange(1, vocabulary + 1)
    picked = rng.choice(vocabulary, size=shape, p=chance / chance.sum())
    return [[f"w{word}" for word in row] for row in picked.tolist()]


def test_both_agree_bit_for_bit_over_several_blocks_of_entries(full):
    """Thousands of entries of uneven length, as many closed among them, and notices of any kind."""
    rng = np.random.default_rng(0)
    count = 20_000 if full else 5_000
    assert count > 2 * bm25_index._BLOCK
    texts = [text[: rng.integers(0, 31)] for text in zipf_words(rng, (2 * count, 30))]
    notices = [text[: rng.integers(0, 26)] for text in zipf_words(rng, (200, 25))]
    indexes = CompiledIndex(LUCENE), ReferenceIndex(LUCENE)
    open_now = []
    for number, text in enumerate(texts):
        for index in indexes:
            index.add(f"e{number}", text)
        open_now.append(f"e{number}")
        if len(open_now) > count:
            gone = open_now.pop(rng.integers(len(open_now)))
            for index in indexes:
                index.remove(gone)
        at, between = divmod(number, len(texts) // len(notices))
        if between == 0:
            notice, k = notices[at], [1, 7, 300, 10**12][at % 4]
            made = [top(index.scores(notice, k), k) for index in indexes]
            assert made[0] == made[1]


@pytest.mark.parametrize("block", [1, 2, 5, 16])
def test_the_words_that_a_search_leaves_out_change_no_bit_and_no_winner(block, monkeypatch, full):
    """Words by Zipf's law in small blocks: nearly every search leaves some out and looks again."""
    monkeypatch.setattr(bm25_index, "_BLOCK", block)
    rng = np.random.default_rng(block)
    for _ in range(100 if full else 10):
        saturation = checked(float(rng.choice([0, 1.2, 5])), float(rng.choice([0, 0.75, 1])))
        indexes = CompiledIndex(saturation), ReferenceIndex(saturation)
        texts, notices = (zipf_words(rng, (80, 12), int(rng.integers(5, 60))) for _ in range(2))
        open_now = []
        for number, (text, notice) in enumerate(zip(texts, notices, strict=True)):
            text = text[: rng.integers(13)]
            open_now.append(f"e{number}")
            gone = open_now.pop(rng.integers(len(open_now))) if rng.random() < 0.4 else None
            for index in indexes:
                index.add(f"e{number}", text)
                if gone is not None:
                    index.remove(gone)
            for k in (1, 3):
                compiled, plain = (index.scores(notice, k) for index in indexes)
                assert compiled == with_ties(plain, k)


@given(saturation=saturations, seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_both_agree_with_bm25s_on_a_static_set(saturation, seed):
    """An outside witness: the same scores for every entry, to its doubles' precision."""
    rng = np.random.default_rng(seed)
    texts = [text[: rng.integers(1, 40)] for text in zipf_words(rng, (300, 40), 200)]
    witness = bm25s.BM25(method="lucene", k1=saturation.k1, b=saturation.b, dtype="float64")
    witness.index(texts, show_progress=False)
    indexes = CompiledIndex(saturation), ReferenceIndex(saturation)
    for number, text in enumerate(texts):
        for index in indexes:
            index.add(f"e{number}", text)
    for notice in zipf_words(rng, (5, 25), 250):
        known = [word for word in notice if any(word in text for text in texts)]
        expected = witness.get_scores(known)
        for index in indexes:
            scores = index.scores(notice, len(texts))
            found = [scores.get(f"e{number}", 0.0) for number in range(len(texts))]
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_witness_would_notice_another_k1():
    texts = zipf_words(np.random.default_rng(0), (50, 20), 60)
    witness = bm25s.BM25(method="lucene", k1=1.3, b=0.75, dtype="float64")
    witness.index(texts, show_progress=False)
    index = CompiledIndex(LUCENE)
    for number, text in enumerate(texts):
        index.add(str(number), text)
    scores = index.scores(["w0"], 50)
    assert list(scores.values()) != pytest.approx(
        witness.get_scores(["w0"])[list(map(int, scores))]
    )


def test_a_score_by_hand():
    """Two of three entries hold "quay", one of them twice; lengths 2, 4 and 3, on average 3."""
    for index in (CompiledIndex(LUCENE), ReferenceIndex(LUCENE)):
        index.add("a", ["old", "quay"])
        index.add("b", ["quay", "quay", "by", "night"])
        index.add("c", ["the", "old", "mill"])
        weight = math.log(1 + 1.5 / 2.5)
        assert index.scores(["quay"], 3) == pytest.approx(
            {
                "a": weight * 1 / (1 + 1.2 * (0.25 + 0.75 * 2 / 3)),
                "b": weight * 2 / (2 + 1.2 * (0.25 + 0.75 * 4 / 3)),
            }
        )
        assert index.scores(["quay", "quay"], 3) == {
            entry: 2 * score for entry, score in index.scores(["quay"], 3).items()
        }


@given(entries=st.integers(1, 10**9), data=st.data())
def test_a_word_weighs_more_than_nothing_and_less_the_more_entries_hold_it(entries, data):
    holders = data.draw(st.integers(1, entries))
    assert idf(entries, holders) > 0
    assert idf(entries, holders) == pytest.approx(
        math.log1p((entries - holders + 0.5) / (holders + 0.5)), rel=1e-9, abs=1e-14
    )
    if holders > 1:
        assert idf(entries, holders) < idf(entries, holders - 1)


@pytest.mark.parametrize("many", [5, 3 * bm25_index._BLOCK])
def test_all_that_equal_the_last_of_the_best_are_given(many):
    indexes = CompiledIndex(LUCENE), ReferenceIndex(LUCENE)
    for index in indexes:
        for number in range(many):
            index.add(f"e{number}", ["old", "mill"])
        index.add("best", ["old", "quay"])
        index.add("other", ["new", "quay"])
    compiled, plain = (index.scores(["old", "quay"], 3) for index in indexes)
    assert len(compiled) == many + 2
    assert compiled == plain
    assert [made.entry for made in top(compiled, 3)] == ["best", "other", "e0"]
    assert len(indexes[0].scores(["old", "quay"], 2)) == 2


def test_a_word_of_closed_entries_alone_reaches_nothing():
    index = CompiledIndex(LUCENE)
    index.add("a", ["quay"])
    index.add("empty", [])
    index.remove("a")
    assert index.scores(["quay"], 3) == {}
    index.add("b", ["mill"])
    assert index.scores(["quay"], 3) == {}


def test_a_word_may_stand_in_an_entry_a_hundred_thousand_times():
    compiled, plain = CompiledIndex(LUCENE), ReferenceIndex(LUCENE)
    for index in (compiled, plain):
        index.add("long", ["quay"] * 100_000)
        index.add("short", ["quay"])
    assert compiled.scores(["quay"], 3) == plain.scores(["quay"], 3)


def footprint(index):
    """Bytes of all arrays, and the sizes of all tables."""
    held = vars(index).values()
    arrays = sum(it.nbytes for it in held if isinstance(it, np.ndarray))
    return arrays, sum(len(it) for it in held if isinstance(it, dict | list))


def pass_through(index, start, count, standing=1_000):
    """Open and close `count` entries, each with words of its own, `standing` of them ever open."""
    for number in range(start, start + count):
        index.add(f"e{number}", ["the", "common", *map(str, range(number, number + 4))])
        if number >= standing:
            index.remove(f"e{number - standing}")


def test_memory_follows_the_open_set_and_not_what_passed_through(full):
    """1,000,000 opens and closes (a tenth by default) at 1,000 open, every one with new words."""
    index, step = CompiledIndex(LUCENE), 100_000 if full else 10_000
    sizes = []
    for start in range(0, 10 * step, step):
        pass_through(index, start, step)
        sizes.append(footprint(index))
    assert max(arrays for arrays, _ in sizes) < 700_000
    assert max(tables for _, tables in sizes) < 14_000


def test_the_same_history_without_repacking_grows(monkeypatch):
    monkeypatch.setattr(bm25_index, "_SPARE", 10**6)
    index = CompiledIndex(LUCENE)
    pass_through(index, 0, 20_000)
    assert footprint(index)[1] > 28_000


def test_memory_shrinks_with_the_open_set():
    index = CompiledIndex(LUCENE)
    for number in range(20_000):
        index.add(f"e{number}", ["the", "common", str(number), str(number + 1)])
    large = footprint(index)
    for number in range(19_500):
        index.remove(f"e{number}")
    small = footprint(index)
    assert small[0] < large[0] / 10
    assert small[1] < large[1] / 10
    assert list(index.scores(["19999"], 3)) == ["e19998", "e19999"]


@pytest.mark.parametrize(
    ("k1", "b", "field"),
    [(-1, 0.5, "k1"), (math.inf, 0.5, "k1"), (1, 1.1, "b"), (1, math.nan, "b")],
)
def test_parameters_out_of_range_are_refused(k1, b, field):
    with pytest.raises(BadInput, match=rf"^{field}\("):
        checked(k1, b)


def test_it_loads_where_no_cache_can_be_written(tmp_path):
    """Its folder and the user's refuse a cache: it compiles for this process alone."""
    for layer in ("routers", "theory"):
        shutil.copytree(
            ROOT / layer, tmp_path / layer, ignore=shutil.ignore_patterns("__pycache__")
        )
        (tmp_path / layer / "__pycache__").write_text("a file where the folder would be")
    code = "from routers import bm25_kernel as it; print(it.__file__, it.search._cache.cache_path)"
    environment = {key: it for key, it in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    nowhere = str(tmp_path / "theory" / "__pycache__" / "below-a-file")
    environment |= {"XDG_CACHE_HOME": nowhere, "HOME": nowhere, "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert run.stdout == f"{tmp_path / 'routers' / 'bm25_kernel.py'} None\n", run.stderr
