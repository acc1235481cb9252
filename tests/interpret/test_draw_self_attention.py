"""`render(style="attention")` with a layer and head of the encoder."""

from xml.etree import ElementTree

import numpy as np
import pytest
from selective_parser import LAYERS, gold_sentences, selective_nlp
from spacy.tokens import Doc

from spacy_lal.display.markup import escape
from spacy_lal.display.svg import stand_alone
from spacy_lal.interpret import self_attention
from spacy_lal.render import render
from spacy_lal.render.self_attention import draw_maps


@pytest.fixture(scope="module")
def nlp():
    return selective_nlp(LAYERS["selector"], steps=1)


def pictures(html):
    return list(ElementTree.fromstring(f"<div>{html}</div>").iter("{http://www.w3.org/2000/svg}svg"))


def test_a_head_with_its_choices(nlp):
    doc = gold_sentences(nlp)[0]
    html = render(doc, style="attention", nlp=nlp, options={"layer": 0, "head": 1})
    (svg,) = pictures(html)
    assert svg.get("aria-label") == "Self-attention, layer 0, head 1"
    layer = self_attention(nlp, doc)[0].layers[0]
    assert html.count(", chosen<") == layer.choice[1].sum() > 0
    query, key = np.unravel_index(layer.weights[1].argmax(), layer.weights[1].shape)
    tokens = [escape(token) for token in self_attention(nlp, doc)[0].tokens]
    assert f"{tokens[query]} \u2192 {tokens[key]}: {layer.weights[1].max():.3g}" in html
    page = render(doc, style="attention", nlp=nlp, options={"head": 1}, page=True, jupyter=False)
    assert "Self-attention, layer 0, head 1" in page and page.startswith("<!DOCTYPE html>")


def test_means_and_layers_without_selector(nlp):
    doc = gold_sentences(nlp)[1]
    for options, title in (({"layer": 1}, "layer 1, mean of 2 heads"), ({"layer": 1, "head": 0}, "layer 1, head 0")):
        html = render(doc, style="attention", nlp=nlp, options=options)
        assert title in html and "chosen" not in html
    mean = self_attention(nlp, doc)[0].layers[1].weights.mean(0)[1, 2]
    assert f"Select \u2192 the: {mean:.3g}" in render(doc, style="attention", nlp=nlp, options={"layer": 1})


def test_one_picture_for_each_sentence_with_words(nlp):
    words = ["Go", "\n", "Stop", "!"]
    doc = Doc(nlp.vocab, words=words, sent_starts=[True, True, True, False])
    html = render(doc, style="attention", nlp=nlp, options={"layer": 0})
    assert len(pictures(html)) == 2
    assert len(pictures(render(list(doc.sents)[2], style="attention", nlp=nlp, options={"layer": 0}))) == 1
    assert stand_alone(draw_maps(doc, nlp), "dark").count("<svg") == 3


def test_a_file_of_its_own(nlp):
    docs = gold_sentences(nlp)[:2]
    options = {"layer": 0, "head": 1, "theme": "dark"}
    svg = render(docs, style="attention", format="svg", nlp=nlp, options=options)
    assert svg == stand_alone([picture for doc in docs for picture in draw_maps(doc, nlp, 0, 1)], "dark")
    assert svg.startswith("<svg ") and svg.count("Self-attention, layer 0, head 1") >= len(docs)
    with pytest.raises(ValueError, match="expected the option 'layer' or 'head', got no option"):
        render(docs, style="attention", format="svg", nlp=nlp)
    with pytest.raises(ValueError, match="'attention' asks the network again"):
        render(docs, style="attention", format="svg", options={"layer": 0})


@pytest.mark.parametrize(
    "options, message",
    [
        ({"layer": 2}, "layer of an attention map: expected an integer from 0 to 1, got 2"),
        ({"layer": -1}, "layer of an attention map: expected an integer from 0 to 1, got -1"),
        ({"head": 2}, "head of an attention map: expected an integer from 0 to 1, got 2"),
        ({"head": "1"}, "head of an attention map: expected an integer from 0 to 1, got '1'"),
    ],
)
def test_unknown_layers_and_heads_are_refused(nlp, options, message):
    with pytest.raises(ValueError, match=message):
        render(gold_sentences(nlp)[0], style="attention", nlp=nlp, options=options)


def test_the_pipeline_is_needed(nlp):
    with pytest.raises(ValueError, match="'attention' asks the network again"):
        render(gold_sentences(nlp)[0], style="attention", options={"layer": 0})
