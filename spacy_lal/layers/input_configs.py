"""Config blocks: what all share, and those of the input layer. *Not* here: torch
modules, which `build` imports.

An error names the option, its value and what was expected.
"""

from dataclasses import dataclass, fields
from typing import ClassVar, Literal, Optional


class Block:
    """A config block, a frozen dataclass. It checks its numbers by their names. Types
    are the config system's.

    least (Dict[str, int]): The least value of some integers; 1 for the others.
    RAISES (ValueError): A rate is outside [0, 1), a weight is negative or not finite,
        or an integer is too small."""

    least: ClassVar[dict[str, int]] = {}

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            name = field.name
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                if field.type in (int, float):
                    raise ValueError(f"{name}: expected a number, got {value!r}")
                continue
            if name.endswith(("dropout", "smoothing")):
                fits = 0.0 <= value < 1.0
                expected = "a rate in [0, 1)"
            elif name.endswith("weight"):
                fits = 0.0 <= value < float("inf")
                expected = "a number of at least 0"
            else:
                least = self.least.get(name, 1) if isinstance(value, int) else 0
                fits = value >= least
                expected = f"a number of at least {least}"
            if not fits:
                raise ValueError(f"{name}: expected {expected}, got {value!r}")


def check_even(name: str, value: int, reason: str) -> None:
    """Check that an option is even.

    reason (str): Why it must be.
    RAISES (ValueError): `value` is odd."""
    if value % 2:
        raise ValueError(f"{name}: expected an even integer ({reason}), got {value}")


@dataclass(frozen=True)
class InputSizes:
    """Sizes of a network's inputs, which come from data, special ids included; 0 for
    none."""

    vector_width: int = 0
    n_tags: int = 0
    n_words: int = 0
    n_chars: int = 0


# Word features


class WordFeature(Block):
    """A kind of word features, a frozen dataclass. `inputs.FEATURES` has the module of
    each `kind`."""

    kind: ClassVar[str]


Alphabet = Literal["frequent", "codepoints"]


class CharFeature(WordFeature):
    """A word feature that reads `char_ids`. All such features of a network share one
    alphabet.

    alphabet (str): "frequent": the characters that the training data have at least
        twice; rarer ones share a vector, which is thereby trained. "codepoints": all
        characters below 256 if the training data have no other, else all below 512,
        else the characters of the training data (docs/explanation/parser.md,
        Inputs).
    """

    alphabet: Alphabet

    def letters_read(self, width: int) -> int:
        """The most letters of a word that are read, half of them from each end. width
        (int): Of the output."""
        raise NotImplementedError


@dataclass(frozen=True)
class Tags(WordFeature):
    """Embeddings of fine part-of-speech tags (`token.tag_`).

    dropout (float): Feature dropout.
    """

    kind = "tags"
    dropout: float = 0.2


@dataclass(frozen=True)
class Words(WordFeature):
    """Embeddings of the words of the training data (`token.text`). A word outside is
    the unknown word. In training, a word of count c is read as the unknown word with
    probability 1 / (1 + c), drawn for each token and pass, so that the unknown word is
    trained (docs/explanation/encoders.md).

    dropout (float): Feature dropout.
    """

    kind = "words"
    dropout: float = 0.4


@dataclass(frozen=True)
class CharLSTM(CharFeature):
    """A bidirectional LSTM over the characters of each word.

    char_width (int): Width of a character embedding.
    max_word_length (int): Characters to read of a word. The middle of a longer word is
        left out.
    dropout (float): Elementwise dropout on the character embeddings.
    output_dropout (float): Feature dropout on the vectors of words (Kitaev & Klein's
        morphological dropout).
    alphabet (str): See `CharFeature`.
    """

    kind = "chars"
    char_width: int = 32
    max_word_length: int = 64
    dropout: float = 0.2
    output_dropout: float = 0.0
    alphabet: Alphabet = "frequent"

    least = {"max_word_length": 2}

    def letters_read(self, width: int) -> int:
        """See `CharFeature`."""
        check_even(
            "the output width of CharLSTM", width, "half of it from each direction"
        )
        return self.max_word_length


@dataclass(frozen=True)
class CharConcat(CharFeature):
    """The embeddings of a word's first and last letters side by side, without any
    further layer.

    A word has N = width / char_width places: N / 2 for its first letters, N / 2 for its
    last letters, last one first.

    char_width (int): Width of a character embedding. It divides the width of the word
        features, an even number of times.
    dropout (float): Feature dropout on the result.
    alphabet (str): See `CharFeature`.
    """

    kind = "char_concat"
    char_width: int = 32
    dropout: float = 0.2
    alphabet: Alphabet = "frequent"

    def letters_read(self, width: int) -> int:
        """See `CharFeature`: N."""
        n_letters, n_left = divmod(width, self.char_width)
        if n_left or n_letters < 2 or n_letters % 2:
            raise ValueError(
                "char_width of CharConcat: expected a width that fits an even number "
                f"of times into the {width} "
                f"features of a word, got {self.char_width} "
                f"({width / self.char_width:g} times)"
            )
        return n_letters


