"""Views of a Doc's roles, read from `doc.spans["srl"]` on demand: `doc._.predicates`,
`token._.predicate`; and the frames that describe them, a table in `vocab.lookups`,
which spaCy saves with the pipeline."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Optional

import srsly
from spacy.lookups import Table
from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from ..lang import conventions
from ..trees.frames import Frame, FrameRole, describe_role
from ..trees.roles import (
    PREDICATE_PART,
    PREDICATE_ROLE,
    JoinedArgument,
    Proposition,
    args_to_bio,
    is_core,
    join_parts,
    predicate_span,
)
from .roles import get_propositions
from .span_groups import check_present

FRAMES_TABLE = "lal_frames"
LIGHT_VERB = ".LV"  # the sense of light verbs, which the frames do not list


@dataclass(frozen=True)
class Predicate:
    """A predicate of a Doc, with its arguments. All attributes raise StaleParseError
    once tokens in or before it were merged or split: ask the Doc again.
    doc (Doc): The Doc, which is not copied.
    proposition (Proposition): Its roleset and arguments, over the Doc's tokens."""

    doc: Doc
    proposition: Proposition
    _around: Span = field(init=False, compare=False)

    def __post_init__(self) -> None:
        args = self.proposition.args
        object.__setattr__(self, "_around", self.doc[args[0][0] : args[-1][1]])

    def _args(self) -> tuple[tuple[int, int, str], ...]:
        """The arguments, if the Doc has their tokens."""
        check_present(self._around)
        return self.proposition.args

    @property
    def token(self) -> Token:
        """The predicate's token."""
        check_present(self._around)
        return self.doc[self.proposition.token]

    @property
    def span(self) -> Span:
        """The `V`: the verb with a particle that follows it ("gave up")."""
        return self.spans[0]

    @property
    def spans(self) -> tuple[Span, ...]:
        """The `V`, and the parts that do not follow it directly (C-V): "gave", "up" in
        "gave it up"."""
        args = self._args()
        others = [(start, end) for start, end, role in args if role == PREDICATE_PART]
        return tuple(
            Span(self.doc, *part, label=PREDICATE_ROLE, kb_id=self.roleset)
            for part in (predicate_span(args), *others)
        )

    @property
    def roleset(self) -> str:
        """PropBank's sense ("give.01"); empty if unknown."""
        return self.proposition.roleset

    @property
    def lemma(self) -> str:
        """PropBank's frame file ("give"), which need not be the token's lemma."""
        return self.proposition.lemma

    @property
    def description(self) -> Optional[str]:
        """The name of the roleset ("transfer"); None if the vocab does not have its
        frame."""
        frame = get_frame(self.doc.vocab, self.roleset)
        return frame.name if frame else None

    @property
    def has_frame(self) -> Optional[bool]:
        """Whether PropBank has its roleset, `.LV` of light verbs included. Without a
        frame it is the lemma with `.01`. None if the vocab has no frames."""
        known = self.description is not None or self.roleset.endswith(LIGHT_VERB)
        return known if has_frames(self.doc.vocab) else None

    @property
    def is_auxiliary(self) -> bool:
        """Whether it is an auxiliary or a modal, by its roleset: "have" in "have
        seen"."""
        language = conventions(self.doc.vocab.lang)
        return self.roleset in language.auxiliary_rolesets

    @property
    def arguments(self) -> list["Argument"]:
        """Its arguments in text order, without the predicate itself. C- parts are
        joined to their argument."""
        joined = join_parts(self._args())
        return [Argument(self, one) for one in joined if one.role != PREDICATE_ROLE]

    def get(self, role: str) -> Optional["Argument"]:
        """Its first argument of a role, for instance `get("ARG1")`; None if it has
        none."""
        found = [argument for argument in self.arguments if argument.role == role]
        return found[0] if found else None

    @property
    def sent(self) -> Span:
        """The sentence around the predicate's token.

        RAISES (ValueError): Sentence boundaries are not known."""
        return self.token.sent

    @property
    def tags(self) -> list[str]:
        """BIO tags, one for each token of the sentence.

        RAISES (ValueError): Sentence boundaries are not known."""
        sent = self.sent
        return args_to_bio(self._args(), len(self.doc))[sent.start : sent.end]

    def __str__(self) -> str:
        return " ... ".join(span.text for span in self.spans)

    def __repr__(self) -> str:
        return f"Predicate({str(self)!r}, {self.roleset!r})"


