"""Semantic roles on a Doc: the span group `doc.spans["srl"]`.

A proposition is the predicate's Span (label V, `kb_id_` its roleset), then its
arguments in text order (label = role, with C- and R-), then the parts of the predicate
(C-V): the order binds arguments to predicates. The id of a V holds the name of
PropBank's frame file, if the roleset has another name, and the place of the predicate's
token, if it is not the first of its V. A Doc without the group has no roles; a Doc with
an empty group has no predicates."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, Optional

from spacy.tokens import Doc, Span

from ..trees.roles import (
    PREDICATE_PART,
    PREDICATE_ROLE,
    Argument,
    Proposition,
    PropositionError,
    args_to_bio,
    check_proposition,
    join_parts,
    make_proposition,
    predicate_span,
)
from .sentences import (
    SENT_IDS,
    Item,
    Sentences,
    sentence_bounds,
    sentence_of,
    sentence_words,
    words_of,
)
from .span_groups import GroupSpan, Range, read_group, warn_of_lost, write_group

ROLES_KEY = "srl"
# The lemma; the token: the number of its part, its place in it.
_PLACED_ID = re.compile(r"(.*)\|(\d+)\|(\d+)", re.DOTALL)


def has_propositions(doc: Doc) -> bool:
    """Whether the Doc's roles are known. They are for a Doc with roles that has no
    predicate."""
    return ROLES_KEY in doc.spans


def frame_of(roleset: str) -> str:
    """The frame file that a roleset's name suggests: "give" for give.01. PropBank has
    exceptions, such as "better" for good.02."""
    return roleset.rpartition(".")[0] or roleset


def set_propositions(doc: Doc, propositions: Iterable[Proposition]) -> None:
    """Write `doc.spans["srl"]`; earlier roles are replaced.
    doc (Doc): Modified in place.
    propositions (Iterable[Proposition]): In any order. `token` and `args` count the
        Doc's tokens, white space included.
    RAISES (PropositionError): A proposition does not fit the Doc (`check_proposition`),
        or two have the same token."""
    checked = list(propositions)
    for proposition in checked:
        check_proposition(proposition, len(doc))
    _write(doc, checked)


def _write(doc: Doc, propositions: list[Proposition]) -> None:
    """Write sound propositions.
    RAISES (PropositionError): Two have the same token."""
    propositions.sort(key=itemgetter(0))
    for before, proposition in zip(propositions, propositions[1:], strict=False):
        if proposition.token == before.token:
            raise PropositionError(
                "expected at most one proposition a token, got two for token "
                f"{proposition.token}"
            )
    spans: list[Span] = []
    leaders = []
    starts = [predicate_span(proposition.args)[0] for proposition in propositions]
    for _, place in sorted(zip(starts, range(len(starts)), strict=True)):
        leaders.append(len(spans))
        spans.extend(_to_spans(doc, propositions[place]))
    write_group(doc, ROLES_KEY, spans, leaders)


def _to_spans(doc: Doc, proposition: Proposition) -> list[Span]:
    token, roleset, args, lemma = proposition
    arguments = []
    others = []
    parts = [predicate_span(args)]
    for first, last, role in args:
        if role == PREDICATE_PART:
            parts.append((first, last))
            others.append(Span(doc, first, last, label=role))
        elif role != PREDICATE_ROLE:
            arguments.append(Span(doc, first, last, label=role))
    span_id = "" if lemma == frame_of(roleset) else lemma
    if token != parts[0][0] or "|" in span_id:
        span_id = f"{lemma}|{_place_in(parts, token)}"
    predicate = Span(
        doc, *parts[0], label=PREDICATE_ROLE, kb_id=roleset, span_id=span_id
    )
    return [predicate, *arguments, *others]


def _place_in(parts: Sequence[Range], token: int) -> str:
    """The number of a token's part, and its place in it, as an id holds them."""
    for number, (start, end) in enumerate(parts):
        if start <= token < end:
            return f"{number}|{token - start}"
    raise PropositionError(f"expected token {token} in one of {parts}")


