"""Code written for benepar runs: the examples of its README, word for word, with our
parser in its place.

benepar itself is no dependency. Its README makes the pipeline with
`nlp.add_pipe("benepar", config={"model": "benepar_en3"})`; here the Doc has the tree of
the README, given by hand. What the README prints is what is asserted."""

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, Span

from spacy_lal.annotations import (
    NonConstituentException,
    UnparsedDocError,
    install_extensions,
    set_sentence_starts,
)
from spacy_lal.trees import Parse, parse_tree

FIRST = (
    "(S (NP (NP (DT The) (NN time)) (PP (IN for) (NP (NN action)))) (VP (VBZ is) (ADVP "
    "(RB now))) (. .))"
)
SECOND = "(S (NP (PRP It)) (VP (VBZ 's) (ADVP (RB never)) (ADJP (RB too) (JJ late))"
SECOND += " (S (VP (TO to) (VP (VB do) (NP (NN something)))))) (. .))"


@pytest.fixture
def doc() -> Doc:
    """nlp("The time for action is now. It's never too late to do something.")"""
    trees = [Parse.from_tree(parse_tree(text)) for text in (FIRST, SECOND)]
    words = [word for tree in trees for word in tree.words]
    spaces = [
        word not in ("now", "It", "something") and i + 1 < len(words)
        for i, word in enumerate(words)
    ]
    doc = Doc(
        English().vocab,
        words=words,
        spaces=spaces,
        tags=[tag for tree in trees for tag in tree.tags],
    )
    set_sentence_starts(doc, [0, len(trees[0].words)])
    first = 0
    spans = []
    for tree in trees:
        spans += [
            Span(doc, span.start + first, span.end + first, label)
            for span in tree.constituents
            for label in span.chain
        ]
        first += len(tree.words)
    doc.spans["constituents"] = spans
    assert (
        doc.text == "The time for action is now. It's never too late to do something."
    )
    return doc


@pytest.fixture(params=[False, True], ids=["lenient", "strict"])
def benepar(request):
    """The getters, with and without benepar's exceptions: its examples run with
    both."""
    install_extensions(strict=request.param)
    yield
    install_extensions(strict=False)


def test_usage_with_spacy(doc, benepar):
    sent = list(doc.sents)[0]
    assert sent._.parse_string == FIRST
    assert sent._.labels == ("S",)
    assert str(list(sent._.children)[0]) == "The time for action"


def test_extensions_of_spans(doc, benepar):
    sent = list(doc.sents)[1]
    phrases = list(sent._.constituents)
    assert phrases[0].text == sent.text and phrases[1].text == "It"
    assert [type(phrase) for phrase in phrases] == [Span] * len(phrases)
    np = list(list(doc.sents)[0]._.children)[0]
    assert np._.labels == ("NP",) and np._.parent.text == "The time for action is now."
    assert (
        np._.parse_string
        == "(NP (NP (DT The) (NN time)) (PP (IN for) (NP (NN action))))"
    )
    assert [child.text for child in np._.children] == ["The time", "for action"]
    assert sent._.parent is None
    chain = doc[12:15]
    assert chain.text == "to do something" and chain._.labels == (
        "S",
        "VP",
    )  # a unary chain has several labels


def test_extensions_of_tokens(doc, benepar):
    assert doc[3]._.labels == ("NP",) and doc[3]._.parse_string == "(NP (NN action))"
    assert doc[3]._.parent.text == "for action"
    assert (
        doc[0]._.labels == () and doc[0]._.parse_string == "(DT The)"
    )  # a word that is no constituent


def test_walking_down_as_people_do(doc, benepar):
    """Found again and again in code that uses benepar."""
    noun_phrases = [
        c.text for sent in doc.sents for c in sent._.constituents if "NP" in c._.labels
    ]
    assert noun_phrases == [
        "The time for action",
        "The time",
        "action",
        "It",
        "something",
    ]

    def depth(span):
        return 1 + max((depth(child) for child in span._.children), default=0)

    assert [depth(sent) for sent in doc.sents] == [4, 5]
    top = doc[3]._.parent
    while top._.parent is not None:
        top = top._.parent
    assert top.text == "The time for action is now."


def test_non_constituents_raise_as_in_benepar(doc):
    install_extensions(strict=True)
    try:
        for name in ("labels", "parse_string", "parent"):
            with pytest.raises(NonConstituentException):
                getattr(doc[0:3]._, name)
        for name in ("constituents", "children"):
            with pytest.raises(NonConstituentException):
                list(getattr(doc[0:3]._, name))
        found = []
        for start in range(7):
            for end in range(start + 1, 8):
                try:
                    found.append((start, end, doc[start:end]._.labels))
                except NonConstituentException:
                    continue
        assert ("S",) in [labels for *_, labels in found] and len(found) == 12
        with pytest.raises(UnparsedDocError):
            English()("Not parsed.")[0]._.labels  # noqa: B018
    finally:
        install_extensions(strict=False)
    assert doc[0:3]._.labels == () and doc[0:3]._.parse_string is None
