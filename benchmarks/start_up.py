"""How long the start takes: `import theory` and `bestbefore --help`."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from benchmarks.figure import Figure

TIMES = 9


def measure(*, full: bool) -> list[Figure]:
    """The median processor time of a fresh process; for the import, less that of an empty one."""
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


def import_seconds(module: str) -> dict[str, float]:
    """The median processor time of `import module` in a fresh process, less an empty one's."""
    empty, whole = (_median([sys.executable, "-c", code]) for code in ("", f"import {module}"))
    return {f"import {module}": whole - empty, "python -c ''": empty}


def _median(command: list[str]) -> float:
    return statistics.median(_seconds(command) for _ in range(TIMES))


def _seconds(command: list[str]) -> float:
    # With more, BLAS's threads spin while they start, which nobody waits for.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
