"""Plain text from small sources of each form: which sentences come together, and what a wrong source is told."""

import json
from pathlib import Path, PurePosixPath
from typing import Dict
from xml.sax.saxutils import quoteattr

import pytest
import srsly
from small_sources import pack

PROJECT = Path(__file__).resolve().parents[3] / "projects" / "en_lal_md"
REVIEWS = "hutto_ICWSM_2014.tar.gz"
CHAT = ("valid_freq.json", "valid_rare.json")
QUESTIONS = ("travel.csv", "cooking.csv")
POSTS = ("beer.xml", "coffee.xml", "matheducators.xml")
WIKIPEDIA = ("tune.tsv", "validation.tsv", "test.tsv")
ROWS = {
    "movieReviewSnippets": "7\t1.5\tA film that glows.\r\n8\t-2\tIt  drags.\r\n",
    "amazonReviewSnippets": "".join(f"1_{i}\t0\tpart {i}.\r\n" for i in range(1, 6)) + "2_1\t0\tanother review.\r\n",
    "nytEditorialSnippets": "1_1\t0\tThey said ''no''.\r\n",
    "tweets": "1\t2\tso happy :) @anonymous\r\n",
}


def pack_reviews(path: Path, rows: Dict[str, str] = ROWS) -> Path:
    """The archive of reviews, with these lines in its files."""
    files = {f"{name}_GroundTruth.txt": text for name, text in rows.items()}
    return pack(path, files, folder="hutto_ICWSM_2014")


def chat(*messages: str) -> str:
    """A file with one conversation."""
    return json.dumps({"t_1": {"content": [{"message": message, "agent": "agent_1"} for message in messages]}})


def posts(*bodies: str, title: str = "") -> str:
    """A file of posts; the first has a title."""
    rows = [f"  <row Id='1' Body={quoteattr(body)} />" for body in bodies]
    if title:
        rows[0] = rows[0].replace("<row", f"<row Title={quoteattr(title)}")
    return "<?xml version='1.0' encoding='utf-8'?>\n<posts>\n" + "\n".join(rows) + "\n</posts>\n"


def write_sources(folder: Path) -> Path:
    """A whole folder of sources."""
    pack_reviews(folder / REVIEWS)
    for name in QUESTIONS:
        (folder / name).write_text(f"title,content,tags\n{name}?,I ask.,tag\n", encoding="utf8")
    for name in POSTS:
        (folder / name).write_text(posts(f"<p>About {name}.</p>"), encoding="utf8")
    for name in CHAT:
        (folder / name).write_text(chat("Hi!", "Hello. ", ""), encoding="utf8")
    for name in WIKIPEDIA:
        (folder / name).write_text(f"The `` town '' of {name} .\tOne . <::::> Two .\n", encoding="utf8")
    return folder


@pytest.fixture
def build(script):
    return script("build_plain_text")


@pytest.fixture
def source_error(script):
    return script("treebank").SourceError


def lines(*texts: str) -> str:
    """A file of texts."""
    return "".join(f"{text}\n" for text in texts)


def test_sentences_of_one_review_come_together_and_others_alone(build, tmp_path: Path):
    assert list(build.read_reviews(pack_reviews(tmp_path / REVIEWS))) == [
        "A film that glows.",
        "It drags.",
        "part 1. part 2. part 3. part 4.",
        "part 5.",
        "another review.",
        'They said "no".',
        "so happy :) @anonymous",
    ]


def test_turns_of_a_conversation_come_six_at_a_time(build, tmp_path: Path):
    path = tmp_path / "chat.json"
    path.write_text(chat(*"abcdefgh"), encoding="utf8")
    assert list(build.read_chat(path)) == ["a b c d e f", "g h"]


def test_a_question_is_its_title_and_the_lines_of_its_content(build, tmp_path: Path):
    path = tmp_path / "travel.csv"
    path.write_text('title,content,tags\nBy  ferry?,"We, all of us,\n\nsay ""go"".\n","ferry, sea"\n', encoding="utf8")
    assert [text for text in build.read_questions(path) if text] == ["By ferry?", "We, all of us,", 'say "go".']


def test_a_post_is_its_paragraphs_without_code_and_formulas(build, tmp_path: Path):
    path = tmp_path / "coffee.xml"
    bodies = (
        "<p>Grind it <em>fine</em> &amp; brew</p>\n<pre><code>brew</code></pre><ul><li>hot</li><li>cold</li></ul>",
        "<p>It costs $5.</p><p>So $x$ is two.</p>",
    )
    path.write_text(posts(*bodies, title="How & when?"), encoding="utf8")
    texts = [text for text in build.read_posts(path) if text]
    assert texts == ["How & when?", "Grind it fine & brew", "hot", "cold", "It costs $5."]


