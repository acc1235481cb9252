"""Damaged files of roles are read, or refused with file and line; roles on Docs whose
tokens are merged and split are right, or left out."""

import json
import random
import re

import pytest
from spacy.vocab import Vocab

from spacy_lal.evaluation.srl import report_lines, score_props
from spacy_lal.files import TreebankError
from spacy_lal.treebanks.docs import make_docs
from spacy_lal.treebanks.reader import find_files
from spacy_lal.treebanks.report import check_treebank
from spacy_lal.treebanks.roles import read_sentences

CONLLU = "".join(
    f"# sent_id = {n}\n"
    + "".join(f"{i}\tw{i}\t_\tX\tX\t_\t{int(i > 1)}\tx\t_\t_\n" for i in range(1, 6))
    + "\n"
    for n in range(4)
)
PREDICATE = {
    "token": 1,
    "lemma": "go",
    "roleset": "go.01",
    "args": [[0, 1, "ARG0"], [1, 2, "V"], [3, 5, "C-ARG1"]],
}
ROLES = "".join(
    json.dumps({"sent_id": str(n), "words": 5, "predicates": [PREDICATE]}) + "\n"
    for n in range(4)
)
PROPS = "- (A0*)\ngo (V*)\n- *\n- (C-A1*\n- *)\n\n" * 4
COLUMNS = (
    "#begin document (d); part 0\n"
    + "d 0 0 Go VB (S(VP*)) go 02 - - * (V*) -\nd 0 1 on RB (P*)) - - - - * * -\n\n" * 4
)
PIECES = (
    b"\n",
    b"(A0*",
    b"*)",
    b"-",
    b"\t",
    b"9" * 30,
    b"null",
    b"[]",
    b"\xe2\x80\xa8",
    b"\xff",
    b"\0",
    b'"',
    b"  ",
)


def damaged(data: bytes) -> bytes:
    for _ in range(random.choice([1, 1, 2, 4])):
        i = random.randrange(len(data) + 1)
        kind = random.random()
        if kind < 0.4:
            data = data[:i] + random.choice(PIECES) + data[i:]
        elif kind < 0.7:
            data = data[:i] + data[i + random.choice([1, 3, 40]) :]
        else:
            lines = data.split(b"\n")
            lines[random.randrange(len(lines))] = random.choice(lines)
            data = b"\n".join(lines)
    return data


@pytest.mark.parametrize("seed", range(2))
def test_files(tmp_path, seed):
    random.seed(seed)
    paths = [
        tmp_path / name
        for name in ("x.conllu", "x.srl.jsonl", "gold", "pred", "x_conll", "x.props")
    ]
    originals = [
        text.encode() for text in (CONLLU, ROLES, PROPS, PROPS, COLUMNS, PROPS)
    ]
    conllu, roles, gold, predicted, columns, props = paths
    readers = (
        lambda: list(
            make_docs(read_sentences(find_files([conllu, roles])), Vocab(), n_sents=2)
        ),
        lambda: list(
            make_docs(read_sentences(find_files([conllu, props])), Vocab(), n_sents=2)
        ),
        lambda: list(
            make_docs(read_sentences(find_files([columns])), Vocab(), n_sents=2)
        ),
        lambda: list(report_lines(score_props(gold, predicted), confusion=True)),
        lambda: check_treebank(find_files([roles])),
    )
    n_read = n_refused = 0
    for _ in range(40):
        for path, data in zip(paths, originals, strict=True):
            path.write_bytes(data if path in (conllu, gold) else damaged(data))
        for read in readers:
            try:
                read()
                n_read += 1
            except TreebankError as error:
                n_refused += 1
                assert re.search(
                    rf"{re.escape(str(tmp_path))}/[\w.]+:\d+", str(error)
                ), error
    assert n_read > 20 and n_refused > 60


def retokenize(doc):
    with doc.retokenize() as retokenizer:
        if random.random() < 0.7 and len(doc) > 1:
            start = random.randrange(len(doc) - 1)
            retokenizer.merge(
                doc[start : min(len(doc), start + random.choice([2, 2, 3]))]
            )
        else:
            long = [token for token in doc if len(token) > 1]
            if long:
                token = random.choice(long)
                retokenizer.split(
                    token,
                    [token.text[:1], token.text[1:]],
                    heads=[(token, 1), (token, 0)],
                )
