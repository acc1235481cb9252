"""Random Docs through a small untrained parser: whatever the words, sentences and
annotations, is the outcome sound?

A pipeline has one of the policies and decoders of `PARSERS`. Docs have words of random
characters, white space among them, random sentences, and often heads, tags, entities
and span groups that others wrote. Checked are the structure of the parse, what must not
change, the exports, and that a Doc has the same parse alone and in a batch."""

import random
import unicodedata
import warnings
from collections import Counter
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import spacy
from nltk.tree import Tree
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_lal.annotations import (
    MAX_LENGTH,
    METHODS_KEY,
    ROOT_DEPREL,
    SPANS_KEY,
    WHITESPACE_DEPREL,
    sentence_bounds,
    sentence_words,
    set_sentence_starts,
)
from spacy_lal.export import read_parses, to_conllu
from spacy_lal.trees import Constituent, nested_spans
from spacy_lal.trees.brackets import escape_word
from spacy_lal.trees.conllu import read_conllu

from . import Report, run_cases

PARSER = "lal_parser"
LABELS: Dict[str, List[str]] = {
    "constituents": ["S", "NP", "VP", "S::VP", "X:Y", "("],
    "deprels": [ROOT_DEPREL, "nsubj", "obj", WHITESPACE_DEPREL, "parataxis"],
    "tags": [],
    "chars": [],
}
SEPARATE = {"@misc": "spacy-lal.separate_decoder.v1", "arcs": "mst"}
JOINT = {"@misc": "spacy-lal.joint_decoder.v1", "disagreement_cost": 0.0}
# Settings of the component, and whether its arcs are projective.
PARSERS: Dict[str, Tuple[Dict[str, Any], bool]] = {
    "default": ({}, True),
    "joint, with disagreements": ({"decoder": JOINT}, True),
    "mst": ({"decoder": SEPARATE}, False),
    "keeping": ({"overwrite": False}, True),
}
TOK2VEC: Dict[str, Any] = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 16,
    "depth": 1,
    "embed_size": 200,
}
TOK2VEC.update(
    window_size=1, maxout_pieces=2, subword_features=True, pretrained_vectors=None
)
OF_LONG = 0.03  # of Docs: one sentence, parsed in pieces
SPACES = [" ", "\n", "\t\n", "\u00a0", "\u3000"]
FAMILY = "\U0001f468\u200d\U0001f469"
ODD = [
    "(",
    ")",
    "-LRB-",
    "a\\",
    "\\",
    "a b",
    "e\u0301",
    "\u202e",
    "\u200b",
    "\x1b[31m",
    "\x00",
    FAMILY,
    '"',
    "#",
    "_",
]
RANGES = [
    (0x20, 0x7F),
    (0xA1, 0x250),
    (0x300, 0x370),
    (0x590, 0x700),
    (0x2000, 0x2070),
    (0x4E00, 0x4F00),
]
RANGES.append((0x1F600, 0x1F650))


class Recipe(NamedTuple):
    """What a Doc is made of, so that it can be made twice.

    sentences (List[int]): The token with which each begins. heads (Optional): Of each
    token, with deprels."""

    words: List[str]
    spaces: List[bool]
    sentences: List[int]
    heads: List[int]
    tags: List[str]
    groups: Dict[str, List[Tuple[int, int, str]]]


def fuzz(n: int, seed: int) -> Report:
    """Parse n batches of one to three random Docs."""
    nlps = {name: make_nlp(**settings) for name, (settings, _) in PARSERS.items()}

    def parse(rng: random.Random, notes: List[str]) -> Counter:
        name = rng.choice(list(PARSERS))
        notes.append(name)
        recipes = [random_recipe(rng) for _ in range(rng.randint(1, 3))]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "a sentence has more than")
            return check(nlps[name], recipes, projective=PARSERS[name][1])

    return run_cases(n, seed, parse)


