"""A network of Kitaev & Klein's reference rebuilt as ours: weights, inputs,
variants."""

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np
import spacy
import torch
from spacy.tokens import Doc
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from parity.attention import limited
from parity.encoder_sets import EncoderSet
from parity.given_noise import with_given_masks
from parity.vectors import Arrays, UnreadableSetError
from spacy_lal.checkpoint.networks import convert_state_dict, network_config
from spacy_lal.layers.configs import EncoderConfig, ParserNetworkConfig, SelectorConfig
from spacy_lal.layers.inputs import NetworkInputs
from spacy_lal.layers.parser_network import ParserNetwork
from spacy_lal.models.batches import (
    N_SPECIAL_CHARS,
    N_SPECIAL_IDS,
    ReadingOptions,
    SentenceFeatures,
    sentence_features,
)

CODEPOINTS = " codepoints"  # of a json's `char_vocab`: "256 codepoints"
SELECTOR_KEY = "encoder.selector_"
MODES = (
    "soft",
    "sample",
)  # the variants of a selector that are named as its modes; the others are hard
INFERENCE = "infer"  # the variant of a selector outside of training


class EncoderReference:
    """A set, our network with its weights, and the inputs of its sentences."""

    def __init__(self, vectors: EncoderSet) -> None:
        self.vectors, self.info = vectors, vectors.info
        self.hparams = self.info["hparams"]
        self.state = {
            our_selector_key(key): torch.from_numpy(value)
            for key, value in vectors.weights.items()
        }
        self.lengths = [len(sentence["words"]) for sentence in self.info["sentences"]]
        self.network = self._build(SelectorConfig.mode)
        self.features = self._read_features()

    def _build(self, selector_mode: str) -> ParserNetwork:
        config, sizes = network_config({**self.hparams, **self._switches()}, self.state)
        if "selector" in self.info:
            config = self._with_selectors(config, selector_mode)
        network = ParserNetwork(config, sizes)
        network.load_state_dict(convert_state_dict(self.state, config, sizes))
        return network.eval()

    def _switches(self) -> Dict[str, Any]:
        settings = self.info.get("settings")
        if not settings:
            return {}
        switches = {
            "join": settings["join_positions"],
            "factored": settings["factored"],
            "even_odd": settings["even_odd_fenceposts"],
        }
        if "position_only_layers" in settings:
            switches["position_only"] = settings["position_only_layers"]
        return switches

    def _with_selectors(
        self, config: ParserNetworkConfig, mode: str
    ) -> ParserNetworkConfig:
        told = self.info["selector"]
        selector = SelectorConfig(
            mode=mode,  # type: ignore[arg-type]
            on_empty=told.get("on_empty", "nothing"),
            width=told["width"],
            temperature=told["temperature"],
        )
        single = [
            replace(layer, repeat=1)
            for layer in config.encoder.layers
            for _ in range(layer.repeat)
        ]
        layers = [
            replace(one, selector=selector if i in told["layers"] else None)
            for i, one in enumerate(single)
        ]
        return replace(config, encoder=EncoderConfig(tuple(layers)))

    def _read_features(self) -> List[SentenceFeatures]:
        """The ids of each sentence, read from a Doc as a pipeline reads it."""
        inputs = self.network.config.inputs
        kinds = [feature.kind for feature in inputs.features]
        options = ReadingOptions(
            use_tags="tags" in kinds,
            use_words="words" in kinds,
            use_chars=inputs.alphabet is not None,
            max_word_length=max(
                2, inputs.letters_read(self.network.config.hidden_width)
            ),
        )
        reader = sentence_features(options)
        for name in ("tags", "words"):
            reader.attrs[name] = (
                list(self.info[f"{name[:-1]}_vocab"][N_SPECIAL_IDS:])
                if name in kinds
                else []
            )
        if inputs.alphabet is not None:
            reader.attrs["chars"] = _alphabet(self.info.get("char_vocab"))
        vocab, docs = spacy.blank("xx").vocab, []
        for one in self.info["sentences"]:
            starts = [True] + [False] * (len(one["words"]) - 1)
            docs.append(
                Doc(vocab, words=one["words"], tags=one["tags"], sent_starts=starts)
            )
        return reader.predict(docs)

    def batch(self, indices: Sequence[int]) -> NetworkInputs:
        """The inputs of some sentences, padded to the longest."""
        features = [self.features[i] for i in indices]

        def ids(name: str) -> Optional[Tensor]:
            rows = [getattr(one, name) for one in features]
            return (
                None
                if rows[0] is None
                else pad_sequence(
                    [torch.from_numpy(row) for row in rows], batch_first=True
                )
            )

        seq_len = max(one.length for one in features) + 2
        char_ids = char_lengths = None
        if features[0].chars is not None:
            longest = max(len(word) for one in features for word in one.chars or ())
            char_ids = torch.zeros(len(features), seq_len, longest, dtype=torch.long)
            char_lengths = torch.zeros(len(features), seq_len, dtype=torch.long)
            for row, one in enumerate(features):
                for column, word in enumerate(one.chars or ()):
                    char_ids[row, column, : len(word)] = torch.tensor(word)
                    char_lengths[row, column] = len(word)
        vectors = None
        if self.network.sizes.vector_width:
            vectors = pad_sequence(
                [torch.from_numpy(self._rows(i)) for i in indices], batch_first=True
            )
        lengths = torch.tensor([one.length for one in features])
        return NetworkInputs(
            lengths, vectors, ids("tag_ids"), ids("word_ids"), char_ids, char_lengths
        )

    def _rows(self, index: int) -> np.ndarray:
        if "features" not in self.vectors.sentences[index]:
            raise UnreadableSetError(f"no s{index}/features, which this network reads")
        return self.vectors.sentences[index]["features"].astype(np.float32)

    def variant(self, name: str, indices: Sequence[int]) -> ParserNetwork:
        """The network of a variant, for a batch of some sentences: with recorded
        dropout masks or noise, if any."""
        sentences = [self.vectors.sentences[i] for i in indices]
        if "dropout_rates" in self.info:
            return with_given_masks(self.network, sentences, self.info["dropout_rates"])
        if "selector" not in self.info or name == INFERENCE:
            return self.network
        network = self._build(name if name in MODES else SelectorConfig.mode)
        for layer in self.info["selector"]["layers"]:
            selector: Any = network.get_submodule(
                f"encoder.layers.{layer}.attention.selector"
            )
            selector.train()
            noise = _padded([sentence.get(f"noise{layer}") for sentence in sentences])
            if noise is not None:
                selector.sample_noise = lambda scores, given=noise: given
        return network

    @contextmanager
    def limits(self, name: str, network: ParserNetwork) -> Iterator[None]:
        """The limits of attention of a variant, for a block."""
        pattern, window = (
            self.info.get("patterns", {}).get(name),
            self.info.get("windows", {}).get(name),
        )
        with ExitStack() as stack:
            for i, layer in enumerate(network.encoder.layers):
                if pattern is not None:
                    content, position = (
                        i not in pattern["content_off"],
                        i not in pattern["position_off"],
                    )
                    stack.enter_context(
                        limited([layer.attention], content=content, position=position)
                    )
                width = None if window is None else _of_layer(window["window"], i)
                if window is not None and width is not None:
                    relaxed = bool(_of_layer(window["relaxed"], i))
                    stack.enter_context(
                        limited([layer.attention], window=width, relaxed_window=relaxed)
                    )
            yield


