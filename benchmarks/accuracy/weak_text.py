"""Counts of the kinds of text that a pipeline parses badly, for the card's section of
that name.

    python benchmarks/accuracy/weak_text.py en_lal_md

A line of the sentences' file (`weak_text.tsv`) has a kind, an expectation and a
sentence. An expectation is an arc (`word/deprel/head`, `*` for any; `nsubj+xcomp` for
an `xcomp` that has an `nsubj`) or a piece of the bracketed tree, and `!` before it says
that the sentence has none such."""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Dict, List

import spacy
from spacy.tokens import Doc, Token

SENTENCES = Path(__file__).with_suffix(".tsv")


def fits(token: Token, word: str, deprel: str, head: str) -> bool:
    """Whether a token has an arc."""
    needed, _, own = deprel.rpartition("+")
    has_needed = not needed or any(child.dep_ == needed for child in token.children)
    found = own in (token.dep_, token.dep_.lower()) and has_needed
    return found and word in ("*", token.text) and head in ("*", token.head.text)


def meets(doc: Doc, expectation: str) -> bool:
    """Whether a parse has what a line expects."""
    wanted = expectation.removeprefix("!")
    if wanted.startswith("("):
        found = any(
            wanted in " ".join(sent._.parse_string.split()) for sent in doc.sents
        )
    else:
        found = any(fits(token, *wanted.split("/")) for token in doc)
    return found == (wanted == expectation)


def main() -> None:
    """Print the sentences of each kind whose parse is wrong, and their number."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pipeline")
    parser.add_argument("--sentences", type=Path, default=SENTENCES)
    args = parser.parse_args()
    lines = [
        line.split("\t")
        for line in args.sentences.read_text(encoding="utf8").splitlines()
    ]
    wrong: Dict[str, List[str]] = defaultdict(list)
    for doc, (kind, expectation, text) in zip(
        spacy.load(args.pipeline).pipe(line[2] for line in lines), lines, strict=True
    ):
        wrong[kind] += [] if meets(doc, expectation) else [text]
    for kind, texts in wrong.items():
        print(
            f"{kind}: wrong in {len(texts)} of "
            f"{sum(line[0] == kind for line in lines)}",
            *texts,
            sep="\n  ",
        )


if __name__ == "__main__":
    main()