def make_nlp(**settings: Any) -> Language:
    """A pipeline of a parser with random weights."""
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank("en")
    layer = {
        "@misc": "spacy-lal.SelfAttentionLayer.v1",
        "n_heads": 2,
        "attn_width": 8,
        "ff_width": 16,
    }
    model = {
        "hidden_width": 16,
        "tok2vec": TOK2VEC,
        "encoder": {"@misc": "spacy-lal.Encoder.v1", "*": {"layer": layer}},
    }
    pipe: Any = nlp.add_pipe(PARSER, config={"model": model, **settings})
    example = Example.from_dict(nlp.make_doc("a b"), {"sent_starts": [1, -1]})
    pipe.initialize(lambda: [example], labels=LABELS)
    return nlp


# Docs


def random_recipe(rng: random.Random) -> Recipe:
    """An empty Doc, a few tokens, or some sentences; sometimes a long sentence."""
    n = rng.choice(
        [0, 1, 2, rng.randint(3, 12), rng.randint(3, 40), rng.randint(40, 120)]
    )
    white = rng.choice([0.0, 0.1, 0.5, 1.0])
    many = rng.choice([0.0, 0.05, 0.2, 1.0])
    if rng.random() < OF_LONG:
        n = rng.randint(MAX_LENGTH + 1, MAX_LENGTH + 50)
        white = many = 0.0
    words = [
        rng.choice(SPACES) if rng.random() < white else random_word(rng)
        for _ in range(n)
    ]
    sentences = (
        sorted({0, *(i for i in range(1, n) if rng.random() < many)}) if n else []
    )
    heads = _random_heads(rng, n, sentences) if n and rng.random() < 0.3 else []
    tags = (
        [rng.choice(["NN", "VB", "(", ""]) for _ in words] if rng.random() < 0.5 else []
    )
    groups = {
        key: _random_spans(rng, n)
        for key in ("ents", "others", SPANS_KEY, METHODS_KEY)
        if rng.random() < 0.25
    }
    if SPANS_KEY in groups:
        groups[SPANS_KEY] = [
            (start, start + 1, label) for start, _, label in groups[SPANS_KEY]
        ]  # none that cross
    return Recipe(
        words, [rng.random() < 0.7 for _ in words], sentences, heads, tags, groups
    )


def random_word(rng: random.Random) -> str:
    """A word of one to twelve characters, none of them white space, or an odd one;
    seldom a long one."""
    if rng.random() < 0.15:
        return rng.choice(ODD)
    low, high = rng.choice(RANGES)
    word = "".join(
        chr(rng.randrange(low, high))
        for _ in range(rng.choice([1, 2, 5, 12, rng.randint(1, 300)]))
    )
    word = "".join(
        char
        for char in word
        if unicodedata.category(char) != "Cn" and not char.isspace()
    )
    return word or "a"


def _random_heads(rng: random.Random, n: int, sentences: Sequence[int]) -> List[int]:
    """Projective enough for spaCy to keep the sentences: each token depends on one
    before it, the first is the root."""
    heads = []
    for start, end in zip(sentences, [*sentences[1:], n], strict=True):
        heads += [start, *(rng.randint(start, i - 1) for i in range(start + 1, end))]
    return heads


def _random_spans(rng: random.Random, n: int) -> List[Tuple[int, int, str]]:
    starts = sorted(rng.sample(range(n), rng.randint(0, min(n, 5))))
    ends = [*starts[1:], n]
    pairs = zip(starts, ends, strict=True) if starts else ()
    return [(start, rng.randint(start + 1, end), "X") for start, end in pairs]


