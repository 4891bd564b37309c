"""The shell examples of the ledger's page print what the page says that they print."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "ledger.md"


def examples():
    """Each command of the page's console blocks, with the output that follows it."""
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for example in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = example.splitlines()
            command = [lines[0]]
            while len(command) < len(lines) and lines[len(command)].startswith("> "):
                command.append(lines[len(command)].removeprefix("> "))
            yield "\n".join(command), lines[len(command) :]


def test_the_commands_of_the_page_print_what_it_says(tmp_path):
    here = tmp_path / "bestbefore"
    code = "from reports.cli.main import main; main()"
    here.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{code}' \"$@\"\n")
    here.chmod(here.stat().st_mode | stat.S_IXUSR)
    found = list(examples())
    assert len(found) >= 7
    for command, output in found:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.stdout.splitlines() == output, command
