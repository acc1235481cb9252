"""Files and folders that appear complete or not at all."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from spacy_lal.files import (
    leftovers,
    restore_folder,
    write_file,
    written_file,
    written_folder,
)


def names(folder: Path) -> list:
    return sorted(path.name for path in folder.iterdir())


def test_two_runs_write_one_file_and_the_last_to_finish_wins(tmp_path: Path):
    path = tmp_path / "out.ptb"
    with written_file(path) as first:
        first.write(b"first\n" * 3)
        with written_file(path) as second:
            second.write(b"second\n")
            first.write(b"first\n")
        assert path.read_bytes() == b"second\n"
    assert path.read_bytes() == b"first\n" * 4
    assert names(tmp_path) == ["out.ptb"]


def test_two_runs_write_one_folder_and_the_last_to_finish_wins(tmp_path: Path):
    path = tmp_path / "pipeline"
    with written_folder(path) as first:
        (first / "a").write_text("first")
        with written_folder(path) as second:
            (second / "b").write_text("second")
        assert names(path) == ["b"]
    assert names(path) == ["a"] and names(tmp_path) == ["pipeline"]


def test_a_failed_block_leaves_the_earlier_one(tmp_path: Path):
    write_file(tmp_path / "file", "old")
    with pytest.raises(KeyboardInterrupt), written_file(tmp_path / "file") as file:
        file.write(b"new")
        raise KeyboardInterrupt
    with written_folder(tmp_path / "folder") as folder:
        (folder / "a").write_text("old")
    with pytest.raises(KeyboardInterrupt), written_folder(tmp_path / "folder") as new:
        (new / "a").write_text("new")
        raise KeyboardInterrupt
    assert (tmp_path / "file").read_text() == "old"
    assert (tmp_path / "folder" / "a").read_text() == "old"
    assert names(tmp_path) == ["file", "folder"]


def test_a_full_disk_is_an_error_of_the_file(tmp_path: Path):
    for written in (written_file, written_folder):
        path = tmp_path / written.__name__
        with pytest.raises(OSError, match="No space left") as caught, written(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        assert caught.value.filename == str(path)
    if Path("/dev/full").exists():
        with pytest.raises(OSError, match="No space") as caught:
            write_file("/dev/full", "a")
        assert caught.value.filename == "/dev/full"
    assert names(tmp_path) == []


def test_a_failure_leaves_no_folder_and_names_the_target(tmp_path: Path):
    path = tmp_path / "made" / "for" / "file"
    for written in (written_file, written_folder):
        with pytest.raises(ValueError, match="no trees"), written(path):
            raise ValueError("no trees")
        assert names(tmp_path) == []
    (tmp_path / "made").mkdir()
    with pytest.raises(OSError, match="large") as caught, written_folder(path) as new:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(new / "model"))
    assert caught.value.filename == str(path)
    assert names(tmp_path) == ["made"] and names(tmp_path / "made") == []


def test_a_killed_run_leaves_what_the_next_one_can_name(tmp_path: Path):
    path = tmp_path / "out [1].ptb"
    program = (
        "import os, sys; from spacy_lal.files import written_file\n"
        "with written_file(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=False)
    (left,) = leftovers(path)
    assert left.read_bytes() == b"half" and not path.exists()
    assert leftovers(tmp_path / "other") == []


def test_a_folder_that_was_moved_aside_comes_back(tmp_path: Path):
    (tmp_path / ".best.0a.old").mkdir()
    restore_folder(tmp_path / "best")
    assert names(tmp_path) == ["best"]
    (tmp_path / ".best.0b.old").mkdir()
    restore_folder(tmp_path / "best")
    assert names(tmp_path) == [".best.0b.old", "best"]


def test_the_latest_folder_comes_back(tmp_path: Path):
    for name, seconds in (("0b", 100), ("0a", 200), ("0c", 150)):
        folder = tmp_path / f".best.{name}.old"
        folder.mkdir()
        os.utime(folder, (seconds, seconds))
    restore_folder(tmp_path / "best")
    assert names(tmp_path) == [".best.0b.old", ".best.0c.old", "best"]
    assert (tmp_path / "best").stat().st_mtime == 200


@pytest.mark.parametrize("call", range(9))
def test_a_folder_is_whole_after_a_kill_at_each_step(tmp_path: Path, call: int):
    """The process ends at the n-th change of the file system; the next run has the
    earlier folder or the new one, and names what is left."""
    path = tmp_path / "out"
    program = (
        "import os, shutil, sys; from pathlib import Path\n"
        "from spacy_lal.files import written_folder\n"
        "left = int(sys.argv[2])\n"
        "def counting(function):\n"
        "    def counted(*args, **settings):\n"
        "        global left\n"
        "        left -= 1\n"
        "        if left < 0: os.kill(os.getpid(), 9)\n"
        "        return function(*args, **settings)\n"
        "    return counted\n"
        "for owner, name in ((Path, 'rename'), (Path, 'mkdir'), (os, 'unlink'),\n"
        "                    (os, 'rmdir'), (Path, 'write_text')):\n"
        "    setattr(owner, name, counting(getattr(owner, name)))\n"
        "with written_folder(sys.argv[1]) as folder:\n"
        "    (folder / 'a').write_text('new')\n"
        "    (folder / 'b').write_text('new')\n"
    )
    path.mkdir()
    for name in "ab":
        (path / name).write_text("old")
    arguments = [sys.executable, "-c", program, str(path), str(call)]
    killed = subprocess.run(arguments, check=False)
    assert killed.returncode == -9
    left = leftovers(path)
    restore_folder(path)
    found = {(path / name).read_text() for name in "ab"}
    assert found in ({"old"}, {"new"})
    assert left or call < 2  # before the folder is there
    with written_folder(path) as folder:
        for name in "ab":
            (folder / name).write_text("newer")
    assert {(path / name).read_text() for name in "ab"} == {"newer"}
    assert all(one.name.endswith((".part", ".old")) for one in leftovers(path))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int):
    path = tmp_path / "file.txt"
    path.write_text("before")
    path.chmod(mode)
    write_file(path, "after")
    assert path.read_text() == "after"
    assert stat.S_IMODE(path.stat().st_mode) == mode
