"""MASC from a small source of its form: which files it gives, and what is left out of them."""

from pathlib import Path

import pytest
from small_sources import columns, pack, write

from spacy_lal.trees import parse_tree, write_brackets

MASC = "src/main/resources/Propbank"
TREES = f"{MASC}/Penn_Treebank-orig/data"
TEXTS = f"{MASC}/MASC1_textfiles"

LETTER = """
( (CODE <TURN>))
( (NP-TMP (NNP May) (CD 1998)))

( (S (NP-SBJ-1 (PRP$ Your) (`` ``) (NN gift) ('' ''))
     (VP (VBZ is)
\t (RB n't)
\t (VP (VBN wanted)
\t     (NP (-NONE- *-1))))
     (. .)
     (SU /)))
( (S (NP-SBJ (-LSB- -LSB-) (NNS Owls) (-RSB- -RSB-)) (VP (VBP hoot)
( (S (EDITED (CODE <disfluency>) (NP (PRP I))) (NP-SBJ (PRP we)) (VP (VBP hoot))))
( (NP (NN Never) (NN said)))
( (S (NP-SBJ (PRP We)) (XX hoots)))
( (S (NP-SBJ (PRP We)) (NP (NP hoot)) ))
( (S (NP-SBJ (# #) (-LSB- -LSB-) (NML (NML (JJ old) (NNS owls)) (CC and) (NNS mice)) (-RSB- -RSB-)) (VP (VBP sleep))))
"""
LETTER_TEXT = """
   May 1998

   Your “gift” isn’t
   wanted. I we hoot. We hoots. We hoot #[old owls and mice] sleep

"""
FILES = {
    f"{TREES}/written/A1.E1-NEW.mrg": LETTER,
    f"{TREES}/written/.svn/text-base/A1.E1-NEW.mrg.svn-base": LETTER,
    f"{TREES}/written/117.mrg.txt": "( (NP (NNS\u00a0Owls)))\n",
    f"{TREES}/written/lost.mrg": "( (NP (NNS Mice)))\n",
    f"{TREES}/written/wsj_0001.mrg": "( (NP (NNS Markets)))\n",
    f"{TREES}/written/ENRON-mail.mrg": "( (NP (NNS Mails)))\n",
    f"{TREES}/spoken/sw2014-trans.mrg": "( (INTJ (UH Uh)))\n",
    f"{TREES}/spoken/swallow.mrg": "( (NP (NNS Swallows)))\n",
    f"{TEXTS}/written/A1.E1-NEW.txt": LETTER_TEXT,
    f"{TEXTS}/written/117.txt": "Owls\n",
    f"{TEXTS}/written/wsj_0001.txt": "Markets\n",
    f"{TEXTS}/written/ENRON-mail.txt": "Mails\n",
    f"{TEXTS}/spoken/sw2014-trans.txt": "Uh\n",
    f"{TEXTS}/spoken/swallow.txt": "Swallows\n",
}
SWALLOWS = "(ROOT (NP (NNS Swallows)))\n"
OWLS = "(ROOT (NP (NNS Owls)))\n"
GIFT = (
    "(ROOT (NP (NNP May) (CD 1998)))\n"
    "(ROOT (S (NP (PRP$ Your) (`` “) (NN gift) ('' ”)) (VP (VBZ is) (RB n’t) (VP (VBN wanted))) (. .)))\n"
)
OLD = "(ROOT (S (NP (SYM #) (-LRB- -LSB-) {} (-RRB- -RSB-)) (VP (VBP sleep))))\n"
BUILT = {
    "train.ptb": SWALLOWS + OWLS + GIFT + OLD.format("(NML (NML (JJ old) (NNS owls)) (CC and) (NNS mice))"),
    "train.nonml.ptb": SWALLOWS + OWLS + GIFT + OLD.format("(JJ old) (NNS owls) (CC and) (NNS mice)"),
    "train.conllu": columns(
        """
        # newdoc id = swallow
        # sent_id = MASC-swallow-1
        # text = Swallows
        1 Swallows _ _ NNS _ _ _ _ _
        """
    )
    + columns(
        """
        # newdoc id = 117
        # sent_id = MASC-117-1
        # text = Owls
        1 Owls _ _ NNS _ _ _ _ _
        """
    )
    + columns(
        """
        # newdoc id = A1.E1-NEW
        # sent_id = MASC-A1.E1-NEW-2
        # text = May 1998
        1 May _ _ NNP _ _ _ _ _
        2 1998 _ _ CD _ _ _ _ _
        """
    )
    + columns(
        """
        # sent_id = MASC-A1.E1-NEW-3
        # text = Your “gift” isn’t wanted.
        1 Your _ _ PRP$ _ _ _ _ _
        2 “ _ _ `` _ _ _ _ SpaceAfter=No
        3 gift _ _ NN _ _ _ _ SpaceAfter=No
        4 ” _ _ '' _ _ _ _ _
        5 is _ _ VBZ _ _ _ _ SpaceAfter=No
        6 n’t _ _ RB _ _ _ _ _
        7 wanted _ _ VBN _ _ _ _ SpaceAfter=No
        8 . _ _ . _ _ _ _ _
        """
    )
    + columns(
        """
        # sent_id = MASC-A1.E1-NEW-9
        # text = #[old owls and mice] sleep
        1 # _ _ SYM _ _ _ _ SpaceAfter=No
        2 [ _ _ -LRB- _ _ _ _ SpaceAfter=No
        3 old _ _ JJ _ _ _ _ _
        4 owls _ _ NNS _ _ _ _ _
        5 and _ _ CC _ _ _ _ _
        6 mice _ _ NNS _ _ _ _ SpaceAfter=No
        7 ] _ _ -RRB- _ _ _ _ _
        8 sleep _ _ VBP _ _ _ _ _
        """
    ),
}


