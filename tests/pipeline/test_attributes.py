"""Every attribute of every component and tokenizer of ours survives bytes, disk,
pickle, copies and worker processes, with options that are not the default."""

import copy
import functools
import json
import multiprocessing
import pickle
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
import spacy
from role_examples import config as srl_config
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

DECODER = {
    "@misc": "spacy-lal.joint_decoder.v1",
    "constituency_weight": 0.3,
    "empty_nodes": False,
    "disagreement_cost": 0.7,
}
OPTIONS = {
    "lal_parser": {"overwrite": False, "dependencies": False, "decoder": DECODER},
    "lal_srl": {**srl_config("none"), "predicates": "doc", "overwrite": False},
    "lal_units": {},
    "lal_lemmas": {},
    "lal_carry_over": {},
}
TOKENIZERS = {"spacy-lal.WebTokenizer.v1": {"line_starts": False}}
LEFT_OUT = (Model, Vocab, Language, Doc)


def state_of(value, depth=0):
    """What distinguishes one object from another, without networks and words."""
    if isinstance(value, LEFT_OUT) or depth > 6:
        return type(value).__name__
    if isinstance(value, functools.partial):
        return (state_of(value.func, depth), state_of(value.keywords, depth + 1))
    if isinstance(value, dict):
        return {str(key): state_of(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [state_of(one, depth + 1) for one in value]
    if isinstance(value, (str, int, float, bool, bytes, type(None))):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(map(str, value))
    if is_dataclass(value):
        names = [field.name for field in fields(value)]
        found = {name: state_of(getattr(value, name), depth + 1) for name in names}
        return (type(value).__name__, found)
    if hasattr(value, "__qualname__"):
        return value.__qualname__
    return (type(value).__name__, state_of(getattr(value, "__dict__", {}), depth + 1))


def make_nlp(factory=None, tokenizer=None):
    given = {}
    if tokenizer is not None:
        block = {"@tokenizers": tokenizer, **TOKENIZERS[tokenizer]}
        given = {"nlp": {"tokenizer": block}}
    nlp = spacy.blank("en", config=given)
    if factory is not None:
        nlp.add_pipe(factory, config=OPTIONS[factory])
    return nlp


def part_of(nlp, factory):
    return nlp.tokenizer if factory is None else nlp.get_pipe(factory)


def by_bytes(nlp, folder):
    other = spacy.util.load_model_from_config(nlp.config)
    return other.from_bytes(nlp.to_bytes())


def by_disk(nlp, folder):
    nlp.to_disk(folder)
    return spacy.load(folder)


def by_pickle(nlp, folder):
    return pickle.loads(pickle.dumps(nlp))


def by_copy(nlp, folder):
    return copy.deepcopy(nlp)


WAYS = [by_bytes, by_disk, by_pickle, by_copy]
PARTS = [(None, name) for name in TOKENIZERS] + [(name, None) for name in OPTIONS]


def test_the_table_has_all_that_is_registered():
    path = Path(__file__).parents[1] / "registrations.json"
    registered = json.loads(path.read_text())
    assert set(registered["spacy_factories"]) == set(OPTIONS)
    assert set(registered["spacy_tokenizers"]) == set(TOKENIZERS)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("factory, tokenizer", PARTS)
def test_attributes_survive(factory, tokenizer, way, tmp_path):
    nlp = make_nlp(factory, tokenizer)
    expected = state_of(part_of(nlp, factory))
    for name, value in {**OPTIONS, **TOKENIZERS}[factory or tokenizer].items():
        if isinstance(value, bool):
            assert getattr(part_of(nlp, factory), name) == value
    assert state_of(part_of(way(nlp, tmp_path / "nlp"), factory)) == expected


def state_in_a_worker(data, factory):
    return state_of(part_of(pickle.loads(data), factory))


@pytest.mark.slow
@pytest.mark.parametrize("factory, tokenizer", PARTS)
def test_attributes_survive_in_a_spawned_worker(factory, tokenizer):
    nlp = make_nlp(factory, tokenizer)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(state_in_a_worker, (pickle.dumps(nlp), factory))
    assert found == state_of(part_of(nlp, factory))


def test_a_pickled_tokenizer_sets_no_line_starts():
    nlp = make_nlp(tokenizer="spacy-lal.WebTokenizer.v1")
    text = "First line\n\nSecond line"
    for other in (nlp, by_pickle(nlp, None), by_copy(nlp, None)):
        assert not other(text).has_annotation("SENT_START")
    assert spacy.blank(
        "en",
        config={"nlp": {"tokenizer": {"@tokenizers": "spacy-lal.WebTokenizer.v1"}}},
    )(text).has_annotation("SENT_START")
