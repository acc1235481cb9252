"""Brackets: round trips, escapes, what reading cleans away, and one test per
malformation."""

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tree import Tree

from spacy_lal.files import TreebankError
from spacy_lal.trees import brackets
from spacy_lal.trees.brackets import (
    escape_word,
    parse_tree,
    read_brackets,
    read_brackets_with_lines,
    unescape_word,
    write_brackets,
)

DEPTH = 5000
AS_IS = {"strip_root": False, "strip_traces": False, "strip_functions": False}


def read_lines(text, **options):
    return [
        (write_brackets(tree), line)
        for tree, line in read_brackets_with_lines(text.split("\n"), **options)
    ]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("(NP (DT the) (NN cat))", "(NP (DT the) (NN cat))"),
        ("(ROOT (NP (NN cat)))", "(NP (NN cat))"),
        ("(TOP (NN cat))", "(NN cat)"),
        ("( (S1 (NP (NN cat))))", "(NP (NN cat))"),
        ("(\n(VROOT\n(NP\n(NN\ncat\n)\n)\n)\n)", "(NP (NN cat))"),
        ("( (NP (NN cat)) (. .))", "(TOP (NP (NN cat)) (. .))"),
        ("(VROOT (NP (NN cat)) (. .))", "(TOP (NP (NN cat)) (. .))"),
        ("(ROOT cat)", "(ROOT cat)"),
        ("(S(NP(NN cat))(VP(VBZ is)))", "(S (NP (NN cat)) (VP (VBZ is)))"),
        ("\ufeff(NP (NN cat))", "(NP (NN cat))"),
        ("(NP-SBJ-1 (NN cat))", "(NP (NN cat))"),
        ("(NP=2 (NN cat))", "(NP (NN cat))"),
        ("(ADVP|PRT (RB up))", "(ADVP (RB up))"),
        (
            "(PRN (-LRB- -LRB-) (NN cat) (-RRB- -RRB-))",
            "(PRN (-LRB- -LRB-) (NN cat) (-RRB- -RRB-))",
        ),
        (
            "(NP (PRP$ its) (: --) (SYM =) (= =))",
            "(NP (PRP$ its) (: --) (SYM =) (= =))",
        ),
        (
            "(S (NP-SBJ (-NONE- *T*-1)) (VP (VB go) (NP (NP (-NONE- *)))))",
            "(S (VP (VB go)))",
        ),
    ],
)
def test_reads_and_cleans(text, expected):
    assert write_brackets(parse_tree(text)) == expected


def test_options_switch_cleaning_off():
    text = "(ROOT (S (NP-SBJ-1 (-NONE- *)) (ADVP|PRT (RB up))))"
    assert write_brackets(parse_tree(text, **AS_IS)) == text
    assert write_brackets(parse_tree("( (NN a))", strip_root=False)) == "( (NN a))"


def test_several_on_a_line_one_over_many_comments_and_blank_lines():
    text = "# sent 1\n(A (B b)) (C\n\n  (D # )\n (E e))(F f)\n\n   # (G\n(H h)\n"
    assert read_lines(text) == [
        ("(A (B b))", 2),
        ("(C (D #) (E e))", 2),
        ("(F f)", 5),
        ("(H h)", 8),
    ]


MALFORMED = [
    ("(A a)\n(S (NP (DT the) (NN cat))", 2, "(S (NP"),
    ("(", 1, "("),
    ("(A a)\n\n(NP (NN cat)))", 3, "(NP (NN cat)))"),
    ("(S ((DT the) (NN cat)))", 1, "(S ((DT"),
    ("(S (NN cat) ())", 1, "(S (NN"),
    ("(S\n(cat))", 2, "(cat))"),
    ("(NP (DT the) cat)", 1, "(NP (DT"),
    ("(NP the (NN cat))", 1, "(NP the"),
    ("(NN cat dog)", 1, "(NN cat"),
    ("(A a)\n(S (NP-SBJ *T*-1) (VB go))", 2, "(S (NP-SBJ"),
    ("(S (NP-SBJ *-1) (VB go))", 1, "(S (NP-SBJ"),
    ("(S (NP *PRO*) (VB go))", 1, "(S (NP"),
]


