"""Threads that share one pipeline: the parses of one thread; an error where the
transformer has not run."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
import spacy
import tiny_pipeline
from tiny_pipeline import TEXTS, make_bert, make_examples, parses

from spacy_lal.pipeline import lal_parser as lal_parser_module

OURS = "spacy-lal.TransformerModel.v1"
DROPOUT = {"hidden_dropout_prob": 0.5, "attention_probs_dropout_prob": 0.5}
N_THREADS = 8


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return make_bert(tmp_path_factory.mktemp("bert") / "one")


def make_nlp(bert, architecture=OURS, dropout=DROPOUT):
    """As the bundled pipeline: senter, tagger and parser listen through a
    JoinedTok2Vec."""
    config = tiny_pipeline.make_nlp(bert, concatenated=True).config.copy()
    components = config["components"]
    components["transformer"]["model"].update(
        {"@architectures": architecture, "transformer_config": dict(dropout)}
    )
    for name in ("senter", "tagger"):
        components[name]["model"]["tok2vec"] = components["lal_parser"]["model"][
            "tok2vec"
        ]
    spacy.util.fix_random_seed(0)
    nlp = spacy.util.load_model_from_config(config)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(4):
        nlp.update(examples, sgd=optimizer)
    return nlp


@pytest.fixture(scope="module")
def folder(bert, tmp_path_factory):
    path = tmp_path_factory.mktemp("nlp") / "ours"
    make_nlp(bert).to_disk(path)
    return path


@pytest.fixture
def nlp(folder):
    """Not used yet: what is made at the first use is made by the threads."""
    return spacy.load(folder)


def all_of(docs):
    docs = list(docs)
    return [
        (parse, [token.tag_ for token in doc])
        for parse, doc in zip(parses(docs), docs, strict=True)
    ]


def in_threads(call, values, n_threads=N_THREADS):
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(call, values))


# Threads


def test_the_parses_of_one_thread(nlp):
    texts = TEXTS * 12
    found = all_of(in_threads(nlp, texts))
    assert found == all_of(map(nlp, TEXTS)) * 12
    piped = in_threads(
        lambda i: all_of(nlp.pipe(TEXTS * 2, batch_size=3)), range(N_THREADS)
    )
    assert piped == [found[: len(TEXTS)] * 2] * N_THREADS


def test_training_by_turns_with_prediction_in_threads(nlp):
    examples = make_examples(nlp)
    optimizer = nlp.resume_training()
    seen = []
    for _ in range(3):
        nlp.update(examples, sgd=optimizer)
        found = all_of(in_threads(nlp, TEXTS * 2))
        assert found == all_of(map(nlp, TEXTS)) * 2
        seen.append(nlp(TEXTS[0])._.trf_data.model_output.last_hidden_state)
    assert abs(seen[0] - seen[1]).max() > 1e-4


def test_default_weights_are_loaded_once(folder, monkeypatch):
    source = spacy.load(folder, exclude=["tagger"])  # tags say what is punctuation
    parser, loaded = source.get_pipe("lal_parser"), []
    expected = parses(map(source, TEXTS[:2]))

    def load(lang, name):
        loaded.append(name)
        return default

    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    blank.add_pipe("lal_parser")
    listeners = ["model.tok2vec.*.transformer"]
    source.replace_listeners("transformer", "lal_parser", listeners)
    default = parser, source.config["components"]["lal_parser"]["model"]
    monkeypatch.setattr(lal_parser_module, "load_default_parser", load)
    barrier = Barrier(N_THREADS)

    def parse(i):
        barrier.wait()
        return parses(map(blank, TEXTS[:2]))

    assert in_threads(parse, range(N_THREADS)) == [expected] * N_THREADS
    assert loaded == ["lal_parser"]


# Without the transformer


def without_transformer(folder, way):
    if way == "disable":
        return spacy.load(folder, disable=["transformer"])
    if way == "exclude":
        return spacy.load(folder, exclude=["transformer"])
    nlp = spacy.load(folder)
    if way == "remove_pipe":
        nlp.remove_pipe("transformer")
    elif way == "disable_pipe":
        nlp.disable_pipe("transformer")
    else:
        nlp.select_pipes(disable=["transformer"])
    return nlp


@pytest.mark.parametrize(
    "way", ["disable", "exclude", "remove_pipe", "disable_pipe", "select_pipes"]
)
def test_no_answer_by_zeros(folder, way):
    nlp = without_transformer(folder, way)
    with pytest.raises(
        ValueError, match="'transformer' has not run on the Doc 'She sees a dog"
    ):
        nlp(TEXTS[0])
    with pytest.raises(
        ValueError,
        match=r"enable 'transformer' or add it, or leave these components out, too",
    ):
        list(nlp.pipe(TEXTS))
    nlp.select_pipes(disable=["senter"])
    with pytest.raises(ValueError, match="has not run"):
        nlp(TEXTS[0])
