"""Scoring a pipeline on a treebank: gold Docs in, scores out. *Not* here: files and printing, see `cli/evaluate.py`."""

from spacy_lal.evaluation.confusion import score_confusion
from spacy_lal.evaluation.parsing import check_breaks, check_sentences, check_texts, parse_golds, parse_texts
from spacy_lal.evaluation.scores import check_genres, score_docs, score_genres, score_sentence_breaks, score_texts

__all__ = [
    "check_breaks",
    "check_genres",
    "check_sentences",
    "check_texts",
    "parse_golds",
    "parse_texts",
    "score_confusion",
    "score_docs",
    "score_genres",
    "score_sentence_breaks",
    "score_texts",
]
