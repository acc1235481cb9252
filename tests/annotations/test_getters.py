"""The getters on Doc, Span and Token: against trees of one's own, strict, and at the
cost of a sentence."""

import pickle
import random
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.tree import Tree
from spacy.tokens import Doc, DocBin, Span, Token
from spacy.tokens.underscore import Underscore
from spacy.vocab import Vocab
from tiny_parses import parse_of

from spacy_lal.annotations import (
    SPANS_KEY,
    NonConstituentException,
    UnparsedDocError,
    install_extensions,
    set_constituents,
    set_parses,
    set_propositions,
    set_sentence_starts,
    to_allennlp,
)
from spacy_lal.annotations.getters import GETTERS
from spacy_lal.trees.roles import Proposition

install_extensions()
WORDS = "Select the person driving . We saw her !".split()
TAGS = ["VB", "DT", "NN", "VBG", ".", "PRP", "VBD", "PRP", "."]
SPANS = [(0, 5, "S"), (0, 4, "VP"), (1, 4, "NP"), (1, 3, "NP"), (3, 4, "VP")]
SPANS += [(5, 9, "S"), (5, 6, "NP"), (6, 8, "VP"), (7, 8, "NP")]
FIRST = "(S (VP (VB Select) (NP (NP (DT the) (NN person)) (VP (VBG driving)))) (. .))"
SECOND = "(S (NP (PRP We)) (VP (VBD saw) (NP (PRP her))) (. !))"


@pytest.fixture
def doc():
    doc = Doc(Vocab(), words=WORDS, tags=TAGS)
    set_sentence_starts(doc, [0, 5])
    doc.spans[SPANS_KEY] = [Span(doc, *span) for span in SPANS]
    return doc


@pytest.fixture
def strict():
    install_extensions(strict=True)
    yield
    install_extensions(strict=False)


def flat(tree):
    return " ".join(str(tree).split())


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=6))
@example(["i C", "10\u00a0000", "\\", "(", "a\nb"])
def test_every_token_is_one_leaf(words):
    """As NLTK reads the brackets, whatever the tokens are."""
    doc = Doc(Vocab(), words=words, tags=["SYM"] * len(words))
    set_sentence_starts(doc, [0])
    n_words = sum(not token.is_space for token in doc)
    set_constituents(
        doc,
        [[token.i for token in doc if not token.is_space]],
        [[(0, n_words, "NP")] if n_words else []],
    )
    if n_words:
        assert len(Tree.fromstring(doc._.parse_string).leaves()) == n_words


def test_of_a_doc(doc):
    assert (
        list(map(flat, doc._.trees))
        == doc._.parse_string.split("\n")
        == [FIRST, SECOND]
    )
    assert doc._.tree is None and doc._.labels == ()
    texts = [span.text for span in doc._.constituents]
    assert texts[:4] == [
        "Select the person driving .",
        "Select the person driving",
        "Select",
        "the person driving",
    ]
    assert texts[-6:] == ["We saw her !", "We", "saw her", "saw", "her", "!"]
    one = doc[0:5].as_doc()
    one.spans[SPANS_KEY] = [Span(one, *span) for span in SPANS[:5]]
    assert (
        flat(one._.tree) == flat(one[:]._.tree) == FIRST
        and one._.labels == ("S",)
        and len(one._.trees) == 1
    )


def test_of_spans_and_tokens(doc):
    first, second = doc.sents
    assert (
        flat(first._.tree) == FIRST
        and flat(second._.tree) == second._.parse_string == SECOND
    )
    assert first._.labels == ("S",) and first._.parent is None
    assert [span.text for span in first._.children] == [
        "Select the person driving",
        ".",
    ]
    assert [span.text for span in doc[1:4]._.children] == ["the person", "driving"]
    assert doc[1:3]._.parent.text == "the person driving"
    assert (
        flat(doc[5]._.tree) == doc[5]._.parse_string == "(NP (PRP We))"
        and doc[0]._.parse_string == "(VB Select)"
    )
    assert [span.text for span in doc[5]._.constituents] == ["We"]
    assert (
        doc[5]._.labels == ("NP",)
        and doc[0]._.labels == ()
        and doc[5]._.parent.text == "We saw her !"
    )
    off = doc[0:2]
    assert (
        off._.parse_string is None
        and off._.tree is None
        and off._.parent is None
        and off._.parse_method is None
    )
    assert (
        off._.labels == ()
        and list(off._.constituents) == []
        and list(off._.children) == []
    )
    assert doc[0:0]._.parse_string is None and doc[3:7]._.tree is None


