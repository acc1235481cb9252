"""SSAN's sets: one selective attention layer, and the pre-norm encoder around it, with
given noise and masks."""

from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
)

import numpy as np
import torch
from torch import Tensor, nn

from parity.attention import recording
from parity.network import GRADIENT_TOLERANCE, SUM_TOLERANCE
from parity.ssan_layers import (
    FinalNormConfig,
    PreNormAttention,
    PreNormLayer,
    PreNormLayerConfig,
    SinusoidalInputsConfig,
)
from parity.ssan_sets import SSANSet, pad, probe
from parity.stages import Errors, Row
from parity.vectors import Arrays, UnreadableSetError
from spacy_lal.layers.configs import EncoderConfig, SelectorConfig
from spacy_lal.layers.encoder import (
    EPSILON,
    Choice,
    Encoder,
    Selector,
    forbidden_pairs,
)
from spacy_lal.layers.input_configs import InputSizes, Words
from spacy_lal.layers.inputs import NetworkInputs, build_inputs

# Mode of a set -> whether it trains, the mode of our selector, whether dropout is on,
# whether regularisers are in the loss of the encoder's sets (they always are in the
# layer's).
MODES: Dict[str, Tuple[bool, str, bool, bool]] = {
    "infer": (False, "hard", False, True),
    "train": (True, "hard", False, True),
    "train_soft": (True, "soft", False, True),
    "train_dropout": (True, "hard", True, False),
}
SELECTOR = "policy_network/input_layer/qk_transform"
DROPOUTS = (
    "attention.weights.dropout",
    "attention_dropout",
    "relu_dropout",
    "output_dropout",
)  # of a layer, in order
Getter = Callable[[nn.Parameter], Tensor]


class GivenDropout(nn.Module):
    """Dropout whose mask is given. kept (Tensor): 1 where an element is kept."""

    def __init__(self, kept: Tensor, keep: float) -> None:
        super().__init__()
        self.kept, self.keep = kept, keep

    def forward(self, inputs: Tensor) -> Tensor:
        """Drop elements."""
        return inputs * self.kept / self.keep


class Pass(NamedTuple):
    """What one pass over a batch gave: outputs, weights and choices of each attention,
    in order."""

    outputs: Tensor
    weights: List[Tensor]
    choices: Dict[int, Choice]


class Attention(nn.Module):
    """The attention of a layer set, as an encoder of one layer."""

    def __init__(self, attention: PreNormAttention) -> None:
        super().__init__()
        self.attention = attention

    def forward(self, inputs: Tensor, padding: Tensor) -> Tensor:
        """*Shapes:* (batch_size, seq_len, width) to the same."""
        return self.attention(inputs, padding)


