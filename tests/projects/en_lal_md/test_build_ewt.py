"""EWT from small sources of its form: skeletons and words are joined, changed words aligned, the unknown left out."""

from pathlib import Path
from typing import Optional

import pytest
from small_sources import columns, pack, write

from spacy_lal.trees import parse_tree, write_brackets

SKELETONS = "data/google/ewt"
SOURCES = "not-to-release/sources"
SHIP = f"{SKELETONS}/weblog/00/ship.xml.gold_skel"
CAFE = f"{SKELETONS}/reviews/01/cafe.xml.gold_skel"


def skeleton(document: str, *sentences: str) -> str:
    """A .gold_skel file. Of each token: tag and brackets, as `PRP:(TOP(S(NP*)`."""
    lines = []
    for number, sentence in enumerate(sentences):
        for i, cell in enumerate(sentence.split()):
            tag, brackets = cell.rsplit(":", 1)
            lines.append(
                f"google/ewt/{document}.xml  {number} {i:2}   [WORD]   {tag:>5}  {brackets:<14} -   -   (ARG1*)"
            )
        lines.append("")
    return "\n".join(lines) + "\n"


PROPBANK = {
    SHIP: skeleton(
        "weblog/00/ship",
        "PRP:(TOP(S(NP(NP*)) VBZ:(VP* JJ:(ADJP*) IN:(SBAR* DT:(S(NP(NML* NN:*) NN:*) VBD:(VP*)))) .:*))",
        "NNS:(TOP(NP*) .:*)",
    ),
    CAFE: skeleton(
        "reviews/01/cafe",
        "JJ:(TOP(NP* NN:*))",
        "VB:(TOP(VP* NFP:(NP* NNP:*)))",
        "NNP:(TOP(NP*))",
    ),
}
UD_2016 = {
    f"{SOURCES}/weblog/ship.xml.conllu": columns(
        """
        # sentence-text: It's clear that the deck crew slept.
        1 It it PRON PRP _ 3 expl _ SpaceAfter=No
        2 's be VERB VBZ _ 3 cop _ _
        3 clear clear ADJ JJ _ 0 root _ _
        4 that that SCONJ IN _ 7 mark _ _
        5 deck deck NOUN NN _ 6 compound _ _
        6 crew crew NOUN NN _ 7 compound _ _
        7 member member NOUN NN _ 8 nsubj _ _
        8 slept sleep VERB VBD _ 3 csubj _ SpaceAfter=No
        9 . . PUNCT . _ 3 punct _ _
        """
    )
    + columns(
        """
        # sentence-text: Oars.
        1 Oars oar NOUN NNS _ 0 root _ SpaceAfter=No
        2 . . PUNCT . _ 1 punct _ _
        """
    ),
    f"{SOURCES}/reviews/cafe.xml.conllu": columns(
        """
        1 Nice nice ADJ JJ _ 2 amod _ _
        2 cafe cafe NOUN NN _ 0 root _ _
        """
    )
    + columns(
        """
        1 ask ask VERB VB _ 0 root _ _
        2 @ @ SYM NFP _ 3 punct _ _
        3 ann Ann PROPN NNP _ 1 dobj _ _
        """
    )
    + "1\tIm\tIm\tPROPN\tNNP\t_\t0\troot\t_\t_\n\n",
}
NEW_SHIP = columns(
    """
    # newdoc id = weblog-ship
    # newpar id = weblog-ship-p0001
    # sent_id = weblog-ship-0001
    # text = It's clear that deck crew member slept.
    1-2 It's _ _ _ _ _ _ _ _
    1 It it PRON PRP _ 3 expl 3:expl _
    2 's be AUX VBZ _ 3 cop 3:cop _
    3 clear clear ADJ JJ _ 0 root 0:root Cxn=Clear
    4 that that SCONJ IN _ 8 mark 8:mark _
    5 deck deck NOUN NN _ 6 compound 6:compound _
    6 crew crew NOUN NN _ 7 compound 7:compound _
    7 member member NOUN NN _ 8 nsubj 8:nsubj _
    8 slept sleep VERB VBD _ 3 csubj 3:csubj SpaceAfter=No
    9 . . PUNCT . _ 3 punct 3:punct _
    """
) + columns(
    """
    # sent_id = weblog-ship-0002
    # text = Oars.
    1 Oars oar NOUN NNS _ 0 root 0:root SpaceAfter=No
    2 . . PUNCT , _ 1 punct 1:punct _
    """
)
NEW_CAFE = columns(
    """
    # newdoc id = reviews-cafe
    # sent_id = reviews-cafe-0001
    # text = Nice caf\u00e9
    1 Nice nice ADJ JJ _ 2 amod 2:amod _
    2 caf\u00e9 caf\u00e9 NOUN NN _ 0 root 0:root _
    """
) + columns(
    """
    # sent_id = reviews-cafe-0002
    # text = ask @ann
    1 ask ask VERB VB _ 0 root 0:root _
    2 @ann @ann PROPN ADD _ 1 obj 1:obj _
    """
)
LOST = columns(
    """
    # sent_id = reviews-cafe-0003
    # text = Im
    1-2 Im _ _ _ _ _ _ _ _
    1 I I PRON PRP _ 0 root 0:root _
    2 m be AUX VBP _ 1 cop 1:cop _
    """
)
UD = {
    "not-to-release/file-lists/files.dev": "weblog/ship.xml.conllu\n",
    "not-to-release/file-lists/files.train": "reviews/bare.xml.conllu\nreviews/cafe.xml.conllu\n",
    "not-to-release/file-lists/files.test": "email/secret.xml.conllu\n",
    f"{SOURCES}/weblog/ship.xml.conllu": NEW_SHIP,
    f"{SOURCES}/reviews/cafe.xml.conllu": NEW_CAFE + LOST,
}


