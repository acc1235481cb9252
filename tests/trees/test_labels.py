"""Deprels tell their scheme, where they are many enough to tell it."""

from pathlib import Path

import pytest

from spacy_lal.trees import read_conllu
from spacy_lal.trees.labels import CLEAR, DECISIVE, STANFORD, TIGER, UNIVERSAL, deprel_scheme

# The labels of spaCy's English pipelines, of the German ones, and of Stanford's parser.
SPACY_ENGLISH = (
    "ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj csubj csubjpass dative "
    "dep det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass nummod oprd parataxis pcomp pobj poss preconj "
    "predet prep prt punct quantmod relcl xcomp"
)
SPACY_GERMAN = (
    "ROOT ac adc ag ams app avc cc cd cj cm cp cvc da dep dm ep ju mnr mo ng nk nmc oa oc og op par pd pg ph pm pnc "
    "punct rc re rs sb sbp svp uc vo"
)
STANFORD_PARSER = (
    "abbrev acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop csubj dep det dobj expl "
    "infmod iobj mark mwe neg nn npadvmod nsubj nsubjpass num number parataxis partmod pcomp pobj poss possessive "
    "preconj predet prep prt punct purpcl quantmod rcmod rel root tmod xcomp"
)
UD_ENGLISH = (
    "ROOT acl acl:relcl advcl advmod amod appos aux aux:pass case cc ccomp compound compound:prt conj cop csubj det "
    "discourse expl fixed flat iobj mark nmod nmod:poss nsubj nsubj:pass nummod obj obl parataxis punct xcomp"
)


@pytest.mark.parametrize(
    "deprels, scheme",
    [
        (SPACY_ENGLISH, CLEAR),
        (SPACY_GERMAN, TIGER),
        (STANFORD_PARSER, STANFORD),
        (UD_ENGLISH, UNIVERSAL),
        ("nsubj ROOT dobj", CLEAR),
        ("nsubj:pass aux:pass root", UNIVERSAL),
        ("poss case nsubj ROOT acomp", CLEAR),
        ("nmod:poss case nsubj ROOT", UNIVERSAL),
        ("sb ROOT oa punct", TIGER),
        ("nn num nsubj ROOT", STANFORD),
    ],
)
def test_known_sets(deprels: str, scheme: str):
    assert deprel_scheme(deprels.split()) == scheme


@pytest.mark.parametrize(
    "deprels",
    [
        "",
        "det nsubj ROOT punct conj cc",  # every scheme has these
        "poss nmod",  # one for each of two schemes
        "SBJ OBJ NMOD",  # a scheme that is not known
        "X" + " X".join(map(str, range(60))) + " dobj",  # one known name among many others
    ],
)
def test_sets_that_do_not_tell(deprels: str):
    assert deprel_scheme(deprels.split()) is None


def test_a_deprel_counts_once():
    assert deprel_scheme(["obj"] * 9 + ["dobj", "pobj"]) == CLEAR


def test_schemes_are_told_apart():
    assert all(DECISIVE[UNIVERSAL].isdisjoint(DECISIVE[other]) for other in (CLEAR, STANFORD, TIGER))


@pytest.mark.parametrize("treebank, scheme", [("ewt", UNIVERSAL), ("gum", UNIVERSAL), ("craft", CLEAR)])
def test_treebanks(treebank: str, scheme: str, shared_dir: Path):
    """A whole treebank always tells its scheme, and hardly a sentence tells another one."""
    found = [deprel_scheme(sentence.deprels) for sentence in read_conllu(shared_dir / treebank / "dev.conllu")]
    assert sum(one not in (None, scheme) for one in found) < 0.01 * len(found)
    assert found.count(scheme) > len(found) / 2


def test_the_toy_treebank():
    path = Path(__file__).resolve().parents[2] / "assets" / "toy" / "train.conllu"
    assert deprel_scheme(deprel for sentence in read_conllu(path) for deprel in sentence.deprels) == UNIVERSAL
