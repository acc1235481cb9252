"""Trees and heads of the same sentences, from two small sources of their form, become
one treebank over the words of the text."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest
from small_sources import columns, write

from spacy_lal.trees import read_conllu

SCRIPTS = Path(__file__).resolve().parents[3] / "projects" / "portuguese" / "scripts"
TREES = """\
#Data

#1 CP1-1 A Ana Luz encontra-se no café: "dela".
(STA+fcl (SUBJ+np (>N+art A)
                  (N<+prop Ana_Luz))
         (P+v-fin encontra-)
         (ACC+pron-pers se)
         (ADVL+pp (H+prp em)
                  (P<+np (>N+art o)
                         (H+n café)))
         (;)
         («)
         (-N<+pp (H+prp de)
                 (P<+pron-pers ela))
         (»)
         (.))

#2 CP1-2 Rua da Luz
(UTT+np (H+prop Rua_da_Luz)
        (N<+num {2}))

#3 CP1-3 Título
(UTT+n Título

#4 CP1-4 Outra coisa
(UTT+np (H+n Outra) (N<+n palavra))

#5 CP1-5 Sem árvore
(UTT+np ())
"""
HEADS = [
    """# sent_id = CP1-1
# text = A Ana Luz encontra-se no café: "dela".
1 A o DET ART Gender=Fem 2 det _ _
2 Ana Ana PROPN PROP _ 4 nsubj _ _
3 Luz Luz PROPN PROP _ 2 flat:name _ _
4-5 encontra-se _ _ _ _ _ _ _ _
4 encontra encontrar VERB V _ 0 root _ _
5 se se PRON PERS _ 4 expl _ _
6-7 no _ _ _ _ _ _ _ _
6 em em ADP PRP _ 8 case _ _
7 o o DET ART _ 8 det _ _
8 café café NOUN N _ 4 obl _ SpaceAfter=No
9 : : PUNCT PU _ 12 punct _ _
10 " " PUNCT PU _ 12 punct _ SpaceAfter=No
11-12 dela _ _ _ _ _ _ _ SpaceAfter=No
11 de de ADP PRP _ 12 case _ _
12 ela ele PRON PERS _ 8 nmod _ _
13 " " PUNCT PU _ 12 punct _ SpaceAfter=No
14 . . PUNCT PU _ 4 punct _ _""",
    """# sent_id = CP1-2
# text = Rua da Luz (2)
1 Rua rua PROPN PROP _ 0 root _ _
2-3 da _ _ _ _ _ _ _ _
2 de de ADP PRP _ 4 case _ _
3 a o DET ART _ 4 det _ _
4 Luz Luz PROPN PROP _ 1 nmod _ _
5 (2) 2 NUM NUM _ 1 nummod _ _""",
    """# sent_id = CP1-3
# text = Título
1 Título título NOUN N _ 0 root _ _""",
    """# sent_id = CP1-4
# text = Outra coisa
1 Outra outro DET DET _ 2 det _ _
2 coisa coisa NOUN N _ 0 root _ _""",
    """# sent_id = CP1-5
# text = Sem árvore
1 Sem sem ADP PRP _ 2 case _ _
2 árvore árvore NOUN N _ 0 root _ _""",
]
BRACKETS = """\
(ROOT (FCL (NP (art A) (NP (prop Ana) (prop Luz))) (v-fin+pron-pers encontra-se) \
(PP (prp+art no) (n café)) (punc :) (punc ") (prp+pron-pers dela) (punc ") (punc .)))
(ROOT (NP (prop Rua) (prop da) (prop Luz) (num -LRB-2-RRB-)))
(ROOT (n Título))
"""


@pytest.fixture
def building(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    monkeypatch.delitem(sys.modules, "build_treebank", raising=False)
    return importlib.import_module("build_treebank")


def test_both_trees_have_the_words_of_the_text(building: ModuleType, tmp_path: Path):
    trees, output = tmp_path / "trees.ptb", tmp_path / "corpus" / "train"
    trees.write_text(TREES, encoding="latin-1")
    files = {"a.conllu": "".join(map(columns, HEADS[:3]))}
    files["b.conllu"] = "".join(map(columns, HEADS[3:]))
    write(tmp_path / "heads", files)
    building.build(trees, str(tmp_path / "heads" / "*.conllu"), output)
    assert output.with_suffix(".ptb").read_text(encoding="utf8") == BRACKETS
    first, second, _ = read_conllu(output.with_suffix(".conllu"))
    assert list(first.words[3:9]) == ["encontra-se", "no", "café", ":", '"', "dela"]
    pairs = zip(first.words, first.spaces or [], strict=True)
    text = "".join(word + " " * has_space for word, has_space in pairs)
    assert text.strip() == first.metadata["text"]
    assert list(first.heads or []) == [2, 4, 2, 0, 6, 4, 9, 9, 6, 9, 4]
    assert list(first.deprels or [])[3:9:2] == ["root", "obl", "punct"]
    assert [first.lemmas[i] for i in (3, 4, 8)] == ["encontrar", "em", "ele"]
    assert [first.pos[i] for i in (3, 4, 8)] == ["VERB", "ADP", "PRON"]
    assert first.tags[4] == "prp+art" and first.morphs[0] == "Gender=Fem"
    assert list(second.heads or []) == [0, 3, 1, 1]


def test_what_does_not_join_is_named(
    building: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    trees, heads = tmp_path / "trees.ptb", tmp_path / "heads.conllu"
    trees.write_text(TREES, encoding="latin-1")
    heads.write_text("".join(map(columns, HEADS)), encoding="utf8")
    building.build(trees, str(heads), tmp_path / "train")
    captured = capsys.readouterr()
    assert "CP1-4: [Tree('n', ['palavra'])] are not [{'coisa'}]" in captured.err
    assert "CP1-5" in captured.err and captured.out.endswith("train: 3 sentences\n")
