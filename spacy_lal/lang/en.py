"""English: conventions of the Penn Treebank and Universal Dependencies, and tokenizer rules for web text."""

DEFAULT_PACKAGE = "en_lal_md"

# Labels of the node that only marks a tree. "" is the outer bracket of the Penn Treebank.
ROOT_LABELS = frozenset({"TOP", "ROOT", "S1", "VROOT", ""})

# Deprels of clause predicates: Universal Dependencies, then deprels that only Stanford dependencies have.
CLAUSE_DEPRELS = frozenset(
    ["root", "csubj", "ccomp", "xcomp", "advcl", "acl", "parataxis"]
    + ["csubjpass", "pcomp", "rcmod", "vmod", "partmod", "infmod", "purpcl"]
)

# Zhou & Zhao (2019) and Mrini et al. (2020) take a tag for punctuation if it lies within this string.
REFERENCE_PUNCTUATION = ".``'':,"

# COLLINS.prm: tags of words that EVALB deletes, and labels that it treats as equal.
EVALB_DELETED = ("TOP", "-NONE-", ",", ":", "``", "''", ".")
EVALB_EQUAL = (("ADVP", "PRT"),)

# PropBank 3.1: rolesets of auxiliaries and modals, as their frames name them. They have no roles.
AUXILIARY_ROLESETS = frozenset(["be.03", "become.03", "do.01", "get.24", "go.04", "have.01", "have.02", "use.03"])

# Rules of `spacy-lal.WebTokenizer.v1`, chosen on the training files of EWT and GUM.
# Repeated marks at the end of a sentence, but not the full stop of U.S.A. and the mark after it.
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
NOT_WHOLE = ("):",)  # an emoticon in spaCy; in web text more often a closing bracket and a colon

# Endings of inflected verbs and what may replace them to give a frame's name, the likelier first. A doubled consonant
# is undone beforehand ("planned", "plan").
VERB_ENDINGS = (
    ("ies", ("y",)),
    ("ied", ("y",)),
    ("es", ("", "e")),
    ("s", ("",)),
    ("ing", ("", "e")),
    ("ed", ("", "e")),
)
