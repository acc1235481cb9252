"""The component `lal_units`: learning, storage, what it writes, what it refuses."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_lal.annotations import UNITS_KEY, set_units

# Words, heads and deprels of a sentence, and its units: first and last word, number.
MAN = (
    ["The", "man", "who", "slept", "left", "."],
    [1, 4, 3, 1, 4, 4],
    ["det", "nsubj", "nsubj", "acl:relcl", "ROOT", "punct"],
    [(0, 2, 1), (2, 4, 2), (4, 6, 1)],
)
RAIN = (
    ["She", "stays", "because", "it", "rains", "."],
    [1, 1, 4, 4, 1, 1],
    ["nsubj", "ROOT", "mark", "nsubj", "advcl", "punct"],
    [(0, 2, 1), (2, 6, 2)],
)
NOTHING = (["Nobody", "came", "."], [1, 1, 1], ["nsubj", "ROOT", "punct"], [(0, 3, 1)])
SENTENCES = [MAN, RAIN, NOTHING]


def make_doc(nlp: Language, *sentences: tuple[Any, ...]) -> Doc:
    """A parsed Doc of some sentences."""
    words: list[str] = []
    heads: list[int] = []
    deps: list[str] = []
    for texts, of_words, deprels, _ in sentences:
        heads += [len(words) + head for head in of_words]
        words += texts
        deps += deprels
    return Doc(nlp.vocab, words, heads=heads, deps=deps, tags=["NN"] * len(words))


def make_examples(nlp: Language) -> list[Example]:
    examples = []
    for sentence in SENTENCES:
        reference = make_doc(nlp, sentence)
        set_units(reference, sentence[3])
        examples.append(Example(make_doc(nlp, sentence), reference))
    return examples


@pytest.fixture
def nlp() -> Language:
    """A pipeline with the component, initialised and untrained."""
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_units")
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


@pytest.fixture(scope="module")
def trained() -> Language:
    """It has learned three sentences."""
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_units")
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    return nlp


def units(doc: Doc) -> list[tuple[str, str]]:
    return [(unit.text, unit.id_) for unit in doc._.units]


ALL_UNITS = [
    ("The man", "1"),
    ("who slept", "2"),
    ("left .", "1"),
    ("She stays", "3"),
    ("because it rains .", "4"),
    ("Nobody came .", "5"),
]


def test_it_learns_units_and_joins_their_parts(trained: Language) -> None:
    doc = trained(make_doc(trained, *SENTENCES))
    assert units(doc) == ALL_UNITS
    assert {unit.label_ for unit in doc._.units} == {"unit"}
    of_sentences = [unit for sent in doc.sents for unit in sent._.units]
    assert of_sentences == doc._.units
    assert doc[3:8]._.units == doc._.units[2:4]
    scores = trained.evaluate(make_examples(trained))
    assert scores["spans_units_f"] == 1.0


def test_stored_pipelines_and_docs_have_the_same_units(
    trained: Language, tmp_path: Path
) -> None:
    data = trained.to_bytes()
    trained.to_disk(tmp_path / "nlp")
    loaded = [
        spacy.load(tmp_path / "nlp"),
        spacy.util.load_model_from_config(trained.config).from_bytes(data),
        pickle.loads(pickle.dumps(trained)),
    ]
    for nlp in loaded:
        assert units(nlp(make_doc(nlp, *SENTENCES))) == ALL_UNITS
    doc = trained(make_doc(trained, *SENTENCES))
    (read,) = DocBin(docs=[doc]).get_docs(trained.vocab)
    assert units(read) == ALL_UNITS


def test_batches_and_single_docs_have_the_same_units(trained: Language) -> None:
    """A Doc's units are those of its sentences, whatever Docs are beside it."""
    pipe = trained.get_pipe("lal_units")
    docs = [make_doc(trained, one) for one in (*SENTENCES, MAN)]
    docs.insert(1, Doc(trained.vocab))
    together = [units(doc) for doc in pipe.pipe(docs, batch_size=5)]
    alone = [units(pipe(doc.copy())) for doc in docs]
    assert together == alone
    assert together[1] == []


def test_white_space_belongs_to_the_unit_before_it(trained: Language) -> None:
    """And to the first one at the beginning of a sentence; alone it is no unit."""
    words = ["\n", "She", "stays", "\n", "because", "it", "rains", ".", "\n\n"]
    heads = [1, 2, 2, 2, 6, 6, 2, 2, 8]
    deps = ["dep", *RAIN[2][:2], "dep", *RAIN[2][2:], "ROOT"]
    tags = ["_SP" if word.isspace() else "NN" for word in words]
    doc = trained(Doc(trained.vocab, words, heads=heads, deps=deps, tags=tags))
    places = [(unit.start, unit.end) for unit in doc._.units]
    assert places == [(0, 4), (4, 8)]
    assert units(trained(Doc(trained.vocab, ["\n"]))) == []


def test_units_survive_merged_tokens(trained: Language) -> None:
    doc = trained(make_doc(trained, *SENTENCES))
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    assert units(doc) == ALL_UNITS


def test_the_gradient_is_the_slope_of_the_loss(nlp: Language) -> None:
    """Of the hidden layers' weights and of the vectors, by finite differences."""
    pipe: Any = nlp.get_pipe("lal_units")
    examples = make_examples(nlp)
    docs = [eg.predicted for eg in examples]
    scores, backprop = pipe.model.begin_update(docs)
    _, d_scores = pipe.get_loss(examples, scores)
    backprop(d_scores)
    for layer in (pipe.model.layers[1].layers[1], *pipe.model.layers[3:-1]):
        node = layer if layer.has_param("W") else layer.layers[0].layers[0]
        gradient = node.get_grad("W").copy()
        weights = node.get_param("W").copy()
        step = np.sign(gradient) * np.float32(1e-4)
        losses = []
        for change in (step, -step):
            node.set_param("W", weights + change)
            losses.append(pipe.get_loss(examples, pipe.model.predict(docs))[0])
        node.set_param("W", weights)
        slope = (losses[0] - losses[1]) / 2
        assert slope == pytest.approx(float((gradient * step).sum()), rel=0.05)


@pytest.mark.parametrize("lang", ["en", "fr", "is"])
def test_without_weights_it_says_what_has_some(lang: str) -> None:
    nlp = spacy.blank(lang)
    nlp.add_pipe("lal_units")
    with pytest.raises(ValueError, match="neither trained .* English alone .*GUM"):
        nlp(make_doc(nlp, MAN))


def test_a_doc_without_units_says_so() -> None:
    nlp = spacy.blank("fr")
    nlp.add_pipe("lal_units")
    doc = make_doc(nlp, MAN)
    for item in (doc, doc[0:2]):
        with pytest.raises(ValueError, match="no units .* English alone"):
            item._.units  # noqa: B018  (a getter)
    assert UNITS_KEY not in doc.spans


def test_examples_without_units_are_refused(nlp: Language) -> None:
    examples = [Example(make_doc(nlp, MAN), make_doc(nlp, MAN))]
    with pytest.raises(ValueError, match="no units"):
        nlp.update(examples)
