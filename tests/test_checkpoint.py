"""Checkpoints in the reference's format: written from golden vectors, read back, converted; and what is refused."""

import collections
import json
import os
import pickle
import sys
import types
import zipfile

import numpy
import pytest
import torch

from spacy_lal.checkpoint.convert import convert_state_dict, load_network, network_config, our_key
from spacy_lal.checkpoint.reader import CheckpointError, read_checkpoint
from spacy_lal.layers.network_inputs import NetworkInputs
from spacy_lal.layers.parser_network import ParserNetwork


class Vocabulary:
    """Looks like the reference's class once it is pickled under its name."""

    def __init__(self, values):
        self.values = values
        self.indices = {value: i for i, value in enumerate(values)}
        self.counts = collections.defaultdict(int, dict.fromkeys(values, 1))
        self.frozen = True


@pytest.fixture
def reference_classes(monkeypatch):
    """While a checkpoint is written, the class is where the reference has it; reading must not need it."""
    module = types.ModuleType("vocabulary")
    module.Vocabulary = Vocabulary
    monkeypatch.setattr(Vocabulary, "__module__", "vocabulary")
    monkeypatch.setitem(sys.modules, "vocabulary", module)
    return module


def load_vectors(folder, name):
    arrays = numpy.load(folder / f"{name}.npz")
    state = {key[3:]: torch.from_numpy(arrays[key].astype("f4")) for key in arrays.files if key.startswith("sd/")}
    return json.loads((folder / f"{name}.json").read_text()), arrays, state


@pytest.fixture
def content(data_dir, reference_classes):
    info, _, state = load_vectors(data_dir / "vectors", "a_best")
    state["xlnet.word_embedding.weight"] = torch.ones(3, 2)
    spec = {
        "tag_vocab": Vocabulary(info["tag_vocab"]),
        "word_vocab": Vocabulary(["<START>", "<STOP>", "<UNK>", "a"]),
        "label_vocab": Vocabulary([tuple(chain) for chain in info["label_vocab"]]),
        "char_vocab": Vocabulary(["\0"]),
        "type_vocab": Vocabulary(info["type_vocab"]),
        "hparams": {**info["hparams"], "learning_rate": numpy.float64(8e-4)},
        "exp_name": None,
    }
    parameters = collections.OrderedDict((key, torch.nn.Parameter(value)) for key, value in state.items())
    trainer = {"state": {0: {"step": 3, "exp_avg": torch.zeros(2)}}, "param_groups": [{"lr": 1e-3, "params": [0]}]}
    return {"spec": spec, "state_dict": parameters, "trainer": trainer}


@pytest.mark.parametrize("new_format", [True, False])
def test_round_trip(content, data_dir, tmp_path, new_format, monkeypatch):
    path = tmp_path / "best_parser.pt"
    torch.save(content, path, _use_new_zipfile_serialization=new_format)
    monkeypatch.delitem(sys.modules, "vocabulary")
    loaded = load_network(read_checkpoint(path))
    info, arrays, _ = load_vectors(data_dir / "vectors", "a_best")
    assert loaded.labels[:2] == ["S", "NP"] and "S::VP" in loaded.labels
    assert loaded.deprels == info["type_vocab"] and loaded.tags == info["tag_vocab"]
    assert loaded.words == [] and loaded.chars == []
    assert list(loaded.transformer) == ["word_embedding.weight"]
    assert loaded.constituency_weight == info["hparams"]["const_lada"]
    assert loaded.network.n_label_heads == 10 and not loaded.network.biaffine_scorer.given_head
    vectors = torch.from_numpy(arrays["s4/features"].astype("f4")).unsqueeze(0)
    tags = torch.from_numpy(arrays["s4/tag_ids"].astype("i8")).unsqueeze(0)
    output = loaded.network(NetworkInputs(torch.tensor([8]), vectors, tags))
    upper = numpy.triu_indices(9, 1)
    assert numpy.allclose(output.labels[0].detach().numpy()[upper], arrays["s4/label_scores_ut"], atol=2e-5)
    assert numpy.allclose(output.arcs[0].detach().numpy(), arrays["s4/arc"], atol=2e-5)
    assert numpy.allclose(output.deprels[0].detach().numpy(), arrays["s4/type"], atol=2e-5)


class Evil:
    """Calls something when it is unpickled."""

    def __init__(self, call, *args):
        self.call, self.args = call, args

    def __reduce__(self):
        return self.call, self.args


