"""The layers of the semantic-role network (LISA, Strubell et al. 2018)."""