def get_propositions(
    doc: Doc, start: int = 0, end: Optional[int] = None
) -> list[Proposition]:
    """The propositions of a Doc on its present tokens, by predicate; empty for a Doc
    without roles.

    An argument that begins or ends within a merged token is left out with all of its
    parts, and a predicate that does is left out with its arguments; both with a
    warning.
    start, end (int): The predicates among these tokens alone, at the cost of their
    sentences.
    RAISES (StaleParseError): Both tokens and characters of the Doc have changed since
        the roles were written.
    RAISES (PropositionError): A group that was edited by hand does not hold
        propositions."""
    end = len(doc) if end is None else end
    if not has_propositions(doc) or start >= end:
        return []
    records: list[list[GroupSpan]] = []
    # Where the V of a predicate may begin.
    first = sentence_of(doc[start:end]).start if start else 0
    for span in read_group(doc, ROLES_KEY, first, end):
        if span.label != PREDICATE_ROLE and not records:
            raise PropositionError(
                f"expected doc.spans[{ROLES_KEY!r}] to begin with a Span V, got "
                f"{span.label!r}"
            )
        if span.label == PREDICATE_ROLE:
            records.append([])
        records[-1].append(span)
    propositions = []
    n_lost = 0
    for predicate, *others in records:
        proposition, lost = _present(predicate, others)
        n_lost += lost
        if proposition is not None and start <= proposition.token < end:
            check_proposition(proposition, len(doc))
            propositions.append(proposition)
    if n_lost:
        warn_of_lost(f"{n_lost} predicates or arguments")
    return sorted(propositions, key=lambda proposition: proposition.token)


def _present(
    predicate: GroupSpan, others: Sequence[GroupSpan]
) -> tuple[Optional[Proposition], int]:
    """A proposition on the present tokens, or None; and how many arguments or
    predicates are lost."""
    parts = [predicate, *(part for part in others if part.label == PREDICATE_PART)]
    arguments = [part for part in others if part.label != PREDICATE_PART]
    lemma = predicate.id
    number = offset = 0
    placed = _PLACED_ID.fullmatch(predicate.id)
    if placed:
        lemma = placed[1]
        number = int(placed[2])
        offset = int(placed[3])
    of_token = parts[number]
    is_lost = any(part.place is None for part in parts)
    if is_lost or of_token.place is None or (offset and of_token.is_moved):
        return None, 1
    args: list[Argument] = [(*part.place, part.label) for part in parts if part.place]
    n_lost = 0
    # Positions in place of words: `join_parts` says which Spans are parts of one
    # argument.
    for joined in join_parts(
        (i, i + 1, part.label) for i, part in enumerate(arguments)
    ):
        spans = [arguments[i] for i, _ in joined.parts]
        places = [(*part.place, part.label) for part in spans if part.place]
        if len(places) < len(spans):
            n_lost += 1
        else:
            args.extend(places)
    token = of_token.place[0] + offset
    frame = lemma or frame_of(predicate.kb_id)
    return make_proposition(token, predicate.kb_id, args, frame), n_lost


def get_sentence_propositions(
    doc: Doc, sentences: Optional[Sentences] = None
) -> list[list[Proposition]]:
    """For each sentence, its propositions over word positions, counted from 0 in the
    sentence. One that crosses a sentence boundary is left out, with a warning.
    sentences (Optional[Sequence[Sequence[int]]]): The words of each sentence; None for
        `sentence_words`.
    RAISES (ValueError): Sentence boundaries are not known.
    RAISES (StaleParseError, PropositionError): As `get_propositions`."""
    propositions = get_propositions(doc)
    tokens = [proposition.token for proposition in propositions]
    of_sentences = []
    n_lost = 0
    if sentences is None:
        sentences = sentence_words(doc)
    for words, (start, end) in zip(sentences, sentence_bounds(doc), strict=True):
        here = propositions[bisect_left(tokens, start) : bisect_left(tokens, end)]
        within = [
            proposition for proposition in here if proposition.lies_in(start, end)
        ]
        on_words = _on_words(within, words)
        n_lost += len(here) - len(on_words)
        of_sentences.append(on_words)
    if n_lost:
        warn_of_lost(f"{n_lost} predicates or arguments")
    return of_sentences


