"""Calls to a stub server that answers after 200 ms, a replayed run, and what is sent of it.

The server runs in a process of its own, as a provider would; no model is behind it.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.figure import Figure
from benchmarks.start_up import import_seconds
from llm.calls import Caller, Cassette
from llm.judges import make_model_judge
from sim.runs import questions_of, run
from sim.streams import make_stream

DELAY = 0.2
"""Seconds that the server takes to answer."""
JUDGMENTS = 128
AT_ONCE = 16
ROUNDS = 3
ROUTERS = (
    *("none", "name", "bm25-text", "bm25-dossier", "bm25-watch", "broadcast"),
    *("related", "decisive"),
)
_SERVER = """
import sys
from llm.calls.stub import Stub
with Stub(delay=float(sys.argv[1])) as stub:
    print(stub.environ["STUB_BASE_URL"], flush=True)
    sys.stdin.read()
"""


def measure(*, full: bool) -> list[Figure]:
    """Wall time of judgments and of a replay, calls a distinct question, and `import llm`."""
    del full
    return [_judgments(), *_replay(), _import()]


def _judgments() -> Figure:
    """128 different questions, 16 in flight; the SDK is imported and warm."""
    asked = questions_of(make_stream("indirect", seed=0), routers=["bm25-dossier"])[:JUDGMENTS]
    seconds = []
    with _server(DELAY) as environ:
        for _ in range(ROUNDS):
            with Caller(environ=environ, at_once=AT_ONCE) as caller:
                judge = make_model_judge("stub/none", caller=caller)
                caller.check(judge.model)
                started = time.perf_counter()
                judge.prepare(asked)
                seconds.append(time.perf_counter() - started)
    measured = {f"round {number}, s": took for number, took in enumerate(seconds, 1)}
    what = f"{JUDGMENTS} judgments of 200 ms, {AT_ONCE} in flight, s"
    return Figure(what, statistics.median(seconds), 2.5, "at most", measured)


def _replay() -> list[Figure]:
    """A run of the paper's 128 decisions through 8 routers, recorded and then replayed."""
    labelled = make_stream("indirect", seed=0)
    asked = questions_of(labelled, routers=ROUTERS)
    with tempfile.TemporaryDirectory() as folder, _server(0.0) as environ:
        path = Path(folder, "calls.jsonl")
        with Caller(environ=environ, cassette=Cassette(path), at_once=AT_ONCE) as caller:
            make_model_judge("stub/none", caller=caller).prepare(asked)
            sent = caller.spending.calls
        started = time.perf_counter()
        cassette = Cassette(path, mode="replay")
        judge = make_model_judge("stub/none", caller=Caller(environ={}, cassette=cassette))
        played = run(labelled, routers=ROUTERS, judges=[judge])
        took = time.perf_counter() - started
    distinct = played.calls["question"].n_unique()
    measured = {"all": len(asked), "distinct": distinct, "sent": sent}
    return [
        Figure("a replayed run of 128 decisions x 8 routers, s", took, 10, "at most", measured),
        Figure("calls sent a distinct question", sent / distinct, 1, "at most", measured),
    ]


def _import() -> Figure:
    seconds = import_seconds("llm")
    return Figure("import llm, s", seconds["import llm"], 0.2, "at most", seconds)


@contextmanager
def _server(delay: float) -> Iterator[dict[str, str]]:
    """The variables that lead to a stub server in a process of its own."""
    command = [sys.executable, "-c", _SERVER, str(delay)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield {"STUB_BASE_URL": process.stdout.readline().strip()}
        process.stdin.close()
