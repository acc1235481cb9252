"""Parsers of `LALParser.v1` whose encoder is given, trained for a moment on the two sentences of `tiny_pipeline`."""

from typing import Any, Dict, List

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from tiny_pipeline import SENTENCES, make_examples

LAYER: Dict[str, Any] = {
    "@misc": "spacy-lal.SelfAttentionLayer.v1",
    **{"repeat": 2, "n_heads": 2, "attn_width": 8, "ff_width": 16},
}
SELECTOR: Dict[str, Any] = {"@misc": "spacy-lal.Selector.v1"}
LAYERS: Dict[str, List[Dict[str, Any]]] = {
    "factored": [LAYER],
    "unfactored": [{**LAYER, "factored": False}],
    "window": [{**LAYER, "window": 2}],
    "relaxed": [{**LAYER, "window": 1, "relaxed_window": True}],
    "positions": [{**LAYER, "queries": "positions", "factored": False, "repeat": 1}, {**LAYER, "factored": False}],
    "selector": [{**LAYER, "selector": SELECTOR, "repeat": 1}, {**LAYER, "repeat": 1}],
    "selector_nothing": [{**LAYER, "selector": {**SELECTOR, "on_empty": "nothing"}, "window": 3}],
    "selector_soft": [{**LAYER, "selector": {**SELECTOR, "mode": "soft"}}],
}


def model_config(layers: List[Dict[str, Any]], join: str = "concat", **options: Any) -> Dict[str, Any]:
    """The model block of a parser without label attention. layers: Blocks of encoder layers."""
    return {
        "@architectures": "spacy-lal.LALParser.v1",
        "tok2vec": None,
        "hidden_width": 16,
        "inputs": {
            "@misc": "spacy-lal.InputLayer.v1",
            "join": join,
            "*": {"chars": {"@misc": "spacy-lal.CharLSTM.v1", "char_width": 8}},
        },
        "encoder": {"@misc": "spacy-lal.Encoder.v1", "*": {f"layer{i}": one for i, one in enumerate(layers)}},
        "label_attention": None,
        "span_scorer": {"@misc": "spacy-lal.SpanScorer.v1", "hidden_width": 12},
        "biaffine_scorer": {"@misc": "spacy-lal.BiaffineScorer.v1", "arc_width": 8, "deprel_width": 8},
        **options,
    }


def join_of(layers: List[Dict[str, Any]]) -> str:
    """How positions are joined for some layers."""
    return "sum" if any(layer.get("queries") == "positions" for layer in layers) else "concat"


def selective_nlp(layers: List[Dict[str, Any]], steps: int = 8, **options: Any) -> Language:
    """A pipeline of one parser. steps (int): Of training."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", config={"model": model_config(layers, join_of(layers), **options)})
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)
    return nlp


def gold_sentences(nlp: Language) -> List[Doc]:
    """The two sentences as Docs without a parse."""
    docs = [Doc(nlp.vocab, words=sentence["words"]) for sentence in SENTENCES]
    for doc in docs:
        doc[0].is_sent_start = True
        for token in doc[1:]:
            token.is_sent_start = False
    return docs
