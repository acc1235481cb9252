"""What a text says of each clause, for each kind of relation, on given parses."""

from typing import Callable, Dict, List, Tuple

import pytest
from fact_parses import VOCAB
from spacy.tokens import Doc

from spacy_lal.annotations import get_relations, get_triples, simplify

# A sentence, a kind of relation: the factuality of its first one
KINDS: Dict[Tuple[str, str], str] = {
    ("Tom did not sell the car.", "verb"): "negated",
    ("Tom never sold the car.", "verb"): "negated",
    ("No dealer sold the car.", "verb"): "negated",
    ("None of the dealers sold the car.", "verb"): "negated",
    ("Hardly anyone sold the car.", "verb"): "negated",
    ("Tom sold nothing.", "verb"): "negated",
    ("Tom sold the car to nobody.", "verb"): "negated",
    ("Tom may sell the car.", "verb"): "hypothetical",
    ("Tom might not sell the car.", "verb"): "hypothetical",
    ("You should not sell the car.", "verb"): "hypothetical",
    ("Tom can't sell the car.", "verb"): "negated",
    ("Nobody can open the door.", "verb"): "negated",
    ("Tom will sell the car.", "verb"): "future",
    ("Tom will not sell the car.", "verb"): "negated",
    ("Tom is going to sell the car.", "verb"): "future",
    ("Tom was going to sell the car.", "verb"): "hypothetical",
    ("The train leaves tomorrow.", "verb"): "future",
    ("She has seen him in recent months.", "verb"): "asserted",
    ("The shop opens next week.", "verb"): "future",
    ("The tenant shall pay the rent.", "verb"): "future",
    ("You must pay the rent.", "verb"): "hypothetical",
    ("Tom has to sell the car.", "verb"): "hypothetical",
    ("Tom used to sell cars.", "verb"): "asserted",
    ("If Tom sells the car, Kim will pay.", "verb"): "hypothetical",
    ("Even if Tom sold the car, Kim stayed.", "verb"): "hypothetical",
    ("The house is to be sold.", "verb"): "hypothetical",
    ("Hopefully, Tom sold the car.", "verb"): "hypothetical",
    ("Had Tom sold the car, Kim would have paid.", "verb"): "hypothetical",
    ("Did Tom sell the car?", "verb"): "hypothetical",
    ("Tom probably sold the car.", "verb"): "hypothetical",
    ("Apparently, Tom sold the car.", "verb"): "reported",
    ("In the novel, Tom sells the car.", "verb"): "reported",
    ("According to Kim, Tom will sell the car.", "verb"): "future",
    ("Please sell the car.", "verb"): "hypothetical",
    ("Sell the car and leave the town.", "verb"): "hypothetical",
    ("Tom is not a doctor.", "copula"): "negated",
    ("No judge is a doctor.", "copula"): "negated",
    ("Tom failed to be a doctor.", "copula"): "negated",
    ("Tom hopes to be a doctor.", "copula"): "hypothetical",
    ("Tom may be a doctor.", "copula"): "hypothetical",
    ("Tom will be a doctor.", "copula"): "future",
    ("If Tom is a doctor, he knows it.", "copula"): "hypothetical",
    ("Is Tom a doctor?", "copula"): "hypothetical",
    ("Kim said that Tom was a doctor.", "copula"): "reported",
    ("Kim denied that Tom was a doctor.", "copula"): "negated",
    ("In the film, Tom is a doctor.", "copula"): "reported",
    ("Tom made no decision about the house.", "nominal"): "negated",
    ("Tom didn't make a decision about the house.", "nominal"): "negated",
    ("Tom never made a decision about the house.", "nominal"): "negated",
    ("Tom failed to make a decision about the house.", "nominal"): "negated",
    ("Tom hopes to make a decision about the house.", "nominal"): "hypothetical",
    ("Tom may make a decision about the house.", "nominal"): "hypothetical",
    ("Tom will make a decision about the house.", "nominal"): "future",
    ("If Tom makes a decision about the house, we leave.", "nominal"): "hypothetical",
    ("Did Tom make a decision about the house?", "nominal"): "hypothetical",
    ("Kim said that Tom made a decision about the house.", "nominal"): "reported",
    ("Kim denied the destruction of the town by the army.", "nominal"): "negated",
    ("The treaty prevented the destruction of the town by the army.", "nominal"): (
        "negated"
    ),
    ("They want the destruction of the town by the army.", "nominal"): "hypothetical",
    ("There was no attack on the town by the army.", "nominal"): "negated",
    ("Kim reported the destruction of the town by the army.", "nominal"): "reported",
    ("He saw the destruction of the town by the army.", "nominal"): "asserted",
    ("Is Kim guilty of murder?", "nominal"): "hypothetical",
    ("Kim may be guilty of murder.", "nominal"): "hypothetical",
    ("Kim will be responsible for the budget.", "nominal"): "future",
    ("Kim is said to be guilty of murder.", "nominal"): "reported",
    ("Neither Tom nor Kim is guilty of murder.", "nominal"): "negated",
    ("Kim is not guilty of murder.", "nominal"): "negated",
    ("Tom did not sell his sister's car.", "possessive"): "asserted",
    ("Kim said that Tom sold his sister's car.", "possessive"): "asserted",
    ("Nobody saw Anna's brother.", "possessive"): "asserted",
    ("If Anna's brother sells the car, we leave.", "possessive"): "asserted",
    ("Did Anna's brother sell the car?", "possessive"): "asserted",
    ("Tom hopes to find Anna's brother.", "possessive"): "hypothetical",
    ("They failed to reach Anna's house.", "possessive"): "hypothetical",
    ("They want to win their first title.", "possessive"): "hypothetical",
    ("They did not win their first title.", "possessive"): "hypothetical",
    ("Without Anna's consent, no child may leave.", "possessive"): "hypothetical",
    ("Kim, the owner, did not sell the car.", "apposition"): "asserted",
    ("Kim, the owner, may sell the car.", "apposition"): "asserted",
    ("Kim said that Tom, the owner, sold the car.", "apposition"): "asserted",
    ("If Kim, the owner, sells it, we leave.", "apposition"): "asserted",
    ("They hope to meet Kim, the owner.", "apposition"): "hypothetical",
}

