"""Encoders by name: the default one, a folder, or a model of a hub."""

from __future__ import annotations

from pathlib import Path

from routers.encoding import packaged
from routers.encoding.encoder import Encoder
from routers.encoding.folder import FolderEncoder, hashes, is_model, plan
from routers.encoding.remembered import Remembered
from theory.errors import BadInput


def as_encoder(given: Encoder | str | None) -> Encoder:
    """An encoder given itself, or by its name."""
    return make_encoder(given) if given is None or isinstance(given, str) else given


def make_encoder(name: str | None = None) -> Remembered:
    """The encoder of this name: a folder, a hub's model, or `all-MiniLM-L6-v2`, the default.

    A folder in the layout of sentence-transformers that holds a BERT model runs in NumPy; every
    other model needs that library. The network is used only for the name of a hub's model.
    """
    if name is None or name == packaged.NAME:
        return packaged.packaged()
    folder = Path(name)
    if folder.is_dir():
        if not is_model(folder):
            rule = "must be the folder of a sentence encoder: it has no config.json"
            raise BadInput("encoder", name, rule)
        folder = folder.resolve()
        how = plan(folder)
        if how is not None:
            found = hashes(folder, how.files)
            return Remembered(FolderEncoder(folder, how, name=str(folder), sha256=found))
        name = str(folder)
    elif folder.exists():
        raise BadInput("encoder", name, "must be a folder, not a file")
    from routers.encoding.sentence_transformers import TransformersEncoder

    return Remembered(TransformersEncoder(name, is_folder=folder.is_dir()))
