"""Who says it, and what is not said to be so."""

import pytest


def facts(doc, word):
    """Factuality and speaker of the verbs and copulas with a word in subject, predicate
    or object."""
    return [
        (one.factuality, str(one.attribution or ""))
        for one in doc._.relations
        if word in map(str, (one.subject, one.predicate, one.object))
        and one.kind in ("verb", "copula")
    ]


SAID = {
    ("The minister denied that the bank lost the money.", "lost"): (
        "negated",
        "The minister",
    ),
    ("The suspect denied killing the guard.", "killing"): ("negated", "The suspect"),
    ("The court ruled that the firm broke the law.", "broke"): (
        "reported",
        "The court",
    ),
    ("The lawyer argued that the contract was void.", "void"): (
        "reported",
        "The lawyer",
    ),
    ("Critics contend that the plan harms farmers.", "harms"): ("reported", "Critics"),
    ("They alleged that the doctor sold the records.", "sold"): ("reported", "They"),
    ("Prosecutors accused the banker of stealing the funds.", "stealing"): (
        "reported",
        "Prosecutors",
    ),
    ("He was accused by prosecutors of stealing the funds.", "stealing"): (
        "reported",
        "prosecutors",
    ),
    ("He was accused of stealing the funds.", "stealing"): ("reported", ""),
    ("The company is said to have hidden the losses.", "hidden"): ("reported", ""),
    ("It was reported by the BBC that the king left the city.", "left"): (
        "reported",
        "the BBC",
    ),
    ("He claims to own a castle.", "own"): ("reported", "He"),
    ("Anna is sure that Tom stole the car.", "stole"): ("reported", "Anna"),
    ("She refused to say that her brother stole the car.", "stole"): (
        "hypothetical",
        "",
    ),
    ("Nobody said that the bank lost the money.", "lost"): ("hypothetical", ""),
    ("She may say that the bank lost the money.", "lost"): ("hypothetical", ""),
    ("He never claimed that she wrote the song.", "wrote"): ("hypothetical", ""),
    ("The senator rejected the idea that taxes hurt growth.", "hurt"): ("reported", ""),
    ("The agency confirmed that the dam broke the law.", "broke"): (
        "reported",
        "The agency",
    ),
    ("Anna's claim that Tom stole the car was printed.", "stole"): (
        "reported",
        "Anna",
    ),
    ("The dam, the engineer said, was leaking oil.", "leaking"): (
        "reported",
        "the engineer",
    ),
    ("As the report states, the dam leaked oil.", "leaked"): (
        "reported",
        "the report",
    ),
    ("As reported by the BBC, the firm sold the land.", "sold"): (
        "reported",
        "the BBC",
    ),
    ("In the novel, the detective kills the count.", "kills"): (
        "reported",
        "the novel",
    ),
    ("The hero finds a sword in the film.", "finds"): ("reported", "the film"),
    ("She appeared in the film.", "appeared"): ("asserted", ""),
    ("She began her career in the film.", "began"): ("asserted", ""),
    ("In Greek mythology, Zeus rules the sky.", "rules"): (
        "reported",
        "Greek mythology",
    ),
    ("In my opinion, the plan harms farmers.", "harms"): ("reported", "my opinion"),
    ("The firm insisted that it followed the rules.", "followed"): (
        "reported",
        "The firm",
    ),
    ("She insisted that he leave the room.", "leave"): ("hypothetical", ""),
    ("The letter was meant to reach the king.", "reach"): ("hypothetical", ""),
    ("The jury found that the driver broke the law.", "broke"): (
        "reported",
        "The jury",
    ),
    ("They found the dog eating the cake.", "eating"): ("asserted", ""),
    ("They heard Tom sing the song.", "sing"): ("asserted", ""),
    ("He knows that the bank lost the money.", "lost"): ("asserted", ""),
    ("She told him to leave the room.", "leave"): ("hypothetical", ""),
    ("The suspect confessed to killing the guard.", "killing"): (
        "reported",
        "The suspect",
    ),
}


@pytest.mark.parametrize("text, word", SAID)
def test_who_says_it(parse, text, word):
    assert facts(parse(text), word) == [SAID[text, word]]


NOT_SO = {
    ("As long as the pump works, the cellar stays dry.", "stays"): "hypothetical",
    ("The cellar stays dry so long as the state pays the bill.", "pays"): (
        "hypothetical"
    ),
    ("They will sell it on condition that he pays the bill.", "pays"): "hypothetical",
    ("No one but the captain knew the route.", "No one but the captain"): "negated",
    ("All the boys but Tom read the book.", "Tom"): "negated",
    ("No one knows who built the tower.", "built"): "hypothetical",
    ("The firm came close to losing the contract.", "losing"): "negated",
    ("They gave up looking for the dog.", "looking"): "negated",
    ("They ended up paying the fine.", "paying"): "asserted",
    ("Prior to leaving the firm, she wrote a book.", "leaving"): "asserted",
    ("He is committed to paying the rent.", "paying"): "hypothetical",
}


@pytest.mark.parametrize("text, word", NOT_SO)
def test_what_is_so(parse, text, word):
    found = {factuality for factuality, _ in facts(parse(text), word)}
    assert found == {NOT_SO[text, word]}


def test_a_clause_with_as_borrows_no_subject(parse):
    found = map(str, parse("As reported by the BBC, the firm sold it.")._.triples)
    assert list(found) == ["(the firm; sold; it)"]
