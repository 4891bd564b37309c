"""A router of your own: a notice goes to the entries whose text shares most words with it."""

import numpy as np

from routers import Delivery, Entry, Notice
from routers.conformance import check_router


class SharedWords:
    """Delivers to the k entries that share most words, ties by entry id."""

    name, unbounded, gold = "shared-words", False, False

    def __init__(self, *, k: int = 3) -> None:
        self.k = k
        self._words: dict[str, set[str]] = {}

    def open(self, entry: Entry) -> None:
        self._words[entry.id] = set(entry.text.casefold().split())

    def close(self, entry_id: str) -> None:
        del self._words[entry_id]

    def route(self, notice: Notice) -> list[Delivery]:
        asked = set(notice.text.casefold().split())
        shared = {entry: len(asked & words) for entry, words in self._words.items()}
        best = sorted((-count, entry) for entry, count in shared.items() if count)
        return [Delivery(notice.id, entry, float(-count)) for count, entry in best[: self.k]]


if __name__ == "__main__":
    check_router(lambda k: SharedWords(k=k), rng=np.random.default_rng(0))

    from sim import episode
    from sim.measures import measure
    from sim.scoring import score
    from sim.simulated import make_simulated
    from sim.streams import make_stream

    stream, gold = make_stream("indirect", seed=0)
    judge = make_simulated("strong", gold, np.random.default_rng(0))
    played = episode(stream, SharedWords(), judge)
    found = measure(score(played, gold).decisions)
    print("conforms;", found.select("accuracy", "recall", "keep"))
