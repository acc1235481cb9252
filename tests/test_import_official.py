"""`lal import-official`: checkpoint files in the authors' format become pipelines that answer as their code did."""

import collections
import json
import os
import sys
import types
from pathlib import Path

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc
from tiny_xlnet import needs_slow_tokenizers, tiny_xlnet  # noqa: F401
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast, XLNetConfig, XLNetModel
from typer.testing import CliRunner

from spacy_lal.annotations import with_root_deprel
from spacy_lal.checkpoint.convert import flat_config
from spacy_lal.checkpoint.hparams import DEFAULT_HPARAMS
from spacy_lal.checkpoint.reader import CheckpointError
from spacy_lal.checkpoint.reference.architecture import build_reference_parser
from spacy_lal.checkpoint.word_cleaning import clean_words_lal
from spacy_lal.checkpoint.xlnet import load_tokenizer, load_xlnet, xlnet_config
from spacy_lal.cli import lal_cli
from spacy_lal.decode import joint
from spacy_lal.layers.network_inputs import NetworkInputs

N_PIECES = 64
TOLERANCE = 5e-5


class Vocabulary:
    """Looks like the reference's class once it is pickled under its name."""

    def __init__(self, values):
        self.values = values
        self.indices = {value: i for i, value in enumerate(values)}
        self.counts = collections.defaultdict(int, dict.fromkeys(values, 1))
        self.frozen = True


def save_checkpoint(path, content, monkeypatch):
    """As the authors' code does; while it is written, the class is where they have it, and reading must not need it."""
    module = types.ModuleType("vocabulary")
    module.Vocabulary = Vocabulary
    with monkeypatch.context() as patch:
        patch.setattr(Vocabulary, "__module__", "vocabulary")
        patch.setitem(sys.modules, "vocabulary", module)
        torch.save(content, path)
    return path


