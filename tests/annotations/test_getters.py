"""The getters on Doc, Span and Token: on small Docs, on Docs whose trees are kept, and after changes."""

import gc
import pickle
import random
import subprocess
import sys
import threading

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span, Token
from spacy.vocab import Vocab

from spacy_lal.annotations import (
    SPANS_KEY,
    NonConstituentException,
    UnparsedDocError,
    install_extensions,
    sentence_trees,
    set_constituents,
    set_sentence_starts,
)

install_extensions()
WORDS = "Select the person driving . We saw her !".split()
TAGS = ["VB", "DT", "NN", "VBG", ".", "PRP", "VBD", "PRP", "."]
SPANS = [(0, 5, "S"), (0, 4, "VP"), (1, 4, "NP"), (1, 3, "NP"), (3, 4, "VP")]
SPANS += [(5, 9, "S"), (5, 6, "NP"), (6, 8, "VP"), (7, 8, "NP")]
FIRST = "(S (VP (VB Select) (NP (NP (DT the) (NN person)) (VP (VBG driving)))) (. .))"
SECOND = "(S (NP (PRP We)) (VP (VBD saw) (NP (PRP her))) (. !))"


@pytest.fixture(params=[0, 10_000], ids=["kept", "read"])
def doc(request, monkeypatch):
    monkeypatch.setattr(sentence_trees, "MAX_READ", request.param)
    return make_doc()


def make_doc():
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


def test_of_a_doc(doc):
    assert list(map(flat, doc._.trees)) == doc._.parse_string.split("\n") == [FIRST, SECOND]
    assert doc._.tree is None and doc._.labels == ()
    texts = [span.text for span in doc._.constituents]
    assert texts[:4] == ["Select the person driving .", "Select the person driving", "Select", "the person driving"]
    assert texts[-6:] == ["We saw her !", "We", "saw her", "saw", "her", "!"]


def test_of_a_doc_of_one_sentence(doc):
    one = doc[0:5].as_doc()
    one.spans[SPANS_KEY] = [Span(one, *span) for span in SPANS[:5]]
    assert flat(one._.tree) == flat(one[:]._.tree) == FIRST
    assert one._.labels == ("S",) and len(one._.trees) == 1


def test_of_spans(doc):
    first, second = doc.sents
    assert flat(first._.tree) == FIRST and flat(second._.tree) == SECOND
    assert first._.labels == ("S",) and first._.parent is None
    assert [span.text for span in first._.children] == ["Select the person driving", "."]
    assert [span.text for span in doc[1:4]._.children] == ["the person", "driving"]
    assert doc[1:3]._.parent.text == "the person driving"
    assert [flat(tree) for tree in doc[1:4]._.trees] == [flat(doc[1:4]._.tree)]


def test_the_trees_of_any_span(doc):
    assert list(map(flat, doc[:]._.trees)) == [FIRST, SECOND]
    assert list(map(flat, doc[2:7]._.trees)) == [
        "(NN person)",
        "(VP (VBG driving))",
        "(. .)",
        "(NP (PRP We))",
        "(VBD saw)",
    ]
    assert doc[3:3]._.trees == []
    for start in range(len(doc)):
        for end in range(start + 1, len(doc) + 1):
            words = [word for tree in doc[start:end]._.trees for word in tree.leaves()]
            assert words == WORDS[start:end]


def test_of_tokens(doc):
    assert flat(doc[5]._.tree) == doc[5]._.parse_string == "(NP (PRP We))"
    assert [span.text for span in doc[5]._.constituents] == ["We"]
    assert doc[5]._.labels == ("NP",) and doc[0]._.labels == ()
    assert doc[5]._.parent.text == "We saw her !"


def test_without_a_parse_there_is_nothing():
    for doc in (Doc(Vocab()), Doc(Vocab(), words=["a"]), Doc(Vocab(), words=["a", "b"])):
        assert doc._.tree is None and doc._.trees == [] and doc._.labels == () and list(doc._.constituents) == []
        assert doc[:]._.trees == [] and doc[:]._.tree is None
        for token in doc:
            assert token._.tree is None and list(token._.constituents) == []


