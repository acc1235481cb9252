"""Which components of a pipeline are parsers of ours, and which set sentence breaks, whatever they are called there."""

from typing import Collection, List

from spacy.language import Language

FACTORY = "lal_parser"
SENTENCE_START = "token.is_sent_start"


def parser_names(nlp: Language) -> List[str]:
    """The names under which a pipeline holds parsers of ours, in order."""
    return [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == FACTORY]


def sentence_splitters(nlp: Language, parsers: Collection[str]) -> List[str]:
    """The names of the components that set sentence breaks, in order: those to set aside where breaks are given.

    parsers (Collection[str]): Names of components that are none, though spaCy's own parser sets breaks, too.
    """
    names = [name for name in nlp.pipe_names if name not in parsers]
    return [name for name in names if SENTENCE_START in nlp.get_pipe_meta(name).assigns]
