"""The input layer: word features, and how they meet positions (Kitaev & Klein 2018,
section 5.1)."""

import pytest
import torch

from spacy_lal.layers.input_configs import (
    CharConcat,
    CharLSTM,
    InputLayerConfig,
    InputSizes,
    Tags,
    Vectors,
    Words,
)
from spacy_lal.layers.inputs import (
    CharConcatEncoder,
    CharLSTMEncoder,
    NetworkInputs,
    VectorProjection,
    build_inputs,
)

OPTIONS = {"max_positions": 9, "position_dropout": 0.0, "dropout": 0.0}
SIZES = InputSizes(n_tags=5, n_words=9, n_chars=8, vector_width=3)


def inputs_config(*features, join="concat", make=InputLayerConfig):
    return make(features=features, join=join, **OPTIONS)


@pytest.mark.parametrize("join", ["concat", "sum"])
def test_features_are_added_up_and_joined_with_positions(join):
    layer = build_inputs(inputs_config(Tags(), Words(), join=join), 8, SIZES).eval()
    tag_ids, word_ids = torch.tensor([[0, 3, 4, 1]]), torch.tensor([[0, 7, 8, 1]])
    inputs = NetworkInputs(torch.tensor([2]), tag_ids=tag_ids, word_ids=word_ids)
    output = layer(inputs, layer.place(1, 4))
    content = layer.features["tags"].embedding(tag_ids) + layer.features[
        "words"
    ].embedding(word_ids)
    positions = layer.positions[:4][None]
    joined = (
        torch.cat([content, positions], dim=-1)
        if join == "concat"
        else content + positions
    )
    assert torch.allclose(output, layer.norm(joined), atol=1e-6)


@pytest.mark.parametrize("join, scale", [("concat", 1.0), ("sum", 0.02)])
def test_positions_that_are_added_start_small(join, scale):
    torch.manual_seed(0)
    layer = build_inputs(inputs_config(Tags(), join=join), 512, SIZES)
    assert layer.positions.std().item() == pytest.approx(scale, rel=0.1)


# Characters


@pytest.fixture
def lstm():
    torch.manual_seed(0)
    return CharLSTMEncoder(
        CharLSTM(char_width=5, dropout=0.0), 8, InputSizes(n_chars=20)
    )


def run(lstm, char_ids, char_lengths):
    return lstm(
        NetworkInputs(
            torch.zeros(len(char_ids)), char_ids=char_ids, char_lengths=char_lengths
        )
    )


def plain_word(lstm, ids):
    _, (states, _) = lstm.lstm(lstm.embedding(torch.tensor([ids])))
    return torch.cat([states[0, 0], states[1, 0]])


def test_each_word_as_if_alone(lstm):
    words = [
        [[2, 7, 8, 3], [2, 9, 3], []],
        [[2, 9, 3], [2, 4, 4, 4, 4, 3], [2, 7, 8, 3]],
    ]
    ids = torch.zeros(2, 3, 6, dtype=torch.long)
    for b, sentence in enumerate(words):
        for t, word in enumerate(sentence):
            ids[b, t, : len(word)] = torch.tensor(word, dtype=torch.long)
    output = run(
        lstm,
        ids,
        torch.tensor([[len(word) for word in sentence] for sentence in words]),
    )
    assert output.shape == (2, 3, 8)
    for b, sentence in enumerate(words):
        for t, word in enumerate(sentence):
            expected = plain_word(lstm, word) if word else torch.zeros(8)
            assert torch.allclose(output[b, t], expected, atol=1e-6)


LETTERS = InputSizes(n_chars=5 + 26)


def char_id(letter):
    return 5 + ord(letter) - ord("a")


def inputs_of(*sentences):
    """A padded batch of sentences: each word between its start and stop symbols."""
    rows = [
        [
            [2, 1, 1, 1, 3],
            *([2, *map(char_id, word), 3] for word in words),
            [2, 4, 4, 4, 3],
        ]
        for words in sentences
    ]
    longest, width = max(map(len, rows)), max(len(word) for row in rows for word in row)
    ids, lengths = (
        torch.zeros(len(rows), longest, width, dtype=torch.long),
        torch.zeros(len(rows), longest).long(),
    )
    for i, row in enumerate(rows):
        for j, word in enumerate(row):
            ids[i, j, : len(word)] = torch.tensor(word)
            lengths[i, j] = len(word)
    n_words = torch.tensor([len(words) for words in sentences])
    return NetworkInputs(n_words, char_ids=ids, char_lengths=lengths)


def encoder(n_letters, char_width=3):
    return CharConcatEncoder(
        CharConcat(char_width=char_width, dropout=0.0), n_letters * char_width, LETTERS
    )


@pytest.mark.parametrize(
    "word, expected",
    [
        ("abcdefgh", "abcdhgfe"),
        ("ab", "ab33ba22"),
        ("a", "a333a222"),
        ("abcdefghij", "abcdjihg"),
    ],
)
def test_the_letters_of_a_word(word, expected):
    """The examples of the specification, with N = 8."""
    ids = encoder(8).letter_ids(inputs_of([word]))
    assert ids.shape == (1, 3, 8)
    assert ids[0, 1].tolist() == [
        int(letter) if letter.isdigit() else char_id(letter) for letter in expected
    ]
    assert ids[0, 0].tolist() == [1] * 8 and ids[0, 2].tolist() == [4] * 8


def test_a_word_depends_on_its_first_and_last_letters_alone():
    layer = encoder(6)
    output = layer(inputs_of(["abcxdef", "abcyyyydef", "abcdef", "fedcba", "abdef"]))[
        0, 1:-1
    ]
    assert torch.equal(output[0], output[1]) and torch.equal(output[0], output[2])
    first, last = output.unflatten(-1, (2, -1)).unbind(1)
    assert torch.equal(first[3], last[2]) and torch.equal(
        last[3], first[2]
    )  # reversal exchanges the parts
    assert not torch.equal(output[0], output[4])


@pytest.mark.parametrize(
    "width, char_width, times",
    [(9, 3, "3"), (8, 16, "0.5"), (10, 4, "2.5"), (3, 3, "1")],
)
def test_an_odd_number_of_letters_is_refused(width, char_width, times):
    with pytest.raises(
        ValueError,
        match=(
            rf"char_width of CharConcat: expected .* {width} .*, got {char_width} "
            rf"\({times} "
        ),
    ):
        CharConcat(char_width=char_width).letters_read(width)


# Vectors


def build(width=4, vector_width=6, **options):
    torch.manual_seed(0)
    return VectorProjection(
        Vectors(**options), width, InputSizes(vector_width=vector_width)
    )


def vectors_of(vector_width=6):
    torch.manual_seed(1)
    rows = torch.randn(2, 5, vector_width)
    return NetworkInputs(torch.tensor([3, 2]), vectors=rows)


def test_the_mix_is_a_learned_softmax():
    layer, batch = build(mix_layers=2, learned_boundaries=False), vectors_of()
    with torch.no_grad():
        layer.mix.copy_(torch.tensor([0.0, 20.0]))
    assert torch.allclose(
        layer(batch), layer.projection(batch.vectors[..., 3:]), atol=1e-5
    )
    layer(batch).square().sum().backward()
    assert layer.mix.grad.abs().sum() > 0