def test_whitespace_alone():
    doc = Doc(English().vocab, words=["\n", " ", "Go", "\n"])
    set_sentence_starts(doc, [0, 2])
    doc.spans[SPANS_KEY] = [Span(doc, 2, 3, "S")]
    assert flat(doc._.tree) == flat(doc._.trees[0]) == "(S (X Go))"
    assert doc._.labels == ("S",) and [span.text for span in doc._.constituents] == ["Go"]
    assert doc[0]._.tree is None and doc[0:2]._.trees == [] and doc[0:3]._.trees == doc._.trees


# Changes


def test_after_merging_and_splitting(doc):
    assert len(list(doc._.constituents)) == 15  # kept
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[1:3], attrs={"TAG": "NN"})
        retokenizer.split(doc[7], ["h", "er"], heads=[(doc[7], 1), doc[7]], attrs={"TAG": ["PRP", "X"]})
    assert doc._.trees[0].leaves() == ["Select", "the person", "driving", "."]
    assert flat(doc._.trees[1]) == SECOND.replace("(PRP her)", "(PRP h) (X er)")
    assert doc[1]._.labels == ("NP",) and doc[6:8]._.labels == ("NP",)
    assert [span.text for span in doc[1:3]._.children] == ["the person", "driving"]
    assert doc[1]._.parent.text == "the person driving"


def test_after_changes_of_the_group(doc):
    second = list(doc.sents)[1]
    assert second._.labels == ("S",)
    doc.spans[SPANS_KEY][5] = Span(doc, 5, 9, "FRAG")
    assert second._.labels == ("FRAG",) and second._.tree.label() == "FRAG"
    doc.spans[SPANS_KEY].append(Span(doc, 5, 8, "X"))
    assert doc[5:8]._.labels == ("X",) and [span.text for span in second._.children] == ["We saw her", "!"]
    assert doc[6:8]._.parent.text == "We saw her"
    doc.spans[SPANS_KEY] = [Span(doc, 5, 9, "A"), Span(doc, 5, 8, "B")]
    assert second._.labels == ("A",) and [span.text for span in second._.children] == ["We saw her", "!"]
    del doc.spans[SPANS_KEY]
    assert second._.labels == () and doc._.trees == []


def round_trips(doc):
    yield doc
    yield doc.copy()
    stored = Doc(doc.vocab).from_bytes(doc.to_bytes())
    yield stored
    yield stored.copy()
    yield next(DocBin(docs=[doc]).get_docs(doc.vocab))


def replaced(group, span):
    group[7] = span


def deleted_and_appended(group, span):
    del group[7]
    group.append(span)


@pytest.mark.parametrize("max_read", [0, 10_000])
@pytest.mark.parametrize("change", [replaced, deleted_and_appended])
@pytest.mark.parametrize("is_read", [False, True])
def test_a_round_trip_hides_no_change(max_read, change, is_read, monkeypatch):
    monkeypatch.setattr(sentence_trees, "MAX_READ", max_read)
    original = make_doc()
    set_constituents(original, [list(range(len(original)))], [SPANS])
    for doc in list(round_trips(original)):  # all before the first change
        second = list(doc.sents)[1]
        if is_read:
            assert second._.parse_string == SECOND and doc[5:8]._.labels == ()
        change(doc.spans[SPANS_KEY], Span(doc, 5, 8, "X"))
        assert doc[5:8]._.labels == ("X",) and "(X (" in second._.parse_string
        assert doc._.parse_string.split("\n")[1] == second._.parse_string


def test_a_change_within_a_long_sentence(monkeypatch):
    """Of a group that records no changes, the Spans of the nodes alone are compared."""
    monkeypatch.setattr(sentence_trees, "MAX_READ", 0)
    monkeypatch.setattr(sentence_trees, "MAX_COMPARED", 2)
    doc = make_doc()
    assert doc[0:5]._.labels == ("S",)
    doc.spans[SPANS_KEY][0] = Span(doc, 0, 5, "FRAG")
    assert doc[0:5]._.labels == ("FRAG",)


def test_after_changes_of_tags_and_sentences(doc):
    assert flat(doc[0:5]._.tree) == FIRST
    doc[0].tag_ = "VBP"
    assert flat(doc[0:5]._.tree) == FIRST.replace("VB Select", "VBP Select")
    set_sentence_starts(doc, [0, 4, 5])
    doc.spans[SPANS_KEY] = [Span(doc, *span) for span in SPANS[1:]]
    assert doc[0:4]._.labels == ("VP",) and doc[4:5]._.parent is None


