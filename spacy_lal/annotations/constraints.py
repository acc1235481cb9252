"""Constraints on a Doc, for the parser: known constituents, forbidden ones, and known
heads. In the span group `doc.spans["constraints"]` the `kb_id_` tells the kind; the
Span of a head follows the Span of its dependent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import (
    Any,
    NamedTuple,
    Optional,
    Union,
)

from spacy.tokens import Doc, Span, Token

from ..trees import split_chain
from .sentences import has_sentences, sentence_bounds, words_of
from .span_groups import (
    CONSTRAINTS_KEY,
    Range,
    StaleParseError,
    check_present,
    read_group,
    write_group,
)

_KNOWN = "known"
_FORBIDDEN = "forbidden"
_DEPENDENT = "dependent"
_HEAD = "head"


class SpanConstraint(NamedTuple):
    """A constituent that a parse must have, or must not have.
    start, end (int): Half-open, in tokens of the Doc, or in words of a sentence.
    label (str): Its label, or several of its unary chain ("S::VP"). Empty for any
        label.
    forbidden (bool): Whether the parse must not have it."""

    start: int
    end: int
    label: str = ""
    forbidden: bool = False


class HeadConstraint(NamedTuple):
    """A head that a parse must have.
    dependent, head (int): In tokens of the Doc, or in words of a sentence. A root is
    its own head."""

    dependent: int
    head: int


Constraint = Union[SpanConstraint, HeadConstraint]
SpanLike = Union[Span, Range, tuple[int, int, str]]


class ContradictionError(ValueError):
    """No parse fulfils some constraints.
    constraints (Tuple[Constraint, ...]): Constraints that contradict each other, in
        tokens.
    reason (str): Why no parse fulfils them."""

    def __init__(
        self, doc: Union[Doc, str], constraints: Sequence[Constraint], reason: str
    ) -> None:
        self.constraints = tuple(constraints)
        self.reason = reason
        if isinstance(doc, str):
            named = doc
        else:
            named = "; ".join(_describe(doc, constraint) for constraint in constraints)
        super().__init__(f"no parse fulfils these constraints, since {reason}: {named}")
        self._named = named

    def __reduce__(self) -> tuple[Any, ...]:
        # As worker processes send it: without the Doc.
        return ContradictionError, (self._named, self.constraints, self.reason)


def constrain(
    doc: Doc,
    *,
    constituents: Iterable[SpanLike] = (),
    heads: Optional[Mapping[Union[int, Token], Union[int, Token]]] = None,
    forbidden: Iterable[SpanLike] = (),
) -> None:
    """Constrain the parse of a Doc. The parser then finds the best parse that fulfils
    the constraints. They replace earlier ones; without arguments, the Doc has none.
    doc (Doc): Modified in place; a parse that it already has stays as it is.
    constituents (Iterable[Union[Span, Tuple]]): Spans, or `(start, end)` or `(start,
        end, label)` in tokens, half-open. With a label, this label is in the unary
        chain over the span; with "S::VP", both are, S above VP.
    heads (Optional[Mapping]): Tokens or their indices, and their heads. A root is its
        own head.
    forbidden (Iterable[Union[Span, Tuple]]): Spans that are no constituents; with a
        label, that do not have this label.
    RAISES (ContradictionError): Constituents cross, one is forbidden, heads form a
        cycle; where sentence boundaries are known, a constraint reaches beyond one, or
        a sentence has several roots. What only a parser knows, such as its labels, is
        checked when it parses.
    RAISES (ValueError): A span or a token is outside of the Doc, is of another Doc, or
        has no words."""
    constraints: list[Constraint] = [
        *(_read_span(doc, span, False) for span in constituents),
        *(_read_span(doc, span, True) for span in forbidden),
        *(
            HeadConstraint(
                _read_word(doc, word, "dependent"), _read_word(doc, head, "head")
            )
            for word, head in (heads or {}).items()
        ),
    ]
    constraints = list(dict.fromkeys(constraints))
    check_structure(doc, constraints)
    doc.spans.pop(CONSTRAINTS_KEY, None)  # type: ignore[call-arg]
    spans: list[Span] = []
    for constraint in constraints:
        if isinstance(constraint, HeadConstraint):
            for i, kind in zip(constraint, (_DEPENDENT, _HEAD), strict=True):
                spans.append(Span(doc, i, i + 1, kb_id=kind))
        else:
            start, end, label, is_forbidden = constraint
            kind = _FORBIDDEN if is_forbidden else _KNOWN
            spans.append(Span(doc, start, end, label, kb_id=kind))
    if spans:
        write_group(doc, CONSTRAINTS_KEY, spans)


def get_constraints(doc: Doc) -> list[Constraint]:
    """The constraints of a Doc, in its present tokens.

    RAISES (StaleParseError): Tokens were merged or split since `constrain`, and a
        constraint begins or ends within a token; or the text has changed."""
    if CONSTRAINTS_KEY not in doc.spans:
        return []
    constraints: list[Constraint] = []
    for span in read_group(doc, CONSTRAINTS_KEY):
        of_head = span.kb_id in (_DEPENDENT, _HEAD)
        start, end = span.place or (0, 0)
        is_ours = of_head or span.kb_id in (_KNOWN, _FORBIDDEN)
        fits = end - start == 1 if of_head else end > start
        if not is_ours or not fits:
            text = doc.text[slice(*span.chars)]
            raise StaleParseError(
                f"the constraint on {'the head of ' * of_head}{text!r} does not fit "
                "the tokens, which were merged or split after "
                "spacy_lal.annotations.constrain (call it afterwards), or "
                f"doc.spans[{CONSTRAINTS_KEY!r}] is not from it (rename or remove the "
                "group)"
            )
        if span.kb_id == _DEPENDENT:
            constraints.append(HeadConstraint(start, start))
        elif span.kb_id == _HEAD:
            constraints[-1] = constraints[-1]._replace(head=start)  # type: ignore[call-arg]
        else:
            constraints.append(
                SpanConstraint(start, end, span.label, span.kb_id == _FORBIDDEN)
            )
    return constraints


def in_words(
    doc: Doc, words: Sequence[int], constraints: Iterable[Constraint]
) -> list[tuple[Constraint, Constraint]]:
    """The constraints within a sentence: each as a constraint on its words, counted
    from 0, and as given. A forbidden span that reaches beyond the sentence is a
    constituent of no tree, so it is skipped.
    words (Sequence[int]): The indices of the sentence's words in the Doc."""
    in_sentence: list[tuple[Constraint, Constraint]] = []
    place = {word: i for i, word in enumerate(words)}
    for constraint in constraints:
        if isinstance(constraint, HeadConstraint):
            if constraint.dependent in place:
                in_place = HeadConstraint(*(place[word] for word in constraint))
                in_sentence.append((in_place, constraint))
        else:
            words_of_span = words_of(doc[constraint.start : constraint.end])
            inside = [place[i] for i in words_of_span if i in place]
            reaches_beyond = len(inside) < len(words_of_span)
            if inside and not (constraint.forbidden and reaches_beyond):
                in_sentence.append(
                    (
                        constraint._replace(start=inside[0], end=inside[-1] + 1),
                        constraint,
                    )
                )
    return in_sentence


