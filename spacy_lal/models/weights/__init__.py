"""How weights are stored, and how threads share what is made of them."""
