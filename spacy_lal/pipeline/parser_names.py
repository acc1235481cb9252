"""Which components of a pipeline are parsers of ours, whatever they are called there."""

from typing import List

from spacy.language import Language

FACTORY = "lal_parser"


def parser_names(nlp: Language) -> List[str]:
    """The names under which a pipeline holds parsers of ours, in order."""
    return [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory == FACTORY]
