"""CoNLL-U: round trips, and errors that say where."""

import pickle
import re
from dataclasses import replace
from pathlib import Path

import pytest

from spacy_lal.files import TreebankError
from spacy_lal.trees import Parse, conllu
from spacy_lal.trees.conllu import format_conllu, read_conllu

TOY = Path(__file__).resolve().parents[2] / "assets" / "toy"

TEXT = """# newdoc id = d1
# sent_id = s1
# text = "She's late."
1\t"\t"\tPUNCT\t``\t_\t4\tpunct\t_\tSpaceAfter=No
2-3\tShe's\t_\t_\t_\t_\t_\t_\t_\t_
2\tShe\tshe\tPRON\tPRP\tCase=Nom|Number=Sing\t4\tnsubj\t_\t_
3\t's\tbe\tAUX\tVBZ\t_\t4\tcop\t_\t_
4\tlate\tlate\tADJ\tJJ\tDegree=Pos\t0\troot\t4:root\tSpaceAfter=No
4.1\tghost\tghost\tNOUN\tNN\t_\t_\t_\t4:dep\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\tSpaceAfter=No|Note=x
6\t"\t"\tPUNCT\t''\t_\t4\tpunct\t_\t_

# sent_id = s2
1\t_\t_\tPUNCT\tNFP\t_\t_\t_\t_\t_
2\tOK\t_\t_\t_\t_\t_\t_\t_\t_

"""


def word(number, form="a", head="0", misc="_"):
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t{misc}"


def lines(*rows):
    return [row + "\n" for row in rows]


def test_columns():
    first, second = read_conllu(TEXT.splitlines(keepends=True))
    assert first.words == ['"', "She", "'s", "late", ".", '"']
    assert first.heads == [4, 4, 4, 0, 4, 4]
    assert first.deprels == ["punct", "nsubj", "cop", "root", "punct", "punct"]
    assert first.tags == ["``", "PRP", "VBZ", "JJ", ".", "''"]
    assert first.morphs == ["", "Case=Nom|Number=Sing", "", "Degree=Pos", "", ""]
    assert first.metadata == {
        "newdoc id": "d1",
        "sent_id": "s1",
        "text": '"She\'s late."',
    }
    assert first.lines == [4, 6, 7, 8, 10, 11] and first.line == 4
    assert second.words == ["_", "OK"]  # an underscore can be a word
    assert second.lemmas == ["_", ""]
    assert second.heads == [None, None]
    assert second.deprels == ["", ""]


def test_ranges_and_empty_nodes_are_no_words_but_keep_their_spaces():
    (first, _) = read_conllu(TEXT.splitlines())
    assert first.spaces == [False, False, True, False, False, True]
    # Where the words do not spell the surface form, no text can be made of them without
    # spaces.
    (sentence,) = read_conllu(
        lines(
            "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
            word(1, "zu", "2"),
            word(2, "dem"),
            word(3, "Bau", "2"),
        )
    )
    assert sentence.spaces == [True, False, True]


def test_round_trip(tmp_path):
    sentences = list(read_conllu(TEXT.splitlines()))
    path = tmp_path / "x.conllu"
    path.write_text("".join(map(format_conllu, sentences)), encoding="utf-8")
    again = list(read_conllu(path))
    for before, after in zip(sentences, again, strict=True):
        for name in [
            "words",
            "lemmas",
            "pos",
            "tags",
            "morphs",
            "heads",
            "deprels",
            "spaces",
            "metadata",
        ]:
            assert getattr(before, name) == getattr(after, name)
    assert [sentence.path for sentence in again] == [str(path)] * 2
    assert "".join(map(format_conllu, again)) == path.read_text(encoding="utf-8")


def test_byte_order_mark_windows_line_ends_and_odd_spaces(tmp_path):
    path = tmp_path / "x.conllu"
    text = "\ufeff" + "\r\n".join(
        [
            word(1, "a  b\u00a0c\u2028d"),
            word(2, head="1"),
            "",
            "",
            word(1),
            "",
            "# the end",
        ]
    )
    path.write_bytes(text.encode("utf-8"))
    first, second = read_conllu(path)
    assert first.words == ["a  b\u00a0c\u2028d", "a"]
    assert second.lines == [5]


def test_what_would_break_a_line_is_written_as_a_space():
    (sentence,) = read_conllu(lines(word(1)))
    odd = replace(sentence, words=["a\tb\nc"], metadata={"text": "a\nb"})
    (again,) = read_conllu(format_conllu(odd).splitlines())
    assert again.words == ["a b c"] and again.metadata == {"text": "a b"}


