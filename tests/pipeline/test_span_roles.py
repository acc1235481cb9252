"""Roles of the constituents, words and subtrees of a Doc's parse:
`spacy-lal.SpanRoleScorer.v1` in `lal_srl`."""

import pickle

import pytest
import role_examples
import spacy
from role_examples import example
from spacy.tokens import Doc
from spacy.training import Example
from span_roles import TREES, config, parsed, parsed_example

from spacy_lal.annotations import (
    get_propositions,
    sentence_words,
    set_constituents,
    set_propositions,
)
from spacy_lal.models import batches
from spacy_lal.models.inference import roles as roles_inference
from spacy_lal.trees.roles import Proposition


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_srl", config=config())
    role_examples.train(nlp, [parsed_example(nlp, "gave"), parsed_example(nlp, "saw")])
    return nlp


def find(nlp, docs):
    return [get_propositions(doc) for doc in nlp.get_pipe("lal_srl").pipe(docs)]


def test_it_learns_two_sentences_by_heart(nlp):
    assert find(nlp, [parsed(nlp, "gave"), parsed(nlp, "saw")]) == list(
        role_examples.PROPOSITIONS.values()
    )


def test_a_doc_has_the_same_roles_alone_and_in_any_batch(nlp):
    both = Doc.from_docs([parsed(nlp, "saw"), parsed(nlp, "gave")])
    set_constituents(both, sentence_words(both), [TREES["saw"], TREES["gave"]])
    alone = find(nlp, [both])[0]
    assert [one.roleset for one in alone] == ["see.01", "sleep.01", "give_up.07"]
    assert (
        find(nlp, [parsed(nlp, "gave"), both, Doc(nlp.vocab), parsed(nlp, "saw")])[1]
        == alone
    )


@pytest.mark.parametrize(
    ("left_out", "message"),
    [
        ({"constituents": True}, "has no constituents: expected lal_parser before it"),
        ({"heads": True, "deps": True}, "has no heads"),
        ({"tags": True}, "has no tags: expected tagger before it"),
    ],
)
def test_a_missing_parse_is_named(nlp, left_out, message):
    with pytest.warns(
        UserWarning,
        match=f"'lal_srl' finds no roles.*{message}.*Or exclude 'lal_srl', too",
    ):
        other, doc = nlp.pipe([parsed(nlp, "saw"), parsed(nlp, "gave", **left_out)])
    assert doc._.predicates == [] and len(other._.predicates) == 2
    with pytest.raises(ValueError, match="training.annotating_components"):
        nlp.get_pipe("lal_srl").update(
            [Example(parsed(nlp, "gave", **left_out), example(nlp, "gave").reference)]
        )


def test_the_missing_head_of_one_word_is_no_parse(nlp):
    doc = parsed(nlp, "gave")
    doc[3].dep = 0
    with pytest.warns(UserWarning, match="no heads"):
        assert nlp(doc)._.predicates == []


def test_missing_lemmas_are_named():
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_srl", config=config(word_attr="LEMMA"))
    with pytest.raises(
        ValueError, match="has no lemmas: expected a lemmatizer before it"
    ):
        role_examples.train(nlp, [parsed_example(nlp, "gave")], steps=1)


@pytest.mark.parametrize("words", [[], [" "], ["\n", " "], ["slept"], ["saw"] * 1000])
def test_unusual_docs_get_sound_roles(nlp, words):
    n = len(words)
    heads, starts = [0] * n, [i == 0 for i in range(n)]
    doc = Doc(
        nlp.vocab,
        words=words,
        heads=heads,
        deps=["dep"] * n,
        tags=["VBD"] * n,
        sent_starts=starts,
    )
    n_words = sum(map(len, sentence_words(doc)))
    spans = (
        [(0, n_words, "S"), *((i, n_words, "VP") for i in range(1, min(n_words, 30)))]
        if n_words
        else []
    )
    set_constituents(doc, sentence_words(doc), [spans] * len(sentence_words(doc)))
    (found,) = find(nlp, [doc])
    for one in found:
        taken = [i for start, end, _ in one.args for i in range(start, end)]
        assert len(taken) == len(set(taken))
        assert one.token in taken


def test_a_given_predicate_keeps_its_parts(nlp, monkeypatch):
    doc = parsed(nlp, "gave")
    set_propositions(
        doc, [Proposition(5, "give_up.07", ((1, 2, "V"), (5, 6, "C-V")), "give")]
    )
    monkeypatch.setattr(nlp.get_pipe("lal_srl"), "predicates", "doc")
    (found,) = find(nlp, [doc])[0]
    assert (found.token, found.roleset, found.lemma) == (5, "give_up.07", "give")
    assert {(1, 2, "V"), (5, 6, "C-V")} <= set(found.args) and (
        3,
        6,
        "ARG1",
    ) not in found.args


def test_sub_batches_and_chunks_of_pairs_change_nothing(nlp, monkeypatch):
    docs = [parsed(nlp, name) for name in ("gave", "saw", "gave")]
    expected = find(nlp, docs)
    monkeypatch.setattr(roles_inference, "_MAX_PAIRS", 3)
    monkeypatch.setattr(batches, "MAX_BATCH_CELLS", 1)
    assert (
        find(nlp, [parsed(nlp, name) for name in ("gave", "saw", "gave")]) == expected
    )


def test_disk_bytes_and_pickle(nlp, tmp_path):
    expected = find(nlp, [parsed(nlp, "saw")])
    nlp.to_disk(tmp_path / "nlp")
    loaded = [spacy.load(tmp_path / "nlp"), pickle.loads(pickle.dumps(nlp))]
    blank = spacy.blank("en")
    blank.add_pipe("lal_srl", config=config())
    for one in [*loaded, blank.from_bytes(nlp.to_bytes())]:
        assert find(one, [parsed(one, "saw")]) == expected
