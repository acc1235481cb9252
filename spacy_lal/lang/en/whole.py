"""English: what stays one token, as English Web Treebank and GUM have it."""

from ..conventions import Rule
from .web import FILE_TYPES, PREFIXES

_FILE_TYPES = "|".join(FILE_TYPES)
_PREFIXES = "|".join(PREFIXES)
# What the brackets within a word may hold: endings, a letter, a number.
_ENDINGS = r"s|es|ren|d|ed|n|r|ly|al|[a-z]|[0-9]{1,2}|[ivx]{1,4}"
_STAGES = r"alpha|beta|dev|post|rc|[ab]"
_FOLDERS = r"bin|dev|etc|home|opt|root|tmp|usr|var"
_DOMAINS = r"com|edu|gov|net|org"

NUMBERS = (
    Rule(
        "telephone number",
        r"(?:1-)?(?:[0-9]{3}[-/])?[0-9]{3}-[0-9]{4}",
        {
            "call 713-853-3989.": "call 713-853-3989 .",
            "853-3989, 1-800-555-1234": "853-3989 , 1-800-555-1234",
            "713/853-6197": "713/853-6197",
        },
    ),
    Rule(
        "extension of a telephone",
        r"x?[0-9]-[0-9]{4}",
        {
            "at 3-5297.": "at 3-5297 .",
            "(x3-9890)": "( x3-9890 )",
        },
    ),
    Rule(
        "postal code",
        r"[0-9]{5}-[0-9]{4}",
        {
            "CA 94720-5180": "CA 94720-5180",
            "(94720-5180)": "( 94720-5180 )",
        },
    ),
    Rule(
        "date that begins with the year",
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.]+Z?)?",
        {
            "by 2024-03-05.": "by 2024-03-05 .",
            "2024-03-05T10:00:00Z": "2024-03-05T10:00:00Z",
        },
    ),
    Rule(
        "date that ends with the year",
        r"[0-9]{1,2}-(?:[0-9]{1,2}|[A-Z][A-Za-z]{2})-(?:[0-9]{4}|[0-9]{2})",
        {
            "11-20-2000, 8-7-01": "11-20-2000 , 8-7-01",
            "01-Feb-02": "01-Feb-02",
        },
    ),
    Rule(
        "number of a version",
        rf"[vV]?[0-9]+(?:\.[0-9]+)+(?:-?(?:{_STAGES})\.?[0-9]*)?",
        {
            "v2.0, 3.11.4": "v2.0 , 3.11.4",
            "(1.2-beta)": "( 1.2-beta )",
            "2.0.0b1": "2.0.0b1",
        },
    ),
    Rule(
        "decade",
        r"['’]?(?:[0-9]{2})?[0-9]0['’]s",
        {
            "the 80's": "the 80's",
            "the 1590's.": "the 1590's .",
        },
    ),
)
WORDS = (
    Rule(
        "word with a bound prefix",
        rf"(?i:{_PREFIXES})-\w+",
        {
            "an e-mail,": "an e-mail ,",
            "Non-human": "Non-human",
        },
    ),
    Rule(
        "contraction of you all",
        r"(?i:y['’]all|ya['’]ll)",
        {
            "hi y'all": "hi y'all",
            "ya’ll so": "ya’ll so",
        },
    ),
    Rule(
        "letters around a slash",
        r"[A-Za-z]/[A-Za-z]|w/out|(?i:s/he)",
        {
            "N/A or w/o": "N/A or w/o",
            "w/out it": "w/out it",
            "S/he came.": "S/he came .",
        },
    ),
    Rule(
        "initials",
        r"(?:[A-Za-z]\.){2,}",
        {
            "w.r.t. it": "w.r.t. it",
            "J.R.R. so": "J.R.R. so",
        },
    ),
    Rule(
        "name with its mark",
        r"(?i:Yahoo)!",
        {
            "on Yahoo!": "on Yahoo!",
            "yahoo! is": "yahoo! is",
        },
    ),
)
BRACKETS = (
    Rule(
        "brackets with an ending or a number after a word",
        rf"(?:\w[\w'’.-]*)?\w\((?:{_ENDINGS})\)(?:\([a-z0-9]{{1,3}}\))*\w*",
        {
            "the book(s)": "the book(s)",
            "child(ren), 5(a)": "child(ren) , 5(a)",
            "see 2.1(a)": "see 2.1(a)",
        },
    ),
    Rule(
        "call of a function",
        r"[A-Za-z_][\w.]*\((?:|[^\s()]*[=,(_][^\s()]*(?:\([^\s()]*\)[^\s()]*)*)\)",
        {
            "main() so": "main() so",
            "a foo(a,b)": "a foo(a,b)",
        },
    ),
    Rule(
        "call within a call",
        r"[A-Za-z_][\w.]*\((?:[\w.]*\([^\s()]*\)[^\s()]*)+\)",
        {
            "print(f(i))": "print(f(i))",
            "a.b(c.d(e)),": "a.b(c.d(e)) ,",
        },
    ),
)
ADDRESSES = (
    Rule(
        "address with brackets",
        r"(?:https?://|www\.)[^\s()]+(?:\([^\s()]*\)(?:[^\s()]*[\w/])?)+",
        {
            "www.x.com/a_(b)": "www.x.com/a_(b)",
            "http://a.org/x_(y)/z.": "http://a.org/x_(y)/z .",
        },
    ),
    Rule(
        "address that ends in a slash",
        r"(?:https?://|www\.)[^\s()<>\"]+/",
        {
            "http://a.org/b/": "http://a.org/b/",
            "see www.a.org/, so": "see www.a.org/ , so",
        },
    ),
    Rule(
        "folder that ends in a slash",
        r"\w[\w.-]*(?:/[\w.-]+)+/",
        {
            "in src/lib/": "in src/lib/",
            "a/b/c/ so": "a/b/c/ so",
        },
    ),
    Rule(
        "domain",
        rf"[\w-]+\.(?i:{_DOMAINS})",
        {
            "on Feed.Com": "on Feed.Com",
            "a-b.org.": "a-b.org .",
        },
    ),
    Rule(
        "newsgroup with a hyphen",
        r"[a-z]+(?:\.[a-z]+)+\.[a-z]+-[a-z]+",
        {
            "alt.pets.rats-mice": "alt.pets.rats-mice",
            "(alt.pets.rats-mice)": "( alt.pets.rats-mice )",
        },
    ),
    Rule(
        "name of a user",
        r"@[A-Za-z_]\w*(?:[.-]\w+)*",
        {
            "hi @Ryan,": "hi @Ryan ,",
            "@x-y so": "@x-y so",
        },
    ),
    Rule(
        "hashtag",
        r"#[\w-]*[A-Za-z]\w*",
        {
            "a #2024goals": "a #2024goals",
            "a #a-b so": "a #a-b so",
        },
    ),
)
CODE = (
    Rule(
        "musical key or language of programs",
        r"[A-Za-z]#|[C-Zc-z]\+\+",
        {
            "in C++ or C#": "in C++ or C#",
            "an F#,": "an F# ,",
        },
    ),
    Rule(
        "path of two folders",
        r"(?:~|\.{1,2})?(?:/[\w.+@-]+){2,}/?",
        {
            "in /usr/bin/python3": "in /usr/bin/python3",
            "../src/x.py": "../src/x.py",
        },
    ),
    Rule(
        "path of Windows",
        r"[A-Za-z]:\\[\w.\\-]*\w",
        {
            r"in C:\temp\a.txt": r"in C:\temp\a.txt",
            r"D:\a-b,": r"D:\a-b ,",
        },
    ),
    Rule(
        "folder at the root",
        rf"/(?:{_FOLDERS})/?",
        {
            "in /tmp": "in /tmp",
            "/etc/ so": "/etc/ so",
        },
    ),
    Rule(
        "name of a file, or its ending alone",
        rf"(?i:[\w#%][\w#%&+.-]*\.(?:{_FILE_TYPES}))|\.(?i:{_FILE_TYPES})",
        {
            "a my-file.txt,": "a my-file.txt ,",
            "(ld2d-#69366-1.DOC)": "( ld2d-#69366-1.DOC )",
            "a .txt": "a .txt",
        },
    ),
)
WHOLE = (*NUMBERS, *WORDS, *BRACKETS, *ADDRESSES, *CODE)
