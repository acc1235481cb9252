"""Constraints on a Doc, for the parser: known constituents, forbidden ones, and known heads.

They are attributes of the empty span group `doc.spans["constraints"]`, which `to_bytes`, DocBin, pickle and worker
processes keep. The parser reads them (`pipeline/constrained.py`), and leaves them on the Doc.
"""

from itertools import accumulate, combinations
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from spacy.tokens import Doc, Span, SpanGroup, Token

from ..trees import split_chain
from .sentences import has_sentences, sentence_bounds
from .span_groups import StaleParseError, check_present

CONSTRAINTS_KEY = "constraints"


class SpanConstraint(NamedTuple):
    """A constituent that a parse must have, or must not have.

    start, end (int): Half-open, in tokens of the Doc, or in words of a sentence.
    label (str): Its label, or several of its unary chain ("S::VP"). Empty for any label.
    forbidden (bool): Whether the parse must not have it.
    """

    start: int
    end: int
    label: str = ""
    forbidden: bool = False


class HeadConstraint(NamedTuple):
    """A head that a parse must have.

    dependent, head (int): In tokens of the Doc, or in words of a sentence. A root is its own head.
    """

    dependent: int
    head: int


Constraint = Union[SpanConstraint, HeadConstraint]
SpanLike = Union[Span, Tuple[int, int], Tuple[int, int, str]]


class ContradictionError(ValueError):
    """No parse fulfils some constraints.

    constraints (Tuple[Constraint, ...]): A smallest set of constraints that contradict each other, in tokens.
    reason (str): Why no parse fulfils them.
    """

    def __init__(self, doc: Doc, constraints: Sequence[Constraint], reason: str) -> None:
        self.constraints = tuple(constraints)
        self.reason = reason
        named = "; ".join(_describe(doc, one) for one in constraints)
        super().__init__(f"no parse fulfils these constraints, since {reason}: {named}")

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restore_error, (self.args[0], self.constraints, self.reason)


def _restore_error(message: str, constraints: Tuple[Constraint, ...], reason: str) -> ContradictionError:
    error = ContradictionError.__new__(ContradictionError, message)
    error.constraints, error.reason = constraints, reason
    return error


def constrain(
    doc: Doc,
    *,
    constituents: Iterable[SpanLike] = (),
    heads: Optional[Mapping[Union[int, Token], Union[int, Token]]] = None,
    forbidden: Iterable[SpanLike] = (),
) -> None:
    """Constrain the parse of a Doc. The parser then finds the best parse that fulfils the constraints. They replace
    earlier ones; without arguments, the Doc has none.

    doc (Doc): Modified in place; a parse that it already has stays as it is.
    constituents (Iterable[Union[Span, Tuple]]): Spans, or `(start, end)` or `(start, end, label)` in tokens, half-open.
        With a label, this label is in the unary chain over the span; with "S::VP", both are, S above VP.
    heads (Optional[Mapping]): Tokens or their indices, and their heads. A root is its own head.
    forbidden (Iterable[Union[Span, Tuple]]): Spans that are no constituents; with a label, that do not have this label.
    RAISES (ContradictionError): Constituents cross, one is forbidden, heads form a cycle; where sentence boundaries are
        known, a constraint reaches beyond one, or a sentence has several roots. What only a parser knows, such as its
        labels, is checked when it parses.
    RAISES (ValueError): A span or a token is outside of the Doc, is of another Doc, or has no words.
    """
    found: List[Constraint] = []
    for given, is_forbidden in [*((span, False) for span in constituents), *((span, True) for span in forbidden)]:
        found.append(_read_span(doc, given, is_forbidden))
    for dependent, head in (heads or {}).items():
        found.append(HeadConstraint(_read_word(doc, dependent, "dependent"), _read_word(doc, head, "head")))
    found = list(dict.fromkeys(found))
    check_structure(doc, found)
    doc.spans.pop(CONSTRAINTS_KEY, None)  # type: ignore[call-arg]
    if found:
        attrs: Dict[str, Any] = {"n_tokens": len(doc), "text": doc.text, "spans": [], "heads": []}
        for one in found:
            attrs["heads" if isinstance(one, HeadConstraint) else "spans"].append(_with_characters(doc, one))
        doc.spans[CONSTRAINTS_KEY] = SpanGroup(doc, name=CONSTRAINTS_KEY, attrs=attrs)