# A sentence and the word of a complement: its factuality and who says so
COMPLEMENTS: Dict[Tuple[str, str], Tuple[str, str]] = {
    ("Tom failed to sell the car.", "sell"): ("negated", ""),
    ("Tom hopes to sell the car.", "sell"): ("hypothetical", ""),
    ("Tom managed to sell the car.", "sell"): ("asserted", ""),
    ("Tom did not manage to sell the car.", "sell"): ("negated", ""),
    ("Tom did not fail to sell the car.", "sell"): ("asserted", ""),
    ("Tom did not refuse to sell the car.", "sell"): ("hypothetical", ""),
    ("Tom was able to sell the car.", "sell"): ("hypothetical", ""),
    ("Tom was not able to sell the car.", "sell"): ("negated", ""),
    ("Kim forced Tom to sell the car.", "sell"): ("asserted", ""),
    ("Kim told Tom to sell the car.", "sell"): ("hypothetical", ""),
    ("Kim said that Tom sold the car.", "sold"): ("reported", "Kim"),
    ("Kim denied that Tom sold the car.", "sold"): ("negated", "Kim"),
    ("Kim claims that Tom did not sell the car.", "sell"): ("negated", "Kim"),
    ("Kim may claim that Tom sold the car.", "sold"): ("hypothetical", ""),
    ("Nobody claims that Tom sold the car.", "sold"): ("hypothetical", ""),
    ("Tom didn't regret that he had sold the car.", "sold"): ("asserted", ""),
    ("It is false that Tom sold the car.", "sold"): ("negated", ""),
    ("It is not true that Tom sold the car.", "sold"): ("negated", ""),
    ("It is possible that Tom sold the car.", "sold"): ("hypothetical", ""),
    ("Tom left without selling the car.", "selling"): ("negated", ""),
    ("Tom sold the car because Kim had not paid the rent.", "sold"): ("asserted", ""),
    ("Tom did not leave because he was ill.", "was"): ("asserted", ""),
    ("Tom will sell the car when Kim leaves.", "leaves"): ("future", ""),
    ("To save money, Tom sold the car.", "save"): ("hypothetical", ""),
    ("I don't know anyone who sells cars.", "sells"): ("hypothetical", ""),
    ("The house, which Tom did not sell, is old.", "is"): ("asserted", ""),
    ("Tom shall not sell or lease the car.", "lease"): ("negated", ""),
    ("He kept on talking.", "talking"): ("asserted", ""),
    ("They kept him from selling the car.", "selling"): ("negated", ""),
    ("She wrote a letter; he ate the soup.", "ate"): ("asserted", ""),
    ("Ben knows a lot; Anna sold the house.", "sold"): ("asserted", ""),
    ('Tom said: "Anna sold the car."', "sold"): ("reported", "Tom"),
    ('"Anna sold the car," Tom said.', "sold"): ("reported", "Tom"),
    ("Anna, Tom said, sold the car.", "sold"): ("reported", "Tom"),
    ("As Kim wrote, Tom sold the car.", "sold"): ("reported", "Kim"),
    ("He asked who had sold the car.", "sold"): ("hypothetical", ""),
    ("I wonder whether Tom sold the car.", "sold"): ("hypothetical", ""),
    ("According to Kim, Tom will sell the car.", "sell"): ("future", "Kim"),
}

