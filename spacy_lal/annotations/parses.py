"""The sentences of a Doc, and parses on it: how they are written, and read on the Doc's
present tokens.

Dependencies are spaCy's `token.head` and `token.dep_`. Constituents are the span group
`doc.spans["constituents"]`: a labelled Span for each, pre-order, a unary chain as
several Spans; `doc.spans["parse_methods"]` says how each sentence was parsed. Where
tokens were merged or split afterwards, a Span is read by its tokens if they have its
characters, else by its characters, else left out with a warning. A group that somebody
edits by hand is read in the order of the text."""

import re
import struct
import warnings
from bisect import bisect_left
from typing import List, Literal, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import srsly
from spacy.tokens import Doc, Span, SpanGroup

from ..files import TreebankError, quoted
from ..trees import SpanError, collapse_chains, expand_chains, nested_spans, split_chain

SENT_IDS = "sent_ids"  # in user_data, from treebanks: the `# sent_id` of each sentence

Sentences = Sequence[
    Sequence[int]
]  # for each sentence of a Doc, the indices of its words


def has_sentences(doc: Doc) -> bool:
    """Tell whether the Doc's sentence boundaries are known; always true for a Doc of at
    most one token."""
    return len(doc) < 2 or doc.has_annotation("SENT_START")


def sentence_bounds(doc: Doc) -> List[Tuple[int, int]]:
    """Give the half-open token range of each sentence.
    RAISES (ValueError): Boundaries
    are not known; it is no Doc."""
    if not isinstance(doc, Doc):
        raise ValueError(f"doc: expected a Doc, got {type(doc).__name__}")
    if not len(doc):
        return []
    if not has_sentences(doc):
        raise ValueError(
            "the Doc has no sentence boundaries, and a parse is made sentence by sentence: add a component that sets "
            'them before the parser, for example nlp.add_pipe("sentencizer", first=True)'
        )
    starts = np.flatnonzero(doc.to_array("SENT_START") == 1).tolist()
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    return list(zip(starts, starts[1:] + [len(doc)], strict=True))


def sentence_words(doc: Doc) -> List[List[int]]:
    """Give, for each sentence, the Doc indices of its words.
    RAISES (ValueError):
    Boundaries are not known."""
    bounds = sentence_bounds(doc)
    is_space = doc.to_array("IS_SPACE").tolist() if bounds else []
    return [[i for i in range(start, end) if not is_space[i]] for start, end in bounds]


def sentence_of(span: Span) -> Span:
    """Give the sentence in which a non-empty Span begins; the whole Doc, if boundaries
    are not known."""
    doc = span.doc
    return (
        doc[span.start : span.start + 1].sent
        if len(doc) > 1 and has_sentences(doc)
        else doc[:]
    )


def same_tokens(x: Doc, y: Doc) -> bool:
    """Tell whether two Docs have tokens of the same text, whatever their spaces."""
    return len(x) == len(y) and bool((x.to_array("ORTH") == y.to_array("ORTH")).all())


def set_sentence_starts(doc: Doc, starts: Sequence[int]) -> None:
    """Replace the Doc's sentence boundaries.
    starts (Sequence[int]): Index of the first token of each sentence."""
    values = np.full(len(doc), -1, dtype=np.int64)
    values[list(starts)] = 1
    if len(doc):
        values[0] = 1
        doc.from_array(["SENT_START"], values.astype(np.uint64))  # type: ignore[arg-type]


SPANS_KEY = "constituents"
METHODS_KEY = "parse_methods"
ROOT_DEPREL = "ROOT"
UNKNOWN_DEPREL = WHITESPACE_DEPREL = (
    "dep"  # spaCy counts a token without head offset and deprel as unparsed
)
_STORED_SPAN = struct.Struct(
    ">QQQllll"
)  # of `SpanGroup.to_bytes`: id, kb_id, label, tokens, characters

CollapsedSpan = Tuple[
    int, int, str
]  # a half-open range of words of a sentence, and its unary chain ("S::VP")
# Both trees are found together; independently; in pieces, which are joined.
ParseMethod = Literal["joint", "separate", "split"]
# A half-open range of tokens, its words, the head of each word (from 1; 0 is the root),
# and the deprel of each word.
SentenceHeads = Tuple[Tuple[int, int], Sequence[int], Sequence[int], Sequence[str]]


