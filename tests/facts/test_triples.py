"""Triples in the text's own words, and what is said to be so."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_lal.annotations import get_triples


def triples(doc):
    return [(str(one), one.factuality) for one in doc._.triples]


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "He is a man who hates cats.",
            [
                ("(He; is; a man)", "asserted"),
                ("(a man; hates; cats)", "asserted"),
                ("(He; hates; cats)", "asserted"),
            ],
        ),
        (
            "Anna, not Tom, stole it.",
            [("(Anna; stole; it)", "asserted"), ("(Tom; not stole; it)", "negated")],
        ),
        ("He failed to pay the bill.", [("(He; failed to pay; the bill)", "negated")]),
        (
            "The company was founded by Ada in 1990.",
            [
                ("(The company; was founded by; Ada)", "asserted"),
                ("(The company; was founded in; 1990)", "asserted"),
            ],
        ),
        (
            "He served as the first Prime Minister of Australia.",
            [("(He; served as; the first Prime Minister of Australia)", "asserted")],
        ),
        (
            "She left without paying the bill.",
            [("(She; without paying; the bill)", "negated")],
        ),
    ],
)
def test_triples_keep_the_words_and_say_what_is_so(parse, text, expected):
    assert triples(parse(text)) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "He said that she is in Rome.",
            ["(He; said that; she is in Rome)", "(she; is in; Rome)"],
        ),
        (
            "He said that Tom was rich and that Ann was poor.",
            [
                "(He; said that; Tom was rich)",
                "(He; said that; Ann was poor)",
                "(Tom; was; rich)",
                "(Ann; was; poor)",
            ],
        ),
        (
            "He said she is rich and famous.",
            [
                "(He; said; she is rich and famous)",
                "(she; is; rich)",
                "(she; is; famous)",
            ],
        ),
        (
            "She is kind to him and rude to us.",
            [
                "(She; is; kind)",
                "(She; is kind to; him)",
                "(She; is; rude)",
                "(She; is rude to; us)",
            ],
        ),
    ],
)
def test_a_clause_or_a_predicate_is_whole(parse, text, expected):
    assert [str(x) for x in parse(text)._.triples] == expected


def test_a_word_with_a_hyphen_is_one_word(parse):
    (triple,) = parse("Kim bought a second-hand car.")._.triples
    assert triple.object == "a second-hand car"


def test_who_did_nothing_is_denied(parse):
    found = parse("Neither Anna nor Tom stole it.")._.triples
    assert [one.subject for one in found] == ["Anna", "Tom"]
    assert all(one.negated for one in found)


@pytest.mark.parametrize(
    "text, owned",
    [
        ("My husband and I ordered the lamb.", ["husband"]),
        ("My brother and Anna sold the car.", ["brother"]),
        ("John's wife and daughter sold the car.", ["wife", "daughter"]),
    ],
)
def test_a_pronoun_or_a_name_beside_a_possession_is_none(parse, text, owned):
    found = parse(text)._.triples
    assert [x.object for x in found if x.source.kind == "possessive"] == owned


def test_confidence_is_a_probability(parse):
    found = parse("The company was founded by Ada in 1990.")._.triples
    assert [one.arguments for one in found] == [("in 1990",), ()]
    assert 0 < found[1].confidence < found[0].confidence < 1


DEFINITIONS = {
    "Python is a language used by scientists.": "(scientists; used; a language)",
    "It was the driver who caused the crash.": "(the driver; caused; the crash)",
    "Those are problems we cannot solve.": "(we; solve; problems)",
    "Ann and her old uncle are kind people that didn't harm my son.": (
        "(kind people; harm; my son)"
    ),
    "They are students working in a lab.": "(students; working; -)",
    "She was the first woman to win the prize.": "(the first woman; win; the prize)",
}


@pytest.mark.parametrize("text", DEFINITIONS)
def test_the_noun_of_a_definition_is_the_subject_or_object(parse, text):
    assert DEFINITIONS[text] in map(str, parse(text)._.relations)


FACTUALITY = {
    ("She bought apples but not pears.", "pears"): "negated",
    ("The bank, not the customer, paid the fee.", "the customer"): "negated",
    ("Anna rather than Tom paid the bill.", "Tom"): "negated",
    ("He watched TV instead of helping his mother.", "helping"): "negated",
    ("The plant closes unless the state pays the debt.", "pays"): "hypothetical",
    ("It is unlikely that the bank paid the fine.", "paid"): "hypothetical",
    ("If he had paid the bill, the bank would have gone.", "paid"): "hypothetical",
    ("Had he paid the bill, the bank would have gone.", "paid"): "hypothetical",
    ("He denied that he had paid the bill.", "paid"): "negated",
    ("She refused to sign the contract.", "sign"): "negated",
    ("Did the bank pay the fine?", "pay"): "hypothetical",
    ("I wish he had paid the bill.", "paid"): "hypothetical",
    ("Kim said that he had paid the bill.", "paid"): "reported",
    ("He didn't fail to pay the bill.", "pay"): "asserted",
    ("No customer paid the bill.", "paid"): "negated",
    ("Neither Anna nor Tom stole it.", "Tom"): "negated",
    ("She ate neither meat nor fish.", "meat"): "negated",
    ("He has never visited London, nor has he seen Paris.", "Paris"): "negated",
    ("They built a mall instead of a park.", "a park"): "negated",
    ("They built a mall instead of a park.", "a mall"): "asserted",
    ("He walked rather than take the bus.", "take"): "negated",
    ("He passed the exam without having opened the book.", "opened"): "negated",
    ("Not all students passed the exam.", "passed"): "negated",
    ("He no longer owns the house.", "owns"): "negated",
    ("Hardly anyone read the book.", "read"): "negated",
    ("The storm stopped them from leaving the port.", "leaving"): "negated",
    ("He failed in finding the key.", "finding"): "negated",
    ("He was accused of stealing the car.", "stealing"): "reported",
    ("The police suspect him of robbing the bank.", "robbing"): "reported",
    ("They thanked Kim for helping the child.", "helping"): "asserted",
    ("She dreams of owning a house.", "owning"): "hypothetical",
    ("If only she had called the police!", "called"): "hypothetical",
    ("She acted as though she knew the answer.", "knew"): "hypothetical",
    ("As if he owned the place, he gave orders.", "owned"): "hypothetical",
    ("He acted like he owned the place.", "owned"): "hypothetical",
    ("Residents were told to boil their water.", "boil"): "hypothetical",
    ("Tom, not Kim, stole it, according to witnesses.", "Tom"): "reported",
    ("As if he owned the place, he gave orders.", "gave"): "asserted",
    ("There is no evidence that Tom stole the car.", "stole"): "hypothetical",
    ("Nobody saw that Tom stole the car.", "stole"): "hypothetical",
    ("She regrets that she sold the house.", "sold"): "asserted",
    ("Did the mayor deny that he took bribes?", "took"): "hypothetical",
    ("He will leave before she reads the letter.", "reads"): "future",
    ("Tom can't come because he broke his arm.", "broke"): "asserted",
    ("They may build a house that Tom designed.", "designed"): "asserted",
    ("They may build the house that Tom designed.", "designed"): "asserted",
    ("Pay the bill, or the bank takes the house.", "takes"): "hypothetical",
    ("Tom was to sell the car.", "sell"): "hypothetical",
    ("In order to save money, he sold the car.", "save"): "hypothetical",
    ("Perhaps Tom stole the car.", "stole"): "hypothetical",
    ("He would rather sell the house.", "sell"): "hypothetical",
    ("They chose tea instead.", "chose"): "asserted",
    ("So he is rather angry.", "is"): "asserted",
    ("It was not Tom who stole the car.", "stole"): "negated",
    ("She forgot locking the door.", "locking"): "asserted",
    ("She forgot to lock the door.", "lock"): "negated",
    ("They considered selling the house.", "selling"): "hypothetical",
    ("They risked losing the game.", "losing"): "hypothetical",
    ("He escaped being hit by the car.", "hit"): "negated",
    ("They enjoyed reading the book.", "reading"): "asserted",
    ("He wants a car that has a roof.", "has"): "hypothetical",
    ("He wants the car that has a roof.", "has"): "asserted",
    ("They are looking for someone who speaks Latin.", "speaks"): "hypothetical",
    ("He may visit Paris, which lies in France.", "lies"): "asserted",
    ("He hid the knife lest the child find it.", "hid"): "asserted",
    ("At no time did the manager warn the staff.", "warn"): "negated",
    ("Under no circumstances did he touch it.", "touch"): "negated",
    ("He is by no means a hero.", "is"): "negated",
    ("Tom, it is said, stole the car.", "stole"): "reported",
    ("He was suspected of having killed the priest.", "killed"): "reported",
    ("He claims to own a castle.", "own"): "reported",
    ("He wrote a law providing for the poor.", "providing"): "asserted",
    ("Provided that he signs, the bank lends the money.", "lends"): "hypothetical",
    ("There is no doubt that the storm sank the ship.", "sank"): "asserted",
    ("Nobody doubts that the storm sank the ship.", "sank"): "asserted",
    ("It is a fact that bats eat insects.", "eat"): "asserted",
    ("The myth that bats are blind persists.", "are"): "negated",
    ("The court found no proof that he took bribes.", "took"): "hypothetical",
    ("All the boys but Tom read the book.", "Tom"): "negated",
    ("He went on to win the cup.", "win"): "asserted",
    ("He was the first to climb the mountain.", "climb"): "asserted",
    ("The talks ended without a deal.", "ended"): "asserted",
    ("The book says more than any lecture that I attended.", "attended"): "asserted",
    ("Residents wait until tests show that the water is safe.", "show"): "asserted",
}


@pytest.mark.parametrize("text, word", FACTUALITY)
def test_factuality(parse, text, word):
    found = {
        one.factuality
        for one in parse(text)._.relations
        if word in map(str, (one.subject, one.predicate, one.object))
        and one.kind in ("verb", "copula")
    }
    assert found == {FACTUALITY[text, word]}


def test_correlatives_and_goals(parse):
    both = parse("Both Anna and Tom signed the form.")._.relations
    assert [str(one.subject) for one in both] == ["Anna", "Tom"]
    (ran,) = parse("She ran to the bus.")._.relations
    assert ran.object is None
    for text in ("He went home.", "They came here.", "She drove to Berlin in June."):
        (moved,) = parse(text)._.relations
        assert moved.object is None


SUBJECTS = {
    "Both parents signed it.": ["parents"],
    "Both teachers praised him.": ["teachers"],
    "They both signed it.": ["They"],
    "Either Anna or Tom opened it.": ["Anna", "Tom"],
    "Either team could win it.": ["team"],
    "Neither candidate won it.": ["candidate"],
    "Neither the mayor nor the judge saw it.": ["the mayor", "the judge"],
    "Not only Anna but also Tom saw it.": ["Anna", "Tom"],
    "Both of the drivers survived it.": ["Both of the drivers"],
}


@pytest.mark.parametrize("text", SUBJECTS)
def test_a_correlative_is_no_part_of_a_phrase(parse, text):
    doc = parse(text)
    assert [str(one.subject) for one in doc._.relations] == SUBJECTS[text]
    assert [one.subject for one in doc._.triples] == SUBJECTS[text]


WORDS = {
    "Neither Anna nor Tom stole it.": ["(Anna; stole; it)", "(Tom; stole; it)"],
    "Either Anna or Tom stole it.": ["(Anna; stole; it)", "(Tom; stole; it)"],
    "Not only Anna but also Tom signed it.": [
        "(Anna; signed; it)",
        "(Tom; signed; it)",
    ],
    "The bank neither paid the fine nor lowered the price.": [
        "(The bank; paid; the fine)",
        "(The bank; lowered; the price)",
    ],
    "He no longer owns the house.": ["(He; no longer owns; the house)"],
    "Not only did she write the book, she also drew the pictures.": [
        "(she; did write; the book)",
        "(she; also drew; the pictures)",
    ],
    "He lives in Paris but not in London.": [
        "(He; lives in; Paris)",
        "(He; lives not in; London)",
    ],
    "Perhaps Tom stole it.": ["(Tom; Perhaps stole; it)"],
    "They built a mall instead of a park.": [
        "(They; built; a mall)",
        "(They; built instead of; a park)",
    ],
    "The emperor, whose son later added a library, died.": [
        "(The emperor; has; son)",
        "(whose son; later added; a library)",
    ],
    "The laptop you bought doesn't run on oil.": [
        "(you; bought; The laptop)",
        "(The laptop; does n't run on; oil)",
    ],
    "The minister urged parliament to approve the budget.": [
        "(The minister; urged; parliament to approve the budget)",
        "(parliament; approve; the budget)",
    ],
    "Vaccines train the immune system to recognise viruses.": [
        "(Vaccines; train; the immune system)",
        "(the immune system; recognise; viruses)",
    ],
    "He went on to win the cup.": ["(He; went on to win; the cup)"],
    "Aspirin, also known as acid, kills pain.": [
        "(Aspirin; also known as; acid)",
        "(Aspirin; kills; pain)",
    ],
    "Neutrons are slightly heavier than protons.": [
        "(Neutrons; are; slightly heavier)",
        "(Neutrons; are slightly heavier than; protons)",
    ],
    "Java is a language designed by Sun and used by banks.": [
        "(Java; is; a language designed by Sun and used by banks)",
        "(a language; designed by; Sun)",
        "(Java; designed by; Sun)",
        "(a language; used by; banks)",
        "(Java; used by; banks)",
    ],
    "Glass is made by heating sand.": ["(Glass; is made by; heating sand)"],
    "The problem is that he has no money.": [
        "(The problem; is; that he has no money)",
        "(he; has; no money)",
    ],
    "The order includes 220 species, most of which live in the tropics.": [
        "(The order; includes; 220 species)",
        "(most of which; live in; the tropics)",
    ],
    "He explained why the empire fell.": ["(He; explained; why the empire fell)"],
    "Thus, the car was sold.": [],
    "It's doubtful that the team won it.": [
        "(It; 's; doubtful that the team won it)",
        "(the team; won; it)",
    ],
    "We found the room clean and quiet.": ["(We; found; the room clean and quiet)"],
    "Penicillin, discovered by Fleming, kills bacteria.": [
        "(Penicillin; discovered by; Fleming)",
        "(Penicillin; kills; bacteria)",
    ],
}


@pytest.mark.parametrize("text", WORDS)
def test_correlatives_and_asides_are_no_part_of_a_triple(parse, text):
    assert [str(one) for one in parse(text)._.triples] == WORDS[text]


def test_nouns_after_a_preposition_are_denied_one_by_one(parse):
    found = triples(parse("He lives in Paris but not in London."))
    assert [said for _, said in found] == ["asserted", "negated"]
    (first, second) = triples(parse("It is found in Chile and, possibly, in Peru."))
    assert (first[1], second[1]) == ("asserted", "hypothetical")


def test_the_owner_of_a_definition_is_its_noun(parse):
    found = parse("He is the engineer whose design won the contest.")._.triples
    assert "(the engineer; has; design)" in map(str, found)


def test_a_gerund_with_a_preposition_has_the_object_as_subject(parse):
    found = parse("The police suspect him of robbing the bank.")._.relations
    assert ("him", "robbing") in [(str(x.subject), str(x.predicate)) for x in found]


def test_nested(parse):
    doc = parse("He became a founding justice of the High Court.")
    assert [str(one) for one in get_triples(doc, nested=True)] == [
        "(He; became; a founding justice of the High Court)",
        "(He; became a founding justice of; the High Court)",
    ]
    doc = parse("Kim won the race last year.")
    assert [str(one) for one in get_triples(doc, nested=True)] == [
        "(Kim; won; the race)",
        "(Kim; won the race; last year)",
    ]
    doc = parse("It deals with cases of fraud in relation to direct taxes.")
    assert "(It; deals with cases of fraud in relation to; direct taxes)" in [
        str(one) for one in get_triples(doc, nested=True)
    ]


def test_a_language_without_words_for_facts_says_so():
    words = ["Il", "dort"]
    vocab = spacy.blank("fr").vocab
    doc = Doc(vocab, words, heads=[1, 1], deps=["nsubj", "ROOT"])
    with pytest.raises(ValueError, match="read in en, not in 'fr'"):
        get_triples(doc)
