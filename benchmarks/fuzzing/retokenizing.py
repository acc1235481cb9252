"""Parses on Docs whose tokens, span groups and storage change at random, against an
oracle that knows only characters.

A Doc of random words (some of them white space), sentences and trees is parsed by
`set_parses`; then tokens are merged and split, Docs are joined, cut and stored, and
others write constituents. The oracle holds each constituent as a range of characters,
and finds by brute force which words it is over."""

import pickle
import random
import warnings
from collections import Counter
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from spacy.lang.en import English
from spacy.tokens import Doc, DocBin, Span

from spacy_lal.annotations import (
    SPANS_KEY,
    LostAnnotationsWarning,
    StaleParseError,
    as_doc,
    carry_over,
    get_constituents,
    install_extensions,
    sentence_bounds,
    sentence_words,
    set_parses,
    set_sentence_starts,
)
from spacy_lal.export import read_parses, to_conllu
from spacy_lal.trees import Constituent, Parse, SpanError

from . import Report, run_cases
from .docs import same

WORDS = ["a", "bb", "ccc", "dd-dd", "(", "e\\", "\n", " ", "\t\n"]
LABELS = ["S", "NP", "VP", "S::VP", "NP::NP"]
N_STEPS = 4
VOCAB = English().vocab  # knows what is white space


class Case(NamedTuple):
    """doc: what is changed. constituents: of each, its characters and its label, in the
    order of the span group."""

    doc: Doc
    constituents: List[Tuple[int, int, str]]


def fuzz(n: int, seed: int) -> Report:
    """Run n Docs through some random steps each, and compare what the getters say after
    each."""
    install_extensions()
    return run_cases(n, seed, _run)


def _run(rng: random.Random, steps: List[str]) -> Counter:
    outcomes: Counter = Counter()
    case = random_case(rng)
    check(case)
    for _ in range(rng.randint(1, N_STEPS)):
        name = rng.choice(sorted(STEPS))
        steps.append(name)
        stepped = STEPS[name](rng, case)
        if stepped is None:
            outcomes["steps refused by spaCy"] += 1
            continue
        case = stepped
        outcomes[check(case)] += 1
    return outcomes


def random_case(rng: random.Random) -> Case:
    """A parsed Doc."""
    words = [rng.choice(WORDS) for _ in range(rng.randint(1, 14))]
    doc = Doc(VOCAB, words=words, spaces=[rng.random() < 0.6 for _ in words])
    set_sentence_starts(
        doc, sorted({0, *(i for i in range(1, len(doc)) if rng.random() < 0.15)})
    )
    parses = []
    for sentence in sentence_words(doc):
        heads = (
            [0, *(rng.randint(1, i) for i in range(1, len(sentence)))]
            if sentence
            else []
        )
        spans = _random_tree(rng, 0, len(sentence)) if sentence else []
        parses.append(
            Parse(
                (),
                constituents=spans,
                heads=heads,
                deprels=["x" if head else "ROOT" for head in heads],
                method="joint",
            )
        )
    set_parses(doc, parses)
    return Case(doc, _stored(doc))


def _random_tree(rng: random.Random, start: int, end: int) -> List[Constituent]:
    spans = [Constituent(start, end, rng.choice(LABELS))] if rng.random() < 0.7 else []
    if end - start > 1:
        middle = rng.randint(start + 1, end - 1)
        spans += _random_tree(rng, start, middle) + _random_tree(rng, middle, end)
    return spans


def _stored(doc: Doc) -> List[Tuple[int, int, str]]:
    return [
        (span.start_char, span.end_char, span.label_) for span in doc.spans[SPANS_KEY]
    ]


# Steps


