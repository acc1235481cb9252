"""Sentences that are too long: the policy, and `split`, which parses a sentence in pieces.

Charts grow with the square of a sentence's length, so a sentence is cut before the network runs. Network and decoder
treat a piece like a sentence. *Not* here: the joint decoder's own limit, beyond which it uses cky and eisner
(`decoders.py`).

The parser itself finds the cuts. It first parses two rows of windows over the sentence. The second row is shifted by
half a window, so that each place is well inside of a window. The best cuts are the places that the fewest constituents
and arcs cross.
"""

import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import Callable, Dict, List, Literal, Optional, Sequence, get_args

import numpy as np
from numpy import ndarray
from spacy.tokens import Doc

from ..annotations import Sentences, sentence_words
from ..trees import LabelVocab
from .decoders import DecodedParse, Decoder, JointDecoder

LongPolicy = Literal["joint", "separate", "split"]
# Parses the given sentences, or pieces of sentences, of each Doc. If the flag is set, quick parses suffice, whose trees
# need not agree.
Parse = Callable[[Sequence[Doc], Sequence[Sentences], bool], List[List[DecodedParse]]]
# For each sentence of a Doc, the first word of each piece but the first, counted from 0.
Cuts = List[List[int]]

PIECE_LENGTH = 200  # where neither config nor decoder sets another
# CKY and Eisner take O(n^3). Up to this length, pieces cost more than the whole, since they need three network runs.
# Sentences of hand-made treebanks are shorter: at most 90 words in EWT and GUM, 376 in CRAFT.
WHOLE_LENGTH = 500
ATTACHED_DEPRELS = ("parataxis", "dep")  # attach the root of a later piece to the first piece's root


@dataclass
class LongSentences:
    """The policy of a component.

    policy (str): "joint": all sentences are decoded jointly. "separate": sentences that are too long for the decoder
        are decoded separately. "split": they are parsed in pieces.
    split_length (Optional[int]): Sentences of more words are parsed in pieces of at most this length, whatever the
        policy. None: "split" takes the decoder's `max_length`; "separate" parses sentences of more than 500 words in
        pieces of at most 200 (or `max_length`, where that is greater); "joint" has no limit.
    RAISES (ValueError): The policy is unknown, or the length is less than two.
    """

    policy: LongPolicy = "separate"
    split_length: Optional[int] = None
    warned: bool = False

    def __post_init__(self) -> None:
        if self.policy not in get_args(LongPolicy):
            raise ValueError(f"long_policy is one of {', '.join(get_args(LongPolicy))}, got {self.policy!r}")
        if self.split_length is not None and self.split_length < 2:
            raise ValueError(f"split_length is a number of words, 2 or more, got {self.split_length}")

    def limit(self, decoder: Decoder) -> Optional[int]:
        """The most words of a sentence that is parsed as a whole; None for no limit."""
        if self.split_length is not None:
            return self.split_length
        if self.policy == "joint":
            return None
        return self.piece_length(decoder) if self.policy == "split" else max(WHOLE_LENGTH, self.piece_length(decoder))

    def piece_length(self, decoder: Decoder) -> int:
        """The most words of a piece of a longer sentence."""
        if self.split_length is not None:
            return self.split_length
        length = getattr(decoder, "max_length", None) or PIECE_LENGTH
        return max(2, length) if self.policy == "split" else max(PIECE_LENGTH, length)

    def choose(self, decoder: Decoder) -> Decoder:
        """The decoder that the policy requires.

        RAISES (ValueError): The policy is "joint", and the decoder is not the joint decoder.
        """
        if self.policy != "joint":
            return decoder
        if not isinstance(decoder, JointDecoder):
            raise ValueError(f"long_policy 'joint' needs the decoder spacy-lal.joint_decoder.v1, got {decoder!r}")
        return decoder.without_limit()

    def warn_once(self, name: str, limit: int) -> None:
        """Warn that a sentence is split.

        name (str): The component's name.
        limit (int): The most words that are parsed as a whole.
        """
        if not self.warned:
            self.warned = True
            warnings.warn(
                f"a sentence has more than {limit} words: '{name}' parses it in pieces, cut where it sees the best "
                f"boundaries (long_policy {self.policy!r}, split_length). This is said once.",
                stacklevel=2,
            )


