"""A decoder of one's own: a config names it, and training, parsing, the best trees,
margins and constraints use it."""

import numpy as np
import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp

from spacy_lal.annotations import ContradictionError, constrain
from spacy_lal.interpret import arc_margins, constituent_margins, k_best
from spacy_lal.pipeline.charts import DecodedParse
from spacy_lal.pipeline.decoders import Decoder


class FlatDecoder:
    """One constituent over the sentence; the first word is the root of all."""

    def __call__(self, scores):
        return [next(self.ranked(of_sentence)) for of_sentence in scores]

    def ranked(self, scores, allowed=None):
        n_words = scores.n_tokens
        of_labels = scores.labels[0, n_words, 2:]
        heads = np.array([0, *[1] * (n_words - 1)], dtype="int32")
        for label in np.argsort(-of_labels, kind="stable"):
            spans = np.array([[0, n_words, label + 2]], dtype="int32")
            nodes = [(i, i + 1, 0) for i in range(n_words)] + spans.tolist()
            fits = allowed is None or allowed.allow(np.array(nodes), np.r_[0, heads])
            parse = DecodedParse(
                scores.with_label_ids(spans),
                heads,
                np.zeros(n_words, dtype="int32"),
                "separate",
                float(of_labels[label]) if fits else -np.inf,
            )
            if fits:
                yield parse
        yield parse._replace(score=-np.inf)

    def revise(self, parse, scores, words, terms):
        return parse


@pytest.fixture(scope="module")
def nlp():
    if not spacy.registry.has("misc", "flat_decoder.v1"):
        spacy.registry.misc("flat_decoder.v1", func=FlatDecoder)
    return tiny_nlp(8, decoder={"@misc": "flat_decoder.v1"})


def test_it_parses(nlp):
    assert isinstance(nlp.get_pipe("lal_parser").decoder, Decoder)
    doc = nlp(tiny_doc(nlp))
    for sentence in doc.sents:
        assert [token.head.i for token in sentence] == [sentence.start] * len(sentence)
        assert len(sentence._.labels) >= 1 and sentence._.parse_method == "separate"


def test_best_trees_and_margins(nlp):
    doc = nlp(tiny_doc(nlp, [0]))
    trees = k_best(nlp, doc, 3)
    assert [tree.score for tree in trees] == sorted(
        (tree.score for tree in trees), reverse=True
    )
    assert trees[0].parse_string == doc._.parse_string != trees[1].parse_string
    (margin,) = constituent_margins(nlp, doc)
    assert margin.margin == pytest.approx(trees[1].gap)
    assert {arc.margin for arc in arc_margins(nlp, doc)} == {np.inf}


def test_constraints(nlp):
    doc = tiny_doc(nlp, [0])
    second = k_best(nlp, doc, 2)[1]
    ((start, end, label),) = second.constituents
    constrain(doc, constituents=[(start, end, label)], heads={0: 0})
    assert nlp(doc)._.parse_string == second.parse_string
    constrain(doc, heads={0: 1})
    with pytest.raises(ContradictionError, match="no tree with all of them"):
        nlp(doc)
