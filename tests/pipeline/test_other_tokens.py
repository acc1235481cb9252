"""Components that change tokens around a parser, deprels of roots, and worker processes that are not forked."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from tiny_pipeline import TEXTS, make_bert, make_nlp, parses, train

from spacy_lal.interpret import constituent_contributions, label_attention
from spacy_lal.pipeline.decoders import DecodedParse

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
    return train(make_nlp(make_bert(tmp_path_factory.mktemp("bert") / "bert"), concatenated=True))


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


def test_tokens_merged_between_the_transformer_and_the_parser(path: Path):
    nlp = spacy.load(path)
    before, between = piped(nlp, first=True), piped(nlp, before="lal_parser")
    assert len(between) == 7 and parses([between]) == parses([before])
    encoded = nlp.get_pipe("transformer")(nlp.make_doc(PARK))
    with pytest.raises(ValueError, match="has 8 vectors for the 7 tokens.*listen"):
        nlp.get_pipe("lal_parser").model.layers[0].predict([merge_park(encoded)])


def test_a_parser_that_does_not_know_its_transformer_names_the_order(nlp: Language):
    parser = nlp.get_pipe("lal_parser")
    assert parser.encoder is None  # it was trained with the pipeline's
    with pytest.raises(ValueError, match="had 8 tokens, and it has 7: merge or split tokens before"):
        piped(nlp, before="lal_parser")


def test_explanations_of_merged_tokens(path: Path):
    nlp = spacy.load(path)
    doc = nlp(PARK)
    former = doc[0:8]
    merge_park(doc)
    fresh = piped(nlp, first=True)
    (attention,) = label_attention(nlp, doc)
    assert "the park" in attention.tokens
    assert np.allclose(attention.weights, label_attention(nlp, fresh)[0].weights, atol=1e-5)
    with pytest.raises(ValueError, match="crosses a sentence boundary"):
        label_attention(nlp, former)
    assert all(one.total == pytest.approx(one.score, abs=1e-4) for one in constituent_contributions(nlp, doc))


def test_root_is_the_deprel_of_roots_alone(nlp: Language):
    parser = nlp.get_pipe("lal_parser")
    root, det = (parser.cfg["deprels"].index(name) for name in ("ROOT", "det"))
    spans = np.zeros((0, 3), dtype=np.int32)
    parse = DecodedParse(spans, np.array([2, 0, 2, 2]), np.array([root, det, det, root]))
    assert parser.to_strings(parse).deprels == ["dep", "ROOT", "det", "dep"]
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
        found = [doc._.parse_string for doc in nlp.pipe(texts, n_process=2, batch_size=2)]
        print(method, found == expected)
"""


def test_worker_processes_that_are_not_forked(path: Path, tmp_path: Path):
    script = tmp_path / "start.py"
    script.write_text(START)
    command = [sys.executable, str(script), str(path), *TEXTS]
    run = subprocess.run(command, capture_output=True, text=True, timeout=500, cwd=tmp_path)
    assert run.stdout.splitlines() == ["spawn True", "forkserver True"], run.stderr[-2000:]