def parse_in_pieces(
    docs: Sequence[Doc],
    parse: Parse,
    limit: int,
    piece_length: int,
    join: Callable[[Sequence[DecodedParse]], DecodedParse],
) -> List[List[DecodedParse]]:
    """Parse Docs, and cut sentences of more than `limit` words.

    docs (Sequence[Doc]): Left unchanged.
    parse (Callable): Parses pieces of Docs.
    limit (int): The most words that are parsed as a whole.
    piece_length (int): The most words of a piece, no more than `limit`.
    join (Callable): Joins the parses of a sentence's pieces.
    RETURNS (List[List[DecodedParse]]): For each Doc, one parse for each of its sentences.
    """
    cuts: List[Cuts] = [[[] for _ in sentence_words(doc)] for doc in docs]
    with_long = [i for i, doc in enumerate(docs) if any(len(words) > limit for words in sentence_words(doc))]
    for i, found in zip(with_long, find_cuts([docs[i] for i in with_long], parse, limit, piece_length), strict=True):
        cuts[i] = found
    pieces = _parse_with_cuts(docs, cuts, parse, rough=False)
    return [[parses[0] if len(parses) == 1 else join(parses) for parses in doc_pieces] for doc_pieces in pieces]


def find_cuts(docs: Sequence[Doc], parse: Parse, limit: int, piece_length: int) -> List[Cuts]:
    """The cuts of each Doc's sentences; sentences of up to `limit` words have no cuts. See `parse_in_pieces` for the
    arguments."""
    lengths = [[len(words) for words in sentence_words(doc)] for doc in docs]
    votes = [[BoundaryVotes(n) for n in ns] for ns in lengths]
    for shift in (piece_length, piece_length // 2):
        windows = [[list(range(shift, n, piece_length)) if n > limit else [] for n in ns] for ns in lengths]
        for doc_votes, doc_windows, doc_parses in zip(
            votes, windows, _parse_with_cuts(docs, windows, parse, rough=True), strict=True
        ):
            for vote, cuts, parses in zip(doc_votes, doc_windows, doc_parses, strict=True):
                vote.count(cuts, parses)
    return [
        [choose_cuts(vote.crossings, piece_length) if n > limit else [] for vote, n in zip(doc_votes, ns, strict=True)]
        for doc_votes, ns in zip(votes, lengths, strict=True)
    ]


def _parse_with_cuts(
    docs: Sequence[Doc], cuts: Sequence[Cuts], parse: Parse, rough: bool
) -> List[List[List[DecodedParse]]]:
    """For each Doc and each of its sentences, the parses of its pieces."""
    pieces: List[Sentences] = []
    for doc, doc_cuts in zip(docs, cuts, strict=True):
        places = zip(sentence_words(doc), doc_cuts, strict=True)
        pieces.append([words[i:j] for words, ks in places for i, j in zip([0, *ks], [*ks, len(words)], strict=True)])
    parsed = [iter(parses) for parses in parse(docs, pieces, rough)]
    return [
        [list(islice(parses, len(ks) + 1)) for ks in doc_cuts] for parses, doc_cuts in zip(parsed, cuts, strict=True)
    ]


class BoundaryVotes:
    """Counts of the constituents and arcs of windows that cross each place of a sentence.

    n_words (int): The length of the sentence.
    """

    def __init__(self, n_words: int) -> None:
        self.crossings = np.zeros(n_words + 1, dtype=np.int64)
        """Shape: (n_words + 1,). At index k, between the words k - 1 and k."""
        self._room = np.full(n_words + 1, -1, dtype=np.int64)

    def count(self, cuts: Sequence[int], parses: Sequence[DecodedParse]) -> None:
        """Take in a row of windows. A count replaces an earlier one if the place is further from the edges of its
        window: trees near an edge are incomplete.

        cuts (Sequence[int]): The first word of each window but the first.
        parses (Sequence[DecodedParse]): The parses of the windows.
        """
        n_words = len(self.crossings) - 1
        for start, end, parse in zip([0, *cuts], [*cuts, n_words], parses, strict=True):
            places = np.arange(start, end + 1)
            before = places - start if start else np.full_like(places, n_words)  # the ends cut no trees
            after = end - places if end < n_words else np.full_like(places, n_words)
            room = np.minimum(before, after)
            better = room > self._room[start : end + 1]
            self._room[start : end + 1][better] = room[better]
            self.crossings[start : end + 1][better] = count_crossings(parse)[better]


def count_crossings(parse: DecodedParse) -> ndarray:
    """How many constituents and arcs of a sentence of n words cross each place between two words.

    RETURNS (ndarray): Shape: (n + 1,), int64.
    """
    n_words = len(parse.heads)
    steps = np.zeros(n_words + 2, dtype=np.int64)
    np.add.at(steps, parse.spans[:, 0] + 1, 1)
    np.add.at(steps, parse.spans[:, 1], -1)
    dependents = np.flatnonzero(parse.heads)
    heads = parse.heads[dependents] - 1
    np.add.at(steps, np.minimum(dependents, heads) + 1, 1)
    np.add.at(steps, np.maximum(dependents, heads) + 1, -1)
    return np.cumsum(steps)[: n_words + 1]


def choose_cuts(crossings: ndarray, limit: int) -> List[int]:
    """Cut a sentence into pieces of at most `limit` words. From left to right, each piece ends at the least crossed
    place in the second half of its range; the last of equal places is chosen.

    crossings (ndarray): Shape: (n + 1,). The cost of each place between two words.
    RETURNS (List[int]): The first word of each piece but the first; empty where the sentence is one piece.
    """
    cuts: List[int] = []
    start, n_words = 0, len(crossings) - 1
    while n_words - start > limit:
        first = start + max(1, limit // 2)
        last = min(start + limit, max(first, n_words - limit // 4))  # avoids a tiny last piece
        window = crossings[first : last + 1]
        start = last - int(window[::-1].argmin())
        cuts.append(start)
    return cuts


def join_pieces(parses: Sequence[DecodedParse], labels: LabelVocab, deprels: Dict[str, int]) -> DecodedParse:
    """Join the parses of a sentence's pieces.

    The tops of the pieces come under one node, with their most frequent label (of a unary chain, the outermost). The
    roots of later pieces depend on the first piece's root, as `parataxis` or `dep` if the vocabulary has either.
    Otherwise their deprels stay. Projective pieces make a projective tree, since no arc spans a root.

    parses (Sequence[DecodedParse]): The parses of the pieces, from left to right, each of one word or more.
    labels (LabelVocab): The vocabulary of the ids in `spans`.
    deprels (Dict[str, int]): The ids of the deprels.
    """
    offsets = np.cumsum([0, *(len(parse.heads) for parse in parses)])
    spans = [parse.spans + [offset, offset, 0] for parse, offset in zip(parses, offsets[:-1], strict=True)]
    tops = [int(parse.spans[0, 2]) for parse in parses if len(parse.spans) and parse.spans[0, 1] == len(parse.heads)]
    top = _common_top(tops, labels)
    if top is not None:
        spans.insert(0, np.array([[0, offsets[-1], top]]))
    heads = np.concatenate([parse.heads + (parse.heads > 0) * o for parse, o in zip(parses, offsets, strict=False)])
    deprel_ids = np.concatenate([parse.deprels for parse in parses])
    roots = np.flatnonzero(heads == 0)
    heads[roots[1:]] = roots[0] + 1
    attached = next((deprels[name] for name in ATTACHED_DEPRELS if name in deprels), None)
    if attached is not None:
        deprel_ids[roots[1:]] = attached
    return DecodedParse(
        np.concatenate(spans).astype(np.int32), heads.astype(np.int32), deprel_ids.astype(np.int32), "split"
    )


def _common_top(tops: Sequence[int], labels: LabelVocab) -> Optional[int]:
    outermost = [labels.chain(top)[0] for top in tops]
    known = [labels.ids[label] for label in outermost if label in labels] or list(tops)
    return Counter(known).most_common(1)[0][0] if known else None
