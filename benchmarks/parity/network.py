"""Network sets: every stage of the reference network, its decoding and its training
gradient, against ours."""

import copy
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from parity.stages import STAGE, Errors, Row, cut, kept_outputs
from parity.vectors import NetworkSet, UnreadableSetError, unpack_upper
from spacy_lal.checkpoint.networks import convert_state_dict, network_config, our_key
from spacy_lal.decode import joint
from spacy_lal.layers.inputs import NetworkInputs
from spacy_lal.layers.parser_network import ParserNetwork
from spacy_lal.loss.gold import GoldParse
from spacy_lal.loss.parser import ParserLoss
from spacy_lal.scores import ParserScores
from spacy_lal.trees import SUB_HEAD, Constituent, Parse, join_chain

# relative (of sums below 1: absolute): score decoded from our charts, and loss, sums of
# many cells
SUM_TOLERANCE = 1e-5
GRADIENT_TOLERANCE = (
    1e-4  # relative to the norm, or to a thousandth of the largest where that is more
)
FIRST_IDS = ("<START>", "<STOP>")


class Reference:
    """A network of the reference, rebuilt as ours."""

    def __init__(self, vectors: NetworkSet) -> None:
        self.vectors = vectors
        self.hparams = vectors.info["hparams"]
        self.state = {
            key: torch.from_numpy(value) for key, value in vectors.weights.items()
        }
        self.labels = [join_chain(chain) for chain in vectors.info["label_vocab"]]
        self.lengths = [len(sentence["dec_father"]) for sentence in vectors.sentences]
        self.inputs = [self._word_ids(i) for i in range(len(self.lengths))]
        self.networks = {
            scrambled: self._build(scrambled) for scrambled in (False, True)
        }
        self.sizes = self.networks[False].sizes
        self.transformer = self._build_transformer()

    def _build(self, scrambled: bool) -> ParserNetwork:
        config, sizes = network_config(
            self.hparams, self.state, scrambled_queries=scrambled
        )
        network = ParserNetwork(config, sizes)
        network.load_state_dict(convert_state_dict(self.state, config, sizes))
        return network.eval()

    def _build_transformer(self) -> Optional[Any]:
        """The real XLNet of a set that has one; None where it has none or
        `transformers` is not installed."""
        sizes = self.vectors.info.get("real_xlnet")
        if not sizes:
            return None
        try:
            from transformers import XLNetConfig, XLNetModel
        except ImportError:
            return None
        weights = {
            key[len("xlnet.") :]: value
            for key, value in self.state.items()
            if key.startswith("xlnet.")
        }
        model = XLNetModel(
            XLNetConfig(vocab_size=len(weights["word_embedding.weight"]), **sizes)
        )
        model.load_state_dict(weights)
        return model.eval()

    def _word_ids(self, index: int) -> Dict[str, np.ndarray]:
        """Tag, word and character ids of a sentence: those given, else looked up in the
        vocabularies."""
        info, given = self.vectors.info, self.vectors.sentences[index]
        sentence, ids = info["sentences"][index], {}
        for kind, used in (
            ("tag", self.hparams.get("use_tags")),
            ("word", self.hparams.get("use_words")),
        ):
            if f"{kind}_ids" in given:
                ids[kind] = given[f"{kind}_ids"].astype(np.int64)
            elif used:
                vocabulary = {
                    value: i
                    for i, value in enumerate(_vocabulary(info, f"{kind}_vocab"))
                }
                strings = [FIRST_IDS[0], *sentence[f"{kind}s"], FIRST_IDS[1]]
                ids[kind] = np.array([vocabulary.get(string, 2) for string in strings])
        if self.hparams.get("use_chars_lstm"):
            ids["char"] = (
                given["char_ids"]
                if "char_ids" in given
                else _char_ids(info, sentence["words"])
            )
        return ids

    def batch(
        self, indices: Sequence[int], vectors: Optional[Sequence[Tensor]] = None
    ) -> NetworkInputs:
        """Inputs of some sentences, padded to the longest; `vectors` in place of the
        stored features."""
        lengths = [self.lengths[i] for i in indices]

        def pad(rows: Sequence[Tensor]) -> Tensor:
            return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)

        def ids(kind: str) -> Optional[Tensor]:
            rows = [
                torch.as_tensor(self.inputs[i][kind], dtype=torch.long)
                for i in indices
                if kind in self.inputs[i]
            ]
            if kind == "char" and rows:
                width = max(row.shape[1] for row in rows)
                rows = [
                    torch.nn.functional.pad(row, (0, width - row.shape[1]))
                    for row in rows
                ]
            return pad(rows) if rows else None

        if vectors is None and self.sizes.vector_width:
            vectors = [torch.from_numpy(self._features(i)) for i in indices]
        padded = (
            pad(vectors) if vectors is not None and self.sizes.vector_width else None
        )
        chars, char_lengths = ids("char"), None
        if chars is not None:  # a word ends with its last id other than 0
            char_lengths = (chars.ne(0) * torch.arange(1, chars.shape[-1] + 1)).amax(-1)
        return NetworkInputs(
            torch.tensor(lengths), padded, ids("tag"), ids("word"), chars, char_lengths
        )

    def _features(self, index: int) -> np.ndarray:
        if "features" not in self.vectors.sentences[index]:
            raise UnreadableSetError(f"no s{index}/features, which this network reads")
        return self.vectors.sentences[index]["features"].astype(np.float32)

    def transform(self, index: int) -> Tuple[Tensor, Tensor]:
        """The real XLNet's last layer for a sentence, and its rows pooled to one for
        each position."""
        pieces = torch.as_tensor(
            self.vectors.sentences[index]["xlnet_ids"].astype(np.int64)
        )
        hidden = self.transformer(pieces.unsqueeze(0)).last_hidden_state[0]
        return hidden, hidden[self.vectors.info["sentences"][index]["pooled_positions"]]


