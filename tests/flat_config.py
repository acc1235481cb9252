"""A network described by flat options, as the hyperparameters of the authors' checkpoints are, and its blocks."""

from dataclasses import dataclass
from typing import Any, List, Literal, Optional

from spacy_lal.checkpoint.layers import (
    ConcatenatedInputsConfig,
    ReferenceBiaffineScorerConfig,
    ReferenceLabelAttentionConfig,
)
from spacy_lal.layers.configs import (
    BiaffineScorerConfig,
    EncoderConfig,
    FencepostsConfig,
    LabelAttentionConfig,
    ParserNetworkConfig,
    SelfAttentionLayerConfig,
    SpanScorerConfig,
)
from spacy_lal.layers.input_configs import CharLSTM, InputLayerConfig, Tags, Vectors, WordFeature, Words

FEED_FORWARDS = ("none", "joint", "split")


@dataclass(frozen=True)
class FlatConfig:
    """Flat options of a network, with their defaults. `compose` maps each to a documented option of a block."""

    use_tags: bool = False
    use_chars: bool = True
    char_width: int = 32
    max_word_length: int = 64
    concatenate_features: bool = False
    hidden_width: int = 256
    n_layers: int = 2
    n_attn_heads: int = 4
    attn_width: int = 64
    ff_width: int = 512
    factored: bool = True
    max_positions: int = 512
    label_attention: bool = True
    n_label_heads: Optional[int] = None
    label_attn_width: int = 32
    label_proj_width: int = 16
    label_own_projection: bool = False
    label_factored: bool = True
    label_feed_forward: Literal["none", "joint", "split"] = "none"
    label_residual_dropout: bool = False
    label_query_per_token: bool = False
    label_combine_as_self: bool = False
    label_ties: bool = False
    scale_label_blocks: bool = True
    scrambled_queries: bool = False
    whole_tokens: bool = False
    arcs_from_tokens: bool = False
    spans_from_tokens: bool = False
    span_hidden_width: int = 128
    span_own_projections: bool = False
    arc_hidden_width: int = 128
    deprel_hidden_width: int = 64
    deprel_given_head: bool = True
    attention_dropout: float = 0.2
    embedding_dropout: float = 0.2
    relu_dropout: float = 0.2
    residual_dropout: float = 0.2
    tag_dropout: float = 0.2
    position_dropout: float = 0.0
    char_dropout: float = 0.2
    biaffine_dropout: float = 0.33

    def compose(
        self,
        *,
        reads_vectors: bool,
        learned_boundaries: bool = True,
        word_dropout: Optional[float] = None,
    ) -> ParserNetworkConfig:
        """The equivalent blocks.

        reads_vectors (bool): Whether the network reads the vectors of a tok2vec.
        learned_boundaries (bool): Whether START and STOP have learned vectors.
        word_dropout (Optional[float]): Feature dropout of word embeddings; None for a network without them.
        RAISES (ValueError): The arguments make no network.
        """
        label_attention = self._label_attention() if self.label_attention else None
        biaffine = BiaffineScorerConfig if self.deprel_given_head else ReferenceBiaffineScorerConfig
        return ParserNetworkConfig(
            hidden_width=self.hidden_width,
            inputs=self._inputs(reads_vectors, learned_boundaries, word_dropout),
            encoder=EncoderConfig(self._layers()),
            label_attention=label_attention,
            fenceposts=FencepostsConfig(
                halves="first_second" if self.label_attention and self.label_combine_as_self else None,
                token_skip=self.whole_tokens,
                scale_label_blocks=self.scale_label_blocks,
            ),
            span_scorer=SpanScorerConfig(
                hidden_width=self.span_hidden_width,
                separate_endpoints=self.span_own_projections,
                from_tokens=self.spans_from_tokens,
                label_heads=self.label_attention and self.label_ties,
            ),
            biaffine_scorer=biaffine(
                arc_width=self.arc_hidden_width,
                deprel_width=self.deprel_hidden_width,
                from_tokens=self.arcs_from_tokens,
                dropout=self.biaffine_dropout,
            ),
        )

    def _inputs(self, reads_vectors: bool, learned_boundaries: bool, word_dropout: Optional[float]) -> InputLayerConfig:
        features: List[WordFeature] = [Tags(self.tag_dropout)] if self.use_tags else []
        if word_dropout is not None:
            features.append(Words(word_dropout))
        if self.use_chars:
            features.append(CharLSTM(self.char_width, self.max_word_length, self.char_dropout))
        if reads_vectors:
            features.append(Vectors(learned_boundaries))
        make = ConcatenatedInputsConfig if self.concatenate_features else InputLayerConfig
        return make(
            features=tuple(features),
            join="concat" if self.factored else "sum",
            max_positions=self.max_positions,
            position_dropout=self.position_dropout,
            dropout=self.embedding_dropout,
        )

    def _layers(self) -> tuple[SelfAttentionLayerConfig, ...]:
        if not self.n_layers:
            return ()
        return (
            SelfAttentionLayerConfig(
                repeat=self.n_layers,
                n_heads=self.n_attn_heads,
                attn_width=shared_width(self.attn_width, self.factored),
                ff_width=shared_width(self.ff_width, self.factored),
                factored=self.factored,
                attention_dropout=self.attention_dropout,
                relu_dropout=self.relu_dropout,
                residual_dropout=self.residual_dropout,
            ),
        )

    def _label_attention(self) -> LabelAttentionConfig:
        shared = self.label_feed_forward != "none"
        factored = self.factored and self.label_factored
        options: dict[str, Any] = {
            "n_heads": self.n_label_heads or None,
            "attn_width": shared_width(self.label_attn_width, factored),
            "proj_width": self.label_proj_width,
            "factored": factored,
            "per_head_projection": self.label_own_projection,
            "attention_dropout": self.attention_dropout,
            "residual_dropout": self.residual_dropout if self.label_residual_dropout else 0.0,
        }
        if not (shared or self.label_query_per_token or self.label_combine_as_self or self.scrambled_queries):
            return LabelAttentionConfig(**options)
        return ReferenceLabelAttentionConfig(
            **options,
            query_per_token=self.label_query_per_token,
            combine_as_self=self.label_combine_as_self,
            scrambled_queries=self.scrambled_queries,
            shared_feed_forward=self.label_feed_forward,
            shared_ff_width=self.ff_width,
            relu_dropout=self.relu_dropout,
            ff_residual_dropout=self.residual_dropout,
        )


def shared_width(width: Any, factored: bool) -> Any:
    """A width as its parts share it: the reference rounds down, and uses 32 of 33 factored features.

    RETURNS (Any): The width; one less if it is odd and greater than 2, and the features are factored.
    """
    return width - 1 if factored and isinstance(width, int) and width > 2 and width % 2 else width
