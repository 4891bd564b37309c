"""The runner: `python -m benchmarks [NAME ...] [--json FILE]`.

Without names all benchmarks run, the slow ones on a sample; a benchmark named runs in full. Only
named does `reference` run, which writes the reference figures into `reports/reference.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from benchmarks.figure import Figure, as_record
from benchmarks.registry import BENCHMARKS, ON_REQUEST, load
from reports.files import check_writable, written_whole
from reports.provenance import versions
from theory.errors import BadInput


def main() -> int:
    """Run the benchmarks, print their figures, and write them as JSON where asked."""
    arguments = _parse()
    if arguments.json:
        check_writable(arguments.json, field="--json")
    document: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "architecture": platform.machine()},
        "versions": versions(),
        "benchmarks": {},
    }
    for name in arguments.names or BENCHMARKS:
        try:
            figures = load(name)(full=bool(arguments.names))
        except ModuleNotFoundError as error:
            print(f"{name}: skipped, {error.name} is not installed")
            continue
        document["benchmarks"][name] = [as_record(figure) for figure in figures]
        for figure in figures:
            print(_line(figure), flush=True)
    if arguments.json:
        with written_whole(arguments.json, field="--json") as part:
            part.write_text(json.dumps(document, indent=2) + "\n")
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = (*BENCHMARKS, *ON_REQUEST)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in known:
            parser.error(f"no benchmark {name!r}: choose from {', '.join(known)}")
    return arguments


def _line(figure: Figure) -> str:
    verdict = "met" if figure.met else "NOT MET"
    behind = "; ".join(f"{name}: {value:,.3g}" for name, value in figure.measured.items())
    target = f"{figure.rule} {figure.target:,g}"
    return f"{figure.what}: {figure.value:,.4g} ({target}: {verdict})  [{behind}]"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BadInput as error:
        sys.exit(f"benchmarks: {error}")
