"""An interactive page: `python -m spacy lal app` runs it in Streamlit (the extra `app`)."""

from pathlib import Path

PAGE = Path(__file__).with_name("page.py")
EXTRA = "app"
LIGHT, DARK = "#ffffff", "#16181d"  # backgrounds, as in the pages that `explain` writes
DARK_FIELD = "#24272e"  # of text and lists: Streamlit's own is brown on this background
