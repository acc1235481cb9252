"""Self-attention: windows, position queries and selectors. The properties of
docs/explanation/encoders.md."""

import math
from typing import Any, Dict, List, Optional

import pytest
import torch
from torch import Tensor

from spacy_lal.layers.configs import (
    EncoderConfig,
    SelectorConfig,
    SelfAttentionLayerConfig,
)
from spacy_lal.layers.encoder import (
    AttentionWindow,
    Encoder,
    SelectiveSoftmax,
    Selector,
    forbidden_pairs,
)

WIDTH = 12
N_WORDS = [4, 1, 7, 2, 3]
NO_DROPOUT = {"attention_dropout": 0.0, "relu_dropout": 0.0, "residual_dropout": 0.0}
OPTIONS: Dict[str, Dict[str, Any]] = {
    "factored": {},
    "unfactored": {"factored": False},
    "window": {"window": 2},
    "relaxed": {"window": 1, "relaxed_window": True, "factored": False},
    "positions": {"queries": "positions", "factored": False},
    "positions_window": {"queries": "positions", "factored": False, "window": 1},
    "selector": {"selector": SelectorConfig()},
    "selector_nothing": {"selector": SelectorConfig(on_empty="nothing"), "window": 2},
    "soft": {"selector": SelectorConfig(mode="soft", width=2)},
    "sample": {
        "selector": SelectorConfig(mode="sample"),
        "window": 1,
        "relaxed_window": True,
    },
    "positions_selector": {
        "queries": "positions",
        "factored": False,
        "selector": SelectorConfig(),
    },
}


def make_encoder(
    *,
    seed: int = 0,
    repeat: int = 2,
    scale: float = 2.0,
    dtype: torch.dtype = torch.float32,
    **options: Any,
) -> Encoder:
    """An encoder in evaluation mode. scale: Factor of the weights of selectors, so that
    choices differ."""
    torch.manual_seed(seed)
    config = SelfAttentionLayerConfig(
        repeat=repeat, n_heads=3, attn_width=4, ff_width=8, **{**NO_DROPOUT, **options}
    )
    encoder = Encoder(EncoderConfig((config,)), WIDTH).to(dtype).eval()
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if "selector" in name:
                parameter.copy_(
                    torch.randn_like(parameter)
                    * (0.3 if "bias" in name else 1.0)
                    * scale
                )
            elif parameter.dim() == 1:
                parameter.add_(torch.randn_like(parameter) * 0.1)
    return encoder


def make_padding(n_words: List[int]) -> Tensor:
    """True at padding. *Shape:* (batch_size, longest + 2)."""
    lengths = torch.tensor(n_words) + 2
    return torch.arange(int(lengths.max()) if n_words else 2) >= lengths[:, None]


