"""Sets of Kitaev & Klein's parser: ids, every stage, decoding, losses and gradients,
against ours."""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from parity.encoder_network import (
    INFERENCE,
    EncoderReference,
    our_selector_key,
    sentence_ids,
)
from parity.encoder_sets import Arrays, EncoderSet
from parity.given_noise import EXTRAS, EachToken
from parity.network import GRADIENT_TOLERANCE, SUM_TOLERANCE
from parity.stages import STAGE, Errors, Row, cut, kept_outputs
from spacy_lal.checkpoint.networks import our_key
from spacy_lal.decode import cky
from spacy_lal.layers.parser_network import ParserNetwork
from spacy_lal.loss.gold import GoldParse
from spacy_lal.loss.parser import MISSING, ParserLoss
from spacy_lal.scores import ParserScores
from spacy_lal.trees import SUB_HEAD, Constituent, Parse, join_chain

IDS = ("tag_ids", "word_ids", "char_ids", "char_lengths", "concat_ids")
ELMO = "elmo."


def run_stages(network: ParserNetwork, inputs: Any) -> Tuple[Dict[str, Tensor], Any]:
    """One pass, with every stage of the reference under its name."""
    stages: Dict[str, Tensor] = {}
    names = {"inputs": "emb", "fenceposts": "fencepost"}
    for i in range(len(network.encoder.layers)):
        names |= {
            f"encoder.layers.{i}.attention": f"attn{i}",
            f"encoder.layers.{i}.attention.weights": f"attn{i}_w",
        }
        names |= {f"encoder.layers.{i}.feed_forward": f"ff{i}"}
        names |= {f"encoder.layers.{i}.attention.selector": f"selector{i}_logits"}
    handles = []
    modules = dict(network.named_modules())
    # the reference's `extra` comes before its dropout
    for kind, dropout in EXTRAS.items():
        module = modules.get(f"inputs.features.{kind}.{dropout}")
        if module is not None:
            hook = module.register_forward_pre_hook(_keep_input(stages, "extra"))
            handles.append(hook)
    restored = [
        _record_choices(stages, i, layer)
        for i, layer in enumerate(network.encoder.layers)
    ]
    try:
        with kept_outputs(network, names) as outputs:
            output = network(inputs)
        return {**stages, **outputs}, output
    finally:
        for handle in handles:
            handle.remove()
        for selector in filter(None, restored):
            del selector.choose


def _keep_input(stages: Dict[str, Tensor], stage: str) -> Any:
    def hook(module: nn.Module, args: Any) -> None:
        stages[stage] = args[0]

    return hook


def _record_choices(stages: Dict[str, Tensor], index: int, layer: Any) -> Any:
    """Let a layer's selector record its choices. RETURNS: The selector, if any."""
    selector = getattr(layer.attention, "selector", None)
    if selector is None:
        return None
    choose = selector.choose

    def recorded(scores: Tensor) -> Any:
        choice = choose(scores)
        stages[f"selected{index}"] = choice.values.detach()
        return choice

    selector.choose = recorded
    return selector


def compare_ids(reference: EncoderReference, errors: Errors) -> None:
    """Ids that we read from words and tags."""
    for index, given in enumerate(reference.vectors.sentences):
        ours = sentence_ids(reference, index)
        for name in IDS:
            if name in given:
                found, theirs = ours.get(name), given[name].astype(np.int64)
                same = found is not None and np.array_equal(
                    found[..., : theirs.shape[-1]], theirs
                )
                errors.add(name, float(not same), 0.0)


