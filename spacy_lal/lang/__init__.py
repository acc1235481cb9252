"""What a language and its treebanks say of trees: one module a language, constants alone.

Another language: add `lang/<code>.py` with the same names, and its default package below.
"""

from . import en

# Language code -> the package whose parser a `lal_parser` takes that was neither trained nor loaded.
DEFAULT_PACKAGES = {"en": en.DEFAULT_PACKAGE}
# The pipeline of commands and of the app, where none is named.
DEFAULT_PIPELINE = en.DEFAULT_PACKAGE