def _vocabulary(info: Dict[str, Any], name: str) -> List[str]:
    if name not in info:
        raise UnreadableSetError(f"the json lacks {name!r}, which this network needs")
    return info[name]


def _char_ids(info: Dict[str, Any], words: Sequence[str]) -> np.ndarray:
    """Characters as the reference frames them (see docs/explanation/parser.md).
    *Shape:* (n + 2, longest word)."""
    ids = {char: i for i, char in enumerate(_vocabulary(info, "char_vocab"))}
    unknown, sentence_start, word_start, word_stop, sentence_stop = range(5)
    inner = [[ids.get(char, unknown) for char in word] for word in words]
    rows = [
        [word_start, *row, word_stop]
        for row in ([sentence_start] * 3, *inner, [sentence_stop] * 3)
    ]
    table = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for row, chars in zip(table, rows, strict=True):
        row[: len(chars)] = chars
    return table


def run_stages(
    network: ParserNetwork, inputs: NetworkInputs
) -> Tuple[Dict[str, Tensor], Any]:
    """One pass, with what every stage of the reference answers, under its name."""
    names = {
        "inputs": "emb",
        "fenceposts": "fencepost",
        "inputs.features.vectors.projection": "proj",
    }
    for i in range(len(network.encoder.layers)):
        names |= {
            f"encoder.layers.{i}.attention": f"attn{i}",
            f"encoder.layers.{i}.attention.weights": f"attn{i}_w",
        }
        names[f"encoder.layers.{i}.feed_forward"] = f"ff{i}"
    names["encoder" if network.label_attention is None else "label_attention"] = (
        "annotations"
    )
    # label attention and its feed-forward network are one module of ours and two stages
    # of the reference
    names |= {"label_attention.weights": "lal_w", "label_attention.norm": "lal"}

    with kept_outputs(network, names) as stages:
        output = network(inputs)
    if "lal" in stages:
        stages["lal"] = stages["lal"].flatten(2)
    if "lal_w" in stages and stages["lal_w"].dim() == 3:  # one query for all positions
        stages["lal_w"] = stages["lal_w"].unsqueeze(2)
    return stages, output


def compare_stages(
    reference: Reference,
    errors: Errors,
    indices: Sequence[int],
    scrambled: bool,
    suffix: str,
) -> None:
    """Run sentences as one batch, and compare every stage that is stored of them, and
    their decoding."""
    with torch.no_grad():
        stages, output = run_stages(
            reference.networks[scrambled], reference.batch(indices)
        )
    for row, index in enumerate(indices):
        n = reference.lengths[index]
        answers = (
            reference.vectors.batched if scrambled else reference.vectors.sentences
        )[index]
        upper = np.triu_indices(n + 1, 1)
        scores = ParserScores(*(value[row].numpy() for value in output[:3]))
        square = scores.labels[: n + 1, : n + 1]
        ours = {
            "label_scores_ut": square[upper],
            "arc": scores.arcs[: n + 1, : n + 1],
            "type": scores.deprels[: n + 1],
        }
        ours |= {stage: cut(stage, value[row], n) for stage, value in stages.items()}
        for stage, theirs in answers.items():
            if stage in ours:
                errors.add_arrays(stage + suffix, ours[stage], theirs)
        if "dec_i" in answers:
            _compare_decoding(
                reference, errors, index, answers, ours, scrambled, suffix
            )


