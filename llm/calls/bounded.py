"""Bounds on what a server may send: an answer that never ends, or has no bottom, is given up.

The timeouts of HTTP clients are for each chunk; a server that sends a byte now and then would hold
a call for ever.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import cast

import httpx2

MOST_BYTES = 4_000_000
"""Bytes of the longest body that is read: many times the longest answer a model gives."""


class TooLarge(httpx2.ReadError):
    """A body is longer than `MOST_BYTES`."""


def http_client(timeout: float) -> httpx2.Client:
    """An HTTP client whose bodies have bounds in size and in time."""

    def bound(response: httpx2.Response) -> None:
        stream = cast("httpx2.SyncByteStream", response.stream)
        response.stream = _Bounded(stream, response.request, timeout)

    return httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, 10.0)),
        follow_redirects=False,  # a key is sent to nobody but the host that it was given for
        headers={"Accept-Encoding": "identity"},  # the bound is on what is read
        event_hooks={"response": [bound]},
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=64),
    )


class _Bounded(httpx2.SyncByteStream):
    def __init__(
        self, stream: httpx2.SyncByteStream, request: httpx2.Request, timeout: float
    ) -> None:
        self._stream, self._request = stream, request
        self._until, self._timeout = time.monotonic() + timeout, timeout

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if size > MOST_BYTES:
                says = f"the body is longer than {MOST_BYTES:,} bytes"
                raise TooLarge(says, request=self._request)
            if time.monotonic() > self._until:
                says = f"the body was not whole after {self._timeout:g} s"
                raise httpx2.ReadTimeout(says, request=self._request)
            yield chunk

    def close(self) -> None:
        self._stream.close()
