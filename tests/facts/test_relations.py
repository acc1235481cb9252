"""Relations and clauses of Docs with given heads and roles, by hand."""

from typing import List, Optional, Sequence

import pytest
import spacy
from spacy.tokens import Doc

from spacy_lal.annotations import (
    get_clauses,
    get_relations,
    set_propositions,
    simplify,
)
from spacy_lal.trees.roles import make_proposition

POS = {
    "VB": "VERB",
    "NN": "NOUN",
    "PR": "PRON",
    "WP": "PRON",
    "WD": "PRON",
    "JJ": "ADJ",
    "MD": "AUX",
    "RB": "ADV",
}
POS |= {
    "DT": "DET",
    "IN": "ADP",
    "TO": "PART",
    "CC": "CCONJ",
    "PO": "PART",
    "RP": "ADP",
    "CD": "NUM",
    "EX": "PRON",
}
MAN = (
    "The/DT/1/det man/NN/6/nsubj who/WP/3/nsubj bought/VBD/1/acl:relcl/buy "
    "the/DT/5/det house/NN/3/obj "
    "wanted/VBD/6/ROOT/want to/TO/8/mark sell/VB/6/xcomp it/PRP/8/obj to/IN/13/case "
    "Mary/NNP/13/nmod:poss "
    "'s/POS/11/case brother/NN/8/obl ././6/punct"
)
PAID = (
    "John/NNP/5/nsubj:pass and/CC/2/cc Mary/NNP/0/conj were/VBD/5/aux:pass/be "
    "not/RB/5/advmod paid/VBN/5/ROOT/pay "
    "by/IN/7/case Kim/NNP/5/obl:agent ,/,/10/punct the/DT/10/det owner/NN/7/appos "
    ",/,/13/punct last/JJ/13/amod "
    "year/NN/5/obl:unmarked ././5/punct"
)
COOKED = (
    "She/PRP/1/nsubj cooked/VBD/1/ROOT/cook and/CC/3/cc ate/VBD/1/conj/eat "
    "the/DT/5/det fish/NNS/3/obj"
)
CAME = (
    "She/PRP/1/nsubj came/VBD/1/ROOT/come and/CC/3/cc ate/VBD/1/conj/eat the/DT/5/det "
    "fish/NNS/3/obj"
)
QUOTED = (
    "Paris/NNP/3/nsubj is/VBZ/3/cop/be the/DT/3/det capital/NN/7/ccomp of/IN/5/case "
    "France/NNP/3/nmod ,/,/3/punct "
    "said/VBD/7/ROOT/say Kim/NNP/7/nsubj"
)
HOUSE = (
    "The/DT/1/det house/NN/9/nsubj:pass that/WDT/4/obj he/PRP/4/nsubj "
    "bought/VBD/1/acl:relcl/buy and/CC/7/cc "
    "the/DT/7/det car/NN/1/conj were/VBD/9/aux:pass/be destroyed/VBN/9/ROOT/destroy"
)
TOLD = (
    "It/PRP/1/nsubj told/VBD/1/ROOT/tell us/PRP/1/iobj to/TO/4/mark go/VB/1/xcomp "
    ",/,/8/punct and/CC/8/cc "
    "he/PRP/8/nsubj promised/VBD/1/conj/promise us/PRP/8/iobj to/TO/11/mark "
    "stay/VB/8/xcomp"
)
ACCORDING = (
    "According/VBG/2/case/accord to/IN/0/fixed Kim/NNP/6/obl ,/,/2/punct "
    "he/PRP/6/nsubj must/MD/6/aux give/VB/6/ROOT "
    "up/RP/6/compound:prt smoking/NN/6/obj"
)
GOING = (
    "He/PRP/2/nsubj is/VBZ/2/aux/be going/VBG/2/ROOT/go to/TO/4/mark talk/VB/2/xcomp "
    "to/IN/6/case Mary/NNP/4/obl"
)
CALL = "Call/VB/0/ROOT/call me/PRP/0/obj"
RUINED = (
    "the/DT/1/det city/NN/1/ROOT destroyed/VBN/1/acl/destroy by/IN/4/case "
    "Romans/NNPS/2/obl:agent"
)
THERE = "There/EX/1/expl is/VBZ/1/ROOT/be a/DT/3/det problem/NN/1/nsubj"
NEITHER = (
    "She/PRP/2/nsubj neither/CC/2/cc:preconj smokes/VBZ/2/ROOT/smoke nor/CC/4/cc "
    "drinks/VBZ/2/conj/drink"
)
WHOSE = (
    "the/DT/1/det man/NN/1/ROOT whose/WP$/3/nmod:poss car/NN/7/nsubj:pass and/CC/5/cc "
    "house/NN/3/conj "
    "were/VBD/7/aux:pass/be burned/VBN/1/acl:relcl/burn"
)

