"""Finds our parsers in a pipeline, and the components that set sentence breaks, whatever their names."""

from typing import Collection, List

from spacy.language import Language

FACTORY = "lal_parser"
ROLES_FACTORY = "lal_srl"
SENTENCE_START = "token.is_sent_start"


def parser_names(nlp: Language) -> List[str]:
    """The names of a pipeline's `lal_parser` components, in order."""
    return [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == FACTORY]


def sentence_splitters(nlp: Language, parsers: Collection[str]) -> List[str]:
    """The names of the components that set sentence breaks, in order. They are disabled where breaks are given.

    parsers (Collection[str]): Names of components to leave out: parsers, since spaCy's own parser also sets breaks.
    """
    names = [name for name in nlp.pipe_names if name not in parsers]
    return [name for name in names if SENTENCE_START in nlp.get_pipe_meta(name).assigns]