def test_the_trees_of_any_span(doc):
    assert list(map(flat, doc[:]._.trees)) == [FIRST, SECOND]
    expected = [
        "(NN person)",
        "(VP (VBG driving))",
        "(. .)",
        "(NP (PRP We))",
        "(VBD saw)",
    ]
    assert list(map(flat, doc[2:7]._.trees)) == expected
    for start in range(len(doc) + 1):
        for end in range(start, len(doc) + 1):
            assert [
                word for tree in doc[start:end]._.trees for word in tree.leaves()
            ] == WORDS[start:end]


def test_without_a_parse_there_is_nothing():
    for doc in (
        Doc(Vocab()),
        Doc(Vocab(), words=["a"]),
        Doc(Vocab(), words=["a", "b"]),
    ):
        assert (
            doc._.tree is None
            and doc._.trees == []
            and doc._.labels == ()
            and list(doc._.constituents) == []
        )
        assert (
            doc[:]._.trees == []
            and doc[:]._.tree is None
            and doc._.parse_string is None
        )
        assert all(
            token._.tree is None and list(token._.constituents) == [] for token in doc
        )


def test_as_doc_is_named(doc):
    doc[1].dep_ = "obj"
    with pytest.warns(UserWarning, match="spacy_lal.annotations.as_doc"):
        assert next(doc.sents).as_doc()._.parse_string is None


@pytest.mark.filterwarnings("ignore::spacy_lal.annotations.LostAnnotationsWarning")
def test_changes_are_seen(doc):
    second = list(doc.sents)[1]
    doc.spans[SPANS_KEY][5] = Span(doc, 5, 9, "FRAG")
    doc.spans[SPANS_KEY].append(Span(doc, 5, 8, "X"))
    assert second._.labels == ("FRAG",) and doc[5:8]._.labels == ("X",)
    assert [span.text for span in second._.children] == ["We saw her", "!"]
    doc[0].tag_ = "VBP"
    assert flat(doc[0:5]._.tree) == FIRST.replace("VB Select", "VBP Select")
    set_sentence_starts(doc, [0, 2, 5])
    assert doc[0:5]._.tree is None and doc[3:4]._.parent.text == "person driving ."
    set_sentence_starts(doc, [0])
    assert doc[5:9]._.parent.text == doc.text.strip() and doc._.tree.label() == "TOP"
    del doc.spans[SPANS_KEY]
    assert second._.labels == () and doc._.trees == []


def random_spans(rng, n):
    spans, todo = [], [(0, n)]
    while todo:
        start, end = todo.pop()
        if rng.random() < 0.7:
            spans += [
                (start, end, rng.choice(["A", "B"]))
                for _ in range(rng.choice([1, 1, 2]))
            ]
        if end - start > 1:
            cuts = sorted(
                rng.sample(
                    range(start + 1, end),
                    min(end - start - 1, rng.choice([1, 1, 2, 3])),
                )
            )
            todo += zip([start, *cuts], [*cuts, end], strict=True)
    return spans


@pytest.mark.parametrize("in_order", [True, False])
def test_random_trees(in_order):
    rng = random.Random(7)
    for _ in range(25):
        lengths = [rng.randint(1, 9) for _ in range(rng.randint(1, 3))]
        doc = Doc(Vocab(), words=["w"] * sum(lengths))
        firsts = [sum(lengths[:i]) for i in range(len(lengths))]
        set_sentence_starts(doc, firsts)
        of_sentences = [random_spans(rng, n) for n in lengths]
        shifted = zip(firsts, of_sentences, strict=True)
        spans = [
            (s + first, e + first, label)
            for first, found in shifted
            for s, e, label in found
        ]
        if in_order:
            ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
            set_constituents(doc, [list(range(len(doc)))], [ordered])
        else:
            doc.spans[SPANS_KEY] = [Span(doc, *span) for span in spans]
        for first, n in zip(firsts, lengths, strict=True):
            words = {(i, i + 1) for i in range(first, first + n)}
            nodes = (
                {(s, e) for s, e, _ in spans if first <= s < first + n}
                | words
                | {(first, first + n)}
            )
            for start in range(first, first + n):
                for end in range(start + 1, first + n + 1):
                    check_node(doc[start:end], nodes, spans)


def check_node(span, nodes, spans):
    start, end = span.start, span.end
    if (start, end) not in nodes:
        assert (
            span._.parent is None
            and list(span._.children) == []
            and span._.tree is None
        )
        return
    above = [k for k in nodes if k[0] <= start and end <= k[1] and k != (start, end)]
    parent = min(above, key=lambda k: k[1] - k[0]) if above else None
    assert parent == (span._.parent and (span._.parent.start, span._.parent.end))
    below = sorted(
        (k for k in nodes if start <= k[0] and k[1] <= end), key=lambda k: (k[0], -k[1])
    )
    assert [(s.start, s.end) for s in span._.constituents] == below
    within = [k for k in below if k != (start, end)]
    direct = [
        k
        for k in within
        if not any(o != k and o[0] <= k[0] and k[1] <= o[1] for o in within)
    ]
    assert [(s.start, s.end) for s in span._.children] == direct
    assert span._.labels == tuple(
        label for s, e, label in spans if (s, e) == (start, end)
    )


