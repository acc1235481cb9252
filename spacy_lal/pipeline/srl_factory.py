"""The factory `lal_srl`: from a config block to a component."""

from typing import Callable, List, Optional

from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Config, Model

from ..loss.roles import RolesLoss
from ..role_scores import RoleScores
from .default_tok2vec import SMALL_TOK2VEC
from .encoder import find_encoder
from .lal_srl import LALSemanticRoles, PredicateSource
from .requirements import check_requirements
from .role_decoder import RolesDecoder

DEFAULT_CONFIG_STR = f"""
[lal_srl]
predicates = "own"
predicate_threshold = 0.5

[lal_srl.model]
@architectures = "spacy-lal.RolesModel.v1"

[lal_srl.model.tok2vec]
{SMALL_TOK2VEC}

[lal_srl.model.encoder]
@misc = "spacy-lal.RolesEncoder.v1"
timing = true

[lal_srl.model.syntax]
@misc = "spacy-lal.SyntaxAttention.v1"
heads = "own"

[lal_srl.model.predicate_scorer]
@misc = "spacy-lal.PredicateScorer.v1"

[lal_srl.model.role_scorer]
@misc = "spacy-lal.RoleScorer.v1"

[lal_srl.model.roleset_scorer]
@misc = "spacy-lal.RolesetScorer.v1"

[lal_srl.decoder]
@misc = "spacy-lal.roles_decoder.v1"

[lal_srl.loss]
@misc = "spacy-lal.RolesLoss.v1"

[lal_srl.scorer]
@scorers = "spacy-lal.roles_scorer.v1"
"""
DEFAULT_CONFIG = Config().from_str(DEFAULT_CONFIG_STR)["lal_srl"]


@Language.factory(
    "lal_srl",
    assigns=["doc.spans"],
    requires=["token.is_sent_start"],
    default_config=DEFAULT_CONFIG,
    default_score_weights={
        "srl_f": 1.0,
        "srl_p": None,
        "srl_r": None,
        "predicate_f": 0.0,
        "roleset_acc": 0.0,
        "srl_per_role": None,
    },
)
def make_lal_srl(
    nlp: Language,
    name: str,
    model: Model[List[Doc], List[RoleScores]],
    decoder: RolesDecoder,
    loss: RolesLoss,
    scorer: Optional[Callable],
    predicates: PredicateSource = "own",
    predicate_threshold: float = 0.5,
    overwrite: bool = True,
) -> LALSemanticRoles:
    """Make a `lal_srl` component.

    model (Model[List[Doc], List[RoleScores]]): Scores each sentence of the Docs, in order.
    decoder (RolesDecoder): From scores to arguments.
    loss (RolesLoss): Weights of the losses.
    scorer (Optional[Callable]): From Examples to scores.
    predicates (str): "own": the component finds predicates. "doc": it takes the predicates that the Doc has in
        `doc.spans["srl"]`, with their V, C-V and, where it is not empty, their roleset with its frame file, and finds
        their arguments.
    predicate_threshold (float): The component's own predicates have at least this probability.
    overwrite (bool): Whether to replace roles that a Doc already has.
    RAISES (ImportError): This version does not support the installed spaCy, spacy-transformers or thinc.
    """
    check_requirements()
    return LALSemanticRoles(
        nlp.vocab,
        model,
        name,
        decoder=decoder,
        loss=loss,
        scorer=scorer,
        predicates=predicates,
        predicate_threshold=predicate_threshold,
        overwrite=overwrite,
        upstream=find_encoder(nlp, model),
    )
