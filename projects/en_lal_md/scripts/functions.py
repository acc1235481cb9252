"""Registered functions of this project's configs, for `--code`: rough text, teachers, products in bfloat16.

python -m spacy lal train configs/lal_trf_branch.cfg --code scripts/functions.py ...
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bfloat16  # noqa: E402
import rough_text  # noqa: E402
import teachers  # noqa: E402

__all__ = ["bfloat16", "rough_text", "teachers"]
