"""Long sentences: the policies, cutting and joining, and the mark that tells which way a sentence was parsed."""

import pickle
import warnings

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from small_blocks import parser_block
from spacy.tokens import Doc, DocBin
from tiny_pipeline import make_bert, make_examples, parses, train
from tiny_pipeline import make_nlp as make_transformer_nlp

from spacy_lal.annotations import METHODS_KEY, SPANS_KEY
from spacy_lal.pipeline.decoders import DecodedParse, make_joint_decoder, make_separate_decoder
from spacy_lal.pipeline.long_sentences import (
    BoundaryVotes,
    LongSentences,
    choose_cuts,
    count_crossings,
    join_pieces,
)
from spacy_lal.scores import ParserScores
from spacy_lal.trees import LabelVocab, nested_spans

LABELS = LabelVocab(["S", "NP", "S::VP", "FRAG::NP::X"])
WORDS = "She sees a dog in the park . 😀 ( هذا -LRB- select".split()
SMALL = {"hidden_width": 16, "n_layers": 1, "n_attn_heads": 2, "attn_width": 8, "ff_width": 16}


def decoded(n, seed=0):
    """A joint parse of n words from random scores."""
    rng = np.random.default_rng(seed)
    labels = rng.normal(size=(n + 1, n + 1, len(LABELS))).astype("f4")
    labels[:, :, 0] = 0.0
    arcs, deprels = rng.normal(size=(n + 1, n + 1)).astype("f4"), rng.normal(size=(n + 1, n + 1, 3)).astype("f4")
    return make_joint_decoder()([ParserScores(labels, arcs, deprels)])[0]


def words_of(n):
    return [WORDS[(i * i + i // 7) % len(WORDS)] for i in range(n)]


def make_doc(nlp, *sentences):
    """A Doc of given sentences, each a list of words."""
    starts = [i == 0 for words in sentences for i in range(len(words))]
    return Doc(nlp.vocab, words=[word for words in sentences for word in words], sent_starts=starts)


def make_nlp(**config):
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    tok2vec = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        **{"width": 16, "depth": 1, "embed_size": 200, "window_size": 1, "maxout_pieces": 2},
        **{"subword_features": True, "pretrained_vectors": None},
    }
    nlp.add_pipe("lal_parser", config={"model": parser_block(tok2vec, max_batch_cells=5000, **SMALL), **config})
    return nlp


@pytest.fixture(scope="module")
def nlp():
    return train(make_nlp(), steps=20)


def with_policy(nlp, **config):
    return make_nlp(**config).from_bytes(nlp.to_bytes(exclude=["config"]))


def check_tree(doc, projective=True):
    """One root a sentence, no arc and no constituent across a sentence, none that cross, a top over all words."""
    for sent in doc.sents:
        words = [token.i for token in sent if not token.is_space]
        assert len([token for token in sent if token.head == token]) == 1
        assert all(token.head in sent and sent.root in [token, *token.ancestors] for token in sent)
        arcs = [sorted((words.index(i), words.index(doc[i].head.i))) for i in words if doc[i].head.i != i]
        if projective:
            assert not [(a, b) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]]
        spans = [
            (words.index(span.start), words.index(span.end - 1) + 1, span.label_)
            for span in doc.spans[SPANS_KEY]
            if sent.start <= span.start < sent.end
        ]
        assert nested_spans(spans, len(words)) == spans
        assert len(words) < 2 or spans[0][:2] == (0, len(words))
        assert not words or sent._.tree.leaves() == [doc[i].text for i in words]


# The pieces of the policy


def test_crossings_of_a_small_tree():
    spans = np.array([[0, 5, 2], [0, 4, 3], [1, 4, 2], [1, 3, 3], [3, 4, 3]], dtype="i4")
    parse = DecodedParse(spans, np.array([0, 3, 1, 3, 1], dtype="i4"), np.zeros(5, "i4"))
    # Arcs: the - person, person - Select, driving - person, . - Select.
    assert count_crossings(parse).tolist() == [0, 2 + 2, 4 + 3, 3 + 2, 1 + 1, 0]


@given(st.integers(1, 400), st.integers(2, 60), st.integers(0, 2**32 - 1))
def test_pieces_cover_a_sentence_and_none_is_too_long(n_words, limit, seed):
    crossings = np.random.default_rng(seed).integers(0, 4, n_words + 1)
    cuts = choose_cuts(crossings, limit)
    lengths = np.diff([0, *cuts, n_words])
    assert sum(lengths) == n_words and 0 < min(lengths) and max(lengths) <= limit
    assert bool(cuts) == (n_words > limit)
    assert all(length >= limit // 4 for length in lengths) or not cuts


def test_a_sentence_is_cut_where_least_crosses():
    crossings = np.full(31, 5)
    crossings[[3, 7, 14, 18]] = 1
    assert choose_cuts(crossings, 10) == [7, 14, 24]  # 3 and 18 are in the first half of what a piece may take


def test_windows_are_believed_in_their_middle():
    """Crossings are counted in the window that sees more words on either side; the sentence's ends are real ones."""
    flat = [DecodedParse(np.zeros((0, 3), "i4"), np.zeros(4, "i4"), np.zeros(4, "i4"))] * 3
    votes = BoundaryVotes(12)
    votes.count([4, 8], flat)
    assert votes.crossings.tolist() == [0] * 13
    votes.count([2, 6, 10], [decoded(n, seed=n)._replace(spans=np.array([[0, n, 2]])) for n in (2, 4, 4, 2)])
    assert [k for k in range(13) if votes.crossings[k]] == [4, 8]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=5), st.integers(0, 1000))
