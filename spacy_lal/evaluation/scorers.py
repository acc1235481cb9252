"""The scores of parses and of semantic roles of Examples, as in spaCy from 0 to 1, or
None without gold annotation."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, count
from typing import Any, Optional

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

CONST_KEYS = tuple(EvalbCounts().scores())
SPACY_KEYS = ("dep_uas", "dep_las", "dep_las_per_type")
REFERENCE_KEYS = ("dep_uas_reference", "dep_las_reference")
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
    return {
        **{key: constituents.get(key) for key in CONST_KEYS},
        **{key: parsed[key] for key in SPACY_KEYS},
        **_attachment(examples),
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
    visible = visible_characters(gold)
    deleted = {
        character
        for token in gold
        if token.tag_ in params.delete_label
        for character in range(visible[token.idx], visible[token.idx + len(token)])
    }
    starts = [
        visible_characters(gold, deleted)[gold[i].idx] for i, _ in sentence_bounds(gold)
    ]
    gold_brackets, test_brackets = (
        _character_brackets(doc, visible_characters(doc, deleted), starts, params)
        for doc in (gold, test)
    )
    sentences = zip(sentence_words(gold), get_constituents(gold), strict=True)
    for number, (words, constituents) in enumerate(sentences, start=1):
        kept = [i for i in words if gold[i].tag_ not in params.delete_label]
        if not constituents or not kept:  # EVALB skips a sentence without words
            continue
        ours = gold_brackets[number]
        theirs = test_brackets[number]
        yield EvalbRow(
            len(words),
            VALID,
            count_matched(ours, theirs, params),
            len(ours),
            len(theirs),
            count_crossing(ours, theirs, nested=True),
        )


def visible_characters(doc: Doc, deleted: Container[int] = ()) -> list[int]:
    """For each position in a Doc's text, the number of characters before it that count:
    no white space, in which two Docs may differ.

    deleted (Container[int]): Others that do not count, as indices among them.
    """
    numbers = count()
    counts = (not char.isspace() and next(numbers) not in deleted for char in doc.text)
    return [0, *accumulate(map(int, counts))]


def _character_brackets(
    doc: Doc, places: Sequence[int], starts: Sequence[int], params: EvalbParams
) -> dict[int, list[Constituent]]:
    """The brackets that count, as the places of their characters, in pre-order, by the
    number of the sentence, from 1, in which they begin."""
    brackets = []
    for constituent in constituent_tokens(doc):
        span = doc[constituent.start : constituent.end]
        start = places[span.start_char]
        brackets.append(constituent._replace(start=start, end=places[span.end_char]))
    of_sentences = defaultdict(list)
    for bracket in sorted(scored_brackets(brackets, params), key=in_preorder):
        of_sentences[bisect_right(starts, bracket.start)].append(bracket)
    return of_sentences


def is_reference_punctuation(tag: str, punctuation_tags: Container[str]) -> bool:
    """Whether the authors' evaluation leaves out a word with this gold tag: Zhou & Zhao
    (2019) and Mrini et al. (2020) ask whether it lies within the string ``.``'':,`` (on
    Penn tags: exactly . , : `` ''), or is `PU`. Brackets, $ and # count. A missing tag
    is not punctuation."""
    return bool(tag) and (tag in punctuation_tags or tag == "PU")


def _attachment(examples: Iterable[Example]) -> dict[str, Optional[float]]:
    """The shares of words with the right head, and with the right deprel, too, by the
    authors' rule for punctuation. Docs without heads, on either side, do not count."""
    n_words = n_heads = n_arcs = 0
    for eg in examples:
        gold = eg.reference
        if not eg.predicted.has_annotation("DEP") or not gold.has_annotation("DEP"):
            continue
        punctuation_tags = conventions(gold.vocab.lang).punctuation_tags
        # Of the gold tokens, with the predicted heads among them.
        aligned = Example(gold, eg.predicted).get_aligned_parse(projectivize=False)
        for token, head, deprel in zip(gold, *aligned, strict=True):
            is_mark = is_reference_punctuation(token.tag_, punctuation_tags)
            if token.dep_ and not token.is_space and not is_mark:
                is_head = head == token.head.i
                n_words += 1
                n_heads += is_head
                n_arcs += is_head and deprel == token.dep_
    shares = (n / n_words if n_words else None for n in (n_heads, n_arcs))
    return dict(zip(REFERENCE_KEYS, shares, strict=True))


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
        return dict.fromkeys((*ROLE_KEYS, PER_ROLE))
    roles = [role for role in strict.pairs.labels() if role != PREDICATE_ROLE]
    has_rolesets = predicates.n_known > 0
    return {
        **_named("srl", strict.overall()),
        "srl_unlabeled_f": strict.unlabeled().fscore,
        **_named("srl_conll05", conll05.overall()),
        "srl_perfect": conll05.perfect,
        **_named("predicate", predicates.predicates),
        "roleset_f": predicates.rolesets.fscore if has_rolesets else None,
        "roleset_acc": predicates.roleset_acc if has_rolesets else None,
        PER_ROLE: {role: strict.pairs.score([role]).to_dict() for role in roles},
    }


def _named(name: str, score: PRFScore) -> dict[str, float]:
    return {f"{name}_{key}": value for key, value in score.to_dict().items()}


def _on_characters(doc: Doc) -> list[Proposition]:
    """The propositions of a Doc over its characters without white space."""
    places = visible_characters(doc)
    starts = [places[token.idx] for token in doc]
    ends = [places[token.idx + len(token)] for token in doc]
    moved = []
    for proposition in get_propositions(doc):
        args = [
            (starts[start], ends[end - 1], role)
            for start, end, role in proposition.args
            if starts[start] < ends[end - 1]
        ]
        token = starts[proposition.token]
        moved.append(proposition._replace(token=token, args=tuple(args)))
    return moved


def _with_lemmas(
    predicted: Sequence[Proposition], gold: Sequence[Proposition]
) -> list[Proposition]:
    """Predictions with the gold lemmas where the frame files are the same: a component
    knows a frame file by a roleset's name, and PropBank has exceptions to it ("better"
    for good.02)."""
    lemmas = {(x.token, frame_of(x.roleset)): x.lemma for x in gold if x.roleset}
    return [
        x._replace(lemma=lemmas.get((x.token, frame_of(x.roleset)), x.lemma))
        for x in predicted
    ]
