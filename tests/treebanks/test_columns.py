"""Columns of CoNLL-2012: read, written, refused with file and line."""

import pytest
from spacy.vocab import Vocab

from spacy_lal.annotations import SPANS_KEY, get_constituents
from spacy_lal.files import TreebankError
from spacy_lal.treebanks.columns import document_lines, format_columns, read_columns
from spacy_lal.treebanks.docs import make_docs
from spacy_lal.trees import Constituent, Parse
from spacy_lal.trees.roles import Proposition

# In the form of OntoNotes, with senses, speakers, entities and coreference.
ONTONOTES = """\
#begin document (bc/x); part 001
bc/x  1  0   She   PRP  (TOP(S(NP*)   -     -   -  Ann    *       (ARG0*)  *       (3)
bc/x  1  1  gave   VBD         (VP*  give  01   2  Ann    *          (V*)  *        -
bc/x  1  2  up     RP        (PRT*)   -     -   -  Ann    *        (C-V*)  *        -
bc/x  1  3  books  NNS        (NP*)) book  01   -  Ann (GPE)      (ARG1*) (V*)      -
bc/x  1  4  -RRB-  -RRB-        *))   -     -   -  Ann    *           *    *        -

bc/x  1  0  Yes  UH  (TOP(INTJ*))  yes  -  1  -  *  -

#end document
#begin document (bc/y); part 000
bc/y  0  0  Go  VB  *  go  XX  -  -  *  (V*)  -
#end document
"""
GIVE = Proposition(
    1, "give.01", ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "C-V"), (3, 4, "ARG1")), "give"
)
BOOK = Proposition(3, "book.01", ((3, 4, "V"),), "book")


def write(tmp_path, text, name="x_gold_conll"):
    path = tmp_path / name
    path.write_text(text, encoding="utf8", errors="surrogateescape")
    return path


def test_read(tmp_path):
    first, second, third = read_columns(write(tmp_path, ONTONOTES))
    assert first.words == ["She", "gave", "up", "books", ")"]
    assert first.tags == ["PRP", "VBD", "RP", "NNS", "-RRB-"]
    assert first.to_brackets() == (
        "(S (NP (PRP She)) (VP (VBD gave) (PRT (RP up)) (NP (NNS books))) "
        "(-RRB- -RRB-))"
    )
    assert first.roles == (GIVE, BOOK)
    assert [one.sent_id for one in (first, second, third)] == [
        "bc/x/001-1",
        "bc/x/001-2",
        "bc/y/000-1",
    ]
    assert [one.begins("newdoc") for one in (first, second, third)] == [
        True,
        False,
        True,
    ]
    assert second.roles == () and second.constituents == [Constituent(0, 1, "INTJ")]
    assert third.constituents is None and third.roles == (
        Proposition(0, "", ((0, 1, "V"),), "go"),
    )
    assert first.heads is None and first.line == 2


def test_a_sentence_without_tree_leaves_the_trees_of_its_neighbours(tmp_path):
    """`she gave up` has a tree, `Go` has none: they do not share a Doc, since a Doc has
    trees for all its sentences."""
    path = write(tmp_path, ONTONOTES)
    parses = read_columns(path)
    trees = [parse.constituents for parse in parses if parse.constituents]
    with_trees, without = make_docs(read_columns(path), Vocab(), n_sents=10)
    assert get_constituents(with_trees) == trees and SPANS_KEY not in without.spans
    assert [len(list(doc.sents)) for doc in (with_trees, without)] == [2, 1]


def columns(sentence):
    return (
        sentence.words,
        sentence.tags,
        sentence.constituents,
        sentence.roles,
    )


def test_written_and_read_again(tmp_path):
    sentences = list(read_columns(write(tmp_path, ONTONOTES)))
    begin, end = document_lines("bc/x")
    assert begin == "#begin document (bc/x); part 000\n"
    text = begin + "".join(format_columns(one, "bc/x") for one in sentences) + end
    again = list(read_columns(write(tmp_path, text)))
    assert list(map(columns, again)) == list(map(columns, sentences))
    assert (
        text.splitlines()[2].split()
        == "bc/x 0 1 gave VBD (VP* give 01 - - * (V*) * -".split()
    )


@pytest.mark.parametrize(
    "roleset, lemma, cells",
    [
        ("good.02", "better", ("better", "good.02")),
        ("give_up.06", "give", ("give", "give_up.06")),
        ("give.LV", "give", ("give", "LV")),
        ("", "give", ("give", "XX")),
        ("", "", ("-", "XX")),
        ("give.XX", "give", ("give", "give.XX")),
        ("odd", "", ("-", "odd")),
    ],
)
def test_rolesets(tmp_path, roleset, lemma, cells):
    proposition = Proposition(0, roleset, ((0, 1, "V"),), lemma)
    text = format_columns(Parse(["New_York("], [""], roles=(proposition,)))
    assert tuple(text.split()[6:8]) == cells
    (sentence,) = read_columns(write(tmp_path, text))
    assert (
        sentence.words == ["New_York("]
        and sentence.roles == (proposition,)
        and sentence.sent_id == ""
    )


def line(*cells):
    return "\t".join(["d", "0", "0", *cells]) + "\n"


GO = line("Go", "VB", "(S*)", "go", "01", "-", "-", "*", "(V*)", "-")


@pytest.mark.parametrize(
    "text, number, message",
    [
        (
            GO + GO.replace("0\tGo", "1\tGo"),
            1,
            "expected 14 columns .*2 predicates.*got 13",
        ),
        (GO + GO, 2, "expected the word number 1, got '0' .is an empty line missing"),
        (GO.replace("0\tGo", "1\tGo"), 1, "expected the word number 0, got '1'"),
        (
            "#begin document (d)\n\nd 0 0 Go VB\n",
            3,
            "expected 12 columns .*0 predicates.*got 5",
        ),
        (GO.replace("(S*)", "(S"), 1, "the parse is no tree over the sentence"),
        (
            GO.replace("(S*)", "(S*"),
            1,
            "the parse is no tree over the sentence: .*never closed|no tree",
        ),
        (
            GO.replace("(V*)", "(V*"),
            1,
            r"\(V\* is not closed by the end of the sentence, in column 12",
        ),
        (GO.replace("(V*)", "(ARG1*)"), 1, "one of them V, .*, in column 12"),
        (GO.replace("(V*)", "(A(V*))"), 1, "nested"),
        ("\n" + GO + "\udcff", 3, "expected UTF-8"),
    ],
)
def test_malformed(tmp_path, text, number, message):
    with pytest.raises(TreebankError, match=rf"x_gold_conll:{number}: .*({message})"):
        list(read_columns(write(tmp_path, text)))
