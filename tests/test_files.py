"""Files that are written completely or not at all."""

import os
import stat

import pytest

from spacy_lal.files import write_file, written_file


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "file.txt"
    path.write_text("before")
    path.chmod(mode)
    write_file(path, "after")
    assert path.read_text() == "after"
    assert mode_of(path) == mode


def test_a_block_that_fails_changes_nothing(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("before")
    with pytest.raises(KeyError), written_file(path) as file:
        file.write(b"after")
        raise KeyError
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["file.txt"]