def make_doc(nlp: Language, recipe: Recipe) -> Doc:
    """A Doc by its recipe."""
    doc = Doc(
        nlp.vocab, words=recipe.words, spaces=recipe.spaces, tags=recipe.tags or None
    )
    if recipe.heads:
        deps = [
            ROOT_DEPREL if head == i else "obj" for i, head in enumerate(recipe.heads)
        ]
        doc = Doc(
            doc.vocab,
            recipe.words,
            recipe.spaces,
            tags=recipe.tags or None,
            heads=recipe.heads,
            deps=deps,
        )
    set_sentence_starts(doc, recipe.sentences)
    for key, spans in recipe.groups.items():
        made = [Span(doc, start, end, label=label) for start, end, label in spans]
        if key == "ents":
            doc.ents = [span for span in made if not span.text.isspace()]
        else:
            doc.spans[key] = made
    return doc


# What must hold


def check(nlp: Language, recipes: Sequence[Recipe], *, projective: bool) -> Counter:
    """Parse Docs together and each alone. RETURNS (Counter): What the parses are like.

    RAISES (AssertionError): Something does not hold.
    """
    parser: Any = nlp.get_pipe(PARSER)
    originals = [make_doc(nlp, recipe) for recipe in recipes]
    docs = list(
        parser.pipe(
            [make_doc(nlp, recipe) for recipe in recipes], batch_size=len(recipes)
        )
    )
    outcomes: Counter = Counter()
    for recipe, doc, original in zip(recipes, docs, originals, strict=True):
        same(
            "alone and in a batch",
            parse_of(parser(make_doc(nlp, recipe))),
            parse_of(doc),
        )
        _check_unchanged(doc, original)
        kept_heads = not parser.overwrite and original.has_annotation("DEP")
        kept_trees = not parser.overwrite and bool(original.spans.get(SPANS_KEY))
        if kept_heads:
            same("kept heads", [token.head.i for token in doc], recipe.heads)
        elif len(doc):
            _check_arcs(doc, projective)
        if kept_trees:
            same(
                "kept constituents",
                groups_of(doc)[SPANS_KEY],
                groups_of(original)[SPANS_KEY],
            )
        elif len(doc):
            _check_trees(doc)
        if len(doc) and not kept_trees:
            _check_exports(doc)
        same(
            "stored and read",
            parse_of(Doc(nlp.vocab).from_bytes(doc.to_bytes())),
            parse_of(doc),
        )
        methods = (
            [str(sent._.parse_method) for sent in doc.sents]
            if len(doc)
            else ["empty Doc"]
        )
        outcomes.update(
            f"sentences {one}" if one != "empty Doc" else "empty Docs"
            for one in methods
        )
    return outcomes


def _check_unchanged(doc: Doc, original: Doc) -> None:
    same("text", doc.text, original.text)
    same(
        "tokens",
        [token.text_with_ws for token in doc],
        [token.text_with_ws for token in original],
    )
    same("sentences", sentence_bounds(doc), sentence_bounds(original))
    same(
        "sents",
        [(sent.start, sent.end) for sent in doc.sents] if len(doc) else [],
        sentence_bounds(original),
    )
    same("tags", [token.tag_ for token in doc], [token.tag_ for token in original])
    same(
        "entities",
        *(
            [(ent.start, ent.end, ent.label_) for ent in one.ents]
            for one in (doc, original)
        ),
    )
    own = (SPANS_KEY, METHODS_KEY)
    kept = [
        {key: spans for key, spans in groups_of(one).items() if key not in own}
        for one in (doc, original)
    ]
    same("other span groups", *kept)


def _check_arcs(doc: Doc, projective: bool) -> None:
    """One tree for each sentence, whose root and no other token is called ROOT."""
    for sent, words in zip(doc.sents, sentence_words(doc), strict=True):
        roots = [token for token in sent if token.head == token]
        same("roots", roots, [sent.root])
        holds("a head in the sentence", all(token.head in sent for token in sent))
        holds(
            "no cycle",
            all(token == roots[0] or roots[0] in token.ancestors for token in sent),
        )
        same(
            "ROOT",
            [token.i for token in sent if token.dep_ == ROOT_DEPREL],
            [roots[0].i],
        )
        holds("a known deprel", all(token.dep_ in LABELS["deprels"] for token in sent))
        holds("a word as root", roots[0].i in words or not words)
        if projective:
            place = {i: k for k, i in enumerate(words)}
            arcs = [
                sorted((place[i], place[doc[i].head.i]))
                for i in words
                if doc[i].head.i != i
            ]
            holds(
                "no crossing arcs",
                not any(a[0] < b[0] < a[1] < b[1] for a in arcs for b in arcs),
            )


