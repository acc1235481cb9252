"""The token vectors of our components' default configs: small, for a pipeline without a transformer."""

SMALL_TOK2VEC = """
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 96
depth = 2
embed_size = 2000
window_size = 1
maxout_pieces = 3
subword_features = true
""".strip()
