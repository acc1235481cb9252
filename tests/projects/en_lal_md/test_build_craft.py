"""CRAFT from a small source of its form: its split, its section labels, and which files they give."""

from pathlib import Path

import pytest
from small_sources import columns, pack, write

from spacy_lal.trees import parse_tree, write_brackets

TREES = "structural-annotation/treebank/penn"
DEPENDENCIES = "structural-annotation/dependency/conllu"
HAIR_SPACE = "\u200a"


def article(number: int, text: str = "Mice") -> str:
    """An article of one word."""
    return columns(
        f"""
        # newdoc id = {number}
        # newpar id = {number}-p0
        # sent_id = 0
        # text = {text}
        1 {text} mouse NOUN NNS Number=Plur 0 root _ _
        """
    )


MICE = columns(
    """
    # newdoc id = 105
    # newpar id = 105-p0
    # sent_id = 0
    # text = Mice
    1 Mice mouse NOUN NNS Number=Plur 0 root _ _
    """
) + columns(
    """
    # newpar id = 105-p1
    # sent_id = 2
    # text = "Mice" that sleep seem warm
    1 " " PUNCT `` _ 2 punct _ SpaceAfter=No
    2 Mice mouse NOUN NNS _ 6 nsubj _ SpaceAfter=No
    3 " " PUNCT '' _ 2 punct _ _
    4 that that DET WDT _ 5 nsubj _ 2:ref=
    5 sleep sleep VERB VBP _ 2 rcmod _ 2:gap=|SpaceAfter=No
    6 seem seem VERB VBP _ 0 root _ _
    7 warm warm ADJ JJ _ 6 acomp _ _
    """
)
MICE_TREES = (
    "( (TITLE (NP (NNS Mice))) )\n"
    "( (S (NP-SBJ-1 (NP (`` ``) (NNS Mice) ('' '')) (SBAR (WHNP-2 (WDT that)) (S (NP-SBJ-2 (-NONE- *T*)) "
    "(VP (VBP sleep))))) (VP (VBP seem) (S (NP-SBJ-1 (-NONE- *)) (ADJP-PRD (JJ warm))))) )\n"
)
ODD = columns(
    f"""
    # newdoc id = 104
    # sent_id = 0
    # text = A{HAIR_SPACE}B mouse strain
    1 A{HAIR_SPACE}B ab NOUN NN _ 3 compound _ _
    2 mouse mouse NOUN NN _ 3 compound _ _
    3 strain strain NOUN NN _ 0 root _ _
    """
)
FILES = {
    "articles/ids/craft-ids-train.txt": "106\n101\n102\n103\n",
    "articles/ids/craft-ids-dev.txt": "104\n105\n",
    "articles/ids/craft-ids-test.txt": "100\n",
    **{f"{DEPENDENCIES}/{number}.conllu": article(number) for number in (101, 102, 103, 106)},
    **{f"{TREES}/{number}.tree": "( (HEADING (NNS Mice)) )\n" for number in (101, 102, 103, 106)},
    f"{DEPENDENCIES}/104.conllu": ODD,
    f"{TREES}/104.tree": f"( (CAPTION (NP (NML (NN A{HAIR_SPACE}B) (NN mouse)) (NN strain))) )\n",
    f"{DEPENDENCIES}/105.conllu": MICE,
    f"{TREES}/105.tree": MICE_TREES,
}
HEADING = "(ROOT (FRAG (NNS Mice)))\n"
TRAIN = "".join(
    (ODD if number == 104 else article(number))
    .replace(f"# newpar id = {number}-p0\n", "")
    .replace("# sent_id = ", f"# sent_id = CRAFT-{number}-")
    .replace(f"1\tA{HAIR_SPACE}B", "1\tA_B")
    for number in (101, 102, 103, 104, 106)
)
SLEEP = (
    "(ROOT (S (NP (NP (`` \") (NNS Mice) ('' \")) (SBAR (WHNP (WDT that)) (S (VP (VBP sleep))))) "
    "(VP (VBP seem) (S (ADJP (JJ warm))))))\n"
)
BUILT = {
    "train.ptb": HEADING * 3 + "(ROOT (NP (NML (NN A_B) (NN mouse)) (NN strain)))\n" + HEADING,
    "train.nonml.ptb": HEADING * 3 + "(ROOT (NP (NN A_B) (NN mouse) (NN strain)))\n" + HEADING,
    "train.conllu": TRAIN,
    "dev.ptb": "(ROOT (NP (NNS Mice)))\n" + SLEEP,
    "dev.nonml.ptb": "(ROOT (NP (NNS Mice)))\n" + SLEEP,
    "dev.conllu": MICE.replace("# newpar id = 105-p0\n", "")
    .replace("# newpar id = 105-p1\n", "")
    .replace("# sent_id = ", "# sent_id = CRAFT-105-"),
}