def _check_trees(doc: Doc) -> None:
    """Constituents are nested, within their sentence, and begin and end with words;
    getters agree with them."""
    n_found = 0
    for sent, words in zip(doc.sents, sentence_words(doc), strict=True):
        spans = [
            span for span in doc.spans[SPANS_KEY] if sent.start <= span.start < sent.end
        ]
        n_found += len(spans)
        holds(
            "words at both ends",
            all({span.start, span.end - 1} <= set(words) for span in spans),
        )
        inner = [
            Constituent(
                words.index(span.start), words.index(span.end - 1) + 1, span.label_
            )
            for span in spans
        ]
        same("constituents, outer before inner", nested_spans(inner, len(words)), inner)
        if not words:
            same(
                "a sentence of white space",
                (sent._.parse_string, list(sent._.constituents)),
                (None, []),
            )
            continue
        leaves = [escape_word(doc[i].text) for i in words]
        same("leaves", Tree.fromstring(sent._.parse_string).leaves(), leaves)
        nodes = list(sent._.constituents)
        known = {
            label for chain in LABELS["constituents"] for label in chain.split("::")
        }
        holds(
            "known labels",
            all(label in known for node in nodes for label in node._.labels),
        )
        for node in nodes:
            parent = node._.parent
            if parent is None:
                same(
                    "the node without a parent",
                    (node.start, node.end),
                    (words[0], words[-1] + 1),
                )
            else:
                holds("a parent with this child", node in list(parent._.children))
    same("constituents in sentences", n_found, len(doc.spans[SPANS_KEY]))


def _check_exports(doc: Doc) -> None:
    sentences = list(read_parses(doc))
    read = list(read_conllu(to_conllu(doc).splitlines(keepends=True)))
    same("sentences in CoNLL-U", len(read), len(sentences))
    for sentence, found in zip(sentences, read, strict=True):
        same("words in CoNLL-U", found.words, list(sentence.words))
        same(
            "deprels in CoNLL-U",
            [name.replace("root", ROOT_DEPREL) for name in found.deprels],
            sentence.deprels,
        )
        same("heads in CoNLL-U", found.heads, sentence.heads)
        leaves = Tree.fromstring(found.metadata["tree"] or "").leaves()
        same(
            "leaves in CoNLL-U",
            leaves,
            [escape_word(word) for word in sentence.words],
        )


def parse_of(doc: Doc) -> Tuple[Any, ...]:
    """All that a parser says of a Doc."""
    groups = {
        key: spans
        for key, spans in groups_of(doc).items()
        if key in (SPANS_KEY, METHODS_KEY)
    }
    return [(token.head.i, token.dep_, token.is_sent_start) for token in doc], groups


def groups_of(doc: Doc) -> Dict[str, List[Tuple[int, int, str]]]:
    """The span groups of a Doc."""
    return {
        key: [(span.start, span.end, span.label_) for span in group]
        for key, group in doc.spans.items()
    }


def same(what: str, found: object, expected: object) -> None:
    """RAISES (AssertionError): They differ."""
    if found != expected:
        if (
            isinstance(found, list)
            and isinstance(expected, list)
            and len(found) == len(expected)
        ):
            found, expected = next(
                pair for pair in zip(found, expected, strict=True) if pair[0] != pair[1]
            )
        raise AssertionError(
            f"{what}: found {found!r:.200}, expected {expected!r:.200}"
        )


def holds(what: str, is_so: bool) -> None:
    """RAISES (AssertionError): It is not so."""
    if not is_so:
        raise AssertionError(f"expected {what}")
