"""Removing heads: with none removed, the parser's own parse; with some, what the network says without their weights."""

from itertools import combinations

import numpy as np
import pytest
import spacy
import torch
from interpret.tiny_parser import tiny_doc, tiny_nlp
from spacy.tokens import Doc

from spacy_lal.annotations import get_constituents
from spacy_lal.interpret import AblatedParser
from spacy_lal.interpret.sentences import network_of, score_sentence, sentences_of
from spacy_lal.layers.configs import FencepostLayout
from spacy_lal.layers.contributions import score_spans, span_vectors
from spacy_lal.pipeline.decoders import make_separate_decoder
from spacy_lal.trees import EMPTY

SHAPES = {
    "whole tokens": {"whole_tokens": True},
    "per label": {"label_feed_forward": "per_label"},
    "joint": {"label_feed_forward": "joint"},
    "query per token": {"label_query_per_token": True},
    "ties": {"whole_tokens": True, "label_ties": True},
    "arcs from tokens": {"whole_tokens": True, "arcs_from_tokens": True},
    "own projections": {"whole_tokens": True, "label_ties": True, "span_own_projections": True},
    "unscaled": {"scale_label_blocks": False, "label_proj_width": 5, "n_label_heads": 7},
}


def separate(nlp):
    """The same pipeline with another decoder."""
    nlp.get_pipe("lal_parser").decoder = make_separate_decoder()
    return nlp


@pytest.fixture(scope="module")
def ablated(nlp):
    """Both sentences in one Doc, a whitespace token within the first."""
    return AblatedParser(nlp, [tiny_doc(nlp, space_after=3)])


def all_spans(parser):
    """All spans of all sentences, each with some label."""
    labels = parser.labels[2:]
    return [
        (s, start, end, labels[(start + end) % len(labels)])
        for s, one in enumerate(parser.sentences)
        for start, end in combinations(range(len(one.words) + 1), 2)
    ]


def margin_by_hand(parser, span, scores):
    """Of a span with a label, given the scores of all labels. Nothing that spans the sentence is left empty."""
    s, start, end, label = span
    root = (start, end) == (0, len(parser.sentences[s].words))
    own = parser.labels.index(label)
    rivals = [score for other, score in enumerate(scores) if other != own and not (root and other == EMPTY)]
    return scores[own] - max(rivals)


def test_without_removal_it_is_the_parse(nlp, doc, ablated):
    assert [(one.doc, one.number, len(one.words)) for one in ablated.sentences] == [(0, 0, 8), (0, 1, 5)]
    assert ablated.sentences[0].words[:4] == ("She", "sees", "a", "dog")
    assert ablated.parse() == get_constituents(doc) and any(ablated.parse())
    assert ablated.sentences[0].attention.shape == (len(ablated.names), 10)
    assert ablated.sentences[0].attention.sum(1) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("decoder", ["joint", "separate"])
def test_without_removal_in_every_shape(name, decoder):
    nlp = tiny_nlp(0, **SHAPES[name])
    if decoder == "separate":
        separate(nlp)
    ablated = AblatedParser(nlp, [tiny_doc(nlp)])
    assert ablated.parse() == get_constituents(nlp(tiny_doc(nlp)))


def test_another_decoder(nlp):
    alone = AblatedParser(nlp, [tiny_doc(nlp)], decoder=make_separate_decoder())
    assert alone.parse() == get_constituents(separate(tiny_nlp())(tiny_doc(nlp)))


