"""Made sentences have the trees and heads of EWT's conventions."""

from pathlib import Path

import pytest

from spacy_lal.treebanks.reader import TreebankFiles
from spacy_lal.treebanks.report import check_treebank

GRAMMAR = Path(__file__).resolve().parents[3] / "projects/en/scripts/made_sentences.txt"


@pytest.mark.parametrize(
    "text, tree, heads",
    [
        (
            "(SBARQ *(WHNP *WP=what) (SQ cop:VBZ=is nsubj:(NP *DT=that)) punct:.=?)",
            "(ROOT (SBARQ (WHNP (WP What)) (SQ (VBZ is) (NP (DT that))) (. ?)))",
            [(0, "root"), (1, "cop"), (1, "nsubj"), (1, "punct")],
        ),
        (
            "(S nsubj:(NP *(NP *(NP *NNP=Ben) punct:,=, appos:(NP det:DT=a *NN=artist) "
            "punct:,=,) cc:CC=and conj:(NP *PRP=I)) *(VP *VBD=left))",
            "(ROOT (S (NP (NP (NP (NNP Ben)) (, ,) (NP (DT an) (NN artist)) (, ,)) "
            "(CC and) (NP (PRP I))) (VP (VBD left))))",
            [
                (8, "nsubj"),
                (4, "punct"),
                (4, "det"),
                (1, "appos"),
                (4, "punct"),
                (7, "cc"),
                (1, "conj"),
                (0, "root"),
            ],
        ),
    ],
)
def test_trees_and_heads(script, text, tree, heads):
    brackets, words = script("made_sentences").Reader(text).result()
    assert brackets == tree
    assert [(word.head, word.deprel) for word in words] == heads


def test_a_sentence_without_a_head_is_an_error(script):
    with pytest.raises(ValueError, match="expected one root"):
        script("made_sentences").Reader("(S nsubj:(NP *PRP=I))")


def test_every_kind_is_made_and_sound(script, tmp_path):
    made = script("made_sentences")
    made.main(GRAMMAR, tmp_path, sentences=40)
    report = check_treebank(
        TreebankFiles(tmp_path / "made.ptb", tmp_path / "made.conllu")
    )
    assert report.figures["n_problems"] == 0
    kinds = made.Grammar.read(GRAMMAR).kinds()
    assert report.figures["sentences"] == 40 * len(kinds)
    # the rest of "What is your name?" holds two dependents of "What"
    assert report.share("one_outside_head") > 0.94
