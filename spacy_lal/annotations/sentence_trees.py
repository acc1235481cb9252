"""The trees of a Doc's sentences, and their nodes."""

from bisect import bisect_left
from typing import TYPE_CHECKING, Iterator, List, Sequence, Tuple, Union

from spacy.tokens import Doc, Span

from ..trees import Constituent, nested_spans, spans_to_tree, write_spans
from .parses import SPANS_KEY, get_constituents
from .sentences import has_sentences, sentence_of, sentence_words, words_of
from .span_groups import check_present

if TYPE_CHECKING:
    from nltk.tree import Tree

MISSING_TAG = "X"
Item = Union[Doc, Span]


class UnparsedDocError(ValueError):
    """The Doc has no constituents. Raised by the getters of
    `install_extensions(strict=True)`."""


class SentenceTree:
    """The nodes of a sentence of n words in pre-order: the sentence, each word, and
    each constituent.
    words (List[int]): The index of each word in the Doc.
    keys (List[Tuple[int, int]]): The half-open range of word positions of each node.
    chains (List[str]): The unary chain of each node ("S::VP"), or "".
    after (List[int]): The first node after each node's subtree.
    parents (List[int]): The node above each node; -1 above the sentence.
    RAISES (SpanError): The constituents cross."""

    def __init__(
        self, doc: Doc, words: List[int], constituents: Sequence[Constituent]
    ) -> None:
        n_words = len(words)
        spans = nested_spans(constituents, n_words)
        labels = {(start, end): label for start, end, label in spans}
        single_words = {(i, i + 1) for i in range(n_words)}
        keys = {(0, n_words), *single_words, *labels}
        self.doc = doc
        self.words = words
        self.keys = sorted(keys, key=_in_preorder)
        self.chains = [labels.get(key, "") for key in self.keys]
        self.after = [len(keys)] * len(keys)
        self.parents = [-1] * len(keys)
        around: List[int] = []
        for number, (start, _) in enumerate(self.keys):
            while around and self.keys[around[-1]][1] <= start:
                self.after[around.pop()] = number
            if around:
                self.parents[number] = around[-1]
            around.append(number)

    def largest_within(self, item: Item) -> List[int]:
        """Give the fewest nodes that together have the words of an item, in order."""
        first, last = (
            (0, len(item)) if isinstance(item, Doc) else (item.start, item.end)
        )
        start = bisect_left(self.words, first)
        end = bisect_left(self.words, last)
        found = []
        number = bisect_left(self.keys, (start, -end), key=_in_preorder)
        while number < len(self.keys) and self.keys[number][0] < end:
            if self.keys[number][1] <= end:
                found.append(number)
                number = self.after[number]
            else:
                number += 1
        return found

    def span(self, node: int) -> Span:
        """Give a node as a Span."""
        start, end = self.keys[node]
        return self.doc[self.words[start] : self.words[end - 1] + 1]

    def to_nltk(self, node: int = 0) -> "Tree":
        """Give the tree below a node; a word without tag and part of speech has the tag
        X."""
        return spans_to_tree(*self._below(node))

    def to_brackets(self, node: int = 0) -> str:
        """Give the brackets of `to_nltk`, with spaces in words."""
        return write_spans(*self._below(node))

    def _below(self, node: int) -> Tuple[List[str], List[str], List[Constituent]]:
        """Give words, tags and spans below a node."""
        start, end = self.keys[node]
        tokens = [self.doc[i] for i in self.words[start:end]]
        words = [token.text for token in tokens]
        tags = [token.tag_ or token.pos_ or MISSING_TAG for token in tokens]
        spans = []
        for below in range(node, self.after[node]):
            if self.chains[below]:
                first, last = self.keys[below]
                spans.append((first - start, last - start, self.chains[below]))
        return words, tags, spans


def _in_preorder(key: Tuple[int, int]) -> Tuple[int, int]:
    start, end = key
    return start, -end


def sentence_trees(item: Item) -> Iterator[SentenceTree]:
    """Give the trees of sentences with words, those of a Doc or around a Span, at the
    cost of these sentences.

    RAISES (UnparsedDocError): The Doc has no parse.
    RAISES (StaleParseError): The Doc does not have the Span's tokens."""
    doc = item if isinstance(item, Doc) else item.doc
    missing = ""
    if SPANS_KEY not in doc.spans:
        missing = f"constituents (doc.spans[{SPANS_KEY!r}])"
    elif not has_sentences(doc):
        missing = "sentence boundaries"
    if missing:
        raise UnparsedDocError(
            f"the Doc has no {missing}: it must come from a pipeline with a lal_parser"
        )
    if isinstance(item, Span):
        check_present(item)
        found = _of_sentences(item)
    else:
        found = zip(sentence_words(doc), get_constituents(doc), strict=True)
    yield from (
        SentenceTree(doc, words, constituents) for words, constituents in found if words
    )


def _of_sentences(span: Span) -> Iterator[Tuple[List[int], List[Constituent]]]:
    start = span.start
    while start < span.end:
        sentence = sentence_of(span.doc[start : start + 1])
        (constituents,) = get_constituents(span.doc, sentence)
        yield words_of(sentence), constituents
        start = sentence.end