def check_structure(doc: Doc, constraints: Sequence[Constraint]) -> None:
    """Check constraints without a parser.

    RAISES (ContradictionError): As `constrain`."""
    for contradicting, reason in _contradictions(doc, constraints):
        raise ContradictionError(doc, contradicting, reason)


def _contradictions(
    doc: Doc, constraints: Sequence[Constraint]
) -> Iterator[tuple[list[Constraint], str]]:
    bounds = sentence_bounds(doc) if has_sentences(doc) else [(0, len(doc))]
    sentence_of = [number for number, ends in enumerate(bounds) for _ in range(*ends)]
    roots: dict[int, HeadConstraint] = {}
    heads: dict[int, HeadConstraint] = {}  # by dependent
    ends: dict[SpanConstraint, Range] = {}  # the first and the last word
    for constraint in constraints:
        if isinstance(constraint, HeadConstraint):
            word, head = constraint
            heads[word] = constraint
            if sentence_of[word] != sentence_of[head]:
                yield [constraint], "the head is in another sentence"
            if word == head and has_sentences(doc):
                root = roots.setdefault(sentence_of[head], constraint)
                if root != constraint:
                    yield [root, constraint], "a sentence has one root"
        else:
            words = words_of(doc[constraint.start : constraint.end])
            first, last = ends[constraint] = words[0], words[-1]
            if not constraint.forbidden and sentence_of[first] != sentence_of[last]:
                yield [constraint], "it crosses a sentence boundary"
    cycle = _find_cycle(heads)
    if cycle:
        yield [*cycle], "heads must not form a cycle"
    for x, y in combinations(ends, 2):
        (start, end), (other_start, other_end) = sorted((ends[x], ends[y]))
        crosses = start < other_start <= end < other_end
        if crosses and not x.forbidden and not y.forbidden:
            yield [x, y], "constituents must not cross"
        banned, known = (x, y) if x.forbidden else (y, x)
        is_same = ends[x] == ends[y] and x.forbidden != y.forbidden
        if is_same and (not banned.label or contains_chain(known.label, banned.label)):
            yield [known, banned], "a constituent cannot be both known and forbidden"


