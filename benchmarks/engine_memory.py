"""The engine's memory at 10^9 decisions against its memory at 10^5."""

from __future__ import annotations

import json
import subprocess
import sys

from benchmarks.figure import Figure

FEW, MANY = 100_000, 1_000_000_000
_CHILD = """
import json, resource, sys
import numpy as np
from sim.engine import count_first_changes
from theory import Constant, Timeline

peaks = []
for decisions in map(int, sys.argv[1:]):
    count_first_changes(
        np.random.default_rng(0), [Constant(0.01)], Timeline.from_gaps(72.0), decisions
    )
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
print(json.dumps(peaks))
"""


def measure(*, full: bool) -> list[Figure]:
    """The peak of resident memory in a process of its own, after few decisions and after many."""
    del full
    arguments = [sys.executable, "-c", _CHILD, str(FEW), str(MANY)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    few, many = json.loads(done.stdout)
    return [
        Figure(
            "peak memory at 10^9 decisions / at 10^5",
            many / few,
            1.05,
            "at most",
            {"10^5, MB": few, "10^9, MB": many},
        )
    ]
