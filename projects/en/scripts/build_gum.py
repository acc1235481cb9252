"""Build GUM 11.1: dependencies of the Universal Dependencies kind, made by hand;
constituency trees made by a parser.

    python scripts/build_gum.py assets/sources/gum.tar.gz assets/gum

SOURCE is the repository amir-zeldes/gum at commit 72ce5ac1 as a .tar.gz or a folder. A
document has its dependencies in dep/*.conllu and its trees in _build/src/const/*.ptb,
sentence by sentence over the same words, and splits.md says whether it is for training
or development. (const/*.ptb has the same trees with function labels, derived from the
dependencies.) With --test, the test documents are built and nothing else. Left out are
Reddit, whose words are withheld, and the documents of HAND_MADE."""

import re
from pathlib import Path
from typing import Dict, Iterator, List, Sequence

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
)

from spacy_lal.trees import format_conllu, read_brackets_with_lines, read_conllu

SPLITS = ("train", "dev")
NO_WORDS = "GUM_reddit_"
# Up to release 7.2.0 these had trees made by hand, over other tokens (GUM's commit
# 3fd07823). They are left out so that those trees can tell how good a parser is that
# learnt from the parser's.
HAND_MADE = frozenset(
    {
        "GUM_academic_discrimination",
        "GUM_bio_emperor",
        "GUM_fiction_oversite",
        "GUM_interview_peres",
        "GUM_news_nasa",
        "GUM_reddit_polygraph",
        "GUM_voyage_athens",
        "GUM_whow_arrogant",
    }
)


def read_splits(path: Path) -> Dict[str, List[str]]:
    """The names of the documents of each split, from lists under headings (`## dev`, then `  * GUM_bio_byron`).

    RAISES (SourceError): A split has no documents.
    """
    splits: Dict[str, List[str]] = {}
    heading = ""
    for line in path.read_text(encoding="utf8").splitlines():
        if match := re.match(r"##\s+(\S+)", line):
            heading = match[1]
        elif match := re.match(r"\s*\*\s+(\S+)", line):
            splits.setdefault(heading, []).append(match[1])
    for split in (*SPLITS, "test"):
        if split not in splits:
            raise SourceError(
                path,
                0,
                f"expected a list of documents under '## {split}', got "
                f"{sorted(splits)}",
            )
    return splits


def read_document(gum: Path, document: str) -> Iterator[Sentence]:
    """The sentences of a document.

    RAISES (SourceError): Trees and dependencies are not of the same sentences.
    """
    path = gum / "_build" / "src" / "const" / f"{document}.ptb"
    trees = list(read_brackets_with_lines(path, strip_root=False))
    sentences = list(read_conllu(gum / "dep" / f"{document}.conllu"))
    if len(trees) != len(sentences):
        reason = (
            f"expected {len(sentences)} trees, one for each sentence of "
            f"{document}.conllu, got {len(trees)}"
        )
        raise SourceError(path, 0, reason)
    for (tree, line), sentence in zip(trees, sentences, strict=True):
        check_words(path, line, [leaf[0] for leaf in preterminals(tree)], sentence)
        put_words(tree, sentence)
        keep_metadata(sentence)
        yield Sentence(tree, format_conllu(sentence))


def read_split(gum: Path, documents: Sequence[str]) -> Iterator[Sentence]:
    """The sentences of the documents that are not left out."""
    for document in documents:
        if document not in HAND_MADE and not document.startswith(NO_WORDS):
            yield from read_document(gum, document)


def main(source: Path, output: Path, test: bool = False) -> None:
    """Read the command line, build, write."""
    with unpacked(source, "splits.md", "dep", "_build/src/const") as gum:
        splits = read_splits(gum / "splits.md")
        wanted = ("test",) if test else SPLITS
        save(
            "gum",
            {split: read_split(gum, splits[split]) for split in wanted},
            output,
            flat=False,
        )


if __name__ == "__main__":
    run(main)