@pytest.mark.parametrize("name", ["plain", "whole tokens", "ties", "own projections", "unscaled"])
def test_a_removed_head_is_one_without_weights(name):
    nlp = tiny_nlp(8, **SHAPES.get(name, {}))
    heads = [0, 2]
    ablated = AblatedParser(nlp, [tiny_doc(nlp)])
    spans = all_spans(ablated)
    intact, without = ablated.margins(spans), ablated.margins(spans, heads)
    found = ablated.parse(heads)
    scorer = network_of(nlp.get_pipe("lal_parser")).span_scorer
    width = ablated.network.fenceposts.layout.block_width
    forward = width // 2
    first = ablated.network.n_label_heads * forward
    with torch.no_grad():
        for head in heads:
            backward = first + head * (width - forward)
            for weight in scorer.end_weights():
                weight[:, head * forward : (head + 1) * forward] = 0.0
                weight[:, backward : backward + width - forward] = 0.0
            if scorer.ties is not None:
                scorer.ties.weight[head] = 0.0
    changed = AblatedParser(nlp, [tiny_doc(nlp)])
    assert changed.parse() == found
    assert changed.margins(spans) == pytest.approx(without, abs=1e-5)
    assert np.abs(intact - without).max() > 1e-3
    charts = [score_sentence(sentence).labels for sentence in sentences_of(nlp, tiny_doc(nlp))]
    for span, margin in zip(spans, without, strict=True):
        s, start, end, _ = span
        assert margin == pytest.approx(margin_by_hand(ablated, span, charts[s][start, end].tolist()), abs=1e-4)


@pytest.mark.parametrize("name", ["plain", "ties", "own projections"])
def test_the_mean_of_all_spans_stands_in_a_heads_place(name, monkeypatch):
    nlp = tiny_nlp(**SHAPES.get(name, {}))
    ablated = AblatedParser(nlp, [tiny_doc(nlp)], fill="mean")
    vectors = torch.cat(
        [
            span_vectors(ablated.network, one.fenceposts, list(combinations(range(len(one.words) + 1), 2)))
            for one in ablated.sentences
        ]
    )
    columns = ablated.network.fenceposts.layout.block_columns([1])
    for one in vectors.chunk(ablated.network.span_scorer.n_projections, dim=1):
        one[:, columns] = one[:, columns].mean(0)
    scores = score_spans(ablated.network, vectors)
    spans = all_spans(ablated)
    for row, span, margin in zip(scores.tolist(), spans, ablated.margins(spans, [1]), strict=True):
        assert margin == pytest.approx(margin_by_hand(ablated, span, row), abs=1e-4)
    decoded, decode = [], ablated._decode
    monkeypatch.setattr(ablated, "_decode", lambda charts: decoded.extend(charts) or decode(charts))
    ablated.parse([1])
    best = {one.n_tokens: one.labels[..., 2] for one in decoded}  # of a label other than the empty one and a sub-head's
    for row, (s, start, end, _) in zip(scores[:, 2:].amax(1).tolist(), spans, strict=True):
        assert best[len(ablated.sentences[s].words)][start, end] == pytest.approx(row, abs=1e-4)


@pytest.mark.parametrize("name", ["plain", "ties"])
def test_parse_and_margins_remove_the_same(name):
    """Found by cky, a tree of one word bears its best label: that which beats all others."""
    nlp = tiny_nlp(**SHAPES.get(name, {}))
    for fill in ("zero", "mean"):
        docs = [Doc(nlp.vocab, words=[word], sent_starts=[True]) for word in ("She", "dog", "Select", "person")]
        ablated = AblatedParser(nlp, docs, fill=fill, decoder=make_separate_decoder())
        for heads in ([], [0], [1, 2], range(len(ablated.names))):
            best = []
            for i in range(len(docs)):
                spans = [(i, 0, 1, label) for label in ablated.labels[1:]]
                margins = ablated.margins(spans, heads).tolist()
                label = spans[1 + int(np.argmax(margins[1:]))][3]
                best.append([(0, 1, label)] if margins[0] <= max(margins[1:]) else [])
            assert ablated.parse(heads) == best


def test_heads_by_name(ablated):
    names = ablated.names[:2]
    assert ablated.head_numbers([names[1], 0, names[0]]) == [0, 1]
    assert ablated.parse(names) == ablated.parse([0, 1])
    assert ablated.head_numbers([]) == []


