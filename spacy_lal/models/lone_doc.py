"""One Doc in one sequence through ONNX Runtime: the result of spacy-transformers' own steps, without padding, torch's
tensors, and the division of a batch by Docs. *Not* here: several Docs, long Docs, and training (`transformer.py`)."""

from typing import Any, Optional, cast

import numpy
from spacy.tokens import Doc
from spacy_transformers.align import get_alignment_via_offset_mapping
from spacy_transformers.data_classes import FullTransformerBatch, TransformerData, WordpieceBatch
from thinc.api import Model, NumpyOps
from transformers.utils import ModelOutput

from .runtimes import OnnxTransformer


def encode_alone(model: Model, doc: Doc, transformer: OnnxTransformer) -> Optional[FullTransformerBatch]:
    """What a transformer's layer gives for a batch of one Doc.

    model (Model): The layer.
    transformer (OnnxTransformer): Its transformer.
    RETURNS (Optional[FullTransformerBatch]): None where the Doc has several windows, is as long as the tokenizer's
        limit, or needs another tokenizer than a fast one.
    """
    tokenizer: Any = model.tokenizer  # type: ignore[attr-defined]
    spans = model.attrs["get_spans"]([doc])
    fast = getattr(tokenizer, "_tokenizer", None)
    if len(spans[0]) != 1 or fast is None or fast.truncation is not None or not isinstance(model.ops, NumpyOps):
        return None
    found = fast.encode(spans[0][0].text)
    ids = numpy.array([found.ids])
    if ids.size >= tokenizer.model_max_length or not all(found.attention_mask):
        return None
    has_segments = "token_type_ids" in tokenizer.model_input_names
    pieces = WordpieceBatch(
        strings=[found.tokens],
        input_ids=cast(Any, ids),
        attention_mask=cast(Any, numpy.ones(ids.shape, dtype="float32")),
        lengths=[sum(piece != tokenizer.pad_token for piece in found.tokens)],
        token_type_ids=cast(Any, numpy.array([found.type_ids])) if has_segments else None,
    )
    align = get_alignment_via_offset_mapping(spans[0], cast(Any, numpy.array([found.offsets])))
    output: Any = transformer.run(pieces.input_ids, pieces.token_type_ids, pieces.attention_mask)
    arrays = ModelOutput(last_hidden_state=output.last_hidden_state.numpy())
    return FullTransformerBatch(spans, pieces, output, align, [TransformerData(pieces, arrays, align)])
