"""Constants of each language and its treebanks: one module per language.

To add a language, add `lang/<code>.py` with the same names, and its default package below.
"""

from . import en

# Language code -> the default package: its weights are loaded by a `lal_parser` that was neither trained nor loaded.
DEFAULT_PACKAGES = {"en": en.DEFAULT_PACKAGE}
# The default pipeline of the commands and the app.
DEFAULT_PIPELINE = en.DEFAULT_PACKAGE