ALL_IS = (
    "All/DT/5/nsubj:outer is/VBZ/5/cop/be that/IN/5/mark he/PRP/5/nsubj "
    "is/VBZ/5/cop/be late/JJ/5/ROOT"
)
FROM_HEADS = {
    ALL_IS: [
        "All; is; that he is late",
        "he; is; late",
    ],
    MAN: [
        "The man; bought; the house",
        "The man; wanted; to sell it to Mary 's brother",
        "The man; sell; it",
        "Mary; 's; brother",
    ],
    PAID: ["Kim; paid; John", "Kim; paid; Mary", "Kim; be; the owner"],
    COOKED: ["She; cooked; the fish", "She; ate; the fish"],
    CAME: ["She; came; -", "She; ate; the fish"],
    QUOTED: [
        "Paris; is; the capital of France",
        "Kim; said; Paris is the capital of France",
    ],
    HOUSE: [
        "he; bought; The house",
        "-; destroyed; The house",
        "-; destroyed; the car",
    ],
    TOLD: ["It; told; to go", "us; go; -", "he; promised; to stay", "he; stay; -"],
    ACCORDING: ["he; give up; smoking"],
    GOING: ["He; talk to; Mary"],
    CALL: ["-; Call; me"],
    RUINED: ["Romans; destroyed; the city"],
    THERE: ["a problem; is; -"],
    NEITHER: ["She; smokes; -", "She; drinks; -"],
    WHOSE: [
        "the man; have; car",
        "the man; have; house",
        "-; burned; whose car",
        "-; burned; house",
    ],
}


def parsed(text: str) -> Doc:
    """A Doc of "word/tag/head/deprel/lemma" or, where the lemma is the word,
    "word/tag/head/deprel"."""
    rows: List[Sequence[str]] = [
        one.rsplit("/", 4) if one.count("/") > 3 else one.split("/")
        for one in text.split()
    ]
    rows = [["/", *row[-3:]] if row[0] == "" else row for row in rows]
    pos = [
        "AUX"
        if row[3] in ("cop", "aux", "aux:pass")
        else "PROPN"
        if row[1][:3] == "NNP"
        else POS.get(row[1][:2], "PUNCT")
        for row in rows
    ]
    return Doc(
        spacy.blank("en").vocab,
        words=[row[0] for row in rows],
        tags=[row[1] for row in rows],
        pos=pos,
        heads=[int(row[2]) for row in rows],
        deps=[row[3] for row in rows],
        lemmas=[row[4] if len(row) > 4 else row[0] for row in rows],
    )


def text(span: Optional[object]) -> Optional[str]:
    return None if span is None else str(span)


@pytest.mark.parametrize("sentence", FROM_HEADS)
def test_relations_from_heads(sentence: str) -> None:
    assert [str(one) for one in get_relations(parsed(sentence))] == [
        f"({one})" for one in FROM_HEADS[sentence]
    ]


