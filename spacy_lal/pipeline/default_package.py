"""The default packages, one for each language: a `lal_parser` without weights takes theirs."""

import logging
from importlib.metadata import version
from typing import Any, Dict, List, NamedTuple, Optional

import spacy
from spacy.language import Language
from spacy.pipeline import Tok2Vec
from spacy.util import is_package, replace_model_node
from thinc.api import Model

from ..lang import DEFAULT_PACKAGES
from .encoder import Encoder
from .parser_names import FACTORY, parser_names

logger = logging.getLogger("spacy_lal")


class DefaultParser(NamedTuple):
    """The parser of an installed package.

    source (str): Name and version of the package.
    model (Model): The network, with its weights.
    model_config (Dict[str, Any]): The block `model` of the component's config.
    label_data (Dict[str, List[str]]): The component's label data.
    encoder (Optional[Encoder]): The transformer that the model listens to, if any.
    """

    source: str
    model: Model
    model_config: Dict[str, Any]
    label_data: Dict[str, List[str]]
    encoder: Optional[Encoder]


def load_default_parser(lang: str, name: str) -> DefaultParser:
    """Load the parser of a language's default package, and log a warning.

    lang (str): The language's code.
    name (str): The name of the requesting component, for messages.
    RAISES (ValueError): The language has no such package, or the package is not installed or cannot be loaded.
    """
    package = DEFAULT_PACKAGES.get(lang)
    blank = f"'{name}' was neither trained nor loaded"
    train = "train it: nlp.initialize() and nlp.update(), or spacy train; a trained pipeline is loaded by spacy.load()"
    if package is None:
        known = ", ".join(sorted(DEFAULT_PACKAGES)) or "none"
        raise ValueError(f"{blank}, and no package has weights for its language, {lang!r} (but for: {known}): {train}")
    if not is_package(package):
        raise ValueError(
            f"{blank}, and the package {package}, whose weights it would take, is not installed. Either install it: "
            f"pip install ./packages/{package}-* in a checkout of spacy_lal; or {train}"
        )
    source = f"{package} {version(package)}"
    try:
        nlp = spacy.load(package)
    except Exception as err:  # msgpack, torch, thinc, spaCy and the import system have no common error
        raise ValueError(
            f"{blank}, and the installed package {source}, whose weights it would take, can't be loaded "
            f"({type(err).__name__}: {err}). Install it again, with --force-reinstall; or {train}"
        ) from err
    found = next(iter(parser_names(nlp)), None)
    parser: Any = nlp.get_pipe(found) if found else None
    if parser is None or not parser.labels:
        raise ValueError(
            f"{blank}, and the installed package {source} has no trained {FACTORY}, only: "
            f"{', '.join(nlp.pipe_names)}. Install it again, with --force-reinstall; or {train}"
        )
    components, encoder = nlp.config.interpolate()["components"], parser.encoder
    if encoder is not None:
        encoder.config = components.get(encoder.pipe.name, encoder.config)
    _own_tok2vec(nlp, parser, components)
    # Warnings appear even where logging is not configured.
    logger.warning(
        "'%s' was neither trained nor loaded: it takes the weights of %s. To train it, call nlp.initialize() first",
        name,
        source,
    )
    return DefaultParser(source, parser.model, components[found]["model"], parser.label_data, encoder)


def _own_tok2vec(nlp: Language, parser: Any, components: Dict[str, Any]) -> None:
    """Give a parser copies of the pipeline's `tok2vec` components that it listens to. A transformer is left to
    `Encoder`.

    components (Dict[str, Any]): The pipeline's config; modified in place.
    """
    for upstream, pipe in nlp.components:
        if isinstance(pipe, Tok2Vec):  # nlp.replace_listeners would replace every second of several listeners
            for listener in pipe.listener_map.get(parser.name, ()):
                replace_model_node(parser.model, listener, pipe.model.copy())
                _replace_listener_blocks(components[parser.name], upstream, components[upstream]["model"])


def _replace_listener_blocks(config: Dict[str, Any], upstream: str, model: Dict[str, Any]) -> None:
    """Put a block in place of all blocks of listeners to `upstream`."""
    for key, value in config.items():
        if isinstance(value, dict):
            if "Tok2VecListener" in str(value.get("@architectures")) and value.get("upstream", "*") in (upstream, "*"):
                config[key] = model
            else:
                _replace_listener_blocks(value, upstream, model)
