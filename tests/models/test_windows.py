"""`spacy-lal.sentence_windows.v1`: windows of whole sentences, guessed from the
text."""

import textwrap
from unittest.mock import patch

import numpy
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy_transformers.util import registry
from tiny_pipeline import make_bert, transformer_config

from spacy_lal.models.windows import likely_breaks

NLP = spacy.blank("en")
SIZES = {"WINDOW": 72, "MAX_WINDOW": 128, "STRIDE": 96}


def windows_of(docs, **settings):
    """settings: Other sizes of windows than in `spacy_lal.models.windows`."""
    getter = registry.resolve(
        {"it": {"@span_getters": "spacy-lal.sentence_windows.v1"}}
    )["it"]
    with patch.multiple("spacy_lal.models.windows", **{**SIZES, **settings}):
        return [[(span.start, span.end) for span in spans] for spans in getter(docs)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("She left. He stayed.", ["She left.", "He stayed."]),
        ("She left . He stayed .", ["She left .", "He stayed ."]),
        ("Is it? Yes! 3 of them.", ["Is it?", "Yes!", "3 of them."]),
        ('"She left." "He stayed."', ['"She left."', '"He stayed."']),
        ('He said "Go." Then she left.', ['He said "Go."', "Then she left."]),
        (
            "(She left.) He stayed!! (Did he?)",
            ["(She left.)", "He stayed!!", "(Did he?)"],
        ),
        (
            "She paid Mr. Smith of the U.S. army $3.50.",
            ["She paid Mr. Smith of the U.S. army $3.50."],
        ),
        ("the end. and then it began", ["the end. and then it began"]),
        ("Well ... She left.", ["Well ... She left."]),
        ("Hm… She left.", ["Hm… She left."]),
        ("no mark\nthen a new line", ["no mark\nthen a new line"]),
        (
            "A line as long as\nAny of its text is",
            ["A line as long as\nAny of its text is"],
        ),
        ("Short\nThen a longer line", ["Short\n", "Then a longer line"]),
        (
            "She left with Mr.\nSmith and his dog.\nHe stayed.",
            ["She left with Mr.\nSmith and his dog.\n", "He stayed."],
        ),
        ("the end.\nand then it began", ["the end.\nand then it began"]),
        ("two breaks\n\n \none new line", ["two breaks\n\n \n", "one new line"]),
        (
            "彼女は去った。彼は残った",
            ["彼女は去った。彼は残った"],
        ),  # the English tokenizer's one token
        ("spaCy.It reads on", ["spaCy.It reads on"]),
        (". . .", [". . ."]),
        ("😀! 😀 Yes", ["😀!", "😀 Yes"]),
        ("   ", ["   "]),
    ],
)
def test_likely_breaks(text, expected):
    doc = NLP(text)
    starts = [0, *likely_breaks(doc), len(doc)]
    assert [
        doc[start:end].text for start, end in zip(starts, starts[1:], strict=False)
    ] == expected


def test_a_mark_that_needs_no_space():
    doc = spacy.tokens.Doc(
        NLP.vocab, ["彼女", "去った", "。", "彼", "残った"], spaces=[False] * 5
    )
    assert likely_breaks(doc) == [3]


def test_a_long_address_makes_no_other_line_short():
    doc = NLP(
        "He had seen it on the\nWest Bank "
        "at\nhttps://x.org/a/very/long/address/of/a/page\nLast May it was so."
    )
    assert likely_breaks(doc) == []


def test_nothing_but_quotes_is_read_once():
    doc = spacy.tokens.Doc(
        NLP.vocab, ['"'] * 50_000
    )  # quadratic time would take minutes
    assert likely_breaks(doc) == []


def test_whole_sentences_up_to_a_length():
    doc = NLP("She left. He stayed. We went home at once. You?")  # 3, 3, 6 and 2 tokens
    assert windows_of([doc], WINDOW=6) == [[(0, 6), (6, 12), (12, 14)]]
    assert windows_of([doc], WINDOW=8) == [[(0, 6), (6, 14)]]
    assert windows_of([doc], WINDOW=1) == [[(0, 3), (3, 6), (6, 12), (12, 14)]]
    assert windows_of([doc]) == [[(0, 14)]]


def test_a_long_sentence_in_strides():
    doc = NLP(f"Go. {'And on ' * 6}. Stop.")  # 2, 13 and 2 tokens
    assert windows_of([doc], WINDOW=4, MAX_WINDOW=6, STRIDE=4) == [
        [(0, 2), (2, 8), (6, 12), (10, 15), (15, 17)]
    ]
    assert windows_of([doc], WINDOW=4, MAX_WINDOW=13, STRIDE=4) == [
        [(0, 2), (2, 15), (15, 17)]
    ]


@given(
    st.lists(
        st.sampled_from(["She", "left", "Mr.", "Smith.", "and", "I", "e-mail", "(so)"]),
        min_size=1,
    ),
    st.integers(9, 40),
)
def test_a_wrapped_paragraph_has_the_windows_of_one_line(words, width):
    line = " ".join(words)
    for settings in ({"WINDOW": 1}, {"WINDOW": 4, "MAX_WINDOW": 5, "STRIDE": 2}):
        read = [
            [
                [token.text for token in doc[start:end] if not token.is_space]
                for start, end in windows_of([doc], **settings)[0]
            ]
            for doc in (NLP(line), NLP(textwrap.fill(line, width)))
        ]
        assert read[0] == read[1]


@given(
    st.text("aA.!?\"') \n…", max_size=80),
    st.integers(1, 9),
    st.integers(0, 9),
    st.integers(1, 9),
)
def test_every_token_in_order(text, window, more, stride):
    doc, max_window = NLP(text), window + more
    (spans,) = windows_of(
        [doc], WINDOW=window, MAX_WINDOW=max_window, STRIDE=min(stride, max_window)
    )
    assert all(
        0 < sum(not token.is_space for token in doc[start:end]) <= max_window
        for start, end in spans
        if text.strip()
    )
    assert spans == sorted(spans)
    assert {i for start, end in spans for i in range(start, end)} == set(
        range(len(doc))
    )


def test_a_sentence_is_read_as_if_it_were_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_lal.models.windows.WINDOW", 1)
    config = transformer_config(make_bert(tmp_path / "bert"))
    config["model"]["get_spans"] = {"@span_getters": "spacy-lal.sentence_windows.v1"}
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=config)
    nlp.initialize()
    nlp.to_disk(tmp_path / "nlp")
    nlp = spacy.load(tmp_path / "nlp")
    together, *alone = nlp.pipe(
        ["She left. The cat sat down.", "She left.", "The cat sat down."]
    )
    rows = together._.trf_data.model_output.last_hidden_state
    assert len(rows) == 2
    for row, doc in zip(rows, alone, strict=True):
        (expected,) = doc._.trf_data.model_output.last_hidden_state
        numpy.testing.assert_allclose(row[: len(expected)], expected, atol=1e-5)


def test_shipped_encoders_have_learnt_these_sizes():
    """Their vectors differ in other windows: 72 words, 128 of one sentence, every
    96."""
    getter = registry.resolve(
        {"it": {"@span_getters": "spacy-lal.sentence_windows.v1"}}
    )["it"]

    def bounds(text):
        return [(span.start, span.end) for span in getter([NLP(text)])[0]]

    assert bounds("We all went home now. " * 12) == [(0, 72)]
    assert bounds("We all went home now. " * 12 + "Go.") == [(0, 72), (72, 74)]
    assert bounds("on " * 128) == [(0, 128)]
    assert bounds("on " * 129) == [(0, 128), (96, 129)]
