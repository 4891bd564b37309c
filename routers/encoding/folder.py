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
    config = _object(folder, CONFIG)
    pooling_file = _pooling_file(_read(folder, _MODULES))
    if not _is_bert(config) or pooling_file is None:
        return None
    pooling = _pooling(_object(folder, pooling_file))
    if pooling is None:
        return None
    sizes = {name: _size(folder, config, key) for name, key in _SIZES.items()}
    settings = Settings(**sizes, epsilon=_epsilon(folder, config), pooling=pooling)
    if settings.width % settings.heads:
        rule = f"has a {CONFIG} whose hidden_size is no multiple of num_attention_heads"
        raise BadInput("encoder", str(folder), rule)
    files, longest = [CONFIG, _MODULES, pooling_file, TOKENIZER, WEIGHTS], settings.places
    if (folder / _LENGTH).is_file():
        files.append(_LENGTH)
        said = _object(folder, _LENGTH)
        if said.get("max_seq_length") is not None:
            longest = min(longest, _size(folder, said, "max_seq_length", file=_LENGTH))
    return Plan(tuple(sorted(files)), settings, longest)


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
            raise _unreadable(folder, TOKENIZER, error) from error
        if self._tokenizer.get_vocab_size() > how.settings.words:
            rule = f"has a {TOKENIZER} with more word pieces than {CONFIG} says"
            raise BadInput("encoder", str(folder), rule)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(how.longest)
        self._bert = Bert(_weights(folder, how.settings), how.settings)
        marks = map(self._tokenizer.token_to_id, ("[CLS]", "[SEP]", "[UNK]", "[PAD]"))
        self._says_nothing = set(marks) - {None}

    def encode(self, texts: Sequence[str]) -> Vectors:
        """A row for each text; zeros where it holds no word piece that the encoder knows."""
        # One by one: its batches start threads, which a process that forks later cannot have.
        pieces = [self._tokenizer.encode(text).ids for text in texts]
        read = [at for at, ids in enumerate(pieces) if not self._says_nothing.issuperset(ids)]
        vectors = np.zeros((len(texts), self._bert.width), np.float32)
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


_SIZES = {
    "words": "vocab_size",
    "places": "max_position_embeddings",
    "width": "hidden_size",
    "inner": "intermediate_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
}


def _is_bert(config: Mapping[str, Any]) -> bool:
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
    )


def _pooling_file(modules: object) -> str | None:
    """Where the folder says how to pool, if its modules are those that we run."""
    paths: dict[str, object] = {}
    for module in modules if isinstance(modules, list) else []:
        if isinstance(module, dict):
            paths[str(module.get("type")).rpartition(".")[2]] = module.get("path")
    ours = {"Transformer", "Pooling"} <= paths.keys() <= {"Transformer", "Pooling", "Normalize"}
    if not ours or paths["Transformer"] != "":
        return None
    return f"{paths['Pooling']}/{CONFIG}"


def _pooling(config: Mapping[str, Any]) -> Pooling | None:
    """The one way of pooling that is switched on, if it is one of ours."""
    on = [name for name, value in config.items() if name.startswith("pooling_mode") and value]
    return _POOLINGS.get(on[0]) if len(on) == 1 else None


_POOLINGS: dict[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "first",
}


def _size(folder: Path, config: Mapping[str, Any], key: str, *, file: str = CONFIG) -> int:
    size = config.get(key)
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        rule = f"has a {file} whose {key} is {size!r}, not a whole number >= 1"
        raise BadInput("encoder", str(folder), rule)
    return size


def _epsilon(folder: Path, config: Mapping[str, Any]) -> float:
    epsilon = config.get("layer_norm_eps")
    if not isinstance(epsilon, float) or not 0 < epsilon < 1:
        rule = f"has a {CONFIG} whose layer_norm_eps is {epsilon!r}, not between 0 and 1"
        raise BadInput("encoder", str(folder), rule)
    return epsilon


def _weights(folder: Path, settings: Settings) -> dict[str, Vectors]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        loaded = load_file(folder / WEIGHTS)
    except (SafetensorError, OSError, TypeError) as error:
        raise _unreadable(folder, WEIGHTS, error) from error
    named = {name.removeprefix("bert."): array for name, array in loaded.items()}
    weights = {}
    for name, shape in settings.shapes().items():
        if name not in named or named[name].shape != shape:
            found = named[name].shape if name in named else "nothing"
            rule = f"has a {WEIGHTS} with {found} for {name}, where {CONFIG} means {shape}"
            raise BadInput("encoder", str(folder), rule)
        weights[name] = named[name].astype(np.float32, copy=False)
    return weights


def _object(folder: Path, name: str) -> dict[str, Any]:
    found = _read(folder, name)
    if not isinstance(found, dict):
        raise BadInput("encoder", str(folder), f"has a {name} that is no JSON object")
    return found


def _read(folder: Path, name: str) -> Any:  # noqa: ANN401 (JSON)
    try:
        return json.loads((folder / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unreadable(folder, name, error) from error


def _unreadable(folder: Path, name: str, error: Exception) -> BadInput:
    reason = " ".join(str(error).split())
    return BadInput("encoder", str(folder), f"has a {name} that could not be read: {reason}")
