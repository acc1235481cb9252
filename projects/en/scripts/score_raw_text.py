"""Score a pipeline on the raw texts of gold Docs, as CoNLL 2018 scored: F1 of all
words, punctuation too.

    python scripts/score_raw_text.py en_lal_md corpus/test/ewt.spacy
    corpus/test/gum.spacy

A word is found if it has the same characters, a sentence if it has the same first and
last character; white space does not count. Of a word that is found, UPOS and lemma are
right if they are equal (a gold lemma `_` is always right), UAS if the head is the same
word, LAS if the deprel without its subtype is equal, too."""

import argparse
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set, Tuple

import spacy
from spacy.tokens import Doc, DocBin, Token

Span = Tuple[int, int]  # characters of the text without white space


def spans(doc: Doc) -> List[Span]:
    """The characters of each token; whitespace tokens have none."""
    found, end = [], 0
    for token in doc:
        start, end = end, end + len("".join(token.text.split()))
        found.append((start, end))
    return found


def annotations(doc: Doc) -> Dict[str, Set[Tuple]]:
    """What is scored, by name: a set of tuples that begin with the characters of a word
    or sentence."""
    places = spans(doc)
    words = [token for token in doc if not token.is_space]
    sentences = [(places[sent.start][0], places[sent.end - 1][1]) for sent in doc.sents]

    def of_words(values: "Dict[Token, Tuple]") -> Set[Tuple]:
        return {(places[token.i], *value) for token, value in values.items()}

    heads = {
        token: places[token.head.i] if token.head is not token else None
        for token in words
    }
    return {
        "words": of_words(dict.fromkeys(words, ())),
        "sentences": {one for one in sentences if one[0] < one[1]},
        "UPOS": of_words({token: (token.pos_,) for token in words}),
        "lemmas": of_words({token: (token.lemma_,) for token in words}),
        "UAS": of_words({token: (heads[token],) for token in words}),
        "LAS": of_words(
            {token: (heads[token], token.dep_.split(":")[0].lower()) for token in words}
        ),
    }


def score(golds: Sequence[Doc], docs: Sequence[Doc]) -> Dict[str, float]:
    """F1 by name, in percent, of Docs made of the texts of gold Docs."""
    right: Dict[str, int] = {}
    total: Dict[str, int] = {}
    for gold, doc in zip(golds, docs, strict=True):
        expected, found = annotations(gold), annotations(doc)
        unknown = {place for place, lemma in expected["lemmas"] if lemma == "_"}
        found["lemmas"] = {
            (place, "_" if place in unknown else lemma)
            for place, lemma in found["lemmas"]
        }
        for name in expected:
            right[name] = right.get(name, 0) + len(expected[name] & found[name])
            total[name] = total.get(name, 0) + len(expected[name]) + len(found[name])
    return {name: 200 * right[name] / total[name] for name in right if total[name]}


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, parse, print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline", help="a package or folder")
    parser.add_argument(
        "golds", type=Path, nargs="+", help="gold Docs, .spacy, a document each"
    )
    args = parser.parse_args(arguments)
    nlp = spacy.load(args.pipeline)
    for path in args.golds:
        golds = list(DocBin().from_disk(path).get_docs(nlp.vocab))
        found = score(
            golds, list(nlp.pipe([gold.text for gold in golds], batch_size=16))
        )
        print(
            path.stem,
            *(f"{name} {value:.2f}" for name, value in found.items()),
            sep="\t",
        )


if __name__ == "__main__":
    main()
