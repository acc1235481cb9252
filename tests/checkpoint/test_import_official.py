"""`lal import-official`: checkpoint files in the authors' format become pipelines that
answer as their code did."""

import collections
import json
import os
import sys
import types
import zipfile
from pathlib import Path

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc
from tiny_xlnet import needs_slow_tokenizers, tiny_xlnet  # noqa: F401
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast
from typer.testing import CliRunner

from spacy_lal.annotations import with_root_deprel
from spacy_lal.checkpoint.official import CheckpointError, read_checkpoint
from spacy_lal.checkpoint.xlnet import clean_words, load_tokenizer
from spacy_lal.cli import lal_cli
from spacy_lal.decode import joint
from spacy_lal.trees import SUB_HEAD

DATA = Path(__file__).resolve().parents[1] / "data"
N_PIECES = 64
TOLERANCE = 5e-5
KK = ["kk_unfactored", "kk_position_first", "kk_tags", "kk_charlstm_all"]


class Vocabulary:
    """Looks like the reference's class once it is pickled under its name."""

    def __init__(self, values):
        self.values = values
        self.indices = {value: i for i, value in enumerate(values)}
        self.counts = collections.defaultdict(
            int, {value: i + 1 for i, value in enumerate(values)}
        )
        self.frozen = True


def save_checkpoint(path, content, monkeypatch, **options):
    """As the authors' code does; while it is written, the class is where they have it,
    and reading must not need it."""
    module = types.ModuleType("vocabulary")
    module.Vocabulary = Vocabulary
    with monkeypatch.context() as patch:
        patch.setattr(Vocabulary, "__module__", "vocabulary")
        patch.setitem(sys.modules, "vocabulary", module)
        torch.save(content, path, **options)
    return path


def read_vectors(folder, name):
    with numpy.load(folder / f"{name}.npz") as archive:
        arrays = {key: archive[key] for key in archive.files}
    return json.loads((folder / f"{name}.json").read_text(encoding="utf8")), arrays


def state_of(arrays):
    return {
        key[3:]: torch.from_numpy(arrays[key].astype("f4"))
        for key in arrays
        if key.startswith("sd/")
    }


def content_of(info, arrays):
    """What a checkpoint holds. Kitaev & Klein's have no dependency labels."""
    words = sorted(
        {word for sentence in info["sentences"] for word in sentence["words"]}
    )
    chars = info.get("char_vocab", "256 codepoints")
    spec = {
        "tag_vocab": Vocabulary(list(info["tag_vocab"])),
        "word_vocab": Vocabulary(
            list(info.get("word_vocab", ["<START>", "<STOP>", "<UNK>", *words]))
        ),
        "label_vocab": Vocabulary([tuple(chain) for chain in info["label_vocab"]]),
        "char_vocab": Vocabulary(
            [chr(i) for i in range(int(chars.split()[0]))]
            if isinstance(chars, str)
            else chars
        ),
        "hparams": {**info["hparams"], "learning_rate": numpy.float64(8e-4)},
        "exp_name": None,
    }
    if "type_vocab" in info:
        spec["type_vocab"] = Vocabulary(list(info["type_vocab"]))
    weights = collections.OrderedDict(
        (key, torch.nn.Parameter(value)) for key, value in state_of(arrays).items()
    )
    trainer = {
        "state": {0: {"step": 3, "exp_avg": torch.zeros(2)}},
        "param_groups": [{"lr": 1e-3, "params": [0]}],
    }
    return {"spec": spec, "state_dict": weights, "trainer": trainer}


@pytest.fixture(scope="module")
def vectors():
    return read_vectors(DATA / "vectors", "x_realxlnet")


@pytest.fixture
def content(vectors):
    return content_of(*vectors)


@pytest.fixture(scope="module")
def tokenizer(vectors, tmp_path_factory):
    """A folder with a tokenizer that splits each word of the vectors into the pieces
    that were recorded for it. (Theirs was a hash.) Each word is rewritten as one
    private character for each of its pieces."""
    info, arrays = vectors
    steps = []
    for k, sentence in enumerate(info["sentences"]):
        ids, ends = arrays[f"s{k}/xlnet_ids"].tolist(), sentence["pooled_positions"]
        for i, word in enumerate(clean_words(sentence["words"], "lal")):
            pieces = "".join(
                chr(0xE000 + piece) for piece in ids[ends[i] + 1 : ends[i + 1] + 1]
            )
            pattern = Regex(
                "^" + "".join("\\" + c if not c.isalnum() else c for c in word) + "$"
            )
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
        tokenizer_object=backend,
        unk_token="<unk>",
        cls_token="<cls>",
        sep_token="<sep>",
        pad_token="<pad>",
    ).save_pretrained(str(path))
    return path


