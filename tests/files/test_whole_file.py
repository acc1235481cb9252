"""A file is written whole or not at all, in its place or, where that cannot be renamed to, in place."""

import os
import re
import resource
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, List

import pytest

from spacy_lal.files.whole_file import WholeFile, write_file, written_file
from spacy_lal.files.whole_folder import restore, written_whole

OLD = b"old content"
HEX = "0123456789abcdef" * 2
KILLED = """
import os, signal, sys
from pathlib import Path
from spacy_lal.files.whole_file import written_file
from spacy_lal.files.whole_folder import written_whole
path = Path(sys.argv[2])
with written_file(path) if sys.argv[1] == "file" else written_whole(path) as half:
    half.write(b"half") if sys.argv[1] == "file" else (half / "half").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@contextmanager
def small_disk() -> Iterator[None]:
    """No file can have more than 1,000 bytes: a full disk gives the same error from the same call. Not a fixture, for
    pytest writes its progress, perhaps to a file, before a fixture ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.txt"
    path.write_bytes(OLD)
    return path


def names(folder: Path) -> List[str]:
    return sorted(path.name for path in folder.iterdir())


def test_in_its_place_at_the_end(file: Path):
    with written_file(file) as part:
        part.write(b"new")
        part.flush()
        assert file.read_bytes() == OLD
    assert file.read_bytes() == b"new"
    assert names(file.parent) == ["file.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_early_end_changes_nothing(file: Path, error: type):
    with pytest.raises(error), written_file(file) as part:
        part.write(b"new")
        raise error
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["file.txt"]


def test_full_disk(file: Path):
    with pytest.raises(OSError) as caught, small_disk():
        write_file(file, b"x" * 2000)
    assert caught.value.filename == str(file)
    assert file.read_bytes() == OLD
    assert names(file.parent) == ["file.txt"]


def test_full_disk_at_the_very_end(file: Path):
    """What fits into the buffer reaches the disk when the file is closed."""
    with pytest.raises(OSError) as caught, small_disk(), written_file(file) as part:
        for _ in range(4):
            part.write(b"x" * 300)
    assert caught.value.filename == str(file)
    assert file.read_bytes() == OLD and names(file.parent) == ["file.txt"]


def test_links_and_mode(file: Path, tmp_path: Path):
    os.chmod(file, 0o640)
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder" / "link"
    link.symlink_to(Path("..") / "file.txt")
    twice = tmp_path / "twice"
    twice.symlink_to(link)
    write_file(twice, "new")
    assert twice.is_symlink() and link.is_symlink()
    assert file.read_bytes() == b"new" and file.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["file.txt", "folder", "twice"] and names(tmp_path / "folder") == ["link"]
    dangling = tmp_path / "dangling"
    dangling.symlink_to("not-there")
    write_file(dangling, "new")
    assert dangling.is_symlink() and (tmp_path / "not-there").read_bytes() == b"new"


def test_new_file_has_the_mode_of_others(tmp_path: Path):
    write_file(tmp_path / "ours", "")
    (tmp_path / "other").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_hard_link_keeps_what_it_had(file: Path, tmp_path: Path):
    os.link(file, tmp_path / "other")
    write_file(file, "new")
    assert (tmp_path / "other").read_bytes() == OLD


def test_what_cannot_be_renamed_to(tmp_path: Path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: List[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    write_file(fifo, "new")
    reader.join()
    assert read == [b"new"] and names(tmp_path) == ["fifo"]
    write_file("/dev/null", "new")
    assert not Path("/dev/null").is_file()


def test_open_file_by_its_number_is_added_to(file: Path):
    """As `/dev/stdout` is after `>> file`."""
    with file.open("ab") as already_open:
        write_file(f"/proc/self/fd/{already_open.fileno()}", " and new")
    assert file.read_bytes() == OLD + b" and new"


def test_folders_and_circles_are_named(tmp_path: Path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    for path in (tmp_path, tmp_path / "one", tmp_path / "none" / "file"):
        with pytest.raises(OSError) as caught:
            write_file(path, "new")
        assert caught.value.filename == str(path)


def test_long_name(tmp_path: Path):
    write_file(tmp_path / ("a" * 255), "new")
    assert names(tmp_path) == ["a" * 255]


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_a_killed_process_leaves_is_removed(tmp_path: Path, what: str):
    path = tmp_path / "written"
    done = subprocess.run([sys.executable, "-c", KILLED, what, str(path)])
    assert done.returncode == -signal.SIGKILL
    (left,) = names(tmp_path)
    assert re.fullmatch(r"\.written\.[0-9a-f]{32}\.part", left)
    others = [".written.part", ".written.new", ".written.old", f".other.{HEX}.part", f".written.{HEX}x.part"]
    for name in others:
        (tmp_path / name).mkdir()
        (tmp_path / name / "kept").touch()
    with written_file(path) if what == "file" else written_whole(path):
        pass
    assert names(tmp_path) == sorted([*others, "written"])
    assert all(names(tmp_path / name) == ["kept"] for name in others)


def test_what_another_process_is_writing_stays(tmp_path: Path):
    """The part of a write that goes on is locked."""
    first = WholeFile(tmp_path / "file")
    first.file.write(b"first")
    write_file(tmp_path / "file", "second")
    first.commit()
    assert (tmp_path / "file").read_bytes() == b"first" and names(tmp_path) == ["file"]
    with written_whole(tmp_path / "folder") as one:
        (one / "first").touch()
        with written_whole(tmp_path / "folder") as other:
            (other / "second").touch()
    assert names(tmp_path / "folder") == ["first"] and names(tmp_path) == ["file", "folder"]


def test_killed_between_two_renames(tmp_path: Path):
    """The former folder has its name back, and is whole until the next write has ended well."""
    (tmp_path / f".model.{HEX}.old").mkdir()
    (tmp_path / f".model.{HEX}.old" / "former").touch()
    with pytest.raises(KeyboardInterrupt), written_whole(tmp_path / "model"):
        raise KeyboardInterrupt
    assert names(tmp_path) == ["model"] and names(tmp_path / "model") == ["former"]
    restore(tmp_path / "model")
    assert names(tmp_path / "model") == ["former"]


def test_folder_on_a_full_disk(tmp_path: Path):
    (tmp_path / "model").mkdir()
    with pytest.raises(OSError) as caught, small_disk(), written_whole(tmp_path / "model") as new:
        (new / "weights").write_bytes(b"x" * 2000)
    assert caught.value.filename == str(tmp_path / "model")
    with pytest.raises(OSError) as caught, written_whole(tmp_path / "model") as new:
        (new / "no" / "weights").write_bytes(b"")
    assert caught.value.filename == str(tmp_path / "model" / "no" / "weights")
    assert names(tmp_path) == ["model"] and names(tmp_path / "model") == []


def test_messages_name_what_was_expected_and_no_second_file(file: Path, tmp_path: Path):
    with pytest.raises(IsADirectoryError) as caught:
        write_file(tmp_path, OLD)
    assert str(caught.value).endswith(f"expected a file to write, it is a folder: {str(tmp_path)!r}")
    with pytest.raises(NotADirectoryError) as caught, written_whole(file):
        pass
    assert str(caught.value).endswith(f"expected a folder to write, it is a file: {str(file)!r}")
    below = file / "x" / "y"
    for write in (lambda: write_file(below, OLD), lambda: written_whole(below).__enter__()):
        with pytest.raises(NotADirectoryError) as caught:
            write()
        assert str(caught.value).endswith(f"expected a folder, {file} is a file: {str(below)!r}")
    with pytest.raises(OSError) as caught, written_whole(tmp_path / "model") as folder:
        (folder / "no" / "weights").touch()
    assert str(caught.value).endswith(repr(str(tmp_path / "model" / "no" / "weights")))
    with pytest.raises(OSError) as caught:
        write_file(tmp_path / "no" / "file", OLD)
    assert "->" not in str(caught.value)
