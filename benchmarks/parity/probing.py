"""The sets without a network: trees from attention, and instances of the probing
tasks."""

from typing import Any, Dict, List, Tuple

import numpy as np

from parity.attention_trees import attention_tree
from parity.network import Errors, Row
from parity.probing_tasks import (
    PUNCTUATION_TAGS,
    bigram_shift_places,
    reorder,
    shift_bigram,
    top_constituents,
    tree_depth,
)
from parity.vectors import UnreadableSetError
from spacy_lal.trees import parse_tree

# Variant of a tree -> its score, and whether rows are renormalised.
TREES = {
    "mean": ("mean", False),
    "sum": ("sum", False),
    "mean_renormalised": ("mean", True),
    "sum_renormalised": ("sum", True),
}


def compare_attention_trees(info: Dict[str, Any]) -> Tuple[List[Row], List[str]]:
    """The tree of every case in every variant; rows of trees that differ. RETURNS: The
    rows, and notes."""
    errors = Errors()
    for kind in ("cases", "ties"):
        for case in info.get(kind, ()):
            attention = np.array(case["attention"], dtype=np.float64)
            unknown = sorted(case.keys() - TREES.keys() - {"n", "attention"})
            if unknown or attention.shape[1:] != (case["n"] + 2, case["n"] + 2):
                raise UnreadableSetError(
                    f"{kind}: unknown {unknown}, or {attention.shape} for {case['n']} "
                    "words"
                )
            for variant in TREES.keys() & case.keys():
                score, renormalise = TREES[variant]
                # type: ignore[arg-type]
                ours = attention_tree(attention, score=score, renormalise=renormalise)
                errors.add(
                    f"{kind}: {variant}",
                    float(ours != [tuple(span) for span in case[variant]]),
                    0.0,
                )
    return sorted(errors.listed()), []


def compare_probing(info: Dict[str, Any]) -> Tuple[List[Row], List[str]]:
    """Labels and changed sentences of every item; rows of answers that differ. RETURNS:
    The rows, and notes."""
    errors = Errors()
    for item in info["items"]:
        tree = parse_tree(item["tree"])
        words, tags = tree.leaves(), [tag for _, tag in tree.pos()]
        places = bigram_shift_places(words, tags)
        ours: Dict[str, Any] = {
            "tree_depth": tree_depth(tree),
            "top_constituents": top_constituents(tree),
            "bigram_shift_places": places,
            "bigram_shifted": [shift_bigram(words, place) for place in places],
        }
        unknown = sorted(item.keys() - ours.keys() - {"tree", "reordered"})
        if unknown:
            raise UnreadableSetError(f"unknown answers: {', '.join(unknown)}")
        for name in ours.keys() & item.keys():
            errors.add(name, float(ours[name] != item[name]), 0.0)
        for told in item.get("reordered", ()):
            moved = reorder(words, told["popped"], told["inserted"])
            errors.add("reordered: words", float(moved.words != told["words"]), 0.0)
            expected = told["label_inserted"], told["label_original"]
            errors.add(
                "reordered: labels",
                float((moved.inserted, moved.original) != expected),
                0.0,
            )
    if "punctuation_tags" in info:
        errors.add(
            "punctuation tags",
            float(set(info["punctuation_tags"]) != PUNCTUATION_TAGS),
            0.0,
        )
    return sorted(errors.listed()), []
