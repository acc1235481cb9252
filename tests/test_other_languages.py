"""The bundled pipelines of other languages as they are installed, and as the parsers of
blank pipelines."""

import json
import logging
from importlib.metadata import version
from pathlib import Path
from typing import Any, List, NamedTuple, Set

import pytest
import spacy
from spacy.tokens import Doc


class Bundled(NamedTuple):
    """A sentence and its right parse; licences of the sources; the size that a package
    may have."""

    name: str
    text: str
    tree: str
    arcs: str
    pos: str
    licences: Set[str]
    max_bytes: int


SENTENCES = Path(__file__).parent / "data" / "lemmas" / "is_sentences.txt"
BUNDLED = {
    "is": Bundled(
        "is_lal_md",
        "Hún las bókina í gær.",  # She read the book yesterday.
        "(S0 (S (IP (NP (pfn_et_nf_kvk_p3 Hún)) (VP (VP (so_1_þf_fh_p3_et_þt_gm las)) "
        "(NP (no_et_þf_kvk_gr bókina))"
        " (ADVP (ao í) (ao gær))))) (grm .))",
        "nsubj:las ROOT:las obj:las advmod:las fixed:í punct:las",
        "PRON VERB NOUN ADV ADV PUNCT",
        {"CC BY 4.0", "CC BY-SA 4.0", "MIT"},
        40_000_000,
    ),
    "fr": Bundled(
        "fr_lal_md",
        "Le vieux chat dort sur le tapis.",
        "(SENT (NP (DET Le) (ADJ vieux) (NC chat)) (VN (V dort)) (PP (P sur) (NP (DET "
        "le) (NC tapis))) (PONCT .))",
        "det:chat amod:chat nsubj:dort ROOT:dort case:tapis det:tapis obl:mod:dort "
        "punct:dort",
        "DET ADJ NOUN VERB ADP DET NOUN PUNCT",
        {"LGPL-LR", "CC BY-SA 4.0", "CC BY-SA 3.0", "MIT"},
        40_000_000,
    ),
    "id": Bundled(
        "id_lal_md",
        "Ibunya membaca buku itu di rumah.",  # His mother reads that book at home.
        "(S (NP (NNO Ibu) (PRK nya)) (VP (VBT membaca) (NP (NNO buku) (ART itu)) "
        "(PP (PPO di) (NNO rumah))) (PUN .))",
        "nsubj:membaca nmod:poss:Ibu ROOT:membaca obj:membaca det:buku case:rumah "
        "obl:membaca punct:membaca",
        "NOUN PRON VERB NOUN DET ADP NOUN PUNCT",
        {"CC BY-SA 4.0", "CC BY-SA 3.0", "MIT"},
        33_000_000,
    ),
}


@pytest.fixture(params=BUNDLED)
def lang(request: Any) -> str:
    return request.param


def test_a_simple_sentence(lang: str):
    expected, doc = BUNDLED[lang], spacy.load(BUNDLED[lang].name)(BUNDLED[lang].text)
    assert doc._.parse_string == expected.tree
    assert " ".join(f"{token.dep_}:{token.head.text}" for token in doc) == expected.arcs
    assert " ".join(token.pos_ for token in doc) == expected.pos


@pytest.mark.parametrize(
    ("lang", "text", "lemmas"),
    [
        ("fr", "Les enfants mangent une pomme.", "le enfant manger un pomme ."),
        ("fr", "Paul boit du lait.", "Paul boire de lait ."),
        ("fr", "Ils prennent le train.", "eux prendre le train ."),
        ("fr", "Il viendra demain.", "lui venir demain ."),
        ("id", "Ibu membeli ikan di pasar.", "ibu beli ikan di pasar ."),
        ("is", "Hún keypti bækurnar.", "hún kaupa bók ."),
        ("is", "Börnin sváfu í tjaldi.", "barn sofa í tjald ."),
    ],
)
def test_lemmas(lang: str, text: str, lemmas: str):
    doc = spacy.load(BUNDLED[lang].name)(text)
    assert " ".join(token.lemma_ for token in doc) == lemmas


def test_lemmas_in_plain_sentences_of_icelandic():
    """At most 4 % of the nouns and verbs of 50 sentences are wrong."""
    lines = SENTENCES.read_text(encoding="utf8").splitlines()
    texts, answers = zip(*(line.split("\t") for line in lines), strict=True)
    wrong = []
    n_words = 0
    for doc, answer in zip(spacy.load("is_lal_md").pipe(texts), answers, strict=True):
        lemmas = {token.text: token.lemma_ for token in doc}
        for pair in answer.split():
            form, lemma = pair.split("=")
            n_words += 1
            if lemmas[form] != lemma:
                wrong.append((form, lemmas[form]))
    assert n_words == 173
    assert len(wrong) <= 0.04 * n_words, wrong