def _retokenize(rng: random.Random, case: Case) -> Case:
    """Merge and split in one go."""
    doc, i = case.doc, 0
    with doc.retokenize() as retokenizer:
        while i < len(doc):
            length = min(rng.randint(2, 4), len(doc) - i)
            chance = rng.random()
            if chance < 0.2 and length > 1:
                retokenizer.merge(doc[i : i + length])
                i += length
                continue
            if chance > 0.8 and len(doc[i]) > 1:
                cut = rng.randint(1, len(doc[i]) - 1)
                heads = [
                    (doc[i], 1),
                    (doc[i], 1),
                ]  # a root: the head of a token may be merged away
                retokenizer.split(
                    doc[i], [doc[i].text[:cut], doc[i].text[cut:]], heads=heads
                )
            i += 1
    return case


def _store(rng: random.Random, case: Case) -> Case:
    doc = case.doc
    ways: List[Callable[[], Doc]] = [
        lambda: Doc(VOCAB).from_bytes(doc.to_bytes()),
        lambda: next(DocBin(docs=[doc], store_user_data=False).get_docs(VOCAB)),
        lambda: Doc(VOCAB).from_bytes(
            pickle.loads(pickle.dumps(doc)).to_bytes()
        ),  # pickle makes a vocab
    ]
    way = rng.choice(ways)
    try:
        return Case(way(), case.constituents)
    # E035: spaCy reads all groups for their strings, and a Span is beyond the last
    # token
    except IndexError:
        if not _is_stale(case):
            raise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostAnnotationsWarning)
        carry_over(doc)
    return Case(way(), _stored(doc))


def _copy(rng: random.Random, case: Case) -> Optional[Case]:
    try:
        return Case(case.doc.copy(), case.constituents)
    except (ValueError, IndexError):  # E1052: a constituent's characters are no tokens
        if not _is_stale(case):
            raise
        return None


def _join(rng: random.Random, case: Case) -> Optional[Case]:
    other = random_case(rng)
    cases = rng.sample([case, other], 2)
    try:
        doc = Doc.from_docs(
            [one.doc for one in cases], ensure_whitespace=rng.random() < 0.5
        )
    except (
        ValueError,
        IndexError,
    ):  # E873, E035: the text of a stale Span is another's
        if not _is_stale(case):
            raise
        return None
    constituents, first = [], 0
    for one in cases:
        shift = doc[first].idx - one.doc[0].idx
        constituents += [
            (start + shift, end + shift, label)
            for start, end, label in one.constituents
        ]
        first += len(one.doc)
    return Case(doc, constituents)


def _cut(rng: random.Random, case: Case) -> Case:
    """A sentence, or any part, as a Doc of its own."""
    sentence = rng.choice(list(case.doc.sents))
    start = rng.randrange(len(case.doc))
    part = rng.choice(
        [sentence, case.doc[start : rng.randint(start + 1, len(case.doc))]]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostAnnotationsWarning)
        doc = as_doc(part)
    places = [
        (
            _words_of(case.doc[part.start : part.end], *one[:2]),
            _words_of(case.doc[:], *one[:2]),
            one[2],
        )
        for one in sorted(case.constituents, key=lambda one: (one[0], -one[1]))
    ]
    kept = [
        (inside, label)
        for inside, whole, label in places
        if inside and whole and len(inside) == len(whole)
    ]
    shift = part.start
    return Case(
        doc,
        [
            (
                doc[words[0] - shift].idx,
                doc[words[-1] - shift].idx + len(doc[words[-1] - shift]),
                label,
            )
            for words, label in kept
        ],
    )


def _write_by_hand(rng: random.Random, case: Case) -> Case:
    """Others add, replace or take away, in the order of the text; Spans may cross."""
    doc, group = case.doc, case.doc.spans[SPANS_KEY]
    if _is_stale(case) or len(group) != len(case.constituents):
        # a group gives no Spans beyond the present tokens; `as_doc` keeps what is over
        # no word
        return case
    start = rng.randrange(len(doc))
    span = Span(
        doc, start, rng.randint(start + 1, min(len(doc), start + 4)), rng.choice(LABELS)
    )
    if span[0].is_space or span[-1].is_space:
        # which sentence or merged token is white space in, at its ends? That is not
        # promised
        return case
    pairs = list(zip(group, case.constituents, strict=True))
    if rng.random() < 0.5:
        pairs = [pair for pair in pairs if rng.random() < 0.8]
    pairs.append((span, (span.start_char, span.end_char, span.label_)))
    pairs.sort(key=lambda pair: (pair[1][0], -pair[1][1]))
    doc.spans[SPANS_KEY] = [one for one, _ in pairs]
    constituents = [one for _, one in pairs]
    return Case(doc, constituents)


