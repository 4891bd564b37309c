"""The dense routers: what they index, whom they reach, and what they hold in memory."""

import numpy as np
import pytest
from encoders import Bags, Given
from hypothesis import given
from hypothesis import strategies as st

from routers import Entry, Notice
from routers.conformance import check_router
from routers.dense import TEXTS, Dense
from routers.dense_index import DenseIndex
from routers.dense_scores import DIGITS, exact_scores, margin
from theory.errors import BadInput


def entry(entry_id, text, **more):
    return Entry(id=entry_id, decided=0, deadline=1, options=("A",), text=text, **more)


def notice(text):
    return Notice(id="n", published=0.5, text=text)


def reached(router, text):
    return [made.entry for made in router.route(notice(text))]


def opened(router, *entries):
    for it in entries:
        router.open(it)
    return router


@pytest.mark.full
@pytest.mark.parametrize("text", TEXTS)
def test_it_conforms_with_the_default_encoder(text, full, monkeypatch):
    if not full:
        monkeypatch.setattr("routers.conformance.ROUNDS", 1)
    check_router(lambda k: Dense(text, k=k), rng=np.random.default_rng(0))


CONCERT = entry(
    "concert",
    "music at Harbour Hall",
    background=("substation North",),
    watch=("tram stops", "bridge shut"),
)
PICNIC = entry("picnic", "a meal in the park")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text", {"music at Harbour Hall": 1}),
        ("dossier", {"music at Harbour Hall substation North": 1}),
        ("watch", {"music at Harbour Hall tram stops bridge shut": 1}),
        ("watch-best", {"tram stops": 1, "bridge shut": 1}),
    ],
)
def test_each_index_text_is_found_by_what_it_holds(text, expected):
    router = opened(Dense(text, encoder=Bags(width=400)), CONCERT, PICNIC)
    for said, score in expected.items():
        first = router.route(notice(said))[0]
        assert (first.entry, first.score) == ("concert", pytest.approx(score))


def test_the_best_single_condition_counts_and_without_conditions_the_text():
    router = opened(Dense("watch-best", encoder=Bags(width=400)), CONCERT, PICNIC)
    [made] = [it for it in router.route(notice("bridge shut")) if it.entry == "concert"]
    assert made.score == 1
    assert reached(router, "a meal in the park")[0] == "picnic"


def test_scores_of_nothing_reach_nobody():
    vectors = {
        "near": [1, 0],
        "across": [0, 1],
        "against": [-1, 0],
        "blank": [0, 0],
        "barely": [4e-6, 1],
        "news": [1, 0],
        "noise": [0, 0],
    }
    encoder = Given({text: np.array(it, np.float32) for text, it in vectors.items()})
    names = ("near", "across", "against", "blank", "barely")
    router = opened(Dense(k=9, encoder=encoder), *(entry(name, name) for name in names))
    assert reached(router, "news") == ["near"]
    assert reached(router, "noise") == []
    for name in names:
        router.close(name)
    assert reached(router, "news") == []


def test_what_differs_only_beyond_the_digits_of_a_score_is_a_tie():
    small = 0.2 * 10.0**-DIGITS
    vectors = {"b": [0.6, 0.8], "a": [0.6 - small, 0.8 + small], "news": [1, 0]}
    encoder = Given({text: np.array(it, np.float32) for text, it in vectors.items()})
    router = opened(Dense(k=1, encoder=encoder), entry("b", "b"), entry("a", "a"))
    assert reached(router, "news") == ["a"]


@given(st.data())
def test_the_index_gives_the_best_of_all_scores_worked_out_one_by_one(data):
    """With vectors from a coarse grid, so that many tie, and texts that several entries hold."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    width = int(rng.integers(2, 6))
    vectors = rng.integers(-2, 3, (12, width)).astype(np.float32)
    vectors[:, 0] += rng.choice([0, 1e-6, 1e-5, 3e-5], 12)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 0.5)
    vectors = vectors.astype(np.float32)
    index, held = DenseIndex(), {}
    for number in range(int(rng.integers(1, 60))):
        if held and rng.random() < 0.3:
            gone = str(rng.choice(sorted(held)))
            index.remove(gone)
            del held[gone]
            continue
        rows = rng.integers(0, 12, int(rng.integers(1, 4)))
        index.add(f"e{number}", [str(row) for row in rows], vectors[rows])
        held[f"e{number}"] = rows
    k = int(rng.integers(1, 6))
    query = vectors[rng.integers(12)]
    every = {it: max(exact_scores(vectors[rows], query)) for it, rows in held.items()}
    assert _best(index.scores(query, k), k) == _best(every, k)


def _best(scores, k):
    return sorted((-score, it) for it, score in scores.items() if score > 0)[:k]


@given(st.integers(0, 2**32 - 1), st.sampled_from([3, 64, 384, 1024]))
def test_the_margin_covers_what_a_single_precision_product_may_be_off(seed, width):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((200, width)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    exact = rows.astype(np.float64) @ rows[0].astype(np.float64)
    assert np.abs(rows @ rows[0] - exact).max() < margin(width) / 2


def test_memory_follows_the_open_set_and_a_text_is_held_once():
    index, encoder = DenseIndex(), Bags()
    [vector] = encoder.encode(["the same words"])
    for number in range(500):
        index.add(f"e{number}", ["the same words"], vector[None])
    assert len(index._texts) == 1
    for number in range(500):
        index.remove(f"e{number}")
    for number in range(3_000):
        index.add(f"e{number}", [f"words {number}"], encoder.encode([f"words {number}"]))
        if number >= 10:
            index.remove(f"e{number - 10}")
    assert len(index._texts) == 10
    assert len(index._matrix) <= 64
    empty = DenseIndex()
    for number in range(2_990, 3_000):
        index.remove(f"e{number}")
    assert [index._texts, index._rows, index._holders, index._held] == [
        empty._texts,
        empty._rows,
        empty._holders,
        empty._held,
    ]


def test_to_be_prepared_changes_nothing_but_when_texts_are_encoded():
    encoder = Bags()
    router = Dense("watch-best", encoder=encoder)
    news = notice("the bridge is shut")
    router.prepare([CONCERT, PICNIC], [news])
    assert sorted(encoder.encoded) == sorted(
        ["tram stops", "bridge shut", "a meal in the park", "the bridge is shut"]
    )
    opened(router, CONCERT, PICNIC)
    made = router.route(news)
    assert len(encoder.encoded) == 4
    assert made == opened(Dense("watch-best", encoder=Bags()), CONCERT, PICNIC).route(news)


@pytest.mark.parametrize(
    ("given", "field"), [({"k": 0}, "k"), ({"index_text": "title"}, "index_text")]
)
def test_what_it_cannot_be_made_with_is_refused(given, field):
    with pytest.raises(BadInput, match=rf"^{field}\("):
        Dense(**given, encoder=Bags())


@pytest.mark.parametrize(
    ("vectors", "rule"),
    [
        (np.array([[np.nan, 1.0]], np.float32), "finite"),
        (np.array([[np.inf, 1.0]], np.float32), "finite"),
        (np.array([[3.0, 4.0]], np.float32), "length 1"),
        (np.array([[1.0, 0.0]]), "float32"),
        (np.array([1.0, 0.0], np.float32), "shape"),
        (np.ones((2, 1), np.float32), "shape"),
    ],
)
def test_vectors_that_are_none_are_refused_before_anything_is_delivered(vectors, rule):
    class Broken(Given):
        def encode(self, texts):
            return vectors

    with pytest.raises(BadInput, match=rf"^encoder\(=given\).*{rule}"):
        Dense(encoder=Broken({})).open(PICNIC)
