"""Decoder sets: the six modes of the reference's decoders against ours."""

from typing import Dict, List, Tuple

import numpy as np
from parity_vectors import DecoderCase

from spacy_lal.decode import cky, joint
from spacy_lal.trees import SUB_HEAD

SCORE_TOLERANCE = 2e-7  # relative; where charts are not exact in float32
GOLD_TOLERANCE = 1e-6  # relative; the score of a given tree, which we add up in an order of our own
EXACT_FAMILIES = ("coarse", "fine")

Answer = Tuple[float, np.ndarray, object]


def decode_mode(case: DecoderCase, mode: str) -> Answer:
    """What our decoders say of one chart in one mode of the reference: score, nodes, heads (or None)."""
    decoder, _, kind = mode.partition("_")
    labels, arcs = case.labels, case.arcs
    if kind == "gold":
        return _force_gold(case, decoder)
    options = {"gold": case.gold_labels, "margin": 1.0} if kind == "train" else {}
    if decoder == "const":
        score, nodes = cky(labels, **options)
        return score, nodes, None
    score, nodes, heads = joint(labels, arcs, **options)
    return score, nodes, heads[1:]


def _force_gold(case: DecoderCase, decoder: str) -> Answer:
    """The gold tree as the decoder binarises it: the best one where gold cells count 1 and all others -1."""
    n = len(case.gold_heads)
    start, end = np.nonzero(case.gold_labels)
    labels = np.where(np.arange(case.labels.shape[2]) > 0, -np.float32(1), np.float32(0)).repeat((n + 1) ** 2)
    labels = np.ascontiguousarray(labels.reshape(-1, n + 1, n + 1).transpose(1, 2, 0))
    labels[start, end, case.gold_labels[start, end]] = 1.0
    if decoder == "const":
        _, nodes = cky(labels)
        return float(case.labels[tuple(nodes.T)].sum(dtype=np.float64)), nodes, None
    arcs = np.full((n + 1, n + 1), -1, np.float32)
    arcs[np.arange(1, n + 1), case.gold_heads] = 1.0
    _, nodes, heads = joint(labels, arcs)
    score = case.labels[tuple(nodes.T)].sum(dtype=np.float64)
    score += case.arcs[np.arange(1, n + 1), heads[1:]].sum(dtype=np.float64)
    return float(score), nodes, heads[1:]


def collapsed(nodes: np.ndarray) -> List[Tuple[int, int, int]]:
    """The constituents of a binarised tree: unlabelled and sub-head nodes dissolved."""
    return sorted(tuple(map(int, node)) for node in nodes if node[2] > SUB_HEAD)


def compare_decoder(cases: List[DecoderCase], exact: bool) -> List[Tuple[str, float, float]]:
    """Rows of (stage, largest error, tolerance): for each mode the score, and the share of trees that differ."""
    rows: Dict[str, float] = {}
    for case in cases:
        for mode, (score, nodes, heads) in case.answers.items():
            our_score, our_nodes, our_heads = decode_mode(case, mode)
            error = abs(float(np.float32(our_score)) - score) / (1.0 if exact else max(1.0, abs(score)))
            rows[f"{mode} score"] = _larger(rows.get(f"{mode} score", 0.0), error)
            # the reference's forced binarisation of a joint gold tree is not told by the scores
            raw = exact and mode != "hpsg_gold"
            same = np.array_equal(our_nodes, nodes) if raw else collapsed(our_nodes) == collapsed(nodes)
            same = same and (heads is None or np.array_equal(our_heads, heads))
            rows[f"{mode} trees"] = rows.get(f"{mode} trees", 0.0) + (not same)
    tolerances = {"score": 0.0 if exact else SCORE_TOLERANCE, "trees": 0.0}
    gold_tolerance = 0.0 if exact else GOLD_TOLERANCE
    return [
        (stage, error, gold_tolerance if stage.endswith("gold score") else tolerances[stage.split()[1]])
        for stage, error in rows.items()
    ]


def _larger(left: float, right: float) -> float:
    """The larger error; one that is no number is larger than any."""
    return right if right != right or right > left else left
