"""Scorers: from fenceposts to scores of spans, arcs and deprels."""