def make_inputs(
    n_words: List[int], seed: int = 1, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Random inputs, noise at padding too. *Shape:* (batch_size, longest + 2,
    WIDTH)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(
        len(n_words),
        max(n_words, default=0) + 2,
        WIDTH,
        generator=generator,
        dtype=dtype,
    )


def make_positions(seq_len: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Rows of a position table. *Shape:* (1, seq_len, WIDTH)."""
    return torch.randn(
        60, WIDTH, generator=torch.Generator().manual_seed(2), dtype=dtype
    )[None, :seq_len]


def encode(encoder: Encoder, inputs: Tensor, n_words: List[int]) -> Tensor:
    """Encode a batch. *Shapes:* (batch_size, longest + 2, WIDTH) to the same."""
    return encoder(
        inputs, make_padding(n_words), make_positions(inputs.shape[1], inputs.dtype)
    )


def attention_weights(
    encoder: Encoder, inputs: Tensor, n_words: List[int]
) -> List[Tensor]:
    """The weights of each layer's self-attention."""
    found: List[Tensor] = []
    softmaxes = [layer.attention.weights for layer in encoder.layers]
    hooks = [
        one.register_forward_hook(lambda module, inputs, output: found.append(output))
        for one in softmaxes
    ]
    encode(encoder, inputs, n_words)
    for hook in hooks:
        hook.remove()
    return found


def fix_noise(encoder: Encoder, noise: Optional[List[Tensor]] = None) -> None:
    """Let the selectors take given noise for each sentence of the batch, by layer; None
    for no noise."""
    for number, layer in enumerate(encoder.layers):
        selector = layer.attention.selector
        if selector is not None:
            if noise is None:
                selector.sample_noise = torch.zeros_like
            else:
                given = noise[number]
                selector.sample_noise = lambda scores, given=given: given[
                    : scores.shape[0], :, : scores.shape[2], : scores.shape[3]
                ]


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
    encoder, inputs, padding = (
        make_encoder(**options),
        make_inputs(N_WORDS),
        make_padding(N_WORDS),
    )
    width, selector = options.get("window", 0), options.get("selector")
    forbidden = forbidden_pairs(
        padding,
        AttentionWindow(width, options.get("relaxed_window", False)) if width else None,
    )
    for weights in attention_weights(encoder, inputs, N_WORDS):
        assert not weights.masked_select(forbidden.expand_as(weights)).any()
        sums = weights.sum(-1).transpose(1, 2)[~padding]
        if selector is not None:
            assert ((weights == 0.0) & ~forbidden).any()
            sums = sums[sums > 0.0] if selector.on_empty == "nothing" else sums
        assert torch.allclose(sums, torch.ones_like(sums), atol=1e-4)


def is_allowed(query, key, n, window):
    """Whether a pair of positions of a sentence of n words is allowed, by the
    formula of Kitaev & Klein 2018, section 4.2."""
    return abs(query - key) <= window.width or (
        window.relaxed and bool({query, key} & {0, 1, n, n + 1})
    )


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("width", [0, 1, 3, 8, 99])
def test_a_window_by_its_definition(width, relaxed):
    n_words, window = [0, 1, 2, 3, 7], AttentionWindow(width, relaxed)
    padding = make_padding(n_words)
    assert torch.equal(forbidden_pairs(padding), padding[:, None, None, :])
    for row, n in zip(forbidden_pairs(padding, window)[:, 0], n_words, strict=True):
        for query in range(n + 2):
            for key in range(9):
                assert bool(row[query, key]) is not (
                    key <= n + 1 and is_allowed(query, key, n, window)
                )
        assert (
            not row[n + 2 :, : n + 2].any() and row[:, n + 2 :].all()
        )  # a query at padding has every key


@pytest.mark.parametrize("relaxed", [False, True])
@pytest.mark.parametrize("factored", [False, True])
def test_a_window_bounds_what_a_word_can_change(factored, relaxed):  # D2
    n, window, n_layers, changed = 20, 2, 2, 10
    encoder = make_encoder(
        factored=factored, window=window, relaxed_window=relaxed, repeat=n_layers
    )
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
        columns = torch.arange(3 * 2 * part).unflatten(
            0, (3, 2, part)
        )  # head, half, unit
        output = other.attention.output["all"].weight.zero_()
        output[:half, columns[:, 0].flatten()] = one.attention.output["content"].weight
        output[half:, columns[:, 1].flatten()] = one.attention.output["position"].weight
        for name in ("hidden", "output"):
            linear, parts = (
                getattr(other.feed_forward, name)["all"],
                getattr(one.feed_forward, name),
            )
            linear.weight.copy_(
                torch.block_diag(parts["content"].weight, parts["position"].weight)
            )
            linear.bias.copy_(
                torch.cat([parts["content"].bias, parts["position"].bias])
            )
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
        assert torch.equal(weights[0], weights[1]) and torch.equal(
            weights[0], weights[3]
        )
        assert not torch.equal(weights[0, :, :5, :5], weights[2, :, :5, :5])
    plain = make_encoder(factored=False)
    assert not torch.equal(*attention_weights(plain, inputs[:2], [5, 5])[0])


PARTS = {"factored": {"content": 6, "position": 6}, "unfactored": {"all": WIDTH}}
MODES = ("hard", "soft", "sample")
ON_EMPTY = ("all", "nothing")
KEEP, DROP = 1e4, -1e4


def make_selector(parts="factored", training=True, **options):
    selector = Selector(
        SelectorConfig(**options), PARTS[parts], n_heads=3, width=4
    ).train(training)
    with torch.no_grad():
        for parameter in selector.parameters():
            parameter.normal_(std=0.5)
    return selector


def random_pairs(n_words=N_WORDS, seed=0, dtype=torch.float64):
    """Logits, scores and the mask of a batch; 3 heads."""
    generator = torch.Generator().manual_seed(seed)
    shape = (len(n_words), 3, max(n_words) + 2, max(n_words) + 2)
    logits, scores = (
        torch.randn(shape, generator=generator, dtype=dtype) for _ in range(2)
    )
    return (
        logits,
        2.0 * scores,
        forbidden_pairs(make_padding(n_words), AttentionWindow(3)),
    )


@pytest.mark.parametrize("parts", PARTS)
def test_scores_by_the_formula(parts):
    selector, inputs = make_selector(parts), make_inputs([3, 5])
    expected = torch.zeros(2, 3, 7, 7)
    for part, features in zip(
        PARTS[parts], inputs.split(list(PARTS[parts].values()), dim=-1), strict=True
    ):
        query, key = (
            torch.einsum("bpw,hwd->bhpd", features, weight[part])
            + bias[part][:, None, :]
            for weight, bias in (
                (selector.query, selector.query_bias),
                (selector.key, selector.key_bias),
            )
        )
        expected += query @ key.transpose(2, 3)
    assert torch.allclose(selector(inputs), expected, atol=1e-5)


def test_frequencies_follow_the_probability():  # D10
    scores = torch.tensor([-2.0, -0.5, 0.0, 1.0, 3.0])
    selector = make_selector()
    draws = selector.choose(scores.expand(40_000, 1, 1, 5)).values.mean((0, 1, 2))
    assert torch.allclose(
        draws, scores.sigmoid(), atol=0.012
    )  # five standard deviations


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("on_empty", ON_EMPTY)
def test_sure_choices(mode, on_empty):  # D9
    logits, _, forbidden = random_pairs()
    selector = make_selector(mode=mode, on_empty=on_empty)
    softmax = SelectiveSoftmax(selector.config.on_empty, 0.0)
    plain = logits.masked_fill(forbidden, -math.inf).softmax(-1)
    everything = softmax(
        logits, forbidden, selector.choose(torch.full_like(logits, KEEP))
    )
    assert torch.allclose(
        everything, plain, atol=1e-5 if on_empty == "nothing" else 0.0
    )
    nothing = softmax(logits, forbidden, selector.choose(torch.full_like(logits, DROP)))
    if on_empty == "nothing":
        assert not nothing.any()
    else:
        assert torch.allclose(nothing, plain, atol=1e-12)


@pytest.mark.parametrize("temperature", [0.5, 0.8])
@pytest.mark.parametrize("on_empty", ON_EMPTY)
@pytest.mark.parametrize("mode", MODES)
def test_gradients_by_the_formula(mode, on_empty, temperature):  # D10
    logits, scores, forbidden = random_pairs([2, 1, 4])
    scores[0, 0, 1] = -3.0  # a row without a key
    noise = torch.zeros_like(scores)
    selector = make_selector(mode=mode, on_empty=on_empty, temperature=temperature)
    selector.sample_noise = lambda scores: noise
    logits.requires_grad_(), scores.requires_grad_()
    weights = SelectiveSoftmax(selector.config.on_empty, 0.0)(
        logits, forbidden, selector.choose(scores)
    )
    gradient = torch.randn_like(weights)
    weights.backward(gradient)

    allowed = (~forbidden).expand_as(logits).double()
    probability = (
        scores.detach() if mode == "soft" else scores.detach() / temperature
    ).sigmoid()
    slope = probability * (1.0 - probability)
    if mode != "soft":
        slope /= temperature
    chosen = ((probability > 0.5).double() if mode == "hard" else probability).mul_(
        allowed
    )
    empty = (chosen == 0.0).all(-1, keepdim=True)
    logit, choice = (
        logits.detach().clone().requires_grad_(),
        chosen.clone().requires_grad_(),
    )
    epsilon = 1e-6 if on_empty == "nothing" else 0.0
    exponents = logit.exp() * choice
    expected = exponents / (exponents.sum(-1, keepdim=True) + epsilon)
    rows = ~empty if on_empty != "nothing" else torch.ones_like(empty)
    (expected.masked_fill(~rows, 0.0) * gradient).nan_to_num().sum().backward()
    rows = rows.expand_as(logits)
    assert torch.allclose(weights[rows], expected[rows], atol=1e-12)
    assert torch.allclose(logits.grad[rows], logit.grad[rows], atol=1e-10)
    assert torch.allclose(
        scores.grad[rows], (choice.grad * slope * allowed)[rows], rtol=1e-8, atol=1e-10
    )
    if on_empty != "nothing":
        assert not scores.grad[empty.expand_as(scores)].any()