@pytest.fixture(scope="module")
def vectors():
    folder = Path(__file__).resolve().parent / "data" / "vectors"
    with numpy.load(folder / "x_realxlnet.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    return json.loads((folder / "x_realxlnet.json").read_text(encoding="utf8")), arrays


@pytest.fixture
def content(vectors):
    """What `best_parser.pt` holds."""
    info, arrays = vectors
    state = {key[3:]: torch.from_numpy(arrays[key].astype("f4")) for key in arrays if key.startswith("sd/")}
    words = sorted({word for sentence in info["sentences"] for word in sentence["words"]})
    spec = {
        "tag_vocab": Vocabulary(list(info["tag_vocab"])),
        "word_vocab": Vocabulary(["<START>", "<STOP>", "<UNK>", *words]),
        "label_vocab": Vocabulary([tuple(chain) for chain in info["label_vocab"]]),
        "char_vocab": Vocabulary([chr(i) for i in range(256)]),
        "type_vocab": Vocabulary(list(info["type_vocab"])),
        "hparams": dict(info["hparams"]),
        "exp_name": None,
    }
    parameters = collections.OrderedDict((key, torch.nn.Parameter(value)) for key, value in state.items())
    trainer = {"state": {0: {"step": 3, "exp_avg": torch.zeros(2)}}, "param_groups": [{"lr": 1e-3, "params": [0]}]}
    return {"spec": spec, "state_dict": parameters, "trainer": trainer}


@pytest.fixture(scope="module")
def tokenizer(vectors, tmp_path_factory):
    """A folder with a tokenizer that splits each word of the vectors into the pieces that were recorded for it. (Theirs
    was a hash.) Each word is rewritten as one private character for each of its pieces."""
    info, arrays = vectors
    steps = []
    for k, sentence in enumerate(info["sentences"]):
        ids, ends = arrays[f"s{k}/xlnet_ids"].tolist(), sentence["pooled_positions"]
        for i, word in enumerate(clean_words_lal(sentence["words"])):
            pieces = "".join(chr(0xE000 + piece) for piece in ids[ends[i] + 1 : ends[i + 1] + 1])
            pattern = Regex("^" + "".join("\\" + c if not c.isalnum() else c for c in word) + "$")
            steps.append(normalizers.Replace(pattern, pieces))
    vocabulary = {chr(0xE000 + i): i for i in range(N_PIECES)}
    for i, piece in enumerate(["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>"]):
        del vocabulary[chr(0xE000 + i)]
        vocabulary[piece] = i
    backend = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    backend.normalizer = normalizers.Sequence(steps)
    backend.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    path = tmp_path_factory.mktemp("tokenizer")
    PreTrainedTokenizerFast(
        tokenizer_object=backend, unk_token="<unk>", cls_token="<cls>", sep_token="<sep>", pad_token="<pad>"
    ).save_pretrained(str(path))
    return path


def run(checkpoint, output, *arguments, expect=0):
    result = CliRunner().invoke(lal_cli, ["import-official", *map(str, (checkpoint, "-o", output, *arguments))])
    assert result.exit_code == expect, (result.output, result.exception)
    assert expect == 0 or isinstance(result.exception, SystemExit)
    return result.output


@pytest.fixture
def imported(content, tokenizer, tmp_path, monkeypatch):
    def make(*options):
        path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
        output = run(path, tmp_path / "official", "--tokenizer", tokenizer, *options)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["best_parser.pt", "official"]
        return spacy.load(tmp_path / "official"), output

    return make


def make_docs(nlp, info, one_doc=False):
    sentences = info["sentences"]
    docs = [
        Doc(nlp.vocab, words=s["words"], tags=s["tags"], sent_starts=[True] + [False] * (s["n"] - 1)) for s in sentences
    ]
    return [Doc.from_docs(docs, ensure_whitespace=False)] if one_doc else docs


def assert_scores(scores, arrays, k):
    upper = numpy.triu_indices(scores.labels.shape[0], 1)
    for ours, theirs in [
        (scores.labels[upper], "label_scores_ut"),
        (scores.arcs, "arc"),
        (scores.deprels, "type"),
    ]:
        assert numpy.abs(ours - arrays[f"s{k}/{theirs}"]).max() < TOLERANCE, (k, theirs)


def spacy_deprels(types):
    return ["ROOT" if deprel == "root" else deprel for deprel in types]


def assert_parse(sent, expected):
    words = list(sent)
    assert sent._.parse_string == expected["bracket"]
    assert [0 if t.head == t else t.head.i - sent.start + 1 for t in words] == expected["heads"]
    # their network may give `root` to another word as well; on our Docs only the root is a ROOT
    assert [t.dep_ for t in words] == with_root_deprel(expected["heads"], spacy_deprels(expected["types"]))


@pytest.mark.parametrize("together", [False, True])
def test_answers_as_the_authors_code(imported, vectors, together):
    info, arrays = vectors
    nlp, output = imported()
    docs = make_docs(nlp, info)
    parser = nlp.get_pipe("lal_parser")
    alone = [parser.model.predict([doc])[0] for doc in docs]
    scores = parser.model.predict(docs) if together else alone
    for k, one in enumerate(scores):
        assert_scores(one, arrays, k)
    for doc in nlp.pipe(docs) if together else map(nlp, docs):
        assert_parse(doc[:], info["sentences"][[d.text for d in docs].index(doc.text)])
    # The text on the way, for whoever reads only that.
    assert "sentencizer, lal_parser; 10 constituents, 8 deprels, XLNet (xlnet-large-cased)" in output
    assert "tagger for Penn Treebank tags" in output and "Scrambled" not in output


def test_sentences_of_one_doc(imported, vectors):
    info, _ = vectors
    nlp, _ = imported()
    (doc,) = make_docs(nlp, info, one_doc=True)
    doc = nlp(doc)
    for sent, expected in zip(doc.sents, info["sentences"], strict=True):
        assert_parse(sent, expected)


def test_plain_text_is_parsed(imported):
    """Without a tagger: the network reads tags, so there is a warning; with one tag, there is none."""
    nlp, _ = imported()
    with pytest.warns(UserWarning, match="every word gets the unknown tag"):
        doc = nlp("Her mother doesn't know (not at all). I see.")
    assert len(list(doc.sents)) == 2 and doc.has_annotation("DEP")
    assert nlp.batch_size == spacy.blank("en").batch_size


def test_scrambled_queries(imported, vectors):
    info, arrays = vectors
    nlp, output = imported("--scrambled-queries")
    assert nlp.batch_size == 8 and "parses depend on the batch" in output
    parser = nlp.get_pipe("lal_parser")
    docs = make_docs(nlp, info)
    for k, scores in enumerate(parser.model.predict(docs)):
        # Of the batch, scores of decoded trees are recorded; they are far from those of the sentences alone.
        score = joint(scores.labels * numpy.float32(0.5), scores.arcs * numpy.float32(0.5))[0]
        assert score == pytest.approx(float(arrays[f"b{k}/score"]), abs=TOLERANCE)
        assert abs(score - float(arrays[f"s{k}/score"])) > 1e-3
    for k, doc in enumerate(docs):
        assert_scores(parser.model.predict([doc])[0], arrays, k)  # alone, nothing is scrambled
    for doc, expected in zip(nlp.pipe(docs), info["sentences"], strict=True):
        assert_parse(doc[:], expected["batch"])


def test_what_is_on_disk(imported, vectors):
    info, _ = vectors
    nlp, _ = imported()
    config = nlp.config["components"]["lal_parser"]
    assert config["decoder"]["constituency_weight"] == info["hparams"]["const_lada"]
    assert config["model"]["@architectures"] == "spacy-lal.ReferenceParser.v1"
    assert not config["model"]["scrambled_queries"] and config["model"]["hparams"]["d_model"] == 32
    tok2vec = config["model"]["tok2vec"]
    assert tok2vec["name"] == "xlnet-large-cased" and tok2vec["clean_words"] == "lal" and not tok2vec["pad_left"]
    parser = nlp.get_pipe("lal_parser")
    assert parser.label_data["constituents"] == ["::".join(chain) for chain in info["label_vocab"][2:]]
    assert parser.label_data["deprels"] == spacy_deprels(info["type_vocab"])
    assert parser.label_data["tags"] == info["tag_vocab"][3:] and parser.label_data["chars"] == []
    again = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    doc = next(iter(make_docs(again, info)))
    assert again(doc)._.parse_string == info["sentences"][0]["bracket"]


def test_switches_of_the_checkpoint(imported, content):
    """pad_left, lower case, and a checkpoint of the HPSG parser, which knows nothing of label attention."""
    hparams = content["spec"]["hparams"]
    hparams.update(pad_left=True, xlnet_do_lower_case=True, const_lada=0.8)
    nlp, _ = imported()
    config = nlp.config["components"]["lal_parser"]
    assert config["model"]["tok2vec"]["pad_left"] and config["decoder"]["constituency_weight"] == 0.8
    tok2vec = nlp.get_pipe("lal_parser").model.layers[0]
    tokenizer = tok2vec.layers[0].shims[0]._hfmodel.tokenizer
    assert tokenizer("VEJ")["input_ids"] == tokenizer("vej")["input_ids"] != tokenizer("vejj")["input_ids"]


def test_an_hpsg_checkpoint(imported, content):
    """Its label attention layer is not there: the span scorer reads the encoder's 32 features."""
    spec, state = content["spec"], content["state_dict"]
    spec["hparams"] = {key: value for key, value in spec["hparams"].items() if "lal" not in key}
    for key in list(state):
        if key.startswith(("encoder.attn_2.", "encoder.ff_2.")):
            del state[key]
        elif key in (
            "f_label.0.weight",
            *(f"dep_score.{part}.weight" for part in ("arc_h", "arc_c", "type_h", "type_c")),
        ):
            state[key] = state[key][:, :32]
    nlp, _ = imported()
    config = nlp.config["components"]["lal_parser"]["model"]
    assert config["tok2vec"]["clean_words"] == "hpsg" and not config["hparams"]["use_lal"]
    doc = nlp("We see.")
    assert doc._.parse_string


def test_characters_without_a_transformer(imported, content, tmp_path):
    """A network that reads tags and characters needs no tokenizer; it answers as the bare network does."""
    torch.manual_seed(0)
    spec, state = content["spec"], content["state_dict"]
    hparams = spec["hparams"]
    hparams.update(use_xlnet=False, use_chars_lstm=True, d_char_emb=6)
    for key in [key for key in state if key.startswith(("xlnet.", "project_xlnet."))]:
        del state[key]
    state["char_encoder.emb.weight"] = torch.randn(256, 6)
    for name, value in torch.nn.LSTM(6, 8, bidirectional=True).state_dict().items():
        state[f"char_encoder.lstm.{name}"] = value
    nlp, output = imported()
    assert "XLNet" not in output
    parser = nlp.get_pipe("lal_parser")
    network = parser.model.attrs["get_network"](parser.model)
    words, tags = ["be", "a"], ["NN", "DT"]
    scores = parser.model.predict([Doc(nlp.vocab, words=words, tags=tags, sent_starts=[True, False])])[0]
    ids = [[2, 1, 1, 1, 3], [2, ord("b"), ord("e"), 3, 0], [2, ord("a"), 3, 0, 0], [2, 4, 4, 4, 3]]
    inputs = NetworkInputs(
        lengths=torch.tensor([2]),
        tag_ids=torch.tensor([[0, 3, 5, 1]]),
        char_ids=torch.tensor([ids]),
        char_lengths=torch.tensor([[5, 4, 3, 5]]),
    )
    with torch.no_grad():
        expected = network.eval()(inputs)
    assert numpy.allclose(scores.labels, expected.labels[0].numpy(), atol=1e-5)


def test_every_hyperparameter_reaches_the_network():
    """The architecture builds what the hyperparameters say; an unknown one is refused by name."""
    hparams = {
        "num_layers": 1, "d_model": 24, "num_heads": 3, "d_kv": 6, "d_ff": 10, "d_label_hidden": 7, "d_biaffine": 8,
        "partitioned": False, "sentence_max_len": 17, "use_lal": True, "lal_d_kv": 5, "lal_d_proj": 6,
        "lal_resdrop": True, "lal_pwff": True, "lal_q_as_matrix": True, "attention_dropout": 0.01,
        "embedding_dropout": 0.02, "relu_dropout": 0.03, "residual_dropout": 0.04, "tag_emb_dropout": 0.05,
        "timing_dropout": 0.06, "char_lstm_input_dropout": 0.07, "d_char_emb": 5, "use_tags": True, "use_cat": True,
        "use_chars_lstm": True,
    }  # fmt: skip
    model = build_reference_parser(None, hparams, n_label_heads=4, scrambled_queries=True)
    model.attrs["set_vocabularies"](model, n_labels=6, n_deprels=3, tags=["A", "B"], chars=["a", "b", "c", "d"])
    model.initialize()
    network = model.attrs["get_network"](model)
    flat = flat_config({**DEFAULT_HPARAMS, **hparams}, 4, scrambled_queries=True)
    assert network.config == flat.compose(reads_vectors=False)
    assert (network.sizes.n_tags, network.sizes.n_chars, network.n_label_heads) == (5, 9, 4)
    attention = network.label_attention
    assert attention.depends_on_batch and attention.mixes_blocks and attention.residual_dropout.rate == 0.04
    assert (attention.part_width, attention.query["all"].shape) == (5, (4, 24, 5))
    assert network.inputs.features["tags"].dropout.rate == 0.05 and network.inputs.position_dropout.rate == 0.06
    assert network.inputs.features["chars"].embedding.embedding_dim == 5 and network.inputs.positions.shape == (17, 24)
    with pytest.raises(ValueError, match="got also d_modell"):
        build_reference_parser(None, {"d_modell": 8})


# XLNet and tokenizers


def test_the_config_of_xlnet_comes_from_shapes():
    given = XLNetConfig(vocab_size=11, d_model=12, n_layer=3, n_head=4, d_inner=10)
    found = xlnet_config(XLNetModel(given).state_dict())
    for name in ("vocab_size", "d_model", "n_layer", "n_head", "d_head", "d_inner", "ff_activation"):
        assert getattr(found, name) == getattr(given, name), name
    assert getattr(found, "untie_r", True)  # an option of transformers 4 alone
    assert (found.layer_norm_eps, found.dropout, found.attn_type, found.bi_data) == (1e-12, 0.1, "bi", False)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda w: w.pop("word_embedding.weight"), "'xlnet.word_embedding.weight' with 2 axes, got nothing"),
        (lambda w: w.update({"layer.0.rel_attn.q": torch.zeros(12, 5, 3)}), "5 heads of width 3"),
        (lambda w: w.update({"layer.0.rel_attn.q": torch.zeros(12, 12)}), r"3 axes, got \(12, 12\)"),
        (lambda w: w.pop("layer.1.ff.layer_2.bias"), "missing: layer.1.ff.layer_2.bias"),
        (lambda w: w.update({"pooler": torch.zeros(2)}), "unused: pooler"),
        (lambda w: w.update({"mask_emb": torch.zeros(2)}), r"another shape: mask_emb \(2,\), expected \(1, 1, 12\)"),
    ],
)
def test_xlnet_weights_that_do_not_fit(change, message):
    weights = dict(XLNetModel(XLNetConfig(vocab_size=11, d_model=12, n_layer=2, n_head=4, d_inner=10)).state_dict())
    change(weights)
    with pytest.raises(CheckpointError, match=message):
        load_xlnet(weights)


