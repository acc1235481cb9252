"""Constraints on Docs, as a pipeline honours them."""

from typing import Any

import pytest
import spacy
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from tiny_pipeline import make_examples

from spacy_lal.annotations import (
    ContradictionError,
    StaleParseError,
    constrain,
    sentences,
)
from spacy_lal.interpret import arc_margins, constituent_margins, k_best
from spacy_lal.pipeline import lal_parser

SEPARATE = {"@misc": "spacy-lal.separate_decoder.v1", "arcs": "mst"}
DECODERS = {"joint": None, "eisner": {**SEPARATE, "arcs": "eisner"}, "mst": SEPARATE}


@pytest.fixture(scope="module", params=DECODERS)
def nlp(request: pytest.FixtureRequest) -> Language:
    return tiny_nlp(decoder=DECODERS[request.param])


def spans_of(doc: Doc) -> set[tuple[int, int, str]]:
    return {(span.start, span.end, span.label_) for span in doc.spans["constituents"]}


def parse_of(doc: Doc) -> tuple[Any, ...]:
    return (
        sorted(spans_of(doc)),
        [(token.head.i, token.dep_) for token in doc],
        doc._.parse_string,
    )


def test_honoured(nlp: Language):
    free = nlp(tiny_doc(nlp, space_after=3))
    known = [(7, 9), (11, 13, "NP")]
    assert not {span[:2] for span in known} & {span[:2] for span in spans_of(free)}
    doc = tiny_doc(nlp, space_after=3)
    wrong = next(
        span[:2] for span in sorted(spans_of(free)) if span[:2] not in ((0, 9), (9, 14))
    )
    constrain(doc, constituents=known, heads={0: 1, 13: 9}, forbidden=[wrong])
    before = [(token.text, token.is_sent_start) for token in doc]
    parsed = nlp(doc)
    found = spans_of(parsed)
    assert any(span[:2] == (7, 9) for span in found) and (11, 13, "NP") in found
    assert wrong not in {span[:2] for span in found}
    assert (parsed[0].head.i, parsed[13].head.i) == (1, 9)
    assert [(token.text, token.is_sent_start) for token in parsed] == before
    assert parse_of(nlp(parsed)) == parse_of(parsed)


def test_a_parse_that_fulfils_them_stays(nlp: Language):
    free = nlp(tiny_doc(nlp))
    doc = tiny_doc(nlp)
    constrain(
        doc,
        constituents=sorted(spans_of(free)),
        heads={token.i: token.head.i for token in free},
        forbidden=[(1, 2, "UNHEARD")],
    )
    assert parse_of(nlp(doc)) == parse_of(free)


@pytest.mark.parametrize("span", [(0, 13), (2, 9), (7, 9), (7, 11), (1, 13)])
def test_a_forbidden_span_beyond_a_sentence_forbids_nothing(
    nlp: Language, span: tuple[int, int]
):
    """The second sentence begins at the word 8."""
    free = nlp(tiny_doc(nlp))
    doc = tiny_doc(nlp)
    constrain(doc, forbidden=[span])
    assert parse_of(nlp(doc)) == parse_of(free)
    for sent in doc.sents:
        assert k_best(nlp, sent, 1)[0].parse_string == sent._.parse_string


@pytest.mark.parametrize("name", DECODERS)
def test_a_parser_of_constituents_alone(name: str):
    nlp = tiny_nlp(decoder=DECODERS[name])
    nlp.get_pipe("lal_parser").dependencies = False
    free = nlp(tiny_doc(nlp))
    assert not free.has_annotation("DEP")
    doc = tiny_doc(nlp)
    root = next(
        span for span in sorted(spans_of(free)) if span[:2] == (0, 8) or span[0] == 0
    )
    constrain(doc, constituents=[root])
    assert parse_of(nlp(doc)) == parse_of(free)
    assert [sent._.parse_method for sent in doc.sents] == [
        sent._.parse_method for sent in free.sents
    ]
    constrain(doc, heads={0: 1})
    with pytest.raises(ContradictionError, match=r"the parser sets no heads"):
        nlp(doc)
    with pytest.raises(ContradictionError, match=r"the parser sets no heads"):
        k_best(nlp, next(doc.sents), 1)


