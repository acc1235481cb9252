"""Which settings of a set the rebuilt network follows.

A set whose json has any other setting, or another value of one that the library fixes,
fails by the setting's name before anything is compared."""

from typing import Any, FrozenSet, Iterator, Mapping, NamedTuple

from parity.encoder_sets import is_kitaev_klein
from parity.vectors import UnreadableSetError
from spacy_lal.checkpoint.networks import DEFAULT_HPARAMS, KK_DEFAULT_HPARAMS
from spacy_lal.layers.encoder import EPSILON


class UnfollowedSettingError(UnreadableSetError):
    """A setting of a set that the library cannot follow."""


class Settings(NamedTuple):
    """The settings of a block of a json.

    followed (FrozenSet[str]): Those that the network, or the comparison, takes from the
        set, and words about the set.
    fixed (Mapping[str, Any]): Those that the library has as constants: name -> value.
    """

    followed: FrozenSet[str]
    fixed: Mapping[str, Any] = {}

    def unfollowed(self, given: Mapping[str, Any]) -> Iterator[str]:
        """What a block has that cannot be followed, in words."""
        for name, value in given.items():
            if name in self.fixed and value != self.fixed[name]:
                yield f"{name} = {value!r} (the library has {self.fixed[name]!r})"
            elif name not in self.fixed and name not in self.followed:
                yield f"{name} = {value!r:.60} (unknown)"


def words_of(text: str) -> FrozenSet[str]:
    """The names in a text."""
    return frozenset(text.split())


# Hyperparameters of the authors' programs that choose files, or how training goes on.
_OF_TRAINING = words_of(
    "annotation_dim bert_do_lower_case bert_model bert_transliterate clip_grad_norm "
    "dataset elmo_dropout embedding_path learning_rate learning_rate_warmup_steps "
    "max_len_dev max_len_train morpho_emb_dropout punctuation roberta_do_lower_case "
    "roberta_model step_decay step_decay_factor step_decay_patience"
)
_SWITCHED_OFF = {
    "use_bert": False,
    "use_cat": False,
    "use_bert_only": False,
    "use_elmo": False,
    "use_roberta": False,
    "embedding_type": "random",
    "model_name": "joint",
}
_SELECTOR = {"epsilon": EPSILON}

LAL_HPARAMS = Settings(frozenset(DEFAULT_HPARAMS) | _OF_TRAINING, _SWITCHED_OFF)
KK_HPARAMS = Settings(frozenset(KK_DEFAULT_HPARAMS) | _OF_TRAINING)
KK_SWITCHES = Settings(
    words_of(
        "even_odd_fenceposts factored features join_positions position_only_layers"
    )
)
KK_SELECTOR = Settings(words_of("layers on_empty temperature width"), _SELECTOR)
SSAN = Settings(
    words_of(
        "attention_dropout comment computed_by dropouts filter_size hidden_size "
        "lengths modes name nce_scale num_encoder_layers num_heads rlsan_enc_list seed "
        "select_scale temperature vocabulary"
    ),
    _SELECTOR,
)
ROLES = Settings(
    words_of(
        "attn_mlp_size class_mlp_size layers predicate_mlp_size "
        "predicate_pred_mlp_size role_mlp_size"
    )
)
ROLE_LAYERS = Settings(
    words_of("ff_hidden_size head_dim num_heads"), {"type": "transformer"}
)


def check_settings(info: Any) -> None:
    """Whether the library follows all settings of a set.

    info (Any): The set's json.
    RAISES (UnfollowedSettingError): With their names and values."""
    found = [
        f"{block}.{setting}".lstrip(".")
        for block, given, settings in _blocks(info)
        for setting in settings.unfollowed(given)
    ]
    if found:
        raise UnfollowedSettingError(f"settings not followed: {'; '.join(found)}")


def _blocks(info: Any) -> Iterator[tuple[str, Mapping[str, Any], Settings]]:
    """The blocks of a json that hold settings, with their names."""
    if not isinstance(info, dict):
        return
    if "select_scale" in info:
        yield "", info, SSAN
    if "hparams" in info:
        of_lal = not is_kitaev_klein(info)
        yield "hparams", info["hparams"], LAL_HPARAMS if of_lal else KK_HPARAMS
    if info.get("settings"):
        yield "settings", info["settings"], KK_SWITCHES
    if "selector" in info:
        yield "selector", info["selector"], KK_SELECTOR
    if "model" in info:
        yield "model", info["model"], ROLES
        yield "model.layers", info["model"]["layers"], ROLE_LAYERS
