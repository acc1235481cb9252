"""LISA's own network (Strubell et al. 2018, the authors' second program), for
comparisons with their tensors.

Its layers are ours. Only the departures of docs/explanation/roles.md stand here:
second constants, leaky logits of the joint task, padding columns of the arcs, special
values (LISA2), a trained table of words."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu, one_hot

from spacy_lal.layers.role_scorers import (
    HeadScorer,
    HeadScores,
    PredicateScorer,
    RoleScorer,
)
from spacy_lal.layers.roles_configs import (
    PredicateScorerConfig,
    RoleScorerConfig,
    RolesEncoderConfig,
    SyntaxConfig,
)
from spacy_lal.layers.roles_network import (
    SLOPE,
    RolesInput,
    RolesLayer,
    clamped_heads,
    layer_norm,
)

GIVEN = "parse_attention"
VALUES = {"pos_attention": "gold_pos", "parse_label_attention": "parse_label"}
TASKS = ("joint_pos_predicate", "parse_head", "parse_label", "srl")


class LeakyPredicateScorer(PredicateScorer):
    """The joint task: leaky ReLU on the logits, too (trap S7)."""

    def forward(self, positions: Tensor) -> Tensor:
        """*Shapes:* as `PredicateScorer`."""
        return leaky_relu(super().forward(positions), SLOPE)


class DoubleHeadScorer(HeadScorer):
    """Deprels with two constants on each side."""

    n_constants = 2


class DoubleRoleScorer(RoleScorer):
    """Roles with two constants on each side."""

    n_constants = 2


@dataclass(frozen=True)
class ReferenceRolesConfig:
    """The reference's sizes and the layer of each task and each attention.

    encoder (RolesEncoderConfig): The layers, with the timing signal and without
        dropout.
    layers (Mapping[str, int]): The layer of each task and attention, by the authors'
        names.
    sizes (Mapping[str, int]): `word_width`, `n_words`, `joint_width`, `arc_width`,
        `deprel_width`, `predicate_width`, `role_width`; labels `joint_pos_predicate`,
        `parse_label`, `srl`, `gold_pos`.
    joint_to_pos, joint_to_predicate (Tuple[int, ...]): The tag and the predicate label
    of each joint label."""

    encoder: RolesEncoderConfig
    layers: Mapping[str, int]
    sizes: Mapping[str, int]
    joint_to_pos: Tuple[int, ...] = field(default=())
    joint_to_predicate: Tuple[int, ...] = field(default=())


class ReferenceGold(NamedTuple):
    """Gold labels of a padded batch. *Shapes:* (batch_size, seq_len).

    heads (Tensor): From 0; a root is its own head.
    deprels, tags, predicates (Tensor): Label ids.
    """

    heads: Tensor
    deprels: Tensor
    tags: Tensor
    predicates: Tensor


class ReferenceOutput(NamedTuple):
    """Scores of a batch, with the reference's padding columns; None where the task is
    missing."""

    joint: Optional[Tensor]
    heads: Optional[HeadScores]
    deprels: Optional[Tensor]
    rows: Tensor
    tags: Tensor


def marginal(
    probabilities: Tensor, components: Tuple[int, ...], n_components: int
) -> Tensor:
    """Joint probabilities summed by component. *Shapes:* (..., n_labels) to (...,
    n_components)."""
    place = one_hot(torch.tensor(components, device=probabilities.device), n_components)
    return probabilities @ place.to(probabilities.dtype)


class ReferenceRoles(nn.Module):
    """LISA, by its plan of layers.

    config (ReferenceRolesConfig): Sizes and plan.
    """

    def __init__(self, config: ReferenceRolesConfig) -> None:
        super().__init__()
        self.config, plan, sizes = config, config.layers, config.sizes
        width = config.encoder.hidden_width
        self.words = nn.Embedding(
            sizes["n_words"] + 1, sizes["word_width"]
        )  # the last row is the unknown word
        self.inputs = RolesInput(config.encoder, sizes["word_width"])
        tasks = {plan[task] for task in TASKS if task in plan}
        self.n_layers = 1 + max(tasks)
        self.layers = nn.ModuleList(
            RolesLayer(
                config.encoder,
                int(plan.get(GIVEN) == i),
                len(self.values_at(i)),
            )
            for i in range(self.n_layers)
        )
        self.task_norms = nn.ModuleDict(
            {str(i): layer_norm(width) for i in sorted(tasks)}
        )
        if "joint_pos_predicate" in plan:
            self.joint = LeakyPredicateScorer(
                PredicateScorerConfig(hidden_width=sizes["joint_width"], dropout=0.0),
                width,
                sizes["joint_pos_predicate"],
            )
        if "parse_head" in plan:
            syntax = SyntaxConfig(
                arc_width=sizes["arc_width"],
                deprel_width=sizes["deprel_width"],
                dropout=0.0,
            )
            self.parse = DoubleHeadScorer(syntax, width, sizes.get("parse_label", 1))
        role_config = RoleScorerConfig(
            sizes["predicate_width"], sizes["role_width"], 0.0
        )
        self.roles = DoubleRoleScorer(role_config, width, sizes["srl"])
        head_width = config.encoder.head_width
        self.value_tables = nn.ModuleDict(
            {
                name: nn.Embedding(sizes[name], head_width)
                for key, name in VALUES.items()
                if key in plan
            }
        )

    def values_at(self, layer: int) -> List[str]:
        """The label tables whose rows are special values in a layer."""
        return [
            name for key, name in VALUES.items() if self.config.layers.get(key) == layer
        ]

    def forward(
        self,
        word_ids: Tensor,
        keep: Tensor,
        gold: ReferenceGold,
        gold_heads: bool = False,
    ) -> ReferenceOutput:
        """Score a batch, in training mode with gold annotation, otherwise with
        predictions.

        word_ids (Tensor): *Shape:* (batch_size, seq_len).
        keep (Tensor): 1 for words, 0 for padding. *Shape:* (batch_size, seq_len).
        gold (ReferenceGold): The gold annotation.
        gold_heads (bool): Whether the syntax head follows gold heads outside of
        training, too."""
        padding = keep < 0.5
        positions = self.inputs(self.words(word_ids))
        joint = heads = deprels = tags = None
        rows = torch.zeros(0, 2, dtype=torch.int64)
        plan = self.config.layers
        for i, layer in enumerate(self.layers):
            given: List[Tensor] = []
            if plan.get(GIVEN) == i and heads is not None:
                given = [
                    clamped_heads(gold.heads)
                    if self.training or gold_heads
                    else heads.arcs
                ]
            values = [
                self._values(name, gold, joint, deprels) for name in self.values_at(i)
            ]
            positions = layer(positions, padding, given, values)
            if str(i) in self.task_norms:
                positions = self.task_norms[str(i)](positions)
            if plan.get("joint_pos_predicate") == i:
                joint = self.joint(positions)
            if plan.get("parse_head") == i:
                heads = self.parse(positions)
            if plan.get("parse_label") == i and heads is not None:
                used = gold.heads if self.training else heads.arcs.argmax(-1)
                deprels = self.parse.score_deprels(heads.dependents, heads.heads, used)
            if plan.get("srl") == i:
                rows = (self._is_predicate(gold, joint) & ~padding).nonzero()
                tags = self.roles(positions, rows).tags
        if tags is None:
            raise ValueError(f"layers: expected a layer for 'srl', got {dict(plan)}")
        return ReferenceOutput(joint, heads, deprels, rows, tags)

    def _is_predicate(self, gold: ReferenceGold, joint: Optional[Tensor]) -> Tensor:
        if self.training or joint is None:
            return gold.predicates > 0
        components = self.config.joint_to_predicate
        return (
            marginal(joint.softmax(-1), components, 1 + max(components)).argmax(-1) > 0
        )

    def _values(
        self,
        name: str,
        gold: ReferenceGold,
        joint: Optional[Tensor],
        deprels: Optional[Tensor],
    ) -> Tensor:
        """The gold label's row in training, the expected row otherwise."""
        table: Any = self.value_tables[name]
        if self.training:
            return table(gold.tags if name == "gold_pos" else gold.deprels)
        scores = joint if name == "gold_pos" else deprels
        if scores is None:
            raise ValueError(
                f"layers: the values of {name!r} need its task in a lower layer"
            )
        probabilities = scores.softmax(-1)
        if name == "gold_pos":
            probabilities = marginal(
                probabilities, self.config.joint_to_pos, table.num_embeddings
            )
        return probabilities @ table.weight


