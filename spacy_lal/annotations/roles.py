"""Semantic roles on a Doc: the span group `doc.spans["srl"]`.

A proposition is the predicate's Span (label V, `kb_id_` its roleset), then its arguments in text order (label = role,
with C- and R-), then the parts of the predicate (C-V). The next V begins the next proposition: the order binds
arguments to predicates, since spaCy loses ids of Spans in JSON. The id of a V holds what JSON may lose: PropBank's
frame file where its name is not the roleset's, and the predicate's token where that is not the first of its V. A Doc
without the group has no roles; a Doc with an empty group has no predicates.

*Not* here: views for users (`role_views.py`), files (`treebanks/propbank.py`).
"""

import re
import warnings
from bisect import bisect_right
from itertools import accumulate
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from spacy.tokens import Doc, Span, SpanGroup

from ..trees.propositions import (
    CONTINUATION,
    PREDICATE_ROLE,
    Argument,
    Proposition,
    PropositionError,
    args_to_bio,
    bio_to_args,
    check_proposition,
    join_parts,
    make_proposition,
    predicate_span,
)
from .sentences import sentence_words
from .span_groups import (
    PreorderGroup,
    StaleParseError,
    StoredSpan,
    goes_by_tokens,
    is_marked_in_order,
    is_untouched,
    stored_range,
    stored_spans,
)
from .verified_groups import is_still_untouched

ROLES_KEY = "srl"
# Attribute of a group: each predicate's token is the first of its V, so that predicates are in the order of their V.
BY_FIRST_TOKEN = "by_first_token"
_PREDICATE_PART = CONTINUATION + PREDICATE_ROLE
_PLACED_ID = re.compile(
    r"(.*)\|(-?\d+)\|(-?\d+)", re.DOTALL
)  # lemma, tokens and characters from the beginning of the V


class LostRolesWarning(UserWarning):
    """Predicates or arguments are left out, since tokens or sentences have changed since they were written."""


class _Record(NamedTuple):
    """A proposition as it is stored: its V, then its other Spans."""

    predicate: StoredSpan
    others: List[StoredSpan]


def has_propositions(doc: Doc) -> bool:
    """Whether the Doc's roles are known. They are for a Doc with roles that has no predicate."""
    return ROLES_KEY in doc.spans


def frame_of(roleset: str) -> str:
    """The frame file that a roleset's name suggests: "give" for give.01. PropBank has exceptions, such as "better" for
    good.02."""
    return roleset.rpartition(".")[0] or roleset


def set_propositions(doc: Doc, propositions: Iterable[Proposition]) -> None:
    """Write `doc.spans["srl"]`; earlier roles are replaced.

    doc (Doc): Modified in place.
    propositions (Iterable[Proposition]): In any order. `token` and `args` count the Doc's tokens, white space included.
    RAISES (PropositionError): A proposition does not fit the Doc (`check_proposition`), or two have the same token.
    """
    spans: List[Span] = []
    last = -1
    by_first_token = True
    for proposition in sorted(propositions, key=lambda one: one.token):
        check_proposition(proposition, len(doc))
        if proposition.token == last:
            raise PropositionError(f"expected at most one proposition a token, got two for token {last}")
        last = proposition.token
        spans.extend(_to_spans(doc, proposition))
        by_first_token = by_first_token and predicate_span(proposition.args)[0] == last
    group = PreorderGroup(doc, ROLES_KEY, spans)
    group.attrs[BY_FIRST_TOKEN] = by_first_token
    doc.spans[ROLES_KEY] = group


def get_propositions(doc: Doc) -> List[Proposition]:
    """The propositions of a Doc on its present tokens, by predicate; empty for a Doc without roles.

    An argument that begins or ends within a merged token is left out with all of its parts, and a predicate that does
    is left out with its arguments; both with a warning.

    RAISES (StaleParseError): Both tokens and characters of the Doc, or single Spans of the group, have changed since
        the roles were written. (PropositionError): A group that was written by hand does not hold propositions.
    """
    if not has_propositions(doc):
        return []
    group = doc.spans[ROLES_KEY]
    _check_complete(group)
    found: List[Proposition] = []
    lost = 0
    by_tokens = goes_by_tokens(group)
    for record in _records(stored_spans(group)):
        proposition, n_lost = _present(doc, record, by_tokens)
        lost += n_lost
        if proposition is not None:
            check_proposition(proposition, len(doc))
            found.append(proposition)
    if lost:
        warn_of_lost_roles(lost)
    return sorted(found, key=lambda one: one.token)


