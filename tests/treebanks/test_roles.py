"""Treebanks with roles from any files, and the report on them."""

import json

import pytest

from spacy_lal.files import TreebankError
from spacy_lal.treebanks.reader import TreebankFiles, find_files
from spacy_lal.treebanks.report import check_treebank
from spacy_lal.treebanks.roles import read_sentences
from spacy_lal.trees.roles import Proposition

CONLLU = """\
# sent_id = 1
1\tShe\t_\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tgave\t_\tVERB\tVBD\t_\t0\troot\t_\t_
3\tit\t_\tPRON\tPRP\t_\t2\tobj\t_\t_
4\tup\t_\tADP\tRP\t_\t2\tcompound:prt\t_\t_

# sent_id = 2
1\tHas\t_\tAUX\tVBZ\t_\t3\taux\t_\t_
2\the\t_\tPRON\tPRP\t_\t3\tnsubj\t_\t_
3\tgone\t_\tVERB\tVBN\t_\t0\troot\t_\t_

"""
BRACKETS = (
    "(S (NP (PRP She)) (VP (VBD gave) (NP (PRP it)) (PRT (RP up))))\n(SQ (VBZ Has) (NP "
    "(PRP he)) (VP (VBN gone)))\n"
)
GIVE = {"token": 1, "lemma": "give", "roleset": "give_up.06"}
GIVE["args"] = [[0, 1, "ARG0"], [1, 2, "V"], [2, 3, "ARG1"], [3, 4, "C-V"]]
HAVE = {"token": 0, "lemma": "have", "roleset": "have.01", "args": [[0, 1, "V"]]}
GO = {
    "token": 2,
    "lemma": "go",
    "roleset": "go.01",
    "args": [[0, 2, "ARG1"], [2, 3, "V"]],
}
ROLES = [
    {"sent_id": "2", "words": 3, "predicates": [HAVE, GO]},
    {"sent_id": "1", "words": 4, "predicates": [GIVE]},
]
PROPS = (
    "- (ARG0*)\ngive (V*)\n- (ARG1*)\n- (C-V*)\n\nhave (V*) (ARG1*\n- * *)\ngo * "
    "(V*)\n\n"
)
COLUMNS = (
    "#begin document (d); part 0\nd 0 0 Go VB (S(VP*)) go 02 - - * (V*) -\n#end "
    "document\n"
)


@pytest.fixture
def folder(tmp_path):
    lines = "".join(json.dumps(one) + "\n" for one in ROLES)
    for name, text in [
        ("x.conllu", CONLLU),
        ("x.ptb", BRACKETS),
        ("x.srl.jsonl", lines),
        ("x.props", PROPS),
        ("x.conll", COLUMNS),
        ("y_gold_conll", COLUMNS),
    ]:
        (tmp_path / name).write_text(text, encoding="utf8")
    return tmp_path


def find(folder, *names):
    return find_files([folder / name for name in names])


def rolesets(folder, *names):
    return [
        [one.roleset for one in sentence.roles]
        for sentence in read_sentences(find(folder, *names))
    ]


def test_files_by_ending_and_content(folder):
    assert find(folder, "x.props", "x.conllu") == TreebankFiles(
        None, folder / "x.conllu", folder / "x.props"
    )
    assert find(folder, "x.srl.jsonl").roles == folder / "x.srl.jsonl"
    assert (
        find(folder, "x.conll").columns == folder / "x.conll"
    )  # as CoNLL-U by its ending, columns by its content
    assert (
        find(folder, "y_gold_conll").has_words
        and find(folder, "y_gold_conll").columns == folder / "y_gold_conll"
    )
    assert find(folder, "x.ptb", "x.conllu") == TreebankFiles(
        folder / "x.ptb", folder / "x.conllu"
    )


@pytest.mark.parametrize(
    "names, message",
    [
        (["x.props", "x.srl.jsonl"], "expected a bracket file"),
        (["y_gold_conll", "x.conllu"], "columns .words and roles. alone"),
        (["nowhere.props"], "nowhere.props: no such file"),
        ([], "expected a bracket file"),
    ],
)
def test_files_that_do_not_go_together(folder, names, message):
    with pytest.raises(TreebankError, match=message):
        find(folder, *names)


