"""Many Docs: the same parses whatever the batches, their order and the processes;
sentences of all Docs run together; a pipeline that works for hours keeps nothing."""

import random

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab
from tiny_pipeline import make_bert, make_nlp, parses, train

from spacy_lal.models.batches import embed
from spacy_lal.pipeline import component, lal_parser

WORDS = "She sees a dog in the park , and nobody drives 😀 ( هذا -LRB- .".split()
LENGTHS = [0, 1, 5, 0, 40, 1, 17, 3, 2, 90, 8, 1, 23, 0, 6]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A trained pipeline on disk: transformer, senter, tagger, parser."""
    path = tmp_path_factory.mktemp("many")
    nlp = train(make_nlp(make_bert(path / "bert")))
    nlp.to_disk(path / "pipeline")
    return path / "pipeline"


@pytest.fixture(scope="module")
def nlp(folder):
    return spacy.load(folder)


def make_docs(nlp):
    """Docs of no token, one and many, with sentence boundaries and whitespace tokens
    anywhere; always the same."""
    rng = random.Random(0)
    docs = []
    for length in LENGTHS:
        words = [rng.choice([*WORDS, "\n", " "]) for _ in range(length)]
        docs.append(
            Doc(
                nlp.vocab,
                words=words,
                sent_starts=[i == 0 or rng.random() < 0.1 for i in range(length)],
            )
        )
    return docs + [Doc(nlp.vocab, words=[" ", "\n"], sent_starts=[True, False])]


class CountingPipe(component.SentencePipe):
    """Predicts how many tokens run together."""

    def __init__(self):
        self.cfg = {}

    def _prepare(self):
        pass

    def _predict(self, docs):
        return [[sum(map(len, docs))] for _ in docs]


def test_docs_run_together_up_to_50_000_tokens():
    """A batch of any size takes the memory of so many tokens; a fifth more may join
    them."""
    vocab = Vocab()
    docs = [Doc(vocab, words=["a"] * n) for n in (30_000, 0, 20_000, 10_001)]
    assert CountingPipe().predict(docs) == [[50_000], [], [50_000], [10_001]]


def test_batches_order_and_processes(nlp):
    expected = parses(nlp(doc) for doc in make_docs(nlp))
    assert len({str(one) for one in expected}) > 10
    for batch_size in (1, 2, 7, 1000):
        assert parses(nlp.pipe(make_docs(nlp), batch_size=batch_size)) == expected
    order = random.Random(1).sample(range(len(expected)), len(expected))
    docs = make_docs(nlp)
    assert parses(nlp.pipe([docs[i] for i in order], batch_size=4)) == [
        expected[i] for i in order
    ]
    assert parses(nlp.pipe(make_docs(nlp), n_process=2, batch_size=3)) == expected


def test_a_batch_of_large_docs_is_not_held_at_once(nlp, monkeypatch):
    """However many Docs a batch has, the network gets so many tokens at a time, and a
    Doc that has more by itself."""
    expected = parses(nlp(doc) for doc in make_docs(nlp))
    sizes = []

    def spy(model, docs, *options):
        sizes.append([len(doc) for doc in docs])
        return embed(model, docs, *options)

    monkeypatch.setattr(lal_parser, "embed", spy)
    monkeypatch.setattr(component, "MAX_TOKENS", 50)
    assert parses(nlp.pipe(make_docs(nlp), batch_size=100)) == expected
    assert sum(map(len, sizes)) == len([doc for doc in make_docs(nlp) if len(doc)])
    assert all(sum(run) <= 50 or len(run) == 1 for run in sizes) and [90] in sizes


def test_a_memory_zone_leaves_no_strings(nlp):
    """What a Doc adds to the vocabulary goes with the zone; the parser itself adds
    nothing."""
    before = set(nlp.vocab.strings)
    for zone in range(3):
        with nlp.memory_zone():
            docs = [
                Doc(
                    nlp.vocab, words=[f"new{zone}{i}", "dog"], sent_starts=[True, False]
                )
                for i in range(20)
            ]
            found = parses(nlp.pipe(docs))
    assert set(nlp.vocab.strings) == before
    docs = [
        Doc(nlp.vocab, words=[f"new2{i}", "dog"], sent_starts=[True, False])
        for i in range(20)
    ]
    assert parses(nlp.pipe(docs)) == found
    added = set(nlp.vocab.strings) - before
    assert {f"new2{i}" for i in range(20)} <= added
    assert not added & {
        *nlp.get_pipe("lal_parser").labels,
        "constituents",
        "parse_methods",
        "joint",
        "dep",
    }
