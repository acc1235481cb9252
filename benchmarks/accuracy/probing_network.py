"""The networks of the probing tasks: words and positions, our encoder, and a small head
for each task.

Pooling, which the paper does not tell, is the mean over real positions.
"""

from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import numpy
import torch
from parity.attention import recording
from torch import Tensor, nn

from accuracy.probing_tasks import Instance
from spacy_lal.layers.configs import (
    EncoderConfig,
    SelectorConfig,
    SelfAttentionLayerConfig,
)
from spacy_lal.layers.input_configs import InputLayerConfig, InputSizes, Words
from spacy_lal.layers.inputs import NetworkInputs

START, STOP, UNKNOWN = 0, 1, 2
N_HEADS = 4


class Batch(NamedTuple):
    """Sentences of a task. inputs (NetworkInputs): Ids. labels (Tensor): *Shape:*
    (batch,), or (batch, 2)."""

    inputs: NetworkInputs
    labels: Tensor


def word_ids(instances: Sequence[Instance], least: int = 2) -> Dict[str, int]:
    """The words that occur `least` times, and their ids after three special ones."""
    counts: Dict[str, int] = {}
    for one in instances:
        for word in one.words:
            counts[word] = counts.get(word, 0) + 1
    kept = sorted(word for word, n in counts.items() if n >= least)
    return {word: i for i, word in enumerate(kept, start=UNKNOWN + 1)}


def make_batch(
    instances: Sequence[Instance], words: Dict[str, int], classes: Sequence[Any]
) -> Batch:
    """Pad some instances. classes (Sequence[Any]): The labels by number; none for
    labels that are two places."""
    rows = [
        [START, *(words.get(word, UNKNOWN) for word in one.words), STOP]
        for one in instances
    ]
    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for row, one in zip(ids, rows, strict=True):
        row[: len(one)] = torch.tensor(one)
    numbers = {label: i for i, label in enumerate(classes)}
    labels = [numbers[one.label] if classes else one.label for one in instances]
    lengths = torch.tensor([len(one.words) for one in instances])
    return Batch(NetworkInputs(lengths, word_ids=ids), torch.tensor(labels))


class ProbingNetwork(nn.Module):
    """Words, an encoder of `n_layers` unfactored layers, and a head.

    selector (Dict[str, Any]): Options of the selector of one layer; empty for none.
    layer (int): The layer that has it.
    n_classes (int): Classes of the task; 0 for reordering, whose labels are two places.
    """

    def __init__(
        self,
        n_words: int,
        n_classes: int,
        width: int,
        n_layers: int,
        selector: Dict[str, Any],
        layer: int,
    ) -> None:
        super().__init__()
        inputs = InputLayerConfig((Words(dropout=0.1),), "sum", 64, 0.0, 0.1)
        self.inputs = inputs.build(width, InputSizes(n_words=n_words))
        options: Dict[str, Any] = {
            "n_heads": N_HEADS,
            "attn_width": width // N_HEADS,
            "ff_width": 4 * width,
        }
        options |= {
            "factored": False,
            "attention_dropout": 0.1,
            "relu_dropout": 0.1,
            "residual_dropout": 0.1,
        }
        chosen = {layer: SelectorConfig(**selector)} if selector else {}
        layers = [
            SelfAttentionLayerConfig(**options, selector=chosen.get(i))
            for i in range(n_layers)
        ]
        self.encoder = EncoderConfig(tuple(layers)).build(width)
        self.classifier = nn.Sequential()
        self.places = nn.Linear(width, 3 * width)
        self.original = nn.Linear(width, 1)
        if n_classes:
            sizes = [width, width, width]
            for size in sizes[1:]:
                self.classifier.extend([nn.Linear(width, size), nn.ReLU()])
            self.classifier.append(nn.Linear(width, n_classes))

    def encode(self, inputs: NetworkInputs) -> Tuple[Tensor, Tensor]:
        """Encoded positions, and which are words. *Shapes:* (batch, seq_len, width),
        (batch, seq_len)."""
        seq_len = int(inputs.lengths.max()) + 2
        places = torch.arange(seq_len)
        padding = places >= inputs.lengths[:, None] + 2
        is_word = (places > 0) & (places <= inputs.lengths[:, None])
        return self.encoder(self.inputs(inputs, seq_len), padding), is_word

    def forward(self, inputs: NetworkInputs) -> Tuple[Tensor, ...]:
        """Scores of the classes, *shape:* (batch, n_classes); or of the places of both
        labels, two of (batch, n)."""
        encoded, is_word = self.encode(inputs)
        if len(self.classifier):
            pooled = (encoded * is_word.unsqueeze(-1)).sum(1) / is_word.sum(
                1, keepdim=True
            )
            return (self.classifier(pooled),)
        r, s, t = self.places(encoded[:, 1:-1]).chunk(
            3, dim=-1
        )  # START and STOP are no places
        is_word = is_word[:, 1:-1]
        inserted = self.original(r.tanh()).squeeze(-1).masked_fill(~is_word, -torch.inf)
        centre = (inserted.softmax(-1).unsqueeze(-1) * t).sum(1, keepdim=True)
        original = ((s * centre).sum(-1) / t.shape[-1] ** 0.5).masked_fill(
            ~is_word, -torch.inf
        )
        return inserted, original


def loss_of(scores: Tuple[Tensor, ...], labels: Tensor) -> Tensor:
    """Cross-entropy, a mean over sentences; of two places their sum."""
    columns = labels.unbind(1) if labels.dim() == 2 else [labels]
    return sum(
        (
            nn.functional.cross_entropy(one, gold)
            for one, gold in zip(scores, columns, strict=True)
        ),
        labels.new_zeros(()),
    )


def train(
    network: ProbingNetwork,
    batches: List[Batch],
    epochs: int,
    learn_rate: float,
    seed: int,
) -> None:
    """Adam with linear warm-up and decay."""
    optimizer = torch.optim.Adam(
        network.parameters(), lr=learn_rate, betas=(0.9, 0.98), eps=1e-9
    )
    n_steps = epochs * len(batches)
    ramp = max(1, n_steps // 10)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda step: min((step + 1) / ramp, (n_steps - step) / max(1, n_steps - ramp)),
    )
    order = numpy.random.RandomState(seed)
    network.train()
    for _ in range(epochs):
        for i in order.permutation(len(batches)):
            optimizer.zero_grad()
            loss_of(network(batches[i].inputs), batches[i].labels).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
            optimizer.step()
            schedule.step()
    network.eval()


@torch.no_grad()
def predict(network: ProbingNetwork, batches: List[Batch]) -> Tensor:
    """The best labels. *Shape:* (n_instances, 1), or (n_instances, 2)."""
    found = []
    for batch in batches:
        found.append(
            torch.stack([one.argmax(-1) for one in network(batch.inputs)], dim=1)
        )
    return torch.cat(found)


@torch.no_grad()
def attention_of(
    network: ProbingNetwork, batches: List[Batch], layer: int
) -> List[numpy.ndarray]:
    """The weights of a layer in each sentence. *Shape of each:* (n_heads, n + 2, n +
    2)."""
    found = []
    module = network.encoder.layers[layer].attention
    for batch in batches:
        with recording([module]) as weights:
            network.encode(batch.inputs)
        for row, n in zip(
            weights[module].numpy(), batch.inputs.lengths.tolist(), strict=True
        ):
            found.append(row[:, : n + 2, : n + 2].copy())
    return found
