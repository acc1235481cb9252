"""Self-attention: windows, position queries and selectors in the encoder. Properties of reference-encoders.md, D."""

import pytest
import torch
from layers.attention_layers import (
    N_WORDS,
    OPTIONS,
    WIDTH,
    attention_weights,
    encode,
    fix_noise,
    make_encoder,
    make_inputs,
    make_padding,
)

from spacy_lal.layers.encoder import Window, forbidden_pairs

TIMES = {"parsing": False, "training": True}


@pytest.fixture(params=OPTIONS)
def options(request):
    return OPTIONS[request.param]


@pytest.mark.parametrize("training", TIMES.values(), ids=TIMES)
def test_alone_as_in_any_batch(options, training):  # D1
    encoder, inputs = make_encoder(**options).train(training), make_inputs(N_WORDS)
    noise = [torch.randn(len(N_WORDS), 3, 9, 9) for _ in range(2)]
    fix_noise(encoder, noise)
    together = encode(encoder, inputs, N_WORDS)
    order = [3, 0, 4, 2, 1]
    fix_noise(encoder, [one[order] for one in noise])
    shuffled = encode(encoder, inputs[order], [N_WORDS[i] for i in order])
    for row, n in enumerate(N_WORDS):
        fix_noise(encoder, [one[row : row + 1] for one in noise])
        alone = encode(encoder, inputs[row : row + 1, : n + 2], [n])[0]
        assert torch.allclose(together[row, : n + 2], alone, atol=1e-5)
        assert torch.allclose(shuffled[order.index(row), : n + 2], alone, atol=1e-5)


def test_weights_sum_to_one_within_what_is_allowed(options):  # D3
    encoder, inputs, padding = make_encoder(**options), make_inputs(N_WORDS), make_padding(N_WORDS)
    width, selector = options.get("window", 0), options.get("selector")
    forbidden = forbidden_pairs(padding, Window(width, options.get("relaxed_window", False)) if width else None)
    for weights in attention_weights(encoder, inputs, N_WORDS):
        assert not weights.masked_select(forbidden.expand_as(weights)).any()
        sums = weights.sum(-1).transpose(1, 2)[~padding]
        if selector is not None:
            assert ((weights == 0.0) & ~forbidden).any()
            sums = sums[sums > 0.0] if selector.on_empty == "nothing" else sums
        assert torch.allclose(sums, torch.ones_like(sums), atol=1e-4)


def is_allowed(query, key, n, window):
    """Whether a pair of positions of a sentence of n words is allowed, word for word after A8."""
    return abs(query - key) <= window.width or (window.relaxed and bool({query, key} & {0, 1, n, n + 1}))


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("width", [0, 1, 3, 8, 99])
def test_a_window_by_its_definition(width, relaxed):
    n_words, window = [0, 1, 2, 3, 7], Window(width, relaxed)
    padding = make_padding(n_words)
    assert torch.equal(forbidden_pairs(padding), padding[:, None, None, :])
    for row, n in zip(forbidden_pairs(padding, window)[:, 0], n_words, strict=True):
        for query in range(n + 2):
            for key in range(9):
                assert bool(row[query, key]) is not (key <= n + 1 and is_allowed(query, key, n, window))
        assert not row[n + 2 :, : n + 2].any() and row[:, n + 2 :].all()  # a query at padding has every key


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("factored", [False, True])
def test_a_window_bounds_what_a_word_can_change(factored, relaxed):  # D2
    n, window, n_layers, changed = 20, 2, 2, 10
    encoder = make_encoder(factored=factored, window=window, relaxed_window=relaxed, repeat=n_layers)
    inputs = make_inputs([n])
    before = encode(encoder, inputs, [n])[0]
    inputs[0, changed] += 1.0
    same = (encode(encoder, inputs, [n])[0] == before).all(-1).tolist()
    expected = [abs(place - changed) > window * n_layers for place in range(n + 2)]
    assert relaxed or same == expected
    assert not relaxed or not any(same)


def test_factored_is_unfactored_with_block_sparse_matrices():  # D4
    factored = make_encoder(dtype=torch.float64, repeat=1)
    whole = make_encoder(dtype=torch.float64, repeat=1, factored=False)
    one, other = factored.layers[0], whole.layers[0]
    half, part = WIDTH // 2, 2
    with torch.no_grad():
        for name in ("query", "key", "value"):
            block = getattr(other.attention, name)["all"].zero_()
            block[:, :half, :part] = getattr(one.attention, name)["content"]
            block[:, half:, part:] = getattr(one.attention, name)["position"]
        columns = torch.arange(3 * 2 * part).unflatten(0, (3, 2, part))  # head, half, unit
        output = other.attention.output["all"].weight.zero_()
        output[:half, columns[:, 0].flatten()] = one.attention.output["content"].weight
        output[half:, columns[:, 1].flatten()] = one.attention.output["position"].weight
        for name in ("hidden", "output"):
            linear, parts = getattr(other.feed_forward, name)["all"], getattr(one.feed_forward, name)
            linear.weight.copy_(torch.block_diag(parts["content"].weight, parts["position"].weight))
            linear.bias.copy_(torch.cat([parts["content"].bias, parts["position"].bias]))
        other.attention.norm.load_state_dict(one.attention.norm.state_dict())
        other.feed_forward.norm.load_state_dict(one.feed_forward.norm.state_dict())
    inputs = make_inputs(N_WORDS, dtype=torch.float64)
    expected, found = encode(factored, inputs, N_WORDS), encode(whole, inputs, N_WORDS)
    real = ~make_padding(N_WORDS)
    assert torch.allclose(found[real], expected[real], atol=1e-12, rtol=0.0)


def test_position_queries_make_the_same_weights_for_all_sentences_of_a_length():  # D6
    encoder = make_encoder(factored=False, queries="positions")
    inputs = make_inputs([5, 5, 3, 5])
    for weights in attention_weights(encoder, inputs, [5, 5, 3, 5]):
        assert torch.equal(weights[0], weights[1]) and torch.equal(weights[0], weights[3])
        assert not torch.equal(weights[0, :, :5, :5], weights[2, :, :5, :5])
    plain = make_encoder(factored=False)
    assert not torch.equal(*attention_weights(plain, inputs[:2], [5, 5])[0])
