"""Measures of syntactic complexity, from constituency trees and from heads. *Not* here:
Docs (`annotations/complexity.py`) and the command (`lal complexity`)."""

# ruff: noqa: F401  (other rooms and users import from here)
from .measures import Complexity, measure_sentence, summed
from .structures import find_structures
