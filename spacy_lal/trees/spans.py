"""Spans: constituents as `(start, end, label)`, half-open, tokens from 0, in pre-order.
Collapsed: one span per stretch of words, its label a unary chain joined by `::`,
outermost first (`(0, 2, "S::VP")`). Expanded: one span per constituent, outer before
inner. The conversion of spans + words + tags to a tree is lossless both ways. No
recursion."""

from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from .brackets import FALLBACK_ROOT, write_brackets

if TYPE_CHECKING:
    from nltk.tree import Tree

Chain = Tuple[str, ...]  # the labels of a unary chain, outermost first
EMPTY = 0  # the label id of "no constituent here"; its score is fixed at 0
SUB_HEAD = 1  # the label id of a node that only binds a head to its dependents
SUB_HEAD_LABEL = "<H>"
CHAIN_SEPARATOR = "::"


def join_chain(chain: Sequence[str]) -> str:
    """A unary chain as one string: `S::VP`."""
    return CHAIN_SEPARATOR.join(chain)


def split_chain(label: str) -> Chain:
    """The labels of a unary chain, outermost first; the empty string is the empty
    chain."""
    return tuple(label.split(CHAIN_SEPARATOR)) if label else ()


class Constituent(NamedTuple):
    """A half-open range of words, from 0, and its label: a unary chain joined by `::`,
    outermost first ("S::VP"), or of expanded constituents a single label. Code reads
    its fields by their names: it may get more of them."""

    start: int
    end: int
    label: str

    @property
    def chain(self) -> Chain:
        """Its labels, outermost first."""
        return split_chain(self.label)

    def is_within(self, start: int, end: int) -> bool:
        """Whether it lies in a range of words."""
        return start <= self.start and self.end <= end

    def moved(self, by: int) -> "Constituent":
        """The same in a sentence in which words have other numbers."""
        return self._replace(start=self.start + by, end=self.end + by)


Span = Constituent


