"""Layers and scorers of semantic roles against the reference: one set, one kind of
layer."""

from typing import Any, Callable, Dict, List, Optional

import numpy as np
import torch
from torch import Tensor, nn

from parity.lisa_layers import (
    DoubleHeadScorer,
    DoubleRoleScorer,
    LeakyPredicateScorer,
    layer_parameters,
    marginal,
)
from parity.role_sets import GRADIENT, TIMING, RoleErrors, RoleSet
from parity.vectors import Arrays
from spacy_lal.decode import viterbi
from spacy_lal.layers.roles_configs import (
    PredicateScorerConfig,
    RoleScorerConfig,
    RolesEncoderConfig,
    SyntaxConfig,
)
from spacy_lal.layers.roles_network import (
    CLAMP,
    SLOPE,
    RolesLayer,
    clamped_heads,
    timing_signal,
)
from spacy_lal.loss.parser import cross_entropy as our_cross_entropy

NO_DROPOUT = {"dropout": 0.0}


def load(parameters: Dict[str, Tensor], weights: Arrays) -> None:
    """Set parameters. RAISES (ValueError): A weight is missing or left over."""
    if set(parameters) != set(weights):
        raise ValueError(f"weights differ: {sorted(set(parameters) ^ set(weights))}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(torch.from_numpy(weights[name]))


def compare_gradients(
    errors: RoleErrors,
    gradients: Dict[str, Optional[Tensor]],
    theirs: Arrays,
    stage: str,
) -> None:
    """Compare gradients by name; a parameter without a gradient has zeros."""
    for name, gradient in theirs.items():
        ours = gradients[name]
        errors.compare(
            stage, np.zeros_like(gradient) if ours is None else ours, gradient, GRADIENT
        )


def gradients_of(
    parameters: Callable[[], Dict[str, Tensor]], modules: List[nn.Module]
) -> Dict[str, Optional[Tensor]]:
    """The gradients of the modules' parameters, by the names that `parameters` gives to
    the parameters."""
    own = [parameter for module in modules for parameter in module.parameters()]
    values = [parameter.data for parameter in own]
    for parameter in own:
        parameter.data = (
            torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        )
    named = {name: value.detach().clone() for name, value in parameters().items()}
    for parameter, value in zip(own, values, strict=True):
        parameter.data = value
    return dict(named)


def cross_entropy(scores: Tensor, gold: np.ndarray, smoothing: float = 0.0) -> Any:
    """Our cross-entropy, averaged over labels that are not -1, and its gradient as a
    tensor."""
    flat = scores.detach().numpy().reshape(-1, scores.shape[-1])
    total, gradient = our_cross_entropy(flat, gold.reshape(-1), smoothing)
    count = max(1, int((gold >= 0).sum()))
    return total / count, torch.from_numpy(
        gradient.reshape(scores.shape) / np.float32(count)
    )


def hooked(layer: RolesLayer, stages: Dict[str, Tensor], prefix: str = "") -> List[Any]:
    """Hooks that keep every stage of a layer, under the reference's names."""

    def keep(name: str) -> Callable:
        def hook(module: nn.Module, inputs: Any, output: Tensor) -> None:
            stages[prefix + name] = output.detach()

        return hook

    def keep_weights(module: nn.Module, inputs: Any, output: Tensor) -> None:
        logits, padding = inputs
        stages[prefix + "attention_logits"] = (
            logits - CLAMP * padding.float()
        ).detach()
        stages[prefix + "attention_weights"] = output.detach()

    def keep_context(module: nn.Module, inputs: Any, output: Tensor) -> None:
        stages[prefix + "attention_context"] = (
            inputs[0].unflatten(-1, (-1, layer.attention.head_width)).transpose(1, 2)
        )
        stages[prefix + "attention_out"] = output.detach()

    return [
        layer.attention_norm.register_forward_hook(keep("attention_norm")),
        layer.attention.weights.register_forward_hook(keep_weights),
        layer.attention.output.register_forward_hook(keep_context),
        layer.ff_norm.register_forward_hook(keep("ff_norm")),
        layer.feed_forward.register_forward_hook(keep("ff_out")),
        layer.register_forward_hook(keep("out")),
    ]


def compare_stage(
    errors: RoleErrors, stage: str, ours: Tensor, theirs: np.ndarray, keep: np.ndarray
) -> None:
    """Compare one stage of a layer at real words: rows of [B, T, ...], or queries of
    [B, heads, T, ...]."""
    value = ours.detach().numpy()
    if stage.rpartition(".")[2] in (
        "attention_logits",
        "attention_weights",
        "attention_context",
    ):
        value, theirs = value.swapaxes(1, 2), theirs.swapaxes(1, 2)
    errors.compare(stage, value, theirs, keep=keep)


def compare_scores(
    errors: RoleErrors, stage: str, scores: Tensor, theirs: Arrays, keep: np.ndarray
) -> None:
    """Compare the scores, probabilities and predictions of a classifier at real words.

    stage (str): The beginning of the stages' names, if any, with its last character."""
    values = scores.detach()
    ours = {"scores": values, "probabilities": values.softmax(-1)}
    for name, value in ours.items():
        errors.compare(f"{stage}{name}", value, theirs[name], keep=keep)
    predictions = values.argmax(-1).numpy()
    errors.add_same(
        f"{stage}predictions", predictions[keep], theirs["predictions"][keep]
    )


def compare_layer(vectors: RoleSet, errors: RoleErrors) -> None:
    """A transformer layer: plain, with given logits, with given values."""
    info = vectors.info
    config = RolesEncoderConfig(
        n_heads=info["heads"],
        head_width=info["head_dim"],
        ff_width=info["ff_hidden"],
        **NO_DROPOUT,
    )
    for case, told in info["cases"].items():
        arrays = {
            key: torch.from_numpy(value)
            for key, value in vectors.under(f"{case}/").items()
        }
        keep = arrays["keep"].numpy() > 0.5
        layer = RolesLayer(config, told["special_attention"], told["special_values"])
        load(layer_parameters(layer), vectors.under(f"{case}/w/"))
        given = (
            [clamped_heads(arrays["special_heads"].long())]
            if "special_heads" in arrays
            else []
        )
        given += [arrays["special_scores"]] if "special_scores" in arrays else []
        values = [arrays[f"special_values{i}"] for i in range(told["special_values"])]
        stages: Dict[str, Tensor] = {}
        hooked(layer, stages)
        x = arrays["x"].clone().requires_grad_()
        out = layer(x, torch.from_numpy(~keep), given, values)
        for stage, ours in stages.items():
            theirs = arrays[stage].numpy()
            value = ours.numpy() if not ours.requires_grad else ours.detach().numpy()
            if stage in ("attention_logits", "attention_weights", "attention_context"):
                value, theirs = value.swapaxes(1, 2), theirs.swapaxes(1, 2)
            errors.compare(f"{case} {stage}", value, theirs, keep=keep)
        (out * arrays["R"]).sum().backward()
        theirs_grad = vectors.under(f"{case}/grad/")
        errors.compare(
            f"{case} grad x", x.grad, theirs_grad.pop("x"), GRADIENT, keep=keep
        )
        gradients = gradients_of(lambda layer=layer: layer_parameters(layer), [layer])  # type: ignore[misc]
        compare_gradients(errors, gradients, theirs_grad, f"{case} gradients")


def compare_timing(vectors: RoleSet, errors: RoleErrors) -> None:
    """The timing signal."""
    for length, width in vectors.info["shapes"]:
        name = f"{length}x{width}"
        ours = vectors.arrays[f"{name}/x"] + timing_signal(length, width).numpy()
        errors.compare(name, ours, vectors.arrays[f"{name}/out"], TIMING)


def compare_joint(vectors: RoleSet, errors: RoleErrors) -> None:
    """The joint task of tag and predicate, and the classifier of tags alone."""
    arrays, info = vectors.arrays, vectors.info
    keep = arrays["keep"] > 0.5
    gold = np.where(keep, arrays["targets"], -1)
    x = torch.from_numpy(arrays["x"])
    joint = LeakyPredicateScorer(
        PredicateScorerConfig(hidden_width=info["hidden"], dropout=0.0),
        x.shape[-1],
        info["n_labels"],
    )

    def parameters() -> Dict[str, Tensor]:
        return linear_parameters("joint.hidden", joint.hidden) | linear_parameters(
            "joint.output", joint.output
        )

    load(parameters(), vectors.under("w/"))
    scores = joint(x)
    loss, gradient = cross_entropy(scores, gold)
    scores.backward(gradient)
    probabilities = scores.detach().softmax(-1)
    compare_scores(errors, "", scores, vectors.under("out/"), keep)
    errors.compare("loss", loss, arrays["out/loss"])
    for name in ("pos", "predicate"):
        components = tuple(arrays[f"joint_to_{name}"].tolist())
        theirs = arrays[f"out/{name}_probabilities"]
        ours = marginal(probabilities, components, theirs.shape[-1])
        errors.compare(f"{name} probabilities", ours, theirs, keep=keep)
        errors.add_same(
            f"{name} predictions",
            ours.argmax(-1).numpy()[keep],
            arrays[f"out/{name}_predictions"][keep],
        )
    compare_gradients(
        errors, gradients_of(parameters, [joint]), vectors.under("grad/"), "gradients"
    )
    _compare_plain(vectors, errors, x, gold, keep)


def _compare_plain(
    vectors: RoleSet, errors: RoleErrors, x: Tensor, gold: np.ndarray, keep: np.ndarray
) -> None:
    """A linear map with leaky ReLU, whose loss is smoothed."""
    theirs = vectors.under("plain/")
    if not theirs:
        return
    linear = nn.Linear(*theirs["w/joint.output.W"].shape)
    load(linear_parameters("joint.output", linear), vectors.under("plain/w/"))
    scores = torch.nn.functional.leaky_relu(linear(x), SLOPE)
    loss, gradient = cross_entropy(scores, gold, smoothing=0.1)
    scores.backward(gradient)
    errors.compare("plain scores", scores, theirs["out/scores"], keep=keep)
    errors.compare("plain loss", loss, theirs["out/loss"])
    errors.add_same(
        "plain predictions",
        scores.detach().argmax(-1).numpy()[keep],
        theirs["out/predictions"][keep],
    )
    gradients = gradients_of(
        lambda: linear_parameters("joint.output", linear), [linear]
    )
    compare_gradients(
        errors, gradients, vectors.under("plain/grad/"), "plain gradients"
    )


def linear_parameters(name: str, linear: nn.Linear) -> Dict[str, Tensor]:
    """Weight and bias by the names of the vectors."""
    return {f"{name}.W": linear.weight.t(), f"{name}.b": linear.bias}


def compare_arcs(vectors: RoleSet, errors: RoleErrors) -> None:
    """Scores of arcs; loss, probabilities and predictions with the reference's padding
    columns, scores without."""
    arrays, info = vectors.arrays, vectors.info
    keep = arrays["keep"] > 0.5
    x = torch.from_numpy(arrays["x"])
    scorer = DoubleHeadScorer(
        SyntaxConfig(
            arc_width=info["arc_width"], deprel_width=info["label_width"], dropout=0.0
        ),
        x.shape[-1],
        1,
    )

    def parameters() -> Dict[str, Tensor]:
        return {
            **linear_parameters("parse.mlp", scorer.projection),
            "parse.arc.U": scorer.arc_bilinear,
        }

    load(parameters(), vectors.under("w/"))
    found = scorer(x)
    loss, gradient = cross_entropy(found.arcs, np.where(keep, arrays["heads"], -1))
    found.arcs.backward(gradient)
    compare_scores(errors, "", found.arcs, vectors.under("out/"), keep)
    errors.compare("loss", loss, arrays["out/loss"])
    errors.compare(
        "dependents of deprels", found.dependents, arrays["out/dep_rel_mlp"], keep=keep
    )
    errors.compare(
        "heads of deprels", found.heads, arrays["out/head_rel_mlp"], keep=keep
    )
    compare_gradients(
        errors, gradients_of(parameters, [scorer]), vectors.under("grad/"), "gradients"
    )


def compare_deprels(vectors: RoleSet, errors: RoleErrors) -> None:
    """Deprels given gold heads and given predicted heads."""
    arrays = vectors.arrays
    keep = arrays["keep"] > 0.5
    weight = arrays["w/parse.deprel.U"]
    for mode in ("train", "eval"):
        scorer = DoubleHeadScorer(
            SyntaxConfig(
                arc_width=4, deprel_width=arrays["dep"].shape[-1], dropout=0.0
            ),
            4,
            weight.shape[1],
        )
        load({"U": scorer.deprel_bilinear}, {"U": weight})
        inputs = [
            torch.from_numpy(arrays[name]).clone().requires_grad_()
            for name in ("dep", "head")
        ]
        scores = scorer.score_deprels(
            *inputs, torch.from_numpy(arrays[f"{mode}/heads_used"]).long()
        )
        loss, gradient = cross_entropy(scores, np.where(keep, arrays["labels"], -1))
        scores.backward(gradient)
        theirs = vectors.under(f"{mode}/")
        compare_scores(errors, f"{mode} ", scores, theirs, keep)
        errors.compare(f"{mode} loss", loss, theirs["loss"])
        for name, tensor in zip(("dep", "head"), inputs, strict=True):
            errors.compare(
                f"{mode} gradients", tensor.grad, theirs[f"grad/{name}"], GRADIENT
            )
        errors.compare(
            f"{mode} gradients",
            scorer.deprel_bilinear.grad,
            theirs["grad/parse.deprel.U"],
            GRADIENT,
        )


def role_targets(targets: np.ndarray, rows: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """The gold tags of each predicate: the k-th column for the k-th predicate of a
    sentence; -1 on padding."""
    found = np.full((len(rows), targets.shape[1]), -1, dtype=np.int64)
    seen: Dict[int, int] = {}
    for f, sentence in enumerate(rows[:, 0].tolist()):
        k = seen.get(sentence, 0)
        seen[sentence] = k + 1
        if k < targets.shape[2]:
            found[f] = np.where(keep[sentence], targets[sentence, :, k], -1)
    return found


def decoded(
    scores: np.ndarray, lengths: List[int], transitions: Optional[np.ndarray]
) -> List[np.ndarray]:
    """The reference's tags: argmax without transitions, else Viterbi without
    constraints."""
    cut = [
        np.ascontiguousarray(one[:n]) for one, n in zip(scores, lengths, strict=True)
    ]
    if transitions is None:
        return [one.argmax(-1) for one in cut]
    return [tags for tags, _ in viterbi(cut, transitions=transitions)]


def compare_roles(vectors: RoleSet, errors: RoleErrors) -> None:
    """Role tags of predicates: scores, loss, Viterbi."""
    arrays, info = vectors.arrays, vectors.info
    keep = arrays["keep"] > 0.5
    x = torch.from_numpy(arrays["x"])
    widths = RoleScorerConfig(info["predicate_width"], info["role_width"], 0.0)
    for case, told in info["cases"].items():
        scorer = DoubleRoleScorer(widths, x.shape[-1], len(info["labels"]))

        def parameters(scorer: DoubleRoleScorer = scorer) -> Dict[str, Tensor]:
            return {
                **linear_parameters("srl.mlp", scorer.projection),
                "srl.U": scorer.bilinear,
            }

        load(parameters(), vectors.under("w/"))
        theirs = vectors.under(f"{case}/")
        chosen = (torch.from_numpy(theirs["predicates_used"]) > 0) & torch.from_numpy(
            keep
        )
        rows = chosen.nonzero()
        scores = scorer(x, rows).tags
        errors.add_same(f"{case} predicates", rows.numpy(), theirs["predicate_index"])
        real = keep[rows[:, 0].numpy()]
        errors.compare(f"{case} scores", scores, theirs["scores"], keep=real)
        errors.compare(
            f"{case} probabilities",
            scores.detach().softmax(-1),
            theirs["probabilities"],
            keep=real,
        )
        name = told["transitions"]
        lengths = real.sum(1).tolist()
        ours = decoded(
            scores.detach().numpy(),
            lengths,
            arrays[f"transitions_{name}"] if name else None,
        )
        same = all(
            np.array_equal(a, b[:n])
            for a, b, n in zip(ours, theirs["predictions"], lengths, strict=True)
        )
        errors.add_same(f"{case} predictions", same, True)
        if (
            told["mode"] != "train"
            or theirs["targets"].shape[0] != len(rows)
            or case == "padding_flags"
        ):
            if len(rows):
                continue
        gold = role_targets(arrays["targets"], rows.numpy(), keep)
        loss, gradient = cross_entropy(scores, gold, told["label_smoothing"])
        scores.backward(gradient)
        errors.compare(f"{case} loss", loss, theirs["loss"])
        compare_gradients(
            errors,
            gradients_of(parameters, [scorer]),
            vectors.under(f"{case}/grad/"),
            f"{case} gradients",
        )


def compare_viterbi(vectors: RoleSet, errors: RoleErrors) -> None:
    """Viterbi of random scores: tags, and the score of the best path."""
    arrays = vectors.arrays
    for case in vectors.info["cases"]:
        transitions = arrays[f"{case}/transitions"]
        lengths = arrays["lengths"].tolist()
        scores = [
            np.ascontiguousarray(one[:n])
            for one, n in zip(arrays[f"{case}/scores"], lengths, strict=True)
        ]
        for i, (tags, score) in enumerate(viterbi(scores, transitions=transitions)):
            errors.add_same(
                f"{case} tags", tags, arrays[f"{case}/tags"][i, : lengths[i]]
            )
            errors.add(
                f"{case} score", abs(score - float(arrays[f"{case}/best"][i])), 1e-3
            )
