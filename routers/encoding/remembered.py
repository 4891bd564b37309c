"""An encoder that remembers: what it encoded lately is not encoded again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from threading import Lock

import numpy as np

from routers.encoding.encoder import Encoder, Vectors, checked_vectors

CAPACITY = 65_536
"""Vectors kept, 100 MB of them at 384 numbers each."""


class Remembered:
    """Keeps the vectors of the texts that were asked for last, by what the texts say.

    Every vector is checked once, when it is made: `BadInput` where it is not one. To be shared by
    routers, and by threads.
    """

    def __init__(self, encoder: Encoder, *, capacity: int = CAPACITY) -> None:
        self.encoder = encoder
        """What is asked for vectors that are not remembered."""
        self._capacity = capacity
        self._known: OrderedDict[bytes, Vectors] = OrderedDict()
        """The vectors, those asked for last at the end."""
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The encoder's name."""
        return self.encoder.name

    @property
    def sha256(self) -> Mapping[str, str]:
        """The encoder's files."""
        return self.encoder.sha256

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row for each text."""
        with self._lock:
            return np.stack(self._rows(texts)) if texts else np.empty((0, 0), np.float32)

    def prepare(self, texts: Iterable[str]) -> None:
        """Encode texts beforehand and keep room for all of them, however many they are."""
        with self._lock:
            asked = list(dict.fromkeys(texts))
            self._capacity = max(self._capacity, len(asked))
            self._rows(asked)

    def _rows(self, texts: Sequence[str]) -> list[Vectors]:
        keys = [
            blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            for text in texts
        ]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            made = self.encoder.encode(list(new.values()))
            made = checked_vectors(made, len(new), encoder=self.name)
            # Copies: a view would keep its whole batch.
            self._known.update(zip(new, (row.copy() for row in made), strict=True))
        for key in keys:
            self._known.move_to_end(key)
        rows = [self._known[key] for key in keys]
        while len(self._known) > self._capacity:
            self._known.popitem(last=False)
        return rows
