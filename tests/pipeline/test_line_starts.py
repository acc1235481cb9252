"""Sentence starts that the tokenizer sets: what begins a sentence by its line, and what
cannot begin one."""

import textwrap

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy-lal.WebTokenizer.v1"}}}
NLP = spacy.blank("en", config=CONFIG)


def starting(text: str) -> list[str]:
    """What begins a sentence by the tokenizer: each such word, but the first, with the
    rest of its line."""
    return [
        text[token.idx :].split("\n")[0]
        for token in NLP.make_doc(text)[1:]
        if token.sent_start == 1
    ]


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "3 large eggs, beaten\n\nPreheat the oven to 180°C.",
            ["Preheat the oven to 180°C."],
        ),
        ("Hi,\r\n\r\nthanks for that", ["thanks for that"]),
        ("one\n \t\ntwo\n\n\n\nthree", ["two", "three"]),
        (
            "- KL to circulate it by Fri 12/4\n- JB: book meeting room",
            ["- JB: book meeting room"],
        ),
        ("Bring:\n* a coat\n* a hat\n  and gloves", ["* a coat", "* a hat"]),
        ("we need\n• eggs\n• milk", ["• eggs", "• milk"]),
        ("1. eggs\n2. milk\n\n3. bread", ["2. milk", "3. bread"]),
        ("a) go home\nb) stay here", ["b) stay here"]),
        ("# Title\nText begins here", ["Text begins here"]),
        ("It ends.\n== Part ==\nmore text", ["== Part ==", "more text"]),
        ("Title\n=====\ntext", ["=====", "text"]),
        (
            "/".join(["www.example.com", *"abcdefghijklmn"])
            + "\n"
            + "/".join(["www.example.org", *"abcdefghijklmn"]),
            [],
        ),
        ("He said\n\x0b\n so and so on", ["so and so on"]),  # a line without a word
        (
            "bob: yeah whats up\nalice: nm\nbob: wanna play?",
            ["alice: nm", "bob: wanna play?"],
        ),
        ("A: So, what did you do?\nB: I left.", ["B: I left."]),
        ("[10:02] joe: hi\n[10:03] kim: hey", ["[10:03] kim: hey"]),
        ("<joe> anyone here?\n<kim> yes", ["<kim> yes"]),
        ("#1 wash hands\n#2 dry them\n[ ] rest", ["#2 dry them", "[ ] rest"]),
        (
            "Ann wrote:\n> Can you send it\n> to me?\nSure",
            ["> Can you send it", "Sure"],
        ),
        ("See you\n-- \nMaria", ["-- ", "Maria"]),
        ("| a | b |\n| c | d |", ["| c | d |"]),
        ("Name\tAge\nBob\t12", ["Bob\t12"]),
        # What no wrapped line of prose looks like begins a sentence after a full line.
        (
            "Things to bring to the party on the lake\n• eggs of hens",
            ["• eggs of hens"],
        ),
        ("So he went home and slept all day long\n# The end", ["# The end"]),
        ("Here are the results of the last year\n| a | b |", ["| a | b |"]),
        (
            "| a and so on | b and so on | c and so on |\nThen they all went home",
            ["Then they all went home"],
        ),
        (
            "The Title of the Whole Book\n================\nIt was late and dark",
            ["================", "It was late and dark"],
        ),
        (
            "id,name,city\n1,Ann Lee,Bern\n2,Bob Ray,Rome",
            ["1,Ann Lee,Bern", "2,Bob Ray,Rome"],
        ),
        ("it cost 1,000,000 dollars\nand 2,000,000 pounds", []),
        ("I knew. 'Tis so.", ["'Tis so."]),
        ("TODO\n☐ buy stamps\n✓ done\n* rest", ["☐ buy stamps", "✓ done", "* rest"]),
        (
            "10:02 kim: hi\n10:03 joe: yo.\n—No.\n—Yes",
            ["10:03 joe: yo.", "—No.", "—Yes"],
        ),
        ("<ul>\n<li>one</li>\n<p>Two", ["<li>one</li>", "<p>Two"]),
        (
            "I. Aims\nII. Ways\n1.1 Scope\n1.2 Terms",
            ["II. Ways", "1.1 Scope", "1.2 Terms"],
        ),
        (
            "Dear Ms. Smith,\nthank you for it.\nBest,\nAnn",
            ["thank you for it.", "Ann"],
        ),
        (
            "1 cup flour\n2 eggs\nsalt, pepper\nHalf a lemon",
            ["2 eggs", "salt, pepper", "Half a lemon"],
        ),
        (
            "Jane Doe\n12 Main Street\nSpringfield, IL 62701\nUSA",
            ["12 Main Street", "Springfield, IL 62701", "USA"],
        ),
        (
            "Best,\nJohn Smith\nSales Manager\nAcme Corp.",
            ["John Smith", "Sales Manager", "Acme Corp."],
        ),
        ("To buy\nmilk\nbread\nblue cheese", ["milk", "bread", "blue cheese"]),
        ("Roses are red,\nViolets are blue\nAnd so are you.", []),
        ("-milk\n-bread\n*eggs\n*ham", ["-bread", "*eggs", "*ham"]),
        ("Item,Price\nMilk,1.20\nBread,2.50", ["Milk,1.20", "Bread,2.50"]),
        ("12:01 - Bob: hi\n12:02 - Ann: yes", ["12:02 - Ann: yes"]),
        (
            "[05/03/2024, 10:01] Bob: hi\n[05/03/2024, 10:02] Ann: yes",
            ["[05/03/2024, 10:02] Ann: yes"],
        ),
        (
            "2024-03-05 10:00 Server up\n2024-03-05 10:01 Joe in",
            ["2024-03-05 10:01 Joe in"],
        ),
        ("Q1. What is it?\nQ2. Why?", ["Q2. Why?"]),
        (
            "<p>First.</p><p>Second.</p> <ul><li>one</li><li>two</li></ul>",
            ["<p>Second.</p> <ul><li>one</li><li>two</li></ul>", "<li>two</li></ul>"],
        ),
        (
            "It was all as\nexpected, he said – so much\n– I think – as one could\n– "
            "I know – say\nnow",
            [],
        ),
        ("The quick\nbrown fox jumps\nover the dog.", []),
        (
            "He said that the whole of it was good - as far\n- as he knew - and "
            "she\nleft",
            [],
        ),
    ],
)
def test_lines_that_begin_a_sentence(text: str, expected: list[str]):
    assert starting(text) == expected


