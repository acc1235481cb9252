"""Train the last layer of a pipeline's senter alone, on a treebank and on copies of it
with other names.

    python scripts/train_senter.py training/compact corpus/train.spacy training/senter

The encoder stays as it is, so its vectors are computed once for each copy. In a copy,
words that begin a sentence, and names, are replaced by names of the treebank: a
sentence may begin with any of them after a full stop. The layer is a logistic
regression with weight decay."""

import argparse
import random
from pathlib import Path
from typing import Any, Iterator, List, Sequence, Tuple

import numpy as np
import spacy
import torch
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_lal.models.stored_layers import restore

STARTS_REPLACED = 0.6  # of the words that begin a sentence
NAMES_REPLACED = 0.3
ITERATIONS = 60


def names_of(docs: Sequence[Doc]) -> List[str]:
    """The words with a capital within sentences, as often as they occur."""
    return [
        token.text
        for doc in docs
        for token in doc
        if token.is_alpha and token.is_title and not token.is_sent_start
    ]


def with_other_names(doc: Doc, names: Sequence[str], draw: random.Random) -> Doc:
    """A copy of a Doc in which some words are other names. Its sentences stay."""
    words = []
    for token in doc:
        share = NAMES_REPLACED if token.is_title else 0.0
        if token.is_sent_start:
            share = STARTS_REPLACED
        words.append(draw.choice(names) if draw.random() < share else token.text)
    spaces = [bool(token.whitespace_) for token in doc]
    starts = [bool(token.is_sent_start) for token in doc]
    return Doc(doc.vocab, words=words, spaces=spaces, sent_starts=starts)


def without_breaks(doc: Doc) -> Doc:
    """A copy without sentence breaks, as raw text has none."""
    words = [token.text for token in doc]
    return Doc(doc.vocab, words=words, spaces=[bool(t.whitespace_) for t in doc])


def read_vectors(nlp: Language, docs: Sequence[Doc]) -> Iterator[ndarray]:
    """What the senter's last layer reads of each word but a Doc's first. *Shape:*
    (n_words - 1, width)."""
    senter: Any = nlp.get_pipe("senter")
    for doc in nlp.pipe(without_breaks(one) for one in docs):
        (vectors,) = senter.model.layers[0].predict([doc])
        yield np.asarray(vectors)[1:]


def fit(
    vectors: ndarray, starts: ndarray, begin: Tuple[ndarray, float], decay: float
) -> Tuple[ndarray, float]:
    """The weights and the bias of a logistic regression.

    vectors: *Shape:* (n_words, width). starts: *Shape:* (n_words,), 1 or 0.
    begin (Tuple[ndarray, float]): Weights and bias to begin from.
    decay (float): The weight of the mean square of the weights.
    """
    inputs, gold = torch.from_numpy(vectors), torch.from_numpy(starts)
    weights = torch.from_numpy(begin[0].copy()).requires_grad_()
    bias = torch.tensor(begin[1]).requires_grad_()
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=ITERATIONS)

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        scores = inputs @ weights + bias
        value = torch.nn.functional.binary_cross_entropy_with_logits(scores, gold)
        value = value + decay * weights.square().mean()
        value.backward()
        return value

    optimizer.step(loss)
    return weights.detach().numpy(), bias.item()


def train_senter(
    nlp: Language, docs: Sequence[Doc], copies: int, decay: float, seed: int
) -> None:
    """Train a pipeline's senter in place.

    copies (int): With other names, beside the treebank itself.
    """
    draw = random.Random(seed)
    names = names_of(docs)
    read = list(docs)
    for _ in range(copies):
        read.extend(with_other_names(doc, names, draw) for doc in docs)
    with nlp.select_pipes(enable=["encoder"]):
        vectors = np.concatenate(list(read_vectors(nlp, read)))
    starts = [token.is_sent_start for doc in read for token in list(doc)[1:]]
    senter: Any = nlp.get_pipe("senter")
    layer = next(node for node in senter.model.walk() if node.name == "softmax")
    restore(layer, "W")
    weights, bias = layer.get_param("W"), layer.get_param("b")
    begin = weights[1] - weights[0], float(bias[1] - bias[0])
    learned, learned_bias = fit(vectors, np.array(starts, dtype="f4"), begin, decay)
    layer.set_param("W", np.stack([np.zeros_like(learned), learned]))
    layer.set_param("b", np.array([0.0, learned_bias], dtype="f4"))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="a pipeline with an encoder and a senter")
    parser.add_argument("treebank", type=Path, help="Docs with sentences, .spacy")
    parser.add_argument("output", type=Path, help="the pipeline with another senter")
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--decay", type=float, default=0.006)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    nlp = spacy.load(args.pipeline)
    docs = list(DocBin().from_disk(args.treebank).get_docs(nlp.vocab))
    train_senter(nlp, docs, args.copies, args.decay, args.seed)
    nlp.to_disk(args.output)


if __name__ == "__main__":
    main()
