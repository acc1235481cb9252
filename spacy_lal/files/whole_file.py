"""Files that are written completely or not at all: written beside the target path, then renamed.

A killed process leaves a part beside the file, under a unique name. The next write to the same path removes it. A lock
protects the part of a process that is still writing.

FIFOs, devices and the file behind `/dev/stdout` cannot be replaced by a rename: they are written in place.
"""

import errno
import io
import os
import re
import stat
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Iterator, List, Optional, Union, cast
from uuid import uuid4

try:
    import fcntl
except ImportError:  # Windows, which refuses to remove an open file
    fcntl = None  # type: ignore[assignment]

PART, OLD = "part", "old"
MAX_NAME = 200  # bytes of the file's name kept in the name of a part; file systems allow 255
MAX_LINKS = 40


class WholeFile:
    """A file to write. The earlier file stays unchanged until `commit`.

    Links in the path are followed, and the mode of an existing file is kept. Another hard link to it keeps the former
    content.

    path (Path): The file as it was named.
    file (BinaryIO): The file object to write to.
    RAISES (OSError): It cannot be written. Here and in all methods, `filename` is the path, not the part beside it.
    """

    def __init__(self, path: Union[str, Path]) -> None:
        self.path = Path(path)
        self._marked = 0
        with _blaming(self.path):
            self._target = _target(self.path)
            self._part = None if self._target is None else beside(self._target, PART)
            self._raw = _open(self.path, self._target, self._part)
        self.file: BinaryIO = cast(BinaryIO, io.BufferedWriter(self._raw))

    def mark(self) -> None:
        """Note that the content so far is valid: `keep` keeps it."""
        self.file.flush()
        if self._target is not None:
            self._marked = self.file.tell()

    def finish(self) -> None:
        """Write all of the content to the disk and close the part, before `commit` renames it.

        RAISES (OSError): It could not be written completely; an earlier file is unchanged.
        """
        try:
            with _blaming(self.path):
                if not self.file.closed:
                    self.file.flush()
                    if self._part is not None:
                        os.fsync(self._raw.fileno())  # otherwise a power cut may keep the name but lose the content
                    self.file.close()
        except BaseException:
            self.discard()
            raise

    def commit(self) -> None:
        """Replace the file at the path.

        RAISES (OSError): It could not be written completely; an earlier file is unchanged.
        """
        self.finish()
        if self._target is not None and self._part is not None:
            try:
                with _blaming(self.path):
                    os.replace(self._part, self._target)
            except BaseException:
                self.discard()
                raise

    def discard(self) -> None:
        """Remove the part and leave an earlier file unchanged."""
        self._close()
        if self._part is not None:
            self._part.unlink(missing_ok=True)

    def keep(self) -> Optional[Path]:
        """Keep the marked content after an early end: under the file's name if it is free, otherwise beside it.

        RETURNS (Optional[Path]): Where it is; None if nothing was marked.
        """
        self._close()
        if self._target is None or self._part is None:
            return None
        if not self._marked:
            self._part.unlink(missing_ok=True)
            return None
        with _blaming(self.path):
            os.truncate(self._part, self._marked)
            place = self.path if not self._target.exists() else _partial_name(self.path)
            os.replace(self._part, self._target if place == self.path else place)
        return place

    def _close(self) -> None:
        with suppress(OSError, ValueError):  # buffered data may not fit on the disk
            self.file.close()


@contextmanager
def written_file(path: Union[str, Path]) -> Iterator[BinaryIO]:
    """For a block that writes a file: it is replaced when the block has ended well, otherwise it stays unchanged.

    YIELDS (BinaryIO): The file object to write to.
    RAISES (OSError): The file cannot be written; `filename` names it.
    """
    whole = WholeFile(path)
    try:
        yield whole.file
    except BaseException:
        whole.discard()
        raise
    whole.commit()


def write_file(path: Union[str, Path], content: Union[bytes, str]) -> None:
    """Write a file completely or not at all; text as UTF-8.

    RAISES (OSError): The file cannot be written; `filename` names it.
    """
    with written_file(path) as file:
        file.write(content.encode("utf8") if isinstance(content, str) else content)


