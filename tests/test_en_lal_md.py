"""The bundled pipeline as it is installed: real sentences with known trees. A checkout
without packages/en_lal_md-* has nothing to test here; one with it must have it
installed."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import textwrap
from importlib.metadata import version
from pathlib import Path
from typing import Any, List, Tuple

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model_from_config

from spacy_lal.interpret import constituent_margins

NAME = "en_lal_md"
PACKAGES = sorted(
    (Path(__file__).resolve().parent.parent / "packages").glob(f"{NAME}-*")
)
MAX_MEGABYTES = 75
MAX_MEGABYTES_SMALL = 32
MAX_MEGABYTES_LARGE = 100
__test__ = bool(PACKAGES)  # what pytest asks a module

# Sentences whose trees nobody disputes: brackets of the Penn Treebank, heads (words
# counted from 1, 0 for the root) and deprels of Universal Dependencies, without their
# subtypes.
SENTENCES: List[Tuple[str, List[int], List[str]]] = [
    (
        "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps) (PP (IN on) (NP (DT the) "
        "(NN mat)))) (. .))",
        [3, 3, 4, 0, 7, 7, 4, 4],
        ["det", "amod", "nsubj", "root", "case", "det", "obl", "punct"],
    ),
    (
        "(S (NP (PRP She)) (VP (VBD gave) (NP (PRP him)) (NP (DT a) (NN book))) (. .))",
        [2, 0, 2, 5, 2, 2],
        ["nsubj", "root", "iobj", "det", "obj", "punct"],
    ),
    (
        "(S (NP (PRP We)) (VP (VBD did) (RB not) (VP (VB see) (NP (DT the) (NN "
        "dog)))) (. .))",
        [4, 4, 4, 0, 6, 4, 4],
        ["nsubj", "aux", "advmod", "root", "det", "obj", "punct"],
    ),
    (
        "(S (NP (PRP I)) (VP (VBP think) (SBAR (IN that) (S (NP (PRP he)) (VP (VBZ "
        "is) (ADJP (JJ right)))))) (. .))",
        [2, 0, 6, 6, 6, 2, 2],
        ["nsubj", "root", "mark", "nsubj", "cop", "ccomp", "punct"],
    ),
    (
        "(S (NP (NNP John) (CC and) (NNP Mary)) (VP (VBP live) (PP (IN in) (NP (NNP "
        "Paris)))) (. .))",
        [4, 3, 1, 0, 6, 4, 4],
        ["nsubj", "cc", "conj", "root", "case", "obl", "punct"],
    ),
    (
        "(S (NP (DT The) (NN letter)) (VP (VBD was) (VP (VBN written) (PP (IN by) (NP "
        "(DT a) (NN lawyer))))) (. .))",
        [2, 4, 4, 0, 7, 7, 4, 4],
        ["det", "nsubj", "aux", "root", "case", "det", "obl", "punct"],
    ),
    (
        "(S (NP (PRP He)) (VP (VBZ wants) (S (VP (TO to) (VP (VB buy) (NP (DT a) (JJ "
        "new) (NN car)))))) (. .))",
        [2, 0, 4, 2, 7, 7, 4, 2],
        ["nsubj", "root", "mark", "xcomp", "det", "amod", "obj", "punct"],
    ),
    (
        "(S (NP (NP (DT The) (NN man)) (SBAR (WHNP (WP who)) (S (VP (VBZ lives) (ADVP "
        "(RB here))))))"
        " (VP (VBZ is) (NP (DT a) (NN doctor))) (. .))",
        [2, 8, 4, 2, 4, 8, 8, 0, 8],
        ["det", "nsubj", "nsubj", "acl", "advmod", "cop", "det", "root", "punct"],
    ),
    (  # brackets have a clause "us leave ...", whose words both depend on "made"
        "(S (NP (PRP They)) (VP (VBD made) (S (NP (PRP us)) (VP (VB leave) (NP (DT "
        "the) (NN house))))) (. .))",
        [2, 0, 2, 2, 6, 4, 2],
        ["nsubj", "root", "obj", "xcomp", "det", "obj", "punct"],
    ),
]


def words(tree: str) -> List[str]:
    return [part.split(")")[0] for part in tree.split() if not part.startswith("(")]


def text_of(tree: str) -> str:
    return " ".join(words(tree)).replace(" .", ".")


TEXTS = [text_of(tree) for tree, _, _ in SENTENCES]


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.load(NAME)


def arcs(doc: Doc) -> List[Tuple[int, str]]:
    return [
        (0 if token.head.i == token.i else token.head.i + 1, token.dep_)
        for token in doc
    ]


def constituents(doc: Doc) -> List[Tuple[int, int, str]]:
    return [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]


def as_sentences(nlp: Language) -> List[Doc]:
    """The texts as one sentence each, whatever splits sentences."""
    docs = []
    for tree, _, _ in SENTENCES:
        tokens = words(tree)
        spaces = [True] * (len(tokens) - 2) + [False, False]
        docs.append(
            Doc(
                nlp.vocab,
                words=tokens,
                spaces=spaces,
                sent_starts=[i == 0 for i in range(len(tokens))],
            )
        )
    return list(nlp.pipe(docs))


@pytest.mark.parametrize("tree, heads, deprels", SENTENCES, ids=TEXTS)
def test_known_trees(nlp: Language, tree: str, heads: List[int], deprels: List[str]):
    doc = nlp(text_of(tree))
    assert doc._.parse_string == tree
    assert [head for head, _ in arcs(doc)] == heads
    assert [deprel.split(":")[0].lower() for _, deprel in arcs(doc)] == deprels


@pytest.mark.parametrize("tree, heads, deprels", SENTENCES, ids=TEXTS)
def test_as_people_type(nlp: Language, tree: str, heads: List[int], deprels: List[str]):
    """In lower case, without the full stop."""
    doc = nlp(text_of(tree).lower().removesuffix("."))
    lower = re.sub(r"[^ ()]+\)", lambda word: word[0].lower(), tree)
    assert doc._.parse_string == lower.replace(" (. .)", "")
    assert [head for head, _ in arcs(doc)] == heads[:-1]
    assert [deprel.split(":")[0].lower() for _, deprel in arcs(doc)] == deprels[:-1]


def test_all_in_one_text(nlp: Language):
    doc = nlp(" ".join(TEXTS))
    assert [sent.text for sent in doc.sents] == TEXTS
    assert doc._.parse_string.splitlines() == [tree for tree, _, _ in SENTENCES]


def test_the_larger_pipeline():
    """Loaded from its folder: `make test` does not install it."""
    (folder,) = PACKAGES[0].parent.glob("en_lal_lg-*/en_lal_lg/en_lal_lg-*")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MAX_MEGABYTES_LARGE * 1e6
    nlp = spacy.load(folder)
    docs = list(nlp.pipe([*TEXTS, "They made us wait for an hour."]))
    assert [token.lemma_ for token in nlp("The p53 gene")] == ["the", "p53", "gene"]
    assert [len(doc._.units) for doc in nlp.pipe(["If it rains, we stay."])] == [2]
    assert [doc._.parse_string for doc in docs[:-1]] == [
        tree for tree, _, _ in SENTENCES
    ]
    assert docs[-1][3].dep_ == "xcomp"


def test_the_smaller_pipeline():
    """Loaded from its folder, likewise."""
    (package,) = PACKAGES[0].parent.glob("en_lal_sm-*")
    files = [path for path in (package / "en_lal_sm").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MAX_MEGABYTES_SMALL * 1e6
    (folder,) = package.glob("en_lal_sm/en_lal_sm-*")
    nlp = spacy.load(folder)
    docs = list(nlp.pipe(TEXTS))
    assert [token.lemma_ for token in nlp("The p53 and IL-2 genes")] == (
        ["the", "p53", "and", "IL", "-", "2", "gene"]
    )
    assert [token.lemma_ for token in nlp("What's she bought?")][1] == "have"
    assert [len(doc._.units) for doc in nlp.pipe(["If it rains, we stay."])] == [2]
    (fact,) = next(nlp("The dog barked.").sents)._.relations
    assert fact.factuality_score > 0.8 and 0 < fact.confidence < 1
    assert [doc._.parse_string for doc in docs] == [tree for tree, _, _ in SENTENCES]
    (gave,) = docs[1]._.predicates
    described = {one.role: (one.span.text, one.description) for one in gave.arguments}
    assert described["ARG1"] == ("a book", "thing given")


def test_it_is_the_one_of_this_checkout(tmp_path: Path):
    (folder,) = PACKAGES
    meta = json.loads((folder / "meta.json").read_text(encoding="utf8"))
    assert version(NAME) == meta["version"] == folder.name.removeprefix(f"{NAME}-")
    assert spacy.load(NAME).meta["checksums"] == meta["checksums"]
    assert meta["license"] == "CC BY-SA 4.0" and meta["sources"] and meta["description"]
    assert {"ewt", "gum"} <= set(meta["performance"])
    wheel = Path(shutil.make_archive(str(tmp_path / "wheel"), "zip", folder / NAME))
    assert wheel.stat().st_size <= MAX_MEGABYTES * 1e6


OFFLINE = """
import os, socket
os.environ["HF_HUB_OFFLINE"] = "1"
def refuse(*args, **kwargs):
    raise OSError("no network in this test")
