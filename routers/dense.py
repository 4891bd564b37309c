"""The dense routers: notices go to the entries whose meaning is nearest, by a sentence encoder.

An entry's score is the inner product of its vector with the notice's, exactly over the entries open
at that moment. Text beyond what the encoder reads (254 word pieces, some 200 words, with the
default one) is cut off, of an entry's dossier too.
"""

from __future__ import annotations

from collections.abc import Iterable

from routers.delivery import Delivery
from routers.dense_index import DenseIndex
from routers.encoding.encoder import Encoder
from routers.encoding.find import make_encoder
from routers.encoding.remembered import Remembered
from routers.entry import Entry
from routers.index_text import INDEX_TEXTS, ONE_BY_ONE
from routers.notice import Notice
from routers.ranking import best, checked_k
from theory.errors import BadInput

TEXTS = INDEX_TEXTS | ONE_BY_ONE
"""What of an entry a dense router can index."""


class Dense:
    """Delivers each notice to the `k` entries with the highest inner products > 0."""

    unbounded = False
    gold = False

    def __init__(
        self, index_text: str = "text", *, k: int = 3, encoder: Encoder | None = None
    ) -> None:
        """`encoder` is all-MiniLM-L6-v2 by default; share a `Remembered` one among routers."""
        if index_text not in TEXTS:
            raise BadInput("index_text", index_text, f"must be one of {', '.join(TEXTS)}")
        self.name = f"dense-{index_text}"
        self.k = checked_k(k)
        self._index_text = TEXTS[index_text]
        self._one_by_one = index_text in ONE_BY_ONE
        if encoder is None:
            encoder = make_encoder()
        self.encoder = encoder if isinstance(encoder, Remembered) else Remembered(encoder)
        self._index = DenseIndex()

    def prepare(self, entries: Iterable[Entry], notices: Iterable[Notice]) -> None:
        """Encode all that is to come in one go, where it is known beforehand."""
        texts = [text for entry in entries for text in self._texts(entry)]
        self.encoder.prepare([*texts, *(notice.text for notice in notices)])

    def open(self, entry: Entry) -> None:
        """Take in an entry by the vectors of its index text."""
        texts = self._texts(entry)
        self._index.add(entry.id, texts, self.encoder.encode(texts))

    def close(self, entry_id: str) -> None:
        """Forget an open entry."""
        self._index.remove(entry_id)

    def route(self, notice: Notice) -> list[Delivery]:
        """Deliveries to the entries that mean nearest what the notice says."""
        [vector] = self.encoder.encode([notice.text])
        return best(notice.id, self._index.scores(vector, self.k), self.k)

    def _texts(self, entry: Entry) -> tuple[str, ...]:
        """The texts of an entry that have a vector each; its best one counts."""
        pieces = self._index_text(entry)
        return pieces if self._one_by_one else ("\n".join(pieces),)
