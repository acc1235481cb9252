"""The sizes of a parser network that is quick to run: what every test of networks starts from."""

SETTINGS = {
    "vector_width": 6,
    "hidden_width": 8,
    "n_layers": 1,
    "n_attn_heads": 2,
    "attn_width": 4,
    "ff_width": 8,
    "n_label_heads": 3,
    "label_attn_width": 4,
    "label_proj_width": 4,
    "span_hidden_width": 5,
    "arc_hidden_width": 5,
    "deprel_hidden_width": 5,
}