# The cost


# Strict getters, and processes


def test_strict_getters_raise(doc, strict):
    for name in ("labels", "parse_string", "parent", "tree"):
        with pytest.raises(
            NonConstituentException,
            match="the Span is no constituent: 'Select the'",
        ):
            getattr(doc[0:2]._, name)
        with pytest.raises(UnparsedDocError, match="no constituents"):
            getattr(Doc(Vocab(), words=["a"])[0]._, name)
    for name in ("constituents", "children"):
        generator = getattr(doc[0:2]._, name)  # benepar's raise when they begin, too
        with pytest.raises(NonConstituentException):
            next(generator)
    with pytest.raises(
        NonConstituentException, match=r"the Doc is no constituent.*_\.trees"
    ):
        doc._.tree  # noqa: B018
    with pytest.raises(UnparsedDocError, match="no sentence boundaries"):
        unbounded = Doc(Vocab(), words=["a", "b"])
        unbounded.spans[SPANS_KEY] = []
        unbounded._.parse_string  # noqa: B018
    assert doc[0:5]._.labels == ("S",) and doc[0:5]._.parent is None
    assert (
        list(map(flat, doc[0:2]._.trees)) == ["(VB Select)", "(DT the)"]
        and doc[0:2]._.parse_method is None
    )
    install_extensions()  # as every new lal_parser does: strict stays
    with pytest.raises(NonConstituentException):
        doc[0:2]._.labels  # noqa: B018
    assert pickle.loads(pickle.dumps(Span.get_extension("labels")))[2].keywords == {
        "strict": True
    }


@pytest.mark.parametrize("strictness", [None, True])
def test_an_extension_of_others_is_left_alone(strictness):
    Token.set_extension("tree", default="mine", force=True)
    try:
        install_extensions(strict=strictness)
        assert Doc(Vocab(), words=["a"])[0]._.tree == "mine"
    finally:
        Token.remove_extension("tree")
        install_extensions(strict=False)


READ = """
import sys
from spacy.lang.en import English
from spacy.tokens import DocBin
from spacy_lal.annotations import install_extensions
install_extensions()
for doc in DocBin().from_disk(sys.argv[1]).get_docs(English().vocab):
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3])
    children = [span.text for span in doc[1:3]._.children]
    print(len(doc._.trees), doc[0:4]._.labels, children, doc[1]._.tree.label())
"""


def test_in_other_processes(doc, tmp_path):
    state = pickle.loads(pickle.dumps(Underscore.get_state()))
    assert {"parse_string", "labels", "parent"} <= set(state[0])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    command = [sys.executable, "-c", READ, str(tmp_path / "docs.spacy")]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=240, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "2 ('S',) ['the person', 'driving'] NP"


def calls_of_the_last_sentence(n_sentences):
    """How many functions the getters of a Doc's last sentence call, in all."""
    words = ["She", "gave", "him", "books", "."] * n_sentences
    spaces = [word != "books" for word in words]
    doc = Doc(
        Vocab(),
        words=words,
        spaces=spaces,
        sent_starts=[not i % 5 for i in range(len(words))],
    )
    spans, heads, deprels = (
        [(0, 5, "S"), (1, 4, "VP")],
        [2, 0, 2, 2, 2],
        ["nsubj", "root", "iobj", "obj", "punct"],
    )
    set_parses(doc, [parse_of(spans, heads, deprels, "joint")] * n_sentences)
    args = ((0, 1, "ARG0"), (1, 2, "V"), (3, 4, "ARG1"))
    starts = range(0, len(doc), 5)
    set_propositions(
        doc,
        [
            Proposition(i + 1, "x.01", tuple((a + i, b + i, c) for a, b, c in args))
            for i in starts
        ],
    )
    sentence, n_calls = doc[len(doc) - 5 :], 0

    def count(frame, event, arg):
        nonlocal n_calls
        n_calls += event == "call"

    sys.setprofile(count)
    try:
        for item in (sentence, *sentence):
            for cls, name, getter in GETTERS:
                if isinstance(item, cls) and not name.endswith(("confidence", "units")):
                    found = getter(item)
                    found = list(found) if isinstance(found, Iterator) else found
        verbs = to_allennlp(sentence)["verbs"]
    finally:
        sys.setprofile(None)
    assert verbs and sentence._.predicates
    return n_calls


def test_a_sentence_costs_the_same_in_a_long_doc():
    calls_of_the_last_sentence(4)  # modules are imported
    few, more, most = map(calls_of_the_last_sentence, (4, 40, 400))
    assert most - more < 2 * (more - few)  # steps of a bisection: their logarithm
