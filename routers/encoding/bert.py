"""BERT's forward pass in NumPy: word pieces to one vector a text, the same whatever the batch.

    hidden = norm(word + position + type)
    each layer:  hidden = norm(hidden + out(attention(hidden)))
                 hidden = norm(hidden + down(gelu(up(hidden))))

as in Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers" (2019), followed by the
mean over a text's pieces, or its first one, and scaling to length 1.

A matrix library sums in another order when a matrix has another shape, or when a row lies elsewhere
in it, so that a text's vector would change with its batch mates. Here the pieces of each text are a
matrix of their own, never padded. What a batch saves is that every layer's weights are
fetched from memory once for all texts of a group.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from routers.encoding.encoder import Vectors

GROUP = 64
"""Texts that go through a layer one after another, while its weights are at hand."""

Pooling: TypeAlias = Literal["mean", "first"]

Pieces: TypeAlias = Sequence[int]
"""The numbers of a text's word pieces, one at least."""


class Dense(NamedTuple):
    """A dense layer: x @ matrix + bias."""

    matrix: Vectors
    bias: Vectors

    def __call__(self, x: Vectors) -> Vectors:
        """The layer's output, a row for each row of x."""
        y: Vectors = x @ self.matrix
        y += self.bias
        return y


class Norm(NamedTuple):
    """Scales each row to mean 0 and variance 1, then to what was learned."""

    scale: Vectors
    shift: Vectors
    epsilon: np.float32

    def __call__(self, x: Vectors) -> Vectors:
        """The rows, in place."""
        x -= x.mean(axis=1, keepdims=True)
        variance = np.square(x).mean(axis=1, keepdims=True)
        x /= np.sqrt(variance + self.epsilon)
        x *= self.scale
        x += self.shift
        return x


class Layer(NamedTuple):
    """One of BERT's layers."""

    query_key_value: Dense
    out: Dense
    attention_norm: Norm
    up: Dense
    down: Dense
    norm: Norm