def test_only_constrained_sentences_change(nlp: Language):
    docs = [
        tiny_doc(nlp),
        tiny_doc(nlp, [0]),
        tiny_doc(nlp, space_after=9),
        Doc(nlp.vocab),
    ]
    free = [parse_of(doc) for doc in nlp.pipe([doc.copy() for doc in docs])]
    constrain(docs[0], constituents=[(8, 10, "VP")])
    together = list(nlp.pipe([doc.copy() for doc in docs], batch_size=4))
    alone = nlp(docs[0].copy())
    assert parse_of(together[0]) == parse_of(alone) != free[0]
    assert [parse_of(doc) for doc in together[1:]] == free[1:]
    first = [span for span in spans_of(together[0]) if span[1] <= 8]
    assert sorted(first) == [span for span in free[0][0] if span[1] <= 8]


def test_worker_processes_and_files(nlp: Language, tmp_path):
    doc = tiny_doc(nlp, space_after=3)
    constrain(doc, constituents=[(2, 6)], heads={0: 1}, forbidden=[(0, 2)])
    expected = parse_of(nlp(doc.copy()))
    docs = [doc.copy(), tiny_doc(nlp), *DocBin(docs=[doc]).get_docs(nlp.vocab)]
    found = [parse_of(one) for one in nlp.pipe(docs, n_process=2, batch_size=1)]
    assert found[0] == found[2] == expected
    nlp.to_disk(tmp_path / "model")
    again = spacy.load(tmp_path / "model")
    assert parse_of(again(Doc(again.vocab).from_bytes(doc.to_bytes()))) == expected


def test_sentences_that_are_set_afterwards():
    """By a component between `constrain` and the parser."""
    nlp = tiny_nlp()
    nlp.add_pipe("sentencizer", first=True)
    words = [token.text for token in tiny_doc(nlp)]
    doc = Doc(nlp.vocab, words=words)
    assert words[7] == "." and not doc.has_annotation("SENT_START")
    constrain(doc, constituents=[(8, 10)])
    assert any(span[:2] == (8, 10) for span in spans_of(nlp(doc)))
    doc = Doc(nlp.vocab, words=words)
    constrain(doc, constituents=[(6, 10)])
    with pytest.raises(
        ContradictionError, match="crosses a sentence boundary: doc.6:10."
    ):
        nlp(doc)


def test_labels_within_unary_chains():
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser")
    examples = make_examples(nlp)
    for eg in examples:
        reference = eg.reference
        reference.spans["constituents"] = [
            Span(reference, 0, 1, "S"),
            *reference.spans["constituents"],
        ]
    nlp.initialize(lambda: examples)
    assert "S::NP" in nlp.get_pipe("lal_parser").label_data["constituents"]
    outer, inner = "S", "NP"
    for wanted in ("S::NP", outer, inner):
        doc = tiny_doc(nlp, [0])
        constrain(doc, constituents=[(1, 3, wanted)])
        found = [
            label for start, end, label in spans_of(nlp(doc)) if (start, end) == (1, 3)
        ]
        assert set(wanted.split("::")) <= set(found)
    doc = tiny_doc(nlp, [0])
    constrain(doc, constituents=[(1, 3, outer), (1, 3, inner)])
    assert {outer, inner} <= {
        label for start, end, label in spans_of(nlp(doc)) if (start, end) == (1, 3)
    }


CONTRADICTIONS: list[tuple[dict[str, Any], str, int]] = [
    ({"constituents": [(0, 2), (1, 3, "UNHEARD")]}, "must not cross", 2),
    (
        {"constituents": [(1, 3, "UNHEARD"), (4, 6)]},
        "knows no label UNHEARD: doc.1:3.",
        1,
    ),
    (
        {"constituents": [(1, 3, "NP"), (1, 3, "VP"), (4, 6)]},
        "no tree with all of them: doc.1:3.* NP; doc.1:3.* VP",
        3,
    ),
]