@pytest.mark.parametrize("new_format", [True, False])
@pytest.mark.parametrize("place", ["hparams", "state_dict", "trainer", "top"])
@pytest.mark.parametrize("call", [os.system, eval, getattr, __import__, torch.load, torch.storage._load_from_bytes])
def test_other_names_are_refused_before_anything_is_called(content, tmp_path, call, place, new_format):
    mark = tmp_path / "was_here"
    evil = Evil(call, f"open({str(mark)!r}, 'w')" if call is eval else f"touch {mark}")
    if place == "top":
        content = evil
    elif place == "hparams":
        content["spec"]["hparams"]["seed"] = evil
    else:
        content[place]["seed"] = evil
    path = tmp_path / "best_parser.pt"
    torch.save(content, path, _use_new_zipfile_serialization=new_format)
    with pytest.raises(CheckpointError, match=f"refused: the checkpoint asks for '.*{call.__name__}'"):
        read_checkpoint(path)
    assert not mark.exists()


def test_plain_pickles_and_rubbish_are_refused(tmp_path):
    path = tmp_path / "best_parser.pt"
    for data in (b"", b"rubbish", pickle.dumps(Evil(os.system, f"touch {tmp_path / 'was_here'}"))):
        path.write_bytes(data)
        with pytest.raises(CheckpointError, match="best_parser.pt"):
            read_checkpoint(path)
    assert not (tmp_path / "was_here").exists()


def test_a_truncated_file_is_an_error(content, tmp_path):
    path = tmp_path / "best_parser.pt"
    torch.save(content, path)
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(CheckpointError, match="not a readable checkpoint"):
        read_checkpoint(path)


def test_torchscript_is_refused(tmp_path):
    path = tmp_path / "best_parser.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/constants.pkl", b"")
    with pytest.raises(CheckpointError, match="TorchScript"):
        read_checkpoint(path)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(OSError):
        read_checkpoint(tmp_path / "none.pt")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda c: c.pop("spec"), "expected a dict with 'spec' and 'state_dict'"),
        (lambda c: c["spec"].pop("type_vocab"), "lacks vocabularies: .*type_vocab"),
        (lambda c: c["spec"].update(hparams=[]), "hparams"),
        (lambda c: c["state_dict"].update(extra=3), "not a dict of tensors"),
        (lambda c: setattr(c["spec"]["tag_vocab"], "values", None), "no list of values"),
    ],
)
def test_incomplete_contents_are_refused(content, tmp_path, change, message):
    change(content)
    torch.save(content, tmp_path / "best_parser.pt")
    with pytest.raises(CheckpointError, match=message):
        read_checkpoint(tmp_path / "best_parser.pt")


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda s, h: s.update({"extra.weight": torch.zeros(1)}), "unused: extra.weight"),
        (lambda s, h: s.pop("dep_score.arc_h.bias"), "not filled: biaffine_scorer.arc_head.bias"),
        (
            lambda s, h: s.update({"dep_score.arc_h.bias": torch.zeros(3)}),
            r"another shape: dep_score.arc_h.bias \(3,\)",
        ),
        (lambda s, h: s.pop("f_label.3.weight"), "lack 'f_label.3.weight'"),
        (lambda s, h: h.update(d_model="32"), "make no network"),
        (lambda s, h: h.update(use_elmo=True, use_bert=True), "not supported: use_elmo, use_bert"),
        (lambda s, h: h.update(use_words=True, embedding_type="glove"), "GloVe"),
        (lambda s, h: s.update({"embedding.pretrain_emb.weight": torch.zeros(1)}), "GloVe"),
    ],
)
def test_weights_that_do_not_fit_are_listed(data_dir, change, message):
    info, _, state = load_vectors(data_dir / "vectors", "a_best")
    change(state, info["hparams"])
    with pytest.raises(CheckpointError, match=message):
        convert_state_dict(state, *network_config(info["hparams"], state))


def test_labels_must_begin_with_the_fixed_ones(content, tmp_path):
    content["spec"]["label_vocab"].values.reverse()
    torch.save(content, tmp_path / "best_parser.pt")
    with pytest.raises(CheckpointError, match="label vocabulary begins with"):
        load_network(read_checkpoint(tmp_path / "best_parser.pt"))


def test_vocabularies_must_fit_the_weights(content, tmp_path):
    content["spec"]["tag_vocab"].values.append("XX")
    torch.save(content, tmp_path / "best_parser.pt")
    with pytest.raises(CheckpointError, match="tag_vocab has 12 entries, but the weights are for 11"):
        load_network(read_checkpoint(tmp_path / "best_parser.pt"))


