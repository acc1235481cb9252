"""`python -m spacy lal complete`."""

import spacy
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_lal.annotations import get_constituents
from spacy_lal.treebanks.copies import copy_tokens
from spacy_lal.treebanks.docs import DOCBIN_ATTRS

from .conftest import gold_docs


def write(path, *, heads=True, constituents=True):
    """The gold Docs without one of the two kinds of tree."""
    docs = []
    for gold in gold_docs(Vocab()):
        doc = copy_tokens(gold, range(len(gold)), with_arcs=heads)
        if not constituents:
            del doc.spans["constituents"]
        doc.user_data["sent_ids"] = [f"cat-{i}" for i, _ in enumerate(gold.sents)]
        docs.append(doc)
    DocBin(attrs=DOCBIN_ATTRS, docs=docs, store_user_data=True).to_disk(path)
    return path


def read(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


def test_heads(lal, pipeline, tmp_path):
    data = write(tmp_path / "trees.spacy", heads=False)
    result = lal("complete", pipeline, data, tmp_path / "both.spacy")
    assert result.exit_code == 0, result.stderr
    assert "2 Docs; 2 Docs got heads, 0 Docs got constituents, 0 had both or neither" in result.stderr
    before, after = read(data), read(tmp_path / "both.spacy")
    for old, new in zip(before, after, strict=True):
        assert new.has_annotation("DEP") and not old.has_annotation("DEP")
        assert get_constituents(new) == get_constituents(old)
        assert new.user_data["sent_ids"] == old.user_data["sent_ids"]


def test_constituents(lal, pipeline, tmp_path):
    data = write(tmp_path / "heads.spacy", constituents=False)
    result = lal("complete", pipeline, data, tmp_path / "both.spacy", "--batch-size", "1")
    assert "0 Docs got heads, 2 Docs got constituents" in result.stderr
    for old, new in zip(read(data), read(tmp_path / "both.spacy"), strict=True):
        assert [token.head.i for token in new] == [token.head.i for token in old]
        assert new.spans["constituents"]


def test_bad_calls(lal, pipeline, gold_file, tmp_path):
    for arguments, message in (
        ((pipeline, tmp_path / "none.spacy", tmp_path / "out.spacy"), "can't find the file"),
        ((pipeline, gold_file, gold_file), "would be read and written at once"),
        (("nowhere", gold_file, tmp_path / "out.spacy"), "can't load the pipeline 'nowhere'"),
    ):
        result = lal("complete", *arguments)
        assert result.exit_code == 1 and message in result.stderr
    assert not (tmp_path / "out.spacy").exists()
    result = lal("complete", pipeline, gold_file, tmp_path / "out.spacy")
    assert "2 had both or neither" in result.stderr