class SSAN(nn.Module):
    """The network of a set, with its weights.

    given (SSANSet): The set.
    selector_mode (str): Of `SelectorConfig`.
    """

    def __init__(self, given: SSANSet, selector_mode: str) -> None:
        super().__init__()
        info, self.lengths = given.info, list(given.info["lengths"])
        self.keys = sorted(given.weights)
        selector = SelectorConfig(
            mode=selector_mode,  # type: ignore[arg-type]
            on_empty="nothing",
            temperature=info["temperature"],
        )
        sizes = {"n_heads": info["num_heads"], "ff_width": info.get("filter_size", 1)}
        width, n_layers = info["hidden_size"], info.get("num_encoder_layers")
        self.inputs: Optional[nn.Module] = None
        if n_layers is None:
            layer = PreNormAttention(
                PreNormLayerConfig(**sizes, selector=selector), width
            )
            self.encoder: nn.Module = Attention(layer)
            self.attentions, self.selecting = [layer], [0]
        else:
            self.selecting = list(info["rlsan_enc_list"])
            configs = [
                PreNormLayerConfig(
                    **sizes, selector=selector if i in self.selecting else None
                )
                for i in range(n_layers)
            ]
            self.encoder = Encoder(EncoderConfig((*configs, FinalNormConfig())), width)
            self.attentions = [
                layer.attention for layer in self.encoder.layers[:n_layers]
            ]
            inputs = SinusoidalInputsConfig(
                (Words(dropout=0.0),), "sum", max(self.lengths), 0.0, 0.0
            )
            self.inputs = build_inputs(
                inputs, width, InputSizes(n_words=info["vocabulary"])
            )
        self._load(given.weights)

    def padding(self) -> Tensor:
        """*Shape:* (batch_size, longest)."""
        return torch.arange(max(self.lengths)) >= torch.tensor(self.lengths)[:, None]

    def layers(self) -> List[PreNormLayer]:
        """The pre-norm layers; none in a set of one attention."""
        return [
            layer
            for layer in getattr(self.encoder, "layers", ())
            if isinstance(layer, PreNormLayer)
        ]

    def selectors(self) -> Iterator[Tuple[int, Selector]]:
        """The selectors and the numbers of their layers."""
        for number in self.selecting:
            selector = self.attentions[number].selector
            if selector is not None:
                yield number, selector

    def _load(self, weights: Arrays) -> None:
        named = self.named(lambda parameter: parameter.data)
        missing, unused = (
            sorted(named.keys() - weights.keys()),
            sorted(weights.keys() - named.keys()),
        )
        if missing or unused:
            raise UnreadableSetError(f"weights missing: {missing}; unused: {unused}")
        for key, target in named.items():
            value = torch.from_numpy(weights[key])
            selector = next(
                (
                    s
                    for n, s in self.selectors()
                    if key.startswith(self._prefix(n)) and SELECTOR in key
                ),
                None,
            )
            if selector is None:
                target.copy_(value)
                continue
            # columns: queries of all heads, then keys of all heads
            parts = value.unflatten(-1, (2, selector.n_heads, selector.part_width))
            matrices = (
                (selector.query, selector.key)
                if key.endswith("matrix")
                else (selector.query_bias, selector.key_bias)
            )
            for i, matrix in enumerate(matrices):
                matrix["all"].data.copy_(
                    parts[:, i].transpose(0, 1) if key.endswith("matrix") else parts[i]
                )

    def _prefix(self, number: int) -> str:
        if self.inputs is None:
            return ""
        # then a name of the kind of attention
        start = f"encoder/layer_{number}/self_attention/"
        end = "qkv_transform/matrix"
        found = [
            key for key in self.keys if key.startswith(start) and key.endswith(end)
        ]
        return found[0][: -len(end)] if len(found) == 1 else start

    def named(self, get: Getter) -> Dict[str, Tensor]:
        """Parameters, or their gradients, by the reference's names and in its
        shapes."""
        found: Dict[str, Tensor] = {}

        def add(prefix: str, module: Any, weight: str, bias: str) -> None:
            value = get(module.weight)
            found[prefix + weight] = value.t() if value.dim() == 2 else value
            found[prefix + bias] = get(module.bias)

        for number, attention in enumerate(self.attentions):
            prefix = self._prefix(number)
            add(prefix + "qkv_transform/", attention.projection, "matrix", "bias")
            add(prefix + "output_transform/", attention.combination, "matrix", "bias")
        for number, selector in self.selectors():
            prefix = self._prefix(number) + SELECTOR
            matrices = [
                get(side["all"]).transpose(0, 1).flatten(1)
                for side in (selector.query, selector.key)
            ]
            biases = [
                get(side["all"]).flatten()
                for side in (selector.query_bias, selector.key_bias)
            ]
            found |= {
                prefix + "/matrix": torch.cat(matrices, 1),
                prefix + "/bias": torch.cat(biases),
            }
        for number, layer in enumerate(self.layers()):
            prefix = f"encoder/layer_{number}/"
            add(
                prefix + "self_attention/layer_norm/",
                layer.attention_norm,
                "scale",
                "offset",
            )
            add(
                prefix + "feed_forward/layer_norm/",
                layer.feed_forward_norm,
                "scale",
                "offset",
            )
            add(
                prefix + "feed_forward/ffn_layer/input_layer/linear/",
                layer.hidden,
                "matrix",
                "bias",
            )
            add(
                prefix + "feed_forward/ffn_layer/output_layer/linear/",
                layer.output,
                "matrix",
                "bias",
            )
        if self.inputs is not None:
            add("encoder/layer_norm/", self.encoder.layers[-1], "scale", "offset")
            embedding = self.inputs.features["words"].embedding
            scaled = get(
                embedding.weight
            )  # we look up and multiply; the reference's table has the same scale
            found |= {"source_embedding": scaled, "bias": get(self.inputs.bias)}
        return found

    def run(self, inputs: Tensor, padding: Tensor, noise: Mapping[int, Tensor]) -> Pass:
        """One pass over a batch. inputs (Tensor): Vectors, or ids for a network with an
        input layer. noise (Mapping): Of each selecting layer."""
        choices: Dict[int, Choice] = {}
        for number, selector in self.selectors():
            # type: ignore[assignment,misc]
            selector.sample_noise = lambda scores, number=number: noise[number]

            def choose(
                scores: Tensor, number: int = number, selector: Selector = selector
            ) -> Choice:
                choices[number] = Selector.choose(selector, scores)
                return choices[number]

            selector.choose = choose  # type: ignore[method-assign]
        hidden = inputs
        if self.inputs is not None:
            lengths = (~padding).sum(
                1
            ) - 2  # of sentences without START and STOP, which these have not
            positions = self.inputs.place(*inputs.shape)
            hidden = self.inputs(NetworkInputs(lengths, word_ids=inputs), positions)
        with recording(self.attentions) as weights:
            outputs = self.encoder(hidden, padding)
        return Pass(
            outputs, [weights[attention] for attention in self.attentions], choices
        )


