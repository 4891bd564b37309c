"""Exact BM25 over an open set that changes with every notice, beside what else one could pick.

For every notice one entry opens, one closes, and the notice is routed to its best three. Entries
are texts of 60 words and notices of 25, drawn by Zipf's law from 50,000 words. Everyone starts from
the texts, in one process and on one thread, is loaded beforehand, and takes turns with the others,
so that a moment in which the machine is slow hits all of them; processor time counts, so that other
users of the machine do not. Each peer stands as its users would
set it up to be fastest: Tantivy and Xapian in memory, those that cannot change an index rebuilt
from lists of words that are ready. Tantivy that commits every 64 notices answers from up to 64
notices ago: it is there to show that exactness costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from sys import getsizeof
from time import process_time
from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.figure import Figure
from routers.bm25 import PATIENCE, Bm25
from routers.entry import Entry
from routers.notice import Notice

K = 3
SIZES = (1_000, 10_000, 100_000)
"""Open entries."""
NOTICES = (4_000, 2_000, 600)
"""Notices that ours routes at each size."""
TURNS = 4
MOST_MB = 300
VOCABULARY = 50_000


class Contender(NamedTuple):
    """A peer, and how it is measured."""

    make: Callable[[], Peer]
    notices: tuple[int, int, int]
    """How many it routes at each size."""
    targets: tuple[float, float, float]
    """How many times as fast ours must be at each size."""


# Tantivy last: what its threads still do after a turn counts against ours.
CONTENDERS = {
    "xapian": Contender(lambda: Xapian(), (400, 200, 40), (8, 10, 8)),
    "bm25s rebuilt": Contender(lambda: bm25s_rebuilt(), (8, 3, 1), (300, 2_000, 3_000)),
    "rank_bm25 rebuilt": Contender(lambda: rank_bm25_rebuilt(), (8, 3, 1), (200, 1_500, 3_000)),
    "tantivy every 64": Contender(lambda: Tantivy(64), (1_280, 1_280, 512), (1, 1, 1)),
    "tantivy": Contender(lambda: Tantivy(1), (100, 100, 60), (50, 50, 8)),
}


class Corpus(NamedTuple):
    """Texts of entries, more than are open at once, and of notices."""

    entries: list[str]
    notices: list[str]


def measure(*, full: bool) -> list[Figure]:
    """Notices a second, relative to each peer; without `full` not at the largest size."""
    figures = []
    for at in range(len(SIZES) if full else len(SIZES) - 1):
        figures += _compare(at)
    return figures


def draw(rng: np.random.Generator, count: int, words: int) -> list[str]:
    """Texts of that many words, by Zipf's law."""
    chances = 1 / np.arange(1, VOCABULARY + 1)
    words_of = rng.choice(VOCABULARY, size=(count, words), p=chances / chances.sum())
    spelled = np.array([f"w{number}" for number in range(VOCABULARY)], dtype=object)
    return [" ".join(text) for text in spelled[words_of]]


def _compare(at: int) -> list[Figure]:
    """Let everyone take turns at one size."""
    size, rng = SIZES[at], np.random.default_rng(0)
    corpus = Corpus(draw(rng, size + NOTICES[at], 60), draw(rng, NOTICES[at], 25))
    ours = Ours(corpus)
    runs = {"ours": Run(ours, corpus, size, NOTICES[at])}
    for name, contender in CONTENDERS.items():
        try:
            runs[name] = Run(contender.make(), corpus, size, contender.notices[at])
        except ModuleNotFoundError as error:
            print(f"bm25: {name} skipped, {error.name} is not installed")
    for _ in range(TURNS):
        for run in runs.values():
            run.take_turn()
    figures = [
        Figure(
            f"exact BM25 / {name}, {size:,} open",
            runs["ours"].rate / run.rate,
            CONTENDERS[name].targets[at],
            "at least",
            {f"{it}, notices/s": runs[it].rate for it in ("ours", name)},
        )
        for name, run in runs.items()
        if name != "ours"
    ]
    megabytes = footprint(ours.router) / 1e6
    return [*figures, Figure(f"BM25 index at {size:,} open, MB", megabytes, MOST_MB, "at most", {})]


def footprint(router: Bm25) -> int:
    """Bytes of a compiled index: its arrays, its tables, and the words and ids that they hold."""
    total = 0
    for part in vars(router._index).values():
        if isinstance(part, np.ndarray):
            total += part.nbytes
        elif isinstance(part, dict):
            total += getsizeof(part) + sum(
                getsizeof(key) + getsizeof(at) for key, at in part.items()
            )
        elif isinstance(part, list):
            total += getsizeof(part)
    return total