def compare_stages(
    reference: EncoderReference,
    errors: Errors,
    indices: Sequence[int],
    variant: str,
    suffix: str,
) -> None:
    """Run some sentences as one batch, and compare all that the set stores of them."""
    network = reference.variant(variant, indices)
    with torch.no_grad(), reference.limits(variant, network):
        stages, output = run_stages(network, reference.batch(indices))
    for row, index in enumerate(indices):
        n = reference.lengths[index]
        given = reference.vectors.sentences[index]
        answers = reference.vectors.variants[variant][index] if variant else given
        if variant == INFERENCE:  # what is stored of the sentence alone is of inference
            answers = {**given, **answers}
        chart = their_labels(output.labels[row, : n + 1, : n + 1].numpy())
        ours = {"label_scores_ut": chart[np.triu_indices(n + 1, 1)]}
        ours |= {stage: cut(stage, value[row], n) for stage, value in stages.items()}
        for stage, theirs in answers.items():
            if stage in ours:
                exact = stage.startswith("selected") and np.issubdtype(
                    theirs.dtype, np.integer
                )
                errors.add_arrays(
                    stage + suffix,
                    ours[stage],
                    theirs,
                    0.0 if exact else STAGE,
                )
            elif not _is_input(stage):
                errors.add(f"{stage}: no such stage", float("inf"), STAGE)
        _compare_decoding(reference, errors, index, answers, chart, variant, suffix)


def _is_input(stage: str) -> bool:
    """Whether an array is no stage: an input, or an answer of the decoder."""
    return stage in (*IDS, "features", "score", "gold_label") or stage.startswith(
        ("noise", "dec_")
    )


def their_labels(chart: np.ndarray) -> np.ndarray:
    """A chart without our sub-head label: the reference's label ids."""
    return np.ascontiguousarray(np.delete(chart, SUB_HEAD, axis=-1))


def _compare_decoding(
    reference: EncoderReference,
    errors: Errors,
    index: int,
    answers: Arrays,
    chart: np.ndarray,
    variant: str,
    suffix: str,
) -> None:
    """Score, tree and brackets of a sentence, decoded from our scores."""
    told = reference.info["sentences"][index]
    expected = told.get("brackets", {}).get(variant) if variant else told.get("bracket")
    if variant == INFERENCE and expected is None:
        expected = told.get("bracket")
    if "dec_i" not in answers and expected is None:
        return
    score, nodes = cky(chart)
    constituents = sorted(tuple(map(int, node)) for node in nodes if node[2])
    if "score" in answers:
        theirs = float(answers["score"])
        errors.add_ratio("score" + suffix, score, theirs, SUM_TOLERANCE)
    if "dec_i" in answers:
        their_nodes = zip(
            *(answers[key].tolist() for key in ("dec_i", "dec_j", "dec_label")),
            strict=True,
        )
        errors.add(
            "tree" + suffix,
            float(constituents != sorted(node for node in their_nodes if node[2])),
            0.0,
        )
    if expected is not None:
        labels = [join_chain(chain) for chain in reference.info["label_vocab"]]
        spans = [
            Constituent(start, end, labels[label])
            for start, end, label in _preorder(constituents)
        ]
        parse = Parse(told["words"], told["tags"], spans)
        brackets = parse.to_brackets(escape=False)
        errors.add_same("brackets" + suffix, brackets, expected)


def _preorder(spans: Sequence[Tuple[int, int, int]]) -> List[Tuple[int, int, int]]:
    return sorted(spans, key=lambda span: (span[0], -span[1]))


def compare_training(
    reference: EncoderReference, errors: Errors, variant: str, suffix: str
) -> None:
    """Losses, and the gradient of each parameter: its norm and its probe."""
    everything = list(range(len(reference.lengths)))
    training = reference.info.get("training") or reference.info.get("training_dropout0")
    if training is None:
        return
    training = training.get(variant, {}) if variant else training
    for index, expected in enumerate(training.get("loss_single", [])):
        wanted = {}
        if index == training.get("grad_sentence"):
            wanted = {"norms": training.get("grad_norms_single", {})}
        _compare_loss(reference, errors, [index], variant, expected, wanted, suffix)
    if "loss_batch" in training:
        wanted = {
            kind: training.get(f"grad_{kind}_batch", {}) for kind in ("norms", "probes")
        }
        _compare_loss(
            reference,
            errors,
            everything,
            variant,
            training["loss_batch"],
            wanted,
            f"{suffix} (batch)",
        )