socket.socket.connect = refuse
import spacy
print(spacy.load("en_lal_md")("The old cat sleeps.")._.parse_string)
"""


def test_it_needs_no_network(tmp_path: Path):
    environment: Any = {**os.environ, "HF_HOME": str(tmp_path)}
    command = [sys.executable, "-c", OFFLINE]
    result = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert (
        result.stdout == "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBZ sleeps)) (. .))\n"
    )


def test_its_parser_elsewhere(nlp: Language, tmp_path: Path):
    """Taken by default, sourced, and saved with either: the trees and arcs that it
    finds at home."""
    expected = [(constituents(doc), arcs(doc)) for doc in as_sentences(nlp)]
    default, sourced = spacy.blank("en"), spacy.blank("en")
    default.add_pipe("lal_parser")
    source = spacy.load(NAME)
    source.replace_listeners("encoder", "lal_parser", ["model.tok2vec.*.transformer"])
    sourced.add_pipe("lal_parser", source=source)
    config = spacy.blank("en").config  # with the path that spaCy's W087 suggests
    config["nlp"]["pipeline"] = ["lal_parser"]
    config["components"]["lal_parser"] = {
        "source": NAME,
        "replace_listeners": ["model.tok2vec"],
    }
    configured = load_model_from_config(config, auto_fill=True)
    for name, other in (
        ("default", default),
        ("sourced", sourced),
        ("configured", configured),
    ):
        assert [
            (constituents(doc), arcs(doc)) for doc in as_sentences(other)
        ] == expected
        other.to_disk(tmp_path / name)
        loaded = spacy.load(tmp_path / name)
        assert [
            (constituents(doc), arcs(doc)) for doc in as_sentences(loaded)
        ] == expected


def test_saved_again_it_finds_the_same(nlp: Language, tmp_path: Path):
    expected = [(doc._.parse_string, arcs(doc)) for doc in nlp.pipe(TEXTS)]
    nlp.to_disk(tmp_path)
    assert len(nlp.to_bytes()) <= sum(
        path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()
    )
    assert [
        (doc._.parse_string, arcs(doc)) for doc in spacy.load(tmp_path).pipe(TEXTS)
    ] == expected


def test_torch_runs_the_same_weights():
    """What a GPU does, on a CPU."""
    nlp = spacy.load(NAME, config={"components.encoder.model.runtime": "onnx"})
    other = spacy.load(NAME, config={"components.encoder.model.runtime": "torch"})
    for name in ("lal_parser", "lal_srl"):
        shim: Any = other.get_pipe(name).model.layers[-1].shims[0]
        assert shim.inference is not None
        shim.task.build_inference = lambda *_: None
        shim.made = None
        assert shim.network and shim.inference is None
    for one, ours in zip(
        other.pipe([*TEXTS, *ROLES]), nlp.pipe([*TEXTS, *ROLES]), strict=True
    ):
        assert (one._.parse_string, arcs(one), one._.srl) == (
            ours._.parse_string,
            arcs(ours),
            ours._.srl,
        )
        numpy.testing.assert_allclose(one.tensor, ours.tensor, atol=2e-4)


def test_docs_without_vectors_are_small_and_still_explained(nlp: Language):
    """What docs/how_to/usage.md says of `doc_cleaner`."""
    whole = nlp(TEXTS[0])
    nlp.add_pipe("doc_cleaner", config={"attrs": {"tensor": None}})
    try:
        small = nlp(TEXTS[0])
        assert constituents(small) == constituents(whole) and arcs(small) == arcs(whole)
        assert len(small.to_bytes()) < len(whole.to_bytes()) / 5
        margins = [constituent_margins(nlp, next(doc.sents)) for doc in (small, whole)]
        assert [m.margin for m in margins[0]] == pytest.approx(
            [m.margin for m in margins[1]], abs=1e-4
        )
    finally:
        nlp.remove_pipe("doc_cleaner")


def test_words_have_upos_features_and_lemmas(nlp: Language):
    doc = nlp("The mice were running.  We saw them, and she didn't laugh.")
    assert [token.pos_ for token in doc][:6] == [
        "DET",
        "NOUN",
        "AUX",
        "VERB",
        "PUNCT",
        "SPACE",
    ]
    lemmas = {token.text: token.lemma_ for token in doc}
    assert [lemmas[word] for word in ("mice", "were", "saw", "them", "n't")] == [
        "mouse",
        "be",
        "see",
        "they",
        "not",
    ]
    features = {token.text: token.morph.to_dict() for token in doc}
    assert features["mice"]["Number"] == "Plur" and features["them"]["Case"] == "Acc"
    assert (features["saw"]["Number"], features["saw"]["Person"]) == ("Plur", "1")
    assert doc[5].is_space and doc[5].tag_ == "_SP" and not doc[5].morph


def test_noun_chunks(nlp: Language, tmp_path: Path):
    """From constituents; and in another English pipeline, whose own deprels give as
    many (the issue's case)."""
    text = (
        "Autonomous cars shift insurance liability toward manufacturers, and the old "
        "dog's food is on the table."
    )
    expected = [
        "Autonomous cars",
        "insurance liability",
        "manufacturers",
        "the old dog's food",
        "the table",
    ]
    assert [chunk.text for chunk in nlp(text).noun_chunks] == expected
    other = spacy.blank("en")
    other.add_pipe("sentencizer")
    other.add_pipe("lal_parser")
    assert [chunk.text for chunk in other(text).noun_chunks] == expected
    assert [
        chunk.text for doc in nlp.pipe([text], n_process=2) for chunk in doc.noun_chunks
    ] == expected


ROLES = {
    "She gave him the book that he had asked for.": [
        (
            "gave",
            "give.01",
            [
                ("ARG0", "She"),
                ("ARG2", "him"),
                ("ARG1", "the book that he had asked for"),
            ],
        )
    ],
    "The window was broken by the storm.": [
        ("broken", "break.01", [("ARG1", "The window"), ("ARG0", "by the storm")])
    ],
    "What did you eat yesterday in Paris?": [
        (
            "eat",
            "eat.01",
            [
                ("ARG1", "What"),
                ("ARG0", "you"),
                ("ARGM-TMP", "yesterday"),
                ("ARGM-LOC", "in Paris"),
            ],
        )
    ],
}


def roles(doc: Doc) -> List[Tuple[str, str, List[Tuple[str, str]]]]:
    return [
        (
            one.token.text,
            one.roleset,
            [(arg.role, arg.span.text) for arg in one.arguments],
        )
        for one in doc._.predicates
        if not one.is_auxiliary
    ]


@pytest.mark.parametrize("text", ROLES)
def test_known_roles(nlp: Language, text: str):
    assert roles(nlp(text))[:1] == ROLES[text]


@pytest.mark.parametrize(
    "text, verb, thing, predicate",
    [
        ("The news made Tom sad.", "made", "Tom", "sad"),
        ("The sun made the water hot.", "made", "water", "hot"),
        ("They called the dog Rex.", "called", "dog", "Rex"),
        ("He found the book boring.", "found", "book", "boring"),
        ("We kept the room warm.", "kept", "room", "warm"),
    ],
)
def test_an_object_has_a_complement(
    nlp: Language, text: str, verb: str, thing: str, predicate: str
):
    arcs = {token.text: (token.dep_, token.head.text) for token in nlp(text)}
    assert arcs[thing] == ("obj", verb) and arcs[predicate] == ("xcomp", verb)


# The verb, its subject's role and phrase: no comma after the phrase is a part of it.
SUBJECTS_BEFORE_COMMAS = {
    "Anna, my neighbour, bought a car.": ("bought", "ARG0", "Anna, my neighbour"),
    "The company, based in Oslo, sells fish.": (
        "sells",
        "ARG0",
        "The company, based in Oslo",
    ),
    "The bridge, built in 1900, connects both towns.": (
        "connects",
        "ARG0",
        "The bridge, built in 1900",
    ),
    "The law, passed in May, bans plastic bags.": (
        "bans",
        "ARG0",
        "The law, passed in May",
    ),
    "The president, Joe Biden, signed the bill.": (
        "signed",
        "ARG0",
        "The president, Joe Biden",
    ),
    "The old house, damaged by fire, cost a fortune.": (
        "cost",
        "ARG1",
        "The old house, damaged by fire",
    ),
}


@pytest.mark.parametrize("text", SUBJECTS_BEFORE_COMMAS)
def test_a_subject_before_a_comma_has_its_role(nlp: Language, text: str):
    found = [
        (word, role, phrase)
        for word, _, arguments in roles(nlp(text))
        for role, phrase in arguments
    ]
    assert SUBJECTS_BEFORE_COMMAS[text] in found


PARAGRAPHS = [
    "When the museum reopened in March, Dr. Helen Ortiz of St. Mary's College gave a "
    "short talk about the maps that "
    "her father had collected. Few of the visitors who came that evening knew how old "
    "they were. One, drawn in 1672 by "
    "a sailor from Lisbon, shows rivers that nobody else had seen; another was bought "
    "for $2.50 at a market. She hopes "
    "to print them all by next year, but the costs, she says, have gone up since Mr. "
    "Lee left the board. "
    "Would anyone help?",
    "I have used this phone for six months and I am still happy with it, although the "
    "battery isn't as good as they "
    "said. You can charge it in about 45 minutes, e.g. while you eat. My wife wanted "
    "the red one, so we went back to "
    "the shop on Friday and the people there were really nice about it! They gave us "
    "our money back and didn't ask "
    "any questions. If you need something cheap that just works, take it. If you take "
    "a lot of pictures, look for "
    "something else, because at night it can't see a thing.",
]


def whole_parse(doc: Doc) -> Tuple[List[Any], List[str], List[Any]]:
    """All annotations of a Doc, without white space."""
    words = [token for token in doc if not token.is_space]
    places = {token.i: number for number, token in enumerate(words)}
    return (
        [
            (
                t.text,
                t.tag_,
                t.pos_,
                str(t.morph),
                t.lemma_,
                t.dep_,
                places[t.head.i],
                t.is_sent_start,
            )
            for t in words
        ],
        [sent._.parse_string for sent in doc.sents],
        [
            (one.roleset, [(arg.role, arg.span.text.split()) for arg in one.arguments])
            for one in doc._.predicates
        ],
    )


@pytest.mark.parametrize("paragraph", PARAGRAPHS)
def test_line_breaks_within_a_paragraph_leave_the_parse_as_it_is(
    nlp: Language, paragraph: str
):
    rng = random.Random(45)
    texts = [
        textwrap.fill(paragraph, rng.randint(40, 90), break_on_hyphens=False)
        for _ in range(6)
    ]
    whole, *wrapped = map(whole_parse, nlp.pipe([paragraph, *texts]))
    assert len(whole[1]) in (5, 6) and all(one == whole for one in wrapped)


def test_roles_are_described(nlp: Language):
    (give, *_) = nlp("She gave him a book.")._.predicates
    assert give.description == "transfer"
    assert [arg.description for arg in give.arguments] == [
        "giver",
        "entity given to",
        "thing given",
    ]
    words = [
        "They",
        "yeeted",
        "it",
        "after",
        "we",
        "had",
        "fled",
        "and",
        "took",
        "a",
        "walk",
        ".",
    ]
    known = {
        one.roleset: one.has_frame
        for one in nlp(Doc(nlp.vocab, words=words))._.predicates
    }
    assert known.pop("yeet.01") is False and "flee.05" in known and all(known.values())


def test_roles_alone_in_batches_and_in_other_processes(nlp: Language):
    texts = [*ROLES, *TEXTS, "", "  ", "\N{GRINNING FACE}"]
    alone = [roles(nlp(text)) for text in texts]
    assert [roles(doc) for doc in nlp.pipe(texts, batch_size=4)] == alone
    assert [roles(doc) for doc in nlp.pipe(texts, n_process=2)] == alone
