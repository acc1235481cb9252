"""Examples whose predicted Docs are parsed: several parses of each Doc, and files that
do not fit together."""

import random

import pytest
import spacy
import span_roles
from spacy.tokens import Doc
from spacy.util import registry

from spacy_lal.annotations import (
    get_constituents,
    get_propositions,
    has_propositions,
    set_propositions,
)
from spacy_lal.treebanks.corpora import ParsedCorpus
from spacy_lal.treebanks.docs import write_docs


def parsed_docs(nlp):
    docs = []
    for name in ("gave", "saw"):
        eg = span_roles.parsed_example(nlp, name)
        set_propositions(eg.predicted, get_propositions(eg.reference))
        docs.append(eg.predicted)
    return docs


def flat(doc):
    """Another parse of the same words: each hangs on the first one."""
    for token in doc:
        token.head, token.dep_ = doc[0], "dep"
    return doc


@pytest.fixture
def nlp():
    return spacy.blank("en")


@pytest.fixture
def folder(nlp, tmp_path):
    write_docs(parsed_docs(nlp), tmp_path / "parses" / "0.spacy")
    write_docs([flat(doc) for doc in parsed_docs(nlp)], tmp_path / "parses" / "1.spacy")
    return tmp_path / "parses"


def test_the_parse_is_predicted_and_roles_are_gold(nlp, folder):
    corpus = registry.readers.get("spacy-lal.ParsedCorpus.v1")(folder / "0.spacy")
    examples = list(corpus(nlp))
    for eg, doc in zip(examples, parsed_docs(nlp), strict=True):
        assert not has_propositions(eg.predicted)
        assert get_propositions(eg.reference) == get_propositions(doc) != []
        assert [token.head.i for token in eg.predicted] == [
            token.head.i for token in doc
        ]
        assert [token.tag_ for token in eg.predicted] == [token.tag_ for token in doc]
        assert list(get_constituents(eg.predicted)) == list(get_constituents(doc))
    first, second = (next(iter(corpus(nlp))).predicted for _ in range(2))
    assert first is not second  # fresh at each call


def test_each_call_chooses_among_the_parses(nlp, folder):
    random.seed(0)
    corpus = ParsedCorpus([folder], shuffle=True)
    calls = [list(corpus(nlp)) for _ in range(16)]
    is_flat = [
        [eg.predicted[1].head.i == 0 and eg.predicted[2].head.i == 0 for eg in call]
        for call in calls
    ]
    assert {(True, True), (True, False), (False, True), (False, False)} == set(
        map(tuple, is_flat)
    )
    assert {call[0].predicted[0].text for call in calls} == {"She", "They"}
    for call in calls:
        for eg in call:
            assert [token.head.i for token in eg.predicted] == [
                token.head.i for token in eg.reference
            ]


def test_refused(nlp, folder, tmp_path):
    write_docs(parsed_docs(nlp)[:1], folder / "2.spacy")
    with pytest.raises(
        ValueError, match=r"expected the same Docs, .* in .*0\.spacy and .*2\.spacy"
    ):
        list(ParsedCorpus(folder)(nlp))
    write_docs(
        [
            parsed_docs(nlp)[0],
            Doc(nlp.vocab, words=["No", "."], sent_starts=[True, False]),
        ],
        folder / "2.spacy",
    )
    with pytest.raises(ValueError, match="expected the same Docs"):
        list(ParsedCorpus(folder)(nlp))
    with pytest.raises(ValueError, match="no path"):
        ParsedCorpus(None)
    with pytest.raises(ValueError, match="expected a .spacy file"):
        list(ParsedCorpus(tmp_path / "nowhere")(nlp))
