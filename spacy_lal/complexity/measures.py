"""The record of a text's syntactic complexity: of a sentence, or of the sum of some."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Optional

from ..lang import DEFAULT_LANGUAGE, conventions
from ..trees import Parse
from .dependencies import HeadMeasures
from .depths import measure_depths
from .structures import index_below_root, structures_of

PUNCT = "PUNCT"
# In the order of L2SCA's own output.
COUNTS = "W S VP C T DC CT CP CN".split()
INDICES = "MLS MLT MLC C/S VP/T C/T DC/C DC/T T/S CT/T CP/T CP/C CN/T CN/C".split()
PARTS = "VP1 VP2 C1 C2 T1 T2 CN1 CN2 CN3".split()
MEANS = (
    "yngve_depth frazier_depth tree_height dependency_distance words_before_verb "
    "noun_modifiers passives finite_clauses"
).split()
Number = Optional[float]
Count = Optional[int]


@dataclass(frozen=True)
class Complexity:
    """Counts of structures (Lu 2010), and means over sentences.

    A count or an index of a text without sentences is 0, a mean of one is None. A
    measure of constituents is None without constituents, a measure of heads without
    heads. Structures are defined for English alone: `VP`, `C`, `T`, `CN`, their parts,
    `DC`, `CT`, `CP` and the indices of them are None for other languages.

    Counts and indices are at least 0. Lu's patterns are in `lang/en/structures.py`.

    W (int): Words: tokens that are no punctuation.
    S (int): Sentences.
    VP1 (Optional[int]): Verb phrases: VPs below a clause.
    VP2 (Optional[int]): Finite verbs of questions without a verb phrase.
    C1 (Optional[int]): Clauses with a finite verb, or an imperative.
    C2 (Optional[int]): Fragments without a clause.
    T1 (Optional[int]): T-units: a main clause with all that depends on it.
    T2 (Optional[int]): Fragments without a T-unit.
    CN1 (Optional[int]): Noun phrases with an adjective, possessive, prepositional
        phrase, clause, participle or apposition.
    CN2 (Optional[int]): Nominal clauses: subject or object of a verb.
    CN3 (Optional[int]): Gerunds and infinitives as subjects.
    DC (Optional[int]): Dependent clauses: SBAR above a finite clause.
    CT (Optional[int]): Complex T-units: T-units with a dependent clause; at most T1.
    CP (Optional[int]): Coordinate adjective, adverb, noun and verb phrases.
    yngve_depth (Optional[float]): Mean of the sentences' mean Yngve depth (1960) of
        words; at least 0. See `depths.Depths`.
    frazier_depth (Optional[float]): Mean of the sentences' mean Frazier depth (1985) of
        words; at least 0. None where a language's clause labels are unknown. See
        `depths.Depths`.
    tree_height (Optional[float]): Mean of the most constituents above a word; at least
        0. See `depths.Depths`.
    dependency_distance (Optional[float]): Mean of the sentences' mean dependency
        distance (Liu 2008); at least 1; None without a sentence of two words. See
        `HeadMeasures`.
    words_before_verb (Optional[float]): Mean of the words before the main verb, SYNLE
        of Coh-Metrix (McNamara et al. 2014); at least 0. See `HeadMeasures`.
    noun_modifiers (Optional[float]): Mean of the sentences' mean number of modifiers of
        a noun phrase, SYNNP of Coh-Metrix; at least 0; None without nouns. See
        `HeadMeasures`.
    passives (Optional[float]): Mean number of passive verbs; at least 0. See
        `HeadMeasures`.
    finite_clauses (Optional[float]): Mean number of finite predicates; at least 0; None
        without morphological features. See `HeadMeasures`."""

    W: int = 0
    S: int = 0
    VP1: Count = 0
    VP2: Count = 0
    C1: Count = 0
    C2: Count = 0
    T1: Count = 0
    T2: Count = 0
    CN1: Count = 0
    CN2: Count = 0
    CN3: Count = 0
    DC: Count = 0
    CT: Count = 0
    CP: Count = 0
    yngve_depth: Number = None
    frazier_depth: Number = None
    tree_height: Number = None
    dependency_distance: Number = None
    words_before_verb: Number = None
    noun_modifiers: Number = None
    passives: Number = None
    finite_clauses: Number = None

    @property
    def VP(self) -> Count:  # noqa: N802  (Lu's names, as all below)
        """Verb phrases, VP1 + VP2 (Lu 2010); at least 0."""
        return _sum([self.VP1, self.VP2])

    @property
    def C(self) -> Count:  # noqa: N802
        """Clauses, C1 + C2 (Lu 2010); at least 0."""
        return _sum([self.C1, self.C2])

    @property
    def T(self) -> Count:  # noqa: N802
        """T-units, T1 + T2 (Lu 2010); at least 0."""
        return _sum([self.T1, self.T2])

    @property
    def CN(self) -> Count:  # noqa: N802
        """Complex nominals, CN1 + CN2 + CN3 (Lu 2010); at least 0."""
        return _sum([self.CN1, self.CN2, self.CN3])

    @property
    def MLS(self) -> Number:  # noqa: N802
        """Mean length of sentence, W / S (Lu 2010), at least 0; 0 without sentences."""
        return _ratio(self.W, self.S)

    @property
    def MLT(self) -> Number:  # noqa: N802
        """Mean length of T-unit, W / T (Lu 2010), at least 0; 0 without T-units."""
        return _ratio(self.W, self.T)

    @property
    def MLC(self) -> Number:  # noqa: N802
        """Mean length of clause, W / C (Lu 2010), at least 0; 0 without clauses."""
        return _ratio(self.W, self.C)

    @property
    def C_S(self) -> Number:  # noqa: N802
        """Clauses a sentence, C / S (Lu 2010); 0 without sentences."""
        return _ratio(self.C, self.S)

    @property
    def VP_T(self) -> Number:  # noqa: N802
        """Verb phrases a T-unit, VP / T (Lu 2010); 0 without T-units."""
        return _ratio(self.VP, self.T)

    @property
    def C_T(self) -> Number:  # noqa: N802
        """Clauses a T-unit, C / T (Lu 2010); 0 without T-units."""
        return _ratio(self.C, self.T)

    @property
    def DC_C(self) -> Number:  # noqa: N802
        """Dependent clauses a clause, DC / C (Lu 2010); 0 without clauses."""
        return _ratio(self.DC, self.C)

    @property
    def DC_T(self) -> Number:  # noqa: N802
        """Dependent clauses a T-unit, DC / T (Lu 2010); 0 without T-units."""
        return _ratio(self.DC, self.T)

    @property
    def T_S(self) -> Number:  # noqa: N802
        """T-units a sentence, T / S (Lu 2010); 0 without sentences."""
        return _ratio(self.T, self.S)

    @property
    def CT_T(self) -> Number:  # noqa: N802
        """Complex T-units a T-unit, CT / T (Lu 2010), 0 to 1; 0 without T-units."""
        return _ratio(self.CT, self.T)

    @property
    def CP_T(self) -> Number:  # noqa: N802
        """Coordinate phrases a T-unit, CP / T (Lu 2010); 0 without T-units."""
        return _ratio(self.CP, self.T)

    @property
    def CP_C(self) -> Number:  # noqa: N802
        """Coordinate phrases a clause, CP / C (Lu 2010); 0 without clauses."""
        return _ratio(self.CP, self.C)

    @property
    def CN_T(self) -> Number:  # noqa: N802
        """Complex nominals a T-unit, CN / T (Lu 2010); 0 without T-units."""
        return _ratio(self.CN, self.T)

    @property
    def CN_C(self) -> Number:  # noqa: N802
        """Complex nominals a clause, CN / C (Lu 2010); 0 without clauses."""
        return _ratio(self.CN, self.C)

    def to_dict(self) -> dict[str, Number]:
        """All measures by their names: counts and indices in the order of L2SCA's
        output (`C/S` for `C_S`), the means, then the parts of the counts."""
        names = (*COUNTS, *INDICES, *MEANS, *PARTS)
        return {name: getattr(self, name.replace("/", "_")) for name in names}


def measure_sentence(parse: Parse, *, lang: str = DEFAULT_LANGUAGE) -> Complexity:
    """Measure one sentence.

    parse (Parse): What is not known of it makes the measures that need it None.
    lang (str): The language, by its code.
    """
    marks = conventions(lang).mark_tags
    are_marks = [tag in marks for tag in parse.tags]
    for i, pos in enumerate(parse.pos):
        are_marks[i] |= pos == PUNCT
    measured: dict[str, Any] = {"W": are_marks.count(False), "S": 1}
    measured.update(_of_tree(parse, lang))
    if parse.heads is not None:
        heads = HeadMeasures(parse, are_marks)
        measured["dependency_distance"] = heads.mean_dependency_distance()
        measured["words_before_verb"] = heads.words_before_main_verb()
        measured["noun_modifiers"] = heads.modifiers_of_nouns()
        measured["passives"] = heads.count_passives()
        measured["finite_clauses"] = heads.count_finite_clauses()
    return Complexity(**measured)


def _of_tree(parse: Parse, lang: str) -> dict[str, Any]:
    language = conventions(lang)
    counts: dict[str, Any] = dict.fromkeys((*PARTS, "DC", "CT", "CP"))
    if parse.constituents is None:
        return counts
    nodes = index_below_root(parse.to_tree(), lang)
    for name, matches in structures_of(nodes, lang).items():
        counts[name] = len(matches)
    depths = measure_depths(
        nodes,
        punctuation=language.mark_tags,
        roots=language.root_labels,
        clauses=language.clause_labels,
    )
    n_words = len(depths.yngve)
    if n_words:
        counts["yngve_depth"] = sum(depths.yngve) / n_words
        counts["tree_height"] = depths.height
    if n_words and language.clause_labels:
        counts["frazier_depth"] = sum(depths.frazier) / n_words
    return counts


def summed(sentences: Iterable[Complexity]) -> Complexity:
    """The complexity of a text: counts are summed, means are taken over the sentences
    that have the measure. A count is None if it is None for a sentence."""
    records: list[Complexity] = list(sentences)
    values: dict[str, Any] = {}
    for field in fields(Complexity):
        column = [getattr(record, field.name) for record in records]
        if field.name in MEANS:
            known = [value for value in column if value is not None]
            values[field.name] = sum(known) / len(known) if known else None
        else:
            values[field.name] = _sum(column)
    return Complexity(**values)


def _sum(counts: Sequence[Count]) -> Count:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _ratio(count: Count, of: Count) -> Number:
    if count is None or of is None:
        return None
    return count / of if of else 0.0
