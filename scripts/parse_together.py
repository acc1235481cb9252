"""Parse plain text with several pipelines together: the trees that their scores prefer on average.

    python scripts/parse_together.py corpus/text/a.txt corpus/parsed/a.spacy training/teacher training/mean

Tokens, sentence breaks and tags are the first pipeline's, and so are labels and decoder. Each pipeline's parser then
scores each sentence; scores of arcs and of deprels are compared as logarithms of probabilities, those of labels as the
margin has taught them. A teacher for self-training (docs/training.md, "Anew, with a teacher"): better than each by
itself, and as slow as all of them. Texts with a sentence of more than --max-words words are left out: that is rarely a
sentence.
"""

import argparse
import sys
from itertools import islice, takewhile
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from treebank import read_texts, run

from spacy_lal.annotations import sentence_bounds, sentence_words, set_parses
from spacy_lal.cli.parse_output import writer
from spacy_lal.pipeline.lal_parser import LALParser
from spacy_lal.pipeline.parser_names import parser_names, sentence_splitters
from spacy_lal.scores import AnyScores, ParserScores
from spacy_lal.training.doc_copies import copy_text
from spacy_lal.trees import SUB_HEAD

MAX_WORDS = 80  # of a sentence
TEXTS_TOGETHER = 256


def log_probabilities(scores: np.ndarray) -> np.ndarray:
    """Logarithms of the probabilities that scores stand for, along the last axis. *Shapes:* (..., n)."""
    return scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True)


def mean_scores(all_scores: Sequence[ParserScores]) -> ParserScores:
    """The mean of what several networks say of one sentence, in the same labels and deprels."""
    return ParserScores(
        labels=np.ascontiguousarray(np.mean([scores.labels for scores in all_scores], axis=0), dtype="f"),
        arcs=np.ascontiguousarray(np.mean([log_probabilities(s.arcs) for s in all_scores], axis=0), dtype="f"),
        deprels=np.ascontiguousarray(np.mean([log_probabilities(s.deprels) for s in all_scores], axis=0), dtype="f"),
    )


class Member:
    """One of the pipelines.

    name (str): Where it is, for errors. nlp (Language): The pipeline. parser (LALParser): Its parser.
    RAISES (ValueError): It has no `lal_parser`, or not one.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.nlp: Language = spacy.load(name)
        names = parser_names(self.nlp)
        if len(names) != 1:
            raise ValueError(f"{name}: expected a pipeline with one lal_parser, got {names or 'none'}")
        self.parser: LALParser = self.nlp.get_pipe(names[0])  # type: ignore[assignment]

    def places(self, kind: str, wanted: Sequence[str]) -> List[int]:
        """Where in this parser's scores each of another's labels ("constituents") or deprels is.

        RAISES (ValueError): One is missing.
        """
        own = {label: i for i, label in enumerate(self.parser.label_data[kind])}
        missing = [label for label in wanted if label not in own]
        if missing:
            raise ValueError(f"{self.name}: expected the {kind} of the first pipeline, found no {missing[0]!r}")
        return [own[label] for label in wanted]

    def ready(self, docs: Sequence[Doc]) -> List[Doc]:
        """The same tokens and sentence breaks, with what this pipeline's parser reads of the components before it."""
        copies = [copy_text(doc, with_sentences=True, vocab=self.nlp.vocab) for doc in docs]
        before = [name for name, _ in takewhile(lambda named: named[1] is not self.parser, self.nlp.pipeline)]
        splitters = sentence_splitters(self.nlp, parser_names(self.nlp))
        with self.nlp.select_pipes(enable=[name for name in before if name not in splitters]):
            return list(self.nlp.pipe(copies, batch_size=len(copies)))

    def scores(self, docs: Sequence[Doc]) -> List[ParserScores]:
        """Of each sentence of Docs that are `ready`."""
        found: Dict[int, AnyScores] = {}
        with self.parser.encoded(list(docs)):
            for indices, scores in self.parser.iter_scores(list(docs), pruned=False):
                found.update(zip(indices, scores, strict=True))
        return [found[i] for i in range(len(found))]  # type: ignore[misc]  # not pruned


class Ensemble:
    """Pipelines that parse together.

    names (Sequence[str]): Packages or folders. Of the first come tokens, sentence breaks, tags, labels and decoder.
    RAISES (ValueError): One has no `lal_parser`, or does not know all labels of the first.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.members = [Member(name) for name in names]
        self.first = self.members[0]
        data = self.first.parser.label_data
        fixed = range(SUB_HEAD + 1)
        self._labels = [
            [*fixed, *(i + SUB_HEAD + 1 for i in m.places("constituents", data["constituents"]))] for m in self.members
        ]
        self._deprels = [member.places("deprels", data["deprels"]) for member in self.members]

    def parse(self, texts: Sequence[str], max_words: int) -> Iterator[Doc]:
        """Texts as Docs of the first pipeline, without those that have a longer sentence."""
        longest = ((doc, max(map(len, sentence_words(doc)), default=0)) for doc in self._read(texts))
        docs = [doc for doc, n_words in longest if 0 < n_words <= max_words]
        said = [self._in_labels_of_the_first(i, docs) for i in range(len(self.members))]
        parses = iter(self.first.parser.decoder([mean_scores(scores) for scores in zip(*said, strict=True)]))
        for doc in docs:
            mine = islice(parses, len(sentence_bounds(doc)))
            set_parses(doc, [self.first.parser.to_strings(parse) for parse in mine])
            yield doc

    def _read(self, texts: Sequence[str]) -> List[Doc]:
        """Texts with all that the first pipeline says of them but the parses."""
        nlp = self.first.nlp
        with nlp.select_pipes(disable=parser_names(nlp)):
            return list(nlp.pipe(texts))

    def _in_labels_of_the_first(self, index: int, docs: Sequence[Doc]) -> Iterator[ParserScores]:
        member, labels, deprels = self.members[index], self._labels[index], self._deprels[index]
        for scores in member.scores(docs if member is self.first else member.ready(docs)):
            yield ParserScores(scores.labels[..., labels], scores.arcs, scores.deprels[..., deprels])


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
    ensemble = Ensemble(args.pipelines)
    texts = iter(read_texts(args.text))
    n_texts = n_words = 0
    with writer("docbin", args.output) as write:
        while together := list(islice(texts, TEXTS_TOGETHER)):
            for doc in ensemble.parse(together, args.max_words):
                write(doc, n_texts)
                n_texts += 1
                n_words += len(doc)
            print(f"{n_texts} texts, {n_words} words", file=sys.stderr, flush=True)


if __name__ == "__main__":
    run(main)