def regularisers(
    choice: Choice, forbidden: Tensor, padding: Tensor
) -> Tuple[Tensor, Tensor]:
    """For each query, the number of its chosen (head, key) pairs, and the mean over its
    allowed pairs of the negative entropy of choosing; 0 for queries at padding.

    choice, forbidden, padding: The choices; pairs without attention; *shape:*
    (batch_size, seq_len).
    RETURNS (Tuple[Tensor, Tensor]): *Shape of each:* (batch_size, seq_len).
    """
    scores, is_query = choice.scores, ~padding
    allowed = (~forbidden).expand(scores.shape).to(scores.dtype)
    chosen = (choice.values * allowed).sum((1, 3))
    prob = scores.sigmoid()
    negative = prob * torch.nn.functional.logsigmoid(scores) + (
        1.0 - prob
    ) * torch.nn.functional.logsigmoid(-scores)
    entropy = (negative * allowed).sum((1, 3)) / allowed.sum((1, 3)).clamp_min(1.0)
    return chosen * is_query, entropy * is_query


def compare_ssan(given: SSANSet) -> List[Row]:
    """Every mode of a set."""
    errors = Errors()
    modes = {
        name: answers
        for name, answers in given.info["modes"].items()
        if isinstance(answers, dict)
    }
    if given.info.get("epsilon", EPSILON) != EPSILON:
        raise UnreadableSetError(
            f"expected the reference's epsilon {EPSILON}, got {given.info['epsilon']}"
        )
    unknown = sorted(modes.keys() - MODES.keys())
    if unknown or not modes:
        raise UnreadableSetError(
            f"expected modes among {', '.join(MODES)}; got "
            f"{', '.join(unknown) or 'none'}"
        )
    for name, answers in modes.items():
        _Mode(given, name, errors).compare(answers)
    return errors.listed()


