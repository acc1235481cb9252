"""How far the measures of syntactic complexity are to be trusted: structures in
predicted trees beside those in gold trees, and indices by document.

    python benchmarks/complexity.py en_lal_md ewt/dev.nonml.ptb ewt/dev.conllu

Tokens, sentences and documents (`# newdoc`) are the gold ones; the CoNLL-U file has
them in the order of the trees. A structure is right if a gold one has its label and its
words. Prints two tables in Markdown."""

import argparse
from collections import Counter
from pathlib import Path
from statistics import StatisticsError, correlation
from typing import Dict, Iterator, List, NamedTuple, Tuple

import spacy
from nltk.tree import Tree
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.annotations import sentence_trees
from spacy_lal.complexity import (
    Complexity,
    find_structures,
    measure_sentence,
    summed,
)
from spacy_lal.complexity.measures import INDICES
from spacy_lal.trees import Parse, read_brackets, read_conllu

# Each structure of Lu (2010), and the patterns that find it.
PATTERNS = {
    "VP": ("VP1", "VP2"),
    "C": ("C1", "C2"),
    "T": ("T1", "T2"),
    "DC": ("DC",),
    "CT": ("CT",),
    "CP": ("CP",),
    "CN": ("CN1", "CN2", "CN3"),
}
NEW_DOCUMENT = "newdoc id"
BATCH_SIZE = 64
Nodes = Dict[str, "Counter[Tuple[str, int, int]]"]


class Document(NamedTuple):
    """The gold and predicted trees of a document's sentences."""

    gold: List[Tree]
    predicted: List[Tree]


class Score(NamedTuple):
    """How many structures are in gold trees, in predicted ones, in both."""

    gold: int
    predicted: int
    both: int

    def row(self, name: str) -> str:
        """A line of the table: gold number, precision, recall, F1."""
        precision = self.both / max(self.predicted, 1)
        recall = self.both / max(self.gold, 1)
        f1 = 2 * self.both / max(self.gold + self.predicted, 1)
        return f"| {name} | {self.gold} | {precision:.2f} | {recall:.2f} | {f1:.2f} |"


def read_documents(nlp: Language, trees: Path, conllu: Path) -> Iterator[Document]:
    """The documents of a treebank, parsed."""
    gold = list(read_brackets(trees))
    starts = [NEW_DOCUMENT in one.metadata for one in read_conllu(conllu)]
    words = [Parse.from_tree(tree).words for tree in gold]
    docs = [Doc(nlp.vocab, words=one, sent_starts=_one_sentence(one)) for one in words]
    parsed = nlp.pipe(docs, batch_size=BATCH_SIZE)
    document = Document([], [])
    for tree, doc, is_start in zip(gold, parsed, starts, strict=True):
        if is_start and document.gold:
            yield document
            document = Document([], [])
        (predicted,) = sentence_trees(doc)
        document.gold.append(tree)
        document.predicted.append(predicted.to_tree())
    yield document


def _one_sentence(words: List[str]) -> List[bool]:
    return [place == 0 for place in range(len(words))]


def nodes_of(tree: Tree) -> Nodes:
    """The label and words of each structure's nodes."""
    found = find_structures(tree)
    return {
        name: Counter(
            (match.label, match.start, match.end)
            for pattern in patterns
            for match in found[pattern]
        )
        for name, patterns in PATTERNS.items()
    }


def score(documents: List[Document]) -> Dict[str, Score]:
    """The score of each structure over all sentences."""
    scores = {name: Score(0, 0, 0) for name in PATTERNS}
    for document in documents:
        for gold, predicted in zip(document.gold, document.predicted, strict=True):
            in_gold = nodes_of(gold)
            found = nodes_of(predicted)
            for name, so_far in scores.items():
                both = in_gold[name] & found[name]
                scores[name] = Score(
                    so_far.gold + in_gold[name].total(),
                    so_far.predicted + found[name].total(),
                    so_far.both + both.total(),
                )
    return scores


def measure(trees: List[Tree]) -> Complexity:
    """The measures of a document."""
    return summed(measure_sentence(Parse.from_tree(tree)) for tree in trees)


def correlations(documents: List[Document]) -> Dict[str, float]:
    """Pearson's r of each index, over documents; not a number if all are alike."""
    gold = [measure(document.gold).to_dict() for document in documents]
    found = [measure(document.predicted).to_dict() for document in documents]
    result = {}
    for name in (*INDICES, "yngve_depth", "frazier_depth"):
        try:
            values = ([one[name] for one in side] for side in (gold, found))
            result[name] = correlation(*values)
        except StatisticsError:
            result[name] = float("nan")
    return result


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pipeline")
    parser.add_argument("trees", type=Path)
    parser.add_argument("conllu", type=Path)
    parser.add_argument("--least", type=int, default=1, help="Sentences in a document")
    given = parser.parse_args()
    nlp = spacy.load(given.pipeline, exclude=["lal_srl", "lal_lemmas"])
    documents = list(read_documents(nlp, given.trees, given.conllu))
    print("| structure | gold | precision | recall | F1 |")
    print("|---|--:|--:|--:|--:|")
    for name, one in score(documents).items():
        print(one.row(name))
    long = [document for document in documents if len(document.gold) >= given.least]
    print(f"\n| index | r of {len(long)} documents |")
    print("|---|--:|")
    for name, value in correlations(long).items():
        print(f"| {name} | {value:.2f} |")


if __name__ == "__main__":
    main()