def run(checkpoint, output, *arguments, expect=0):
    result = CliRunner().invoke(
        lal_cli, ["import-official", *map(str, (checkpoint, "-o", output, *arguments))]
    )
    assert result.exit_code == expect, (result.output, result.exception)
    assert expect == 0 or isinstance(result.exception, SystemExit)
    return result.output


@pytest.fixture
def imported(content, tokenizer, tmp_path, monkeypatch):
    def make(*options):
        path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
        output = run(path, tmp_path / "official", "--tokenizer", tokenizer, *options)
        assert sorted(p.name for p in tmp_path.iterdir()) == [
            "best_parser.pt",
            "official",
        ]
        return spacy.load(tmp_path / "official"), output

    return make


def make_docs(nlp, info, one_doc=False):
    sentences = info["sentences"]
    docs = [
        Doc(
            nlp.vocab,
            words=s["words"],
            tags=s["tags"],
            sent_starts=[True] + [False] * (s["n"] - 1),
        )
        for s in sentences
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
    assert [0 if t.head == t else t.head.i - sent.start + 1 for t in words] == expected[
        "heads"
    ]
    # their network may give `root` to another word as well; on our Docs only the root
    # is a ROOT
    assert [t.dep_ for t in words] == with_root_deprel(
        expected["heads"], spacy_deprels(expected["types"])
    )


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
    assert "sentencizer, lal_parser; 10 constituents, 8 deprels\n" in output


def test_scrambled_queries(imported, vectors):
    info, arrays = vectors
    nlp, output = imported("--scrambled-queries")
    assert nlp.batch_size == 8 and "parses depend on the batch" in output
    parser = nlp.get_pipe("lal_parser")
    docs = make_docs(nlp, info)
    for k, scores in enumerate(parser.model.predict(docs)):
        # Of the batch, scores of decoded trees are recorded; they are far from those of
        # the sentences alone.
        score = joint(
            scores.labels * numpy.float32(0.5), scores.arcs * numpy.float32(0.5)
        )[0]
        assert score == pytest.approx(float(arrays[f"b{k}/score"]), abs=TOLERANCE)
        assert abs(score - float(arrays[f"s{k}/score"])) > 1e-3
    for k, doc in enumerate(docs):
        assert_scores(
            parser.model.predict([doc])[0], arrays, k
        )  # alone, nothing is scrambled
    for doc, expected in zip(nlp.pipe(docs), info["sentences"], strict=True):
        assert_parse(doc[:], expected["batch"])


def test_what_is_on_disk(imported, vectors):
    info, _ = vectors
    nlp, _ = imported()
    config = nlp.config["components"]["lal_parser"]
    assert config["decoder"]["constituency_weight"] == info["hparams"]["const_lada"]
    assert config["model"]["@architectures"] == "spacy-lal.ReferenceParser.v1"
    assert (
        not config["model"]["scrambled_queries"]
        and config["model"]["hparams"]["d_model"] == 32
    )
    tok2vec = config["model"]["tok2vec"]
    assert (
        tok2vec["name"] == "xlnet-large-cased"
        and tok2vec["clean_words"] == "lal"
        and not tok2vec["pad_left"]
    )
    parser = nlp.get_pipe("lal_parser")
    assert parser.label_data["constituents"] == [
        "::".join(chain) for chain in info["label_vocab"][2:]
    ]
    assert parser.label_data["deprels"] == spacy_deprels(info["type_vocab"])
    assert (
        parser.label_data["tags"] == info["tag_vocab"][3:]
        and parser.label_data["chars"] == []
    )
    again = spacy.blank("en").from_config(nlp.config).from_bytes(nlp.to_bytes())
    doc = next(iter(make_docs(again, info)))
    assert again(doc)._.parse_string == info["sentences"][0]["bracket"]


def test_switches_of_the_checkpoint(imported, content):
    """pad_left, lower case, and a checkpoint of the HPSG parser, which knows nothing of
    label attention."""
    hparams = content["spec"]["hparams"]
    hparams.update(pad_left=True, xlnet_do_lower_case=True, const_lada=0.8)
    nlp, _ = imported()
    config = nlp.config["components"]["lal_parser"]
    assert (
        config["model"]["tok2vec"]["pad_left"]
        and config["decoder"]["constituency_weight"] == 0.8
    )
    tok2vec = nlp.get_pipe("lal_parser").model.layers[0]
    tokenizer = tok2vec.layers[0].shims[0]._hfmodel.tokenizer
    assert (
        tokenizer("VEJ")["input_ids"]
        == tokenizer("vej")["input_ids"]
        != tokenizer("vejj")["input_ids"]
    )


@pytest.mark.filterwarnings("ignore:The parser reads part-of-speech")
def test_an_hpsg_checkpoint(imported, content):
    """Its label attention layer is not there: the span scorer reads the encoder's 32
    features."""
    spec, state = content["spec"], content["state_dict"]
    spec["hparams"] = {
        key: value for key, value in spec["hparams"].items() if "lal" not in key
    }
    for key in list(state):
        if key.startswith(("encoder.attn_2.", "encoder.ff_2.")):
            del state[key]
        elif key in (
            "f_label.0.weight",
            *(
                f"dep_score.{part}.weight"
                for part in ("arc_h", "arc_c", "type_h", "type_c")
            ),
        ):
            state[key] = state[key][:, :32]
    nlp, _ = imported()
    config = nlp.config["components"]["lal_parser"]["model"]
    assert (
        config["tok2vec"]["clean_words"] == "hpsg" and not config["hparams"]["use_lal"]
    )
    doc = nlp("We see.")
    assert doc._.parse_string


def assert_same_answers(nlp, vectors):
    info, arrays = vectors
    docs = make_docs(nlp, info)
    for k, scores in enumerate(nlp.get_pipe("lal_parser").model.predict(docs)):
        chart = numpy.delete(scores.labels, SUB_HEAD, axis=-1)
        upper = numpy.triu_indices(len(chart), 1)
        assert (
            numpy.abs(chart[upper] - arrays[f"s{k}/label_scores_ut"]).max() < TOLERANCE
        )
    for doc, expected in zip(nlp.pipe(docs), info["sentences"], strict=True):
        assert doc[:]._.parse_string == expected["bracket"] and not doc.has_annotation(
            "DEP"
        )


@pytest.mark.parametrize("name", KK)
def test_kitaev_and_kleins_parser(name, shared_dir, tmp_path, monkeypatch):
    vectors = read_vectors(shared_dir / "vectors_encoders", name)
    content = content_of(*vectors)
    path = save_checkpoint(tmp_path / "theirs.pt", content, monkeypatch)
    output = run(path, tmp_path / "pipeline")
    nlp = spacy.load(tmp_path / "pipeline")
    assert_same_answers(nlp, vectors)
    assert "sentencizer, lal_parser; " in output
    assert (
        nlp.config["components"]["lal_parser"]["model"]["@architectures"]
        == "spacy-lal.ReferenceParser.v1"
    )


def test_words_of_kitaev_and_klein(tmp_path, monkeypatch):
    """Treebanks write brackets as -LRB-; texts do not. A word that is there in both
    forms stays."""
    vectors = read_vectors(DATA / "vectors_encoders", "kk_charconcat_words")
    content = content_of(*vectors)
    content["spec"]["word_vocab"].values[3:6] = ["-LRB-", "-RRB-", ")"]
    path = save_checkpoint(tmp_path / "theirs.pt", content, monkeypatch)
    run(path, tmp_path / "pipeline")
    nlp = spacy.load(tmp_path / "pipeline")
    data = nlp.get_pipe("lal_parser").label_data
    assert (
        data["words"][:3] == ["(", "-RRB-", ")"]
        and data["chars"] == vectors[0]["char_vocab"][5:]
    )
    assert data["word_counts"][3:] == list(range(7, len(data["words"]) + 4))
    doc = nlp("Her mother doesn't know (not at all). I see.")
    assert len(list(doc.sents)) == 2 and all(sent._.parse_string for sent in doc.sents)
    losses = nlp.update(
        [spacy.training.Example(nlp.make_doc(doc.text), doc)], sgd=nlp.resume_training()
    )
    assert losses["lal_parser"] >= 0
    assert "fault of label attention" in run(
        path, tmp_path / "out", "--scrambled-queries", expect=2
    )


# Files, names and weights


def test_the_old_format_of_files(content, tmp_path, monkeypatch):
    path = save_checkpoint(
        tmp_path / "x.pt", content, monkeypatch, _use_new_zipfile_serialization=False
    )
    found = read_checkpoint(path)
    assert (
        found.hparams == content["spec"]["hparams"]
        and type(found.hparams["learning_rate"]) is float
    )
    assert (
        found.vocabularies["label_vocab"].values
        == content["spec"]["label_vocab"].values
    )
    assert all(
        torch.equal(value, content["state_dict"][key])
        for key, value in found.state_dict.items()
    )


class Evil:
    """Calls something when it is unpickled."""

    def __init__(self, call, *args):
        self.call, self.args = call, args

    def __reduce__(self):
        return self.call, self.args


@pytest.mark.parametrize(
    "place, call",
    [
        ("hparams", os.system),
        ("state_dict", eval),
        ("trainer", getattr),
        ("top", torch.load),
    ],
)
def test_other_names_are_refused_before_anything_is_called(
    content, tmp_path, call, place, monkeypatch
):
    mark = tmp_path / "was_here"
    evil = Evil(call, f"open({str(mark)!r}, 'w')" if call is eval else f"touch {mark}")
    if place == "top":
        content = evil
    else:
        (content["spec"]["hparams"] if place == "hparams" else content[place])[
            "seed"
        ] = evil
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    with pytest.raises(
        CheckpointError, match="best_parser.pt: not a readable checkpoint"
    ):
        read_checkpoint(path)
    assert not mark.exists()


def test_damaged_files(content, tmp_path, monkeypatch):
    path = save_checkpoint(tmp_path / "x.pt", content, monkeypatch)
    data = path.read_bytes()
    for damaged in (b"", b"rubbish", data[: len(data) // 2], data[:-50]):
        path.write_bytes(damaged)
        with pytest.raises(CheckpointError, match="x.pt: not a readable checkpoint"):
            read_checkpoint(path)


def test_an_archive_that_expands_is_refused(tmp_path):
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(10_000_000))
    with pytest.raises(CheckpointError, match="an archive without compression"):
        read_checkpoint(path)


@needs_slow_tokenizers
def test_the_slow_tokenizer_is_taken_where_there_is_one(tiny_xlnet):  # noqa: F811
    loaded = load_tokenizer(str(tiny_xlnet), lower_case=True)
    assert not loaded.is_fast
    assert loaded.tokenize("The") == loaded.tokenize("the")
    assert load_tokenizer(str(tiny_xlnet)).tokenize("The") != loaded.tokenize("the")


@needs_slow_tokenizers
@pytest.mark.filterwarnings("ignore:The parser reads part-of-speech")
def test_a_sentencepiece_tokenizer_travels_with_the_pipeline(
    content,
    tiny_xlnet,  # noqa: F811
    tmp_path,
    monkeypatch,  # noqa: F811
):  # noqa: F811
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


def test_a_tokenizer_that_is_nowhere_is_named(content, tmp_path, monkeypatch):
    def refuse(name, **kwargs):
        raise OSError(f"We couldn't connect to the hub to load {name}")

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", refuse)
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    output = run(path, tmp_path / "out", expect=2)
    assert (
        "tokenizer was found" in output
        and "'xlnet-large-cased'" in output
        and "spacy-lal[xlnet]" in output
    )


@pytest.mark.parametrize(
    "change, message",
    [
        (
            lambda c: c["spec"]["hparams"].update(seed=Evil(os.system, "true")),
            "not a readable checkpoint",
        ),
        (
            lambda c: c["state_dict"].update({"f_label.0.weight": torch.zeros(24, 3)}),
            "mismatch for span_scorer.hidden",
        ),
        (
            lambda c: c["state_dict"].pop("dep_score.arc_h.bias"),
            "biaffine_scorer.arc_head.bias",
        ),
        (lambda c: c.pop("spec"), "not a readable checkpoint (KeyError: 'spec')"),
        (
            lambda c: c["spec"]["hparams"].update(use_bert=True),
            "use_bert (BERT vectors); supported are XLNet",
        ),
        (
            lambda c: c["spec"]["label_vocab"].values.append(("X",)),
            "label_vocab has 13 entries",
        ),
        (
            lambda c: c["spec"]["label_vocab"].values.__setitem__(3, ("S",)),
            "expected 12 different ones",
        ),
        (
            lambda c: c["spec"]["tag_vocab"].values.reverse(),
            "tag_vocab has 11 entries and begins with",
        ),
        (
            lambda c: c["state_dict"].update(
                {"xlnet.word_embedding.weight": torch.zeros(9, 32)}
            ),
            "has 64 pieces, but",
        ),
    ],
)
def test_bad_checkpoints_end_with_a_message(
    content, tokenizer, tmp_path, monkeypatch, change, message
):
    change(content)
    path = save_checkpoint(tmp_path / "best_parser.pt", content, monkeypatch)
    output = run(path, tmp_path / "deep" / "out", "--tokenizer", tokenizer, expect=2)
    assert message in output and str(path) in output and "Traceback" not in output
    assert [p.name for p in tmp_path.iterdir()] == ["best_parser.pt"]
