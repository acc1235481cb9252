"""Decoder sets: the six modes of the reference's decoders against ours."""

from typing import Dict, List, Tuple

import numpy as np

from parity.forced import forced_cky, forced_joint
from parity.vectors import DecoderAnswer, DecoderCase
from spacy_lal.decode import cky, joint
from spacy_lal.trees import SUB_HEAD

SCORE_TOLERANCE = 2e-7  # relative; where charts are not exact in float32
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
    margin = (
        float((case.gold_labels[tuple(nodes.T[:2])] != nodes[:, 2]).sum())
        if options
        else 0.0
    )
    return DecoderAnswer(score, nodes, heads[0][1:] if heads else None, margin)


def _force_gold(case: DecoderCase, decoder: str) -> DecoderAnswer:
    """The gold tree as the decoder binarises it, and its score summed in the decoder's
    order."""
    labels, gold, splits = case.labels, case.gold_labels, case.gold_splits
    if decoder == "const":
        return DecoderAnswer(*forced_cky(labels, gold, splits), None, 0.0)
    score, nodes = forced_joint(
        labels, case.arcs, gold, case.gold_span_heads, splits, case.gold_heads
    )
    return DecoderAnswer(score, nodes, case.gold_heads, 0.0)


def collapsed(nodes: np.ndarray) -> List[Tuple[int, int, int]]:
    """The constituents of a binarised tree: unlabelled and sub-head nodes dissolved."""
    return sorted(tuple(map(int, node)) for node in nodes if node[2] > SUB_HEAD)


def compare_decoder(
    cases: List[DecoderCase], exact: bool
) -> List[Tuple[str, float, float]]:
    """Rows of (stage, largest error, tolerance): for each mode the score, and the share
    of trees that differ."""
    rows: Dict[str, float] = {}
    for case in cases:
        for mode, theirs in case.answers.items():
            ours = decode_mode(case, mode)
            error = abs(float(np.float32(ours.score)) - theirs.score) / (
                1.0 if exact else max(1.0, abs(theirs.score))
            )
            rows[f"{mode} score"] = _larger(rows.get(f"{mode} score", 0.0), error)
            if exact:
                # of one word, the joint score may count a label that is not given
                same_margin = ours.margin == theirs.margin or len(theirs.nodes) == 1
                same = np.array_equal(ours.nodes, theirs.nodes) and same_margin
            else:
                same = collapsed(ours.nodes) == collapsed(theirs.nodes)
            same = same and (
                theirs.heads is None or np.array_equal(ours.heads, theirs.heads)
            )
            rows[f"{mode} trees"] = rows.get(f"{mode} trees", 0.0) + (not same)
    tolerances = {"score": 0.0 if exact else SCORE_TOLERANCE, "trees": 0.0}
    return [
        (stage, error, tolerances[stage.split()[1]]) for stage, error in rows.items()
    ]


def _larger(left: float, right: float) -> float:
    """The larger error; one that is no number is larger than any."""
    return right if right != right or right > left else left
