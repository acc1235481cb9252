"""Build CRAFT 5.0.2: biomedical articles; trees made by hand, dependencies made of
them, Stanford style and not UD.

    python scripts/build_craft.py assets/sources/craft.tar.gz assets/craft

SOURCE is the repository UCDenver-ccp/CRAFT at commit 2abe82b8 as a .tar.gz or a folder.
An article has its trees in structural-annotation/treebank/penn/*.tree and its
dependencies in structural-annotation/dependency/conllu/*.conllu, sentence by sentence
over the same words. With --test, the articles of CRAFT's own test list are built; of
the others, in the order of their numbers, every tenth from the fifth on is for
development. Closing brackets and what was made of them are mended
(mend_brackets.py); X.mixed.ptb has no NML, and nests a PRN as other treebanks do."""

import re
from pathlib import Path
from typing import Dict, Iterator, List, Sequence

from mend_brackets import mend_heads, mend_lemmas, mended, nested
from nltk.tree import Tree
from treebank import (
    Sentence,
    SourceError,
    check_words,
    keep_metadata,
    preterminals,
    put_words,
    run,
    save,
    unpacked,
    without_doubles,
    without_label,
)

from spacy_lal.trees import format_conllu, is_preterminal, read_brackets_with_lines
from spacy_lal.trees.conllu import ConlluBlock, parse_conllu_block, read_conllu_blocks

IDS = "articles/ids"
TREES = "structural-annotation/treebank/penn"
DEPENDENCIES = "structural-annotation/dependency/conllu"
SECTION_LABELS = frozenset({"TITLE", "HEADING", "CAPTION"})
QUOTES = {"``": '"', "''": '"'}  # the trees' quotation marks, the CoNLL-U's


def read_ids(craft: Path, test: bool = False) -> Dict[str, List[str]]:
    """The numbers of the articles for training and development, or for the test."""
    if test:
        return {
            "test": sorted(
                (craft / IDS / "craft-ids-test.txt").read_text(encoding="utf8").split()
            )
        }
    lists = [craft / IDS / f"craft-ids-{name}.txt" for name in ("train", "dev")]
    ids = sorted(
        number for path in lists for number in path.read_text(encoding="utf8").split()
    )
    dev = ids[4::10]
    return {"train": [number for number in ids if number not in dev], "dev": dev}


def without_sections(tree: Tree) -> Tree:
    """A tree without the labels that say where in an article a sentence stands: over
    one constituent they give way to it, over anything else they become FRAG."""
    if is_preterminal(tree):
        return tree
    children = [without_sections(child) for child in tree]
    if tree.label() not in SECTION_LABELS:
        return Tree(tree.label(), children)
    return (
        children[0]
        if len(children) == 1 and not is_preterminal(children[0])
        else Tree("FRAG", children)
    )


def without_spaces(word: str) -> str:
    """A word without white space, which a tree cannot hold: some have a hair space
    within (`Xpd TTD` to `Xpd_TTD`)."""
    return re.sub(r"\s", "_", word.strip())


def with_misc(conllu: str, block: ConlluBlock) -> str:
    """A sentence with the source's tenth column, which tells more than SpaceAfter
    (`19:ref=`, `3:gap=`)."""
    misc = iter(
        line.split("\t")[-1] for _, line in block.lines if not line.startswith("#")
    )
    lines = []
    for line in conllu.split("\n"):
        columns, tab, _ = line.rpartition("\t")
        lines.append(f"{columns}\t{next(misc)}" if tab else line)
    return "\n".join(lines)


def read_article(craft: Path, number: str) -> Iterator[Sentence]:
    """The sentences of an article.

    RAISES (SourceError): Trees and dependencies are not of the same sentences.
    """
    path = craft / TREES / f"{number}.tree"
    trees = list(read_brackets_with_lines(path, strip_root=False))
    blocks = list(read_conllu_blocks(craft / DEPENDENCIES / f"{number}.conllu"))
    if len(trees) != len(blocks):
        reason = (
            f"expected {len(blocks)} trees, one for each sentence of {number}.conllu, "
            f"got {len(trees)}"
        )
        raise SourceError(path, 0, reason)
    for (tree, line), block in zip(trees, blocks, strict=True):
        sentence = parse_conllu_block(block)
        sentence.words = [without_spaces(word) for word in sentence.words]
        words = [
            without_spaces(QUOTES.get(leaf[0], leaf[0])) for leaf in preterminals(tree)
        ]
        check_words(path, line, words, sentence)
        tree = without_sections(tree)
        put_words(tree, sentence)
        flat = mended(without_doubles(without_label(tree, "NML")))
        tree = mended(tree)
        mend_heads(flat, sentence)
        mend_lemmas(sentence)
        keep_metadata(sentence)
        sentence.metadata["sent_id"] = f"CRAFT-{number}-{sentence.metadata['sent_id']}"
        conllu = with_misc(format_conllu(sentence), block)
        yield Sentence(tree, conllu, nested(flat))


def read_split(craft: Path, numbers: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of several articles."""
    return (sentence for number in numbers for sentence in read_article(craft, number))


def main(source: Path, output: Path, test: bool = False) -> None:
    """Read the command line, build, write."""
    with unpacked(source, IDS, TREES, DEPENDENCIES) as craft:
        splits = {
            split: read_split(craft, numbers)
            for split, numbers in read_ids(craft, test).items()
        }
        save("craft", splits, output)


if __name__ == "__main__":
    run(main)
