"""Put trained components into a saved pipeline, whose other weights stay as they are, byte for byte.

    python scripts/add_components.py training/compact training/with_words \
        --component morphologizer=training/morphologizer/model-best \
        --component trainable_lemmatizer=training/lemmatizer/model-best --before lal_parser

    python scripts/add_components.py training/with_words training/with_roles \
        --component lal_srl=training/roles/compact --frames ../../assets/propbank/frames-3.1.jsonl

The components come before the one that --before names, or last; one that the pipeline has is replaced. Their weights
are rounded to half precision, so that a wheel is smaller; the files of thinc's layers hold single precision, as thinc
reads it. A pipeline with a morphologizer gets an attribute_ruler, in place of the one that it has: white space has the
UPOS SPACE and the tag _SP, as in spaCy's pipelines, a verb after "we" has the number and person of "we", and tag, UPOS
and deprel agree; it comes after the parser. An English one with a lemmatizer gets lal_lemmas. A lemmatizer that has
learned CRAFT's normalised lemmas writes them no more (0 for a number, #crd#, p0 for p53). --frames puts PropBank's frames into the vocabulary, for descriptions of arguments;
with --learned-frames, those of rolesets that lal_srl has learned, a quarter of the room.

Not here: training, and packaging (build_package.py).
"""

import shutil
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Set,
    Tuple,
)

import numpy as np
import spacy
import srsly
import typer
from spacy.lookups import Lookups
from spacy.pipeline import AttributeRuler
from spacy.strings import StringStore
from spacy.vocab import Vocab
from thinc.api import Config
from treebank import SourceError, run

from spacy_lal.annotations import install_frames
from spacy_lal.files import written_folder
from spacy_lal.trees.frames import read_frames

MORPHOLOGIZER = "morphologizer"
LEMMATIZER = "trainable_lemmatizer"
PARSER, ROLES = "lal_parser", "lal_srl"
RULER, LEMMAS = "attribute_ruler", "lal_lemmas"
WHITE_SPACE: Dict[str, Any] = {
    "patterns": [[{"IS_SPACE": True}]],
    "attrs": {"TAG": "_SP", "POS": "SPACE", "MORPH": "_"},
}
# Number and person of a verb by the pronoun before it, with at most two adverbs
# between.
AGREEMENT = {
    ("i",): ("Sing", "1"),
    ("you",): ("Sing", "2"),
    ("he", "she"): ("Sing", "3"),
    ("we",): ("Plur", "1"),
    ("they",): ("Plur", "3"),
}
TENSES = {"VBD": "Past", "VBP": "Pres"}
SUBJECT_TAGS = "CD DT JJ NN NNP NNPS NNS POS PRP PRP$ RB".split()
# The UPOS that a Penn tag has in EWT and GUM. Another one is replaced by the first of
# them, with its features.
UPOS_OF_TAGS = dict(
    line.split(" ", 1)
    for line in (
        "CC CCONJ; CD NUM; DT DET PRON; EX PRON; IN ADP SCONJ; JJ ADJ; JJR ADJ; JJS ADJ; "
        "MD AUX; NN NOUN PRON SYM X; NNS NOUN; NNP PROPN ADJ VERB; NNPS PROPN; PDT DET; "
        "POS PART; PRP PRON; PRP$ PRON; RB ADV PART; RBR ADV; RBS ADV; RP ADP; TO PART; "
        "UH INTJ; VB VERB AUX; VBD VERB AUX; VBG VERB AUX; VBN VERB AUX; VBP VERB AUX; "
        "VBZ VERB AUX; WDT PRON DET; WP PRON; WRB ADV"
    ).split("; ")
)
FEATURES_OF_TAGS = {
    "JJ": "Degree=Pos",
    "NN": "Number=Sing",
    "NNP": "Number=Sing",
    "NNS": "Number=Plur",
}
FEATURES_OF_TAGS.update(dict.fromkeys(("IN", "RB", "RP", "UH"), "_"))
# But of these pairs the UPOS is right more often, on dev; of some, only where the word
# is in lower case, or is not.
TAGS_BY_UPOS: Dict[Tuple[str, str, Optional[bool]], str] = {
    ("NN", "PROPN", None): "NNP",
    ("NNPS", "NOUN", None): "NNS",
    ("NNP", "NOUN", True): "NN",
    ("NNS", "PROPN", False): "NNPS",
    ("TO", "ADP", None): "IN",
    ("RB", "ADP", None): "RP",
    ("RB", "ADJ", None): "JJ",
    ("UH", "ADV", None): "RB",
    ("VBG", "NOUN", None): "NN",
}
# The UPOS that a deprel asks for in the place of another, and the tag where it changes;
# on dev the deprel is right at least as often as the UPOS. Of adverbs the UPOS is.
UPOS_OF_DEPRELS = {
    ("amod", "NOUN"): "ADJ JJ",
    ("amod", "PROPN"): "ADJ",
    ("aux", "VERB"): "AUX",
    ("aux:pass", "VERB"): "AUX",
    ("cop", "VERB"): "AUX",
    ("case", "CCONJ"): "ADP IN",
    ("case", "PROPN"): "ADP IN",
    ("case", "SCONJ"): "ADP",
    ("cc", "PUNCT"): "SYM SYM",
    ("mark", "ADP"): "SCONJ",
    ("mark", "PRON"): "SCONJ IN",
}
DEPRELS_OF_ADVERBS = ("compound:prt", "expl")  # `advmod` in their place
FEATURES_OF_UPOS = {"ADJ": "Degree=Pos", "ADP": "_", "SCONJ": "_", "SYM": "_"}
META = "meta.json"
NO_TREE = 2**32 - 1  # in the place of an edit tree's missing branch
SHUT_OUT = -60.0  # the bias of an edit that is not chosen


