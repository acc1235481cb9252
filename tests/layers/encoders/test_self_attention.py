"""Self-attention: windows, position queries and selectors in the encoder. Properties of reference-encoders.md, D."""

import copy
import math

import pytest
import torch
from layers.encoders.attention_layers import (
    N_WORDS,
    NO_DROPOUT,
    OPTIONS,
    WIDTH,
    attention_records,
    encode,
    fix_noise,
    make_encoder,
    make_inputs,
    make_padding,
    make_positions,
)

from spacy_lal.layers.encoders.attention_limits import AttentionLimits, limited
from spacy_lal.layers.encoders.attention_mask import Window, forbidden_pairs
from spacy_lal.layers.encoders.configs import EncoderConfig, SelectorConfig, SelfAttentionLayerConfig
from spacy_lal.layers.packing import Packing

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


@pytest.mark.parametrize("n_words", [N_WORDS, [5], [0, 40, 1]])
def test_folded_is_plain(options, n_words):
    encoder, inputs = make_encoder(**options), make_inputs(n_words)
    packing = Packing(torch.tensor(n_words) + 2, inputs.shape[1])
    with torch.no_grad():
        folded = encoder.fold(torch.float32)(packing.pack(inputs), packing, make_positions(inputs.shape[1]))
        plain = packing.pack(encode(encoder, inputs, n_words))
    assert torch.allclose(folded, plain, atol=1e-5)


def test_weights_sum_to_one_within_what_is_allowed(options):  # D3
    encoder, inputs, padding = make_encoder(**options), make_inputs(N_WORDS), make_padding(N_WORDS)
    window, selector = options.get("window", 0), options.get("selector")
    windows = [Window(window, options.get("relaxed_window", False))] if window else []
    forbidden = forbidden_pairs(padding, windows)
    for weights, prob, choice in attention_records(encoder, inputs, N_WORDS):
        assert not weights.masked_select(forbidden.expand_as(weights)).any()
        sums = weights.sum(-1).transpose(1, 2)[~padding]
        if selector is None:
            assert prob is None and choice is None
        else:
            assert torch.equal(choice, ((prob > 0.5) & ~forbidden).to(prob.dtype))
            empty = (choice.sum(-1, keepdim=True) == 0).expand_as(weights)
            assert not weights[(choice == 0) & ~empty].any()
            assert empty.any() and not empty.all()
        if selector is not None and selector.on_empty == "nothing":
            assert torch.equal(sums == 0.0, (choice.sum(-1) == 0).transpose(1, 2)[~padding])
            sums = sums[sums > 0.0]
        assert torch.allclose(sums, torch.ones_like(sums), atol=1e-4)


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("factored", [False, True])
def test_a_wide_window_is_no_window(factored, relaxed):  # D2
    inputs, n_words = make_inputs([5]), [5]
    plain = encode(make_encoder(factored=factored), inputs, n_words)
    wide = make_encoder(factored=factored, window=6, relaxed_window=relaxed)
    assert torch.equal(encode(wide, inputs, n_words), plain)
    narrow = make_encoder(factored=factored, window=1, relaxed_window=relaxed)
    assert not torch.allclose(encode(narrow, inputs, n_words), plain, atol=1e-3)


def test_relaxed_is_all_pairs_of_two_words():  # D2
    for n in (0, 1, 2):
        inputs = make_inputs([n])
        relaxed = encode(make_encoder(window=1, relaxed_window=True), inputs, [n])
        assert torch.equal(relaxed, encode(make_encoder(), inputs, [n]))


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


def without_norms(encoder):
    for layer in encoder.layers:
        layer.attention.norm = layer.feed_forward.norm = torch.nn.Identity()
    return encoder


def off(encoder, **limits):
    """Limits of all layers."""
    return limited({attention: AttentionLimits(**limits) for attention in encoder.attentions()})


