"""The layer rule, and that the literal top-level folders are the ones imported."""

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = ["theory", "routers", "llm", "sim", "reports"]
PRESENT = [layer for layer in LAYERS if (ROOT / layer).is_dir()]


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("layer", PRESENT)
def test_each_layer_imports_only_from_those_above_it(layer):
    below = set(LAYERS[LAYERS.index(layer) + 1 :])
    for path in (ROOT / layer).rglob("*.py"):
        assert not below & set(imports(path)), path


@pytest.mark.parametrize("layer", PRESENT)
def test_the_package_found_by_name_is_this_repository_s(layer):
    assert Path(find_spec(layer).origin).parent == ROOT / layer


@pytest.mark.parametrize(
    "module",
    [
        "simpy", "sympy", "z3", "altair", "scipy", "statsmodels", "pandas", "hypothesis", "polars",
        "numba",
    ],
)  # fmt: skip
def test_importing_theory_and_the_command_line_brings_in_nothing_heavy(module):
    code = f"import sys, theory, reports.cli.main; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
