import json

import pytest

from reports.cli.main import run
from sim.streams import STREAMS, make_stream, read_labelled


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_is_made_as_in_python(name, tmp_path, capsys):
    assert run(["stream", name, "-o", str(tmp_path / "s"), "--seed", "2", "--decisions", "30"]) == 0
    assert read_labelled(tmp_path / "s") == make_stream(name, seed=2, decisions=30)
    said = capsys.readouterr().out
    assert f"{tmp_path / 's'}: 30 decisions, of which" in said
    assert "decisions open at a notice" in said


def test_json_is_one_document_that_sums_the_stream_up(tmp_path, capsys):
    assert run(["stream", "indirect", "-o", str(tmp_path / "s"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    manifest = json.loads((tmp_path / "s" / "manifest.json").read_text())
    assert summary == {
        "folder": str(tmp_path / "s"),
        **manifest,
        "standing": 64,
        "changing": 64,
        "decisive": 64,
        "traps": 96,
    }


def test_every_parameter_can_be_given_with_units(tmp_path, capsys):
    given = "--facts 2 --share 2 --delay 30min --freshness 1d --exclude-stale --window 2d"
    more = "--hazard 0.12/d --traps 5 --open-decisions 20 --decisions 40 --json"
    out = tmp_path / "s"
    assert run(["stream", "natural", "-o", str(out), *given.split(), *more.split()]) == 0
    assert json.loads(capsys.readouterr().out)["parameters"] == {
        "decisions": 40,
        "hazard": 0.005,
        "facts": 2,
        "share": 2,
        "delay": 0.5,
        "freshness": 24.0,
        "traps": 5,
        "exclude_stale": True,
        "open_decisions": 20,
        "window": 48.0,
    }
    given = "--standing 4 --related 3 --decoys 2 --decisions 10 --traps 1"
    assert run(["stream", "indirect", "-o", str(out), *given.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notices"] == 50


def test_a_stream_without_notices_has_no_medians_to_show(tmp_path, capsys):
    out = str(tmp_path / "s")
    assert run(["stream", "natural", "-o", out, "--hazard", "0", "--decisions", "3"]) == 0
    assert "medians" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["inverse", "-o", "{out}"], "stream(=inverse) must be one of direct"),
        (["direct", "-o", "{out}", "--decisions", "0"], "decisions(=0) must be >= 1"),
        (["direct", "-o", "{out}", "--decoys", "1"], "decoys(=1) is no parameter of direct"),
        (["indirect", "-o", "{out}", "--traps", "129"], "traps(=129) must be <= the 128 decisions"),
        (["stress", "-o", "{out}", "--window", "0h"], "window(=0.0) must be between 2 and"),
        (["stress", "-o", "{out}", "--window", "3 apples"], "--window"),
        (["stress", "-o", "{out}/a/b"], "must lie in a folder that exists"),
        (["direct"], "-o"),
    ],
)
def test_bad_input_ends_in_one_line_and_nothing_written(tmp_path, capsys, arguments, says):
    out = tmp_path / "s"
    assert run(["stream", *(part.format(out=out) for part in arguments)]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("mine")
    assert run(["stream", "direct", "-o", str(tmp_path)]) == 2
    assert "must be new, empty or a stream alone" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