def test_joined_pieces_are_one_tree(lengths, seed):
    pieces = [decoded(n, seed + n) for n in lengths]
    joined = join_pieces(pieces, LABELS, {"ROOT": 0, "dep": 1, "parataxis": 2})
    n_words = sum(lengths)
    spans = [tuple(span) for span in joined.spans.tolist()]
    n_spans = sum(len(piece.spans) for piece in pieces)  # words by themselves may have none
    if n_spans:
        assert nested_spans(spans, n_words) == spans and spans[0][:2] == (0, n_words)
    assert len(spans) == n_spans + bool(n_spans)
    assert joined.method == "split" and len(joined.deprels) == n_words
    assert [array.dtype for array in joined[:3]] == [np.int32] * 3
    (root,) = np.flatnonzero(joined.heads == 0)
    assert root == np.flatnonzero(pieces[0].heads == 0)[0]
    arcs = [sorted((i, head - 1)) for i, head in enumerate(joined.heads.tolist()) if head]
    assert not [(a, b) for a in arcs for b in arcs if a[0] < b[0] < a[1] < b[1]]
    offset = lengths[0]
    for piece in pieces[1:]:
        (other,) = np.flatnonzero(piece.heads == 0) + offset
        assert joined.heads[other] == root + 1 and joined.deprels[other] == 2
        offset += len(piece.heads)


def test_the_label_of_the_top_and_the_deprel_of_the_other_roots():
    def piece(top):
        spans = np.array([[0, 2, top]] if top else np.zeros((0, 3)), dtype="i4")
        return DecodedParse(spans, np.array([0, 1], "i4"), np.array([0, 1], "i4"), "joint")

    def top(*tops):
        return join_pieces([piece(top) for top in tops], LABELS, {}).spans.tolist()[0]

    assert top(3, 2, 2) == [0, 6, 2]  # most have S
    assert top(4, 4, 3) == [0, 6, 2]  # S::VP: its outermost label
    assert top(5, 5, 3) == [0, 6, 3]  # FRAG is no label by itself
    assert top(5, 5) == [0, 4, 5]
    assert top(0, 0, 3) == [0, 6, 3]
    assert len(join_pieces([piece(0), piece(0)], LABELS, {}).spans) == 0
    for deprels, expected in (({"dep": 7}, 7), ({"dep": 7, "parataxis": 8}, 8), ({}, 0)):
        assert join_pieces([piece(2), piece(2)], LABELS, deprels).deprels.tolist() == [0, 1, expected, 1]