def test_an_older_checkpoint_knows_no_label_attention(data_dir):
    info, _, state = load_vectors(data_dir / "vectors", "e_nolal")
    older = {key: value for key, value in info["hparams"].items() if "lal" not in key}
    config, sizes = network_config(older, state)
    assert config.label_attention is None
    assert convert_state_dict(state, config, sizes).keys() == ParserNetwork(config, sizes).state_dict().keys()


def test_words_characters_and_concatenation():
    """A GloVe-less HPSG model: tags, words and a character LSTM side by side; its XLNet-free keys."""
    hparams = {
        "num_layers": 1, "d_model": 32, "num_heads": 2, "d_kv": 8, "d_ff": 24, "d_label_hidden": 6, "d_biaffine": 5,
        "use_tags": True, "use_words": True, "use_chars_lstm": True, "use_cat": True, "d_char_emb": 7,
        "sentence_max_len": 20,
    }  # fmt: skip
    state = {
        "char_encoder.emb.weight": (9, 7),
        "char_encoder.lstm.weight_ih_l0": (16, 7),
        "char_encoder.lstm.weight_hh_l0": (16, 4),
        "char_encoder.lstm.bias_ih_l0": (16,),
        "char_encoder.lstm.bias_hh_l0": (16,),
        "char_encoder.lstm.weight_ih_l0_reverse": (16, 7),
        "char_encoder.lstm.weight_hh_l0_reverse": (16, 4),
        "char_encoder.lstm.bias_ih_l0_reverse": (16,),
        "char_encoder.lstm.bias_hh_l0_reverse": (16,),
        "embedding.position_table": (20, 16),
        "embedding.embs.0.weight": (5, 4),
        "embedding.embs.1.weight": (6, 4),
        "embedding.layer_norm.a_2": (32,),
        "embedding.layer_norm.b_2": (32,),
        **{f"encoder.attn_0.w_{kind}s{half}": (2, 16, 4) for kind in "qkv" for half in "12"},
        **{f"encoder.attn_0.proj{half}.weight": (16, 8) for half in "12"},
        **{f"encoder.ff_0.w_1{half}.{name}": (12, 16)[: 2 if name == "weight" else 1] for half in "cp"
           for name in ("weight", "bias")},
        **{f"encoder.ff_0.w_2{half}.{name}": (16, 12)[: 2 if name == "weight" else 1] for half in "cp"
           for name in ("weight", "bias")},
        **{f"encoder.{layer}_0.layer_norm.{name}": (32,) for layer in ("attn", "ff") for name in ("a_2", "b_2")},
        "f_label.0.weight": (6, 32), "f_label.0.bias": (6,), "f_label.1.a_2": (6,), "f_label.1.b_2": (6,),
        "f_label.3.weight": (3, 6), "f_label.3.bias": (3,),
        **{f"dep_score.arc_{role}.weight": (5, 32) for role in "hc"}, "dep_score.arc_h.bias": (5,),
        "dep_score.arc_c.bias": (5,), "dep_score.attention.dep_weight": (6, 6),
        **{f"dep_score.type_{role}.weight": (6, 32) for role in "hc"}, "dep_score.type_h.bias": (6,),
        "dep_score.type_c.bias": (6,), "dep_score.bilinear.U": (4, 6, 6), "dep_score.bilinear.W_l": (4, 6),
        "dep_score.bilinear.W_r": (4, 6), "dep_score.bilinear.bias": (4,),
    }  # fmt: skip
    weights = {key: torch.randn(shape) for key, shape in state.items()}
    weights["roberta.embeddings"] = torch.zeros(1)  # built and never used by the reference
    config, sizes = network_config(hparams, weights)
    assert (sizes.n_tags, sizes.n_words, sizes.n_chars, sizes.vector_width) == (5, 6, 9, 0)
    network = ParserNetwork(config, sizes)
    network.load_state_dict(convert_state_dict(weights, config, sizes))
    assert torch.equal(network.inputs.features["words"].embedding.weight, weights["embedding.embs.1.weight"])


def test_keys_are_readable(data_dir):
    info, _, state = load_vectors(data_dir / "vectors", "a_best")
    config, _ = network_config(info["hparams"], state)
    assert our_key("encoder.attn_1.w_ks2", config) == "encoder.layers.1.attention.key.position"
    assert our_key("encoder.attn_2.w_qs1", config) == "label_attention.query.content"
    assert our_key("encoder.ff_2.w_2c.bias", config) == "label_attention.feed_forward.output.content.bias"
    assert our_key("f_label.1.a_2", config) == "span_scorer.norm.gain"
