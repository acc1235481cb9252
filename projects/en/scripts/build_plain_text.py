"""Build the plain text that the bundled pipeline parses and then learns from: reviews,
questions, chat, Wikipedia.

    python scripts/build_plain_text.py assets/sources/text assets/text

SOURCE is a folder with the files below, as `python -m spacy project assets` fetches
them. The result are four .txt files of one text a line, as `python -m spacy lal parse`
reads them:

reviews    hutto_ICWSM_2014.tar.gz of cjhutto/vaderSentiment at commit 44fc044c (MIT): sentences of reviews and
           editorials, and messages like tweets
chat       valid_freq.json, valid_rare.json of alexa/Topical-Chat at commit 7c939229 (CDLA-Sharing 1.0): conversations
answers    questions and answers of Stack Exchange (CC BY-SA 3.0), a paragraph at a time: travel.csv, cooking.csv of
           mike-camp/stack-exchange-data-analysis at commit f0b9e514, and three files
           Posts.xml: beer.xml of kevswanberg/beer_tentrr at commit 9573647b, coffee.xml
           of Yoav-Shafir/Elasticsearch-Coffee-Search-Engine-JS at commit 97e93c92,
           matheducators.xml of jrfoster/spark-intro at commit d2428298
wikipedia  tune.tsv, validation.tsv, test.tsv of google-research-datasets/wiki-split at commit 80f5bddf (CC BY-SA 4.0):
           sentences

Nothing here is annotated, and nothing of it is in EWT, GUM or CRAFT.
"""

import csv
import json
from html.parser import HTMLParser
from itertools import chain, groupby
from pathlib import Path
from typing import Iterable, Iterator, List, Sequence, Tuple
from xml.etree import ElementTree

from treebank import SourceError, run, save_files, unpacked

REVIEWS = "hutto_ICWSM_2014.tar.gz"
REVIEW_FILES = (
    "movieReviewSnippets",
    "amazonReviewSnippets",
    "nytEditorialSnippets",
    "tweets",
)
CHAT = ("valid_freq.json", "valid_rare.json")
QUESTIONS = ("travel.csv", "cooking.csv")
POSTS = ("beer.xml", "coffee.xml", "matheducators.xml")
WIKIPEDIA = ("tune.tsv", "validation.tsv", "test.tsv")
SENTENCES_OF_REVIEW = 4  # in a text
TURNS_OF_CHAT = 6


def read_reviews(path: Path) -> Iterator[str]:
    """Sentences of one review or editorial that follow each other, some at a time; the
    others one by one.

    RAISES (SourceError): A file is missing or cannot be read, or a line has not three
    columns."""
    files = [f"{name}_GroundTruth.txt" for name in REVIEW_FILES]
    with unpacked(path, *files) as folder:
        for file in files:
            for document, group in groupby(
                _review_rows(path, folder / file), key=lambda row: row[0]
            ):
                sentences = [text for _, text in group]
                yield from _joined(sentences, SENTENCES_OF_REVIEW if document else 1)


def _review_rows(archive: Path, path: Path) -> Iterator[Tuple[str, str]]:
    """Document and sentence; "" where a sentence is of no document that has others.
    archive: for errors."""
    with path.open(encoding="utf8") as file:
        try:
            lines = [line.rstrip("\n") for line in file]
        except UnicodeDecodeError as error:
            raise SourceError(
                archive / path.name, 0, f"expected text in UTF-8 ({error})"
            ) from error
    for number, line in enumerate(lines, start=1):
        columns = line.split("\t", 2)
        if len(columns) != 3:
            reason = f"expected number, rating and text between tabs, got {line!r}"
            raise SourceError(archive / path.name, number, reason)
        yield columns[0].rpartition("_")[0], columns[2]


def read_chat(path: Path) -> Iterator[str]:
    """Turns of a conversation that follow each other, some at a time.

    RAISES (SourceError): The file is not JSON of conversations.
    """
    try:
        conversations = json.loads(path.read_text(encoding="utf8"))
        for conversation in conversations.values():
            yield from _joined(
                [turn["message"] for turn in conversation["content"]], TURNS_OF_CHAT
            )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        reason = (
            "expected conversations with 'content', and turns with 'message' "
            f"({type(error).__name__}: {error})"
        )
        raise SourceError(path, 0, reason) from error


