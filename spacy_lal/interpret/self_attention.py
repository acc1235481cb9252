"""Self-attention as data, layer by layer and head by head, and its limits at test time.

*Not* here: drawing, and statistics over treebanks (`attention_roles.py`, `attention_trees.py`).
"""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Collection, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union, overload

import numpy as np
import torch
from numpy import ndarray
from spacy.tokens import Doc, Span
from torch import Tensor

from ..layers.encoders.attention_limits import AttentionLimits, limited
from ..layers.encoders.attention_records import AttentionRecord, recording
from ..layers.encoders.self_attention import SelfAttention as SelfAttentionModule
from ..pipeline.lal_parser import LALParser
from .attention import START, STOP
from .sentences import Parser, Sentence, evaluation_mode, find_parser, network_of, read_sentences, sentences_of

WindowSizes = Union[None, int, Mapping[int, int]]


@dataclass(frozen=True)
class AttentionLayer:
    """One self-attention layer's attention in a sentence of n words.

    weights (ndarray): Shape: (n_heads, n + 2, n + 2), float32, [head, query, key]. Each row sums to 1; or to 0 where a
        selector with on_empty = "nothing" chooses no key, and in a sentence without words, which the network does not
        read.
    prob (Optional[ndarray]): The selector's probability of choosing each pair; None without a selector. Shape: as
        weights.
    choice (Optional[ndarray]): Whether the selector chooses each pair, outside of windows never; None without a
        selector. Shape: as weights, bool.
    """

    weights: ndarray
    prob: Optional[ndarray] = None
    choice: Optional[ndarray] = None


@dataclass(frozen=True)
class SelfAttention:
    """The self-attention of an encoder in a sentence.

    layers (Tuple[AttentionLayer, ...]): The layers with self-attention, in order.
    tokens (Tuple[str, ...]): Names of queries and keys: "<START>", the words, "<STOP>".
    """

    layers: Tuple[AttentionLayer, ...]
    tokens: Tuple[str, ...]

    def records(self) -> List[Dict[str, Any]]:
        """One dict for each layer, head, query and key: layer, head, query, key (positions; 0 is START), query_token,
        key_token, weight; with a selector also prob and choice."""
        found = []
        for number, layer in enumerate(self.layers):
            for (head, query, key), weight in np.ndenumerate(layer.weights):
                one = {"layer": number, "head": head, "query": query, "key": key, "weight": float(weight)}
                one.update(query_token=self.tokens[query], key_token=self.tokens[key])
                if layer.prob is not None and layer.choice is not None:
                    one.update(prob=float(layer.prob[head, query, key]), choice=bool(layer.choice[head, query, key]))
                found.append(one)
        return found


@overload
def self_attention(nlp: Parser, doc_or_span: Doc) -> List[SelfAttention]:
    """For a Doc, the attention of each sentence."""


@overload
def self_attention(nlp: Parser, doc_or_span: Span) -> SelfAttention:
    """For a Span, the attention of its sentence."""


def self_attention(nlp: Parser, doc_or_span: Union[Doc, Span]) -> Union[List[SelfAttention], SelfAttention]:
    """The self-attention in the sentences of a Doc, or in a Span's sentence. It runs the network again, with the limits
    of `attention_limits`, if any.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    doc_or_span (Union[Doc, Span]): A Doc or Span with sentence boundaries; it needs no parse.
    RETURNS (Union[List[SelfAttention], SelfAttention]): One for each sentence of a Doc; one for a Span.
    RAISES (ValueError): The model has no self-attention layer; the pipeline has no parser, or the parser was neither
        trained nor loaded; sentence boundaries are missing, or the Span crosses one.
    """
    sentences = sentences_of(nlp, doc_or_span)
    modules = [module for module in _attentions(find_parser(nlp)) if module is not None]
    read = [sentence for sentence in sentences if sentence.words]
    layers: Dict[int, Tuple[AttentionLayer, ...]] = {}
    for sentence, inputs in zip(read, read_sentences(read), strict=True):
        with torch.no_grad(), recording() as records:
            evaluation_mode(sentence.parser).encode(inputs)
        layers[sentence.number] = tuple(_layer(records[module]) for module in modules)
    nothing = tuple(_nothing(module) for module in modules)
    found = [_named(sentence, layers.get(sentence.number, nothing)) for sentence in sentences]
    return found[0] if isinstance(doc_or_span, Span) else found


