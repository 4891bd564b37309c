"""Calls models: each question once, a bounded number at a time, and keeps what they answer.

An answer that a cassette holds is taken from there. Else the request is sent, and sent again as
far as `Retry` allows; a call that fails for good is an answer without text, which its reader
counts as invalid. Three of these in a row, a key or a model that is refused, or a limit that is
reached end the run with one error; whatever was answered by then is in the cassette.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from itertools import product
from typing import Self, TypeVar

import numpy as np

from llm.calls.answer import Answer, Attempt, Usage
from llm.calls.cassette import Cassette
from llm.calls.client import Client, MakeClient, Reply, make_client
from llm.calls.endpoint import Endpoint, endpoint_of
from llm.calls.faults import Fault
from llm.calls.limits import Limits, Reached, Spending
from llm.calls.model_name import ModelName
from llm.calls.prices import cost_of
from llm.calls.request import Request, Sent
from llm.calls.retry import Retry
from llm.calls.secrets import Redactor
from llm.calls.takes import Takes
from theory.errors import BadInput

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 16
"""Calls in flight by default."""
TIMEOUT = 120.0
"""Seconds of one attempt by default: models that reason take their time."""
LONGEST_ANSWER = 100_000
"""Characters kept of an answer."""
_OVERHEAD = 64
"""Tokens that a message takes beside its text, at most."""


class Ended(BadInput):
    """No further call is made; the message says why, and where the answers are."""


class Caller:
    """Makes the calls of one run, for many threads."""

    def __init__(
        self,
        *,
        cassette: Cassette | None = None,
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        retry: Retry = Retry(),  # noqa: B008 (frozen)
        at_once: int = AT_ONCE,
        timeout: float = TIMEOUT,
        environ: Mapping[str, str] | None = None,
        rng: np.random.Generator | None = None,
        sleep: Callable[[float], object] | None = None,
        client: MakeClient = make_client,
    ) -> None:
        """Without a cassette, answers are kept nowhere.

        `environ` holds keys and URLs, `rng` draws the jitter of waits, `sleep` waits so many
        seconds; by default a wait is cut short when the run ends.
        """
        if at_once < 1:
            raise BadInput("at_once", at_once, "must be >= 1")
        if not timeout > 0:
            raise BadInput("timeout", timeout, "must be > 0")
        self.cassette = cassette
        self.at_once = at_once
        self.spending = Spending(limits)
        """What the run has spent so far."""
        self.replayed = 0
        """Answers taken from the cassette."""
        self._limits, self._retry, self._timeout = limits, retry, timeout
        self._environ = os.environ if environ is None else environ
        self._rng = np.random.default_rng() if rng is None else rng
        self._make_client = client
        self._lock = threading.Lock()
        self._asked: dict[Request, Future[Answer]] = {}
        self._takes: dict[ModelName, Takes] = {}
        self._lines: dict[ModelName, tuple[Client, Endpoint, Redactor]] = {}
        self._failed = 0
        self._ended = threading.Event()
        self._ending: tuple[str, str] | None = None
        """The model over which the run ended, and why."""
        self._sleep = self._ended.wait if sleep is None else sleep
        weakref.finalize(self, _hang_up, self._lines)

    def check(self, name: ModelName) -> None:
        """Refuse, before any call, a model that lacks a URL, key or package.

        Under a budget, one that lacks a price too.
        """
        if self._replaying:
            return
        self._line(name)
        if self._limits.budget is not None and cost_of(name, Usage(1, 1)) is None:
            raise self._unpriced(name)

    def known(self, request: Request) -> bool:
        """Whether the cassette holds an answer."""
        return self._find(request) is not None

    def ask(self, request: Request) -> Answer:
        """The answer to a request; equal requests are answered once, whoever asks first.

        Raises `Ended`, and in replay `BadInput` where the cassette lacks the answer.
        """
        with self._lock:
            future = self._asked.get(request)
            first = future is None
            if future is None:
                future = self._asked[request] = Future()
        if not first:
            return future.result()
        try:
            answer = self._find(request)
            if answer is not None:
                self.replayed += 1
            elif self._replaying and self.cassette is not None:
                raise self.cassette.miss(request, self._sents(request))
            else:
                answer = self._call(request)
        except BaseException as error:
            with self._lock:
                del self._asked[request]
            future.set_exception(error)
            raise
        future.set_result(answer)
        return answer

    def together(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        advance: Callable[[int], object] = lambda _: None,
    ) -> list[Result]:
        """`work` of every item, `at_once` at a time; `advance` is told of each that is done.

        The first error ends it: work under way is waited for, so that what it pays for is kept.
        """
        with ThreadPoolExecutor(self.at_once, thread_name_prefix="calls") as pool:
            futures = [pool.submit(work, item) for item in items]
            try:
                for future in as_completed(futures):
                    future.result()
                    advance(1)
            except BaseException as error:
                self._ended.set()
                pool.shutdown(cancel_futures=True)
                if isinstance(error, Ended):
                    raise self._told() or error from None  # now it knows all that was kept
                raise
        return [future.result() for future in futures]

    def close(self) -> None:
        """Close all connections; a caller that is let go of does so by itself."""
        with self._lock:
            _hang_up(self._lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _replaying(self) -> bool:
        return self.cassette is not None and self.cassette.mode == "replay"

    def _sents(self, request: Request) -> list[Sent]:
        """Every way in which a request may have been sent, the fullest first."""
        return [
            Sent(temperature, schema, request.max_output)
            for temperature, schema in product((request.temperature, None), (True, False))
        ]

    def _find(self, request: Request) -> Answer | None:
        return None if self.cassette is None else self.cassette.find(request, self._sents(request))

    def _call(self, request: Request) -> Answer:
        """Make a call, keep what came of it, and end the run where no other would fare better."""
        with self._takes_of(request.model).turn():
            self._check_going()
            reserved = self._reserve(request)
            answer: Answer | None = None
            try:
                answer, fault = self._attempts(request)
            finally:
                self.spending.settle(reserved, 0.0 if answer is None else answer.cost)
        if fault is not None and fault.final:
            raise self._end(request.model, _REFUSALS[fault.kind].format(fault=fault))
        if self.cassette is not None:
            self.cassette.add(request, answer)
        with self._lock:
            self._failed = self._failed + 1 if fault else 0
            failed = self._failed
        if failed >= self._retry.failures:
            raise self._end(request.model, f"failed {failed} calls in a row, the last by {fault}")
        return answer

    def _attempts(self, request: Request) -> tuple[Answer, Fault | None]:
        """Send a request until it is answered, or for as long as that makes sense."""
        client, _, redactor = self._line(request.model)
        takes = self._takes_of(request.model)
        attempts: list[Attempt] = []
        retried, waited, wait = 0, 0.0, 0.0
        while True:
            sent, new_limit = takes.sent(request), takes.new_limit
            started = time.perf_counter()
            reply: Reply | None = None
            fault: Fault | None = None
            try:
                reply = client.send(request, sent, new_limit=new_limit)
            except Fault as error:
                fault = error.cleaned(redactor)
            latency = time.perf_counter() - started
            if reply is not None:
                attempts.append(Attempt(None, reply.status, latency, wait, reply.usage))
                return _answer(request, sent, attempts, reply, redactor), None
            assert fault is not None
            attempts.append(Attempt(fault.kind, fault.status, latency, wait))
            wait = 0.0
            if fault.refused and takes.learn(fault.refused, sent, new_limit=new_limit):
                continue
            again = self._wait(fault, retried, waited) if fault.retried else None
            if again is None:
                return _failure(request, sent, attempts, fault), fault
            self._sleep(again)
            self._check_going()
            retried, waited, wait = retried + 1, waited + again, again

    def _wait(self, fault: Fault, retried: int, waited: float) -> float | None:
        with self._lock:
            draw = float(self._rng.random())
        return self._retry.wait(retried, waited=waited, asked=fault.retry_after, draw=draw)

    def _reserve(self, request: Request) -> float:
        """Room for the call within the limits."""
        name = request.model
        read = request.size + len(request.form) + _OVERHEAD * len(request.messages)
        most = cost_of(name, Usage(read, request.max_output))
        if self._limits.budget is not None and most is None:
            raise self._unpriced(name)
        try:
            return self.spending.reserve(most)
        except Reached as limit:
            raise self._end(name, f"is called no more: {limit} is reached") from None

    def _unpriced(self, name: ModelName) -> Ended:
        return Ended("--budget", self._limits.budget, f"needs a price: none is known for {name}")

    def _line(self, name: ModelName) -> tuple[Client, Endpoint, Redactor]:
        """The client of a model, with what it must not let out."""
        with self._lock:
            if name not in self._lines:
                endpoint = endpoint_of(name, self._environ)
                client = self._make_client(name, endpoint, self._timeout)
                redactor = Redactor.of(self._environ, endpoint.key)
                self._lines[name] = (client, endpoint, redactor)
            return self._lines[name]

    def _takes_of(self, name: ModelName) -> Takes:
        with self._lock:
            return self._takes.setdefault(name, Takes(name))

    def _check_going(self) -> None:
        if self._ended.is_set():
            raise self._told() or Ended("calls", "...", "have ended")

    def _end(self, name: ModelName, says: str) -> Ended:
        """The error that ends the run; the first stands."""
        with self._lock:
            endpoint = self._lines[name][1].shown if name in self._lines else None
            where = f" ({endpoint})" if endpoint else ""
            if self._ending is None:
                self._ending = str(name), f"{says}{where}"
            self._ended.set()
        return self._told() or Ended("calls", "...", "have ended")

    def _told(self) -> Ended | None:
        """Why the calls have ended, and where the answers are by now."""
        if self._ending is None:
            return None
        name, says = self._ending
        cassette = self.cassette
        if cassette is not None and cassette.added:
            says += f"; new answers, {cassette.added:,}, are kept in {cassette.path}"
        return Ended("model", name, says)


def _hang_up(lines: dict[ModelName, tuple[Client, Endpoint, Redactor]]) -> None:
    for client, _, _ in lines.values():
        client.close()
    lines.clear()


_REFUSALS = {
    "key": "refused the key: {fault}",
    "model": "is not there: {fault}",
    "quota": "is not paid for: {fault}",
}


def _answer(
    request: Request, sent: Sent, attempts: Sequence[Attempt], reply: Reply, redactor: Redactor
) -> Answer:
    def clean(text: str | None) -> str | None:
        return None if text is None else _storable(redactor.clean(text))[:LONGEST_ANSWER]

    return Answer(
        text=clean(reply.text),
        refusal=clean(reply.refusal),
        stop=clean(reply.stop),
        model=clean(reply.model),
        api_version=clean(reply.api_version),
        temperature=request.temperature,
        sent=sent,
        attempts=tuple(attempts),
        cost=cost_of(request.model, reply.usage, reply.model),
        recorded=_now(),
    )


def _failure(request: Request, sent: Sent, attempts: Sequence[Attempt], fault: Fault) -> Answer:
    return Answer(
        text=None,
        refusal=None,
        stop=None,
        model=None,
        api_version=None,
        temperature=request.temperature,
        sent=sent,
        attempts=tuple(attempts),
        cost=None if fault.kind in ("timeout", "connection") else 0.0,
        recorded=_now(),
        fault=str(fault),
    )


def _storable(text: str) -> str:
    """The text less the halves of surrogate pairs, which no file in UTF-8 can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
