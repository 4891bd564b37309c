"""Cassettes: files that keep what models answered, so that a run can be replayed for nothing.

JSON Lines, one answer a line: `key, recorded, model, prompt, messages, schema, sent, answer`. The
key is the hash of the request (`llm.calls.request.key_of`) and is checked on reading. A line is
appended by one write under a lock and is on the disk before anybody is told of it; what a killed
process left of its last line is taken away by the next one that writes.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TypeAlias

from llm.calls.answer import Answer
from llm.calls.nearest import difference, likeness
from llm.calls.request import Request, Sent, key_of
from theory.errors import BadInput

Mode: TypeAlias = Literal["record", "replay"]


class Cassette:
    """The answers in one file; for many threads, and for several processes that record."""

    def __init__(self, path: Path, *, mode: Mode = "record") -> None:
        """`record` adds what is not yet there and makes the file; `replay` only reads it."""
        self.path = path
        self.mode = mode
        self._lock = threading.Lock()
        self._answers: dict[str, Answer] = {}
        self.recordings: Counter[tuple[str, str]] = Counter()
        """Answers that were there, by model and day of recording."""
        self.added = 0
        """Answers recorded since."""
        if mode == "record":
            self._check_writable()
            with self._file() as file:
                _repair(file)
        self._read()

    def find(self, request: Request, sents: Sequence[Sent]) -> Answer | None:
        """The recorded answer to a request, sent with any of these parameters, the first first.

        A call that failed is an answer in replay only: in recording, it is made again.
        """
        document = request.document()
        for sent in sents:
            answer = self._answers.get(key_of(document, sent))
            if answer is not None and (answer.fault is None or self.mode == "replay"):
                return answer
        return None

    def add(self, request: Request, answer: Answer) -> None:
        """Keep an answer: it is on the disk when this returns."""
        document = request.document()
        key = key_of(document, answer.sent)
        line = {
            "key": key,
            "recorded": answer.recorded,
            **document,
            "sent": asdict(answer.sent),
            "answer": answer.document(),
        }
        encoded = f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n".encode(
            "utf-8", "replace"
        )
        with self._lock, self._file() as file:
            _repair(file)
            self._write(file, encoded)
            self._answers.setdefault(key, answer)
            self.added += answer.fault is None

    def miss(self, request: Request, sents: Sequence[Sent]) -> BadInput:
        """The error of a request that was never recorded: the nearest, and how it differs."""
        asked = request.document()
        best: tuple[float, int, dict[str, Any]] | None = None
        for number, document in self._documents():
            score = likeness(asked, document)
            if best is None or score > best[0]:
                best = (score, number, document)
        if best is None:
            return BadInput("cassette", str(self.path), "must hold what was asked: it is empty")
        _, number, document = best
        found = difference(asked, [asdict(sent) for sent in sents], document)
        rule = f"must hold what was asked: the nearest, at line {number}, differs in {found}"
        return BadInput("cassette", str(self.path), rule)

    def __len__(self) -> int:
        return len(self._answers)

    def _read(self) -> None:
        for number, document in self._documents():
            try:
                sent = Sent(**document["sent"])
                answer = Answer.of(document["answer"], sent, document["recorded"])
                key = key_of(document, sent)
            except (KeyError, TypeError, AttributeError) as error:
                rule = f"must hold a request and its answer ({error!r})"
                raise BadInput("line", "...", rule).at(self.path, number) from None
            if document.get("key") != key:
                rule = "must be the hash of the line's request: the line was changed"
                raise BadInput("key", document.get("key"), rule).at(self.path, number)
            known = self._answers.get(key)
            if known is None or known.fault is not None:
                self._answers[key] = answer
            self.recordings[(document["model"], str(answer.recorded)[:10])] += 1

    def _documents(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Each line's object with its number; a torn last line is left out."""
        try:
            with self.path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if not line.endswith(b"\n"):
                        return
                    yield number, _object(line, self.path, number)
        except FileNotFoundError:
            raise BadInput("cassette", str(self.path), "must be a file that exists") from None
        except IsADirectoryError:
            raise BadInput("cassette", str(self.path), "must be a file, not a folder") from None

    def _check_writable(self) -> None:
        if self.path.is_dir():
            raise BadInput("cassette", str(self.path), "must be a file, not a folder")
        if not self.path.parent.is_dir():
            rule = f"must lie in a folder that exists, not {self.path.parent}"
            raise BadInput("cassette", str(self.path), rule)

    @contextmanager
    def _file(self) -> Iterator[int]:
        """The file, open for reading and appending, locked against other processes."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            rule = f"cannot be written: {error.strerror}"
            raise BadInput("cassette", str(self.path), rule) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)  # gives the lock back too

    def _write(self, file: int, encoded: bytes) -> None:
        size = os.fstat(file).st_size
        try:
            if os.write(file, encoded) == len(encoded):
                os.fsync(file)
                return
            says = "the disk is full"
        except OSError as error:
            says = str(error.strerror)
        os.ftruncate(file, size)
        raise BadInput("cassette", str(self.path), f"cannot be written: {says}")


def _repair(file: int) -> None:
    """Take away what a killed process left of its last line; whoever holds the lock may."""
    start = os.fstat(file).st_size
    if not start or os.pread(file, 1, start - 1) == b"\n":
        return
    while start:
        before = max(start - _STEP, 0)
        found = os.pread(file, start - before, before).rfind(b"\n")
        start = before + found + 1
        if found >= 0:
            break
    os.ftruncate(file, start)


_STEP = 65_536


def _object(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise BadInput("line", line[:60], "must be a JSON object").at(path, number)
    return document
