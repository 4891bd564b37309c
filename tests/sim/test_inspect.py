"""The streams as tasks of Inspect AI, run offline: tests make the answers, and no model does."""

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest

from sim.runs import questions_of
from sim.streams import make_stream

pytestmark = pytest.mark.skipif(
    find_spec("inspect_ai") is None and not os.environ.get("BESTBEFORE_INSPECT_REQUIRED"),
    reason="inspect-ai is not installed: the extra `inspect`; .ci/run has it",
)
PARTNER = Path(__file__).with_name("inspect_partner.py")


def evaluated(task, arguments, rule, folder):
    command = [sys.executable, str(PARTNER), task, json.dumps(arguments), rule, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    return found["scores"], found["rows"]


DIRECT = {"stream": "direct", "router": "related"}


def test_the_tasks_are_registered_under_the_project_s_name():
    [found] = [it for it in entry_points(group="inspect_ai") if it.name == "bestbefore"]
    assert found.value == "sim.inspect_tasks"


def test_what_is_right_scores_one_in_every_group_and_is_read_back(tmp_path):
    scores, rows = evaluated("judge", DIRECT, "known", tmp_path)
    assert scores.pop("choice: stderr") == 0.0
    assert set(scores.values()) == {1.0}
    assert {
        "choice: accuracy",
        "choice: keep, of those that should",
        "choice: switch, of those that should",
        "choice: delivered: decisive",
    } <= set(scores)
    asked = questions_of(make_stream("direct", seed=0), routers=["related"])
    assert sorted(row["decision"] for row in rows) == sorted(it.entry.id for it in asked)
    assert all(row["right"] and row["invalid"] is None for row in rows)
    assert {row["relation"] for row in rows if row["label"] == 1} == {"decisive"}
    assert {(row["input"], row["output"]) for row in rows} == {(10, 2)}


def test_the_control_what_cannot_be_used_is_kept_as_keep_and_said(tmp_path):
    scores, rows = evaluated("judge", DIRECT, "mumbling", tmp_path)
    assert scores["choice: keep, of those that should"] == 1.0
    assert scores["choice: switch, of those that should"] == 0.0
    assert {row["choice"] for row in rows} == {"keep"}
    assert {row["invalid"] for row in rows} == {"it holds no whole JSON object"}


def test_what_is_extracted_is_decided_by_code(tmp_path):
    scores, rows = evaluated("judge", {**DIRECT, "mode": "extract"}, "stopping", tmp_path)
    assert scores["choice: switch, of those that should"] == 1.0
    assert scores["choice: keep, of those that should"] == 0.0
    assert all(row["invalid"] is None for row in rows)


def test_conditions_are_scored_by_use_and_by_what_they_name(tmp_path):
    scores, _ = evaluated("watch", {"stream": "indirect"}, "naming", tmp_path / "naming")
    assert scores["usable: mean"] == 1.0
    assert 0.3 < scores["needed: mean"] < 0.9  # no other names, and nothing upstream
    assert scores["unneeded: mean"] == 0.0
    nothing, _ = evaluated("watch", {"stream": "indirect"}, "mumbling", tmp_path / "nothing")
    assert set(nothing.values()) == {0.0}


def test_no_gold_is_in_what_a_model_is_sent():
    code = (
        "from sim.inspect_tasks import judge, watch\n"
        "texts = [message.text for task in (judge(stream='direct', router='related'), "
        "watch(stream='direct')) for sample in task.dataset for message in sample.input]\n"
        "words = ('decisive', 'starts-after', 'ended-before', 'namesake', 'label')\n"
        "assert texts and not [it for it in texts for word in words if word in it]"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root).returncode == 0
