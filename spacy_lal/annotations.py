"""Parses on a Doc: the only place that writes them, and the only place that reads them back.

Dependencies are spaCy's own (`token.head`, `token.dep_`). Constituents are a span group, `doc.spans["constituents"]`:
one labelled Span per constituent, pre-order, outer before inner, a unary chain as several Spans over the same tokens.
A span group survives `to_bytes`, DocBin, pickle and worker processes; an object in `user_data` would not. So the mark
that tells which way each sentence was parsed is one, too: `doc.spans["parse_methods"]`, a Span for each sentence.

Whitespace tokens take no part in a parse: no bracket shows them, and each hangs on the token before it. Here "word"
therefore means a token that is not whitespace, and a word position counts the words of one sentence from 0.
"""

from bisect import bisect_left, bisect_right
from contextlib import contextmanager
from functools import partial
from itertools import accumulate
from typing import Any, Callable, Dict, Iterator, List, Literal, NamedTuple, Optional, Sequence, Tuple

import numpy as np
from nltk.tree import Tree
from spacy.tokens import Doc, Span, Token

from .span_groups import PreorderGroup, check_present, label_around, present_spans, spans_between, warn_of_lost
from .trees import collapse_chains, expand_chains, nested_spans, spans_to_tree, split_chain, write_brackets

SPANS_KEY = "constituents"
METHODS_KEY = "parse_methods"
UNKNOWN_DEPREL = WHITESPACE_DEPREL = "dep"  # spaCy counts a token without head offset and deprel as unparsed
ROOT_DEPREL = "ROOT"
MISSING_TAG = "X"

CollapsedSpan = Tuple[int, int, str]
# Both trees found together; each by itself; in pieces, which were joined.
ParseMethod = Literal["joint", "separate", "split"]


class SentenceParse(NamedTuple):
    """A parse of one sentence of n words, ready to be written.

    constituents (Optional[List[Tuple[int, int, str]]]): Half-open spans of word positions with their unary chain
        ("S::VP"), pre-order. None leaves the Doc's constituents alone.
    heads (Optional[ndarray]): Shape: (n,). The head of each word, counted from 1; 0 is the root. None leaves the heads.
    deprels (Optional[List[str]]): One for each word.
    method (Optional[str]): Which way it was found. None leaves the sentence without a mark.
    """

    constituents: Optional[List[CollapsedSpan]]
    heads: Optional[Sequence[int]]
    deprels: Optional[Sequence[str]]
    method: Optional[ParseMethod] = None


def has_sentences(doc: Doc) -> bool:
    """Whether the Doc's sentence boundaries are known (those of a Doc of at most one token always are)."""
    return len(doc) < 2 or doc.has_annotation("SENT_START")


def sentence_bounds(doc: Doc) -> List[Tuple[int, int]]:
    """The half-open token range of each sentence, in order; none for an empty Doc.

    RAISES (ValueError): Where sentence boundaries are not known.
    """
    if not len(doc):
        return []
    if not has_sentences(doc):
        raise ValueError(
            "the Doc has no sentence boundaries, and a parse is made sentence by sentence: add a component that sets "
            'them before the parser, for example nlp.add_pipe("sentencizer") or nlp.add_pipe("senter")'
        )
    starts = np.flatnonzero(doc.to_array("SENT_START") == 1).tolist()
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    return list(zip(starts, starts[1:] + [len(doc)], strict=True))


def sentence_words(doc: Doc) -> List[List[int]]:
    """For each sentence, the indices of its words in the Doc: its tokens without the whitespace tokens.

    RAISES (ValueError): Where sentence boundaries are not known.
    """
    bounds = sentence_bounds(doc)
    is_space = doc.to_array("IS_SPACE").tolist() if bounds else []
    return [[i for i in range(start, end) if not is_space[i]] for start, end in bounds]


def same_tokens(x: Doc, y: Doc) -> bool:
    """Whether two Docs have the same tokens by their text, whatever their spaces."""
    return len(x) == len(y) and bool((x.to_array("ORTH") == y.to_array("ORTH")).all())


# Writing