def test_halves_meet_in_the_softmax_alone():  # D5
    encoder = without_norms(make_encoder(dtype=torch.float64))
    n, half = 6, WIDTH // 2
    inputs = make_inputs([n], dtype=torch.float64)
    order = torch.tensor([0, 4, 2, 6, 1, 3, 5, 7])
    permuted = torch.cat([inputs[:, order, :half], inputs[..., half:]], dim=-1)  # of the words, not of their places
    with off(encoder, position=False):
        content, moved = (encode(encoder, one, [n])[0, :, :half] for one in (inputs, permuted))
    assert torch.allclose(moved, content[order], atol=1e-12, rtol=0.0)
    others = make_inputs([n], seed=5, dtype=torch.float64)
    others[..., half:] = inputs[..., half:]
    with off(encoder, content=False):
        found = [[one.weights for one in attention_records(encoder, words, [n])] for words in (inputs, others)]
    for one, other in zip(*found, strict=True):
        assert torch.equal(one, other)
    assert not torch.allclose(
        encode(encoder, permuted, [n])[0, :, :half], encode(encoder, inputs, [n])[0, order, :half]
    )


def test_position_queries_make_the_same_weights_for_all_sentences_of_a_length():  # D6
    encoder = make_encoder(factored=False, queries="positions")
    inputs = make_inputs([5, 5, 3, 5])
    for weights, _, _ in attention_records(encoder, inputs, [5, 5, 3, 5]):
        assert torch.equal(weights[0], weights[1]) and torch.equal(weights[0], weights[3])
        assert not torch.equal(weights[0, :, :5, :5], weights[2, :, :5, :5])
    plain = make_encoder(factored=False)
    assert not torch.equal(*attention_records(plain, inputs[:2], [5, 5])[0].weights)


