"""Docs of treebank escapes are read as Docs of plain words."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_lal.models.vectors import plain_doc, unescape_token

PLAIN = {
    **{"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "/.": ".", "/?": "?"},
    **{"``": '"', "''": '"', "\\/": "/", "3\\/4": "3/4", "and\\/or": "and/or"},
}
SENTENCES = [
    "The man -LRB- he said -RRB- was tired /.",
    "Is it -LSB- really -RSB- true /?",
    "-LCB- a -RCB- is 3\\/4 of a set \\/ a group .",
    "He said , `` I know '' , and\\/or left .",
]


@pytest.mark.parametrize(("escape", "word"), [*PLAIN.items(), ("and/or", "and/or"), ("-", "-"), ("/", "/")])
def test_unescape(escape: str, word: str) -> None:
    """Each escape, and words that are none."""
    assert unescape_token(escape) == word


def test_copies_only_docs_with_escapes() -> None:
    """A Doc without escapes is itself; a copy has words, norms and spaces."""
    nlp = spacy.blank("en")
    doc = nlp("I don't know (yet).")
    assert plain_doc(doc) is doc
    doc = Doc(nlp.vocab, ["-LRB-", "n't", "/."], [False, True, False])
    doc[1].norm_ = "not"
    copied = plain_doc(doc)
    assert [token.text_with_ws for token in copied] == ["(", "n't ", "."]
    assert [token.norm_ for token in copied] == ["(", "not", "."]
    assert [token.text for token in doc] == ["-LRB-", "n't", "/."]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_same_analysis_as_plain_words(en_lal_md: Language, sentence: str) -> None:
    """Tags, heads, deprels, trees, sentences and roles."""
    found = []
    for words in (sentence.split(), [PLAIN.get(word, word) for word in sentence.split()]):
        doc = en_lal_md(Doc(en_lal_md.vocab, words))
        columns = [(token.tag_, token.pos_, token.head.i, token.dep_, token.is_sent_start) for token in doc]
        constituents = [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]
        found.append((columns, constituents, doc._.srl))
    assert found[0] == found[1]
