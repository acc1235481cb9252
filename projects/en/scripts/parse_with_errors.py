"""Parse training text with about as many errors as unseen text has, for a component that learns from parses.

    python scripts/parse_with_errors.py en_lal_md ../../assets/ewt/train.conllu corpus/parses \
        --dropout 0.65 0.75 0.75

EWT's training sentences are training data of the parser, too, so that it parses them nearly without errors (LAS 97.6;
dev: 90.2). Here the parser reads the transformer's vectors with a share of their elements set to zero, and the others
scaled up: dropout, as in training. Its errors then lie where it is least sure. Tags and lemmas come from the whole
vectors. Each rate of --dropout makes a file OUT/N.spacy of the same Docs, with gold tokens, sentences and roles, and
predicted tags, lemmas, heads and constituents. The share of arcs that are right is printed.
"""

import argparse
from pathlib import Path
from typing import Any, Iterator, List, Sequence

import numpy as np
import spacy
from numpy import ndarray
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import get_propositions, set_propositions
from spacy_lal.pipeline.component import parser_names
from spacy_lal.treebanks.corpora import PropBankCorpus
from spacy_lal.treebanks.docs import write_docs

BATCH_SIZE = 32


def dropped(hidden: ndarray, rate: float, rng: np.random.Generator) -> ndarray:
    """Hidden states with a share of their elements set to zero, and the others scaled
    up.

    hidden (ndarray): Any shape.
    rate (float): The share.
    """
    kept = rng.random(hidden.shape, dtype=np.float32) >= rate
    return np.where(kept, hidden / np.float32(1.0 - rate), np.float32(0.0))


def annotate(nlp: Language, examples: Sequence[Example]) -> List[Doc]:
    """Docs with everything that comes before the parser: vectors, tags, lemmas."""
    (name,) = parser_names(nlp)
    with nlp.select_pipes(
        disable=nlp.pipe_names[nlp.pipe_names.index(name) :]
    ):  # what follows may read the parse
        return list(
            nlp.pipe([eg.predicted.copy() for eg in examples], batch_size=BATCH_SIZE)
        )


def parse(
    nlp: Language,
    docs: Sequence[Doc],
    examples: Sequence[Example],
    rate: float,
    rng: np.random.Generator,
) -> Iterator[Doc]:
    """Parsed copies of annotated Docs, with the references' roles.

    nlp (Language): A pipeline with an encoder, a tagger, a lemmatizer and a parser of
        ours.
    docs (Sequence[Doc]): As `annotate` returns them; left as they are.
    rate (float): The dropout of the parser's vectors.
    """
    (name,) = parser_names(nlp)
    parser: Any = nlp.get_pipe(name)
    copies = [doc.copy() for doc in docs]
    for doc in copies:
        doc.tensor = dropped(doc.tensor, rate, rng)
    parsed = parser.pipe(copies, batch_size=BATCH_SIZE)
    for doc, eg in zip(parsed, examples, strict=True):
        set_propositions(doc, get_propositions(eg.reference))
        yield doc


def right_arcs(docs: Sequence[Doc], examples: Sequence[Example]) -> float:
    """The share of words whose head and deprel are the reference's."""
    right = [
        found.head.i == gold.head.i and found.dep == gold.dep
        for doc, eg in zip(docs, examples, strict=True)
        for found, gold in zip(doc, eg.reference, strict=True)
    ]
    return sum(right) / max(1, len(right))


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("pipeline", help="name of an installed package, or a folder")
    add("conllu", type=Path, help="X.conllu, beside its roles in X.srl.jsonl")
    add("output", type=Path, help="the folder to write to")
    add("--dropout", type=float, nargs="+", default=[0.65, 0.75, 0.75])
    add("--n-sents", type=int, default=8, help="sentences in a Doc")
    add("--seed", type=int, default=0)
    args = parser.parse_args()
    if not all(0.0 <= rate < 1.0 for rate in args.dropout):
        parser.error(f"--dropout: expected rates in [0, 1), got {args.dropout}")
    nlp = spacy.load(args.pipeline)
    corpus = PropBankCorpus(args.conllu, n_sents=args.n_sents)
    examples: List[Example] = list(corpus(nlp))
    args.output.mkdir(parents=True, exist_ok=True)
    generators = [
        np.random.default_rng([args.seed, number])
        for number in range(len(args.dropout))
    ]
    parsed: List[List[Doc]] = [[] for _ in args.dropout]
    for i in range(0, len(examples), BATCH_SIZE):
        batch = examples[i : i + BATCH_SIZE]
        annotated = annotate(nlp, batch)
        for docs, rate, rng in zip(parsed, args.dropout, generators, strict=True):
            docs.extend(parse(nlp, annotated, batch, rate, rng))
    for number, (docs, rate) in enumerate(zip(parsed, args.dropout, strict=True)):
        path = args.output / f"{number}.spacy"
        write_docs(docs, path)
        print(
            f"{path}: {len(docs)} Docs, dropout {rate}, "
            f"{100 * right_arcs(docs, examples):.1f} % of arcs are right"
        )


if __name__ == "__main__":
    main()
