"""A sweep's memory at 100,000 cells against its memory at 1,000, and how fast it reads back."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from benchmarks.figure import Figure

FEW, MANY = 1_000, 100_000
_CHILD = """
import json, resource, sys
from pathlib import Path
from sim import sweep
from sim.ceiling_cell import ceiling_cell, ceiling_cells

peaks = []
for cells in map(int, sys.argv[2:]):
    sweep(
        ceiling_cells(hazard=[0.001 + 0.0001 * i for i in range(cells // 100)],
                      gap=range(1, 101), decisions=10),
        ceiling_cell,
        out=Path(sys.argv[1]) / str(cells),
    )
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
print(json.dumps(peaks))
"""


def measure(*, full: bool) -> list[Figure]:
    """The peak of resident memory in a process of its own, after few cells and after many."""
    del full
    with tempfile.TemporaryDirectory() as folder:
        arguments = [sys.executable, "-c", _CHILD, folder, str(FEW), str(MANY)]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True)
        started = time.perf_counter()
        rows = pl.read_parquet(Path(folder) / str(MANY)).height
        read = time.perf_counter() - started
    few, many = json.loads(done.stdout)
    return [
        Figure(
            "sweep of 100,000 cells over one of 1,000, kB of memory a cell",
            1024 * (many - few) / (MANY - FEW),
            4,
            "at most",
            {f"{FEW:,} cells, MB": few, f"{MANY:,} cells, MB": many},
        ),
        Figure("reading it back, s", read, 1, "at most", {"rows": rows}),
    ]
