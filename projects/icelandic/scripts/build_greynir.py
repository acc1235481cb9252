"""Build the Icelandic treebank: trees of GreynirCorpus, made with the help of a parser
and corrected by hand; dependencies that UDConverter-GreynirCorpus made of them by rule.

    python scripts/build_greynir.py \
        assets/sources/greynir.tar.gz assets/sources/greynir-ud.tar.gz \
        assets/sources/ud-icelandic-gc.tar.gz assets/icelandic

TREES is the repository mideind/GreynirCorpus at commit deb60c4b
({devset,testset}/psd/*.gld), DEPENDENCIES is thorunna/UDConverter-GreynirCorpus at
99c94f83 (CoNLLU/), SPLIT is UniversalDependencies/UD_Icelandic-GC at 8588856b, each as
a .tar.gz or a folder. File k of the first two has the same sentences in the same order.
Sentences whose ids are in the split's dev file are for development, those in its test
file for testing (and are not written), others for training.

A tree loses its functions (`NP-SBJ`: `NP`), lemmas and metadata. A leaf of several
words, such as a name, becomes one leaf for each word, with the tag of the CoNLL-U.
"""

import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Sequence, Set

from nltk.tree import Tree

sys.path.append(str(Path(__file__).resolve().parents[2] / "en" / "scripts"))

from treebank import (  # noqa: E402
    Sentence,
    SourceError,
    check_words,
    keep_metadata,
    preterminals,
    put_words,
    run,
    save,
    unpacked,
)

from spacy_lal.trees import Parse, format_conllu, read_conllu  # noqa: E402

CHECKSUMS = Path(__file__).with_name("greynir.sha256")
PARTS = ("devset", "testset")
DEPENDENCIES = "CoNLLU"
HELD_OUT = {split: f"is_gc-ud-{split}.conllu" for split in ("dev", "test")}
# Sentences whose document has another sentence in a held-out set, or whose words differ
# between the two layers.
LEFT_OUT = Path(__file__).with_name("left_out.txt")
METADATA = "META"
TOKEN = re.compile(r"\(|\)|(?:\\[()]|[^\s()])+")  # brackets within a word are escaped


class Node(NamedTuple):
    """A bracket of a .gld file: words, if any, and brackets within."""

    label: str
    words: List[str]
    children: List["Node"]


def read_gld(path: Path) -> Iterator[List[Node]]:
    """Each sentence's brackets, without its metadata.

    RAISES (SourceError): Brackets are not balanced.
    """
    open_nodes: List[Node] = [Node("", [], [])]
    for number, line in enumerate(path.read_text(encoding="utf8").split("\n"), start=1):
        for text in TOKEN.findall(line):
            if text == "(":
                open_nodes.append(Node("", [], []))
            elif text != ")":
                _add_text(open_nodes, text)
            elif len(open_nodes) == 1:
                raise SourceError(
                    path, number, "expected an opening bracket before this closing one"
                )
            else:
                node = open_nodes.pop()
                if len(open_nodes) > 1:
                    open_nodes[-1].children.append(node)
                else:
                    yield [child for child in node.children if child.label != METADATA]
    if len(open_nodes) > 1:
        raise SourceError(
            path, 0, f"expected {len(open_nodes) - 1} more closing brackets at the end"
        )


def _add_text(open_nodes: List[Node], text: str) -> None:
    node = open_nodes[-1]
    if node.label or node.children:
        node.words.append(text.replace("\\(", "(").replace("\\)", ")"))
    else:
        open_nodes[-1] = node._replace(label=text)


def to_trees(node: Node) -> List[Tree]:
    """A bracket as trees: one leaf for each word, no functions; a bracket without words
    gives no tree."""
    if node.words:
        return [Tree(node.label, [word]) for word in node.words]
    children = [tree for child in node.children for tree in to_trees(child)]
    return [Tree(node.label.split("-")[0], children)] if children else []


def join_divided(tree: Tree, words: Sequence[str]) -> None:
    """Make one leaf of two neighbours, in place, where the sentence has their text as
    one word (`H`, `vort`)."""
    leaves = preterminals(tree)
    for i, word in enumerate(words):
        if (
            i + 1 < len(leaves)
            and leaves[i][0] != word
            and leaves[i][0] + leaves[i + 1][0] == word
        ):
            leaves[i][0] = word
            second = leaves.pop(i + 1)
            parent = next(
                node
                for node in tree.subtrees()
                if any(child is second for child in node)
            )
            parent[:] = [child for child in parent if child is not second]


def build_sentence(path: Path, brackets: List[Node], sentence: Parse) -> Sentence:
    """Both trees of a sentence.

    RAISES (SourceError): Their words differ, or the sentence has no sent_id.
    """
    tree = Tree("ROOT", [tree for node in brackets for tree in to_trees(node)])
    join_divided(tree, sentence.words)
    check_words(path, 0, [leaf[0] for leaf in preterminals(tree)], sentence)
    put_words(tree, sentence)
    keep_metadata(sentence)
    return Sentence(tree, format_conllu(sentence))


def held_out_ids(split: Path) -> Dict[str, str]:
    """The sent_ids of dev and test, with the name of their set."""
    return {
        str(sentence.metadata.get("sent_id")): name
        for name, file in HELD_OUT.items()
        for sentence in read_conllu(split / file)
    }


def read_splits(
    trees: Path, dependencies: Path, split: Path, left_out: Set[str]
) -> Dict[str, List[Sentence]]:
    """The sentences of train and dev, in the order of the files.

    RAISES (SourceError): A file of trees and its CoNLL-U have different sentences.
    """
    # type: ignore[var-annotated]
    sets, splits = held_out_ids(split), {"train": [], "dev": []}
    for part in PARTS:
        for path in sorted((trees / part / "psd").glob("*.gld")):
            found = list(read_gld(path))
            sentences = list(
                read_conllu(dependencies / DEPENDENCIES / part / f"{path.stem}.conllu")
            )
            if len(found) != len(sentences):
                raise SourceError(
                    path,
                    0,
                    f"expected the {len(sentences)} sentences of its CoNLL-U, got "
                    f"{len(found)}",
                )
            for brackets, sentence in zip(found, sentences, strict=True):
                sent_id = str(sentence.metadata.get("sent_id"))
                name = sets.get(sent_id, "train")
                if name in splits and sent_id not in left_out:
                    splits[name].append(build_sentence(path, brackets, sentence))
    return splits


def main(trees: Path, dependencies: Path, split: Path, output: Path) -> None:
    """Read the command line, build, write."""
    left_out = set(LEFT_OUT.read_text(encoding="utf8").split())
    with (
        unpacked(trees, *(f"{part}/psd" for part in PARTS)) as trees,
        unpacked(dependencies, DEPENDENCIES) as dependencies,
        unpacked(split, *HELD_OUT.values()) as split,
    ):
        splits = read_splits(trees, dependencies, split, left_out)
        save("icelandic", splits, output, flat=False, checksums=CHECKSUMS)


if __name__ == "__main__":
    run(main)