def read_questions(path: Path) -> Iterator[str]:
    """Titles, and the lines of what is asked: a paragraph each.

    RAISES (SourceError): The file is not a table of titles, contents and tags.
    """
    with path.open(encoding="utf8", newline="") as file:
        rows = csv.reader(file)
        if next(rows, None) != ["title", "content", "tags"]:
            raise SourceError(
                path, 1, "expected a table with the columns title, content, tags"
            )
        for row in rows:
            if len(row) != 3:
                raise SourceError(
                    path,
                    rows.line_num,
                    f"expected title, content and tags, got {len(row)} columns",
                )
            yield from _prose([row[0], *row[1].splitlines()])


def read_posts(path: Path) -> Iterator[str]:
    """Titles, and the paragraphs of questions and answers, without code.

    RAISES (SourceError): The file is not XML of posts.
    """
    try:
        for _, element in ElementTree.iterparse(path):
            if element.tag == "row":
                paragraphs = Paragraphs()
                paragraphs.feed(element.attrib["Body"])
                paragraphs.close()
                yield from _prose([element.get("Title", ""), *paragraphs.texts])
    except (ElementTree.ParseError, KeyError) as error:
        raise SourceError(
            path,
            0,
            f"expected rows of posts with a 'Body' ({type(error).__name__}: {error})",
        ) from error


class Paragraphs(HTMLParser):
    """The paragraphs of a post, in `texts`. Blocks of code are left out: they are no
    English."""

    BLOCKS = ("p", "li", "blockquote", "h1", "h2", "h3", "pre", "br", "hr", "ul", "ol")

    def __init__(self) -> None:
        super().__init__()
        self.texts: List[str] = [""]
        self._in_code = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Begin a paragraph."""
        self._in_code = tag == "pre" or self._in_code
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        """End a paragraph."""
        self._in_code = tag != "pre" and self._in_code
        self._break(tag)

    def handle_data(self, data: str) -> None:
        """Add to the paragraph."""
        if not self._in_code:
            self.texts[-1] += data

    def _break(self, tag: str) -> None:
        if tag in self.BLOCKS:
            self.texts.append("")


def _prose(paragraphs: Iterable[str]) -> Iterator[str]:
    """Paragraphs as lines, without those that hold a formula between dollars."""
    return (_one_line(text) for text in paragraphs if text.count("$") < 2)


def read_wikipedia(path: Path) -> Iterator[str]:
    """The sentences of the first column.

    RAISES (SourceError): A line has not two columns.
    """
    with path.open(encoding="utf8") as file:
        for number, line in enumerate(file, start=1):
            columns = line.split("\t")
            if len(columns) != 2:
                raise SourceError(
                    path,
                    number,
                    f"expected a sentence and its parts between tabs, got {line!r}",
                )
            yield _one_line(columns[0])


def _joined(pieces: Sequence[str], n_pieces: int) -> Iterator[str]:
    for first in range(0, len(pieces), n_pieces):
        yield _one_line(" ".join(pieces[first : first + n_pieces]))


def _one_line(text: str) -> str:
    """Text with single spaces, and the quotation marks that treebanks of Universal
    Dependencies have."""
    return " ".join(text.split()).replace("''", '"').replace("``", '"')


def to_lines(texts: Iterable[str]) -> bytes:
    """Texts as a file, without empty ones."""
    return "".join(f"{text}\n" for text in texts if text).encode("utf8")


def main(source: Path, output: Path) -> None:
    """Read the command line, build, write."""
    questions = (text for name in QUESTIONS for text in read_questions(source / name))
    posts = (text for name in POSTS for text in read_posts(source / name))
    files = {
        "reviews.txt": to_lines(read_reviews(source / REVIEWS)),
        "answers.txt": to_lines(chain(questions, posts)),
        "chat.txt": to_lines(
            text for name in CHAT for text in read_chat(source / name)
        ),
        "wikipedia.txt": to_lines(
            text for name in WIKIPEDIA for text in read_wikipedia(source / name)
        ),
    }
    save_files("text", files, output)


if __name__ == "__main__":
    run(main)
