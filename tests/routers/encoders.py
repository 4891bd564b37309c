"""Encoders for tests: words thrown into a few numbers, vectors given beforehand, a small BERT."""

import json
from functools import cache

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from routers.encoding.bert import Settings
from routers.tokens import tokens

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *["the", "quay", "is", "closed", "from", "nine", "until", "ten", "on", "monday"],
]
WIDTH, LAYERS, HEADS, PLACES = 24, 2, 3, 40


class Bags:
    """A text's vector is the sum of those of its words, drawn once for each word."""

    name = "bags"
    sha256 = {"words": "0" * 64}  # noqa: RUF012 (a test's)

    def __init__(self, width=16):
        self.width = width
        self.encoded = []

    def encode(self, texts):
        self.encoded += texts
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text):
        total = np.zeros(self.width)
        for word in tokens(text):
            total += _drawn(word, self.width)
        length = np.linalg.norm(total)
        return (total / length if length else total).astype(np.float32)


@cache
def _drawn(word, width):
    return np.random.default_rng(list(word.encode())).standard_normal(width)


class Given:
    """The vectors of texts as a test gives them."""

    name = "given"
    sha256 = {}  # noqa: RUF012

    def __init__(self, vectors):
        self.vectors = vectors

    def encode(self, texts):
        return np.stack([self.vectors[text] for text in texts])


def small_bert(folder, *, seed=0, pooling="mean", longest=16, **config):
    """Writes the folder of a BERT of random weights that knows a few words."""
    rng = np.random.default_rng(seed)
    (folder / "1_Pooling").mkdir(parents=True)

    def write(name, document):
        (folder / name).write_text(json.dumps(document))

    plain = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "vocab_size": len(WORDS),
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * WIDTH,
        "max_position_embeddings": PLACES,
        "layer_norm_eps": 1e-12,
    }
    write("config.json", plain | config)
    parts = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    kind = "sentence_transformers.models"
    write("modules.json", [{"path": path, "type": f"{kind}.{it}"} for it, path in parts.items()])
    write("sentence_bert_config.json", {"max_seq_length": longest})
    write(
        "1_Pooling/config.json",
        {
            "word_embedding_dimension": WIDTH,
            "pooling_mode_mean_tokens": pooling == "mean",
            "pooling_mode_cls_token": pooling == "cls",
        },
    )
    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(small_weights(rng), folder / "model.safetensors")
    return folder


def small_settings(pooling="mean"):
    """Those of that model."""
    return Settings(len(WORDS), PLACES, WIDTH, 2 * WIDTH, LAYERS, HEADS, 1e-12, pooling)


def small_weights(rng):
    """Random weights by their published names."""
    shapes = small_settings().shapes()
    return {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
