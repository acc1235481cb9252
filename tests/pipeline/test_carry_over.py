"""A parse follows merged tokens: they can be stored, copied and sent to workers."""

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_lal.annotations import SPANS_KEY


@pytest.fixture
def nlp(en_lal_md):
    """A pipeline of its own, whose last component merges noun chunks."""
    nlp = spacy.load("en_lal_md")
    nlp.add_pipe("merge_noun_chunks")
    nlp.add_pipe("lal_carry_over")
    return nlp


TEXT = "The old cat sleeps on the red mat, and Kim Smith has bought a new car."


def test_a_doc_with_merged_tokens_can_be_stored(nlp):
    doc = nlp(TEXT)
    assert "The old cat" in [token.text for token in doc]
    stored = DocBin(docs=[doc]).to_bytes()
    (read,) = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    copied = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    for other in (read, copied, doc.copy()):
        assert other._.parse_string == doc._.parse_string
        assert [str(span) for span in other.spans[SPANS_KEY]][0] == TEXT
        assert [str(one) for one in other._.predicates] == [
            str(one) for one in doc._.predicates
        ]


def test_without_it_the_message_of_our_getters_names_it(nlp):
    nlp.remove_pipe("lal_carry_over")
    doc = nlp("He lives in New York City.")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:2])
    with pytest.warns(UserWarning, match="lal_carry_over"):
        doc._.parse_string  # noqa: B018


@pytest.mark.slow
def test_workers_send_merged_tokens(nlp):
    docs = list(nlp.pipe([TEXT] * 2, n_process=2))
    assert [doc._.parse_string for doc in docs] == [nlp(TEXT)._.parse_string] * 2