def round_weights(path: Path) -> None:
    """Round the weights of a thinc model to half precision, in place.

    RAISES (SourceError): A weight is too large.
    """
    message = srsly.msgpack_loads(path.read_bytes())
    for node in message["params"]:
        for name, value in node.items():
            if value is not None and value.dtype.kind == "f":
                half = np.asarray(value, dtype=np.float16)
                if not np.isfinite(half).all():
                    raise SourceError(
                        path,
                        0,
                        "expected weights that half precision can hold, got others "
                        f"in {name}",
                    )
                node[name] = half.astype(np.float32)
    path.write_bytes(srsly.msgpack_dumps(message))


def edits_of(pipeline: Path, name: str) -> List[List[Tuple[str, str]]]:
    """What each label of a lemmatizer replaces in a word, by what; nothing for another
    component.

    pipeline (Path): The saved pipeline; its vocabulary has the strings of the trees.
    """
    path = pipeline / name / "trees"
    if not path.is_file():
        return []
    trees = srsly.msgpack_loads(path.read_bytes())["trees"]
    store = StringStore().from_disk(pipeline / "vocab" / "strings.json")

    def edits(number: int) -> Iterator[Tuple[str, str]]:
        tree = trees[number] if number != NO_TREE else {}
        if "orig" in tree:
            yield store[tree["orig"]], store[tree["subst"]]
        for key in ("prefix_tree", "suffix_tree"):
            yield from edits(tree[key]) if key in tree else ()

    labels = srsly.read_json(pipeline / name / "cfg")["labels"]
    return [list(edits(label)) for label in labels]


def strings_of(pipeline: Path, name: str) -> Set[str]:
    """The strings that a morphologizer or a lemmatizer writes on Docs."""
    cfg = srsly.read_json(pipeline / name / "cfg")
    strings = {*cfg.get("labels_morph", {}), *cfg.get("labels_morph", {}).values()}
    for edits in edits_of(pipeline, name):
        strings.update(string for pair in edits for string in pair)
    return {string for string in strings if string}


def shut_out_normalised(pipeline: Path) -> None:
    """Let the lemmatizer choose no edit that writes `#`, or 0 for other letters."""
    path = pipeline / LEMMATIZER / "model"
    message = srsly.msgpack_loads(path.read_bytes())
    names = [node["name"] for node in message["nodes"]]
    bias = message["params"][names.index("softmax")]["b"].copy()
    for label, edits in enumerate(edits_of(pipeline, LEMMATIZER)):
        if any("#" in new or (old and "0" in new) for old, new in edits):
            bias[label] = SHUT_OUT
    message["params"][names.index("softmax")]["b"] = bias
    path.write_bytes(srsly.msgpack_dumps(message))


