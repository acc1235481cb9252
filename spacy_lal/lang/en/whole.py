"""English: what stays one token, as English Web Treebank and GUM have it."""

from ..conventions import Rule
from .web import FILE_TYPES, MORE_TAGS, PREFIXES

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

JOINED = (
    Rule(
        "rarer tag of HTML",
        rf"</?(?i:{'|'.join(MORE_TAGS)})(?:\s*/)?>",
        {
            "an <svg> so": "an <svg> so",
            "lo </blockquote>": "lo </blockquote>",
        },
    ),
    Rule(
        "beginning of a tag with attributes",
        r"<[A-Za-z][\w-]*(?=\s+[\w:-]+=)",
        {
            "an <img alt=5": "an <img alt=5",
            "<a-b c=5": "<a-b c=5",
        },
    ),
    Rule(
        "beginning of a declaration or a comment",
        r"<!(?:DOCTYPE\b|--)",
        {
            "<!DOCTYPE html": "<!DOCTYPE html",
            "so <!-- lo": "so <!-- lo",
        },
    ),
    Rule(
        "end of a tag after a quote",
        r"""(?<=[\"'])/>""",
        {
            '<img alt="so"/>': '<img alt= " so " />',
            "<img alt='so'/>": "<img alt= ' so ' />",
        },
    ),
    Rule(
        "formula with brackets",
        r"(?<!\w)[A-HJ-Zf-h]\([^\s()]{1,8}\)(?!\w)",
        {
            "so P(A|B)": "so P(A|B)",
            "in O(n^2),": "in O(n^2) ,",
        },
    ),
    Rule(
        "plural in -en in brackets",
        r"(?<!\w)[a-z]{2,}\(en\)",
        {
            "a woman(en)": "a woman(en)",
            "ox(en) so": "ox(en) so",
        },
    ),
    Rule(
        "plural in brackets before a hyphen",
        r"(?<!\w)\w+\(e?s\)(?:-\w+)+",
        {
            "brother(s)-in-law": "brother(s)-in-law",
            "a bus(es)-stop.": "a bus(es)-stop .",
        },
    ),
    Rule(
        "call with a quoted argument",
        r"""(?<![\w.])[A-Za-z_][\w.]*\((?:"[^\s\"'()]*"|'[^\s\"'()]*')\)""",
        {
            'a printf("hi")': 'a printf("hi")',
            "a.b('c'),": "a.b('c') ,",
        },
    ),
    Rule(
        "hashtag that begins with a number",
        r"#(?!\d+(?:st|nd|rd|th)\b)\d+[A-Za-z]\w*",
        {
            "so #100DaysOfCode": "so #100DaysOfCode",
            "#2024goals,": "#2024goals ,",
        },
    ),
    Rule(
        "longer operator",
        r"(?<![!=<>|-])(?:!==|<--+|--+>|\|>|>>=|<<=)(?![=<>|-])",
        {
            "a !== b": "a !== b",
            "a <-- b --> c": "a <-- b --> c",
        },
    ),
    Rule(
        "fence of code",
        r"```",
        {
            "``` so": "``` so",
            "```python": "``` python",
        },
    ),
    Rule(
        "international telephone number",
        r"\+\d{1,3}-\d{3}-\d{3}-\d{4}",
        {
            "at +1-555-123-4567": "at +1-555-123-4567",
            "(+354-555-123-4567)": "( +354-555-123-4567 )",
        },
    ),
    Rule(
        "number of a version with a name",
        r"(?<![\w.])(?:[vV]\d+(?:\.\d+)+|\d+(?:\.\d+){2,})(?:[-+]\w+(?:\.\w+)*)+",
        {
            "on 5.4.0-42-generic": "on 5.4.0-42-generic",
            "v10.0.1-SNAPSHOT,": "v10.0.1-SNAPSHOT ,",
        },
    ),
    Rule(
        "path from a variable",
        r"\$[A-Z]+(?:/[\w.-]*\w)+",
        {
            "in $HOME/bin": "in $HOME/bin",
            "$HOME/.a/b.": "$HOME/.a/b .",
        },
    ),
    Rule(
        "path to a file",
        rf"(?<![\w/:.-])[\w.-]+(?:/[\w.-]+)*/[\w-]+(?:\.[\w-]+)*\.(?:{_FILE_TYPES})(?![\w/])",
        {
            "in src/main.c": "in src/main.c",
            "a/b/c.txt.": "a/b/c.txt .",
        },
    ),
    Rule(
        "digital object identifier",
        r"(?:doi:)?(?<![\d.])10\.\d{4,}/[\w./()-]*\w",
        {
            "at doi:10.1000/xyz123": "at doi:10.1000/xyz123",
            "10.1038/s41586-020-2649-2.": "10.1038/s41586-020-2649-2 .",
        },
    ),
    Rule(
        "mark shown as a picture",
        r"[^\s\w]\ufe0f",
        {
            "so ▶️": "so ▶️",
            "a ✈️!": "a ✈️ !",
        },
    ),
    Rule(
        "and, shortened",
        r"(?<!\S)['’][nN]['’](?!\S)",
        {
            "rock 'n' roll": "rock 'n' roll",
            "R ’N’ B": "R ’N’ B",
        },
    ),
    Rule(
        "continued, shortened",
        r"cont['’]d\b",
        {
            "(cont'd)": "( cont'd )",
            "cont’d so": "cont’d so",
        },
    ),
    Rule(
        "address of another kind than the web's",
        r"""(?<![a-z0-9+])(?!https?:)[a-z][a-z0-9+]+://[^\s<>\"]{0,500}[\w/]""",
        {
            "at s3://bucket/key": "at s3://bucket/key",
            "ftp://a.b/c,": "ftp://a.b/c ,",
        },
    ),
)

