"""Semantic roles joined with words: files, errors with file and line, Examples for
training."""

import json

import pytest
import spacy
from spacy.tokens import DocBin
from spacy.util import registry

from spacy_lal.annotations import (
    get_constituents,
    get_propositions,
    get_sentence_propositions,
    has_propositions,
)
from spacy_lal.files import TreebankError
from spacy_lal.treebanks.corpora import PropBankCorpus
from spacy_lal.treebanks.docs import make_docs, write_docs
from spacy_lal.treebanks.reader import read_treebank
from spacy_lal.treebanks.roles import read_role_file, to_role_dict, with_roles
from spacy_lal.trees import Constituent
from spacy_lal.trees.roles import Proposition

CONLLU = """\
# sent_id = a-1
1\tShe\tshe\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_
2\tgave\tgive\tVERB\tVBD\tTense=Past\t0\troot\t_\t_
3\tit\tit\tPRON\tPRP\t_\t2\tobj\t_\t_
4\tup\tup\tADP\tRP\t_\t2\tcompound:prt\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# sent_id = a-2
1\tReally\treally\tADV\tRB\t_\t0\troot\t_\t_
2\t?\t?\tPUNCT\t.\t_\t1\tpunct\t_\t_

# sent_id = a-3
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

"""
BRACKETS = """\
(ROOT (S (NP (PRP She)) (VP (VBD gave) (NP (PRP it)) (PRT (RP up))) (. .)))
(ROOT (ADVP (RB Really) (. ?)))
(ROOT (S (VP (VB Go))))
"""
GIVE = Proposition(
    1,
    "give_up.06",
    ((0, 1, "ARG0"), (1, 2, "V"), (2, 3, "ARG1"), (3, 4, "C-V")),
    "give",
)
ROLES = [
    {
        "sent_id": "a-1",
        "words": 5,
        "predicates": [
            {
                "token": 1,
                "lemma": "give",
                "roleset": "give_up.06",
                "args": [[0, 1, "ARG0"], [1, 2, "V"], [2, 3, "ARG1"], [3, 4, "C-V"]],
            }
        ],
    },
    {"sent_id": "a-2", "words": 2, "predicates": []},
    {
        "sent_id": "a-3",
        "words": 1,
        "predicates": [
            {"token": 0, "lemma": "go", "roleset": "go.02", "args": [[0, 1, "V"]]}
        ],
    },
]


def write(folder, roles=None, conllu=CONLLU):
    (folder / "x.conllu").write_text(conllu, encoding="utf8")
    (folder / "x.ptb").write_text(BRACKETS, encoding="utf8")
    lines = [json.dumps(one) for one in (ROLES if roles is None else roles)]
    (folder / "x.srl.jsonl").write_text("\n".join(lines) + "\n", encoding="utf8")
    return folder / "x.conllu"


def test_role_lines(tmp_path):
    write(tmp_path)
    path = tmp_path / "x.srl.jsonl"
    sentences = list(read_role_file(path))
    assert sentences[0].propositions == (GIVE,) and sentences[1].propositions == ()
    assert [one.where for one in sentences] == [f"{path}:{line}" for line in (1, 2, 3)]
    assert [json.loads(json.dumps(to_role_dict(one))) for one in sentences] == ROLES


@pytest.mark.parametrize(
    "line, message",
    [
        ("{", "expected JSON, got '{'"),
        ("[]", "expected {.*, got '\\[\\]'"),
        ('{"words": 2}', "expected {"),
        ('{"words": true, "predicates": []}', "expected {"),
        ('{"sent_id": 3, "words": 2, "predicates": []}', "expected {"),
        ('{"words": 2, "predicates": [3]}', "expected {"),
        ('{"words": 2, "predicates": [{"token": 0, "args": [[0, 1]]}]}', "expected {"),
        (
            '{"words": 2, "predicates": [{"token": 0, "args": [[0, "1", "V"]]}]}',
            "expected {",
        ),
        (
            '{"words": 2, "predicates": [{"token": 2, "args": [[0, 1, "V"]]}]}',
            "within 2 words.* got the predicate 2",
        ),
        ('{"words": 2, "predicates": [{"token": 0, "args": [[0, 3, "V"]]}]}', "0, 3"),
        (
            '{"words": 2, "predicates": [{"token": 0, "args": [[0, 1, "V"], [0, 2, '
            '"ARG1"]]}]}',
            "disjoint",
        ),
        (
            '{"words": 2, "predicates": [{"token": 0, "args": [[0, 1, "V"]]}, '
            '{"token": 0, "args": [[0, 1, "V"]]}]}',
            "expected ascending tokens",
        ),
        ("\0", "NUL"),
        ('{"words": %s, "predicates": []}' % ("9" * 5000), "expected JSON"),
    ],
)
def test_malformed_lines(tmp_path, line, message):
    path = tmp_path / "x.srl.jsonl"
    path.write_text('\n{"words": 1, "predicates": []}\n' + line + "\n", encoding="utf8")
    with pytest.raises(TreebankError, match=rf"x\.srl\.jsonl:3: .*{message}"):
        list(read_role_file(path))


