"""Decoder sets: the six modes of the reference's decoders against ours."""

from typing import Dict, List, Tuple

import numpy as np
from parity_vectors import DecoderAnswer, DecoderCase

from spacy_lal.decode import cky, joint
from spacy_lal.trees import SUB_HEAD

SCORE_TOLERANCE = 2e-7  # relative; where charts are not exact in float32
GOLD_TOLERANCE = 1e-6  # relative; the score of a given tree, which we add up in an order of our own
EXACT_FAMILIES = ("coarse", "fine")


def decode_mode(case: DecoderCase, mode: str) -> DecoderAnswer:
    """What our decoders say of one chart in one mode of the reference."""
    decoder, _, kind = mode.partition("_")
    labels, arcs = case.labels, case.arcs
    if kind == "gold":
        return _force_gold(case, decoder)
    options = {"gold": case.gold_labels, "margin": 1.0} if kind == "train" else {}
    if decoder == "const":
        score, nodes, *heads = cky(labels, **options)
    else:
        score, nodes, *heads = joint(labels, arcs, **options)
    margin = float((case.gold_labels[tuple(nodes.T[:2])] != nodes[:, 2]).sum()) if options else 0.0
    return DecoderAnswer(score, nodes, heads[0][1:] if heads else None, margin)


def _force_gold(case: DecoderCase, decoder: str) -> DecoderAnswer:
    """The gold tree as the decoder binarises it: the best one where gold cells count 1 and all others -1."""
    n = len(case.gold_heads)
    start, end = np.nonzero(case.gold_labels)
    labels = np.where(np.arange(case.labels.shape[2]) > 0, -np.float32(1), np.float32(0)).repeat((n + 1) ** 2)
    labels = np.ascontiguousarray(labels.reshape(-1, n + 1, n + 1).transpose(1, 2, 0))
    labels[start, end, case.gold_labels[start, end]] = 1.0
    if decoder == "const":
        _, nodes = cky(labels)
        return DecoderAnswer(float(case.labels[tuple(nodes.T)].sum(dtype=np.float64)), nodes, None, 0.0)
    arcs = np.full((n + 1, n + 1), -1, np.float32)
    arcs[np.arange(1, n + 1), case.gold_heads] = 1.0
    _, nodes, heads = joint(labels, arcs)
    score = case.labels[tuple(nodes.T)].sum(dtype=np.float64)
    score += case.arcs[np.arange(1, n + 1), heads[1:]].sum(dtype=np.float64)
    return DecoderAnswer(float(score), nodes, heads[1:], 0.0)


def collapsed(nodes: np.ndarray) -> List[Tuple[int, int, int]]:
    """The constituents of a binarised tree: unlabelled and sub-head nodes dissolved."""
    return sorted(tuple(map(int, node)) for node in nodes if node[2] > SUB_HEAD)


def compare_decoder(cases: List[DecoderCase], exact: bool) -> List[Tuple[str, float, float]]:
    """Rows of (stage, largest error, tolerance): for each mode the score, and the share of trees that differ."""
    rows: Dict[str, float] = {}
    for case in cases:
        for mode, theirs in case.answers.items():
            ours = decode_mode(case, mode)
            error = abs(float(np.float32(ours.score)) - theirs.score) / (1.0 if exact else max(1.0, abs(theirs.score)))
            rows[f"{mode} score"] = _larger(rows.get(f"{mode} score", 0.0), error)
            # the reference's forced binarisation of a joint gold tree is not told by the scores
            raw = exact and mode != "hpsg_gold"
            if raw:
                # of one word, the joint score may count a label that is not given (reference-parser.md 3.3)
                same_margin = ours.margin == theirs.margin or len(theirs.nodes) == 1
                same = np.array_equal(ours.nodes, theirs.nodes) and same_margin
            else:
                same = collapsed(ours.nodes) == collapsed(theirs.nodes)
            same = same and (theirs.heads is None or np.array_equal(ours.heads, theirs.heads))
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