def test_a_changed_boundary_is_seen(doc):
    assert doc[5:9]._.parent is None
    set_sentence_starts(doc, [0])
    assert doc[5:9]._.parent.text == doc.text.strip() and doc._.tree.label() == "TOP"


@pytest.mark.filterwarnings("ignore::spacy_lal.annotations.span_groups.LostConstituentsWarning")
@pytest.mark.parametrize("read", [lambda span: span._.labels, lambda span: span._.parent, lambda span: span._.tree])
def test_a_new_boundary_within_a_sentence_is_seen_whichever_node_is_read(doc, read):
    first = doc[0:5]
    before = [read(span) for span in (first, doc[1:4], doc[3:4])]
    set_sentence_starts(doc, [0, 2, 5])
    fresh = Doc(doc.vocab).from_bytes(doc.to_bytes())
    found = [read(span) for span in (doc[0:5], doc[1:4], doc[3:4])]
    assert list(map(str, found)) == [str(read(span)) for span in (fresh[0:5], fresh[1:4], fresh[3:4])]
    assert list(map(str, found)) != list(map(str, before))
    doc[2].is_sent_start = False
    assert list(map(str, before)) == [str(read(span)) for span in (first, doc[1:4], doc[3:4])]


# Against trees of one's own


def random_spans(rng, n):
    spans, todo = [], [(0, n)]
    while todo:
        start, end = todo.pop()
        if rng.random() < 0.7:
            spans += [(start, end, rng.choice(["A", "B"])) for _ in range(rng.choice([1, 1, 2]))]
        cuts = (
            sorted(rng.sample(range(start + 1, end), min(end - start - 1, rng.choice([1, 1, 2, 3]))))
            if end - start > 1
            else []
        )
        todo += zip([start, *cuts], [*cuts, end], strict=True) if cuts else []
    return spans


@pytest.mark.parametrize("max_read", [0, 10_000])
@pytest.mark.parametrize("in_order", [True, False])
def test_random_trees(max_read, in_order, monkeypatch):
    monkeypatch.setattr(sentence_trees, "MAX_READ", max_read)
    rng = random.Random(7)
    for _ in range(40):
        lengths = [rng.randint(1, 9) for _ in range(rng.randint(1, 3))]
        doc = Doc(Vocab(), words=["w"] * sum(lengths))
        firsts = [sum(lengths[:i]) for i in range(len(lengths))]
        set_sentence_starts(doc, firsts)
        spans = [
            (s + first, e + first, label)
            for first, n in zip(firsts, lengths, strict=True)
            for s, e, label in random_spans(rng, n)
        ]
        if in_order:
            ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
            set_constituents(doc, [list(range(len(doc)))], [ordered])
        else:
            doc.spans[SPANS_KEY] = [Span(doc, *span) for span in spans]
        for first, n in zip(firsts, lengths, strict=True):
            here = {(s, e) for s, e, _ in spans if first <= s < first + n}
            nodes = here | {(i, i + 1) for i in range(first, first + n)} | {(first, first + n)}
            for start in range(first, first + n):
                for end in range(start + 1, first + n + 1):
                    span = doc[start:end]
                    if (start, end) not in nodes:
                        assert span._.parent is None and list(span._.children) == [] and span._.tree is None
                        continue
                    above = [k for k in nodes if k[0] <= start and end <= k[1] and k != (start, end)]
                    parent = min(above, key=lambda k: k[1] - k[0]) if above else None
                    assert (parent is None) == (span._.parent is None)
                    assert parent is None or parent == (span._.parent.start, span._.parent.end)
                    below = sorted((k for k in nodes if start <= k[0] and k[1] <= end), key=lambda k: (k[0], -k[1]))
                    assert [(s.start, s.end) for s in span._.constituents] == below
                    within = [k for k in below if k != (start, end)]
                    direct = [k for k in within if not any(o != k and o[0] <= k[0] and k[1] <= o[1] for o in within)]
                    assert [(s.start, s.end) for s in span._.children] == direct
                    assert span._.labels == tuple(label for s, e, label in spans if (s, e) == (start, end))


