"""The random stream of one cell: it follows from what the cell is, never from where it stands.

A cell's child seed is a hash of its parameters and replicate, so that it gives the same bytes
alone, in any order, with any number of workers and after cells are added to its grid.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from theory.errors import BadInput

Value: TypeAlias = float | int | str
Parameters: TypeAlias = Mapping[str, Value]


def cell_seed(seed: int, parameters: Parameters, replicate: int = 0) -> np.random.SeedSequence:
    """The child of `seed` for a cell, spawned by its `cell_key`."""
    words = struct.unpack(">8I", cell_key(parameters, replicate))
    return np.random.SeedSequence(seed, spawn_key=words)


def cell_key(parameters: Parameters, replicate: int = 0) -> bytes:
    """What a cell is, in 32 bytes: the SHA-256 of its sorted parameters and replicate.

    Numbers count as IEEE doubles (0, 0.0 and -0.0 alike), text as UTF-8, each with its name and
    both with their lengths, so that no two cells share an encoding.
    """
    digest = hashlib.sha256()
    for name, value in [*sorted(parameters.items()), ("replicate", replicate)]:
        digest.update(_sized(name.encode()))
        digest.update(_encoded(name, value))
    return digest.digest()


def cell_rng(seed: int, parameters: Parameters, replicate: int = 0) -> np.random.Generator:
    """A fresh generator at the start of a cell's stream."""
    return np.random.Generator(np.random.SFC64(cell_seed(seed, parameters, replicate)))


def _encoded(name: str, value: Value) -> bytes:
    if isinstance(value, str):
        return b"s" + _sized(value.encode())
    number = float(value) + 0.0  # -0.0 becomes 0.0
    if number != number:
        raise BadInput(name, value, "must not be NaN")
    return b"d" + struct.pack(">d", number)


def _sized(text: bytes) -> bytes:
    return struct.pack(">Q", len(text)) + text
