"""The scores of parses and of semantic roles of Examples, as in spaCy from 0 to 1, or
None without gold annotation."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, count
from operator import attrgetter
from typing import (
    Any,
    Optional,
)

from spacy.pipeline.dep_parser import parser_score
from spacy.scorer import PRFScore
from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import (
    SPANS_KEY,
    check_tree,
    constituent_tokens,
    frame_of,
    get_constituents,
    get_propositions,
    has_propositions,
    has_sentences,
    read_parses,
    same_tokens,
    sentence_bounds,
    sentence_words,
)
from ..lang import conventions
from ..trees import Constituent, Parse
from ..trees.roles import PREDICATE_ROLE, Proposition
from ..trees.spans import in_preorder
from .attachment import AttachmentCounts, PunctuationRule, score_attachments
from .evalb import (
    VALID,
    EvalbCounts,
    EvalbRow,
    count_crossing,
    count_matched,
    score_sentence,
    scored_brackets,
)
from .evalb_params import EvalbParams, language_params
from .srl import PredicateCounts, SrlCounts

CONST_KEYS = (
    "const_p",
    "const_r",
    "const_f",
    "const_cm",
    "const_cb",
    "const_0cb",
    "const_2cb",
)
NO_TOKEN = -1
SPACY_KEYS = ("dep_uas", "dep_las", "dep_las_per_type")
ROLE_KEYS = (
    "srl_p",
    "srl_r",
    "srl_f",
    "srl_unlabeled_f",
    "srl_conll05_p",
    "srl_conll05_r",
    "srl_conll05_f",
    "srl_perfect",
    "predicate_p",
    "predicate_r",
    "predicate_f",
    "roleset_f",
    "roleset_acc",
)
PER_ROLE = "srl_per_role"
# The same under the names by which `spacy evaluate --spans-key srl` prints a table.
PRINTED = {
    "spans_srl_p": "srl_p",
    "spans_srl_r": "srl_r",
    "spans_srl_f": "srl_f",
    "spans_srl_per_type": PER_ROLE,
}


def make_parser_scorer() -> Callable[..., dict[str, Any]]:
    """Make a scorer, with EVALB's parameters of the language (English:
    `COLLINS.prm`)."""
    return score_parses


def score_parses(
    examples: Iterable[Example], params: Optional[EvalbParams] = None, **kwargs: Any
) -> dict[str, Any]:
    """The scores of parsed Examples.

    `const_*` are EVALB's, with the gold tags on both sides. Sentences with the gold
    tokens and boundaries are compared as EVALB does. A Doc with other tokens or
    sentences is compared by characters: white space and deleted gold words do not
    count, and a predicted bracket belongs to the gold sentence in which it begins. A
    gold sentence without constituents is skipped, since it may lack annotation; EVALB
    would count its predicted brackets. `dep_uas`, `dep_las` follow spaCy's rule
    (deprels `p` and `punct` do not count); `dep_uas_reference`, `dep_las_reference`
    follow the authors' rule (gold tags of punctuation do not count).

    params (Optional[EvalbParams]): EVALB's parameters. Default: by the Docs' language.
    RAISES (TreebankError): Gold constituents of a Doc are no tree.
    """
    examples = list(examples)
    counts = EvalbCounts()
    for eg in examples:
        check_tree(eg.reference, "a gold Doc")
        for row in _rows(eg, params or language_params(eg.reference.vocab.lang)):
            counts.add(row)
    # spaCy's function also scores sentence boundaries, which another component sets.
    parsed = parser_score(examples, **kwargs)
    constituents = counts.scores() if counts.n_valid else {}
    by_authors = attachment(examples, "reference")
    arcs = by_authors.scores() if by_authors.gold_words else {}
    return {
        **{key: constituents.get(key) for key in CONST_KEYS},
        **{key: parsed[key] for key in SPACY_KEYS},
        "dep_uas_reference": arcs.get("dep_uas"),
        "dep_las_reference": arcs.get("dep_las"),
    }


def _rows(eg: Example, params: EvalbParams) -> Iterator[EvalbRow]:
    gold = eg.reference
    test = eg.predicted
    if not gold.spans.get(SPANS_KEY) or not has_sentences(gold):
        return
    is_aligned = same_tokens(gold, test) and has_sentences(test)
    if not is_aligned or sentence_words(test) != sentence_words(gold):
        yield from _rows_by_characters(gold, test, params)
        return
    for pair in paired_trees(gold, test):
        yield score_sentence(*pair, params)


def paired_trees(gold: Doc, test: Doc) -> Iterator[tuple[Parse, Parse]]:
    """The trees of gold sentences, and of the same words in another Doc; both with the
    gold tags."""
    for ours, theirs in zip(read_parses(gold), read_parses(test), strict=True):
        if ours.constituents:
            ours = replace(ours, tags=[gold[i].tag_ for i in ours.tokens])
            yield ours, replace(ours, constituents=theirs.constituents or ())


def _rows_by_characters(
    gold: Doc, test: Doc, params: EvalbParams
) -> Iterator[EvalbRow]:
    """A row for each gold sentence; a predicted constituent belongs to the sentence in
    which it begins."""
    visible = [0, *accumulate(not char.isspace() for char in gold.text)]
    deleted: set[int] = set()
    for token in gold:
        if token.tag_ in params.delete_label:
            deleted.update(range(visible[token.idx], visible[token.idx + len(token)]))
    places = _places(gold, deleted)
    gold_brackets = _character_brackets(gold, places, params)
    test_brackets = _character_brackets(test, _places(test, deleted), params)
    for (start, end), spans in zip(
        sentence_bounds(gold), get_constituents(gold), strict=True
    ):
        sentence = gold[start:end]
        first = places[sentence.start_char]
        last = places[sentence.end_char]
        if not spans or first == last:  # EVALB skips a sentence without words
            continue
        ours = _starting(gold_brackets, first, last)
        theirs = _starting(test_brackets, first, last)
        reached = max([last, *(bracket.end for bracket in theirs)])
        around = _starting(gold_brackets, first, reached)
        yield EvalbRow(
            end - start,
            VALID,
            count_matched(ours, theirs, params),
            len(ours),
            len(theirs),
            count_crossing(around, theirs, nested=True),
        )


def _places(doc: Doc, deleted: set[int]) -> list[int]:
    """For each position in a Doc's text, the number of characters before it that count.

    deleted (Set[int]): Characters that do not, as indices in the text without white
        space, in which two Docs may differ.
    """
    numbers = count()
    return [
        0,
        *accumulate(
            int(not char.isspace() and next(numbers) not in deleted)
            for char in doc.text
        ),
    ]


def _character_brackets(
    doc: Doc, places: Sequence[int], params: EvalbParams
) -> list[Constituent]:
    """The brackets that count, as the places of their characters, in pre-order."""
    brackets = []
    for constituent in constituent_tokens(doc):
        span = doc[constituent.start : constituent.end]
        start = places[span.start_char]
        brackets.append(constituent._replace(start=start, end=places[span.end_char]))
    return sorted(scored_brackets(brackets, params), key=in_preorder)


def _starting(
    brackets: Sequence[Constituent], first: int, last: int
) -> Sequence[Constituent]:
    """The brackets that begin from `first` on and before `last`."""
    start, end = (
        bisect_left(brackets, place, key=attrgetter("start")) for place in (first, last)
    )
    return brackets[start:end]


def attachment(
    examples: Iterable[Example], punctuation: PunctuationRule
) -> AttachmentCounts:
    """The right heads and deprels of the words of gold sentences. Docs without heads,
    on either side, do not count."""
    counts = AttachmentCounts()
    for eg in examples:
        gold = eg.reference
        if not gold.has_annotation("DEP") or not eg.predicted.has_annotation("DEP"):
            continue
        punctuation_tags = conventions(gold.vocab.lang).punctuation_tags
        for words in filter(None, sentence_words(gold)):
            gold_heads = [gold[i].head.i for i in words]
            gold_deprels = [gold[i].dep_ for i in words]
            heads, deprels = zip(*(_aligned_arc(eg, i) for i in words), strict=True)
            counts += score_attachments(
                gold_heads,
                gold_deprels,
                heads,
                deprels,
                punctuation=punctuation,
                tags=[gold[i].tag_ for i in words],
                punctuation_tags=punctuation_tags,
            )
    return counts


def _aligned_arc(eg: Example, i: int) -> tuple[int, str]:
    """Predicted head (index in the reference) and deprel of a gold word; NO_TOKEN where
    tokens differ."""
    aligned = eg.alignment.y2x[i]
    if len(aligned) != 1:
        return NO_TOKEN, ""
    token = eg.predicted[int(aligned[0])]
    head = eg.alignment.x2y[token.head.i]
    return (int(head[0]) if len(head) == 1 else NO_TOKEN), token.dep_


def make_roles_scorer() -> Callable[..., dict[str, Any]]:
    """Make a scorer of semantic roles."""
    return score_roles


def score_roles(examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
    """The scores of the roles of Examples; Examples without gold roles are left out.

    `srl_p`, `srl_r`, `srl_f` and `srl_per_role` are strict: predicates match by their
    token, and arguments of spurious predicates are excess. `srl_conll05_*` and
    `srl_perfect` count as srl-eval.pl: arguments of spurious predicates cost nothing.
    It compares lemmas too; here two lemmas are the same if the frame files of their
    rolesets are. Arguments are compared as ranges of characters without white space, so
    that the tokens may differ.

    RETURNS (Dict[str, Any]): `ROLE_KEYS`; `PER_ROLE`: `p`, `r`, `f` by role, without V;
        and the names of `PRINTED`.
    """
    scores = _role_scores(examples)
    return {**scores, **{name: scores[key] for name, key in PRINTED.items()}}


def _role_scores(examples: Iterable[Example]) -> dict[str, Any]:
    strict = SrlCounts("strict")
    conll05 = SrlCounts("conll05")
    predicates = PredicateCounts()
    for eg in examples:
        if has_propositions(eg.reference):
            gold = _on_characters(eg.reference)
            predicted = _on_characters(eg.predicted)
            strict.add(gold, predicted)
            conll05.add(gold, _with_lemmas(predicted, gold))
            predicates.add(gold, predicted)
    if not strict.n_sentences:
        return {**dict.fromkeys(ROLE_KEYS), PER_ROLE: None}
    per_role = {
        role: strict.score(role).to_dict()
        for role in strict.roles()
        if role != PREDICATE_ROLE
    }
    return {
        **_named("srl", strict.overall()),
        "srl_unlabeled_f": strict.unlabeled().fscore,
        **_named("srl_conll05", conll05.overall()),
        "srl_perfect": conll05.perfect,
        **_named("predicate", predicates.predicates),
        "roleset_f": predicates.rolesets.fscore if predicates.n_known else None,
        "roleset_acc": predicates.roleset_acc if predicates.n_known else None,
        PER_ROLE: per_role,
    }


def _named(name: str, score: PRFScore) -> dict[str, float]:
    return {f"{name}_{key}": value for key, value in score.to_dict().items()}


def _on_characters(doc: Doc) -> list[Proposition]:
    """The propositions of a Doc over its characters without white space."""
    kept = [0, *accumulate(not char.isspace() for char in doc.text)]
    starts = [kept[token.idx] for token in doc]
    ends = [kept[token.idx + len(token)] for token in doc]
    moved = []
    for proposition in get_propositions(doc):
        places = (
            (starts[start], ends[end - 1], role)
            for start, end, role in proposition.args
        )
        moved.append(
            proposition._replace(
                token=starts[proposition.token],
                args=tuple(arg for arg in places if arg[0] < arg[1]),
            )
        )
    return moved


def _with_lemmas(
    predicted: Sequence[Proposition], gold: Sequence[Proposition]
) -> list[Proposition]:
    """Predictions with the gold lemmas where the frame files are the same: a component
    knows a frame file by a roleset's name, and PropBank has exceptions to it ("better"
    for good.02)."""
    lemmas = {
        (proposition.token, frame_of(proposition.roleset)): proposition.lemma
        for proposition in gold
        if proposition.roleset
    }
    return [
        proposition._replace(
            lemma=lemmas.get(
                (proposition.token, frame_of(proposition.roleset)), proposition.lemma
            )
        )
        for proposition in predicted
    ]