class StaleParseError(ValueError):
    """A parse or a Span does not fit the Doc's present tokens."""


class LostAnnotationsWarning(UserWarning):
    """Constituents or roles are left out, since tokens or sentences have changed since
    they were written."""


class SentenceParse(NamedTuple):
    """A parse of one sentence of n words, ready to be written.
    constituents (Optional[List[Tuple[int, int, str]]]): Half-open spans of word
        positions with their unary chain ("S::VP"), pre-order. None keeps the Doc's
        constituents.
    heads (Optional[ndarray]): Shape: (n,). The head of each word, counted from 1; 0 is
        the root. None keeps the heads.
    deprels (Optional[List[str]]): One for each word.
    method (Optional[str]): How it was found. None leaves the sentence without a
        mark."""

    constituents: Optional[List[CollapsedSpan]]
    heads: Optional[Sequence[int]]
    deprels: Optional[Sequence[str]]
    method: Optional[ParseMethod] = None


# Span groups


class GroupSpan(NamedTuple):
    """A Span of a group on the Doc's present tokens.
    place (Optional[Tuple[int, int]]): Half-open range of tokens; None for an empty
        Span, or if it begins or ends within a token.
    is_cut (bool): Whether it has no place although it covers more than a part of one
        token.
    is_moved (bool): Whether its tokens are other ones than when it was written.
    chars (Tuple[int, int]): Half-open range of characters.
    label, kb_id, id (str): The Span's own."""

    place: Optional[Tuple[int, int]]
    is_cut: bool
    is_moved: bool
    chars: Tuple[int, int]
    label: str
    kb_id: str
    id: str


def write_group(
    doc: Doc, key: str, spans: Sequence[Span], leaders: Optional[Sequence[int]] = None
) -> None:
    """Write `doc.spans[key]`.
    spans (Sequence[Span]): In the order of their first tokens, unless there are
        leaders.
    leaders (Optional[Sequence[int]]): Positions of the Spans that are in this order,
        each with those that follow it."""
    attrs = {"n_tokens": len(doc), "n_chars": _n_chars(doc), "n_spans": len(spans)}
    if leaders is not None:
        attrs["leaders"] = list(leaders)  # type: ignore[assignment]
    doc.spans[key] = SpanGroup(doc, name=key, attrs=attrs, spans=spans)


def read_group(
    doc: Doc, key: str, start: int = 0, end: Optional[int] = None
) -> List[GroupSpan]:
    """Read the Spans of `doc.spans[key]`, in its order. With a range of tokens, at
    least those that begin in it: the cost grows with the range, not with the Doc,
    unless the group was edited or the Doc's last tokens were merged.
    RAISES (StaleParseError): Both tokens and characters of the Doc have changed since
        the group was written."""
    group = doc.spans[key]
    n_tokens, n_chars = group.attrs.get("n_tokens"), group.attrs.get("n_chars")
    by_tokens = n_chars not in (
        None,
        _n_chars(doc),
    )  # a DocBin loses the spaces of a Doc that was made without them
    if by_tokens and n_tokens != len(doc):
        raise StaleParseError(
            f"doc.spans[{key!r}] was written for {n_tokens} tokens in {n_chars} characters, and the Doc has {len(doc)} "
            f"tokens in {_n_chars(doc)} characters: parse it again"
        )
    try:
        spans = [
            group[i]
            for i in _positions(
                group, start, len(doc) if end is None else end, by_tokens
            )
        ]
        raws = [
            (s.start, s.end, s.start_char, s.end_char, s.label_, s.kb_id_, s.id_)
            for s in spans
        ]
    except (
        IndexError
    ):  # a group refuses to give a Span that reaches beyond the present tokens
        strings, raws = doc.vocab.strings, []
        for stored in srsly.msgpack_loads(group.to_bytes())["spans"]:
            id_, kb_id, label, *ends = _STORED_SPAN.unpack(stored)
            raws.append((*ends, strings[label], strings[kb_id], strings[id_]))
    found = []
    for first, last, *chars, label, kb_id, id_ in raws:
        is_moved = not by_tokens and not _fits(doc, first, last, *chars)
        place, is_cut = (
            _place(doc, *chars)
            if is_moved
            else ((first, last) if first < last else None, False)
        )
        found.append(
            GroupSpan(place, is_cut, is_moved, (chars[0], chars[1]), label, kb_id, id_)
        )
    return found


