"""English: constants of the Penn Treebank, Universal Dependencies and PropBank, and
tokenizer rules for web text."""

import json
from pathlib import Path

# `en_words.json`, for relations and clauses: verbs by lemma: auxiliary ones, which only
# help the next one ("going to", "used to"); those of subject control, which lend their
# subject to an infinitive even if they have an object; adverbial nouns, no object of
# their relative clause ("the reason I go"); factual conjunctions, which begin clauses
# that hold. For the tokenizer: abbreviations whose full stop is theirs, always
# (`whole`), within a sentence, after a number, or before a number or a letter only.
# Measures are no agents ("rose by ten percent").
_WORDS = json.loads(
    Path(__file__).with_name("en_words.json").read_text(encoding="utf8")
)
_IN_ORDER = [dict.fromkeys(_WORDS[name].split()) for name in sorted(_WORDS)]
(
    ABBREVIATIONS,
    ADVERBIAL_NOUNS,
    AFTER_NUMBERS,
    AFTER_UNMARKED,
    AUXILIARY_VERBS,
    BEFORE_ADDRESSES,
) = _IN_ORDER[:6]
(
    BEFORE_NUMBERS,
    _CUT,
    DETERMINERS,
    FACTUAL,
    FILE_TYPES,
    INTRANSITIVE,
    _JOINED,
    JOINING,
    MEASURES,
) = _IN_ORDER[6:15]
_MORE_TAGS, NEGATIONS, PREFIXES, SAYING, SUBJECT_CONTROL, _TAGS, _UNITS, WHOLE = (
    _IN_ORDER[15:]
)

# Deprels of clause predicates: Universal Dependencies, then deprels that only Stanford
# dependencies have.
CLAUSE_DEPRELS = frozenset(
    ["root", "csubj", "ccomp", "xcomp", "advcl", "acl", "parataxis"]
    + ["csubjpass", "pcomp", "rcmod", "vmod", "partmod", "infmod", "purpcl"]
)

# PropBank 3.1: rolesets of auxiliaries and modals, as their frames name them. They have
# no roles.
AUXILIARY_ROLESETS = frozenset(
    ["be.03", "become.03", "do.01", "get.24", "go.04", "have.01", "have.02", "use.03"]
)