def test_limits_and_settings():
    joint, separate = make_joint_decoder(max_length=150), make_separate_decoder()
    assert LongSentences("split").limit(joint) == 150 and LongSentences("split").limit(separate) == 200
    assert LongSentences("joint").limit(joint) is None and LongSentences().limit(joint) == 500
    assert LongSentences().limit(make_joint_decoder(max_length=700)) == 700
    pieces = [LongSentences().piece_length(make_joint_decoder(max_length=n)) for n in (10, 150, 300, 700, None)]
    assert pieces == [200, 200, 300, 700, 200] and LongSentences("split").piece_length(joint) == 150
    for policy in ("joint", "separate", "split"):
        assert LongSentences(policy, 70).limit(joint) == LongSentences(policy, 70).piece_length(joint) == 70
    assert LongSentences("split").choose(separate) is separate
    assert LongSentences("joint").choose(joint).max_length is None and joint.max_length == 150
    with pytest.raises(ValueError, match="one of joint, separate, split, got 'cut'"):
        LongSentences("cut")
    with pytest.raises(ValueError, match="2 or more, got 1"):
        LongSentences("split", 1)
    with pytest.raises(ValueError, match="'joint' needs the decoder spacy-lal.joint_decoder.v1"):
        make_nlp(long_policy="joint", decoder={"@misc": "spacy-lal.separate_decoder.v1"})


# The component


@pytest.mark.parametrize("length", [1, 2, 7, 8, 9, 16, 17, 100, 301])
def test_split_at_any_length(nlp, length):
    split = with_policy(nlp, long_policy="split", split_length=8)
    words = words_of(length)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        docs = [split(make_doc(nlp, words, ["Go"], words)), split(make_doc(nlp, words))]
    for doc in docs:
        check_tree(doc)
    expected = "split" if length > 8 else "joint"
    assert [sent._.parse_method for sent in docs[0].sents] == [expected, "joint", expected]
    assert len([w for w in caught if "more than 8 words" in str(w.message)]) == (length > 8)


def test_the_tree_of_a_split_sentence(nlp):
    """A short sentence's parse does not depend on the policy; the pieces of a long one are parsed like sentences."""
    split = with_policy(nlp, long_policy="split", split_length=8)
    with pytest.warns(UserWarning, match="in pieces"):
        doc = split(make_doc(nlp, words_of(30), words_of(6)))
    whole = nlp(make_doc(nlp, words_of(30), words_of(6)))
    assert [t.head.i for t in doc[30:]] == [t.head.i for t in whole[30:]]
    children = list(next(doc.sents)._.children)
    again = nlp(make_doc(nlp, *([token.text for token in child] for child in children)))
    assert [child._.tree for child in children] == [sent._.tree for sent in again.sents]
    root = next(doc.sents).root
    for child, sent in zip(children, again.sents, strict=True):
        heads = [token.head.i if token.head.i != token.i else root.i for token in sent]
        assert [token.head.i for token in child] == heads