def _positions(group: SpanGroup, start: int, end: int, by_tokens: bool) -> range:
    """Give the positions of the Spans that begin in a range of tokens; all, if the
    group is not as it was written."""
    doc, n = group.doc, len(group)
    if group.attrs.get("n_spans") != n or start >= end or (start, end) == (0, len(doc)):
        return range(n)
    leaders = group.attrs.get("leaders", range(n))
    ends = (
        (start, end)
        if by_tokens
        else (doc[start].idx, doc[end - 1].idx + len(doc[end - 1]))
    )
    name = "start" if by_tokens else "start_char"
    first, last = (
        bisect_left(leaders, one, key=lambda i: getattr(group[i], name)) for one in ends
    )
    return range(*(leaders[i] if i < len(leaders) else n for i in (first, last)))


def _fits(doc: Doc, start: int, end: int, start_char: int, end_char: int) -> bool:
    """Tell whether tokens have the characters of a Span; an empty Span always fits."""
    if start == end:
        return True
    return (
        end <= len(doc)
        and doc[start].idx == start_char
        and doc[end - 1].idx + len(doc[end - 1]) == end_char
    )


def _place(
    doc: Doc, start_char: int, end_char: int
) -> Tuple[Optional[Tuple[int, int]], bool]:
    """Give the tokens that have characters, white space at their ends aside."""
    around = doc.char_span(start_char, end_char, alignment_mode="expand")
    if around is None or not len(around):
        return None, False
    text, first, last = (
        around.text,
        start_char - around.start_char,
        end_char - around.start_char,
    )
    if (text[:first] + text[last:]).strip() or not text[first:last].strip():
        return None, len(around) > 1
    return (around.start, around.end), False


def _n_chars(doc: Doc) -> int:
    """Tell where the last token ends."""
    return doc[-1].idx + len(doc[-1]) if len(doc) else 0


def check_present(span: Span) -> None:
    """Check a Span.
    RAISES (StaleParseError): Its tokens were merged or split since.
    (ValueError): It is no Span."""
    if not isinstance(span, Span):
        raise ValueError(
            f"span: expected a Span, such as doc[0:2], got {type(span).__name__}"
        )
    if not _fits(span.doc, span.start, span.end, span.start_char, span.end_char):
        raise StaleParseError(
            f"the Span of tokens {span.start}:{span.end} and characters {span.start_char}:{span.end_char} does not fit "
            f"the Doc of {len(span.doc)} tokens, which were merged or split since it was made: take it from the Doc "
            f"again, as doc[start:end] or doc.char_span({span.start_char}, {span.end_char})"
        )


def warn_of_lost(what: str) -> None:
    """Warn that constituents, predicates or arguments were left out."""
    warnings.warn(
        f"{what} are left out: they begin or end within a token, or go beyond the end of a sentence. Tokens were "
        "merged or split, or sentences changed, after they were written; a component that does so, such as "
        "merge_entities, can stand before the parser",
        LostAnnotationsWarning,
        stacklevel=3,
    )


# Constituents


def set_constituents(
    doc: Doc,
    sentences: List[List[int]],
    constituents: Sequence[Sequence[CollapsedSpan]],
) -> None:
    """Write `doc.spans["constituents"]`.
    sentences (List[List[int]]): The words of each sentence, from `sentence_words`, in
        order.
    constituents (Sequence[Sequence[Tuple[int, int, str]]]): For each sentence, spans of
        word positions, pre-order."""
    spans = []
    for words, sentence in zip(sentences, constituents, strict=True):
        for start, end, label in expand_chains(sentence):
            spans.append(Span(doc, words[start], words[end - 1] + 1, label=label))
    write_group(doc, SPANS_KEY, spans)