@needs_slow_tokenizers
def test_the_slow_tokenizer_is_taken_where_there_is_one(tiny_xlnet):  # noqa: F811
    loaded = load_tokenizer(str(tiny_xlnet), lower_case=True)
    assert not loaded.tokenizer.is_fast and loaded.vocab_file_contents
    assert loaded.tokenizer.tokenize("The") == loaded.tokenizer.tokenize("the")
    assert load_tokenizer(str(tiny_xlnet)).tokenizer.tokenize("The") != loaded.tokenizer.tokenize("the")


@needs_slow_tokenizers
def test_a_sentencepiece_tokenizer_travels_with_the_pipeline(content, tiny_xlnet, tmp_path, monkeypatch):  # noqa: F811
    n_pieces = len(AutoTokenizer.from_pretrained(str(tiny_xlnet)))
    content["state_dict"]["xlnet.word_embedding.weight"] = torch.randn(n_pieces, 32)
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    run(path, tmp_path / "out", "--tokenizer", tiny_xlnet)
    nlp = spacy.load(tmp_path / "out")
    shim = nlp.get_pipe("lal_parser").model.layers[0].layers[0].shims[0]
    assert not shim._hfmodel.tokenizer.is_fast
    assert nlp("The quick brown fox jumps.")._.parse_string
    nlp.to_disk(tmp_path / "again")
    assert spacy.load(tmp_path / "again")("It rained.")._.parse_string


