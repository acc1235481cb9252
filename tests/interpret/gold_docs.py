"""The two sentences of `tiny_pipeline` with their gold trees, each as a Doc."""

from typing import List

from spacy.tokens import Doc
from spacy.vocab import Vocab
from tiny_pipeline import make_examples


def gold_docs(nlp) -> List[Doc]:
    """Fresh ones at each call."""
    return [example.reference for example in make_examples(nlp)]


def without_trees(vocab: Vocab) -> Doc:
    """A sentence of which nothing is known but its words."""
    return Doc(vocab, words=["She", "sees", "."], sent_starts=[True, False, False])