def set_parses(doc: Doc, parses: Sequence[SentenceParse], *, overwrite: bool = True) -> None:
    """Write the parses of all sentences of a Doc onto it.

    doc (Doc): Modified in place. Its sentence boundaries stay as they are.
    parses (Sequence[SentenceParse]): One for each sentence, in order.
    overwrite (bool): Whether heads and constituents that the Doc already has are replaced.
    RAISES (ValueError): Where the number of parses, or of heads in one, does not fit the Doc.
    """
    sentences = sentence_words(doc)
    if len(sentences) != len(parses):
        raise ValueError(f"expected one parse for each of the Doc's {len(sentences)} sentences, got {len(parses)}")
    with_trees = all(parse.constituents is not None for parse in parses)
    with_trees = with_trees and (overwrite or not doc.spans.get(SPANS_KEY))
    with_heads = bool(parses) and all(parse.heads is not None for parse in parses)
    with_heads = with_heads and (overwrite or not doc.has_annotation("DEP"))
    if with_trees:
        constituents = [parse.constituents or [] for parse in parses]
        set_constituents(doc, sentences, constituents)
    if with_heads:
        _set_heads(doc, sentences, parses)
    if with_trees or with_heads:
        _set_methods(doc, sentences, parses)


def with_root_deprel(heads: Sequence[int], deprels: Sequence[str]) -> List[str]:
    """Deprels of a sentence in which roots, and no other words, have the deprel ROOT. A network chooses each deprel by
    itself, and may give ROOT to another word; that word gets `dep`, as in Universal Dependencies."""
    others = [UNKNOWN_DEPREL if deprel == ROOT_DEPREL else deprel for deprel in deprels]
    return [other if head else ROOT_DEPREL for head, other in zip(heads, others, strict=True)]


def set_constituents(doc: Doc, sentences: List[List[int]], constituents: Sequence[Sequence[CollapsedSpan]]) -> None:
    """Write `doc.spans["constituents"]`.

    sentences (List[List[int]]): The words of each sentence, as `sentence_words` gives them, in order.
    constituents (Sequence[Sequence[Tuple[int, int, str]]]): For each sentence, spans of word positions, pre-order.
    """
    spans = []
    for words, sentence in zip(sentences, constituents, strict=True):
        for start, end, label in expand_chains(sentence):
            spans.append(Span(doc, words[start], words[end - 1] + 1, label=label))
    doc.spans[SPANS_KEY] = PreorderGroup(doc, SPANS_KEY, spans)


def _set_heads(doc: Doc, sentences: List[List[int]], parses: Sequence[SentenceParse]) -> None:
    offsets = np.zeros(len(doc), dtype=np.int64)
    deprels = np.full(len(doc), doc.vocab.strings.add(WHITESPACE_DEPREL), dtype=np.uint64)
    for (start, end), words, parse in zip(sentence_bounds(doc), sentences, parses, strict=True):
        heads, parse_deprels = parse.heads or (), parse.deprels or ()
        if len(heads) != len(words) or len(parse_deprels) != len(words):
            raise ValueError(
                f"expected a head and a deprel for each of the {len(words)} words of the sentence at token {start}, "
                f"got {len(heads)} and {len(parse_deprels)}"
            )
        for word, head, deprel in zip(words, heads, parse_deprels, strict=True):
            offsets[word] = (words[head - 1] if head else word) - word
            deprels[word] = doc.vocab.strings.add(deprel)
        _hang_whitespace(offsets, deprels, doc.vocab.strings.add(ROOT_DEPREL), start, end, set(words))
    sent_starts = doc.to_array("SENT_START")
    doc.from_array(["HEAD", "DEP"], np.stack([offsets.astype(np.uint64), deprels], axis=1))  # type: ignore[arg-type]
    # spaCy derives sentence starts from the arcs, and gives up on some non-projective trees: ours are known.
    doc.from_array(["SENT_START"], sent_starts)  # type: ignore[arg-type]


def _set_methods(doc: Doc, sentences: List[List[int]], parses: Sequence[SentenceParse]) -> None:
    spans = [
        Span(doc, start, end, label=parse.method)
        for (start, end), words, parse in zip(sentence_bounds(doc), sentences, parses, strict=True)
        if parse.method and words  # what has no words has no parse
    ]
    doc.spans[METHODS_KEY] = PreorderGroup(doc, METHODS_KEY, spans)


def _hang_whitespace(
    offsets: np.ndarray, deprels: np.ndarray, root: int, start: int, end: int, words: set[int]
) -> None:
    """Each whitespace token depends on the token before it; at the start of a sentence, on the first word. A sentence
    of nothing but whitespace has its first token as root."""
    first = min(words, default=start)
    for token in range(start, end):
        if token in words:
            continue
        offsets[token] = (first if token <= first else token - 1) - token
        if token == first:
            deprels[token] = root


def set_sentence_starts(doc: Doc, starts: Sequence[int]) -> None:
    """Set the Doc's sentence boundaries, whatever it had before.

    starts (Sequence[int]): Index of the first token of each sentence.
    """
    values = np.full(len(doc), -1, dtype=np.int64)
    values[list(starts)] = 1
    if len(doc):
        values[0] = 1
        doc.from_array(["SENT_START"], values.astype(np.uint64))  # type: ignore[arg-type]


