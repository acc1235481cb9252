"""`spacy-lal.LALParser.v2`: the third architecture, with the options of its block `execution` beside the blocks.

Configs and saved pipelines with this name load unchanged.
"""

from inspect import Parameter, signature
from typing import Any, List, Optional

from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..models.execution import ExecutionConfig
from ..models.parser import ParserModel, build_lal_parser


def build_lal_parser_v2(
    tok2vec: Optional[Model[List[Doc], List[Floats2d]]] = None,
    *,
    mixed_precision: bool = False,
    max_batch_cells: int = 65536,
    runtime: str = "torch",
    **blocks: Any,
) -> ParserModel:
    """Build a parser from blocks: `mixed_precision`, `max_batch_cells` and `runtime` as for `spacy-lal.Execution.v1`,
    the others as for `spacy-lal.LALParser.v3`.

    RAISES (ValueError): The blocks do not fit together; the message names the option.
    """
    return build_lal_parser(tok2vec, execution=ExecutionConfig(mixed_precision, max_batch_cells, runtime), **blocks)


def list_arguments(build: Any, others: List[Parameter]) -> None:
    """Make the signature of a function, which the config system reads, list arguments in place of `**blocks`."""
    own = [one for one in signature(build).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    names = {one.name for one in own}
    others = [one for one in others if one.name not in names]
    build.__signature__ = signature(build).replace(parameters=[*own, *others])


list_arguments(
    build_lal_parser_v2, [one for one in signature(build_lal_parser).parameters.values() if one.name != "execution"]
)
