"""Words and characters as features: vocabularies come from the training data and are
saved with the model."""

import json

import numpy
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_lal.pipeline.labels import collect_labels

WORDS = [["She", "eats", "."], ["The", "dog", "eats", "the", "dog", "."]]
SPANS = [
    [(0, 3, "S"), (0, 1, "NP"), (1, 2, "VP")],
    [(0, 6, "S"), (0, 2, "NP"), (2, 5, "VP"), (3, 5, "NP")],
]
FEATURES = {
    "words": {"@misc": "spacy-lal.Words.v1"},
    "chars": {
        "@misc": "spacy-lal.CharLSTM.v1",
        "char_width": 4,
        "alphabet": "codepoints",
    },
    "letters": {
        "@misc": "spacy-lal.CharConcat.v1",
        "char_width": 4,
        "alphabet": "codepoints",
    },
    "tags": {"@misc": "spacy-lal.Tags.v1"},
}
MODEL = {
    "@architectures": "spacy-lal.LALParser.v1",
    "tok2vec": None,
    "hidden_width": 32,
    "label_attention": None,
    "span_scorer": {"@misc": "spacy-lal.SpanScorer.v1", "hidden_width": 16},
    "biaffine_scorer": None,
    "encoder": {
        "@misc": "spacy-lal.Encoder.v1",
        "*": {
            "all": {
                "@misc": "spacy-lal.SelfAttentionLayer.v1",
                "n_heads": 2,
                "attn_width": 8,
                "ff_width": 16,
            }
        },
    },
}


def make_nlp(*features, **options):
    inputs = {
        "@misc": "spacy-lal.InputLayer.v1",
        "*": {name: FEATURES[name] for name in features},
        **options,
    }
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", config={"model": {**MODEL, "inputs": inputs}})
    return nlp


def gold_docs(nlp):
    docs = []
    for words, spans in zip(WORDS, SPANS, strict=True):
        doc = Doc(
            nlp.vocab,
            words=words,
            tags=["X"] * len(words),
            sent_starts=[True] + [False] * (len(words) - 1),
        )
        doc.spans["constituents"] = [Span(doc, *span) for span in spans]
        docs.append(doc)
    return docs


def train(nlp, steps=60):
    spacy.util.fix_random_seed(0)
    golds = gold_docs(nlp)
    examples = [
        Example(Doc(nlp.vocab, words=[t.text for t in doc], tags=["X"] * len(doc)), doc)
        for doc in golds
    ]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    losses = []
    for _ in range(steps):
        losses.append(nlp.update(examples, sgd=optimizer)["lal_parser"])
    return losses


def scores(nlp, docs):
    return [one.labels for one in nlp.get_pipe("lal_parser").model.predict(docs)]


@pytest.mark.parametrize(
    "word, expected",
    [("aé", 256 - 5), ("a\u0142", 512 - 5), ("b\u0436a", sorted({"b", "\u0436", "a"}))],
)
def test_the_alphabet_of_codepoints(word, expected):
    doc = Doc(spacy.blank("en").vocab, words=[word], sent_starts=[True])
    chars = collect_labels([Example(doc, doc)], alphabet="codepoints")["chars"]
    assert chars == (
        [chr(i) for i in range(5, expected + 5)]
        if isinstance(expected, int)
        else expected
    )


@pytest.mark.filterwarnings("ignore:The parser reads part-of-speech tags")
@pytest.mark.parametrize(
    "features",
    [
        ["words"],
        ["letters"],
        ["words", "letters"],
        ["words", "chars", "letters", "tags"],
    ],
)
def test_features_train_and_are_saved(features, tmp_path):
    nlp = make_nlp(*features)
    losses = train(nlp)
    assert min(losses[-10:]) < losses[0] / 3  # with dropout
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    again = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    for other in (loaded, again):
        assert (
            other.get_pipe("lal_parser").label_data
            == nlp.get_pipe("lal_parser").label_data
        )
        for one, two in zip(
            scores(nlp, gold_docs(nlp)), scores(other, gold_docs(other)), strict=True
        ):
            assert numpy.array_equal(one, two)
    odd = Doc(
        nlp.vocab,
        words=["\n", "\U0001f600", " ", "dog", "unheardofverylongword" * 9],
        sent_starts=[True, *[False] * 4],
    )
    assert nlp(odd).spans["constituents"] and not len(nlp(Doc(nlp.vocab)))


def test_a_sentence_is_the_same_alone_and_in_a_batch():
    nlp = make_nlp("words", "chars", "letters", "tags")
    train(nlp, 2)
    docs = gold_docs(nlp)
    together = scores(nlp, docs)
    for doc, one in zip(docs, together, strict=True):
        assert scores(nlp, [doc])[0] == pytest.approx(one, abs=1e-5)


def test_rare_words_are_dropped_in_training_alone():
    nlp = make_nlp("words")
    train(nlp, 1)
    reader = nlp.get_pipe("lal_parser").model.layers[0]
    counts = dict(zip(reader.attrs["words"], reader.attrs["word_counts"], strict=True))
    (doc,) = gold_docs(nlp)[:1]
    (known,), _ = reader([doc], False)
    numpy.random.seed(0)
    drawn = numpy.array([reader([doc], True)[0][0].word_ids for _ in range(4000)])
    assert (drawn[:, [0, -1]] == [0, 1]).all()  # START and STOP stay
    for column, token in enumerate(doc, start=1):
        unknown = drawn[:, column] == 2
        assert (drawn[~unknown, column] == known.word_ids[column]).all()
        assert unknown.mean() == pytest.approx(1 / (1 + counts[token.text]), abs=0.04)


def test_labels_may_be_given_without_examples():
    nlp = make_nlp("words")
    train(nlp, 1)
    data = json.loads(json.dumps(nlp.get_pipe("lal_parser").label_data))
    other = make_nlp("words")
    other.get_pipe("lal_parser").initialize(
        lambda: [Example(d, d) for d in gold_docs(other)], labels=data
    )
    assert other.get_pipe("lal_parser").label_data == data
    with pytest.raises(ValueError, match="shorter"):
        other.get_pipe("lal_parser").set_label_data(
            {**data, "word_counts": data["word_counts"][1:]}
        )


@pytest.mark.parametrize(
    "features, changes, message",
    [
        (
            ["chars", "letters"],
            {"chars": {"alphabet": "frequent"}},
            "alphabet: expected the same .* codepoints, frequent",
        ),
        (
            ["chars", "letters"],
            {"chars": {"max_word_length": 2}},
            "max_word_length of CharLSTM: .* 4 letters .* got 2",
        ),
    ],
)
def test_contradictions_are_refused_when_the_config_is_read(features, changes, message):
    blocks = {name: {**FEATURES[name], **changes.get(name, {})} for name in features}
    inputs = {"@misc": "spacy-lal.InputLayer.v1", "*": blocks}
    with pytest.raises(ValueError, match=message):
        spacy.blank("en").add_pipe(
            "lal_parser", config={"model": {**MODEL, "inputs": inputs}}
        )