@contextmanager
def other_sentence_starts(docs: Sequence[Doc], starts: Sequence[Sequence[int]]) -> Iterator[None]:
    """For the time of a block, Docs have other sentence boundaries; afterwards those that they had.

    starts (Sequence[Sequence[int]]): For each Doc the index of the first token of each sentence.
    """
    before = [doc.to_array("SENT_START") for doc in docs]
    try:
        for doc, doc_starts in zip(docs, starts, strict=True):
            set_sentence_starts(doc, doc_starts)
        yield
    finally:
        for doc, values in zip(docs, before, strict=True):
            doc.from_array(["SENT_START"], values)  # type: ignore[arg-type]


# Reading


def constituent_tokens(doc: Doc) -> List[Tuple[int, int, str]]:
    """The constituents that stand on a Doc as half-open ranges of its tokens, in the order of the span group.

    RAISES (StaleParseError): The Doc's text is another than when they were written.
    """
    return present_spans(doc.spans[SPANS_KEY]) if SPANS_KEY in doc.spans else []


def get_constituents(doc: Doc) -> List[List[CollapsedSpan]]:
    """For each sentence, the constituents that stand on the Doc, as spans of word positions with their unary chains,
    pre-order. A constituent that crosses a sentence boundary is left out, with a warning.

    RAISES (ValueError): Where sentence boundaries are not known. (StaleParseError): As `constituent_tokens`.
    """
    sentences = sentence_words(doc)
    if SPANS_KEY not in doc.spans:
        return [[] for _ in sentences]
    firsts = [0, *accumulate(map(len, sentences))]  # how many words lie before each sentence
    words_before = [0, *accumulate((~doc.to_array("IS_SPACE").astype(bool)).tolist())]  # and before each token
    expanded: List[List[CollapsedSpan]] = [[] for _ in sentences]
    any_lost = False
    for start, end, label in present_spans(doc.spans[SPANS_KEY], preorder=True):
        first, last = words_before[start], words_before[end]
        if first == last:
            continue
        sentence = bisect_right(firsts, first, hi=len(sentences)) - 1
        if last <= firsts[sentence + 1]:
            expanded[sentence].append((first - firsts[sentence], last - firsts[sentence], label))
        else:
            any_lost = True
    if any_lost:
        warn_of_lost()
    return [collapse_chains(spans) for spans in expanded]


def _constituents_of(sentence: Span, words: List[int]) -> List[CollapsedSpan]:
    """What `get_constituents` gives for one sentence."""
    found = spans_between(sentence.doc.spans[SPANS_KEY], sentence.start, sentence.end)
    if found is None:
        bounds = sentence_bounds(sentence.doc)
        return get_constituents(sentence.doc)[bisect_right(bounds, sentence.start, key=lambda ends: ends[0]) - 1]
    places = [(bisect_left(words, start), bisect_left(words, end), label) for start, end, label in found]
    return collapse_chains([place for place in places if place[0] < place[1]])


class _Constituency:
    """The constituency tree of the sentence around a span, and the span's place in it."""

    def __init__(self, span: Span) -> None:
        self.doc = span.doc
        # What is asked for every sentence of a long Doc must not cost as much as the Doc each time.
        sentence = span.doc[span.start : span.start + 1].sent if len(span.doc) > 1 else span.doc[:]
        self.words: List[int] = [token.i for token in sentence if not token.is_space]
        constituents = nested_spans(_constituents_of(sentence, self.words), len(self.words))
        self.labels: Dict[Tuple[int, int], str] = {(start, end): label for start, end, label in constituents}
        self.here = (bisect_left(self.words, span.start), bisect_left(self.words, span.end))
        self.is_node = span.end <= sentence.end and self._is_node(self.here)

    def _is_node(self, key: Tuple[int, int]) -> bool:
        start, end = key
        return key in self.labels or end - start == 1 or (start == 0 and 0 < end == len(self.words))

    def nodes(self) -> List[Tuple[int, int]]:
        """All nodes at or below the span, pre-order; a word is a node."""
        start, end = self.here
        keys = {(i, i + 1) for i in range(start, end)} | {self.here}
        keys.update(key for key in self.labels if start <= key[0] and key[1] <= end)
        return sorted(keys, key=lambda key: (key[0], -key[1]))

    def span(self, key: Tuple[int, int]) -> Span:
        start, end = key
        return self.doc[self.words[start] : self.words[end - 1] + 1]

    def tree(self) -> Tree:
        start, end = self.here
        tokens = [self.doc[i] for i in self.words[start:end]]
        spans = [(s - start, e - start, self.labels[s, e]) for s, e in self.nodes() if (s, e) in self.labels]
        tags = [token.tag_ or token.pos_ or MISSING_TAG for token in tokens]
        return spans_to_tree([token.text for token in tokens], tags, spans)


