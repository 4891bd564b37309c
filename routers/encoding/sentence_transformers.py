"""Sentence encoders that the library sentence-transformers runs, where it is installed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from routers.encoding.encoder import Vectors
from theory.errors import BadInput

_LIBRARY = "sentence-transformers"


class TransformersEncoder:
    """A model of that library, on the processor."""

    def __init__(self, name: str, *, is_folder: bool) -> None:
        """`name` is a folder, or a model's name, which the library looks up and may download."""
        self.name = name
        self._model = _loaded(name, is_folder=is_folder)
        self.sha256 = {
            "weights": _digest(
                part
                for key, tensor in sorted(self._model.state_dict().items())
                for part in (key.encode(), tensor.numpy().tobytes())
            ),
            "vocabulary": _digest(
                f"{piece} {number}\n".encode()
                for piece, number in sorted(self._model.tokenizer.get_vocab().items())
            ),
        }

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row for each text; zeros where it holds no word piece that the encoder knows."""
        rows = [self._row(text) for text in texts]
        return np.stack(rows) if rows else np.empty((0, 0), np.float32)

    def _row(self, text: str) -> Vectors:
        # One text a call: a batch is padded, and its vectors change with the padding.
        row = np.asarray(
            self._model.encode([text], normalize_embeddings=True, show_progress_bar=False)[0],
            np.float32,
        )
        tokenizer = self._model.tokenizer
        pieces = tokenizer(text, add_special_tokens=False, truncation=True)["input_ids"]
        return row if set(pieces) - {tokenizer.unk_token_id} else np.zeros_like(row)


def _loaded(name: str, *, is_folder: bool) -> Any:  # noqa: ANN401 (the library need not be there)
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        what = (
            "a model that is no BERT in safetensors" if is_folder else "the name of a hub's model"
        )
        rule = f"is {what}, which needs the package {_LIBRARY}: install the extra `encoders`"
        if not is_folder and (os.sep in name[:2] or name.startswith(".")):
            rule = "must be a folder that exists"
        raise BadInput("encoder", name, rule) from error
    try:
        return SentenceTransformer(name, device="cpu", local_files_only=is_folder)
    except Exception as error:  # whatever the library or the network comes up with
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BadInput("encoder", name, f"could not be loaded: {reason}") from error


def _digest(parts: Any) -> str:  # noqa: ANN401
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
