"""Scoring a pipeline on a treebank: gold Docs in, scores out. *Not* here: files and printing, see `cli/evaluate.py`."""

from spacy_lal.evaluation.confusion import score_confusion
from spacy_lal.evaluation.parsing import parse_golds, parse_texts
from spacy_lal.evaluation.scores import score_docs, score_genres, score_sentence_breaks, score_texts

__all__ = [
    "parse_golds",
    "parse_texts",
    "score_confusion",
    "score_docs",
    "score_genres",
    "score_sentence_breaks",
    "score_texts",
]
