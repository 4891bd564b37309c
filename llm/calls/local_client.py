"""The client of a model in a GGUF file: it starts a llama.cpp server, and stops it when closed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from importlib.util import find_spec

from llm.calls.client import Reply
from llm.calls.endpoint import NO_KEY, Endpoint
from llm.calls.faults import shortened
from llm.calls.model_name import ModelName
from llm.calls.openai_client import OpenAIClient
from llm.calls.request import Request, Sent
from llm.calls.secrets import Secret
from theory.errors import BadInput

_PATIENCE = 5.0
"""Seconds that the server has to end by itself."""


class LocalClient:
    """Sends requests to a server of its own, one at a time; needs the extra `local`."""

    def __init__(self, name: ModelName, timeout: float) -> None:
        """Returns when the server answers; a file that cannot be served is refused."""
        if find_spec("xllamacpp") is None:
            rule = "needs the package xllamacpp: install the extra `local`"
            raise BadInput("model", str(name), rule)
        self._turn = threading.Lock()
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the server)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "llm.calls.local_server", name.model],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        try:
            url = self._url(name)
            self._client = OpenAIClient(name, Endpoint(f"{url}/v1", Secret(NO_KEY)), timeout)
        except BaseException:
            self._stop()
            raise

    def send(self, request: Request, sent: Sent, *, new_limit: bool) -> Reply:
        """Send the request once, after those before it: the server answers one at a time."""
        with self._turn:
            return self._client.send(request, sent, new_limit=new_limit)

    def close(self) -> None:
        """Close the connections and stop the server."""
        self._client.close()
        self._stop()

    def _url(self, name: ModelName) -> str:
        """Where the server is, once it answers."""
        assert self._process.stdout is not None
        url = self._process.stdout.readline().strip()
        if not url:
            self._process.wait()
            self._errors.seek(0)
            said = self._errors.read().strip().splitlines() or ["it said nothing"]
            rule = f"cannot be served by llama.cpp: {shortened(said[-1])}"
            raise BadInput("model", str(name), rule)
        return url

    def _stop(self) -> None:
        process = self._process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._errors.close()
