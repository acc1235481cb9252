"""Scores of a parser: EVALB for constituents, attachment for dependencies. No torch, no spaCy."""

from spacy_lal.metrics.attachment import AttachmentCounts, score_attachments
from spacy_lal.metrics.confusion import ConstituentConfusion, DeprelConfusion
from spacy_lal.metrics.evalb import EvalbCounts, EvalbRow, score_parses, score_sentence
from spacy_lal.metrics.evalb_params import COLLINS, NK, EvalbParams, EvalbParamsError
from spacy_lal.metrics.evalb_report import EvalbLineError, EvalbStopped, report
from spacy_lal.metrics.evalb_sentence import EvalbFormatError, EvalbSentence, read_sentence

__all__ = [
    "COLLINS",
    "NK",
    "AttachmentCounts",
    "ConstituentConfusion",
    "DeprelConfusion",
    "EvalbCounts",
    "EvalbFormatError",
    "EvalbLineError",
    "EvalbParams",
    "EvalbParamsError",
    "EvalbRow",
    "EvalbSentence",
    "EvalbStopped",
    "read_sentence",
    "report",
    "score_attachments",
    "score_parses",
    "score_sentence",
]
