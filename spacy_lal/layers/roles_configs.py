"""Config blocks of the network of semantic roles. *Not* here: the torch modules."""

from dataclasses import dataclass
from typing import Literal, Optional, Union

from .input_configs import Block


@dataclass(frozen=True)
class RolesEncoderConfig(Block):
    """The layers of the network. Their width is `n_heads * head_width`.

    n_layers (int): Layers; 2 to 4 over a transformer, 6 to 8 without one.
    n_heads (int): Attention heads of a layer.
    head_width (int): Width of a head.
    ff_width (int): Hidden units of a layer's feed-forward network.
    timing (bool): Whether the timing signal is added to the input. Vectors of a
        transformer do not need it.
    dropout (float): Elementwise dropout on the input vectors, and on the outputs of
        attention and of the feed-forward network. Half of it is the dropout on
        attention weights and hidden units.
    """

    n_layers: int = 2
    n_heads: int = 8
    head_width: int = 16
    ff_width: int = 256
    timing: bool = False
    dropout: float = 0.2

    @property
    def hidden_width(self) -> int:
        """Width of positions."""
        return self.n_heads * self.head_width


HeadsSource = Literal["own", "doc", "none"]


@dataclass(frozen=True)
class SyntaxConfig(Block):
    """Where the heads come from that one attention head follows (Strubell et al. 2018,
    sections 2.2 and 2.3).

    heads (str): "own": scores of the network's own arcs. "doc": `token.head`, for
        example from `lal_parser`. "none": no syntax head. Training shows gold heads
        with both "own" and "doc", so a model trained with "own" can parse with "doc"; a
        model trained with "doc" has no arcs of its own.
    parse_layer (int): The layer after which arcs are scored, from 0.
    attention_layer (int): The layer whose last attention head follows the heads; above
        `parse_layer`.
    gold_heads_prob (float): The share of training sentences that show gold heads. The
        others show predicted ones.
    arc_width (int): Width of the features of arcs.
    deprel_width (int): Width of the features of deprels.
    dropout (float): Feature dropout on the input and the features of arcs and deprels.
    """

    heads: HeadsSource = "own"
    parse_layer: int = 0
    attention_layer: int = 1
    gold_heads_prob: float = 1.0
    arc_width: int = 128
    deprel_width: int = 64
    dropout: float = 0.1

    least = {"parse_layer": 0, "attention_layer": 0}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.heads != "none" and self.attention_layer <= self.parse_layer:
            raise ValueError(
                "attention_layer: expected a layer above parse_layer = "
                f"{self.parse_layer}, got {self.attention_layer}"
            )


@dataclass(frozen=True)
class PredicateScorerConfig(Block):
    """The scorer of predicates.

    layer (int): The layer after which it scores, from 0.
    hidden_width (int): Hidden units.
    dropout (float): Feature dropout on the inputs of both maps.
    with_tags (bool): Whether its labels are pairs of tag (`token.tag_`) and predicate,
        as in LISA; otherwise they are "no predicate" and "predicate".
    """

    layer: int = 0
    hidden_width: int = 128
    dropout: float = 0.1
    with_tags: bool = False

    least = {"layer": 0}


@dataclass(frozen=True)
class RoleScorerConfig(Block):
    """The scorer of role tags.

    predicate_width (int): Width of a predicate's vector.
    role_width (int): Width of a token's vector.
    dropout (float): Feature dropout: on the input per sentence, on both vectors per
    predicate."""

    predicate_width: int = 128
    role_width: int = 128
    dropout: float = 0.1


@dataclass(frozen=True)
class SpanRoleScorerConfig(Block):
    """The scorer of roles of ranges: constituents, words and subtrees of the Doc's
    parse.

    vectors_width (int): Width of a map of the vectors that come into the network. The
        scorer reads it beside the output of the layers.
    predicate_width (int): Width of a predicate's vector, from which rolesets are
        scored.
    hidden_width (int): Hidden units of a pair.
    n_rows (int): Rows of the table. A feature's hash chooses its row.
    word_attr (str): The word in features: "LEMMA", "NORM" or "LOWER".
    dropout (float): Elementwise dropout on words' and pairs' vectors.
    feature_dropout (float): The share of a pair's features that training leaves out.
        Parses of training data have fewer errors than others, so that no single feature
        should be relied on.
    """

    vectors_width: int = 256
    predicate_width: int = 192
    hidden_width: int = 256
    n_rows: int = 40000
    word_attr: Literal["LEMMA", "NORM", "LOWER"] = "NORM"
    dropout: float = 0.3
    feature_dropout: float = 0.3


@dataclass(frozen=True)
class RolesetScorerConfig(Block):
    """The scorer of rolesets. A component restricts the choice to the rolesets that a
    predicate's words can have.

    dropout (float): Elementwise dropout on the predicates' vectors.
    RAISES (ValueError): The rate is out of range.
    """

    dropout: float = 0.2


@dataclass(frozen=True)
class RolesSizes:
    """Sizes that come from data; 0 for none. The first `n_other_labels` predicate
    labels are not predicates."""

    vector_width: int
    n_tags: int
    n_predicate_labels: int = 2
    n_other_labels: int = 1
    n_rolesets: int = 0
    n_deprels: int = 0


@dataclass(frozen=True)
class RolesNetworkConfig:
    """See `models.roles.build_roles_model`.

    RAISES (ValueError): A part uses a layer that does not exist."""

    encoder: RolesEncoderConfig
    predicate_scorer: PredicateScorerConfig
    role_scorer: Union[RoleScorerConfig, SpanRoleScorerConfig]
    syntax: SyntaxConfig = SyntaxConfig(heads="none")
    roleset_scorer: Optional[RolesetScorerConfig] = None

    def __post_init__(self) -> None:
        used = {"predicate_scorer.layer": self.predicate_scorer.layer}
        if self.syntax.heads != "none":
            used["syntax.attention_layer"] = self.syntax.attention_layer
        for name, layer in used.items():
            if layer >= self.encoder.n_layers:
                raise ValueError(
                    f"{name}: expected a layer below n_layers = "
                    f"{self.encoder.n_layers}, got {layer}"
                )

    @property
    def with_spans(self) -> bool:
        """Whether roles of ranges are scored, not role tags."""
        return isinstance(self.role_scorer, SpanRoleScorerConfig)

    def check(self, sizes: RolesSizes) -> None:
        """Check the options against the sizes.

        RAISES (ValueError): The syntax head needs arcs of its own, and `n_deprels` is
            0."""
        if self.syntax.heads == "own" and not sizes.n_deprels:
            raise ValueError(
                'heads = "own" needs a network with arcs of its own, and this one has '
                "none: it was trained with "
                'heads = "doc", or its data has no heads'
            )
