"""What an encoder is, and what is asked of the vectors that it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.errors import BadInput

Vectors: TypeAlias = NDArray[np.float32]
"""Shape (texts, d); each row of length 1, or all zeros."""

LENGTH_TOLERANCE = 1e-3
"""How far from 1 the length of a vector may be."""


class Encoder(Protocol):
    """Turns texts into vectors: the closer their meaning, the higher their inner product.

    The vector of a text follows from that text alone, to the last bit: not from the texts that are
    encoded with it, nor from chance.
    """

    @property
    def name(self) -> str:
        """Its name in manifests and error lines."""
        ...

    @property
    def sha256(self) -> Mapping[str, str]:
        """The SHA-256 of each file, or part, that its vectors follow from."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row for each text, of length 1; all zeros where it can read nothing in the text."""
        ...


def described(encoder: Encoder) -> dict[str, object]:
    """What a manifest says of an encoder."""
    return {"name": encoder.name, "sha256": dict(encoder.sha256)}


def checked_vectors(vectors: Vectors, texts: int, *, encoder: str) -> Vectors:
    """The vectors of that many texts; refuses what would deliver notices to arbitrary entries."""
    if vectors.ndim != 2 or len(vectors) != texts or vectors.dtype != np.float32:
        found = f"{vectors.dtype} of shape {vectors.shape}"
        rule = f"must give float32 vectors of shape ({texts}, d), not {found}"
        raise BadInput("encoder", encoder, rule)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    if not np.isfinite(lengths).all():
        raise BadInput("encoder", encoder, "must give finite vectors: its weights may be damaged")
    if ((np.abs(lengths - 1) > LENGTH_TOLERANCE) & (lengths != 0)).any():
        raise BadInput("encoder", encoder, "must give vectors of length 1")
    return vectors