def _constituency(span: Span) -> Optional[_Constituency]:
    """None for a span that is no node of a tree, or whose Doc has no parse.

    RAISES (StaleParseError): The span is of tokens that the Doc does not have. (CrossingSpansError): Others have
        written constituents that cross.
    """
    check_present(span)
    if SPANS_KEY not in span.doc.spans or not has_sentences(span.doc) or not len(span):
        return None
    constituency = _Constituency(span)
    return constituency if constituency.is_node else None


def get_tree(span: Span) -> Optional[Tree]:
    """The constituency tree of a span, or None where the span is no constituent (or its Doc has no parse)."""
    constituency = _constituency(span)
    return constituency.tree() if constituency else None


def get_parse_string(span: Span) -> Optional[str]:
    """The constituency tree of a span in brackets, or None where the span is no constituent."""
    tree = get_tree(span)
    return write_brackets(tree, spaces=True) if tree is not None else None


def get_labels(span: Span) -> Tuple[str, ...]:
    """The labels of a constituent, outermost first; none for a lone word or where the span is no constituent."""
    constituency = _constituency(span)
    return split_chain(constituency.labels.get(constituency.here, "")) if constituency else ()


def iter_constituents(span: Span) -> Iterator[Span]:
    """The constituents at or below a span, pre-order, words included; nothing where the span is no constituent."""
    constituency = _constituency(span)
    if constituency:
        yield from map(constituency.span, constituency.nodes())


def iter_children(span: Span) -> Iterator[Span]:
    """The constituents directly below a span, words included; nothing where the span is no constituent."""
    constituency = _constituency(span)
    if not constituency:
        return
    reached = constituency.here[0]
    for start, end in constituency.nodes()[1:]:
        if start >= reached:
            yield constituency.span((start, end))
            reached = end


def get_parent(span: Span) -> Optional[Span]:
    """The smallest constituent above a span; None for a whole sentence, or where the span is no constituent."""
    constituency = _constituency(span)
    if not constituency:
        return None
    start, end = constituency.here
    above = [key for key in constituency.labels if key[0] <= start and end <= key[1] and key != (start, end)]
    above += [(0, len(constituency.words))] if end - start < len(constituency.words) else []
    return constituency.span(min(above, key=lambda key: key[1] - key[0])) if above else None


def get_parse_method(span: Span) -> Optional[str]:
    """Which way the sentence around a span was parsed: "joint", "separate" or "split"; None where it has no parse that
    says so, or the span is no part of one sentence."""
    if METHODS_KEY not in span.doc.spans or not len(span):
        return None
    check_present(span)
    return label_around(span.doc.spans[METHODS_KEY], span)


def get_doc_parse_string(doc: Doc) -> Optional[str]:
    """The constituency trees of a Doc in brackets, one sentence a line, or None where the Doc has no parse. Sentences
    of nothing but whitespace have no tree and no line."""
    if SPANS_KEY not in doc.spans or not has_sentences(doc):
        return None
    lines = []
    for words, constituents in zip(sentence_words(doc), get_constituents(doc), strict=True):
        if words:
            tags = [doc[i].tag_ or doc[i].pos_ or MISSING_TAG for i in words]
            tree = spans_to_tree([doc[i].text for i in words], tags, constituents)
            lines.append(write_brackets(tree, spaces=True))
    return "\n".join(lines)


def _of_token(token: Token, *, getter: Callable[[Span], Any]) -> Any:
    return getter(token.doc[token.i : token.i + 1])


def install_extensions() -> None:
    """Give Doc, Span and Token the getters that users of benepar know. One that exists already is left alone."""
    getters: List[Tuple[Any, str, Callable]] = [
        (Doc, "parse_string", get_doc_parse_string),
        (Span, "parse_string", get_parse_string),
        (Span, "labels", get_labels),
        (Span, "constituents", iter_constituents),
        (Span, "children", iter_children),
        (Span, "parent", get_parent),
        (Span, "tree", get_tree),
        (Span, "parse_method", get_parse_method),
        (Token, "parse_string", partial(_of_token, getter=get_parse_string)),
        (Token, "labels", partial(_of_token, getter=get_labels)),
        (Token, "parent", partial(_of_token, getter=get_parent)),
    ]
    for cls, name, getter in getters:
        if not cls.has_extension(name):
            cls.set_extension(name, getter=getter)
