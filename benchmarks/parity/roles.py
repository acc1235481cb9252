"""Sets of semantic roles: LISA's network, stage by stage, its losses and gradients, its
Viterbi, its columns."""

from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from parity.lisa_layers import (
    GIVEN,
    ReferenceGold,
    ReferenceOutput,
    ReferenceRoles,
    ReferenceRolesConfig,
    marginal,
    reference_parameters,
)
from parity.role_layers import (
    NO_DROPOUT,
    compare_arcs,
    compare_deprels,
    compare_gradients,
    compare_joint,
    compare_layer,
    compare_roles,
    compare_scores,
    compare_stage,
    compare_timing,
    compare_viterbi,
    cross_entropy,
    decoded,
    gradients_of,
    hooked,
    load,
    role_targets,
)
from parity.role_sets import RoleErrors, RoleSet, read_role_set
from parity.stages import HUGE, Row
from parity.vectors import Arrays
from spacy_lal.layers.roles_configs import RolesEncoderConfig
from spacy_lal.loss.roles import RolesLoss
from spacy_lal.scores import GoldRoles, RoleScores

WORDS = ("embedding.word_type", "embedding.word_type.oov")


def build_reference(vectors: RoleSet) -> ReferenceRoles:
    """The network of a set, with its weights."""
    info, weights = vectors.info, vectors.under("w/")
    model, vocabularies = info["model"], info["vocabularies"]
    table = np.concatenate([weights.pop(name) for name in WORDS])
    encoder = RolesEncoderConfig(
        n_heads=model["layers"]["num_heads"],
        head_width=model["layers"]["head_dim"],
        ff_width=model["layers"]["ff_hidden_size"],
        timing=True,
        **NO_DROPOUT,
    )
    sizes = {
        "n_words": len(table) - 1,
        "word_width": table.shape[1],
        "joint_width": model["predicate_pred_mlp_size"],
        "arc_width": model["attn_mlp_size"],
        "deprel_width": model["class_mlp_size"],
        "predicate_width": model["predicate_mlp_size"],
        "role_width": model["role_mlp_size"],
        **{name: len(labels) for name, labels in vocabularies.items()},
    }
    joint = (
        tuple(info.get("joint_to_pos", ())),
        tuple(info.get("joint_to_predicate", ())),
    )
    network = ReferenceRoles(
        ReferenceRolesConfig(encoder, info["layers"], sizes, *joint)
    )
    with torch.no_grad():
        network.words.weight.copy_(torch.from_numpy(table))
    load(reference_parameters(network), weights)
    return network


def gold_of(arrays: Arrays, keep: np.ndarray) -> ReferenceGold:
    """The gold labels of a set; zeros for a missing task."""
    names = ("parse_head", "parse_label", "gold_pos", "predicate")
    labels = [arrays.get(f"gold/{name}", np.zeros(keep.shape)) for name in names]
    return ReferenceGold(
        *(torch.from_numpy(np.where(keep, one, 0)).long() for one in labels)
    )


def follows_gold(vectors: RoleSet, keep: np.ndarray) -> bool:
    """Whether the syntax head follows gold heads at evaluation: its stored logits tell
    it."""
    layer = vectors.info["layers"].get(GIVEN)
    if layer is None:
        return False
    logits = vectors.arrays[f"eval/layer{layer}.attention_logits"][:, -1]
    return bool((logits[keep] > HUGE).any())


def compare_network(vectors: RoleSet, errors: RoleErrors) -> None:
    """The whole model in training mode and at evaluation."""
    keep = vectors.arrays["keep"] > 0.5
    network, gold = build_reference(vectors), gold_of(vectors.arrays, keep)
    for mode in ("train", "eval"):
        network.train(mode == "train").zero_grad()
        stages: Dict[str, Tensor] = {}
        handles = [
            network.inputs.projection.register_forward_hook(_keep_projected(stages))
        ]
        handles.append(network.inputs.register_forward_hook(_keep(stages, "timed")))
        for i, layer in enumerate(network.layers):
            handles += hooked(layer, stages, f"layer{i}.")
        for i, norm in network.task_norms.items():
            handles.append(
                norm.register_forward_hook(_keep(stages, f"layer{i}.task_norm"))
            )
        words = torch.from_numpy(vectors.arrays["word_ids"]).long()
        gold_heads = mode == "eval" and follows_gold(vectors, keep)
        output = network(
            words, torch.from_numpy(vectors.arrays["keep"]), gold, gold_heads
        )
        for handle in handles:
            handle.remove()
        theirs = vectors.under(f"{mode}/")
        for stage, ours in stages.items():
            staged = RoleErrors()
            compare_stage(staged, stage, ours, theirs[stage], keep)
            errors.add(f"{mode} {stage}", *staged.rows[stage])
        _compare_tasks(vectors, errors, mode, output, keep)
        _compare_losses(vectors, errors, mode, output, network, keep)


