"""Test sets alone, GENTLE and a sample of the Wall Street Journal, from small sources
of their form."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from small_sources import columns, pack

from spacy_lal.trees import read_conllu

OWLS = columns(
    "# sent_id = owls-1\n1 Owls owl NOUN NNS _ 2 nsubj _ _\n2 hoot hoot VERB VBP _ 0 "
    "root _ _"
)
TREE = "(ROOT (S (NP (NNS Owls)) (VP (VBP hoot))))\n"
ARTICLE = """
( (S
    (NP-SBJ-1 (NNS Owls) )
    (VP (VBP hoot)
      (S (NP-SBJ (-NONE- *-1) ) ))
    (. .) ))
( (NP (NML (NN x) (NN y)) (NN z)))
"""


def test_gentle(script, tmp_path: Path):
    files = {
        f"{part}/GENTLE_{name}": text
        for part, name, text in (
            ("dep", "poetry_owls.conllu", OWLS),
            ("_build/src/const", "poetry_owls.ptb", TREE),
        )
    }
    script("build_gentle").main(
        [str(pack(tmp_path / "gentle.tar.gz", files)), str(tmp_path / "out")]
    )
    assert (tmp_path / "out" / "test.ptb").read_text("utf8") == TREE
    assert (tmp_path / "out" / "test.conllu").read_text("utf8") == OWLS


def test_wsj(script, tmp_path: Path):
    module = script("build_wsj")
    with ZipFile(tmp_path / "wsj.zip", "w") as archive:
        archive.writestr("treebank/combined/wsj_0001.mrg", ARTICLE)
        archive.writestr("treebank/combined/README", "not asked for")
    module.main([str(tmp_path / "wsj.zip"), str(tmp_path / "out")])
    trees = (tmp_path / "out" / "test.nonml.ptb").read_text("utf8").splitlines()
    assert trees == [
        "(ROOT (S (NP (NNS Owls)) (VP (VBP hoot)) (. .)))",
        "(ROOT (NP (NN x) (NN y) (NN z)))",
    ]
    sentences = list(read_conllu(tmp_path / "out" / "test.conllu"))
    assert [one.metadata["sent_id"] for one in sentences] == [
        "wsj_0001-1",
        "wsj_0001-2",
    ]
    assert (
        sentences[0].words == ["Owls", "hoot", "."] and sentences[0].heads == [None] * 3
    )


def test_another_archive(script, tmp_path: Path):
    module = script("build_wsj")
    with ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("brown/ca01", "")
    (tmp_path / "half.zip").write_bytes((tmp_path / "other.zip").read_bytes()[:20])
    for name, reason in (
        ("other", "is this the right archive"),
        ("half", "expected a whole .zip"),
    ):
        with pytest.raises(script("treebank").SourceError, match=reason):
            module.main([str(tmp_path / f"{name}.zip"), str(tmp_path / "out")])
