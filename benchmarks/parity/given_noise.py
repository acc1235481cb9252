"""Dropout masks and noise that were recorded, in the place of random ones."""

import copy
import re
from typing import Dict, List, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from parity.vectors import UnreadableSetError
from spacy_lal.layers.basics import ElementDropout, FeatureDropout
from spacy_lal.layers.inputs import NetworkInputs
from spacy_lal.layers.parser_network import ParserNetwork

NOISE = "noise/"
TABLES = ("tags", "words")  # the reference's embeddings, in its order
EXTRAS = {"chars": "output_dropout", "char_concat": "dropout", "vectors": "dropout"}
# Their module -> ours; "{table}" and "{extra}" stand for a feature.
RULES: Tuple[Tuple[str, str], ...] = (
    (r"embedding\.emb_dropouts\.(\d+)", r"inputs.features.{table\1}.dropout"),
    (r"embedding\.extra_content_dropout", "{extra}"),
    (r"embedding\.timing_dropout", "inputs.position_dropout"),
    (r"embedding\.dropout", "inputs.dropout"),
    (
        r"encoder\.attn_(\d+)\.attention\.dropout",
        r"encoder.layers.\1.attention.weights.dropout",
    ),
    (
        r"encoder\.attn_(\d+)\.residual_dropout",
        r"encoder.layers.\1.attention.residual_dropout",
    ),
    (
        r"encoder\.ff_(\d+)\.(relu|residual)_dropout",
        r"encoder.layers.\1.feed_forward.\2_dropout",
    ),
    (r"char_encoder\.char_dropout", "inputs.features.chars.dropout"),
    (r".*elmo.*", "inputs.features.vectors.vector_dropout"),
)
CHAR_DROPOUT = "inputs.features.chars.dropout"


class GivenMasks(nn.Module):
    """Stands in for a dropout: each call takes the next of its masks, which are 0 or 1
    / (1 - rate)."""

    def __init__(self, masks: Sequence[Tensor]) -> None:
        super().__init__()
        self.masks, self.calls = list(masks), 0

    def forward(self, inputs: Tensor) -> Tensor:
        mask = self.masks[self.calls % len(self.masks)]
        self.calls += 1
        return inputs * mask

    def add(self, inputs: Tensor, residual: Tensor) -> Tensor:
        """As `FeatureDropout.add`."""
        return residual + self(inputs)


class EachToken(nn.Module):
    """Runs a character LSTM on one token after the other: the reference drops
    characters of each token by itself, ours of each distinct word."""

    PREFIX = "chars.encoder."  # of its parameters

    def __init__(self, encoder: nn.Module, masks: List[List[Tensor]]) -> None:
        super().__init__()
        self.encoder, self.masks = encoder, masks
        self.output_dropout = encoder.output_dropout
        encoder.output_dropout = FeatureDropout(0.0)

    def forward(self, inputs: NetworkInputs) -> Tensor:
        char_ids, char_lengths = inputs.char_ids, inputs.char_lengths
        width = 2 * self.encoder.lstm.hidden_size
        output = torch.zeros(*char_ids.shape[:2], width)
        for row, masks in enumerate(self.masks):
            for column, mask in enumerate(masks):
                length = int(char_lengths[row, column])
                self.encoder.dropout = GivenMasks([mask[:length]])
                ids = char_ids[row : row + 1, column : column + 1, :length]
                word = inputs._replace(
                    char_ids=ids, char_lengths=torch.tensor([[length]])
                )
                output[row, column] = self.encoder(word)[0, 0]
        return self.output_dropout(output)


def our_module(theirs: str, network: ParserNetwork) -> str:
    """The name of our dropout for one of theirs.

    RAISES (UnreadableSetError): There is none.
    """
    kinds = list(network.inputs.features)
    extras = [
        f"inputs.features.{kind}.{name}"
        for kind, name in EXTRAS.items()
        if kind in kinds
    ]
    for pattern, replacement in RULES:
        match = re.fullmatch(pattern, theirs)
        if match:
            ours = match.expand(replacement).replace(
                "{extra}", extras[0] if extras else "?"
            )
            for i, kind in enumerate(kind for kind in TABLES if kind in kinds):
                ours = ours.replace(f"{{table{i}}}", kind)
            return ours
    raise UnreadableSetError(f"the dropout {theirs!r} has no place in our network")


def with_given_masks(
    network: ParserNetwork,
    sentences: Sequence[Dict[str, np.ndarray]],
    rates: Dict[str, float],
) -> ParserNetwork:
    """A copy in training mode whose dropouts take recorded masks; the others drop
    nothing.

    sentences (Sequence[Dict[str, ndarray]]): The sentences of a batch, with their
        noise.
    rates (Dict[str, float]): Of the reference's dropouts, by name.
    """
    network = copy.deepcopy(network).train()
    for module in network.modules():
        if isinstance(module, (FeatureDropout, ElementDropout)):
            module.rate = 0.0
    names = sorted(key[len(NOISE) :] for key in sentences[0] if key.startswith(NOISE))
    masks: Dict[str, List[Tensor]] = {}
    seq_len = max(len(sentence["gold_label"]) + 1 for sentence in sentences)
    for name in names:  # "#0" comes before "#1"
        theirs = name.partition("#")[0]
        kept = [
            torch.from_numpy(one[NOISE + name].astype(np.float32))
            / (1.0 - rates[theirs])
            for one in sentences
        ]
        ours = our_module(theirs, network)
        if ours == CHAR_DROPOUT:
            features = network.inputs.features
            features["chars"] = EachToken(
                features["chars"], [list(mask) for mask in kept]
            )
        else:
            masks.setdefault(ours, []).append(_batched(kept, seq_len))
    for ours, given in masks.items():
        parent, _, attribute = ours.rpartition(".")
        setattr(network.get_submodule(parent), attribute, GivenMasks(given))
    return network


def _batched(masks: Sequence[Tensor], seq_len: int) -> Tensor:
    """Masks of sentences, padded with 1: of features, (batch, 1, width); of positions,
    (batch, seq_len, width); of weights, (batch, heads, seq_len, seq_len)."""
    if masks[0].dim() == 1:
        return torch.stack(list(masks))[:, None]
    shape = (
        (seq_len, masks[0].shape[1])
        if masks[0].dim() == 2
        else (len(masks[0]), seq_len, seq_len)
    )
    padded = torch.ones(len(masks), *shape)
    for row, mask in zip(padded, masks, strict=True):
        row[tuple(map(slice, mask.shape))] = mask
    return padded
