"""The order of the data is spaCy's, and a place in it is found again."""

import functools
import io
import random
from typing import Any, Callable, Iterator, List, Optional, Tuple

import numpy
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from spacy.training.loop import create_train_batches
from thinc.api import compounding

from spacy_lal.training.train_batches import Place, TrainBatches, fingerprint
from spacy_lal.training.train_checkpoint import CheckpointError

NLP = spacy.blank("en")


def corpus(nlp: Language, words: str = "a b c d e f g h i j k l") -> Iterator[Example]:
    """Twelve Docs of 1 to 4 words. Like an augmenter, it draws a random number for each."""
    for i, word in enumerate(words.split()):
        doc = Doc(nlp.vocab, words=[word] * (1 + i % 4))
        doc.user_data["drawn"] = random.random()
        yield Example(doc, doc)


def batcher() -> Callable:
    """Sizes grow from batch to batch, in all epochs."""
    return functools.partial(minibatch_by_words, size=compounding(3, 10, 1.1), discard_oversize=False)


def make(place: Optional[Place] = None, max_epochs: int = 0, reader: Callable = corpus) -> TrainBatches:
    return TrainBatches(NLP, reader, batcher(), max_epochs, place=place)


def shown(item: Tuple[int, List[Example]]) -> Any:
    epoch, batch = item
    return epoch, [(eg.reference.text, eg.reference.user_data["drawn"]) for eg in batch]


def through_a_file(place: Place) -> Place:
    file = io.BytesIO()
    torch.save(place._asdict(), file)
    file.seek(0)
    return Place(**torch.load(file, weights_only=True))


@pytest.mark.parametrize("max_epochs", [0, 3, -1])
def test_as_in_spacy(max_epochs: int):
    random.seed(1)
    batches = create_train_batches(NLP, corpus, batcher(), max_epochs)
    expected = [shown(item) for _, item in zip(range(20), batches, strict=False)]
    random.seed(1)
    ours = [shown(item) for _, item in zip(range(20), make(max_epochs=max_epochs), strict=False)]
    assert ours == expected
    assert expected[-1][0] >= 2  # some epochs have passed


@pytest.mark.parametrize("max_epochs", [0, 3, -1])
@pytest.mark.parametrize("n_batches", [1, 6, 7, 8, 15])
def test_going_on(max_epochs: int, n_batches: int):
    """Others draw random numbers in between, and draw other ones after the restart."""
    random.seed(1)
    batches = make(max_epochs=max_epochs)
    expected = []
    for i, item in enumerate(batches, start=1):
        expected.append(shown(item))
        random.random(), numpy.random.rand()
        if i == n_batches:
            place = through_a_file(batches.place)
        if i == 18:
            break
    random.seed(2)
    going_on = [shown(item) for _, item in zip(range(18 - n_batches), make(place, max_epochs), strict=False)]
    assert going_on == expected[n_batches:]


def test_the_end_of_the_last_epoch():
    batches = make(max_epochs=1)
    assert list(batches)
    assert list(make(batches.place, max_epochs=1)) == []


def test_random_numbers_of_others():
    """Making batches leaves the generators as they were."""
    state, numbers = random.getstate(), numpy.random.get_state()
    batches = iter(make(max_epochs=-1))
    next(batches)
    next(batches)
    assert random.getstate() == state
    assert all(numpy.array_equal(a, b) for a, b in zip(numpy.random.get_state(), numbers, strict=True))


def test_empty_corpus():
    with pytest.raises(ValueError, match="E986"):
        next(iter(make(reader=lambda nlp: [])))


@pytest.mark.parametrize("words", ["a b c", "b a c d e f g h i j k l"])
def test_other_words(words: str):
    batches = make()
    next(iter(batches))
    with pytest.raises(CheckpointError, match="training data is not what it was .* --no-resume"):
        next(iter(make(batches.place, reader=functools.partial(corpus, words=words))))


def parsed_corpus(nlp: Language, **changes: Any) -> Iterator[Example]:
    for word in "abc":
        annotation = {"heads": [0, 0], "deps": ["ROOT", "obj"], "tags": ["VB", "NN"], "label": "VP"}
        annotation.update(changes if word == "c" else {})
        label = annotation.pop("label")
        doc = Doc(nlp.vocab, words=[word, word], **annotation)
        doc.spans["constituents"] = [Span(doc, 0, 2, label)]
        yield Example(doc, doc)


@pytest.mark.parametrize(
    "changes", [{"heads": [1, 1]}, {"deps": ["ROOT", "iobj"]}, {"tags": ["VB", "RB"]}, {"label": "S"}]
)
def test_other_annotation(changes: Any):
    batches = make(reader=parsed_corpus)
    next(iter(batches))
    changed = functools.partial(parsed_corpus, **changes)
    with pytest.raises(CheckpointError, match="training data is not what it was .* --no-resume"):
        next(iter(make(through_a_file(batches.place), reader=changed)))
    assert next(iter(make(through_a_file(batches.place), reader=parsed_corpus)))


def test_a_place_of_an_earlier_version():
    batches = make(reader=parsed_corpus)
    next(iter(batches))
    old = {name: value for name, value in batches.place._asdict().items() if name != "annotation"}
    assert next(iter(make(Place(**old), reader=parsed_corpus)))


def test_fingerprint_sees_where_docs_begin():
    docs = [Doc(NLP.vocab, words=words) for words in (["a", "b"], ["c"], ["a"], ["b", "c"])]
    examples = [Example(doc, doc) for doc in docs]
    assert fingerprint(examples[:2]) != fingerprint(examples[2:])
    assert fingerprint(examples[:2]) == fingerprint(examples[:2])