def test_fields() -> None:
    paid = get_relations(parsed(PAID))[0]
    assert (paid.label, text(paid.negation), text(paid.time), paid.kind) == (
        "not pay",
        "not",
        "last year",
        "verb",
    )
    assert [(one.text, one.label_) for one in (paid.subject, paid.object)] == [
        ("Kim", "obl:agent"),
        ("John", "nsubj:pass"),
    ]
    assert [one.text for one in paid.tokens] == ["paid", "Kim", "John"]
    according, talk = (
        get_relations(parsed(ACCORDING))[0],
        get_relations(parsed(GOING))[0],
    )
    assert (text(according.attribution), text(according.modality)) == ("Kim", "must")
    assert talk.label == "talk to"
    paris, said = get_relations(parsed(QUOTED))
    assert (text(paris.attribution), text(said.attribution)) == ("Kim", None)
    assert [one.label for one in get_relations(parsed(NEITHER))] == [
        "not smoke",
        "not drink",
    ]
    assert get_relations(parsed(QUOTED + " never/RB/7/advmod"))[0].attribution is None
    record = paris.to_dict()
    assert record["subject"] == {
        "text": "Paris",
        "start": 0,
        "end": 1,
        "start_char": 0,
        "end_char": 5,
        "label": "nsubj",
    }
    assert (record["kind"], record["label"], record["time"], record["arguments"]) == (
        "copula",
        "be",
        None,
        [],
    )


def test_relations_from_roles() -> None:
    doc = parsed(
        "He/PRP/1/nsubj told/VBD/1/ROOT/tell Mary/NNP/1/iobj of/IN/7/case "
        "the/DT/5/det Romans/NNPS/7/nmod:poss "
        "'/POS/5/case destruction/NN/1/obl of/IN/10/case the/DT/10/det city/NN/7/nmod "
        "there/RB/1/advmod"
    )
    tell = make_proposition(
        1,
        "tell.01",
        [
            (0, 1, "ARG0"),
            (1, 2, "V"),
            (2, 3, "ARG2"),
            (3, 11, "ARG1"),
            (11, 12, "ARGM-LOC"),
        ],
    )
    destroy = make_proposition(
        7, "destroy.01", [(4, 7, "ARG0"), (7, 8, "V"), (8, 11, "ARG1")], "destroy"
    )
    set_propositions(doc, [tell, destroy])
    told, owned, destroyed = get_relations(doc)
    assert str(told) == "(He; told of; the Romans ' destruction of the city)"
    assert (
        told.label,
        text(told.place),
        text(told.object),
        told.arguments[0].label_,
    ) == (
        "tell of",
        "there",
        "the Romans ' destruction of the city",
        "ARG2",
    )
    assert (owned.kind, destroyed.kind, str(destroyed)) == (
        "possessive",
        "nominal",
        "(the Romans; destruction of; the city)",
    )


def test_a_span_has_the_relations_of_its_predicates() -> None:
    doc = parsed(MAN)
    assert [one.predicate.text for one in get_relations(doc[3:7])] == [
        "bought",
        "wanted",
    ]
    assert get_relations(Doc(doc.vocab, words=["No", "heads"])) == []


