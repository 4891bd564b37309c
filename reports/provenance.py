"""Where a result comes from: what a reader needs to make it again."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

SOFTWARE = ("bestbefore", "numpy", "scipy", "polars", "simpy")
"""The packages that numbers depend on."""


def provenance(command: str, seed: int) -> dict[str, Any]:
    """What every manifest begins with: the command, its seed and the software that ran it."""
    return {"command": command, "seed": seed, "versions": versions()}


def versions(*more: str) -> dict[str, str]:
    """The version of Python, of each package that numbers depend on, and of some more."""
    names = (*SOFTWARE, *more)
    return {"python": platform.python_version()} | {name: version(name) for name in names}


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
