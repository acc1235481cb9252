"""CharConcat: which letters of a word it reads, and what it refuses (reference-encoders.md A3 and D8)."""

import pytest
import torch

from spacy_lal.layers.input_configs import CharConcat, InputSizes
from spacy_lal.layers.inputs import NetworkInputs

SIZES = InputSizes(n_chars=5 + 26)


def char_id(letter):
    return 5 + ord(letter) - ord("a")


def inputs_of(*sentences, with_lengths=True):
    """A padded batch of sentences: each word between its start and stop symbols."""
    rows = [[[2, 1, 1, 1, 3], *([2, *map(char_id, word), 3] for word in words), [2, 4, 4, 4, 3]] for words in sentences]
    longest, width = max(map(len, rows)), max(len(word) for row in rows for word in row)
    ids, lengths = torch.zeros(len(rows), longest, width, dtype=torch.long), torch.zeros(len(rows), longest).long()
    for i, row in enumerate(rows):
        for j, word in enumerate(row):
            ids[i, j, : len(word)] = torch.tensor(word)
            lengths[i, j] = len(word)
    n_words = torch.tensor([len(words) for words in sentences])
    return NetworkInputs(n_words, char_ids=ids, char_lengths=lengths if with_lengths else None)


def encoder(n_letters, char_width=3):
    return CharConcat(char_width=char_width, dropout=0.0).build(n_letters * char_width, SIZES)


@pytest.mark.parametrize("with_lengths", [True, False])
@pytest.mark.parametrize(
    "word, expected", [("abcdefgh", "abcdhgfe"), ("ab", "ab33ba22"), ("a", "a333a222"), ("abcdefghij", "abcdjihg")]
)
def test_the_letters_of_a_word(word, expected, with_lengths):
    """The examples of the specification, with N = 8."""
    ids = encoder(8).letter_ids(inputs_of([word], with_lengths=with_lengths))
    assert ids.shape == (1, 3, 8)
    assert ids[0, 1].tolist() == [int(letter) if letter.isdigit() else char_id(letter) for letter in expected]
    assert ids[0, 0].tolist() == [1] * 8 and ids[0, 2].tolist() == [4] * 8


def test_a_word_depends_on_its_first_and_last_letters_alone():
    layer = encoder(6)
    output = layer(inputs_of(["abcxdef", "abcyyyydef", "abcdef", "fedcba", "abdef"]))[0, 1:-1]
    assert torch.equal(output[0], output[1]) and torch.equal(output[0], output[2])
    first, last = output.unflatten(-1, (2, -1)).unbind(1)
    assert torch.equal(first[3], last[2]) and torch.equal(last[3], first[2])  # reversal exchanges the parts
    assert not torch.equal(output[0], output[4])


def test_a_word_is_the_same_beside_any_others():
    layer = encoder(4)
    batch = layer(inputs_of(["ab", "cde"], ["x", "cde", "longerword", "z"], ["cde"]))
    alone = layer(inputs_of(["cde"]))[0, 1]
    assert all(torch.equal(row, alone) for row in (batch[0, 2], batch[1, 2], batch[2, 1]))


def test_letters_learn_from_their_places():
    layer = encoder(2)
    layer(inputs_of(["abc"]))[0, 1].sum().backward()
    touched = layer.embedding.weight.grad.abs().sum(1).nonzero().flatten().tolist()
    assert touched == [char_id("a"), char_id("c")]


@pytest.mark.parametrize("width, char_width, times", [(9, 3, "3"), (8, 16, "0.5"), (10, 4, "2.5"), (3, 3, "1")])
def test_an_odd_number_of_letters_is_refused(width, char_width, times):
    with pytest.raises(
        ValueError, match=rf"char_width of CharConcat: expected .* {width} .*, got {char_width} \({times} "
    ):
        CharConcat(char_width=char_width).build(width, SIZES)


def test_feature_dropout_is_shared_by_a_sentence():
    layer = CharConcat(char_width=64, dropout=0.5).build(256, SIZES).train()
    kept = layer(inputs_of(["ab", "cde", "f"], ["gh", "i", "j"])) != 0
    assert torch.equal(kept.all(1), kept.any(1))  # of a feature, all positions or none
    assert not torch.equal(kept[0], kept[1])
