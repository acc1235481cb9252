"""Indonesian: tokens as Universal Dependencies have them. A clitic is a token
(`karier nya`), a doubled word is one (`orang-orang`)."""

from collections.abc import Iterable, Sequence

from ..conventions import Rule, TokenRules, joined_words
from ..marks import BEFORE_LINK, LINK, NOTES, PLAIN_MARKS, remark, spaced_note

CLITICS = frozenset({"nya", "ku", "mu", "kah", "lah"})
# What stands before "nya" in words that are one token.
BEFORE_NYA = """
    ada agak akhir akibat aneh antara awal berikut berta bertanya-ta biasa celaka
    diantara dita dulu ha kelihatan ke kesemua khusus lain layak maka mesti misal mula
    nanti nyata pasal pertanya-ta pu rupa sayang sebagai sebaik sebab sebalik sebelum
    sebenar sebetul secepat sedia sedikit segala sejati selanjut selebih seluruh semesti
    sepatut sepenuh seperti sesungguh setidak seharus soal ta tampak nampak tentu tepat
    umpama umum untung
""".split()
# What stands before "kah" in words that are one token.
BEFORE_KAH = """
    alang ber bong ja jang ka lang langkah-lang mek me melang meni mere naf nas ni pas
    re sede selang sera ting
""".split()
BEFORE_LAH = """
    aman ambil apa begitu berfirman berkata biar bukan cukup datang demikian ingat ini
    itu jadi jangan katakan lihat mari masuk pergi pilih sekarang siapa tidak tulis
""".split()
BEFORE_PRONOUN = """
    adik anak ayah bagi bapak bersama cinta dalam dengan diri hati hidup ibu istri jiwa
    kakak kaki kami kawan kekasih kepada milik mulut nama oleh pada padan rumah sahabat
    suami tangan teman terhadap tubuh untuk wajah
""".split()


def _not_after(stems: Iterable[str]) -> str:
    return "".join(rf"(?<!\b{stem})" for stem in stems)


def _after(stems: Iterable[str]) -> str:
    return "(?:" + "|".join(rf"(?<=\b{stem})" for stem in stems) + ")"


ITS = Rule(
    "« nya » after its word",
    rf"(?i:(?<=\w[\w-]){_not_after(BEFORE_NYA)}nya(?!\w))",
    {
        "dalam kariernya.": "dalam karier nya .",
        "cita-citanya": "cita-cita nya",
        "Dia hanya punya akhirnya": "Dia hanya punya akhirnya",
        "katanya, sebelumnya": "kata nya , sebelumnya",
        "Dia bertanya-tanya.": "Dia bertanya-tanya .",
        "di Kenya": "di Kenya",
    },
)
QUESTION = Rule(
    "« kah » after its word",
    rf"(?i:(?<=\w\w){_not_after(BEFORE_KAH)}kah(?![\w-]))",
    {
        "Apakah dia menikah?": "Apa kah dia menikah ?",
        "langkah-langkah naskah": "langkah-langkah naskah",
    },
)
STRESS = Rule(
    "« lah » after its word",
    rf"(?i:{_after(BEFORE_LAH)}lah(?!\w))",
    {
        "tidaklah adalah": "tidak lah adalah",
        "Itulah sekolah": "Itu lah sekolah",
    },
)
PRONOUN = Rule(
    "« ku » and « mu » after their word",
    rf"(?i:{_after(BEFORE_PRONOUN)}[km]u(?!\w))",
    {
        "Namaku buku": "Nama ku buku",
        "kepadamu ilmu": "kepada mu ilmu",
    },
)
COMPOUND = Rule(
    "words with hyphens",
    r"(?<![\w-])(?:[^\W\d_]+(?:-[^\W\d_]+?)+|ke-\d+|\d+-an)"
    r"(?=(?<!-ta)-?nya(?!\w)|(?![\w-]))",
    {
        "orang-orang non-migas": "orang-orang non-migas",
        "ke-5 tahun 1960-an.": "ke-5 tahun 1960-an .",
        "pemeran-pemerannya": "pemeran-pemeran nya",
    },
)
QUOTES = Rule(
    "two backticks",
    "``",
    {
        "``Apakah ini": "`` Apa kah ini",
        "kata ``itu'": "kata `` itu '",
    },
)
# With their full stop unless a capital follows; with a capital, always.
ABBREVIATIONS = frozenset(
    "Ltd. Mr. Mrs. Nn. No. Ny. Pte. St. Tbk. Tn. dll. dsb.".split()
)
# Words after which a number in brackets is no mark of a note: "lihat [3]".
BEFORE_CITATIONS = frozenset(
    """
    atau bagian dalam dan dari dengan di gambar halaman ke lihat menurut oleh pada pasal
    seperti tabel untuk
    """.split()
)
REMARK = remark(
    r"sic|butuh rujukan|rujukan\?|(?:siapa|kapan|di ?mana|menurut siapa) ?\?",
    {
        "pada 1950[butuh rujukan] di": "pada 1950 [ butuh rujukan ] di",
        "orang[siapa?] berkata": "orang [ siapa ? ] berkata",
    },
)
SPACED_NOTE = spaced_note(
    BEFORE_CITATIONS,
    {
        "pada 1950 [3] tetapi": "pada 1950 [ 3 ] tetapi",
        "sang raja [2, 3]": "sang raja [ 2 , 3 ]",
    },
)

MARKS = (QUOTES, *PLAIN_MARKS)
TOKENS = TokenRules(
    joined=(COMPOUND,),
    cuts=(ITS, QUESTION, STRESS, PRONOUN),
    prefixes=MARKS,
    suffixes=MARKS,
    infixes=(BEFORE_LINK, LINK, *MARKS),
    notes=(*NOTES, REMARK, SPACED_NOTE),
    abbreviations=ABBREVIATIONS,
)


def multiword_tokens(
    words: Sequence[str], tags: Sequence[str], spaces: Sequence[bool]
) -> list[tuple[int, int]]:
    """A word and its clitics. See `conventions.ContractionRule`."""
    pairs = zip(words, words[1:], spaces, strict=False)
    return joined_words(
        not space and word.lower() in CLITICS and before[-1:].isalnum()
        for before, word, space in pairs
    )