def test_a_walk_reads_a_long_sentence_once(monkeypatch):
    """The cost of a walk by getters grows with the sentence, not with its square."""
    n = 600
    doc = Doc(Vocab(), words=["w"] * n)
    set_sentence_starts(doc, [0])
    doc.spans[SPANS_KEY] = [Span(doc, i, n, "X") for i in range(n - 1)]
    built = []
    build = sentence_trees.SentenceTree.__init__
    monkeypatch.setattr(sentence_trees.SentenceTree, "__init__", lambda self, *a: built.append(1) or build(self, *a))
    todo, seen = [doc[:]], 0
    while todo:
        span = todo.pop()
        seen += 1
        assert span._.parent is None or span._.parent.end == n
        assert span._.labels == (("X",) if len(span) > 1 else ())
        todo.extend(span._.children)
    assert seen == 2 * n - 1 and len(built) == 1
    assert all(token._.parent.end == n for token in doc) and len(built) == 1


def test_trees_of_deleted_docs_are_dropped(monkeypatch):
    monkeypatch.setattr(sentence_trees, "MAX_READ", 0)
    kept = sentence_trees._KEPT.docs
    kept.clear()
    for _ in range(3):
        doc = Doc(Vocab(), words=["a", "b"], sent_starts=[True, False])
        doc.spans[SPANS_KEY] = [Span(doc, 0, 2, "X")]
        assert doc[:]._.labels == ("X",)
    assert len(kept) == 1
    del doc
    gc.collect()
    assert not kept
    docs = []
    for _ in range(2 * sentence_trees.MAX_KEPT):
        docs.append(Doc(Vocab(), words=["a", "b"], sent_starts=[True, False]))
        docs[-1].spans[SPANS_KEY] = [Span(docs[-1], 0, 2, "X")]
        assert docs[-1][:]._.labels == ("X",)
    assert len(kept) == sentence_trees.MAX_KEPT


def test_threads(doc):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append([s._.labels for s in doc._.constituents])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[span._.labels for span in doc._.constituents]] * 4


# Strict getters


def test_strict_getters_raise(doc, strict):
    for name in ("labels", "parse_string", "parent", "tree"):
        with pytest.raises(NonConstituentException, match="the Span 0:2 is no constituent: 'Select the'"):
            getattr(doc[0:2]._, name)
        with pytest.raises(UnparsedDocError, match="no constituents"):
            getattr(Doc(Vocab(), words=["a"])[0]._, name)
    for name in ("constituents", "children"):
        generator = getattr(doc[0:2]._, name)  # benepar's raise when they begin, too
        with pytest.raises(NonConstituentException):
            next(generator)
    with pytest.raises(NonConstituentException, match=r"several sentences.*doc\._\.trees"):
        doc._.tree  # noqa: B018
    with pytest.raises(UnparsedDocError, match="no sentence boundaries"):
        unbounded = Doc(Vocab(), words=["a", "b"])
        unbounded.spans[SPANS_KEY] = []
        unbounded._.parse_string  # noqa: B018
    assert doc[0:5]._.labels == ("S",) and doc[0:5]._.parent is None
    assert list(map(flat, doc[0:2]._.trees)) == ["(VB Select)", "(DT the)"]
    assert doc[0:2]._.parse_method is None


def test_strictness_stays_until_it_is_changed(doc, strict):
    install_extensions()  # as every new lal_parser does
    with pytest.raises(NonConstituentException):
        doc[0:2]._.labels  # noqa: B018
    assert pickle.loads(pickle.dumps(Span.get_extension("labels")))[2].keywords == {"strict": True}
    install_extensions(strict=False)
    assert doc[0:2]._.labels == ()


def test_strictness_leaves_foreign_extensions_alone():
    Token.set_extension("tree", default="mine", force=True)
    try:
        install_extensions(strict=True)
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
    print(len(doc._.trees), doc[0:4]._.labels, [span.text for span in doc[1:3]._.children], doc[1]._.tree.label())
"""


def test_in_a_fresh_process(tmp_path):
    DocBin(docs=[make_doc()]).to_disk(tmp_path / "docs.spacy")
    command = [sys.executable, "-c", READ, str(tmp_path / "docs.spacy")]
    run = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "2 ('S',) ['the person', 'driving'] NP"


def test_a_parsed_text_has_them_all():
    nlp = English()
    doc = nlp("one two")
    doc[0].is_sent_start = True
    doc[1].is_sent_start = False
    doc.spans[SPANS_KEY] = [Span(doc, 0, 2, "NP")]
    for one, names in (
        (doc, "parse_string tree trees labels constituents"),
        (doc[:], "children parent"),
        (doc[0], "tree"),
    ):
        assert all(one.has_extension(name) for name in names.split())
    assert doc._.tree.label() == "NP"