STEPS: Dict[str, Callable[[random.Random, Case], Optional[Case]]] = {
    "retokenize": _retokenize,
    "store": _store,
    "copy": _copy,
    "from_docs": _join,
    "as_doc": _cut,
    "by hand": _write_by_hand,
}


def _is_stale(case: Case) -> bool:
    ends = (
        {token.idx for token in case.doc},
        {token.idx + len(token) for token in case.doc},
    )
    try:
        fits = [
            case.doc[span.start].idx == span.start_char
            and case.doc[span.end - 1].idx + len(case.doc[span.end - 1])
            == span.end_char
            for group in case.doc.spans.values()
            for span in group
        ]
    except IndexError:
        return True
    return not all(fits) or any(
        one[0] not in ends[0] or one[1] not in ends[1] for one in case.constituents
    )


# The oracle


def check(case: Case) -> str:
    """Compare all that is said of a Doc with the oracle. RETURNS (str): What came of
    it."""
    doc = case.doc
    expected, any_lost = _expected(case)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = get_constituents(doc)
    lost = [one for one in caught if issubclass(one.category, LostAnnotationsWarning)]
    same("constituents", found, [_chains(spans) for spans in expected])
    same("a warning", bool(lost), any_lost)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LostAnnotationsWarning)
        crossing = [_crosses(spans) for spans in expected]
        for sent, (start, end), spans, crosses in zip(
            doc.sents, sentence_bounds(doc), expected, crossing, strict=True
        ):
            same("sentences", (sent.start, sent.end), (start, end))
            words = [token.i for token in sent if not token.is_space]
            if words:
                _check_sentence(sent, words, spans, crosses)
        if any(crossing):
            _raises(lambda: doc._.parse_string)
            return "crossing"
        texts = [
            _bracket(doc, _words(sent), spans)
            for sent, spans in zip(doc.sents, expected, strict=True)
        ]
        same(
            "the Doc's trees",
            doc._.parse_string,
            "\n".join(text for text in texts if text),
        )
        to_conllu(doc)
        leaves = [parse.to_tree().leaves() for parse in read_parses(doc)]
    same(
        "leaves",
        leaves,
        [
            words
            for words in ([doc[i].text for i in _words(sent)] for sent in doc.sents)
            if words
        ],
    )
    return "with constituents lost" if any_lost else "right"


def _check_sentence(
    sent: Span, words: List[int], spans: Sequence[Tuple[int, int, str]], crosses: bool
) -> None:
    doc = sent.doc
    if crosses:
        for name in ("parse_string", "labels", "parent"):
            _raises(lambda name=name: getattr(sent._, name))
        return
    same("a tree", sent._.parse_string, _bracket(doc, words, spans))
    chains = {(start, end): label for start, end, label in _chains(spans)}
    nodes = {(0, len(words)), *((i, i + 1) for i in range(len(words))), *chains}
    inner = {(doc[words[s]].idx, doc[words[e - 1]].idx): (s, e) for s, e in nodes}
    seen = set()
    for node in sent._.constituents:
        key = inner[node.start_char, doc[node.end - 1].idx]
        seen.add(key)
        label = chains.get(key, "")
        same("labels", "::".join(node._.labels), label)
        above = [
            one for one in nodes if one[0] <= key[0] and key[1] <= one[1] and one != key
        ]
        parent = min(above, key=lambda one: one[1] - one[0]) if above else None
        given = node._.parent
        same(
            "parent", given and inner[given.start_char, doc[given.end - 1].idx], parent
        )
        below = [
            inner[child.start_char, doc[child.end - 1].idx] for child in node._.children
        ]
        same("children", below, _children(key, nodes))
    same("nodes", seen, nodes)
    method = sent._.parse_method
    if method not in ("joint", None):
        raise AssertionError(f"parse_method {method!r}")


