"""Sentence encoders from a folder: BERT models in the layout of the sentence-transformers library.

The folder holds `config.json`, `model.safetensors` and `tokenizer.json`, and how to pool in
`modules.json` and the folder it names. Nothing in it is executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from routers.encoding.bert import Bert, Pooling, Settings
from routers.encoding.encoder import Vectors
from theory.errors import BadInput

WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"
_MODULES, _LENGTH = "modules.json", "sentence_bert_config.json"


class Plan(NamedTuple):
    """How a folder's model encodes."""

    files: tuple[str, ...]
    """The files that its vectors follow from."""
    settings: Settings
    longest: int
    """The word pieces of a text that it reads, its two marks included; what follows is cut off."""


def is_model(folder: Path) -> bool:
    """Whether the folder looks like a sentence encoder, ours to run or not."""
    return (folder / CONFIG).is_file() or (folder / _MODULES).is_file()


def plan(folder: Path) -> Plan | None:
    """How to run the folder's model; None where it is no BERT in the layout that we read."""
    if not all((folder / name).is_file() for name in (CONFIG, WEIGHTS, TOKENIZER, _MODULES)):
        return None
    config, modules = _object(folder / CONFIG), _read(folder / _MODULES)
    if not _is_bert(config) or not isinstance(modules, list):
        return None
    kinds = {str(module.get("type", "")).rpartition(".")[2]: module for module in modules}
    if not {"Transformer", "Pooling"} <= kinds.keys() <= {"Transformer", "Pooling", "Normalize"}:
        return None
    pooling_file = f"{kinds['Pooling']['path']}/config.json"
    pooling = _pooling(_object(folder / pooling_file))
    if kinds["Transformer"].get("path") != "" or pooling is None:
        return None
    files = [CONFIG, _MODULES, pooling_file, TOKENIZER, WEIGHTS]
    longest = int(config["max_position_embeddings"])
    if (folder / _LENGTH).is_file():
        files.append(_LENGTH)
        longest = min(longest, _object(folder / _LENGTH).get("max_seq_length") or longest)
    return Plan(
        tuple(sorted(files)),
        Settings(
            config["num_hidden_layers"],
            config["num_attention_heads"],
            config["layer_norm_eps"],
            pooling,
        ),
        longest,
    )


class FolderEncoder:
    """The encoder in a folder, run in NumPy on one thread."""

    def __init__(self, folder: Path, how: Plan, *, name: str, sha256: Mapping[str, str]) -> None:
        """`sha256` of the plan's files, as `hashes` gives them."""
        from tokenizers import Tokenizer

        self.name = name
        self.sha256 = sha256
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # the library raises nothing narrower
            raise _damaged(folder / TOKENIZER, error) from error
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(how.longest)
        self._bert = Bert(_weights(folder / WEIGHTS), how.settings)
        special = {"[CLS]", "[SEP]", "[UNK]", "[PAD]"}
        numbers = {self._tokenizer.token_to_id(piece) for piece in special}
        self._says_nothing = numbers - {None}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row for each text; zeros where it holds no word piece that the encoder knows."""
        # One by one: its batches start threads, which a process that forks later cannot have.
        pieces = [self._tokenizer.encode(text).ids for text in texts]
        read = [at for at, ids in enumerate(pieces) if not self._says_nothing.issuperset(ids)]
        vectors = np.zeros((len(texts), self._bert.words.shape[1]), np.float32)
        with self._one_thread.limit(limits=1, user_api="blas"):
            vectors[read] = self._bert.encode([pieces[at] for at in read])
        return vectors

    @cached_property
    def _one_thread(self) -> Any:  # noqa: ANN401 (the library ships no types)
        """Holds the matrix library to one thread.

        Its products are too small to share, and no vector is to follow from the number of cores.
        """
        from threadpoolctl import ThreadpoolController

        return ThreadpoolController()


def hashes(folder: Path, files: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of files in a folder, in hexadecimal."""
    found = {}
    for name in files:
        with (folder / name).open("rb") as file:
            found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def _is_bert(config: Mapping[str, Any]) -> bool:
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
    )


def _pooling(config: Mapping[str, Any]) -> Pooling | None:
    """The one way of pooling that is switched on, if it is one of ours."""
    on = [name for name, value in config.items() if name.startswith("pooling_mode") and value]
    ours: dict[str, Pooling] = {
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_cls_token": "first",
    }
    return ours.get(on[0]) if len(on) == 1 else None


def _weights(path: Path) -> dict[str, Vectors]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        found = load_file(path)
    except SafetensorError as error:
        raise _damaged(path, error) from error
    return {name.removeprefix("bert."): np.asarray(it, np.float32) for name, it in found.items()}


def _object(path: Path) -> dict[str, Any]:
    found = _read(path)
    if not isinstance(found, dict):
        raise BadInput("encoder", str(path), "must be a JSON object")
    return found


def _read(path: Path) -> Any:  # noqa: ANN401 (JSON)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> BadInput:
    return BadInput("encoder", str(path), f"could not be read: {error}")