@pytest.fixture
def masc(script, expect):
    module = script("build_masc")
    expect("masc", BUILT)
    return module


def test_files(masc, tmp_path: Path):
    for source in (write(tmp_path / "folder", FILES), pack(tmp_path / "archive.tar.gz", FILES)):
        output = tmp_path / f"from {source.name}"
        masc.main([str(source), str(output)])
        assert {path.name: path.read_text("utf8") for path in output.iterdir()} == BUILT


def test_what_is_left_out_is_named(masc, tmp_path: Path, capsys: pytest.CaptureFixture):
    masc.main([str(write(tmp_path / "masc", FILES)), str(tmp_path / "out")])
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("A1.E1-NEW.mrg:12: left out, ") and "3 brackets are still open" in printed[0]
    assert printed[1 : -len(BUILT)] == [
        "A1.E1-NEW.mrg:13: left out, it has a repair",
        "A1.E1-NEW.mrg:14: left out, it is not in the text",
        "A1.E1-NEW.mrg:15: left out, expected a tag above 'hoots'",
        "A1.E1-NEW.mrg:16: left out, expected a tag above 'hoot'",
        "lost.mrg: left out, there is no text of it",
    ]


def test_sentences_are_found_one_after_another(masc):
    """The same words again are the next of them; quotation marks may be two characters in the text, too."""
    text = masc.Text("Owls hoot.Owls  ``hoot''.")
    assert text.find(["Owls", "hoot", "."]) == (["Owls", "hoot", "."], [True, False, False])
    assert text.find(["mice"]) is None
    assert text.find(["Owls", "``", "hoot", "''", "."])[0] == ["Owls", "``", "hoot", "''", "."]
    assert text.find(["Owls"]) is None


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(S (CODE <TURN>) (VP (VB go)) (SU /))", "(S (VP (VB go)))"),
        ("(S (EDITED (CODE <x>)) (VP (VB go)))", "(S (VP (VB go)))"),
        ("(FRAG (CODE <TURN>))", None),
    ],
)
def test_marks_are_no_words(masc, text: str, expected: str):
    tree = masc.without_marks(parse_tree(text))
    assert (tree and write_brackets(tree)) == expected


def test_an_unreadable_file_is_named(masc, script, tmp_path: Path):
    files = {**FILES, f"{TREES}/written/117.mrg.txt": "( (NP (NNS Owls))) (NP (NNS Owls))\n"}
    with pytest.raises(script("treebank").SourceError, match=r"117.mrg.txt:1: expected one tree, got 2"):
        masc.main([str(write(tmp_path / "masc", files)), str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