@pytest.mark.parametrize(
    ("text", "pronoun", "verb"),
    [
        ("Nous a-t-elle précisé ceci ?", "-t-elle", "précisé"),
        ("A-t-il mangé ?", "-t-il", "mangé"),
        ("Viendra-t-elle ?", "-t-elle", "Viendra"),
        ("Ont-ils fini ?", "-ils", "fini"),
        ("Peut-on entrer ?", "-on", "Peut"),
        ("Que faisons-nous ?", "-nous", "faisons"),
        ("Où va-t-il ?", "-t-il", "va"),
        ("Peut-il venir ?", "-il", "Peut"),
    ],
)
def test_a_pronoun_after_its_verb_is_its_subject(text: str, pronoun: str, verb: str):
    doc = spacy.load("fr_lal_md")(text)
    (subject,) = [token for token in doc if token.text == pronoun]
    assert (subject.dep_, subject.head.text) == ("nsubj", verb)


def test_a_blank_pipeline_takes_its_weights(lang: str, caplog: Any):
    blank = spacy.blank(lang)
    blank.add_pipe("lal_parser")
    expected = spacy.load(BUNDLED[lang].name)(BUNDLED[lang].text)
    words = [token.text for token in expected]
    with caplog.at_level(logging.WARNING, "spacy_lal"):
        doc = blank(
            Doc(
                blank.vocab,
                words=words,
                sent_starts=[True] + [False] * (len(words) - 1),
            )
        )
    assert f"takes the weights of {BUNDLED[lang].name}" in caplog.text
    assert [(token.dep_, token.head.i) for token in doc] == [
        (token.dep_, token.head.i) for token in expected
    ]
    assert [(s.start, s.end, s.label_) for s in doc.spans["constituents"]] == [
        (s.start, s.end, s.label_) for s in expected.spans["constituents"]
    ]


def test_it_is_the_one_of_this_checkout(lang: str):
    name = BUNDLED[lang].name
    (folder,) = (Path(__file__).resolve().parent.parent / "packages").glob(f"{name}-*")
    meta = json.loads((folder / "meta.json").read_text(encoding="utf8"))
    assert version(name) == meta["version"] == folder.name.removeprefix(f"{name}-")
    assert {source["license"] for source in meta["sources"]} == BUNDLED[lang].licences
    assert (
        sum(
            path.stat().st_size for path in (folder / name).rglob("*") if path.is_file()
        )
        < BUNDLED[lang].max_bytes
    )


@pytest.mark.parametrize(
    ("lang", "text", "sentences"),
    [
        (
            "fr",
            "Salut Thomas,\n\nTu viens ce soir ?",
            ["Salut Thomas,\n\n", "Tu viens ce soir ?"],
        ),
        (
            "is",
            "Sæll Jón,\n\nKemurðu í kvöld?",
            ["Sæll Jón,\n\n", "Kemurðu í kvöld?"],
        ),
        (
            "id",
            "Halo Budi,\n\nApakah kamu datang?",
            ["Halo Budi,\n\n", "Apakah kamu datang?"],
        ),
    ],
)
def test_a_sentence_begins_after_a_blank_line(
    lang: str, text: str, sentences: List[str]
):
    doc = spacy.load(BUNDLED[lang].name)(text)
    assert [sent.text for sent in doc.sents] == sentences


@pytest.mark.parametrize(
    "name, text, tag",
    [
        ("fr_lal_md", "« Non ! » cria Paul.", "PONCT"),
        ("fr_lal_md", "Il parle de « crise » économique.", "PONCT"),
        ("is_lal_md", "Hún sagði: „Ég kem á morgun.“", "grm"),
        ("is_lal_md", "Orðið „hús“ er stutt.", "grm"),
    ],
)
def test_quotation_marks_are_marks(name: str, text: str, tag: str):
    marks = [token for token in spacy.load(name)(text) if token.text in "«»„“"]
    assert len(marks) == 2
    assert {(mark.tag_, mark.pos_, mark.dep_) for mark in marks} == {
        (tag, "PUNCT", "punct")
    }
    assert all(mark.lemma_ == mark.text for mark in marks)


@pytest.mark.parametrize("text", ["Dites-le-leur.", "Parle-lui.", "Allons-y."])
def test_a_pronoun_that_a_hyphen_joins_to_a_verb_is_never_its_subject(text: str):
    doc = spacy.load("fr_lal_md")(text)
    assert (doc[-2].dep_, doc[-2].head) == ("iobj", doc[0])
