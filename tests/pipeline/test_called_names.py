"""A name that is called after a greeting is no sentence, and its vocative."""

import pytest
import spacy
from spacy.util import is_package

# Sentences divided by "/", and the name that is called.
GREETINGS = """
Thanks Dave!|Dave
Congrats, Ben!|Ben
Thanks again, Bob!|Bob
Thanks, Anna!/The report is ready.|Anna
Hi Tom!/How are you?|Tom
Hello, Mary!/It is nice to see you.|Mary
Good morning, Peter!|Peter
Good night, Susan.|Susan
Bye, Jim!/See you tomorrow.|Jim
Welcome, Dr. Lee!/Please sit down.|Lee
Sorry, Karen!/I was late.|Karen
Happy birthday, Grandma!|Grandma
Merry Christmas, Paul!|Paul
Thank you, Lisa!/You saved us.|Lisa
Thank you so much, Mr. Brown!|Brown
Congratulations, Sarah!/You did it.|Sarah
Hey Mike!|Mike
Hey, Mike, are you there?|Mike
Well done, Oliver!|Oliver
Good luck, Emma!/We will miss you.|Emma
Cheers, Kate!|Kate
Goodbye, Frank!|Frank
Thanks a lot, Maria!/It works now.|Maria
Great job, Nina!|Nina
Kudos, Ivan!/The page looks good.|Ivan
""".strip().splitlines()


def test_greetings():
    if not is_package("en_lal_md"):
        pytest.skip("en_lal_md is not installed")
    nlp = spacy.load("en_lal_md", exclude=["lal_srl"])
    wrong = []
    for line in GREETINGS:
        text, name = line.split("|")
        doc = nlp(text.replace("/", " "))
        sentences = [sentence.text for sentence in doc.sents]
        (called,) = (token for token in doc if token.text == name)
        if sentences != text.split("/") or called.dep_ != "vocative":
            wrong.append((sentences, called.dep_, called.head.text))
    assert len(GREETINGS) == 25
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize(
    "text", ["find users last_name Novak", "show orders customer_name Bergman"]
)
def test_the_value_of_a_field_is_no_sentence(text: str):
    if not is_package("en_lal_md"):
        pytest.skip("en_lal_md is not installed")
    nlp = spacy.load("en_lal_md", exclude=["lal_srl"])
    assert [sentence.text for sentence in nlp(text).sents] == [text]