def plain(conllu: str) -> str:
    """CoNLL-U of today's sources as the builder gives it."""
    dropped = ("# newpar", "1-2\t")
    lines = [line.split("\t") for line in conllu.split("\n") if not line.startswith(dropped)]
    for row in lines:
        if len(row) == 10:
            row[8] = "_"
            row[9] = "SpaceAfter=No" if "SpaceAfter=No" in row[9] or row[1] == "It" else "_"
    return "\n".join("\t".join(row) for row in lines)


BUILT = {
    "train.ptb": "(ROOT (NP (JJ Nice) (NN caf\u00e9)))\n(ROOT (VP (VB ask) (NP (ADD @ann))))\n",
    "train.nonml.ptb": "(ROOT (NP (JJ Nice) (NN caf\u00e9)))\n(ROOT (VP (VB ask) (NP (ADD @ann))))\n",
    "train.conllu": plain(NEW_CAFE),
    "dev.ptb": "(ROOT (S (NP (PRP It)) (VP (VBZ 's) (ADJP (JJ clear)) (SBAR (IN that) (S (NP (NML (NN deck) (NN crew)) "
    "(NN member)) (VP (VBD slept))))) (. .)))\n(ROOT (NP (NNS Oars)) (, .))\n",
    "dev.nonml.ptb": "(ROOT (S (NP (PRP It)) (VP (VBZ 's) (ADJP (JJ clear)) (SBAR (IN that) (S (NP (NN deck) (NN crew) "
    "(NN member)) (VP (VBD slept))))) (. .)))\n(ROOT (NP (NNS Oars)) (, .))\n",
    "dev.conllu": plain(NEW_SHIP),
}


@pytest.fixture
def ewt(script, expect):
    module = script("build_ewt")
    expect("ewt", BUILT)
    return module


def test_files(ewt, tmp_path: Path, capsys: pytest.CaptureFixture):
    sources = (PROPBANK, UD_2016, UD)
    folders = [write(tmp_path / f"folder{i}", files) for i, files in enumerate(sources)]
    archives = [pack(tmp_path / f"archive{i}.tar.gz", files) for i, files in enumerate(sources)]
    for given in (folders, archives):
        output = tmp_path / f"from {given[0].name}"
        ewt.main([*map(str, given), str(output)])
        assert {path.name: path.read_text("utf8") for path in output.iterdir()} == BUILT
        lines = capsys.readouterr().out.splitlines()
        assert [line.split(":")[0] for line in lines if "left out" in line] == [
            "reviews/bare.xml.conllu",
            "reviews-cafe-0003",
        ]


@pytest.mark.parametrize(
    "tree, old, new, tags, expected",
    [
        # as many words: only their spelling changed
        ("(S (NP (A 0)) (VP (B 1)))", "can t", "ca nt", "MD RB", "(S (NP (A 0)) (VP (B 1)))"),
        # joined
        ("(VP (A 0) (NP (B 1) (C 2)))", "ask @ ann", "ask @ann", "VB ADD", "(VP (A 0) (NP (B 1)))"),
        ("(ADVP (A 0) (B 1) (C 2))", "4 - ever", "4-ever", "RB", "(ADVP (A 0))"),
        ("(NP (NML (A 0) (B 1)) (C 2))", "Mark 2 drive", "Mark-2 drive", "NNP NN", "(NP (A 0) (C 2))"),
        ("(NP (NP (A 0) (B 1)) (C 2))", "it 's deck", "it's deck", "PRP$ NN", "(NP (A 0) (C 2))"),
        # divided
        ("(NP (NP (A 0)) (B 1))", "cooks knife", "cook s knife", "NN POS NN", "(NP (NP (A 0) (A 0)) (B 1))"),
        ("(ADVP (A 0) (B 1))", "atleast so", "at least so", "IN JJS RB", "(ADVP (A 0) (A 0) (B 1))"),
        # unknown: a verb came out of a noun phrase; words of two phrases became one; words came or went
        ("(S (NP (A 0)) (VP (B 1)))", "Im off", "I m off", "PRP VBP RB", None),
        ("(S (NP (A 0) (B 1)) (VP (C 2)))", "whats that s", "whats thats", "WP DT", None),
        ("(NP (A 0) (B 1))", "old deck", "deck", "NN", None),
        ("(NP (A 0))", "deck", "old deck", "JJ NN", None),
        ("(NP (A 0) (B 1) (C 2))", "a b c", "x y", "X X", None),
    ],
)
def test_changed_words(ewt, tree: str, old: str, new: str, tags: str, expected: Optional[str]):
    result = ewt.retokenized(parse_tree(tree), old.split(), new.split(), tags.split())
    assert (None if result is None else write_brackets(result)) == expected
