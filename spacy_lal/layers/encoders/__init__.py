"""Encoders: from embedded positions to encoded positions of the same width."""
