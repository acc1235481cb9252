"""Treebanks as sentences and Docs: what comes out is what is in the files, and files
that disagree say where."""

import resource
from itertools import islice
from pathlib import Path

import pytest
from spacy.lang.en import English
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_lal.annotations import SPANS_KEY, get_constituents
from spacy_lal.export import to_conllu
from spacy_lal.files import TreebankError
from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.treebanks.reader import (
    TreebankFiles,
    find_files,
    read_treebank,
    read_trees,
)
from spacy_lal.treebanks.report import check_treebank
from spacy_lal.trees import Parse, write_brackets
from spacy_lal.trees.brackets import read_brackets
from spacy_lal.trees.conllu import read_conllu

TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"
TREES = [
    "(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .)))",
    "(ROOT (S (VP (VB Go)) (. .)))",
    "(ROOT (NP (-LRB- -LRB-) (NN rain) (-RRB- -RRB-)))",
]


def row(number, form, head, deprel, tag="NN", misc="_"):
    return (
        f"{number}\t{form}\t{form.lower()}\tX\t{tag}\t_\t{head}\t{deprel}\t_\t{misc}\n"
    )


SENTENCES = [
    "# newdoc id = d1\n# sent_id = a-1\n"
    + row(1, "The", 2, "det", "DT")
    + row(2, "dog", 3, "nsubj")
    + row(3, "barks", 0, "root", "VBZ", "SpaceAfter=No")
    + row(4, ".", 3, "punct", "."),
    "# sent_id = a-2\n"
    + row(1, "Go", 0, "root", "VB", "SpaceAfter=No")
    + row(2, ".", 1, "punct", "."),
    "# newdoc id = d2\n# sent_id = b-1\n"
    + row(1, "(", 2, "punct", "-LRB-", "SpaceAfter=No")
    + row(2, "rain", 0, "root", "NN", "SpaceAfter=No")
    + row(3, ")", 2, "punct", "-RRB-"),
]


@pytest.fixture
def treebank(tmp_path):
    """Writes trees and CoNLL-U sentences to files and gives their paths."""

    def write(trees=TREES, sentences=SENTENCES):
        ptb, conllu = tmp_path / "x.ptb", tmp_path / "x.conllu"
        ptb.write_text("".join(f"{tree}\n" for tree in trees), encoding="utf-8")
        conllu.write_text(
            "".join(f"{sentence}\n" for sentence in sentences), encoding="utf-8"
        )
        return ptb, conllu

    return write


def docs_of(ptb, conllu, **options):
    return list(make_docs(read_treebank(ptb, conllu), Vocab(), **options))


def through_docbin(docs, path):
    write_docs(docs, path)
    return list(DocBin().from_disk(path).get_docs(Vocab()))


def written(doc):
    """The sentences of a Doc as its CoNLL-U has them."""
    return list(read_conllu(to_conllu(doc).splitlines()))


def labelled(doc):
    return [(span.start, span.end, span.label_) for span in doc.spans[SPANS_KEY]]


# Docs


def test_both_kinds(treebank):
    dog, go, rain = docs_of(*treebank())
    assert dog.text == "The dog barks. "
    assert [token.head.i for token in dog] == [1, 2, 2, 2]
    assert [token.dep_ for token in dog] == ["det", "nsubj", "ROOT", "punct"]
    assert [token.tag_ for token in dog] == ["DT", "NN", "VBZ", "."]
    assert [token.lemma_ for token in dog] == ["the", "dog", "barks", "."]
    assert labelled(dog) == [(0, 4, "S"), (0, 2, "NP"), (2, 3, "VP")]
    assert labelled(go) == [(0, 2, "S"), (0, 1, "VP")]
    assert [token.text for token in rain] == ["(", "rain", ")"]


def test_sentence_ids_are_kept(treebank, tmp_path):
    docs = docs_of(*treebank(), n_sents=2)
    assert [list(doc.user_data["sent_ids"]) for doc in docs] == [
        ["a-1", "a-2"],
        ["b-1"],
    ]
    loaded = through_docbin(docs, tmp_path / "x.spacy")
    assert [list(doc.user_data["sent_ids"]) for doc in loaded] == [
        ["a-1", "a-2"],
        ["b-1"],
    ]
    ptb, _ = treebank()
    assert not docs_of(ptb, None)[0].user_data