class Settings(NamedTuple):
    """The sizes of a model, as its `config.json` says them, and how it pools."""

    words: int
    """Word pieces that it knows."""
    places: int
    """The most pieces that a text can have."""
    width: int
    """Numbers of a vector."""
    inner: int
    """Numbers between the two steps of a layer's second half."""
    layers: int
    heads: int
    """Into which a vector is divided evenly."""
    epsilon: float
    pooling: Pooling

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every array among the weights, by its published name."""
        found: dict[str, tuple[int, ...]] = {
            "embeddings.word_embeddings.weight": (self.words, self.width),
            "embeddings.position_embeddings.weight": (self.places, self.width),
            "embeddings.token_type_embeddings.weight": (2, self.width),
        }
        square = (self.width, self.width)
        norms = ["embeddings.LayerNorm"]
        for at in range(self.layers):
            layer = f"encoder.layer.{at}"
            dense = {
                "attention.self.query": square,
                "attention.self.key": square,
                "attention.self.value": square,
                "attention.output.dense": square,
                "intermediate.dense": (self.inner, self.width),
                "output.dense": (self.width, self.inner),
            }
            for name, shape in dense.items():
                found[f"{layer}.{name}.weight"] = shape
                found[f"{layer}.{name}.bias"] = shape[:1]
            norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for norm in norms:
            found[f"{norm}.weight"] = found[f"{norm}.bias"] = (self.width,)
        return found


class Bert:
    """The encoder of one set of weights."""

    def __init__(self, weights: Mapping[str, Vectors], settings: Settings) -> None:
        """`weights` are arrays by their published names, of the shapes that the settings say."""
        self._weights = weights
        self._epsilon = np.float32(settings.epsilon)
        self._heads = settings.heads
        self._pooling = settings.pooling
        self.width = settings.width
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"]
        self._kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = self._norm_of("embeddings.LayerNorm")
        self._layers = [self._layer(f"encoder.layer.{at}") for at in range(settings.layers)]

    def encode(self, texts: Sequence[Pieces]) -> Vectors:
        """A row of length 1 for each text, which has no more pieces than there are positions."""
        vectors = np.empty((len(texts), self.width), np.float32)
        for start in range(0, len(texts), GROUP):
            hidden = [self._embedded(pieces) for pieces in texts[start : start + GROUP]]
            for layer in self._layers:
                hidden = [self._apply(layer, each) for each in hidden]
            for at, each in enumerate(hidden, start):
                vectors[at] = self._pooled(each)
        return vectors

    def _embedded(self, pieces: Pieces) -> Vectors:
        """A row for each piece of one text."""
        hidden: Vectors = self._words[list(pieces)]
        hidden += self._places[: len(pieces)]
        hidden += self._kind
        return self._norm(hidden)

    def _apply(self, layer: Layer, hidden: Vectors) -> Vectors:
        hidden = layer.attention_norm(
            layer.out(self._attention(layer.query_key_value(hidden))) + hidden
        )
        return layer.norm(layer.down(_gelu(layer.up(hidden))) + hidden)

    def _attention(self, mixed: Vectors) -> Vectors:
        """What each piece of one text takes from the others; `mixed` holds query, key and value."""
        pieces = len(mixed)
        width = mixed.shape[1] // 3 // self._heads
        # Shape (3, heads, pieces, width).
        query, key, value = mixed.reshape(pieces, 3, self._heads, width).transpose(1, 2, 0, 3)
        weights: Vectors = query @ key.transpose(0, 2, 1)
        weights *= np.float32(1 / math.sqrt(width))
        weights -= weights.max(axis=2, keepdims=True)
        np.exp(weights, out=weights)
        weights /= weights.sum(axis=2, keepdims=True)
        taken: Vectors = weights @ value
        return taken.transpose(1, 0, 2).reshape(pieces, -1)

    def _pooled(self, hidden: Vectors) -> Vectors:
        pooled: Vectors = hidden[0] if self._pooling == "first" else hidden.mean(axis=0)
        pooled /= np.sqrt(np.square(pooled).sum())
        return pooled

    def _layer(self, name: str) -> Layer:
        mixed = [self._dense_of(f"{name}.attention.self.{it}") for it in ("query", "key", "value")]
        return Layer(
            Dense(
                np.concatenate([it.matrix for it in mixed], axis=1),
                np.concatenate([it.bias for it in mixed]),
            ),
            self._dense_of(f"{name}.attention.output.dense"),
            self._norm_of(f"{name}.attention.output.LayerNorm"),
            self._dense_of(f"{name}.intermediate.dense"),
            self._dense_of(f"{name}.output.dense"),
            self._norm_of(f"{name}.output.LayerNorm"),
        )

    def _dense_of(self, name: str) -> Dense:
        matrix = np.ascontiguousarray(self._weights[f"{name}.weight"].T)
        return Dense(matrix, self._weights[f"{name}.bias"])

    def _norm_of(self, name: str) -> Norm:
        scale, shift = self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        return Norm(scale, shift, self._epsilon)


def _gelu(x: Vectors) -> Vectors:
    """Multiply each x, in place, by the normal distribution function at x.

    By formula 7.1.26 of Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), within
    1.5e-7 of the error function: as near as float32 tells, and four times as fast as SciPy's.
    """
    z = np.abs(x)
    z *= np.float32(math.sqrt(0.5))
    t = np.float32(1) / (np.float32(1) + np.float32(0.3275911) * z)
    tail = np.full_like(t, 1.061405429)
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail *= t
        tail += np.float32(coefficient)
    tail *= t
    np.square(z, out=z)
    np.negative(z, out=z)
    tail *= np.exp(z, out=z)  # 1 - erf(|x| / sqrt 2)
    tail *= np.float32(0.5)
    share = np.where(x < 0, tail, np.float32(1) - tail)
    x *= share
    return x