def get_proposition_at(doc: Doc, token: int) -> Optional[Proposition]:
    """The proposition of a token; None for a token that is no predicate. Roles that `set_propositions` has written are
    searched, so that the cost does not grow with the Doc.

    RAISES (StaleParseError, PropositionError): As `get_propositions`.
    """
    if not has_propositions(doc):
        return None
    group = doc.spans[ROLES_KEY]
    is_searchable = is_marked_in_order(group) and group.attrs.get(BY_FIRST_TOKEN) and not goes_by_tokens(group)
    if is_searchable and not doc[token].text[:1].isspace():  # white space merged with a word begins before its V
        try:
            first, last = _search(group, doc[token].idx)
            spans = stored_range(group, first, last) if is_still_untouched(group, first, last) else None
        except IndexError:  # a group refuses to give a Span that reaches beyond the present tokens
            spans = None
        if spans == []:
            return None
        if spans:
            proposition, n_lost = _present(doc, _Record(spans[0], spans[1:]), by_tokens=False)
            if n_lost:
                warn_of_lost_roles(n_lost)
            return proposition
    return next((one for one in get_propositions(doc) if one.token == token), None)


def get_sentence_propositions(doc: Doc) -> List[List[Proposition]]:
    """For each sentence, its propositions over word positions: words are counted from 0 in the sentence, without white
    space. A proposition that crosses a sentence boundary is left out, with a warning.

    RAISES (ValueError): Sentence boundaries are not known. (StaleParseError, PropositionError): As `get_propositions`.
    """
    sentences = sentence_words(doc)
    firsts = [0, *accumulate(map(len, sentences))]  # how many words lie before each sentence
    words_before = [0, *accumulate((~doc.to_array("IS_SPACE").astype(bool)).tolist())]  # and before each token
    found: List[List[Proposition]] = [[] for _ in sentences]
    lost = 0
    for token, roleset, args, lemma in get_propositions(doc):
        word = words_before[token]
        sentence = bisect_right(firsts, word, hi=len(sentences)) - 1
        first, end = firsts[sentence], firsts[sentence + 1]
        ranges = [(words_before[start] - first, words_before[stop] - first, role) for start, stop, role in args]
        ranges = [one for one in ranges if one[0] < one[1]]
        if doc[token].is_space or any(start < 0 or stop > end - first for start, stop, _ in ranges):
            lost += 1
        else:
            found[sentence].append(Proposition(word - first, roleset, tuple(ranges), lemma))
    if lost:
        warn_of_lost_roles(lost)
    return found


def set_sentence_propositions(
    doc: Doc, sentences: Sequence[Sequence[int]], propositions: Sequence[Sequence[Proposition]]
) -> None:
    """Write the propositions of all sentences; the inverse of `get_sentence_propositions`.

    sentences (Sequence[Sequence[int]]): The words of each sentence, from `sentence_words`, in order.
    propositions (Sequence[Sequence[Proposition]]): For each sentence, propositions over word positions.
    RAISES (ValueError): The numbers of sentences differ. (PropositionError): As `set_propositions`.
    """
    found: List[Proposition] = []
    for words, of_sentence in zip(sentences, propositions, strict=True):
        for proposition in of_sentence:
            check_proposition(proposition, len(words))
            args = ((words[start], words[end - 1] + 1, role) for start, end, role in proposition.args)
            found.append(proposition._replace(token=words[proposition.token], args=tuple(args)))
    set_propositions(doc, found)


def to_allennlp(item: Union[Doc, Span]) -> Dict[str, Any]:
    """Roles in the form of AllenNLP's `SemanticRoleLabelerPredictor`.

    item (Union[Doc, Span]): A Doc, or a sentence of one. White space is left out.
    RETURNS (Dict[str, Any]): `words`, and `verbs`: for each predicate with all of its arguments within the item, `verb`
        (its word), `description` ("[ARG0: She] [V: gave] ...") and `tags` (BIO, one for each word).
    RAISES (StaleParseError, PropositionError): As `get_propositions`.

    >>> to_allennlp(doc)["verbs"][0]["tags"]
    ['B-ARG0', 'B-V', 'B-ARG2', 'B-ARG1', 'I-ARG1']
    """
    doc, first, end = (item.doc, item.start, item.end) if isinstance(item, Span) else (item, 0, len(item))
    tokens = [i for i in range(first, end) if not doc[i].is_space]
    words = [doc[i].text for i in tokens]
    before = [0, *accumulate(not doc[i].is_space for i in range(first, end))]  # words before each token
    verbs = []
    for token, _, args, _ in get_propositions(doc):
        if all(first <= start and stop <= end for start, stop, _ in args):
            ranges = [(before[start - first], before[stop - first], role) for start, stop, role in args]
            tags = args_to_bio([one for one in ranges if one[0] < one[1]], len(words))
            verbs.append({"verb": doc[token].text, "description": _describe(words, tags), "tags": tags})
    return {"verbs": verbs, "words": words}