def test_joined_by_id_and_by_order(folder):
    assert rolesets(folder, "x.conllu", "x.srl.jsonl") == [
        ["give_up.06"],
        ["have.01", "go.01"],
    ]
    assert rolesets(folder, "x.conllu", "x.ptb", "x.srl.jsonl") == [
        ["give_up.06"],
        ["have.01", "go.01"],
    ]
    assert rolesets(folder, "y_gold_conll") == [["go.02"]]
    sentences = list(read_sentences(find(folder, "x.ptb", "x.props")))
    assert sentences[0].roles == (
        Proposition(1, "", tuple(map(tuple, GIVE["args"])), "give"),
    )
    with pytest.raises(
        TreebankError,
        match=(
            r"x\.srl\.jsonl:1 and .*x\.ptb:1: 3 words in the roles and 4 in the "
            r"sentence"
        ),
    ):
        list(read_sentences(find(folder, "x.ptb", "x.srl.jsonl")))


@pytest.mark.parametrize(
    "props, message",
    [
        (PROPS + "-\n", r"x\.props:10: no sentence for roles 3"),
        (
            PROPS.partition("\n\n")[0],
            r"x\.conllu:8: no roles in .*x\.props for sentence 2",
        ),
        (
            PROPS.replace("(V*)\n- (ARG1*)", "*\n- (ARG1*)"),
            r"x\.props:2: expected .* one of them V",
        ),
        (
            PROPS.replace("- (ARG0*)\n", "- (ARG0*\n"),
            r"x\.props:2: expected the end of \(ARG0\*",
        ),
    ],
)
def test_props_that_do_not_fit(folder, props, message):
    (folder / "x.props").write_text(props)
    with pytest.raises(TreebankError, match=message):
        list(read_sentences(find(folder, "x.conllu", "x.props")))


def test_report(folder):
    report = check_treebank(find(folder, "x.conllu", "x.ptb", "x.srl.jsonl"))
    assert (
        report.figures["sentences_with_roles"],
        report.figures["without_predicate"],
        report.figures["predicates"],
        report.figures["auxiliaries"],
    ) == (2, 0, 3, 1)
    assert (
        report.figures["arguments"],
        report.figures["without_arguments"],
        report.figures["wide_predicates"],
    ) == (
        3,
        1,
        1,
    )
    assert (
        report.figures["compared_with_trees"],
        report.figures["on_constituents"],
    ) == (
        3,
        2,
    )
    assert report.examples["on_constituents"] == [
        f"{folder / 'x.conllu'}:8: ARG1 Has he"
    ]
    assert report.tables["roles"]["V"] == 3 and report.tables["rolesets"] == {
        "give_up.06": 1,
        "have.01": 1,
        "go.01": 1,
    }
    assert json.loads(json.dumps(report.to_dict()))[
        "on_constituents_share"
    ] == pytest.approx(2 / 3)
    alone = check_treebank(find(folder, "x.srl.jsonl"))
    assert alone.figures["predicates"] == 3 and alone.share("on_constituents") is None
    assert (
        check_treebank(find(folder, "x.conll")).to_dict()["on_constituents_share"]
        is None
    )  # no arguments


@pytest.mark.parametrize("name", ["dev", pytest.param("train", marks=pytest.mark.slow)])
def test_ewt(shared_dir, name):
    """The counts of TREEBANKS.md."""
    report = check_treebank(
        find(shared_dir / "ewt", f"{name}.conllu", f"{name}.ptb", f"{name}.srl.jsonl")
    )
    counts = (
        report.figures["predicates"],
        report.figures["auxiliaries"],
        report.figures["without_arguments"],
        report.figures["arguments"],
        report.figures["continuations"],
    )
    counts += (
        report.figures["references"],
        report.figures["adjacent"],
        len(report.tables["rolesets"]),
        len(report.tables["roles"]),
    )
    expected = {
        "dev": (4977, 591, 834, 9580, 84, 153, 43, 1074, 45),
        "train": (40469, 4924, 6959, 81361, 685, 1500, 384, 3107, 59),
    }
    assert counts == expected[name] and not report.problems
    assert round(report.share("on_constituents"), 3) == 0.998
