"""Words cleaned, split into pieces, and cut into sequences: every row once, whatever the length."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_lal.checkpoint.pieces import SpecialPieces, cut_sentence, special_pieces, split_words
from spacy_lal.checkpoint.word_cleaning import WORD_CLEANERS
from spacy_lal.models.windows import piece_limit

CLS, SEP = -1, -2
SPECIALS = SpecialPieces(CLS, SEP, -3)


def numbered_words(sizes):
    """Words whose pieces are 10 * the word's number + the piece's."""
    return [[100 * w + i for i in range(size)] for w, size in enumerate(sizes)]


def test_one_sequence_cls_first():
    (one,) = cut_sentence(numbered_words([2, 1, 3]), SPECIALS, None, first_row=7)
    assert one.ids == [CLS, 0, 1, 100, 200, 201, 202, SEP]
    assert one.positions == [0, 2, 3, 6, 7]
    assert one.rows == [7, 8, 9, 10, 11]


def test_pad_left_shifts_rows_by_one():
    # The authors' T11: START gets the first word, STOP gets [cls].
    (one,) = cut_sentence(numbered_words([2, 1]), SPECIALS, None, specials_last=True)
    assert one.ids == [0, 1, 100, SEP, CLS]
    assert one.positions == [1, 2, 3, 4]
    assert one.rows == [0, 1, 2, 3]


def test_windows_share_half():
    windows = cut_sentence(numbered_words([1] * 10), SPECIALS, 6)
    assert [one.ids for one in windows][:2] == [[CLS, 0, 100, 200, 300, SEP], [CLS, 200, 300, 400, 500, SEP]]
    assert windows[0].rows == [0, 1, 2, 3] and windows[1].rows == [4, 5]
    assert windows[-1].rows[-1] == 11


def test_of_a_word_that_is_too_long_the_last_pieces_are_read():
    (one,) = cut_sentence(numbered_words([50]), SPECIALS, 5)
    assert one.ids == [CLS, 47, 48, 49, SEP]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60), st.integers(3, 20), st.booleans())
def test_windows_have_every_row_once(sizes, limit, specials_last):
    words = numbered_words(sizes)
    sequences = cut_sentence(words, SPECIALS, limit, 5, specials_last=specials_last)
    rows = [row for one in sequences for row in one.rows]
    assert sorted(rows) == list(range(5, 5 + len(sizes) + 2))
    pieces = [one.ids[position] for one in sequences for position in one.positions]
    by_row = [piece for _, piece in sorted(zip(rows, pieces, strict=True))]
    last = [word[-1] for word in words]
    assert by_row == ([*last, SEP, CLS] if specials_last else [CLS, *last, SEP])
    assert all(len(one.ids) <= limit for one in sequences)
    assert all(one.ids.count(CLS) == one.ids.count(SEP) == 1 for one in sequences)


def make_tokenizer(**values):
    names = ("cls_token_id", "sep_token_id", "bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id")
    return SimpleNamespace(**{"model_max_length": int(1e30), **dict.fromkeys(names), **values})


def test_special_pieces_and_their_stand_ins():
    assert special_pieces(make_tokenizer(cls_token_id=1, sep_token_id=2, pad_token_id=0)) == (1, 2, 0)
    assert special_pieces(make_tokenizer(bos_token_id=3, eos_token_id=4)) == (3, 4, 4)
    with pytest.raises(ValueError, match="no pieces for the ends of a sentence"):
        special_pieces(make_tokenizer())


def test_the_limit_is_the_smallest_known_one():
    xlnet = SimpleNamespace(config=SimpleNamespace(max_position_embeddings=-1))
    bert = SimpleNamespace(config=SimpleNamespace(max_position_embeddings=512), embeddings=SimpleNamespace())
    roberta = SimpleNamespace(
        config=SimpleNamespace(max_position_embeddings=514), embeddings=SimpleNamespace(padding_idx=1)
    )
    assert piece_limit(make_tokenizer(), xlnet, None) is None
    assert piece_limit(make_tokenizer(), xlnet, 768) == 768
    assert piece_limit(make_tokenizer(), bert, None) == 512
    assert piece_limit(make_tokenizer(), roberta, None) == 512
    assert piece_limit(make_tokenizer(model_max_length=100), bert, 300) == 100
    with pytest.raises(ValueError, match="no room for a word"):
        piece_limit(make_tokenizer(), bert, 2)


def test_words_without_pieces_are_unknown():
    class Tokenizer(SimpleNamespace):
        def __call__(self, words, **kwargs):
            return {"input_ids": [[ord(char) for char in word if char != "\u200b"] for word in words]}

    tokenizer = Tokenizer(**vars(make_tokenizer(unk_token_id=0, cls_token_id=1, sep_token_id=2)))
    assert split_words(tokenizer, [["a", "\u200b"], [], ["ba"]]) == [[[97], [0]], [], [[98, 97]]]
    assert split_words(tokenizer, [[]]) == [[]]


def test_cleaning():
    words = ["``", "Do", "n't", "-LRB-", "«", "–", "‘", "\\/", "''", "-RCB-"]
    assert WORD_CLEANERS["lal"](words) == ['"', "Don", "'t", "(", '"', "--", "'", "\\/", '"', "}"]
    assert WORD_CLEANERS["hpsg"](words)[5] == "–"
    assert WORD_CLEANERS["none"](words) == words
    assert WORD_CLEANERS["lal"](["n't", "n't"]) == ["n'tn", "'t"]
    assert words[1] == "Do"