def test_a_fast_tokenizer_in_place_of_the_slow_one_is_told(tiny_xlnet, monkeypatch):  # noqa: F811
    fast = AutoTokenizer.from_pretrained(str(tiny_xlnet), use_fast=True)
    assert fast.is_fast
    fast.vocab_file = str(tiny_xlnet / "spiece.model")  # as the fast tokenizers of transformers 5 have it
    monkeypatch.setattr(AutoTokenizer, "from_pretrained", lambda *args, **kwargs: fast)
    with pytest.warns(UserWarning, match="has no slow tokenizer for XLNet.*parses of such words can differ"):
        load_tokenizer(str(tiny_xlnet))


def test_a_missing_package_is_named(monkeypatch):
    def refuse(*args, **kwargs):
        raise ImportError("XLNetTokenizer requires the SentencePiece library")

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", refuse)
    with pytest.raises(CheckpointError, match=r"pip install 'spacy-lal\[xlnet\]'"):
        load_tokenizer("xlnet-large-cased")


def test_a_tokenizer_that_is_nowhere_is_named(content, tmp_path, monkeypatch):
    def refuse(name, **kwargs):
        raise OSError(f"We couldn't connect to the hub to load {name}")

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", refuse)
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    output = run(path, tmp_path / "out", expect=2)
    assert "no tokenizer was found" in output and "'xlnet-large-cased'" in output and "--tokenizer" in output
    (tmp_path / "empty").mkdir()
    assert "in the folder" in run(path, tmp_path / "out", "--tokenizer", tmp_path / "empty", expect=2)