def test_a_root_over_several_constituents_is_no_constituent(treebank):
    ptb, _ = treebank(["(TOP (NP (NN rain)) (NP (NN snow)))", "(TOP (UH yes))"])
    several, none = docs_of(ptb, None)
    assert labelled(several) == [(0, 1, "NP"), (1, 2, "NP")]
    assert SPANS_KEY in none.spans and labelled(none) == []


@pytest.mark.parametrize("n_sents", [1, 2, 10])
def test_grouping(treebank, n_sents, tmp_path):
    docs = through_docbin(docs_of(*treebank(), n_sents=n_sents), tmp_path / "x.spacy")
    assert [len(list(doc.sents)) for doc in docs] == {1: [1, 1, 1], 2: [2, 1], 10: [3]}[
        n_sents
    ]
    constituents = [sentence for doc in docs for sentence in get_constituents(doc)]
    assert constituents == [tree.constituents for tree in read_trees(treebank()[0])]


def test_grouping_by_document(treebank):
    assert [
        len(list(doc.sents))
        for doc in docs_of(*treebank(), n_sents=0, by_document=True)
    ] == [2, 1]
    assert [
        len(list(doc.sents))
        for doc in docs_of(*treebank(), n_sents=1, by_document=True)
    ] == [1, 1, 1]
    assert len(docs_of(*treebank(), n_sents=0)) == 1


# Missing heads, roots


def test_missing_heads_are_unset_and_sentence_boundaries_survive(treebank, tmp_path):
    first = (
        row(1, "The", "_", "_")
        + row(2, "dog", 3, "nsubj")
        + row(3, "barks", 0, "root")
        + row(4, ".", "_", "_")
    )
    conllu = treebank(sentences=[first, SENTENCES[1], first])[1]
    made = docs_of(None, conllu, n_sents=3)
    for doc in [*made, *through_docbin(made, tmp_path / "s.spacy")]:
        assert [token.has_head() for token in doc][:6] == [
            False,
            True,
            True,
            False,
            True,
            True,
        ]
        assert [sent.start for sent in doc.sents] == [0, 4, 6]
    assert [sentence.heads for sentence in written(doc)] == [
        [None, 3, 0, None],
        [0, 1],
        [None, 3, 0, None],
    ]


def test_sentences_without_any_head_or_without_root_stand_alone(treebank, tmp_path):
    no_heads = row(1, "a", "_", "_") + row(2, "b", "_", "_")
    no_root = row(1, "a", "_", "_") + row(2, "b", 3, "x") + row(3, "c", "_", "_")
    conllu = treebank(
        sentences=[SENTENCES[1], no_heads, no_heads, no_root, no_root, SENTENCES[1]]
    )[1]
    docs = through_docbin(docs_of(None, conllu, n_sents=6), tmp_path / "x.spacy")
    assert [[len(sent) for sent in doc.sents] for doc in docs] == [
        [2],
        [2, 2],
        [3],
        [3],
        [2],
    ]
    assert [[token.has_head() for token in doc] for doc in docs[2:4]] == [
        [False, True, False]
    ] * 2
    assert docs[2][1].head.i == 2


def test_second_root_is_left_unset_and_does_not_split_the_sentence(treebank, tmp_path):
    two = (
        row(1, "a", 2, "x")
        + row(2, "b", 0, "root")
        + row(3, "c", 0, "root")
        + row(4, "d", 3, "x")
    )
    conllu = treebank(sentences=[two, two])[1]
    (doc,) = through_docbin(docs_of(None, conllu, n_sents=2), tmp_path / "x.spacy")
    assert [sent.start for sent in doc.sents] == [0, 4]
    assert written(doc)[0].heads == [2, 0, None, 3]


