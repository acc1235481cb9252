"""Components that change tokens around a parser, deprels of roots, and worker processes
that are not forked."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from spacy.language import Language
from spacy.tokens import Doc
from tiny_pipeline import TEXTS, make_bert, make_nlp, train

from spacy_lal.pipeline.charts import DecodedParse

PARK = "She sees a dog in the park."


@Language.component("merge_park")
def merge_park(doc: Doc) -> Doc:
    with doc.retokenize() as retokenizer:
        for i in range(len(doc) - 1):
            if doc[i : i + 2].text == "the park":
                retokenizer.merge(doc[i : i + 2])
    return doc


@pytest.fixture(scope="module")
def nlp(tmp_path_factory: pytest.TempPathFactory) -> Language:
    return train(
        make_nlp(make_bert(tmp_path_factory.mktemp("bert") / "bert"), concatenated=True)
    )


@pytest.fixture(scope="module")
def path(nlp: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nlp") / "nlp"
    nlp.to_disk(folder)
    return folder


def piped(nlp: Language, **place: str) -> Doc:
    nlp.add_pipe("merge_park", **place)
    try:
        return nlp(PARK)
    finally:
        nlp.remove_pipe("merge_park")


def test_tokens_merged_between_the_transformer_and_the_parser(nlp: Language):
    assert len(piped(nlp, first=True)) == 7
    with pytest.raises(
        ValueError,
        match=(
            "had other tokens or spaces .8 tokens, and it has 7.*merges or splits "
            "tokens"
        ),
    ):
        piped(nlp, before="lal_parser")


def test_root_is_the_deprel_of_roots_alone(nlp: Language):
    parser = nlp.get_pipe("lal_parser")
    root, det = (parser.cfg["deprels"].index(name) for name in ("ROOT", "det"))
    spans = np.zeros((0, 3), dtype=np.int32)
    parse = DecodedParse(
        spans, np.array([2, 0, 2, 2]), np.array([root, det, det, root])
    )
    doc = nlp.make_doc("He sees a dog")
    deprels = parser.to_strings(parse, doc, range(4)).deprels
    assert deprels == ["dep", "ROOT", "det", "dep"]
    for doc in nlp.pipe(TEXTS):
        assert all((token.dep_ == "ROOT") == (token.head.i == token.i) for token in doc)


START = """
import multiprocessing, sys, spacy
if __name__ == "__main__":
    nlp = spacy.load(sys.argv[1])
    texts = sys.argv[2:]
    expected = [doc._.parse_string for doc in nlp.pipe(texts)]
    assert any(expected)
    for method in ("spawn", "forkserver"):
        multiprocessing.set_start_method(method, force=True)
        docs = nlp.pipe(texts, n_process=2, batch_size=2)
        found = [doc._.parse_string for doc in docs]
        print(method, found == expected)
"""


def test_worker_processes_that_are_not_forked(path: Path, tmp_path: Path):
    script = tmp_path / "start.py"
    script.write_text(START)
    command = [sys.executable, str(script), str(path), *TEXTS]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=500, cwd=tmp_path
    )
    assert run.stdout.splitlines() == ["spawn True", "forkserver True"], run.stderr[
        -2000:
    ]
