"""Reads golden vectors of Kitaev & Klein's parser: sets of one network and its answers,
or of several variants of it.

A set is recognised by its json, never by its name. A set that cannot be read is an
`UnreadableSetError` that says why."""

import re
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional

from parity.vectors import Arrays, UnreadableSetError, read_arrays, read_json

KITAEV_KLEIN = "kitaev_klein"


class EncoderSet(NamedTuple):
    """One network of the reference and its answers.

    info (Dict[str, Any]): The json.
    weights (Dict[str, ndarray]): Its parameters by the reference's names, float32.
    sentences (List[Dict[str, ndarray]]): For each sentence its inputs, and its answers
        if the set has no variants.
    variants (Dict[str, List[Dict[str, ndarray]]]): By name, the answers for each
    sentence."""

    info: Dict[str, Any]
    weights: Arrays
    sentences: List[Arrays]
    variants: Dict[str, List[Arrays]]


def is_kitaev_klein(info: Any) -> bool:
    """Whether a json belongs to a network of constituents alone."""
    return (
        isinstance(info, dict)
        and {"hparams", "label_vocab"} <= info.keys()
        and "type_vocab" not in info
    )


def read_encoder_set(folder: Path, name: str) -> EncoderSet:
    """A set, checked for completeness. RAISES (UnreadableSetError): with the reason."""
    info, arrays = read_json(folder, name), read_arrays(folder, name)
    n_sentences = len(info.get("sentences") or ())
    weights: Arrays = {}
    sentences: List[Arrays] = [{} for _ in range(n_sentences)]
    variants: Dict[str, List[Arrays]] = {}
    for key, value in arrays.items():
        group, _, rest = key.partition("/")
        inner: Optional[re.Match] = re.fullmatch(r"s(\d+)/(.+)", rest)
        own = re.fullmatch(r"s(\d+)", group)
        if group == "sd":
            weights[rest] = value
        elif own and int(own[1]) < n_sentences:
            sentences[int(own[1])][rest] = value
        elif inner and int(inner[1]) < n_sentences:
            variants.setdefault(group, [{} for _ in range(n_sentences)])[int(inner[1])][
                inner[2]
            ] = value
        else:
            raise UnreadableSetError(
                f"{name}: the array {key!r} belongs to no sentence of the json "
                f"({n_sentences})"
            )
    if not weights or not n_sentences:
        raise UnreadableSetError(
            f"{name} holds {len(weights)} weights and {n_sentences} sentences"
        )
    answers = variants or {"": sentences}
    lacking = [
        f"{kind}/s{i}"
        for kind, group in answers.items()
        for i, one in enumerate(group)
        if not _answers(one)
    ]
    for kind, group in answers.items():
        stages = [{key for key in one if not key.startswith("noise")} for one in group]
        lacking += [
            f"{kind}/s{i}/{key}".strip("/")
            for i, one in enumerate(stages)
            for key in stages[0] ^ one
        ]
    if lacking:
        raise UnreadableSetError(f"{name} lacks answers: {', '.join(lacking)}")
    return EncoderSet(info, weights, sentences, variants)


def _answers(sentence: Arrays) -> bool:
    return any(
        key == "label_scores_ut" or re.fullmatch(r"ff\d+", key) for key in sentence
    )
