"""Every model of Kitaev & Klein's table (reference-encoders.md A2) is a config of a few lines: built by spaCy's config
system, trained on two sentences to zero loss, saved, folded."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Config
from tiny_pipeline import make_examples

BASE = """
[model]
@architectures = "spacy-lal.LALParser.v1"
tok2vec = null
hidden_width = 32
label_attention = null
biaffine_scorer = null

[model.inputs]
@misc = "spacy-lal.InputLayer.v1"
join = "concat"
dropout = 0.0
position_scale = 1.0

[model.encoder]
@misc = "spacy-lal.Encoder.v1"

[model.encoder.*.all]
@misc = "spacy-lal.SelfAttentionLayer.v1"
repeat = 2
n_heads = 2
attn_width = 8
ff_width = 32
factored = true
attention_dropout = 0.0
relu_dropout = 0.0
residual_dropout = 0.0

[model.fenceposts]
@misc = "spacy-lal.Fenceposts.v1"
halves = "even_odd"

[model.span_scorer]
@misc = "spacy-lal.SpanScorer.v1"
hidden_width = 16
"""
TAGS_WORDS = """
[model.inputs.*.tags]
@misc = "spacy-lal.Tags.v1"
dropout = 0.0

[model.inputs.*.words]
@misc = "spacy-lal.Words.v1"
dropout = 0.0
"""
CHAR_LSTM = """
[model.inputs.*.chars]
@misc = "spacy-lal.CharLSTM.v1"
dropout = 0.0
"""
CHAR_CONCAT = """
[model.inputs.*.letters]
@misc = "spacy-lal.CharConcat.v1"
char_width = 2
dropout = 0.0
"""
VECTORS = """
[model.inputs.*.vectors]
@misc = "spacy-lal.Vectors.v1"
mix_layers = 2

[model.tok2vec]
@architectures = "spacy-lal.JoinedTok2Vec.v1"

[model.tok2vec.*.first]
@architectures = "spacy.HashEmbedCNN.v2"
width = 16
depth = 1
embed_size = 200
window_size = 1
maxout_pieces = 2
subword_features = true
pretrained_vectors = null

[model.tok2vec.*.second]
@architectures = "spacy.HashEmbedCNN.v2"
width = 16
depth = 2
embed_size = 200
window_size = 1
maxout_pieces = 2
subword_features = true
pretrained_vectors = null
"""
SUM, UNFACTORED = {"inputs.join": "sum"}, {"encoder.*.all.factored": False}
FIRST_SECOND = {"fenceposts.halves": "first_second"}
FIRST_LAYER = {"encoder.*.all.repeat": 1, "encoder.*.all.queries": "positions"}
# Each model: its features, and the lines that it changes.
MODELS = {
    "base": (TAGS_WORDS, {**SUM, **UNFACTORED, **FIRST_SECOND}),
    "position-only": (TAGS_WORDS, {**SUM, **UNFACTORED, **FIRST_SECOND, "encoder.*.all.queries": "positions"}),
    "position-first": (TAGS_WORDS, {**SUM, **UNFACTORED, **FIRST_SECOND, **FIRST_LAYER}),
    "concatenated": (TAGS_WORDS, UNFACTORED),
    "control": (TAGS_WORDS, SUM),
    "factored": (TAGS_WORDS, {}),
    "char_lstm": (CHAR_LSTM, {}),
    "char_concat": (CHAR_CONCAT, {}),
    "vectors": (VECTORS, {}),
    "all features": (TAGS_WORDS + CHAR_LSTM + CHAR_CONCAT + VECTORS, {}),
    "windows": (TAGS_WORDS, {"encoder.*.all.window": 2, "encoder.*.all.relaxed_window": True}),
}


def make_nlp(name):
    features, changes = MODELS[name]
    text = (BASE.replace("tok2vec = null\n", "") if "[model.tok2vec]" in features else BASE) + features
    config = Config().from_str(text, overrides={f"model.{key}": value for key, value in changes.items()})
    if name == "position-first":  # the second layer is an ordinary one
        layers = config["model"]["encoder"]["*"]
        layers["second"] = {**layers["all"], "queries": "features"}
    nlp = spacy.blank("en")
    nlp.add_pipe("lal_parser", config={**config, "decoder": {"@misc": "spacy-lal.separate_decoder.v1"}})
    return nlp


def tagged_examples(nlp):
    """The two sentences; the gold tags are read."""
    examples = []
    for eg in make_examples(nlp):
        words, tags = [token.text for token in eg.reference], [token.tag_ for token in eg.reference]
        starts = [True] + [False] * (len(words) - 1)
        examples.append(Example(Doc(nlp.vocab, words=words, tags=tags, sent_starts=starts), eg.reference))
    return examples


def train(nlp):
    """Train to zero loss. RETURNS: The last losses."""
    spacy.util.fix_random_seed(0)
    examples = tagged_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.005
    losses = []
    for _ in range(150):
        losses.append(nlp.update(examples, sgd=optimizer)["lal_parser"])
        if losses[-1] < 1e-5:
            break
    return losses


@pytest.mark.parametrize("name", MODELS)
def test_two_sentences_to_zero_loss(name, tmp_path):
    nlp = make_nlp(name)
    losses = train(nlp)
    assert losses[0] > 5.0 and losses[-1] == pytest.approx(0.0, abs=1e-5)
    golds = [eg.reference for eg in tagged_examples(nlp)]
    docs = [nlp.get_pipe("lal_parser")(eg.predicted) for eg in tagged_examples(nlp)]
    for doc, gold in zip(docs, golds, strict=True):
        assert doc[:]._.parse_string == gold[:]._.parse_string and not doc.has_annotation("DEP")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.config["components"]["lal_parser"]["model"] == nlp.config["components"]["lal_parser"]["model"]
    models = [one.get_pipe("lal_parser").model for one in (nlp, loaded)]
    found = [model.predict([eg.predicted for eg in tagged_examples(nlp)]) for model in models]
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one.labels, two.labels)