@contextmanager
def attention_limits(
    nlp: Parser,
    *,
    content_off: Collection[int] = (),
    position_off: Collection[int] = (),
    window: WindowSizes = None,
    relaxed_window: bool = False,
) -> Iterator[None]:
    """In this block, and only in its thread, the parser's self-attention is limited (Kitaev & Klein 2018, section 4;
    reference-encoders.md A7, A8). The weights do not change, nothing is saved. Nested blocks: the inner one replaces
    the limits of the layers that it names.

    A generator of `nlp.pipe` must be used up within the block. Worker processes that are forked within it have the
    limits; others are refused.

    nlp (Union[Language, LALParser]): A pipeline with one `lal_parser`, or the component.
    content_off, position_off (Collection[int]): The layers, from 0, in whose logits that part does not count; both
        together make attention uniform. They must be factored, and have no selector.
    window (Union[None, int, Mapping[int, int]]): Positions at most so far apart attend to each other: in all layers, or
        by layer. 0 leaves each position itself. A window of the model holds as well.
    relaxed_window (bool): Exempt START, the first word, the last word and STOP.
    RAISES (ValueError): The model has no such self-attention layer, or the layer cannot be limited so; the message
        names it. `window` has another type. No parser is found, or it was neither trained nor loaded. In the block: the
        parser is trained, or copied.
    """
    parser = find_parser(nlp)
    modules = _attentions(parser)
    every = [number for number, module in enumerate(modules) if module is not None]
    windows = _windows(window, every)
    if relaxed_window and not windows:
        raise ValueError("relaxed_window = True requires a window: expected an integer, got window = None")
    limits: Dict[torch.nn.Module, AttentionLimits] = {}
    for number in sorted({*content_off, *position_off, *windows}):
        module = _checked(parser, modules, number)
        switches = {"content": number not in content_off, "position": number not in position_off}
        if not all(switches.values()):
            _check_parts(module, number)
        limits[module] = AttentionLimits(
            **switches, window=windows.get(number), relaxed_window=relaxed_window and number in windows
        )
    with limited(limits):
        yield


def _windows(window: WindowSizes, every: Sequence[int]) -> Dict[int, int]:
    if window is None:
        return {}
    if isinstance(window, Mapping):
        return dict(window)
    if isinstance(window, bool) or not isinstance(window, int):
        raise ValueError(f"window: expected None, an integer, or a mapping of layers to integers, got {window!r}")
    return dict.fromkeys(every, window)


def _attentions(parser: LALParser) -> Sequence[Optional[SelfAttentionModule]]:
    """The self-attention of each encoder layer.

    RAISES (ValueError): No layer has one.
    """
    modules = list(network_of(parser).encoder.attentions())
    if not any(module is not None for module in modules):
        raise ValueError(
            f"'{parser.name}' is a model without self-attention layers: its encoder has {len(modules)} layers"
        )
    return modules


def _checked(parser: LALParser, modules: Sequence[Optional[SelfAttentionModule]], number: int) -> SelfAttentionModule:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(modules):
        raise ValueError(f"layer of '{parser.name}': expected an integer from 0 to {len(modules) - 1}, got {number!r}")
    module = modules[number]
    if module is None:
        raise ValueError(f"layer {number} of '{parser.name}' has no self-attention that could be limited")
    return module


def _check_parts(module: SelfAttentionModule, number: int) -> None:
    if set(module.widths) != {"content", "position"}:
        raise ValueError(f"layer {number} has no content and position parts: expected a layer with factored = true")
    if module.selector is not None:
        raise ValueError(f"layer {number} has a selector, which reads both parts: expected a layer without selector")


def _layer(record: AttentionRecord) -> AttentionLayer:
    weights, prob, choice = (None if part is None else _array(part) for part in record)
    return AttentionLayer(np.asarray(weights), prob, None if choice is None else choice > 0.0)


def _array(tensor: Tensor) -> ndarray:
    return tensor[0].float().cpu().numpy()


def _nothing(module: SelfAttentionModule) -> AttentionLayer:
    """The attention in a sentence without words."""
    weights = np.zeros((module.n_heads, 2, 2), dtype="f4")
    if module.selector is None:
        return AttentionLayer(weights)
    return AttentionLayer(weights, weights.copy(), weights > 0.0)


def _named(sentence: Sentence, layers: Tuple[AttentionLayer, ...]) -> SelfAttention:
    words = [sentence.doc[i].text for i in sentence.words]
    return SelfAttention(layers, (START, *words, STOP))
