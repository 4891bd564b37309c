"""Where a page's numbers come from: command, seed, versions, machine, times and hashes."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from reports.provenance import versions

MORE_SOFTWARE = ("statsmodels", "sympy", "z3-solver", "altair", "vl-convert-python")
"""The packages that proofs, verdicts and drawings depend on, beside those of the numbers."""


@dataclass(frozen=True)
class Provenance:
    """What it takes to make the same page again."""

    command: str
    """The command line, as it could be typed again."""
    seed: int
    """The seed of every random draw."""
    versions: Mapping[str, str]
    """Python and the main libraries, each with its version."""
    platform: str
    """System and processor."""
    seconds: float
    """What the results took to compute; differs from run to run."""
    written: datetime
    """When the page was written; differs from run to run."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each input file, by its name."""

    @classmethod
    def of_now(
        cls, *, command: str, seed: int, seconds: float, hashes: Mapping[str, str] | None = None
    ) -> Self:
        """The provenance of a page that is written on this machine, now."""
        return cls(
            command=command,
            seed=seed,
            versions=versions(*MORE_SOFTWARE),
            platform=f"{platform.system()} {platform.machine()}",
            seconds=seconds,
            written=datetime.now(UTC),
            hashes=hashes or {},
        )