def _children(key: Tuple[int, int], nodes: set) -> List[Tuple[int, int]]:
    within = [
        one for one in nodes if key[0] <= one[0] and one[1] <= key[1] and one != key
    ]
    return sorted(
        one
        for one in within
        if not any(o != one and o[0] <= one[0] and one[1] <= o[1] for o in within)
    )


def _words(sent: Span) -> List[int]:
    return [token.i for token in sent if not token.is_space]


def _words_of(part: Span, start: int, end: int) -> Optional[List[int]]:
    """The words that a range of characters is over; None where it is over a part of one
    and over others too."""
    whole, cut = [], []
    for token in part:
        places = [
            token.idx + k for k, char in enumerate(token.text) if not char.isspace()
        ]
        inside = [place for place in places if start <= place < end]
        if inside and len(inside) == len(places):
            whole.append(token.i)
        elif inside:
            cut.append(token.i)
    return None if cut and len(whole) + len(cut) > 1 or len(cut) > 1 else whole


def _expected(case: Case) -> Tuple[List[List[Tuple[int, int, str]]], bool]:
    """For each sentence the constituents in words, outer before inner; and whether any
    was lost."""
    doc, any_lost = case.doc, False
    owner = {}
    for number, sent in enumerate(doc.sents):
        owner.update({i: (number, place) for place, i in enumerate(_words(sent))})
    expected: List[List[Tuple[int, int, str]]] = [[] for _ in doc.sents]
    for start, end, label in sorted(
        case.constituents, key=lambda one: (one[0], -one[1])
    ):
        words = _words_of(doc[:], start, end)
        # A part of one word, reaching into white space beside it, is a part of that
        # word only.
        if words is None or len({owner[i][0] for i in words}) > 1:
            any_lost = True
        elif words:
            expected[owner[words[0]][0]].append(
                (owner[words[0]][1], owner[words[-1]][1] + 1, label)
            )
    return expected, any_lost


def _chains(spans: Sequence[Tuple[int, int, str]]) -> List[Tuple[int, int, str]]:
    labels: Dict[Tuple[int, int], List[str]] = {}
    for start, end, label in spans:
        labels.setdefault((start, end), []).append(label)
    return [
        (*key, "::".join(labels[key]))
        for key in sorted(labels, key=lambda key: (key[0], -key[1]))
    ]


def _crosses(spans: Sequence[Tuple[int, int, str]]) -> bool:
    return any(a[0] < b[0] < a[1] < b[1] for a in spans for b in spans)


def _bracket(
    doc: Doc, words: Sequence[int], spans: Sequence[Tuple[int, int, str]]
) -> str:
    """The tree of a sentence, by recursion over the spans."""
    if not words:
        return ""
    escapes = {"(": "-LRB-", ")": "-RRB-", " ": "_", "\n": "_", "\t": "_"}

    def leaf(i: int) -> str:
        text = "".join(escapes.get(char, char) for char in doc[words[i]].text)
        end = "-U+005C-" if text.endswith("\\") else ""
        return f"(X {text[:-1] + end if end else text})"

    def build(start: int, end: int, chains: List[Tuple[int, int, str]]) -> List[str]:
        children, i = [], start
        while i < end:
            here = [one for one in chains if one[0] == i and one[1] <= end]
            if here:
                first = max(here, key=lambda one: one[1])
                rest = [one for one in chains if one is not first]
                text = " ".join(
                    build(
                        first[0], first[1], [one for one in rest if one[1] <= first[1]]
                    )
                )
                for label in reversed(first[2].split("::")):
                    text = f"({label} {text})"
                children.append(text)
                i = first[1]
            else:
                children.append(leaf(i))
                i += 1
        return children

    children = build(0, len(words), _chains(spans))
    return children[0] if len(children) == 1 else f"(TOP {' '.join(children)})"


def _raises(read: Callable[[], object]) -> None:
    try:
        read()
    except (SpanError, StaleParseError):
        return
    raise AssertionError("crossing constituents are not refused")
