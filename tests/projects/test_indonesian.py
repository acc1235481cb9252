"""The files of an Indonesian training, from small sources of their form."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import List

import pytest
from small_sources import columns, write

from spacy_lal.trees import Parse, parse_tree, read_conllu, write_brackets

SCRIPTS = Path(__file__).resolve().parents[2] / "projects" / "indonesian" / "scripts"
TREE = (
    "(S (PP (PPO bagi) (NP (NNO anak) (PUN -) (NNO anak))) (PUN ,) "
    '(PUN ") (NP (NNO nama) (PRK nya)) (PUN ") (PUN .))'
)
DASH = "(S (NP (NNO kota) (NP (PUN -) (NNO ibu))) (PUN -LRB-) (ADV lalu) (PUN -RRB-))"
GSD = """# sent_id = g-{n}
# text = tim sepak datang.
# other = x
1 tim tim NOUN NSD Number=Sing 3 nsubj _ _
2 {form} {lemma} NOUN NSD _ 1 compound _ _
3 datang datang VERB VSA _ 0 root _ SpaceAfter=No
4 . . PUNCT Z-- _ 3 punct _ _"""
OTHER = """# sent_id = o-1
1 Tim Tim NOUN NN _ 3 nsubj _ _
2 Bola Bola NOUN NN _ 1 nmod _ _
3 datang Datang VERB VB _ 0 root _ _
4 pada pada ADP IN _ 5 case _ _
5 tim tim NOUN NN _ 3 obl:tmod _ _
6 dari dari ADP IN _ 7 case _ _
7 kota kota NOUN NN _ 5 nmod _ SpaceAfter=No
8 . . PUNCT . _ 3 punct _ _"""


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "build_treebank", raising=False)
    return importlib.import_module("build_treebank")


def text_of(sentence: Parse) -> str:
    pairs = zip(sentence.words, sentence.spaces, strict=True)
    return "".join(word + " " * space for word, space in pairs).strip()


def test_doubled_words_are_one_where_their_parts_are_sisters(building: ModuleType):
    joined = building.join_hyphens(parse_tree(TREE))
    assert write_brackets(joined).startswith("(S (PP (PPO bagi) (NNO anak-anak)) ")
    dash = parse_tree(DASH)
    assert building.join_hyphens(dash) == dash


@pytest.mark.parametrize(
    ("tree", "text"),
    [(TREE, 'bagi anak-anak, "namanya".'), (DASH, "kota - ibu (lalu)")],
)
def test_words_become_a_text(building: ModuleType, tree: str, text: str):
    both = [parse_tree(tree), building.join_hyphens(parse_tree(tree))]
    for one in both:
        pairs = zip(one.leaves(), building.spaces_of(one), strict=True)
        assert "".join(word + " " * space for word, space in pairs).strip() == text


def test_files(building: ModuleType, tmp_path: Path):
    gsd = "".join(
        columns(GSD.format(n=n, form=form, lemma=lemma))
        for n, (form, lemma) in enumerate([("sepak", "sepak"), ("Bola", "bola")] * 3)
    )
    files = {f"{name}.ptb": f"{TREE}\n{DASH}\n" for name in ("train", "dev")}
    files["gsd_dev.conllu"] = gsd
    for name in building.OTHERS:
        files[f"{name}.conllu"] = columns(OTHER)
    building.build(write(tmp_path / "in", files), tmp_path / "out")

    def read(name: str) -> List[Parse]:
        return list(read_conllu(tmp_path / "out" / f"{name}.conllu"))

    assert [text_of(one) for one in read("icon_dev")] == [
        text_of(one) for one in read("icon_joined_dev")
    ]
    assert read("icon_train")[0].heads == [None] * 10
    assert read("icon_train")[0].tags[1] == "NNO"
    dev, train = read("gsd_dev"), read("gsd")
    assert [one.metadata["sent_id"] for one in dev] == ["g-2", "g-5"]
    assert len(train) == 4 and train[0].tags == [""] * 4
    assert list(train[0].metadata) == ["sent_id", "text"]
    other = read("other")[0]
    assert other.deprels[:2] == ["nsubj", "compound"]
    assert other.deprels[4:7] == [
        "unsure",
        "unsure",
        "unsure",
    ]  # GSD has no such deprel
    assert other.heads == [3, 1, 0, 5, 3, 7, 5, 3]
    assert other.lemmas[:3] == ["tim", "bola", "datang"]
