"""The factory `lal_parser`: from a config block to a component."""

from typing import Callable, List, Optional

from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Config, Model

from ..loss.parser import ParserLoss
from ..scores import ParserScores
from .coexistence import Coexistence
from .decoders import Decoder
from .default_tok2vec import SMALL_TOK2VEC
from .encoder import find_encoder
from .lal_parser import LALParser
from .long_sentences import LongPolicy
from .requirements import check_requirements

DEFAULT_CONFIG_STR = f"""
[lal_parser]
long_policy = "separate"
split_length = null

[lal_parser.model]
@architectures = "spacy-lal.LALParser.v1"

[lal_parser.model.tok2vec]
{SMALL_TOK2VEC}

[lal_parser.model.label_attention]
@misc = "spacy-lal.LabelAttention.v1"

[lal_parser.model.span_scorer]
@misc = "spacy-lal.SpanScorer.v1"

[lal_parser.model.biaffine_scorer]
@misc = "spacy-lal.BiaffineScorer.v1"

[lal_parser.decoder]
@misc = "spacy-lal.joint_decoder.v1"
constituency_weight = 0.65
max_length = 200
disagreement_cost = 1.0

[lal_parser.loss]
@misc = "spacy-lal.ParserLoss.v1"

[lal_parser.scorer]
@scorers = "spacy-lal.parser_scorer.v1"
"""
DEFAULT_CONFIG = Config().from_str(DEFAULT_CONFIG_STR)["lal_parser"]


@Language.factory(
    "lal_parser",
    assigns=["token.dep", "token.head", "doc.spans"],
    requires=["token.is_sent_start"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={
        "const_f": 0.5,
        "const_p": None,
        "const_r": None,
        "const_cm": None,
        "dep_uas": 0.0,
        "dep_las": 0.5,
        "dep_las_per_type": None,
    },
)
def make_lal_parser(
    nlp: Language,
    name: str,
    model: Model[List[Doc], List[ParserScores]],
    decoder: Decoder,
    loss: ParserLoss,
    scorer: Optional[Callable],
    overwrite: bool = True,
    dependencies: bool = True,
    long_policy: LongPolicy = "separate",
    split_length: Optional[int] = None,
) -> LALParser:
    """Make a `lal_parser` component. An untrained component takes the weights of its language's installed default
    package when it first parses.

    model (Model[List[Doc], List[ParserScores]]): Scores each sentence of the Docs, in order.
    decoder (Decoder): From scores to trees; see `spacy_lal.pipeline.decoders`.
    loss (ParserLoss): Weights of the losses.
    scorer (Optional[Callable]): From Examples to scores.
    overwrite (bool): Whether to replace heads and constituents that a Doc already has.
    dependencies (bool): Whether to set heads and deprels. If not, constituents are found by CKY alone, and the Doc's
        heads stay as they are. Training does not depend on it.
    long_policy (str): How long sentences are parsed: "joint", "separate" or "split"; see `LongSentences`.
    split_length (Optional[int]): The most words parsed as a whole. None: the policy decides.
    RAISES (ImportError): This version does not support the installed spaCy, spacy-transformers or thinc.
    """
    check_requirements()
    return LALParser(
        nlp.vocab,
        model,
        name,
        decoder=decoder,
        loss=loss,
        scorer=scorer,
        overwrite=overwrite,
        dependencies=dependencies,
        coexistence=Coexistence(nlp),
        long_policy=long_policy,
        split_length=split_length,
        upstream=find_encoder(nlp, model),
    )
