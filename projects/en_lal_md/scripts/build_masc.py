"""Build MASC: letters, travel guides, reports, essays, interviews, a court session; trees and tags made by hand.

    python scripts/build_masc.py assets/sources/masc.tar.gz assets/masc

SOURCE is the repository lyonssp/cunning-linguist at commit 668b6a49 as a .tar.gz or a folder. It has the "MASC PropBank
Original files" of the American National Corpus: trees in Penn_Treebank-orig/data/**.mrg, their texts in
MASC1_textfiles/**.txt. The CoNLL-U has words, tags and spaces, without dependencies. All of it is for training.

Three sources are skipped: the Wall Street Journal and Switchboard, whose texts are not free, and Enron's e-mail, which
overlaps with EWT's test set. Each document without a text is printed and left out, and so is each sentence that

- has unclosed brackets;
- is not in the text word by word;
- has a repair (EDITED), unknown to the other treebanks;
- has a word without a tag, or tagged XX.
"""

import argparse
import re
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

from nltk.tree import Tree
from treebank import Sentence, SourceError, preterminals, run, save, unpacked, without_heads

from spacy_lal.files import TreebankError
from spacy_lal.trees import is_preterminal, read_brackets_with_lines

MASC = "src/main/resources/Propbank"
TREES = f"{MASC}/Penn_Treebank-orig/data"
TEXTS = f"{MASC}/MASC1_textfiles"
FILE = re.compile(r"(?P<document>.+)\.mrg(\.txt)?")
NOT_READ = re.compile(r"wsj|sw\d|enron", re.IGNORECASE)  # how the names of such files begin
NOT_WORDS = frozenset({"CODE", "SU"})  # tags of what was never said: speakers, marks of repairs, ends of utterances
REPAIR = "EDITED"
UNREADABLE = "XX"
TAGS = {"-LSB-": "-LRB-", "-RSB-": "-RRB-", "#": "SYM"}  # as EWT has them
ALIKE = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "`": "'", "—": "-"})  # one for one


class SourceTree(NamedTuple):
    """A tree of a file. number (int): Which tree of the file, from 1. line (int): Where it begins."""

    tree: Tree
    number: int
    line: int


class Text:
    """A text, searched for the sentences of its trees in their order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places = [i for i, char in enumerate(text) if not char.isspace()]
        self.characters = "".join(text[i] for i in self.places).translate(ALIKE)
        self.position = 0

    def find(self, words: Sequence[str]) -> Optional[Tuple[List[str], List[bool]]]:
        """The words as the text has them, and whether white space follows each; None where they do not come next or
        later. Quotation marks of a tree are two characters (``), in a text mostly one."""
        options = (words, [{"``": '"', "''": '"'}.get(word, word) for word in words])
        starts = [self.characters.find("".join(option).translate(ALIKE), self.position) for option in options]
        found = [(start, option) for start, option in zip(starts, options, strict=True) if start >= 0]
        if not found:
            return None
        start, option = min(found, key=lambda pair: pair[0])
        own_words, spaces = [], []
        for word in option:
            end = start + len(word)
            own_words.append("".join(self.text[i] for i in self.places[start:end]))
            spaces.append(end == len(self.places) or self.places[end] > self.places[end - 1] + 1)
            start = end
        self.position = start
        return own_words, spaces


def read_trees(path: Path) -> Iterator[SourceTree]:
    """The trees of a file; unclosed ones are printed and left out. A tree begins with two brackets at the beginning of
    a line."""
    content = path.read_text(encoding="utf8").replace("\xa0", " ")
    starts = [match.start() for match in re.finditer(r"^\( *\(", content, flags=re.MULTILINE)]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True), start=1):
        line = content.count("\n", 0, start) + 1
        try:
            trees = list(read_brackets_with_lines(content[start:end].split("\n"), strip_root=False))
        except TreebankError as error:
            print(f"{path.name}:{line}: left out, {error}")
            continue
        if len(trees) == 1:
            yield SourceTree(trees[0].tree, number, line)
        elif trees:
            raise SourceError(path, line, f"expected one tree, got {len(trees)}")


def without_marks(tree: Tree) -> Optional[Tree]:
    """A tree without leaves that are no words and constituents left empty; None if nothing is left."""
    if is_preterminal(tree):
        return None if tree.label() in NOT_WORDS else Tree(TAGS.get(tree.label(), tree.label()), list(tree))
    children = [child for child in map(without_marks, tree) if child is not None]
    return Tree(tree.label(), children) if children else None


def why_not(tree: Tree) -> Optional[str]:
    """The reason to leave a tree out, or None."""
    if any(node.label() == REPAIR for node in tree.subtrees()):
        return "it has a repair"
    labels = {node.label() for node in tree.subtrees() if not is_preterminal(node)}
    unread = [leaf[0] for leaf in preterminals(tree) if leaf.label() == UNREADABLE or leaf.label() in labels]
    return f"expected a tag above {unread[0]!r}" if unread else None


def read_document(name: str, path: Path, text_path: Path) -> Iterator[Sentence]:
    """The sentences of a document; sentences left out are printed."""
    text = Text(text_path.read_text(encoding="utf8"))
    begins = True
    for source in read_trees(path):
        tree = without_marks(source.tree)
        if tree is None:
            continue
        leaves = preterminals(tree)
        found = text.find([leaf[0] for leaf in leaves])
        reason = why_not(tree) if found else "it is not in the text"
        if found is None or reason:
            print(f"{path.name}:{source.line}: left out, {reason}")
            continue
        words, spaces = found
        for leaf, word in zip(leaves, words, strict=True):
            leaf[0] = word
        metadata = {"newdoc id": name} if begins else {}
        metadata["sent_id"] = f"MASC-{name}-{source.number}"
        begins = False
        yield without_heads(tree, words, spaces, metadata)


def read_all(masc: Path) -> Iterator[Sentence]:
    """The sentences of all documents; a document without a text is printed."""
    texts = {path.stem: path for path in (masc / TEXTS).rglob("*.txt")}
    for path in sorted((masc / TREES).rglob("*.mrg*"), key=lambda path: path.relative_to(masc).as_posix()):
        file = FILE.fullmatch(path.name)  # the repository has some files twice, as Subversion keeps them (.svn-base)
        if not file or NOT_READ.match(path.name):
            continue
        text = texts.get(file["document"])
        if text is None:
            print(f"{path.name}: left out, there is no text of it")
        else:
            yield from read_document(file["document"], path, text)


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, build, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="lyonssp/cunning-linguist, .tar.gz or folder")
    parser.add_argument("output", type=Path, help="folder for train.ptb, train.nonml.ptb and train.conllu")
    args = parser.parse_args(arguments)
    with unpacked(args.source, TREES, TEXTS) as masc:
        save("masc", {"train": read_all(masc)}, args.output, flat=True)


if __name__ == "__main__":
    run(main)
