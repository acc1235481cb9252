"""Random Docs through a small untrained `lal_srl`, of tags and of ranges: whatever the
words, sentences and parses, are the roles sound? Docs are those of `fuzzing.docs`,
parsed by its parser with random weights."""

import random
from collections import Counter
from functools import partial
from typing import Any, Dict, List

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import (
    ROLES_KEY,
    get_propositions,
    sentence_words,
    set_propositions,
)
from spacy_lal.models.roles import iter_scores
from spacy_lal.pipeline import lal_srl
from spacy_lal.trees.roles import Proposition

from . import Report
from .docs import (
    PARSER,
    TOK2VEC,
    Recipe,
    groups_of,
    holds,
    make_doc,
    random_recipe,
    same,
)
from .docs import make_nlp as make_parser

ROLES = "lal_srl"
LABELS: Dict[str, List[Any]] = {
    "roles": ["V", "ARG0", "ARG1", "C-ARG1", "R-ARG0", "ARGM-TMP", "C-V"],
    "rolesets": ["go.01", "see.01", "see.02"],
    "senses": [["a", [0]], ["see", [1, 2]]],
    "deprels": ["obj", "nsubj"],
}
ENCODER = {
    "@misc": "spacy-lal.RolesEncoder.v1",
    "n_layers": 2,
    "n_heads": 2,
    "head_width": 8,
    "ff_width": 16,
}
SYNTAX = {"@misc": "spacy-lal.SyntaxAttention.v1", "arc_width": 8, "deprel_width": 4}
SPANS = {
    "@misc": "spacy-lal.SpanRoleScorer.v1",
    "vectors_width": 8,
    "predicate_width": 8,
    "hidden_width": 16,
}
SPANS["n_rows"] = 50
# Parts of the model that differ, and options of the component. All words are
# predicates.
KINDS: Dict[str, Dict[str, Any]] = {
    "tags, own heads": {"model": {"syntax": {**SYNTAX, "heads": "own"}}},
    "tags, the Doc's heads": {"model": {"syntax": {**SYNTAX, "heads": "doc"}}},
    "ranges": {"model": {"role_scorer": SPANS}},
    "ranges, given predicates": {"model": {"role_scorer": SPANS}, "predicates": "doc"},
}


def fuzz(n: int, seed: int) -> Report:
    """Find roles on n random Docs in batches of one to six."""
    parser = make_parser()
    nlps = {name: make_nlp(settings) for name, settings in KINDS.items()}
    outcomes: Counter = Counter()
    failures: List[str] = []
    done = number = 0
    while done < n:
        rng = random.Random(f"{seed}-{number}")
        name = rng.choice(list(KINDS))
        recipes = [random_recipe(rng) for _ in range(min(rng.randint(1, 6), n - done))]
        try:
            outcomes.update(
                check(
                    parser,
                    nlps[name],
                    recipes,
                    given=KINDS[name].get("predicates") == "doc",
                )
            )
        except Exception as err:  # whatever it is, it is a broken promise
            failures.append(
                f"seed {seed}, batch {number}, {name}: {type(err).__name__}: {err}"
            )
        done, number = done + len(recipes), number + 1
    return Report(
        done,
        ", ".join(f"{count} {what}" for what, count in sorted(outcomes.items())),
        failures,
    )