class Run:
    """A peer at work: loaded, then one notice after another."""

    def __init__(self, peer: Peer, corpus: Corpus, size: int, notices: int) -> None:
        for number in range(size):
            peer.open(number, corpus.entries[number])
        self.left, self.done, self.seconds = notices, 0, 0.0
        self.turn = -(-notices // TURNS)
        self.work = self._work(peer, corpus, size)
        next(self.work)

    @property
    def rate(self) -> float:
        """Notices a second."""
        return self.done / self.seconds

    def take_turn(self) -> None:
        """Route the notices of a turn."""
        count = min(self.turn, self.left)
        started = process_time()
        for _ in islice(self.work, count):
            pass
        self.seconds += process_time() - started
        self.left, self.done = self.left - count, self.done + count

    def _work(self, peer: Peer, corpus: Corpus, size: int) -> Iterator[None]:
        peer.settle()
        yield
        for number, text in enumerate(corpus.notices):
            peer.open(size + number, corpus.entries[size + number])
            peer.close(number)
            peer.route(number, text)
            yield


class Peer(Protocol):
    """Whatever ranks open entries by a notice."""

    def open(self, number: int, text: str) -> None:
        """Take in an entry."""

    def close(self, number: int) -> None:
        """Forget an entry."""

    def settle(self) -> None:
        """Finish loading."""

    def route(self, number: int, text: str) -> list[int]:
        """The numbers of the best three entries."""


class Ours:
    """The BM25 router, handed what a ledger would hand it."""

    def __init__(self, corpus: Corpus) -> None:
        self.router = Bm25(k=K)
        self.entries = [entry(number, text) for number, text in enumerate(corpus.entries)]
        self.notices = [notice(number, text) for number, text in enumerate(corpus.notices)]

    def open(self, number: int, text: str) -> None:
        """Take in an entry."""
        del text
        self.router.open(self.entries[number])

    def close(self, number: int) -> None:
        """Forget an entry."""
        self.router.close(f"e{number}")

    def settle(self) -> None:
        """Move to the compiled index, as a router does in time, and load all that it calls."""
        for number in range(PATIENCE):
            self.router.route(notice(number, "none"))
        self.router.open(entry(-1, "none"))
        self.router.route(notice(0, "none"))
        self.close(-1)

    def route(self, number: int, text: str) -> list[int]:
        """The best three open entries."""
        del text
        return [int(made.entry[1:]) for made in self.router.route(self.notices[number])]


class Tantivy:
    """Tantivy in memory; what opened and closed is seen after the next commit."""

    def __init__(self, every: int) -> None:
        import tantivy

        self.tantivy, self.every = tantivy, every
        schema = tantivy.SchemaBuilder()
        schema.add_integer_field("number", stored=True, indexed=True)
        schema.add_text_field("text")
        self.index = tantivy.Index(schema.build())
        self.writer = self.index.writer(heap_size=50_000_000, num_threads=1)
        self.settle()

    def open(self, number: int, text: str) -> None:
        """Take in an entry."""
        self.writer.add_document(self.tantivy.Document(number=number, text=text))

    def close(self, number: int) -> None:
        """Forget an entry."""
        self.writer.delete_documents_by_term("number", number)

    def settle(self) -> None:
        """Commit, and look at what was committed."""
        self.writer.commit()
        self.index.reload()
        self.searcher = self.index.searcher()

    def route(self, number: int, text: str) -> list[int]:
        """The best three entries of the last commit."""
        if (number + 1) % self.every == 0:
            self.settle()
        query = self.index.parse_query(text, ["text"])
        return [
            self.searcher.doc(address)["number"][0]
            for _, address in self.searcher.search(query, K).hits
        ]


class Xapian:
    """Xapian's database in memory, the faster of its two by half."""

    def __init__(self) -> None:
        import xapian

        self.xapian = xapian
        self.database = xapian.WritableDatabase("", xapian.DB_BACKEND_INMEMORY)
        self.generator = xapian.TermGenerator()
        self.documents: dict[int, int] = {}

    def open(self, number: int, text: str) -> None:
        """Take in an entry."""
        document = self.xapian.Document()
        document.set_data(str(number))
        self.generator.set_document(document)
        self.generator.index_text_without_positions(text)
        self.documents[number] = self.database.add_document(document)

    def close(self, number: int) -> None:
        """Forget an entry."""
        self.database.delete_document(self.documents.pop(number))

    def settle(self) -> None:
        """Nothing is left to do."""

    def route(self, number: int, text: str) -> list[int]:
        """The best three open entries."""
        del number
        enquire = self.xapian.Enquire(self.database)
        enquire.set_weighting_scheme(self.xapian.BM25Weight(1.2, 0, 1, 0.75, 0))
        enquire.set_query(self.xapian.Query(self.xapian.Query.OP_OR, text.split()))
        return [int(match.document.get_data()) for match in enquire.get_mset(0, K)]


class Rebuilt:
    """A library that indexes a list once, rebuilt for every notice; splitting texts is free."""

    def __init__(self, rank: Callable[[list[list[str]], list[str]], Sequence[int]]) -> None:
        self.rank = rank
        self.words: dict[int, list[str]] = {}

    def open(self, number: int, text: str) -> None:
        """Take in an entry."""
        self.words[number] = text.split()

    def close(self, number: int) -> None:
        """Forget an entry."""
        del self.words[number]

    def settle(self) -> None:
        """Nothing is left to do."""

    def route(self, number: int, text: str) -> list[int]:
        """The best three open entries."""
        del number
        numbers = list(self.words)
        return [numbers[at] for at in self.rank(list(self.words.values()), text.split())]


def bm25s_rebuilt() -> Rebuilt:
    """The library bm25s."""
    import bm25s

    def rank(texts: list[list[str]], notice: list[str]) -> Sequence[int]:
        index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        index.index(texts, show_progress=False)
        found = index.retrieve([notice], k=K, show_progress=False)
        return [int(at) for at in found.documents[0]]

    return Rebuilt(rank)


def rank_bm25_rebuilt() -> Rebuilt:
    """The library rank_bm25."""
    import rank_bm25

    def rank(texts: list[list[str]], notice: list[str]) -> Sequence[int]:
        scores = rank_bm25.BM25Okapi(texts, k1=1.2, b=0.75).get_scores(notice)
        return [int(at) for at in np.argsort(-scores)[:K]]

    return Rebuilt(rank)


def entry(number: int, text: str) -> Entry:
    """An entry of this text."""
    return Entry(id=f"e{number}", decided=0, deadline=1, options=("a",), text=text)


def notice(number: int, text: str) -> Notice:
    """A notice of this text."""
    return Notice(id=f"n{number}", published=0.5, text=text)
