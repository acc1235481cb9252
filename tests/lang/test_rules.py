"""Each rule of a language for tokens and sentence starts does what its examples say."""

from typing import Any, Dict, List

import pytest
import spacy
from spacy.language import Language

from spacy_lal.lang import LANGUAGES, token_rules
from spacy_lal.lang.conventions import Rule

CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy-lal.WebTokenizer.v1"}}}
CODES = list(LANGUAGES)
PIPELINES: Dict[str, Language] = {
    code: spacy.blank(code, config=CONFIG) for code in CODES
}


def of_tokens(code: str) -> List[Rule]:
    rules = LANGUAGES[code].tokens
    if rules is None:
        return []
    tables = (
        rules.whole,
        rules.joined,
        rules.cuts,
        rules.prefixes,
        rules.suffixes,
        rules.infixes,
        rules.notes,
    )
    return [rule for table in tables for rule in table]


def of_layout(code: str) -> List[Rule]:
    layout = LANGUAGES[code].layout
    if layout is None:
        return []
    return [
        *layout.kinds,
        *(one for one in vars(layout).values() if isinstance(one, Rule)),
    ]


def examples(rules_of: Any) -> List[Any]:
    return [
        pytest.param(code, text, expected, id=f"{code}: {rule.name}: {text}")
        for code in CODES
        for rule in dict.fromkeys(rules_of(code))
        for text, expected in rule.examples.items()
    ]


@pytest.mark.parametrize("code, text, expected", examples(of_tokens))
def test_tokens_of_examples(code: str, text: str, expected: str):
    doc = PIPELINES[code].make_doc(text)
    assert [token.text for token in doc] == expected.split(" ")


@pytest.mark.parametrize("code, text, expected", examples(of_layout))
def test_lines_of_examples(code: str, text: str, expected: str):
    doc = PIPELINES[code].make_doc(text)
    starts = [token.idx for token in doc[1:] if token.sent_start == 1]
    assert [text[place:].split("\n")[0] for place in starts] == expected.splitlines()


@pytest.mark.parametrize("code", CODES)
def test_each_rule_has_examples_and_a_name_of_its_own(code: str):
    rules = dict.fromkeys(of_tokens(code) + of_layout(code))
    assert all(len(rule.examples) >= 2 for rule in rules)
    tokens = token_rules(code)
    for table in (tokens.whole, tokens.joined, tokens.cuts, of_layout(code)):
        names = [rule.name for rule in table]
        assert len(set(names)) == len(names)