@dataclass(frozen=True)
class Argument:
    """An argument of a predicate.
    joined (JoinedArgument): Its role and parts."""

    predicate: Predicate
    joined: JoinedArgument

    @property
    def doc(self) -> Doc:
        """The Doc.

        RAISES (StaleParseError): Tokens were merged or split since the predicate was
            read."""
        check_present(self.predicate._around)
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
    def spans(self) -> tuple[Span, ...]:
        """Its parts; one for a contiguous argument."""
        return tuple(
            Span(self.doc, start, end, label=self.role)
            for start, end in self.joined.parts
        )

    @property
    def root(self) -> Token:
        """The head of its first part, by the dependency tree; without one, the first
        token."""
        return self.spans[0].root

    @property
    def description(self) -> Optional[str]:
        """ "thing given"; "time" for ARGM-TMP. None if the frame does not describe it,
        or no frames are loaded."""
        frame = get_frame(self.doc.vocab, self.predicate.roleset)
        return describe_role(self.role, frame)

    @property
    def is_core(self) -> bool:
        """Whether its role is numbered. References (R-ARG0) are not core."""
        return is_core(self.role)

    def __str__(self) -> str:
        return " ... ".join(span.text for span in self.spans)

    def __repr__(self) -> str:
        return f"Argument({self.role!r}, {str(self)!r})"


def get_predicates(doc: Doc) -> list[Predicate]:
    """The predicates of a Doc, by token; empty for a Doc without roles."""
    return [Predicate(doc, proposition) for proposition in get_propositions(doc)]


def get_span_predicates(span: Span) -> list[Predicate]:
    """The predicates whose token lies in a Span."""
    check_present(span)
    return [
        Predicate(span.doc, proposition)
        for proposition in get_propositions(span.doc, span.start, span.end)
    ]


def get_token_predicate(token: Token) -> Optional[Predicate]:
    """The predicate of a token; None for other tokens."""
    found = get_propositions(token.doc, token.i, token.i + 1)
    return Predicate(token.doc, found[0]) if found else None


# Frames


def install_frames(vocab: Vocab, frames: Iterable[Frame]) -> None:
    """Give a vocab frames, for `Argument.description`. A frame replaces an earlier one
    of the same roleset; others are kept.
    frames (Iterable[Frame]): For instance `read_frames(path).values()`."""
    table = _frames_table(vocab)
    for frame in frames:
        # As text, it takes a third of the memory.
        table[frame.roleset] = srsly.json_dumps(frame[:4])


def _frames_table(vocab: Vocab) -> Table:
    if not vocab.lookups.has_table(FRAMES_TABLE):
        vocab.lookups.add_table(FRAMES_TABLE, {})
    return vocab.lookups.get_table(FRAMES_TABLE)


def has_frames(vocab: Vocab) -> bool:
    """Whether a vocab has frames."""
    return bool(vocab.lookups.get_table(FRAMES_TABLE, {}))


def copy_frames(source: Vocab, target: Vocab) -> None:
    """Give the frames of one vocab to another, unless that has some."""
    if has_frames(source) and not has_frames(target):
        _frames_table(target).update(_frames_table(source))


def get_frame(vocab: Vocab, roleset: str) -> Optional[Frame]:
    """The frame of a roleset, without its aliases; None if the vocab does not have
    it."""
    table = vocab.lookups.get_table(FRAMES_TABLE, {})
    if not roleset or roleset not in table:
        return None
    name, frame, meaning, roles = srsly.json_loads(table[roleset])
    described = {number: FrameRole(*role) for number, role in roles.items()}
    return Frame(name, frame, meaning, described)
