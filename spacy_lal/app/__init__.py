"""A page to play with: `python -m spacy lal app`, which runs it in Streamlit (the extra `app`)."""

from pathlib import Path

PAGE = Path(__file__).with_name("page.py")
EXTRA = "app"
LIGHT, DARK = "#ffffff", "#16181d"  # backgrounds, as of the pages that `explain` writes
