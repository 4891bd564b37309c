"""A ledger whose router reads by an encoder keeps which one it was, and takes no other."""

import pytest
from encoders import Bags, small_bert

from routers import Ledger
from routers.dense import Dense
from routers.encoding.packaged import SHA256
from routers.fields import loads
from theory.errors import BadInput

ENTRY = {"id": "d", "decided": 0, "deadline": 9, "options": ["Quay"], "text": "the quay"}
NEWS = {"id": "n", "published": 1, "text": "quay closed"}


def kept(ledger):
    with ledger._reading() as state:
        return state.encoder and loads(state.encoder)


@pytest.fixture
def folder(tmp_path):
    return small_bert(tmp_path / "model")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.db"


def test_by_default_it_is_the_packaged_one(path):
    with Ledger(path, router="dense-text") as ledger:
        assert kept(ledger) == {"name": "all-MiniLM-L6-v2", "sha256": SHA256}
    with Ledger(path, router="dense-text") as ledger:
        ledger.open(ENTRY)
        assert [made.entry for made in ledger.publish(NEWS)] == ["d"]


def test_a_router_without_one_keeps_none_and_a_router_handed_in_its_own(path):
    with Ledger() as ledger:
        assert kept(ledger) is None
    with Ledger(router=Dense(encoder=Bags())) as ledger:
        assert kept(ledger) == {"name": "bags", "sha256": Bags.sha256}
        ledger.open(ENTRY)
        assert ledger.publish(NEWS)


def test_a_folder_is_found_again_also_where_it_has_moved_to(path, folder):
    with Ledger(path, router="dense-text", encoder=str(folder)) as ledger:
        ledger.open(ENTRY)
        expected = ledger.publish(NEWS)[0].score
    with Ledger(path) as ledger:
        assert ledger.publish(NEWS | {"id": "n2"})[0].score == expected
    moved = folder.rename(folder.parent / "moved")
    with Ledger(path) as ledger, pytest.raises(BadInput, match="must be a folder that exists"):
        ledger.publish(NEWS | {"id": "n3"})
    with Ledger(path, encoder=str(moved)) as ledger:
        assert ledger.publish(NEWS | {"id": "n3"})[0].score == expected


def test_another_encoder_is_refused_and_nothing_is_stored(path, folder):
    with Ledger(path, router="dense-text", encoder=str(folder)) as ledger:
        ledger.open(ENTRY)
    other = small_bert(folder.parent / "other", seed=1)
    with Ledger(path, encoder=str(other)) as ledger:
        with pytest.raises(BadInput, match=r"as it was when this ledger was made"):
            ledger.publish(NEWS)
        assert ledger.history("d").received == []
    with Ledger(path) as ledger:
        assert ledger.publish(NEWS)


@pytest.mark.parametrize("router", [None, "bm25-text", Dense(encoder=Bags())])
def test_one_that_no_router_reads_by_is_refused_before_there_is_a_file(path, folder, router):
    with pytest.raises(BadInput, match=r"^encoder\("):
        Ledger(path, router=router, encoder=str(folder))
    assert not path.exists()


def test_one_given_for_a_ledger_that_was_made_without_is_refused(path, folder):
    Ledger(path).disconnect()
    with pytest.raises(BadInput, match="must not be given"):
        Ledger(path, encoder=str(folder))


def test_what_is_no_encoder_is_refused_before_there_is_a_file(path, tmp_path):
    with pytest.raises(BadInput, match=r"^encoder\("):
        Ledger(path, router="dense-text", encoder=str(tmp_path))
    assert not path.exists()
