"""How long the start takes: `import theory` and `bestbefore --help`."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.figure import Figure

TIMES = 9


def measure(*, full: bool) -> list[Figure]:
    """The median wall time of a fresh process, less that of an empty one for the import."""
    del full
    command = str(Path(sys.executable).with_name("bestbefore"))
    seconds = {
        "python -c ''": _median([sys.executable, "-c", ""]),
        "import theory": _median([sys.executable, "-c", "import theory"]),
        "bestbefore --help": _median([command, "--help"]),
    }
    measured = {f"{name}, s": took for name, took in seconds.items()}
    importing = seconds["import theory"] - seconds["python -c ''"]
    return [
        Figure("import theory, s", importing, 0.3, "at most", measured),
        Figure("bestbefore --help, s", seconds["bestbefore --help"], 0.5, "at most", measured),
    ]


def _median(command: list[str]) -> float:
    return statistics.median(_seconds(command) for _ in range(TIMES))


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started
