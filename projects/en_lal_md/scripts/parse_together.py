"""Parse plain text with several pipelines together: the trees that their scores prefer on average.

    python scripts/parse_together.py corpus/text/a.txt corpus/parsed/a.spacy training/teacher training/mean

Tokens, sentence breaks and tags are the first pipeline's, and so are labels and decoder. Each pipeline's parser then
scores each sentence; scores of arcs and of deprels are compared as logarithms of probabilities, those of labels as the
margin has taught them. A teacher for self-training (docs/how_to/training.md, "A teacher"): better than each by
itself, and as slow as all of them. Texts with a sentence of more than --max-words words are left out: that is rarely a
sentence.
"""

import argparse
import sys
from itertools import islice
from pathlib import Path
from typing import Iterator, Optional, Sequence

from ensemble import Ensemble, Member
from spacy.tokens import Doc, DocBin
from treebank import read_texts, run

from spacy_lal.annotations import sentence_bounds, sentence_words, set_parses
from spacy_lal.files import write_file
from spacy_lal.treebanks.docs import DOCBIN_ATTRS

MAX_WORDS = 80  # of a sentence
TEXTS_AT_ONCE = 256


class Together:
    """Pipelines that parse together.

    names (Sequence[str]): Packages or folders. Of the first come tokens, sentence breaks, tags, labels and decoder.
    RAISES (ValueError): One has no `lal_parser`, or does not know all deprels of the first.
    """

    def __init__(self, names: Sequence[str]) -> None:
        members = [Member(name) for name in names]
        self.first = members[0]
        self._ensemble = Ensemble(members, self.first.parser.label_data)

    def parse(self, texts: Sequence[str], max_words: int) -> Iterator[Doc]:
        """Texts as Docs of the first pipeline, without those that have a longer sentence."""
        with self.first.nlp.select_pipes(enable=self.first.before):
            read = list(self.first.nlp.pipe(texts))
        longest = ((doc, max(map(len, sentence_words(doc)), default=0)) for doc in read)
        docs = [doc for doc, n_words in longest if 0 < n_words <= max_words]
        self.annotate(docs)
        yield from docs

    def annotate(self, docs: Sequence[Doc]) -> None:
        """Set the trees of Docs that the components before the first pipeline's parser have processed."""
        parser = self.first.parser
        parses = iter(parser.decoder(list(self._ensemble.scores(docs, own=parser))))
        for doc in docs:
            mine = islice(parses, len(sentence_bounds(doc)))
            set_parses(doc, [parser.to_strings(parse) for parse in mine])


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, parse, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="file of one text a line")
    parser.add_argument("output", type=Path, help=".spacy file to write")
    parser.add_argument("pipelines", nargs="+", help="packages or folders of pipelines with a lal_parser")
    parser.add_argument(
        "--max-words", type=int, default=MAX_WORDS, help="of a sentence; texts with a longer one are left out"
    )
    args = parser.parse_args(arguments)
    together = Together(args.pipelines)
    texts = iter(read_texts(args.text))
    n_texts = n_words = 0
    doc_bin = DocBin(attrs=DOCBIN_ATTRS, store_user_data=False)
    while some := list(islice(texts, TEXTS_AT_ONCE)):
        for doc in together.parse(some, args.max_words):
            doc_bin.add(doc)
            n_texts += 1
            n_words += len(doc)
        print(f"{n_texts} texts, {n_words} words", file=sys.stderr, flush=True)
    write_file(args.output, doc_bin.to_bytes())


if __name__ == "__main__":
    run(main)