@pytest.mark.parametrize("constraints, message, n", CONTRADICTIONS)
def test_contradictions(
    nlp: Language, constraints: dict[str, Any], message: str, n: int
):
    with pytest.raises(ContradictionError, match=message) as error:
        doc = tiny_doc(nlp)
        constrain(doc, **constraints)
        nlp(doc)
    assert len(error.value.constraints) == n


def test_a_contradiction_takes_no_other_doc_of_its_batch_along():
    nlp = tiny_nlp()
    docs = [tiny_doc(nlp) for _ in range(3)]
    expected = parse_of(nlp(tiny_doc(nlp)))
    constrain(docs[1], constituents=[(1, 3, "UNHEARD")])
    with pytest.raises(ContradictionError):
        list(nlp.pipe(docs))
    failed: list[Doc] = []
    nlp.set_error_handler(lambda name, pipe, of_batch, error: failed.extend(of_batch))
    found = list(nlp.pipe(docs))
    assert found == [docs[0], docs[2]] and failed == [docs[1]]
    assert [parse_of(doc) for doc in found] == [expected] * 2


def test_what_one_decoder_can_and_another_cannot():
    crossing = {0: 2, 1: 3, 2: 2, 3: 2}
    found = {}
    for name, decoder in DECODERS.items():
        nlp = tiny_nlp(decoder=decoder)
        doc = tiny_doc(nlp)
        constrain(doc, heads=crossing)
        try:
            found[name] = [token.head.i for token in nlp(doc)][:4]
        except ContradictionError as error:
            found[name] = len(error.constraints)
        doc = tiny_doc(nlp)
        constrain(doc, constituents=[(0, 2), (4, 6)], heads={0: 4, 1: 4})
        try:
            nlp(doc)
            found[f"{name}, both"] = 0
        except ContradictionError as error:
            found[f"{name}, both"] = len(error.constraints)
    assert found["mst"] == [2, 3, 2, 2] and found["joint"] == found["eisner"] == 4
    # "the top" of a constituent is one word for the joint decoder alone
    assert (found["joint, both"], found["mst, both"]) == (4, 0)


def test_long_sentences_are_refused(monkeypatch: pytest.MonkeyPatch):
    for module in (lal_parser, sentences):
        monkeypatch.setattr(module, "MAX_LENGTH", 6)
    monkeypatch.setattr(sentences, "PIECE_LENGTH", 6)
    nlp = tiny_nlp()
    doc = tiny_doc(nlp)
    constrain(doc, constituents=[(8, 10)])
    assert any(span[:2] == (8, 10) for span in spans_of(nlp(doc)))  # the short one
    constrain(doc, constituents=[(0, 2)])
    with pytest.raises(
        ValueError,
        match=(
            "8 words has constraints, and sentences of more than 6 words are parsed in "
            "p"
        ),
    ):
        nlp(doc)


def test_merged_tokens():
    nlp = tiny_nlp()
    doc = tiny_doc(nlp)
    constrain(doc, constituents=[(1, 4)])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    assert any(span[:2] == (1, 3) for span in spans_of(nlp(doc)))
    doc = tiny_doc(nlp)
    constrain(doc, constituents=[(1, 3)])
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    with pytest.raises(StaleParseError, match="does not fit the tokens"):
        nlp(doc)


def test_explanations():
    nlp = tiny_nlp()
    doc = tiny_doc(nlp)
    constrain(doc, constituents=[(8, 10)])
    parsed = nlp(doc)
    with pytest.raises(ValueError, match="margins of a parse under constraints"):
        constituent_margins(nlp, parsed)
    with pytest.raises(ValueError, match="margins of a parse under constraints"):
        arc_margins(nlp, parsed)
    assert constituent_margins(nlp, parsed[0:1])  # of the other sentence