# Rules of `spacy-lal.WebTokenizer.v1`, chosen on the training files of EWT and GUM.
# Repeated marks at the end of a sentence, but not the full stop of U.S.A. or Inc. and
# the mark after it.
_NO_INITIALS = r"(?<![A-Za-z][.][A-Za-z])"
_NO_ABBREVIATION = rf"{_NO_INITIALS}(?<!\bCo)(?<!\bJr)(?<!\bSr)(?<!\betc)(?<!\bInc)(?<!\bLtd)(?<!\bCorp)"
SHOUTS = rf"(?:[.!?]*[!?][.!?]+|[.]{{3,}}|{_NO_ABBREVIATION}[.][.]|{_NO_INITIALS}(?<![.])[.][!?]+|[,:][?!](?![?!]))"
RUNS = [SHOUTS, r"(?<=[A-Za-z][.])[.]", "(?:‘’|’’|‘‘)", r"[-=]{3,}", r"[-=+*|<>{}]{6,}"]
RUNS += [
    rf"{mark}{{2,}}"
    for mark in (r"=", r"\*", r"_", r"#", r"~", r"<", r">", r"\$", r"\+", r"-")
]
TIME_OF_DAY = r"(?<=[0-9])(?:AM|PM|am|pm)"
UNITS = rf"(?<=[0-9])(?:{'|'.join(_UNITS)})"
# Pictures: with a skin colour, joined to others, of two letters of a flag, in a key.
PICTURE = "[\u2600-\u27bf\u2190-\u21ff\u2b00-\u2bff\U0001f000-\U0001faff\u203c\u2049\u2122\u3030\u303d\u3297\u3299©®]"
PICTURE = rf"{PICTURE}[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
EMOJI = f"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{PICTURE}(?:\u200d(?:{PICTURE}))*)"
OPERATOR = r"(?:<->|<=>|\+/-|[<>!:+*/]=|->|<-|=>|&&|\|\||::)"
TAG, _OTHER_TAG = (
    rf"</?(?i:{'|'.join(names)})(?:\s*/)?>" for names in (_TAGS, _MORE_TAGS)
)
LINK = r"(?:(?:https?|ftp|file)://|www\.)[^\s()<>\[\]\"]*[^\s()<>\[\]\".,;:!?'`]"  # within other text
# Whole tokens that begin with a mark that would be taken off.
PREFIXED = [
    r"#[A-Za-z]\w*",
    r"['’][0-9]{2}(?:['’]?s)?(?![\w'’])",
    r"--[a-z][\w-]*(?:=[\w./:-]*\w)?(?![\w-])",
]
PREFIXED += [r"\([A-Z]?[a-z]{1,5}\)[a-z][a-z'’-]*", r"\.\.?/[\w.+@/-]*\w"]
# Marks before a word, and a number before one (61persons).
BEFORE_WORDS = [
    r"-(?=[0-9]|[A-Z]?[a-z]{2,}\b(?!-))",
    r"~(?=\w)",
    r"@(?=[0-9])",
    r"[0-9]+(?=[a-z]{4,}\W*$)",
]
BEFORE_WORDS.append(r'\w+(?="<)')
# Marks after a word. Shorter words that end in a hyphen are cut off in speech.
AFTER_WORDS = [
    r"(?<=[A-Za-z]{4})-",
    r"(?<=[0-9])-",
    r"(?<=[A-Za-z0-9.]{2})/",
    r"(?<=\b[AB])\++",
    r"(?<=[A-Za-z])[`´]s",
]
# Brackets and quotes within a run, can't/won't, [name](address), F-16, $4-$6, U.S.-led,
# 9am-5pm, 5'2, tele#84.
INFIXES = [
    r"(?<=\w)[(\[{](?=\w)",
    r"(?<=[A-Za-z])(?=[nN]['’][tT](?![A-Za-z]))",
    r"\](?=\()",
    r"(?<=\])\(",
]
INFIXES += [
    r"(?:(?<=[a-z])|(?<=\bI))(?=['’](?:d|ll|re|s|ve)(?![A-Za-z]))",
    r"(?<=\bI)(?=['’]m\b)",
]
INFIXES += [r"(?<=\w)\)(?=[\w(.])", r"(?<=\))\(", r"\](?=[–-])", r"(?<=[–-])\["]
INFIXES += [
    r'(?<=\w)"(?=[\w<-])',
    r'(?<=")[<-]',
    r'(?<=-)"',
    r"(?<=[A-Za-z])-(?=[0-9$])",
    r"(?<=[0-9])-(?=\$)",
]
INFIXES += [
    r"(?<=[-–])[$£€](?=[0-9])",
    r"(?<=\.)-(?=[A-Za-z])",
    r"(?<=[0-9])(?:[ap]m|[AP]M)(?=-)",
]
INFIXES.append(r"(?<=[0-9])['’–](?=[$£€]?[0-9])")
INFIXES += [
    r"(?<=[A-Za-z])[#:](?=[0-9])",
    r"(?<=[a-z]);(?=[a-z])",
    r"(?<=[0-9])%(?=-)",
    r"(?<=%)-(?=[0-9])",
]
INFIXES += [r"(?<=[\w”’)])—(?=[\w“‘(])", r"(?<=[A-Za-z])[“”](?=\W)"]
# Whole tokens, as regular expressions.
TELEPHONE = r"(?:1-)?(?:[0-9]{3}[-/])?[0-9]{3}-[0-9]{4}|x?[0-9]-[0-9]{4}"
TOKENS = [
    rf"{TELEPHONE}|[0-9]{{5}}-[0-9]{{4}}",  # and a postal code
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+Z?)?|[0-9]{1,2}-(?:[0-9]{1,2}|[A-Z][A-Za-z]{2})-(?:[0-9]{4}|[0-9]{2})",
    r"[vV]?[0-9]+(?:\.[0-9]+)+(?:-?(?:alpha|beta|dev|post|rc|[ab])\.?[0-9]*)?|[0-9]{1,2}(?::[0-9]{2}){1,2}",
    rf"['’]?(?:[0-9]{{2}})?[0-9]0['’]s|['’][0-9]{{2}}s?|(?i:{'|'.join(PREFIXES)})-\w+",  # 80's, '68, e-mail
    # Brackets within a word, calls, addresses with brackets.
    r"(?:\w[\w'’.-]*)?\w\((?:s|es|ren|d|ed|n|r|ly|al|[a-z]|[0-9]{1,2}|[ivx]{1,4})\)(?:\([a-z0-9]{1,3}\))*\w*",
    r"\((?:[A-Z]?[a-z]{1,5})\)[a-z][a-z'’-]*|[A-Za-z]+\([a-z]\)[a-z]+",
    r"[A-Za-z_][\w.]*\((?:|[^\s()]*[=,(_][^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)",
    r"[A-Za-z_][\w.]*\((?:[\w.]*\([^\s()]*\)[^\s()]*)+\)",
    r"(?:https?://|www\.)[^\s()]+(?:\([^\s()]*\)(?:[^\s()]*[\w/])?)+|(?:https?://|www\.)[^\s()<>\"]+/|\w[\w.-]*(?:/[\w.-]+)+/",
    r"[\w.+-]*\w@\w[\w-]*(?:\.\w[\w-]*)+|[\w-]+\.(?i:com|edu|gov|net|org)|[a-z]+(?:\.[a-z]+)+\.[a-z]+-[a-z]+",
    rf"@[A-Za-z_]\w*(?:[.-]\w+)*|#[\w-]*[A-Za-z]\w*|[A-Za-z]#|[C-Zc-z]\+\+|{OPERATOR}|{EMOJI}|{TAG}",
    r"(?:~|\.{1,2})?(?:/[\w.+@-]+){2,}/?|(?:~|\.{1,2})/[\w.+@-]*\w|[A-Za-z]:\\[\w.\\-]*\w|/(?:bin|dev|etc|home|opt|root|tmp|usr|var)/?",
    rf"--[a-z][\w-]*(?:=[\w./:-]*\w)?|-[a-zA-Z]|(?i:[\w#%][\w#%&+.-]*\.(?:{'|'.join(FILE_TYPES)}))|\.(?i:{'|'.join(FILE_TYPES)})",
    r"(?i:y['’]all|ya['’]ll)|[A-Za-z]/[A-Za-z]|w/out|(?:[A-Za-z]\.){2,}|(?i:s/he)|(?i:Yahoo)!",
]
# Parts of a text that are one token whatever those rules divide (tags, formulas,
# operators, paths, emoji), and places where tokens end that they leave whole (quotes
# within a tag, the full stop after a path, a number before a unit).
JOINED = "|".join([_OTHER_TAG, *_JOINED]).replace("FILE_TYPES", "|".join(FILE_TYPES))
CUT = "|".join(_CUT)
# Words without their apostrophe before a word that follows no possessive: "its a",
# "your going".
UNMARKED = {"its": 2, "your": 3}
_DIVIDED = "wan|na Wan|na gim|me Gim|me 'T|is 't|is 'T|was 't|was a|lot Let|s out|ta lot|ta lem|me Lem|me d'|you D'|you"
_DIVIDED += " y'|know and|/|or CA|NT DO|NT WO|NT"
DIVIDED = {word.replace("|", ""): word.split("|") for word in _DIVIDED.split()}
# Special cases of spaCy that are other words in web text: an emoticon that is more
# often a closing bracket and a colon, and contractions without an apostrophe.
NOT_WHOLE = ("):", "id", "Id", "wed", "Wed", "y'all", "yall")