@pytest.mark.parametrize("spaces", [{0}, {5}, {0, 1, 8, 9, 10, 24}, set(range(25)), set(range(24))])
def test_whitespace_in_a_split_sentence(nlp, spaces):
    split = with_policy(nlp, long_policy="split", split_length=4)
    words = ["\n" if i in spaces else word for i, word in enumerate(words_of(25))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        doc = split(make_doc(nlp, words))
        dense = split(make_doc(nlp, [word for word in words if word != "\n"] or ["\n"]))
    check_tree(doc)
    assert (doc[:]._.parse_method is None) == (len(spaces) == 25)
    if len(spaces) < 25:  # vectors of this network see neighbouring tokens, so only the mark is the same
        assert doc[:]._.parse_method == dense[:]._.parse_method == ("split" if 25 - len(spaces) > 4 else "joint")


def test_the_policies(nlp):
    """Above the limit of the decoder: jointly all the same; separately, the default; in pieces."""
    decoder = {"@misc": "spacy-lal.joint_decoder.v1", "max_length": 10}
    found = {}
    for policy in ("joint", "separate", "split"):
        other = with_policy(nlp, long_policy=policy, decoder=decoder)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            docs = [other(make_doc(nlp, words_of(25), words_of(5))) for _ in range(2)]
        assert len([w for w in caught if "more than 10 words" in str(w.message)]) == (policy != "joint")
        for doc in docs:
            check_tree(doc)
            assert [sent._.parse_method for sent in doc.sents] == [policy, "joint"]
        found[policy] = parses(docs)
    assert found["joint"] == parses([nlp(make_doc(nlp, words_of(25), words_of(5)))] * 2)


def test_a_separate_decoder_and_crossing_arcs(nlp):
    decoder = {"@misc": "spacy-lal.separate_decoder.v1", "arcs": "mst"}
    other = with_policy(nlp, long_policy="split", split_length=9, decoder=decoder)
    with pytest.warns(UserWarning, match="more than 9 words"):
        doc = other(make_doc(nlp, words_of(50), words_of(5)))
    check_tree(doc, projective=False)
    assert [sent._.parse_method for sent in doc.sents] == ["split", "separate"]


def lengths_read(nlp, words, monkeypatch):
    """The length of each sentence or piece for which charts are made, and the parsed Doc."""
    seen = []
    parser = nlp.get_pipe("lal_parser")
    iter_scores = parser.model.attrs["iter_scores"]

    def spy(model, docs, **options):
        for indices, scores in iter_scores(model, docs, **options):
            seen.extend(one.n_tokens for one in scores)
            yield indices, scores

    with monkeypatch.context() as patch:
        patch.setitem(parser.model.attrs, "iter_scores", spy)
        doc = nlp(make_doc(nlp, words))
    return seen, doc


@pytest.mark.filterwarnings("ignore:a sentence has more than")
def test_the_work_for_each_word_is_bounded_by_default(nlp, monkeypatch):
    """CKY and Eisner take n^3 steps. A hostile sentence gets no more of them per word than 500 words do as a whole."""
    default = with_policy(nlp)
    for length, method in ((400, "separate"), (500, "separate"), (501, "split"), (2000, "split")):
        lengths, doc = lengths_read(default, [","] * length, monkeypatch)
        assert doc[:]._.parse_method == method and max(lengths) <= 500
        assert sum(n**3 for n in lengths) <= 500**2 * length
        assert sum(lengths) == (length if method == "separate" else 3 * length)
        assert method == "separate" or max(lengths) <= 200
    unbounded = with_policy(nlp, split_length=1_000_000)
    assert lengths_read(unbounded, [","] * 600, monkeypatch)[0] == [600]


def test_a_sentence_that_is_cut_by_default_is_told_once(nlp):
    default = with_policy(nlp, decoder={"@misc": "spacy-lal.separate_decoder.v1"})
    with pytest.warns(UserWarning, match="more than 500 words.*'separate', split_length") as caught:
        for _ in range(2):
            check_tree(default(make_doc(nlp, words_of(501), words_of(5))))
    assert len(caught) == 1


def test_only_the_pieces_reach_the_network(nlp, monkeypatch):
    """What bounds the memory: no chart is larger than a piece's. And the Doc has its sentences back."""
    split = with_policy(nlp, long_policy="split", split_length=12)
    parser = split.get_pipe("lal_parser")
    seen = []
    iter_scores = parser.model.attrs["iter_scores"]

    def spy(model, docs, **options):
        for indices, scores in iter_scores(model, docs, **options):
            seen.extend(one.n_tokens for one in scores)
            yield indices, scores

    monkeypatch.setitem(parser.model.attrs, "iter_scores", spy)
    docs = [make_doc(nlp, words_of(3), words_of(2000)), make_doc(nlp, words_of(4))]
    with pytest.warns(UserWarning, match="in pieces"):
        found = parser.predict(docs)
    assert max(seen) <= 12 and [len(parse.heads) for parse in found[0]] == [3, 2000]
    assert [sent.start for sent in docs[0].sents] == [0, 3] and not docs[0].has_annotation("DEP")


def test_an_error_leaves_the_sentences_as_they_were(nlp, monkeypatch):
    split = with_policy(nlp, long_policy="split", split_length=4)
    parser = split.get_pipe("lal_parser")
    doc = nlp(make_doc(nlp, words_of(9), words_of(3)))
    before = doc.to_bytes()

    def fail(model, docs, **options):
        raise RuntimeError("no network")

    monkeypatch.setitem(parser.model.attrs, "iter_scores", fail)
    with pytest.raises(RuntimeError, match="no network"), pytest.warns(UserWarning, match="in pieces"):
        parser.predict([doc])
    assert doc.to_bytes() == before


def test_a_network_of_trees_or_arcs_alone():
    for arcs in (True, False):
        nlp = make_nlp(long_policy="split", split_length=5)
        examples = make_examples(nlp)
        for eg in examples:
            if arcs:
                del eg.reference.spans[SPANS_KEY]
            else:
                starts = [1] + [-1] * (len(eg.reference) - 1)
                eg.reference.from_array(["HEAD", "DEP", "SENT_START"][:2], np.zeros((len(starts), 2), "u8"))
                eg.reference.from_array(["SENT_START"], np.array(starts).astype("u8"))
        nlp.initialize(lambda examples=examples: examples)
        with pytest.warns(UserWarning, match="in pieces"):
            doc = nlp(make_doc(nlp, words_of(23)))
        assert doc[:]._.parse_method == "split"
        assert (SPANS_KEY in doc.spans) != arcs and doc.has_annotation("DEP") == arcs
        assert not arcs or len([token for token in doc if token.head == token]) == 1


def test_vectors_of_a_transformer(tmp_path):
    """They are made for the whole Doc, once, and each piece takes its own."""
    nlp = train(make_transformer_nlp(make_bert(tmp_path / "bert")), steps=4)
    parser = nlp.get_pipe("lal_parser")
    parser.long_sentences = LongSentences("split", 16)
    with pytest.warns(UserWarning, match="in pieces"):
        doc = nlp(make_doc(nlp, words_of(100), words_of(10)))
    check_tree(doc)
    assert [sent._.parse_method for sent in doc.sents] == ["split", "joint"]


# The settings and the mark, stored


def test_the_policy_is_in_the_config(nlp, tmp_path):
    split = with_policy(nlp, long_policy="split", split_length=20)
    split.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.config["components"]["lal_parser"]["long_policy"] == "split"
    assert loaded.config["components"]["lal_parser"]["split_length"] == 20
    changed = spacy.load(
        tmp_path, config={"components": {"lal_parser": {"long_policy": "joint", "split_length": None}}}
    )
    words = words_of(50)
    with pytest.warns(UserWarning, match="more than 20 words"):
        docs = [pipeline(make_doc(pipeline, words)) for pipeline in (split, loaded, pickle.loads(pickle.dumps(split)))]
    assert parses(docs[:1]) * 2 == parses(docs[1:])
    assert changed(make_doc(changed, words))[:]._.parse_method == "joint"
    assert nlp.config["components"]["lal_parser"]["long_policy"] == "separate"


@pytest.mark.filterwarnings("ignore:a sentence has more than")
def test_the_mark_survives(nlp):
    split = with_policy(nlp, long_policy="split", split_length=8)
    doc = split(make_doc(nlp, ["Go"], words_of(30), [" "], words_of(8)))

    def marks(doc):
        return [sent._.parse_method for sent in doc.sents]

    assert marks(doc) == ["joint", "split", None, "joint"]
    copies = [
        Doc(doc.vocab).from_bytes(doc.to_bytes()),
        next(DocBin(docs=[doc], store_user_data=False).get_docs(spacy.blank("en").vocab)),
        pickle.loads(pickle.dumps(doc)),
        doc.copy(),
        *split.pipe([make_doc(nlp, ["Go"], words_of(30), [" "], words_of(8)) for _ in range(2)], n_process=2),
    ]
    for copy in copies:
        assert marks(copy) == marks(doc)
    assert marks(Doc.from_docs([doc, doc])) == marks(doc) * 2
    assert doc[3:5]._.parse_method == "split" and doc[0:2]._.parse_method is None
    assert marks(nlp(doc)) == ["joint", "joint", None, "joint"]  # parsed again


def test_no_mark_without_a_parse(nlp):
    doc = make_doc(nlp, words_of(5), words_of(3))
    assert [sent._.parse_method for sent in doc.sents] == [None, None]
    keeping = with_policy(nlp, overwrite=False)
    gold = make_examples(nlp)[0].reference
    keeping.get_pipe("lal_parser")(gold)
    assert gold[:]._.parse_method is None and METHODS_KEY not in gold.spans
