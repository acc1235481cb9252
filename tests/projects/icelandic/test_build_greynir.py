"""The builder of the Icelandic treebank, on small sources of the public ones' form."""

import importlib
from pathlib import Path

import pytest
from small_sources import columns, write

from spacy_lal.trees import write_brackets

PROJECT = Path(__file__).resolve().parents[3] / "projects" / "icelandic"
TREES = """( (META (ID-LOCAL a.psd,.1)
        (COMMENT ))
  (S0 (S-MAIN (IP (NP-SUBJ (person_nf Anna Jóns (lemma Anna Jóns)))
                  (VP (so_0 sefur (lemma sofa))))
      (grm \\( (lemma \\()) (grm ...))))

( (META (ID-LOCAL a.psd,.2))
  (S0 (CP-QUE (st H) (st vort)) (NP (exp))))

( (META (ID-LOCAL a.psd,.3)) (S0 (no Test)))

( (META (ID-LOCAL a.psd,.4)) (S0 (no Left)))
"""
CONLLU = columns(
    "# sent_id = A,.1\n1 Anna Anna PROPN person_nf _ 3 nsubj _ _\n"
    "2 Jóns Jóns PROPN person_nf _ 1 flat _ tag=person_nf\n"
    "3 sefur sofa VERB so_0 _ 0 root _ SpaceAfter=No|tag=so_0\n4 ( ( PUNCT grm _ 3 "
    "punct _ _\n"
    "5 ... ... PUNCT grm _ 3 punct _ _"
)
CONLLU += columns("# sent_id = A,.2\n1 Hvort hvort SCONJ st _ 0 root _ _")
CONLLU += columns("# sent_id = A,.3\n1 Test test NOUN no _ 0 root _ _")
CONLLU += columns("# sent_id = A,.4\n1 Left left NOUN no _ 0 root _ _")
BUILT = {
    "train.ptb": (
        "(ROOT (S0 (S (IP (NP (person_nf Anna) (person_nf Jóns)) (VP (so_0 sefur))) "
        "(grm -LRB-) (grm ...))))\n"
    ),
    "dev.ptb": "(ROOT (S0 (CP (st Hvort))))\n",
}


@pytest.fixture
def builder(monkeypatch):
    monkeypatch.syspath_prepend(str(PROJECT / "scripts"))
    return importlib.import_module("build_greynir")


@pytest.fixture
def sources(tmp_path):
    write(tmp_path / "trees", {"devset/psd/a.gld": TREES, "testset/psd/none.txt": ""})
    write(tmp_path / "ud", {"CoNLLU/devset/a.conllu": CONLLU})
    split = {"dev": "A,.2", "test": "A,.3"}
    write(
        tmp_path / "split",
        {
            f"is_gc-ud-{name}.conllu": columns(
                f"# sent_id = {i}\n1 x x X x _ 0 root _ _"
            )
            for name, i in split.items()
        },
    )
    return tmp_path


def test_splits(builder, sources):
    splits = builder.read_splits(
        sources / "trees", sources / "ud", sources / "split", {"A,.4"}
    )
    found = {
        f"{name}.ptb": "".join(
            f"{write_brackets(sentence.tree)}\n" for sentence in sentences
        )
        for name, sentences in splits.items()
    }
    assert found == BUILT
    assert (
        "SpaceAfter=No\n" in splits["train"][0].conllu
        and "tag=" not in splits["train"][0].conllu
    )


def test_unlike_files_are_an_error(builder, sources):
    write(sources / "ud", {"CoNLLU/devset/a.conllu": CONLLU.split("\n\n")[0] + "\n\n"})
    with pytest.raises(
        builder.SourceError, match="expected the 1 sentences of its CoNLL-U, got 4"
    ):
        builder.read_splits(sources / "trees", sources / "ud", sources / "split", set())