@dataclass(frozen=True)
class Vectors(WordFeature):
    """The vectors of the model's `tok2vec`.

    learned_boundaries (bool): Whether START and STOP have learned vectors. An
        architecture sets it to fit its tok2vec.
    mix_layers (int): Layers that the tok2vec gives side by side, for instance
        `spacy-lal.JoinedTok2Vec.v1`: the network learns their average. 1: the vectors
        are read as they are.
    vector_dropout (float): Elementwise dropout on the vectors.
    dropout (float): Feature dropout on the projected vectors.
    """

    kind = "vectors"
    learned_boundaries: bool = True
    mix_layers: int = 1
    vector_dropout: float = 0.0
    dropout: float = 0.0


def make_vectors(
    mix_layers: int = 1, vector_dropout: float = 0.0, dropout: float = 0.0
) -> Vectors:
    """The vectors of the model's `tok2vec` as a word feature; see `Vectors`."""
    return Vectors(
        mix_layers=mix_layers, vector_dropout=vector_dropout, dropout=dropout
    )


# The input layer


@dataclass(frozen=True)
class InputLayerConfig(Block):
    """The word features of the input layer, and how they are combined with positions.

    features (Tuple[WordFeature, ...]): The kinds of word features. Their vectors are
        added.
    join (str): "concat": the first half of the features describes the word, the second
        half its position (Kitaev & Klein 2018, section 4.3). "sum": both are added.
    max_positions (int): Rows of the position table. A longer sentence begins again at
        the first row.
    position_dropout, dropout (float): Feature dropout on positions, and on the result
    before it is normalised.
    position_scale (Optional[float]): Standard deviation of fresh position vectors.
        None: 1 with "concat"; 0.02 with "sum", which suits vectors of a pretrained
        encoder. Kitaev & Klein add positions of scale 1.
    RAISES (ValueError): An option is out of range, features are missing, or two are of
        the same kind."""

    features: tuple[WordFeature, ...]
    join: Literal["concat", "sum"]
    max_positions: int
    position_dropout: float
    dropout: float
    position_scale: Optional[float] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        kinds = [feature.kind for feature in self.features]
        if not kinds or len(set(kinds)) < len(kinds):
            raise ValueError(
                "the input layer: expected word features, each kind once, got "
                f"{', '.join(kinds) or 'nothing to read'}"
            )
        alphabets = {feature.alphabet for feature in self.char_features}
        if len(alphabets) > 1:
            raise ValueError(
                "alphabet: expected the same of all word features, got "
                f"{', '.join(sorted(alphabets))}"
            )

    @property
    def char_features(self) -> list[CharFeature]:
        """The features that read characters."""
        return [kind for kind in self.features if isinstance(kind, CharFeature)]

    def reads(self, kind: str) -> bool:
        """Whether there is a feature of a kind."""
        return any(feature.kind == kind for feature in self.features)

    @property
    def alphabet(self) -> Optional[Alphabet]:
        """The alphabet of the word features that read characters; None without such
        features."""
        return next((feature.alphabet for feature in self.char_features), None)

    def letters_read(self, hidden_width: int) -> int:
        """The most letters of a word that a feature reads; 0 if none reads letters."""
        width = self.content_width(hidden_width)
        letters = [feature.letters_read(width) for feature in self.char_features]
        most = max(letters, default=0)
        for feature in self.char_features:
            if isinstance(feature, CharLSTM) and feature.max_word_length < most:
                raise ValueError(
                    f"max_word_length of CharLSTM: expected at least the {most} "
                    f"letters of CharConcat, got {feature.max_word_length}"
                )
        return most

    def content_width(self, hidden_width: int) -> int:
        """Width of the word features."""
        if self.join == "sum":
            return hidden_width
        check_even(
            "hidden_width", hidden_width, 'half of it for words with join = "concat"'
        )
        return hidden_width // 2


def make_input_layer(
    *features: WordFeature,
    join: Literal["concat", "sum"] = "concat",
    max_positions: int = 512,
    position_dropout: float = 0.0,
    dropout: float = 0.2,
    position_scale: Optional[float] = None,
) -> InputLayerConfig:
    """See `InputLayerConfig`. Each feature is a block `[....inputs.*.NAME]`; names are
    free, their order matters."""
    return InputLayerConfig(
        features, join, max_positions, position_dropout, dropout, position_scale
    )