@pytest.mark.parametrize("head", [-1, 99, "NOPE"])
def test_no_such_head(ablated, head):
    with pytest.raises(ValueError, match=f"expected the number of a label head, 0 to .*, got {head!r}"):
        ablated.parse([head])


def test_no_such_label(ablated):
    with pytest.raises(ValueError, match="expected labels of 'lal_parser', got NOPE"):
        ablated.margins([(0, 0, 1, "NOPE")])
    assert ablated.margins([]).shape == (0,)


def test_docs_in_any_batches(nlp, ablated):
    docs = [
        tiny_doc(nlp, [1]),
        Doc(nlp.vocab),
        tiny_doc(nlp, [0, 1]),
        Doc(nlp.vocab, words=[" "], sent_starts=[True]),
        tiny_doc(nlp, [0]),
    ]
    before = [doc.to_bytes() for doc in docs]
    together, alone = AblatedParser(nlp, docs), AblatedParser(nlp, iter(docs), batch_size=1)
    assert [doc.to_bytes() for doc in docs] == before
    for parser in (together, alone):
        assert [(one.doc, one.number) for one in parser.sentences] == [(0, 0), (2, 0), (2, 1), (4, 0)]
        first, second = ablated.parse([0])
        assert parser.parse([0]) == [second, first, second, first]


def test_nothing_to_read(nlp):
    for docs in ([], [Doc(nlp.vocab)]):
        for fill in ("zero", "mean"):
            assert AblatedParser(nlp, docs, fill=fill).parse([0]) == []


def test_what_is_parsed_in_pieces_is_left_out():
    nlp = tiny_nlp(0)
    nlp.get_pipe("lal_parser").long_sentences.split_length = 6
    ablated = AblatedParser(nlp, [tiny_doc(nlp)])
    assert ablated.n_left_out == 1
    assert [(one.doc, one.number) for one in ablated.sentences] == [(0, 1)]
    assert len(ablated.parse()) == 1


def test_columns_are_those_of_both_halves():
    layout = FencepostLayout(n_blocks=3, block_width=5, n_label_heads=3)
    assert layout.block_columns([1]).tolist() == [2, 3, 9, 10, 11]
    assert sorted(layout.block_columns([0, 1, 2]).tolist()) == list(range(15))
    assert layout.block_columns([]).tolist() == []


@pytest.mark.parametrize(
    "model, message",
    [
        ({"label_attention": False}, "'lal_parser' is a model without label attention"),
        ({"label_combine_as_self": True}, "projects all label heads together"),
    ],
)
def test_models_without_blocks(model, message):
    with pytest.raises(ValueError, match=message):
        AblatedParser(tiny_nlp(0, **model), [])


def test_bad_arguments(nlp):
    with pytest.raises(ValueError, match="'zero' or 'mean', got 'median'"):
        AblatedParser(nlp, [], fill="median")
    with pytest.raises(ValueError, match="expected the decoder spacy-lal.joint_decoder.v1 or"):
        AblatedParser(nlp, [], decoder=lambda scores: [])
    with pytest.raises(ValueError, match="has no lal_parser"):
        AblatedParser(spacy.blank("en"), [])
    with pytest.raises(ValueError, match="no sentence boundaries"):
        AblatedParser(nlp, [Doc(nlp.vocab, words=["She", "sees"])])


def test_the_empty_label_is_no_rival_of_the_root():
    """With labels of less than nothing, what is within a sentence would rather be empty; the root can't be."""
    nlp = tiny_nlp()
    with torch.no_grad():
        network_of(nlp.get_pipe("lal_parser")).span_scorer.output.bias.fill_(-1000.0)
    ablated = AblatedParser(nlp, [tiny_doc(nlp)])
    n = len(ablated.sentences[0].words)
    root, inner = ablated.margins([(0, 0, n, "NP"), (0, 0, n - 1, "NP")])
    assert abs(root) < 500.0 and inner < -500.0
