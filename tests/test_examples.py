"""Every example runs, and ends with what it promises."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SAYS = {
    "compare_routers.py": "spread_if_apart",
    "dask_cluster.py": "the same rows as here: True",
    "own_bound.py": "no counterexample found",
    "own_hazard.py": "conforms; holds for a day with chance 0.750",
    "own_router.py": "conforms;",
    "sweep_and_plot.py": "of 90 limits miss the theory",
}


def test_every_example_is_tested_and_told_of():
    assert sorted(SAYS) == sorted(path.name for path in EXAMPLES.glob("*.py"))
    told = (EXAMPLES / "README.md").read_text()
    assert all(f"`{name}`" in told for name in SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_an_example_runs(name, tmp_path):
    if name == "dask_cluster.py":
        pytest.importorskip("distributed")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert SAYS[name] in done.stdout