def get_constraints(doc: Doc) -> List[Constraint]:
    """The constraints of a Doc, in its present tokens.

    RAISES (StaleParseError): Tokens were merged or split since `constrain`, and a constraint begins or ends within a
        token; or the text has changed.
    """
    if CONSTRAINTS_KEY not in doc.spans:
        return []
    attrs = doc.spans[CONSTRAINTS_KEY].attrs
    if "n_tokens" not in attrs:
        raise ValueError(
            f"doc.spans[{CONSTRAINTS_KEY!r}] is not from spacy_lal.annotations.constrain, or its constraints were lost "
            "by Doc.from_docs: rename or remove it, or call constrain on this Doc"
        )
    by_tokens = attrs["text"] != doc.text
    # A DocBin loses the spaces of a Doc that was made without them; its tokens are the same.
    if by_tokens and (attrs["n_tokens"] != len(doc) or attrs["text"].split() != doc.text.split()):
        raise StaleParseError(f"the Doc's text has changed since it was constrained: {attrs['text'][:40]!r}")
    starts = {token.idx: token.i for token in doc}
    ends = {token.idx + len(token): token.i + 1 for token in doc}

    def place(start: int, end: int, characters: Sequence[int], name: str) -> Tuple[int, int]:
        if by_tokens:
            return start, end
        if characters[0] not in starts or characters[1] not in ends:
            raise StaleParseError(
                f"{name} begins or ends within a token: tokens were merged or split after spacy_lal.annotations."
                "constrain. Call it afterwards"
            )
        return starts[characters[0]], ends[characters[1]]

    found: List[Constraint] = []
    for start, end, first, last, label, is_forbidden in attrs["spans"]:
        name = f"the constraint on {attrs['text'][first:last]!r}"
        found.append(SpanConstraint(*place(start, end, (first, last), name), label, is_forbidden))
    for word, head, *chars in attrs["heads"]:
        places = []
        for token, (first, last) in ((word, chars[:2]), (head, chars[2:])):
            name = f"the constraint on the head of {attrs['text'][chars[0] : chars[1]]!r}"
            start, end = place(token, token + 1, (first, last), name)
            if end - start != 1:
                raise StaleParseError(f"{name}: a token was split after spacy_lal.annotations.constrain")
            places.append(start)
        found.append(HeadConstraint(*places))
    return found


def in_words(doc: Doc, words: Sequence[int], constraints: Iterable[Constraint]) -> List[Tuple[Constraint, Constraint]]:
    """The constraints within a sentence: each as a constraint on its words, counted from 0, and as given. A forbidden
    span that reaches beyond the sentence is a constituent of no tree, so it is skipped.

    words (Sequence[int]): The indices of the sentence's words in the Doc.
    """
    found: List[Tuple[Constraint, Constraint]] = []
    place = {word: i for i, word in enumerate(words)}
    for one in constraints:
        if isinstance(one, HeadConstraint):
            if one.dependent in place:
                found.append((HeadConstraint(place[one.dependent], place[one.head]), one))
        else:
            inside = [place[i] for i in range(one.start, one.end) if i in place]
            reaches_beyond = len(inside) < sum(not doc[i].is_space for i in range(one.start, one.end))
            if inside and not (one.forbidden and reaches_beyond):
                found.append((one._replace(start=inside[0], end=inside[-1] + 1), one))
    return found


def check_structure(doc: Doc, constraints: Sequence[Constraint]) -> None:
    """Check constraints without a parser.

    RAISES (ContradictionError): As `constrain`, for a smallest contradictory set.
    """
    sets = [*_across_sentences(doc, constraints), *_contradictory_pairs(doc, constraints), *_cycles(constraints)]
    if sets:
        raise ContradictionError(doc, *min(sets, key=lambda one: len(one[0])))


_Contradiction = Tuple[Sequence[Constraint], str]


def _across_sentences(doc: Doc, constraints: Sequence[Constraint]) -> List[_Contradiction]:
    if not has_sentences(doc):
        return []
    sentence_of = [i for i, (start, end) in enumerate(sentence_bounds(doc)) for _ in range(start, end)]
    found: List[_Contradiction] = []
    roots: Dict[int, List[Constraint]] = {}
    for one in constraints:
        if isinstance(one, HeadConstraint):
            if sentence_of[one.dependent] != sentence_of[one.head]:
                found.append(([one], "the head is in another sentence"))
            elif one.dependent == one.head:
                roots.setdefault(sentence_of[one.dependent], []).append(one)
        elif not one.forbidden:
            words = [i for i in range(one.start, one.end) if not doc[i].is_space]
            if sentence_of[words[0]] != sentence_of[words[-1]]:
                found.append(([one], "it crosses a sentence boundary"))
    found += [(some[:2], "a sentence has one root") for some in roots.values() if len(some) > 1]
    return found


