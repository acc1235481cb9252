"""The labels of semantic roles, collected from training data. *Not* here: ids in the network."""

from collections import Counter
from typing import Any, Dict, Iterable, List, Tuple

from spacy.tokens import Doc
from spacy.training import Example

from ..annotations import get_propositions, get_sentence_propositions, has_propositions, has_sentences, sentence_words
from ..trees.propositions import PREDICATE_ROLE, args_to_bio, predicate_span
from .rolesets import collect_senses

# The keys of `label_data`.
ROLES, ROLESETS, SENSES, ALIASES, DEPRELS, PREDICATES, TRANSITIONS = (
    "roles",
    "rolesets",
    "senses",
    "aliases",
    "deprels",
    "predicates",
    "transitions",
)
ROLE_VOCABULARIES = (ROLES, ROLESETS, SENSES, ALIASES, DEPRELS, PREDICATES, TRANSITIONS)


def collect_role_labels(examples: Iterable[Example]) -> Dict[str, List[Any]]:
    """The labels of the references, each kind by descending frequency.

    RETURNS (Dict[str, List[Any]]): `roles`; `rolesets`; `senses`, the words of a V with the ids of their rolesets;
        `aliases`, which only frames give: none; `deprels`; `predicates`, pairs of tag and whether such a token is a
        predicate, other tokens first; `transitions`, triples of a BIO tag, the next one and their count. "" is the
        beginning of a sentence.
    """
    roles: Counter[str] = Counter()
    deprels: Counter[str] = Counter()
    joint: Counter[Tuple[str, bool]] = Counter()
    transitions: Counter[Tuple[str, str]] = Counter()
    pairs: List[Tuple[str, str]] = []
    for eg in examples:
        doc = eg.reference
        deprels.update(token.dep_ for token in doc if token.dep_ and not token.is_space)
        if not has_propositions(doc):
            continue
        found = get_propositions(doc)
        tokens = {one.token for one in found}
        joint.update((token.tag_, token.i in tokens) for token in doc if not token.is_space)
        for one in found:
            roles.update(role for _, _, role in one.args)
            start, end = predicate_span(one.args)
            words = " ".join(token.text for token in doc[start:end] if not token.is_space)
            pairs.append((words, one.roleset))
        transitions.update(_transitions(doc))
    rolesets, senses = collect_senses(pairs)
    labels = [role for role, _ in _by_frequency(roles)]
    return {
        ROLES: [PREDICATE_ROLE, *(role for role in labels if role != PREDICATE_ROLE)] if labels else [],
        ROLESETS: rolesets,
        SENSES: [list(sense) for sense in senses],
        ALIASES: [],
        DEPRELS: [deprel for deprel, _ in _by_frequency(deprels)],
        PREDICATES: [[tag, flag] for flag in (False, True) for (tag, one), _ in _by_frequency(joint) if one is flag],
        TRANSITIONS: [[before, after, count] for (before, after), count in _by_frequency(transitions)],
    }


def _transitions(doc: Doc) -> Iterable[Tuple[str, str]]:
    if not has_sentences(doc):
        return
    for words, of_sentence in zip(sentence_words(doc), get_sentence_propositions(doc), strict=True):
        for one in of_sentence:
            tags = args_to_bio(one.args, len(words))
            yield from zip(["", *tags], tags, strict=False)


def _by_frequency(counter: Counter) -> List[Tuple[Any, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))
