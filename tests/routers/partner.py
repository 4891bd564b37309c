"""A second process that uses the ledger as it is told: one JSON list a line, one answer a line.

`["open", {...}]` calls that method of its ledger; `["hammer", name, count]` publishes that many
notices one by one; `["crash", name, boasts]` works in a child of its own that says each thing it
has finished, until it is killed: `child PID`, then a line for each, then `gone`.
"""

import json
import os
import sys

from routers import Ledger

ANCHORS = 3


def main(file):
    ledger = None
    for line in sys.stdin:
        act, *values = json.loads(line)
        if act == "crash":
            # No connection may be carried into a child.
            crash(file, values[0], boasts=values[1])
            continue
        ledger = ledger or Ledger(file, router="name")
        if act == "hammer":
            name, count = values
            for number in range(count):
                ledger.publish(anchored(f"{name}-{number}"))
            say("done")
        else:
            made = getattr(ledger, act)(*values)
            say(json.dumps(made if isinstance(made, list) else made.to_json()))


def crash(file, name, *, boasts):
    child = os.fork()
    if child == 0:
        say(f"child {os.getpid()}")
        work(file, name, boasts=boasts)
    os.waitpid(child, 0)
    say("gone")


def work(file, name, *, boasts):
    """Every operation leaves a known number of rows, so that half of one would show.

    Each is said once it is done; one that `boasts` says so before.
    """
    ledger = Ledger(file, router="name")

    def finish(said, act, *values):
        if boasts:
            say(said)
        act(*values)
        if not boasts:
            say(said)

    for number in range(100_000):
        own = f"{name}-{number}"
        place = f"Place {own}"
        ledger.open_many([anchor(which) for which in range(ANCHORS)])
        finish(f"notice {own}-one", ledger.publish, anchored(f"{own}-one"))
        batch = [anchored(f"{own}-batch{which}") for which in range(5)]
        finish(f"batch {own}", ledger.publish_many, batch)
        early = {"id": f"{own}-early", "published": 1.0, "text": f"{place} is closed"}
        finish(f"notice {own}-early", ledger.publish, early)
        entry = {"id": own, "decided": 0, "deadline": 9, "options": [place], "text": "late"}
        finish(f"entry {own}", ledger.open, entry)
        if number % 2:
            finish(f"ended {own}", ledger.decide, own, {"choice": "switch", "reason": "closed"})
        else:
            finish(f"ended {own}", ledger.close, own)


def anchor(which):
    option = {"options": ["Anchor Hall"], "text": "stays open"}
    return {"id": f"anchor{which}", "decided": 0, "deadline": 9} | option


def anchored(name):
    return {"id": name, "published": 1.0, "text": "Anchor Hall is closed"}


def say(line):
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1])