def agreement_patterns() -> Iterator[Dict[str, Any]]:
    """Patterns of an attribute_ruler by AGREEMENT. A verb with other features, such as
    Typo=Yes, is left alone."""
    adverb, line_break = {"TAG": "RB", "OP": "?"}, {"IS_SPACE": True, "OP": "*"}
    for pronouns, (number, person) in AGREEMENT.items():
        for tag, tense in TENSES.items():
            needed = ["Mood=Ind", f"Tense={tense}", "VerbForm=Fin"]
            allowed = [
                *needed,
                "Number=Sing",
                "Number=Plur",
                *(f"Person={i}" for i in (1, 2, 3)),
            ]
            verb = {"TAG": tag, "MORPH": {"IS_SUPERSET": needed, "IS_SUBSET": allowed}}
            morph = (
                f"Mood=Ind|Number={number}|Person={person}|Tense={tense}|VerbForm=Fin"
            )
            pattern = [
                {"LOWER": {"IN": list(pronouns)}},
                line_break,
                adverb,
                line_break,
                adverb,
                line_break,
                verb,
            ]
            yield {"patterns": [pattern], "attrs": {"MORPH": morph}, "index": -1}


def perfect_patterns() -> Iterator[Dict[str, Any]]:
    """Patterns of an attribute_ruler for "'s" before a subject: "What's she bought?",
    "What's the team been doing?" """
    is_subject = {"TAG": {"IN": SUBJECT_TAGS}, "OP": "+"}
    clitic = {"LOWER": {"IN": ["'s", "\u2019s"]}, "TAG": "VBZ"}
    been = {"LOWER": "been"}
    participle = {"TAG": "VBN"}
    yield {
        "patterns": [
            [clitic, is_subject, been],
            [{**clitic, "DEP": "aux"}, is_subject, participle],
        ],
        "attrs": {"LEMMA": "have"},
    }


def consistent_patterns() -> Iterator[Dict[str, Any]]:
    """Patterns of an attribute_ruler that make Penn tag and UPOS agree. A word without
    UPOS is left alone."""
    for tag, allowed in UPOS_OF_TAGS.items():
        attrs = {"POS": allowed.split()[0]}
        if tag in FEATURES_OF_TAGS:
            attrs["MORPH"] = FEATURES_OF_TAGS[tag]
        kept = ["", *allowed.split()]
        for (other, pos, is_lower), new in TAGS_BY_UPOS.items():
            if other == tag:
                kept.append(pos)
                token = {"TAG": tag, "POS": pos, "IS_SPACE": False}
                if is_lower is not None:
                    yield {
                        "patterns": [[{**token, "IS_LOWER": not is_lower}]],
                        "attrs": attrs,
                    }
                    token["IS_LOWER"] = is_lower
                yield {"patterns": [[token]], "attrs": {"TAG": new}}
        yield {
            "patterns": [[{"TAG": tag, "POS": {"NOT_IN": kept}, "IS_SPACE": False}]],
            "attrs": attrs,
        }


def deprel_patterns() -> Iterator[Dict[str, Any]]:
    """Patterns of an attribute_ruler that make UPOS and deprel agree. It comes after
    the parser."""
    for (deprel, pos), new in UPOS_OF_DEPRELS.items():
        attrs = dict(zip(("POS", "TAG"), new.split(), strict=False))
        if attrs["POS"] in FEATURES_OF_UPOS:
            attrs["MORPH"] = FEATURES_OF_UPOS[attrs["POS"]]
        yield {"patterns": [[{"DEP": deprel, "POS": pos}]], "attrs": attrs}
    yield {
        "patterns": [[{"DEP": {"IN": list(DEPRELS_OF_ADVERBS)}, "POS": "ADV"}]],
        "attrs": {"DEP": "advmod"},
    }