def collapsed(nodes: np.ndarray) -> List[Tuple[int, int, int]]:
    """The constituents of a binarised tree: unlabelled and sub-head nodes dissolved."""
    return sorted(tuple(map(int, node)) for node in nodes if node[2] > SUB_HEAD)


def _nodes(answers: Dict[str, np.ndarray]) -> np.ndarray:
    """The reference's binarised tree. *Shape:* (n_nodes, 3)."""
    return np.stack(
        [answers[key].astype(int) for key in ("dec_i", "dec_j", "dec_label")], axis=1
    )


def _weigh(
    reference: Reference, index: int, scores: Dict[str, np.ndarray]
) -> Tuple[np.ndarray, np.ndarray]:
    """Label and arc scores as the joint decoder wants them."""
    weight = np.float32(reference.hparams.get("const_lada", 0.5))
    labels = unpack_upper(reference.lengths[index], scores["label_scores_ut"] * weight)
    return np.ascontiguousarray(labels), np.ascontiguousarray(
        scores["arc"] * (np.float32(1) - weight)
    )


def _decode(
    reference: Reference, index: int, scores: Dict[str, np.ndarray]
) -> Tuple[float, np.ndarray, np.ndarray]:
    return joint(*_weigh(reference, index, scores))


def _compare_decoding(
    reference: Reference,
    errors: Errors,
    index: int,
    answers: Dict[str, np.ndarray],
    ours: Dict[str, np.ndarray],
    scrambled: bool,
    suffix: str,
) -> None:
    """Score, tree, heads, deprels and brackets of one sentence, decoded from our
    scores."""
    sentence = reference.vectors.info["sentences"][index]
    told = sentence.get("batch", {}) if scrambled else sentence
    score, nodes, heads = _decode(reference, index, ours)
    for expected in (float(answers["score"]), told.get("score")):
        if expected is not None:
            errors.add_ratio("score" + suffix, score, expected, SUM_TOLERANCE)
    deprels, their_deprels = ours["type"][1:].argmax(axis=1), answers["dec_type_idx"]
    words = np.arange(len(deprels))
    lost = (
        ours["type"][1:].max(axis=1)
        - ours["type"][words + 1, their_deprels.astype(int)]
    )
    # a deprel whose score ties with the best one within the tolerance is as good
    errors.add(
        "deprels" + suffix,
        float(((deprels != their_deprels) & (lost > 2 * STAGE)).sum()),
        0.0,
    )
    if _is_unstable(told) and _tie(
        _weigh(reference, index, ours), score, _nodes(answers), answers["dec_father"]
    ):
        return
    errors.add_same("tree" + suffix, collapsed(nodes), collapsed(_nodes(answers)))
    for their_heads in (answers["dec_father"], told.get("heads")):
        if their_heads is not None:
            errors.add_same("heads" + suffix, heads[1:], their_heads)
    if "bracket" in told:
        brackets = _brackets(reference, sentence, nodes)
        errors.add_same("brackets" + suffix, brackets, told["bracket"])


def _is_unstable(told: Dict[str, Any]) -> bool:
    """Whether the set says that noise within the tolerance may change this sentence's
    tree."""
    shares = [
        share
        for key, value in told.items()
        if key.startswith("stable")
        for share in value
    ]
    return any(share < 1.0 for share in shares)


def _tie(
    weighed: Tuple[np.ndarray, np.ndarray],
    score: float,
    nodes: np.ndarray,
    heads: np.ndarray,
) -> bool:
    """Whether another tree scores as well as the best one, within the tolerance of its
    cells."""
    labels, arcs = weighed
    other = labels[tuple(nodes.T)].sum(dtype=np.float64)
    other += arcs[np.arange(1, len(heads) + 1), heads.astype(int)].sum(dtype=np.float64)
    return abs(score - other) <= STAGE * (len(nodes) + len(heads))


def _brackets(reference: Reference, sentence: Dict[str, Any], nodes: np.ndarray) -> str:
    """A decoded tree as the reference prints it; a lone word may be a bare leaf."""
    words, tags = sentence["words"], sentence["tags"]
    spans = [
        Constituent(start, end, reference.labels[label])
        for start, end, label in collapsed(nodes)
    ]
    if not spans:
        return f"({tags[0]} {words[0]})"
    return Parse(words, tags, spans).to_brackets(escape=False)