def test_an_unknown_upos_is_left_out_with_a_warning(treebank, tmp_path):
    words = row(1, "Go", 0, "root") + row(2, "on", 1, "prt").replace(
        "\tX\t", "\tPREPO\t"
    )
    none = row(1, "Go", 0, "root").replace("\tX\t", "\t_\t")
    _, conllu = treebank(sentences=[none, words, words])
    with pytest.warns(
        UserWarning,
        match=(
            r"left out 2 UPOS that spaCy does not know \(first .*x\.conllu:4: "
            r"'PREPO'\)"
        ),
    ):
        docs = docs_of(None, conllu)
    assert [[token.pos_ for token in doc] for doc in docs] == [
        [""],
        ["X", ""],
        ["X", ""],
    ]
    assert check_treebank(TreebankFiles(None, conllu)).figures["unknown_pos"] == 2


def test_conllu_of_a_doc_leaves_whitespace_tokens_out():
    words = ["\n", "dogs", " ", "bark", "loudly"]
    doc = Doc(
        English().vocab,  # its lexemes know what whitespace is
        words=words,
        spaces=[False, True, False, True, False],
        heads=[1, 3, 1, 3, 2],
        deps=["dep", "nsubj", "dep", "ROOT", "advmod"],
    )
    (sentence,) = written(doc)
    assert sentence.words == ["dogs", "bark", "loudly"]
    assert sentence.heads == [
        2,
        0,
        1,
    ]  # "loudly" hung on a space, which hangs on "dogs"
    assert sentence.deprels == ["nsubj", "root", "advmod"]


# Disagreements


def test_escapes_in_the_conllu_are_undone_where_the_tree_has_raw_text(treebank):
    tree = "(ROOT (NP (-LRB- -LRB-) (CD 3\\/4) (NN a-RRB-) (NN -LSB-) (: --)))"
    words = ["-LRB-", "3\\/4", "a-RRB-", "[", "—"]
    sentence = "".join(
        row(i, word, i - 1, "root" if i == 1 else "dep")
        for i, word in enumerate(words, start=1)
    )
    (doc,) = docs_of(*treebank([tree], [sentence]))
    assert [token.text for token in doc] == ["(", "3/4", "a)", "[", "—"]
    (alone,) = docs_of(None, treebank([tree], [sentence])[1])
    assert [token.text for token in alone] == words
    message = disagreement(*treebank([tree], [sentence.replace("-LRB-", "-RRB-", 1)]))
    assert "word 1 is '(' in the tree and '-RRB-' in the CoNLL-U" in message


def test_a_space_within_a_word_may_be_an_underscore_in_the_tree(treebank):
    tree, sentence = (
        "(ROOT (NP (CD 20_000) (NNS patients)))",
        row(1, "20\u00a0000", 2, "nummod") + row(2, "patients", 0, "root"),
    )
    (doc,) = docs_of(*treebank([tree], [sentence]))
    assert [token.text for token in doc] == ["20\u00a0000", "patients"]


def disagreement(ptb, conllu):
    with pytest.raises(TreebankError) as error:
        list(read_treebank(ptb, conllu))
    return str(error.value)


def test_other_word(treebank):
    ptb, conllu = treebank(
        sentences=[SENTENCES[0], SENTENCES[1].replace("Go", "Run"), SENTENCES[2]]
    )
    message = disagreement(ptb, conllu)
    assert message.startswith(
        f"{ptb}:2 and {conllu}:9: word 1 is 'Go' in the tree and 'Run' in the CoNLL-U"
    )


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_missing_sentence(treebank, missing):
    ptb, conllu = treebank(sentences=SENTENCES[:missing] + SENTENCES[missing + 1 :])
    assert disagreement(ptb, conllu).startswith(
        f"{ptb}:{missing + 1}: no sentence in {conllu}"
    )


# Files


