"""Trained components in a saved pipeline, whose own files stay byte for byte; and the
rules of its attribute_ruler."""

import json
from pathlib import Path

import numpy as np
import pytest
import role_examples
import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example

from spacy_lal.annotations import get_frame

PAST = "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"


def saved(path: Path, *names: str, lemmas: dict[str, str] | None = None) -> Path:
    """A pipeline with trained components; its lemmatizer has seen `lemmas`, too."""
    nlp = spacy.blank("en")
    for name in names:
        nlp.add_pipe(name)
    words = ["We", "saw", "mice"]
    columns = {
        "tags": ["PRP", "VBD", "NNS"],
        "pos": ["PRON", "VERB", "NOUN"],
        "morphs": ["Number=Plur", PAST, "Number=Plur"],
        "lemmas": ["we", "see", "mouse"],
    }
    examples = [
        Example(Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=words, **columns))
    ] * 4
    if lemmas:
        words, others = [*lemmas, "mice"], [*lemmas.values(), "mouse"]
        reference = Doc(nlp.vocab, words=words, lemmas=others)
        examples += [Example(Doc(nlp.vocab, words=words), reference)] * 4
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(path)
    return path


def test_files_stay_and_components_work(script, tmp_path: Path):
    base = saved(tmp_path / "base", "tagger")
    trained = saved(tmp_path / "trained", "morphologizer", "trainable_lemmatizer")
    components = dict.fromkeys(("morphologizer", "trainable_lemmatizer"), trained)
    output = tmp_path / "both"
    script("add_components").add_components(base, output, components, before="tagger")
    for path in (base / "tagger").iterdir():
        assert path.read_bytes() == (output / "tagger" / path.name).read_bytes()
    for node in srsly.msgpack_loads((output / "morphologizer" / "model").read_bytes())[
        "params"
    ]:
        for value in filter(lambda value: value is not None, node.values()):
            assert (
                np.array_equal(value, value.astype(np.float16).astype(np.float32))
                and value.dtype == np.float32
            )
    nlp = spacy.load(output)
    names = [
        "morphologizer",
        "trainable_lemmatizer",
        "attribute_ruler",
        "lal_lemmas",
        "tagger",
    ]
    assert nlp.pipe_names == names
    doc = nlp("We saw mice")
    assert [token.lemma_ for token in doc] == ["we", "see", "mouse"]
    assert [token.pos_ for token in doc] == ["PRON", "VERB", "NOUN"]
    assert nlp("We \n saw")[1].pos_ == "SPACE"


def test_what_is_there_is_replaced(script, tmp_path: Path):
    base = saved(tmp_path / "base", "tagger", "trainable_lemmatizer")
    trained = saved(tmp_path / "trained", "tagger", "morphologizer")
    add = script("add_components").add_components
    add(base, base, dict.fromkeys(("tagger", "morphologizer"), trained))
    (base / "attribute_ruler" / "patterns").unlink()
    add(base, base, {})
    names = ["tagger", "trainable_lemmatizer", "morphologizer", "attribute_ruler"]
    assert spacy.load(base).pipe_names == [*names, "lal_lemmas"]
    assert (base / "attribute_ruler" / "patterns").exists()


def test_normalised_lemmas_are_not_chosen(script, tmp_path: Path):
    lemmas = {"p53": "p0", "third": "#ord#", "10,000": "10000"}
    path = saved(tmp_path / "base", "trainable_lemmatizer", lemmas=lemmas)
    script("add_components").add_components(path, path, {})
    nlp = spacy.load(path, exclude=["lal_lemmas"])
    doc = nlp(Doc(nlp.vocab, words=[*lemmas, "mice"]))
    assert [token.lemma_ for token in doc] == ["p53", "third", "10000", "mouse"]


def test_roles_come_last_with_their_frames(script, tmp_path: Path):
    base = saved(tmp_path / "base", "tagger")
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_srl", config=role_examples.config("none"))
    role_examples.train(
        nlp,
        [role_examples.example(nlp, "gave"), role_examples.example(nlp, "saw")],
        steps=3,
    )
    nlp.to_disk(tmp_path / "roles")
    frame = {
        "roleset": "see.01",
        "frame": "see",
        "name": "view",
        "roles": {"0": ["pag", "viewer"]},
    }
    other = {**frame, "roleset": "swim.01", "frame": "swim"}
    lines = "".join(json.dumps(one) + "\n" for one in (frame, other))
    (tmp_path / "frames.jsonl").write_text(lines, encoding="utf8")
    for learned in (True, False):
        script("add_components").add_components(
            base,
            tmp_path / "both",
            {"lal_srl": tmp_path / "roles"},
            frames=tmp_path / "frames.jsonl",
            learned_frames=learned,
        )
        both = spacy.load(tmp_path / "both")
        assert (get_frame(both.vocab, "swim.01") is None) == learned
    assert both.pipe_names == ["tagger", "lal_srl"]
    assert both.get_pipe("lal_srl").label_data == nlp.get_pipe("lal_srl").label_data
    assert get_frame(both.vocab, "see.01").roles["0"].description == "viewer"