# Endings of inflected verbs and what may replace them to give a frame's name, the
# likelier first. A doubled consonant is undone beforehand ("planned", "plan").
VERB_ENDINGS = {
    "ies": ("y",),
    "ied": ("y",),
    "es": ("", "e"),
    "s": ("",),
    "ing": ("", "e"),
    "ed": ("", "e"),
}

# Noun chunks. Labels of noun phrases; of phrases that may stand before a noun; of
# phrases that may end with the noun.
NOUN_PHRASES = frozenset({"NP", "WHNP"})
PRENOMINAL_PHRASES = frozenset(
    {"ADJP", "ADVP", "INTJ", "LST", "NAC", "NML", "NX", "QP", "UCP", "WHADJP"}
)
NOMINAL_PHRASES = frozenset({"NAC", "NML", "NX", "UCP"})
# UPOS and fine tags of head nouns; fine tags of pronouns where they are a phrase of one
# word; and of words that are pronouns by their UPOS and head no noun phrase.
NOUN_POS = frozenset({"NOUN", "PROPN", "PRON"})
NOUN_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "PRP", "WP"})
PRONOUN_TAGS = frozenset({"DT", "WDT"})
NOT_HEADS = frozenset({"EX", "PRP$", "WP$"})
MARK_TAGS = frozenset({"``", "''", ",", ":", ".", "-LRB-", "-RRB-", "HYPH", "NFP"})
# Prepositions, and the phrases in which they may stand beside a noun phrase.
PREPOSITION_TAGS = frozenset({"IN", "TO"})
PHRASES_OF_PREPOSITIONS = frozenset({"PP", "WHPP", "SBAR"})
POSSESSIVE_MARKS = frozenset({"'s", "'", "’s", "’", "'S", "’S"})

# Relations and clauses
RELATIVE_TAGS = frozenset({"WDT", "WP", "WP$"})
PLACES, TIMES = ("GPE", "LOC", "FAC"), ("DATE", "TIME")  # labels of entities