def _find_cycle(heads: Mapping[int, HeadConstraint]) -> list[HeadConstraint]:
    """Find known heads that form a cycle, by their dependents; empty without one."""
    for word in heads:
        path: list[int] = []
        while word in heads and word not in path and heads[word].head != word:
            path.append(word)
            word = heads[word].head
        if word in path:
            return [heads[i] for i in path[path.index(word) :]]
    return []


def contains_chain(chain: str, part: str) -> bool:
    """Whether the labels of `part` follow each other in a unary chain, as in "S::VP"
    and "VP"."""
    labels = split_chain(chain)
    wanted = split_chain(part)
    starts = range(len(labels) - len(wanted) + 1)
    return any(labels[i : i + len(wanted)] == wanted for i in starts)


def _read_span(doc: Doc, span: Any, forbidden: bool) -> SpanConstraint:
    parts = span
    if isinstance(span, Span) and span.doc is doc:
        check_present(span)
        parts = (span.start, span.end, span.label_)
    has_parts = isinstance(parts, (tuple, list)) and len(parts) in (2, 3)
    start, end, label = (*parts, "")[:3] if has_parts else (0, 0, "")
    are_indices = _is_index(start) and _is_index(end) and isinstance(label, str)
    fits = are_indices and 0 <= start < end <= len(doc)
    if not fits or not words_of(doc[start:end]):
        raise ValueError(
            "expected a Span of this Doc, (start, end) or (start, end, label), with 0 "
            f"<= start < end <= {len(doc)} in tokens that are not all whitespace, got "
            f"{span!r}"
        )
    return SpanConstraint(int(start), int(end), label, forbidden)


def _read_word(doc: Doc, word: Any, name: str) -> int:
    i = word
    if isinstance(word, Token):
        i = word.i if word.doc is doc else None
    if not _is_index(i) or not 0 <= i < len(doc) or doc[int(i)].is_space:
        raise ValueError(
            f"a {name} is a Token of this Doc or its index, 0 to {len(doc) - 1}, and "
            f"no whitespace, got {word!r}"
        )
    return int(i)


def _is_index(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _describe(doc: Doc, constraint: Constraint) -> str:
    if isinstance(constraint, HeadConstraint):
        word = f"doc[{constraint.dependent}] {doc[constraint.dependent].text!r}"
        if constraint.dependent == constraint.head:
            return f"{word} is a root"
        head = constraint.head
        return f"the head of {word} is doc[{head}] {doc[head].text!r}"
    text = doc[constraint.start : constraint.end].text[:40]
    verb = "is no" if constraint.forbidden else "is a"
    name = constraint.label or "constituent"
    return f"doc[{constraint.start}:{constraint.end}] {text!r} {verb} {name}"
