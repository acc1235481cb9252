"""Views of a Doc's roles: `doc._.predicates`, `token._.predicate`, and the objects that they give.

They read `doc.spans["srl"]` on demand, and write nothing on the Doc.
"""

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from spacy.tokens import Doc, Span, Token

from ..lang.en import AUXILIARY_ROLESETS
from ..trees.propositions import (
    PREDICATE_ROLE,
    JoinedArgument,
    Proposition,
    args_to_bio,
    is_core,
    join_parts,
    predicate_span,
)
from .frames import describe, get_frame
from .roles import get_proposition_at, get_propositions, get_sentence_propositions, has_propositions
from .sentences import SENT_IDS, has_sentences, sentence_bounds, sentence_words
from .span_groups import StaleParseError, check_present


class Predicate:
    """A predicate of a Doc, with its arguments. All attributes raise StaleParseError once tokens that it names were
    merged or split: ask the Doc again.

    doc (Doc): The Doc, which is not copied.
    proposition (Proposition): Its roleset and arguments, over the Doc's tokens.
    """

    def __init__(self, doc: Doc, proposition: Proposition) -> None:
        self.doc = doc
        self._proposition = proposition
        self._ranges = [(proposition.token, proposition.token + 1), *((arg[0], arg[1]) for arg in proposition.args)]
        self._characters = [_characters(doc, start, end) for start, end in self._ranges]

    @property
    def proposition(self) -> Proposition:
        """Its roleset and arguments, over the Doc's tokens."""
        self.check()
        return self._proposition

    def check(self) -> None:
        """Check that the Doc has the predicate's tokens.

        RAISES (StaleParseError): Tokens were merged or split since the Doc was asked.
        """
        for (start, end), characters in zip(self._ranges, self._characters, strict=True):
            if end > len(self.doc) or _characters(self.doc, start, end) != characters:
                raise StaleParseError(
                    f"tokens were merged or split since this predicate ({self._proposition.roleset}, characters "
                    f"{self._characters[0][0]}:{self._characters[0][1]}) was read: read doc._.predicates again"
                )

    @property
    def token(self) -> Token:
        """The predicate's token."""
        return self.doc[self.proposition.token]

    @property
    def span(self) -> Span:
        """The `V`: the verb with a particle that follows it ("gave up")."""
        return self.spans[0]

    @property
    def spans(self) -> Tuple[Span, ...]:
        """The `V`, and the parts that do not follow it directly (C-V): "gave", "up" in "gave it up"."""
        joined = next(one for one in join_parts(self.proposition.args) if one.role == PREDICATE_ROLE)
        first = predicate_span(self.proposition.args)
        parts = [first, *(part for part in joined.parts if part != first)]
        return tuple(Span(self.doc, *part, label=PREDICATE_ROLE, kb_id=self.roleset) for part in parts)

    @property
    def roleset(self) -> str:
        """PropBank's sense ("give.01"); empty if unknown."""
        return self._proposition.roleset

    @property
    def lemma(self) -> str:
        """PropBank's frame file ("give"), which need not be the token's lemma."""
        return self._proposition.lemma

    @property
    def description(self) -> Optional[str]:
        """The name of the roleset ("transfer"); None if the vocab does not have its frame."""
        frame = get_frame(self.doc.vocab, self.roleset)
        return frame.name if frame else None

    @property
    def is_auxiliary(self) -> bool:
        """Whether it is an auxiliary or a modal, by its roleset: "have" in "have seen"."""
        return self.roleset in AUXILIARY_ROLESETS

    @property
    def arguments(self) -> List["Argument"]:
        """Its arguments in text order, without the predicate itself. C- parts are joined to their argument."""
        joined = join_parts(self.proposition.args)
        return [Argument(self, one) for one in joined if one.role != PREDICATE_ROLE]

    def get(self, role: str) -> Optional["Argument"]:
        """Its first argument of a role, for instance `get("ARG1")`; None if it has none."""
        return next((argument for argument in self.arguments if argument.role == role), None)

    @property
    def sent(self) -> Span:
        """The sentence around the predicate's token.

        RAISES (ValueError): Sentence boundaries are not known.
        """
        token = self.proposition.token
        if not has_sentences(self.doc):
            sentence_bounds(self.doc)  # raises, and says what sets boundaries
        return self.doc[token : token + 1].sent if len(self.doc) > 1 else self.doc[:]

    @property
    def tags(self) -> List[str]:
        """BIO tags, one for each token of the sentence.

        RAISES (ValueError): Sentence boundaries are not known. (StaleParseError): An argument lies in another sentence.
        """
        sent, args = self.sent, self.proposition.args
        if args[0][0] < sent.start or args[-1][1] > sent.end:
            raise StaleParseError(
                f"the arguments of {self!r} reach from token {args[0][0]} to {args[-1][1]}, and its sentence from "
                f"{sent.start} to {sent.end}: sentence boundaries have changed since the roles were written"
            )
        return args_to_bio([(start - sent.start, end - sent.start, role) for start, end, role in args], len(sent))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Predicate):
            return NotImplemented
        mine, its = (self._proposition, self._characters), (other._proposition, other._characters)
        return self.doc is other.doc and mine == its

    def __hash__(self) -> int:
        return hash((id(self.doc), self._proposition))

    def __str__(self) -> str:
        return " ... ".join(span.text for span in self.spans)

    def __repr__(self) -> str:
        return f"Predicate({str(self)!r}, {self.roleset!r})"