def _compare_loss(
    reference: EncoderReference,
    errors: Errors,
    indices: Sequence[int],
    variant: str,
    expected: float,
    wanted: Dict[str, Dict[str, Any]],
    suffix: str,
) -> None:
    network = reference.variant(variant, indices)
    network.zero_grad()
    with reference.limits(variant, network):
        output = network(reference.batch(indices))
        scores, golds = [], []
        for row, index in enumerate(indices):
            n = reference.lengths[index]
            charts = (
                output.labels[row, : n + 1, : n + 1],
                output.arcs[row, : n + 1, : n + 1],
                output.deprels[row, : n + 1],
            )
            scores.append(
                ParserScores(
                    *(np.ascontiguousarray(value.detach().numpy()) for value in charts)
                )
            )
            gold = reference.vectors.sentences[index]["gold_label"].astype(np.int32)
            no_words = np.full(n, MISSING, dtype=np.int32)
            golds.append(
                GoldParse(
                    np.where(gold > 0, gold + SUB_HEAD, 0).astype(np.int32),
                    no_words,
                    no_words,
                )
            )
        losses, gradients = ParserLoss()(scores, golds)
        total = sum(losses.values())
        errors.add_ratio("loss" + suffix, total, expected, SUM_TOLERANCE)
        if not any(wanted.values()):
            return
        d_labels = torch.zeros_like(output.labels)
        for row, gradient in enumerate(gradients):
            cells, values = map(torch.from_numpy, gradient.labels)
            d_labels[row].index_put_(tuple(cells.T), values, accumulate=True)
        torch.autograd.backward([output.labels], [d_labels])
    _compare_gradients(network, errors, wanted, suffix)


def _compare_gradients(
    network: ParserNetwork,
    errors: Errors,
    wanted: Dict[str, Dict[str, Any]],
    suffix: str,
) -> None:
    parameters = {
        key.replace(EachToken.PREFIX, "chars."): value
        for key, value in network.named_parameters()
    }
    names = {
        key: value
        for key, value in wanted.get("norms", {}).items()
        if not key.startswith(ELMO)
    }
    largest = max((abs(value) for value in names.values() if value), default=1.0)
    for kind, values in wanted.items():
        for key, expected in values.items():
            if key.startswith(ELMO):
                continue
            parameter = parameters.get(our_key(our_selector_key(key), network.config))
            gradient = None if parameter is None else parameter.grad
            if gradient is not None and key.startswith("f_label.3."):
                gradient = gradient[
                    [i for i in range(len(gradient)) if i != SUB_HEAD - 1]
                ]
            ours = 0.0
            if gradient is not None:
                flat = gradient.double().flatten()
                ours = float(
                    flat.norm()
                    if kind == "norms"
                    else flat @ torch.arange(len(flat)).double().cos()
                )
            error = abs(ours - float(expected or 0.0)) / largest
            errors.add(f"gradient {kind}{suffix}", error, GRADIENT_TOLERANCE)
            if parameter is None and expected:
                errors.add(
                    f"{key}: no such parameter", float("inf"), GRADIENT_TOLERANCE
                )


def compare_encoder(vectors: EncoderSet) -> List[Row]:
    """Every stage of a set."""
    reference, errors = EncoderReference(vectors), Errors()
    compare_ids(reference, errors)
    everything = list(range(len(reference.lengths)))
    for variant in vectors.variants or [""]:
        suffix = f" {variant}" if variant else ""
        for index in everything:
            compare_stages(reference, errors, [index], variant, suffix)
        compare_stages(reference, errors, everything, variant, f"{suffix} (batch)")
        compare_training(reference, errors, variant, suffix)
    return errors.listed()