COMPLEMENTS |= {
    ("I do not know where they hid the money.", "hid"): ("hypothetical", ""),
    ("Please note that Tom sold the car.", "sold"): ("asserted", ""),
    ("I must say that Tom sold the car.", "sold"): ("asserted", ""),
    ("Tom may have left before Kim sold the car.", "sold"): ("asserted", ""),
    ("Do you see people who sell cars?", "sell"): ("asserted", ""),
    ("She forgot in which room the keys were.", "were"): ("hypothetical", ""),
    ("Ben says yes, Kim sold the car.", "sold"): ("asserted", ""),
}

QUESTIONS = {
    "who stole the car": True,
    "what did anna buy": True,
    "how did tom open the door": True,
    "which city is the capital of France": True,
    "In which room were the keys?": True,
    '"Is Rome the capital?"': True,
    "(Did Tom steal it?)": True,
    "What did Tom buy and where did he sell it?": True,
    "What a nice car Tom bought!": False,
    "What surprised me was the price.": False,
    "When Tom came, she sold the car.": False,
    "On the hill stands a church.": False,
    "Here comes the bus.": False,
    "So did Kim.": False,
    "Not only did he sell the car, he also bought a boat.": False,
}


@pytest.mark.parametrize("text, kind", KINDS)
def test_each_kind_has_a_context(parse: Callable[[str], Doc], text: str, kind: str):
    stated = [x.factuality for x in get_relations(parse(text)) if x.kind == kind]
    assert stated and stated[-1 if kind == "possessive" else 0] == KINDS[text, kind]


@pytest.mark.parametrize("text, word", COMPLEMENTS)
def test_a_signature_maps_the_context_above(
    parse: Callable[[str], Doc], text: str, word: str
):
    stated = [
        (x.factuality, str(x.attribution or ""))
        for x in get_relations(parse(text))
        if str(x.predicate) == word and x.kind in ("verb", "copula")
    ]
    assert stated == [COMPLEMENTS[text, word]]


@pytest.mark.parametrize("text", QUESTIONS)
def test_questions_by_the_tree(parse: Callable[[str], Doc], text: str):
    relations = [x for x in get_relations(parse(text)) if x.kind in ("verb", "copula")]
    stated = {x.factuality == "hypothetical" for x in relations[-1:]}
    assert stated == {QUESTIONS[text]}


