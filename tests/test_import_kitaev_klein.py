"""`lal import-official` on checkpoints of Kitaev & Klein's parser: files written from golden vectors of their code."""

import collections
import json
import sys
import types

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc
from typer.testing import CliRunner

from spacy_lal.checkpoint.kitaev_klein import is_kitaev_klein
from spacy_lal.checkpoint.reader import CheckpointError, read_checkpoint
from spacy_lal.cli import lal_cli
from spacy_lal.trees import SUB_HEAD

TOLERANCE = 2e-5
BESIDE = ["kk_unfactored", "kk_factored", "kk_position_first", "kk_tags", "kk_charlstm_all", "kk_charconcat"]


class Vocabulary:
    """Looks like the reference's class once it is pickled under its name."""

    def __init__(self, values):
        self.values = values
        self.indices = {value: i for i, value in enumerate(values)}
        self.counts = collections.defaultdict(int, {value: i + 1 for i, value in enumerate(values)})
        self.frozen = True


def read_vectors(folder, name):
    with numpy.load(folder / f"{name}.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    return json.loads((folder / f"{name}.json").read_text(encoding="utf8")), arrays


def content_of(vectors):
    """What a checkpoint of theirs holds: no dependency labels."""
    info, arrays = vectors
    chars = info["char_vocab"]
    if isinstance(chars, str):
        chars = [chr(i) for i in range(int(chars.split()[0]))]
    state = {key[3:]: torch.from_numpy(arrays[key].astype("f4")) for key in arrays if key.startswith("sd/")}
    spec = {
        "tag_vocab": Vocabulary(list(info["tag_vocab"])),
        "word_vocab": Vocabulary(list(info["word_vocab"])),
        "label_vocab": Vocabulary([tuple(chain) for chain in info["label_vocab"]]),
        "char_vocab": Vocabulary(list(chars)),
        "hparams": dict(info["hparams"]),
    }
    parameters = collections.OrderedDict((key, torch.nn.Parameter(value)) for key, value in state.items())
    return {"spec": spec, "state_dict": parameters, "trainer": {"state": {0: {"step": 3}}}}


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a checkpoint as their code does; reading must not need their class."""

    def write_checkpoint(content):
        module = types.ModuleType("vocabulary")
        module.Vocabulary = Vocabulary
        with monkeypatch.context() as patch:
            patch.setattr(Vocabulary, "__module__", "vocabulary")
            patch.setitem(sys.modules, "vocabulary", module)
            torch.save(content, tmp_path / "theirs.pt")
        return tmp_path / "theirs.pt"

    return write_checkpoint


@pytest.fixture
def vectors(data_dir):
    return read_vectors(data_dir / "vectors_encoders", "kk_charconcat_words")


def run(checkpoint, output, *arguments, expect=0):
    result = CliRunner().invoke(lal_cli, ["import-official", *map(str, (checkpoint, "-o", output, *arguments))])
    assert result.exit_code == expect, (result.output, result.exception)
    return result.output


def make_docs(nlp, info):
    sentences = info["sentences"]
    return [
        Doc(nlp.vocab, words=one["words"], tags=one["tags"], sent_starts=[True] + [False] * (one["n"] - 1))
        for one in sentences
    ]


def assert_same_answers(nlp, vectors):
    info, arrays = vectors
    parser = nlp.get_pipe("lal_parser")
    docs = make_docs(nlp, info)
    for k, scores in enumerate(parser.model.predict(docs)):
        chart = numpy.delete(scores.labels, SUB_HEAD, axis=-1)
        upper = numpy.triu_indices(len(chart), 1)
        assert numpy.abs(chart[upper] - arrays[f"s{k}/label_scores_ut"]).max() < TOLERANCE
    for doc, expected in zip(nlp.pipe(docs), info["sentences"], strict=True):
        assert doc[:]._.parse_string == expected["bracket"] and not doc.has_annotation("DEP")


def test_answers_as_their_code(vectors, write, tmp_path):
    output = run(write(content_of(vectors)), tmp_path / "pipeline")
    nlp = spacy.load(tmp_path / "pipeline")
    assert_same_answers(nlp, vectors)
    assert "sentencizer, lal_parser; 7 constituents" in output and "part-of-speech" not in output
    model = nlp.config["components"]["lal_parser"]["model"]
    assert model["@architectures"] == "spacy-lal.LALParser.v1" and model["biaffine_scorer"] is None
    assert sorted(model["inputs"]["*"]) == ["char_concat", "words"]
    data = nlp.get_pipe("lal_parser").label_data
    assert data["words"] == vectors[0]["word_vocab"][3:] and data["chars"] == vectors[0]["char_vocab"][5:]
    assert data["word_counts"] == list(range(4, len(data["words"]) + 4))
    again = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert_same_answers(again, vectors)


@pytest.mark.parametrize("name", BESIDE)
def test_models_beside_the_checkout(shared_dir, name, write, tmp_path):
    vectors = read_vectors(shared_dir / "vectors_encoders", name)
    output = run(write(content_of(vectors)), tmp_path / "pipeline")
    nlp = spacy.load(tmp_path / "pipeline")
    assert_same_answers(nlp, vectors)
    assert ("tagger for Penn Treebank tags" in output) == vectors[0]["hparams"]["use_tags"]


def test_text_is_parsed_and_training_goes_on(vectors, write, tmp_path):
    run(write(content_of(vectors)), tmp_path / "pipeline")
    nlp = spacy.load(tmp_path / "pipeline")
    doc = nlp("Her mother doesn't know (not at all). I see.")
    assert len(list(doc.sents)) == 2 and all(sent._.parse_string for sent in doc.sents)
    losses = nlp.update([spacy.training.Example(nlp.make_doc(doc.text), doc)], sgd=nlp.resume_training())
    assert losses["lal_parser"] >= 0


def test_an_encoder_without_layers(vectors, write, tmp_path):
    content = content_of(vectors)
    content["spec"]["hparams"]["num_layers"] = 0
    content["state_dict"] = {key: value for key, value in content["state_dict"].items() if "encoder." not in key}
    run(write(content), tmp_path / "pipeline")
    nlp = spacy.load(tmp_path / "pipeline")
    assert nlp.config["components"]["lal_parser"]["model"]["encoder"] == {"@misc": "spacy-lal.NoEncoder.v1"}
    assert nlp("I see.")._.parse_string


def test_words_are_unescaped(vectors, write, tmp_path):
    """Treebanks write brackets as -LRB-; texts do not. A word that is there in both forms stays."""
    content = content_of(vectors)
    words = content["spec"]["word_vocab"].values
    words[3:6] = ["-LRB-", "-RRB-", ")"]
    run(write(content), tmp_path / "pipeline")
    assert spacy.load(tmp_path / "pipeline").get_pipe("lal_parser").label_data["words"][:3] == ["(", "-RRB-", ")"]


def with_hparams(**changes):
    return lambda content: content["spec"]["hparams"].update(changes)


def with_value(vocabulary, index, value):
    return lambda content: content["spec"][vocabulary].values.__setitem__(index, value)


@pytest.mark.parametrize(
    "change, message",
    [
        (with_hparams(use_elmo=True), "not supported: use_elmo"),
        (with_hparams(d_model=10**9), "d_model must be a whole number between"),
        (with_hparams(d_char_emb=6), "char_width of CharConcat"),
        (with_hparams(num_layers_position_only=1), "num_layers_position_only is 1, expected 0 with partitioned"),
        (with_hparams(morpho_emb_dropout=2), "morpho_emb_dropout must be a number between 0 and 1"),
        (lambda c: c["state_dict"].pop("f_label.3.bias"), "not filled: span_scorer.output.bias"),
        (lambda c: c["state_dict"].pop("char_embedding.weight"), "lack 'char_embedding.weight'"),
        (lambda c: c["state_dict"].update(other=torch.zeros(2)), "unused: other"),
        (lambda c: c["state_dict"].update({"f_label.3.bias": torch.full((7,), numpy.nan)}), "not finite"),
        (lambda c: c["spec"]["word_vocab"].values.pop(), "word_vocab has 16 entries, but the weights are for 17"),
        (with_value("label_vocab", 0, ("S",)), "begins with 'S', expected the empty chain"),
        (with_value("label_vocab", 3, ("<H>",)), "has '<H>': expected labels of constituents alone"),
        (with_value("label_vocab", 3, ("NP",)), "constituents: expected different strings"),
        (with_value("word_vocab", 2, "UNKNOWN"), "word vocabulary begins with"),
        (with_value("word_vocab", 5, 7), "word vocabulary holds 7"),
        (with_value("char_vocab", 3, "x"), "character vocabulary begins with"),
        (lambda c: c["spec"].pop("word_vocab"), "lacks vocabularies: word_vocab"),
    ],
)
def test_unsound_files_are_refused(vectors, write, tmp_path, change, message):
    content = content_of(vectors)
    change(content)
    output = run(write(content), tmp_path / "pipeline", expect=2)
    assert message in " ".join(output.split()) and not (tmp_path / "pipeline").exists()


def test_scrambled_queries_are_refused(vectors, write, tmp_path):
    output = run(write(content_of(vectors)), tmp_path / "pipeline", "--scrambled-queries", expect=2)
    assert "scrambled queries are a fault of label attention" in " ".join(output.split())


def test_a_class_of_another_name_is_refused(vectors, tmp_path):
    content = content_of(vectors)
    torch.save(content, tmp_path / "theirs.pt")  # the class has its own name, as any code may have
    with pytest.raises(CheckpointError, match="refused: the checkpoint asks for"):
        read_checkpoint(tmp_path / "theirs.pt")


def test_a_checkpoint_with_a_biaffine_scorer_is_not_theirs(vectors, write):
    content = content_of(vectors)
    assert is_kitaev_klein(read_checkpoint(write(content)))
    content["state_dict"]["dep_score.bilinear.U"] = torch.zeros(2)
    with pytest.raises(CheckpointError, match="lacks vocabularies: type_vocab"):
        read_checkpoint(write(content))