def _describe(words: Sequence[str], tags: Sequence[str]) -> str:
    """The words with each argument in brackets."""
    pieces: List[str] = []
    place = 0
    for start, end, role in bio_to_args(tags):
        pieces.extend(words[place:start])
        pieces.append(f"[{role}: {' '.join(words[start:end])}]")
        place = end
    return " ".join([*pieces, *words[place:]])


def warn_of_lost_roles(number: int) -> None:
    """Warn that predicates or arguments were left out.

    number (int): How many.
    """
    warnings.warn(
        f"{number} predicates or arguments are left out: they begin or end within a token, or go beyond the end of a "
        "sentence. Tokens were merged or split, or sentences changed, after the roles were written; a component that "
        "does so, such as merge_entities, can stand before lal_srl",
        LostRolesWarning,
        stacklevel=3,
    )


def _check_complete(group: SpanGroup) -> None:
    if not is_untouched(group):
        raise StaleParseError(
            f"Spans of doc.spans[{ROLES_KEY!r}] were deleted or replaced, and arguments belong to the predicate before "
            "them: write roles with spacy_lal.annotations.roles.set_propositions"
        )


def _search(group: SpanGroup, start_char: int) -> Tuple[int, int]:
    """The places of the Spans of a proposition in a group in order: that whose V begins at a character. Without one, an
    empty range, where it would be."""
    low, high = 0, len(group)
    while low < high:
        first = (low + high) // 2
        last = first + 1
        while first > low and group[first].label_ != PREDICATE_ROLE:
            first -= 1
        if group[first].start_char == start_char:
            while last < len(group) and group[last].label_ != PREDICATE_ROLE:
                last += 1
            return first, last
        if group[first].start_char > start_char:
            high = first
        else:
            while last < high and group[last].label_ != PREDICATE_ROLE:
                last += 1
            low = last
    return low, low


def _to_spans(doc: Doc, proposition: Proposition) -> List[Span]:
    token, roleset, args, lemma = proposition
    start, end = predicate_span(args)
    span_id = "" if lemma == frame_of(roleset) else lemma
    if token != start or "|" in span_id:
        span_id = f"{span_id}|{token - start}|{doc[token].idx - doc[start].idx}"
    arguments = [arg for arg in args if arg[2] not in (PREDICATE_ROLE, _PREDICATE_PART)]
    arguments += [arg for arg in args if arg[2] == _PREDICATE_PART]
    predicate = Span(doc, start, end, label=PREDICATE_ROLE, kb_id=roleset, span_id=span_id)
    return [predicate, *(Span(doc, first, last, label=role) for first, last, role in arguments)]


def _records(spans: Sequence[StoredSpan]) -> List[_Record]:
    records: List[_Record] = []
    for span in spans:
        if span.label == PREDICATE_ROLE:
            records.append(_Record(span, []))
        elif records:
            records[-1].others.append(span)
        else:
            raise PropositionError(
                f"expected doc.spans[{ROLES_KEY!r}] to begin with a predicate, a Span with the label V, got "
                f"{span.label!r}"
            )
    return records


def _present(doc: Doc, record: _Record, by_tokens: bool) -> Tuple[Optional[Proposition], int]:
    """A proposition on the present tokens, or None; and how many arguments or predicates are lost."""
    predicate, others = record
    in_order = sorted([predicate, *others], key=lambda span: (span.start_char, span.start))
    args: List[Argument] = []
    lost = 0
    # Positions in place of words: `join_parts` says which Spans are parts of one argument.
    for argument in join_parts((i, i + 1, span.label) for i, span in enumerate(in_order)):
        parts = [in_order[i] for i, _ in argument.parts]
        places = [part.place for part in parts]
        if None in places:
            lost += 1
            if argument.role == PREDICATE_ROLE:
                return None, 1
            continue
        args.extend((*place, part.label) for place, part in zip(places, parts, strict=True) if place)
    token, lemma = _token_and_lemma(doc, predicate, by_tokens)
    return make_proposition(token, predicate.kb_id, args, lemma), lost


def _token_and_lemma(doc: Doc, predicate: StoredSpan, by_tokens: bool) -> Tuple[int, str]:
    """The predicate's token and its frame file, from the id of its V."""
    start = predicate.place[0] if predicate.place else predicate.start
    placed = _PLACED_ID.fullmatch(predicate.id)
    lemma = (placed[1] if placed else predicate.id) or frame_of(predicate.kb_id)
    if placed is None:
        return start, lemma
    first = doc[start].idx + int(placed[3])
    around = None if by_tokens else doc.char_span(first, first + 1, alignment_mode="expand")
    return (around.start if around else predicate.start + int(placed[2])), lemma