def our_selector_key(key: str) -> str:
    """The names of the selectors' weights are ours already, but for their layer's."""
    if not key.startswith(SELECTOR_KEY):
        return key
    layer, _, rest = key[len(SELECTOR_KEY) :].partition(".")
    return f"encoder.layers.{layer}.attention.selector.{rest}"


def _of_layer(told: Any, layer: int) -> Any:
    """A value for all layers, or by the number of a layer; None where it has none."""
    return told.get(str(layer)) if isinstance(told, dict) else told


def _alphabet(told: Any) -> List[str]:
    if isinstance(told, str) and told.endswith(CODEPOINTS):
        return [chr(i) for i in range(N_SPECIAL_CHARS, int(told[: -len(CODEPOINTS)]))]
    if not isinstance(told, list):
        raise UnreadableSetError(
            f"the json's char_vocab is {told!r:.50}: expected a list, or "
            f"'N{CODEPOINTS}'"
        )
    return told[N_SPECIAL_CHARS:]


def _padded(noise: Sequence[Optional[np.ndarray]]) -> Optional[Tensor]:
    """Noise of pairs, padded with 0. *Shape:* (batch, heads, seq_len, seq_len)."""
    given = [torch.from_numpy(one) for one in noise if one is not None]
    if not given:
        return None
    seq_len = max(one.shape[1] for one in given)
    padded = torch.zeros(len(given), len(given[0]), seq_len, seq_len)
    for row, one in zip(padded, given, strict=True):
        row[:, : one.shape[1], : one.shape[2]] = one
    return padded


def sentence_ids(reference: EncoderReference, index: int) -> Arrays:
    """Our ids of a sentence, under the reference's names."""
    features, batch = reference.features[index], reference.batch([index])
    found = {"tag_ids": features.tag_ids, "word_ids": features.word_ids}
    if batch.char_ids is not None and batch.char_lengths is not None:
        found |= {
            "char_ids": batch.char_ids[0].numpy(),
            "char_lengths": batch.char_lengths[0].numpy(),
        }
    encoders = reference.network.inputs.features
    if "char_concat" in encoders:
        letters: Any = encoders["char_concat"]
        found["concat_ids"] = letters.letter_ids(batch)[0].numpy()
    return {name: ids for name, ids in found.items() if ids is not None}
