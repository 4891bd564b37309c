"""The benchmarks' runner; what they measure is not timed here."""

import json
from importlib.util import find_spec

import pytest

from benchmarks import __main__ as runner
from benchmarks.figure import Figure, best_seconds
from benchmarks.registry import BENCHMARKS, ON_REQUEST, load


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["benchmarks", *arguments])
    return runner.main()


def figure(value):
    return Figure("a ratio", value, 2.0, "at least", {"this, s": 1.0, "that, s": value})


def test_every_benchmark_of_the_registry_is_there():
    for name in (*BENCHMARKS, *ON_REQUEST):
        assert find_spec(f"benchmarks.{name}")
        assert callable(load(name))


def test_figures_are_printed_with_their_target_and_written_as_json(monkeypatch, capsys, tmp_path):
    asked = {}

    def measure(*, full):
        asked["full"] = full
        return [figure(3.0), figure(1.0)]

    monkeypatch.setattr(runner, "load", lambda name: measure)
    assert run(monkeypatch, "start_up", "--json", str(tmp_path / "b.json")) == 0
    met, missed = capsys.readouterr().out.splitlines()
    assert "at least 2: met" in met
    assert "NOT MET" in missed
    document = json.loads((tmp_path / "b.json").read_text())
    assert [row["met"] for row in document["benchmarks"]["start_up"]] == [True, False]
    assert asked["full"] is True


def test_a_missing_peer_is_named_and_skipped(monkeypatch, capsys):
    def load_all_but_one(name):
        if name == BENCHMARKS[0]:
            raise ModuleNotFoundError("No module named 'peer'", name="peer")
        return lambda *, full: [figure(2.0)]

    monkeypatch.setattr(runner, "load", load_all_but_one)
    assert run(monkeypatch) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{BENCHMARKS[0]}: skipped, peer is not installed"
    assert len(lines) == len(BENCHMARKS)


def test_an_unknown_benchmark_is_refused(monkeypatch, capsys):
    with pytest.raises(SystemExit) as left:
        run(monkeypatch, "nonesuch")
    assert left.value.code == 2
    assert "no benchmark 'nonesuch'" in capsys.readouterr().err


def test_at_most_is_the_other_way_round():
    assert figure(2.0).met
    assert not figure(2.1)._replace(rule="at most").met


def test_work_takes_turns():
    order = []
    seconds = best_seconds(
        {"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=2
    )
    assert order == ["a", "b", "a", "b"]
    assert set(seconds) == {"a", "b"}