def test_position_queries_read_the_rows_that_they_are_given():
    encoder, inputs = make_encoder(factored=False, queries="positions", repeat=1), make_inputs([3])
    padding, rows = make_padding([3]), make_positions(5)
    attention = encoder.layers[0].attention
    query, key = (torch.einsum("bpw,hwd->bhpd", rows, getattr(attention, name)["all"]) for name in ("query", "key"))
    expected = (query @ key.transpose(2, 3) / math.sqrt(WIDTH)).softmax(-1)
    assert torch.allclose(attention_records(encoder, inputs, [3])[0].weights, expected, atol=1e-6)
    masked = torch.cat([rows, rows * torch.tensor([2.0, 0.0] * (WIDTH // 2))])  # in training, each sentence has its own
    both = encoder(inputs.expand(2, -1, -1), padding.expand(2, -1), masked)
    assert torch.allclose(both[1], encoder(inputs, padding, masked[1:])[0], atol=1e-6)
    assert not torch.allclose(both[0], both[1], atol=1e-3)
    with pytest.raises(ValueError, match='queries = "positions" reads rows of the position table'):
        encoder(inputs, padding)


def test_both_parts_off_is_uniform():  # D7
    encoder, inputs = make_encoder(), make_inputs(N_WORDS)
    with off(encoder, content=False, position=False):
        records = attention_records(encoder, inputs, N_WORDS)
    for weights, _, _ in records:
        for row, n in zip(weights, N_WORDS, strict=True):
            assert torch.allclose(row[:, : n + 2, : n + 2], torch.tensor(1.0 / (n + 2)))


@pytest.mark.parametrize("part", ["content", "position"])
def test_a_part_off_is_its_query_weights_at_zero(part):  # A7
    encoder, inputs = make_encoder(), make_inputs(N_WORDS)
    with limited({encoder.layers[1].attention: AttentionLimits(**{part: False})}):
        found = encode(encoder, inputs, N_WORDS)
    zeroed = copy.deepcopy(encoder)
    with torch.no_grad():
        zeroed.layers[1].attention.query[part].zero_()
    real = ~make_padding(N_WORDS)
    assert torch.allclose(found[real], encode(zeroed, inputs, N_WORDS)[real], atol=1e-6)
    assert not torch.allclose(found[real], encode(encoder, inputs, N_WORDS)[real], atol=1e-3)


@pytest.mark.parametrize("limits", [{"window": 1}, {"window": 2, "relaxed_window": True}, {"content": False}])
def test_limits_of_the_folded_encoder(limits):
    encoder, inputs = make_encoder(window=3), make_inputs(N_WORDS)
    packing, rows = Packing(torch.tensor(N_WORDS) + 2, inputs.shape[1]), make_positions(inputs.shape[1])
    folded = encoder.fold(torch.float32)
    with torch.no_grad():
        free = folded(packing.pack(inputs), packing, rows)
        with off(encoder, **limits):
            found = folded(packing.pack(inputs), packing, rows)
            expected = packing.pack(encode(encoder, inputs, N_WORDS))
        assert torch.equal(folded(packing.pack(inputs), packing, rows), free)
    assert torch.allclose(found, expected, atol=1e-5) and not torch.allclose(found, free, atol=1e-3)


def test_a_window_in_training_is_the_window_at_test_time():
    inputs, real = make_inputs(N_WORDS), ~make_padding(N_WORDS)
    trained, free = make_encoder(window=2), make_encoder()
    with off(free, window=2):
        limited_free = encode(free, inputs, N_WORDS)
    assert torch.equal(encode(trained, inputs, N_WORDS)[real], limited_free[real])
    with off(trained, window=4):  # both windows hold
        assert torch.equal(encode(trained, inputs, N_WORDS)[real], limited_free[real])


def test_limits_in_training_are_refused():
    encoder, inputs = make_encoder().train(), make_inputs([2])
    with off(encoder, window=1), pytest.raises(ValueError, match="expected no training in their block"):
        encode(encoder, inputs, [2])
    encode(encoder, inputs, [2])


def test_inner_limits_replace_outer_ones():
    encoder, inputs = make_encoder(), make_inputs([6])
    outer, inner = {"window": 1}, {"content": False}
    with off(encoder, **inner):
        expected = encode(encoder, inputs, [6])
    with off(encoder, **outer):
        with off(encoder, **inner):
            assert torch.equal(encode(encoder, inputs, [6]), expected)
        assert not torch.equal(encode(encoder, inputs, [6]), expected)


@pytest.mark.parametrize(
    "limits, message",
    [
        ({"content": 0}, "content: expected true or false, got 0"),
        ({"window": -1}, "window: expected an integer of at least 0, got -1"),
        ({"relaxed_window": True}, "relaxed_window = True requires a window: expected an integer, got window = None"),
    ],
)
def test_wrong_limits(limits, message):
    with pytest.raises(ValueError, match=message):
        AttentionLimits(**limits)


@pytest.mark.parametrize("training", TIMES.values(), ids=TIMES)
@pytest.mark.parametrize("n_words", [[1], [0], [], [1, 7], [3, 1, 12]], ids=str)
@pytest.mark.parametrize("scale", [1.0, 1e4])
def test_everything_stays_finite(options, n_words, scale, training):  # D11
    encoder = make_encoder(**options).train(training)
    with torch.no_grad():
        for attention in encoder.attentions():
            for projection in (attention.query, attention.key):
                for weight in projection.values():
                    weight.mul_(math.sqrt(scale))
            if attention.selector is not None:
                for weight in (*attention.selector.query.values(), *attention.selector.key.values()):
                    weight.mul_(math.sqrt(scale))
    inputs = make_inputs(n_words).requires_grad_()
    output = encode(encoder, inputs, n_words)
    real = ~make_padding(n_words)
    assert output[real].isfinite().all()
    (output[real] * torch.randn_like(output[real])).sum().backward()
    assert inputs.grad.isfinite().all() and not inputs.grad[~real].any()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is None or parameter.grad.isfinite().all(), name


def test_masks_of_feature_dropout():  # D14
    torch.manual_seed(0)
    options = {**NO_DROPOUT, "residual_dropout": 0.5, "relu_dropout": 0.5}
    layer = EncoderConfig((SelfAttentionLayerConfig(n_heads=2, attn_width=4, ff_width=400, **options),)).build(WIDTH)
    layer, masks = layer.layers[0].train(), []
    dropout = layer.feed_forward.relu_dropout
    sample = dropout.sample_mask
    dropout.sample_mask = lambda inputs: masks.append(sample(inputs)) or masks[-1]
    layer(make_inputs([3, 5]), make_padding([3, 5]))
    content, position = masks
    assert content.shape == position.shape == (2, 1, 200)  # one for each sentence, shared by its positions
    for one, other in ((content, position), (content[0], content[1])):
        assert 0.3 < (one == other).float().mean() < 0.7


@pytest.mark.parametrize("selector", [SelectorConfig(select_scale=0.5), SelectorConfig(entropy_scale=0.1)])
def test_penalties_are_taken_once(selector):
    encoder = make_encoder(selector=selector).train()
    encode(encoder, make_inputs(N_WORDS), N_WORDS)
    penalty = encoder.take_penalty()
    assert penalty.shape == () and penalty.requires_grad and encoder.take_penalty() is None
    encode(encoder.eval(), make_inputs(N_WORDS), N_WORDS)
    assert encoder.take_penalty() is None
