"""Each rule of French for tokens does what its examples say."""

from typing import Any, List

import pytest
import spacy

from spacy_lal.lang.fr.tokens import TOKENS

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy-lal.WebTokenizer.v1"}}}
NLP = spacy.blank("fr", config=CONFIG)
RULES = list(dict.fromkeys([*TOKENS.joined, *TOKENS.cuts]))


def examples() -> List[Any]:
    return [
        pytest.param(text, expected, id=f"{rule.name}: {text}")
        for rule in RULES
        for text, expected in rule.examples.items()
    ]


@pytest.mark.parametrize("text, expected", examples())
def test_tokens_of_examples(text: str, expected: str) -> None:
    words = [token.text for token in NLP.make_doc(text)]
    assert words == expected.split(" ")


def test_each_rule_has_examples_and_a_name_of_its_own() -> None:
    assert all(len(rule.examples) >= 2 for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)
