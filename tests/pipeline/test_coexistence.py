"""A `lal_parser` beside components that also set heads: one clear warning, and the ways out that it names."""

import pickle
import warnings
from typing import Any, Dict, List

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_lal.pipeline.coexistence import DependencySchemeWarning, ParserOrderWarning

DOG: Dict[str, Any] = {
    "words": ["She", "sees", "a", "dog", "in", "the", "park", "."],
    "heads": [1, 1, 3, 1, 6, 6, 1, 1],
    "deps": ["nsubj", "ROOT", "det", "obj", "case", "det", "obl", "punct"],
    "tags": ["PRP", "VBZ", "DT", "NN", "IN", "DT", "NN", "."],
    "spans": [(0, 8, "S"), (0, 1, "NP"), (1, 7, "VP"), (2, 4, "NP"), (4, 7, "PP"), (5, 7, "NP")],
}
TEXT = "She sees a dog in the park ."
CLEAR_HEADS = [1, 1, 3, 1, 3, 6, 4, 1]
CLEAR_DEPRELS = ["nsubj", "ROOT", "det", "dobj", "prep", "det", "pobj", "punct"]


@Language.component("test_clear_parser", assigns=["token.head", "token.dep", "token.is_sent_start"])
def clear_parser(doc: Doc) -> Doc:
    """Stands for spaCy's parser: heads and deprels by CLEAR, UPOS."""
    if len(doc) != len(CLEAR_HEADS):
        return doc
    parsed = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        heads=CLEAR_HEADS,
        deps=CLEAR_DEPRELS,
        pos=["PRON", "VERB", "DET", "NOUN", "ADP", "DET", "NOUN", "PUNCT"],
    )
    return doc.from_array(["HEAD", "DEP", "POS"], parsed.to_array(["HEAD", "DEP", "POS"]))


def make_nlp(first: "List[str] | None" = None, **config: Any) -> Language:
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    for name in first if first is not None else ["sentencizer"]:
        nlp.add_pipe(name)
    nlp.add_pipe("lal_parser", config=config)
    return nlp


def example(nlp: Language) -> Example:
    doc = Doc(nlp.vocab, **{key: DOG[key] for key in ("words", "heads", "deps", "tags")})
    doc.spans["constituents"] = [Span(doc, *span) for span in DOG["spans"]]
    return Example(nlp.make_doc(TEXT), doc)