# Bad input


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


def change_evil(content, folder):
    content["spec"]["hparams"]["seed"] = Evil(folder / "was_here")


def change_wide(content, folder):
    content["state_dict"]["f_label.0.weight"] = torch.zeros(24, 3)


@pytest.mark.parametrize(
    "change, message",
    [
        (change_evil, "refused: the checkpoint asks for"),
        (change_wide, "another shape: f_label.0.weight (24, 3), expected (24, 160)"),
        (lambda c, f: c.pop("spec"), "expected a dict with 'spec' and 'state_dict'"),
        (lambda c, f: c["spec"]["hparams"].update(use_bert=True), "use_bert (BERT vectors); supported are XLNet"),
        (lambda c, f: c["spec"]["hparams"].update(use_elmo=True), "use_elmo (ELMo vectors); supported are XLNet"),
        (
            lambda c, f: c["spec"]["hparams"].update(use_words=True),
            "use_words (word embeddings",
        ),
        (lambda c, f: c["spec"]["hparams"].update(const_lada=1.5), "between 0 and 1, got 1.5"),
        (
            lambda c, f: c["spec"]["hparams"].update(const_lada=None),
            "const_lada must be a number between 0 and 1, got None",
        ),
        (lambda c, f: c["spec"]["label_vocab"].values.append(("X",)), "label_vocab has 13 entries"),
        (lambda c, f: c["spec"]["label_vocab"].values.__setitem__(3, ("S",)), "constituents: expected different"),
        (lambda c, f: c["spec"]["type_vocab"].values.__setitem__(3, "nsubj"), "deprels: expected different"),
        (lambda c, f: c["spec"]["tag_vocab"].values.__setitem__(3, 7), "tags: expected different strings"),
        (lambda c, f: c["spec"]["tag_vocab"].values.reverse(), "tag vocabulary begins with"),
        (lambda c, f: c["spec"]["tag_vocab"].values.__setitem__(3, "\x1b[2J"), r"not (only) once: '\x1b[2J'"),
        (lambda c, f: c["spec"]["type_vocab"].values.__setitem__(3, "x" * 201), "at most 200 characters, but not"),
        (lambda c, f: c["spec"]["label_vocab"].values.__setitem__(3, "NP"), "holds 'NP': expected tuples of strings"),
        (lambda c, f: c["spec"]["hparams"].update(num_layers=10**9), "num_layers must be a whole number between 0 and"),
        (
            lambda c, f: c["state_dict"]["f_label.0.bias"].data.fill_(float("nan")),
            "weights are not finite numbers. in: span_scorer.hidden.bias",
        ),
        (lambda c, f: c["state_dict"]["xlnet.mask_emb"].data.fill_(float("inf")), "not finite numbers. in: mask_emb"),
        (lambda c, f: c["state_dict"].pop("xlnet.mask_emb"), "missing: mask_emb"),
        (
            lambda c, f: c["state_dict"].update({"xlnet.word_embedding.weight": torch.zeros(9, 32)}),
            "has 64 pieces, but the checkpoint's XLNet has vectors for 9",
        ),
        (
            lambda c, f: [c["state_dict"].pop(k) for k in list(c["state_dict"]) if k.startswith("xlnet.")],
            "no 'xlnet.*' weights",
        ),
    ],
)
def test_bad_checkpoints_end_with_a_message(content, tokenizer, tmp_path, monkeypatch, change, message):
    change(content, tmp_path)
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    output = run(path, tmp_path / "deep" / "out", "--tokenizer", tokenizer, expect=2)
    assert message in output and str(path) in output and "Traceback" not in output
    assert [p.name for p in tmp_path.iterdir()] == ["best_parser.pt"]


