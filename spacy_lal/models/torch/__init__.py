"""Networks in torch: what learns, and what runs on a GPU. torch itself is imported when
a network is made, but by `transformer.py`."""
