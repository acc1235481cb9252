"""`spacy-lal.ReferenceParser.v1`: the authors' parser, as their hyperparameters describe it.

For pipelines that `import-official` makes, and for comparisons. For your own parser, use `spacy-lal.LALParser.v1`.
"""

from typing import Any, Dict, List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ...models.execution import ExecutionConfig
from ...models.parser import ParserModel, assemble_parser
from ..convert import flat_config, reads_vectors
from ..hparams import DEFAULT_HPARAMS


def build_reference_parser(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]],
    hparams: Dict[str, Any],
    n_label_heads: Optional[int] = None,
    scrambled_queries: bool = False,
    mixed_precision: bool = False,
    max_batch_cells: int = 65536,
) -> ParserModel:
    """Build the authors' parser.

    tok2vec (Optional[Model]): Token vectors, as for `spacy-lal.LALParser.v1`. Required by use_xlnet.
    hparams (Dict[str, Any]): Hyperparameters by the authors' names; missing ones take the values of
        `spacy_lal.checkpoint.hparams`.
    n_label_heads (Optional[int]): Label heads. None: one for each label of the treebank.
    scrambled_queries (bool): Reproduce a fault of their code, for their published scores: label queries meet the keys
        of other labels, depending on the number of sentences scored at once.
    mixed_precision, max_batch_cells: As for `spacy-lal.Execution.v1`.
    RAISES (ValueError): A hyperparameter is unknown, or they make no network.
    """
    unknown = sorted(set(hparams) - set(DEFAULT_HPARAMS))
    if unknown:
        raise ValueError(f"hparams: expected names of {', '.join(DEFAULT_HPARAMS)}; got also {', '.join(unknown)}")
    given = {**DEFAULT_HPARAMS, **hparams}
    flat = flat_config(given, n_label_heads or 0, scrambled_queries=scrambled_queries)
    sentence_rows = tok2vec is not None and bool(tok2vec.attrs.get("sentence_rows"))
    network = flat.compose(reads_vectors=reads_vectors(given), learned_boundaries=not sentence_rows)
    return assemble_parser(tok2vec, network, ExecutionConfig(mixed_precision, max_batch_cells))