def _keep(stages: Dict[str, Tensor], name: str) -> Callable:
    return lambda module, inputs, output: stages.__setitem__(name, output.detach())


def _keep_projected(stages: Dict[str, Tensor]) -> Callable:
    def hook(module: Any, inputs: Any, output: Tensor) -> None:
        stages["projected"] = torch.nn.functional.leaky_relu(output.detach(), 0.1)

    return hook


def _compare_tasks(
    vectors: RoleSet,
    errors: RoleErrors,
    mode: str,
    output: ReferenceOutput,
    keep: np.ndarray,
) -> None:
    """Scores, probabilities and predictions of each task."""
    theirs, info = vectors.under(f"{mode}/"), vectors.info
    scored: List[Tuple[str, Any]] = [
        ("joint", output.joint),
        ("parse_label", output.deprels),
    ]
    if output.heads is not None:
        scored.append(("parse_head", output.heads.arcs))
        for name, features in (
            ("dep_rel_mlp", output.heads.dependents),
            ("head_rel_mlp", output.heads.heads),
        ):
            errors.compare(
                f"{mode} parse_head.{name}",
                features,
                theirs[f"parse_head.{name}"],
                keep=keep,
            )
    for task, scores in scored:
        if scores is None:
            continue
        under = vectors.under(f"{mode}/{task}.")
        compare_scores(errors, f"{mode} {task}.", scores, under, keep)
    if output.joint is not None:
        for name, key in (
            ("gold_pos", "joint_to_pos"),
            ("predicate", "joint_to_predicate"),
        ):
            expected = theirs[f"joint.{name}_probabilities"]
            ours = marginal(
                output.joint.detach().softmax(-1), tuple(info[key]), expected.shape[-1]
            )
            errors.compare(
                f"{mode} joint.{name}_probabilities", ours, expected, keep=keep
            )
            predicted = theirs[f"joint.{name}_predictions"][keep]
            errors.add_same(
                f"{mode} joint.{name}_predictions",
                ours.argmax(-1).numpy()[keep],
                predicted,
            )
    real = keep[output.rows[:, 0].numpy()]
    errors.compare(f"{mode} srl.scores", output.tags, theirs["srl.scores"], keep=real)
    errors.compare(
        f"{mode} srl.probabilities",
        output.tags.detach().softmax(-1),
        theirs["srl.probabilities"],
        keep=real,
    )
    transitions = vectors.arrays["transitions"] if mode == "eval" else None
    lengths = real.sum(1).tolist()
    ours_tags = decoded(output.tags.detach().numpy(), lengths, transitions)
    pairs = zip(ours_tags, theirs["srl.predictions"], lengths, strict=True)
    errors.add_same(
        f"{mode} srl.predictions",
        all(np.array_equal(a, b[:n]) for a, b, n in pairs),
        True,
    )


def _compare_losses(
    vectors: RoleSet,
    errors: RoleErrors,
    mode: str,
    output: ReferenceOutput,
    network: ReferenceRoles,
    keep: np.ndarray,
) -> None:
    """The losses, with the reference's padding columns; in training their gradients,
    and where sentences have no padding our masked loss, too. The evaluation loss of
    roles is the reference's fault S2 and left out."""
    arrays, told, tasks = vectors.arrays, vectors.info[mode], vectors.info["tasks"]
    parts: List[Tuple[str, str, Any, np.ndarray, float]] = []
    if output.joint is not None:
        parts.append(
            (
                "joint_pos_predicate",
                "joint_loss",
                output.joint,
                arrays["gold/joint_pos_predicate"],
                0.0,
            )
        )
    if output.heads is not None:
        parts.append(
            (
                "parse_head",
                "parse_head_loss",
                output.heads.arcs,
                arrays["gold/parse_head"],
                0.0,
            )
        )
    if output.deprels is not None:
        parts.append(
            (
                "parse_label",
                "parse_label_loss",
                output.deprels,
                arrays["gold/parse_label"],
                0.0,
            )
        )
    total, tensors, gradients = 0.0, [], []
    for task, name, scores, gold, smoothing in parts:
        loss, gradient = cross_entropy(scores, np.where(keep, gold, -1), smoothing)
        errors.compare(f"{mode} {name}", loss, np.asarray(told[name]))
        total += loss * tasks[task]["penalty"]
        tensors.append(scores)
        gradients.append(gradient * tasks[task]["penalty"])
    if mode == "eval":
        return
    gold_tags = role_targets(arrays["gold/srl"], output.rows.numpy(), keep)
    loss, gradient = cross_entropy(output.tags, gold_tags, 0.1)
    errors.compare("train srl_loss", loss, np.asarray(told["srl_loss"]))
    penalty = tasks["srl"]["penalty"]
    errors.compare("train loss", total + loss * penalty, np.asarray(told["loss"]))
    torch.autograd.backward([*tensors, output.tags], [*gradients, gradient * penalty])
    theirs = vectors.under("grad/")
    ours = gradients_of(lambda: reference_parameters(network), [network])
    words = network.words.weight.grad
    if words is not None:
        ours |= {WORDS[0]: words[:-1], WORDS[1]: words[-1:]}
    compare_gradients(errors, ours, theirs, "train gradients")
    if keep.all():
        _compare_masked(vectors, errors, output, gold_tags)


