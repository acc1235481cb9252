"""How fast the network, a pipeline, the decoders and training are, beside others too;
and what memory they take."""