def test_polarity_and_certainty_are_fields(parse: Callable[[str], Doc]):
    (relation,) = get_relations(parse("Tom will not sell the car."))
    assert (relation.polarity, relation.certainty) == ("-", "future")
    (relation,) = get_relations(parse("Tom might not sell the car."))
    assert (relation.polarity, relation.certainty) == ("-", "open")


def doc_of(words: List[str], heads: List[int], deps: List[str], tags: List[str]) -> Doc:
    pos = ["VERB" if tag[:2] == "VB" else "NOUN" for tag in tags]
    pos = ["CCONJ" if tag == "CC" else one for tag, one in zip(tags, pos, strict=True)]
    names = {"heads": heads, "deps": deps, "tags": tags, "pos": pos, "lemmas": words}
    return Doc(VOCAB, words=words, **names)


def conjoined(n: int) -> Doc:
    """Give "they ran , ran , ran ...", each verb on the verb before it."""
    words, heads, deps, tags = (
        ["they", "ran"],
        [1, 1],
        ["nsubj", "ROOT"],
        ["PRP", "VBD"],
    )
    for i in range(n):
        last = 1 + 2 * i
        words += ["and", "ran"]
        heads += [last + 2, last]
        deps += ["cc", "conj"]
        tags += ["CC", "VBD"]
    return doc_of(words, heads, deps, tags)


def nested(n: int, deprel: str) -> Doc:
    """Give "Kim said that Kim said that ... Kim left"."""
    words, heads, deps, tags = [], [], [], []
    for i in range(n):
        verb = 3 * i + 1
        words += ["Kim", "say" if i < n - 1 else "leave", "that"]
        heads += [verb, verb - 3 if i else verb, verb + 3 if i < n - 1 else verb]
        deps += ["nsubj", deprel if i else "ROOT", "mark" if i < n - 1 else "obj"]
        tags += ["NNP", "VBD", "IN"]
    return doc_of(words, heads, deps, tags)


@pytest.mark.parametrize(
    "doc, n",
    [
        (conjoined(1500), 1501),
        (nested(600, "ccomp"), 600),
        (nested(300, "advcl"), 300),
        (nested(300, "xcomp"), 300),
        (nested(300, "acl:relcl"), 300),
    ],
    ids=["conjuncts", "clauses", "adverbials", "infinitives", "relatives"],
)
def test_deep_trees_need_no_deep_recursion(doc: Doc, n: int):
    relations = get_relations(doc)
    assert len({x.predicate.start for x in relations if x.kind == "verb"}) == n
    assert get_triples(doc) is not None and simplify(doc[:])


def test_a_verb_with_a_clause_of_its_own_is_no_auxiliary():
    words = "He has to sell it because Kim left".split()
    heads = [1, 1, 3, 1, 3, 7, 7, 1]
    deps = ["nsubj", "ROOT", "mark", "xcomp", "obj", "mark", "nsubj", "advcl"]
    tags = ["PRP", "VBZ", "TO", "VB", "PRP", "IN", "NNP", "VBD"]
    doc = doc_of(words, heads, deps, tags)
    doc[1].lemma_ = "have"
    predicates = [str(x.predicate) for x in get_relations(doc)]
    assert predicates == ["has", "sell", "left"]
    doc[7].dep_ = "parataxis"
    predicates = [str(x.predicate) for x in get_relations(doc)]
    assert predicates == ["sell", "left"]


def test_a_score_is_a_probability_and_wants_weights(parse: Callable[[str], Doc]):
    doc = parse("Tom will sell the car.")
    (relation,) = get_relations(doc)
    with pytest.raises(ValueError, match="has no table 'lal_factuality'"):
        relation.factuality_score  # noqa: B018
    doc.vocab.lookups.add_table("lal_factuality", {"bias own lemma=sell": -64})
    try:
        assert relation.factuality_score == pytest.approx(0.1192, abs=1e-4)
    finally:
        doc.vocab.lookups.remove_table("lal_factuality")