def _compare_masked(
    vectors: RoleSet, errors: RoleErrors, output: ReferenceOutput, gold_tags: np.ndarray
) -> None:
    """The loss that our component trains with, over sentences without padding."""
    arrays, tasks = vectors.arrays, vectors.info["tasks"]
    loss = RolesLoss(
        predicate_weight=tasks["joint_pos_predicate"][
            "penalty"
        ],  # the other tasks' are constants of the loss
        label_smoothing=0.1,
    )
    scores, golds = [], []
    for i in range(len(arrays["keep"])):
        mine = (output.rows[:, 0] == i).numpy()
        rows = output.rows.numpy()[mine, 1]
        numpy_of = [
            None if one is None else one[i].detach().numpy()
            for one in (output.joint, output.deprels)
        ]
        arcs = None if output.heads is None else output.heads.arcs[i].detach().numpy()
        scores.append(
            RoleScores(
                numpy_of[0],
                rows,
                output.tags.detach().numpy()[mine],
                None,
                arcs,
                numpy_of[1],
            )
        )
        heads = (
            arrays["gold/parse_head"][i] if arcs is not None else np.full(len(rows), -1)
        )
        deprels = arrays["gold/parse_label"][i] if numpy_of[1] is not None else heads
        none = np.full(len(rows), -1)
        golds.append(
            GoldRoles(
                arrays["gold/joint_pos_predicate"][i],
                rows,
                gold_tags[mine],
                none,
                heads,
                deprels,
            )
        )
    losses, _ = loss(scores, golds)
    errors.compare(
        "train RolesLoss",
        sum(losses.values()),
        np.asarray(vectors.info["train"]["loss"]),
    )


def legal(tags: Sequence[str]) -> Iterator[str]:
    """BIO tags as the reference reads illegal ones: an I- opens an argument if none is
    open, else it continues the open one, whatever its role."""
    role = ""
    for tag in tags:
        mark, _, of_tag = tag.partition("-")
        if mark == "I":
            yield f"I-{role}" if role else f"B-{of_tag}"
            role = role or of_tag
        else:
            yield tag
            role = of_tag


def compare_columns(vectors: RoleSet, errors: RoleErrors) -> None:
    """BIO tags as columns of a props file."""
    from spacy_lal.trees.roles import bio_to_args

    for entry in vectors.info:
        cells = ["*"] * len(entry["tags"])
        for start, end, role in bio_to_args([*legal(entry["tags"])]):
            cells[start] = f"({role}{cells[start]}"
            cells[end - 1] = f"{cells[end - 1]})"
        errors.add_same(
            f"{entry.get('kind', '')} columns".strip(), cells, entry["column"]
        )


COMPARE: Dict[str, Callable[[RoleSet, RoleErrors], None]] = {
    "layer": compare_layer,
    "timing": compare_timing,
    "joint": compare_joint,
    "arcs": compare_arcs,
    "deprels": compare_deprels,
    "roles": compare_roles,
    "viterbi": compare_viterbi,
    "network": compare_network,
    "columns": compare_columns,
}


def compare_role_set(folder: Path, name: str, kind: str) -> List[Row]:
    """Rows of (stage, largest error, tolerance) of one set."""
    errors = RoleErrors()
    COMPARE[kind](read_role_set(folder, name), errors)
    return errors.listed()
