"""English: tokenizer rules for web text."""

from .web import FILE_TYPES, MORE_TAGS, PREFIXES, TAGS, UNITS

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
AFTER_DIGITS = rf"(?<=[0-9])(?:{'|'.join(UNITS)})"
# Pictures: with a skin colour, joined to others, of two letters of a flag, in a key.
PICTURE = "[\u2600-\u27bf\u2190-\u21ff\u2b00-\u2bff\U0001f000-\U0001faff\u203c\u2049\u2122\u3030\u303d\u3297\u3299©®]"
PICTURE = rf"{PICTURE}[\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]*"
EMOJI = f"(?:[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{PICTURE}(?:\u200d(?:{PICTURE}))*)"
OPERATOR = r"(?:<->|<=>|\+/-|[<>!:+*/]=|->|<-|=>|&&|\|\||::)"
TAG, _OTHER_TAG = (
    rf"</?(?i:{'|'.join(names)})(?:\s*/)?>" for names in (TAGS, MORE_TAGS)
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
    r"(?<=[A-Z]&[A-Z])\.",  # the stop of a sentence after R&D, H&M, AT&T
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
# Contractions in capitals: I'VE, THEY'LL. A number and a word of a list: 1.No, 2.Patient
INFIXES += [
    r"(?:(?<=[A-Z][A-Z])|(?<=\bI))(?=['’](?:D|LL|RE|VE)(?![A-Za-z]))",
    r"(?<=\bI)(?=['’]M\b)",
    r"(?:(?<=^[0-9])|(?<=^[0-9][0-9]))\.(?=(?:[A-Z][a-z]+|[a-z]{2,})\b)",
]
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
_JOINED = (
    r"<[A-Za-z][\w-]*(?=\s+[\w:-]+=)",
    r"<!(?:DOCTYPE\b|--)",
    r"""(?<=[\"'])/>""",
    r"(?<!\w)[A-HJ-Zf-h]\([^\s()]{1,8}\)(?!\w)",
    r"(?<!\w)[a-z]{2,}\(en\)",
    r"(?<!\w)\w+\(e?s\)(?:-\w+)+",
    r"""(?<![\w.])[A-Za-z_][\w.]*\(([\"'])[^\s\"'()]*\1\)""",
    r"#(?!\d+(?:st|nd|rd|th)\b)\d+[A-Za-z]\w*",
    r"(?<![!=<>|-])(?:!==|<--+|--+>|\|>|>>=|<<=)(?![=<>|-])",
    r"```",
    r"\+\d{1,3}-\d{3}-\d{3}-\d{4}",
    r"(?<![\w.])(?:[vV]\d+(?:\.\d+)+|\d+(?:\.\d+){2,})(?:[-+]\w+(?:\.\w+)*)+",
    r"\$[A-Z]+(?:/[\w.-]*\w)+",
    r"(?<![\w/:.-])[\w.-]+(?:/[\w.-]+)*/[\w-]+(?:\.[\w-]+)*\.(?:FILE_TYPES)(?![\w/])",
    r"(?:doi:)?(?<![\d.])10\.\d{4,}/[\w./()-]*\w",
    r"[^\s\w]\ufe0f",
    r"(?<!\S)['’][nN]['’](?!\S)",
    r"cont['’]d\b",
    r"""(?<![a-z0-9+])(?!https?:)[a-z][a-z0-9+]+://[^\s<>\"]{0,500}[\w/]""",
)
JOINED = "|".join([_OTHER_TAG, *_JOINED]).replace("FILE_TYPES", "|".join(FILE_TYPES))
_CUT = (
    r"""(?<=\w=)[\"']""",
    r"""(?<=\w)[\"”](?=\()""",
    r"""[\"'](?=/?>)""",
    r"""(?<=[\"'])/?>""",
    r"(?<=\))(?=\[)",
    r"(?<![\w.,$£€:/-])\d+(?:\.\d+)?(?=(?:h|wks?|ppm|dB|kW|kcal|mpg|psi|(?<=\d\d)[WV])(?![\w'’/-]))",
    # Marks of notes and citations: died in 1950.[3], burnt.[note 2], word.², word†
    r"(?<=[\w.,;:!?)\]\"'”’])\[(?:\d{1,3}(?:[-–,] ?\d{1,3})*|[a-z]|(?:note|nb|n\.?) ?\d{1,3})\]",
    r"(?:(?<=[.,;:!?)\]\"”])|(?<=[a-z]{3}))[¹²³⁰⁴-⁹]+",
    r"(?<=[\w.,;:!?)\]\"”])[†‡]+",
    r"(?<!\S)(?=\S{3})\S*/(?![A-Z][a-z]{1,4}\.|(?:[A-Za-z]\.)+[A-Za-z]\.)(?:[^\s/]*\w)?(?=\.(?:\s|$))",
)
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