def _on_words(
    propositions: Iterable[Proposition], words: Sequence[int]
) -> list[Proposition]:
    """Propositions over positions of words; a predicate that is none is left out."""
    known = frozenset(words)
    return [
        proposition.mapped(partial(bisect_left, words))
        for proposition in propositions
        if proposition.token in known
    ]


def set_sentence_propositions(
    doc: Doc,
    sentences: Sentences,
    propositions: Sequence[Sequence[Proposition]],
) -> None:
    """Write the propositions of all sentences; the inverse of
    `get_sentence_propositions`.
    sentences (Sequence[Sequence[int]]): The words of each sentence, from
        `sentence_words`, in order.
    propositions (Sequence[Sequence[Proposition]]): For each sentence, propositions over
        word positions.
    RAISES (ValueError): The numbers of sentences differ.
    RAISES (PropositionError): As `set_propositions`."""
    on_tokens: list[Proposition] = []
    for words, of_sentence in zip(sentences, propositions, strict=True):
        for proposition in of_sentence:
            check_proposition(proposition, len(words))
            args = [
                (words[start], words[end - 1] + 1, role)
                for start, end, role in proposition.args
            ]
            token = words[proposition.token]
            on_tokens.append(proposition._replace(token=token, args=tuple(args)))
    _write(doc, on_tokens)


# Other forms


def get_srl(doc: Doc) -> Optional[dict[str, Any]]:
    """The roles of a Doc as in a line of `.srl.jsonl`: `sent_id` (of a Doc of one
    sentence, else empty), `words` (their number, without white space), `predicates`.
    Words are counted from 0 in the Doc. None for a Doc without roles.

    RAISES (StaleParseError, PropositionError): As `get_propositions`."""
    if not has_propositions(doc):
        return None
    words = words_of(doc)
    ids = doc.user_data.get(SENT_IDS) or [""]
    predicates = [
        proposition.to_dict() for proposition in _on_words(get_propositions(doc), words)
    ]
    return {
        "sent_id": ids[0] if len(ids) == 1 else "",
        "words": len(words),
        "predicates": predicates,
    }


def to_allennlp(item: Item) -> dict[str, Any]:
    """Roles in the form of AllenNLP's `SemanticRoleLabelerPredictor`.

    item (Union[Doc, Span]): A Doc, or a sentence of one. White space is left out.
    RETURNS (Dict[str, Any]): `words`, and `verbs`: for each predicate with all of its
        arguments within the item, `verb` (its word), `description` ("[ARG0: She] [V:
        gave] ...") and `tags` (BIO, one for each word).
    RAISES (StaleParseError, PropositionError): As `get_propositions`.

    >>> to_allennlp(doc)["verbs"][0]["tags"]
    ['B-ARG0', 'B-V', 'B-ARG2', 'B-ARG1', 'I-ARG1']"""
    doc = item.doc
    span = item[:]
    tokens = words_of(item)
    words = [doc[i].text for i in tokens]
    verbs = []
    for proposition in propositions_within(doc, span.start, span.end):
        for on_words in _on_words([proposition], tokens):
            tags = args_to_bio(on_words.args, len(words))
            verbs.append(
                {
                    "verb": doc[proposition.token].text,
                    "description": _describe(words, on_words),
                    "tags": tags,
                }
            )
    return {"verbs": verbs, "words": words}


def propositions_within(doc: Doc, start: int, end: int) -> list[Proposition]:
    """The propositions with all arguments among some tokens, at the cost of their
    sentences."""
    return [
        proposition
        for proposition in get_propositions(doc, start, end)
        if proposition.lies_in(start, end)
    ]


def _describe(words: Sequence[str], proposition: Proposition) -> str:
    """The words with each argument in brackets."""
    pieces: list[str] = []
    place = 0
    for start, end, role in proposition.args:
        pieces += [*words[place:start], f"[{role}: {' '.join(words[start:end])}]"]
        place = end
    return " ".join([*pieces, *words[place:]])
