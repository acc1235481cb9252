#!/usr/bin/env python
"""Sentence breaks of 48 kinds of English text: the kinds of pySBD's golden rules
(Sadvilkar & Neumann 2020, "PySBD: pragmatic sentence boundary disambiguation"), in our
own words.

    python benchmarks/golden_rules.py [--model en_lal_md]

`accuracy/golden_rules.tsv` has a rule and a text in each line; "|" stands where a
sentence ends, "\\n" for a line end. A text is right if all of its sentences are."""

import argparse
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional, Sequence

import spacy
from spacy.language import Language

TABLE = Path(__file__).parent / "accuracy" / "golden_rules.tsv"


class GoldenRule(NamedTuple):
    """A kind of text.
    name (str): What is hard about it.
    sentences (List[str]): Its sentences, with the spaces between them."""

    name: str
    sentences: List[str]


def read_rules(path: Path = TABLE) -> List[GoldenRule]:
    """The rules of a table."""
    lines = path.read_text(encoding="utf8").splitlines()
    rows = [line.replace("\\n", "\n").split("\t") for line in lines]
    return [GoldenRule(name, text.split("|")) for name, text in rows]


def found_sentences(nlp: Language, rules: Sequence[GoldenRule]) -> Iterator[List[str]]:
    """The sentences of each text that a pipeline finds, without spaces around them."""
    for doc in nlp.pipe("".join(rule.sentences) for rule in rules):
        texts = [sentence.text.strip() for sentence in doc.sents]
        yield [text for text in texts if text]


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Print a table by rule.

    RETURNS (int): The number of rules whose text is right."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--model", default="en_lal_md")
    options = parser.parse_args(arguments)
    nlp = spacy.load(options.model, exclude=["lal_srl"])
    rules = read_rules()
    n_right = 0
    print("| rule | right | found |\n| --- | --- | --- |")
    for rule, found in zip(rules, found_sentences(nlp, rules), strict=True):
        is_right = found == [sentence.strip() for sentence in rule.sentences]
        n_right += is_right
        shown = "" if is_right else " / ".join(found).replace("\n", " ")
        print(f"| {rule.name} | {'yes' if is_right else 'no'} | {shown} |")
    print(f"\n{n_right} of {len(rules)} texts are right")
    return n_right


if __name__ == "__main__":
    main()