@pytest.fixture(scope="module")
def weights() -> bytes:
    """The parser's bytes, trained on one sentence."""
    nlp = make_nlp()
    examples = [example(nlp)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(40):
        nlp.update(examples, sgd=optimizer)
    doc = nlp(TEXT)
    assert [token.head.i for token in doc] == DOG["heads"]
    return nlp.get_pipe("lal_parser").to_bytes(exclude=["vocab"])


@pytest.fixture
def beside(weights: bytes):
    """Makes a pipeline in which the trained parser follows a parser of another scheme."""

    def make(**config: Any) -> Language:
        nlp = make_nlp(["sentencizer", "test_clear_parser"], **config)
        nlp.get_pipe("lal_parser").from_bytes(weights, exclude=["vocab"])
        return nlp

    return make


def arcs(doc: Doc):
    return [token.head.i for token in doc], [token.dep_ for token in doc]


def constituents(doc: Doc):
    return [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]


def test_another_scheme_is_replaced_with_one_warning(beside):
    nlp = beside()
    with pytest.warns(DependencySchemeWarning) as caught:
        docs = [nlp(TEXT), nlp(TEXT), *nlp.pipe([TEXT, TEXT])]
    assert all(arcs(doc) == (DOG["heads"], DOG["deps"]) for doc in docs)
    (message,) = [str(warning.message) for warning in caught if warning.category is DependencySchemeWarning]
    for part in ("'lal_parser'", "CLEAR", "Universal Dependencies", "overwrite = false", "dependencies = false"):
        assert part in message
    assert [chunk.text for chunk in docs[0].noun_chunks] == ["She", "a dog", "the park"]


def test_each_component_warns(beside, weights):
    nlp = beside()
    nlp.add_pipe("test_clear_parser", name="again")
    nlp.add_pipe("lal_parser", name="second").from_bytes(weights, exclude=["vocab"])
    with pytest.warns(ParserOrderWarning), pytest.warns(DependencySchemeWarning) as caught:
        nlp(TEXT)
    texts = [str(warning.message) for warning in caught if warning.category is DependencySchemeWarning]
    assert ["'lal_parser'" in texts[0], "'second'" in texts[1], len(texts)] == [True, True, 2]


def test_a_doc_whose_deprels_do_not_tell_waits(beside):
    nlp = beside()
    short = Doc(nlp.vocab, words=["Dogs", "bark"], heads=[1, 1], deps=["nsubj", "ROOT"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", DependencySchemeWarning)
        nlp(short)
    with pytest.warns(DependencySchemeWarning):
        nlp(TEXT)


def test_heads_that_are_kept_are_no_reason_to_warn(beside):
    nlp = beside(overwrite=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DependencySchemeWarning)
        doc = nlp(TEXT)
    assert arcs(doc) == (CLEAR_HEADS, CLEAR_DEPRELS)
    assert constituents(doc) == DOG["spans"]
    assert [chunk.text for chunk in doc.noun_chunks] == ["She", "a dog", "the park"]


def test_a_parser_of_constituents_alone(beside):
    nlp = beside(dependencies=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DependencySchemeWarning)
        doc = nlp(TEXT)
    assert arcs(doc) == (CLEAR_HEADS, CLEAR_DEPRELS)
    assert constituents(doc) == DOG["spans"]
    assert [span.label_ for span in doc.spans["parse_methods"]] == ["separate"]


def test_without_another_parser_it_sets_no_heads(weights):
    nlp = make_nlp(dependencies=False)
    nlp.get_pipe("lal_parser").from_bytes(weights, exclude=["vocab"])
    docs = list(nlp.pipe([TEXT, "", " ", "dog"]))
    with pytest.warns(UserWarning, match="in pieces"):
        docs.append(nlp("x " * 600))
    for doc in docs:
        assert not any(token.has_head() or token.dep_ for token in doc)
        assert "constituents" in doc.spans or not doc.text.strip()


@pytest.mark.parametrize("decoder", ["joint", "separate"])
def test_it_finds_the_trees_of_cky(weights, decoder):
    """The separate decoder finds its constituents by CKY too, so both find the same ones."""
    found = []
    for dependencies in (True, False):
        config = {"decoder": {"@misc": f"spacy-lal.{decoder if not dependencies else 'separate'}_decoder.v1"}}
        nlp = make_nlp(dependencies=dependencies, **config)
        nlp.get_pipe("lal_parser").from_bytes(weights, exclude=["vocab"])
        found.append([constituents(doc) for doc in nlp.pipe([TEXT, "the dog sees a park in the dog", "dog park"])])
    assert found[0] == found[1]


def test_the_option_is_saved(beside, tmp_path):
    nlp = beside(dependencies=False)
    nlp.to_disk(tmp_path)
    doc = spacy.load(tmp_path)(TEXT)
    assert arcs(doc) == (CLEAR_HEADS, CLEAR_DEPRELS) and constituents(doc) == DOG["spans"]


def test_dependencies_alone_and_none_of_them_are_nothing():
    blocks = {
        "@architectures": "spacy-lal.LALParser.v1",
        "tok2vec": None,
        "span_scorer": None,
        "biaffine_scorer": {"@misc": "spacy-lal.BiaffineScorer.v1"},
    }
    nlp = make_nlp(dependencies=False, model=blocks)
    with pytest.raises(ValueError, match="dependencies = false.*constituents"):
        nlp.initialize(lambda: [example(nlp)])


def test_a_parser_that_stands_after(weights):
    nlp = make_nlp()
    nlp.get_pipe("lal_parser").from_bytes(weights, exclude=["vocab"])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ParserOrderWarning)
        nlp(TEXT)
    nlp.add_pipe("test_clear_parser", name="later")
    with pytest.warns(ParserOrderWarning, match="'later' stands after 'lal_parser'") as caught:
        nlp(TEXT)
        nlp(TEXT)
    assert len([one for one in caught if one.category is ParserOrderWarning]) == 1
    with warnings.catch_warnings(), nlp.select_pipes(disable=["later"]):
        warnings.simplefilter("error", ParserOrderWarning)
        nlp(TEXT)


def test_spacys_own_parser_after_it(weights):
    nlp = make_nlp()
    nlp.get_pipe("lal_parser").from_bytes(weights, exclude=["vocab"])
    parser = nlp.add_pipe("parser")
    parser.add_label("dobj")
    parser.initialize(lambda: [example(nlp)], nlp=nlp)
    with pytest.warns(ParserOrderWarning, match="'parser' stands after"):
        nlp(TEXT)


def test_a_parser_after_one_of_constituents_alone_is_no_reason_to_warn(weights):
    nlp = make_nlp(dependencies=False)
    nlp.get_pipe("lal_parser").from_bytes(weights, exclude=["vocab"])
    nlp.add_pipe("test_clear_parser", name="later")
    with warnings.catch_warnings():
        warnings.simplefilter("error", ParserOrderWarning)
        doc = nlp(TEXT)
    assert arcs(doc) == (CLEAR_HEADS, CLEAR_DEPRELS) and constituents(doc) == DOG["spans"]


def test_a_component_can_still_be_pickled(beside):
    nlp = beside()
    parser = pickle.loads(pickle.dumps(nlp.get_pipe("lal_parser").coexistence))
    doc = nlp.get_pipe("sentencizer")(nlp.make_doc(TEXT))
    parser.check_order("lal_parser", [doc])  # it knows no pipeline any more, and says nothing
    with pytest.warns(DependencySchemeWarning):
        parser.check_docs("lal_parser", [clear_parser(doc)], DOG["deps"])
