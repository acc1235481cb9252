"""Build the plain text that the bundled pipeline parses and then learns from: reviews and the like, chat, Wikipedia.

    python scripts/build_plain_text.py assets/sources/text assets/text

SOURCE is a folder with the files below, as `python -m spacy project assets` fetches them. The result are three .txt
files of one text a line, as `python -m spacy lal parse` reads them:

reviews    hutto_ICWSM_2014.tar.gz of cjhutto/vaderSentiment at commit 44fc044c (MIT): sentences of reviews and
           editorials, and messages like tweets
chat       valid_freq.json, valid_rare.json of alexa/Topical-Chat at commit 7c939229 (CDLA-Sharing 1.0): conversations
wikipedia  tune.tsv, validation.tsv, test.tsv of google-research-datasets/wiki-split at commit 80f5bddf (CC BY-SA 4.0):
           sentences

Nothing here is annotated, and nothing of it is in EWT, GUM or CRAFT.
"""

import argparse
import io
import json
import tarfile
from itertools import groupby
from pathlib import Path
from typing import Iterable, Iterator, Optional, Sequence, Tuple

from treebank import SourceError, run, save_files

REVIEWS = "hutto_ICWSM_2014.tar.gz"
REVIEW_FILES = ("movieReviewSnippets", "amazonReviewSnippets", "nytEditorialSnippets", "tweets")
CHAT = ("valid_freq.json", "valid_rare.json")
WIKIPEDIA = ("tune.tsv", "validation.tsv", "test.tsv")
SENTENCES_OF_REVIEW = 4  # in a text
TURNS_OF_CHAT = 6


def read_reviews(path: Path) -> Iterator[str]:
    """Sentences of one review or editorial that follow each other, some at a time; the others one by one.

    RAISES (SourceError): A file is missing or cannot be read, or a line has not three columns.
    """
    for name in REVIEW_FILES:
        rows = _review_rows(path, f"hutto_ICWSM_2014/{name}_GroundTruth.txt")
        for document, group in groupby(rows, key=lambda row: row[0]):
            sentences = [text for _, text in group]
            yield from _joined(sentences, SENTENCES_OF_REVIEW if document else 1)


def _review_rows(path: Path, member: str) -> Iterator[Tuple[str, str]]:
    """Document and sentence; "" where a sentence is of no document that has others."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            file = archive.extractfile(member)
            lines = [line.rstrip("\n") for line in io.TextIOWrapper(file, encoding="utf8")] if file else []
    except (tarfile.TarError, EOFError, KeyError, UnicodeDecodeError) as error:
        raise SourceError(path, 0, f"expected a whole .tar.gz archive with {member!r} in UTF-8 ({error})") from error
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t", 2)
        if len(columns) != 3:
            raise SourceError(path / member, number, f"expected number, rating and text between tabs, got {line!r}")
        yield columns[0].rpartition("_")[0], columns[2]


def read_chat(path: Path) -> Iterator[str]:
    """Turns of a conversation that follow each other, some at a time.

    RAISES (SourceError): The file is not JSON of conversations.
    """
    try:
        conversations = json.loads(path.read_text(encoding="utf8"))
        for conversation in conversations.values():
            yield from _joined([turn["message"] for turn in conversation["content"]], TURNS_OF_CHAT)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        reason = f"expected conversations with 'content', and turns with 'message' ({type(error).__name__}: {error})"
        raise SourceError(path, 0, reason) from error


def read_wikipedia(path: Path) -> Iterator[str]:
    """The sentences of the first column.

    RAISES (SourceError): A line has not two columns.
    """
    with path.open(encoding="utf8") as file:
        for number, line in enumerate(file, start=1):
            columns = line.split("\t")
            if len(columns) != 2:
                raise SourceError(path, number, f"expected a sentence and its parts between tabs, got {line!r}")
            yield _one_line(columns[0])


def _joined(pieces: Sequence[str], n_pieces: int) -> Iterator[str]:
    for first in range(0, len(pieces), n_pieces):
        yield _one_line(" ".join(pieces[first : first + n_pieces]))


def _one_line(text: str) -> str:
    """Text with single spaces, and the quotation marks that treebanks of Universal Dependencies have."""
    return " ".join(text.split()).replace("''", '"').replace("``", '"')


def to_lines(texts: Iterable[str]) -> bytes:
    """Texts as a file, without empty ones."""
    return "".join(f"{text}\n" for text in texts if text).encode("utf8")


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Read the command line, build, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="folder with the fetched files")
    parser.add_argument("output", type=Path, help="folder for reviews.txt, chat.txt and wikipedia.txt")
    args = parser.parse_args(arguments)
    files = {
        "reviews.txt": to_lines(read_reviews(args.source / REVIEWS)),
        "chat.txt": to_lines(text for name in CHAT for text in read_chat(args.source / name)),
        "wikipedia.txt": to_lines(text for name in WIKIPEDIA for text in read_wikipedia(args.source / name)),
    }
    save_files("text", files, args.output)


if __name__ == "__main__":
    run(main)