def constituent_tokens(
    doc: Doc, start: int = 0, end: Optional[int] = None
) -> List[Tuple[int, int, str]]:
    """Give a Doc's constituents as half-open ranges of its tokens, pre-order; over the
    same tokens, in the group's
    order. With a range of tokens, at least those that begin in it.
    RAISES
    (StaleParseError): As `read_group`."""
    spans = read_group(doc, SPANS_KEY, start, end) if SPANS_KEY in doc.spans else []
    if any(span.is_cut for span in spans):
        warn_of_lost("constituents")
    found = [(*span.place, span.label) for span in spans if span.place]
    return sorted(found, key=lambda one: (one[0], -one[1]))


def check_tree(doc: Doc, where: str) -> None:
    """Check a gold Doc, named `where`.
    RAISES (TreebankError): Constituents cross, or a
    label fits in no tree."""
    spans = constituent_tokens(doc)
    try:
        nested_spans(spans, len(doc))
        odd = {
            label
            for *_, label in spans
            if not all(split_chain(label) or ("",)) or re.search(r"[\s()]", label)
        }
        reason = (
            f"expected labels without white space and brackets, got {min(odd)!r}"
            if odd
            else ""
        )
    except SpanError as error:
        reason = str(error)
    if reason:
        raise TreebankError(f"{where}: {reason}, in {quoted(doc.text, 100)}")


def get_constituents(
    doc: Doc, sentence: Optional[Span] = None
) -> List[List[CollapsedSpan]]:
    """Give, for each sentence, its constituents as spans of word positions with their
    unary chains, pre-order. A constituent that crosses a sentence boundary is left out,
    with a warning.
    sentence (Optional[Span]): Read this sentence alone, at its cost.
    RAISES (ValueError): Sentence boundaries are not known. (StaleParseError): As
        `read_group`."""
    bounds = (
        sentence_bounds(doc) if sentence is None else [(sentence.start, sentence.end)]
    )
    sentences = (
        sentence_words(doc)
        if sentence is None
        else [[token.i for token in sentence if not token.is_space]]
    )
    constituents = (
        constituent_tokens(doc, bounds[0][0], bounds[-1][1]) if bounds else []
    )
    firsts = [start for start, _, _ in constituents]
    found, n_lost = [], 0
    for words, (start, end) in zip(sentences, bounds, strict=True):
        here = constituents[bisect_left(firsts, start) : bisect_left(firsts, end)]
        within = [
            one for one in here if all(doc[i].is_space for i in range(end, one[1]))
        ]
        n_lost += len(here) - len(within)
        places = [
            (bisect_left(words, first), bisect_left(words, last), label)
            for first, last, label in within
        ]
        found.append(
            collapse_chains([place for place in places if place[0] < place[1]])
        )
    if n_lost:
        warn_of_lost("constituents")
    return found


# Heads


def with_root_deprel(heads: Sequence[int], deprels: Sequence[str]) -> List[str]:
    """Give deprels in which roots alone have ROOT, and other words with it `dep`, as in
    Universal Dependencies."""
    others = [UNKNOWN_DEPREL if deprel == ROOT_DEPREL else deprel for deprel in deprels]
    return [
        other if head else ROOT_DEPREL
        for head, other in zip(heads, others, strict=True)
    ]


def tokens_with_heads(doc: Doc) -> np.ndarray:
    """Tell whether each token has a head. Shape: (n_tokens,), bool."""
    return doc.to_array("DEP") != 0


def set_heads(doc: Doc, sentences: Sequence[SentenceHeads]) -> None:
    """Write heads and deprels of sentences. Other sentences, and all sentence
    boundaries, stay as they are."""
    strings = doc.vocab.strings
    root, whitespace = strings.add(ROOT_DEPREL), strings.add(WHITESPACE_DEPREL)
    array, sent_starts = doc.to_array(["HEAD", "DEP"]), doc.to_array("SENT_START")
    for (start, end), words, heads, deprels in sentences:
        # White space depends on the token before it, or on the first word; without
        # words, the first token is the root.
        first = min(words, default=start)
        targets = [token - 1 if token > first else first for token in range(start, end)]
        labels = [root if token == first else whitespace for token in range(start, end)]
        for word, head, deprel in zip(words, heads, deprels, strict=True):
            targets[word - start] = words[head - 1] if head else word
            labels[word - start] = strings.add(deprel)
        array[start:end, 0] = (np.array(targets) - np.arange(start, end)).astype(
            np.uint64
        )
        array[start:end, 1] = labels
    doc.from_array(["HEAD", "DEP"], array)  # type: ignore[arg-type]
    # spaCy derives sentence starts from the arcs, and fails on some non-projective
    # trees: the known ones are restored.
    doc.from_array(["SENT_START"], sent_starts)  # type: ignore[arg-type]