def make_nlp(settings: Dict[str, Any]) -> Language:
    """A pipeline of `lal_srl` with random weights."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    blocks = {
        "tok2vec": TOK2VEC,
        "encoder": ENCODER,
        "syntax": None,
        **settings["model"],
    }
    model = {"@architectures": "spacy-lal.RolesModel.v1", **blocks}
    pipe: Any = nlp.add_pipe(ROLES, config={**settings, "model": model})
    example = Example.from_dict(nlp.make_doc("a b"), {"sent_starts": [1, -1]})
    pipe.initialize(lambda: [example], labels=LABELS)
    lal_srl.iter_scores = partial(iter_scores, threshold=0.0)
    return nlp


def parsed_doc(parser: Language, recipe: Recipe, *, given: bool) -> Doc:
    """A Doc by its recipe with tags and a parse, and, where they are to be given,
    predicates."""
    doc = make_doc(
        parser, recipe._replace(tags=recipe.tags or ["NN"] * len(recipe.words))
    )
    doc = parser.get_pipe(PARSER)(doc)  # type: ignore[operator]
    if not any(recipe.tags):
        for token in doc:
            token.tag_ = "NN"
    if given:
        words = [i for of_sentence in sentence_words(doc) for i in of_sentence]
        set_propositions(
            doc,
            [
                Proposition(i, "see.01" if i % 2 else "", ((i, i + 1, "V"),))
                for i in words[::3]
            ],
        )
    return doc


def check(
    parser: Language, nlp: Language, recipes: List[Recipe], *, given: bool
) -> Counter:
    """Find roles together and for each Doc alone. RETURNS (Counter): What was found.

    RAISES (AssertionError): Something does not hold.
    """
    pipe: Any = nlp.get_pipe(ROLES)
    originals = [parsed_doc(parser, recipe, given=given) for recipe in recipes]
    docs = list(
        pipe.pipe(
            [parsed_doc(parser, recipe, given=given) for recipe in recipes],
            batch_size=len(recipes),
        )
    )
    outcomes: Counter = Counter()
    for recipe, doc, original in zip(recipes, docs, originals, strict=True):
        found = get_propositions(doc)
        same(
            "alone and in a batch",
            get_propositions(pipe(parsed_doc(parser, recipe, given=given))),
            found,
        )
        same(
            "tokens",
            [token.text_with_ws for token in doc],
            [token.text_with_ws for token in original],
        )
        same(
            "heads",
            [(token.head.i, token.dep_) for token in doc],
            [(t.head.i, t.dep_) for t in original],
        )
        kept = [
            {key: spans for key, spans in groups_of(one).items() if key != ROLES_KEY}
            for one in (doc, original)
        ]
        same("other span groups", *kept)
        if given:
            before = get_propositions(original)
            same(
                "given predicates",
                [one.token for one in found],
                [one.token for one in before],
            )
            kept_rolesets = [
                (one.roleset, new.roleset)
                for one, new in zip(before, found, strict=True)
                if one.roleset
            ]
            holds("given rolesets", all(old == new for old, new in kept_rolesets))
        check_propositions(doc, found)
        same(
            "stored and read",
            get_propositions(Doc(doc.vocab).from_bytes(doc.to_bytes())),
            found,
        )
        outcomes.update(
            {
                "predicates": len(found),
                "arguments": sum(len(one.args) - 1 for one in found),
            }
        )
    return outcomes


def check_propositions(doc: Doc, found: List[Proposition]) -> None:
    """Each predicate lies in its only V. Arguments are disjoint, in the sentence, and
    begin and end with words. Core roles occur once."""
    sentence_of = {i: set(words) for words in sentence_words(doc) for i in words}
    same(
        "predicates in order",
        [one.token for one in found],
        sorted({one.token for one in found}),
    )
    for one in found:
        words = sentence_of[one.token]
        taken = [i for start, end, _ in one.args for i in range(start, end)]
        same("words of one argument", len(taken), len(set(taken)))
        holds(
            "words at both ends",
            all({start, end - 1} <= words for start, end, _ in one.args),
        )
        verbs = [(start, end) for start, end, role in one.args if role == "V"]
        holds(
            "one V with the predicate",
            len(verbs) == 1 and verbs[0][0] <= one.token < verbs[0][1],
        )
        core = [role for _, _, role in one.args if role in ("ARG0", "ARG1")]
        same("core roles", len(core), len(set(core)))
        holds("known roles", all(role in LABELS["roles"] for _, _, role in one.args))
