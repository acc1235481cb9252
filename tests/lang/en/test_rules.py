"""Each rule of English for tokens and sentence starts does what its examples say."""

from typing import Any, List

import pytest
import spacy

from spacy_lal.lang.conventions import Rule
from spacy_lal.lang.en.layout import LAYOUT
from spacy_lal.lang.en.tokens import TOKENS

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy-lal.WebTokenizer.v1"}}}
NLP = spacy.blank("en", config=CONFIG)
TOKEN_RULES = [
    *TOKENS.whole,
    *TOKENS.joined,
    *TOKENS.cuts,
    *TOKENS.prefixes,
    *TOKENS.suffixes,
    *TOKENS.infixes,
]
LAYOUT_RULES = [
    *LAYOUT.kinds,
    *(one for one in vars(LAYOUT).values() if isinstance(one, Rule)),
]


def examples(rules: List[Rule]) -> List[Any]:
    return [
        pytest.param(text, expected, id=f"{rule.name}: {text}")
        for rule in dict.fromkeys(rules)
        for text, expected in rule.examples.items()
    ]


@pytest.mark.parametrize("text, expected", examples(TOKEN_RULES))
def test_tokens_of_examples(text: str, expected: str):
    assert [token.text for token in NLP.make_doc(text)] == expected.split(" ")


@pytest.mark.parametrize("text, expected", examples(LAYOUT_RULES))
def test_lines_of_examples(text: str, expected: str):
    doc = NLP.make_doc(text)
    starts = [token.idx for token in doc[1:] if token.sent_start == 1]
    assert [text[place:].split("\n")[0] for place in starts] == expected.splitlines()


def test_each_rule_has_examples_and_a_name_of_its_own():
    rules = dict.fromkeys(TOKEN_RULES + LAYOUT_RULES)
    assert all(len(rule.examples) >= 2 for rule in rules)
    for table in (TOKENS.whole, TOKENS.joined, TOKENS.cuts, LAYOUT_RULES):
        names = [rule.name for rule in table]
        assert len(set(names)) == len(names)
