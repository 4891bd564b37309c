"""A stub server: real HTTP on the loopback, answers and faults as told, no model behind it.

    with Stub() as stub:
        stub.script += [status(429, retry_after=1), says('{"choice": "keep", "reason": "calm"}')]
        caller = Caller(environ=stub.environ)

It speaks OpenAI's chat completions and Anthropic's messages. Whatever it answers says that its
model is `STUB`: nothing made with it is a measurement of a model.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, TypeAlias

STUB = "stub-no-model"
"""The model that it reports."""


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    """By name in lower case."""
    body: Mapping[str, Any]

    @property
    def last(self) -> str:
        """The text of the last message."""
        return str(self.body["messages"][-1]["content"])


class Handler(BaseHTTPRequestHandler):
    """Answers one request after another on one connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet a response, rather than one a header
    stub: Stub
    asked: Asked

    def do_POST(self) -> None:
        """Take the next step of the script."""
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.asked = Asked(self.path, headers, json.loads(self.rfile.read(length)))
        step = self.stub.next_step(self.asked)
        time.sleep(self.stub.delay)
        try:
            step(self)
        except (BrokenPipeError, ConnectionResetError):  # the client has given up
            self.close_connection = True

    def reply(
        self, status: int, body: bytes, *, kind: str = "application/json", **headers: str
    ) -> None:
        """Send one whole response."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


Step: TypeAlias = Callable[[Handler], object]
"""Answers the request that a handler has read."""


@dataclass
class Stub:
    """The server; it stops when its `with` block ends."""

    answer: Callable[[Asked], str] = lambda _: '{"choice": "keep", "reason": "a stub"}'
    """What the model is to say once the script is through."""
    delay: float = 0.0
    """Seconds before each answer."""
    refuses: frozenset[str] = frozenset()
    """Parameters that it refuses, by the names they have in a request."""
    key: str | None = None
    """The key that it wants, if it wants one."""
    script: deque[Step] = field(default_factory=deque)
    """What it does first, a step a request."""
    seen: list[Asked] = field(default_factory=list)
    """Every request so far."""

    def __enter__(self) -> Self:
        handler = type("StubHandler", (Handler,), {"stub": self})
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def environ(self) -> dict[str, str]:
        """The variables that lead models of the provider `stub` to it, and Anthropic's too."""
        found = {"STUB_BASE_URL": f"{self.url}/v1", "ANTHROPIC_BASE_URL": self.url}
        if self.key is not None:
            found |= {"STUB_API_KEY": self.key, "ANTHROPIC_API_KEY": self.key}
        return found

    def next_step(self, asked: Asked) -> Step:
        """What to do with a request."""
        with self._lock:
            self.seen.append(asked)
            named = sorted(self.refuses & set(asked.body))
            given = asked.headers.get("x-api-key") or asked.headers.get("authorization", "")
            if self.key is not None and self.key not in given:
                return status(401, "Incorrect API key provided", code="invalid_api_key")
            if named:
                says = f"Unsupported parameter: '{named[0]}' is not supported with this model."
                return status(400, says, param=named[0])
            return self.script.popleft() if self.script else answers(self.answer)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of connections that clients have closed."""


def says(text: str | None, **more: object) -> Step:
    """An answer with this text; `refusal`, `finish_reason` and `usage` may be given too."""
    return lambda handler: _answer(handler, text, more)


def answers(answer: Callable[[Asked], str]) -> Step:
    """An answer that depends on what was asked."""
    return lambda handler: _answer(handler, answer(handler.asked), {})


def status(
    number: int,
    message: str = "a stub's fault",
    /,
    *,
    retry_after: object = None,
    **error: object,
) -> Step:
    """An error with an HTTP status."""
    headers = {} if retry_after is None else {"Retry_After": str(retry_after)}
    body = json.dumps({"error": {"message": message, **error}}).encode()
    return lambda handler: handler.reply(number, body, **headers)


def sends(body: bytes, *, code: int = 200, kind: str = "application/json") -> Step:
    """These bytes as the body."""
    return lambda handler: handler.reply(code, body, kind=kind)


def closes_midway(handler: Handler) -> None:
    """Half of an answer, and then the connection is closed."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def hangs(seconds: float) -> Step:
    """No answer for so long."""

    def hang(handler: Handler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return hang


def dribbles(seconds: float) -> Step:
    """A byte now and then, and never an end, for so long."""

    def dribble(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)
        handler.close_connection = True

    return dribble


def _answer(handler: Handler, text: str | None, more: Mapping[str, Any]) -> None:
    """A whole answer in the protocol that was spoken; tokens are counted as words."""
    words = sum(len(str(it["content"]).split()) for it in handler.asked.body["messages"])
    written = len((text or "").split())
    if handler.path.endswith("/chat/completions"):
        message = {"role": "assistant", "content": text, "refusal": more.get("refusal")}
        reason = more.get("finish_reason", "stop")
        document: dict[str, Any] = {
            "object": "chat.completion",
            "model": STUB,
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": words, "completion_tokens": written},
        }
    else:
        document = {
            "type": "message",
            "role": "assistant",
            "model": STUB,
            "content": [] if text is None else [{"type": "text", "text": text}],
            "stop_reason": more.get("stop_reason", "end_turn"),
            "usage": {"input_tokens": words, "output_tokens": written},
        }
    document["usage"] |= more.get("usage", {})
    document |= more.get("document", {})
    handler.reply(200, json.dumps(document).encode(), openai_version="stub")
