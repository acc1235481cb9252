"""Scores of a parser: EVALB for constituents, attachment for dependencies, roles, confusions, and scores of Docs."""

from .attachment import AttachmentCounts, score_attachments
from .confusion import ConstituentConfusion, DeprelConfusion
from .evalb import EvalbCounts, EvalbFormatError, EvalbRow, EvalbSentence, read_sentence, score_parses, score_sentence
from .evalb_params import COLLINS, NK, EvalbParams, EvalbParamsError
from .evalb_report import EvalbLineError, EvalbStopped, report

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
