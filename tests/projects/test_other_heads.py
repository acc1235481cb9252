"""Heads of other treebanks: `du`, `des`, `au`, `aux` are one word, and what another
guideline says is hidden."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from spacy_lal.trees import read_conllu

SCRIPT = Path(__file__).resolve().parents[2] / "projects" / "other_heads.py"
ROWS = """\
# sent_id = jeu-1
# text = Il parle du jeu.
1 Il lui PRON _ _ 2 nsubj _ _
2 parle parler VERB _ _ 0 root _ _
3-4 du _ _ _ _ _ _ _ _
3 de de ADP _ _ 5 case _ _
4 le le DET _ _ 5 det _ _
5 jeu jeu NOUN _ _ 2 {deprel} _ SpaceAfter=No
6 . . PUNCT _ _ 2 punct _ _
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("other_heads", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def conllu(deprel: str) -> str:
    lines = ROWS.format(deprel=deprel).splitlines()
    return "\n".join(
        line if line.startswith("#") else line.replace(" ", "\t") for line in lines
    )


def test_a_contraction_is_one_word_that_hangs_where_its_preposition_does(
    script: ModuleType, tmp_path: Path
):
    sequoia, other, out = (tmp_path / name for name in ("a", "b", "out.conllu"))
    sequoia.write_text(conllu("obl:arg") + "\n\n", encoding="utf8")
    blocks = [conllu("obl:arg"), conllu("reparandum"), conllu("obl:arg")]
    other.write_text("\n\n".join(blocks) + "\n\n", encoding="utf8")
    assert script.main([str(out), str(other), "--deprels", str(sequoia)]) == 0
    first, second = read_conllu(out)
    assert list(first.words) == ["Il", "parle", "du", "jeu", "."]
    assert list(first.heads) == [2, 0, 4, 2, 2]
    assert list(first.deprels) == ["nsubj", "root", "case", "obl:arg", "punct"]
    assert list(second.words) == list(first.words)
    text = out.read_text("utf8")
    assert "jeu\t_\t_\t_\t_\t2\tobl:arg\t_\tSpaceAfter=No" in text


def test_an_unsure_deprel_is_none_of_sequoia(script: ModuleType, tmp_path: Path):
    sequoia, other, out = (tmp_path / name for name in ("a", "b", "out.conllu"))
    sequoia.write_text(conllu("obl") + "\n\n", encoding="utf8")
    other.write_text(conllu("obl") + "\n\n", encoding="utf8")
    arguments = [str(out), str(other), "--deprels", str(sequoia), "--unsure", "obl"]
    assert script.main(arguments) == 0
    (sentence,) = read_conllu(out)
    assert list(sentence.heads) == [2, 0, 4, 2, 2]
    assert list(sentence.deprels) == ["nsubj", "root", "case", "unsure", "punct"]


def test_words_of_other_deprels_keep_nothing(script: ModuleType, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    out = tmp_path / "out.conllu"
    for name in ("a", "b"):
        text = conllu("obl").replace("jeu.", f"{name}.").replace("Il\t", f"{name}\t")
        (tmp_path / "folder" / f"{name}.conllu").write_text(text, encoding="utf8")
    arguments = [str(out), str(tmp_path / "folder"), "--heads", "nsubj", "root"]
    without = ["--without", str(tmp_path / "folder" / "b.conllu")]
    assert script.main([*arguments, *without]) == 0
    (sentence,) = read_conllu(out)
    assert sentence.words[0] == "a"
    assert list(sentence.heads) == [2, 0, None, None, None]
    assert list(sentence.deprels) == ["nsubj", "root", "", "", ""]


def test_a_missing_file_is_named(script: ModuleType, tmp_path: Path, capsys):
    paths = [str(tmp_path / "out"), str(tmp_path / "none"), "--deprels"]
    assert script.main([*paths, str(tmp_path / "none")]) == 1
    assert "none" in capsys.readouterr().err