def test_kinds_of_files(treebank, tmp_path):
    ptb, conllu = treebank()
    assert find_files([conllu, ptb])[:2] == (ptb, conllu)
    assert find_files([ptb])[:2] == (ptb, None)
    for path, name in [(ptb, "trees.txt"), (conllu, "arcs.txt")]:
        (tmp_path / name).write_text(
            "\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8"
        )
    assert find_files([tmp_path / "arcs.txt", tmp_path / "trees.txt"])[:2] == (
        tmp_path / "trees.txt",
        tmp_path / "arcs.txt",
    )
    (tmp_path / "neither").write_text("\nThe dog barks.\n", encoding="utf-8")
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    for paths, reason in [
        (
            [ptb, tmp_path / "trees.txt"],
            "expected a bracket file, .*trees.txt .brackets",
        ),
        (
            [tmp_path / "neither"],
            r"neither:2: expected a bracketed tree or a line of CoNLL-U",
        ),
        ([tmp_path / "empty"], "empty file"),
        ([tmp_path / "gone.ptb"], "no such file"),
        ([], "got none"),
    ]:
        with pytest.raises(TreebankError, match=reason):
            find_files(paths)


def test_full_disk_leaves_the_file_of_an_earlier_run(treebank, tmp_path):
    path = tmp_path / "x.spacy"
    write_docs(docs_of(*treebank()), path)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before), hard))
    words = Doc(
        Vocab(),
        words=[f"word{i}" for i in range(1000)],
        sent_starts=[True] + [False] * 999,
    )
    try:
        with pytest.raises(OSError):
            write_docs([words], path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before and list(tmp_path.glob("*.part")) == []


# Whole treebanks


def assert_round_trip(ptb, conllu, path, limit=None):
    """Trees and dependencies come back from a `.spacy` file as they stand in the
    treebank, none dropped."""
    docs = through_docbin(
        make_docs(islice(read_treebank(ptb, conllu), limit), Vocab(), n_sents=10), path
    )
    sentences = [
        found
        for doc in docs
        for found in zip(doc.sents, get_constituents(doc), written(doc), strict=True)
    ]
    dependencies, trees = (
        islice(read_conllu(conllu), limit),
        islice(read_brackets(ptb), limit),
    )
    for (sent, spans, ours), gold, tree in zip(
        sentences, dependencies, trees, strict=True
    ):
        assert (ours.words, ours.tags, ours.lemmas) == (
            gold.words,
            gold.tags,
            gold.lemmas,
        )
        assert (ours.heads, ours.deprels, ours.spaces) == (
            gold.heads,
            gold.deprels,
            gold.spaces,
        )
        words, tags = [token.text for token in sent], [token.tag_ for token in sent]
        if spans and spans[0][:2] == (0, len(words)):
            assert Parse(words, tags, spans).to_brackets() == write_brackets(tree)


@pytest.mark.parametrize("name", ["train", "dev"])
def test_toy_treebank_round_trips(name, tmp_path):
    assert_round_trip(TOY / f"{name}.ptb", TOY / f"{name}.conllu", tmp_path / "x.spacy")


@pytest.mark.parametrize(
    "name",
    [
        "ewt/dev.ptb",
        pytest.param("ewt/dev.nonml.ptb", marks=pytest.mark.slow),
        pytest.param("gum/dev.ptb", marks=pytest.mark.slow),
        pytest.param("craft/dev.nonml.ptb", marks=pytest.mark.slow),
    ],
)
def test_development_treebanks_round_trip(shared_dir, name, tmp_path):
    ptb = shared_dir / name
    assert_round_trip(ptb, ptb.with_name("dev.conllu"), tmp_path / "x.spacy", limit=400)


@pytest.mark.parametrize(
    "tree, message",
    [
        ("(S (NP (NNP Kim)) (\u00a0 (VBD left)))", "labels without white space"),
        ("(S (NP (\u00a0 Kim)) (VP (VBD left)))", "labels without white space"),
        ("(S (NP (NNP Kim)) (-NONE- (VBD left)))", "expected -NONE- as a tag of trace"),
        ("(S (NP (NNP Kim)) (ROOT (VBD left)))", "expected ROOT as a root, got it as"),
    ],
)
def test_labels_that_are_none(tmp_path, tree, message):
    path = tmp_path / "a.ptb"
    path.write_text(f"{tree}\n", encoding="utf-8")
    with pytest.raises(TreebankError, match=f"a.ptb:1: .*{message}"):
        list(read_trees(path))
