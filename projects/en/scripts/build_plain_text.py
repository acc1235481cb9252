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

Nothing here is annotated, and nothing of it is in EWT, GUM or CRAFT. Other files than
these end in another checksum.
"""

import csv
import json
from html.parser import HTMLParser
from itertools import chain, groupby
from pathlib import Path
from typing import Iterable, Iterator, List, Sequence
from xml.etree import ElementTree

from treebank import run, save_files, unpacked

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
    others one by one."""
    files = [f"{name}_GroundTruth.txt" for name in REVIEW_FILES]
    with unpacked(path, *files) as folder:
        for file in files:
            lines = (folder / file).read_text(encoding="utf8").split("\n")
            rows = [line.split("\t", 2) for line in lines if line]
            # "" where a sentence is of no document that has others
            for document, group in groupby(rows, lambda row: row[0].rpartition("_")[0]):
                n_sents = SENTENCES_OF_REVIEW if document else 1
                yield from _joined([text for _, _, text in group], n_sents)


def read_chat(path: Path) -> Iterator[str]:
    """Turns of a conversation that follow each other, some at a time."""
    for conversation in json.loads(path.read_text(encoding="utf8")).values():
        turns = [turn["message"] for turn in conversation["content"]]
        yield from _joined(turns, TURNS_OF_CHAT)


def read_questions(path: Path) -> Iterator[str]:
    """Titles, and the lines of what is asked: a paragraph each."""
    with path.open(encoding="utf8", newline="") as file:
        for row in csv.DictReader(file):
            yield from _prose([row["title"], *row["content"].splitlines()])


def read_posts(path: Path) -> Iterator[str]:
    """Titles, and the paragraphs of questions and answers, without code."""
    for _, element in ElementTree.iterparse(path):
        if element.tag == "row":
            paragraphs = Paragraphs()
            paragraphs.feed(element.attrib["Body"])
            paragraphs.close()
            yield from _prose([element.get("Title", ""), *paragraphs.texts])


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
    """The sentences of the first column."""
    with path.open(encoding="utf8") as file:
        for line in file:
            yield _one_line(line.partition("\t")[0])


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
