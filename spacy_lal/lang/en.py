"""English: the Penn Treebank's conventions and those of Universal Dependencies, and rules for text from the web."""

DEFAULT_PACKAGE = "en_lal_md"

# Labels of the node that only marks a tree. "" is the outer bracket of the Penn Treebank.
ROOT_LABELS = frozenset({"TOP", "ROOT", "S1", "VROOT", ""})

# Deprels of a word that stands for its clause: Universal Dependencies, then those that only Stanford dependencies have.
CLAUSE_DEPRELS = frozenset(
    ["root", "csubj", "ccomp", "xcomp", "advcl", "acl", "parataxis"]
    + ["csubjpass", "pcomp", "rcmod", "vmod", "partmod", "infmod", "purpcl"]
)

# The string in which Zhou & Zhao (2019) and Mrini et al. (2020) look for a tag to find punctuation.
REFERENCE_PUNCTUATION = ".``'':,"

# COLLINS.prm: tags of words that EVALB deletes, and labels that it takes for one another.
EVALB_DELETED = ("TOP", "-NONE-", ",", ":", "``", "''", ".")
EVALB_EQUAL = (("ADVP", "PRT"),)

# Rules of `spacy-lal.WebTokenizer.v1`, chosen on the training files of EWT and GUM.
# The end of a sentence, shouted; but not the full stop of U.S.A. with the mark after it.
SHOUTS = r"(?:[.!?]*[!?][.!?]+|[.][.]+[!?]*|(?<![A-Za-z][.][A-Za-z])[.][!?]+)"
RUNS = [SHOUTS, *(rf"{mark}{{2,}}" for mark in (r"=", r"\*", r"_", r"#", r"~", r"<", r">", r"\$", r"\+", r"-"))]
TIME_OF_DAY = r"(?<=[0-9])(?:AM|PM|am|pm)"
TELEPHONE = r"(?:1-)?(?:[0-9]{3}-)?[0-9]{3}-[0-9]{4}"
PREFIXES = (
    "anti co counter e ex hyper inter intra mega meta micro mid mini mis multi neo non over post pre pro pseudo re "
    "semi sub super trans ultra un vice"
)
WHOLE = ("Ft.", "al.", "Capt.", "Sts.", "Drs.", "ext.", "ect.", "w/", "W/", "b/c")
DIVIDED = {"and/or": ("and", "/", "or"), "wanna": ("wan", "na"), "Wanna": ("Wan", "na")}
NOT_WHOLE = ("):",)  # for spaCy an emoticon; on the web more often the end of a bracket, and a colon