class _Mode:
    """One mode of a set."""

    def __init__(self, given: SSANSet, name: str, errors: Errors) -> None:
        self.given, self.name, self.errors = given, name, errors
        self.training, selector_mode, self.drops, self.regularised = MODES[name]
        self.network = SSAN(given, selector_mode).train(self.training)
        self.regularised = self.regularised or self.network.inputs is None
        self.lengths = self.network.lengths

    def compare(self, answers: Dict[str, Any]) -> None:
        """Alone, in the batch, and the gradient of the batch."""
        info, given = self.given.info, self.given
        for number, length in enumerate(self.lengths):
            self._set_masks([number], length)
            noise = {
                layer: self._noise(number, layer) for layer in self.network.selecting
            }
            inputs = torch.from_numpy(self._input(number))[None]
            with torch.no_grad():
                alone = self.network.run(
                    inputs, torch.zeros(1, length, dtype=torch.bool), noise
                )
            self._compare_stages(alone, [number], "")
        longest, everything = max(self.lengths), list(range(len(self.lengths)))
        self._set_masks(everything, longest)
        noise = {
            layer: torch.from_numpy(given.batch[self._key("padded_noise", layer)])
            for layer in self.network.selecting
        }
        inputs = self._padded_inputs(longest)
        together = self.network.run(inputs, self.network.padding(), noise)
        self._compare_stages(together, everything, " (batch)")
        loss = self._compare_sums(together, answers, info)
        loss.backward()
        self._compare_gradients(inputs, answers)

    def _key(self, name: str, layer: int) -> str:
        return name if self.network.inputs is None else f"{name}{layer}"

    def _noise(self, number: int, layer: int) -> Tensor:
        return torch.from_numpy(
            self.given.sentences[number][self._key("noise", layer)]
        )[None]

    def _input(self, number: int) -> np.ndarray:
        sentence = self.given.sentences[number]
        return (
            sentence["inputs"]
            if self.network.inputs is None
            else sentence["ids"].astype(np.int64)
        )

    def _padded_inputs(self, longest: int) -> Tensor:
        if self.network.inputs is None:
            return torch.from_numpy(self.given.batch["padded_inputs"]).requires_grad_()
        ids = pad(
            [self._input(number) for number in range(len(self.lengths))], [longest]
        )
        return torch.from_numpy(ids.astype(np.int64))

    def _set_masks(self, numbers: List[int], seq_len: int) -> None:
        """Give all dropouts the masks of some sentences; none where the mode has
        none."""
        masks: Dict[str, GivenDropout] = {}
        places = {
            "encoder.attention.weights.dropout": (
                "dropout_kept",
                1.0 - self.given.info.get("attention_dropout", 0.0),
            )
        }
        if self.network.inputs is not None:
            order = self.given.info["modes"].get("dropout_order", [])
            names = ["inputs.element_dropout"]
            names += [
                f"encoder.layers.{i}.{name}"
                for i in range(len(self.network.attentions))
                for name in DROPOUTS
            ]
            if self.drops and len(order) != len(names):
                raise UnreadableSetError(
                    f"expected {len(names)} masks in dropout_order, got {len(order)}"
                )
            places = {
                name: (f"dropout_kept{i}", one["keep_prob"])
                for i, (name, one) in enumerate(zip(names, order, strict=False))
            }
        for name, (key, keep) in places.items() if self.drops else ():
            kept = [self.given.variants[self.name][number][key] for number in numbers]
            is_square = kept[0].ndim == 3  # attention weights; features otherwise
            shape = [
                *kept[0].shape[:-2],
                seq_len,
                seq_len if is_square else kept[0].shape[-1],
            ]
            masks[name] = GivenDropout(torch.from_numpy(pad(kept, shape, 1.0)), keep)
        for name in [name for name, _ in self.network.named_modules()]:
            if name.endswith("dropout"):
                parent, _, child = name.rpartition(".")
                setattr(
                    self.network.get_submodule(parent),
                    child,
                    masks.get(name, nn.Identity()),
                )

    def _compare_stages(self, found: Pass, numbers: List[int], suffix: str) -> None:
        is_layer = self.network.inputs is None
        for row, number in enumerate(numbers):
            answers, n = self.given.variants[self.name][number], self.lengths[number]
            ours = {"outputs" if is_layer else "encoded": found.outputs[row, :n]}
            for layer, weights in enumerate(found.weights):
                ours["weights" if is_layer else f"attn{layer}_w"] = weights[
                    row, :, :n, :n
                ]
            for layer, choice in found.choices.items():
                scores = choice.scores[row, :, :n, :n]
                prob, chosen = scores.sigmoid(), choice.values[row, :, :n, :n]
                ours[self._key("sample" if is_layer else "selected", layer)] = chosen
                ours[self._key("logits", layer)], ours[self._key("prob", layer)] = (
                    scores,
                    prob,
                )
                nce = prob * torch.nn.functional.logsigmoid(scores) + (
                    1 - prob
                ) * torch.nn.functional.logsigmoid(-scores)
                ours[self._key("nce", layer)] = nce
            for stage, theirs in answers.items():
                if stage in ours:
                    exact = (
                        stage.startswith(("sample", "selected"))
                        and theirs.dtype == np.int8
                    )
                    tolerance = {"tolerance": 0.0} if exact else {}
                    self.errors.add_arrays(
                        f"{self.name} {stage}{suffix}",
                        ours[stage].detach().numpy(),
                        theirs.astype(np.float32),
                        **tolerance,
                    )
                elif not stage.startswith(("dropout_kept", "d_inputs")):
                    raise UnreadableSetError(f"unknown stage {stage!r}")

    def _compare_sums(
        self, found: Pass, answers: Dict[str, Any], info: Dict[str, Any]
    ) -> Tensor:
        """Regularisers and loss. RETURNS (Tensor): The loss."""
        padding = self.network.padding()
        outputs, (padded, real, n_empty) = (
            found.outputs,
            self._regularisers(found, padding),
        )
        loss = sum(
            (
                outputs[row, :n]
                * torch.arange(n * outputs.shape[-1]).view(n, -1).double().cos().float()
            ).sum()
            for row, n in enumerate(self.lengths)
        )
        loss = torch.as_tensor(loss)
        if self.regularised:
            loss = (
                loss + info["select_scale"] * padded[0] + info["nce_scale"] * padded[1]
            )
        ours = {
            "encoder_sample": padded[0],
            "encoder_nce": padded[1],
            "loss": loss,
            "rows_without_a_key": n_empty,
        }
        ours |= {
            "selected_per_query_over_real_keys": real[0],
            "negative_entropy_over_real_keys": real[1],
        }
        for key, value in ours.items():
            if key in answers:
                number = float(torch.as_tensor(value).detach())
                tolerance = 0.0 if key.startswith("rows") else SUM_TOLERANCE
                stage = f"{self.name} {key}"
                self.errors.add_ratio(stage, number, answers[key], tolerance)
        return loss

    def _regularisers(self, found: Pass, padding: Tensor) -> Tuple[Tensor, Tensor, int]:
        """The two regularisers with padded keys, which the reference counts, and
        without; rows without a chosen key."""
        real, n_empty = forbidden_pairs(padding), 0
        sums: Dict[bool, Tensor] = {
            True: found.outputs.new_zeros(2),
            False: found.outputs.new_zeros(2),
        }
        for choice in found.choices.values():
            for counts_padding in sums:
                forbidden = torch.zeros_like(real) if counts_padding else real
                chosen, entropy = regularisers(choice, forbidden, padding)
                mean = torch.stack([chosen.sum(), entropy.sum()]) / (~padding).sum()
                sums[counts_padding] = sums[counts_padding] + mean
            is_empty = choice.values.masked_fill(real, 0.0).sum(-1) == 0
            n_empty += int((is_empty & ~padding[:, None, :]).sum())
        return sums[True], sums[False], n_empty

    def _compare_gradients(self, inputs: Tensor, answers: Dict[str, Any]) -> None:
        norms = answers["grad_norms"]
        largest = max(float(norm or 0.0) for norm in norms.values())
        gradients = self.network.named(
            lambda parameter: (
                torch.zeros_like(parameter)
                if parameter.grad is None
                else parameter.grad
            )
        )
        for key, norm in norms.items():
            gradient = gradients[key.partition("/")[2]].detach().double().numpy()
            pairs = [("norms", float(np.linalg.norm(gradient)), norm)]
            pairs.append(("probes", probe(gradient), answers["grad_probes"][key]))
            for what, ours, theirs in pairs:
                error = abs(ours - float(theirs or 0.0)) / largest
                self.errors.add(
                    f"{self.name} gradient {what}", error, GRADIENT_TOLERANCE
                )
        if inputs.grad is None:
            return
        theirs = [answers["d_inputs"] for answers in self.given.variants[self.name]]
        scale = max(1.0, *(float(np.abs(one).max()) for one in theirs))
        for row, one in zip(inputs.grad.numpy(), theirs, strict=True):
            self.errors.add_arrays(
                f"{self.name} d_inputs",
                row[: len(one)] / scale,
                one / scale,
                GRADIENT_TOLERANCE,
            )