def add_components(
    base: Path,
    output: Path,
    components: Mapping[str, Path],
    *,
    before: Optional[str] = None,
    frames: Optional[Path] = None,
    learned_frames: bool = False,
) -> None:
    """Write a pipeline with more components.

    base (Path): A saved pipeline; left as it is.
    output (Path): The folder to write.
    components (Mapping[str, Path]): Names, and the saved pipelines that have them, in
        order.
    before (Optional[str]): The component of `base` that follows them. None: they come
        last.
    frames (Optional[Path]): PropBank's frames, for the vocabulary.
    learned_frames (bool): Those of rolesets that lal_srl has learned, and no others.
    RAISES (SourceError): A component is missing in its pipeline."""
    config = Config().from_disk(base / "config.cfg", interpolate=False)
    names: List[str] = list(config["nlp"]["pipeline"])
    if before is not None and before not in names:
        raise SourceError(
            base, 0, f"expected the component {before!r}, got {', '.join(names)}"
        )
    strings: Set[str] = set()
    with written_folder(output) as folder:
        shutil.copytree(base, folder, dirs_exist_ok=True)
        for name, source in components.items():
            if not (source / name).is_dir():
                raise SourceError(source, 0, f"expected the component {name!r} in it")
            shutil.rmtree(folder / name, ignore_errors=True)
            shutil.copytree(source / name, folder / name)
            round_weights(folder / name / "model")
            trained = Config().from_disk(source / "config.cfg").interpolate()
            config["components"][name] = trained["components"][name]
            strings |= strings_of(source, name)
        place = names.index(before) if before is not None else len(names)
        names[place:place] = [name for name in components if name not in names]
        if MORPHOLOGIZER in names:
            strings |= _write_ruler(folder / RULER)
        if MORPHOLOGIZER in names and RULER not in names:
            config["components"][RULER] = {
                "factory": RULER,
                "validate": False,
                "scorer": None,
            }
            place = 1 + max(
                names.index(name)
                for name in (MORPHOLOGIZER, LEMMATIZER, PARSER)
                if name in names
            )
            names.insert(place, RULER)
            if config["nlp"]["lang"] == "en" and LEMMATIZER in names:
                config["components"][LEMMAS] = {"factory": LEMMAS}
                names.insert(place + 1, LEMMAS)
        config["nlp"]["pipeline"] = names
        config.to_disk(folder / "config.cfg")
        _add_strings(folder / "vocab" / "strings.json", strings)
        if LEMMATIZER in names:
            shut_out_normalised(folder)
        if frames is not None:
            vocab = Vocab(lookups=Lookups().from_disk(folder / "vocab"))
            found = read_frames(frames)
            if learned_frames:
                learned = set(srsly.read_json(folder / ROLES / "cfg")["rolesets"])
                found = {name: found[name] for name in found if name in learned}
            install_frames(vocab, found.values())
            vocab.lookups.to_disk(folder / "vocab")
        _update_meta(folder)


def _write_ruler(path: Path) -> Set[str]:
    """Write the attribute_ruler; returns the strings that it sets."""
    strings = {"_SP", "SPACE"}
    ruler = AttributeRuler(Vocab())
    for rule in (
        WHITE_SPACE,
        *agreement_patterns(),
        *consistent_patterns(),
        *perfect_patterns(),
        *deprel_patterns(),
    ):
        ruler.add(**rule)  # type: ignore[arg-type]
        strings.update(rule["attrs"].values())
    ruler.to_disk(path, exclude=["vocab"])
    return strings


def _add_strings(path: Path, strings: Iterable[str]) -> None:
    srsly.write_json(path, sorted({*srsly.read_json(path), *strings}), indent=0)


def _update_meta(folder: Path) -> None:
    """Components and labels of a meta.json by the pipeline beside it."""
    meta: Dict[str, Any] = srsly.read_json(folder / META)
    loaded = spacy.load(folder).meta
    srsly.write_json(
        folder / META,
        {**meta, **{key: loaded[key] for key in ("labels", "pipeline", "components")}},
    )


def main(
    base: Path,
    output: Path,
    component: Annotated[list[str], typer.Option(metavar="NAME=FOLDER")] = [],  # noqa: B006
    before: str | None = None,
    frames: Path | None = None,
    learned_frames: bool = False,
) -> None:
    """Add them."""
    pairs = dict(text.split("=", 1) for text in component)
    components = {name: Path(folder) for name, folder in pairs.items()}
    options = {"before": before, "frames": frames, "learned_frames": learned_frames}
    add_components(base, output, components, **options)
    print(f"{output}: {', '.join([*components, 'its rules'])} are new")


if __name__ == "__main__":
    run(main)