@pytest.mark.parametrize(
    "text, within",
    [
        ("wanna come over", ["na"]),
        ("Gonna be late", ["na"]),
        ("im tired, cant come", ["m", "nt"]),
        ("I'm sure he doesn't, they’ve left", ["'m", "n't", "’ve"]),
        ("50min at 7:30PM", ["min", "PM"]),
        ("A: So, what did you do?", ["So"]),
        ("- JB: book it", []),
        ("Ann: How?\nBob: So.", ["How", "\n", "So"]),
        ("> Can you\n> go", ["Can", "\n", "go"]),
        ("Please visit https://spacy.io for details.", ["https://spacy.io"]),
        ("See Fig. 3 and App. C now", ["3", "C"]),
        ("one\ntwo", ["\n"]),
        ("Michael: Thanks. Good", []),
        ("  Indented text. More", ["Indented"]),
        ("ANN (sadly): No.", ["No"]),
        ("We had no\nidea: We saw [...] What", ["\n"]),
        (
            "12:01 - Bob: hi\n12:02 - Jo: ok",
            ["-", "Bob", ":", "hi", "\n", "-", "Jo", ":", "ok"],
        ),
        ("| Name | Age |\n| Bob | 12 |", ["Name", "\n", "Bob"]),
        ("DR. JO: So.\nAnn Lee: Hm", ["JO", "So", "\n", "Lee"]),
    ],
)
def test_what_begins_no_sentence(text: str, within: list[str]):
    assert [
        token.text for token in NLP.make_doc(text) if token.sent_start == -1
    ] == within


PROSE = (
    "He came to the house on Friday - it was late - and found 12 Smiths, a dog (2 the "
    "cat) and I then left for good"
)


@given(st.integers(12, 90))
def test_wrapped_prose_has_no_starts(width: int):
    lines = textwrap.fill(PROSE, width)
    assert starting(lines) == []


def test_text_of_one_line_without_contractions_is_left_unknown():
    assert not NLP.make_doc("She left. He stayed.").has_annotation("SENT_START")


def test_a_splitter_keeps_what_is_set():
    nlp = spacy.blank("en", config=CONFIG)
    nlp.add_pipe("sentencizer")
    doc = nlp("We need\n• eggs, beaten\n\nmilk. Go on")
    assert [sent.text.strip() for sent in doc.sents] == [
        "We need",
        "• eggs, beaten",
        "milk.",
        "Go on",
    ]


def test_it_can_be_switched_off():
    config = {
        "nlp": {
            "tokenizer": {
                "@tokenizers": "spacy-lal.WebTokenizer.v1",
                "line_starts": False,
            }
        }
    }
    doc = spacy.blank("en", config=config).make_doc("wanna\n\n- eggs")
    assert not doc.has_annotation("SENT_START") and [
        token.text for token in doc[:2]
    ] == ["wan", "na"]


def test_many_lines_take_linear_time():
    assert (
        len(starting("- a\n" * 20_000)) == 19_999
    )  # quadratic time would take minutes


def test_a_wrapped_paragraph_has_the_sentences_of_one_line(en_lal_md: Language):
    text = (
        "Mr. Smith, who had left the house at nine, came back on Friday because he "
        "wanted to see whether the dog was "
        "still there. It was not. He asked the neighbours, who had heard nothing, and "
        "the police, which had other "
        "things to do than to look for a dog of that age and size. So he went home "
        "again and wrote a letter to the "
        "newspaper in which he said that nobody in this town cares for animals as "
        "they should be cared for."
    )
    with en_lal_md.select_pipes(enable=[en_lal_md.pipe_names[0], "senter"]):
        (expected, *others) = (
            [sent.text.split() for sent in doc.sents]
            for doc in en_lal_md.pipe(
                [text, *(textwrap.fill(text, width) for width in (55, 62, 70, 80))]
            )
        )
    assert len(expected) == 4 and all(sentences == expected for sentences in others)