def test_examples(tmp_path):
    nlp = spacy.blank("en")
    corpus = PropBankCorpus(
        write(tmp_path, roles=ROLES[::-1])
    )  # the order does not matter
    examples = list(corpus(nlp))
    first = examples[0].reference
    assert [get_propositions(eg.reference) for eg in examples] == [
        [GIVE],
        [],
        [Proposition(0, "go.02", ((0, 1, "V"),), "go")],
    ]
    assert all(
        has_propositions(eg.reference) and not has_propositions(eg.predicted)
        for eg in examples
    )
    assert [token.head.i for token in first] == [1, 1, 1, 1, 1] and first[
        0
    ].dep_ == "nsubj"
    assert (first[1].tag_, first[1].pos_, first[1].lemma_, str(first[1].morph)) == (
        "VBD",
        "VERB",
        "give",
        "Tense=Past",
    )
    assert first.text.startswith("She gave it up.") and first.user_data["sent_ids"] == [
        "a-1"
    ]
    assert [token.text for token in examples[0].predicted] == [
        token.text for token in first
    ]


def test_several_sentences_and_trees(tmp_path):
    make = registry.readers.get("spacy-lal.PropBankCorpus.v1")
    assert make is PropBankCorpus
    write(tmp_path)
    nlp = spacy.blank("en")
    (eg,) = make(tmp_path / "x.conllu", brackets=tmp_path / "x.ptb", n_sents=5)(nlp)
    assert [
        [one.token for one in sentence]
        for sentence in get_sentence_propositions(eg.reference)
    ] == [[1], [], [0]]
    assert [one.token for one in get_propositions(eg.reference)] == [1, 7]
    assert get_constituents(eg.reference)[2] == [Constituent(0, 1, "S::VP")]


@pytest.mark.parametrize(
    "roles, conllu, message",
    [
        (
            [*ROLES, ROLES[0]],
            CONLLU,
            r"x\.srl\.jsonl:4: expected a sent_id that no other line has, got 'a-1'",
        ),
        (
            [*ROLES, {**ROLES[1], "sent_id": "b"}],
            CONLLU,
            r"x\.srl\.jsonl:4: 1 lines of roles have no sentence",
        ),
        (ROLES[:1], CONLLU, r"x\.conllu:9: no roles for the sent_id 'a-2'"),
        (
            [{**ROLES[0], "words": 6}, *ROLES[1:]],
            CONLLU,
            r"x\.srl\.jsonl:1 and .*x\.conllu:2: 6 words in the roles and 5 in the "
            r"sentence",
        ),
    ],
)
def test_what_does_not_fit(tmp_path, roles, conllu, message):
    with pytest.raises(TreebankError, match=message):
        list(
            PropBankCorpus(write(tmp_path, roles=roles, conllu=conllu))(
                spacy.blank("en")
            )
        )


def test_roles_in_spacy_files(tmp_path):
    """`.spacy` files keep roles, and an empty group means that a sentence has no
    predicate."""
    nlp = spacy.blank("en")
    write(tmp_path)
    sentences = read_treebank(None, tmp_path / "x.conllu")
    docs = make_docs(
        with_roles(sentences, read_role_file(tmp_path / "x.srl.jsonl")), nlp.vocab
    )
    write_docs(docs, tmp_path / "x.spacy")
    first, second, _ = (
        DocBin().from_disk(tmp_path / "x.spacy").get_docs(spacy.blank("en").vocab)
    )
    assert get_propositions(first) == [GIVE]
    assert has_propositions(second) and get_propositions(second) == []