class LabelVocab:
    """Labels <-> ids. Id 0 is the empty label, id 1 the sub-head label, the rest in the
    order given: unary chains (`"S::VP"`).

    RAISES (ValueError): on a duplicate, an empty string, or one of the fixed labels.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.strings: List[str] = ["", SUB_HEAD_LABEL, *labels]
        self.ids: Dict[str, int] = {label: i for i, label in enumerate(self.strings)}
        if len(self.ids) != len(self.strings):
            doubled = sorted(
                {label for label in labels if self.strings.count(label) > 1}
            )
            raise ValueError(
                "constituent labels must be unique, non-empty and not '<H>', got "
                f"twice: {doubled}"
            )

    def __len__(self) -> int:
        return len(self.strings)

    def __contains__(self, label: str) -> bool:
        return label in self.ids


class TreeSpans(NamedTuple):
    """A tree: its n leaves (strings, unless the tree has others), the label above each
    (empty without a preterminal), and collapsed spans in pre-order."""

    words: List[Any]
    tags: List[str]
    spans: List[Span]


class SpanError(ValueError):
    """Spans that do not form a tree."""


def is_preterminal(node: Any) -> bool:
    """Whether a node is a tag above one word."""
    return isinstance(node, list) and len(node) == 1 and not isinstance(node[0], list)


def tree_to_spans(tree: "Tree") -> TreeSpans:
    """A tree as words, tags and collapsed spans.

    RAISES (SpanError): A constituent has no words; or a label that a chain can't hold:
        it is empty, is `<H>`, contains `::`, begins or ends with `:`.
    """
    words: List[Any] = []
    tags: List[str] = []
    spans: List[Span] = []
    open_spans: List[int] = []  # indices into `spans` of the enclosing constituents
    todo: List[Any] = [tree]
    while todo:
        node = todo.pop()
        is_leaf = not isinstance(node, list)
        if node is _CLOSE:
            place = open_spans.pop()
            spans[place] = spans[place]._replace(end=len(words))
        elif is_leaf:
            words.append(node)
            tags.append("")
        elif is_preterminal(node):
            words.append(node[0])
            tags.append(node.label())
        else:
            chain = [node.label()]
            while len(node) == 1 and not is_preterminal(node[0]):
                node = node[0]
                chain.append(node.label())
            if not len(node) or not all(map(_is_label, chain)):
                raise SpanError(
                    "expected a constituent with words, and labels without '::' in "
                    "them and ':' at their ends, got "
                    f"{chain} over {len(node)} nodes after {len(words)} words"
                )
            open_spans.append(len(spans))
            spans.append(Constituent(len(words), -1, join_chain(chain)))
            todo.append(_CLOSE)
            todo.extend(reversed(node))
    return TreeSpans(words, tags, spans)


def _is_label(label: str) -> bool:
    if not label or label == SUB_HEAD_LABEL or CHAIN_SEPARATOR in label:
        return False
    return ":" not in (label[0], label[-1])


def spans_to_tree(
    words: Sequence[Any],
    tags: Optional[Sequence[str]],
    spans: Sequence[Span],
    *,
    root: str = FALLBACK_ROOT,
    make: Optional[Callable[[str, List[Any]], Any]] = None,
) -> "Tree":
    """A tree from n >= 1 words, their tags and spans.

    tags (Optional[Sequence[str]]): An empty tag, or None for all, leaves the word
        without preterminal.
    spans (Sequence[Tuple[int, int, str]]): Collapsed or expanded, in any order; but
        spans over the same words are outermost first. A span with an empty label is
        ignored.
    root (str): Label of an added top node, used only if neither a span nor a tag covers
        all words.
    make (Optional[Callable]): What makes a node of a label and its children;
        `nltk.Tree` unless given.
    RAISES (SpanError): Two spans cross, a span lies outside of the words, or there is
        no word.
    """
    if not len(words):
        raise SpanError("a tree needs at least one word, got none")
    if make is None:
        from nltk.tree import Tree

        make = Tree  # NLTK takes a fifth of the time that a pipeline takes to load
    leaves = [
        make(tags[i], [word]) if tags and tags[i] else word
        for i, word in enumerate(words)
    ]
    top: List[Any] = []
    # End and children of the open constituents.
    around: List[Tuple[int, List[Any]]] = [(len(words), top)]
    position = 0  # number of words placed so far
    for start, end, label in nested_spans(spans, len(words)):
        while around[-1][0] <= start:
            position = _fill(around.pop(), leaves, position)
        around[-1][1].extend(leaves[position:start])
        position = start
        for part in split_chain(label):
            node = make(part, [])
            around[-1][1].append(node)
            around.append((end, node))
    while around:
        position = _fill(around.pop(), leaves, position)
    return top[0] if len(top) == 1 and isinstance(top[0], list) else make(root, top)


class _Node(list):  # type: ignore[type-arg]
    def __init__(self, label: str, children: List[Any]) -> None:
        super().__init__(children)
        self._label = label

    def label(self) -> str:
        return self._label


def write_spans(
    words: Sequence[str], tags: Sequence[str], spans: Sequence[Span], **options: bool
) -> str:
    """The brackets of `spans_to_tree`, without importing NLTK. Options as in
    `write_brackets`."""
    return write_brackets(spans_to_tree(words, tags, spans, make=_Node), **options)


def nested_spans(spans: Sequence[Span], n_words: int) -> List[Span]:
    """Spans in pre-order: by start, the longer first, spans over the same words in the
    order given.

    RAISES (SpanError): Two spans cross, or a span lies outside of the words.
    """
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    around: List[Span] = []
    for span in ordered:
        start, end, _ = span
        if not 0 <= start < end <= n_words:
            raise SpanError(
                f"expected spans with 0 <= start < end <= {n_words} words, got "
                f"{tuple(span)}"
            )
        while around and around[-1][1] <= start:
            around.pop()
        if around and around[-1][1] < end:
            raise SpanError(
                f"constituents must nest, got two that cross: {around[-1]} and {span}"
            )
        around.append(span)
    return ordered


def expand_chains(spans: Sequence[Span]) -> List[Span]:
    """One span per label of each chain, outermost first; spans with the empty label are
    dropped."""
    return [
        Constituent(start, end, part)
        for start, end, label in spans
        for part in split_chain(label)
    ]


def collapse_chains(spans: Sequence[Span]) -> List[Span]:
    """One span per stretch of words, in pre-order; labels over the same words joined in
    the order given."""
    collapsed: List[Span] = []
    for start, end, label in sorted(spans, key=lambda span: (span[0], -span[1])):
        if collapsed and collapsed[-1][:2] == (start, end):
            chain = collapsed.pop()[2], label
            label = join_chain(list(filter(None, chain)))
        collapsed.append(Constituent(start, end, label))
    return collapsed


_CLOSE = object()  # marks the end of a constituent in a stack of nodes


def _fill(
    constituent: Tuple[int, List[Any]], leaves: Sequence[Any], position: int
) -> int:
    end, children = constituent
    children.extend(leaves[position:end])
    return max(position, end)
