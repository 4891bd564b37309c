"""The replay of all notices at once delivers what the router does one by one."""

import sys
from contextlib import contextmanager

import numpy as np
import pytest
from encoders import Given
from hypothesis import given
from hypothesis import strategies as st

from routers import Entry, Notice, dense_replay
from routers.dense import Dense
from routers.dense_replay import replay
from theory.errors import BadInput


def drawn(rng, *, entries, notices, width):
    """Vectors of which many are alike or nearly so, and times of which many are the same."""
    corners = rng.integers(-2, 3, (6, width)).astype(np.float64)
    corners += rng.choice([0, 1e-7, 1e-6, 1e-5], corners.shape)
    lengths = np.linalg.norm(corners, axis=1, keepdims=True)
    corners = np.divide(corners, lengths, where=lengths > 0, out=np.zeros_like(corners))
    vectors = corners.astype(np.float32)
    opened = rng.integers(0, 12, entries).astype(float)
    return (
        vectors[rng.integers(0, 6, entries)],
        opened,
        opened + rng.integers(1, 9, entries),
        vectors[rng.integers(0, 6, notices)],
        rng.integers(0, 40, notices) / 2,
    )


def live(entries, opened, closed, notices, published, *, k):
    """What the router delivers, entries opened and closed around every notice."""
    texts = {f"e{row}": vector for row, vector in enumerate(entries)}
    texts |= {f"n{row}": vector for row, vector in enumerate(notices)}
    router = Dense(k=k, encoder=Given(texts))
    made, held = [], set()
    for row in np.argsort(published, kind="stable"):
        is_open = (opened < published[row]) & (published[row] <= closed)
        for entry in np.flatnonzero(is_open):
            if entry not in held:
                name = f"e{entry}"
                router.open(
                    Entry(id=f"{entry:04}", decided=0, deadline=1, options=("a",), text=name)
                )
                held.add(entry)
        for entry in sorted(held):
            if not is_open[entry]:
                router.close(f"{entry:04}")
                held.remove(entry)
        delivered = router.route(Notice(id="n", published=0.5, text=f"n{row}"))
        made += [(row, int(it.entry), it.score) for it in delivered]
    return made


@contextmanager
def searching(way, **sizes):
    """The compiled search or the plain one, with batches and blocks of these sizes."""
    with pytest.MonkeyPatch.context() as patch:
        for name, size in sizes.items():
            patch.setattr(dense_replay, name, size)
        if way == "plain":
            patch.setattr(dense_replay, "_nearest", lambda: dense_replay._one_by_one)
        yield


WAYS = pytest.mark.parametrize("way", ["compiled", "plain"])


@WAYS
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 8))
def test_it_delivers_what_the_router_does(way, seed, k):
    rng = np.random.default_rng(seed)
    width, entries, notices = rng.integers(1, [6, 40, 40])
    given = drawn(rng, entries=entries, notices=notices, width=width)
    with searching(way, BATCH=7, BLOCK=5, ROOM=6):
        found = replay(*given, k=k)
    assert list(zip(*(part.tolist() for part in found), strict=True)) == live(*given, k=k)


@WAYS
def test_it_does_so_at_the_size_of_its_batches_and_blocks_too(way):
    rng = np.random.default_rng(0)
    given = drawn(rng, entries=1_500, notices=600, width=5)
    vectors = rng.standard_normal((2_100, 40)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    given = (vectors[:1_500], *given[1:3], vectors[1_500:], given[4])
    with searching(way):
        found = replay(*given, k=3)
    assert list(zip(*(part.tolist() for part in found), strict=True)) == live(*given, k=3)
    assert len(set(found.notices)) > 550


def test_an_entry_opens_after_the_moment_it_is_decided_and_closes_after_its_deadline():
    one = np.ones((1, 1), np.float32)
    times = np.array([1.0, 1.5, 2.0, 2.5])
    found = replay(one, np.array([1.0]), np.array([2.0]), np.ones((4, 1), np.float32), times)
    assert found.notices.tolist() == [1, 2]


@pytest.mark.parametrize(("entries", "notices"), [(0, 0), (0, 3), (3, 0)])
def test_without_entries_or_notices_there_is_no_delivery(entries, notices):
    given = drawn(np.random.default_rng(0), entries=entries, notices=notices, width=2)
    assert [len(part) for part in replay(*given)] == [0, 0, 0]


def test_k_is_checked():
    with pytest.raises(BadInput, match=r"^k\("):
        replay(*drawn(np.random.default_rng(0), entries=2, notices=2, width=2), k=0)


def test_without_numba_it_says_so_and_delivers_the_same(monkeypatch):
    given = drawn(np.random.default_rng(3), entries=30, notices=30, width=3)
    expected = replay(*given)
    for module in ("numba", "routers.dense_kernel", "routers.compiled"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.warns(RuntimeWarning, match="numba"):
        found = replay(*given)
    assert all((a == b).all() for a, b in zip(found, expected, strict=True))