@pytest.mark.parametrize(
    "words, morph, expected",
    [
        (
            ["We", "saw"],
            PAST,
            PAST.replace("Sing", "Plur").replace("Person=3", "Person=1"),
        ),
        (["they", "really", "saw"], PAST, PAST.replace("Sing", "Plur")),
        (["they", "\n", "really", "saw"], PAST, PAST.replace("Sing", "Plur")),
        (["I", "saw"], PAST, PAST.replace("Person=3", "Person=1")),
        (
            ["We", "saw"],
            PAST.replace("|VerbForm", "|Typo=Yes|VerbForm"),
            PAST.replace("|VerbForm", "|Typo=Yes|VerbForm"),
        ),
        (["dogs", "saw"], PAST, PAST),
    ],
)
def test_number_and_person(script, words, morph, expected):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for rule in script("add_components").agreement_patterns():
        ruler.add(**rule)
    tags = ["PRP", *["RB"] * (len(words) - 2), "VBD"]
    doc = ruler(
        Doc(nlp.vocab, words=words, tags=tags, morphs=[*[""] * (len(words) - 1), morph])
    )
    assert str(doc[-1].morph) == expected


@pytest.mark.parametrize(
    "words, tags, deprel, expected",
    [
        (["'s", "she", "bought"], ["VBZ", "PRP", "VBN"], "aux", "have"),
        (["'s", "the", "team", "been"], ["VBZ", "DT", "NN", "VBN"], "aux:pass", "have"),
        (["'s", "it", "made"], ["VBZ", "PRP", "VBN"], "aux:pass", "be"),
        (["'s", "she", "buying"], ["VBZ", "PRP", "VBG"], "aux", "be"),
    ],
)
def test_perfect_questions(script, words, tags, deprel, expected):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for rule in script("add_components").perfect_patterns():
        ruler.add(**rule)
    lemmas = ["be", *words[1:]]
    heads = [len(words) - 1] * len(words)
    deps = [deprel, *["nsubj"] * (len(words) - 2), "ROOT"]
    doc = Doc(nlp.vocab, words, tags=tags, lemmas=lemmas, heads=heads, deps=deps)
    assert ruler(doc)[0].lemma_ == expected


@pytest.mark.parametrize(
    "word, tag, pos, expected",
    [
        ("red", "JJ", "NOUN", ("JJ", "ADJ", "Degree=Pos")),
        ("boat", "NNP", "NOUN", ("NN", "NOUN", "X=Y")),
        ("Act", "NNP", "NOUN", ("NNP", "PROPN", "Number=Sing")),
        ("Star", "NN", "PROPN", ("NNP", "PROPN", "X=Y")),
        ("states", "NNS", "PROPN", ("NNS", "NOUN", "Number=Plur")),
        ("to", "TO", "ADP", ("IN", "ADP", "X=Y")),
        ("something", "NN", "PRON", ("NN", "PRON", "X=Y")),
        ("had", "VBD", "AUX", ("VBD", "AUX", "X=Y")),
        ("red", "JJ", "", ("JJ", "", "X=Y")),
    ],
)
def test_tags_and_upos_agree(script, word, tag, pos, expected):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for rule in script("add_components").consistent_patterns():
        ruler.add(**rule)
    (token,) = ruler(
        Doc(
            nlp.vocab,
            words=[word],
            tags=[tag],
            pos=[pos] if pos else None,
            morphs=["X=Y"],
        )
    )
    assert (token.tag_, token.pos_, str(token.morph)) == expected


@pytest.mark.parametrize(
    "tag, pos, deprel, expected",
    [
        ("NN", "NOUN", "amod", ("JJ", "ADJ", "amod", "Degree=Pos")),
        ("NNP", "PROPN", "amod", ("NNP", "ADJ", "amod", "Degree=Pos")),
        ("VBZ", "VERB", "cop", ("VBZ", "AUX", "cop", "X=Y")),
        ("WDT", "PRON", "mark", ("IN", "SCONJ", "mark", "")),
        ("RB", "ADV", "compound:prt", ("RB", "ADV", "advmod", "X=Y")),
        ("NN", "NOUN", "obj", ("NN", "NOUN", "obj", "X=Y")),
    ],
)
def test_upos_and_deprels_agree(script, tag, pos, deprel, expected):
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("attribute_ruler")
    for rule in script("add_components").deprel_patterns():
        ruler.add(**rule)
    words = {
        "words": ["x", "y"],
        "tags": [tag, "."],
        "pos": [pos, "PUNCT"],
        "morphs": ["X=Y", ""],
    }
    token = ruler(Doc(nlp.vocab, **words, heads=[1, 1], deps=[deprel, "ROOT"]))[0]
    assert (token.tag_, token.pos_, token.dep_, str(token.morph)) == expected