JAILED = (
    "He/PRP/2/nsubj:pass was/VBD/2/aux:pass/be arrested/VBN/2/ROOT/arrest and/CC/4/cc "
    "jailed/VBN/2/conj/jail "
    "because/IN/7/mark he/PRP/7/nsubj lied/VBD/4/advcl/lie ././2/punct"
)
SOLD = (
    "The/DT/1/det house/NN/9/nsubj:pass ,/,/4/punct he/PRP/4/nsubj "
    "bought/VBD/1/acl:relcl/buy and/CC/6/cc "
    "painted/VBD/4/conj/paint ,/,/4/punct was/VBD/9/aux:pass/be sold/VBN/9/ROOT/sell "
    ",/,/11/punct "
    "saying/VBG/9/advcl/say we/PRP/13/nsubj lied/VBD/11/ccomp/lie !/./9/punct"
)
RAINS = (
    "If/IN/2/mark it/PRP/2/nsubj rains/VBZ/5/advcl ,/,/2/punct you/PRP/5/nsubj "
    "stay/VBP/5/ROOT or/CC/7/cc go/VBP/5/conj"
)
EVERY = (
    "Every/DT/1/det man/NN/4/nsubj who/WP/3/nsubj lied/VBD/1/acl:relcl left/VBD/4/ROOT"
)
CLAUSES = {
    MAN: [
        "relative: who bought the house (bought, The man, no)",
        "main: The man who bought the house wanted to sell it to Mary 's brother "
        "(wanted, The man, yes)",
        "complement: to sell it to Mary 's brother (sell, The man, no)",
    ],
    JAILED: [
        "main: He was arrested (arrested, He, yes)",
        "coordinate: jailed because he lied (jailed, He, no)",
        "adverbial: because he lied (lied, he, no)",
    ],
    QUOTED: [
        "complement: Paris is the capital of France (is, Paris, yes)",
        "main: Paris is the capital of France , said Kim (said, Kim, yes)",
    ],
    GOING: ["main: He is going to talk to Mary (talk, He, yes)"],
    CALL: ["main: Call me (Call, None, yes)"],
}
ASKED = (
    "The/DT/1/det key/NN/6/nsubj:pass you/PRP/3/nsubj asked/VBD/1/acl:relcl/ask "
    "for/IN/3/obl was/VBD/6/aux:pass/be "
    "stolen/VBN/6/ROOT/steal"
)
ARRESTED = (
    "Kim/NNP/4/nsubj:pass and/CC/2/cc Lee/NNP/0/conj were/VBD/4/aux:pass/be "
    "arrested/VBN/4/ROOT/arrest and/CC/6/cc "
    "charged/VBN/4/conj/charge"
)
CLOSE = "Close/VB/0/ROOT/close it/PRP/0/obj and/CC/3/cc leave/VB/0/conj"
SIMPLIFIED = {
    ASKED: ["The key you asked for was stolen"],
    ARRESTED: ["Kim and Lee were arrested.", "Kim and Lee were charged."],
    CLOSE: ["Close it.", "Leave."],
    MAN: ["The man wanted to sell it to Mary 's brother.", "The man bought the house."],
    JAILED: ["He was arrested.", "He was jailed.", "He lied."],
    SOLD: ["The house , he bought and painted , was sold , saying we lied !"],
    HOUSE: ["The house that he bought and the car were destroyed"],
    COOKED: ["She cooked and ate the fish"],
    EVERY: ["Every man who lied left"],
    RAINS: ["If it rains , you stay or go"],
    QUOTED: ["Paris is the capital of France , said Kim"],
}


@pytest.mark.parametrize("sentence", CLAUSES)
def test_clauses(sentence: str) -> None:
    found = get_clauses(parsed(sentence)[:])
    shown = [
        f"{x.kind}: {x.span} ({x.verb}, {x.subject}, "
        f"{'yes' if x.is_independent else 'no'})"
        for x in found
    ]
    assert shown == CLAUSES[sentence]


@pytest.mark.parametrize("sentence", SIMPLIFIED)
def test_simplify(sentence: str) -> None:
    assert simplify(parsed(sentence)[:]) == SIMPLIFIED[sentence]


def test_nothing_comes_from_another_clause_than_what_does(parse):
    text = "He is mine, but there does come a time when you go."
    assert all(
        str(x.subject) != "He" or x.kind == "copula" for x in parse(text)._.relations
    )


def test_tags_do_where_there_are_no_upos():
    words = ["He", "left", "town", "."]
    tags = ["PRP", "VBD", "NN", "."]
    deps = ["nsubj", "ROOT", "obj", "punct"]
    doc = Doc(
        spacy.blank("en").vocab, words=words, tags=tags, heads=[1, 1, 1, 1], deps=deps
    )
    assert [str(x) for x in doc._.relations] == ["(He; left; town)"]


def test_a_relation_is_written_with_its_preposition(parse):
    relations = parse("He said that she is in Rome.")._.relations
    assert [str(x) for x in relations] == [
        "(He; said; that she is in Rome)",
        "(she; is in; Rome)",
    ]
    assert [x.label for x in relations] == ["say", "be in"]


def test_conjuncts_share_the_preposition_of_the_first(parse):
    relations = parse("They talked about Rome and Paris.")._.relations
    assert [str(x) for x in relations] == [
        "(They; talked about; Rome)",
        "(They; talked about; Paris)",
    ]
