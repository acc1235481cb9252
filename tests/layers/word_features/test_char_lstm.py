"""The character LSTM: padding, distinct words, order."""

import pytest
import torch

from spacy_lal.layers.inputs import CharLSTMEncoder, NetworkInputs


@pytest.fixture
def lstm():
    torch.manual_seed(0)
    return CharLSTMEncoder(n_chars=20, char_width=5, output_width=8, dropout=0.0)


def encode(lstm, char_ids, char_lengths=None):
    return lstm(NetworkInputs(torch.zeros(len(char_ids)), char_ids=char_ids, char_lengths=char_lengths))


def plain_word(lstm, ids):
    _, (states, _) = lstm.lstm(lstm.embedding(torch.tensor([ids])))
    return torch.cat([states[0, 0], states[1, 0]])


def test_each_word_as_if_alone(lstm):
    words = [[[2, 7, 8, 3], [2, 9, 3], []], [[2, 9, 3], [2, 4, 4, 4, 4, 3], [2, 7, 8, 3]]]
    ids = torch.zeros(2, 3, 6, dtype=torch.long)
    for b, sentence in enumerate(words):
        for t, word in enumerate(sentence):
            ids[b, t, : len(word)] = torch.tensor(word, dtype=torch.long)
    output = encode(lstm, ids)
    assert output.shape == (2, 3, 8)
    for b, sentence in enumerate(words):
        for t, word in enumerate(sentence):
            expected = plain_word(lstm, word) if word else torch.zeros(8)
            assert torch.allclose(output[b, t], expected, atol=1e-6)


def test_given_lengths_admit_character_zero(lstm):
    ids = torch.tensor([[[2, 0, 0, 0, 0]]])
    assert torch.allclose(encode(lstm, ids, torch.tensor([[3]]))[0, 0], plain_word(lstm, [2, 0, 0]), atol=1e-6)


def test_distinct_words_are_run_once(lstm):
    seen = []
    lstm.embedding.register_forward_hook(lambda module, args, output: seen.append(len(args[0])))
    ids = torch.tensor([[[2, 5, 3], [2, 6, 3]] * 50] * 3)
    encode(lstm, ids).sum().backward()
    assert seen == [2]


def test_nothing_but_padding(lstm):
    assert not encode(lstm, torch.zeros(1, 2, 4, dtype=torch.long)).any()
