"""The head child of a constituent by Collins' rules (1999, "Head-driven statistical
models for natural language parsing", appendix A), for the constituents whose rule goes
from left to right and that measures of syntax ask for: clauses and verb phrases."""

from collections.abc import Sequence
from typing import Optional

# For each label, the labels of its head child, the likelier first.
HEAD_CHILDREN: dict[str, list[str]] = {
    "S": "TO IN VP S SBAR ADJP UCP NP".split(),
    "SINV": "VBZ VBD VBP VB MD VP S SINV ADJP NP".split(),
    "SQ": "VBZ VBD VBP VB MD VP SQ".split(),
    "SBAR": "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG".split(),
    "SBARQ": "SQ S SINV SBARQ FRAG".split(),
    "VP": "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP".split(),
}
_CONJUNCTIONS = ("CC", "CONJP")
_MARKS = ("``", "''", ",", ":", ".", "-LRB-", "-RRB-")


def head_child(label: str, labels: Sequence[str]) -> Optional[int]:
    """The place of the head child of a constituent.

    label (str): The constituent's.
    labels (Sequence[str]): Its children's, from left to right.
    RETURNS (Optional[int]): The first child with the likeliest label that a child has,
        or else the first child. After a conjunction it is the conjunct before that. An
        only child is the head of any constituent. None: there is no child, or the rule
        for this label is not known.
    """
    if len(labels) == 1:
        return 0
    if not labels or label not in HEAD_CHILDREN:
        return None
    places = (labels.index(child) for child in HEAD_CHILDREN[label] if child in labels)
    head = next(places, 0)
    if head < 2 or labels[head - 1] not in _CONJUNCTIONS:
        return head
    conjunct = head - 2
    while conjunct >= 0 and labels[conjunct] in _MARKS:
        conjunct -= 1
    return head if conjunct < 0 else conjunct