def compare_transformer(reference: Reference, errors: Errors) -> None:
    """The real XLNet's last layer and the rows pooled from it."""
    for index, answers in enumerate(reference.vectors.sentences):
        if "xlnet_hidden" not in answers:
            continue
        with torch.no_grad():
            hidden, pooled = reference.transform(index)
        errors.add_arrays("xlnet_hidden", hidden.numpy(), answers["xlnet_hidden"])
        errors.add_arrays("features", pooled.numpy(), answers["features"])


def compare_training(reference: Reference, errors: Errors) -> None:
    """Loss of each sentence and of the batch, and the gradient norm of every
    parameter."""
    training, everything = (
        reference.vectors.info["training_dropout0"],
        range(len(reference.lengths)),
    )
    for index, expected in enumerate(training["loss_single"]):
        norms = (
            training.get("grad_norms_single", {})
            if index == training.get("grad_sentence")
            else {}
        )
        _compare_loss(reference, errors, [index], False, expected, norms, "")
    if "loss_batch" in training:
        norms = training.get("grad_norms_batch", {})
        _compare_loss(
            reference,
            errors,
            list(everything),
            True,
            training["loss_batch"],
            norms,
            " (scrambled batch)",
        )


def _compare_loss(
    reference: Reference,
    errors: Errors,
    indices: List[int],
    scrambled: bool,
    expected: float,
    norms: Dict[str, float],
    suffix: str,
) -> None:
    network = copy.deepcopy(reference.networks[scrambled])
    vectors = None
    if reference.transformer is not None:
        reference.transformer.zero_grad()
        vectors = [reference.transform(i)[1] for i in indices]
    output = network(reference.batch(indices, vectors))
    scores, golds = [], []
    for row, index in enumerate(indices):
        size, answers = reference.lengths[index] + 1, reference.vectors.sentences[index]
        charts = (
            output.labels[row, :size, :size],
            output.arcs[row, :size, :size],
            output.deprels[row, :size],
        )
        scores.append(
            ParserScores(
                *(np.ascontiguousarray(value.detach().numpy()) for value in charts)
            )
        )
        gold = [
            answers[key].astype(np.int32)
            for key in ("gold_label", "gold_father", "gold_type")
        ]
        golds.append(GoldParse(*gold))
    losses, gradients = ParserLoss()(scores, golds)
    total = sum(losses.values())
    errors.add_ratio("loss" + suffix, total, expected, SUM_TOLERANCE)
    if not norms:
        return
    d_output = [torch.zeros_like(value) for value in output[:3]]
    for row, gradient in enumerate(gradients):
        cells, values = map(torch.from_numpy, gradient.labels)
        d_output[0][row].index_put_(tuple(cells.T), values, accumulate=True)
        for target, value in zip(
            d_output[1:], (gradient.arcs, gradient.deprels), strict=True
        ):
            target[(row, *map(slice, value.shape))] = torch.from_numpy(value)
    torch.autograd.backward(output[:3], d_output)
    floor = 1e-3 * max(filter(None, norms.values()))
    for key, norm in _gradient_norms(reference, network, norms):
        expected_norm = float(
            norms[key] or 0.0
        )  # None where the reference has no gradient
        error = abs(norm - expected_norm) / max(floor, expected_norm)
        errors.add("gradient norms" + suffix, error, GRADIENT_TOLERANCE)


def _gradient_norms(
    reference: Reference, network: ParserNetwork, keys: Dict[str, float]
) -> Iterator[Tuple[str, float]]:
    """Our gradient norm for each parameter of the reference; the transformer's only
    where it was run."""
    parameters = dict(network.named_parameters())
    for key in keys:
        if key.startswith("xlnet."):
            if reference.transformer is None:
                continue
            gradient = reference.transformer.get_parameter(key[len("xlnet.") :]).grad
        else:
            parameter = parameters.get(
                our_key(key, network.config)
            )  # None: one that the reference never uses
            gradient = None if parameter is None else parameter.grad
        yield key, 0.0 if gradient is None else float(gradient.double().norm())


def compare_network(vectors: NetworkSet) -> Tuple[List[Row], List[str]]:
    """Every stage of a set. RETURNS: The rows, and what was left out, in words."""
    reference, errors = Reference(vectors), Errors()
    notes = []
    if reference.transformer is not None:
        compare_transformer(reference, errors)
    elif vectors.info.get("real_xlnet"):
        notes.append("xlnet_hidden, features: skipped, transformers is not installed")
    everything = range(len(reference.lengths))
    for index in everything:
        compare_stages(reference, errors, [index], False, "")
    compare_stages(reference, errors, everything, False, " (batch)")
    if any(vectors.batched):
        compare_stages(reference, errors, everything, True, " (scrambled batch)")
    compare_training(reference, errors)
    return errors.listed(), notes