# Parses


def set_parses(
    doc: Doc, parses: Sequence[SentenceParse], *, overwrite: bool = True
) -> None:
    """Write the parses of all sentences of a Doc onto it.
    doc (Doc): Modified in place. Its sentence boundaries stay as they are.
    parses (Sequence[SentenceParse]): One for each sentence, in order.
    overwrite (bool): Whether to replace what the Doc already has. If not, a Doc with
        any constituent keeps its constituents, and a Doc with any head keeps its heads;
        sentences then have no method, unless both are kept.
    RAISES (ValueError): The number of parses, or of heads in one, does not fit the
        Doc."""
    sentences, bounds = sentence_words(doc), sentence_bounds(doc)
    if len(sentences) != len(parses):
        raise ValueError(
            f"expected one parse for each of the Doc's {len(sentences)} sentences, got {len(parses)}"
        )
    has_trees = all(parse.constituents is not None for parse in parses)
    has_heads = bool(parses) and all(parse.heads is not None for parse in parses)
    with_trees = has_trees and (overwrite or not doc.spans.get(SPANS_KEY))
    with_heads = has_heads and (overwrite or not tokens_with_heads(doc).any())
    if with_trees:
        set_constituents(doc, sentences, [parse.constituents or [] for parse in parses])
    if with_heads:
        found = zip(bounds, sentences, parses, strict=True)
        set_heads(
            doc,
            [
                (ends, words, parse.heads or (), parse.deprels or ())
                for ends, words, parse in found
            ],
        )
    if with_trees or with_heads:  # a tree and heads of two searches have no method
        keeps_one = (has_trees, has_heads) != (with_trees, with_heads)
        marked = zip(bounds, sentences, parses, strict=True)
        spans = [
            Span(doc, *ends, parse.method)
            for ends, words, parse in marked
            if parse.method and words
        ]
        write_group(doc, METHODS_KEY, [] if keeps_one else spans)


def set_sentence_parse(doc: Doc, number: int, parse: SentenceParse) -> None:
    """Write the parse of one sentence onto a Doc. Other sentences stay as they are,
    parsed or not.
    doc (Doc): Modified in place.
    number (int): The sentence's place in the Doc, from 0.
    parse (SentenceParse): Its parse.
    RAISES (ValueError): The number of heads does not fit the sentence."""
    sentences, (start, end) = sentence_words(doc), sentence_bounds(doc)[number]
    if parse.constituents is not None:
        constituents = get_constituents(doc)
        constituents[number] = parse.constituents
        set_constituents(doc, sentences, constituents)
    if parse.heads is not None:
        set_heads(
            doc,
            [
                (
                    (start, end),
                    sentences[number],
                    list(parse.heads),
                    list(parse.deprels or ()),
                )
            ],
        )
    methods = [
        (*one.place, one.label)
        for one in _methods(doc)
        if one.place and not start <= one.place[0] < end
    ]
    if parse.method and sentences[number]:
        methods.append((start, end, parse.method))
    write_group(doc, METHODS_KEY, [Span(doc, *one) for one in sorted(methods)])


def get_parse_method(span: Span) -> Optional[str]:
    """Tell how the sentence around a Span was parsed: "joint", "separate" or "split";
    None for a parse without a mark, or a Span not within one sentence."""
    check_present(span)
    if not len(span):
        return None
    sentence = sentence_of(span)
    methods = _methods(span.doc, sentence.start, sentence.end)
    return next(
        (
            x.label
            for x in methods
            if x.place and x.place[0] <= span.start and span.end <= x.place[1]
        ),
        None,
    )


def _methods(doc: Doc, start: int = 0, end: Optional[int] = None) -> List[GroupSpan]:
    return read_group(doc, METHODS_KEY, start, end) if METHODS_KEY in doc.spans else []
