"""Words of English by which clauses and facts are read; verbs and nouns by lemma.
The record that clauses and facts read stands at the end."""

from ..clause_words import ClauseWords
from . import signatures, words

# Words before a noun that was not, "tanks instead of tractors", and before a clause
# that was not, "without paying".
_SUBSTITUTING = frozenset(["instead", "rather"])
_REPLACING = _SUBSTITUTING | {"lest", "without"}
# Words that deny the word above them, by their deprel: "Not all", "almost fell".
_DENYING = {
    **dict.fromkeys(["cc", "cc:preconj", "det"], words.NEGATIONS | _SUBSTITUTING),
    "case": words.NEGATIONS | _SUBSTITUTING | {"but"},
    "advmod": words.NEGATIONS | {"almost", "nearly"},
    "mark": _REPLACING,
}

# How far people agree with a triple: weights of a logistic regression on precision by
# CaRB's measure, fitted on the first half of its development file. A kind of relation,
# a deprel of its clause, a further phrase ("adjunct"), a predicate noun's subject
# ("inherited"). Lengths of sentence and object order triples no better.
_CONFIDENCE = {
    "bias": 0.84,
    "adjunct": -1.2,
    "inherited": -0.2,
    "possessive": -2.49,
    "apposition": -0.98,
    "copula": -0.69,
    "acl": -1.03,
    "acl:relcl": -0.54,
    "advcl": -0.83,
}


def _sets(**texts: str) -> dict[str, frozenset[str]]:
    """Divide texts into words; a pair is written "as_though"."""
    return {
        name: frozenset([word.replace("_", " ") for word in text.split()])
        for name, text in texts.items()
    }


CLAUSES = ClauseWords(
    base="VB",
    participle="VBN",
    gerund="VBG",
    modal="MD",
    past="VBD",
    relative_determiner="WDT",
    currency="$",
    hyphen="HYPH",
    comma=",",
    semicolon=";",
    question="?",
    saying=words.SAYING,
    of_infinitives=signatures.OF_INFINITIVES,
    of_past=signatures.OF_PAST,
    of_participles=signatures.OF_PARTICIPLES,
    of_clauses=signatures.OF_CLAUSES,
    of_gerunds=signatures.OF_GERUNDS,
    of_things=signatures.OF_THINGS,
    denying=_DENYING,
    negations=words.NEGATIONS,
    replacing=_REPLACING,
    substituting=_SUBSTITUTING,
    joining=words.JOINING,
    copula="be",
    possession="have",
    denial="not",
    owning="has",
    confidence=_CONFIDENCE,
    **_sets(
        places="FAC GPE LOC",
        times="DATE TIME",
        finite="MD VBD VBP VBZ",
        verbal="VB VBD VBG VBN VBP VBZ",
        superlative="JJS RBS",
        relative="WDT WP WP$",
        asking="WDT WP WP$ WRB",
        present="VBP VBZ",
        prepositions="IN TO",
        brackets="( [ {",
        opening="$ -LRB- ``",
        closing="'' -RRB-",
        silent="'' -LRB- -RRB- . ``",
        auxiliary_gerunds="go",
        # Prepositions of goals.
        directions="between into onto to toward towards",
        infinitive="to",
        writers="i we",
        idle="behalf sake",
        # Prepositions before a participle that a verb or adjective asks for.
        complementing="about at for from in of on to with",
        # Prepositions after which the participle may not be so: "dreams of owning a car".
        wished="about of to",
        # Adjectives after which the noun is the subject of the infinitive: "the first
        # woman to win".
        inclusive="""
            eighth fifth first fourth last next ninth only second seventh sixth sole
            tenth third
        """,
        means="by",
        # Nouns of times, which own nothing: "yesterday's workshop".
        moments="""
            afternoon april august autumn century day decade december evening fall
            february friday hour january july june march may minute monday month morning
            night november october quarter saturday season second semester september
            spring summer sunday thursday today tomorrow tonight tuesday wednesday week
            weekend winter year yesterday
        """,
        future="'ll sha shall will wo ’ll",
        ability="ca can could",
        soon="shortly soon tomorrow tonight",
        coming="coming in next",
        concerned="at by from of to",
        others="al al. etc etc.",
        # Pronouns that deny: "nobody", "nothing".
        denied="neither no no-one nobody none nothing",
        # Words after "not" that do not deny: "not only".
        limiting="just merely only simply solely",
        disjunctive="or",
        # Conditional words that leave the clause above as it is: "as if", "lest".
        loose="as even lest like whether",
        # Adverbs of hearsay.
        reporting="allegedly apparently purportedly reportedly supposedly",
        # Adverbs of doubt.
        doubting="hopefully maybe perhaps possibly presumably probably",
        # First words of pairs: "both Anna and Tom".
        correlatives="also both either neither",
        # Determiners and pronouns of things that are new.
        indefinite="""
            a an any anybody anyone anything somebody someone something
        """,
        # Words that "not" and "no" deny with their phrase: "not all students", "no longer",
        # "at no time".
        amounts="""
            account all always any circumstances every everybody everyone everything
            longer many means more much necessarily time way
        """,
        # Conjunctions that end a denial: "not by Anna but by Tom".
        adversative="but",
        # Words, or words one after the other, before a clause that may not hold.
        conditional="""
            as_though assuming if in_case lest like long_as provided providing suppose
            supposing unless whether
        """,
        # First words of "according to", and things whose contents are not facts: "in the novel".
        sources="""
            according in_account in_cartoon in_comic in_drama in_dream in_epic in_fable
            in_fantasy in_fiction in_film in_folklore in_imagination in_legend in_movie
            in_myth in_mythology in_nightmare in_novel in_opera in_opinion in_play
            in_poem in_saga in_sitcom in_story in_tale in_view per
        """,
        # Verbs that only help the next one: "going to", "used to".
        auxiliary_verbs="go gon got have use used",
        # Verbs that lend their subject to an infinitive even if they have an object:
        # "promise him to come".
        subject_control="have need promise spend take threaten use",
        # Verbs without an object.
        intransitive="""
            appear arrive be begin come cry die disappear emerge exist fall fly go
            happen jump laugh lie live look occur remain return rise run sit sleep smile
            stand start stay stop swim talk travel wait wake walk work
        """,
        # Verbs of motion: their goal is no object ("ran to the bus").
        motion="""
            arrive climb come cycle depart dive drive emigrate escape fall flee fly go
            head hike hurry jog jump leap march migrate move proceed race relocate
            retire retreat return ride roll run rush sail ski slide step swim travel
            turn walk wander
        """,
        # Nouns that are no object of their relative clause: "the reason I go".
        adverbial_nouns="day moment place reason time way year",
        # Determiners after which a noun follows.
        determiners="a an that the these this those",
        # Conjunctions that begin clauses that hold.
        factual="although as because since though whereas while",
    ),
)