def test_toy_treebank_is_written_as_it_is_read():
    for name in ["train.conllu", "dev.conllu"]:
        text = (TOY / name).read_text(encoding="utf-8")
        assert "".join(map(format_conllu, read_conllu(TOY / name))) == text


def columns(number, feats):
    return f"{number}\ta\t_\t_\t_\t{feats}\t_\t_\t_\t_"


BAD = [
    (lines("# c", word(1), word(2, head="one")), 3, "whole number"),
    (lines(word(1, head="3"), word(2)), 1, "from 0 to 2"),
    (lines(word(1), word(3)), 2, "expected word number 2, got 3"),
    (lines(word(1), word(1)), 2, "expected word number 2"),
    (lines(word(1), "2\ta\t_"), 2, "expected 10 columns separated by tabs, got 3"),
    (lines(word(1), "2 a _ _ _ _ 1 dep _ _"), 2, "expected 10 columns"),
    (lines(word("x")), 1, "word number"),
    (lines(word(1, form=" ")), 1, "empty"),
    (lines(word(1, head="1")), 1, "circle"),
    (
        lines(
            word(1, head="0"), word(2, head="3"), word(3, head="4"), word(4, head="2")
        ),
        2,
        "circle",
    ),
    (lines("# c", word("1.1")), 2, "without words"),
    (lines(word("9" * 5000)), 1, "word number.*'999*'[.][.][.]$"),
    (lines(word(1), word("1" * 5000 + "-" + "2" * 5000)), 2, "a range"),
    (
        lines(word(1), columns(2, feats="a|b")),
        2,
        "FEATS as Name=Value pairs .* word 2 .'a'., got 'a.b'",
    ),
    (lines(columns(1, feats="A=b|c")), 1, "FEATS"),
    (
        lines("1\tb\r2\tc\r\x1b[2J"),
        1,
        "got 3 .a carriage return alone ends no line.: .*x1b",
    ),
    (
        lines(*[word(i, form="w" * 500, head=i % 900 + 1) for i in range(1, 901)]),
        1,
        "in a circle from word 1 .'w*'...",
    ),
    ([word(1), "\0\n"], 1, "NUL character"),
]


@pytest.mark.parametrize(("rows", "line", "reason"), BAD)
def test_errors_name_file_and_line(tmp_path, rows, line, reason):
    path = tmp_path / "bad.conllu"
    path.write_text("".join([word(1), "\n\n", *rows]), encoding="utf-8")
    with pytest.raises(TreebankError, match=reason) as error:
        list(read_conllu(path))
    message = str(error.value)
    assert message.startswith(f"{path}:{line + 2}: ")
    assert len(message) - len(str(path)) < 500 and message.isprintable()
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_a_sentence_of_too_many_lines(monkeypatch):
    monkeypatch.setattr(conllu, "MAX_ROWS", 3)
    assert (
        len(
            list(
                read_conllu(
                    lines(word(1), word(2), "# c", "", "# c", word(1), "", word(1))
                )
            )
        )
        == 3
    )
    with pytest.raises(TreebankError, match="<conllu>:3: .*at most 3 lines"):
        list(read_conllu(lines(word(1), "", "# c", word(1), word(2), word(3))))


def test_a_multiword_token_has_a_row_of_its_own():
    words = ["I", "do", "n't"]
    spaces = [True, False, True]
    text = format_conllu(Parse(words, spaces=spaces, ranges=[(2, 3)]))
    assert "2-3\tdon't" + 8 * "\t_" + "\n2\tdo" + 8 * "\t_" + "\n3\tn't" in text
    (again,) = read_conllu(text.splitlines())
    assert (again.words, again.spaces) == (words, spaces)


@pytest.mark.parametrize(
    "number, value, message",
    [
        (3, "NO UN", "expected UPOS without white space for word 1 ('Kim')"),
        (4, "\u00a0", "expected XPOS without white space for word 1 ('Kim')"),
        (7, "\u00a0", "expected DEPREL without white space for word 1 ('Kim')"),
        (7, "7", "expected a deprel for word 1 ('Kim'), got '7'"),
    ],
)
def test_values_that_are_none(number, value, message):
    columns = ["1", "Kim", "Kim", "PROPN", "NNP", "_", "0", "root", "_", "_"]
    columns[number] = value
    with pytest.raises(TreebankError, match=re.escape(message)):
        list(read_conllu(["\t".join(columns)]))
