"""Runs a task of Inspect AI in a process of its own, answered by a rule.

    python inspect_partner.py TASK ARGUMENTS RULE FOLDER

In a process of its own, since Inspect leaves streams open, which are errors in our tests.
Prints its scores and, of the task `judge`, the rows read back, as JSON.
"""

import json
import re
import sys
from pathlib import Path

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from sim.inspect_logs import read_log
from sim.streams import make_stream


def known(text):
    """What is true: a scorer, unlike a judge, may be tried on that."""
    stream, gold = make_stream("direct", seed=0)
    [entry] = [entry for entry in stream.decisions if entry.text in text]
    choice = "switch" if gold.truths[entry.id].label else "keep"
    return json.dumps({"reason": "known", "choice": choice})


def mumbling(text):
    return "I cannot tell."


def stopping(text):
    """Every notice stops everything, at all times."""
    numbers = re.findall(r'notice number="(\d+)"', text)
    item = {"concerns": True, "blocks": True, "start": None, "end": None}
    return json.dumps({"notices": [{"number": int(it), **item} for it in numbers]})


def naming(text):
    """The option and the stated dependency, and nothing else of use."""
    names = re.findall(r"(?:Chosen|Depends on): (.+)", text)
    return json.dumps({"conditions": [*(f"{it} is closed." for it in names), "A strike."]})


def main():
    name, arguments, rule, folder = sys.argv[1:]
    answer = {it.__name__: it for it in (known, mumbling, stopping, naming)}[rule]

    def reply(messages, tools, choice, config):
        said = ModelOutput.from_content("mockllm/model", answer(messages[-1].text))
        said.usage = ModelUsage(input_tokens=10, output_tokens=2, total_tokens=12)
        return said  # tokens told: else they are counted by a table from the network

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    [log] = evaluate(
        f"bestbefore/{name}",  # found by its entry point
        model=model,
        task_args=json.loads(arguments),
        log_dir=folder,
        display="none",
        log_format="eval",
    )
    if log.status != "success":
        sys.exit(str(log.error))
    scores = {
        f"{score.name}: {name}": metric.value
        for score in log.results.scores
        for name, metric in score.metrics.items()
    }
    [path] = Path(folder).iterdir()
    rows = read_log(path).to_dicts() if name == "judge" else None
    sys.stdout.write(json.dumps({"scores": scores, "rows": rows}) + "\n")


main()
