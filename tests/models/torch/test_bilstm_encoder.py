"""The BiLSTM encoder: a Doc alone as in any batch, gradients, empty Docs, torch's own
answer."""

import numpy as np
import pytest
import torch
from thinc.api import fix_random_seed

from spacy_lal.models.torch.bilstm_encoder import build_bilstm_encoder

WIDTH = 8
LENGTHS = (5, 0, 9, 1, 3)


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    return [rng.normal(size=(length, WIDTH)).astype("f4") for length in LENGTHS]


@pytest.fixture
def encoder(batch):
    fix_random_seed(0)
    model = build_bilstm_encoder(WIDTH, depth=2, dropout=0.3)
    model.initialize(X=batch)
    return model


def test_alone_as_in_any_batch(encoder, batch):
    outputs = encoder.predict(batch)
    assert [output.shape for output in outputs] == [
        (length, WIDTH) for length in LENGTHS
    ]
    for sequence, output in zip(batch, outputs, strict=True):
        np.testing.assert_allclose(encoder.predict([sequence])[0], output, atol=1e-6)


def test_mixed_precision_on_any_cpu(encoder, batch):
    outputs = encoder.predict(batch)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for output, mixed in zip(outputs, encoder.predict(batch), strict=True):
            np.testing.assert_array_equal(mixed, output)


def test_equals_torchs_lstm_on_a_sequence_alone(encoder, batch):
    network = encoder.layers[0].shims[0].network
    torchs = torch.nn.LSTM(WIDTH, WIDTH // 2, 2, bidirectional=True)
    state = {}
    for suffix, layers in (("", network.rightward), ("_reverse", network.leftward)):
        for k, layer in enumerate(layers):
            state.update(
                {
                    name.replace("_l0", f"_l{k}{suffix}"): value
                    for name, value in layer.state_dict().items()
                }
            )
    torchs.load_state_dict(state)
    expected, _ = torchs(torch.from_numpy(batch[0]).unsqueeze(1))
    np.testing.assert_allclose(
        encoder.predict(batch)[0], expected[:, 0].detach().numpy(), atol=1e-6
    )


def test_gradient_by_finite_differences(batch):
    model = build_bilstm_encoder(WIDTH, depth=1)
    model.initialize(X=batch)
    weights = [
        np.random.default_rng(1).normal(size=x.shape).astype("f4") for x in batch
    ]
    _, backprop = model.begin_update(batch)
    gradients = backprop(weights)
    step = 1e-2
    for i, cell in [(0, (4, 2)), (2, (0, 1)), (2, (8, 7)), (4, (2, 0))]:
        values = []
        for sign in (1, -1):
            moved = [x.copy() for x in batch]
            moved[i][cell] += sign * step
            values.append(
                sum(
                    float((y * w).sum())
                    for y, w in zip(model.predict(moved), weights, strict=True)
                )
            )
        assert (values[0] - values[1]) / (2 * step) == pytest.approx(
            gradients[i][cell], abs=1e-3
        )
    assert [g.shape for g in gradients] == [x.shape for x in batch]


def test_bytes(encoder, batch):
    other = build_bilstm_encoder(WIDTH, depth=2)
    other.from_bytes(encoder.to_bytes())
    for a, b in zip(encoder.predict(batch), other.predict(batch), strict=True):
        np.testing.assert_array_equal(a, b)
