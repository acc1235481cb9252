"""thinc models around the torch layers; spaCy and thinc begin here. Found by entry points: this file imports nothing.

`parser` builds the LAL parser, `word_transformer` a transformer for its `tok2vec`. `features` reads Docs, `bridge` pads
and runs the network, `network_shim` holds it. `word_cleaning` and `pieces` prepare words for a transformer.
"""