@pytest.fixture
def craft(script, expect):
    module = script("build_craft")
    expect("craft", BUILT)
    return module


def test_files(craft, tmp_path: Path):
    for source in (write(tmp_path / "folder", FILES), pack(tmp_path / "archive.tar.gz", FILES)):
        output = tmp_path / f"from {source.name}"
        craft.main([str(source), str(output)])
        assert {path.name: path.read_text("utf8") for path in output.iterdir()} == BUILT


def test_every_tenth_article_is_for_development(craft, tmp_path: Path):
    """In the order of their numbers, whichever of CRAFT's own lists they stand in."""
    lists = {"train": range(999, 976, -1), "dev": range(970, 977)}
    files = {f"articles/ids/craft-ids-{name}.txt": "\n".join(map(str, ids)) for name, ids in lists.items()}
    splits = craft.read_ids(write(tmp_path, files))
    assert splits["dev"] == ["974", "984", "994"]
    assert splits["train"] == [str(number) for number in range(970, 1000) if number % 10 != 4]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(TITLE (S (VP (VB go))))", "(S (VP (VB go)))"),
        ("(HEADING (NN Methods))", "(FRAG (NN Methods))"),
        ("(CAPTION (NP (NN Table)) (. .))", "(FRAG (NP (NN Table)) (. .))"),
        ("(NP (NNS mice) (CAPTION (-LRB- -LRB-) (NNP Smith)))", "(NP (NNS mice) (FRAG (-LRB- -LRB-) (NNP Smith)))"),
        ("(CAPTION (HEADING (NP (NN Table))))", "(NP (NN Table))"),
    ],
)
def test_section_labels(craft, text: str, expected: str):
    assert write_brackets(craft.without_sections(parse_tree(text))) == expected


def test_white_space_within_a_word(craft):
    assert [craft.without_spaces(word) for word in ("Xpd", f"Xpd{HAIR_SPACE}TTD", "\u00a4\u00a0")] == [
        "Xpd",
        "Xpd_TTD",
        "\u00a4",
    ]


@pytest.mark.parametrize(
    "file, old, new, message",
    [
        (
            f"{TREES}/105.tree",
            "sleep",
            "dream",
            r"105.tree:2: expected word 5 to be 'sleep' .*105.conllu:10, got 'dream'",
        ),
        (f"{TREES}/105.tree", "( (TITLE (NP (NNS Mice))) )\n", "", r"105.tree: expected 2 trees, one for .*, got 1"),
        (f"{DEPENDENCIES}/105.conllu", "# sent_id = 2\n", "", r"105.conllu:\d+: expected a comment '# sent_id"),
    ],
)
def test_errors_name_file_and_line(craft, script, tmp_path: Path, file: str, old: str, new: str, message: str):
    assert old in FILES[file]
    source = write(tmp_path / "craft", {**FILES, file: FILES[file].replace(old, new)})
    with pytest.raises(script("treebank").SourceError, match=message):
        craft.main([str(source), str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
