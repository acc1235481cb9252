"""The sizes of networks: parameters, and widths at which a network without label
attention has as many as with it."""

from dataclasses import replace
from typing import Dict

import torch
from thinc.api import Model

from spacy_lal.layers.configs import EncoderConfig, ParserNetworkConfig, ParserSizes
from spacy_lal.layers.parser_network import ParserNetwork


def hidden_widths(network: ParserNetworkConfig) -> Dict[str, int]:
    """The widths of all hidden layers of a network that scores spans and arcs, by their
    names in a record."""
    assert network.span_scorer is not None and network.biaffine_scorer is not None
    return {
        **{
            f"encoder.layers.{i}.ff_width": layer.ff_width
            for i, layer in enumerate(network.encoder.layers)
        },
        "span_scorer.hidden_width": network.span_scorer.hidden_width,
        "biaffine_scorer.arc_width": network.biaffine_scorer.arc_width,
        "biaffine_scorer.deprel_width": network.biaffine_scorer.deprel_width,
    }


def plain_network(
    base: ParserNetworkConfig, widths: Dict[str, int]
) -> ParserNetworkConfig:
    """A network without label attention, with other widths of hidden layers."""
    assert base.span_scorer is not None and base.biaffine_scorer is not None
    layers = (
        replace(layer, ff_width=widths[f"encoder.layers.{i}.ff_width"])
        for i, layer in enumerate(base.encoder.layers)
    )
    return replace(
        base,
        label_attention=None,
        encoder=EncoderConfig(tuple(layers)),
        span_scorer=replace(
            base.span_scorer,
            hidden_width=widths["span_scorer.hidden_width"],
            label_heads=False,
        ),
        biaffine_scorer=replace(
            base.biaffine_scorer,
            arc_width=widths["biaffine_scorer.arc_width"],
            deprel_width=widths["biaffine_scorer.deprel_width"],
        ),
    )


def equal_widths(base: ParserNetworkConfig, sizes: ParserSizes) -> Dict[str, int]:
    """The widths of hidden layers with which a network without label attention has as
    many parameters as with it: one factor for all of them, found by bisection.

    base (ParserNetworkConfig): The network with label attention.
    sizes (ParserSizes): Its sizes from data.
    RETURNS (Dict[str, int]): By the names of `hidden_widths`.
    """
    wanted, present = n_network_parameters(base, sizes), hidden_widths(base)
    low, high = 1 / 64, 64.0
    for _ in range(30):
        factor = (low * high) ** 0.5
        # even: a factored layer gives half of its width to the content
        widths = {
            name: 2 * max(1, round(width * factor / 2))
            for name, width in present.items()
        }
        if n_network_parameters(plain_network(base, widths), sizes) < wanted:
            low = factor
        else:
            high = factor
    return widths


def n_network_parameters(config: ParserNetworkConfig, sizes: ParserSizes) -> int:
    """Parameters of a network, which is not really made."""
    with torch.device("meta"):
        return sum(
            parameter.numel() for parameter in ParserNetwork(config, sizes).parameters()
        )


def n_parameters(model: Model) -> int:
    """Parameters of a thinc model and of the torch networks in it."""
    total = 0
    for node in model.walk():
        total += sum(
            node.get_param(name).size
            for name in node.param_names
            if node.has_param(name)
        )
        for shim in node.shims:
            network = (
                getattr(shim, "network", None) or shim._model
            )  # ours is made when it is asked for
            total += sum(parameter.numel() for parameter in network.parameters())
    return total