def beside(path: Path, kind: str) -> Path:
    """A new name beside a path, for its unfinished content (PART) or its former content (OLD)."""
    return path.with_name(f".{_stem(path)}.{uuid4().hex}.{kind}")


def left_over(path: Path, kind: str) -> List[Path]:
    """Parts that killed processes have left beside a path, the newest last, without the parts that another process has
    locked."""
    return [one for one in left_in(path.parent, kind) if one.name.startswith(f".{_stem(path)}.")]


def left_in(folder: Path, kind: str) -> List[Path]:
    """Parts that killed processes have left in a folder, beside any file."""
    pattern = re.compile(rf"\..+\.[0-9a-f]{{32}}\.{kind}")
    found = [one for one in folder.iterdir() if pattern.fullmatch(one.name)] if folder.is_dir() else []
    return sorted((one for one in found if not _is_locked(one)), key=lambda one: one.lstat().st_mtime_ns)


def check_folders(path: Path) -> None:
    """Check that no file stands where a path has a folder.

    RAISES (NotADirectoryError): One does; `filename` is the path.
    """
    for parent in path.parents:
        if parent.exists():
            if not parent.is_dir():
                raise NotADirectoryError(errno.ENOTDIR, f"expected a folder, {parent} is a file", str(path))
            return


def lock(descriptor: int) -> None:
    """Tell other processes that a file or folder is in use, until it is closed or this process ends."""
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_locked(path: Path) -> bool:
    if fcntl is None or path.is_symlink():
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(descriptor)
    return False


class _Raw(io.FileIO):
    """An open file whose errors name the file as the user does."""

    shown: Path

    def write(self, data: object) -> int:  # type: ignore[override]
        with _blaming(self.shown):
            return super().write(data)  # type: ignore[arg-type, return-value]


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        if err.errno is not None:
            err.filename = str(path)
            if err.filename2 is not None:  # of a rename; a None that is set would be shown
                del err.filename2
        raise


def _target(path: Path) -> Optional[Path]:
    """The file that the path's links lead to, which may not exist; None if it must be written in place.

    RAISES (OSError): The path is a folder or lies in a file, or its links form a loop.
    """
    check_folders(path)
    place = path
    for _ in range(MAX_LINKS):
        place = Path(os.path.realpath(place.parent)) / place.name
        if place.parts[1:2] == ("proc",):  # an open file descriptor
            return None
        if not place.is_symlink():
            break
        place = place.parent / os.readlink(place)
    else:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if place.is_dir() or not place.name:
        raise IsADirectoryError(errno.EISDIR, "expected a file to write, it is a folder")
    return place if not place.exists() or place.is_file() else None


def _open(path: Path, target: Optional[Path], part: Optional[Path]) -> _Raw:
    if target is None or part is None:
        raw = _Raw(path, "ab")  # `>> file` keeps the file's content
        raw.shown = path
        return raw
    former = target.stat() if target.exists() else None
    if former is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    for abandoned in left_over(target, PART):
        with suppress(OSError):
            abandoned.unlink()
    raw = _Raw(part, "xb")
    raw.shown = path
    lock(raw.fileno())
    if former is not None:
        with suppress(OSError, AttributeError):  # another owner's file; Windows has no owners
            if (former.st_uid, former.st_gid) != (os.geteuid(), os.getegid()):
                os.chown(part, former.st_uid, former.st_gid)
        with suppress(OSError):
            os.chmod(part, stat.S_IMODE(former.st_mode))
    return raw


def _stem(path: Path) -> str:
    name = os.fsencode(path.name)
    return path.name if len(name) <= MAX_NAME else sha256(name).hexdigest()


def _partial_name(path: Path) -> Path:
    """A free name: `a.partial.txt` for `a.txt`."""
    names = (f"{path.stem}.partial{'' if i == 1 else f'-{i}'}{path.suffix}" for i in range(1, 10_000))
    return next(place for name in names if not (place := path.with_name(name)).exists())