CUTS = (
    Rule(
        "quote at the beginning of an attribute",
        r"""(?<=\w=)[\"']""",
        {
            '<a href="so">': '<a href= " so " >',
            "<a href='so'>": "<a href= ' so ' >",
        },
    ),
    Rule(
        "closing quote before a bracket",
        r"""(?<=\w)[\"”](?=\()""",
        {
            '"so"(twice)': '" so " ( twice )',
            "“so”(lo)": "“ so ” ( lo )",
        },
    ),
    Rule(
        "end of a tag after an attribute",
        r"""(?<=[\"'])/?>""",
        {
            '<a b="c">so': '<a b= " c " > so',
            "<a b='c'/>so": "<a b= ' c ' /> so",
        },
    ),
    Rule(
        "index after a call",
        r"(?<=\))(?=\[)",
        {
            "get(a)[0]": "get(a) [ 0 ]",
            "(so)[1]": "( so ) [ 1 ]",
        },
    ),
    Rule(
        "number before a unit that is a word elsewhere",
        r"(?<![\w.,$£€:/-])\d+(?:\.\d+)?"
        r"(?=(?:h|wks?|ppm|dB|kW|kcal|mpg|psi|(?<=\d\d)[WV])(?![\w'’/-]))",
        {
            "in 2h": "in 2 h",
            "at 100W, 220V": "at 100 W , 220 V",
            "5.5kW so": "5.5 kW so",
        },
    ),
    Rule(
        "mark of a note or citation in brackets",
        r"(?<=[\w.,;:!?)\]\"'”’])"
        r"\[(?:\d{1,3}(?:[-–,] ?\d{1,3})*|[a-z]|(?:note|nb|n\.?) ?\d{1,3})\]",
        {
            "in 1950.[3] So": "in 1950 . [ 3 ] So",
            "burnt.[note 2] It": "burnt . [ note 2 ] It",
        },
    ),
    Rule(
        "raised number of a note",
        r"(?:(?<=[.,;:!?)\]\"”])|(?<=[a-z]{3}))[¹²³⁰⁴-⁹]+",
        {
            "the end.² So": "the end . ² So",
            "some word¹² so": "some word ¹² so",
        },
    ),
    Rule(
        "dagger",
        r"(?<=[\w.,;:!?)\]\"”])[†‡]+",
        {
            "a word† so": "a word † so",
            "the end.‡ So": "the end . ‡ So",
        },
    ),
    Rule(
        "full stop after a path",
        r"(?<!\S)(?=\S{3})\S*/(?![A-Z][a-z]{1,4}\.|(?:[A-Za-z]\.)+[A-Za-z]\.)"
        r"(?:[^\s/]*\w)?(?=\.(?:\s|$))",
        {
            "in /etc/passwd.": "in /etc/passwd .",
            "by km/hr. So": "by km / hr . So",
        },
    ),
)