def test_no_checkpoint_at_all(tmp_path):
    assert "can't find the checkpoint" in run(tmp_path / "none.pt", tmp_path / "out", expect=2)
    (tmp_path / "text.pt").write_text("not a checkpoint")
    assert "not a readable checkpoint" in run(tmp_path / "text.pt", tmp_path / "out", expect=2)
    assert "a folder: expected a file that torch.save has written" in run(tmp_path, tmp_path / "out", expect=2)
    os.mkfifo(tmp_path / "pipe.pt")
    assert "a pipe: expected a file" in run(tmp_path / "pipe.pt", tmp_path / "out", expect=2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pipe.pt", "text.pt"]


@pytest.mark.parametrize("name", ["/etc", "../tokenizer", "a/b/c", "", "x" * 101, "~/x", "a b"])
def test_the_tokenizer_that_a_checkpoint_names_is_no_path(content, tmp_path, monkeypatch, name):
    monkeypatch.setattr(AutoTokenizer, "from_pretrained", None)  # nobody looks for it
    content["spec"]["hparams"]["xlnet_model"] = name
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    assert "expected a name on the Hugging Face hub" in run(path, tmp_path / "out", expect=2)


def test_a_path_in_the_checkpoint_gives_way_to_the_users_tokenizer(imported, content, tokenizer):
    content["spec"]["hparams"]["xlnet_model"] = "/data/xlnet"
    nlp, _ = imported()
    assert nlp.config["components"]["lal_parser"]["model"]["tok2vec"]["name"] == str(tokenizer)


def test_an_unknown_language(content, tokenizer, tmp_path, monkeypatch):
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    output = run(path, tmp_path / "out", "--tokenizer", tokenizer, "--lang", "qq", expect=2)
    assert "--lang qq" in output and not (tmp_path / "out").exists()


def test_out_is_not_lost(content, tokenizer, tmp_path, monkeypatch):
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    out = tmp_path / "out"
    arguments = [path, out, "--tokenizer", tokenizer]
    out.mkdir()
    run(*arguments)  # an empty folder is free
    assert "is not empty" in run(*arguments, expect=2)
    (out / "old").write_text("")
    run(*arguments, "--overwrite")
    assert not (out / "old").exists() and spacy.load(out).pipe_names == ["sentencizer", "lal_parser"]

    def full_disk(*args, **kwargs):
        raise OSError("No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(spacy.language.Language, "to_disk", full_disk)
        assert "No space left" in run(*arguments, "--overwrite", expect=2)
    assert spacy.load(out).pipe_names == ["sentencizer", "lal_parser"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["best_parser.pt", "out"]
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "mine.txt").write_text("dear")
    assert "holds no pipeline" in run(path, tmp_path / "letters", "--overwrite", expect=2)
    assert "is a file" in run(path, path, "--overwrite", expect=2)
    assert (tmp_path / "letters" / "mine.txt").exists() and path.exists()
