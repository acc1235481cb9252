"""`NetworkConfig`: the sizes and switches of a parser network, checked where they are set."""

from dataclasses import dataclass

LABEL_FEED_FORWARDS = ("none", "per_label", "joint", "split")


@dataclass(frozen=True)
class NetworkConfig:
    """Sizes and switches of a `ParserNetwork`.

    vector_width (int): Width of the external word vectors; 0 for none.
    n_tags (int): Size of the tag vocabulary, including START = 0, STOP = 1, UNK = 2; 0 for no tag embeddings.
    n_words (int): Size of the word vocabulary, with the same three first ids; 0 for no word embeddings.
    n_chars (int): Size of the character vocabulary; 0 for no character LSTM.
    char_width (int): Width of a character embedding.
    concatenate_features (bool): Put the kinds of word features side by side, instead of adding them up (the
        reference's `use_cat`).
    learned_boundaries (bool): Hold two learned vectors for START and STOP, for inputs that have none of their own.
    hidden_width (int): Width of the encoder.
    n_layers (int): Number of self-attention layers; label attention comes on top.
    n_attn_heads (int): Heads of self-attention.
    attn_width (int): Width of the query, key and value of one attention head.
    ff_width (int): Hidden units of a feed-forward layer.
    factored (bool): Keep content and position features apart.
    max_positions (int): Rows of the position table; a longer sentence begins again at the first.
    label_attention (bool): Whether there is a label attention layer.
    n_label_heads (int): Its number of heads.
    label_attn_width (int): Width of the query, key and value of one label head.
    label_proj_width (int): Width of a label head's block in the output.
    label_own_projection (bool): Give each label head a projection of its own of the token it is added to; otherwise, as
        in the paper, one projection to label_proj_width numbers serves all, and their blocks repeat each other.
    label_factored (bool): Keep content and position apart in label attention, if they are so elsewhere.
    label_feed_forward (str): After label attention: "none"; "per_label" (a small network on every label head's block);
        "joint" (one over all blocks); "split" (the reference's halves).
    label_ff_width (int): Hidden units of "per_label"; 0 for twice label_proj_width.
    label_residual_dropout (bool): Feature dropout on label heads before the residual.
    label_query_per_token (bool): Queries of label attention computed from tokens; otherwise learned vectors.
    label_combine_as_self (bool): Project all label heads together, as self-attention does.
    label_ties (bool): Add to a label's score what its own head says of the span, by its block alone (`head_ties.py`).
    scale_label_blocks (bool): Scale the scorers' input by hidden_width / (n_label_heads * label_proj_width), and their
        first weights by the inverse, so that Adam's steps do not grow with the number of label heads.
    scrambled_queries (bool): Reproduce the reference's batch effect (reference-parser.md T2).
    whole_tokens (bool): Also show the scorers all features of the tokens on either side of a fencepost, as they enter
        label attention. Otherwise all that they learn of a token passes through label_proj_width numbers.
    arcs_from_tokens (bool): Score arcs and deprels from the whole tokens alone: label blocks then speak of constituents
        only. Needs whole_tokens.
    span_hidden_width (int): Hidden units of the span scorer.
    span_own_projections (bool): Give the start and the end of a span projections of their own. Otherwise, as in the
        paper (Eq. 5), the span scorer reads f_end - f_start: what stands at both ends alike cancels out.
    arc_hidden_width (int): Hidden units of the arc scorer.
    deprel_hidden_width (int): Hidden units of the deprel scorer.
    n_labels (int): Constituent labels, including EMPTY and SUB_HEAD; 0 for no span scorer.
    n_deprels (int): Dependency labels; 0 for neither arcs nor deprels.
    deprel_given_head (bool): Score a deprel from dependent and head (Eq. 11); otherwise from the dependent alone, as
        the reference does.
    *_dropout (float): Rates in [0, 1).
    RAISES (ValueError): where a size or a combination of switches makes no network.
    """

    vector_width: int = 0
    n_tags: int = 0
    n_words: int = 0
    n_chars: int = 0
    char_width: int = 64
    concatenate_features: bool = False
    learned_boundaries: bool = True
    hidden_width: int = 256
    n_layers: int = 3
    n_attn_heads: int = 8
    attn_width: int = 32
    ff_width: int = 1024
    factored: bool = True
    max_positions: int = 300
    label_attention: bool = True
    n_label_heads: int = 0
    label_attn_width: int = 64
    label_proj_width: int = 32
    label_own_projection: bool = False
    label_factored: bool = True
    label_feed_forward: str = "none"
    label_ff_width: int = 0
    label_residual_dropout: bool = False
    label_query_per_token: bool = False
    label_combine_as_self: bool = False
    label_ties: bool = False
    scale_label_blocks: bool = False
    scrambled_queries: bool = False
    whole_tokens: bool = False
    arcs_from_tokens: bool = False
    span_hidden_width: int = 250
    span_own_projections: bool = False
    arc_hidden_width: int = 256
    deprel_hidden_width: int = 100
    n_labels: int = 0
    n_deprels: int = 0
    deprel_given_head: bool = True
    attention_dropout: float = 0.2
    embedding_dropout: float = 0.2
    relu_dropout: float = 0.2
    residual_dropout: float = 0.2
    tag_dropout: float = 0.2
    word_dropout: float = 0.4
    position_dropout: float = 0.0
    char_dropout: float = 0.2
    biaffine_dropout: float = 0.33

    def __post_init__(self) -> None:
        parts = 2 if self.factored else 1
        self._check_multiple("hidden_width", parts)
        for name in ("attn_width", "ff_width"):  # shared out among the parts, rounding down as the reference does
            self._check_at_least(name, parts)
        for name in ("n_attn_heads", "max_positions", "span_hidden_width", "arc_hidden_width", "deprel_hidden_width"):
            self._check_multiple(name, 1)
        if not (self.vector_width or self.n_tags or self.n_words or self.n_chars):
            raise ValueError("a network needs some input: vector_width, n_tags, n_words and n_chars are all 0")
        if self.n_labels and self.n_labels < 2:
            raise ValueError(f"n_labels includes EMPTY and SUB_HEAD, so it is 0 or at least 2, got {self.n_labels}")
        if self.arcs_from_tokens and not self.whole_tokens:
            raise ValueError("arcs_from_tokens needs whole_tokens: without them there are no tokens to score arcs from")
        if self.label_attention:
            self._check_label_attention()
        if self.label_feed_forward not in LABEL_FEED_FORWARDS:
            raise ValueError(f"label_feed_forward is one of {LABEL_FEED_FORWARDS}, got {self.label_feed_forward!r}")
        self.feature_widths  # noqa: B018  raises where the kinds of features do not fill the content half

    def _check_multiple(self, name: str, factor: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, int) or value < 1 or value % factor:
            kind = "a positive even number" if factor == 2 else "a positive integer"
            raise ValueError(f"{name} must be {kind}, got {value!r}")

    def _check_at_least(self, name: str, least: int) -> None:
        value = getattr(self, name)
        if not isinstance(value, int) or value < least:
            raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")

    def _check_label_attention(self) -> None:
        self._check_multiple("n_label_heads", 1)
        self._check_at_least("label_attn_width", 2 if self.factored and self.label_factored else 1)
        if self.label_combine_as_self:
            if self.label_feed_forward == "per_label":
                raise ValueError("label_combine_as_self leaves no label blocks for a feed-forward layer 'per_label'")
        elif self.label_proj_width < 2:
            raise ValueError(f"label_proj_width must be at least 2 (a half per direction), got {self.label_proj_width}")
        if self.label_ties and not self.has_label_blocks:
            raise ValueError("label_combine_as_self leaves no label blocks for label_ties")
        if self.label_ties and self.n_label_heads < self.n_labels - 2:  # the first two are no head's
            raise ValueError(
                f"label_ties needs a label head for each of {self.n_labels - 2} labels, got {self.n_label_heads} heads"
            )
        if self.label_feed_forward == "split" and self.encoded_width <= self.hidden_width // 2:
            raise ValueError(
                f"label_feed_forward 'split' needs more than hidden_width / 2 = {self.hidden_width // 2} features, "
                f"got n_label_heads * label_proj_width = {self.encoded_width}"
            )

    @property
    def content_width(self) -> int:
        """Width of the word features; the rest of `hidden_width` is positions, unless they are added to one another."""
        return self.hidden_width // 2 if self.factored else self.hidden_width

    @property
    def has_label_blocks(self) -> bool:
        """Whether the encoder ends in one block of features per label head."""
        return self.label_attention and not self.label_combine_as_self

    @property
    def encoded_width(self) -> int:
        """Width of the encoder's output."""
        return self.n_label_heads * self.label_proj_width if self.has_label_blocks else self.hidden_width

    @property
    def halves_width(self) -> int:
        """Width of a fencepost's two halves of encoded tokens; whole tokens leave nothing to say for halves of them."""
        return self.encoded_width if self.label_attention or not self.whole_tokens else 0

    @property
    def fencepost_width(self) -> int:
        """Width of a fencepost, which the span scorer reads."""
        return self.halves_width + (2 * self.hidden_width if self.whole_tokens else 0)

    @property
    def arc_input_width(self) -> int:
        """Width of what the biaffine scorer reads: the last features of a fencepost, or all of them."""
        return 2 * self.hidden_width if self.arcs_from_tokens else self.fencepost_width

    @property
    def fencepost_scale(self) -> float:
        """What the label blocks in the scorers' input are multiplied by."""
        scaled = self.scale_label_blocks and self.has_label_blocks
        return self.hidden_width / self.encoded_width if scaled else 1.0

    @property
    def feature_widths(self) -> "FeatureWidths":
        """Width of an embedding (tag or word) and of an extra (external vector, character LSTM) in the content half."""
        n_embeddings = (self.n_tags > 0) + (self.n_words > 0)
        n_extras = (self.vector_width > 0) + (self.n_chars > 0)
        if not self.concatenate_features:
            return FeatureWidths(self.content_width, self.content_width)
        # reference-parser.md 1.6: extras take half of the content features, embeddings share the other half
        extras = self.content_width if not n_embeddings else self.content_width // 2 if n_extras else 0
        embedding = (self.content_width - extras) // n_embeddings if n_embeddings else 0
        extra = extras // n_extras if n_extras else 0
        if embedding * n_embeddings + extra * n_extras != self.content_width:
            raise ValueError(
                f"{n_embeddings} embeddings and {n_extras} extra features cannot share {self.content_width} content "
                "features evenly; choose another hidden_width, or concatenate_features = false"
            )
        return FeatureWidths(embedding, extra)


@dataclass(frozen=True)
class FeatureWidths:
    """Widths of the kinds of word features. embedding (int): of a tag or word. extra (int): of a vector or LSTM."""

    embedding: int
    extra: int