def reference_parameters(network: ReferenceRoles) -> Dict[str, Tensor]:
    """Our parameters by the names of the golden vectors; the words' table is not among
    them. A matrix there acts from the right: it is the transpose of ours."""
    names: Dict[str, Tensor] = {}

    def add(name: str, parameter: Tensor, transposed: bool = False) -> None:
        names[name] = parameter.t() if transposed else parameter

    def add_linear(name: str, layer: nn.Module) -> None:
        add(f"{name}.W", layer.get_parameter("weight"), transposed=True)
        add(f"{name}.b", layer.get_parameter("bias"))

    def add_norm(name: str, layer: nn.Module) -> None:
        add(f"{name}.gamma", layer.get_parameter("weight"))
        add(f"{name}.beta", layer.get_parameter("bias"))

    add_linear("input", network.inputs.projection)
    for i, layer in enumerate(network.layers):
        for name, parameter in layer_parameters(layer).items():
            names[f"layer{i}.{name}"] = parameter
        if str(i) in network.task_norms:
            add_norm(f"layer{i}.task_norm", network.task_norms[str(i)])
    plan = network.config.layers
    if "joint_pos_predicate" in plan:
        add_linear("joint.hidden", network.joint.hidden)
        add_linear("joint.output", network.joint.output)
    if "parse_head" in plan:
        add_linear("parse.mlp", network.parse.projection)
        add("parse.arc.U", network.parse.arc_bilinear)
    if "parse_label" in plan:
        add("parse.deprel.U", network.parse.deprel_bilinear)
    add_linear("srl.mlp", network.roles.projection)
    add("srl.U", network.roles.bilinear)
    for name, table in network.value_tables.items():
        add(f"embedding.{name}", table.get_parameter("weight"))
    return names


def layer_parameters(layer: nn.Module) -> Dict[str, Tensor]:
    """The parameters of one transformer layer by the names of the golden vectors."""
    ours = dict(layer.named_parameters())
    names = {
        "attention_norm.gamma": ours["attention_norm.weight"],
        "attention_norm.beta": ours["attention_norm.bias"],
        "ff_norm.gamma": ours["ff_norm.weight"],
        "ff_norm.beta": ours["ff_norm.bias"],
        "attention.qkv": ours["attention.qkv.weight"].t(),
        "attention.out": ours["attention.output.weight"].t(),
    }
    for i in range(3):
        names[f"ff.W{i + 1}"] = ours[f"feed_forward.maps.{i}.weight"].t()
    return names