def test_only_the_first_column_of_wikipedia_is_taken(build, tmp_path: Path):
    path = tmp_path / "tune.tsv"
    path.write_text("The `` town '' grew .\tIt grew . <::::> It is a town .\n", encoding="utf8")
    assert list(build.read_wikipedia(path)) == ['The " town " grew .']


def test_the_project_fetches_the_files_that_are_read(build):
    assets = [PurePosixPath(asset["dest"]) for asset in srsly.read_yaml(PROJECT / "project.yml")["assets"]]
    fetched = [path.name for path in assets if path.parent == PurePosixPath("../../assets/sources/text")]
    assert sorted(fetched) == sorted([build.REVIEWS, *build.QUESTIONS, *build.POSTS, *build.CHAT, *build.WIKIPEDIA])


def test_files_are_written_only_if_they_are_those_that_are_listed(build, script, expect, tmp_path: Path):
    source, output = write_sources(tmp_path), tmp_path / "text"
    with pytest.raises(script("treebank").ChecksumError, match="text/chat.txt"):
        build.main([str(source), str(output)])
    assert not output.exists()
    files = {
        "reviews.txt": lines(*build.read_reviews(source / REVIEWS)),
        "answers.txt": lines(
            *(text for name in QUESTIONS for text in (f"{name}?", "I ask.")),
            *(f"About {name}." for name in POSTS),
        ),
        "chat.txt": lines("Hi! Hello.", "Hi! Hello."),
        "wikipedia.txt": lines(*(f'The " town " of {name} .' for name in WIKIPEDIA)),
    }
    expect("text", files)
    build.main([str(source), str(output)])
    assert {path.name: path.read_text(encoding="utf8") for path in output.iterdir()} == files


def test_a_review_without_three_columns_is_named_by_file_and_line(build, source_error, tmp_path: Path):
    rows = {**ROWS, "tweets": "1\t2\tfine\n2 3 not\n"}
    with pytest.raises(source_error, match=r"tweets_GroundTruth.txt:2: expected number, rating and text .*'2 3 not'"):
        list(build.read_reviews(pack_reviews(tmp_path / REVIEWS, rows)))


def test_a_broken_archive_and_a_missing_file_are_named(build, source_error, tmp_path: Path):
    whole = pack_reviews(tmp_path / REVIEWS).read_bytes()
    middle = len(whole) // 2
    zeros = (whole[:middle] + b"\0" * (len(whole) - middle), whole[:-8] + b"\0" * 8)
    for broken in (b"no archive", whole[:middle], *zeros):
        (tmp_path / REVIEWS).write_bytes(broken)
        with pytest.raises(source_error, match="hutto.*expected a whole .tar.gz archive"):
            list(build.read_reviews(tmp_path / REVIEWS))
    rows = {name: text for name, text in ROWS.items() if name != "tweets"}
    with pytest.raises(source_error, match="tweets_GroundTruth.txt"):
        list(build.read_reviews(pack_reviews(tmp_path / REVIEWS, rows)))


@pytest.mark.parametrize(
    "content, message",
    [
        ("question,tags\na,b\n", "travel.csv:1: expected a table with the columns title, content, tags"),
        ("", "travel.csv:1: expected a table"),
        ("title,content,tags\na,b,c\na,b\n", "travel.csv:3: expected title, content and tags, got 2 columns"),
    ],
)
def test_what_is_no_table_of_questions_is_refused(build, source_error, tmp_path: Path, content: str, message: str):
    path = tmp_path / "travel.csv"
    path.write_text(content, encoding="utf8")
    with pytest.raises(source_error, match=message):
        list(build.read_questions(path))


@pytest.mark.parametrize("content", ["<posts><row Id='1' /></posts>", "<posts><row Body='cut", "no xml"])
def test_what_is_no_post_is_refused(build, source_error, tmp_path: Path, content: str):
    path = tmp_path / "beer.xml"
    path.write_text(content, encoding="utf8")
    with pytest.raises(source_error, match="beer.xml: expected rows of posts with a 'Body'"):
        list(build.read_posts(path))


@pytest.mark.parametrize("content", ["[1]", '{"t": {"content": [{}]}}', "no json"])
def test_what_is_no_chat_is_refused(build, source_error, tmp_path: Path, content: str):
    path = tmp_path / "chat.json"
    path.write_text(content, encoding="utf8")
    with pytest.raises(source_error, match="expected conversations with 'content'"):
        list(build.read_chat(path))


def test_a_line_of_wikipedia_without_a_tab_is_named(build, source_error, tmp_path: Path):
    path = tmp_path / "test.tsv"
    path.write_text("a\tb\nno tab\n", encoding="utf8")
    with pytest.raises(source_error, match="test.tsv:2: expected a sentence and its parts between tabs, got 'no tab"):
        list(build.read_wikipedia(path))