def _contradictory_pairs(doc: Doc, constraints: Sequence[Constraint]) -> List[_Contradiction]:
    words_before = [0, *accumulate(int(not token.is_space) for token in doc)]
    spans = [one for one in constraints if isinstance(one, SpanConstraint)]
    places = {one: (words_before[one.start], words_before[one.end]) for one in spans}
    found: List[_Contradiction] = []
    for x, y in combinations(spans, 2):
        (a, b), (c, d) = places[x], places[y]
        if x.forbidden and y.forbidden:
            continue
        if not x.forbidden and not y.forbidden:
            if a < c < b < d or c < a < d < b:
                found.append(([x, y], "constituents must not cross"))
            continue
        banned, known = (x, y) if x.forbidden else (y, x)
        if (a, b) == (c, d) and (not banned.label or contains_chain(known.label, banned.label)):
            found.append(([known, banned], "a constituent cannot be both known and forbidden"))
    return found


def _cycles(constraints: Sequence[Constraint]) -> List[_Contradiction]:
    heads = {one.dependent: one for one in constraints if isinstance(one, HeadConstraint)}
    found: List[_Contradiction] = []
    done = set()
    for word in heads:
        path: List[int] = []
        while word in heads and word not in done and heads[word].head != word:
            done.add(word)
            path.append(word)
            word = heads[word].head
        if word in path:
            found.append(([heads[i] for i in path[path.index(word) :]], "heads must not form a cycle"))
    return found


def contains_chain(chain: str, part: str) -> bool:
    """Whether the labels of `part` follow each other in a unary chain, as in "S::VP" and "VP"."""
    labels, wanted = split_chain(chain), split_chain(part)
    return any(labels[i : i + len(wanted)] == wanted for i in range(len(labels) - len(wanted) + 1))


# Reading and describing


def _read_span(doc: Doc, given: Any, forbidden: bool) -> SpanConstraint:
    if isinstance(given, Span):
        if given.doc is not doc:
            raise ValueError(f"the Span {given.text[:40]!r} is of another Doc than the one to constrain")
        check_present(given)
        given = (given.start, given.end, given.label_)
    is_range = isinstance(given, (tuple, list)) and len(given) in (2, 3) and all(_is_index(i) for i in given[:2])
    if not is_range or not isinstance(given[2] if len(given) == 3 else "", str):
        raise ValueError(f"expected a Span, (start, end) or (start, end, label) in tokens, got {given!r}")
    start, end = int(given[0]), int(given[1])
    if not 0 <= start < end <= len(doc):
        raise ValueError(f"expected a span of tokens with 0 <= start < end <= {len(doc)}, got {given!r}")
    if all(token.is_space for token in doc[start:end]):
        raise ValueError(f"the tokens {start}:{end} are whitespace, which takes no part in a parse")
    return SpanConstraint(start, end, given[2] if len(given) == 3 else "", forbidden)


def _read_word(doc: Doc, given: Any, name: str) -> int:
    if isinstance(given, Token):
        if given.doc is not doc:
            raise ValueError(f"the {name} {given.text!r} is of another Doc than the one to constrain")
        given = given.i
    if not _is_index(given) or not 0 <= given < len(doc):
        raise ValueError(f"a {name} is a Token or its index, 0 to {len(doc) - 1}, got {given!r}")
    if doc[int(given)].is_space:
        raise ValueError(f"the {name} is token {given}, which is whitespace and takes no part in a parse")
    return int(given)


def _is_index(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool)


def _with_characters(doc: Doc, one: Constraint) -> List[Any]:
    if isinstance(one, HeadConstraint):
        ends = [(token.idx, token.idx + len(token)) for token in (doc[one.dependent], doc[one.head])]
        return [*one, *ends[0], *ends[1]]
    last = doc[one.end - 1]
    return [one.start, one.end, doc[one.start].idx, last.idx + len(last), one.label, one.forbidden]


def _describe(doc: Doc, one: Constraint) -> str:
    if isinstance(one, HeadConstraint):
        word = f"doc[{one.dependent}] {doc[one.dependent].text!r}"
        if one.dependent == one.head:
            return f"{word} is a root"
        return f"the head of {word} is doc[{one.head}] {doc[one.head].text!r}"
    place = f"doc[{one.start}:{one.end}] {doc[one.start : one.end].text[:40]!r}"
    return f"{place} {'is no' if one.forbidden else 'is a'} {one.label or 'constituent'}"
