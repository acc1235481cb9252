"""Config blocks of the input layer: what is read of a word. *Not* here: the torch modules, which `build` imports."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, List, Literal, Optional, Tuple

from .checks import check_choice, check_count, check_even, check_flags, check_parts, check_rates


@dataclass(frozen=True)
class InputSizes:
    """Sizes of a network's inputs, which come from data.

    vector_width (int): Width of the external word vectors; 0 for none.
    n_tags (int): Tags, including START = 0, STOP = 1, UNK = 2; 0 for none.
    n_words (int): Words, with the same three first ids; 0 for none.
    n_chars (int): Characters, including five special ones; 0 for none.
    """

    vector_width: int = 0
    n_tags: int = 0
    n_words: int = 0
    n_chars: int = 0


class WordFeature(ABC):
    """A kind of word features and its options. Subclasses are frozen dataclasses.

    kind (str): Names the module in the network; an input layer has at most one feature of a kind.
    """

    kind: ClassVar[str]

    @abstractmethod
    def build(self, width: int, sizes: InputSizes) -> Any:
        """Build the torch module.

        width (int): Width of its output.
        sizes (InputSizes): Sizes of its inputs.
        RETURNS (Any): From `NetworkInputs` to a tensor. *Shape:* (batch_size, seq_len, width).
        RAISES (ValueError): The data lack these features.
        """


Alphabet = Literal["frequent", "codepoints"]


def check_alphabet(value: Any) -> None:
    """RAISES (ValueError): `value` is not an `Alphabet`."""
    check_choice("alphabet", value, ("frequent", "codepoints"))


class CharFeature(WordFeature):
    """A word feature that reads `char_ids`. All such features of a network share one alphabet.

    alphabet (str): "frequent": the characters that the training data have at least twice; rarer ones share a vector,
        which is thereby trained. "codepoints": all characters below 256 if the training data have no other, else all
        below 512, else the characters of the training data (Kitaev & Klein; reference-encoders.md A3).
    """

    alphabet: Alphabet

    @abstractmethod
    def letters_read(self, width: int) -> int:
        """The most letters of a word that this feature reads: of a longer word, half of them from each end.

        width (int): Width of its output.
        """


@dataclass(frozen=True)
class Tags(WordFeature):
    """Embeddings of fine part-of-speech tags (`token.tag_`).

    dropout (float): Feature dropout.
    """

    kind = "tags"
    dropout: float = 0.2

    def __post_init__(self) -> None:
        check_rates(dropout=self.dropout)

    def build(self, width: int, sizes: InputSizes) -> Any:
        """See `WordFeature`."""
        from .word_features.embeddings import Embedding

        check_count("n_tags", sizes.n_tags)
        return Embedding("tag_ids", sizes.n_tags, width, self.dropout)


@dataclass(frozen=True)
class Words(WordFeature):
    """Embeddings of the words of the training data (`token.text`). A word outside is the unknown word.

    dropout (float): Feature dropout.
    drop_rare (bool): In training, read a word of count c as the unknown word with probability 1 / (1 + c), drawn for
        each token and pass, so that the unknown word is trained (Kitaev & Klein 2018; reference-encoders.md A3).
    """

    kind = "words"
    dropout: float = 0.4
    drop_rare: bool = True

    def __post_init__(self) -> None:
        check_rates(dropout=self.dropout)
        check_flags(drop_rare=self.drop_rare)

    def build(self, width: int, sizes: InputSizes) -> Any:
        """See `WordFeature`."""
        from .word_features.embeddings import Embedding

        check_count("n_words", sizes.n_words)
        return Embedding("word_ids", sizes.n_words, width, self.dropout)


@dataclass(frozen=True)
class CharLSTM(CharFeature):
    """A bidirectional LSTM over the characters of each word.

    char_width (int): Width of a character embedding.
    max_word_length (int): Characters to read of a word. The middle of a longer word is left out.
    dropout (float): Elementwise dropout on the character embeddings.
    output_dropout (float): Feature dropout on the vectors of words (Kitaev & Klein's morphological dropout).
    alphabet (str): See `CharFeature`.
    RAISES (ValueError): An option is out of range.
    """

    kind = "chars"
    char_width: int = 32
    max_word_length: int = 64
    dropout: float = 0.2
    output_dropout: float = 0.0
    alphabet: Alphabet = "frequent"

    def __post_init__(self) -> None:
        check_alphabet(self.alphabet)
        check_count("char_width", self.char_width)
        check_count("max_word_length", self.max_word_length, 2)
        check_rates(dropout=self.dropout, output_dropout=self.output_dropout)

    def letters_read(self, width: int) -> int:
        """See `CharFeature`. RAISES (ValueError): The output width is odd."""
        check_even("the output width of CharLSTM", width, "half of it from each direction")
        return self.max_word_length

    def build(self, width: int, sizes: InputSizes) -> Any:
        """See `WordFeature`."""
        from .word_features.char_lstm import CharLSTMEncoder

        check_count("n_chars", sizes.n_chars)
        return CharLSTMEncoder(sizes.n_chars, self.char_width, width, self.dropout, self.output_dropout)


@dataclass(frozen=True)
class CharConcat(CharFeature):
    """The embeddings of a word's first and last letters side by side, without any further layer.

    A word has N = width / char_width places: N / 2 for its first letters, N / 2 for its last letters, last one first.

    char_width (int): Width of a character embedding. It divides the width of the word features, an even number of
        times.
    dropout (float): Feature dropout on the result.
    alphabet (str): See `CharFeature`.
    RAISES (ValueError): An option is out of range.
    """

    kind = "char_concat"
    char_width: int = 32
    dropout: float = 0.2
    alphabet: Alphabet = "frequent"

    def __post_init__(self) -> None:
        check_alphabet(self.alphabet)
        check_count("char_width", self.char_width)
        check_rates(dropout=self.dropout)

    def letters_read(self, width: int) -> int:
        """See `CharFeature`: N.

        RAISES (ValueError): N is not an even number.
        """
        n_letters, rest = divmod(width, self.char_width)
        if rest or n_letters < 2 or n_letters % 2:
            raise ValueError(
                f"char_width of CharConcat: expected a width that fits an even number of times into the {width} "
                f"features of a word, got {self.char_width} ({width / self.char_width:g} times)"
            )
        return n_letters

    def build(self, width: int, sizes: InputSizes) -> Any:
        """See `WordFeature`."""
        from .word_features.char_concat import CharConcatEncoder

        check_count("n_chars", sizes.n_chars)
        return CharConcatEncoder(sizes.n_chars, self.char_width, self.letters_read(width), self.dropout)


@dataclass(frozen=True)
class Vectors(WordFeature):
    """The vectors of the model's `tok2vec`.

    learned_boundaries (bool): See `VectorProjection`. An architecture sets it to fit its tok2vec.
    mix_layers (int): Layers that the tok2vec gives side by side, for instance `spacy-lal.JoinedTok2Vec.v1`: the network
        learns their average. 1: the vectors are read as they are.
    vector_dropout (float): Elementwise dropout on the vectors.
    dropout (float): Feature dropout on the projected vectors.
    RAISES (ValueError): An option is out of range.
    """

    kind = "vectors"
    learned_boundaries: bool = True
    mix_layers: int = 1
    vector_dropout: float = 0.0
    dropout: float = 0.0

    def __post_init__(self) -> None:
        check_flags(learned_boundaries=self.learned_boundaries)
        check_count("mix_layers", self.mix_layers)
        check_rates(vector_dropout=self.vector_dropout, dropout=self.dropout)

    def build(self, width: int, sizes: InputSizes) -> Any:
        """See `WordFeature`."""
        from .word_features.vectors import VectorProjection

        check_count("vector_width", sizes.vector_width)
        return VectorProjection(
            sizes.vector_width, width, self.learned_boundaries, self.mix_layers, self.vector_dropout, self.dropout
        )


@dataclass(frozen=True)
class InputLayerConfig:
    """The word features of the input layer, and how they are combined with positions.

    features (Tuple[WordFeature, ...]): The kinds of word features. Their vectors are added.
    join (str): "concat": the first half of the features describes the word, the second half its position (Kitaev &
        Klein 2018, section 4.3). "sum": both are added.
    max_positions (int): Rows of the position table. A longer sentence begins again at the first row.
    position_dropout, dropout (float): Feature dropout on positions, and on the result before it is normalised.
    position_scale (Optional[float]): Standard deviation of fresh position vectors. None: 1 with "concat"; 0.02 with
        "sum", which suits vectors of a pretrained encoder. Kitaev & Klein add positions of scale 1.
    RAISES (ValueError): An option is out of range, features are missing, or two are of the same kind.
    """

    features: Tuple[WordFeature, ...]
    join: Literal["concat", "sum"]
    max_positions: int
    position_dropout: float
    dropout: float
    position_scale: Optional[float] = None

    def __post_init__(self) -> None:
        check_parts("features", self.features, WordFeature)
        check_choice("join", self.join, ("concat", "sum"))
        check_count("max_positions", self.max_positions)
        check_rates(position_dropout=self.position_dropout, dropout=self.dropout)
        scale = self.position_scale
        if scale is not None and not (isinstance(scale, (int, float)) and math.isfinite(scale) and scale > 0):
            raise ValueError(f"position_scale: expected a positive number, or null, got {scale!r}")
        kinds = [feature.kind for feature in self.features]
        if not kinds:
            raise ValueError("the input layer has nothing to read: expected at least one word feature")
        if len(set(kinds)) < len(kinds):
            raise ValueError(f"the input layer reads each kind of word features once, got {', '.join(kinds)}")
        alphabets = {feature.alphabet for feature in self.features if isinstance(feature, CharFeature)}
        if len(alphabets) > 1:
            raise ValueError(f"alphabet: expected the same of all word features, got {', '.join(sorted(alphabets))}")

    @property
    def alphabet(self) -> Optional[Alphabet]:
        """The alphabet of the word features that read characters; None without such features."""
        return next((feature.alphabet for feature in self.features if isinstance(feature, CharFeature)), None)

    def letters_read(self, hidden_width: int) -> int:
        """The most letters of a word that a feature reads; 0 if none reads letters.

        RAISES (ValueError): Another feature must read more letters than a `max_word_length`.
        """
        widths = self.feature_widths(self.content_width(hidden_width))
        pairs = zip(self.features, widths, strict=True)
        letters = {feature: feature.letters_read(width) for feature, width in pairs if isinstance(feature, CharFeature)}
        most = max(letters.values(), default=0)
        for feature, n_letters in letters.items():
            if isinstance(feature, CharLSTM) and n_letters < most:
                raise ValueError(
                    f"max_word_length of CharLSTM: expected at least the {most} letters of CharConcat, got {n_letters}"
                )
        return most

    def content_width(self, hidden_width: int) -> int:
        """Width of the word features.

        RAISES (ValueError): `join` is "concat" and the hidden width is odd.
        """
        if self.join == "sum":
            return hidden_width
        check_even("hidden_width", hidden_width, 'half of it for words with join = "concat"')
        return hidden_width // 2

    def feature_widths(self, content_width: int) -> List[int]:
        """Width of each kind of word features."""
        return [content_width] * len(self.features)

    def build(self, hidden_width: int, sizes: InputSizes) -> Any:
        """Build the layer, whose output has a width of `hidden_width`."""
        from .input_layer import InputLayer

        return InputLayer(self, hidden_width, sizes)


def make_input_layer(
    *features: WordFeature,
    join: Literal["concat", "sum"] = "concat",
    max_positions: int = 512,
    position_dropout: float = 0.0,
    dropout: float = 0.2,
    position_scale: Optional[float] = None,
) -> InputLayerConfig:
    """See `InputLayerConfig`. Each feature is a block `[....inputs.*.NAME]`; names are free, their order matters."""
    return InputLayerConfig(features, join, max_positions, position_dropout, dropout, position_scale)


def make_vectors(mix_layers: int = 1, vector_dropout: float = 0.0, dropout: float = 0.0) -> Vectors:
    """The vectors of the model's `tok2vec` as a word feature; see `Vectors`."""
    return Vectors(mix_layers=mix_layers, vector_dropout=vector_dropout, dropout=dropout)