@pytest.mark.parametrize(("text", "line", "shown"), MALFORMED)
def test_malformed(text, line, shown):
    with pytest.raises(TreebankError) as caught:
        list(read_brackets(text.split("\n"), name="bad.ptb"))
    assert str(caught.value).startswith(f"bad.ptb:{line}: ") and f": '{shown}" in str(
        caught.value
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_stars_that_are_no_traces():
    for word in ("*", "**", "*wink*", "***", "*t*", "2*3"):
        assert parse_tree(f"(X (NFP {word}))")[0][0] == word
    assert parse_tree("(S (NP-SBJ *T*-1))", strip_traces=False)[0][0] == "*T*-1"


def test_files(tmp_path: Path):
    path = tmp_path / "a.ptb"
    path.write_bytes(
        "\ufeff(NP (NN caf\u00e9))\r\n(NP (CD 1\u00a0000) (X a\u2028b))\r\n".encode()
    )
    trees = list(read_brackets(path))
    assert trees[0][0][0] == "caf\u00e9"
    assert (trees[1][0][0], trees[1][1][0]) == ("1\u00a0000", "a\u2028b")
    assert [write_brackets(tree) for tree in read_brackets(str(path))] == [
        write_brackets(tree) for tree in trees
    ]
    path.write_bytes(b"(NN cat)\n(NN caf\xe9)\n")
    with pytest.raises(TreebankError, match=r"a\.ptb:2: expected UTF-8.*caf\\\\xe9"):
        list(read_brackets(path))
    path.write_bytes(b"(NN cat)\n(S (NN cat)\n")
    with pytest.raises(TreebankError) as caught:
        list(read_brackets(path))
    assert str(caught.value).startswith(f"{path}:2: ")
    with pytest.raises(FileNotFoundError):
        list(read_brackets(tmp_path / "none.ptb"))


def test_deep_nesting():
    opening = "(S " * DEPTH
    text = opening + "(NN cat)" + ")" * DEPTH
    tree = parse_tree(text)
    assert write_brackets(tree) == text
    for bad in (
        opening + "(NN cat)",
        text + ")",
        opening + "((NN cat))",
        opening + "(NN cat) dog",
    ):
        with pytest.raises(TreebankError) as caught:
            list(read_brackets([bad]))
        assert len(str(caught.value)) < 250
    assert read_lines(opening + "(-NONE- *)" + ")" * DEPTH) == []
    assert (
        write_brackets(parse_tree("(TOP " * DEPTH + "(NN cat)" + ")" * DEPTH))
        == "(NN cat)"
    )


@pytest.mark.parametrize(
    "raw, escaped",
    [
        ("(", "-LRB-"),
        (")", "-RRB-"),
        ("{", "-LCB-"),
        ("}", "-RCB-"),
        ("[...]", "-LSB-...-RSB-"),
        ("friend(s)", "friend-LRB-s-RRB-"),
        ("))", "-RRB--RRB-"),
        ("", "-EMPTY-"),
        ("-LRB(", "-U+002D-LRB-LRB-"),
        ("\U0001f600\u200d", "\U0001f600\u200d"),
        ("-U+200D-", "-U+200D-"),
        ("C:\\", "C:-U+005C-"),
        ("\\\\", "\\-U+005C-"),
        ("\\n", "\\n"),
    ],
)
def test_escapes(raw, escaped):
    assert escape_word(raw) == escaped
    assert unescape_word(escaped) == raw


def test_white_space_within_a_word_is_an_underscore():
    for word in ("10 000", "10\u00a0000", "10\n000", "10_000"):
        assert escape_word(word) == "10_000"
    assert escape_word("-LRB ( ") == "-LRB_-LRB-_"
    assert write_brackets(Tree("N P", [Tree("DET", ["i C"])])) == "(N_P (DET i_C))"
    assert unescape_word("10_000") == "10_000"


def test_words_that_are_escapes_read_as_what_they_stand_for():
    assert escape_word("-LRB-") == "-LRB-" and unescape_word("-LRB-") == "("
    assert (unescape_word("/."), unescape_word("/?"), unescape_word("1/.")) == (
        ".",
        "?",
        "1/.",
    )  # of OntoNotes
    assert (
        unescape_word(r"1\/2") == "1/2"
        and unescape_word(r"\*") == "*"
        and unescape_word("\\\\") == "\\\\"
    )


tricky = st.text(
    st.sampled_from(list("()-LRBSCU+020 \\/*E\n\t\u00a0[]a\u2028\x1c")), max_size=14
)


@given(tricky | st.text())
def test_every_word_comes_back(word):
    escaped = escape_word(word)
    assert (
        escaped
        and not set(escaped) & set("(){}[]")
        and not any(char.isspace() for char in escaped)
    )
    written = "".join("_" if char.isspace() else char for char in unescape_word(word))
    assert unescape_word(escaped) == written
    text = write_brackets(Tree("X", [Tree("X\\", [word]), Tree("Y", ["b"])]))
    assert Tree.fromstring(text).leaves() == [
        escaped,
        "b",
    ]  # NLTK takes a backslash and a bracket as one
    if unescape_word(word) == word == written:
        assert parse_tree(write_brackets(Tree("X", [word])))[0] == word


labels = st.text(
    st.characters(exclude_characters="()[]{}", exclude_categories=["Z", "C"]),
    min_size=1,
    max_size=4,
)
leaves = st.builds(
    lambda tag, word: Tree(tag, [word]),
    labels,
    st.sampled_from(["a", "b_b", "(", "x]", "#", "\\"]),
)
trees = st.recursive(
    leaves,
    lambda inner: st.builds(Tree, labels, st.lists(inner, min_size=1, max_size=4)),
)


@given(trees)
def test_every_tree_comes_back(tree):
    text = write_brackets(tree)
    assert parse_tree(text, **AS_IS) == tree
    assert (
        parse_tree(text.replace(" ", "\n \n "), **AS_IS) == tree
    )  # indented: "(ROOT" at the margin begins the next
    assert list(read_brackets([text + text], **AS_IS)) == [tree, tree]


# Texts that are no treebank


def test_messages_quote_little_and_no_control_characters():
    long = "b" * 5000
    for text in [
        f"(NN a {long})",
        long,
        f"(NN ({long}))",
        f"({long})",
        f"(NN {long} (NN a))",
        "\x1b[2J" * 99,
    ]:
        with pytest.raises(TreebankError) as caught:
            parse_tree(text)
        assert len(str(caught.value)) < 300 and str(caught.value).isprintable()


def test_a_tree_of_too_many_brackets(monkeypatch):
    monkeypatch.setattr(brackets, "MAX_BRACKETS", 6)
    tree = "(S (NP (NN a)) (VP (VB b)) (. .))"
    assert len(list(read_brackets([tree, tree, f"{tree} {tree}"]))) == 4
    for lines in [
        ["(NN a)", "(S " + tree + ")"],
        ["", *["(S"] * 100],
        ["(NN a)(S" + "(NP" * 1000],
    ]:
        with pytest.raises(TreebankError, match="<text>:.*at most 6 brackets"):
            list(read_brackets(lines))
