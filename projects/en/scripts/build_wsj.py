"""Build a test set of the Wall Street Journal: NLTK's sample of the Penn Treebank,
trees made by hand.

    python -m nltk.downloader -d assets/sources treebank
    python scripts/build_wsj.py assets/sources/corpora/treebank.zip assets/wsj

SOURCE has 199 articles in treebank/combined/wsj_*.mrg. There are no dependencies: the
CoNLL-U has words and tags. The sample may not be used commercially. Nothing is trained
on it."""

import argparse
from fnmatch import fnmatch
from pathlib import Path
from typing import Iterator, Optional, Sequence
from zipfile import BadZipFile, ZipFile

from treebank import Sentence, SourceError, preterminals, run, save, without_heads

from spacy_lal.trees import read_brackets_with_lines

ARTICLES = "treebank/combined/wsj_*.mrg"


def read_all(source: Path) -> Iterator[Sentence]:
    """The sentences of all articles.

    RAISES (SourceError): The file is no zip archive, or has no articles.
    """
    try:
        with ZipFile(source) as archive:
            articles = {
                name: archive.read(name)
                for name in sorted(archive.namelist())
                if fnmatch(name, ARTICLES)
            }
    except BadZipFile as error:
        raise SourceError(
            source,
            0,
            f"expected a whole .zip archive ({error}); delete it and fetch it again",
        ) from error
    if not articles:
        raise SourceError(
            source, 0, f"expected {ARTICLES!r} in it; is this the right archive?"
        )
    for name, content in articles.items():
        lines = content.decode("utf8").split("\n")
        for number, (tree, _) in enumerate(
            read_brackets_with_lines(lines, strip_root=False), start=1
        ):
            words = [leaf[0] for leaf in preterminals(tree)]
            article = Path(name).stem
            metadata = {"newdoc id": article} if number == 1 else {}
            yield without_heads(
                tree,
                words,
                [True] * len(words),
                {**metadata, "sent_id": f"{article}-{number}"},
            )


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, build, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("source", type=Path, help="treebank.zip, as NLTK downloads it")
    parser.add_argument(
        "output", type=Path, help="folder for test.ptb, test.nonml.ptb and test.conllu"
    )
    args = parser.parse_args(arguments)
    save("wsj", {"test": read_all(args.source)}, args.output, flat=True)


if __name__ == "__main__":
    run(main)