@dataclass(frozen=True)
class Argument:
    """An argument of a predicate.

    predicate (Predicate): The predicate.
    joined (JoinedArgument): Its role and parts.
    """

    predicate: Predicate
    joined: JoinedArgument

    @property
    def doc(self) -> Doc:
        """The Doc.

        RAISES (StaleParseError): Tokens were merged or split since the predicate was read.
        """
        self.predicate.check()
        return self.predicate.doc

    @property
    def role(self) -> str:
        """PropBank's role without C-: "ARG1", "ARGM-TMP", "R-ARG0"."""
        return self.joined.role

    @property
    def span(self) -> Span:
        """From the first to the last part."""
        return Span(self.doc, self.joined.start, self.joined.end, label=self.role)

    @property
    def spans(self) -> Tuple[Span, ...]:
        """Its parts; one for a contiguous argument."""
        return tuple(Span(self.doc, start, end, label=self.role) for start, end in self.joined.parts)

    @property
    def root(self) -> Token:
        """The head of its first part, by the dependency tree; without one, the first token."""
        return self.spans[0].root

    @property
    def description(self) -> Optional[str]:
        """ "thing given"; "time" for ARGM-TMP. None if the frame does not describe it, or no frames are loaded."""
        return describe(self.doc.vocab, self.predicate.roleset, self.role)

    @property
    def is_core(self) -> bool:
        """Whether its role is numbered. References (R-ARG0) are not core."""
        return is_core(self.role)

    def __str__(self) -> str:
        return " ... ".join(span.text for span in self.spans)

    def __repr__(self) -> str:
        return f"Argument({self.role!r}, {str(self)!r})"


def _characters(doc: Doc, start: int, end: int) -> Tuple[int, int]:
    """The first character of a range of tokens, and the end of the last."""
    last = doc[end - 1]
    return doc[start].idx, last.idx + len(last)


def get_predicates(doc: Doc) -> List[Predicate]:
    """The predicates of a Doc, by token; empty for a Doc without roles.

    RAISES (StaleParseError, PropositionError): As `get_propositions`.
    """
    return [Predicate(doc, proposition) for proposition in get_propositions(doc)]


def get_span_predicates(span: Span) -> List[Predicate]:
    """The predicates whose token lies in a Span.

    RAISES (StaleParseError): The Doc does not have the Span's tokens; and as `get_predicates`.
    """
    check_present(span)
    return [one for one in get_predicates(span.doc) if span.start <= one.proposition.token < span.end]


def get_token_predicate(token: Token) -> Optional[Predicate]:
    """The predicate of a token; None for other tokens.

    RAISES (StaleParseError, PropositionError): As `get_proposition_at`.
    """
    proposition = get_proposition_at(token.doc, token.i)
    return Predicate(token.doc, proposition) if proposition else None


def get_srl(doc: Doc) -> Optional[Dict[str, Any]]:
    """The roles of a Doc as in a line of `.srl.jsonl`: `sent_id` (of a Doc of one sentence, else empty), `words` (their
    number, without white space), `predicates`. Words are counted from 0 in the Doc. None for a Doc without roles.

    RAISES (StaleParseError, PropositionError): As `get_propositions`.
    """
    if not has_propositions(doc):
        return None
    words = [token.i for token in doc if not token.is_space]
    place = {token: i for i, token in enumerate(words)}
    predicates = []
    for token, roleset, args, lemma in get_propositions(doc):
        ranges = [([place[i] for i in range(start, end) if i in place], role) for start, end, role in args]
        if token in place:
            found = [[inside[0], inside[-1] + 1, role] for inside, role in ranges if inside]
            predicates.append({"token": place[token], "lemma": lemma, "roleset": roleset, "args": found})
    ids = doc.user_data.get(SENT_IDS) or [""]
    return {"sent_id": ids[0] if len(ids) == 1 else "", "words": len(words), "predicates": predicates}


def to_srl_dicts(doc: Doc) -> List[Dict[str, Any]]:
    """The roles of each sentence of a Doc as the dicts of `.srl.jsonl`. Sentences of white space alone are left out.

    RAISES (ValueError): Sentence boundaries are not known. (StaleParseError, PropositionError): As `get_propositions`.
    """
    ids = doc.user_data.get(SENT_IDS) or []
    found = []
    for i, (words, propositions) in enumerate(zip(sentence_words(doc), get_sentence_propositions(doc), strict=True)):
        if words:
            predicates = [
                {"token": one.token, "lemma": one.lemma, "roleset": one.roleset, "args": [[*arg] for arg in one.args]}
                for one in propositions
            ]
            sent_id = ids[i] if i < len(ids) else ""
            found.append({"sent_id": sent_id, "words": len(words), "predicates": predicates})
    return found


ROLE_GETTERS: List[Tuple[Any, str, Callable[..., Any]]] = [
    (Doc, "predicates", get_predicates),
    (Doc, "srl", get_srl),
    (Span, "predicates", get_span_predicates),
    (Token, "predicate", get_token_predicate),
]


def install_role_extensions() -> None:
    """Give Doc, Span and Token the views of roles. Existing extensions are left alone."""
    for cls, name, getter in ROLE_GETTERS:
        if not cls.has_extension(name):
            cls.set_extension(name, getter=getter)
