"""The weights of a `lal_parser` that was neither trained nor loaded: those of its
language's default package."""

import logging
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import spacy
from spacy.language import Language
from spacy.util import is_package

from ..lang import DEFAULT_PACKAGES
from .component import parser_names

if TYPE_CHECKING:
    from .lal_parser import LALParser

logger = logging.getLogger("spacy_lal")


def load_default_parser(lang: str, name: str) -> tuple["LALParser", dict[str, Any]]:
    """The parser of a language's default package, with copies of the components that it
    listens to, for the component `name`. Logs a warning.

    RETURNS (Tuple[LALParser, Dict[str, Any]]): The parser, and the block `model` of its
        config.
    RAISES (ValueError): There is no such package installed."""
    package = DEFAULT_PACKAGES.get(lang)
    if package is None or not is_package(package):
        reason = f"no package has weights for {lang!r}"
        if package is not None:
            reason = f"the package {package} is not installed"
        raise ValueError(
            f"'{name}' was neither trained nor loaded, and {reason}: install one (pip "
            "install ./packages/... in a checkout of spacy_lal), train it "
            "(nlp.initialize() and nlp.update(), or spacy train), or load a trained "
            "pipeline"
        )
    nlp = spacy.load(package)
    parser = parser_names(nlp)[0]
    _copy_upstream(nlp, parser)
    logger.warning(  # appears even where logging is not configured
        "'%s' was neither trained nor loaded: it takes the weights of %s %s. To train "
        "it, call nlp.initialize() first",
        name,
        package,
        version(package),
    )
    config = nlp.config.interpolate()["components"][parser]["model"]
    return nlp.get_pipe(parser), config  # type: ignore[return-value]


def _copy_upstream(nlp: Language, name: str) -> None:
    """Give a parser copies of the components that it listens to."""
    tok2vec = nlp.config["components"][name]["model"]["tok2vec"]
    listeners = [
        f"model.tok2vec.*.{part}"
        for part, block in tok2vec.get("*", {}).items()
        if "Listener" in str(block["@architectures"])
    ]
    for upstream, pipe in nlp.pipeline:
        if name in getattr(pipe, "listening_components", ()):
            nlp.replace_listeners(upstream, name, listeners or ["model.tok2vec"])
