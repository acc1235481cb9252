"""English: constants of the Penn Treebank, Universal Dependencies and PropBank, and tokenizer rules for web text."""

# Deprels of clause predicates: Universal Dependencies, then deprels that only Stanford dependencies have.
CLAUSE_DEPRELS = frozenset(
    ["root", "csubj", "ccomp", "xcomp", "advcl", "acl", "parataxis"]
    + ["csubjpass", "pcomp", "rcmod", "vmod", "partmod", "infmod", "purpcl"]
)

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
VERB_ENDINGS = {"ies": ("y",), "ied": ("y",), "es": ("", "e"), "s": ("",), "ing": ("", "e"), "ed": ("", "e")}

# Noun chunks. Labels of noun phrases; of phrases that may stand before a noun; of phrases that may end with the noun.
NOUN_PHRASES = frozenset({"NP", "WHNP"})
PRENOMINAL_PHRASES = frozenset({"ADJP", "ADVP", "INTJ", "LST", "NAC", "NML", "NX", "QP", "UCP", "WHADJP"})
NOMINAL_PHRASES = frozenset({"NAC", "NML", "NX", "UCP"})
# UPOS and fine tags of head nouns; fine tags of pronouns where they are a phrase of one word; and of words that are
# pronouns by their UPOS and head no noun phrase.
NOUN_POS = frozenset({"NOUN", "PROPN", "PRON"})
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "PRP", "WP"})
PRONOUN_TAGS = frozenset({"DT", "WDT"})
NOT_HEADS = frozenset({"EX", "PRP$", "WP$"})
MARK_TAGS = frozenset({"``", "''", ",", ":", ".", "-LRB-", "-RRB-", "HYPH", "NFP"})
POSSESSIVE_MARKS = frozenset({"'s", "'", "’s", "’", "'S", "’S"})
